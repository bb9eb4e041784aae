/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is an element fit to carry traffic? One small state machine for each (element, family), called a
 * member here; step() is the machine, set_state() the only place that changes a state.
 *
 * Promises: a failure is acted on inside the call that brings it, and only once, however many
 * sources tell it; unknown is not down; nobody is put out by a start, by a source that falls silent
 * or by an old answer. Hold-down only delays taking units away from a healthy owner, so it is
 * cut short for a member that still owns its units and when too little of the group is left.
 * It counts from the youngest session and from the last failure that was seen, so a restarted agent
 * makes nobody wait whose sessions are old. Damping is hold-down for those that flap: too little
 * being left does not cut it short, only nobody being left does, since an element that falls every
 * minute is no help. Nothing of this can take a serving member out.
 *
 * Pictures of single peers are health_peer.c's, what two of them say together health_member.c's,
 * for how long one stays out health_wait.c's, the table of all health_table.c's. Whether a change
 * of the healthy set may be acted on is guard.c's question, what it means for the units is
 * layout.c's.
 */
#include "health.h"

#include <stdio.h>
#include <string.h>

#include "error.h"
#include "health_internal.h"

/* What makes the machine look again. */
enum signal {
	SIGNAL_FACTS,   /* a peer's picture changed */
	SIGNAL_SIBLING, /* the other family failed and takes this one along */
	SIGNAL_OWNS,    /* the router was read: units are owned after all */
	SIGNAL_TICK,
	SIGNAL_QUORUM, /* too little is up: no more waiting */
	SIGNAL_NOBODY, /* nobody is up: not even for damping */
};

/* ---- the machine ----------------------------------------------------------------------------- */

/* The same state for another reason. */
static void
note(struct health_member *m, const char *reason)
{
	snprintf(m->reason, sizeof(m->reason), "%s", reason);
}

static void
begin_call(struct health *health, struct mtime now)
{
	health->changed = false;
	health->now = now;
}

static void
set_state(struct health *health, struct health_member *m, enum health_state to, const char *reason,
    struct mtime now)
{
	enum health_state from = m->state;

	note(m, reason);
	if (to == HEALTH_UP && !health_member_is_serving(m))
		m->serving_since = now;
	m->state = to;
	m->since = now;
	m->awaits = false;
	m->parole_until = to == HEALTH_UP && m->owns ? health_member_damped_until(m)
	                                             : (struct mtime){ INT64_MIN };
	if (to != HEALTH_UNKNOWN) {
		m->healthy = to == HEALTH_UP;
		m->has_verdict = true;
	}
	health->changed = true;
	if (health->on_change)
		health->on_change(
		    health->on_change_arg, m->group, m->element, m->family, from, to, m->reason);
}

/* To a state whose reason is what a peer says. */
static void
blame(struct health *health, struct health_member *m, enum health_state to, struct mtime now)
{
	const struct health_member *sibling = m->sibling;
	char why[128], reason[160];

	if (to != HEALTH_DOWN_BY_SCOPE || !sibling) {
		set_state(health, m, to, health_member_explain(m, why, sizeof(why)), now);
		return;
	}
	snprintf(reason, sizeof(reason), "%s failed: %s", family_names[sibling->family],
	    health_member_explain(sibling, why, sizeof(why)));
	set_state(health, m, to, reason, now);
}

static void
hold(struct health *health, struct health_member *m, const char *why, struct mtime now)
{
	char reason[sizeof(m->reason)];

	if (mtime_reached(now, health_member_damped_until(m))) {
		set_state(health, m, HEALTH_HOLD_DOWN, why, now);
		return;
	}
	snprintf(reason, sizeof(reason), "%s; damped for %u s, down %u times in %u s", why,
	    (unsigned)m->sentence_s, (unsigned)health_member_downs(m, now),
	    (unsigned)m->config->damping_window_s);
	set_state(health, m, HEALTH_HOLD_DOWN, reason, now);
}

