/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The edit session as a pure state machine: (state, what happened) -> (state, what to do). It sends
 * nothing and knows no time; router_edit.c does what it says and feeds it what comes back.
 *
 *   read-back:    static lists -> open -> candidate -> close, at connect and when an "empty" has to
 *                 be confirmed; a refused open falls back to a read without opening
 *   transaction:  open -> plan -> load(s) -> commit -> close -> verify
 *
 * Promises, each a test over every state and input: a load is sent only after an open that
 * succeeded in this transaction; a commit only after the reply to the last load; whatever was
 * opened is closed, or its session is dropped; every transaction that began ends in one outcome.
 */
#ifndef AUTOFBF_TRANSACTION_H
#define AUTOFBF_TRANSACTION_H

#include <stdbool.h>

enum router_outcome {
	ROUTER_COMMITTED, /* and read back; with 0 edits: nothing was left to do */
	ROUTER_REFUSED, /* open refused or locked, for a transaction or to read back: nothing sent;
	                 * retried by itself after a pause, told once for a row of refusals */
	ROUTER_LOAD_FAILED,     /* dropped by close; retried when the wish changes or after 30 s */
	ROUTER_DATABASE_FULL,   /* "size limit exceeded": not retried until router_retry */
	ROUTER_LOST,            /* session gone before the commit was sent: nothing changed */
	ROUTER_OUTCOME_UNKNOWN, /* commit sent, reply lost or late: read back decides */
	ROUTER_OUTCOME_COUNT
};

enum transaction_state {
	TRANSACTION_OFFLINE,
	TRANSACTION_READ_STATIC,
	TRANSACTION_READ_OPENING,
	TRANSACTION_READ_CANDIDATE,
	TRANSACTION_READ_CLOSING,
	TRANSACTION_READ_UNOPENED, /* another has the lock: read without opening */
	TRANSACTION_READ_WAITING,  /* ... and that was empty, which proves nothing: open again later
	                            */
	TRANSACTION_IDLE,
	TRANSACTION_OPENING,
	TRANSACTION_PLANNING,
	TRANSACTION_LOADING,
	TRANSACTION_COMMITTING,
	TRANSACTION_CLOSING,
	TRANSACTION_VERIFYING,
	TRANSACTION_REPORTING, /* the owner is being told; then it goes on by itself */
	TRANSACTION_LOCKED,    /* open refused: a pause */
	TRANSACTION_HELD,      /* load failed: until the wish changes, or 30 s */
	TRANSACTION_STATE_COUNT
};
extern const char *const transaction_state_names[TRANSACTION_STATE_COUNT];

enum transaction_input {
	TRANSACTION_CONNECTED,
	TRANSACTION_LOST,     /* the session is gone */
	TRANSACTION_GOOD,     /* the reply that was waited for; after a load: it was the last one */
	TRANSACTION_MORE,     /* a load was taken, and there is another */
	TRANSACTION_BAD,      /* an error in its place */
	TRANSACTION_FULL,     /* ... and it says that the database is full */
	TRANSACTION_DOUBTFUL, /* a read without opening was empty where something was expected */
	TRANSACTION_LATE,     /* no reply in time */
	TRANSACTION_PLAN,     /* there is something to load */
	TRANSACTION_NO_PLAN,  /* or, after a load: it is wanted no more */
	TRANSACTION_SUBMIT,   /* the wish changed */
	TRANSACTION_CONFIRM,  /* read with the instance open, when there is time */
	TRANSACTION_RETRY,    /* the operator says try again */
	TRANSACTION_PAUSED,   /* the pause is over */
	TRANSACTION_TOLD,     /* the owner has been told */
	TRANSACTION_INPUT_COUNT
};

enum transaction_action {
	TRANSACTION_DO_NOTHING,
	TRANSACTION_SEND_STATIC,
	TRANSACTION_SEND_OPEN,
	TRANSACTION_SEND_CANDIDATE,
	TRANSACTION_SEND_UNOPENED,
	TRANSACTION_SEND_LOAD,
	TRANSACTION_SEND_COMMIT,
	TRANSACTION_SEND_CLOSE,
	TRANSACTION_ASK_PLAN,
	TRANSACTION_PAUSE,     /* 0.2 s, doubling to 5 s in a row */
	TRANSACTION_HURRY,     /* shorten the pause to 0.2 s */
	TRANSACTION_HOLD,      /* 30 s */
	TRANSACTION_DROP,      /* the edit session */
	TRANSACTION_DROP_BOTH, /* both sessions: whatever the router is busy with, begin anew */
	TRANSACTION_ACTION_COUNT
};

struct transaction { /* all zero: offline */
	enum transaction_state state;
	bool wish;    /* a transaction is wanted */
	bool confirm; /* a read-back is wanted */
	bool full;    /* no transaction until the operator says so */
	bool hold;    /* reporting: a failed load waits before the next try */
	bool refused; /* a refusal of this row has been told */
	bool has_outcome, verify;
	enum router_outcome outcome; /* valid with has_outcome: told when the read-back is done */
};

struct transaction_step {
	enum transaction_action action; /* to be done first */
	bool lists;                     /* then: hand out what was read back */
	bool done;                      /* then: the transaction ended with this outcome */
	enum router_outcome outcome;
};

/* In TRANSACTION_REPORTING the caller hands out and then feeds TRANSACTION_TOLD. */
struct transaction_step transaction_feed(
    struct transaction *transaction, enum transaction_input input);

#endif
