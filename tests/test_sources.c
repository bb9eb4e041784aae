/* SPDX-License-Identifier: BSD-3-Clause */
/* The listeners on real sockets of the loopback: sessions, framings, strangers, garbage, floods. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <event2/event.h>

#include "log.h"
#include "sources.h"
#include "syslogmsg.h"

enum { MAX_EVENTS = 256, DEADLINE_S = 10 };

#define DOWN_LINE \
	"<28>Nov 30 03:07:42 edge-1 rpd[1]: RPD_BGP_NEIGHBOR_STATE_CHANGED: BGP peer 192.0.2.1 " \
	"(External " \
	"AS 65001) changed state from Established to Idle (event HoldTime)"
#define UP_LINE \
	"<28>Nov 30 03:07:42 edge-1 rpd[1]: RPD_BGP_NEIGHBOR_STATE_CHANGED: BGP peer 192.0.2.2 " \
	"(External " \
	"AS 65001) changed state from OpenConfirm to Established (event RecvKeepAlive)"

struct fixture {
	struct event_base *base;
	struct event *tick; /* libevent's */
	struct profile profile;
	struct prefix allowed;
	struct sources *sources;
	struct event events[MAX_EVENTS];
	size_t count;
	size_t lines; /* warnings in the log */
};

/* ---- surroundings ------------------------------------------------------------------------ */

static void
on_event(void *arg, const struct event *event)
{
	struct fixture *f = arg;

	assert_true(f->count < MAX_EVENTS);
	f->events[f->count++] = *event;
}

static void
on_line(void *arg, enum log_level level, const char *tag, const char *line)
{
	struct fixture *f = arg;

	f->lines += level <= LOG_LEVEL_WARN;
}

static void
on_tick(evutil_socket_t fd, short what, void *arg)
{
}

