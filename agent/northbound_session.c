/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A session on a bufferevent. Input is decoded as it comes, but only one request is answered per
 * turn of the loop and none while more than PAUSE_BYTES wait to be read by the client. Nothing is
 * read while a request waits, however many a client sends ahead: so it costs the agent one answer
 * at a time and a bounded memory. A stream (northbound_stream.h) is
 * written as the client takes it, one piece per turn of the loop; notifications wait until it is
 * complete. For the router's answer the session waits, and nobody else does; nothing is read from a
 * client until its answer is written.
 *
 * What ends a session: ten seconds without a hello, a breach of the framing or a message over a
 * mebibyte, half a message and thirty seconds of silence, sixty seconds in which the client takes
 * nothing of what is there, a backlog over the cap, close-session, or the client's end. An end
 * inside a call from outside (a notification sent by the request in progress) is only noted, and
 * carried out by the session's timer, so that nobody's session vanishes under his feet.
 */
#include "northbound_session.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <libyang/libyang.h>
#include <stdlib.h>
#include <string.h>

#include "framing.h"
#include "log.h"

enum {
	REQUEST_MOST = 1 << 20,   /* clients know: PROFILE_FILE_SENT_MOST */
	PAUSE_BYTES = 256 * 1024, /* no further request is answered above this */
	ANSWER_MOST = 64 << 20,   /* one answer that is not streamed */
	BACKLOG_MOST = 8 << 20,   /* notifications to a client that does not read */
	HELLO_SECONDS = 10,
	PARTIAL_SECONDS = 30,
	WRITE_SECONDS = 60,
};

struct northbound_session {
	struct northbound_session_options options;
	struct bufferevent *stream; /* owned, with its socket */
	struct framing *framing;    /* owned */
	enum framing_version version;
	struct northbound_caller caller;
	char *who;                        /* owned */
	struct event *hello_timer;        /* owned */
	struct event *turn;               /* owned; the next request, or the end */
	struct northbound_stream *answer; /* owned; waited for, then being written */
	const char *tail;                 /* static; of that answer */
	struct evbuffer *head;            /* owned; the reply's beginning, until there is more */
	struct evbuffer *waiting;         /* owned; framed notifications, until the answer is */
	uint32_t id;
	bool has_hello, subscribed, closing, over;
	bool at_eof; /* the client sends no more; it may still read */
};

static size_t
get_backlog(const struct northbound_session *session)
{
	return evbuffer_get_length(bufferevent_get_output(session->stream));
}

static void
schedule(struct northbound_session *session)
{
	struct timeval now = { 0, 0 };

	evtimer_add(session->turn, &now);
}

static void
end(struct northbound_session *session, const char *reason)
{
	if (session->over)
		return;
	session->over = true;
	log_debug("northbound", "session %u of %s ends: %s", session->id, session->who, reason);
	bufferevent_disable(session->stream, EV_READ | EV_WRITE);
	schedule(session);
}

/* ---- out ----------------------------------------------------------------------------------- */

static void
add_framed(const struct northbound_session *session, struct evbuffer *text, struct evbuffer *out)
{
	char head[FRAMING_HEAD_SIZE];

	evbuffer_add(out, head, framing_head(session->version, evbuffer_get_length(text), head));
	evbuffer_add_buffer(out, text);
}

static void
add_tail(const struct northbound_session *session, struct evbuffer *out)
{
	const char *tail = framing_tail(session->version);

	evbuffer_add(out, tail, strlen(tail));
}

static void
send_text(struct northbound_session *session, struct evbuffer *text)
{
	struct evbuffer *out = bufferevent_get_output(session->stream);

	add_framed(session, text, out);
	add_tail(session, out);
}

static bool
is_streaming(const struct northbound_session *session)
{
	return session->answer && !session->answer->is_waiting;
}

static void
free_answer(struct northbound_session *session)
{
	if (session->answer)
		session->answer->free(session->answer);
	session->answer = NULL;
}

