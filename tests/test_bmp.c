/* SPDX-License-Identifier: BSD-3-Clause */
/* BMP: what every kind of Peer Up and Peer Down says, what is skipped, what ends a stream. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bmp.h"

enum { UP = 3, DOWN = 2, STATISTICS = 1, INITIATION = 4, UNHEARD_OF = 200 };
enum { ADDRESS_V4, ADDRESS_V6 };

struct message {
	uint8_t bytes[512];
	size_t size;
};

static void
put(struct message *m, const void *bytes, size_t size)
{
	memcpy(m->bytes + m->size, bytes, size);
	m->size += size;
}

static void
put_zeros(struct message *m, size_t size)
{
	memset(m->bytes + m->size, 0, size);
	m->size += size;
}

static void
set_length(struct message *m, uint32_t length)
{
	for (int i = 0; i < 4; i++)
		m->bytes[1 + i] = (uint8_t)(length >> (24 - 8 * i));
}

/* Common header and per-peer header (RFC 7854 4.1, 4.2). */
static struct message
start_message(uint8_t type, uint8_t peer_type, int address, const char rd[8])
{
	static const uint8_t v4[16] = { [12] = 192, 0, 2, 7 };
	static const uint8_t v6[16] = { 0x20, 0x01, 0x0d, 0xb8, [15] = 0x2a };
	struct message m = { .bytes = { 3, 0, 0, 0, 0, type, peer_type }, .size = 7 };
	uint8_t flags = address == ADDRESS_V6 ? 0x80 : 0;

	put(&m, &flags, 1);
	put(&m, rd, 8);
	put(&m, address == ADDRESS_V6 ? v6 : v4, 16);
	put_zeros(&m, 16); /* AS, BGP identifier, time stamp */
	return m;
}

static struct message
up_message(int address, const char rd[8])
{
	struct message m = start_message(UP, 0, address, rd);

	put_zeros(&m, 20 + 2 * 29);
	set_length(&m, (uint32_t)m.size);
	return m;
}

static struct message
down_message(uint8_t peer_type, const void *body, size_t size)
{
	struct message m = start_message(DOWN, peer_type, ADDRESS_V4, "\0\0\0\0\0\0\0\0");

	put(&m, body, size);
	set_length(&m, (uint32_t)m.size);
	return m;
}

#define ONES "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
#define NOTIFICATION(code, subcode) ONES "\x00\x15\x03" code subcode
#define BODY(text) text, sizeof(text) - 1

static const struct down_case {
	const char *name;
	const char *body;
	size_t size;
	enum event_kind kind;
	enum event_cause cause;
} down_cases[] = {
	{ "1, hold timer", BODY("\x01" NOTIFICATION("\x04", "\x00")), EVENT_BGP_DOWN,
	    CAUSE_HOLD_TIMER },
	{ "1, administrative shutdown", BODY("\x01" NOTIFICATION("\x06", "\x02")), EVENT_BGP_DOWN,
	    CAUSE_ADMIN },
	{ "1, BFD down", BODY("\x01" NOTIFICATION("\x06", "\x0a")), EVENT_BGP_DOWN, CAUSE_BFD },
	{ "1, hard reset", BODY("\x01" NOTIFICATION("\x06", "\x09")), EVENT_BGP_DOWN,
	    CAUSE_NOTIFICATION_SENT },
	{ "1, bad update", BODY("\x01" NOTIFICATION("\x03", "\x02")), EVENT_BGP_DOWN,
	    CAUSE_NOTIFICATION_SENT },
	{ "1, nothing behind it", BODY("\x01"), EVENT_BGP_DOWN, CAUSE_NOTIFICATION_SENT },
	{ "1, cut", BODY("\x01" ONES "\x00\x15\x03\x06"), EVENT_BGP_DOWN, CAUSE_NOTIFICATION_SENT },
	{ "1, not a NOTIFICATION", BODY("\x01" ONES "\x00\x15\x02\x06\x02"), EVENT_BGP_DOWN,
	    CAUSE_NOTIFICATION_SENT },
	{ "1, bad marker", BODY("\x01\x00" ONES "\x15\x03\x06\x02\x02\x02"), EVENT_BGP_DOWN,
	    CAUSE_NOTIFICATION_SENT },
	{ "2, no code", BODY("\x02\x00\x00"), EVENT_BGP_DOWN, CAUSE_UNKNOWN },
	{ "2, cut", BODY("\x02\x00"), EVENT_BGP_DOWN, CAUSE_UNKNOWN },
	{ "2, manual stop", BODY("\x02\x00\x02"), EVENT_BGP_DOWN, CAUSE_ADMIN },
	{ "2, automatic stop", BODY("\x02\x00\x08"), EVENT_BGP_DOWN, CAUSE_ADMIN },
	{ "2, hold timer", BODY("\x02\x00\x0a"), EVENT_BGP_DOWN, CAUSE_HOLD_TIMER },
	{ "2, connection fails", BODY("\x02\x00\x12"), EVENT_BGP_DOWN, CAUSE_CLOSED },
	{ "2, notification", BODY("\x02\x00\x19"), EVENT_BGP_DOWN, CAUSE_NOTIFICATION_RECEIVED },
	{ "2, code of two bytes", BODY("\x02\x0a\x0a"), EVENT_BGP_DOWN, CAUSE_UNKNOWN },
	{ "3, administrative shutdown", BODY("\x03" NOTIFICATION("\x06", "\x02")), EVENT_BGP_DOWN,
	    CAUSE_ADMIN },
	{ "3, its hold timer", BODY("\x03" NOTIFICATION("\x04", "\x00")), EVENT_BGP_DOWN,
	    CAUSE_HOLD_TIMER },
	{ "3, BFD down", BODY("\x03" NOTIFICATION("\x06", "\x0a")), EVENT_BGP_DOWN, CAUSE_BFD },
	{ "3, peer deconfigured", BODY("\x03" NOTIFICATION("\x06", "\x03")), EVENT_BGP_DOWN,
	    CAUSE_NOTIFICATION_RECEIVED },
	{ "4", BODY("\x04"), EVENT_BGP_DOWN, CAUSE_CLOSED },
	{ "4, something behind it", BODY("\x04\x00\x00"), EVENT_BGP_DOWN, CAUSE_CLOSED },
	{ "5", BODY("\x05"), EVENT_UNKNOWN, CAUSE_MONITORING_STOPPED },
	{ "reason of a later RFC", BODY("\x63"), EVENT_BGP_DOWN, CAUSE_UNKNOWN },
};