/* A port that is free for TCP and UDP just now. */
static uint16_t
find_port(void)
{
	for (;;) {
		struct sockaddr_in sin = { .sin_family = AF_INET,
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		socklen_t size = sizeof(sin);
		int tcp = socket(AF_INET, SOCK_STREAM, 0), udp = socket(AF_INET, SOCK_DGRAM, 0), rc;

		assert_int_equal(bind(tcp, (struct sockaddr *)&sin, size), 0);
		assert_int_equal(getsockname(tcp, (struct sockaddr *)&sin, &size), 0);
		rc = bind(udp, (struct sockaddr *)&sin, size);
		close(tcp);
		close(udp);
		if (rc == 0)
			return ntohs(sin.sin_port);
	}
}

static int
setup(void **state)
{
	static const struct timeval interval = { .tv_usec = 5000 };
	struct fixture *f = calloc(1, sizeof(*f));

	f->base = event_base_new();
	f->tick = event_new(f->base, -1, EV_PERSIST, on_tick, f);
	event_add(f->tick, &interval);
	assert_int_equal(ip_parse("127.0.0.1", &f->profile.bmp.address), 0);
	f->profile.bmp.enabled = true;
	f->profile.syslog = f->profile.bmp;
	f->profile.bmp.port = find_port();
	do
		f->profile.syslog.port = find_port();
	while (f->profile.syslog.port == f->profile.bmp.port);
	log_init(LOG_LEVEL_DEBUG, on_line, f);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	sources_free(f->sources);
	event_free(f->tick);
	event_base_free(f->base);
	log_init(LOG_LEVEL_INFO, NULL, NULL);
	free(f);
	return 0;
}

static void
start(struct fixture *f)
{
	struct error err;

	assert_int_equal(
	    sources_new(f->base, &f->profile, NULL, on_event, f, &f->sources, &err), 0);
}

static void
allow(struct fixture *f, const char *text)
{
	assert_int_equal(prefix_parse(text, &f->allowed), 0);
	f->profile.bmp.allowed = f->profile.syslog.allowed = &f->allowed;
	f->profile.bmp.allowed_count = f->profile.syslog.allowed_count = 1;
}

static const struct source_counters *
bmp(const struct fixture *f)
{
	return sources_get_counters(f->sources, SOURCE_BMP);
}

static const struct source_counters *
syslog(const struct fixture *f)
{
	return sources_get_counters(f->sources, SOURCE_SYSLOG);
}

/* Runs the loop until the condition holds; gives up, and fails, at the deadline. */
#define WAIT_FOR(f, condition) \
	do { \
		struct mtime end_ = mtime_add_ms(mtime_now(), DEADLINE_S * 1000); \
		while (!(condition) && !mtime_reached(mtime_now(), end_)) \
			event_base_loop((f)->base, EVLOOP_ONCE); \
		assert_true(condition); \
	} while (0)

static int
open_socket(const char *from, uint16_t port, int type)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };
	int fd = socket(AF_INET, type, 0);

	assert_true(fd >= 0);
	assert_int_equal(inet_pton(AF_INET, from, &sin.sin_addr), 1);
	assert_int_equal(bind(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	sin.sin_port = htons(port);
	assert_int_equal(connect(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	return fd;
}

static void
say(int fd, const void *bytes, size_t size)
{
	assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), (ssize_t)size);
}

static void
say_text(int fd, const char *text)
{
	say(fd, text, strlen(text));
}

static bool
is_closed(int fd)
{
	char c;
	ssize_t n = recv(fd, &c, 1, MSG_DONTWAIT);

	return n == 0 || (n < 0 && errno != EAGAIN);
}

/* ---- BMP --------------------------------------------------------------------------------- */

enum { BMP_UP = 3, BMP_DOWN = 2, BMP_INITIATION = 4 };

/* A Peer Up or Peer Down of 192.0.2.N. */
static size_t
make_bmp(uint8_t type, uint8_t n, uint8_t buf[128])
{
	size_t size = type == BMP_UP ? 48 + 20 + 58 : type == BMP_DOWN ? 49 : 6;

	memset(buf, 0, 128);
	buf[0] = 3;
	buf[4] = (uint8_t)size;
	buf[5] = type;
	if (type != BMP_INITIATION) {
		memcpy(buf + 28, (const uint8_t[]){ 192, 0, 2, n }, 4);
		buf[48] = type == BMP_DOWN ? 4 : 0;
	}
	return size;
}

static void
say_bmp(int fd, uint8_t type, uint8_t n)
{
	uint8_t buf[128];
	size_t size = make_bmp(type, n, buf);

	say(fd, buf, size);
}

static void
assert_event(const struct event *event, enum event_kind kind, const char *peer)
{
	char text[IP_TEXT_SIZE];

	assert_int_equal(event->kind, kind);
	assert_true(event->at.us > 0 && event->at.us <= mtime_now().us);
	if (peer)
		assert_string_equal(ip_format(&event->peer, text), peer);
}

static void
test_bmp_session(void **state)
{
	struct fixture *f = *state;
	int fd;

	start(f);
	assert_true(mtime_is_never(bmp(f)->last));
	fd = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
	say_bmp(fd, BMP_INITIATION, 0);
	say_bmp(fd, BMP_UP, 1);
	say_bmp(fd, BMP_DOWN, 2);
	WAIT_FOR(f, f->count == 2);
	assert_event(&f->events[0], EVENT_BGP_UP, "192.0.2.1");
	assert_event(&f->events[1], EVENT_BGP_DOWN, "192.0.2.2");
	assert_int_equal(f->events[1].cause, CAUSE_CLOSED);
	assert_true(bmp(f)->connected);
	assert_int_equal(bmp(f)->messages, 3);
	assert_int_equal(bmp(f)->events, 2);
	assert_false(mtime_is_never(bmp(f)->last));
	close(fd);
	WAIT_FOR(f, f->count == 3);
	assert_event(&f->events[2], EVENT_SOURCE_LOST, NULL);
	assert_int_equal(f->events[2].source, SOURCE_BMP);
	assert_false(bmp(f)->connected);
	assert_int_equal(bmp(f)->errors, 0);
	assert_int_equal(f->lines, 0);
}

/* Bytes that arrive one at a time, and a message bigger than a read, make the same events. */
static void
test_bmp_pieces(void **state)
{
	struct fixture *f = *state;
	uint8_t up[128], big[100000] = { 3, 0, 1, 0x86, 0xa0, 0 };
	size_t size = make_bmp(BMP_UP, 1, up);
	int fd;

	start(f);
	fd = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
	for (size_t i = 0; i < size; i++) {
		say(fd, up + i, 1);
		event_base_loop(f->base, EVLOOP_ONCE);
	}
	WAIT_FOR(f, f->count == 1);
	for (size_t done = 0; done < sizeof(big); done += 10000) {
		say(fd, big + done, 10000);
		event_base_loop(f->base, EVLOOP_ONCE);
	}
	say_bmp(fd, BMP_DOWN, 1);
	WAIT_FOR(f, f->count == 2);
	assert_int_equal(bmp(f)->messages, 3);
	close(fd);
}

/* What was said holds as long as one session stands. */
static void
test_bmp_two_sessions(void **state)
{
	struct fixture *f = *state;
	int first, second, mute;

	start(f);
	first = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
	second = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
	mute = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
	say_bmp(first, BMP_UP, 1);
	say_bmp(second, BMP_UP, 1);
	WAIT_FOR(f, f->count == 2);
	close(first);
	say_bmp(second, BMP_UP, 2);
	WAIT_FOR(f, f->count == 3);
	assert_event(&f->events[2], EVENT_BGP_UP, "192.0.2.2");
	assert_true(bmp(f)->connected);
	close(second); /* mute has said nothing and does not count */
	WAIT_FOR(f, f->count == 4);
	assert_event(&f->events[3], EVENT_SOURCE_LOST, NULL);
	close(mute);
}

static void
test_bmp_mute_session(void **state)
{
	struct fixture *f = *state;
	int fd;

	start(f);
	fd = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
	say(fd, "\3\0", 2);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	WAIT_FOR(f, is_closed(fd));
	close(fd);
	fd = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
	say_bmp(fd, BMP_UP, 1);
	WAIT_FOR(f, f->count == 1);
	assert_event(&f->events[0], EVENT_BGP_UP, "192.0.2.1");
	close(fd);
}

/* Garbage ends its session and no other; many times is one line in the log. */
static void
test_bmp_garbage(void **state)
{
	struct fixture *f = *state;
	int good;

	start(f);
	good = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
	say_bmp(good, BMP_UP, 1);
	WAIT_FOR(f, f->count == 1);
	for (unsigned i = 1; i <= 20; i++) {
		int bad = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);

		say_text(bad, "GET / HTTP/1.0\r\n\r\n");
		WAIT_FOR(f, bmp(f)->errors == i);
		WAIT_FOR(f, is_closed(bad));
		close(bad);
	}
	assert_int_equal(f->lines, 1);
	assert_false(is_closed(good));
	say_text(good, "not BMP any more");
	WAIT_FOR(f, f->count == 2);
	assert_event(&f->events[1], EVENT_SOURCE_LOST, NULL);
	assert_int_equal(bmp(f)->errors, 21);
	close(good);
	good = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
	say_bmp(good, BMP_UP, 1);
	WAIT_FOR(f, f->count == 3);
	close(good);
}

