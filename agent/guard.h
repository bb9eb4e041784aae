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
	/* Not every element has a verdict (or the router was never read), and startup-wait is not
	 * over. */
	FREEZE_STARTUP,
	/* The healthy set is empty, or was until a moment ago: who comes back first does not get
	 * everything. The others have the mass event's window to come back, too, and the router
	 * must have been read. */
	FREEZE_NOBODY,
	/* Mass event, being looked at until two reads a second apart find the same elements down,
	 * or all that were lost have been healthy again for two seconds, or the operator thaws. */
	FREEZE_MASS,
	/* The router (rpd, mastership) restarted: until startup-wait is over, every element has a
	 * verdict and a read after that was heard, or all are healthy and stay so. */
	FREEZE_RESTART,
	FREEZE_OPERATOR, /* by `autofbf freeze` */
	FREEZE_COUNT
};
extern const char *const freeze_names[FREEZE_COUNT]; /* "no", "startup", "nobody-left", ... */

/* Losses of one group and family within the mass event's window. */
struct guard_tally {
	size_t lost;    /* elements */
	size_t domains; /* elements of one failure domain are one; without one each is its own */
	uint64_t lost_weight, total_weight; /* total: also of those that an operator took out */
};
/* is_lost has group->element_count entries. */
struct guard_tally guard_tally(
    const struct profile_group *group, enum family family, const bool *is_lost);
/* So much at once is the router's event rather than the elements'. */
bool guard_is_mass_event(const struct profile_group *group, const struct guard_tally *tally);

struct guard;

struct guard *guard_new(const struct profile *profile, struct mtime now);
void guard_free(struct guard *guard);
/* Another profile: guard, which was just made, goes on where from is with the same groups and
 * elements, by ids. Families that are new begin with FREEZE_STARTUP; an element that is new is no
 * loss. guard_update comes next. from is left as it is. */
void guard_inherit(struct guard *guard, const struct guard *from);

/* After every change of health and after every timer: looks at the healthy sets. True when some
 * family's freeze or hold changed. A hold that begins or ends changes health: health_doubt_pools.
 */
bool guard_update(struct guard *guard, struct health *health, struct mtime now);
/* The router was read completely (summary, BFD, uptime), and health was fed with it. True also when
 * guard_is_confirmed changed. ok false: the read failed. restarted_at: when rpd started, the box
 * booted or mastership changed, whichever is latest (monotonic, computed by the caller from ages;
 * far in the past or MTIME_NEVER: not told); asked_at: when the read began. */
bool guard_polled(struct guard *guard, struct health *health, bool ok, struct mtime restarted_at,
    struct mtime asked_at, struct mtime now);
/* When a guard wants the router read (a mass event, nobody left: twice, a second apart; a restart:
 * when the wait is over); MTIME_NEVER: not at all. Another time after every guard_polled: one read
 * for each, also for a time that is past. */
struct mtime guard_look_at(const struct guard *guard);
/* When guard_update must run next. */
struct mtime guard_deadline(const struct guard *guard);
/* Operator. Thaw also ends FREEZE_MASS, FREEZE_RESTART, FREEZE_STARTUP and a hold: pool routes are
 * believed as they are. group SIZE_MAX: all. */
bool guard_operator(
    struct guard *guard, struct health *health, size_t group, bool freeze, struct mtime now);

/* FREEZE_NOBODY that two good reads have confirmed: signal routes may say so, the layout stands. */
bool guard_is_confirmed(const struct guard *guard, size_t group, enum family family);
enum freeze guard_freeze(const struct guard *guard, size_t group, enum family family);
/* One sentence for status: why, and what ends it. Valid until the next call. */
const char *guard_reason(const struct guard *guard, size_t group, enum family family);
/* Held, and no freeze: most elements have lost their NAT pool routes while their sessions are up,
 * so the routes are not believed until most are back, or the operator thaws. Why, and what to look
 * at;
 * "": not held. Valid until the next call. */
const char *guard_hold_reason(const struct guard *guard, size_t group, enum family family);

#endif
