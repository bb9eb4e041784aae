/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The traffic probe: what its parts share. Packets are numbered from 0; number modulo subscribers
 * is the subscriber, so packet numbers, their send times and one bit "answered" are the whole
 * memory, and every figure is computed from them at the end.
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prefix.h"

struct probe_packet {
	int64_t sent_us; /* monotonic; PROBE_NOT_SENT: the system refused it */
	bool is_answered;
};
#define PROBE_NOT_SENT INT64_MIN

struct probe {
	struct ip *subscribers; /* owned */
	size_t subscriber_count;
	struct ip servers[FAMILY_COUNT];
	bool has_server[FAMILY_COUNT];
	uint16_t port;
	uint32_t rate;       /* packets per second over all subscribers */
	int64_t duration_us; /* 0: until a signal */

	struct probe_packet *packets; /* owned; from here on: what the run left */
	size_t count, capacity;
	int64_t wall_offset_us;          /* wall clock minus monotonic */
	uint64_t send_errors;            /* packets that the system would not send */
	uint64_t late;                   /* packets sent more than 5 ms after their time */
	uint64_t foreign;                /* answers to somebody else's packets */
	uint32_t overruns[FAMILY_COUNT]; /* answers that found the receive buffer full */
};

/* Subscribers: count addresses spread over a pool, one in each of count equal shares, at a place
 * inside the share that does not repeat (an even step would always hit the same element). */
void probe_add_pool(struct probe *probe, const struct prefix *pool, uint32_t count);
/* One address a line. Ends the process when the file is bad. */
void probe_add_list(struct probe *probe, const char *path);
/* Families take turns, so that both see a failure at the same moment. */
void probe_mix_families(struct probe *probe);

/* Sends until the duration is over or SIGTERM or SIGINT comes, then waits for late answers. */
void probe_send(struct probe *probe);

/* Sends every packet back until SIGTERM or SIGINT. */
void probe_reflect(const struct ip *listen, size_t count, uint16_t port);

/* path "-" is standard output. These end the process when the file cannot be written. */
void probe_write_csv(const struct probe *probe, const char *path);
void probe_write_losses(const struct probe *probe, const char *path);
void probe_write_summary(const struct probe *probe); /* standard error */

#endif
