/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Load of elements by base units against their capacity, both families together: what they carry
 * with everybody healthy, now, and after the worst single further failure. Pure.
 */
#ifndef AUTOFBF_CAPACITY_H
#define AUTOFBF_CAPACITY_H

#include "layout.h"
#include "profile.h"

struct capacity_load { /* in the group's capacity label */
	double base, wanted, worst;
};

/* Some element of the group has a capacity. */
bool capacity_is_told(const struct profile_group *group);
/* The element's capacity in the group's label; 0: not told. */
double capacity_of(const struct profile_element *element);
/* Load of this many base units. */
double capacity_load_of(const struct profile_group *group, double units);
/* More than it is good for. Half of a thousandth: capacities are told in thousandths, loads are
 * sums of them. capacity 0: not told. */
static inline bool
capacity_is_exceeded(double load, double capacity)
{
	return capacity > 0 && load > capacity + 0.0005;
}

/* spaces[f] may be NULL (family not served), healthy[f] then too. ret_loads has
 * group->element_count entries. An element that is not healthy has wanted 0 and worst 0. Costs one
 * layout per healthy element and family. */
void capacity_compute(const struct profile_group *group,
    const struct layout_space *const spaces[FAMILY_COUNT], const bool *const healthy[FAMILY_COUNT],
    struct capacity_load *ret_loads);

#endif