/* ---- who may speak ----------------------------------------------------------------------- */

static void
test_strangers(void **state)
{
	struct fixture *f = *state;
	int fd;

	allow(f, "127.0.0.2/32");
	start(f);
	for (unsigned i = 1; i <= 5; i++) {
		fd = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
		WAIT_FOR(f, bmp(f)->foreign == i);
		WAIT_FOR(f, is_closed(fd));
		close(fd);
		fd = open_socket("127.0.0.1", f->profile.syslog.port, SOCK_DGRAM);
		say_text(fd, DOWN_LINE);
		WAIT_FOR(f, syslog(f)->foreign == 2 * i - 1);
		close(fd);
		fd = open_socket("127.0.0.1", f->profile.syslog.port, SOCK_STREAM);
		WAIT_FOR(f, syslog(f)->foreign == 2 * i);
		close(fd);
	}
	assert_int_equal(f->count, 0);
	assert_int_equal(syslog(f)->messages, 0);
	assert_int_equal(f->lines, 2); /* one for each source */
	fd = open_socket("127.0.0.2", f->profile.syslog.port, SOCK_DGRAM);
	say_text(fd, DOWN_LINE);
	WAIT_FOR(f, f->count == 1);
	close(fd);
	fd = open_socket("127.0.0.2", f->profile.bmp.port, SOCK_STREAM);
	say_bmp(fd, BMP_UP, 1);
	WAIT_FOR(f, f->count == 2);
	close(fd);
}

