/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans and owners below the size of a unit: overrides of split units, static bases of other
 * lengths, shares in fractions, one address, units that are not where they should be. The oracle is
 * the filter (plan_kit.h), asked for sixteen addresses of every unit. Random cases print their seed
 * (SEED=n repeats them).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "layout_build.h"
#include "layout_random.h"
#include "plan.h"
#include "plan_kit.h"

enum { PARTS_BITS = 4, PARTS = 1 << PARTS_BITS }; /* no list of these tests cuts units finer */

/* ---- tables ---- */

/* Two elements, fw01 and fw02, four units of 10.0.0.0/26; base: fw01 fw02 fw01 fw02. */
struct small {
	struct profile *profile;
	struct layout_space *space;
	struct layout *layout; /* both are healthy */
};

static struct small
make_small(void)
{
	static const bool both[] = { true, true };
	struct small small = { .profile = build_profile() };

	build_pool(small.profile, "10.0.0.0/26", 28, 0, PROFILE_EPOCH_NONE);
	build_equal(small.profile, 2);
	profile_sort(small.profile);
	small.space = layout_space_new(&small.profile->groups[0], FAMILY_IPV4);
	small.layout = layout_compute(small.space, both, 0);
	return small;
}

static void
free_small(struct small *small)
{
	layout_free(small->layout);
	layout_space_free(small->space);
	profile_free(small->profile);
}

#define BASE_1 "fw01-base-v4 10.0.0.0/28 10.0.0.32/28"
#define BASE_2 "fw02-base-v4 10.0.0.16/28 10.0.0.48/28"

struct parts {
	const struct layout_space *space;
	double share[PROFILE_MAX_ELEMENTS];
	struct ip last; /* of the part before */
	bool has_any;
};

static void
add_part(void *arg, const struct prefix *prefix, uint8_t owner)
{
	struct parts *parts = arg;
	size_t at = layout_space_find(parts->space, &prefix->address);
	struct prefix unit = layout_space_unit(parts->space, at);

	assert_true(prefix_contains(&unit, prefix));
	assert_true(!parts->has_any || ip_compare(&parts->last, &prefix->address) < 0);
	parts->last = prefix_last(prefix);
	parts->has_any = true;
	parts->share[owner] += 1.0 / (double)((uint64_t)1 << (prefix->length - unit.length));
}

/* The parts add up to the shares. */
static void
check_parts(const struct layout_space *space, const struct listset *base,
    const struct listset *have, const double *share)
{
	struct parts parts = { .space = space };

	plan_each_part(space, base, have, add_part, &parts);
	for (size_t e = 0; e < layout_space_group(space)->element_count; e++)
		assert_true(parts.share[e] == share[e]);
}

