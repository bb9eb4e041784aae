/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flock(2) on a file of our own in the directory: the kernel frees it with its process, also after
 * a kill -9, so a file that is left behind means nothing, and one that is there can be locked on a
 * full or read-only disk. The directory itself will not do: who may read a file may lock it, and
 * any user could keep the agent from starting. Who holds it the kernel tells in /proc/locks
 * (proc_locks(5)), but for file systems that show another device there than to stat(2).
 */
#include "dir_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const char lock_name[] = "lock";

/* The process that has the lock; 0: nobody that can be seen from here. */
static int
find_holder(int fd)
{
	FILE *locks = fopen("/proc/locks", "re");
	char line[256], place[64];
	struct stat st;
	int pid = 0;

	if (locks && fstat(fd, &st) == 0) {
		snprintf(place, sizeof(place), " %02x:%02x:%ju ", major(st.st_dev),
		    minor(st.st_dev), (uintmax_t)st.st_ino);
		while (pid == 0 && fgets(line, sizeof(line), locks))
			if (strstr(line, place))
				(void)sscanf(line, "%*d: FLOCK %*s %*s %d", &pid); /* else 0 */
	}
	if (locks)
		(void)fclose(locks); /* only read from */
	return pid;
}

static int
report_holder(const char *path, const char *option, int pid, struct error *err)
{
	char who[32] = "a process";

	if (pid > 0)
		snprintf(who, sizeof(who), "process %d", pid);
	return error_set(err, -EWOULDBLOCK,
	    "%s/%s: %s, most likely another agent, has locked it; stop it, or use %s", path,
	    lock_name, who, option);
}

/* Read only, which also opens the file of a read-only disk. */
static int
open_lock(int dir)
{
	return openat(
	    dir, lock_name, O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
}

int
dir_lock_take(const char *path, const char *option, int *ret_fd, struct error *err)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd, rc = 0;

	if (dir < 0)
		return error_set(err, -errno, "%s: cannot be opened: %s; make it, or use %s", path,
		    strerror(errno), option);
	fd = open_lock(dir);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
		*ret_fd = fd;
	} else if (fd >= 0 && errno == EWOULDBLOCK) {
		rc = report_holder(path, option, find_holder(fd), err);
	} else {
		*ret_fd = -1;
		error_set(err, 0,
		    "%s/%s: cannot be locked: %s; nothing keeps a second agent out of here", path,
		    lock_name, strerror(errno));
	}
	if (fd >= 0 && fd != *ret_fd)
		close(fd);
	close(dir);
	return rc;
}
