/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the policy adds to the screen: capacity, the risk of one more failure, signal routes,
 * splits, failure domains. Each line is there only when it has something to say; a profile that
 * names no capacity and no signal route gives the screen that it always gave.
 */
#include "screen.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "nat_load.h"
#include "tree.h"

enum { TAG_WIDTH = 10, FOOTER_TAG_WIDTH = 9, NEAR_PERCENT = 80 };

/* ---- capacity ------------------------------------------------------------------------------ */

static double
get_percent(const struct lyd_node *element, const char *load)
{
	double capacity = tree_amount(element, "capacity");

	return capacity > 0 ? tree_amount(element, load) * 100 / capacity : 0;
}

/* The element with the greatest part of its capacity used; NULL: none tells its capacity. */
static const struct lyd_node *
find_busiest(const struct lyd_node *group, const char *load)
{
	const struct lyd_node *element = NULL, *busiest = NULL;

	while ((element = tree_next(group, "element", element)))
		if (tree_amount(element, "capacity") > 0 && tree_has(element, load) &&
		    (!busiest || get_percent(element, load) > get_percent(busiest, load)))
			busiest = element;
	return busiest;
}

static unsigned
count_over(const struct lyd_node *group, const char *load)
{
	const struct lyd_node *element = NULL;
	unsigned count = 0;

	while ((element = tree_next(group, "element", element)))
		count += get_percent(element, load) > 100;
	return count;
}

/* "fbf-01 38.2 of 34 Gbps and 2 more" */
static void
describe_load(const struct lyd_node *group, const struct lyd_node *element, const char *load,
    char buf[LOAD_TEXT_SIZE])
{
	char have[AMOUNT_TEXT_SIZE], capacity[AMOUNT_TEXT_SIZE], more[32] = "";
	unsigned over = count_over(group, load);

	if (over > 1)
		snprintf(more, sizeof(more), " and %u more", over - 1);
	snprintf(buf, LOAD_TEXT_SIZE, "%.64s %s of %s %.32s%s", tree_text(element, "name"),
	    amount_format(tree_amount(element, load), have),
	    amount_format(tree_amount(element, "capacity"), capacity),
	    tree_text(group, "capacity-label"), more);
}

bool
screen_is_overloaded(const struct lyd_node *group)
{
	return count_over(group, "load-now") > 0;
}

bool
screen_describe_capacity(const struct lyd_node *group, char buf[LOAD_TEXT_SIZE])
{
	const struct lyd_node *busiest = find_busiest(group, "load-now");
	double percent = get_percent(busiest, "load-now");
	uint64_t displaced = 0;
	char load[LOAD_TEXT_SIZE];

	if (!busiest || percent < NEAR_PERCENT)
		return false;
	describe_load(group, busiest, "load-now", load);
	for (int f = 0; f < SCREEN_FAMILIES; f++)
		displaced += tree_number(screen_family(group, f), "displaced");
	/* Never "100 %" for a little more than that. */
	snprintf(buf, LOAD_TEXT_SIZE, "%s at %.0f %% of capacity (%.120s)",
	    displaced > 0 ? "survivors" : "elements",
	    percent > 100 && percent < 101 ? 101 : percent, load);
	return true;
}

/* ---- risk ---------------------------------------------------------------------------------- */

struct risk {
	char text[512];
	size_t used;
};

static void __attribute__((format(printf, 2, 3))) add_risk(struct risk *risk, const char *fmt, ...)
{
	size_t room = sizeof(risk->text) - risk->used;
	va_list args;
	int size;

	if (risk->used > 0 && room > 2) {
		strcpy(risk->text + risk->used, "; ");
		risk->used += 2;
		room -= 2;
	}
	va_start(args, fmt);
	size = vsnprintf(risk->text + risk->used, room, fmt, args);
	va_end(args);
	risk->used += size < (int)room ? (size_t)size : room - 1;
}

static unsigned
count_elements(const struct lyd_node *group, int family)
{
	const struct lyd_node *element = NULL;
	unsigned count = 0;

	while ((element = tree_next(group, "element", element)))
		count += screen_family(element, family) && !tree_flag(element, "removed");
	return count;
}

/* One more failure leaves fewer than min-alive, or nobody. */
static bool
is_at_edge(const struct lyd_node *group, int family, bool nobody)
{
	const struct lyd_node *node = screen_family(group, family);
	uint64_t alive = tree_number(node, "alive"), least = tree_number(node, "min-alive");

	if (nobody)
		return node && alive == 1 && count_elements(group, family) > 1;
	return node && least > 0 && alive == least;
}

static const char *
name_families(const bool has[SCREEN_FAMILIES])
{
	return has[0] && has[1] ? "v4+v6" : screen_family_tags[has[0] ? 0 : 1];
}

