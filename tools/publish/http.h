/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small HTTP server on the event loop: GET and HEAD, one request a connection, loopback or a UNIX
 * socket only. At most 32 connections, ten seconds each, 8 KiB of head; who comes later waits in
 * the kernel's queue. Out of file descriptors it stops listening for a second and never spins.
 */
#ifndef AUTOFBF_PUBLISH_HTTP_H
#define AUTOFBF_PUBLISH_HTTP_H

#include "error.h"

struct evbuffer;
struct event_base;

struct http_answer {
	int status;            /* 200 unless the owner says otherwise */
	const char *type;      /* static; Content-Type */
	struct evbuffer *body; /* borrowed; to be filled */
};

typedef void http_answer_fn(void *arg, const char *path, struct http_answer *answer);

struct http;

/* where: "127.0.0.1:9643", "[::1]:9643", "unix:/run/autofbf-publish/http.sock" (0660; a stale
 * socket is replaced). 0, or -errno with err: not a loopback address, or it cannot listen. */
int http_new(struct event_base *base, const char *where, http_answer_fn *answer, void *arg,
    struct http **ret_http, struct error *err);
void http_free(struct http *http);

#endif
