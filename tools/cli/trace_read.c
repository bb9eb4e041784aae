/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A Junos configuration in XML -> struct trace_config. Read twice, first the static configuration,
 * then the ephemeral instance into the same struct: a list is found again by its name, and so is a
 * filter's term, whose conditions are joined and whose action the later one replaces.
 *
 * Promises: nothing that could change a packet's way is passed over in silence. A condition that is
 * no address goes into the term's text, an action that is not known makes the term one that cannot
 * be judged, and what only the router can expand (apply-groups, apply-path) becomes a doubt.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_config.h"
#include "trace_xml.h"

static const char *const junos_families[FAMILY_COUNT] = { "inet", "inet6" };

struct reading {
	struct trace_config *config;
	bool ephemeral;
	size_t known_filters; /* read before this document: only these can be met again */
};

static bool
is_one_of(const xmlNode *node, const char *const *names)
{
	for (; *names; names++)
		if (trace_xml_is(node, *names))
			return true;
	return false;
}

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

/* ---- filter terms -------------------------------------------------------------------------- */

static const struct field {
	const char *statement;
	enum trace_field field;
	bool is_list;
} fields[] = {
	{ "source-address", TRACE_SOURCE, false },
	{ "source-prefix-list", TRACE_SOURCE, true },
	{ "destination-address", TRACE_DESTINATION, false },
	{ "destination-prefix-list", TRACE_DESTINATION, true },
	{ "address", TRACE_EITHER, false },
	{ "prefix-list", TRACE_EITHER, true },
};

static const struct field *
find_field(const xmlNode *node)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (trace_xml_is(node, fields[i].statement))
			return &fields[i];
	return NULL;
}

/* "next-header icmp6, icmp-type router-solicit or router-advertisement": values of one statement
 * follow each other. */
static void
add_other(struct trace_term *term, const char *statement, const char *value, bool again)
{
	char *text;

	if (again)
		text = xasprintf("%s or %s", term->other, value);
	else
		text = xasprintf("%s%s%s%s%s", term->other ? term->other : "",
		    term->other ? ", " : "", statement, *value ? " " : "", value);
	free(term->other);
	term->other = text;
}

static void
read_address(
    struct trace_term *term, const struct field *field, const xmlNode *node, struct error *why)
{
	struct trace_condition *condition = &term->from[field->field];
	struct trace_address address = { .except = trace_xml_child(node, "except") != NULL };
	char *name = trace_xml_name(node);

	if (field->is_list) {
		address.list = name ? name : xstrdup("");
		name = NULL;
	} else if (!name || !trace_xml_prefix(name, &address.prefix)) {
		error_set(why, -EINVAL, "'%.64s' is no prefix", name ? name : "");
		address.list = xstrdup(""); /* there is such a condition, and nothing matches it */
	}
	free(name);
	condition->entries =
	    xreallocarray(condition->entries, condition->count + 1, sizeof(*condition->entries));
	condition->entries[condition->count++] = address;
}

static void
read_from(const struct reading *reading, struct trace_term *term, const xmlNode *from)
{
	const char *before = NULL;

	TRACE_XML_EACH (node, from, NULL) {
		const struct field *field = find_field(node);
		struct error why = { "" };
		char *value;

		if (field) {
			read_address(term, field, node, &why);
			if (*why.text)
				trace_texts_add(&reading->config->doubts, "term %.128s: %s",
				    term->name, why.text);
			continue;
		}
		value = trace_xml_text(node);
		if (strlen(value) > 64)
			strcpy(value + 61, "...");
		if (!term->other || strlen(term->other) < 512)
			add_other(term, (const char *)node->name, value,
			    before && strcmp(before, (const char *)node->name) == 0);
		before = (const char *)node->name;
		free(value);
	}
}

/* Statements beside the one that decides. */
static const char *const harmless[] = { "log", "syslog", "sample", "policer", "forwarding-class",
	"loss-priority", "dscp", "traffic-class", "port-mirror", "port-mirror-instance",
	"three-color-policer", "hierarchical-policer", "packet-mode", "no-ttl-decrement", NULL };

static const struct deed {
	const char *statement;
	enum trace_action action;
	const char *target; /* child that names it; NULL: none is needed */
} deeds[] = {
	{ "accept", TRACE_ACCEPT, NULL },
	{ "discard", TRACE_DISCARD, NULL },
	{ "reject", TRACE_REJECT, NULL },
	{ "next", TRACE_NEXT_TERM, NULL },
	{ "routing-instance", TRACE_INSTANCE, "routing-instance-name" },
	{ "next-ip", TRACE_NEXT_IP, "address" },
	{ "next-ip6", TRACE_NEXT_IP, "address" },
	{ "next-interface", TRACE_NEXT_INTERFACE, "interface-name" },
};

/* By release the value is a child or the text itself. */
static char *
read_target(const xmlNode *node, const char *child)
{
	char *target = trace_xml_child_text(node, child);

	return target ? target : trace_xml_text(node);
}

static void
set_action(struct trace_term *term, enum trace_action action, char *target)
{
	free(term->target);
	term->action = action;
	term->target = target;
}

static const struct deed *
find_deed(const xmlNode *node)
{
	for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++)
		if (trace_xml_is(node, deeds[i].statement))
			return &deeds[i];
	return NULL;
}

