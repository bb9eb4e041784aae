/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checks that YANG cannot express.
 *
 * It owns the rules that keep a layout well defined (layout rule 1: epochs, pools, weights, limits)
 * and those that keep two things from being one: ids and names, list names, peers. Each check looks
 * at one kind of trouble and returns the first it finds, with the path of the culprit, so that the
 * loader can add the file and the line. Everything here is n log n in pools and elements: a profile
 * with many pools is refused as fast as it was read. It promises layout.c that nothing overflows
 * and that no family is half there. Contradictions of policy are profile_policy.c's, NAT pools
 * profile_nat.c's.
 */
#include "profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "profile_nat.h"
#include "profile_policy.h"

/* Longest unit of each family: a router's FIB ends at /32, a subscriber's at /64. */
static const uint8_t longest_unit[FAMILY_COUNT] = { 32, 64 };

static int
compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static void
sort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	if (count > 1)
		qsort(base, count, size, compare);
}

static uint16_t
last_weight(const struct profile_element *element)
{
	return element->weight_count ? element->weights[element->weight_count - 1].weight : 0;
}

/* Number of units; everything beyond the limit counts as one more than the limit. */
static uint64_t
pool_units(const struct profile_pool *pool)
{
	unsigned bits = (unsigned)(pool->unit_length - pool->prefix.length);

	return bits > 22 ? PROFILE_MAX_UNITS + 1 : UINT64_C(1) << bits;
}

/* ---- checks: one element ---- */

static int
check_weights(const struct profile_group *g, const struct profile_element *e, struct error *err)
{
	if (e->weight_count == 0)
		return error_set(err, -EINVAL,
		    "/group[%s]/element[%s]: the weight list is empty, give at least one weight",
		    g->id, e->id);
	for (size_t i = 0; i < e->weight_count; i++) {
		if (e->weights[i].epoch == PROFILE_EPOCH_NONE ||
		    e->weights[i].weight > PROFILE_MAX_WEIGHT)
			return error_set(err, -EINVAL,
			    "/group[%s]/element[%s]/weight[%u]: %u is above the largest weight %d",
			    g->id, e->id, e->weights[i].epoch, e->weights[i].weight,
			    PROFILE_MAX_WEIGHT);
		if (i && e->weights[i].epoch == e->weights[i - 1].epoch)
			return error_set(err, -EINVAL,
			    "/group[%s]/element[%s]/weight[%u]: the epoch is given twice, keep one",
			    g->id, e->id, e->weights[i].epoch);
	}
	if (e->failed_weight > PROFILE_MAX_WEIGHT)
		return error_set(err, -EINVAL,
		    "/group[%s]/element[%s]/failed-weight: %u is above the largest weight %d",
		    g->id, e->id, e->failed_weight, PROFILE_MAX_WEIGHT);
	if (e->removed && last_weight(e) > 0)
		return error_set(err, -EINVAL,
		    "/group[%s]/element[%s]/weight[%u]: the last weight of a removed element is "
		    "%u, "
		    "add a weight of 0 in a new epoch",
		    g->id, e->id, e->weights[e->weight_count - 1].epoch, last_weight(e));
	return 0;
}

/* A next hop has to be a host somewhere else. */
static bool
is_unicast(const struct ip *ip)
{
	static const struct ip zero[FAMILY_COUNT] = { { .family = FAMILY_IPV4 },
		{ .family = FAMILY_IPV6 } };
	uint8_t multicast = ip->family == FAMILY_IPV4 ? 224 : 255;

	return ip->bytes[0] < multicast && ip_compare(ip, &zero[ip->family]) != 0;
}

static int
check_peers(const struct profile_group *g, const struct profile_element *e, enum family family,
    struct error *err)
{
	char text[IP_TEXT_SIZE];

	for (int s = 0; s < SIDE_COUNT; s++) {
		const struct ip *ip = &e->family[family].peer[s].address;

		if (ip->family != family)
			return error_set(err, -EINVAL,
			    "/group[%s]/element[%s]/%s/%s/peer: %s is not an %s address", g->id,
			    e->id, family_names[family], side_names[s], ip_format(ip, text),
			    family == FAMILY_IPV4 ? "IPv4" : "IPv6");
		if (!is_unicast(ip))
			return error_set(err, -EINVAL,
			    "/group[%s]/element[%s]/%s/%s/peer: %s cannot be a next hop, give the "
			    "element's own address",
			    g->id, e->id, family_names[family], side_names[s], ip_format(ip, text));
	}
	return 0;
}

