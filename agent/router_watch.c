/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the owner wants to be read besides sessions, BFD and uptime: routes with every poll, and a
 * round of counters after it. A copy, because it outlives the profile that it was made from, and
 * because a poll that is under way goes on with what it has asked for.
 */
#include "router_internal.h"

#include <stdlib.h>

void
watch_copy(struct router_watch *to, const struct router_watch *from)
{
	struct router_route *routes = xcalloc(from->route_count, sizeof(*routes));
	const char **interfaces = xcalloc(from->interface_count, sizeof(*interfaces));

	for (size_t i = 0; i < from->route_count; i++) {
		routes[i].table = xstrdup(from->routes[i].table);
		routes[i].destination = from->routes[i].destination;
	}
	for (size_t i = 0; i < from->interface_count; i++)
		interfaces[i] = xstrdup(from->interfaces[i]);
	*to = (struct router_watch){ .routes = routes,
		.route_count = from->route_count,
		.interfaces = interfaces,
		.interface_count = from->interface_count,
		.filters = from->filters };
}

void
watch_done(struct router_watch *watch)
{
	for (size_t i = 0; i < watch->route_count; i++)
		free((char *)(uintptr_t)watch->routes[i].table);
	for (size_t i = 0; i < watch->interface_count; i++)
		free((char *)(uintptr_t)watch->interfaces[i]);
	free((struct router_route *)(uintptr_t)watch->routes);
	free((const char **)(uintptr_t)watch->interfaces);
	*watch = (struct router_watch){ 0 };
}

size_t
watch_counters(const struct router_watch *watch)
{
	return watch->interface_count + (watch->filters ? 1 : 0);
}

const char *
watch_interface(const struct router_watch *watch, size_t n)
{
	return n < watch->interface_count ? watch->interfaces[n] : NULL;
}
