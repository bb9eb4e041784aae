/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The space of a layout: which units there are, who takes part, and who owns what at rest (rules 1
 * and 2; rule 4 is in layout_base.c).
 *
 * Units are never stored: a unit is an index into the live pools in prefix order, and its prefix is
 * computed from its pool. Kept per unit are one byte of owner and four of the list of units by
 * owner, in which the tree of layout_tree.c finds what a failed element leaves behind.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout_internal.h"

uint64_t
layout_bits(const struct ip *ip, unsigned from, unsigned to)
{
	uint64_t value = 0;

	for (unsigned bit = from; bit < to; bit++)
		value = value << 1 | (ip->bytes[bit / 8] >> (7 - bit % 8) & 1);
	return value;
}

/* ---- members ---- */

struct arrival {
	const struct profile_element *element;
	uint8_t index;
};

static int
compare_arrival(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;
	uint32_t x_epoch = x->element->weights[0].epoch, y_epoch = y->element->weights[0].epoch;

	if (x_epoch != y_epoch)
		return x_epoch < y_epoch ? -1 : 1;
	return strcmp(x->element->id, y->element->id);
}

static void
make_members(struct layout_space *space)
{
	const struct profile_group *group = space->group;
	struct arrival arrivals[MEMBERS_MAX] = { 0 };

	memset(space->element_of, LAYOUT_NONE, sizeof(space->element_of));
	memset(space->member_of, LAYOUT_NONE, sizeof(space->member_of));
	for (size_t i = 0; i < group->element_count; i++)
		if (group->elements[i].family[space->family].present)
			arrivals[space->member_count++] =
			    (struct arrival){ .element = &group->elements[i], .index = (uint8_t)i };
	qsort(arrivals, space->member_count, sizeof(arrivals[0]), compare_arrival);
	space->members = xcalloc(space->member_count, sizeof(*space->members));
	for (size_t m = 0; m < space->member_count; m++) {
		const struct profile_element *element = arrivals[m].element;

		space->members[m] = (struct layout_member){
			.hash = apportion_hash('e', element->id, strlen(element->id)),
			.failed_weight = element->failed_weight,
			.element = arrivals[m].index,
			.removed = element->removed,
		};
		space->element_of[m] = arrivals[m].index;
		space->member_of[arrivals[m].index] = (uint8_t)m;
	}
}

static void
group_items(struct layout_space *space)
{
	uint32_t next[LAYOUT_NONE + 1], first = 0;

	space->items = xreallocarray(NULL, space->units, sizeof(*space->items));
	for (size_t m = 0; m < space->member_count; m++) {
		space->members[m].first_item = next[m] = first;
		first += space->members[m].base;
	}
	for (size_t unit = 0; unit < space->units; unit++)
		if (space->base[unit] != LAYOUT_NONE)
			space->items[next[space->base[unit]]++] = (uint32_t)unit;
}

struct layout_space *
layout_space_new(const struct profile_group *group, enum family family)
{
	struct layout_space *space = xcalloc(1, sizeof(*space));

	space->group = group;
	space->family = family;
	make_members(space);
	layout_base_fold(space);
	group_items(space);
	return space;
}

void
layout_space_free(struct layout_space *space)
{
	if (!space)
		return;
	free(space->segments);
	free(space->base);
	free(space->items);
	free(space->members);
	free(space);
}

/* ---- questions ---- */

const struct profile_group *
layout_space_group(const struct layout_space *space)
{
	return space->group;
}

enum family
layout_space_family(const struct layout_space *space)
{
	return space->family;
}

size_t
layout_space_units(const struct layout_space *space)
{
	return space->units;
}

/* The last segment that begins at or before the unit. */
static const struct layout_segment *
find_segment(const struct layout_space *space, size_t unit)
{
	size_t low = 0, high = space->segment_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (space->segments[middle].first <= unit)
			low = middle;
		else
			high = middle;
	}
	return &space->segments[low];
}

struct prefix
layout_space_unit(const struct layout_space *space, size_t unit)
{
	const struct layout_segment *segment = find_segment(space, unit);

	return prefix_child(&segment->prefix, segment->unit_length, unit - segment->first);
}

uint64_t
layout_unit_hash(const struct layout_space *space, size_t unit)
{
	struct prefix prefix = layout_space_unit(space, unit);
	size_t size = family_bits(space->family) / 8;
	uint8_t bytes[2 + sizeof(prefix.address.bytes)];

	bytes[0] = space->family == FAMILY_IPV4 ? 4 : 6;
	bytes[1] = prefix.length;
	memcpy(bytes + 2, prefix.address.bytes, size);
	return apportion_hash('p', bytes, 2 + size);
}

uint8_t
layout_space_base(const struct layout_space *space, size_t unit)
{
	return space->element_of[space->base[unit]];
}

static const struct layout_member *
find_member(const struct layout_space *space, size_t element)
{
	uint8_t m = element < MEMBERS_MAX ? space->member_of[element] : LAYOUT_NONE;

	return m == LAYOUT_NONE ? NULL : &space->members[m];
}

size_t
layout_space_base_count(const struct layout_space *space, size_t element)
{
	const struct layout_member *member = find_member(space, element);

	return member ? member->base : 0;
}

bool
layout_space_has(const struct layout_space *space, size_t element)
{
	const struct layout_member *member = find_member(space, element);

	return member && !member->removed;
}

uint16_t
layout_space_weight(const struct layout_space *space, size_t element)
{
	const struct layout_member *member = find_member(space, element);

	return member ? member->weight : 0;
}

size_t
layout_space_find(const struct layout_space *space, const struct ip *ip)
{
	size_t low = 0, high = space->segment_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct layout_segment *segment = &space->segments[middle];

		if (prefix_contains_ip(&segment->prefix, ip))
			return segment->first +
			       layout_bits(ip, segment->prefix.length, segment->unit_length);
		if (ip_compare(&segment->prefix.address, ip) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return SIZE_MAX;
}
