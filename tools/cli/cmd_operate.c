/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf freeze, thaw, audit now, diff: one RPC each, and what to make of its answer.
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#include "client.h"
#include "output.h"
#include "tree.h"

#include <libyang/libyang.h>

/* The rpc with input; NULL, and the rpc is gone, when the model refuses a value. */
static struct lyd_node *
with_input(struct lyd_node *rpc, const char *leaf, const char *value)
{
	if (!rpc || !value || client_input(rpc, leaf, value))
		return rpc;
	client_drop(rpc);
	return NULL;
}

static int
use_done(const struct arguments *arguments, const struct lyd_node *output)
{
	output_done(arguments->json, "done");
	return EXIT_DONE;
}

/* ---- freeze, thaw -------------------------------------------------------------------------- */

static struct lyd_node *
add_group(struct lyd_node *rpc, const struct arguments *arguments)
{
	rpc = with_input(rpc, "group", arguments->name_count > 0 ? arguments->names[0] : NULL);
	return with_input(rpc, "reason", arguments->reason);
}

static struct lyd_node *
make_freeze(struct client *client, const struct arguments *arguments)
{
	return add_group(client_rpc(client, "freeze"), arguments);
}

static struct lyd_node *
make_thaw(struct client *client, const struct arguments *arguments)
{
	return add_group(client_rpc(client, "thaw"), arguments);
}

int
command_freeze(const struct arguments *arguments)
{
	if (!arguments->reason || !*arguments->reason)
		return complain(
		    EXIT_USAGE, "say why, whoever has the next shift reads it: --reason TEXT");
	return client_run(arguments, make_freeze, CLIENT_SHORT, use_done);
}

int
command_thaw(const struct arguments *arguments)
{
	return client_run(arguments, make_thaw, CLIENT_SHORT, use_done);
}

/* ---- audit now ----------------------------------------------------------------------------- */

static struct lyd_node *
make_audit(struct client *client, const struct arguments *arguments)
{
	return client_rpc(client, "audit");
}

static int
use_audit(const struct arguments *arguments, const struct lyd_node *output)
{
	output_done(arguments->json, "asked for; the result is in: autofbf status, autofbf events");
	return EXIT_DONE;
}

int
command_audit_now(const struct arguments *arguments)
{
	return client_run(arguments, make_audit, CLIENT_SHORT, use_audit);
}

/* ---- diff ---------------------------------------------------------------------------------- */

static struct lyd_node *
make_diff(struct client *client, const struct arguments *arguments)
{
	return client_rpc(client, "diff");
}

static void
print_edits(const struct lyd_node *output)
{
	const struct lyd_node *edit = NULL;
	char list[160] = "";

	while ((edit = tree_next(output, "edit", edit))) {
		const char *name = tree_text(edit, "list");

		if (strcmp(name, list) != 0)
			printf("%s\n", name);
		snprintf(list, sizeof(list), "%s", name);
		printf("  %c %s\n", tree_is(edit, "action", "remove") ? '-' : '+',
		    tree_text(edit, "prefix"));
	}
}

static int
use_diff(const struct arguments *arguments, const struct lyd_node *output)
{
	bool differs = tree_number(output, "adds") + tree_number(output, "removes") > 0;

	if (arguments->json)
		output_json(lyd_child(output), true);
	else if (differs)
		print_edits(output);
	if (!arguments->json)
		printf("%s to add, %s to remove%s\n", tree_text(output, "adds"),
		    tree_text(output, "removes"), differs ? "" : ": the router has what is wanted");
	return differs ? EXIT_DIFFERS : EXIT_DONE;
}

int
command_diff(const struct arguments *arguments)
{
	return client_run(arguments, make_diff, CLIENT_LONG, use_diff);
}