static void
test_shares(void **state)
{
	static const struct {
		const char *name, *base, *ephemeral;
		double want[2];
		size_t misplaced;
	} tests[] = {
		{ "nothing at all", "", "", { 0, 0 }, 4 },
		{ "base alone", BASE_1 " " BASE_2, "", { 2, 2 }, 0 },
		{ "a whole unit elsewhere", BASE_1 " " BASE_2, "fw02-ovr-v4 10.0.0.0/28", { 1, 3 },
		    1 },
		{ "half a unit", BASE_1 " " BASE_2, "fw02-ovr-v4 10.0.0.0/29", { 1.5, 2.5 }, 1 },
		{ "one address of sixteen", BASE_1 " " BASE_2, "fw01-ovr-v4 10.0.0.31/32",
		    { 2.0625, 1.9375 }, 1 },
		{ "both halves of one unit elsewhere: one unit", BASE_1 " " BASE_2,
		    "fw02-ovr-v4 10.0.0.0/29 10.0.0.8/29", { 1, 3 }, 1 },
		{ "halves of two units", BASE_1 " " BASE_2, "fw02-ovr-v4 10.0.0.0/29 10.0.0.40/29",
		    { 1, 3 }, 2 },
		{ "an override that says what the base says", BASE_1 " " BASE_2,
		    "fw01-ovr-v4 10.0.0.0/29", { 2, 2 }, 0 },
		{ "a hole in the base", "fw01-base-v4 10.0.0.0/28 10.0.0.32/29 " BASE_2, "",
		    { 1.5, 2 }, 1 },
		{ "bigger entries, and what is outside of the pool does not count",
		    "fw01-base-v4 10.0.0.0/8 fw02-base-v4 0.0.0.0/0", "", { 4, 0 }, 2 },
		{ "sentinels do not count", BASE_1 " " BASE_2,
		    "fw01-ovr-v4 192.0.2.255/32 fw02-ovr-v4 192.0.2.255/32", { 2, 2 }, 0 },
		{ "signal routes do not count", BASE_1 " " BASE_2,
		    LISTSET_SIGNAL_ROUTES " 10.0.0.0/32", { 2, 2 }, 0 },
	};
	struct small small = make_small();

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct listset base = fill(tests[i].base), ephemeral = fill(tests[i].ephemeral);
		double share[2] = { -1, -1 };

		plan_effective_share(small.space, &base, &ephemeral, share);
		check_parts(small.space, &base, &ephemeral, share);
		if (share[0] != tests[i].want[0] || share[1] != tests[i].want[1])
			fail_msg("%s: %g and %g", tests[i].name, share[0], share[1]);
		if (plan_misplaced(small.layout, &base, &ephemeral) != tests[i].misplaced)
			fail_msg("%s: %zu misplaced", tests[i].name,
			    plan_misplaced(small.layout, &base, &ephemeral));
		listset_done(&base);
		listset_done(&ephemeral);
	}
	free_small(&small);
}

static void
test_owner_at(void **state)
{
	static const char base_text[] = BASE_1 " " BASE_2 " fw02-base-v6 2001:db8::/32",
	                  ephemeral_text[] = "fw01-ovr-v4 10.0.0.20/30 fw02-ovr-v4 10.0.0.0/29 "
	                                     "10.0.0.16/28 192.0.2.255/32";
	static const struct {
		const char *address;
		uint8_t want;
	} tests[] = {
		{ "10.0.0.0", 1 },
		{ "10.0.0.7", 1 },
		{ "10.0.0.8", 0 },
		{ "10.0.0.15", 0 },
		{ "10.0.0.19", 1 },
		{ "10.0.0.20", 0 }, /* the earlier of two override terms */
		{ "10.0.0.23", 0 },
		{ "10.0.0.24", 1 },
		{ "10.0.0.32", 0 },
		{ "10.0.0.63", 1 },
		{ "10.0.0.64", LAYOUT_NONE },
		{ "9.255.255.255", LAYOUT_NONE },
		{ "192.0.2.255", 1 }, /* what a filter would do */
		{ "2001:db8::1", LAYOUT_NONE },
	};
	struct small small = make_small();
	struct listset base = fill(base_text), ephemeral = fill(ephemeral_text);

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		uint8_t have;
		struct ip ip;

		assert_int_equal(ip_parse(tests[i].address, &ip), 0);
		have = plan_owner_at(small.space, &base, &ephemeral, &ip);
		if (have != tests[i].want)
			fail_msg("%s: %u", tests[i].address, have);
	}
	listset_done(&base);
	listset_done(&ephemeral);
	free_small(&small);
}

/* Nobody is healthy: nothing is wanted, so nothing is out of place. */
static void
test_misplaced_nobody(void **state)
{
	static const bool none[] = { false, false };
	struct small small = make_small();
	struct layout *layout = layout_compute(small.space, none, 0);
	struct listset base = fill(BASE_2), empty = { 0 };

	assert_int_equal(plan_misplaced(layout, &base, &empty), 0);
	listset_done(&base);
	layout_free(layout);
	free_small(&small);
}

/* Three of four survive and 5 1/3 units each are theirs: one unit is split in four, and its pieces
 * are entries of the override lists. Only those that the static base has wrong are. */
