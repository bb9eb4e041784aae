/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Questions that are computed and change nothing: where, why, preview, diff. Each adds to the
 * output of an RPC (libyang), or writes text where the answer may be long.
 */
#ifndef AUTOFBF_NORTHBOUND_QUERY_H
#define AUTOFBF_NORTHBOUND_QUERY_H

#include "error.h"
#include "northbound_operations.h"

struct evbuffer;
struct lyd_node;

struct northbound_query {
	const struct northbound_operations *operations; /* borrowed */
	const struct lyd_node *input;                   /* borrowed; validated */
	struct lyd_node *output;                        /* borrowed; the RPC node to add to */
	struct evbuffer *text;                          /* borrowed; for what is not a tree */
	const char *app_tag;                            /* set with an error */
};

/* 0, or -errno with err. */
int northbound_query_where(struct northbound_query *query, struct error *err);
int northbound_query_why(struct northbound_query *query, struct error *err);
int northbound_query_preview(struct northbound_query *query, struct error *err);
int northbound_query_diff(struct northbound_query *query, struct error *err);

/* Text of an input leaf; NULL when it is absent. */
const char *northbound_input_text(const struct lyd_node *input, const char *name);
/* Values of a leaf-list; the array is the caller's, the texts are borrowed. */
const char **northbound_input_texts(
    const struct lyd_node *input, const char *name, size_t *ret_count);

#endif
