/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Static routes of routing instances: `routing-instances X routing-options static route P` and the
 * same under `rib X.inet6.0`. An instance of type forwarding is a routing table that only filter
 * terms lead to; in the lab every instance is treated as one. Next hops of one prefix are ranked as
 * they stand, `next-hop` before `qualified-next-hop` before `discard`.
 */
#include "filter_routes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "xmlwalk.h"

static void
add_route(struct filter_instance *instance, const struct filter_route *route)
{
	instance->routes =
	    xreallocarray(instance->routes, instance->route_count + 1, sizeof(*instance->routes));
	instance->routes[instance->route_count++] = *route;
}

static int
add_next_hop(struct filter_instance *instance, struct filter_route *route, const char *text,
    struct error *err)
{
	char prefix[PREFIX_TEXT_SIZE];

	if (!text || ip_parse(text, &route->next_hop))
		return error_set(err, -EINVAL,
		    "routing-instance %s route %s: next hop %s is not an address", instance->name,
		    prefix_format(&route->prefix, prefix), text ? text : "(none)");
	route->has_next_hop = true;
	add_route(instance, route);
	route->rank++;
	return 0;
}

static int
read_route(struct filter_instance *instance, const xmlNode *node, struct error *err)
{
	struct filter_route route = { 0 };
	char *text = xmlwalk_child_text(node, "name");
	int rc = 0;

	if (!text || prefix_parse(text, &route.prefix))
		rc = error_set(err, -EINVAL, "routing-instance %s: %s is not a prefix",
		    instance->name, text ? text : "(no name)");
	free(text);
	XMLWALK_FOREACH(hop, node, "next-hop")
	{
		char *address = xmlwalk_text(hop);

		rc = rc ? rc : add_next_hop(instance, &route, address, err);
		free(address);
	}
	XMLWALK_FOREACH(hop, node, "qualified-next-hop")
	{
		char *address = xmlwalk_child_text(hop, "name");

		rc = rc ? rc : add_next_hop(instance, &route, address, err);
		free(address);
	}
	if (!rc && (xmlwalk_child(node, "discard") || xmlwalk_child(node, "reject"))) {
		route.has_next_hop = false;
		add_route(instance, &route);
	}
	return rc;
}

static int
read_static(struct filter_instance *instance, const xmlNode *options, struct error *err)
{
	int rc = 0;

	XMLWALK_FOREACH(route, xmlwalk_child(options, "static"), "route")
	rc = rc ? rc : read_route(instance, route, err);
	return rc;
}

static struct filter_instance *
get_instance(struct filter_config *config, const char *name)
{
	struct filter_instance *instance;

	for (size_t i = 0; i < config->instance_count; i++)
		if (!strcmp(config->instances[i].name, name))
			return &config->instances[i];
	config->instances = xreallocarray(
	    config->instances, config->instance_count + 1, sizeof(*config->instances));
	instance = &config->instances[config->instance_count++];
	*instance = (struct filter_instance){ .name = xstrdup(name) };
	return instance;
}

int
filter_routes_read(const xmlNode *configuration, struct filter_config *config, struct error *err)
{
	int rc = 0;

	XMLWALK_FOREACH(node, xmlwalk_child(configuration, "routing-instances"), "instance")
	{
		const xmlNode *options = xmlwalk_child(node, "routing-options");
		char *name = xmlwalk_child_text(node, "name");
		struct filter_instance *instance;

		if (!name)
			continue;
		instance = get_instance(config, name);
		free(name);
		rc = rc ? rc : read_static(instance, options, err);
		XMLWALK_FOREACH(rib, options, "rib")
		rc = rc ? rc : read_static(instance, rib, err);
	}
	return rc;
}
