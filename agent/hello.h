/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The peer's hello (RFC 6241 section 8.1) as it really comes: comments, and for a restricted user
 * whole error replies, stand before it in the same message. No I/O.
 */
#ifndef AUTOFBF_HELLO_H
#define AUTOFBF_HELLO_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

enum { HELLO_NOTICE_SIZE = 256 };

struct hello {
	bool base_1_0, base_1_1;
	char session_id[24];            /* "" when absent */
	char notice[HELLO_NOTICE_SIZE]; /* what was said before it, in words; "" when nothing */
};

/* 1: a hello, *ret_hello is filled. 0: no hello in this message, only notice is filled (the text
 * that came instead). -EBADMSG with err: bad XML, a DTD, or neither base:1.0 nor base:1.1. */
int hello_read(const char *message, size_t size, struct hello *ret_hello, struct error *err);

#endif
