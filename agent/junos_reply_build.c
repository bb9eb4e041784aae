/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects of a reply while they are put together: peers and their RIBs, BFD sessions, errors,
 * times, prefix-lists, static discard routes. Numbers and addresses that do not parse are "absent",
 * never zero. How many objects one message may make is limited here, so that memory stays in
 * proportion to its bytes.
 */
#include "junos_reply_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int64_t
parse_count(const char *text)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	return end == text || *end != '\0' || errno != 0 || value < 0 ? -1 : value;
}

static uint64_t
parse_count64(const char *text)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	return *text < '0' || *text > '9' || *end != '\0' || errno != 0 ? JUNOS_NO_COUNT : value;
}

/* "0.900": seconds with a fraction. */
static int64_t
parse_useconds(const char *text)
{
	int64_t us = 0, unit = 1000000;
	const char *p = text;

	for (; *p >= '0' && *p <= '9' && us < INT64_MAX / 10000000; p++)
		us = us * 10 + (*p - '0');
	us *= unit;
	if (p > text && *p == '.') {
		for (p++; *p >= '0' && *p <= '9' && unit > 1; p++) {
			unit /= 10;
			us += (*p - '0') * unit;
		}
		p += strspn(p, "0123456789");
	}
	return p == text || *p != '\0' ? -1 : us;
}

void *
junos_build_grow(void *array, size_t count, size_t size)
{
	if ((count & (count - 1)) == 0)
		array = xreallocarray(array, count > 0 ? 2 * count : 1, size);
	return array;
}

static char *
take_text(char **text)
{
	char *taken = *text;

	*text = NULL;
	return taken;
}

void
junos_build_peer(struct junos_parser *parser)
{
	struct junos_reply *reply = parser->reply;

	if (reply->peer_count == JUNOS_MAX_OBJECTS) {
		junos_xml_refuse(parser->xml, "there are too many BGP peers in one message");
		return;
	}
	reply->peers = junos_build_grow(reply->peers, reply->peer_count, sizeof(*reply->peers));
	reply->peers[reply->peer_count++] = (struct junos_peer){ .elapsed_s = -1 };
}

void
junos_build_rib(struct junos_parser *parser)
{
	struct junos_peer *peer = &parser->reply->peers[parser->reply->peer_count - 1];

	if (parser->rib_total++ == JUNOS_MAX_OBJECTS) {
		junos_xml_refuse(parser->xml, "there are too many BGP tables in one message");
		return;
	}
	peer->ribs = junos_build_grow(peer->ribs, peer->rib_count, sizeof(*peer->ribs));
	peer->ribs[peer->rib_count++] = (struct junos_rib){ NULL, -1, -1, -1 };
}

void
junos_build_session(struct junos_parser *parser)
{
	struct junos_reply *reply = parser->reply;

	if (reply->bfd_count == JUNOS_MAX_OBJECTS) {
		junos_xml_refuse(parser->xml, "there are too many BFD sessions in one message");
		return;
	}
	reply->bfd = junos_build_grow(reply->bfd, reply->bfd_count, sizeof(*reply->bfd));
	reply->bfd[reply->bfd_count++] = (struct junos_bfd){
		.detection_time_us = -1,
		.transmission_interval_us = -1,
		.multiplier = -1,
		.client_reception_us = -1,
		.local_multiplier = -1,
	};
}

/* "192.0.2.1+179" and "fe80::1%ge-0/0/0.0": the text in front of the port is what counts, and the
 * address in front of the zone. */
static bool
parse_address(char *text, struct ip *ret_ip)
{
	if (!text)
		return false;
	text[strcspn(text, "+")] = '\0';
	return junos_build_address(text, ret_ip);
}

bool
junos_build_address(const char *text, struct ip *ret_ip)
{
	char buf[IP_TEXT_SIZE];
	size_t n = strcspn(text, "%");

	if (n >= sizeof(buf))
		return false;
	memcpy(buf, text, n);
	buf[n] = '\0';
	return ip_parse(buf, ret_ip) == 0;
}

void
junos_build_end_peer(struct junos_parser *parser)
{
	struct junos_peer *peer = &parser->reply->peers[parser->reply->peer_count - 1];

	peer->address_ok = parse_address(peer->address_text, &peer->address);
	if (peer->elapsed_s >= 0)
		parser->is_summary = true;
}

