/* SPDX-License-Identifier: BSD-3-Clause */
/* NAT pools as numbers: known translations, limits of ports, addresses and hosts, and over random
 * pools that both directions agree and no two hosts share a port. */
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
#include "nat.h"
#include "nat_cover.h"
#include "profile.h"
#include "profile_build.h"

enum { MOST_HOSTS = 4 };

struct rule {
	const char *pool;
	unsigned block_size;
	const char *hosts[MOST_HOSTS];
};

static struct profile_nat_pool
make_pool(const struct rule *rule)
{
	struct profile_nat_pool pool = { .kind = NAT_DETERMINISTIC };

	pool.prefix = prefix(rule->pool);
	pool.block_size = (uint16_t)rule->block_size;
	pool.hosts = xcalloc(MOST_HOSTS, sizeof(*pool.hosts));
	while (pool.host_count < MOST_HOSTS && rule->hosts[pool.host_count]) {
		pool.hosts[pool.host_count] = prefix(rule->hosts[pool.host_count]);
		pool.host_count++;
	}
	return pool;
}

/* ---- known ones ---- */

static void
test_translations(void **state)
{
	static const struct {
		struct rule rule;
		const char *host;
		const char *want; /* public address; NULL: not translated */
		unsigned first, last;
	} cases[] = {
		/* 64512 ports are 252 blocks of 256 */
		{ { "203.0.113.0/24", 256, { "10.0.0.0/16" } }, "10.0.0.0", "203.0.113.0", 1024,
		    1279 },
		{ { "203.0.113.0/24", 256, { "10.0.0.0/16" } }, "10.0.0.251", "203.0.113.0", 65280,
		    65535 },
		{ { "203.0.113.0/24", 256, { "10.0.0.0/16" } }, "10.0.0.252", "203.0.113.1", 1024,
		    1279 },
		/* host 64511 of 64512, and the first without a block */
		{ { "203.0.113.0/24", 256, { "10.0.0.0/16" } }, "10.0.251.255", "203.0.113.255",
		    65280, 65535 },
		{ { "203.0.113.0/24", 256, { "10.0.0.0/16" } }, "10.0.252.0", NULL, 0, 0 },
		{ { "203.0.113.0/24", 256, { "10.0.0.0/16" } }, "10.1.0.0", NULL, 0, 0 },
		/* the order of the rule counts, not that of addresses */
		{ { "203.0.113.8/31", 252, { "10.9.0.0/24", "10.1.0.0/24" } }, "10.1.0.3",
		    "203.0.113.9", 1780, 2031 },
		/* a rest of ports is not used: 64512 = 2 * 30000 + 4512 */
		{ { "203.0.113.8/31", 30000, { "10.1.0.0/30" } }, "10.1.0.1", "203.0.113.8", 31024,
		    61023 },
		{ { "203.0.113.8/31", 30000, { "10.1.0.0/30" } }, "10.1.0.2", "203.0.113.9", 1024,
		    31023 },
		/* one block an address; blocks of one port */
		{ { "203.0.113.8/32", 64512, { "10.1.0.0/31" } }, "10.1.0.0", "203.0.113.8", 1024,
		    65535 },
		{ { "203.0.113.8/32", 64512, { "10.1.0.0/31" } }, "10.1.0.1", NULL, 0, 0 },
		{ { "203.0.113.8/32", 1, { "10.1.0.0/16" } }, "10.1.251.255", "203.0.113.8", 65535,
		    65535 },
		/* IPv6, more hosts than numbers: only the first ones have blocks */
		{ { "2001:db8:1::/64", 64512, { "fd00::/48" } }, "fd00::1:0:0", "2001:db8:1::1:0:0",
		    1024, 65535 },
		{ { "2001:db8:1::/120", 64512, { "fd00::/48" } }, "fd00:0:0:1::", NULL, 0, 0 },
		{ { "2001:db8:1::/120", 64512, { "fd00::/48" } }, "fd00::100", NULL, 0, 0 },
		/* and behind such a prefix nobody */
		{ { "2001:db8::/32", 64512, { "fd00::/48", "fd01::/128" } }, "fd01::", NULL, 0, 0 },
		{ { "2001:db8::/32", 0, { "fd00::/48" } }, "fd00::", NULL, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile_nat_pool pool = make_pool(&cases[i].rule);
		struct ip host = ip(cases[i].host), back, want;
		struct nat_block block = { 0 };
		int rc = nat_translate(&pool, &host, &block);

		assert_int_equal(rc, cases[i].want ? 0 : -ERANGE);
		if (cases[i].want) {
			want = ip(cases[i].want);
			assert_int_equal(ip_compare(&block.address, &want), 0);
			assert_int_equal(block.first_port, cases[i].first);
			assert_int_equal(block.last_port, cases[i].last);
			assert_int_equal(
			    nat_host_of(&pool, &block.address, block.last_port, &back), 0);
			assert_int_equal(ip_compare(&back, &host), 0);
		}
		free(pool.hosts);
	}
}

static void
test_nobody(void **state)
{
	static const struct rule rule = { "203.0.113.8/31", 30000,
		{ "10.1.0.0/31", "10.9.0.0/32" } };
	static const struct {
		const char *address;
		unsigned port;
		const char *want;
	} cases[] = {
		{ "203.0.113.8", 1024, "10.1.0.0" },
		{ "203.0.113.8", 31023, "10.1.0.0" },
		{ "203.0.113.8", 61023, "10.1.0.1" },
		{ "203.0.113.9", 1024, "10.9.0.0" },
		{ "203.0.113.8", 1023, NULL }, /* well-known */
		{ "203.0.113.8", 0, NULL },
		{ "203.0.113.8", 61024, NULL }, /* the rest */
		{ "203.0.113.9", 31024, NULL }, /* a block without a host */
		{ "203.0.113.7", 1024, NULL },
		{ "203.0.113.10", 1024, NULL },
	};
	struct profile_nat_pool pool = make_pool(&rule);
	struct ip got;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ip address = ip(cases[i].address), want;
		int rc = nat_host_of(&pool, &address, (uint16_t)cases[i].port, &got);

		if (rc != (cases[i].want ? 0 : -ERANGE))
			fail_msg("%s %u: %d", cases[i].address, cases[i].port, rc);
		if (!cases[i].want)
			continue;
		want = ip(cases[i].want);
		assert_int_equal(ip_compare(&got, &want), 0);
	}
	free(pool.hosts);
}

