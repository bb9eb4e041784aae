/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The router as the agent sees it: two sessions that live their own lives, an editor that writes
 * and a reader that looks. This file makes them, takes the owner's wishes and answers questions;
 * router_internal.h says which part does what.
 *
 * A wish on an idle edit session is on its way when router_submit returns: no timer, no queue and
 * no plan stand between an event and the open request. Nothing is written while no truth has been
 * read on this connection. When the router is freed nothing is undone: what is committed stays.
 */
#include "router_internal.h"

#include <stdlib.h>
#include <string.h>

#include "junos_edit.h"
#include "sshlink.h"

static void
start(struct router *router)
{
	editor_init(router);
	reader_init(router);
	session_init(&router->edit, router, &editor_user);
	session_init(&router->read, router, &reader_user);
}

struct router *
router_new(struct event_base *base, const struct profile *profile,
    const struct router_callbacks *callbacks)
{
	struct router *router = xcalloc(1, sizeof(*router));

	router->base = base;
	router->profile = profile;
	router->callbacks = *callbacks;
	router->hello = junos_rpc_hello();
	start(router);
	return router;
}

/* Best effort: a peer that is told closes its side at once, and its log says why. */
static void
say_goodbye(struct session *session)
{
	char *rpc;

	if (!session->up || session->waiting > 0)
		return;
	rpc = junos_rpc_close_session(session_next_id(session));
	sshlink_send(session->link, rpc, strlen(rpc));
	free(rpc);
}

static void
stop(struct router *router)
{
	say_goodbye(&router->edit);
	say_goodbye(&router->read);
	session_done(&router->edit);
	session_done(&router->read);
	editor_done(router);
	reader_done(router);
	ask_let_go(router);
	listset_done(&router->static_lists);
	listset_done(&router->ephemeral_lists);
}

void
router_free(struct router *router)
{
	if (!router)
		return;
	stop(router);
	free(router->hello);
	free(router);
}

/* ---- another profile ----------------------------------------------------------------------- */

static bool
is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool
are_same_texts(char *const *a, size_t a_count, char *const *b, size_t b_count)
{
	bool is_same = a_count == b_count;

	for (size_t i = 0; is_same && i < a_count; i++)
		is_same = strcmp(a[i], b[i]) == 0;
	return is_same;
}

static bool
is_same_router(const struct profile_router *a, const struct profile_router *b)
{
	bool is_same =
	    a->address_count == b->address_count && a->port == b->port &&
	    is_same_text(a->user, b->user) && is_same_text(a->key_file, b->key_file) &&
	    is_same_text(a->known_hosts, b->known_hosts) &&
	    is_same_text(a->instance, b->instance) &&
	    are_same_texts(a->host_keys, a->host_key_count, b->host_keys, b->host_key_count);

	for (size_t i = 0; is_same && i < a->address_count; i++)
		is_same = ip_compare(&a->addresses[i], &b->addresses[i]) == 0;
	return is_same;
}

bool
router_set_profile(struct router *router, const struct profile *profile)
{
	const struct profile *old = router->profile;
	bool is_same = is_same_router(&old->router, &profile->router);

	if (!is_same)
		stop(router);
	router->profile = profile;
	if (!is_same) {
		router->static_lists = router->ephemeral_lists = (struct listset){ 0 };
		start(router);
		return true;
	}
	session_take_profile(&router->edit);
	session_take_profile(&router->read);
	if (old->poll_interval_ms != profile->poll_interval_ms ||
	    old->audit_interval_ms != profile->audit_interval_ms)
		reader_take_intervals(router);
	return false;
}

void
router_submit(struct router *router)
{
	editor_feed(router, TRANSACTION_SUBMIT);
}

void
router_poll_now(struct router *router)
{
	router->reader.poll_wanted = true;
	reader_kick(router);
}

void
router_set_watch(struct router *router, const struct router_watch *watch)
{
	struct reader *reader = &router->reader;

	watch_done(&reader->next_watch);
	watch_copy(&reader->next_watch, watch);
	reader->watch_changed = true;
}

void
router_count_now(struct router *router)
{
	struct reader *reader = &router->reader;

	if (reader->counter_next >= watch_counters(&reader->watch)) {
		reader->counter_next = 0;
		reader->round_is_extra = true;
	}
	reader_kick(router);
}

void
router_audit_now(struct router *router)
{
	router->reader.audit_wanted = true;
	reader_kick(router);
}

void
router_retry(struct router *router)
{
	editor_feed(router, TRANSACTION_RETRY);
}

enum router_stage
router_get_stage(const struct router *router)
{
	static const enum router_stage stages[TRANSACTION_STATE_COUNT] = {
		[TRANSACTION_OFFLINE] = ROUTER_DISCONNECTED,
		[TRANSACTION_READ_STATIC] = ROUTER_READING,
		[TRANSACTION_READ_OPENING] = ROUTER_READING,
		[TRANSACTION_READ_CANDIDATE] = ROUTER_READING,
		[TRANSACTION_READ_CLOSING] = ROUTER_READING,
		[TRANSACTION_READ_UNOPENED] = ROUTER_READING,
		[TRANSACTION_READ_WAITING] = ROUTER_BACKING_OFF,
		[TRANSACTION_IDLE] = ROUTER_IDLE,
		[TRANSACTION_OPENING] = ROUTER_OPENING,
		[TRANSACTION_PLANNING] = ROUTER_LOADING,
		[TRANSACTION_LOADING] = ROUTER_LOADING,
		[TRANSACTION_COMMITTING] = ROUTER_COMMITTING,
		[TRANSACTION_CLOSING] = ROUTER_CLOSING,
		[TRANSACTION_VERIFYING] = ROUTER_VERIFYING,
		[TRANSACTION_REPORTING] = ROUTER_IDLE,
		[TRANSACTION_LOCKED] = ROUTER_BACKING_OFF,
		[TRANSACTION_HELD] = ROUTER_BACKING_OFF,
	};
	const struct transaction *machine = &router->editor.machine;

	if (machine->state == TRANSACTION_OFFLINE && router->edit.link)
		return ROUTER_CONNECTING;
	return machine->full && machine->state == TRANSACTION_IDLE ? ROUTER_BACKING_OFF
	                                                           : stages[machine->state];
}

bool
router_session_is_up(const struct router *router, bool is_edit)
{
	return is_edit ? router->edit.up : router->read.up;
}

const struct ip *
router_connected_to(const struct router *router)
{
	const struct session *session = router->edit.up ? &router->edit : &router->read;

	return session->up ? &router->profile->router.addresses[session->address] : NULL;
}

const struct router_counters *
router_get_counters(const struct router *router)
{
	return &router->counters;
}

const char *
router_last_error(const struct router *router)
{
	return router->error.text;
}
