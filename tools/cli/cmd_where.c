/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf where: one RPC, and up to two parts of an answer. Subscriber space is a table, a line for
 * each unit or piece. What NAT has to do with the address is told in sentences, a pool each: where
 * a public address leads, or what becomes of a host, and what the answer does not know.
 */
#include "cli.h"

#include <stdio.h>

#include "client.h"
#include "output.h"
#include "tree.h"

#include <libyang/libyang.h>

static struct lyd_node *
make_where(struct client *client, const struct arguments *arguments)
{
	struct lyd_node *rpc = client_rpc(client, "where");

	if (!rpc || client_input(rpc, "target", arguments->names[0]))
		return rpc;
	client_drop(rpc);
	return NULL;
}

static const char *
or_nobody(const char *element)
{
	return *element ? element : "-";
}

static void
print_matches(const struct lyd_node *output)
{
	static const struct output_column columns[] = { { "UNIT", false }, { "GROUP", false },
		{ "ELEMENT", false }, { "ON ROUTER", false }, { "BASE", false },
		{ "STANDBY", false } };
	struct libscols_table *table = output_table(columns, 6);
	const struct lyd_node *match = NULL;

	while ((match = tree_next(output, "match", match))) {
		bool is_known = tree_flag(match, "lists-known");
		const char *cells[] = { tree_text(match, "prefix"), tree_text(match, "group"),
			or_nobody(tree_text(match, "element")),
			is_known ? or_nobody(tree_text(match, "effective-element")) : "?",
			or_nobody(tree_text(match, "base-element")),
			or_nobody(tree_text(match, "standby")) };

		output_row(table, cells);
	}
	output_table_end(table);
	if (tree_has(output, "more"))
		printf("... and %s units more\n", tree_text(output, "more"));
}

/* "group cgn, element fbf-03: host 10.64.2.3 in pool fixed 203.0.113.128/26 (deterministic)" */
static void
print_nat(const struct lyd_node *nat)
{
	printf("group %s, element %s, NAT pool %s %s (%s)", tree_text(nat, "group"),
	    tree_text(nat, "element"), tree_text(nat, "pool"), tree_text(nat, "prefix"),
	    tree_text(nat, "kind"));
	if (tree_has(nat, "host"))
		printf(": host %s", tree_text(nat, "host"));
	if (tree_has(nat, "first-host"))
		printf(
		    ": hosts %s to %s", tree_text(nat, "first-host"), tree_text(nat, "last-host"));
	if (tree_has(nat, "public"))
		printf(": becomes %s ports %s to %s", tree_text(nat, "public"),
		    tree_text(nat, "first-port"), tree_text(nat, "last-port"));
	putchar('\n');
	if (tree_has(nat, "note"))
		printf("  %s\n", tree_text(nat, "note"));
}

static int
use_where(const struct arguments *arguments, const struct lyd_node *output)
{
	const struct lyd_node *nat = NULL;

	if (arguments->json)
		output_json(lyd_child(output), true);
	if (!tree_has(output, "match") && !tree_has(output, "nat"))
		return complain(
		    EXIT_REFUSED, "%s is in no pool of the profile", arguments->names[0]);
	if (arguments->json)
		return EXIT_DONE;
	if (tree_has(output, "match"))
		print_matches(output);
	while ((nat = tree_next(output, "nat", nat)))
		print_nat(nat);
	return EXIT_DONE;
}

int
command_where(const struct arguments *arguments)
{
	return client_run(arguments, make_where, CLIENT_SHORT, use_where);
}
