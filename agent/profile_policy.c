/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an operator wants that cannot be: contradictions between two places of one profile.
 *
 * Each of these would be quiet at first and wrong on the day of the failure: a failed route that is
 * never withdrawn, a split that has no room for its pieces, a signal that black-holes a subscriber,
 * a failure domain that takes the whole group. So they are errors at load, and the text names both
 * places, because which one is the mistake is the operator's to know. What is only unwise is not
 * refused here. Pools, elements and their addresses have been checked before (profile_check.c).
 */
#include "profile_policy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const uint8_t longest_piece[FAMILY_COUNT] = { 32, 64 };
static const char *const family_words[FAMILY_COUNT] = { "IPv4", "IPv6" };

static bool
serves(const struct profile_element *element, enum family family)
{
	return element->family[family].present && !element->removed;
}

static size_t
count_elements(const struct profile_group *g, enum family family)
{
	size_t count = 0;

	for (size_t i = 0; i < g->element_count; i++)
		count += serves(&g->elements[i], family);
	return count;
}

static int
check_damping(const struct profile_group *g, struct error *err)
{
	if (g->damping_flaps == 0 || g->damping_initial_s <= g->damping_maximum_s)
		return 0;
	return error_set(err, -EINVAL,
	    "/group[%s]/damping/initial: %u seconds are more than the %u of "
	    "/group[%s]/damping/maximum, lower one or raise the other",
	    g->id, g->damping_initial_s, g->damping_maximum_s, g->id);
}

/* ---- splitting ---- */

/* Every piece must still be a prefix that a list may hold, in every epoch. */
static int
check_piece_lengths(const struct profile_group *g, enum family family,
    const struct profile_split *row, struct error *err)
{
	unsigned longest = longest_piece[family];
	char text[PREFIX_TEXT_SIZE];

	for (size_t i = 0; i < g->pool_count; i++) {
		const struct profile_pool *p = &g->pools[i];

		if (p->prefix.address.family != family || p->unit_length + row->bits <= longest)
			continue;
		return error_set(err, -EINVAL,
		    "/group[%s]/split[%s][%u]/bits: %u would cut the /%u units of "
		    "/group[%s]/pool[%s] into /%u and the longest is /%u, use fewer "
		    "bits or a shorter unit-length",
		    g->id, family_names[family], row->survivors, row->bits, p->unit_length, g->id,
		    prefix_format(&p->prefix, text), p->unit_length + row->bits, longest);
	}
	return 0;
}

/* Layout rule 1: the limit of units holds for pieces too. */
static int
check_piece_count(const struct profile_group *g, enum family family,
    const struct profile_split *row, struct error *err)
{
	size_t units = profile_unit_count(g, family);

	if (units << row->bits <= PROFILE_MAX_UNITS)
		return 0;
	return error_set(err, -EINVAL,
	    "/group[%s]/split[%s][%u]/bits: %u may cut the %zu units of /group[%s]/pool into more "
	    "than %d pieces, use fewer bits or a shorter unit-length",
	    g->id, family_names[family], row->survivors, row->bits, units, g->id,
	    PROFILE_MAX_UNITS);
}

/* Rows are by survivors: of the rows that apply the largest number of bits counts. */
static int
check_shadow(const struct profile_group *g, enum family family, size_t index, struct error *err)
{
	const struct profile_split *row = &g->split[family][index];

	for (size_t i = index + 1; i < g->split_count[family]; i++) {
		const struct profile_split *other = &g->split[family][i];

		if (other->bits > row->bits)
			return error_set(err, -EINVAL,
			    "/group[%s]/split[%s][%u]/bits: %u has no effect, "
			    "/group[%s]/split[%s][%u] cuts by %u bits already; use as many or "
			    "leave it out",
			    g->id, family_names[family], row->survivors, row->bits, g->id,
			    family_names[family], other->survivors, other->bits);
	}
	return 0;
}