/* All waits are over; the last one may be for the operator. */
static void
join(struct health *health, struct health_member *m, struct mtime now)
{
	if (!health_member_needs_operator(m)) {
		set_state(health, m, HEALTH_UP,
		    m->owns       ? "all sides up, its units still here"
		    : m->approved ? "an operator brought it back"
		                  : "hold-down over",
		    now);
		return;
	}
	if (m->awaits)
		return;
	snprintf(m->reason, sizeof(m->reason),
	    "ready, revert is manual: `autofbf element online %s` brings it back",
	    m->config->elements[m->element].id);
	m->awaits = true;
	health->changed = true;
}

static void
step(struct health *health, struct health_member *m, enum signal signal, struct mtime now)
{
	switch (m->state) {
	case HEALTH_UNKNOWN:
		if (health_member_is_failed(m))
			blame(health, m, HEALTH_DOWN, now);
		else if (signal == SIGNAL_SIBLING)
			blame(health, m, HEALTH_DOWN_BY_SCOPE, now);
		else if (!health_member_is_known(m))
			break;
		else if (health_member_is_unread(m))
			note(m, m->owns_known ? "not down; waiting for its pool routes"
			                      : "not down; waiting for the router's lists");
		else if (health_member_is_serving(m) || (m->owns && health_member_is_fit(m)))
			set_state(health, m, HEALTH_UP, "not down, and in use", now);
		else if (health_member_is_fit(m))
			hold(health, m, "all sides up, not in use", now);
		else
			blame(health, m, HEALTH_DOWN, now);
		break;
	case HEALTH_DOWN:
		if (health_member_is_failed(m))
			health_member_explain(m, m->reason, sizeof(m->reason));
		else if (!health_member_is_known(m))
			blame(health, m, HEALTH_UNKNOWN, now);
		else if (!health_member_is_fit(m))
			health_member_explain(m, m->reason, sizeof(m->reason));
		else if (m->owns)
			set_state(health, m, HEALTH_UP,
			    health_pool_is_here(m)
			        ? "all sides up, its units still here"
			        : "sides up, its units still here; its pool routes are doubted",
			    now);
		else
			hold(health, m, "all sides up", now);
		break;
	case HEALTH_DOWN_BY_SCOPE:
		if (health_member_is_failed(m))
			blame(health, m, HEALTH_DOWN, now);
		else if (signal == SIGNAL_TICK && health_member_is_fit(m) &&
		         mtime_reached(now, health_member_settled_at(m)))
			hold(health, m, "this family's sides are up", now);
		break;
	case HEALTH_HOLD_DOWN:
		if (health_member_is_failed(m))
			blame(health, m, HEALTH_DOWN, now);
		else if (signal == SIGNAL_SIBLING)
			blame(health, m, HEALTH_DOWN_BY_SCOPE, now);
		else if (!health_member_is_known(m))
			blame(health, m, HEALTH_UNKNOWN, now);
		else if (!health_member_is_fit(m))
			blame(health, m, HEALTH_DOWN, now);
		else if (signal == SIGNAL_OWNS)
			set_state(health, m, HEALTH_UP, "its units are here", now);
		else if (signal == SIGNAL_NOBODY ||
		         (signal == SIGNAL_QUORUM &&
		             mtime_reached(now, health_member_damped_until(m))))
			set_state(health, m, HEALTH_UP, "too few are up to wait (quorum)", now);
		else if (signal == SIGNAL_TICK && mtime_reached(now, health_member_join_at(m)))
			join(health, m, now);
		break;
	case HEALTH_UP:
		if (health_member_is_failed(m))
			blame(health, m, HEALTH_DOWN, now);
		else if (signal == SIGNAL_SIBLING)
			blame(health, m, HEALTH_DOWN_BY_SCOPE, now);
		else if (!health_member_is_known(m))
			blame(health, m, HEALTH_UNKNOWN, now);
		else if (!m->owns && !mtime_reached(now, m->parole_until))
			hold(health, m, "its units were moved", now);
		break;
	case HEALTH_STATE_COUNT:
	default:
		fatal("health: state %d of element %zu is none", (int)m->state, m->element);
	}
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool
takes_sibling(const struct health *health, const struct health_peer *peer,
    const struct event *event, const struct health_member *m)
{
	switch (health->profile->groups[m->group].scope) {
	case SCOPE_FAMILY:
		return false;
	case SCOPE_ELEMENT:
		return true;
	default:
		return health_peer_blames_element(peer, event);
	}
}

static bool
is_steady(const struct health_member *m, struct mtime now)
{
	return m->serving_since.us <= mtime_add_ms(now, -HEALTH_STEADY_MS).us;
}

/* For damping; before serving_since changes. What an operator has taken out anyway falls free. */
static void
count_fall(struct health_member *m, struct mtime now)
{
	if (is_steady(m, now) && !m->forced)
		health_member_note_fall(m, now);
}

/*
 * Only a failure that takes a family out of steady service takes the other one along: a family that
 * flaps while it waits, or as it comes back, must not pull down the one that serves. A second event
 * of the same failure may still say that it was the whole element (is_whole).
 */
static void
fail(struct health *health, struct health_member *m, bool is_whole, bool was_serving,
    struct mtime now)
{
	struct health_member *sibling = m->sibling;

	m->failed_at = now;
	m->approved = false;
	if (was_serving) {
		m->fell_at = now;
		m->widened = !is_steady(m, now);
		count_fall(m, now);
	} else if (m->fell_at.us == INT64_MIN ||
	           mtime_diff_ms(now, m->fell_at) > HEALTH_SETTLE_MS) {
		return;
	}
	if (!sibling || m->widened || !is_whole)
		return;
	m->widened = true;
	if (sibling->state == HEALTH_DOWN || sibling->state == HEALTH_DOWN_BY_SCOPE)
		return;
	if (health_member_is_serving(sibling))
		count_fall(sibling, now);
	sibling->failed_at = now;
	sibling->approved = false;
	step(health, sibling, SIGNAL_SIBLING, now);
}

static void
hear(struct health *health, const struct health_slot *slot, const struct event *event,
    struct mtime now)
{
	struct health_member *m = slot->member;
	struct health_peer *peer = &m->peer[slot->side];
	bool was_serving = health_member_is_serving(m);
	bool edge;

	if (!health_peer_is_meant(peer, event)) {
		if (m->state == HEALTH_UNKNOWN && !m->has_verdict)
			snprintf(m->reason, sizeof(m->reason),
			    "%s seen in instance %s, the profile says %s", side_names[slot->side],
			    event->instance, peer->config->instance);
		return;
	}
	edge = health_peer_hear(peer, event, health->profile->poll_interval_ms);
	if (slot->side == SIDE_OUTSIDE && peer->bgp == VERDICT_DOWN)
		health_pool_forget(m);
	step(health, m, SIGNAL_FACTS, now);
	if (edge)
		fail(health, m, takes_sibling(health, peer, event, m), was_serving, now);
}

static void
lose_source(struct health *health, enum event_source source, struct mtime now)
{
	for (size_t i = 0; i < health->member_count; i++) {
		struct health_member *m = &health->members[i];
		if (!m->present)
			continue;
		for (enum side s = 0; s < SIDE_COUNT; s++)
			health_peer_forget(&m->peer[s], source);
		step(health, m, SIGNAL_FACTS, now);
	}
}

bool
health_feed(struct health *health, const struct event *event, struct mtime now)
{
	const struct health_slot *slot;

	begin_call(health, now);
	switch (event->kind) {
	case EVENT_BGP_UP:
	case EVENT_BGP_DOWN:
	case EVENT_BFD_UP:
	case EVENT_BFD_DOWN:
	case EVENT_UNKNOWN:
		slot = health_find_slot(health, &event->peer);
		if (slot)
			hear(health, slot, event, now);
		break;
	case EVENT_SOURCE_LOST:
		lose_source(health, event->source, now);
		break;
	default:
		break;
	}
	return health->changed;
}

bool
health_set_owns(struct health *health, size_t group, size_t element, enum family family, bool owns,
    struct mtime now)
{
	struct health_member *m = health_find_member(health, group, element, family);
	bool was_healthy = health_is_healthy(health, group, element, family);
	bool appeared = owns && !m->owns;

	begin_call(health, now);
	if (!m->present)
		return false;
	m->owns = owns;
	m->owns_known = true;
	step(health, m, appeared ? SIGNAL_OWNS : SIGNAL_FACTS, now);
	return health->changed || health_is_healthy(health, group, element, family) != was_healthy;
}

bool
health_set_forced(
    struct health *health, size_t group, size_t element, bool forced, struct mtime now)
{
	bool changed = false;

	begin_call(health, now); /* the machine runs on underneath; only the set changes */
	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		bool before = health_is_healthy(health, group, element, f);
		health_find_member(health, group, element, f)->forced = forced;
		changed |= health_is_healthy(health, group, element, f) != before;
	}
	return changed;
}

