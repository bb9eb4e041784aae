/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two base layouts side by side.
 *
 * The walk goes over both lists of units at once; both are in prefix order and disjoint, so each
 * step compares the two units that overlap, and the finer one's addresses are counted.
 *
 * The minimum: let c be what an element owns of the units that both profiles have, M the units of
 * the second profile and w/W its weights. In any layout whose counts q differ from M*w/W by less
 * than one, q is that share rounded down or up, the sum of q is M, and an element has to give up at
 * least max(0, c - q). Rounding up for one with c above its share saves it one move, for others it
 * saves nothing; so the least sum gives the roundings up to those first (rule 4b of the layout
 * specification). A retirement (rule 4e) may round otherwise, as the running layout did: where what
 * the second base gives each element needs even less, that is the minimum. Units that end leave
 * without moving, and units that are new come without moving.
 */
#include "moves.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout.h"

struct side_of {                           /* one profile's part */
	const struct profile_group *group; /* borrowed or NULL: it has no such group */
	struct layout_space *space;        /* owned or NULL */
	size_t units;
	size_t row[LAYOUT_NONE + 1]; /* of the family's elements */
};

static void
open_side(struct side_of *side, const struct profile *profile, const char *id, enum family family)
{
	side->group = NULL;
	for (size_t g = 0; g < profile->group_count; g++)
		if (strcmp(profile->groups[g].id, id) == 0)
			side->group = &profile->groups[g];
	side->space = side->group ? layout_space_new(side->group, family) : NULL;
	side->units = side->space ? layout_space_units(side->space) : 0;
}

static size_t
find_row(struct moves_family *family, const char *id)
{
	size_t row = 0;

	while (row < family->element_count && strcmp(family->elements[row].id, id) != 0)
		row++;
	if (row == family->element_count)
		family->elements[family->element_count++] = (struct moves_element){ .id = id };
	return row;
}

static void
make_rows(struct moves_family *family, struct side_of *side)
{
	for (size_t e = 0; side->group && e < side->group->element_count; e++)
		if (side->group->elements[e].family[family->family].present)
			side->row[e] = find_row(family, side->group->elements[e].id);
}

static void
count_own(struct moves_family *family, const struct side_of *from, const struct side_of *to)
{
	for (size_t e = 0; from->space && e < from->group->element_count; e++)
		if (from->group->elements[e].family[family->family].present)
			family->elements[from->row[e]].before =
			    (double)layout_space_base_count(from->space, e);
	for (size_t e = 0; to->space && e < to->group->element_count; e++)
		if (to->group->elements[e].family[family->family].present) {
			family->elements[to->row[e]].after =
			    (double)layout_space_base_count(to->space, e);
			family->elements[to->row[e]].weight = layout_space_weight(to->space, e);
		}
}

/* part of a unit has this owner before and that one after. */
static void
count_part(struct moves_family *family, const struct side_of *from, uint8_t old,
    const struct side_of *to, uint8_t new, double part)
{
	if (old == LAYOUT_NONE || new == LAYOUT_NONE)
		return;
	if (from->row[old] == to->row[new]) {
		family->elements[to->row[new]].kept += part;
		return;
	}
	family->elements[from->row[old]].leave += part;
	family->elements[to->row[new]].come += part;
	family->moved += part;
}

/* One part in 2^bits. */
static double
halve(unsigned bits)
{
	double part = 1;

	while (bits-- > 0)
		part /= 2;
	return part;
}

static void
walk(struct moves_family *family, const struct side_of *from, const struct side_of *to)
{
	size_t i = 0, j = 0;

	family->fresh = (double)to->units;
	family->ended = (double)from->units;
	while (i < from->units && j < to->units) {
		struct prefix a = layout_space_unit(from->space, i);
		struct prefix b = layout_space_unit(to->space, j);

		if (prefix_overlaps(&a, &b)) {
			bool is_finer = a.length > b.length; /* the old unit */
			double part = is_finer ? halve(a.length - b.length) : 1;

			count_part(family, from, layout_space_base(from->space, i), to,
			    layout_space_base(to->space, j), part);
			family->fresh -= part;
			family->ended -= is_finer ? 1 : halve(b.length - a.length);
			i += a.length >= b.length;
			j += b.length >= a.length;
		} else if (prefix_compare(&a, &b) < 0) {
			i++;
		} else {
			j++;
		}
	}
}

