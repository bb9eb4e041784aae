/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plan on the screen: for each group and family what happens to subscribers first, in a sentence,
 * then the elements, then the lines of the commit; at the end what all of it means for capacity,
 * and what speaks against it. Where nothing moves there is one line.
 */
#include "plan_report.h"

#include <stdio.h>
#include <string.h>

#include "output.h"
#include "screen.h"
#include "tree.h"

enum { TAG_WIDTH = 9 };

static double
get_percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void
print_sentence(const struct lyd_node *family)
{
	const struct screen screen = { .out = stdout };
	double moved = tree_amount(family, "moved"), units = tree_amount(family, "units");
	double untranslated = tree_amount(family, "untranslated");
	bool is_nat = tree_is(family, "return-path", "nat-routes");

	if (untranslated > 0)
		screen_wrap(&screen, NULL, 0,
		    "%s %s: %s of %s units (%.1f %%) lose their sessions: %.0f get new public "
		    "addresses, %.0f are not translated any more%s",
		    tree_text(family, "group"), tree_text(family, "family"),
		    tree_text(family, "moved"), tree_text(family, "units"),
		    get_percent(moved, units), moved - untranslated, untranslated,
		    tree_flag(family, "frozen") ? ", once it is thawed" : "");
	else if (moved == 0)
		printf("%s %s: nothing moves\n", tree_text(family, "group"),
		    tree_text(family, "family"));
	else
		screen_wrap(&screen, NULL, 0,
		    "%s %s: %s of %s units (%.1f %%) %slose their sessions%s",
		    tree_text(family, "group"), tree_text(family, "family"),
		    tree_text(family, "moved"), tree_text(family, "units"),
		    get_percent(moved, units), is_nat ? "get new public addresses and " : "",
		    tree_flag(family, "frozen") ? ", once it is thawed" : "");
}

/* What only another profile or weight brings: nothing, for most plans. */
static void
print_base(const struct lyd_node *family)
{
	char buf[AMOUNT_TEXT_SIZE];
	const char *separator = "";

	if (tree_has(family, "minimum") && tree_number(family, "moved") > 0) {
		printf("the minimum is %s, with everybody up", tree_text(family, "minimum"));
		separator = "; ";
	}
	if (tree_has(family, "fresh")) {
		amount_format(tree_amount(family, "fresh"), buf);
		printf("%sunits that are new: %s", separator, buf);
		separator = "; ";
	}
	if (tree_has(family, "ended")) {
		amount_format(tree_amount(family, "ended"), buf);
		printf("%sunits that end: %s", separator, buf);
		separator = "; ";
	}
	if (*separator)
		putchar('\n');
}

static void
print_elements(const struct lyd_node *family)
{
	static const struct output_column columns[] = { { "ELEMENT", false }, { "NOW", true },
		{ "THEN", true }, { "SHARE", true }, { "GAINS", true }, { "LOSES", true },
		{ "ENTRIES", true } };
	static const char *const leaves[] = { "before", "after", "gains", "losses" };
	struct libscols_table *table = output_table(columns, 7);
	const struct lyd_node *element = NULL;

	while ((element = tree_next(family, "element", element))) {
		char amounts[4][AMOUNT_TEXT_SIZE], share[16];
		double after = tree_amount(element, "after");

		for (int i = 0; i < 4; i++)
			amount_format(tree_amount(element, leaves[i]), amounts[i]);
		snprintf(share, sizeof(share), "%.1f %%",
		    get_percent(after, tree_amount(family, "units")));
		output_row(table,
		    (const char *const[]){ tree_text(element, "name"), amounts[0], amounts[1],
		        share, amounts[2], amounts[3],
		        tree_has(element, "entries") ? tree_text(element, "entries") : "-" });
	}
	output_table_end(table);
}

