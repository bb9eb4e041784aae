/* SPDX-License-Identifier: BSD-3-Clause */
/* The only two clock calls of the program, and the text form of the wall clock. */
#include "mtime.h"

#include <stdio.h>
#include <time.h>

struct mtime
mtime_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (struct mtime){ (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000 };
}

int64_t
wallclock_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

const char *
wallclock_format(int64_t us, char buf[WALLCLOCK_TEXT_SIZE])
{
	time_t seconds = (time_t)(us / 1000000);
	struct tm tm;
	char day[24];

	gmtime_r(&seconds, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf, WALLCLOCK_TEXT_SIZE, "%s.%06dZ", day, (int)(us % 1000000));
	return buf;
}
