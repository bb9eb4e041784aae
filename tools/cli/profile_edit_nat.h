/* SPDX-License-Identifier: BSD-3-Clause */
/* NAT pools of a new element, as they are given on the command line and as a profile has them. */
#ifndef AUTOFBF_CLI_PROFILE_EDIT_NAT_H
#define AUTOFBF_CLI_PROFILE_EDIT_NAT_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "prefix.h"

/* All borrowed; NULL and 0: not given. Kind, block size and hosts are those of every pool. */
struct newcomer_nat {
	const char *const *pools; /* "ID=PREFIX" */
	size_t pool_count;
	const char *kind, *block_size;
	const char *const *hosts;
	size_t host_count;
};

/* What could not be written down; whether it is a good pool, the profile's loader tells.
 * serves[family]: the element has addresses of it. 0, or -EDOM with err. */
int profile_edit_nat_check(
    const struct newcomer_nat *nat, const bool serves[FAMILY_COUNT], struct error *err);
/* The JSON array of a checked one's pools of the family, the caller frees it; NULL: there are
 * none. */
char *profile_edit_nat_format(const struct newcomer_nat *nat, enum family family);

#endif
