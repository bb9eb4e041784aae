/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words for stages and outcomes, apart from the rest, so that readers of a status can print it
 * without linking the router. The words are those of the YANG module.
 */
#include "router.h"

const char *const router_stage_names[ROUTER_STAGE_COUNT] = { "disconnected", "connecting",
	"reading", "idle", "opening", "loading", "committing", "closing", "verifying",
	"backing-off" };

const char *const router_outcome_names[ROUTER_OUTCOME_COUNT] = { "committed", "refused",
	"load-failed", "database-full", "lost", "unknown" };
