/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A long answer that is written piece by piece: the session turns the loop between two pieces, so
 * an event of the network waits for one piece at most, and never for the answer. What is
 * streamed is one moment: it copies or holds what it tells.
 */
#ifndef AUTOFBF_NORTHBOUND_STREAM_H
#define AUTOFBF_NORTHBOUND_STREAM_H

#include <stdbool.h>

struct evbuffer;

/* The first member of each kind of stream. */
struct northbound_stream {
	/* Appends the next piece, well below a millisecond of work. False: that was the last. Not
	 * called while is_waiting. */
	bool (*write)(struct northbound_stream *stream, struct evbuffer *out);
	void (*free)(struct northbound_stream *stream); /* at any time */
	bool borrows_profile; /* must be written to its end before the profile goes */
	bool is_waiting;      /* there is nothing to write yet; on_ready tells, NULL: nobody */
	void (*on_ready)(void *arg);
	void *arg;
};

#endif
