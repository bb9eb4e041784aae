/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a libyang tree by names. Paths are names separated by slashes, relative to a node; a name
 * of a list stands for its entries. Nothing is owned, nothing is changed.
 */
#ifndef AUTOFBF_PUBLISH_NODE_H
#define AUTOFBF_PUBLISH_NODE_H

#include <stdbool.h>
#include <stdint.h>

struct lyd_node;

/* The first node at the path; NULL: there is none. */
const struct lyd_node *node_find(const struct lyd_node *from, const char *path);
/* Text of the leaf at the path; NULL: there is none. */
const char *node_text(const struct lyd_node *from, const char *path);
/* Microseconds since 1970 of the utc-time at the path; 0: there is none. */
int64_t node_time(const struct lyd_node *from, const char *path);
/* Name and value of the node itself. */
const char *node_name(const struct lyd_node *node);
const char *node_value(const struct lyd_node *leaf);
/* The nearest node of that name, from the node itself upwards; NULL: there is none. */
const struct lyd_node *node_ancestor(const struct lyd_node *node, const char *name);

/* Calls use for every node at the path, in the tree's order. An empty path is the node itself. */
typedef void node_use_fn(void *arg, const struct lyd_node *node);
void node_each(const struct lyd_node *from, const char *path, node_use_fn *use, void *arg);

#endif
