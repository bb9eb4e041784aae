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

#include "profile_yang.h"

static int
read_all(int fd, struct profile_file *file)
{
	ssize_t got;

	file->text = xcalloc((size_t)file->st.st_size + 1, 1);
	while (file->size < (size_t)file->st.st_size) {
		got = read(fd, file->text + file->size, (size_t)file->st.st_size - file->size);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0)
			break;
		file->size += got > 0 ? (size_t)got : 0;
	}
	return 0;
}

static int
read_regular(int fd, struct profile_file *file, struct error *err)
{
	int rc;

	if (fstat(fd, &file->st) < 0)
		return error_set(err, -errno, "%s: %s", file->path, strerror(errno));
	if (!S_ISREG(file->st.st_mode))
		return error_set(err, -EINVAL, "%s: is not a regular file", file->path);
	if (file->st.st_size > PROFILE_FILE_MAX)
		return error_set(err, -EFBIG, "%s: is larger than %d MiB, this is no profile",
		    file->path, PROFILE_FILE_MAX >> 20);
	rc = read_all(fd, file);
	if (rc < 0)
		return error_set(err, rc, "%s: %s", file->path, strerror(-rc));
	if (strlen(file->text) != file->size)
		return error_set(
		    err, -EINVAL, "%s: is not JSON, it contains a NUL byte", file->path);
	return 0;
}

int
profile_file_read(const char *path, struct profile_file *ret_file, struct error *err)
{
	int fd, rc;

	*ret_file = (struct profile_file){ .path = realpath(path, NULL) };
	/* non-blocking, so that a FIFO is refused and not waited for */
	fd = ret_file->path ? open(ret_file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
	                    : -1;
	if (fd < 0)
		return error_set(err, -errno, "%s: %s", path, strerror(errno));
	rc = read_regular(fd, ret_file, err);
	(void)close(fd); /* only read from */
	return rc;
}

void
profile_file_done(struct profile_file *file)
{
	free(file->path);
	free(file->text);
}

static int
write_all(int fd, const char *text)
{
	size_t left = strlen(text);
	ssize_t put;

	while (left > 0) {
		put = write(fd, text, left);
		if (put < 0 && errno != EINTR)
			return -errno;
		text += put > 0 ? put : 0;
		left -= put > 0 ? (size_t)put : 0;
	}
	return fsync(fd) < 0 ? -errno : 0;
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

/* The name is on the disk when the directory is. */
static void
sync_directory(const char *path)
{
	char *directory = xstrdup(path);
	int fd;

	*(strrchr(directory, '/') + 1) = '\0';
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		(void)fsync(fd); /* some file systems cannot; the rename was done either way */
		(void)close(fd);
	}
	free(directory);
}

static int
fill(int fd, const struct profile_file *file, const char *text, const char *name, struct error *err)
{
	int rc = dress(fd, &file->st, file->path, err), written;

	if (rc < 0)
		return rc;
	written = write_all(fd, text);
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
		sync_directory(file->path);
	else
		(void)unlink(name); /* what is left over harms nobody */
	free(name);
	return rc;
}
