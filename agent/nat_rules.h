/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hosts that an element's deterministic pools translate, for walks over a layout.
 */
#ifndef AUTOFBF_NAT_RULES_H
#define AUTOFBF_NAT_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "prefix.h"
#include "profile.h"

struct nat_rules {
	struct prefix *items; /* owned; host prefixes of all pools: disjoint, sorted */
	size_t count;
	size_t at;       /* nothing before it is of use any more; 0: for a new walk */
	bool has_others; /* there are pools of other kinds */
};

/* Give nat_rules_done what this fills. */
void nat_rules_open(struct nat_rules *rules, const struct profile_element_family *family);
void nat_rules_done(struct nat_rules *rules);
/* Every address of the prefix is in some rule. Prefixes come in ascending order. */
bool nat_rules_have(struct nat_rules *rules, const struct prefix *prefix);
/* Tells the parts of the prefix that are in no rule, in ascending order and as few as there are. */
typedef void nat_rules_gap_fn(void *arg, const struct prefix *gap);
void nat_rules_gaps(
    struct nat_rules *rules, const struct prefix *prefix, nat_rules_gap_fn *take, void *arg);

#endif
