/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects of the replies that are asked for by name: routes, logical interfaces, filter
 * counters. Part of junos_reply, beside junos_reply_build.c.
 *
 * What many objects share, the name of their table or filter, is kept once for all of them: a
 * hostile reply must not turn one long name into a copy for each of its entries. A number that is
 * absent or no number is JUNOS_NO_COUNT, never zero: a rate made of it would be a lie.
 */
#include <stdlib.h>
#include <string.h>

#include "junos_reply_internal.h"

/* ---- begin ------------------------------------------------------------------------------- */

/* Room for one more object; NULL: the message has too many of them. */
static void *
add_object(struct junos_parser *parser, void *array, size_t count, size_t size)
{
	if (count < JUNOS_MAX_OBJECTS)
		return junos_build_grow(array, count, size);
	junos_xml_refuse(parser->xml, "there are too many entries in one message");
	return NULL;
}

void
junos_build_route(struct junos_parser *parser)
{
	struct junos_reply *reply = parser->reply;
	void *room = add_object(parser, reply->routes, reply->route_count, sizeof(*reply->routes));

	if (!room)
		return;
	reply->routes = room;
	reply->routes[reply->route_count++] = (struct junos_route){
		.table = parser->owner,
		.destination = parser->destination.prefix,
		.destination_ok = parser->destination.is_good,
	};
}

void
junos_build_next_hop(struct junos_parser *parser)
{
	struct junos_route *route = &parser->reply->routes[parser->reply->route_count - 1];

	if (parser->next_hop_total++ == JUNOS_MAX_OBJECTS) {
		junos_xml_refuse(parser->xml, "there are too many next hops in one message");
		return;
	}
	route->next_hops =
	    junos_build_grow(route->next_hops, route->next_hop_count, sizeof(*route->next_hops));
	route->next_hops[route->next_hop_count++] = (struct junos_next_hop){ .via = NULL };
}

void
junos_build_interface(struct junos_parser *parser)
{
	static const struct junos_traffic absent = { JUNOS_NO_COUNT, JUNOS_NO_COUNT, JUNOS_NO_COUNT,
		JUNOS_NO_COUNT };
	struct junos_reply *reply = parser->reply;
	void *room = add_object(
	    parser, reply->interfaces, reply->interface_count, sizeof(*reply->interfaces));

	if (!room)
		return;
	reply->interfaces = room;
	reply->interfaces[reply->interface_count++] =
	    (struct junos_interface){ .traffic = absent, .transit = absent };
}

void
junos_build_counter(struct junos_parser *parser)
{
	struct junos_reply *reply = parser->reply;
	void *room =
	    add_object(parser, reply->counters, reply->counter_count, sizeof(*reply->counters));

	if (!room)
		return;
	reply->counters = room;
	reply->counters[reply->counter_count++] = (struct junos_counter){
		.filter = parser->owner, .packets = JUNOS_NO_COUNT, .bytes = JUNOS_NO_COUNT
	};
}

/* ---- values ------------------------------------------------------------------------------ */

void
junos_build_name(struct junos_parser *parser, const char *text)
{
	struct junos_reply *reply = parser->reply;
	void *room = add_object(parser, reply->names, reply->name_count, sizeof(*reply->names));

	if (!room)
		return;
	reply->names = room;
	reply->names[reply->name_count] = xstrdup(text);
	parser->owner = reply->names[reply->name_count++];
}

/* With its length in brief replies, the bare address in detailed ones. */
void
junos_build_destination(struct junos_parser *parser, const char *text)
{
	struct destination_block *block = &parser->destination;

	block->is_good = prefix_parse(text, &block->prefix) == 0;
}

void
junos_build_length(struct junos_parser *parser, const char *text)
{
	struct destination_block *block = &parser->destination;
	char whole[PREFIX_TEXT_SIZE + 8], address[IP_TEXT_SIZE];

	if (!block->is_good || strlen(text) > 3)
		return;
	snprintf(whole, sizeof(whole), "%s/%s", ip_format(&block->prefix.address, address), text);
	block->is_good = prefix_parse(whole, &block->prefix) == 0;
}