static void
add_edges(struct risk *risk, const struct lyd_node *group)
{
	bool few[SCREEN_FAMILIES], none[SCREEN_FAMILIES];
	const struct lyd_node *family;

	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		few[f] = is_at_edge(group, f, false);
		none[f] = is_at_edge(group, f, true);
	}
	family = screen_family(group, few[0] ? 0 : 1);
	if (few[0] || few[1])
		add_risk(risk, "below min-alive %s (%s)%s", tree_text(family, "min-alive"),
		    name_families(few),
		    tree_has(family, "failed-route") ? ", the failed signal route is installed"
		                                     : "");
	if (none[0] || none[1])
		add_risk(risk, "nobody is left (%s): the layout freezes", name_families(none));
}

static void
add_overload(struct risk *risk, const struct lyd_node *group)
{
	const struct lyd_node *worst = find_busiest(group, "load-worst");
	double percent = get_percent(worst, "load-worst");
	char load[LOAD_TEXT_SIZE];

	if (percent <= 100 || screen_is_overloaded(group))
		return;
	describe_load(group, worst, "load-worst", load);
	add_risk(
	    risk, "survivors at %.0f %% of capacity (%s)", percent < 101 ? 101 : percent, load);
}

/* Port blocks: the fullest of all that a failure fills further. */
static void
add_blocks(struct risk *risk, const struct lyd_node *group)
{
	const struct lyd_node *element = NULL, *fullest = NULL;
	double most = NAT_BLOCKS_FULL_PERCENT;

	while ((element = tree_next(group, "element", element)))
		for (int f = 0; f < SCREEN_FAMILIES; f++) {
			const struct lyd_node *blocks =
			    tree_child(screen_family(element, f), "port-blocks");
			double available = tree_amount(blocks, "available");
			double worst = tree_amount(blocks, "worst");
			double percent = available > 0 ? 100 * worst / available : 0;

			if (percent <= most || worst <= tree_amount(blocks, "now"))
				continue;
			most = percent;
			fullest = element;
		}
	if (fullest)
		add_risk(
		    risk, "%s needs %.0f %% of its port blocks", tree_text(fullest, "name"), most);
}

static const char *
describe_limit(const struct lyd_node *group)
{
	static const char *const words[][2] = { { "nobody-left", "nobody is left" },
		{ "min-alive", "fewer than min-alive are left" },
		{ "capacity", "an element is above its capacity" },
		{ "search", "it depends: not all ways to fail were tried" } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (tree_is(group, "failures-limit", words[i][0]))
			return words[i][1];
	return NULL;
}

/* Elements that fail together are no edge of their own. */
static void
add_domain(struct risk *risk, const struct lyd_node *group)
{
	if (risk->used == 0 && tree_has(group, "failures-tolerated") &&
	    tree_number(group, "failures-tolerated") == 0 && describe_limit(group) &&
	    (count_elements(group, 0) > 1 || count_elements(group, 1) > 1))
		add_risk(risk, "%s", describe_limit(group));
}

/* The others take over only what the agent may move, and only when it sees the failure. */
static bool
can_move(const struct screen *screen, const struct lyd_node *group)
{
	for (int f = 0; f < SCREEN_FAMILIES; f++)
		if (*screen_freeze_families(group, f))
			return false;
	return !screen_obstacle(screen) && screen_count_blind(group) == 0;
}

void
screen_risk(const struct screen *screen, const struct lyd_node *group)
{
	uint64_t failures = tree_number(group, "failures-tolerated");
	struct risk risk = { .used = 0 };

	add_edges(&risk, group);
	add_overload(&risk, group);
	add_blocks(&risk, group);
	add_domain(&risk, group);
	if (risk.used > 0)
		screen_wrap(screen, "RISK", TAG_WIDTH, "%s: one more failure: %s",
		    tree_text(group, "name"), risk.text);
	else if (failures > 0 && describe_limit(group) && can_move(screen, group))
		screen_wrap(screen, "SURVIVES", TAG_WIDTH, "%s: any %ju more failure%s; then %s",
		    tree_text(group, "name"), (uintmax_t)failures, failures > 1 ? "s" : "",
		    describe_limit(group));
}

/* ---- notes under the table ----------------------------------------------------------------- */

void
screen_notes(const struct screen *screen, const struct lyd_node *group)
{
	char pairs[PAIR_TEXT_SIZE];
	uint64_t shared = 0;

	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *family = screen_family(group, f);

		shared += tree_number(family, "standby-same-domain");
		if (tree_number(family, "pieces") > tree_number(family, "units"))
			screen_wrap(screen, "split", FOOTER_TAG_WIDTH,
			    "%s: %s pieces of %s units, cut by %s bits where they have to be "
			    "shared",
			    screen_family_tags[f], tree_text(family, "pieces"),
			    tree_text(family, "units"), tree_text(family, "split-bits"));
	}
	if (shared > 0)
		screen_wrap(screen, "domains", FOOTER_TAG_WIDTH,
		    "%s units have their standby in the failure domain of their element",
		    screen_pair(group, "standby-same-domain", pairs));
}

/* ---- signal routes ------------------------------------------------------------------------- */

