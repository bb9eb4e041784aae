/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What NAT pools must not be. Return packets find their element by the route of its pool alone, so
 * a pool that two elements announce, or that is also somebody's subscriber address, sends packets
 * to a box that has no session for them; and the discard route of a supernet wins over a pool's
 * route unless it is shorter. All of these work in the laboratory and fail on a busy evening, hence
 * they are errors at load and name both places.
 *
 * Pools clash where their routes meet: in the routing instance of the outside session. Groups that
 * have none in common may use the same addresses. Tombstones announce nothing any more and are left
 * out. Everything is n log n in pools of either kind.
 */
#include "profile_nat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nat.h"

static const char *const family_words[FAMILY_COUNT] = { "IPv4", "IPv6" };

/* A pool and where it stands. */
struct site {
	const struct profile_group *group;
	const struct profile_element *element;
	enum family family;
	const struct profile_nat_pool *pool;
};

enum { PATH_SIZE = 160 }; /* three identifiers of at most 32, and the words between them */

static const char *
format_path(const struct site *site, char buf[PATH_SIZE])
{
	snprintf(buf, PATH_SIZE, "/group[%s]/element[%s]/%s/nat-pool[%s]", site->group->id,
	    site->element->id, family_names[site->family], site->pool->id);
	return buf;
}

static bool
serves(const struct profile_element *element, enum family family)
{
	return element->family[family].present && !element->removed;
}

static const char *
outside_instance(const struct site *site)
{
	return site->element->family[site->family].peer[SIDE_OUTSIDE].instance;
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
	if (wants_pools && !has_pools && serves(e, family))
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
		serving += serves(&g->elements[i], family);
		rc = check_element(g, &g->elements[i], family, err);
	}
	if (rc == 0 && serving == 0 && g->return_path[family] == RETURN_NAT_ROUTES)
		return error_set(err, -EINVAL,
		    "/group[%s]/nat/%s/return-path: is nat-routes but no element serves %s, leave "
		    "it out",
		    g->id, family_names[family], family_words[family]);
	return rc;
}

/* ---- one pool ---- */

static int
check_kind(const struct site *site, struct error *err)
{
	const struct profile_nat_pool *pool = site->pool;
	bool is_fixed = pool->kind == NAT_DETERMINISTIC;
	char path[PATH_SIZE];

	format_path(site, path);
	if (is_fixed && pool->host_count == 0)
		return error_set(err, -EINVAL,
		    "%s/kind: is deterministic and there is no host-prefix, so nobody would be "
		    "translated; name the hosts in the order of the element's rule",
		    path);
	if (!is_fixed && pool->host_count > 0)
		return error_set(err, -EINVAL,
		    "%s/host-prefix: has no effect for kind %s, make it deterministic or leave the "
		    "prefixes out",
		    path, nat_kind_names[pool->kind]);
	if (pool->kind != NAT_NAPT && nat_blocks_per_address(pool) == 0)
		return error_set(err, -EINVAL,
		    "%s/block-size: %u does not fit, an address has ports %d to %d", path,
		    pool->block_size, NAT_FIRST_PORT, NAT_LAST_PORT);
	if (is_fixed && nat_hosts(pool) > nat_blocks(pool))
		return error_set(err, -EINVAL,
		    "%s/host-prefix: %llu hosts and only %llu blocks of %u ports in the pool, the "
		    "last ones would not be translated; choose a smaller block-size or a larger "
		    "pool",
		    path, (unsigned long long)nat_hosts(pool), (unsigned long long)nat_blocks(pool),
		    pool->block_size);
	return 0;
}

static int
check_families(const struct site *site, struct error *err)
{
	const struct profile_nat_pool *pool = site->pool;
	char path[PATH_SIZE], text[PREFIX_TEXT_SIZE];

	if (pool->prefix.address.family != site->family)
		return error_set(err, -EINVAL,
		    "%s/prefix: %s is not an %s prefix, it belongs to the other family",
		    format_path(site, path), prefix_format(&pool->prefix, text),
		    family_words[site->family]);
	for (size_t i = 0; i < pool->host_count; i++)
		if (pool->hosts[i].address.family != site->family)
			return error_set(err, -EINVAL,
			    "%s/host-prefix: %s is not an %s prefix, the pool's hosts are of its "
			    "own family",
			    format_path(site, path), prefix_format(&pool->hosts[i], text),
			    family_words[site->family]);
	return 0;
}