static void
test_crowd(void **state)
{
	struct fixture *f = *state;
	int fds[17];

	start(f);
	for (size_t i = 0; i < 17; i++)
		fds[i] = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
	WAIT_FOR(f, bmp(f)->errors == 1);
	WAIT_FOR(f, is_closed(fds[16]));
	say_bmp(fds[0], BMP_UP, 1);
	WAIT_FOR(f, f->count == 1);
	close(fds[0]);
	WAIT_FOR(f, f->count == 2); /* lost; and there is room again */
	close(fds[16]);
	fds[0] = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
	say_bmp(fds[0], BMP_UP, 2);
	WAIT_FOR(f, f->count == 3);
	for (size_t i = 0; i < 16; i++)
		close(fds[i]);
}

/* Without a descriptor to accept with, accepting pauses instead of spinning, and goes on. */
static void
test_no_descriptors(void **state)
{
	struct fixture *f = *state;
	struct rlimit old, tight;
	int fd, turns = 0;

	start(f);
	fd = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
	say_bmp(fd, BMP_UP, 1);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	tight = (struct rlimit){ .rlim_cur = (rlim_t)fd, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
	WAIT_FOR(f, bmp(f)->errors > 0 && ++turns > 50);
	assert_true(bmp(f)->errors < 5);
	assert_int_equal(f->lines, 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	WAIT_FOR(f, f->count == 1);
	close(fd);
}

static void
test_port_is_taken(void **state)
{
	struct fixture *f = *state;
	struct error err = { "" };
	char port[16];
	struct sources *other = NULL;

	start(f);
	assert_int_equal(
	    sources_new(f->base, &f->profile, NULL, on_event, f, &other, &err), -EADDRINUSE);
	assert_null(other);
	snprintf(port, sizeof(port), "%u", f->profile.bmp.port);
	assert_non_null(strstr(err.text, port));
	assert_non_null(strstr(err.text, "/bmp/port"));
}

/* The listeners of another profile take the place of those that run. */
static int
change(struct fixture *f, const struct profile *next, struct error *err)
{
	struct sources *old = f->sources, *new = NULL;
	int rc = sources_new(f->base, next, old, on_event, f, &new, err);

	if (rc < 0)
		return rc;
	f->sources = new;
	sources_inherit(new, old);
	sources_free(old);
	return 0;
}

static void
test_other_profile_same_ports(void **state)
{
	struct fixture *f = *state;
	struct profile next = f->profile;
	struct prefix elsewhere;
	struct error err;
	int fd, line;

	start(f);
	fd = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
	line = open_socket("127.0.0.1", f->profile.syslog.port, SOCK_DGRAM);
	say_bmp(fd, BMP_UP, 1);
	WAIT_FOR(f, f->count == 1);
	assert_int_equal(change(f, &next, &err), 0);
	assert_true(bmp(f)->connected);
	say_bmp(fd, BMP_UP, 2);
	WAIT_FOR(f, f->count == 2);
	assert_int_equal(bmp(f)->messages, 2);
	say_text(line, DOWN_LINE);
	WAIT_FOR(f, f->count == 3);
	assert_int_equal(prefix_parse("127.0.0.9/32", &elsewhere), 0);
	next.bmp.allowed = &elsewhere;
	next.bmp.allowed_count = 1;
	assert_int_equal(change(f, &next, &err), 0);
	WAIT_FOR(f, f->count == 4);
	assert_event(&f->events[3], EVENT_SOURCE_LOST, NULL);
	WAIT_FOR(f, is_closed(fd));
	close(fd);
	close(line);
}

static void
test_other_profile_other_port(void **state)
{
	struct fixture *f = *state;
	struct profile next = f->profile, taken = f->profile, none;
	struct error err;
	int fd;

	start(f);
	fd = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
	say_bmp(fd, BMP_UP, 1);
	WAIT_FOR(f, f->count == 1);
	taken.bmp.port = f->profile.syslog.port; /* of our own syslog */
	assert_int_equal(change(f, &taken, &err), -EADDRINUSE);
	say_bmp(fd, BMP_UP, 2);
	WAIT_FOR(f, f->count == 2);
	do
		next.bmp.port = find_port();
	while (next.bmp.port == f->profile.bmp.port || next.bmp.port == f->profile.syslog.port);
	assert_int_equal(change(f, &next, &err), 0);
	assert_int_equal(f->count, 3);
	assert_event(&f->events[2], EVENT_SOURCE_LOST, NULL);
	assert_false(bmp(f)->connected);
	WAIT_FOR(f, is_closed(fd));
	close(fd);
	fd = open_socket("127.0.0.1", next.bmp.port, SOCK_STREAM);
	say_bmp(fd, BMP_UP, 1);
	WAIT_FOR(f, f->count == 4);
	none = next;
	none.bmp.enabled = none.syslog.enabled = false;
	assert_int_equal(change(f, &none, &err), 0);
	assert_int_equal(f->count, 5);
	WAIT_FOR(f, is_closed(fd));
	close(fd);
}

/* Both listeners of the profile, moved to another address. */
static struct profile
move_to(const struct profile *profile, const char *address)
{
	struct profile next = *profile;

	assert_int_equal(ip_parse(address, &next.bmp.address), 0);
	next.syslog.address = next.bmp.address;
	return next;
}

/* The listeners that run take a BMP session, a syslog stream and a datagram. */
static void
check_listeners(struct fixture *f, const struct profile *profile)
{
	int fds[] = {
		open_socket("127.0.0.1", profile->bmp.port, SOCK_STREAM),
		open_socket("127.0.0.1", profile->syslog.port, SOCK_STREAM),
		open_socket("127.0.0.1", profile->syslog.port, SOCK_DGRAM),
	};
	size_t lines = syslog(f)->messages;

	f->count = 0;
	say_bmp(fds[0], BMP_UP, 1);
	WAIT_FOR(f, f->count == 1);
	say_text(fds[1], DOWN_LINE "\n");
	say_text(fds[2], DOWN_LINE);
	WAIT_FOR(f, syslog(f)->messages == lines + 2);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		close(fds[i]);
	WAIT_FOR(f, f->count == 4); /* the BMP session's end is seen */
}

/* A program of this user that would share the port does not get it. */
static void
check_not_shared_port(const char *address, uint16_t port, int type)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, type, 0), on = 1;

	assert_int_equal(inet_pton(AF_INET, address, &sin.sin_addr), 1);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)), 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&sin, sizeof(sin)), -1);
	assert_int_equal(errno, EADDRINUSE);
	close(fd);
}

