/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Port blocks: what an element's pools of kind pba have against what the hosts that it carries
 * need, by the profile's blocks-per-host. A host that a deterministic rule of the element has needs
 * none, its block is its own. Pure.
 */
#ifndef AUTOFBF_NAT_LOAD_H
#define AUTOFBF_NAT_LOAD_H

#include "layout.h"
#include "profile.h"

enum { NAT_BLOCKS_NEAR_PERCENT = 80, NAT_BLOCKS_FULL_PERCENT = 95 };

struct nat_load {                /* in port blocks */
	double blocks;           /* that the element has; 0: not judged */
	double base, now, worst; /* needed: all healthy, by these, after the worst single failure */
};

/* Port blocks that limit the element: 0 unless the group tells blocks-per-host, the element has a
 * pool of kind pba, and none of kind napt, which takes any number of hosts. */
double nat_load_blocks(const struct profile_group *group, size_t element, enum family family);
/* Some element of the group is limited. */
bool nat_load_is_told(const struct profile_group *group, enum family family);
/* Hosts that each element carries under the layout; ret_hosts has an entry for each. */
void nat_load_hosts(const struct layout *layout, double *ret_hosts);
/* What each element needs under the layout; ret_needed has an entry for each. */
void nat_load_needed(const struct layout *layout, double *ret_needed);
/* healthy and ret_loads have an entry for each element. Costs a layout for each healthy one. */
void nat_load_compute(
    const struct layout_space *space, const bool *healthy, struct nat_load *ret_loads);

#endif
