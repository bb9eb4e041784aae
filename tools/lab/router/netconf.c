/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NETCONF sessions. A session takes one request at a time: a request that a fault holds back
 * (pause, slow) keeps those behind it waiting, other sessions go on. A session that ends gives up
 * its locks and its uncommitted changes, whatever was pending: a request that was held before
 * execution is then never executed.
 *
 * The life of a request: parsed -> (held before) -> executed -> (held after) -> answered. advance()
 * is that line; every fault is one place on it.
 *
 * Hostile input ends the session, never the process: message size (framing.c), depth (libxml2's
 * limit of 256), no DTD, no second root, no unread replies without limit (sshd.c).
 */
#include "netconf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <libxml/parser.h>

#include "conf.h"
#include "database.h"
#include "framing.h"
#include "log.h"
#include "loop.h"
#include "mtime.h"
#include "router.h"
#include "rpc.h"
#include "sshd.h"

enum { MAX_MESSAGE = 64 << 20, LOG_SIZE = 512, NAME_SIZE = 48, USER_SIZE = 64 };

enum phase {
	PHASE_NEW,
	PHASE_HELD_BEFORE, /* pause-before, slow */
	PHASE_READY,
	PHASE_HELD_AFTER, /* pause-after */
	PHASE_ANSWER
};

/* The request that is being worked on. */
struct request {
	xmlDoc *doc; /* owned; NULL: none */
	const xmlNode *op;
	enum step step;
	enum phase phase;
	struct fault fault;
	char *reply; /* owned; after execution */
	size_t reply_size;
	bool ends_session;
};

struct session {
	TAILQ_ENTRY(session) entry;
	struct netconf *netconf;      /* borrowed */
	struct sshd_channel *channel; /* borrowed */
	struct framing *framing;      /* owned */
	enum framing_version version;
	uint32_t id;
	char user[USER_SIZE];
	bool has_hello, is_over;
	struct request request;
	struct loop_timer *timer; /* owned: "slow" */
};

/* One line of the log that the control socket shows. */
struct record {
	int64_t time_us;
	uint32_t session;
	char name[NAME_SIZE];
	char outcome[16];
};

struct netconf {
	struct labrouter *router; /* borrowed */
	bool base_1_1;
	FILE *transcript; /* owned; NULL: none */
	TAILQ_HEAD(, session) sessions;
	uint32_t last_id;
	uint64_t request_count;
	struct record log[LOG_SIZE];
	size_t log_count; /* ever written */
};

static const char base_1_0_uri[] = "urn:ietf:params:xml:ns:netconf:base:1.0";

static void serve(struct session *session);

static void
record(struct session *session, const char *name, const char *outcome)
{
	struct netconf *netconf = session->netconf;
	struct record *line = &netconf->log[netconf->log_count++ % LOG_SIZE];

	*line = (struct record){ .time_us = wallclock_now_us(), .session = session->id };
	(void)snprintf(line->name, sizeof(line->name), "%s", name);
	(void)snprintf(line->outcome, sizeof(line->outcome), "%s", outcome);
	log_debug("netconf", "session %u: %s: %s", session->id, name, outcome);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void
send_message(struct session *session, const char *text, size_t size)
{
	char head[FRAMING_HEAD_SIZE];
	size_t head_size = framing_head(session->version, size, head);
	const char *tail = framing_tail(session->version);

	sshd_send(session->channel, head, head_size);
	sshd_send(session->channel, text, size);
	sshd_send(session->channel, tail, strlen(tail));
	if (session->version == FRAMING_EOM) /* Junos ends the line after the mark */
		sshd_send(session->channel, "\n", 1);
}

static void
send_hello(struct session *session)
{
	static const char *const capabilities[] = { "urn:ietf:params:netconf:base:1.0",
		"urn:ietf:params:netconf:capability:candidate:1.0",
		"urn:ietf:params:netconf:capability:confirmed-commit:1.0",
		"urn:ietf:params:netconf:capability:validate:1.0",
		"urn:ietf:params:netconf:capability:url:1.0?scheme=http,ftp,file",
		"urn:ietf:params:xml:ns:netconf:base:1.0?module=ietf-netconf&amp;revision=2011-06-"
		"01",
		"urn:ietf:params:xml:ns:netconf:capability:candidate:1.0",
		"urn:ietf:params:xml:ns:netconf:capability:validate:1.0",
		"urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring",
		"http://xml.juniper.net/netconf/junos/1.0",
		"http://xml.juniper.net/dmi/system/1.0" };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		fatal("out of memory");
	fprintf(out, "<nc:hello xmlns:nc=\"%s\">\n  <nc:capabilities>\n", base_1_0_uri);
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(*capabilities); i++)
		fprintf(out, "    <nc:capability>%s</nc:capability>\n", capabilities[i]);
	if (session->netconf->base_1_1)
		fputs("    <nc:capability>urn:ietf:params:netconf:base:1.1</nc:capability>\n", out);
	fprintf(out, "  </nc:capabilities>\n  <nc:session-id>%u</nc:session-id>\n</nc:hello>\n",
	    session->id);
	fclose(out);
	send_message(session, text, size);
	free(text);
}

