/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bottom of the screen: can the agent act (router, sources), what did it do last and how long
 * did that take, what do operators hold. What comes next is screen_next.c's.
 */
#include "screen_alarms.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "tree.h"

enum { TAG_WIDTH = 9, STALE_POLLS = 3 /* as AGENT_STALE_POLLS */ };

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
	else if (age > STALE_POLLS * interval)
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

/* Only an agent that could have committed may say that it need not. */
static const char *
describe_no_commit(const struct screen *screen)
{
	const char *obstacle = screen_obstacle(screen);
	const struct lyd_node *group = NULL;
	bool is_frozen = false, is_due = false;

	while ((group = tree_next(screen->state, "group", group)))
		for (int f = 0; f < SCREEN_FAMILIES; f++) {
			const struct lyd_node *family = screen_family(group, f);

			is_frozen |= *screen_freeze_families(group, f) != '\0';
			is_due |= tree_number(family, "pending-edits") > 0;
		}
	if (obstacle)
		return obstacle;
	if (is_due)
		return "edits are due";
	return is_frozen ? "the layout is frozen" : "none was needed";
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
		screen_wrap(screen, "last", TAG_WIDTH, "no commit since the agent started: %s",
		    describe_no_commit(screen));
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
	char *frozen = NULL, *forced = NULL;

	while ((group = tree_next(screen->state, "group", group))) {
		if (only_group && group != only_group)
			continue;
		for (int f = 0; f < SCREEN_FAMILIES; f++) {
			const char *families = screen_freeze_families(group, f);

			if (*families)
				xappendf(&frozen, "%s %s %s", frozen ? "," : "",
				    tree_text(group, "name"), families);
		}
		while ((element = tree_next(group, "element", element)))
			if (tree_has(element, "forced"))
				xappendf(&forced, " %s", tree_text(element, "name"));
	}
	screen_wrap(screen, "held", TAG_WIDTH, "frozen%s | offline by operator%s",
	    frozen ? frozen : " no", forced ? forced : " none");
	free(frozen);
	free(forced);
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

void
screen_footer(const struct screen *screen, const struct lyd_node *only_group)
{
	fputc('\n', screen->out);
	print_router(screen);
	print_last(screen);
	print_held(screen, only_group);
	print_signals(screen, only_group);
	screen_alarms_brief(screen, only_group);
	screen_next(screen, only_group);
}
