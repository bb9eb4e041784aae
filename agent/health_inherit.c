/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile changes under a running agent: what is known of an element stays known.
 *
 * Elements are the same when their ids are, peers when address and routing instance are; names,
 * weights, timers and the order of things say nothing about health. So verdicts, hold-down,
 * damping, an operator's force and every "since" go on, and a timer of the new profile counts from
 * the old beginning. A peer with another address is nobody we heard of: its element is where it was
 * and "unknown" until the new session is told, which takes nothing from it. An element both of
 * whose peers are others is another element under an old name, and begins like one.
 */
#include <string.h>

#include "health_internal.h"

static bool
is_same_peer(const struct health_peer *a, const struct health_peer *b)
{
	return ip_compare(&a->config->address, &b->config->address) == 0 &&
	       strcmp(a->config->instance, b->config->instance) == 0;
}

static bool
inherit_peer(struct health_peer *peer, const struct health_peer *from)
{
	const struct profile_peer *config = peer->config;

	if (!is_same_peer(peer, from))
		return false;
	*peer = *from;
	peer->config = config;
	if (config->bfd == BFD_IGNORE) /* nobody would ever tell that it is up again */
		health_peer_forget_bfd(peer);
	return true;
}

/* The ring may have another size now; the newest count. */
static void
inherit_falls(struct health_member *m, const struct health_member *from)
{
	size_t kept =
	    from->fall_count < from->fall_capacity ? from->fall_count : from->fall_capacity;

	m->fall_count = 0;
	for (size_t i = from->fall_count - kept; i < from->fall_count; i++)
		m->falls[m->fall_count++ % m->fall_capacity] = from->falls[i % from->fall_capacity];
}

/* Who has a pool's route is told by an id of the profile, which ends. */
static const char *
find_id(const struct profile *profile, const char *id)
{
	const struct profile_element *element = id ? profile_find_element(profile, id, NULL) : NULL;

	return element ? element->id : NULL;
}

/* A pool is the same when its addresses are. */
static const struct health_pool *
find_pool(const struct health_member *m, const struct prefix *prefix)
{
	for (size_t i = 0; i < m->pool_count; i++)
		if (prefix_compare(&m->pools[i].config->prefix, prefix) == 0)
			return &m->pools[i];
	return NULL;
}

/* Another outside peer announces routes of its own, which are to be read. */
static void
inherit_pools(const struct profile *profile, struct health_member *m,
    const struct health_member *from, bool is_same_peer)
{
	for (size_t i = 0; i < m->pool_count; i++) {
		struct health_pool *pool = &m->pools[i];
		const struct profile_nat_pool *config = pool->config;
		const struct health_pool *old = find_pool(from, &config->prefix);

		if (old && is_same_peer) {
			*pool = *old;
			pool->config = config;
			pool->taken_by = find_id(profile, pool->taken_by);
		}
		pool->is_new = !old || old->is_new;
	}
}

static void
inherit_member(
    const struct profile *profile, struct health_member *m, const struct health_member *from)
{
	struct health_member fresh = *m;
	bool is_same[SIDE_COUNT];

	m->forced = from->forced;
	if (!m->present && !from->present) /* a tombstone */
		m->since = from->since;
	if (!m->present || !from->present)
		return;
	for (enum side s = 0; s < SIDE_COUNT; s++)
		is_same[s] = inherit_peer(&fresh.peer[s], &from->peer[s]);
	if (!is_same[SIDE_INSIDE] && !is_same[SIDE_OUTSIDE])
		return;
	*m = *from;
	m->group = fresh.group;
	m->element = fresh.element;
	m->config = fresh.config;
	m->sibling = fresh.sibling;
	m->weight = fresh.weight;
	m->falls = fresh.falls;
	m->fall_capacity = fresh.fall_capacity;
	m->pools = fresh.pools;
	m->pool_count = fresh.pool_count;
	memcpy(m->peer, fresh.peer, sizeof(m->peer));
	inherit_falls(m, from);
	inherit_pools(profile, m, from, is_same[SIDE_OUTSIDE]);
}

static void
inherit_element(struct health *health, size_t group, size_t element, const struct health *from)
{
	const struct profile_group *config = &health->profile->groups[group];
	size_t g = profile_group_index(from->profile, config->id), e = SIZE_MAX;

	if (g != SIZE_MAX)
		e = profile_element_index(&from->profile->groups[g], config->elements[element].id);
	if (e == SIZE_MAX)
		return;
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		inherit_member(health->profile, health_find_member(health, group, element, f),
		    health_find_member(from, g, e, f));
}

void
health_inherit(struct health *health, const struct health *from)
{
	health->now = from->now;
	for (size_t g = 0; g < health->profile->group_count; g++)
		for (size_t e = 0; e < health->profile->groups[g].element_count; e++)
			inherit_element(health, g, e, from);
}
