/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NETCONF sessions. A session takes one request at a time: a request that a fault holds back
 * (pause, slow) keeps those behind it waiting, other sessions go on. A session that ends gives up
 * its locks and its uncommitted changes, whatever was pending: a request that was held before
 * execution is then never executed.
 *
 * The life of a request is netconf_request.c; what is written, netconf_reply.c.
 *
 * Hostile input ends the session, never the process: message size (framing.c), depth (libxml2's
 * limit of 256), no DTD, no second root, no unread replies without limit (sshd.c).
 */
#include "netconf_session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>

#include "conf.h"
#include "database.h"
#include "log.h"
#include "mtime.h"

enum { MAX_MESSAGE = 64 << 20 };

void
session_record(struct session *session, const char *name, const char *outcome)
{
	struct netconf *netconf = session->netconf;
	struct record *line = &netconf->log[netconf->log_count++ % LOG_SIZE];

	*line = (struct record){ .time_us = wallclock_now_us(), .session = session->id };
	(void)snprintf(line->name, sizeof(line->name), "%s", name);
	(void)snprintf(line->outcome, sizeof(line->outcome), "%s", outcome);
	log_debug("netconf", "session %u: %s: %s", session->id, name, outcome);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void
note_transcript(struct session *session, const char *text, size_t size)
{
	FILE *out = session->netconf->transcript;

	if (!out)
		return;
	fprintf(out, "<!-- session %u -->\n", session->id);
	fwrite(text, 1, size, out);
	fputs("\n]]>]]>\n", out);
	fflush(out);
}

void
session_end(struct session *session, bool at_once)
{
	session->is_over = true;
	database_end_session(session->netconf->router->database, session->id);
	if (at_once)
		sshd_cut(session->channel);
	else
		sshd_close(session->channel);
}

static void
drop_session(struct session *session, const char *why)
{
	log_info("netconf", "session %u: %s", session->id, why);
	session_record(session, "-", "dropped");
	session_end(session, false);
}

static void
take_hello(struct session *session, const xmlNode *root)
{
	const xmlNode *capability = conf_child(conf_child(root, "capabilities"), "capability");
	bool base_1_1 = false;

	for (; capability; capability = conf_next(capability, "capability")) {
		char *text = conf_text(capability);

		base_1_1 |= strcmp(text, "urn:ietf:params:netconf:base:1.1") == 0;
		free(text);
	}
	session->has_hello = true;
	if (base_1_1 && session->netconf->base_1_1) {
		session->version = FRAMING_CHUNKED;
		framing_set_version(session->framing, FRAMING_CHUNKED);
	}
}

/* Takes over doc. */
static void
take_rpc(struct session *session, xmlDoc *doc)
{
	const xmlNode *op = conf_child(conf_root(doc), NULL);

	if (!op || conf_next(op, NULL)) {
		reply_refuse(
		    session, conf_root(doc), "missing-element", "want one operation in <rpc>");
		xmlFreeDoc(doc);
		return;
	}
	session->netconf->request_count++;
	request_begin(session, doc, op);
}

static void
take_message(struct session *session, const char *text, size_t size)
{
	xmlDoc *doc = xmlReadMemory(text, (int)size, NULL, NULL,
	    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_COMPACT);
	const xmlNode *root = doc ? conf_root(doc) : NULL;

	note_transcript(session, text, size);
	if (!root || xmlGetIntSubset(doc)) {
		reply_refuse(
		    session, NULL, "malformed-message", "not well-formed, or with a document type");
		drop_session(session, "malformed message");
	} else if (conf_is(root, "hello") && !session->has_hello) {
		take_hello(session, root);
	} else if (!session->has_hello || !conf_is(root, "rpc")) {
		drop_session(session, "neither hello nor rpc");
	} else {
		take_rpc(session, doc);
		return;
	}
	xmlFreeDoc(doc);
}

void
session_serve(struct session *session)
{
	const char *text;
	size_t size;
	int rc;

	if (session->request.doc)
		request_advance(session);
	while (!session->is_over && !session->request.doc) {
		rc = framing_next(session->framing, &text, &size);
		if (rc == 0)
			return;
		if (rc < 0) {
			drop_session(session, rc == -EMSGSIZE ? "message too long" : "bad framing");
			return;
		}
		take_message(session, text, size);
	}
}

/* ---- what sshd calls ------------------------------------------------------------------------- */

static void *
on_open(void *arg, struct sshd_channel *channel, const char *user)
{
	struct netconf *netconf = arg;
	struct session *session = xcalloc(1, sizeof(*session));
	struct fault fault;

	session->netconf = netconf;
	session->channel = channel;
	session->framing = framing_new(MAX_MESSAGE);
	session->id = ++netconf->last_id;
	(void)snprintf(session->user, sizeof(session->user), "%s", user);
	session->timer = loop_timer_new(netconf->router->loop, request_on_slow_over, session);
	TAILQ_INSERT_TAIL(&netconf->sessions, session, entry);
	faults_take(netconf->router->faults, STEP_HELLO, &fault);
	reply_send_greeting(session, &fault);
	log_info("netconf", "session %u: user %s", session->id, user);
	return session;
}

static void
on_data(void *owner, const char *data, size_t size)
{
	struct session *session = owner;

	framing_feed(session->framing, data, size);
	session_serve(session);
}

static void
on_close(void *owner)
{
	struct session *session = owner;
	struct netconf *netconf = session->netconf;

	log_info("netconf", "session %u: ended", session->id);
	database_end_session(netconf->router->database, session->id);
	TAILQ_REMOVE(&netconf->sessions, session, entry);
	request_clear(&session->request);
	loop_timer_free(session->timer);
	framing_free(session->framing);
	free(session);
}

/* ---- for main.c and control.c ---------------------------------------------------------------- */

int
netconf_new(struct labrouter *router, bool base_1_1, const char *transcript,
    struct netconf **ret_netconf, struct error *err)
{
	struct netconf *netconf = xcalloc(1, sizeof(*netconf));

	netconf->router = router;
	netconf->base_1_1 = base_1_1;
	netconf->last_id = 1000;
	TAILQ_INIT(&netconf->sessions);
	if (transcript && !(netconf->transcript = fopen(transcript, "ae"))) {
		int code = -errno;

		free(netconf);
		return error_set(err, code, "transcript %s: %s", transcript, strerror(-code));
	}
	*ret_netconf = netconf;
	return 0;
}

void
netconf_free(struct netconf *netconf)
{
	struct session *session;

	if (!netconf)
		return;
	while ((session = TAILQ_FIRST(&netconf->sessions)))
		on_close(session);
	if (netconf->transcript)
		fclose(netconf->transcript);
	free(netconf);
}

void
netconf_get_callbacks(struct netconf *netconf, struct sshd_callbacks *ret_callbacks)
{
	*ret_callbacks = (struct sshd_callbacks){
		.on_open = on_open, .on_data = on_data, .on_close = on_close, .arg = netconf
	};
}

size_t
netconf_session_count(const struct netconf *netconf)
{
	const struct session *session;
	size_t count = 0;

	TAILQ_FOREACH (session, &netconf->sessions, entry)
		count += session->has_hello && !session->is_over ? 1 : 0;
	return count;
}

size_t
netconf_paused_count(const struct netconf *netconf, enum step step)
{
	const struct session *session;
	size_t count = 0;

	TAILQ_FOREACH (session, &netconf->sessions, entry)
		if (request_is_paused(&session->request) &&
		    (step == STEP_ANY || session->request.step == step))
			count++;
	return count;
}

size_t
netconf_resume(struct netconf *netconf)
{
	struct session *session;
	size_t count = 0;

	TAILQ_FOREACH (session, &netconf->sessions, entry) {
		if (!request_is_paused(&session->request))
			continue;
		request_resume(&session->request);
		count++;
		session_serve(session);
	}
	return count;
}

size_t
netconf_cut(struct netconf *netconf, uint32_t id)
{
	struct session *session;
	size_t count = 0;

	TAILQ_FOREACH (session, &netconf->sessions, entry) {
		if (id && session->id != id)
			continue;
		session_end(session, true);
		count++;
	}
	return count;
}

void
netconf_print_sessions(const struct netconf *netconf, FILE *out)
{
	const struct session *session;
	const char *opened;

	TAILQ_FOREACH (session, &netconf->sessions, entry) {
		opened = database_opened_by(netconf->router->database, session->id);
		fprintf(out, "%u %s %s%s%s%s\n", session->id, session->user,
		    session->has_hello ? "ready" : "no-hello", opened ? " open=" : "",
		    opened ? opened : "", request_is_paused(&session->request) ? " paused" : "");
	}
}

void
netconf_print_log(const struct netconf *netconf, FILE *out)
{
	size_t first = netconf->log_count > LOG_SIZE ? netconf->log_count - LOG_SIZE : 0;

	for (size_t i = first; i < netconf->log_count; i++) {
		const struct record *line = &netconf->log[i % LOG_SIZE];

		fprintf(out, "%" PRId64 " %u %s %s\n", line->time_us, line->session, line->name,
		    line->outcome);
	}
}

uint64_t
netconf_request_count(const struct netconf *netconf)
{
	return netconf->request_count;
}
