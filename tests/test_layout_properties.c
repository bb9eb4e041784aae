/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What must hold for every profile and every healthy set: the promises of balance, least
 * disruption, no history and one owner, checked against the profile and not against the code.
 *
 * The seed is printed; SEED=n repeats a run; ROUNDS=n, CHECK_LONG=1 or the argument "long"
 * change its length.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "layout.h"
#include "layout_build.h"
#include "layout_random.h"

enum { MAX_ELEMENTS = 32, MAX_UNITS = 4096 };

struct totals {
	size_t profiles, sets, shares, exceptions, avoidable, splits;
};

static unsigned rounds = 300;

/* ---- shares, from the profile alone ---- */

struct shares {
	size_t count;
	long double share[MAX_ELEMENTS]; /* combined share, exact but for the last digits */
	int64_t base[MAX_ELEMENTS];
	bool takes[MAX_ELEMENTS]; /* alive and in K */
	size_t takers;
	int64_t displaced, total;
	int64_t unit; /* 1, or its children */
};

static uint16_t
last_weight(const struct profile_element *element)
{
	return element->weights[element->weight_count - 1].weight;
}

static void
count_base(const struct layout_space *space, int64_t g, int64_t *base)
{
	for (size_t e = 0; e < MAX_ELEMENTS; e++)
		base[e] = 0;
	for (size_t unit = 0; unit < layout_space_units(space); unit++) {
		assert_true(layout_space_has(space, layout_space_base(space, unit)));
		base[layout_space_base(space, unit)] += g;
	}
}

/* failed-weights, else weights, else everybody alike: the share of what others have lost. */
static unsigned
take_of(const struct layout_space *space, const bool *healthy, size_t element)
{
	const struct profile_group *group = layout_space_group(space);
	unsigned failed_sum = 0, sum = 0;

	for (size_t e = 0; e < group->element_count; e++) {
		if (!healthy[e] || !layout_space_has(space, e))
			continue;
		failed_sum += group->elements[e].failed_weight;
		sum += last_weight(&group->elements[e]);
	}
	if (!healthy[element] || !layout_space_has(space, element))
		return 0;
	return failed_sum ? group->elements[element].failed_weight
	       : sum      ? last_weight(&group->elements[element])
	                  : 1;
}

/* What each survivor should own: its weight's part of all units, plus its failed-weight's part of
 * what the weights of the survivors do not account for. */
static struct shares
make_shares(const struct layout_space *space, const bool *healthy, unsigned bits)
{
	const struct profile_group *group = layout_space_group(space);
	struct shares s = { .count = group->element_count,
		.unit = (int64_t)1 << bits,
		.total = (int64_t)layout_space_units(space) << bits };
	long double weight_sum = 0, taker_weight = 0, take_sum = 0, shared = s.total;

	count_base(space, (int64_t)1 << bits, s.base);
	s.displaced = s.total;
	for (size_t e = 0; e < s.count; e++) {
		unsigned take = take_of(space, healthy, e);

		if (layout_space_has(space, e))
			weight_sum += last_weight(&group->elements[e]);
		if (!layout_space_has(space, e) || !healthy[e])
			continue;
		s.displaced -= s.base[e];
		s.takes[e] = take > 0;
		s.takers += take > 0;
		take_sum += take;
		if (take)
			taker_weight += last_weight(&group->elements[e]);
		else
			shared -= s.base[e];
	}
	for (size_t e = 0; e < s.count; e++)
		s.share[e] = !s.takes[e] ? s.base[e]
		                         : s.total * last_weight(&group->elements[e]) / weight_sum +
		                               (shared - s.total * taker_weight / weight_sum) *
		                                   take_of(space, healthy, e) / take_sum;
	return s;
}

static int64_t
round_down(long double value)
{
	int64_t whole = (int64_t)value;

	return whole > value ? whole - 1 : whole;
}

/* By a unit or more. */
static bool
is_off(long double share, int64_t owned, int64_t unit)
{
	return share - owned > unit - 1e-9L || owned - share > unit - 1e-9L;
}

