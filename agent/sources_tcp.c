/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The TCP side of a source: accept, admit, read, end. What the bytes mean is the handler's
 * business. Promises: a session reads at most 16 KiB per turn of the loop and keeps at most
 * max_buffer bytes; at most 16 sessions at a time; a router that vanished without a word is noticed
 * by TCP keepalive within half a minute (BMP and syslog only ever listen, so nothing else would
 * tell); and when the process has no file descriptor left, accepting pauses for a second and does
 * not spin.
 */
#include "sources_internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>

#include "log.h"

enum { BACKLOG = 16, READ_SIZE = 16384 };

static const char *
name_of(const struct tcp_server *server)
{
	return event_source_names[server->source->which];
}

/* why: "" for an end that is nobody's fault but worth a line when the session stood. */
static void
end_session(struct tcp_session *session, struct mtime now, const char *why)
{
	struct tcp_server *server = session->server;
	struct source *source = server->source;
	bool stood = session->stands;

	TAILQ_REMOVE(&server->sessions, session, link);
	server->count--;
	if (*why != '\0') {
		source->counters.errors++;
		complain(&source->garbage, now, event_source_names[source->which],
		    "%s: session ended: %s", session->from, why);
	} else if (stood) {
		log_info(name_of(server), "session from %s ended", session->from);
	}
	bufferevent_free(session->buffer);
	free(session);
	if (stood)
		server->handler->ended(server, now);
}

static void
on_readable(struct bufferevent *buffer, void *arg)
{
	struct tcp_session *session = arg;
	struct mtime now = mtime_now();
	bool stood = session->stands;

	if (session->server->handler->read(session, bufferevent_get_input(buffer), now) < 0) {
		end_session(session, now, "this is not the protocol that is spoken here");
		return;
	}
	if (!stood && session->stands)
		log_info(name_of(session->server), "session from %s stands", session->from);
}

static void
on_end(struct bufferevent *buffer, short what, void *arg)
{
	end_session(arg, mtime_now(), "");
}

/* Best effort: without it a dead peer is noticed later. */
static void
set_keepalive(int fd)
{
	const struct {
		int level, name, value;
	} options[] = {
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, 10 },
		{ IPPROTO_TCP, TCP_KEEPINTVL, 5 },
		{ IPPROTO_TCP, TCP_KEEPCNT, 3 },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		(void)setsockopt(fd, options[i].level, options[i].name, &options[i].value,
		    sizeof(options[i].value));
}

static void
begin_session(struct tcp_server *server, int fd, const char *from)
{
	struct tcp_session *session = xcalloc(1, sizeof(*session));

	set_keepalive(fd);
	session->server = server;
	memcpy(session->from, from, sizeof(session->from));
	session->buffer = bufferevent_socket_new(
	    evconnlistener_get_base(server->listener), fd, BEV_OPT_CLOSE_ON_FREE);
	if (!session->buffer)
		fatal("out of memory");
	bufferevent_setcb(session->buffer, on_readable, NULL, on_end, session);
	bufferevent_setwatermark(
	    session->buffer, EV_READ, 0, server->handler->max_buffer + READ_SIZE);
	bufferevent_set_max_single_read(session->buffer, READ_SIZE);
	bufferevent_enable(session->buffer, EV_READ);
	TAILQ_INSERT_TAIL(&server->sessions, session, link);
	server->count++;
}

static void
on_accept(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *address, int size,
    void *arg)
{
	struct tcp_server *server = arg;
	struct source *source = server->source;
	struct mtime now = mtime_now();
	char from[IP_TEXT_SIZE];

	if (!source_accepts(source, address, now, from)) {
		close(fd);
	} else if (server->count == TCP_MAX_SESSIONS) {
		source->counters.errors++;
		complain(&source->crowd, now, event_source_names[source->which],
		    "%s: refused, there are %d sessions already", from, TCP_MAX_SESSIONS);
		close(fd);
	} else {
		begin_session(server, fd, from);
	}
}

/* Out of descriptors, most likely: the connection stays in the backlog and would wake us at once.
 */
static void
on_accept_error(struct evconnlistener *listener, void *arg)
{
	static const struct timeval pause = { .tv_sec = 1 };
	struct tcp_server *server = arg;
	struct source *source = server->source;

	source->counters.errors++;
	complain(&source->crowd, mtime_now(), event_source_names[source->which],
	    "cannot accept a connection: %s", strerror(errno));
	evconnlistener_disable(listener);
	event_add(server->resume_timer, &pause);
}

static void
on_resume(evutil_socket_t fd, short what, void *arg)
{
	struct tcp_server *server = arg;

	evconnlistener_enable(server->listener);
}

int
tcp_server_start(struct tcp_server *server, struct event_base *base, struct source *source,
    const struct tcp_handler *handler, struct error *err)
{
	int fd = source_bind(source, SOCK_STREAM, err);

	if (fd < 0)
		return fd;
	*server = (struct tcp_server){ .source = source, .handler = handler };
	TAILQ_INIT(&server->sessions);
	server->resume_timer = event_new(base, -1, 0, on_resume, server);
	if (!server->resume_timer)
		fatal("out of memory");
	server->listener = evconnlistener_new(
	    base, on_accept, server, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, BACKLOG, fd);
	if (!server->listener) {
		close(fd);
		return error_set(err, -EADDRINUSE,
		    "%s listener: cannot listen on port %u; choose another", name_of(server),
		    source->listener->port);
	}
	evconnlistener_set_error_cb(server->listener, on_accept_error);
	return 0;
}

void
tcp_server_review(struct tcp_server *server, struct mtime now)
{
	struct tcp_session *session = TAILQ_FIRST(&server->sessions), *next;

	for (; session; session = next) {
		struct ip from;

		next = TAILQ_NEXT(session, link);
		if (ip_parse(session->from, &from) == 0 && !source_allows(server->source, &from))
			end_session(session, now, "it may not speak here any more");
	}
}

void
tcp_server_stop(struct tcp_server *server)
{
	struct tcp_session *session;

	while (server->source && (session = TAILQ_FIRST(&server->sessions)) != NULL) {
		TAILQ_REMOVE(&server->sessions, session, link);
		bufferevent_free(session->buffer);
		free(session);
	}
	if (server->listener)
		evconnlistener_free(server->listener);
	if (server->resume_timer)
		event_free(server->resume_timer);
	*server = (struct tcp_server){ 0 };
}
