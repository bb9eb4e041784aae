/* SPDX-License-Identifier: BSD-3-Clause */
/* NAT pools in a profile: every rule broken once, with both places in the text; limits from both
 * sides; what looks odd but is allowed; and over random pools that exactly the overlaps are found.
 */
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

/* make_profile's group g: elements a and b over 10.0.0.0/16, here with NAT for IPv4: a has pool p
 * 203.0.113.0/26, b has q 203.0.113.64/26, under the supernet 203.0.113.0/24. */
#define G (&p->groups[0])
#define A (&p->groups[0].elements[0])
#define B (&p->groups[0].elements[1])
#define P (&A->family[FAMILY_IPV4].nat_pools[0])
#define Q (&B->family[FAMILY_IPV4].nat_pools[0])
#define CHANGE(name) static void change_##name(struct profile *p)

static void
add_supernet(struct profile_group *g, enum family family, const char *text)
{
	size_t count = g->supernet_count[family]++;

	g->supernets[family] =
	    xreallocarray(g->supernets[family], count + 1, sizeof(*g->supernets[family]));
	g->supernets[family][count] = prefix(text);
}

static struct profile *
make_nat_profile(void)
{
	struct profile *p = make_profile();

	G->return_path[FAMILY_IPV4] = RETURN_NAT_ROUTES;
	add_nat_pool(A, FAMILY_IPV4, "p", "203.0.113.0/26");
	add_nat_pool(B, FAMILY_IPV4, "q", "203.0.113.64/26");
	add_supernet(G, FAMILY_IPV4, "203.0.113.0/24");
	return p;
}

/* Group h with one element c over 10.8.0.0/16, its outside session elsewhere. */
static struct profile_group *
add_other(struct profile *p)
{
	struct profile_group *h = add_group(p, "h");
	struct profile_element *c = add_element(h, "c", 9);

	add_pool(h, "10.8.0.0/16", 26, 0, PROFILE_EPOCH_NONE);
	replace(&c->family[FAMILY_IPV4].peer[SIDE_OUTSIDE].instance, "OTHER");
	return h;
}

static struct profile_nat_pool *
add_other_pool(struct profile *p, const char *text)
{
	struct profile_group *h = add_other(p);

	h->return_path[FAMILY_IPV4] = RETURN_NAT_ROUTES;
	return add_nat_pool(&h->elements[0], FAMILY_IPV4, "r", text);
}

static void
share_instance(struct profile *p)
{
	replace(
	    &p->groups[1].elements[0].family[FAMILY_IPV4].peer[SIDE_OUTSIDE].instance, "master");
}

/* ---- return path and pools ---- */

CHANGE(nothing)
{
	(void)p;
}
CHANGE(pool_without_routes)
{
	G->return_path[FAMILY_IPV4] = RETURN_FILTER;
	G->supernet_count[FAMILY_IPV4] = 0;
}
CHANGE(supernet_without_routes)
{
	G->return_path[FAMILY_IPV4] = RETURN_FILTER;
}
CHANGE(element_without_pool)
{
	B->family[FAMILY_IPV4].nat_pool_count = 0;
	free(Q->id);
	add_weight(A, 5, 2);
}
CHANGE(tombstone_without_pool)
{
	change_element_without_pool(p);
	add_weight(B, 5, 0);
	B->removed = true;
}
CHANGE(tombstone_pool_again)
{
	add_weight(B, 5, 0);
	B->removed = true;
	Q->prefix = P->prefix;
}
CHANGE(routes_without_element)
{
	G->return_path[FAMILY_IPV6] = RETURN_NAT_ROUTES;
}
CHANGE(blocks_without_pba)
{
	G->blocks_per_host_milli[FAMILY_IPV4] = 1250;
}
CHANGE(blocks_of_ipv6)
{
	G->blocks_per_host_milli[FAMILY_IPV6] = 1250;
}
CHANGE(blocks)
{
	G->blocks_per_host_milli[FAMILY_IPV4] = 1250;
	Q->kind = NAT_PBA;
}
CHANGE(no_supernet)
{
	G->supernet_count[FAMILY_IPV4] = 0;
}

/* ---- one pool ---- */

