/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * May the layout follow the healthy set now? Per group and family, one answer with one sentence.
 *
 * Health believes every single failure at once; a guard looks at many of them together. It holds
 * after a start until there is something to go by, when nobody is left, when most of a group seems
 * to die within seconds (more likely the router than the elements), after a restart of the router,
 * and on an operator's word. While it holds, the layout that stands, stands: packets keep flowing
 * to elements that may well be alive.
 *
 * A mass event is looked at, not waited out: two reads a second apart that find the same elements
 * down let the layout follow. A read that fails, or that finds sessions up where health has an
 * element out, starts that count again. The first down of a mass event has been acted on by then;
 * nobody can know the future. Elements on one host die together: the event counts failure domains.
 *
 * Most of a group without its NAT pool routes while the sessions are up is no freeze: the routes
 * are doubted, guard_hold.c says how, and all else is acted on.
 *
 * A restart of the router is waited out, and then read: a session or a BFD whose Up was lost on
 * the way would cost its element everything at the end of the wait.
 */
#include "guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "guard_internal.h"

enum {
	LOOK_APART_MS = 1000,
	BACK_MS = 2000, /* sessions return as Up, Down, Up within a second: healthy for so long */
	RESTART_SLACK_MS = 3000,       /* ages are whole seconds, and the answer took a while */
	YOUNG_RESTART_MS = 300 * 1000, /* at the first read: sessions may still be coming up */
};

const char *const freeze_names[FREEZE_COUNT] = {
	[FREEZE_NOT] = "no",
	[FREEZE_STARTUP] = "startup",
	[FREEZE_NOBODY] = "nobody-left",
	[FREEZE_MASS] = "mass-event",
	[FREEZE_RESTART] = "router-restart",
	[FREEZE_OPERATOR] = "operator",
};

static int64_t
startup_wait_ms(const struct guard *guard, const struct family_guard *fg)
{
	return (int64_t)guard_group(guard, fg)->startup_wait_s * 1000;
}

static void
init_family(struct guard *guard, struct family_guard *fg, struct mtime now)
{
	const struct profile_group *group = guard_group(guard, fg);

	fg->watch = xcalloc(group->element_count + 1, sizeof(*fg->watch));
	for (size_t e = 0; e < group->element_count; e++) {
		const struct profile_element *element = &group->elements[e];
		fg->watch[e].is_watched = element->family[fg->family].present && !element->removed;
		fg->watch[e].lost_at = fg->watch[e].lacks_since = MTIME_NEVER;
		fg->count += fg->watch[e].is_watched;
	}
	fg->startup = fg->count > 0;
	fg->startup_until = mtime_add_ms(now, startup_wait_ms(guard, fg));
	fg->nobody_until = fg->look_at = fg->read_at = fg->restart_until = MTIME_NEVER;
	fg->whole_since = fg->back_since = fg->eased_since = fg->restart_look_at = MTIME_NEVER;
	fg->freeze = fg->startup ? FREEZE_STARTUP : FREEZE_NOT;
	snprintf(fg->reason, sizeof(fg->reason), fg->startup ? "just started" : "");
}

struct guard *
guard_new(const struct profile *profile, struct mtime now)
{
	struct guard *guard = xcalloc(1, sizeof(*guard));

	guard->profile = profile;
	guard->count = profile->group_count * FAMILY_COUNT;
	guard->families = xcalloc(guard->count + 1, sizeof(*guard->families));
	guard->restarted_at = MTIME_NEVER;
	guard->updated_at = now;
	for (size_t i = 0; i < guard->count; i++) {
		guard->families[i].group = i / FAMILY_COUNT;
		guard->families[i].family = (enum family)(i % FAMILY_COUNT);
		init_family(guard, &guard->families[i], now);
	}
	return guard;
}

void
guard_free(struct guard *guard)
{
	if (!guard)
		return;
	for (size_t i = 0; i < guard->count; i++)
		free(guard->families[i].watch);
	free(guard->families);
	free(guard);
}

