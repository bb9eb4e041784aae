/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading answers: leaves of libyang trees by name, and times and ages as people write them.
 * NULL as a parent is an empty node, so that paths may be walked without a check at each step.
 */
#ifndef AUTOFBF_TREE_H
#define AUTOFBF_TREE_H

#include <stdbool.h>
#include <stdint.h>

struct lyd_node;

const struct lyd_node *tree_child(const struct lyd_node *parent, const char *name); /* NULL: none */
/* Entries of a list or leaf-list: previous NULL starts. */
const struct lyd_node *tree_next(
    const struct lyd_node *parent, const char *name, const struct lyd_node *previous);
/* The entry whose leaf `key` is value; NULL: none. */
const struct lyd_node *tree_entry(
    const struct lyd_node *parent, const char *list, const char *key, const char *value);
bool tree_has(const struct lyd_node *parent, const char *leaf);
const char *tree_text(const struct lyd_node *parent, const char *leaf); /* "" when absent */
uint64_t tree_number(const struct lyd_node *parent, const char *leaf);  /* 0 when absent */
double tree_amount(const struct lyd_node *parent, const char *leaf);    /* 0 when absent */
bool tree_flag(const struct lyd_node *parent, const char *leaf);        /* false when absent */
bool tree_is(const struct lyd_node *parent, const char *leaf, const char *value);
int64_t tree_time(const struct lyd_node *parent, const char *leaf); /* us; 0 when absent */
const char *tree_value(const struct lyd_node *leaf);

enum { AGE_TEXT_SIZE = 24, CLOCK_TEXT_SIZE = 24, AMOUNT_TEXT_SIZE = 32 };
/* "256", "341.5", "0.02": a share or a load, two decimals at most; returns buf. */
const char *amount_format(double amount, char buf[AMOUNT_TEXT_SIZE]);
/* "0s", "47s", "3m31s", "2h05m", "41d"; returns buf. Negative counts as 0. */
const char *age_format(int64_t us, char buf[AGE_TEXT_SIZE]);
/* "0:13" or "12:05" for what is left; rounded up. */
const char *countdown_format(int64_t us, char buf[AGE_TEXT_SIZE]);
/* "+0.4 ms", "+0.61 s", "+12 s". */
const char *delay_format(int64_t us, char buf[AGE_TEXT_SIZE]);
/* "03:04:11.9" of a wall-clock time, UTC. */
const char *clock_format(int64_t us, char buf[CLOCK_TEXT_SIZE]);

#endif
