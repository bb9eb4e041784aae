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

/* An address of the pool that the term takes by destination; NULL: none. */
static const struct trace_item *
find_caught(const struct trace_config *config, const struct trace_term *term,
    const struct prefix *pool, const char **ret_list)
{
	const struct trace_condition *condition = &term->from[TRACE_DESTINATION];

	for (size_t i = 0; i < condition->count; i++) {
		const struct trace_address *entry = &condition->entries[i];
		const struct trace_list *list =
		    entry->list ? trace_config_list(config, entry->list) : NULL;
		const struct trace_item *item =
		    list && !entry->except ? trace_list_overlap(list, pool) : NULL;

		if (!item)
			continue;
		*ret_list = list->name;
		return item;
	}
	return NULL;
}

static void
check_terms(const struct walker *w, const struct trace_leg *leg, const struct prefix *pool)
{
	for (size_t i = 0; i < leg->binding->filter_count; i++) {
		const struct trace_filter *filter = trace_config_filter(
		    w->input->config, leg->binding->family, leg->binding->filters[i]);

		for (size_t t = 0; filter && t < filter->term_count; t++) {
			const struct trace_term *term = &filter->terms[t];
			char prefix[PREFIX_TEXT_SIZE], text[PREFIX_TEXT_SIZE];
			const struct trace_item *item;
			const char *list = "";

			if (!trace_term_steers(term) && term->action != TRACE_DISCARD &&
			    term->action != TRACE_REJECT)
				continue;
			item = find_caught(w->input->config, term, pool, &list);
			if (item)
				trace_texts_add(&w->trace->faults,
				    "term %.128s of %.128s would catch addresses of the pool %s: "
				    "%s "
				    "in %.128s",
				    term->name, filter->name, prefix_format(pool, prefix),
				    prefix_format(&item->prefix, text), list);
		}
	}
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
		if (route->kind == TRACE_ROUTE_NEXT_HOP &&
		    trace_find_element(
		        w->input->profile, &route->next_hop, &group, &element, &side) &&
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
		check_terms(w, leg, &leg->pool);
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
