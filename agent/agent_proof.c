/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proof by counters: packets tell whether a commit has done what it says.
 *
 * When an element has lost its last unit by a commit, what was sent to it must stop and the others
 * must get more: by the interfaces towards it, for they show what really went. When it has lost one
 * family only, the filters' terms of that family must show it; and when it has units again, they
 * must show a part of the traffic. Extra rounds of counters are read, soon and ever later, until
 * they show it or say that it is not so. An element that carried next to nothing proves nothing.
 * While signal routes are wanted the traffic may have left the router, and nobody need get more.
 */
#include "agent_kpi_internal.h"

#include "agent_internal.h"
#include "alarm.h"

enum { PATIENCE_MS = 5000 }; /* a forwarding plane compiles filters for a while */
enum { MEMORY_MS = 300000 }; /* later than this the others' load tells nothing of the commit */
enum { RISE_PERCENT = 10 };  /* so much of what should move must show where it went */
static const int64_t look_after_ms[] = { 100, 300, 600, 1000, 2000, 3000, 5000 };
enum { LOOKS = sizeof(look_after_ms) / sizeof(look_after_ms[0]) };

static bool
has_signals(const struct agent *agent, size_t g, enum kpi_gauge gauge)
{
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		if ((gauge == KPI_BY_INTERFACES || gauge == (enum kpi_gauge)f) &&
		    (signal_routes_is_failed(agent->signals, g, f) ||
		        signal_routes_is_altered(agent->signals, g, f)))
			return true;
	return false;
}

/* ---- begin --------------------------------------------------------------------------------- */

static void
begin_looking(struct agent_kpi *kpi, struct mtime now)
{
	kpi->looks = 0;
	kpi->look_at = mtime_add_ms(now, look_after_ms[0]);
}

/* False: it carried too little, or nobody knows how much. */
static bool
open_loss(struct agent *agent, size_t g, size_t e, enum kpi_gauge gauge, struct mtime now)
{
	struct kpi_meter sent, others;
	double units;
	size_t count = agent_load_sum(agent, g, e, gauge, now, &others, &units);

	agent_kpi_gauge(agent, g, e, gauge, &sent);
	if (!kpi_meter_is_fresh(&sent, now, agent_kpi_stale_ms(agent)) ||
	    sent.packets_s <= KPI_IDLE_PACKETS_S)
		return false;
	agent->kpi->groups[g].elements[e].proof[gauge] = (struct kpi_proof){ .is_open = true,
		.is_signalled = has_signals(agent, g, gauge),
		.since = now,
		.event_us = agent->last.first_event_us,
		.own_s = sent.packets_s,
		.others_s = others.packets_s,
		.others = count };
	begin_looking(agent->kpi, now);
	return true;
}

static void
open_return(struct agent *agent, size_t g, size_t e, enum family f, struct mtime now)
{
	enum kpi_gauge gauge = (enum kpi_gauge)f;
	double units, own_units = agent_load_units(agent, g, e, gauge);
	struct kpi_meter all;
	uint64_t fair_s;

	agent_load_sum(agent, g, SIZE_MAX, gauge, now, &all, &units);
	if (!all.has_rate || units <= 0 || has_signals(agent, g, gauge))
		return;
	fair_s = (uint64_t)((double)all.packets_s * own_units / units);
	if (fair_s <= KPI_SILENT_PACKETS_S)
		return;
	agent->kpi->groups[g].elements[e].proof[gauge] =
	    (struct kpi_proof){ .is_open = true, .is_return = true, .since = now, .own_s = fair_s };
	begin_looking(agent->kpi, now);
}

static void
follow_family(
    struct agent *agent, size_t g, size_t e, enum family f, bool carries, struct mtime now)
{
	struct kpi_element *element = &agent->kpi->groups[g].elements[e];
	bool carried = element->share[f] > 0;

	if (carried == carries)
		return;
	element->proof[f].is_open = false;
	if (carries)
		open_return(agent, g, e, f, now);
	else
		(void)open_loss(agent, g, e, (enum kpi_gauge)f, now); /* nothing to prove */
}

/* True: it has lost everything, and the interfaces will show it. */
static bool
follow_whole(struct agent *agent, size_t g, size_t e, bool carried, bool carries, struct mtime now)
{
	struct kpi_element *element = &agent->kpi->groups[g].elements[e];

	if (carries)
		element->proof[KPI_BY_INTERFACES].is_open = false;
	if (!carried || carries)
		return false;
	element->drained_at = now;
	return open_loss(agent, g, e, KPI_BY_INTERFACES, now);
}

static void
follow_element(struct agent *agent, size_t g, size_t e, struct mtime now)
{
	struct kpi_element *element = &agent->kpi->groups[g].elements[e];
	double share[FAMILY_COUNT] = { 0 };
	bool carried = false, carries = false, is_proved;

	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		if (agent->family[g][f].space)
			share[f] = agent->family[g][f].effective_share[e];
		carried |= element->share[f] > 0;
		carries |= share[f] > 0;
		if (share[f] > element->share[f])
			element->gained_at = now;
	}
	is_proved = follow_whole(agent, g, e, carried, carries, now);
	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		if (is_proved)
			element->proof[f].is_open = false;
		else
			follow_family(agent, g, e, f, share[f] > 0, now);
		element->share[f] = share[f];
	}
}