void
junos_build_end_session(struct junos_parser *parser)
{
	struct junos_bfd *bfd = &parser->reply->bfd[parser->reply->bfd_count - 1];

	bfd->neighbor_ok = parse_address(bfd->neighbor_text, &bfd->neighbor);
}

static void
free_error_block(struct error_block *block)
{
	free(block->message);
	free(block->tag);
	free(block->severity);
	*block = (struct error_block){ NULL, NULL, NULL };
}

/* When all places are taken, a real error still replaces the last entry: a reply must not look
 * like a success because of the many warnings in it. */
static void
keep_error(struct junos_reply *reply, const struct junos_error *error)
{
	struct junos_error *last;

	if (reply->error_count < JUNOS_MAX_ERRORS) {
		reply->errors =
		    junos_build_grow(reply->errors, reply->error_count, sizeof(*reply->errors));
		reply->errors[reply->error_count++] = *error;
		return;
	}
	last = &reply->errors[JUNOS_MAX_ERRORS - 1];
	if (error->warning || !last->warning) {
		free(error->message);
		free(error->tag);
		return;
	}
	free(last->message);
	free(last->tag);
	*last = *error;
}

/* The text of the element itself stands in for a message that is missing. */
void
junos_build_end_error(struct junos_parser *parser, bool warning, const char *text)
{
	struct error_block *block = &parser->error;
	struct junos_error error = { .warning = warning };

	if (parser->configuration_depth > 0 && !block->message) {
		free_error_block(block);
		return;
	}
	if (block->severity && strcmp(block->severity, "warning") == 0)
		error.warning = true;
	error.message = take_text(&block->message);
	error.tag = take_text(&block->tag);
	if (!error.message)
		error.message = xstrdup(*text ? text : error.tag ? error.tag : "no message");
	keep_error(parser->reply, &error);
	free_error_block(block);
}

void
junos_build_end_time(struct junos_parser *parser, const struct rule *rule)
{
	const struct time_block *time = &parser->time;
	int64_t age = time->length, *slot;

	if (age < 0 && time->date >= 0 && parser->now.date >= time->date)
		age = parser->now.date - time->date;
	slot = (int64_t *)((char *)&parser->reply->uptime + rule->offset);
	if (*slot < 0)
		*slot = age;
}

void
junos_build_output(struct junos_parser *parser, const char *text)
{
	struct junos_reply *reply = parser->reply;
	char *joined;

	if (*text == '\0' || (reply->text && strlen(reply->text) > JUNOS_MAX_TEXT))
		return;
	joined = reply->text ? xasprintf("%s\n%s", reply->text, text) : xstrdup(text);
	free(reply->text);
	reply->text = joined;
}

void
junos_build_item(struct junos_parser *parser, const char *text)
{
	struct prefix prefix;

	if (prefix_parse(text, &prefix) == 0)
		prefix_list_add(&parser->list, &prefix);
	else
		parser->reply->bad_items++;
}

/* Appends; listset_sort joins what has the same name. */
void
junos_build_end_list(struct junos_parser *parser)
{
	struct listset *set = &parser->reply->lists;

	if (!parser->list.name) {
		free(parser->list.items);
	} else {
		if (set->count == set->capacity) {
			set->capacity = set->capacity > 0 ? 2 * set->capacity : 16;
			set->lists = xreallocarray(set->lists, set->capacity, sizeof(*set->lists));
		}
		set->lists[set->count++] = parser->list;
	}
	parser->list = (struct prefix_list){ 0 };
}

/* The table that the route is in; a route of another table says nothing about ours. */
static bool
is_in_family_table(const char *rib, enum family family)
{
	if (!rib)
		return family == FAMILY_IPV4;
	return strcmp(rib, family == FAMILY_IPV4 ? "inet.0" : "inet6.0") == 0;
}

void
junos_build_end_route(struct junos_parser *parser)
{
	struct route_block *route = &parser->route;
	struct prefix prefix;

	if (route->is_discard && route->name) {
		if (prefix_parse(route->name, &prefix) < 0)
			parser->reply->bad_items++;
		else if (is_in_family_table(route->rib, prefix.address.family))
			prefix_list_add(&parser->routes, &prefix);
	}
	free(route->name);
	route->name = NULL;
	route->is_discard = false;
}

