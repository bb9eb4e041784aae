/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One of the router's sessions: attempts over all addresses in order, the pause between rounds, and
 * requests with their replies. NETCONF answers in order, so the oldest request owns the next reply;
 * its message-id must agree, else the session is out of step and is dropped. Large replies are read
 * in steps between other events.
 *
 * What the owner hears: a session that came up or was lost, and each failure to get one once, until
 * the reason changes. A session that comes up after failures is not announced before it has done
 * its job (session_note_work), so a router that greets and then talks garbage does not fill the
 * log. Sessions do not know each other: the loss of one never ends the other.
 */
#include "router_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <event2/event.h>

#include "log.h"
#include "sshlink.h"

enum { FIRST_PAUSE_MS = 200, LONGEST_PAUSE_MS = 10000 };
enum { MAX_MESSAGE = 64 << 20, STEP_BYTES = 16 << 10 };

static const char *
name_of(const struct session *session)
{
	return session == &session->router->edit ? "edit" : "read";
}

static void
set_timer(struct event *event, uint32_t ms)
{
	struct timeval delay = { ms / 1000, (ms % 1000) * 1000 };

	event_add(event, &delay);
}

/* ---- what the owner hears ------------------------------------------------------------------ */

static void
tell(struct session *session, bool up, const char *detail)
{
	struct router *router = session->router;

	session->told_up = up;
	router->callbacks.on_session(router->callbacks.arg, session == &router->edit, up, detail);
}

static void
tell_down(struct session *session, const char *reason)
{
	bool is_news =
	    session->told_up || !session->told_reason || strcmp(session->told_reason, reason) != 0;

	if (!is_news)
		return;
	free(session->told_reason);
	session->told_reason = xstrdup(reason);
	error_set(&session->router->error, 0, "%s session: %s", name_of(session), reason);
	tell(session, false, reason);
}

void
session_note_work(struct session *session)
{
	session->works = true;
	session->pause_ms = FIRST_PAUSE_MS;
	free(session->told_reason);
	session->told_reason = NULL;
	if (!session->told_up)
		tell(session, true, "");
}

static struct session_letter *
take_letter(struct session *session)
{
	struct session_letter *letter = session->letters;

	session->letters = letter->next;
	session->letter_count--;
	return letter;
}

static void
free_letter(struct session_letter *letter)
{
	junos_parser_free(letter->parser);
	free(letter->text);
	free(letter);
}

static void
forget_letters(struct session *session)
{
	while (session->letters)
		free_letter(take_letter(session));
	event_del(session->read_on);
}

/* ---- attempts ------------------------------------------------------------------------------ */

/* The next address at once; after the last one, or after a session that worked, a pause. */
static void
plan_attempt(struct session *session)
{
	const struct profile_router *profile = &session->router->profile->router;
	uint32_t delay_ms = 0;

	if (session->works) {
		session->address = 0;
		delay_ms = FIRST_PAUSE_MS;
	} else if (++session->address >= profile->address_count) {
		session->address = 0;
		delay_ms = session->pause_ms;
		session->pause_ms = session->pause_ms * 2 < LONGEST_PAUSE_MS ? session->pause_ms * 2
		                                                             : LONGEST_PAUSE_MS;
	}
	session->works = false;
	set_timer(session->reconnect, delay_ms);
}

static void
lose(struct session *session, const char *reason)
{
	log_debug("router", "%s session: %s", name_of(session), reason);
	sshlink_free(session->link);
	session->link = NULL;
	session->up = false;
	session->waiting = 0;
	forget_letters(session);
	event_del(session->reply_timer);
	plan_attempt(session);
	session->user->on_lost(session->router, reason);
	tell_down(session, reason);
}

void
session_drop(struct session *session, const char *fmt, ...)
{
	char reason[400];
	va_list args;

	if (!session->link)
		return;
	va_start(args, fmt);
	vsnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
	lose(session, reason);
}

static void
on_link_up(void *arg, const char *notice)
{
	struct session *session = arg;

	session->up = true;
	if (session->was_up)
		session->router->counters.reconnects++;
	session->was_up = true;
	session->next_id = 1;
	if (!session->told_reason)
		tell(session, true, notice);
	session->user->on_up(session->router);
}

static void
on_link_down(void *arg, const char *reason)
{
	lose(arg, reason);
}

static void on_message(void *arg, const char *message, size_t size);

static struct sshlink_config
make_config(const struct session *session)
{
	const struct profile_router *profile = &session->router->profile->router;

	return (struct sshlink_config){
		.address = profile->addresses[session->address],
		.port = profile->port,
		.user = profile->user,
		.key_file = profile->key_file,
		.pins = { (const char *const *)profile->host_keys, profile->host_key_count,
		    profile->known_hosts },
		.hello = session->router->hello,
		.step_timeout_ms = profile->connect_timeout_ms,
		.silence_timeout_ms = profile->reply_timeout_ms,
		.max_message = MAX_MESSAGE,
	};
}

