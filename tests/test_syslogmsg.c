/* SPDX-License-Identifier: BSD-3-Clause */
/* Syslog lines: every form of header, every message that counts, and what must not count. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "syslogmsg.h"

#define BSD "<28>Nov 30 03:07:42  edge-1 rpd[4711]: "
#define BFDD "<28>Nov 30 03:07:42  edge-1 bfdd[4712]: "
#define BGP "RPD_BGP_NEIGHBOR_STATE_CHANGED: BGP peer "
#define RFC5424 "<28>1 2026-11-30T03:07:42.441+01:00 edge-1 "
#define GONE " (External AS 65001) changed state from Established to Idle (event "
#define ENTERPRISE "[junos@2636.1.1.1.2.29 "

static const struct line_case {
	const char *name;
	const char *line;
	enum event_kind kind;
	enum event_cause cause;
	const char *peer, *instance;
} cases[] = {
	/* headers */
	{ "BSD", BSD BGP "192.0.2.1" GONE "HoldTime) (instance master)", EVENT_BGP_DOWN,
	    CAUSE_HOLD_TIMER, "192.0.2.1", "master" },
	{ "no priority", "Nov 30 03:07:42 edge-1 rpd[4711]: " BGP "192.0.2.1" GONE "HoldTime)",
	    EVENT_BGP_DOWN, CAUSE_HOLD_TIMER, "192.0.2.1", "" },
	{ "dated",
	    "<28>Nov 30 03:07:42.541 2026  edge-1 rpd[4711]: " BGP "192.0.2.1" GONE "HoldTime)",
	    EVENT_BGP_DOWN, CAUSE_HOLD_TIMER, "192.0.2.1", "" },
	{ "ISO date",
	    "<28>2026-11-30T03:07:42+00:00 re0.edge-1 rpd[4711]: " BGP "192.0.2.1" GONE "Stop)",
	    EVENT_BGP_DOWN, CAUSE_ADMIN, "192.0.2.1", "" },
	{ "explicit priority",
	    "<28>Nov 30 03:07:42  edge-1 rpd[4711]: %DAEMON-4-" BGP "192.0.2.1" GONE "HoldTime)",
	    EVENT_BGP_DOWN, CAUSE_HOLD_TIMER, "192.0.2.1", "" },
	{ "no process", "<28>Nov 30 03:07:42 edge-1 " BGP "192.0.2.1" GONE "HoldTime)",
	    EVENT_BGP_DOWN, CAUSE_HOLD_TIMER, "192.0.2.1", "" },
	{ "RFC 5424, words only",
	    RFC5424 "rpd 4711 RPD_BGP_NEIGHBOR_STATE_CHANGED - BGP peer 192.0.2.1" GONE "HoldTime)",
	    EVENT_BGP_DOWN, CAUSE_HOLD_TIMER, "192.0.2.1", "" },
	{ "RFC 5424, byte order mark",
	    RFC5424 "rpd 4711 RPD_BGP_NEIGHBOR_STATE_CHANGED - \xef\xbb\xbf"
	            "BGP peer 192.0.2.1" GONE "HoldTime)",
	    EVENT_BGP_DOWN, CAUSE_HOLD_TIMER, "192.0.2.1", "" },
	{ "RFC 5424, parameters only",
	    RFC5424 "rpd 4711 RPD_BGP_NEIGHBOR_STATE_CHANGED " ENTERPRISE
	            "peer-name=\"2001:db8::1 (External AS 65001)\" old-state=\"Established\" "
	            "new-state=\"Idle\" "
	            "event=\"BfdDown\" instance=\"cgn\"]",
	    EVENT_BGP_DOWN, CAUSE_BFD, "2001:db8::1", "cgn" },
	{ "RFC 5424, tag in the text", RFC5424 "rpd 4711 - - " BGP "192.0.2.1" GONE "HoldTime)",
	    EVENT_BGP_DOWN, CAUSE_HOLD_TIMER, "192.0.2.1", "" },
	{ "RFC 5424, two elements, brackets and quotes inside",
	    RFC5424 "rpd 4711 RPD_BGP_NEIGHBOR_STATE_CHANGED [origin ip=\"x] y\\\"] z\"]" ENTERPRISE
	            "peer-name=\"192.0.2.1\"] BGP peer 192.0.2.9" GONE "Stop)",
	    EVENT_BGP_DOWN, CAUSE_ADMIN, "192.0.2.1", "" },
	{ "end of line", BSD BGP "192.0.2.1" GONE "HoldTime)\r\n", EVENT_BGP_DOWN, CAUSE_HOLD_TIMER,
	    "192.0.2.1", "" },

	/* BGP */
	{ "up",
	    BSD BGP
	    "2001:db8::1 (Internal AS 65001) changed state from OpenConfirm to Established (event "
	    "RecvKeepAlive) (instance cgn-in)",
	    EVENT_BGP_UP, CAUSE_UNKNOWN, "2001:db8::1", "cgn-in" },
	{ "port", BSD BGP "192.0.2.1+179" GONE "HoldTime)", EVENT_BGP_DOWN, CAUSE_HOLD_TIMER,
	    "192.0.2.1", "" },
	{ "zone", BSD BGP "fe80::1%ge-0/0/0.0" GONE "HoldTime)", EVENT_BGP_DOWN, CAUSE_HOLD_TIMER,
	    "fe80::1", "" },
	{ "closed", BSD BGP "192.0.2.1" GONE "TransportError)", EVENT_BGP_DOWN, CAUSE_CLOSED,
	    "192.0.2.1", "" },
	{ "notification", BSD BGP "192.0.2.1" GONE "RecvNotify)", EVENT_BGP_DOWN,
	    CAUSE_NOTIFICATION_RECEIVED, "192.0.2.1", "" },
	{ "BFD", BSD BGP "192.0.2.1" GONE "BfdDown) (instance 0x8001)", EVENT_BGP_DOWN, CAUSE_BFD,
	    "192.0.2.1", "0x8001" },
	{ "instance with odd bytes", BSD BGP "192.0.2.1" GONE "Stop) (instance a\xff\tb)",
	    EVENT_BGP_DOWN, CAUSE_ADMIN, "192.0.2.1", "a??b" },
	{ "event that we do not know", BSD BGP "192.0.2.1" GONE "RecvUpdate)", EVENT_BGP_DOWN,
	    CAUSE_UNKNOWN, "192.0.2.1", "" },
	{ "no event", BSD BGP "192.0.2.1 changed state from Established to Active", EVENT_BGP_DOWN,
	    CAUSE_UNKNOWN, "192.0.2.1", "" },
	{ "neither from nor to",
	    BSD BGP
	    "192.0.2.1 (External AS 65001) changed state from OpenSent to Idle (event OpenFail)",
	    EVENT_IGNORED },
	{ "from and to", BSD BGP "192.0.2.1 changed state from Established to Established",
	    EVENT_IGNORED },
	{ "peer is a name", BSD BGP "fw1" GONE "HoldTime)", EVENT_IGNORED },
	{ "no peer", BSD "RPD_BGP_NEIGHBOR_STATE_CHANGED: changed state from Established to Idle",
	    EVENT_IGNORED },
	{ "cut", BSD BGP "192.0.2.1 (External AS 65001) changed state from Established",
	    EVENT_BGP_DOWN, CAUSE_UNKNOWN, "192.0.2.1", "" },

	/* BFD */
	{ "state down",
	    BFDD
	    "BFDD_STATE_UP_TO_DOWN: BFD Session 192.0.2.1 (IFL 0) state Up -> Down LD/RD(36/16390) "
	    "Up "
	    "time:1w5d 17:21 Local diag: CtlExpire Remote diag: None Reason: Detect Timer Expiry.",
	    EVENT_BFD_DOWN, CAUSE_BFD, "192.0.2.1", "" },
	{ "state down, without words", BFDD "BFDD_STATE_UP_TO_DOWN: BFD Session 192.0.2.1 (IFL 0)",
	    EVENT_BFD_DOWN, CAUSE_BFD, "192.0.2.1", "" },
	{ "state up",
	    BFDD "BFDD_STATE_DOWN_TO_UP: BFD Session 2001:db8::1 (IFL 70) state Down -> Up "
	         "LD/RD(16/17) Up "
	         "time:00:00:00 Local diag: None Remote diag: None Reason: Received Up state.",
	    EVENT_BFD_UP, CAUSE_UNKNOWN, "2001:db8::1", "" },
	{ "state init",
	    BFDD "BFDD_STATE_DOWN_TO_INIT: BFD Session 192.0.2.1 (IFL 0) state Down -> Init",
	    EVENT_IGNORED },
	{ "our side shut down",
	    BFDD "BFDD_STATE_UP_TO_ADMINDOWN: BFD Session 192.0.2.1 (IFL 0) state Up -> AdminDown "
	         "LD/RD(1/2)",
	    EVENT_BFD_DOWN, CAUSE_ADMIN, "192.0.2.1", "" },
	{ "BGP went first",
	    BFDD
	    "BFDD_STATE_UP_TO_DOWN: BFD Session 192.0.2.1 (IFL 0) state Up -> Down LD/RD(1/2) Up "
	    "time:00:17 Local diag: AdminDown Remote diag: None Reason: Received Upstream Destroy "
	    "Session.",
	    EVENT_BFD_DOWN, CAUSE_ADMIN, "192.0.2.1", "" },
	{ "upstream destroyed, other diagnostic",
	    BFDD "BFDD_STATE_UP_TO_DOWN: BFD Session 192.0.2.1 (IFL 0) state Up -> Down Local "
	         "diag: None Remote "
	         "diag: None Reason: Received Upstream Destroy Session.",
	    EVENT_BFD_DOWN, CAUSE_ADMIN, "192.0.2.1", "" },
	{ "their side shut down",
	    BFDD "BFDD_STATE_UP_TO_DOWN: BFD Session 192.0.2.1 (IFL 0) state Up -> Down LD/RD(1/2) "
	         "Local diag: "
	         "NbrSignal Remote diag: AdminDown Reason: Received DOWN from PEER.",
	    EVENT_BFD_DOWN, CAUSE_ADMIN, "192.0.2.1", "" },
	{ "trap, multi-hop",
	    BFDD "%DAEMON-4-BFDD_TRAP_MHOP_STATE_DOWN: local discriminator: 36, new state: down, "
	         "peer addr: "
	         "192.0.2.1",
	    EVENT_BFD_DOWN, CAUSE_BFD, "192.0.2.1", "" },
	{ "trap, single hop",
	    BFDD "BFDD_TRAP_SHOP_STATE_UP: local discriminator: 46, new state: up, interface: "
	         "irb.1, peer addr: "
	         "2001:db8::1",
	    EVENT_BFD_UP, CAUSE_UNKNOWN, "2001:db8::1", "" },
	{ "trap, admin down",
	    BFDD "BFDD_TRAP_SHOP_STATE_DOWN: local discriminator: 46, new state: admin down, "
	         "interface: irb.1, "
	         "peer addr: 192.0.2.1",
	    EVENT_BFD_DOWN, CAUSE_ADMIN, "192.0.2.1", "" },
	{ "trap, structured",
	    RFC5424
	    "bfdd 18625 BFDD_TRAP_SHOP_STATE_DOWN " ENTERPRISE
	    "session-id=\"40\" state=\"down\" pip-interface=\"ae20.3032\" "
	    "remote-peer=\"192.0.2.1\"] local "
	    "discriminator: 40, new state: down, interface: ae20.3032, peer addr: 192.0.2.1",
	    EVENT_BFD_DOWN, CAUSE_BFD, "192.0.2.1", "" },
	{ "trap, no peer",
	    BFDD "BFDD_TRAP_SHOP_STATE_DOWN: local discriminator: 46, new state: down",
	    EVENT_IGNORED },

	/* commits */
	{ "commit", "<189>Nov 30 03:07:42 edge-1 mgd[7729]: UI_COMMIT_COMPLETED: commit complete",
	    EVENT_COMMITTED },
	{ "commit, explicit priority",
	    "<189>Nov 30 03:07:42 edge-1 mgd[7729]: %INTERACT-5-UI_COMMIT_COMPLETED: commit "
	    "complete",
	    EVENT_COMMITTED },
	{ "our own commit",
	    "<189>Nov 30 03:07:42 edge-1 mgd[7729]: UI_EPHEMERAL_COMMIT_COMPLETED: commit complete "
	    "on "
	    "'autofbf' ephemeral database",
	    EVENT_IGNORED },
	{ "commit asked for",
	    "<189>Nov 30 03:07:42 edge-1 mgd[7729]: UI_COMMIT: User 'ann' requested 'commit' "
	    "operation",
	    EVENT_IGNORED },

	/* the name of an event is not an event */
	{ "in a command",
	    "<190>Nov 30 03:07:42 edge-1 mgd[7729]: UI_CMDLINE_READ_LINE: User 'ann', command '" BGP
	    "192.0.2.1" GONE "HoldTime)'",
	    EVENT_IGNORED },
	{ "in a text without tag",
	    "<190>Nov 30 03:07:42 edge-1 cscript[9]: rpd[1]: " BGP "192.0.2.1" GONE "HoldTime)",
	    EVENT_IGNORED },
	{ "in a parameter",
	    RFC5424 "mgd 1 UI_CMDLINE_READ_LINE " ENTERPRISE "command=\"" BGP "192.0.2.1" GONE
	            "Stop)\"]",
	    EVENT_IGNORED },
	{ "untagged NOTIFICATION",
	    BSD "%DAEMON-4: bgp_bfd_callback:190: NOTIFICATION sent to 192.0.2.1", EVENT_IGNORED },
	{ "longer tag", BSD "RPD_BGP_NEIGHBOR_STATE_CHANGED_2: BGP peer 192.0.2.1" GONE "HoldTime)",
	    EVENT_IGNORED },
	{ "nothing", "", EVENT_IGNORED },
	{ "priority only", "<28>", EVENT_IGNORED },
	{ "broken parameters", RFC5424 "rpd 1 RPD_BGP_NEIGHBOR_STATE_CHANGED [=x =\"y\" z=\"",
	    EVENT_IGNORED },
	{ "escape at the end", RFC5424 "rpd 1 RPD_BGP_NEIGHBOR_STATE_CHANGED [a peer-name=\"\\",
	    EVENT_IGNORED },
};

