/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hosts are all addresses of the units: whoever sells an address wants it translated. How many
 * blocks a host takes on average only the operator knows; it may well be a fraction. The worst
 * failure is found with the layout itself, as capacity.c does.
 */
#include "nat_load.h"

#include <stdlib.h>

#include "error.h"
#include "nat.h"
#include "nat_rules.h"

double
nat_load_blocks(const struct profile_group *group, size_t element, enum family family)
{
	const struct profile_element *e = &group->elements[element];
	const struct profile_element_family *f = &e->family[family];
	double blocks = 0;

	if (group->blocks_per_host_milli[family] == 0 || e->removed)
		return 0;
	for (size_t i = 0; i < f->nat_pool_count; i++) {
		if (f->nat_pools[i].kind == NAT_NAPT)
			return 0;
		if (f->nat_pools[i].kind == NAT_PBA)
			blocks += (double)nat_blocks(&f->nat_pools[i]);
	}
	return blocks;
}

bool
nat_load_is_told(const struct profile_group *group, enum family family)
{
	for (size_t e = 0; e < group->element_count; e++)
		if (nat_load_blocks(group, e, family) > 0)
			return true;
	return false;
}

static double
count_hosts(const struct prefix *prefix)
{
	double hosts = 1;

	for (unsigned bits = family_bits(prefix->address.family); bits > prefix->length; bits--)
		hosts *= 2;
	return hosts;
}

void
nat_load_hosts(const struct layout *layout, double *ret_hosts)
{
	size_t count = layout_space_group(layout_get_space(layout))->element_count;

	for (size_t e = 0; e < count; e++)
		ret_hosts[e] = 0;
	for (size_t i = 0; i < layout_pieces(layout); i++) {
		struct layout_piece piece = layout_piece(layout, i);

		if (piece.owner != LAYOUT_NONE)
			ret_hosts[piece.owner] += count_hosts(&piece.prefix);
	}
}

void
nat_load_needed(const struct layout *layout, double *ret_needed)
{
	const struct layout_space *space = layout_get_space(layout);
	const struct profile_group *group = layout_space_group(space);
	enum family family = layout_space_family(space);
	double per_host = (double)group->blocks_per_host_milli[family] / 1000;
	struct nat_rules *rules = xcalloc(group->element_count, sizeof(*rules));

	for (size_t e = 0; e < group->element_count; e++) {
		nat_rules_open(&rules[e], &group->elements[e].family[family]);
		ret_needed[e] = 0;
	}
	for (size_t i = 0; i < layout_pieces(layout); i++) {
		struct layout_piece piece = layout_piece(layout, i);

		if (piece.owner != LAYOUT_NONE &&
		    !nat_rules_have(&rules[piece.owner], &piece.prefix))
			ret_needed[piece.owner] += per_host * count_hosts(&piece.prefix);
	}
	for (size_t e = 0; e < group->element_count; e++)
		nat_rules_done(&rules[e]);
	free(rules);
}

static void
compute(const struct layout_space *space, const bool *healthy, double *ret_needed)
{
	struct layout *layout = layout_compute_split(space, healthy);

	nat_load_needed(layout, ret_needed);
	layout_free(layout);
}

/* What is needed when one more is out, where that is more. */
static void
take_worst(
    const struct layout_space *space, const bool *healthy, size_t without, struct nat_load *loads)
{
	bool alive[PROFILE_MAX_ELEMENTS];
	double needed[PROFILE_MAX_ELEMENTS];
	size_t count = layout_space_group(space)->element_count;

	for (size_t e = 0; e < count; e++)
		alive[e] = healthy[e] && e != without;
	compute(space, alive, needed);
	for (size_t e = 0; e < count; e++)
		if (e != without && needed[e] > loads[e].worst)
			loads[e].worst = needed[e];
}

void
nat_load_compute(const struct layout_space *space, const bool *healthy, struct nat_load *ret_loads)
{
	const struct profile_group *group = layout_space_group(space);
	bool all[PROFILE_MAX_ELEMENTS];
	double base[PROFILE_MAX_ELEMENTS], now[PROFILE_MAX_ELEMENTS];

	for (size_t e = 0; e < group->element_count; e++)
		all[e] = layout_space_has(space, e);
	compute(space, all, base);
	compute(space, healthy, now);
	for (size_t e = 0; e < group->element_count; e++)
		ret_loads[e] =
		    (struct nat_load){ nat_load_blocks(group, e, layout_space_family(space)),
			    base[e], now[e], now[e] };
	for (size_t e = 0; e < group->element_count; e++)
		if (healthy[e])
			take_worst(space, healthy, e, ret_loads);
}