/* Host routes that the profile itself wants to have: nobody's public address. */
static int
check_reserved(const struct profile *profile, const struct site *site, struct error *err)
{
	const struct prefix *sentinel = &profile->sentinel[site->family];
	const struct prefix *prefix = &site->pool->prefix;
	char path[PATH_SIZE], text[PREFIX_TEXT_SIZE];

	if (prefix_overlaps(prefix, sentinel))
		return error_set(err, -EINVAL,
		    "%s/prefix: contains the sentinel %s, choose a sentinel that nobody has",
		    format_path(site, path), prefix_format(sentinel, text));
	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];
		const struct profile_signal *signal = &g->signal[site->family];
		bool failed = signal->has_failed && prefix_overlaps(prefix, &signal->failed_route);

		if (!failed &&
		    !(signal->has_alter && prefix_overlaps(prefix, &signal->alter_route)))
			continue;
		return error_set(err, -EINVAL,
		    "%s/prefix: contains /group[%s]/signal/%s/%s-route, choose an address that "
		    "nobody uses for that",
		    format_path(site, path), g->id, family_names[site->family],
		    failed ? "failed" : "alter");
	}
	return 0;
}

static int
check_pool(const struct profile *profile, const struct site *site, struct error *err)
{
	int rc = check_families(site, err);

	if (rc == 0)
		rc = check_kind(site, err);
	return rc ? rc : check_reserved(profile, site, err);
}

/* ---- hosts: one rule for each ---- */

struct host {
	struct prefix prefix;
	struct site site;
};

static int
compare_hosts(const void *a, const void *b)
{
	return prefix_compare(&((const struct host *)a)->prefix, &((const struct host *)b)->prefix);
}

/* Sorted, whatever lies inside a prefix follows it; so the first clash is between neighbours. */
static int
check_hosts(struct host *hosts, size_t count, struct error *err)
{
	char path[PATH_SIZE], other_path[PATH_SIZE];
	char text[PREFIX_TEXT_SIZE], other[PREFIX_TEXT_SIZE];

	if (count > 1)
		qsort(hosts, count, sizeof(*hosts), compare_hosts);
	for (size_t i = 1; i < count; i++)
		if (prefix_contains(&hosts[i - 1].prefix, &hosts[i].prefix))
			return error_set(err, -EINVAL,
			    "%s/host-prefix: %s overlaps %s of %s, and a host has one translation: "
			    "keep one of them",
			    format_path(&hosts[i].site, path),
			    prefix_format(&hosts[i].prefix, text),
			    prefix_format(&hosts[i - 1].prefix, other),
			    format_path(&hosts[i - 1].site, other_path));
	return 0;
}

/* All rules of one element and family together. sites[0..count) are its pools. */
static int
check_rules(const struct site *sites, size_t count, struct error *err)
{
	struct host *hosts;
	size_t total = 0, n = 0;
	int rc;

	for (size_t i = 0; i < count; i++)
		total += sites[i].pool->host_count;
	hosts = xcalloc(total, sizeof(*hosts));
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < sites[i].pool->host_count; j++)
			hosts[n++] = (struct host){ sites[i].pool->hosts[j], sites[i] };
	rc = check_hosts(hosts, n, err);
	free(hosts);
	return rc;
}

/* ---- pools against pools ---- */

static int
compare_sites(const void *a, const void *b)
{
	const struct site *p = a, *q = b;
	int order = strcmp(outside_instance(p), outside_instance(q));

	return order ? order : prefix_compare(&p->pool->prefix, &q->pool->prefix);
}

/* Orders the sites; neighbours as in check_hosts. */
static int
check_overlaps(struct site *sites, size_t count, struct error *err)
{
	char path[PATH_SIZE], other_path[PATH_SIZE];
	char text[PREFIX_TEXT_SIZE], other[PREFIX_TEXT_SIZE];

	if (count > 1)
		qsort(sites, count, sizeof(*sites), compare_sites);
	for (size_t i = 1; i < count; i++) {
		const struct site *first = &sites[i - 1], *second = &sites[i];

		if (strcmp(outside_instance(first), outside_instance(second)) != 0 ||
		    !prefix_contains(&first->pool->prefix, &second->pool->prefix))
			continue;
		return error_set(err, -EINVAL,
		    "%s/prefix: %s overlaps %s of %s, and both are announced in the instance %s: "
		    "give each its own addresses",
		    format_path(second, path), prefix_format(&second->pool->prefix, text),
		    prefix_format(&first->pool->prefix, other), format_path(first, other_path),
		    outside_instance(first));
	}
	return 0;
}

