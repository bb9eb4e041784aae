/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hosts are all addresses of the units: whoever sells an address wants it translated. How many
 * blocks a host takes on average only the operator knows; it may well be a fraction. The worst
 * failure is found with the layout itself, as capacity.c does.
 */
#include "nat_load.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "nat.h"

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

double
nat_load_hosts(const struct prefix *prefix)
{
	double hosts = 1;

	for (unsigned bits = family_bits(prefix->address.family); bits > prefix->length; bits--)
		hosts *= 2;
	return hosts;
}

/* ---- counting ------------------------------------------------------------------------------- */

void
nat_count_open(struct nat_count *count, const struct profile_group *group, enum family family)
{
	*count = (struct nat_count){ .group = group, .family = family };
	count->rules = xcalloc(group->element_count, sizeof(*count->rules));
	for (size_t e = 0; e < group->element_count; e++)
		nat_rules_open(&count->rules[e], &group->elements[e].family[family]);
}

void
nat_count_done(struct nat_count *count)
{
	for (size_t e = 0; count->rules && e < count->group->element_count; e++)
		nat_rules_done(&count->rules[e]);
	free(count->rules);
	count->rules = NULL;
}

static void
add_gap(void *arg, const struct prefix *gap)
{
	double *hosts = arg;

	*hosts += nat_load_hosts(gap);
}

void
nat_count_add(void *arg, const struct prefix *prefix, uint8_t owner)
{
	struct nat_count *count = arg;
	double gaps = 0;

	if (owner == LAYOUT_NONE)
		return;
	nat_rules_gaps(&count->rules[owner], prefix, add_gap, &gaps);
	count->hosts[owner] += nat_load_hosts(prefix);
	count->blocks[owner] +=
	    gaps * (double)count->group->blocks_per_host_milli[count->family] / 1000;
}

/* Anew, of a layout. */
static void
count_layout(struct nat_count *count, const struct layout *layout)
{
	for (size_t e = 0; e < count->group->element_count; e++) {
		count->rules[e].at = 0;
		count->hosts[e] = count->blocks[e] = 0;
	}
	for (size_t i = 0; i < layout_pieces(layout); i++) {
		struct layout_piece piece = layout_piece(layout, i);

		nat_count_add(count, &piece.prefix, piece.owner);
	}
}

void
nat_load_needed(const struct layout *layout, double *ret_needed)
{
	const struct layout_space *space = layout_get_space(layout);
	struct nat_count count;

	nat_count_open(&count, layout_space_group(space), layout_space_family(space));
	count_layout(&count, layout);
	memcpy(ret_needed, count.blocks, count.group->element_count * sizeof(*ret_needed));
	nat_count_done(&count);
}

/* ---- the worst failure ---------------------------------------------------------------------- */

/* What of a layout only those that are alive carry: their own units, which never move, were counted
 * already; the rest is few, and it may be split. */
static void
add_displaced(struct nat_count *count, const struct layout *layout, const bool *alive)
{
	const struct layout_space *space = layout_get_space(layout);
	size_t pieces = layout_pieces(layout), i = 0;

	for (size_t unit = 0; unit < layout_space_units(space); unit++) {
		uint8_t base = layout_space_base(space, unit);

		if (base != LAYOUT_NONE && alive[base]) {
			i++;
			continue;
		}
		for (; i < pieces; i++) {
			struct layout_piece piece = layout_piece(layout, i);

			if (piece.unit != unit)
				break;
			nat_count_add(count, &piece.prefix, piece.owner);
		}
	}
}

/* With one of the healthy ones out as well (SIZE_MAX: nobody else). own: all in their places. */
static void
count_without(struct nat_count *count, const struct nat_load *own, const double *own_hosts,
    const struct layout_space *space, const bool *healthy, size_t without)
{
	bool alive[PROFILE_MAX_ELEMENTS];
	struct layout *layout;

	for (size_t e = 0; e < count->group->element_count; e++) {
		alive[e] = healthy[e] && e != without;
		count->rules[e].at = 0;
		count->blocks[e] = alive[e] ? own[e].base : 0;
		count->hosts[e] = alive[e] ? own_hosts[e] : 0;
	}
	layout = layout_compute_split(space, alive);
	add_displaced(count, layout, alive);
	layout_free(layout);
}

static void
raise_to(double *worst, double value)
{
	if (value > *worst)
		*worst = value;
}

static void
count_base(struct nat_count *count, const struct layout_space *space)
{
	for (size_t unit = 0; unit < layout_space_units(space); unit++) {
		struct prefix prefix = layout_space_unit(space, unit);

		nat_count_add(count, &prefix, layout_space_base(space, unit));
	}
}

void
nat_load_compute(const struct layout_space *space, const bool *healthy, struct nat_load *ret_loads)
{
	const struct profile_group *group = layout_space_group(space);
	enum family family = layout_space_family(space);
	double hosts[PROFILE_MAX_ELEMENTS];
	struct nat_count count;

	nat_count_open(&count, group, family);
	count_base(&count, space);
	memcpy(hosts, count.hosts, sizeof(hosts));
	for (size_t e = 0; e < group->element_count; e++)
		ret_loads[e] = (struct nat_load){ .blocks = nat_load_blocks(group, e, family),
			.base = count.blocks[e] };
	count_without(&count, ret_loads, hosts, space, healthy, SIZE_MAX);
	for (size_t e = 0; e < group->element_count; e++) {
		ret_loads[e].now = ret_loads[e].worst = count.blocks[e];
		ret_loads[e].hosts = ret_loads[e].hosts_worst = count.hosts[e];
	}
	for (size_t x = 0; x < group->element_count; x++) {
		if (!healthy[x])
			continue;
		count_without(&count, ret_loads, hosts, space, healthy, x);
		for (size_t e = 0; e < group->element_count; e++) {
			raise_to(&ret_loads[e].worst, count.blocks[e]);
			raise_to(&ret_loads[e].hosts_worst, count.hosts[e]);
		}
	}
	nat_count_done(&count);
}
