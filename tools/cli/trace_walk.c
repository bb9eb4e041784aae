/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The legs of a walk. A subscriber's packet crosses the router twice in each direction that
 * matters: its own packets enter at an inside interface, what is meant for it enters at an outside
 * one. With a subscriber at one end there are two legs, with subscribers at both ends four: the
 * packet leaves the first one's element on its outside, and the outside filter on that interface
 * sends it to the second one's element.
 *
 * Each leg is walked on every interface where it may begin, as they may be configured differently;
 * interfaces that do the same are one leg. Where the configuration tells which interface faces an
 * element, only that one counts for what comes out of the element. What the legs mean together is
 * judged in trace_judge.c.
 */
#include "trace_walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace_internal.h"

/* Legs and pools are few, and no look-up is asked twice. */
enum { ROUNDS_MOST = 8 };

const char *const trace_fate_names[TRACE_FATES] = { "element", "dropped", "bypass", "elsewhere",
	"unknown" };

/* ---- where a leg begins -------------------------------------------------------------------- */

struct names { /* borrowed names, each once */
	const char **names;
	size_t count;
};

static void
add_name(struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->names[i], name) == 0)
			return;
	names->names = xreallocarray(names->names, names->count + 1, sizeof(*names->names));
	names->names[names->count++] = name;
}

const char *
trace_facing(const struct trace_input *input, size_t group, size_t element, enum side side)
{
	const struct profile_element_family *e =
	    trace_family(&input->profile->groups[group].elements[element], input->source.family);

	if (!e)
		return NULL;
	if (e->peer[side].interface)
		return e->peer[side].interface;
	return trace_config_facing(input->config, &e->peer[side].address);
}

static bool
find_faced(const struct trace_input *input, const char *interface, enum side side,
    size_t *ret_group, size_t *ret_element)
{
	for (size_t g = 0; g < input->profile->group_count; g++)
		for (size_t e = 0; e < input->profile->groups[g].element_count; e++) {
			const char *facing = trace_facing(input, g, e, side);

			if (!facing || strcmp(facing, interface) != 0)
				continue;
			*ret_group = g;
			*ret_element = e;
			return true;
		}
	return false;
}

/* What a link-local next hop means only its interface tells. */
static bool
is_by_interface(const struct trace_route *route)
{
	return route->via &&
	       (route->kind == TRACE_ROUTE_INTERFACE ||
	           (route->kind == TRACE_ROUTE_NEXT_HOP && ip_is_link_local(&route->next_hop)));
}

bool
trace_find_hop(const struct trace_input *input, const struct trace_route *route, enum side side,
    size_t *ret_group, size_t *ret_element, enum side *ret_side)
{
	if (route->kind == TRACE_ROUTE_NEXT_HOP &&
	    trace_find_element(input->profile, &route->next_hop, ret_group, ret_element, ret_side))
		return true;
	*ret_side = side;
	return is_by_interface(route) &&
	       find_faced(input, route->via, side, ret_group, ret_element);
}

/* Some term of the filter looks at a list of the group in that field. */
static bool
uses_lists(const struct trace_filter *filter, const struct profile_group *group, int field)
{
	size_t element;
	bool override;

	for (size_t t = 0; t < filter->term_count; t++) {
		const struct trace_condition *condition = &filter->terms[t].from[field];

		for (size_t i = 0; i < condition->count; i++)
			if (condition->entries[i].list &&
			    trace_list_owner(group, filter->family, condition->entries[i].list,
			        &element, &override))
				return true;
	}
	return false;
}

static void
discover(const struct trace_input *input, const struct profile_group *group, enum side side,
    struct names *names)
{
	int field = side == SIDE_INSIDE ? TRACE_SOURCE : TRACE_DESTINATION;

	for (size_t i = 0; i < input->config->binding_count; i++) {
		const struct trace_binding *binding = &input->config->bindings[i];

		if (binding->output || binding->family != input->source.family)
			continue;
		for (size_t j = 0; j < binding->filter_count; j++) {
			const struct trace_filter *filter = trace_config_filter(
			    input->config, binding->family, binding->filters[j]);

			if (filter && uses_lists(filter, group, field))
				add_name(names, binding->interface);
		}
	}
}

