/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts of two routers read back and compared. Properties over random profiles: the order of
 * lines does not matter, one changed unit is found and no other, and with different healthy sets
 * every address is judged as the layouts themselves say. Then reasons one by one, and bad input.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <json-c/json.h>

#include "../tools/cli/layout_compare.h"
#include "../tools/cli/layout_json.h"
#include "layout_random.h"

enum { ROUNDS = 150, CHECKED = 64 };

static const char *const files[2] = { "a.json", "b.json" };

/* The JSON of the profile's layout with the elements down whose flag is set. */
static char *
make_json(const struct profile *profile, const bool *down)
{
	const char *names[PROFILE_MAX_ELEMENTS];
	size_t count = 0, size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);
	struct error err;

	for (size_t e = 0; down && e < profile->groups[0].element_count; e++)
		if (down[e] && !profile->groups[0].elements[e].removed)
			names[count++] = profile->groups[0].elements[e].id;
	if (layout_offline(profile, NULL, names, count, true, out, &err) < 0)
		fail_msg("%s", err.text);
	fclose(out);
	return text;
}

static struct read_layout *
take(const char *text, const char *name)
{
	struct read_layout *layout = NULL;
	struct error err;

	if (layout_read(text, strlen(text), name, &layout, &err) < 0)
		fail_msg("%s", err.text);
	return layout;
}

/* Every list of the tree in a random order. */
static void
shuffle(struct random *random, struct json_object *object)
{
	if (json_object_is_type(object, json_type_array)) {
		size_t count = json_object_array_length(object);

		for (size_t i = count; i > 1; i--) {
			size_t j = random_below(random, i);
			struct json_object *x = json_object_get(
			                       json_object_array_get_idx(object, i - 1)),
			                   *y = json_object_get(
			                       json_object_array_get_idx(object, j));

			json_object_array_put_idx(object, i - 1, y);
			json_object_array_put_idx(object, j, x);
		}
		for (size_t i = 0; i < count; i++)
			shuffle(random, json_object_array_get_idx(object, i));
	} else if (json_object_is_type(object, json_type_object)) {
		json_object_object_foreach(object, key, value)
		{
			(void)key;
			shuffle(random, value);
		}
	}
}

static void
test_order_does_not_matter(void **state)
{
	struct random random = random_begin("order");

	for (int round = 0; round < ROUNDS; round++) {
		struct profile *profile = random_profile(&random, 8, 64);
		char *text = make_json(profile, NULL);
		struct json_object *tree = json_tokener_parse(text);
		struct read_layout *a = take(text, "a.json"), *b;
		struct compare *compare;

		shuffle(&random, tree);
		b = take(json_object_to_json_string_ext(tree, JSON_C_TO_STRING_PLAIN), "b.json");
		compare = compare_layouts(a, b, files);
		assert_true(compare->agree);
		assert_int_equal(compare->reason_count, 0);
		assert_int_equal(compare->count, a->count);
		compare_free(compare);
		read_layout_free(a);
		read_layout_free(b);
		json_object_put(tree);
		free(text);
		profile_free(profile);
	}
}

static void
check_one_unit(struct random *random, const struct read_layout *a, struct read_layout *b)
{
	struct read_family *family = &b->families[random_below(random, b->count)];
	size_t at = family->unit_count ? random_below(random, family->unit_count) : 0;
	struct compare *compare;
	uint16_t *owner;

	if (family->unit_count == 0 || family->element_count < 2)
		return;
	owner = &family->units[at].element[READ_OWNER];
	*owner = (uint16_t)((*owner + 1) % family->element_count);
	compare = compare_layouts(a, b, files);
	assert_false(compare->agree);
	for (size_t i = 0; i < compare->count; i++) {
		const struct compare_family *found = &compare->families[i];
		struct ip last = prefix_last(&family->units[at].prefix);

		if (found->b != family) {
			assert_true(found->agree);
			continue;
		}
		assert_int_equal(found->differ, 1);
		assert_int_equal(found->range_count, 1);
		assert_int_equal(
		    ip_compare(&found->ranges[0].first, &family->units[at].prefix.address), 0);
		assert_int_equal(ip_compare(&found->ranges[0].last, &last), 0);
	}
	/* Same profile, same health: nothing but a defect explains it. */
	assert_int_equal(compare->reason_count, 1);
	assert_int_equal(compare->reasons[0].kind, COMPARE_DEFECT);
	compare_free(compare);
}

