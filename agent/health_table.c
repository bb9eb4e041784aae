/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of all members, made from the profile: two for each element (the families), in the
 * order of groups and elements, and their peers by address. Making it, finding in it, and the
 * questions that only read it; nothing here changes a state.
 *
 * Members that the profile does not serve (a removed element, a family that an element lacks) are
 * in the table, too, so that indexes are simple; they have no peers and are never healthy.
 */
#include <stdlib.h>

#include "error.h"
#include "health_internal.h"

const char *const health_state_names[HEALTH_STATE_COUNT] = {
	[HEALTH_UNKNOWN] = "unknown",
	[HEALTH_DOWN] = "down",
	[HEALTH_DOWN_BY_SCOPE] = "down-by-scope",
	[HEALTH_HOLD_DOWN] = "hold-down",
	[HEALTH_UP] = "up",
};

const char *const verdict_names[VERDICT_COUNT] = {
	[VERDICT_UNKNOWN] = "unknown",
	[VERDICT_DOWN] = "down",
	[VERDICT_UP] = "up",
};

uint32_t
health_weight(const struct profile_element *element, enum family family)
{
	if (element->removed || !element->family[family].present || element->weight_count == 0)
		return 0;
	return element->weights[element->weight_count - 1].weight;
}

struct health_member *
health_find_member(const struct health *health, size_t group, size_t element, enum family family)
{
	return &health->members[health->first[group] + element * FAMILY_COUNT + family];
}

static int
compare_slots(const void *a, const void *b)
{
	return ip_compare(
	    &((const struct health_slot *)a)->address, &((const struct health_slot *)b)->address);
}

const struct health_slot *
health_find_slot(const struct health *health, const struct ip *address)
{
	struct health_slot key = { .address = *address };

	return bsearch(
	    &key, health->slots, health->slot_count, sizeof(*health->slots), compare_slots);
}

static void
init_member(struct health *health, struct health_member *m, struct mtime now)
{
	const struct profile_group *config = &health->profile->groups[m->group];

	health_member_init(m, config, now);
	for (enum side s = 0; m->present && s < SIDE_COUNT; s++) {
		health->slots[health->slot_count++] = (struct health_slot){
			.address = m->peer[s].config->address, .member = m, .side = s
		};
	}
}

static void
init_element(struct health *health, size_t group, size_t element, struct mtime now)
{
	struct health_member *m = health_find_member(health, group, element, 0);

	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		m[f].group = group;
		m[f].element = element;
		m[f].family = f;
		init_member(health, &m[f], now);
	}
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		if (m[FAMILY_COUNT - 1 - f].present)
			m[f].sibling = &m[FAMILY_COUNT - 1 - f];
}

struct health *
health_new(const struct profile *profile, struct mtime now)
{
	struct health *health = xcalloc(1, sizeof(*health));

	health->profile = profile;
	health->now = now;
	health->first = xcalloc(profile->group_count + 1, sizeof(*health->first));
	for (size_t g = 0; g < profile->group_count; g++) {
		health->first[g] = health->member_count;
		health->member_count += profile->groups[g].element_count * FAMILY_COUNT;
	}
	health->members = xcalloc(health->member_count + 1, sizeof(*health->members));
	health->slots = xcalloc(health->member_count * SIDE_COUNT + 1, sizeof(*health->slots));
	for (size_t g = 0; g < profile->group_count; g++)
		for (size_t e = 0; e < profile->groups[g].element_count; e++)
			init_element(health, g, e, now);
	qsort(health->slots, health->slot_count, sizeof(*health->slots), compare_slots);
	return health;
}

void
health_free(struct health *health)
{
	if (!health)
		return;
	for (size_t i = 0; i < health->member_count; i++)
		health_member_done(&health->members[i]);
	free(health->members);
	free(health->first);
	free(health->slots);
	free(health);
}

void
health_on_change(struct health *health, health_change_fn *fn, void *arg)
{
	health->on_change = fn;
	health->on_change_arg = arg;
}

/* ---- questions ----------------------------------------------------------------------------------
 */

bool
health_is_healthy(const struct health *health, size_t group, size_t element, enum family family)
{
	const struct health_member *m = health_find_member(health, group, element, family);

	return health_member_is_healthy(m);
}

bool
health_has_verdict(const struct health *health, size_t group, size_t element, enum family family)
{
	const struct health_member *m = health_find_member(health, group, element, family);

	return !m->present || m->forced || m->has_verdict;
}

bool
health_has_verdicts(const struct health *health, size_t group, enum family family)
{
	for (size_t e = 0; e < health->profile->groups[group].element_count; e++)
		if (!health_has_verdict(health, group, e, family))
			return false;
	return true;
}

void
health_view(const struct health *health, size_t group, size_t element, enum family family,
    struct health_view *ret_view)
{
	const struct health_member *m = health_find_member(health, group, element, family);

	health_member_view(m, health->now, ret_view);
}

void
health_pool_view(const struct health *health, size_t group, size_t element, enum family family,
    size_t pool, struct health_pool_view *ret_view)
{
	health_pool_look(health_find_member(health, group, element, family), pool, ret_view);
}