static int
check_element(const struct profile_group *g, const struct profile_element *e, struct error *err)
{
	int rc = check_weights(g, e, err);

	if (rc == 0 && !e->family[FAMILY_IPV4].present && !e->family[FAMILY_IPV6].present)
		return error_set(err, -EINVAL,
		    "/group[%s]/element[%s]: serves no family, add ipv4, ipv6 or both", g->id,
		    e->id);
	for (int f = 0; rc == 0 && f < FAMILY_COUNT; f++)
		if (e->family[f].present)
			rc = check_peers(g, e, f, err);
	return rc;
}

/* ---- checks: pools ---- */

static int
check_pool(const struct profile *profile, const struct profile_group *g,
    const struct profile_pool *p, struct error *err)
{
	enum family family = p->prefix.address.family;
	const struct prefix *sentinel = &profile->sentinel[family];
	char text[PREFIX_TEXT_SIZE], other[PREFIX_TEXT_SIZE];
	struct prefix parsed;

	prefix_format(&p->prefix, text);
	if (prefix_parse(text, &parsed) < 0)
		return error_set(
		    err, -EINVAL, "/group[%s]/pool[%s]: host bits are set", g->id, text);
	if (p->unit_length < p->prefix.length || p->unit_length > longest_unit[family])
		return error_set(err, -EINVAL,
		    "/group[%s]/pool[%s]/unit-length: %u does not fit, it must be %u..%u", g->id,
		    text, p->unit_length, p->prefix.length, longest_unit[family]);
	if (p->until <= p->since)
		return error_set(err, -EINVAL,
		    "/group[%s]/pool[%s]/until: %u is not after since %u, the pool would never "
		    "exist",
		    g->id, text, p->until, p->since);
	if (prefix_overlaps(&p->prefix, sentinel))
		return error_set(err, -EINVAL,
		    "/group[%s]/pool[%s]: contains the sentinel %s, choose a sentinel that no "
		    "subscriber has",
		    g->id, text, prefix_format(sentinel, other));
	return 0;
}

/* Pools are in prefix order: whatever lies inside one follows it at once. */
static int
check_overlaps(const struct profile_group *g, struct error *err)
{
	char text[PREFIX_TEXT_SIZE], other[PREFIX_TEXT_SIZE];

	for (size_t i = 0; i < g->pool_count; i++) {
		const struct profile_pool *p = &g->pools[i];

		for (size_t j = i + 1; j < g->pool_count; j++) {
			const struct profile_pool *q = &g->pools[j];

			if (!prefix_contains(&p->prefix, &q->prefix))
				break;
			if (p->since < q->until && q->since < p->until)
				return error_set(err, -EINVAL,
				    "/group[%s]/pool[%s]: overlaps pool %s in the same epochs, let "
				    "one end (until) before the other begins (since)",
				    g->id, prefix_format(&q->prefix, text),
				    prefix_format(&p->prefix, other));
		}
	}
	return 0;
}

struct step {
	uint32_t epoch;
	int64_t units; /* that come (or go) at this epoch */
};

static int
compare_steps(const void *a, const void *b)
{
	return compare_numbers(((const struct step *)a)->epoch, ((const struct step *)b)->epoch);
}

/* The most units that exist at one time. */
static int64_t
most_units(const struct profile_group *g, enum family family)
{
	struct step *steps = xcalloc(2 * g->pool_count, sizeof(*steps));
	int64_t now = 0, most = 0;
	size_t n = 0;

	for (size_t i = 0; i < g->pool_count; i++) {
		const struct profile_pool *p = &g->pools[i];
		int64_t units = (int64_t)pool_units(p);

		if (p->prefix.address.family != family)
			continue;
		steps[n++] = (struct step){ p->since, units };
		steps[n++] = (struct step){ p->until, -units };
	}
	sort(steps, n, sizeof(*steps), compare_steps);
	for (size_t i = 0; i < n; i++) {
		now += steps[i].units;
		if (i + 1 == n || steps[i + 1].epoch != steps[i].epoch)
			most = now > most ? now : most;
	}
	free(steps);
	return most;
}

