/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf status, sessions: the state, as a screen, a line, a table or JSON.
 *
 * With a name, status shows one group or one element; ids go before names. --json is the tree as
 * the agent sent it, cut down to what was named.
 */
#include "cli.h"

#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "output.h"
#include "screen.h"
#include "tree.h"

struct selection {
	const struct lyd_node *group, *element; /* NULL: all of them */
};

static bool
is_called(const struct lyd_node *node, const char *name)
{
	return tree_is(node, "id", name) || tree_is(node, "name", name);
}

static bool
select_name(const struct lyd_node *state, const char *name, struct selection *selection)
{
	const struct lyd_node *group = NULL, *element = NULL;

	while ((group = tree_next(state, "group", group))) {
		if (is_called(group, name)) {
			*selection = (struct selection){ .group = group };
			return true;
		}
		while ((element = tree_next(group, "element", element)))
			if (is_called(element, name)) {
				*selection = (struct selection){ group, element };
				return true;
			}
	}
	return false;
}

static int
complain_name(const struct lyd_node *state, const char *name)
{
	const struct lyd_node *group = NULL, *element = NULL;
	char known[512] = "";
	size_t used = 0;

	while ((group = tree_next(state, "group", group))) {
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%sgroup %s with",
		    used ? "; " : "", tree_text(group, "id"));
		for (element = NULL;
		     used < sizeof(known) && (element = tree_next(group, "element", element));)
			used += (size_t)snprintf(
			    known + used, sizeof(known) - used, " %s", tree_text(element, "id"));
		if (used >= sizeof(known))
			break;
	}
	return complain(EXIT_USAGE, "no group or element '%s'; there are: %s", name, known);
}

/* A copy of the state without what was not named. */
static void
print_state_json(const struct lyd_node *state, const struct selection *selection)
{
	struct lyd_node *copy = NULL;
	const struct lyd_node *node, *entry;

	if (!selection->group) {
		output_json(state, false);
		return;
	}
	if (lyd_dup_single(state, NULL, LYD_DUP_RECURSIVE, &copy) != LY_SUCCESS)
		return;
	for (node = tree_next(copy, "group", NULL); node;) {
		const struct lyd_node *next = tree_next(copy, "group", node);

		if (!tree_is(node, "id", tree_text(selection->group, "id")))
			lyd_free_tree((struct lyd_node *)node);
		node = next;
	}
	node = tree_child(copy, "group");
	for (entry = tree_child(node, "element"); entry && selection->element;) {
		const struct lyd_node *next = tree_next(node, "element", entry);

		if (!tree_is(entry, "id", tree_text(selection->element, "id")))
			lyd_free_tree((struct lyd_node *)entry);
		entry = next;
	}
	output_json(copy, false);
	lyd_free_all(copy);
}

static int
show(const struct arguments *arguments, const struct lyd_node *state)
{
	struct selection selection = { NULL, NULL };
	struct screen screen;

	if (arguments->name_count > 0 && !select_name(state, arguments->names[0], &selection))
		return complain_name(state, arguments->names[0]);
	screen_init(&screen, stdout, arguments->colour, state);
	if (arguments->json) {
		print_state_json(state, &selection);
		return EXIT_DONE;
	}
	if (arguments->check)
		return screen_check(&screen);
	if (selection.element)
		screen_element(&screen, selection.group, selection.element);
	else
		screen_status(&screen, selection.group);
	return EXIT_DONE;
}

int
command_status(const struct arguments *arguments)
{
	struct client *client = NULL;
	const struct lyd_node *state;
	struct error err;
	int code = client_open(arguments->socket, arguments->yang_dir, &client, &err);

	if (code == 0)
		code = client_get_state(client, &state, &err);
	if (code == 0)
		code = show(arguments, state);
	else
		complain(code, "%s", err.text);
	client_close(client);
	return code;
}