/* Some group wants this route: groups may share one, and alter and failed may be the same. */
static bool
is_wanted_by_any(const struct screen *screen, const char *route)
{
	static const char *const names[] = { "failed-route", "alter-route" };
	const struct lyd_node *group = NULL;

	while ((group = tree_next(screen->state, "group", group)))
		for (int i = 0; i < 2 * SCREEN_FAMILIES; i++) {
			const struct lyd_node *signal =
			    tree_child(screen_family(group, i / 2), names[i % 2]);

			if (tree_is(signal, "route", route) && tree_flag(signal, "wanted"))
				return true;
		}
	return false;
}

static void
describe_route(const struct screen *screen, const struct lyd_node *route, char *buf, size_t size)
{
	int64_t hold = tree_time(route, "hold-until");
	char left[AGE_TEXT_SIZE];

	if (!tree_flag(route, "wanted"))
		snprintf(buf, size, "no%s",
		    tree_flag(route, "installed") &&
		            !is_wanted_by_any(screen, tree_text(route, "route"))
		        ? " (STILL INSTALLED)"
		        : "");
	else if (!tree_has(route, "installed"))
		snprintf(buf, size, "YES");
	else if (!tree_flag(route, "installed"))
		snprintf(buf, size, "YES (NOT INSTALLED)");
	else if (hold > screen->now)
		snprintf(buf, size, "YES (installed, goes in %s)",
		    countdown_format(hold - screen->now, left));
	else
		snprintf(buf, size, "YES (installed)");
}

/* "failed v4 no, v6 YES (installed)"; families that say the same are one. False: there is none. */
static bool
describe_routes(const struct screen *screen, const struct lyd_node *group, const char *leaf,
    const char *word, char *buf, size_t size)
{
	char text[SCREEN_FAMILIES][64] = { "", "" };

	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *route = tree_child(screen_family(group, f), leaf);

		if (route)
			describe_route(screen, route, text[f], sizeof(text[f]));
	}
	if (strcmp(text[0], text[1]) == 0)
		snprintf(buf, size, "%s %s", word, text[0]);
	else if (*text[0] && *text[1])
		snprintf(buf, size, "%s v4 %s, v6 %s", word, text[0], text[1]);
	else
		snprintf(buf, size, "%s %s %s", word, *text[0] ? "v4" : "v6",
		    *text[0] ? text[0] : text[1]);
	return *text[0] || *text[1];
}

void
screen_signal(const struct screen *screen, const struct lyd_node *group, bool is_first)
{
	const struct lyd_node *order = tree_child(group, "operator-alter");
	bool is_only = !tree_next(screen->state, "group", tree_child(screen->state, "group"));
	char failed[192], alter[192], by[320] = "", age[AGE_TEXT_SIZE];
	bool has_failed =
	    describe_routes(screen, group, "failed-route", "failed", failed, sizeof(failed));
	bool has_alter =
	    describe_routes(screen, group, "alter-route", "alter", alter, sizeof(alter));

	if (order)
		snprintf(by, sizeof(by), " by %.32s %s ago%s%.200s", tree_text(order, "by"),
		    age_format(screen->now - tree_time(order, "at"), age),
		    tree_has(order, "reason") ? ": " : "", tree_text(order, "reason"));
	screen_wrap(screen, is_first ? "signal" : "", FOOTER_TAG_WIDTH, "%s%s%s%s%s%s",
	    is_only ? "" : tree_text(group, "name"), is_only ? "" : ": ", has_failed ? failed : "",
	    has_failed && has_alter ? " | " : "", has_alter ? alter : "", has_alter ? by : "");
}

bool
screen_has_signal(const struct lyd_node *group)
{
	for (int f = 0; f < SCREEN_FAMILIES; f++)
		if (tree_child(screen_family(group, f), "failed-route") ||
		    tree_child(screen_family(group, f), "alter-route"))
			return true;
	return false;
}

bool
screen_has_failed_route(const struct lyd_node *group, const char **ret_families)
{
	bool has[SCREEN_FAMILIES];

	for (int f = 0; f < SCREEN_FAMILIES; f++)
		has[f] =
		    tree_flag(tree_child(screen_family(group, f), "failed-route"), "installed");
	*ret_families = name_families(has);
	return has[0] || has[1];
}

bool
screen_lacks_alter_route(const struct lyd_node *group)
{
	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *route = tree_child(screen_family(group, f), "alter-route");

		if (tree_flag(route, "wanted") && tree_has(route, "installed") &&
		    !tree_flag(route, "installed"))
			return true;
	}
	return false;
}

bool
screen_lacks_failed_route(const struct lyd_node *group)
{
	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *family = screen_family(group, f);
		const struct lyd_node *route = tree_child(family, "failed-route");

		if (route && tree_number(family, "alive") < tree_number(family, "min-alive") &&
		    tree_has(route, "installed") && !tree_flag(route, "installed") &&
		    !tree_is(family, "freeze", "startup"))
			return true;
	}
	return false;
}
