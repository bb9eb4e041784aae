/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The head of one HTTP/1 request (RFC 9112), from bytes that anybody may have sent. Only what is
 * served is understood: GET and HEAD of a path, without a body. No I/O, no memory.
 */
#ifndef AUTOFBF_PUBLISH_HTTP_REQUEST_H
#define AUTOFBF_PUBLISH_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum { HTTP_HEAD_MOST = 8192, HTTP_PATH_SIZE = 128 };

struct http_request {
	bool is_head;
	char path[HTTP_PATH_SIZE]; /* without the query */
};

/* 0: more bytes are needed. 200: a request, *ret_request is filled. Else the status to refuse it
 * with: 400 bad, 405 another method, 414 path too long, 431 head too long, 505 another version. */
int http_request_read(const char *bytes, size_t size, struct http_request *ret_request);

#endif
