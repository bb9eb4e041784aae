/* SPDX-License-Identifier: BSD-3-Clause */
/* Heads of HTTP requests: good, bad, and in pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/publish/http_request.h"

#define LONG_PATH \
	"/0123456789012345678901234567890123456789012345678901234567890123456789" \
	"01234567890123456789012345678901234567890123456789012345678901234567890"

static const struct {
	const char *bytes;
	int status;
	const char *path;
	bool is_head;
} cases[] = {
	{ "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", 200, "/metrics", false },
	{ "HEAD /healthz HTTP/1.0\r\n\r\n", 200, "/healthz", true },
	{ "GET /metrics HTTP/1.1\n\n", 200, "/metrics", false },
	{ "GET /metrics?a=b HTTP/1.1\r\n\r\n", 200, "/metrics", false },
	{ "GET http://h:1/metrics HTTP/1.1\r\n\r\n", 200, "/metrics", false },
	{ "GET http://h HTTP/1.1\r\n\r\n", 400, NULL, false },
	{ "GET metrics HTTP/1.1\r\n\r\n", 400, NULL, false },
	{ "GET  /metrics HTTP/1.1\r\n\r\n", 400, NULL, false },
	{ "GET /metrics HTTP/1.1 x\r\n\r\n", 400, NULL, false },
	{ "GET /metrics\r\n\r\n", 400, NULL, false },
	{ "GET\r\n\r\n", 400, NULL, false },
	{ "\r\n\r\n", 400, NULL, false },
	{ "\n\n", 400, NULL, false },
	{ " / HTTP/1.1\r\n\r\n", 400, NULL, false },
	{ "GET /\x01 HTTP/1.1\r\n\r\n", 400, NULL, false },
	{ "GET / HTTP/1.1\r\nX: \x7f\r\n\r\n", 400, NULL, false },
	{ "\x16\x03\x01\x02", 400, NULL, false }, /* TLS: refused at its first byte */
	{ "GET / HTTP/2.0\r\n\r\n", 505, NULL, false },
	{ "GET / HTTQ/1.1\r\n\r\n", 400, NULL, false },
	{ "PRI * HTTP/2.0\r\n\r\n", 505, NULL, false },
	{ "POST /metrics HTTP/1.1\r\n\r\n", 405, NULL, false },
	{ "get /metrics HTTP/1.1\r\n\r\n", 405, NULL, false },
	{ "GET " LONG_PATH " HTTP/1.1\r\n\r\n", 414, NULL, false },
	{ "GET /metrics HTTP/1.1\r\nHost: x\r\n", 0, NULL, false },
	{ "", 0, NULL, false },
};

static void
test_cases(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct http_request request = { .path = "untouched" };
		int status = http_request_read(cases[i].bytes, strlen(cases[i].bytes), &request);

		if (status != cases[i].status)
			fail_msg("case %zu: %d in place of %d", i, status, cases[i].status);
		assert_string_equal(request.path, cases[i].path ? cases[i].path : "untouched");
		if (status == 200)
			assert_int_equal(request.is_head, cases[i].is_head);
	}
}

/* Until the last byte is there, nothing is decided about a good request. */
static void
test_pieces(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct http_request request;

		if (cases[i].status != 200)
			continue;
		for (size_t size = 0; size < strlen(cases[i].bytes); size++)
			assert_int_equal(http_request_read(cases[i].bytes, size, &request), 0);
	}
}

static void
test_long_head(void **state)
{
	size_t size = 2 * HTTP_HEAD_MOST;
	char *bytes = malloc(size);
	struct http_request request;

	memset(bytes, 'a', size);
	memcpy(bytes, "GET / HTTP/1.1\r\nX: ", 19);
	assert_int_equal(http_request_read(bytes, HTTP_HEAD_MOST, &request), 0);
	assert_int_equal(http_request_read(bytes, HTTP_HEAD_MOST + 1, &request), 431);
	memcpy(bytes + size - 4, "\r\n\r\n", 4);
	assert_int_equal(http_request_read(bytes, size, &request), 431);
	free(bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_long_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
