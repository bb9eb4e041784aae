/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The status screen: its header, the table of each group, and the small words that all parts share.
 *
 * The order is that of the questions of somebody who was woken: what is the impact, which element,
 * is the agent able to act, what did it do last, what is next. Columns exist only for what the
 * model has; a number that is not known is a question mark, never a nought.
 *
 * Everything is printed from the tree that the agent sent, against the agent's clock, so the same
 * tree gives the same screen.
 */
#define _GNU_SOURCE /* vasprintf, strsep */
#include "screen.h"

#include <inttypes.h>
#include <libyang/libyang.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "screen_nat.h"
#include "tree.h"

const char *const screen_family_names[SCREEN_FAMILIES] = { "ipv4", "ipv6" };
const char *const screen_family_tags[SCREEN_FAMILIES] = { "v4", "v6" };

#define RED "\033[1;31m"
#define YELLOW "\033[33m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

void
screen_init(struct screen *screen, FILE *out, bool colour, const struct lyd_node *state)
{
	*screen = (struct screen){ out, colour, state, tree_time(state, "now") };
}

/* ---- words --------------------------------------------------------------------------------- */

void
screen_wrap(const struct screen *screen, const char *tag, int tag_width, const char *fmt, ...)
{
	int column = tag_width;
	char *text = NULL, *rest, *word;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		fatal("out of memory");
	va_end(args);
	if (tag)
		fprintf(screen->out, "%-*s", tag_width, tag);
	rest = text;
	while ((word = strsep(&rest, " ")) != NULL) {
		int size = (int)strlen(word);

		if (column > tag_width && column + 1 + size > SCREEN_WIDTH) {
			fprintf(screen->out, "\n%*s", tag_width, "");
			column = tag_width;
		}
		column += fprintf(screen->out, "%s%s", column > tag_width ? " " : "", word);
	}
	fputc('\n', screen->out);
	free(text);
}

const struct lyd_node *
screen_family(const struct lyd_node *parent, int family)
{
	return tree_entry(parent, "family", "family", screen_family_names[family]);
}

double
screen_effective(const struct lyd_node *family)
{
	double whole = tree_amount(family, "effective-units");
	double share = tree_amount(family, "effective-share");

	return share > whole ? share : whole;
}

static bool
has_same_freeze(const struct lyd_node *a, const struct lyd_node *b)
{
	return a && b && strcmp(tree_text(a, "freeze"), tree_text(b, "freeze")) == 0 &&
	       strcmp(tree_text(a, "freeze-reason"), tree_text(b, "freeze-reason")) == 0;
}

const char *
screen_freeze_families(const struct lyd_node *group, int family)
{
	const struct lyd_node *own = screen_family(group, family);
	const struct lyd_node *other = screen_family(group, 1 - family);

	if (!own || tree_is(own, "freeze", "no"))
		return "";
	if (has_same_freeze(own, other))
		return family == 0 ? "v4+v6" : "";
	return screen_family_tags[family];
}

bool
screen_is_full(const struct screen *screen)
{
	return tree_entry(screen->state, "alarm", "type", "database-full") != NULL;
}

const char *
screen_obstacle(const struct screen *screen)
{
	const struct lyd_node *router = tree_child(screen->state, "router");

	if (!tree_flag(router, "edit-session"))
		return "the router is not reached";
	if (!tree_flag(router, "lists-known"))
		return "the router's lists have not been read yet";
	if (tree_is(screen->state, "mode", "monitor"))
		return "mode is monitor";
	if (screen_is_full(screen))
		return "the router's ephemeral database is full";
	return NULL;
}

const char *
screen_pair_format(const uint64_t counts[SCREEN_FAMILIES], const bool present[SCREEN_FAMILIES],
    char buf[PAIR_TEXT_SIZE])
{
	int used = 0;

	buf[0] = '\0';
	for (int f = 0; f < SCREEN_FAMILIES; f++)
		if (present[f])
			used += snprintf(buf + used, (size_t)(PAIR_TEXT_SIZE - used), "%s%" PRIu64,
			    used ? "+" : "", counts[f]);
	return used ? buf : "0";
}