/* ---- checks: one family of a group ---- */

/* The longest lists that can come about: base while all are well, override with everybody else
 * dead. */
static int
check_list_sizes(const struct profile_group *g, enum family family, struct error *err)
{
	uint64_t units = profile_unit_count(g, family), sum = 0;

	for (size_t i = 0; i < g->element_count; i++)
		if (g->elements[i].family[family].present)
			sum += last_weight(&g->elements[i]);
	for (size_t i = 0; i < g->element_count; i++) {
		const struct profile_element *e = &g->elements[i];
		uint64_t share = units * last_weight(e);
		uint64_t base = (share + sum - 1) / sum + 1, override = units - share / sum + 1;

		if (!e->family[family].present || e->removed)
			continue;
		if (base <= PROFILE_MAX_LIST_ENTRIES && override <= PROFILE_MAX_LIST_ENTRIES)
			continue;
		return error_set(err, -EINVAL,
		    "/group[%s]/element[%s]/%s: %s would need %llu entries%s and a prefix-list "
		    "takes "
		    "%d, cut the pools into fewer units (a shorter unit-length)",
		    g->id, e->id, family_names[family],
		    base > override ? e->family[family].base_list : e->family[family].override_list,
		    (unsigned long long)(base > override ? base : override),
		    base > override ? "" : " with all other elements down",
		    PROFILE_MAX_LIST_ENTRIES);
	}
	return 0;
}

static bool
has_pools(const struct profile_group *g, enum family family)
{
	for (size_t i = 0; i < g->pool_count; i++)
		if (g->pools[i].prefix.address.family == family)
			return true;
	return false;
}

static int
check_family(const struct profile_group *g, enum family family, struct error *err)
{
	const char *tag = family == FAMILY_IPV4 ? "IPv4" : "IPv6";
	bool pools = has_pools(g, family), weight = false;
	size_t elements = 0;

	for (size_t i = 0; i < g->element_count; i++) {
		const struct profile_element *e = &g->elements[i];

		elements += e->family[family].present && !e->removed;
		weight |= e->family[family].present && last_weight(e) > 0;
	}
	if (!pools && elements == 0)
		return 0;
	if (!pools)
		return error_set(err, -EINVAL,
		    "/group[%s]: elements serve %s but there is no %s pool, add one or leave %s "
		    "out of "
		    "the elements",
		    g->id, tag, tag, family_names[family]);
	if (elements == 0)
		return error_set(err, -EINVAL,
		    "/group[%s]: there are %s pools but no element serves %s, add %s to the "
		    "elements "
		    "or remove the pools",
		    g->id, tag, tag, family_names[family]);
	if (!weight)
		return error_set(err, -EINVAL,
		    "/group[%s]: no element that serves %s has a last weight above 0, so nobody "
		    "would "
		    "own the units; raise one",
		    g->id, tag);
	if (most_units(g, family) > PROFILE_MAX_UNITS)
		return error_set(err, -EINVAL,
		    "/group[%s]: the %s pools make more than %d units, choose a shorter "
		    "unit-length",
		    g->id, tag, PROFILE_MAX_UNITS);
	return check_list_sizes(g, family, err);
}

/* ---- routing instances ---- */

/* "ID-in" and "ID-out" are what router-config makes, or deletes, for element ID. NULL: neither. */
static const struct profile_element *
find_maker(
    const struct profile *profile, const char *instance, const struct profile_group **ret_group)
{
	const char *suffix = strrchr(instance, '-');
	size_t length = suffix ? (size_t)(suffix - instance) : 0;

	if (!suffix || (strcmp(suffix, "-in") != 0 && strcmp(suffix, "-out") != 0))
		return NULL;
	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];

		for (size_t j = 0; j < g->element_count; j++) {
			const char *id = g->elements[j].id;

			if (strlen(id) != length || strncmp(id, instance, length) != 0)
				continue;
			*ret_group = g;
			return &g->elements[j];
		}
	}
	return NULL;
}

