/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Key figures from counters.
 *
 * A counter that went back has begun anew: no rate is made of it, for nobody knows how far it had
 * come. Packets and octets of one counter are judged together, so that a pair never mixes two
 * lives. Whoever knows of a restart by other ways says so (kpi_meter_restart). Sums are taken of
 * meters, not of readings, so that one interface that is gone shows as "no rate" and not as half
 * the traffic.
 *
 * Who owns which meter, and what an alarm makes of it, is agent_kpi.c's.
 */
#include "kpi.h"

const uint64_t kpi_bucket_us[KPI_BUCKETS] = { 100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000,
	100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000, 30000000 };

const char *const kpi_stage_names[KPI_STAGE_COUNT] = { "sent", "committed", "read-back",
	"traffic-moved" };

/* ---- meters -------------------------------------------------------------------------------- */

/* a * factor / us, rounded; without overflow for what a wire can carry (2^64 octets in a day). */
static uint64_t
per_second(uint64_t amount, uint64_t factor, int64_t us)
{
	__extension__ unsigned __int128 product = amount;

	product *= factor * UINT64_C(1000000);
	return (uint64_t)((product + (uint64_t)us / 2) / (uint64_t)us);
}

void
kpi_meter_feed(struct kpi_meter *meter, const struct kpi_reading *reading, struct mtime at)
{
	int64_t window = at.us - meter->at.us;

	if (meter->has_reading && window <= 0) {
		meter->reading = *reading;
		return;
	}
	meter->has_rate = meter->has_reading && !meter->is_restarted &&
	                  reading->packets >= meter->reading.packets &&
	                  reading->octets >= meter->reading.octets;
	if (!meter->has_rate && (meter->has_reading || meter->at.us))
		meter->discontinuity = at;
	if (meter->has_rate) {
		meter->before = meter->reading;
		meter->window_us = window;
		meter->packets_s = per_second(reading->packets - meter->before.packets, 1, window);
		meter->bits_s = per_second(reading->octets - meter->before.octets, 8, window);
	}
	meter->has_reading = true;
	meter->is_restarted = false;
	meter->reading = *reading;
	meter->at = at;
}

void
kpi_meter_lose(struct kpi_meter *meter)
{
	meter->has_reading = meter->has_rate = false;
}

void
kpi_meter_restart(struct kpi_meter *meter)
{
	meter->is_restarted = true;
}

void
kpi_meter_add(struct kpi_meter *sum, const struct kpi_meter *part)
{
	bool is_first = !sum->is_sum;

	sum->is_sum = true;
	sum->has_rate = (is_first || sum->has_rate) && part->has_rate;
	sum->has_reading = (is_first || sum->has_reading) && part->has_reading;
	sum->reading.packets += part->reading.packets;
	sum->reading.octets += part->reading.octets;
	sum->before.packets += part->before.packets;
	sum->before.octets += part->before.octets;
	sum->packets_s += part->packets_s;
	sum->bits_s += part->bits_s;
	if (part->window_us > sum->window_us)
		sum->window_us = part->window_us;
	if (part->discontinuity.us > sum->discontinuity.us)
		sum->discontinuity = part->discontinuity;
	if (is_first || part->at.us < sum->at.us)
		sum->at = part->at;
}

bool
kpi_meter_is_after(const struct kpi_meter *meter, struct mtime happened)
{
	return meter->has_rate && meter->at.us - meter->window_us >= happened.us;
}

bool
kpi_meter_is_fresh(const struct kpi_meter *meter, struct mtime now, int64_t age_ms)
{
	return meter->has_rate && mtime_diff_ms(now, meter->at) <= age_ms;
}

/* ---- what comes and goes ------------------------------------------------------------------- */

void
kpi_episode_feed(struct kpi_episode *episode, struct mtime seen, int64_t gap_ms)
{
	if (!episode->last.us || mtime_diff_ms(seen, episode->last) > gap_ms)
		episode->first = seen;
	episode->last = seen;
}

int64_t
kpi_episode_lasts(const struct kpi_episode *episode, struct mtime now, int64_t gap_ms)
{
	if (!episode->last.us || mtime_diff_ms(now, episode->last) > gap_ms)
		return 0;
	return episode->last.us - episode->first.us;
}

/* ---- histograms ---------------------------------------------------------------------------- */

void
kpi_histogram_add(struct kpi_histogram *histogram, uint64_t us)
{
	for (size_t i = 0; i < KPI_BUCKETS; i++)
		if (us <= kpi_bucket_us[i]) {
			histogram->buckets[i]++;
			break;
		}
	histogram->count++;
	histogram->sum_us += us;
	if (us > histogram->maximum_us)
		histogram->maximum_us = us;
}

/* ---- judgements ---------------------------------------------------------------------------- */

bool
kpi_is_silent(const struct kpi_meter *sent, const struct kpi_meter *received)
{
	return sent->has_rate && received->has_rate && sent->packets_s > KPI_SILENT_PACKETS_S &&
	       received->packets_s * 100 < sent->packets_s * KPI_SILENT_PERCENT;
}

bool
kpi_carries_more(const struct kpi_meter *part, const struct kpi_meter *all, unsigned percent)
{
	return part->has_rate && all->has_rate && part->packets_s * 100 > all->packets_s * percent;
}

bool
kpi_share_is_off(const struct kpi_meter *part, const struct kpi_meter *all, double units,
    double all_units, unsigned percent)
{
	double expected, off;

	if (!part->has_rate || !all->has_rate || all->packets_s < KPI_SHARE_PACKETS_S ||
	    units <= 0 || all_units <= 0)
		return false;
	expected = (double)all->packets_s * units / all_units;
	off = (double)part->packets_s - expected;
	return (off < 0 ? -off : off) * 100 > expected * percent;
}