static void
test_hosts_of_address(void **state)
{
	static const struct {
		struct rule rule;
		const char *address, *first, *last;
	} cases[] = {
		{ { "203.0.113.0/26", 252, { "10.64.0.0/18" } }, "203.0.113.3", "10.64.3.0",
		    "10.64.3.255" },
		/* the last one is not full */
		{ { "203.0.113.0/31", 256, { "10.64.0.0/24", "10.70.0.0/25" } }, "203.0.113.1",
		    "10.64.0.252", "10.70.0.127" },
		{ { "203.0.113.0/30", 256, { "10.64.0.0/24" } }, "203.0.113.2", NULL, NULL },
		{ { "203.0.113.0/30", 256, { "10.64.0.0/24" } }, "203.0.113.4", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile_nat_pool pool = make_pool(&cases[i].rule);
		struct ip address = ip(cases[i].address), first, last, want;
		int rc = nat_hosts_of(&pool, &address, &first, &last);

		assert_int_equal(rc, cases[i].first ? 0 : -ERANGE);
		if (cases[i].first) {
			want = ip(cases[i].first);
			assert_int_equal(ip_compare(&first, &want), 0);
			want = ip(cases[i].last);
			assert_int_equal(ip_compare(&last, &want), 0);
		}
		free(pool.hosts);
	}
}

static void
test_counts(void **state)
{
	static const struct {
		struct rule rule;
		uint32_t per_address;
		uint64_t blocks, hosts;
	} cases[] = {
		{ { "203.0.113.0/24", 256, { "10.0.0.0/16", "10.2.0.0/31" } }, 252, 252 * 256,
		    65538 },
		{ { "0.0.0.0/0", 1, { "10.0.0.0/32" } }, 64512, UINT64_C(64512) << 32, 1 },
		{ { "2001:db8::/65", 64512, { "fd00::/65" } }, 1, UINT64_C(1) << 63,
		    UINT64_C(1) << 63 },
		{ { "2001:db8::/65", 32256, { "fd00::/65", "fd01::/65" } }, 2, UINT64_MAX,
		    UINT64_MAX },
		{ { "2001:db8::/64", 64512, { "::/0" } }, 1, UINT64_MAX, UINT64_MAX },
		{ { "203.0.113.0/24", 64513, { NULL } }, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile_nat_pool pool = make_pool(&cases[i].rule);

		assert_int_equal(nat_blocks_per_address(&pool), cases[i].per_address);
		assert_true(nat_blocks(&pool) == cases[i].blocks);
		assert_true(nat_hosts(&pool) == cases[i].hosts);
		free(pool.hosts);
	}
}

/* ---- any pool ---- */

/* Disjoint host prefixes in a random order: cut from different /8 (or /16). */
static void
fill_random(struct profile_nat_pool *pool, enum family family)
{
	unsigned bits = family_bits(family);

	*pool = (struct profile_nat_pool){ .kind = NAT_DETERMINISTIC };
	pool->prefix = prefix(family == FAMILY_IPV4 ? "203.0.0.0/16" : "2001:db8::/112");
	pool->prefix = prefix_child(&pool->prefix, bits - (unsigned)random() % 6, 1);
	pool->block_size = (uint16_t)(1 + random() % (random() % 2 ? 64512 : 2000));
	pool->host_count = 1 + (size_t)random() % MOST_HOSTS;
	pool->hosts = xcalloc(pool->host_count, sizeof(*pool->hosts));
	for (size_t i = 0; i < pool->host_count; i++) {
		struct prefix all = prefix(family == FAMILY_IPV4 ? "0.0.0.0/0" : "::/0");
		uint64_t where = (pool->host_count - i) * 37 % 200;

		all = prefix_child(&all, 8, where);
		pool->hosts[i] =
		    prefix_child(&all, bits - (unsigned)random() % 9, (uint64_t)random() % 1000);
	}
}

static void
check_random_host(const struct profile_nat_pool *pool)
{
	const struct prefix *rule = &pool->hosts[(size_t)random() % pool->host_count];
	unsigned bits = family_bits(rule->address.family);
	uint64_t span = UINT64_C(1) << (bits - rule->length);
	struct ip host = prefix_child(rule, bits, (uint64_t)random() % span).address;
	struct nat_block block;
	struct ip back, first, last;

	if (nat_translate(pool, &host, &block) < 0) {
		assert_true(nat_hosts(pool) > nat_blocks(pool));
		return;
	}
	assert_true(prefix_contains_ip(&pool->prefix, &block.address));
	assert_true(block.first_port >= NAT_FIRST_PORT);
	assert_int_equal(block.last_port - block.first_port + 1, pool->block_size);
	for (unsigned port = block.first_port; port <= block.last_port; port++) {
		assert_int_equal(nat_host_of(pool, &block.address, (uint16_t)port, &back), 0);
		assert_int_equal(ip_compare(&back, &host), 0);
	}
	assert_int_equal(nat_hosts_of(pool, &block.address, &first, &last), 0);
}

/* host -> block -> every port of it -> the same host; so blocks of two hosts never overlap. */
static void
test_round_trip(void **state)
{
	unsigned seed = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL);

	(void)state;
	print_message("SEED=%u\n", seed);
	srandom(seed);
	for (int round = 0; round < 400; round++) {
		struct profile_nat_pool pool;

		fill_random(&pool, round % 2 ? FAMILY_IPV6 : FAMILY_IPV4);
		for (int n = 0; n < 10; n++)
			check_random_host(&pool);
		free(pool.hosts);
	}
}

/* Every port of an address belongs to the host whose block it is in, or to nobody: the blocks of
 * all hosts together are all ports that somebody has, each once. */
static void
test_disjoint(void **state)
{
	static const struct rule rule = { "203.0.113.0/30", 700, { "10.3.0.0/25", "10.1.0.0/26" } };
	struct profile_nat_pool pool = make_pool(&rule);
	unsigned char *taken = xcalloc(4 * 65536, 1);
	size_t ports = 0;

	(void)state;
	for (size_t h = 0; h < pool.host_count; h++) {
		uint64_t span = UINT64_C(1) << (32 - pool.hosts[h].length);

		for (uint64_t i = 0; i < span; i++) {
			struct ip host = prefix_child(&pool.hosts[h], 32, i).address;
			struct nat_block block;

			assert_int_equal(nat_translate(&pool, &host, &block), 0);
			for (unsigned p = block.first_port; p <= block.last_port; p++)
				assert_int_equal(taken[block.address.bytes[3] * 65536 + p]++, 0);
		}
	}
	for (unsigned p = 0; p < 4 * 65536; p++) {
		struct ip address = prefix_child(&pool.prefix, 32, p / 65536).address, host;
		int rc = nat_host_of(&pool, &address, (uint16_t)p, &host);

		assert_int_equal(rc, taken[p] ? 0 : -ERANGE);
		ports += taken[p];
	}
	assert_int_equal(ports, 192 * 700);
	free(taken);
	free(pool.hosts);
}

/* ---- in a profile ---- */

/* make_profile's /16 belongs to a and b in turns. */
static void
test_base_is_covered(void **state)
{
	static const struct {
		const char *hosts[3];
		size_t count;
		const char *want; /* the unit that is named; NULL: covered */
	} cases[] = {
		{ { "10.0.0.0/16" }, 1, NULL },
		{ { "10.0.128.0/17", "10.0.0.0/17" }, 2, NULL },
		{ { "0.0.0.0/0" }, 1, NULL },
		{ { "10.0.128.0/17", "10.0.0.0/18", "10.0.64.0/18" }, 3, NULL },
		{ { "10.0.0.0/17" }, 1, "10.0.128." },
		{ { "10.0.128.0/17" }, 1, "10.0.0." },
		{ { "10.0.0.0/27", "10.0.0.32/27" }, 2, "10.0.0." },
		{ { "10.1.0.0/16" }, 1, "10.0.0." },
	};
	struct profile *p = make_profile();
	struct profile_nat_pool *pool =
	    add_nat_pool(&p->groups[0].elements[0], FAMILY_IPV4, "det", "203.0.0.0/16");

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = { "" };
		int rc;

		pool->host_count = 0;
		for (size_t j = 0; j < cases[i].count; j++)
			add_host(pool, cases[i].hosts[j]);
		rc = nat_cover_check(p, &err);
		if (rc != (cases[i].want ? -EINVAL : 0) ||
		    (cases[i].want && !strstr(err.text, cases[i].want)))
			fail_msg("case %zu: %d, %s", i, rc, err.text);
		if (cases[i].want)
			assert_non_null(strstr(
			    err.text, "/group[g]/element[a]/ipv4/nat-pool[det]/host-prefix: "));
	}
	profile_free(p);
}

