/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The read session: one job at a time, a poll, an audit, one question or one counter request, its
 * requests sent together. Replies come in order, so the n-th reply answers the n-th request of the
 * job.
 *
 * A poll is handed up as it is, errors included: what an error means is not decided here. Counters
 * may be long replies and decide nothing: they are asked for one by one when nothing else is to be
 * read, and a kind of them that cost the session is spared for a while, for the poll must go on. An
 * audit reads the static lists and the instance without opening it. It is thrown away and repeated
 * when a transaction ran meanwhile, for it may show the time before; and an instance that has
 * become empty against expectation is read again by the edit session, with the instance open.
 */
#include "router_internal.h"

#include <stdlib.h>
#include <string.h>

#include <event2/event.h>

#include "junos_edit.h"

enum { POLL_SUMMARY, POLL_NEIGHBORS, POLL_BFD, POLL_UPTIME, POLL_REPLIES };
enum { AUDIT_STATIC, AUDIT_INSTANCE, AUDIT_REPLIES };
enum { SPARED_POLLS = 30 };

/* ---- jobs ---------------------------------------------------------------------------------- */

static void
ask(struct router *router, char *rpc)
{
	session_send(&router->read, rpc, router->profile->router.reply_timeout_ms);
}

static void
begin_job(struct reader *reader, enum read_job job, size_t replies)
{
	reader->job = job;
	reader->asked_at = mtime_now();
	reader->replies = xcalloc(replies, sizeof(*reader->replies));
	reader->reply_count = 0;
	reader->replies_wanted = replies;
}

static void
adopt_watch(struct reader *reader)
{
	if (!reader->watch_changed)
		return;
	watch_done(&reader->watch);
	reader->watch = reader->next_watch;
	reader->next_watch = (struct router_watch){ 0 };
	reader->watch_changed = false;
	reader->counter_next = watch_counters(&reader->watch);
}

static void
start_poll(struct router *router)
{
	const struct session *session = &router->read;
	struct reader *reader = &router->reader;
	const struct router_watch *watch = &reader->watch;

	adopt_watch(reader);
	begin_job(reader, READ_POLL, POLL_REPLIES + watch->route_count);
	reader->poll_wanted = false;
	ask(router, junos_rpc_get_bgp_summary(session_next_id(session)));
	ask(router, junos_rpc_get_bgp_neighbor(session_next_id(session)));
	ask(router, junos_rpc_get_bfd(session_next_id(session)));
	ask(router, junos_rpc_get_uptime(session_next_id(session)));
	for (size_t i = 0; i < watch->route_count; i++)
		ask(router, junos_rpc_get_route(session_next_id(session), watch->routes[i].table,
		                &watch->routes[i].destination, true));
}

static void
start_audit(struct router *router)
{
	const struct session *session = &router->read;

	begin_job(&router->reader, READ_AUDIT, AUDIT_REPLIES);
	router->reader.audit_wanted = false;
	router->reader.transactions = router->editor.transactions;
	ask(router, junos_rpc_get_static(session_next_id(session)));
	ask(router,
	    junos_rpc_get_ephemeral(session_next_id(session), router->profile->router.instance));
}

static void
ask_counter(struct router *router)
{
	struct reader *reader = &router->reader;
	const char *name = watch_name(&reader->watch, reader->counter_next);
	uint32_t id = session_next_id(&router->read);

	begin_job(reader, READ_COUNTERS, 1);
	ask(router, watch_kind(&reader->watch, reader->counter_next) == COUNT_INTERFACES
	                ? junos_rpc_get_interface(id, name)
	                : junos_rpc_get_filter(id, name));
}

