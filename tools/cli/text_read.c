/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What somebody saved or pipes in, read to its end: layouts, configurations, routes. The size is
 * not known before, and has a limit, for a wrong path may name something that never ends.
 */
#include "text_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ_SIZE = 1 << 16, MOST = 1 << 30 };

static int
read_stream(FILE *in, char **ret_text, size_t *ret_size)
{
	char *text = NULL;
	size_t size = 0, room = 0, got = 1;

	errno = 0;
	while (got > 0 && size < MOST) {
		if (size + READ_SIZE + 1 > room) {
			room = 2 * (size + READ_SIZE + 1);
			text = xreallocarray(text, room, 1);
		}
		got = fread(text + size, 1, READ_SIZE, in);
		size += got;
	}
	if (ferror(in) || got > 0) {
		free(text);
		return ferror(in) && errno ? -errno : ferror(in) ? -EIO : -EFBIG;
	}
	text[size] = '\0';
	*ret_text = text;
	*ret_size = size;
	return 0;
}

const char *
text_read_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

int
text_read(const char *path, char **ret_text, size_t *ret_size, struct error *err)
{
	bool is_input = strcmp(path, "-") == 0;
	FILE *in = is_input ? stdin : fopen(path, "re");
	int rc = in ? read_stream(in, ret_text, ret_size) : -errno;

	if (in && !is_input)
		fclose(in); /* only read from */
	if (rc == -EFBIG)
		return error_set(err, rc, "%s: is larger than 1 GiB", text_read_name(path));
	if (rc < 0)
		return error_set(err, rc, "%s: %s", text_read_name(path), strerror(-rc));
	return 0;
}
