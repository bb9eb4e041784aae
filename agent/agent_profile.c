/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the agent makes of a profile, and how it goes on under another one.
 *
 * Families, health, guard and signal routes are made from a profile and named by its indexes, so
 * another profile gets new ones, which take over what is known of the same things (by ids) before
 * the old ones are put away. Sessions and listeners stay where they are. The layouts are made anew
 * for who is healthy; where one comes out as the one that stands, nothing was decided. Everything
 * that follows is one wish, so one commit.
 *
 * Lists and signal routes that only an earlier profile named are leftovers on the router: they are
 * wanted empty until a read shows that they are. An agent that restarts meanwhile knows nothing of
 * them and reports them as foreign.
 */
#include "agent_internal.h"

#include <stdlib.h>
#include <string.h>

#include "agent_kpi_internal.h"
#include "log.h"

/* ---- from a profile ------------------------------------------------------------------------- */

static struct layout_id
compute_base_id(const struct layout_space *space)
{
	const struct profile_group *group = layout_space_group(space);
	bool *all = xcalloc(group->element_count, sizeof(*all));
	struct layout_id id;
	struct layout *layout;

	for (size_t e = 0; e < group->element_count; e++)
		all[e] = true;
	layout = layout_compute(space, all, 0);
	id = layout_compute_id(layout);
	layout_free(layout);
	free(all);
	return id;
}

static void
open_family(const struct profile_group *group, enum family f, struct agent_family *family)
{
	size_t units;

	if (profile_unit_count(group, f) == 0)
		return;
	family->space = layout_space_new(group, f);
	family->base_id = compute_base_id(family->space);
	family->freeze_said = FREEZE_STARTUP;
	units = layout_space_units(family->space);
	family->effective = xcalloc(units, 1);
	family->static_owner = xcalloc(units, 1);
	family->effective_share = xcalloc(group->element_count, sizeof(*family->effective_share));
	memset(family->effective, LAYOUT_NONE, units);
	memset(family->static_owner, LAYOUT_NONE, units);
	family->detection = xcalloc(group->element_count, sizeof(*family->detection));
	family->interface = xcalloc(group->element_count, sizeof(*family->interface));
}

static void
close_family(const struct profile_group *group, struct agent_family *family)
{
	for (size_t e = 0; family->interface && e < group->element_count; e++)
		for (enum side s = 0; s < SIDE_COUNT; s++)
			free(family->interface[e][s]);
	layout_free(family->layout);
	layout_free(family->before);
	layout_space_free(family->space);
	free(family->healthy);
	free(family->effective);
	free(family->static_owner);
	free(family->effective_share);
	free(family->nat_loads);
	free(family->nat_count);
	free(family->detection);
	free(family->interface);
}

void
agent_open_core(struct agent *agent, struct profile *profile)
{
	struct mtime now = mtime_now();

	agent->profile = profile;
	agent->family = xcalloc(profile->group_count, sizeof(*agent->family));
	agent->capacity_said = xcalloc(profile->group_count, sizeof(*agent->capacity_said));
	agent->loads = xcalloc(profile->group_count, sizeof(*agent->loads));
	for (size_t g = 0; g < profile->group_count; g++) {
		agent->capacity_said[g] =
		    xcalloc(profile->groups[g].element_count, sizeof(**agent->capacity_said));
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			open_family(&profile->groups[g], f, &agent->family[g][f]);
	}
	agent->health = health_new(profile, now);
	health_on_change(agent->health, agent_note_change, agent);
	agent->guard = guard_new(profile, now);
	agent->signals = signal_routes_new(profile);
}

/* What a profile was made into, put aside while another one takes its place. */
struct past {
	struct profile *profile;
	struct agent_family (*family)[FAMILY_COUNT];
	enum capacity_said **capacity_said;
	struct capacity_load **loads;
	struct health *health;
	struct guard *guard;
	struct signal_routes *signals;
};

static struct past
put_aside(const struct agent *agent)
{
	return (struct past){ agent->profile, agent->family, agent->capacity_said, agent->loads,
		agent->health, agent->guard, agent->signals };
}

static void
free_past(struct past *past)
{
	for (size_t g = 0; g < past->profile->group_count; g++) {
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			close_family(&past->profile->groups[g], &past->family[g][f]);
		free(past->capacity_said[g]);
		free(past->loads[g]);
	}
	free(past->family);
	free(past->capacity_said);
	free(past->loads);
	health_free(past->health);
	guard_free(past->guard);
	signal_routes_free(past->signals);
	profile_free(past->profile);
}