static void
set_profile_id(struct read_layout *layout, char digit)
{
	free(layout->profile_id);
	layout->profile_id = xcalloc(65, 1);
	memset(layout->profile_id, digit, 64);
}

static void
test_one_unit_is_found(void **state)
{
	struct random random = random_begin("one unit");

	for (int round = 0; round < ROUNDS; round++) {
		struct profile *profile = random_profile(&random, 8, 64);
		char *text = make_json(profile, NULL);
		struct read_layout *a = take(text, "a.json"), *b = take(text, "b.json");

		set_profile_id(a, '1');
		set_profile_id(b, '1');
		check_one_unit(&random, a, b);
		read_layout_free(a);
		read_layout_free(b);
		free(text);
		profile_free(profile);
	}
}

/* Who has an address; by walking. */
static const char *
find_owner(const struct read_family *family, const struct ip *ip)
{
	for (size_t i = 0; i < family->unit_count; i++)
		if (prefix_contains_ip(&family->units[i].prefix, ip))
			return family->units[i].element[READ_OWNER] == READ_NOBODY
			           ? NULL
			           : family->elements[family->units[i].element[READ_OWNER]].id;
	return NULL;
}

static void
check_address(const struct compare_family *family, const struct ip *ip)
{
	const char *a = find_owner(family->a, ip), *b = find_owner(family->b, ip);
	bool is_same = a == b || (a && b && strcmp(a, b) == 0);

	for (size_t i = 0; i < family->range_count; i++) {
		const struct compare_range *range = &family->ranges[i];

		if (ip_compare(&range->first, ip) > 0 || ip_compare(&range->last, ip) < 0)
			continue;
		assert_false(is_same);
		assert_string_equal(range->a ? range->a : "", a ? a : "");
		assert_string_equal(range->b ? range->b : "", b ? b : "");
		return;
	}
	assert_true(is_same);
}

/* The first and the last address of units of both sides, and of the ranges. */
static void
check_family(struct random *random, const struct compare_family *family)
{
	const struct read_family *sides[2] = { family->a, family->b };

	for (int i = 0; i < CHECKED; i++) {
		const struct read_family *side = sides[i % 2];
		const struct prefix *unit;
		struct ip last;

		if (side->unit_count == 0)
			return;
		unit = &side->units[random_below(random, side->unit_count)].prefix;
		last = prefix_last(unit);
		check_address(family, &unit->address);
		check_address(family, &last);
		if (family->range_count == 0)
			continue;
		check_address(
		    family, &family->ranges[random_below(random, family->range_count)].first);
		check_address(
		    family, &family->ranges[random_below(random, family->range_count)].last);
	}
}

/* Whole units on one side, pieces on the other among them. */
static void
test_addresses(void **state)
{
	struct random random = random_begin("addresses");
	size_t pieces = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct profile *profile = random_profile(&random, 6, 64);
		size_t count = profile->groups[0].element_count;
		bool down[2][PROFILE_MAX_ELEMENTS];
		char *text[2];
		struct read_layout *layout[2];
		struct compare *compare;

		random_split(&random, profile, 3);
		for (int i = 0; i < 2; i++) {
			for (size_t e = 0; e < count; e++)
				down[i][e] = random_below(&random, 3) == 0;
			text[i] = make_json(profile, down[i]);
			layout[i] = take(text[i], files[i]);
		}
		compare = compare_layouts(layout[0], layout[1], files);
		for (size_t i = 0; i < compare->count; i++) {
			check_family(&random, &compare->families[i]);
			assert_true(compare->families[i].differ <= compare->families[i].units);
			pieces += compare->families[i].a->unit_count !=
			          compare->families[i].b->unit_count;
		}
		compare_free(compare);
		for (int i = 0; i < 2; i++) {
			read_layout_free(layout[i]);
			free(text[i]);
		}
		profile_free(profile);
	}
	assert_true(pieces > 0);
}

