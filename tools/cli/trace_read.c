/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A Junos configuration in XML -> struct trace_config. Read twice, first the static configuration,
 * then the ephemeral instance into the same struct; what is in both is joined there.
 *
 * Promises: nothing that could change a packet's way is passed over in silence. What is not
 * understood (trace_read_filter.c), and what only the router can expand (apply-groups, apply-path),
 * becomes a doubt.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_read.h"

const char *const trace_junos_families[FAMILY_COUNT] = { "inet", "inet6" };

/* ---- prefix-lists -------------------------------------------------------------------------- */

static struct trace_list *
new_list(struct trace_config *config, const char *name)
{
	if (config->list_count == config->list_capacity) {
		config->list_capacity = config->list_capacity ? 2 * config->list_capacity : 16;
		config->lists =
		    xreallocarray(config->lists, config->list_capacity, sizeof(*config->lists));
	}
	config->lists[config->list_count] = (struct trace_list){ .name = xstrdup(name) };
	return &config->lists[config->list_count++];
}

static void
add_item(struct trace_list *list, const struct prefix *prefix, bool ephemeral)
{
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? 2 * list->capacity : 16;
		list->items = xreallocarray(list->items, list->capacity, sizeof(*list->items));
	}
	list->items[list->count++] = (struct trace_item){ *prefix, ephemeral };
}

static void
read_list(const struct reading *reading, const xmlNode *node)
{
	char *name = trace_xml_name(node);
	struct trace_list *list = name ? new_list(reading->config, name) : NULL;

	TRACE_XML_EACH (item, list ? node : NULL, "prefix-list-item") {
		char *text = trace_xml_name(item);
		struct prefix prefix;

		if (text && trace_xml_prefix(text, &prefix))
			add_item(list, &prefix, reading->ephemeral);
		else
			trace_texts_add(&reading->config->doubts,
			    "prefix-list %.128s: '%.64s' is no prefix, passed over", name,
			    text ? text : "");
		free(text);
	}
	if (list && trace_xml_child(node, "apply-path"))
		trace_texts_add(&reading->config->doubts,
		    "prefix-list %.128s has an apply-path: what it expands to is not known here",
		    name);
	free(name);
}

/* ---- interfaces ---------------------------------------------------------------------------- */

static void
bind_filter(struct trace_binding *binding, char *name)
{
	if (!name)
		return;
	binding->filters =
	    xreallocarray(binding->filters, binding->filter_count + 1, sizeof(*binding->filters));
	binding->filters[binding->filter_count++] = name;
}

/* input { filter-name F; } or, by release, <input>F</input>; input-list F, again and again. */
static void
read_direction(struct trace_binding *binding, const xmlNode *filter)
{
	const char *single = binding->output ? "output" : "input";
	const char *list = binding->output ? "output-list" : "input-list";
	const xmlNode *node = trace_xml_child(filter, single);

	if (node && trace_xml_child(node, NULL))
		bind_filter(binding, trace_xml_child_text(node, "filter-name"));
	else if (node)
		bind_filter(binding, trace_xml_text(node));
	TRACE_XML_EACH (entry, filter, list) {
		char *name = trace_xml_child_text(entry, "filter-name");

		bind_filter(binding, name ? name : trace_xml_text(entry));
	}
}

static void
free_filters(struct trace_binding *binding)
{
	for (size_t i = 0; i < binding->filter_count; i++)
		free(binding->filters[i]);
	free(binding->filters);
}

/* A later document's binding takes the place of an earlier one's. */
static void
add_binding(const struct reading *reading, struct trace_binding *binding, const char *interface)
{
	struct trace_config *config = reading->config;

	for (size_t i = 0; i < reading->known_bindings; i++) {
		struct trace_binding *old = &config->bindings[i];

		if (old->family != binding->family || old->output != binding->output ||
		    strcmp(old->interface, interface) != 0)
			continue;
		free_filters(old);
		old->filters = binding->filters;
		old->filter_count = binding->filter_count;
		return;
	}
	binding->interface = xstrdup(interface);
	config->bindings =
	    xreallocarray(config->bindings, config->binding_count + 1, sizeof(*config->bindings));
	config->bindings[config->binding_count++] = *binding;
}

static void
add_network(struct trace_config *config, const char *interface, const char *text)
{
	struct prefix prefix;

	if (!text || !trace_xml_prefix(text, &prefix))
		return;
	config->networks =
	    xreallocarray(config->networks, config->network_count + 1, sizeof(*config->networks));
	config->networks[config->network_count++] =
	    (struct trace_address_of){ xstrdup(interface), prefix };
}

static void
read_family(
    const struct reading *reading, const char *interface, enum family family, const xmlNode *node)
{
	const xmlNode *filter = trace_xml_child(node, "filter");

	for (int output = 0; filter && output < 2; output++) {
		struct trace_binding binding = { .family = family, .output = output };

		read_direction(&binding, filter);
		if (binding.filter_count > 0)
			add_binding(reading, &binding, interface);
	}
	TRACE_XML_EACH (address, node, "address") {
		char *text = trace_xml_name(address);

		add_network(reading->config, interface, text);
		free(text);
	}
}

static void
read_interfaces(const struct reading *reading, const xmlNode *interfaces)
{
	TRACE_XML_EACH (node, interfaces, "interface") {
		char *device = trace_xml_name(node);

		TRACE_XML_EACH (unit, device ? node : NULL, "unit") {
			char *number = trace_xml_name(unit);
			char *name = xasprintf("%s.%s", device, number ? number : "0");

			for (int f = 0; f < FAMILY_COUNT; f++)
				read_family(reading, name, f,
				    trace_xml_child(
				        trace_xml_child(unit, "family"), trace_junos_families[f]));
			free(name);
			free(number);
		}
		free(device);
	}
}

