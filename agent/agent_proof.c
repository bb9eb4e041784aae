/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proof by counters: packets tell whether a commit has done what it says, and whether an element
 * that BGP and BFD believe in does anything at all.
 *
 * When an element has lost its last unit by a commit, what was sent to it must stop and the others
 * must get more. Extra rounds of counters are read then, soon and ever later, until they show it or
 * say that it is not so. An element that carried next to nothing proves nothing. Everything here
 * only tells: no unit moves because of a counter.
 */
#include "agent_kpi_internal.h"

#include <string.h>

#include "agent_internal.h"
#include "alarm.h"

enum { IDLE_PACKETS_S = 100 }; /* BGP and BFD of an idle element, both sides */
enum { PATIENCE_MS = 5000 };   /* a forwarding plane compiles filters for a while */
enum { RISE_PERCENT = 10 };    /* so much of what an element carried must show at the others */
static const int64_t look_after_ms[] = { 100, 300, 600, 1000, 2000, 3000, 5000 };
enum { LOOKS = sizeof(look_after_ms) / sizeof(look_after_ms[0]) };

static double
share_of(const struct agent *agent, size_t g, size_t e)
{
	double share = 0;

	for (enum family f = 0; f < FAMILY_COUNT; f++)
		if (agent->family[g][f].space)
			share += agent->family[g][f].effective_share[e];
	return share;
}

/* Packets per second sent to the group's elements; false when some element has no rate. */
static bool
sum_group(const struct agent *agent, size_t g, struct kpi_meter *ret_sent)
{
	const struct profile_group *group = &agent->profile->groups[g];

	*ret_sent = (struct kpi_meter){ 0 };
	for (size_t e = 0; e < group->element_count; e++) {
		struct kpi_meter sent, received;

		if (group->elements[e].removed)
			continue;
		agent_kpi_sum(agent, g, e, &sent, &received);
		kpi_meter_add(ret_sent, &sent);
	}
	return ret_sent->has_rate;
}

/* ---- the proof of a commit ----------------------------------------------------------------- */

static void
open_proof(struct agent *agent, size_t g, size_t e, struct mtime now)
{
	struct kpi_meter sent, received, all;
	struct kpi_proof *proof = &agent->kpi->groups[g].elements[e].proof;

	agent_kpi_sum(agent, g, e, &sent, &received);
	if (!sent.has_rate || sent.packets_s <= IDLE_PACKETS_S || !sum_group(agent, g, &all))
		return;
	*proof = (struct kpi_proof){ .is_open = true,
		.since = now,
		.event_us = agent->last.first_event_us,
		.own_s = sent.packets_s,
		.others_s = all.packets_s - sent.packets_s };
	agent->kpi->looks = 0;
	agent->kpi->look_at = mtime_add_ms(now, look_after_ms[0]);
}

void
agent_proof_begin(struct agent *agent, struct mtime now)
{
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (size_t e = 0; e < agent->profile->groups[g].element_count; e++) {
			struct kpi_element *element = &agent->kpi->groups[g].elements[e];
			bool carries = share_of(agent, g, e) > 0;

			if (carries)
				element->proof.is_open = false;
			else if (element->carried)
				open_proof(agent, g, e, now);
			element->carried = carries;
		}
}

/* Every interface's window began after the commit. */
static bool
is_after(const struct kpi_meter *sent, const struct kpi_proof *proof)
{
	return sent->has_rate && sent->at.us - sent->window_us >= proof->since.us;
}

static void
judge_proof(struct agent *agent, size_t g, size_t e, struct mtime now)
{
	struct kpi_meter sent, received, all;
	struct kpi_proof *proof = &agent->kpi->groups[g].elements[e].proof;
	uint64_t others;

	agent_kpi_sum(agent, g, e, &sent, &received);
	if (!is_after(&sent, proof) || !sum_group(agent, g, &all))
		return;
	others = all.packets_s - sent.packets_s;
	if (sent.packets_s <= IDLE_PACKETS_S &&
	    others >= proof->others_s + proof->own_s * RISE_PERCENT / 100) {
		proof->is_open = false;
		if (proof->event_us)
			kpi_histogram_add(&agent->kpi->reaction[KPI_TRAFFIC_MOVED],
			    (uint64_t)(wallclock_now_us() - proof->event_us));
		return;
	}
	proof->has_failed = mtime_diff_ms(now, proof->since) >= PATIENCE_MS;
}

struct mtime
agent_proof_deadline(const struct agent_kpi *kpi)
{
	return kpi->look_at;
}

static bool
has_open_proof(const struct agent *agent)
{
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (size_t e = 0; e < agent->profile->groups[g].element_count; e++)
			if (agent->kpi->groups[g].elements[e].proof.is_open)
				return true;
	return false;
}

