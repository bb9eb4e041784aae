/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf kpi: load and reaction, once or again and again. The figures are the agent's, which reads
 * the router's counters with each poll; asking more often shows the same ones again.
 */
#define _GNU_SOURCE
#include "cli.h"

#include <libyang/libyang.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "error.h"
#include "scope.h"
#include "screen_kpi.h"

/* The parts of the state that key figures are made of. */
static bool
is_about_kpi(const char *name)
{
	static const char *const names[] = { "hostname", "now", "poll-interval", "router",
		"reaction", "edits", "source", "audit", "group" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static void
print_json(const struct lyd_node *state, const struct scope *scope)
{
	struct lyd_node *copy = NULL, *node, *next;

	if (lyd_dup_single(state, NULL, LYD_DUP_RECURSIVE, &copy) != LY_SUCCESS)
		return;
	LY_LIST_FOR_SAFE(lyd_child(copy), next, node)
	{
		if (!is_about_kpi(node->schema->name))
			lyd_free_tree(node);
	}
	scope_print_json(copy, scope);
	lyd_free_all(copy);
}

static int
show(const struct arguments *arguments, const struct lyd_node *state)
{
	struct scope scope = { NULL, NULL };
	struct screen screen;

	if (arguments->name_count > 0 && !scope_find(state, arguments->names[0], &scope))
		return scope_complain(state, arguments->names[0]);
	if (arguments->json) {
		print_json(state, &scope);
		return EXIT_DONE;
	}
	screen_init(&screen, stdout, arguments->colour, state);
	if (arguments->colour && arguments->interval)
		fputs("\033[H\033[2J", stdout); /* a live table stays in its place */
	screen_kpi(&screen, scope.group, scope.element);
	return EXIT_DONE;
}

static int
show_once(const struct arguments *arguments)
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

int
command_kpi(const struct arguments *arguments)
{
	int code = show_once(arguments);

	while (arguments->interval && code == EXIT_DONE && fflush(stdout) == 0) {
		sleep(arguments->interval);
		code = show_once(arguments);
	}
	return code;
}
