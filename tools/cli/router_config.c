/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile as static Junos configuration: what the operator loads and commits once, and again
 * after every change of the profile. With it alone everything forwards as if all elements were
 * well; the agent only ever adds to the override lists, in the ephemeral database.
 *
 * The shape, in this order (labrouter and the checker read exactly this):
 *
 *   system configuration-database ephemeral instance NAME
 *   interfaces IFD unit N family inet|inet6 filter input GROUP-inside-v4 (-outside-v4, -v6)
 *   routing-options rib-groups autofbf-INSTANCE-v4 import-rib [ INSTANCE.inet.0 ID-in.inet.0 ... ]
 *       import-policy autofbf-INSTANCE-v4; interface-routes rib-group inet that name
 *   policy-options
 *     prefix-list autofbf-local-v4   the router itself, link-local, multicast: never steered.
 *                                    Gateway addresses inside a pool have to be added by hand
 *     prefix-list GROUP-subscribers-v4   the pools
 *     prefix-list BASE                   the units of one element; a sentinel when it has none
 *     prefix-list OVERRIDE               the sentinel
 *     policy-statement autofbf-INSTANCE-v4   lets into ID-in only the route on which its peer is
 *     for each group and family with signal routes (router_signal.c):
 *     condition GROUP-failed-v4, GROUP-altered-v4 (left out when both routes are the same one)
 *       if-route-exists address-family inet { address X/32; table inet.0; }   (v6: inet6.0, and
 *       still "inet")
 *     policy-statement GROUP-export-inside-v4    towards subscribers; routes = route-filter
 *                                                0.0.0.0/0 exact
 *     policy-statement GROUP-export-outside-v4   towards the core; routes = prefix-list
 *                                                GROUP-subscribers-v4
 *       term failed    from condition GROUP-failed-v4, routes: as-path-prepend "AS AS AS", accept
 *       term altered   from condition GROUP-altered-v4, routes: the same
 *       term normal    from routes: accept
 *     No BGP group uses them yet; a comment before each says how.
 *     for each element and family with NAT pools (router_nat.c):
 *     policy-statement ID-import-v4   for its outside session: accepts its own pools, exactly
 *       term pools     from route-filter POOL exact: accept
 *       term rest      reject
 *   firewall family inet|inet6 filter GROUP-inside-v4: from = source-prefix-list
 *                              filter GROUP-outside-v4: from = destination-prefix-list
 *     term neighbour-discovery  IPv6: next-header icmp6, icmp-type [ ... ], hop-limit 255: accept
 *     term local                destination-prefix-list autofbf-local-v4: accept
 *     term ID-ovr   (each)      from LIST: count ID-ovr, routing-instance ID-in or ID-out
 *     term ID-base  (each)      from LIST: count ID-base, routing-instance ID-in or ID-out
 *     term subscribers          from GROUP-subscribers-v4: count GROUP-subscribers, discard
 *     term rest                 accept
 *   routing-instances ID-in, ID-out   instance-type forwarding
 *     static 0.0.0.0/1 and 128.0.0.0/1 next-hop PEER; 0.0.0.0/0 discard (v6: rib ID-in.inet6.0)
 *
 * Where return packets follow NAT routes, a family has no outside filter, nor routes in ID-out (an
 * ID-out that has none at all is left out, and so is an interface without a filter); instead,
 *   routing-options static route SUPERNET discard, in the instance of the outside sessions
 *
 * The two halves are the live route: when the interface towards the peer goes they go too, and the
 * discard below them keeps the packets from being punted as unreachable. The import policy keeps
 * all other connected networks out of these tables: a packet for one of them must not pass the
 * element by.
 *
 * The router may have an older version of all this, and a load merges: a new term would come after
 * `rest`, a unit that moved would be in two lists, a route would have two next hops. So what is
 * ours as a whole takes the place of what was there (config_writer.h), in the same commit. Of the
 * above:
 *
 * - ours is every prefix-list but autofbf-local, every policy-statement, condition, filter and
 *   rib-group; instances ID-in and ID-out; the static route of a SUPERNET;
 * - shared, and only set, is the ephemeral instance, a unit's leaf for our filter, the leaf in
 *   interface-routes for our rib-group, and autofbf-local, which the operator adds to;
 * - never named are the units, instances and BGP groups around these.
 *
 * Removed elements are in the profile still, and what was theirs is deleted by its name, unless
 * somebody else has a list of that name now. The same goes for what the profile's ids tell that
 * there may have been: filters and lists of a family that nobody serves (any more), an ID-out that
 * needs no route, the other one of two signal routes, a supernet in an instance without a pool
 * under it. What BGP groups of the operator may name is not deleted as long as its element is
 * there.
 *
 * Layout: layout.c; text: config_writer.c.
 */
