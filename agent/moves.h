/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What moves between the base layouts of two profiles, and how little could.
 *
 * Counted are base units of the second profile: a unit moves when its addresses had an owner and
 * get another one. Where unit lengths differ, a unit counts by the part of it that moves, so counts
 * may be fractions. Addresses that no pool has any more have ended, those that none had are new;
 * neither is a move. Groups and elements are the same when their ids are: renaming moves nothing.
 */
#ifndef AUTOFBF_MOVES_H
#define AUTOFBF_MOVES_H

#include <stdbool.h>
#include <stddef.h>

#include "profile.h"

struct moves_element {
	const char *id;       /* borrowed from one of the profiles */
	double before, after; /* base units, each in its own profile's */
	double leave, come;   /* to and from other elements */
	double kept;          /* what it has in both; all these in units of the second profile */
	uint32_t weight;      /* in the second profile */
};

struct moves_family {
	const char *group; /* borrowed; id */
	enum family family;
	size_t before, after; /* units */
	double moved;
	double minimum; /* no base with shares as exact as the second one's could move less */
	double fresh;   /* new units */
	double ended;   /* in units of the first profile */
	struct moves_element *elements; /* owned; those of the second profile, then the others */
	size_t element_count;
};

struct moves {
	struct moves_family *families; /* owned; those that one of the profiles has */
	size_t count;
	double moved, minimum, ended; /* sums */
};

/* Both profiles are borrowed for the life of the result. */
struct moves *moves_compute(const struct profile *from, const struct profile *to);
void moves_free(struct moves *moves);

#endif