CHANGE(other_family)
{
	P->prefix = prefix("2001:db8:5::/64");
}
CHANGE(other_family_host)
{
	add_host(P, "2001:db8:5::/128");
}
CHANGE(sentinel)
{
	P->prefix = prefix("192.0.2.0/24");
}
CHANGE(failed_route)
{
	G->signal[FAMILY_IPV4].has_failed = true;
	G->signal[FAMILY_IPV4].failed_route = prefix("203.0.113.63/32");
}
CHANGE(alter_route)
{
	G->signal[FAMILY_IPV4].has_alter = true;
	G->signal[FAMILY_IPV4].alter_route = prefix("203.0.113.64/32");
}
CHANGE(signal_beside)
{
	G->signal[FAMILY_IPV4].has_alter = true;
	G->signal[FAMILY_IPV4].alter_route = prefix("203.0.113.128/32");
}
CHANGE(no_hosts)
{
	P->kind = NAT_DETERMINISTIC;
}
CHANGE(hosts_for_pba)
{
	add_host(P, "10.0.0.0/24");
	P->kind = NAT_PBA;
}
CHANGE(block_large)
{
	P->kind = NAT_PBA;
	P->block_size = 64513;
}
CHANGE(block_zero)
{
	change_block_large(p);
	P->block_size = 0;
}
CHANGE(block_largest)
{
	P->kind = NAT_PBA;
	P->block_size = 64512;
}
CHANGE(hosts_most)
{
	add_host(P, "10.0.0.0/18"); /* 64 addresses of 256 blocks */
	P->block_size = 252;
}
CHANGE(hosts_too_many)
{
	change_hosts_most(p);
	add_host(P, "10.0.64.0/32");
}
CHANGE(hosts_overlap)
{
	add_host(P, "10.0.7.0/24");
	add_host(P, "10.0.0.0/21");
}
CHANGE(hosts_overlap_pools)
{
	add_host(P, "10.0.7.0/24");
	add_host(add_nat_pool(A, FAMILY_IPV4, "pp", "203.0.113.128/26"), "10.0.7.128/32");
}
CHANGE(hosts_of_two_elements)
{
	add_host(P, "10.0.7.0/24");
	add_host(Q, "10.0.7.0/24");
}

/* ---- pools against others ---- */

CHANGE(overlap)
{
	Q->prefix = prefix("203.0.113.32/28");
}
CHANGE(overlap_same)
{
	Q->prefix = P->prefix;
}
CHANGE(overlap_one_element)
{
	add_nat_pool(A, FAMILY_IPV4, "pp", "203.0.113.0/25");
}
CHANGE(overlap_far)
{
	P->prefix = prefix("203.0.113.0/25");
	Q->prefix = prefix("203.0.113.0/28");
	add_nat_pool(B, FAMILY_IPV4, "qq", "203.0.113.120/32");
}
CHANGE(overlap_group)
{
	add_other_pool(p, "203.0.113.64/27");
	share_instance(p);
}
CHANGE(overlap_instance)
{
	add_other_pool(p, "203.0.113.64/27");
}
CHANGE(peer)
{
	P->prefix = prefix("172.17.0.0/24"); /* a has 172.17.0.3, b .4 */
	G->supernet_count[FAMILY_IPV4] = 0;
}
CHANGE(peer_inside)
{
	Q->prefix = prefix("172.16.0.4/32"); /* b's, inside */
	G->supernet_count[FAMILY_IPV4] = 0;
}
CHANGE(peer_beside)
{
	P->prefix = prefix("172.17.0.2/32");
	Q->prefix = prefix("172.17.0.5/32");
	G->supernet_count[FAMILY_IPV4] = 0;
}
CHANGE(peer_of_instance)
{
	add_other_pool(p, "172.17.0.0/29");
}
CHANGE(peer_of_tombstone)
{
	change_tombstone_pool_again(p);
	P->prefix = prefix("172.17.0.4/32");
	G->supernet_count[FAMILY_IPV4] = 0;
}
CHANGE(subscribers)
{
	P->prefix = prefix("10.0.7.0/24");
	G->supernet_count[FAMILY_IPV4] = 0;
}
CHANGE(subscribers_around)
{
	P->prefix = prefix("10.0.0.0/8");
	G->supernet_count[FAMILY_IPV4] = 0;
}
CHANGE(subscribers_same)
{
	P->prefix = prefix("10.0.0.0/16");
	G->supernet_count[FAMILY_IPV4] = 0;
}
CHANGE(subscribers_ended)
{
	add_pool(G, "203.0.113.0/25", 26, 0, 3);
}
CHANGE(subscribers_of_group)
{
	add_other(p);
	share_instance(p);
	P->prefix = prefix("10.8.7.0/24");
	G->supernet_count[FAMILY_IPV4] = 0;
}
CHANGE(subscribers_of_instance)
{
	add_other(p);
	P->prefix = prefix("10.8.7.0/24");
	G->supernet_count[FAMILY_IPV4] = 0;
}