static int
check_instances(const struct profile *profile, const struct profile_group *g,
    const struct profile_element *e, struct error *err)
{
	for (int i = 0; i < FAMILY_COUNT * SIDE_COUNT; i++) {
		int f = i / SIDE_COUNT, s = i % SIDE_COUNT;
		const char *instance = e->family[f].peer[s].instance;
		const struct profile_group *group = NULL;
		const struct profile_element *maker;

		if (!e->family[f].present || e->removed)
			continue;
		maker = find_maker(profile, instance, &group);
		if (maker)
			return error_set(err, -EINVAL,
			    "/group[%s]/element[%s]/%s/%s/instance: router-config makes an "
			    "instance %s of its own for /group[%s]/element[%s] and would replace "
			    "this one, rename the instance or choose another id",
			    g->id, e->id, family_names[f], side_names[s], instance, group->id,
			    maker->id);
	}
	return 0;
}

static int
check_group(const struct profile *profile, const struct profile_group *g, struct error *err)
{
	int rc = 0;

	if (g->element_count == 0 || g->element_count > PROFILE_MAX_ELEMENTS)
		return error_set(err, -EINVAL,
		    "/group[%s]: %zu elements, tombstones included; there must be 1 to %d", g->id,
		    g->element_count, PROFILE_MAX_ELEMENTS);
	for (size_t i = 0; rc == 0 && i < g->element_count; i++)
		rc = check_element(g, &g->elements[i], err);
	for (size_t i = 0; rc == 0 && i < g->element_count; i++)
		rc = check_instances(profile, g, &g->elements[i], err);
	for (size_t i = 0; rc == 0 && i < g->pool_count; i++)
		rc = check_pool(profile, g, &g->pools[i], err);
	if (rc == 0)
		rc = check_overlaps(g, err);
	for (int f = 0; rc == 0 && f < FAMILY_COUNT; f++)
		rc = check_family(g, f, err);
	return rc ? rc : profile_policy_check(profile, g, err);
}

/* ---- checks: things that must be unique over the whole profile ---- */

struct claim {
	char *text; /* owned; the name or address */
	char *path; /* owned; who claims it */
};

struct claims {
	struct claim *items; /* owned */
	size_t count;
	size_t room;
};

static void
claim(struct claims *claims, const char *text, char *path)
{
	if (claims->count == claims->room) {
		claims->room = claims->room ? 2 * claims->room : 64;
		claims->items = xreallocarray(claims->items, claims->room, sizeof(*claims->items));
	}
	claims->items[claims->count++] = (struct claim){ xstrdup(text), path };
}

static bool
is_name(const struct claim *claim)
{
	return strcmp(strrchr(claim->path, '/'), "/name") == 0;
}

/* The second of two equal ones is complained about: rather a name than an id. */
static int
compare_claims(const void *a, const void *b)
{
	const struct claim *p = a, *q = b;
	int order = strcmp(p->text, q->text);

	if (order == 0)
		order = is_name(p) - is_name(q);
	return order ? order : strcmp(p->path, q->path);
}

/* Ends the claims. */
static int
settle(struct claims *claims, struct error *err)
{
	int rc = 0;

	sort(claims->items, claims->count, sizeof(*claims->items), compare_claims);
	for (size_t i = 1; rc == 0 && i < claims->count; i++) {
		const struct claim *first = &claims->items[i - 1], *second = &claims->items[i];

		if (strcmp(first->text, second->text) == 0)
			rc = error_set(err, -EINVAL, "%s: \"%s\" is also %s, choose another",
			    second->path, second->text, first->path);
	}
	for (size_t i = 0; i < claims->count; i++) {
		free(claims->items[i].text);
		free(claims->items[i].path);
	}
	free(claims->items);
	return rc;
}

/* Operators name groups and elements on one command line, so they share one name space. */
static void
claim_names(struct claims *claims, const char *id, const char *name, const char *path)
{
	claim(claims, id, xasprintf("%s/id", path));
	if (strcmp(id, name) != 0)
		claim(claims, name, xasprintf("%s/name", path));
}

