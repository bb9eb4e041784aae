/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Syslog by datagram and by stream. A stream frames its messages by a count in front or by a line
 * feed behind (RFC 6587 3.4), and each frame may choose: a digit begins a count, anything else a
 * line. What is longer than a line may be is read up to that length, counted as an error, and the
 * rest of it is dropped, so that a long message costs itself and not its successors.
 *
 * A burst of datagrams is taken in portions, so that a flood cannot keep the loop from its other
 * work; what the kernel's buffer cannot hold meanwhile is lost, as UDP is, and the poll finds it.
 * When a listener ends for another one, what the buffer holds is taken at once, in one portion.
 */
#include "sources_syslog.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <event2/buffer.h>
#include <event2/event.h>

#include "syslogmsg.h"

enum {
	MAX_COUNT_DIGITS = 7,
	MAX_COUNTED = 1 << 20,
	DATAGRAMS_PER_TURN = 64,
	DATAGRAMS_AT_END = 4096
};

static void
take_line(struct source *source, const char *line, size_t size, struct mtime now)
{
	struct event event;

	source->counters.connected = true;
	syslogmsg_decode(line, size, &event);
	source_deliver(source, &event, now);
}

/* ---- streams ----------------------------------------------------------------------------- */

/* What stands at the start of data: a message, and how many bytes it takes with its framing. */
struct frame {
	const char *message; /* NULL: only bytes to pass over */
	size_t size, taken;
	size_t skip_bytes; /* to drop behind it, of a counted message that is too long */
	bool skip_line;    /* the same for a line */
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 1: a frame; 0: more bytes are needed; -EPROTO. */
static int
find_line(const char *data, size_t size, struct frame *ret_frame)
{
	const char *end = memchr(data, '\n', size < SYSLOG_MAX_LINE ? size : SYSLOG_MAX_LINE);

	if (end) {
		size_t n = (size_t)(end - data);

		*ret_frame =
		    (struct frame){ .message = n > 0 ? data : NULL, .size = n, .taken = n + 1 };
		return 1;
	}
	if (size < SYSLOG_MAX_LINE)
		return 0;
	*ret_frame = (struct frame){ data, SYSLOG_MAX_LINE, SYSLOG_MAX_LINE, 0, true };
	return 1;
}

static int
find_frame(const char *data, size_t size, struct frame *ret_frame)
{
	size_t digits = 0, count = 0, part;

	while (digits < size && digits <= MAX_COUNT_DIGITS && is_digit(data[digits]))
		count = count * 10 + (size_t)(data[digits++] - '0');
	if (digits == size && digits <= MAX_COUNT_DIGITS)
		return 0;
	if (digits == 0 || data[0] == '0' || data[digits] != ' ')
		return find_line(data, size, ret_frame);
	if (count > MAX_COUNTED)
		return -EPROTO;
	part = count < SYSLOG_MAX_LINE ? count : SYSLOG_MAX_LINE;
	if (size < digits + 1 + part)
		return 0;
	*ret_frame =
	    (struct frame){ data + digits + 1, part, digits + 1 + part, count - part, false };
	return 1;
}

/* Drops what is left of a message that was too long; how many bytes of data that took. */
static size_t
skip_rest(struct tcp_session *session, const char *data, size_t size)
{
	const char *end;
	size_t n = size;

	if (session->skip_line) {
		end = memchr(data, '\n', size);
		session->skip_line = !end;
		return end ? (size_t)(end - data) + 1 : size;
	}
	if (n > session->skip_bytes)
		n = session->skip_bytes;
	session->skip_bytes -= n;
	return n;
}

static void
take_frame(struct tcp_session *session, const struct frame *frame, struct mtime now)
{
	struct source *source = session->server->source;

	session->skip_bytes = frame->skip_bytes;
	session->skip_line = frame->skip_line;
	if (frame->skip_bytes > 0 || frame->skip_line) {
		source->counters.errors++;
		complain(&source->garbage, now, event_source_names[source->which],
		    "%s: a message is longer than %d bytes", session->from, SYSLOG_MAX_LINE);
	}
	if (frame->message) {
		session->stands = true;
		take_line(source, frame->message, frame->size, now);
	}
}

static int
read_stream(struct tcp_session *session, struct evbuffer *input, struct mtime now)
{
	const char *data = (const char *)evbuffer_pullup(input, -1);
	size_t size = evbuffer_get_length(input), at = 0;
	struct frame frame;
	int rc = 1;

	while (at < size && rc == 1) {
		if (session->skip_bytes > 0 || session->skip_line) {
			at += skip_rest(session, data + at, size - at);
			continue;
		}
		rc = find_frame(data + at, size - at, &frame);
		if (rc == 1) {
			take_frame(session, &frame, now);
			at += frame.taken;
		}
	}
	evbuffer_drain(input, at);
	return rc < 0 ? rc : 0;
}

/* Syslog says what happened and not how things stand: its silence changes nothing. */
static void
end_stream(struct tcp_server *server, struct mtime now)
{
}

const struct tcp_handler source_syslog_handler = {
	.read = read_stream,
	.ended = end_stream,
	.max_buffer = SYSLOG_MAX_LINE + MAX_COUNT_DIGITS + 1,
};

/* ---- datagrams --------------------------------------------------------------------------- */

/* At most so many that are there. */
static void
take_datagrams(struct datagram_server *server, int most)
{
	struct mtime now = mtime_now();

	for (int i = 0; i < most; i++) {
		struct sockaddr_storage address;
		socklen_t address_size = sizeof(address);
		char line[SYSLOG_MAX_LINE], from[IP_TEXT_SIZE];
		ssize_t n = recvfrom(
		    server->fd, line, sizeof(line), 0, (struct sockaddr *)&address, &address_size);

		if (n < 0)
			return; /* none left, or an ICMP error of an earlier one */
		if (source_accepts(server->source, (struct sockaddr *)&address, now, from))
			take_line(server->source, line, (size_t)n, now);
	}
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	take_datagrams(arg, DATAGRAMS_PER_TURN);
}

void
datagram_server_empty(struct datagram_server *server, struct source *source)
{
	server->source = source;
	take_datagrams(server, DATAGRAMS_AT_END);
}

int
datagram_server_start(struct datagram_server *server, struct event_base *base,
    struct source *source, struct error *err)
{
	int fd = source_bind(source, SOCK_DGRAM, err);

	if (fd < 0)
		return fd;
	server->source = source;
	server->fd = fd;
	server->readable = event_new(base, fd, EV_READ | EV_PERSIST, on_readable, server);
	if (!server->readable || event_add(server->readable, NULL) < 0)
		fatal("out of memory");
	return 0;
}

void
datagram_server_stop(struct datagram_server *server)
{
	if (!server->readable)
		return;
	event_free(server->readable);
	close(server->fd);
	*server = (struct datagram_server){ .fd = -1 };
}
