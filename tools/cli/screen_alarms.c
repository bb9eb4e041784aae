/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is wrong, the worst first. The agent's list is in the order of types; people want to begin
 * with what hurts most, and among equals with what came first, because it tends to be the cause of
 * the others.
 */
#include "screen_alarms.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "tree.h"

enum { TAG_WIDTH = 9, BRIEF_MOST = 3 };

static const struct severity {
	const char *name, *brief;
	int check; /* exit code */
} severities[] = { { "critical", "CRI", 2 }, { "major", "MAJ", 1 }, { "minor", "MIN", 1 } };

enum { SEVERITY_COUNT = sizeof(severities) / sizeof(severities[0]) };

struct chosen {
	const struct lyd_node **alarms; /* owned */
	size_t count;
	size_t of[SEVERITY_COUNT];
};

bool
screen_has_alarm(
    const struct lyd_node *alarm, const struct lyd_node *group, const struct lyd_node *element)
{
	if (!group || !tree_has(alarm, "group"))
		return true;
	if (!tree_is(alarm, "group", tree_text(group, "id")))
		return false;
	return !element || !tree_has(alarm, "element") ||
	       tree_is(alarm, "element", tree_text(element, "id"));
}

/* Index into severities; a word that is not known comes last. */
static size_t
rank(const struct lyd_node *alarm)
{
	size_t i = 0;

	while (i + 1 < SEVERITY_COUNT && !tree_is(alarm, "severity", severities[i].name))
		i++;
	return i;
}

static int
compare(const void *a, const void *b)
{
	const struct lyd_node *left = *(const struct lyd_node *const *)a;
	const struct lyd_node *right = *(const struct lyd_node *const *)b;
	int64_t left_since = tree_time(left, "since"), right_since = tree_time(right, "since");
	int order = (rank(left) > rank(right)) - (rank(left) < rank(right));

	if (order == 0)
		order = (left_since > right_since) - (left_since < right_since);
	if (order == 0)
		order = strcmp(tree_text(left, "type"), tree_text(right, "type"));
	return order ? order : strcmp(tree_text(left, "key"), tree_text(right, "key"));
}

static void
choose(const struct screen *screen, const struct lyd_node *group, const struct lyd_node *element,
    struct chosen *chosen)
{
	const struct lyd_node *alarm = NULL;

	*chosen = (struct chosen){ NULL };
	while ((alarm = tree_next(screen->state, "alarm", alarm))) {
		if (!screen_has_alarm(alarm, group, element))
			continue;
		chosen->alarms =
		    xreallocarray(chosen->alarms, chosen->count + 1, sizeof(*chosen->alarms));
		chosen->alarms[chosen->count++] = alarm;
		chosen->of[rank(alarm)]++;
	}
	if (chosen->count > 1)
		qsort(chosen->alarms, chosen->count, sizeof(*chosen->alarms), compare);
}

/* "03:04:11 UTC, 3m31s ago", with the date when it is a day old. */
static void
write_since(const struct screen *screen, const struct lyd_node *alarm, char *buf, size_t size)
{
	int64_t since = tree_time(alarm, "since");
	bool is_old = screen->now - since > 86400 * (int64_t)1000000;
	char clock[CLOCK_TEXT_SIZE], age[AGE_TEXT_SIZE];

	snprintf(buf, size, "%.*s%s%.8s UTC, %s ago", is_old ? 10 : 0, tree_text(alarm, "since"),
	    is_old ? " " : "", clock_format(since, clock), age_format(screen->now - since, age));
}

/* "2 critical, 1 minor" */
static void
write_counts(const struct chosen *chosen, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < SEVERITY_COUNT; i++)
		if (chosen->of[i])
			used += (size_t)snprintf(buf + used, size - used, "%s%zu %s",
			    used ? ", " : "", chosen->of[i], severities[i].name);
}

static void
print_sum(const struct screen *screen, const struct chosen *chosen)
{
	uint64_t suppressed = tree_number(screen->state, "alarms-suppressed");
	char counts[80];

	write_counts(chosen, counts, sizeof(counts));
	screen_wrap(screen, NULL, 0, "%s", chosen->count ? counts : "no alarms");
	if (suppressed > 0)
		screen_wrap(screen, NULL, 0,
		    "%ju changes were not told one by one, for there were more than ten a minute",
		    (uintmax_t)suppressed);
}

void
screen_alarms(
    const struct screen *screen, const struct lyd_node *group, const struct lyd_node *element)
{
	struct chosen chosen;
	char since[64];

	choose(screen, group, element, &chosen);
	for (size_t i = 0; i < chosen.count; i++) {
		const struct lyd_node *alarm = chosen.alarms[i];

		write_since(screen, alarm, since, sizeof(since));
		screen_wrap(screen, tree_text(alarm, "severity"), TAG_WIDTH, "%s %s since %s",
		    tree_text(alarm, "type"), tree_text(alarm, "key"), since);
		screen_wrap(screen, "", TAG_WIDTH, "%s", tree_text(alarm, "cause"));
		screen_wrap(screen, "", TAG_WIDTH, "do: %s", tree_text(alarm, "remedy"));
	}
	print_sum(screen, &chosen);
	free(chosen.alarms);
}

int
screen_alarms_severity(
    const struct screen *screen, const struct lyd_node *group, const struct lyd_node *element)
{
	struct chosen chosen;
	int code;

	choose(screen, group, element, &chosen);
	code = chosen.count > 0 ? severities[rank(chosen.alarms[0])].check : 0;
	free(chosen.alarms);
	return code;
}

void
screen_alarms_check(
    const struct screen *screen, const struct lyd_node *group, const struct lyd_node *element)
{
	struct chosen chosen;
	char counts[80];

	choose(screen, group, element, &chosen);
	write_counts(&chosen, counts, sizeof(counts));
	if (chosen.count > 0) {
		const struct lyd_node *worst = chosen.alarms[0];

		fprintf(screen->out, "ALARMS %s - %s %s: %s\n", counts, tree_text(worst, "type"),
		    tree_text(worst, "key"), tree_text(worst, "cause"));
	} else {
		fprintf(screen->out, "OK - no alarms\n");
	}
	free(chosen.alarms);
}

void
screen_alarms_brief(const struct screen *screen, const struct lyd_node *group)
{
	struct chosen chosen;
	char since[64];

	choose(screen, group, NULL, &chosen);
	for (size_t i = 0; i < chosen.count && i < BRIEF_MOST; i++) {
		const struct lyd_node *alarm = chosen.alarms[i];

		write_since(screen, alarm, since, sizeof(since));
		screen_wrap(screen, i ? "" : "alarms", TAG_WIDTH, "%s %s %s since %s",
		    severities[rank(alarm)].brief, tree_text(alarm, "type"),
		    tree_text(alarm, "key"), since);
	}
	if (chosen.count > BRIEF_MOST)
		screen_wrap(screen, "", TAG_WIDTH, "and %zu more: autofbf alarms",
		    chosen.count - BRIEF_MOST);
	free(chosen.alarms);
}
