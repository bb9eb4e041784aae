/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The picture for readers, copied out of every module when somebody asks and something changed
 * since the last time. "Effective" is what the router's lists say by first match, never what we
 * wish; the difference is what `misplaced` and `pending_edits` count.
 */
#define _GNU_SOURCE
#include "agent_internal.h"
#include "agent_kpi_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct clock_pair {
	struct mtime now;
	int64_t wall_us;
	int64_t polled_us; /* when the ages that a poll told were true */
};

static int64_t
to_wall(const struct clock_pair *clock, struct mtime t)
{
	return mtime_is_never(t) ? 0 : clock->wall_us - (clock->now.us - t.us);
}

static char *
copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

/* ---- one element, one family --------------------------------------------------------------- */

static void
fill_peer(struct status_peer *ret, const struct profile_peer *peer,
    const struct health_peer_view *view, const struct agent_detection *detection,
    const struct clock_pair *clock)
{
	ret->address = peer->address;
	ret->instance = xstrdup(peer->instance);
	ret->bgp = view->bgp;
	ret->bfd = view->bfd;
	ret->unprotected = view->unprotected;
	ret->cause = view->cause;
	ret->source = view->source;
	ret->since_us = to_wall(clock, view->since);
	if (view->established_s >= 0)
		ret->established_us = clock->polled_us - view->established_s * 1000000;
	ret->flaps = view->flaps;
	ret->bfd_mode = peer->bfd;
	ret->routes = view->routes;
	ret->lacks_routes = view->lacks_routes;
	ret->detection_us = detection->negotiated_us;
	ret->configured_us = detection->configured_us;
	ret->slow_bfd = agent_detection_is_slow(detection);
}

static uint32_t
count_entries(const struct listset *set, const char *name, const struct prefix *sentinel)
{
	const struct prefix_list *list = listset_find(set, name);

	if (!list)
		return 0;
	return (uint32_t)(list->count - prefix_list_has(list, sentinel));
}

static void
fill_units(
    struct agent *agent, size_t g, size_t e, enum family f, struct status_element_family *ret)
{
	const struct agent_family *family = &agent->family[g][f];
	const struct profile_group *group = &agent->profile->groups[g];
	const struct profile_element_family *names = &group->elements[e].family[f];
	const struct prefix *sentinel = &agent->profile->sentinel[f];
	size_t units = layout_space_units(family->space), effective = 0;

	ret->base_units = (uint32_t)layout_space_base_count(family->space, e);
	if (family->layout)
		ret->wanted_share = layout_share(family->layout, e);
	ret->wanted_units = (uint32_t)ret->wanted_share;
	ret->effective_share = family->effective_share[e];
	for (size_t unit = 0; unit < units; unit++)
		effective += family->effective[unit] == e;
	ret->effective_units = (uint32_t)effective;
	if (profile_owns_list(group, e, f, names->base_list))
		ret->base_entries = count_entries(&agent->static_lists, names->base_list, sentinel);
	if (profile_owns_list(group, e, f, names->override_list))
		ret->override_entries = count_entries(&agent->have, names->override_list, sentinel);
}

static void
fill_element_family(struct agent *agent, size_t g, size_t e, enum family f,
    struct status_element_family *ret, const struct clock_pair *clock)
{
	const struct profile_element *element = &agent->profile->groups[g].elements[e];
	struct health_view view;

	ret->present = element->family[f].present && agent->family[g][f].space;
	if (!ret->present)
		return;
	health_view(agent->health, g, e, f, &view);
	ret->state = view.state;
	ret->healthy = view.healthy;
	ret->serving = view.serving;
	ret->reason = copy(view.reason ? view.reason : "");
	ret->since_us = to_wall(clock, view.since);
	ret->hold_until_us = to_wall(clock, view.hold_until);
	ret->damped_until_us = to_wall(clock, view.damped_until);
	ret->downs = view.downs;
	ret->awaits_operator = view.awaits_operator;
	ret->then_awaits = view.then_awaits;
	for (enum side s = 0; s < SIDE_COUNT; s++) {
		const struct agent_detection detection = agent_detection(agent, g, e, f, s);

		fill_peer(
		    &ret->peer[s], &element->family[f].peer[s], &view.peer[s], &detection, clock);
	}
	fill_units(agent, g, e, f, ret);
	agent_fill_pools(agent, g, e, f, ret);
}

