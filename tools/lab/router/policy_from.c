/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Match conditions of policy terms. Statements of one kind are alternatives, kinds are joined by
 * "and"; prefix-list, prefix-list-filter and route-filter are one kind. What this file does not
 * know never fits, so that a policy it misunderstands announces too little and not too much.
 */
#include "policy_from.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "xmlwalk.h"

enum { UNLIMITED = 129 };

/* The lengths that a filter lets through below a prefix. */
struct range {
	struct prefix prefix;
	unsigned low, high;
};

typedef bool range_visitor(void *arg, const struct range *range);

static bool
has_name(const xmlNode *node, const char *name)
{
	char *text = xmlwalk_child_text(node, "name");
	bool is_equal = text && strcmp(text, name) == 0;

	free(text);
	return is_equal;
}

static const xmlNode *
find_named(const xmlNode *parent, const char *element, const char *name)
{
	XMLWALK_FOREACH(node, parent, element)
	{
		if (has_name(node, name))
			return node;
	}
	return NULL;
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* The statement with <address> and <table>: both forms of if-route-exists. */
static bool
route_exists(const struct route_table *table, const xmlNode *node)
{
	char *address = xmlwalk_child_text(node, "address");
	char *name = xmlwalk_child_text(node, "table");
	struct prefix prefix;
	bool exists;

	if (!address)
		address = xmlwalk_child_text(node, "name");
	exists =
	    address && prefix_parse(address, &prefix) == 0 &&
	    route_table_find(table, name ? name : route_main_table(prefix.address.family), &prefix);
	free(address);
	free(name);
	return exists;
}

static bool
condition_holds(const struct policy_scope *scope, const char *name)
{
	const xmlNode *node = find_named(scope->options, "condition", name);
	const xmlNode *family;

	node = xmlwalk_child(node, "if-route-exists");
	if (!node)
		return false;
	family = xmlwalk_child(xmlwalk_child(node, "address-family"), NULL);
	return route_exists(scope->table, family ? family : node);
}

/* ---- prefixes -------------------------------------------------------------------------------- */

static unsigned
read_length(const xmlNode *node, const char *child, unsigned otherwise)
{
	char *text = xmlwalk_child_text(node, child);
	unsigned length = text ? (unsigned)strtoul(text + strspn(text, "/"), NULL, 10) : otherwise;

	free(text);
	return length;
}

/* exact (also when nothing is said), orlonger, longer, upto /N. */
static struct range
make_range(const xmlNode *filter, const struct prefix *prefix)
{
	struct range range = { *prefix, prefix->length, prefix->length };

	if (xmlwalk_child(filter, "orlonger") || xmlwalk_child(filter, "longer"))
		range.high = UNLIMITED;
	if (xmlwalk_child(filter, "longer"))
		range.low++;
	range.high = read_length(filter, "upto", range.high);
	return range;
}

static bool
visit_list(const struct policy_scope *scope, const xmlNode *filter, const char *name,
    range_visitor *visit, void *arg)
{
	const xmlNode *list = find_named(scope->options, "prefix-list", name);

	XMLWALK_FOREACH(item, list, "prefix-list-item")
	{
		char *text = xmlwalk_child_text(item, "name");
		struct prefix prefix;
		struct range range;
		bool is_good = text && prefix_parse(text, &prefix) == 0;

		free(text);
		if (!is_good)
			continue;
		range = make_range(filter, &prefix);
		if (visit(arg, &range))
			return true;
	}
	return false;
}

static bool
visit_filter(const struct policy_scope *scope, const xmlNode *node, range_visitor *visit, void *arg)
{
	static const char *const keys[] = { "address", "list_name", "list-name", "name" };
	char *text = NULL;
	struct prefix prefix;
	struct range range;
	bool found = false;

	for (size_t i = 0; !text && i < sizeof(keys) / sizeof(*keys); i++)
		text = xmlwalk_child_text(node, keys[i]);
	if (text && !xmlwalk_is(node, "route-filter")) {
		found = visit_list(scope, node, text, visit, arg);
	} else if (text && prefix_parse(text, &prefix) == 0) {
		range = make_range(node, &prefix);
		found = visit(arg, &range);
	}
	free(text);
	return found;
}

static bool
is_prefix_filter(const xmlNode *node)
{
	return xmlwalk_is(node, "route-filter") || xmlwalk_is(node, "prefix-list") ||
	       xmlwalk_is(node, "prefix-list-filter");
}

/* True when a visit said so, which ends the walk. */
static bool
visit_ranges(const struct policy_scope *scope, const xmlNode *from, range_visitor *visit, void *arg)
{
	XMLWALK_FOREACH(node, from, NULL)
	{
		if (is_prefix_filter(node) && visit_filter(scope, node, visit, arg))
			return true;
	}
	return false;
}

static bool
is_in_range(void *arg, const struct range *range)
{
	const struct prefix *prefix = arg;

	return prefix_contains(&range->prefix, prefix) && prefix->length >= range->low &&
	       prefix->length <= range->high;
}

struct collection {
	struct prefix *prefixes;
	size_t count;
};

static bool
collect(void *arg, const struct range *range)
{
	struct collection *all = arg;

	all->prefixes = xreallocarray(all->prefixes, all->count + 1, sizeof(*all->prefixes));
	all->prefixes[all->count++] = range->prefix;
	return false;
}

void
policy_from_collect(
    const struct policy_scope *scope, const xmlNode *from, struct prefix **prefixes, size_t *count)
{
	struct collection all = { *prefixes, *count };

	(void)visit_ranges(scope, from, collect, &all);
	*prefixes = all.prefixes;
	*count = all.count;
}

/* ---- one term -------------------------------------------------------------------------------- */

static bool
fits_protocol(const char *text, const struct policy_route *route)
{
	const struct route *known = route->known;

	if (!known)
		return true;
	return strcmp(text, known->kind == ROUTE_AGGREGATE ? "aggregate" : "static") == 0;
}

/* A leaf of `from`. */
static bool
fits_leaf(const struct policy_scope *scope, const char *name, const char *text,
    const struct policy_route *route)
{
	enum family family = route->prefix.address.family;

	if (strcmp(name, "condition") == 0)
		return condition_holds(scope, text);
	if (strcmp(name, "protocol") == 0)
		return fits_protocol(text, route);
	if (strcmp(name, "rib") == 0)
		return strcmp(text, route_main_table(family)) == 0;
	if (strcmp(name, "family") == 0)
		return strcmp(text, family == FAMILY_IPV4 ? "inet" : "inet6") == 0;
	return false;
}

/* Does one of the statements of this kind fit? */
static bool
fits_kind(const struct policy_scope *scope, const xmlNode *from, const char *name,
    const struct policy_route *route)
{
	XMLWALK_FOREACH(node, from, name)
	{
		char *text = xmlwalk_text(node);
		bool fits = fits_leaf(scope, name, text, route);

		free(text);
		if (fits)
			return true;
	}
	return false;
}

bool
policy_from_fits(
    const struct policy_scope *scope, const xmlNode *from, const struct policy_route *route)
{
	bool asks_prefix = false;
	struct prefix prefix = route->prefix;

	XMLWALK_FOREACH(node, from, NULL)
	{
		if (is_prefix_filter(node))
			asks_prefix = true;
		else if (!fits_kind(scope, from, (const char *)node->name, route))
			return false;
	}
	if (!asks_prefix)
		return true;
	return !route->is_rest && visit_ranges(scope, from, is_in_range, &prefix);
}
