/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From public addresses to elements and hosts, and back.
 *
 * What the profile tells is arithmetic (nat.c) and holds whatever the health is; who carries a host
 * at the moment is asked of the agent, by the router's lists where they have been read. The two are
 * kept apart in the answer, because the translation of a deterministic pool is evidence for the
 * time when its element carried the host, and for no other. What only the element itself knows is
 * said to be so, never guessed.
 */
#include "northbound_nat.h"

#include <errno.h>
#include <libyang/libyang.h>
#include <stdlib.h>
#include <string.h>

#include "nat.h"
#include "nat_cover.h"
#include "northbound_put.h"
#include "northbound_why.h"

#define put(parent, name, ...) northbound_put(parent, true, name, __VA_ARGS__)

/* ---- the target ---- */

/* Digits only, 1 to 65535; 0: it is none. */
static uint16_t
parse_port(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long value =
	    digits > 0 && digits <= 5 && !text[digits] ? strtoul(text, NULL, 10) : 0;

	return value <= UINT16_MAX ? (uint16_t)value : 0;
}

/* Cuts "ADDRESS:PORT" or "[ADDRESS]:PORT" in two at the colon and returns the port's text; NULL:
 * there is no port. *ret_address begins behind the bracket. */
static char *
cut_port(char *text, char **ret_address)
{
	char *colon = strchr(text, ':');

	*ret_address = text;
	if (*text == '[') {
		char *end = strstr(text, "]:");

		if (!end)
			return NULL;
		*end = '\0';
		*ret_address = text + 1;
		return end + strlen("]:");
	}
	if (!colon || strchr(colon + 1, ':'))
		return NULL; /* none, or an IPv6 address */
	*colon = '\0';
	return colon + 1;
}

int
northbound_nat_parse(const char *text, struct nat_target *ret_target, struct error *err)
{
	char *copy = xstrdup(text), *address;
	const char *port = cut_port(copy, &address);
	struct nat_target target = { .port = port ? parse_port(port) : 0 };
	bool in_brackets = port && *text == '[';
	int rc = prefix_parse(address, &target.prefix);

	if (rc < 0)
		rc = error_set(err, -EINVAL, "\"%.64s\" is not an address or prefix%s", text,
		    rc == -EDOM ? ": it has bits behind its length" : "");
	else if (port && (strchr(address, '/') ||
	                     (in_brackets != (target.prefix.address.family == FAMILY_IPV6))))
		rc = error_set(err, -EINVAL,
		    "\"%.64s\": a port goes with an address, like 192.0.2.1:80 or [2001:db8::1]:80",
		    text);
	else if (port && target.port == 0)
		rc = error_set(
		    err, -EINVAL, "\"%.64s\": \"%.16s\" is no port, 1 to 65535", text, port);
	free(copy);
	if (rc == 0)
		*ret_target = target;
	return rc;
}

/* ---- who carries a host ---- */

/* By the router's lists, or by the layout while they have not been read. */
static uint8_t
read_carrier(const struct northbound_operations *operations, size_t group,
    const struct layout *layout, const struct ip *host)
{
	const uint8_t *effective = operations->effective(operations->arg, group, host->family);
	size_t at = northbound_why_find(layout, host);
	struct layout_piece piece;

	if (at == layout_pieces(layout))
		return LAYOUT_NONE;
	piece = layout_piece(layout, at);
	if (!prefix_contains_ip(&piece.prefix, host))
		return LAYOUT_NONE;
	if (!effective)
		return piece.owner;
	if (operations->effective_at)
		return operations->effective_at(operations->arg, group, host->family, host);
	return effective[piece.unit];
}

/* The element to which the router sends the host now; LAYOUT_NONE: nobody, or it is no subscriber
 * of the group. */
