/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole layout bit for bit against a second implementation (layout_reference.h) that was
 * written from the text of the rules: base, owners, pieces and standby of random small cases.
 *
 * The seed is printed; SEED=n repeats a run; ROUNDS=n, CHECK_LONG=1 or the argument "long"
 * change its length.
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

static unsigned rounds = 6000;

static void
compare_layouts(struct random *random, const struct layout_space *space,
    const struct reference *ref, const bool *healthy, unsigned bits)
{
	struct layout *layout = layout_compute(space, healthy, bits);
	struct reference_layout *want = reference_layout(ref, healthy, bits);
	uint8_t *standby = xcalloc(layout_pieces(layout), 1);
	size_t index = 0;

	for (size_t unit = 0; unit < ref->m; unit++) {
		assert_int_equal(layout_unit_owner(layout, unit), want->owner[unit]);
		if (!want->split[unit]) {
			assert_int_equal(layout_piece(layout, index++).owner, want->owner[unit]);
			continue;
		}
		for (size_t c = 0; c < (size_t)1 << bits; c++)
			assert_int_equal(layout_piece(layout, index++).owner,
			    want->children[unit * REF_CHILDREN + c]);
	}
	assert_int_equal(index, layout_pieces(layout));
	if (bits == 0 && ref->m > 0) {
		layout_standby(layout, standby);
		for (unsigned i = 0; i < 4; i++) {
			size_t unit = random_below(random, ref->m);

			assert_int_equal(standby[unit], reference_standby(ref, healthy, unit));
		}
	}
	free(standby);
	reference_layout_free(want);
	layout_free(layout);
}

static void
compare_profile(struct random *random, const struct profile *profile, enum family family)
{
	struct layout_space *space = layout_space_new(&profile->groups[0], family);
	struct reference *ref = reference_new(&profile->groups[0], family);

	assert_int_equal(layout_space_units(space), ref->m);
	for (size_t unit = 0; unit < ref->m; unit++) {
		struct prefix prefix = layout_space_unit(space, unit);

		assert_int_equal(prefix_compare(&prefix, &ref->units[unit]), 0);
		assert_int_equal(layout_space_base(space, unit), ref->base[unit]);
	}
	for (unsigned i = 0; i < 4; i++) {
		bool healthy[REF_ELEMENTS];

		random_healthy(random, space, healthy);
		compare_layouts(random, space, ref, healthy,
		    i % 2 ? random_bits(random, &profile->groups[0], family, 6) : 0);
	}
	reference_free(ref);
	layout_space_free(space);
}

static void
test_reference(void **state)
{
	struct random random = random_begin("test_reference");

	for (unsigned round = 0; round < rounds; round++) {
		bool is_big = round % 50 == 0;
		struct profile *profile =
		    random_profile(&random, is_big ? 20 : 7, is_big ? 300 : 40);

		for (int family = 0; family < FAMILY_COUNT; family++)
			compare_profile(&random, profile, (enum family)family);
		profile_free(profile);
	}
}

/* One weight-1 element of many retires in the epoch in which a pool ends. The list of units is not
 * the same as before, although all that are left were there: rule 4e does not hold, 4b to 4d do. */
static void
test_retire_while_pools_shrink(void **state)
{
	for (unsigned elements = 3; elements < 9; elements++) {
		struct profile *profile = build_profile();
		struct layout_space *space;
		struct reference *ref;
		struct profile_element *last;

		build_pool(profile, "10.0.0.0/24", 28, 0, PROFILE_EPOCH_NONE);
		build_pool(profile, "10.1.0.0/24", 29, 0, 1);
		build_equal(profile, elements);
		last = &profile->groups[0].elements[elements - 1];
		build_weight(last, 1, 0);
		last->removed = true;
		profile_sort(profile);
		space = layout_space_new(&profile->groups[0], FAMILY_IPV4);
		ref = reference_new(&profile->groups[0], FAMILY_IPV4);
		assert_int_equal(layout_space_units(space), 16);
		for (size_t unit = 0; unit < ref->m; unit++)
			assert_int_equal(layout_space_base(space, unit), ref->base[unit]);
		reference_free(ref);
		layout_space_free(space);
		profile_free(profile);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_retire_while_pools_shrink),
		cmocka_unit_test(test_reference),
	};

	if (getenv("CHECK_LONG") || (argc > 1 && strcmp(argv[1], "long") == 0))
		rounds *= 20;
	if (getenv("ROUNDS"))
		rounds = (unsigned)strtoul(getenv("ROUNDS"), NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