/* Is there any way to give everybody its share with less than one unit of difference, without
 * taking anything from anybody? */
static bool
is_feasible(const struct shares *s)
{
	int64_t low_sum = 0, high_sum = 0, rest = s->total;

	for (size_t e = 0; e < s->count; e++) {
		int64_t low = round_down(s->share[e] - s->unit + 1e-9L) + 1;
		int64_t high = -round_down(-(s->share[e] + s->unit - 1e-9L)) - 1;

		if (!s->takes[e])
			continue;
		if (low < s->base[e])
			low = s->base[e];
		if (low > high)
			return false;
		low_sum += low;
		high_sum += high;
	}
	return low_sum <= rest && rest <= high_sum;
}

/* Owned by survivor: nobody below its base, nobody a unit away from its share; misses are counted,
 * and the layout must own up to exactly these. */
static void
check_shares(const struct layout *layout, const bool *healthy, unsigned bits, struct totals *totals)
{
	const struct layout_space *space = layout_get_space(layout);
	struct shares s = make_shares(space, healthy, bits);
	size_t misses = 0;

	for (size_t e = 0; e < s.count; e++) {
		int64_t owned = (int64_t)layout_owned(layout, e);

		if (!healthy[e] || !layout_space_has(space, e)) {
			assert_int_equal(owned, 0);
			continue;
		}
		assert_true(owned >= s.base[e]);
		if (!s.takes[e]) {
			assert_int_equal(owned, s.base[e]);
			s.total -= owned;
			continue;
		}
		totals->shares++;
		misses += is_off(s.share[e], owned, s.unit);
	}
	if (s.displaced == 0)
		return; /* the base, see check_base */
	assert_int_equal(misses, layout_share_exceptions(layout));
	totals->exceptions += misses;
	if (misses && is_feasible(&s))
		totals->avoidable++;
}

/* ---- one layout ---- */

/* Pieces are all addresses of all units, once, in order, with living owners; counts agree. */
static void
check_pieces(const struct layout *layout, const bool *healthy, unsigned bits)
{
	const struct layout_space *space = layout_get_space(layout);
	size_t owned[MAX_ELEMENTS] = { 0 }, unit = 0, part = 0;

	for (size_t i = 0; i < layout_pieces(layout); i++) {
		struct layout_piece piece = layout_piece(layout, i);
		struct prefix whole = layout_space_unit(space, unit);
		bool is_whole = piece.prefix.length == whole.length;
		struct prefix want = prefix_child(&whole, piece.prefix.length, part);

		assert_int_equal(piece.unit, unit);
		assert_true(piece.owner < MAX_ELEMENTS && healthy[piece.owner]);
		assert_true(layout_space_has(space, piece.owner));
		assert_true(is_whole || piece.prefix.length == whole.length + bits);
		assert_int_equal(prefix_compare(&piece.prefix, &want), 0);
		if (is_whole)
			assert_int_equal(piece.owner, layout_unit_owner(layout, unit));
		owned[piece.owner] += is_whole ? (size_t)1 << bits : 1;
		if (is_whole || ++part == (size_t)1 << bits) {
			part = 0;
			unit++;
		}
	}
	assert_int_equal(unit, layout_space_units(space));
	for (size_t e = 0; e < layout_space_group(space)->element_count; e++)
		assert_int_equal(layout_owned(layout, e), owned[e]);
}

/* What survivors own by base they keep, whole. */
static void
check_survivors(const struct layout *layout, const bool *healthy)
{
	const struct layout_space *space = layout_get_space(layout);

	for (size_t i = 0; i < layout_pieces(layout); i++) {
		struct layout_piece piece = layout_piece(layout, i);
		uint8_t base = layout_space_base(space, piece.unit);

		if (!healthy[base])
			continue;
		assert_int_equal(piece.owner, base);
		assert_int_equal(piece.prefix.length, layout_space_unit(space, piece.unit).length);
	}
}