static void
test_reasons(void **state)
{
	for (size_t i = 0; i < sizeof(down_cases) / sizeof(down_cases[0]); i++) {
		const struct down_case *c = &down_cases[i];
		struct message m = down_message(0, c->body, c->size);
		struct event event;
		char text[IP_TEXT_SIZE];

		print_message("%s\n", c->name);
		assert_int_equal(bmp_decode(m.bytes, m.size, &event), (int)m.size);
		assert_int_equal(event.kind, c->kind);
		assert_int_equal(event.cause, c->cause);
		assert_int_equal(event.source, SOURCE_BMP);
		assert_string_equal(ip_format(&event.peer, text), "192.0.2.7");
		assert_string_equal(event.instance, "");
		assert_int_equal(event.established_s, -1);
	}
}

static const struct instance_case {
	const char *rd;
	int address;
	const char *want_instance, *want_peer;
} instance_cases[] = {
	{ "\0\0\0\0\0\0\0\0", ADDRESS_V4, "", "192.0.2.7" },
	{ "\0\0\0\0\0\0\0\0", ADDRESS_V6, "", "2001:db8::2a" },
	{ "\0\0\xfd\xe8\0\0\0\x07", ADDRESS_V4, "65000:7", "192.0.2.7" },
	{ "\0\1\xc0\0\2\1\0\x07", ADDRESS_V6, "192.0.2.1:7", "2001:db8::2a" },
	{ "\0\2\xff\xff\xff\xff\xff\xff", ADDRESS_V4, "4294967295:65535", "192.0.2.7" },
	{ "\1\2\3\4\5\6\7\x08", ADDRESS_V4, "0x0102030405060708", "192.0.2.7" },
};

static void
test_up_and_instances(void **state)
{
	for (size_t i = 0; i < sizeof(instance_cases) / sizeof(instance_cases[0]); i++) {
		const struct instance_case *c = &instance_cases[i];
		struct message m = up_message(c->address, c->rd);
		struct event event;
		char text[IP_TEXT_SIZE];

		assert_int_equal(bmp_decode(m.bytes, m.size, &event), (int)m.size);
		assert_int_equal(event.kind, EVENT_BGP_UP);
		assert_int_equal(event.cause, CAUSE_UNKNOWN);
		assert_string_equal(event.instance, c->want_instance);
		assert_string_equal(ip_format(&event.peer, text), c->want_peer);
	}
}

static void
assert_skipped(struct message *m)
{
	struct event event;

	assert_int_equal(bmp_decode(m->bytes, m->size, &event), (int)m->size);
	assert_int_equal(event.kind, EVENT_IGNORED);
}

static void
test_skipped(void **state)
{
	static const uint8_t types[] = { 0, STATISTICS, INITIATION, 5, 6, UNHEARD_OF };
	struct message m = { .bytes = { 3, 0, 0, 0, 6, INITIATION }, .size = 6 };

	assert_skipped(&m);
	for (size_t i = 0; i < sizeof(types); i++) {
		m = down_message(0, "\x04", 1);
		m.bytes[5] = types[i];
		assert_skipped(&m);
	}
	m = down_message(3, "\x04", 1); /* the Loc-RIB */
	assert_skipped(&m);
	m = down_message(9, "\x04", 1);
	assert_skipped(&m);
}

