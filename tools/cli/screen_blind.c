/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements that are in service although nobody can say that they are well: whether a failure would
 * be seen, why there is no verdict, and what a person does about it. They are told of at the top of
 * the screen, in the line of --check, and as a task at its bottom.
 */
#include "screen.h"

#include "tree.h"

enum { TAG_WIDTH = 10 };

/* Why there is no verdict. */
enum doubt {
	BLIND,  /* no source tells of one of the sessions: a failure may go unseen */
	WAITING /* all are told of, and would be seen to fail: NAT pool routes or lists are missing
	         */
};

/* Some source tells of the session. */
static bool
is_told(const struct lyd_node *peer)
{
	return !tree_is(peer, "bgp", "unknown");
}

static enum doubt
get_doubt(const struct lyd_node *family)
{
	const struct lyd_node *peer = NULL;

	while ((peer = tree_next(family, "peer", peer)))
		if (!is_told(peer))
			return BLIND;
	return WAITING;
}

/* The family in which it is in service without a verdict, for this doubt; NULL: there is none. */
static const struct lyd_node *
find_doubted(const struct lyd_node *group, const struct lyd_node *element, enum doubt doubt)
{
	for (int f = 0; f < SCREEN_FAMILIES && !tree_flag(element, "removed"); f++) {
		const struct lyd_node *family = screen_family(element, f);

		if (tree_is(family, "state", "unknown") && tree_flag(family, "healthy") &&
		    !tree_is(screen_family(group, f), "freeze", "startup") &&
		    get_doubt(family) == doubt)
			return family;
	}
	return NULL;
}

static unsigned
count_doubted(const struct lyd_node *group, enum doubt doubt)
{
	const struct lyd_node *element = NULL;
	unsigned count = 0;

	while ((element = tree_next(group, "element", element)))
		count += find_doubted(group, element, doubt) != NULL;
	return count;
}

unsigned
screen_count_blind(const struct lyd_node *group)
{
	return count_doubted(group, BLIND);
}

/* What those wait for whose sessions are told of. */
static const char *
get_awaited(const struct screen *screen)
{
	return tree_flag(tree_child(screen->state, "router"), "lists-known") ? "NAT pool routes"
	                                                                     : "the router's lists";
}

/* The first blind one, of which there must be one; who: "fbf-02 and 3 more". */
static const struct lyd_node *
find_first_blind(const struct lyd_node *group, char who[NAME_TEXT_SIZE])
{
	const struct lyd_node *element = NULL;
	unsigned others = screen_count_blind(group) - 1;
	char more[24] = "";

	while ((element = tree_next(group, "element", element)))
		if (find_doubted(group, element, BLIND))
			break;
	if (others > 0)
		snprintf(more, sizeof(more), " and %u more", others);
	snprintf(who, NAME_TEXT_SIZE, "%.200s%s", tree_text(element, "name"), more);
	return element;
}

struct sessions {
	unsigned told, untold;
	const struct lyd_node *element, *peer; /* the first that is untold */
};

/* Those by which the element is in service. */
static void
count_sessions(const struct lyd_node *element, struct sessions *sessions)
{
	const struct lyd_node *family = NULL, *peer = NULL;

	while ((family = tree_next(element, "family", family)))
		while (tree_flag(family, "healthy") && (peer = tree_next(family, "peer", peer))) {
			if (is_told(peer)) {
				sessions->told++;
			} else if (sessions->untold++ == 0) {
				sessions->element = element;
				sessions->peer = peer;
			}
		}
}

/* "a failure", or of which sessions when one of the others' would be seen. */
static const char *
format_failure(const struct lyd_node *group, char buf[BLIND_TEXT_SIZE])
{
	const struct lyd_node *element = NULL;
	struct sessions sessions = { 0 };
	char more[24] = "";

	while ((element = tree_next(group, "element", element)))
		if (find_doubted(group, element, BLIND))
			count_sessions(element, &sessions);
	if (sessions.told == 0)
		return "a failure";
	if (sessions.untold > 1)
		snprintf(more, sizeof(more), " and %u more", sessions.untold - 1);
	snprintf(buf, BLIND_TEXT_SIZE, "a failure of %.200s %s %s%s",
	    tree_text(sessions.element, "name"), tree_text(sessions.peer, "side"),
	    tree_text(sessions.peer, "address"), more);
	return buf;
}

/* Syslog tells without being asked, and is believed with nobody to vouch for it. */
static void
print_unseen(const struct screen *screen, const struct lyd_node *group, unsigned blind)
{
	const struct lyd_node *syslog = tree_entry(screen->state, "source", "name", "syslog");
	char who[NAME_TEXT_SIZE], failure[BLIND_TEXT_SIZE];
	const struct lyd_node *first = find_first_blind(group, who);

	screen_wrap(screen, "", TAG_WIDTH,
	    "BLIND: no source has a verdict on %u element%s in service; %s would %s", blind,
	    blind == 1 ? "" : "s", format_failure(group, failure),
	    tree_flag(syslog, "enabled") ? "be seen only if syslog tells of it" : "not be seen");
	screen_wrap(screen, "", TAG_WIDTH, "%s: %s", who,
	    tree_text(find_doubted(group, first, BLIND), "reason"));
}

void
screen_blind(const struct screen *screen, const struct lyd_node *group)
{
	unsigned blind = count_doubted(group, BLIND), waiting = count_doubted(group, WAITING);

	if (blind > 0)
		print_unseen(screen, group, blind);
	if (waiting > 0)
		screen_wrap(screen, "", TAG_WIDTH,
		    "no verdict yet on %u element%s in service, for %s have not been read; a "
		    "failure of their sessions would be seen",
		    waiting, waiting == 1 ? "" : "s", get_awaited(screen));
}

void
screen_blind_check(const struct screen *screen, const struct lyd_node *group)
{
	unsigned blind = count_doubted(group, BLIND), waiting = count_doubted(group, WAITING);

	if (blind > 0)
		fprintf(screen->out, ", no verdict on %u in service", blind);
	if (waiting > 0)
		fprintf(
		    screen->out, ", %s not read for %u in service", get_awaited(screen), waiting);
}

/* Sources tell of some session of the group, so it is not they that fail. */
static bool
is_told_of(const struct lyd_node *group)
{
	const struct lyd_node *element = NULL, *family = NULL, *peer = NULL;

	while ((element = tree_next(group, "element", element)))
		while ((family = tree_next(element, "family", family)))
			while ((peer = tree_next(family, "peer", peer)))
				if (is_told(peer))
					return true;
	return false;
}

bool
screen_blind_task(const struct lyd_node *group, char buf[BLIND_TEXT_SIZE])
{
	unsigned blind = screen_count_blind(group);
	const struct lyd_node *first;
	char who[NAME_TEXT_SIZE];

	if (blind == 0)
		return false;
	first = find_first_blind(group, who);
	if (is_told_of(group))
		snprintf(buf, BLIND_TEXT_SIZE,
		    "%s need%s you: is the neighbour configured, and in the instance that the "
		    "profile says? autofbf sessions %s",
		    who, blind == 1 ? "s" : "", tree_text(first, "id"));
	else
		snprintf(buf, BLIND_TEXT_SIZE,
		    "%s needs you: is rpd running, may the agent's login see BGP, does BMP "
		    "come? autofbf sessions",
		    tree_text(group, "name"));
	return true;
}
