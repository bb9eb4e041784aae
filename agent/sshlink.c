/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libssh without blocking. One state machine, step(), is called whenever the socket has something
 * to say; each step asks libssh to go on and returns to the loop on "again". libssh's own timeouts
 * do nothing in this mode, so one timer of ours runs in every state. Getting as far as the hello is
 * sshlink_login.c; here are messages, the end of a link, and the loop.
 *
 * Promises: no call blocks (addresses are literals, the socket is ours and non-blocking); a message
 * is on its way when sshlink_send returns; callbacks come from the loop only; a peer that sends
 * garbage, too much, or half a message and falls silent costs its link and nothing else.
 *
 * Traps that shaped it: libssh may have read ahead, so that bytes wait in the channel while the
 * socket is quiet (see sshlink_send); SSH_WRITE_PENDING alone says whether to wait for POLLOUT.
 */
#include "sshlink_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

enum { READ_SIZE = 16 * 1024, READS_PER_TURN = 16, WRITE_SIZE = 256 * 1024 };
enum { KEEP_BYTES = 64 * 1024 };

static const struct {
	const char *name;
	bool restarts_timer; /* states without it share the timer of the one before */
} link_states[] = {
	[LINK_TCP] = { "TCP connect", true },
	[LINK_KEY_EXCHANGE] = { "SSH key exchange", true },
	[LINK_ASK_METHODS] = { "authentication", true },
	[LINK_AUTHENTICATE] = { "public key authentication", false },
	[LINK_CHANNEL] = { "SSH channel", true },
	[LINK_SUBSYSTEM] = { "subsystem netconf", false },
	[LINK_HELLO] = { "hello", false },
	[LINK_UP] = { "session", false },
	[LINK_FAILED] = { "failed", false },
	[LINK_DOWN] = { "down", false },
};

/* ---- ends ---------------------------------------------------------------------------------- */

static void
free_event(struct event **event)
{
	if (*event)
		event_free(*event);
	*event = NULL;
}

/* The socket, and everything of libssh. It closes a descriptor that it was given only when the
 * connect fails: it tells by forgetting it. */
static void
close_session(struct sshlink *link)
{
	free_event(&link->readable);
	free_event(&link->writable);
	event_del(link->timer);
	if (link->session) {
		if (link->state > LINK_TCP && ssh_get_fd(link->session) != link->fd)
			link->fd = -1;
		if (link->state > LINK_TCP && ssh_is_connected(link->session))
			ssh_disconnect(link->session);
		ssh_free(link->session);
	}
	ssh_key_free(link->key);
	if (link->fd >= 0)
		close(link->fd);
	link->session = NULL;
	link->channel = NULL;
	link->key = NULL;
	link->fd = -1;
}

/* Milliseconds from now on; 0: no limit. */
static void
set_timer(struct sshlink *link, uint32_t ms)
{
	struct timeval limit = { ms / 1000, (ms % 1000) * 1000 };

	if (ms > 0)
		event_add(link->timer, &limit);
	else
		event_del(link->timer);
}

/* Another turn, after everybody else's. (An event that is made active would jump the queue.) */
static void
call_later(struct sshlink *link)
{
	const struct timeval at_once = { 0, 0 };

	event_add(link->later, &at_once);
}

enum progress
sshlink_set_state(struct sshlink *link, enum link_state state)
{
	log_debug("ssh", "%s: %s -> %s", link->place, link_states[link->state].name,
	    link_states[state].name);
	link->state = state;
	if (link_states[state].restarts_timer)
		set_timer(link, link->config.step_timeout_ms);
	return GO_ON;
}

enum progress
sshlink_fail(struct sshlink *link, const char *fmt, ...)
{
	char what[400];
	va_list args;

	if (link->state >= LINK_FAILED)
		return AGAIN;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	error_set(&link->error, 0, "%s: %s", link->place, what);
	close_session(link);
	link->state = LINK_FAILED;
	call_later(link);
	return AGAIN;
}

static void
keep_early(struct sshlink *link, const char *bytes, size_t size)
{
	size_t room = sizeof(link->early) - link->early_size;

	if (size > room)
		size = room;
	memcpy(link->early + link->early_size, bytes, size);
	link->early_size += size;
}

/* Our hello may fail to leave while the peer's last words are still unread. */
static void
read_last_words(struct sshlink *link)
{
	char bytes[SSHLINK_EARLY_SIZE];
	int n = ssh_channel_read_nonblocking(link->channel, bytes, sizeof(bytes), 0);

	if (n > 0)
		keep_early(link, bytes, (size_t)n);
}