const char *
screen_pair(const struct lyd_node *parent, const char *leaf, char buf[PAIR_TEXT_SIZE])
{
	uint64_t counts[SCREEN_FAMILIES];
	bool present[SCREEN_FAMILIES];

	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *family = screen_family(parent, f);

		present[f] = family != NULL;
		counts[f] = tree_number(family, leaf);
	}
	return screen_pair_format(counts, present, buf);
}

char
screen_peer_mark(const struct lyd_node *peer)
{
	bool bfd_down = tree_is(peer, "bfd", "down") && !tree_is(peer, "bfd-mode", "ignore");

	if (tree_is(peer, "bgp", "down")) {
		if (bfd_down || tree_is(peer, "cause", "bfd"))
			return 'B';
		return tree_is(peer, "cause", "admin") ? 'a' : 'x';
	}
	if (!tree_is(peer, "bgp", "up"))
		return '?';
	if (bfd_down)
		return 'B';
	if (tree_flag(peer, "lacks-routes"))
		return 'r';
	if (tree_flag(peer, "unprotected"))
		return '!';
	return tree_flag(peer, "slow-bfd") ? 's' : '+';
}

bool
screen_element_is_out(const struct lyd_node *element)
{
	const struct lyd_node *family = NULL;

	if (tree_flag(element, "removed"))
		return false;
	while ((family = tree_next(element, "family", family)))
		if (!tree_flag(family, "healthy"))
			return true;
	return false;
}

/* How bad a health state is, for the one word that stands for both families. */
static int
rank_state(const char *state)
{
	static const char *const ranks[] = { "up", "hold-down", "unknown", "down-by-scope",
		"down" };

	for (int i = 0; i < (int)(sizeof(ranks) / sizeof(ranks[0])); i++)
		if (strcmp(state, ranks[i]) == 0)
			return i;
	return 0;
}

static const char *
age_minutes(int64_t us, char buf[AGE_TEXT_SIZE])
{
	snprintf(buf, AGE_TEXT_SIZE, "%" PRId64 "m", us / 60000000);
	return buf;
}

static void
format_state(const struct screen *screen, const struct lyd_node *family, const char *prefix,
    char buf[STATE_TEXT_SIZE])
{
	const char *state = tree_text(family, "state");
	int64_t damped = tree_time(family, "damped-until") - screen->now;
	char left[AGE_TEXT_SIZE];

	if (strcmp(state, "hold-down") == 0 && damped > 0)
		/* Short enough for the column with a family before it. */
		snprintf(buf, STATE_TEXT_SIZE, "%s%s %s", prefix, *prefix ? "damp" : "damped",
		    damped < 600000000 || !*prefix ? countdown_format(damped, left)
		                                   : age_minutes(damped, left));
	else if (tree_flag(family, "awaits-operator"))
		snprintf(buf, STATE_TEXT_SIZE, "%sawaits%s", prefix, *prefix ? "" : " you");
	else if (strcmp(state, "hold-down") == 0)
		snprintf(buf, STATE_TEXT_SIZE, "%shold %s", prefix,
		    countdown_format(tree_time(family, "hold-until") - screen->now, left));
	else if (strncmp(state, "down", 4) == 0)
		snprintf(buf, STATE_TEXT_SIZE, "%sDOWN", prefix);
	else
		snprintf(buf, STATE_TEXT_SIZE, "%s%s", prefix, state);
}

