/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of plans share: sets of lists from words, random static bases and overrides, a
 * plan applied the simple way, and the oracle: the filter itself, which takes one address and looks
 * through the terms in order. Include after cmocka.h.
 */
#ifndef AUTOFBF_TESTS_PLAN_KIT_H
#define AUTOFBF_TESTS_PLAN_KIT_H

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout_random.h"
#include "plan.h"

/* A set from words: "name" begins a list, the rest are its items. Sorted. */
static inline struct listset
fill(const char *text)
{
	struct listset set = { 0 };
	struct prefix_list *list = NULL;
	char *copy = xstrdup(text), *save = NULL;

	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		struct prefix prefix;

		if (strchr(word, '/')) {
			assert_int_equal(prefix_parse(word, &prefix), 0);
			prefix_list_add(list, &prefix);
		} else {
			list = listset_list(&set, word);
		}
	}
	free(copy);
	listset_sort(&set);
	return set;
}

/* The filter, one address: the terms in order, each with its items. */
static inline uint8_t
match_address(const struct layout_space *space, const struct listset *const *sets, size_t set_count,
    const struct ip *ip)
{
	const struct profile_group *group = layout_space_group(space);

	for (int layer = 0; layer < 2; layer++)
		for (size_t e = 0; e < group->element_count; e++) {
			const struct profile_element_family *lists =
			    &group->elements[e].family[layout_space_family(space)];

			for (size_t s = 0; s < set_count; s++) {
				const struct prefix_list *list = listset_find(
				    sets[s], layer == 0 ? lists->override_list : lists->base_list);

				for (size_t i = 0; list && i < list->count; i++)
					if (prefix_contains_ip(&list->items[i], ip))
						return (uint8_t)e;
			}
		}
	return LAYOUT_NONE;
}

/* Whole prefix: all addresses of its sub-prefixes that are four bits longer. */
static inline uint8_t
match_prefix(const struct layout_space *space, const struct listset *const *sets, size_t set_count,
    const struct prefix *prefix)
{
	uint8_t first = match_address(space, sets, set_count, &prefix->address);

	for (unsigned i = 1; i < 16; i++) {
		struct prefix part = prefix_child(prefix, prefix->length + 4, i);

		if (match_address(space, sets, set_count, &part.address) != first)
			return LAYOUT_NONE;
	}
	return first;
}

/* Some prefix in or around the pool, up to four bits longer than a unit. */
static inline struct prefix
random_item(struct random *random, const struct layout_space *space)
{
	size_t unit = random_below(random, layout_space_units(space));
	struct prefix prefix = layout_space_unit(space, unit);

	switch (random_below(random, 4)) {
	case 0: /* bigger */
		prefix.length = (uint8_t)(prefix.length - random_below(random, 4));
		for (unsigned bit = prefix.length; bit < family_bits(prefix.address.family); bit++)
			prefix.address.bytes[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
		return prefix;
	case 1: { /* smaller */
		unsigned bits = 1 + (unsigned)random_below(random, 4);

		return prefix_child(
		    &prefix, prefix.length + bits, random_below(random, 1u << bits));
	}
	default:
		return prefix;
	}
}

static inline void
add_random_lists(
    struct random *random, const struct layout_space *space, bool override, struct listset *set)
{
	const struct profile_group *group = layout_space_group(space);

	for (size_t e = 0; e < group->element_count; e++) {
		const struct profile_element_family *lists =
		    &group->elements[e].family[layout_space_family(space)];
		const char *name = override ? lists->override_list : lists->base_list;
		size_t count = random_below(random, 2) ? random_below(random, 40) : 0;

		for (size_t i = 0; i < count; i++) {
			struct prefix item = random_item(random, space);

			prefix_list_add(listset_list(set, name), &item);
		}
	}
}

/* The base of the profile, with some units missing or elsewhere. */
static inline void
add_base_lists(
    struct random *random, const struct layout_space *space, unsigned wrong, struct listset *set)
{
	const struct profile_group *group = layout_space_group(space);

	for (size_t unit = 0; unit < layout_space_units(space); unit++) {
		size_t e = layout_space_base(space, unit);
		struct prefix prefix = layout_space_unit(space, unit);

		if (wrong && random_below(random, wrong) == 0)
			e = random_below(random, group->element_count + 1);
		if (e < group->element_count)
			prefix_list_add(
			    listset_list(set,
			        group->elements[e].family[layout_space_family(space)].base_list),
			    &prefix);
	}
}

static inline struct listset
random_base(struct random *random, const struct layout_space *space)
{
	struct listset set = { 0 };

	switch (random_below(random, 5)) {
	case 0:
		break;
	case 1:
		add_base_lists(random, space, 0, &set);
		break;
	case 2:
		add_base_lists(random, space, 5, &set);
		break;
	case 3:
		add_random_lists(random, space, false, &set);
		break;
	default:
		add_base_lists(random, space, 3, &set);
		add_random_lists(random, space, false, &set);
	}
	listset_sort(&set);
	return set;
}

/* Applies a plan the simple way. */
static inline void
apply(const struct plan *plan, struct listset *set)
{
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_edit *edit = &plan->edits[i];
		struct prefix_list *list = listset_list(set, edit->list);

		if (!edit->remove) {
			prefix_list_add(list, &edit->item);
			continue;
		}
		for (size_t j = 0; j < list->count; j++)
			if (prefix_compare(&list->items[j], &edit->item) == 0) {
				list->items[j] = list->items[--list->count];
				break;
			}
	}
	listset_sort(set);
}

#endif