/* ---- supernets ---- */

CHANGE(supernet_other_family)
{
	add_supernet(G, FAMILY_IPV4, "2001:db8::/32");
}
CHANGE(supernet_half)
{
	G->supernets[FAMILY_IPV4][0] = prefix("203.0.113.0/26");
}
CHANGE(supernet_exact)
{
	G->supernets[FAMILY_IPV4][0] = prefix("203.0.113.0/25");
	P->prefix = prefix("203.0.113.0/25");
	Q->prefix = prefix("203.0.113.128/25");
}
CHANGE(supernet_inside)
{
	add_supernet(G, FAMILY_IPV4, "203.0.113.0/28");
}
CHANGE(supernet_missing)
{
	Q->prefix = prefix("198.51.100.0/26");
}
CHANGE(supernet_two)
{
	Q->prefix = prefix("198.51.100.0/26");
	add_supernet(G, FAMILY_IPV4, "198.51.100.0/24");
}
CHANGE(supernet_useless)
{
	add_supernet(G, FAMILY_IPV4, "198.51.100.0/24");
}
CHANGE(supernet_subscribers)
{
	add_supernet(G, FAMILY_IPV4, "10.0.0.0/15");
}

CHANGE(supernet_subscribers_of_group)
{
	add_other(p);
	share_instance(p);
	G->supernets[FAMILY_IPV4][0] = prefix("10.8.0.0/15");
	P->prefix = prefix("10.9.0.0/26");
	Q->prefix = prefix("10.9.0.64/26");
}
CHANGE(supernet_subscribers_of_instance)
{
	change_supernet_subscribers_of_group(p);
	replace(&p->groups[1].elements[0].family[FAMILY_IPV4].peer[SIDE_OUTSIDE].instance, "X");
}

/* ---- IPv6 ---- */

static void
serve_ipv6(struct profile *p, const char *first, const char *second)
{
	G->return_path[FAMILY_IPV6] = RETURN_NAT_ROUTES;
	add_family(A, FAMILY_IPV6, 1);
	add_family(B, FAMILY_IPV6, 2);
	add_pool(G, "fd42::/58", 62, 0, PROFILE_EPOCH_NONE);
	add_nat_pool(A, FAMILY_IPV6, "p", first);
	add_nat_pool(B, FAMILY_IPV6, "q", second);
}

CHANGE(v6)
{
	serve_ipv6(p, "2001:db8:5::/64", "2001:db8:5:1::/64");
	add_supernet(G, FAMILY_IPV6, "2001:db8:5::/63");
	A->family[FAMILY_IPV6].nat_pools[0].block_size = 64512;
	add_host(&A->family[FAMILY_IPV6].nat_pools[0], "fd42::/48"); /* both more than 2^64 - 1 */
}
CHANGE(v6_overlap)
{
	serve_ipv6(p, "2001:db8:5::/64", "2001:db8:5::/112");
}