const char *
screen_element_state(const struct screen *screen, const struct lyd_node *element,
    char buf[STATE_TEXT_SIZE], int64_t *ret_since)
{
	const struct lyd_node *worst = NULL, *family;
	int ranks[SCREEN_FAMILIES] = { -1, -1 }, at = 0;
	bool is_mixed;
	char prefix[8] = "";

	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		family = screen_family(element, f);
		if (!family)
			continue;
		ranks[f] = rank_state(tree_text(family, "state"));
		if (!worst || ranks[f] > ranks[at]) {
			worst = family;
			at = f;
		}
	}
	*ret_since = tree_time(worst, "since");
	/* Down and down by scope are one thing to the reader. */
	is_mixed = ranks[0] >= 0 && ranks[1] >= 0 && ranks[0] != ranks[1] &&
	           !(ranks[0] >= 3 && ranks[1] >= 3);
	if (is_mixed)
		snprintf(prefix, sizeof(prefix), "%s ", screen_family_tags[at]);
	if (tree_flag(element, "removed")) {
		*ret_since = 0;
		snprintf(buf, STATE_TEXT_SIZE, "removed");
	} else if (tree_has(element, "forced")) {
		*ret_since = tree_time(tree_child(element, "forced"), "at");
		snprintf(buf, STATE_TEXT_SIZE, "OFFLINE");
	} else {
		format_state(screen, worst, prefix, buf);
	}
	return buf;
}

/* ---- the table of a group ------------------------------------------------------------------ */

enum { NAT_WIDTH = 6 };

struct columns {
	int name, number;
	bool has[SCREEN_FAMILIES];
	bool is_split[SCREEN_FAMILIES]; /* shares may be fractions */
	bool is_nat[SCREEN_FAMILIES];   /* has a column for pool routes */
};

struct line {
	char text[512];
	size_t used;
};

static void __attribute__((format(printf, 2, 3))) add(struct line *line, const char *fmt, ...)
{
	size_t room = sizeof(line->text) - line->used;
	va_list args;
	int size;

	va_start(args, fmt);
	size = vsnprintf(line->text + line->used, room, fmt, args);
	va_end(args);
	line->used += size < (int)room ? (size_t)size : room - 1;
}

/* Prints the line without the blanks at its end. */
static void
end_line(const struct screen *screen, struct line *line)
{
	while (line->used > 0 && line->text[line->used - 1] == ' ')
		line->used--;
	fprintf(screen->out, "%.*s\n", (int)line->used, line->text);
	line->used = 0;
}

static int
count_digits(uint64_t value)
{
	int digits = 1;

	while (value >= 10) {
		value /= 10;
		digits++;
	}
	return digits;
}

static void
measure_columns(const struct lyd_node *group, struct columns *columns)
{
	int families = 0, nat = 0, room;

	*columns = (struct columns){ .number = 4 };
	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *family = screen_family(group, f);
		int digits = count_digits(tree_number(family, "units"));

		columns->has[f] = family != NULL;
		columns->is_split[f] = tree_number(family, "pieces") > tree_number(family, "units");
		columns->is_nat[f] = screen_is_nat(group, f);
		families += columns->has[f];
		nat += columns->is_nat[f];
		if (columns->is_split[f])
			digits += 3;
		if (digits > columns->number)
			columns->number = digits;
	}
	room = SCREEN_WIDTH - 20 - families * (10 + 2 * columns->number) - nat * NAT_WIDTH;
	columns->name = screen_name_width(group, room);
	if (columns->name < 7 && columns->name < room)
		columns->name = room < 7 ? room : 7; /* "element" */
}

static void
print_group_head(const struct screen *screen, const struct lyd_node *group)
{
	struct line line = { .used = 0 };
	char moved[PAIR_TEXT_SIZE];

	add(&line, "group %-8.20s layout-id", tree_text(group, "name"));
	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *family = screen_family(group, f);

		if (family)
			add(&line, "  %s %.8s", screen_family_tags[f],
			    tree_text(family, "layout-id"));
	}
	add(&line, "%*smoved from base %s", line.used < 51 ? 54 - (int)line.used : 3, "",
	    screen_pair(group, "displaced", moved));
	end_line(screen, &line);
}

