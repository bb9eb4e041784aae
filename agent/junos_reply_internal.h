/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of junos_reply share: the grammar as a table (junos_reply_grammar.c), the objects
 * that are put together (junos_reply_build.c, junos_reply_show.c), and the parser that drives both
 * (junos_reply.c).
 */
#ifndef AUTOFBF_JUNOS_REPLY_INTERNAL_H
#define AUTOFBF_JUNOS_REPLY_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "junos_reply.h"
#include "junos_reply_xml.h"

enum {
	JUNOS_MAX_ERRORS = 256,
	JUNOS_MAX_OBJECTS = 1 << 17, /* of one kind in a message: peers, RIBs, routes, ... */
	JUNOS_MAX_TEXT = 1 << 16     /* bytes of one value */
};

/* What an open element is. The order matters: see junos_grammar_is_leaf. */
enum node {
	NODE_MESSAGE, /* outside of all documents */
	NODE_REPLY,
	NODE_THROUGH, /* not known, outside of payloads: looked through */
	NODE_OTHER,   /* not known, inside a payload */
	NODE_SKIPPED, /* inactive */
	NODE_CLI,
	NODE_DATA,
	NODE_HELLO,
	NODE_CAPABILITIES,
	NODE_BGP,
	NODE_PEER,
	NODE_PEER_BFD,
	NODE_RIB,
	NODE_BFD,
	NODE_SESSION,
	NODE_BFD_CLIENT,
	NODE_UPTIME,
	NODE_TIME,
	NODE_NOW,
	NODE_ROUTES,
	NODE_TABLE,
	NODE_DESTINATION,
	NODE_ENTRY,
	NODE_NEXT_HOP,
	NODE_INTERFACES,
	NODE_PHYSICAL,
	NODE_LOGICAL,
	NODE_TRAFFIC,
	NODE_TRANSIT,
	NODE_FIREWALL,
	NODE_FILTER,
	NODE_COUNTER,
	NODE_CONFIGURATION,
	NODE_POLICY,
	NODE_LIST,
	NODE_ITEM,
	NODE_ROUTING,
	NODE_ROUTING_RIB,
	NODE_STATIC,
	NODE_ROUTE,
	NODE_DISCARD,
	/* from here on the text counts */
	NODE_ERROR,
	NODE_WARNING,
	NODE_VALUE, /* the rule says where it goes */
	NODE_CAPABILITY,
	NODE_OUTPUT,
	NODE_OK,
	NODE_SUMMARY_COUNT,
	NODE_BFD_CONFIGURED,
	NODE_ITEM_NAME,
	NODE_NAME, /* of a table or filter */
	NODE_DESTINATION_TEXT,
	NODE_DESTINATION_LENGTH,
	NODE_ACTIVE_TAG,
	NODE_ACTIVE,
	NODE_TO,
	NODE_CLEARED,
};

enum value {
	VALUE_NONE,
	VALUE_TEXT,
	VALUE_COUNT,
	VALUE_COUNT32,
	VALUE_COUNT64,
	VALUE_USECONDS,
	VALUE_LEAST_USECONDS, /* of several, without those that are 0 */
	VALUE_SECONDS
};

/* Times of one block of get-system-uptime-information. */
struct time_block {
	int64_t date, length;
};

/* An error being read. */
struct error_block {
	char *message, *tag, *severity;
};

/* A static route being read, and the rib that it is in. */
struct route_block {
	char *name, *rib; /* owned; rib NULL: directly below routing-options */
	bool is_discard;
};

/* The destination whose entries are being read: "10.0.0.0/26", or the address and then its length.
 */
struct destination_block {
	struct prefix prefix;
	bool is_good;
};

struct rule {
	enum node parent;
	const char *name;
	enum node node;
	enum value value; /* of a NODE_VALUE: its type, and its place in the parent's object */
	size_t offset;
};