static int
check_split(const struct profile_group *g, enum family family, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < g->split_count[family]; i++) {
		const struct profile_split *row = &g->split[family][i];

		if (count_elements(g, family) == 0)
			return error_set(err, -EINVAL,
			    "/group[%s]/split[%s][%u]: no /group[%s]/element serves %s, leave "
			    "the line out",
			    g->id, family_names[family], row->survivors, g->id,
			    family_words[family]);
		rc = check_piece_lengths(g, family, row, err);
		if (rc == 0)
			rc = check_piece_count(g, family, row, err);
		if (rc == 0)
			rc = check_shadow(g, family, i, err);
	}
	return rc;
}

/* ---- signal routes ---- */

struct route {
	const struct profile *profile;
	const struct profile_group *group;
	enum family family;
	const char *leaf; /* "failed-route" */
	const struct prefix *prefix;
	struct error *err;
};

/* "ROUTE <relation> <place>, choose an address that nobody uses" */
static int
refuse_route(const struct route *route, const char *relation, const char *place)
{
	char text[PREFIX_TEXT_SIZE];

	return error_set(route->err, -EINVAL,
	    "/group[%s]/signal/%s/%s: %s %s %s, choose an address that nobody uses",
	    route->group->id, family_names[route->family], route->leaf,
	    prefix_format(route->prefix, text), relation, place);
}

/* What a router never makes active (martians), so that no condition would ever see it. */
static bool
is_martian(const struct ip *ip)
{
	static const uint8_t zeros[15];

	if (ip->family == FAMILY_IPV6)
		return ip->bytes[0] == 0xff ||
		       (memcmp(ip->bytes, zeros, sizeof(zeros)) == 0 && ip->bytes[15] <= 1);
	return ip->bytes[0] == 0 || ip->bytes[0] == 127 || ip->bytes[0] >= 224;
}

static int
check_route_form(const struct route *route)
{
	unsigned bits = family_bits(route->family);
	char text[PREFIX_TEXT_SIZE];

	if (route->prefix->address.family != route->family || route->prefix->length != bits)
		return error_set(route->err, -EINVAL,
		    "/group[%s]/signal/%s/%s: %s is not an %s host prefix, give one address with "
		    "/%u",
		    route->group->id, family_names[route->family], route->leaf,
		    prefix_format(route->prefix, text), family_words[route->family], bits);
	if (is_martian(&route->prefix->address))
		return error_set(route->err, -EINVAL,
		    "/group[%s]/signal/%s/%s: %s is an address that routers never make active, "
		    "choose another",
		    route->group->id, family_names[route->family], route->leaf,
		    prefix_format(route->prefix, text));
	return 0;
}

/* A discard route for a subscriber, in any group and in any epoch. */
static int
check_route_pools(const struct route *route)
{
	for (size_t i = 0; i < route->profile->group_count; i++) {
		const struct profile_group *g = &route->profile->groups[i];

		for (size_t j = 0; j < g->pool_count; j++) {
			char text[PREFIX_TEXT_SIZE], place[96];

			if (!prefix_overlaps(&g->pools[j].prefix, route->prefix))
				continue;
			snprintf(place, sizeof(place), "/group[%s]/pool[%s]", g->id,
			    prefix_format(&g->pools[j].prefix, text));
			return refuse_route(route, "is inside", place);
		}
	}
	return 0;
}

static int
check_route_peers(const struct route *route, const struct profile_group *g)
{
	for (size_t i = 0; i < g->element_count; i++) {
		const struct profile_element *e = &g->elements[i];

		for (int s = 0; serves(e, route->family) && s < SIDE_COUNT; s++) {
			const struct ip *peer = &e->family[route->family].peer[s].address;
			char place[128];

			if (ip_compare(peer, &route->prefix->address) != 0)
				continue;
			snprintf(place, sizeof(place), "/group[%s]/element[%s]/%s/%s/peer", g->id,
			    e->id, family_names[route->family], side_names[s]);
			return refuse_route(route, "is", place);
		}
	}
	return 0;
}

