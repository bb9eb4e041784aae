/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads static and aggregate routes out of a merged configuration. A prefix of the other family
 * than its table's is passed over, as rpd would never install it. What a route does in the kernel
 * is filter_routes.c (instances only): the main tables of the lab's namespace are FRR's, and a
 * signal route is `no-install` anyway.
 */
#include "routes.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "xmlwalk.h"

const char *const route_kind_names[ROUTE_KIND_COUNT] = { "next-hop", "discard", "reject",
	"aggregate" };

const char *
route_main_table(enum family family)
{
	return family == FAMILY_IPV4 ? "inet.0" : "inet6.0";
}

bool
route_is_main(const struct route *route)
{
	return strcmp(route->table, route_main_table(route->prefix.address.family)) == 0;
}

/* "inet6.0" and "one-in.inet6.0" hold IPv6. */
static bool
is_of_family(const char *table, enum family family)
{
	const char *want = route_main_table(family);
	size_t size = strlen(table), tail = strlen(want);

	return size >= tail && strcmp(table + size - tail, want) == 0 &&
	       (size == tail || table[size - tail - 1] == '.');
}

static void
read_next_hop(const xmlNode *node, struct route *route)
{
	char *text = xmlwalk_child_text(node, "next-hop");

	if (!text)
		text = xmlwalk_child_text(xmlwalk_child(node, "qualified-next-hop"), "name");
	if (text && ip_parse(text, &route->next_hop) == 0)
		route->kind = ROUTE_NEXT_HOP;
	free(text);
}

static void
read_kind(const xmlNode *node, struct route *route)
{
	if (xmlwalk_child(node, "discard"))
		route->kind = ROUTE_DISCARD;
	else if (xmlwalk_child(node, "reject"))
		route->kind = ROUTE_REJECT;
	else
		read_next_hop(node, route);
	route->no_readvertise = xmlwalk_child(node, "no-readvertise") != NULL;
}

/* kind: what it is when it says nothing else. */
static void
read_route(struct route_table *table, const char *name, const xmlNode *node, enum route_kind kind)
{
	struct route route = { .kind = kind };
	char *text = xmlwalk_child_text(node, "name");

	if (text && prefix_parse(text, &route.prefix) == 0 &&
	    is_of_family(name, route.prefix.address.family)) {
		read_kind(node, &route);
		route.table = xstrdup(name);
		table->routes =
		    xreallocarray(table->routes, table->count + 1, sizeof(*table->routes));
		table->routes[table->count++] = route;
	}
	free(text);
}

static void
read_table(struct route_table *table, const char *name, const xmlNode *options)
{
	XMLWALK_FOREACH(route, xmlwalk_child(options, "static"), "route")
	read_route(table, name, route, ROUTE_REJECT);
	XMLWALK_FOREACH(route, xmlwalk_child(options, "aggregate"), "route")
	read_route(table, name, route, ROUTE_AGGREGATE);
}

static void
read_options(struct route_table *table, const char *main_name, const xmlNode *options)
{
	read_table(table, main_name, options);
	XMLWALK_FOREACH(rib, options, "rib")
	{
		char *name = xmlwalk_child_text(rib, "name");

		if (name)
			read_table(table, name, rib);
		free(name);
	}
}

static int
compare(const void *a, const void *b)
{
	const struct route *one = a, *two = b;
	int order = strcmp(one->table, two->table);

	if (order == 0)
		order = prefix_compare(&one->prefix, &two->prefix);
	return order ? order : (int)one->kind - (int)two->kind;
}

static void
keep_ages(struct route_table *table, const struct route_table *before, struct mtime now)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct route *old = before->count > 0
		                              ? bsearch(&table->routes[i], before->routes,
		                                    before->count, sizeof(*before->routes), compare)
		                              : NULL;

		table->routes[i].since = old ? old->since : now;
	}
}

void
route_table_read(struct route_table *table, const xmlNode *configuration, struct mtime now)
{
	struct route_table fresh = { 0 };

	read_options(&fresh, "inet.0", xmlwalk_child(configuration, "routing-options"));
	XMLWALK_FOREACH(node, xmlwalk_child(configuration, "routing-instances"), "instance")
	{
		char *name = xmlwalk_child_text(node, "name");
		char *main_name = xasprintf("%s.inet.0", name ? name : "");

		read_options(&fresh, main_name, xmlwalk_child(node, "routing-options"));
		free(main_name);
		free(name);
	}
	if (fresh.count > 0)
		qsort(fresh.routes, fresh.count, sizeof(*fresh.routes), compare);
	keep_ages(&fresh, table, now);
	route_table_done(table);
	*table = fresh;
}

void
route_table_done(struct route_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->routes[i].table);
	free(table->routes);
	*table = (struct route_table){ 0 };
}

const struct route *
route_table_find(const struct route_table *table, const char *name, const struct prefix *prefix)
{
	for (size_t i = 0; i < table->count; i++)
		if (strcmp(table->routes[i].table, name) == 0 &&
		    prefix_compare(&table->routes[i].prefix, prefix) == 0)
			return &table->routes[i];
	return NULL;
}
