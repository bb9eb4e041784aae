/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of BGP peers and their BFD sessions: the lab router's "rpd" and "bfdd".
 *
 * Two writers: the control socket (simulation) and frr.c (a real FRR). Readers: the operational
 * RPCs, and observers that turn a change into BMP and syslog. A setter that changes nothing tells
 * nobody, so a poller may set the same truth again and again.
 */
#ifndef LABROUTER_PEERS_H
#define LABROUTER_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "mtime.h"
#include "prefix.h"

enum peer_bgp {
	PEER_IDLE,
	PEER_CONNECT,
	PEER_ACTIVE,
	PEER_OPENSENT,
	PEER_OPENCONFIRM,
	PEER_ESTABLISHED,
	PEER_BGP_COUNT
};
extern const char
    *const peer_bgp_names[PEER_BGP_COUNT]; /* "Idle", ... as Junos and FRR write them */

enum peer_bfd {
	PEER_BFD_NONE,
	PEER_BFD_ADMINDOWN,
	PEER_BFD_DOWN,
	PEER_BFD_INIT,
	PEER_BFD_UP,
	PEER_BFD_COUNT
};
extern const char
    *const peer_bfd_names[PEER_BFD_COUNT]; /* NULL, "AdminDown", "Down", "Init", "Up" */

/* Why a session ended. PEER_CAUSE_UNKNOWN also for "came up". */
enum peer_cause {
	PEER_CAUSE_UNKNOWN,
	PEER_CAUSE_BFD,          /* BFD's detection time ran out */
	PEER_CAUSE_HOLD_TIMER,   /* no keepalive for the hold time */
	PEER_CAUSE_ADMIN,        /* shut down on this router */
	PEER_CAUSE_NOTIFICATION, /* NOTIFICATION received */
	PEER_CAUSE_CLOSED,       /* TCP connection closed by the peer */
	PEER_CAUSE_INTERFACE,    /* interface went down */
	PEER_CAUSE_COUNT
};
extern const char
    *const peer_cause_names[PEER_CAUSE_COUNT]; /* "unknown", "bfd", "hold-timer", ... */

enum { PEER_NAME_SIZE = 64, PEER_RIB_MAX = 4 };

struct peer_rib {
	char name[PEER_NAME_SIZE]; /* "inet.0", "cgn.inet6.0"; "" ends the array */
	uint32_t active, received, accepted;
};

struct peer {
	struct ip address;              /* the key */
	char instance[PEER_NAME_SIZE];  /* "master" when it is in no routing instance */
	char group[PEER_NAME_SIZE];     /* BGP group; never empty */
	char interface[PEER_NAME_SIZE]; /* "" when unknown */
	uint32_t as, local_as;
	bool use_bfd; /* BFD is configured on the session */
	enum peer_bgp bgp;
	struct mtime since; /* when Established was reached or left */
	enum peer_bfd bfd;
	struct mtime bfd_since;
	bool bfd_was_admin;       /* the last BFD down was no failure: AdminDown */
	uint32_t bfd_interval_us; /* as configured, both ways */
	uint32_t bfd_adapted;     /* the interval was raised so many times; 1: not */
	uint32_t bfd_multiplier;
	uint32_t flaps;             /* times Established was left */
	enum peer_cause last_cause; /* of the last down */
	struct peer_rib ribs[PEER_RIB_MAX];
};

struct peer_table;

/* before and now are borrowed for the call; before->bgp or before->bfd differs from now's.
 * NULL before: the peer is new. */
typedef void peer_change_fn(void *arg, const struct peer *before, const struct peer *now);

struct peer_table *peer_table_new(void);
void peer_table_free(struct peer_table *table);
/* Observers are called in the order they were added, after the table has changed. */
void peer_table_observe(struct peer_table *table, peer_change_fn *fn, void *arg);

/* Adds a peer with everything but its states (down, since now). Returns the peer in the table; an
 * address that is there already only has its instance, group, interface and AS numbers updated. */
const struct peer *peer_table_add(
    struct peer_table *table, const struct peer *peer, struct mtime now);
size_t peer_table_count(const struct peer_table *table);
const struct peer *peer_table_at(
    const struct peer_table *table, size_t index); /* order of adding */
const struct peer *peer_table_find(const struct peer_table *table, const struct ip *address);

/* Setters: 0, or -ENOENT when the address is no peer. since: the time of the change. */
int peer_set_bgp(struct peer_table *table, const struct ip *address, enum peer_bgp bgp,
    enum peer_cause cause, struct mtime since);
/* is_admin: the BFD session was taken down as a consequence or on purpose, not by a failure. */
int peer_set_bfd(struct peer_table *table, const struct ip *address, enum peer_bfd bfd,
    bool is_admin, struct mtime since);
int peer_set_rib(struct peer_table *table, const struct ip *address, const struct peer_rib *rib);
/* Junos raises the interval of a session that flaps; 1: cleared. -ENOENT: no such peer. */
int peer_set_bfd_adapted(struct peer_table *table, const struct ip *address, uint32_t times);
int peer_set_bfd_timers(
    struct peer_table *table, const struct ip *address, uint32_t interval_us, uint32_t multiplier);
/* device: the kernel's name; a name without a unit is unit 0 ("ei1" is ei1.0). */
int peer_set_interface(struct peer_table *table, const struct ip *address, const char *device);

/* "10.1.1.2[,instance=NAME][,as=N][,local-as=N][,group=NAME][,interface=NAME][,bfd=no]" */
int peer_parse(const char *text, struct peer *ret_peer, struct error *err);

#endif
