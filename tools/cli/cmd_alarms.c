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

static int
show(const struct arguments *arguments, const struct lyd_node *state)
{
	struct scope scope = { NULL, NULL };
	struct screen screen;

	if (arguments->name_count > 0 && !scope_find(state, arguments->names[0], &scope))
		return scope_complain(state, arguments->names[0]);
	screen_init(&screen, stdout, arguments->colour, state);
	if (arguments->json)
		scope_print_json_part(state, &scope, is_wanted);
	else if (arguments->check)
		screen_alarms_check(&screen, scope.group, scope.element);
	else
		screen_alarms(&screen, scope.group, scope.element);
	return arguments->check
	           ? EXIT_CHECK + screen_alarms_severity(&screen, scope.group, scope.element)
	           : EXIT_DONE;
}

int
command_alarms(const struct arguments *arguments)
{
	return client_show(arguments, show);
}
