/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The story: agent -> picture -> readers.
 *
 * Every interval the agent is asked for its state, and each answer becomes a picture. When the
 * agent tells something in between, alarms go on as traps at once; the state is asked for when it
 * has told nothing for a second, because making it costs the agent milliseconds, and a failover
 * begins with telling. An agent that does not answer for three intervals, also from our start on,
 * is unreachable: from then on there is only that, because the last picture may no longer be true.
 * What managers were told before our start is not known; the first state therefore ends that alarm
 * in any case.
 *
 * A walk sees one picture: the one that the first GETNEXT got stays for as long as GETNEXTs keep
 * coming (no pause of two seconds), but not longer than fifteen seconds, so that managers who walk
 * without end do not stop the clock. Nothing in SNMP says which requests belong to one walk, so
 * walks at the same time share it. GET always answers from the newest. That makes two pictures at
 * most.
 */
#include "publish.h"

#include <event2/event.h>
#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alarms.h"
#include "http.h"
#include "link.h"
#include "log.h"
#include "node.h"
#include "pages.h"
#include "picture.h"
#include "subagent.h"

enum {
	STEP_MS = 1000,          /* the clock of everything that waits */
	TOLD_MS = 1000,          /* from what the agent told last to asking it */
	TOLD_MOST_INTERVALS = 2, /* when it goes on telling, it is asked nevertheless */
	UNREACHABLE_INTERVALS = 3,
	WALK_PAUSE_MS = 2000,
	WALK_MOST_MS = 15000,
};

struct publish {
	unsigned interval_ms;
	struct event *step;        /* owned */
	struct link *link;         /* owned */
	struct subagent *subagent; /* owned; NULL: no SNMP */
	struct http *http;         /* owned; NULL: no HTTP */
	struct alarms *alarms;     /* owned */
	struct picture *newest;    /* held */
	struct picture *walked;    /* held; NULL: nobody walks */
	struct mtime walk_began, walk_went_on;
	struct mtime last_ask, next_ask;
	struct mtime asked; /* the oldest question without an answer; MTIME_NEVER: none */
	struct mtime last_step;
	char *hostname;      /* owned; as the agent last said, for traps */
	bool is_new_session; /* no state came since the session is up */
	bool is_unreachable; /* as is published, and was told */
	bool was_told_down;  /* one line a loss, not one a try */
};

/* ---- pictures ------------------------------------------------------------------------------ */

static void
end_walk(struct publish *publish)
{
	picture_drop(publish->walked);
	publish->walked = NULL;
}

static void
set_newest(struct publish *publish, struct picture *picture)
{
	picture_drop(publish->newest);
	publish->newest = picture;
}

static const struct mib *
get_mib(void *arg, bool is_walk)
{
	struct publish *publish = arg;
	struct mtime now = mtime_now();

	if (!is_walk)
		return publish->newest->mib;
	if (publish->walked && (mtime_diff_ms(now, publish->walk_went_on) >= WALK_PAUSE_MS ||
	                           mtime_diff_ms(now, publish->walk_began) >= WALK_MOST_MS))
		end_walk(publish);
	if (!publish->walked) {
		publish->walked = picture_hold(publish->newest);
		publish->walk_began = now;
	}
	publish->walk_went_on = now;
	return publish->walked->mib;
}

static uint32_t
get_age(void *arg, const struct mib *mib)
{
	struct publish *publish = arg;
	bool is_walked = publish->walked && publish->walked->mib == mib;
	int64_t age = picture_age_ms(is_walked ? publish->walked : publish->newest, mtime_now());

	return age > UINT32_MAX ? UINT32_MAX : (uint32_t)age;
}

static uint32_t
get_alarm_index(void *arg, const struct lyd_node *alarm)
{
	return alarms_index(arg, alarm);
}

/* ---- traps --------------------------------------------------------------------------------- */

