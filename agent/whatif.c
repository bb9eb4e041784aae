/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The walk goes over the pieces of both layouts at once. Both are in prefix order and disjoint, so
 * two pieces that overlap are nested: each step counts the finer one's addresses. Rows of the
 * result are found once per element, not per piece, so that a million units cost a few
 * milliseconds.
 *
 * Quorum: what a failure brings back is part of what it does. An element in hold-down joins when
 * the weight that is left falls below the quorum, one that is damped only when nobody else is left.
 */
#include "whatif.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

struct half { /* one layout's part */
	const struct layout *layout;
	size_t count; /* pieces */
	size_t row[LAYOUT_NONE + 1];
};

static size_t
find_row(struct whatif_moves *moves, const struct profile_element *element)
{
	size_t row = 0;

	while (row < moves->element_count && strcmp(moves->elements[row].id, element->id) != 0)
		row++;
	if (row == moves->element_count)
		moves->elements[moves->element_count++] =
		    (struct whatif_element){ .id = element->id, .name = element->name };
	return row;
}

static void
open_half(struct whatif_moves *moves, const struct layout *layout, struct half *half)
{
	const struct layout_space *space = layout ? layout_get_space(layout) : NULL;
	const struct profile_group *group = space ? layout_space_group(space) : NULL;

	half->layout = layout;
	half->count = layout ? layout_pieces(layout) : 0;
	for (size_t e = 0; group && e < group->element_count; e++)
		if (group->elements[e].family[layout_space_family(space)].present)
			half->row[e] = find_row(moves, &group->elements[e]);
}

/* What a piece of this length is of a unit of the layout; at most one unit. */
static double
get_part(const struct half *half, const struct layout_piece *piece, uint8_t length)
{
	uint8_t unit = layout_space_unit(layout_get_space(half->layout), piece->unit).length;
	double part = 1;

	for (; length > unit; length--)
		part /= 2;
	return part;
}

static void
count_shares(struct whatif_moves *moves, const struct half *before, const struct half *after)
{
	const struct profile_group *group =
	    before->layout ? layout_space_group(layout_get_space(before->layout)) : NULL;

	for (size_t e = 0; group && e < group->element_count; e++)
		if (layout_share(before->layout, e) > 0)
			moves->elements[before->row[e]].before = layout_share(before->layout, e);
	group = after->layout ? layout_space_group(layout_get_space(after->layout)) : NULL;
	for (size_t e = 0; group && e < group->element_count; e++)
		if (layout_share(after->layout, e) > 0)
			moves->elements[after->row[e]].after = layout_share(after->layout, e);
}

/* The same addresses with the owner before and the owner after. True: they move. */
static bool
count_part(struct whatif_moves *moves, size_t from, size_t to, double part)
{
	if (from == to)
		return false;
	moves->elements[from].losses += part;
	moves->elements[to].gains += part;
	return true;
}

static void
walk(struct whatif_moves *moves, const struct half *before, const struct half *after)
{
	size_t i = 0, j = 0, last_moved = SIZE_MAX;

	while (i < before->count && j < after->count) {
		struct layout_piece from = layout_piece(before->layout, i);
		struct layout_piece to = layout_piece(after->layout, j);
		uint8_t from_length = from.prefix.length, to_length = to.prefix.length;
		uint8_t length = from_length > to_length ? from_length : to_length;

		if (!prefix_overlaps(&from.prefix, &to.prefix)) {
			bool is_first = prefix_compare(&from.prefix, &to.prefix) < 0;

			i += is_first;
			j += !is_first;
			continue;
		}
		moves->fresh -= get_part(after, &to, length);
		moves->ended -= get_part(before, &from, length);
		if (from.owner != LAYOUT_NONE && to.owner != LAYOUT_NONE &&
		    count_part(moves, before->row[from.owner], after->row[to.owner],
		        get_part(after, &to, length))) {
			moves->moved += last_moved != to.unit;
			last_moved = to.unit;
		}
		i += from_length >= to_length;
		j += to_length >= from_length;
	}
}

static size_t
count_units(const struct layout *layout)
{
	return layout ? layout_space_units(layout_get_space(layout)) : 0;
}

void
whatif_compare(
    const struct layout *before, const struct layout *after, struct whatif_moves *ret_moves)
{
	struct half from, to;

	*ret_moves = (struct whatif_moves){ 0 };
	ret_moves->elements = xcalloc(2 * PROFILE_MAX_ELEMENTS, sizeof(*ret_moves->elements));
	open_half(ret_moves, after, &to);
	open_half(ret_moves, before, &from);
	ret_moves->units = count_units(after);
	ret_moves->fresh = (double)ret_moves->units;
	ret_moves->ended = (double)count_units(before);
	count_shares(ret_moves, &from, &to);
	walk(ret_moves, &from, &to);
}

void
whatif_moves_done(struct whatif_moves *moves)
{
	free(moves->elements);
	*moves = (struct whatif_moves){ 0 };
}

/* ---- the healthy set ------------------------------------------------------------------------ */

static size_t
take(const struct layout_space *space, const enum whatif_member *members, enum whatif_member least,
    bool *ret_healthy)
{
	size_t count = 0;

	for (size_t e = 0; e < layout_space_group(space)->element_count; e++) {
		ret_healthy[e] = layout_space_has(space, e) && members[e] >= least;
		count += ret_healthy[e];
	}
	return count;
}

static bool
is_below_quorum(const struct layout_space *space, const bool *healthy)
{
	const struct profile_group *group = layout_space_group(space);
	uint64_t total = 0, in = 0;

	for (size_t e = 0; e < group->element_count; e++) {
		total += layout_space_weight(space, e);
		in += healthy[e] ? layout_space_weight(space, e) : 0;
	}
	return in * 100 < total * group->quorum_percent;
}

size_t
whatif_healthy(
    const struct layout_space *space, const enum whatif_member *members, bool *ret_healthy)
{
	size_t count = take(space, members, WHATIF_IN, ret_healthy);

	if (count == 0 || is_below_quorum(space, ret_healthy))
		count = take(space, members, WHATIF_WAITS, ret_healthy);
	if (count == 0)
		count = take(space, members, WHATIF_DAMPED, ret_healthy);
	return count;
}