static void
test_override_pieces(void **state)
{
	static const bool healthy[] = { false, true, true, true };
	struct profile *profile = build_profile();
	struct layout_space *space;
	struct layout *layout;
	struct listset base = { 0 }, want = { 0 };
	struct random random = { 1 };
	struct prefix_list *list;
	size_t pieces = 0, entries = 0;

	build_pool(profile, "10.0.0.0/24", 28, 0, PROFILE_EPOCH_NONE);
	build_equal(profile, 4);
	profile_sort(profile);
	space = layout_space_new(&profile->groups[0], FAMILY_IPV4);
	layout = layout_compute(space, healthy, 2);
	add_base_lists(&random, space, 0, &base);
	/* one piece is right already */
	for (size_t i = 0; i < layout_pieces(layout); i++) {
		struct layout_piece piece = layout_piece(layout, i);

		if (piece.prefix.length == 30 && pieces++ == 0) {
			list = listset_list(&base,
			    profile->groups[0].elements[piece.owner].family[0].override_list);
			prefix_list_add(list, &piece.prefix);
		}
	}
	listset_sort(&base);
	assert_int_equal(pieces, 4);
	plan_override(layout, &base, &want);
	listset_sort(&want);
	for (size_t l = 0; l < want.count; l++)
		entries += want.lists[l].count;
	assert_int_equal(entries, 3 + 3); /* whole units, pieces */
	listset_done(&base);
	listset_done(&want);
	layout_free(layout);
	layout_space_free(space);
	profile_free(profile);
}

/* Signal routes of both families are a list like any other. */
static void
test_signal_routes(void **state)
{
	struct listset have = fill(LISTSET_SIGNAL_ROUTES " 192.0.2.128/32 192.0.2.130/32 "
	                                                 "fw01-ovr-v4 10.0.0.0/28");
	struct listset want = fill("fw01-ovr-v4 " LISTSET_SIGNAL_ROUTES
	                           " 192.0.2.128/32 192.0.2.129/32 2001:db8::128/128");
	struct listset ours = fill("fw01-ovr-v4");
	struct plan plan;

	plan_make(&have, &want, &plan);
	assert_int_equal(plan.adds, 2);
	assert_int_equal(plan.removes, 2);
	assert_string_equal(plan.edits[0].list, LISTSET_SIGNAL_ROUTES);
	apply(&plan, &have);
	assert_true(listset_equal(&have, &want));
	plan_done(&plan);
	/* a profile without any names no such list and leaves the router's alone */
	plan_make(&have, &ours, &plan);
	assert_int_equal(plan.count, 0);
	plan_done(&plan);
	listset_done(&have);
	listset_done(&want);
	listset_done(&ours);
}

/* ---- random ---- */

/* By the filter: who has each of the parts of a unit. */
static void
match_parts(const struct layout_space *space, const struct listset *const *sets, size_t unit,
    uint8_t ret_owner[PARTS])
{
	struct prefix prefix = layout_space_unit(space, unit);

	for (unsigned k = 0; k < PARTS; k++) {
		struct prefix part = prefix_child(&prefix, prefix.length + PARTS_BITS, k);

		ret_owner[k] = match_address(space, sets, 2, &part.address);
	}
}

/* Who should have them. first: the unit's first piece, moved to that of the next unit. */
static void
want_parts(const struct layout *layout, size_t *first, uint8_t ret_owner[PARTS])
{
	struct layout_piece piece = layout_piece(layout, *first);
	struct prefix unit = layout_space_unit(layout_get_space(layout), piece.unit);
	size_t count = (size_t)1 << (piece.prefix.length - unit.length);

	for (size_t k = 0; k < PARTS; k++)
		ret_owner[k] = layout_piece(layout, *first + k * count / PARTS).owner;
	*first += count;
}

