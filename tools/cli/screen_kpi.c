/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Key figures of the elements: what the router sends to each and what comes back, beside the units
 * that it carries, and below that whom the filters steered to it and whom they dropped. All rates
 * are the router's counters over one window, which the head line names with its age; a figure that
 * is not known is a dash, and the reason is below the table.
 */
#include "screen_kpi.h"

#include <inttypes.h>
#include <string.h>

#include "tree.h"

enum { SIDES = 2, DIRECTIONS = 2, RATE_TEXT_SIZE = 32 };
static const char *const sides[SIDES] = { "inside", "outside" };
static const char *const directions[DIRECTIONS] = { "sent", "received" };

enum { NAME_WIDTH = 16 }; /* with 80 columns */

struct figures {
	double units;
	bool has_units; /* the router's lists were read */
	uint64_t packets[SIDES][DIRECTIONS], bits[SIDES][DIRECTIONS];
	bool has_rate[SIDES];
	size_t count; /* elements in it */
};

/* "71.2G", "980", "1.05M": three digits, decimal multiples. */
static const char *
format_rate(uint64_t value, char buf[RATE_TEXT_SIZE])
{
	static const char suffixes[] = " kMGTPE";
	double amount = (double)value;
	size_t i = 0;

	while (amount >= 999.5 && i < sizeof(suffixes) - 2) {
		amount /= 1000;
		i++;
	}
	snprintf(buf, RATE_TEXT_SIZE, "%.*f%.*s",
	    i == 0 || amount >= 99.95 ? 0
	    : amount >= 9.995         ? 1
	                              : 2,
	    amount, i > 0, suffixes + i);
	return buf;
}

static int
name_width(const struct lyd_node *group)
{
	int width = screen_name_width(group, NAME_WIDTH);

	return width > NAME_WIDTH ? width : NAME_WIDTH;
}

static void
read_side(const struct lyd_node *element, int side, struct figures *ret)
{
	const struct lyd_node *load = tree_entry(element, "load", "side", sides[side]);

	ret->has_rate[side] = tree_has(load, "window");
	for (int d = 0; d < DIRECTIONS; d++) {
		const struct lyd_node *rate = tree_child(load, directions[d]);

		ret->packets[side][d] = tree_number(rate, "packets-per-second");
		ret->bits[side][d] = tree_number(rate, "bits-per-second");
	}
}

static void
read_element(const struct lyd_node *element, struct figures *ret)
{
	*ret = (struct figures){ .has_units = true, .count = 1 };
	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *family = screen_family(element, f);

		ret->units += screen_effective(family);
		ret->has_units &= !family || tree_has(family, "effective-units");
	}
	for (int side = 0; side < SIDES; side++)
		read_side(element, side, ret);
}

static void
add(struct figures *sum, const struct figures *part)
{
	sum->units += part->units;
	sum->has_units = (sum->count == 0 || sum->has_units) && part->has_units;
	for (int side = 0; side < SIDES; side++) {
		sum->has_rate[side] =
		    (sum->count == 0 || sum->has_rate[side]) && part->has_rate[side];
		for (int d = 0; d < DIRECTIONS; d++) {
			sum->packets[side][d] += part->packets[side][d];
			sum->bits[side][d] += part->bits[side][d];
		}
	}
	sum->count += part->count;
}

static void
divide(struct figures *sum)
{
	uint64_t by = sum->count ? sum->count : 1;

	sum->units /= (double)by;
	for (int side = 0; side < SIDES; side++)
		for (int d = 0; d < DIRECTIONS; d++) {
			sum->packets[side][d] /= by;
			sum->bits[side][d] /= by;
		}
}

