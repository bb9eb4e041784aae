/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans: the edits between two sets, the override against a static base of any shape, and what a
 * filter makes of lists. The oracle for the last two is the filter itself: take addresses one by
 * one and look through the terms in order. Random cases print their seed (SEED=n repeats them).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "layout_build.h"
#include "layout_random.h"
#include "plan.h"
#include "plan_kit.h"

/* "+a 10.0.0.0/8 -b 11.0.0.0/8". Owned by the caller. */
static char *
print_plan(const struct plan *plan)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_edit *edit = &plan->edits[i];
		char prefix[PREFIX_TEXT_SIZE];
		char *next = xasprintf("%s%s%c%s %s", text, i ? " " : "", edit->remove ? '-' : '+',
		    edit->list, prefix_format(&edit->item, prefix));

		free(text);
		text = next;
	}
	return text;
}

static void
test_make(void **state)
{
	static const struct {
		const char *name, *have, *want, *plan;
	} tests[] = {
		{ "nothing", "", "", "" },
		{ "all is well", "a 10.0.0.0/8 b", "a 10.0.0.0/8 b", "" },
		{ "an absent list is empty", "", "a", "" },
		{ "first entries", "", "a 10.0.0.0/8 11.0.0.0/8", "+a 10.0.0.0/8 +a 11.0.0.0/8" },
		{ "clear a list", "a 10.0.0.0/8 11.0.0.0/8", "a", "-a 10.0.0.0/8 -a 11.0.0.0/8" },
		{ "a list that is not wanted is not ours", "z 10.0.0.0/8", "a", "" },
		{ "from one list to another", "a 10.0.0.0/8 b", "a b 10.0.0.0/8",
		    "-a 10.0.0.0/8 +b 10.0.0.0/8" },
		{ "by prefix inside a list", "a 10.0.0.0/8 12.0.0.0/8 13.0.0.0/8",
		    "a 11.0.0.0/8 12.0.0.0/8 14.0.0.0/8",
		    "-a 10.0.0.0/8 +a 11.0.0.0/8 -a 13.0.0.0/8 +a 14.0.0.0/8" },
		{ "other length", "a 10.0.0.0/8", "a 10.0.0.0/9", "-a 10.0.0.0/8 +a 10.0.0.0/9" },
		{ "both families", "a 10.0.0.0/8", "a 2001:db8::/32",
		    "-a 10.0.0.0/8 +a 2001:db8::/32" },
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct listset have = fill(tests[i].have), want = fill(tests[i].want);
		struct plan plan;
		char *text;

		plan_make(&have, &want, &plan);
		text = print_plan(&plan);
		if (strcmp(text, tests[i].plan) != 0)
			fail_msg(
			    "%s: \"%s\", should be \"%s\"", tests[i].name, text, tests[i].plan);
		assert_int_equal(plan.adds + plan.removes, plan.count);
		for (size_t edit = 0; edit < plan.count; edit++) {
			assert_true(plan_touches(&plan, plan.edits[edit].list, NULL));
			assert_true(
			    plan_touches(&plan, plan.edits[edit].list, &plan.edits[edit].item));
		}
		assert_false(plan_touches(&plan, "aa", NULL));
		assert_false(plan_touches(&plan, "a", &(struct prefix){ .length = 9 }));
		free(text);
		plan_done(&plan);
		listset_done(&have);
		listset_done(&want);
	}
}

/* ---- override and effective: tables ---- */

/* Two elements, fw01 and fw02, four units of 10.0.0.0/26; base: fw01 fw02 fw01 fw02. */
struct small {
	struct profile *profile;
	struct layout_space *space;
};

static struct small
make_small(void)
{
	struct small small = { .profile = build_profile() };

	build_pool(small.profile, "10.0.0.0/26", 28, 0, PROFILE_EPOCH_NONE);
	build_equal(small.profile, 2);
	profile_sort(small.profile);
	small.space = layout_space_new(&small.profile->groups[0], FAMILY_IPV4);
	return small;
}

static void
free_small(struct small *small)
{
	layout_space_free(small->space);
	profile_free(small->profile);
}

