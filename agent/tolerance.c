/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements that fail together are a party. How many are left after the worst n failures is a matter
 * of counting: the largest parties fail. Loads are not: who is hit worst depends on who fails, so
 * all sets of n parties are tried, as long as there are few enough.
 *
 * A layout for each set would take milliseconds, on a thread that must not wait. What an element
 * carries is its base and its part of what the failed ones had (rule 5 of the layout
 * specification), and that is a division; the worst single failure was computed exactly by the
 * caller, and counts too. Elements in hold-down are not counted on.
 */
#include "tolerance.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

enum { MAX_SETS = 1024 }; /* of parties, over all numbers of failures; 0.8 us each */

const char *const tolerance_limit_names[TOLERANCE_LIMITS] = { "already", "nobody-left", "min-alive",
	"capacity", "search" };

struct view {
	const struct profile_group *group;
	const struct layout_space *const *spaces;
	const bool *const *healthy;
	const double *exact[2]; /* loads now, and after the worst failure of one element; or NULL */
	uint8_t party[PROFILE_MAX_ELEMENTS]; /* of each element that serves */
	size_t party_count, serving;
	bool out[PROFILE_MAX_ELEMENTS]; /* parties that fail */
	unsigned sets_left;
	bool has_capacity;
};

static bool
is_serving(const struct view *view, size_t element, enum family family)
{
	return view->spaces[family] && view->healthy[family][element];
}

static bool
serves_at_all(const struct view *view, size_t element)
{
	return is_serving(view, element, FAMILY_IPV4) || is_serving(view, element, FAMILY_IPV6);
}

/* An element before this one that dies with it, or itself. */
static size_t
find_fellow(const struct view *view, size_t element)
{
	const struct profile_element *elements = view->group->elements;

	for (size_t i = 0; elements[element].failure_domain && i < element; i++)
		if (elements[i].failure_domain && serves_at_all(view, i) &&
		    strcmp(elements[i].failure_domain, elements[element].failure_domain) == 0)
			return i;
	return element;
}

static void
make_parties(struct view *view)
{
	for (size_t e = 0; e < view->group->element_count; e++) {
		size_t fellow = find_fellow(view, e);

		view->has_capacity |= view->group->elements[e].capacity_milli > 0;
		if (!serves_at_all(view, e))
			continue;
		view->serving++;
		view->party[e] = fellow == e ? (uint8_t)view->party_count++ : view->party[fellow];
	}
}

/* ---- who is left ---------------------------------------------------------------------------- */

static int
compare_descending(const void *a, const void *b)
{
	return *(const int *)b - *(const int *)a;
}

/* After the worst so many failures. */
static int
count_left(const struct view *view, enum family family, size_t failures)
{
	int sizes[PROFILE_MAX_ELEMENTS] = { 0 }, left = 0;

	for (size_t e = 0; e < view->group->element_count; e++)
		if (is_serving(view, e, family)) {
			sizes[view->party[e]]++;
			left++;
		}
	qsort(sizes, view->party_count, sizeof(*sizes), compare_descending);
	for (size_t i = 0; i < failures; i++)
		left -= sizes[i];
	return left;
}

static enum tolerance_limit
judge_counts(const struct view *view, size_t failures)
{
	enum tolerance_limit limit = TOLERANCE_LIMITS;

	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		const struct profile_signal *signal = &view->group->signal[f];
		int left = view->spaces[f] ? count_left(view, f, failures) : 1;

		if (left == 0)
			return TOLERANCE_NOBODY;
		if (view->spaces[f] && signal->has_failed && left < signal->min_alive)
			limit = TOLERANCE_MIN_ALIVE;
	}
	return limit;
}

/* ---- what they carry ------------------------------------------------------------------------ */

struct sums { /* of the family's elements that are left */
	double base, failed_weight, weight, count;
};

static bool
is_left(const struct view *view, size_t element, enum family family)
{
	return is_serving(view, element, family) && !view->out[view->party[element]];
}

