/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The forwarding plane of the lab router: what the merged configuration says about filters and
 * forwarding instances becomes nftables and policy routing in the network namespace that the
 * process runs in. As on a real router, a commit reaches the forwarding plane after it was answered
 * and filter by filter: forwarding_submit only computes, forwarding_tick swaps one filter at a time
 * (each swap is one transaction). Only what changed is rewritten.
 *
 * Never blocks for longer than one swap (about 10 ms for 1024 prefixes). No clock inside.
 */
#ifndef LABROUTER_FORWARDING_H
#define LABROUTER_FORWARDING_H

#include <stddef.h>
#include <stdint.h>

#include <libxml/tree.h>

#include "error.h"
#include "mtime.h"

struct forwarding;

/* One filter that packets now meet in its new form, or the routing (bindings, rules and routes). */
struct forwarding_change {
	const char *what; /* filter name, or "routing"; valid during the call */
	uint64_t commit;  /* the number given to forwarding_submit */
	int64_t at_us;    /* wall clock when the kernel had it, microseconds since 1970 */
	uint32_t took_us; /* duration of the swap */
	size_t intervals; /* disjoint address ranges that the filter has now */
};
typedef void forwarding_changed_fn(void *arg, const struct forwarding_change *change);

/* Makes the table in the current network namespace (needs CAP_NET_ADMIN there); what an earlier
 * router left under the same names is removed. NULL with err. changed may be NULL. */
struct forwarding *forwarding_new(forwarding_changed_fn *changed, void *arg, struct error *err);
/* Leaves the kernel as it is: a router whose control plane dies goes on forwarding. NULL is fine.
 */
void forwarding_free(struct forwarding *fwd);

/* Pause between two filters of the same commit, and before the first; milliseconds, default 0. */
void forwarding_set_skew(struct forwarding *fwd, uint32_t skew_ms);

/* Compiles the filters and instances of a merged <configuration> element (any namespace; borrowed
 * during the call only) and queues what differs from what the kernel has. commit is a number of
 * the caller's choice that comes back in forwarding_change. 0, or -EINVAL/-ENOTSUP with err =
 * filter, term and statement; then nothing is queued and the old state stays in force.
 * Call it after the commit was answered. A later submit replaces what is still queued. */
int forwarding_submit(struct forwarding *fwd, uint64_t commit, const xmlNode *configuration,
    struct mtime now, struct error *err);

/* When forwarding_tick has something to do; MTIME_NEVER: nothing queued. */
struct mtime forwarding_deadline(const struct forwarding *fwd);
/* Swaps at most one filter if its time has come. 0, or -errno with err (kept queued, retried a
 * second later). */
int forwarding_tick(struct forwarding *fwd, struct mtime now, struct error *err);

/* Readable when a link or address changed: call forwarding_links_changed, which queues the routes
 * of the forwarding instances again (the kernel drops routes with their link). */
int forwarding_fd(const struct forwarding *fwd);
void forwarding_links_changed(struct forwarding *fwd, struct mtime now);

/* One counter of a term (`then count NAME`). */
struct forwarding_counter {
	char *filter, *name; /* owned by the array */
	uint64_t packets, bytes;
};
/* Reads all counters from the kernel (a few ms). forwarding_counters_free releases the array. */
int forwarding_counters(struct forwarding *fwd, struct forwarding_counter **ret_counters,
    size_t *ret_count, struct error *err);
void forwarding_counters_free(struct forwarding_counter *counters, size_t count);

#endif
