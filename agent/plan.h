/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a wanted layout and what the router has to the shortest list of edits.
 * Override = wanted minus what the static base says, by address range: a piece of the layout (a
 * unit, or a child of a split one) any part of which is not in its wanted owner's static base list
 * is overridden as a whole. Base lists are never touched: an override entry may be smaller than the
 * base entry under it, and wins because its term comes first.
 */
#ifndef AUTOFBF_PLAN_H
#define AUTOFBF_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "layout.h"
#include "listset.h"

struct plan_edit {
	const char *list; /* borrowed from want or have */
	struct prefix item;
	bool remove; /* else add */
};

struct plan {
	struct plan_edit *edits; /* owned; by list name, then prefix */
	size_t count;
	size_t adds;
	size_t removes;
};

/* Appends the override lists of this layout to want: one list per element that has the family (a
 * tombstone's too, so that leftovers go), named as in the profile, empty ones included (that is
 * what marks a list as ours). static_lists sorted. A layout without owners asks for empty lists:
 * who does not want that (nobody healthy, frozen) must not ask. */
void plan_override(
    const struct layout *layout, const struct listset *static_lists, struct listset *want);

/* Edits that turn have into want, for the lists named in want only, LISTSET_SIGNAL_ROUTES like any
 * other. Both sorted. A list absent from have counts as empty. The plan borrows both sets. */
void plan_make(const struct listset *have, const struct listset *want, struct plan *ret_plan);
void plan_done(struct plan *plan);
/* Something in this list is edited, or this item of it (NULL: any). */
bool plan_touches(const struct plan *plan, const char *list, const struct prefix *item);

/* Who owns each unit on the router, by first match: override terms in element order, then base
 * terms in element order. All sets sorted. ret_owner has layout_space_units() entries: an element
 * index, LAYOUT_NONE when nobody does or when parts of the unit have different owners (as after a
 * split). */
void plan_effective(const struct layout_space *space, const struct listset *static_lists,
    const struct listset *ephemeral_lists, uint8_t *ret_owner);
/* The same added up: base units that each element owns, parts of units as fractions. ret_share has
 * group->element_count entries. Addresses of the space that nobody owns are in none. */
void plan_effective_share(const struct layout_space *space, const struct listset *static_lists,
    const struct listset *ephemeral_lists, double *ret_share);
/* The same part by part, in ascending order: prefixes that one element owns, each within a unit. */
typedef void plan_part_fn(void *arg, const struct prefix *prefix, uint8_t owner);
void plan_each_part(const struct layout_space *space, const struct listset *static_lists,
    const struct listset *ephemeral_lists, plan_part_fn *take, void *arg);
/* Who owns one address, in the space or not; LAYOUT_NONE: nobody, or the other family. Needs no
 * more than a few searches in the lists. */
uint8_t plan_owner_at(const struct layout_space *space, const struct listset *static_lists,
    const struct listset *ephemeral_lists, const struct ip *ip);
/* Units some address of which is not owned by whom the layout wants. Where it wants nobody, every
 * owner is right. */
size_t plan_misplaced(const struct layout *layout, const struct listset *static_lists,
    const struct listset *ephemeral_lists);

#endif
