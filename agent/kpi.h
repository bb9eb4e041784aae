/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Key figures from counters: rates with the window they are averages over, discontinuities, and
 * histograms of how long failovers take. Values in, values out; times are handed in.
 *
 * A rate is the difference of two readings over the time between them, never an estimate: before
 * the second reading there is none, and after a discontinuity (RFC 2578 section 7.1.6: a reset, a
 * filter that was compiled anew, a reboot) there is none for one reading.
 */
#ifndef AUTOFBF_KPI_H
#define AUTOFBF_KPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mtime.h"

/* A pair of counters as the router tells them. */
struct kpi_reading {
	uint64_t packets, octets;
};

/* A zeroed struct has never been fed. */
struct kpi_meter {
	bool has_reading, has_rate;
	bool is_sum;                        /* something was added */
	bool is_restarted;                  /* since the last reading: the next one begins anew */
	struct kpi_reading reading, before; /* the last one and the one before */
	struct mtime at;
	int64_t window_us;          /* between the two; has_rate */
	struct mtime discontinuity; /* of the last one; 0: none was seen */
	uint64_t packets_s, bits_s; /* per second, rounded to the nearest; has_rate */
};

/* Times must not run backwards; a second reading at the same moment replaces the first. */
void kpi_meter_feed(struct kpi_meter *meter, const struct kpi_reading *reading, struct mtime at);
/* The counter is not there any more: as never fed, but when it was read again counts as a
 * discontinuity. */
void kpi_meter_lose(struct kpi_meter *meter);
/* The counter may have begun anew, which its next value need not show: it may have overtaken the
 * last one by then. The rate of the window that is over stands. */
void kpi_meter_restart(struct kpi_meter *meter);
/* Adds a meter to a sum (a zeroed struct to begin with): counters and rates are added, of windows
 * the longest, of discontinuities the latest, of readings the oldest. A sum has a reading, and a
 * rate, when all its parts have, in whatever order they are added. */
void kpi_meter_add(struct kpi_meter *sum, const struct kpi_meter *part);
/* There is a rate, and its window began when that had happened. */
bool kpi_meter_is_after(const struct kpi_meter *meter, struct mtime happened);
/* There is a rate, and it was read no longer ago. */
bool kpi_meter_is_fresh(const struct kpi_meter *meter, struct mtime now, int64_t age_ms);

/* What comes and goes: when it was seen first and last without too long a gap. Zeroed: never. */
struct kpi_episode {
	struct mtime first, last;
};
void kpi_episode_feed(struct kpi_episode *episode, struct mtime seen, int64_t gap_ms);
/* How long it has been going on, in microseconds; 0: seen once, or the gap is too long by now. */
int64_t kpi_episode_lasts(const struct kpi_episode *episode, struct mtime now, int64_t gap_ms);

enum { KPI_BUCKETS = 17 };
/* Upper bounds in microseconds, inclusive, ascending; what is longer is in the count only. */
extern const uint64_t kpi_bucket_us[KPI_BUCKETS];

struct kpi_histogram {
	uint64_t buckets[KPI_BUCKETS]; /* each its own, not cumulative */
	uint64_t count, sum_us, maximum_us;
};

void kpi_histogram_add(struct kpi_histogram *histogram, uint64_t us);

/* How long failovers take, stage by stage. */
enum kpi_stage {
	KPI_SENT,          /* event readable -> open request written */
	KPI_COMMITTED,     /* open request written -> commit acknowledged */
	KPI_READ_BACK,     /* commit acknowledged -> lists read back */
	KPI_TRAFFIC_MOVED, /* event -> counters that show it */
	KPI_STAGE_COUNT
};
extern const char *const kpi_stage_names[KPI_STAGE_COUNT]; /* "sent", "committed", ... */

/* Grey failure: at least so much sent to an element and less than this share coming back, for so
 * many readings in a row, is silence. */
enum { KPI_SILENT_PACKETS_S = 1000, KPI_SILENT_PERCENT = 5, KPI_SILENT_WINDOWS = 2 };
/* An element that owns nothing and still carries more than so many per cent of its group's packets
 * has not been drained. */
enum { KPI_DRAINED_PERCENT = 1 };
/* An element whose share of a family's traffic is off its share of the units by more than this, in
 * a group that gets so many packets of the family: with fewer, one subscriber at night is enough.
 */
enum { KPI_SHARE_OFF_PERCENT = 30, KPI_SHARE_PACKETS_S = 20000 };

/* sent into one side, received from the other. */
bool kpi_is_silent(const struct kpi_meter *sent, const struct kpi_meter *received);
/* part of all, in packets per second; false when either has no rate. */
bool kpi_carries_more(const struct kpi_meter *part, const struct kpi_meter *all, unsigned percent);
/* The traffic's share differs from units/all_units by more than percent of the latter. False while
 * all carries less than KPI_SHARE_PACKETS_S: chance rules there. */
bool kpi_share_is_off(const struct kpi_meter *part, const struct kpi_meter *all, double units,
    double all_units, unsigned percent);

#endif
