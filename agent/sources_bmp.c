/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A BMP session says the state of every peer when it begins and each change from then on. So as
 * long as one session stands, what was said holds; when the last one ends nobody has a verdict any
 * more, and that is one event. A session stands from its first message on: something that only
 * connects and goes away again has told nothing, and its end means nothing.
 */
#include "sources_bmp.h"

#include <event2/buffer.h>

#include "bmp.h"

static int
read_messages(struct tcp_session *session, struct evbuffer *input, struct mtime now)
{
	struct source *source = session->server->source;
	const uint8_t *data = evbuffer_pullup(input, -1);
	size_t size = evbuffer_get_length(input), at = 0;
	struct event event;
	int rc;

	while ((rc = bmp_decode(data + at, size - at, &event)) > 0) {
		at += (size_t)rc;
		session->stands = true;
		if (!source->counters.connected)
			source->counters.word_at = now;
		source->counters.connected = true;
		source_deliver(source, &event, now);
	}
	evbuffer_drain(input, at);
	return rc;
}

static void
lose_session(struct tcp_server *server, struct mtime now)
{
	struct event event = {
		.kind = EVENT_SOURCE_LOST,
		.source = SOURCE_BMP,
		.established_s = -1,
		.at = now,
	};
	const struct tcp_session *session;

	for (session = TAILQ_FIRST(&server->sessions); session;
	     session = TAILQ_NEXT(session, link)) {
		if (session->stands)
			return;
	}
	server->source->counters.connected = false;
	server->source->counters.events++;
	server->source->fn(server->source->arg, &event);
}

const struct tcp_handler source_bmp_handler = {
	.read = read_messages,
	.ended = lose_session,
	.max_buffer = BMP_MAX_MESSAGE,
};
