/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One element in full: why it is where it is, its units and list entries, and its four peers with
 * what each session says, since when, and by whom. This is what `next` sends people to.
 */
#include "screen.h"

#include <inttypes.h>
#include <string.h>

#include "tree.h"

enum { TAG_WIDTH = 9 };

static void
print_family(const struct screen *screen, const struct lyd_node *family)
{
	const char *effective = tree_text(family, "effective-units");
	char age[AGE_TEXT_SIZE];
	int64_t since = tree_time(family, "since");

	fputc('\n', screen->out);
	screen_wrap(screen, tree_text(family, "family"), TAG_WIDTH, "%s for %s, %s%s%s",
	    tree_text(family, "state"),
	    since > 0 ? age_format(screen->now - since, age) : "an unknown time",
	    tree_flag(family, "healthy") ? "in the healthy set" : "not in the healthy set",
	    tree_has(family, "reason") ? ": " : "", tree_text(family, "reason"));
	screen_wrap(screen, "", TAG_WIDTH,
	    "units: base %s, wanted %s, effective %s; lines in the router's lists: base %s, "
	    "override %s",
	    tree_text(family, "base-units"), tree_text(family, "wanted-units"),
	    *effective ? effective : "?", *effective ? tree_text(family, "base-entries") : "?",
	    *effective ? tree_text(family, "override-entries") : "?");
}

static void
print_peer(const struct screen *screen, const struct lyd_node *peer)
{
	char age[AGE_TEXT_SIZE] = "?", detection[40] = "";
	int64_t since = tree_time(peer, "since"), up = tree_time(peer, "established-since");
	bool has_cause = tree_has(peer, "cause");

	if (up > 0 && tree_is(peer, "bgp", "up"))
		since = up;
	if (since > 0)
		age_format(screen->now - since, age);
	if (tree_has(peer, "detection-time"))
		snprintf(detection, sizeof(detection), ", detects in %" PRIu64 " ms",
		    tree_number(peer, "detection-time") / 1000);
	fprintf(screen->out, "  %c %-8s%s in %s\n", screen_peer_mark(peer), tree_text(peer, "side"),
	    tree_text(peer, "address"), tree_text(peer, "instance"));
	screen_wrap(screen, "", TAG_WIDTH + 3, "bgp %s %s%s%s%s%s%s | bfd %s (%s)%s | flaps %s",
	    tree_text(peer, "bgp"), age, tree_has(peer, "source") ? " by " : "",
	    tree_text(peer, "source"), has_cause ? ", last down: " : "", tree_text(peer, "cause"),
	    tree_flag(peer, "unprotected") ? ", UNPROTECTED" : "", tree_text(peer, "bfd"),
	    tree_text(peer, "bfd-mode"), detection, tree_text(peer, "flaps"));
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
	if (forced)
		screen_wrap(screen, "offline", TAG_WIDTH,
		    "by %s %s ago%s%s; to end that: autofbf element online %s",
		    tree_text(forced, "by"), age_format(screen->now - tree_time(forced, "at"), age),
		    tree_has(forced, "reason") ? ": " : "", tree_text(forced, "reason"), id);
	while ((family = tree_next(element, "family", family))) {
		print_family(screen, family);
		while ((peer = tree_next(family, "peer", peer)))
			print_peer(screen, peer);
	}
}
