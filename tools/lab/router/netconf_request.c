/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of a request: new -> (held before) -> ready -> executed -> (held after) -> answered.
 * request_advance is that line; every fault is one place on it. "Held" is a pause, which the
 * control socket ends, or a delay. A lost reply cuts the connection before or after the execution:
 * for the client the two look the same, for the databases they do not.
 */
#include "netconf_session.h"

#include <stdlib.h>

#include "conf.h"
#include "error.h"
#include "memtext.h"
#include "rpc.h"

void
request_clear(struct request *request)
{
	xmlFreeDoc(request->doc);
	free(request->reply);
	*request = (struct request){ 0 };
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
	FILE *out = memtext_open(&request->reply, &request->reply_size);
	struct rpc rpc = { .router = netconf->router,
		.session = session->id,
		.user = session->user,
		.op = request->op,
		.fault = &request->fault,
		.out = out };

	fprintf(out,
	    "<nc:rpc-reply xmlns:nc=\"%s\" xmlns:junos=\"http://xml.juniper.net/junos/%s/junos\"",
	    NETCONF_BASE_URI, netconf->router->release);
	reply_put_attributes(out, conf_root(request->doc));
	fputs(">\n", out);
	rpc_execute(&rpc);
	fputs("</nc:rpc-reply>\n", out);
	fclose(out);
	request->ends_session = rpc.ends_session;
	session_record(session, (const char *)request->op->name, rpc.has_failed ? "error" : "ok");
	end_other(netconf, rpc.kills_session);
}

bool
request_is_paused(const struct request *request)
{
	return (request->phase == PHASE_HELD_BEFORE && request->fault.kind == FAULT_PAUSE_BEFORE) ||
	       request->phase == PHASE_HELD_AFTER;
}

void
request_on_slow_over(void *arg)
{
	struct session *session = arg;

	session->request.phase = PHASE_READY;
	session_serve(session);
}

static void
lose(struct session *session, const char *outcome)
{
	session_record(session, (const char *)session->request.op->name, outcome);
	session_end(session, true);
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
	session_record(session, (const char *)request->op->name, "held");
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

	reply_send(session, request);
	if (request->ends_session)
		session_end(session, false);
	request_clear(request);
}

void
request_advance(struct session *session)
{
	struct request *request = &session->request;

	if (request->phase == PHASE_NEW)
		arrive(session);
	if (request->phase == PHASE_READY && !session->is_over)
		run(session);
	if (request->phase == PHASE_ANSWER && !session->is_over)
		finish(session);
}

void
request_begin(struct session *session, xmlDoc *doc, const xmlNode *op)
{
	struct request *request = &session->request;

	*request =
	    (struct request){ .doc = doc, .op = op, .step = rpc_step((const char *)op->name) };
	faults_take(session->netconf->router->faults, request->step, &request->fault);
	request_advance(session);
}

void
request_resume(struct request *request)
{
	request->phase = request->phase == PHASE_HELD_AFTER ? PHASE_ANSWER : PHASE_READY;
}
