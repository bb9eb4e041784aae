/* SPDX-License-Identifier: BSD-3-Clause */
/* Prefixes with values -> disjoint address ranges, smallest value first: how a filter decides. */
#ifndef LABROUTER_RANGES_H
#define LABROUTER_RANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "prefix.h"

struct range_item {
	struct prefix prefix;
	unsigned value; /* number of the term: the smallest that matches wins */
	bool except;    /* inside one value the longest prefix decides, and this one says no */
};

struct range {
	struct ip first, last;
	unsigned value;
};

/* items is sorted in place; all of one family. *ret_ranges (free with free(3)) is in address order,
 * disjoint, and neighbours with the same value are joined. NULL when nothing matches. */
void ranges_make(
    struct range_item *items, size_t count, struct range **ret_ranges, size_t *ret_count);

#endif
