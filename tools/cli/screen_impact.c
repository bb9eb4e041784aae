/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The top of the screen: one word and one sentence for each group, and a line for each thing that
 * is wrong, worst first. The same facts make the line of status --check.
 *
 * The words are the agent's own (leaves severity of the state and of each group); why it is so is
 * worked out here.
 */
#include "screen.h"

#include <inttypes.h>
#include <string.h>

#include "screen_alarms.h"
#include "screen_nat.h"
#include "tree.h"

enum { TAG_WIDTH = 10 };

static const char *const words[] = { "OK", "DEGRADED", "CRITICAL" };
static const char *const colours[] = { "\033[1;32m", "\033[1;33m", "\033[1;31m" };

struct group_facts {
	unsigned elements, carriers;
	uint64_t units[SCREEN_FAMILIES], displaced[SCREEN_FAMILIES];
	double carried[SCREEN_FAMILIES]; /* units; parts of split ones add up */
	double lost;                     /* units that still go to an element that is not healthy */
	double leaving; /* ... or to one that is up, and that an operator took out */
	bool has[SCREEN_FAMILIES];
	bool is_known; /* the router's lists were read */
	bool is_old;   /* ... and nobody knows whether they still are so */
};

/* An operator took it out, and it is up: it carries what has not moved yet. */
static bool
carries_until_moved(const struct lyd_node *element, const struct lyd_node *family)
{
	return tree_has(element, "forced") && tree_is(family, "state", "up");
}

static void
add_element(struct group_facts *facts, const struct lyd_node *element)
{
	bool carries = false;

	if (tree_flag(element, "removed"))
		return;
	facts->elements++;
	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *family = screen_family(element, f);
		double effective = screen_effective(family);

		if (!family)
			continue;
		facts->is_known &= tree_has(family, "effective-units");
		if (carries_until_moved(element, family)) {
			facts->leaving += effective;
		} else if (!tree_flag(family, "healthy")) {
			facts->lost += effective;
			continue;
		}
		carries |= effective > 0;
		facts->carried[f] += effective;
	}
	facts->carriers += carries;
}

static void
gather(const struct screen *screen, const struct lyd_node *group, struct group_facts *facts)
{
	const struct lyd_node *element = NULL;

	*facts = (struct group_facts){ .is_known = true,
		.is_old = !tree_flag(tree_child(screen->state, "router"), "edit-session") };
	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *family = screen_family(group, f);

		if (!family)
			continue;
		facts->has[f] = true;
		facts->units[f] = tree_number(family, "units");
		facts->displaced[f] = tree_number(family, "displaced");
	}
	while ((element = tree_next(group, "element", element)))
		add_element(facts, element);
}

/* "3 of 4 elements carry all 1024+1024 units, 256+256 moved" */
static void
describe(const struct group_facts *facts, char *buf, size_t size)
{
	char carried[PAIR_TEXT_SIZE], units[PAIR_TEXT_SIZE], moved[PAIR_TEXT_SIZE];
	uint64_t displaced = facts->displaced[0] + facts->displaced[1];
	uint64_t whole[SCREEN_FAMILIES];
	bool is_all = true;

	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		whole[f] = (uint64_t)facts->carried[f];
		is_all &= whole[f] == facts->units[f];
	}
	screen_pair_format(whole, facts->has, carried);
	screen_pair_format(facts->units, facts->has, units);
	screen_pair_format(facts->displaced, facts->has, moved);
	if (!facts->is_known)
		snprintf(buf, size,
		    "who carries the %s units is not known: the router's lists "
		    "have not been read",
		    units);
	else
		snprintf(buf, size, "%u of %u elements carry %s%s%s units, %s moved%s",
		    facts->carriers, facts->elements, is_all ? "all " : carried,
		    is_all ? "" : " of ", units, displaced > 0 ? moved : "nothing",
		    facts->is_old ? " (as last read)" : "");
}

/* Of the whole state, or of a group; one that is missing must not look as if all were well. */
static int
get_severity(const struct lyd_node *node)
{
	if (tree_is(node, "severity", "ok"))
		return 0;
	return tree_is(node, "severity", "degraded") ? 1 : 2;
}

static void
print_tagged(const struct screen *screen, int severity, const char *name, const char *text)
{
	if (screen->colour)
		fputs(colours[severity], screen->out);
	fprintf(screen->out, "%-*s", TAG_WIDTH, words[severity]);
	if (screen->colour)
		fputs("\033[0m", screen->out);
	screen_wrap(screen, NULL, TAG_WIDTH, "%s%s%s", name, *name ? ": " : "", text);
}

