/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A layout: the owner of every unit for one healthy set, and what readers ask of it (rules 7 and 9;
 * rule 8 is in layout_standby.c).
 *
 * It is a pure function of the space (which is a pure function of the profile) and of the set. What
 * happened before, on this router or on another, is no input, so everybody who knows both computes
 * the same layout and the same layout-id.
 *
 * Kept is one byte of owner per unit, plus the few units that are split. Everything else is
 * computed when asked: prefixes from pools, the entries of lists from owner and base. How finely a
 * table lets a layout split is decided here as well: it depends on nothing but the number of
 * survivors and the entries the layout would need.
 */
#include "layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout_internal.h"

/* Nothing is displaced: how many miss their share of the base by a unit or more. */
static size_t
count_base_exceptions(const struct layout_space *space)
{
	int64_t units = (int64_t)space->units, sum = space->weight_sum;
	size_t exceptions = 0;

	for (size_t m = 0; m < space->member_count; m++)
		if (llabs(space->members[m].base * sum - units * space->members[m].weight) >= sum)
			exceptions++;
	return exceptions;
}

static bool
is_displacing(const struct layout *layout)
{
	for (size_t m = 0; m < layout->space->member_count; m++)
		if (!layout->alive[m] && layout->space->members[m].base > 0)
			return true;
	return false;
}

static void
deal_out(struct layout *layout, unsigned split_bits)
{
	struct layout_deal *deal = layout_deal_new(layout->space);

	layout->exceptions = layout_deal_run(deal, layout->alive, layout->owner);
	if (split_bits)
		layout->exceptions = layout_split_run(
		    deal, layout->space, layout->alive, split_bits, layout->owner, &layout->split);
	layout_deal_free(deal);
}

static void
count_owned(struct layout *layout, unsigned split_bits)
{
	const struct layout_split *split = &layout->split;

	for (size_t unit = 0; unit < layout->space->units; unit++)
		layout->owned[layout->owner[unit]]++;
	for (size_t i = 0; i < split->count; i++)
		layout->owned[layout->owner[split->units[i]]]--;
	for (size_t m = 0; m <= LAYOUT_NONE; m++)
		layout->owned[m] <<= split_bits;
	for (size_t i = 0; i < split->count << split->bits; i++)
		layout->owned[split->children[i]]++;
}

struct layout *
layout_compute(const struct layout_space *space, const bool *healthy, unsigned split_bits)
{
	struct layout *layout = xcalloc(1, sizeof(*layout));

	layout->space = space;
	layout->bits = split_bits;
	for (size_t m = 0; m < space->member_count; m++) {
		layout->alive[m] = healthy[space->members[m].element] && !space->members[m].removed;
		layout->alive_count += layout->alive[m];
	}
	layout->owner = xreallocarray(NULL, space->units, 1);
	if (layout->alive_count == 0 || space->weight_sum == 0) {
		memset(layout->owner, LAYOUT_NONE, space->units);
	} else {
		memcpy(layout->owner, space->base, space->units);
		if (is_displacing(layout))
			deal_out(layout, split_bits);
		else
			layout->exceptions = count_base_exceptions(space);
	}
	count_owned(layout, split_bits);
	return layout;
}

/* What the table says for so many survivors: the largest of the rows that they do not exceed. */
static unsigned
find_row(const struct layout_space *space, size_t survivors)
{
	const struct profile_group *group = space->group;
	unsigned bits = 0;

	for (size_t i = 0; i < group->split_count[space->family]; i++) {
		const struct profile_split *row = &group->split[space->family][i];

		if (survivors > 0 && survivors <= row->survivors && row->bits > bits)
			bits = row->bits;
	}
	return bits;
}

/* No override list gets longer than the group allows, if the router's base is the profile's. */
static bool
is_within_limit(const struct layout *layout)
{
	const struct layout_space *space = layout->space;
	const struct layout_split *split = &layout->split;
	size_t entries[LAYOUT_NONE + 1] = { 0 }, limit = space->group->entry_limit;

	for (size_t unit = 0; unit < space->units; unit++)
		entries[layout->owner[unit]] += layout->owner[unit] != space->base[unit];
	for (size_t i = 0; i < split->count; i++)
		entries[layout->owner[split->units[i]]]--;
	for (size_t i = 0; i < split->count << split->bits; i++)
		entries[split->children[i]]++;
	for (size_t m = 0; m < space->member_count; m++)
		if (limit > 0 && entries[m] + 1 > limit) /* and its sentinel */
			return false;
	return true;
}

