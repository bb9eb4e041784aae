/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Syslog lines as Junos' daemons write them, to a collector over UDP or TCP. Changes of peers are
 * observed; commits are told by the caller. Never blocks: what the socket does not take is dropped.
 */
#ifndef LABROUTER_SYSLOG_OUT_H
#define LABROUTER_SYSLOG_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "database.h"
#include "error.h"
#include "peers.h"

struct syslog_out;

enum syslog_format {
	SYSLOG_BSD,        /* RFC 3164 */
	SYSLOG_DATED,      /* with milliseconds and year */
	SYSLOG_PRIORITY,   /* explicit-priority: %DAEMON-4-TAG */
	SYSLOG_STRUCTURED, /* RFC 5424 structured-data */
	SYSLOG_FORMAT_COUNT
};
extern const char *const syslog_format_names[SYSLOG_FORMAT_COUNT];

struct syslog_out_options {
	const char *collector; /* "127.0.0.1:5514" */
	const char *hostname;
	enum syslog_format format;
	bool use_tcp; /* one line per record */
};

int syslog_out_new(struct peer_table *table, const struct syslog_out_options *options,
    struct syslog_out **ret_out, struct error *err);
void syslog_out_free(struct syslog_out *out); /* NULL is fine */
/* UI_COMMIT_COMPLETED, or the two lines of an ephemeral commit. */
void syslog_out_committed(struct syslog_out *out, const struct database_change *change);
/* Off: nothing is sent (the box is booting). */
void syslog_out_set(struct syslog_out *out, bool is_on);
/* A line of the caller's words, from daemon "test". */
void syslog_out_line(struct syslog_out *out, const char *text);
/* Closes the socket; the next line opens another. */
void syslog_out_restart(struct syslog_out *out);
/* Lines come from this address from now on. -EINVAL with err. */
int syslog_out_set_source(struct syslog_out *out, const char *address, struct error *err);
uint64_t syslog_out_sent(const struct syslog_out *out);
uint64_t syslog_out_dropped(const struct syslog_out *out);

#endif
