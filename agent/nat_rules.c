/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prefixes are sorted, and so are those that are asked for: one walk over both tells. Of two
 * prefixes one contains the other or they share nothing, so what a rule has a part of is halved
 * until each half is in a rule or in none.
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

void
nat_rules_gaps(
    struct nat_rules *rules, const struct prefix *prefix, nat_rules_gap_fn *take, void *arg)
{
	const struct prefix *item;

	while (rules->at < rules->count && prefix_compare(&rules->items[rules->at], prefix) < 0 &&
	       !prefix_contains(&rules->items[rules->at], prefix))
		rules->at++;
	item = rules->at < rules->count ? &rules->items[rules->at] : NULL;
	if (!item || !prefix_overlaps(item, prefix)) {
		take(arg, prefix);
		return;
	}
	for (uint64_t i = 0; i < 2 && !prefix_contains(item, prefix); i++) {
		struct prefix half = prefix_child(prefix, prefix->length + 1u, i);

		nat_rules_gaps(rules, &half, take, arg);
	}
}

static void
note_gap(void *arg, const struct prefix *gap)
{
	bool *has_gap = arg;

	(void)gap;
	*has_gap = true;
}

bool
nat_rules_have(struct nat_rules *rules, const struct prefix *prefix)
{
	bool has_gap = false;

	nat_rules_gaps(rules, prefix, note_gap, &has_gap);
	return !has_gap;
}

void
nat_rules_done(struct nat_rules *rules)
{
	free(rules->items);
	rules->items = NULL;
}
