/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Leaves and nodes of the trees that readers get, by libyang. Text that YANG could not take
 * (control characters, broken UTF-8) is made harmless on the way.
 */
#ifndef AUTOFBF_NORTHBOUND_PUT_H
#define AUTOFBF_NORTHBOUND_PUT_H

#include <stdbool.h>
#include <stdint.h>

struct lyd_node;

/* One leaf, formatted. is_output: below an RPC's output. A value that the model does not know is
 * left out and logged: a reader must never end the daemon. */
void northbound_put(struct lyd_node *parent, bool is_output, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Units, parts of them included, to six digits. What is not nothing is never told as nothing. */
void northbound_put_share(struct lyd_node *parent, bool is_output, const char *name, double units);
/* A wall-clock time; 0 (never) is left out. */
void northbound_put_time(struct lyd_node *parent, bool is_output, const char *name, int64_t us);
/* Text for people: bytes that XML cannot carry become '?'. NULL and "" are left out. */
void northbound_put_text(
    struct lyd_node *parent, bool is_output, const char *name, const char *text);

/* State, not output: */
void northbound_put_count(struct lyd_node *parent, const char *name, uint64_t value);
struct lyd_node *northbound_add_inner(struct lyd_node *parent, const char *name);
struct lyd_node *northbound_add_entry(struct lyd_node *parent, const char *list, const char *key);

#endif
