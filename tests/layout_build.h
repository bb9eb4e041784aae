/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds small profiles by hand for the tests of layout, plan and the bench: one group, elements
 * that serve both families. No checks: what a test asks for, it gets. Free with profile_free.
 */
#ifndef AUTOFBF_TESTS_LAYOUT_BUILD_H
#define AUTOFBF_TESTS_LAYOUT_BUILD_H

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "profile.h"

static inline struct profile *
build_profile(void)
{
	struct profile *profile = xcalloc(1, sizeof(*profile));

	profile->groups = xcalloc(1, sizeof(*profile->groups));
	profile->group_count = 1;
	profile->groups[0].id = xstrdup("g");
	profile->groups[0].name = xstrdup("g");
	return profile;
}

static inline void
build_pool(struct profile *profile, const char *prefix, unsigned unit_length, uint32_t since,
    uint32_t until)
{
	struct profile_group *group = &profile->groups[0];
	struct profile_pool pool = {
		.unit_length = (uint8_t)unit_length, .since = since, .until = until
	};

	if (prefix_parse(prefix, &pool.prefix) < 0)
		fatal("bad pool %s", prefix);
	group->pools = xreallocarray(group->pools, group->pool_count + 1, sizeof(pool));
	group->pools[group->pool_count++] = pool;
}

/* Valid until the next call. */
static inline struct profile_element *
build_element(struct profile *profile, const char *id)
{
	struct profile_group *group = &profile->groups[0];
	struct profile_element *element;

	group->elements =
	    xreallocarray(group->elements, group->element_count + 1, sizeof(*element));
	element = &group->elements[group->element_count++];
	*element = (struct profile_element){ .id = xstrdup(id), .name = xstrdup(id) };
	for (int f = 0; f < FAMILY_COUNT; f++) {
		element->family[f].present = true;
		element->family[f].base_list = xasprintf("%s-base-%s", id, family_tags[f]);
		element->family[f].override_list = xasprintf("%s-ovr-%s", id, family_tags[f]);
	}
	return element;
}

/* The failed-weight follows the weight of the latest epoch, as it does by default. */
static inline void
build_weight(struct profile_element *element, uint32_t epoch, unsigned weight)
{
	bool is_last = true;

	for (size_t i = 0; i < element->weight_count; i++)
		is_last = is_last && element->weights[i].epoch < epoch;
	element->weights =
	    xreallocarray(element->weights, element->weight_count + 1, sizeof(*element->weights));
	element->weights[element->weight_count++] =
	    (struct profile_weight){ .epoch = epoch, .weight = (uint16_t)weight };
	if (is_last)
		element->failed_weight = (uint16_t)weight;
}

/* "fw01", "fw02", ...: count elements of weight 1. */
static inline void
build_equal(struct profile *profile, unsigned count)
{
	for (unsigned i = 1; i <= count; i++) {
		char id[16];

		snprintf(id, sizeof(id), "fw%02u", i);
		build_weight(build_element(profile, id), 0, 1);
	}
}

/* Index in group->elements, after profile_sort. */
static inline size_t
find_element(const struct profile_group *group, const char *id)
{
	for (size_t i = 0; i < group->element_count; i++)
		if (strcmp(group->elements[i].id, id) == 0)
			return i;
	fatal("no element %s", id);
}

#endif
