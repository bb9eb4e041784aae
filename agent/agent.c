/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The story:  event -> health -> guard -> layout -> plan -> router;  all of it -> status ->
 * readers.
 *
 * agent.c owns every module and is the only file that knows them all. Whatever happens (an event
 * from a listener, a poll, a timer, lists read from the router, an operator's word) is fed to its
 * module and ends in agent_reconsider(): may the layout follow the healthy set, and if lists
 * differ, ask the router for a transaction. The plan itself is made when the router opens the
 * instance, so a refused or delayed open never sends a stale one.
 *
 * Nothing is written before the router's lists were read, in mode monitor, or for a frozen family.
 */
#include "agent_internal.h"
#include "agent_kpi_internal.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dir_lock.h"
#include "log.h"

enum { HISTORY_KEEP = 1000 };

/* ---- small things -------------------------------------------------------------------------- */

void
agent_touch(struct agent *agent)
{
	status_free(agent->status);
	agent->status = NULL;
}

/* ---- plan ---------------------------------------------------------------------------------- */

/* Nothing is written of it, and where nobody is left nothing is even wanted. */
static bool
is_left_alone(const struct agent *agent, size_t g, enum family f, bool only_writable)
{
	enum freeze freeze = guard_freeze(agent->guard, g, f);

	return freeze == FREEZE_NOBODY || (only_writable && freeze != FREEZE_NOT);
}

/* The list that an earlier profile named steers a family that was frozen before the list's
 * successor could be written. */
static bool
is_still_needed(const struct agent *agent, const char *retired, bool only_writable)
{
	const struct prefix_list *list = listset_find(&agent->have, retired);

	for (size_t i = 0; list && i < list->count; i++)
		for (size_t g = 0; g < agent->profile->group_count; g++) {
			enum family f = list->items[i].address.family;
			const struct layout_space *space = agent->family[g][f].space;

			if (space && is_left_alone(agent, g, f, only_writable) &&
			    layout_space_find(space, &list->items[i].address) != SIZE_MAX)
				return true;
		}
	return false;
}

void
agent_diff(struct agent *agent, bool only_writable, struct listset *ret_want, struct plan *ret_plan)
{
	*ret_want = (struct listset){ 0 };
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			if (!agent->family[g][f].layout ||
			    is_left_alone(agent, g, f, only_writable))
				continue;
			plan_override(agent->family[g][f].layout, &agent->static_lists, ret_want);
		}
	signal_routes_want(agent->signals, ret_want);
	for (size_t i = 0; i < agent->retired.count; i++)
		if (!is_still_needed(agent, agent->retired.lists[i].name, only_writable))
			listset_list(ret_want, agent->retired.lists[i].name);
	listset_sort(ret_want);
	plan_make(&agent->have, ret_want, ret_plan);
}

size_t
agent_count_pending(struct agent *agent)
{
	struct listset want;
	struct plan plan;
	size_t count;

	agent_diff(agent, true, &want, &plan);
	drift_filter(agent->drift, &plan);
	count = plan.count;
	plan_done(&plan);
	listset_done(&want);
	return count;
}

/* A transaction that runs is told of every new wish; a load that failed waits for one. */
static void
submit_if_needed(struct agent *agent, bool wish_changed)
{
	if (wish_changed) {
		agent->wish_changed = true;
		agent->held = false;
		drift_forget(agent->drift);
	}
	if (!agent->lists_known || agent->profile->mode == MODE_MONITOR || agent->held)
		return;
	if (agent->submitted ? !wish_changed : agent_count_pending(agent) == 0)
		return;
	if (!agent->submitted)
		agent->submitted_at = mtime_now();
	agent->submitted = true;
	router_submit(agent->router);
}

/* ---- timers -------------------------------------------------------------------------------- */

void
agent_arm(struct event *timer, struct mtime at)
{
	struct mtime now = mtime_now();
	int64_t us = at.us > now.us ? at.us - now.us : 0;
	const struct timeval tv = { us / 1000000, us % 1000000 };

	if (mtime_is_never(at))
		evtimer_del(timer);
	else
		evtimer_add(timer, &tv);
}