/* What the n-th of the round has to say: a reply, or why there is none. */
static void
hand_counter(struct router *router, const struct junos_reply *reply, const char *failure)
{
	struct reader *reader = &router->reader;
	size_t n = reader->counter_next++;
	bool is_filter = watch_kind(&reader->watch, n) == COUNT_FILTERS;
	const char *name = watch_name(&reader->watch, n);
	const struct router_count count = {
		.read_at = mtime_now(),
		.interface = is_filter ? NULL : name,
		.filter = is_filter ? name : NULL,
		.reply = reply,
		.failure = failure,
		.ends_round = n + 1 == watch_counters(&reader->watch),
		.is_extra = reader->round_is_extra,
	};

	if (router->callbacks.on_counters)
		router->callbacks.on_counters(router->callbacks.arg, &count);
}

static void
start_counters(struct router *router)
{
	struct reader *reader = &router->reader;

	while (reader->counter_next < watch_counters(&reader->watch)) {
		enum count_kind kind = watch_kind(&reader->watch, reader->counter_next);

		if (reader->spared[kind].polls == 0) {
			ask_counter(router);
			return;
		}
		hand_counter(router, NULL, reader->spared[kind].reason);
	}
}

static void
start_ask(struct router *router)
{
	begin_job(&router->reader, READ_ASK, 1);
	ask(router, ask_send(router, session_next_id(&router->read)));
}

void
reader_kick(struct router *router)
{
	struct reader *reader = &router->reader;

	if (!router->read.up || reader->job != READ_NOTHING)
		return;
	if (reader->poll_wanted)
		start_poll(router);
	else if (ask_is_waiting(router))
		start_ask(router);
	else if (reader->audit_wanted && editor_is_quiet(router))
		start_audit(router);
	else
		start_counters(router);
}

static void
forget_replies(struct reader *reader)
{
	for (size_t i = 0; i < reader->reply_count; i++)
		junos_reply_free(reader->replies[i]);
	free(reader->replies);
	reader->replies = NULL;
	reader->reply_count = 0;
	reader->job = READ_NOTHING;
}

/* ---- results ------------------------------------------------------------------------------- */

static void
hand_poll(struct router *router)
{
	struct reader *reader = &router->reader;
	const struct router_poll poll = {
		.asked_at = reader->asked_at,
		.summary = reader->replies[POLL_SUMMARY],
		.neighbors = reader->replies[POLL_NEIGHBORS],
		.bfd = reader->replies[POLL_BFD],
		.uptime = reader->replies[POLL_UPTIME],
		.routes = reader->watch.routes,
		.route_replies = (const struct junos_reply *const *)&reader->replies[POLL_REPLIES],
		.route_count = reader->watch.route_count,
	};

	if (reader->reply_count == reader->replies_wanted)
		router->counters.polls++;
	else
		router->counters.poll_failures++;
	for (enum count_kind kind = 0; kind < COUNT_KINDS; kind++)
		if (reader->spared[kind].polls > 0)
			reader->spared[kind].polls--;
	if (reader->counter_next == watch_counters(&reader->watch))
		reader->counter_next = 0;
	reader->round_is_extra = false;
	router->callbacks.on_poll(router->callbacks.arg, &poll);
}

static bool
is_usable(struct router *router, const struct junos_reply *reply, const char *what)
{
	const struct junos_error *error = junos_reply_error(reply);

	if (!error && reply->kind != JUNOS_REPLY_TEXT)
		return true;
	error_set(&router->error, 0, "audit: %s cannot be read: %s", what,
	    error ? error->message : reply->text);
	error_flatten(&router->error);
	return false;
}

static void
hand_audit(struct router *router)
{
	struct reader *reader = &router->reader;
	struct junos_reply *statics = reader->replies[AUDIT_STATIC];
	struct junos_reply *instance = reader->replies[AUDIT_INSTANCE];

	if (reader->transactions != router->editor.transactions || !editor_is_quiet(router)) {
		reader->audit_wanted = true;
		return;
	}
	router->counters.audits++;
	if (!is_usable(router, statics, "the static configuration") ||
	    !is_usable(router, instance, "the instance") || !statics->has_configuration)
		return;
	if (router_count_items(&instance->lists) == 0 && router->expected_items > 0) {
		router->editor.confirms_audit = true;
		editor_feed(router, TRANSACTION_CONFIRM);
		return;
	}
	router_believe(router, &router->static_lists, statics);
	router_believe(router, &router->ephemeral_lists, instance);
	router->callbacks.on_lists(
	    router->callbacks.arg, &router->static_lists, &router->ephemeral_lists, true);
}