/* What went in on one side and out on the other: bit/s, packet/s and how much of it came back. */
static void
print_direction(const struct screen *screen, const struct figures *figures, int into)
{
	uint64_t sent = figures->packets[into][0], back = figures->packets[!into][1];
	char bits[RATE_TEXT_SIZE], packets[RATE_TEXT_SIZE], share[RATE_TEXT_SIZE] = "-";

	if (!figures->has_rate[into]) {
		fprintf(screen->out, " %7s %6s %5s", "-", "-", "-");
		return;
	}
	if (figures->has_rate[!into] && sent > 0)
		snprintf(share, sizeof(share), "%.0f%%", (double)back * 100 / (double)sent);
	fprintf(screen->out, " %7s %6s %5s", format_rate(figures->bits[into][0], bits),
	    format_rate(sent, packets), share);
}

static double
total_packets(const struct figures *figures)
{
	return (double)(figures->packets[0][0] + figures->packets[1][0]);
}

static const char *
format_share(double part, double all, bool is_known, char buf[RATE_TEXT_SIZE])
{
	if (!is_known || all <= 0)
		return "-";
	snprintf(buf, RATE_TEXT_SIZE, "%.1f%%", part * 100 / all);
	return buf;
}

static void
print_row(const struct screen *screen, int width, const char *name, const struct figures *row,
    const struct figures *all)
{
	bool has_load =
	    row->has_rate[0] && row->has_rate[1] && all->has_rate[0] && all->has_rate[1];
	char units[AMOUNT_TEXT_SIZE], of_units[RATE_TEXT_SIZE], of_load[RATE_TEXT_SIZE];
	char text[NAME_TEXT_SIZE];

	fprintf(screen->out, "%-*s %7s %6s %6s", width, screen_name(name, width, text),
	    row->has_units ? amount_format(row->units, units) : "-",
	    format_share(row->units, all->units, all->has_units, of_units),
	    format_share(total_packets(row), total_packets(all), has_load, of_load));
	for (int into = 0; into < SIDES; into++)
		print_direction(screen, row, into);
	fputc('\n', screen->out);
}

/* The window and age of the group's first figures; all were read at once. */
static void
print_head(const struct screen *screen, const struct lyd_node *group)
{
	const struct lyd_node *element = NULL, *load;
	int width = name_width(group);

	fprintf(screen->out, "group %s", tree_text(group, "name"));
	while ((element = tree_next(group, "element", element))) {
		char age[AGE_TEXT_SIZE];

		load = tree_entry(element, "load", "side", sides[0]);
		if (!tree_has(load, "window"))
			continue;
		fprintf(screen->out, "  averages over %.1f s, read %s ago",
		    (double)tree_number(load, "window") / 1000,
		    age_format(screen->now - tree_time(load, "measured"), age));
		break;
	}
	fprintf(
	    screen->out, "\n%*s%20s %20s\n", width + 23, "", "into the inside", "into the outside");
	fprintf(screen->out, "%-*s %7s %6s %6s", width, "ELEMENT", "UNITS", "SHARE", "LOAD");
	for (int into = 0; into < SIDES; into++)
		fprintf(screen->out, " %7s %6s %5s", "BIT/S", "PKT/S", "BACK");
	fputc('\n', screen->out);
}

/* ---- by the filters -------------------------------------------------------------------------- */

static const struct lyd_node *
steered_entry(const struct lyd_node *element, int family, int side)
{
	return tree_entry(screen_family(element, family), "steered", "side", sides[side]);
}

static bool
has_steered(const struct lyd_node *group)
{
	const struct lyd_node *element = NULL;

	while ((element = tree_next(group, "element", element)))
		for (int f = 0; f < SCREEN_FAMILIES; f++)
			if (steered_entry(element, f, 0))
				return true;
	return false;
}

static const char *
format_packets(const struct lyd_node *node, char buf[RATE_TEXT_SIZE])
{
	return tree_has(node, "packets-per-second")
	           ? format_rate(tree_number(node, "packets-per-second"), buf)
	           : "-";
}

