/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf path alter: the operator's word to draw traffic to the other path. The alter route is
 * installed or withdrawn; what follows from it is the router's export policy. Like everything that
 * moves subscribers it shows first what it does, and asks; scripts say --yes.
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "error.h"
#include "output.h"
#include "scope.h"
#include "screen.h"
#include "tree.h"

static const char *
get_group_name(const struct arguments *arguments)
{
	return arguments->name_count > 1 ? arguments->names[1] : NULL;
}

static void
print_group(const struct lyd_node *group, bool on)
{
	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *route = tree_child(screen_family(group, f), "alter-route");

		if (route)
			printf("group %s, %s: %s %s, it is %s now\n", tree_text(group, "name"),
			    screen_family_tags[f], on ? "install" : "withdraw",
			    tree_text(route, "route"),
			    tree_flag(route, "installed") ? "installed" : "not installed");
	}
}

static int
print_effect(struct client *client, const struct arguments *arguments, bool on, struct error *err)
{
	const struct lyd_node *state, *group = NULL;
	struct scope scope = { NULL, NULL };
	int code = client_get_state(client, &state, err);

	if (code != 0)
		return code;
	if (get_group_name(arguments))
		scope_find(state, get_group_name(arguments), &scope); /* unknown: the agent says */
	while ((group = tree_next(state, "group", group)))
		if (scope_has_group(&scope, group))
			print_group(group, on);
	puts("The router's export policies that look at the route change what it announces.\n"
	     "Other routers are not changed.");
	return 0;
}

static int
execute(struct client *client, const struct arguments *arguments, bool on, struct error *err)
{
	struct lyd_node *rpc = client_rpc(client, "path-alter");
	bool is_good = client_input(rpc, "on", on ? "true" : "false");

	if (get_group_name(arguments))
		is_good &= client_input(rpc, "group", get_group_name(arguments));
	if (arguments->reason)
		is_good &= client_input(rpc, "reason", arguments->reason);
	if (is_good)
		return client_call(client, rpc, CLIENT_SHORT, NULL, err);
	client_drop(rpc);
	return error_set(err, EXIT_USAGE, "a name has at most 64 characters, a reason at most 256");
}

static int
run(const struct arguments *arguments, bool on)
{
	struct client *client = NULL;
	struct error err;
	int code = client_open(arguments->socket, arguments->yang_dir, &client, &err);

	if (code == 0 && !arguments->yes) {
		code = print_effect(client, arguments, on, &err);
		if (code == 0 && !ask_to_go_on())
			code = error_set(&err, EXIT_REFUSED, "not done");
	}
	if (code == 0)
		code = execute(client, arguments, on, &err);
	if (code == 0)
		output_done(arguments->json, "done; to watch it: autofbf status, autofbf events");
	else
		complain(code, "%s", err.text);
	client_close(client);
	return code;
}

int
command_path_alter(const struct arguments *arguments)
{
	bool on = strcmp(arguments->names[0], "on") == 0;

	if (!on && strcmp(arguments->names[0], "off") != 0)
		return complain(
		    EXIT_USAGE, "path alter %s: on or off is wanted", arguments->names[0]);
	if (on && (!arguments->reason || !*arguments->reason))
		return complain(
		    EXIT_USAGE, "say why, whoever has the next shift reads it: --reason TEXT");
	return refuse_unasked(arguments, NULL) == EXIT_DONE ? run(arguments, on) : EXIT_USAGE;
}
