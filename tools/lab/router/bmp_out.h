/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BMP (RFC 7854) to a station, as a router sends it: connects, and reconnects, by itself; first the
 * state of every peer, then each change. Two habits: FRR's (the reason never tells the cause; Downs
 * of peers that are down already are repeated every second and before each Up) and Junos'.
 */
#ifndef LABROUTER_BMP_OUT_H
#define LABROUTER_BMP_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "loop.h"
#include "peers.h"

struct bmp_out;

enum bmp_habit { BMP_LIKE_FRR, BMP_LIKE_JUNOS };

struct bmp_out_options {
	const char *station; /* "127.0.0.1:11019" */
	const char *hostname;
	enum bmp_habit habit;
	uint32_t repeat_ms; /* repeated Downs; 0: none */
	uint32_t retry_ms;  /* pause between connection attempts */
};

/* table is borrowed and observed. */
int bmp_out_new(struct loop *loop, struct peer_table *table, const struct bmp_out_options *options,
    struct bmp_out **ret_out, struct error *err);
void bmp_out_free(struct bmp_out *out); /* NULL is fine */
/* Off: the session closes and stays closed until on. */
void bmp_out_set(struct bmp_out *out, bool is_on);
/* The session stands and says nothing more, until it is closed. */
void bmp_out_mute(struct bmp_out *out);
/* Closes the session; it comes back after the pause. */
void bmp_out_restart(struct bmp_out *out);
/* Connects from this address from now on; a session that is there is closed. -EINVAL with err. */
int bmp_out_set_source(struct bmp_out *out, const char *address, struct error *err);
/* Peer Down with reason 5 (RFC 7854 4.9): no more monitoring of this peer. */
void bmp_out_stop_monitoring(struct bmp_out *out, const struct peer *peer);
/* Bytes that are no BMP, into the session. */
void bmp_out_garbage(struct bmp_out *out);
bool bmp_out_is_connected(const struct bmp_out *out);
uint64_t bmp_out_sessions(const struct bmp_out *out); /* connections made so far */

#endif
