/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One error text handed upwards, and the end of the process when memory runs out.
 * A text names the thing, the place and the remedy, starts in lower case (or with the name of a
 * file) and has no full stop.
 */
#ifndef AUTOFBF_ERROR_H
#define AUTOFBF_ERROR_H

#include <stddef.h>

struct error {
	char text[512];
};

/* Fills err (may be NULL) and returns code (a negative errno), so that `return error_set(...)`
 * works. */
int error_set(struct error *err, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Makes one line of what somebody else said: white space and control characters in a row become one
 * space, none at the start. */
void error_flatten(struct error *err);

/* Writes to standard error and ends the process with 1, or by SIGALRM when nobody reads that. For
 * broken invariants and out of memory. */
_Noreturn void fatal(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Allocators that never return NULL: the state is rebuilt from profile and router. Zeroed where
 * new. */
void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *old, size_t count, size_t size);
char *xstrdup(const char *text);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Lengthens *text, owned; NULL is the empty text. */
void xappendf(char **text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