static int
compare_savings(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* The least sum of max(0, c - q) over all q that are M*w/W rounded down or up. */
static double
find_least(const struct moves_family *family)
{
	double *saving = xcalloc(family->element_count + 1, sizeof(*saving)), least = 0;
	uint64_t sum = 0, left = family->after;
	size_t count = 0;

	for (size_t e = 0; e < family->element_count; e++)
		sum += family->elements[e].weight;
	for (size_t e = 0; e < family->element_count; e++) {
		const struct moves_element *element = &family->elements[e];
		uint64_t share = family->after * (uint64_t)element->weight;
		uint64_t floor = sum ? share / sum : 0;
		double above = element->kept + element->leave - (double)floor;

		left -= floor;
		least += above > 0 ? above : 0;
		if (above > 0 && sum && share % sum)
			saving[count++] = above < 1 ? above : 1;
	}
	qsort(saving, count, sizeof(*saving), compare_savings);
	for (size_t i = 0; i < count && i < left; i++)
		least -= saving[i];
	free(saving);
	return least;
}

static double
find_minimum(const struct moves_family *family)
{
	double least = find_least(family), as_dealt = 0;

	for (size_t e = 0; e < family->element_count; e++) {
		const struct moves_element *element = &family->elements[e];
		double above = element->kept + element->leave - element->after;

		as_dealt += above > 0 ? above : 0;
	}
	return as_dealt < least ? as_dealt : least;
}

static void
compare(struct moves *moves, const struct profile *from, const struct profile *to, const char *id,
    enum family name)
{
	struct moves_family family = { .group = id, .family = name };
	struct side_of old, new;

	open_side(&old, from, id, name);
	open_side(&new, to, id, name);
	if (old.units > 0 || new.units > 0) {
		family.before = old.units;
		family.after = new.units;
		family.elements = xcalloc(2 * PROFILE_MAX_ELEMENTS, sizeof(*family.elements));
		make_rows(&family, &new);
		make_rows(&family, &old);
		count_own(&family, &old, &new);
		walk(&family, &old, &new);
		family.minimum = find_minimum(&family);
		moves->families =
		    xreallocarray(moves->families, moves->count + 1, sizeof(*moves->families));
		moves->families[moves->count++] = family;
		moves->moved += family.moved;
		moves->minimum += family.minimum;
		moves->ended += family.ended;
	}
	layout_space_free(old.space);
	layout_space_free(new.space);
}

static bool
has_group(const struct profile *profile, const char *id)
{
	for (size_t g = 0; g < profile->group_count; g++)
		if (strcmp(profile->groups[g].id, id) == 0)
			return true;
	return false;
}

struct moves *
moves_compute(const struct profile *from, const struct profile *to)
{
	struct moves *moves = xcalloc(1, sizeof(*moves));

	for (size_t g = 0; g < to->group_count; g++)
		for (int f = 0; f < FAMILY_COUNT; f++)
			compare(moves, from, to, to->groups[g].id, (enum family)f);
	for (size_t g = 0; g < from->group_count; g++)
		for (int f = 0; f < FAMILY_COUNT && !has_group(to, from->groups[g].id); f++)
			compare(moves, from, to, from->groups[g].id, (enum family)f);
	return moves;
}

void
moves_free(struct moves *moves)
{
	if (!moves)
		return;
	for (size_t i = 0; i < moves->count; i++)
		free(moves->families[i].elements);
	free(moves->families);
	free(moves);
}
