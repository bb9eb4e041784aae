/* SPDX-License-Identifier: BSD-3-Clause */
/* Named prefix-lists: whatever the order of filling, sorted sets compare and answer alike. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "error.h"
#include "listset.h"

/* Fills a set from words: "name" begins a list (its first character is no digit), the rest are its
 * items. */
static struct listset
fill(const char *text)
{
	struct listset set = { 0 };
	struct prefix_list *list = NULL;
	char *copy = xstrdup(text), *save = NULL;

	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		struct prefix prefix;

		if (word[0] < '0' || word[0] > '9') {
			list = listset_list(&set, word);
			continue;
		}
		assert_int_equal(prefix_parse(word, &prefix), 0);
		prefix_list_add(list, &prefix);
	}
	free(copy);
	return set;
}

/* The set as words. Owned by the caller. */
static char *
print(const struct listset *set)
{
	char *text = xstrdup(""), *next;

	for (size_t i = 0; i < set->count; i++) {
		const struct prefix_list *list = &set->lists[i];
		const char *gap = *text ? " " : "";

		next = xasprintf("%s%s%s", text, gap, list->name);
		free(text);
		text = next;
		for (size_t j = 0; j < list->count; j++) {
			char prefix[PREFIX_TEXT_SIZE];

			next = xasprintf("%s %s", text, prefix_format(&list->items[j], prefix));
			free(text);
			text = next;
		}
	}
	return text;
}

static void
test_sort(void **state)
{
	static const struct {
		const char *name, *input, *want;
	} tests[] = {
		{ "nothing", "", "" },
		{ "an empty list stays", "b a", "a b" },
		{ "names by bytes", "b B a10 a2", "B a10 a2 b" },
		{ "items by address, then length", "a 10.0.1.0/24 10.0.0.0/16 10.0.0.0/24",
		    "a 10.0.0.0/16 10.0.0.0/24 10.0.1.0/24" },
		{ "IPv4 before IPv6", "a 2001:db8::/32 192.0.2.0/24",
		    "a 192.0.2.0/24 2001:db8::/32" },
		{ "duplicates once", "a 10.0.0.0/8 11.0.0.0/8 10.0.0.0/8 10.0.0.0/8",
		    "a 10.0.0.0/8 11.0.0.0/8" },
		{ "sorted but doubled", "a 10.0.0.0/8 10.0.0.0/8", "a 10.0.0.0/8" },
		{ "a name again goes on", "a 11.0.0.0/8 b 12.0.0.0/8 a 10.0.0.0/8",
		    "a 10.0.0.0/8 11.0.0.0/8 b 12.0.0.0/8" },
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct listset set = fill(tests[i].input);
		char *have;

		listset_sort(&set);
		have = print(&set);
		if (strcmp(have, tests[i].want) != 0)
			fail_msg(
			    "%s: \"%s\", should be \"%s\"", tests[i].name, have, tests[i].want);
		free(have);
		listset_done(&set);
	}
}

/* Lists of the same name that did not come through listset_list, as a set joined from two. */
static void
test_join(void **state)
{
	struct listset set = fill("a 10.0.0.0/8 b 11.0.0.0/8 c 12.0.0.0/8 d");
	char *have;

	strcpy(set.lists[2].name, "a");
	strcpy(set.lists[3].name, "b");
	listset_sort(&set);
	have = print(&set);
	assert_string_equal(have, "a 10.0.0.0/8 12.0.0.0/8 b 11.0.0.0/8");
	free(have);
	listset_done(&set);
}

static void
test_find(void **state)
{
	struct listset set = fill("m 10.0.0.0/24 10.0.2.0/24 z a 2001:db8::/32 q e");
	struct prefix prefix;

	listset_sort(&set);
	for (size_t i = 0; i < set.count; i++)
		assert_ptr_equal(listset_find(&set, set.lists[i].name), &set.lists[i]);
	assert_null(listset_find(&set, ""));
	assert_null(listset_find(&set, "b"));
	assert_null(listset_find(&set, "zz"));
	prefix_parse("10.0.2.0/24", &prefix);
	assert_true(prefix_list_has(listset_find(&set, "m"), &prefix));
	assert_false(prefix_list_has(listset_find(&set, "a"), &prefix));
	assert_false(prefix_list_has(listset_find(&set, "z"), &prefix));
	prefix_parse("10.0.2.0/25", &prefix);
	assert_false(prefix_list_has(listset_find(&set, "m"), &prefix));
	listset_done(&set);
	assert_null(listset_find(&set, "m"));
}