static void
fill_load(struct agent *agent, size_t g, size_t e, const struct capacity_load *load,
    struct status_element *ret)
{
	const struct profile_group *group = &agent->profile->groups[g];

	ret->failure_domain = copy(group->elements[e].failure_domain);
	if (!load)
		return;
	ret->capacity = capacity_of(&group->elements[e]);
	ret->load_base = load->base;
	ret->load_worst = load->worst;
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		ret->load_now += capacity_load_of(group, ret->family[f].effective_share);
}

static void
fill_element(struct agent *agent, size_t g, size_t e, struct status_element *ret,
    const struct clock_pair *clock)
{
	const struct profile_element *element = &agent->profile->groups[g].elements[e];
	const struct operator_entry *forced =
	    operator_state_find(&agent->operators, OPERATOR_OFFLINE, element->id);

	ret->id = xstrdup(element->id);
	ret->name = xstrdup(element->name);
	ret->weight = element->weights[element->weight_count - 1].weight;
	ret->failed_weight = element->failed_weight;
	ret->removed = element->removed;
	if (forced && !element->removed) {
		ret->forced = true;
		ret->forced_by = copy(forced->who);
		ret->forced_reason = copy(forced->reason);
		ret->forced_at_us = forced->when_us;
	}
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		fill_element_family(agent, g, e, f, &ret->family[f], clock);
}

/* ---- one group ------------------------------------------------------------------------------ */

static bool
has_domains(const struct profile_group *group)
{
	for (size_t e = 0; e < group->element_count; e++)
		if (group->elements[e].failure_domain)
			return true;
	return false;
}

/* Entries whose successor would die with their owner. */
static uint32_t
count_same_domain(const struct layout *layout)
{
	const struct layout_space *space = layout_get_space(layout);
	size_t pieces = layout_pieces(layout);
	uint32_t count = 0;
	uint8_t *standby;

	if (!has_domains(layout_space_group(space)))
		return 0;
	standby = xcalloc(pieces, sizeof(*standby));
	layout_standby_split(layout, standby, NULL);
	for (size_t i = 0; i < pieces; i++)
		count += layout_same_domain(space, layout_piece(layout, i).owner, standby[i]);
	free(standby);
	return count;
}

static void
count_units(struct agent *agent, const struct agent_family *family, struct status_group_family *ret)
{
	if (family->layout) {
		ret->misplaced =
		    (uint32_t)plan_misplaced(family->layout, &agent->static_lists, &agent->have);
		ret->pieces = (uint32_t)layout_pieces(family->layout);
		ret->split_bits = (uint8_t)layout_get_bits(family->layout);
		ret->standby_same_domain = count_same_domain(family->layout);
	}
	for (size_t unit = 0; unit < layout_space_units(family->space); unit++) {
		uint8_t base = layout_space_base(family->space, unit);
		uint8_t owner =
		    family->layout ? layout_unit_owner(family->layout, unit) : LAYOUT_NONE;
		ret->displaced += owner != base;
		ret->base_drift += family->static_owner[unit] != base;
	}
}

bool
agent_has_route(const struct agent *agent, const struct prefix *route)
{
	const struct prefix_list *routes = listset_find(&agent->have, LISTSET_SIGNAL_ROUTES);

	return routes && prefix_list_has(routes, route);
}

static void
fill_signal(struct agent *agent, size_t g, enum family f, struct status_group_family *ret,
    const struct clock_pair *clock)
{
	const struct profile_group *group = &agent->profile->groups[g];
	const struct profile_signal *signal = &group->signal[f];

	for (size_t e = 0; e < group->element_count; e++)
		ret->alive += health_is_healthy(agent->health, g, e, f);
	ret->min_alive = signal->min_alive;
	ret->has_failed_route = signal->has_failed;
	ret->has_alter_route = signal->has_alter;
	ret->failed_route = signal->failed_route;
	ret->alter_route = signal->alter_route;
	ret->failed_wanted = signal_routes_is_failed(agent->signals, g, f);
	ret->alter_wanted = signal_routes_is_altered(agent->signals, g, f);
	ret->failed_installed = signal->has_failed && agent_has_route(agent, &signal->failed_route);
	ret->alter_installed = signal->has_alter && agent_has_route(agent, &signal->alter_route);
	ret->signal_hold_until_us = to_wall(clock, signal_routes_hold_until(agent->signals, g, f));
}

