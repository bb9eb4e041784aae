/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NAT pools of families whose answers come back by pool routes: what polls say about them into
 * health, and what health makes of it into the picture for readers and the alarm table.
 * No answer says nothing about a pool. An error says that nothing can be known, and is told.
 */
#include "agent_internal.h"
#include "nat_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- into health ---------------------------------------------------------------------------- */

/* NULL: the poll did not ask, or the session ended before the answer. */
static const struct junos_reply *
find_answer(const struct router_poll *poll, const char *table, const struct prefix *pool)
{
	for (size_t i = 0; i < poll->route_count; i++)
		if (prefix_compare(&poll->routes[i].destination, pool) == 0 &&
		    strcmp(poll->routes[i].table, table) == 0)
			return poll->route_replies[i];
	return NULL;
}

static struct health_route
judge_route(const struct junos_route *found, const struct ip *peer, const char *interface)
{
	const struct ip *to = found ? junos_route_leads_to(found, peer, interface) : NULL;
	struct health_route route = { .answered = true, .present = found, .to_known = to };

	if (to)
		route.to = *to;
	if (found && junos_route_is_ambiguous(found, peer, interface))
		return (struct health_route){
			.refusal = "its next hop is link-local and no BFD session tells the "
			           "interface: give `interface` in the profile"
		};
	return route;
}

/* What the answer says about a pool; refusal borrows from the reply. */
static struct health_route
judge_answer(const struct junos_reply *reply, const struct prefix *pool, const struct ip *peer,
    const char *interface)
{
	const struct junos_error *error = reply ? junos_reply_error(reply) : NULL;

	if (!reply)
		return (struct health_route){ 0 };
	if (error)
		return (struct health_route){ .refusal =
			                          *error->message ? error->message : "an error" };
	if (reply->kind != JUNOS_REPLY_ROUTES && reply->kind != JUNOS_REPLY_EMPTY)
		return (struct health_route){ .refusal = "the answer is no route table" };
	return judge_route(junos_find_route(reply, pool), peer, interface);
}

/* The first pool of a poll that could not be read stands for all of them. */
static void
note_refusal(char **refusal, const char *element, const struct profile_nat_pool *pool,
    const char *table, const char *why)
{
	char prefix[PREFIX_TEXT_SIZE];

	if (!*refusal && why)
		*refusal = xasprintf("pool %s of %s, %s in %s: %s", pool->id, element,
		    prefix_format(&pool->prefix, prefix), table, why);
}

static void
take_pools(struct agent *agent, const struct router_poll *poll, size_t g, size_t e, enum family f,
    char **refusal)
{
	const char *id = agent->profile->groups[g].elements[e].id;
	const struct profile_element_family *element =
	    &agent->profile->groups[g].elements[e].family[f];
	const struct profile_peer *peer = &element->peer[SIDE_OUTSIDE];
	const char *interface = agent_peer_interface(agent, g, e, f, SIDE_OUTSIDE);
	struct health_route *routes = xcalloc(element->nat_pool_count, sizeof(*routes));

	for (size_t p = 0; p < element->nat_pool_count; p++) {
		const struct profile_nat_pool *pool = &element->nat_pools[p];
		char *table = agent_name_table(peer->instance, pool->prefix.address.family);

		routes[p] = judge_answer(find_answer(poll, table, &pool->prefix), &pool->prefix,
		    &peer->address, interface);
		note_refusal(refusal, id, pool, table, routes[p].refusal);
		free(table);
	}
	health_set_pools(agent->health, g, e, f, routes, poll->asked_at, mtime_now());
	free(routes);
}

/* Said once per change; the alarm says it as long as it lasts. */
static void
take_refusal(struct agent *agent, char *refusal)
{
	bool is_same = refusal && agent->pool_refusal && strcmp(refusal, agent->pool_refusal) == 0;

	if (refusal && !is_same)
		agent_record(agent, "router", "", "NAT pool routes cannot be read: %s", refusal);
	else if (!refusal && agent->pool_refusal)
		agent_record(agent, "router", "", "NAT pool routes are read again");
	free(agent->pool_refusal);
	agent->pool_refusal = refusal;
}