/* A statement that is not known here decides only where no known one does. */
static void
read_then(const struct reading *reading, struct trace_term *term, const xmlNode *then)
{
	const xmlNode *strange = NULL;
	bool decided = false;

	TRACE_XML_EACH (node, then, NULL) {
		const struct deed *deed = find_deed(node);

		if (deed) {
			decided = true;
			set_action(term, deed->action,
			    deed->target ? read_target(node, deed->target) : NULL);
		} else if (trace_xml_is(node, "count")) {
			free(term->count);
			term->count = trace_xml_text(node);
		} else if (!is_one_of(node, harmless)) {
			strange = node;
		}
	}
	if (strange && decided)
		trace_texts_add(&reading->config->doubts, "term %.128s: then %.64s, passed over",
		    term->name, (const char *)strange->name);
	else if (strange)
		set_action(term, TRACE_UNJUDGED, xstrdup((const char *)strange->name));
}

/* The term of that name if an earlier document has it; else a new one, at the end. */
static struct trace_term *
get_term(struct trace_filter *filter, size_t known, const char *name)
{
	for (size_t i = 0; i < known; i++)
		if (strcmp(filter->terms[i].name, name) == 0)
			return &filter->terms[i];
	filter->terms =
	    xreallocarray(filter->terms, filter->term_count + 1, sizeof(*filter->terms));
	filter->terms[filter->term_count] = (struct trace_term){ .name = xstrdup(name) };
	return &filter->terms[filter->term_count++];
}

static void
read_term(const struct reading *reading, struct trace_filter *filter, size_t known,
    const xmlNode *node, const char *fallback)
{
	char *name = trace_xml_name(node);
	struct trace_term *term = get_term(filter, known, name ? name : fallback);

	TRACE_XML_EACH (from, node, "from")
		read_from(reading, term, from);
	TRACE_XML_EACH (then, node, "then")
		read_then(reading, term, then);
	if (trace_xml_child(node, "filter"))
		set_action(term, TRACE_UNJUDGED, xstrdup("filter"));
	free(name);
}

static struct trace_filter *
get_filter(const struct reading *reading, enum family family, const char *name)
{
	struct trace_config *config = reading->config;

	for (size_t i = 0; i < reading->known_filters; i++)
		if (config->filters[i].family == family &&
		    strcmp(config->filters[i].name, name) == 0)
			return &config->filters[i];
	config->filters =
	    xreallocarray(config->filters, config->filter_count + 1, sizeof(*config->filters));
	config->filters[config->filter_count] =
	    (struct trace_filter){ .family = family, .name = xstrdup(name) };
	return &config->filters[config->filter_count++];
}

static void
read_filter(const struct reading *reading, enum family family, const xmlNode *node)
{
	char *name = trace_xml_name(node);
	struct trace_filter *filter = name ? get_filter(reading, family, name) : NULL;
	size_t known = filter ? filter->term_count : 0;

	TRACE_XML_EACH (term, filter ? node : NULL, "term") {
		char fallback[32];

		(void)snprintf(fallback, sizeof(fallback), "term-%zu", filter->term_count + 1);
		read_term(reading, filter, known, term, fallback);
	}
	free(name);
}

static void
read_firewall(const struct reading *reading, const xmlNode *firewall)
{
	for (int f = 0; f < FAMILY_COUNT; f++)
		TRACE_XML_EACH (family, trace_xml_child(firewall, "family"), junos_families[f])
			TRACE_XML_EACH (filter, family, "filter")
				read_filter(reading, f, filter);
	TRACE_XML_EACH (filter, firewall, "filter") /* the older form, without a family */
		read_filter(reading, FAMILY_IPV4, filter);
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
add_binding(struct trace_config *config, struct trace_binding *binding, const char *interface)
{
	struct trace_binding *old = (struct trace_binding *)trace_config_binding(
	    config, interface, binding->family, binding->output); /* it is our own */

	if (old) {
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
			add_binding(reading->config, &binding, interface);
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
				        trace_xml_child(unit, "family"), junos_families[f]));
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

static void
add_instance(struct trace_config *config, const char *name, char *type)
{
	struct trace_instance *old =
	    (struct trace_instance *)trace_config_instance(config, name); /* it is our own */

	if (old && type) {
		free(old->type);
		old->type = type;
	} else if (!old) {
		config->instances = xreallocarray(
		    config->instances, config->instance_count + 1, sizeof(*config->instances));
		config->instances[config->instance_count++] =
		    (struct trace_instance){ xstrdup(name), type ? type : xstrdup("") };
	}
}

static void
read_instances(const struct reading *reading, const xmlNode *instances)
{
	TRACE_XML_EACH (node, instances, "instance") {
		char *name = trace_xml_name(node);

		if (!name)
			continue;
		add_instance(reading->config, name, trace_xml_child_text(node, "instance-type"));
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
	const xmlNode *node = trace_xml_find(part, NULL, "apply-groups");
	char *group = node ? trace_xml_text(node) : NULL;

	if (group)
		trace_texts_add(&reading->config->doubts,
		    "apply-groups %.64s in %s: what the group adds is not known here", group,
		    (const char *)part->name);
	free(group);
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
		read_firewall(reading, firewall);
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
	struct reading reading = { config, ephemeral, config->filter_count };
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