static void
fill_group_family(struct agent *agent, size_t g, enum family f, struct status_group_family *ret,
    const struct clock_pair *clock)
{
	struct agent_family *family = &agent->family[g][f];

	ret->present = family->space;
	if (!family->space)
		return;
	ret->return_path = agent->profile->groups[g].return_path[f];
	ret->units = (uint32_t)layout_space_units(family->space);
	count_units(agent, family, ret);
	fill_signal(agent, g, f, ret, clock);
	ret->base_layout_id = family->base_id;
	if (family->layout)
		ret->layout_id = agent_layout_id(family);
	ret->freeze = guard_freeze(agent->guard, g, f);
	if (ret->freeze != FREEZE_NOT)
		ret->freeze_reason = copy(guard_reason(agent->guard, g, f));
	if (*guard_hold_reason(agent->guard, g, f))
		ret->nat_hold = copy(guard_hold_reason(agent->guard, g, f));
}

static void
fill_group(struct agent *agent, size_t g, struct status_group *ret, const struct clock_pair *clock)
{
	const struct profile_group *group = &agent->profile->groups[g];
	const struct operator_entry *frozen =
	    operator_state_find(&agent->operators, OPERATOR_FREEZE, group->id);
	const struct operator_entry *altered =
	    operator_state_find(&agent->operators, OPERATOR_ALTER, group->id);
	const struct capacity_load *loads = agent_find_loads(agent, g);

	ret->id = xstrdup(group->id);
	ret->name = xstrdup(group->name);
	if (frozen) {
		ret->frozen_by = copy(frozen->who);
		ret->frozen_reason = copy(frozen->reason);
		ret->frozen_at_us = frozen->when_us;
	}
	if (altered) {
		ret->altered_by = copy(altered->who);
		ret->altered_reason = copy(altered->reason);
		ret->altered_at_us = altered->when_us;
	}
	ret->capacity_label = copy(group->capacity_label);
	ret->tolerance_known = agent_find_tolerance(agent, g, &ret->tolerance);
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		fill_group_family(agent, g, f, &ret->family[f], clock);
	ret->element_count = group->element_count;
	ret->elements = xcalloc(group->element_count, sizeof(*ret->elements));
	for (size_t e = 0; e < group->element_count; e++)
		fill_element(agent, g, e, &ret->elements[e], clock);
	for (size_t e = 0; e < group->element_count; e++)
		fill_load(agent, g, e, loads ? &loads[e] : NULL, &ret->elements[e]);
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		agent_fill_blocks(agent, g, f, ret);
}

/* Pending edits are counted by list, and a list belongs to one group and family. */
static void
count_pending(struct agent *agent, struct status *status)
{
	struct listset want;
	struct plan plan;

	agent_diff(agent, false, &want, &plan);
	for (size_t i = 0; i < plan.count; i++)
		for (size_t g = 0; g < status->group_count; g++)
			for (size_t e = 0; e < status->groups[g].element_count; e++) {
				const struct profile_element *element =
				    &agent->profile->groups[g].elements[e];
				enum family f = plan.edits[i].item.address.family;
				const char *name = element->family[f].override_list;
				if (name && strcmp(name, plan.edits[i].list) == 0 &&
				    profile_owns_list(&agent->profile->groups[g], e, f, name))
					status->groups[g].family[f].pending_edits++;
			}
	plan_done(&plan);
	listset_done(&want);
}

/* ---- the rest ------------------------------------------------------------------------------- */

static void
append(char ***names, size_t *count, const char *name)
{
	*names = xreallocarray(*names, *count + 1, sizeof(**names));
	(*names)[(*count)++] = xstrdup(name);
}

static void
on_two_writers(void *arg, const char *list)
{
	struct status *status = arg;

	append(&status->two_writers, &status->two_writer_count, list);
}

