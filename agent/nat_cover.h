/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deterministic NAT against the layout: a host outside the rule of the element that carries it is
 * not translated at all. For its base units that is a mistake in the profile; for the units that it
 * is only the standby of, an operator may want it so (an overflow pool of kind pba, or nothing).
 */
#ifndef AUTOFBF_NAT_COVER_H
#define AUTOFBF_NAT_COVER_H

#include <stdbool.h>

#include "error.h"
#include "layout.h"
#include "profile.h"

/* 0, or -EINVAL with err: the first base unit of an element with a deterministic pool that the
 * element's rules do not cover, "/group[ID]/element[ID]/ipv4/nat-pool[ID]/host-prefix: ...".
 * The profile has passed profile_check. */
int nat_cover_check(const struct profile *profile, struct error *err);

/* The element translates every host of the prefix: by a rule of a deterministic pool, or because it
 * has a pool of another kind. */
bool nat_covers(const struct profile_element_family *family, const struct prefix *prefix);

/* Units that the element is the standby of while all are healthy, and of these the ones some host
 * of which it would not translate. */
struct nat_gap {
	size_t standby_units, uncovered_units;
	struct prefix first; /* of the uncovered ones */
};
/* ret_gaps has an entry for each of the group's elements. */
void nat_cover_standby(const struct layout_space *space, struct nat_gap *ret_gaps);

/* Units of the layout after that move, whole or in part, to an element with deterministic rules
 * and no other pool, and have a host that these leave out: how many. The layouts may be of
 * different profiles (elements are the same when their ids are). ret_gaps: as above, standby_units
 * left 0. */
size_t nat_cover_moved(
    const struct layout *before, const struct layout *after, struct nat_gap *ret_gaps);

#endif
