/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One element in full: why it is where it is, its units and list entries, and its four peers with
 * what each session says, since when, and by whom. This is what `next` sends people to.
 */
#include "screen.h"

#include <inttypes.h>
#include <string.h>

#include "screen_nat.h"
#include "tree.h"

enum { TAG_WIDTH = 9 };

/* What keeps it from coming back. */
static void
print_waiting(const struct screen *screen, const struct lyd_node *family)
{
	int64_t damped = tree_time(family, "damped-until") - screen->now;
	char left[AGE_TEXT_SIZE];

	if (damped > 0)
		screen_wrap(screen, "", TAG_WIDTH,
		    "damped: %s failures of late, out for another %s at least",
		    tree_text(family, "downs"), countdown_format(damped, left));
	if (tree_flag(family, "awaits-operator"))
		screen_wrap(screen, "", TAG_WIDTH, "ready, and awaits the operator");
}

static void
print_family(const struct screen *screen, const struct lyd_node *family, bool is_forced)
{
	/* Sides that are up are no reason why it is out. */
	bool is_order =
	    is_forced && tree_is(family, "state", "up") && !tree_flag(family, "healthy");
	const char *reason = is_order ? "taken offline" : tree_text(family, "reason");
	const char *effective = tree_text(family, "effective-units");
	char age[AGE_TEXT_SIZE], wanted[AMOUNT_TEXT_SIZE], have[AMOUNT_TEXT_SIZE];
	int64_t since = tree_time(family, "since");

	fputc('\n', screen->out);
	screen_wrap(screen, tree_text(family, "family"), TAG_WIDTH, "%s for %s, %s%s%s",
	    tree_text(family, "state"),
	    since > 0 ? age_format(screen->now - since, age) : "an unknown time",
	    tree_flag(family, "healthy") ? "in the healthy set" : "not in the healthy set",
	    *reason ? ": " : "", reason);
	print_waiting(screen, family);
	screen_wrap(screen, "", TAG_WIDTH,
	    "units: base %s, wanted %s, effective %s; lines in the router's lists: base %s, "
	    "override %s",
	    tree_text(family, "base-units"),
	    tree_has(family, "wanted-share")
	        ? amount_format(tree_amount(family, "wanted-share"), wanted)
	        : "?",
	    *effective ? amount_format(screen_effective(family), have) : "?",
	    *effective ? tree_text(family, "base-entries") : "?",
	    *effective ? tree_text(family, "override-entries") : "?");
}

/* The configured time only where it matters. */
static void
write_detection(const struct lyd_node *peer, char *buf, size_t size)
{
	char slow[48] = "";

	if (tree_flag(peer, "slow-bfd"))
		snprintf(slow, sizeof(slow), ", SLOW: configured %" PRIu64 " ms",
		    tree_number(peer, "configured-detection-time") / 1000);
	snprintf(buf, size, ", detects in %" PRIu64 " ms%s",
	    tree_number(peer, "detection-time") / 1000, slow);
}

static void
print_peer(const struct screen *screen, const struct lyd_node *peer)
{
	char age[AGE_TEXT_SIZE] = "?", detection[96] = "", routes[48] = "";
	int64_t since = tree_time(peer, "since"), up = tree_time(peer, "established-since");
	bool has_cause = tree_has(peer, "cause");

	if (up > 0 && tree_is(peer, "bgp", "up"))
		since = up;
	if (since > 0)
		age_format(screen->now - since, age);
	if (tree_has(peer, "detection-time"))
		write_detection(peer, detection, sizeof(detection));
	if (tree_has(peer, "routes"))
		snprintf(routes, sizeof(routes), " | %" PRIu64 " routes%s",
		    tree_number(peer, "routes"),
		    tree_flag(peer, "lacks-routes") ? ", TOO FEW" : "");
	fprintf(screen->out, "  %c %-8s%s in %s\n", screen_peer_mark(peer), tree_text(peer, "side"),
	    tree_text(peer, "address"), tree_text(peer, "instance"));
	screen_wrap(screen, "", TAG_WIDTH + 3, "bgp %s %s%s%s%s%s%s | bfd %s (%s)%s | flaps %s%s",
	    tree_text(peer, "bgp"), age, tree_has(peer, "source") ? " by " : "",
	    tree_text(peer, "source"), has_cause ? ", last down: " : "", tree_text(peer, "cause"),
	    tree_flag(peer, "unprotected") ? ", UNPROTECTED" : "", tree_text(peer, "bfd"),
	    tree_text(peer, "bfd-mode"), detection, tree_text(peer, "flaps"), routes);
}

static void
print_place(
    const struct screen *screen, const struct lyd_node *group, const struct lyd_node *element)
{
	char capacity[AMOUNT_TEXT_SIZE], base[AMOUNT_TEXT_SIZE], now[AMOUNT_TEXT_SIZE];
	char worst[AMOUNT_TEXT_SIZE];
	bool is_known = tree_has(element, "load-now");

	if (tree_has(element, "failure-domain"))
		screen_wrap(
		    screen, "domain", TAG_WIDTH, "%s", tree_text(element, "failure-domain"));
	if (tree_has(element, "capacity"))
		screen_wrap(screen, "capacity", TAG_WIDTH,
		    "%s %s; load: now %s, with everybody healthy %s, after the worst next "
		    "failure %s",
		    amount_format(tree_amount(element, "capacity"), capacity),
		    tree_text(group, "capacity-label"),
		    is_known ? amount_format(tree_amount(element, "load-now"), now) : "?",
		    amount_format(tree_amount(element, "load-base"), base),
		    amount_format(tree_amount(element, "load-worst"), worst));
}

void
screen_element(
    const struct screen *screen, const struct lyd_node *group, const struct lyd_node *element)
{
	const struct lyd_node *family = NULL, *peer = NULL, *forced = tree_child(element, "forced");
	const char *id = tree_text(element, "id"), *name = tree_text(element, "name");
	char state[STATE_TEXT_SIZE], age[AGE_TEXT_SIZE];
	int64_t since;

	screen_element_state(screen, element, state, &since);
	fprintf(screen->out, "%s%s%s%s  %s  group %s  weight %s, failed-weight %s\n", name,
	    strcmp(id, name) ? " (id " : "", strcmp(id, name) ? id : "",
	    strcmp(id, name) ? ")" : "", state, tree_text(group, "id"),
	    tree_text(element, "weight"), tree_text(element, "failed-weight"));
	print_place(screen, group, element);
	if (forced)
		screen_wrap(screen, "offline", TAG_WIDTH,
		    "by %s %s ago%s%s; to end that: autofbf element online %s",
		    tree_text(forced, "by"), age_format(screen->now - tree_time(forced, "at"), age),
		    tree_has(forced, "reason") ? ": " : "", tree_text(forced, "reason"), id);
	while ((family = tree_next(element, "family", family))) {
		print_family(screen, family, forced != NULL);
		while ((peer = tree_next(family, "peer", peer)))
			print_peer(screen, peer);
		screen_nat_pools(screen, family);
	}
}
