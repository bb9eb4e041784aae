/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside guard: the state of each (group, family), for guard.c and the words of guard_reason.c. */
#ifndef AUTOFBF_GUARD_INTERNAL_H
#define AUTOFBF_GUARD_INTERNAL_H

#include <stdint.h>

#include "guard.h"

struct watch {           /* one element */
	bool is_watched; /* serves the family and is no tombstone */
	bool forced;
	bool healthy;
	bool failed_session;
	bool by_pools;    /* NAT pool routes alone are lost, its sessions are fine */
	bool is_missed;   /* the last poll missed one of them; if it is healthy, lost before long */
	bool lacks_pools; /* either of these, and not read as here since, whatever it lost then */
	bool is_doubted;  /* held: its pool routes are not believed */
	bool in_event;    /* lost by the mass event that is being looked at */
	bool in_read;     /* was lost at the first read that counted */
	struct mtime lacks_since; /* MTIME_NEVER: it does not; INT64_MIN: at our start */
	struct mtime lost_at;     /* MTIME_NEVER: it is healthy, forced, or its loss was accepted */
};

struct family_guard {
	size_t group;
	enum family family;
	struct watch *watch; /* owned; group->element_count */
	size_t count;        /* watched elements */
	size_t healthy;
	size_t free;              /* watched and not forced */
	struct mtime whole_since; /* all that are free are healthy; MTIME_NEVER: they are not */
	bool has_pool_loss;       /* somebody was lost within the window by pool routes alone */

	bool startup;
	struct mtime startup_until;

	bool nobody;
	struct mtime nobody_at; /* since when */
	unsigned nobody_reads;  /* good ones since, a second apart, up to NOBODY_READS; after one we
	                           would know of a restart */
	struct mtime nobody_read_at; /* the last of them was asked then */
	struct mtime nobody_look_at;
	struct mtime nobody_until; /* MTIME_NEVER: the set is still empty */

	bool mass;
	struct mtime mass_at; /* the event, or its last surprise: older questions do not count */
	struct mtime read_at; /* first read that counted; MTIME_NEVER: none */
	struct mtime look_at;
	struct mtime
	    back_since;     /* all that were lost are healthy again; MTIME_NEVER: they are not */
	const char *looked; /* what the last read said; static */

	bool restart;
	bool is_felt; /* somebody was out since the restart */
	struct mtime restart_until;
	bool restart_read; /* the router was read after that: what syslog lost is known */
	struct mtime restart_look_at;

	bool held;                /* most have lost pool routes alone: these are not believed */
	struct mtime eased_since; /* held, and most have them again; MTIME_NEVER: they have not */

	bool operator;

	enum freeze freeze;
	char reason[256];
	char hold_reason[320]; /* "": not held */
};

struct guard {
	const struct profile *profile; /* borrowed */
	struct family_guard *families; /* owned; FAMILY_COUNT for each group */
	size_t count;
	bool was_read;             /* one complete read succeeded */
	struct mtime read_at;      /* the last such read was asked then */
	struct mtime restarted_at; /* as it said; MTIME_NEVER: not told yet */
	struct mtime updated_at;
};

enum { NOBODY_READS = 2 }; /* that confirm it */

const struct profile_group *guard_group(const struct guard *guard, const struct family_guard *fg);
/* Freezes it until sessions and routes have had their time to come back. */
void guard_begin_restart(struct guard *guard, struct family_guard *fg, struct mtime now);
/* Sessions may still be coming up. */
bool guard_is_just_restarted(
    const struct guard *guard, const struct family_guard *fg, struct mtime now);
/* since when something has been true; MTIME_NEVER while it is not. */
void guard_note_since(struct mtime *since, bool is_true, struct mtime now);

/* ---- guard_loss.c ---- */

/* Marks who is healthy, who was lost, and who lacks pool routes. */
void guard_observe(
    struct guard *guard, struct family_guard *fg, const struct health *health, struct mtime now);
/* What is out now is taken as it is: no mass event any more. */
void guard_accept_losses(struct guard *guard, struct family_guard *fg);
/* Those who are out by pool routes alone count as lost now: nobody has judged that yet. */
void guard_renew_pool_losses(const struct guard *guard, struct family_guard *fg, struct mtime now);
/* In which losses are one event. Those by pool routes are seen by polls only. */
int64_t guard_window_ms(const struct guard *guard, const struct family_guard *fg, bool by_pools);
/* Lost in the mass event that is looked at; without one, lost within the window, or by now without
 * its pool routes while others are lost for theirs. */
bool guard_is_lost(
    const struct guard *guard, const struct family_guard *fg, size_t e, struct mtime now);

/* Lost in the mass event that is looked at; without one, lost within the window. Where some are
 * lost by pool routes alone, those who miss theirs by now are, too. */
struct guard_tally guard_count_losses(
    const struct guard *guard, const struct family_guard *fg, struct mtime now);

/* Of these the ones whose sessions are up: they are lost by pool routes alone. Held: those who are
 * doubted and have not got theirs back, also when their sessions died since. Who else is out by a
 * session counts for nothing: routes say nothing about it. */
struct guard_tally guard_count_pool_losses(
    const struct guard *guard, const struct family_guard *fg, struct mtime now);

/*
 * Acting would take units off an element whose sessions are up: it is only out by scope or by
 * hold-down, and its traffic still goes there. only_event: among those that the event took.
 */
bool guard_is_contradicted(const struct guard *guard, const struct family_guard *fg,
    const struct health *health, bool only_event);

/* ---- guard_hold.c ---- */

/* Its return packets follow the routes of NAT pools. */
bool guard_has_pools(const struct guard *guard, const struct family_guard *fg);
/* May most pool routes be doubted? Begins a hold, or ends it when most are back. */
void guard_check_hold(
    struct guard *guard, struct family_guard *fg, struct health *health, struct mtime now);
void guard_end_hold(
    struct guard *guard, struct family_guard *fg, struct health *health, struct mtime now);
/* When a hold that has eased ends. */
struct mtime guard_eased_until(const struct guard *guard, const struct family_guard *fg);

/* ---- guard_reason.c ---- */

/* Why it is held; "" when it is not. */
void guard_explain_hold(
    const struct guard *guard, const struct family_guard *fg, char *text, size_t size);
/* Why it is frozen and what ends that, one sentence; "" when it is not. */
void guard_explain(
    const struct guard *guard, const struct family_guard *fg, char *text, size_t size);

#endif
