/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent, as a client of its UNIX socket sees it: NETCONF, non-blocking, on the event loop of
 * the owner. Connects by itself, subscribes to notifications, and comes back with growing pauses
 * (0.2 to 10 s) after whatever went wrong.
 */
#ifndef AUTOFBF_PUBLISH_LINK_H
#define AUTOFBF_PUBLISH_LINK_H

#include <stdbool.h>

#include "error.h"

struct event_base;
struct ly_ctx;
struct lyd_node;

struct link_events {
	/* The container state, which is the callee's to free. */
	void (*on_state)(void *arg, struct lyd_node *state);
	/* alarm-raised, alarm-cleared, event; borrowed. */
	void (*on_notification)(void *arg, const struct lyd_node *notification);
	/* The session is up: subscribed, and the state was asked for. Or it is down, and why. */
	void (*on_up)(void *arg);
	void (*on_down)(void *arg, const char *reason);
	void *arg;
};

struct link;

/* 0, or -errno with err: the YANG modules are not there. path: of the agent's socket. */
int link_new(struct event_base *base, const char *path, const char *yang_dir,
    const struct link_events *events, struct link **ret_link, struct error *err);
void link_free(struct link *link);
/* The context of its trees, with module autofbf; borrowed. */
const struct ly_ctx *link_context(const struct link *link);
/* Asks for the state, unless it is asked for already; without a session nothing happens. */
void link_ask(struct link *link);

#endif
