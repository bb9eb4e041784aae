/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way back where the element translates: the answer carries an address of one of the element's
 * pools, and it is the route of that pool, not a filter, that leads back to the element. Which
 * address the subscriber gets only deterministic NAT tells (nat.h); of the other kinds the whole
 * pool must lead back, so the pool's route is looked up, more specific routes are searched for, and
 * no term of the outside filter may catch any of its addresses.
 */
#include <stdlib.h>
#include <string.h>

#include "nat.h"
#include "trace_internal.h"

/* ---- terms that would catch it ------------------------------------------------------------- */

struct addresses {
	struct ip *items; /* owned */
	size_t count;
};

static void
add_address(struct addresses *addresses, const struct ip *ip)
{
	addresses->items =
	    xreallocarray(addresses->items, addresses->count + 1, sizeof(*addresses->items));
	addresses->items[addresses->count++] = *ip;
}

/* False: there is none behind it. */
static bool
find_next(const struct ip *ip, struct ip *ret_next)
{
	*ret_next = *ip;
	for (unsigned i = family_bits(ip->family) / 8; i-- > 0;)
		if (++ret_next->bytes[i] != 0)
			return true;
	return false;
}

/* Inside the pool, where what the prefix says of an address changes. */
static void
add_edges(struct addresses *edges, const struct prefix *pool, const struct prefix *prefix)
{
	struct ip last = prefix_last(prefix), next;

	if (prefix->length <= pool->length || !prefix_contains(pool, prefix))
		return;
	add_address(edges, &prefix->address);
	if (find_next(&last, &next) && prefix_contains_ip(pool, &next))
		add_address(edges, &next);
}

static void
add_entry(const struct trace_config *config, const struct trace_address *entry,
    const struct prefix *pool, struct addresses *edges)
{
	const struct trace_list *list = entry->list ? trace_config_list(config, entry->list) : NULL;

	if (!entry->list)
		add_edges(edges, pool, &entry->prefix);
	for (size_t i = 0; list && i < list->count; i++)
		add_edges(edges, pool, &list->items[i].prefix);
}

static void
add_term(const struct trace_config *config, const struct trace_term *term,
    const struct prefix *pool, struct addresses *edges)
{
	for (int field = TRACE_DESTINATION; field < TRACE_FIELDS; field++)
		for (size_t i = 0; i < term->from[field].count; i++)
			add_entry(config, &term->from[field].entries[i], pool, edges);
}

/* The first address of every part of the pool that the filters treat alike. */
static struct addresses
list_edges(const struct trace_config *config, const struct trace_binding *binding,
    const struct prefix *pool)
{
	struct addresses edges = { NULL, 0 };

	add_address(&edges, &pool->address);
	for (size_t i = 0; i < binding->filter_count; i++) {
		const struct trace_filter *filter =
		    trace_config_filter(config, binding->family, binding->filters[i]);

		for (size_t t = 0; filter && t < filter->term_count; t++)
			add_term(config, &filter->terms[t], pool, &edges);
	}
	return edges;
}

static void
report_caught(const struct walker *w, const struct trace_leg *leg, const struct ip *address,
    const struct trace_filtered *filtered)
{
	const struct trace_hit *hit = &filtered->hit;
	char pool[PREFIX_TEXT_SIZE], text[PREFIX_TEXT_SIZE];
	bool has_item = hit->has_item && hit->field != TRACE_SOURCE;

	for (size_t i = 0; i < filtered->assumed.count; i++)
		trace_texts_add(&w->trace->assumed, "%s", filtered->assumed.lines[i]);
	if (!hit->filter || (hit->term && hit->term->action == TRACE_ACCEPT))
		return;
	trace_texts_add(&w->trace->faults,
	    "%s%.128s of %.128s would catch addresses of the pool %s: %s%s%.128s",
	    hit->term ? "term " : "the end", hit->term ? hit->term->name : "", hit->filter->name,
	    prefix_format(&leg->pool, pool),
	    has_item ? prefix_format(&hit->item, text) : ip_format(address, text),
	    has_item && hit->list ? " in " : "", has_item && hit->list ? hit->list : "");
}

/* No address of the pool may be steered or dropped by a filter. */
static void
check_filters(const struct walker *w, const struct trace_leg *leg)
{
	struct addresses edges = list_edges(w->input->config, leg->binding, &leg->pool);

	for (size_t i = 0; i < edges.count; i++) {
		const struct trace_packet packet = { leg->packet.source, edges.items[i] };
		struct trace_filtered filtered = { .other_count = 0 };

		trace_filter_walk(w->input->config, leg->binding, &packet, &filtered);
		report_caught(w, leg, &edges.items[i], &filtered);
		trace_filtered_done(&filtered);
	}
	free(edges.items);
}

