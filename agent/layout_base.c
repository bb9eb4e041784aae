/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The base owner of every unit (rule 4), a fold over the epochs that the profile names.
 *
 * At each epoch the pools may change and the weights may change. Owners give up exactly what they
 * have above their new quota, spread evenly over what they had, and what is free is dealt out
 * interleaved, so that neighbouring units land on different elements. The base therefore depends on
 * the order of changes, but that order is in the profile: the same file gives the same base on any
 * router, whenever it was started.
 *
 * An element that retires is treated as if it had failed (rule 4e): taking a dead box out of the
 * profile for good moves nothing. Each epoch costs one or two walks over the units.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout_internal.h"

struct fold {
	struct layout_space *space; /* borrowed; its segments, units and base are those of now */
	uint32_t owned[MEMBERS_MAX + 1]; /* units by owner; the last entry: by nobody */
	uint16_t weight[MEMBERS_MAX];
	uint32_t weight_sum; /* 0: nothing was dealt out at the previous epoch */
	struct apportion_claim claims[MEMBERS_MAX];
	struct apportion_scratch scratch;
	uint8_t *sequence; /* owned; interleaved owners for the free units */
	size_t sequence_size;
};

static uint32_t
segment_units(const struct layout_segment *segment)
{
	return (uint32_t)1 << (segment->unit_length - segment->prefix.length);
}

static uint16_t
weight_at(const struct profile_element *element, uint32_t epoch)
{
	uint16_t weight = 0;

	for (size_t i = 0; i < element->weight_count && element->weights[i].epoch <= epoch; i++)
		weight = element->weights[i].weight;
	return weight;
}

static bool
is_live(const struct profile_pool *pool, enum family family, uint32_t epoch)
{
	return pool->prefix.address.family == family && pool->since <= epoch &&
	       (pool->until == PROFILE_EPOCH_NONE || epoch < pool->until);
}

static int
compare_segments(const void *a, const void *b)
{
	const struct layout_segment *x = a, *y = b;

	return prefix_compare(&x->prefix, &y->prefix);
}

/* The live pools of an epoch, in prefix order. Owned by the caller. */
static struct layout_segment *
list_segments(
    const struct layout_space *space, uint32_t epoch, size_t *ret_count, size_t *ret_units)
{
	const struct profile_group *group = space->group;
	struct layout_segment *segments = xcalloc(group->pool_count, sizeof(*segments));
	size_t count = 0;
	uint32_t next = 0;

	for (size_t i = 0; i < group->pool_count; i++)
		if (is_live(&group->pools[i], space->family, epoch))
			segments[count++] = (struct layout_segment){
				.prefix = group->pools[i].prefix,
				.unit_length = group->pools[i].unit_length,
			};
	qsort(segments, count, sizeof(*segments), compare_segments);
	for (size_t i = 0; i < count; i++) {
		segments[i].first = next;
		next += segment_units(&segments[i]);
	}
	*ret_count = count;
	*ret_units = next;
	return segments;
}

/* Units that both segments have keep their owner. Returns their number. */
static uint32_t
carry_segment(const struct layout_segment *from, const uint8_t *from_owner,
    const struct layout_segment *to, uint8_t *to_owner)
{
	bool shrinks = from->prefix.length <= to->prefix.length;
	const struct layout_segment *outer = shrinks ? from : to, *inner = shrinks ? to : from;
	size_t offset;

	if (from->unit_length != to->unit_length)
		return 0;
	offset = layout_bits(&inner->prefix.address, outer->prefix.length, outer->unit_length);
	memcpy(to_owner + to->first + (shrinks ? 0 : offset),
	    from_owner + from->first + (shrinks ? offset : 0), segment_units(inner));
	return segment_units(inner);
}

