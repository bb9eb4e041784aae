/* SPDX-License-Identifier: BSD-3-Clause */
/* The forwarding plane (forwarding.h) on the loop: fed after a commit was answered, one filter at a
 * time. */
#ifndef LABROUTER_PLANE_H
#define LABROUTER_PLANE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"

struct forwarding_counter;
struct labrouter;
struct plane;

/* skew_ms: pause before each filter of a commit. 0, or -errno with err. */
int plane_new(
    struct labrouter *router, uint32_t skew_ms, struct plane **ret_plane, struct error *err);
void plane_free(struct plane *plane); /* NULL is fine; the kernel goes on forwarding */
/* The merged configuration is another one; taken up in the next turn of the loop. */
void plane_changed(struct plane *plane);

struct plane_numbers {
	uint64_t submitted; /* number of the last change given to it */
	uint64_t forwarded; /* the last one that is in force as a whole */
	uint64_t changes, errors;
	int64_t last_us; /* wall clock of the last swap */
};
void plane_get_numbers(const struct plane *plane, struct plane_numbers *ret_numbers);
void plane_print_changes(const struct plane *plane, FILE *out);
/* As forwarding_counters. */
int plane_read_counters(struct plane *plane, struct forwarding_counter **ret_counters,
    size_t *ret_count, struct error *err);
int plane_print_counters(struct plane *plane, FILE *out, struct error *err);

#endif
