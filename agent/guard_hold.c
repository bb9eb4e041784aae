/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Most of those whose sessions are up without their NAT pool routes: an import policy or a
 * table does that, elements rarely do, and another read would find the same table. So the routes
 * are doubted, for as long as most are gone: health goes on by sessions alone, as without NAT, and
 * an element that dies meanwhile is left at once. The return of most routes ends that, or an
 * operator who knows better; what is lost then is believed.
 *
 * Doubt is for the event: an element whose loss was believed before stays out until its routes are
 * read again. Whose session dies meanwhile has not got its routes back by that. Who was out for
 * another reason and misses its routes no longer than the others is one of them: in hold-down one
 * miss was enough.
 */
#include "guard_internal.h"

bool
guard_has_pools(const struct guard *guard, const struct family_guard *fg)
{
	return guard_group(guard, fg)->return_path[fg->family] == RETURN_NAT_ROUTES;
}

struct mtime
guard_eased_until(const struct guard *guard, const struct family_guard *fg)
{
	return mtime_add_ms(fg->eased_since, guard_window_ms(guard, fg, true));
}

static bool
is_of_event(const struct guard *guard, const struct family_guard *fg, size_t e, struct mtime now)
{
	const struct watch *watch = &fg->watch[e];
	int64_t age_ms = HEALTH_POOL_POLLS * (int64_t)guard->profile->poll_interval_ms +
	                 guard_window_ms(guard, fg, true);

	return !watch->lacks_pools || guard_is_lost(guard, fg, e, now) ||
	       watch->lacks_since.us > mtime_add_ms(now, -age_ms).us;
}

/* What was lost by routes is no loss any more, also while hold-down is on. */
static void
begin_hold(const struct guard *guard, struct family_guard *fg, struct mtime now)
{
	for (size_t e = 0; e < guard_group(guard, fg)->element_count; e++) {
		struct watch *watch = &fg->watch[e];
		watch->is_doubted = is_of_event(guard, fg, e, now);
		if (!watch->by_pools)
			continue;
		watch->lost_at = MTIME_NEVER;
		watch->in_event = false;
	}
	fg->has_pool_loss = false;
	fg->held = true;
}

static void
tell_health(struct guard *guard, struct family_guard *fg, struct health *health, struct mtime now)
{
	bool changed = false;

	for (size_t e = 0; e < guard_group(guard, fg)->element_count; e++)
		changed |= health_doubt_pools(
		    health, fg->group, e, fg->family, fg->watch[e].is_doubted, now);
	if (changed)
		guard_observe(guard, fg, health, now);
}

void
guard_end_hold(
    struct guard *guard, struct family_guard *fg, struct health *health, struct mtime now)
{
	fg->held = false;
	fg->eased_since = MTIME_NEVER;
	for (size_t e = 0; e < guard_group(guard, fg)->element_count; e++)
		fg->watch[e].is_doubted = false;
	tell_health(guard, fg, health, now);
}

void
guard_check_hold(
    struct guard *guard, struct family_guard *fg, struct health *health, struct mtime now)
{
	struct guard_tally pools;
	bool is_mass;

	if (!fg->held && !guard_has_pools(guard, fg))
		return;
	pools = guard_count_pool_losses(guard, fg, now);
	is_mass = guard_is_mass_event(guard_group(guard, fg), &pools);
	if (!fg->held && is_mass && !fg->startup && !fg->restart) {
		if (guard_is_just_restarted(guard, fg, now))
			guard_begin_restart(guard, fg, now); /* routes come after sessions */
		else
			begin_hold(guard, fg, now);
	}
	guard_note_since(&fg->eased_since, fg->held && !is_mass, now);
	if (mtime_reached(now, guard_eased_until(guard, fg)))
		guard_end_hold(guard, fg, health, now);
	else
		tell_health(guard, fg, health, now);
}
