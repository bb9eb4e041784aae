/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a guard sees of one group and family: who is healthy, who was lost and when, and how much
 * that is together. Owns the marks of struct watch; whether it adds up to an event, and what is
 * done about one, is guard.c's.
 *
 * An operator's soft offline is no loss. What was lost stays marked until it is healthy again or
 * the guard accepts it, so that one event is looked at once. Losses are counted by failure domain
 * where the profile names them: two elements on one host that die together are one failure.
 *
 * A loss by NAT pool routes alone comes late: three polls must have missed the route. Whoever else
 * misses routes at that moment is a poll or two behind, and part of the same event.
 */
#include <string.h>

#include "guard_internal.h"

const struct profile_group *
guard_group(const struct guard *guard, const struct family_guard *fg)
{
	return &guard->profile->groups[fg->group];
}

void
guard_note_since(struct mtime *since, bool is_true, struct mtime now)
{
	if (!is_true)
		*since = MTIME_NEVER;
	else if (mtime_is_never(*since))
		*since = now;
}

int64_t
guard_window_ms(const struct guard *guard, const struct family_guard *fg, bool by_pools)
{
	int64_t window_ms = guard_group(guard, fg)->mass_window_ms;

	return by_pools ? window_ms + guard->profile->poll_interval_ms : window_ms;
}

static bool
is_recent(const struct guard *guard, const struct family_guard *fg, const struct watch *watch,
    struct mtime now)
{
	return !mtime_is_never(watch->lost_at) &&
	       mtime_diff_ms(now, watch->lost_at) <
	           guard_window_ms(guard, fg, watch->by_pools && !fg->held);
}

/* Soft offline is no loss: the operator said so. */
static void
observe_element(
    struct family_guard *fg, struct watch *watch, const struct health_view *view, struct mtime now)
{
	const struct mtime long_ago = { INT64_MIN };

	if (watch->healthy && !view->healthy && !view->forced) {
		watch->lost_at = now;
		watch->in_event = fg->mass;
	}
	watch->failed_session = view->failed_session;
	watch->by_pools = view->by_pools && !view->forced;
	watch->is_missed = view->misses_pools;
	watch->lacks_pools = !view->has_pools && (watch->lacks_pools || watch->by_pools ||
	                                             (view->healthy && view->misses_pools));
	guard_note_since(&watch->lacks_since, watch->lacks_pools, fg->startup ? long_ago : now);
	watch->is_doubted = fg->held && (watch->is_doubted || !watch->lacks_pools);
	if (view->healthy || view->forced) {
		watch->lost_at = MTIME_NEVER;
		watch->in_event = false;
	}
	/* What was lost before we may act counts as lost at the moment we may. */
	if (fg->startup && !mtime_is_never(watch->lost_at))
		watch->lost_at = now;
	watch->healthy = view->healthy;
	watch->forced = view->forced;
	fg->healthy += view->healthy;
	fg->free += !view->forced;
}

/* Held: what is lost is lost by its session, whatever its routes say. */
static void
note_pool_loss(const struct guard *guard, struct family_guard *fg, struct mtime now)
{
	fg->has_pool_loss = false;
	if (fg->held)
		return;
	for (size_t e = 0; e < guard_group(guard, fg)->element_count; e++)
		fg->has_pool_loss |=
		    fg->watch[e].by_pools && is_recent(guard, fg, &fg->watch[e], now);
}

void
guard_observe(
    struct guard *guard, struct family_guard *fg, const struct health *health, struct mtime now)
{
	fg->healthy = fg->free = 0;
	for (size_t e = 0; e < guard_group(guard, fg)->element_count; e++) {
		struct health_view view;
		if (!fg->watch[e].is_watched)
			continue;
		health_view(health, fg->group, e, fg->family, &view);
		observe_element(fg, &fg->watch[e], &view, now);
	}
	guard_note_since(&fg->whole_since, fg->healthy == fg->free, now);
	fg->is_felt |= fg->healthy != fg->free;
	note_pool_loss(guard, fg, now);
}

