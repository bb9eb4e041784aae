/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conditions on signal routes, and export policies that make the router less attractive while one
 * of them is there: what it still announces gets a longer AS path, so that others prefer another
 * distribution router and come back by themselves.
 *
 * A router draws traffic from two directions: subscribers follow the default route that it gives
 * them, the Internet the aggregates that it announces to the core. Both must turn at once, or a
 * flow would cross elements of two routers; hence two policies per family. Neither is applied to a
 * BGP group here, because those are the operator's; a comment says how. Conditions work in export
 * policies only (Junos, statement condition). A route that no term matches goes on to the policy
 * that follows in the export chain.
 */
#include "router_signal.h"

#include <stdlib.h>

#include "error.h"
#include "router_nat.h"
#include "router_steering.h"

static bool
has_alter(const struct profile_signal *signal)
{
	return signal->has_alter && !(signal->has_failed && prefix_compare(&signal->failed_route,
	                                                        &signal->alter_route) == 0);
}

/* The container is called inet for both families; the table tells which. route NULL: there may have
 * been one. */
static void
write_condition(struct config_writer *w, const struct profile_group *group, enum family family,
    const char *kind, const struct prefix *route)
{
	char *name = xasprintf("%s-%s-%s", group->id, kind, family_tags[family]);
	char text[PREFIX_TEXT_SIZE];

	if (!route) {
		config_gone(w, "condition", name);
		free(name);
		return;
	}
	config_begin_owned(w, "condition", name);
	config_begin(w, "if-route-exists");
	config_begin(w, "address-family");
	config_begin(w, "inet");
	config_value_bare(w, "address", prefix_format(route, text));
	config_value(w, "table", steering_families[family].table);
	config_end(w);
	config_end(w);
	config_end(w);
	config_end(w);
	free(name);
}

/* What the policy is about: towards subscribers a default, towards the core their aggregates, or
 * those of their public addresses. */
static void
write_routes(
    struct config_writer *w, const struct profile_group *group, enum family family, enum side side)
{
	char *list = xasprintf("%s-subscribers-%s", group->id, family_tags[family]);

	if (side == SIDE_INSIDE)
		config_route_filter(w, steering_families[family].all, "exact", NULL);
	else if (group->return_path[family] == RETURN_NAT_ROUTES)
		nat_write_announced(w, group, family);
	else
		config_item(w, "prefix-list", list);
	free(list);
}

static void
write_prepend(struct config_writer *w, uint32_t as)
{
	char *path = xasprintf("%u %u %u", as, as, as);

	config_value(w, "as-path-prepend", path);
	free(path);
}

/* kind NULL: without a condition, as it is announced when all is well. as: 0 for that one. */
static void
write_term(struct config_writer *w, const struct profile_group *group, enum family family,
    enum side side, const char *kind, uint32_t as)
{
	config_begin_named(w, "term", kind ? kind : "normal");
	config_begin(w, "from");
	if (kind) {
		char *name = xasprintf("%s-%s-%s", group->id, kind, family_tags[family]);

		config_value(w, "condition", name);
		free(name);
	}
	write_routes(w, group, family, side);
	config_end(w);
	config_begin(w, "then");
	if (kind)
		write_prepend(w, as);
	config_flag(w, "accept");
	config_end(w);
	config_end(w);
}

static void
write_policy(struct config_writer *w, const struct profile *profile,
    const struct profile_group *group, enum family family, enum side side)
{
	static const char *const towards[SIDE_COUNT] = { "subscribers (the default route)",
		"the core (their aggregates)" };
	const struct profile_signal *signal = &group->signal[family];
	uint32_t as = profile->router.local_as;
	char *name = xasprintf("%s-export-%s-%s", group->id, side_names[side], family_tags[family]);
	char *comment = xasprintf(
	    "not applied; toward %s: set protocols bgp group NAME export %s", towards[side], name);

	config_comment(w, comment);
	config_begin_owned(w, "policy-statement", name);
	if (signal->has_failed)
		write_term(w, group, family, side, "failed", as);
	if (has_alter(signal))
		write_term(w, group, family, side, "altered", as);
	write_term(w, group, family, side, NULL, 0);
	config_end(w);
	free(comment);
	free(name);
}

static void
write_family(struct config_writer *w, const struct profile *profile,
    const struct profile_group *group, enum family family)
{
	const struct profile_signal *signal = &group->signal[family];

	if (!signal->has_failed && !signal->has_alter)
		return;
	write_condition(
	    w, group, family, "failed", signal->has_failed ? &signal->failed_route : NULL);
	write_condition(
	    w, group, family, "altered", has_alter(signal) ? &signal->alter_route : NULL);
	for (int s = 0; s < SIDE_COUNT; s++)
		write_policy(w, profile, group, family, s);
}

void
signal_write_policies(struct config_writer *w, const struct profile *profile)
{
	for (size_t i = 0; i < profile->group_count; i++)
		for (int f = 0; f < FAMILY_COUNT; f++)
			write_family(w, profile, &profile->groups[i], f);
}
