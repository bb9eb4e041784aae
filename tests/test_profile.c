/* SPDX-License-Identifier: BSD-3-Clause */
/* What YANG cannot say about a profile: every rule broken once, its limits from both sides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "error.h"
#include "profile.h"
#include "profile_build.h"

/* ---- one broken rule each ---- */

#define G (&p->groups[0])
#define A (&p->groups[0].elements[0])
#define B (&p->groups[0].elements[1])
#define POOL (&p->groups[0].pools[0])
#define CHANGE(name) static void change_##name(struct profile *p)

CHANGE(nothing)
{
	(void)p;
}
CHANGE(no_weight)
{
	A->weight_count = 0;
}
CHANGE(epoch_twice)
{
	add_weight(A, 0, 2);
}
CHANGE(weight_large)
{
	A->weights[0].weight = 4096;
}
CHANGE(weight_largest)
{
	A->weights[0].weight = A->failed_weight = 4095;
}
CHANGE(failed_weight_large)
{
	A->failed_weight = 4096;
}
CHANGE(removed_with_weight)
{
	A->removed = true;
}
CHANGE(removed)
{
	add_weight(A, 3, 0);
	A->removed = true;
}
CHANGE(all_zero)
{
	A->weights[0].weight = B->weights[0].weight = 0;
}
CHANGE(spare)
{
	B->weights[0].weight = 0;
}
CHANGE(no_family)
{
	A->family[FAMILY_IPV4].present = false;
}
CHANGE(wrong_family)
{
	A->family[FAMILY_IPV4].peer[SIDE_OUTSIDE].address = ip("fd00::1");
}
CHANGE(peer_zero)
{
	A->family[FAMILY_IPV4].peer[SIDE_INSIDE].address = ip("0.0.0.0");
}
CHANGE(peer_twice)
{
	A->family[FAMILY_IPV4].peer[SIDE_INSIDE].address =
	    A->family[FAMILY_IPV4].peer[SIDE_OUTSIDE].address;
}
CHANGE(peer_multicast)
{
	A->family[FAMILY_IPV4].peer[SIDE_INSIDE].address = ip("239.1.1.1");
}
CHANGE(successor)
{
	struct profile_element *c;

	change_removed(p);
	c = add_element(G, "c", 1); /* the peers of a */
	replace(&c->family[FAMILY_IPV4].base_list, "a-base-v4");
}
CHANGE(removed_id_again)
{
	change_removed(p);
	replace(&B->name, "a");
}
CHANGE(name_of_group)
{
	replace(&B->name, "g");
}
CHANGE(name_twice)
{
	replace(&A->name, "x");
	replace(&B->name, "x");
}
CHANGE(across_groups)
{
	struct profile_group *h = add_group(p, "h");

	add_pool(h, "10.1.0.0/16", 26, 0, PROFILE_EPOCH_NONE);
	add_element(h, "a", 3);
}
CHANGE(two_groups)
{
	struct profile_group *h = add_group(p, "h");

	add_pool(h, "10.1.0.0/16", 26, 0, PROFILE_EPOCH_NONE);
	add_element(h, "c", 3);
}
CHANGE(list_twice)
{
	replace(&B->family[FAMILY_IPV4].override_list, "a-base-v4");
}
CHANGE(list_twice_in_one)
{
	replace(&B->family[FAMILY_IPV4].override_list, "b-base-v4");
}
CHANGE(host_bits)
{
	POOL->prefix.address.bytes[3] = 1;
}
CHANGE(unit_short)
{
	POOL->unit_length = 15;
}
CHANGE(unit_whole)
{
	POOL->unit_length = 16;
}
CHANGE(unit_host)
{
	POOL->unit_length = 32;
}
CHANGE(unit_long)
{
	POOL->unit_length = 33;
}
CHANGE(unit_v6)
{
	add_family(A, FAMILY_IPV6, 1);
	add_pool(G, "2001:db8::/60", 64, 0, PROFILE_EPOCH_NONE);
}
CHANGE(unit_v6_long)
{
	add_family(A, FAMILY_IPV6, 1);
	add_pool(G, "2001:db8::/60", 65, 0, PROFILE_EPOCH_NONE);
}
CHANGE(until_is_since)
{
	POOL->since = POOL->until = 3;
}
CHANGE(overlap)
{
	add_pool(G, "10.0.255.0/24", 26, 0, PROFILE_EPOCH_NONE);
}
CHANGE(overlap_one_epoch)
{
	POOL->until = 5;
	add_pool(G, "10.0.255.0/24", 26, 4, PROFILE_EPOCH_NONE);
}
CHANGE(handover)
{
	POOL->until = 5;
	add_pool(G, "10.0.0.0/16", 27, 5, PROFILE_EPOCH_NONE);
}
CHANGE(overlap_behind_another)
{
	add_pool(G, "10.0.0.0/17", 26, 7, 8);
	POOL->until = 7;
	add_pool(G, "10.0.64.0/18", 26, 7, 8);
}
CHANGE(sentinel_inside)
{
	p->sentinel[FAMILY_IPV4] = prefix("10.0.7.7/32");
}
CHANGE(sentinel_around)
{
	p->sentinel[FAMILY_IPV4] = prefix("10.0.0.0/8");
}
CHANGE(pool_without_element)
{
	add_pool(G, "2001:db8::/60", 64, 0, PROFILE_EPOCH_NONE);
}
CHANGE(element_without_pool)
{
	add_family(A, FAMILY_IPV6, 1);
}
CHANGE(entries_most)
{
	POOL->prefix = prefix("10.0.0.0/15");
	POOL->unit_length = 32; /* of 131072 units a has 45748: 85324 and a sentinel may come */
	A->weights[0].weight = 126;
	B->weights[0].weight = 235;
}
CHANGE(entries_too_many)
{
	POOL->prefix = prefix("10.0.0.0/15");
	POOL->unit_length = 32; /* one unit less */
	A->weights[0].weight = 215;
	B->weights[0].weight = 401;
}
CHANGE(entries_base)
{
	POOL->prefix = prefix("10.0.0.0/15");
	POOL->unit_length = 32;
	A->weights[0].weight = 4095;
}
CHANGE(entries_alone)
{
	POOL->unit_length = 32;
	B->removed = true;
	B->weights[0].weight = 0;
}
CHANGE(units_in_turn)
{
	POOL->prefix = prefix("12.0.0.0/10");
	POOL->unit_length = 32;
	POOL->until = 1;
	add_pool(G, "13.0.0.0/10", 32, 1, 2); /* never both */
	add_pool(G, "10.1.0.0/16", 26, 2, PROFILE_EPOCH_NONE);
}
CHANGE(units_together)
{
	POOL->prefix = prefix("12.0.0.0/10");
	POOL->unit_length = 32;
	POOL->until = 2;
	add_pool(G, "13.0.0.0/24", 32, 1, 2);
	add_pool(G, "10.1.0.0/16", 26, 2, PROFILE_EPOCH_NONE);
}
CHANGE(units_huge)
{
	add_family(A, FAMILY_IPV6, 1);
	add_pool(G, "3000::/4", 64, 0, PROFILE_EPOCH_NONE);
}
CHANGE(listeners)
{
	p->bmp = p->syslog =
	    (struct profile_listener){ .enabled = true, .port = 5514, .address = ip("127.0.0.1") };
}
CHANGE(listeners_apart)
{
	change_listeners(p);
	p->bmp.address = ip("127.0.0.2");
}

