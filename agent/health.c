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
 * makes nobody wait whose sessions are old.
 *
 * Pictures of single peers are health_peer.c's, what two of them say together health_member.c's.
 * Whether a change of the healthy set may be acted on is guard.c's question, what it means for the
 * units is layout.c's.
 */
#include "health.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "health_internal.h"

const char *const health_state_names[HEALTH_STATE_COUNT] = {
	[HEALTH_UNKNOWN] = "unknown",
	[HEALTH_DOWN] = "down",
	[HEALTH_DOWN_BY_SCOPE] = "down-by-scope",
	[HEALTH_HOLD_DOWN] = "hold-down",
	[HEALTH_UP] = "up",
};

const char *const verdict_names[VERDICT_COUNT] = {
	[VERDICT_UNKNOWN] = "unknown",
	[VERDICT_DOWN] = "down",
	[VERDICT_UP] = "up",
};

/* What makes the machine look again. */
enum signal {
	SIGNAL_FACTS,   /* a peer's picture changed */
	SIGNAL_SIBLING, /* the other family failed and takes this one along */
	SIGNAL_OWNS,    /* the router was read: units are owned after all */
	SIGNAL_TICK,
	SIGNAL_QUORUM, /* too little is up: no more waiting */
};

struct peer_slot { /* sorted by address */
	struct ip address;
	struct health_member *member; /* borrowed */
	enum side side;
};

struct health {
	const struct profile *profile; /* borrowed */
	struct health_member *members; /* owned; all groups, FAMILY_COUNT for each element */
	size_t member_count;
	size_t *first;           /* owned; index of each group's first member */
	struct peer_slot *slots; /* owned */
	size_t slot_count;
	bool changed; /* since the start of this call */
	health_change_fn *on_change;
	void *on_change_arg;
};

/* ---- making and finding ---------------------------------------------------------------------- */

uint32_t
health_weight(const struct profile_element *element, enum family family)
{
	if (element->removed || !element->family[family].present || element->weight_count == 0)
		return 0;
	return element->weights[element->weight_count - 1].weight;
}

static struct health_member *
find_member(const struct health *health, size_t group, size_t element, enum family family)
{
	return &health->members[health->first[group] + element * FAMILY_COUNT + family];
}

static struct health_member *
find_sibling(const struct health *health, const struct health_member *m)
{
	struct health_member *sibling =
	    find_member(health, m->group, m->element, FAMILY_COUNT - 1 - m->family);

	return sibling->present ? sibling : NULL;
}

static int
compare_slots(const void *a, const void *b)
{
	return ip_compare(
	    &((const struct peer_slot *)a)->address, &((const struct peer_slot *)b)->address);
}

static const struct peer_slot *
find_slot(const struct health *health, const struct ip *address)
{
	struct peer_slot key = { .address = *address };

	return bsearch(
	    &key, health->slots, health->slot_count, sizeof(*health->slots), compare_slots);
}

static void
init_member(struct health *health, struct health_member *m, struct mtime now)
{
	const struct profile_element *element =
	    &health->profile->groups[m->group].elements[m->element];
	const struct profile_element_family *family = &element->family[m->family];

	health_member_init(m, element, now);
	for (enum side s = 0; m->present && s < SIDE_COUNT; s++) {
		health->slots[health->slot_count++] = (struct peer_slot){
			.address = family->peer[s].address, .member = m, .side = s
		};
	}
}

struct health *
health_new(const struct profile *profile, struct mtime now)
{
	struct health *health = xcalloc(1, sizeof(*health));
	struct health_member *m;

	health->profile = profile;
	health->first = xcalloc(profile->group_count + 1, sizeof(*health->first));
	for (size_t g = 0; g < profile->group_count; g++) {
		health->first[g] = health->member_count;
		health->member_count += profile->groups[g].element_count * FAMILY_COUNT;
	}
	health->members = xcalloc(health->member_count + 1, sizeof(*health->members));
	health->slots = xcalloc(health->member_count * SIDE_COUNT + 1, sizeof(*health->slots));
	m = health->members;
	for (size_t g = 0; g < profile->group_count; g++)
		for (size_t i = 0; i < profile->groups[g].element_count * FAMILY_COUNT; i++, m++) {
			m->group = g;
			m->element = i / FAMILY_COUNT;
			m->family = (enum family)(i % FAMILY_COUNT);
			init_member(health, m, now);
		}
	qsort(health->slots, health->slot_count, sizeof(*health->slots), compare_slots);
	return health;
}

void
health_free(struct health *health)
{
	if (!health)
		return;
	free(health->members);
	free(health->first);
	free(health->slots);
	free(health);
}

void
health_on_change(struct health *health, health_change_fn *fn, void *arg)
{
	health->on_change = fn;
	health->on_change_arg = arg;
}

