/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Junos' NETCONF messages as values. Elements are matched by local name (payload namespaces carry
 * the release, and reply prefixes vary), values are trimmed, wrappers
 * (multi-routing-engine-results) are looked through. Reads with libxml2's push parser, so that a
 * big reply costs steps and no tree; a DTD, depth over 64 or bad XML is an error. No sockets:
 * fuzzed.
 *
 * One parser object collects whatever it meets in one message; the caller asks for what it
 * expected.
 */
#ifndef AUTOFBF_JUNOS_REPLY_H
#define AUTOFBF_JUNOS_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "listset.h"
#include "prefix.h"

enum junos_reply_kind {
	JUNOS_REPLY_OTHER, /* well-formed, nothing we know */
	JUNOS_REPLY_HELLO,
	JUNOS_REPLY_EMPTY,        /* <rpc-reply/> without content (<cli> does not count) */
	JUNOS_REPLY_OK,           /* <ok/>, commit-success or load-success, and no error */
	JUNOS_REPLY_BGP_NEIGHBOR, /* get-bgp-neighbor-information; also an empty <bgp-information/>
	                           */
	JUNOS_REPLY_BGP_SUMMARY,  /* get-bgp-summary-information */
	JUNOS_REPLY_BFD,          /* get-bfd-session-information */
	JUNOS_REPLY_UPTIME,       /* get-system-uptime-information */
	JUNOS_REPLY_ROUTES,       /* get-route-information; also an empty <route-information/> */
	JUNOS_REPLY_INTERFACES,   /* get-interface-information */
	JUNOS_REPLY_FIREWALL,     /* get-firewall-filter-information, get-firewall-information */
	JUNOS_REPLY_CONFIG,       /* <configuration> or the <data> of get-config, maybe empty */
	JUNOS_REPLY_TEXT,         /* <output>: a fact in words, as "BGP is not running" */
	JUNOS_REPLY_ERROR         /* at least one error of severity error and nothing better */
};

struct junos_rib {
	char *name;
	int64_t active, received, accepted; /* -1: absent */
};

struct junos_peer {
	struct ip address;   /* without "+port" */
	bool address_ok;     /* text was a literal address */
	char *address_text;  /* as written, without "+port" */
	char *instance;      /* NULL: not told */
	char *state;         /* "Established", "Idle", ... ; NULL: absent */
	int64_t elapsed_s;   /* -1: absent; also present for peers that are down */
	char *bfd;           /* bfd-operational-state, "up", "down"; NULL: no BFD block */
	bool bfd_configured; /* there is a BFD block and it does not say "disabled" */
	uint32_t flap_count;
	char *last_error; /* NULL: absent */
	struct junos_rib *ribs;
	size_t rib_count;
};

struct junos_bfd {
	char *neighbor_text;
	struct ip neighbor;
	bool neighbor_ok;
	char *interface;                                     /* NULL: absent or empty (multi-hop) */
	char *state;                                         /* "Up", "Down", "Init", "AdminDown" */
	char *local_diagnostic, *remote_diagnostic;          /* NULL: absent */
	int64_t detection_time_us, transmission_interval_us; /* -1: absent */
	int64_t multiplier;                                  /* -1: absent */
	/* What was configured here: the least interval that a client asked for, and the multiplier,
	 * before anything was negotiated or adapted. -1: absent. */
	int64_t client_reception_us, local_multiplier;
};

/* The detection time as configured on the router, in microseconds; -1: it does not tell. */
int64_t junos_bfd_configured(const struct junos_bfd *bfd);

struct junos_error {
	bool warning;
	char *message; /* owned; trimmed, never NULL */
	char *tag;     /* NULL: absent */
};

struct junos_uptime { /* ages in seconds; -1: absent; of several routing engines the first */
	int64_t booted_s, protocols_started_s, last_configured_s;
};

struct junos_next_hop {
	struct ip to; /* when to_ok */
	bool to_ok;
	char *via; /* interface; NULL: absent */
};

struct junos_route {       /* one entry: a destination may have several, one of them active */
	const char *table; /* borrowed from the reply's names; NULL: not told */
	struct prefix destination;
	bool destination_ok;
	bool active;
	char *protocol; /* "BGP", "Static", ...; NULL: absent */
	char *nh_type;  /* "Router", "Discard", ...; NULL: absent, as in brief replies */
	struct junos_next_hop *next_hops;
	size_t next_hop_count;
};

