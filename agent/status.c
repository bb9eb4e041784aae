/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The picture for readers: how it is given back, and what it says in one word.
 *
 * It is filled by the agent, which owns the facts, and read by northbound, which owns the words.
 * This file owns only its memory and the verdict over the whole of it. The verdict is what a person
 * woken at night wants first, so each level has one meaning, the same for the whole, for a group
 * and for the alarms: critical, somebody's traffic is or may be lost, or the agent cannot act;
 * degraded, everything is carried but not by its owner, or a safety net is missing; ok, the base
 * layout stands, and somebody vouches for everybody. What the agent as a whole suffers from every
 * group suffers from.
 */
#include "status.h"

#include <stdlib.h>
#include <string.h>

const char *const status_severity_names[] = { "ok", "degraded", "critical" };

static void
free_texts(char **texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
}

static void
free_load(struct status_load *load)
{
	free(load->measurement.unavailable);
	free_texts(load->interfaces, load->interface_count);
}

static void
free_pools(struct status_element_family *family)
{
	for (size_t i = 0; i < family->pool_count; i++) {
		free(family->pools[i].id);
		free(family->pools[i].taken_by);
		free(family->pools[i].refusal);
	}
	free(family->pools);
}

static void
free_element(struct status_element *element)
{
	for (int s = 0; s < SIDE_COUNT; s++)
		free_load(&element->load[s]);
	for (int f = 0; f < FAMILY_COUNT; f++) {
		free(element->family[f].reason);
		free_pools(&element->family[f]);
		for (int s = 0; s < SIDE_COUNT; s++) {
			free(element->family[f].peer[s].instance);
			free(element->family[f].steered[s].measurement.unavailable);
		}
	}
	free(element->id);
	free(element->name);
	free(element->failure_domain);
	free(element->forced_by);
	free(element->forced_reason);
}

static void
free_group(struct status_group *group)
{
	for (int f = 0; f < FAMILY_COUNT; f++) {
		free(group->family[f].freeze_reason);
		free(group->family[f].nat_hold);
		free(group->family[f].unlisted_measurement.unavailable);
	}
	for (size_t e = 0; e < group->element_count; e++)
		free_element(&group->elements[e]);
	free(group->elements);
	free(group->id);
	free(group->name);
	free(group->frozen_by);
	free(group->frozen_reason);
	free(group->altered_by);
	free(group->altered_reason);
	free(group->capacity_label);
}

struct status *
status_hold(const struct status *status)
{
	struct status *held =
	    (struct status *)status; /* the count is ours, the rest is the maker's */

	held->holders++;
	return held;
}

void
status_free(struct status *status)
{
	if (!status)
		return;
	if (status->holders > 0) {
		status->holders--;
		return;
	}
	for (size_t g = 0; g < status->group_count; g++)
		free_group(&status->groups[g]);
	free(status->groups);
	free_texts(status->two_writers, status->two_writer_count);
	free_texts(status->foreign, status->foreign_count);
	for (size_t i = 0; i < status->alarm_count; i++)
		alarm_done(&status->alarms[i]);
	free(status->alarms);
	free(status->hostname);
	free(status->version);
	free(status->profile_path);
	free(status->router_address);
	free(status->last_error);
	free(status->last.cause);
	free(status);
}

static enum status_severity
worse(enum status_severity a, enum status_severity b)
{
	return a > b ? a : b;
}

/* More units than it has capacity for; false when the profile does not tell the capacity. */
static bool
is_overloaded(const struct status_element *element)
{
	return capacity_is_exceeded(element->load_now, element->capacity);
}

/* A pool's answers do not come back, although the element is in still. */
static bool
has_lost_pool(const struct status_element_family *family)
{
	for (size_t i = 0; i < family->pool_count; i++)
		if (family->pools[i].known && !family->pools[i].active)
			return true;
	return false;
}

/* An operator took it out, and it is up: what it still owns it carries, until that has moved. */
static bool
is_only_ordered_out(
    const struct status_element *element, const struct status_element_family *family)
{
	return element->forced && family->state == HEALTH_UP;
}