/* ---- against peers ---- */

/* The pool in the instance that contains the address, or NULL. Sites are in order and disjoint. */
static const struct site *
find_site(const struct site *sites, size_t count, const char *instance, const struct ip *address)
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
    const struct site *sites, size_t count, struct error *err)
{
	for (int s = 0; serves(e, family) && s < SIDE_COUNT; s++) {
		const struct profile_peer *peer = &e->family[family].peer[s];
		const struct site *site = find_site(sites, count, peer->instance, &peer->address);
		char path[PATH_SIZE], text[PREFIX_TEXT_SIZE], address[IP_TEXT_SIZE];

		if (site)
			return error_set(err, -EINVAL,
			    "%s/prefix: %s contains %s, /group[%s]/element[%s]/%s/%s/peer, which "
			    "the router could not reach any more; choose another pool",
			    format_path(site, path), prefix_format(&site->pool->prefix, text),
			    ip_format(&peer->address, address), g->id, e->id, family_names[family],
			    side_names[s]);
	}
	return 0;
}

static int
check_all_peers(const struct profile *profile, enum family family, const struct site *sites,
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

/* The pools that a group has now, in order; they are disjoint (profile_check.c). */
struct space {
	const struct prefix **pools; /* owned; borrowed prefixes */
	size_t count;
};

static void
fill_space(struct space *space, const struct profile_group *g)
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

/* A pool that overlaps the prefix, or NULL: the first one not before it, or the one before that. */
static const struct prefix *
find_subscribers(const struct space *space, const struct prefix *prefix)
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

		if (serves(e, family) &&
		    strcmp(e->family[family].peer[SIDE_OUTSIDE].instance, instance) == 0)
			return true;
	}
	return false;
}

static int
check_subscribers(const struct profile *profile, const struct space *spaces,
    const struct site *site, struct error *err)
{
	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];
		const struct prefix *pool = find_subscribers(&spaces[i], &site->pool->prefix);
		char path[PATH_SIZE], text[PREFIX_TEXT_SIZE], other[PREFIX_TEXT_SIZE];

		if (!pool || (g != site->group && !meets(g, site->family, outside_instance(site))))
			continue;
		return error_set(err, -EINVAL,
		    "%s/prefix: %s overlaps subscribers, /group[%s]/pool[%s]: an address is one or "
		    "the other, choose another pool",
		    format_path(site, path), prefix_format(&site->pool->prefix, text), g->id,
		    prefix_format(pool, other));
	}
	return 0;
}

/* ---- supernets ---- */

static bool
is_shorter(const struct prefix *supernet, const struct prefix *prefix)
{
	return supernet->length < prefix->length && prefix_contains(supernet, prefix);
}

/* A discard route as long as the pool's own would win over it: static before BGP. */
static int
check_covered(const struct profile_group *g, const struct site *site, struct error *err)
{
	const struct prefix *supernets = g->supernets[site->family];
	const struct prefix *prefix = &site->pool->prefix;
	char path[PATH_SIZE], text[PREFIX_TEXT_SIZE];

	for (size_t i = 0; i < g->supernet_count[site->family]; i++)
		if (is_shorter(&supernets[i], prefix))
			return 0;
	for (size_t i = 0; i < g->supernet_count[site->family]; i++)
		if (prefix_overlaps(&supernets[i], prefix))
			return error_set(err, -EINVAL,
			    "/group[%s]/nat/%s/supernet: the discard route for %s would win over "
			    "that of %s, give a shorter prefix",
			    g->id, family_names[site->family], prefix_format(&supernets[i], text),
			    format_path(site, path));
	return error_set(err, -EINVAL,
	    "/group[%s]/nat/%s/supernet: none covers %s, %s; add one, or it loops with the way "
	    "upstream while its element is out",
	    g->id, family_names[site->family], format_path(site, path),
	    prefix_format(prefix, text));
}

