/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Units are the measure: a base unit weighs unit-load, a child of a split unit its fraction. The
 * worst case is found by trying every single further failure with the layout itself, so it is exact
 * for weights, failed-weights and splits alike.
 */
#include "capacity.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

bool
capacity_is_told(const struct profile_group *group)
{
	for (size_t e = 0; e < group->element_count; e++)
		if (group->elements[e].capacity_milli)
			return true;
	return false;
}

double
capacity_of(const struct profile_element *element)
{
	return (double)element->capacity_milli / 1000;
}

double
capacity_load_of(const struct profile_group *group, double units)
{
	return units * (double)group->unit_load_milli / 1000;
}

static void
add_loads(const struct profile_group *group, const struct layout_space *space, const bool *healthy,
    double *loads)
{
	struct layout *layout = layout_compute_split(space, healthy);

	for (size_t e = 0; e < group->element_count; e++)
		loads[e] += capacity_load_of(group, layout_share(layout, e));
	layout_free(layout);
}

/* Loads of every element when `without` is out as well (SIZE_MAX: nobody else). */
static void
compute_loads(const struct profile_group *group,
    const struct layout_space *const spaces[FAMILY_COUNT], const bool *const healthy[FAMILY_COUNT],
    size_t without, double *ret_loads)
{
	bool *alive = xcalloc(group->element_count, sizeof(*alive));

	memset(ret_loads, 0, group->element_count * sizeof(*ret_loads));
	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		if (!spaces[f])
			continue;
		memcpy(alive, healthy[f], group->element_count * sizeof(*alive));
		if (without != SIZE_MAX)
			alive[without] = false;
		add_loads(group, spaces[f], alive, ret_loads);
	}
	free(alive);
}

static bool
is_serving(const bool *const healthy[FAMILY_COUNT], size_t element)
{
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		if (healthy[f] && healthy[f][element])
			return true;
	return false;
}

void
capacity_compute(const struct profile_group *group,
    const struct layout_space *const spaces[FAMILY_COUNT], const bool *const healthy[FAMILY_COUNT],
    struct capacity_load *ret_loads)
{
	double *loads = xcalloc(group->element_count, sizeof(*loads));

	compute_loads(group, spaces, healthy, SIZE_MAX, loads);
	for (size_t e = 0; e < group->element_count; e++) {
		double units = 0;
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			if (spaces[f])
				units += (double)layout_space_base_count(spaces[f], e);
		ret_loads[e] = (struct capacity_load){ .base = capacity_load_of(group, units),
			.wanted = loads[e],
			.worst = loads[e] };
	}
	for (size_t x = 0; x < group->element_count; x++) {
		if (!is_serving(healthy, x))
			continue;
		compute_loads(group, spaces, healthy, x, loads);
		for (size_t e = 0; e < group->element_count; e++)
			if (e != x && loads[e] > ret_loads[e].worst)
				ret_loads[e].worst = loads[e];
	}
	free(loads);
}