static void
print_steered(const struct screen *screen, int width, const struct lyd_node *element)
{
	char rate[RATE_TEXT_SIZE], name[NAME_TEXT_SIZE];

	fprintf(screen->out, "%-*s", width, screen_name(tree_text(element, "name"), width, name));
	for (int f = 0; f < SCREEN_FAMILIES; f++)
		for (int side = 0; side < SIDES; side++)
			fprintf(screen->out, " %14s",
			    format_packets(steered_entry(element, f, side), rate));
	fputc('\n', screen->out);
}

/* Subscribers that no list names: dropped on whichever side, and counted for both. */
static void
print_unlisted(const struct screen *screen, const struct lyd_node *group)
{
	char rate[RATE_TEXT_SIZE];

	fprintf(screen->out, "%-*s", name_width(group), "unlisted");
	for (int f = 0; f < SCREEN_FAMILIES; f++)
		fprintf(screen->out, " %29s",
		    format_packets(tree_child(screen_family(group, f), "unlisted"), rate));
	fputc('\n', screen->out);
}

static void
print_filters(
    const struct screen *screen, const struct lyd_node *group, const struct lyd_node *only_element)
{
	const struct lyd_node *element = NULL;
	int width = name_width(group);

	if (!has_steered(group))
		return;
	fprintf(screen->out, "\n%-*s", width, "STEERED, PKT/S");
	for (int f = 0; f < SCREEN_FAMILIES; f++)
		for (int side = 0; side < SIDES; side++)
			fprintf(screen->out, " %*s %s", 13 - (int)strlen(sides[side]),
			    screen_family_names[f], sides[side]);
	fputc('\n', screen->out);
	while ((element = tree_next(group, "element", element)))
		if (!tree_flag(element, "removed") && (!only_element || element == only_element))
			print_steered(screen, width, element);
	if (!only_element)
		print_unlisted(screen, group);
}

/* ---- reasons --------------------------------------------------------------------------------- */

/* One filter's trouble is that of all who count in it: the first stands for the others. */
static void
print_filter_reason(const struct screen *screen, const struct lyd_node *group,
    const struct lyd_node *only_element, int family, int side)
{
	const struct lyd_node *element = NULL, *first = NULL;
	size_t others = 0;
	char more[48] = "";

	while ((element = tree_next(group, "element", element)))
		if (tree_has(steered_entry(element, family, side), "unavailable") &&
		    (!only_element || element == only_element)) {
			others += first != NULL;
			first = first ? first : element;
		}
	if (!first)
		return;
	if (others)
		snprintf(
		    more, sizeof(more), " and %zu %s", others, others == 1 ? "other" : "others");
	screen_wrap(screen, "no figures", 12, "%s%s %s %s: %s", tree_text(first, "name"), more,
	    screen_family_names[family], sides[side],
	    tree_text(steered_entry(first, family, side), "unavailable"));
}

static void
print_filter_reasons(
    const struct screen *screen, const struct lyd_node *group, const struct lyd_node *only_element)
{
	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *unlisted = tree_child(screen_family(group, f), "unlisted");

		for (int side = 0; side < SIDES; side++)
			print_filter_reason(screen, group, only_element, f, side);
		if (!only_element && tree_has(unlisted, "unavailable"))
			screen_wrap(screen, "no figures", 12, "unlisted %s: %s",
			    screen_family_names[f], tree_text(unlisted, "unavailable"));
	}
}

static void
print_reasons(
    const struct screen *screen, const struct lyd_node *group, const struct lyd_node *only_element)
{
	const struct lyd_node *element = NULL;
	const char *said = "";

	while ((element = tree_next(group, "element", element)))
		for (int side = 0; side < SIDES; side++) {
			const struct lyd_node *load =
			    tree_entry(element, "load", "side", sides[side]);
			const char *reason = tree_text(load, "unavailable");

			if ((only_element && element != only_element) || !*reason ||
			    strcmp(reason, said) == 0)
				continue;
			screen_wrap(screen, "no figures", 12, "%s %s: %s",
			    tree_text(element, "name"), sides[side], reason);
			said = reason;
		}
}

