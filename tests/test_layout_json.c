/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The offline layout as others read it: its JSON is parsed back and compared with the layout that
 * it came from; odd names, odd cases and the words of an error.
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

#include "../tools/cli/layout_json.h"
#include "layout_build.h"

/* Elements a, b, gone (a tombstone) and only4 (no IPv6) in one group. */
static struct profile *
make_profile(void)
{
	struct profile *profile = build_profile();
	struct profile_element *element;

	build_pool(profile, "10.0.0.0/24", 28, 0, PROFILE_EPOCH_NONE);
	build_pool(profile, "2001:db8::/60", 64, 0, PROFILE_EPOCH_NONE);
	element = build_element(profile, "b");
	build_weight(element, 0, 1);
	free(element->name);
	element->name = xstrdup("box \"two\" \\ /é");
	build_weight(build_element(profile, "a"), 0, 1);
	element = build_element(profile, "gone");
	build_weight(element, 0, 1);
	build_weight(element, 1, 0);
	element->removed = true;
	element = build_element(profile, "only4");
	build_weight(element, 0, 1);
	element->family[FAMILY_IPV6].present = false;
	profile_sort(profile);
	return profile;
}

static char *
run(const struct profile *profile, const char *const *down, size_t down_count, bool json)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct error err;

	assert_int_equal(layout_offline(profile, NULL, down, down_count, json, out, &err), 0);
	fclose(out);
	return text;
}

static struct json_object *
get(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	assert_true(json_object_object_get_ex(object, key, &value));
	return value;
}

static const char *
get_text(struct json_object *object, const char *key)
{
	struct json_object *value = get(object, key);

	return value ? json_object_get_string(value) : NULL;
}

static size_t
element_index(const struct profile *profile, const char *id)
{
	return id ? find_element(&profile->groups[0], id) : LAYOUT_NONE;
}

static void
check_units(struct json_object *family, const struct profile *profile,
    const struct layout_space *space, const struct layout *layout)
{
	struct json_object *units = get(family, "units");
	size_t count = json_object_array_length(units);
	uint8_t *standby = xcalloc(count, 1);

	assert_int_equal(count, layout_space_units(space));
	layout_standby(layout, standby);
	for (size_t i = 0; i < count; i++) {
		struct json_object *unit = json_object_array_get_idx(units, i);
		struct prefix prefix = layout_space_unit(space, i);
		char text[PREFIX_TEXT_SIZE];

		assert_int_equal(json_object_object_length(unit), 4);
		assert_string_equal(get_text(unit, "prefix"), prefix_format(&prefix, text));
		assert_int_equal(element_index(profile, get_text(unit, "element")),
		    layout_unit_owner(layout, i));
		assert_int_equal(element_index(profile, get_text(unit, "base-element")),
		    layout_space_base(space, i));
		assert_int_equal(element_index(profile, get_text(unit, "standby")), standby[i]);
	}
	free(standby);
}

static void
check_elements(struct json_object *family, const struct profile *profile,
    const struct layout_space *space, const struct layout *layout, const bool *healthy, size_t want)
{
	struct json_object *elements = get(family, "elements");
	const char *before = "";

	assert_int_equal(json_object_array_length(elements), want);
	for (size_t i = 0; i < want; i++) {
		struct json_object *object = json_object_array_get_idx(elements, i);
		const char *id = get_text(object, "id");
		size_t e = element_index(profile, id);

		assert_true(strcmp(before, id) < 0);
		before = id;
		assert_string_equal(get_text(object, "name"), profile->groups[0].elements[e].name);
		assert_int_equal(json_object_get_int(get(object, "configured")),
		    layout_space_base_count(space, e));
		assert_int_equal(
		    json_object_get_int(get(object, "effective")), layout_owned(layout, e));
		assert_int_equal(json_object_get_boolean(get(object, "healthy")), healthy[e]);
	}
}

/* The family of the one group. */
static struct json_object *
find_family(struct json_object *root, enum family family)
{
	struct json_object *group = json_object_array_get_idx(get(root, "groups"), 0);
	struct json_object *object =
	    json_object_array_get_idx(get(group, "families"), (size_t)family);

	assert_int_equal(json_object_array_length(get(root, "groups")), 1);
	assert_string_equal(get_text(group, "id"), "g");
	assert_int_equal(json_object_array_length(get(group, "families")), 2);
	assert_string_equal(get_text(object, "family"), family_names[family]);
	return object;
}