/* address: one that was not shared (sources_internal.h, source_share_port). */
static void
check_not_shared(const struct profile *profile, const char *address)
{
	check_not_shared_port(address, profile->bmp.port, SOCK_STREAM);
	check_not_shared_port(address, profile->syslog.port, SOCK_STREAM);
	check_not_shared_port(address, profile->syslog.port, SOCK_DGRAM);
}

/* From loopback to all addresses and so on, on the same ports. */
static void
test_other_profile_other_address(void **state)
{
	static const char *const addresses[] = { "0.0.0.0", "127.0.0.1", "::", "0.0.0.0",
		"::", "127.0.0.1" };
	struct fixture *f = *state;
	struct profile current = f->profile, next[6], swapped;
	struct error err;
	int fd;

	start(f);
	for (size_t i = 0; i < 6; i++) {
		fd = open_socket("127.0.0.1", current.bmp.port, SOCK_STREAM);
		f->count = 0;
		say_bmp(fd, BMP_UP, 1);
		WAIT_FOR(f, f->count == 1);
		next[i] = move_to(&current, addresses[i]);
		if (change(f, &next[i], &err) < 0)
			fail_msg("%s: %s", addresses[i], err.text);
		assert_event(&f->events[1], EVENT_SOURCE_LOST, NULL);
		WAIT_FOR(f, is_closed(fd));
		close(fd);
		check_listeners(f, &next[i]);
		current = next[i];
	}
	swapped = current;
	swapped.bmp.port = current.syslog.port;
	swapped.syslog.port = current.bmp.port;
	assert_int_equal(change(f, &swapped, &err), 0);
	check_listeners(f, &swapped);
}

