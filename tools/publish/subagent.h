/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The AgentX subagent (RFC 2741) by net-snmp, bridged to the event loop. One registration covers
 * the whole module; answers come from the mib that the owner hands out.
 *
 * net-snmp talks to its master synchronously while it connects and pings, so a master that hangs
 * holds the process for a third of a second at a time, three times when it is given up; nobody that
 * matters waits for this process.
 */
#ifndef AUTOFBF_PUBLISH_SUBAGENT_H
#define AUTOFBF_PUBLISH_SUBAGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

struct event_base;
struct mib;

struct subagent_events {
	/* The mib to answer from, borrowed until the loop goes on; is_walk: GETNEXT, GETBULK. */
	const struct mib *(*mib)(void *arg, bool is_walk);
	/* Age of that mib's picture, milliseconds. */
	uint32_t (*age)(void *arg, const struct mib *mib);
	/* The master agent is there: traps that waited can be sent. */
	void (*on_master)(void *arg);
	void *arg;
};

struct subagent;

/* At most one in a process: net-snmp keeps its state in globals. agentx_socket: a path, or what
 * else net-snmp takes. 0, or -errno with err. An absent master is no error: it is looked for every
 * few seconds, and why there is none is logged when it changes. */
int subagent_new(struct event_base *base, const char *agentx_socket,
    const struct subagent_events *events, struct subagent **ret_subagent, struct error *err);
void subagent_free(struct subagent *subagent);
bool subagent_has_master(const struct subagent *subagent);
/* Sends a notification (number under autofbfNotifications) with the instances of varbinds, in
 * their order. False: no master, or it has not taken those before; try again. */
bool subagent_notify(struct subagent *subagent, uint32_t notification, const struct mib *varbinds);

#endif
