/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole lab router in one struct: databases, peers, sessions, and who is told about changes.
 * main.c makes it, everybody else borrows it.
 */
#ifndef LABROUTER_ROUTER_H
#define LABROUTER_ROUTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "database.h"
#include "faults.h"
#include "loop.h"
#include "peers.h"

struct bmp_out;
struct control;
struct exports;
struct frr;
struct journal;
struct learned;
struct meters;
struct netconf;
struct plane;
struct sshd;
struct syslog_out;

struct labrouter {
	struct loop *loop;
	struct database *database;
	struct peer_table *peers;
	struct learned *learned; /* routes that the peers announce */
	struct meters *meters;   /* made-up traffic, and where counters begin */
	struct faults *faults;
	struct exports *exports;
	struct sshd *sshd;
	struct netconf *netconf;
	struct control *control;
	struct journal *journal;   /* NULL: none */
	struct bmp_out *bmp;       /* NULL: FRR sends it, or nobody */
	struct syslog_out *syslog; /* NULL: none */
	struct plane *plane;       /* NULL: no packets here */
	struct frr *frr;           /* NULL: simulated peers */
	struct loop_timer *frr_timer, *boot_timer;
	struct loop_timer *export_timer; /* NULL: no FRR */
	bool exports_stale;              /* FRR is not being given the policies as they are now */
	const char *hostname, *release;  /* of options */
	bool simulate;                   /* peers are ours to move */
	bool peers_from_config;          /* new next hops in a static commit become peers */
	bool rpd_is_off, rpd_is_forced_off; /* forced: by the control socket */
	bool is_booting, boot_peers_down;
	int64_t booted_us, rpd_started_us, configured_us; /* wall clock */
	char configured_by[64];
	uint64_t reboots;
	bool counters_are_off;         /* a router that keeps no statistics */
	bool counters_restart;         /* those of terms, with each commit */
	int64_t statistics_cleared_us; /* wall clock; 0: never */
};

/* The merged configuration changed: journal and syslog now, forwarding after the reply is sent. */
void labrouter_changed(struct labrouter *router, const struct database_change *change);
/* Asks FRR, where there is one, before an answer about peers is given. */
void labrouter_refresh_peers(struct labrouter *router);
/* The same before an answer about routes. -ENOTCONN with err: rpd is not running. */
int labrouter_refresh_routes(struct labrouter *router, struct error *err);
void labrouter_apply_exports(void *arg); /* for export_timer */
/* BMP and syslog come from this address from now on (BMP connects anew). -EINVAL with err. */
int labrouter_set_source(struct labrouter *router, const char *address, struct error *err);

/* A reboot, or with keep_ephemeral the switchover to a routing engine that had a copy. */
struct labrouter_reboot {
	bool keep_ephemeral;
	bool peers_down;  /* simulated peers wait for `peer up`; else they are up again, young */
	uint32_t down_ms; /* nobody gets in for so long */
	const char *host_key; /* path of the other routing engine's key; NULL: the same as before */
	const char *source;   /* address from which it tells; NULL: the same as before */
};
int labrouter_reboot(
    struct labrouter *router, const struct labrouter_reboot *reboot, struct error *err);
void labrouter_booted(void *arg); /* for boot_timer */
/* peers_down: when it is on again, simulated peers wait for `peer up`. */
void labrouter_set_rpd(struct labrouter *router, bool is_on, bool peers_down);
/* The operator commits another static configuration; is_load: what is there, with the file loaded
 * into it. */
int labrouter_replace_static(
    struct labrouter *router, const char *path, bool is_load, const char *user, struct error *err);

/* Numbers for the control socket's `status` and `wait`. */
struct labrouter_number {
	const char *name;
	uint64_t value;
};
enum { LABROUTER_NUMBERS_MAX = 40 };
size_t labrouter_numbers(
    const struct labrouter *router, struct labrouter_number ret_numbers[LABROUTER_NUMBERS_MAX]);

#endif