void
junos_build_to(struct junos_parser *parser, const char *text)
{
	struct junos_next_hop *hop = junos_last_next_hop(parser->reply);

	hop->to_ok = junos_build_address(text, &hop->to);
}

void
junos_build_cleared(struct junos_parser *parser, const char *text)
{
	char *age;

	junos_build_text(&parser->reply->cleared, text);
	age = parser->reply->cleared ? strstr(parser->reply->cleared, " (") : NULL;
	if (age)
		*age = '\0';
}

/* ---- look-up ----------------------------------------------------------------------------- */

struct junos_route *
junos_last_route(struct junos_reply *reply)
{
	return &reply->routes[reply->route_count - 1];
}

struct junos_next_hop *
junos_last_next_hop(struct junos_reply *reply)
{
	struct junos_route *route = junos_last_route(reply);

	return &route->next_hops[route->next_hop_count - 1];
}

static bool
is_name(const char *name, const char *wanted)
{
	return name && strcmp(name, wanted) == 0;
}

const struct junos_interface *
junos_find_interface(const struct junos_reply *reply, const char *name)
{
	for (size_t i = 0; reply && i < reply->interface_count; i++)
		if (is_name(reply->interfaces[i].name, name))
			return &reply->interfaces[i];
	return NULL;
}

const struct junos_counter *
junos_find_counter(const struct junos_reply *reply, const char *filter, const char *name)
{
	for (size_t i = 0; reply && i < reply->counter_count; i++)
		if (is_name(reply->counters[i].filter, filter) &&
		    is_name(reply->counters[i].name, name))
			return &reply->counters[i];
	return NULL;
}

const struct junos_route *
junos_find_route(const struct junos_reply *reply, const struct prefix *destination)
{
	for (size_t i = 0; reply && i < reply->route_count; i++) {
		const struct junos_route *route = &reply->routes[i];

		if (route->active && route->destination_ok &&
		    prefix_compare(&route->destination, destination) == 0)
			return route;
	}
	return NULL;
}

static bool
leads_to_peer(const struct junos_next_hop *hop, const struct ip *peer, const char *interface)
{
	return ip_compare(&hop->to, peer) == 0 ||
	       (ip_is_link_local(&hop->to) && hop->via && interface &&
	           strcmp(hop->via, interface) == 0);
}

const struct ip *
junos_route_leads_to(const struct junos_route *route, const struct ip *peer, const char *interface)
{
	const struct ip *to = NULL;

	for (size_t i = 0; i < route->next_hop_count; i++) {
		const struct junos_next_hop *hop = &route->next_hops[i];

		if (!hop->to_ok)
			continue;
		if (!leads_to_peer(hop, peer, interface))
			return &hop->to;
		to = peer;
	}
	return to;
}

bool
junos_route_is_ambiguous(
    const struct junos_route *route, const struct ip *peer, const char *interface)
{
	const struct ip *to = junos_route_leads_to(route, peer, interface);

	return !interface && to && to != peer && ip_is_link_local(to);
}

void
junos_free_shown(struct junos_reply *reply)
{
	for (size_t i = 0; i < reply->route_count; i++) {
		for (size_t n = 0; n < reply->routes[i].next_hop_count; n++)
			free(reply->routes[i].next_hops[n].via);
		free(reply->routes[i].next_hops);
		free(reply->routes[i].protocol);
		free(reply->routes[i].nh_type);
	}
	for (size_t i = 0; i < reply->interface_count; i++)
		free(reply->interfaces[i].name);
	for (size_t i = 0; i < reply->counter_count; i++)
		free(reply->counters[i].name);
	for (size_t i = 0; i < reply->name_count; i++)
		free(reply->names[i]);
	free(reply->routes);
	free(reply->interfaces);
	free(reply->counters);
	free(reply->names);
	free(reply->cleared);
}
