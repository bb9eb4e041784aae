/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From what should be and what is to the shortest list of edits.
 *
 * A filter reads its terms in order and the first match wins: override terms first, then base
 * terms, each in element order. So the owner of an address is the first element in that order whose
 * list covers it. All lists together are flattened once into disjoint ranges with one owner each;
 * a unit is then compared by address range, whatever unit lengths the lists were made with.
 *
 * The override holds what the static lists do not say already. Nothing here trusts that the static
 * base is ours, complete or without overlap: what it says is what counts. Comparing have with want
 * walks two sorted lists side by side and names only lists that are wanted.
 */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

/* Addresses are numbers here; IPv4 uses the upper 32 bits, so that both families cut alike. */
struct range {
	unsigned __int128 first, last;
	uint16_t term; /* the place of its term in the filter */
};

/* Disjoint ranges, ascending; what is in none has no owner. */
struct territory {
	unsigned __int128 first, last;
	uint8_t owner;
};

struct map {
	struct territory *territories; /* owned */
	size_t count, capacity;
	size_t cursor; /* queries come in ascending order, see find_owner */
};

enum { TERM_BASE = 256 }; /* base terms come after all override terms */

/* Spelled out, so that compilers see what it is: this is done for every entry and unit. */
static uint64_t
read_half(const uint8_t *b)
{
	return (uint64_t)b[0] << 56 | (uint64_t)b[1] << 48 | (uint64_t)b[2] << 40 |
	       (uint64_t)b[3] << 32 | (uint64_t)b[4] << 24 | (uint64_t)b[5] << 16 |
	       (uint64_t)b[6] << 8 | (uint64_t)b[7];
}

static unsigned __int128
read_address(const struct ip *ip)
{
	return (unsigned __int128)read_half(ip->bytes) << 64 | read_half(ip->bytes + 8);
}

static struct range
make_range(const struct prefix *prefix, unsigned term)
{
	struct range range = { .first = read_address(&prefix->address), .term = (uint16_t)term };

	range.last = range.first;
	if (prefix->length < 128)
		range.last |= ~(unsigned __int128)0 >> prefix->length;
	return range;
}

/* Outer before inner, equal ones by term. */
static inline bool
is_before(const struct range *x, const struct range *y)
{
	if (x->first != y->first)
		return x->first < y->first;
	if (x->last != y->last)
		return x->last > y->last;
	return x->term < y->term;
}

static void
add_territory(struct map *map, unsigned __int128 first, const struct range *range)
{
	uint8_t owner = (uint8_t)(range->term % TERM_BASE);
	struct territory *end = map->count ? &map->territories[map->count - 1] : NULL;

	if (end && end->owner == owner && end->last + 1 == first) {
		end->last = range->last;
		return;
	}
	if (map->count == map->capacity) {
		map->capacity = map->capacity ? 2 * map->capacity : 64;
		map->territories =
		    xreallocarray(map->territories, map->capacity, sizeof(*map->territories));
	}
	map->territories[map->count++] =
	    (struct territory){ .first = first, .last = range->last, .owner = owner };
}

/*
 * Ranges are prefixes: two of them are apart or one holds the other. So a stack of open ranges is
 * enough. A range inside one of an earlier term says nothing; hence terms fall from the bottom of
 * the stack to its top, the top is the owner, and equal ranges are never both on it.
 */
static void
flatten(const struct range *ranges, size_t count, struct map *map)
{
	struct range open[130] = { 0 };
	unsigned __int128 next = 0; /* first address whose owner is not in the map yet */
	size_t depth = 0;

	for (size_t i = 0; i <= count; i++) {
		const struct range *range = i < count ? &ranges[i] : NULL;

		while (depth > 0 && (!range || open[depth - 1].last < range->first)) {
			struct range *top = &open[--depth];

			if (next <= top->last)
				add_territory(map, next, top);
			next = top->last + 1;
			if (next == 0)
				return; /* the last address of all */
		}
		if (!range || (depth > 0 && open[depth - 1].term <= range->term))
			continue;
		if (depth > 0 && next < range->first) {
			struct range before = open[depth - 1];

			before.last = range->first - 1;
			add_territory(map, next, &before);
		}
		open[depth++] = *range;
		next = range->first;
	}
}

