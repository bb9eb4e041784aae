/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is wrong now, as conditions for the alarm table: the router and what was asked of it,
 * groups, elements, and what operators hold. Each function looks at live modules and says what it
 * sees with figures; how long it must last, how bad it is and what to do are the type's
 * (alarm_kind.c).
 *
 * An element that is offline by an operator is not told as down: somebody works on it.
 */
#include "agent_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 260, CAPACITY_NEAR_PERCENT = 80, VERDICT_POLLS = 2, MUTE_SLACK_MS = 5000 };

/* ---- the router ----------------------------------------------------------------------------- */

static void
assert_sessions(const struct agent *agent, struct alarms *alarms)
{
	const struct alarm_condition condition = { .type = ALARM_AGENT_BLIND, .name = "router" };
	bool edit = router_session_is_up(agent->router, true);
	bool read = router_session_is_up(agent->router, false);
	const char *error = router_last_error(agent->router);

	if (!edit || !read)
		alarms_assert(alarms, &condition, "%s lost%s%s",
		    edit   ? "the read session is"
		    : read ? "the edit session is"
		           : "both sessions are",
		    *error ? ": " : "", error);
}

static void
assert_commits(const struct agent *agent, struct alarms *alarms)
{
	struct alarm_condition condition = { .type = ALARM_COMMIT_PENDING, .name = "router" };
	enum router_stage stage = router_get_stage(agent->router);

	if (agent->submitted) {
		condition.age_us = mtime_now().us - agent->submitted_at.us;
		alarms_assert(alarms, &condition, "edits wait, stage %s, cause: %s",
		    router_stage_names[stage],
		    agent->cause           ? agent->cause
		    : agent->planned.cause ? agent->planned.cause
		                           : "repair");
	}
	if (!agent->held && !agent->submitted)
		return;
	condition = (struct alarm_condition){ .type = agent->outcome == ROUTER_DATABASE_FULL
		                                          ? ALARM_DATABASE_FULL
		                                          : ALARM_COMMIT_FAILED,
		.name = "router" };
	if (agent->outcome == ROUTER_DATABASE_FULL || agent->outcome == ROUTER_LOAD_FAILED)
		alarms_assert(alarms, &condition, "%s", router_last_error(agent->router));
}

static void
on_two_writers(void *arg, const char *list)
{
	struct alarms *alarms = arg;
	const struct alarm_condition condition = { .type = ALARM_TWO_WRITERS, .name = list };

	alarms_assert(alarms, &condition, "%s: the same repair was needed %d times in a row", list,
	    DRIFT_LIMIT);
}

static void
assert_drift(const struct agent *agent, struct alarms *alarms)
{
	const struct alarm_condition condition = { .type = ALARM_DRIFT_REPAIRED, .name = "router" };

	if (agent->audit_drift > 0)
		alarms_assert(alarms, &condition,
		    "the last audit found %u %s other than we had written", agent->audit_drift,
		    agent->audit_drift == 1 ? "entry" : "entries");
	drift_each_list(agent->drift, on_two_writers, alarms);
}

/* When a session was last seen to change; INT64_MIN: none was. */
static struct mtime
last_edge(const struct agent *agent)
{
	const struct profile *profile = agent->profile;
	struct mtime last = { INT64_MIN };

	for (size_t g = 0; g < profile->group_count; g++)
		for (size_t e = 0; e < profile->groups[g].element_count; e++)
			for (enum family f = 0; f < FAMILY_COUNT; f++) {
				struct health_view view;

				health_view(agent->health, g, e, f, &view);
				for (enum side s = 0; s < SIDE_COUNT; s++)
					if (view.peer[s].edge_at.us > last.us)
						last = view.peer[s].edge_at;
			}
	return last;
}

/*
 * A quiet network has nothing to tell, so silence proves nothing; a session that changed, and
 * others say so, does. A poll sees the change up to an interval after the source had told it.
 */
static void
assert_not_mute(
    const struct agent *agent, struct alarms *alarms, enum event_source which, struct mtime edge_at)
{
	const struct source_counters *source = sources_get_counters(agent->sources, which);
	struct alarm_condition condition = { .type = ALARM_SOURCE_STALE,
		.name = event_source_names[which] };
	int64_t late_us = (agent->profile->poll_interval_ms + MUTE_SLACK_MS) * (int64_t)1000;
	char when[WALLCLOCK_TEXT_SIZE];

	if (edge_at.us <= agent->sighted_at.us || edge_at.us <= source->word_at.us + late_us)
		return;
	condition.age_us = mtime_now().us - edge_at.us;
	alarms_assert(alarms, &condition, "a session changed at %.19sZ, and it has not said so",
	    wallclock_format(wallclock_now_us() - condition.age_us, when));
}

