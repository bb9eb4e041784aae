/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The router: two NETCONF/SSH sessions ("edit": warm and idle but for transactions; "read": polls,
 * audits) and the transaction machine
 *   idle -> open -> load(s) -> commit -> close -> verify -> idle.
 * Promises: nothing is loaded unless open succeeded; commit is sent only after the reply to the load
 * was read; a failed load is dropped by closing; a lost commit reply ends in reconnect and read-back.
 * It knows lists and edits, no layout and no health. Everything comes back by callback, from the
 * event loop, never from inside a call of this header.
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

struct event_base;
struct router;

enum router_stage {
	ROUTER_DISCONNECTED,
	ROUTER_CONNECTING,  /* TCP, keys, authentication, hello of the edit session */
	ROUTER_READING,	    /* first read-back of static lists and instance */
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

enum router_outcome {
	ROUTER_COMMITTED, /* and read back */
	ROUTER_REFUSED,	  /* open refused or locked: nothing sent; retried by itself after a pause */
	ROUTER_LOAD_FAILED, /* dropped by close; retried when the wish changes or after 30 s */
	ROUTER_DATABASE_FULL, /* "size limit exceeded": not retried until router_retry */
	ROUTER_LOST,	  /* session gone before the commit was sent: nothing changed */
	ROUTER_OUTCOME_UNKNOWN, /* commit sent, reply lost or late: read back decides */
	ROUTER_OUTCOME_COUNT
};
extern const char *const router_outcome_names[ROUTER_OUTCOME_COUNT];

/* Wall clock in microseconds of each stage of a transaction; 0: not reached. */
struct router_times {
	int64_t open_sent, load_sent, commit_sent, committed, read_back;
};

struct router_callbacks {
	/* A session came or went; err says why. is_edit: else the read session. */
	void (*on_session)(void *arg, bool is_edit, bool up, const char *detail);
	/* The router's truth after connect, commit, audit, or static commit. The sets are borrowed for
	 * the call. confirmed: the ephemeral part was read with the instance open, or is not empty. */
	void (*on_lists)(void *arg, const struct listset *static_lists,
	    const struct listset *ephemeral_lists, bool is_audit);
	/* The instance is about to be opened: hand out the plan as of now (have was what on_lists said
	 * last). Return false when nothing is left to do. The router copies what it needs before it
	 * returns. Called again for each retry, so a refused open never sends a stale plan. */
	bool (*on_plan)(void *arg, struct plan *ret_plan);
	/* The transaction ended. */
	void (*on_done)(void *arg, enum router_outcome outcome, const struct router_times *times,
	    size_t edits, const char *detail);
	/* One complete poll. asked_at: when the first request was sent. Each reply may be NULL when it
	 * failed or timed out; an error reply (rpd not running) is passed as it is. */
	void (*on_poll)(void *arg, struct mtime asked_at, const struct junos_reply *summary,
	    const struct junos_reply *neighbors, const struct junos_reply *bfd,
	    const struct junos_reply *uptime);
	void *arg;
};

struct router_counters {
	uint64_t commits, refused, load_errors, warnings, reconnects, polls, poll_failures, audits;
};

/* profile is borrowed. Starts connecting at once. */
struct router *router_new(struct event_base *base, const struct profile *profile,
    const struct router_callbacks *callbacks);
void router_free(struct router *router);
/* The wish changed: start a transaction now if idle, or right after the one that runs. */
void router_submit(struct router *router);
/* Poll now (in addition to the interval), unless a poll is running already (then right after it). */
void router_poll_now(struct router *router);
/* Read static lists and instance now and compare; on_lists with is_audit. */
void router_audit_now(struct router *router);
/* After ROUTER_DATABASE_FULL or a failed load: the operator says try again. */
void router_retry(struct router *router);
enum router_stage router_get_stage(const struct router *router);
bool router_session_is_up(const struct router *router, bool is_edit);
const struct ip *router_connected_to(const struct router *router); /* NULL: not connected */
const struct router_counters *router_get_counters(const struct router *router);
/* Last error text of each session or transaction; "" when there was none. */
const char *router_last_error(const struct router *router);

#endif
