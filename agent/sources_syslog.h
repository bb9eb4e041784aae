/* SPDX-License-Identifier: BSD-3-Clause */
/* The syslog receiver: datagrams (RFC 5426), and the handler for TCP in both framings (RFC 6587).
 */
#ifndef AUTOFBF_SOURCES_SYSLOG_H
#define AUTOFBF_SOURCES_SYSLOG_H

#include "sources_internal.h"

extern const struct tcp_handler source_syslog_handler;

struct datagram_server {
	struct source *source;  /* borrowed */
	int fd;                 /* -1: none */
	struct event *readable; /* owned; libevent's */
};

/* 0 or -errno with err; stop is fine after both, and on a zeroed server. */
int datagram_server_start(struct datagram_server *server, struct event_base *base,
    struct source *source, struct error *err);
/* Takes for source, whose listener comes after this one, what has arrived. stop is next. */
void datagram_server_empty(struct datagram_server *server, struct source *source);
void datagram_server_stop(struct datagram_server *server);

#endif