/* One more failure: every unit of the element that fails goes to its published standby. */
static void
check_standby(const struct layout *layout, const bool *healthy, size_t failing)
{
	const struct layout_space *space = layout_get_space(layout);
	uint8_t *standby = xcalloc(layout_space_units(space), 1);
	bool without[MAX_ELEMENTS];
	struct layout *next;

	memcpy(without, healthy, sizeof(without));
	without[failing] = false;
	next = layout_compute(space, without, 0);
	layout_standby(layout, standby);
	for (size_t unit = 0; unit < layout_space_units(space); unit++) {
		assert_int_not_equal(standby[unit], layout_unit_owner(layout, unit));
		if (layout_unit_owner(layout, unit) == failing)
			assert_int_equal(standby[unit], layout_unit_owner(next, unit));
	}
	layout_free(next);
	free(standby);
}

static void
check_split(
    const struct layout_space *space, const bool *healthy, unsigned bits, struct totals *totals)
{
	struct layout *layout = layout_compute(space, healthy, bits);
	size_t more = layout_pieces(layout) - layout_space_units(space);
	size_t split = more / (((size_t)1 << bits) - 1);
	struct shares shares = make_shares(space, healthy, bits);

	check_pieces(layout, healthy, bits);
	check_survivors(layout, healthy);
	check_shares(layout, healthy, bits, totals);
	assert_int_equal(more % (((size_t)1 << bits) - 1), 0);
	assert_true(split == 0 || split < shares.takers);
	totals->splits += split;
	layout_free(layout);
}

static size_t
count_alive(const struct layout_space *space, const bool *healthy)
{
	size_t alive = 0;

	for (size_t e = 0; e < layout_space_group(space)->element_count; e++)
		alive += healthy[e] && layout_space_has(space, e);
	return alive;
}

static void
check_set(struct random *random, const struct layout_space *space, const bool *healthy,
    struct totals *totals)
{
	struct layout *layout = layout_compute(space, healthy, 0);
	size_t failing = random_below(random, layout_space_group(space)->element_count);
	unsigned bits =
	    random_bits(random, layout_space_group(space), layout_space_family(space), 6);

	totals->sets++;
	check_pieces(layout, healthy, 0);
	check_survivors(layout, healthy);
	check_shares(layout, healthy, 0, totals);
	if (healthy[failing] && layout_space_has(space, failing) && count_alive(space, healthy) > 1)
		check_standby(layout, healthy, failing);
	if (bits > 0)
		check_split(space, healthy, bits, totals);
	layout_free(layout);
}

/* ---- the base and the first failure ---- */

static bool
may_retire(const struct profile_group *group)
{
	for (size_t e = 0; e < group->element_count; e++)
		for (size_t i = 1; i < group->elements[e].weight_count; i++)
			if (group->elements[e].weights[i].weight == 0)
				return true;
	return false;
}

/* Everybody up is the base; the base is exact unless a retirement (rule 4e) bent it, counted. */
static void
check_base(const struct layout_space *space, const bool *everybody)
{
	struct layout *layout = layout_compute(space, everybody, 0);
	struct shares s = make_shares(space, everybody, 0);
	const struct profile_group *group = layout_space_group(space);
	size_t misses = 0;
	long double weight_sum = 0;

	for (size_t e = 0; e < s.count; e++)
		weight_sum += layout_space_has(space, e) ? last_weight(&group->elements[e]) : 0;
	for (size_t e = 0; e < s.count; e++) {
		long double share = s.total * last_weight(&group->elements[e]) / weight_sum;

		assert_int_equal(layout_space_base_count(space, e), s.base[e]);
		assert_int_equal(layout_owned(layout, e), s.base[e]);
		if (layout_space_has(space, e))
			misses += is_off(share, s.base[e], 1);
	}
	assert_int_equal(misses, layout_share_exceptions(layout));
	assert_true(misses == 0 || may_retire(group));
	for (size_t unit = 0; unit < layout_space_units(space); unit++)
		assert_int_equal(layout_unit_owner(layout, unit), layout_space_base(space, unit));
	layout_free(layout);
}

