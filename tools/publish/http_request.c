/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the request line and looks for the empty line after it. Header fields change nothing about
 * an answer here, so they are only measured; control bytes anywhere in the head end it, since no
 * honest client sends them and logs would show them.
 */
#define _GNU_SOURCE /* memmem */
#include "http_request.h"

#include <string.h>
#include <strings.h>

/* Bytes of the head with its empty line; 0: there is none yet. */
static size_t
find_end(const char *bytes, size_t size)
{
	const char *crlf = memmem(bytes, size, "\r\n\r\n", 4), *lf = memmem(bytes, size, "\n\n", 2);

	if (crlf && (!lf || crlf < lf))
		return (size_t)(crlf - bytes) + 4;
	return lf ? (size_t)(lf - bytes) + 2 : 0;
}

static bool
has_controls(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)bytes[i];

		if ((c < ' ' && c != '\t' && c != '\r' && c != '\n') || c == 0x7f)
			return true;
	}
	return false;
}

/* One word of the line, up to a blank or the end; steps over one blank. */
static size_t
take_word(const char **line, const char *end)
{
	const char *start = *line, *p = start;

	while (p < end && *p != ' ')
		p++;
	*line = p < end ? p + 1 : p;
	return (size_t)(p - start);
}

static bool
is_word(const char *word, size_t size, const char *wanted)
{
	return size == strlen(wanted) && memcmp(word, wanted, size) == 0;
}

/* "/path?query", or the form with a host before it, which a server must take as well. */
static int
read_target(const char *target, size_t size, char path[HTTP_PATH_SIZE])
{
	const char *query;

	if (size > 7 && strncasecmp(target, "http://", 7) == 0) {
		const char *slash = memchr(target + 7, '/', size - 7);

		if (!slash)
			return 400;
		size -= (size_t)(slash - target);
		target = slash;
	}
	if (size == 0 || target[0] != '/')
		return 400;
	query = memchr(target, '?', size);
	if (query)
		size = (size_t)(query - target);
	if (size >= HTTP_PATH_SIZE)
		return 414;
	memcpy(path, target, size);
	path[size] = '\0';
	return 200;
}

static int
read_line(const char *line, const char *end, struct http_request *request)
{
	const char *method = line, *target, *version;
	size_t method_size = take_word(&line, end), target_size, version_size;

	target = line;
	target_size = take_word(&line, end);
	version = line;
	version_size = take_word(&line, end);
	if (method_size == 0 || target_size == 0 || version_size != 8 || line != end ||
	    memcmp(version, "HTTP/", 5) != 0)
		return 400;
	if (!is_word(version, version_size, "HTTP/1.0") &&
	    !is_word(version, version_size, "HTTP/1.1"))
		return 505;
	request->is_head = is_word(method, method_size, "HEAD");
	if (!request->is_head && !is_word(method, method_size, "GET"))
		return 405;
	return read_target(target, target_size, request->path);
}

int
http_request_read(const char *bytes, size_t size, struct http_request *ret_request)
{
	struct http_request request = { 0 };
	const char *end;
	size_t head;
	int status;

	if (size > HTTP_HEAD_MOST + 1)
		size = HTTP_HEAD_MOST + 1; /* what comes later changes no verdict */
	head = find_end(bytes, size);
	if (has_controls(bytes, head ? head : size))
		return 400;
	if (head == 0)
		return size > HTTP_HEAD_MOST ? 431 : 0;
	if (head > HTTP_HEAD_MOST)
		return 431;
	end = memchr(bytes, '\n', head);
	if (end > bytes && end[-1] == '\r')
		end--;
	status = read_line(bytes, end, &request);
	if (status == 200)
		*ret_request = request;
	return status;
}
