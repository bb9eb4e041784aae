/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile's file, read as text and replaced as a whole. */
#ifndef AUTOFBF_PROFILE_FILE_H
#define AUTOFBF_PROFILE_FILE_H

#include <stddef.h>
#include <sys/stat.h>

#include "error.h"

enum { PROFILE_FILE_MAX = 64 << 20 }; /* bytes */

/* Bytes that an agent takes from a client: with what is around them a request of 1 MiB. */
enum { PROFILE_FILE_SENT_MOST = 1000000 };

struct profile_file {
	char *path; /* owned; behind symbolic links */
	char *text; /* owned; ends with a NUL */
	size_t size;
	struct stat st; /* as it was when it was read */
};

/* 0, or -errno with err. profile_file_done(ret_file) in either case. */
int profile_file_read(const char *path, struct profile_file *ret_file, struct error *err);
void profile_file_done(struct profile_file *file);
/* Replaces the file at once or not at all (a temporary file beside it, fsync, rename), with the
 * same mode and owner. -EBUSY: somebody has changed it since it was read; nothing was written. */
int profile_file_write(const struct profile_file *file, const char *text, struct error *err);

#endif
