/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NETCONF server on a real socket, with an agent of plain values behind it.
 *
 * Server and clients live in one process: the loop is turned by hand and the clients' sockets never
 * block, so each test waits for what it wants and for nothing else. Half of the tests are bad
 * peers, each of them beside a good one that must be served as if it were alone.
 */
#define _GNU_SOURCE
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

enum { PATIENCE_MS = 20000 }; /* a test that has to wait so long has failed */

struct fixture {
	struct fake_agent agent;
	struct event_base *base;
	struct northbound *northbound;
	struct ly_ctx *ctx;
	char directory[32], path[64];
	unsigned warnings;
};

static void
count_warnings(void *arg, enum log_level level, const char *tag, const char *line)
{
	struct fixture *fixture = arg;

	if (level <= LOG_LEVEL_WARN) {
		print_error("log: %s\n", line);
		fixture->warnings++;
	}
}

static void
start(struct fixture *fixture)
{
	struct northbound_operations operations = fake_operations(&fixture->agent);
	struct error err;

	if (northbound_new(
	        fixture->base, fixture->path, "yang", &operations, &fixture->northbound, &err) < 0)
		fail_msg("%s", err.text);
}

static int
set_up(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));
	struct error err;

	signal(SIGPIPE, SIG_IGN);
	strcpy(fixture->directory, "/tmp/autofbf-test-XXXXXX");
	if (!mkdtemp(fixture->directory))
		return -1;
	snprintf(fixture->path, sizeof(fixture->path), "%s/s", fixture->directory);
	if (!fake_init(&fixture->agent, "profiles/four-dual-stack.json", "yang", &err) ||
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

static int
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

static void
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

static struct mtime
get_deadline(void)
{
	return mtime_add_ms(mtime_now(), PATIENCE_MS);
}

/* One turn of the server's loop; the client may wait a moment for its socket. */
static void
turn(struct client *client)
{
	struct pollfd poll_fd = { .fd = client->fd, .events = client->deaf ? 0 : POLLIN };

	event_base_loop(client->fixture->base, EVLOOP_NONBLOCK);
	poll(&poll_fd, 1, 1);
	pull(client);
}

/* The next message; NULL: the server closed first. */
static const char *
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

static void
wait_gone(struct client *client)
{
	struct mtime deadline = get_deadline();

	while (!client->gone) {
		if (mtime_reached(mtime_now(), deadline))
			fail_msg("the server did not close");
		turn(client);
	}
}

static void
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

static void
send_text(struct client *client, const char *text)
{
	send_bytes(client, text, strlen(text));
}

static void
send_message(struct client *client, const char *text)
{
	char head[FRAMING_HEAD_SIZE];

	send_bytes(client, head, framing_head(client->version, strlen(text), head));
	send_text(client, text);
	send_text(client, framing_tail(client->version));
}

static void
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
static void
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

static void
close_client(struct client *client)
{
	close(client->fd);
	framing_free(client->framing);
}

static const char *
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
static void
check_good(struct client *client)
{
	assert_non_null(strstr(request(client, RPC("<get/>")), "<hostname>mx304-north"));
}

/* ---- requests ------------------------------------------------------------------------------- */

static const struct {
	const char *name, *request, *want;
} requests[] = {
	{ "message-id comes back", RPC("<get/>"), "message-id=\"7\"" },
	{ "other attributes come back",
	    "<rpc xmlns=\"" BASE "\" message-id=\"1\" xmlns:u=\"urn:u\" u:a=\"&lt;b\"><get/></rpc>",
	    "u:a=\"&lt;b\"" },
	{ "a prefix", "<n:rpc xmlns:n=\"" BASE "\" message-id=\"1\"><n:get/></n:rpc>",
	    "<severity>ok</severity>" },
	{ "get: both", RPC("<get/>"), "<profile " },
	{ "get: profile only", RPC("<get><filter><profile " OURS "/></filter></get>"),
	    "</profile></data></rpc-reply>" },
	{ "get: state only", RPC("<get><filter type='subtree'><state " OURS "/></filter></get>"),
	    "<data><state " },
	{ "get: nothing", RPC("<get><filter/></get>"), "<data></data>" },
	{ "get: something else", RPC("<get><filter><x xmlns='u'/></filter></get>"),
	    "<data></data>" },
	{ "get: xpath", RPC("<get><filter type='xpath' select='/'/></get>"),
	    "operation-not-supported" },
	{ "where", RPC("<where " OURS "><target>10.64.0.70</target></where>"),
	    "<prefix>10.64.0.64/26</prefix>" },
	{ "where: a prefix", RPC("<where " OURS "><target>10.64.0.0/25</target></where>"),
	    "<prefix>10.64.0.64/26</prefix>" },
	{ "where: IPv6", RPC("<where " OURS "><target>2001:db8:64::1</target></where>"),
	    "<family>ipv6</family>" },
	{ "where: all of it", RPC("<where " OURS "><target>0.0.0.0/0</target></where>"),
	    "<prefix>10.64.255.192/26</prefix>" },
	{ "where: outside", RPC("<where " OURS "><target>192.0.2.1</target></where>"), "<ok/>" },
	{ "where: nonsense", RPC("<where " OURS "><target>x</target></where>"), "bad-target" },
	{ "where: host bits", RPC("<where " OURS "><target>10.64.0.1/26</target></where>"),
	    "bits behind its length" },
	{ "why", RPC("<why " OURS "><target>10.64.0.70</target></why>"),
	    "<unit>10.64.0.64/26</unit>" },
	{ "why: part of a unit", RPC("<why " OURS "><target>10.64.0.64/28</target></why>"),
	    "<unit>10.64.0.64/26</unit>" },
	{ "why: several units", RPC("<why " OURS "><target>10.64.0.0/25</target></why>"),
	    "more than one unit of group cgn" },
	{ "why: everything", RPC("<why " OURS "><target>0.0.0.0/0</target></why>"), "bad-target" },
	{ "why: outside", RPC("<why " OURS "><target>192.0.2.1</target></why>"), "<ok/>" },
	{ "why: behind the last unit", RPC("<why " OURS "><target>10.65.0.0</target></why>"),
	    "<ok/>" },
	{ "why: nonsense", RPC("<why " OURS "><target>x</target></why>"), "bad-target" },
	{ "path alter: on or off", RPC("<path-alter " OURS "/>"), "missing-element" },
	{ "log: no such level",
	    RPC("<log-level " OURS "><tag>health</tag><level>loud</level></log-level>"),
	    "invalid-value" },
	{ "log: no such tag",
	    RPC("<log-level " OURS "><tag>x</tag><level>info</level></log-level>"),
	    "there are: agent, bmp, capacity" },
	{ "events: unknown name", RPC("<events " OURS "><subject>fbf-99</subject></events>"),
	    "there are: cgn, fbf-01" },
	{ "events: an address", RPC("<events " OURS "><subject>192.0.2.7</subject></events>"),
	    "<ok/>" },
	{ "events: unknown group", RPC("<events " OURS "><group>x</group></events>"),
	    "there are: cgn" },
	{ "events: no such day",
	    RPC("<events " OURS "><since>2026-13-30T00:00:00.000000Z</since></events>"),
	    "no such day" },
	{ "preview", RPC("<preview " OURS "><offline>fbf-02</offline></preview>"),
	    "<moved>256</moved>" },
	{ "preview: nothing", RPC("<preview " OURS "><online>fbf-02</online></preview>"),
	    "<moved>0</moved>" },
	{ "preview: nobody left",
	    RPC("<preview " OURS "><offline>fbf-01</offline><offline>fbf-02</offline>"
	        "<offline>fbf-03</offline><offline>fbf-04</offline></preview>"),
	    "<healthy>0</healthy>" },
	{ "preview: unknown", RPC("<preview " OURS "><offline>x</offline></preview>"),
	    "there are: fbf-01, fbf-02, fbf-03, fbf-04" },
	{ "layout: unknown", RPC("<layout " OURS "><down>x</down></layout>"), "unknown-name" },
	{ "diff", RPC("<diff " OURS "/>"), "<adds " OURS ">0</adds>" },
	{ "events", RPC("<events " OURS "/>"), "<ok/>" },
	{ "audit", RPC("<audit " OURS "/>"), "<ok/>" },
	{ "offline: no name", RPC("<element-offline " OURS "/>"), "missing-element" },
	{ "offline: unknown",
	    RPC("<element-offline " OURS "><element>x</element></element-offline>"),
	    "unknown-name" },
	{ "a leaf that is not there", RPC("<freeze " OURS "><x/></freeze>"), "unknown-element" },
	{ "a value out of range", RPC("<events " OURS "><last>0</last></events>"),
	    "invalid-value" },
	{ "no such operation", RPC("<x " OURS "/>"), "operation-not-supported" },
	{ "an operation of nobody", RPC("<get xmlns='u'/>"), "operation-not-supported" },
	{ "a notification as request", RPC("<event " OURS "/>"), "operation-not-supported" },
	{ "an action", RPC("<action xmlns='urn:ietf:params:xml:ns:yang:1'>text</action>"),
	    "operation-not-supported" },
	{ "a DTD", "<!DOCTYPE x [<!ENTITY e \"e\">]>" RPC("<get/>"), "malformed-message" },
	{ "another encoding", "<?xml version=\"1.0\" encoding=\"UTF-16\"?>" RPC("<get/>"),
	    "mx304-north" },
	{ "two operations", RPC("<get/><get/>"), "malformed-message" },
	{ "no operation", RPC(""), "malformed-message" },
	{ "no message-id", "<rpc xmlns=\"" BASE "\"><get/></rpc>", "missing-attribute" },
	{ "not XML", "<rpc", "malformed-message" },
	{ "another document", "<hello xmlns=\"" BASE "\"/>", "malformed-message" },
	{ "an empty namespace",
	    "<rpc xmlns=\"" BASE "\" xmlns:q=\"\" q:a=\"b\" message-id=\"1\"><get/></rpc>",
	    "malformed-message" },
	{ "subscription with a filter",
	    RPC("<create-subscription xmlns='urn:ietf:params:xml:ns:netconf:notification:"
	        "1.0'><filter/></create-subscription>"),
	    "operation-not-supported" },
};

static void
test_requests(void **state)
{
	static const char *const versions[] = { "1.0", "1.1" };
	struct client client;

	for (size_t v = 0; v < 2; v++) {
		open_session(*state, &client, versions[v]);
		for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
			const char *answer = request(&client, requests[i].request);

			if (!strstr(answer, requests[i].want))
				fail_msg(
				    "%s: no %s in %s", requests[i].name, requests[i].want, answer);
		}
		close_client(&client);
	}
}

