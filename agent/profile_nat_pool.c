/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A NAT pool by itself, and the rules of an element's deterministic pools. What is asked here is
 * whether the element could do what the profile says it does: a rule needs hosts, hosts need
 * blocks, and a host has one translation. Addresses that the profile wants for itself, sentinels
 * and signal routes, are nobody's public address.
 */
#include "profile_nat_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "nat.h"

/* ---- one pool ---- */

static int
check_kind(const struct nat_site *site, struct error *err)
{
	const struct profile_nat_pool *pool = site->pool;
	bool is_fixed = pool->kind == NAT_DETERMINISTIC;
	char path[NAT_PATH_SIZE];

	nat_site_path(site, path);
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
check_families(const struct nat_site *site, struct error *err)
{
	const struct profile_nat_pool *pool = site->pool;
	char path[NAT_PATH_SIZE], text[PREFIX_TEXT_SIZE];

	if (pool->prefix.address.family != site->family)
		return error_set(err, -EINVAL,
		    "%s/prefix: %s is not an %s prefix, it belongs to the other family",
		    nat_site_path(site, path), prefix_format(&pool->prefix, text),
		    nat_family_words[site->family]);
	for (size_t i = 0; i < pool->host_count; i++)
		if (pool->hosts[i].address.family != site->family)
			return error_set(err, -EINVAL,
			    "%s/host-prefix: %s is not an %s prefix, the pool's hosts are of its "
			    "own family",
			    nat_site_path(site, path), prefix_format(&pool->hosts[i], text),
			    nat_family_words[site->family]);
	return 0;
}

/* Host routes that the profile itself wants to have: nobody's public address. */
static int
check_reserved(const struct profile *profile, const struct nat_site *site, struct error *err)
{
	const struct prefix *sentinel = &profile->sentinel[site->family];
	const struct prefix *prefix = &site->pool->prefix;
	char path[NAT_PATH_SIZE], text[PREFIX_TEXT_SIZE];

	if (prefix_overlaps(prefix, sentinel))
		return error_set(err, -EINVAL,
		    "%s/prefix: contains the sentinel %s, choose a sentinel that nobody has",
		    nat_site_path(site, path), prefix_format(sentinel, text));
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
		    nat_site_path(site, path), g->id, family_names[site->family],
		    failed ? "failed" : "alter");
	}
	return 0;
}

int
nat_pool_check(const struct profile *profile, const struct nat_site *site, struct error *err)
{
	int rc = check_families(site, err);

	if (rc == 0)
		rc = check_kind(site, err);
	return rc ? rc : check_reserved(profile, site, err);
}

/* ---- hosts: one rule for each ---- */

struct host {
	struct prefix prefix;
	struct nat_site site;
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
	char path[NAT_PATH_SIZE], other_path[NAT_PATH_SIZE];
	char text[PREFIX_TEXT_SIZE], other[PREFIX_TEXT_SIZE];

	if (count > 1)
		qsort(hosts, count, sizeof(*hosts), compare_hosts);
	for (size_t i = 1; i < count; i++)
		if (prefix_contains(&hosts[i - 1].prefix, &hosts[i].prefix))
			return error_set(err, -EINVAL,
			    "%s/host-prefix: %s overlaps %s of %s, and a host has one translation: "
			    "keep one of them",
			    nat_site_path(&hosts[i].site, path),
			    prefix_format(&hosts[i].prefix, text),
			    prefix_format(&hosts[i - 1].prefix, other),
			    nat_site_path(&hosts[i - 1].site, other_path));
	return 0;
}

int
nat_rules_check(const struct nat_site *sites, size_t count, struct error *err)
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
