/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs routes through export policies: terms in order, actions add up until a term accepts or
 * rejects. Each policy is looked at by itself; what a chain of policies or BGP's own default does
 * after it is left to the reader ("default"). Inactive statements are not there (xmlwalk.c).
 */
#include "policy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "policy_from.h"
#include "xmlwalk.h"

const char *const policy_action_names[POLICY_ACTION_COUNT] = { "default", "accept", "reject" };

/* ---- then ------------------------------------------------------------------------------------ */

/* A number, alone or inside an element of the same name, as Junos writes metric. */
static void
take_number(const xmlNode *then, const char *name, int64_t *number)
{
	const xmlNode *node = xmlwalk_child(then, name), *inner = xmlwalk_child(node, name);
	char *text = node ? xmlwalk_text(inner ? inner : node) : NULL;

	if (text && *text) {
		char *end;
		long long value = strtoll(text, &end, 10);

		if (*end == '\0' && value >= 0)
			*number = value;
	}
	free(text);
}

/* AS numbers, one blank between them, without quotes. */
static void
take_prepend(const xmlNode *then, struct announcement *result)
{
	char *text = xmlwalk_child_text(then, "as-path-prepend"), *rest = text, *word;

	while (text && (word = strtok_r(rest, " \t\n\"", &rest)))
		xappendf(&result->prepend, "%s%s", *result->prepend ? " " : "", word);
	free(text);
}

static void
take_communities(const xmlNode *then, struct announcement *result)
{
	XMLWALK_FOREACH(node, then, "community")
	{
		char *name = xmlwalk_child_text(node, "community-name");

		xappendf(&result->communities, " %s", name ? name : "?");
		free(name);
	}
}

/* True when evaluation of the policy ends here. */
static bool
apply_then(const xmlNode *then, const char *term, struct announcement *result)
{
	char *next = xmlwalk_child_text(then, "next");
	bool is_end = next && strcmp(next, "policy") == 0;

	free(next);
	take_prepend(then, result);
	take_communities(then, result);
	take_number(then, "metric", &result->metric);
	take_number(then, "local-preference", &result->local_preference);
	if (xmlwalk_child(then, "accept"))
		result->action = POLICY_ACCEPT;
	else if (xmlwalk_child(then, "reject"))
		result->action = POLICY_REJECT;
	else
		return is_end;
	free(result->term);
	result->term = xstrdup(term);
	return true;
}

/* ---- policies -------------------------------------------------------------------------------- */

static void
run(const struct policy_scope *scope, const xmlNode *policy, const struct policy_route *route,
    struct announcement *result)
{
	bool is_over = false;

	XMLWALK_FOREACH(term, policy, "term")
	{
		char *name = xmlwalk_child_text(term, "name");

		if (!is_over && policy_from_fits(scope, xmlwalk_child(term, "from"), route))
			is_over = apply_then(xmlwalk_child(term, "then"), name ? name : "", result);
		free(name);
	}
	if (!is_over && policy_from_fits(scope, xmlwalk_child(policy, "from"), route))
		(void)apply_then(xmlwalk_child(policy, "then"), "", result);
}

static void
announce(const struct policy_scope *scope, const xmlNode *policy, const struct policy_route *route,
    struct announcements *results)
{
	struct announcement result = { .policy = xmlwalk_child_text(policy, "name"),
		.route = route->prefix,
		.is_rest = route->is_rest,
		.term = xstrdup(""),
		.prepend = xstrdup(""),
		.communities = xstrdup(""),
		.metric = -1,
		.local_preference = -1 };

	run(scope, policy, route, &result);
	results->list = xreallocarray(results->list, results->count + 1, sizeof(*results->list));
	results->list[results->count++] = result;
}

static const struct route *
find_known(const struct route_table *table, const struct prefix *prefix)
{
	return route_table_find(table, route_main_table(prefix->address.family), prefix);
}

/* Named by the policy, or in a main table; sorted, each once. Owned by the caller. */
static struct prefix *
collect_routes(const struct policy_scope *scope, const xmlNode *policy, size_t *ret_count)
{
	const struct route_table *table = scope->table;
	struct prefix *prefixes = NULL;
	size_t count = 0, unique = 0;

	policy_from_collect(scope, xmlwalk_child(policy, "from"), &prefixes, &count);
	XMLWALK_FOREACH(term, policy, "term")
	policy_from_collect(scope, xmlwalk_child(term, "from"), &prefixes, &count);
	prefixes = xreallocarray(prefixes, count + table->count + 1, sizeof(*prefixes));
	for (size_t i = 0; i < table->count; i++)
		if (route_is_main(&table->routes[i]))
			prefixes[count++] = table->routes[i].prefix;
	qsort(prefixes, count, sizeof(*prefixes), prefix_compare_void);
	for (size_t i = 0; i < count; i++)
		if (unique == 0 || prefix_compare(&prefixes[i], &prefixes[unique - 1]) != 0)
			prefixes[unique++] = prefixes[i];
	*ret_count = unique;
	return prefixes;
}