bool
health_set_routes(struct health *health, const struct ip *peer, const char *instance,
    int64_t routes, struct mtime asked_at, struct mtime now)
{
	const struct health_slot *slot = health_find_slot(health, peer);
	struct health_peer *known;
	bool lacked;

	begin_call(health, now);
	if (!slot || strcmp(slot->member->peer[slot->side].config->instance, instance) != 0)
		return false;
	known = &slot->member->peer[slot->side];
	lacked = health_peer_lacks_routes(known);
	health_peer_count_routes(known, routes, asked_at);
	step(health, slot->member, SIGNAL_FACTS, now);
	return health->changed || health_peer_lacks_routes(known) != lacked;
}

static const char *
find_taker(const struct health *health, const struct health_route *route)
{
	const struct health_slot *slot =
	    route->present && route->to_known ? health_find_slot(health, &route->to) : NULL;

	if (!slot)
		return NULL;
	return slot->member->config->elements[slot->member->element].id;
}

/* In the healthy set, against what polls say of its pools: a reader is told why. */
static void
note_doubt(struct health_member *m)
{
	char why[120];

	if (m->state != HEALTH_UP)
		return;
	if (!m->pools_doubted || health_pool_is_here(m)) {
		note(m, "all sides up");
		return;
	}
	health_pool_explain(m, why, sizeof(why));
	snprintf(m->reason, sizeof(m->reason), "%s; not believed: most are gone", why);
}