/* Units of a alone, one prefix each: that is enough for base, and leaves out all it is standby of,
 * unless it has another kind of pool besides. */
static void
test_standby_gaps(void **state)
{
	struct profile *p = make_profile();
	struct profile_group *g = &p->groups[0];
	struct profile_nat_pool *pool =
	    add_nat_pool(&g->elements[0], FAMILY_IPV4, "det", "203.0.0.0/16");
	struct layout_space *space;
	struct nat_gap gaps[2];
	struct prefix unit;

	(void)state;
	add_nat_pool(&g->elements[1], FAMILY_IPV4, "napt", "203.1.0.0/16");
	space = layout_space_new(g, FAMILY_IPV4);
	pool->kind = NAT_DETERMINISTIC;
	pool->hosts = xcalloc(1024, sizeof(*pool->hosts));
	for (size_t i = 0; i < 1024; i++)
		if (layout_space_base(space, i) == 0)
			pool->hosts[pool->host_count++] = layout_space_unit(space, i);
	assert_int_equal(nat_cover_check(p, NULL), 0);
	nat_cover_standby(space, gaps);
	assert_int_equal(gaps[0].standby_units, 512);
	assert_int_equal(gaps[0].uncovered_units, 512);
	assert_int_equal(gaps[1].standby_units, 512);
	assert_int_equal(gaps[1].uncovered_units, 0);
	unit = gaps[0].first;
	assert_int_equal(layout_space_base(space, layout_space_find(space, &unit.address)), 1);
	assert_false(nat_covers(&g->elements[0].family[FAMILY_IPV4], &unit));
	assert_true(nat_covers(&g->elements[0].family[FAMILY_IPV4], &pool->hosts[0]));
	add_nat_pool(&g->elements[0], FAMILY_IPV4, "over", "203.2.0.0/16")->kind = NAT_PBA;
	nat_cover_standby(space, gaps);
	assert_int_equal(gaps[0].uncovered_units, 0);
	assert_true(nat_covers(&g->elements[0].family[FAMILY_IPV4], &unit));
	layout_space_free(space);
	profile_free(p);
}