#include "router_config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config_writer.h"
#include "layout.h"
#include "router_nat.h"
#include "router_signal.h"
#include "router_steering.h"

/* ---- interfaces ---- */

static bool
has_outside_filter(const struct profile_group *group)
{
	return steering_has_side(group, FAMILY_IPV4, SIDE_OUTSIDE) ||
	       steering_has_side(group, FAMILY_IPV6, SIDE_OUTSIDE);
}

/* Calls for each interface that a filter is put on. 0, or what visit returned. */
static int
each_interface(const struct profile *profile,
    int (*visit)(void *arg, const struct profile_group *group, enum side side, const char *name),
    void *arg)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];

		for (size_t j = 0; rc == 0 && j < g->inside_interface_count; j++)
			rc = visit(arg, g, SIDE_INSIDE, g->inside_interfaces[j]);
		for (size_t j = 0;
		     has_outside_filter(g) && rc == 0 && j < g->outside_interface_count; j++)
			rc = visit(arg, g, SIDE_OUTSIDE, g->outside_interfaces[j]);
	}
	return rc;
}

static int
write_interface(void *arg, const struct profile_group *group, enum side side, const char *name)
{
	struct config_writer *w = arg;
	const char *dot = strrchr(name, '.');
	char *device = xasprintf("%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);

	config_begin_bare(w, "interface", device);
	config_begin_named(w, "unit", dot ? dot + 1 : "0");
	config_begin(w, "family");
	for (int f = 0; f < FAMILY_COUNT; f++) {
		char *filter = xasprintf("%s-%s-%s", group->id, side_names[side], family_tags[f]);

		if (steering_has_side(group, f, side)) {
			config_begin(w, steering_families[f].inet);
			config_begin(w, "filter");
			config_begin(w, "input");
			config_value_bare(w, "filter-name", filter);
			config_end(w);
			config_end(w);
			config_end(w);
		}
		free(filter);
	}
	config_end(w);
	config_end(w);
	config_end(w);
	free(device);
	return 0;
}

/* ---- prefix-lists ---- */

static void
write_prefix(struct config_writer *w, const struct prefix *prefix)
{
	char text[PREFIX_TEXT_SIZE];

	config_item_bare(w, "prefix-list-item", prefix_format(prefix, text));
}

/* Link-local, multicast, broadcast: neighbours talk to the router, not through it. */
static const char *const never_steered[FAMILY_COUNT][4] = {
	{ "169.254.0.0/16", "224.0.0.0/4", "255.255.255.255/32" },
	{ "fe80::/10", "ff00::/8" },
};

static void
write_local_list(struct config_writer *w, const struct profile *profile, enum family family)
{
	char *name = xasprintf("autofbf-local-%s", family_tags[family]);
	struct prefix loopback, host;

	(void)prefix_parse(family == FAMILY_IPV4 ? "127.0.0.0/8" : "::1/128", &loopback);
	config_begin_named(w, "prefix-list", name);
	for (size_t i = 0; i < profile->router.address_count; i++) {
		host = prefix_of_ip(&profile->router.addresses[i]);
		if (host.address.family == family && !prefix_contains(&loopback, &host))
			write_prefix(w, &host);
	}
	for (size_t i = 0; never_steered[family][i]; i++)
		config_item_bare(w, "prefix-list-item", never_steered[family][i]);
	config_end(w);
	free(name);
}

/* An ended pool is nobody's subscriber space any more. */
static void
write_subscriber_list(
    struct config_writer *w, const struct layout_space *space, const struct prefix *sentinel)
{
	const struct profile_group *group = layout_space_group(space);
	enum family family = layout_space_family(space);
	char *name = xasprintf("%s-subscribers-%s", group->id, family_tags[family]);
	uint32_t now = profile_last_epoch(group, family);
	bool empty = true;

	config_begin_owned(w, "prefix-list", name);
	for (size_t i = 0; i < group->pool_count; i++) {
		const struct profile_pool *pool = &group->pools[i];

		if (pool->prefix.address.family != family || now < pool->since ||
		    now >= pool->until)
			continue;
		write_prefix(w, &pool->prefix);
		empty = false;
	}
	if (empty)
		write_prefix(w, sentinel);
	config_end(w);
	free(name);
}

static void
write_element_lists(struct config_writer *w, const struct layout_space *space, size_t element,
    const struct prefix *sentinel)
{
	const struct profile_element *e = &layout_space_group(space)->elements[element];
	const struct profile_element_family *family = &e->family[layout_space_family(space)];

	config_begin_owned(w, "prefix-list", family->base_list);
	for (size_t unit = 0; unit < layout_space_units(space); unit++) {
		struct prefix prefix = layout_space_unit(space, unit);

		if (layout_space_base(space, unit) == element)
			write_prefix(w, &prefix);
	}
	if (layout_space_base_count(space, element) == 0)
		write_prefix(w, sentinel);
	config_end(w);
	config_begin_owned(w, "prefix-list", family->override_list);
	write_prefix(w, sentinel);
	config_end(w);
}

/* The names that the profile leaves to us must not be aliases. */
static int
check_list_name(const struct profile *profile, const char *list, struct error *err)
{
	for (int f = 0; f < FAMILY_COUNT; f++) {
		char *local = xasprintf("autofbf-local-%s", family_tags[f]);
		bool taken = strcmp(list, local) == 0;

		free(local);
		for (size_t i = 0; i < profile->group_count; i++) {
			char *space =
			    xasprintf("%s-subscribers-%s", profile->groups[i].id, family_tags[f]);

			taken |= strcmp(list, space) == 0;
			free(space);
		}
		if (taken)
			return error_set(err, -EINVAL,
			    "the prefix-list name %s is needed for another list, choose another "
			    "alias",
			    list);
	}
	return 0;
}

static int
check_list_names(const struct profile *profile, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];

		for (size_t j = 0; j < g->element_count; j++) {
			for (int f = 0; rc == 0 && f < FAMILY_COUNT; f++) {
				const struct profile_element_family *family =
				    &g->elements[j].family[f];

				if (!steering_serves(&g->elements[j], f))
					continue;
				rc = check_list_name(profile, family->base_list, err);
				if (rc == 0)
					rc = check_list_name(profile, family->override_list, err);
			}
		}
	}
	return rc;
}

