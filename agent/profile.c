/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile as values: sorting, finding, counting, freeing.
 *
 * It owns the order that makes everything after it independent of the order of lines in the file:
 * groups and elements by id as bytes, weights by epoch, pools by address, split tables by
 * survivors. Nothing here allocates or refuses anything. What a profile must not say is
 * profile_check.c's; where it came from, with its defaults and types, is profile_yang.c's; what is
 * made of units is layout.c's.
 */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

const char *const side_names[SIDE_COUNT] = { "inside", "outside" };
const char *const bfd_mode_names[BFD_MODE_COUNT] = { "if-present", "required", "ignore" };
const char *const failure_scope_names[SCOPE_COUNT] = { "auto", "family", "element" };
const char *const agent_mode_names[MODE_COUNT] = { "active", "monitor" };
const char *const revert_names[REVERT_COUNT] = { "automatic", "manual" };
const char *const return_path_names[RETURN_PATH_COUNT] = { "filter", "nat-routes" };
const char *const nat_kind_names[NAT_KIND_COUNT] = { "napt", "pba", "deterministic" };

/* ---- life ---- */

static void
free_strings(char **strings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(strings[i]);
	free(strings);
}

static void
free_element_family(struct profile_element_family *family)
{
	for (int s = 0; s < SIDE_COUNT; s++) {
		free(family->peer[s].instance);
		free(family->peer[s].interface);
	}
	free(family->base_list);
	free(family->override_list);
	for (size_t i = 0; i < family->nat_pool_count; i++) {
		free(family->nat_pools[i].id);
		free(family->nat_pools[i].hosts);
	}
	free(family->nat_pools);
}

static void
free_element(struct profile_element *element)
{
	for (int f = 0; f < FAMILY_COUNT; f++)
		free_element_family(&element->family[f]);
	free(element->failure_domain);
	free(element->weights);
	free(element->name);
	free(element->id);
}

static void
free_group(struct profile_group *group)
{
	for (size_t i = 0; i < group->element_count; i++)
		free_element(&group->elements[i]);
	free(group->elements);
	free(group->pools);
	for (int f = 0; f < FAMILY_COUNT; f++) {
		free(group->split[f]);
		free(group->supernets[f]);
	}
	free(group->capacity_label);
	free_strings(group->inside_interfaces, group->inside_interface_count);
	free_strings(group->outside_interfaces, group->outside_interface_count);
	free(group->name);
	free(group->id);
}

void
profile_free(struct profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->group_count; i++)
		free_group(&profile->groups[i]);
	free(profile->groups);
	free(profile->router.addresses);
	free(profile->router.user);
	free(profile->router.key_file);
	free(profile->router.known_hosts);
	free_strings(profile->router.host_keys, profile->router.host_key_count);
	free(profile->router.instance);
	free(profile->bmp.allowed);
	free(profile->syslog.allowed);
	free(profile->print);
	free(profile->xml);
	free(profile);
}

/* ---- order ---- */

static int
compare_groups(const void *a, const void *b)
{
	return strcmp(((const struct profile_group *)a)->id, ((const struct profile_group *)b)->id);
}

static int
compare_elements(const void *a, const void *b)
{
	return strcmp(
	    ((const struct profile_element *)a)->id, ((const struct profile_element *)b)->id);
}

static int
compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
compare_weights(const void *a, const void *b)
{
	return compare_numbers(
	    ((const struct profile_weight *)a)->epoch, ((const struct profile_weight *)b)->epoch);
}

/* By (family, prefix, since); the rest only makes the order total. */
static int
compare_pools(const void *a, const void *b)
{
	const struct profile_pool *p = a, *q = b;
	int order = prefix_compare(&p->prefix, &q->prefix);

	if (order == 0)
		order = compare_numbers(p->since, q->since);
	if (order == 0)
		order = compare_numbers(p->unit_length, q->unit_length);
	return order;
}

static int
compare_splits(const void *a, const void *b)
{
	return compare_numbers(((const struct profile_split *)a)->survivors,
	    ((const struct profile_split *)b)->survivors);
}

static int
compare_nat_pools(const void *a, const void *b)
{
	return strcmp(
	    ((const struct profile_nat_pool *)a)->id, ((const struct profile_nat_pool *)b)->id);
}

static int
compare_prefixes(const void *a, const void *b)
{
	return prefix_compare(a, b);
}

static void
sort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	if (count > 1)
		qsort(base, count, size, compare);
}

static void
sort_element(struct profile_element *element)
{
	sort(element->weights, element->weight_count, sizeof(*element->weights), compare_weights);
	for (int f = 0; f < FAMILY_COUNT; f++)
		sort(element->family[f].nat_pools, element->family[f].nat_pool_count,
		    sizeof(*element->family[f].nat_pools), compare_nat_pools);
}

