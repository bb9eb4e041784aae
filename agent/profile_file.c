/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading and replacing a profile. An agent may read the file at any moment and the power may fail
 * at any other, so the new text gets a file of its own, is forced to the disk and takes the old
 * one's name in one step. A symbolic link stays a link: the file behind it is replaced.
 *
 * Mode and owner are those of the old file. Who may not give the file to its owner does not write:
 * an agent that can no longer read its profile would be a strange result of changing a weight.
 */
#define _GNU_SOURCE /* mkostemp */
#include "profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disk_file.h"

int
profile_file_read(const char *path, struct profile_file *ret_file, struct error *err)
{
	int rc;

	*ret_file = (struct profile_file){ .path = realpath(path, NULL) };
	rc = !ret_file->path ? -errno
	                     : disk_file_read(ret_file->path, PROFILE_FILE_MAX, &ret_file->text,
	                           &ret_file->size, &ret_file->st);
	if (rc == -EINVAL)
		return error_set(err, rc, "%s: is not a regular file", path);
	if (rc == -EFBIG)
		return error_set(err, rc, "%s: is larger than %d MiB, this is no profile", path,
		    PROFILE_FILE_MAX >> 20);
	if (rc < 0)
		return error_set(err, rc, "%s: %s", path, strerror(-rc));
	if (strlen(ret_file->text) != ret_file->size)
		return error_set(err, -EINVAL, "%s: is not JSON, it contains a NUL byte", path);
	return 0;
}

void
profile_file_done(struct profile_file *file)
{
	free(file->path);
	free(file->text);
}

static int
dress(int fd, const struct stat *old, const char *path, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return error_set(err, -errno, "%s: %s", path, strerror(errno));
	if ((st.st_uid != old->st_uid || st.st_gid != old->st_gid) &&
	    fchown(fd, old->st_uid, old->st_gid) < 0)
		return error_set(err, -errno,
		    "%s: belongs to user %u, group %u, and user %u, who would write it, cannot "
		    "keep it so: give it to user %u (chown), or do this as root or as its owner",
		    path, old->st_uid, old->st_gid, geteuid(), geteuid());
	if (fchmod(fd, old->st_mode & 07777) < 0)
		return error_set(err, -errno, "%s: %s", path, strerror(errno));
	return 0;
}

static int
check_unchanged(const struct profile_file *file, struct error *err)
{
	struct stat st;

	if (stat(file->path, &st) == 0 && st.st_ino == file->st.st_ino &&
	    st.st_dev == file->st.st_dev && st.st_size == file->st.st_size &&
	    st.st_mtim.tv_sec == file->st.st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == file->st.st_mtim.tv_nsec)
		return 0;
	return error_set(err, -EBUSY,
	    "%s: was changed by somebody else meanwhile, nothing was written; run this again",
	    file->path);
}

static int
fill(int fd, const struct profile_file *file, const char *text, const char *name, struct error *err)
{
	int rc = dress(fd, &file->st, file->path, err), written;

	if (rc < 0)
		return rc;
	written = disk_file_fill(fd, text);
	if (written < 0)
		return error_set(err, written, "%s: %s", name, strerror(-written));
	rc = check_unchanged(file, err);
	if (rc == 0 && rename(name, file->path) < 0)
		rc = error_set(err, -errno, "%s: %s", file->path, strerror(errno));
	return rc;
}

int
profile_file_write(const struct profile_file *file, const char *text, struct error *err)
{
	char *name = xasprintf("%s.XXXXXX", file->path);
	int fd = mkostemp(name, O_CLOEXEC), rc;

	if (fd < 0) {
		rc = error_set(err, -errno,
		    "%s: user %u cannot make a file in its directory (%s), nothing was written; "
		    "give the directory to that user",
		    file->path, geteuid(), strerror(errno));
		free(name);
		return rc;
	}
	rc = fill(fd, file, text, name, err);
	(void)close(fd); /* fsync has told already */
	if (rc == 0)
		(void)disk_file_sync_name(file->path); /* the rename was done either way */
	else
		(void)unlink(name); /* what is left over harms nobody */
	free(name);
	return rc;
}