/* Since the interface came up or its statistics were cleared. JUNOS_NO_COUNT: absent. */
#define JUNOS_NO_COUNT UINT64_MAX
struct junos_traffic {
	uint64_t input_packets, output_packets, input_bytes, output_bytes;
};

struct junos_interface {              /* a logical one */
	char *name;                   /* "ae0.100"; NULL: absent */
	struct junos_traffic traffic; /* traffic-statistics: transit and the router's own */
	struct junos_traffic transit; /* transit-traffic-statistics */
};

struct junos_counter {
	const char *filter; /* borrowed from the reply's names; NULL: absent */
	char *name;         /* NULL: absent */
	uint64_t packets, bytes;
};

struct junos_reply {
	enum junos_reply_kind kind;
	char *message_id;           /* NULL: none */
	struct junos_error *errors; /* every error and warning, at any depth; the first 256 */
	size_t error_count;
	bool ok;    /* an <ok/>, <commit-success/> or <load-success/> was there */
	char *text; /* <output> text, NULL: none */
	struct junos_peer *peers;
	size_t peer_count;
	struct junos_bfd *bfd;
	size_t bfd_count;
	struct junos_uptime uptime;
	char **names; /* of route tables and filters, for those that belong to them */
	size_t name_count;
	struct junos_route *routes;
	size_t route_count;
	struct junos_interface *interfaces;
	size_t interface_count;
	/* "2026-01-02 03:04:05 UTC" or "Never": when the statistics of an interface were cleared,
	 * of several the first; NULL: not told. Without the age behind it, so that two replies
	 * differ only when somebody has cleared them. */
	char *cleared;
	struct junos_counter *counters;
	size_t counter_count;
	struct listset lists; /* policy-options prefix-list of a configuration, sorted; without what
	                         is marked inactive. LISTSET_SIGNAL_ROUTES: its static discard
	                         routes in inet.0 and inet6.0, whoever wrote them; no such list
	                         when there is none */
	size_t bad_items; /* items and discard routes that are no prefixes (or have host bits) */
	bool has_configuration;
	/* hello */
	bool base_1_0, base_1_1;
	char *session_id;
};

struct junos_parser;

/* Push form: for big replies, fed in steps on the loop. */
struct junos_parser *junos_parser_new(void);
void junos_parser_free(struct junos_parser *parser);
/* 0, or -EBADMSG with err once the message is bad (final). */
int junos_parser_feed(
    struct junos_parser *parser, const char *data, size_t size, struct error *err);
/* Ends the message; on success the reply is handed over (junos_reply_free). */
int junos_parser_end(
    struct junos_parser *parser, struct junos_reply **ret_reply, struct error *err);
/* What was understood so far, also of a message that is bad: for people who look at captures, never
 * for decisions. After it the parser can only be freed. */
struct junos_reply *junos_parser_salvage(struct junos_parser *parser);
/* All at once. */
int junos_reply_parse(
    const char *data, size_t size, struct junos_reply **ret_reply, struct error *err);
void junos_reply_free(struct junos_reply *reply);
/* First error that is not a warning; NULL: none. */
const struct junos_error *junos_reply_error(const struct junos_reply *reply);
/* Active routes that the peer brought for the family: the sum of active-prefix-count over its RIBs
 * inet.0 (IPv6: inet6.0), the main one and those of instances ("cgn-in.inet.0"). -1: none is told,
 * as for every peer that is not Established; a route that a rib-group copies counts in each. */
int64_t junos_peer_routes(const struct junos_peer *peer, enum family family);
/* By name; NULL: none. reply may be NULL. */
const struct junos_interface *junos_find_interface(
    const struct junos_reply *reply, const char *name);
const struct junos_counter *junos_find_counter(
    const struct junos_reply *reply, const char *filter, const char *name);
/* Where a route leads, as seen from a BGP peer on that interface (NULL: not known): the peer itself
 * when its address is the next hop, or a link-local one on its interface; else another next hop. Of
 * several a foreign one, for some packets go there. NULL: none, as for a discard route. */
const struct ip *junos_route_leads_to(
    const struct junos_route *route, const struct ip *peer, const char *interface);
/* It leads to a link-local address and the interface is not known: that may be the peer's or
 * anybody's. */
bool junos_route_is_ambiguous(
    const struct junos_route *route, const struct ip *peer, const char *interface);
/* The active route for exactly this destination; NULL: none. */
const struct junos_route *junos_find_route(
    const struct junos_reply *reply, const struct prefix *destination);

#endif