/* Walks two lists of disjoint prefixes side by side. Returns how many units were carried over. */
static size_t
carry_owners(const struct layout_space *from, const struct layout_space *to)
{
	size_t i = 0, j = 0, carried = 0;

	while (i < from->segment_count && j < to->segment_count) {
		const struct layout_segment *a = &from->segments[i], *b = &to->segments[j];

		if (prefix_overlaps(&a->prefix, &b->prefix)) {
			carried += carry_segment(a, from->base, b, to->base);
			if (prefix_contains(&a->prefix, &b->prefix))
				j++;
			else
				i++;
		} else if (prefix_compare(&a->prefix, &b->prefix) < 0) {
			i++;
		} else {
			j++;
		}
	}
	return carried;
}

static void
count_owned(struct fold *fold)
{
	const struct layout_space *space = fold->space;
	size_t count[LAYOUT_NONE + 1] = { 0 };

	for (size_t unit = 0; unit < space->units; unit++)
		count[space->base[unit]]++;
	for (size_t m = 0; m <= MEMBERS_MAX; m++)
		fold->owned[m] = (uint32_t)count[m];
}

/* Rule 4a: the units of this epoch. Returns whether they are the same as before. */
static bool
change_pools(struct fold *fold, uint32_t epoch)
{
	struct layout_space *space = fold->space, next = *space;
	size_t carried;
	bool same;

	next.segments = list_segments(space, epoch, &next.segment_count, &next.units);
	next.base = xreallocarray(NULL, next.units, 1);
	memset(next.base, LAYOUT_NONE, next.units);
	carried = carry_owners(space, &next);
	same = carried == space->units && carried == next.units;
	free(space->segments);
	free(space->base);
	*space = next;
	count_owned(fold);
	return same;
}

static bool
is_pool_edge(const struct layout_space *space, uint32_t epoch)
{
	for (size_t i = 0; i < space->group->pool_count; i++) {
		const struct profile_pool *pool = &space->group->pools[i];

		if (pool->prefix.address.family == space->family &&
		    (pool->since == epoch || pool->until == epoch))
			return true;
	}
	return false;
}

static void
forget_owners(struct fold *fold)
{
	memset(fold->space->base, LAYOUT_NONE, fold->space->units);
	memset(fold->owned, 0, sizeof(fold->owned));
	fold->owned[LAYOUT_NONE] = (uint32_t)fold->space->units;
}

/* How one owner gives up some of its units while the walk passes them. */
struct giver {
	int64_t owned, surplus; /* c and x */
	int64_t seen, gave;
};

/* Rule 4c: surplus units become free, evenly over the owner's own units and over all. */
static void
release_surplus(struct fold *fold)
{
	struct layout_space *space = fold->space;
	struct giver givers[MEMBERS_MAX] = { 0 };
	int64_t surplus = 0, owned = 0, given = 0, pos = 0;

	for (size_t m = 0; m < space->member_count; m++) {
		int64_t above = fold->claims[m].base - fold->claims[m].quota;

		givers[m].owned = fold->claims[m].base;
		givers[m].surplus = above > 0 ? above : 0;
		surplus += givers[m].surplus;
		owned += givers[m].owned;
	}
	for (size_t unit = 0; unit < space->units && given < surplus; unit++) {
		struct giver *e;

		if (space->base[unit] == LAYOUT_NONE)
			continue;
		e = &givers[space->base[unit]];
		e->seen++;
		pos++;
		if (e->gave >= e->surplus)
			continue;
		if (e->owned - e->seen + 1 == e->surplus - e->gave ||
		    (2 * (surplus * pos - given * owned) >= owned &&
		        e->surplus * (2 * e->seen - 1) >= 2 * e->gave * e->owned)) {
			e->gave++;
			given++;
			space->base[unit] = LAYOUT_NONE;
		}
	}
}