static void
change_listeners_on_all(struct profile *p)
{
	change_listeners(p);
	p->bmp.address = ip("0.0.0.0");
}

static void
change_listeners_on_all_ipv6(struct profile *p)
{
	change_listeners(p);
	p->syslog.address = ip("::");
}

static const struct {
	const char *name;
	void (*change)(struct profile *p);
	const char *want; /* the error begins so; NULL: none */
} cases[] = {
	{ "nothing", change_nothing, NULL },
	{ "no weight", change_no_weight, "/group[g]/element[a]: the weight list is empty" },
	{ "epoch twice", change_epoch_twice, "/group[g]/element[a]/weight[0]: the epoch" },
	{ "weight large", change_weight_large, "/group[g]/element[a]/weight[0]: 4096 is above" },
	{ "weight largest", change_weight_largest, NULL },
	{ "failed weight large", change_failed_weight_large,
	    "/group[g]/element[a]/failed-weight: 4096" },
	{ "removed with weight", change_removed_with_weight,
	    "/group[g]/element[a]/weight[0]: the last weight of a removed element is 1" },
	{ "removed", change_removed, NULL },
	{ "all zero", change_all_zero, "/group[g]: no element that serves IPv4 has a last weight" },
	{ "spare", change_spare, NULL },
	{ "no family", change_no_family, "/group[g]/element[a]: serves no family" },
	{ "wrong family", change_wrong_family,
	    "/group[g]/element[a]/ipv4/outside/peer: fd00::1 is not an IPv4 address" },
	{ "peer zero", change_peer_zero, "/group[g]/element[a]/ipv4/inside/peer: 0.0.0.0 cannot" },
	{ "peer multicast", change_peer_multicast,
	    "/group[g]/element[a]/ipv4/inside/peer: 239.1.1.1 cannot" },
	{ "peer twice", change_peer_twice,
	    "/group[g]/element[a]/ipv4/outside/peer: \"172.17.0.3\" is also "
	    "/group[g]/element[a]/ipv4/inside/peer" },
	{ "successor of a removed one", change_successor, NULL },
	{ "a removed one keeps its id", change_removed_id_again,
	    "/group[g]/element[b]/name: \"a\" is also /group[g]/element[a]/id" },
	{ "name of the group", change_name_of_group,
	    "/group[g]/element[b]/name: \"g\" is also /group[g]/id" },
	{ "name twice", change_name_twice,
	    "/group[g]/element[b]/name: \"x\" is also /group[g]/element[a]/name" },
	{ "across groups", change_across_groups,
	    "/group[h]/element[a]/id: \"a\" is also /group[g]/element[a]/id" },
	{ "two groups", change_two_groups, NULL },
	{ "list twice", change_list_twice,
	    "/group[g]/element[b]/ipv4/override-list: \"a-base-v4\" is also" },
	{ "list twice in one", change_list_twice_in_one,
	    "/group[g]/element[b]/ipv4/override-list: \"b-base-v4\" is also" },
	{ "host bits", change_host_bits, "/group[g]/pool[10.0.0.1/16]: host bits" },
	{ "unit short", change_unit_short, "/group[g]/pool[10.0.0.0/16]/unit-length: 15" },
	{ "unit is the pool", change_unit_whole, NULL },
	{ "unit is a host", change_unit_host, NULL },
	{ "unit long", change_unit_long, "/group[g]/pool[10.0.0.0/16]/unit-length: 33" },
	{ "unit v6", change_unit_v6, NULL },
	{ "unit v6 long", change_unit_v6_long, "/group[g]/pool[2001:db8::/60]/unit-length: 65" },
	{ "until is since", change_until_is_since, "/group[g]/pool[10.0.0.0/16]/until: 3" },
	{ "overlap", change_overlap, "/group[g]/pool[10.0.255.0/24]: overlaps pool 10.0.0.0/16" },
	{ "overlap in one epoch", change_overlap_one_epoch,
	    "/group[g]/pool[10.0.255.0/24]: overlaps pool 10.0.0.0/16" },
	{ "handover", change_handover, NULL },
	{ "overlap behind another", change_overlap_behind_another,
	    "/group[g]/pool[10.0.64.0/18]: overlaps pool 10.0.0.0/17" },
	{ "sentinel inside", change_sentinel_inside,
	    "/group[g]/pool[10.0.0.0/16]: contains the sentinel 10.0.7.7/32" },
	{ "sentinel around", change_sentinel_around,
	    "/group[g]/pool[10.0.0.0/16]: contains the sentinel 10.0.0.0/8" },
	{ "pool without element", change_pool_without_element,
	    "/group[g]: there are IPv6 pools but no element" },
	{ "element without pool", change_element_without_pool,
	    "/group[g]: elements serve IPv6 but there is no IPv6 pool" },
	{ "entries, most", change_entries_most, NULL },
	{ "entries, too many", change_entries_too_many,
	    "/group[g]/element[a]/ipv4: a-ovr-v4 would need 85326 entries" },
	{ "entries, base", change_entries_base, "/group[g]/element[a]/ipv4: a-base-v4 would need" },
	{ "entries, alone", change_entries_alone, NULL },
	{ "units in turn", change_units_in_turn, NULL },
	{ "units together", change_units_together, "/group[g]: the IPv4 pools make more than" },
	{ "units huge", change_units_huge, "/group[g]: the IPv6 pools make more than" },
	{ "listeners", change_listeners, "/syslog/port: 5514 is the port of bmp" },
	{ "listeners on all", change_listeners_on_all, "/syslog/port: 5514 is the port of bmp" },
	{ "listeners on all of IPv6", change_listeners_on_all_ipv6,
	    "/syslog/port: 5514 is the port of bmp" },
	{ "listeners apart", change_listeners_apart, NULL },
};