static const struct {
	const char *name;
	void (*change)(struct profile *p);
	const char *want;  /* the error begins so; NULL: none */
	const char *other; /* and names this place as well, or NULL */
} cases[] = {
#define CASE(name) #name, change_##name
	{ CASE(nothing), NULL, NULL },
	{ CASE(pool_without_routes), "/group[g]/element[a]/ipv4/nat-pool[p]: has no effect",
	    "/group[g]/nat/ipv4/return-path is filter" },
	{ CASE(supernet_without_routes), "/group[g]/nat/ipv4/supernet: has no effect",
	    "/group[g]/nat/ipv4/return-path is filter" },
	{ CASE(element_without_pool), "/group[g]/element[b]/ipv4: has no nat-pool",
	    "/group[g]/nat/ipv4/return-path is nat-routes" },
	{ CASE(tombstone_without_pool), NULL, NULL },
	{ CASE(tombstone_pool_again), NULL, NULL },
	{ CASE(routes_without_element), "/group[g]/nat/ipv6/return-path: is nat-routes but no",
	    NULL },
	{ CASE(no_supernet), NULL, NULL },
	{ CASE(blocks), NULL, NULL },
	{ CASE(blocks_of_ipv6), "/group[g]/nat/ipv6/blocks-per-host: is for IPv4 only", NULL },
	{ CASE(blocks_without_pba), "/group[g]/nat/ipv4/blocks-per-host: has no effect, no element",
	    NULL },
	{ CASE(other_family),
	    "/group[g]/element[a]/ipv4/nat-pool[p]/prefix: 2001:db8:5::/64 is not an IPv4", NULL },
	{ CASE(other_family_host),
	    "/group[g]/element[a]/ipv4/nat-pool[p]/host-prefix: 2001:db8:5::/128 is not an IPv4",
	    NULL },
	{ CASE(sentinel),
	    "/group[g]/element[a]/ipv4/nat-pool[p]/prefix: contains the sentinel 192.0.2.255/32",
	    NULL },
	{ CASE(failed_route), "/group[g]/element[a]/ipv4/nat-pool[p]/prefix: contains ",
	    "/group[g]/signal/ipv4/failed-route" },
	{ CASE(alter_route), "/group[g]/element[b]/ipv4/nat-pool[q]/prefix: contains ",
	    "/group[g]/signal/ipv4/alter-route" },
	{ CASE(signal_beside), NULL, NULL },
	{ CASE(no_hosts), "/group[g]/element[a]/ipv4/nat-pool[p]/kind: is deterministic", NULL },
	{ CASE(hosts_for_pba),
	    "/group[g]/element[a]/ipv4/nat-pool[p]/host-prefix: has no effect for kind pba", NULL },
	{ CASE(block_large), "/group[g]/element[a]/ipv4/nat-pool[p]/block-size: 64513", NULL },
	{ CASE(block_zero), "/group[g]/element[a]/ipv4/nat-pool[p]/block-size: 0", NULL },
	{ CASE(block_largest), NULL, NULL },
	{ CASE(hosts_most), NULL, NULL },
	{ CASE(hosts_too_many),
	    "/group[g]/element[a]/ipv4/nat-pool[p]/host-prefix: 16385 hosts and only 16384", NULL },
	{ CASE(hosts_overlap),
	    "/group[g]/element[a]/ipv4/nat-pool[p]/host-prefix: 10.0.7.0/24 overlaps 10.0.0.0/21",
	    NULL },
	{ CASE(hosts_overlap_pools),
	    "/group[g]/element[a]/ipv4/nat-pool[pp]/host-prefix: 10.0.7.128/32 overlaps "
	    "10.0.7.0/24",
	    "/group[g]/element[a]/ipv4/nat-pool[p]" },
	{ CASE(hosts_of_two_elements), NULL, NULL },
	{ CASE(overlap),
	    "/group[g]/element[b]/ipv4/nat-pool[q]/prefix: 203.0.113.32/28 overlaps 203.0.113.0/26",
	    "/group[g]/element[a]/ipv4/nat-pool[p]" },
	{ CASE(overlap_same), "/group[g]/element[", "203.0.113.0/26 overlaps 203.0.113.0/26 of" },
	{ CASE(overlap_one_element),
	    "/group[g]/element[a]/ipv4/nat-pool[p]/prefix: 203.0.113.0/26 overlaps 203.0.113.0/25",
	    "/group[g]/element[a]/ipv4/nat-pool[pp]" },
	{ CASE(overlap_far),
	    "/group[g]/element[b]/ipv4/nat-pool[q]/prefix: 203.0.113.0/28 overlaps",
	    "/group[g]/element[a]/ipv4/nat-pool[p]" },
	{ CASE(overlap_group), "/group[h]/element[c]/ipv4/nat-pool[r]/prefix: 203.0.113.64/27",
	    "/group[g]/element[b]/ipv4/nat-pool[q]" },
	{ CASE(overlap_instance), NULL, NULL },
	{ CASE(peer),
	    "/group[g]/element[a]/ipv4/nat-pool[p]/prefix: 172.17.0.0/24 contains 172.17.0.",
	    "/group[g]/element[a]/ipv4/outside/peer" },
	{ CASE(peer_inside), "/group[g]/element[b]/ipv4/nat-pool[q]/prefix: 172.16.0.4/32 contains",
	    "/group[g]/element[b]/ipv4/inside/peer" },
	{ CASE(peer_beside), NULL, NULL },
	{ CASE(peer_of_instance), NULL, NULL },
	{ CASE(peer_of_tombstone), NULL, NULL },
	{ CASE(subscribers),
	    "/group[g]/element[a]/ipv4/nat-pool[p]/prefix: 10.0.7.0/24 overlaps subscribers",
	    "/group[g]/pool[10.0.0.0/16]" },
	{ CASE(subscribers_around),
	    "/group[g]/element[a]/ipv4/nat-pool[p]/prefix: 10.0.0.0/8 overlaps subscribers",
	    "/group[g]/pool[10.0.0.0/16]" },
	{ CASE(subscribers_same),
	    "/group[g]/element[a]/ipv4/nat-pool[p]/prefix: 10.0.0.0/16 overlaps subscribers",
	    "/group[g]/pool[10.0.0.0/16]" },
	{ CASE(subscribers_ended), NULL, NULL },
	{ CASE(subscribers_of_group),
	    "/group[g]/element[a]/ipv4/nat-pool[p]/prefix: 10.8.7.0/24 overlaps subscribers",
	    "/group[h]/pool[10.8.0.0/16]" },
	{ CASE(subscribers_of_instance), NULL, NULL },
	{ CASE(supernet_other_family),
	    "/group[g]/nat/ipv4/supernet: 2001:db8::/32 is not an IPv4 prefix", NULL },
	{ CASE(supernet_half),
	    "/group[g]/nat/ipv4/supernet: the discard route for 203.0.113.0/26 would win",
	    "/group[g]/element[a]/ipv4/nat-pool[p]" },
	{ CASE(supernet_exact),
	    "/group[g]/nat/ipv4/supernet: the discard route for 203.0.113.0/25 would win",
	    "/group[g]/element[a]/ipv4/nat-pool[p]" },
	{ CASE(supernet_inside), "/group[g]/nat/ipv4/supernet: 203.0.113.0/28 covers no nat-pool",
	    NULL },
	{ CASE(supernet_missing), "/group[g]/nat/ipv4/supernet: none covers",
	    "/group[g]/element[b]/ipv4/nat-pool[q]" },
	{ CASE(supernet_two), NULL, NULL },
	{ CASE(supernet_useless), "/group[g]/nat/ipv4/supernet: 198.51.100.0/24 covers no nat-pool",
	    NULL },
	{ CASE(supernet_subscribers),
	    "/group[g]/nat/ipv4/supernet: 10.0.0.0/15 overlaps subscribers",
	    "/group[g]/pool[10.0.0.0/16]" },
	{ CASE(supernet_subscribers_of_group),
	    "/group[g]/nat/ipv4/supernet: 10.8.0.0/15 overlaps subscribers, "
	    "/group[h]/pool[10.8.0.0/16]",
	    "in the instance" },
	{ CASE(supernet_subscribers_of_instance), NULL, NULL },
	{ CASE(v6), NULL, NULL },
	{ CASE(v6_overlap),
	    "/group[g]/element[b]/ipv6/nat-pool[q]/prefix: 2001:db8:5::/112 overlaps",
	    "/group[g]/element[a]/ipv6/nat-pool[p]" },
};

