/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filters, forwarding instances, and the routes that make an instance reach its element.
 *
 * An element has two forwarding instances, ID-in and ID-out, for both families. Their next hop is
 * the peer of that side, which the instance can only reach when the connected route towards it is
 * copied from the instance that the peer lives in: one rib-group per such instance and family does
 * that, with an import policy that lets into each table nothing but the route on which its own peer
 * lies. Otherwise every connected network would be in every table, and packets for it would pass
 * the elements by.
 *
 * A family whose return packets follow NAT routes has no outside part of all this (router_nat.c).
 *
 * What removed elements had is taken away, and so is a filter that nothing is steered by (any
 * more): the instances that it sends to have no routes of its family. A rib-group stays, with
 * nothing but its own table in it, where the last peer has left an instance: the operator's
 * instance names it.
 */
#include "router_steering.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "router_nat.h"

const struct steering_family steering_families[FAMILY_COUNT] = {
	{ "inet", "inet.0", "0.0.0.0/0", { "0.0.0.0/1", "128.0.0.0/1" } },
	{ "inet6", "inet6.0", "::/0", { "::/1", "8000::/1" } },
};

static const char *const suffixes[SIDE_COUNT] = { "in", "out" };
static const char master[] = "master";

bool
steering_serves(const struct profile_element *element, enum family family)
{
	return element->family[family].present && !element->removed;
}

bool
steering_group_serves(const struct profile_group *group, enum family family)
{
	for (size_t i = 0; i < group->element_count; i++)
		if (steering_serves(&group->elements[i], family))
			return true;
	return false;
}

bool
steering_profile_serves(const struct profile *profile, enum family family)
{
	for (size_t i = 0; i < profile->group_count; i++)
		if (steering_group_serves(&profile->groups[i], family))
			return true;
	return false;
}

/* Its packets come back by routes, not by a filter. */
static bool
is_routed(const struct profile_group *group, enum family family, enum side side)
{
	return side == SIDE_OUTSIDE && group->return_path[family] == RETURN_NAT_ROUTES;
}

bool
steering_has_side(const struct profile_group *group, enum family family, enum side side)
{
	return steering_group_serves(group, family) && !is_routed(group, family, side);
}

/* The filter of the side sends packets of the family to the element. */
static bool
steers(const struct profile_group *group, const struct profile_element *element, enum family family,
    enum side side)
{
	return steering_serves(element, family) && steering_has_side(group, family, side);
}

/* ---- routing instances that peers live in ---- */

static int
compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts, keeps each once; returns how many. */
static size_t
sort_names(const char **names, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(names, count, sizeof(*names), compare_strings);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || strcmp(names[kept - 1], names[i]) != 0)
			names[kept++] = names[i];
	return kept;
}

/* Whose peers of the family filters send packets to, or did before they were removed. Sorted, each
 * once; the caller frees the array, the names are borrowed from the profile. */
static const char **
list_instances(const struct profile *profile, enum family family, size_t *ret_count)
{
	const char **names = NULL;
	size_t n = 0;

	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];

		names = xreallocarray(names, n + SIDE_COUNT * g->element_count, sizeof(*names));
		for (size_t j = 0; j < g->element_count; j++) {
			const struct profile_element_family *f = &g->elements[j].family[family];

			for (int s = 0; s < SIDE_COUNT; s++)
				if (f->present && !is_routed(g, family, s))
					names[n++] = f->peer[s].instance;
		}
	}
	*ret_count = sort_names(names, n);
	return names;
}

/* All that peers live in or did, in the same way. */
static const char **
list_all_instances(const struct profile *profile, size_t *ret_count)
{
	enum { MOST = SIDE_COUNT * FAMILY_COUNT };
	const char **names = NULL;
	size_t n = 0;

	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];

		names = xreallocarray(names, n + MOST * g->element_count, sizeof(*names));
		for (size_t j = 0; j < MOST * g->element_count; j++) {
			const struct profile_element *e = &g->elements[j / MOST];
			enum family family = (enum family)(j % FAMILY_COUNT);

			if (e->family[family].present)
				names[n++] =
				    e->family[family].peer[j / FAMILY_COUNT % SIDE_COUNT].instance;
		}
	}
	*ret_count = sort_names(names, n);
	return names;
}

