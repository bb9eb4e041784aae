/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf element offline|online: the predecessor's force-failed add and del.
 *
 * On a terminal it first asks the agent what would move (RPC plan), shows that, and asks. A
 * script has no terminal and says --yes; without it nothing happens, so that a pipe cannot take an
 * element down by accident. Whether it may be done at all is the agent's decision, not ours.
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#include "client.h"
#include "error.h"
#include "output.h"
#include "plan_report.h"
#include "tree.h"

static int
fetch_plan(struct client *client, const struct arguments *arguments, bool offline,
    const struct lyd_node **ret_plan, struct error *err)
{
	struct lyd_node *rpc = client_rpc(client, "plan");

	for (size_t i = 0; i < arguments->name_count; i++)
		if (!client_input(rpc, offline ? "offline" : "online", arguments->names[i])) {
			client_drop(rpc);
			return error_set(err, EXIT_USAGE, "'%s' cannot be an element's name",
			    arguments->names[i]);
		}
	return client_call(client, rpc, CLIENT_LONG, ret_plan, err);
}

static void
print_plan(const struct lyd_node *plan, bool offline)
{
	const struct lyd_node *family = NULL;
	bool moves = false;

	while ((family = tree_next(plan, "family", family))) {
		if (tree_number(family, "moved") == 0)
			continue;
		plan_report_family(family);
		moves = true;
	}
	plan_report_cost(plan);
	if (!moves)
		printf("Nothing moves now%s.\n",
		    offline ? ""
		            : ": what is not up goes on waiting for its sessions or its "
		              "hold-down");
	puts("Other routers are not changed: repeat it there.");
}

static int
confirm(struct client *client, const struct arguments *arguments, bool offline, struct error *err)
{
	const struct lyd_node *plan;
	int code;

	if (arguments->yes)
		return 0;
	code = fetch_plan(client, arguments, offline, &plan, err);
	if (code != 0)
		return code;
	print_plan(plan, offline);
	return ask_to_go_on() ? 0 : error_set(err, EXIT_REFUSED, "not done");
}

static int
execute(struct client *client, const struct arguments *arguments, bool offline, struct error *err)
{
	struct lyd_node *rpc = client_rpc(client, offline ? "element-offline" : "element-online");
	bool is_good = true;

	for (size_t i = 0; i < arguments->name_count; i++)
		is_good &= client_input(rpc, "element", arguments->names[i]);
	if (arguments->force)
		is_good &= client_input(rpc, "force", "true");
	if (arguments->reason)
		is_good &= client_input(rpc, "reason", arguments->reason);
	if (!is_good) {
		client_drop(rpc);
		return error_set(
		    err, EXIT_USAGE, "names have at most 64 characters, a reason at most 256");
	}
	return client_call(client, rpc, CLIENT_SHORT, NULL, err);
}

static int
run(const struct arguments *arguments, bool offline)
{
	struct client *client = NULL;
	struct error err;
	int code;

	if (refuse_unasked(arguments, NULL) != EXIT_DONE)
		return EXIT_USAGE;
	code = client_open(arguments->socket, arguments->yang_dir, &client, &err);
	if (code == 0)
		code = confirm(client, arguments, offline, &err);
	if (code == 0)
		code = execute(client, arguments, offline, &err);
	if (code == 0)
		output_done(arguments->json, "done; to watch it: autofbf status, autofbf events");
	else
		complain(code, "%s", err.text);
	client_close(client);
	return code;
}

int
command_element_offline(const struct arguments *arguments)
{
	return run(arguments, true);
}

int
command_element_online(const struct arguments *arguments)
{
	return run(arguments, false);
}