/* The next piece of a long answer; true while there is more. */
static bool
write_on(struct northbound_session *session)
{
	struct evbuffer *out = bufferevent_get_output(session->stream);
	struct evbuffer *piece = evbuffer_new();
	bool more;

	evbuffer_add_buffer(piece, session->head);
	more = session->answer->write(session->answer, piece);
	if (!more)
		evbuffer_add_printf(piece, "%s", session->tail);
	if (evbuffer_get_length(piece) > 0)
		add_framed(session, piece, out);
	evbuffer_free(piece);
	if (more)
		return true;
	add_tail(session, out);
	evbuffer_add_buffer(out, session->waiting);
	free_answer(session);
	return false;
}

void
northbound_session_finish(struct northbound_session *session)
{
	while (session->answer && session->answer->borrows_profile && write_on(session))
		continue;
}

/* ---- in ------------------------------------------------------------------------------------ */

static void
take_hello(struct northbound_session *session, const char *message, size_t size)
{
	struct error err;
	bool chunked = false;

	if (netconf_hello_parse(message, size, &chunked, &err) < 0) {
		end(session, err.text);
		return;
	}
	session->has_hello = true;
	evtimer_del(session->hello_timer);
	if (chunked) {
		session->version = FRAMING_CHUNKED;
		framing_set_version(session->framing, FRAMING_CHUNKED);
	}
}

static void
on_ready(void *arg)
{
	schedule(arg);
}

static void
begin_stream(struct northbound_session *session, const struct northbound_answer *answer,
    struct evbuffer *text)
{
	session->answer = answer->stream;
	session->answer->on_ready = on_ready;
	session->answer->arg = session;
	session->tail = answer->tail;
	evbuffer_add_buffer(session->head, text);
}

static void
take_request(struct northbound_session *session, const char *message, size_t size)
{
	struct evbuffer *text = evbuffer_new();
	struct northbound_answer answer;

	northbound_rpc_answer(session->options.module, session->options.operations,
	    &session->caller, message, size, text, &answer);
	if (answer.stream)
		begin_stream(session, &answer, text);
	else if (evbuffer_get_length(text) > ANSWER_MOST)
		end(session, "the answer is too large");
	else
		send_text(session, text);
	evbuffer_free(text);
	session->subscribed |= answer.subscribe;
	session->closing |= answer.close;
}

/* Half a message may not wait for ever; between messages silence is fine. */
static void
watch_partial(struct northbound_session *session)
{
	const struct timeval partial = { PARTIAL_SECONDS, 0 }, write = { WRITE_SECONDS, 0 };
	bool is_partial = session->has_hello && framing_is_partial(session->framing);

	bufferevent_set_timeouts(session->stream, is_partial ? &partial : NULL, &write);
}

/* One message. True when there may be another. */
static bool
take_message(struct northbound_session *session)
{
	const char *message;
	size_t size;
	int rc = framing_next(session->framing, &message, &size);

	if (rc < 0)
		end(session, rc == -EMSGSIZE ? "a message over the limit" : "bad framing");
	if (rc <= 0)
		return false;
	if (session->has_hello)
		take_request(session, message, size);
	else
		take_hello(session, message, size);
	return true;
}

/* A piece, or nothing yet. */
static void
go_on_streaming(struct northbound_session *session)
{
	if (!is_streaming(session) || get_backlog(session) >= PAUSE_BYTES)
		return;
	write_on(session);
	schedule(session); /* the others first */
}

static void
go_on(struct northbound_session *session)
{
	if (session->over || session->closing)
		return;
	if (session->answer) {
		go_on_streaming(session);
		return;
	}
	if (get_backlog(session) >= PAUSE_BYTES) {
		bufferevent_disable(session->stream, EV_READ);
		return;
	}
	if (take_message(session)) {
		bufferevent_disable(session->stream, EV_READ); /* there may be another */
		schedule(session);
		return;
	}
	if (session->at_eof && get_backlog(session) == 0) {
		end(session, "the client is gone");
		return;
	}
	watch_partial(session);
	if (!session->at_eof && !session->over)
		bufferevent_enable(session->stream, EV_READ);
}

static void
on_turn(evutil_socket_t fd, short what, void *arg)
{
	struct northbound_session *session = arg;

	if (session->over)
		session->options.on_end(session->options.arg, session);
	else
		go_on(session);
}