void
agent_close_core(struct agent *agent)
{
	struct past past = put_aside(agent);

	free_past(&past);
}

/* ---- leftovers ------------------------------------------------------------------------------ */

static bool
names_list(const struct profile *profile, const char *name)
{
	for (size_t g = 0; g < profile->group_count; g++)
		for (size_t e = 0; e < profile->groups[g].element_count; e++)
			for (enum family f = 0; f < FAMILY_COUNT; f++) {
				const char *ours =
				    profile->groups[g].elements[e].family[f].override_list;
				if (ours && strcmp(ours, name) == 0)
					return true;
			}
	return false;
}

bool
agent_uses_list(const struct agent *agent, const char *name)
{
	return strcmp(name, LISTSET_SIGNAL_ROUTES) == 0 || names_list(agent->profile, name);
}

bool
agent_is_our_list(const struct agent *agent, const char *name)
{
	return agent_uses_list(agent, name) || listset_find(&agent->retired, name);
}

bool
agent_is_our_route(const struct agent *agent, const struct prefix *route)
{
	const struct prefix_list *retired = listset_find(&agent->retired, LISTSET_SIGNAL_ROUTES);

	return signal_routes_is_ours(agent->profile, route) ||
	       (retired && prefix_list_has(retired, route));
}

static void
retire_list(struct listset *retired, const struct profile *next, const char *name)
{
	if (name && strcmp(name, LISTSET_SIGNAL_ROUTES) != 0 && !names_list(next, name))
		listset_list(retired, name);
}

static void
retire_route(struct listset *retired, const struct profile *next, const struct prefix *route)
{
	if (!signal_routes_is_ours(next, route))
		prefix_list_add(listset_list(retired, LISTSET_SIGNAL_ROUTES), route);
}

static void
retire_group(struct listset *retired, const struct profile *next, const struct profile_group *group)
{
	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		for (size_t e = 0; e < group->element_count; e++)
			retire_list(retired, next, group->elements[e].family[f].override_list);
		if (group->signal[f].has_failed)
			retire_route(retired, next, &group->signal[f].failed_route);
		if (group->signal[f].has_alter)
			retire_route(retired, next, &group->signal[f].alter_route);
	}
}

static void
retire(struct agent *agent, const struct profile *next)
{
	const struct prefix_list *routes = listset_find(&agent->retired, LISTSET_SIGNAL_ROUTES);
	struct listset retired = { 0 };

	for (size_t g = 0; g < agent->profile->group_count; g++)
		retire_group(&retired, next, &agent->profile->groups[g]);
	for (size_t i = 0; i < agent->retired.count; i++)
		retire_list(&retired, next, agent->retired.lists[i].name);
	for (size_t i = 0; routes && i < routes->count; i++)
		retire_route(&retired, next, &routes->items[i]);
	listset_sort(&retired);
	listset_done(&agent->retired);
	agent->retired = retired;
}

void
agent_forget_retired(struct agent *agent)
{
	struct listset left = { 0 };

	for (size_t i = 0; i < agent->retired.count; i++) {
		const struct prefix_list *list = &agent->retired.lists[i];
		const struct prefix_list *have = listset_find(&agent->have, list->name);

		if (!have || have->count == 0)
			continue;
		if (list->count == 0)
			listset_list(&left, list->name);
		for (size_t j = 0; j < list->count; j++)
			if (prefix_list_has(have, &list->items[j]))
				prefix_list_add(listset_list(&left, list->name), &list->items[j]);
	}
	listset_sort(&left);
	listset_done(&agent->retired);
	agent->retired = left;
}

/* ---- another profile ------------------------------------------------------------------------ */

static void
inherit_interfaces(struct agent_family *family, size_t e, struct agent_family *old, size_t i)
{
	memcpy(family->detection[e], old->detection[i], sizeof(family->detection[e]));
	memcpy(family->interface[e], old->interface[i], sizeof(family->interface[e]));
	memset(old->interface[i], 0, sizeof(old->interface[i])); /* they are owned */
}

