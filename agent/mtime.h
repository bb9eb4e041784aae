/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time. Monotonic time is a struct, so that seconds cannot be added to microseconds by mistake;
 * wall-clock time is for people and logs only and never enters a decision.
 */
#ifndef AUTOFBF_MTIME_H
#define AUTOFBF_MTIME_H

#include <stdbool.h>
#include <stdint.h>

struct mtime {
	int64_t us; /* microseconds since an arbitrary start; MTIME_NEVER.us = no time at all */
};

#define MTIME_NEVER ((struct mtime){ INT64_MAX })

static inline struct mtime
mtime_from_ms(int64_t ms)
{
	return (struct mtime){ ms * 1000 };
}

static inline bool
mtime_is_never(struct mtime t)
{
	return t.us == INT64_MAX;
}

/* t + ms; never stays never. */
static inline struct mtime
mtime_add_ms(struct mtime t, int64_t ms)
{
	return mtime_is_never(t) ? t : (struct mtime){ t.us + ms * 1000 };
}

/* a - b in milliseconds, rounded towards zero. Both must be real times. */
static inline int64_t
mtime_diff_ms(struct mtime a, struct mtime b)
{
	return (a.us - b.us) / 1000;
}

static inline bool
mtime_reached(struct mtime now, struct mtime deadline)
{
	return now.us >= deadline.us;
}

static inline struct mtime
mtime_min(struct mtime a, struct mtime b)
{
	return a.us < b.us ? a : b;
}

/* CLOCK_MONOTONIC. Only the shell (rank 5 and above) calls this. */
struct mtime mtime_now(void);

/* CLOCK_REALTIME in microseconds since 1970 (UTC). Only the shell calls this. */
int64_t wallclock_now_us(void);

/* "2026-11-30T03:07:42.123456Z" (RFC 3339) for wall-clock microseconds; returns buf. */
enum { WALLCLOCK_TEXT_SIZE = 40 };
const char *wallclock_format(int64_t us, char buf[WALLCLOCK_TEXT_SIZE]);
/* The same text back, from 1970 on; the fraction may be shorter or absent. 0 or -EINVAL. */
int wallclock_parse(const char *text, int64_t *ret_us);

#endif
