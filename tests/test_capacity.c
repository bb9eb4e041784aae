/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads: with everybody healthy, now, and after the worst single failure, both families added. */
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

enum { ELEMENTS = 4, UNITS = 64 };

struct fixture {
	struct profile_group group;
	struct layout_space *spaces[FAMILY_COUNT];
	bool healthy[FAMILY_COUNT][ELEMENTS];
	struct capacity_load loads[ELEMENTS];
};

static void
begin(struct fixture *f)
{
	static const char *const pools[FAMILY_COUNT] = { "10.0.0.0/20", "2001:db8:1::/58" };

	memset(f, 0, sizeof(*f));
	f->group.unit_load_milli = 500;
	f->group.pool_count = FAMILY_COUNT;
	f->group.pools = xcalloc(FAMILY_COUNT, sizeof(*f->group.pools));
	for (enum family family = 0; family < FAMILY_COUNT; family++) {
		f->group.pools[family] = (struct profile_pool){ .until = PROFILE_EPOCH_NONE };
		assert_int_equal(prefix_parse(pools[family], &f->group.pools[family].prefix), 0);
		f->group.pools[family].unit_length = family == FAMILY_IPV4 ? 26 : 64;
	}
	f->group.element_count = ELEMENTS;
	f->group.elements = xcalloc(ELEMENTS, sizeof(*f->group.elements));
	for (size_t e = 0; e < ELEMENTS; e++) {
		struct profile_element *element = &f->group.elements[e];
		element->id = xasprintf("fw%zu", e);
		element->weights = xcalloc(1, sizeof(*element->weights));
		element->weights[0].weight = element->failed_weight = 1;
		element->weight_count = 1;
		element->family[0].present = element->family[1].present = true;
		f->healthy[0][e] = f->healthy[1][e] = true;
	}
	for (enum family family = 0; family < FAMILY_COUNT; family++)
		f->spaces[family] = layout_space_new(&f->group, family);
}

static void
compute(struct fixture *f)
{
	const struct layout_space *const spaces[FAMILY_COUNT] = { f->spaces[0], f->spaces[1] };
	const bool *const healthy[FAMILY_COUNT] = { f->healthy[0], f->healthy[1] };

	capacity_compute(&f->group, spaces, healthy, f->loads);
}

static void
end(struct fixture *f)
{
	for (enum family family = 0; family < FAMILY_COUNT; family++)
		layout_space_free(f->spaces[family]);
	for (size_t e = 0; e < ELEMENTS; e++) {
		free(f->group.elements[e].id);
		free(f->group.elements[e].weights);
	}
	free(f->group.elements);
	free(f->group.pools);
}

static double
sum(const struct fixture *f)
{
	double total = 0;

	for (size_t e = 0; e < ELEMENTS; e++)
		total += f->loads[e].wanted;
	return total;
}

static void
test_everybody_healthy(void **state)
{
	struct fixture f;

	begin(&f);
	compute(&f);
	for (size_t e = 0; e < ELEMENTS; e++) { /* 16 + 16 units of 0.5 */
		assert_true(f.loads[e].base == 16);
		assert_true(f.loads[e].wanted == 16);
		assert_true(f.loads[e].worst >= 21 && f.loads[e].worst <= 22); /* 64/3 */
	}
	assert_true(sum(&f) == 64);
	end(&f);
}

static void
test_one_family_out(void **state)
{
	struct fixture f;

	begin(&f);
	f.healthy[FAMILY_IPV6][3] = false;
	compute(&f);
	assert_true(f.loads[3].wanted == 8); /* IPv4 alone */
	assert_true(f.loads[0].wanted >= 18.5 && f.loads[0].wanted <= 19);
	assert_true(sum(&f) == 64);
	end(&f);
}

static void
test_two_left(void **state)
{
	struct fixture f;

	begin(&f);
	for (enum family family = 0; family < FAMILY_COUNT; family++)
		f.healthy[family][0] = f.healthy[family][1] = false;
	compute(&f);
	assert_true(f.loads[0].wanted == 0 && f.loads[0].worst == 0);
	assert_true(f.loads[2].wanted == 32 && f.loads[2].worst == 64);
	end(&f);
}

static void
test_told(void **state)
{
	struct fixture f;

	begin(&f);
	assert_false(capacity_is_told(&f.group));
	f.group.elements[2].capacity_milli = 21500;
	assert_true(capacity_is_told(&f.group));
	assert_true(capacity_of(&f.group.elements[2]) == 21.5);
	end(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everybody_healthy),
		cmocka_unit_test(test_one_family_out),
		cmocka_unit_test(test_two_left),
		cmocka_unit_test(test_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
