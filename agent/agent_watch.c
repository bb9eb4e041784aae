/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the router is asked for besides sessions: the routes of all NAT pools, in the table of the
 * outside peer's instance, and the counters of the element-facing interfaces and of all filters.
 * Which interface leads to a peer the profile may tell; else the peer's BFD session does, so the
 * question grows with the first poll.
 *
 * And what the answers about pools mean: the active route's next hop is the element's when it is
 * its outside peer, or a link-local address on the interface that leads there. Of several next hops
 * a foreign one counts, for some of the answers go there. An error says nothing.
 */
#include "agent_internal.h"

#include <stdlib.h>
#include <string.h>

#include "log.h"

/* The questions while they are put together; room for all that the profile could ask. */
struct questions {
	struct router_route *routes; /* owned, and so are the names of tables */
	const char **interfaces;     /* owned; borrowed names */
	struct router_watch watch;
};

/* Junos' name of the unicast table; owned. */
static char *
name_table(const char *instance, enum family family)
{
	const char *table = family == FAMILY_IPV4 ? "inet.0" : "inet6.0";

	return strcmp(instance, "master") == 0 ? xstrdup(table)
	                                       : xasprintf("%s.%s", instance, table);
}

const char *
agent_peer_interface(const struct agent *agent, size_t g, size_t e, enum family f, enum side s)
{
	const struct profile_element *element = &agent->profile->groups[g].elements[e];
	const char *told = element->family[f].peer[s].interface;

	return told ? told : agent->family[g][f].space ? agent->family[g][f].interface[e][s] : NULL;
}

static void
add_routes(struct questions *questions, const struct profile_element_family *element)
{
	const struct profile_peer *peer = &element->peer[SIDE_OUTSIDE];

	for (size_t p = 0; p < element->nat_pool_count; p++) {
		const struct prefix *pool = &element->nat_pools[p].prefix;

		questions->routes = xreallocarray(questions->routes,
		    questions->watch.route_count + 1, sizeof(*questions->routes));
		questions->routes[questions->watch.route_count++] =
		    (struct router_route){ name_table(peer->instance, pool->address.family),
			    *pool };
	}
}

/* Both families, and even both sides, may share one. */
static void
add_interface(struct questions *questions, const char *name)
{
	for (size_t i = 0; i < questions->watch.interface_count; i++)
		if (strcmp(questions->interfaces[i], name) == 0)
			return;
	questions->interfaces = xreallocarray(questions->interfaces,
	    questions->watch.interface_count + 1, sizeof(*questions->interfaces));
	questions->interfaces[questions->watch.interface_count++] = name;
}

static void
add_element(const struct agent *agent, struct questions *questions, size_t g, size_t e)
{
	const struct profile_element *element = &agent->profile->groups[g].elements[e];

	for (enum family f = 0; f < FAMILY_COUNT && !element->removed; f++) {
		if (!element->family[f].present || !agent->family[g][f].space)
			continue;
		if (agent->profile->groups[g].return_path[f] == RETURN_NAT_ROUTES)
			add_routes(questions, &element->family[f]);
		for (enum side s = 0; s < SIDE_COUNT; s++) {
			const char *interface = agent_peer_interface(agent, g, e, f, s);

			if (interface)
				add_interface(questions, interface);
		}
	}
}

void
agent_set_watch(struct agent *agent)
{
	struct questions questions = { .watch.filters = true };

	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (size_t e = 0; e < agent->profile->groups[g].element_count; e++)
			add_element(agent, &questions, g, e);
	questions.watch.routes = questions.routes;
	questions.watch.interfaces = questions.interfaces;
	router_set_watch(agent->router, &questions.watch);
	log_debug("poll", "%zu pool routes and %zu interfaces are watched",
	    questions.watch.route_count, questions.watch.interface_count);
	for (size_t i = 0; i < questions.watch.route_count; i++)
		free((char *)(uintptr_t)questions.routes[i].table);
	free(questions.routes);
	free(questions.interfaces);
}

bool
agent_note_interface(
    struct agent *agent, size_t g, size_t e, enum family f, enum side s, const char *name)
{
	char **known = &agent->family[g][f].interface[e][s];

	if (!name || (*known && strcmp(*known, name) == 0))
		return false;
	free(*known);
	*known = xstrdup(name);
	return true;
}

/* ---- pool routes -------------------------------------------------------------------------------
 */

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

static bool
is_link_local(const struct ip *ip)
{
	return ip->family == FAMILY_IPV6 && ip->bytes[0] == 0xfe && (ip->bytes[1] & 0xc0) == 0x80;
}

static bool
leads_to(const struct junos_next_hop *hop, const struct ip *peer, const char *interface)
{
	if (!hop->to_ok)
		return false;
	return ip_compare(&hop->to, peer) == 0 ||
	       (is_link_local(&hop->to) && hop->via && interface &&
	           strcmp(hop->via, interface) == 0);
}

static struct health_route
judge_route(const struct junos_route *found, const struct ip *peer, const char *interface)
{
	struct health_route route = { .answered = true, .present = found != NULL };

	for (size_t i = 0; found && i < found->next_hop_count; i++) {
		const struct junos_next_hop *hop = &found->next_hops[i];

		if (leads_to(hop, peer, interface)) {
			route.to_known = true;
			route.to = *peer;
		} else if (hop->to_ok) {
			route.to_known = true;
			route.to = hop->to;
			break;
		}
	}
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
		char *table = name_table(peer->instance, pool->address.family);
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