struct open_element {
	enum node node;
	const struct rule *rule; /* NULL: not in the table */
};

struct junos_parser {
	struct junos_xml_handler handler;
	struct junos_xml *xml;     /* owned */
	struct junos_reply *reply; /* owned until it is handed over */
	struct open_element stack[JUNOS_XML_MAX_DEPTH + 1];
	size_t depth;
	size_t error_depth;            /* of the open error; 0: none */
	size_t configuration_depth;    /* of the open <configuration>; 0: none */
	char text[JUNOS_MAX_TEXT + 1]; /* of the innermost open element */
	size_t text_size;
	bool text_cut;
	bool has_reply, has_content, is_summary;
	enum junos_reply_kind payload; /* JUNOS_REPLY_OTHER: none yet */
	size_t rib_total, next_hop_total;
	/* objects being read */
	struct error_block error;
	struct time_block now, time;
	struct prefix_list list;
	struct route_block route;
	struct prefix_list routes; /* all discard routes of the message */
	const char *owner;         /* borrowed: the table or filter being read */
	struct destination_block destination;
};

/* The rule for a child of parent; a parent outside of all payloads is NODE_THROUGH. The element's
 * rule is NULL when the table does not know it. */
struct open_element junos_grammar_classify(enum node parent, const char *name);
/* The text inside counts. */
bool junos_grammar_is_leaf(enum node node);

/* Begin an object of the reply; the parser is told when there are too many. */
void junos_build_peer(struct junos_parser *parser);
void junos_build_rib(struct junos_parser *parser);
void junos_build_session(struct junos_parser *parser);
/* End one: what needs all of its values. */
void junos_build_end_peer(struct junos_parser *parser);
void junos_build_end_session(struct junos_parser *parser);
void junos_build_end_error(struct junos_parser *parser, bool warning, const char *text);
void junos_build_end_time(struct junos_parser *parser, const struct rule *rule);
void junos_build_end_list(struct junos_parser *parser);
void junos_build_end_route(struct junos_parser *parser);
void junos_build_end_rib(struct junos_parser *parser);
/* Ends the message: what was collected from all over it. */
void junos_build_end(struct junos_parser *parser);
/* One value with its trimmed text. */
void junos_build_output(struct junos_parser *parser, const char *text);
void junos_build_item(struct junos_parser *parser, const char *text);
void junos_build_text(char **field, const char *text);
void junos_build_value(struct junos_parser *parser, const struct rule *rule, const char *text);
/* The seconds attribute of a VALUE_SECONDS. */
void junos_build_seconds(struct junos_parser *parser, const struct rule *rule,
    const struct junos_xml_attributes *attributes);
/* Gives back what is half read. */
void junos_build_done(struct junos_parser *parser);
/* For arrays that grow one by one, by doubling; size is that of one object. */
void *junos_build_grow(void *array, size_t count, size_t size);
/* The address in front of a zone, as in "fe80::1%ge-0/0/0.0". */
bool junos_build_address(const char *text, struct ip *ret_ip);

/* ---- junos_reply_show.c ---- */

/* Begin an object. */
void junos_build_route(struct junos_parser *parser);
void junos_build_next_hop(struct junos_parser *parser);
void junos_build_interface(struct junos_parser *parser);
void junos_build_counter(struct junos_parser *parser);
/* One value with its trimmed text. */
void junos_build_name(struct junos_parser *parser, const char *text);
void junos_build_destination(struct junos_parser *parser, const char *text);
void junos_build_length(struct junos_parser *parser, const char *text);
void junos_build_to(struct junos_parser *parser, const char *text);
void junos_build_cleared(struct junos_parser *parser, const char *text);

/* There is one: their element is open. */
struct junos_route *junos_last_route(struct junos_reply *reply);
struct junos_next_hop *junos_last_next_hop(struct junos_reply *reply);
void junos_free_shown(struct junos_reply *reply);

#endif
