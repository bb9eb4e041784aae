/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layout against values that were computed by others: the vectors of the specification, its
 * check values of the hashes, digests made with sha256sum(1). Then the small promises of the header
 * (order of lines, finding a unit, pieces, nobody healthy, families that an element lacks). What
 * must hold for every profile is in test_layout_properties.c.
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

#include "apportion.h"
#include "layout.h"
#include "layout_build.h"
#include "layout_internal.h"

#define VECTORS "tests/fixtures/layout/vectors.json"

/* ---- vectors ---- */

static struct json_object *
get(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, key, &value);
	return value;
}

/*
 * Two vectors put pools of both families into one instance, which the rules (one instance per group
 * and family) and the product never do. In both a single element is alive, so that no rule looks at
 * the address of a unit, only at its place in prefix order. There the IPv6 pool is read as an IPv4
 * pool of as many units that sorts last, and its units are looked up by their IPv6 text.
 */
#define STAND_IN "240.0.0.0"
enum { STAND_IN_UNIT_LENGTH = 32 };

struct stand_in {
	bool used;
	struct prefix pool;
	unsigned unit_length;
};

static bool
has_family(struct json_object *pools, bool ipv6)
{
	for (size_t i = 0; i < json_object_array_length(pools); i++) {
		const char *prefix =
		    json_object_get_string(get(json_object_array_get_idx(pools, i), "prefix"));

		if ((strchr(prefix, ':') != NULL) == ipv6)
			return true;
	}
	return false;
}

/* The prefix under which the vector knows this unit. */
static struct prefix
vector_prefix(const struct stand_in *stand_in, const struct prefix *unit)
{
	struct prefix pool;

	if (!stand_in->used)
		return *unit;
	assert_int_equal(prefix_parse(STAND_IN "/4", &pool), 0);
	if (!prefix_contains(&pool, unit))
		return *unit;
	return prefix_child(&stand_in->pool, stand_in->unit_length, unit->address.bytes[3]);
}

static void
build_stand_in(struct profile *profile, struct json_object *object, const struct stand_in *stand_in)
{
	unsigned bits = stand_in->unit_length - stand_in->pool.length;
	struct json_object *since = get(object, "since");
	char text[PREFIX_TEXT_SIZE];

	snprintf(text, sizeof(text), STAND_IN "/%u", STAND_IN_UNIT_LENGTH - bits);
	build_pool(profile, text, STAND_IN_UNIT_LENGTH,
	    since ? (uint32_t)json_object_get_int(since) : 0, PROFILE_EPOCH_NONE);
}

static void
read_pool(struct profile *profile, struct json_object *pool)
{
	struct json_object *since = get(pool, "since"), *until = get(pool, "until");

	build_pool(profile, json_object_get_string(get(pool, "prefix")),
	    (unsigned)json_object_get_int(get(pool, "unit")),
	    since ? (uint32_t)json_object_get_int(since) : 0,
	    until ? (uint32_t)json_object_get_int(until) : PROFILE_EPOCH_NONE);
}

static void
read_element(struct profile *profile, struct json_object *object)
{
	struct profile_element *element =
	    build_element(profile, json_object_get_string(get(object, "id")));
	struct json_object *weights = get(object, "weights"),
	                   *failed = get(object, "failed-weight");

	for (size_t i = 0; i < json_object_array_length(weights); i++) {
		struct json_object *pair = json_object_array_get_idx(weights, i);

		build_weight(element,
		    (uint32_t)json_object_get_int(json_object_array_get_idx(pair, 0)),
		    (unsigned)json_object_get_int(json_object_array_get_idx(pair, 1)));
	}
	if (failed)
		element->failed_weight = (uint16_t)json_object_get_int(failed);
	element->removed = json_object_get_boolean(get(object, "removed"));
}

