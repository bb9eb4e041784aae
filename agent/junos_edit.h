/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to the router as text, one <rpc> per call, without framing. Junos' own words: the Junos
 * XML protocol over NETCONF. Plan -> load-configuration action="merge" format="xml" with
 * delete="delete" items, in parts of at most max_bytes each. An edit of the list
 * LISTSET_SIGNAL_ROUTES becomes `routing-options static route PREFIX { discard; no-install;
 * no-readvertise; }`, for IPv6 below `routing-options rib inet6.0`. No sockets.
 */
#ifndef AUTOFBF_JUNOS_EDIT_H
#define AUTOFBF_JUNOS_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan.h"

enum { JUNOS_LOAD_MAX_BYTES = 4 << 20 };

/* All return owned text (free). id is the message-id. */
char *junos_rpc_hello(void);
char *junos_rpc_open(uint32_t id, const char *instance);
char *junos_rpc_commit(uint32_t id, bool synchronize);
char *junos_rpc_close(uint32_t id); /* close-configuration */
char *junos_rpc_close_session(uint32_t id);
/* While the instance is open: get-config candidate, policy-options and routing-options only. */
char *junos_rpc_get_candidate(uint32_t id);
/* Without opening: get-configuration database="ephemeral" ephemeral-instance=NAME, the prefix-lists
 * and the static routes of inet.0 and inet6.0. */
char *junos_rpc_get_ephemeral(uint32_t id, const char *instance);
/* get-configuration database="committed": the same of the static configuration. */
char *junos_rpc_get_static(uint32_t id);
/* get-config running: what decides about packets, and no secrets. Filters, prefix-lists, units of
 * interfaces with their addresses and filters, routing instances without their protocols, static
 * routes and rib-groups; and where groups are applied to any of these, for what they add is not in
 * it. */
char *junos_rpc_get_forwarding(uint32_t id);
char *junos_rpc_get_bgp_summary(uint32_t id);
char *junos_rpc_get_bgp_neighbor(uint32_t id);
char *junos_rpc_get_bfd(uint32_t id);
char *junos_rpc_get_uptime(uint32_t id);
/* The routes for exactly this destination, or all inside of it; when there is none, the longest
 * that covers it. */
char *junos_rpc_get_route(
    uint32_t id, const char *table, const struct prefix *destination, bool exact);
/* `show interfaces statistics detail NAME`: a logical interface with its bytes. */
char *junos_rpc_get_interface(uint32_t id, const char *name);
/* `show firewall filter NAME`: one filter with its counters, for a router may have very many. */
char *junos_rpc_get_filter(uint32_t id, const char *name);
/* One load of edits[*next..]; advances *next past what fitted. NULL when *next == plan->count. */
char *junos_rpc_load(uint32_t id, const struct plan *plan, size_t *next, size_t max_bytes);

#endif