static struct sums
sum_up(const struct view *view, enum family family)
{
	struct sums sums = { 0 };

	for (size_t e = 0; e < view->group->element_count; e++) {
		if (!is_left(view, e, family))
			continue;
		sums.base += (double)layout_space_base_count(view->spaces[family], e);
		sums.failed_weight += view->group->elements[e].failed_weight;
		sums.weight += layout_space_weight(view->spaces[family], e);
		sums.count++;
	}
	return sums;
}

/* Units that the element would carry. */
static double
find_share(const struct view *view, size_t element, enum family family, const struct sums *sums)
{
	const struct layout_space *space = view->spaces[family];
	double displaced = (double)layout_space_units(space) - sums->base, part;

	if (sums->failed_weight > 0)
		part = view->group->elements[element].failed_weight / sums->failed_weight;
	else if (sums->weight > 0)
		part = layout_space_weight(space, element) / sums->weight;
	else
		part = 1 / sums->count;
	return (double)layout_space_base_count(space, element) + displaced * part;
}

/* Some element that is left would be above its capacity, with the parties out that are marked. */
static bool
is_overloaded(const struct view *view)
{
	struct sums sums[FAMILY_COUNT];

	for (enum family f = 0; f < FAMILY_COUNT; f++)
		sums[f] = sum_up(view, f);
	for (size_t e = 0; e < view->group->element_count; e++) {
		double capacity = (double)view->group->elements[e].capacity_milli, units = 0;

		for (enum family f = 0; f < FAMILY_COUNT; f++)
			if (is_left(view, e, f))
				units += find_share(view, e, f, &sums[f]);
		if (capacity > 0 && units * (double)view->group->unit_load_milli > capacity + 0.5)
			return true;
	}
	return false;
}

/* Tries all sets of so many parties from `first` on. LIMITS: all are well. */
static enum tolerance_limit
try_sets(struct view *view, size_t first, size_t failures)
{
	enum tolerance_limit limit = TOLERANCE_LIMITS;

	if (failures == 0) {
		if (view->sets_left == 0)
			return TOLERANCE_SEARCH;
		view->sets_left--;
		return is_overloaded(view) ? TOLERANCE_CAPACITY : TOLERANCE_LIMITS;
	}
	for (size_t p = first; limit == TOLERANCE_LIMITS && p + failures <= view->party_count;
	     p++) {
		view->out[p] = true;
		limit = try_sets(view, p + 1, failures - 1);
		view->out[p] = false;
	}
	return limit;
}

static bool
is_above(const struct profile_group *group, const double *loads)
{
	for (size_t e = 0; e < group->element_count; e++) {
		double capacity = (double)group->elements[e].capacity_milli;

		if (capacity > 0 && loads[e] * 1000 > capacity + 0.5)
			return true;
	}
	return false;
}

static enum tolerance_limit
judge_loads(struct view *view, size_t failures)
{
	const double *exact = failures < 2 ? view->exact[failures] : NULL;

	if (!view->has_capacity)
		return TOLERANCE_LIMITS;
	if (exact && is_above(view->group, exact))
		return TOLERANCE_CAPACITY;
	return exact && (failures == 0 || view->party_count == view->serving)
	           ? TOLERANCE_LIMITS
	           : try_sets(view, 0, failures);
}

/* ---- together ------------------------------------------------------------------------------- */

struct tolerance
tolerance_compute(const struct profile_group *group,
    const struct layout_space *const spaces[FAMILY_COUNT], const bool *const healthy[FAMILY_COUNT],
    const double *now, const double *worst)
{
	struct view view = { .group = group,
		.spaces = spaces,
		.healthy = healthy,
		.exact = { now, worst },
		.sets_left = MAX_SETS };

	make_parties(&view);
	for (size_t failures = 0; failures <= view.party_count; failures++) {
		enum tolerance_limit limit = judge_counts(&view, failures);

		if (limit == TOLERANCE_LIMITS)
			limit = judge_loads(&view, failures);
		if (limit != TOLERANCE_LIMITS)
			return failures > 0 ? (struct tolerance){ (unsigned)failures - 1, limit }
			                    : (struct tolerance){ 0, TOLERANCE_ALREADY };
	}
	return (struct tolerance){ 0, TOLERANCE_ALREADY }; /* no family, no elements */
}
