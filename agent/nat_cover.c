/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does every host that an element carries have a translation? Rules of deterministic pools are
 * lists of host prefixes, units come from the layout; both are sorted, and one walk over both
 * tells.
 *
 * Base units must be covered, even by an element that has an overflow pool besides: whoever writes
 * a deterministic rule relies on it to know hosts without logs. What happens in a failure is only
 * reported.
 */
#include "nat_cover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nat_rules.h"

bool
nat_covers(const struct profile_element_family *family, const struct prefix *prefix)
{
	struct nat_rules rules;
	bool is_covered;

	nat_rules_open(&rules, family);
	is_covered = rules.has_others || nat_rules_have(&rules, prefix);
	nat_rules_done(&rules);
	return is_covered;
}

/* ---- base units ---- */

static const struct profile_nat_pool *
find_deterministic(const struct profile_element *element, enum family family)
{
	const struct profile_element_family *f = &element->family[family];

	for (size_t i = 0; !element->removed && i < f->nat_pool_count; i++)
		if (f->nat_pools[i].kind == NAT_DETERMINISTIC)
			return &f->nat_pools[i];
	return NULL;
}

static int
check_element(const struct layout_space *space, size_t index, struct error *err)
{
	const struct profile_group *g = layout_space_group(space);
	const struct profile_element *e = &g->elements[index];
	enum family family = layout_space_family(space);
	const struct profile_nat_pool *pool = find_deterministic(e, family);
	char text[PREFIX_TEXT_SIZE];
	struct nat_rules rules;
	int rc = 0;

	if (!pool)
		return 0;
	nat_rules_open(&rules, &e->family[family]);
	for (size_t i = 0; rc == 0 && i < layout_space_units(space); i++) {
		struct prefix unit = layout_space_unit(space, i);

		if (layout_space_base(space, i) != index || nat_rules_have(&rules, &unit))
			continue;
		rc = error_set(err, -EINVAL,
		    "/group[%s]/element[%s]/%s/nat-pool[%s]/host-prefix: does not cover %s, a base "
		    "unit of the element, whose hosts would have no deterministic translation; add "
		    "it here and to the element's rule",
		    g->id, e->id, family_names[family], pool->id, prefix_format(&unit, text));
	}
	nat_rules_done(&rules);
	return rc;
}

static bool
has_deterministic(const struct profile_group *g, enum family family)
{
	for (size_t i = 0; i < g->element_count; i++)
		if (find_deterministic(&g->elements[i], family))
			return true;
	return false;
}

int
nat_cover_check(const struct profile *profile, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];

		for (int f = 0; rc == 0 && f < FAMILY_COUNT; f++) {
			struct layout_space *space;

			if (!has_deterministic(g, f))
				continue;
			space = layout_space_new(g, f);
			for (size_t e = 0; rc == 0 && e < g->element_count; e++)
				rc = check_element(space, e, err);
			layout_space_free(space);
		}
	}
	return rc;
}

/* ---- units in a failure ---- */

static void
count_gaps(
    const struct layout *layout, size_t index, const uint8_t *standby, struct nat_gap *ret_gap)
{
	const struct layout_space *space = layout_get_space(layout);
	const struct profile_element *e = &layout_space_group(space)->elements[index];
	struct nat_gap gap = { 0 };
	struct nat_rules rules;

	nat_rules_open(&rules, &e->family[layout_space_family(space)]);
	for (size_t i = 0; i < layout_pieces(layout); i++) {
		struct prefix prefix = layout_piece(layout, i).prefix;

		if (standby[i] != index)
			continue;
		gap.standby_units++;
		if (rules.has_others || nat_rules_have(&rules, &prefix))
			continue;
		if (gap.uncovered_units++ == 0)
			gap.first = prefix;
	}
	nat_rules_done(&rules);
	*ret_gap = gap;
}

void
nat_cover_standby(const struct layout_space *space, struct nat_gap *ret_gaps)
{
	const struct profile_group *g = layout_space_group(space);
	bool *healthy = xcalloc(g->element_count, sizeof(*healthy));
	struct layout *layout;
	uint8_t *standby;

	for (size_t e = 0; e < g->element_count; e++)
		healthy[e] = layout_space_has(space, e);
	layout = layout_compute_split(space, healthy);
	standby = xcalloc(layout_pieces(layout), 1);
	layout_standby_split(layout, standby, NULL);
	for (size_t e = 0; e < g->element_count; e++)
		count_gaps(layout, e, standby, &ret_gaps[e]);
	layout_free(layout);
	free(standby);
	free(healthy);
}

/* ---- units that move ---- */

struct trail { /* of a walk over the layout before */
	const struct layout *layout;
	size_t at;
};

/* Some address of the prefix had another owner. Prefixes come in ascending order. */
static bool
comes_from_another(struct trail *trail, const struct prefix *prefix, const char *owner)
{
	const struct profile_group *g = layout_space_group(layout_get_space(trail->layout));

	for (; trail->at < layout_pieces(trail->layout); trail->at++) {
		struct layout_piece piece = layout_piece(trail->layout, trail->at);

		if (!prefix_overlaps(&piece.prefix, prefix)) {
			if (prefix_compare(&piece.prefix, prefix) > 0)
				return false;
			continue;
		}
		if (piece.owner != LAYOUT_NONE && strcmp(g->elements[piece.owner].id, owner) != 0)
			return true;
		if (prefix_contains(&piece.prefix, prefix))
			return false;
	}
	return false;
}

/* One element's units of the layout after; marks them. */
static void
find_moved_gap(const struct layout *before, const struct layout *after, size_t index, bool *marks,
    struct nat_gap *gap)
{
	const struct layout_space *space = layout_get_space(after);
	const struct profile_element *e = &layout_space_group(space)->elements[index];
	struct trail trail = { before, 0 };
	size_t last = SIZE_MAX;
	struct nat_rules rules;

	nat_rules_open(&rules, &e->family[layout_space_family(space)]);
	for (size_t i = 0; !rules.has_others && i < layout_pieces(after); i++) {
		struct layout_piece piece = layout_piece(after, i);

		if (piece.owner != index || nat_rules_have(&rules, &piece.prefix) ||
		    !comes_from_another(&trail, &piece.prefix, e->id))
			continue;
		if (gap->uncovered_units == 0)
			gap->first = piece.prefix;
		gap->uncovered_units += piece.unit != last;
		marks[piece.unit] = true;
		last = piece.unit;
	}
	nat_rules_done(&rules);
}

size_t
nat_cover_moved(const struct layout *before, const struct layout *after, struct nat_gap *ret_gaps)
{
	const struct layout_space *space = layout_get_space(after);
	const struct profile_group *g = layout_space_group(space);
	bool *marks = xcalloc(layout_space_units(space), sizeof(*marks));
	size_t count = 0;

	for (size_t e = 0; e < g->element_count; e++) {
		ret_gaps[e] = (struct nat_gap){ 0 };
		if (find_deterministic(&g->elements[e], layout_space_family(space)))
			find_moved_gap(before, after, e, marks, &ret_gaps[e]);
	}
	for (size_t u = 0; u < layout_space_units(space); u++)
		count += marks[u];
	free(marks);
	return count;
}