static void
fill_source(const struct source_counters *counters, bool enabled, const struct clock_pair *clock,
    struct status_source *ret)
{
	*ret = (struct status_source){ .enabled = enabled,
		.connected = counters->connected,
		.last_us = to_wall(clock, counters->last),
		.messages = counters->messages,
		.events = counters->events,
		.errors = counters->errors,
		.foreign = counters->foreign };
}

static void
fill_router(struct agent *agent, struct status *status, const struct clock_pair *clock)
{
	const struct ip *address = router_connected_to(agent->router);
	char text[IP_TEXT_SIZE];

	status->router_address = xstrdup(address ? ip_format(address, text) : "");
	status->stage = router_get_stage(agent->router);
	status->edit_up = router_session_is_up(agent->router, true);
	status->read_up = router_session_is_up(agent->router, false);
	status->session_since_us = agent->session_since_us;
	status->lists_known = agent->lists_known;
	status->last_error = xstrdup(router_last_error(agent->router));
	status->counters = *router_get_counters(agent->router);
	status->last = agent->last;
	status->last.cause = copy(agent->last.cause);
	status->audit_at_us = agent->audit_at_us;
	status->audit_drift = agent->audit_drift;
	drift_each_list(agent->drift, on_two_writers, status);
	if (agent->foreign_routes)
		append(&status->foreign, &status->foreign_count, "static routes");
	for (size_t i = 0; i < agent->have.count; i++)
		if (agent->have.lists[i].count > 0 &&
		    !agent_is_our_list(agent, agent->have.lists[i].name))
			append(&status->foreign, &status->foreign_count, agent->have.lists[i].name);
	fill_source(sources_get_counters(agent->sources, SOURCE_BMP), agent->profile->bmp.enabled,
	    clock, &status->source[SOURCE_BMP]);
	fill_source(sources_get_counters(agent->sources, SOURCE_SYSLOG),
	    agent->profile->syslog.enabled, clock, &status->source[SOURCE_SYSLOG]);
	status->source[SOURCE_POLL] = (struct status_source){ .enabled = true,
		.connected = status->read_up,
		.last_us = agent->polled_us ? to_wall(clock, agent->polled_at) : 0,
		.messages = status->counters.polls,
		.errors = agent->blind_polls };
}

static void
fill_alarms(const struct alarms *alarms, struct status *status)
{
	size_t count = alarms_count(alarms), position = 0;

	status->alarms = xcalloc(count ? count : 1, sizeof(*status->alarms));
	while (status->alarm_count < count)
		alarm_copy(alarms_next(alarms, &position), &status->alarms[status->alarm_count++]);
	status->alarms_suppressed = alarms_suppressed(alarms);
	status->alarms_last_change_us = alarms_last_change(alarms);
}

static struct status *
build(struct agent *agent)
{
	struct status *status = xcalloc(1, sizeof(*status));
	struct clock_pair clock = { mtime_now(), wallclock_now_us(), agent->polled_us };
	char hostname[256] = "";

	gethostname(hostname, sizeof(hostname) - 1);
	status->hostname = xstrdup(hostname);
	status->version = xstrdup(AUTOFBF_VERSION);
	status->now_us = clock.wall_us;
	status->started_us = agent->started_us;
	status->mode = agent->profile->mode;
	memcpy(status->profile_id, agent->profile->id, sizeof(status->profile_id));
	status->profile_path = xstrdup(agent->options.profile_path);
	status->poll_interval_ms = agent->profile->poll_interval_ms;
	status->audit_interval_ms = agent->profile->audit_interval_ms;
	fill_router(agent, status, &clock);
	status->group_count = agent->profile->group_count;
	status->groups = xcalloc(status->group_count, sizeof(*status->groups));
	for (size_t g = 0; g < status->group_count; g++)
		fill_group(agent, g, &status->groups[g], &clock);
	count_pending(agent, status);
	agent_kpi_fill(agent, status, clock.now, clock.wall_us);
	fill_alarms(agent->alarms, status);
	return status;
}

const struct status *
agent_get_status(void *arg)
{
	struct agent *agent = arg;

	if (!agent->status)
		agent->status = build(agent);
	agent->status->now_us = wallclock_now_us();
	return agent->status;
}