static void
test_operations_reach_the_agent(void **state)
{
	struct fixture *fixture = *state;
	struct client client;

	open_session(fixture, &client, "1.1");
	request(
	    &client, RPC("<element-offline " OURS "><element>fbf-01</element>"
	                 "<element>fbf-02</element><reason>a &amp; b</reason></element-offline>"));
	request(
	    &client, RPC("<element-online " OURS "><element>fbf-02</element></element-online>"));
	request(&client, RPC("<freeze " OURS "><group>cgn</group><reason>r</reason></freeze>"));
	request(&client, RPC("<thaw " OURS "/>"));
	request(&client, RPC("<audit " OURS "/>"));
	request(&client, RPC("<path-alter " OURS "><on>true</on><group>cgn</group>"
	                     "<reason>r</reason></path-alter>"));
	request(&client, RPC("<path-alter " OURS "><on>false</on></path-alter>"));
	request(&client, RPC("<element-offline " OURS "><element>fbf-01</element>"
	                     "<force>true</force></element-offline>"));
	request(&client, RPC("<element-offline " OURS "><element>fbf-01</element>"
	                     "<force>false</force></element-offline>"));
	request(&client, RPC("<log-level " OURS "><tag>ssh</tag><level>debug</level></log-level>"));
	/* The caller is whoever runs the test: leave its name out of the comparison. */
	for (char *by = fixture->agent.calls; (by = strstr(by, " by "));) {
		char *end = strchr(by, ':');

		memmove(by, end, strlen(end) + 1);
	}
	assert_string_equal(fixture->agent.calls, "offline fbf-01: a & b\noffline fbf-02: a & b\n"
	                                          "online fbf-02: \nfreeze cgn: r\nthaw all: \n"
	                                          "audit -: -\nalter-on cgn: r\n"
	                                          "alter-off all: \nforce fbf-01: \n"
	                                          "offline fbf-01: \nlog ssh: debug\n");
	fixture->agent.answer = -EPERM;
	assert_non_null(strstr(request(&client, RPC("<element-offline " OURS "><element>fbf-01"
	                                            "</element></element-offline>")),
	    "<error-app-tag>refused</error-app-tag><error-message xml:lang=\"en\">refused: thaw "
	    "first &amp; &lt;then&gt; retry"));
	fixture->agent.answer = -EAGAIN;
	assert_non_null(strstr(request(&client, RPC("<diff " OURS "/>")), "not-ready"));
	close_client(&client);
}

