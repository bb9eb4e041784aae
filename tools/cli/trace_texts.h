/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of text that grow, each said once. */
#ifndef AUTOFBF_CLI_TRACE_TEXTS_H
#define AUTOFBF_CLI_TRACE_TEXTS_H

#include <stddef.h>

struct trace_texts {
	char **lines; /* owned */
	size_t count;
};

/* A zeroed struct is empty. Beyond TRACE_TEXTS_MOST lines the last one says that there are more. */
enum { TRACE_TEXTS_MOST = 32 };
void trace_texts_add(struct trace_texts *texts, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void trace_texts_done(struct trace_texts *texts);

#endif
