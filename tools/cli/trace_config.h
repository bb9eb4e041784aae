/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of a router's configuration that decides where a packet goes, as read back from it: the
 * static configuration and an ephemeral instance, merged as the router merges them (Junos,
 * "committing ephemeral": per statement, so that the items of a prefix-list are a union).
 */
#ifndef AUTOFBF_CLI_TRACE_CONFIG_H
#define AUTOFBF_CLI_TRACE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "prefix.h"
#include "trace_texts.h"

struct trace_item {
	struct prefix prefix;
	bool ephemeral; /* only there; an item that the static list has as well is a static one */
};

struct trace_list {
	char *name;               /* owned */
	struct trace_item *items; /* owned; by prefix, unique */
	size_t count, capacity;
};

enum trace_field { TRACE_SOURCE, TRACE_DESTINATION, TRACE_EITHER, TRACE_FIELDS };

/* One entry of an address condition: a prefix-list, or a prefix where list is NULL. */
struct trace_address {
	char *list; /* owned */
	struct prefix prefix;
	bool except;
};

/* All entries for one field: one set, in which the longest match decides (Junos, "Firewall Filter
 * Match Conditions Based on Address Fields"). No entries: no condition. */
struct trace_condition {
	struct trace_address *entries; /* owned */
	size_t count;
};

enum trace_action {
	TRACE_ACCEPT,
	TRACE_DISCARD,
	TRACE_REJECT,
	TRACE_INSTANCE,       /* target: routing instance */
	TRACE_NEXT_IP,        /* target: address */
	TRACE_NEXT_INTERFACE, /* target: interface */
	TRACE_NEXT_TERM,
	TRACE_UNJUDGED, /* target: the statement, which is not known here */
};

struct trace_term {
	char *name;                                /* owned */
	struct trace_condition from[TRACE_FIELDS]; /* all of them must hold */
	char *other; /* owned or NULL; further conditions, as text: "protocol udp, ..." */
	enum trace_action action;
	char *target; /* owned or NULL, see the action */
	char *count;  /* owned or NULL; the counter */
};

struct trace_filter {
	enum family family;
	char *name;               /* owned */
	struct trace_term *terms; /* owned; in order, the first that matches decides */
	size_t term_count;
};

/* What one interface applies to the packets of one family that enter it or leave it. */
struct trace_binding {
	char *interface; /* owned; "ge-0/0/0.100" */
	enum family family;
	bool output;
	char **filters; /* owned; input-list or output-list: one after the other */
	size_t filter_count;
};

struct trace_address_of { /* an interface's own network */
	char *interface;  /* owned */
	struct prefix network;
};

enum trace_route_kind {
	TRACE_ROUTE_NEXT_HOP,
	TRACE_ROUTE_INTERFACE, /* no address: connected, or named by its interface */
	TRACE_ROUTE_DISCARD,
	TRACE_ROUTE_REJECT,
	TRACE_ROUTE_OTHER, /* says something that is not known here, see via */
};

struct trace_route {
	char *table; /* owned; "inet.0", "fbf-01-in.inet6.0" */
	struct prefix prefix;
	enum trace_route_kind kind;
	struct ip next_hop;
	char *via;      /* owned or NULL; interface, or what OTHER says */
	char *protocol; /* owned or NULL; "Static", "BGP" */
	size_t rank;    /* order of what was said of one prefix: its first next hop comes first */
};

struct trace_routes {
	struct trace_route *routes; /* owned; by table, then prefix, then rank */
	size_t count, capacity;
};

struct trace_config {
	struct trace_list *lists; /* owned; by name */
	size_t list_count, list_capacity;
	struct trace_filter *filters; /* owned */
	size_t filter_count;
	struct trace_binding *bindings; /* owned */
	size_t binding_count;
	struct trace_address_of *networks; /* owned */
	size_t network_count;
	char **instances; /* owned; names of routing instances */
	size_t instance_count;
	struct trace_routes routes; /* static ones of all tables, preferred next hop first */
	struct trace_texts doubts;  /* what was read and not understood */
};

/* A zeroed struct is an empty configuration. */
void trace_config_done(struct trace_config *config);
/* Adds what text says: <configuration>, anywhere in an rpc-reply or alone, of the static
 * configuration or of the ephemeral instance (which may be empty). Statements marked inactive are
 * not there. name stands for text in errors. After it trace_config_sort must follow, once.
 * 0; -EINVAL: no XML, no configuration, or the router's error. */
int trace_config_add(struct trace_config *config, const char *text, size_t size, bool ephemeral,
    const char *name, struct error *err);
void trace_config_sort(struct trace_config *config);

/* In a sorted configuration; NULL: none. */
const struct trace_list *trace_config_list(const struct trace_config *config, const char *name);
const struct trace_filter *trace_config_filter(
    const struct trace_config *config, enum family family, const char *name);
const struct trace_binding *trace_config_binding(
    const struct trace_config *config, const char *interface, enum family family, bool output);
bool trace_config_has_instance(const struct trace_config *config, const char *name);
/* The longest item that contains the address. */
const struct trace_item *trace_list_longest(const struct trace_list *list, const struct ip *ip);
/* The interface whose network has the address; the longest; NULL: none is known. */
const char *trace_config_facing(const struct trace_config *config, const struct ip *ip);

/* The unicast table of an instance: "inet.0" of "master" or "default". The caller frees it. */
char *trace_table(const char *instance, enum family family);
void trace_routes_done(struct trace_routes *routes);
/* A zeroed route at the end, to be filled; table is copied. */
struct trace_route *trace_routes_new(struct trace_routes *routes, const char *table);
void trace_routes_sort(struct trace_routes *routes);
/* The longest route of a table that covers the prefix, its first next hop; NULL: none. */
const struct trace_route *trace_routes_longest(
    const struct trace_routes *routes, const char *table, const struct prefix *prefix);
/* The next next hop of the same route; NULL: there are no more. */
const struct trace_route *trace_routes_other(
    const struct trace_routes *routes, const struct trace_route *route);
bool trace_routes_know(const struct trace_routes *routes, const char *table);
/* Routes inside the prefix, longer than it: previous NULL starts. */
const struct trace_route *trace_routes_below(const struct trace_routes *routes, const char *table,
    const struct prefix *prefix, const struct trace_route *previous);
/* Adds the active routes of <route-information>, one or several in a document. 0, or -EINVAL. */
int trace_routes_add(struct trace_routes *routes, const char *text, size_t size, const char *name,
    struct error *err);

#endif