static void
test_diff(void **state)
{
	struct fixture *fixture = *state;
	struct prefix a, b;
	struct client client;

	assert_int_equal(prefix_parse("10.64.0.0/26", &a), 0);
	assert_int_equal(prefix_parse("10.64.0.64/26", &b), 0);
	prefix_list_add(listset_list(&fixture->agent.want, "l-ovr-v4"), &a);
	prefix_list_add(listset_list(&fixture->agent.have, "l-ovr-v4"), &b);
	open_session(fixture, &client, "1.1");
	assert_non_null(strstr(request(&client, RPC("<diff " OURS "/>")),
	    "<list>l-ovr-v4</list><prefix>10.64.0.0/26</prefix><action>add</action></edit>"
	    "<edit " OURS "><list>l-ovr-v4</list><prefix>10.64.0.64/26</prefix>"
	    "<action>remove</action></edit></rpc-reply>"));
	close_client(&client);
}

/* What a reader may ask and an operator may do, without needing accounts on this machine. */
static void
test_roles(void **state)
{
	static const struct {
		enum northbound_role role;
		const char *request;
		bool allowed;
	} cases[] = {
		{ ROLE_READ, RPC("<get/>"), true },
		{ ROLE_READ, RPC("<diff " OURS "/>"), true },
		{ ROLE_READ, RPC("<audit " OURS "/>"), false },
		{ ROLE_READ, RPC("<thaw " OURS "/>"), false },
		{ ROLE_READ,
		    RPC("<element-online " OURS "><element>fbf-01</element></element-online>"),
		    false },
		{ ROLE_READ, RPC("<path-alter " OURS "><on>true</on></path-alter>"), false },
		{ ROLE_READ,
		    RPC("<log-level " OURS "><tag>ssh</tag><level>debug</level></log-level>"),
		    false },
		{ ROLE_READ, RPC("<why " OURS "><target>10.64.0.1</target></why>"), true },
		{ ROLE_OPERATE, RPC("<thaw " OURS "/>"), true },
		{ ROLE_ADMINISTER, RPC("<thaw " OURS "/>"), true },
	};
	struct fixture *fixture = *state;
	struct northbound_operations operations = fake_operations(&fixture->agent);
	const struct lys_module *module = ly_ctx_get_module_implemented(fixture->ctx, "autofbf");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct northbound_caller caller = { cases[i].role, "alice" };
		struct evbuffer *out = evbuffer_new();
		struct northbound_answer answer;

		northbound_rpc_answer(module, &operations, &caller, cases[i].request,
		    strlen(cases[i].request), out, &answer);
		evbuffer_add(out, "", 1);
		assert_int_equal(
		    !strstr((char *)evbuffer_pullup(out, -1), "access-denied"), cases[i].allowed);
		evbuffer_free(out);
	}
}

