/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parts of the router share. router.c: life, and the calls of router.h; router_session.c:
 * one session, its reconnects and its requests; router_edit.c: the transaction machine at work;
 * router_read.c: polls, audits and counters; router_watch.c: what polls and counters ask for;
 * router_ask.c: questions of others.
 */
#ifndef AUTOFBF_ROUTER_INTERNAL_H
#define AUTOFBF_ROUTER_INTERNAL_H

#include "router.h"

struct event;
struct sshlink;
struct session;

struct session_letter;

/* Who uses a session. Called from the loop. */
struct session_user {
	void (*on_up)(struct router *router);
	/* The reply to the oldest request; owned by the user. letter: the same as it came; whoever
	 * takes its text leaves NULL. */
	void (*on_reply)(
	    struct router *router, struct junos_reply *reply, struct session_letter *letter);
	void (*on_late)(struct router *router); /* it did not come in time */
	/* Gone, with all requests. Told before the owner of the router is. */
	void (*on_lost)(struct router *router, const char *reason);
};

/* A reply that is being read, in steps. */
struct session_letter {
	struct session_letter *next; /* owned */
	char *text;                  /* owned */
	size_t size, done;
	struct junos_parser *parser; /* owned */
};

struct session {
	struct router *router; /* borrowed */
	const struct session_user *user;
	struct sshlink *link; /* owned; NULL between attempts */
	size_t address;       /* index in the profile: in use, or next */
	uint32_t pause_ms;    /* after the last address has failed */
	bool up, was_up;      /* now; ever */
	bool works;           /* did its job since it came up: a later loss is news */
	bool told_up;         /* what the owner believes */
	char *told_reason;    /* owned; last failure told; NULL: none since it worked */
	uint32_t next_id,
	    waiting; /* message-ids are consecutive: the oldest is next_id - waiting */
	uint32_t timeout_ms;
	struct session_letter *letters; /* owned; came and are not read yet, oldest first */
	uint32_t letter_count;
	struct event *reconnect, *reply_timer, *read_on; /* owned */
};

/* The requests of a round of counters: a router that fails at one will fail at its like. */
enum count_kind { COUNT_INTERFACES, COUNT_FILTERS, COUNT_KINDS };

/* What cost a session when it was asked. */
struct reader_spared {
	uint32_t polls; /* until it is asked again; 0: it is asked */
	char *reason;   /* owned; NULL */
};

enum read_job { READ_NOTHING, READ_POLL, READ_AUDIT, READ_ASK, READ_COUNTERS };

struct reader {
	enum read_job job;
	bool poll_wanted, audit_wanted;
	struct junos_reply **replies; /* owned, and so are they; as many as the job wants */
	size_t reply_count, replies_wanted;
	struct mtime asked_at;
	struct router_watch watch, next_watch; /* owned; next: from the next poll on */
	bool watch_changed;
	size_t counter_next; /* of the round: interfaces, then the filters; at the end: none */
	bool round_is_extra; /* no poll asked for it */
	struct reader_spared spared[COUNT_KINDS];
	uint64_t transactions;                  /* begun when the audit was asked */
	struct event *poll_timer, *audit_timer; /* owned */
};

struct editor {
	struct transaction machine;
	uint64_t transactions; /* begun */
	char **loads;          /* owned; the requests of the plan, not sent yet from load_next on */
	size_t load_count, load_next;
	size_t edits;
	size_t planned_items; /* entries that the instance should have after the commit */
	bool warned;          /* by replies of this transaction */
	struct router_times times;
	struct error error; /* of this transaction; "" when there is none */
	uint32_t pause_ms;
	struct mtime pause_end;
	struct event *pause; /* owned */
	bool confirms_audit; /* the read-back that was asked for is an audit's */
};

struct router {
	struct event_base *base;       /* borrowed */
	const struct profile *profile; /* borrowed */
	struct router_callbacks callbacks;
	char *hello; /* owned */
	struct session edit, read;
	struct editor editor;
	struct reader reader;
	struct router_ask *asks;                      /* in order; owned by those who asked */
	struct listset static_lists, ephemeral_lists; /* believed */
	/* Entries that the instance is expected to have. Not known yet: 1, so that "empty" is
	 * doubted. */
	size_t expected_items;
	struct router_counters counters;
	struct error error; /* the last one */
};

/* router_session.c */
void session_init(struct session *session, struct router *router, const struct session_user *user);
void session_done(struct session *session);
/* The router's profile is another one that names the same router. */
void session_take_profile(struct session *session);
/* The id that the next request must carry. */
uint32_t session_next_id(const struct session *session);
/* Sends a request (freed here). The session must be up. */
void session_send(struct session *session, char *rpc, uint32_t timeout_ms);
/* Ends the session and plans the next attempt. */
void session_drop(struct session *session, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* It has done its job: failures count anew from here. */
void session_note_work(struct session *session);

/* router_edit.c */
extern const struct session_user editor_user;
void editor_init(struct router *router);
void editor_done(struct router *router);
void editor_feed(struct router *router, enum transaction_input input);
/* Nothing under way that an audit could see half of. */
bool editor_is_quiet(const struct router *router);
/* Entries of all lists. */
size_t router_count_items(const struct listset *lists);
/* The lists of this reply are the truth from now on. */
void router_believe(struct router *router, struct listset *target, struct junos_reply *reply);

/* router_read.c */
extern const struct session_user reader_user;
void reader_init(struct router *router);
void reader_done(struct router *router);
/* The timers run anew, with the intervals of the profile. */
void reader_take_intervals(struct router *router);
/* Starts the job that waits, if any and if it may. */
void reader_kick(struct router *router);

/* router_ask.c */
bool ask_is_waiting(const struct router *router);
/* The request of the first that waits; there is one. */
char *ask_send(struct router *router, uint32_t id);
/* What came for it. True: the text was taken. */
bool ask_answer(struct router *router, char *text, size_t size);
void ask_fail_all(struct router *router, const char *reason);
/* No router any more; the questions live on with their owners. */
void ask_let_go(struct router *router);

/* router_watch.c */
void watch_copy(struct router_watch *to, const struct router_watch *from);
void watch_done(struct router_watch *watch);
/* Requests of a round of counters. */
size_t watch_counters(const struct router_watch *watch);
/* What the n-th of the round is about. */
enum count_kind watch_kind(const struct router_watch *watch, size_t n);
const char *watch_name(const struct router_watch *watch, size_t n);

#endif
