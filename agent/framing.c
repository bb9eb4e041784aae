/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * RFC 6242 framing, incremental. Bytes wait in one input buffer; a message between end-of-message
 * marks is handed out where it lies, the chunks of a message are gathered in a second buffer.
 *
 * Promises: work per byte is constant however small the pieces are in which they come; no more than
 * max_message bytes of one message are kept; buffers that a large message made are given back.
 * Blank bytes between messages are skipped in both versions (Junos ends each message with a line
 * feed after the mark), so they never count as a partial message. Everything else is strict: a
 * chunk size has no leading zero, is not zero and fits 32 bits, and a message has a chunk.
 *
 * What a message says is left to the caller; so is the decision to change versions.
 */
#define _GNU_SOURCE /* memmem */
#include "framing.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

enum { KEEP_BYTES = 64 * 1024, FIRST_BYTES = 4096 };

static const char eom_mark[] = "]]>]]>";
enum { EOM_MARK_SIZE = sizeof(eom_mark) - 1 };

struct buffer {
	char *bytes; /* owned */
	size_t size, capacity;
};

struct framing {
	enum framing_version version;
	size_t max_message;
	int failed; /* 0, or the final error */
	struct buffer in;
	size_t start;          /* first byte of in that was not taken yet */
	size_t scanned;        /* end-of-message: no mark begins before this byte */
	bool in_message;       /* chunked: a chunk head of this message was read */
	size_t chunk_left;     /* chunked: bytes of the open chunk that are still to come */
	bool handed_out;       /* chunked: message belongs to the caller until the next call */
	struct buffer message; /* chunked: what the chunks gave so far */
};

static void
append(struct buffer *buffer, const void *data, size_t size)
{
	size_t need = buffer->size + size + 1; /* room for a NUL */

	if (need > buffer->capacity) {
		size_t capacity = buffer->capacity ? buffer->capacity : FIRST_BYTES;

		while (capacity < need)
			capacity *= 2;
		buffer->bytes = xreallocarray(buffer->bytes, capacity, 1);
		buffer->capacity = capacity;
	}
	if (size > 0)
		memcpy(buffer->bytes + buffer->size, data, size);
	buffer->size += size;
}

static void
empty(struct buffer *buffer)
{
	buffer->size = 0;
	if (buffer->capacity > KEEP_BYTES) {
		free(buffer->bytes);
		*buffer = (struct buffer){ 0 };
	}
}

struct framing *
framing_new(size_t max_message)
{
	struct framing *framing = xcalloc(1, sizeof(*framing));

	framing->max_message = max_message;
	return framing;
}

void
framing_free(struct framing *framing)
{
	if (!framing)
		return;
	free(framing->in.bytes);
	free(framing->message.bytes);
	free(framing);
}

void
framing_set_version(struct framing *framing, enum framing_version version)
{
	framing->version = version;
	framing->scanned = framing->start;
}

/* Drops taken bytes, once they are the larger half, so that each byte moves at most once or twice.
 */
static void
compact(struct framing *framing)
{
	size_t left = framing->in.size - framing->start;

	if (left == 0) {
		empty(&framing->in);
	} else if (framing->start >= left) {
		memmove(framing->in.bytes, framing->in.bytes + framing->start, left);
		framing->in.size = left;
	} else {
		return;
	}
	framing->scanned -= framing->start;
	framing->start = 0;
}

