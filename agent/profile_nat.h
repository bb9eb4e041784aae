/* SPDX-License-Identifier: BSD-3-Clause */
/* NAT pools and supernets: who has them, and that no two things claim one address. */
#ifndef AUTOFBF_PROFILE_NAT_H
#define AUTOFBF_PROFILE_NAT_H

#include "error.h"
#include "profile.h"

/* Part of profile_check, after pools and elements have been found sound. 0, or -EINVAL with err =
 * "/group[ID]/...: what is wrong, the other place, what would be right". What needs the layout is
 * nat_cover.h's. */
int profile_nat_check(const struct profile *profile, struct error *err);

#endif