static void
print_group(
    const struct screen *screen, const struct lyd_node *group, const struct lyd_node *only_element)
{
	const struct lyd_node *element = NULL;
	struct figures sum = { 0 }, row;
	int width = name_width(group);

	print_head(screen, group);
	while ((element = tree_next(group, "element", element)))
		if (!tree_flag(element, "removed")) {
			read_element(element, &row);
			add(&sum, &row);
		}
	while ((element = tree_next(group, "element", element))) {
		if (tree_flag(element, "removed") || (only_element && element != only_element))
			continue;
		read_element(element, &row);
		print_row(screen, width, tree_text(element, "name"), &row, &sum);
	}
	if (!only_element) {
		row = sum;
		divide(&row);
		print_row(screen, width, "sum", &sum, &sum);
		print_row(screen, width, "average", &row, &sum);
	}
	print_filters(screen, group, only_element);
	print_reasons(screen, group, only_element);
	print_filter_reasons(screen, group, only_element);
}

/* ---- the agent ------------------------------------------------------------------------------- */

/* The bound under which so many percent of the samples are; the maximum, which may be less. */
static uint64_t
percentile(const struct lyd_node *reaction, unsigned percent)
{
	uint64_t needed = (tree_number(reaction, "count") * percent + 99) / 100;
	uint64_t maximum = tree_number(reaction, "maximum"), bound;
	const struct lyd_node *bucket = NULL;

	while ((bucket = tree_next(reaction, "bucket", bucket)))
		if (tree_number(bucket, "count") >= needed) {
			bound = tree_number(bucket, "up-to");
			return bound < maximum ? bound : maximum;
		}
	return maximum;
}

static void
print_reaction(const struct screen *screen, const struct lyd_node *reaction)
{
	char half[AGE_TEXT_SIZE], most[AGE_TEXT_SIZE], maximum[AGE_TEXT_SIZE];

	if (tree_number(reaction, "count") == 0)
		return;
	fprintf(screen->out, "%-16s %7s %12s %12s %12s\n", tree_text(reaction, "stage"),
	    tree_text(reaction, "count"), delay_format((int64_t)percentile(reaction, 50), half) + 1,
	    delay_format((int64_t)percentile(reaction, 99), most) + 1,
	    delay_format((int64_t)tree_number(reaction, "maximum"), maximum) + 1);
}

static bool
has_reaction(const struct lyd_node *state)
{
	const struct lyd_node *reaction = NULL;

	while ((reaction = tree_next(state, "reaction", reaction)))
		if (tree_number(reaction, "count") > 0)
			return true;
	return false;
}

static void
print_agent(const struct screen *screen)
{
	const struct lyd_node *reaction = NULL, *group = NULL, *family = NULL;
	const struct lyd_node *edits = tree_child(screen->state, "edits");
	uint64_t away = 0;
	char text[AGE_TEXT_SIZE];

	if (has_reaction(screen->state))
		fprintf(screen->out, "%-16s %7s %12s %12s %12s\n", "REACTION", "TIMES",
		    "HALF WITHIN", "99% WITHIN", "LONGEST");
	while ((reaction = tree_next(screen->state, "reaction", reaction)))
		print_reaction(screen, reaction);
	while ((group = tree_next(screen->state, "group", group)))
		while ((family = tree_next(group, "family", family)))
			if (tree_number(family, "displaced-seconds") > away)
				away = tree_number(family, "displaced-seconds");
	fprintf(screen->out, "%-16s %s lines added, %s removed, %s repairs; away from base %s\n",
	    "edits", tree_text(edits, "added"), tree_text(edits, "removed"),
	    tree_text(edits, "repairs"), age_format((int64_t)away * 1000000, text));
}

void
screen_kpi(const struct screen *screen, const struct lyd_node *only_group,
    const struct lyd_node *only_element)
{
	const struct lyd_node *group = NULL;

	while ((group = tree_next(screen->state, "group", group)))
		if (!only_group || group == only_group) {
			print_group(screen, group, only_element);
			fputc('\n', screen->out);
		}
	print_agent(screen);
}
