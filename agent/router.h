/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The router: two NETCONF/SSH sessions ("edit": warm and idle but for transactions; "read": polls,
 * audits) and the transaction machine
 *   idle -> open -> load(s) -> commit -> close -> verify -> idle.
 * Promises: nothing is loaded unless open succeeded; commit is sent only after the reply to the
 * load was read; a failed load is dropped by closing; a lost commit reply ends in reconnect and
 * read-back. It knows lists and edits, no layout and no health. Everything comes back by callback,
 * from the event loop, never from inside a call of this header; callbacks may call everything but
 * router_free.
 */
#ifndef AUTOFBF_ROUTER_H
#define AUTOFBF_ROUTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "junos_reply.h"
#include "listset.h"
#include "mtime.h"
#include "plan.h"
#include "profile.h"
#include "transaction.h" /* enum router_outcome */

struct event_base;
struct router;

enum router_stage {
	ROUTER_DISCONNECTED,
	ROUTER_CONNECTING, /* TCP, keys, authentication, hello of the edit session */
	ROUTER_READING,    /* first read-back of static lists and instance */
	ROUTER_IDLE,
	ROUTER_OPENING,
	ROUTER_LOADING,
	ROUTER_COMMITTING,
	ROUTER_CLOSING,
	ROUTER_VERIFYING,
	ROUTER_BACKING_OFF, /* locked by another, or an error: waiting to retry */
	ROUTER_STAGE_COUNT
};
extern const char *const router_stage_names[ROUTER_STAGE_COUNT];

extern const char *const router_outcome_names[ROUTER_OUTCOME_COUNT];

/* Wall clock in microseconds of each stage of a transaction; 0: not reached. open_sent is that of
 * the open that succeeded, or of the last one that was refused. */
struct router_times {
	int64_t open_sent, load_sent, commit_sent, committed, read_back;
};

/* A route that polls ask for: exactly this destination, in this table ("cgn-out.inet.0"). */
struct router_route {
	const char *table;
	struct prefix destination;
};

/* What is read besides sessions, BFD and uptime. */
struct router_watch {
	const struct router_route *routes; /* with every poll */
	size_t route_count;
	const char *const *interfaces; /* logical ones; their counters are read after every poll */
	size_t interface_count;
	const char *const *filters; /* and of these filters, after the interfaces */
	size_t filter_count;
};

/* What a round of counters says of one interface or one filter. All borrowed for the call. */
struct router_count {
	struct mtime read_at;
	const char *interface, *filter;  /* the other is NULL */
	const struct junos_reply *reply; /* errors as they are; NULL: there is none, */
	const char *failure;             /* and why */
	bool ends_round, is_extra;       /* extra: of a round that router_count_now began */
};

/* One complete poll. Each reply may be NULL when it was not well-formed or did not come; an error
 * reply (rpd not running) is passed as it is. All borrowed for the call. */
struct router_poll {
	struct mtime asked_at; /* when the first request was sent */
	const struct junos_reply *summary, *neighbors, *bfd, *uptime;
	const struct router_route *routes;              /* that were asked for, */
	const struct junos_reply *const *route_replies; /* and what was said to each */
	size_t route_count;
};

struct router_callbacks {
	/* A session came or went. detail: why it went, or what the router said before its hello (""
	 * as a rule). A row of failures to connect is told once, and again when the reason changes.
	 */
	void (*on_session)(void *arg, bool is_edit, bool up, const char *detail);
	/* The router's truth after connect, commit, audit, or static commit. The sets are borrowed
	 * for the call. Only what can be believed is handed out: an instance that was read without
	 * opening it and is empty against expectation has been confirmed by opening. is_audit:
	 * nothing of ours was written since the last call. */
	void (*on_lists)(void *arg, const struct listset *static_lists,
	    const struct listset *ephemeral_lists, bool is_audit);
	/* The open request was answered, the instance is ours: hand out the plan as of now (have is
	 * what on_lists said last). The open is sent first and the plan asked after it, so that a
	 * wish never waits for its plan, and a refused open never sends a stale one. true: the
	 * router frees the plan (plan_done); the names that it borrows are read right after the
	 * callback and must outlive it. false: nothing is left to do, nothing to free; the instance
	 * is closed, on_done follows with ROUTER_COMMITTED and 0 edits. */
	bool (*on_plan)(void *arg, struct plan *ret_plan);
	/* May be NULL. A part of the plan was loaded: true to go on; false: the instance is closed
	 * without a commit, on_done as above. */
	bool (*is_wanted)(void *arg);
	/* The transaction ended (or is being retried: see ROUTER_REFUSED). Follows on_lists when
	 * something was read back. */
	void (*on_done)(void *arg, enum router_outcome outcome, const struct router_times *times,
	    size_t edits, const char *detail);
	/* No call while the read session is down: on_session told. */
	void (*on_poll)(void *arg, const struct router_poll *poll);
	/* May be NULL. The answers of a round come one by one, after the poll. What cost a session
	 * is not asked for a while: each round tells the reason in its place. */
	void (*on_counters)(void *arg, const struct router_count *count);
	void *arg;
};

