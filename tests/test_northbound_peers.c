/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bad peers of the NETCONF server, each of them beside a good one that must be served as if it were
 * alone; notifications; the socket itself.
 */
#define _GNU_SOURCE
#include "northbound_rig.h"

/* ---- bad peers ------------------------------------------------------------------------------ */

static void
test_bad_framing(void **state)
{
	static const struct {
		const char *name, *bytes;
	} cases[] = {
		{ "chunk of nothing", "\n#0\n" },
		{ "no chunk at all", "\n##\n" },
		{ "a size of 4 GiB", "\n#4294967295\n" },
		{ "a size of 64 bits", "\n#18446744073709551615\n" },
		{ "a size over the limit", "\n#1048577\nx" },
		{ "a leading zero", "\n#07\n" },
		{ "no chunk", "<rpc/>]]>]]>" },
		{ "garbage", "\x16\x03\x01\x02" },
	};
	struct client good, bad;

	open_session(*state, &good, "1.1");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		open_session(*state, &bad, "1.1");
		send_text(&bad, cases[i].bytes);
		wait_gone(&bad);
		close_client(&bad);
		check_good(&good);
	}
	close_client(&good);
}

static void
test_bad_hello(void **state)
{
	static const char *const hellos[] = { "<x/>]]>]]>", "]]>]]>x]]>]]>",
		"<!DOCTYPE x><hello xmlns=\"" BASE "\"/>]]>]]>",
		"<hello xmlns=\"" BASE "\"><capabilities/></hello>]]>]]>" };
	struct client good, bad;

	open_session(*state, &good, "1.0");
	for (size_t i = 0; i < sizeof(hellos) / sizeof(hellos[0]); i++) {
		open_client(*state, &bad);
		send_text(&bad, hellos[i]);
		wait_gone(&bad);
		close_client(&bad);
		check_good(&good);
	}
	close_client(&good);
}

/* A message over a mebibyte without an end. */
static void
test_endless_message(void **state)
{
	char *bytes = xcalloc(1, 64 * 1024 + 1);
	struct client good, bad;

	memset(bytes, 'x', 64 * 1024);
	open_session(*state, &good, "1.1");
	open_session(*state, &bad, "1.0");
	for (int i = 0; i < 17 && !bad.gone; i++)
		send_text(&bad, bytes);
	wait_gone(&bad);
	check_good(&good);
	close_client(&bad);
	close_client(&good);
	free(bytes);
}

/* Half a message and silence, and no hello at all: neither is dropped at once, nobody waits. */
static void
test_silent_peers(void **state)
{
	struct client good, half, silent;

	open_client(*state, &silent);
	open_session(*state, &half, "1.1");
	send_text(&half, "\n#100\n<rpc");
	open_session(*state, &good, "1.1");
	for (int i = 0; i < 20; i++)
		check_good(&good);
	close_client(&half);
	close_client(&silent);
	check_good(&good);
	close_client(&good);
}

/* Asks for megabytes and reads nothing: it is paused, and answered when it reads again. */
static void
test_deaf_peer(void **state)
{
	enum { REQUESTS = 1500, GOOD = 50 };
	struct fixture *fixture = *state;
	char frame[256], head[FRAMING_HEAD_SIZE];
	size_t size;
	struct client good, deaf;

	open_session(*state, &good, "1.1");
	open_session(*state, &deaf, "1.1");
	framing_head(FRAMING_CHUNKED, strlen(RPC("<get/>")), head);
	size = (size_t)snprintf(frame, sizeof(frame), "%s%s\n##\n", head, RPC("<get/>"));
	deaf.deaf = true;
	for (int i = 0; i < REQUESTS; i++) {
		/* What does not fit into the socket stays unsent: that is the pause. */
		if (send(deaf.fd, frame, size, MSG_DONTWAIT) != (ssize_t)size)
			break;
		if (i % 100 == 0)
			check_good(&good);
	}
	fixture->agent.reads = 0;
	for (int i = 0; i < GOOD; i++)
		check_good(&good);
	assert_int_equal(fixture->agent.reads, GOOD); /* the deaf one is paused */
	deaf.deaf = false;
	for (int i = 0; i < 20; i++)
		assert_non_null(strstr(next_message(&deaf), "mx304-north"));
	close_client(&deaf);
	check_good(&good);
	close_client(&good);
}

/* Sends as fast as it can and reads every answer: what it sent ahead waits in its socket, not in
 * the agent. */