static struct read_layout *
make_layout(const char *pool, const char *name)
{
	struct profile *profile = build_profile();
	struct read_layout *layout;
	char *text;

	build_pool(profile, pool, 28, 0, PROFILE_EPOCH_NONE);
	build_equal(profile, 3);
	profile_sort(profile);
	text = make_json(profile, NULL);
	layout = take(text, name);
	free(text);
	profile_free(profile);
	return layout;
}

/* Of the units of both sides, whichever of them is first. */
static void
test_other_pools(void **state)
{
	static const struct {
		const char *a, *b;
		size_t units, least;
	} cases[] = {
		{ "10.0.0.0/24", "10.0.0.0/23", 32, 16 },
		{ "10.0.0.0/23", "10.0.0.0/24", 32, 16 },
		{ "10.0.0.0/24", "10.1.0.0/24", 32, 32 },
		{ "10.1.0.0/24", "10.0.0.0/24", 32, 32 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct read_layout *a = make_layout(cases[i].a, files[0]);
		struct read_layout *b = make_layout(cases[i].b, files[1]);
		struct compare *compare = compare_layouts(a, b, files);

		assert_int_equal(compare->count, 1);
		assert_int_equal(compare->families[0].units, cases[i].units);
		assert_in_range(compare->families[0].differ, cases[i].least, cases[i].units);
		compare_free(compare);
		read_layout_free(a);
		read_layout_free(b);
	}
}

/* ---- reasons -------------------------------------------------------------------------------- */

struct pair {
	struct profile *profile;
	struct read_layout *a, *b; /* equal but for element 0, which is down on b, IPv4 and IPv6 */
};

static void
make_pair(struct pair *pair)
{
	const bool down[3] = { true, false, false };
	char *a, *b;

	pair->profile = build_profile();
	build_pool(pair->profile, "10.0.0.0/24", 28, 0, PROFILE_EPOCH_NONE);
	build_pool(pair->profile, "2001:db8::/60", 64, 0, PROFILE_EPOCH_NONE);
	build_equal(pair->profile, 3);
	profile_sort(pair->profile);
	a = make_json(pair->profile, NULL);
	b = make_json(pair->profile, down);
	pair->a = take(a, "NORTH");
	pair->b = take(b, "SOUTH");
	set_profile_id(pair->a, '1');
	set_profile_id(pair->b, '1');
	free(a);
	free(b);
}

static void
end_pair(struct pair *pair)
{
	read_layout_free(pair->a);
	read_layout_free(pair->b);
	profile_free(pair->profile);
}

static void
differ_algorithm(struct pair *pair)
{
	pair->b->algorithm = 2;
}

static void
differ_profile(struct pair *pair)
{
	set_profile_id(pair->b, '2');
}

static void
differ_base(struct pair *pair)
{
	differ_profile(pair);
	pair->b->families[1].units[0].element[READ_BASE] ^= 1;
}

static void
differ_epoch(struct pair *pair)
{
	set_profile_id(pair->b, '2');
	pair->b->families[0].epoch = 5;
}

static void
differ_health(struct pair *pair)
{
	(void)pair;
}

static void
differ_state(struct pair *pair)
{
	for (size_t f = 0; f < pair->b->count; f++) {
		free(pair->b->families[f].elements[0].state);
		pair->b->families[f].elements[0].state = xstrdup("hold-down");
	}
}

static void
differ_forced(struct pair *pair)
{
	for (size_t f = 0; f < pair->b->count; f++)
		pair->b->families[f].elements[0].forced = true;
}

/* Out of use on both, only on SOUTH by an order, and failed-weight is not the same. */
static void
differ_settings_beside_order(struct pair *pair)
{
	differ_forced(pair);
	for (size_t f = 0; f < pair->a->count; f++)
		pair->a->families[f].elements[0].healthy = false;
	differ_profile(pair);
}

static void
same_health(struct pair *pair)
{
	for (size_t f = 0; f < pair->b->count; f++)
		pair->b->families[f].elements[0].healthy = true;
}

static void
differ_frozen(struct pair *pair)
{
	same_health(pair);
	for (size_t f = 0; f < pair->b->count; f++)
		pair->b->families[f].frozen = true;
}

static void
differ_time(struct pair *pair)
{
	pair->a->now_us = INT64_C(1796008062000000);
	pair->b->now_us = pair->a->now_us + 312000000;
}

static void
differ_missing(struct pair *pair)
{
	free(pair->b->families[0].group);
	pair->b->families[0].group = xstrdup("a-other");
}

static void
differ_settings(struct pair *pair)
{
	same_health(pair);
	differ_profile(pair);
}

static void
tell_less(struct pair *pair)
{
	same_health(pair);
	*pair->b->profile_id = '\0';
}

static const struct {
	const char *name;
	void (*change)(struct pair *pair);
	enum compare_kind kind; /* of the first reason, or, of TIME, of the last */
	const char *text;
} reasons[] = {
	{ "health", differ_health, COMPARE_HEALTH, "fw01 is up on NORTH, down on SOUTH" },
	{ "state", differ_state, COMPARE_HEALTH, "fw01 is up on NORTH, hold-down on SOUTH" },
	{ "algorithm", differ_algorithm, COMPARE_ALGORITHM,
	    "NORTH has version 1 of the layout rules, SOUTH version 2" },
	{ "profile and base", differ_base, COMPARE_PROFILE, "of the same epochs" },
	{ "profile, and health", differ_profile, COMPARE_HEALTH, "fw01 is up on NORTH" },
	{ "profile, nothing else", differ_settings, COMPARE_SETTINGS, "the base layouts are the" },
	{ "epoch", differ_epoch, COMPARE_PROFILE,
	    "SOUTH has epoch 5 of g ipv4, NORTH has 0: apply the profile of SOUTH on NORTH too" },
	{ "forced", differ_forced, COMPARE_FORCED, "by an operator on SOUTH only" },
	{ "forced here, down there", differ_settings_beside_order, COMPARE_SETTINGS,
	    "failed-weight or split" },
	{ "frozen", differ_frozen, COMPARE_FROZEN, "SOUTH is frozen" },
	{ "time", differ_time, COMPARE_TIME, "SOUTH was asked 312 s later than NORTH" },
	{ "missing", differ_missing, COMPARE_MISSING, "only NORTH has group g, ipv4" },
	{ "untold", tell_less, COMPARE_UNTOLD, "SOUTH does not tell profile" },
	{ "defect", same_health, COMPARE_DEFECT, "please report" },
};

static void
test_reasons(void **state)
{
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		const struct compare_reason *reason;
		struct compare *compare;
		struct pair pair;

		make_pair(&pair);
		reasons[i].change(&pair);
		compare = compare_layouts(pair.a, pair.b, files);
		assert_false(compare->agree);
		assert_true(compare->reason_count > 0);
		reason =
		    &compare
		         ->reasons[reasons[i].kind == COMPARE_TIME ? compare->reason_count - 1 : 0];
		if (reason->kind != reasons[i].kind || !strstr(reason->text, reasons[i].text))
			fail_msg("%s: told is %s: %s", reasons[i].name,
			    compare_kind_names[reason->kind], reason->text);
		compare_free(compare);
		end_pair(&pair);
	}
}

