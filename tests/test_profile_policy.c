/* SPDX-License-Identifier: BSD-3-Clause */
/* Contradictions of policy: every one of them broken once, with both places in the text; limits
 * from both sides; and what looks odd but is allowed. */
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

/* make_profile's group g: elements a and b over 10.0.0.0/16 in /26, IPv4 only. */
#define G (&p->groups[0])
#define A (&p->groups[0].elements[0])
#define B (&p->groups[0].elements[1])
#define POOL (&p->groups[0].pools[0])
#define SIGNAL (&p->groups[0].signal[FAMILY_IPV4])
#define CHANGE(name) static void change_##name(struct profile *p)

static void
add_split(struct profile_group *g, enum family family, unsigned survivors, unsigned bits)
{
	g->split[family] =
	    xreallocarray(g->split[family], g->split_count[family] + 1, sizeof(*g->split[family]));
	g->split[family][g->split_count[family]++] =
	    (struct profile_split){ (uint8_t)survivors, (uint8_t)bits };
}

static void
set_failed(struct profile *p, enum family family, const char *route)
{
	G->signal[family].has_failed = true;
	G->signal[family].failed_route = prefix(route);
}

static void
set_alter(struct profile *p, const char *route)
{
	SIGNAL->has_alter = true;
	SIGNAL->alter_route = prefix(route);
}

static void
serve_ipv6(struct profile *p)
{
	add_family(A, FAMILY_IPV6, 1);
	add_pool(G, "2001:db8::/58", 62, 0, PROFILE_EPOCH_NONE);
}

/* ---- damping ---- */

CHANGE(nothing)
{
	(void)p;
}
CHANGE(damping)
{
	G->damping_flaps = 3;
	G->damping_initial_s = G->damping_maximum_s = 60;
}
CHANGE(damping_turned)
{
	change_damping(p);
	G->damping_maximum_s = 59;
}
CHANGE(damping_off)
{
	change_damping_turned(p);
	G->damping_flaps = 0;
}

/* ---- splitting ---- */

CHANGE(split)
{
	add_split(G, FAMILY_IPV4, 2, 1);
	add_split(G, FAMILY_IPV4, 1, 6); /* /32 */
}
CHANGE(split_host)
{
	POOL->unit_length = 27;
	add_split(G, FAMILY_IPV4, 1, 6);
}
CHANGE(split_other_pool)
{
	add_pool(G, "10.9.0.0/30", 31, 0, PROFILE_EPOCH_NONE);
	add_split(G, FAMILY_IPV4, 1, 2);
}
CHANGE(split_old_pool)
{
	add_pool(G, "10.9.0.0/30", 32, 0, 1);
	add_split(G, FAMILY_IPV4, 1, 1);
}
CHANGE(split_v6)
{
	serve_ipv6(p);
	add_split(G, FAMILY_IPV6, 1, 2);
}
CHANGE(split_v6_long)
{
	serve_ipv6(p);
	add_split(G, FAMILY_IPV6, 1, 3);
}
CHANGE(split_beside_v6)
{
	serve_ipv6(p);
	add_split(G, FAMILY_IPV4, 1, 6);
}
CHANGE(split_no_family)
{
	add_split(G, FAMILY_IPV6, 1, 1);
}
CHANGE(split_most)
{
	POOL->prefix = prefix("10.0.0.0/10"); /* 65536 units and 64 pieces of each */
	add_split(G, FAMILY_IPV4, 1, 6);
}
CHANGE(split_too_many)
{
	change_split_most(p);
	add_pool(G, "11.0.0.0/26", 26, 0, PROFILE_EPOCH_NONE);
}
CHANGE(split_shadow)
{
	add_split(G, FAMILY_IPV4, 3, 2);
	add_split(G, FAMILY_IPV4, 1, 1);
}
CHANGE(split_same)
{
	add_split(G, FAMILY_IPV4, 3, 2);
	add_split(G, FAMILY_IPV4, 1, 2);
}

/* ---- signal routes ---- */