/* Rule 4d: the free units, in prefix order, get what the shares say. */
static void
fill_free(struct fold *fold, const struct apportion_share *shares, size_t share_count)
{
	struct layout_space *space = fold->space;
	size_t total = 0, next = 0;

	for (size_t i = 0; i < share_count; i++)
		total += shares[i].count;
	if (total == 0)
		return;
	if (total > fold->sequence_size) {
		fold->sequence = xreallocarray(fold->sequence, total, 1);
		fold->sequence_size = total;
	}
	apportion_interleave(shares, share_count, &fold->scratch, fold->sequence);
	for (size_t unit = 0; next < total; unit++)
		if (space->base[unit] == LAYOUT_NONE)
			space->base[unit] = fold->sequence[next++];
}

static void
take_quotas(struct fold *fold)
{
	for (size_t m = 0; m < fold->space->member_count; m++)
		fold->owned[m] = (uint32_t)fold->claims[m].quota;
	fold->owned[LAYOUT_NONE] = 0;
}

static void
prepare_claims(struct fold *fold)
{
	for (size_t m = 0; m < fold->space->member_count; m++)
		fold->claims[m] =
		    (struct apportion_claim){ .base = fold->owned[m], .weight = fold->weight[m] };
}

/* Rules 4b to 4d: new quotas, the surplus freed, the free units dealt out in arrival order. */
static void
rebalance(struct fold *fold)
{
	struct layout_space *space = fold->space;
	struct apportion_share shares[MEMBERS_MAX];

	prepare_claims(fold);
	apportion_total(fold->claims, space->member_count, (int64_t)space->units, fold->weight_sum);
	release_surplus(fold);
	for (size_t m = 0; m < space->member_count; m++) {
		int64_t gets = fold->claims[m].quota - fold->claims[m].base;

		shares[m] = (struct apportion_share){ .who = (uint8_t)m,
			.count = gets > 0 ? (uint32_t)gets : 0 };
	}
	fill_free(fold, shares, space->member_count);
	take_quotas(fold);
}

struct order {
	uint64_t key;
	uint8_t member;
};

static int
compare_orders(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (int)x->member - (int)y->member;
}

/* The quotas of rule 4e, in fold->claims: rule 5 among those with a weight, the others keep 0. */
static void
claim_retired(struct fold *fold, size_t retired)
{
	struct layout_space *space = fold->space;
	struct apportion_claim claims[MEMBERS_MAX];
	size_t member[MEMBERS_MAX], count = 0;
	uint64_t hash = space->members[retired].hash;

	prepare_claims(fold);
	for (size_t m = 0; m < space->member_count; m++) {
		if (fold->weight[m] == 0)
			continue;
		claims[count] = fold->claims[m];
		claims[count].take = fold->weight[m];
		claims[count].tie = apportion_comb(hash, space->members[m].hash);
		member[count++] = m;
	}
	apportion_displaced(claims, count, (int64_t)space->units, fold->weight_sum, 1);
	for (size_t i = 0; i < count; i++)
		fold->claims[member[i]] = claims[i];
}

/* Rule 4e: an element leaves for good. Its units go where they went if it had failed, so that
 * retiring a dead element moves nothing. */
static void
retire(struct fold *fold, size_t retired)
{
	struct layout_space *space = fold->space;
	struct apportion_share shares[MEMBERS_MAX];
	struct order orders[MEMBERS_MAX] = { 0 };
	uint64_t node = apportion_comb(LAYOUT_ROOT, space->members[retired].hash);

	claim_retired(fold, retired);
	for (size_t m = 0; m < space->member_count; m++)
		orders[m] = (struct order){ .member = (uint8_t)m,
			.key = apportion_comb(node, space->members[m].hash) };
	qsort(orders, space->member_count, sizeof(orders[0]), compare_orders);
	for (size_t i = 0; i < space->member_count; i++) {
		const struct apportion_claim *claim = &fold->claims[orders[i].member];
		int64_t gets = claim->quota - claim->base;

		shares[i] = (struct apportion_share){ .who = orders[i].member,
			.count = gets > 0 ? (uint32_t)gets : 0 };
	}
	for (size_t unit = 0; unit < space->units; unit++)
		if (space->base[unit] == retired)
			space->base[unit] = LAYOUT_NONE;
	fill_free(fold, shares, space->member_count);
	take_quotas(fold);
}