static char *
table_name(const char *instance, enum family family)
{
	const char *table = steering_families[family].table;

	return strcmp(instance, master) == 0 ? xstrdup(table) : xasprintf("%s.%s", instance, table);
}

static char *
rib_group_name(const char *instance, enum family family)
{
	return xasprintf("autofbf-%s-%s", instance, family_tags[family]);
}

/* Calls for each forwarding instance whose peer of the family lives in instance. */
static void
each_target(struct config_writer *w, const struct profile *profile, const char *instance,
    enum family family,
    void (*write)(struct config_writer *w, const struct profile_element *element, enum side side,
        enum family family))
{
	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];

		for (size_t j = 0; j < g->element_count; j++) {
			const struct profile_element *e = &g->elements[j];

			for (int s = 0; s < SIDE_COUNT; s++)
				if (steers(g, e, family, s) &&
				    strcmp(e->family[family].peer[s].instance, instance) == 0)
					write(w, e, s, family);
		}
	}
}

static void
write_import_rib(struct config_writer *w, const struct profile_element *element, enum side side,
    enum family family)
{
	char *rib =
	    xasprintf("%s-%s.%s", element->id, suffixes[side], steering_families[family].table);

	config_value(w, "import-rib", rib);
	free(rib);
}

static void
write_rib_group(struct config_writer *w, const struct profile *profile, const char *instance,
    enum family family)
{
	char *name = rib_group_name(instance, family), *table = table_name(instance, family);

	config_begin_owned(w, "rib-groups", name);
	config_value(w, "import-rib", table);
	each_target(w, profile, instance, family, write_import_rib);
	config_value(w, "import-policy", name);
	config_end(w);
	free(table);
	free(name);
}

static bool
lives_in(const struct profile *profile, const char *instance, enum family family)
{
	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];

		for (size_t j = 0; j < g->element_count; j++) {
			const struct profile_element *e = &g->elements[j];

			for (int s = 0; s < SIDE_COUNT; s++)
				if (steers(g, e, family, s) &&
				    strcmp(e->family[family].peer[s].instance, instance) == 0)
					return true;
		}
	}
	return false;
}

/* interface-routes of an instance that peers live in. */
static void
write_interface_routes(struct config_writer *w, const struct profile *profile, const char *instance)
{
	config_begin(w, "interface-routes");
	config_begin(w, "rib-group");
	for (int f = 0; f < FAMILY_COUNT; f++) {
		char *name = rib_group_name(instance, f);

		if (lives_in(profile, instance, f))
			config_value(w, steering_families[f].inet, name);
		free(name);
	}
	config_end(w);
	config_end(w);
}

void
steering_write_routing_options(struct config_writer *w, const struct profile *profile)
{
	config_begin(w, "routing-options");
	for (int f = 0; f < FAMILY_COUNT; f++) {
		size_t count;
		const char **names = list_instances(profile, f, &count);

		for (size_t i = 0; i < count; i++)
			write_rib_group(w, profile, names[i], f);
		free(names);
	}
	if (lives_in(profile, master, FAMILY_IPV4) || lives_in(profile, master, FAMILY_IPV6))
		write_interface_routes(w, profile, master);
	nat_write_discards(w, profile, master);
	config_end(w);
}

/* ---- import policies ---- */

/* "0.0.0.0/0 through PEER/32": every prefix that contains the peer. */
static void
write_peer_term(struct config_writer *w, const struct profile_element *element, enum side side,
    enum family family)
{
	struct prefix host = prefix_of_ip(&element->family[family].peer[side].address);
	char *name = xasprintf("%s-%s", element->id, suffixes[side]);
	char *rib = xasprintf("%s.%s", name, steering_families[family].table);
	char text[PREFIX_TEXT_SIZE];

	config_begin_named(w, "term", name);
	config_begin(w, "from");
	config_route_filter(
	    w, steering_families[family].all, "through", prefix_format(&host, text));
	config_end(w);
	config_begin(w, "to");
	config_value(w, "rib", rib);
	config_end(w);
	config_begin(w, "then");
	config_flag(w, "accept");
	config_end(w);
	config_end(w);
	free(rib);
	free(name);
}