/* Somebody has the list who is still there. */
static bool
is_list_needed(const struct profile *profile, const char *list)
{
	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];

		for (size_t j = 0; j < FAMILY_COUNT * g->element_count; j++) {
			const struct profile_element *e = &g->elements[j / FAMILY_COUNT];
			enum family f = (enum family)(j % FAMILY_COUNT);

			if (steering_serves(e, f) &&
			    (strcmp(e->family[f].base_list, list) == 0 ||
			        strcmp(e->family[f].override_list, list) == 0))
				return true;
		}
	}
	return check_list_name(profile, list, NULL) < 0;
}

static void
write_removed_list(struct config_writer *w, const struct profile *profile, const char *list)
{
	if (!is_list_needed(profile, list))
		config_gone(w, "prefix-list", list);
}

/* Of a family that it does not have (any more) its lists had these names unless others were given.
 */
static void
write_removed_lists(struct config_writer *w, const struct profile *profile,
    const struct profile_element *element, enum family family)
{
	const struct profile_element_family *lists = &element->family[family];
	char *base = xasprintf("%s-base-%s", element->id, family_tags[family]);
	char *override = xasprintf("%s-ovr-%s", element->id, family_tags[family]);

	write_removed_list(w, profile, lists->present ? lists->base_list : base);
	write_removed_list(w, profile, lists->present ? lists->override_list : override);
	free(override);
	free(base);
}