CHANGE(signal)
{
	set_failed(p, FAMILY_IPV4, "192.0.2.1/32");
	set_alter(p, "192.0.2.1/32"); /* the same one is allowed */
	SIGNAL->min_alive = 2;
}
CHANGE(signal_alive)
{
	change_signal(p);
	SIGNAL->min_alive = 3;
}
CHANGE(signal_alive_removed)
{
	change_signal(p);
	add_weight(B, 1, 0);
	B->removed = true;
}
CHANGE(signal_alone)
{
	SIGNAL->min_alive = 1;
}
CHANGE(signal_off)
{
	set_failed(p, FAMILY_IPV4, "192.0.2.1/32"); /* min-alive 0: later */
}
CHANGE(signal_v6)
{
	serve_ipv6(p);
	set_failed(p, FAMILY_IPV6, "2001:db8:1::1/128");
	G->signal[FAMILY_IPV6].min_alive = 1;
}
CHANGE(signal_v6_alive)
{
	change_signal_v6(p);
	G->signal[FAMILY_IPV6].min_alive = 2; /* a only */
}
CHANGE(signal_no_family)
{
	set_failed(p, FAMILY_IPV6, "2001:db8:1::1/128");
}
CHANGE(signal_network)
{
	set_failed(p, FAMILY_IPV4, "192.0.2.0/31");
}
CHANGE(signal_network_v6)
{
	serve_ipv6(p);
	set_failed(p, FAMILY_IPV6, "2001:db8:1::/64");
}
CHANGE(signal_family)
{
	set_alter(p, "2001:db8:1::1/128");
}
CHANGE(signal_martian)
{
	set_alter(p, "240.0.0.1/32");
}
CHANGE(signal_martian_v6)
{
	serve_ipv6(p);
	set_failed(p, FAMILY_IPV6, "::1/128");
}
CHANGE(signal_pool)
{
	set_failed(p, FAMILY_IPV4, "10.0.255.255/32");
}
CHANGE(signal_other_group)
{
	struct profile_group *h = add_group(p, "h");

	add_pool(h, "10.1.0.0/16", 26, 0, PROFILE_EPOCH_NONE);
	add_element(h, "c", 3);
	set_alter(p, "10.1.0.1/32");
}
CHANGE(signal_sentinel)
{
	set_alter(p, "192.0.2.255/32");
}
CHANGE(signal_in_sentinel)
{
	p->sentinel[FAMILY_IPV4] = prefix("192.0.2.0/24");
	set_alter(p, "192.0.2.255/32");
}
CHANGE(signal_peer)
{
	set_alter(p, "172.17.0.4/32"); /* outside of b */
}
CHANGE(signal_router)
{
	p->router.addresses = xcalloc(2, sizeof(*p->router.addresses));
	p->router.addresses[0] = ip("198.51.100.1");
	p->router.addresses[1] = ip("198.51.100.2");
	p->router.address_count = 2;
	set_alter(p, "198.51.100.2/32");
}
CHANGE(signal_shared)
{
	struct profile_group *h = add_group(p, "h");

	add_pool(h, "10.0.0.0/16", 26, 0, PROFILE_EPOCH_NONE); /* the same pool as well */
	add_element(h, "c", 3);
	set_failed(p, FAMILY_IPV4, "192.0.2.1/32");
	h->signal[FAMILY_IPV4] = SIGNAL[0];
	SIGNAL->min_alive = 2;
	h->signal[FAMILY_IPV4].min_alive = 1;
}

/* ---- failure domains, capacity ---- */

CHANGE(domains)
{
	replace(&A->failure_domain, "host-1");
	replace(&B->failure_domain, "host-2");
}
CHANGE(domain_of_all)
{
	replace(&A->failure_domain, "host-1");
	replace(&B->failure_domain, "host-1");
}
CHANGE(domain_of_one)
{
	replace(&A->failure_domain, "host-1");
}
CHANGE(domain_of_the_rest)
{
	struct profile_element *c;

	change_domain_of_all(p);
	c = add_element(G, "c", 3);
	add_weight(c, 1, 0);
	c->removed = true;
}
CHANGE(domain_alone)
{
	change_domain_of_all(p);
	add_weight(B, 1, 0);
	B->removed = true;
}
CHANGE(domain_of_three)
{
	change_domain_of_all(p);
	add_element(G, "c", 3)->failure_domain = xstrdup("host-2");
}
CHANGE(capacity)
{
	A->capacity_milli = 1; /* without a label, and none for b */
}