static void
inherit_family(const struct profile_group *group, struct agent_family *family,
    const struct profile_group *was, struct agent_family *old)
{
	if (!family->space || !old->space)
		return;
	family->failed_said = old->failed_said;
	family->freeze_said = old->freeze_said;
	family->hold_said = old->hold_said;
	family->undecided = true;
	if (!old->undecided) {
		family->before = old->layout;
		old->layout = NULL;
	}
	for (size_t e = 0; e < group->element_count; e++) {
		size_t i = profile_element_index(was, group->elements[e].id);

		if (i != SIZE_MAX)
			inherit_interfaces(family, e, old, i);
	}
}

static void
inherit_group(struct agent *agent, size_t g, struct past *past)
{
	const struct profile_group *group = &agent->profile->groups[g], *was;
	size_t old = profile_group_index(past->profile, group->id);

	if (old == SIZE_MAX)
		return;
	was = &past->profile->groups[old];
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		inherit_family(group, &agent->family[g][f], was, &past->family[old][f]);
	for (size_t e = 0; e < group->element_count; e++) {
		size_t i = profile_element_index(was, group->elements[e].id);

		if (i != SIZE_MAX)
			agent->capacity_said[g][e] = past->capacity_said[old][i];
	}
}

static void
inherit(struct agent *agent, struct past *past)
{
	health_inherit(agent->health, past->health);
	guard_inherit(agent->guard, past->guard);
	signal_routes_inherit(agent->signals, past->signals);
	for (size_t g = 0; g < agent->profile->group_count; g++)
		inherit_group(agent, g, past);
	agent_apply_operators(agent); /* also of ids that were not there */
}

/* Another router, or the same by another account or address: nothing is known of it. */
static void
forget_router(struct agent *agent)
{
	struct event lost = { .kind = EVENT_SOURCE_LOST, .source = SOURCE_POLL, .at = mtime_now() };

	agent_record(agent, "router", "", "the profile names it otherwise: sessions begin anew");
	listset_done(&agent->static_lists);
	listset_done(&agent->committed_lists);
	listset_done(&agent->have);
	agent->static_lists = agent->committed_lists = agent->have = (struct listset){ 0 };
	agent->lists_known = agent->submitted = agent->held = false;
	agent->configured_us = 0;
	agent->first_poll_at = MTIME_NEVER;
	health_feed(agent->health, &lost, lost.at);
}

static bool
is_same_layout(const struct layout *a, const struct layout *b)
{
	struct layout_id one = layout_compute_id(a), other = layout_compute_id(b);

	return memcmp(&one, &other, sizeof(one)) == 0;
}

/* Where the same layout stands as before there is nothing to record. */
static void
settle_layouts(struct agent *agent)
{
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			struct agent_family *family = &agent->family[g][f];

			if (!family->before || !is_same_layout(family->before, family->layout))
				continue;
			layout_free(family->before);
			family->before = NULL;
			family->undecided = false;
		}
}

static void
take_sources(struct agent *agent, struct sources *sources)
{
	struct sources *old = agent->sources;

	agent->sources = sources;
	sources_inherit(sources, old);
	sources_free(old);
}

void
agent_swap_profile(
    struct agent *agent, struct profile *profile, struct sources *sources, const char *cause)
{
	struct past past = put_aside(agent);

	northbound_finish_answers(agent->northbound);
	agent_record_changes(agent); /* they borrow names */
	retire(agent, profile);
	agent_open_core(agent, profile);
	inherit(agent, &past);
	if (!agent->options.debug)
		log_set_level(profile->log_level);
	if (router_set_profile(agent->router, profile))
		forget_router(agent);
	drift_forget(agent->drift);
	if (profile->mode == MODE_MONITOR) /* what the router was asked for finds no plan */
		agent->submitted = agent->held = false;
	agent_kpi_set_profile(agent->kpi, profile);
	agent_set_watch(agent);
	if (agent->lists_known) {
		agent_take_ownership(agent);
		agent_proof_begin(agent, mtime_now());
	}
	(void)agent_decide(agent); /* what follows from it is counted below */
	settle_layouts(agent);
	/* What is under way may be what this one takes back: what the router has is no answer. */
	agent->ordered = agent->submitted || agent_count_pending(agent) > 0;
	agent_reconsider(agent, cause);
	take_sources(agent, sources);
	free_past(&past);
	router_poll_now(agent->router);
	router_audit_now(agent->router);
}