/* All interfaces of the group on that side, by the profile, else by what the filters look at. */
static void
list_side(const struct trace_input *input, const struct profile_group *group, enum side side,
    struct names *names)
{
	char **given = side == SIDE_INSIDE ? group->inside_interfaces : group->outside_interfaces;
	size_t count =
	    side == SIDE_INSIDE ? group->inside_interface_count : group->outside_interface_count;

	for (size_t i = 0; i < count; i++)
		add_name(names, given[i]);
	if (count == 0)
		discover(input, group, side, names);
}

/* Where the leg may begin. from: the leg whose element it comes out of; NULL: from the network. */
static struct names
list_interfaces(const struct walker *w, const struct trace_leg *leg, const struct trace_leg *from)
{
	const struct profile_group *group =
	    &w->input->profile->groups[w->trace->subscribers[leg->subscriber].group];
	struct names all = { NULL, 0 }, some = { NULL, 0 };
	size_t faced[2];
	const char *facing =
	    from ? trace_facing(w->input, from->group, from->element, leg->side) : NULL;

	if (facing) {
		add_name(&some, facing);
		return some;
	}
	list_side(w->input, group, leg->side, &all);
	for (size_t i = 0; !from && i < all.count; i++)
		if (!find_faced(w->input, all.names[i], leg->side, &faced[0], &faced[1]))
			add_name(&some, all.names[i]);
	if (some.count == 0)
		return all;
	free(all.names);
	return some;
}

/* ---- where it goes ------------------------------------------------------------------------- */

void
trace_end(struct trace_leg *leg, enum trace_fate fate, char *end)
{
	free(leg->end);
	leg->end = end;
	leg->fate = fate;
}

static void
end_at_address(const struct walker *w, struct trace_leg *leg, const struct ip *address)
{
	const struct profile *profile = w->input->profile;
	char text[IP_TEXT_SIZE];
	enum side side;

	ip_format(address, text);
	if (!trace_find_element(profile, address, &leg->group, &leg->element, &side)) {
		trace_end(leg, TRACE_ELSEWHERE,
		    xasprintf("the next hop %s is no element's address", text));
		return;
	}
	trace_end(leg, TRACE_TO_ELEMENT,
	    xasprintf("%s, %s, its %s", profile->groups[leg->group].elements[leg->element].id, text,
	        side_names[side]));
	if (side != leg->side)
		trace_texts_add(&w->trace->faults,
		    "%s is the %s address of %s, but the packet comes from the %s", text,
		    side_names[side], profile->groups[leg->group].elements[leg->element].id,
		    side_names[leg->side]);
}

static void
end_at_interface(const struct walker *w, struct trace_leg *leg, const char *interface)
{
	if (find_faced(w->input, interface, leg->side, &leg->group, &leg->element))
		trace_end(leg, TRACE_TO_ELEMENT,
		    xasprintf("%s, on %s",
		        w->input->profile->groups[leg->group].elements[leg->element].id,
		        interface));
	else
		trace_end(leg, TRACE_ELSEWHERE,
		    xasprintf(
		        "it leaves by %.64s, which faces no element that is known", interface));
}

/* Several next hops share the flows between them. */
static void
check_sharing(const struct walker *w, const struct trace_routes *routes, struct trace_leg *leg)
{
	const struct trace_route *other = leg->route;
	char prefix[PREFIX_TEXT_SIZE], text[IP_TEXT_SIZE];
	size_t group, element;
	enum side side;

	while ((other = trace_routes_other(routes, other))) {
		if (other->kind != TRACE_ROUTE_NEXT_HOP ||
		    !trace_find_hop(w->input, other, leg->side, &group, &element, &side) ||
		    (group == leg->group && element == leg->element))
			continue;
		trace_texts_add(&w->trace->faults,
		    "table %s: the route %s has %s of %s as another next hop", leg->table,
		    prefix_format(&other->prefix, prefix), ip_format(&other->next_hop, text),
		    w->input->profile->groups[group].elements[element].id);
	}
}