static void
check_first_failure(const struct layout_space *space, const bool *everybody, size_t failing)
{
	struct layout *all = layout_compute(space, everybody, 0), *rest;
	uint8_t *standby = xcalloc(layout_space_units(space), 1);
	bool healthy[MAX_ELEMENTS];

	memcpy(healthy, everybody, sizeof(healthy));
	healthy[failing] = false;
	rest = layout_compute(space, healthy, 0);
	layout_standby(all, standby);
	for (size_t unit = 0; unit < layout_space_units(space); unit++) {
		uint8_t owner = layout_space_base(space, unit);

		assert_int_equal(
		    layout_unit_owner(rest, unit), owner == failing ? standby[unit] : owner);
	}
	free(standby);
	layout_free(all);
	layout_free(rest);
}

static struct layout_id
id_of_set(const struct profile_group *group, enum family family, const bool *healthy, unsigned bits)
{
	struct layout_space *space = layout_space_new(group, family);
	struct layout *layout = layout_compute(space, healthy, bits);
	struct layout_id id = layout_compute_id(layout);

	layout_free(layout);
	layout_space_free(space);
	return id;
}

static void
shuffle(struct random *random, void *array, size_t count, size_t size)
{
	uint8_t *bytes = array, *swap = xcalloc(1, size);

	for (size_t i = count; i > 1; i--) {
		size_t j = random_below(random, i);

		memcpy(swap, bytes + (i - 1) * size, size);
		memcpy(bytes + (i - 1) * size, bytes + j * size, size);
		memcpy(bytes + j * size, swap, size);
	}
	free(swap);
}

/* Lines in another order, a fresh start: the same layout-id. */
static void
check_purity(
    struct random *random, struct profile *profile, enum family family, const bool *healthy)
{
	struct profile_group *group = &profile->groups[0];
	unsigned bits = (unsigned)random_below(random, 3);
	struct layout_id before = id_of_set(group, family, healthy, bits), after;

	shuffle(random, group->elements, group->element_count, sizeof(*group->elements));
	shuffle(random, group->pools, group->pool_count, sizeof(*group->pools));
	for (size_t e = 0; e < group->element_count; e++)
		shuffle(random, group->elements[e].weights, group->elements[e].weight_count,
		    sizeof(struct profile_weight));
	profile_sort(profile);
	after = id_of_set(group, family, healthy, bits);
	assert_memory_equal(&before, &after, sizeof(before));
}

static void
check_profile(
    struct random *random, struct profile *profile, enum family family, struct totals *totals)
{
	struct layout_space *space = layout_space_new(&profile->groups[0], family);
	size_t count = profile->groups[0].element_count;
	bool everybody[MAX_ELEMENTS] = { false }, healthy[MAX_ELEMENTS] = { false };

	for (size_t e = 0; e < count; e++)
		everybody[e] = true;
	check_base(space, everybody);
	for (unsigned i = 0; i < 3 && count_alive(space, everybody) > 1; i++) {
		size_t failing = random_below(random, count);

		if (layout_space_has(space, failing))
			check_first_failure(space, everybody, failing);
	}
	for (unsigned i = 0; i < 5; i++) {
		random_healthy(random, space, healthy);
		check_set(random, space, healthy, totals);
	}
	layout_space_free(space);
	check_purity(random, profile, family, healthy);
}

static void
test_promises(void **state)
{
	struct random random = random_begin("test_promises");
	struct totals totals = { 0 };

	for (; totals.profiles < rounds; totals.profiles++) {
		struct profile *profile = random_profile(
		    &random, MAX_ELEMENTS, random_below(&random, 2) ? MAX_UNITS : 100);

		for (int family = 0; family < FAMILY_COUNT; family++)
			check_profile(&random, profile, (enum family)family, &totals);
		profile_free(profile);
	}
	printf("%zu profiles, %zu healthy sets, %zu shares, %zu off by a unit or more (%zu "
	       "avoidable), "
	       "%zu units split\n",
	    totals.profiles, totals.sets, totals.shares, totals.exceptions, totals.avoidable,
	    totals.splits);
	/* rare, and only where no shares at all would do without taking from a survivor */
	assert_true(totals.exceptions * 1000 <= totals.shares);
	assert_int_equal(totals.avoidable, 0);
}

