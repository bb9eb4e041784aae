/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of a Junos configuration that decides where packets go, as plain structs: the filters
 * that interfaces apply to their input, and the forwarding instances that terms send packets to.
 */
#ifndef LABROUTER_FILTER_H
#define LABROUTER_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include <libxml/tree.h>

#include "error.h"
#include "prefix.h"
#include "ranges.h"

enum filter_side { FILTER_SOURCE, FILTER_DESTINATION, FILTER_SIDE_COUNT };

enum filter_action {
	FILTER_ACCEPT,
	FILTER_DISCARD,
	FILTER_REJECT,
	FILTER_INSTANCE,
	FILTER_NEXT_TERM
};

/* Address conditions of one direction: prefix-lists and literal addresses together. An absent
 * condition matches everything; one whose lists are empty is present and matches nothing. */
struct filter_addresses {
	bool present;
	struct range_item *items; /* owned; value is the number of the term */
	size_t count, capacity;
};

struct filter_term {
	char *name; /* owned */
	struct filter_addresses side[FILTER_SIDE_COUNT];
	struct filter_addresses either; /* `address`, `prefix-list`: source or destination */
	char *match; /* owned; other conditions as nftables expressions; NULL: none */
	enum filter_action action;
	char *count;    /* owned; NULL: the term's own name counts */
	char *instance; /* owned; FILTER_INSTANCE only */
};

struct filter {
	char *name; /* owned */
	enum family family;
	struct filter_term *terms; /* owned; in order, first match wins */
	size_t term_count;
};

struct filter_binding {
	char *device; /* owned; kernel name: unit 0 of c0 is c0, unit 5 is c0.5 */
	enum family family;
	size_t filter; /* index */
};

struct filter_route {
	struct prefix prefix;
	struct ip next_hop;
	bool has_next_hop; /* false: discard, reject or receive */
	unsigned rank;     /* order among the next hops of one prefix: the first that lives wins */
};

struct filter_instance {
	char *name;                  /* owned */
	struct filter_route *routes; /* owned */
	size_t route_count;
};

struct filter_config {
	struct filter *filters; /* owned; those that are bound, in order of their first binding */
	size_t filter_count;
	struct filter_binding *bindings; /* owned */
	size_t binding_count;
	struct filter_instance *instances; /* owned */
	size_t instance_count;
};

/* configuration: a merged <configuration> element. 0, or -EINVAL/-ENOTSUP with err; ret_config must
 * then be given to filter_config_done as well. */
int filter_config_read(
    const xmlNode *configuration, struct filter_config *ret_config, struct error *err);
void filter_config_done(struct filter_config *config);

#endif