static void
evaluate(const struct policy_scope *scope, const xmlNode *policy, struct announcements *results)
{
	size_t count;
	struct prefix *prefixes = collect_routes(scope, policy, &count);

	for (size_t i = 0; i < count; i++) {
		struct policy_route route = { .prefix = prefixes[i],
			.known = find_known(scope->table, &prefixes[i]) };

		if (!route.known || !route.known->no_readvertise)
			announce(scope, policy, &route, results);
	}
	free(prefixes);
	for (int family = 0; family < FAMILY_COUNT; family++) {
		struct policy_route rest = { .is_rest = true };

		rest.prefix.address.family = (enum family)family;
		announce(scope, policy, &rest, results);
	}
}

/* ---- which policies -------------------------------------------------------------------------- */

static bool
is_in_exports(const xmlNode *node, const char *name)
{
	XMLWALK_FOREACH(leaf, node, "export")
	{
		char *text = xmlwalk_text(leaf);
		bool is_it = strcmp(text, name) == 0;

		free(text);
		if (is_it)
			return true;
	}
	return false;
}

static bool
is_export_of(const xmlNode *bgp, const char *name)
{
	if (is_in_exports(bgp, name))
		return true;
	XMLWALK_FOREACH(group, bgp, "group")
	{
		if (is_in_exports(group, name))
			return true;
		XMLWALK_FOREACH(neighbor, group, "neighbor")
		{
			if (is_in_exports(neighbor, name))
				return true;
		}
	}
	return false;
}

static bool
is_export(const xmlNode *configuration, const char *name)
{
	if (is_export_of(xmlwalk_path(configuration, "protocols/bgp"), name))
		return true;
	XMLWALK_FOREACH(node, xmlwalk_child(configuration, "routing-instances"), "instance")
	{
		if (is_export_of(xmlwalk_path(node, "protocols/bgp"), name))
			return true;
	}
	return false;
}

static bool
has_condition(const xmlNode *policy)
{
	XMLWALK_FOREACH(term, policy, "term")
	{
		if (xmlwalk_path(term, "from/condition"))
			return true;
	}
	return xmlwalk_path(policy, "from/condition") != NULL;
}

static bool
is_one_of(const struct policy_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->list[i], name) == 0)
			return true;
	return false;
}

void
policy_evaluate(const xmlNode *configuration, const struct route_table *table,
    const struct policy_names *imports, struct announcements *ret_result)
{
	struct policy_scope scope = { xmlwalk_child(configuration, "policy-options"), table };

	XMLWALK_FOREACH(policy, scope.options, "policy-statement")
	{
		char *name = xmlwalk_child_text(policy, "name");

		if (name && (has_condition(policy) || is_export(configuration, name) ||
		                is_one_of(imports, name)))
			evaluate(&scope, policy, ret_result);
		free(name);
	}
}

/* ---- results --------------------------------------------------------------------------------- */

void
announcements_done(struct announcements *announcements)
{
	for (size_t i = 0; i < announcements->count; i++) {
		free(announcements->list[i].policy);
		free(announcements->list[i].term);
		free(announcements->list[i].prepend);
		free(announcements->list[i].communities);
	}
	free(announcements->list);
	*announcements = (struct announcements){ 0 };
}

static bool
is_equal(const struct announcement *a, const struct announcement *b)
{
	return strcmp(a->policy, b->policy) == 0 && prefix_compare(&a->route, &b->route) == 0 &&
	       a->is_rest == b->is_rest && a->action == b->action &&
	       strcmp(a->term, b->term) == 0 && strcmp(a->prepend, b->prepend) == 0 &&
	       strcmp(a->communities, b->communities) == 0 && a->metric == b->metric &&
	       a->local_preference == b->local_preference;
}

bool
announcements_equal(const struct announcements *a, const struct announcements *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!is_equal(&a->list[i], &b->list[i]))
			return false;
	return true;
}

/* "192.0.2.0/24", or "rest-v4": buf is returned. */
static const char *
route_text(const struct announcement *announcement, char buf[PREFIX_TEXT_SIZE])
{
	if (!announcement->is_rest)
		return prefix_format(&announcement->route, buf);
	(void)snprintf(
	    buf, PREFIX_TEXT_SIZE, "rest-%s", family_tags[announcement->route.address.family]);
	return buf;
}

void
announcement_print(FILE *out, const struct announcement *a)
{
	char route[PREFIX_TEXT_SIZE];

	fprintf(out, "%s %s %s", a->policy, route_text(a, route), policy_action_names[a->action]);
	if (*a->term)
		fprintf(out, " term %s", a->term);
	if (*a->prepend)
		fprintf(out, " as-path-prepend \"%s\"", a->prepend);
	if (a->metric >= 0)
		fprintf(out, " metric %" PRId64, a->metric);
	if (a->local_preference >= 0)
		fprintf(out, " local-preference %" PRId64, a->local_preference);
	if (*a->communities)
		fprintf(out, " community%s", a->communities);
	fputc('\n', out);
}