static struct profile *
read_profile(struct json_object *object, struct stand_in *ret_stand_in)
{
	struct profile *profile = build_profile();
	struct json_object *pools = get(object, "pools"), *elements = get(object, "elements");

	ret_stand_in->used = has_family(pools, false) && has_family(pools, true);
	for (size_t i = 0; i < json_object_array_length(pools); i++) {
		struct json_object *pool = json_object_array_get_idx(pools, i);
		const char *prefix = json_object_get_string(get(pool, "prefix"));

		if (!ret_stand_in->used || !strchr(prefix, ':')) {
			read_pool(profile, pool);
			continue;
		}
		assert_int_equal(prefix_parse(prefix, &ret_stand_in->pool), 0);
		ret_stand_in->unit_length = (unsigned)json_object_get_int(get(pool, "unit"));
		build_stand_in(profile, pool, ret_stand_in);
	}
	for (size_t i = 0; i < json_object_array_length(elements); i++)
		read_element(profile, json_object_array_get_idx(elements, i));
	profile_sort(profile);
	return profile;
}

static const char *
id_of(const struct layout_space *space, uint8_t element)
{
	return element == LAYOUT_NONE ? NULL : layout_space_group(space)->elements[element].id;
}

/* Compares an owner with a JSON string or null. */
static void
expect(const char *name, const char *what, const struct prefix *prefix, const char *have,
    struct json_object *want)
{
	char text[PREFIX_TEXT_SIZE];
	const char *id = want ? json_object_get_string(want) : NULL;

	if ((have == NULL) != (id == NULL) || (have && strcmp(have, id) != 0))
		fail_msg("%s: %s of %s is %s, should be %s", name, what,
		    prefix_format(prefix, text), have ? have : "nobody", id ? id : "nobody");
}

static void
check_children(const char *name, const struct layout_space *space, const struct layout *layout,
    size_t *index, struct json_object *want)
{
	for (size_t i = 0; i < json_object_array_length(want); i++) {
		struct layout_piece piece = layout_piece(layout, (*index)++);

		expect(name, "child", &piece.prefix, id_of(space, piece.owner),
		    json_object_array_get_idx(want, i));
	}
}

static size_t
check_family(struct json_object *vector, const struct profile *profile,
    const struct stand_in *stand_in, const bool *healthy, enum family family)
{
	const char *name = json_object_get_string(get(vector, "name"));
	struct layout_space *space = layout_space_new(&profile->groups[0], family);
	struct layout *layout = layout_compute(
	    space, healthy, (unsigned)json_object_get_int(get(vector, "split-bits")));
	size_t units = layout_space_units(space), index = 0;
	struct json_object *standbys = get(vector, "standby"), *splits = get(vector, "split");
	uint8_t *standby = xcalloc(units, 1);

	if (standbys)
		layout_standby(layout, standby);
	for (size_t unit = 0; unit < units; unit++) {
		struct prefix own = layout_space_unit(space, unit);
		struct prefix prefix = vector_prefix(stand_in, &own);
		char text[PREFIX_TEXT_SIZE];
		struct json_object *split;

		prefix_format(&prefix, text);
		split = splits ? get(splits, text) : NULL;
		expect(name, "base", &prefix, id_of(space, layout_space_base(space, unit)),
		    get(get(vector, "base"), text));
		expect(name, "owner", &prefix, id_of(space, layout_unit_owner(layout, unit)),
		    get(get(vector, "owner"), text));
		if (standbys)
			expect(name, "standby", &prefix, id_of(space, standby[unit]),
			    get(standbys, text));
		if (split)
			check_children(name, space, layout, &index, split);
		else
			assert_int_equal(layout_piece(layout, index++).unit, unit);
	}
	assert_int_equal(index, layout_pieces(layout));
	free(standby);
	layout_free(layout);
	layout_space_free(space);
	return units;
}

static void
check_vector(struct json_object *vector)
{
	struct stand_in stand_in;
	struct profile *profile = read_profile(get(vector, "profile"), &stand_in);
	struct json_object *alive = get(vector, "alive");
	bool healthy[PROFILE_MAX_ELEMENTS] = { false };
	size_t units = 0;

	assert_true(!stand_in.used || json_object_array_length(alive) == 1);
	for (size_t i = 0; i < json_object_array_length(alive); i++)
		healthy[find_element(&profile->groups[0],
		    json_object_get_string(json_object_array_get_idx(alive, i)))] = true;
	for (int family = 0; family < FAMILY_COUNT; family++)
		units += check_family(vector, profile, &stand_in, healthy, (enum family)family);
	assert_int_equal(units, json_object_object_length(get(vector, "base")));
	profile_free(profile);
}

