/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signal routes: static discard routes on which the router's BGP export policies depend
 * (if-route-exists). The failed route of a (group, family) is wanted while fewer than min-alive
 * elements are healthy, and for revert-hold after there were enough again (a flap restarts the
 * hold); the alter route while the operator says so. Groups may share a route: it is wanted while
 * anybody wants it. Pure: values and a clock in, routes out.
 */
#ifndef AUTOFBF_SIGNAL_ROUTE_H
#define AUTOFBF_SIGNAL_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "listset.h"
#include "mtime.h"
#include "profile.h"

struct signal_routes;

/* profile is borrowed. */
struct signal_routes *signal_routes_new(const struct profile *profile);
void signal_routes_free(struct signal_routes *signals);
/* Another profile: signals, which was just made, goes on where from is with the same groups, by id.
 * from is left as it is. */
void signal_routes_inherit(struct signal_routes *signals, const struct signal_routes *from);

/* alive: healthy elements of the family now. Not called while the family's health may not be acted
 * on (startup, mass event being looked at, operator's freeze): the last decision stands. True when
 * a wish changed. */
bool signal_routes_update(struct signal_routes *signals, size_t group, enum family family,
    size_t alive, struct mtime now);
/* After a start, and after the operator's alters: the failed route is on the router already. It
 * stays until the first update of the family, and for revert-hold from then on. A route that an
 * alter explains is left alone. have is sorted. */
void signal_routes_adopt(
    struct signal_routes *signals, const struct listset *have, struct mtime now);
bool signal_routes_tick(struct signal_routes *signals, struct mtime now);
struct mtime signal_routes_deadline(const struct signal_routes *signals);
/* Operator; group SIZE_MAX: all. Families without an alter route are left alone. */
bool signal_routes_alter(struct signal_routes *signals, size_t group, bool on);

bool signal_routes_is_failed(const struct signal_routes *signals, size_t group, enum family family);
bool signal_routes_is_altered(
    const struct signal_routes *signals, size_t group, enum family family);
/* End of revert-hold; MTIME_NEVER: not holding. */
struct mtime signal_routes_hold_until(
    const struct signal_routes *signals, size_t group, enum family family);

/* Appends the list LISTSET_SIGNAL_ROUTES, unsorted, with every route that is wanted (an empty list
 * when the profile names routes and none is wanted, no list when it names none). */
void signal_routes_want(const struct signal_routes *signals, struct listset *want);
/* The profile names this route: it is ours to add and remove. */
bool signal_routes_is_ours(const struct profile *profile, const struct prefix *route);

#endif
