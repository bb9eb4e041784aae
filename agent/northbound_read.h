/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RPC router-read: a question to the router, and its words as they come, streamed to a client
 * that may read slowly. The answer is not there when the request is: the session waits for it.
 */
#ifndef AUTOFBF_NORTHBOUND_READ_H
#define AUTOFBF_NORTHBOUND_READ_H

#include <stdbool.h>

#include "error.h"
#include "northbound_operations.h"

struct evbuffer;
struct lyd_node;
struct northbound_read;

/* Asks; input is validated. 0, or -errno with err and, where there is one, an app-tag. */
int northbound_read_new(const struct northbound_operations *operations,
    const struct lyd_node *input, const char **ret_app_tag, struct northbound_read **ret_read,
    struct error *err);
/* Also while the router has not answered. NULL is fine. */
void northbound_read_free(struct northbound_read *read);
/* Calls fn once there is an answer or a failure; never from inside this call. */
void northbound_read_on_ready(struct northbound_read *read, void (*fn)(void *arg), void *arg);
bool northbound_read_is_ready(const struct northbound_read *read);
/* Of one that is ready: why there is no answer; NULL: there is one. */
const char *northbound_read_failure(const struct northbound_read *read);
/* Appends the next piece of the output; true while there is more. */
bool northbound_read_write(struct northbound_read *read, struct evbuffer *out);

#endif
