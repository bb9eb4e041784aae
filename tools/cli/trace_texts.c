/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a walk has to say beside its result: assumptions, other matches, faults. The same thing may
 * be found on each of forty interfaces; it is said once. A list has a bound, because a
 * configuration that is wrong everywhere would otherwise fill the screen of whoever has to read it
 * in a hurry.
 */
#include "trace_texts.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

static bool
has(const struct trace_texts *texts, const char *line)
{
	for (size_t i = 0; i < texts->count; i++)
		if (strcmp(texts->lines[i], line) == 0)
			return true;
	return false;
}

static void
append(struct trace_texts *texts, const char *line)
{
	texts->lines = xreallocarray(texts->lines, texts->count + 1, sizeof(*texts->lines));
	texts->lines[texts->count++] = xstrdup(line);
}

void
trace_texts_add(struct trace_texts *texts, const char *fmt, ...)
{
	char line[1024];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, args); /* cut is good enough to read */
	va_end(args);
	if (has(texts, line) || texts->count > TRACE_TEXTS_MOST)
		return;
	append(texts, texts->count == TRACE_TEXTS_MOST ? "... and more of that kind" : line);
}

void
trace_texts_done(struct trace_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->lines[i]);
	free(texts->lines);
	*texts = (struct trace_texts){ 0 };
}
