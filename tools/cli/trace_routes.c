/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes of any number of tables, from the configuration's static statements (trace_read.c) or from
 * what the router says of its active routes, get-route-information (Junos, "show route", brief or
 * detail). Of an active route each next hop is one entry; what is not active does not forward and
 * is left out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace_config.h"
#include "trace_xml.h"

static int
compare_routes(const void *a, const void *b)
{
	const struct trace_route *x = a, *y = b;
	int order = strcmp(x->table, y->table);

	if (order == 0)
		order = prefix_compare(&x->prefix, &y->prefix);
	return order != 0 ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

struct trace_route *
trace_routes_new(struct trace_routes *routes, const char *table)
{
	struct trace_route *route;

	if (routes->count == routes->capacity) {
		routes->capacity = routes->capacity ? 2 * routes->capacity : 16;
		routes->routes =
		    xreallocarray(routes->routes, routes->capacity, sizeof(*routes->routes));
	}
	route = &routes->routes[routes->count];
	*route = (struct trace_route){ .table = xstrdup(table), .rank = routes->count++ };
	return route;
}

void
trace_routes_sort(struct trace_routes *routes)
{
	if (routes->count > 0)
		qsort(routes->routes, routes->count, sizeof(*routes->routes), compare_routes);
}

void
trace_routes_done(struct trace_routes *routes)
{
	for (size_t i = 0; i < routes->count; i++) {
		free(routes->routes[i].table);
		free(routes->routes[i].via);
		free(routes->routes[i].protocol);
	}
	free(routes->routes);
	*routes = (struct trace_routes){ 0 };
}

char *
trace_table(const char *instance, enum family family)
{
	const char *tail = family == FAMILY_IPV4 ? "inet.0" : "inet6.0";

	if (strcmp(instance, "master") == 0 || strcmp(instance, "default") == 0)
		return xstrdup(tail);
	return xasprintf("%s.%s", instance, tail);
}

/* ---- questions ----------------------------------------------------------------------------- */

const struct trace_route *
trace_routes_longest(
    const struct trace_routes *routes, const char *table, const struct prefix *prefix)
{
	const struct trace_route *best = NULL;

	for (size_t i = 0; i < routes->count; i++) {
		const struct trace_route *route = &routes->routes[i];

		if (strcmp(route->table, table) == 0 && prefix_contains(&route->prefix, prefix) &&
		    (!best || route->prefix.length > best->prefix.length))
			best = route;
	}
	return best;
}

const struct trace_route *
trace_routes_other(const struct trace_routes *routes, const struct trace_route *route)
{
	const struct trace_route *next = route + 1;

	if (next >= routes->routes + routes->count || strcmp(next->table, route->table) != 0 ||
	    prefix_compare(&next->prefix, &route->prefix) != 0)
		return NULL;
	return next;
}

bool
trace_routes_know(const struct trace_routes *routes, const char *table)
{
	for (size_t i = 0; i < routes->count; i++)
		if (strcmp(routes->routes[i].table, table) == 0)
			return true;
	return false;
}

const struct trace_route *
trace_routes_below(const struct trace_routes *routes, const char *table,
    const struct prefix *prefix, const struct trace_route *previous)
{
	const struct trace_route *route = previous ? previous + 1 : routes->routes;

	for (; route < routes->routes + routes->count; route++)
		if (strcmp(route->table, table) == 0 && prefix_contains(prefix, &route->prefix) &&
		    route->prefix.length > prefix->length)
			return route;
	return NULL;
}

/* ---- what the router says ------------------------------------------------------------------ */

static bool
is_active(const xmlNode *entry)
{
	char *tag = trace_xml_child_text(entry, "active-tag");
	/* "*" active and last active, "+" active, "-" last active */
	bool is = (tag && strchr("*+", *tag) && *tag) || trace_xml_child(entry, "current-active");

	free(tag);
	return is;
}

/* "Discard", "Reject"; "Local", "Interface", "Receive": the router itself or a connected network.
 */
static enum trace_route_kind
kind_of(const char *type)
{
	if (strcmp(type, "Discard") == 0)
		return TRACE_ROUTE_DISCARD;
	if (strcmp(type, "Reject") == 0)
		return TRACE_ROUTE_REJECT;
	return TRACE_ROUTE_OTHER;
}

static struct trace_route *
new_route(struct trace_routes *routes, const char *table, const struct prefix *prefix,
    const xmlNode *entry)
{
	struct trace_route *route = trace_routes_new(routes, table);

	route->prefix = *prefix;
	route->protocol = trace_xml_child_text(entry, "protocol-name");
	return route;
}

static void
add_next_hop(struct trace_route *route, const xmlNode *hop)
{
	char *to = trace_xml_child_text(hop, "to");

	route->kind = TRACE_ROUTE_INTERFACE;
	if (to && ip_parse(to, &route->next_hop) == 0)
		route->kind = TRACE_ROUTE_NEXT_HOP;
	route->via = trace_xml_child_text(hop, "via");
	if (!route->via)
		route->via = trace_xml_child_text(hop, "nh-local-interface");
	free(to);
}

static void
add_entry(struct trace_routes *routes, const char *table, const struct prefix *prefix,
    const xmlNode *entry)
{
	size_t before = routes->count;

	TRACE_XML_EACH (hop, entry, "nh") {
		add_next_hop(new_route(routes, table, prefix, entry), hop);
	}
	if (routes->count == before) {
		struct trace_route *route = new_route(routes, table, prefix, entry);

		route->via = trace_xml_child_text(entry, "nh-type");
		route->kind = kind_of(route->via ? route->via : "");
	}
}

/* "192.0.2.0/24", or, in detail, 192.0.2.0 and the length beside it. */
static bool
read_destination(const xmlNode *rt, struct prefix *ret_prefix)
{
	char *text = trace_xml_child_text(rt, "rt-destination");
	char *length = trace_xml_child_text(rt, "rt-prefix-length");
	char *both = text && length && !strchr(text, '/') ? xasprintf("%s/%s", text, length) : NULL;
	bool is_prefix = text && trace_xml_prefix(both ? both : text, ret_prefix);

	free(text);
	free(length);
	free(both);
	return is_prefix;
}

static void
add_table(struct trace_routes *routes, const xmlNode *node)
{
	char *table = trace_xml_child_text(node, "table-name");

	TRACE_XML_EACH (rt, node, "rt") {
		struct prefix prefix;

		if (table && read_destination(rt, &prefix))
			TRACE_XML_EACH (entry, rt, "rt-entry") {
				if (is_active(entry))
					add_entry(routes, table, &prefix, entry);
			}
	}
	free(table);
}

int
trace_routes_add(
    struct trace_routes *routes, const char *text, size_t size, const char *name, struct error *err)
{
	const xmlNode *root, *node = NULL;
	xmlDoc *doc = NULL;
	int rc = trace_xml_parse(text, size, name, &doc, err);

	if (rc < 0)
		return rc;
	root = xmlDocGetRootElement(doc);
	if (!trace_xml_find(root, NULL, "route-information"))
		rc = error_set(err, -EINVAL,
		    "%s: there is no <route-information> in it; show route | display xml is wanted",
		    name);
	while (rc == 0 && (node = trace_xml_find(root, node, "route-table")))
		add_table(routes, node);
	trace_routes_sort(routes);
	xmlFreeDoc(doc);
	return rc;
}
