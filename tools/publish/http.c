/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libevent's evhttp has no cap on connections, no deadline for one, and spins when file descriptors
 * run out; three fixed paths do not need it. A connection here is read until its head is complete,
 * answered, and closed; its one timer bounds the whole, so a client that sends or takes a byte now
 * and then holds its place no longer than one that is silent.
 */
#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "http_request.h"
#include "log.h"

enum { CONNECTIONS_MOST = 32, CONNECTION_SECONDS = 10, PAUSE_SECONDS = 1 };

struct connection {
	LIST_ENTRY(connection) entry;
	struct http *http;          /* borrowed */
	struct bufferevent *stream; /* owned, with its socket */
	struct event *deadline;     /* owned */
};

struct http {
	struct event_base *base; /* borrowed */
	http_answer_fn *answer;
	void *arg;
	struct evconnlistener *listener; /* owned, with its socket */
	struct event *pause;             /* owned */
	char *unix_path;                 /* owned; NULL: TCP */
	LIST_HEAD(connection_list, connection) connections;
	unsigned count;
};

/* ---- connections --------------------------------------------------------------------------- */

static void
end(struct connection *connection)
{
	struct http *http = connection->http;

	LIST_REMOVE(connection, entry);
	event_free(connection->deadline);
	bufferevent_free(connection->stream);
	free(connection);
	if (http->count-- == CONNECTIONS_MOST && !evtimer_pending(http->pause, NULL))
		evconnlistener_enable(http->listener);
}

static const char *
get_reason(int status)
{
	switch (status) {
	case 200:
		return "OK";
	case 404:
		return "Not Found";
	case 405:
		return "Method Not Allowed";
	case 414:
		return "URI Too Long";
	case 431:
		return "Request Header Fields Too Large";
	case 503:
		return "Service Unavailable";
	case 505:
		return "HTTP Version Not Supported";
	default:
		return "Bad Request";
	}
}

static void
send_answer(struct connection *connection, const struct http_answer *answer, bool is_head)
{
	struct evbuffer *out = bufferevent_get_output(connection->stream);

	evbuffer_add_printf(out,
	    "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s"
	    "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n"
	    "\r\n",
	    answer->status, get_reason(answer->status), answer->type,
	    evbuffer_get_length(answer->body), answer->status == 405 ? "Allow: GET, HEAD\r\n" : "");
	if (!is_head)
		evbuffer_add_buffer(out, answer->body);
}

static void
take_request(struct connection *connection, int status, const struct http_request *request)
{
	struct http *http = connection->http;
	struct http_answer answer = { status, "text/plain; charset=utf-8", evbuffer_new() };

	if (!answer.body)
		fatal("out of memory");
	bufferevent_disable(connection->stream, EV_READ);
	if (status == 200)
		http->answer(http->arg, request->path, &answer);
	else
		evbuffer_add_printf(answer.body, "%s\n", get_reason(status));
	send_answer(connection, &answer, request->is_head);
	evbuffer_free(answer.body);
}

static void
on_readable(struct bufferevent *stream, void *arg)
{
	struct evbuffer *in = bufferevent_get_input(stream);
	size_t size = evbuffer_get_length(in);
	struct http_request request = { 0 };
	int status;

	if (size > HTTP_HEAD_MOST + 1)
		size = HTTP_HEAD_MOST + 1;
	status =
	    http_request_read((const char *)evbuffer_pullup(in, (ssize_t)size), size, &request);
	if (status != 0)
		take_request(arg, status, &request);
}

/* The answer is with the kernel. */
static void
on_drained(struct bufferevent *stream, void *arg)
{
	if (!(bufferevent_get_enabled(stream) & EV_READ))
		end(arg);
}

static void
on_broken(struct bufferevent *stream, short what, void *arg)
{
	end(arg);
}

static void
on_deadline(evutil_socket_t fd, short what, void *arg)
{
	end(arg);
}

static void
on_connect(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *address, int size,
    void *arg)
{
	const struct timeval patience = { CONNECTION_SECONDS, 0 };
	struct connection *connection = xcalloc(1, sizeof(*connection));
	struct http *http = arg;

	connection->http = http;
	connection->stream = bufferevent_socket_new(http->base, fd, BEV_OPT_CLOSE_ON_FREE);
	connection->deadline = evtimer_new(http->base, on_deadline, connection);
	if (!connection->stream || !connection->deadline)
		fatal("out of memory");
	LIST_INSERT_HEAD(&http->connections, connection, entry);
	if (++http->count == CONNECTIONS_MOST)
		evconnlistener_disable(listener);
	bufferevent_setcb(connection->stream, on_readable, on_drained, on_broken, connection);
	bufferevent_setwatermark(connection->stream, EV_READ, 0, HTTP_HEAD_MOST + 1);
	evtimer_add(connection->deadline, &patience);
	bufferevent_enable(connection->stream, EV_READ | EV_WRITE);
}