static void
write_policy(struct config_writer *w, const struct profile *profile, const char *instance,
    enum family family)
{
	char *name = rib_group_name(instance, family), *table = table_name(instance, family);

	config_begin_owned(w, "policy-statement", name);
	each_target(w, profile, instance, family, write_peer_term);
	config_begin_named(w, "term", "own-table");
	config_begin(w, "to");
	config_value(w, "rib", table);
	config_end(w);
	config_begin(w, "then");
	config_flag(w, "accept");
	config_end(w);
	config_end(w);
	config_begin_named(w, "term", "rest");
	config_begin(w, "then");
	config_flag(w, "reject");
	config_end(w);
	config_end(w);
	config_end(w);
	free(table);
	free(name);
}

void
steering_write_policies(struct config_writer *w, const struct profile *profile)
{
	for (int f = 0; f < FAMILY_COUNT; f++) {
		size_t count;
		const char **names = list_instances(profile, f, &count);

		for (size_t i = 0; i < count; i++)
			write_policy(w, profile, names[i], f);
		free(names);
	}
}

/* ---- filters ---- */

static const char *const match_lists[SIDE_COUNT] = { "source-prefix-list",
	"destination-prefix-list" };

static void
write_list_match(struct config_writer *w, const char *match, const char *list)
{
	config_begin(w, "from");
	config_item(w, match, list);
	config_end(w);
}

/* then count COUNTER (or NULL) and an action without value. */
static void
write_then(struct config_writer *w, const char *counter, const char *action)
{
	config_begin(w, "then");
	if (counter)
		config_value(w, "count", counter);
	config_flag(w, action);
	config_end(w);
}

/* Neighbours speak from and to global addresses too, and these may be a subscriber's. Whoever is
 * not a neighbour cannot arrive with hop limit 255 (RFC 4861, section 11.2). */
static void
write_discovery_term(struct config_writer *w)
{
	static const char *const types[] = { "router-solicit", "router-advertisement",
		"neighbor-solicit", "neighbor-advertisement" };

	config_begin_named(w, "term", "neighbour-discovery");
	config_begin(w, "from");
	config_value(w, "next-header", "icmp6");
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		config_value(w, "icmp-type", types[i]);
	config_value(w, "hop-limit", "255");
	config_end(w);
	write_then(w, NULL, "accept");
	config_end(w);
}

static void
write_local_term(struct config_writer *w, enum family family)
{
	char *list = xasprintf("autofbf-local-%s", family_tags[family]);

	config_begin_named(w, "term", "local");
	write_list_match(w, "destination-prefix-list", list);
	write_then(w, NULL, "accept");
	config_end(w);
	free(list);
}

static void
write_steering_term(struct config_writer *w, const struct profile_element *element, enum side side,
    const char *kind, const char *list)
{
	char *name = xasprintf("%s-%s", element->id, kind);
	char *instance = xasprintf("%s-%s", element->id, suffixes[side]);

	config_begin_named(w, "term", name);
	write_list_match(w, match_lists[side], list);
	config_begin(w, "then");
	config_value(w, "count", name);
	config_begin(w, "routing-instance");
	config_value_bare(w, "routing-instance-name", instance);
	config_end(w);
	config_end(w);
	config_end(w);
	free(instance);
	free(name);
}

static void
write_subscribers_term(
    struct config_writer *w, const struct profile_group *group, enum side side, enum family family)
{
	char *list = xasprintf("%s-subscribers-%s", group->id, family_tags[family]);
	char *counter = xasprintf("%s-subscribers", group->id);

	config_begin_named(w, "term", "subscribers");
	write_list_match(w, match_lists[side], list);
	write_then(w, counter, "discard");
	config_end(w);
	free(counter);
	free(list);
}

static void
write_filter(
    struct config_writer *w, const struct profile_group *group, enum side side, enum family family)
{
	char *name = xasprintf("%s-%s-%s", group->id, side_names[side], family_tags[family]);

