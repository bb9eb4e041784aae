/* SPDX-License-Identifier: BSD-3-Clause */
/* Contradictions in a group's policy: damping, splitting, signal routes, failure domains. */
#ifndef AUTOFBF_PROFILE_POLICY_H
#define AUTOFBF_PROFILE_POLICY_H

#include "error.h"
#include "profile.h"

/* Part of profile_check, after pools and elements have been found sound. 0, or -EINVAL with err =
 * "/group[ID]/...: what is wrong, the other place, what would be right". */
int profile_policy_check(
    const struct profile *profile, const struct profile_group *group, struct error *err);

#endif
