/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf status: the state, as a screen, a line or JSON; all of it, one group or one element.
 * --json is the tree as the agent sent it, cut down to what was named.
 */
#include "cli.h"

#include <stdio.h>

#include "client.h"
#include "scope.h"
#include "screen.h"

static int
show(const struct arguments *arguments, const struct lyd_node *state)
{
	struct scope scope = { NULL, NULL };
	struct screen screen;

	if (arguments->name_count > 0 && !scope_find(state, arguments->names[0], &scope))
		return scope_complain(state, arguments->names[0]);
	screen_init(&screen, stdout, arguments->colour, state);
	if (arguments->json) {
		scope_print_json(state, &scope);
		return arguments->check ? EXIT_CHECK + screen_severity(&screen, scope.group)
		                        : EXIT_DONE;
	}
	if (arguments->check)
		return EXIT_CHECK + screen_check(&screen, scope.group);
	if (scope.element)
		screen_element(&screen, scope.group, scope.element);
	else
		screen_status(&screen, scope.group);
	return EXIT_DONE;
}

int
command_status(const struct arguments *arguments)
{
	return client_show(arguments, show);
}
