/* SPDX-License-Identifier: BSD-3-Clause */
/* The second half of layout_reference.h: rules 6 to 9, what follows from a healthy set. */
#ifndef AUTOFBF_TESTS_LAYOUT_REFERENCE_SET_H
#define AUTOFBF_TESTS_LAYOUT_REFERENCE_SET_H

#include "layout_reference.h"

/* ---- rule 6 ---- */

struct ref_tree {
	const struct reference *ref;
	const bool *alive;
	struct reference_layout *out;
	bool path[REF_ELEMENTS];
	unsigned depth;
};

static inline void
ref_node_counts(const struct ref_tree *tree, uint64_t u, const size_t *list, size_t count,
    const int64_t *f, int64_t m, int64_t *counts)
{
	uint64_t v = ref_comb(u, 1) >> 32;
	int64_t cum = 0, before = 0, wf = 0, q[REF_ELEMENTS];
	bool rest[REF_ELEMENTS] = { false };

	if (tree->depth == 1) {
		for (size_t e = 0; e < tree->ref->n; e++)
			rest[e] = tree->ref->in_e[e] && !tree->path[e];
		ref_quota_of_set(tree->ref, rest, 1, q);
		for (size_t i = 0; i < count; i++)
			counts[i] = q[list[i]] - tree->ref->b[list[i]];
		return;
	}
	for (size_t i = 0; i < count; i++)
		wf += f[list[i]];
	for (size_t i = 0; i < count; i++) {
		int64_t cut;

		cum += f[list[i]];
		cut = cum * m / wf +
		      ((uint64_t)(cum * m % wf) * 0x100000000ull > v * (uint64_t)wf ? 1 : 0);
		counts[i] = cut - before;
		before = cut;
	}
}

static inline void
ref_node(struct ref_tree *tree, size_t member, uint64_t parent, const size_t *items, size_t m)
{
	const struct reference *ref = tree->ref;
	uint64_t u = ref_comb(parent, ref->he[member]);
	size_t order[REF_ELEMENTS], n = ref_arrival(ref, order), list[REF_ELEMENTS], count = 0;
	size_t *child = xcalloc(m, sizeof(*child));
	uint8_t *sequence = xcalloc(m, 1), who[REF_ELEMENTS];
	int64_t f[REF_ELEMENTS], counts[REF_ELEMENTS];
	bool rest[REF_ELEMENTS] = { false };

	tree->path[member] = true;
	tree->depth++;
	for (size_t e = 0; e < ref->n; e++)
		rest[e] = ref->in_e[e] && !tree->path[e];
	ref_takes(ref, rest, f);
	for (size_t i = 0; i < n; i++) {
		size_t e = order[i], at;

		if (f[e] == 0)
			continue;
		for (at = count++;
		     at > 0 && ref_comb(u, ref->he[e]) < ref_comb(u, ref->he[list[at - 1]]); at--)
			list[at] = list[at - 1];
		list[at] = e;
	}
	ref_node_counts(tree, u, list, count, f, (int64_t)m, counts);
	for (size_t i = 0; i < count; i++)
		who[i] = (uint8_t)list[i];
	ref_interleave(who, counts, count, sequence);
	for (size_t i = 0; i < count; i++) {
		size_t size = 0;

		for (size_t j = 0; j < m; j++) {
			if (sequence[j] != list[i])
				continue;
			tree->out->owner[items[j]] = (uint8_t)list[i];
			tree->out->depth[items[j]] = (uint8_t)tree->depth;
			child[size++] = items[j];
		}
		if (!tree->alive[list[i]] && size > 0)
			ref_node(tree, list[i], u, child, size);
	}
	tree->path[member] = false;
	tree->depth--;
	free(child);
	free(sequence);
}

/* ---- rule 7 ---- */

/* Is unit i to go before unit j: deeper, then key, then prefix order. */
static inline bool
ref_goes_first(const struct reference *ref, const struct reference_layout *layout, size_t i,
    size_t j, bool by_depth)
{
	uint64_t a = ref_comb(ref_hash_unit(&ref->units[i]), 2);
	uint64_t b = ref_comb(ref_hash_unit(&ref->units[j]), 2);

	if (by_depth && layout->depth[i] != layout->depth[j])
		return layout->depth[i] > layout->depth[j];
	return a != b ? a < b : i < j;
}