static enum status_severity
judge_element(const struct status *status, const struct status_element *element)
{
	enum status_severity severity = STATUS_OK;

	if (status->lists_known && is_overloaded(element))
		return STATUS_CRITICAL;
	for (int f = 0; f < FAMILY_COUNT; f++) {
		const struct status_element_family *family = &element->family[f];

		if (!family->present || element->removed)
			continue;
		if (has_lost_pool(family) || family->state == HEALTH_UNKNOWN)
			severity = worse(severity, STATUS_DEGRADED);
		if (family->healthy)
			continue;
		severity = worse(severity, STATUS_DEGRADED);
		if (status->lists_known && !is_only_ordered_out(element, family) &&
		    (family->effective_units > 0 || family->effective_share > 0))
			return STATUS_CRITICAL;
	}
	return severity;
}

/* A family without one healthy element is nobody's, whatever the guard calls it. */
static bool
has_healthy(const struct status_group *group, enum family family)
{
	for (size_t e = 0; e < group->element_count; e++)
		if (group->elements[e].family[family].present &&
		    group->elements[e].family[family].healthy)
			return true;
	return false;
}

/* Too few are left, whether the failed route draws their traffic elsewhere already or not yet; a
 * failed route without that is one that is held, or still to be taken away. */
static enum status_severity
judge_signals(const struct status *status, const struct status_group_family *family)
{
	bool is_short = family->has_failed_route && family->alive < family->min_alive;

	if (!status->lists_known)
		return STATUS_OK;
	if (is_short && family->freeze != FREEZE_STARTUP)
		return STATUS_CRITICAL;
	/* An alter route that is installed and not wanted here may be another group's wish. */
	if (family->failed_installed || family->failed_wanted ||
	    (family->alter_wanted && !family->alter_installed))
		return STATUS_DEGRADED;
	return STATUS_OK;
}

/* Its layout, or what it believes; the start and an operator are no guards. */
static bool
is_held_by_guard(const struct status_group_family *family)
{
	return family->nat_hold ||
	       (family->freeze != FREEZE_NOT && family->freeze != FREEZE_STARTUP &&
	           family->freeze != FREEZE_OPERATOR);
}

static enum status_severity
judge_group(const struct status *status, const struct status_group *group)
{
	enum status_severity severity = STATUS_OK;

	for (int f = 0; f < FAMILY_COUNT; f++) {
		const struct status_group_family *family = &group->family[f];

		if (!family->present)
			continue;
		if (!has_healthy(group, f))
			return STATUS_CRITICAL;
		severity = worse(severity, judge_signals(status, family));
		if (family->freeze != FREEZE_NOT || family->misplaced > 0)
			severity = worse(severity, STATUS_DEGRADED);
		if (is_held_by_guard(family))
			severity = STATUS_CRITICAL;
	}
	for (size_t e = 0; e < group->element_count; e++)
		severity = worse(severity, judge_element(status, &group->elements[e]));
	return severity;
}

/* What wakes somebody is critical here, too: edits that the router refuses, say, although the lists
 * happen to be right. group "": what is about no group; NULL: any. */
static bool
has_critical_alarm(const struct status *status, const char *group)
{
	for (size_t i = 0; i < status->alarm_count; i++) {
		const struct alarm *alarm = &status->alarms[i];

		if (alarm->severity == ALARM_CRITICAL &&
		    (!group || strcmp(alarm->group ? alarm->group : "", group) == 0))
			return true;
	}
	return false;
}

static enum status_severity
judge_agent(const struct status *status)
{
	if (!status->edit_up || !status->lists_known || has_critical_alarm(status, ""))
		return STATUS_CRITICAL;
	return !status->read_up || status->two_writer_count > 0 ? STATUS_DEGRADED : STATUS_OK;
}

enum status_severity
status_group_severity(const struct status *status, const struct status_group *group)
{
	if (has_critical_alarm(status, group->id))
		return STATUS_CRITICAL;
	return worse(judge_agent(status), judge_group(status, group));
}

enum status_severity
status_severity(const struct status *status)
{
	enum status_severity severity =
	    has_critical_alarm(status, NULL) ? STATUS_CRITICAL : judge_agent(status);

	for (size_t g = 0; g < status->group_count; g++)
		severity = worse(severity, judge_group(status, &status->groups[g]));
	return severity;
}
