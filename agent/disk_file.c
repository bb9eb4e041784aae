/* SPDX-License-Identifier: BSD-3-Clause */
#include "disk_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"

/* At most `size` bytes, which was the file's size a moment ago. */
static int
read_all(int fd, char *text, size_t size, size_t *ret_size)
{
	size_t used = 0;

	while (used < size) {
		ssize_t n = read(fd, text + used, size - used);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			break;
		used += n > 0 ? (size_t)n : 0;
	}
	*ret_size = used;
	return 0;
}

static int
read_regular(int fd, size_t most, char **ret_text, size_t *ret_size, struct stat *ret_st)
{
	char *text;
	int rc;

	if (fstat(fd, ret_st) < 0)
		return -errno;
	if (!S_ISREG(ret_st->st_mode))
		return -EINVAL;
	if ((uint64_t)ret_st->st_size > most)
		return -EFBIG;
	text = xcalloc((size_t)ret_st->st_size + 1, 1);
	rc = read_all(fd, text, (size_t)ret_st->st_size, ret_size);
	if (rc < 0)
		free(text);
	else
		*ret_text = text;
	return rc;
}

int
disk_file_read(
    const char *path, size_t most, char **ret_text, size_t *ret_size, struct stat *ret_st)
{
	/* non-blocking, so that a FIFO is refused and not waited for */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc;
	struct stat st;

	if (fd < 0)
		return -errno;
	rc = read_regular(fd, most, ret_text, ret_size, ret_st ? ret_st : &st);
	(void)close(fd); /* only read from */
	return rc;
}

int
disk_file_fill(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t n = write(fd, text, left);

		if (n < 0 && errno != EINTR)
			return -errno;
		text += n > 0 ? n : 0;
		left -= n > 0 ? (size_t)n : 0;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

int
disk_file_sync_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *directory = slash ? xasprintf("%.*s/", (int)(slash - path), path) : xstrdup(".");
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : 0;

	free(directory);
	if (fd < 0)
		return rc;
	if (fsync(fd) < 0 && errno != EINVAL) /* some file systems cannot */
		rc = -errno;
	(void)close(fd); /* only read from */
	return rc;
}