static void
assert_sources(const struct agent *agent, struct alarms *alarms)
{
	struct alarm_condition condition = { .type = ALARM_SOURCE_STALE };
	int64_t age_us = mtime_now().us - agent->polled_at.us;
	struct mtime edge_at = last_edge(agent);

	if (age_us > (int64_t)agent->profile->poll_interval_ms * 1000 * AGENT_STALE_POLLS) {
		condition.name = event_source_names[SOURCE_POLL];
		condition.age_us = age_us;
		alarms_assert(
		    alarms, &condition, "no usable answer for %jd s", (intmax_t)(age_us / 1000000));
	}
	if (agent->profile->syslog.enabled)
		assert_not_mute(agent, alarms, SOURCE_SYSLOG, edge_at);
	if (agent->pool_refusal) {
		condition.name = "nat-routes";
		condition.age_us = 0;
		alarms_assert(alarms, &condition, "%s", agent->pool_refusal);
	}
	if (!agent->profile->bmp.enabled)
		return;
	if (!sources_get_counters(agent->sources, SOURCE_BMP)->connected) {
		condition.name = event_source_names[SOURCE_BMP];
		condition.age_us = 0;
		alarms_assert(alarms, &condition, "the router's BMP is not connected");
	} else {
		assert_not_mute(agent, alarms, SOURCE_BMP, edge_at);
	}
}

static void
assert_profile(const struct agent *agent, struct alarms *alarms)
{
	const struct alarm_condition condition = { .type = ALARM_PROFILE_REFUSED,
		.name = "profile" };

	if (agent->refused)
		alarms_assert(alarms, &condition, "%s", agent->refused);
}

void
agent_assert_router(const struct agent *agent, struct alarms *alarms)
{
	assert_sessions(agent, alarms);
	assert_commits(agent, alarms);
	assert_drift(agent, alarms);
	assert_sources(agent, alarms);
	assert_profile(agent, alarms);
}

/* ---- a family of a group -------------------------------------------------------------------- */

static void
assert_guard(const struct agent *agent, struct alarms *alarms, size_t g, enum family f)
{
	const struct alarm_condition condition = { .type = ALARM_GUARD_ENGAGED,
		.group = agent->profile->groups[g].id,
		.family = family_names[f] };
	enum freeze freeze = guard_freeze(agent->guard, g, f);

	if (freeze == FREEZE_NOBODY || freeze == FREEZE_MASS || freeze == FREEZE_RESTART)
		alarms_assert(alarms, &condition, "%s: %s", freeze_names[freeze],
		    guard_reason(agent->guard, g, f));
	else if (*guard_hold_reason(agent->guard, g, f))
		alarms_assert(
		    alarms, &condition, "nat-hold: %s", guard_hold_reason(agent->guard, g, f));
}

static void
assert_signal(const struct agent *agent, struct alarms *alarms, size_t g, enum family f)
{
	const struct profile_group *group = &agent->profile->groups[g];
	const struct profile_signal *signal = &group->signal[f];
	struct alarm_condition condition = {
		.type = ALARM_BELOW_MIN_ALIVE, .group = group->id, .family = family_names[f]
	};
	char route[PREFIX_TEXT_SIZE];
	size_t alive = 0;
	bool installed;

	if (!signal->has_failed || !agent->lists_known ||
	    guard_freeze(agent->guard, g, f) == FREEZE_STARTUP)
		return;
	for (size_t e = 0; e < group->element_count; e++)
		alive += health_is_healthy(agent->health, g, e, f);
	installed = agent_has_route(agent, &signal->failed_route);
	prefix_format(&signal->failed_route, route);
	if (alive < signal->min_alive)
		alarms_assert(alarms, &condition, "%zu healthy, min-alive %u; failed route %s %s",
		    alive, signal->min_alive, route, installed ? "installed" : "not installed");
	condition.type = ALARM_FAILED_ROUTE_MISSING;
	if (signal_routes_is_failed(agent->signals, g, f) && !installed)
		alarms_assert(alarms, &condition, "%s is wanted and not installed", route);
}

static void
assert_base(const struct agent *agent, struct alarms *alarms, size_t g, enum family f)
{
	const struct agent_family *family = &agent->family[g][f];
	const struct alarm_condition condition = { .type = ALARM_BASE_DRIFT,
		.group = agent->profile->groups[g].id,
		.family = family_names[f] };

	if (family->base_drift > 0)
		alarms_assert(alarms, &condition,
		    "%u of %zu units have another owner in the static lists", family->base_drift,
		    layout_space_units(family->space));
}