void
guard_accept_losses(struct guard *guard, struct family_guard *fg)
{
	for (size_t e = 0; e < guard_group(guard, fg)->element_count; e++) {
		fg->watch[e].lost_at = MTIME_NEVER;
		fg->watch[e].in_event = false;
	}
	fg->mass = false;
	fg->look_at = MTIME_NEVER;
}

void
guard_renew_pool_losses(const struct guard *guard, struct family_guard *fg, struct mtime now)
{
	if (fg->held)
		return;
	for (size_t e = 0; e < guard_group(guard, fg)->element_count; e++)
		if (fg->watch[e].by_pools) {
			fg->watch[e].lost_at = now;
			fg->has_pool_loss = true;
		}
}

/* Lost before long, as those are whose third miss came first. */
static bool
is_missing(const struct watch *watch)
{
	return watch->healthy && watch->is_missed;
}

bool
guard_is_lost(const struct guard *guard, const struct family_guard *fg, size_t e, struct mtime now)
{
	const struct watch *watch = &fg->watch[e];

	if (is_missing(watch) && fg->has_pool_loss)
		return true;
	return fg->mass ? watch->in_event : is_recent(guard, fg, watch, now);
}

/* Lost, and no element before it in the profile that shares its failure domain is. */
static bool
is_first_of_domain(const struct profile_group *group, const bool *is_lost, size_t e)
{
	const struct profile_element *elements = group->elements;

	for (size_t i = 0; elements[e].failure_domain && i < e; i++)
		if (elements[i].failure_domain && is_lost[i] &&
		    strcmp(elements[i].failure_domain, elements[e].failure_domain) == 0)
			return false;
	return true;
}

struct guard_tally
guard_tally(const struct profile_group *group, enum family family, const bool *is_lost)
{
	struct guard_tally tally = { 0 };

	for (size_t e = 0; e < group->element_count; e++) {
		uint32_t weight = health_weight(&group->elements[e], family);
		tally.total_weight += weight;
		if (!is_lost[e])
			continue;
		tally.lost++;
		tally.domains += is_first_of_domain(group, is_lost, e);
		tally.lost_weight += weight;
	}
	return tally;
}

bool
guard_is_mass_event(const struct profile_group *group, const struct guard_tally *tally)
{
	return tally->domains >= 2 &&
	       tally->lost_weight * 100 > tally->total_weight * group->mass_share_percent;
}

struct guard_tally
guard_count_losses(const struct guard *guard, const struct family_guard *fg, struct mtime now)
{
	const struct profile_group *group = guard_group(guard, fg);
	bool lost[PROFILE_MAX_ELEMENTS] = { false };

	for (size_t e = 0; e < group->element_count; e++)
		lost[e] = guard_is_lost(guard, fg, e, now);
	return guard_tally(group, fg->family, lost);
}

/* A host that dies ends sessions: here every element is one failure. */
struct guard_tally
guard_count_pool_losses(const struct guard *guard, const struct family_guard *fg, struct mtime now)
{
	const struct profile_group *group = guard_group(guard, fg);
	bool lost[PROFILE_MAX_ELEMENTS] = { false };
	struct guard_tally tally;

	for (size_t e = 0; e < group->element_count; e++) {
		const struct watch *watch = &fg->watch[e];
		if (fg->held)
			lost[e] = watch->is_doubted && watch->lacks_pools;
		else
			lost[e] = (watch->by_pools || is_missing(watch)) &&
			          guard_is_lost(guard, fg, e, now);
	}
	tally = guard_tally(group, fg->family, lost);
	tally.domains = tally.lost;
	for (size_t e = 0; e < group->element_count; e++)
		if (fg->watch[e].failed_session && !lost[e])
			tally.total_weight -= health_weight(&group->elements[e], fg->family);
	return tally;
}

bool
guard_is_contradicted(const struct guard *guard, const struct family_guard *fg,
    const struct health *health, bool only_event)
{
	for (size_t e = 0; e < guard_group(guard, fg)->element_count; e++) {
		const struct watch *watch = &fg->watch[e];
		struct health_view view;
		if (!watch->is_watched || watch->healthy || watch->forced ||
		    (only_event && !watch->in_event))
			continue;
		health_view(health, fg->group, e, fg->family, &view);
		if (view.owns && view.state != HEALTH_DOWN)
			return true;
	}
	return false;
}
