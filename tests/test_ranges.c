/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First match as disjoint ranges: named cases, and random prefixes against the plain definition,
 * address by address. The seed is printed; SEED=N repeats it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../tools/lab/router/ranges.h"

enum { ITEMS_MAX = 40, ROUNDS = 3000, SPACE = 256 };

static const struct {
	const char *name;
	const char *items; /* "PREFIX=VALUE", "!PREFIX=VALUE" is an except */
	const char *want;  /* "FIRST-LAST=VALUE" */
} cases[] = {
	{ "nothing", "", "" },
	{ "one prefix", "10.0.0.0/24=1", "10.0.0.0-10.0.0.255=1" },
	{ "the smaller value wins inside", "10.0.0.0/24=2 10.0.0.64/26=1",
	    "10.0.0.0-10.0.0.63=2 10.0.0.64-10.0.0.127=1 10.0.0.128-10.0.0.255=2" },
	{ "the smaller value wins outside", "10.0.0.0/24=1 10.0.0.64/26=2",
	    "10.0.0.0-10.0.0.255=1" },
	{ "neighbours are joined", "10.0.0.0/26=1 10.0.0.64/26=1", "10.0.0.0-10.0.0.127=1" },
	{ "neighbours of other values are not", "10.0.0.0/26=1 10.0.0.64/26=2",
	    "10.0.0.0-10.0.0.63=1 10.0.0.64-10.0.0.127=2" },
	{ "the same prefix twice", "10.0.0.0/26=3 10.0.0.0/26=2", "10.0.0.0-10.0.0.63=2" },
	{ "except of the same value", "10.0.0.0/24=1 !10.0.0.0/25=1", "10.0.0.128-10.0.0.255=1" },
	{ "except inside except", "10.0.0.0/24=1 !10.0.0.0/25=1 10.0.0.0/26=1",
	    "10.0.0.0-10.0.0.63=1 10.0.0.128-10.0.0.255=1" },
	{ "except leaves others alone", "10.0.0.0/24=1 !10.0.0.0/25=1 10.0.0.0/24=2",
	    "10.0.0.0-10.0.0.127=2 10.0.0.128-10.0.0.255=1" },
	{ "the whole space", "0.0.0.0/0=2 255.255.255.255/32=1",
	    "0.0.0.0-255.255.255.254=2 255.255.255.255-255.255.255.255=1" },
	{ "the whole IPv6 space", "::/0=2 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128=1 ::/128=1",
	    "::-::=1 ::1-ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe=2 "
	    "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff=1" },
};

static size_t
parse_items(const char *text, struct range_item *items)
{
	char copy[512], *rest = copy;
	size_t count = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word; (word = strsep(&rest, " "));) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value++ = '\0';
		items[count].except = *word == '!';
		items[count].value = (unsigned)atoi(value);
		assert_int_equal(prefix_parse(word + (*word == '!'), &items[count].prefix), 0);
		count++;
	}
	return count;
}

static void
print_ranges(const struct range *ranges, size_t count, char *out, size_t size)
{
	char first[IP_TEXT_SIZE], last[IP_TEXT_SIZE];
	int used = 0;

	*out = '\0';
	for (size_t i = 0; i < count; i++)
		used += snprintf(out + used, size - (size_t)used, "%s%s-%s=%u", i ? " " : "",
		    ip_format(&ranges[i].first, first), ip_format(&ranges[i].last, last),
		    ranges[i].value);
}

static void
test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct range_item items[ITEMS_MAX] = { 0 };
		size_t count = parse_items(cases[i].items, items), range_count;
		struct range *ranges;
		char got[1024];

		ranges_make(items, count, &ranges, &range_count);
		print_ranges(ranges, range_count, got, sizeof(got));
		free(ranges);
		if (strcmp(got, cases[i].want))
			fail_msg("%s: got '%s', want '%s'", cases[i].name, got, cases[i].want);
	}
}

/* The definition: of each value the longest prefix speaks, the smallest value that says yes wins.
 */
static int
owner_by_definition(const struct range_item *items, size_t count, const struct ip *ip)
{
	int best = -1;

	for (size_t i = 0; i < count; i++) {
		const struct range_item *deepest = NULL;

		for (size_t k = 0; k < count; k++)
			if (items[k].value == items[i].value &&
			    prefix_contains_ip(&items[k].prefix, ip) &&
			    (!deepest || items[k].prefix.length > deepest->prefix.length))
				deepest = &items[k];
		if (deepest && !deepest->except && (best < 0 || (int)deepest->value < best))
			best = (int)deepest->value;
	}
	return best;
}

static int
owner_in_ranges(const struct range *ranges, size_t count, const struct ip *ip)
{
	for (size_t i = 0; i < count; i++)
		if (ip_compare(&ranges[i].first, ip) <= 0 && ip_compare(ip, &ranges[i].last) <= 0)
			return (int)ranges[i].value;
	return -1;
}

/* Random prefixes of 10.0.0.0/24; the same prefix and value never both with and without except. */
static size_t
random_items(struct range_item *items)
{
	struct prefix all;
	size_t count = (size_t)(rand() % ITEMS_MAX), used = 0;

	assert_int_equal(prefix_parse("10.0.0.0/24", &all), 0);
	for (size_t i = 0; i < count; i++) {
		unsigned length = 24 + (unsigned)rand() % 9;
		struct range_item item = { .prefix = prefix_child(&all, length,
			                       (uint64_t)rand() % (1U << (length - 24))),
			.value = (unsigned)rand() % 5,
			.except = rand() % 4 == 0 };
		size_t k = 0;

		while (k < used && (prefix_compare(&items[k].prefix, &item.prefix) ||
		                       items[k].value != item.value))
			k++;
		if (k == used)
			items[used++] = item;
	}
	return used;
}

static void
test_against_definition(void **state)
{
	const char *text = getenv("SEED");
	unsigned seed = text ? (unsigned)atol(text) : (unsigned)time(NULL);

	(void)state;
	printf("# SEED=%u\n", seed);
	srand(seed);
	for (int round = 0; round < ROUNDS; round++) {
		struct range_item items[ITEMS_MAX];
		size_t count = random_items(items), range_count;
		struct range *ranges;

		ranges_make(items, count, &ranges, &range_count);
		for (unsigned i = 0; i < SPACE; i++) {
			struct ip ip = { .family = FAMILY_IPV4, .bytes = { 10, 0, 0, (uint8_t)i } };

			assert_int_equal(owner_in_ranges(ranges, range_count, &ip),
			    owner_by_definition(items, count, &ip));
		}
		for (size_t i = 1; i < range_count; i++)
			assert_true(ip_compare(&ranges[i - 1].last, &ranges[i].first) < 0);
		free(ranges);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases),
		cmocka_unit_test(test_against_definition) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
