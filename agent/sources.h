/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The listeners: a BMP station (RFC 7854, TCP) and a syslog receiver (UDP and TCP, RFC 6587 both
 * framings). Bytes in, events out through one callback. A foreign source, garbage or too much is
 * counted and logged at most once a minute; the listener keeps working.
 */
#ifndef AUTOFBF_SOURCES_H
#define AUTOFBF_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "event.h"
#include "profile.h"

struct event_base;
struct sources;

typedef void source_event_fn(void *arg, const struct event *event);

struct source_counters {
	uint64_t messages, events, errors, foreign;
	bool connected; /* BMP: a session has spoken and stands. syslog: something came since start
	                 */
	struct mtime last; /* last message; MTIME_NEVER: none */
	/* It last told of a session; or, if later, could from then on: it listens, BMP is
	 * connected. */
	struct mtime word_at;
};

/* 0, or -errno with err when a listener cannot be bound. profile is borrowed. standing: NULL, or
 * the listeners of another profile that still run: those that are the same are not bound again;
 * those that are not are no obstacle, and stand as before if this fails or is freed. */
int sources_new(struct event_base *base, const struct profile *profile,
    const struct sources *standing, source_event_fn *fn, void *arg, struct sources **ret_sources,
    struct error *err);
/* Takes over, from what stood when sources was made, the counters and the listeners that are the
 * same, with their sessions. A session that may not speak any more ends. Datagrams that have come
 * to a listener that ends are heard. fn may be called. from is freed next. */
void sources_inherit(struct sources *sources, struct sources *from);
/* Not from inside fn. */
void sources_free(struct sources *sources);
/* which: SOURCE_BMP or SOURCE_SYSLOG. */
const struct source_counters *sources_get_counters(
    const struct sources *sources, enum event_source which);

#endif