/* An agent without them says so, and is not asked. */
static void
test_missing_operations(void **state)
{
	static const char *const cases[] = {
		RPC("<path-alter " OURS "><on>true</on></path-alter>"),
		RPC("<log-level " OURS "><tag>ssh</tag><level>debug</level></log-level>"),
		RPC("<element-offline " OURS "><element>fbf-01</element><force>true</force>"
		    "</element-offline>"),
	};
	struct fixture *fixture = *state;
	struct northbound_operations operations = fake_operations(&fixture->agent);
	const struct lys_module *module = ly_ctx_get_module_implemented(fixture->ctx, "autofbf");
	struct northbound_caller caller = { ROLE_ADMINISTER, "alice" };

	operations.set_alter = NULL;
	operations.set_log_level = NULL;
	operations.set_offline_forced = NULL;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct evbuffer *out = evbuffer_new();
		struct northbound_answer answer;

		northbound_rpc_answer(
		    module, &operations, &caller, cases[i], strlen(cases[i]), out, &answer);
		evbuffer_add(out, "", 1);
		assert_non_null(
		    strstr((char *)evbuffer_pullup(out, -1), "operation-not-supported"));
		evbuffer_free(out);
	}
	assert_string_equal(fixture->agent.calls, "");
}

/* ---- events --------------------------------------------------------------------------------- */

static void
add_event(struct fixture *fixture, const char *kind, const char *subject, const char *group)
{
	static int64_t at = FAKE_NOW_US;
	struct history_record record = {
		.when_us = at, .kind = kind, .subject = subject, .text = "t", .group = group
	};

	at = FAKE_NOW_US + (int64_t)history_count(fixture->agent.history) * SECONDS_US;
	record.when_us = at;
	history_add(fixture->agent.history, &record);
}