static void
end_at_route(const struct walker *w, struct trace_leg *leg)
{
	const struct trace_route *route = leg->route;
	char prefix[PREFIX_TEXT_SIZE];
	size_t group, element;
	enum side side;

	prefix_format(&route->prefix, prefix);
	switch (route->kind) {
	case TRACE_ROUTE_NEXT_HOP:
		if (is_by_interface(route) && !trace_find_element(w->input->profile,
		                                  &route->next_hop, &group, &element, &side))
			end_at_interface(w, leg, route->via);
		else
			end_at_address(w, leg, &route->next_hop);
		break;
	case TRACE_ROUTE_INTERFACE:
		end_at_interface(w, leg, route->via ? route->via : "?");
		break;
	case TRACE_ROUTE_DISCARD:
	case TRACE_ROUTE_REJECT:
		trace_end(leg, TRACE_DROPPED,
		    xasprintf("the route %s in table %s %ss it", prefix, leg->table,
		        route->kind == TRACE_ROUTE_DISCARD ? "discard" : "reject"));
		break;
	default:
		trace_end(leg, TRACE_UNKNOWN,
		    xasprintf("what the route %s in table %s does (%.64s) cannot be judged here",
		        prefix, leg->table, route->via ? route->via : "?"));
		break;
	}
}

/* By the router's own answer where there is one; else by the static routes of its configuration. */
void
trace_follow_table(const struct walker *w, struct trace_leg *leg, const char *table,
    const struct prefix *destination)
{
	const struct trace_routes *routes = w->input->routes;

	leg->table = xstrdup(table);
	leg->route_is_live = w->input->answered
	                         ? trace_lookups_have(w->input->answered, table, destination)
	                         : routes && trace_routes_know(routes, table);
	if (!leg->route_is_live) {
		trace_lookups_add(&w->trace->wanted, table, destination);
		routes = &w->input->config->routes;
	}
	leg->route = routes ? trace_routes_longest(routes, table, destination) : NULL;
	if (!leg->route) {
		trace_end(leg, TRACE_DROPPED, xasprintf("table %s has no route for it", table));
		return;
	}
	end_at_route(w, leg);
	if (leg->fate == TRACE_TO_ELEMENT)
		check_sharing(w, routes, leg);
}

static void
follow_instance(const struct walker *w, struct trace_leg *leg, const char *instance)
{
	struct prefix destination = prefix_of_ip(&leg->packet.destination);
	char *table = trace_table(instance, destination.address.family);

	if (!trace_config_has_instance(w->input->config, instance))
		trace_end(leg, TRACE_DROPPED,
		    xasprintf("the routing instance %.128s is not defined", instance));
	else
		trace_follow_table(w, leg, table, &destination);
	free(table);
}

static void
follow_address(const struct walker *w, struct trace_leg *leg, const char *text)
{
	struct prefix address;

	if (trace_xml_prefix(text, &address))
		end_at_address(w, leg, &address.address);
	else
		trace_end(leg, TRACE_UNKNOWN, xasprintf("next-ip %.64s is no address", text));
}

static void
follow_term(const struct walker *w, struct trace_leg *leg, const struct trace_term *term)
{
	switch (term->action) {
	case TRACE_INSTANCE:
		follow_instance(w, leg, term->target);
		break;
	case TRACE_NEXT_IP:
		follow_address(w, leg, term->target);
		break;
	case TRACE_NEXT_INTERFACE:
		end_at_interface(w, leg, term->target);
		break;
	case TRACE_ACCEPT:
		trace_end(leg, TRACE_BYPASS,
		    xasprintf("term %.128s accepts: by the main table, NOT through an element",
		        term->name));
		break;
	case TRACE_DISCARD:
	case TRACE_REJECT:
		trace_end(leg, TRACE_DROPPED,
		    xasprintf("term %.128s %ss it%s%.128s", term->name,
		        term->action == TRACE_DISCARD ? "discard" : "reject",
		        term->count ? ", counter " : "", term->count ? term->count : ""));
		break;
	default:
		trace_end(leg, TRACE_UNKNOWN,
		    xasprintf("term %.128s: what %.64s does cannot be judged here", term->name,
		        term->target ? term->target : "its action"));
		break;
	}
}

