/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What NAT pools must not be. Return packets find their element by the route of its pool alone, so
 * a pool that two elements announce, or that is also somebody's subscriber address, sends packets
 * to a box that has no session for them; and the discard route of a supernet wins over a pool's
 * route unless it is shorter. All of these work in the laboratory and fail on a busy evening, hence
 * they are errors at load and name both places.
 *
 * Here are the order of the checks, the return path and the supernets; a pool by itself is
 * profile_nat_pool.c's, pools against others profile_nat_clash.c's. Tombstones announce nothing any
 * more and are left out.
 */
#include "profile_nat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "profile_nat_internal.h"

const char *const nat_family_words[FAMILY_COUNT] = { "IPv4", "IPv6" };

const char *
nat_site_path(const struct nat_site *site, char buf[NAT_PATH_SIZE])
{
	snprintf(buf, NAT_PATH_SIZE, "/group[%s]/element[%s]/%s/nat-pool[%s]", site->group->id,
	    site->element->id, family_names[site->family], site->pool->id);
	return buf;
}

bool
nat_serves(const struct profile_element *element, enum family family)
{
	return element->family[family].present && !element->removed;
}

/* ---- return path and pools belong together ---- */

static int
check_element(const struct profile_group *g, const struct profile_element *e, enum family family,
    struct error *err)
{
	bool has_pools = e->family[family].nat_pool_count > 0;
	bool wants_pools = g->return_path[family] == RETURN_NAT_ROUTES;

	if (has_pools && !wants_pools)
		return error_set(err, -EINVAL,
		    "/group[%s]/element[%s]/%s/nat-pool[%s]: has no effect while "
		    "/group[%s]/nat/%s/return-path is filter, make that nat-routes or leave the "
		    "pool out",
		    g->id, e->id, family_names[family], e->family[family].nat_pools[0].id, g->id,
		    family_names[family]);
	if (wants_pools && !has_pools && nat_serves(e, family))
		return error_set(err, -EINVAL,
		    "/group[%s]/element[%s]/%s: has no nat-pool and "
		    "/group[%s]/nat/%s/return-path is nat-routes, so nothing would come back to "
		    "it; add its pools",
		    g->id, e->id, family_names[family], g->id, family_names[family]);
	return 0;
}

static int
check_return_path(const struct profile_group *g, enum family family, struct error *err)
{
	size_t serving = 0;
	int rc = 0;

	if (g->supernet_count[family] > 0 && g->return_path[family] != RETURN_NAT_ROUTES)
		return error_set(err, -EINVAL,
		    "/group[%s]/nat/%s/supernet: has no effect while "
		    "/group[%s]/nat/%s/return-path is filter, make that nat-routes or leave it out",
		    g->id, family_names[family], g->id, family_names[family]);
	for (size_t i = 0; rc == 0 && i < g->element_count; i++) {
		serving += nat_serves(&g->elements[i], family);
		rc = check_element(g, &g->elements[i], family, err);
	}
	if (rc == 0 && serving == 0 && g->return_path[family] == RETURN_NAT_ROUTES)
		return error_set(err, -EINVAL,
		    "/group[%s]/nat/%s/return-path: is nat-routes but no element serves %s, leave "
		    "it out",
		    g->id, family_names[family], nat_family_words[family]);
	return rc;
}

static bool
has_blocks(const struct profile_group *g, enum family family)
{
	for (size_t i = 0; i < g->element_count; i++) {
		const struct profile_element_family *f = &g->elements[i].family[family];

		for (size_t j = 0; nat_serves(&g->elements[i], family) && j < f->nat_pool_count;
		     j++)
			if (f->nat_pools[j].kind == NAT_PBA)
				return true;
	}
	return false;
}

