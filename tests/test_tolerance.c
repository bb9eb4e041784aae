/* SPDX-License-Identifier: BSD-3-Clause */
/* Failures tolerated: a table of cases, and over random groups the same by computing the layout of
 * every set that may fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capacity.h"
#include "error.h"
#include "layout_random.h"
#include "tolerance.h"

struct sets {
	struct profile *profile;
	struct layout_space *spaces[FAMILY_COUNT];
	bool healthy[FAMILY_COUNT][PROFILE_MAX_ELEMENTS];
};

static struct profile_group *
group_of(struct sets *sets)
{
	return &sets->profile->groups[0];
}

static void
open_sets(struct sets *sets, struct profile *profile)
{
	memset(sets, 0, sizeof(*sets));
	sets->profile = profile;
	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		sets->spaces[f] = layout_space_new(group_of(sets), f);
		if (layout_space_units(sets->spaces[f]) == 0) {
			layout_space_free(sets->spaces[f]);
			sets->spaces[f] = NULL;
		}
		for (size_t e = 0; sets->spaces[f] && e < group_of(sets)->element_count; e++)
			sets->healthy[f][e] = layout_space_has(sets->spaces[f], e);
	}
}

static void
close_sets(struct sets *sets)
{
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		layout_space_free(sets->spaces[f]);
	profile_free(sets->profile);
}

/* is_exact: with the loads of layouts, now and after a failure. */
static struct tolerance
find_by(struct sets *sets, bool is_exact)
{
	const struct layout_space *const spaces[FAMILY_COUNT] = { sets->spaces[0],
		sets->spaces[1] };
	const bool *const healthy[FAMILY_COUNT] = { sets->spaces[0] ? sets->healthy[0] : NULL,
		sets->spaces[1] ? sets->healthy[1] : NULL };
	struct capacity_load loads[PROFILE_MAX_ELEMENTS];
	double now[PROFILE_MAX_ELEMENTS], worst[PROFILE_MAX_ELEMENTS];

	capacity_compute(group_of(sets), spaces, healthy, loads);
	for (size_t e = 0; e < group_of(sets)->element_count; e++) {
		now[e] = loads[e].wanted;
		worst[e] = loads[e].worst;
	}
	return tolerance_compute(
	    group_of(sets), spaces, healthy, is_exact ? now : NULL, is_exact ? worst : NULL);
}

static struct tolerance
find(struct sets *sets)
{
	return find_by(sets, true);
}

/* ---- cases ---- */

static void
nothing(struct sets *sets)
{
	(void)sets;
}

static void
require_three(struct sets *sets)
{
	group_of(sets)->signal[FAMILY_IPV4].min_alive = 3;
	group_of(sets)->signal[FAMILY_IPV4].has_failed = true;
}

/* Without a failed route nothing hangs on it. */
static void
count_three(struct sets *sets)
{
	group_of(sets)->signal[FAMILY_IPV4].min_alive = 3;
}

static void
lose_one(struct sets *sets)
{
	require_three(sets);
	sets->healthy[FAMILY_IPV4][2] = false;
}

static void
lose_two(struct sets *sets)
{
	lose_one(sets);
	sets->healthy[FAMILY_IPV4][3] = false;
}

static void
share_host(struct sets *sets)
{
	for (size_t e = 0; e < 2; e++)
		group_of(sets)->elements[e].failure_domain = xstrdup("host-a");
}

static void
share_host_and_require(struct sets *sets)
{
	share_host(sets);
	require_three(sets);
}

static void
limit_loads(struct sets *sets, uint64_t milli)
{
	group_of(sets)->unit_load_milli = 1000;
	for (size_t e = 0; e < group_of(sets)->element_count; e++)
		group_of(sets)->elements[e].capacity_milli = milli;
}

/* 64 units on four elements are 16 each, on three 21.3, on two 32. */
static void
limit_to_22(struct sets *sets)
{
	limit_loads(sets, 22000);
}

static void
limit_to_21(struct sets *sets)
{
	limit_loads(sets, 21000);
}

static void
limit_to_15(struct sets *sets)
{
	limit_loads(sets, 15000);
}

static void
limit_to_40_and_share(struct sets *sets)
{
	share_host(sets);
	limit_loads(sets, 40000);
}

static void
limit_to_31_and_share(struct sets *sets)
{
	share_host(sets);
	limit_loads(sets, 31000);
}

static void
lose_all(struct sets *sets)
{
	memset(sets->healthy, 0, sizeof(sets->healthy));
}