static void
test_eager_peer(void **state)
{
	enum { TURNS = 1000, AHEAD_MOST = 1 << 20 }; /* far above what a socket holds */
	static char frames[64 * 1024];
	char frame[256], head[FRAMING_HEAD_SIZE];
	size_t size, filled = 0, at = 0, sent = 0, answered = 0, answer_size;
	struct client good, eager;
	const char *answer;

	framing_head(FRAMING_CHUNKED, strlen(RPC("<x/>")), head);
	size = (size_t)snprintf(frame, sizeof(frame), "%s%s\n##\n", head, RPC("<x/>"));
	for (; filled + size <= sizeof(frames); filled += size)
		memcpy(frames + filled, frame, size);
	open_session(*state, &good, "1.1");
	open_session(*state, &eager, "1.1");
	for (int i = 0; i < TURNS; i++) {
		ssize_t n = send(eager.fd, frames + at, filled - at, MSG_DONTWAIT);

		sent += n > 0 ? (size_t)n : 0;
		at = n > 0 ? (at + (size_t)n) % filled : at;
		event_base_loop(eager.fixture->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
		pull(&eager);
		while (framing_next(eager.framing, &answer, &answer_size) == 1)
			answered++;
	}
	assert_false(eager.gone);
	assert_in_range(answered, TURNS / 4, TURNS);
	assert_in_range(sent, 1, answered * size + AHEAD_MOST);
	check_good(&good);
	close_client(&eager);
	check_good(&good);
	close_client(&good);
}

/* Half closed after its requests: it still gets its answers. */
static void
test_answers_after_end_of_input(void **state)
{
	struct client client;

	open_session(*state, &client, "1.1");
	send_message(&client, RPC("<get/>"));
	send_message(&client, RPC("<layout " OURS "/>"));
	shutdown(client.fd, SHUT_WR);
	assert_non_null(strstr(next_message(&client), "mx304-north"));
	assert_non_null(strstr(next_message(&client), "<unit>"));
	wait_gone(&client);
	close_client(&client);
}

static void
test_close_session(void **state)
{
	struct client client;

	open_session(*state, &client, "1.1");
	assert_non_null(strstr(request(&client, RPC("<close-session/>")), "<ok/>"));
	wait_gone(&client);
	close_client(&client);
}

/* Nobody we know: dropped before a byte. */
static void
test_stranger(void **state)
{
	struct fixture *fixture = *state;
	struct client good;
	int status = 0;
	pid_t child;

	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(fixture->directory, 0755), 0);
	open_session(fixture, &good, "1.1");
	child = fork();
	if (child == 0) {
		struct sockaddr_un address = { .sun_family = AF_UNIX };
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);
		char byte;

		strcpy(address.sun_path, fixture->path);
		if (setgid(65534) < 0 || setuid(65534) < 0 ||
		    connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
			_exit(2);
		_exit(read(fd, &byte, 1) == 0 ? 0 : 1);
	}
	while (waitpid(child, &status, WNOHANG) == 0)
		check_good(&good);
	assert_int_equal(status, 0);
	close_client(&good);
}

/* ---- notifications -------------------------------------------------------------------------- */

#define SUBSCRIBE \
	RPC("<create-subscription xmlns='urn:ietf:params:xml:ns:netconf:notification:1.0'/>")

static void
notify(struct fixture *fixture, const char *text)
{
	struct history_record record = {
		.when_us = FAKE_NOW_US, .kind = "health", .subject = "fbf-02", .text = text
	};

	record.id = history_add(fixture->agent.history, &record);
	northbound_notify(fixture->northbound, &record);
}

static void
test_notification(void **state)
{
	struct fixture *fixture = *state;
	struct client subscriber, other;
	const char *message;

	open_session(fixture, &subscriber, "1.1");
	open_session(fixture, &other, "1.1");
	assert_non_null(strstr(request(&subscriber, SUBSCRIBE), "<ok/>"));
	notify(fixture, "up -> down & more");
	message = next_message(&subscriber);
	assert_non_null(strstr(message, "<eventTime>2026-11-30T"));
	assert_non_null(strstr(message, "<subject>fbf-02</subject><text>up -&gt; down &amp; more"));
	check_good(&subscriber);
	check_good(&other); /* and nothing else has come */
	close_client(&subscriber);
	close_client(&other);
}