static void
inherit_family(struct guard *guard, struct family_guard *fg, const struct guard *from,
    const struct family_guard *old)
{
	const struct profile_group *group = guard_group(guard, fg), *was = guard_group(from, old);
	struct family_guard fresh = *fg;

	if (fg->count == 0 || old->count == 0)
		return;
	*fg = *old;
	fg->group = fresh.group;
	fg->watch = fresh.watch;
	fg->count = fresh.count;
	for (size_t e = 0; e < group->element_count; e++) {
		size_t i = profile_element_index(was, group->elements[e].id);

		if (i != SIZE_MAX && fg->watch[e].is_watched && old->watch[i].is_watched)
			fg->watch[e] = old->watch[i];
	}
}

void
guard_inherit(struct guard *guard, const struct guard *from)
{
	guard->was_read = from->was_read;
	guard->read_at = from->read_at;
	guard->restarted_at = from->restarted_at;
	guard->updated_at = from->updated_at;
	for (size_t i = 0; i < guard->count; i++) {
		struct family_guard *fg = &guard->families[i];
		size_t g = profile_group_index(from->profile, guard_group(guard, fg)->id);

		if (g != SIZE_MAX)
			inherit_family(
			    guard, fg, from, &from->families[g * FAMILY_COUNT + fg->family]);
	}
}

/* ---- the guards, one by one ------------------------------------------------------------------ */

static bool
has_lasted(struct mtime since, struct mtime now)
{
	return mtime_reached(now, mtime_add_ms(since, BACK_MS));
}

static void
check_startup(
    struct guard *guard, struct family_guard *fg, const struct health *health, struct mtime now)
{
	if (!fg->startup)
		return;
	if (mtime_reached(now, fg->startup_until) ||
	    (guard->was_read && health_has_verdicts(health, fg->group, fg->family)))
		fg->startup = false;
}

static void
wait_for_sessions(struct guard *guard, struct family_guard *fg, struct mtime now)
{
	fg->restart_until = mtime_add_ms(now, startup_wait_ms(guard, fg));
	fg->restart_look_at = fg->restart_until;
	fg->restart_read = false;
}

void
guard_begin_restart(struct guard *guard, struct family_guard *fg, struct mtime now)
{
	if (fg->count == 0)
		return;
	fg->restart = true;
	fg->is_felt = fg->healthy != fg->free;
	wait_for_sessions(guard, fg, now);
	fg->whole_since = MTIME_NEVER; /* as if nobody had been up: sessions may still fall */
	fg->mass = false;
	fg->look_at = MTIME_NEVER;
}

bool
guard_is_just_restarted(const struct guard *guard, const struct family_guard *fg, struct mtime now)
{
	return !mtime_is_never(guard->restarted_at) &&
	       now.us < mtime_add_ms(guard->restarted_at, startup_wait_ms(guard, fg)).us;
}

static void
check_mass(struct guard *guard, struct family_guard *fg, struct mtime now)
{
	const struct profile_group *group = guard_group(guard, fg);
	struct guard_tally tally = guard_count_losses(guard, fg, now);

	guard_note_since(&fg->back_since, fg->mass && tally.lost == 0, now);
	if (has_lasted(fg->back_since, now)) {
		guard_accept_losses(guard, fg);
		return;
	}
	if (fg->mass || fg->startup || fg->restart || !guard_is_mass_event(group, &tally))
		return;
	if (guard_is_just_restarted(guard, fg, now)) {
		guard_begin_restart(guard, fg, now);
		return;
	}
	for (size_t e = 0; e < group->element_count; e++)
		fg->watch[e].in_event = guard_is_lost(guard, fg, e, now);
	fg->mass = true;
	fg->mass_at = now;
	fg->look_at = now;
	fg->read_at = MTIME_NEVER;
	fg->looked = "not looked yet";
}

/* All are healthy: for how long, to be believed? Where sessions fell they flap as they return. */
static struct mtime
whole_until(const struct guard *guard, const struct family_guard *fg)
{
	uint32_t window_ms = guard_group(guard, fg)->mass_window_ms;
	bool is_long = fg->restart && fg->is_felt && window_ms > BACK_MS;

	return mtime_add_ms(fg->whole_since, is_long ? window_ms : BACK_MS);
}