static void
print_table_head(const struct screen *screen, const struct columns *columns)
{
	struct line line = { .used = 0 };

	add(&line, "%*s", columns->name + 20, "");
	for (int f = 0; f < SCREEN_FAMILIES; f++)
		if (columns->has[f])
			add(&line, "   %s%-*s", screen_family_names[f],
			    3 + 2 * columns->number + (columns->is_nat[f] ? NAT_WIDTH : 0),
			    columns->is_nat[f] ? " nat-routes" : "");
	end_line(screen, &line);
	add(&line, "%-*.*s %-12s %-6s", columns->name, columns->name, "element", "state", "for");
	for (int f = 0; f < SCREEN_FAMILIES; f++)
		if (columns->has[f])
			add(&line, "   i o  %*s %*s %*s", columns->number, "base", columns->number,
			    "eff", columns->is_nat[f] ? NAT_WIDTH : 0,
			    columns->is_nat[f] ? "nat" : "");
	end_line(screen, &line);
}

static void
add_nat(struct line *line, const struct lyd_node *family)
{
	char count[NAT_TEXT_SIZE];

	add(line, "%*s", NAT_WIDTH, screen_nat_count(family, count));
}

static void
add_cells(
    struct line *line, const struct columns *columns, const struct lyd_node *family, bool is_split)
{
	const char *known = tree_text(family, is_split ? "effective-share" : "effective-units");
	const char *wanted = tree_text(family, is_split ? "wanted-share" : "wanted-units");
	bool differs = *known && strcmp(known, wanted) != 0;
	char share[AMOUNT_TEXT_SIZE];

	if (is_split && *known)
		known = amount_format(tree_amount(family, "effective-share"), share);
	if (!family) {
		add(line, "   - -  %*s %*s ", columns->number, "-", columns->number, "-");
		return;
	}
	add(line, "   %c %c  %*s %*s%c",
	    screen_peer_mark(tree_entry(family, "peer", "side", "inside")),
	    screen_peer_mark(tree_entry(family, "peer", "side", "outside")), columns->number,
	    tree_text(family, "base-units"), columns->number, *known ? known : "?",
	    differs ? '*' : ' ');
}

static void
add_family(struct line *line, const struct columns *columns, const struct lyd_node *family, int f)
{
	add_cells(line, columns, family, columns->is_split[f]);
	if (columns->is_nat[f])
		add_nat(line, family);
}

static const char *
get_colour(const struct screen *screen, const struct lyd_node *element, const char *state)
{
	if (!screen->colour)
		return "";
	if (strstr(state, "DOWN") || strcmp(state, "OFFLINE") == 0)
		return RED;
	if (screen_element_is_out(element) || strcmp(state, "up") != 0)
		return YELLOW;
	return GREEN;
}

static void
print_element_row(
    const struct screen *screen, const struct columns *columns, const struct lyd_node *element)
{
	char state[STATE_TEXT_SIZE], age[AGE_TEXT_SIZE], name[NAME_TEXT_SIZE];
	struct line line = { .used = 0 };
	const char *colour;
	int64_t since;

	screen_element_state(screen, element, state, &since);
	colour = get_colour(screen, element, state);
	add(&line, "%-*s %s%-12s%s %-6s", columns->name,
	    screen_name(tree_text(element, "name"), columns->name, name), colour, state,
	    *colour ? PLAIN : "", since > 0 ? age_format(screen->now - since, age) : "");
	for (int f = 0; f < SCREEN_FAMILIES; f++)
		if (columns->has[f])
			add_family(&line, columns, screen_family(element, f), f);
	end_line(screen, &line);
}

