/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The legs together: do both directions of each subscriber cross the same element, and by which
 * list did the packet get there? Whatever makes a flow die or pass an element by is a fault, one
 * sentence each; what only deserves a look is a note.
 */
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

const char *const trace_why_names[] = { "none", "base", "override", "foreign" };

static const char *
get_id(const struct trace *trace, const struct trace_leg *leg)
{
	return trace->profile->groups[leg->group].elements[leg->element].id;
}

static const struct profile_group *
get_group(const struct trace *trace, size_t subscriber)
{
	return &trace->profile->groups[trace->subscribers[subscriber].group];
}

/* ---- why there ----------------------------------------------------------------------------- */

/* By the router's base lists: the first in the order of the elements. */
static size_t
find_base(const struct walker *w, const struct trace_subscriber *subscriber)
{
	const struct profile_group *group = &w->input->profile->groups[subscriber->group];

	for (size_t e = 0; e < group->element_count; e++) {
		const struct profile_element_family *family =
		    trace_family(&group->elements[e], w->trace->family);
		const struct trace_list *list =
		    family ? trace_config_list(w->input->config, family->base_list) : NULL;

		if (list && trace_list_longest(list, &subscriber->address))
			return e;
	}
	return TRACE_NOBODY;
}

/* Who the list says, and who the next hop is, should be one. */
static void
explain(const struct walker *w, const struct trace_leg *leg)
{
	struct trace_subscriber *subscriber = &w->trace->subscribers[leg->subscriber];
	const struct trace_hit *hit = &leg->filtered.hit;
	const struct profile_group *group = get_group(w->trace, leg->subscriber);
	size_t element;
	bool override;

	if (leg->fate != TRACE_TO_ELEMENT || leg->is_nat || !hit->term)
		return;
	if (!hit->list ||
	    !trace_list_owner(group, w->trace->family, hit->list, &element, &override)) {
		subscriber->why = TRACE_WHY_FOREIGN;
		return;
	}
	subscriber->why = override ? TRACE_WHY_OVERRIDE : TRACE_WHY_BASE;
	subscriber->is_piece = hit->item.length > subscriber->unit.length;
	if (leg->element != element || &w->input->profile->groups[leg->group] != group)
		trace_texts_add(&w->trace->faults,
		    "term %.128s looks at %.128s, a list of %s, and sends to %s", hit->term->name,
		    hit->list, group->elements[element].id, get_id(w->trace, leg));
}

/* Two lists of one layer with the same address: an override that differs from the base is normal.
 */
static void
note_others(const struct walker *w, const struct trace_leg *leg)
{
	const struct profile_group *group = get_group(w->trace, leg->subscriber);
	const struct trace_hit *hit = &leg->filtered.hit;
	bool override, is_override = false;
	char text[PREFIX_TEXT_SIZE];
	size_t element;

	if (hit->list)
		(void)trace_list_owner(group, w->trace->family, hit->list, &element, &is_override);
	for (size_t i = 0; i < leg->filtered.other_count; i++) {
		const struct trace_hit *other = &leg->filtered.others[i];

		if (!other->list ||
		    (trace_list_owner(group, w->trace->family, other->list, &element, &override) &&
		        override != is_override))
			continue;
		trace_texts_add(&w->trace->notes,
		    "in two lists: %.128s decides, for term %.128s comes first; also in %.128s "
		    "(%s)",
		    hit->list ? hit->list : "a prefix", hit->term->name, other->list,
		    prefix_format(&other->item, text));
	}
}

/* ---- faults -------------------------------------------------------------------------------- */

/* A list that has nothing but sentinels can match nobody. */
static bool
is_hollow(const struct walker *w, const struct trace_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].prefix.address.family == w->trace->family &&
		    prefix_compare(&list->items[i].prefix,
		        &w->input->profile->sentinel[w->trace->family]) != 0)
			return false;
	return true;
}

/* The address is in none of the lists: which of them are empty explains it best. */
static void
note_lists(const struct walker *w, size_t subscriber)
{
	const struct profile_group *group = get_group(w->trace, subscriber);

	if (w->trace->subscribers[subscriber].base != TRACE_NOBODY)
		return;
	for (size_t e = 0; e < group->element_count; e++) {
		const struct profile_element_family *family =
		    trace_family(&group->elements[e], w->trace->family);
		const struct trace_list *list =
		    family ? trace_config_list(w->input->config, family->base_list) : NULL;

		if (family && !list)
			trace_texts_add(
			    &w->trace->notes, "the list %s is not defined", family->base_list);
		else if (list && is_hollow(w, list))
			trace_texts_add(
			    &w->trace->notes, "the list %s holds no subscriber", family->base_list);
	}
}

static void
judge_leg(const struct walker *w, const struct trace_leg *leg)
{
	for (size_t i = 0; i < leg->filtered.doubts.count; i++)
		trace_texts_add(&w->trace->notes, "%s", leg->filtered.doubts.lines[i]);
	for (size_t i = 0; i < leg->filtered.assumed.count; i++)
		trace_texts_add(&w->trace->assumed, "%s", leg->filtered.assumed.lines[i]);
	if (leg->fate == TRACE_TO_ELEMENT)
		return;
	trace_texts_add(&w->trace->faults, "%s%s%s: %s",
	    leg->is_answer ? "the answer" : "the packet", leg->interface ? " at " : "",
	    leg->interface ? leg->interface : "", leg->end);
	if (leg->fate == TRACE_DROPPED || leg->fate == TRACE_BYPASS)
		note_lists(w, leg->subscriber);
}

