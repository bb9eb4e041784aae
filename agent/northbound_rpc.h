/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a request to its answer: base operations by hand, ours through libyang and a table of
 * handlers. No connections here: text in, text out, and at most one stream.
 */
#ifndef AUTOFBF_NORTHBOUND_RPC_H
#define AUTOFBF_NORTHBOUND_RPC_H

#include <stdbool.h>
#include <stddef.h>

#include "northbound_envelope.h"
#include "northbound_operations.h"
#include "northbound_stream.h"

struct evbuffer;
struct lys_module;

/* What a peer may do; more includes less. */
enum northbound_role { ROLE_NONE, ROLE_READ, ROLE_OPERATE, ROLE_ADMINISTER };

struct northbound_caller {
	enum northbound_role role;
	const char *who; /* borrowed */
};

struct northbound_answer {
	struct northbound_stream *stream; /* owned; NULL: the answer is complete */
	const char *tail;                 /* static; ends the answer after the stream's text */
	bool subscribe;                   /* the session wants notifications from now on */
	bool close;                       /* ... wants to end */
};

/* Appends the reply to out; its beginning only, when ret_answer->stream is set. Never fails: what
 * is wrong becomes an rpc-error. */
void northbound_rpc_answer(const struct lys_module *module,
    const struct northbound_operations *operations, const struct northbound_caller *caller,
    const char *message, size_t size, struct evbuffer *out, struct northbound_answer *ret_answer);

/* The notification of a record (RFC 5277 section 2.2.1). */
void northbound_rpc_notification(
    const struct lys_module *module, const struct history_record *record, struct evbuffer *out);
/* The notification of an alarm's edge; cleared_us: wall clock, 0: it was raised. */
void northbound_rpc_alarm(const struct lys_module *module, const struct alarm *alarm,
    int64_t cleared_us, struct evbuffer *out);

#endif
