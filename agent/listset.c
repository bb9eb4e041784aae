/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Named lists of prefixes, as a router keeps them. A set is filled in any order, sorted once, and
 * then only read; everything that compares two sets walks two sorted arrays side by side.
 * Sorting first looks whether there is anything to do: most lists come in order.
 */
#include "listset.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

void
listset_done(struct listset *set)
{
	for (size_t i = 0; i < set->count; i++) {
		free(set->lists[i].name);
		free(set->lists[i].items);
	}
	free(set->lists);
	*set = (struct listset){ 0 };
}

struct prefix_list *
listset_list(struct listset *set, const char *name)
{
	for (size_t i = set->count; i-- > 0;)
		if (strcmp(set->lists[i].name, name) == 0)
			return &set->lists[i];
	if (set->count == set->capacity) {
		set->capacity = set->capacity ? 2 * set->capacity : 16;
		set->lists = xreallocarray(set->lists, set->capacity, sizeof(*set->lists));
	}
	set->lists[set->count] = (struct prefix_list){ .name = xstrdup(name) };
	return &set->lists[set->count++];
}

void
prefix_list_add(struct prefix_list *list, const struct prefix *item)
{
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? 2 * list->capacity : 16;
		list->items = xreallocarray(list->items, list->capacity, sizeof(*list->items));
	}
	list->items[list->count++] = *item;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(((const struct prefix_list *)a)->name, ((const struct prefix_list *)b)->name);
}

static bool
is_sorted(const struct prefix_list *list)
{
	for (size_t i = 1; i < list->count; i++)
		if (prefix_compare(&list->items[i - 1], &list->items[i]) >= 0)
			return false;
	return true;
}

static void
sort_items(struct prefix_list *list)
{
	size_t unique = 1;

	if (is_sorted(list))
		return;
	qsort(list->items, list->count, sizeof(*list->items), prefix_compare_void);
	for (size_t i = 1; i < list->count; i++)
		if (prefix_compare(&list->items[i], &list->items[unique - 1]) != 0)
			list->items[unique++] = list->items[i];
	list->count = unique;
}

/* Moves the items of a list to another one of the same name and ends it. */
static void
join_lists(struct prefix_list *to, struct prefix_list *from)
{
	for (size_t i = 0; i < from->count; i++)
		prefix_list_add(to, &from->items[i]);
	free(from->name);
	free(from->items);
}

void
listset_sort(struct listset *set)
{
	size_t unique = 0;

	if (set->count == 0)
		return;
	qsort(set->lists, set->count, sizeof(*set->lists), compare_names);
	for (size_t i = 1; i < set->count; i++) {
		if (compare_names(&set->lists[unique], &set->lists[i]) == 0)
			join_lists(&set->lists[unique], &set->lists[i]);
		else
			set->lists[++unique] = set->lists[i];
	}
	set->count = unique + 1;
	for (size_t i = 0; i < set->count; i++)
		sort_items(&set->lists[i]);
}

const struct prefix_list *
listset_find(const struct listset *set, const char *name)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(set->lists[middle].name, name);

		if (order == 0)
			return &set->lists[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool
prefix_list_has(const struct prefix_list *list, const struct prefix *item)
{
	return list->count > 0 &&
	       bsearch(item, list->items, list->count, sizeof(*list->items), prefix_compare_void);
}

/* Items that are not after this one, in prefix order. */
static size_t
count_up_to(const struct prefix_list *list, const struct prefix *item)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (prefix_compare(&list->items[middle], item) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The longest prefix that contains both. */
static struct prefix
join(const struct prefix *prefix, const struct ip *ip)
{
	struct prefix common = { .address = { .family = ip->family } };
	unsigned length = 0;

	for (; length < prefix->length; length++) {
		uint8_t bit = (uint8_t)(0x80 >> length % 8), byte = ip->bytes[length / 8];

		if ((byte ^ prefix->address.bytes[length / 8]) & bit)
			break;
		common.address.bytes[length / 8] |= byte & bit;
	}
	common.length = (uint8_t)length;
	return common;
}

/*
 * The item before the address in the order is the closest that may contain it. If it does not,
 * whatever does contains both: so it is no longer than what they have in common, and the search
 * goes on from there. Each step is shorter than the one before.
 */
bool
prefix_list_covers(const struct prefix_list *list, const struct ip *ip)
{
	struct prefix upper = prefix_of_ip(ip);

	for (;;) {
		size_t count = count_up_to(list, &upper);
		const struct prefix *last = count > 0 ? &list->items[count - 1] : NULL;

		if (!last || last->address.family != ip->family)
			return false;
		if (prefix_contains_ip(last, ip))
			return true;
		upper = join(last, ip);
	}
}

void
listset_copy(const struct listset *set, struct listset *ret_copy)
{
	struct listset copy = { .count = set->count, .capacity = set->count };

	copy.lists = xcalloc(set->count, sizeof(*copy.lists));
	for (size_t i = 0; i < set->count; i++) {
		const struct prefix_list *from = &set->lists[i];
		struct prefix_list *to = &copy.lists[i];

		*to = (struct prefix_list){ .name = xstrdup(from->name),
			.items = xcalloc(from->count, sizeof(*to->items)),
			.count = from->count,
			.capacity = from->count };
		for (size_t j = 0; j < from->count; j++)
			to->items[j] = from->items[j];
	}
	listset_done(ret_copy);
	*ret_copy = copy;
}

bool
listset_equal(const struct listset *a, const struct listset *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct prefix_list *x = &a->lists[i], *y = &b->lists[i];

		if (strcmp(x->name, y->name) != 0 || x->count != y->count)
			return false;
		for (size_t j = 0; j < x->count; j++)
			if (prefix_compare(&x->items[j], &y->items[j]) != 0)
				return false;
	}
	return true;
}