/* The one member that changed its weight, and lost all of it while it owned units; SIZE_MAX: the
 * step is no retirement. */
static size_t
find_retired(const struct fold *fold, const uint16_t *old_weight)
{
	size_t found = SIZE_MAX;

	for (size_t m = 0; m < fold->space->member_count; m++) {
		if (fold->weight[m] == old_weight[m])
			continue;
		if (found != SIZE_MAX || fold->weight[m] > 0)
			return SIZE_MAX;
		found = m;
	}
	return found != SIZE_MAX && fold->owned[found] > 0 ? found : SIZE_MAX;
}

static void
step_epoch(struct fold *fold, uint32_t epoch, bool is_first)
{
	struct layout_space *space = fold->space;
	uint16_t old_weight[MEMBERS_MAX];
	bool was_dealt = fold->weight_sum > 0, same = true;
	size_t retired;

	if (is_first || is_pool_edge(space, epoch))
		same = change_pools(fold, epoch);
	memcpy(old_weight, fold->weight, sizeof(old_weight));
	fold->weight_sum = 0;
	for (size_t m = 0; m < space->member_count; m++) {
		fold->weight[m] =
		    weight_at(&space->group->elements[space->members[m].element], epoch);
		fold->weight_sum += fold->weight[m];
	}
	if (fold->weight_sum == 0) {
		forget_owners(fold);
		return;
	}
	retired = same && was_dealt ? find_retired(fold, old_weight) : SIZE_MAX;
	if (retired != SIZE_MAX)
		retire(fold, retired);
	else
		rebalance(fold);
}

static int
compare_epochs(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* All epochs that this space names, ascending, each once; 0 is always the first. */
static uint32_t *
list_epochs(const struct layout_space *space, size_t *ret_count)
{
	const struct profile_group *group = space->group;
	size_t count = 1, unique = 1, room = 1 + 2 * group->pool_count;
	uint32_t *epochs;

	for (size_t m = 0; m < space->member_count; m++)
		room += group->elements[space->members[m].element].weight_count;
	epochs = xcalloc(room, sizeof(*epochs));
	for (size_t m = 0; m < space->member_count; m++) {
		const struct profile_element *e = &group->elements[space->members[m].element];

		for (size_t i = 0; i < e->weight_count; i++)
			epochs[count++] = e->weights[i].epoch;
	}
	for (size_t i = 0; i < group->pool_count; i++) {
		if (group->pools[i].prefix.address.family != space->family)
			continue;
		epochs[count++] = group->pools[i].since;
		if (group->pools[i].until != PROFILE_EPOCH_NONE)
			epochs[count++] = group->pools[i].until;
	}
	qsort(epochs, count, sizeof(*epochs), compare_epochs);
	for (size_t i = 1; i < count; i++)
		if (epochs[i] != epochs[unique - 1])
			epochs[unique++] = epochs[i];
	*ret_count = unique;
	return epochs;
}

void
layout_base_fold(struct layout_space *space)
{
	struct fold *fold = xcalloc(1, sizeof(*fold));
	size_t count;
	uint32_t *epochs = list_epochs(space, &count);

	fold->space = space;
	for (size_t i = 0; i < count; i++)
		step_epoch(fold, epochs[i], i == 0);
	for (size_t m = 0; m < space->member_count; m++) {
		space->members[m].weight = fold->weight[m];
		space->members[m].base = fold->owned[m];
	}
	space->weight_sum = fold->weight_sum;
	apportion_scratch_done(&fold->scratch);
	free(fold->sequence);
	free(fold);
	free(epochs);
}