static void
test_vectors(void **state)
{
	struct json_object *vectors = json_object_from_file(VECTORS);

	assert_non_null(vectors);
	assert_int_equal(json_object_array_length(vectors), 17);
	for (size_t i = 0; i < json_object_array_length(vectors); i++)
		check_vector(json_object_array_get_idx(vectors, i));
	json_object_put(vectors);
}

/* ---- hashes ---- */

static void
test_hash_check_values(void **state)
{
	struct profile *profile = build_profile();
	struct layout_space *v4, *v6;

	assert_true(apportion_mix(1) == 0x5692161d100b05e5u);
	assert_true(apportion_comb(1, 2) == 0xf2826f98653e9e57u);
	assert_true(apportion_hash('e', "fw1", 3) == 0x48a5ddf163275665u);

	build_pool(profile, "10.0.0.0/27", 28, 0, PROFILE_EPOCH_NONE);
	build_pool(profile, "2001:db8::/59", 60, 0, PROFILE_EPOCH_NONE);
	build_equal(profile, 2);
	v4 = layout_space_new(&profile->groups[0], FAMILY_IPV4);
	v6 = layout_space_new(&profile->groups[0], FAMILY_IPV6);
	assert_true(layout_unit_hash(v4, 0) == 0xb6affb72320e6c8fu);
	assert_true(layout_unit_hash(v6, 0) == 0x56fa5695fcdaf415u);
	layout_space_free(v4);
	layout_space_free(v6);
	profile_free(profile);
}

static void
test_interleave(void **state)
{
	static const struct {
		const char *name, *want;
		struct apportion_share shares[4];
		size_t count;
	} tests[] = {
		{ "the example of the rules", "cabcac", { { 2, 'a' }, { 1, 'b' }, { 3, 'c' } }, 3 },
		{ "ties by position", "abab", { { 2, 'a' }, { 2, 'b' } }, 2 },
		{ "ties by position, other way", "baba", { { 2, 'b' }, { 2, 'a' } }, 2 },
		{ "zero is nobody", "aa", { { 0, 'b' }, { 2, 'a' }, { 0, 'c' } }, 3 },
		{ "one in the middle", "aabaa", { { 4, 'a' }, { 1, 'b' } }, 2 },
		{ "nothing", "", { { 0, 'a' } }, 1 },
	};
	struct apportion_scratch scratch = { 0 };

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		char have[8] = "";

		apportion_interleave(tests[i].shares, tests[i].count, &scratch, (uint8_t *)have);
		if (strcmp(have, tests[i].want) != 0)
			fail_msg("%s: %s, should be %s", tests[i].name, have, tests[i].want);
	}
	apportion_scratch_done(&scratch);
}

/* ---- layout-id ---- */

static void
expect_id(const struct layout *layout, const char *want)
{
	char text[LAYOUT_ID_TEXT_SIZE];
	struct layout_id id = layout_compute_id(layout);

	assert_string_equal(layout_id_format(&id, text), want);
}

/* The digests were made with: printf 'autofbf-layout 1\n10.0.0.0/28 fw01\n...' | sha256sum */
static void
test_layout_id(void **state)
{
	struct profile *profile = build_profile();
	const bool both[] = { true, true }, second[] = { false, true }, none[] = { false, false };
	struct layout_space *v4, *v6;
	struct layout *layout;

	build_pool(profile, "10.0.0.0/26", 28, 0, PROFILE_EPOCH_NONE);
	build_pool(profile, "2001:db8::/59", 60, 0, PROFILE_EPOCH_NONE);
	build_equal(profile, 2);
	profile_sort(profile);
	v4 = layout_space_new(&profile->groups[0], FAMILY_IPV4);
	v6 = layout_space_new(&profile->groups[0], FAMILY_IPV6);

	layout = layout_compute(v4, both, 0);
	expect_id(layout, "a6aab15fc098de339c9576586e99f29f1a1b433c2e71f97187e5fa593bae8f60");
	layout_free(layout);
	layout = layout_compute(v4, second, 0);
	expect_id(layout, "e7e54cb95390a15288dfdbeff1b458e96737ea60072480ceece594b87f88b5e3");
	layout_free(layout);
	layout = layout_compute(v6, both, 0);
	expect_id(layout, "2dccfa2e43d467f9216c841a169115f3c50a60041aba5fbf68c4cade48b7eaae");
	layout_free(layout);
	layout = layout_compute(v6, none, 0);
	expect_id(layout, "99048aefdc254f7cf29492ead91be70fdf68a07d48c3a7d40014d10e7a5b26a1");
	layout_free(layout);
	layout_space_free(v4);
	layout_space_free(v6);
	profile_free(profile);
}