static void
hand_answer(struct router *router, struct session_letter *letter)
{
	if (ask_answer(router, letter->text, letter->size))
		letter->text = NULL;
}

static void
on_reply(struct router *router, struct junos_reply *reply, struct session_letter *letter)
{
	struct reader *reader = &router->reader;

	reader->replies[reader->reply_count++] = reply;
	if (reader->reply_count < reader->replies_wanted)
		return;
	session_note_work(&router->read);
	if (reader->job == READ_POLL)
		hand_poll(router);
	else if (reader->job == READ_AUDIT)
		hand_audit(router);
	else if (reader->job == READ_ASK)
		hand_answer(router, letter);
	else
		hand_counter(router, reader->replies[0], NULL);
	forget_replies(reader);
	reader_kick(router);
}

/* ---- the session's side -------------------------------------------------------------------- */

static void
on_up(struct router *router)
{
	router->reader.poll_wanted = true;
	reader_kick(router);
}

/* The next round tells why, and leaves out no more than it must. */
static void
spare_counters(struct reader *reader, const char *reason)
{
	struct reader_spared *spared =
	    &reader->spared[watch_kind(&reader->watch, reader->counter_next)];

	free(spared->reason);
	spared->reason = xasprintf("the session was lost when it was asked: %s; the next try is "
	                           "%d polls later",
	    reason, SPARED_POLLS);
	spared->polls = SPARED_POLLS;
}

static void
on_late(struct router *router)
{
	session_drop(&router->read, "no reply in %u ms", router->read.timeout_ms);
}

static void
on_lost(struct router *router, const char *reason)
{
	struct reader *reader = &router->reader;

	if (reader->job == READ_POLL)
		hand_poll(router);
	if (reader->job == READ_AUDIT)
		reader->audit_wanted = true;
	if (reader->job == READ_COUNTERS)
		spare_counters(reader, reason);
	forget_replies(reader);
	ask_fail_all(router, reason);
}

const struct session_user reader_user = { on_up, on_reply, on_late, on_lost };

static void
on_poll_timer(evutil_socket_t fd, short what, void *arg)
{
	router_poll_now(arg);
}

static void
on_audit_timer(evutil_socket_t fd, short what, void *arg)
{
	router_audit_now(arg);
}

static void
start_timer(struct event *timer, uint32_t ms)
{
	const struct timeval interval = { ms / 1000, (ms % 1000) * 1000 };

	event_del(timer);
	event_add(timer, &interval);
}

void
reader_take_intervals(struct router *router)
{
	start_timer(router->reader.poll_timer, router->profile->poll_interval_ms);
	start_timer(router->reader.audit_timer, router->profile->audit_interval_ms);
}

void
reader_init(struct router *router)
{
	struct reader *reader = &router->reader;

	*reader = (struct reader){ 0 };
	reader->poll_timer = event_new(router->base, -1, EV_PERSIST, on_poll_timer, router);
	reader->audit_timer = event_new(router->base, -1, EV_PERSIST, on_audit_timer, router);
	reader_take_intervals(router);
}

void
reader_done(struct router *router)
{
	forget_replies(&router->reader);
	watch_done(&router->reader.watch);
	watch_done(&router->reader.next_watch);
	for (enum count_kind kind = 0; kind < COUNT_KINDS; kind++)
		free(router->reader.spared[kind].reason);
	event_free(router->reader.poll_timer);
	event_free(router->reader.audit_timer);
}
