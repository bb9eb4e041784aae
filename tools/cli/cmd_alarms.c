/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf alarms: what is wrong now, since when, and what to do. --json is the list alarm of the
 * state as the agent sent it, cut down to what was named.
 */
#include "cli.h"

#include <libyang/libyang.h>
#include <stdio.h>
#include <string.h>

#include "client.h"
#include "error.h"
#include "output.h"
#include "scope.h"
#include "screen_alarms.h"
#include "tree.h"

static bool
is_wanted(const struct lyd_node *node, const struct scope *scope)
{
	const char *name = node->schema->name;

	if (strcmp(name, "alarm") == 0)
		return screen_has_alarm(node, scope->group, scope->element);
	return strcmp(name, "now") == 0 || strncmp(name, "alarms-", 7) == 0;
}

static void
print_json(const struct lyd_node *state, const struct scope *scope)
{
	struct lyd_node *copy = NULL, *node, *next;

	if (lyd_dup_single(state, NULL, LYD_DUP_RECURSIVE, &copy) != LY_SUCCESS)
		return;
	LY_LIST_FOR_SAFE(lyd_child(copy), next, node)
	if (!is_wanted(node, scope))
		lyd_free_tree(node);
	output_json(copy, false);
	lyd_free_all(copy);
}

static int
show(const struct arguments *arguments, const struct lyd_node *state)
{
	struct scope scope = { NULL, NULL };
	struct screen screen;

	if (arguments->name_count > 0 && !scope_find(state, arguments->names[0], &scope))
		return scope_complain(state, arguments->names[0]);
	screen_init(&screen, stdout, arguments->colour, state);
	if (arguments->json)
		print_json(state, &scope);
	else if (arguments->check)
		return screen_alarms_check(&screen, scope.group, scope.element);
	else
		screen_alarms(&screen, scope.group, scope.element);
	return EXIT_DONE;
}

int
command_alarms(const struct arguments *arguments)
{
	struct client *client = NULL;
	const struct lyd_node *state = NULL;
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
