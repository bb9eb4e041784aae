/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the profile gives to a walk: names. Which of two addresses is a subscriber's, and of which
 * group; whose address a next hop is; whose list a prefix-list is. And the list of look-ups that
 * only the router can answer.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

const struct profile_element_family *
trace_family(const struct profile_element *element, enum family family)
{
	const struct profile_element_family *it = &element->family[family];

	return it->present && !element->removed ? it : NULL;
}

bool
trace_find_element(const struct profile *profile, const struct ip *address, size_t *ret_group,
    size_t *ret_element, enum side *ret_side)
{
	for (size_t g = 0; g < profile->group_count; g++)
		for (size_t e = 0; e < profile->groups[g].element_count; e++) {
			const struct profile_element_family *family =
			    trace_family(&profile->groups[g].elements[e], address->family);

			for (int s = 0; family && s < SIDE_COUNT; s++) {
				if (ip_compare(&family->peer[s].address, address) != 0)
					continue;
				*ret_group = g;
				*ret_element = e;
				*ret_side = s;
				return true;
			}
		}
	return false;
}

bool
trace_list_owner(const struct profile_group *group, enum family family, const char *list,
    size_t *ret_element, bool *ret_override)
{
	for (size_t e = 0; e < group->element_count; e++) {
		const struct profile_element_family *lists =
		    trace_family(&group->elements[e], family);
		bool is_base = lists && strcmp(lists->base_list, list) == 0;

		if (!is_base && !(lists && strcmp(lists->override_list, list) == 0))
			continue;
		*ret_element = e;
		*ret_override = !is_base;
		return true;
	}
	return false;
}

/* ---- subscribers --------------------------------------------------------------------------- */

static bool
find_unit(const struct profile_group *group, const struct ip *ip, struct prefix *ret_unit)
{
	uint32_t now = profile_last_epoch(group, ip->family);

	for (size_t i = 0; i < group->pool_count; i++) {
		const struct profile_pool *pool = &group->pools[i];

		if (now < pool->since || now >= pool->until ||
		    pool->prefix.address.family != ip->family ||
		    !prefix_contains_ip(&pool->prefix, ip))
			continue;
		*ret_unit = (struct prefix){ *ip, pool->unit_length };
		for (unsigned bit = pool->unit_length; bit < family_bits(ip->family); bit++)
			ret_unit->address.bytes[bit / 8] &= (uint8_t) ~(0x80u >> bit % 8);
		return true;
	}
	return false;
}

static int
refuse_ambiguous(const struct profile *profile, const struct ip *ip, struct error *err)
{
	char text[IP_TEXT_SIZE], list[200] = "";
	struct prefix unit;

	for (size_t g = 0; g < profile->group_count; g++)
		if (find_unit(&profile->groups[g], ip, &unit))
			snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
			    *list ? ", " : "", profile->groups[g].id);
	return error_set(err, -EINVAL, "%s is in pools of several groups, name the GROUP: %s",
	    ip_format(ip, text), list);
}

/* The group that was asked for when it has the address; else the only one that has. */
static int
find_group(const struct walker *w, const struct ip *ip, struct error *err)
{
	const struct profile *profile = w->input->profile;
	const struct profile_group *first =
	    w->input->group ? profile_find_group(profile, w->input->group) : NULL;
	struct trace_subscriber *subscriber = &w->trace->subscribers[w->trace->subscriber_count];
	struct prefix unit;
	size_t found = 0;

	for (size_t g = 0; g < profile->group_count; g++) {
		const struct profile_group *group = &profile->groups[g];
		bool is_first = group == first;

		if (!find_unit(group, ip, &unit))
			continue;
		*subscriber = (struct trace_subscriber){ .address = *ip,
			.group = g,
			.unit = unit,
			.base = TRACE_NOBODY,
			.is_nat = group->return_path[ip->family] == RETURN_NAT_ROUTES };
		found = is_first ? 1 : found + 1;
		if (is_first)
			break;
	}
	if (found > 1)
		return refuse_ambiguous(profile, ip, err);
	w->trace->subscriber_count += found;
	return 0;
}