/* A lost pool speaks for its family, whatever the scope of failures: pools are a family's, and what
 * the guard does not believe after all has taken nobody else along. */
static void
judge_pools(struct health *health, struct health_member *m, bool was_failed, bool was_serving,
    struct mtime now)
{
	step(health, m, SIGNAL_FACTS, now);
	if (!was_failed && health_pool_is_failed(m))
		fail(health, m, false, was_serving, now);
}

bool
health_set_pools(struct health *health, size_t group, size_t element, enum family family,
    const struct health_route *routes, struct mtime asked_at, struct mtime now)
{
	struct health_member *m = health_find_member(health, group, element, family);
	bool was_failed = health_pool_is_failed(m), was_serving = health_member_is_serving(m);
	bool is_news = false;

	begin_call(health, now);
	if (m->pool_count == 0)
		return false;
	for (size_t i = 0; i < m->pool_count; i++)
		is_news |= health_pool_hear(m, i, &routes[i], find_taker(health, &routes[i]),
		    asked_at, health->profile->poll_interval_ms);
	judge_pools(health, m, was_failed, was_serving, now);
	if (m->pools_doubted)
		note_doubt(m);
	return health->changed || is_news;
}

bool
health_doubt_pools(struct health *health, size_t group, size_t element, enum family family,
    bool doubt, struct mtime now)
{
	struct health_member *m = health_find_member(health, group, element, family);
	bool was_failed = health_pool_is_failed(m), was_serving = health_member_is_serving(m);

	begin_call(health, now);
	if (m->pool_count == 0 || m->pools_doubted == doubt)
		return false;
	m->pools_doubted = doubt;
	if (doubt && was_failed && m->failed_at.us == m->fell_at.us) /* by nothing else */
		health_member_forget_fall(m, m->fell_at);
	judge_pools(health, m, was_failed, was_serving, now);
	note_doubt(m);
	return health->changed;
}

/* What is still in hold-down comes when that is over, without a second word. */
bool
health_revert(struct health *health, size_t group, size_t element, struct mtime now)
{
	struct health_member *m = health_find_member(health, group, element, 0);
	bool awaits = false;

	begin_call(health, now);
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		awaits |= m[f].awaits;
	for (enum family f = 0; awaits && f < FAMILY_COUNT; f++) {
		m[f].approved = m[f].state == HEALTH_HOLD_DOWN;
		if (m[f].present)
			step(health, &m[f], SIGNAL_TICK, now);
	}
	return awaits;
}