static void
test_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *p = make_nat_profile();

		cases[i].change(p);
		assert_verdict(p, cases[i].name, cases[i].want, cases[i].other);
		profile_free(p);
	}
}

/* Few addresses, so that about half of the profiles have a clash; each judged pair by pair. */
static void
test_random_overlaps(void **state)
{
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	unsigned refused = 0;

	(void)state;
	print_message("SEED=%u\n", seed);
	srandom(seed);
	for (int round = 0; round < 2000; round++) {
		struct profile *p = make_nat_profile();
		struct profile_nat_pool *r = add_other_pool(p, "203.0.113.0/24");
		struct profile_nat_pool *pools[] = { P, Q, r };
		bool is_shared = random() % 2, want = false;
		struct prefix all = prefix("203.0.113.0/24");
		struct error err = { "" };

		if (is_shared)
			share_instance(p);
		for (size_t i = 0; i < 3; i++) {
			unsigned length = 25 + (unsigned)random() % 6;

			pools[i]->prefix =
			    prefix_child(&all, length, (uint64_t)random() % (1U << (length - 24)));
			for (size_t j = 0; j < i; j++)
				want |= (i < 2 || is_shared) &&
				        prefix_overlaps(&pools[i]->prefix, &pools[j]->prefix);
		}
		profile_sort(p);
		if ((profile_check(p, &err) < 0) != want)
			fail_msg("round %d: %s", round, err.text);
		refused += want;
		profile_free(p);
	}
	assert_in_range(refused, 100, 1900);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_random_overlaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
