/* SPDX-License-Identifier: BSD-3-Clause */
/* One syslog line: always some event, and a peer whenever the event is about one. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "syslogmsg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event event;
	char text[IP_TEXT_SIZE];

	syslogmsg_decode((const char *)data, size, &event);
	if (event.kind >= EVENT_KIND_COUNT || event.cause >= CAUSE_COUNT ||
	    event.source != SOURCE_SYSLOG || !memchr(event.instance, '\0', sizeof(event.instance)))
		abort();
	if (!ip_format(&event.peer, text))
		abort();
	return 0;
}