enum { RUNS_MAX = 4 * PROFILE_MAX_ELEMENTS }; /* override and base list, static and ephemeral */

struct ranges {
	struct range *items; /* owned; one sorted run for each list */
	size_t count, capacity;
	size_t start[RUNS_MAX + 1]; /* of each run; then the count */
	size_t runs;
};

static void
collect_ranges(
    struct ranges *ranges, const struct prefix_list *list, enum family family, unsigned term)
{
	if (!list)
		return;
	if (ranges->count + list->count > ranges->capacity) {
		ranges->capacity = 2 * (ranges->count + list->count);
		ranges->items =
		    xreallocarray(ranges->items, ranges->capacity, sizeof(*ranges->items));
	}
	ranges->start[ranges->runs++] = ranges->count;
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].address.family == family)
			ranges->items[ranges->count++] = make_range(&list->items[i], term);
	ranges->start[ranges->runs] = ranges->count;
}

static void
merge_runs(const struct range *from, size_t a, size_t a_end, size_t b_end, struct range *to)
{
	size_t b = a_end;

	while (a < a_end && b < b_end)
		*to++ = is_before(&from[b], &from[a]) ? from[b++] : from[a++];
	while (a < a_end)
		*to++ = from[a++];
	while (b < b_end)
		*to++ = from[b++];
}

/* Lists are sorted; what is left is to merge them, two neighbours at a time, until one is left. */
static void
sort_ranges(struct ranges *ranges)
{
	struct range *other = xreallocarray(NULL, ranges->count, sizeof(*other)), *swap;

	while (ranges->runs > 1) {
		size_t *start = ranges->start, runs = 0;

		for (size_t i = 0; i < ranges->runs; i += 2) {
			size_t middle = start[i + 1];
			size_t end = i + 2 <= ranges->runs ? start[i + 2] : middle;

			merge_runs(ranges->items, start[i], middle, end, other + start[i]);
			start[runs++] = start[i];
		}
		start[runs] = ranges->count;
		ranges->runs = runs;
		swap = ranges->items;
		ranges->items = other;
		other = swap;
	}
	free(other);
}

/* What a term of the element matches; NULL: nothing, or it is its successor's term. */
static const struct prefix_list *
find_list(const struct profile_group *group, size_t e, enum family family,
    const struct listset *lists, const char *name)
{
	return profile_owns_list(group, e, family, name) ? listset_find(lists, name) : NULL;
}

/* What the filter makes of these lists. Static and ephemeral items of one list are a union. A
 * tombstone counts as well: while its lists exist, a term may still match them. */
static struct map
make_map(const struct layout_space *space, const struct listset *const *sets, size_t set_count)
{
	const struct profile_group *group = layout_space_group(space);
	enum family family = layout_space_family(space);
	struct ranges ranges = { 0 };
	struct map map = { 0 };

	for (size_t e = 0; e < group->element_count; e++) {
		const struct profile_element_family *lists = &group->elements[e].family[family];

		if (!lists->present)
			continue;
		for (size_t i = 0; i < set_count; i++) {
			collect_ranges(&ranges,
			    find_list(group, e, family, sets[i], lists->override_list), family,
			    (unsigned)e);
			collect_ranges(&ranges,
			    find_list(group, e, family, sets[i], lists->base_list), family,
			    TERM_BASE + (unsigned)e);
		}
	}
	sort_ranges(&ranges);
	flatten(ranges.items, ranges.count, &map);
	free(ranges.items);
	return map;
}

/* The one owner of a whole prefix; LAYOUT_NONE: nobody, or not everywhere the same. Prefixes must
 * be asked for in ascending order. */
static uint8_t
find_owner(struct map *map, const struct prefix *prefix)
{
	struct range range = make_range(prefix, 0);
	size_t i;

	while (map->cursor < map->count && map->territories[map->cursor].last < range.first)
		map->cursor++;
	for (i = map->cursor; i < map->count; i++) {
		const struct territory *territory = &map->territories[i];

		if (territory->first > range.first ||
		    territory->owner != map->territories[map->cursor].owner)
			return LAYOUT_NONE;
		if (territory->last >= range.last)
			return territory->owner;
		range.first = territory->last + 1;
	}
	return LAYOUT_NONE;
}