/* b fails: what a then carries and its rules leave out is what b had, but for one unit in a rule,
 * and one half of which is. */
static void
test_moved_gaps(void **state)
{
	struct profile *p = make_profile();
	struct profile_group *g = &p->groups[0];
	struct profile_nat_pool *pool =
	    add_nat_pool(&g->elements[0], FAMILY_IPV4, "det", "203.0.0.0/16");
	struct layout_space *space = layout_space_new(g, FAMILY_IPV4);
	const bool both[] = { true, true }, alone[] = { true, false };
	struct layout *before = layout_compute(space, both, 0);
	struct layout *after = layout_compute(space, alone, 0);
	struct nat_gap gaps[2];
	size_t others = 0;

	(void)state;
	add_nat_pool(&g->elements[1], FAMILY_IPV4, "napt", "203.1.0.0/16");
	pool->kind = NAT_DETERMINISTIC;
	pool->hosts = xcalloc(1024, sizeof(*pool->hosts));
	for (size_t i = 0; i < 1024; i++) {
		struct prefix unit = layout_space_unit(space, i);

		if (layout_space_base(space, i) == 0)
			pool->hosts[pool->host_count++] = unit;
		else if (others++ < 2)
			pool->hosts[pool->host_count++] =
			    others == 1 ? unit : prefix_child(&unit, unit.length + 1, 0);
	}
	assert_int_equal(nat_cover_moved(before, after, gaps), 511);
	assert_int_equal(gaps[0].uncovered_units, 511);
	assert_int_equal(gaps[1].uncovered_units, 0);
	assert_false(nat_covers(&g->elements[0].family[FAMILY_IPV4], &gaps[0].first));
	assert_int_equal(nat_cover_moved(after, after, gaps), 0);  /* nothing moves */
	assert_int_equal(nat_cover_moved(after, before, gaps), 0); /* b has another kind */
	layout_free(before);
	layout_free(after);
	after = layout_compute(space, alone, 2);
	before = layout_compute(space, both, 2);
	assert_int_equal(nat_cover_moved(before, after, gaps), 511); /* units, not pieces */
	layout_free(before);
	layout_free(after);
	layout_space_free(space);
	profile_free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_translations),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_hosts_of_address),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_disjoint),
		cmocka_unit_test(test_base_is_covered),
		cmocka_unit_test(test_standby_gaps),
		cmocka_unit_test(test_moved_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