/* ---- promises of the header ---- */

/* A profile with several pools, weights and epochs, its lines in the order of seed. */
static struct profile *
build_shuffled(unsigned seed)
{
	static const struct {
		const char *prefix;
		unsigned unit;
		uint32_t since, until;
	} pools[] = {
		{ "10.9.0.0/24", 28, 0, PROFILE_EPOCH_NONE },
		{ "10.2.0.0/24", 29, 0, 3 },
		{ "10.2.0.0/25", 30, 3, PROFILE_EPOCH_NONE },
		{ "10.5.0.0/26", 29, 1, PROFILE_EPOCH_NONE },
		{ "2001:db8::/56", 60, 0, PROFILE_EPOCH_NONE },
	};
	static const char *const ids[] = { "zz", "aa", "mm", "bb", "kk" };
	struct profile *profile = build_profile();

	for (unsigned i = 0; i < 5; i++) {
		unsigned p = (i + seed) % 5, e = (i * (1 + seed % 4) + seed) % 5;
		struct profile_element *element = build_element(profile, ids[e]);

		build_pool(profile, pools[p].prefix, pools[p].unit, pools[p].since, pools[p].until);
		if (seed % 2) {
			build_weight(element, 2, 3 + e);
			build_weight(element, e % 2, 1 + e);
		} else {
			build_weight(element, e % 2, 1 + e);
			build_weight(element, 2, 3 + e);
		}
	}
	profile_sort(profile);
	return profile;
}

static struct layout_id
compute_id(const struct profile *profile, enum family family, unsigned failed)
{
	struct layout_space *space = layout_space_new(&profile->groups[0], family);
	bool healthy[5];
	struct layout *layout;
	struct layout_id id;

	for (unsigned i = 0; i < 5; i++)
		healthy[i] = !(failed >> i & 1);
	layout = layout_compute(space, healthy, 0);
	id = layout_compute_id(layout);
	layout_free(layout);
	layout_space_free(space);
	return id;
}

static void
test_order_of_lines(void **state)
{
	struct profile *first = build_shuffled(0);

	for (unsigned seed = 1; seed < 20; seed++) {
		struct profile *other = build_shuffled(seed);

		for (unsigned failed = 0; failed < 32; failed++)
			for (int f = 0; f < FAMILY_COUNT; f++) {
				struct layout_id a = compute_id(first, (enum family)f, failed);
				struct layout_id b = compute_id(other, (enum family)f, failed);

				assert_memory_equal(&a, &b, sizeof(a));
			}
		profile_free(other);
	}
	profile_free(first);
}

static void
test_find_unit(void **state)
{
	static const struct {
		const char *address;
		size_t want;
	} tests[] = {
		{ "10.2.0.0", 0 },
		{ "10.2.0.7", 1 },
		{ "10.2.0.127", 31 },
		{ "10.2.0.128", SIZE_MAX }, /* that half ended with epoch 3 */
		{ "10.5.0.0", 32 },
		{ "10.9.0.255", 55 },
		{ "10.1.255.255", SIZE_MAX },
		{ "10.255.0.1", SIZE_MAX },
		{ "::", SIZE_MAX },
	};
	struct profile *profile = build_shuffled(3);
	struct layout_space *space = layout_space_new(&profile->groups[0], FAMILY_IPV4);

	assert_int_equal(layout_space_units(space), 32 + 8 + 16);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct ip ip;

		assert_int_equal(ip_parse(tests[i].address, &ip), 0);
		if (layout_space_find(space, &ip) != tests[i].want)
			fail_msg("%s: unit %zu, should be %zu", tests[i].address,
			    layout_space_find(space, &ip), tests[i].want);
	}
	for (size_t unit = 0; unit < layout_space_units(space); unit++) {
		struct prefix prefix = layout_space_unit(space, unit);

		assert_int_equal(layout_space_find(space, &prefix.address), unit);
	}
	layout_space_free(space);
	profile_free(profile);
}