/* A question of somebody else, answered with the router's words. */
enum { ROUTER_ASKS_MOST = 4, ROUTER_ANSWER_MOST = 16 << 20 };

struct router_question {
	enum {
		ROUTER_QUESTION_STATIC,   /* get-config running: what forwarding follows, see
		                             junos_rpc_get_forwarding */
		ROUTER_QUESTION_INSTANCE, /* our lists and routes, as an audit reads them */
		ROUTER_QUESTION_ROUTE     /* get-route-information: table and destination */
	} kind;
	const char *table;
	struct prefix destination;
};

struct router_ask;
/* The answer is there, or there will be none. */
typedef void router_answered_fn(void *arg, struct router_ask *ask);

struct router_counters {
	uint64_t commits;              /* acknowledged by the router */
	uint64_t refused;              /* opens */
	uint64_t load_errors;          /* loads and commits */
	uint64_t warnings;             /* in replies to loads and commits */
	uint64_t reconnects;           /* sessions that came up, but for the first of each kind */
	uint64_t polls, poll_failures; /* complete ones, and those that missed a reply */
	uint64_t audits;
};

/* profile is borrowed. Starts connecting at once. */
struct router *router_new(struct event_base *base, const struct profile *profile,
    const struct router_callbacks *callbacks);
void router_free(struct router *router);
/* Another profile, borrowed from now on. Sessions, and a transaction that runs, go on where it
 * names the same router, user, keys and instance. Else they end as in router_free, nothing is
 * believed any more, and connecting starts anew: true; no callback tells it. */
bool router_set_profile(struct router *router, const struct profile *profile);
/* The wish changed: start a transaction now if idle, or right after the one that runs. */
void router_submit(struct router *router);
/* Poll now (in addition to the interval), unless a poll is running already (then right after it).
 * While the read session is down, polls and audits wait for it. */
void router_poll_now(struct router *router);
/* What to read from the next poll on; copied. Nothing at first. A round of counters is asked one by
 * one, so a poll or an audit never waits for more than one of them; a router that leaves one
 * without any answer is asked for none for a while. */
void router_set_watch(struct router *router, const struct router_watch *watch);
/* A round of counters now, in addition to those after polls, unless one is under way. */
void router_count_now(struct router *router);
/* Read static lists and instance now and compare; on_lists with is_audit. */
void router_audit_now(struct router *router);
/* Sends the question when the read session is free; it fails when there is no answer after
 * profile_answer_ms. fn is called once, from the loop (or from
 * router_free), never from inside this call. NULL with err: not connected, or more than
 * ROUTER_ASKS_MOST live. The question may be freed at any time, also by fn, and must be. */
struct router_ask *router_ask_new(struct router *router, const struct router_question *question,
    router_answered_fn *fn, void *arg, struct error *err);
void router_ask_free(struct router_ask *ask);
/* The whole rpc-reply, well-formed and NUL-terminated; NULL: none (see the failure). Borrowed until
 * the question is freed. */
const char *router_ask_text(const struct router_ask *ask, size_t *ret_size);
const char *router_ask_failure(const struct router_ask *ask);
int64_t router_ask_time(const struct router_ask *ask); /* wall clock, when it was sent */
/* After ROUTER_DATABASE_FULL or a failed load: the operator says try again. Also ends a pause. */
void router_retry(struct router *router);
enum router_stage router_get_stage(const struct router *router);
bool router_session_is_up(const struct router *router, bool is_edit);
const struct ip *router_connected_to(const struct router *router); /* NULL: not connected */
const struct router_counters *router_get_counters(const struct router *router);
/* Last error text of each session or transaction; "" when there was none. */
const char *router_last_error(const struct router *router);

#endif