void
trace_follow_filters(const struct walker *w, struct trace_leg *leg)
{
	const struct trace_hit *hit = &leg->filtered.hit;

	if (leg->interface)
		leg->binding =
		    trace_config_binding(w->input->config, leg->interface, w->trace->family, false);
	if (!leg->binding) {
		trace_end(leg, TRACE_BYPASS,
		    xasprintf("%s applies no filter%s: by the main table, NOT through an element",
		        leg->interface ? leg->interface : "no interface",
		        leg->interface ? "" : " with the group's lists"));
		return;
	}
	trace_filter_walk(w->input->config, leg->binding, &leg->packet, &leg->filtered);
	if (!hit->filter)
		trace_end(leg, TRACE_UNKNOWN, xstrdup("the filter is not defined"));
	else if (!hit->term)
		trace_end(
		    leg, TRACE_DROPPED, xstrdup("no term matches, the filter's end discards it"));
	else
		follow_term(w, leg, hit->term);
}

/* ---- legs ---------------------------------------------------------------------------------- */

static void
leg_done(struct trace_leg *leg)
{
	trace_filtered_done(&leg->filtered);
	free(leg->table);
	free(leg->end);
}

static int
order_of(const struct trace_leg *leg)
{
	return 2 * leg->is_answer + (leg->side == SIDE_OUTSIDE);
}

static bool
acts_alike(const struct trace_leg *a, const struct trace_leg *b)
{
	return order_of(a) == order_of(b) && a->fate == b->fate &&
	       a->filtered.hit.filter == b->filtered.hit.filter &&
	       a->filtered.hit.term == b->filtered.hit.term && a->route == b->route &&
	       (a->binding != NULL) == (b->binding != NULL) &&
	       prefix_compare(&a->pool, &b->pool) == 0;
}

/* Takes what the leg owns. In the order of the path, as they come where that is the same. */
static void
add_leg(struct trace *trace, struct trace_leg *leg)
{
	size_t at = trace->leg_count;

	for (size_t i = 0; i < trace->leg_count; i++)
		if (acts_alike(&trace->legs[i], leg)) {
			trace->legs[i].more_interfaces++;
			leg_done(leg);
			return;
		}
	trace->legs = xreallocarray(trace->legs, trace->leg_count + 1, sizeof(*trace->legs));
	for (; at > 0 && order_of(&trace->legs[at - 1]) > order_of(leg); at--)
		trace->legs[at] = trace->legs[at - 1];
	trace->legs[at] = *leg;
	trace->leg_count++;
}

void
trace_walk_leg(const struct walker *w, const struct trace_leg *leg, const struct trace_leg *from,
    void (*follow)(const struct walker *w, struct trace_leg *leg))
{
	struct names interfaces = list_interfaces(w, leg, from);

	for (size_t i = 0; i == 0 || i < interfaces.count; i++) {
		struct trace_leg walked = *leg;

		walked.interface = interfaces.count > 0 ? interfaces.names[i] : NULL;
		follow(w, &walked);
		add_leg(w->trace, &walked);
	}
	free(interfaces.names);
}

const struct trace_leg *
trace_first_leg(const struct trace *trace, size_t subscriber)
{
	for (int side = 0; side < SIDE_COUNT; side++)
		for (size_t i = 0; i < trace->leg_count; i++)
			if (trace->legs[i].subscriber == subscriber &&
			    (int)trace->legs[i].side == side &&
			    trace->legs[i].fate == TRACE_TO_ELEMENT)
				return &trace->legs[i];
	return NULL;
}

