/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What BGP export policies would do with routes now: policy-statements, and the conditions
 * (`if-route-exists`) that they depend on. Values in, values out.
 */
#ifndef LABROUTER_POLICY_H
#define LABROUTER_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <libxml/tree.h>

#include "routes.h"

enum policy_action {
	POLICY_DEFAULT, /* no term decides: BGP announces its own routes and no others */
	POLICY_ACCEPT,
	POLICY_REJECT,
	POLICY_ACTION_COUNT
};
extern const char *const policy_action_names[POLICY_ACTION_COUNT];

/* One route through one policy. */
struct announcement {
	char *policy;        /* owned */
	struct prefix route; /* is_rest: only the family counts */
	bool is_rest;        /* every route of the family that the policy does not name */
	enum policy_action action;
	char *term;        /* owned: that decided; "": none, or the policy's own `then` */
	char *prepend;     /* owned: "65000 65000"; "": none */
	char *communities; /* owned: names, with a blank before each */
	int64_t metric, local_preference; /* -1: not set */
};

struct policy_names {
	char **list; /* borrowed, and so are the names */
	size_t count;
};

/* A zeroed struct is empty. Sorted by policy as configured, then route, the rest last. */
struct announcements {
	struct announcement *list; /* owned */
	size_t count;
};

/*
 * Evaluates every policy that is an `export` of BGP, or has a term with a `from condition`, or is
 * one of imports (the configuration that routers are given leaves it to the operator which session
 * obeys an import policy). Routes
 * are those that the policy names (route-filter, prefix-list, prefix-list-filter), those of the
 * main tables that may be announced, and "the rest" of each family. A route that no table has is
 * taken for one that BGP or an interior protocol knows: it fits every `protocol`.
 * Known in `from`: condition, family, prefix-list, prefix-list-filter, protocol, rib, route-filter;
 * a term that asks for anything else never fits. ret_result must be empty.
 */
void policy_evaluate(const xmlNode *configuration, const struct route_table *table,
    const struct policy_names *imports, struct announcements *ret_result);
void announcements_done(struct announcements *announcements);
bool announcements_equal(const struct announcements *a, const struct announcements *b);
/* One line: POLICY ROUTE ACTION [term T] [as-path-prepend "..."] [metric N] ... */
void announcement_print(FILE *out, const struct announcement *announcement);

#endif