/* ---- the pool's route ---------------------------------------------------------------------- */

/* A route inside the pool takes its addresses elsewhere. */
static void
check_specifics(const struct walker *w, const struct trace_leg *leg)
{
	const struct trace_routes *routes = w->input->routes;
	const struct trace_route *route = NULL;
	char prefix[PREFIX_TEXT_SIZE];
	size_t group, element;
	enum side side;

	while ((route = trace_routes_below(routes, leg->table, &leg->pool, route))) {
		if (trace_find_hop(w->input, route, leg->side, &group, &element, &side) &&
		    group == leg->group && element == leg->element)
			continue;
		trace_texts_add(&w->trace->faults,
		    "table %s: the route %s inside the pool leads elsewhere", leg->table,
		    prefix_format(&route->prefix, prefix));
	}
}

static void
follow_pool(const struct walker *w, struct trace_leg *leg)
{
	const struct profile_element_family *element = &w->input->profile->groups[leg->group]
	                                                    .elements[leg->element]
	                                                    .family[leg->pool.address.family];
	struct prefix first = prefix_of_ip(&leg->pool.address);
	char text[PREFIX_TEXT_SIZE];
	char *table = trace_table(element->peer[SIDE_OUTSIDE].instance, leg->pool.address.family);

	free(leg->end);
	leg->end = NULL;
	/* An answer for a prefix may leave out a shorter route that covers it: ask for a host too.
	 */
	if (!w->input->answered || !trace_lookups_have(w->input->answered, table, &first))
		trace_lookups_add(&w->trace->wanted, table, &first);
	trace_follow_table(w, leg, table, &leg->pool);
	if (leg->route_is_live)
		check_specifics(w, leg);
	else
		trace_end(leg, TRACE_UNKNOWN,
		    xasprintf("the router's routes for the pool %s in %s are not known",
		        prefix_format(&leg->pool, text), table));
	free(table);
}

static void
follow_nat(const struct walker *w, struct trace_leg *leg)
{
	trace_follow_filters(w, leg);
	if (leg->binding)
		check_filters(w, leg);
	if (leg->fate == TRACE_BYPASS) /* no filter touches it, as it has to be */
		follow_pool(w, leg);
}

/* ---- what the element makes of the address ------------------------------------------------- */

static void
note_pool(struct trace_subscriber *subscriber, const char *element,
    const struct profile_nat_pool *pool, const struct nat_block *block)
{
	char prefix[PREFIX_TEXT_SIZE], address[IP_TEXT_SIZE];

	if (block)
		trace_texts_add(&subscriber->translation,
		    "source becomes %s, ports %u-%u (pool %s, deterministic)",
		    ip_format(&block->address, address), block->first_port, block->last_port,
		    pool->id);
	else
		trace_texts_add(&subscriber->translation,
		    "source becomes one of %s (pool %s, %s): ask %s which",
		    prefix_format(&pool->prefix, prefix), pool->id, nat_kind_names[pool->kind],
		    element);
}

static void
walk_pool(const struct walker *w, const struct trace_leg *leg, const struct trace_leg *from,
    const struct trace_leg *inside, const struct profile_nat_pool *pool,
    const struct nat_block *block)
{
	struct trace_leg back = *leg;

	back.is_nat = true;
	back.pool = pool->prefix;
	back.packet.destination = block ? block->address : pool->prefix.address;
	back.first_port = block ? block->first_port : 0;
	back.last_port = block ? block->last_port : 0;
	back.group = inside->group;
	back.element = inside->element;
	trace_walk_leg(w, &back, from, follow_nat);
}

void
trace_walk_nat(const struct walker *w, const struct trace_leg *leg, const struct trace_leg *from,
    const struct trace_leg *inside)
{
	struct trace_subscriber *subscriber = &w->trace->subscribers[leg->subscriber];
	const struct trace_leg start = inside ? *inside : *leg; /* legs move when one is added */
	const struct profile_element *element;
	const struct profile_element_family *family;
	size_t walked = 0;

	if (!inside)
		return;
	element = &w->input->profile->groups[start.group].elements[start.element];
	family = &element->family[w->trace->family];
	for (size_t i = 0; i < family->nat_pool_count; i++) {
		const struct profile_nat_pool *pool = &family->nat_pools[i];
		bool exact = pool->kind == NAT_DETERMINISTIC;
		struct nat_block block;

		if (exact && nat_translate(pool, &subscriber->address, &block) < 0)
			continue;
		note_pool(subscriber, element->id, pool, exact ? &block : NULL);
		walk_pool(w, leg, from, &start, pool, exact ? &block : NULL);
		walked++;
	}
	if (walked == 0)
		trace_texts_add(&w->trace->faults,
		    "no pool of %s translates the address: the element drops it", element->id);
}
