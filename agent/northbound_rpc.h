/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a request to its answer: base operations by hand, ours through libyang and a table of
 * handlers. No connections here: text in, text out, and at most one layout to be streamed.
 */
#ifndef AUTOFBF_NORTHBOUND_RPC_H
#define AUTOFBF_NORTHBOUND_RPC_H

#include <stdbool.h>
#include <stddef.h>

#include "northbound_envelope.h"
#include "northbound_layout.h"
#include "northbound_operations.h"
#include "northbound_read.h"

struct evbuffer;
struct lys_module;

/* What a peer may do; more includes less. */
enum northbound_role { ROLE_NONE, ROLE_READ, ROLE_OPERATE, ROLE_ADMINISTER };

struct northbound_caller {
	enum northbound_role role;
	const char *who; /* borrowed */
};

struct northbound_answer {
	struct northbound_layout *layout; /* owned; not NULL: its text comes before the tail */
	struct northbound_read *read;     /* owned; the same, once it is ready */
	bool subscribe;                   /* the session wants notifications from now on */
	bool close;                       /* ... wants to end */
};

/* Ends an answer: write it after the layout's text. */
#define NORTHBOUND_ANSWER_TAIL "</rpc-reply>"

/* Appends the reply to out, without its tail when ret_answer->layout or ->read is set. Never fails:
 * what is wrong becomes an rpc-error. */
void northbound_rpc_answer(const struct lys_module *module,
    const struct northbound_operations *operations, const struct northbound_caller *caller,
    const char *message, size_t size, struct evbuffer *out, struct northbound_answer *ret_answer);

/* The rpc-error of a read that came to nothing, in place of its text. */
void northbound_rpc_failed_read(const struct northbound_read *read, struct evbuffer *out);

/* The notification of a record (RFC 5277 section 2.2.1). */
void northbound_rpc_notification(
    const struct lys_module *module, const struct history_record *record, struct evbuffer *out);
/* The notification of an alarm's edge; cleared_us: wall clock, 0: it was raised. */
void northbound_rpc_alarm(const struct lys_module *module, const struct alarm *alarm,
    int64_t cleared_us, struct evbuffer *out);

#endif