/* release[e] displaced units of each e, as a list by (key, prefix order). */
static inline size_t
ref_pick(const struct reference *ref, const struct reference_layout *layout, const int64_t *release,
    size_t *list)
{
	size_t count = 0;
	bool *picked = xcalloc(ref->m, sizeof(*picked));

	for (size_t e = 0; e < ref->n; e++)
		for (int64_t k = 0; k < release[e]; k++) {
			size_t best = SIZE_MAX;

			for (size_t i = 0; i < ref->m; i++)
				if (layout->owner[i] == e && layout->depth[i] > 0 && !picked[i] &&
				    (best == SIZE_MAX ||
				        ref_goes_first(ref, layout, i, best, true)))
					best = i;
			picked[best] = true;
		}
	for (size_t i = 0; i < ref->m; i++) {
		size_t at;

		if (!picked[i])
			continue;
		for (at = count++; at > 0 && ref_goes_first(ref, layout, i, list[at - 1], false);
		     at--)
			list[at] = list[at - 1];
		list[at] = i;
	}
	free(picked);
	return count;
}

static inline void
ref_repair(const struct reference *ref, const bool *alive, struct reference_layout *layout)
{
	int64_t q[REF_ELEMENTS] = { 0 }, c[REF_ELEMENTS] = { 0 }, release[REF_ELEMENTS] = { 0 };
	size_t *list = xcalloc(ref->m, sizeof(*list)), order[REF_ELEMENTS];
	size_t n = ref_arrival(ref, order), count;

	ref_quota_of_set(ref, alive, 1, q);
	for (size_t i = 0; i < ref->m; i++)
		c[layout->owner[i]]++;
	for (size_t e = 0; e < ref->n; e++)
		release[e] = alive[e] && c[e] > q[e] ? c[e] - q[e] : 0;
	count = ref_pick(ref, layout, release, list);
	for (size_t k = 0; k < count; k++) {
		uint64_t room = ref_comb(ref_hash_unit(&ref->units[list[k]]), 3);
		size_t best = SIZE_MAX;

		for (size_t i = 0; i < n; i++) {
			size_t e = order[i];

			if (alive[e] && c[e] < q[e] &&
			    (best == SIZE_MAX ||
			        ref_comb(room, ref->he[e]) < ref_comb(room, ref->he[best])))
				best = e;
		}
		c[best]++;
		c[layout->owner[list[k]]]--;
		layout->owner[list[k]] = (uint8_t)best;
	}
	free(list);
}

/* ---- rule 9 ---- */

static inline void
ref_split(
    const struct reference *ref, const bool *alive, unsigned s, struct reference_layout *layout)
{
	int64_t g = (int64_t)1 << s, q[REF_ELEMENTS] = { 0 }, whole[REF_ELEMENTS] = { 0 };
	int64_t need[REF_ELEMENTS] = { 0 }, d[REF_ELEMENTS] = { 0 }, release[REF_ELEMENTS] = { 0 };
	size_t *list = xcalloc(ref->m, sizeof(*list)), order[REF_ELEMENTS];
	size_t n = ref_arrival(ref, order), count, head = 0;

	ref_quota_of_set(ref, alive, g, q);
	for (size_t i = 0; i < ref->m; i++)
		d[layout->owner[i]] += layout->depth[i] > 0;
	for (size_t e = 0; e < ref->n; e++) {
		if (!alive[e])
			continue;
		whole[e] = (q[e] - g * ref->b[e]) / g;
		need[e] = (q[e] - g * ref->b[e]) % g;
		release[e] = d[e] > whole[e] ? d[e] - whole[e] : 0;
	}
	count = ref_pick(ref, layout, release, list);
	for (size_t i = 0; i < n; i++)
		for (; alive[order[i]] && d[order[i]] < whole[order[i]]; d[order[i]]++)
			layout->owner[list[head++]] = (uint8_t)order[i];
	for (size_t k = head; k < count; k++) {
		uint8_t former = layout->owner[list[k]],
		        *child = &layout->children[list[k] * REF_CHILDREN];

		layout->split[list[k]] = true;
		for (int64_t j = 0; j < g; j++)
			child[j] = j < need[former] ? former : REF_NONE;
		need[former] = 0;
	}
	for (size_t k = head; k < count; k++)
		for (int64_t j = 0; j < g; j++) {
			uint8_t *child = &layout->children[list[k] * REF_CHILDREN + (size_t)j];

			for (size_t i = 0; *child == REF_NONE && i < n; i++)
				if (need[order[i]] > 0) {
					need[order[i]]--;
					*child = (uint8_t)order[i];
				}
		}
	free(list);
}

