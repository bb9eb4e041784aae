/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transaction machine at work: what transaction.c says is sent here, and what comes back is
 * judged here (good, an error, a full database, an empty that proves nothing).
 *
 * Judgements, from what Junos does: an open is good only if it is empty or ok, because a load after
 * a failed open would land in the static candidate; warnings are counted and change nothing, but
 * ask for an audit; a commit may answer <ok/>, <commit-results> or nothing at all; a static
 * database without <configuration> is no answer; an instance that is read without opening it and
 * found empty although entries are expected is doubted, because a wrong or fresh instance reads the
 * same way.
 *
 * The plan is rendered into requests the moment it is handed out, so nothing of it is kept.
 */
#include "router_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event2/event.h>

#include "junos_edit.h"
#include "log.h"

enum { FIRST_PAUSE_MS = 200, LONGEST_PAUSE_MS = 5000, HOLD_MS = 30000 };

/* ---- lists --------------------------------------------------------------------------------- */

size_t
router_count_items(const struct listset *lists)
{
	size_t items = 0, i;

	for (i = 0; i < lists->count; i++)
		items += lists->lists[i].count;
	return items;
}

void
router_believe(struct router *router, struct listset *target, struct junos_reply *reply)
{
	listset_done(target);
	*target = reply->lists;
	reply->lists = (struct listset){ 0 };
	if (target == &router->ephemeral_lists)
		router->expected_items = router_count_items(target);
}

/* ---- plan ---------------------------------------------------------------------------------- */

static void
forget_loads(struct editor *editor)
{
	size_t i;

	for (i = editor->load_next; i < editor->load_count; i++)
		free(editor->loads[i]);
	free(editor->loads);
	editor->loads = NULL;
	editor->load_count = editor->load_next = 0;
}

/* What the instance should hold when this plan has been committed. */
static size_t
count_planned(size_t items, const struct plan *plan)
{
	size_t adds = 0, i;

	for (i = 0; i < plan->count; i++)
		adds += !plan->edits[i].remove;
	items += adds;
	return items > plan->count - adds ? items - (plan->count - adds) : 0;
}

static void
render_loads(struct router *router, const struct plan *plan)
{
	struct editor *editor = &router->editor;
	uint32_t id = session_next_id(&router->edit);
	size_t next = 0;
	char *load;

	while ((load = junos_rpc_load(id++, plan, &next, JUNOS_LOAD_MAX_BYTES))) {
		editor->loads =
		    xreallocarray(editor->loads, editor->load_count + 1, sizeof(*editor->loads));
		editor->loads[editor->load_count++] = load;
	}
}

static void
ask_plan(struct router *router)
{
	struct editor *editor = &router->editor;
	struct plan plan = { 0 };

	forget_loads(editor);
	if (!router->callbacks.on_plan(router->callbacks.arg, &plan)) {
		editor_feed(router, TRANSACTION_NO_PLAN);
		return;
	}
	editor->edits = plan.count;
	editor->planned_items = count_planned(router->expected_items, &plan);
	render_loads(router, &plan);
	plan_done(&plan);
	editor_feed(router, editor->load_count > 0 ? TRANSACTION_PLAN : TRANSACTION_NO_PLAN);
}

/* ---- what the machine asks for ------------------------------------------------------------- */

static void
set_pause(struct editor *editor, uint32_t ms)
{
	struct timeval delay = { ms / 1000, (ms % 1000) * 1000 };

	editor->pause_end = mtime_add_ms(mtime_now(), ms);
	event_add(editor->pause, &delay);
}

static void
lengthen_pause(struct editor *editor)
{
	set_pause(editor, editor->pause_ms);
	editor->pause_ms =
	    editor->pause_ms * 2 < LONGEST_PAUSE_MS ? editor->pause_ms * 2 : LONGEST_PAUSE_MS;
}

static void
hurry(struct editor *editor)
{
	editor->pause_ms = FIRST_PAUSE_MS;
	if (mtime_diff_ms(editor->pause_end, mtime_now()) > FIRST_PAUSE_MS)
		set_pause(editor, FIRST_PAUSE_MS);
}

