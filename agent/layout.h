/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layout: which element owns which unit, a pure function of (profile, healthy set).
 * Rules 1-9 of the project's layout specification; one space per (group, family).
 *
 * A space holds the units and their base owners (rule 4), computed once per profile. Elements are
 * named by their index in group->elements (sorted by id); an element without the family does not
 * take part. LAYOUT_NONE: no owner.
 */
#ifndef AUTOFBF_LAYOUT_H
#define AUTOFBF_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "layout_id.h"
#include "prefix.h"
#include "profile.h"

enum { LAYOUT_NONE = 255 };
/* Version of the rules. Layouts of different ones may differ for the same profile and health. */
#define LAYOUT_ALGORITHM 1

struct layout_space;

/* group is borrowed for the life of the space and must have passed profile_check. */
struct layout_space *layout_space_new(const struct profile_group *group, enum family family);
void layout_space_free(struct layout_space *space);
const struct profile_group *layout_space_group(const struct layout_space *space);
enum family layout_space_family(const struct layout_space *space);
size_t layout_space_units(const struct layout_space *space); /* M, at the last epoch */
struct prefix layout_space_unit(const struct layout_space *space, size_t unit); /* prefix order */
/* Base owner of a unit (rule 4), a group->elements index. */
uint8_t layout_space_base(const struct layout_space *space, size_t unit);
/* Base units of an element. */
size_t layout_space_base_count(const struct layout_space *space, size_t element);
/* Takes part and is not a tombstone. */
bool layout_space_has(const struct layout_space *space, size_t element);
/* Weight at the last epoch, 0 when it does not take part. */
uint16_t layout_space_weight(const struct layout_space *space, size_t element);
/* The unit that contains the address, or SIZE_MAX. Pools of other epochs are left out. */
size_t layout_space_find(const struct layout_space *space, const struct ip *ip);

struct layout; /* immutable */

/* healthy[i] for i < group->element_count; entries of elements outside the space are ignored.
 * split_bits as rule 9 (0: whole units). Never fails; nobody healthy = no owners. */
struct layout *layout_compute(
    const struct layout_space *space, const bool *healthy, unsigned split_bits);
void layout_free(struct layout *layout);
const struct layout_space *layout_get_space(const struct layout *layout);
/* Pieces: units, or children of split units, in prefix order. */
size_t layout_pieces(const struct layout *layout);
struct layout_piece {
	struct prefix prefix;
	size_t unit;
	uint8_t owner; /* LAYOUT_NONE: nobody */
};
/* O(1) without a split, O(log pieces) with one. */
struct layout_piece layout_piece(const struct layout *layout, size_t index);
/* Owner of a whole unit before any split. */
uint8_t layout_unit_owner(const struct layout *layout, size_t unit);
/* What the element owns: base units, or with split_bits children (a unit is 2^split_bits). */
size_t layout_owned(const struct layout *layout, size_t element);
/* The same in base units; a fraction after a split, exact. Elements outside the space: 0. */
double layout_share(const struct layout *layout, size_t element);
/* Successor of each piece (rule 8): ret_standby has layout_pieces() entries. For a layout without
 * split_bits, whose successor has none either; else see layout_standby_split. */
void layout_standby(const struct layout *layout, uint8_t *ret_standby);
/* Rule 5 exceptions: elements that miss their combined share by a unit or more. */
size_t layout_share_exceptions(const struct layout *layout);
/* layout_compute with the bits of the group's table (rule 9) for this number of survivors, lowered
 * while some element's override list against the base of the profile would have more than
 * group->entry_limit entries, its sentinel counted (entry_limit 0: no limit). Pure; 0 bits when
 * nobody is healthy. Every layout that goes to a router is one of these. */
struct layout *layout_compute_split(const struct layout_space *space, const bool *healthy);
/* The split_bits a layout was computed with; none of its units needs to be split. */
unsigned layout_get_bits(const struct layout *layout);

struct layout_standby_part { /* one of several successors of an entry */
	size_t piece;
	struct prefix prefix; /* inside the piece's prefix */
	uint8_t standby;
};
/* Rule 8 under the split table: each piece's owner by layout_compute_split without its owner of
 * now; ret_standby has layout_pieces() entries. Where that layout splits an entry finer and its
 * parts have several successors, the piece's standby is that of its first address, and all parts
 * are listed: returns their number, in prefix order; *ret_parts (NULL when there are none) is owned
 * by the caller; ret_parts may be NULL. */
size_t layout_standby_split(
    const struct layout *layout, uint8_t *ret_standby, struct layout_standby_part **ret_parts);
/* Two elements may die together: both name a failure-domain, and the same (an element shares its
 * own). Indices of group->elements or LAYOUT_NONE, which shares with nobody. */
bool layout_same_domain(const struct layout_space *space, uint8_t a, uint8_t b);
/* SHA-256 of "autofbf-layout 1\n" (LAYOUT_ALGORITHM) and "PREFIX ID\n" for each piece with an
 * owner. */
struct layout_id layout_compute_id(const struct layout *layout);

#endif
