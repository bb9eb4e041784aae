/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Splitting what does not divide evenly (rule 9, mode "remainder").
 *
 * With few survivors one unit more or less is a visible share. Then quotas are counted in children
 * (2^bits of a unit), whole units are re-dealt so that every survivor has as many as its quota
 * holds, and only the remainders are split: fewer units than there are survivors. All other entries
 * stay byte for byte what they were. How many bits is a matter of the number of survivors and of
 * the configuration, never of what the router answers.
 */
#include <stdlib.h>

#include "error.h"
#include "layout_internal.h"

struct want {           /* what a survivor is to have of the displaced */
	uint32_t whole; /* units */
	uint32_t need;  /* children */
	uint32_t has;   /* units */
};

static size_t
list_wants(const struct layout_deal *deal, const struct layout_space *space, const bool *alive,
    unsigned bits, struct want *wants)
{
	int64_t quota[MEMBERS_MAX];
	size_t exceptions = layout_quotas(space, alive, bits, quota);

	for (size_t m = 0; m < space->member_count; m++) {
		int64_t children;

		wants[m] = (struct want){ 0 };
		if (!alive[m])
			continue;
		children = quota[m] - ((int64_t)space->members[m].base << bits);
		wants[m] = (struct want){ .whole = (uint32_t)(children >> bits),
			.need = (uint32_t)(children & ((1 << bits) - 1)),
			.has = layout_deal_displaced(deal, m) };
	}
	return exceptions;
}

/* Fills everybody up to its whole units from the head of the list. Returns how many were used. */
static size_t
deal_whole(
    const struct want *wants, size_t member_count, const struct layout_victim *list, uint8_t *owner)
{
	size_t used = 0;

	for (size_t m = 0; m < member_count; m++)
		for (uint32_t has = wants[m].has; has < wants[m].whole; has++)
			owner[list[used++].unit] = (uint8_t)m;
	return used;
}

static int
compare_units(const void *a, const void *b)
{
	const struct layout_victim *x = a, *y = b;

	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* Who gets the children: first, in the order of the list, the former owner what it needs; then the
 * open ones, in the same order, to whoever still needs some. */
static void
deal_children(struct want *wants, const struct layout_victim *list, size_t count, unsigned bits,
    uint8_t *children)
{
	uint32_t size = (uint32_t)1 << bits;
	size_t taker = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t kept = wants[list[i].from].need;

		for (uint32_t c = 0; c < size; c++)
			children[i * size + c] = c < kept ? list[i].from : LAYOUT_NONE;
		wants[list[i].from].need = 0;
	}
	for (size_t i = 0; i < count * size; i++) {
		if (children[i] != LAYOUT_NONE)
			continue;
		while (wants[taker].need == 0)
			taker++;
		wants[taker].need--;
		children[i] = (uint8_t)taker;
	}
}

/* Stores units and children in prefix order. */
static void
store_split(const struct layout_victim *list, const uint8_t *children, struct layout_split *split)
{
	size_t size = (size_t)1 << split->bits;
	struct layout_victim *sorted = xcalloc(split->count, sizeof(*sorted));

	for (size_t i = 0; i < split->count; i++)
		sorted[i] = (struct layout_victim){ .unit = list[i].unit, .key = i };
	qsort(sorted, split->count, sizeof(*sorted), compare_units);
	split->units = xcalloc(split->count, sizeof(*split->units));
	split->children = xcalloc(split->count, size);
	for (size_t i = 0; i < split->count; i++) {
		split->units[i] = sorted[i].unit;
		for (size_t c = 0; c < size; c++)
			split->children[i * size + c] = children[sorted[i].key * size + c];
	}
	free(sorted);
}

size_t
layout_split_run(const struct layout_deal *deal, const struct layout_space *space,
    const bool *alive, unsigned bits, uint8_t *owner, struct layout_split *ret_split)
{
	struct layout_split split = { .bits = bits };
	struct want wants[MEMBERS_MAX];
	uint32_t release[MEMBERS_MAX] = { 0 };
	struct layout_victim *list;
	uint8_t *children;
	size_t exceptions = list_wants(deal, space, alive, bits, wants), count, used;

	for (size_t m = 0; m < space->member_count; m++)
		if (wants[m].has > wants[m].whole)
			release[m] = wants[m].has - wants[m].whole;
	count = layout_deal_pick(deal, owner, release, &list);
	used = deal_whole(wants, space->member_count, list, owner);
	split.count = count - used;
	if (split.count > 0) {
		children = xcalloc(split.count, (size_t)1 << bits);
		deal_children(wants, list + used, split.count, bits, children);
		store_split(list + used, children, &split);
		free(children);
	}
	free(list);
	*ret_split = split;
	return exceptions;
}

void
layout_split_done(struct layout_split *split)
{
	free(split->units);
	free(split->children);
	*split = (struct layout_split){ 0 };
}
