/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which signal routes are wanted: for each (group, family) two wishes, "failed" and "altered", and
 * the routes that follow from all of them together.
 *
 * Promises: the failed route comes at once and goes slowly. It is withdrawn when there were enough
 * elements for revert-hold without a break, so that the outer world is not moved twice by an
 * element that flaps. A route that a restarted agent finds on the router stays until there is a
 * verdict on the family, and for revert-hold from then on: nobody knows how long it was well.
 * Routes may be shared, and the alter route may be the failed route; one wish is enough to keep it.
 *
 * Whether the family's health may be acted on is guard.c's question, that the router has what is
 * wanted plan.c's and the router's.
 */
#include "signal_route.h"

#include <stdint.h>
#include <stdlib.h>

#include "error.h"

struct family_signal {
	const struct profile_signal *config; /* borrowed */
	uint32_t hold_s;
	bool failed;
	bool altered;
	struct mtime hold_until; /* MTIME_NEVER: too few are left, or nothing was ever heard */
};

struct signal_routes {
	const struct profile *profile; /* borrowed */
	struct family_signal *signals; /* owned; FAMILY_COUNT for each group */
	size_t count;
};

struct signal_routes *
signal_routes_new(const struct profile *profile)
{
	struct signal_routes *signals = xcalloc(1, sizeof(*signals));

	signals->profile = profile;
	signals->count = profile->group_count * FAMILY_COUNT;
	signals->signals = xcalloc(signals->count + 1, sizeof(*signals->signals));
	for (size_t i = 0; i < signals->count; i++) {
		const struct profile_group *group = &profile->groups[i / FAMILY_COUNT];
		signals->signals[i] = (struct family_signal){
			.config = &group->signal[i % FAMILY_COUNT],
			.hold_s = group->revert_hold_s,
			.hold_until = MTIME_NEVER,
		};
	}
	return signals;
}

void
signal_routes_free(struct signal_routes *signals)
{
	if (!signals)
		return;
	free(signals->signals);
	free(signals);
}

static struct family_signal *
find_signal(const struct signal_routes *signals, size_t group, enum family family)
{
	return &signals->signals[group * FAMILY_COUNT + family];
}

static bool
is_watched(const struct family_signal *signal)
{
	return signal->config->has_failed && signal->config->min_alive > 0;
}

void
signal_routes_inherit(struct signal_routes *signals, const struct signal_routes *from)
{
	for (size_t i = 0; i < signals->count; i++) {
		struct family_signal *signal = &signals->signals[i];
		size_t g = profile_group_index(
		    from->profile, signals->profile->groups[i / FAMILY_COUNT].id);
		const struct family_signal *old;

		if (g == SIZE_MAX)
			continue;
		old = find_signal(from, g, (enum family)(i % FAMILY_COUNT));
		signal->altered = signal->config->has_alter && old->altered;
		if (!is_watched(signal))
			continue;
		signal->failed = old->failed;
		signal->hold_until = old->hold_until;
	}
}

static bool
end_hold(struct family_signal *signal, struct mtime now)
{
	if (mtime_is_never(signal->hold_until) || !mtime_reached(now, signal->hold_until))
		return false;
	signal->failed = false;
	signal->hold_until = MTIME_NEVER;
	return true;
}

bool
signal_routes_update(
    struct signal_routes *signals, size_t group, enum family family, size_t alive, struct mtime now)
{
	struct family_signal *signal = find_signal(signals, group, family);
	bool was_failed = signal->failed;

	if (!is_watched(signal))
		return false;
	if (alive < signal->config->min_alive) {
		signal->failed = true;
		signal->hold_until = MTIME_NEVER;
		return !was_failed;
	}
	if (was_failed && mtime_is_never(signal->hold_until))
		signal->hold_until = mtime_add_ms(now, (int64_t)signal->hold_s * 1000);
	return end_hold(signal, now);
}

static bool
list_has(const struct prefix_list *list, const struct prefix *route)
{
	for (size_t i = 0; i < list->count; i++)
		if (prefix_compare(&list->items[i], route) == 0)
			return true;
	return false;
}

static bool
is_wanted_altered(const struct signal_routes *signals, const struct prefix *route)
{
	for (size_t i = 0; i < signals->count; i++)
		if (signals->signals[i].altered &&
		    prefix_compare(&signals->signals[i].config->alter_route, route) == 0)
			return true;
	return false;
}

/* A route that an operator's alter explains proves no failure. */
void
signal_routes_adopt(struct signal_routes *signals, const struct listset *have, struct mtime now)
{
	const struct prefix_list *list = listset_find(have, LISTSET_SIGNAL_ROUTES);

	(void)now; /* the hold begins with the first verdict on the family */
	for (size_t i = 0; list && i < signals->count; i++) {
		struct family_signal *signal = &signals->signals[i];
		const struct prefix *route = &signal->config->failed_route;
		if (is_watched(signal) && list_has(list, route) &&
		    !is_wanted_altered(signals, route))
			signal->failed = true;
	}
}

bool
signal_routes_tick(struct signal_routes *signals, struct mtime now)
{
	bool changed = false;

	for (size_t i = 0; i < signals->count; i++)
		changed |= end_hold(&signals->signals[i], now);
	return changed;
}

struct mtime
signal_routes_deadline(const struct signal_routes *signals)
{
	struct mtime next = MTIME_NEVER;

	for (size_t i = 0; i < signals->count; i++)
		next = mtime_min(next, signals->signals[i].hold_until);
	return next;
}

bool
signal_routes_alter(struct signal_routes *signals, size_t group, bool on)
{
	bool changed = false;

	for (size_t i = 0; i < signals->count; i++) {
		struct family_signal *signal = &signals->signals[i];
		if ((group != SIZE_MAX && i / FAMILY_COUNT != group) || !signal->config->has_alter)
			continue;
		changed |= signal->altered != on;
		signal->altered = on;
	}
	return changed;
}

bool
signal_routes_is_failed(const struct signal_routes *signals, size_t group, enum family family)
{
	return find_signal(signals, group, family)->failed;
}

bool
signal_routes_is_altered(const struct signal_routes *signals, size_t group, enum family family)
{
	return find_signal(signals, group, family)->altered;
}

struct mtime
signal_routes_hold_until(const struct signal_routes *signals, size_t group, enum family family)
{
	return find_signal(signals, group, family)->hold_until;
}

static bool
names_routes(const struct signal_routes *signals)
{
	for (size_t i = 0; i < signals->count; i++)
		if (signals->signals[i].config->has_failed || signals->signals[i].config->has_alter)
			return true;
	return false;
}

void
signal_routes_want(const struct signal_routes *signals, struct listset *want)
{
	struct prefix_list *list;

	if (!names_routes(signals))
		return;
	list = listset_list(want, LISTSET_SIGNAL_ROUTES);
	for (size_t i = 0; i < signals->count; i++) {
		const struct family_signal *signal = &signals->signals[i];
		if (signal->failed)
			prefix_list_add(list, &signal->config->failed_route);
		if (signal->altered)
			prefix_list_add(list, &signal->config->alter_route);
	}
}

bool
signal_routes_is_ours(const struct profile *profile, const struct prefix *route)
{
	for (size_t g = 0; g < profile->group_count; g++)
		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			const struct profile_signal *signal = &profile->groups[g].signal[f];
			if ((signal->has_failed &&
			        prefix_compare(&signal->failed_route, route) == 0) ||
			    (signal->has_alter && prefix_compare(&signal->alter_route, route) == 0))
				return true;
		}
	return false;
}