void
framing_feed(struct framing *framing, const void *data, size_t size)
{
	if (framing->failed)
		return;
	compact(framing);
	append(&framing->in, data, size);
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void
skip_blanks(struct framing *framing)
{
	while (framing->start < framing->in.size && is_blank(framing->in.bytes[framing->start]))
		framing->start++;
	if (framing->scanned < framing->start)
		framing->scanned = framing->start;
}

/* The next end-of-message mark, or NULL; remembers how far it looked. */
static char *
find_mark(struct framing *framing)
{
	struct buffer *in = &framing->in;
	char *mark = NULL;

	if (in->size > framing->scanned)
		mark = memmem(in->bytes + framing->scanned, in->size - framing->scanned, eom_mark,
		    EOM_MARK_SIZE);
	if (!mark && in->size >= framing->start + EOM_MARK_SIZE)
		framing->scanned = in->size - (EOM_MARK_SIZE - 1);
	return mark;
}

static int
next_eom(struct framing *framing, const char **ret_message, size_t *ret_size)
{
	for (;;) {
		char *mark, *message;
		size_t size;

		skip_blanks(framing);
		mark = find_mark(framing);
		if (!mark) {
			size = framing->in.size - framing->start;
			return size > framing->max_message + EOM_MARK_SIZE - 1 ? -EMSGSIZE : 0;
		}
		message = framing->in.bytes + framing->start;
		size = (size_t)(mark - message);
		framing->start += size + EOM_MARK_SIZE;
		framing->scanned = framing->start;
		if (size > framing->max_message)
			return -EMSGSIZE;
		if (size == 0)
			continue;
		*mark = '\0';
		*ret_message = message;
		*ret_size = size;
		return 1;
	}
}

/* Between chunked messages: blanks before the line feed that begins a chunk. False: nothing but
 * blanks has come. */
static bool
skip_spare_blanks(struct framing *framing)
{
	const struct buffer *in = &framing->in;

	while (framing->start + 1 < in->size && is_blank(in->bytes[framing->start]) &&
	       is_blank(in->bytes[framing->start + 1]))
		framing->start++;
	return framing->start + 1 < in->size ||
	       (framing->start < in->size && !is_blank(in->bytes[framing->start]));
}

/* "\n#SIZE\n" or "\n##\n": 1 with the size (0: end of chunks), 0: more bytes, -EPROTO. */
static int
read_chunk_head(struct framing *framing, uint64_t *ret_size)
{
	const char *p = framing->in.bytes + framing->start;
	size_t left = framing->in.size - framing->start, i;
	uint64_t size = 0;

	if ((left > 0 && p[0] != '\n') || (left > 1 && p[1] != '#'))
		return -EPROTO;
	for (i = 2; i < left && p[i] != '\n'; i++) {
		bool is_end = i == 2 && p[i] == '#';
		bool is_digit = p[i] >= (i == 2 ? '1' : '0') && p[i] <= '9' && p[2] != '#';

		if (!is_end && !is_digit)
			return -EPROTO;
		if (is_digit)
			size = size * 10 + (uint64_t)(p[i] - '0');
		if (size > UINT32_MAX)
			return -EPROTO;
	}
	if (i >= left)
		return 0;
	if (i == 2)
		return -EPROTO;
	framing->start += i + 1;
	*ret_size = size;
	return 1;
}

static void
take_chunk_bytes(struct framing *framing)
{
	size_t size = framing->in.size - framing->start;

	if (size > framing->chunk_left)
		size = framing->chunk_left;
	if (size == 0)
		return;
	append(&framing->message, framing->in.bytes + framing->start, size);
	framing->start += size;
	framing->chunk_left -= size;
}

static int
end_message(struct framing *framing, const char **ret_message, size_t *ret_size)
{
	if (!framing->in_message)
		return -EPROTO;
	framing->in_message = false;
	framing->handed_out = true;
	framing->message.bytes[framing->message.size] = '\0';
	*ret_message = framing->message.bytes;
	*ret_size = framing->message.size;
	return 1;
}

static int
next_chunked(struct framing *framing, const char **ret_message, size_t *ret_size)
{
	for (;;) {
		uint64_t size;
		int rc;

		if (framing->chunk_left > 0) {
			take_chunk_bytes(framing);
			if (framing->chunk_left > 0)
				return 0;
		}
		if (!framing->in_message && !skip_spare_blanks(framing))
			return 0;
		rc = read_chunk_head(framing, &size);
		if (rc <= 0)
			return rc;
		if (size == 0)
			return end_message(framing, ret_message, ret_size);
		if (size > framing->max_message - framing->message.size)
			return -EMSGSIZE;
		framing->in_message = true;
		framing->chunk_left = size;
	}
}

int
framing_next(struct framing *framing, const char **ret_message, size_t *ret_size)
{
	int rc;

	if (framing->failed)
		return framing->failed;
	if (framing->handed_out) {
		framing->handed_out = false;
		empty(&framing->message);
	}
	if (framing->start == framing->in.size)
		return 0;
	rc = framing->version == FRAMING_EOM ? next_eom(framing, ret_message, ret_size)
	                                     : next_chunked(framing, ret_message, ret_size);
	if (rc < 0)
		framing->failed = rc;
	return rc;
}

bool
framing_is_partial(const struct framing *framing)
{
	size_t i;

	if (framing->in_message)
		return true;
	for (i = framing->start; i < framing->in.size; i++)
		if (!is_blank(framing->in.bytes[i]))
			return true;
	return false;
}

size_t
framing_head(enum framing_version version, size_t message_size, char buf[FRAMING_HEAD_SIZE])
{
	buf[0] = '\0';
	if (version == FRAMING_EOM)
		return 0;
	return (size_t)snprintf(buf, FRAMING_HEAD_SIZE, "\n#%zu\n", message_size);
}

const char *
framing_tail(enum framing_version version)
{
	return version == FRAMING_EOM ? eom_mark : "\n##\n";
}
