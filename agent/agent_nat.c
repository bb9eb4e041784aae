/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NAT pools of families whose answers come back by pool routes: what polls say about them into
 * health, and what health makes of it into the picture for readers and the alarm table.
 * An error, or no answer, says nothing about a pool.
 */
#include "agent_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- into health ---------------------------------------------------------------------------- */

/* NULL: the poll did not ask, or there was no answer that can be used. */
static const struct junos_reply *
find_answer(const struct router_poll *poll, const char *table, const struct prefix *pool)
{
	for (size_t i = 0; i < poll->route_count; i++) {
		const struct junos_reply *reply = poll->route_replies[i];

		if (prefix_compare(&poll->routes[i].destination, pool) != 0 ||
		    strcmp(poll->routes[i].table, table) != 0)
			continue;
		if (!reply || junos_reply_error(reply))
			return NULL;
		return reply->kind == JUNOS_REPLY_ROUTES || reply->kind == JUNOS_REPLY_EMPTY ? reply
		                                                                             : NULL;
	}
	return NULL;
}

static struct health_route
judge_route(const struct junos_route *found, const struct ip *peer, const char *interface)
{
	const struct ip *to = found ? junos_route_leads_to(found, peer, interface) : NULL;
	struct health_route route = { .answered = true, .present = found, .to_known = to };

	if (to)
		route.to = *to;
	return route;
}

static void
take_pools(struct agent *agent, const struct router_poll *poll, size_t g, size_t e, enum family f)
{
	const struct profile_element_family *element =
	    &agent->profile->groups[g].elements[e].family[f];
	const struct profile_peer *peer = &element->peer[SIDE_OUTSIDE];
	const char *interface = agent_peer_interface(agent, g, e, f, SIDE_OUTSIDE);
	struct health_route *routes = xcalloc(element->nat_pool_count, sizeof(*routes));

	for (size_t p = 0; p < element->nat_pool_count; p++) {
		const struct prefix *pool = &element->nat_pools[p].prefix;
		char *table = agent_name_table(peer->instance, pool->address.family);
		const struct junos_reply *reply = find_answer(poll, table, pool);

		if (reply)
			routes[p] =
			    judge_route(junos_find_route(reply, pool), &peer->address, interface);
		free(table);
	}
	health_set_pools(agent->health, g, e, f, routes, poll->asked_at, mtime_now());
	free(routes);
}

void
agent_take_pools(struct agent *agent, const struct router_poll *poll)
{
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (size_t e = 0; e < agent->profile->groups[g].element_count; e++)
			for (enum family f = 0; f < FAMILY_COUNT; f++) {
				const struct profile_group *group = &agent->profile->groups[g];

				if (group->return_path[f] == RETURN_NAT_ROUTES &&
				    group->elements[e].family[f].present &&
				    !group->elements[e].removed && agent->family[g][f].space)
					take_pools(agent, poll, g, e, f);
			}
}

/* ---- out of it ------------------------------------------------------------------------------- */

static void
fill_pool(struct status_pool *ret, const struct profile_nat_pool *pool,
    const struct health_pool_view *view)
{
	ret->id = xstrdup(pool->id);
	ret->prefix = pool->prefix;
	ret->kind = pool->kind;
	ret->known = view->known;
	ret->active = view->active;
	ret->has_via = view->has_via;
	ret->via = view->via;
	ret->taken_by = view->taken_by ? xstrdup(view->taken_by) : NULL;
}

void
agent_fill_pools(
    const struct agent *agent, size_t g, size_t e, enum family f, struct status_element_family *ret)
{
	const struct profile_group *group = &agent->profile->groups[g];
	const struct profile_element_family *element = &group->elements[e].family[f];

	if (group->return_path[f] != RETURN_NAT_ROUTES || group->elements[e].removed)
		return; /* the routes of a tombstone are nobody's business */
	ret->pools = xcalloc(element->nat_pool_count, sizeof(*ret->pools));
	ret->pool_count = element->nat_pool_count;
	for (size_t p = 0; p < ret->pool_count; p++) {
		struct health_pool_view view;

		health_pool_view(agent->health, g, e, f, p, &view);
		fill_pool(&ret->pools[p], &element->nat_pools[p], &view);
	}
}

void
agent_assert_pools(
    const struct agent *agent, struct alarms *alarms, size_t g, size_t e, enum family f)
{
	const struct profile_group *group = &agent->profile->groups[g];
	const struct profile_element *element = &group->elements[e];
	struct alarm_condition condition = {
		.group = group->id, .element = element->id, .family = family_names[f]
	};

	if (group->return_path[f] != RETURN_NAT_ROUTES)
		return;
	for (size_t p = 0; p < element->family[f].nat_pool_count; p++) {
		const struct profile_nat_pool *pool = &element->family[f].nat_pools[p];
		char prefix[PREFIX_TEXT_SIZE], via[IP_TEXT_SIZE];
		struct health_pool_view view;

		health_pool_view(agent->health, g, e, f, p, &view);
		if (view.missed <= HEALTH_POOL_POLLS)
			continue;
		condition.type = view.has_via ? ALARM_NAT_POOL_STOLEN : ALARM_NAT_POOL_MISSING;
		prefix_format(&pool->prefix, prefix);
		if (view.has_via)
			alarms_assert(alarms, &condition, "pool %s %s leads to %s%s%s", pool->id,
			    prefix, ip_format(&view.via, via), view.taken_by ? ", of " : "",
			    view.taken_by ? view.taken_by : "");
		else
			alarms_assert(alarms, &condition, "pool %s %s: no route outside%s",
			    pool->id, prefix,
			    view.is_new ? "; new, so the element stays in service" : "");
	}
}