/* A successor has taken over the lists of fw01, which sorts before it: the terms are its own. */
static void
test_successor(void **state)
{
	struct profile *profile = build_profile();
	struct profile_group *group = &profile->groups[0];
	struct profile_element_family *old, *new;
	struct layout_space *space;
	struct listset base = fill("fw01-base-v4 10.0.0.0/28 fw02-base-v4 10.0.0.16/28"),
	               have = fill("fw01-ovr-v4 10.0.0.16/28 fw02-ovr-v4"), want = { 0 };
	const bool healthy[2] = { false, true };
	uint8_t owner[2];
	struct layout *layout;

	build_pool(profile, "10.0.0.0/27", 28, 0, PROFILE_EPOCH_NONE);
	build_equal(profile, 2);
	profile_sort(profile);
	old = &group->elements[0].family[FAMILY_IPV4];
	new = &group->elements[1].family[FAMILY_IPV4];
	group->elements[0].removed = true;
	free(new->base_list);
	free(new->override_list);
	new->base_list = xstrdup(old->base_list);
	new->override_list = xstrdup(old->override_list);
	space = layout_space_new(group, FAMILY_IPV4);
	plan_effective(space, &base, &have, owner);
	assert_int_equal(owner[0], 1);
	assert_int_equal(owner[1], 1);
	assert_int_equal(plan_owner_at(space, &base, &have, &base.lists[0].items[0].address), 1);
	layout = layout_compute(space, healthy, 0);
	plan_override(layout, &base, &want);
	assert_int_equal(listset_find(&want, "fw01-ovr-v4")->count, 1); /* 10.0.0.16/28 alone */
	layout_free(layout);
	layout_space_free(space);
	profile_free(profile);
	listset_done(&base);
	listset_done(&have);
	listset_done(&want);
}

static void
test_override(void **state)
{
	static const struct {
		const char *name, *base, *want;
		bool healthy[2];
	} tests[] = {
		{ "base as the profile says",
		    "fw01-base-v4 10.0.0.0/28 10.0.0.32/28 fw02-base-v4 10.0.0.16/28 10.0.0.48/28",
		    "fw01-ovr-v4 fw02-ovr-v4", { true, true } },
		{ "one failed",
		    "fw01-base-v4 10.0.0.0/28 10.0.0.32/28 fw02-base-v4 10.0.0.16/28 10.0.0.48/28",
		    "fw01-ovr-v4 fw02-ovr-v4 10.0.0.0/28 10.0.0.32/28", { false, true } },
		{ "nobody healthy, nothing said",
		    "fw01-base-v4 10.0.0.0/28 10.0.0.32/28 fw02-base-v4 10.0.0.16/28 10.0.0.48/28",
		    "fw01-ovr-v4 fw02-ovr-v4", { false, false } },
		{ "no static base", "",
		    "fw01-ovr-v4 10.0.0.0/28 10.0.0.32/28 fw02-ovr-v4 10.0.0.16/28 10.0.0.48/28",
		    { true, true } },
		{ "empty static base, sentinels",
		    "fw01-base-v4 192.0.2.255/32 fw02-base-v4 192.0.2.255/32",
		    "fw01-ovr-v4 10.0.0.0/28 10.0.0.32/28 fw02-ovr-v4 10.0.0.16/28 10.0.0.48/28",
		    { true, true } },
		{ "static base of bigger units",
		    "fw01-base-v4 10.0.0.0/27 fw02-base-v4 10.0.0.32/27",
		    "fw01-ovr-v4 10.0.0.32/28 fw02-ovr-v4 10.0.0.16/28", { true, true } },
		{ "static base of smaller units, whole",
		    "fw01-base-v4 10.0.0.0/29 10.0.0.8/29 10.0.0.32/28 fw02-base-v4 10.0.0.16/28 "
		    "10.0.0.48/28",
		    "fw01-ovr-v4 fw02-ovr-v4", { true, true } },
		{ "static base of smaller units, with a hole",
		    "fw01-base-v4 10.0.0.0/29 10.0.0.8/30 10.0.0.32/28 fw02-base-v4 10.0.0.16/28 "
		    "10.0.0.48/28",
		    "fw01-ovr-v4 10.0.0.0/28 fw02-ovr-v4", { true, true } },
		{ "a part belongs to an earlier element",
		    "fw01-base-v4 10.0.0.0/28 10.0.0.20/32 10.0.0.32/28 fw02-base-v4 10.0.0.16/28 "
		    "10.0.0.48/28",
		    "fw01-ovr-v4 fw02-ovr-v4 10.0.0.16/28", { true, true } },
		{ "a part belongs to a later element: the earlier one wins",
		    "fw01-base-v4 10.0.0.0/28 10.0.0.32/28 fw02-base-v4 10.0.0.0/30 10.0.0.16/28 "
		    "10.0.0.48/28",
		    "fw01-ovr-v4 fw02-ovr-v4", { true, true } },
		{ "everything in both lists", "fw01-base-v4 0.0.0.0/0 fw02-base-v4 0.0.0.0/0",
		    "fw01-ovr-v4 fw02-ovr-v4 10.0.0.16/28 10.0.0.48/28", { true, true } },
		{ "the other family does not count",
		    "fw01-base-v4 ::/0 10.0.0.0/27 fw02-base-v4 10.0.0.32/27 2001:db8::/32",
		    "fw01-ovr-v4 10.0.0.32/28 fw02-ovr-v4 10.0.0.16/28", { true, true } },
		{ "foreign lists do not count", "aaa 10.0.0.0/8 fw01-base-v4 10.0.0.0/8",
		    "fw01-ovr-v4 fw02-ovr-v4 10.0.0.16/28 10.0.0.48/28", { true, true } },
		{ "static override items match first",
		    "fw01-base-v4 10.0.0.0/26 fw02-ovr-v4 10.0.0.16/28",
		    "fw01-ovr-v4 fw02-ovr-v4 10.0.0.48/28", { true, true } },
	};
	struct small small = make_small();

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct listset base = fill(tests[i].base), want = fill(tests[i].want), have = { 0 };
		struct layout *layout = layout_compute(small.space, tests[i].healthy, 0);

		plan_override(layout, &base, &have);
		listset_sort(&have);
		if (!listset_equal(&have, &want))
			fail_msg("%s", tests[i].name);
		listset_done(&base);
		listset_done(&want);
		listset_done(&have);
		layout_free(layout);
	}
	free_small(&small);
}