static void
begin(struct editor *editor)
{
	editor->transactions++;
	editor->edits = 0;
	editor->warned = false;
	editor->confirms_audit = false; /* what is read from now on shows our own edits */
	editor->times = (struct router_times){ 0 };
	editor->error.text[0] = '\0';
}

static void
send_open(struct router *router)
{
	struct editor *editor = &router->editor;
	const struct profile_router *profile = &router->profile->router;
	bool is_edit = editor->machine.state == TRANSACTION_OPENING;

	if (is_edit)
		begin(editor);
	session_send(&router->edit,
	    junos_rpc_open(session_next_id(&router->edit), profile->instance),
	    profile->reply_timeout_ms);
	if (is_edit)
		editor->times.open_sent = wallclock_now_us();
}

static void
send_load(struct router *router)
{
	struct editor *editor = &router->editor;

	session_send(&router->edit, editor->loads[editor->load_next++],
	    router->profile->router.reply_timeout_ms);
	if (!editor->times.load_sent)
		editor->times.load_sent = wallclock_now_us();
}

static void
send_commit(struct router *router)
{
	const struct profile_router *profile = &router->profile->router;

	session_send(&router->edit,
	    junos_rpc_commit(session_next_id(&router->edit), profile->synchronize),
	    profile->commit_timeout_ms);
	router->editor.times.commit_sent = wallclock_now_us();
}

static void
drop_both(struct router *router)
{
	session_drop(&router->edit, "no answer to the commit in %u ms",
	    router->profile->router.commit_timeout_ms);
	session_drop(&router->read, "the commit was not answered: beginning anew");
}

static void
act(struct router *router, enum transaction_action action)
{
	const struct profile_router *profile = &router->profile->router;
	struct editor *editor = &router->editor;
	struct session *session = &router->edit;
	uint32_t id = session_next_id(session), ms = profile->reply_timeout_ms;

	switch (action) {
	case TRANSACTION_DO_NOTHING:
	case TRANSACTION_ACTION_COUNT:
		break;
	case TRANSACTION_SEND_STATIC:
		session_send(session, junos_rpc_get_static(id), ms);
		break;
	case TRANSACTION_SEND_OPEN:
		send_open(router);
		break;
	case TRANSACTION_SEND_CANDIDATE:
		session_send(session, junos_rpc_get_candidate(id), ms);
		break;
	case TRANSACTION_SEND_UNOPENED:
		session_send(session, junos_rpc_get_ephemeral(id, profile->instance), ms);
		break;
	case TRANSACTION_SEND_LOAD:
		send_load(router);
		break;
	case TRANSACTION_SEND_COMMIT:
		send_commit(router);
		break;
	case TRANSACTION_SEND_CLOSE:
		session_send(session, junos_rpc_close(id), ms);
		break;
	case TRANSACTION_ASK_PLAN:
		ask_plan(router);
		break;
	case TRANSACTION_PAUSE:
		lengthen_pause(editor);
		break;
	case TRANSACTION_HURRY:
		hurry(editor);
		break;
	case TRANSACTION_HOLD:
		set_pause(editor, HOLD_MS);
		break;
	case TRANSACTION_DROP:
		session_drop(
		    session, "%s", router->error.text[0] ? router->error.text : "no usable reply");
		break;
	case TRANSACTION_DROP_BOTH:
		drop_both(router);
		break;
	}
}

/* ---- telling the owner --------------------------------------------------------------------- */

static void
tell_lists(struct router *router)
{
	bool is_audit = router->editor.confirms_audit;

	router->editor.confirms_audit = false;
	session_note_work(&router->edit);
	router->callbacks.on_lists(
	    router->callbacks.arg, &router->static_lists, &router->ephemeral_lists, is_audit);
}

