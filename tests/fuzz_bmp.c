/* SPDX-License-Identifier: BSD-3-Clause */
/* A BMP stream, message after message: what is decoded lies inside the bytes that are there. */
#include <stdlib.h>
#include <string.h>

#include "bmp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event event;
	int rc;

	for (size_t at = 0; (rc = bmp_decode(data + at, size - at, &event)) != 0;
	     at += (size_t)rc) {
		if (rc < 0)
			break;
		if ((size_t)rc > size - at || event.cause >= CAUSE_COUNT ||
		    !memchr(event.instance, '\0', sizeof(event.instance)))
			abort();
	}
	return 0;
}