static uint8_t
find_carrier(const struct northbound_query *query, size_t group, const struct ip *host)
{
	const struct northbound_operations *operations = query->operations;
	const struct status *status = operations->status(operations->arg);
	const struct layout *layout = NULL;
	uint8_t carrier = LAYOUT_NONE;
	bool is_owned = false;

	if (!status->groups[group].family[host->family].present)
		return LAYOUT_NONE;
	if (operations->layout(
	        operations->arg, group, host->family, NULL, 0, &layout, &is_owned, NULL) == 0 &&
	    layout)
		carrier = read_carrier(operations, group, layout, host);
	if (is_owned)
		layout_free((struct layout *)layout);
	return carrier;
}

/* ---- the answer ---- */

/* One question, and the place that is being looked at. */
struct search {
	struct northbound_query *query;
	struct nat_target target;
	bool is_address;
	size_t found; /* pools that contain it, or lie in it */
	size_t group;
	const struct profile_group *g;
	size_t element;
	const struct profile_element *e;
};

static struct lyd_node *
put_pool(const struct search *search, const struct profile_nat_pool *pool, bool inside)
{
	enum family family = search->target.prefix.address.family;
	struct lyd_node *node = NULL;
	char text[PREFIX_TEXT_SIZE];

	if (lyd_new_list(search->query->output, NULL, "nat", true, &node, search->g->id,
	        search->e->id, family_names[family], pool->id) != LY_SUCCESS)
		return NULL;
	put(node, "prefix", "%s", prefix_format(&pool->prefix, text));
	put(node, "kind", "%s", nat_kind_names[pool->kind]);
	put(node, "inside", "%s", inside ? "true" : "false");
	return node;
}

static void
put_ip(struct lyd_node *node, const char *name, const struct ip *ip)
{
	char text[IP_TEXT_SIZE];

	put(node, name, "%s", ip_format(ip, text));
}

/* What only the element knows. */
static void
put_unknown(const struct search *search, struct lyd_node *node, const struct profile_nat_pool *pool)
{
	if (pool->kind == NAT_PBA)
		put(node, "note", "blocks are given on demand: the log of %s says which",
		    search->e->id);
	else
		put(node, "note", "addresses and ports are given on demand: ask %s", search->e->id);
}

/* A translation is true while its element carries the host. */
static void
put_carrier(const struct search *search, struct lyd_node *node, const struct ip *host)
{
	uint8_t carrier = find_carrier(search->query, search->group, host);
	char text[IP_TEXT_SIZE];

	if (carrier == search->element)
		return;
	ip_format(host, text);
	if (carrier < search->g->element_count)
		put(node, "note", "%s carries %s now: the answer is for when %s carries it",
		    search->g->elements[carrier].id, text, search->e->id);
	else
		put(node, "note", "nobody carries %s now", text);
}

static void
put_host(const struct search *search, struct lyd_node *node, const struct profile_nat_pool *pool)
{
	const struct ip *address = &search->target.prefix.address;
	struct ip first, last;

	if (search->target.port && nat_host_of(pool, address, search->target.port, &first) == 0) {
		put_ip(node, "host", &first);
		put_carrier(search, node, &first);
	} else if (search->target.port) {
		put(node, "note",
		    "no host has port %u: blocks of %u ports begin at %d, one for each host of the "
		    "rule",
		    search->target.port, pool->block_size, NAT_FIRST_PORT);
	} else if (nat_hosts_of(pool, address, &first, &last) == 0) {
		put_ip(node, "first-host", &first);
		put_ip(node, "last-host", &last);
		put(node, "note", "which of them, the port tells");
	} else {
		put(node, "note", "no host of the rule has this address");
	}
}

static void
put_public(struct search *search, const struct profile_nat_pool *pool)
{
	struct lyd_node *node;

	if (!prefix_overlaps(&pool->prefix, &search->target.prefix))
		return;
	search->found++;
	node = put_pool(search, pool, false);
	if (!node || !search->is_address)
		return;
	if (pool->kind == NAT_DETERMINISTIC)
		put_host(search, node, pool);
	else
		put_unknown(search, node, pool);
}

