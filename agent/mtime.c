/* SPDX-License-Identifier: BSD-3-Clause */
/* The only two clock calls of the program, and the text form of the wall clock. */
#define _GNU_SOURCE /* strptime, timegm */
#include "mtime.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
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

int
wallclock_parse(const char *text, int64_t *ret_us)
{
	struct tm tm = { 0 };
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	int64_t us = 0, unit = 100000, seconds;

	if (!rest)
		return -EINVAL;
	if (*rest == '.')
		for (rest++; *rest >= '0' && *rest <= '9'; rest++, unit /= 10)
			us += (*rest - '0') * unit;
	seconds = timegm(&tm);
	if (strcmp(rest, "Z") != 0 || seconds < 0)
		return -EINVAL;
	*ret_us = seconds * 1000000 + us;
	return 0;
}
