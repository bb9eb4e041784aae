/* SPDX-License-Identifier: BSD-3-Clause */
/* Prefixes as values: what is accepted, what is refused, how they print, order and contain. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "prefix.h"

static struct prefix
parse(const char *text)
{
	struct prefix prefix;

	if (prefix_parse(text, &prefix) < 0)
		fail_msg("%s is no prefix", text);
	return prefix;
}

static struct ip
parse_ip(const char *text)
{
	struct ip ip;

	if (ip_parse(text, &ip) < 0)
		fail_msg("%s is no address", text);
	return ip;
}

static void
test_parse(void **state)
{
	static const struct {
		const char *input, *want; /* want: the canonical text, NULL: refused */
		int error;
	} tests[] = {
		{ "10.0.0.0/8", "10.0.0.0/8", 0 },
		{ "0.0.0.0/0", "0.0.0.0/0", 0 },
		{ "255.255.255.255/32", "255.255.255.255/32", 0 },
		{ "192.0.2.1", "192.0.2.1/32", 0 },
		{ "::/0", "::/0", 0 },
		{ "::1", "::1/128", 0 },
		{ "2001:DB8:0:0:0:0:0:0/32", "2001:db8::/32", 0 },
		{ "2001:db8:0:1:0:0:0:0/64", "2001:db8:0:1::/64", 0 },
		{ "2001:db8:9c:000::/59", "2001:db8:9c::/59", 0 },
		{ "::ffff:192.0.2.0/120", "::ffff:192.0.2.0/120", 0 },
		{ "10.0.0.1/31", NULL, -EDOM },
		{ "10.0.0.1/0", NULL, -EDOM },
		{ "2001:db8::1/127", NULL, -EDOM },
		{ "8000::/0", NULL, -EDOM },
		{ "", NULL, -EINVAL },
		{ "/8", NULL, -EINVAL },
		{ "10.0.0.0/", NULL, -EINVAL },
		{ "10.0.0.0/33", NULL, -EINVAL },
		{ "10.0.0.0/08", NULL, -EINVAL },
		{ "10.0.0.0/+8", NULL, -EINVAL },
		{ "10.0.0.0/ 8", NULL, -EINVAL },
		{ "10.0.0.0/8 ", NULL, -EINVAL },
		{ "10.0.0.0/8/8", NULL, -EINVAL },
		{ "10.0.0/8", NULL, -EINVAL },
		{ "10.0.0.0.0/8", NULL, -EINVAL },
		{ "010.0.0.0/8", NULL, -EINVAL },
		{ "10.0.0.256/32", NULL, -EINVAL },
		{ "10.0.0.0/4294967304", NULL, -EINVAL },
		{ "2001:db8::/129", NULL, -EINVAL },
		{ "2001:db8::%eth0/64", NULL, -EINVAL },
		{ "router.example", NULL, -EINVAL },
		{ "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000/1", NULL, -EINVAL },
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct prefix prefix;
		char text[PREFIX_TEXT_SIZE];
		int error = prefix_parse(tests[i].input, &prefix);

		if (error != tests[i].error)
			fail_msg("\"%s\": %d, should be %d", tests[i].input, error, tests[i].error);
		if (tests[i].want)
			assert_string_equal(prefix_format(&prefix, text), tests[i].want);
	}
}

static void
test_failure_writes_nothing(void **state)
{
	struct prefix prefix = parse("10.0.0.0/8"), before = prefix;
	struct ip ip = prefix.address;

	assert_int_equal(prefix_parse("10.0.0.1/8", &prefix), -EDOM);
	assert_int_equal(prefix_parse("x", &prefix), -EINVAL);
	assert_memory_equal(&prefix, &before, sizeof(prefix));
	assert_int_equal(ip_parse("10.0.0.0/8", &ip), -EINVAL);
	assert_int_equal(ip_parse("10.0.0", &ip), -EINVAL);
	assert_memory_equal(&ip, &before.address, sizeof(ip));
}

static void
test_order(void **state)
{
	static const char *const ascending[] = { "0.0.0.0/0", "0.0.0.0/32", "9.255.255.255/32",
		"10.0.0.0/8", "10.0.0.0/16", "10.0.0.0/32", "10.0.0.1/32", "10.1.0.0/16",
		"128.0.0.0/1", "255.255.255.255/32", "::/0", "::/128", "a00::/8", "2001:db8::/32",
		"2001:db8::/64", "2001:db8:1::/48", "ff00::/8" };
	size_t count = sizeof(ascending) / sizeof(ascending[0]);

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++) {
			struct prefix a = parse(ascending[i]), b = parse(ascending[j]);
			int order = prefix_compare(&a, &b);

			if ((order > 0) - (order < 0) != (i > j) - (i < j))
				fail_msg("%s, %s: %d", ascending[i], ascending[j], order);
			assert_int_equal(prefix_compare_void(&a, &b), order);
		}
}

