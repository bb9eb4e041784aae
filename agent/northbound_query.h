/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Questions that are computed and change nothing: where, why, diff. Each adds to the
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
int northbound_query_where(
    struct northbound_query *query, const struct prefix *target, struct error *err);
int northbound_query_why(struct northbound_query *query, struct error *err);
int northbound_query_diff(struct northbound_query *query, struct error *err);

/* Text of an input leaf; NULL when it is absent. */
const char *northbound_input_text(const struct lyd_node *input, const char *name);
/* Values of a leaf-list; the array is the caller's, the texts are borrowed. */
const char **northbound_input_texts(
    const struct lyd_node *input, const char *name, size_t *ret_count);
/* The next entry of a list; previous NULL starts; NULL: that was the last. */
const struct lyd_node *northbound_input_entry(
    const struct lyd_node *input, const char *name, const struct lyd_node *previous);
/* A new entry of an output list; key2 NULL: one key. NULL: the model refuses it. */
struct lyd_node *northbound_output_entry(
    struct lyd_node *parent, const char *list, const char *key1, const char *key2);

#endif
