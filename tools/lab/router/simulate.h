/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated peers: which there are, and how a session goes down and comes up. */
#ifndef LABROUTER_SIMULATE_H
#define LABROUTER_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>

#include <libxml/tree.h>

#include "mtime.h"
#include "peers.h"

/* Adds a peer for every address that the configuration has a BGP neighbour for, or sends packets to
 * from a routing instance (next-hop of a static route). Returns the number of peers added. */
size_t simulate_peers_from(struct peer_table *table, const xmlDoc *configuration, struct mtime now);

/* The one route that a peer brings when it comes up: not there any more, or again; the session
 * stays as it is. */
void simulate_default_route(struct peer_table *table, const struct ip *address, bool is_there);
/* One peer, as the failure would be seen: with BFD first or BGP first, and the routes with it. */
void simulate_down(struct peer_table *table, const struct ip *address, enum peer_cause cause);
/* Established (as of since) and, when use_bfd, BFD up too. */
void simulate_up(
    struct peer_table *table, const struct ip *address, bool use_bfd, struct mtime since);

#endif