/* What the peer said is the better reason; libssh's words are the second best. */
enum progress
sshlink_fail_ssh(struct sshlink *link, const char *otherwise)
{
	const char *words = ssh_get_error(link->session);
	struct hello hello = { 0 };

	if (link->state == LINK_HELLO) {
		read_last_words(link);
		if (hello_read(link->early, link->early_size, &hello, NULL) >= 0 && hello.notice[0])
			words = hello.notice;
	}
	return sshlink_fail(link, "%s failed: %s", link_states[link->state].name,
	    words && *words ? words : otherwise);
}

/* ---- bytes and messages -------------------------------------------------------------------- */

static void
put_bytes(struct sshlink *link, const char *bytes, size_t size)
{
	if (size == 0)
		return;
	if (link->out_size + size > link->out_capacity) {
		link->out_capacity = (link->out_size + size) * 2;
		link->out = xreallocarray(link->out, link->out_capacity, 1);
	}
	memcpy(link->out + link->out_size, bytes, size);
	link->out_size += size;
}

static void
reset_out(struct sshlink *link)
{
	link->out_size = link->out_done = 0;
	if (link->out_capacity <= KEEP_BYTES)
		return;
	free(link->out);
	link->out = NULL;
	link->out_capacity = 0;
}

/* As much as the window takes. False: the link failed. */
static bool
flush(struct sshlink *link)
{
	while (link->out_done < link->out_size) {
		size_t left = link->out_size - link->out_done;
		int n = ssh_channel_write(link->channel, link->out + link->out_done,
		    (uint32_t)(left < WRITE_SIZE ? left : WRITE_SIZE));

		if (n < 0) {
			sshlink_fail_ssh(link, "the connection was closed");
			return false;
		}
		if (n == 0)
			return true;
		link->out_done += (size_t)n;
	}
	reset_out(link);
	return true;
}

void
sshlink_put_message(struct sshlink *link, const char *message, size_t size)
{
	char head[FRAMING_HEAD_SIZE];
	const char *tail = framing_tail(link->version);

	put_bytes(link, head, framing_head(link->version, size, head));
	put_bytes(link, message, size);
	put_bytes(link, tail, strlen(tail));
	(void)flush(link); /* a failure is told by on_down */
}

static void
take_hello(struct sshlink *link, const char *message, size_t size)
{
	struct hello hello, ours;
	struct error err;
	int rc = hello_read(message, size, &hello, &err);

	if (rc < 0) {
		sshlink_fail(link, "%s", err.text);
		return;
	}
	if (hello.notice[0])
		snprintf(link->notice, sizeof(link->notice), "%s", hello.notice);
	if (rc == 0)
		return;
	if (hello_read(link->config.hello, strlen(link->config.hello), &ours, NULL) == 1 &&
	    ours.base_1_1 && hello.base_1_1)
		link->version = FRAMING_CHUNKED;
	framing_set_version(link->framing, link->version);
	sshlink_set_state(link, LINK_UP);
	link->callbacks.on_up(link->callbacks.arg, link->notice);
}

static bool
is_talking(const struct sshlink *link)
{
	return !link->doomed && (link->state == LINK_HELLO || link->state == LINK_UP);
}

static void
deliver(struct sshlink *link)
{
	const char *message;
	size_t size;
	int rc = 0;

	while (is_talking(link) && (rc = framing_next(link->framing, &message, &size)) == 1) {
		if (link->state == LINK_HELLO)
			take_hello(link, message, size);
		else
			link->callbacks.on_message(link->callbacks.arg, message, size);
	}
	if (rc == -EMSGSIZE)
		sshlink_fail(
		    link, "the peer sent a message over %zu bytes", link->config.max_message);
	else if (rc < 0)
		sshlink_fail(
		    link, "the peer sent bytes that are no NETCONF frame (RFC 6242 section 4.2)");
}

static void
take_bytes(struct sshlink *link, const char *bytes, size_t size)
{
	if (link->state == LINK_HELLO)
		keep_early(link, bytes, size);
	framing_feed(link->framing, bytes, size);
	deliver(link);
}

/* A peer may complain on the error stream; left unread, that would fill its window. */
static void
drop_complaints(struct sshlink *link)
{
	char bytes[512];
	int n = ssh_channel_read_nonblocking(link->channel, bytes, sizeof(bytes), 1);

	if (n > 0)
		log_debug("ssh", "%s: the peer's error stream: %.*s", link->place, n, bytes);
}

