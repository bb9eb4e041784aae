/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rule 8: who takes over from whom. The standby of an address is its owner in the layout without
 * its owner of now, so it is found by running one more failure for every survivor that owns
 * something. Nothing is stored: one element's failure never changes what another's would do, and
 * the layout that is computed here is the one that the agent will compute when it happens.
 *
 * Only units whose base owner is out, or is the one that leaves, can change hands; the others are
 * not looked at. Under a split table the successor may be split where the layout of now is not:
 * then the entry's parts are told one by one. Also here: who shares a failure-domain with whom, a
 * question that is asked about owners and their standbys.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout_internal.h"

/* Successors of the units that the member owns, from a layout without it. */
static void
list_successors(
    const struct layout *layout, size_t leaving, const uint8_t *next, uint8_t *ret_standby)
{
	const struct layout_space *space = layout->space;

	for (size_t m = 0; m < space->member_count; m++) {
		const struct layout_member *member = &space->members[m];

		if (layout->alive[m] && m != leaving)
			continue;
		for (uint32_t i = 0; i < member->base; i++) {
			uint32_t unit = space->items[member->first_item + i];

			if (layout->owner[unit] == leaving)
				ret_standby[unit] = space->element_of[next[unit]];
		}
	}
}

void
layout_standby(const struct layout *layout, uint8_t *ret_standby)
{
	const struct layout_space *space = layout->space;
	struct layout_deal *deal;
	bool alive[MEMBERS_MAX];
	uint8_t *next;

	memset(ret_standby, LAYOUT_NONE, layout_pieces(layout));
	if (layout->alive_count < 2)
		return;
	deal = layout_deal_new(space);
	next = xreallocarray(NULL, space->units, 1);
	memcpy(alive, layout->alive, sizeof(alive));
	for (size_t m = 0; m < space->member_count; m++) {
		if (!alive[m] || layout->owned[m] == 0)
			continue;
		alive[m] = false;
		layout_deal_run(deal, alive, next);
		list_successors(layout, m, next, ret_standby);
		alive[m] = true;
	}
	free(next);
	layout_deal_free(deal);
}

/* ---- under a split table ---- */

struct succession {                        /* a run of layout_standby_split */
	const struct layout *layout;       /* borrowed */
	const struct layout *next;         /* borrowed; without the member that leaves */
	uint8_t *standby;                  /* borrowed; by piece */
	struct layout_standby_part *parts; /* owned */
	size_t count, capacity;
};

/* How many split units come before this one. */
static size_t
count_before(const struct layout_split *split, uint32_t unit)
{
	size_t low = 0, high = split->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (split->units[middle] < unit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The owners of a split unit's children; NULL: the unit is whole. */
static const uint8_t *
find_children(const struct layout_split *split, uint32_t unit)
{
	size_t at = count_before(split, unit);

	if (at == split->count || split->units[at] != unit)
		return NULL;
	return split->children + (at << split->bits);
}

static void
add_part(struct succession *run, size_t piece, const struct prefix *prefix, uint8_t standby)
{
	if (run->count == run->capacity) {
		run->capacity = run->capacity ? 2 * run->capacity : 64;
		run->parts = xreallocarray(run->parts, run->capacity, sizeof(*run->parts));
	}
	run->parts[run->count++] =
	    (struct layout_standby_part){ .piece = piece, .prefix = *prefix, .standby = standby };
}

/* The child-th of 2^bits parts of a unit (bits 0: all of it) is one piece now. */
static void
inherit(struct succession *run, size_t piece, uint32_t unit, unsigned bits, size_t child)
{
	const struct layout *next = run->next;
	const uint8_t *element_of = next->space->element_of;
	const uint8_t *children = find_children(&next->split, unit);
	unsigned finer = next->split.bits > bits ? next->split.bits - bits : 0;
	size_t count = (size_t)1 << finer, first = child << finer;
	struct prefix whole;
	bool is_same = true;

	if (!children) {
		run->standby[piece] = element_of[next->owner[unit]];
		return;
	}
	if (bits > next->split.bits)
		first = child >> (bits - next->split.bits);
	run->standby[piece] = element_of[children[first]];
	for (size_t c = 1; c < count; c++)
		is_same = is_same && children[first + c] == children[first];
	if (is_same)
		return;
	whole = layout_space_unit(next->space, unit);
	for (size_t c = first; c < first + count; c++) {
		struct prefix prefix = prefix_child(&whole, whole.length + next->split.bits, c);

		add_part(run, piece, &prefix, element_of[children[c]]);
	}
}

static void
inherit_unit(struct succession *run, uint32_t unit, size_t leaving)
{
	const struct layout *layout = run->layout;
	const struct layout_split *split = &layout->split;
	const uint8_t *children = find_children(split, unit);
	size_t size = (size_t)1 << split->bits;
	size_t piece = unit + count_before(split, unit) * (size - 1);

	if (!children && layout->owner[unit] == leaving)
		inherit(run, piece, unit, 0, 0);
	for (size_t c = 0; children && c < size; c++)
		if (children[c] == leaving)
			inherit(run, piece + c, unit, split->bits, c);
}

static void
follow(struct succession *run, size_t leaving)
{
	const struct layout *layout = run->layout;
	const struct layout_space *space = layout->space;
	bool healthy[MEMBERS_MAX] = { false };
	struct layout *next;

	for (size_t m = 0; m < space->member_count; m++)
		healthy[space->members[m].element] = layout->alive[m] && m != leaving;
	run->next = next = layout_compute_split(space, healthy);
	for (size_t m = 0; m < space->member_count; m++) {
		const struct layout_member *member = &space->members[m];

		if (layout->alive[m] && m != leaving)
			continue;
		for (uint32_t i = 0; i < member->base; i++)
			inherit_unit(run, space->items[member->first_item + i], leaving);
	}
	layout_free(next);
}

static int
compare_parts(const void *a, const void *b)
{
	return prefix_compare(&((const struct layout_standby_part *)a)->prefix,
	    &((const struct layout_standby_part *)b)->prefix);
}

size_t
layout_standby_split(
    const struct layout *layout, uint8_t *ret_standby, struct layout_standby_part **ret_parts)
{
	const struct layout_space *space = layout->space;
	struct succession run = { .layout = layout, .standby = ret_standby };

	if (layout->bits == 0 && space->group->split_count[space->family] == 0) {
		layout_standby(layout, ret_standby);
	} else {
		memset(ret_standby, LAYOUT_NONE, layout_pieces(layout));
		for (size_t m = 0; m < space->member_count && layout->alive_count > 1; m++)
			if (layout->alive[m] && layout->owned[m] > 0)
				follow(&run, m);
	}
	if (run.count)
		qsort(run.parts, run.count, sizeof(*run.parts), compare_parts);
	if (ret_parts)
		*ret_parts = run.parts;
	else
		free(run.parts);
	return run.count;
}

/* ---- failure domains ---- */

bool
layout_same_domain(const struct layout_space *space, uint8_t a, uint8_t b)
{
	const struct profile_group *group = space->group;

	if (a >= group->element_count || b >= group->element_count)
		return false;
	return group->elements[a].failure_domain && group->elements[b].failure_domain &&
	       strcmp(group->elements[a].failure_domain, group->elements[b].failure_domain) == 0;
}