static void
on_accept_failed(struct evconnlistener *listener, void *arg)
{
	const struct timeval pause = { PAUSE_SECONDS, 0 };
	struct http *http = arg;

	log_warn(
	    "http", "accept: %s; no connection is taken for %d s", strerror(errno), PAUSE_SECONDS);
	evconnlistener_disable(listener);
	evtimer_add(http->pause, &pause);
}

static void
on_pause_over(evutil_socket_t fd, short what, void *arg)
{
	struct http *http = arg;

	if (http->count < CONNECTIONS_MOST)
		evconnlistener_enable(http->listener);
}

/* ---- listening ----------------------------------------------------------------------------- */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un local;
};

static int
read_unix_path(const char *path, union address *address, int *ret_size, struct error *err)
{
	if (!path[0] || strlen(path) >= sizeof(address->local.sun_path))
		return error_set(err, -ENAMETOOLONG, "unix:%s: a socket's path has 1 to %zu bytes",
		    path, sizeof(address->local.sun_path) - 1);
	address->local.sun_family = AF_UNIX;
	strcpy(address->local.sun_path, path);
	*ret_size = sizeof(address->local);
	return 0;
}

static int
read_address(const char *where, union address *address, int *ret_size, struct error *err)
{
	bool has_port, is_loopback;

	*ret_size = sizeof(*address);
	if (evutil_parse_sockaddr_port(where, &address->any, ret_size) < 0)
		return error_set(err, -EINVAL,
		    "%s: give an address and a port, as 127.0.0.1:9643 or [::1]:9643, or unix:PATH",
		    where);
	if (address->any.sa_family == AF_INET) {
		has_port = address->v4.sin_port != 0;
		is_loopback = ntohl(address->v4.sin_addr.s_addr) >> 24 == 127;
	} else {
		has_port = address->v6.sin6_port != 0;
		is_loopback = IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
	}
	if (!has_port)
		return error_set(err, -EINVAL, "%s: the port is missing", where);
	if (!is_loopback)
		return error_set(err, -EINVAL,
		    "%s: only loopback addresses are served, without a password; put a proxy that "
		    "asks for one before 127.0.0.1, or use unix:PATH",
		    where);
	return 0;
}

static int
replace_stale_socket(const struct sockaddr_un *address, struct error *err)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool is_alive =
	    fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0;
	struct stat st;

	if (fd >= 0)
		close(fd);
	if (is_alive)
		return error_set(
		    err, -EADDRINUSE, "%s: somebody listens there already", address->sun_path);
	if (lstat(address->sun_path, &st) == 0 && S_ISSOCK(st.st_mode) &&
	    unlink(address->sun_path) < 0)
		return error_set(err, -errno, "%s: cannot replace the stale socket: %s",
		    address->sun_path, strerror(errno));
	return 0;
}

static int
start_listening(struct http *http, const char *where, struct error *err)
{
	bool is_unix = strncmp(where, "unix:", 5) == 0;
	union address address = { 0 };
	int size, rc;

	if (is_unix)
		rc = read_unix_path(where + 5, &address, &size, err);
	else
		rc = read_address(where, &address, &size, err);
	if (rc == 0 && is_unix)
		rc = replace_stale_socket(&address.local, err);
	if (rc < 0)
		return rc;
	http->listener = evconnlistener_new_bind(http->base, on_connect, http,
	    LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | (is_unix ? 0 : LEV_OPT_REUSEABLE), -1,
	    &address.any, size);
	if (!http->listener)
		return error_set(err, -errno, "%s: cannot listen: %s", where, strerror(errno));
	evconnlistener_set_error_cb(http->listener, on_accept_failed);
	if (is_unix) {
		http->unix_path = xstrdup(where + 5);
		if (chmod(http->unix_path, 0660) < 0)
			return error_set(err, -errno, "%s: %s", where, strerror(errno));
	}
	return 0;
}

int
http_new(struct event_base *base, const char *where, http_answer_fn *answer, void *arg,
    struct http **ret_http, struct error *err)
{
	struct http *http = xcalloc(1, sizeof(*http));
	int rc;

	http->base = base;
	http->answer = answer;
	http->arg = arg;
	http->pause = evtimer_new(base, on_pause_over, http);
	rc = start_listening(http, where, err);
	if (rc < 0) {
		http_free(http);
		return rc;
	}
	log_info("http", "listens on %s", where);
	*ret_http = http;
	return 0;
}

void
http_free(struct http *http)
{
	if (!http)
		return;
	while (!LIST_EMPTY(&http->connections))
		end(LIST_FIRST(&http->connections));
	if (http->listener)
		evconnlistener_free(http->listener);
	if (http->unix_path)
		unlink(http->unix_path);
	event_free(http->pause);
	free(http->unix_path);
	free(http);
}
