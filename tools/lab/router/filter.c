/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads filters out of a merged Junos configuration: the bindings at the interfaces first, then the
 * filters they name, term by term, with prefix-lists replaced by their items. Routing instances are
 * read in filter_routes.c, conditions other than addresses in filter_match.c.
 *
 * Promises: a term means what it means on a router (a list that is empty, unknown or has only items
 * of the other family matches nothing; no <from> matches everything; no action accepts), or the
 * whole configuration is refused with the statement's name. Leaves to others: what a packet meets
 * in the end (nftext.c).
 */
#include "filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter_match.h"
#include "filter_routes.h"
#include "xmlwalk.h"

struct list_ref {
	char *name;
	const xmlNode *node;
};

struct reader {
	struct filter_config *config;
	struct list_ref *lists; /* sorted by name; a name may come twice */
	size_t list_count;
	const xmlNode *firewall;
	struct error *err;
};

static const char *const junos_families[FAMILY_COUNT] = { "inet", "inet6" };

static int
compare_lists(const void *a, const void *b)
{
	return strcmp(((const struct list_ref *)a)->name, ((const struct list_ref *)b)->name);
}

static void
index_lists(struct reader *reader, const xmlNode *configuration)
{
	const xmlNode *options = xmlwalk_child(configuration, "policy-options");
	size_t count = 0;

	XMLWALK_FOREACH(list, options, "prefix-list")
	count++;
	reader->lists = xcalloc(count + 1, sizeof(*reader->lists));
	XMLWALK_FOREACH(list, options, "prefix-list")
	{
		char *name = xmlwalk_child_text(list, "name");

		if (name)
			reader->lists[reader->list_count++] = (struct list_ref){ name, list };
	}
	qsort(reader->lists, reader->list_count, sizeof(*reader->lists), compare_lists);
}

static void
add_item(
    struct filter_addresses *addresses, const struct prefix *prefix, unsigned term, bool except)
{
	if (addresses->count == addresses->capacity) {
		addresses->capacity = addresses->capacity ? 2 * addresses->capacity : 16;
		addresses->items =
		    xreallocarray(addresses->items, addresses->capacity, sizeof(*addresses->items));
	}
	addresses->items[addresses->count++] = (struct range_item){ *prefix, term, except };
}

/* Text of the other family, or no prefix at all, matches nothing. */
static void
add_text(struct filter_addresses *addresses, const char *text, enum family family, unsigned term,
    bool except)
{
	struct prefix prefix;

	if (text && !prefix_parse(text, &prefix) && prefix.address.family == family)
		add_item(addresses, &prefix, term, except);
}

static void
add_list(const struct reader *reader, struct filter_addresses *addresses, const char *name,
    enum family family, unsigned term, bool except)
{
	struct list_ref key = { (char *)name, NULL }; /* compared only */
	const struct list_ref *hit =
	    bsearch(&key, reader->lists, reader->list_count, sizeof(*reader->lists), compare_lists);
	const struct list_ref *end = reader->lists + reader->list_count;

	if (!hit)
		return;
	while (hit > reader->lists && !strcmp(hit[-1].name, name))
		hit--;
	for (; hit < end && !strcmp(hit->name, name); hit++) {
		XMLWALK_FOREACH(item, hit->node, "prefix-list-item")
		{
			char *text = xmlwalk_child_text(item, "name");

			add_text(addresses, text, family, term, except);
			free(text);
		}
	}
}

static void
read_addresses(const struct reader *reader, const xmlNode *from, const char *direction,
    enum family family, unsigned term, struct filter_addresses *addresses)
{
	char *address_name = xasprintf("%saddress", direction);
	char *list_name = xasprintf("%sprefix-list", direction);