static void
test_effective(void **state)
{
	static const struct {
		const char *name, *base, *ephemeral;
		uint8_t want[4];
	} tests[] = {
		{ "nothing at all", "", "",
		    { LAYOUT_NONE, LAYOUT_NONE, LAYOUT_NONE, LAYOUT_NONE } },
		{ "base alone", "fw01-base-v4 10.0.0.0/27 fw02-base-v4 10.0.0.32/28", "",
		    { 0, 0, 1, LAYOUT_NONE } },
		{ "override before base", "fw01-base-v4 10.0.0.0/26", "fw02-ovr-v4 10.0.0.16/28",
		    { 0, 1, 0, 0 } },
		{ "overrides in element order", "fw02-base-v4 10.0.0.0/26",
		    "fw01-ovr-v4 10.0.0.0/28 fw02-ovr-v4 10.0.0.0/27", { 0, 1, 1, 1 } },
		{ "parts differ", "fw01-base-v4 10.0.0.0/26", "fw02-ovr-v4 10.0.0.18/31",
		    { 0, LAYOUT_NONE, 0, 0 } },
		{ "parts that agree in the end", "fw01-base-v4 10.0.0.0/26",
		    "fw01-ovr-v4 10.0.0.18/31 fw02-ovr-v4 192.0.2.255/32", { 0, 0, 0, 0 } },
		{ "ephemeral items join the static list", "fw01-base-v4 10.0.0.0/28",
		    "fw01-base-v4 10.0.0.48/28", { 0, LAYOUT_NONE, LAYOUT_NONE, 0 } },
		{ "one list in pieces from both", "fw01-base-v4 10.0.0.0/29",
		    "fw01-base-v4 10.0.0.8/29", { 0, LAYOUT_NONE, LAYOUT_NONE, LAYOUT_NONE } },
		{ "the whole space", "fw02-base-v4 0.0.0.0/0 128.0.0.0/1 255.255.255.255/32",
		    "fw01-ovr-v4 10.0.0.0/28", { 0, 1, 1, 1 } },
	};
	struct small small = make_small();

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct listset base = fill(tests[i].base), ephemeral = fill(tests[i].ephemeral);
		uint8_t have[4];

		plan_effective(small.space, &base, &ephemeral, have);
		for (size_t unit = 0; unit < 4; unit++)
			if (have[unit] != tests[i].want[unit])
				fail_msg("%s: unit %zu: %u, should be %u", tests[i].name, unit,
				    have[unit], tests[i].want[unit]);
		listset_done(&base);
		listset_done(&ephemeral);
	}
	free_small(&small);
}

/* ---- random cases ---- */

/* Items of a that are not in b, over the lists of a that are in names. */
static size_t
count_missing(const struct listset *a, const struct listset *b, const struct listset *names)
{
	size_t missing = 0;

	for (size_t i = 0; i < a->count; i++) {
		const struct prefix_list *other = listset_find(b, a->lists[i].name);

		if (!listset_find(names, a->lists[i].name))
			continue;
		for (size_t j = 0; j < a->lists[i].count; j++)
			if (!other || !prefix_list_has(other, &a->lists[i].items[j]))
				missing++;
	}
	return missing;
}

