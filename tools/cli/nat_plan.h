/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What NAT at the elements has to be configured for, from a profile alone: the hosts that each one
 * carries while all are well, those that it is the standby of, what its deterministic rules leave
 * out of both, and port blocks.
 */
#ifndef AUTOFBF_NAT_PLAN_H
#define AUTOFBF_NAT_PLAN_H

#include <stdbool.h>

#include "profile.h"

/* On standard output. only_group, only_element: by id; NULL: all. False: none of these has a
 * family with return-path nat-routes, and nothing is printed. */
bool nat_plan_print(
    const struct profile *profile, const char *only_group, const char *only_element, bool json);

#endif
