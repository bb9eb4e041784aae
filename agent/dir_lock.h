/* SPDX-License-Identifier: BSD-3-Clause */
/* A directory that one process at a time may call its own. */
#ifndef AUTOFBF_DIR_LOCK_H
#define AUTOFBF_DIR_LOCK_H

#include "error.h"

/* Locks an existing directory by a file "lock" in it; *ret_fd holds the lock until it is closed or
 * the process ends, in whatever way. 0, also where nothing can be locked (a full disk, a file of
 * another user, a file system without locks): *ret_fd is -1 then, and err says why. -errno with
 * err: -EWOULDBLOCK: another process has it. option: how to name another directory, for err. */
int dir_lock_take(const char *path, const char *option, int *ret_fd, struct error *err);

#endif
