/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First match over prefix-lists, solved once instead of per packet.
 *
 * Prefixes either nest or are disjoint, so one walk in address order with a stack of the prefixes
 * that are open at the moment sees every place where the answer can change. At each such place the
 * answer is: of every value on the stack the deepest prefix speaks (yes, or no if it is an
 * "except"), and the smallest value that says yes wins. nftables refuses overlapping intervals, and
 * joined neighbours are fewer elements to send.
 */
#include "ranges.h"

#include <stdlib.h>

#include "error.h"

enum { NO_VALUE = -1 };

struct walk {
	const struct range_item **stack;
	size_t depth;
	ip_number cursor; /* first address that is not written yet */
	bool at_end;      /* the cursor has passed the last address there is */
	enum family family;
	struct range *ranges;
	size_t count, capacity;
};

static ip_number
last_of(const struct range_item *item)
{
	struct ip last = prefix_last(&item->prefix);

	return ip_to_number(&last);
}

static int
compare_items(const void *a, const void *b)
{
	const struct range_item *x = a, *y = b;
	int order = prefix_compare(&x->prefix, &y->prefix);

	return order ? order : (x->value > y->value) - (x->value < y->value);
}

/* A deeper prefix of the same value is on the stack. */
static bool
is_overruled(const struct walk *walk, size_t index)
{
	for (size_t i = index + 1; i < walk->depth; i++)
		if (walk->stack[i]->value == walk->stack[index]->value)
			return true;
	return false;
}

static int64_t
winner(const struct walk *walk)
{
	int64_t best = NO_VALUE;

	for (size_t i = 0; i < walk->depth; i++) {
		const struct range_item *item = walk->stack[i];

		if (item->except || is_overruled(walk, i))
			continue;
		if (best == NO_VALUE || item->value < best)
			best = item->value;
	}
	return best;
}

/* Writes [cursor, last] with what the stack says; the cursor moves behind it. */
static void
emit_until(struct walk *walk, ip_number last)
{
	int64_t value = winner(walk);
	struct range *previous = walk->count ? &walk->ranges[walk->count - 1] : NULL;

	if (walk->at_end || walk->cursor > last)
		return;
	if (value != NO_VALUE && previous && previous->value == value &&
	    ip_to_number(&previous->last) + 1 == walk->cursor) {
		previous->last = ip_from_number(last, walk->family);
	} else if (value != NO_VALUE) {
		if (walk->count == walk->capacity) {
			walk->capacity = walk->capacity ? 2 * walk->capacity : 64;
			walk->ranges =
			    xreallocarray(walk->ranges, walk->capacity, sizeof(*walk->ranges));
		}
		walk->ranges[walk->count++] =
		    (struct range){ .first = ip_from_number(walk->cursor, walk->family),
			    .last = ip_from_number(last, walk->family),
			    .value = (unsigned)value };
	}
	walk->cursor = last + 1;
	walk->at_end = walk->cursor == 0;
}

static void
open_item(struct walk *walk, const struct range_item *item)
{
	ip_number first = ip_to_number(&item->prefix.address);

	while (walk->depth && last_of(walk->stack[walk->depth - 1]) < first) {
		emit_until(walk, last_of(walk->stack[walk->depth - 1]));
		walk->depth--;
	}
	if (walk->depth && walk->cursor < first)
		emit_until(walk, first - 1);
	walk->cursor = first;
	walk->stack[walk->depth++] = item;
}

void
ranges_make(struct range_item *items, size_t count, struct range **ret_ranges, size_t *ret_count)
{
	struct walk walk = { .stack = xcalloc(count + 1, sizeof(*walk.stack)) };

	if (count) {
		walk.family = items[0].prefix.address.family;
		qsort(items, count, sizeof(*items), compare_items);
	}
	for (size_t i = 0; i < count; i++)
		open_item(&walk, &items[i]);
	for (; walk.depth; walk.depth--)
		emit_until(&walk, last_of(walk.stack[walk.depth - 1]));
	free(walk.stack);
	*ret_ranges = walk.ranges;
	*ret_count = walk.count;
}
