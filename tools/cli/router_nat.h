/* SPDX-License-Identifier: BSD-3-Clause */
/* What the router needs where return packets follow the routes of NAT pools. router_config.c tells
 * the shape. */
#ifndef AUTOFBF_ROUTER_NAT_H
#define AUTOFBF_ROUTER_NAT_H

#include <stdbool.h>

#include "config_writer.h"
#include "profile.h"

/* [edit policy-options policy-statement]: the import policy of each outside session, with comments
 * that say what the session needs besides; nothing without NAT pools. */
void nat_write_policies(struct config_writer *w, const struct profile *profile);

/* Inside routing-options of an instance ("master" as well): discard routes of the supernets over
 * pools that are announced there, and the end of others that may have been there before. */
bool nat_has_discards(const struct profile *profile, const char *instance);
void nat_write_discards(
    struct config_writer *w, const struct profile *profile, const char *instance);

/* Inside `from` of an export policy towards the core: what the router announces for the group, its
 * supernets, or the pools themselves where it has none. */
void nat_write_announced(
    struct config_writer *w, const struct profile_group *group, enum family family);

#endif