/* A reply that is no reply. True: nothing more to send. */
static bool
send_broken(struct session *session, const struct fault *fault, const char *text, size_t size)
{
	char block[1024];

	switch (fault->kind) {
	case FAULT_GARBAGE:
		send_message(session, "<nc:rpc-reply><<&\x01 not xml", 26);
		return true;
	case FAULT_HALF:
		sshd_send(session->channel, text, size / 2);
		return true;
	case FAULT_SILENT:
		return true;
	case FAULT_BIG:
		memset(block, 'x', sizeof(block));
		sshd_send(session->channel, "<nc:rpc-reply><output>", 22);
		for (size_t i = 0; i < (size_t)fault->number * 1024; i++)
			sshd_send(session->channel, block, sizeof(block));
		return true;
	default:
		return false;
	}
}

static void
send_reply(struct session *session, const struct request *request)
{
	static const char dtd[] = "<!DOCTYPE nc:rpc-reply [ <!ENTITY a \"aaaaaaaaaa\"> "
	                          "<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"> ]>\n";
	char *text;

	if (send_broken(session, &request->fault, request->reply, request->reply_size))
		return;
	if (request->fault.kind != FAULT_DTD) {
		send_message(session, request->reply, request->reply_size);
		return;
	}
	text = xasprintf("%s%s", dtd, request->reply);
	send_message(session, text, strlen(text));
	free(text);
}

/* ---- one request ----------------------------------------------------------------------------- */

static void
clear_request(struct request *request)
{
	xmlFreeDoc(request->doc);
	free(request->reply);
	*request = (struct request){ 0 };
}

/* The attributes of <rpc> come back in the reply (RFC 6241 4.1). */
static void
put_attributes(FILE *out, const xmlNode *rpc)
{
	for (const xmlAttr *attribute = rpc->properties; attribute; attribute = attribute->next) {
		xmlChar *value = xmlNodeListGetString(rpc->doc, attribute->children, 1);

		if (!attribute->ns) {
			fprintf(out, " %s=\"", (const char *)attribute->name);
			rpc_put_text(out, value ? (const char *)value : "");
			fputc('"', out);
		}
		xmlFree(value);
	}
}

static void
end_other(struct netconf *netconf, uint32_t id)
{
	if (id)
		(void)netconf_cut(netconf, id);
}

/* Makes the reply. */
static void
execute(struct session *session)
{
	struct netconf *netconf = session->netconf;
	struct request *request = &session->request;
	FILE *out = open_memstream(&request->reply, &request->reply_size);
	struct rpc rpc = { .router = netconf->router,
		.session = session->id,
		.user = session->user,
		.op = request->op,
		.fault = &request->fault,
		.out = out };

	if (!out)
		fatal("out of memory");
	fprintf(out,
	    "<nc:rpc-reply xmlns:nc=\"%s\" xmlns:junos=\"http://xml.juniper.net/junos/%s/junos\"",
	    base_1_0_uri, netconf->router->release);
	put_attributes(out, conf_root(request->doc));
	fputs(">\n", out);
	rpc_execute(&rpc);
	fputs("</nc:rpc-reply>\n", out);
	fclose(out);
	request->ends_session = rpc.ends_session;
	record(session, (const char *)request->op->name, rpc.has_failed ? "error" : "ok");
	end_other(netconf, rpc.kills_session);
}

static bool
is_paused(const struct request *request)
{
	return (request->phase == PHASE_HELD_BEFORE && request->fault.kind == FAULT_PAUSE_BEFORE) ||
	       request->phase == PHASE_HELD_AFTER;
}

static void
on_slow_over(void *arg)
{
	struct session *session = arg;

	session->request.phase = PHASE_READY;
	serve(session);
}

static void
lose(struct session *session, const char *outcome)
{
	record(session, (const char *)session->request.op->name, outcome);
	session->is_over = true;
	sshd_cut(session->channel);
}

/* What happens before it is executed. */
static void
arrive(struct session *session)
{
	struct request *request = &session->request;

	request->phase = PHASE_READY;
	if (request->fault.kind == FAULT_LOST_BEFORE)
		lose(session, "lost-before");
	if (request->fault.kind != FAULT_PAUSE_BEFORE && request->fault.kind != FAULT_SLOW)
		return;
	request->phase = PHASE_HELD_BEFORE;
	record(session, (const char *)request->op->name, "held");
	if (request->fault.kind == FAULT_SLOW)
		loop_timer_set(session->timer, request->fault.number);
}

static void
run(struct session *session)
{
	struct request *request = &session->request;

	execute(session);
	request->phase = PHASE_ANSWER;
	if (request->fault.kind == FAULT_PAUSE_AFTER)
		request->phase = PHASE_HELD_AFTER;
	else if (request->fault.kind == FAULT_LOST_AFTER)
		lose(session, "lost-after");
}

