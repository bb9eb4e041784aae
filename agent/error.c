/* SPDX-License-Identifier: BSD-3-Clause */
/* Error texts, and allocators that end the process instead of failing. */
#define _GNU_SOURCE /* vasprintf, reallocarray */
#include "error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
error_set(struct error *err, int code, const char *fmt, ...)
{
	va_list args;

	if (err) {
		va_start(args, fmt);
		vsnprintf(err->text, sizeof(err->text), fmt, args);
		va_end(args);
	}
	return code;
}

void
error_flatten(struct error *err)
{
	char *to = err->text;

	for (const char *from = err->text; *from; from++) {
		bool is_gap = (unsigned char)*from <= ' ' || *from == 0x7f;

		if (is_gap && (to == err->text || to[-1] == ' '))
			continue;
		*to++ = is_gap ? ' ' : *from;
	}
	*to = '\0';
}

/* SIGALRM ends what a standard error that nobody reads would keep from ending, and so from being
 * started again. */
void
fatal(const char *fmt, ...)
{
	enum { MOST_S = 1 };
	va_list args;

	alarm(MOST_S);
	fputs("fatal: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

void *
xcalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		fatal("out of memory");
	return p;
}

void *
xreallocarray(void *old, size_t count, size_t size)
{
	void *p = reallocarray(old, count ? count : 1, size ? size : 1);

	if (!p)
		fatal("out of memory");
	return p;
}

char *
xstrdup(const char *text)
{
	char *p = strdup(text);

	if (!p)
		fatal("out of memory");
	return p;
}

static char *
format(const char *fmt, va_list args)
{
	char *p;

	if (vasprintf(&p, fmt, args) < 0)
		fatal("out of memory");
	return p;
}

char *
xasprintf(const char *fmt, ...)
{
	va_list args;
	char *p;

	va_start(args, fmt);
	p = format(fmt, args);
	va_end(args);
	return p;
}

void
xappendf(char **text, const char *fmt, ...)
{
	va_list args;
	char *more, *longer;

	va_start(args, fmt);
	more = format(fmt, args);
	va_end(args);
	longer = xasprintf("%s%s", *text ? *text : "", more);
	free(more);
	free(*text);
	*text = longer;
}