/* ---- a layout ---- */

/* healthy by element index; at least one of E. */
static inline struct reference_layout *
reference_layout(const struct reference *ref, const bool *healthy, unsigned split_bits)
{
	struct reference_layout *layout = xcalloc(1, sizeof(*layout));
	size_t *items = xcalloc(ref->m, sizeof(*items));
	bool alive[REF_ELEMENTS] = { false };
	struct ref_tree tree = { .ref = ref, .alive = alive, .out = layout };

	layout->owner = xcalloc(ref->m, 1);
	layout->depth = xcalloc(ref->m, 1);
	layout->split = xcalloc(ref->m, sizeof(bool));
	layout->children = xcalloc(ref->m, REF_CHILDREN);
	for (size_t e = 0; e < ref->n; e++)
		alive[e] = healthy[e] && ref->in_e[e];
	for (size_t i = 0; i < ref->m; i++)
		layout->owner[i] = ref->base[i];
	for (size_t e = 0; e < ref->n; e++) {
		size_t count = 0;

		if (alive[e])
			continue;
		for (size_t i = 0; i < ref->m; i++)
			if (ref->base[i] == e)
				items[count++] = i;
		if (count > 0)
			ref_node(&tree, e, 0x6c61796f75743031ull, items, count);
	}
	ref_repair(ref, alive, layout);
	if (split_bits)
		ref_split(ref, alive, split_bits, layout);
	free(items);
	return layout;
}

static inline void
reference_layout_free(struct reference_layout *layout)
{
	free(layout->owner);
	free(layout->depth);
	free(layout->split);
	free(layout->children);
	free(layout);
}

/* ---- the split table ---- */

static inline size_t
ref_alive(const struct reference *ref, const bool *healthy)
{
	size_t alive = 0;

	for (size_t e = 0; e < ref->n; e++)
		alive += healthy[e] && ref->in_e[e];
	return alive;
}

/* Lines of the override list of e, its sentinel included. */
static inline size_t
ref_entries(
    const struct reference *ref, const struct reference_layout *layout, unsigned bits, size_t e)
{
	size_t entries = 1;

	for (size_t i = 0; i < ref->m; i++) {
		if (!layout->split[i])
			entries += layout->owner[i] == e && ref->base[i] != e;
		for (size_t c = 0; layout->split[i] && c < (size_t)1 << bits; c++)
			entries += layout->children[i * REF_CHILDREN + c] == e;
	}
	return entries;
}

/* The row of the table, then as many bits less as the entry limit asks for. */
static inline unsigned
reference_bits(const struct reference *ref, const bool *healthy)
{
	size_t alive = ref_alive(ref, healthy), limit = ref->group->entry_limit;
	unsigned bits = 0;

	for (size_t i = 0; i < ref->group->split_count[ref->family]; i++) {
		const struct profile_split *row = &ref->group->split[ref->family][i];

		if (alive <= row->survivors && row->bits > bits)
			bits = row->bits;
	}
	for (; bits > 0 && alive > 0; bits--) {
		struct reference_layout *layout = reference_layout(ref, healthy, bits);
		bool fits = true;

		for (size_t e = 0; e < ref->n; e++)
			fits = fits && ref_entries(ref, layout, bits, e) <= limit;
		reference_layout_free(layout);
		if (fits || limit == 0)
			return bits;
	}
	return 0;
}

/* ---- rule 8 ---- */

/* Rule 8 for one unit, nothing split. */
static inline uint8_t
reference_standby(const struct reference *ref, const bool *healthy, size_t unit)
{
	struct reference_layout *now = reference_layout(ref, healthy, 0), *next;
	bool without[REF_ELEMENTS];
	uint8_t standby = REF_NONE, owner = now->owner[unit];
	size_t alive = 0;

	for (size_t e = 0; e < ref->n; e++) {
		without[e] = healthy[e] && e != owner;
		alive += healthy[e] && ref->in_e[e];
	}
	if (alive > 1) {
		next = reference_layout(ref, without, 0);
		standby = next->owner[unit];
		reference_layout_free(next);
	}
	reference_layout_free(now);
	return standby;
}

#endif