/* Profiles of two routers that differ in their addresses only, and in what comes next. */
static void
test_agreeing_profiles(void **state)
{
	struct compare *compare;
	struct pair pair;
	char *text;

	make_pair(&pair);
	read_layout_free(pair.b);
	text = make_json(pair.profile, NULL);
	pair.b = take(text, "SOUTH");
	free(text);
	set_profile_id(pair.b, '2');
	compare = compare_layouts(pair.a, pair.b, files);
	assert_true(compare->agree);
	assert_int_equal(compare->reason_count, 0);
	compare_free(compare);
	pair.b->families[0].units[3].element[READ_STANDBY] ^= 1;
	compare = compare_layouts(pair.a, pair.b, files);
	assert_true(compare->agree);
	assert_int_equal(compare->reason_count, 1);
	assert_int_equal(compare->reasons[0].kind, COMPARE_PROFILE);
	compare_free(compare);
	end_pair(&pair);
}

/* Two files of one router. */
static void
test_same_names(void **state)
{
	struct compare *compare;
	struct pair pair;

	make_pair(&pair);
	free(pair.b->name);
	pair.b->name = xstrdup(pair.a->name);
	compare = compare_layouts(pair.a, pair.b, files);
	assert_string_equal(compare->names[0], "NORTH (a.json)");
	assert_string_equal(compare->names[1], "NORTH (b.json)");
	compare_free(compare);
	end_pair(&pair);
}