static void
arm_timer(struct agent *agent)
{
	struct mtime next = mtime_min(health_deadline(agent->health), guard_deadline(agent->guard));
	struct mtime look = guard_look_at(agent->guard);

	if (!agent_is_frozen(agent))
		next = mtime_min(next, signal_routes_deadline(agent->signals));
	if (look.us != agent->look_asked.us)
		next = mtime_min(next, look);
	next = mtime_min(next, agent_proof_deadline(agent->kpi));
	agent_arm(agent->timer, next);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct agent *agent = arg;
	struct mtime now = mtime_now();
	struct mtime look = guard_look_at(agent->guard);

	if (mtime_reached(now, look) && look.us != agent->look_asked.us) {
		agent->look_asked = look;
		router_poll_now(agent->router);
	}
	agent_proof_tick(agent, now);
	/* First, so that an element whose hold-down is over speaks for what follows from it. */
	health_tick(agent->health, now);
	agent_reconsider(agent, "a wait is over");
}

/* ---- the centre ---------------------------------------------------------------------------- */

static void
note_cause(struct agent *agent, const char *cause)
{
	if (agent->cause || !cause)
		return;
	agent->cause = xstrdup(cause);
	agent->first_event_us = agent->event_us;
}

static void
forget_cause(struct agent *agent)
{
	free(agent->cause);
	agent->cause = NULL;
	agent->first_event_us = 0;
}

void
agent_reconsider(struct agent *agent, const char *cause)
{
	struct mtime now = mtime_now();
	bool changed;

	if (cause && agent->change[0])
		cause = agent->change;
	health_tick(agent->health, now);
	guard_update(agent->guard, agent->health, now);
	changed = agent_decide(agent);
	if (changed)
		note_cause(agent, cause);
	submit_if_needed(agent, changed);
	agent_record_changes(agent);
	agent_record_decisions(agent, cause);
	if (!agent->submitted && !agent->held)
		forget_cause(agent);
	agent->change[0] = '\0';
	agent_record_freezes(agent);
	agent_kpi_follow(agent, now);
	agent_alarm_soon(agent);
	arm_timer(agent);
	agent_touch(agent);
}

static void
on_source_event(void *arg, const struct event *event)
{
	struct agent *agent = arg;

	if (event->kind == EVENT_COMMITTED) {
		agent_record(agent, "router", "", "the static configuration was committed");
		router_audit_now(agent->router);
		return;
	}
	if (event->kind == EVENT_IGNORED)
		return;
	agent->event_us = wallclock_now_us();
	if (health_feed(agent->health, event, mtime_now()))
		agent_reconsider(agent, event_source_names[event->source]);
	else
		arm_timer(agent);
	agent->event_us = 0;
}

/* ---- the router's side ---------------------------------------------------------------------- */

static void
on_session(void *arg, bool is_edit, bool up, const char *detail)
{
	struct agent *agent = arg;
	struct event lost = { .kind = EVENT_SOURCE_LOST, .source = SOURCE_POLL, .at = mtime_now() };

	agent_record(agent, "router", "", "%s session %s%s%s", is_edit ? "edit" : "read",
	    up ? "up" : "down", detail && *detail ? ": " : "", detail ? detail : "");
	if (is_edit)
		agent->session_since_us = wallclock_now_us();
	if (!is_edit && !up) {
		agent->was_blind = true;
		health_feed(agent->health, &lost, lost.at);
	}
	agent_reconsider(agent, "router session");
}

