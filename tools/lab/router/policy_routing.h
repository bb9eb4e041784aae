/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routing instances as kernel routing tables: packets with the instance's mark are looked up in its
 * table, whose last route is "unreachable", so a dead next hop never falls through to another
 * table.
 */
#ifndef LABROUTER_POLICY_ROUTING_H
#define LABROUTER_POLICY_ROUTING_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "filter.h"

struct policy_routing;

/* Removes what an earlier router left. NULL with err. */
struct policy_routing *policy_routing_new(struct error *err);
void policy_routing_free(struct policy_routing *routing); /* the kernel keeps its state */

/* Gives each new instance its number; numbers never change. */
void policy_routing_learn(struct policy_routing *routing, const struct filter_config *config);
/* Mark (and table) of an instance; 0: unknown. */
uint32_t policy_routing_mark(const struct policy_routing *routing, const char *name);
/* Sets what apply should bring about. Instances that left the configuration get an empty table. */
void policy_routing_want(struct policy_routing *routing, const struct filter_config *config);
bool policy_routing_is_pending(const struct policy_routing *routing);
int policy_routing_apply(struct policy_routing *routing, struct error *err);

/* Readable when links or addresses changed; links_changed reads it empty and makes all pending. */
int policy_routing_fd(const struct policy_routing *routing);
void policy_routing_links_changed(struct policy_routing *routing);

#endif
