/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Questions of others to the router: one read request on the read session, whose reply is handed
 * back as the text that it is. They wait behind a poll and before audits and counters, one at a
 * time, so that a verdict never waits for more than one of them.
 *
 * Whoever asks is told in time that the answer does not come (profile_answer_ms): a router may take
 * the reply timeout for each reply of a poll, and there may be others before. An answer that comes
 * after that has nobody to go to.
 *
 * A question lives until its owner frees it, with the answer inside. The owner may do that while it
 * is still under way; the reply then has nobody to go to. Memory is bounded by the number of living
 * questions times the size of an answer; more of either is refused with words.
 */
#include "router_internal.h"

#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

#include "junos_edit.h"

struct router_ask {
	struct router_ask *next; /* of the router's; owned by whoever asked */
	struct router *router;   /* borrowed; NULL: gone */
	struct router_question question;
	char *table; /* owned; of the question */
	router_answered_fn *fn;
	void *arg;
	bool is_sent, is_answered;
	int64_t asked_us; /* wall clock */
	char *text;       /* owned; NULL: failed, or no answer yet */
	size_t size;
	char *failure;         /* owned */
	struct event *overdue; /* owned; NULL: answered */
};

static size_t
count_asks(const struct router *router)
{
	size_t count = 0;

	for (const struct router_ask *ask = router->asks; ask; ask = ask->next)
		count++;
	return count;
}

static void
finish(struct router_ask *ask, char *text, size_t size, char *failure)
{
	event_free(ask->overdue);
	ask->overdue = NULL;
	ask->is_answered = true;
	ask->text = text;
	ask->size = size;
	ask->failure = failure;
	ask->fn(ask->arg, ask);
}

static void
on_overdue(evutil_socket_t fd, short what, void *arg)
{
	struct router_ask *ask = arg;
	uint64_t ms = profile_answer_ms(&ask->router->profile->router);

	finish(ask, NULL, 0,
	    xasprintf("the router has not answered within %g s: it is slow, or has much to answer "
	              "before; try again, or raise reply-timeout in the profile's router",
	        (double)ms / 1000));
}

static void
start_clock(struct router_ask *ask)
{
	uint64_t ms = profile_answer_ms(&ask->router->profile->router);
	const struct timeval delay = { (time_t)(ms / 1000), (suseconds_t)(ms % 1000 * 1000) };

	ask->overdue = evtimer_new(ask->router->base, on_overdue, ask);
	evtimer_add(ask->overdue, &delay);
}

struct router_ask *
router_ask_new(struct router *router, const struct router_question *question,
    router_answered_fn *fn, void *arg, struct error *err)
{
	struct router_ask *ask, **last = &router->asks;

	if (!router->read.up) {
		error_set(err, -EAGAIN, "the router is not connected: %s",
		    router->error.text[0] ? router->error.text : "still connecting");
		return NULL;
	}
	if (count_asks(router) >= ROUTER_ASKS_MOST) {
		error_set(err, -EBUSY, "%d questions to the router are under way, try again",
		    ROUTER_ASKS_MOST);
		return NULL;
	}
	ask = xcalloc(1, sizeof(*ask));
	ask->router = router;
	ask->question = *question;
	ask->table = question->table ? xstrdup(question->table) : NULL;
	ask->question.table = ask->table;
	ask->fn = fn;
	ask->arg = arg;
	while (*last)
		last = &(*last)->next;
	*last = ask;
	start_clock(ask);
	reader_kick(router);
	return ask;
}

static void
unlink_ask(struct router_ask *ask)
{
	struct router_ask **at = &ask->router->asks;

	while (*at != ask)
		at = &(*at)->next;
	*at = ask->next;
}

void
router_ask_free(struct router_ask *ask)
{
	if (!ask)
		return;
	if (ask->router)
		unlink_ask(ask);
	if (ask->overdue)
		event_free(ask->overdue);
	free(ask->table);
	free(ask->text);
	free(ask->failure);
	free(ask);
}

const char *
router_ask_text(const struct router_ask *ask, size_t *ret_size)
{
	if (ask->text)
		*ret_size = ask->size;
	return ask->text;
}

const char *
router_ask_failure(const struct router_ask *ask)
{
	return ask->failure ? ask->failure : "not answered yet";
}

int64_t
router_ask_time(const struct router_ask *ask)
{
	return ask->asked_us;
}

/* ---- for the reader ------------------------------------------------------------------------ */

bool
ask_is_waiting(const struct router *router)
{
	for (const struct router_ask *ask = router->asks; ask; ask = ask->next)
		if (!ask->is_sent && !ask->is_answered)
			return true;
	return false;
}

char *
ask_send(struct router *router, uint32_t id)
{
	struct router_ask *ask = router->asks;

	while (ask->is_sent || ask->is_answered)
		ask = ask->next;
	ask->is_sent = true;
	ask->asked_us = wallclock_now_us();
	switch (ask->question.kind) {
	case ROUTER_QUESTION_STATIC:
		return junos_rpc_get_forwarding(id);
	case ROUTER_QUESTION_INSTANCE:
		return junos_rpc_get_ephemeral(id, router->profile->router.instance);
	default:
		return junos_rpc_get_route(
		    id, ask->question.table, &ask->question.destination, false);
	}
}

/* The one that was sent; NULL: its owner has freed it. */
static struct router_ask *
find_sent(const struct router *router)
{
	struct router_ask *ask = router->asks;

	while (ask && (!ask->is_sent || ask->is_answered))
		ask = ask->next;
	return ask;
}

/* Readers of the text may take its first zero byte for its end. */
static void
replace_zeros(char *text, size_t size)
{
	char *zero = text;

	while ((zero = memchr(zero, '\0', size - (size_t)(zero - text))))
		*zero = '?';
}

bool
ask_answer(struct router *router, char *text, size_t size)
{
	struct router_ask *ask = find_sent(router);

	if (!ask)
		return false;
	if (size > ROUTER_ANSWER_MOST) {
		finish(ask, NULL, 0,
		    xasprintf("the router's answer has %zu bytes, %d are the limit", size,
		        ROUTER_ANSWER_MOST));
		return false;
	}
	replace_zeros(text, size);
	finish(ask, text, size, NULL);
	return true;
}

void
ask_fail_all(struct router *router, const char *reason)
{
	struct router_ask *ask = router->asks;

	while (ask) {
		bool is_open = !ask->is_answered;

		if (is_open)
			finish(ask, NULL, 0, xasprintf("the router was lost: %s", reason));
		ask = is_open ? router->asks : ask->next; /* its owner may have freed any */
	}
}

void
ask_let_go(struct router *router)
{
	ask_fail_all(router, "the agent closes the session");
	for (struct router_ask *ask = router->asks; ask; ask = ask->next)
		ask->router = NULL;
	router->asks = NULL;
}
