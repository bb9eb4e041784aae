/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words of event.h: what logs, the history, the operator's screen and autofbf-decode print for
 * a source, a kind and a cause. They are part of the interface, so they live in one place; a cause
 * that nobody told has no word and is left out by whoever prints it.
 */
#include "event.h"

#include <stddef.h>

const char *const event_source_names[SOURCE_COUNT] = {
	[SOURCE_BMP] = "bmp",
	[SOURCE_SYSLOG] = "syslog",
	[SOURCE_POLL] = "poll",
};

const char *const event_kind_names[EVENT_KIND_COUNT] = {
	[EVENT_BGP_UP] = "bgp-up",
	[EVENT_BGP_DOWN] = "bgp-down",
	[EVENT_BFD_UP] = "bfd-up",
	[EVENT_BFD_DOWN] = "bfd-down",
	[EVENT_UNKNOWN] = "unknown",
	[EVENT_SOURCE_LOST] = "source-lost",
	[EVENT_COMMITTED] = "committed",
	[EVENT_IGNORED] = "ignored",
};

const char *const event_cause_names[CAUSE_COUNT] = {
	[CAUSE_UNKNOWN] = NULL,
	[CAUSE_BFD] = "bfd",
	[CAUSE_HOLD_TIMER] = "hold-timer",
	[CAUSE_ADMIN] = "admin",
	[CAUSE_NOTIFICATION_SENT] = "notification-sent",
	[CAUSE_NOTIFICATION_RECEIVED] = "notification-received",
	[CAUSE_CLOSED] = "closed",
	[CAUSE_MONITORING_STOPPED] = "monitoring-stopped",
};
