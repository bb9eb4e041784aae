/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decisions: which layout and which signal routes are wanted now, and the record of each change.
 *
 * Deciding is fast and comes first; the record needs layout-ids (SHA-256 over every piece) and is
 * made after the router was told. A record keeps the healthy set: with the profile it is enough to
 * make the layout again, so the story of one prefix needs no store of its own.
 */
#define _GNU_SOURCE
#include "agent_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
is_held(const struct agent *agent, size_t g, enum family f)
{
	enum freeze freeze = guard_freeze(agent->guard, g, f);

	return freeze != FREEZE_NOT && freeze != FREEZE_STARTUP;
}

/*
 * Who is in the set. A freeze that was there before the router's lists were read (the operator's
 * survives a restart) holds what the router has, not what little is known of health by then.
 */
static bool
is_in_set(const struct agent *agent, size_t g, size_t e, enum family f)
{
	if (is_held(agent, g, f) && agent->lists_known)
		return agent->family[g][f].effective_share[e] > 0;
	return health_is_healthy(agent->health, g, e, f);
}

static bool
follow_family(struct agent *agent, size_t g, enum family f)
{
	const struct profile_group *group = &agent->profile->groups[g];
	struct agent_family *family = &agent->family[g][f];
	bool *healthy;

	if (!family->space || (is_held(agent, g, f) && family->layout && family->grounded))
		return false;
	healthy = xcalloc(group->element_count, sizeof(*healthy));
	for (size_t e = 0; e < group->element_count; e++)
		healthy[e] = is_in_set(agent, g, e, f);
	family->grounded = agent->lists_known;
	if (family->layout &&
	    memcmp(healthy, family->healthy, group->element_count * sizeof(*healthy)) == 0) {
		free(healthy);
		return false;
	}
	free(family->healthy);
	family->healthy = healthy;
	if (family->undecided) { /* nobody was told of that one */
		layout_free(family->layout);
	} else {
		layout_free(family->before);
		family->before = family->layout;
	}
	family->layout = layout_compute_split(family->space, healthy);
	family->has_layout_id = false; /* not on the way to the router */
	free(family->nat_loads);
	family->nat_loads = NULL;
	free(agent->loads[g]);
	agent->loads[g] = NULL;
	family->undecided = true;
	return true;
}

/*
 * A signal route says how many are left, also when nobody is: then only once that is confirmed. Who
 * is in use is not known before the lists were read: elements that are well look like none.
 */
static bool
follow_signal(struct agent *agent, size_t g, enum family f)
{
	const struct profile_group *group = &agent->profile->groups[g];
	enum freeze freeze = guard_freeze(agent->guard, g, f);
	size_t alive = 0;

	if (!agent->family[g][f].space || !agent->lists_known)
		return false;
	if (freeze != FREEZE_NOT && !guard_is_confirmed(agent->guard, g, f))
		return false;
	for (size_t e = 0; e < group->element_count; e++)
		alive += health_is_healthy(agent->health, g, e, f);
	return signal_routes_update(agent->signals, g, f, alive, mtime_now());
}

bool
agent_is_frozen(const struct agent *agent)
{
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			if (agent->family[g][f].space &&
			    guard_freeze(agent->guard, g, f) != FREEZE_NOT)
				return true;
	return false;
}

bool
agent_decide(struct agent *agent)
{
	bool changed = agent->ordered;

	agent->ordered = false;
	if (!agent_is_frozen(agent))
		changed |= signal_routes_tick(agent->signals, mtime_now());
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			changed |= follow_family(agent, g, f);
			changed |= follow_signal(agent, g, f);
		}
	return changed;
}

/* ---- records -------------------------------------------------------------------------------- */

static char *
join_healthy(const struct profile_group *group, const bool *healthy)
{
	char *text = xstrdup("");

	for (size_t e = 0; e < group->element_count; e++)
		if (healthy[e])
			xappendf(&text, "%s%s", *text ? "," : "", group->elements[e].id);
	return text;
}