static void
test_contain(void **state)
{
	static const struct {
		const char *outer, *inner;
		bool contains, overlaps;
	} tests[] = {
		{ "10.0.0.0/8", "10.0.0.0/8", true, true },
		{ "10.0.0.0/8", "10.255.255.255/32", true, true },
		{ "10.0.0.0/8", "11.0.0.0/32", false, false },
		{ "10.0.0.0/9", "10.128.0.0/9", false, false },
		{ "10.0.0.0/15", "10.1.0.0/16", true, true },
		{ "10.0.0.0/15", "10.2.0.0/16", false, false },
		{ "10.1.0.0/16", "10.0.0.0/15", false, true },
		{ "0.0.0.0/0", "255.255.255.255/32", true, true },
		{ "0.0.0.0/0", "::/128", false, false },
		{ "::/0", "0.0.0.0/32", false, false },
		{ "2001:db8::/33", "2001:db8:7fff::/48", true, true },
		{ "2001:db8::/33", "2001:db8:8000::/48", false, false },
		{ "::1/128", "::1/128", true, true },
		{ "::1/128", "::/128", false, false },
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct prefix outer = parse(tests[i].outer), inner = parse(tests[i].inner);
		struct prefix host = prefix_of_ip(&inner.address);

		if (prefix_contains(&outer, &inner) != tests[i].contains ||
		    prefix_overlaps(&outer, &inner) != tests[i].overlaps ||
		    prefix_overlaps(&inner, &outer) != tests[i].overlaps)
			fail_msg("%s, %s", tests[i].outer, tests[i].inner);
		assert_int_equal(
		    prefix_contains_ip(&outer, &inner.address), prefix_contains(&outer, &host));
	}
}

static void
test_child_and_last(void **state)
{
	static const struct {
		const char *outer;
		unsigned length;
		uint64_t index;
		const char *child, *last; /* last address of the child */
	} tests[] = {
		{ "10.0.0.0/16", 26, 0, "10.0.0.0/26", "10.0.0.63" },
		{ "10.0.0.0/16", 26, 1, "10.0.0.64/26", "10.0.0.127" },
		{ "10.0.0.0/16", 26, 1023, "10.0.255.192/26", "10.0.255.255" },
		{ "10.0.0.0/24", 24, 0, "10.0.0.0/24", "10.0.0.255" },
		{ "0.0.0.0/0", 32, 0xffffffff, "255.255.255.255/32", "255.255.255.255" },
		{ "0.0.0.0/0", 0, 0, "0.0.0.0/0", "255.255.255.255" },
		{ "2001:db8::/56", 60, 15, "2001:db8:0:f0::/60",
		    "2001:db8:0:ff:ffff:ffff:ffff:ffff" },
		{ "2001:db8::/64", 127, 0x7fffffffffffffff, "2001:db8::ffff:ffff:ffff:fffe/127",
		    "2001:db8::ffff:ffff:ffff:ffff" },
		{ "::/0", 1, 1, "8000::/1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" },
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct prefix outer = parse(tests[i].outer);
		struct prefix child = prefix_child(&outer, tests[i].length, tests[i].index);
		struct ip last = prefix_last(&child), want = parse_ip(tests[i].last);
		char text[PREFIX_TEXT_SIZE];

		assert_string_equal(prefix_format(&child, text), tests[i].child);
		assert_int_equal(ip_compare(&last, &want), 0);
		assert_true(prefix_contains(&outer, &child));
		assert_true(prefix_contains_ip(&child, &last));
	}
}

static void
test_numbers(void **state)
{
	static const struct {
		const char *text;
		uint64_t high, low;
	} tests[] = {
		{ "0.0.0.0", 0, 0 },
		{ "10.0.0.255", 0, 0x0a0000ff },
		{ "255.255.255.255", 0, 0xffffffff },
		{ "::1", 0, 1 },
		{ "2001:db8::ffff:0:0:1", 0x20010db800000000, 0xffff000000000001 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		struct ip ip = parse_ip(tests[i].text), again;
		ip_number number = ip_to_number(&ip);

		assert_int_equal((uint64_t)(number >> 64), tests[i].high);
		assert_int_equal((uint64_t)number, tests[i].low);
		again = ip_from_number(number, ip.family);
		assert_int_equal(ip_compare(&again, &ip), 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_failure_writes_nothing),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_contain),
		cmocka_unit_test(test_child_and_last),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
