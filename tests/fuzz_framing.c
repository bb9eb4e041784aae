/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzzes the framing decoder. First byte: version, and the size of the pieces. Whatever the bytes
 * are, pieces must give the same messages and the same end as one feed.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "framing.h"

enum { MAX_MESSAGE = 300 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
	uint64_t hash;
	size_t messages;
	int end;
};

static void
collect(struct framing *framing, struct outcome *outcome)
{
	const char *message;
	size_t size, i;

	while ((outcome->end = framing_next(framing, &message, &size)) == 1) {
		if (size == 0 || size > MAX_MESSAGE || message[size] != '\0')
			abort();
		for (i = 0; i <= size; i++)
			outcome->hash = outcome->hash * 1099511628211u + (unsigned char)message[i];
		outcome->messages++;
	}
}

static struct outcome
decode(const uint8_t *data, size_t size, enum framing_version version, size_t piece)
{
	struct framing *framing = framing_new(MAX_MESSAGE);
	struct outcome outcome = { 0 };
	size_t done;

	framing_set_version(framing, version);
	for (done = 0; done < size; done += piece) {
		framing_feed(framing, data + done, piece < size - done ? piece : size - done);
		collect(framing, &outcome);
	}
	(void)framing_is_partial(framing); /* must not read out of bounds */
	framing_free(framing);
	return outcome;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum framing_version version;
	struct outcome whole, pieces;

	if (size < 2)
		return 0;
	version = data[0] & 1 ? FRAMING_CHUNKED : FRAMING_EOM;
	whole = decode(data + 1, size - 1, version, size);
	pieces = decode(data + 1, size - 1, version, 1 + (data[0] >> 1));
	if (whole.hash != pieces.hash || whole.messages != pieces.messages ||
	    whole.end != pieces.end)
		abort();
	return 0;
}