void
agent_take_pools(struct agent *agent, const struct router_poll *poll)
{
	char *refusal = NULL;

	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (size_t e = 0; e < agent->profile->groups[g].element_count; e++)
			for (enum family f = 0; f < FAMILY_COUNT; f++) {
				const struct profile_group *group = &agent->profile->groups[g];

				if (group->return_path[f] == RETURN_NAT_ROUTES &&
				    group->elements[e].family[f].present &&
				    !group->elements[e].removed && agent->family[g][f].space)
					take_pools(agent, poll, g, e, f, &refusal);
			}
	take_refusal(agent, refusal);
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
	ret->is_discarded = view->is_discarded;
	ret->has_via = view->has_via;
	ret->via = view->via;
	ret->taken_by = view->taken_by ? xstrdup(view->taken_by) : NULL;
	ret->refusal = view->refusal ? xstrdup(view->refusal) : NULL;
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
		condition.name = pool->id;
		condition.type = view.has_via || view.is_discarded ? ALARM_NAT_POOL_STOLEN
		                                                   : ALARM_NAT_POOL_MISSING;
		prefix_format(&pool->prefix, prefix);
		if (view.has_via)
			alarms_assert(alarms, &condition, "pool %s %s leads to %s%s%s", pool->id,
			    prefix, ip_format(&view.via, via), view.taken_by ? ", of " : "",
			    view.taken_by ? view.taken_by : "");
		else
			alarms_assert(alarms, &condition, "pool %s %s: %s%s", pool->id, prefix,
			    view.is_discarded ? "its route has no next hop (discard)"
			                      : "no route outside",
			    view.is_new ? "; new, so the element stays in service" : "");
	}
}

/* ---- hosts and port blocks ------------------------------------------------------------------ */

/* Counted once for each layout, and not on the way to the router: it takes layouts. */
static const struct nat_load *
find_loads(struct agent_family *family)
{
	size_t count = layout_space_group(family->space)->element_count;

	if (!family->nat_loads) {
		family->nat_loads = xcalloc(count, sizeof(*family->nat_loads));
		nat_load_compute(family->space, family->healthy, family->nat_loads);
	}
	return family->nat_loads;
}

/* By the router's lists, once for each time that they are read. */
static const struct nat_count *
find_count(const struct agent *agent, size_t g, enum family f)
{
	struct agent_family *family = &agent->family[g][f];

	if (!family->nat_count) {
		family->nat_count = xcalloc(1, sizeof(*family->nat_count));
		nat_count_open(family->nat_count, &agent->profile->groups[g], f);
		plan_each_part(family->space, &agent->static_lists, &agent->have, nat_count_add,
		    family->nat_count);
		nat_count_done(family->nat_count);
	}
	return family->nat_count;
}

void
agent_fill_blocks(const struct agent *agent, size_t g, enum family f, struct status_group *ret)
{
	const struct profile_group *group = &agent->profile->groups[g];
	struct agent_family *family = &agent->family[g][f];
	bool is_told = family->layout && nat_load_is_told(group, f);

	if (!family->space || group->return_path[f] != RETURN_NAT_ROUTES)
		return;
	for (size_t e = 0; e < ret->element_count; e++) {
		struct status_element_family *element = &ret->elements[e].family[f];

		if (is_told)
			element->blocks = find_loads(family)[e];
		element->hosts_known = agent->lists_known;
		if (!agent->lists_known)
			continue;
		element->blocks.now = find_count(agent, g, f)->blocks[e];
		element->blocks.hosts = find_count(agent, g, f)->hosts[e];
	}
}

/* By the router's lists, as capacities are judged: what is only wanted is no fact yet. */
void
agent_assert_blocks(
    const struct agent *agent, struct alarms *alarms, size_t g, size_t e, enum family f)
{
	const struct profile_group *group = &agent->profile->groups[g];
	double blocks = nat_load_blocks(group, e, f), needed;
	struct alarm_condition condition = { .type = ALARM_NAT_BLOCKS_NEAR,
		.group = group->id,
		.element = group->elements[e].id,
		.family = family_names[f] };

	if (blocks <= 0 || !agent->lists_known)
		return;
	needed = find_count(agent, g, f)->blocks[e];
	if (needed * 100 <= blocks * NAT_BLOCKS_NEAR_PERCENT)
		return;
	if (needed * 100 > blocks * NAT_BLOCKS_FULL_PERCENT)
		condition.type = ALARM_NAT_BLOCKS_EXCEEDED;
	alarms_assert(alarms, &condition, "%.0f of %.0f port blocks", needed, blocks);
}
