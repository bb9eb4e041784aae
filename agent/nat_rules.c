/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prefixes are sorted, and so are those that are asked for: one walk over both tells. A unit may be
 * covered by several prefixes side by side, so the walk asks for the first address that no rule
 * has.
 */
#include "nat_rules.h"

#include <stdlib.h>

#include "error.h"

void
nat_rules_open(struct nat_rules *rules, const struct profile_element_family *family)
{
	size_t count = 0;

	*rules = (struct nat_rules){ 0 };
	for (size_t i = 0; i < family->nat_pool_count; i++) {
		count += family->nat_pools[i].host_count;
		rules->has_others |= family->nat_pools[i].kind != NAT_DETERMINISTIC;
	}
	rules->items = xcalloc(count, sizeof(*rules->items));
	for (size_t i = 0; i < family->nat_pool_count; i++)
		for (size_t j = 0; j < family->nat_pools[i].host_count; j++)
			rules->items[rules->count++] = family->nat_pools[i].hosts[j];
	if (count > 1)
		qsort(rules->items, count, sizeof(*rules->items), prefix_compare_void);
}

/* The address after this one; false: there is none. */
static bool
step(struct ip *ip)
{
	for (unsigned i = family_bits(ip->family) / 8; i-- > 0;)
		if (++ip->bytes[i] != 0)
			return true;
	return false;
}

bool
nat_rules_have(struct nat_rules *rules, const struct prefix *prefix)
{
	struct ip next = prefix->address, end = prefix_last(prefix);

	for (; rules->at < rules->count; rules->at++) {
		struct ip last = prefix_last(&rules->items[rules->at]);

		if (ip_compare(&last, &next) < 0)
			continue;
		if (!prefix_contains_ip(&rules->items[rules->at], &next))
			return false;
		if (ip_compare(&last, &end) >= 0)
			return true;
		next = last;
		if (!step(&next))
			return false;
	}
	return false;
}

void
nat_rules_done(struct nat_rules *rules)
{
	free(rules->items);
	rules->items = NULL;
}