/* Its units in the families that carry them still, or in those that do not. */
static void
print_not_moved(const struct screen *screen, const struct lyd_node *element, bool are_carried)
{
	char units[PAIR_TEXT_SIZE];
	uint64_t counts[SCREEN_FAMILIES] = { 0 };
	bool has[SCREEN_FAMILIES] = { false };
	const char *lost = "", *only = "", *why;

	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *family = screen_family(element, f);
		double share = screen_effective(family);

		counts[f] = (uint64_t)share + (share > (double)(uint64_t)share);
		has[f] = family && !tree_flag(family, "healthy") && counts[f] > 0 &&
		         carries_until_moved(element, family) == are_carried;
	}
	if (!has[0] && !has[1])
		return;
	if (has[0] != has[1])
		only = has[0] ? " v4" : " v6";
	if (tree_flag(element, "removed")) {
		why = "the profile has removed";
	} else if (are_carried) {
		why = "carries them until they are moved";
	} else {
		lost = "LOST: ";
		why = "is not healthy";
	}
	screen_wrap(screen, "", TAG_WIDTH, "%s%s%s units still go to %s, which %s", lost,
	    screen_pair_format(counts, has, units), only, tree_text(element, "name"), why);
}

static void
print_out(const struct screen *screen, const struct lyd_node *element)
{
	const struct lyd_node *family = NULL, *forced = tree_child(element, "forced");
	char state[STATE_TEXT_SIZE], age[AGE_TEXT_SIZE];
	int64_t since;

	if (!screen_element_is_out(element))
		return;
	screen_element_state(screen, element, state, &since);
	age_format(screen->now - since, age);
	if (forced) {
		screen_wrap(screen, "", TAG_WIDTH, "%s %s for %s, by %s%s%s",
		    tree_text(element, "name"), state, age, tree_text(forced, "by"),
		    tree_has(forced, "reason") ? ": " : "", tree_text(forced, "reason"));
		return;
	}
	while ((family = tree_next(element, "family", family)))
		if (!tree_flag(family, "healthy"))
			break;
	screen_wrap(screen, "", TAG_WIDTH, "%s %s for %s%s%s", tree_text(element, "name"), state,
	    since > 0 ? age : "?", tree_has(family, "reason") ? ": " : "",
	    tree_text(family, "reason"));
}

static void
print_frozen(const struct screen *screen, const struct lyd_node *group)
{
	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *family = screen_family(group, f);
		const char *families = screen_freeze_families(group, f);

		if (*families)
			screen_wrap(screen, "", TAG_WIDTH, "%s frozen (%s): %s", families,
			    tree_text(family, "freeze"), tree_text(family, "freeze-reason"));
		if (tree_has(family, "nat-hold"))
			screen_wrap(screen, "", TAG_WIDTH, "%s NAT pool routes not believed: %s",
			    screen_family_tags[f], tree_text(family, "nat-hold"));
	}
}

static void
print_policy(const struct screen *screen, const struct lyd_node *group)
{
	const char *families;
	char load[LOAD_TEXT_SIZE];

	if (screen_describe_capacity(group, load))
		screen_wrap(screen, "", TAG_WIDTH, "%s", load);
	if (screen_lacks_failed_route(group))
		screen_wrap(screen, "", TAG_WIDTH,
		    "fewer than min-alive are left and the failed signal route is NOT installed: "
		    "traffic goes on coming here");
	else if (screen_has_failed_route(group, &families))
		screen_wrap(screen, "", TAG_WIDTH,
		    "failed signal route %s installed: export policies send traffic elsewhere",
		    families);
	if (screen_lacks_alter_route(group))
		screen_wrap(
		    screen, "", TAG_WIDTH, "an alter signal route is wanted and NOT installed");
}

static void
print_group(const struct screen *screen, const struct lyd_node *group)
{
	const struct lyd_node *element = NULL;
	struct group_facts facts;
	char text[256];

	gather(screen, group, &facts);
	describe(&facts, text, sizeof(text));
	print_tagged(screen, get_severity(group), tree_text(group, "name"), text);
	print_policy(screen, group);
	while ((element = tree_next(group, "element", element)))
		print_not_moved(screen, element, false);
	while ((element = tree_next(group, "element", element)))
		print_not_moved(screen, element, true);
	while ((element = tree_next(group, "element", element)))
		print_out(screen, element);
	screen_blind(screen, group);
	print_frozen(screen, group);
}

/* What is wrong with the agent as a whole; NULL: nothing. */
static const char *
describe_agent(const struct screen *screen)
{
	const struct lyd_node *router = tree_child(screen->state, "router");
	const struct lyd_node *audit = tree_child(screen->state, "audit");

	if (!tree_flag(router, "edit-session"))
		return "the router is not reached: what it has goes on forwarding, but nothing can "
		       "be changed";
	if (!tree_flag(router, "lists-known"))
		return "the router's lists are being read: nothing can be changed before that";
	if (!tree_flag(router, "read-session"))
		return "the session for polls and audits is down: only BMP and syslog are left";
	if (tree_has(audit, "two-writers"))
		return "somebody else writes our lists, their repair was stopped";
	return NULL;
}

