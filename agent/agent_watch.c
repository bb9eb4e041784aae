/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the router is asked for besides sessions: the routes of all NAT pools, in the table of the
 * outside peer's instance, and the counters of the element-facing interfaces and of the filters of
 * router-config. Which interface leads to a peer the profile may tell; else the peer's BFD session
 * does, so the question grows with the first poll.
 */
#include "agent_internal.h"
#include "agent_kpi_internal.h"

#include <stdlib.h>
#include <string.h>

#include "log.h"

/* The questions while they are put together; room for all that the profile could ask. */
struct questions {
	struct router_route *routes; /* owned, and so are the names of tables */
	const char **interfaces;     /* owned; borrowed names */
	const char **filters;        /* owned, and so are the names */
	struct router_watch watch;
};

char *
agent_name_table(const char *instance, enum family family)
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
		    (struct router_route){ agent_name_table(peer->instance, pool->address.family),
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

			if (!interface)
				continue;
			add_interface(questions, interface);
			agent_kpi_note_user(agent->kpi, interface, element);
		}
	}
}

static void
add_filters(const struct agent *agent, struct questions *questions, size_t g)
{
	const struct profile_group *group = &agent->profile->groups[g];

	for (enum family f = 0; f < FAMILY_COUNT; f++)
		for (enum side s = 0; s < SIDE_COUNT; s++) {
			if (!agent->family[g][f].space || !agent_kpi_is_steered(group, f, s))
				continue;
			questions->filters = xreallocarray(questions->filters,
			    questions->watch.filter_count + 1, sizeof(*questions->filters));
			questions->filters[questions->watch.filter_count++] =
			    agent_kpi_filter_name(group, f, s);
		}
}

void
agent_set_watch(struct agent *agent)
{
	struct questions questions = { 0 };

	agent_kpi_forget_users(agent->kpi);
	for (size_t g = 0; g < agent->profile->group_count; g++) {
		for (size_t e = 0; e < agent->profile->groups[g].element_count; e++)
			add_element(agent, &questions, g, e);
		add_filters(agent, &questions, g);
	}
	questions.watch.routes = questions.routes;
	questions.watch.interfaces = questions.interfaces;
	questions.watch.filters = questions.filters;
	router_set_watch(agent->router, &questions.watch);
	log_debug("poll", "%zu pool routes and %zu interfaces are watched",
	    questions.watch.route_count, questions.watch.interface_count);
	for (size_t i = 0; i < questions.watch.route_count; i++)
		free((char *)(uintptr_t)questions.routes[i].table);
	for (size_t i = 0; i < questions.watch.filter_count; i++)
		free((char *)(uintptr_t)questions.filters[i]);
	free(questions.filters);
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
