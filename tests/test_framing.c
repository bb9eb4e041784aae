/* SPDX-License-Identifier: BSD-3-Clause */
/* Framing: what each version accepts and refuses, in one piece and in every kind of pieces. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "error.h"
#include "framing.h"

enum { MAX_MESSAGE = 32 };

struct decode_case {
	const char *name;
	enum framing_version version;
	const char *input;
	const char *want; /* the messages, each followed by "|" */
	int end;          /* what framing_next said last */
	bool partial;
};

#define MARK "]]>]]>"
#define TEN "0123456789"

static const struct decode_case cases[] = {
	{ "one message", FRAMING_EOM, "<a/>" MARK, "<a/>|", 0, false },
	{ "two at once", FRAMING_EOM, "<a/>" MARK "<b/>" MARK, "<a/>|<b/>|", 0, false },
	{ "blanks between", FRAMING_EOM, "\n<a/>" MARK "\r\n\t <b/>\n" MARK "\n", "<a/>|<b/>\n|", 0,
	    false },
	{ "empty messages", FRAMING_EOM, MARK "\n" MARK "<a/>" MARK MARK, "<a/>|", 0, false },
	{ "half a message", FRAMING_EOM, "<a/>" MARK "<b", "<a/>|", 0, true },
	{ "half a mark", FRAMING_EOM, "<a/>" MARK "<b/>]]>]]", "<a/>|", 0, true },
	{ "a mark begun twice", FRAMING_EOM, "]]>]]]]>]]>", "]]>]]|", 0, false },
	{ "brackets inside", FRAMING_EOM, "a]]>]]b" MARK, "a]]>]]b|", 0, false },
	{ "longest", FRAMING_EOM, TEN TEN TEN "12" MARK, TEN TEN TEN "12|", 0, false },
	{ "too long", FRAMING_EOM, TEN TEN TEN "123" MARK "<a/>" MARK, "", -EMSGSIZE, true },
	{ "too long, no end", FRAMING_EOM, TEN TEN TEN TEN, "", -EMSGSIZE, true },
	{ "nothing", FRAMING_EOM, "", "", 0, false },

	{ "one chunk", FRAMING_CHUNKED, "\n#4\n<a/>\n##\n", "<a/>|", 0, false },
	{ "three chunks", FRAMING_CHUNKED, "\n#1\n<\n#2\na/\n#1\n>\n##\n", "<a/>|", 0, false },
	{ "marks are data", FRAMING_CHUNKED, "\n#6\n]]>]]>\n##\n", "]]>]]>|", 0, false },
	{ "heads are data", FRAMING_CHUNKED, "\n#4\n\n##\n\n##\n", "\n##\n|", 0, false },
	{ "two messages", FRAMING_CHUNKED, "\n#1\na\n##\n\n#1\nb\n##\n", "a|b|", 0, false },
	{ "blanks between", FRAMING_CHUNKED, "\n \r\n\n#1\na\n##\n\n\n#1\nb\n##\n\n", "a|b|", 0,
	    false },
	{ "blank inside", FRAMING_CHUNKED, "\n#1\na\n\n#1\nb\n##\n", "", -EPROTO, true },
	{ "half a head", FRAMING_CHUNKED, "\n#1", "", 0, true },
	{ "half a chunk", FRAMING_CHUNKED, "\n#4\n<a", "", 0, true },
	{ "no end", FRAMING_CHUNKED, "\n#1\na", "", 0, true },
	{ "longest", FRAMING_CHUNKED, "\n#32\n" TEN TEN TEN "12\n##\n", TEN TEN TEN "12|", 0,
	    false },
	{ "too long", FRAMING_CHUNKED, "\n#33\n", "", -EMSGSIZE, true },
	{ "too long in sum", FRAMING_CHUNKED, "\n#20\n" TEN TEN "\n#13\n", "", -EMSGSIZE, true },
	{ "largest size", FRAMING_CHUNKED, "\n#4294967295\n", "", -EMSGSIZE, true },
	{ "size over 32 bits", FRAMING_CHUNKED, "\n#4294967296\n", "", -EPROTO, true },
	{ "size over 64 bits", FRAMING_CHUNKED, "\n#18446744073709551617\n", "", -EPROTO, true },
	{ "size zero", FRAMING_CHUNKED, "\n#0\n", "", -EPROTO, true },
	{ "leading zero", FRAMING_CHUNKED, "\n#01\na\n##\n", "", -EPROTO, true },
	{ "no size", FRAMING_CHUNKED, "\n#\n", "", -EPROTO, true },
	{ "sign", FRAMING_CHUNKED, "\n#+1\na\n##\n", "", -EPROTO, true },
	{ "hexadecimal", FRAMING_CHUNKED, "\n#0x4\n<a/>\n##\n", "", -EPROTO, true },
	{ "no chunk", FRAMING_CHUNKED, "\n##\n", "", -EPROTO, false },
	{ "three hashes", FRAMING_CHUNKED, "\n#1\na\n###\n", "", -EPROTO, true },
	{ "hash then digit", FRAMING_CHUNKED, "\n##1\n", "", -EPROTO, true },
	{ "no line feed", FRAMING_CHUNKED, "#1\na\n##\n", "", -EPROTO, true },
	{ "old framing", FRAMING_CHUNKED, "<a/>" MARK, "", -EPROTO, true },
};

