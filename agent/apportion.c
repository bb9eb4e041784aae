/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic under the layout. Two questions are answered here, for anybody who has weights and
 * counts, without knowing what a unit or an element is: how many does each get (quotas), and which
 * ones (interleaving).
 *
 * Every comparison is exact. Fractions are compared by cross products and shares are kept times
 * their denominators, so that int64 holds all of it within the limits of the header and no rounding
 * of a machine can make two routers differ. Ties never depend on memory or on qsort(3): the last
 * key is always the place in the input.
 */
#include "apportion.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

enum { CLAIMS_MAX = 255 };

uint64_t
apportion_hash(char tag, const void *bytes, size_t size)
{
	const uint64_t prime = 0x100000001b3u;
	const uint8_t *p = bytes;
	uint64_t h = (0xcbf29ce484222325u ^ (uint8_t)tag) * prime;

	for (size_t i = 0; i < size; i++)
		h = (h ^ p[i]) * prime;
	return apportion_mix(h);
}

static int
compare_int64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* An element of a list that is sorted to hand out the units that rounding down left over. */
struct rest {
	struct apportion_claim *claim;
	int64_t remainder;
};

/* Rule 4b: who would have to give a unit away if it did not get one, then the larger remainder. */
static int
compare_total(const void *a, const void *b)
{
	const struct rest *x = a, *y = b;
	bool x_saves = x->claim->base > x->claim->quota, y_saves = y->claim->base > y->claim->quota;

	if (x_saves != y_saves)
		return x_saves ? -1 : 1;
	if (x->remainder != y->remainder)
		return x->remainder > y->remainder ? -1 : 1;
	return x->claim < y->claim ? -1 : 1;
}

/* Rule 5a: who lacks most of its combined share. */
static int
compare_displaced(const void *a, const void *b)
{
	const struct apportion_claim *x = ((const struct rest *)a)->claim;
	const struct apportion_claim *y = ((const struct rest *)b)->claim;

	if (x->lack != y->lack)
		return compare_int64(y->lack, x->lack);
	if (x->tie != y->tie)
		return x->tie < y->tie ? -1 : 1;
	return x < y ? -1 : 1;
}

void
apportion_total(struct apportion_claim *claims, size_t count, int64_t total, int64_t weight_sum)
{
	struct rest rests[CLAIMS_MAX] = { 0 };
	size_t rest_count = 0;
	int64_t left = total;

	for (size_t i = 0; i < count; i++) {
		int64_t exact = total * claims[i].weight; /* times weight_sum */

		claims[i].quota = exact / weight_sum;
		left -= claims[i].quota;
		if (exact % weight_sum)
			rests[rest_count++] =
			    (struct rest){ .claim = &claims[i], .remainder = exact % weight_sum };
	}
	qsort(rests, rest_count, sizeof(rests[0]), compare_total);
	for (size_t i = 0; i < (size_t)left; i++)
		rests[i].claim->quota++;
}

/* What rule 5 needs to know of all claims together. */
struct pot {
	int64_t total, weight_sum; /* g*M and W */
	int64_t displaced;         /* D */
	int64_t take_sum;          /* FW */
	int64_t shared;            /* N: without what those own who take nothing */
	int64_t taker_weight;      /* W_K */
	int64_t one;               /* W*FW: one unit on the scale of lack */
};

static struct pot
make_pot(const struct apportion_claim *claims, size_t count, int64_t total, int64_t weight_sum)
{
	struct pot pot = { .total = total, .weight_sum = weight_sum };

	pot.displaced = pot.shared = total;
	for (size_t i = 0; i < count; i++) {
		pot.displaced -= claims[i].base;
		pot.take_sum += claims[i].take;
		if (claims[i].take)
			pot.taker_weight += claims[i].weight;
		else
			pot.shared -= claims[i].base;
	}
	pot.one = weight_sum * pot.take_sum;
	return pot;
}

static int64_t
compute_lack(const struct pot *pot, const struct apportion_claim *claim)
{
	return pot->total * claim->weight * pot->take_sum +
	       (pot->shared * pot->weight_sum - pot->total * pot->taker_weight) * claim->take -
	       claim->quota * pot->one;
}

/* 5a: the displaced share, its rounding chosen by the combined share. */
static void
share_displaced(const struct pot *pot, struct apportion_claim *claims, size_t count)
{
	struct rest rests[CLAIMS_MAX] = { 0 };
	size_t rest_count = 0;
	int64_t left = pot->displaced;

	for (size_t i = 0; i < count; i++) {
		int64_t exact = pot->displaced * claims[i].take; /* times take_sum */

		claims[i].quota = claims[i].base + exact / pot->take_sum;
		claims[i].lack = compute_lack(pot, &claims[i]);
		left -= exact / pot->take_sum;
		if (exact % pot->take_sum)
			rests[rest_count++] = (struct rest){ .claim = &claims[i] };
	}
	qsort(rests, rest_count, sizeof(rests[0]), compare_displaced);
	for (size_t i = 0; i < (size_t)left; i++) {
		rests[i].claim->quota++;
		rests[i].claim->lack -= pot->one;
	}
}

/* 5b: one unit from the one who has most above its combined share, if it got it just now, to the
 * one who lacks most. Each swap lowers the sum of squares, so this ends. */