/* The element that has this unit in a layout of whatever profile; NULL: nobody. */
static const char *
find_owner(const struct layout *layout, const struct prefix *unit)
{
	const struct layout_space *space = layout_get_space(layout);
	size_t at = layout_space_find(space, &unit->address);
	uint8_t owner = at == SIZE_MAX ? LAYOUT_NONE : layout_unit_owner(layout, at);

	return owner == LAYOUT_NONE ? NULL : layout_space_group(space)->elements[owner].id;
}

/* The profile has changed, and with it perhaps the units: by address and id. New units are no
 * moves. */
static size_t
count_moved_between(const struct layout *before, const struct layout *after)
{
	const struct layout_space *space = layout_get_space(after);
	size_t moved = 0;

	for (size_t i = 0; i < layout_space_units(space); i++) {
		struct prefix unit = layout_space_unit(space, i);
		const char *from = find_owner(before, &unit), *to = find_owner(after, &unit);

		moved += from && (!to || strcmp(from, to) != 0);
	}
	return moved;
}

static size_t
count_moved(const struct agent_family *family)
{
	size_t moved = 0;

	if (family->before && layout_get_space(family->before) != family->space)
		return count_moved_between(family->before, family->layout);
	for (size_t unit = 0; family->before && unit < layout_space_units(family->space); unit++)
		moved += layout_unit_owner(family->before, unit) !=
		         layout_unit_owner(family->layout, unit);
	return moved;
}

struct layout_id
agent_layout_id(struct agent_family *family)
{
	if (!family->has_layout_id)
		family->layout_id = layout_compute_id(family->layout);
	family->has_layout_id = true;
	return family->layout_id;
}

static void
record_decision(struct agent *agent, size_t g, enum family f, const char *cause)
{
	const struct profile_group *group = &agent->profile->groups[g];
	struct agent_family *family = &agent->family[g][f];
	char before[LAYOUT_ID_TEXT_SIZE] = "", after[LAYOUT_ID_TEXT_SIZE];
	struct layout_id id = agent_layout_id(family);
	char *healthy = join_healthy(group, family->healthy);
	char misses[80] = "", *text;
	size_t missing = layout_share_exceptions(family->layout);
	struct history_record record = { .when_us = wallclock_now_us(),
		.kind = "decision",
		.subject = group->id,
		.who = agent->who,
		.cause = cause ? cause : "",
		.group = group->id,
		.family = family_names[f],
		.healthy = healthy,
		.layout_after = layout_id_format(&id, after),
		.moved = (uint32_t)count_moved(family) };

	if (family->before) {
		id = layout_compute_id(family->before);
		record.layout_before = layout_id_format(&id, before);
	}
	if (missing > 0)
		snprintf(
		    misses, sizeof(misses), "; exact share missed by a unit or more: %zu", missing);
	text = xasprintf("%s: layout %.8s -> %.8s, %u units move, healthy: %s%s", family_names[f],
	    *before ? before : "none", after, record.moved, *healthy ? healthy : "nobody", misses);
	record.text = text;
	agent->decision = agent_record_full(agent, &record);
	free(text);
	free(healthy);
}

static void
record_signal(struct agent *agent, size_t g, enum family f)
{
	const struct profile_group *group = &agent->profile->groups[g];
	struct agent_family *family = &agent->family[g][f];
	bool failed = signal_routes_is_failed(agent->signals, g, f);
	char route[PREFIX_TEXT_SIZE];

	if (failed == family->failed_said)
		return;
	family->failed_said = failed;
	agent_record(agent, "signal", group->id, "%s: failed route %s %s, min-alive %u",
	    family_names[f], prefix_format(&group->signal[f].failed_route, route),
	    failed ? "wanted" : "withdrawn", group->signal[f].min_alive);
}

/* Says once that an element is over its capacity, or would be after one more failure, and the end.
 */
static void
record_load(struct agent *agent, size_t g, size_t e, const struct capacity_load *load)
{
	const struct profile_group *group = &agent->profile->groups[g];
	const char *id = group->elements[e].id, *label = group->capacity_label;
	double capacity = capacity_of(&group->elements[e]);
	enum capacity_said now = CAPACITY_FINE, *said = &agent->capacity_said[g][e];

	if (capacity > 0 && load->worst > capacity)
		now = load->wanted > capacity ? CAPACITY_EXCEEDED : CAPACITY_AT_RISK;
	if (now == *said)
		return;
	*said = now;
	if (now == CAPACITY_EXCEEDED)
		agent_record(agent, "capacity", id, "%.1f of %.1f %s: over its capacity",
		    load->wanted, capacity, label);
	else if (now == CAPACITY_AT_RISK)
		agent_record(agent, "capacity", id, "one more failure would bring %.1f on %.1f %s",
		    load->worst, capacity, label);
	else
		agent_record(agent, "capacity", id, "%.1f of %.1f %s: within its capacity again",
		    load->wanted, capacity, label);
}

