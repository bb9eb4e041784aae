/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last lines of the screen: what happens by itself and when, and what needs a person, with the
 * exact command. It is never empty: when there is nothing to do, it says so.
 */
#include "screen_alarms.h"

#include <inttypes.h>
#include <string.h>

#include "screen_nat.h"
#include "tree.h"

enum { TAG_WIDTH = 9 };

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
	const struct lyd_node *refused = tree_entry(state, "alarm", "type", "commit-failed");

	if (!tree_flag(router, "edit-session") || !tree_flag(router, "read-session"))
		say(next, "the agent reconnects by itself; if it cannot, the router, the way to it "
		          "or its keys need you");
	if (screen_is_full(next->screen))
		say(next, "the router's ephemeral database is full and needs you: make room, then: "
		          "autofbf audit now");
	else if (refused)
		say(next,
		    "the router refused the edits (%s): retried when the wish changes or "
		    "after 30 s",
		    tree_text(refused, "cause"));
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
	char task[BLIND_TEXT_SIZE];

	if (screen_blind_task(group, task))
		say(next, "%s", task);
}

/* What an element's families wait for. */
struct waiting {
	bool is_down, is_ready, then_awaits, is_frozen;
	int64_t hold, damped;               /* the later of both families; 0: none */
	uint64_t downs;                     /* the larger */
	uint64_t units[SCREEN_FAMILIES];    /* that left those that are kept out, */
	bool takes[SCREEN_FAMILIES];        /* ... which these are */
	char task[PAIR_TEXT_SIZE + 24];     /* "take 256+256 back", "join" */
	char does[PAIR_TEXT_SIZE + 24];     /* "takes 256+256 back", "joins" */
	const char *doubt[SCREEN_FAMILIES]; /* why it is out without a verdict; NULL: it is not */
};

static void
add_waiting(
    struct waiting *waiting, const struct lyd_node *group, const struct lyd_node *element, int f)
{
	const struct lyd_node *family = screen_family(element, f);
	int64_t until = tree_time(family, "hold-until"), damped = tree_time(family, "damped-until");
	double left = tree_amount(family, "base-units") - screen_effective(family);

	waiting->is_down |= strncmp(tree_text(family, "state"), "down", 4) == 0;
	waiting->is_ready |= tree_flag(family, "awaits-operator");
	waiting->then_awaits |= tree_flag(family, "then-awaits-operator");
	waiting->hold = until > waiting->hold ? until : waiting->hold;
	waiting->damped = damped > waiting->damped ? damped : waiting->damped;
	if (tree_number(family, "downs") > waiting->downs)
		waiting->downs = tree_number(family, "downs");
	if (tree_is(family, "state", "unknown") && !tree_flag(family, "healthy") &&
	    !tree_is(screen_family(group, f), "freeze", "startup"))
		waiting->doubt[f] = tree_text(family, "reason");
	waiting->takes[f] = tree_is(family, "state", "hold-down");
	waiting->units[f] = waiting->takes[f] && left > 0 ? (uint64_t)left : 0;
	if (waiting->takes[f])
		waiting->is_frozen |= !tree_is(screen_family(group, f), "freeze", "no");
}

/* "256+256", or of one of two families "256 v6". */
static void
gather_waiting(
    struct waiting *waiting, const struct lyd_node *group, const struct lyd_node *element)
{
	char units[PAIR_TEXT_SIZE];
	const char *tag = "";

	*waiting = (struct waiting){ 0 };
	for (int f = 0; f < SCREEN_FAMILIES; f++)
		if (screen_family(element, f))
			add_waiting(waiting, group, element, f);
	for (int f = 0; f < SCREEN_FAMILIES; f++)
		if (waiting->takes[f] && !waiting->takes[1 - f] && screen_family(element, 1 - f))
			tag = screen_family_tags[f];
	screen_pair_format(waiting->units, waiting->takes, units);
	snprintf(
	    waiting->task, sizeof(waiting->task), "take %s%s%s back", units, *tag ? " " : "", tag);
	snprintf(
	    waiting->does, sizeof(waiting->does), "takes %s%s%s back", units, *tag ? " " : "", tag);
	/* None has left it: a spare, or all are still there. */
	if (waiting->units[0] + waiting->units[1] == 0) {
		strcpy(waiting->task, "join");
		strcpy(waiting->does, "joins");
	}
}

/* What has to be before edits are written; NULL: nothing. */
static const char *
get_holder(const struct screen *screen, bool is_frozen)
{
	if (is_frozen)
		return "the freeze ends";
	if (!tree_flag(tree_child(screen->state, "router"), "edit-session"))
		return "the router is reached";
	return screen_is_full(screen) ? "the router's database has room again" : NULL;
}

/* The end of the hold-down gives units back only if nobody holds them. */
static void
say_held_down(struct next *next, const struct lyd_node *element, const struct waiting *waiting)
{
	const char *name = tree_text(element, "name");
	const char *holder = get_holder(next->screen, waiting->is_frozen);
	char left[AGE_TEXT_SIZE];

	countdown_format(waiting->hold - next->screen->now, left);
	if (waiting->then_awaits)
		say(next,
		    "%s is ready to %s in %s, and will await you then (revert "
		    "manual)",
		    name, waiting->task, left);
	else if (tree_is(next->screen->state, "mode", "monitor"))
		say(next, "%s is ready to %s in %s; not written, for mode is monitor", name,
		    waiting->task, left);
	else if (holder)
		say(next, "%s is ready in %s, and %s when %s", name, left, waiting->does, holder);
	else
		say(next, "%s %s in %s, by itself", name, waiting->does, left);
}