/* From memory that ends where the line ends, so that a sanitizer sees a read behind it. */
static struct event
decode(const char *line, size_t size)
{
	struct event event;
	char *copy = malloc(size > 0 ? size : 1);

	memcpy(copy, line, size);
	syslogmsg_decode(copy, size, &event);
	free(copy);
	return event;
}

static void
test_cases(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct line_case *c = &cases[i];
		struct event event = decode(c->line, strlen(c->line));
		char text[IP_TEXT_SIZE];

		print_message("%s\n", c->name);
		assert_int_equal(event.kind, c->kind);
		assert_int_equal(event.cause, c->cause);
		assert_int_equal(event.source, SOURCE_SYSLOG);
		if (c->peer)
			assert_string_equal(ip_format(&event.peer, text), c->peer);
		assert_string_equal(event.instance, c->instance ? c->instance : "");
	}
}

/* A NUL is a character like others: no end of the line, and no reason to stand still. */
static void
test_nul(void **state)
{
	static const char line[] =
	    "<28>Nov 30\0 03:07:42 e\0dge-1 rpd[4711]: " BGP "192.0.2.1" GONE "HoldTime)";
	static const char peer[] = BSD BGP "192.0.2.1\0" GONE "HoldTime)";

	assert_int_equal(decode(line, sizeof(line) - 1).kind, EVENT_BGP_DOWN);
	assert_int_equal(decode(peer, sizeof(peer) - 1).kind, EVENT_IGNORED);
	assert_int_equal(decode("\0", 1).kind, EVENT_IGNORED);
}