static void
test_copy_and_equal(void **state)
{
	static const struct {
		const char *name, *a, *b;
		bool want;
	} tests[] = {
		{ "nothing", "", "", true },
		{ "same", "a 10.0.0.0/8 b", "a 10.0.0.0/8 b", true },
		{ "other item", "a 10.0.0.0/8", "a 11.0.0.0/8", false },
		{ "other length", "a 10.0.0.0/8", "a 10.0.0.0/9", false },
		{ "more items", "a 10.0.0.0/8", "a 10.0.0.0/8 11.0.0.0/8", false },
		{ "other name", "a 10.0.0.0/8", "b 10.0.0.0/8", false },
		{ "an empty list counts", "a", "", false },
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct listset a = fill(tests[i].a), b = fill(tests[i].b), copy = { 0 };

		if (listset_equal(&a, &b) != tests[i].want ||
		    listset_equal(&b, &a) != tests[i].want)
			fail_msg("%s", tests[i].name);
		listset_copy(&a, &copy);
		assert_true(listset_equal(&a, &copy));
		listset_copy(&b, &copy); /* over an old one */
		assert_true(listset_equal(&b, &copy));
		listset_list(&copy, "new");
		assert_false(listset_equal(&b, &copy));
		listset_done(&a);
		listset_done(&b);
		listset_done(&copy);
	}
}

/* An address is covered by the nearest item, by one far before it in the order, or by none. */
static void
test_covers(void **state)
{
	static const struct {
		const char *list, *address;
		bool want;
	} tests[] = {
		{ "a", "10.0.0.1", false },
		{ "a 10.0.0.0/8", "10.0.0.0", true },
		{ "a 10.0.0.0/8", "10.255.255.255", true },
		{ "a 10.0.0.0/8", "11.0.0.0", false },
		{ "a 10.0.0.0/8", "9.255.255.255", false },
		{ "a 10.0.0.0/8 10.0.0.0/24 10.1.0.0/16 10.1.1.1/32", "10.1.1.2", true },
		{ "a 10.0.0.0/24 10.1.0.0/16 10.1.1.1/32", "10.2.0.0", false },
		{ "a 0.0.0.0/0 10.0.0.0/24 10.1.0.0/16 10.1.1.1/32", "10.2.0.0", true },
		{ "a 0.0.0.0/0", "::", false },
		{ "a 10.0.0.0/8 2001:db8::/32", "2001:db8:ffff::1", true },
		{ "a 10.0.0.0/8 2001:db8::/32", "2001:db9::", false },
		{ "a 10.0.0.0/8 2001:db8::/32", "::", false },
		{ "a 255.255.255.255/32", "255.255.255.255", true },
		{ "a 255.255.255.255/32", "255.255.255.254", false },
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct listset set = fill(tests[i].list);
		struct ip ip;

		listset_sort(&set);
		assert_int_equal(ip_parse(tests[i].address, &ip), 0);
		if (prefix_list_covers(&set.lists[0], &ip) != tests[i].want)
			fail_msg("%s in %s", tests[i].address, tests[i].list);
		listset_done(&set);
	}
}

/* Many names and items, each asked for again. */
static void
test_many(void **state)
{
	struct listset set = { 0 };

	for (unsigned i = 0; i < 3000; i++) {
		char name[16], text[24];
		struct prefix prefix;

		snprintf(name, sizeof(name), "list-%u", i * 7 % 100);
		snprintf(text, sizeof(text), "10.%u.%u.0/24", i * 37 % 256, i % 16);
		assert_int_equal(prefix_parse(text, &prefix), 0);
		prefix_list_add(listset_list(&set, name), &prefix);
	}
	listset_sort(&set);
	assert_int_equal(set.count, 100);
	for (size_t i = 0; i < set.count; i++) {
		struct prefix_list *list = &set.lists[i];

		assert_true(i == 0 || strcmp(set.lists[i - 1].name, list->name) < 0);
		for (size_t j = 1; j < list->count; j++)
			assert_true(prefix_compare(&list->items[j - 1], &list->items[j]) < 0);
		for (size_t j = 0; j < list->count; j++)
			assert_true(prefix_list_has(list, &list->items[j]));
	}
	listset_done(&set);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_copy_and_equal),
		cmocka_unit_test(test_covers),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