/* What the filters of an interface do to a packet that has to get through it, in or out. */
static void
judge_passage(const struct walker *w, const struct trace_leg *leg, enum side side, bool output,
    const struct trace_packet *packet)
{
	const char *facing = trace_facing(w->input, leg->group, leg->element, side);
	const struct trace_binding *binding =
	    facing ? trace_config_binding(w->input->config, facing, w->trace->family, output)
	           : NULL;
	struct trace_filtered filtered = { .other_count = 0 };
	const struct trace_term *term;

	if (!binding)
		return;
	trace_filter_walk(w->input->config, binding, packet, &filtered);
	term = filtered.hit.term;
	if (!term || term->action != TRACE_ACCEPT)
		trace_texts_add(&w->trace->faults, "what %s %s at %s does not get on: %s%s of %s",
		    output ? "goes to" : "comes out of", get_id(w->trace, leg), facing,
		    term ? "term " : "the end", term ? term->name : "",
		    filtered.hit.filter ? filtered.hit.filter->name : "an undefined filter");
	for (size_t i = 0; i < filtered.assumed.count; i++)
		trace_texts_add(&w->trace->assumed, "%s", filtered.assumed.lines[i]);
	trace_filtered_done(&filtered);
}

/* What comes out on the outside for the Internet. Of a translating element that is an address of a
 * pool: the one that an answer is walked for. */
static void
judge_outside(const struct walker *w, const struct trace_leg *leg)
{
	struct trace_packet packet = leg->packet;

	if (!w->trace->subscribers[leg->subscriber].is_nat) {
		judge_passage(w, leg, SIDE_OUTSIDE, false, &packet);
		return;
	}
	for (size_t i = 0; i < w->trace->leg_count; i++)
		if (w->trace->legs[i].is_nat) {
			packet.source = w->trace->legs[i].packet.destination;
			judge_passage(w, leg, SIDE_OUTSIDE, false, &packet);
		}
}

/* On its way to the element it passes output filters; what comes out on the other side must be let
 * through there, for a filter that steers it would send it into an element again. Where that is the
 * next leg itself it is walked already. */
static void
judge_exit(const struct walker *w, const struct trace_leg *leg)
{
	struct trace_packet packet = leg->packet;

	if (leg->fate != TRACE_TO_ELEMENT)
		return;
	judge_passage(w, leg, leg->side, true, &packet);
	if (leg->side == SIDE_OUTSIDE) { /* untranslated, where the element had translated */
		packet.destination = w->trace->subscribers[leg->subscriber].address;
		judge_passage(w, leg, SIDE_INSIDE, false, &packet);
	} else if (w->trace->subscriber_count == 1) {
		judge_outside(w, leg);
	} else { /* where it comes out is the element's own routing */
		trace_texts_add(&w->trace->assumed,
		    "%s sends it out on its outside; with routes for subscribers on its inside it "
		    "would turn it back there",
		    get_id(w->trace, leg));
	}
}

/* All legs of a subscriber that go to an element go to one. */
static void
judge_elements(const struct walker *w, size_t subscriber)
{
	const struct trace *trace = w->trace;
	const struct trace_leg *first = trace_first_leg(trace, subscriber);
	char text[IP_TEXT_SIZE];

	for (size_t i = 0; first && i < trace->leg_count; i++) {
		const struct trace_leg *leg = &trace->legs[i];

		if (leg->subscriber != subscriber || leg->fate != TRACE_TO_ELEMENT ||
		    (leg->group == first->group && leg->element == first->element))
			continue;
		trace_texts_add(&w->trace->faults,
		    "%s: from the %s (%s) to %s, but from the %s (%s) to %s",
		    ip_format(&trace->subscribers[subscriber].address, text),
		    side_names[first->side], first->interface ? first->interface : "any interface",
		    get_id(trace, first), side_names[leg->side],
		    leg->interface ? leg->interface : "any interface", get_id(trace, leg));
	}
}

void
trace_judge(const struct walker *w)
{
	struct trace *trace = w->trace;

	for (size_t i = 0; i < trace->subscriber_count; i++)
		trace->subscribers[i].base = find_base(w, &trace->subscribers[i]);
	for (size_t i = 0; i < trace->leg_count; i++) {
		const struct trace_leg *leg = &trace->legs[i];

		judge_leg(w, leg);
		judge_exit(w, leg);
		note_others(w, leg);
		if (trace->subscribers[leg->subscriber].why == TRACE_WHY_NONE)
			explain(w, leg);
	}
	for (size_t i = 0; i < trace->subscriber_count; i++)
		judge_elements(w, i);
	for (size_t i = 0; i < w->input->config->doubts.count; i++)
		trace_texts_add(&trace->notes, "%s", w->input->config->doubts.lines[i]);
}

bool
trace_is_good(const struct trace *trace)
{
	return trace->faults.count == 0 && trace->leg_count > 0;
}