static void
test_other_profile_not_shared(void **state)
{
	struct fixture *f = *state;
	struct profile next = move_to(&f->profile, "127.0.0.1");
	struct error err;

	f->profile = move_to(&f->profile, "0.0.0.0");
	start(f);
	assert_int_equal(change(f, &next, &err), 0);
	check_not_shared(&next, "0.0.0.0");
}

/* Another agent of this user, whose listeners are elsewhere, moves to ports that were shared. */
static void
test_other_agent_same_ports(void **state)
{
	struct fixture *f = *state;
	struct profile moved = move_to(&f->profile, "0.0.0.0"), theirs = moved, clash;
	struct sources *other = NULL, *next = NULL;
	struct error err;

	start(f);
	theirs.bmp.port = theirs.syslog.port = 0; /* any */
	assert_int_equal(sources_new(f->base, &theirs, NULL, on_event, f, &other, &err), 0);
	assert_int_equal(change(f, &moved, &err), 0);
	clash = theirs;
	clash.bmp.port = moved.bmp.port;
	assert_int_equal(
	    sources_new(f->base, &clash, other, on_event, f, &next, &err), -EADDRINUSE);
	clash = theirs;
	clash.syslog.port = moved.syslog.port;
	assert_int_equal(
	    sources_new(f->base, &clash, other, on_event, f, &next, &err), -EADDRINUSE);
	check_listeners(f, &moved);
	sources_free(other);
}

/* What has arrived when the listener moves is not lost with the old one. */
static void
test_other_profile_queued_datagrams(void **state)
{
	enum { LINES = 100 };
	struct fixture *f = *state;
	struct profile next = move_to(&f->profile, "0.0.0.0"), none;
	struct error err;
	int fd;

	start(f);
	fd = open_socket("127.0.0.1", f->profile.syslog.port, SOCK_DGRAM);
	for (int i = 0; i < LINES; i++)
		say_text(fd, DOWN_LINE);
	assert_int_equal(change(f, &next, &err), 0);
	assert_int_equal(f->count, LINES);
	assert_int_equal(syslog(f)->messages, LINES);
	say_text(fd, DOWN_LINE);
	none = next;
	none.syslog.enabled = false;
	assert_int_equal(change(f, &none, &err), 0);
	assert_int_equal(f->count, LINES);
	close(fd);
}

