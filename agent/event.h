/* SPDX-License-Identifier: BSD-3-Clause */
/* What happened: everything that enters the core is one of these. Values only, no ownership. */
#ifndef AUTOFBF_EVENT_H
#define AUTOFBF_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "mtime.h"
#include "prefix.h"

enum event_source { SOURCE_BMP, SOURCE_SYSLOG, SOURCE_POLL, SOURCE_COUNT };
extern const char *const event_source_names[SOURCE_COUNT]; /* "bmp", "syslog", "poll" */

enum event_kind {
	EVENT_BGP_UP,   /* reached Established */
	EVENT_BGP_DOWN, /* not Established any more, or not Established (poll, BMP initial dump) */
	EVENT_BFD_UP,
	EVENT_BFD_DOWN,
	EVENT_UNKNOWN, /* this source has no verdict on the peer any more (RFC 7854 4.9 reason 5) */
	EVENT_SOURCE_LOST, /* this source has no verdict on any peer any more; peer unused */
	EVENT_COMMITTED,   /* somebody committed the static configuration; peer unused */
	EVENT_IGNORED,
	EVENT_KIND_COUNT
};
extern const char
    *const event_kind_names[EVENT_KIND_COUNT]; /* "bgp-up", "bgp-down", "bfd-up", ... */

enum event_cause {
	CAUSE_UNKNOWN,
	CAUSE_BFD,
	CAUSE_HOLD_TIMER,
	CAUSE_ADMIN,
	CAUSE_NOTIFICATION_SENT,
	CAUSE_NOTIFICATION_RECEIVED,
	CAUSE_CLOSED,
	CAUSE_MONITORING_STOPPED,
	CAUSE_COUNT
};
extern const char *const event_cause_names[CAUSE_COUNT]; /* NULL for CAUSE_UNKNOWN */

enum { EVENT_INSTANCE_SIZE = 64 };

struct event {
	enum event_kind kind;
	enum event_source source;
	enum event_cause cause;
	struct ip peer;
	char instance[EVENT_INSTANCE_SIZE]; /* "" when the source does not say */
	int64_t established_s; /* BGP_UP by poll: seconds since Established; -1: not told */
	struct mtime at; /* arrival; for SOURCE_POLL the time at which the REQUEST was sent, so that
	                    an answer cannot overrule an event that came after the question */
};

#endif
