/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Port blocks: what an element's pools of kind pba have against what the hosts that it carries
 * need, by the profile's blocks-per-host. A host that a deterministic rule of the element has needs
 * none, its block is its own. Pure.
 */
#ifndef AUTOFBF_NAT_LOAD_H
#define AUTOFBF_NAT_LOAD_H

#include "layout.h"
#include "nat_rules.h"
#include "profile.h"

enum { NAT_BLOCKS_NEAR_PERCENT = 80, NAT_BLOCKS_FULL_PERCENT = 95 };

struct nat_load {                /* in port blocks, and in hosts */
	double blocks;           /* that the element has; 0: not judged */
	double base, now, worst; /* needed: all healthy, by these, after the worst single failure */
	double hosts, hosts_worst;
};

/* Addresses of a prefix, each a host's. */
double nat_load_hosts(const struct prefix *prefix);
/* Port blocks that limit the element: 0 unless the group tells blocks-per-host, the element has a
 * pool of kind pba, and none of kind napt, which takes any number of hosts. */
double nat_load_blocks(const struct profile_group *group, size_t element, enum family family);
/* Some element of the group is limited. */
bool nat_load_is_told(const struct profile_group *group, enum family family);
/* What each element needs under the layout; ret_needed has an entry for each. */
void nat_load_needed(const struct layout *layout, double *ret_needed);
/* healthy and ret_loads have an entry for each element. Costs a layout for each healthy one. */
void nat_load_compute(
    const struct layout_space *space, const bool *healthy, struct nat_load *ret_loads);

/* Counts what is given with its owner, in ascending order. */
struct nat_count {
	const struct profile_group *group; /* borrowed */
	enum family family;
	struct nat_rules *rules; /* owned; per element */
	double hosts[PROFILE_MAX_ELEMENTS];
	double blocks[PROFILE_MAX_ELEMENTS]; /* needed */
};
/* Give nat_count_done what this fills; the figures stay. */
void nat_count_open(struct nat_count *count, const struct profile_group *group, enum family family);
void nat_count_done(struct nat_count *count);
/* arg: the nat_count; owner: an element's index or LAYOUT_NONE. */
void nat_count_add(void *arg, const struct prefix *prefix, uint8_t owner);

#endif