static void
check_json(const char *const *down, size_t down_count, const bool *healthy, bool frozen)
{
	static const size_t element_counts[FAMILY_COUNT] = { 3, 2 };
	struct profile *profile = make_profile();
	char *text = run(profile, down, down_count, true);
	struct json_object *root = json_tokener_parse(text);

	assert_non_null(root);
	assert_int_equal(json_object_get_int(get(root, "algorithm")), LAYOUT_ALGORITHM);
	for (int f = 0; f < FAMILY_COUNT; f++) {
		struct layout_space *space = layout_space_new(&profile->groups[0], (enum family)f);
		struct layout *layout = layout_compute(space, healthy, 0);
		struct layout_id id = layout_compute_id(layout);
		struct json_object *family = find_family(root, (enum family)f);
		char id_text[LAYOUT_ID_TEXT_SIZE];

		assert_string_equal(get_text(family, "layout-id"), layout_id_format(&id, id_text));
		assert_int_equal(json_object_get_boolean(get(family, "frozen")), frozen);
		assert_int_equal(json_object_get_int(get(family, "epoch")), 1);
		assert_int_equal(json_object_get_int(get(family, "split-bits")), 0);
		check_elements(family, profile, space, layout, healthy, element_counts[f]);
		check_units(family, profile, space, layout);
		layout_free(layout);
		layout_space_free(space);
	}
	json_object_put(root);
	free(text);
	profile_free(profile);
}

static void
test_json(void **state)
{
	/* a, b, gone, only4 */
	check_json(NULL, 0, (const bool[]){ true, true, true, true }, false);
	check_json(
	    (const char *const[]){ "a" }, 1, (const bool[]){ false, true, true, true }, false);
	check_json((const char *const[]){ "box \"two\" \\ /é", "only4" }, 2,
	    (const bool[]){ true, false, true, false }, false);
	check_json((const char *const[]){ "a", "b", "only4", "a" }, 4,
	    (const bool[]){ false, false, true, false }, true);
}

/* One family frozen, the other not. */
static void
test_frozen_family(void **state)
{
	struct profile *profile = make_profile();
	char *text = run(profile, (const char *const[]){ "a", "b" }, 2, true);
	struct json_object *root = json_tokener_parse(text);

	assert_false(json_object_get_boolean(get(find_family(root, FAMILY_IPV4), "frozen")));
	assert_true(json_object_get_boolean(get(find_family(root, FAMILY_IPV6), "frozen")));
	json_object_put(root);
	free(text);
	profile_free(profile);
}

static void
test_text(void **state)
{
	static const char want[] =
	    "group g, ipv4: layout 00000000, 16 units, 5 moved\n"
	    "  ELEMENT                          CONFIGURED  EFFECTIVE     CHANGE\n"
	    "  a                                         5          8         +3\n"
	    "  box \"two\" \\ /é                            6          8         +2\n"
	    "  only4                                     5          0         -5\n"
	    "\n"
	    "group g, ipv6: layout 00000000, 16 units, 0 moved\n"
	    "  ELEMENT                          CONFIGURED  EFFECTIVE     CHANGE\n"
	    "  a                                         8          8          0\n"
	    "  box \"two\" \\ /é                            8          8          0\n";
	struct profile *profile = make_profile();
	char *text = run(profile, (const char *const[]){ "only4" }, 1, false);

	for (char *at = text; (at = strstr(at, "layout ")); at++)
		memset(at + 7, '0', 8);
	assert_string_equal(text, want);
	free(text);
	profile_free(profile);
}

/* ---- splitting ---- */

/* Four equal elements, 16 units; three or fewer survivors split in two. */
static struct profile *
make_split_profile(void)
{
	struct profile *profile = build_profile();
	struct profile_group *group = &profile->groups[0];

	build_pool(profile, "10.0.0.0/24", 28, 0, PROFILE_EPOCH_NONE);
	build_equal(profile, 4);
	group->split[FAMILY_IPV4] = xcalloc(1, sizeof(struct profile_split));
	*group->split[FAMILY_IPV4] = (struct profile_split){ .survivors = 3, .bits = 1 };
	group->split_count[FAMILY_IPV4] = 1;
	profile_sort(profile);
	return profile;
}

/* {"groups":[{..."families":[this]}]}. *ret_root is the caller's to put. */
static struct json_object *
run_one_family(const struct profile *profile, const char *const *down, size_t down_count,
    struct json_object **ret_root)
{
	char *text = run(profile, down, down_count, true);
	struct json_object *group;

	*ret_root = json_tokener_parse(text);
	assert_non_null(*ret_root);
	free(text);
	group = json_object_array_get_idx(get(*ret_root, "groups"), 0);
	return json_object_array_get_idx(get(group, "families"), 0);
}

static struct json_object *
find_unit(struct json_object *family, const struct ip *ip)
{
	struct json_object *units = get(family, "units");

	for (size_t i = 0; i < json_object_array_length(units); i++) {
		struct json_object *unit = json_object_array_get_idx(units, i);
		struct prefix prefix;

		assert_int_equal(prefix_parse(get_text(unit, "prefix"), &prefix), 0);
		if (prefix_contains_ip(&prefix, ip))
			return unit;
	}
	return NULL;
}

/* The standby of an address, as a reader finds it. */
static const char *
find_standby(struct json_object *unit, const struct ip *ip)
{
	struct json_object *parts = NULL;

	if (!json_object_object_get_ex(unit, "standby-parts", &parts))
		return get_text(unit, "standby");
	assert_true(json_object_array_length(parts) > 1);
	assert_string_equal(
	    get_text(json_object_array_get_idx(parts, 0), "standby"), get_text(unit, "standby"));
	for (size_t i = 0; i < json_object_array_length(parts); i++) {
		struct json_object *part = json_object_array_get_idx(parts, i);
		struct prefix prefix;

		assert_int_equal(prefix_parse(get_text(part, "prefix"), &prefix), 0);
		if (prefix_contains_ip(&prefix, ip))
			return get_text(part, "standby");
	}
	fail_msg("no part has the address");
	return NULL;
}