static void
on_reconnect(evutil_socket_t fd, short what, void *arg)
{
	struct session *session = arg;
	const struct sshlink_callbacks callbacks = { on_link_up, on_message, on_link_down,
		session };
	const struct sshlink_config config = make_config(session);

	session->link = sshlink_new(session->router->base, &config, &callbacks);
}

void
session_take_profile(struct session *session)
{
	const struct sshlink_config config = make_config(session);

	if (session->link)
		sshlink_set_config(session->link, &config);
}

/* ---- requests and replies ------------------------------------------------------------------ */

uint32_t
session_next_id(const struct session *session)
{
	return session->next_id;
}

void
session_send(struct session *session, char *rpc, uint32_t timeout_ms)
{
	if (session->waiting++ == session->letter_count)
		set_timer(session->reply_timer, timeout_ms);
	session->timeout_ms = timeout_ms;
	session->next_id++;
	sshlink_send(session->link, rpc, strlen(rpc));
	free(rpc);
}

static bool
is_in_step(const struct session *session, const struct junos_reply *reply)
{
	char want[16];

	snprintf(want, sizeof(want), "%u", session->next_id - session->waiting);
	return !reply->message_id || strcmp(reply->message_id, want) == 0;
}

static void
hand_reply(struct session *session, struct junos_reply *reply, struct session_letter *letter)
{
	if (is_in_step(session, reply)) {
		session->waiting--;
		session->user->on_reply(session->router, reply, letter);
		return;
	}
	junos_reply_free(reply);
	session_drop(session, "the router's message answers another request");
}

/* One step of the oldest letter. False: the session was dropped or waits for more letters. */
static bool
read_step(struct session *session)
{
	struct session_letter *letter = session->letters;
	size_t left = letter->size - letter->done, size = left < STEP_BYTES ? left : STEP_BYTES;
	struct junos_reply *reply;
	struct error err;
	int rc = junos_parser_feed(letter->parser, letter->text + letter->done, size, &err);

	letter->done += size;
	if (rc == 0 && letter->done < letter->size)
		return true;
	if (rc == 0)
		rc = junos_parser_end(letter->parser, &reply, &err);
	if (rc < 0) {
		session_drop(session, "the router's message cannot be read: %s", err.text);
		return false;
	}
	take_letter(session);
	hand_reply(session, reply, letter);
	free_letter(letter);
	return session->letters != NULL;
}

static void
on_read_on(evutil_socket_t fd, short what, void *arg)
{
	struct session *session = arg;

	if (session->letters && read_step(session))
		set_timer(session->read_on, 0);
}

static void
add_letter(struct session *session, const char *message, size_t size)
{
	struct session_letter *letter = xcalloc(1, sizeof(*letter)), **last = &session->letters;

	letter->text = xcalloc(size + 1, 1);
	memcpy(letter->text, message, size);
	letter->size = size;
	letter->parser = junos_parser_new();
	while (*last)
		last = &(*last)->next;
	*last = letter;
	session->letter_count++;
}

/* Small ones are read at once; of large ones a step now and the others in the loop's next turns, so
 * that no event has to wait for a long list. */
static void
on_message(void *arg, const char *message, size_t size)
{
	struct session *session = arg;

	if (session->letter_count >= session->waiting) {
		session_drop(session, "the router sent a message that answers no request");
		return;
	}
	add_letter(session, message, size);
	if (session->waiting > session->letter_count)
		set_timer(session->reply_timer, session->timeout_ms);
	else
		event_del(session->reply_timer);
	if (session->letter_count == 1 && read_step(session))
		set_timer(session->read_on, 0);
}

static void
on_late(evutil_socket_t fd, short what, void *arg)
{
	struct session *session = arg;

	session->user->on_late(session->router);
}

/* ---- life ---------------------------------------------------------------------------------- */

void
session_init(struct session *session, struct router *router, const struct session_user *user)
{
	*session = (struct session){ .router = router, .user = user, .pause_ms = FIRST_PAUSE_MS };
	session->reconnect = evtimer_new(router->base, on_reconnect, session);
	session->reply_timer = evtimer_new(router->base, on_late, session);
	session->read_on = evtimer_new(router->base, on_read_on, session);
	set_timer(session->reconnect, 0);
}

void
session_done(struct session *session)
{
	sshlink_free(session->link);
	forget_letters(session);
	event_free(session->read_on);
	event_free(session->reconnect);
	event_free(session->reply_timer);
	free(session->told_reason);
}
