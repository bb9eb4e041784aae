/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of the router's configuration that steer: filters, forwarding instances and the routes
 * in them. router_config.c tells the shape. */
#ifndef AUTOFBF_ROUTER_STEERING_H
#define AUTOFBF_ROUTER_STEERING_H

#include <stdbool.h>

#include "config_writer.h"
#include "profile.h"

/* What the two families are called in Junos' hierarchy. */
struct steering_family {
	const char *inet;      /* "inet", "inet6" */
	const char *table;     /* unicast table of an instance */
	const char *all;       /* the discard floor */
	const char *halves[2]; /* the live routes above it */
};
extern const struct steering_family steering_families[FAMILY_COUNT];

/* Has the family and is no tombstone. */
bool steering_serves(const struct profile_element *element, enum family family);
bool steering_group_serves(const struct profile_group *group, enum family family);
bool steering_profile_serves(const struct profile *profile, enum family family);
/* A filter of the group steers the family on this side: not outside where NAT routes do. */
bool steering_has_side(const struct profile_group *group, enum family family, enum side side);

/* [edit routing-options]: rib-groups, and interface-routes of the master instance. */
void steering_write_routing_options(struct config_writer *w, const struct profile *profile);
/* [edit policy-options policy-statement]: the rib-groups' import policies. */
void steering_write_policies(struct config_writer *w, const struct profile *profile);
/* [edit firewall] */
void steering_write_filters(struct config_writer *w, const struct profile *profile);
/* [edit routing-instances]: ours, and interface-routes of the others that peers live in. */
void steering_write_instances(struct config_writer *w, const struct profile *profile);

#endif
