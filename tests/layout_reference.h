/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A second implementation of rules 2 to 9, written from their text without a thought for speed, to
 * compare with bit for bit. It shares nothing with agent/layout*.c and agent/apportion.c: units are
 * a plain list, every choice is a search through all candidates, every layout is computed from
 * scratch. Elements are indices of group->elements. For small cases only.
 */
#ifndef AUTOFBF_TESTS_LAYOUT_REFERENCE_H
#define AUTOFBF_TESTS_LAYOUT_REFERENCE_H

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "profile.h"

enum { REF_ELEMENTS = 40, REF_NONE = 255, REF_CHILDREN = 64 };

struct reference {
	const struct profile_group *group;
	enum family family;
	size_t n;                /* elements of the group */
	bool in_a[REF_ELEMENTS]; /* takes part */
	bool in_e[REF_ELEMENTS]; /* and is no tombstone */
	uint64_t he[REF_ELEMENTS];
	int64_t w[REF_ELEMENTS], b[REF_ELEMENTS];
	int64_t sum_w;
	size_t m;
	struct prefix *units;
	uint8_t *base;
};

struct reference_layout {
	uint8_t *owner; /* after rules 7 and 9 */
	uint8_t *depth;
	bool *split;
	uint8_t *children; /* REF_CHILDREN for each unit */
};

/* ---- rule 2 ---- */

static inline uint64_t
ref_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	x ^= x >> 31;
	return x;
}

static inline uint64_t
ref_comb(uint64_t a, uint64_t b)
{
	return ref_mix(a ^ ref_mix(b + 0x9E3779B97F4A7C15ull));
}

static inline uint64_t
ref_fnv(uint64_t h, uint8_t byte)
{
	return (h ^ byte) * 0x100000001b3ull;
}

static inline uint64_t
ref_hash_element(const char *id)
{
	uint64_t h = ref_fnv(0xcbf29ce484222325ull, 'e');

	for (; *id; id++)
		h = ref_fnv(h, (uint8_t)*id);
	return ref_mix(h);
}

static inline uint64_t
ref_hash_unit(const struct prefix *unit)
{
	bool is_v4 = unit->address.family == FAMILY_IPV4;
	uint64_t h = ref_fnv(0xcbf29ce484222325ull, 'p');

	h = ref_fnv(h, is_v4 ? 4 : 6);
	h = ref_fnv(h, unit->length);
	for (int i = 0; i < (is_v4 ? 4 : 16); i++)
		h = ref_fnv(h, unit->address.bytes[i]);
	return ref_mix(h);
}

/* ---- rule 1 ---- */

static inline int64_t
ref_weight(const struct profile_element *element, uint32_t t)
{
	int64_t weight = 0;
	uint32_t best = 0;

	for (size_t i = 0; i < element->weight_count; i++)
		if (element->weights[i].epoch <= t && element->weights[i].epoch >= best) {
			best = element->weights[i].epoch;
			weight = element->weights[i].weight;
		}
	return weight;
}

static inline bool
ref_earlier(const struct reference *ref, size_t a, size_t b)
{
	const struct profile_element *x = &ref->group->elements[a], *y = &ref->group->elements[b];
	uint32_t fx = UINT32_MAX, fy = UINT32_MAX;

	for (size_t i = 0; i < x->weight_count; i++)
		fx = x->weights[i].epoch < fx ? x->weights[i].epoch : fx;
	for (size_t i = 0; i < y->weight_count; i++)
		fy = y->weights[i].epoch < fy ? y->weights[i].epoch : fy;
	return fx != fy ? fx < fy : strcmp(x->id, y->id) < 0;
}