void
agent_proof_begin(struct agent *agent, struct mtime now)
{
	agent->kpi->committed_at = now;
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (size_t e = 0; e < agent->profile->groups[g].element_count; e++)
			follow_element(agent, g, e, now);
}

/* ---- look ---------------------------------------------------------------------------------- */

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
			for (enum kpi_gauge gauge = 0; gauge < KPI_GAUGES; gauge++)
				if (agent->kpi->groups[g].elements[e].proof[gauge].is_open)
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

/* ---- judge --------------------------------------------------------------------------------- */

/* Another number of others cannot be compared. */
static bool
others_rose(const struct agent *agent, size_t g, size_t e, enum kpi_gauge gauge, struct mtime now)
{
	const struct kpi_proof *proof = &agent->kpi->groups[g].elements[e].proof[gauge];
	struct kpi_meter others;
	double units;

	return agent_load_sum(agent, g, e, gauge, now, &others, &units) != proof->others ||
	       others.packets_s >= proof->others_s + proof->own_s * RISE_PERCENT / 100;
}

/* Nor is there anything to compare when the traffic may have left, or after so long. */
static bool
is_arrival_told(const struct agent *agent, size_t g, enum kpi_gauge gauge,
    const struct kpi_proof *proof, struct mtime now)
{
	return !proof->is_signalled && !has_signals(agent, g, gauge) &&
	       mtime_diff_ms(now, proof->since) <= MEMORY_MS;
}

static bool
has_moved(const struct agent *agent, size_t g, size_t e, enum kpi_gauge gauge,
    const struct kpi_meter *sent, struct mtime now)
{
	const struct kpi_proof *proof = &agent->kpi->groups[g].elements[e].proof[gauge];
	bool is_told = is_arrival_told(agent, g, gauge, proof, now);

	if (proof->is_return)
		return !is_told || sent->packets_s >= proof->own_s * RISE_PERCENT / 100;
	return sent->packets_s <= KPI_IDLE_PACKETS_S &&
	       (!is_told || others_rose(agent, g, e, gauge, now));
}

static void
judge_proof(struct agent *agent, size_t g, size_t e, enum kpi_gauge gauge, struct mtime now)
{
	struct kpi_proof *proof = &agent->kpi->groups[g].elements[e].proof[gauge];
	struct kpi_meter sent;

	if (!proof->is_open)
		return;
	agent_kpi_gauge(agent, g, e, gauge, &sent);
	if (!kpi_meter_is_after(&sent, proof->since))
		return;
	if (!has_moved(agent, g, e, gauge, &sent, now)) {
		proof->has_failed = mtime_diff_ms(now, proof->since) >= PATIENCE_MS;
		return;
	}
	proof->is_open = false;
	if (!proof->is_return)
		agent_kpi_note_stage(
		    agent->kpi, KPI_TRAFFIC_MOVED, proof->event_us, wallclock_now_us());
}

void
agent_proof_judge(struct agent *agent, struct mtime now)
{
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (size_t e = 0; e < agent->profile->groups[g].element_count; e++)
			for (enum kpi_gauge gauge = 0; gauge < KPI_GAUGES; gauge++)
				judge_proof(agent, g, e, gauge, now);
}

/* ---- alarms -------------------------------------------------------------------------------- */

static void
assert_proof(const struct agent *agent, struct alarms *alarms, size_t g, size_t e,
    enum kpi_gauge gauge, struct mtime now)
{
	const struct profile_group *group = &agent->profile->groups[g];
	const struct kpi_proof *proof = &agent->kpi->groups[g].elements[e].proof[gauge];
	const struct alarm_condition condition = { .type = ALARM_TRAFFIC_NOT_MOVED,
		.group = group->id,
		.element = group->elements[e].id,
		.family = gauge < KPI_BY_INTERFACES ? family_names[gauge] : NULL };
	struct kpi_meter sent;

	agent_kpi_gauge(agent, g, e, gauge, &sent);
	if (!proof->is_open || !proof->has_failed ||
	    !kpi_meter_is_fresh(&sent, now, agent_kpi_stale_ms(agent)))
		return;
	if (proof->is_return)
		alarms_assert(alarms, &condition,
		    "it has units again, and %ju packets a second are sent into it; its part is "
		    "about %ju",
		    (uintmax_t)sent.packets_s, (uintmax_t)proof->own_s);
	else if (sent.packets_s > KPI_IDLE_PACKETS_S)
		alarms_assert(alarms, &condition,
		    "its units were moved away; %ju packets a second are still sent into it, "
		    "before it were %ju",
		    (uintmax_t)sent.packets_s, (uintmax_t)proof->own_s);
	else
		alarms_assert(alarms, &condition,
		    "its units were moved away and nothing is sent into it, but the others do not "
		    "get the %ju packets a second that it had",
		    (uintmax_t)proof->own_s);
}

void
agent_proof_assert(const struct agent *agent, struct alarms *alarms)
{
	struct mtime now = mtime_now();

	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (size_t e = 0; e < agent->profile->groups[g].element_count; e++)
			for (enum kpi_gauge gauge = 0; gauge < KPI_GAUGES; gauge++)
				assert_proof(agent, alarms, g, e, gauge, now);
}
