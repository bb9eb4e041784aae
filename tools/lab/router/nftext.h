/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One filter -> nftables text, in two parts: the chains of its terms (count, then mark, accept or
 * drop), which change with the filter's definition only, and the program (interval maps and the
 * rules that look into them), which a change of prefix-lists rewrites.
 */
#ifndef LABROUTER_NFTEXT_H
#define LABROUTER_NFTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "filter.h"

#define NFTEXT_TABLE "inet labrouter"

/* Number of a routing instance: the packet mark and routing table that stand for it; 0: unknown. */
typedef uint32_t nftext_instance_fn(void *arg, const char *name);

/* The old rules stand until the new ones work, so names of maps and of the chain of rules end in a
 * generation: every character NFTEXT_GENERATION in program, enter and drop is to be replaced by a
 * letter before use. */
#define NFTEXT_GENERATION '\001'

struct nftext {
	char *terms;   /* owned; makes or rewrites the terms' chains and counters */
	char *program; /* owned; makes maps and rules of that generation, which nobody meets yet */
	char *enter;   /* owned; sends packets from the filter's chain to that generation */
	char *drop;    /* owned; deletes that generation */
	char **counters; /* owned; name under which each term counts */
	size_t counter_count;
	size_t intervals;
};

/* number makes the names unique: chain f<number>, chains and counters f<number>_t<term>. 0, or
 * -EINVAL with err when a term names an unknown instance. */
int nftext_make(const struct filter *filter, unsigned number, nftext_instance_fn *instance,
    void *arg, struct nftext *ret_text, struct error *err);
void nftext_done(struct nftext *text);

#endif
