/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the listeners share: one source with its counters, who may speak to it, and the TCP server
 * that both protocols use. libevent calls its own handle `struct event` too; it is only ever a
 * pointer here, named *_timer or *_readable.
 */
#ifndef AUTOFBF_SOURCES_INTERNAL_H
#define AUTOFBF_SOURCES_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "complaint.h"
#include "sources.h"

struct bufferevent;
struct evbuffer;
struct evconnlistener;
struct sockaddr;

struct source {
	enum event_source which;
	const struct profile *profile;           /* borrowed */
	const struct profile_listener *listener; /* borrowed, of profile */
	source_event_fn *fn;
	void *arg;
	/* While it begins beside the listeners of another profile: borrowed, that profile. It may
	 * take a port that they have, and let it have: source_share_port. Else NULL. */
	const struct profile *standing;
	struct source_counters counters;
	struct complaint foreign, garbage, crowd;
};

void source_init(struct source *source, enum event_source which, const struct profile *profile,
    source_event_fn *fn, void *arg);
/* May this address speak? If not, it is counted and complained about. from: its text, always
 * filled. */
bool source_accepts(struct source *source, const struct sockaddr *address, struct mtime now,
    char from[IP_TEXT_SIZE]);
/* The same without a word. */
bool source_allows(const struct source *source, const struct ip *ip);
/* Counts a message and hands its event up, unless it is EVENT_IGNORED. */
void source_deliver(struct source *source, struct event *event, struct mtime now);
/* Another socket of our user that asks for the same may be bound beside this one. What stays of it
 * is the kernel's memory of a TCP port in use: a program of our user that sets SO_REUSEPORT itself
 * gets an address that was shared. */
void source_share_port(int fd, bool shared);
/* A bound, non-blocking socket of type SOCK_STREAM or SOCK_DGRAM; or -errno with err. */
int source_bind(const struct source *source, int type, struct error *err);

/* ---- sources_tcp.c ----------------------------------------------------------------------- */

enum { TCP_MAX_SESSIONS = 16 };

struct tcp_server;

struct tcp_session {
	TAILQ_ENTRY(tcp_session) link;
	struct tcp_server *server;  /* borrowed */
	struct bufferevent *buffer; /* owned */
	char from[IP_TEXT_SIZE];
	bool stands; /* has said something that makes sense; set by the handler */
	/* for syslog: what is left to drop of a message that is too long */
	size_t skip_bytes;
	bool skip_line;
};

struct tcp_handler {
	/* Takes what it can from input. 0, or -EPROTO: garbage, the session is ended. */
	int (*read)(struct tcp_session *session, struct evbuffer *input, struct mtime now);
	/* A session that stood has ended; it is out of the list already. */
	void (*ended)(struct tcp_server *server, struct mtime now);
	size_t max_buffer; /* bytes that may wait for the rest of a message */
};

struct tcp_server {
	struct source *source;             /* borrowed */
	const struct tcp_handler *handler; /* borrowed */
	struct evconnlistener *listener;   /* owned */
	struct event *resume_timer;        /* owned; libevent's */
	TAILQ_HEAD(tcp_sessions, tcp_session) sessions;
	size_t count;
};

/* 0 or -errno with err; tcp_server_stop is fine after both, and on a zeroed server. */
int tcp_server_start(struct tcp_server *server, struct event_base *base, struct source *source,
    const struct tcp_handler *handler, struct error *err);
void tcp_server_stop(struct tcp_server *server);
/* Who may speak has changed: ends the sessions of those who may not. */
void tcp_server_review(struct tcp_server *server, struct mtime now);

#endif