static enum progress
read_bytes(struct sshlink *link)
{
	char bytes[READ_SIZE];
	int n = 0, turns;

	for (turns = 0; is_talking(link) && turns < READS_PER_TURN; turns++) {
		n = ssh_channel_read_nonblocking(link->channel, bytes, sizeof(bytes), 0);
		if (n == SSH_EOF || (n == 0 && ssh_channel_is_eof(link->channel)))
			return sshlink_fail_ssh(link, "the peer closed the session");
		if (n < 0)
			return sshlink_fail_ssh(link, "the connection was closed");
		if (n == 0)
			break;
		take_bytes(link, bytes, (size_t)n);
	}
	if (!is_talking(link))
		return AGAIN;
	if (turns == READS_PER_TURN)
		call_later(link); /* the others' turn first */
	drop_complaints(link);
	if (link->state == LINK_UP && (turns > 0 || !framing_is_partial(link->framing)))
		set_timer(
		    link, framing_is_partial(link->framing) ? link->config.silence_timeout_ms : 0);
	(void)flush(link); /* the peer may have widened its window */
	if (is_talking(link) && ssh_channel_poll(link->channel, 0) != 0)
		call_later(link); /* both calls may have read ahead */
	return AGAIN;
}

/* ---- the machine --------------------------------------------------------------------------- */

static enum progress
step(struct sshlink *link)
{
	switch (link->state) {
	case LINK_TCP:
	case LINK_KEY_EXCHANGE:
	case LINK_ASK_METHODS:
	case LINK_AUTHENTICATE:
	case LINK_CHANNEL:
	case LINK_SUBSYSTEM:
		return sshlink_login_step(link);
	case LINK_HELLO:
	case LINK_UP:
		return read_bytes(link);
	case LINK_FAILED:
	case LINK_DOWN:
		break;
	}
	return AGAIN;
}

static void
watch(struct sshlink *link)
{
	if (!link->session)
		return;
	if (ssh_get_poll_flags(link->session) & SSH_WRITE_PENDING)
		event_add(link->writable, NULL);
	else
		event_del(link->writable);
}

static void
destroy(struct sshlink *link)
{
	close_session(link);
	free_event(&link->timer);
	free_event(&link->later);
	framing_free(link->framing);
	free(link->out);
	free(link);
}

/* One turn of the loop for this link. Callbacks run in here and may free it. */
static void
turn(struct sshlink *link)
{
	link->depth++;
	while (step(link) == GO_ON)
		;
	if (link->state == LINK_FAILED && !link->doomed) {
		link->state = LINK_DOWN;
		link->callbacks.on_down(link->callbacks.arg, link->error.text);
	}
	link->depth--;
	if (link->doomed)
		destroy(link);
	else
		watch(link);
}

void
sshlink_on_io(evutil_socket_t fd, short what, void *arg)
{
	turn(arg);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct sshlink *link = arg;

	if (link->state == LINK_UP)
		sshlink_fail(link, "half a message, then silence for %u ms",
		    link->config.silence_timeout_ms);
	else
		sshlink_fail(link, "%s: no answer in %u ms", link_states[link->state].name,
		    link->config.step_timeout_ms);
	turn(link);
}

/* ---- what the header promises -------------------------------------------------------------- */

void
sshlink_set_config(struct sshlink *link, const struct sshlink_config *config)
{
	size_t max_message = link->config.max_message; /* of the framing that runs */

	link->config = *config;
	link->config.max_message = max_message;
}

struct sshlink *
sshlink_new(struct event_base *base, const struct sshlink_config *config,
    const struct sshlink_callbacks *callbacks)
{
	struct sshlink *link = xcalloc(1, sizeof(*link));
	char address[IP_TEXT_SIZE];

	link->config = *config;
	link->callbacks = *callbacks;
	link->base = base;
	link->fd = -1;
	snprintf(link->place, sizeof(link->place), "%s port %u",
	    ip_format(&config->address, address), config->port);
	link->framing = framing_new(config->max_message);
	link->timer = evtimer_new(base, on_timer, link);
	link->later = evtimer_new(base, sshlink_on_io, link);
	sshlink_start_tcp(link);
	return link;
}

void
sshlink_free(struct sshlink *link)
{
	if (!link || link->doomed)
		return;
	link->doomed = true;
	if (link->depth == 0)
		destroy(link);
}

bool
sshlink_is_up(const struct sshlink *link)
{
	return link->state == LINK_UP;
}

void
sshlink_send(struct sshlink *link, const char *message, size_t size)
{
	if (link->state != LINK_UP || link->doomed)
		return;
	sshlink_put_message(link, message, size);
	if (link->state != LINK_UP)
		return;
	if (ssh_channel_poll(link->channel, 0) != 0)
		call_later(link); /* libssh read ahead */
	watch(link);
}
