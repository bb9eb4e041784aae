/* SPDX-License-Identifier: BSD-3-Clause */
/* Port blocks: whose are judged, and what units need, alone and beside deterministic rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "error.h"
#include "layout_random.h"
#include "nat_load.h"
#include "profile_build.h"

/* make_profile's 1024 units of 64 hosts are a's and b's in turns. */
#define G (&p->groups[0])

static struct profile *
make_blocks(void)
{
	struct profile *p = make_profile();

	G->return_path[FAMILY_IPV4] = RETURN_NAT_ROUTES;
	G->blocks_per_host_milli[FAMILY_IPV4] = 1500;
	add_nat_pool(&G->elements[0], FAMILY_IPV4, "pba", "203.0.0.0/24")->kind = NAT_PBA;
	add_nat_pool(&G->elements[1], FAMILY_IPV4, "pba", "203.0.1.0/24")->kind = NAT_PBA;
	return p;
}

static void
test_judged(void **state)
{
	struct profile *p = make_blocks();

	(void)state;
	assert_true(nat_load_is_told(G, FAMILY_IPV4));
	assert_false(nat_load_is_told(G, FAMILY_IPV6));
	assert_true(nat_load_blocks(G, 0, FAMILY_IPV4) == 256 * 252);
	add_nat_pool(&G->elements[0], FAMILY_IPV4, "more", "203.0.2.0/25")->kind = NAT_PBA;
	assert_true(nat_load_blocks(G, 0, FAMILY_IPV4) == 384 * 252);
	add_nat_pool(&G->elements[0], FAMILY_IPV4, "napt", "203.0.3.0/24");
	assert_true(nat_load_blocks(G, 0, FAMILY_IPV4) == 0);
	assert_true(nat_load_is_told(G, FAMILY_IPV4));
	G->blocks_per_host_milli[FAMILY_IPV4] = 0;
	assert_false(nat_load_is_told(G, FAMILY_IPV4));
	profile_free(p);
}

static void
test_needed(void **state)
{
	struct profile *p = make_blocks();
	struct layout_space *space = layout_space_new(G, FAMILY_IPV4);
	const bool both[] = { true, true }, alone[] = { true, false };
	struct nat_load loads[2];

	(void)state;
	nat_load_compute(space, both, loads);
	for (int e = 0; e < 2; e++) {
		assert_true(loads[e].blocks == 256 * 252);
		assert_true(loads[e].base == 512 * 64 * 1.5);
		assert_true(loads[e].now == 512 * 64 * 1.5);
		assert_true(loads[e].worst == 1024 * 64 * 1.5);
	}
	nat_load_compute(space, alone, loads);
	assert_true(loads[0].now == 1024 * 64 * 1.5 && loads[0].worst == loads[0].now);
	assert_true(loads[1].base == 512 * 64 * 1.5);
	assert_true(loads[1].now == 0 && loads[1].worst == 0);
	layout_space_free(space);
	profile_free(p);
}

/* Of the first element, beside its pool of blocks. */
static struct profile_nat_pool *
add_rule(struct profile *p, size_t hosts)
{
	struct profile_nat_pool *rule =
	    add_nat_pool(&G->elements[0], FAMILY_IPV4, "fixed", "204.0.0.0/16");

	rule->kind = NAT_DETERMINISTIC;
	rule->hosts = xcalloc(hosts, sizeof(*rule->hosts));
	return rule;
}

/* What a rule has needs no block of the pool that is there for the rest. */
static void
test_overflow(void **state)
{
	struct profile *p = make_blocks();
	struct layout_space *space = layout_space_new(G, FAMILY_IPV4);
	struct profile_nat_pool *rule = add_rule(p, 1024);
	const bool both[] = { true, true };
	struct nat_load loads[2];

	(void)state;
	for (size_t u = 0; u < 1024; u++)
		if (layout_space_base(space, u) == 0)
			rule->hosts[rule->host_count++] = layout_space_unit(space, u);
	nat_load_compute(space, both, loads);
	assert_true(loads[0].blocks == 256 * 252);
	assert_true(loads[0].base == 0 && loads[0].now == 0);
	assert_true(loads[0].worst == 512 * 64 * 1.5);
	assert_true(loads[1].base == 512 * 64 * 1.5);
	layout_space_free(space);
	profile_free(p);
}

