/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NAT pools of a member whose answers come back by pool routes: is each pool's active route in the
 * outside table, and does it lead to this element? Polls tell, nobody else does, and one poll may
 * fall into the moment in which a route moves: a route that is missing or leads elsewhere is a
 * failure only when more than HEALTH_POOL_POLLS polls in a row have found it so, polls that came
 * about an interval apart. An element joins with all of its pools only. A poll without an answer
 * says nothing. Where the router refuses to answer, nothing can ever be known: such a pool keeps
 * nobody out, because unknown is not down.
 *
 * A pool that another profile brings to an element is new until its route was here once: the
 * element has served without it so far, so its absence is told and takes nothing from anybody.
 *
 * A pool's route belongs to the outside BGP session. When that ends, what was known of the route is
 * forgotten: the session's failure has been acted on, and the next session's routes are to be seen.
 *
 * When most of a group loses its pools together, the guard doubts them: nothing fails, joins or
 * waits by a route then, as if the family had none. What polls read is kept for when they are
 * believed.
 *
 * A family without nat-routes has no pools here, and nothing in this file says anything.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "health_internal.h"

void
health_pool_init(struct health_member *m, const struct profile_element_family *config)
{
	if (m->config->return_path[m->family] != RETURN_NAT_ROUTES || config->nat_pool_count == 0)
		return;
	m->pools = xcalloc(config->nat_pool_count, sizeof(*m->pools));
	m->pool_count = config->nat_pool_count;
	for (size_t i = 0; i < m->pool_count; i++)
		m->pools[i] = (struct health_pool){ .config = &config->nat_pools[i],
			.returned_at = { INT64_MIN } };
}

void
health_pool_forget(struct health_member *m)
{
	for (size_t i = 0; i < m->pool_count; i++) {
		m->pools[i].known = false;
		m->pools[i].missed = 0;
		m->pools[i].refusal[0] = '\0';
	}
}

/* An answer that is older than the session's last change speaks of another session. */
static bool
is_stale(const struct health_member *m, struct mtime asked_at)
{
	const struct health_peer *outside = &m->peer[SIDE_OUTSIDE];

	return outside->bgp != VERDICT_UP || asked_at.us < outside->bgp_at.us;
}

static bool
is_active(const struct health_pool *pool)
{
	return pool->known && pool->missed == 0;
}

static bool
is_unread(const struct health_pool *pool)
{
	return !pool->known && !pool->refusal[0];
}

/* To joining. */
static bool
is_objection(const struct health_pool *pool)
{
	return pool->missed > 0 || is_unread(pool);
}

static bool
is_failed(const struct health_pool *pool)
{
	return pool->missed > HEALTH_POOL_POLLS && !pool->is_new;
}

/* True: it is news. */
static bool
note_refusal(struct health_pool *pool, const char *refusal)
{
	char before[sizeof(pool->refusal)];

	memcpy(before, pool->refusal, sizeof(before));
	snprintf(pool->refusal, sizeof(pool->refusal), "%s", refusal);
	return strcmp(before, pool->refusal) != 0;
}

/* A timer is never exact, so three quarters of an interval are one. */
static void
count_miss(struct health_pool *pool, struct mtime asked_at, uint32_t poll_ms)
{
	if (pool->missed == UINT32_MAX ||
	    (pool->missed > 0 &&
	        mtime_diff_ms(asked_at, pool->missed_at) < (int64_t)poll_ms * 3 / 4))
		return;
	pool->missed++;
	pool->missed_at = asked_at;
}

bool
health_pool_hear(struct health_member *m, size_t index, const struct health_route *route,
    const char *taken_by, struct mtime asked_at, uint32_t poll_ms)
{
	struct health_pool *pool = &m->pools[index];
	const struct ip *own = &m->peer[SIDE_OUTSIDE].config->address;
	bool is_here = route->present && route->to_known && ip_compare(&route->to, own) == 0;
	bool was_known = pool->known, was_here = is_active(pool), is_told_again;

	if ((!route->answered && !route->refusal) || is_stale(m, asked_at))
		return false;
	is_told_again = note_refusal(pool, route->answered ? "" : route->refusal);
	if (!route->answered)
		return is_told_again;
	if (is_here && pool->known && pool->missed > 0)
		pool->returned_at = asked_at;
	if (is_here) {
		pool->missed = 0;
		pool->is_new = false;
	} else {
		count_miss(pool, asked_at, poll_ms);
	}
	pool->known = true;
	pool->route = *route;
	pool->taken_by = is_here ? NULL : taken_by;
	return !was_known || was_here != is_here || is_told_again;
}