void
junos_build_end_rib(struct junos_parser *parser)
{
	free(parser->route.rib);
	parser->route.rib = NULL;
}

void
junos_build_end(struct junos_parser *parser)
{
	if (parser->routes.count > 0) {
		parser->list = parser->routes;
		parser->list.name = xstrdup(LISTSET_SIGNAL_ROUTES);
		parser->routes = (struct prefix_list){ 0 };
		junos_build_end_list(parser);
	}
	listset_sort(&parser->reply->lists);
}

/* ---- values ------------------------------------------------------------------------------ */

/* The object that the fields of a rule belong to. */
static void *
object_of(struct junos_parser *parser, enum node parent)
{
	struct junos_reply *reply = parser->reply;
	struct junos_peer *peer =
	    reply->peer_count > 0 ? &reply->peers[reply->peer_count - 1] : NULL;

	switch (parent) {
	case NODE_ERROR:
		return &parser->error;
	case NODE_PEER:
	case NODE_PEER_BFD:
		return peer;
	case NODE_RIB:
		return &peer->ribs[peer->rib_count - 1];
	case NODE_SESSION:
	case NODE_BFD_CLIENT:
		return &reply->bfd[reply->bfd_count - 1];
	case NODE_NOW:
		return &parser->now;
	case NODE_TIME:
		return &parser->time;
	case NODE_LIST:
		return &parser->list;
	case NODE_ROUTE:
	case NODE_ROUTING_RIB:
		return &parser->route;
	case NODE_ENTRY:
		return junos_last_route(reply);
	case NODE_NEXT_HOP:
		return junos_last_next_hop(reply);
	case NODE_LOGICAL:
	case NODE_TRAFFIC:
	case NODE_TRANSIT:
		return &reply->interfaces[reply->interface_count - 1];
	case NODE_COUNTER:
		return &reply->counters[reply->counter_count - 1];
	default:
		return reply;
	}
}

/* The first of several values stays. */
void
junos_build_text(char **field, const char *text)
{
	if (!*field && *text != '\0')
		*field = xstrdup(text);
}

void
junos_build_value(struct junos_parser *parser, const struct rule *rule, const char *text)
{
	char *field = (char *)object_of(parser, rule->parent) + rule->offset;
	int64_t count;

	switch (rule->value) {
	case VALUE_TEXT:
		junos_build_text((char **)(void *)field, text);
		break;
	case VALUE_COUNT:
		*(int64_t *)(void *)field = parse_count(text);
		break;
	case VALUE_COUNT32:
		count = parse_count(text);
		*(uint32_t *)(void *)field = count < 0            ? 0
		                             : count > UINT32_MAX ? UINT32_MAX
		                                                  : (uint32_t)count;
		break;
	case VALUE_COUNT64:
		*(uint64_t *)(void *)field = parse_count64(text);
		break;
	case VALUE_USECONDS:
		*(int64_t *)(void *)field = parse_useconds(text);
		break;
	case VALUE_LEAST_USECONDS:
		count = parse_useconds(text);
		if (count > 0 &&
		    (*(int64_t *)(void *)field < 0 || count < *(int64_t *)(void *)field))
			*(int64_t *)(void *)field = count;
		break;
	case VALUE_SECONDS: /* the attribute was taken when the element began */
	case VALUE_NONE:
		break;
	}
}

/* junos:seconds, with or without its prefix. */
void
junos_build_seconds(struct junos_parser *parser, const struct rule *rule,
    const struct junos_xml_attributes *attributes)
{
	char buf[24];
	char *field = (char *)object_of(parser, rule->parent) + rule->offset;

	if (junos_xml_attribute(attributes, "seconds", buf, sizeof(buf)))
		*(int64_t *)(void *)field = parse_count(buf);
}

void
junos_build_done(struct junos_parser *parser)
{
	free_error_block(&parser->error);
	free(parser->list.name);
	free(parser->list.items);
	free(parser->route.name);
	free(parser->route.rib);
	free(parser->routes.items);
}