static const struct {
	const char *name;
	size_t elements;
	void (*prepare)(struct sets *sets);
	unsigned failures;
	enum tolerance_limit limit;
} cases[] = {
	{ "the last one goes on", 4, nothing, 3, TOLERANCE_NOBODY },
	{ "one alone", 1, nothing, 0, TOLERANCE_NOBODY },
	{ "nobody", 4, lose_all, 0, TOLERANCE_ALREADY },
	{ "min-alive", 4, require_three, 1, TOLERANCE_MIN_ALIVE },
	{ "min-alive without a route", 4, count_three, 3, TOLERANCE_NOBODY },
	{ "min-alive, one out", 4, lose_one, 0, TOLERANCE_MIN_ALIVE },
	{ "below min-alive", 4, lose_two, 0, TOLERANCE_ALREADY },
	{ "one host has two", 4, share_host, 2, TOLERANCE_NOBODY },
	{ "min-alive, and one host has two", 4, share_host_and_require, 0, TOLERANCE_MIN_ALIVE },
	{ "capacity for one failure", 4, limit_to_22, 1, TOLERANCE_CAPACITY },
	{ "for none", 4, limit_to_21, 0, TOLERANCE_CAPACITY },
	{ "not even for that", 4, limit_to_15, 0, TOLERANCE_ALREADY },
	{ "capacity for one host", 4, limit_to_40_and_share, 1, TOLERANCE_CAPACITY },
	{ "for none", 4, limit_to_31_and_share, 0, TOLERANCE_CAPACITY },
	{ "capacity for many, of many", 32, limit_to_22, 2, TOLERANCE_SEARCH },
};

static struct profile *
make_equal(size_t elements)
{
	struct profile *profile = build_profile();

	build_pool(profile, "10.0.0.0/24", 30, 0, PROFILE_EPOCH_NONE);
	build_equal(profile, elements);
	profile_sort(profile);
	return profile;
}

static void
test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tolerance have, about;
		struct sets sets;

		open_sets(&sets, make_equal(cases[i].elements));
		cases[i].prepare(&sets);
		have = find(&sets);
		if (have.failures != cases[i].failures || have.limit != cases[i].limit)
			fail_msg("%s: %u, %s", cases[i].name, have.failures,
			    tolerance_limit_names[have.limit]);
		about = find_by(&sets, false); /* no load is within a unit of its limit */
		if (about.failures != have.failures || about.limit != have.limit)
			fail_msg("%s, by shares: %u, %s", cases[i].name, about.failures,
			    tolerance_limit_names[about.limit]);
		close_sets(&sets);
	}
}

/* ---- against layouts ---- */

/* The most that an element carries above its capacity with these out (bits), in units; -1e9 where
 * nobody is left. */
static double
find_excess(struct sets *sets, unsigned out)
{
	const struct profile_group *group = group_of(sets);
	double loads[PROFILE_MAX_ELEMENTS] = { 0 }, excess = -1e9;

	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		bool healthy[PROFILE_MAX_ELEMENTS];
		struct layout *layout;

		for (size_t e = 0; e < group->element_count; e++)
			healthy[e] = sets->healthy[f][e] && !(out >> e & 1);
		layout = sets->spaces[f] ? layout_compute(sets->spaces[f], healthy, 0) : NULL;
		for (size_t e = 0; layout && e < group->element_count; e++)
			loads[e] += layout_share(layout, e);
		layout_free(layout);
	}
	for (size_t e = 0; e < group->element_count; e++) {
		double above = loads[e] - (double)group->elements[e].capacity_milli / 1000;

		if (group->elements[e].capacity_milli && above > excess)
			excess = above;
	}
	return excess;
}

/* Over all sets of so many. */
static double
find_worst(struct sets *sets, unsigned failures)
{
	double worst = -1e9;

	for (unsigned out = 0; out < 1u << group_of(sets)->element_count; out++) {
		double excess;

		if ((unsigned)__builtin_popcount(out) != failures)
			continue;
		excess = find_excess(sets, out);
		if (excess > worst)
			worst = excess;
	}
	return worst;
}

/* So many are well but for rounding, a unit a family; one more are not. */
static void
test_layouts(void **state)
{
	struct random random = random_begin("tolerance");
	unsigned capacities = 0;

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct profile *profile = random_profile(&random, 6, 64);
		struct tolerance have;
		struct sets sets;

		open_sets(&sets, profile);
		group_of(&sets)->unit_load_milli = 1000;
		for (size_t e = 0; e < group_of(&sets)->element_count; e++)
			group_of(&sets)->elements[e].capacity_milli =
			    1000 * random_below(&random, 100);
		have = find_by(&sets, round % 2);
		if (have.limit == TOLERANCE_CAPACITY) {
			capacities++;
			assert_true(find_worst(&sets, have.failures) < 2);
			assert_true(find_worst(&sets, have.failures + 1) > -2);
		} else if (have.limit == TOLERANCE_NOBODY) {
			assert_true(find_worst(&sets, have.failures) < 2);
		}
		close_sets(&sets);
	}
	assert_true(capacities > 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_layouts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
