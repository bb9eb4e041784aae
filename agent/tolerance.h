/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many more failures a group can take, whichever they are, before nobody is left, fewer than
 * min-alive are (where that installs the failed route), or an element is above its capacity. What
 * shares a failure domain fails together and counts as one. Pure.
 */
#ifndef AUTOFBF_TOLERANCE_H
#define AUTOFBF_TOLERANCE_H

#include "layout.h"
#include "profile.h"

enum tolerance_limit {     /* what one failure more may bring */
	TOLERANCE_ALREADY, /* it is so without any */
	TOLERANCE_NOBODY,
	TOLERANCE_MIN_ALIVE,
	TOLERANCE_CAPACITY,
	TOLERANCE_SEARCH, /* not known: there are too many ways for it to be tried */
	TOLERANCE_LIMITS
};
extern const char *const tolerance_limit_names[TOLERANCE_LIMITS];

struct tolerance {
	unsigned failures;
	enum tolerance_limit limit;
};

/* spaces[f] may be NULL (family not served), healthy[f] then too. now, worst: what each element
 * carries now and after the worst failure of another one, in the capacity label; NULL: not known.
 * Without them, and for more failures, loads are shares by weight, so within a unit of what the
 * layout would give. Takes a millisecond at most. */
struct tolerance tolerance_compute(const struct profile_group *group,
    const struct layout_space *const spaces[FAMILY_COUNT], const bool *const healthy[FAMILY_COUNT],
    const double *now, const double *worst);

#endif
