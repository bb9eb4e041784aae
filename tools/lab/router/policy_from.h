/* SPDX-License-Identifier: BSD-3-Clause */
/* The `from` of a policy term: which routes it names, and whether one fits. */
#ifndef LABROUTER_POLICY_FROM_H
#define LABROUTER_POLICY_FROM_H

#include <stdbool.h>
#include <stddef.h>

#include <libxml/tree.h>

#include "routes.h"

/* A route on its way through policies. */
struct policy_route {
	struct prefix prefix;      /* is_rest: only the family counts */
	bool is_rest;              /* stands for all that no term names */
	const struct route *known; /* borrowed; NULL: learned */
};

struct policy_scope {
	const xmlNode *options; /* policy-options; borrowed */
	const struct route_table *table;
};

/* from NULL fits everything. */
bool policy_from_fits(
    const struct policy_scope *scope, const xmlNode *from, const struct policy_route *route);
/* Appends the prefixes that it names. */
void policy_from_collect(
    const struct policy_scope *scope, const xmlNode *from, struct prefix **prefixes, size_t *count);

#endif
