/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What if. Properties over random profiles and healthy sets: counts against a search address by
 * address, against the count of moves between base layouts, and back again; and the quorum.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "layout_random.h"
#include "moves.h"
#include "whatif.h"

enum { ROUNDS = 200 };

static const struct whatif_element *
find_element_row(const struct whatif_moves *moves, const char *id)
{
	for (size_t e = 0; e < moves->element_count; e++)
		if (strcmp(moves->elements[e].id, id) == 0)
			return &moves->elements[e];
	fail_msg("no row for %s", id);
	return NULL;
}

static double
sum_gains(const struct whatif_moves *moves)
{
	double sum = 0;

	for (size_t e = 0; e < moves->element_count; e++)
		sum += moves->elements[e].gains;
	return sum;
}

/* Units some piece of which has another owner, by search: the piece of the one layout that holds an
 * address, for the first address of every piece of both. */
static uint8_t
find_owner(const struct layout *layout, const struct ip *ip)
{
	for (size_t i = 0; i < layout_pieces(layout); i++) {
		struct layout_piece piece = layout_piece(layout, i);

		if (prefix_contains_ip(&piece.prefix, ip))
			return piece.owner;
	}
	return LAYOUT_NONE;
}

static void
mark_moved(
    const struct layout *pieces_of, const struct layout *a, const struct layout *b, bool *moved)
{
	for (size_t i = 0; i < layout_pieces(pieces_of); i++) {
		struct layout_piece piece = layout_piece(pieces_of, i);

		if (find_owner(a, &piece.prefix.address) != find_owner(b, &piece.prefix.address))
			moved[piece.unit] = true;
	}
}

static size_t
count_by_search(const struct layout *a, const struct layout *b)
{
	size_t units = layout_space_units(layout_get_space(a)), count = 0;
	bool *moved = xcalloc(units + 1, sizeof(*moved));

	mark_moved(a, a, b, moved);
	mark_moved(b, a, b, moved);
	for (size_t u = 0; u < units; u++)
		count += moved[u];
	free(moved);
	return count;
}

/* Two healthy sets of one profile, with units that are split. */
static void
check_sets(struct random *random, const struct layout_space *space)
{
	const struct profile_group *group = layout_space_group(space);
	bool healthy[2][PROFILE_MAX_ELEMENTS];
	struct whatif_moves there, back, none;
	struct layout *a, *b;

	random_healthy(random, space, healthy[0]);
	random_healthy(random, space, healthy[1]);
	a = layout_compute_split(space, healthy[0]);
	b = layout_compute_split(space, healthy[1]);
	whatif_compare(a, b, &there);
	whatif_compare(b, a, &back);
	whatif_compare(a, a, &none);
	assert_int_equal(there.units, layout_space_units(space));
	assert_int_equal(there.moved, count_by_search(a, b));
	assert_int_equal(there.moved, back.moved);
	assert_true(there.fresh == 0 && there.ended == 0);
	assert_int_equal(none.moved, 0);
	for (size_t e = 0; e < group->element_count; e++) {
		const struct whatif_element *row = find_element_row(&there, group->elements[e].id);
		const struct whatif_element *other = find_element_row(&back, group->elements[e].id);

		assert_true(row->before == layout_share(a, e));
		assert_true(row->after == layout_share(b, e));
		assert_true(row->before + row->gains - row->losses == row->after);
		assert_true(row->gains == other->losses && row->losses == other->gains);
	}
	whatif_moves_done(&there);
	whatif_moves_done(&back);
	whatif_moves_done(&none);
	layout_free(a);
	layout_free(b);
}

static void
test_sets(void **state)
{
	struct random random = random_begin("sets");

	for (int round = 0; round < ROUNDS; round++) {
		struct profile *profile = random_profile(&random, 8, 64);

		random_split(&random, profile, 3);
		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			struct layout_space *space = layout_space_new(&profile->groups[0], f);

			if (layout_space_units(space) > 0)
				check_sets(&random, space);
			layout_space_free(space);
		}
		profile_free(profile);
	}
}

/* ---- two profiles ---------------------------------------------------------------------------- */

static struct layout *
make_base(const struct layout_space *space)
{
	bool all[PROFILE_MAX_ELEMENTS];

	for (size_t e = 0; e < PROFILE_MAX_ELEMENTS; e++)
		all[e] = true;
	return layout_space_units(space) > 0 ? layout_compute(space, all, 0) : NULL;
}

