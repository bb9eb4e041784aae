/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic of the layout: hashes, quotas and the even interleaving of owners over a list
 * (rules 2, 3, 4b and 5 of the layout specification). Integers only, so that two CPUs agree bit
 * for bit. Limits: 255 claims, total <= 2^22, weights <= 4095.
 */
#ifndef AUTOFBF_APPORTION_H
#define AUTOFBF_APPORTION_H

#include <stddef.h>
#include <stdint.h>

/* A bijection on 64 bits that spreads every bit over all others. */
static inline uint64_t
apportion_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static inline uint64_t
apportion_comb(uint64_t a, uint64_t b)
{
	return apportion_mix(a ^ apportion_mix(b + 0x9e3779b97f4a7c15u));
}

/* mix() over FNV-1a-64 of the tag byte and the bytes. */
uint64_t apportion_hash(char tag, const void *bytes, size_t size);

/* One who shares. Arrays of claims are in arrival order: their index is the last tie-break. */
struct apportion_claim {
	uint64_t tie;    /* smaller wins an equal remainder */
	int64_t base;    /* what it owns already */
	int64_t quota;   /* result */
	int64_t lack;    /* result of apportion_displaced: (combined share - quota) * W * FW */
	uint32_t weight; /* w: of the combined share */
	uint32_t take;   /* f: of the displaced share; 0: keeps its base and gets nothing */
};

/* Rule 4b: shares total by weight, rounded so that as little as possible leaves its owner.
 * weight_sum is the sum of the claims' weights, > 0. */
void apportion_total(
    struct apportion_claim *claims, size_t count, int64_t total, int64_t weight_sum);

/* Rule 5: shares what total has above the sum of the bases by take; no quota is below its base.
 * weight_sum: weights of all elements, also those that do not claim. Returns how many claims miss
 * their combined share by slack or more; 0 when nothing is displaced, then quota = base. */
size_t apportion_displaced(
    struct apportion_claim *claims, size_t count, int64_t total, int64_t weight_sum, int64_t slack);

struct apportion_share {
	uint32_t count;
	uint8_t who;
};

/* Working memory of apportion_interleave, reused between calls. A zeroed struct is empty. */
struct apportion_scratch {
	uint32_t *start; /* owned; first place of each slot */
	uint32_t *rest;  /* owned; fraction of the key that is in each place */
	uint8_t *fill;   /* owned; places taken in each slot */
	size_t capacity;
};

void apportion_scratch_done(struct apportion_scratch *scratch);

/* Rule 3: a sequence of all counts, every owner spread evenly. ret_owner has sum(count) entries,
 * at most 2^22; at most 255 shares. Linear in the sum. */
void apportion_interleave(const struct apportion_share *shares, size_t share_count,
    struct apportion_scratch *scratch, uint8_t *ret_owner);

#endif
