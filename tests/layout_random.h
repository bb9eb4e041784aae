/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random profiles and healthy sets for property tests. Everything follows from one seed, which is
 * printed: SEED=n in the environment repeats a run.
 */
#ifndef AUTOFBF_TESTS_LAYOUT_RANDOM_H
#define AUTOFBF_TESTS_LAYOUT_RANDOM_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "layout.h"
#include "layout_build.h"

struct random {
	uint64_t state;
};

/* xorshift64* */
static inline uint64_t
random_next(struct random *random)
{
	random->state ^= random->state >> 12;
	random->state ^= random->state << 25;
	random->state ^= random->state >> 27;
	return random->state * 0x2545f4914f6cdd1du;
}

static inline size_t
random_below(struct random *random, size_t limit)
{
	return (size_t)((random_next(random) >> 11) % limit);
}

static inline struct random
random_begin(const char *name)
{
	const char *text = getenv("SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0) : (uint64_t)time(NULL);
	struct random random = { seed * 0x9e3779b97f4a7c15u + 1 };

	printf("%s: SEED=%llu\n", name, (unsigned long long)seed);
	for (int i = 0; i < 8; i++)
		random_next(&random);
	return random;
}

/* Weights that look like those of operators, and some that do not. */
static inline unsigned
random_weight(struct random *random, unsigned style)
{
	switch (style) {
	case 0:
		return 1;
	case 1:
		return 1 + (unsigned)random_below(random, 5);
	case 2:
		return (unsigned)random_below(random, 3);
	default:
		return (unsigned)random_below(random, 101);
	}
}

static inline void
random_element(struct random *random, struct profile *profile, unsigned number, unsigned style,
    unsigned epochs)
{
	char id[24];
	struct profile_element *element;
	uint32_t epoch = (uint32_t)(random_below(random, 3) ? 0 : random_below(random, epochs + 1));

	snprintf(id, sizeof(id), "%c%zu-%u", 'a' + (int)random_below(random, 26),
	    random_below(random, 100), number);
	element = build_element(profile, id);
	build_weight(element, epoch, random_weight(random, style));
	for (epoch++; epoch <= epochs; epoch++)
		if (random_below(random, 4) == 0)
			build_weight(element, epoch, random_weight(random, style));
	if (element->weight_count > 1 && random_below(random, 5) == 0) {
		element->weights[element->weight_count - 1].weight = 0;
		element->failed_weight = 0;
		element->removed = random_below(random, 2);
	}
	if (random_below(random, 4) == 0)
		element->failed_weight =
		    (uint16_t)(random_below(random, 3) ? random_below(random, 6) : 0);
}

/* A pool as it is, or as its two halves: the same units. */
static inline void
random_pool(struct random *random, struct profile *profile, const char *text, unsigned unit_length,
    uint32_t since, uint32_t until)
{
	struct prefix whole;

	if (prefix_parse(text, &whole) < 0)
		fatal("bad pool %s", text);
	if (unit_length == whole.length || random_below(random, 2)) {
		build_pool(profile, text, unit_length, since, until);
		return;
	}
	for (unsigned half = 0; half < 2; half++) {
		struct prefix prefix = prefix_child(&whole, whole.length + 1u, half);
		char half_text[PREFIX_TEXT_SIZE];

		build_pool(profile, prefix_format(&prefix, half_text), unit_length, since, until);
	}
}

/* Pools of one family, apart from each other, that come and go with the epochs. */
static inline void
random_pools(struct random *random, struct profile *profile, enum family family, size_t max_units,
    unsigned epochs)
{
	size_t count = 1 + random_below(random, 4);

	for (size_t i = 0; i < count; i++) {
		unsigned max_bits = 0, bits, length;
		uint32_t since = 0, until = PROFILE_EPOCH_NONE;
		char text[PREFIX_TEXT_SIZE];

		while ((size_t)2 << max_bits <= max_units / count)
			max_bits++;
		bits = (unsigned)random_below(random, max_bits + 1);
		length = (family == FAMILY_IPV4 ? 16 : 48) + (unsigned)random_below(random, 2);
		snprintf(text, sizeof(text),
		    family == FAMILY_IPV4 ? "10.%zu.0.0/%u" : "2001:db8:%zu::/%u",
		    (i * 71 + 13) % 256, length);
		if (epochs > 0 && random_below(random, 2))
			since = (uint32_t)random_below(random, epochs + 1);
		if (epochs > 0 && random_below(random, 2))
			until = since + 1 + (uint32_t)random_below(random, epochs + 1);
		random_pool(random, profile, text, length + bits, since, until);
		/* what ends may go on, with the same units or with bigger ones */
		if (until != PROFILE_EPOCH_NONE && (i == 0 || random_below(random, 2)))
			random_pool(random, profile, text,
			    length + bits - (bits > 0 && random_below(random, 3) == 0), until,
			    PROFILE_EPOCH_NONE);
	}
}

/* A profile that keeps rule 1: 1..max_elements elements, at most max_units units in each family. */
static inline struct profile *
random_profile(struct random *random, size_t max_elements, size_t max_units)
{
	struct profile *profile = build_profile();
	unsigned count = 1 + (unsigned)random_below(random, max_elements);
	unsigned style = (unsigned)random_below(random, 4);
	unsigned epochs = random_below(random, 2) ? 0 : 1 + (unsigned)random_below(random, 4);
	struct profile_element *first;

	for (unsigned i = 0; i < count; i++)
		random_element(random, profile, i, style, epochs);
	/* somebody has a weight in the end */
	first = &profile->groups[0].elements[0];
	if (first->weights[first->weight_count - 1].weight == 0) {
		first->weights[first->weight_count - 1].weight = 1;
		first->failed_weight = (uint16_t)random_below(random, 3);
	}
	first->removed = false;
	for (int family = 0; family < FAMILY_COUNT; family++)
		random_pools(random, profile, (enum family)family, max_units, epochs);
	profile_sort(profile);
	return profile;
}

/* The longest unit that the family ever has. */
static inline unsigned
longest_unit(const struct profile_group *group, enum family family)
{
	unsigned longest = 0;

	for (size_t i = 0; i < group->pool_count; i++)
		if (group->pools[i].prefix.address.family == family &&
		    group->pools[i].unit_length > longest)
			longest = group->pools[i].unit_length;
	return longest;
}

/* Bits that units of the family can be split by: never past /32 or /64, at most max. */
static inline unsigned
random_bits(
    struct random *random, const struct profile_group *group, enum family family, unsigned max)
{
	unsigned room = (family == FAMILY_IPV4 ? 32 : 64) - longest_unit(group, family);
	unsigned most = room < max ? room : max;

	return most ? 1 + (unsigned)random_below(random, most) : 0;
}

/* A split table for each family, and a limit of entries that matters now and then. */
static inline void
random_split(struct random *random, struct profile *profile, unsigned max_bits)
{
	struct profile_group *group = &profile->groups[0];

	for (int family = 0; family < FAMILY_COUNT; family++) {
		size_t rows = random_below(random, 4), survivors = 0;

		group->split[family] = xcalloc(rows, sizeof(struct profile_split));
		for (size_t i = 0; i < rows; i++) {
			unsigned bits = random_bits(random, group, (enum family)family, max_bits);

			survivors += 1 + random_below(random, 1 + group->element_count / 2);
			if (bits > 0 && survivors < 256)
				group->split[family][group->split_count[family]++] =
				    (struct profile_split){ .survivors = (uint8_t)survivors,
					    .bits = (uint8_t)bits };
		}
	}
	group->entry_limit = PROFILE_MAX_LIST_ENTRIES;
	if (random_below(random, 3) == 0)
		group->entry_limit = (uint32_t)random_below(random, 60);
}

/* Somebody stays healthy. */
static inline void
random_healthy(struct random *random, const struct layout_space *space, bool *ret_healthy)
{
	size_t count = layout_space_group(space)->element_count, alive = 0;
	size_t odds = 1 + random_below(random, 5);

	for (size_t e = 0; e < count; e++) {
		ret_healthy[e] = random_below(random, odds + 1) != 0;
		alive += ret_healthy[e] && layout_space_has(space, e);
	}
	for (size_t e = 0; e < count && alive == 0; e++) {
		ret_healthy[e] = layout_space_has(space, e);
		alive += ret_healthy[e];
	}
}

#endif