/* The wanted owner has all of it. */
static bool
is_placed(struct map *map, const struct layout_piece *piece)
{
	return piece->owner == LAYOUT_NONE || find_owner(map, &piece->prefix) == piece->owner;
}

void
plan_override(const struct layout *layout, const struct listset *static_lists, struct listset *want)
{
	const struct layout_space *space = layout_get_space(layout);
	const struct profile_group *group = layout_space_group(space);
	enum family family = layout_space_family(space);
	struct map map = make_map(space, &static_lists, 1);
	size_t list[PROFILE_MAX_ELEMENTS];
	size_t pieces = layout_pieces(layout);

	for (size_t e = 0; e < group->element_count; e++) {
		const struct profile_element_family *lists = &group->elements[e].family[family];

		if (lists->present)
			list[e] = (size_t)(listset_list(want, lists->override_list) - want->lists);
	}
	for (size_t i = 0; i < pieces; i++) {
		struct layout_piece piece = layout_piece(layout, i);

		if (!is_placed(&map, &piece))
			prefix_list_add(&want->lists[list[piece.owner]], &piece.prefix);
	}
	free(map.territories);
}

static void
add_edit(
    struct plan *plan, size_t *capacity, const char *list, const struct prefix *item, bool remove)
{
	if (plan->count == *capacity) {
		*capacity = *capacity ? 2 * *capacity : 64;
		plan->edits = xreallocarray(plan->edits, *capacity, sizeof(*plan->edits));
	}
	plan->edits[plan->count++] =
	    (struct plan_edit){ .list = list, .item = *item, .remove = remove };
	if (remove)
		plan->removes++;
	else
		plan->adds++;
}

void
plan_make(const struct listset *have, const struct listset *want, struct plan *ret_plan)
{
	static const struct prefix_list empty;
	struct plan plan = { 0 };
	size_t capacity = 0;

	for (size_t l = 0; l < want->count; l++) {
		const struct prefix_list *to = &want->lists[l];
		const struct prefix_list *from = listset_find(have, to->name);
		size_t i = 0, j = 0;

		if (!from)
			from = &empty;
		while (i < from->count || j < to->count) {
			int order = i == from->count ? 1
			            : j == to->count
			                ? -1
			                : prefix_compare(&from->items[i], &to->items[j]);

			if (order < 0)
				add_edit(&plan, &capacity, to->name, &from->items[i], true);
			else if (order > 0)
				add_edit(&plan, &capacity, to->name, &to->items[j], false);
			i += order <= 0;
			j += order >= 0;
		}
	}
	*ret_plan = plan;
}

void
plan_done(struct plan *plan)
{
	free(plan->edits);
	*plan = (struct plan){ 0 };
}

