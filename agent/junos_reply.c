/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Junos' messages as values: the parser that goes through the elements with the grammar of
 * junos_reply_grammar.c in hand and lets junos_reply_build.c put the objects together. Here are the
 * things that depend on where in the message one is:
 *  - what makes a reply empty, and of which kind it is when it holds several things;
 *  - <error/> and <warning/> inside a configuration are syslog severities unless they carry a
 *    message, and what is marked inactive there is not in force and therefore not read;
 *  - <bgp-information> is a summary when it counts peers or tells how long they have been so.
 * A value that is too long makes the message bad, because a cut name or address is another one;
 * text for people is cut.
 */
#include "junos_reply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "junos_reply_internal.h"

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The collected text without blanks around it. */
static char *
trim_text(struct junos_parser *parser)
{
	char *start = parser->text, *end = parser->text + parser->text_size;

	while (end > start && is_blank(end[-1]))
		end--;
	while (start < end && is_blank(*start))
		start++;
	*end = '\0';
	return start;
}

static void
set_payload(struct junos_parser *parser, enum junos_reply_kind kind)
{
	if (parser->payload == JUNOS_REPLY_OTHER)
		parser->payload = kind;
}

/* ---- elements ---------------------------------------------------------------------------- */

static bool
has_attribute(const struct junos_xml_attributes *attributes, const char *name, const char *value)
{
	char buf[16];

	return junos_xml_attribute(attributes, name, buf, sizeof(buf)) && strcmp(buf, value) == 0;
}

static void
begin_reply(struct junos_parser *parser, const struct junos_xml_attributes *attributes)
{
	char buf[256];

	parser->has_reply = true;
	if (junos_xml_attribute(attributes, "message-id", buf, sizeof(buf)))
		junos_build_text(&parser->reply->message_id, buf);
}

/* The answer to get-config: even without a <configuration> inside it says that there is nothing. */
static void
begin_data(struct junos_parser *parser)
{
	if (parser->stack[parser->depth - 1].node != NODE_REPLY)
		return;
	parser->reply->has_configuration = true;
	set_payload(parser, JUNOS_REPLY_CONFIG);
}

static void
begin_configuration(struct junos_parser *parser)
{
	parser->reply->has_configuration = true;
	parser->configuration_depth = parser->depth;
	set_payload(parser, JUNOS_REPLY_CONFIG);
}

static void
begin_node(struct junos_parser *parser, const struct open_element *element,
    const struct junos_xml_attributes *attributes)
{
	switch (element->node) {
	case NODE_REPLY:
		begin_reply(parser, attributes);
		break;
	case NODE_DATA:
		begin_data(parser);
		break;
	case NODE_ERROR:
	case NODE_WARNING:
		parser->error_depth = parser->depth;
		break;
	case NODE_HELLO:
		parser->payload = JUNOS_REPLY_HELLO;
		break;
	case NODE_BGP:
		set_payload(parser, JUNOS_REPLY_BGP_NEIGHBOR);
		break;
	case NODE_PEER:
		if (has_attribute(attributes, "style", "terse"))
			parser->is_summary = true;
		junos_build_peer(parser);
		break;
	case NODE_PEER_BFD:
		parser->reply->peers[parser->reply->peer_count - 1].bfd_configured = true;
		break;
	case NODE_RIB:
		junos_build_rib(parser);
		break;
	case NODE_BFD:
		set_payload(parser, JUNOS_REPLY_BFD);
		break;
	case NODE_SESSION:
		junos_build_session(parser);
		break;
	case NODE_UPTIME:
		set_payload(parser, JUNOS_REPLY_UPTIME);
		break;
	case NODE_TIME:
		parser->time = (struct time_block){ -1, -1 };
		break;
	case NODE_ROUTES:
		set_payload(parser, JUNOS_REPLY_ROUTES);
		break;
	case NODE_INTERFACES:
		set_payload(parser, JUNOS_REPLY_INTERFACES);
		break;
	case NODE_FIREWALL:
		set_payload(parser, JUNOS_REPLY_FIREWALL);
		break;
	case NODE_TABLE:
	case NODE_FILTER:
		parser->owner = NULL;
		break;
	case NODE_DESTINATION:
		parser->destination.is_good = false;
		break;
	case NODE_ENTRY:
		junos_build_route(parser);
		break;
	case NODE_NEXT_HOP:
		junos_build_next_hop(parser);
		break;
	case NODE_LOGICAL:
		junos_build_interface(parser);
		break;
	case NODE_COUNTER:
		junos_build_counter(parser);
		break;
	case NODE_CONFIGURATION:
		begin_configuration(parser);
		break;
	case NODE_DISCARD:
		parser->route.is_discard = true;
		break;
	case NODE_VALUE:
		if (element->rule->value == VALUE_SECONDS)
			junos_build_seconds(parser, element->rule, attributes);
		break;
	default:
		break;
	}
}

