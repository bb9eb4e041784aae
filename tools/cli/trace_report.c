/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A walk for people: the verdict in one line, then each leg as the packet takes it, then for each
 * subscriber why it is there and who is next, then what is wrong. What could not be judged is said,
 * never left out.
 */
#include "trace_report.h"

#include <stdlib.h>
#include <string.h>

#include "screen.h"
#include "tree.h"

enum { TAG_WIDTH = 9 };

static const char *
get_id(const struct trace *trace, const struct trace_leg *leg)
{
	return trace->profile->groups[leg->group].elements[leg->element].id;
}

const char *
trace_verdict(const struct trace *trace)
{
	for (size_t i = 0; i < trace->leg_count; i++)
		if (trace->legs[i].fate != TRACE_TO_ELEMENT)
			return trace_fate_names[trace->legs[i].fate];
	for (size_t i = 0; i < trace->leg_count; i++) {
		const struct trace_leg *leg = &trace->legs[i];
		const struct trace_leg *first = trace_first_leg(trace, leg->subscriber);

		if (leg->group != first->group || leg->element != first->element)
			return "different-elements";
	}
	return trace_is_good(trace) ? "same-element" : "fault";
}

/* ---- the first line ------------------------------------------------------------------------ */

static void
print_good(const struct screen *screen, const struct trace *trace)
{
	const struct trace_leg *first = trace_first_leg(trace, 0);
	const struct trace_leg *second =
	    trace->subscriber_count > 1 ? trace_first_leg(trace, 1) : NULL;

	if (!second)
		screen_wrap(
		    screen, "OK", TAG_WIDTH, "both directions cross %s", get_id(trace, first));
	else if (first->group == second->group && first->element == second->element)
		screen_wrap(screen, "OK", TAG_WIDTH, "both directions cross %s, twice each",
		    get_id(trace, first));
	else
		screen_wrap(screen, "OK", TAG_WIDTH, "both directions cross %s and %s",
		    get_id(trace, first), get_id(trace, second));
}

static void
print_verdict(const struct screen *screen, const struct trace *trace)
{
	if (trace_is_good(trace))
		print_good(screen, trace);
	for (size_t i = 0; i < trace->faults.count; i++)
		screen_wrap(screen, "FAULT", TAG_WIDTH, "%s", trace->faults.lines[i]);
}

/* ---- legs ---------------------------------------------------------------------------------- */

static void
print_way(const struct screen *screen, const struct trace_leg *leg)
{
	char source[IP_TEXT_SIZE], destination[PREFIX_TEXT_SIZE], more[32] = "";

	ip_format(&leg->packet.source, source);
	if (leg->is_nat)
		prefix_format(&leg->pool, destination);
	else
		ip_format(&leg->packet.destination, destination);
	if (leg->more_interfaces > 0)
		snprintf(more, sizeof(more), " and %zu more", leg->more_interfaces);
	fputc('\n', screen->out);
	screen_wrap(screen, leg->is_answer ? "ANSWER" : "PACKET", TAG_WIDTH, "%s -> %s, at %s%s%s",
	    source, destination, side_names[leg->side], leg->interface ? " interface " : "",
	    leg->interface ? leg->interface : "");
	if (*more)
		screen_wrap(screen, "", TAG_WIDTH, "(%s that act alike)", more + 1);
}

static void
print_filter(const struct screen *screen, const struct trace_leg *leg)
{
	const struct trace_hit *hit = &leg->filtered.hit;
	char prefix[PREFIX_TEXT_SIZE];
	static const char *const fields[] = { "source", "destination", "address" };

	if (!hit->filter)
		return;
	if (!hit->term || !hit->has_item)
		screen_wrap(screen, "filter", TAG_WIDTH, "%s, %s%s", hit->filter->name,
		    hit->term ? "term " : "no term matches", hit->term ? hit->term->name : "");
	else
		screen_wrap(screen, "filter", TAG_WIDTH, "%s, term %s: %s in %s %s%s",
		    hit->filter->name, hit->term->name, fields[hit->field],
		    hit->list ? hit->list : "the term's own", prefix_format(&hit->item, prefix),
		    hit->ephemeral ? " (ephemeral)" : "");
}

static void
print_route(const struct screen *screen, const struct trace_leg *leg)
{
	char prefix[PREFIX_TEXT_SIZE], hop[IP_TEXT_SIZE];
	const struct trace_route *route = leg->route;

	if (!route)
		return;
	screen_wrap(screen, "route", TAG_WIDTH, "%s %s, %s to %s (%s)", leg->table,
	    prefix_format(&route->prefix, prefix), route->protocol ? route->protocol : "?",
	    route->kind == TRACE_ROUTE_NEXT_HOP  ? ip_format(&route->next_hop, hop)
	    : route->kind == TRACE_ROUTE_DISCARD ? "discard"
	    : route->kind == TRACE_ROUTE_REJECT  ? "reject"
	    : route->via                         ? route->via
	                                         : "?",
	    leg->route_is_live ? "active" : "as configured");
}