static void
check_profiles(
    const struct moves_family *want, const struct profile *from, const struct profile *to)
{
	struct layout_space *old = layout_space_new(&from->groups[0], want->family);
	struct layout_space *new = layout_space_new(&to->groups[0], want->family);
	struct layout *before = make_base(old), *after = make_base(new);
	struct whatif_moves moves;

	whatif_compare(before, after, &moves);
	assert_int_equal(moves.units, want->after);
	assert_true(moves.fresh == want->fresh);
	assert_true(moves.ended == want->ended);
	assert_true(sum_gains(&moves) == want->moved);
	assert_true((double)moves.moved >= want->moved);
	assert_true((moves.moved > 0) == (want->moved > 0));
	for (size_t e = 0; e < want->element_count; e++) {
		const struct moves_element *element = &want->elements[e];
		const struct whatif_element *row;

		if (element->before == 0 && element->after == 0)
			continue;
		row = find_element_row(&moves, element->id);
		assert_true(row->before == element->before && row->after == element->after);
		assert_true(row->gains == element->come && row->losses == element->leave);
	}
	whatif_moves_done(&moves);
	layout_free(before);
	layout_free(after);
	layout_space_free(old);
	layout_space_free(new);
}

/* Whole profiles that have little in common, other unit lengths among it. moves.c counts the same
 * another way. */
static void
test_profiles(void **state)
{
	struct random random = random_begin("profiles");

	for (int round = 0; round < ROUNDS; round++) {
		struct profile *from = random_profile(&random, 6, 64);
		struct profile *to = random_profile(&random, 6, 64);
		struct moves *want = moves_compute(from, to);

		for (size_t i = 0; i < want->count; i++)
			check_profiles(&want->families[i], from, to);
		moves_free(want);
		profile_free(from);
		profile_free(to);
	}
}

/* A family that comes, and one that goes. */
static void
test_one_sided(void **state)
{
	struct profile *profile = build_profile();
	struct layout_space *space;
	struct whatif_moves moves;
	struct layout *layout;

	build_pool(profile, "10.0.0.0/24", 28, 0, PROFILE_EPOCH_NONE);
	build_equal(profile, 4);
	profile_sort(profile);
	space = layout_space_new(&profile->groups[0], FAMILY_IPV4);
	layout = make_base(space);
	whatif_compare(NULL, layout, &moves);
	assert_int_equal(moves.units, 16);
	assert_int_equal(moves.moved, 0);
	assert_true(moves.fresh == 16 && moves.ended == 0);
	assert_true(moves.elements[0].before == 0 && moves.elements[0].after == 4);
	whatif_moves_done(&moves);
	whatif_compare(layout, NULL, &moves);
	assert_int_equal(moves.units, 0);
	assert_int_equal(moves.moved, 0);
	assert_true(moves.fresh == 0 && moves.ended == 16);
	whatif_moves_done(&moves);
	layout_free(layout);
	layout_space_free(space);
	profile_free(profile);
}

/* ---- the healthy set ------------------------------------------------------------------------ */

#define IN WHATIF_IN
#define WAITS WHATIF_WAITS
#define DAMPED WHATIF_DAMPED
#define OUT WHATIF_OUT

static const struct {
	const char *name;
	enum whatif_member members[4];
	const char *want; /* by element */
} sets[] = {
	{ "all in", { IN, IN, IN, IN }, "++++" },
	{ "at the quorum nobody is called", { IN, IN, WAITS, OUT }, "++--" },
	{ "below it who waits is", { IN, OUT, WAITS, WAITS }, "+-++" },
	{ "but not who is damped", { IN, OUT, DAMPED, WAITS }, "+--+" },
	{ "who is damped comes when nobody else is there", { OUT, OUT, DAMPED, OUT }, "--+-" },
	{ "who waits goes before", { OUT, WAITS, DAMPED, OUT }, "-+--" },
	{ "nobody", { OUT, OUT, OUT, OUT }, "----" },
};

static void
test_healthy(void **state)
{
	struct profile *profile = build_profile();
	struct layout_space *space;

	build_pool(profile, "10.0.0.0/24", 28, 0, PROFILE_EPOCH_NONE);
	build_equal(profile, 4);
	profile->groups[0].quorum_percent = 50;
	profile_sort(profile);
	space = layout_space_new(&profile->groups[0], FAMILY_IPV4);
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		bool healthy[4];
		char text[5] = "";
		size_t count = whatif_healthy(space, sets[i].members, healthy), want = 0;

		for (size_t e = 0; e < 4; e++) {
			text[e] = healthy[e] ? '+' : '-';
			want += sets[i].want[e] == '+';
		}
		if (strcmp(text, sets[i].want) != 0)
			fail_msg("%s: %s, wanted %s", sets[i].name, text, sets[i].want);
		assert_int_equal(count, want);
	}
	layout_space_free(space);
	profile_free(profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sets),
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_one_sided),
		cmocka_unit_test(test_healthy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