static void
take_family(struct agent *agent, size_t g, enum family f)
{
	const struct profile_group *group = &agent->profile->groups[g];
	struct agent_family *family = &agent->family[g][f];
	const struct listset nothing = { 0 };

	plan_effective(family->space, &agent->static_lists, &agent->have, family->effective);
	plan_effective(family->space, &agent->static_lists, &nothing, family->static_owner);
	plan_effective_share(
	    family->space, &agent->static_lists, &agent->have, family->effective_share);
	free(family->nat_count);
	family->nat_count = NULL;
	for (size_t e = 0; e < group->element_count; e++)
		health_set_owns(
		    agent->health, g, e, f, family->effective_share[e] > 0, mtime_now());
	family->base_drift = 0;
	for (size_t unit = 0; unit < layout_space_units(family->space); unit++)
		family->base_drift +=
		    family->static_owner[unit] != layout_space_base(family->space, unit);
}

void
agent_take_ownership(struct agent *agent)
{
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			if (agent->family[g][f].space)
				take_family(agent, g, f);
}

/* What we have not written yet, or never shall, is nobody's drift; neither is what other base lists
 * make needless or necessary: the operator has committed them. */
static void
check_drift(struct agent *agent, bool is_audit, bool is_new_base)
{
	struct listset want;
	struct plan plan;
	size_t reached;

	if (is_audit) {
		agent->audit_at_us = wallclock_now_us();
		agent->audit_drift = 0;
	}
	if (agent->held || agent->profile->mode == MODE_MONITOR || is_new_base)
		return;
	agent_diff(agent, true, &want, &plan);
	if (is_audit)
		agent->audit_drift = (uint32_t)plan.count;
	if (plan.count)
		agent_record(agent, "drift", "",
		    "the router's lists differ by %zu entries, first %s", plan.count,
		    plan.edits[0].list);
	reached = is_audit ? drift_note(agent->drift, &plan) : drift_note_own(agent->drift, &plan);
	if (reached)
		agent_record(agent, "drift", "",
		    "two writers: the same repair was needed %d times in a row; left alone until "
		    "the next change of the layout or of a signal route, or 'autofbf audit now'",
		    DRIFT_LIMIT);
	plan_done(&plan);
	listset_done(&want);
}

/* Other static routes in the instance are reported, never touched. */
static void
keep_our_routes(struct agent *agent)
{
	struct prefix_list *routes;
	size_t kept = 0;

	agent->foreign_routes = 0;
	if (!listset_find(&agent->have, LISTSET_SIGNAL_ROUTES))
		return;
	routes = listset_list(&agent->have, LISTSET_SIGNAL_ROUTES);
	for (size_t i = 0; i < routes->count; i++)
		if (agent_is_our_route(agent, &routes->items[i]))
			routes->items[kept++] = routes->items[i];
		else
			agent->foreign_routes++;
	routes->count = kept;
}

static bool
is_base_list(const struct profile *profile, const char *name)
{
	for (size_t g = 0; g < profile->group_count; g++)
		for (size_t e = 0; e < profile->groups[g].element_count; e++)
			for (enum family f = 0; f < FAMILY_COUNT; f++) {
				const char *base =
				    profile->groups[g].elements[e].family[f].base_list;
				if (base && strcmp(base, name) == 0)
					return true;
			}
	return false;
}

/* Somebody's items for base lists in the instance: a filter sees them like static ones, so what
 * they say counts as base. They are not ours to remove, but our overrides win over them. */
static void
add_foreign_base(struct agent *agent)
{
	bool any = false;

	for (size_t i = 0; i < agent->have.count; i++) {
		const struct prefix_list *foreign = &agent->have.lists[i];
		struct prefix_list *base;
		if (!is_base_list(agent->profile, foreign->name))
			continue;
		any = true;
		base = listset_list(&agent->static_lists, foreign->name);
		for (size_t j = 0; j < foreign->count; j++)
			prefix_list_add(base, &foreign->items[j]);
	}
	if (any)
		listset_sort(&agent->static_lists);
}