/* ---- timers ---------------------------------------------------------------------------------- */

enum need { NEED_NOTHING, NEED_QUORUM, NEED_ANYBODY };

/*
 * Weight that is not known to be out, against the group's. An element that nobody has told us about
 * yet counts: at a start the first verdict must not look like the last survivor's.
 */
static enum need
find_need(const struct health *health, size_t group, enum family family)
{
	const struct profile_group *config = &health->profile->groups[group];
	uint64_t total = 0, up = 0;
	bool anybody = false;

	for (size_t e = 0; e < config->element_count; e++) {
		const struct health_member *m = health_find_member(health, group, e, family);
		if (!m->present)
			continue;
		total += m->weight;
		if (m->forced || (m->has_verdict && !m->healthy))
			continue;
		up += m->weight;
		anybody = true;
	}
	if (!anybody)
		return NEED_ANYBODY;
	return up * 100 < total * config->quorum_percent ? NEED_QUORUM : NEED_NOTHING;
}

static void
signal_family(
    struct health *health, size_t group, enum family family, enum signal signal, struct mtime now)
{
	for (size_t e = 0; e < health->profile->groups[group].element_count; e++) {
		struct health_member *m = health_find_member(health, group, e, family);
		if (m->present)
			step(health, m, signal, now);
	}
}

/* Below quorum hold-down is cut short; who is damped may come only if nobody else is there. */
static void
apply_quorum(struct health *health, size_t group, enum family family, struct mtime now)
{
	if (find_need(health, group, family) == NEED_NOTHING)
		return;
	signal_family(health, group, family, SIGNAL_QUORUM, now);
	if (find_need(health, group, family) == NEED_ANYBODY)
		signal_family(health, group, family, SIGNAL_NOBODY, now);
}

static void
expire_syslog(struct health_member *m, struct mtime now)
{
	for (enum side s = 0; s < SIDE_COUNT; s++)
		if (m->peer[s].vouches[SOURCE_SYSLOG] &&
		    mtime_reached(now, m->peer[s].syslog_until))
			health_peer_forget(&m->peer[s], SOURCE_SYSLOG);
}

bool
health_tick(struct health *health, struct mtime now)
{
	begin_call(health, now);
	for (size_t i = 0; i < health->member_count; i++)
		if (health->members[i].present)
			expire_syslog(&health->members[i], now);
	for (size_t i = 0; i < health->member_count; i++)
		if (health->members[i].present)
			step(health, &health->members[i], SIGNAL_TICK, now);
	for (size_t g = 0; g < health->profile->group_count; g++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			apply_quorum(health, g, f, now);
	return health->changed;
}

static struct mtime
hold_deadline(const struct health *health, const struct health_member *m)
{
	struct mtime join_at = m->awaits ? MTIME_NEVER : health_member_join_at(m);
	struct mtime damped_until = health_member_damped_until(m);

	switch (find_need(health, m->group, m->family)) {
	case NEED_ANYBODY:
		return m->since;
	case NEED_QUORUM:
		return mtime_min(join_at, damped_until.us > m->since.us ? damped_until : m->since);
	default:
		return join_at;
	}
}

static struct mtime
member_deadline(const struct health *health, const struct health_member *m)
{
	struct mtime next = MTIME_NEVER;

	for (enum side s = 0; s < SIDE_COUNT; s++)
		if (m->peer[s].vouches[SOURCE_SYSLOG])
			next = mtime_min(next, m->peer[s].syslog_until);
	if (m->state == HEALTH_DOWN_BY_SCOPE && health_member_is_fit(m))
		next = mtime_min(next, health_member_settled_at(m));
	if (m->state == HEALTH_HOLD_DOWN)
		next = mtime_min(next, hold_deadline(health, m));
	return next;
}

struct mtime
health_deadline(const struct health *health)
{
	struct mtime next = MTIME_NEVER;

	for (size_t i = 0; i < health->member_count; i++)
		if (health->members[i].present)
			next = mtime_min(next, member_deadline(health, &health->members[i]));
	return next;
}