/* What stands of the families that have a layout. */
static void
list_sets(const struct agent *agent, size_t g, const struct layout_space *spaces[FAMILY_COUNT],
    const bool *healthy[FAMILY_COUNT])
{
	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		spaces[f] = agent->family[g][f].layout ? agent->family[g][f].space : NULL;
		healthy[f] = agent->family[g][f].healthy;
	}
}

/* Takes a layout for each element, so not on the way to the router. */
const struct capacity_load *
agent_find_loads(const struct agent *agent, size_t g)
{
	const struct profile_group *group = &agent->profile->groups[g];
	const struct layout_space *spaces[FAMILY_COUNT];
	const bool *healthy[FAMILY_COUNT];

	if (!agent->loads[g] && capacity_is_told(group)) {
		agent->loads[g] = xcalloc(group->element_count, sizeof(*agent->loads[g]));
		list_sets(agent, g, spaces, healthy);
		capacity_compute(group, spaces, healthy, agent->loads[g]);
	}
	return agent->loads[g];
}

static void
record_capacity(struct agent *agent, size_t g)
{
	const struct capacity_load *loads = agent_find_loads(agent, g);

	for (size_t e = 0; loads && e < agent->profile->groups[g].element_count; e++)
		record_load(agent, g, e, &loads[e]);
}

/* Who is well in a family that has a layout. True: the layout was made of that set. */
static bool
list_alive(const struct agent *agent, size_t g, enum family f, bool alive[PROFILE_MAX_ELEMENTS])
{
	size_t count = agent->profile->groups[g].element_count;

	for (size_t e = 0; e < count; e++)
		alive[e] = health_is_healthy(agent->health, g, e, f);
	return memcmp(alive, agent->family[g][f].healthy, count * sizeof(*alive)) == 0;
}

bool
agent_find_tolerance(const struct agent *agent, size_t g, struct tolerance *ret_tolerance)
{
	bool alive[FAMILY_COUNT][PROFILE_MAX_ELEMENTS], is_same = true;
	double now[PROFILE_MAX_ELEMENTS], worst[PROFILE_MAX_ELEMENTS];
	const struct capacity_load *loads;
	const struct layout_space *spaces[FAMILY_COUNT];
	const bool *healthy[FAMILY_COUNT];

	list_sets(agent, g, spaces, healthy);
	if (!agent->lists_known)
		return false;
	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		if (!spaces[f])
			continue;
		if (guard_freeze(agent->guard, g, f) == FREEZE_STARTUP)
			return false;
		is_same &= list_alive(agent, g, f, alive[f]);
		healthy[f] = alive[f];
	}
	loads = is_same ? agent_find_loads(agent, g) : NULL;
	for (size_t e = 0; loads && e < agent->profile->groups[g].element_count; e++) {
		now[e] = loads[e].wanted;
		worst[e] = loads[e].worst;
	}
	*ret_tolerance = tolerance_compute(
	    &agent->profile->groups[g], spaces, healthy, loads ? now : NULL, loads ? worst : NULL);
	return true;
}

void
agent_record_decisions(struct agent *agent, const char *cause)
{
	bool changed;

	for (size_t g = 0; g < agent->profile->group_count; g++) {
		changed = false;
		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			struct agent_family *family = &agent->family[g][f];
			record_signal(agent, g, f);
			if (!family->undecided)
				continue;
			changed =
			    family->grounded && guard_freeze(agent->guard, g, f) != FREEZE_STARTUP;
			if (changed)
				record_decision(agent, g, f, cause);
			layout_free(family->before);
			family->before = NULL;
			family->undecided = !changed;
		}
		if (changed)
			record_capacity(agent, g);
	}
}
