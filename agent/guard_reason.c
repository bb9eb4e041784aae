/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The guards' words: one sentence for each freeze, for the status screen, the log and the refusal
 * of an operator's command at three in the morning. Each says why, and what ends it. Owns no state
 * and decides nothing; guard.c renews the sentence with every answer.
 */
#include <stdio.h>

#include "guard_internal.h"

static unsigned
percent(uint64_t weight, uint64_t total)
{
	return (unsigned)(total ? weight * 100 / total : 0);
}

/* A poll has missed some; else none has read them since the sessions ended. */
static bool
is_any_missed(const struct guard *guard, const struct family_guard *fg)
{
	for (size_t e = 0; e < guard_group(guard, fg)->element_count; e++)
		if (fg->watch[e].is_doubted && fg->watch[e].is_missed)
			return true;
	return false;
}

void
guard_explain_hold(
    const struct guard *guard, const struct family_guard *fg, char *text, size_t size)
{
	const char *group = guard->profile->groups[fg->group].id;
	struct guard_tally pools;
	uint64_t all;

	text[0] = '\0';
	if (!fg->held)
		return;
	pools = guard_count_pool_losses(guard, fg, guard->updated_at);
	all = guard_count_losses(guard, fg, guard->updated_at).total_weight;
	if (!mtime_is_never(fg->eased_since))
		snprintf(text, size,
		    "most NAT pool routes are back; waits a poll or two for the others, or for "
		    "`autofbf thaw %s`",
		    group);
	else
		snprintf(text, size,
		    "the NAT pool routes of %zu of %zu elements (%u %% of the weight) %s; "
		    "until most are back, or `autofbf thaw %s`, only sessions decide",
		    pools.lost, fg->count, percent(pools.lost_weight, all),
		    is_any_missed(guard, fg) ? "are gone, their sessions were up: look at the "
		                               "import policy and the outside table"
		                             : "were not read since their sessions ended",
		    group);
}

static void
explain_mass(const struct guard *guard, const struct family_guard *fg, char *text, size_t size)
{
	struct guard_tally tally = guard_count_losses(guard, fg, guard->updated_at);

	if (tally.lost == 0) {
		snprintf(
		    text, size, "all elements of a mass event are back; waits two seconds more");
		return;
	}
	snprintf(text, size,
	    "%zu of %zu elements (%u %% of the weight) went down together; acts when two reads of "
	    "the router confirm it (%s), or on `autofbf thaw %s`",
	    tally.lost, fg->count, percent(tally.lost_weight, tally.total_weight), fg->looked,
	    guard->profile->groups[fg->group].id);
}

void
guard_explain(const struct guard *guard, const struct family_guard *fg, char *text, size_t size)
{
	const struct profile_group *group = &guard->profile->groups[fg->group];

	switch (fg->freeze) {
	case FREEZE_NOT:
	case FREEZE_COUNT:
		text[0] = '\0';
		break;
	case FREEZE_STARTUP:
		snprintf(text, size,
		    "just started; waits for a verdict on every element, at most %u s",
		    (unsigned)group->startup_wait_s);
		break;
	case FREEZE_NOBODY:
		snprintf(text, size,
		    fg->healthy == 0 ? "no element is healthy; the layout stands until one is back"
		                     : "the first of all elements is back; waits a moment for the "
		                       "others, and for "
		                       "a read of the router");
		break;
	case FREEZE_MASS:
		explain_mass(guard, fg, text, size);
		break;
	case FREEZE_RESTART:
		snprintf(text, size,
		    "the router restarted; waits %u s for sessions to come back, or for `autofbf "
		    "thaw %s`",
		    (unsigned)group->startup_wait_s, group->id);
		break;
	case FREEZE_OPERATOR:
		snprintf(text, size, "frozen by an operator; `autofbf thaw %s` ends it", group->id);
		break;
	}
}