static void
test_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *p = make_profile();
		struct error err = { "" };
		int rc;

		cases[i].change(p);
		profile_sort(p);
		rc = profile_check(p, &err);
		if (rc != (cases[i].want ? -EINVAL : 0) ||
		    (cases[i].want && strncmp(err.text, cases[i].want, strlen(cases[i].want))))
			fail_msg("%s: %d, %s", cases[i].name, rc, err.text);
		assert_int_equal(profile_check(p, NULL), rc);
		profile_free(p);
	}
}

static void
test_element_count(void **state)
{
	struct profile *p = make_profile();
	struct error err = { "" };
	size_t count = G->element_count;
	char id[8];

	(void)state;
	G->element_count = 0;
	assert_int_equal(profile_check(p, &err), -EINVAL);
	assert_string_equal(
	    err.text, "/group[g]: 0 elements, tombstones included; there must be 1 to 255");
	G->element_count = count;
	for (unsigned i = 3; i <= PROFILE_MAX_ELEMENTS; i++) {
		snprintf(id, sizeof(id), "e%u", i);
		add_element(G, id, i);
	}
	profile_sort(p);
	assert_int_equal(profile_check(p, &err), 0);
	add_element(G, "last", 256);
	profile_sort(p);
	assert_int_equal(profile_check(p, &err), -EINVAL);
	p->group_count = 0;
	assert_int_equal(profile_check(p, &err), -EINVAL);
	assert_string_equal(err.text, "/group: there is no group, add one");
	p->group_count = 1;
	profile_free(p);
	profile_free(NULL);
	profile_free(xcalloc(1, sizeof(*p)));
}