/* A rule of half a unit: the other half needs blocks, and no more. */
static void
test_part_of_a_unit(void **state)
{
	struct profile *p = make_blocks();
	struct layout_space *space = layout_space_new(G, FAMILY_IPV4);
	struct profile_nat_pool *rule = add_rule(p, 2);
	const bool both[] = { true, true };
	struct nat_load loads[2];
	struct prefix unit;
	size_t u = 0;

	(void)state;
	while (layout_space_base(space, u) != 0)
		u++;
	unit = layout_space_unit(space, u);
	rule->hosts[rule->host_count++] = prefix_child(&unit, 27, 0);
	rule->hosts[rule->host_count++] = prefix_child(&unit, 32, 63);
	nat_load_compute(space, both, loads);
	assert_true(loads[0].base == (512 * 64 - 33) * 1.5);
	assert_true(loads[0].hosts == 512 * 64 && loads[0].hosts_worst == 1024 * 64);
	layout_space_free(space);
	profile_free(p);
}

/* Hosts are counted one by one: pools of different unit lengths are no average. */
static void
test_unit_lengths(void **state)
{
	struct profile *p = make_blocks();
	const bool both[] = { true, true };
	struct layout_space *space;
	struct nat_load loads[2];

	(void)state;
	add_pool(G, "10.9.0.0/24", 25, 0, PROFILE_EPOCH_NONE);
	space = layout_space_new(G, FAMILY_IPV4);
	nat_load_compute(space, both, loads);
	assert_true(loads[0].hosts + loads[1].hosts == 1024 * 64 + 256);
	for (int e = 0; e < 2; e++) {
		double hosts = 0;

		for (size_t u = 0; u < layout_space_units(space); u++)
			if (layout_space_base(space, u) == e)
				hosts += layout_space_unit(space, u).length == 25 ? 128 : 64;
		assert_true(loads[e].hosts == hosts && loads[e].hosts_worst == 1024 * 64 + 256);
	}
	layout_space_free(space);
	profile_free(p);
}

/* A rule of some units and halves of units. */
static void
add_random_rule(
    struct random *random, const struct layout_space *space, struct profile_element_family *family)
{
	struct profile_nat_pool *rule = xcalloc(1, sizeof(*rule));

	family->nat_pools = rule;
	family->nat_pool_count = 1;
	rule->id = xstrdup("fixed");
	rule->kind = NAT_DETERMINISTIC;
	rule->hosts = xcalloc(layout_space_units(space), sizeof(*rule->hosts));
	for (size_t u = 0; u < layout_space_units(space); u++) {
		struct prefix unit = layout_space_unit(space, u);
		bool is_half = random_below(random, 2) && unit.length < 32;

		if (random_below(random, 3) == 0)
			rule->hosts[rule->host_count++] =
			    is_half ? prefix_child(&unit, unit.length + 1u, random_below(random, 2))
			            : unit;
	}
}

static void
need_without(
    const struct layout_space *space, const bool *healthy, size_t without, double *ret_needed)
{
	bool alive[PROFILE_MAX_ELEMENTS];
	struct layout *layout;

	for (size_t e = 0; e < layout_space_group(space)->element_count; e++)
		alive[e] = healthy[e] && e != without;
	layout = layout_compute_split(space, alive);
	nat_load_needed(layout, ret_needed);
	layout_free(layout);
}

/* What is counted of displaced units and added is what the whole layouts have. */
static void
check_random(struct random *random, const struct layout_space *space)
{
	const size_t count = layout_space_group(space)->element_count;
	double needed[PROFILE_MAX_ELEMENTS], worst[PROFILE_MAX_ELEMENTS];
	struct nat_load loads[PROFILE_MAX_ELEMENTS];
	bool healthy[PROFILE_MAX_ELEMENTS];

	for (size_t e = 0; e < count; e++)
		healthy[e] = layout_space_has(space, e) && random_below(random, 4) > 0;
	nat_load_compute(space, healthy, loads);
	need_without(space, healthy, SIZE_MAX, worst);
	for (size_t e = 0; e < count; e++)
		assert_true(loads[e].now == worst[e]);
	for (size_t x = 0; x < count; x++) {
		if (!healthy[x])
			continue;
		need_without(space, healthy, x, needed);
		for (size_t e = 0; e < count; e++)
			worst[e] = needed[e] > worst[e] ? needed[e] : worst[e];
	}
	for (size_t e = 0; e < count; e++)
		assert_true(loads[e].worst == worst[e]);
}

static void
test_random(void **state)
{
	struct random random = random_begin("test_nat_load");

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct profile *p = random_profile(&random, 9, 200);
		struct layout_space *space;

		random_split(&random, p, 3);
		G->blocks_per_host_milli[FAMILY_IPV4] = 1000;
		space = layout_space_new(G, FAMILY_IPV4);
		for (size_t e = 0; e < G->element_count; e += 2)
			add_random_rule(&random, space, &G->elements[e].family[FAMILY_IPV4]);
		check_random(&random, space);
		layout_space_free(space);
		profile_free(p);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judged),
		cmocka_unit_test(test_needed),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_part_of_a_unit),
		cmocka_unit_test(test_unit_lengths),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