static void
on_lists(void *arg, const struct listset *static_lists, const struct listset *ephemeral_lists,
    bool is_audit)
{
	struct agent *agent = arg;
	bool first = !agent->lists_known;
	bool is_new_base = !first && !listset_equal(static_lists, &agent->committed_lists);

	listset_done(&agent->have);
	listset_done(&agent->static_lists);
	listset_done(&agent->committed_lists);
	agent->static_lists = agent->committed_lists = agent->have = (struct listset){ 0 };
	listset_copy(static_lists, &agent->static_lists);
	listset_copy(static_lists, &agent->committed_lists);
	listset_copy(ephemeral_lists, &agent->have);
	add_foreign_base(agent);
	keep_our_routes(agent);
	if (first)
		signal_routes_adopt(agent->signals, &agent->have, mtime_now());
	agent->lists_known = true;
	agent_forget_retired(agent);
	agent_take_ownership(agent);
	if (first)
		agent_proof_begin(agent, mtime_now());
	if (is_audit && !agent->submitted)
		check_drift(agent, true, is_new_base);
	/* Edits that follow from it are no repair. The layout stays, so nothing else would tell. */
	if (is_new_base && !agent->cause)
		agent->cause = xstrdup("new base lists on the router");
	agent_reconsider(agent, first ? "start" : is_audit ? "audit" : "the router's lists");
}

/* The wish is under way: what comes now has a cause of its own. A retry keeps the one it had. */
static void
hand_out_cause(struct agent *agent)
{
	agent->planned.decision = agent->decision;
	if (!agent->cause)
		return;
	free(agent->planned.cause);
	agent->planned.cause = agent->cause;
	agent->planned.first_event_us = agent->first_event_us;
	agent->cause = NULL;
	forget_cause(agent);
}

static void
forget_planned(struct agent *agent)
{
	free(agent->planned.cause);
	agent->planned.cause = NULL;
	agent->planned.first_event_us = 0;
}

/* The mode may be another one since the router was asked, or since it took a load. */
static bool
may_write(void *arg)
{
	const struct agent *agent = arg;

	return agent->profile->mode != MODE_MONITOR;
}

static bool
on_plan(void *arg, struct plan *ret_plan)
{
	struct agent *agent = arg;

	if (!may_write(agent))
		return false;
	listset_done(&agent->want);
	agent_diff(agent, true, &agent->want, ret_plan);
	drift_filter(agent->drift, ret_plan);
	agent->wish_changed = false;
	agent->planned_edits = ret_plan->count;
	agent->planned.adds = ret_plan->adds;
	agent->planned.removes = ret_plan->removes;
	agent_note_groups(agent, ret_plan);
	hand_out_cause(agent);
	if (ret_plan->count == 0)
		plan_done(ret_plan);
	return agent->planned_edits > 0;
}

static void
on_done(void *arg, enum router_outcome outcome, const struct router_times *times, size_t edits,
    const char *detail)
{
	struct agent *agent = arg;
	bool retried_by_router = outcome == ROUTER_REFUSED;

	agent->outcome = outcome;
	if (edits || outcome != ROUTER_COMMITTED)
		agent_record_commit(agent, outcome, times, edits, detail);
	if (!retried_by_router)
		agent->submitted = false;
	agent->held = outcome == ROUTER_LOAD_FAILED || outcome == ROUTER_DATABASE_FULL;
	if (edits && outcome == ROUTER_COMMITTED) {
		agent_kpi_note_commit(agent);
		agent_proof_begin(agent, mtime_now());
	}
	if (outcome == ROUTER_COMMITTED)
		forget_planned(agent);
	if (outcome == ROUTER_COMMITTED && !agent->wish_changed) {
		forget_cause(agent);
		check_drift(agent, false, false);
	}
	agent_reconsider(agent, NULL);
}

static void
on_poll(void *arg, const struct router_poll *poll)
{
	agent_take_poll(arg, poll);
}

static void
on_counters(void *arg, const struct router_count *count)
{
	agent_kpi_take(arg, count);
}

/* ---- birth and death ------------------------------------------------------------------------ */

/* Without the diary the agent does its job; without the operator's orders it would do another one.
 */
