/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One syslog line of a Junos router to an event. Understands BSD (RFC 3164), dated (year and
 * milliseconds), explicit-priority (%DAEMON-4-TAG) and RFC 5424 structured lines. Kinds:
 * bgp-up/bgp-down (RPD_BGP_NEIGHBOR_STATE_CHANGED to or from Established), bfd-up/bfd-down
 * (BFDD_STATE_*, BFDD_TRAP_*HOP_STATE_*), EVENT_COMMITTED (UI_COMMIT_COMPLETED, static database),
 * EVENT_IGNORED for the rest. No sockets, no clock: fuzzed.
 */
#ifndef AUTOFBF_SYSLOGMSG_H
#define AUTOFBF_SYSLOGMSG_H

#include <stddef.h>

#include "event.h"

enum { SYSLOG_MAX_LINE = 8192 };

/* Never fails: what is not understood is EVENT_IGNORED. line needs no NUL. */
void syslogmsg_decode(const char *line, size_t size, struct event *ret_event);

#endif
