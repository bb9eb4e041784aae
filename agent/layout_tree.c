/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who takes the units of failed elements (rules 5, 6 and 7).
 *
 * The units of a failed element are dealt out by a tree: the root is the element, its children are
 * those of its heirs that failed too. Because a node depends on nothing but the path of failed
 * elements to it, one more failure moves only the units that the newly failed element had. After
 * one failure the counts are exact by construction; deeper down the roundings of many nodes add up,
 * and a repair moves a few displaced units, the deepest first. Units of survivors never take part.
 *
 * The tree is never stored: a node is computed when a failure leads into it, and forgotten.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout_internal.h"

struct heir { /* one who may inherit the items of a node */
	uint64_t key;
	uint32_t take;
	uint8_t member;
};

struct layout_deal {
	const struct layout_space *space; /* borrowed */
	const bool *alive;                /* borrowed for one run */
	uint8_t *depth;                   /* owned; raw depth of each displaced unit */
	uint32_t *on;                     /* owned; displaced units by member and depth, see cell */
	uint32_t *arena[2];               /* owned; items of nodes of odd and of even depth */
	uint8_t *sequence;                /* owned; interleaved owners of one node */
	size_t capacity;                  /* items that arenas and sequence hold */
	struct apportion_scratch scratch;
	bool rest[MEMBERS_MAX]; /* E without the path */
	size_t path_length;
	struct heir heirs[MEMBERS_MAX];             /* of the node at hand */
	struct apportion_share shares[MEMBERS_MAX]; /* of the node at hand, in the same order */
};

/* How many displaced units of this raw depth (1..n) the member has. */
static uint32_t *
cell(const struct layout_deal *deal, size_t member, size_t depth)
{
	return &deal->on[member * deal->space->member_count + depth - 1];
}

/* ---- quotas ---- */

static void
get_takes(const struct layout_space *space, const bool *in_set, uint32_t *ret_take)
{
	uint32_t failed_sum = 0, sum = 0;

	for (size_t m = 0; m < space->member_count; m++) {
		if (!in_set[m] || space->members[m].removed)
			continue;
		failed_sum += space->members[m].failed_weight;
		sum += space->members[m].weight;
	}
	for (size_t m = 0; m < space->member_count; m++) {
		const struct layout_member *member = &space->members[m];

		if (!in_set[m] || member->removed)
			ret_take[m] = 0;
		else
			ret_take[m] = failed_sum ? member->failed_weight : sum ? member->weight : 1;
	}
}

size_t
layout_quotas(
    const struct layout_space *space, const bool *alive, unsigned split_bits, int64_t *ret_quota)
{
	struct apportion_claim claims[MEMBERS_MAX];
	uint32_t take[MEMBERS_MAX];
	uint64_t failed = 0;
	size_t count = 0, exceptions, next = 0;

	get_takes(space, alive, take);
	for (size_t m = 0; m < space->member_count; m++)
		if (!alive[m] && !space->members[m].removed)
			failed ^= space->members[m].hash;
	for (size_t m = 0; m < space->member_count; m++) {
		const struct layout_member *member = &space->members[m];

		if (alive[m] && !member->removed)
			claims[count++] = (struct apportion_claim){
				.tie = apportion_comb(failed, member->hash),
				.base = (int64_t)member->base << split_bits,
				.weight = member->weight,
				.take = take[m],
			};
	}
	exceptions = apportion_displaced(claims, count, (int64_t)space->units << split_bits,
	    space->weight_sum, (int64_t)1 << split_bits);
	for (size_t m = 0; m < space->member_count; m++)
		ret_quota[m] = alive[m] && !space->members[m].removed ? claims[next++].quota : 0;
	return exceptions;
}

/* ---- the tree ---- */

static int
compare_heirs(const void *a, const void *b)
{
	const struct heir *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (int)x->member - (int)y->member;
}