/* All of A in arrival order. */
static inline size_t
ref_arrival(const struct reference *ref, size_t *order)
{
	size_t count = 0;

	for (size_t e = 0; e < ref->n; e++) {
		size_t at;

		if (!ref->in_a[e])
			continue;
		for (at = count++; at > 0 && ref_earlier(ref, e, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = e;
	}
	return count;
}

/* ---- rule 3 ---- */

static inline void
ref_interleave(const uint8_t *who, const int64_t *c, size_t count, uint8_t *out)
{
	int64_t k[REF_ELEMENTS] = { 0 };

	for (;;) {
		size_t best = SIZE_MAX;

		for (size_t i = 0; i < count; i++)
			if (k[i] < c[i] && (best == SIZE_MAX ||
			                       (2 * k[i] + 1) * c[best] < (2 * k[best] + 1) * c[i]))
				best = i;
		if (best == SIZE_MAX)
			return;
		*out++ = who[best];
		k[best]++;
	}
}

/* ---- rule 5 ---- */

struct ref_claims {
	bool in[REF_ELEMENTS];
	int64_t f[REF_ELEMENTS], w[REF_ELEMENTS], base[REF_ELEMENTS]; /* base: B */
	int64_t total, sum_w;                                         /* g*M, W */
	uint64_t u;
	int64_t q[REF_ELEMENTS];
};

static inline void
ref_quota(const struct reference *ref, struct ref_claims *c)
{
	int64_t d = c->total, n = c->total, fw = 0, wk = 0, left, one, y[REF_ELEMENTS] = { 0 };
	bool open[REF_ELEMENTS] = { false };
	size_t order[REF_ELEMENTS], count = ref_arrival(ref, order);

	for (size_t e = 0; e < ref->n; e++) {
		if (!c->in[e])
			continue;
		c->q[e] = c->base[e];
		d -= c->base[e];
		fw += c->f[e];
		wk += c->f[e] > 0 ? c->w[e] : 0;
		n -= c->f[e] > 0 ? 0 : c->base[e];
	}
	if (d == 0)
		return;
	one = c->sum_w * fw;
	left = d;
	for (size_t e = 0; e < ref->n; e++) {
		if (!c->in[e] || c->f[e] == 0)
			continue;
		c->q[e] = c->base[e] + d * c->f[e] / fw;
		left -= d * c->f[e] / fw;
		open[e] = d * c->f[e] % fw != 0;
		y[e] = c->total * c->w[e] * fw + (n * c->sum_w - c->total * wk) * c->f[e] -
		       c->q[e] * one;
	}
	for (; left > 0; left--) {
		size_t best = SIZE_MAX;

		for (size_t i = 0; i < count; i++) {
			size_t e = order[i];

			if (!open[e])
				continue;
			if (best == SIZE_MAX || y[e] > y[best] ||
			    (y[e] == y[best] &&
			        ref_comb(c->u, ref->he[e]) < ref_comb(c->u, ref->he[best])))
				best = e;
		}
		open[best] = false;
		c->q[best]++;
		y[best] -= one;
	}
	for (;;) {
		size_t hi = SIZE_MAX, lo = SIZE_MAX;

		for (size_t i = 0; i < count; i++) {
			size_t e = order[i];

			if (!c->in[e] || c->f[e] == 0)
				continue;
			if (c->q[e] > c->base[e] && (hi == SIZE_MAX || y[e] < y[hi]))
				hi = e;
			if (lo == SIZE_MAX || y[e] > y[lo])
				lo = e;
		}
		if (hi == SIZE_MAX || !(y[lo] - y[hi] > one && (y[hi] <= -one || y[lo] >= one)))
			return;
		c->q[hi]--;
		y[hi] += one;
		c->q[lo]++;
		y[lo] -= one;
	}
}

static inline void
ref_takes(const struct reference *ref, const bool *set, int64_t *f)
{
	bool any_fw = false, any_w = false;

	for (size_t e = 0; e < ref->n; e++) {
		any_fw = any_fw || (set[e] && ref->group->elements[e].failed_weight > 0);
		any_w = any_w || (set[e] && ref->w[e] > 0);
	}
	for (size_t e = 0; e < ref->n; e++)
		f[e] = !set[e]  ? 0
		       : any_fw ? ref->group->elements[e].failed_weight
		       : any_w  ? ref->w[e]
		                : 1;
}

static inline void
ref_quota_of_set(const struct reference *ref, const bool *set, int64_t g, int64_t *q)
{
	struct ref_claims c = { .total = g * (int64_t)ref->m, .sum_w = ref->sum_w };

	ref_takes(ref, set, c.f);
	for (size_t e = 0; e < ref->n; e++) {
		c.in[e] = set[e];
		c.w[e] = ref->w[e];
		c.base[e] = g * ref->b[e];
		if (ref->in_e[e] && !set[e])
			c.u ^= ref->he[e];
	}
	ref_quota(ref, &c);
	memcpy(q, c.q, sizeof(c.q));
}

/* ---- rule 4 ---- */

static inline size_t
ref_list_units(const struct reference *ref, uint32_t t, struct prefix **ret_units)
{
	struct prefix *units = NULL;
	size_t count = 0;

	for (size_t i = 0; i < ref->group->pool_count; i++) {
		const struct profile_pool *pool = &ref->group->pools[i];

		if (pool->prefix.address.family != ref->family || pool->since > t ||
		    (pool->until != PROFILE_EPOCH_NONE && pool->until <= t))
			continue;
		for (uint64_t k = 0; k < (uint64_t)1 << (pool->unit_length - pool->prefix.length);
		     k++) {
			units = xreallocarray(units, count + 1, sizeof(*units));
			units[count++] = prefix_child(&pool->prefix, pool->unit_length, k);
		}
	}
	if (count)
		qsort(units, count, sizeof(*units), prefix_compare_void);
	*ret_units = units;
	return count;
}

/* 4c: marks the units that are free. */
static inline void
ref_release(const struct reference *ref, const int64_t *c, const int64_t *q, uint8_t *owner)
{
	int64_t seen[REF_ELEMENTS] = { 0 }, gave[REF_ELEMENTS] = { 0 };
	int64_t f = 0, m = 0, pos = 0, given = 0;

	for (size_t e = 0; e < ref->n; e++) {
		f += c[e] > q[e] ? c[e] - q[e] : 0;
		m += c[e];
	}
	for (size_t i = 0; i < ref->m; i++) {
		size_t e = owner[i];
		int64_t x;

		if (e == REF_NONE)
			continue;
		x = c[e] > q[e] ? c[e] - q[e] : 0;
		seen[e]++;
		pos++;
		if (gave[e] < x && (c[e] - seen[e] + 1 == x - gave[e] ||
		                       (2 * (f * pos - given * m) >= m &&
		                           x * (2 * seen[e] - 1) >= 2 * gave[e] * c[e]))) {
			gave[e]++;
			given++;
			owner[i] = REF_NONE;
		}
	}
}

static inline void
ref_fill(const struct reference *ref, const size_t *list, size_t count, const int64_t *c,
    const int64_t *q, uint8_t *owner)
{
	uint8_t who[REF_ELEMENTS], *sequence = xcalloc(ref->m, 1), *next = sequence;
	int64_t share[REF_ELEMENTS];

	for (size_t i = 0; i < count; i++) {
		who[i] = (uint8_t)list[i];
		share[i] = q[list[i]] > c[list[i]] ? q[list[i]] - c[list[i]] : 0;
	}
	ref_interleave(who, share, count, sequence);
	for (size_t i = 0; i < ref->m; i++)
		if (owner[i] == REF_NONE)
			owner[i] = *next++;
	free(sequence);
}

/* 4b */
static inline void
ref_base_quota(
    const struct reference *ref, const int64_t *w, int64_t sum, const int64_t *c, int64_t *q)
{
	size_t order[REF_ELEMENTS], count = ref_arrival(ref, order);
	int64_t m = (int64_t)ref->m, missing = m;
	bool open[REF_ELEMENTS] = { false };

	for (size_t i = 0; i < count; i++) {
		q[order[i]] = m * w[order[i]] / sum;
		missing -= q[order[i]];
		open[order[i]] = m * w[order[i]] % sum != 0;
	}
	for (; missing > 0; missing--) {
		size_t best = SIZE_MAX;

		for (size_t i = 0; i < count; i++) {
			size_t e = order[i];
			bool saves, best_saves;

			if (!open[e])
				continue;
			if (best == SIZE_MAX) {
				best = e;
				continue;
			}
			saves = c[e] > m * w[e] / sum;
			best_saves = c[best] > m * w[best] / sum;
			if (saves != best_saves ? saves : m * w[e] % sum > m * w[best] % sum)
				best = e;
		}
		open[best] = false;
		q[best]++;
	}
}

/* 4e */
static inline void
ref_retire(const struct reference *ref, size_t x, const int64_t *w, int64_t sum, const int64_t *c,
    uint8_t *owner)
{
	struct ref_claims claims = { .total = (int64_t)ref->m, .sum_w = sum, .u = ref->he[x] };
	size_t list[REF_ELEMENTS], order[REF_ELEMENTS], n = ref_arrival(ref, order), count = 0;
	uint64_t node = ref_comb(0x6c61796f75743031ull, ref->he[x]);

	for (size_t i = 0; i < n; i++) {
		size_t e = order[i], at;

		if (w[e] == 0)
			continue;
		claims.in[e] = true;
		claims.f[e] = claims.w[e] = w[e];
		claims.base[e] = c[e];
		for (at = count++;
		     at > 0 && ref_comb(node, ref->he[e]) < ref_comb(node, ref->he[list[at - 1]]);
		     at--)
			list[at] = list[at - 1];
		list[at] = e;
	}
	ref_quota(ref, &claims);
	for (size_t i = 0; i < ref->m; i++)
		if (owner[i] == x)
			owner[i] = REF_NONE;
	ref_fill(ref, list, count, c, claims.q, owner);
}

static inline bool
ref_next_epoch(const struct reference *ref, int64_t after, uint32_t *ret_epoch)
{
	int64_t best = INT64_MAX;

	for (size_t e = 0; e < ref->n; e++)
		for (size_t i = 0; ref->in_a[e] && i < ref->group->elements[e].weight_count; i++) {
			int64_t t = ref->group->elements[e].weights[i].epoch;

			best = t > after && t < best ? t : best;
		}
	for (size_t i = 0; i < ref->group->pool_count; i++) {
		const struct profile_pool *pool = &ref->group->pools[i];

		if (pool->prefix.address.family != ref->family)
			continue;
		best = pool->since > after && pool->since < best ? pool->since : best;
		if (pool->until != PROFILE_EPOCH_NONE)
			best = pool->until > after && pool->until < best ? pool->until : best;
	}
	if (after < 0)
		best = 0;
	*ret_epoch = (uint32_t)best;
	return best != INT64_MAX;
}

static inline bool
ref_change_units(struct reference *ref, uint32_t t)
{
	struct prefix *units;
	size_t count = ref_list_units(ref, t, &units);
	uint8_t *owner = xcalloc(count, 1);
	bool same = count == ref->m;

	for (size_t i = 0; i < count; i++) {
		struct prefix *old = ref->m == 0 ? NULL
		                                 : bsearch(&units[i], ref->units, ref->m,
		                                       sizeof(*units), prefix_compare_void);

		same = same && old;
		owner[i] = old ? ref->base[old - ref->units] : REF_NONE;
	}
	free(ref->units);
	free(ref->base);
	ref->units = units;
	ref->base = owner;
	ref->m = count;
	return same;
}

static inline void
ref_step(struct reference *ref, uint32_t t, bool is_first)
{
	int64_t w[REF_ELEMENTS] = { 0 }, c[REF_ELEMENTS] = { 0 }, q[REF_ELEMENTS] = { 0 }, sum = 0;
	size_t order[REF_ELEMENTS], count = ref_arrival(ref, order), changed = 0, x = 0;
	bool same = ref_change_units(ref, t) && !is_first;

	for (size_t e = 0; e < ref->n; e++) {
		w[e] = ref->in_a[e] ? ref_weight(&ref->group->elements[e], t) : 0;
		sum += w[e];
		if (w[e] != ref->w[e]) {
			changed++;
			x = e;
		}
	}
	for (size_t i = 0; i < ref->m; i++)
		if (ref->base[i] != REF_NONE)
			c[ref->base[i]]++;
	if (sum == 0) {
		memset(ref->base, REF_NONE, ref->m);
	} else if (same && ref->sum_w > 0 && changed == 1 && ref->w[x] > 0 && w[x] == 0 &&
	           c[x] > 0) {
		ref_retire(ref, x, w, sum, c, ref->base);
	} else {
		ref_base_quota(ref, w, sum, c, q);
		ref_release(ref, c, q, ref->base);
		ref_fill(ref, order, count, c, q, ref->base);
	}
	memcpy(ref->w, w, sizeof(w));
	ref->sum_w = sum;
}

static inline struct reference *
reference_new(const struct profile_group *group, enum family family)
{
	struct reference *ref = xcalloc(1, sizeof(*ref));
	int64_t after = -1;
	uint32_t t;

	ref->group = group;
	ref->family = family;
	ref->n = group->element_count;
	if (ref->n > REF_ELEMENTS)
		fatal("too many elements for the reference");
	for (size_t e = 0; e < ref->n; e++) {
		ref->in_a[e] = group->elements[e].family[family].present;
		ref->in_e[e] = ref->in_a[e] && !group->elements[e].removed;
		ref->he[e] = ref_hash_element(group->elements[e].id);
	}
	for (; ref_next_epoch(ref, after, &t); after = t)
		ref_step(ref, t, after < 0);
	for (size_t i = 0; i < ref->m; i++)
		if (ref->base[i] != REF_NONE)
			ref->b[ref->base[i]]++;
	return ref;
}

static inline void
reference_free(struct reference *ref)
{
	free(ref->units);
	free(ref->base);
	free(ref);
}

#endif
