/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RPC router-read: a question to the router, and its words as they come, streamed to a client
 * that may read slowly. The answer is not there when the request is: the session waits for it.
 */
#ifndef AUTOFBF_NORTHBOUND_READ_H
#define AUTOFBF_NORTHBOUND_READ_H

#include "error.h"
#include "northbound_operations.h"

struct lyd_node;
struct northbound_stream;

/* Asks; input is validated. 0, or -errno with err and, where there is one, an app-tag. The stream
 * is waiting until the router has answered; a failure is written as an rpc-error. */
int northbound_read_new(const struct northbound_operations *operations,
    const struct lyd_node *input, const char **ret_app_tag, struct northbound_stream **ret_stream,
    struct error *err);

#endif
