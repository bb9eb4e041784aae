/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One element in one family (a member): what its two peers say together. Owns nothing and decides
 * nothing; health.c's machine asks these questions and changes the state.
 *
 * Both sides are needed: traffic crosses an element in both directions, so one failed side is a
 * failed member. A failed side is a fact even when the other one is unknown. "Serving" is what the
 * machine believes about traffic; an operator's word (forced) only hides a member from the healthy
 * set, so that the machine knows where it stands when the operator takes that word back.
 */
#include <stdio.h>
#include <stdlib.h>

#include "error.h"
#include "health_internal.h"

enum { FALLS_KEPT = 16 }; /* at least, so that people see more than damping needs */

void
health_member_init(
    struct health_member *m, const struct profile_group *group_config, struct mtime now)
{
	const struct profile_element *element = &group_config->elements[m->element];
	const struct profile_element_family *family = &element->family[m->family];

	m->config = group_config;
	m->weight = health_weight(element, m->family);
	m->present = family->present && !element->removed;
	m->since = now;
	m->serving_since = m->failed_at = m->fell_at = (struct mtime){ INT64_MIN };
	m->parole_until = (struct mtime){ INT64_MIN };
	m->fall_capacity = FALLS_KEPT;
	if (group_config->damping_flaps > m->fall_capacity)
		m->fall_capacity = group_config->damping_flaps;
	m->falls = xcalloc(m->fall_capacity, sizeof(*m->falls));
	snprintf(m->reason, sizeof(m->reason), "no source has a verdict yet");
	for (enum side s = 0; m->present && s < SIDE_COUNT; s++)
		health_peer_init(&m->peer[s], &family->peer[s], s);
	if (m->present)
		health_pool_init(m, family);
}

void
health_member_done(struct health_member *m)
{
	free(m->falls);
	free(m->pools);
}

static bool
has_failed_peer(const struct health_member *m)
{
	return health_peer_is_failed(&m->peer[SIDE_INSIDE]) ||
	       health_peer_is_failed(&m->peer[SIDE_OUTSIDE]);
}

bool
health_member_is_failed(const struct health_member *m)
{
	return has_failed_peer(m) || health_pool_is_failed(m);
}

bool
health_member_is_known(const struct health_member *m)
{
	return health_peer_is_vouched(&m->peer[SIDE_INSIDE]) &&
	       health_peer_is_vouched(&m->peer[SIDE_OUTSIDE]);
}

static bool
lacks_routes(const struct health_member *m)
{
	return health_peer_lacks_routes(&m->peer[SIDE_INSIDE]) ||
	       health_peer_lacks_routes(&m->peer[SIDE_OUTSIDE]);
}

bool
health_member_is_fit(const struct health_member *m)
{
	return health_peer_is_ready(&m->peer[SIDE_INSIDE]) &&
	       health_peer_is_ready(&m->peer[SIDE_OUTSIDE]) && (m->owns || !lacks_routes(m)) &&
	       health_pool_is_fit(m);
}

bool
health_member_is_serving(const struct health_member *m)
{
	return m->has_verdict ? m->healthy : m->owns;
}

bool
health_member_is_healthy(const struct health_member *m)
{
	return m->present && !m->forced && health_member_is_serving(m);
}

bool
health_member_is_unread(const struct health_member *m)
{
	return !m->has_verdict && (!m->owns_known || health_pool_is_unread(m));
}

struct mtime
health_member_youngest(const struct health_member *m)
{
	struct mtime youngest = m->failed_at, returned = health_pool_youngest(m);

	if (returned.us > youngest.us)
		youngest = returned;
	for (enum side s = 0; s < SIDE_COUNT; s++) {
		struct mtime t = health_peer_youngest(&m->peer[s]);
		if (t.us > youngest.us)
			youngest = t;
	}
	return youngest;
}

/* A failed side explains more than an unknown one, and that more than one that is not ready. */
static const struct health_peer *
find_culprit(const struct health_member *m)
{
	for (enum side s = 0; s < SIDE_COUNT; s++)
		if (health_peer_is_failed(&m->peer[s]))
			return &m->peer[s];
	for (enum side s = 0; s < SIDE_COUNT; s++)
		if (!health_peer_is_vouched(&m->peer[s]))
			return &m->peer[s];
	for (enum side s = 0; s < SIDE_COUNT; s++)
		if (!health_peer_is_ready(&m->peer[s]))
			return &m->peer[s];
	for (enum side s = 0; s < SIDE_COUNT; s++)
		if (health_peer_lacks_routes(&m->peer[s]))
			return &m->peer[s];
	return NULL;
}

const char *
health_member_explain(const struct health_member *m, char *text, size_t size)
{
	const struct health_peer *culprit = find_culprit(m);

	if (culprit && !(health_pool_is_failed(m) && !has_failed_peer(m)))
		health_peer_explain(culprit, text, size);
	else if (!health_pool_is_fit(m))
		health_pool_explain(m, text, size);
	else
		snprintf(text, size, "all sides up");
	return text;
}

static const struct health_peer_view absent = {
	.since = MTIME_NEVER, .edge_at = { INT64_MIN }, .established_s = -1, .routes = -1
};

static void
view_peer(const struct health_peer *peer, struct health_peer_view *ret_view)
{
	bool is_vouched = health_peer_is_vouched(peer);

	*ret_view = (struct health_peer_view){
		.bgp = is_vouched ? peer->bgp : VERDICT_UNKNOWN,
		.bfd = peer->bfd,
		.unprotected = is_vouched && health_peer_is_unprotected(peer),
		.cause = peer->cause,
		.source = peer->source,
		.since = peer->since,
		.established_s = peer->established_s,
		.edge_at = peer->edge_at,
		.flaps = peer->flaps,
		.routes = peer->routes,
		.lacks_routes = is_vouched && health_peer_lacks_routes(peer),
	};
}

void
health_member_view(const struct health_member *m, struct mtime now, struct health_view *ret_view)
{
	bool is_waiting = m->state == HEALTH_HOLD_DOWN;
	bool has_pools = health_pool_is_here(m);
	struct mtime damped_until = health_member_damped_until(m);

	*ret_view = (struct health_view){
		.state = m->state,
		.healthy = health_member_is_healthy(m),
		.serving = m->present && health_member_is_serving(m),
		.forced = m->forced,
		.owns = m->owns,
		.since = m->since,
		.hold_until = is_waiting && !m->awaits ? health_member_join_at(m) : MTIME_NEVER,
		.damped_until = is_waiting && damped_until.us > now.us ? damped_until : MTIME_NEVER,
		.downs = health_member_downs(m, now),
		.awaits_operator = m->awaits,
		.then_awaits = is_waiting && !m->awaits && health_member_needs_operator(m),
		.failed_session = has_failed_peer(m),
		.by_pools = (m->state == HEALTH_DOWN || m->pools_doubted) && !has_failed_peer(m) &&
		            !has_pools,
		.misses_pools = health_pool_is_missed(m),
		.has_pools = has_pools,
		.reason = m->reason,
	};
	for (enum side s = 0; s < SIDE_COUNT; s++) {
		if (m->present)
			view_peer(&m->peer[s], &ret_view->peer[s]);
		else
			ret_view->peer[s] = absent;
	}
}