static bool
swap_one(const struct pot *pot, struct apportion_claim *claims, size_t count)
{
	struct apportion_claim *hi = NULL, *lo = NULL;

	for (size_t i = 0; i < count; i++) {
		struct apportion_claim *claim = &claims[i];

		if (!claim->take)
			continue;
		if (claim->quota > claim->base && (!hi || claim->lack < hi->lack))
			hi = claim;
		if (!lo || claim->lack > lo->lack)
			lo = claim;
	}
	if (!hi || lo->lack - hi->lack <= pot->one)
		return false;
	if (hi->lack > -pot->one && lo->lack < pot->one)
		return false;
	hi->quota--;
	hi->lack += pot->one;
	lo->quota++;
	lo->lack -= pot->one;
	return true;
}

size_t
apportion_displaced(
    struct apportion_claim *claims, size_t count, int64_t total, int64_t weight_sum, int64_t slack)
{
	struct pot pot = make_pot(claims, count, total, weight_sum);
	size_t exceptions = 0;

	for (size_t i = 0; i < count; i++) {
		claims[i].quota = claims[i].base;
		claims[i].lack = 0;
	}
	if (pot.displaced == 0)
		return 0;
	share_displaced(&pot, claims, count);
	while (swap_one(&pot, claims, count))
		;
	for (size_t i = 0; i < count; i++)
		if (claims[i].take && llabs(claims[i].lack) >= slack * pot.one)
			exceptions++;
	return exceptions;
}

void
apportion_scratch_done(struct apportion_scratch *scratch)
{
	free(scratch->start);
	free(scratch->rest);
	free(scratch->fill);
	memset(scratch, 0, sizeof(*scratch));
}

static void
prepare_scratch(struct apportion_scratch *scratch, size_t total)
{
	if (total > scratch->capacity) {
		apportion_scratch_done(scratch);
		scratch->start = xreallocarray(NULL, total, sizeof(*scratch->start));
		scratch->rest = xreallocarray(NULL, total, sizeof(*scratch->rest));
		scratch->fill = xreallocarray(NULL, total, sizeof(*scratch->fill));
		scratch->capacity = total;
	}
	memset(scratch->fill, 0, total * sizeof(*scratch->fill));
}

/*
 * The k-th of an owner with c of m places has the key (2k+1)/(2c). Times m, its whole part is a
 * slot in 0..m-1 and its rest a fraction of 2c. Neighbouring keys of one owner are m/c >= 1 apart:
 * a slot holds each owner at most once.
 */
struct key {
	uint32_t slot, rest;
	uint32_t slot_step, rest_step, denominator;
};

static struct key
first_key(uint32_t count, uint32_t total)
{
	uint32_t denominator = 2 * count;

	return (struct key){ .slot = total / denominator,
		.rest = total % denominator,
		.slot_step = total / count,
		.rest_step = 2 * (total % count),
		.denominator = denominator };
}

static inline void
step_key(struct key *key)
{
	key->slot += key->slot_step;
	key->rest += key->rest_step;
	if (key->rest >= key->denominator) {
		key->rest -= key->denominator;
		key->slot++;
	}
}

static void
count_slots(const struct apportion_share *shares, size_t share_count, uint32_t total, uint8_t *fill)
{
	for (size_t i = 0; i < share_count; i++) {
		struct key key;

		if (shares[i].count == 0)
			continue;
		key = first_key(shares[i].count, total);
		for (uint32_t k = 0; k < shares[i].count; k++, step_key(&key))
			fill[key.slot]++;
	}
}

static void
start_slots(uint32_t total, struct apportion_scratch *scratch)
{
	uint32_t next = 0;

	for (uint32_t slot = 0; slot < total; slot++) {
		scratch->start[slot] = next;
		next += scratch->fill[slot];
		scratch->fill[slot] = 0;
	}
}

/* Puts all places of one share, sorted by key inside each slot; an equal key stays behind. */
static void
place_share(const struct apportion_share *shares, size_t index, uint32_t total,
    struct apportion_scratch *scratch, uint8_t *owner)
{
	uint64_t count = shares[index].count;
	struct key key = first_key((uint32_t)count, total);

	for (uint32_t k = 0; k < count; k++, step_key(&key)) {
		uint32_t first = scratch->start[key.slot];
		uint32_t at = first + scratch->fill[key.slot]++;

		while (at > first && key.rest * (uint64_t)shares[owner[at - 1]].count <
		                         scratch->rest[at - 1] * count) {
			owner[at] = owner[at - 1];
			scratch->rest[at] = scratch->rest[at - 1];
			at--;
		}
		owner[at] = (uint8_t)index;
		scratch->rest[at] = key.rest;
	}
}

void
apportion_interleave(const struct apportion_share *shares, size_t share_count,
    struct apportion_scratch *scratch, uint8_t *ret_owner)
{
	uint32_t total = 0;

	for (size_t i = 0; i < share_count; i++)
		total += shares[i].count;
	prepare_scratch(scratch, total);
	count_slots(shares, share_count, total, scratch->fill);
	start_slots(total, scratch);
	for (size_t i = 0; i < share_count; i++)
		if (shares[i].count)
			place_share(shares, i, total, scratch, ret_owner);
	for (uint32_t i = 0; i < total; i++)
		ret_owner[i] = shares[ret_owner[i]].who;
}