static const struct trace_leg *
find_inside(const struct trace *trace, size_t subscriber)
{
	const struct trace_leg *leg = trace_first_leg(trace, subscriber);

	return leg && leg->side == SIDE_INSIDE ? leg : NULL;
}

/* What enters on that side and concerns this subscriber: the packet, or its answer. */
static struct trace_leg
begin_leg(const struct walker *w, size_t subscriber, enum side side)
{
	const struct ip *self = &w->trace->subscribers[subscriber].address;
	bool is_source = ip_compare(self, &w->input->source) == 0;
	const struct ip *peer = is_source ? &w->input->destination : &w->input->source;
	struct trace_leg leg = { .side = side,
		.subscriber = subscriber,
		.is_answer = is_source == (side == SIDE_OUTSIDE),
		.packet = { *self, *peer } };

	if (side == SIDE_OUTSIDE)
		leg.packet = (struct trace_packet){ *peer, *self };
	return leg;
}

static void
walk_inside(const struct walker *w, size_t subscriber)
{
	struct trace_leg leg = begin_leg(w, subscriber, SIDE_INSIDE);

	trace_walk_leg(w, &leg, NULL, trace_follow_filters);
}

/* It comes out of the other subscriber's element, when there is one; that leg is copied, for legs
 * move when one is added. */
static void
walk_outside(const struct walker *w, size_t subscriber)
{
	const struct trace_subscriber *self = &w->trace->subscribers[subscriber];
	const struct trace_leg *other =
	    w->trace->subscriber_count == 2 ? find_inside(w->trace, 1 - subscriber) : NULL;
	const struct trace_leg from = other ? *other : (struct trace_leg){ .fate = TRACE_UNKNOWN };
	struct trace_leg leg = begin_leg(w, subscriber, SIDE_OUTSIDE);
	char text[IP_TEXT_SIZE];

	if (self->is_nat && leg.is_answer) {
		trace_walk_nat(w, &leg, other ? &from : NULL, find_inside(w->trace, subscriber));
		return;
	}
	trace_walk_leg(w, &leg, other ? &from : NULL, trace_follow_filters);
	if (self->is_nat)
		trace_texts_add(&w->trace->notes,
		    "the group translates: from outside %s is reached only by answers to what it "
		    "sent itself",
		    ip_format(&self->address, text));
}

int
trace_walk(const struct trace_input *input, struct trace *ret_trace, struct error *err)
{
	struct walker w = { input, ret_trace };
	int rc;

	*ret_trace = (struct trace){ .profile = input->profile, .family = input->source.family };
	rc = trace_find_subscribers(&w, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < ret_trace->subscriber_count; i++)
		walk_inside(&w, i);
	for (size_t i = 0; i < ret_trace->subscriber_count; i++)
		walk_outside(&w, i);
	trace_judge(&w);
	return 0;
}

int
trace_walk_asking(const struct trace_input *input, trace_ask_fn *ask, void *arg,
    struct trace *ret_trace, struct error *err)
{
	int rc = trace_walk(input, ret_trace, err);

	for (int round = 0; rc == 0 && ret_trace->wanted.count > 0; round++) {
		if (round == ROUNDS_MOST)
			return error_set(err, -EAGAIN,
			    "the router's answers led to other routes %d times: try again",
			    ROUNDS_MOST);
		rc = ask(arg, &ret_trace->wanted, err);
		if (rc != 0)
			return rc;
		trace_done(ret_trace);
		rc = trace_walk(input, ret_trace, err);
	}
	return rc;
}

void
trace_done(struct trace *trace)
{
	for (size_t i = 0; i < trace->leg_count; i++)
		leg_done(&trace->legs[i]);
	free(trace->legs);
	for (size_t i = 0; i < trace->subscriber_count; i++)
		trace_texts_done(&trace->subscribers[i].translation);
	trace_texts_done(&trace->faults);
	trace_texts_done(&trace->notes);
	trace_texts_done(&trace->assumed);
	trace_lookups_done(&trace->wanted);
	*trace = (struct trace){ .leg_count = 0 };
}