static void
tell_done(struct router *router, enum router_outcome outcome)
{
	const struct router_callbacks *callbacks = &router->callbacks;
	struct editor *editor = &router->editor;
	const struct router_times none = { 0 };

	if (outcome == ROUTER_REFUSED) { /* an outcome that is still owed keeps its times */
		callbacks->on_done(callbacks->arg, outcome,
		    editor->machine.state == TRANSACTION_LOCKED ? &editor->times : &none, 0,
		    router->error.text);
		return;
	}
	if (outcome != ROUTER_COMMITTED)
		router->error = editor->error;
	callbacks->on_done(
	    callbacks->arg, outcome, &editor->times, editor->edits, editor->error.text);
	if (editor->warned && outcome == ROUTER_COMMITTED)
		router_audit_now(router);
}

void
editor_feed(struct router *router, enum transaction_input input)
{
	struct transaction *machine = &router->editor.machine;
	enum transaction_state before = machine->state;
	struct transaction_step step = transaction_feed(machine, input);

	if (machine->state != before)
		log_debug("router", "%s -> %s", transaction_state_names[before],
		    transaction_state_names[machine->state]);
	act(router, step.action);
	if (step.lists)
		tell_lists(router);
	if (step.done)
		tell_done(router, step.outcome);
	if (machine->state == TRANSACTION_REPORTING)
		editor_feed(router, TRANSACTION_TOLD);
	else
		reader_kick(router);
}

/* ---- judging replies ----------------------------------------------------------------------- */

/* Keeps the text. FULL when any of the errors says that the database is full. */
static enum transaction_input
blame(struct router *router, const struct junos_reply *reply, const char *what)
{
	const struct junos_error *error = junos_reply_error(reply);
	const char *text = error ? error->message : reply->text ? reply->text : "no usable reply";
	size_t i;

	error_set(&router->error, 0, "%s: %s", what, text);
	error_flatten(&router->error);
	for (i = 0; i < reply->error_count; i++)
		if (strstr(reply->errors[i].message, "size limit exceeded"))
			return TRANSACTION_FULL;
	return TRANSACTION_BAD;
}

static enum transaction_input
judge_open(struct router *router, const struct junos_reply *reply)
{
	if (!junos_reply_error(reply) && (reply->kind == JUNOS_REPLY_EMPTY || reply->ok)) {
		router->editor.pause_ms = FIRST_PAUSE_MS;
		return TRANSACTION_GOOD;
	}
	router->counters.refused++;
	(void)blame(router, reply, "the instance cannot be opened"); /* full or not: refused */
	return TRANSACTION_BAD;
}

static void
count_warnings(struct router *router, const struct junos_reply *reply)
{
	struct editor *editor = &router->editor;
	size_t i;

	for (i = 0; i < reply->error_count; i++) {
		if (!reply->errors[i].warning)
			continue;
		router->counters.warnings++;
		if (!editor->warned)
			error_set(&editor->error, 0, "warning: %s", reply->errors[i].message);
		error_flatten(&editor->error);
		editor->warned = true;
	}
}

/* A load was taken. What is closed without a commit has no edits. */
static enum transaction_input
judge_load(struct router *router)
{
	struct editor *editor = &router->editor;

	if (router->callbacks.is_wanted && !router->callbacks.is_wanted(router->callbacks.arg)) {
		forget_loads(editor);
		editor->edits = 0;
		return TRANSACTION_NO_PLAN;
	}
	return editor->load_next < editor->load_count ? TRANSACTION_MORE : TRANSACTION_GOOD;
}

static enum transaction_input
judge_edit(struct router *router, const struct junos_reply *reply)
{
	struct editor *editor = &router->editor;
	bool is_load = editor->machine.state == TRANSACTION_LOADING;
	enum transaction_input bad;

	count_warnings(router, reply);
	if (junos_reply_error(reply) || reply->kind == JUNOS_REPLY_TEXT) {
		router->counters.load_errors++;
		bad = blame(
		    router, reply, is_load ? "the load was refused" : "the commit was refused");
		editor->error = router->error;
		return bad;
	}
	if (is_load)
		return judge_load(router);
	router->counters.commits++;
	editor->times.committed = wallclock_now_us();
	return TRANSACTION_GOOD;
}

