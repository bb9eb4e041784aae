/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One local client: hello, then requests one by one, notifications between them. A client that
 * breaks the framing, is silent, or does not read, loses its session and nobody else notices.
 */
#ifndef AUTOFBF_NORTHBOUND_SESSION_H
#define AUTOFBF_NORTHBOUND_SESSION_H

#include <stdint.h>

#include "northbound_rpc.h"

struct event_base;
struct evbuffer;
struct northbound_session;

struct northbound_session_options {
	struct event_base *base; /* borrowed, as all of these */
	const struct lys_module *module;
	const struct northbound_operations *operations;
	/* The session is over and must be freed; never from inside a call of this header. */
	void (*on_end)(void *arg, struct northbound_session *session);
	void *arg;
};

/* Takes the socket and sends the hello. who is taken over. */
struct northbound_session *northbound_session_new(const struct northbound_session_options *options,
    int fd, uint32_t id, enum northbound_role role, char *who);
void northbound_session_free(struct northbound_session *session);
/* The client's user, as given to northbound_session_new; borrowed. */
const char *northbound_session_who(const struct northbound_session *session);
/* Sends a notification, if the session subscribed; between two messages if one is being sent. */
void northbound_session_notify(struct northbound_session *session, struct evbuffer *text);

/* Takes what is left of an answer that borrows the profile into memory. */
void northbound_session_finish(struct northbound_session *session);

#endif
