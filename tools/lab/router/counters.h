/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counters that the router has: those of its logical interfaces and of the filter terms with
 * `then count`. The kernel's where there are packets, and what the control socket makes up.
 */
#ifndef LABROUTER_COUNTERS_H
#define LABROUTER_COUNTERS_H

#include <stddef.h>

#include "error.h"
#include "meters.h"

struct labrouter;

struct interface_counters {
	char *name; /* owned; "ei1.0" */
	struct meter_value in, out;
};

struct term_counters {
	char *filter, *name; /* owned */
	struct meter_value value;
};

/* By name. 0, or -errno with err: the kernel does not tell. */
int counters_interfaces(struct labrouter *router, struct interface_counters **ret_list,
    size_t *ret_count, struct error *err);
void counters_interfaces_free(struct interface_counters *list, size_t count);
/* In the order of the merged configuration; terms that share a counter are one. */
int counters_terms(struct labrouter *router, struct term_counters **ret_list, size_t *ret_count,
    struct error *err);
void counters_terms_free(struct term_counters *list, size_t count);

/* All of them are zero now. */
int counters_clear_interfaces(struct labrouter *router, struct error *err);
int counters_clear_terms(struct labrouter *router, struct error *err);

#endif
