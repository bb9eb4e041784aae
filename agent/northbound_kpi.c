/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Key figures for readers. A figure that is not known is absent and has its reason beside it; it is
 * never zero, for a zero would be read as "no traffic". Rates are there only with the window that
 * they are averages over.
 */
#include "northbound_kpi.h"

#include <stdio.h>

#include "northbound_put.h"

/* ---- the agent's own ----------------------------------------------------------------------- */

static void
put_reaction(struct lyd_node *state, const struct kpi_histogram *histogram, enum kpi_stage stage)
{
	struct lyd_node *node = northbound_add_entry(state, "reaction", kpi_stage_names[stage]);
	uint64_t cumulative = 0;

	northbound_put_count(node, "count", histogram->count);
	northbound_put_count(node, "sum", histogram->sum_us);
	northbound_put_count(node, "maximum", histogram->maximum_us);
	for (size_t i = 0; i < KPI_BUCKETS; i++) {
		char bound[24];

		snprintf(bound, sizeof(bound), "%ju", (uintmax_t)kpi_bucket_us[i]);
		cumulative += histogram->buckets[i];
		northbound_put_count(
		    northbound_add_entry(node, "bucket", bound), "count", cumulative);
	}
}

void
northbound_kpi_put_agent(struct lyd_node *state, const struct status *status)
{
	struct lyd_node *edits;

	for (enum kpi_stage stage = 0; stage < KPI_STAGE_COUNT; stage++)
		put_reaction(state, &status->reaction[stage], stage);
	edits = northbound_add_inner(state, "edits");
	northbound_put_count(edits, "added", status->lines_added);
	northbound_put_count(edits, "removed", status->lines_removed);
	northbound_put_count(edits, "repairs", status->repairs);
}

/* ---- by the router's counters -------------------------------------------------------------- */

/* False: there are no figures. */
static bool
put_measurement(struct lyd_node *node, const struct status_measurement *measurement)
{
	northbound_put_text(node, false, "unavailable", measurement->unavailable);
	if (measurement->unavailable || !measurement->measured_us)
		return false;
	northbound_put_time(node, false, "measured", measurement->measured_us);
	if (measurement->window_ms)
		northbound_put_count(node, "window", measurement->window_ms);
	northbound_put_time(node, false, "discontinuity", measurement->discontinuity_us);
	return true;
}

static void
put_rate(struct lyd_node *node, const struct status_rate *rate, bool has_rate)
{
	northbound_put_count(node, "packets", rate->packets);
	northbound_put_count(node, "octets", rate->octets);
	if (!has_rate)
		return;
	northbound_put_count(node, "packets-per-second", rate->packets_s);
	northbound_put_count(node, "bits-per-second", rate->bits_s);
}

void
northbound_kpi_put_group_family(struct lyd_node *family, const struct status_group_family *status)
{
	const struct status_measurement *measurement = &status->unlisted_measurement;
	struct lyd_node *node;

	northbound_put_count(family, "displaced-seconds", status->displaced_s);
	if (!measurement->measured_us && !measurement->unavailable)
		return;
	node = northbound_add_inner(family, "unlisted");
	if (put_measurement(node, measurement))
		put_rate(node, &status->unlisted, measurement->window_ms);
}

void
northbound_kpi_put_element(struct lyd_node *element, const struct status_element *status)
{
	for (enum side s = 0; s < SIDE_COUNT; s++) {
		const struct status_load *load = &status->load[s];
		struct lyd_node *node = northbound_add_entry(element, "load", side_names[s]);

		for (size_t i = 0; i < load->interface_count; i++)
			northbound_put_text(node, false, "interface", load->interfaces[i]);
		if (!put_measurement(node, &load->measurement))
			continue;
		put_rate(
		    northbound_add_inner(node, "sent"), &load->sent, load->measurement.window_ms);
		put_rate(northbound_add_inner(node, "received"), &load->received,
		    load->measurement.window_ms);
	}
}

void
northbound_kpi_put_element_family(
    struct lyd_node *family, const struct status_element_family *status)
{
	for (enum side s = 0; s < SIDE_COUNT; s++) {
		const struct status_steered *steered = &status->steered[s];
		struct lyd_node *node;

		if (!steered->present)
			continue;
		node = northbound_add_entry(family, "steered", side_names[s]);
		if (!put_measurement(node, &steered->measurement))
			continue;
		put_rate(node, &steered->rate, steered->measurement.window_ms);
		northbound_put_count(node, "override-packets", steered->override_packets);
	}
}