/* Edits that the router refuses, say: nothing else here tells of them. */
static void
print_agent_alarms(const struct screen *screen)
{
	const struct lyd_node *alarm = NULL;

	while ((alarm = tree_next(screen->state, "alarm", alarm)))
		if (tree_is(alarm, "severity", "critical") && !tree_has(alarm, "group"))
			print_tagged(
			    screen, 2, tree_text(alarm, "type"), tree_text(alarm, "cause"));
}

void
screen_impact(const struct screen *screen, const struct lyd_node *only_group)
{
	const struct lyd_node *group = NULL;
	const char *trouble = describe_agent(screen);
	int severity = screen_severity(screen, only_group);

	if (trouble)
		print_tagged(screen, severity, "", trouble);
	else
		print_agent_alarms(screen);
	while ((group = tree_next(screen->state, "group", group)))
		if (!only_group || group == only_group)
			print_group(screen, group);
	while ((group = tree_next(screen->state, "group", group)))
		if (!only_group || group == only_group)
			screen_risk(screen, group);
}

static void
check_policy(const struct screen *screen, const struct lyd_node *group)
{
	const char *families;
	char load[LOAD_TEXT_SIZE];

	if (screen_is_overloaded(group) && screen_describe_capacity(group, load))
		fprintf(screen->out, ", %s", load);
	if (screen_lacks_failed_route(group))
		fputs(", failed signal route NOT installed", screen->out);
	else if (screen_has_failed_route(group, &families))
		fprintf(screen->out, ", failed signal route %s installed", families);
	if (screen_lacks_alter_route(group))
		fputs(", alter signal route wanted and NOT installed", screen->out);
}

static unsigned
count_lost_pools(const struct lyd_node *element)
{
	const struct lyd_node *family = NULL, *pool = NULL;
	unsigned lost = 0;

	while ((family = tree_next(element, "family", family)))
		while ((pool = tree_next(family, "nat-pool", pool)))
			lost += screen_nat_is_lost(pool);
	return lost;
}

static void
check_pools(const struct screen *screen, const struct lyd_node *group)
{
	const struct lyd_node *element = NULL;

	while ((element = tree_next(group, "element", element))) {
		unsigned lost = count_lost_pools(element);

		if (!tree_flag(element, "removed") && lost > 0)
			fprintf(screen->out, ", %s has lost %u NAT pool route%s",
			    tree_text(element, "name"), lost, lost == 1 ? "" : "s");
	}
}

static void
check_group(const struct screen *screen, const struct lyd_node *group)
{
	const struct lyd_node *element = NULL;
	struct group_facts facts;
	char text[256], state[STATE_TEXT_SIZE], units[AMOUNT_TEXT_SIZE];
	int64_t since;

	gather(screen, group, &facts);
	describe(&facts, text, sizeof(text));
	fprintf(screen->out, " - %s: %s", tree_text(group, "name"), text);
	if (facts.lost > 0)
		fprintf(screen->out, ", %s LOST", amount_format(facts.lost, units));
	if (facts.leaving > 0)
		fprintf(screen->out, ", %s to be moved", amount_format(facts.leaving, units));
	while ((element = tree_next(group, "element", element)))
		if (screen_element_is_out(element))
			fprintf(screen->out, ", %s %s", tree_text(element, "name"),
			    screen_element_state(screen, element, state, &since));
	screen_blind_check(screen, group);
	for (int f = 0; f < SCREEN_FAMILIES; f++)
		if (*screen_freeze_families(group, f))
			fprintf(screen->out, ", %s frozen (%s)", screen_freeze_families(group, f),
			    tree_text(screen_family(group, f), "freeze"));
	for (int f = 0; f < SCREEN_FAMILIES; f++)
		if (tree_has(screen_family(group, f), "nat-hold"))
			fprintf(screen->out, ", %s NAT pool routes not believed",
			    screen_family_tags[f]);
	check_policy(screen, group);
	check_pools(screen, group);
}

static void
check_alarms(const struct screen *screen, const struct lyd_node *only_group)
{
	const struct lyd_node *alarm = NULL;

	while ((alarm = tree_next(screen->state, "alarm", alarm)))
		if (tree_is(alarm, "severity", "critical") &&
		    screen_has_alarm(alarm, only_group, NULL))
			fprintf(screen->out, " - alarm %s %s", tree_text(alarm, "type"),
			    tree_text(alarm, "key"));
}

int
screen_severity(const struct screen *screen, const struct lyd_node *only_group)
{
	return get_severity(only_group ? only_group : screen->state);
}

int
screen_check(const struct screen *screen, const struct lyd_node *only_group)
{
	const struct lyd_node *group = NULL;
	const char *trouble = describe_agent(screen);
	int severity = screen_severity(screen, only_group);

	fprintf(screen->out, "%s", words[severity]);
	if (trouble)
		fprintf(screen->out, " - %s", trouble);
	while ((group = tree_next(screen->state, "group", group)))
		if (!only_group || group == only_group)
			check_group(screen, group);
	check_alarms(screen, only_group);
	fputc('\n', screen->out);
	return severity;
}
