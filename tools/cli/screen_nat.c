/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Families whose answers come back by the routes of NAT pools: the column "nat", active of expected
 * pool routes, the pools of one element, and whose pool leads where. A pool that no poll has read
 * yet is a question mark; while the outside session is down its routes are gone with it.
 */
#include "screen_nat.h"

#include <inttypes.h>
#include <stdio.h>

#include "tree.h"

enum { TAG_WIDTH = 9 };

bool
screen_is_nat(const struct lyd_node *group, int family)
{
	return tree_is(screen_family(group, family), "return-path", "nat-routes");
}

static bool
is_outside_down(const struct lyd_node *family)
{
	return tree_is(tree_entry(family, "peer", "side", "outside"), "bgp", "down");
}

const char *
screen_nat_count(const struct lyd_node *family, char buf[NAT_TEXT_SIZE])
{
	const struct lyd_node *pool = NULL;
	unsigned active = 0, unread = 0, pools = 0;

	while ((pool = tree_next(family, "nat-pool", pool))) {
		pools++;
		active += tree_flag(pool, "active");
		unread += !tree_has(pool, "active");
	}
	if (!family || pools == 0)
		snprintf(buf, NAT_TEXT_SIZE, "-");
	else if (unread > 0 && !is_outside_down(family))
		snprintf(buf, NAT_TEXT_SIZE, "?/%u", pools);
	else
		snprintf(buf, NAT_TEXT_SIZE, "%u/%u", active, pools);
	return buf;
}

void
screen_nat_describe(
    const struct lyd_node *family, const struct lyd_node *pool, char *buf, size_t size)
{
	bool is_taken = tree_has(pool, "taken-by");

	if (tree_has(pool, "refusal"))
		snprintf(buf, size, "CANNOT BE READ: %s", tree_text(pool, "refusal"));
	else if (!tree_has(pool, "active"))
		snprintf(buf, size, "%s",
		    is_outside_down(family) ? "away with its outside session" : "not read yet");
	else if (tree_flag(pool, "active"))
		snprintf(buf, size, "leads here");
	else if (tree_flag(pool, "discarded"))
		snprintf(buf, size, "LEADS NOWHERE (discard)");
	else if (!tree_has(pool, "via"))
		snprintf(buf, size, "HAS NO ROUTE");
	else
		snprintf(buf, size, "LEADS TO %s%s%s%s", tree_text(pool, "taken-by"),
		    is_taken ? " (" : "", tree_text(pool, "via"), is_taken ? ")" : "");
}

void
screen_nat_pools(const struct screen *screen, const struct lyd_node *family)
{
	const struct lyd_node *pool = NULL;
	char where[192];

	while ((pool = tree_next(family, "nat-pool", pool))) {
		screen_nat_describe(family, pool, where, sizeof(where));
		screen_wrap(screen, "", TAG_WIDTH, "pool %s %s, %s: %s", tree_text(pool, "id"),
		    tree_text(pool, "prefix"), tree_text(pool, "kind"), where);
	}
}

bool
screen_nat_is_lost(const struct lyd_node *pool)
{
	return tree_has(pool, "active") && !tree_flag(pool, "active");
}

bool
screen_nat_trouble(const struct lyd_node *pool, char *buf, size_t size)
{
	const char *id = tree_text(pool, "id"), *prefix = tree_text(pool, "prefix");

	if (!screen_nat_is_lost(pool))
		return false;
	if (tree_has(pool, "taken-by"))
		snprintf(buf, size,
		    "its pool %s %s leads to %s (%s), which announces it or covers for it: see the "
		    "import policies of both",
		    id, prefix, tree_text(pool, "taken-by"), tree_text(pool, "via"));
	else if (tree_flag(pool, "discarded"))
		snprintf(buf, size,
		    "its pool %s %s has a route without a next hop: see the static and aggregate "
		    "routes of the outside table",
		    id, prefix);
	else if (tree_has(pool, "via"))
		snprintf(buf, size,
		    "its pool %s %s leads to %s, which is no element of the profile", id, prefix,
		    tree_text(pool, "via"));
	else
		snprintf(buf, size, "nobody announces its pool %s %s", id, prefix);
	return true;
}
