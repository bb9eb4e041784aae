/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NAT pools as they are: what the profile says of them, where their routes lead by the agent's
 * state, and how many hosts are behind them.
 */
#ifndef AUTOFBF_NAT_VIEW_H
#define AUTOFBF_NAT_VIEW_H

#include <stdbool.h>

#include "profile.h"
#include "scope.h"

/* On standard output, a line a pool, or JSON. profile is the one that the state was made with.
 * False: nothing that the scope names has pools, and nothing is printed. */
bool nat_view_print(const struct profile *profile, const struct lyd_node *state,
    const struct scope *scope, bool json);

#endif
