/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzzes the reader of HTTP heads. A verdict may not change when more bytes come: what was refused
 * stays refused, what was a request stays the same request.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/publish/http_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_request whole = { 0 }, part = { 0 };
	int verdict = http_request_read((const char *)data, size, &whole);
	size_t first = size / 2;
	int earlier = http_request_read((const char *)data, first, &part);

	if (verdict == 200 && (whole.path[0] != '/' || strlen(whole.path) >= HTTP_PATH_SIZE))
		abort();
	if (earlier != 0 && earlier != verdict)
		abort();
	if (earlier == 200 && strcmp(whole.path, part.path) != 0)
		abort();
	return 0;
}