static void
test_bad_streams(void **state)
{
	struct event event = { .kind = EVENT_BFD_UP };
	struct message m = down_message(0, "\x04", 1);

	m.bytes[0] = 2;
	assert_int_equal(bmp_decode(m.bytes, m.size, &event), -EPROTO);
	assert_int_equal(bmp_decode(m.bytes, 1, &event), -EPROTO);
	m.bytes[0] = 3;
	set_length(&m, 5);
	assert_int_equal(bmp_decode(m.bytes, m.size, &event), -EPROTO);
	set_length(&m, BMP_MAX_MESSAGE + 1);
	assert_int_equal(bmp_decode(m.bytes, m.size, &event), -EPROTO);
	set_length(&m, UINT32_MAX);
	assert_int_equal(bmp_decode(m.bytes, BMP_HEADER_SIZE, &event), -EPROTO);
	set_length(&m, BMP_MAX_MESSAGE);
	assert_int_equal(bmp_decode(m.bytes, m.size, &event), 0);
	set_length(&m, 48); /* no reason */
	assert_int_equal(bmp_decode(m.bytes, m.size, &event), -EPROTO);
	m.bytes[5] = UP;
	set_length(&m, 49);
	assert_int_equal(bmp_decode(m.bytes, m.size, &event), -EPROTO);
	assert_int_equal(event.kind, EVENT_BFD_UP); /* written only on success */
}

/* Whatever the pieces, a message is decoded when its last byte is there and not before. */
static void
test_pieces(void **state)
{
	struct message m = up_message(ADDRESS_V4, "\0\0\0\0\0\0\0\0");
	struct message next = down_message(0, "\x04", 1);
	size_t first = m.size;
	struct event event;

	put(&m, next.bytes, next.size);
	for (size_t n = 0; n < first; n++) {
		uint8_t *copy = malloc(n > 0 ? n : 1);

		memcpy(copy, m.bytes, n);
		assert_int_equal(bmp_decode(copy, n, &event), 0);
		free(copy);
	}
	for (size_t n = first; n <= m.size; n++)
		assert_int_equal(bmp_decode(m.bytes, n, &event), (int)first);
	assert_int_equal(bmp_decode(m.bytes + first, next.size, &event), (int)next.size);
	assert_int_equal(event.kind, EVENT_BGP_DOWN);
}

static void
test_random_bytes(void **state)
{
	const char *text = getenv("SEED");
	unsigned seed = text ? (unsigned)strtoul(text, NULL, 10) : (unsigned)time(NULL);

	print_message("SEED=%u\n", seed);
	srand(seed);
	for (int round = 0; round < 20000; round++) {
		struct message m =
		    down_message((uint8_t)(rand() % 4), "\x01" NOTIFICATION("\x06", "\x02"), 22);
		struct event event = { .kind = EVENT_KIND_COUNT };
		int rc;

		for (int i = rand() % 4; i >= 0; i--)
			m.bytes[rand() % m.size] = (uint8_t)rand();
		rc = bmp_decode(m.bytes, m.size, &event);
		assert_true(rc == -EPROTO || (rc >= 0 && (size_t)rc <= m.size));
		assert_true((rc > 0) == (event.kind != EVENT_KIND_COUNT));
		if (rc > 0)
			assert_true(event.cause < CAUSE_COUNT &&
			            memchr(event.instance, '\0', EVENT_INSTANCE_SIZE));
	}
}

static uint8_t *
read_file(const char *path, size_t *ret_size)
{
	FILE *f = fopen(path, "rb");
	uint8_t *bytes;
	long size;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	assert_true(size >= 0);
	rewind(f);
	bytes = malloc((size_t)size + 1);
	*ret_size = fread(bytes, 1, (size_t)size, f);
	fclose(f);
	return bytes;
}

/* Streams of a real router, where they are at hand: all bytes are understood, and there are peers.
 */
static void
test_captures(void **state)
{
	glob_t files;

	if (glob("../shared/bmp/*.bin", 0, NULL, &files) != 0)
		return;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		size_t size, at = 0, ups = 0;
		uint8_t *bytes = read_file(files.gl_pathv[i], &size);
		struct event event;
		int rc;

		for (; (rc = bmp_decode(bytes + at, size - at, &event)) > 0; at += (size_t)rc)
			ups += event.kind == EVENT_BGP_UP;
		assert_int_equal(at, size);
		assert_true(ups > 0);
		free(bytes);
	}
	globfree(&files);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_up_and_instances),
		cmocka_unit_test(test_skipped),
		cmocka_unit_test(test_bad_streams),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_random_bytes),
		cmocka_unit_test(test_captures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
