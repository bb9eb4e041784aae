/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf why: one address, who carries it now in each group that has it, and by which decisions
 * that became so. Each line of the story names its record, for `autofbf events --since` shows what
 * stood around it.
 */
#include "cli.h"

#include <libyang/libyang.h>
#include <stdio.h>
#include <string.h>

#include "client.h"
#include "output.h"
#include "tree.h"

static struct lyd_node *
make_why(struct client *client, const struct arguments *arguments)
{
	struct lyd_node *rpc = client_rpc(client, "why");

	if (client_input(rpc, "target", arguments->names[0]))
		return rpc;
	client_drop(rpc);
	return NULL;
}

static const char *
get_owner(const struct lyd_node *node, const char *leaf)
{
	return tree_has(node, leaf) ? tree_text(node, leaf) : "nobody";
}

static void
print_now(const struct lyd_node *match)
{
	const char *wanted = get_owner(match, "element");
	const char *have = get_owner(match, "effective-element");

	if (tree_has(match, "piece"))
		printf("%s, a piece of the unit ", tree_text(match, "piece"));
	printf("%s in group %s\n", tree_text(match, "unit"), tree_text(match, "group"));
	if (!tree_flag(match, "lists-known"))
		printf(
		    "  now      %s by the layout; the router's lists have not been read\n", wanted);
	else if (strcmp(wanted, have) == 0)
		printf("  now      %s, by the layout and on the router\n", wanted);
	else
		printf("  now      %s on the router, %s by the layout: see autofbf diff\n", have,
		    wanted);
	printf("  base     %s\n  standby  %s\n", get_owner(match, "base-element"),
	    get_owner(match, "standby"));
	if (!tree_is(match, "freeze", "no"))
		printf("  frozen   %s\n", tree_text(match, "freeze"));
}

static void
print_decision(const struct lyd_node *decision)
{
	const char *time = tree_text(decision, "time");
	int64_t made = tree_time(decision, "time"), done = tree_time(decision, "committed");
	char delay[AGE_TEXT_SIZE];

	printf("  #%-7s %.10s %.10s  %s -> %s: %s", tree_text(decision, "id"), time,
	    strlen(time) > 11 ? time + 11 : "",
	    tree_has(decision, "from") ? tree_text(decision, "from") : "?",
	    get_owner(decision, "to"), tree_text(decision, "cause"));
	if (tree_has(decision, "who"))
		printf(", by %s", tree_text(decision, "who"));
	if (done > 0)
		printf(" (#%s committed %s)", tree_text(decision, "commit"),
		    delay_format(done - made, delay));
	putchar('\n');
}

static void
print_match(const struct lyd_node *match)
{
	const struct lyd_node *decision = NULL;

	print_now(match);
	if (tree_has(match, "untold"))
		printf("  story    %s\n", tree_text(match, "untold"));
	else if (!tree_has(match, "decision"))
		puts("  story    never moved, as far as the history goes");
	else
		puts("  story    begins with the base");
	while ((decision = tree_next(match, "decision", decision)))
		print_decision(decision);
}

static int
use_why(const struct arguments *arguments, const struct lyd_node *output)
{
	const struct lyd_node *match = NULL;
	const char *separator = "";

	if (arguments->json)
		output_json(lyd_child(output), true);
	if (!tree_has(output, "match"))
		return complain(
		    EXIT_REFUSED, "%s is in no pool of the profile", arguments->names[0]);
	while (!arguments->json && (match = tree_next(output, "match", match))) {
		fputs(separator, stdout);
		print_match(match);
		separator = "\n";
	}
	return EXIT_DONE;
}

int
command_why(const struct arguments *arguments)
{
	return client_run(arguments, make_why, CLIENT_LONG, use_why);
}