/* After the plan every unit is where the layout says, whatever the static base is. */
static void
check_plan(struct random *random, const struct layout *layout)
{
	const struct layout_space *space = layout_get_space(layout);
	struct listset base = random_base(random, space), have = { 0 }, want = { 0 };
	const struct listset *const sets[] = { &base, &have };
	size_t units = layout_space_units(space);
	uint8_t *effective = xcalloc(units, 1);
	struct prefix foreign = layout_space_unit(space, 0);
	struct plan plan;

	add_random_lists(random, space, true, &have);
	prefix_list_add(listset_list(&have, "foreign"), &foreign);
	listset_sort(&have);
	plan_effective(space, &base, &have, effective);
	for (size_t unit = 0; unit < units; unit++) {
		struct prefix prefix = layout_space_unit(space, unit);

		assert_int_equal(effective[unit], match_prefix(space, sets, 2, &prefix));
	}

	plan_override(layout, &base, &want);
	listset_sort(&want);
	plan_make(&have, &want, &plan);
	assert_int_equal(plan.adds, count_missing(&want, &have, &want));
	assert_int_equal(plan.removes, count_missing(&have, &want, &want));
	apply(&plan, &have);
	plan_done(&plan);

	plan_make(&have, &want, &plan);
	assert_int_equal(plan.count, 0);
	plan_done(&plan);
	assert_int_equal(listset_find(&have, "foreign")->count, 1);
	plan_effective(space, &base, &have, effective);
	for (size_t unit = 0; unit < units; unit++)
		assert_int_equal(effective[unit], layout_unit_owner(layout, unit));
	for (size_t unit = 0; unit < units; unit++) {
		struct prefix prefix = layout_space_unit(space, unit);
		uint8_t owner = layout_unit_owner(layout, unit);
		const struct profile_element *element = &layout_space_group(space)->elements[owner];
		const char *name = element->family[layout_space_family(space)].override_list;
		const struct listset *const only_base[] = { &base };

		/* no entry without need */
		if (match_prefix(space, only_base, 1, &prefix) == owner)
			assert_false(prefix_list_has(listset_find(&want, name), &prefix));
	}
	free(effective);
	listset_done(&base);
	listset_done(&have);
	listset_done(&want);
}

static void
test_random(void **state)
{
	struct random random = random_begin("test_plan");

	for (unsigned round = 0; round < 2000; round++) {
		struct profile *profile = random_profile(&random, 8, 64);
		enum family family = (enum family)random_below(&random, FAMILY_COUNT);
		struct layout_space *space = layout_space_new(&profile->groups[0], family);
		bool healthy[PROFILE_MAX_ELEMENTS];
		struct layout *layout;

		random_healthy(&random, space, healthy);
		layout = layout_compute(space, healthy, 0);
		if (layout_space_units(space) > 0)
			check_plan(&random, layout);
		layout_free(layout);
		layout_space_free(space);
		profile_free(profile);
	}
}

/* Pieces of a split unit are overridden one by one. */
static void
test_split(void **state)
{
	struct profile *profile = build_profile();
	const bool healthy[] = { false, true, true, true };
	struct listset base = { 0 }, want = { 0 };
	const struct listset *const sets[] = { &base, &want };
	struct layout_space *space;
	struct layout *layout;
	struct random random = { 1 };

	build_pool(profile, "10.0.0.0/24", 28, 0, PROFILE_EPOCH_NONE);
	build_equal(profile, 4);
	profile_sort(profile);
	space = layout_space_new(&profile->groups[0], FAMILY_IPV4);
	layout = layout_compute(space, healthy, 2);
	assert_true(layout_pieces(layout) > layout_space_units(space));
	add_base_lists(&random, space, 0, &base);
	listset_sort(&base);
	plan_override(layout, &base, &want);
	listset_sort(&want);
	for (size_t i = 0; i < layout_pieces(layout); i++) {
		struct layout_piece piece = layout_piece(layout, i);

		assert_int_equal(match_address(space, sets, 2, &piece.prefix.address), piece.owner);
	}
	listset_done(&base);
	listset_done(&want);
	layout_free(layout);
	layout_space_free(space);
	profile_free(profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_make),
		cmocka_unit_test(test_override),
		cmocka_unit_test(test_successor),
		cmocka_unit_test(test_effective),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