/* ---- an element ----------------------------------------------------------------------------- */

/* What one type of alarm has to say of an element's families. */
struct finding {
	char text[TEXT_SIZE]; /* "ipv4 down: bmp; ipv6 ..."; "": it is not present */
	int64_t age_us;       /* of the oldest */
};

static void __attribute__((format(printf, 2, 3)))
note(struct finding *finding, const char *fmt, ...)
{
	size_t used = strlen(finding->text);
	va_list args;

	if (used > 0 && used + 2 < sizeof(finding->text)) {
		strcpy(finding->text + used, "; ");
		used += 2;
	}
	va_start(args, fmt);
	vsnprintf(finding->text + used, sizeof(finding->text) - used, fmt, args);
	va_end(args);
}

static void
assert_finding(const struct agent *agent, struct alarms *alarms, enum alarm_type type, size_t g,
    size_t e, const char *family, const struct finding *finding)
{
	const struct profile_group *group = &agent->profile->groups[g];
	const struct alarm_condition condition = { .type = type,
		.group = group->id,
		.element = group->elements[e].id,
		.family = family,
		.age_us = finding->age_us };

	if (finding->text[0])
		alarms_assert(alarms, &condition, "%s", finding->text);
}

static void
note_few_routes(const struct agent *agent, size_t g, size_t e, enum family f, enum side s,
    int64_t routes, struct finding *few)
{
	const struct profile_peer *peer = &agent->profile->groups[g].elements[e].family[f].peer[s];
	char address[IP_TEXT_SIZE];

	ip_format(&peer->address, address);
	note(few, "%s %s: %jd of %u routes", side_names[s], address, (intmax_t)routes,
	    (unsigned)peer->required_routes);
}

/* Its sessions one by one: told per family. What keeps an element out is told as element-down. */
static void
assert_peers(const struct agent *agent, struct alarms *alarms, size_t g, size_t e, enum family f,
    const struct health_view *view)
{
	struct finding few = { "" }, unprotected = { "" }, slow = { "" };

	for (enum side s = 0; s < SIDE_COUNT; s++) {
		struct agent_detection detection = agent_detection(agent, g, e, f, s);

		if (view->healthy && view->peer[s].lacks_routes)
			note_few_routes(agent, g, e, f, s, view->peer[s].routes, &few);
		if (view->peer[s].unprotected)
			note(&unprotected, "%s side: BGP up, BFD never was", side_names[s]);
		if (agent_detection_is_slow(&detection))
			note(&slow, "%s side: %jd ms, configured %jd", side_names[s],
			    (intmax_t)(detection.negotiated_us / 1000),
			    (intmax_t)(detection.configured_us / 1000));
	}
	assert_finding(agent, alarms, ALARM_FEW_ROUTES, g, e, family_names[f], &few);
	assert_finding(
	    agent, alarms, ALARM_UNPROTECTED_SESSION, g, e, family_names[f], &unprotected);
	assert_finding(agent, alarms, ALARM_SLOW_BFD, g, e, family_names[f], &slow);
}

/* A poll was answered when sources had had the time that they have after a start, since somebody
 * could be asked; and the router's lists tell who owns. */
static bool
is_overdue(const struct agent *agent, size_t g, const struct health_view *view)
{
	const struct profile *profile = agent->profile;
	int64_t wait_ms = profile->groups[g].startup_wait_s * (int64_t)1000;
	int64_t polls_ms = (int64_t)profile->poll_interval_ms * VERDICT_POLLS;
	struct mtime asked_at = agent->first_poll_at;

	if (view->since.us > asked_at.us)
		asked_at = view->since;
	return agent->lists_known &&
	       mtime_reached(agent->polled_at,
	           mtime_add_ms(asked_at, wait_ms > polls_ms ? wait_ms : polls_ms));
}

/* Out of service by its own sessions; also when nobody vouches for that any more, or ever did. */
static bool
is_down(
    const struct agent *agent, size_t g, size_t e, enum family f, const struct health_view *view)
{
	return view->state == HEALTH_DOWN || view->state == HEALTH_DOWN_BY_SCOPE ||
	       (view->state == HEALTH_UNKNOWN && !view->healthy &&
	           (health_has_verdict(agent->health, g, e, f) || is_overdue(agent, g, view)));
}

/* Those that are told once for both families. */
struct findings {
	struct finding owns, down, damped, hold;
};

