/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts under a group's split table: how many bits, what the entry limit does to them, the
 * standby where the next layout is cut finer, shares in fractions, failure domains. Small cases are
 * tables; the rest is random and compared with the second implementation of layout_reference.h, or
 * with a promise: survivors keep what is theirs, a recovery merges what was split, nothing but the
 * profile and the healthy set matters, an element that fails leaves each address to the standby
 * that was published.
 *
 * The seed is printed; SEED=n repeats a run; ROUNDS=n, CHECK_LONG=1 or the argument "long" change
 * its length.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "layout.h"
#include "layout_build.h"
#include "layout_random.h"
#include "layout_reference.h"
#include "layout_reference_set.h"

static unsigned rounds = 1500;

/* ---- tables ---- */

static void
build_split(struct profile *profile, enum family family, unsigned survivors, unsigned bits)
{
	struct profile_group *group = &profile->groups[0];
	size_t count = group->split_count[family]++;

	group->split[family] =
	    xreallocarray(group->split[family], count + 1, sizeof(struct profile_split));
	group->split[family][count] =
	    (struct profile_split){ .survivors = (uint8_t)survivors, .bits = (uint8_t)bits };
}

/* Eight equal elements, 16 units of 10.0.0.0/24; the rows of RULES.md section 4: with three or
 * fewer one bit, with two or fewer two. */
static struct profile *
build_eight(void)
{
	struct profile *profile = build_profile();

	build_pool(profile, "10.0.0.0/24", 28, 0, PROFILE_EPOCH_NONE);
	build_pool(profile, "2001:db8::/60", 64, 0, PROFILE_EPOCH_NONE);
	build_equal(profile, 8);
	build_split(profile, FAMILY_IPV4, 2, 2);
	build_split(profile, FAMILY_IPV4, 3, 1);
	profile_sort(profile);
	return profile;
}

static unsigned
get_bits(const struct layout_space *space, const bool *healthy)
{
	struct layout *layout = layout_compute_split(space, healthy);
	unsigned bits = layout_get_bits(layout);

	layout_free(layout);
	return bits;
}

static void
test_rows(void **state)
{
	/* bits by number of survivors; 16 units: with one everybody's 14 others are displaced */
	static const struct {
		const char *name;
		uint32_t limit;
		unsigned want[9];
	} tests[] = {
		{ "no limit", 0, { 0, 2, 2, 1, 0, 0, 0, 0, 0 } },
		{ "the limit of the router", 85325, { 0, 2, 2, 1, 0, 0, 0, 0, 0 } },
		{ "14 displaced units and the sentinel just fit", 15,
		    { 0, 2, 2, 1, 0, 0, 0, 0, 0 } },
		{ "one entry less", 14, { 0, 0, 2, 1, 0, 0, 0, 0, 0 } },
		{ "nothing fits", 1, { 0 } },
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct profile *profile = build_eight();
		struct layout_space *v4, *v6;

		profile->groups[0].entry_limit = tests[i].limit;
		v4 = layout_space_new(&profile->groups[0], FAMILY_IPV4);
		v6 = layout_space_new(&profile->groups[0], FAMILY_IPV6);
		for (unsigned alive = 0; alive <= 8; alive++) {
			bool healthy[8];

			for (unsigned e = 0; e < 8; e++)
				healthy[e] = e < alive;
			if (get_bits(v4, healthy) != tests[i].want[alive])
				fail_msg("%s: %u alive: %u bits, should be %u", tests[i].name,
				    alive, get_bits(v4, healthy), tests[i].want[alive]);
			assert_int_equal(get_bits(v6, healthy), 0); /* no table */
		}
		layout_space_free(v4);
		layout_space_free(v6);
		profile_free(profile);
	}
}

