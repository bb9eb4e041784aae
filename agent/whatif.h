/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What if: two layouts side by side, which may be of different profiles, and who would be in a
 * healthy set that nobody has seen yet. Pure.
 *
 * Counts are units of the layout after; where the unit lengths of two profiles differ, a unit
 * counts by its part. Elements are the same when their ids are. Addresses that only one of the
 * layouts has are new or end; neither is a move.
 */
#ifndef AUTOFBF_WHATIF_H
#define AUTOFBF_WHATIF_H

#include <stdbool.h>
#include <stddef.h>

#include "layout.h"

struct whatif_element {
	const char *id, *name; /* borrowed from one of the profiles; the one after goes first */
	double before, after;  /* each in its own layout's units */
	double gains, losses;  /* from and to other elements */
};

struct whatif_moves {
	struct whatif_element *elements; /* owned; as in the group after, then the others */
	size_t element_count;
	size_t units;        /* after */
	size_t moved;        /* units after that change their element, whole or in part */
	double fresh, ended; /* fresh in units after, ended in units before */
};

/* before or after may be NULL: there is no such family. ret_moves is overwritten. */
void whatif_compare(
    const struct layout *before, const struct layout *after, struct whatif_moves *ret_moves);
void whatif_moves_done(struct whatif_moves *moves);

/* What an element is worth for a healthy set. */
enum whatif_member {
	WHATIF_OUT,
	WHATIF_DAMPED, /* in hold-down because it flaps: comes when nobody else is there */
	WHATIF_WAITS,  /* in hold-down: comes when too few are left */
	WHATIF_IN,
};

/* The set after the group's quorum was applied, as health.c does it: members that wait come when
 * the weight that is in falls below the quorum. Arrays have group->element_count entries; members
 * outside the space are left out. Returns how many are healthy. */
size_t whatif_healthy(
    const struct layout_space *space, const enum whatif_member *members, bool *ret_healthy);

#endif