static void
test_sorting(void **state)
{
	static const char *const pools[] = { "9.0.0.0/16", "10.0.0.0/16", "10.0.0.0/16",
		"2001:db8::/60" };
	struct profile *p = make_profile();
	char text[PREFIX_TEXT_SIZE];

	(void)state;
	add_pool(G, "2001:db8::/60", 64, 0, PROFILE_EPOCH_NONE);
	POOL->until = 9;
	add_pool(G, "10.0.0.0/16", 24, 9, PROFILE_EPOCH_NONE);
	add_pool(G, "9.0.0.0/16", 24, 3, PROFILE_EPOCH_NONE);
	add_element(G, "Z", 7); /* before a: bytes, not letters */
	add_weight(A, 10, 3);
	add_weight(A, 9, 2);
	add_group(p, "f");
	profile_sort(p);
	assert_string_equal(p->groups[0].id, "f");
	assert_string_equal(p->groups[1].elements[0].id, "Z");
	assert_string_equal(p->groups[1].elements[1].id, "a");
	assert_int_equal(p->groups[1].elements[1].weights[0].epoch, 0);
	assert_int_equal(p->groups[1].elements[1].weights[1].epoch, 9);
	assert_int_equal(p->groups[1].elements[1].weights[2].epoch, 10);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(prefix_format(&p->groups[1].pools[i].prefix, text), pools[i]);
	assert_int_equal(p->groups[1].pools[1].since, 0);
	assert_int_equal(p->groups[1].pools[2].since, 9);
	profile_free(p);
}