static void
test_event_filters(void **state)
{
	/* Ids of the records of test_event_filters, see below. */
	static const struct {
		const char *filter, *want;
	} cases[] = {
		{ "", "1 2 3 4 5 6 " },
		{ "<last>2</last>", "5 6 " },
		{ "<after>4</after>", "5 6 " },
		{ "<kind>health</kind>", "1 4 " },
		{ "<kind>health</kind><last>1</last>", "4 " },
		{ "<kind>health</kind><kind>router</kind>", "1 3 4 " },
		{ "<subject>fbf-02</subject>", "1 " },
		{ "<subject>192.0.2.1</subject>", "3 " },
		{ "<subject>cgn</subject>", "2 6 " },
		{ "<group>cgn</group>", "1 2 4 5 6 " },
		{ "<group>cgn</group><kind>commit</kind>", "5 " },
		{ "<group>cgn</group><after>1</after><last>2</last>", "5 6 " },
		{ "<since>2026-11-30T03:07:45.500000Z</since>", "4 5 6 " },
		{ "<since>2026-11-30T03:07:45.500001Z</since><kind>health</kind>", "" },
		{ "<kind>none</kind>", "" },
	};
	struct fixture *fixture = *state;
	struct client client;

	add_event(fixture, "health", "fbf-02", NULL);
	add_event(fixture, "decision", "cgn", "cgn");
	add_event(fixture, "router", "192.0.2.1", NULL);
	add_event(fixture, "health", "fbf-03", NULL);
	add_event(fixture, "commit", "", "cgn");
	add_event(fixture, "freeze", "cgn", NULL);
	open_session(fixture, &client, "1.1");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = xasprintf(RPC("<events " OURS ">%s</events>"), cases[i].filter);
		const char *at = request(&client, text);
		char ids[64] = "";

		while ((at = strstr(at, "<id>"))) {
			at += strlen("<id>");
			snprintf(ids + strlen(ids), sizeof(ids) - strlen(ids), "%.*s ",
			    (int)strcspn(at, "<"), at);
		}
		if (strcmp(ids, cases[i].want) != 0)
			fail_msg("%s: %s, not %s", cases[i].filter, ids, cases[i].want);
		free(text);
	}
	close_client(&client);
}