/* ---- time ------------------------------------------------------------------------------------ */

static struct mtime
hold_until(const struct health *health, const struct health_member *m)
{
	uint32_t hold_s = health->profile->groups[m->group].hold_down_s;

	return mtime_add_ms(health_member_youngest(m), (int64_t)hold_s * 1000);
}

/* Both families of an element come back in one commit, if the second is ready soon enough. */
static struct mtime
join_at(const struct health *health, const struct health_member *m)
{
	const struct health_member *sibling = find_sibling(health, m);
	struct mtime mine = hold_until(health, m), theirs;

	if (m->owns)
		return mtime_min(mine, mtime_add_ms(m->failed_at, HEALTH_UNMOVED_MS));
	if (!sibling || sibling->state != HEALTH_HOLD_DOWN)
		return mine;
	theirs = hold_until(health, sibling);
	if (theirs.us <= mtime_add_ms(mine, HEALTH_SIBLING_WAIT_MS).us && theirs.us > mine.us)
		return theirs;
	return mine;
}

static struct mtime
settled_at(const struct health_member *m)
{
	return mtime_add_ms(m->since, HEALTH_SETTLE_MS);
}

/* ---- the machine ----------------------------------------------------------------------------- */

/* The same state for another reason. */
static void
note(struct health_member *m, const char *reason)
{
	snprintf(m->reason, sizeof(m->reason), "%s", reason);
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
	const struct health_member *sibling = find_sibling(health, m);
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
			note(m, "not down; waiting for the router's lists");
		else if (health_member_is_serving(m) || (m->owns && health_member_is_ready(m)))
			set_state(health, m, HEALTH_UP, "not down, and in use", now);
		else if (health_member_is_ready(m))
			set_state(health, m, HEALTH_HOLD_DOWN, "all sides up, not in use", now);
		else
			blame(health, m, HEALTH_DOWN, now);
		break;
	case HEALTH_DOWN:
		if (health_member_is_failed(m))
			health_member_explain(m, m->reason, sizeof(m->reason));
		else if (!health_member_is_known(m))
			blame(health, m, HEALTH_UNKNOWN, now);
		else if (!health_member_is_ready(m))
			health_member_explain(m, m->reason, sizeof(m->reason));
		else if (m->owns)
			set_state(health, m, HEALTH_UP, "all sides up, its units still here", now);
		else
			set_state(health, m, HEALTH_HOLD_DOWN, "all sides up", now);
		break;
	case HEALTH_DOWN_BY_SCOPE:
		if (health_member_is_failed(m))
			blame(health, m, HEALTH_DOWN, now);
		else if (signal == SIGNAL_TICK && health_member_is_ready(m) &&
		         mtime_reached(now, settled_at(m)))
			set_state(health, m, HEALTH_HOLD_DOWN, "this family's sides are up", now);
		break;
	case HEALTH_HOLD_DOWN:
		if (health_member_is_failed(m))
			blame(health, m, HEALTH_DOWN, now);
		else if (signal == SIGNAL_SIBLING)
			blame(health, m, HEALTH_DOWN_BY_SCOPE, now);
		else if (!health_member_is_known(m))
			blame(health, m, HEALTH_UNKNOWN, now);
		else if (!health_member_is_ready(m))
			blame(health, m, HEALTH_DOWN, now);
		else if (signal == SIGNAL_OWNS)
			set_state(health, m, HEALTH_UP, "its units are here", now);
		else if (signal == SIGNAL_QUORUM)
			set_state(health, m, HEALTH_UP, "too few are up to wait (quorum)", now);
		else if (signal == SIGNAL_TICK && mtime_reached(now, join_at(health, m)))
			set_state(health, m, HEALTH_UP,
			    m->owns ? "all sides up, its units still here" : "hold-down over", now);
		break;
	case HEALTH_UP:
		if (health_member_is_failed(m))
			blame(health, m, HEALTH_DOWN, now);
		else if (signal == SIGNAL_SIBLING)
			blame(health, m, HEALTH_DOWN_BY_SCOPE, now);
		else if (!health_member_is_known(m))
			blame(health, m, HEALTH_UNKNOWN, now);
		break;
	case HEALTH_STATE_COUNT:
	default:
		fatal("health: state %d of element %zu is none", (int)m->state, m->element);
	}
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool
takes_sibling(const struct health *health, const struct health_peer *peer,
    const struct event *event, struct health_member *m)
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

/*
 * Only a failure that takes a family out of steady service takes the other one along: a family that
 * flaps while it waits, or as it comes back, must not pull down the one that serves. A second event
 * of the same failure may still say that it was the whole element.
 */