/* While nobody is up the wait has not begun: sessions need their time after a boot. */
static void
check_restart(
    struct guard *guard, struct family_guard *fg, const struct health *health, struct mtime now)
{
	if (!fg->restart)
		return;
	if (mtime_reached(now, whole_until(guard, fg))) {
		fg->restart = false;
	} else if (fg->healthy == 0) {
		wait_for_sessions(guard, fg, now);
	} else if (mtime_reached(now, fg->restart_until) && fg->restart_read &&
	           health_has_verdicts(health, fg->group, fg->family) &&
	           !guard_is_contradicted(guard, fg, health, false)) {
		fg->restart = false;
		guard_accept_losses(guard, fg);
		guard_renew_pool_losses(guard, fg, now);
	}
}

static void
check_nobody(struct guard *guard, struct family_guard *fg, struct mtime now)
{
	if (fg->count == 0 || fg->startup)
		return;
	if (fg->healthy == 0) {
		if (!fg->nobody || !mtime_is_never(fg->nobody_until)) {
			fg->nobody_at = fg->nobody_look_at = now;
			fg->nobody_reads = 0;
		}
		fg->nobody = true;
		fg->nobody_until = MTIME_NEVER;
		return;
	}
	if (!fg->nobody)
		return;
	if (mtime_is_never(fg->nobody_until))
		fg->nobody_until =
		    mtime_add_ms(now, guard_window_ms(guard, fg, guard_has_pools(guard, fg)));
	if (fg->nobody_reads &&
	    (has_lasted(fg->whole_since, now) || mtime_reached(now, fg->nobody_until)))
		fg->nobody = false;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static enum freeze
choose(const struct family_guard *fg)
{
	if (fg->operator)
		return FREEZE_OPERATOR;
	if (fg->restart)
		return FREEZE_RESTART;
	if (fg->mass)
		return FREEZE_MASS;
	if (fg->startup)
		return FREEZE_STARTUP;
	if (fg->nobody)
		return FREEZE_NOBODY;
	return FREEZE_NOT;
}

static bool
conclude(const struct guard *guard, struct family_guard *fg)
{
	enum freeze before = fg->freeze;
	bool was_held = fg->hold_reason[0];

	fg->freeze = choose(fg);
	guard_explain(guard, fg, fg->reason, sizeof(fg->reason));
	guard_explain_hold(guard, fg, fg->hold_reason, sizeof(fg->hold_reason));
	return fg->freeze != before || fg->held != was_held;
}

static bool
update_family(struct guard *guard, struct family_guard *fg, struct health *health, struct mtime now)
{
	guard_observe(guard, fg, health, now);
	check_startup(guard, fg, health, now);
	check_restart(guard, fg, health, now);
	guard_check_hold(guard, fg, health, now);
	check_mass(guard, fg, now);
	check_nobody(guard, fg, now);
	return conclude(guard, fg);
}

bool
guard_update(struct guard *guard, struct health *health, struct mtime now)
{
	bool changed = false;

	guard->updated_at = now;
	for (size_t i = 0; i < guard->count; i++)
		changed |= update_family(guard, &guard->families[i], health, now);
	return changed;
}

/* ---- reads of the router --------------------------------------------------------------------- */

/*
 * Did the router restart since we last read it? At the first read: so recently that sessions may
 * still be coming up. The computed time trembles by a second or two from read to read.
 */
static bool
note_restart(struct guard *guard, struct mtime restarted_at, struct mtime asked_at)
{
	bool is_first = !guard->was_read;
	struct mtime last_read = guard->read_at, known = guard->restarted_at;

	guard->was_read = true;
	guard->read_at = asked_at;
	if (mtime_is_never(restarted_at))
		return false;
	guard->restarted_at = restarted_at;
	if (is_first)
		return restarted_at.us > mtime_add_ms(asked_at, -YOUNG_RESTART_MS).us;
	if (!mtime_is_never(known) && restarted_at.us <= mtime_add_ms(known, RESTART_SLACK_MS).us)
		return false;
	return restarted_at.us > mtime_add_ms(last_read, -RESTART_SLACK_MS).us;
}

static bool
is_same_as_first_read(const struct guard *guard, const struct family_guard *fg)
{
	for (size_t e = 0; e < guard_group(guard, fg)->element_count; e++)
		if (fg->watch[e].in_event != fg->watch[e].in_read)
			return false;
	return true;
}

static void
count_again(struct family_guard *fg, const char *looked, struct mtime now)
{
	fg->read_at = MTIME_NEVER;
	fg->look_at = mtime_add_ms(now, LOOK_APART_MS);
	fg->looked = looked;
}

static void
take_first_read(struct guard *guard, struct family_guard *fg, struct mtime asked_at)
{
	for (size_t e = 0; e < guard_group(guard, fg)->element_count; e++)
		fg->watch[e].in_read = fg->watch[e].in_event;
	fg->read_at = asked_at;
	fg->look_at = mtime_add_ms(asked_at, LOOK_APART_MS);
	fg->looked = "one read confirms it";
}

static void
judge_read(struct guard *guard, struct family_guard *fg, const struct health *health, bool ok,
    struct mtime asked_at, struct mtime now)
{
	if (!ok)
		count_again(fg, "the router could not be read", now);
	else if (asked_at.us < fg->mass_at.us)
		fg->look_at = now; /* an old question */
	else if (!mtime_is_never(fg->back_since))
		count_again(fg, "all are back", now);
	else if (guard_is_contradicted(guard, fg, health, true))
		count_again(fg, "the last read contradicts it", now);
	else if (mtime_is_never(fg->read_at) || !is_same_as_first_read(guard, fg))
		take_first_read(guard, fg, asked_at);
	else if (asked_at.us >= mtime_add_ms(fg->read_at, LOOK_APART_MS).us)
		guard_accept_losses(guard, fg);
	else
		fg->look_at = mtime_add_ms(fg->read_at, LOOK_APART_MS);
}

/* One read says whether the router restarted, the second that nobody is left indeed. */
static void
read_nobody(struct family_guard *fg, bool ok, struct mtime asked_at, struct mtime now)
{
	struct mtime next =
	    fg->nobody_reads ? mtime_add_ms(fg->nobody_read_at, LOOK_APART_MS) : fg->nobody_at;

	if (!ok) {
		fg->nobody_look_at = mtime_add_ms(now, LOOK_APART_MS);
	} else if (asked_at.us >= next.us) {
		fg->nobody_reads++;
		fg->nobody_read_at = asked_at;
		fg->nobody_look_at = mtime_add_ms(asked_at, LOOK_APART_MS);
	} else {
		fg->nobody_look_at = next.us > now.us ? next : now;
	}
}

static bool
wants_nobody_read(const struct family_guard *fg)
{
	if (!fg->nobody || fg->nobody_reads == 0)
		return fg->nobody;
	return fg->freeze == FREEZE_NOBODY && fg->healthy == 0 && fg->nobody_reads < NOBODY_READS;
}

static bool
is_confirmed(const struct family_guard *fg)
{
	return fg->freeze == FREEZE_NOBODY && fg->healthy == 0 && fg->nobody_reads >= NOBODY_READS;
}

static void
read_restart(struct family_guard *fg, bool ok, struct mtime asked_at, struct mtime now)
{
	if (ok && asked_at.us >= fg->restart_until.us)
		fg->restart_read = true;
	else if (now.us >= fg->restart_until.us)
		fg->restart_look_at = ok ? now : mtime_add_ms(now, LOOK_APART_MS);
}

bool
guard_polled(struct guard *guard, struct health *health, bool ok, struct mtime restarted_at,
    struct mtime asked_at, struct mtime now)
{
	bool is_restarted = ok && note_restart(guard, restarted_at, asked_at);
	bool changed = false;

	guard->updated_at = now;
	for (size_t i = 0; i < guard->count; i++) {
		struct family_guard *fg = &guard->families[i];
		bool was_confirmed = is_confirmed(fg);
		if (is_restarted)
			guard_begin_restart(guard, fg, now);
		if (wants_nobody_read(fg))
			read_nobody(fg, ok, asked_at, now);
		if (fg->restart && !fg->restart_read)
			read_restart(fg, ok, asked_at, now);
		changed |= update_family(guard, fg, health, now);
		if (fg->mass) {
			judge_read(guard, fg, health, ok, asked_at, now);
			changed |= conclude(guard, fg);
		}
		changed |= is_confirmed(fg) != was_confirmed;
	}
	return changed;
}

struct mtime
guard_look_at(const struct guard *guard)
{
	struct mtime next = MTIME_NEVER;

	for (size_t i = 0; i < guard->count; i++) {
		const struct family_guard *fg = &guard->families[i];
		if (fg->mass)
			next = mtime_min(next, fg->look_at);
		if (wants_nobody_read(fg))
			next = mtime_min(next, fg->nobody_look_at);
		if (fg->restart && fg->healthy > 0 && !fg->restart_read)
			next = mtime_min(next, fg->restart_look_at);
	}
	return next;
}

static struct mtime
if_ahead(const struct guard *guard, bool wanted, struct mtime t)
{
	return wanted && t.us > guard->updated_at.us ? t : MTIME_NEVER;
}

struct mtime
guard_deadline(const struct guard *guard)
{
	struct mtime next = MTIME_NEVER;

	for (size_t i = 0; i < guard->count; i++) {
		const struct family_guard *fg = &guard->families[i];
		next = mtime_min(next, if_ahead(guard, fg->startup, fg->startup_until));
		next = mtime_min(next, if_ahead(guard, fg->nobody, fg->nobody_until));
		next = mtime_min(next, if_ahead(guard, fg->restart, fg->restart_until));
		next = mtime_min(
		    next, if_ahead(guard, fg->restart || fg->nobody, whole_until(guard, fg)));
		next = mtime_min(
		    next, if_ahead(guard, fg->nobody, mtime_add_ms(fg->whole_since, BACK_MS)));
		next = mtime_min(
		    next, if_ahead(guard, fg->mass, mtime_add_ms(fg->back_since, BACK_MS)));
		next = mtime_min(next, if_ahead(guard, fg->held, guard_eased_until(guard, fg)));
	}
	return next;
}

/* ---- people ---------------------------------------------------------------------------------- */

static void
thaw(struct guard *guard, struct family_guard *fg, struct health *health, struct mtime now)
{
	fg->operator= false;
	fg->startup = false;
	fg->restart = false;
	fg->nobody = fg->nobody && mtime_is_never(fg->nobody_until);
	guard_end_hold(guard, fg, health, now);
	guard_accept_losses(guard, fg);
}

bool
guard_operator(
    struct guard *guard, struct health *health, size_t group, bool freeze, struct mtime now)
{
	bool changed = false;

	guard->updated_at = now;
	for (size_t i = 0; i < guard->count; i++) {
		struct family_guard *fg = &guard->families[i];
		if ((group != SIZE_MAX && fg->group != group) || fg->count == 0)
			continue;
		if (freeze)
			fg->operator= true;
		else
			thaw(guard, fg, health, now);
		changed |= conclude(guard, fg);
	}
	return changed;
}

bool
guard_is_confirmed(const struct guard *guard, size_t group, enum family family)
{
	return is_confirmed(&guard->families[group * FAMILY_COUNT + family]);
}

enum freeze
guard_freeze(const struct guard *guard, size_t group, enum family family)
{
	return guard->families[group * FAMILY_COUNT + family].freeze;
}

const char *
guard_reason(const struct guard *guard, size_t group, enum family family)
{
	return guard->families[group * FAMILY_COUNT + family].reason;
}

const char *
guard_hold_reason(const struct guard *guard, size_t group, enum family family)
{
	return guard->families[group * FAMILY_COUNT + family].hold_reason;
}