static void
end_node(struct junos_parser *parser, const struct open_element *element)
{
	struct junos_reply *reply = parser->reply;
	const char *text = junos_grammar_is_leaf(element->node) ? trim_text(parser) : "";

	switch (element->node) {
	case NODE_PEER:
		junos_build_end_peer(parser);
		break;
	case NODE_SESSION:
		junos_build_end_session(parser);
		break;
	case NODE_TIME:
		junos_build_end_time(parser, element->rule);
		break;
	case NODE_CONFIGURATION:
		parser->configuration_depth = 0;
		break;
	case NODE_LIST:
		junos_build_end_list(parser);
		break;
	case NODE_ROUTE:
		junos_build_end_route(parser);
		break;
	case NODE_ROUTING_RIB:
		junos_build_end_rib(parser);
		break;
	case NODE_ERROR:
	case NODE_WARNING:
		junos_build_end_error(parser, element->node == NODE_WARNING, text);
		parser->error_depth = 0;
		break;
	case NODE_VALUE:
		junos_build_value(parser, element->rule, text);
		break;
	case NODE_CAPABILITY:
		reply->base_1_0 |= strcmp(text, "urn:ietf:params:netconf:base:1.0") == 0;
		reply->base_1_1 |= strcmp(text, "urn:ietf:params:netconf:base:1.1") == 0;
		break;
	case NODE_OUTPUT:
		junos_build_output(parser, text);
		break;
	case NODE_OK:
		reply->ok = true;
		break;
	case NODE_SUMMARY_COUNT:
		parser->is_summary = true;
		break;
	case NODE_BFD_CONFIGURED:
		if (strcmp(text, "disabled") == 0)
			reply->peers[reply->peer_count - 1].bfd_configured = false;
		break;
	case NODE_ITEM_NAME:
		junos_build_item(parser, text);
		break;
	case NODE_NAME:
		junos_build_name(parser, text);
		break;
	case NODE_DESTINATION_TEXT:
		junos_build_destination(parser, text);
		break;
	case NODE_DESTINATION_LENGTH:
		junos_build_length(parser, text);
		break;
	case NODE_ACTIVE_TAG: /* "*" active and last active, "+" active, "-" last active */
		junos_last_route(reply)->active |= *text == '*' || *text == '+';
		break;
	case NODE_ACTIVE:
		junos_last_route(reply)->active = true;
		break;
	case NODE_TO:
		junos_build_to(parser, text);
		break;
	case NODE_CLEARED:
		junos_build_cleared(parser, text);
		break;
	default:
		break;
	}
}

static void
on_start(void *arg, const char *name, const struct junos_xml_attributes *attributes)
{
	struct junos_parser *parser = arg;
	enum node parent = parser->stack[parser->depth].node;
	struct open_element element = junos_grammar_classify(parent, name);

	if (parent == NODE_REPLY && element.node != NODE_CLI)
		parser->has_content = true;
	if (parser->error_depth > 0 && (element.node == NODE_ERROR || element.node == NODE_WARNING))
		element.node = NODE_OTHER;
	if (parser->configuration_depth > 0 && has_attribute(attributes, "inactive", "inactive"))
		element.node = NODE_SKIPPED;
	parser->text_size = 0;
	parser->text_cut = false;
	parser->stack[++parser->depth] = element;
	begin_node(parser, &element, attributes);
}

/* What people read may be cut; a name or an address that is cut would be another one. */
static bool
is_exact(const struct open_element *element)
{
	return (element->node == NODE_VALUE && element->rule->parent != NODE_ERROR) ||
	       element->node >= NODE_NAME;
}

static void
on_end(void *arg)
{
	struct junos_parser *parser = arg;
	struct open_element element = parser->stack[parser->depth--];

	if (parser->text_cut && is_exact(&element))
		junos_xml_refuse(parser->xml, "a value is longer than 65536 bytes");
	else
		end_node(parser, &element);
	parser->text_size = 0;
	parser->text_cut = false;
}

static void
on_text(void *arg, const char *text, size_t size)
{
	struct junos_parser *parser = arg;
	enum node node = parser->stack[parser->depth].node;

	if (node == NODE_REPLY) {
		for (size_t i = 0; i < size; i++)
			parser->has_content |= !is_blank(text[i]);
	}
	if (!junos_grammar_is_leaf(node))
		return;
	if (size > JUNOS_MAX_TEXT - parser->text_size) {
		size = JUNOS_MAX_TEXT - parser->text_size;
		parser->text_cut = true;
	}
	memcpy(parser->text + parser->text_size, text, size);
	parser->text_size += size;
}

/* ---- the object -------------------------------------------------------------------------- */

struct junos_parser *
junos_parser_new(void)
{
	struct junos_parser *parser = xcalloc(1, sizeof(*parser));

	parser->handler = (struct junos_xml_handler){ on_start, on_text, on_end, parser };
	parser->xml = junos_xml_new(&parser->handler);
	parser->reply = xcalloc(1, sizeof(*parser->reply));
	parser->reply->uptime = (struct junos_uptime){ -1, -1, -1 };
	parser->now = (struct time_block){ -1, -1 };
	return parser;
}