static const struct {
	const char *name;
	void (*change)(struct profile *p);
	const char *want;  /* the error begins so; NULL: none */
	const char *other; /* the other place that it names; NULL: there is no other */
} cases[] = {
	{ "nothing", change_nothing, NULL, NULL },
	{ "damping", change_damping, NULL, NULL },
	{ "damping turned", change_damping_turned,
	    "/group[g]/damping/initial: 60 seconds are more than the 59 of",
	    "/group[g]/damping/maximum" },
	{ "damping off", change_damping_off, NULL, NULL },
	{ "split", change_split, NULL, NULL },
	{ "split past a host", change_split_host,
	    "/group[g]/split[ipv4][1]/bits: 6 would cut the /27 units of",
	    "/group[g]/pool[10.0.0.0/16] into /33 and the longest is /32, use fewer" },
	{ "split of another pool", change_split_other_pool,
	    "/group[g]/split[ipv4][1]/bits: 2 would", "/group[g]/pool[10.9.0.0/30] into /33" },
	{ "split of an old pool", change_split_old_pool, "/group[g]/split[ipv4][1]/bits: 1 would",
	    "/group[g]/pool[10.9.0.0/30] into /33" },
	{ "split v6", change_split_v6, NULL, NULL },
	{ "split v6 past /64", change_split_v6_long,
	    "/group[g]/split[ipv6][1]/bits: 3 would cut the /62 units of",
	    "/group[g]/pool[2001:db8::/58] into /65 and the longest is /64, use fewer" },
	{ "split beside longer units of the other family", change_split_beside_v6, NULL, NULL },
	{ "split without the family", change_split_no_family,
	    "/group[g]/split[ipv6][1]: no /group[g]/element serves IPv6", "/group[g]/element" },
	{ "split, most pieces", change_split_most, NULL, NULL },
	{ "split, too many pieces", change_split_too_many,
	    "/group[g]/split[ipv4][1]/bits: 6 may cut the 65537 units of",
	    "/group[g]/pool into more than 4194304" },
	{ "split shadowed", change_split_shadow, "/group[g]/split[ipv4][1]/bits: 1 has no effect,",
	    "/group[g]/split[ipv4][3] cuts by 2" },
	{ "split the same", change_split_same, NULL, NULL },
	{ "signal", change_signal, NULL, NULL },
	{ "signal always", change_signal_alive,
	    "/group[g]/signal/ipv4/min-alive: 3 is more than the 2 of", "/group[g]/element" },
	{ "signal always, for one is removed", change_signal_alive_removed,
	    "/group[g]/signal/ipv4/min-alive: 2 is more than the 1 of", "/group[g]/element" },
	{ "signal without a route", change_signal_alone,
	    "/group[g]/signal/ipv4/min-alive: 1 has no effect without",
	    "/group[g]/signal/ipv4/failed-route" },
	{ "signal off", change_signal_off, NULL, NULL },
	{ "signal v6", change_signal_v6, NULL, NULL },
	{ "signal v6 always", change_signal_v6_alive,
	    "/group[g]/signal/ipv6/min-alive: 2 is more than the 1 of",
	    "/group[g]/element that serve IPv6" },
	{ "signal without the family", change_signal_no_family, "/group[g]/signal/ipv6: no",
	    "/group[g]/element serves IPv6" },
	{ "signal of a network", change_signal_network,
	    "/group[g]/signal/ipv4/failed-route: 192.0.2.0/31 is not an IPv4 host prefix", NULL },
	{ "signal of a network v6", change_signal_network_v6,
	    "/group[g]/signal/ipv6/failed-route: 2001:db8:1::/64 is not an IPv6 host prefix",
	    NULL },
	{ "signal of another family", change_signal_family,
	    "/group[g]/signal/ipv4/alter-route: 2001:db8:1::1/128 is not an IPv4 host prefix",
	    NULL },
	{ "signal of a martian", change_signal_martian,
	    "/group[g]/signal/ipv4/alter-route: 240.0.0.1/32 is an address that routers", NULL },
	{ "signal of a martian v6", change_signal_martian_v6,
	    "/group[g]/signal/ipv6/failed-route: ::1/128 is an address that routers", NULL },
	{ "signal in a pool", change_signal_pool,
	    "/group[g]/signal/ipv4/failed-route: 10.0.255.255/32 is inside",
	    "/group[g]/pool[10.0.0.0/16]" },
	{ "signal in a pool of another group", change_signal_other_group,
	    "/group[g]/signal/ipv4/alter-route: 10.1.0.1/32 is inside",
	    "/group[h]/pool[10.1.0.0/16]" },
	{ "signal is the sentinel", change_signal_sentinel,
	    "/group[g]/signal/ipv4/alter-route: 192.0.2.255/32 is /sentinel/ipv4",
	    "/sentinel/ipv4" },
	{ "signal in the sentinel", change_signal_in_sentinel,
	    "/group[g]/signal/ipv4/alter-route: 192.0.2.255/32 is inside", "/sentinel/ipv4" },
	{ "signal is a peer", change_signal_peer,
	    "/group[g]/signal/ipv4/alter-route: 172.17.0.4/32 is",
	    "/group[g]/element[b]/ipv4/outside/peer" },
	{ "signal is the router", change_signal_router,
	    "/group[g]/signal/ipv4/alter-route: 198.51.100.2/32 is", "/router/address" },
	{ "signal shared, pool shared", change_signal_shared, NULL, NULL },
	{ "domains", change_domains, NULL, NULL },
	{ "domain of all", change_domain_of_all,
	    "/group[g]/element[b]/failure-domain: host-1 is also that of",
	    "/group[g]/element[a]/failure-domain" },
	{ "domain of one", change_domain_of_one, NULL, NULL },
	{ "domain of those who are left", change_domain_of_the_rest,
	    "/group[g]/element[b]/failure-domain: host-1 is also that of",
	    "/group[g]/element[a]/failure-domain" },
	{ "domain of the only element", change_domain_alone, NULL, NULL },
	{ "domain of two of three", change_domain_of_three, NULL, NULL },
	{ "capacity", change_capacity, NULL, NULL },
};

