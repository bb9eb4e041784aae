/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NAT return paths on the router. There is no outside filter to keep right then, only routes: an
 * element announces its pools on its outside session, and the router must believe it about these
 * and nothing else. A pool that is announced twice because somebody mistyped it would take another
 * element's return packets away; hence an import policy for each session, with exact matches.
 *
 * BGP groups are the operator's, so what belongs to a session is said in comments: the import
 * policy; a limit of what the router keeps for an element that leaks a whole table, which drops the
 * excess and never ends the session ([edit protocols bgp ... family inet unicast prefix-limit]; the
 * option drop-excess is in the current statement reference and not in that of Junos 12.2, where the
 * limit is only logged); and no graceful restart, whose helper mode is on by default and would keep
 * the routes of a dead element (RFC 4724).
 *
 * The supernet's discard route is what the core hears. It stays when pools come and go, and catches
 * the packets of a pool whose element is out, which would loop with the upstream's default. It is
 * in the instances where pools under it are announced and in no other: elsewhere the same addresses
 * may be another group's.
 */
#include "router_nat.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout.h"
#include "nat_cover.h"
#include "router_steering.h"

enum { PREFIX_LIMIT = 1000 }; /* far more than an element may have to say: 16 pools */

static bool
has_pools(
    const struct profile_group *group, const struct profile_element *element, enum family family)
{
	return group->return_path[family] == RETURN_NAT_ROUTES && steering_serves(element, family);
}

/* ---- import policies ---- */

static void
write_session_comment(struct config_writer *w, const struct profile_element *element,
    enum family family, const char *what)
{
	const struct profile_peer *peer = &element->family[family].peer[SIDE_OUTSIDE];
	bool is_master = strcmp(peer->instance, "master") == 0;
	char address[IP_TEXT_SIZE];
	char *comment = xasprintf("not applied; toward %s: set %s%s%sprotocols bgp group NAME "
	                          "neighbor %s %s",
	    element->id, is_master ? "" : "routing-instances ", is_master ? "" : peer->instance,
	    is_master ? "" : " ", ip_format(&peer->address, address), what);

	config_comment(w, comment);
	free(comment);
}

static void
write_session_comments(struct config_writer *w, const struct profile_element *element,
    enum family family, const char *policy)
{
	char *import = xasprintf("import %s", policy);
	char *limit = xasprintf("family %s unicast prefix-limit maximum %d drop-excess",
	    steering_families[family].inet, PREFIX_LIMIT);

	write_session_comment(w, element, family, import);
	write_session_comment(w, element, family, limit);
	write_session_comment(w, element, family, "graceful-restart disable");
	free(limit);
	free(import);
}

static void
write_pools_term(struct config_writer *w, const struct profile_element_family *family)
{
	char text[PREFIX_TEXT_SIZE];

	config_begin_named(w, "term", "pools");
	config_begin(w, "from");
	for (size_t i = 0; i < family->nat_pool_count; i++)
		config_route_filter(
		    w, prefix_format(&family->nat_pools[i].prefix, text), "exact", NULL);
	config_end(w);
	config_begin(w, "then");
	config_flag(w, "accept");
	config_end(w);
	config_end(w);
}

/* What deterministic NAT will not do in a failure, for the operator to decide on. */
static void
write_gap_comment(
    struct config_writer *w, const struct profile_element *element, const struct nat_gap *gap)
{
	char text[PREFIX_TEXT_SIZE], *comment;

	if (gap->uncovered_units == 0)
		return;
	comment = xasprintf("%s: of the units it is the standby of (%zu) its deterministic rules "
	                    "leave out %zu, from %s on; in a failure their hosts would not be "
	                    "translated",
	    element->id, gap->standby_units, gap->uncovered_units,
	    prefix_format(&gap->first, text));
	config_comment(w, comment);
	free(comment);
}

static char *
import_policy(const struct profile_element *element, enum family family)
{
	return xasprintf("%s-import-%s", element->id, family_tags[family]);
}

static void
write_policy(struct config_writer *w, const struct profile_element *element, enum family family,
    const struct nat_gap *gap)
{
	char *name = import_policy(element, family);

	write_gap_comment(w, element, gap);
	write_session_comments(w, element, family, name);
	config_begin_owned(w, "policy-statement", name);
	write_pools_term(w, &element->family[family]);
	config_begin_named(w, "term", "rest");
	config_begin(w, "then");
	config_flag(w, "reject");
	config_end(w);
	config_end(w);
	config_end(w);
	free(name);
}

static void
write_removed_policy(
    struct config_writer *w, const struct profile_element *element, enum family family)
{
	char *name = import_policy(element, family);

	if (element->family[family].present)
		config_gone(w, "policy-statement", name);
	free(name);
}

static void
write_group_policies(struct config_writer *w, const struct profile_group *group, enum family family)
{
	struct layout_space *space = layout_space_new(group, family);
	struct nat_gap *gaps = xcalloc(group->element_count, sizeof(*gaps));

	nat_cover_standby(space, gaps);
	for (size_t i = 0; i < group->element_count; i++) {
		if (has_pools(group, &group->elements[i], family))
			write_policy(w, &group->elements[i], family, &gaps[i]);
		else
			write_removed_policy(w, &group->elements[i], family);
	}
	free(gaps);
	layout_space_free(space);
}