/* A group that is named has one of the ends. */
static bool
is_about_group(const struct walker *w)
{
	const struct profile *profile = w->input->profile;

	for (size_t i = 0; i < w->trace->subscriber_count; i++)
		if (!w->input->group || profile_find_group(profile, w->input->group) ==
		                            &profile->groups[w->trace->subscribers[i].group])
			return true;
	return false;
}

static int
check_ends(const struct trace_input *input, struct error *err)
{
	char source[IP_TEXT_SIZE], destination[IP_TEXT_SIZE];

	if (input->source.family != input->destination.family)
		return error_set(err, -EINVAL, "%s and %s are not of one family",
		    ip_format(&input->source, source), ip_format(&input->destination, destination));
	if (ip_compare(&input->source, &input->destination) == 0)
		return error_set(err, -EINVAL, "source and destination are the same address");
	if (input->group && !profile_find_group(input->profile, input->group))
		return error_set(err, -ENOENT, "no group '%.64s' in the profile", input->group);
	return 0;
}

/* The element that has the address in one of its NAT pools; NULL: none. */
static const struct profile_element *
find_translator(const struct profile *profile, const struct ip *ip)
{
	for (size_t g = 0; g < profile->group_count; g++)
		for (size_t e = 0; e < profile->groups[g].element_count; e++) {
			const struct profile_element *element = &profile->groups[g].elements[e];
			const struct profile_element_family *f = trace_family(element, ip->family);

			for (size_t p = 0; f && p < f->nat_pool_count; p++)
				if (prefix_contains_ip(&f->nat_pools[p].prefix, ip))
					return element;
		}
	return NULL;
}

static int
refuse_strangers(const struct trace_input *input, struct error *err)
{
	const struct ip *const ends[] = { &input->source, &input->destination };
	char source[IP_TEXT_SIZE], destination[IP_TEXT_SIZE];

	for (size_t i = 0; i < 2; i++) {
		const struct profile_element *element = find_translator(input->profile, ends[i]);

		if (element)
			return error_set(err, -ENOENT,
			    "%s is a public address of %s: trace takes the subscriber's own; who "
			    "that is, autofbf where ADDRESS:PORT or the element tells",
			    ip_format(ends[i], source), element->id);
	}
	return error_set(err, -ENOENT,
	    "neither %s nor %s is in a pool of %s: no element would see the packet",
	    ip_format(&input->source, source), ip_format(&input->destination, destination),
	    input->group ? "that group" : "the profile");
}

int
trace_find_subscribers(const struct walker *w, struct error *err)
{
	const struct trace_input *input = w->input;
	int rc = check_ends(input, err);

	if (rc == 0)
		rc = find_group(w, &input->source, err);
	if (rc == 0)
		rc = find_group(w, &input->destination, err);
	if (rc == 0 && !is_about_group(w))
		rc = refuse_strangers(input, err);
	return rc;
}

/* ---- look-ups ------------------------------------------------------------------------------ */

bool
trace_lookups_have(
    const struct trace_lookups *lookups, const char *table, const struct prefix *destination)
{
	for (size_t i = 0; i < lookups->count; i++)
		if (strcmp(lookups->lookups[i].table, table) == 0 &&
		    prefix_compare(&lookups->lookups[i].destination, destination) == 0)
			return true;
	return false;
}

void
trace_lookups_add(
    struct trace_lookups *lookups, const char *table, const struct prefix *destination)
{
	if (trace_lookups_have(lookups, table, destination))
		return;
	lookups->lookups =
	    xreallocarray(lookups->lookups, lookups->count + 1, sizeof(*lookups->lookups));
	lookups->lookups[lookups->count++] = (struct trace_lookup){ xstrdup(table), *destination };
}

void
trace_lookups_done(struct trace_lookups *lookups)
{
	for (size_t i = 0; i < lookups->count; i++)
		free(lookups->lookups[i].table);
	free(lookups->lookups);
	*lookups = (struct trace_lookups){ 0 };
}
