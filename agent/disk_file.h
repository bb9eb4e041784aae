/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are read and replaced as a whole, and must survive a power failure. */
#ifndef AUTOFBF_DISK_FILE_H
#define AUTOFBF_DISK_FILE_H

#include <stddef.h>
#include <sys/stat.h>

/* 0, or -errno: -EINVAL: not a regular file; -EFBIG: more than `most` bytes. Of a file that shrinks
 * meanwhile what is left. *ret_text ends with a NUL that *ret_size does not count; the caller frees
 * it. ret_st, if not NULL: of the file that was read. A symbolic link is followed. */
int disk_file_read(
    const char *path, size_t most, char **ret_text, size_t *ret_size, struct stat *ret_st);

/* Puts the text into fd and on the disk. 0 or -errno. */
int disk_file_fill(int fd, const char *text);

/* Makes a rename of the file last: its name is on the disk when its directory is. 0 or -errno; a
 * file system that cannot do it is no error. */
int disk_file_sync_name(const char *path);

#endif