static void
on_readable(struct bufferevent *stream, void *arg)
{
	struct northbound_session *session = arg;
	struct evbuffer *in = bufferevent_get_input(stream);
	struct evbuffer_iovec piece;

	while (evbuffer_peek(in, -1, NULL, &piece, 1) > 0 && piece.iov_len > 0) {
		framing_feed(session->framing, piece.iov_base, piece.iov_len);
		evbuffer_drain(in, piece.iov_len);
	}
	if (!evtimer_pending(session->turn, NULL))
		go_on(session);
}

/* The client took what there was, down to half of what makes us pause. */
static void
on_drained(struct bufferevent *stream, void *arg)
{
	struct northbound_session *session = arg;

	if (session->closing) {
		if (get_backlog(session) == 0)
			end(session, "closed");
		return;
	}
	if (!evtimer_pending(session->turn, NULL))
		go_on(session);
}

static void
on_broken(struct bufferevent *stream, short what, void *arg)
{
	struct northbound_session *session = arg;

	if (!(what & BEV_EVENT_EOF) || session->subscribed) {
		end(session, what & BEV_EVENT_TIMEOUT ? "timeout" : "the client is gone");
		return;
	}
	session->at_eof = true;
	schedule(session);
}

static void
on_no_hello(evutil_socket_t fd, short what, void *arg)
{
	end(arg, "no hello");
}

/* ---- life ---------------------------------------------------------------------------------- */

static void
send_hello(struct northbound_session *session)
{
	struct evbuffer *text = evbuffer_new();

	netconf_hello_write(text, session->id, session->options.module->revision);
	send_text(session, text);
	evbuffer_free(text);
}

struct northbound_session *
northbound_session_new(const struct northbound_session_options *options, int fd, uint32_t id,
    enum northbound_role role, char *who)
{
	const struct timeval hello = { HELLO_SECONDS, 0 };
	struct northbound_session *session = xcalloc(1, sizeof(*session));

	session->options = *options;
	session->id = id;
	session->who = who;
	session->caller = (struct northbound_caller){ role, who };
	session->framing = framing_new(REQUEST_MOST);
	session->waiting = evbuffer_new();
	session->head = evbuffer_new();
	session->stream = bufferevent_socket_new(options->base, fd, BEV_OPT_CLOSE_ON_FREE);
	session->hello_timer = evtimer_new(options->base, on_no_hello, session);
	session->turn = evtimer_new(options->base, on_turn, session);
	if (!session->waiting || !session->head || !session->stream || !session->hello_timer ||
	    !session->turn)
		fatal("out of memory");
	bufferevent_setcb(session->stream, on_readable, on_drained, on_broken, session);
	bufferevent_setwatermark(session->stream, EV_WRITE, PAUSE_BYTES / 2, 0);
	evtimer_add(session->hello_timer, &hello);
	watch_partial(session);
	bufferevent_enable(session->stream, EV_READ | EV_WRITE);
	send_hello(session);
	return session;
}

void
northbound_session_free(struct northbound_session *session)
{
	if (!session)
		return;
	event_free(session->hello_timer);
	event_free(session->turn);
	bufferevent_free(session->stream);
	evbuffer_free(session->waiting);
	framing_free(session->framing);
	free_answer(session);
	evbuffer_free(session->head);
	free(session->who);
	free(session);
}

const char *
northbound_session_who(const struct northbound_session *session)
{
	return session->who;
}

void
northbound_session_notify(struct northbound_session *session, struct evbuffer *text)
{
	struct evbuffer *out = bufferevent_get_output(session->stream), *copy;

	if (!session->subscribed || session->over || session->closing)
		return;
	if (get_backlog(session) + evbuffer_get_length(session->waiting) > BACKLOG_MOST) {
		end(session, "the client does not read its notifications");
		return;
	}
	copy = evbuffer_new();
	evbuffer_add(copy, evbuffer_pullup(text, -1), evbuffer_get_length(text));
	if (is_streaming(session))
		out = session->waiting;
	add_framed(session, copy, out);
	add_tail(session, out);
	evbuffer_free(copy);
}