/* Every member of a record comes out, and fits the model. */
static void
test_decision_record(void **state)
{
	static const char id[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	struct history_record record = { .when_us = FAKE_NOW_US,
		.kind = "decision",
		.subject = "cgn",
		.text = "t",
		.who = "alice",
		.cause = "c",
		.group = "cgn",
		.family = "ipv4",
		.healthy = "fbf-01,fbf-02",
		.layout_before = id,
		.layout_after = id,
		.moved = 256 };
	struct fixture *fixture = *state;
	struct client client;

	history_add(fixture->agent.history, &record);
	open_session(fixture, &client, "1.1");
	assert_non_null(strstr(request(&client, RPC("<events " OURS "/>")),
	    "<who>alice</who><cause>c</cause><group>cgn</group><family>ipv4</family>"
	    "<healthy>fbf-01,fbf-02</healthy><layout-before>0123456789abcdef"));
	assert_non_null(
	    strstr(request(&client, RPC("<events " OURS "/>")), "<moved>256</moved></event>"));
	close_client(&client);
}

/* ---- state ---------------------------------------------------------------------------------- */

/* The answer fits the model: libyang takes it back, strictly. */
static void
test_state_is_valid(void **state)
{
	struct fixture *fixture = *state;
	struct lyd_node *tree = NULL;
	struct client client;
	const char *answer;
	char *data;

	fixture->agent.down[1] = true;
	fake_refresh(&fixture->agent);
	fake_add_commit(&fixture->agent);
	open_session(fixture, &client, "1.1");
	answer = request(&client, RPC("<get><filter><state " OURS "/></filter></get>"));
	data = xstrdup(strstr(answer, "<data>") + strlen("<data>"));
	*strstr(data, "</data>") = '\0';
	if (lyd_parse_data_mem(fixture->ctx, data, LYD_XML, LYD_PARSE_ONLY | LYD_PARSE_STRICT, 0,
	        &tree) != LY_SUCCESS)
		fail_msg("%s", ly_errmsg(fixture->ctx));
	assert_non_null(strstr(data, "<effective-units>0</effective-units>"));
	assert_non_null(strstr(data, "<displaced>256</displaced>"));
	assert_non_null(strstr(data, "<severity>degraded</severity>"));
	lyd_free_all(tree);
	free(data);
	close_client(&client);
}

static void
set_policy(struct status *status)
{
	struct status_group *group = &status->groups[0];
	struct status_group_family *family = &group->family[FAMILY_IPV4];
	struct status_element *element = &group->elements[0];
	struct status_element_family *own = &element->family[FAMILY_IPV4];

	group->altered_by = xstrdup("alice");
	group->altered_reason = xstrdup("CHG-1");
	group->altered_at_us = FAKE_NOW_US;
	group->capacity_label = xstrdup("Gbps");
	family->min_alive = 2;
	family->has_failed_route = family->failed_wanted = family->failed_installed = true;
	family->signal_hold_until_us = FAKE_NOW_US + SECONDS_US;
	assert_int_equal(prefix_parse("192.0.2.128/32", &family->failed_route), 0);
	family->has_alter_route = family->alter_wanted = true;
	assert_int_equal(prefix_parse("192.0.2.129/32", &family->alter_route), 0);
	family->standby_same_domain = 12;
	element->failure_domain = xstrdup("host-1");
	element->capacity = 34;
	element->load_base = 28.7;
	element->load_now = 34.1;
	element->load_worst = 38.25;
	own->wanted_share = own->effective_share = 341.015625;
	own->damped_until_us = FAKE_NOW_US + SECONDS_US;
	own->downs = 3;
	own->awaits_operator = true;
	own->peer[0].routes = 12;
	own->peer[0].lacks_routes = own->peer[0].slow_bfd = true;
}

static void
test_policy_state(void **state)
{
	static const char *const wants[] = {
		"<severity>degraded</severity>",
		"<capacity-label>Gbps</capacity-label>",
		"<operator-alter><by>alice</by><reason>CHG-1</reason><at>2026-11-30T",
		"<standby-same-domain>12</standby-same-domain><alive>4</alive><min-alive>2<",
		"<failed-route><route>192.0.2.128/32</route><wanted>true</wanted>"
		"<installed>true</installed><hold-until>2026-11-30T03:07:43.5",
		"<alter-route><route>192.0.2.129/32</route><wanted>true</wanted>"
		"<installed>false</installed></alter-route>",
		"<failure-domain>host-1</failure-domain><capacity>34.0</capacity><load-base>28.7<"
		"/load-base><load-now>34.1</load-now><load-worst>38.25</load-worst>",
		"<damped-until>2026-11-30T03:07:43.5",
		"<downs>3</downs><awaits-operator>true</awaits-operator>"
		"<wanted-share>341.015625</wanted-share><effective-share>341.015625<",
		"<routes>12</routes><lacks-routes>true</lacks-routes><slow-bfd>true</slow-bfd>",
	};
	struct fixture *fixture = *state;
	struct client client;
	const char *answer;

	open_session(fixture, &client, "1.1");
	answer = request(&client, RPC("<get/>"));
	/* What is not there, or not known, is left out. */
	assert_null(strstr(answer, "<capacity"));
	assert_null(strstr(answer, "<failed-route"));
	assert_null(strstr(answer, "<routes>"));
	assert_null(strstr(answer, "<min-alive"));
	assert_null(strstr(answer, "<damped-until"));
	set_policy(fixture->agent.status);
	answer = request(&client, RPC("<get/>"));
	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++)
		if (!strstr(answer, wants[i]))
			fail_msg("no %s", wants[i]);
	fixture->agent.status->lists_known = false;
	answer = request(&client, RPC("<get/>"));
	assert_null(strstr(answer, "<installed>"));
	assert_null(strstr(answer, "<load-now>"));
	assert_null(strstr(answer, "<effective-share>"));
	close_client(&client);
}

/* Every word of every name table is one that the model knows: else a leaf is left out, with a
 * warning, and warnings fail in tear_down. */
static void
test_words_are_in_the_model(void **state)
{
	struct fixture *fixture = *state;
	const struct lys_module *module = ly_ctx_get_module_implemented(fixture->ctx, "autofbf");

	for (int i = 0; i < 16; i++) {
		struct status *status = fake_make_status(&fixture->agent);
		struct status_element_family *family = &status->groups[0].elements[0].family[0];

		status->mode = i % MODE_COUNT;
		status->stage = i % ROUTER_STAGE_COUNT;
		status->last.history_id = 1;
		status->last.outcome = i % ROUTER_OUTCOME_COUNT;
		status->groups[0].family[0].freeze = i % FREEZE_COUNT;
		family->state = i % HEALTH_STATE_COUNT;
		family->peer[0].bgp = i % VERDICT_COUNT;
		family->peer[0].bfd_mode = i % BFD_MODE_COUNT;
		family->peer[0].cause = i % CAUSE_COUNT;
		family->peer[0].source = i % SOURCE_COUNT;
		free(family->reason);
		family->reason = xstrdup("a \x01 \xff\xfe & <b> \xc3\xa9");
		lyd_free_all(northbound_state_new(module, status));
		status_free(status);
	}
}