static bool
send_trap(void *arg, const struct lyd_node *alarm, uint32_t index, int64_t cleared_us)
{
	struct publish *publish = arg;
	enum mib_notification which = cleared_us ? MIB_ALARM_CLEARED : MIB_ALARM_RAISED;
	struct mib *varbinds;
	bool is_sent;

	if (!publish->subagent || !subagent_has_master(publish->subagent))
		return false;
	varbinds = mib_new_notification(
	    which, alarm, index, publish->hostname ? publish->hostname : "", cleared_us);
	is_sent = subagent_notify(publish->subagent, which, varbinds);
	mib_free(varbinds);
	return is_sent;
}

static void
tell_alarms(struct publish *publish)
{
	alarms_tell(publish->alarms, mtime_now(), send_trap, publish);
}

static void
on_master(void *arg)
{
	tell_alarms(arg);
}

/* ---- the agent ----------------------------------------------------------------------------- */

static void
on_up(void *arg)
{
	struct publish *publish = arg;

	log_info("publish", "the agent is there");
	publish->is_new_session = true;
	publish->was_told_down = false;
}

static void
on_down(void *arg, const char *reason)
{
	struct publish *publish = arg;

	if (publish->was_told_down)
		log_debug("publish", "no session with the agent: %s", reason);
	else
		log_warn("publish", "no session with the agent: %s; it is tried again", reason);
	publish->was_told_down = true;
}

static void
on_state(void *arg, struct lyd_node *state)
{
	struct publish *publish = arg;
	struct mtime now = mtime_now();
	const char *hostname = node_text(state, "hostname");

	if (hostname) {
		free(publish->hostname);
		publish->hostname = xstrdup(hostname);
	}
	alarms_sync(
	    publish->alarms, state, publish->is_new_session || publish->is_unreachable, now);
	publish->is_new_session = publish->is_unreachable = false;
	publish->asked = MTIME_NEVER;
	set_newest(publish, picture_new(state, now, get_alarm_index, publish->alarms));
	tell_alarms(publish);
}

static void
on_notification(void *arg, const struct lyd_node *notification)
{
	struct publish *publish = arg;
	struct mtime now = mtime_now();
	const char *name = node_name(notification);

	if (strcmp(name, "alarm-raised") == 0)
		alarms_raise(publish->alarms, notification, now);
	else if (strcmp(name, "alarm-cleared") == 0)
		alarms_clear(publish->alarms, notification, now);
	tell_alarms(publish);
	publish->next_ask = mtime_min(mtime_add_ms(now, TOLD_MS),
	    mtime_add_ms(publish->last_ask, TOLD_MOST_INTERVALS * (int64_t)publish->interval_ms));
}

/* ---- the clock ----------------------------------------------------------------------------- */

static int64_t
get_patience_ms(const struct publish *publish)
{
	return (int64_t)UNREACHABLE_INTERVALS * publish->interval_ms;
}

/* The one alarm that the agent cannot raise itself, in a state of its own, which is the caller's.
 * The first state after it has no such alarm, and so ends it. */
static struct lyd_node *
make_unreachable(const struct publish *publish, int64_t silent_ms, struct lyd_node **ret_alarm)
{
	const struct lys_module *module =
	    ly_ctx_get_module_implemented(link_context(publish->link), "autofbf");
	char since[WALLCLOCK_TEXT_SIZE], cause[80];
	struct lyd_node *state, *alarm;

	wallclock_format(wallclock_now_us() - silent_ms * 1000, since);
	snprintf(cause, sizeof(cause), "autofbfd has not answered for %jd s",
	    (intmax_t)silent_ms / 1000);
	if (lyd_new_inner(NULL, module, "state", false, &state) != LY_SUCCESS ||
	    lyd_new_list(state, NULL, "alarm", false, &alarm, "agent-unreachable", "agent") !=
	        LY_SUCCESS)
		fatal("yang/autofbf.yang has no list of alarms");
	(void)lyd_new_term(alarm, NULL, "severity", "critical", false, NULL);
	(void)lyd_new_term(alarm, NULL, "since", since, false, NULL);
	(void)lyd_new_term(alarm, NULL, "cause", cause, false, NULL);
	(void)lyd_new_term(alarm, NULL, "remedy",
	    "systemctl status autofbf; the router goes on with what it has, failures move nothing",
	    false, NULL);
	*ret_alarm = alarm;
	return state;
}

