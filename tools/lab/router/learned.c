/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An array of announcements, and the question which of them are routes now. A route's table follows
 * from its peer: a session in no instance fills inet.0 and inet6.0, one in an instance that
 * instance's. Of the routes to one destination in one table the first of the sorted list is the
 * active one; a second element that announces the same pool (a pool "stolen" by a typing error) is
 * seen as just that.
 */
#include "learned.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "routes.h"

struct learned {
	struct learned_route *routes; /* owned */
	size_t count;
};

struct learned *
learned_new(void)
{
	return xcalloc(1, sizeof(struct learned));
}

void
learned_free(struct learned *learned)
{
	if (!learned)
		return;
	free(learned->routes);
	free(learned);
}

static struct learned_route *
find(const struct learned *learned, const struct ip *peer, const struct prefix *prefix)
{
	for (size_t i = 0; i < learned->count; i++)
		if (ip_compare(&learned->routes[i].peer, peer) == 0 &&
		    prefix_compare(&learned->routes[i].prefix, prefix) == 0)
			return &learned->routes[i];
	return NULL;
}

void
learned_announce(struct learned *learned, const struct learned_route *route)
{
	struct learned_route *old = find(learned, &route->peer, &route->prefix);
	struct mtime since = old ? old->since : route->since;

	if (!old) {
		learned->routes =
		    xreallocarray(learned->routes, learned->count + 1, sizeof(*learned->routes));
		old = &learned->routes[learned->count++];
	}
	*old = *route;
	old->since = since;
}

int
learned_withdraw(struct learned *learned, const struct ip *peer, const struct prefix *prefix)
{
	struct learned_route *route = find(learned, peer, prefix);

	if (!route)
		return -ENOENT;
	*route = learned->routes[--learned->count];
	return 0;
}

void
learned_replace(struct learned *learned, const struct learned_route *routes, size_t count)
{
	struct learned fresh = { 0 };

	for (size_t i = 0; i < count; i++) {
		const struct learned_route *old = find(learned, &routes[i].peer, &routes[i].prefix);
		struct learned_route route = routes[i];

		if (old)
			route.since = old->since;
		learned_announce(&fresh, &route);
	}
	free(learned->routes);
	*learned = fresh;
}

static int
compare(const void *a, const void *b)
{
	const struct learned_route *one = a, *two = b;
	int order = strcmp(one->table, two->table);

	if (order == 0)
		order = prefix_compare(&one->prefix, &two->prefix);
	if (order == 0)
		order = (int)two->may_win - (int)one->may_win;
	if (order == 0 && one->local_preference != two->local_preference)
		order = one->local_preference > two->local_preference ? -1 : 1;
	return order ? order : ip_compare(&one->peer, &two->peer);
}

static void
set_table(struct learned_route *route)
{
	const char *main_table = route_main_table(route->prefix.address.family);
	bool is_main = strcmp(route->from->instance, "master") == 0;

	(void)snprintf(route->table, sizeof(route->table), "%s%s%s",
	    is_main ? "" : route->from->instance, is_main ? "" : ".", main_table);
}

struct learned_route *
learned_list(const struct learned *learned, const struct peer_table *peers, size_t *ret_count)
{
	struct learned_route *list = xcalloc(learned->count + 1, sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < learned->count; i++) {
		struct learned_route *route = &list[count];

		*route = learned->routes[i];
		route->from = peer_table_find(peers, &route->peer);
		if (!route->from || route->from->bgp != PEER_ESTABLISHED)
			continue;
		if (route->from->since.us > route->since.us)
			route->since = route->from->since;
		set_table(route);
		count++;
	}
	if (count > 0)
		qsort(list, count, sizeof(*list), compare);
	*ret_count = count;
	return list;
}
