/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The alarm table: what is wrong now, since when, and what to do about it. Level triggered: each
 * evaluation asserts the conditions that are present,
 *   alarms_begin(); alarms_assert() for each; alarms_end();
 * and the table makes the edges: raised when a condition was present for the type's raise-after
 * time, of a worse severity when it lasts, cleared when it was absent for its clear-after time. At
 * most one alarm has the same type and key (RFC 8632 section 3.2). A key that changes more than
 * ALARM_TOLD_MOST times a minute is told no more until it may be, and then what is true by then.
 * Pure: values and clocks in, edges out.
 */
#ifndef AUTOFBF_ALARM_H
#define AUTOFBF_ALARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mtime.h"

/* As in yang/autofbf.yang and in the MIB; a step up is a greater number. */
enum alarm_severity { ALARM_CLEARED, ALARM_MINOR, ALARM_MAJOR, ALARM_CRITICAL, ALARM_SEVERITIES };
extern const char *const alarm_severity_names[ALARM_SEVERITIES]; /* "cleared", "minor", ... */

/* Their names (alarm_kind) are what managers filter by: they never change once released. */
enum alarm_type {
	ALARM_DOWN_ELEMENT_OWNS_UNITS = 1,
	ALARM_COMMIT_PENDING = 2,
	ALARM_COMMIT_FAILED = 3,
	ALARM_DATABASE_FULL = 4,
	ALARM_GUARD_ENGAGED = 5,
	ALARM_BELOW_MIN_ALIVE = 6,
	ALARM_AGENT_BLIND = 7,
	ALARM_CAPACITY_EXCEEDED = 8,
	ALARM_CAPACITY_NEAR = 9,
	ALARM_ELEMENT_DOWN = 10,
	ALARM_DRIFT_REPAIRED = 11,
	ALARM_TWO_WRITERS = 12,
	ALARM_DAMPED = 13,
	ALARM_NAT_POOL_MISSING = 14,
	ALARM_NAT_POOL_STOLEN = 15,
	ALARM_SILENT_ELEMENT = 16,
	ALARM_DRAINED_STILL_CARRYING = 17,
	ALARM_TRAFFIC_NOT_MOVED = 18,
	ALARM_UNLISTED_SUBSCRIBERS = 19,
	ALARM_UNPROTECTED_SESSION = 20,
	ALARM_SLOW_BFD = 21,
	ALARM_LONG_HOLD_DOWN = 22,
	ALARM_FORCED_LONG = 23,
	ALARM_FROZEN_LONG = 24,
	ALARM_ALTERED_LONG = 25,
	ALARM_SHARE_OFF = 26,
	ALARM_SOURCE_STALE = 27,
	ALARM_BASE_DRIFT = 28,
	ALARM_FAILED_ROUTE_MISSING = 29,
	ALARM_PROFILE_REFUSED = 30,
	ALARM_NAT_BLOCKS_EXCEEDED = 31,
	ALARM_NAT_BLOCKS_NEAR = 32,
	ALARM_FEW_ROUTES = 33,
	ALARM_TYPES /* one more than the last */
};

/* What holds for all alarms of a type. Times are of the condition, in milliseconds. */
struct alarm_kind {
	const char *name; /* "element-down" */
	enum alarm_severity severity;
	uint32_t raise_after_ms, clear_after_ms;
	enum alarm_severity worse; /* of what lasts; ALARM_CLEARED: it stays as it is */
	uint32_t worse_after_ms;
	const char *meaning;        /* a sentence */
	const char *remedy;         /* what to do; names a command, of GROUP or ELEMENT */
	uint32_t clear_after_polls; /* and no earlier, for what polls tell: one good figure in
	                               between ends nothing */
	uint32_t raise_after_polls; /* the same: one bad figure begins nothing */
};
/* type is one of the enum. */
const struct alarm_kind *alarm_kind(enum alarm_type type);

struct alarm {
	enum alarm_type type;
	enum alarm_severity severity; /* of a cleared one: the last it had */
	int64_t since_us;      /* wall clock; when the condition began, before it was raised */
	char *key;             /* owned; GROUP[/ELEMENT][/FAMILY[/POOL]], or the condition's name */
	char *cause;           /* owned; as of now, or when it was last present */
	char *group, *element; /* owned; NULL: it is not about one */
	const char *family;    /* static; NULL */
};
/* The kind's, with the names of this one put in; the caller frees it. */
char *alarm_remedy(const struct alarm *alarm);
void alarm_copy(const struct alarm *alarm, struct alarm *ret_alarm);
void alarm_done(struct alarm *alarm);

/* A condition that is present; strings are borrowed for the call. */
struct alarm_condition {
	enum alarm_type type;
	const char *group, *element; /* ids; an element has a group */
	const char *family;          /* static; NULL */
	const char *name;            /* without a group: "router", a list, a source; with a family:
	                                a NAT pool; NULL */
	int64_t age_us; /* how long it has been there, as far as it is told; 0: since it was new */
};

struct alarms;

struct alarms *alarms_new(void);
void alarms_free(struct alarms *alarms);

/* How far polls are apart; 0, as at first: times alone count. */
void alarms_set_poll(struct alarms *alarms, uint32_t poll_interval_ms);
/* wall_us: the wall clock at now, for people. */
void alarms_begin(struct alarms *alarms, struct mtime now, int64_t wall_us);
/* The cause, one sentence with figures, is cut at 300 characters. What does not fit into the table
 * (ALARMS_MOST) is left out and counted. */
void alarms_assert(struct alarms *alarms, const struct alarm_condition *condition, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));
/* Calls tell for every edge that may be told now: raised, or of another severity; cleared.
 * untold: changes of this key that were suppressed before it. */
typedef void alarm_tell_fn(void *arg, const struct alarm *alarm, bool is_raised, uint32_t untold);
void alarms_end(struct alarms *alarms, alarm_tell_fn *tell, void *arg);
/* When to evaluate next although nothing happens; MTIME_NEVER: not at all. Valid after
 * alarms_end. */
struct mtime alarms_deadline(const struct alarms *alarms);

/* The alarms that are raised, by (type, key): *position from 0; NULL: no more. Valid until the next
 * alarms_begin. */
const struct alarm *alarms_next(const struct alarms *alarms, size_t *position);
size_t alarms_count(const struct alarms *alarms);
uint64_t alarms_suppressed(const struct alarms *alarms); /* changes that were not told in time */
uint64_t alarms_left_out(const struct alarms *alarms);   /* conditions, for want of room */
int64_t alarms_last_change(const struct alarms *alarms); /* wall clock us; 0: none yet */

enum { ALARM_TOLD_MOST = 10, ALARM_TOLD_WINDOW_MS = 60000, ALARMS_MOST = 4096 };

#endif
