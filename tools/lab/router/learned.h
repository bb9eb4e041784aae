/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The routes that BGP peers announce. Written by the control socket (simulation) or by frr.c; what
 * a peer announces counts only while its session is Established, so that nobody has to take it out
 * when the session ends, and it is back when the session is.
 */
#ifndef LABROUTER_LEARNED_H
#define LABROUTER_LEARNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mtime.h"
#include "peers.h"
#include "prefix.h"

enum { LEARNED_LOCAL_PREFERENCE = 100 }; /* RFC 4271 has no default; everybody's is 100 */

struct learned_route {
	struct ip peer; /* and next hop: sessions are single-hop */
	struct prefix prefix;
	uint32_t local_preference;
	bool may_win;       /* false: bgpd prefers another route, perhaps one of its own */
	struct mtime since; /* announced without a break */
	/* Of an answer of learned_list only: */
	char table[PEER_NAME_SIZE + 16]; /* "inet.0", "one-out.inet6.0" */
	const struct peer *from;         /* borrowed from the peer table */
};

struct learned;

struct learned *learned_new(void);
void learned_free(struct learned *learned);
/* Announces, or again with another preference. */
void learned_announce(struct learned *learned, const struct learned_route *route);
/* -ENOENT: the peer does not announce it. */
int learned_withdraw(struct learned *learned, const struct ip *peer, const struct prefix *prefix);
/* Exactly these from now on; those that were there keep their age. */
void learned_replace(struct learned *learned, const struct learned_route *routes, size_t count);

/* The routes of Established peers (owned by the caller, free) by table, then prefix, the best one
 * first: one that may win, the highest local preference (RFC 4271 9.1.1), the lowest address. */
struct learned_route *learned_list(
    const struct learned *learned, const struct peer_table *peers, size_t *ret_count);

#endif
