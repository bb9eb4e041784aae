/* SPDX-License-Identifier: BSD-3-Clause */
/* The router's own routes and what its export policies make of them, kept up to date. */
#ifndef LABROUTER_EXPORTS_H
#define LABROUTER_EXPORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libxml/tree.h>

#include "mtime.h"
#include "policy.h"
#include "routes.h"

struct exports;

/* imports: policies to evaluate beside those for export; borrowed. */
struct exports *exports_new(const struct policy_names *imports);
void exports_free(struct exports *exports); /* NULL is fine */
/* The merged configuration is another one. True when an announcement is another one than before. */
bool exports_update(struct exports *exports, const xmlNode *configuration, struct mtime now);
/* Borrowed until the next update. */
const struct route_table *exports_routes(const struct exports *exports);
const struct announcements *exports_announcements(const struct exports *exports);
uint64_t exports_changes(const struct exports *exports);     /* updates that were true */
size_t exports_discard_count(const struct exports *exports); /* discard routes, main tables */

#endif