/* Those who may inherit at the node with hash u, in its own order. */
static size_t
list_heirs(struct layout_deal *deal, uint64_t u)
{
	const struct layout_space *space = deal->space;
	uint32_t take[MEMBERS_MAX];
	size_t count = 0;

	get_takes(space, deal->rest, take);
	for (size_t m = 0; m < space->member_count; m++)
		if (take[m])
			deal->heirs[count++] = (struct heir){ .member = (uint8_t)m,
				.take = take[m],
				.key = apportion_comb(u, space->members[m].hash) };
	qsort(deal->heirs, count, sizeof(deal->heirs[0]), compare_heirs);
	return count;
}

/* Depth 1: exactly the quotas when only this element has failed. */
static void
count_first(struct layout_deal *deal, size_t count)
{
	int64_t quota[MEMBERS_MAX];

	layout_quotas(deal->space, deal->rest, 0, quota);
	for (size_t i = 0; i < count; i++) {
		uint8_t m = deal->heirs[i].member;

		deal->shares[i] = (struct apportion_share){ .who = m,
			.count = (uint32_t)(quota[m] - deal->space->members[m].base) };
	}
}

/* Deeper: the items cut into pieces by weight, at an offset that depends on the path, so that over
 * many nodes the roundings cancel out. */
static void
count_deeper(struct layout_deal *deal, size_t count, uint64_t u, size_t items)
{
	uint64_t offset = apportion_comb(u, LAYOUT_HASH_OFF) >> 32;
	uint64_t sum = 0, cumulative = 0, cut = 0;

	for (size_t i = 0; i < count; i++)
		sum += deal->heirs[i].take;
	for (size_t i = 0; i < count; i++) {
		uint64_t exact, next;

		cumulative += deal->heirs[i].take;
		exact = cumulative * items; /* times sum */
		next = exact / sum + ((exact % sum) << 32 > offset * sum);
		deal->shares[i] = (struct apportion_share){ .who = deal->heirs[i].member,
			.count = (uint32_t)(next - cut) };
		cut = next;
	}
}

struct child {
	uint32_t first, count;
	uint8_t member;
};

/* Gives the items of a node to the living, and collects those of each dead heir in room. */
static size_t
deal_items(struct layout_deal *deal, const uint32_t *items, size_t share_count, uint32_t *room,
    uint8_t *owner, struct child *ret_children)
{
	uint32_t next[MEMBERS_MAX], first = 0, total = 0;
	size_t children = 0;

	for (size_t i = 0; i < share_count; i++) {
		uint8_t m = deal->shares[i].who;
		uint32_t count = deal->shares[i].count;

		total += count;
		if (deal->alive[m]) {
			*cell(deal, m, deal->path_length) += count;
		} else if (count) {
			ret_children[children++] =
			    (struct child){ .first = first, .count = count, .member = m };
			next[m] = first;
			first += count;
		}
	}
	for (uint32_t j = 0; j < total; j++) {
		uint8_t m = deal->sequence[j];

		if (deal->alive[m]) {
			owner[items[j]] = m;
			deal->depth[items[j]] = (uint8_t)deal->path_length;
		} else {
			room[next[m]++] = items[j];
		}
	}
	return children;
}

/* Child nodes keep their items at the same offset of the other arena: a node is done with its own
 * items when its children begin. */
static void
deal_node(struct layout_deal *deal, const uint32_t *items, size_t item_count, size_t offset,
    uint8_t member, uint64_t parent, uint8_t *owner)
{
	uint64_t u = apportion_comb(parent, deal->space->members[member].hash);
	struct child children[MEMBERS_MAX];
	uint32_t *room;
	size_t count;

	deal->rest[member] = false;
	deal->path_length++;
	room = deal->arena[deal->path_length % 2];
	count = list_heirs(deal, u);
	if (deal->path_length == 1)
		count_first(deal, count);
	else
		count_deeper(deal, count, u, item_count);
	apportion_interleave(deal->shares, count, &deal->scratch, deal->sequence);
	count = deal_items(deal, items, count, room + offset, owner, children);
	for (size_t i = 0; i < count; i++)
		deal_node(deal, room + offset + children[i].first, children[i].count,
		    offset + children[i].first, children[i].member, u, owner);
	deal->path_length--;
	deal->rest[member] = true;
}

