/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NETCONF message framing, both ways and both versions (RFC 6242 sections 4.2 and 4.3),
 * incremental, with limits, no I/O. Used towards the router, towards local clients, and by the lab
 * router.
 *
 * A decoder starts in end-of-message framing ("]]>]]>", base:1.0); the owner switches it to chunked
 * framing after both hellos offered base:1.1, before it takes the next message.
 */
#ifndef AUTOFBF_FRAMING_H
#define AUTOFBF_FRAMING_H

#include <stdbool.h>
#include <stddef.h>

enum framing_version { FRAMING_EOM, FRAMING_CHUNKED };

struct framing; /* a decoder */

/* max_message: bytes a message may have before the peer is in breach (-EMSGSIZE). */
struct framing *framing_new(size_t max_message);
void framing_free(struct framing *framing);
void framing_set_version(struct framing *framing, enum framing_version version);
/* Takes bytes as they come. */
void framing_feed(struct framing *framing, const void *data, size_t size);
/* 1: a message; *ret_message (NUL-terminated, *ret_size without the NUL) is valid until the next
 * call on this decoder. 0: more bytes are needed. -EPROTO: bad chunk framing; -EMSGSIZE: too long;
 * both are final. An empty message in end-of-message framing is skipped. */
int framing_next(struct framing *framing, const char **ret_message, size_t *ret_size);
/* Bytes of an unfinished message are waiting (half a frame and silence). */
bool framing_is_partial(const struct framing *framing);

/* Frame around a message: write head, the message, then tail. Chunk: "\n#SIZE\n" .. "\n##\n". */
enum { FRAMING_HEAD_SIZE = 32 };
size_t framing_head(enum framing_version version, size_t message_size, char buf[FRAMING_HEAD_SIZE]);
const char *framing_tail(enum framing_version version);

#endif