static void
test_contradictions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *p = make_profile();

		cases[i].change(p);
		assert_verdict(p, cases[i].name, cases[i].want, cases[i].other);
		profile_free(p);
	}
}

/* A table that is accepted never cuts less with fewer survivors, whatever its lines. */
static void
test_split_tables(void **state)
{
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);
	unsigned refused = 0;

	(void)state;
	print_message("SEED=%u\n", seed);
	srandom(seed);
	for (int round = 0; round < 2000; round++) {
		struct profile *p = make_profile();
		struct error err = { "" };
		unsigned bits_of[8] = { 0 }, last = 6;
		bool want = false;

		POOL->unit_length = 20;
		for (long n = random() % 5; n >= 0; n--)
			bits_of[1 + random() % 7] = 1 + (unsigned)random() % 6;
		for (unsigned survivors = 7; survivors > 0; survivors--)
			if (bits_of[survivors])
				add_split(G, FAMILY_IPV4, survivors, bits_of[survivors]);
		for (unsigned survivors = 1; survivors < 8; survivors++) {
			want |= bits_of[survivors] > last;
			last = bits_of[survivors] ? bits_of[survivors] : last;
		}
		profile_sort(p);
		for (size_t i = 1; i < G->split_count[FAMILY_IPV4]; i++)
			assert_true(G->split[FAMILY_IPV4][i - 1].survivors <
			            G->split[FAMILY_IPV4][i].survivors);
		if ((profile_check(p, &err) < 0) != want)
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
		cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_split_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