	XMLWALK_FOREACH(node, from, NULL)
	{
		bool is_list = xmlwalk_is(node, list_name);
		char *name;

		if (!is_list && !xmlwalk_is(node, address_name))
			continue;
		addresses->present = true;
		name = xmlwalk_child_text(node, "name");
		if (!name)
			continue;
		if (is_list)
			add_list(
			    reader, addresses, name, family, term, xmlwalk_child(node, "except"));
		else
			add_text(addresses, name, family, term, xmlwalk_child(node, "except"));
		free(name);
	}
	free(list_name);
	free(address_name);
}

/* `routing-instance X` comes as text or as <routing-instance-name>, by release. */
static char *
instance_name(const xmlNode *node)
{
	char *name = xmlwalk_child_text(node, "routing-instance-name");

	return name ? name : xmlwalk_text(node);
}

static int
read_action(const xmlNode *then, struct filter_term *term, struct error *err)
{
	term->action = FILTER_ACCEPT;
	XMLWALK_FOREACH(node, then, NULL)
	{
		const char *name = (const char *)node->name;

		if (!strcmp(name, "count")) {
			free(term->count);
			term->count = xmlwalk_text(node);
		} else if (!strcmp(name, "discard")) {
			term->action = FILTER_DISCARD;
		} else if (!strcmp(name, "reject")) {
			term->action = FILTER_REJECT;
		} else if (!strcmp(name, "next")) {
			term->action = FILTER_NEXT_TERM;
		} else if (!strcmp(name, "routing-instance")) {
			term->action = FILTER_INSTANCE;
			free(term->instance);
			term->instance = instance_name(node);
		} else if (strcmp(name, "accept") && strcmp(name, "log") &&
		           strcmp(name, "syslog")) {
			return error_set(err, -ENOTSUP, "action %s is not known to the lab", name);
		}
	}
	return 0;
}

static int
read_term(const struct reader *reader, const xmlNode *node, enum family family, unsigned number,
    struct filter_term *term, struct error *err)
{
	const xmlNode *from = xmlwalk_child(node, "from");
	int rc;

	term->name = xmlwalk_child_text(node, "name");
	if (!term->name)
		term->name = xasprintf("term-%u", number);
	read_addresses(reader, from, "source-", family, number, &term->side[FILTER_SOURCE]);
	read_addresses(
	    reader, from, "destination-", family, number, &term->side[FILTER_DESTINATION]);
	read_addresses(reader, from, "", family, number, &term->either);
	rc = filter_match_read(from, family, &term->match, err);
	return rc ? rc : read_action(xmlwalk_child(node, "then"), term, err);
}

static int
read_filter(const struct reader *reader, const xmlNode *node, struct filter *filter)
{
	struct error why;
	size_t count = 0;

	XMLWALK_FOREACH(term, node, "term")
	count++;
	filter->terms = xcalloc(count + 1, sizeof(*filter->terms));
	XMLWALK_FOREACH(term, node, "term")
	{
		unsigned number = (unsigned)filter->term_count;
		struct filter_term *slot = &filter->terms[filter->term_count++];
		int rc = read_term(reader, term, filter->family, number, slot, &why);

		if (rc)
			return error_set(reader->err, rc, "filter %s term %s: %s", filter->name,
			    slot->name, why.text);
	}
	return 0;
}

static const xmlNode *
find_named(const xmlNode *parent, const char *kind, const char *name)
{
	XMLWALK_FOREACH(node, parent, kind)
	{
		char *text = xmlwalk_child_text(node, "name");
		bool same = text && !strcmp(text, name);

		free(text);
		if (same)
			return node;
	}
	return NULL;
}

static const xmlNode *
find_filter(const struct reader *reader, enum family family, const char *name)
{
	const xmlNode *filters =
	    xmlwalk_child(xmlwalk_child(reader->firewall, "family"), junos_families[family]);
	const xmlNode *node = find_named(filters, "filter", name);

	if (!node && family == FAMILY_IPV4) /* the form without a family is older */
		node = find_named(reader->firewall, "filter", name);
	return node;
}