/* 16 units over three survivors: 5 1/3 each. With one bit 32 children: 11, 11 and 10. */
static void
test_shares(void **state)
{
	struct profile *profile = build_eight();
	struct layout_space *space = layout_space_new(&profile->groups[0], FAMILY_IPV4);
	const bool healthy[8] = { true, false, false, true, false, false, true, false };
	struct layout *layout = layout_compute_split(space, healthy);
	double sum = 0;
	unsigned halves = 0;

	assert_int_equal(layout_get_bits(layout), 1);
	assert_int_equal(layout_pieces(layout), 17); /* one unit in two */
	for (size_t e = 0; e < 8; e++) {
		double share = layout_share(layout, e);

		assert_true(healthy[e] ? share == 5 || share == 5.5 : share == 0);
		assert_true(share * 2 == (double)layout_owned(layout, e));
		halves += share == 5.5;
		sum += share;
	}
	assert_int_equal(halves, 2);
	assert_true(sum == 16);
	assert_true(layout_share(layout, 8) == 0 && layout_share(layout, LAYOUT_NONE) == 0);
	layout_free(layout);
	layout_space_free(space);
	profile_free(profile);
}

static void
test_domains(void **state)
{
	struct profile *profile = build_eight();
	struct layout_space *space = layout_space_new(&profile->groups[0], FAMILY_IPV4);
	struct profile_element *elements = profile->groups[0].elements;

	elements[1].failure_domain = xstrdup("host-1");
	elements[2].failure_domain = xstrdup("host-1");
	elements[3].failure_domain = xstrdup("host-2");
	assert_true(layout_same_domain(space, 1, 2));
	assert_true(layout_same_domain(space, 2, 1));
	assert_true(layout_same_domain(space, 3, 3));
	assert_false(layout_same_domain(space, 2, 3));
	assert_false(layout_same_domain(space, 0, 4)); /* neither names one */
	assert_false(layout_same_domain(space, 0, 1));
	assert_false(layout_same_domain(space, 1, 8));
	assert_false(layout_same_domain(space, LAYOUT_NONE, LAYOUT_NONE));
	layout_space_free(space);
	profile_free(profile);
}

/* Four alive are not split, three are: some units of the four have two successors, and only those
 * are told in parts. */
static void
test_finer_standby(void **state)
{
	struct profile *profile = build_eight();
	struct layout_space *space = layout_space_new(&profile->groups[0], FAMILY_IPV4);
	bool healthy[8] = { true, true, true, true, false, false, false, false };
	struct layout *layout = layout_compute_split(space, healthy);
	struct layout_standby_part *parts = NULL;
	uint8_t standby[16], again[16];
	size_t count = layout_standby_split(layout, standby, &parts);

	assert_int_equal(layout_pieces(layout), 16);
	assert_true(count > 0 && count % 2 == 0);
	for (size_t i = 0; i < count; i += 2) {
		struct prefix unit = layout_space_unit(space, parts[i].piece);

		assert_int_equal(parts[i].piece, parts[i + 1].piece);
		assert_int_equal(parts[i].prefix.length, 29);
		assert_int_equal(ip_compare(&parts[i].prefix.address, &unit.address), 0);
		assert_true(prefix_contains(&unit, &parts[i + 1].prefix));
		assert_int_equal(parts[i].standby, standby[parts[i].piece]);
		assert_int_not_equal(parts[i + 1].standby, parts[i].standby);
	}
	assert_int_equal(layout_standby_split(layout, again, NULL), count);
	assert_memory_equal(standby, again, sizeof(again));
	free(parts);
	layout_free(layout);

	/* nobody to succeed */
	memset(healthy, 0, sizeof(healthy));
	healthy[5] = true;
	layout = layout_compute_split(space, healthy);
	assert_int_equal(layout_standby_split(layout, standby, &parts), 0);
	assert_null(parts);
	for (size_t i = 0; i < layout_pieces(layout); i++)
		assert_int_equal(standby[i], LAYOUT_NONE);
	layout_free(layout);
	layout_space_free(space);
	profile_free(profile);
}

/* ---- random ---- */

struct totals {
	size_t sets, split, lowered, finer;
};

/* Pieces, bits and counts against the second implementation. */
static void
compare_layout(const struct reference *ref, const struct layout *layout, const bool *healthy,
    struct totals *totals)
{
	unsigned bits = reference_bits(ref, healthy), row = 0;
	struct reference_layout *want = reference_layout(ref, healthy, bits);
	const struct profile_group *group = ref->group;
	size_t index = 0;