bool
plan_touches(const struct plan *plan, const char *list, const struct prefix *item)
{
	size_t low = 0, high = plan->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct plan_edit *edit = &plan->edits[middle];
		int order = strcmp(edit->list, list);

		if (order == 0 && item)
			order = prefix_compare(&edit->item, item);
		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* ---- what the router does ---- */

/* Static and ephemeral lists together, as the filter sees them. */
static struct map
make_router_map(const struct layout_space *space, const struct listset *static_lists,
    const struct listset *ephemeral_lists)
{
	const struct listset *const sets[] = { static_lists, ephemeral_lists };

	return make_map(space, sets, sizeof(sets) / sizeof(sets[0]));
}

void
plan_effective(const struct layout_space *space, const struct listset *static_lists,
    const struct listset *ephemeral_lists, uint8_t *ret_owner)
{
	struct map map = make_router_map(space, static_lists, ephemeral_lists);
	size_t units = layout_space_units(space);

	for (size_t unit = 0; unit < units; unit++) {
		struct prefix prefix = layout_space_unit(space, unit);

		ret_owner[unit] = find_owner(&map, &prefix);
	}
	free(map.territories);
}

/* How many addresses; a double holds all that come about: sums of few powers of two. */
static double
measure(unsigned __int128 first, unsigned __int128 last)
{
	return (double)(last - first) + 1;
}

/* Adds each owner's part of the unit, in units. Units must be asked for in ascending order. */
static void
add_shares(struct map *map, const struct prefix *unit, double *share)
{
	struct range range = make_range(unit, 0);

	while (map->cursor < map->count && map->territories[map->cursor].last < range.first)
		map->cursor++;
	for (size_t i = map->cursor; i < map->count; i++) {
		const struct territory *at = &map->territories[i];
		unsigned __int128 first = at->first > range.first ? at->first : range.first;
		unsigned __int128 last = at->last < range.last ? at->last : range.last;

		if (first > range.last)
			break;
		share[at->owner] += measure(first, last) / measure(range.first, range.last);
	}
}

void
plan_effective_share(const struct layout_space *space, const struct listset *static_lists,
    const struct listset *ephemeral_lists, double *ret_share)
{
	struct map map = make_router_map(space, static_lists, ephemeral_lists);
	size_t units = layout_space_units(space);

	for (size_t e = 0; e < layout_space_group(space)->element_count; e++)
		ret_share[e] = 0;
	for (size_t unit = 0; unit < units; unit++) {
		struct prefix prefix = layout_space_unit(space, unit);

		add_shares(&map, &prefix, ret_share);
	}
	free(map.territories);
}

static void
take_parts(struct map *map, const struct prefix *prefix, plan_part_fn *take, void *arg)
{
	struct range range = make_range(prefix, 0);
	const struct territory *at;

	while (map->cursor < map->count && map->territories[map->cursor].last < range.first)
		map->cursor++;
	at = &map->territories[map->cursor];
	if (map->cursor == map->count || at->first > range.last)
		return;
	if (at->first <= range.first && at->last >= range.last) {
		take(arg, prefix, at->owner);
		return;
	}
	for (uint64_t i = 0; i < 2; i++) {
		struct prefix half = prefix_child(prefix, prefix->length + 1u, i);

		take_parts(map, &half, take, arg);
	}
}

void
plan_each_part(const struct layout_space *space, const struct listset *static_lists,
    const struct listset *ephemeral_lists, plan_part_fn *take, void *arg)
{
	struct map map = make_router_map(space, static_lists, ephemeral_lists);

	for (size_t unit = 0; unit < layout_space_units(space); unit++) {
		struct prefix prefix = layout_space_unit(space, unit);

		take_parts(&map, &prefix, take, arg);
	}
	free(map.territories);
}

uint8_t
plan_owner_at(const struct layout_space *space, const struct listset *static_lists,
    const struct listset *ephemeral_lists, const struct ip *ip)
{
	const struct profile_group *group = layout_space_group(space);
	const struct listset *const sets[] = { static_lists, ephemeral_lists };
	enum family family = layout_space_family(space);

	if (ip->family != family)
		return LAYOUT_NONE;
	for (size_t i = 0; i < 2 * group->element_count; i++) { /* override terms, base terms */
		size_t e = i % group->element_count;
		const struct profile_element_family *lists = &group->elements[e].family[family];

		for (size_t s = 0; lists->present && s < sizeof(sets) / sizeof(sets[0]); s++) {
			const struct prefix_list *list = find_list(group, e, family, sets[s],
			    i < group->element_count ? lists->override_list : lists->base_list);

			if (list && prefix_list_covers(list, ip))
				return (uint8_t)e;
		}
	}
	return LAYOUT_NONE;
}

size_t
plan_misplaced(const struct layout *layout, const struct listset *static_lists,
    const struct listset *ephemeral_lists)
{
	struct map map = make_router_map(layout_get_space(layout), static_lists, ephemeral_lists);
	size_t pieces = layout_pieces(layout), misplaced = 0, last = SIZE_MAX;

	for (size_t i = 0; i < pieces; i++) {
		struct layout_piece piece = layout_piece(layout, i);

		if (is_placed(&map, &piece) || piece.unit == last)
			continue;
		misplaced++;
		last = piece.unit;
	}
	free(map.territories);
	return misplaced;
}
