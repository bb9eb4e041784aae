/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the owner wants to be read besides sessions, BFD and uptime: routes with every poll, and a
 * round of counters after it. A copy, because it outlives the profile that it was made from, and
 * because a poll that is under way goes on with what it has asked for.
 */
#include "router_internal.h"

#include <stdlib.h>

static const char *const *
copy_names(const char *const *names, size_t count)
{
	const char **copy = xcalloc(count, sizeof(*copy));

	for (size_t i = 0; i < count; i++)
		copy[i] = xstrdup(names[i]);
	return copy;
}

static void
free_names(const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free((char *)(uintptr_t)names[i]);
	free((const char **)(uintptr_t)names);
}

void
watch_copy(struct router_watch *to, const struct router_watch *from)
{
	struct router_route *routes = xcalloc(from->route_count, sizeof(*routes));

	for (size_t i = 0; i < from->route_count; i++) {
		routes[i].table = xstrdup(from->routes[i].table);
		routes[i].destination = from->routes[i].destination;
	}
	*to = (struct router_watch){ .routes = routes,
		.route_count = from->route_count,
		.interfaces = copy_names(from->interfaces, from->interface_count),
		.interface_count = from->interface_count,
		.filters = copy_names(from->filters, from->filter_count),
		.filter_count = from->filter_count };
}

void
watch_done(struct router_watch *watch)
{
	for (size_t i = 0; i < watch->route_count; i++)
		free((char *)(uintptr_t)watch->routes[i].table);
	free((struct router_route *)(uintptr_t)watch->routes);
	free_names(watch->interfaces, watch->interface_count);
	free_names(watch->filters, watch->filter_count);
	*watch = (struct router_watch){ 0 };
}

size_t
watch_counters(const struct router_watch *watch)
{
	return watch->interface_count + watch->filter_count;
}

enum count_kind
watch_kind(const struct router_watch *watch, size_t n)
{
	return n < watch->interface_count ? COUNT_INTERFACES : COUNT_FILTERS;
}

const char *
watch_name(const struct router_watch *watch, size_t n)
{
	return watch_kind(watch, n) == COUNT_INTERFACES
	           ? watch->interfaces[n]
	           : watch->filters[n - watch->interface_count];
}