	assert_int_equal(layout_get_bits(layout), bits);
	for (size_t unit = 0; unit < ref->m; unit++) {
		if (!want->split[unit])
			assert_int_equal(layout_piece(layout, index++).owner, want->owner[unit]);
		for (size_t c = 0; want->split[unit] && c < (size_t)1 << bits; c++)
			assert_int_equal(layout_piece(layout, index++).owner,
			    want->children[unit * REF_CHILDREN + c]);
	}
	assert_int_equal(index, layout_pieces(layout));
	reference_layout_free(want);
	for (size_t i = 0; i < group->split_count[ref->family]; i++)
		if (ref_alive(ref, healthy) <= group->split[ref->family][i].survivors &&
		    group->split[ref->family][i].bits > row)
			row = group->split[ref->family][i].bits;
	totals->sets++;
	totals->split += index > ref->m;
	totals->lowered += bits < row;
}

/* What the survivors own by base stays theirs, and whole. Shares are what the pieces add up to. */
static void
check_promises(const struct layout *layout, const bool *healthy)
{
	const struct layout_space *space = layout_get_space(layout);
	const struct profile_group *group = layout_space_group(space);
	size_t entries[REF_ELEMENTS] = { 0 };
	double share[REF_ELEMENTS] = { 0 };

	for (size_t i = 0; i < layout_pieces(layout); i++) {
		struct layout_piece piece = layout_piece(layout, i);
		struct prefix unit = layout_space_unit(space, piece.unit);
		uint8_t base = layout_space_base(space, piece.unit);

		assert_true(healthy[piece.owner]);
		if (healthy[base] && layout_space_has(space, base))
			assert_true(piece.owner == base && piece.prefix.length == unit.length);
		share[piece.owner] += 1.0 / (double)(1u << (piece.prefix.length - unit.length));
		entries[piece.owner] += piece.owner != base;
	}
	for (size_t e = 0; e < group->element_count; e++) {
		assert_true(layout_share(layout, e) == share[e]);
		if (layout_get_bits(layout) > 0 && group->entry_limit > 0)
			assert_true(entries[e] + 1 <= group->entry_limit);
	}
}

struct published { /* what layout_standby_split said */
	const struct layout *layout;
	uint8_t *standby;
	struct layout_standby_part *parts;
	size_t count;
};

static uint8_t
published_for(const struct published *published, size_t piece, const struct ip *ip)
{
	for (size_t i = 0; i < published->count; i++)
		if (prefix_contains_ip(&published->parts[i].prefix, ip)) {
			assert_int_equal(published->parts[i].piece, piece);
			return published->parts[i].standby;
		}
	return published->standby[piece];
}

/* Two layouts side by side: each address of the element that fails goes to the standby that was
 * published for it. An owner is the same all over what two pieces have in common. */
static void
check_failure(const struct published *published, const struct layout *after, size_t failing)
{
	const struct layout *before = published->layout;
	size_t i = 0, j = 0;

	while (i < layout_pieces(before) && j < layout_pieces(after)) {
		struct layout_piece now = layout_piece(before, i), next = layout_piece(after, j);
		bool is_finer = next.prefix.length > now.prefix.length;
		struct ip first = is_finer ? next.prefix.address : now.prefix.address;
		struct ip now_last = prefix_last(&now.prefix),
		          next_last = prefix_last(&next.prefix);
		int order = ip_compare(&now_last, &next_last);

		assert_int_equal(now.unit, next.unit);
		if (now.owner == failing)
			assert_int_equal(next.owner, published_for(published, i, &first));
		i += order <= 0;
		j += order >= 0;
	}
	assert_int_equal(i, layout_pieces(before));
	assert_int_equal(j, layout_pieces(after));
}

static void
check_succession(const struct reference *ref, const struct layout *layout, const bool *healthy,
    struct totals *totals)
{
	struct published published = { .layout = layout };
	size_t pieces = layout_pieces(layout);