static int
open_files(struct agent *agent, struct error *err)
{
	char *events = xasprintf("%s/events.jsonl", agent->options.state_dir);
	int rc = dir_lock_take(agent->options.state_dir, "--state-dir", &agent->state_lock, err);

	agent->state_path = xasprintf("%s/state.json", agent->options.state_dir);
	if (rc == 0 && agent->state_lock < 0)
		log_warn("agent", "%s", err->text);
	if (rc == 0)
		rc = state_file_load(agent->state_path, &agent->operators, err);
	if (rc == 0)
		agent->history = history_open(events, HISTORY_KEEP);
	free(events);
	return rc;
}

int
agent_open_sources(struct agent *agent, const struct profile *profile, struct sources **ret_sources,
    struct error *err)
{
	return sources_new(
	    agent->base, profile, agent->sources, on_source_event, agent, ret_sources, err);
}

static int
open_shell(struct agent *agent, struct error *err)
{
	const struct router_callbacks callbacks = { .on_session = on_session,
		.on_lists = on_lists,
		.on_plan = on_plan,
		.is_wanted = may_write,
		.on_done = on_done,
		.on_poll = on_poll,
		.on_counters = on_counters,
		.arg = agent };
	struct northbound_operations operations = agent_operations;
	int rc;

	operations.arg = agent;
	rc = agent_open_sources(agent, agent->profile, &agent->sources, err);
	if (rc < 0)
		return rc;
	rc = northbound_new(agent->base, agent->options.socket_path, agent->options.yang_dir,
	    &operations, &agent->northbound, err);
	if (rc < 0)
		return rc;
	agent->router = router_new(agent->base, agent->profile, &callbacks);
	agent_set_watch(agent);
	return 0;
}

int
agent_new(struct event_base *base, struct profile *profile, const struct agent_options *options,
    struct agent **ret_agent, struct error *err)
{
	struct agent *agent = xcalloc(1, sizeof(*agent));
	int rc;

	agent->options = *options;
	agent->base = base;
	agent->state_lock = -1;
	agent->started_us = wallclock_now_us();
	agent->timer = evtimer_new(base, on_timer, agent);
	agent->polled_at = agent->sighted_at = mtime_now();
	agent->first_poll_at = MTIME_NEVER;
	agent_alarm_open(agent);
	agent->drift = drift_new();
	agent_open_core(agent, profile);
	agent->kpi = agent_kpi_new(profile);
	rc = open_files(agent, err);
	if (rc < 0)
		goto out;
	rc = open_shell(agent, err);
	if (rc < 0)
		goto out;
	agent_apply_operators(agent);
	agent_record(agent, "agent", "", "started, profile %.8s, mode %s", profile->id,
	    agent_mode_names[profile->mode]);
	agent_reconsider(agent, NULL);
	*ret_agent = agent;
	return 0;
out:
	agent_free(agent);
	return rc;
}

void
agent_free(struct agent *agent)
{
	if (!agent)
		return;
	sources_free(agent->sources);
	router_free(agent->router);
	northbound_free(agent->northbound);
	if (agent->timer)
		event_free(agent->timer);
	agent_alarm_close(agent);
	agent_kpi_free(agent->kpi); /* it counts by the profile, which ends with the core */
	agent_close_core(agent);
	listset_done(&agent->retired);
	drift_free(agent->drift);
	history_close(agent->history);
	operator_state_done(&agent->operators);
	listset_done(&agent->static_lists);
	listset_done(&agent->committed_lists);
	listset_done(&agent->have);
	listset_done(&agent->want);
	status_free(agent->status);
	free(agent->state_path);
	if (agent->state_lock >= 0)
		close(agent->state_lock);
	for (size_t i = 0; i < agent->change_count; i++)
		free(agent->changes[i].text);
	free(agent->changes);
	free(agent->refused);
	free(agent->pool_refusal);
	free(agent->cause);
	free(agent->planned.cause);
	free(agent->planned.groups);
	free(agent->last.cause);
	free(agent);
}