struct outcome {
	char messages[256];
	int end;
	bool partial;
};

static void
collect(struct framing *framing, struct outcome *outcome)
{
	const char *message;
	size_t size;

	while ((outcome->end = framing_next(framing, &message, &size)) == 1) {
		assert_int_equal(strlen(message), size);
		strcat(outcome->messages, message);
		strcat(outcome->messages, "|");
	}
}

/* Feeds input in pieces of 1..max_piece bytes, as seed says. */
static struct outcome
decode(const struct decode_case *c, size_t max_piece, unsigned *seed)
{
	struct framing *framing = framing_new(MAX_MESSAGE);
	struct outcome outcome = { .messages = "" };
	size_t size = strlen(c->input), done = 0;

	framing_set_version(framing, c->version);
	collect(framing, &outcome);
	while (done < size) {
		size_t piece = 1 + (size_t)rand_r(seed) % max_piece;

		if (piece > size - done)
			piece = size - done;
		framing_feed(framing, c->input + done, piece);
		collect(framing, &outcome);
		done += piece;
	}
	outcome.partial = framing_is_partial(framing);
	framing_free(framing);
	return outcome;
}

static void
check(const struct decode_case *c, const struct outcome *got)
{
	if (strcmp(got->messages, c->want) == 0 && got->end == c->end &&
	    (c->end < 0 || got->partial == c->partial))
		return;
	fail_msg("%s (%s): got \"%s\", end %d, partial %d", c->name,
	    c->version == FRAMING_EOM ? "eom" : "chunked", got->messages, got->end, got->partial);
}

static void
test_cases(void **state)
{
	const char *seed_text = getenv("SEED");
	unsigned seed = seed_text ? (unsigned)strtoul(seed_text, NULL, 0) : (unsigned)time(NULL);
	size_t i, piece;

	(void)state;
	print_message("SEED=%u\n", seed);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (piece = 1; piece <= 64; piece *= 2) {
			struct outcome got = decode(&cases[i], piece, &seed);

			check(&cases[i], &got);
		}
}

/* A router that offers 1.1: the hello ends with a mark, the next bytes are chunks. */
static void
test_change_of_version(void **state)
{
	static const char input[] = "<hello/>" MARK "\n\n#4\n<a/>\n##\n";
	struct framing *framing = framing_new(MAX_MESSAGE);
	const char *message;
	size_t size;

	(void)state;
	framing_feed(framing, input, sizeof(input) - 1);
	assert_int_equal(framing_next(framing, &message, &size), 1);
	assert_string_equal(message, "<hello/>");
	framing_set_version(framing, FRAMING_CHUNKED);
	assert_int_equal(framing_next(framing, &message, &size), 1);
	assert_string_equal(message, "<a/>");
	assert_int_equal(framing_next(framing, &message, &size), 0);
	framing_free(framing);
}

/* Messages with NUL bytes keep their size; an error stays. */
static void
test_nul_and_final_error(void **state)
{
	struct framing *framing = framing_new(MAX_MESSAGE);
	const char *message;
	size_t size;

	(void)state;
	framing_feed(framing, "a\0b" MARK, 9);
	assert_int_equal(framing_next(framing, &message, &size), 1);
	assert_int_equal(size, 3);
	assert_memory_equal(message, "a\0b", 4);
	framing_set_version(framing, FRAMING_CHUNKED);
	framing_feed(framing, "x", 1);
	assert_int_equal(framing_next(framing, &message, &size), -EPROTO);
	framing_feed(framing, "\n#1\na\n##\n", 9);
	assert_int_equal(framing_next(framing, &message, &size), -EPROTO);
	framing_free(framing);
}

/* What head and tail write, the decoder reads; also large, and one after the other. */
static void
test_round_trip(void **state)
{
	static const size_t sizes[] = { 1, 9, 4095, 4096, 70000, 3000000, 5 };
	enum framing_version version;

	(void)state;
	for (version = FRAMING_EOM; version <= FRAMING_CHUNKED; version++) {
		struct framing *framing = framing_new(4 << 20);
		size_t i;

		framing_set_version(framing, version);
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			char head[FRAMING_HEAD_SIZE], *body = xcalloc(sizes[i], 1);
			const char *tail = framing_tail(version), *message;
			size_t size;

			memset(body, 'x', sizes[i]);
			framing_feed(framing, head, framing_head(version, sizes[i], head));
			framing_feed(framing, body, sizes[i]);
			assert_true(framing_is_partial(framing));
			framing_feed(framing, tail, strlen(tail));
			assert_int_equal(framing_next(framing, &message, &size), 1);
			assert_int_equal(size, sizes[i]);
			assert_memory_equal(message, body, size);
			assert_int_equal(framing_next(framing, &message, &size), 0);
			assert_false(framing_is_partial(framing));
			free(body);
		}
		framing_free(framing);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_change_of_version),
		cmocka_unit_test(test_nul_and_final_error),
		cmocka_unit_test(test_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