static void
assume_unreachable_was_told(struct publish *publish)
{
	struct lyd_node *alarm, *state = make_unreachable(publish, 0, &alarm);

	alarms_assume_told(publish->alarms, alarm);
	lyd_free_all(state);
}

static void
look_for_answer(struct publish *publish, struct mtime now)
{
	int64_t silent_ms = mtime_is_never(publish->asked) ? 0 : mtime_diff_ms(now, publish->asked);
	struct lyd_node *alarm, *state;

	if (publish->is_unreachable || silent_ms <= get_patience_ms(publish))
		return;
	log_warn("publish", "the agent has not answered for %jd s: nothing more is published of it",
	    (intmax_t)silent_ms / 1000);
	publish->is_unreachable = true;
	state = make_unreachable(publish, silent_ms, &alarm);
	alarms_raise(publish->alarms, alarm, now);
	lyd_free_all(state);
	end_walk(publish);
	set_newest(publish, picture_new_unreachable(publish->newest));
}

static void
ask(struct publish *publish, struct mtime now)
{
	publish->last_ask = now;
	publish->next_ask = mtime_add_ms(now, publish->interval_ms);
	publish->asked = mtime_min(publish->asked, now);
	link_ask(publish->link);
}

static void
on_step(evutil_socket_t fd, short what, void *arg)
{
	struct publish *publish = arg;
	struct mtime now = mtime_now();

	/* It was us who did not run: an answer may be waiting. */
	if (mtime_diff_ms(now, publish->last_step) > 2 * STEP_MS && !mtime_is_never(publish->asked))
		publish->asked = now;
	publish->last_step = now;
	if (mtime_reached(now, publish->next_ask))
		ask(publish, now);
	look_for_answer(publish, now);
	if (publish->walked && mtime_diff_ms(now, publish->walk_went_on) >= WALK_PAUSE_MS)
		end_walk(publish);
	tell_alarms(publish);
}

/* ---- HTTP ---------------------------------------------------------------------------------- */

static void
answer_http(void *arg, const char *path, struct http_answer *answer)
{
	struct publish *publish = arg;

	pages_answer(publish->newest, mtime_now(), publish->interval_ms, path, answer);
}

/* ---- life ---------------------------------------------------------------------------------- */

static int
start_outlets(struct publish *publish, struct event_base *base,
    const struct publish_options *options, struct error *err)
{
	const struct subagent_events events = { get_mib, get_age, on_master, publish };
	int rc = 0;

	if (options->http)
		rc = http_new(base, options->http, answer_http, publish, &publish->http, err);
	if (rc == 0 && options->agentx_socket)
		rc = subagent_new(base, options->agentx_socket, &events, &publish->subagent, err);
	return rc;
}

int
publish_new(struct event_base *base, const struct publish_options *options,
    struct publish **ret_publish, struct error *err)
{
	const struct timeval step = { STEP_MS / 1000, STEP_MS % 1000 * 1000 };
	struct publish *publish = xcalloc(1, sizeof(*publish));
	const struct link_events events = { on_state, on_notification, on_up, on_down, publish };
	int rc;

	publish->interval_ms = options->interval_s * 1000;
	publish->alarms = alarms_new();
	publish->newest = picture_new_unreachable(NULL);
	publish->last_ask = publish->next_ask = publish->asked = publish->last_step = mtime_now();
	publish->step = event_new(base, -1, EV_PERSIST, on_step, publish);
	event_add(publish->step, &step);
	rc = link_new(base, options->socket_path, options->yang_dir, &events, &publish->link, err);
	if (rc == 0) {
		assume_unreachable_was_told(publish);
		rc = start_outlets(publish, base, options, err);
	}
	if (rc < 0) {
		publish_free(publish);
		return rc;
	}
	*ret_publish = publish;
	return 0;
}

/* States and alarms live in the link's context, so the link goes last. */
void
publish_free(struct publish *publish)
{
	if (!publish)
		return;
	event_free(publish->step);
	http_free(publish->http);
	subagent_free(publish->subagent);
	end_walk(publish);
	picture_drop(publish->newest);
	alarms_free(publish->alarms);
	link_free(publish->link);
	free(publish->hostname);
	free(publish);
}