static size_t
count_survivors(const struct layout_space *space, const bool *healthy)
{
	size_t count = 0;

	for (size_t m = 0; m < space->member_count; m++)
		count += healthy[space->members[m].element] && !space->members[m].removed;
	return count;
}

struct layout *
layout_compute_split(const struct layout_space *space, const bool *healthy)
{
	unsigned bits = find_row(space, count_survivors(space, healthy));
	struct layout *layout = layout_compute(space, healthy, bits);

	while (bits > 0 && !is_within_limit(layout)) {
		layout_free(layout);
		layout = layout_compute(space, healthy, --bits);
	}
	return layout;
}

void
layout_free(struct layout *layout)
{
	if (!layout)
		return;
	layout_split_done(&layout->split);
	free(layout->owner);
	free(layout);
}

const struct layout_space *
layout_get_space(const struct layout *layout)
{
	return layout->space;
}

size_t
layout_pieces(const struct layout *layout)
{
	return layout->space->units + layout->split.count * (((size_t)1 << layout->split.bits) - 1);
}

/* How many split units have their first piece at or before this index. */
static size_t
count_splits(const struct layout_split *split, size_t index)
{
	size_t low = 0, high = split->count, extra = ((size_t)1 << split->bits) - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (split->units[middle] + middle * extra <= index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct layout_piece
layout_piece(const struct layout *layout, size_t index)
{
	const struct layout_split *split = &layout->split;
	const struct layout_space *space = layout->space;
	size_t size = (size_t)1 << split->bits;
	size_t before = count_splits(split, index);
	struct layout_piece piece;

	if (before > 0) {
		size_t last = before - 1;
		size_t child = index - (split->units[last] + last * (size - 1));

		if (child < size) {
			struct prefix unit = layout_space_unit(space, split->units[last]);

			return (struct layout_piece){
				.prefix = prefix_child(&unit, unit.length + split->bits, child),
				.unit = split->units[last],
				.owner = space->element_of[split->children[last * size + child]],
			};
		}
	}
	piece.unit = index - before * (size - 1);
	piece.prefix = layout_space_unit(space, piece.unit);
	piece.owner = space->element_of[layout->owner[piece.unit]];
	return piece;
}

uint8_t
layout_unit_owner(const struct layout *layout, size_t unit)
{
	return layout->space->element_of[layout->owner[unit]];
}

size_t
layout_owned(const struct layout *layout, size_t element)
{
	uint8_t m = element < MEMBERS_MAX ? layout->space->member_of[element] : LAYOUT_NONE;

	return m == LAYOUT_NONE ? 0 : layout->owned[m];
}

double
layout_share(const struct layout *layout, size_t element)
{
	return (double)layout_owned(layout, element) / (double)(1u << layout->bits);
}

unsigned
layout_get_bits(const struct layout *layout)
{
	return layout->bits;
}

size_t
layout_share_exceptions(const struct layout *layout)
{
	return layout->exceptions;
}

/* Lines on their way into a hash. */
struct lines {
	struct layout_hash *hash;
	size_t size;
	char text[4096];
};

static void
add_text(struct lines *lines, const char *text)
{
	size_t size = strlen(text);

	if (lines->size + size > sizeof(lines->text)) {
		layout_hash_add(lines->hash, lines->text, lines->size);
		lines->size = 0;
	}
	if (size > sizeof(lines->text)) {
		layout_hash_add(lines->hash, text, size);
		return;
	}
	memcpy(lines->text + lines->size, text, size);
	lines->size += size;
}

struct layout_id
layout_compute_id(const struct layout *layout)
{
	const struct profile_element *elements = layout->space->group->elements;
	struct lines lines = { .hash = layout_hash_new() };
	size_t pieces = layout_pieces(layout);
	char head[32];

	snprintf(head, sizeof(head), "autofbf-layout %d\n", LAYOUT_ALGORITHM);
	add_text(&lines, head);
	for (size_t i = 0; i < pieces; i++) {
		struct layout_piece piece = layout_piece(layout, i);
		char prefix[PREFIX_TEXT_SIZE];

		if (piece.owner == LAYOUT_NONE)
			continue;
		add_text(&lines, prefix_format(&piece.prefix, prefix));
		add_text(&lines, " ");
		add_text(&lines, elements[piece.owner].id);
		add_text(&lines, "\n");
	}
	layout_hash_add(lines.hash, lines.text, lines.size);
	return layout_hash_end(lines.hash);
}