static int
check_blocks(const struct profile_group *g, enum family family, struct error *err)
{
	if (g->blocks_per_host_milli[family] == 0)
		return 0;
	if (family == FAMILY_IPV6)
		return error_set(err, -EINVAL,
		    "/group[%s]/nat/ipv6/blocks-per-host: is for IPv4 only, where every address of "
		    "a unit may be a subscriber's; leave it out",
		    g->id);
	if (has_blocks(g, family))
		return 0;
	return error_set(err, -EINVAL,
	    "/group[%s]/nat/%s/blocks-per-host: has no effect, no element has a nat-pool of kind "
	    "pba, leave it out",
	    g->id, family_names[family]);
}

/* ---- supernets ---- */

static bool
is_shorter(const struct prefix *supernet, const struct prefix *prefix)
{
	return supernet->length < prefix->length && prefix_contains(supernet, prefix);
}

/* A discard route as long as the pool's own would win over it: static before BGP. */
static int
check_covered(const struct profile_group *g, const struct nat_site *site, struct error *err)
{
	const struct prefix *supernets = g->supernets[site->family];
	const struct prefix *prefix = &site->pool->prefix;
	char path[NAT_PATH_SIZE], text[PREFIX_TEXT_SIZE];

	for (size_t i = 0; i < g->supernet_count[site->family]; i++)
		if (is_shorter(&supernets[i], prefix))
			return 0;
	for (size_t i = 0; i < g->supernet_count[site->family]; i++)
		if (prefix_overlaps(&supernets[i], prefix))
			return error_set(err, -EINVAL,
			    "/group[%s]/nat/%s/supernet: the discard route for %s would win over "
			    "that of %s, give a shorter prefix",
			    g->id, family_names[site->family], prefix_format(&supernets[i], text),
			    nat_site_path(site, path));
	return error_set(err, -EINVAL,
	    "/group[%s]/nat/%s/supernet: none covers %s, %s; add one, or it loops with the way "
	    "upstream while its element is out",
	    g->id, family_names[site->family], nat_site_path(site, path),
	    prefix_format(prefix, text));
}

/* Where pools under the supernet are announced, what is for the rest of it is discarded: no packets
 * for subscribers. Other groups' pools there need no look, one that is as long as the supernet or
 * shorter overlaps the pool under it, and that was refused already (profile_nat_clash.c). */
static int
check_subscribers(const struct profile *profile, const struct nat_space *spaces,
    const struct nat_site *site, const struct prefix *supernet, struct error *err)
{
	const struct profile_group *g = NULL;
	const struct prefix *pool = nat_subscribers_find(profile, spaces, site, supernet, &g);
	char text[PREFIX_TEXT_SIZE], other[PREFIX_TEXT_SIZE];

	if (!pool)
		return 0;
	return error_set(err, -EINVAL,
	    "/group[%s]/nat/%s/supernet: %s overlaps subscribers, /group[%s]/pool[%s], whose "
	    "packets it would discard in the instance %s; give longer ones",
	    site->group->id, family_names[site->family], prefix_format(supernet, text), g->id,
	    prefix_format(pool, other),
	    site->element->family[site->family].peer[SIDE_OUTSIDE].instance);
}

static int
check_instances(const struct profile *profile, const struct nat_space *spaces,
    const struct prefix *supernet, const struct nat_site *sites, size_t count, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		if (is_shorter(supernet, &sites[i].pool->prefix))
			rc = check_subscribers(profile, spaces, &sites[i], supernet, err);
	return rc;
}

static int
check_needed(const struct profile_group *g, enum family family, const struct prefix *supernet,
    const struct nat_site *sites, size_t count, struct error *err)
{
	char text[PREFIX_TEXT_SIZE];

	for (size_t i = 0; i < count; i++)
		if (is_shorter(supernet, &sites[i].pool->prefix))
			return 0;
	return error_set(err, -EINVAL,
	    "/group[%s]/nat/%s/supernet: %s covers no nat-pool of the group, leave it out or "
	    "correct it",
	    g->id, family_names[family], prefix_format(supernet, text));
}

