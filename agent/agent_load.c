/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the counters say of elements that BGP and BFD believe in: one that takes and does not give,
 * one that owns nothing and still carries, one whose part of the traffic is not its part of the
 * units; and packets of subscribers that are in no list.
 *
 * Only what was read lately is judged, and only windows that began after the fact in question. An
 * element that was not read is left out, of the traffic and of the units; why it was not read, the
 * key figures tell. Everything here only tells: no unit moves because of a counter.
 */
#include "agent_kpi_internal.h"

#include "agent_internal.h"
#include "alarm.h"

enum { UNLISTED_MS = 60000 }; /* so long it must go on, and so long it may pause */

double
agent_load_units(const struct agent *agent, size_t g, size_t e, enum kpi_gauge gauge)
{
	double units = 0;

	for (enum family f = 0; f < FAMILY_COUNT; f++)
		if (agent->family[g][f].space &&
		    (gauge == KPI_BY_INTERFACES || gauge == (enum kpi_gauge)f))
			units += agent->family[g][f].effective_share[e];
	return units;
}

size_t
agent_load_sum(const struct agent *agent, size_t g, size_t but, enum kpi_gauge gauge,
    struct mtime now, struct kpi_meter *ret_sent, double *ret_units)
{
	const struct profile_group *group = &agent->profile->groups[g];
	size_t count = 0;

	*ret_sent = (struct kpi_meter){ 0 };
	*ret_units = 0;
	for (size_t e = 0; e < group->element_count; e++) {
		struct kpi_meter sent;

		agent_kpi_gauge(agent, g, e, gauge, &sent);
		if (e == but || group->elements[e].removed ||
		    !kpi_meter_is_fresh(&sent, now, agent_kpi_stale_ms(agent)))
			continue;
		kpi_meter_add(ret_sent, &sent);
		*ret_units += agent_load_units(agent, g, e, gauge);
		count++;
	}
	return count;
}

/* ---- silence ------------------------------------------------------------------------------- */

static bool
is_up(const struct agent *agent, size_t g, size_t e)
{
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		if (agent->family[g][f].space && health_is_healthy(agent->health, g, e, f))
			return true;
	return false;
}

/* What is sent into one side must come out of the other. */
static void
measure_way(const struct agent *agent, size_t g, size_t e, unsigned way, struct kpi_meter *ret_sent,
    struct kpi_meter *ret_received)
{
	*ret_sent = *ret_received = (struct kpi_meter){ 0 };
	for (enum side s = 0; s < SIDE_COUNT; s++) {
		struct kpi_meter sent = { 0 }, received = { 0 };

		agent_kpi_add_side(agent, g, e, s, &sent, &received);
		if (way == KPI_BOTH_WAYS || way == s)
			kpi_meter_add(ret_sent, &sent);
		if (way == KPI_BOTH_WAYS || way != s)
			kpi_meter_add(ret_received, &received);
	}
}

/* Nobody has asked for what scanners send into the outside, and a healthy element drops it: what
 * comes back to those who are sent into the inside tells the difference. */
static bool
is_answered(const struct agent *agent, size_t g, size_t e)
{
	struct kpi_meter sent = { 0 }, received = { 0 };

	agent_kpi_add_side(agent, g, e, SIDE_INSIDE, &sent, &received);
	return !sent.has_rate || !received.has_rate ||
	       received.packets_s * 100 >= sent.packets_s * KPI_SILENT_PERCENT;
}

/* Who takes over flows in their middle drops most of them at first. */
static bool
is_silent(const struct agent *agent, size_t g, size_t e, unsigned way)
{
	const struct kpi_element *element = &agent->kpi->groups[g].elements[e];
	struct mtime settled_at =
	    mtime_add_ms(element->gained_at, agent->profile->poll_interval_ms);
	struct kpi_meter sent, received;

	measure_way(agent, g, e, way, &sent, &received);
	return is_up(agent, g, e) && agent_load_units(agent, g, e, KPI_BY_INTERFACES) > 0 &&
	       kpi_meter_is_after(&sent, settled_at) && kpi_is_silent(&sent, &received) &&
	       (way == SIDE_INSIDE || !is_answered(agent, g, e));
}

void
agent_load_judge(struct agent *agent, struct mtime now)
{
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (size_t e = 0; e < agent->profile->groups[g].element_count; e++)
			for (unsigned way = 0; way < KPI_WAYS; way++) {
				unsigned *rounds =
				    &agent->kpi->groups[g].elements[e].silent_rounds[way];

				*rounds = is_silent(agent, g, e, way) ? *rounds + 1 : 0;
			}
}

static const struct {
	const char *into, *back;
} way_names[KPI_WAYS] = {
	[SIDE_INSIDE] = { "its inside", "out of its outside" },
	[SIDE_OUTSIDE] = { "its outside", "out of its inside" },
	[KPI_BOTH_WAYS] = { "it", "back" },
};

static void
assert_silence(
    const struct agent *agent, struct alarms *alarms, size_t g, size_t e, struct mtime now)
{
	const struct profile_group *group = &agent->profile->groups[g];
	const struct alarm_condition condition = {
		.type = ALARM_SILENT_ELEMENT, .group = group->id, .element = group->elements[e].id
	};

	for (unsigned way = 0; way < KPI_WAYS; way++) {
		struct kpi_meter sent, received;

		measure_way(agent, g, e, way, &sent, &received);
		if (agent->kpi->groups[g].elements[e].silent_rounds[way] < KPI_SILENT_WINDOWS ||
		    !kpi_meter_is_fresh(&sent, now, agent_kpi_stale_ms(agent)))
			continue;
		alarms_assert(alarms, &condition,
		    "%ju packets a second are sent into %s, %ju come %s; BGP and BFD are up",
		    (uintmax_t)sent.packets_s, way_names[way].into, (uintmax_t)received.packets_s,
		    way_names[way].back);
		return;
	}
}

