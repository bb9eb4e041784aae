/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One way to say which part is meant, for all commands that look at the state: nothing (all of it),
 * a group, or an element. A name that is not known is answered by those that are.
 */
#include "scope.h"

#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output.h"
#include "tree.h"

static bool
find_by(const struct lyd_node *state, const char *leaf, const char *name, struct scope *scope)
{
	const struct lyd_node *group = NULL, *element;

	while ((group = tree_next(state, "group", group))) {
		if (tree_is(group, leaf, name)) {
			*scope = (struct scope){ .group = group };
			return true;
		}
		element = tree_entry(group, "element", leaf, name);
		if (element) {
			*scope = (struct scope){ group, element };
			return true;
		}
	}
	return false;
}

bool
scope_find(const struct lyd_node *state, const char *name, struct scope *ret_scope)
{
	return find_by(state, "id", name, ret_scope) || find_by(state, "name", name, ret_scope);
}

int
scope_complain(const struct lyd_node *state, const char *name)
{
	const struct lyd_node *group = NULL, *element = NULL;
	char known[512] = "";
	size_t used = 0;

	while ((group = tree_next(state, "group", group))) {
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%sgroup %s with",
		    used ? "; " : "", tree_text(group, "id"));
		for (element = NULL;
		     used < sizeof(known) && (element = tree_next(group, "element", element));)
			used += (size_t)snprintf(
			    known + used, sizeof(known) - used, " %s", tree_text(element, "id"));
		if (used >= sizeof(known))
			break;
	}
	return complain(EXIT_USAGE, "no group or element '%s'; there are: %s", name, known);
}

bool
scope_has_group(const struct scope *scope, const struct lyd_node *group)
{
	return !scope->group || tree_is(group, "id", tree_text(scope->group, "id"));
}

bool
scope_has_element(const struct scope *scope, const struct lyd_node *element)
{
	return !scope->element || tree_is(element, "id", tree_text(scope->element, "id"));
}

static void
cut_elements(struct lyd_node *group, const struct scope *scope)
{
	const struct lyd_node *next, *element = tree_child(group, "element");

	for (; element; element = next) {
		next = tree_next(group, "element", element);
		if (!scope_has_element(scope, element))
			lyd_free_tree((struct lyd_node *)element);
	}
}

void
scope_print_json(const struct lyd_node *state, const struct scope *scope)
{
	const struct lyd_node *next, *group;
	struct lyd_node *copy = NULL;

	if (!scope->group) {
		output_json(state, false);
		return;
	}
	if (lyd_dup_single(state, NULL, LYD_DUP_RECURSIVE, &copy) != LY_SUCCESS)
		return;
	for (group = tree_child(copy, "group"); group; group = next) {
		next = tree_next(copy, "group", group);
		cut_elements((struct lyd_node *)group, scope);
		if (!scope_has_group(scope, group))
			lyd_free_tree((struct lyd_node *)group);
	}
	output_json(copy, false);
	lyd_free_all(copy);
}

bool
scope_is_named(const struct lyd_node *node, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(node->schema->name, *names) == 0)
			return true;
	return false;
}

void
scope_print_json_part(const struct lyd_node *state, const struct scope *scope,
    bool (*keep)(const struct lyd_node *node, const struct scope *scope))
{
	struct lyd_node *copy = NULL, *node, *next;

	if (lyd_dup_single(state, NULL, LYD_DUP_RECURSIVE, &copy) != LY_SUCCESS)
		return;
	LY_LIST_FOR_SAFE(lyd_child(copy), next, node)
	{
		if (!keep(node, scope))
			lyd_free_tree(node);
	}
	scope_print_json(copy, scope);
	lyd_free_all(copy);
}