static void
test_alarm_notification(void **state)
{
	struct alarm alarm = { .type = ALARM_ELEMENT_DOWN,
		.severity = ALARM_MAJOR,
		.since_us = FAKE_NOW_US,
		.key = xstrdup("cgn/fbf-02"),
		.cause = xstrdup("bfd & bgp"),
		.group = xstrdup("cgn"),
		.element = xstrdup("fbf-02") };
	struct fixture *fixture = *state;
	struct client subscriber;
	const char *message;

	northbound_notify_alarm(fixture->northbound, &alarm, 0); /* nobody listens */
	open_session(fixture, &subscriber, "1.1");
	assert_non_null(strstr(request(&subscriber, SUBSCRIBE), "<ok/>"));
	northbound_notify_alarm(fixture->northbound, &alarm, 0);
	message = next_message(&subscriber);
	assert_non_null(strstr(message, "<alarm-raised xmlns=\"urn:autofbf:yang:autofbf\"><type>"
	                                "element-down</type><key>cgn/fbf-02</key><severity>major"
	                                "</severity><since>2026-11-30T"));
	assert_non_null(
	    strstr(message, "<cause>bfd &amp; bgp</cause><remedy>autofbf events fbf-02"));
	assert_non_null(
	    strstr(message, "<group>cgn</group><element>fbf-02</element></alarm-raised>"));
	northbound_notify_alarm(fixture->northbound, &alarm, FAKE_NOW_US + 1000000);
	message = next_message(&subscriber);
	assert_non_null(strstr(message, "<alarm-cleared "));
	assert_non_null(strstr(message, "<cleared>2026-11-30T"));
	close_client(&subscriber);
	alarm_done(&alarm);
}

/* A notification never falls into the middle of a streamed answer. */
static void
test_notification_beside_layout(void **state)
{
	struct fixture *fixture = *state;
	struct client client;

	open_session(fixture, &client, "1.0");
	request(&client, SUBSCRIBE);
	client.deaf = true;
	/* Enough layouts to fill the socket, so that one of them is cut in two. */
	for (int i = 0; i < 8; i++)
		send_message(&client, RPC("<layout " OURS "/>"));
	for (int i = 0; i < 8; i++)
		turn(&client);
	notify(fixture, "in between");
	client.deaf = false;
	for (int layouts = 0, events = 0; layouts < 8 || events < 1;) {
		const char *message = next_message(&client);
		bool is_event = strstr(message, "in between") != NULL;

		assert_true(is_event != (count_text(message, "<unit>") == 2048));
		layouts += !is_event;
		events += is_event;
	}
	close_client(&client);
}

static void
test_deaf_subscriber(void **state)
{
	struct fixture *fixture = *state;
	char *text = xcalloc(1, 100001);
	struct client good, deaf;

	memset(text, 'x', 100000);
	open_session(fixture, &good, "1.1");
	open_session(fixture, &deaf, "1.1");
	request(&deaf, SUBSCRIBE);
	for (int i = 0; i < 200; i++)
		notify(fixture, text);
	check_good(&good);
	wait_gone(&deaf);
	close_client(&deaf);
	check_good(&good);
	close_client(&good);
	free(text);
}

/* ---- the socket ----------------------------------------------------------------------------- */

static void
test_socket(void **state)
{
	struct fixture *fixture = *state;
	struct northbound_operations operations = fake_operations(&fixture->agent);
	struct northbound *second = NULL;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct client client;
	struct error err;
	int fd;

	assert_int_equal(
	    northbound_new(fixture->base, fixture->path, "yang", &operations, &second, &err),
	    -EADDRINUSE);
	open_session(fixture, &client, "1.1");
	check_good(&client);
	close_client(&client);
	/* What a crash leaves behind. */
	northbound_free(fixture->northbound);
	fixture->northbound = NULL;
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	strcpy(address.sun_path, fixture->path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	start(fixture);
	open_session(fixture, &client, "1.1");
	check_good(&client);
	close_client(&client);
}

static void
test_socket_errors(void **state)
{
	static const struct {
		const char *path, *yang_dir;
		int want;
	} cases[] = {
		{ "/nonexistent/socket", "yang", -ENOENT },
		{ "/tmp/autofbf-test-s", "/nonexistent", -ENOENT },
		{ "/tmp/long-long-long-long-long-long-long-long-long-long-long-long-long-long-long-"
		  "long-long-long-long-long-long-long-long-long-long",
		    "yang", -ENAMETOOLONG },
	};
	struct fixture *fixture = *state;
	struct northbound_operations operations = fake_operations(&fixture->agent);
	struct northbound *northbound = NULL;
	struct error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(northbound_new(fixture->base, cases[i].path, cases[i].yang_dir,
		                     &operations, &northbound, &err),
		    cases[i].want);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_bad_framing),
		TEST(test_bad_hello),
		TEST(test_endless_message),
		TEST(test_silent_peers),
		TEST(test_deaf_peer),
		TEST(test_eager_peer),
		TEST(test_answers_after_end_of_input),
		TEST(test_close_session),
		TEST(test_stranger),
		TEST(test_notification),
		TEST(test_alarm_notification),
		TEST(test_notification_beside_layout),
		TEST(test_deaf_subscriber),
		TEST(test_socket),
		TEST(test_socket_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
