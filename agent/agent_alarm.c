/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alarms in the agent: when conditions are looked at, and who is told of the edges.
 *
 * Looking is put off to the next turn of the loop by a timer that is due at once: whatever happens,
 * the request to the router is written first, and a burst of events costs one look. Between events
 * the table's deadline wakes us. What is present is found in the live modules by the contributors,
 * never in the status picture, which costs a hundred times as much.
 *
 * An edge is a log line, a record in the history (kind "alarm") and a notification.
 */
#include "agent_internal.h"
#include "agent_kpi_internal.h"

#include <event2/event.h>
#include <stdlib.h>

#include "log.h"

/* Each asserts what is present of its own. */
static void (*const contributors[])(const struct agent *agent, struct alarms *alarms) = {
	agent_assert_router,
	agent_assert_groups,
	agent_proof_assert,
	agent_load_assert,
};

/* What a record is about: the smallest thing that has a name. */
static const char *
subject_of(const struct alarm *alarm)
{
	return alarm->element ? alarm->element : alarm->group ? alarm->group : alarm->key;
}

static char *
describe(const struct alarm *alarm, bool is_raised, uint32_t untold)
{
	const char *name = alarm_kind(alarm->type)->name;
	char *more =
	    untold ? xasprintf(" (%u changes before this were not told)", untold) : xstrdup("");
	char *text = xasprintf("%s %s %s: %s%s",
	    is_raised ? alarm_severity_names[alarm->severity] : "cleared", name, alarm->key,
	    alarm->cause, more);

	free(more);
	return text;
}

/* An alarm_tell_fn: arg is the agent. */
static void
tell(void *arg, const struct alarm *alarm, bool is_raised, uint32_t untold)
{
	struct agent *agent = arg;
	struct history_record record = { .when_us = wallclock_now_us(),
		.kind = "alarm",
		.subject = subject_of(alarm),
		.group = alarm->group,
		.family = alarm->family };
	char *text = describe(alarm, is_raised, untold);

	record.text = text;
	if (is_raised)
		agent_record_warning(agent, &record);
	else
		agent_record_full(agent, &record);
	free(text);
	northbound_notify_alarm(agent->northbound, alarm, is_raised ? 0 : record.when_us);
}

static void
say_left_out(struct agent *agent, uint64_t before)
{
	if (before == 0 && alarms_left_out(agent->alarms) > 0)
		log_warn(
		    "alarm", "more than %d alarms at a time: the others are left out", ALARMS_MOST);
}

static void
on_look(evutil_socket_t fd, short what, void *arg)
{
	struct agent *agent = arg;
	uint64_t left_out = alarms_left_out(agent->alarms);

	alarms_set_poll(agent->alarms, agent->profile->poll_interval_ms);
	alarms_begin(agent->alarms, mtime_now(), wallclock_now_us());
	for (size_t i = 0; i < sizeof(contributors) / sizeof(contributors[0]); i++)
		contributors[i](agent, agent->alarms);
	alarms_end(agent->alarms, tell, agent);
	say_left_out(agent, left_out);
	agent_arm(agent->alarm_timer, alarms_deadline(agent->alarms));
	agent_touch(agent);
}

void
agent_alarm_soon(struct agent *agent)
{
	const struct timeval at_once = { 0, 0 };

	evtimer_add(agent->alarm_timer, &at_once);
}

void
agent_alarm_open(struct agent *agent)
{
	agent->alarms = alarms_new();
	agent->alarm_timer = evtimer_new(agent->base, on_look, agent);
}

void
agent_alarm_close(struct agent *agent)
{
	if (agent->alarm_timer)
		event_free(agent->alarm_timer);
	alarms_free(agent->alarms);
}