/* ---- layout --------------------------------------------------------------------------------- */

static size_t
count_text(const char *text, const char *part)
{
	size_t count = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		count++;
	return count;
}

static void
check_layout(struct fixture *fixture, struct client *client, const char *operation)
{
	struct lyd_node *tree = NULL, *op = NULL;
	struct ly_in *in = NULL;
	const char *answer = request(client, operation);
	const char *start = strstr(answer, "<group");
	char *payload = xasprintf(
	    "<layout " OURS ">%.*s</layout>", (int)(strstr(start, "</rpc-reply>") - start), start);

	assert_int_equal(count_text(answer, "<unit>"), 2048);
	assert_int_equal(count_text(answer, "</group>"), 1);
	assert_int_equal(ly_in_new_memory(payload, &in), LY_SUCCESS);
	if (lyd_parse_op(fixture->ctx, NULL, in, LYD_XML, LYD_TYPE_REPLY_YANG, &tree, &op) !=
	    LY_SUCCESS)
		fail_msg("%s", ly_errmsg(fixture->ctx));
	lyd_free_all(tree);
	ly_in_free(in, 0);
	free(payload);
}

static void
test_layout(void **state)
{
	static const size_t most[] = { 0, 997 };
	struct fixture *fixture = *state;
	struct client client;

	for (int i = 0; i < 4; i++) {
		open_session(fixture, &client, i % 2 ? "1.0" : "1.1");
		client.most = most[i / 2];
		check_layout(fixture, &client, RPC("<layout " OURS "/>"));
		assert_non_null(strstr(request(&client, RPC("<layout " OURS "><down>fbf-02</down>"
		                                            "</layout>")),
		    "<configured>256</configured><effective>0</effective>"));
		check_good(&client);
		close_client(&client);
	}
}

static void
test_split_layout(void **state)
{
	struct fixture *fixture = *state;
	const struct layout *layout;
	struct client client;
	const char *answer;
	size_t pieces;

	fake_fail_and_split(&fixture->agent);
	layout = fixture->agent.layout[FAMILY_IPV4];
	pieces = layout_pieces(layout);
	assert_true(pieces > 1024);
	open_session(fixture, &client, "1.1");
	client.most = 997;
	answer = request(&client, RPC("<layout " OURS "/>"));
	assert_int_equal(count_text(answer, "<unit>"), pieces + 1024);
	assert_non_null(strstr(answer, "<split-bits>2</split-bits>"));
	for (size_t i = 0; i < pieces; i++) {
		struct layout_piece piece = layout_piece(layout, i);
		char prefix[PREFIX_TEXT_SIZE], *want;

		want = xasprintf("<unit><prefix>%s</prefix><element>%s</element>",
		    prefix_format(&piece.prefix, prefix),
		    fixture->agent.profile->groups[0].elements[piece.owner].id);
		if (!strstr(answer, want))
			fail_msg("no %s", want);
		free(want);
	}
	close_client(&client);
}

static void
test_split_where(void **state)
{
	struct fixture *fixture = *state;
	const struct layout *layout;
	struct client client;
	size_t found = 0;

	fake_fail_and_split(&fixture->agent);
	layout = fixture->agent.layout[FAMILY_IPV4];
	open_session(fixture, &client, "1.1");
	for (size_t i = 0; i < layout_pieces(layout); i++) {
		struct layout_piece piece = layout_piece(layout, i);
		struct prefix unit = layout_space_unit(fixture->agent.space[0], piece.unit);
		char unit_text[PREFIX_TEXT_SIZE], piece_text[PREFIX_TEXT_SIZE], *text, *want;
		const char *answer;

		if (piece.prefix.length == unit.length || prefix_compare(&piece.prefix, &unit) == 0)
			continue;
		found++;
		prefix_format(&unit, unit_text);
		prefix_format(&piece.prefix, piece_text);
		text = xasprintf(RPC("<where " OURS "><target>%s</target></where>"), unit_text);
		assert_int_equal(count_text(request(&client, text), "<match "), 4);
		free(text);
		text = xasprintf(RPC("<why " OURS "><target>%s</target></why>"), piece_text);
		want = xasprintf("<piece>%s</piece>", piece_text);
		answer = request(&client, text);
		assert_non_null(strstr(answer, want));
		free(want);
		want = xasprintf("<effective-element>%s</effective-element>",
		    fixture->agent.profile->groups[0].elements[piece.owner].id);
		assert_non_null(strstr(answer, want));
		/* Only displaced units are split, and one decision displaced them. */
		assert_non_null(strstr(answer, "<cause>fbf-02 down</cause><from>fbf-02</from>"));
		free(text);
		free(want);
	}
	assert_true(found >= 4);
	close_client(&client);
}

