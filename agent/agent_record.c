/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is told: log line, diary and notification of everything that happens, in one place. Health
 * changes are noted first and recorded after the router was told, because a record costs a write
 * and the open request must not wait for it.
 */
#include "agent_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

/* Message ids of log lines are for machines: they never change once released. */
static const struct {
	const char *kind, *id;
} message_ids[] = {
	{ "agent", "AUTOFBF_AGENT" },
	{ "alarm", "AUTOFBF_ALARM" },
	{ "health", "AUTOFBF_ELEMENT_STATE" },
	{ "freeze", "AUTOFBF_GUARD" },
	{ "decision", "AUTOFBF_LAYOUT_DECIDED" },
	{ "commit", "AUTOFBF_COMMIT" },
	{ "signal", "AUTOFBF_SIGNAL_ROUTE" },
	{ "capacity", "AUTOFBF_CAPACITY" },
	{ "drift", "AUTOFBF_DRIFT" },
	{ "profile", "AUTOFBF_PROFILE" },
	{ "router", "AUTOFBF_ROUTER" },
	{ "operator", "AUTOFBF_OPERATOR" },
};

static const char *
message_id(const char *kind)
{
	for (size_t i = 0; i < sizeof(message_ids) / sizeof(*message_ids); i++)
		if (strcmp(message_ids[i].kind, kind) == 0)
			return message_ids[i].id;
	return "AUTOFBF_OTHER";
}

/* The diary must not stop anything; that it has holes is said once, and the end of that. */
static void
tell_failure(struct agent *agent)
{
	int failure = history_failure(agent->history);

	if (failure == agent->history_failure)
		return;
	agent->history_failure = failure;
	if (failure)
		log_warn("agent",
		    "%s/events.jsonl: cannot be written: %s; records are in memory only; %s",
		    agent->options.state_dir, strerror(failure), state_file_remedy(failure));
	else
		log_info("agent", "events.jsonl: is written again");
}

typedef void log_fn(const char *tag, const char *fmt, ...); /* log_info, log_warn */

static uint64_t
record_with(struct agent *agent, log_fn *log, struct history_record *record)
{
	log(record->kind, "%s: %s%s%s", message_id(record->kind), record->subject,
	    *record->subject ? ": " : "", record->text);
	record->id = history_add(agent->history, record);
	tell_failure(agent);
	if (agent->northbound)
		northbound_notify(agent->northbound, record);
	return record->id;
}

uint64_t
agent_record_full(struct agent *agent, struct history_record *record)
{
	return record_with(agent, log_info, record);
}

uint64_t
agent_record_warning(struct agent *agent, struct history_record *record)
{
	return record_with(agent, log_warn, record);
}

uint64_t
agent_record(struct agent *agent, const char *kind, const char *subject, const char *fmt, ...)
{
	struct history_record record = {
		.when_us = wallclock_now_us(), .kind = kind, .subject = subject, .who = agent->who
	};
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	record.text = text;
	return agent_record_full(agent, &record);
}

/* Kept until the router was told: a record costs a write, and the open request comes first. */
void
agent_note_change(void *arg, size_t g, size_t e, enum family f, enum health_state from,
    enum health_state to, const char *reason)
{
	struct agent *agent = arg;
	const char *id = agent->profile->groups[g].elements[e].id;

	agent->changes =
	    xreallocarray(agent->changes, agent->change_count + 1, sizeof(*agent->changes));
	agent->changes[agent->change_count++] =
	    (struct agent_change){ .when_us = wallclock_now_us(),
		    .element = id,
		    .text = xasprintf("%s: %s -> %s, reason: %s", family_names[f],
		        health_state_names[from], health_state_names[to], reason) };
	if (!agent->change[0] || to == HEALTH_UP)
		snprintf(agent->change, sizeof(agent->change), "%s %s: %s", id,
		    health_state_names[to], reason);
}