static void
grow(struct layout_deal *deal, size_t capacity)
{
	if (capacity <= deal->capacity)
		return;
	deal->capacity = capacity;
	for (size_t i = 0; i < 2; i++)
		deal->arena[i] = xreallocarray(deal->arena[i], capacity, sizeof(*deal->arena[i]));
	deal->sequence = xreallocarray(deal->sequence, capacity, 1);
}

/* ---- repair ---- */

static int
compare_victims(const void *a, const void *b)
{
	const struct layout_victim *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static int
compare_candidates(const void *a, const void *b)
{
	const struct layout_victim *x = a, *y = b;

	if (x->from != y->from)
		return (int)x->from - (int)y->from;
	return compare_victims(a, b);
}

/* Units deeper than the cut are all released; of those at its depth, need units. */
struct cut {
	uint32_t depth, need;
};

static struct cut
find_cut(const struct layout_deal *deal, size_t member, uint32_t release)
{
	struct cut cut = { .depth = (uint32_t)deal->space->member_count + 1, .need = release };

	while (cut.need > 0) {
		uint32_t count = *cell(deal, member, --cut.depth);

		if (count >= cut.need)
			break;
		cut.need -= count;
	}
	return cut;
}

/* Every displaced unit whose depth is at its owner's cut or deeper. */
static size_t
list_candidates(const struct layout_deal *deal, const uint8_t *owner, const struct cut *cuts,
    struct layout_victim **ret_candidates)
{
	const struct layout_space *space = deal->space;
	struct layout_victim *list = NULL;
	size_t count = 0, capacity = 0;

	for (size_t m = 0; m < space->member_count; m++) {
		const struct layout_member *failed = &space->members[m];

		if (deal->alive[m])
			continue;
		for (uint32_t i = 0; i < failed->base; i++) {
			uint32_t unit = space->items[failed->first_item + i];
			uint64_t hash;

			if (deal->depth[unit] < cuts[owner[unit]].depth)
				continue;
			if (count == capacity) {
				capacity = capacity ? 2 * capacity : 64;
				list = xreallocarray(list, capacity, sizeof(*list));
			}
			hash = layout_unit_hash(space, unit);
			list[count++] = (struct layout_victim){ .unit = unit,
				.from = owner[unit],
				.hash = hash,
				.key = apportion_comb(hash, LAYOUT_HASH_VICTIM) };
		}
	}
	*ret_candidates = list;
	return count;
}

/* Of a sorted list of candidates keeps those that have to go. */
static size_t
keep_victims(
    const struct layout_deal *deal, struct cut *cuts, struct layout_victim *list, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct cut *cut = &cuts[list[i].from];

		if (deal->depth[list[i].unit] == cut->depth) {
			if (cut->need == 0)
				continue;
			cut->need--;
		}
		list[kept++] = list[i];
	}
	return kept;
}

size_t
layout_deal_pick(const struct layout_deal *deal, const uint8_t *owner, const uint32_t *release,
    struct layout_victim **ret_victims)
{
	struct cut cuts[MEMBERS_MAX];
	size_t count;

	for (size_t m = 0; m < deal->space->member_count; m++)
		cuts[m] = find_cut(deal, m, release[m]);
	count = list_candidates(deal, owner, cuts, ret_victims);
	if (count == 0)
		return 0; /* qsort(3) wants an array */
	qsort(*ret_victims, count, sizeof(**ret_victims), compare_candidates);
	count = keep_victims(deal, cuts, *ret_victims, count);
	qsort(*ret_victims, count, sizeof(**ret_victims), compare_victims);
	return count;
}

