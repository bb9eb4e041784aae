/* SPDX-License-Identifier: BSD-3-Clause */
#include "complaint.h"

#include <stdarg.h>
#include <stdio.h>

#include "log.h"

enum { PAUSE_MS = 60000 };

void
complain(struct complaint *complaint, struct mtime now, const char *tag, const char *fmt, ...)
{
	char text[256], more[64] = "";
	va_list ap;

	if (!mtime_reached(now, complaint->quiet_until)) {
		complaint->held_back++;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (complaint->held_back > 0)
		snprintf(more, sizeof(more), " (and %llu more since the last line)",
		    (unsigned long long)complaint->held_back);
	log_warn(tag, "%s%s", text, more);
	complaint->held_back = 0;
	complaint->quiet_until = mtime_add_ms(now, PAUSE_MS);
}