void
agent_record_changes(struct agent *agent)
{
	for (size_t i = 0; i < agent->change_count; i++) {
		struct agent_change *change = &agent->changes[i];
		struct history_record record = { .when_us = change->when_us,
			.kind = "health",
			.subject = change->element,
			.who = agent->who,
			.text = change->text };
		agent_record_full(agent, &record);
		free(change->text);
	}
	agent->change_count = 0;
}

static void
record_hold(struct agent *agent, size_t g, enum family f)
{
	struct agent_family *family = &agent->family[g][f];
	const char *reason = guard_hold_reason(agent->guard, g, f);

	if (family->hold_said == (*reason != '\0'))
		return;
	family->hold_said = *reason;
	agent_record(agent, "freeze", agent->profile->groups[g].id,
	    "%s: NAT pool routes are %s%s%s", family_names[f],
	    *reason ? "not believed" : "believed again", *reason ? ": " : "", reason);
}

void
agent_record_freezes(struct agent *agent)
{
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			struct agent_family *family = &agent->family[g][f];
			enum freeze was = family->freeze_said;
			enum freeze now = guard_freeze(agent->guard, g, f);

			record_hold(agent, g, f);
			if (now == was || !family->space)
				continue;
			family->freeze_said = now;
			agent_record(agent, "freeze", agent->profile->groups[g].id,
			    "%s: %s -> %s%s%s", family_names[f], freeze_names[was],
			    freeze_names[now], now == FREEZE_NOT ? "" : ": ",
			    now == FREEZE_NOT ? "" : guard_reason(agent->guard, g, f));
		}
}

static bool
is_about_group(const struct plan *plan, const struct profile_group *group)
{
	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		const struct profile_signal *signal = &group->signal[f];

		if (signal->has_failed &&
		    plan_touches(plan, LISTSET_SIGNAL_ROUTES, &signal->failed_route))
			return true;
		if (signal->has_alter &&
		    plan_touches(plan, LISTSET_SIGNAL_ROUTES, &signal->alter_route))
			return true;
		for (size_t e = 0; e < group->element_count; e++) {
			const char *list = group->elements[e].family[f].override_list;

			if (list && plan_touches(plan, list, NULL))
				return true;
		}
	}
	return false;
}

void
agent_note_groups(struct agent *agent, const struct plan *plan)
{
	char *groups = NULL;

	for (size_t g = 0; g < agent->profile->group_count; g++) {
		const struct profile_group *group = &agent->profile->groups[g];

		if (is_about_group(plan, group))
			xappendf(&groups, "%s%s", groups ? "," : "", group->id);
	}
	free(agent->planned.groups);
	agent->planned.groups = groups;
}

void
agent_record_commit(struct agent *agent, enum router_outcome outcome,
    const struct router_times *times, size_t edits, const char *detail)
{
	struct history_record record = { .when_us = wallclock_now_us(),
		.kind = "commit",
		.subject = "",
		.plan = agent->planned.decision,
		.groups = edits > 0 ? agent->planned.groups : NULL };
	const char *cause = agent->planned.cause ? agent->planned.cause : "repair";
	char text[400];

	snprintf(text, sizeof(text), "%s: %zu edit%s, cause: %s%s%s", router_outcome_names[outcome],
	    edits, edits == 1 ? "" : "s", cause, detail && *detail ? ": " : "",
	    detail ? detail : "");
	record.text = text;
	record.first_event_us = agent->planned.first_event_us;
	record.open_sent_us = times->open_sent;
	record.commit_sent_us = times->commit_sent;
	record.committed_us = times->committed;
	record.read_back_us = times->read_back;
	record.edits = (uint32_t)edits;
	record.cause = cause;
	agent_record_full(agent, &record);
	free(agent->last.cause);
	agent->last = (struct status_commit){ .history_id = record.id,
		.outcome = outcome,
		.cause = xstrdup(cause),
		.edits = (uint32_t)edits,
		.first_event_us = agent->planned.first_event_us,
		.times = *times };
}
