/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bottom of the screen: can the agent act (router, sources), what did it do last and how long
 * did that take, what do operators hold, and what comes next.
 *
 * "next" says two kinds of things: what happens by itself and when, and what needs a person, with
 * the exact command. It is never empty: when there is nothing to do, it says so.
 */
#include "screen_alarms.h"

#include <inttypes.h>
#include <string.h>

#include "screen_nat.h"
#include "tree.h"

enum { TAG_WIDTH = 9, POLLS_STALE = 3 /* as alarm source-stale */ };

/* ---- router -------------------------------------------------------------------------------- */

static const char *
describe_source(const struct screen *screen, const char *name)
{
	const struct lyd_node *source = tree_entry(screen->state, "source", "name", name);

	if (!tree_flag(source, "enabled"))
		return "off";
	if (tree_flag(source, "connected"))
		return "ok";
	return strcmp(name, "bmp") == 0 ? "NOT CONNECTED" : "nothing yet";
}

/* A session that stands is not an answer, nor is an error. */
static void
describe_poll(const struct screen *screen, char *buf, size_t size)
{
	const struct lyd_node *poll = tree_entry(screen->state, "source", "name", "poll");
	int64_t last = tree_time(poll, "last-message"), age = screen->now - last;
	int64_t interval = (int64_t)tree_number(screen->state, "poll-interval") * 1000;
	char text[AGE_TEXT_SIZE];

	if (!tree_flag(tree_child(screen->state, "router"), "read-session"))
		snprintf(buf, size, "FAILING");
	else if (last == 0)
		snprintf(buf, size, "none yet");
	else if (age > POLLS_STALE * interval)
		snprintf(buf, size, "FAILING for %s", age_format(age, text));
	else
		snprintf(buf, size, "ok");
}

static void
print_router(const struct screen *screen)
{
	const struct lyd_node *router = tree_child(screen->state, "router");
	const struct lyd_node *audit = tree_child(screen->state, "audit");
	char session[160], audited[64] = "none yet", poll[40], age[AGE_TEXT_SIZE];
	int64_t since = tree_time(router, "session-since"), last = tree_time(audit, "last");

	if (tree_flag(router, "edit-session"))
		snprintf(session, sizeof(session), "%s ok %s", tree_text(router, "address"),
		    since > 0 ? age_format(screen->now - since, age) : "");
	else
		snprintf(
		    session, sizeof(session), "NOT CONNECTED (%s)", tree_text(router, "stage"));
	if (last > 0)
		snprintf(audited, sizeof(audited), "%s, drift %s",
		    age_format(screen->now - last, age), tree_text(audit, "drift"));
	describe_poll(screen, poll, sizeof(poll));
	screen_wrap(screen, "router", TAG_WIDTH, "%s | bmp %s | syslog %s | poll %s | audit %s",
	    session, describe_source(screen, "bmp"), describe_source(screen, "syslog"), poll,
	    audited);
	if (!tree_flag(router, "edit-session") && tree_has(router, "last-error"))
		screen_wrap(screen, "", TAG_WIDTH, "%s", tree_text(router, "last-error"));
}

/* ---- last commit --------------------------------------------------------------------------- */

/* " NAME +0.61 s" when the stage was reached. */
static void
add_stage(char *buf, size_t size, const struct lyd_node *last, const char *leaf, const char *name,
    int64_t start)
{
	int64_t at = tree_time(last, leaf);
	size_t used = strlen(buf);
	char delay[AGE_TEXT_SIZE];

	if (at > 0)
		snprintf(buf + used, size - used, ", %s %s", name, delay_format(at - start, delay));
}