	published.standby = xcalloc(pieces, 1);
	published.count = layout_standby_split(layout, published.standby, &published.parts);
	totals->finer += published.count;
	for (size_t i = 0; i < published.count; i++) {
		struct layout_piece piece = layout_piece(layout, published.parts[i].piece);

		assert_true(prefix_contains(&piece.prefix, &published.parts[i].prefix));
		assert_true(i == 0 || prefix_compare(&published.parts[i - 1].prefix,
		                          &published.parts[i].prefix) < 0);
	}
	for (size_t e = 0; e < ref->n && ref_alive(ref, healthy) > 1; e++) {
		bool without[REF_ELEMENTS];
		struct layout *after;

		if (!healthy[e] || !ref->in_e[e])
			continue;
		memcpy(without, healthy, sizeof(without));
		without[e] = false;
		after = layout_compute_split(layout_get_space(layout), without);
		check_failure(&published, after, e);
		layout_free(after);
	}
	free(published.parts);
	free(published.standby);
}

static struct layout_id
id_of(const struct layout_space *space, const bool *healthy)
{
	struct layout *layout = layout_compute_split(space, healthy);
	struct layout_id id = layout_compute_id(layout);

	layout_free(layout);
	return id;
}

/* Elements come and go in any order; in the end all are back, and so is the base. A layout-id never
 * depends on what was before, nor on who computes it. */
static void
play(
    struct random *random, const struct profile *profile, enum family family, struct totals *totals)
{
	struct layout_space *space = layout_space_new(&profile->groups[0], family);
	struct layout_space *other = layout_space_new(&profile->groups[0], family);
	struct reference *ref = reference_new(&profile->groups[0], family);
	bool healthy[REF_ELEMENTS] = { false };
	struct layout_id first, last, again;

	for (size_t e = 0; e < ref->n; e++)
		healthy[e] = true;
	first = id_of(space, healthy);
	for (unsigned event = 0; event < 5 && ref->m > 0; event++) {
		size_t changed = random_below(random, ref->n);
		struct layout *layout;

		if (event == 0)
			random_healthy(random, space, healthy);
		healthy[changed] = !healthy[changed];
		if (ref_alive(ref, healthy) == 0)
			healthy[changed] = true;
		if (ref_alive(ref, healthy) == 0)
			continue; /* it was a tombstone's turn */
		layout = layout_compute_split(space, healthy);
		compare_layout(ref, layout, healthy, totals);
		check_promises(layout, healthy);
		check_succession(ref, layout, healthy, totals);
		last = layout_compute_id(layout);
		again = id_of(other, healthy);
		assert_memory_equal(&last, &again, sizeof(last));
		layout_free(layout);
	}
	for (size_t e = 0; e < ref->n; e++)
		healthy[e] = true;
	last = id_of(space, healthy);
	assert_memory_equal(&first, &last, sizeof(first));
	reference_free(ref);
	layout_space_free(other);
	layout_space_free(space);
}

static void
test_random(void **state)
{
	struct random random = random_begin("test_layout_split");
	struct totals totals = { 0 };

	for (unsigned round = 0; round < rounds; round++) {
		bool is_big = round % 50 == 0;
		struct profile *profile =
		    random_profile(&random, is_big ? 16 : 7, is_big ? 200 : 40);

		random_split(&random, profile, 6);
		for (int family = 0; family < FAMILY_COUNT; family++)
			play(&random, profile, (enum family)family, &totals);
		profile_free(profile);
	}
	printf("%zu healthy sets, %zu with split units, %zu with bits lowered by the limit, "
	       "%zu parts of standbys\n",
	    totals.sets, totals.split, totals.lowered, totals.finer);
	assert_true(rounds < 100 || (totals.split > 0 && totals.lowered > 0 && totals.finer > 0));
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_domains),
		cmocka_unit_test(test_finer_standby),
		cmocka_unit_test(test_random),
	};

	if (getenv("CHECK_LONG") || (argc > 1 && strcmp(argv[1], "long") == 0))
		rounds *= 20;
	if (getenv("ROUNDS"))
		rounds = (unsigned)strtoul(getenv("ROUNDS"), NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