/* Shares, misplaced units and single addresses against the filter. */
static void
check_owners(struct random *random, const struct layout *layout, const struct listset *base,
    const struct listset *have)
{
	const struct layout_space *space = layout_get_space(layout);
	const struct listset *const sets[] = { base, have };
	size_t count = layout_space_group(space)->element_count, misplaced = 0, piece = 0;
	double share[LAYOUT_NONE + 1] = { 0 }, have_share[LAYOUT_NONE + 1];

	for (size_t unit = 0; unit < layout_space_units(space); unit++) {
		struct prefix prefix = layout_space_unit(space, unit);
		struct prefix one =
		    prefix_child(&prefix, prefix.length + 6, random_below(random, 64));
		uint8_t is[PARTS], want[PARTS];

		match_parts(space, sets, unit, is);
		want_parts(layout, &piece, want);
		misplaced += memcmp(is, want, sizeof(is)) != 0;
		for (unsigned k = 0; k < PARTS; k++)
			share[is[k]] += 1.0 / PARTS;
		assert_int_equal(plan_owner_at(space, base, have, &one.address),
		    match_address(space, sets, 2, &one.address));
	}
	plan_effective_share(space, base, have, have_share);
	check_parts(space, base, have, have_share);
	for (size_t e = 0; e < count; e++)
		assert_true(have_share[e] == share[e]);
	assert_int_equal(plan_misplaced(layout, base, have), misplaced);
}

/* No entry without need, none but the layout's own pieces, no base list. */
static void
check_want(const struct layout *layout, const struct listset *base, const struct listset *want)
{
	const struct layout_space *space = layout_get_space(layout);
	const struct listset *const sets[] = { base };
	size_t entries = 0, needed = 0;

	for (size_t i = 0; i < layout_pieces(layout); i++) {
		struct layout_piece piece = layout_piece(layout, i);
		const struct profile_element *owner =
		    &layout_space_group(space)->elements[piece.owner];
		const char *name = owner->family[layout_space_family(space)].override_list;
		bool is_needed = match_prefix(space, sets, 1, &piece.prefix) != piece.owner;

		assert_int_equal(
		    prefix_list_has(listset_find(want, name), &piece.prefix), is_needed);
		needed += is_needed;
	}
	for (size_t l = 0; l < want->count; l++) {
		assert_non_null(strstr(want->lists[l].name, "-ovr-"));
		entries += want->lists[l].count;
	}
	assert_int_equal(entries, needed);
}

static void
check_layout(struct random *random, const struct layout *layout, const struct listset *base,
    struct listset *have)
{
	const struct layout_space *space = layout_get_space(layout);
	size_t count = layout_space_group(space)->element_count;
	double share[LAYOUT_NONE + 1];
	struct listset want = { 0 };
	struct plan plan;

	check_owners(random, layout, base, have);
	plan_override(layout, base, &want);
	listset_sort(&want);
	check_want(layout, base, &want);
	plan_make(have, &want, &plan);
	apply(&plan, have);
	plan_done(&plan);
	check_owners(random, layout, base, have);
	assert_int_equal(plan_misplaced(layout, base, have), 0);
	plan_effective_share(space, base, have, share);
	for (size_t e = 0; e < count; e++)
		assert_true(share[e] == layout_share(layout, e));
	listset_done(&want);
}

/* Failures and recoveries one after another on one router, whose static base is whatever it is. */
static void
play(struct random *random, const struct layout_space *space)
{
	struct listset base = random_base(random, space), have = { 0 };
	bool healthy[PROFILE_MAX_ELEMENTS];

	add_random_lists(random, space, true, &have);
	listset_sort(&have);
	for (unsigned i = 0; i < 4; i++) {
		struct layout *layout;

		random_healthy(random, space, healthy);
		layout = layout_compute_split(space, healthy);
		check_layout(random, layout, &base, &have);
		layout_free(layout);
	}
	listset_done(&base);
	listset_done(&have);
}

static void
test_random(void **state)
{
	struct random random = random_begin("test_plan_pieces");

	for (unsigned round = 0; round < 500; round++) {
		struct profile *profile = random_profile(&random, 8, 64);
		enum family family = (enum family)random_below(&random, FAMILY_COUNT);
		struct layout_space *space;

		random_split(&random, profile, PARTS_BITS);
		space = layout_space_new(&profile->groups[0], family);
		if (layout_space_units(space) > 0)
			play(&random, space);
		layout_space_free(space);
		profile_free(profile);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_owner_at),
		cmocka_unit_test(test_misplaced_nobody),
		cmocka_unit_test(test_override_pieces),
		cmocka_unit_test(test_signal_routes),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