static void
print_last(const struct screen *screen)
{
	const struct lyd_node *last = tree_child(screen->state, "last-commit");
	int64_t start = tree_time(last, "first-event"), sent = tree_time(last, "open-sent");
	char stages[160] = "", when[CLOCK_TEXT_SIZE + AGE_TEXT_SIZE + 16] = "";
	char clock[CLOCK_TEXT_SIZE], age[AGE_TEXT_SIZE];
	bool is_done = tree_is(last, "outcome", "committed");

	if (!last) {
		screen_wrap(screen, "last", TAG_WIDTH,
		    "no commit since the agent started: none was needed");
		return;
	}
	if (start == 0)
		start = sent;
	add_stage(stages, sizeof(stages), last, "open-sent", "sent", start);
	add_stage(stages, sizeof(stages), last, "committed", "committed", start);
	add_stage(stages, sizeof(stages), last, "read-back", "read back", start);
	if (!is_done)
		snprintf(
		    stages, sizeof(stages), ": %s, see autofbf events", tree_text(last, "outcome"));
	if (start > 0) /* else the instance could not even be opened, and no event asked for it */
		snprintf(when, sizeof(when), " %s UTC (%s ago)", clock_format(start, clock),
		    age_format(screen->now - start, age));
	screen_wrap(screen, "last", TAG_WIDTH, "#%s%s %s: %s %s%s", tree_text(last, "event-id"),
	    when, tree_text(last, "cause"), tree_text(last, "edits"),
	    tree_is(last, "edits", "1") ? "edit" : "edits", stages);
}

/* ---- what operators hold ------------------------------------------------------------------- */

static void
print_held(const struct screen *screen, const struct lyd_node *only_group)
{
	const struct lyd_node *group = NULL, *element = NULL;
	char frozen[128] = "", forced[256] = "";

	while ((group = tree_next(screen->state, "group", group))) {
		if (only_group && group != only_group)
			continue;
		for (int f = 0; f < SCREEN_FAMILIES; f++) {
			const char *families = screen_freeze_families(group, f);
			size_t used = strlen(frozen);

			if (*families)
				snprintf(frozen + used, sizeof(frozen) - used, "%s %s %s",
				    used ? "," : "", tree_text(group, "name"), families);
		}
		while ((element = tree_next(group, "element", element))) {
			size_t used = strlen(forced);

			if (tree_has(element, "forced"))
				snprintf(forced + used, sizeof(forced) - used, " %s",
				    tree_text(element, "name"));
		}
	}
	screen_wrap(screen, "held", TAG_WIDTH, "frozen%s | offline by operator%s",
	    *frozen ? frozen : " no", *forced ? forced : " none");
}

static void
print_signals(const struct screen *screen, const struct lyd_node *only_group)
{
	const struct lyd_node *group = NULL;
	bool is_first = true;

	while ((group = tree_next(screen->state, "group", group))) {
		if (!screen_has_signal(group) || (only_group && group != only_group))
			continue;
		screen_signal(screen, group, is_first);
		is_first = false;
	}
}

/* ---- next ---------------------------------------------------------------------------------- */

struct next {
	const struct screen *screen;
	unsigned count;
};

enum { FOREIGN_SHOWN = 3 };

#define say(next, ...) \
	screen_wrap((next)->screen, (next)->count++ ? "" : "next", TAG_WIDTH, __VA_ARGS__)

/* Somebody else's lists in our instance, the first few. */
static void
say_foreign(struct next *next, const struct lyd_node *audit)
{
	const struct lyd_node *foreign = NULL;
	unsigned shown = 0, count = 0;

	while ((foreign = tree_next(audit, "foreign-list", foreign)))
		count++;
	while (shown < FOREIGN_SHOWN && (foreign = tree_next(audit, "foreign-list", foreign)))
		say(next, "%s in our ephemeral instance is not ours and is left alone%s",
		    tree_value(foreign),
		    ++shown == FOREIGN_SHOWN && count > shown ? "; and there are more" : "");
}

static void
say_router(struct next *next)
{
	const struct lyd_node *state = next->screen->state, *writer = NULL;
	const struct lyd_node *router = tree_child(state, "router");
	const struct lyd_node *audit = tree_child(state, "audit");
	const struct lyd_node *last = tree_child(state, "last-commit");

	if (!tree_flag(router, "edit-session"))
		say(next, "the agent reconnects by itself; if it cannot, the router, the way to it "
		          "or its keys need you");
	if (tree_is(last, "outcome", "database-full"))
		say(next, "the router's ephemeral database is full and needs you: make room, then: "
		          "autofbf audit now");
	else if (tree_is(last, "outcome", "load-failed"))
		say(next,
		    "the router refused the edits (%s): retried when the wish changes or "
		    "after 30 s",
		    tree_text(router, "last-error"));
	while ((writer = tree_next(audit, "two-writers", writer)))
		say(next, "%s needs you: find who else writes it, then: autofbf audit now",
		    tree_value(writer));
	say_foreign(next, audit);
}