static void
print_leg(const struct screen *screen, const struct trace_leg *leg)
{
	print_way(screen, leg);
	print_filter(screen, leg);
	print_route(screen, leg);
	screen_wrap(
	    screen, leg->fate == TRACE_TO_ELEMENT ? "element" : "end", TAG_WIDTH, "%s", leg->end);
}

/* ---- subscribers --------------------------------------------------------------------------- */

/* "displaced: the base is fbf-01, DOWN since ...", or the router's base list is another one's. */
static void
print_override(const struct screen *screen, const struct trace *trace,
    const struct trace_agent *agent, size_t index)
{
	const struct trace_subscriber *subscriber = &trace->subscribers[index];
	const struct profile_group *group = &trace->profile->groups[subscriber->group];
	const char *cause = trace_agent_cause(trace, agent, index);
	char *state;

	if (subscriber->base == TRACE_NOBODY) {
		screen_wrap(screen, "why", TAG_WIDTH, "override: it is in no base list");
		return;
	}
	if (strcmp(cause, "base-drift") == 0) {
		screen_wrap(screen, "why", TAG_WIDTH,
		    "base drift: by the profile this is its base, the router's base lists say %s",
		    group->elements[subscriber->base].id);
		return;
	}
	state = trace_agent_describe(trace, agent, subscriber->group, subscriber->base);
	screen_wrap(screen, "why", TAG_WIDTH, "%s: the base is %s%s%s%s", cause,
	    group->elements[subscriber->base].id, state ? ", " : "", state ? state : "",
	    strcmp(cause, "rebalanced") == 0 ? ", which is up; shares are kept even" : "");
	free(state);
}

static void
print_why(const struct screen *screen, const struct trace *trace, const struct trace_agent *agent,
    size_t index)
{
	const struct trace_subscriber *subscriber = &trace->subscribers[index];
	char prefix[PREFIX_TEXT_SIZE];

	if (subscriber->why == TRACE_WHY_BASE)
		screen_wrap(screen, "why", TAG_WIDTH, "this is its base");
	else if (subscriber->why == TRACE_WHY_OVERRIDE)
		print_override(screen, trace, agent, index);
	else if (subscriber->why == TRACE_WHY_FOREIGN)
		screen_wrap(screen, "why", TAG_WIDTH, "by a list that is none of the profile's");
	if (subscriber->is_piece)
		screen_wrap(screen, "", TAG_WIDTH, "a piece of the unit %s, which is split",
		    prefix_format(&subscriber->unit, prefix));
}

static void
print_subscriber(const struct screen *screen, const struct trace *trace,
    const struct trace_agent *agent, size_t index)
{
	const struct trace_subscriber *subscriber = &trace->subscribers[index];
	char address[IP_TEXT_SIZE], unit[PREFIX_TEXT_SIZE];

	fputc('\n', screen->out);
	screen_wrap(screen, "WHO", TAG_WIDTH, "%s, unit %s of group %s",
	    ip_format(&subscriber->address, address), prefix_format(&subscriber->unit, unit),
	    trace->profile->groups[subscriber->group].id);
	print_why(screen, trace, agent, index);
	for (size_t i = 0; i < subscriber->translation.count; i++)
		screen_wrap(screen, "nat", TAG_WIDTH, "%s", subscriber->translation.lines[i]);
	if (tree_has(agent->match[index], "standby"))
		screen_wrap(screen, "next", TAG_WIDTH, "%s would take over",
		    tree_text(agent->match[index], "standby"));
}

void
trace_report_text(const struct trace *trace, const struct trace_agent *agent, FILE *out)
{
	struct screen screen;

	screen_init(&screen, out, false, agent->state);
	print_verdict(&screen, trace);
	for (size_t i = 0; i < trace->leg_count; i++)
		print_leg(&screen, &trace->legs[i]);
	for (size_t i = 0; i < trace->subscriber_count; i++)
		print_subscriber(&screen, trace, agent, i);
	if (trace->notes.count + trace->assumed.count > 0 || agent->asked)
		fputc('\n', out);
	for (size_t i = 0; i < trace->assumed.count; i++)
		screen_wrap(&screen, "ASSUMED", TAG_WIDTH, "%s", trace->assumed.lines[i]);
	if (agent->asked)
		screen_wrap(
		    &screen, "READ", TAG_WIDTH, "%s, the router's own configuration", agent->asked);
	for (size_t i = 0; i < trace->notes.count; i++)
		screen_wrap(&screen, "NOTE", TAG_WIDTH, "%s", trace->notes.lines[i]);
}
