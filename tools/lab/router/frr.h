/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BGP and BFD state from the FRR daemons of the router's namespace, through their vty unix sockets
 * (DIR/bgpd.vty, DIR/bfdd.vty), into the router's peer table. vtysh would cost 25 ms a call; the
 * sockets answer 32 peers in about 1 ms.
 */
#ifndef LABROUTER_FRR_H
#define LABROUTER_FRR_H

#include <stdbool.h>

#include "error.h"

struct frr;
struct learned;
struct peer_table;

/* vty_dir is copied. Connects on first use, and again after a daemon restarted. */
struct frr *frr_new(const char *vty_dir);
void frr_free(struct frr *frr); /* NULL is fine */

/*
 * Asks both daemons and writes what they say into table: state, time since Established, prefixes,
 * flaps, last error and BFD of every peer that FRR knows. Waits at most 200 ms for each answer
 * (normally 1 ms). Call it before an operational reply is made, and a few times a second for the
 * log lines that state edges cause.
 * 0; -ENOTCONN with err: bgpd does not answer ("rpd is not running"), table untouched.
 * A silent bfdd is no error: what was known of its sessions stays.
 */
int frr_refresh(struct frr *frr, struct peer_table *table, struct error *err);

/* Asks bgpd for the routes that its peers announce, of both families (about 1 ms).
 * 0; -ENOTCONN with err: bgpd does not answer, learned untouched. */
int frr_routes(struct frr *frr, struct learned *learned, struct error *err);

/* Begins to run lines in bgpd's configuration mode, in place of what is not done yet of earlier
 * ones. */
void frr_configure(struct frr *frr, const char *lines);
/* Runs the next line (about half a millisecond): 1: there are more, 0: all is done. -EINVAL with
 * err: bgpd refused a line (not one that begins with "no "); another -errno: it does not answer. In
 * both cases the rest is dropped. */
int frr_configure_step(struct frr *frr, struct error *err);
bool frr_is_configuring(const struct frr *frr);

#endif