static int
check_needed(const struct profile_group *g, enum family family, const struct prefix *supernet,
    const struct site *sites, size_t count, struct error *err)
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
    const struct space *space, struct error *err)
{
	const struct prefix *pool = find_subscribers(space, supernet);
	char text[PREFIX_TEXT_SIZE], other[PREFIX_TEXT_SIZE];

	prefix_format(supernet, text);
	if (supernet->address.family != family)
		return error_set(err, -EINVAL,
		    "/group[%s]/nat/%s/supernet: %s is not an %s prefix, it belongs to the other "
		    "family",
		    g->id, family_names[family], text, family_words[family]);
	if (pool)
		return error_set(err, -EINVAL,
		    "/group[%s]/nat/%s/supernet: %s overlaps subscribers, /group[%s]/pool[%s], "
		    "whose packets it would discard; give longer ones",
		    g->id, family_names[family], text, g->id, prefix_format(pool, other));
	return 0;
}

/* ---- the whole ---- */

/* Pools of one family; those of an element and of a group stand together. */
static struct site *
list_sites(
    const struct profile_group *groups, size_t group_count, enum family family, size_t *ret_count)
{
	struct site *sites = NULL;
	size_t n = 0;

	for (size_t i = 0; i < group_count; i++) {
		for (size_t j = 0; j < groups[i].element_count; j++) {
			const struct profile_element *e = &groups[i].elements[j];
			size_t count = serves(e, family) ? e->family[family].nat_pool_count : 0;

			if (count > 0)
				sites = xreallocarray(sites, n + count, sizeof(*sites));
			for (size_t k = 0; k < count; k++)
				sites[n++] = (struct site){ &groups[i], e, family,
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
	struct site *sites = list_sites(g, 1, family, &count);
	int rc = check_return_path(g, family, err);

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = check_pool(profile, &sites[i], err);
	for (size_t i = 0; rc == 0 && i < count; i = next) {
		for (next = i + 1; next < count; next++)
			if (sites[next].element != sites[i].element)
				break;
		rc = check_rules(&sites[i], next - i, err);
	}
	free(sites);
	return rc;
}

static int
check_supernets(
    const struct profile_group *g, enum family family, const struct space *space, struct error *err)
{
	const struct prefix *supernets = g->supernets[family];
	size_t supernet_count = g->supernet_count[family], count;
	struct site *sites = list_sites(g, 1, family, &count);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < supernet_count; i++)
		rc = check_supernet(g, family, &supernets[i], space, err);
	for (size_t i = 0; rc == 0 && supernet_count > 0 && i < count; i++)
		rc = check_covered(g, &sites[i], err);
	for (size_t i = 0; rc == 0 && i < supernet_count; i++)
		rc = check_needed(g, family, &supernets[i], sites, count, err);
	free(sites);
	return rc;
}

static int
check_family(const struct profile *profile, enum family family, const struct space *spaces,
    struct error *err)
{
	struct site *sites;
	size_t count;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < profile->group_count; i++)
		rc = check_group(profile, &profile->groups[i], family, err);
	if (rc < 0)
		return rc;
	sites = list_sites(profile->groups, profile->group_count, family, &count);
	rc = check_overlaps(sites, count, err);
	if (rc == 0)
		rc = check_all_peers(profile, family, sites, count, err);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = check_subscribers(profile, spaces, &sites[i], err);
	free(sites);
	for (size_t i = 0; rc == 0 && i < profile->group_count; i++)
		rc = check_supernets(&profile->groups[i], family, &spaces[i], err);
	return rc;
}

int
profile_nat_check(const struct profile *profile, struct error *err)
{
	struct space *spaces = xcalloc(profile->group_count, sizeof(*spaces));
	int rc = 0;

	for (size_t i = 0; i < profile->group_count; i++)
		fill_space(&spaces[i], &profile->groups[i]);
	for (int f = 0; rc == 0 && f < FAMILY_COUNT; f++)
		rc = check_family(profile, f, spaces, err);
	for (size_t i = 0; i < profile->group_count; i++)
		free(spaces[i].pools);
	free(spaces);
	return rc;
}