static void
fail(struct health *health, struct health_member *m, const struct health_peer *peer,
    const struct event *event, bool was_serving, struct mtime now)
{
	struct health_member *sibling = find_sibling(health, m);

	m->failed_at = now;
	if (was_serving) {
		m->fell_at = now;
		m->widened = m->serving_since.us > mtime_add_ms(now, -HEALTH_STEADY_MS).us;
	} else if (m->fell_at.us == INT64_MIN ||
	           mtime_diff_ms(now, m->fell_at) > HEALTH_SETTLE_MS) {
		return;
	}
	if (!sibling || m->widened || !takes_sibling(health, peer, event, m))
		return;
	m->widened = true;
	if (sibling->state == HEALTH_DOWN || sibling->state == HEALTH_DOWN_BY_SCOPE)
		return;
	sibling->failed_at = now;
	step(health, sibling, SIGNAL_SIBLING, now);
}

static void
hear(struct health *health, const struct peer_slot *slot, const struct event *event,
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
	step(health, m, SIGNAL_FACTS, now);
	if (edge)
		fail(health, m, peer, event, was_serving, now);
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
	const struct peer_slot *slot;

	health->changed = false;
	switch (event->kind) {
	case EVENT_BGP_UP:
	case EVENT_BGP_DOWN:
	case EVENT_BFD_UP:
	case EVENT_BFD_DOWN:
	case EVENT_UNKNOWN:
		slot = find_slot(health, &event->peer);
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
	struct health_member *m = find_member(health, group, element, family);
	bool was_healthy = health_is_healthy(health, group, element, family);
	bool appeared = owns && !m->owns;

	health->changed = false;
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

	(void)now; /* the machine runs on underneath; only the set changes */
	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		bool before = health_is_healthy(health, group, element, f);
		find_member(health, group, element, f)->forced = forced;
		changed |= health_is_healthy(health, group, element, f) != before;
	}
	return changed;
}

/* ---- timers ---------------------------------------------------------------------------------- */

/*
 * Weight that is not known to be out, against the group's. An element that nobody has told us about
 * yet counts: at a start the first verdict must not look like the last survivor's.
 */
static bool
is_below_quorum(const struct health *health, size_t group, enum family family)
{
	const struct profile_group *config = &health->profile->groups[group];
	uint64_t total = 0, up = 0;
	bool anybody = false;

	for (size_t e = 0; e < config->element_count; e++) {
		const struct health_member *m = find_member(health, group, e, family);
		uint32_t weight = health_weight(&config->elements[e], family);
		if (!m->present)
			continue;
		total += weight;
		if (m->forced || (m->has_verdict && !m->healthy))
			continue;
		up += weight;
		anybody = true;
	}
	return !anybody || up * 100 < total * config->quorum_percent;
}

static void
apply_quorum(struct health *health, size_t group, enum family family, struct mtime now)
{
	if (!is_below_quorum(health, group, family))
		return;
	for (size_t e = 0; e < health->profile->groups[group].element_count; e++) {
		struct health_member *m = find_member(health, group, e, family);
		if (m->present)
			step(health, m, SIGNAL_QUORUM, now);
	}
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
	health->changed = false;
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
member_deadline(const struct health *health, const struct health_member *m)
{
	struct mtime next = MTIME_NEVER;

	for (enum side s = 0; s < SIDE_COUNT; s++)
		if (m->peer[s].vouches[SOURCE_SYSLOG])
			next = mtime_min(next, m->peer[s].syslog_until);
	if (m->state == HEALTH_DOWN_BY_SCOPE && health_member_is_ready(m))
		next = mtime_min(next, settled_at(m));
	if (m->state == HEALTH_HOLD_DOWN)
		next = mtime_min(next,
		    is_below_quorum(health, m->group, m->family) ? m->since : join_at(health, m));
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

/* ---- questions ------------------------------------------------------------------------------- */

bool
health_is_healthy(const struct health *health, size_t group, size_t element, enum family family)
{
	const struct health_member *m = find_member(health, group, element, family);

	return health_member_is_healthy(m);
}

bool
health_has_verdict(const struct health *health, size_t group, size_t element, enum family family)
{
	const struct health_member *m = find_member(health, group, element, family);

	return !m->present || m->forced || m->has_verdict;
}

bool
health_has_verdicts(const struct health *health, size_t group, enum family family)
{
	for (size_t e = 0; e < health->profile->groups[group].element_count; e++)
		if (!health_has_verdict(health, group, e, family))
			return false;
	return true;
}

void
health_view(const struct health *health, size_t group, size_t element, enum family family,
    struct health_view *ret_view)
{
	const struct health_member *m = find_member(health, group, element, family);

	health_member_view(m, ret_view);
	if (m->state == HEALTH_HOLD_DOWN)
		ret_view->hold_until = join_at(health, m);
}