static void
note_family(const struct agent *agent, size_t g, size_t e, enum family f,
    const struct health_view *view, struct findings *findings)
{
	double owned = agent->lists_known ? agent->family[g][f].effective_share[e] : 0;
	int64_t age_us = mtime_now().us - view->since.us;
	const char *name = family_names[f];

	if (!view->healthy && owned > 0)
		note(&findings->owns, "%s: %.13g units, %s", name, owned, view->reason);
	if (!view->forced && is_down(agent, g, e, f, view))
		note(&findings->down, "%s: %s", name, view->reason);
	if (!mtime_is_never(view->damped_until))
		note(&findings->damped, "%s: %u falls", name, view->downs);
	if (view->state != HEALTH_HOLD_DOWN || view->forced)
		return;
	note(&findings->hold, "%s: %s", name, view->reason);
	if (age_us > findings->hold.age_us)
		findings->hold.age_us = age_us;
}

/* By units: the layout's share of what the element was told to be good for. */
static void
assert_capacity(const struct agent *agent, struct alarms *alarms, size_t g, size_t e)
{
	const struct profile_group *group = &agent->profile->groups[g];
	double capacity = capacity_of(&group->elements[e]), load = 0;
	struct finding finding = { "" };

	if (capacity <= 0 || !agent->lists_known)
		return;
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		if (agent->family[g][f].space)
			load += capacity_load_of(group, agent->family[g][f].effective_share[e]);
	if (load <= capacity * CAPACITY_NEAR_PERCENT / 100)
		return;
	note(&finding, "%.1f of %.1f %s", load, capacity, group->capacity_label);
	assert_finding(agent, alarms,
	    capacity_is_exceeded(load, capacity) ? ALARM_CAPACITY_EXCEEDED : ALARM_CAPACITY_NEAR, g,
	    e, NULL, &finding);
}

/* What an operator holds, once it is old; kind tells what. */
static void
assert_order(const struct agent *agent, struct alarms *alarms, enum operator_kind kind,
    enum alarm_type type, size_t g, const char *element)
{
	const char *group = agent->profile->groups[g].id;
	const struct operator_entry *order =
	    operator_state_find(&agent->operators, kind, element ? element : group);
	struct alarm_condition condition = { .type = type, .group = group, .element = element };
	char when[WALLCLOCK_TEXT_SIZE];

	if (!order)
		return;
	condition.age_us = wallclock_now_us() - order->when_us;
	alarms_assert(alarms, &condition, "by %s at %.19sZ%s%s", order->who,
	    wallclock_format(order->when_us, when), *order->reason ? ": " : "", order->reason);
}

static void
assert_element(const struct agent *agent, struct alarms *alarms, size_t g, size_t e)
{
	const struct profile_element *element = &agent->profile->groups[g].elements[e];
	struct findings found = { 0 };
	struct health_view view;

	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		if (!element->family[f].present || !agent->family[g][f].space)
			continue;
		health_view(agent->health, g, e, f, &view);
		note_family(agent, g, e, f, &view, &found);
		assert_peers(agent, alarms, g, e, f, &view);
		agent_assert_pools(agent, alarms, g, e, f);
		agent_assert_blocks(agent, alarms, g, e, f);
	}
	assert_finding(agent, alarms, ALARM_DOWN_ELEMENT_OWNS_UNITS, g, e, NULL, &found.owns);
	assert_finding(agent, alarms, ALARM_ELEMENT_DOWN, g, e, NULL, &found.down);
	assert_finding(agent, alarms, ALARM_DAMPED, g, e, NULL, &found.damped);
	assert_finding(agent, alarms, ALARM_LONG_HOLD_DOWN, g, e, NULL, &found.hold);
	assert_capacity(agent, alarms, g, e);
	assert_order(agent, alarms, OPERATOR_OFFLINE, ALARM_FORCED_LONG, g, element->id);
}

void
agent_assert_groups(const struct agent *agent, struct alarms *alarms)
{
	for (size_t g = 0; g < agent->profile->group_count; g++) {
		const struct profile_group *group = &agent->profile->groups[g];

		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			if (!agent->family[g][f].space)
				continue;
			assert_guard(agent, alarms, g, f);
			assert_signal(agent, alarms, g, f);
			assert_base(agent, alarms, g, f);
		}
		for (size_t e = 0; e < group->element_count; e++)
			if (!group->elements[e].removed)
				assert_element(agent, alarms, g, e);
		assert_order(agent, alarms, OPERATOR_FREEZE, ALARM_FROZEN_LONG, g, NULL);
		assert_order(agent, alarms, OPERATOR_ALTER, ALARM_ALTERED_LONG, g, NULL);
	}
}