static void
write_removed_subscriber_list(
    struct config_writer *w, const struct profile_group *group, enum family family)
{
	char *name = xasprintf("%s-subscribers-%s", group->id, family_tags[family]);

	config_gone(w, "prefix-list", name);
	free(name);
}

static void
write_group_lists(struct config_writer *w, const struct profile *profile,
    const struct profile_group *group, enum family family)
{
	bool is_served = steering_group_serves(group, family);
	struct layout_space *space = is_served ? layout_space_new(group, family) : NULL;

	if (is_served)
		write_subscriber_list(w, space, &profile->sentinel[family]);
	else
		write_removed_subscriber_list(w, group, family);
	for (size_t i = 0; i < group->element_count; i++) {
		if (steering_serves(&group->elements[i], family))
			write_element_lists(w, space, i, &profile->sentinel[family]);
		else
			write_removed_lists(w, profile, &group->elements[i], family);
	}
	layout_space_free(space);
}

/* ---- the document ---- */

static const char *const how_to_load[][3] = {
	{ "What autofbf owns is deleted and set again; load and commit all of it at once:",
	    "load set FILE, show | compare, commit check, commit. A warning",
	    "'statement not found' is about something that was not there yet." },
	{ "What autofbf owns is replaced; load and commit all of it at once, with the action",
	    "replace: load-configuration action=\"replace\" format=\"xml\". With merge, or by",
	    "edit-config, the attributes would do nothing and old and new would be mixed." },
};

static void
write_system(struct config_writer *w, const struct profile *profile)
{
	config_begin(w, "system");
	config_begin(w, "configuration-database");
	config_begin(w, "ephemeral");
	config_item(w, "instance", profile->router.instance);
	config_end(w);
	config_end(w);
	config_end(w);
}

static int
note_interface(void *arg, const struct profile_group *group, enum side side, const char *name)
{
	(void)group;
	(void)side;
	(void)name;
	*(bool *)arg = true;
	return 0;
}

static void
write_interfaces(struct config_writer *w, const struct profile *profile)
{
	bool any = false;

	(void)each_interface(profile, note_interface, &any); /* neither visitor fails */
	if (!any)
		return;
	config_begin(w, "interfaces");
	(void)each_interface(profile, write_interface, w);
	config_end(w);
}

static void
write_policy_options(struct config_writer *w, const struct profile *profile)
{
	config_begin(w, "policy-options");
	if (profile->syslog.enabled)
		config_comment(w,
		    "not applied; without it syslog tells of no BGP session: set protocols bgp "
		    "log-updown, in instances with peers as well");
	for (int f = 0; f < FAMILY_COUNT; f++)
		if (steering_profile_serves(profile, f))
			write_local_list(w, profile, f);
	for (size_t i = 0; i < profile->group_count; i++)
		for (int f = 0; f < FAMILY_COUNT; f++)
			write_group_lists(w, profile, &profile->groups[i], f);
	steering_write_policies(w, profile);
	signal_write_policies(w, profile);
	nat_write_policies(w, profile);
	config_end(w);
}

static int
write_part(const struct profile *profile, enum config_part part, FILE *out)
{
	struct config_writer *w = config_writer_new(out, part);

	write_system(w, profile);
	write_interfaces(w, profile);
	steering_write_routing_options(w, profile);
	write_policy_options(w, profile);
	steering_write_filters(w, profile);
	steering_write_instances(w, profile);
	return config_writer_end(w);
}

int
router_config_print(const struct profile *profile, bool xml, FILE *out, struct error *err)
{
	int rc = check_list_names(profile, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < 3; i++)
		fprintf(out, xml ? "<!-- %s -->\n" : "# %s\n", how_to_load[xml][i]);
	if (!xml)
		rc = write_part(profile, CONFIG_DELETE_LINES, out);
	if (rc == 0)
		rc = write_part(profile, xml ? CONFIG_XML : CONFIG_SET_LINES, out);
	if (rc < 0 && rc != -EPIPE) /* a reader that has seen enough */
		return error_set(err, -EIO, "the configuration could not be written completely");
	return 0;
}