static enum transaction_input
judge_close(struct router *router, const struct junos_reply *reply)
{
	if (!junos_reply_error(reply))
		return TRANSACTION_GOOD;
	error_set(&router->error, 0, "the instance cannot be closed: %s",
	    junos_reply_error(reply)->message);
	error_flatten(&router->error);
	return TRANSACTION_BAD;
}

static enum transaction_input
judge_static(struct router *router, struct junos_reply *reply)
{
	if (junos_reply_error(reply) || !reply->has_configuration)
		return blame(router, reply, "the static lists cannot be read");
	router_believe(router, &router->static_lists, reply);
	return TRANSACTION_GOOD;
}

static enum transaction_input
judge_instance(struct router *router, struct junos_reply *reply, size_t expected)
{
	struct editor *editor = &router->editor;

	if (junos_reply_error(reply) || reply->kind == JUNOS_REPLY_TEXT)
		return blame(router, reply, "the instance cannot be read");
	if (router_count_items(&reply->lists) == 0 && expected > 0)
		return TRANSACTION_DOUBTFUL;
	router_believe(router, &router->ephemeral_lists, reply);
	if (editor->times.committed && !editor->times.read_back)
		editor->times.read_back = wallclock_now_us();
	return TRANSACTION_GOOD;
}

static enum transaction_input
judge(struct router *router, struct junos_reply *reply)
{
	switch (router->editor.machine.state) {
	case TRANSACTION_READ_STATIC:
		return judge_static(router, reply);
	case TRANSACTION_READ_CANDIDATE:
		return judge_instance(router, reply, 0);
	case TRANSACTION_READ_UNOPENED:
		return judge_instance(router, reply, router->expected_items);
	case TRANSACTION_VERIFYING:
		return judge_instance(router, reply, router->editor.planned_items);
	case TRANSACTION_READ_OPENING:
	case TRANSACTION_OPENING:
		return judge_open(router, reply);
	case TRANSACTION_LOADING:
	case TRANSACTION_COMMITTING:
		return judge_edit(router, reply);
	default:
		return judge_close(router, reply);
	}
}

/* ---- the session's side -------------------------------------------------------------------- */

static void
on_up(struct router *router)
{
	editor_feed(router, TRANSACTION_CONNECTED);
}

static void
on_reply(struct router *router, struct junos_reply *reply, struct session_letter *letter)
{
	enum transaction_input input = judge(router, reply);

	junos_reply_free(reply);
	editor_feed(router, input);
}

static void
on_late(struct router *router)
{
	error_set(&router->error, 0, "no reply in %u ms while %s", router->edit.timeout_ms,
	    transaction_state_names[router->editor.machine.state]);
	editor_feed(router, TRANSACTION_LATE);
}

static void
on_lost(struct router *router, const char *reason)
{
	struct editor *editor = &router->editor;

	if (editor->machine.state == TRANSACTION_COMMITTING)
		error_set(&editor->error, 0, "the reply to the commit did not come: %s", reason);
	else if (!editor->error.text[0])
		error_set(&editor->error, 0, "%s", reason);
	forget_loads(editor);
	editor_feed(router, TRANSACTION_LOST);
}

const struct session_user editor_user = { on_up, on_reply, on_late, on_lost };

static void
on_pause_end(evutil_socket_t fd, short what, void *arg)
{
	editor_feed(arg, TRANSACTION_PAUSED);
}

bool
editor_is_quiet(const struct router *router)
{
	switch (router->editor.machine.state) {
	case TRANSACTION_OFFLINE:
	case TRANSACTION_READ_WAITING:
	case TRANSACTION_IDLE:
	case TRANSACTION_LOCKED:
	case TRANSACTION_HELD:
		return true;
	default:
		return false;
	}
}

void
editor_init(struct router *router)
{
	router->editor = (struct editor){ .pause_ms = FIRST_PAUSE_MS };
	router->editor.pause = evtimer_new(router->base, on_pause_end, router);
	router->expected_items = 1;
}

void
editor_done(struct router *router)
{
	forget_loads(&router->editor);
	event_free(router->editor.pause);
}
