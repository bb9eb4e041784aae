/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flock(2) on the directory itself: the kernel frees it with its process, also after a kill -9,
 * nothing is written, so a full or read-only disk is no obstacle, and no file is left that could be
 * stale. Who holds it the kernel tells in /proc/locks (proc_locks(5)).
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
				(void)sscanf(line, "%*d: FLOCK %*s WRITE %d", &pid); /* else 0 */
	}
	if (locks)
		(void)fclose(locks); /* only read from */
	return pid;
}

static int
report_holder(const char *path, const char *option, int pid, struct error *err)
{
	char who[32] = "";

	if (pid > 0)
		snprintf(who, sizeof(who), ", process %d,", pid);
	return error_set(err, -EWOULDBLOCK,
	    "%s: another agent%s has this directory; stop it, or use %s", path, who, option);
}

int
dir_lock_take(const char *path, const char *option, int *ret_fd, struct error *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	if (fd < 0)
		return error_set(err, -errno, "%s: cannot be opened: %s; make it, or use %s", path,
		    strerror(errno), option);
	/* A file system that cannot lock (some over a network) is no reason not to start. */
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
		rc = report_holder(path, option, find_holder(fd), err);
		close(fd);
		return rc;
	}
	*ret_fd = fd;
	return 0;
}