/* Entries as the router has them, shares in halves, and standbys that come true for each half. */
static void
check_next_failure(const char *const *down, size_t down_count, size_t want_entries)
{
	static const char *const ids[] = { "fw01", "fw02", "fw03", "fw04" };
	struct profile *profile = make_split_profile();
	struct json_object *root, *family = run_one_family(profile, down, down_count, &root);

	assert_int_equal(json_object_array_length(get(family, "units")), want_entries);
	for (size_t e = 0; e < 4; e++) {
		const char *next_down[] = { down_count ? down[0] : ids[e], ids[e] };
		struct json_object *next_root, *next;

		next = run_one_family(profile, next_down, 2, &next_root);
		for (unsigned half = 0; half < 32; half++) {
			struct ip ip = { .bytes = { 10, 0, 0, (uint8_t)(half * 8) } };
			struct json_object *unit = find_unit(family, &ip);

			if (strcmp(get_text(unit, "element"), ids[e]) == 0)
				assert_string_equal(find_standby(unit, &ip),
				    get_text(find_unit(next, &ip), "element"));
		}
		json_object_put(next_root);
	}
	json_object_put(root);
	profile_free(profile);
}

static void
test_split_json(void **state)
{
	struct profile *profile = make_split_profile();
	const char *const down[] = { "fw01" };
	struct json_object *root, *family = run_one_family(profile, down, 1, &root);
	struct json_object *elements = get(family, "elements");
	double sum = 0;

	for (size_t e = 0; e < 4; e++) {
		struct json_object *share =
		    get(json_object_array_get_idx(elements, e), "effective");
		double value = json_object_get_double(share);

		assert_int_equal(
		    json_object_is_type(share, json_type_int), value == (double)(int)value);
		assert_true(e == 0 ? value == 0 : value == 5 || value == 5.5);
		sum += value;
	}
	assert_true(sum == 16);
	json_object_put(root);
	profile_free(profile);
	check_next_failure(NULL, 0, 16);
	check_next_failure(down, 1, 17);
}

static void
test_split_text(void **state)
{
	struct profile *profile = make_split_profile();
	char *text = run(profile, (const char *const[]){ "fw01" }, 1, false);

	assert_non_null(strstr(text, ", 17 pieces (some units are split), 5 moved\n"));
	assert_non_null(strstr(text, "          4          0         -4\n"));
	assert_non_null(strstr(text, "          4        5.5       +1.5\n"));
	assert_non_null(strstr(text, "          4          5         +1\n"));
	free(text);
	profile_free(profile);
}

/* ---- one group of several ---- */

static void
test_group(void **state)
{
	struct profile *profile = make_split_profile(), *other = make_profile();
	struct error err = { "" };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	profile->groups = xreallocarray(profile->groups, 2, sizeof(*profile->groups));
	profile->groups[profile->group_count++] = other->groups[0];
	free(profile->groups[1].id);
	free(profile->groups[1].name);
	profile->groups[1].id = xstrdup("second");
	profile->groups[1].name = xstrdup("Premium");
	assert_int_equal(layout_offline(profile, "Premium", NULL, 0, false, out, &err), 0);
	fclose(out);
	assert_non_null(strstr(text, "group Premium, ipv4:"));
	assert_non_null(strstr(text, "group Premium, ipv6:"));
	assert_null(strstr(text, "group g,"));
	free(text);
	assert_int_equal(layout_offline(profile, "third", NULL, 0, false, stdout, &err), -ENOENT);
	assert_string_equal(
	    err.text, "no group 'third' in this profile; there are g, second (Premium)");
	other->group_count = 0; /* its group is the other profile's now */
	profile_free(other);
	profile_free(profile);
}

static void
test_unknown_name(void **state)
{
	static const char *const names[] = { "c", "gone", "" };
	struct profile *profile = make_profile();

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *const down[] = { "a", names[i] };
		char *want = xasprintf("no element '%s' in this profile; there are a, "
		                       "b (box \"two\" \\ /é), only4",
		    names[i]);
		struct error err = { "" };

		assert_int_equal(
		    layout_offline(profile, NULL, down, 2, true, stdout, &err), -ENOENT);
		assert_string_equal(err.text, want);
		free(want);
	}
	profile_free(profile);
}

static void
test_full_disk(void **state)
{
	struct profile *profile = make_profile();
	FILE *out = fopen("/dev/full", "w");
	struct error err = { "" };

	assert_non_null(out);
	assert_int_equal(layout_offline(profile, NULL, NULL, 0, true, out, &err), -EIO);
	assert_non_null(strstr(err.text, "disk"));
	fclose(out);
	profile_free(profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_frozen_family),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_split_json),
		cmocka_unit_test(test_split_text),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_unknown_name),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
