/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The routes that a configuration makes by itself: static and aggregate ones of the main tables
 * (`routing-options static`, `rib inet6.0 static`) and of routing instances. Learned routes are not
 * in here.
 */
#ifndef LABROUTER_ROUTES_H
#define LABROUTER_ROUTES_H

#include <stdbool.h>
#include <stddef.h>

#include <libxml/tree.h>

#include "mtime.h"
#include "prefix.h"

enum route_kind { ROUTE_NEXT_HOP, ROUTE_DISCARD, ROUTE_REJECT, ROUTE_AGGREGATE, ROUTE_KIND_COUNT };
extern const char *const route_kind_names[ROUTE_KIND_COUNT]; /* "next-hop", "discard", ... */

struct route {
	char *table; /* owned: "inet.0", "one-in.inet6.0" */
	struct prefix prefix;
	enum route_kind kind;
	struct ip next_hop; /* of a ROUTE_NEXT_HOP: the first one */
	bool no_readvertise;
	struct mtime since; /* in force without a break */
};

/* A zeroed struct is an empty table. Sorted by table name, then prefix. */
struct route_table {
	struct route *routes; /* owned */
	size_t count;
};

/* Replaces what is in table by the routes of the configuration; those that stay keep their age. */
void route_table_read(struct route_table *table, const xmlNode *configuration, struct mtime now);
void route_table_done(struct route_table *table);
/* NULL: no such route. */
const struct route *route_table_find(
    const struct route_table *table, const char *name, const struct prefix *prefix);
/* The main table of a family: "inet.0", "inet6.0". */
const char *route_main_table(enum family family);
bool route_is_main(const struct route *route);

#endif