/* From pieces to whole units, to pieces of others, and to nobody. */
static void
test_split_preview(void **state)
{
	struct fixture *fixture = *state;
	struct client client;
	const char *answer;

	fake_fail_and_split(&fixture->agent);
	open_session(fixture, &client, "1.1");
	for (int f = 0; f < FAMILY_COUNT; f++)
		fixture->agent.status->groups[0].elements[1].family[f].awaits_operator = true;
	answer = request(&client, RPC("<preview " OURS "><online>fbf-02</online></preview>"));
	assert_int_equal(count_text(answer, "<moved>256</moved>"), 2);
	assert_int_equal(count_text(answer, "<name>fbf-02</name><before>0.0</before><after>256.0<"
	                                    "/after><gains>256.0</gains><losses>0.0</losses>"),
	    2);
	/* Everybody keeps its own units and gives back a third of the others. */
	assert_non_null(strstr(answer, "<before>341.25</before><after>256.0</after>"
	                               "<gains>0.0</gains><losses>85.25</losses>"));
	answer = request(&client, RPC("<preview " OURS "><offline>fbf-01</offline></preview>"));
	assert_non_null(strstr(answer, "<name>fbf-01</name><before>341.25</before><after>0.0<"
	                               "/after><gains>0.0</gains><losses>341.25</losses>"));
	assert_non_null(strstr(answer, "<before>341.25</before><after>512.0</after>"));
	answer = request(&client, RPC("<preview " OURS "><offline>fbf-02</offline></preview>"));
	assert_int_equal(count_text(answer, "<moved>0</moved>"), 2);
	close_client(&client);
}

/* Nobody left: the layout that stands, and frozen. */
static void
test_layout_nobody(void **state)
{
	struct client client;
	const char *answer;

	open_session(*state, &client, "1.1");
	answer = request(&client,
	    RPC("<layout " OURS "><down>fbf-01</down><down>fbf-02</down><down>fbf-03</down>"
	        "<down>fbf-04</down></layout>"));
	assert_int_equal(count_text(answer, "<frozen>true</frozen>"), 2);
	assert_int_equal(count_text(answer, "<effective>256</effective>"), 8);
	close_client(&client);
}

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

static void
test_too_many_sessions(void **state)
{
	enum { MOST = 64 };
	struct client clients[MOST], more;

	for (int i = 0; i < MOST; i++)
		open_session(*state, &clients[i], "1.1");
	open_client(*state, &more);
	wait_gone(&more);
	close_client(&more);
	check_good(&clients[MOST - 1]);
	close_client(&clients[0]);
	check_good(&clients[1]); /* the loop has seen the end of the first by now */
	open_session(*state, &more, "1.1");
	check_good(&more);
	close_client(&more);
	for (int i = 1; i < MOST; i++)
		close_client(&clients[i]);
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
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_requests),
		TEST(test_operations_reach_the_agent),
		TEST(test_diff),
		TEST(test_roles),
		TEST(test_missing_operations),
		TEST(test_event_filters),
		TEST(test_decision_record),
		TEST(test_state_is_valid),
		TEST(test_policy_state),
		TEST(test_words_are_in_the_model),
		TEST(test_layout),
		TEST(test_split_layout),
		TEST(test_split_where),
		TEST(test_split_preview),
		TEST(test_layout_nobody),
		TEST(test_bad_framing),
		TEST(test_bad_hello),
		TEST(test_endless_message),
		TEST(test_silent_peers),
		TEST(test_deaf_peer),
		TEST(test_answers_after_end_of_input),
		TEST(test_close_session),
		TEST(test_too_many_sessions),
		TEST(test_stranger),
		TEST(test_notification),
		TEST(test_notification_beside_layout),
		TEST(test_deaf_subscriber),
		TEST(test_socket),
		TEST(test_socket_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
