/* SPDX-License-Identifier: BSD-3-Clause */
/* Names on the command line, looked up in the agent's state: ids go before names. */
#ifndef AUTOFBF_SCOPE_H
#define AUTOFBF_SCOPE_H

#include <stdbool.h>

struct lyd_node;

struct scope {
	const struct lyd_node *group, *element; /* borrowed; NULL: all of them */
};

/* A group, or an element and its group. False: there is no such name. */
bool scope_find(const struct lyd_node *state, const char *name, struct scope *ret_scope);
/* Says what exists; returns the exit code. */
int scope_complain(const struct lyd_node *state, const char *name);
/* The scope has it: what is not a group or an element is never left out. */
bool scope_has_group(const struct scope *scope, const struct lyd_node *group);
bool scope_has_element(const struct scope *scope, const struct lyd_node *element);
/* The state as JSON (RFC 7951) without the groups and elements that were not named. */
void scope_print_json(const struct lyd_node *state, const struct scope *scope);
/* Of that only the nodes below the state that keep wants. */
void scope_print_json_part(const struct lyd_node *state, const struct scope *scope,
    bool (*keep)(const struct lyd_node *node, const struct scope *scope));
/* The node's name is one of these; names ends with NULL. */
bool scope_is_named(const struct lyd_node *node, const char *const *names);

#endif