static int
check_supernet(const struct profile_group *g, enum family family, const struct prefix *supernet,
    const struct nat_space *space, struct error *err)
{
	const struct prefix *pool = nat_space_find(space, supernet);
	char text[PREFIX_TEXT_SIZE], other[PREFIX_TEXT_SIZE];

	prefix_format(supernet, text);
	if (supernet->address.family != family)
		return error_set(err, -EINVAL,
		    "/group[%s]/nat/%s/supernet: %s is not an %s prefix, it belongs to the other "
		    "family",
		    g->id, family_names[family], text, nat_family_words[family]);
	if (pool)
		return error_set(err, -EINVAL,
		    "/group[%s]/nat/%s/supernet: %s overlaps subscribers, /group[%s]/pool[%s], "
		    "whose packets it would discard; give longer ones",
		    g->id, family_names[family], text, g->id, prefix_format(pool, other));
	return 0;
}

/* ---- the whole ---- */

/* Pools of one family; those of an element and of a group stand together. */
static struct nat_site *
list_sites(
    const struct profile_group *groups, size_t group_count, enum family family, size_t *ret_count)
{
	struct nat_site *sites = NULL;
	size_t n = 0;

	for (size_t i = 0; i < group_count; i++) {
		for (size_t j = 0; j < groups[i].element_count; j++) {
			const struct profile_element *e = &groups[i].elements[j];
			size_t count = nat_serves(e, family) ? e->family[family].nat_pool_count : 0;

			if (count > 0)
				sites = xreallocarray(sites, n + count, sizeof(*sites));
			for (size_t k = 0; k < count; k++)
				sites[n++] = (struct nat_site){ &groups[i], e, family,
					&e->family[family].nat_pools[k] };
		}
	}
	*ret_count = n;
	return sites;
}

static int
check_group(const struct profile *profile, const struct profile_group *g, enum family family,
    struct error *err)
{
	size_t count, next;
	struct nat_site *sites = list_sites(g, 1, family, &count);
	int rc = check_return_path(g, family, err);

	if (rc == 0)
		rc = check_blocks(g, family, err);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = nat_pool_check(profile, &sites[i], err);
	for (size_t i = 0; rc == 0 && i < count; i = next) {
		for (next = i + 1; next < count; next++)
			if (sites[next].element != sites[i].element)
				break;
		rc = nat_rules_check(&sites[i], next - i, err);
	}
	free(sites);
	return rc;
}

static int
check_supernets(const struct profile *profile, size_t group, enum family family,
    const struct nat_space *spaces, struct error *err)
{
	const struct profile_group *g = &profile->groups[group];
	const struct prefix *supernets = g->supernets[family];
	size_t supernet_count = g->supernet_count[family], count;
	struct nat_site *sites = list_sites(g, 1, family, &count);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < supernet_count; i++)
		rc = check_supernet(g, family, &supernets[i], &spaces[group], err);
	for (size_t i = 0; rc == 0 && supernet_count > 0 && i < count; i++)
		rc = check_covered(g, &sites[i], err);
	for (size_t i = 0; rc == 0 && i < supernet_count; i++)
		rc = check_needed(g, family, &supernets[i], sites, count, err);
	for (size_t i = 0; rc == 0 && i < supernet_count; i++)
		rc = check_instances(profile, spaces, &supernets[i], sites, count, err);
	free(sites);
	return rc;
}

static int
check_family(const struct profile *profile, enum family family, const struct nat_space *spaces,
    struct error *err)
{
	struct nat_site *sites;
	size_t count;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < profile->group_count; i++)
		rc = check_group(profile, &profile->groups[i], family, err);
	if (rc < 0)
		return rc;
	sites = list_sites(profile->groups, profile->group_count, family, &count);
	rc = nat_clashes_check(profile, spaces, sites, count, err);
	free(sites);
	for (size_t i = 0; rc == 0 && i < profile->group_count; i++)
		rc = check_supernets(profile, i, family, spaces, err);
	return rc;
}

int
profile_nat_check(const struct profile *profile, struct error *err)
{
	struct nat_space *spaces = nat_spaces_new(profile);
	int rc = 0;

	for (int f = 0; rc == 0 && f < FAMILY_COUNT; f++)
		rc = check_family(profile, f, spaces, err);
	nat_spaces_free(spaces, profile);
	return rc;
}