/* Of one family, or of all that it has. */
static void
say_out(struct next *next, const struct lyd_node *element, const struct waiting *waiting)
{
	int f = waiting->doubt[0] ? 0 : 1;
	bool is_one = !waiting->doubt[1 - f] && screen_family(element, 1 - f);

	if (waiting->doubt[f] &&
	    tree_flag(tree_child(next->screen->state, "router"), "lists-known"))
		say(next, "%s%s%s is out of service and needs you: %s; autofbf sessions %s",
		    tree_text(element, "name"), is_one ? " " : "",
		    is_one ? screen_family_tags[f] : "", waiting->doubt[f],
		    tree_text(element, "id"));
}

/* What waits for time alone, or for a word. */
static void
say_waiting(struct next *next, const struct lyd_node *element, const struct waiting *waiting)
{
	const char *name = tree_text(element, "name");
	char left[AGE_TEXT_SIZE];

	if (waiting->damped > next->screen->now)
		say(next, "%s failed %" PRIu64 " times and is kept out for another %s (damped)",
		    name, waiting->downs,
		    countdown_format(waiting->damped - next->screen->now, left));
	else if (waiting->is_ready)
		say(next, "%s is ready to %s and awaits you: autofbf element online %s", name,
		    waiting->task, tree_text(element, "id"));
	else if (waiting->hold > 0)
		say_held_down(next, element, waiting);
}

static void
say_element(struct next *next, const struct lyd_node *group, const struct lyd_node *element)
{
	const char *name = tree_text(element, "name"), *id = tree_text(element, "id");
	struct waiting waiting;

	if (tree_flag(element, "removed"))
		return;
	gather_waiting(&waiting, group, element);
	if (tree_has(element, "forced")) {
		say(next, "%s stays offline until: autofbf element online %s", name, id);
	} else if (waiting.is_down) {
		say(next, "%s needs you: autofbf status %s; autofbf events %s", name, id, id);
	} else {
		say_out(next, element, &waiting);
		say_waiting(next, element, &waiting);
	}
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

static uint64_t
sum_families(const struct lyd_node *group, const char *leaf)
{
	uint64_t sum = 0;

	for (int f = 0; f < SCREEN_FAMILIES; f++)
		sum += tree_number(screen_family(group, f), leaf);
	return sum;
}

static const char *
get_prospect(const struct screen *screen)
{
	if (tree_is(screen->state, "mode", "monitor"))
		return "are not written, for mode is monitor";
	if (screen_is_full(screen))
		return "wait until the router's database has room again";
	return "are written as soon as the router and the guards allow";
}

static void
say_edits(struct next *next, const struct lyd_node *group)
{
	char count[PAIR_TEXT_SIZE];

	if (sum_families(group, "pending-edits") > 0)
		say(next, "%s: %s edits %s; to see them: autofbf diff", tree_text(group, "name"),
		    screen_pair(group, "pending-edits", count), get_prospect(next->screen));
	if (sum_families(group, "base-drift") > 0)
		say(next,
		    "%s: base drift of %s units%s; commit the base on the router: autofbf "
		    "router-config --profile %s --format set",
		    tree_text(group, "name"), screen_pair(group, "base-drift", count),
		    sum_families(group, "misplaced") > 0 ? "" : " (covered by overrides)",
		    tree_text(next->screen->state, "profile-path"));
}

static void
say_group(struct next *next, const struct lyd_node *group)
{
	const struct lyd_node *element = NULL;

	say_frozen(next, group);
	say_doubted(next, group);
	say_blind(next, group);
	if (tree_has(group, "operator-alter"))
		say(next, "%s goes the other path until: autofbf path alter off %s",
		    tree_text(group, "name"), tree_text(group, "id"));
	while ((element = tree_next(group, "element", element)))
		say_element(next, group, element);
	while ((element = tree_next(group, "element", element)))
		say_pools(next, element);
	say_unread_pool(next, group);
	while ((element = tree_next(group, "element", element)))
		for (size_t i = 0; i < sizeof(flaws) / sizeof(flaws[0]); i++)
			say_flaw(next, element, &flaws[i]);
	say_edits(next, group);
}

/* The lines above are about elements and the router; an alarm may be about anything. */
static void
say_alarms(struct next *next, const struct lyd_node *only_group)
{
	const struct lyd_node *alarm = NULL;

	while ((alarm = tree_next(next->screen->state, "alarm", alarm)))
		if (screen_has_alarm(alarm, only_group, NULL)) {
			say(next, "what to do about each alarm: autofbf alarms%s%s",
			    only_group ? " " : "", only_group ? tree_text(only_group, "id") : "");
			return;
		}
}

void
screen_next(const struct screen *screen, const struct lyd_node *only_group)
{
	const struct lyd_node *group = NULL;
	struct next next = { .screen = screen };

	say_router(&next);
	while ((group = tree_next(screen->state, "group", group)))
		if (!only_group || group == only_group)
			say_group(&next, group);
	say_alarms(&next, only_group);
	if (next.count == 0)
		say(&next, "nothing to do: %s",
		    screen_severity(screen, only_group) == 0
		        ? "everything is as the profile wants it"
		        : "what is wrong ends by itself, or an alarm will tell");
}