/* Finds the filter among those read already, or reads it. */
static int
use_filter(const struct reader *reader, enum family family, const char *name, size_t *ret_index)
{
	struct filter_config *config = reader->config;
	const xmlNode *node;
	struct filter *filter;

	for (size_t i = 0; i < config->filter_count; i++) {
		if (config->filters[i].family == family && !strcmp(config->filters[i].name, name)) {
			*ret_index = i;
			return 0;
		}
	}
	node = find_filter(reader, family, name);
	if (!node)
		return error_set(reader->err, -EINVAL,
		    "filter %s is applied to an interface but not defined in firewall family %s",
		    name, junos_families[family]);
	config->filters =
	    xreallocarray(config->filters, config->filter_count + 1, sizeof(*config->filters));
	*ret_index = config->filter_count;
	filter = &config->filters[config->filter_count++];
	*filter = (struct filter){ .name = xstrdup(name), .family = family };
	return read_filter(reader, node, filter);
}

static void
add_binding(struct filter_config *config, char *device, enum family family, size_t filter)
{
	config->bindings =
	    xreallocarray(config->bindings, config->binding_count + 1, sizeof(*config->bindings));
	config->bindings[config->binding_count++] =
	    (struct filter_binding){ .device = device, .family = family, .filter = filter };
}

static int
read_unit(const struct reader *reader, const char *interface, const xmlNode *unit)
{
	char *number = xmlwalk_child_text(unit, "name");
	bool is_main = !number || !strcmp(number, "0");
	int rc = 0;

	for (int family = 0; family < FAMILY_COUNT && !rc; family++) {
		const xmlNode *input = xmlwalk_path(
		    xmlwalk_child(xmlwalk_child(unit, "family"), junos_families[family]),
		    "filter/input");
		char *name = xmlwalk_child_text(input, "filter-name");
		size_t index = 0;

		if (name)
			rc = use_filter(reader, family, name, &index);
		if (name && !rc)
			add_binding(reader->config,
			    is_main ? xstrdup(interface) : xasprintf("%s.%s", interface, number),
			    family, index);
		free(name);
	}
	free(number);
	return rc;
}

static int
read_interfaces(const struct reader *reader, const xmlNode *interfaces)
{
	int rc = 0;

	XMLWALK_FOREACH(interface, interfaces, "interface")
	{
		char *name = xmlwalk_child_text(interface, "name");

		XMLWALK_FOREACH(unit, interface, "unit")
		{
			if (name && !rc)
				rc = read_unit(reader, name, unit);
		}
		free(name);
		if (rc)
			break;
	}
	return rc;
}

int
filter_config_read(
    const xmlNode *configuration, struct filter_config *ret_config, struct error *err)
{
	struct reader reader = { .config = ret_config, .err = err };
	int rc;

	*ret_config = (struct filter_config){ 0 };
	reader.firewall = xmlwalk_child(configuration, "firewall");
	index_lists(&reader, configuration);
	rc = read_interfaces(&reader, xmlwalk_child(configuration, "interfaces"));
	if (!rc)
		rc = filter_routes_read(configuration, ret_config, err);
	for (size_t i = 0; i < reader.list_count; i++)
		free(reader.lists[i].name);
	free(reader.lists);
	return rc;
}

static void
term_done(struct filter_term *term)
{
	free(term->name);
	free(term->side[FILTER_SOURCE].items);
	free(term->side[FILTER_DESTINATION].items);
	free(term->either.items);
	free(term->match);
	free(term->count);
	free(term->instance);
}

void
filter_config_done(struct filter_config *config)
{
	for (size_t i = 0; i < config->filter_count; i++) {
		for (size_t t = 0; t < config->filters[i].term_count; t++)
			term_done(&config->filters[i].terms[t]);
		free(config->filters[i].terms);
		free(config->filters[i].name);
	}
	for (size_t i = 0; i < config->binding_count; i++)
		free(config->bindings[i].device);
	for (size_t i = 0; i < config->instance_count; i++) {
		free(config->instances[i].routes);
		free(config->instances[i].name);
	}
	free(config->filters);
	free(config->bindings);
	free(config->instances);
	*config = (struct filter_config){ 0 };
}
