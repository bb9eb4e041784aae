/* SPDX-License-Identifier: BSD-3-Clause */
/* The static configuration that the router needs before an agent can steer anything. */
#ifndef AUTOFBF_ROUTER_CONFIG_H
#define AUTOFBF_ROUTER_CONFIG_H

#include <stdbool.h>
#include <stdio.h>

#include "error.h"
#include "profile.h"

/* Writes the complete static configuration of a checked profile: one Junos <configuration> document
 * (xml), to load with action replace, or the same as `delete` and `set` commands. Loaded over what
 * an earlier profile left, it replaces that. Its shape is told at the top of router_config.c. 0;
 * -EINVAL: the profile cannot be rendered, nothing was written; -EIO: out failed. */
int router_config_print(const struct profile *profile, bool xml, FILE *out, struct error *err);

#endif
