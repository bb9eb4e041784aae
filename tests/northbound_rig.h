/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NETCONF server on a real socket, with an agent of plain values behind it.
 *
 * Server and clients live in one process: the loop is turned by hand and the clients' sockets never
 * block, so each test waits for what it wants and for nothing else.
 */
#ifndef AUTOFBF_TESTS_NORTHBOUND_RIG_H
#define AUTOFBF_TESTS_NORTHBOUND_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <event2/buffer.h>
#include <event2/event.h>
#include <libyang/libyang.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_agent.h"
#include "framing.h"
#include "log.h"
#include "mtime.h"
#include "northbound.h"
#include "northbound_rpc.h"
#include "northbound_state.h"

#define BASE "urn:ietf:params:xml:ns:netconf:base:1.0"
#define OURS "xmlns=\"urn:autofbf:yang:autofbf\""
#define HELLO(version) \
	"<hello xmlns=\"" BASE \
	"\"><capabilities><capability>urn:ietf:params:netconf:base:" version \
	"</capability></capabilities></hello>]]>]]>"
#define RPC(operation) "<rpc xmlns=\"" BASE "\" message-id=\"7\">" operation "</rpc>"

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

enum { PATIENCE_MS = 20000 }; /* a test that has to wait so long has failed */

struct fixture {
	struct fake_agent agent;
	struct event_base *base;
	struct northbound *northbound;
	struct ly_ctx *ctx;
	char directory[32], path[64];
	unsigned warnings;
};

static inline void
count_warnings(void *arg, enum log_level level, const char *tag, const char *line)
{
	struct fixture *fixture = arg;

	if (level <= LOG_LEVEL_WARN) {
		print_error("log: %s\n", line);
		fixture->warnings++;
	}
}

static inline void
start(struct fixture *fixture)
{
	struct northbound_operations operations = fake_operations(&fixture->agent);
	struct error err;

	if (northbound_new(
	        fixture->base, fixture->path, "yang", &operations, &fixture->northbound, &err) < 0)
		fail_msg("%s", err.text);
}

static inline int
set_up_with(void **state, const char *profile)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));
	struct error err;

	signal(SIGPIPE, SIG_IGN);
	strcpy(fixture->directory, "/tmp/autofbf-test-XXXXXX");
	if (!mkdtemp(fixture->directory))
		return -1;
	snprintf(fixture->path, sizeof(fixture->path), "%s/s", fixture->directory);
	if (!fake_init(&fixture->agent, profile, "yang", &err) ||
	    profile_yang_context("yang", &fixture->ctx, &err) < 0) {
		print_error("%s\n", err.text);
		return -1;
	}
	fixture->base = event_base_new();
	log_init(LOG_LEVEL_DEBUG, count_warnings, fixture);
	start(fixture);
	*state = fixture;
	return 0;
}

static inline int
set_up(void **state)
{
	return set_up_with(state, "profiles/four-dual-stack.json");
}

static inline int
tear_down(void **state)
{
	struct fixture *fixture = *state;
	struct stat st;
	unsigned warnings = fixture->warnings;

	northbound_free(fixture->northbound);
	if (stat(fixture->path, &st) == 0)
		warnings++; /* the socket's file must be gone */
	rmdir(fixture->directory);
	event_base_free(fixture->base);
	ly_ctx_destroy(fixture->ctx);
	fake_done(&fixture->agent);
	log_init(LOG_LEVEL_INFO, NULL, NULL);
	free(fixture);
	return warnings ? -1 : 0;
}

/* ---- clients -------------------------------------------------------------------------------- */

struct client {
	struct fixture *fixture;
	int fd;
	struct framing *framing;
	enum framing_version version;
	bool gone;   /* the server closed */
	bool deaf;   /* does not read */
	size_t read; /* bytes */
	size_t most; /* to read at a time; 0: all there is */
};

