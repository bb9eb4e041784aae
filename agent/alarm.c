/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From levels to edges. Each (type, key) has an entry as long as there is something to remember: a
 * condition that is present but too young, an alarm, one that is absent but not for long enough,
 * or what was told within the last minute.
 *
 * Two states are kept apart: what is true (severity), which readers see at once, and what was told
 * (said). An edge is the difference of the two, so whatever was suppressed in a storm, the last
 * thing told is what is true: when the oldest of the ten leaves the window, the difference is told
 * then, and there is none to tell if the storm ended where it began.
 *
 * Entries are sorted by (type, key): assertions find theirs by bisection, readers get an order that
 * does not change, and the MIB can walk it.
 */
#include "alarm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

enum { KEY_SIZE = 161, CAUSE_SIZE = 301 };

struct entry {
	struct alarm alarm;
	bool present, was_present; /* in this evaluation, in the one before */
	struct mtime began, ended; /* present since; absent since, while it is still raised */
	enum alarm_severity severity, said;
	struct mtime told[ALARM_TOLD_MOST]; /* a ring; MTIME_NEVER: not used yet */
	size_t next;                        /* the oldest of the ring */
	uint32_t untold;
};

struct alarms {
	struct entry **entries; /* owned; sorted by (type, key) */
	size_t count;
	struct mtime now;
	int64_t wall_us, last_change_us;
	uint64_t suppressed, left_out;
	uint32_t poll_interval_ms;
};

static char *
copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

void
alarm_copy(const struct alarm *alarm, struct alarm *ret_alarm)
{
	*ret_alarm = *alarm;
	ret_alarm->key = copy(alarm->key);
	ret_alarm->cause = copy(alarm->cause);
	ret_alarm->group = copy(alarm->group);
	ret_alarm->element = copy(alarm->element);
}

void
alarm_done(struct alarm *alarm)
{
	free(alarm->key);
	free(alarm->cause);
	free(alarm->group);
	free(alarm->element);
}

struct alarms *
alarms_new(void)
{
	return xcalloc(1, sizeof(struct alarms));
}

void
alarms_set_poll(struct alarms *alarms, uint32_t poll_interval_ms)
{
	alarms->poll_interval_ms = poll_interval_ms;
}

static void
free_entry(struct entry *entry)
{
	alarm_done(&entry->alarm);
	free(entry);
}

void
alarms_free(struct alarms *alarms)
{
	if (!alarms)
		return;
	for (size_t i = 0; i < alarms->count; i++)
		free_entry(alarms->entries[i]);
	free(alarms->entries);
	free(alarms);
}

/* ---- levels --------------------------------------------------------------------------------- */

static void
write_key(const struct alarm_condition *condition, char key[KEY_SIZE])
{
	const char *first = condition->group ? condition->group : condition->name;
	const char *pool = condition->group ? condition->name : NULL;

	snprintf(key, KEY_SIZE, "%s%s%s%s%s%s%s", first, condition->element ? "/" : "",
	    condition->element ? condition->element : "", condition->family ? "/" : "",
	    condition->family ? condition->family : "", pool ? "/" : "", pool ? pool : "");
}