/* ---- bad input ------------------------------------------------------------------------------ */

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define NEXT "\"base-element\":\"a\",\"standby\":null"
#define FAMILY(text) \
	"{\"groups\":[{\"id\":\"g\",\"families\":[{\"family\":\"ipv4\",\"layout-id\":\"" ID "\"," \
	"\"elements\":[{\"id\":\"a\"},{\"id\":\"b\"}],\"units\":[" text "]}]}]}"

static const struct {
	const char *text, *want;
} bad[] = {
	{ "", "is not JSON" },
	{ "autofbf: no agent", "is not JSON" },
	{ "{\"groups\":[", "is not JSON" },
	{ "{} {}", "is not JSON" },
	{ "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", "is not JSON" },
	{ "null", "is not JSON" },
	{ "[]", "no list \"groups\"" },
	{ "{\"groups\":{}}", "no list \"groups\"" },
	{ "{\"groups\":[1]}", "a group without a proper id" },
	{ "{\"groups\":[{\"id\":\"\\u001b[2J\"}]}", "a group without a proper id" },
	{ "{\"groups\":[{\"id\":\"g\"}]}", "group g has no list \"families\"" },
	{ "{\"groups\":[{\"id\":\"g\",\"families\":[{\"family\":\"x\"}]}]}", "neither ipv4 nor" },
	{ "{\"groups\":[{\"id\":\"g\",\"families\":[{\"family\":\"ipv6\"}]}]}",
	    "group g, ipv6: ipv6 has no layout-id" },
	{ FAMILY("7"), "without a proper prefix" },
	{ FAMILY("{\"prefix\":\"10.0.0.1/24\",\"element\":\"a\"," NEXT "}"),
	    "without a proper prefix" },
	{ FAMILY("{\"prefix\":\"2001:db8::/64\",\"element\":\"a\"," NEXT "}"),
	    "without a proper prefix" },
	{ FAMILY("{\"prefix\":\"10.0.0.0/24\"}"), "unit 10.0.0.0/24 says no element" },
	{ FAMILY("{\"prefix\":\"10.0.0.0/24\",\"element\":\"c\"}"),
	    "its element is not in the list" },
	{ FAMILY("{\"prefix\":\"10.0.0.0/24\",\"element\":\"a\"," NEXT "},"
	         "{\"prefix\":\"10.0.0.64/26\",\"element\":\"b\"," NEXT "}"),
	    "unit 10.0.0.64/26 is there twice" },
	{ FAMILY("{\"prefix\":\"10.0.0.0/24\",\"element\":\"a\"," NEXT "}"),
	    "somebody changed the file" },
	{ "{\"groups\":[{\"id\":\"g\",\"families\":[{\"family\":\"ipv4\",\"layout-id\":\"" ID
	  "\",\"elements\":[{\"id\":\"a\"},{\"id\":\"a\"}]}]}]}",
	    "element a is there twice" },
};

static void
test_bad_input(void **state)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct read_layout *layout = NULL;
		struct error err = { "" };

		assert_int_equal(
		    layout_read(bad[i].text, strlen(bad[i].text), "x.json", &layout, &err),
		    -EINVAL);
		if (strncmp(err.text, "x.json: ", 8) != 0 || !strstr(err.text, bad[i].want))
			fail_msg("%s: \"%s\", wanted %s", bad[i].text, err.text, bad[i].want);
	}
}

/* A hostname from elsewhere does not reach the terminal as it is. */
static void
test_hostname(void **state)
{
	struct read_layout *layout =
	    take("{\"hostname\":\"a\\u001b[2Jb\",\"groups\":[]}", "x.json");

	assert_string_equal(layout->name, "a?[2Jb");
	read_layout_free(layout);
	layout = take("{\"groups\":[]}", "x.json");
	assert_string_equal(layout->name, "x.json");
	read_layout_free(layout);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_does_not_matter),
		cmocka_unit_test(test_one_unit_is_found),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_other_pools),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_agreeing_profiles),
		cmocka_unit_test(test_same_names),
		cmocka_unit_test(test_bad_input),
		cmocka_unit_test(test_hostname),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