static inline void
pull(struct client *client)
{
	static char bytes[65536];
	ssize_t size = 1;

	if (client->deaf || client->gone)
		return;
	while (size > 0) {
		size = recv(
		    client->fd, bytes, client->most ? client->most : sizeof(bytes), MSG_DONTWAIT);
		if (size > 0) {
			framing_feed(client->framing, bytes, (size_t)size);
			client->read += (size_t)size;
		}
		if (client->most)
			break;
	}
	client->gone = size == 0 || (size < 0 && errno != EAGAIN);
}

static inline struct mtime
get_deadline(void)
{
	return mtime_add_ms(mtime_now(), PATIENCE_MS);
}

/* One turn of the server's loop; the client may wait a moment for its socket. */
static inline void
turn(struct client *client)
{
	struct pollfd poll_fd = { .fd = client->fd, .events = client->deaf ? 0 : POLLIN };

	event_base_loop(client->fixture->base, EVLOOP_NONBLOCK);
	poll(&poll_fd, 1, 1);
	pull(client);
}

/* The next message; NULL: the server closed first. */
static inline const char *
next_message(struct client *client)
{
	struct mtime deadline = get_deadline();
	const char *message;
	size_t size;
	int rc;

	while ((rc = framing_next(client->framing, &message, &size)) == 0) {
		if (client->gone)
			return NULL;
		if (mtime_reached(mtime_now(), deadline))
			fail_msg("no message");
		turn(client);
	}
	assert_int_equal(rc, 1);
	return message;
}

static inline void
wait_gone(struct client *client)
{
	struct mtime deadline = get_deadline();

	while (!client->gone) {
		if (mtime_reached(mtime_now(), deadline))
			fail_msg("the server did not close");
		turn(client);
	}
}

static inline void
send_bytes(struct client *client, const char *bytes, size_t size)
{
	struct mtime deadline = get_deadline();

	while (size > 0 && !client->gone) {
		ssize_t sent = send(client->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent > 0) {
			bytes += sent;
			size -= (size_t)sent;
		} else if (errno != EAGAIN || mtime_reached(mtime_now(), deadline)) {
			return;
		}
		turn(client);
	}
}

static inline void
send_text(struct client *client, const char *text)
{
	send_bytes(client, text, strlen(text));
}

static inline void
send_message(struct client *client, const char *text)
{
	char head[FRAMING_HEAD_SIZE];

	send_bytes(client, head, framing_head(client->version, strlen(text), head));
	send_text(client, text);
	send_text(client, framing_tail(client->version));
}

static inline void
open_client(struct fixture *fixture, struct client *client)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	*client = (struct client){ .fixture = fixture };
	client->framing = framing_new(SIZE_MAX / 4);
	client->fd = socket(AF_UNIX, SOCK_STREAM, 0);
	strcpy(address.sun_path, fixture->path);
	assert_int_equal(connect(client->fd, (struct sockaddr *)&address, sizeof(address)), 0);
}

/* Connected, hellos exchanged. version "1.0" or "1.1". */
static inline void
open_session(struct fixture *fixture, struct client *client, const char *version)
{
	open_client(fixture, client);
	assert_non_null(strstr(next_message(client), "<session-id>"));
	send_text(client, strcmp(version, "1.0") ? HELLO("1.1") : HELLO("1.0"));
	if (strcmp(version, "1.0") != 0) {
		client->version = FRAMING_CHUNKED;
		framing_set_version(client->framing, FRAMING_CHUNKED);
	}
}

static inline void
close_client(struct client *client)
{
	close(client->fd);
	framing_free(client->framing);
}

static inline const char *
request(struct client *client, const char *text)
{
	const char *answer;

	send_message(client, text);
	answer = next_message(client);
	if (!answer)
		fail_msg("closed instead of an answer");
	return answer;
}

/* A good client is served, whatever the others do. */
static inline void
check_good(struct client *client)
{
	assert_non_null(strstr(request(client, RPC("<get/>")), "<hostname>mx304-north"));
}

static inline size_t
count_text(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		count++;
	return count;
}

#endif
