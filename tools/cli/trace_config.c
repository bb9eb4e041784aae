/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was read of a router's configuration, and the questions that a walk has. Filled by
 * trace_read.c. Lists are found by bisection, and so is the longest item of a list that contains an
 * address: for each length that a prefix can have the one prefix of that length is looked up. A
 * list of 85,325 items (Junos' limit) thus costs seventeen comparisons a length.
 */
#include "trace_config.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists --------------------------------------------------------------------------------- */

/* A static item before the same one of the instance: that one is kept. */
static int
compare_items(const void *a, const void *b)
{
	const struct trace_item *x = a, *y = b;
	int order = prefix_compare(&x->prefix, &y->prefix);

	return order != 0 ? order : (int)x->ephemeral - (int)y->ephemeral;
}

static int
compare_lists(const void *a, const void *b)
{
	const struct trace_list *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void
sort_items(struct trace_list *list)
{
	size_t kept = 0;

	if (list->count > 0)
		qsort(list->items, list->count, sizeof(*list->items), compare_items);
	for (size_t i = 0; i < list->count; i++)
		if (kept == 0 ||
		    prefix_compare(&list->items[kept - 1].prefix, &list->items[i].prefix) != 0)
			list->items[kept++] = list->items[i];
	list->count = kept;
}

static void
append_items(struct trace_list *list, struct trace_list *more)
{
	list->items =
	    xreallocarray(list->items, list->count + more->count + 1, sizeof(*list->items));
	if (more->count > 0)
		memcpy(list->items + list->count, more->items, more->count * sizeof(*more->items));
	list->count += more->count;
	list->capacity = list->count + 1;
	free(more->items);
	free(more->name);
}

/* Lists of one name are one list: static and ephemeral items are a union. */
static void
sort_lists(struct trace_config *config)
{
	size_t kept = 0;

	if (config->list_count > 0)
		qsort(config->lists, config->list_count, sizeof(*config->lists), compare_lists);
	for (size_t i = 0; i < config->list_count; i++) {
		if (kept > 0 && strcmp(config->lists[kept - 1].name, config->lists[i].name) == 0)
			append_items(&config->lists[kept - 1], &config->lists[i]);
		else
			config->lists[kept++] = config->lists[i];
	}
	config->list_count = kept;
	for (size_t i = 0; i < kept; i++)
		sort_items(&config->lists[i]);
}

const struct trace_list *
trace_config_list(const struct trace_config *config, const char *name)
{
	struct trace_list key = { .name = (char *)name }; /* compared only */

	return config->list_count > 0 ? bsearch(&key, config->lists, config->list_count,
	                                    sizeof(*config->lists), compare_lists)
	                              : NULL;
}

static int
compare_prefixes(const void *a, const void *b)
{
	const struct trace_item *x = a, *y = b;

	return prefix_compare(&x->prefix, &y->prefix);
}

static struct prefix
cut(const struct ip *ip, unsigned length)
{
	struct prefix prefix = { *ip, (uint8_t)length };

	for (unsigned bit = length; bit < family_bits(ip->family); bit++)
		prefix.address.bytes[bit / 8] &= (uint8_t) ~(0x80u >> bit % 8);
	return prefix;
}

/* Of at most `most` bits. */
static const struct trace_item *
find_longest(const struct trace_list *list, const struct ip *ip, unsigned most)
{
	for (unsigned length = most + 1; list->count > 0 && length-- > 0;) {
		struct trace_item key = { cut(ip, length), false };
		const struct trace_item *hit =
		    bsearch(&key, list->items, list->count, sizeof(*list->items), compare_prefixes);

		if (hit)
			return hit;
	}
	return NULL;
}

const struct trace_item *
trace_list_longest(const struct trace_list *list, const struct ip *ip)
{
	return find_longest(list, ip, family_bits(ip->family));
}

/* ---- filters, interfaces, instances -------------------------------------------------------- */

const struct trace_filter *
trace_config_filter(const struct trace_config *config, enum family family, const char *name)
{
	for (size_t i = 0; i < config->filter_count; i++)
		if (config->filters[i].family == family &&
		    strcmp(config->filters[i].name, name) == 0)
			return &config->filters[i];
	return NULL;
}

const struct trace_binding *
trace_config_binding(
    const struct trace_config *config, const char *interface, enum family family, bool output)
{
	for (size_t i = 0; i < config->binding_count; i++) {
		const struct trace_binding *binding = &config->bindings[i];

		if (binding->family == family && binding->output == output &&
		    strcmp(binding->interface, interface) == 0)
			return binding;
	}
	return NULL;
}

bool
trace_config_has_instance(const struct trace_config *config, const char *name)
{
	for (size_t i = 0; i < config->instance_count; i++)
		if (strcmp(config->instances[i], name) == 0)
			return true;
	return false;
}

const char *
trace_config_facing(const struct trace_config *config, const struct ip *ip)
{
	const struct trace_address_of *best = NULL;

	for (size_t i = 0; i < config->network_count; i++) {
		const struct trace_address_of *network = &config->networks[i];

		if (network->network.address.family == ip->family &&
		    prefix_contains_ip(&network->network, ip) &&
		    (!best || network->network.length > best->network.length))
			best = network;
	}
	return best ? best->interface : NULL;
}

void
trace_config_sort(struct trace_config *config)
{
	sort_lists(config);
	trace_routes_sort(&config->routes);
}

/* ---- the end ------------------------------------------------------------------------------- */

static void
term_done(struct trace_term *term)
{
	for (int field = 0; field < TRACE_FIELDS; field++) {
		for (size_t i = 0; i < term->from[field].count; i++)
			free(term->from[field].entries[i].list);
		free(term->from[field].entries);
	}
	free(term->name);
	free(term->other);
	free(term->target);
	free(term->count);
}

static void
filters_done(struct trace_config *config)
{
	for (size_t i = 0; i < config->filter_count; i++) {
		for (size_t j = 0; j < config->filters[i].term_count; j++)
			term_done(&config->filters[i].terms[j]);
		free(config->filters[i].terms);
		free(config->filters[i].name);
	}
	free(config->filters);
}

static void
bindings_done(struct trace_config *config)
{
	for (size_t i = 0; i < config->binding_count; i++) {
		for (size_t j = 0; j < config->bindings[i].filter_count; j++)
			free(config->bindings[i].filters[j]);
		free(config->bindings[i].filters);
		free(config->bindings[i].interface);
	}
	free(config->bindings);
}

void
trace_config_done(struct trace_config *config)
{
	for (size_t i = 0; i < config->list_count; i++) {
		free(config->lists[i].name);
		free(config->lists[i].items);
	}
	free(config->lists);
	filters_done(config);
	bindings_done(config);
	for (size_t i = 0; i < config->network_count; i++)
		free(config->networks[i].interface);
	free(config->networks);
	for (size_t i = 0; i < config->instance_count; i++)
		free(config->instances[i]);
	free(config->instances);
	trace_routes_done(&config->routes);
	trace_texts_done(&config->doubts);
	*config = (struct trace_config){ 0 };
}