void
nat_write_policies(struct config_writer *w, const struct profile *profile)
{
	for (size_t i = 0; i < profile->group_count; i++)
		for (int f = 0; f < FAMILY_COUNT; f++)
			if (profile->groups[i].return_path[f] == RETURN_NAT_ROUTES)
				write_group_policies(w, &profile->groups[i], f);
}

/* ---- supernets ---- */

/* Of what has a route there: written, or taken away from an instance where a pool under it was
 * announced before, for there it would only be in the way. */
struct discard {
	struct prefix supernet;
	bool is_wanted;
};

static bool
is_outside_in(const struct profile_element *element, enum family family, const char *instance)
{
	const struct profile_element_family *f = &element->family[family];

	return f->present && strcmp(f->peer[SIDE_OUTSIDE].instance, instance) == 0;
}

/* A pool under the supernet is announced in the instance. */
static bool
covers_pool(const struct profile_group *group, enum family family, const char *instance,
    const struct prefix *supernet)
{
	for (size_t i = 0; i < group->element_count; i++) {
		const struct profile_element *e = &group->elements[i];
		const struct profile_element_family *f = &e->family[family];

		if (!has_pools(group, e, family) || !is_outside_in(e, family, instance))
			continue;
		for (size_t j = 0; j < f->nat_pool_count; j++)
			if (prefix_contains(supernet, &f->nat_pools[j].prefix))
				return true;
	}
	return false;
}

/* Some element of the group has its outside session in the instance, or had one. */
static bool
is_known_in(const struct profile_group *group, enum family family, const char *instance)
{
	for (size_t i = 0; i < group->element_count; i++)
		if (is_outside_in(&group->elements[i], family, instance))
			return true;
	return false;
}

static int
compare_discards(const void *a, const void *b)
{
	const struct discard *p = a, *q = b;
	int order = prefix_compare(&p->supernet, &q->supernet);

	return order ? order : q->is_wanted - p->is_wanted;
}

/* Of the family in the instance. Each supernet once, though groups may share one, and wanted when
 * one of them wants it: sorted; the caller frees the array. */
static struct discard *
list_discards(
    const struct profile *profile, enum family family, const char *instance, size_t *ret_count)
{
	struct discard *all = NULL;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];
		size_t count = g->supernet_count[family];

		if (count == 0 || !is_known_in(g, family, instance))
			continue;
		all = xreallocarray(all, n + count, sizeof(*all));
		for (size_t j = 0; j < count; j++) {
			const struct prefix *supernet = &g->supernets[family][j];

			all[n++] = (struct discard){ *supernet,
				covers_pool(g, family, instance, supernet) };
		}
	}
	if (n > 1)
		qsort(all, n, sizeof(*all), compare_discards);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || prefix_compare(&all[kept - 1].supernet, &all[i].supernet) != 0)
			all[kept++] = all[i];
	*ret_count = kept;
	return all;
}

bool
nat_has_discards(const struct profile *profile, const char *instance)
{
	size_t total = 0;

	for (int f = 0; f < FAMILY_COUNT; f++) {
		size_t count;

		free(list_discards(profile, f, instance, &count));
		total += count;
	}
	return total > 0;
}

static void
write_static(struct config_writer *w, const struct discard *discards, size_t count)
{
	char text[PREFIX_TEXT_SIZE];

	config_begin(w, "static");
	for (size_t i = 0; i < count; i++) {
		prefix_format(&discards[i].supernet, text);
		if (!discards[i].is_wanted) {
			config_gone(w, "route", text);
			continue;
		}
		config_begin_owned(w, "route", text);
		config_flag(w, "discard");
		config_end(w);
	}
	config_end(w);
}

void
nat_write_discards(struct config_writer *w, const struct profile *profile, const char *instance)
{
	bool is_master = strcmp(instance, "master") == 0;
	char *rib = xasprintf("%s%sinet6.0", is_master ? "" : instance, is_master ? "" : ".");
	size_t v4_count, v6_count;
	struct discard *v4 = list_discards(profile, FAMILY_IPV4, instance, &v4_count);
	struct discard *v6 = list_discards(profile, FAMILY_IPV6, instance, &v6_count);

	if (v6_count > 0) {
		config_begin_named(w, "rib", rib);
		write_static(w, v6, v6_count);
		config_end(w);
	}
	if (v4_count > 0)
		write_static(w, v4, v4_count);
	free(v6);
	free(v4);
	free(rib);
}

void
nat_write_announced(struct config_writer *w, const struct profile_group *group, enum family family)
{
	char text[PREFIX_TEXT_SIZE];

	for (size_t i = 0; i < group->supernet_count[family]; i++)
		config_route_filter(
		    w, prefix_format(&group->supernets[family][i], text), "exact", NULL);
	for (size_t i = 0; i < group->element_count && group->supernet_count[family] == 0; i++) {
		const struct profile_element *e = &group->elements[i];

		for (size_t j = 0;
		     has_pools(group, e, family) && j < e->family[family].nat_pool_count; j++)
			config_route_filter(w,
			    prefix_format(&e->family[family].nat_pools[j].prefix, text), "exact",
			    NULL);
	}
}