static int
check_route(const struct route *route)
{
	const struct profile *profile = route->profile;
	const struct prefix *sentinel = &profile->sentinel[route->family];
	char place[64];
	int rc = check_route_form(route);

	if (rc == 0)
		rc = check_route_pools(route);
	if (rc == 0 && prefix_overlaps(sentinel, route->prefix)) {
		snprintf(place, sizeof(place), "/sentinel/%s", family_names[route->family]);
		return refuse_route(
		    route, sentinel->length == route->prefix->length ? "is" : "is inside", place);
	}
	for (size_t i = 0; rc == 0 && i < profile->router.address_count; i++)
		if (ip_compare(&profile->router.addresses[i], &route->prefix->address) == 0)
			return refuse_route(route, "is", "/router/address");
	for (size_t i = 0; rc == 0 && i < profile->group_count; i++)
		rc = check_route_peers(route, &profile->groups[i]);
	return rc;
}

static int
check_min_alive(const struct profile_group *g, enum family family, struct error *err)
{
	const struct profile_signal *signal = &g->signal[family];
	size_t elements = count_elements(g, family);

	if (signal->min_alive > elements)
		return error_set(err, -EINVAL,
		    "/group[%s]/signal/%s/min-alive: %u is more than the %zu of /group[%s]/element "
		    "that serve %s, the failed route would always be there",
		    g->id, family_names[family], signal->min_alive, elements, g->id,
		    family_words[family]);
	if (signal->min_alive > 0 && !signal->has_failed)
		return error_set(err, -EINVAL,
		    "/group[%s]/signal/%s/min-alive: %u has no effect without "
		    "/group[%s]/signal/%s/failed-route, give both or none",
		    g->id, family_names[family], signal->min_alive, g->id, family_names[family]);
	if ((signal->has_failed || signal->has_alter) && elements == 0)
		return error_set(err, -EINVAL,
		    "/group[%s]/signal/%s: no /group[%s]/element serves %s, leave the routes out",
		    g->id, family_names[family], g->id, family_words[family]);
	return 0;
}

static int
check_signal(const struct profile *profile, const struct profile_group *g, enum family family,
    struct error *err)
{
	const struct profile_signal *signal = &g->signal[family];
	struct route failed = { profile, g, family, "failed-route", &signal->failed_route, err };
	struct route alter = { profile, g, family, "alter-route", &signal->alter_route, err };
	int rc = check_min_alive(g, family, err);

	if (rc == 0 && signal->has_failed)
		rc = check_route(&failed);
	if (rc == 0 && signal->has_alter)
		rc = check_route(&alter);
	return rc;
}

/* ---- failure domains ---- */

static int
check_domains(const struct profile_group *g, struct error *err)
{
	const struct profile_element *first = NULL, *last = NULL;

	for (size_t i = 0; i < g->element_count; i++) {
		const struct profile_element *e = &g->elements[i];

		if (e->removed)
			continue;
		first = first ? first : e;
		last = e;
		if (!e->failure_domain || !first->failure_domain ||
		    strcmp(e->failure_domain, first->failure_domain) != 0)
			return 0;
	}
	if (first == last)
		return 0;
	return error_set(err, -EINVAL,
	    "/group[%s]/element[%s]/failure-domain: %s is also that of "
	    "/group[%s]/element[%s]/failure-domain and of every other element, nobody would be "
	    "left when it fails",
	    g->id, last->id, last->failure_domain, g->id, first->id);
}

int
profile_policy_check(
    const struct profile *profile, const struct profile_group *group, struct error *err)
{
	int rc = check_damping(group, err);

	for (int f = 0; rc == 0 && f < FAMILY_COUNT; f++)
		rc = check_split(group, f, err);
	for (int f = 0; rc == 0 && f < FAMILY_COUNT; f++)
		rc = check_signal(profile, group, f, err);
	return rc ? rc : check_domains(group, err);
}