/* ---- load against units -------------------------------------------------------------------- */

static void
assert_drained(
    const struct agent *agent, struct alarms *alarms, size_t g, size_t e, struct mtime now)
{
	const struct profile_group *group = &agent->profile->groups[g];
	const struct alarm_condition condition = { .type = ALARM_DRAINED_STILL_CARRYING,
		.group = group->id,
		.element = group->elements[e].id };
	struct kpi_meter sent, all;
	double units;

	if (!agent->lists_known || agent_load_units(agent, g, e, KPI_BY_INTERFACES) > 0)
		return;
	agent_kpi_gauge(agent, g, e, KPI_BY_INTERFACES, &sent);
	agent_load_sum(agent, g, SIZE_MAX, KPI_BY_INTERFACES, now, &all, &units);
	if (kpi_meter_is_after(&sent, agent->kpi->groups[g].elements[e].drained_at) &&
	    kpi_meter_is_fresh(&sent, now, agent_kpi_stale_ms(agent)) &&
	    sent.packets_s > KPI_IDLE_PACKETS_S &&
	    kpi_carries_more(&sent, &all, KPI_DRAINED_PERCENT))
		alarms_assert(alarms, &condition,
		    "it owns no units, and %ju packets a second of the group's %ju are sent into "
		    "it",
		    (uintmax_t)sent.packets_s, (uintmax_t)all.packets_s);
}

/* A family by itself: IPv6 may have as many units as IPv4 and a tenth of its packets. */
static void
assert_shares(
    const struct agent *agent, struct alarms *alarms, size_t g, enum family f, struct mtime now)
{
	const struct profile_group *group = &agent->profile->groups[g];
	struct kpi_meter part, all;
	double units, all_units;

	agent_load_sum(agent, g, SIZE_MAX, (enum kpi_gauge)f, now, &all, &all_units);
	if (!kpi_meter_is_after(&all, agent->kpi->committed_at))
		return;
	for (size_t e = 0; e < group->element_count; e++) {
		const struct alarm_condition condition = { .type = ALARM_SHARE_OFF,
			.group = group->id,
			.element = group->elements[e].id,
			.family = family_names[f] };

		agent_kpi_gauge(agent, g, e, (enum kpi_gauge)f, &part);
		units = agent_load_units(agent, g, e, (enum kpi_gauge)f);
		if (!group->elements[e].removed &&
		    kpi_meter_is_fresh(&part, now, agent_kpi_stale_ms(agent)) &&
		    kpi_share_is_off(&part, &all, units, all_units, KPI_SHARE_OFF_PERCENT))
			alarms_assert(alarms, &condition,
			    "%.1f %% of the steered packets, %.1f %% of the units",
			    100.0 * (double)part.packets_s / (double)all.packets_s,
			    100.0 * units / all_units);
	}
}

/* ---- unlisted subscribers ------------------------------------------------------------------ */

static int64_t
longest_pause_ms(const struct agent *agent)
{
	int64_t stale_ms = agent_kpi_stale_ms(agent);

	return stale_ms > UNLISTED_MS ? stale_ms : UNLISTED_MS;
}

void
agent_load_note_unlisted(struct agent *agent, size_t g, enum family f, struct mtime at)
{
	kpi_episode_feed(&agent->kpi->groups[g].unlisted[f], at, longest_pause_ms(agent));
}

/* Somebody who tries now and then is there also while he pauses. */
static void
assert_unlisted(
    const struct agent *agent, struct alarms *alarms, size_t g, enum family f, struct mtime now)
{
	const struct kpi_group *group = &agent->kpi->groups[g];
	int64_t lasts_us = kpi_episode_lasts(&group->unlisted[f], now, longest_pause_ms(agent));
	const struct alarm_condition condition = { .type = ALARM_UNLISTED_SUBSCRIBERS,
		.group = agent->profile->groups[g].id,
		.family = family_names[f],
		.age_us = lasts_us };
	uint64_t packets_s = 0;

	if (lasts_us < (int64_t)UNLISTED_MS * 1000)
		return;
	for (enum side s = 0; s < SIDE_COUNT; s++)
		if (group->filters[f][s].unlisted.has_rate)
			packets_s += group->filters[f][s].unlisted.packets_s;
	alarms_assert(alarms, &condition,
	    "packets from or to addresses of the group's space that no list names are dropped, "
	    "%ju a second when last counted",
	    (uintmax_t)packets_s);
}

void
agent_load_assert(const struct agent *agent, struct alarms *alarms)
{
	struct mtime now = mtime_now();

	for (size_t g = 0; g < agent->profile->group_count; g++) {
		const struct profile_group *group = &agent->profile->groups[g];

		for (size_t e = 0; e < group->element_count; e++) {
			if (group->elements[e].removed)
				continue;
			assert_silence(agent, alarms, g, e, now);
			assert_drained(agent, alarms, g, e, now);
		}
		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			if (!agent->family[g][f].space)
				continue;
			assert_shares(agent, alarms, g, f, now);
			assert_unlisted(agent, alarms, g, f, now);
		}
	}
}