static void
test_finding(void **state)
{
	struct profile *p = make_profile();
	const struct profile_group *g = NULL;

	(void)state;
	change_two_groups(p);
	replace(&B->name, "bertha");
	replace(&G->name, "north");
	assert_ptr_equal(profile_find_group(p, "g"), G);
	assert_ptr_equal(profile_find_group(p, "north"), G);
	assert_null(profile_find_group(p, "a"));
	assert_ptr_equal(profile_find_element(p, "bertha", &g), B);
	assert_ptr_equal(g, G);
	assert_ptr_equal(profile_find_element(p, "b", NULL), B);
	assert_string_equal(profile_find_element(p, "c", &g)->id, "c");
	assert_string_equal(g->id, "h");
	g = NULL;
	assert_null(profile_find_element(p, "g", &g));
	assert_null(g);
	profile_free(p);
}

static void
test_listed_ids(void **state)
{
	(void)state;
	assert_true(profile_id_is_among("a", "a"));
	assert_true(profile_id_is_among("a", "a,bc"));
	assert_true(profile_id_is_among("bc", "a,bc"));
	assert_false(profile_id_is_among("b", "a,bc"));
	assert_false(profile_id_is_among("c", "a,bc"));
	assert_false(profile_id_is_among("bcd", "a,bc"));
	assert_false(profile_id_is_among("a", ""));
	assert_false(profile_id_is_among("a", NULL));
}

static void
test_unit_count(void **state)
{
	struct profile *p = make_profile();

	(void)state;
	assert_int_equal(profile_unit_count(G, FAMILY_IPV4), 1024);
	assert_int_equal(profile_unit_count(G, FAMILY_IPV6), 0);
	assert_int_equal(profile_last_epoch(G, FAMILY_IPV4), 0);
	add_pool(G, "10.1.0.0/16", 24, 4, PROFILE_EPOCH_NONE);
	assert_int_equal(profile_unit_count(G, FAMILY_IPV4), 1280);
	POOL->until = 6;
	assert_int_equal(profile_last_epoch(G, FAMILY_IPV4), 6);
	assert_int_equal(profile_unit_count(G, FAMILY_IPV4), 256);
	add_weight(A, 12, 0);
	assert_int_equal(profile_last_epoch(G, FAMILY_IPV4), 12);
	assert_int_equal(profile_last_epoch(G, FAMILY_IPV6), 0); /* a does not serve it */
	assert_int_equal(profile_unit_count(G, FAMILY_IPV4), 256);
	profile_free(p);
}

/* ---- property: overlaps ---- */

static bool
overlap_anywhere(const struct profile_group *g)
{
	for (size_t i = 0; i < g->pool_count; i++)
		for (size_t j = 0; j < i; j++)
			if (prefix_overlaps(&g->pools[i].prefix, &g->pools[j].prefix) &&
			    g->pools[i].since < g->pools[j].until &&
			    g->pools[j].since < g->pools[i].until)
				return true;
	return false;
}

static void
test_overlap_property(void **state)
{
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	unsigned refused = 0;

	(void)state;
	print_message("SEED=%u\n", seed);
	srandom(seed);
	for (int round = 0; round < 2000; round++) {
		struct profile *p = make_profile();
		struct error err = { "" };
		bool want;
		int rc;

		for (long n = random() % 6; n >= 0; n--) {
			unsigned length = 12 + (unsigned)random() % 8,
			         since = (unsigned)random() % 4;
			struct prefix all = prefix("10.0.0.0/12");
			char text[PREFIX_TEXT_SIZE];

			all =
			    prefix_child(&all, length, (uint64_t)random() % (1u << (length - 12)));
			add_pool(G, prefix_format(&all, text), 20, since,
			    since + 1 + (unsigned)random() % 3);
		}
		POOL->unit_length = 20;
		POOL->until = 1 + (unsigned)random() % 4;
		profile_sort(p);
		want = overlap_anywhere(G);
		rc = profile_check(p, &err);
		if ((rc < 0) != want || (rc < 0 && !strstr(err.text, "overlaps")))
			fail_msg("round %d: %s", round, err.text);
		refused += want;
		profile_free(p);
	}
	assert_in_range(refused, 200, 1900);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_element_count),
		cmocka_unit_test(test_sorting),
		cmocka_unit_test(test_finding),
		cmocka_unit_test(test_listed_ids),
		cmocka_unit_test(test_unit_count),
		cmocka_unit_test(test_overlap_property),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
