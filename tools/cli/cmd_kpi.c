/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf kpi: load and reaction, once or again and again. The figures are the agent's, which reads
 * the router's counters with each poll; asking more often shows the same ones again.
 */
#define _GNU_SOURCE
#include "cli.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "client.h"
#include "scope.h"
#include "screen_kpi.h"

/* The parts of the state that key figures are made of. */
static bool
is_about_kpi(const struct lyd_node *node, const struct scope *scope)
{
	static const char *const names[] = { "hostname", "now", "poll-interval", "router",
		"reaction", "edits", "source", "audit", "group", NULL };

	return scope_is_named(node, names);
}

static int
show(const struct arguments *arguments, const struct lyd_node *state)
{
	struct scope scope = { NULL, NULL };
	struct screen screen;

	if (arguments->name_count > 0 && !scope_find(state, arguments->names[0], &scope))
		return scope_complain(state, arguments->names[0]);
	if (arguments->json) {
		scope_print_json_part(state, &scope, is_about_kpi);
		return EXIT_DONE;
	}
	screen_init(&screen, stdout, arguments->colour, state);
	if (arguments->colour && arguments->interval)
		fputs("\033[H\033[2J", stdout); /* a live table stays in its place */
	screen_kpi(&screen, scope.group, scope.element);
	return EXIT_DONE;
}

/* False: nobody reads any more. While the agent is away nothing is written that would tell. */
static bool
wait_with_reader(unsigned seconds)
{
	struct pollfd output = { .fd = STDOUT_FILENO }; /* POLLERR and POLLHUP come unasked */

	return poll(&output, 1, (int)seconds * 1000) <= 0;
}

int
command_kpi(const struct arguments *arguments)
{
	int code = client_show(arguments, show);
	bool was_there = code == EXIT_DONE;

	/* An agent that was there comes back from a restart, and so do its places for clients. */
	while (was_there && arguments->interval && (code == EXIT_DONE || code == EXIT_NO_AGENT) &&
	       fflush(stdout) == 0 && wait_with_reader(arguments->interval))
		code = client_show(arguments, show);
	return code;
}