/* A line that goes on past the limit is read up to it. */
static void
test_long_line(void **state)
{
	static const char line[] = BSD BGP "192.0.2.1" GONE "HoldTime)";
	size_t size = 4 * SYSLOG_MAX_LINE;
	char *text = malloc(size);

	memset(text, 'x', size);
	memcpy(text, line, sizeof(line) - 1);
	text[sizeof(line) - 1] = ' ';
	assert_int_equal(decode(text, size).kind, EVENT_BGP_DOWN);
	memset(text, ' ', size);
	memcpy(text + SYSLOG_MAX_LINE, line, sizeof(line) - 1);
	assert_int_equal(decode(text, size).kind, EVENT_IGNORED);
	free(text);
}

/* Cut anywhere and with bytes changed anywhere, a line gives some event and reads nothing behind.
 */
static void
test_damaged(void **state)
{
	const char *text = getenv("SEED");
	unsigned seed = text ? (unsigned)strtoul(text, NULL, 10) : (unsigned)time(NULL);

	print_message("SEED=%u\n", seed);
	srand(seed);
	for (int round = 0; round < 50000; round++) {
		const char *line = cases[(size_t)rand() % (sizeof(cases) / sizeof(cases[0]))].line;
		size_t size = strlen(line);
		char copy[1024];
		struct event event;

		assert_true(size < sizeof(copy));
		memcpy(copy, line, size);
		for (int i = rand() % 3; i > 0 && size > 0; i--)
			copy[(size_t)rand() % size] = "\0 :\"\\][=<>%-_("[rand() % 14];
		event = decode(copy, size > 0 ? (size_t)rand() % (size + 1) : 0);
		assert_true(event.kind < EVENT_KIND_COUNT && event.cause < CAUSE_COUNT);
		assert_non_null(memchr(event.instance, '\0', sizeof(event.instance)));
	}
}

/* Lines of real routers, where they are at hand. */
static void
test_captures(void **state)
{
	size_t downs = 0;
	char line[SYSLOG_MAX_LINE];
	glob_t files;

	if (glob("../shared/junos-samples/syslog/*.log", 0, NULL, &files) != 0)
		return;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		FILE *f = fopen(files.gl_pathv[i], "r");

		assert_non_null(f);
		while (fgets(line, sizeof(line), f)) {
			enum event_kind kind = decode(line, strlen(line)).kind;

			downs += kind == EVENT_BGP_DOWN || kind == EVENT_BFD_DOWN;
			assert_int_equal(kind != EVENT_IGNORED, strstr(line, "STATE_") != NULL);
		}
		fclose(f);
	}
	assert_true(downs > 0);
	globfree(&files);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_captures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