static void
search_public(struct search *search)
{
	enum family family = search->target.prefix.address.family;

	for (search->element = 0; search->element < search->g->element_count; search->element++) {
		const struct profile_element_family *f;

		search->e = &search->g->elements[search->element];
		f = &search->e->family[family];
		for (size_t i = 0; !search->e->removed && i < f->nat_pool_count; i++)
			put_public(search, &f->nat_pools[i]);
	}
}

/* ---- of a host ---- */

static const struct profile_nat_pool *
find_rule(
    const struct profile_element_family *family, const struct ip *host, struct nat_block *ret_block)
{
	for (size_t i = 0; i < family->nat_pool_count; i++)
		if (family->nat_pools[i].kind == NAT_DETERMINISTIC &&
		    nat_translate(&family->nat_pools[i], host, ret_block) == 0)
			return &family->nat_pools[i];
	return NULL;
}

static void
put_block(
    const struct search *search, const struct profile_nat_pool *pool, const struct nat_block *block)
{
	struct lyd_node *node = put_pool(search, pool, true);

	if (!node)
		return;
	put_ip(node, "public", &block->address);
	put(node, "first-port", "%u", block->first_port);
	put(node, "last-port", "%u", block->last_port);
}

/* Every pool that may translate a host without a rule; a deterministic one says that it does not.
 */
static void
put_without_rule(const struct search *search, const struct profile_nat_pool *pool)
{
	enum family family = search->target.prefix.address.family;
	struct lyd_node *node = put_pool(search, pool, true);

	if (!node)
		return;
	if (pool->kind != NAT_DETERMINISTIC)
		put_unknown(search, node, pool);
	else if (nat_covers(&search->e->family[family], &search->target.prefix))
		put(node, "note", "the host is not covered by the rule of %s: another pool is used",
		    search->e->id);
	else
		put(node, "note", "the host is not covered by the rule of %s: not translated",
		    search->e->id);
}

static void
search_inside(struct search *search)
{
	const struct ip *host = &search->target.prefix.address;
	const struct profile_element_family *family;
	const struct profile_nat_pool *rule;
	struct nat_block block;
	uint8_t carrier;

	if (search->g->return_path[host->family] != RETURN_NAT_ROUTES)
		return;
	carrier = find_carrier(search->query, search->group, host);
	if (carrier >= search->g->element_count)
		return;
	search->element = carrier;
	search->e = &search->g->elements[carrier];
	family = &search->e->family[host->family];
	rule = find_rule(family, host, &block);
	if (rule)
		put_block(search, rule, &block);
	for (size_t i = 0; !rule && i < family->nat_pool_count; i++)
		put_without_rule(search, &family->nat_pools[i]);
}

/* ---- the whole ---- */

static int
answer(struct northbound_query *query, const struct nat_target *target, struct error *err)
{
	const struct profile *profile = query->operations->profile(query->operations->arg);
	struct search search = { .query = query, .target = *target };
	char text[PREFIX_TEXT_SIZE];

	search.is_address = target->prefix.length == family_bits(target->prefix.address.family);
	for (search.group = 0; search.group < profile->group_count; search.group++) {
		search.g = &profile->groups[search.group];
		search_public(&search);
		if (search.is_address && !target->port)
			search_inside(&search);
	}
	if (!target->port || search.found > 0)
		return 0;
	query->app_tag = "bad-target";
	return error_set(err, -EINVAL, "%s is in no NAT pool: ask for it without a port",
	    ip_format(&target->prefix.address, text));
}

int
northbound_nat_where(struct northbound_query *query, struct error *err)
{
	struct nat_target target;
	int rc = northbound_nat_parse(northbound_input_text(query->input, "target"), &target, err);

	if (rc < 0) {
		query->app_tag = "bad-target";
		return rc;
	}
	rc = northbound_query_where(query, &target.prefix, err);
	return rc ? rc : answer(query, &target, err);
}