/* An element without the family takes no part, whatever its health. */
static void
test_family_missing(void **state)
{
	struct profile *with = build_profile(), *without = build_profile();
	const bool all[] = { true, true, true };
	struct layout_space *a, *b;
	struct layout *x, *y;
	struct layout_id id_x, id_y;

	build_pool(with, "10.0.0.0/24", 28, 0, PROFILE_EPOCH_NONE);
	build_pool(without, "10.0.0.0/24", 28, 0, PROFILE_EPOCH_NONE);
	build_equal(with, 3);
	build_equal(without, 2);
	with->groups[0].elements[2].family[FAMILY_IPV4].present = false;
	a = layout_space_new(&with->groups[0], FAMILY_IPV4);
	b = layout_space_new(&without->groups[0], FAMILY_IPV4);
	x = layout_compute(a, all, 0);
	y = layout_compute(b, all, 0);
	id_x = layout_compute_id(x);
	id_y = layout_compute_id(y);
	assert_memory_equal(&id_x, &id_y, sizeof(id_x));
	assert_false(layout_space_has(a, 2));
	assert_int_equal(layout_space_weight(a, 2), 0);
	assert_int_equal(layout_space_base_count(a, 2), 0);
	assert_int_equal(layout_owned(x, 2), 0);
	assert_true(layout_space_has(a, 1));
	assert_int_equal(layout_space_weight(a, 1), 1);
	assert_int_equal(layout_space_base_count(a, 1), 8);
	layout_free(x);
	layout_free(y);
	layout_space_free(a);
	layout_space_free(b);
	profile_free(with);
	profile_free(without);
}

static void
test_nobody(void **state)
{
	struct profile *profile = build_shuffled(0);
	const bool healthy[5] = { false };

	for (int f = 0; f < FAMILY_COUNT; f++) {
		struct layout_space *space = layout_space_new(&profile->groups[0], (enum family)f);
		struct layout *layout = layout_compute(space, healthy, 0);
		size_t units = layout_space_units(space);
		uint8_t *standby = xcalloc(units, 1);

		layout_standby(layout, standby);
		for (size_t unit = 0; unit < units; unit++) {
			assert_int_equal(layout_unit_owner(layout, unit), LAYOUT_NONE);
			assert_int_equal(standby[unit], LAYOUT_NONE);
			assert_int_not_equal(layout_space_base(space, unit), LAYOUT_NONE);
		}
		for (size_t e = 0; e < 5; e++)
			assert_int_equal(layout_owned(layout, e), 0);
		free(standby);
		layout_free(layout);
		layout_space_free(space);
	}
	profile_free(profile);
}

/* A family without pools has no units, and nothing breaks. */
static void
test_no_pools(void **state)
{
	struct profile *profile = build_profile();
	const bool healthy[] = { true, false };
	struct layout_space *space;
	struct layout *layout;

	build_equal(profile, 2);
	space = layout_space_new(&profile->groups[0], FAMILY_IPV6);
	layout = layout_compute(space, healthy, 0);
	assert_int_equal(layout_space_units(space), 0);
	assert_int_equal(layout_pieces(layout), 0);
	assert_int_equal(layout_share_exceptions(layout), 0);
	layout_free(layout);
	layout_space_free(space);
	profile_free(profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_hash_check_values),
		cmocka_unit_test(test_interleave),
		cmocka_unit_test(test_layout_id),
		cmocka_unit_test(test_order_of_lines),
		cmocka_unit_test(test_find_unit),
		cmocka_unit_test(test_family_missing),
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_no_pools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
