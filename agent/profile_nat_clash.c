/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NAT pools against everything else that has addresses: other pools, the elements' peers, and
 * subscribers. Pools clash where their routes meet, in the routing instance of the outside session;
 * groups that have none in common may use the same addresses. Sorted by instance and prefix,
 * whatever lies inside a pool follows it, so a look at neighbours and a bisection find all there
 * is: n log n in pools of either kind.
 */
#include "profile_nat_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *
outside_instance(const struct nat_site *site)
{
	return site->element->family[site->family].peer[SIDE_OUTSIDE].instance;
}

/* ---- pools against pools ---- */

static int
compare_sites(const void *a, const void *b)
{
	const struct nat_site *p = a, *q = b;
	int order = strcmp(outside_instance(p), outside_instance(q));

	return order ? order : prefix_compare(&p->pool->prefix, &q->pool->prefix);
}

/* Orders the sites; neighbours as in check_hosts. */
static int
check_overlaps(struct nat_site *sites, size_t count, struct error *err)
{
	char path[NAT_PATH_SIZE], other_path[NAT_PATH_SIZE];
	char text[PREFIX_TEXT_SIZE], other[PREFIX_TEXT_SIZE];

	if (count > 1)
		qsort(sites, count, sizeof(*sites), compare_sites);
	for (size_t i = 1; i < count; i++) {
		const struct nat_site *first = &sites[i - 1], *second = &sites[i];

		if (strcmp(outside_instance(first), outside_instance(second)) != 0 ||
		    !prefix_contains(&first->pool->prefix, &second->pool->prefix))
			continue;
		return error_set(err, -EINVAL,
		    "%s/prefix: %s overlaps %s of %s, and both are announced in the instance %s: "
		    "give each its own addresses",
		    nat_site_path(second, path), prefix_format(&second->pool->prefix, text),
		    prefix_format(&first->pool->prefix, other), nat_site_path(first, other_path),
		    outside_instance(first));
	}
	return 0;
}

/* ---- against peers ---- */

/* The pool in the instance that contains the address, or NULL. Sites are in order and disjoint. */
static const struct nat_site *
find_site(
    const struct nat_site *sites, size_t count, const char *instance, const struct ip *address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(outside_instance(&sites[middle]), instance);

		if (order == 0)
			order = ip_compare(&sites[middle].pool->prefix.address, address);
		if (order <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && strcmp(outside_instance(&sites[low - 1]), instance) == 0 &&
	               prefix_contains_ip(&sites[low - 1].pool->prefix, address)
	           ? &sites[low - 1]
	           : NULL;
}

/* The way to a peer would be the route that the peer itself announces. */
static int
check_peers(const struct profile_group *g, const struct profile_element *e, enum family family,
    const struct nat_site *sites, size_t count, struct error *err)
{
	for (int s = 0; nat_serves(e, family) && s < SIDE_COUNT; s++) {
		const struct profile_peer *peer = &e->family[family].peer[s];
		const struct nat_site *site =
		    find_site(sites, count, peer->instance, &peer->address);
		char path[NAT_PATH_SIZE], text[PREFIX_TEXT_SIZE], address[IP_TEXT_SIZE];

		if (site)
			return error_set(err, -EINVAL,
			    "%s/prefix: %s contains %s, /group[%s]/element[%s]/%s/%s/peer, which "
			    "the router could not reach any more; choose another pool",
			    nat_site_path(site, path), prefix_format(&site->pool->prefix, text),
			    ip_format(&peer->address, address), g->id, e->id, family_names[family],
			    side_names[s]);
	}
	return 0;
}

static int
check_all_peers(const struct profile *profile, enum family family, const struct nat_site *sites,
    size_t count, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < profile->group_count; i++)
		for (size_t j = 0; rc == 0 && j < profile->groups[i].element_count; j++)
			rc = check_peers(&profile->groups[i], &profile->groups[i].elements[j],
			    family, sites, count, err);
	return rc;
}

/* ---- against subscribers ---- */

static void
fill_space(struct nat_space *space, const struct profile_group *g)
{
	uint32_t now[FAMILY_COUNT];

	for (int f = 0; f < FAMILY_COUNT; f++)
		now[f] = profile_last_epoch(g, f);
	space->pools = xcalloc(g->pool_count, sizeof(*space->pools));
	for (size_t i = 0; i < g->pool_count; i++) {
		const struct profile_pool *p = &g->pools[i];
		uint32_t epoch = now[p->prefix.address.family];

		if (p->since <= epoch && epoch < p->until)
			space->pools[space->count++] = &p->prefix;
	}
}

struct nat_space *
nat_spaces_new(const struct profile *profile)
{
	struct nat_space *spaces = xcalloc(profile->group_count, sizeof(*spaces));

	for (size_t i = 0; i < profile->group_count; i++)
		fill_space(&spaces[i], &profile->groups[i]);
	return spaces;
}

void
nat_spaces_free(struct nat_space *spaces, const struct profile *profile)
{
	for (size_t i = 0; i < profile->group_count; i++)
		free(spaces[i].pools);
	free(spaces);
}

/* The first one not before the prefix, or the one before that. */
const struct prefix *
nat_space_find(const struct nat_space *space, const struct prefix *prefix)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (prefix_compare(space->pools[middle], prefix) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < space->count && prefix_contains(prefix, space->pools[low]))
		return space->pools[low];
	if (low > 0 && prefix_contains(space->pools[low - 1], prefix))
		return space->pools[low - 1];
	return NULL;
}

/* Some element of the group has its outside session in the instance. */
static bool
meets(const struct profile_group *g, enum family family, const char *instance)
{
	for (size_t i = 0; i < g->element_count; i++) {
		const struct profile_element *e = &g->elements[i];

		if (nat_serves(e, family) &&
		    strcmp(e->family[family].peer[SIDE_OUTSIDE].instance, instance) == 0)
			return true;
	}
	return false;
}

const struct prefix *
nat_subscribers_find(const struct profile *profile, const struct nat_space *spaces,
    const struct nat_site *site, const struct prefix *prefix,
    const struct profile_group **ret_group)
{
	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];
		const struct prefix *pool = nat_space_find(&spaces[i], prefix);

		if (!pool || (g != site->group && !meets(g, site->family, outside_instance(site))))
			continue;
		*ret_group = g;
		return pool;
	}
	return NULL;
}

static int
check_subscribers(const struct profile *profile, const struct nat_space *spaces,
    const struct nat_site *site, struct error *err)
{
	const struct profile_group *g = NULL;
	const struct prefix *pool =
	    nat_subscribers_find(profile, spaces, site, &site->pool->prefix, &g);
	char path[NAT_PATH_SIZE], text[PREFIX_TEXT_SIZE], other[PREFIX_TEXT_SIZE];

	if (!pool)
		return 0;
	return error_set(err, -EINVAL,
	    "%s/prefix: %s overlaps subscribers, /group[%s]/pool[%s]: an address is one or the "
	    "other, choose another pool",
	    nat_site_path(site, path), prefix_format(&site->pool->prefix, text), g->id,
	    prefix_format(pool, other));
}

/* ---- the whole ---- */

int
nat_clashes_check(const struct profile *profile, const struct nat_space *spaces,
    struct nat_site *sites, size_t count, struct error *err)
{
	enum family family = count > 0 ? sites[0].family : FAMILY_IPV4;
	int rc = check_overlaps(sites, count, err);

	if (rc == 0)
		rc = check_all_peers(profile, family, sites, count, err);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = check_subscribers(profile, spaces, &sites[i], err);
	return rc;
}