	if (!steering_has_side(group, family, side)) {
		config_gone(w, "filter", name);
		free(name);
		return;
	}
	config_begin_owned(w, "filter", name);
	if (family == FAMILY_IPV6)
		write_discovery_term(w);
	write_local_term(w, family);
	for (size_t i = 0; i < group->element_count; i++)
		if (steering_serves(&group->elements[i], family))
			write_steering_term(w, &group->elements[i], side, "ovr",
			    group->elements[i].family[family].override_list);
	for (size_t i = 0; i < group->element_count; i++)
		if (steering_serves(&group->elements[i], family))
			write_steering_term(w, &group->elements[i], side, "base",
			    group->elements[i].family[family].base_list);
	write_subscribers_term(w, group, side, family);
	config_begin_named(w, "term", "rest");
	write_then(w, NULL, "accept");
	config_end(w);
	config_end(w);
	free(name);
}

void
steering_write_filters(struct config_writer *w, const struct profile *profile)
{
	config_begin(w, "firewall");
	config_begin(w, "family");
	for (int f = 0; f < FAMILY_COUNT; f++) {
		config_begin(w, steering_families[f].inet);
		for (size_t i = 0; i < profile->group_count; i++)
			for (int s = 0; s < SIDE_COUNT; s++)
				write_filter(w, &profile->groups[i], s, f);
		config_end(w);
	}
	config_end(w);
	config_end(w);
}

/* ---- forwarding instances ---- */

static void
write_routes(struct config_writer *w, const struct ip *peer, enum family family)
{
	const struct steering_family *f = &steering_families[family];
	char text[IP_TEXT_SIZE];

	config_begin(w, "static");
	for (size_t i = 0; i < 2; i++) {
		config_begin_named(w, "route", f->halves[i]);
		config_value(w, "next-hop", ip_format(peer, text));
		config_end(w);
	}
	config_begin_named(w, "route", f->all);
	config_flag(w, "discard");
	config_end(w);
	config_end(w);
}

static void
write_instance(struct config_writer *w, const struct profile_group *group,
    const struct profile_element *element, enum side side)
{
	bool steered[FAMILY_COUNT];
	char *name = xasprintf("%s-%s", element->id, suffixes[side]);
	char *rib = xasprintf("%s.inet6.0", name);

	for (int f = 0; f < FAMILY_COUNT; f++)
		steered[f] = steers(group, element, f, side);
	if (steered[FAMILY_IPV4] || steered[FAMILY_IPV6]) {
		config_begin_owned_bare(w, "instance", name);
		config_value(w, "instance-type", "forwarding");
		config_begin(w, "routing-options");
		if (steered[FAMILY_IPV6]) {
			config_begin_named(w, "rib", rib);
			write_routes(
			    w, &element->family[FAMILY_IPV6].peer[side].address, FAMILY_IPV6);
			config_end(w);
		}
		if (steered[FAMILY_IPV4])
			write_routes(
			    w, &element->family[FAMILY_IPV4].peer[side].address, FAMILY_IPV4);
		config_end(w);
		config_end(w);
	} else {
		config_gone_bare(w, "instance", name);
	}
	free(rib);
	free(name);
}

/* The instances that exist already, because a peer lives there: only our rib-group and the discard
 * routes of NAT pools are added. */
static void
write_foreign_instances(struct config_writer *w, const struct profile *profile)
{
	size_t count;
	const char **names = list_all_instances(profile, &count);

	for (size_t i = 0; i < count; i++) {
		bool is_steered = lives_in(profile, names[i], FAMILY_IPV4) ||
		                  lives_in(profile, names[i], FAMILY_IPV6);

		if (strcmp(names[i], master) == 0 ||
		    (!is_steered && !nat_has_discards(profile, names[i])))
			continue;
		config_begin_bare(w, "instance", names[i]);
		config_begin(w, "routing-options");
		if (is_steered)
			write_interface_routes(w, profile, names[i]);
		nat_write_discards(w, profile, names[i]);
		config_end(w);
		config_end(w);
	}
	free(names);
}

void
steering_write_instances(struct config_writer *w, const struct profile *profile)
{
	config_begin(w, "routing-instances");
	write_foreign_instances(w, profile);
	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];

		for (size_t j = 0; j < g->element_count; j++)
			for (int s = 0; s < SIDE_COUNT; s++)
				write_instance(w, g, &g->elements[j], s);
	}
	config_end(w);
}