/* One of the new listeners cannot be bound: the old ones, of which one would have made room, stand.
 */
static void
test_other_profile_half_possible(void **state)
{
	struct fixture *f = *state;
	struct profile next;
	struct error err;
	struct sockaddr_in sin = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd, taken = socket(AF_INET, SOCK_DGRAM, 0), on = 1;

	f->profile = move_to(&f->profile, "0.0.0.0");
	start(f);
	next = move_to(&f->profile, "127.0.0.1");
	do
		next.syslog.port = find_port();
	while (
	    next.syslog.port == f->profile.bmp.port || next.syslog.port == f->profile.syslog.port);
	sin.sin_port = htons(next.syslog.port);
	assert_int_equal(setsockopt(taken, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
	assert_int_equal(bind(taken, (struct sockaddr *)&sin, sizeof(sin)), 0);
	fd = open_socket("127.0.0.1", f->profile.bmp.port, SOCK_STREAM);
	say_bmp(fd, BMP_UP, 1);
	WAIT_FOR(f, f->count == 1);
	assert_int_equal(change(f, &next, &err), -EADDRINUSE);
	assert_non_null(strstr(err.text, "syslog listener: cannot bind UDP 127.0.0.1"));
	say_bmp(fd, BMP_UP, 2);
	WAIT_FOR(f, f->count == 2);
	close(fd);
	WAIT_FOR(f, f->count == 3);
	check_listeners(f, &f->profile);
	check_not_shared(&f->profile, "127.0.0.2");
	close(taken);
}

static void
test_disabled(void **state)
{
	struct fixture *f = *state;

	f->profile.bmp.enabled = f->profile.syslog.enabled = false;
	start(f);
	assert_false(bmp(f)->connected);
	assert_int_equal(syslog(f)->messages, 0);
}

/* ---- syslog ------------------------------------------------------------------------------ */

static void
test_datagrams(void **state)
{
	struct fixture *f = *state;
	char *big = malloc(20000);
	int fd;

	start(f);
	fd = open_socket("127.0.0.1", f->profile.syslog.port, SOCK_DGRAM);
	say_text(fd, DOWN_LINE "\n");
	say_text(fd, "<28>Nov 30 03:07:42 edge-1 nothing: of interest");
	say(fd, "", 0);
	memset(big, 'x', 20000);
	memcpy(big, UP_LINE " ", strlen(UP_LINE) + 1);
	say(fd, big, 20000);
	WAIT_FOR(f, syslog(f)->messages == 4);
	assert_int_equal(f->count, 2);
	assert_event(&f->events[0], EVENT_BGP_DOWN, "192.0.2.1");
	assert_event(&f->events[1], EVENT_BGP_UP, "192.0.2.2");
	assert_int_equal(f->events[0].source, SOURCE_SYSLOG);
	assert_true(syslog(f)->connected);
	for (int i = 0; i < 200; i++)
		say_text(fd, DOWN_LINE);
	WAIT_FOR(f, f->count == 202);
	free(big);
	close(fd);
}

#define X64 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* "%d" is replaced by the length of what follows up to "|", and "|" is dropped. */
static size_t
expand(const char *pattern, char *buf)
{
	size_t n = 0;

	for (const char *p = pattern; *p != '\0'; p++) {
		if (p[0] == '%' && p[1] == 'd') {
			n += (size_t)sprintf(buf + n, "%zu", strcspn(p + 3, "|"));
			p++;
		} else if (*p != '|') {
			buf[n++] = *p;
		}
	}
	return n;
}

static const struct stream_case {
	const char *name, *pattern;
	size_t messages, events;
} stream_cases[] = {
	{ "lines", DOWN_LINE "\n" UP_LINE "\r\n", 2, 2 },
	{ "empty lines", "\n\n" DOWN_LINE "\n\n\n" UP_LINE "\n", 2, 2 },
	{ "counted", "%d " DOWN_LINE "|%d " UP_LINE "|", 2, 2 },
	{ "counted, then a line feed", "%d " DOWN_LINE "|\n%d " UP_LINE "|\n", 2, 2 },
	{ "mixed", "%d " DOWN_LINE "|" UP_LINE "\n%d " DOWN_LINE "|", 3, 3 },
	{ "a line feed in a counted one", "%d <28>Nov 30 e p:\n" X64 "|" DOWN_LINE "\n", 2, 1 },
	{ "a line that begins with a digit",
	    "2026-11-30T03:07:42Z edge-1 rpd[1]: x\n" DOWN_LINE "\n", 2, 1 },
	{ "a zero is no count", "0 x\n" DOWN_LINE "\n", 2, 1 },
};

static void
run_stream(struct fixture *f, const struct stream_case *c, size_t piece)
{
	size_t messages = syslog(f)->messages, size;
	char buf[2048];
	int fd = open_socket("127.0.0.1", f->profile.syslog.port, SOCK_STREAM);

	f->count = 0;
	size = expand(c->pattern, buf);
	for (size_t done = 0; done < size; done += piece) {
		say(fd, buf + done, piece < size - done ? piece : size - done);
		event_base_loop(f->base, EVLOOP_NONBLOCK);
	}
	WAIT_FOR(f, syslog(f)->messages - messages == c->messages);
	assert_int_equal(f->count, c->events);
	close(fd);
}

static void
test_streams(void **state)
{
	struct fixture *f = *state;

	start(f);
	for (size_t i = 0; i < sizeof(stream_cases) / sizeof(stream_cases[0]); i++) {
		print_message("%s\n", stream_cases[i].name);
		run_stream(f, &stream_cases[i], 4096);
		run_stream(f, &stream_cases[i], 1);
		run_stream(f, &stream_cases[i], 7);
	}
	assert_int_equal(syslog(f)->errors, 0);
}

/* What is too long costs itself and not what comes behind it. */
static void
test_long_messages(void **state)
{
	struct fixture *f = *state;
	char filler[4096], count[16];
	int fd;

	start(f);
	memset(filler, 'x', sizeof(filler));
	fd = open_socket("127.0.0.1", f->profile.syslog.port, SOCK_STREAM);
	say_text(fd, DOWN_LINE " ");
	for (int i = 0; i < 50; i++)
		say(fd, filler, sizeof(filler));
	say_text(fd, "\n" UP_LINE "\n");
	WAIT_FOR(f, f->count == 2);
	assert_int_equal(syslog(f)->errors, 1);
	snprintf(count, sizeof(count), "%zu ", 50 * sizeof(filler));
	say_text(fd, count);
	for (int i = 0; i < 50; i++)
		say(fd, filler, sizeof(filler));
	say_text(fd, UP_LINE "\n");
	WAIT_FOR(f, f->count == 3);
	assert_int_equal(syslog(f)->errors, 2);
	assert_int_equal(f->lines, 1);
	say_text(fd, "9999999 x");
	WAIT_FOR(f, is_closed(fd));
	assert_int_equal(syslog(f)->errors, 3);
	close(fd);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_bmp_session),
		TEST(test_bmp_pieces),
		TEST(test_bmp_two_sessions),
		TEST(test_bmp_mute_session),
		TEST(test_bmp_garbage),
		TEST(test_strangers),
		TEST(test_crowd),
		TEST(test_no_descriptors),
		TEST(test_port_is_taken),
		TEST(test_other_profile_same_ports),
		TEST(test_other_profile_other_port),
		TEST(test_other_profile_other_address),
		TEST(test_other_profile_not_shared),
		TEST(test_other_profile_queued_datagrams),
		TEST(test_other_profile_half_possible),
		TEST(test_other_agent_same_ports),
		TEST(test_disabled),
		TEST(test_datagrams),
		TEST(test_streams),
		TEST(test_long_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