/* ---- changes of the profile ---- */

struct picture { /* a base, by prefix */
	size_t units;
	struct prefix *prefixes;
	const char **owners;
};

static struct picture
take_picture(const struct profile *profile, enum family family)
{
	struct layout_space *space = layout_space_new(&profile->groups[0], family);
	struct picture picture = { .units = layout_space_units(space) };

	picture.prefixes = xcalloc(picture.units, sizeof(*picture.prefixes));
	picture.owners = xcalloc(picture.units, sizeof(*picture.owners));
	for (size_t unit = 0; unit < picture.units; unit++) {
		picture.prefixes[unit] = layout_space_unit(space, unit);
		picture.owners[unit] =
		    profile->groups[0].elements[layout_space_base(space, unit)].id;
	}
	layout_space_free(space);
	return picture;
}

static void
free_picture(struct picture *picture)
{
	free(picture->prefixes);
	free(picture->owners);
}

static const char *
find_owner(const struct picture *picture, const struct prefix *prefix)
{
	const struct prefix *found = bsearch(
	    prefix, picture->prefixes, picture->units, sizeof(*prefix), prefix_compare_void);

	return found ? picture->owners[found - picture->prefixes] : NULL;
}

static size_t
count_units(const struct picture *picture, const char *id)
{
	size_t count = 0;

	for (size_t i = 0; i < picture->units; i++)
		count += strcmp(picture->owners[i], id) == 0;
	return count;
}

enum { NEW_EPOCH = 20 }; /* later than any of random_profile */

/* One change, as a new epoch. */
static void
change_profile(struct random *random, struct profile *profile)
{
	struct profile_group *group = &profile->groups[0];

	switch (random_below(random, 3)) {
	case 0:
		build_weight(build_element(profile, "new"), NEW_EPOCH,
		    1 + (unsigned)random_below(random, 9));
		break;
	case 1: {
		struct profile_element *element =
		    &group->elements[random_below(random, group->element_count)];

		if (!element->removed)
			build_weight(element, NEW_EPOCH, 1 + (unsigned)random_below(random, 9));
		break;
	}
	default:
		build_pool(profile, "10.250.0.0/24", 24 + (unsigned)random_below(random, 8),
		    NEW_EPOCH, PROFILE_EPOCH_NONE);
		build_pool(profile, "2001:db8:250::/48", 48 + (unsigned)random_below(random, 8),
		    NEW_EPOCH, PROFILE_EPOCH_NONE);
	}
	profile_sort(profile);
}

/* A new epoch moves no unit that does not have to: each owner loses exactly what it has too much.
 */
static void
test_changes(void **state)
{
	struct random random = random_begin("test_changes");

	for (unsigned round = 0; round < rounds; round++) {
		struct profile *profile = random_profile(&random, 12, 500);
		enum family family = (enum family)random_below(&random, FAMILY_COUNT);
		struct picture before = take_picture(profile, family), after;
		size_t moved = 0, must = 0;

		change_profile(&random, profile);
		after = take_picture(profile, family);
		for (size_t unit = 0; unit < before.units; unit++) {
			const char *owner = find_owner(&after, &before.prefixes[unit]);

			assert_non_null(owner);
			moved += strcmp(owner, before.owners[unit]) != 0;
		}
		for (size_t e = 0; e < profile->groups[0].element_count; e++) {
			const char *id = profile->groups[0].elements[e].id;
			size_t had = count_units(&before, id), has = count_units(&after, id);

			must += had > has ? had - has : 0;
		}
		assert_int_equal(moved, must);
		free_picture(&before);
		free_picture(&after);
		profile_free(profile);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_promises),
		cmocka_unit_test(test_changes),
	};

	if (getenv("CHECK_LONG") || (argc > 1 && strcmp(argv[1], "long") == 0))
		rounds *= 20;
	if (getenv("ROUNDS"))
		rounds = (unsigned)strtoul(getenv("ROUNDS"), NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