/* ---- routing ------------------------------------------------------------------------------- */

static void
add_route(struct trace_config *config, const char *table, const struct prefix *prefix,
    enum trace_route_kind kind, const char *hop)
{
	struct trace_route *route = trace_routes_new(&config->routes, table);

	route->prefix = *prefix;
	route->kind = kind;
	route->protocol = xstrdup("Static");
	if (kind == TRACE_ROUTE_NEXT_HOP && ip_parse(hop, &route->next_hop) < 0)
		route->kind = TRACE_ROUTE_INTERFACE;
	if (kind != TRACE_ROUTE_DISCARD && kind != TRACE_ROUTE_REJECT)
		route->via = xstrdup(hop);
}

static const struct route_word {
	const char *statement;
	enum trace_route_kind kind;
} route_words[] = {
	{ "discard", TRACE_ROUTE_DISCARD },
	{ "reject", TRACE_ROUTE_REJECT },
	{ "receive", TRACE_ROUTE_OTHER },
	{ "next-table", TRACE_ROUTE_OTHER },
	{ "static-lsp-next-hop", TRACE_ROUTE_OTHER },
};

static void
read_route(struct trace_config *config, const char *table, const xmlNode *node)
{
	char *text = trace_xml_name(node);
	struct prefix prefix;

	if (!text || !trace_xml_prefix(text, &prefix)) {
		free(text);
		return;
	}
	TRACE_XML_EACH (hop, node, "next-hop") {
		char *value = trace_xml_text(hop);

		add_route(config, table, &prefix, TRACE_ROUTE_NEXT_HOP, value);
		free(value);
	}
	TRACE_XML_EACH (hop, node, "qualified-next-hop") {
		char *value = trace_xml_name(hop);

		add_route(config, table, &prefix, TRACE_ROUTE_NEXT_HOP, value ? value : "");
		free(value);
	}
	for (size_t i = 0; i < sizeof(route_words) / sizeof(route_words[0]); i++)
		if (trace_xml_child(node, route_words[i].statement))
			add_route(
			    config, table, &prefix, route_words[i].kind, route_words[i].statement);
	free(text);
}

static void
read_routing_options(struct trace_config *config, const char *instance, const xmlNode *options)
{
	char *main_table = trace_table(instance, FAMILY_IPV4);

	TRACE_XML_EACH (route, trace_xml_child(options, "static"), "route")
		read_route(config, main_table, route);
	TRACE_XML_EACH (rib, options, "rib") {
		char *table = trace_xml_name(rib);

		TRACE_XML_EACH (route, table ? trace_xml_child(rib, "static") : NULL, "route")
			read_route(config, table, route);
		free(table);
	}
	free(main_table);
}

/* One that comes twice does no harm: it is only asked whether it is there. */
static void
add_instance(struct trace_config *config, const char *name)
{
	config->instances = xreallocarray(
	    config->instances, config->instance_count + 1, sizeof(*config->instances));
	config->instances[config->instance_count++] = xstrdup(name);
}

static void
read_instances(const struct reading *reading, const xmlNode *instances)
{
	TRACE_XML_EACH (node, instances, "instance") {
		char *name = trace_xml_name(node);

		if (!name)
			continue;
		add_instance(reading->config, name);
		read_routing_options(
		    reading->config, name, trace_xml_child(node, "routing-options"));
		free(name);
	}
}

/* ---- the document -------------------------------------------------------------------------- */

/* Only the router can say what groups add. */
static void
note_groups(const struct reading *reading, const xmlNode *part)
{
	const xmlNode *node = NULL;

	while ((node = trace_xml_find(part, node, "apply-groups"))) {
		char *group = trace_xml_text(node);

		trace_texts_add(&reading->config->doubts,
		    "apply-groups %.64s in %s: what the group adds is not known here",
		    group ? group : "", (const char *)part->name);
		free(group);
	}
}

static void
read_configuration(const struct reading *reading, const xmlNode *configuration)
{
	static const char *const parts[] = { "policy-options", "firewall", "interfaces",
		"routing-instances", "routing-options" };

	if (trace_xml_child(configuration, "apply-groups"))
		trace_texts_add(&reading->config->doubts,
		    "apply-groups at the top: what the groups add is not known here");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		TRACE_XML_EACH (part, configuration, parts[i])
			note_groups(reading, part);
	TRACE_XML_EACH (options, configuration, "policy-options")
		TRACE_XML_EACH (list, options, "prefix-list")
			read_list(reading, list);
	TRACE_XML_EACH (firewall, configuration, "firewall")
		trace_read_firewall(reading, firewall);
	TRACE_XML_EACH (interfaces, configuration, "interfaces")
		read_interfaces(reading, interfaces);
	TRACE_XML_EACH (options, configuration, "routing-options")
		read_routing_options(reading->config, "master", options);
	TRACE_XML_EACH (instances, configuration, "routing-instances")
		read_instances(reading, instances);
}

int
trace_config_add(struct trace_config *config, const char *text, size_t size, bool ephemeral,
    const char *name, struct error *err)
{
	struct reading reading = { config, ephemeral, config->filter_count, config->binding_count };
	const xmlNode *configuration;
	xmlDoc *doc = NULL;
	int rc = trace_xml_parse(text, size, name, &doc, err);

	if (rc < 0)
		return rc;
	configuration = trace_xml_find(xmlDocGetRootElement(doc), NULL, "configuration");
	if (configuration)
		read_configuration(&reading, configuration);
	else if (!ephemeral)
		rc = error_set(err, -EINVAL,
		    "%s: there is no <configuration> in it; show configuration | display xml is "
		    "wanted",
		    name);
	xmlFreeDoc(doc);
	return rc;
}