void
profile_sort(struct profile *profile)
{
	sort(profile->groups, profile->group_count, sizeof(*profile->groups), compare_groups);
	for (size_t i = 0; i < profile->group_count; i++) {
		struct profile_group *g = &profile->groups[i];

		sort(g->pools, g->pool_count, sizeof(*g->pools), compare_pools);
		sort(g->elements, g->element_count, sizeof(*g->elements), compare_elements);
		for (int f = 0; f < FAMILY_COUNT; f++) {
			sort(g->split[f], g->split_count[f], sizeof(*g->split[f]), compare_splits);
			sort(g->supernets[f], g->supernet_count[f], sizeof(*g->supernets[f]),
			    compare_prefixes);
		}
		for (size_t j = 0; j < g->element_count; j++)
			sort_element(&g->elements[j]);
	}
}

/* ---- looking up ---- */

static bool
is_called(const char *id, const char *name, const char *wanted)
{
	return strcmp(id, wanted) == 0 || strcmp(name, wanted) == 0;
}

const struct profile_group *
profile_find_group(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->group_count; i++)
		if (is_called(profile->groups[i].id, profile->groups[i].name, name))
			return &profile->groups[i];
	return NULL;
}

bool
profile_element_is_among(
    const struct profile_element *element, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_called(element->id, element->name, names[i]))
			return true;
	return false;
}

bool
profile_id_is_among(const char *id, const char *ids)
{
	size_t length = strlen(id);

	for (const char *at = ids; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, id, length) == 0 && (at[length] == ',' || !at[length]))
			return true;
	return false;
}

const struct profile_element *
profile_find_element(
    const struct profile *profile, const char *name, const struct profile_group **ret_group)
{
	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];

		for (size_t j = 0; j < g->element_count; j++) {
			if (!is_called(g->elements[j].id, g->elements[j].name, name))
				continue;
			if (ret_group)
				*ret_group = g;
			return &g->elements[j];
		}
	}
	return NULL;
}

size_t
profile_group_index(const struct profile *profile, const char *id)
{
	for (size_t g = 0; g < profile->group_count; g++)
		if (strcmp(profile->groups[g].id, id) == 0)
			return g;
	return SIZE_MAX;
}

size_t
profile_element_index(const struct profile_group *group, const char *id)
{
	for (size_t e = 0; e < group->element_count; e++)
		if (strcmp(group->elements[e].id, id) == 0)
			return e;
	return SIZE_MAX;
}

bool
profile_owns_list(const struct profile_group *group, size_t e, enum family family, const char *list)
{
	for (size_t i = 0; group->elements[e].removed && i < group->element_count; i++) {
		const struct profile_element_family *lists = &group->elements[i].family[family];

		if (group->elements[i].removed || !lists->present)
			continue;
		if (strcmp(lists->base_list, list) == 0 || strcmp(lists->override_list, list) == 0)
			return false;
	}
	return true;
}

/* Number of units; everything beyond the limit counts as one more than the limit. */
static uint64_t
pool_units(const struct profile_pool *pool)
{
	unsigned bits = (unsigned)(pool->unit_length - pool->prefix.length);

	return bits > 22 ? PROFILE_MAX_UNITS + 1 : UINT64_C(1) << bits;
}

/* Who listens on all addresses has the port on each of them, and with "::" on those of IPv4 too. */
static bool
covers_address(const struct ip *a, const struct ip *b)
{
	bool is_all =
	    ip_to_number(a) == 0 && (a->family == FAMILY_IPV6 || b->family == FAMILY_IPV4);

	return is_all || ip_compare(a, b) == 0;
}

bool
profile_listeners_clash(const struct profile_listener *a, const struct profile_listener *b)
{
	return a->enabled && b->enabled && a->port == b->port &&
	       (covers_address(&a->address, &b->address) ||
	           covers_address(&b->address, &a->address));
}

uint64_t
profile_answer_ms(const struct profile_router *router)
{
	return UINT64_C(2) * router->reply_timeout_ms;
}

uint32_t
profile_last_epoch(const struct profile_group *group, enum family family)
{
	uint32_t last = 0;

	for (size_t i = 0; i < group->pool_count; i++) {
		const struct profile_pool *p = &group->pools[i];

		if (p->prefix.address.family != family)
			continue;
		last = p->since > last ? p->since : last;
		if (p->until != PROFILE_EPOCH_NONE && p->until > last)
			last = p->until;
	}
	for (size_t i = 0; i < group->element_count; i++) {
		const struct profile_element *e = &group->elements[i];

		if (!e->family[family].present || e->weight_count == 0)
			continue;
		if (e->weights[e->weight_count - 1].epoch > last)
			last = e->weights[e->weight_count - 1].epoch;
	}
	return last;
}

size_t
profile_unit_count(const struct profile_group *group, enum family family)
{
	uint32_t epoch = profile_last_epoch(group, family);
	uint64_t count = 0;

	for (size_t i = 0; i < group->pool_count; i++) {
		const struct profile_pool *p = &group->pools[i];

		if (p->prefix.address.family == family && p->since <= epoch && epoch < p->until)
			count += pool_units(p);
	}
	return count;
}
