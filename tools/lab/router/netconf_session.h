/* SPDX-License-Identifier: BSD-3-Clause */
/* What the three files of the NETCONF server share: netconf.c (sessions, messages),
 * netconf_request.c (the life of a request), netconf_reply.c (what is written). */
#ifndef LABROUTER_NETCONF_SESSION_H
#define LABROUTER_NETCONF_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/queue.h>

#include <libxml/tree.h>

#include "faults.h"
#include "framing.h"
#include "loop.h"
#include "netconf.h"
#include "router.h"
#include "sshd.h"

enum { LOG_SIZE = 512, NAME_SIZE = 48, USER_SIZE = 64 };

enum phase {
	PHASE_NEW,
	PHASE_HELD_BEFORE, /* pause-before, slow */
	PHASE_READY,
	PHASE_HELD_AFTER, /* pause-after */
	PHASE_ANSWER
};

/* The request that is being worked on. */
struct request {
	xmlDoc *doc; /* owned; NULL: none */
	const xmlNode *op;
	enum step step;
	enum phase phase;
	struct fault fault;
	char *reply; /* owned; after execution */
	size_t reply_size;
	bool ends_session;
};

struct session {
	TAILQ_ENTRY(session) entry;
	struct netconf *netconf;      /* borrowed */
	struct sshd_channel *channel; /* borrowed */
	struct framing *framing;      /* owned */
	enum framing_version version;
	uint32_t id;
	char user[USER_SIZE];
	bool has_hello, is_over;
	struct request request;
	struct loop_timer *timer; /* owned: "slow" */
};

/* One line of the log that the control socket shows. */
struct record {
	int64_t time_us;
	uint32_t session;
	char name[NAME_SIZE];
	char outcome[16];
};

struct netconf {
	struct labrouter *router; /* borrowed */
	bool base_1_1;
	FILE *transcript; /* owned; NULL: none */
	TAILQ_HEAD(session_list, session) sessions;
	uint32_t last_id;
	uint64_t request_count;
	struct record log[LOG_SIZE];
	size_t log_count; /* ever written */
};

#define NETCONF_BASE_URI "urn:ietf:params:xml:ns:netconf:base:1.0"

/* netconf.c */
void session_record(struct session *session, const char *name, const char *outcome);
/* The session is over: locks and uncommitted changes are gone at once, the request at hand is never
 * executed. at_once: cut the connection, else write what waits first. */
void session_end(struct session *session, bool at_once);
/* Works on the request at hand, then takes messages until one has to wait. */
void session_serve(struct session *session);

/* netconf_request.c */
/* Takes over doc, whose root is <rpc> with the one operation op. */
void request_begin(struct session *session, xmlDoc *doc, const xmlNode *op);
void request_advance(struct session *session); /* as far as it goes */
bool request_is_paused(const struct request *request);
void request_resume(struct request *request);
void request_clear(struct request *request);
void request_on_slow_over(void *session); /* for session->timer */

/* netconf_reply.c */
void reply_send_greeting(struct session *session, const struct fault *fault); /* comments, hello */
void reply_send(struct session *session, const struct request *request);
/* An error outside any operation; rpc may be NULL. */
void reply_refuse(
    struct session *session, const xmlNode *rpc, const char *tag, const char *message);
/* The attributes of <rpc> come back in the reply (RFC 6241 4.1). */
void reply_put_attributes(FILE *out, const xmlNode *rpc);

#endif
