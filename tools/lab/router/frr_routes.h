/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads bgpd's answer to `show bgp FAMILY unicast json`. */
#ifndef LABROUTER_FRR_ROUTES_H
#define LABROUTER_FRR_ROUTES_H

#include <json-c/json.h>

#include "learned.h"

struct frr_routes {
	struct learned_route *list; /* owned */
	size_t count;
};

/* Adds the valid routes that a peer announced to a zeroed or earlier list. Those of the router
 * itself, and what is not as expected, are passed over. now: their age begins. */
void frr_routes_add(struct frr_routes *routes, json_object *answer, struct mtime now);
void frr_routes_done(struct frr_routes *routes);

#endif