/* Survivors' port blocks, where they are limited and change. */
static void
print_blocks(const struct lyd_node *family)
{
	static const struct output_column columns[] = { { "PORT BLOCKS OF", false },
		{ "HAS", true }, { "NEEDS NOW", true }, { "%", true }, { "THEN", true },
		{ "%", true } };
	static const char *const leaves[] = { "before", "after" };
	struct libscols_table *table = output_table(columns, 6);
	const struct lyd_node *element = NULL;

	while ((element = tree_next(family, "port-blocks", element))) {
		double available = tree_amount(element, "available");
		char percents[2][16];

		for (int i = 0; i < 2; i++)
			snprintf(percents[i], sizeof(percents[i]), "%.0f",
			    get_percent(tree_amount(element, leaves[i]), available));
		output_row(table, (const char *const[]){ tree_text(element, "element"),
		                      tree_text(element, "available"), tree_text(element, "before"),
		                      percents[0], tree_text(element, "after"), percents[1] });
	}
	output_table_end(table);
}

static void
print_commit(const struct lyd_node *family)
{
	if (!tree_has(family, "entries"))
		puts("commit: the router's lists are not known now");
	else
		printf("commit: %s lines added, %s removed; override lists then have %s\n",
		    tree_text(family, "adds"), tree_text(family, "removes"),
		    tree_text(family, "entries"));
}

static bool
has_changes(const struct lyd_node *family)
{
	static const char *const counts[] = { "moved", "fresh", "ended", "adds", "removes" };
	bool has = false;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		has |= tree_amount(family, counts[i]) > 0;
	return has;
}

void
plan_report_family(const struct lyd_node *family)
{
	print_sentence(family);
	if (!has_changes(family))
		return;
	print_base(family);
	print_elements(family);
	if (tree_next(family, "port-blocks", NULL))
		print_blocks(family);
	print_commit(family);
	putchar('\n');
}

static void
print_loads(const struct lyd_node *plan)
{
	static const struct output_column columns[] = { { "CAPACITY OF", false }, { "IS", true },
		{ "UNIT", false }, { "NOW", true }, { "%", true }, { "THEN", true },
		{ "%", true } };
	static const char *const leaves[] = { "capacity", "before", "after" };
	struct libscols_table *table = output_table(columns, 7);
	const struct lyd_node *load = NULL;

	while ((load = tree_next(plan, "load", load))) {
		double capacity = tree_amount(load, "capacity");
		char amounts[3][AMOUNT_TEXT_SIZE], percents[3][16];

		for (int i = 0; i < 3; i++) {
			double amount = tree_amount(load, leaves[i]);

			amount_format(amount, amounts[i]);
			snprintf(percents[i], sizeof(percents[i]), "%.0f",
			    get_percent(amount, capacity));
		}
		output_row(table, (const char *const[]){ tree_text(load, "element"), amounts[0],
		                      tree_text(load, "label"), amounts[1], percents[1], amounts[2],
		                      percents[2] });
	}
	output_table_end(table);
	putchar('\n');
}

/* Loads that stay as they are need no table. */
static bool
has_shifted_loads(const struct lyd_node *plan)
{
	const struct lyd_node *load = NULL;
	bool has = false;

	while ((load = tree_next(plan, "load", load)))
		has |= !tree_is(load, "after", tree_text(load, "before"));
	return has;
}

static void
print_words(const struct lyd_node *plan, const char *leaf)
{
	const struct screen screen = { .out = stdout };
	const struct lyd_node *text = NULL;

	while ((text = tree_next(plan, leaf, text)))
		screen_wrap(&screen, leaf, TAG_WIDTH, "%s", tree_value(text));
}

void
plan_report_cost(const struct lyd_node *plan)
{
	if (has_shifted_loads(plan))
		print_loads(plan);
	print_words(plan, "warning");
	print_words(plan, "note");
}

void
plan_report(const struct lyd_node *plan)
{
	const struct lyd_node *family = NULL;

	while ((family = tree_next(plan, "family", family)))
		plan_report_family(family);
	plan_report_cost(plan);
}