static void
say_frozen(struct next *next, const struct lyd_node *group)
{
	const struct lyd_node *freeze = tree_child(group, "operator-freeze");
	char age[AGE_TEXT_SIZE];

	if (freeze) {
		say(next, "%s was frozen by %s %s ago%s%s; to end that: autofbf thaw %s",
		    tree_text(group, "name"), tree_text(freeze, "by"),
		    age_format(next->screen->now - tree_time(freeze, "at"), age),
		    tree_has(freeze, "reason") ? ": " : "", tree_text(freeze, "reason"),
		    tree_text(group, "id"));
		return;
	}
	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *family = screen_family(group, f);
		const char *families = screen_freeze_families(group, f);

		if (!*families)
			continue;
		if (tree_is(family, "freeze", "operator"))
			say(next, "%s %s needs you; if what you see is true: autofbf thaw %s",
			    tree_text(group, "name"), families, tree_text(group, "id"));
		else
			say(next, "%s %s thaws by itself: %s", tree_text(group, "name"), families,
			    tree_text(family, "freeze-reason"));
	}
}

/* More likely the router than the elements that lack their routes. */
static void
say_doubted(struct next *next, const struct lyd_node *group)
{
	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		const struct lyd_node *family = screen_family(group, f);

		if (tree_has(family, "nat-hold"))
			say(next, "%s %s needs you: %s", tree_text(group, "name"),
			    screen_family_tags[f], tree_text(family, "nat-hold"));
	}
}

static void
say_blind(struct next *next, const struct lyd_node *group)
{
	if (screen_count_blind(group) > 0)
		say(next,
		    "%s needs you: is rpd running, may the agent's login see BGP, does BMP "
		    "come? autofbf sessions",
		    tree_text(group, "name"));
}

static void
say_element(struct next *next, const struct lyd_node *element)
{
	const struct lyd_node *family = NULL;
	char units[PAIR_TEXT_SIZE], left[AGE_TEXT_SIZE];
	bool is_down = false, is_ready = false;
	int64_t hold = 0, damped = 0;
	uint64_t downs = 0;

	while ((family = tree_next(element, "family", family))) {
		int64_t until = tree_time(family, "hold-until");
		int64_t own_damped = tree_time(family, "damped-until");

		is_down |= strncmp(tree_text(family, "state"), "down", 4) == 0;
		is_ready |= tree_flag(family, "awaits-operator");
		hold = until > hold ? until : hold;
		damped = own_damped > damped ? own_damped : damped;
		if (tree_number(family, "downs") > downs)
			downs = tree_number(family, "downs");
	}
	if (tree_flag(element, "removed"))
		return;
	if (tree_has(element, "forced"))
		say(next, "%s stays offline until: autofbf element online %s",
		    tree_text(element, "name"), tree_text(element, "id"));
	else if (is_down)
		say(next, "%s needs you: autofbf status %s; autofbf events %s",
		    tree_text(element, "name"), tree_text(element, "id"), tree_text(element, "id"));
	else if (damped > next->screen->now)
		say(next, "%s failed %" PRIu64 " times and is kept out for another %s (damped)",
		    tree_text(element, "name"), downs,
		    countdown_format(damped - next->screen->now, left));
	else if (is_ready)
		say(next, "%s is ready to take %s back and awaits you: autofbf element online %s",
		    tree_text(element, "name"), screen_pair(element, "base-units", units),
		    tree_text(element, "id"));
	else if (hold > 0)
		say(next, "%s takes %s back in %s, by itself", tree_text(element, "name"),
		    screen_pair(element, "base-units", units),
		    countdown_format(hold - next->screen->now, left));
}

/* What is wrong with a session that is up. */
static const struct flaw {
	const char *leaf, *text;
} flaws[] = {
	{ "unprotected",
	    "is up without BFD and needs you: its silent death would cost BGP's hold time" },
	{ "lacks-routes",
	    "is up with fewer routes than the profile requires and needs you: it cannot join" },
	{ "slow-bfd",
	    "has a slower BFD than the profile wants and needs you (an adaptation? clear bfd "
	    "adaptation)" },
};