bool
health_pool_is_failed(const struct health_member *m)
{
	for (size_t i = 0; i < m->pool_count && !m->pools_doubted; i++)
		if (is_failed(&m->pools[i]))
			return true;
	return false;
}

bool
health_pool_is_unread(const struct health_member *m)
{
	for (size_t i = 0; i < m->pool_count && !m->pools_doubted; i++)
		if (is_unread(&m->pools[i]))
			return true;
	return false;
}

bool
health_pool_is_missed(const struct health_member *m)
{
	for (size_t i = 0; i < m->pool_count; i++)
		if (m->pools[i].missed > 0 && !m->pools[i].is_new)
			return true;
	return false;
}

bool
health_pool_is_here(const struct health_member *m)
{
	for (size_t i = 0; i < m->pool_count; i++)
		if (is_objection(&m->pools[i]))
			return false;
	return true;
}

bool
health_pool_is_fit(const struct health_member *m)
{
	return m->pools_doubted || health_pool_is_here(m);
}

struct mtime
health_pool_youngest(const struct health_member *m)
{
	struct mtime youngest = { INT64_MIN };

	for (size_t i = 0; i < m->pool_count; i++)
		if (m->pools[i].returned_at.us > youngest.us)
			youngest = m->pools[i].returned_at;
	return youngest;
}

/* One that has failed explains more than one that is not there yet. */
static const struct health_pool *
find_culprit(const struct health_member *m)
{
	for (size_t i = 0; i < m->pool_count; i++)
		if (is_failed(&m->pools[i]))
			return &m->pools[i];
	for (size_t i = 0; i < m->pool_count; i++)
		if (is_objection(&m->pools[i]))
			return &m->pools[i];
	return NULL;
}

void
health_pool_explain(const struct health_member *m, char *text, size_t size)
{
	const struct health_pool *pool = find_culprit(m);
	char prefix[PREFIX_TEXT_SIZE], to[IP_TEXT_SIZE];

	if (!pool) {
		snprintf(text, size, "all pool routes are here");
		return;
	}
	prefix_format(&pool->config->prefix, prefix);
	if (!pool->known)
		snprintf(
		    text, size, "pool %s %s: its route was not read yet", pool->config->id, prefix);
	else if (!pool->route.present)
		snprintf(text, size, "pool %s %s: no route outside", pool->config->id, prefix);
	else if (!pool->route.to_known)
		snprintf(text, size, "pool %s %s: its route has no next hop (discard)",
		    pool->config->id, prefix);
	else if (pool->taken_by)
		snprintf(text, size, "pool %s %s: its route leads to %s (%s)", pool->config->id,
		    prefix, pool->taken_by, ip_format(&pool->route.to, to));
	else
		snprintf(text, size, "pool %s %s: its route leads to %s", pool->config->id, prefix,
		    ip_format(&pool->route.to, to));
}

void
health_pool_look(const struct health_member *m, size_t index, struct health_pool_view *ret_view)
{
	const struct health_pool *pool = &m->pools[index];
	bool is_elsewhere = pool->known && pool->missed > 0 && pool->route.present;

	*ret_view = (struct health_pool_view){
		.known = pool->known,
		.active = is_active(pool),
		.missed = pool->missed,
		.is_new = pool->is_new,
		.is_discarded = is_elsewhere && !pool->route.to_known,
		.has_via = is_elsewhere && pool->route.to_known,
		.via = pool->route.to,
		.taken_by = pool->known ? pool->taken_by : NULL,
		.refusal = pool->refusal[0] ? pool->refusal : NULL,
	};
}