/* A tombstone's peers and lists are free for its successor. */
static void
claim_element(struct claims *names, struct claims *lists, struct claims *peers,
    const struct profile_element *e, const char *path)
{
	char text[IP_TEXT_SIZE];

	claim_names(names, e->id, e->name, path);
	for (int f = 0; f < FAMILY_COUNT; f++) {
		const struct profile_element_family *family = &e->family[f];

		if (!family->present || e->removed)
			continue;
		claim(
		    lists, family->base_list, xasprintf("%s/%s/base-list", path, family_names[f]));
		claim(lists, family->override_list,
		    xasprintf("%s/%s/override-list", path, family_names[f]));
		for (int s = 0; s < SIDE_COUNT; s++)
			claim(peers, ip_format(&family->peer[s].address, text),
			    xasprintf("%s/%s/%s/peer", path, family_names[f], side_names[s]));
	}
}

static int
check_uniqueness(const struct profile *profile, struct error *err)
{
	struct claims names = { 0 }, lists = { 0 }, peers = { 0 };
	int rc, rc_lists, rc_peers;

	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];
		char *path = xasprintf("/group[%s]", g->id);

		claim_names(&names, g->id, g->name, path);
		for (size_t j = 0; j < g->element_count; j++) {
			char *inner = xasprintf("%s/element[%s]", path, g->elements[j].id);

			claim_element(&names, &lists, &peers, &g->elements[j], inner);
			free(inner);
		}
		free(path);
	}
	rc = settle(&names, err);
	rc_lists = settle(&lists, rc ? NULL : err);
	rc = rc ? rc : rc_lists;
	rc_peers = settle(&peers, rc ? NULL : err);
	return rc ? rc : rc_peers;
}

static int
check_listeners(const struct profile *profile, struct error *err)
{
	if (!profile_listeners_clash(&profile->bmp, &profile->syslog))
		return 0;
	return error_set(err, -EINVAL,
	    "/syslog/port: %u is the port of bmp, too, and their addresses overlap; choose another",
	    profile->syslog.port);
}

/* ---- interfaces ---- */

struct interface_use {
	const struct profile_group *group;
	enum side side;
	const char *name;
};

static size_t
list_interfaces(const struct profile *profile, struct interface_use *uses)
{
	size_t n = 0;

	for (size_t i = 0; i < profile->group_count; i++) {
		const struct profile_group *g = &profile->groups[i];

		for (size_t j = 0; j < g->inside_interface_count; j++, n++)
			if (uses)
				uses[n] = (struct interface_use){ g, SIDE_INSIDE,
					g->inside_interfaces[j] };
		for (size_t j = 0; j < g->outside_interface_count; j++, n++)
			if (uses)
				uses[n] = (struct interface_use){ g, SIDE_OUTSIDE,
					g->outside_interfaces[j] };
	}
	return n;
}

/* An interface has one input filter per family, and ours ends with an accept. */
static int
check_interfaces(const struct profile *profile, struct error *err)
{
	size_t count = list_interfaces(profile, NULL);
	struct interface_use *uses = xcalloc(count, sizeof(*uses));
	int rc = 0;

	list_interfaces(profile, uses);
	for (size_t i = 1; rc == 0 && i < count; i++)
		for (size_t j = 0; rc == 0 && j < i; j++)
			if (strcmp(uses[i].name, uses[j].name) == 0)
				rc = error_set(err, -EINVAL,
				    "/group[%s]/%s-interface: %s is also in "
				    "/group[%s]/%s-interface, and an interface has one input "
				    "filter per family: give it to one of them",
				    uses[i].group->id, side_names[uses[i].side], uses[i].name,
				    uses[j].group->id, side_names[uses[j].side]);
	free(uses);
	return rc;
}

int
profile_check(const struct profile *profile, struct error *err)
{
	int rc = check_uniqueness(profile, err);

	if (rc == 0)
		rc = check_listeners(profile, err);
	if (rc == 0)
		rc = check_interfaces(profile, err);
	if (rc == 0 && profile->group_count == 0)
		rc = error_set(err, -EINVAL, "/group: there is no group, add one");
	for (size_t i = 0; rc == 0 && i < profile->group_count; i++)
		rc = check_group(profile, &profile->groups[i], err);
	return rc ? rc : profile_nat_check(profile, err);
}
