/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NETCONF server on the UNIX socket (RFC 6241, base:1.0 and 1.1, RFC 5277 notifications): reads
 * from a status picture, hands operations to agent.c. Envelope by libxml2, payload by libyang.
 * Peers are known by SO_PEERCRED and SO_PEERGROUPS. A bad, slow or silent peer disturbs nobody
 * else.
 */
#ifndef AUTOFBF_NORTHBOUND_H
#define AUTOFBF_NORTHBOUND_H

#include "error.h"
#include "history.h"
#include "northbound_operations.h"

struct event_base;
struct northbound;

/* Binds path (0666). A socket nobody listens on is replaced; a live one is -EADDRINUSE. yang_dir
 * holds our module. 0, or -errno with err. */
int northbound_new(struct event_base *base, const char *path, const char *yang_dir,
    const struct northbound_operations *operations, struct northbound **ret_northbound,
    struct error *err);
void northbound_free(struct northbound *northbound); /* unlinks the socket */
/* The profile ends: no answer that is being sent borrows it any more. */
void northbound_finish_answers(struct northbound *northbound);
/* An alarm's edge, to subscribers as a notification; cleared_us: wall clock, 0: it was raised. */
void northbound_notify_alarm(
    struct northbound *northbound, const struct alarm *alarm, int64_t cleared_us);
/* A record was added: to subscribers as a notification. */
void northbound_notify(struct northbound *northbound, const struct history_record *record);

#endif