/* Where it is, or where it belongs. */
static size_t
find(const struct alarms *alarms, enum alarm_type type, const char *key, bool *ret_is_there)
{
	size_t low = 0, high = alarms->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct alarm *alarm = &alarms->entries[middle]->alarm;
		int order =
		    alarm->type != type ? (alarm->type < type ? -1 : 1) : strcmp(alarm->key, key);

		if (order == 0) {
			*ret_is_there = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_is_there = false;
	return low;
}

static struct entry *
add_entry(
    struct alarms *alarms, size_t at, const struct alarm_condition *condition, const char *key)
{
	struct entry *entry = xcalloc(1, sizeof(*entry));

	entry->alarm = (struct alarm){ .type = condition->type,
		.key = xstrdup(key),
		.group = copy(condition->group),
		.element = copy(condition->element),
		.family = condition->family };
	for (size_t i = 0; i < ALARM_TOLD_MOST; i++)
		entry->told[i] = MTIME_NEVER;
	alarms->entries = xreallocarray(alarms->entries, alarms->count + 1, sizeof(struct entry *));
	memmove(&alarms->entries[at + 1], &alarms->entries[at],
	    (alarms->count - at) * sizeof(struct entry *));
	alarms->entries[at] = entry;
	alarms->count++;
	return entry;
}

void
alarms_begin(struct alarms *alarms, struct mtime now, int64_t wall_us)
{
	alarms->now = now;
	alarms->wall_us = wall_us;
	for (size_t i = 0; i < alarms->count; i++) {
		alarms->entries[i]->was_present = alarms->entries[i]->present;
		alarms->entries[i]->present = false;
	}
}

/* What comes back before it was cleared is the same alarm. What tells its age may have ended and
 * begun again between two looks. */
static void
set_present(struct alarms *alarms, struct entry *entry, int64_t age_us)
{
	bool is_new = !entry->present && !entry->was_present;

	entry->present = true;
	if (entry->severity || (!is_new && age_us <= 0))
		return;
	entry->began.us = alarms->now.us - (age_us > 0 ? age_us : 0);
	entry->alarm.since_us = alarms->wall_us - (age_us > 0 ? age_us : 0);
}

void
alarms_assert(struct alarms *alarms, const struct alarm_condition *condition, const char *fmt, ...)
{
	char key[KEY_SIZE], cause[CAUSE_SIZE];
	struct entry *entry;
	bool is_there;
	size_t at;
	va_list args;

	write_key(condition, key);
	at = find(alarms, condition->type, key, &is_there);
	if (!is_there && alarms->count >= ALARMS_MOST) {
		alarms->left_out++;
		return;
	}
	entry = is_there ? alarms->entries[at] : add_entry(alarms, at, condition, key);
	set_present(alarms, entry, condition->age_us);
	va_start(args, fmt);
	vsnprintf(cause, sizeof(cause), fmt, args);
	va_end(args);
	if (entry->alarm.cause && strcmp(entry->alarm.cause, cause) == 0)
		return;
	free(entry->alarm.cause);
	entry->alarm.cause = xstrdup(cause);
}

/* ---- edges ---------------------------------------------------------------------------------- */

static struct mtime
worse_at(const struct entry *entry)
{
	const struct alarm_kind *kind = alarm_kind(entry->alarm.type);

	return kind->worse ? mtime_add_ms(entry->began, kind->worse_after_ms) : MTIME_NEVER;
}

/* So long, and at least so many polls. */
static struct mtime
after(const struct alarms *alarms, struct mtime start, uint32_t ms, uint32_t polls)
{
	int64_t polls_ms = (int64_t)polls * alarms->poll_interval_ms;

	return mtime_add_ms(start, polls_ms > ms ? polls_ms : ms);
}

static struct mtime
raise_at(const struct alarms *alarms, const struct entry *entry)
{
	const struct alarm_kind *kind = alarm_kind(entry->alarm.type);

	return after(alarms, entry->began, kind->raise_after_ms, kind->raise_after_polls);
}

static struct mtime
clear_at(const struct alarms *alarms, const struct entry *entry)
{
	const struct alarm_kind *kind = alarm_kind(entry->alarm.type);

	return after(alarms, entry->ended, kind->clear_after_ms, kind->clear_after_polls);
}

static enum alarm_severity
judge(const struct alarms *alarms, const struct entry *entry)
{
	const struct alarm_kind *kind = alarm_kind(entry->alarm.type);
	struct mtime now = alarms->now;

	if (!entry->present)
		return mtime_reached(now, clear_at(alarms, entry)) ? ALARM_CLEARED
		                                                   : entry->severity;
	if (!entry->severity && !mtime_reached(now, raise_at(alarms, entry)))
		return ALARM_CLEARED;
	return mtime_reached(now, worse_at(entry)) ? kind->worse : kind->severity;
}

/* When one more may be told: the oldest of the last ten leaves the window. */
static struct mtime
may_tell_at(const struct entry *entry)
{
	struct mtime oldest = entry->told[entry->next];

	if (mtime_is_never(oldest))
		return (struct mtime){ INT64_MIN };
	return mtime_add_ms(oldest, ALARM_TOLD_WINDOW_MS);
}

static void
tell_edge(struct alarms *alarms, struct entry *entry, alarm_tell_fn *tell, void *arg)
{
	entry->told[entry->next] = alarms->now;
	entry->next = (entry->next + 1) % ALARM_TOLD_MOST;
	entry->said = entry->severity;
	tell(arg, &entry->alarm, entry->severity != ALARM_CLEARED, entry->untold);
	entry->untold = 0;
}

static void
settle(struct alarms *alarms, struct entry *entry, alarm_tell_fn *tell, void *arg)
{
	enum alarm_severity severity;
	bool changed;

	if (!entry->present && entry->was_present)
		entry->ended = alarms->now;
	severity = judge(alarms, entry);
	changed = severity != entry->severity;
	entry->severity = severity;
	if (severity)
		entry->alarm.severity = severity;
	if (changed)
		alarms->last_change_us = alarms->wall_us;
	if (severity != entry->said && mtime_reached(alarms->now, may_tell_at(entry))) {
		tell_edge(alarms, entry, tell, arg);
	} else if (changed) {
		entry->untold++;
		alarms->suppressed++;
	}
}

/* Nothing to remember: neither a condition nor what was told within the window. */
static bool
is_idle(const struct entry *entry, struct mtime now)
{
	size_t newest = (entry->next + ALARM_TOLD_MOST - 1) % ALARM_TOLD_MOST;

	return !entry->present && !entry->severity && !entry->said &&
	       (mtime_is_never(entry->told[newest]) ||
	           mtime_reached(now, mtime_add_ms(entry->told[newest], ALARM_TOLD_WINDOW_MS)));
}

void
alarms_end(struct alarms *alarms, alarm_tell_fn *tell, void *arg)
{
	size_t kept = 0;

	for (size_t i = 0; i < alarms->count; i++) {
		struct entry *entry = alarms->entries[i];

		settle(alarms, entry, tell, arg);
		if (is_idle(entry, alarms->now))
			free_entry(entry);
		else
			alarms->entries[kept++] = entry;
	}
	alarms->count = kept;
}

static struct mtime
next_edge(const struct alarms *alarms, const struct entry *entry)
{
	const struct alarm_kind *kind = alarm_kind(entry->alarm.type);
	struct mtime next = MTIME_NEVER;

	if (entry->present && !entry->severity)
		next = raise_at(alarms, entry);
	else if (entry->present && kind->worse && entry->severity < kind->worse)
		next = worse_at(entry);
	else if (!entry->present && entry->severity)
		next = clear_at(alarms, entry);
	if (entry->severity != entry->said)
		next = mtime_min(next, may_tell_at(entry));
	return next;
}

struct mtime
alarms_deadline(const struct alarms *alarms)
{
	struct mtime next = MTIME_NEVER;

	for (size_t i = 0; i < alarms->count; i++)
		next = mtime_min(next, next_edge(alarms, alarms->entries[i]));
	return next;
}

/* ---- readers -------------------------------------------------------------------------------- */

const struct alarm *
alarms_next(const struct alarms *alarms, size_t *position)
{
	while (*position < alarms->count) {
		const struct entry *entry = alarms->entries[(*position)++];

		if (entry->severity)
			return &entry->alarm;
	}
	return NULL;
}

size_t
alarms_count(const struct alarms *alarms)
{
	size_t count = 0;

	for (size_t i = 0; i < alarms->count; i++)
		count += alarms->entries[i]->severity != ALARM_CLEARED;
	return count;
}

uint64_t
alarms_suppressed(const struct alarms *alarms)
{
	return alarms->suppressed;
}

uint64_t
alarms_left_out(const struct alarms *alarms)
{
	return alarms->left_out;
}

int64_t
alarms_last_change(const struct alarms *alarms)
{
	return alarms->last_change_us;
}
