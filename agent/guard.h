/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Guards per (group, family): may the wanted layout follow the healthy set now? DESIGN decision 12,
 * 13. While a guard holds, the family is frozen: the layout that stands, stands.
 */
#ifndef AUTOFBF_GUARD_H
#define AUTOFBF_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#include "health.h"
#include "mtime.h"
#include "profile.h"

enum freeze {
	FREEZE_NOT,
	FREEZE_STARTUP,	 /* not every element has a verdict and startup-wait is not over */
	FREEZE_NOBODY,	 /* the healthy set is empty */
	FREEZE_MASS,	 /* mass event, being looked at */
	FREEZE_RESTART,	 /* the router (rpd, mastership) restarted: waiting for verdicts */
	FREEZE_OPERATOR, /* by `autofbf freeze`, or a mass event that only the operator may thaw */
	FREEZE_COUNT
};
extern const char *const freeze_names[FREEZE_COUNT]; /* "no", "startup", "nobody-left", ... */

struct guard;

struct guard *guard_new(const struct profile *profile, struct mtime now);
void guard_free(struct guard *guard);

/* After every change of health and after every timer: looks at the healthy sets. True when some
 * family's freeze changed. */
bool guard_update(struct guard *guard, const struct health *health, struct mtime now);
/* The router was read completely (summary, BFD, uptime). ok false: the read failed. restarted_at:
 * when rpd started, the box booted or mastership changed, whichever is latest (monotonic, computed
 * by the caller from ages); asked_at: when the read began. */
bool guard_polled(struct guard *guard, const struct health *health, bool ok,
    struct mtime restarted_at, struct mtime asked_at, struct mtime now);
/* When a guard wants the router read (a mass event: twice, a second apart); MTIME_NEVER: not at all. */
struct mtime guard_look_at(const struct guard *guard);
/* When guard_update must run next. */
struct mtime guard_deadline(const struct guard *guard);
/* Operator. Thaw also ends FREEZE_MASS, FREEZE_RESTART and FREEZE_STARTUP. group SIZE_MAX: all. */
bool guard_operator(struct guard *guard, size_t group, bool freeze, struct mtime now);

enum freeze guard_freeze(const struct guard *guard, size_t group, enum family family);
/* One sentence for status: why, and what ends it. Valid until the next call. */
const char *guard_reason(const struct guard *guard, size_t group, enum family family);

#endif