void
agent_proof_tick(struct agent *agent, struct mtime now)
{
	struct agent_kpi *kpi = agent->kpi;

	if (!mtime_reached(now, kpi->look_at))
		return;
	router_count_now(agent->router);
	kpi->looks++;
	kpi->look_at =
	    kpi->looks < LOOKS && has_open_proof(agent)
	        ? mtime_add_ms(now, look_after_ms[kpi->looks] - look_after_ms[kpi->looks - 1])
	        : MTIME_NEVER;
}

/* ---- what an element does ------------------------------------------------------------------ */

static bool
is_up(const struct agent *agent, size_t g, size_t e)
{
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		if (agent->family[g][f].space && health_is_healthy(agent->health, g, e, f))
			return true;
	return false;
}

void
agent_proof_judge(struct agent *agent, struct mtime now)
{
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (size_t e = 0; e < agent->profile->groups[g].element_count; e++) {
			struct kpi_element *element = &agent->kpi->groups[g].elements[e];
			struct kpi_meter sent, received;

			if (element->proof.is_open)
				judge_proof(agent, g, e, now);
			agent_kpi_sum(agent, g, e, &sent, &received);
			if (is_up(agent, g, e) && kpi_is_silent(&sent, &received))
				element->silent_rounds++;
			else
				element->silent_rounds = 0;
		}
}

/* ---- alarms -------------------------------------------------------------------------------- */

static void
assert_element(const struct agent *agent, struct alarms *alarms, size_t g, size_t e,
    const struct kpi_meter *all, double all_units)
{
	const struct profile_group *group = &agent->profile->groups[g];
	const struct kpi_element *element = &agent->kpi->groups[g].elements[e];
	struct alarm_condition condition = { .group = group->id, .element = group->elements[e].id };
	double units = share_of(agent, g, e);
	struct kpi_meter sent, received;

	agent_kpi_sum(agent, g, e, &sent, &received);
	condition.type = ALARM_SILENT_ELEMENT;
	if (element->silent_rounds >= KPI_SILENT_WINDOWS)
		alarms_assert(alarms, &condition,
		    "%ju packets a second are sent into it, %ju come back; BGP and BFD are up",
		    (uintmax_t)sent.packets_s, (uintmax_t)received.packets_s);
	condition.type = ALARM_DRAINED_STILL_CARRYING;
	if (agent->lists_known && units <= 0 && sent.packets_s > IDLE_PACKETS_S &&
	    kpi_carries_more(&sent, all, KPI_DRAINED_PERCENT))
		alarms_assert(alarms, &condition,
		    "it owns no units, and %ju packets a second of "
		    "the group's %ju are sent into it",
		    (uintmax_t)sent.packets_s, (uintmax_t)all->packets_s);
	condition.type = ALARM_TRAFFIC_NOT_MOVED;
	if (element->proof.is_open && element->proof.has_failed)
		alarms_assert(alarms, &condition,
		    "its units were moved away; %ju packets a second "
		    "are still sent into it, before it were %ju",
		    (uintmax_t)sent.packets_s, (uintmax_t)element->proof.own_s);
	condition.type = ALARM_SHARE_OFF;
	if (kpi_share_is_off(&sent, all, units, all_units, KPI_SHARE_OFF_PERCENT))
		alarms_assert(alarms, &condition, "%.1f %% of the packets, %.1f %% of the units",
		    100.0 * (double)sent.packets_s / (double)all->packets_s,
		    100.0 * units / all_units);
}

static void
assert_unlisted(const struct agent *agent, struct alarms *alarms, size_t g, enum family f)
{
	const struct profile_group *group = &agent->profile->groups[g];
	const struct kpi_meter *meters = agent->kpi->groups[g].unlisted[f];
	const struct alarm_condition condition = {
		.type = ALARM_UNLISTED_SUBSCRIBERS, .group = group->id, .family = family_names[f]
	};
	uint64_t rate = 0;

	for (enum side s = 0; s < SIDE_COUNT; s++)
		if (meters[s].has_rate)
			rate += meters[s].reading.packets - meters[s].before.packets;
	if (rate > 0)
		alarms_assert(alarms, &condition,
		    "%ju packets from or to addresses of the group's space that no list names were "
		    "dropped since the reading before",
		    (uintmax_t)rate);
}

void
agent_proof_assert(const struct agent *agent, struct alarms *alarms)
{
	for (size_t g = 0; g < agent->profile->group_count; g++) {
		size_t count = agent->profile->groups[g].element_count;
		double all_units = 0;
		struct kpi_meter all;

		(void)sum_group(agent, g, &all); /* without a rate it proves nothing by itself */
		for (size_t e = 0; e < count; e++)
			all_units += share_of(agent, g, e);
		for (size_t e = 0; e < count; e++)
			if (!agent->profile->groups[g].elements[e].removed)
				assert_element(agent, alarms, g, e, &all, all_units);
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			if (agent->family[g][f].space)
				assert_unlisted(agent, alarms, g, f);
	}
}