void
junos_parser_free(struct junos_parser *parser)
{
	if (!parser)
		return;
	junos_build_done(parser);
	junos_reply_free(parser->reply);
	junos_xml_free(parser->xml);
	free(parser);
}

int
junos_parser_feed(struct junos_parser *parser, const char *data, size_t size, struct error *err)
{
	return junos_xml_feed(parser->xml, data, size, err);
}

static enum junos_reply_kind
kind_of(const struct junos_parser *parser)
{
	const struct junos_reply *reply = parser->reply;

	if (parser->payload == JUNOS_REPLY_BGP_NEIGHBOR && parser->is_summary)
		return JUNOS_REPLY_BGP_SUMMARY;
	if (parser->payload != JUNOS_REPLY_OTHER)
		return parser->payload;
	if (junos_reply_error(reply))
		return JUNOS_REPLY_ERROR;
	if (reply->ok)
		return JUNOS_REPLY_OK;
	if (reply->text)
		return JUNOS_REPLY_TEXT;
	return parser->has_reply && !parser->has_content ? JUNOS_REPLY_EMPTY : JUNOS_REPLY_OTHER;
}

struct junos_reply *
junos_parser_salvage(struct junos_parser *parser)
{
	struct junos_reply *reply = parser->reply;

	reply->kind = kind_of(parser);
	junos_build_end(parser);
	parser->reply = NULL;
	return reply;
}

int
junos_parser_end(struct junos_parser *parser, struct junos_reply **ret_reply, struct error *err)
{
	int rc = junos_xml_end(parser->xml, err);

	if (rc == 0)
		*ret_reply = junos_parser_salvage(parser);
	return rc;
}

int
junos_reply_parse(const char *data, size_t size, struct junos_reply **ret_reply, struct error *err)
{
	struct junos_parser *parser = junos_parser_new();
	int rc = junos_parser_feed(parser, data, size, err);

	if (rc == 0)
		rc = junos_parser_end(parser, ret_reply, err);
	junos_parser_free(parser);
	return rc;
}

static void
free_peer(struct junos_peer *peer)
{
	for (size_t i = 0; i < peer->rib_count; i++)
		free(peer->ribs[i].name);
	free(peer->ribs);
	free(peer->address_text);
	free(peer->instance);
	free(peer->state);
	free(peer->bfd);
	free(peer->last_error);
}

static void
free_bfd(struct junos_bfd *bfd)
{
	free(bfd->neighbor_text);
	free(bfd->interface);
	free(bfd->state);
	free(bfd->local_diagnostic);
	free(bfd->remote_diagnostic);
}

void
junos_reply_free(struct junos_reply *reply)
{
	if (!reply)
		return;
	for (size_t i = 0; i < reply->error_count; i++) {
		free(reply->errors[i].message);
		free(reply->errors[i].tag);
	}
	for (size_t i = 0; i < reply->peer_count; i++)
		free_peer(&reply->peers[i]);
	for (size_t i = 0; i < reply->bfd_count; i++)
		free_bfd(&reply->bfd[i]);
	junos_free_shown(reply);
	free(reply->errors);
	free(reply->peers);
	free(reply->bfd);
	free(reply->message_id);
	free(reply->text);
	free(reply->session_id);
	listset_done(&reply->lists);
	free(reply);
}

const struct junos_error *
junos_reply_error(const struct junos_reply *reply)
{
	for (size_t i = 0; i < reply->error_count; i++) {
		if (!reply->errors[i].warning)
			return &reply->errors[i];
	}
	return NULL;
}

/* "inet.0" itself or that of an instance, "cgn-in.inet.0". */
static bool
is_table(const char *name, const char *table)
{
	size_t size = name ? strlen(name) : 0, tail = strlen(table);

	if (size < tail || strcmp(name + size - tail, table) != 0)
		return false;
	return size == tail || name[size - tail - 1] == '.';
}

int64_t
junos_bfd_configured(const struct junos_bfd *bfd)
{
	const int64_t interval_most_us = 255000000;

	if (bfd->client_reception_us <= 0 || bfd->client_reception_us > interval_most_us ||
	    bfd->local_multiplier <= 0 || bfd->local_multiplier > UINT8_MAX)
		return -1;
	return bfd->client_reception_us * bfd->local_multiplier;
}

int64_t
junos_peer_routes(const struct junos_peer *peer, enum family family)
{
	const char *table = family == FAMILY_IPV4 ? "inet.0" : "inet6.0";
	int64_t routes = -1;

	for (size_t i = 0; i < peer->rib_count; i++) {
		const struct junos_rib *rib = &peer->ribs[i];

		if (rib->active >= 0 && is_table(rib->name, table))
			routes = (routes < 0 ? 0 : routes) + rib->active;
	}
	return routes;
}
