/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Warnings that something outside could repeat without end: one kind of them is logged at most once
 * a minute, with how many were held back, so that garbage fills neither the log nor its reader's
 * patience.
 */
#ifndef AUTOFBF_COMPLAINT_H
#define AUTOFBF_COMPLAINT_H

#include <stdint.h>

#include "mtime.h"

/* One kind; zeroed: never complained. */
struct complaint {
	struct mtime quiet_until;
	uint64_t held_back;
};

/* Logs a warning, or only counts it. */
void complain(struct complaint *complaint, struct mtime now, const char *tag, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