static void
finish(struct session *session)
{
	struct request *request = &session->request;

	send_reply(session, request);
	if (request->ends_session) {
		session->is_over = true;
		sshd_close(session->channel);
	}
	clear_request(request);
}

/* Moves the request as far as it goes. */
static void
advance(struct session *session)
{
	struct request *request = &session->request;

	if (request->phase == PHASE_NEW)
		arrive(session);
	if (request->phase == PHASE_READY && !session->is_over)
		run(session);
	if (request->phase == PHASE_ANSWER && !session->is_over)
		finish(session);
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

static void
end_session(struct session *session, const char *why)
{
	log_info("netconf", "session %u: %s", session->id, why);
	record(session, "-", "dropped");
	session->is_over = true;
	sshd_cut(session->channel);
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

static void
refuse(struct session *session, const xmlNode *rpc, const char *tag, const char *message)
{
	struct rpc_error error = { "rpc", tag, "error", NULL, message, NULL };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		fatal("out of memory");
	fprintf(out, "<nc:rpc-reply xmlns:nc=\"%s\"", base_1_0_uri);
	if (rpc)
		put_attributes(out, rpc);
	fputs(">\n", out);
	rpc_put_error(out, &error);
	fputs("</nc:rpc-reply>\n", out);
	fclose(out);
	send_message(session, text, size);
	free(text);
}

/* Takes over doc. */
static void
take_rpc(struct session *session, xmlDoc *doc)
{
	struct request *request = &session->request;
	const xmlNode *op = conf_child(conf_root(doc), NULL);

	if (!op || conf_next(op, NULL)) {
		refuse(session, conf_root(doc), "missing-element", "want one operation in <rpc>");
		xmlFreeDoc(doc);
		return;
	}
	session->netconf->request_count++;
	*request =
	    (struct request){ .doc = doc, .op = op, .step = rpc_step((const char *)op->name) };
	faults_take(session->netconf->router->faults, request->step, &request->fault);
	advance(session);
}

static void
take_message(struct session *session, const char *text, size_t size)
{
	xmlDoc *doc = xmlReadMemory(text, (int)size, NULL, NULL,
	    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_COMPACT);
	const xmlNode *root = doc ? conf_root(doc) : NULL;

	note_transcript(session, text, size);
	if (!root || xmlGetIntSubset(doc)) {
		refuse(
		    session, NULL, "malformed-message", "not well-formed, or with a document type");
		end_session(session, "malformed message");
	} else if (conf_is(root, "hello") && !session->has_hello) {
		take_hello(session, root);
	} else if (!session->has_hello || !conf_is(root, "rpc")) {
		end_session(session, "neither hello nor rpc");
	} else {
		take_rpc(session, doc);
		return;
	}
	xmlFreeDoc(doc);
}

/* Takes messages until one has to wait. */
static void
serve(struct session *session)
{
	const char *text;
	size_t size;
	int rc;

	if (session->request.doc)
		advance(session);
	while (!session->is_over && !session->request.doc) {
		rc = framing_next(session->framing, &text, &size);
		if (rc == 0)
			return;
		if (rc < 0) {
			end_session(session, rc == -EMSGSIZE ? "message too long" : "bad framing");
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
	char *comment;

	session->netconf = netconf;
	session->channel = channel;
	session->framing = framing_new(MAX_MESSAGE);
	session->id = ++netconf->last_id;
	(void)snprintf(session->user, sizeof(session->user), "%s", user);
	session->timer = loop_timer_new(netconf->router->loop, on_slow_over, session);
	TAILQ_INSERT_TAIL(&netconf->sessions, session, entry);
	comment =
	    xasprintf("<!-- No zombies were killed during the creation of this user interface "
	              "-->\n<!-- user %s, class j-super-user -->\n",
	        user);
	sshd_send(channel, comment, strlen(comment));
	free(comment);
	faults_take(netconf->router->faults, STEP_HELLO, &fault);
	if (!send_broken(session, &fault, "<nc:hello xmlns:nc=\"urn:iet", 26))
		send_hello(session);
	log_info("netconf", "session %u: user %s", session->id, user);
	return session;
}

static void
on_data(void *owner, const char *data, size_t size)
{
	struct session *session = owner;

	framing_feed(session->framing, data, size);
	serve(session);
}

static void
on_close(void *owner)
{
	struct session *session = owner;
	struct netconf *netconf = session->netconf;

	log_info("netconf", "session %u: ended", session->id);
	database_end_session(netconf->router->database, session->id);
	TAILQ_REMOVE(&netconf->sessions, session, entry);
	clear_request(&session->request);
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
		if (is_paused(&session->request) &&
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
		if (!is_paused(&session->request))
			continue;
		session->request.phase =
		    session->request.phase == PHASE_HELD_AFTER ? PHASE_ANSWER : PHASE_READY;
		count++;
		serve(session);
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
		session->is_over = true;
		sshd_cut(session->channel);
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
		    opened ? opened : "", is_paused(&session->request) ? " paused" : "");
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