static void
print_sum_row(
    const struct screen *screen, const struct columns *columns, const struct lyd_node *group)
{
	struct line line = { .used = 0 };
	char sum[AMOUNT_TEXT_SIZE];

	add(&line, "%-*s", columns->name + 20, "sum");
	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *element = NULL;
		uint64_t base = 0;
		double effective = 0;
		bool is_known = true;

		if (!columns->has[f])
			continue;
		while ((element = tree_next(group, "element", element))) {
			const struct lyd_node *family = screen_family(element, f);

			base += tree_number(family, "base-units");
			effective += tree_amount(
			    family, columns->is_split[f] ? "effective-share" : "effective-units");
			is_known &= !family || tree_has(family, "effective-units");
		}
		add(&line, "        %*" PRIu64 " ", columns->number, base);
		if (is_known)
			add(&line, "%*s ", columns->number, amount_format(effective, sum));
		else
			add(&line, "%*s ", columns->number, "?");
		add(&line, "%*s", columns->is_nat[f] ? NAT_WIDTH : 0, "");
	}
	end_line(screen, &line);
}

static void
print_group(const struct screen *screen, const struct lyd_node *group)
{
	struct columns columns;
	const struct lyd_node *element = NULL;

	measure_columns(group, &columns);
	fputc('\n', screen->out);
	print_group_head(screen, group);
	print_table_head(screen, &columns);
	while ((element = tree_next(group, "element", element)))
		print_element_row(screen, &columns, element);
	print_sum_row(screen, &columns, group);
	screen_notes(screen, group);
}

/* ---- the screen ---------------------------------------------------------------------------- */

static void
print_header(const struct screen *screen)
{
	const char *now = tree_text(screen->state, "now");
	bool is_monitor = tree_is(screen->state, "mode", "monitor");

	fprintf(screen->out, "%.28s  %.10s %.8s UTC   mode %s   profile %.8s\n",
	    tree_text(screen->state, "hostname"), now, strlen(now) > 11 ? now + 11 : "",
	    is_monitor ? "MONITOR" : "ACTIVE", tree_text(screen->state, "profile-id"));
}

static bool
has_mark(const struct screen *screen, const struct lyd_node *only_group, char mark)
{
	const struct lyd_node *group = NULL, *element = NULL, *family = NULL, *peer = NULL;

	while ((group = tree_next(screen->state, "group", group)))
		while ((element = tree_next(group, "element", element)))
			while ((family = tree_next(element, "family", family)))
				while ((peer = tree_next(family, "peer", peer)))
					if ((!only_group || group == only_group) &&
					    screen_peer_mark(peer) == mark)
						return true;
	return false;
}

static bool
has_nat(const struct screen *screen, const struct lyd_node *only_group)
{
	const struct lyd_node *group = NULL;

	while ((group = tree_next(screen->state, "group", group)))
		for (int f = 0; f < SCREEN_FAMILIES; f++)
			if ((!only_group || group == only_group) && screen_is_nat(group, f))
				return true;
	return false;
}

/* The rarer marks are explained when they are there. */
static void
print_legend(const struct screen *screen, const struct lyd_node *only_group)
{
	bool few = has_mark(screen, only_group, 'r'), slow = has_mark(screen, only_group, 's');

	fputs("i/o inside/outside: + up, B BFD expired, x BGP down, a admin, ! up without BFD,\n",
	    screen->out);
	if (few || slow)
		fprintf(screen->out, "%s%s%s\n", few ? "r up without its required routes" : "",
		    few && slow ? ", " : "", slow ? "s up with a slow BFD" : "");
	fputs("? unknown    base: by profile    eff: by the router's lists, * not as wanted\n",
	    screen->out);
	if (has_nat(screen, only_group))
		fputs("nat: active of expected routes of NAT pools\n", screen->out);
}

void
screen_status(const struct screen *screen, const struct lyd_node *only_group)
{
	const struct lyd_node *group = NULL;

	print_header(screen);
	screen_impact(screen, only_group);
	while ((group = tree_next(screen->state, "group", group)))
		if (!only_group || group == only_group)
			print_group(screen, group);
	print_legend(screen, only_group);
	screen_footer(screen, only_group);
}
