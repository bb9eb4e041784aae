/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Junos' rules for a filter, for the addresses of a packet: terms in order, the first whose
 * conditions all hold decides; all entries for one address are one set in which the longest match
 * counts, and what no entry names does not match ("0.0.0.0/0 except" is implied, Junos, "Firewall
 * Filter Match Conditions Based on Address Fields"); a term without action accepts; where no term
 * matches, the packet is discarded. A list that is empty or not there matches nothing: that Junos
 * sees it so is not documented, so it is said as a doubt.
 *
 * This shares no code with the agent's plan.c and with the lab's forwarding plane on purpose: it is
 * the judge of both.
 */
#include "trace_filter.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

struct walk {
	const struct trace_config *config;
	const struct trace_packet *packet;
	struct trace_filtered *filtered;
};

/* What an entry has for the address; -1: nothing, else the bits of the match. */
static int
match_entry(const struct walk *walk, const struct trace_term *term,
    const struct trace_address *entry, const struct ip *ip, struct trace_hit *ret_hit)
{
	const struct trace_list *list;
	const struct trace_item *item;

	if (!entry->list) {
		if (!prefix_contains_ip(&entry->prefix, ip))
			return -1;
		ret_hit->item = entry->prefix;
		return entry->prefix.length;
	}
	list = trace_config_list(walk->config, entry->list);
	if (!list && *entry->list)
		trace_texts_add(&walk->filtered->doubts,
		    "term %.128s: the list %.128s is not defined; taken for one that matches "
		    "nothing",
		    term->name, entry->list);
	item = list ? trace_list_longest(list, ip) : NULL;
	if (!item)
		return -1;
	ret_hit->item = item->prefix;
	ret_hit->ephemeral = item->ephemeral;
	ret_hit->list = list->name;
	return item->prefix.length;
}

/* The longest match of all entries; at equal length an exception wins. */
static bool
match_address(const struct walk *walk, const struct trace_term *term, enum trace_field field,
    const struct ip *ip, struct trace_hit *hit)
{
	const struct trace_condition *condition = &term->from[field];
	bool except = true;
	int best = -1;

	for (size_t i = 0; i < condition->count; i++) {
		struct trace_hit found = *hit;
		int bits = match_entry(walk, term, &condition->entries[i], ip, &found);

		if (bits < best || bits < 0 || (bits == best && !condition->entries[i].except))
			continue;
		best = bits;
		except = condition->entries[i].except;
		found.field = field;
		found.has_item = true;
		*hit = found;
	}
	return best >= 0 && !except;
}

static bool
match_field(
    const struct walk *walk, const struct trace_term *term, int field, struct trace_hit *hit)
{
	const struct trace_packet *packet = walk->packet;
	struct trace_hit found = *hit;
	bool matches = term->from[field].count == 0;

	if (matches)
		return true;
	if (field != TRACE_DESTINATION)
		matches = match_address(walk, term, field, &packet->source, &found);
	if (!matches && field != TRACE_SOURCE) {
		found = *hit;
		matches = match_address(walk, term, field, &packet->destination, &found);
	}
	if (matches && !hit->has_item)
		*hit = found;
	return matches;
}

static bool
match_term(const struct walk *walk, const struct trace_term *term, struct trace_hit *hit)
{
	for (int field = 0; field < TRACE_FIELDS; field++)
		if (!match_field(walk, term, field, hit))
			return false;
	return true;
}

/* The term sends what it matches to a next hop of its own. */
static bool
is_steering(const struct trace_term *term)
{
	return term->action == TRACE_INSTANCE || term->action == TRACE_NEXT_IP ||
	       term->action == TRACE_NEXT_INTERFACE;
}

static void
add_other(struct trace_filtered *filtered, const struct trace_hit *hit)
{
	const struct trace_term *first = filtered->hit.term;

	if (!is_steering(hit->term) ||
	    (first->target && hit->term->target && strcmp(first->target, hit->term->target) == 0))
		return;
	filtered->others =
	    xreallocarray(filtered->others, filtered->other_count + 1, sizeof(*filtered->others));
	filtered->others[filtered->other_count++] = *hit;
}

static void
walk_filter(const struct walk *walk, const struct trace_filter *filter)
{
	struct trace_filtered *filtered = walk->filtered;

	for (size_t i = 0; i < filter->term_count; i++) {
		const struct trace_term *term = &filter->terms[i];
		struct trace_hit hit = { .filter = filter, .term = term };

		if (!match_term(walk, term, &hit) || term->action == TRACE_NEXT_TERM)
			continue;
		if (term->other && !filtered->hit.term)
			trace_texts_add(
			    &filtered->assumed, "term %.128s: not %.512s", term->name, term->other);
		if (term->other)
			continue;
		if (!filtered->hit.term)
			filtered->hit = hit;
		else
			add_other(filtered, &hit);
	}
}

void
trace_filter_walk(const struct trace_config *config, const struct trace_binding *binding,
    const struct trace_packet *packet, struct trace_filtered *ret_filtered)
{
	struct walk walk = { config, packet, ret_filtered };

	*ret_filtered = (struct trace_filtered){ .other_count = 0 };
	for (size_t i = 0; i < binding->filter_count; i++) {
		const struct trace_filter *filter =
		    trace_config_filter(config, binding->family, binding->filters[i]);

		if (filter) {
			walk_filter(&walk, filter);
			if (!ret_filtered->hit.filter)
				ret_filtered->hit.filter = filter;
			continue;
		}
		trace_texts_add(&ret_filtered->doubts,
		    "%.64s applies the filter %.128s, which is not defined", binding->interface,
		    binding->filters[i]);
	}
}

void
trace_filtered_done(struct trace_filtered *filtered)
{
	free(filtered->others);
	trace_texts_done(&filtered->assumed);
	trace_texts_done(&filtered->doubts);
	*filtered = (struct trace_filtered){ .other_count = 0 };
}