uint32_t
layout_deal_displaced(const struct layout_deal *deal, size_t member)
{
	uint32_t count = 0;

	for (size_t depth = 1; depth <= deal->space->member_count; depth++)
		count += *cell(deal, member, depth);
	return count;
}

static void
move_unit(struct layout_deal *deal, uint32_t unit, uint8_t to, uint8_t *owner)
{
	--*cell(deal, owner[unit], deal->depth[unit]);
	++*cell(deal, to, deal->depth[unit]);
	owner[unit] = to;
}

/* Among those with room, the one that likes this unit best. */
static uint8_t
find_taker(const struct layout_space *space, uint64_t unit_hash, const uint32_t *room)
{
	uint64_t u = apportion_comb(unit_hash, LAYOUT_HASH_ROOM), best = 0;
	uint8_t found = LAYOUT_NONE;

	for (size_t m = 0; m < space->member_count; m++) {
		uint64_t key;

		if (room[m] == 0)
			continue;
		key = apportion_comb(u, space->members[m].hash);
		if (found == LAYOUT_NONE || key < best) {
			found = (uint8_t)m;
			best = key;
		}
	}
	return found;
}

/* Rule 7: displaced units of those above their quota go to those below. */
static size_t
repair(struct layout_deal *deal, uint8_t *owner)
{
	const struct layout_space *space = deal->space;
	uint32_t release[MEMBERS_MAX] = { 0 }, room[MEMBERS_MAX] = { 0 };
	int64_t quota[MEMBERS_MAX];
	struct layout_victim *victims;
	size_t exceptions = layout_quotas(space, deal->alive, 0, quota), count;
	bool is_even = true;

	for (size_t m = 0; m < space->member_count; m++) {
		int64_t has;

		if (!deal->alive[m])
			continue;
		has = (int64_t)space->members[m].base + layout_deal_displaced(deal, m);
		if (has > quota[m])
			release[m] = (uint32_t)(has - quota[m]);
		else
			room[m] = (uint32_t)(quota[m] - has);
		is_even = is_even && has == quota[m];
	}
	if (is_even)
		return exceptions;
	count = layout_deal_pick(deal, owner, release, &victims);
	for (size_t i = 0; i < count; i++) {
		uint8_t to = find_taker(space, victims[i].hash, room);

		room[to]--;
		move_unit(deal, victims[i].unit, to, owner);
	}
	free(victims);
	return exceptions;
}

/* ---- one healthy set ---- */

struct layout_deal *
layout_deal_new(const struct layout_space *space)
{
	struct layout_deal *deal = xcalloc(1, sizeof(*deal));

	deal->space = space;
	deal->depth = xreallocarray(NULL, space->units, 1);
	deal->on = xcalloc(space->member_count * space->member_count, sizeof(*deal->on));
	return deal;
}

void
layout_deal_free(struct layout_deal *deal)
{
	if (!deal)
		return;
	apportion_scratch_done(&deal->scratch);
	free(deal->depth);
	free(deal->on);
	free(deal->arena[0]);
	free(deal->arena[1]);
	free(deal->sequence);
	free(deal);
}

size_t
layout_deal_run(struct layout_deal *deal, const bool *alive, uint8_t *owner)
{
	const struct layout_space *space = deal->space;

	deal->alive = alive;
	memset(deal->on, 0, space->member_count * space->member_count * sizeof(*deal->on));
	for (size_t m = 0; m < space->member_count; m++)
		deal->rest[m] = !space->members[m].removed;
	for (size_t m = 0; m < space->member_count; m++) {
		const struct layout_member *member = &space->members[m];

		if (alive[m] || member->base == 0)
			continue;
		grow(deal, member->base);
		deal_node(deal, space->items + member->first_item, member->base, 0, (uint8_t)m,
		    LAYOUT_ROOT, owner);
	}
	return repair(deal, owner);
}