/* The first session that has the flaw, for the others will have it for the same reason. */
static void
say_flaw(struct next *next, const struct lyd_node *element, const struct flaw *flaw)
{
	const struct lyd_node *family = NULL, *peer = NULL;

	while ((family = tree_next(element, "family", family)))
		while ((peer = tree_next(family, "peer", peer)))
			if (tree_flag(peer, flaw->leaf)) {
				say(next, "%s %s %s %s", tree_text(element, "name"),
				    tree_text(peer, "side"), tree_text(peer, "address"),
				    flaw->text);
				return;
			}
}

/* Also of elements that are in: nobody is out before the third poll. */
static void
say_pools(struct next *next, const struct lyd_node *element)
{
	const struct lyd_node *family = NULL, *pool = NULL;
	char trouble[256];

	while ((family = tree_next(element, "family", family)))
		while ((pool = tree_next(family, "nat-pool", pool)))
			if (screen_nat_trouble(pool, trouble, sizeof(trouble)))
				say(next, "%s needs you: %s", tree_text(element, "name"), trouble);
}

/* One stands for all: what the router refuses for one, it mostly refuses for every one. */
static void
say_unread_pool(struct next *next, const struct lyd_node *group)
{
	const struct lyd_node *element = NULL, *family = NULL, *pool = NULL, *first = NULL;
	const char *name = "";
	unsigned count = 0;

	while ((element = tree_next(group, "element", element)))
		while ((family = tree_next(element, "family", family)))
			while ((pool = tree_next(family, "nat-pool", pool))) {
				if (!tree_has(pool, "refusal"))
					continue;
				if (count++ == 0) {
					first = pool;
					name = tree_text(element, "name");
				}
			}
	if (count > 0)
		say(next, "%s needs you: %u of its NAT pool routes cannot be read: %s %s of %s: %s",
		    tree_text(group, "name"), count, tree_text(first, "id"),
		    tree_text(first, "prefix"), name, tree_text(first, "refusal"));
}

static void
say_group(struct next *next, const struct lyd_node *group)
{
	const struct lyd_node *element = NULL;
	bool is_monitor = tree_is(next->screen->state, "mode", "monitor");
	char count[PAIR_TEXT_SIZE];
	uint64_t pending = 0, drift = 0, misplaced = 0;

	say_frozen(next, group);
	say_doubted(next, group);
	say_blind(next, group);
	if (tree_has(group, "operator-alter"))
		say(next, "%s goes the other path until: autofbf path alter off %s",
		    tree_text(group, "name"), tree_text(group, "id"));
	while ((element = tree_next(group, "element", element)))
		say_element(next, element);
	while ((element = tree_next(group, "element", element)))
		say_pools(next, element);
	say_unread_pool(next, group);
	while ((element = tree_next(group, "element", element)))
		for (size_t i = 0; i < sizeof(flaws) / sizeof(flaws[0]); i++)
			say_flaw(next, element, &flaws[i]);
	for (int f = 0; f < SCREEN_FAMILIES; f++) {
		pending += tree_number(screen_family(group, f), "pending-edits");
		drift += tree_number(screen_family(group, f), "base-drift");
		misplaced += tree_number(screen_family(group, f), "misplaced");
	}
	if (pending > 0)
		say(next, "%s: %s edits %s; to see them: autofbf diff", tree_text(group, "name"),
		    screen_pair(group, "pending-edits", count),
		    is_monitor ? "are not written, for mode is monitor"
		               : "are written as soon as the router and the guards allow");
	if (drift > 0)
		say(next,
		    "%s: base drift of %s units%s; commit the base on the router: autofbf "
		    "router-config --profile %s --format set",
		    tree_text(group, "name"), screen_pair(group, "base-drift", count),
		    misplaced ? "" : " (covered by overrides)",
		    tree_text(next->screen->state, "profile-path"));
}

void
screen_footer(const struct screen *screen, const struct lyd_node *only_group)
{
	const struct lyd_node *group = NULL;
	struct next next = { .screen = screen };

	fputc('\n', screen->out);
	print_router(screen);
	print_last(screen);
	print_held(screen, only_group);
	print_signals(screen, only_group);
	screen_alarms_brief(screen, only_group);
	say_router(&next);
	while ((group = tree_next(screen->state, "group", group)))
		if (!only_group || group == only_group)
			say_group(&next, group);
	if (next.count == 0)
		say(&next, "nothing to do: everything is as the profile wants it");
}
