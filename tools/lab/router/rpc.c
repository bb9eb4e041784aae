/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Configuration operations, answered in the words that Junos was seen to use: nothing at all for a
 * successful open and close, <ok/> for a commit, results with errors beside them for a load, an
 * empty success when somebody reads an instance that does not exist, "syntax error" with the bad
 * element for an operation that nobody knows.
 *
 * What an operation does to the databases is database.c; sessions, framing and faults of the wire
 * are session.c. Operational state is show.c.
 */
#include "rpc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>

#include "conf.h"
#include "database.h"
#include "router.h"
#include "xml_escape.h"

static const char xnm[] = "http://xml.juniper.net/xnm/1.1/xnm";

void
rpc_put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		const char *escape = xml_escape(*text);

		if (escape)
			fputs(escape, out);
		else
			fputc(*text, out);
	}
}

static void
put_leaf(FILE *out, const char *name, const char *text)
{
	if (!text)
		return;
	fprintf(out, "<nc:%s>", name);
	rpc_put_text(out, text);
	fprintf(out, "</nc:%s>\n", name);
}

void
rpc_put_error(FILE *out, const struct rpc_error *error)
{
	fputs("<nc:rpc-error>\n", out);
	put_leaf(out, "error-type", error->type);
	put_leaf(out, "error-tag", error->tag);
	put_leaf(out, "error-severity", error->severity);
	put_leaf(out, "error-path", error->path);
	put_leaf(out, "error-message", error->message);
	if (error->element) {
		fputs("<nc:error-info>\n", out);
		put_leaf(out, "bad-element", error->element);
		fputs("</nc:error-info>\n", out);
	}
	fputs("</nc:rpc-error>\n", out);
}

void
rpc_fail(struct rpc *rpc, const char *message, const char *element)
{
	struct rpc_error error = { "protocol", "operation-failed", "error", NULL, message,
		element };

	rpc_put_error(rpc->out, &error);
	rpc->has_failed = true;
}

static void
put_warning(FILE *out, const char *message)
{
	struct rpc_error error = { NULL, NULL, "warning", NULL, message, NULL };

	rpc_put_error(out, &error);
}

static void
fail_locked(struct rpc *rpc, const struct error *err)
{
	struct rpc_error error = { "protocol", "lock-denied", "error", NULL, err->text, NULL };

	rpc_put_error(rpc->out, &error);
	rpc->has_failed = true;
}

static void
fail_with(struct rpc *rpc, int code, const struct error *err)
{
	if (code == -EBUSY)
		fail_locked(rpc, err);
	else
		rpc_fail(rpc, err->text, NULL);
}

static void
put_ok(struct rpc *rpc)
{
	fputs("<nc:ok/>\n", rpc->out);
}

/* ---- open, close, lock ----------------------------------------------------------------------- */

static void
open_configuration(struct rpc *rpc)
{
	const xmlNode *named = conf_child(rpc->op, "ephemeral-instance");
	char *name = named ? conf_text(named) : NULL;
	struct error err;
	int rc;

	if (!named && !conf_child(rpc->op, "ephemeral")) {
		/* <private/>, <exclusive/>: the static candidate serves as it is. */
		rc = conf_child(rpc->op, "exclusive")
		         ? database_lock(rpc->router->database, rpc->session, &err)
		         : 0;
	} else {
		rc = database_open(rpc->router->database, rpc->session, name, &err);
	}
	if (rc < 0)
		fail_with(rpc, rc, &err);
	free(name);
}

static void
close_configuration(struct rpc *rpc)
{
	struct error err;

	if (database_close(rpc->router->database, rpc->session) < 0)
		(void)database_unlock(rpc->router->database, rpc->session, &err);
}

static void
lock_configuration(struct rpc *rpc)
{
	struct error err;
	int rc = database_lock(rpc->router->database, rpc->session, &err);

	if (rc < 0)
		fail_with(rpc, rc, &err);
	else if (conf_is(rpc->op, "lock"))
		put_ok(rpc);
}

static void
unlock_configuration(struct rpc *rpc)
{
	struct error err;
	int rc = database_unlock(rpc->router->database, rpc->session, &err);

	if (rc < 0)
		fail_with(rpc, rc, &err);
	else if (conf_is(rpc->op, "unlock"))
		put_ok(rpc);
}

static void
discard_changes(struct rpc *rpc)
{
	database_discard(rpc->router->database);
	put_ok(rpc);
}

/* ---- load ------------------------------------------------------------------------------------ */

static void
put_problems(FILE *out, const struct conf_problems *problems)
{
	for (size_t i = 0; i < problems->count; i++) {
		const struct conf_problem *problem = &problems->list[i];
		struct rpc_error error = { "protocol", "operation-failed",
			problem->is_warning ? "warning" : "error", problem->path, problem->message,
			problem->element };

		rpc_put_error(out, &error);
	}
}

/* Two errors, counted as one: as captured on a router that was full. */
static void
put_full(struct rpc *rpc)
{
	struct rpc_error full = { "protocol", "operation-failed", "error", NULL,
		"configuration database size limit exceeded", NULL };
	struct rpc_error failed = { "protocol", "operation-failed", "error", NULL,
		"statement creation failed", "prefix-list-item" };

	rpc_put_error(rpc->out, &full);
	rpc_put_error(rpc->out, &failed);
	fputs("<load-error-count>1</load-error-count>\n", rpc->out);
	rpc->has_failed = true;
}

static char *
attribute(const xmlNode *node, const char *name, const char *otherwise)
{
	xmlChar *text = xmlGetProp(node, (const xmlChar *)name);
	char *copy = xstrdup(text ? (const char *)text : otherwise);

	xmlFree(text);
	return copy;
}

/* What is to be loaded, as a <configuration>; NULL: a problem was noted. Owned. */
static xmlDoc *
read_load(struct rpc *rpc, const char *format, struct conf_problems *problems)
{
	const xmlNode *set = conf_child(rpc->op, "configuration-set");
	const xmlNode *config = conf_child(rpc->op, "configuration");
	xmlDoc *doc = NULL;

	if (set) {
		char *text = conf_text(set);

		doc = conf_parse_set(text, problems);
		free(text);
		return doc;
	}
	if (!config || strcmp(format, "xml") != 0) {
		conf_problem_add(problems, false, "[edit]",
		    "only xml and set configuration can be loaded here", format);
		return NULL;
	}
	doc = xmlNewDoc((const xmlChar *)"1.0");
	if (!doc)
		fatal("out of memory");
	xmlDocSetRootElement(doc, xmlDocCopyNode((xmlNode *)config, doc, 1));
	return doc;
}

static int
parse_action(struct rpc *rpc, enum conf_action *ret_action, struct conf_problems *problems)
{
	char *action = attribute(rpc->op, "action", "merge");
	int rc = 0;

	if (strcmp(action, "merge") == 0 || strcmp(action, "set") == 0)
		*ret_action = CONF_MERGE;
	else if (strcmp(action, "replace") == 0)
		*ret_action = CONF_REPLACE;
	else if (strcmp(action, "override") == 0)
		*ret_action = CONF_OVERRIDE;
	else
		rc = -EINVAL;
	if (rc < 0)
		conf_problem_add(problems, false, "[edit]", "unsupported load action", action);
	free(action);
	return rc;
}

static void
put_load_result(struct rpc *rpc, const struct conf_problems *problems)
{
	put_problems(rpc->out, problems);
	if (rpc->fault->kind == FAULT_WARNING)
		put_warning(rpc->out, rpc->fault->text);
	if (problems->errors > 0)
		fprintf(rpc->out, "<load-error-count>%zu</load-error-count>\n", problems->errors);
	else
		put_ok(rpc);
	rpc->has_failed = problems->errors > 0;
}

static void
load_configuration(struct rpc *rpc)
{
	struct conf_problems problems = { 0 };
	enum conf_action action = CONF_MERGE;
	char *format = attribute(rpc->op, "format", "xml");
	struct error err;
	xmlDoc *doc = NULL;
	int rc = 0;

	fputs("<load-configuration-results>\n", rpc->out);
	if (parse_action(rpc, &action, &problems) == 0)
		doc = read_load(rpc, format, &problems);
	if (doc)
		rc = database_load(
		    rpc->router->database, rpc->session, conf_root(doc), action, &problems, &err);
	if (rc < 0)
		fail_with(rpc, rc, &err);
	else
		put_load_result(rpc, &problems);
	fputs("</load-configuration-results>\n", rpc->out);
	conf_problems_done(&problems);
	xmlFreeDoc(doc);
	free(format);
}

/* NETCONF's own way in: <edit-config> of the candidate. */
static void
edit_config(struct rpc *rpc)
{
	const xmlNode *config = conf_child(conf_child(rpc->op, "config"), "configuration");
	struct conf_problems problems = { 0 };
	struct error err;
	int rc;

	if (!config || !conf_child(conf_child(rpc->op, "target"), "candidate")) {
		rpc_fail(
		    rpc, "only a <configuration> for the candidate can be edited", "edit-config");
		return;
	}
	rc =
	    database_load(rpc->router->database, rpc->session, config, CONF_MERGE, &problems, &err);
	if (rc < 0)
		fail_with(rpc, rc, &err);
	put_problems(rpc->out, &problems);
	rpc->has_failed |= problems.errors > 0;
	if (!rpc->has_failed)
		put_ok(rpc);
	conf_problems_done(&problems);
}

/* ---- commit ---------------------------------------------------------------------------------- */

static void
commit(struct rpc *rpc)
{
	struct database_change change;
	struct error err;
	int rc;

	if (conf_child(rpc->op, "check")) {
		put_ok(rpc);
		return;
	}
	rc = database_commit(rpc->router->database, rpc->session, &change, &err);
	if (rc < 0) {
		fail_with(rpc, rc, &err);
		return;
	}
	change.user = rpc->user;
	labrouter_changed(rpc->router, &change);
	if (rpc->fault->kind == FAULT_WARNING)
		put_warning(rpc->out, rpc->fault->text);
	put_ok(rpc);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* <configuration> with what the filter selects; Junos' attributes say which database it is. */
static void
put_configuration(struct rpc *rpc, const xmlDoc *doc, const xmlNode *filter, const char *attributes)
{
	xmlNode *part = conf_select(conf_root(doc), filter);

	fprintf(rpc->out, "<configuration xmlns=\"%s\"%s>\n", xnm, attributes);
	if (part)
		conf_print_children(rpc->out, part);
	fputs("</configuration>\n", rpc->out);
	xmlFreeNode(part);
}

static const char *
committed_attributes(const struct labrouter *router, char buf[160])
{
	(void)snprintf(buf, 160, " junos:commit-seconds=\"%lld\" junos:commit-user=\"%s\"",
	    (long long)(router->configured_us / 1000000), router->configured_by);
	return buf;
}

static void
get_config(struct rpc *rpc)
{
	const xmlNode *source = conf_child(rpc->op, "source");
	const xmlNode *filter = conf_child(conf_child(rpc->op, "filter"), "configuration");
	struct database *database = rpc->router->database;
	char buf[160];

	if (!conf_child(source, "candidate") && !conf_child(source, "running")) {
		rpc_fail(rpc, "unsupported configuration source", "source");
		return;
	}
	fputs("<nc:data>\n", rpc->out);
	if (conf_child(source, "candidate"))
		put_configuration(rpc, database_candidate(database, rpc->session), filter, "");
	else
		put_configuration(
		    rpc, database_static(database), filter, committed_attributes(rpc->router, buf));
	fputs("</nc:data>\n", rpc->out);
}

/* An instance that is empty, or does not exist, is an empty success. */
static void
get_ephemeral(struct rpc *rpc, const xmlNode *filter)
{
	char *name = attribute(rpc->op, "ephemeral-instance", "default");
	const xmlDoc *doc = database_ephemeral(rpc->router->database, name);

	if (doc && conf_child(conf_root(doc), NULL))
		put_configuration(rpc, doc, filter, "");
	free(name);
}

static void
get_configuration(struct rpc *rpc)
{
	const xmlNode *filter = conf_child(rpc->op, "configuration");
	struct database *database = rpc->router->database;
	char *which = attribute(rpc->op, "database", "candidate");
	char *format = attribute(rpc->op, "format", "xml"), buf[160];

	if (strcmp(format, "xml") != 0)
		rpc_fail(rpc, "only format xml is available", "get-configuration");
	else if (strcmp(which, "ephemeral") == 0)
		get_ephemeral(rpc, filter);
	else if (strcmp(which, "committed") == 0)
		put_configuration(
		    rpc, database_static(database), filter, committed_attributes(rpc->router, buf));
	else if (strcmp(which, "candidate") == 0)
		put_configuration(rpc, database_candidate(database, rpc->session), filter, "");
	else
		rpc_fail(rpc, "unknown database", "get-configuration");
	free(which);
	free(format);
}

/* ---- sessions -------------------------------------------------------------------------------- */

static void
close_session(struct rpc *rpc)
{
	rpc->ends_session = true;
	put_ok(rpc);
}

static void
kill_session(struct rpc *rpc)
{
	char *id = conf_child_text(rpc->op, "session-id");

	rpc->kills_session = id ? (uint32_t)strtoul(id, NULL, 10) : 0;
	free(id);
	if (rpc->kills_session == 0)
		rpc_fail(rpc, "invalid session-id", "session-id");
	else
		put_ok(rpc);
}

static void
validate(struct rpc *rpc)
{
	put_ok(rpc);
}

static const struct operation {
	const char *name;
	enum step step;
	void (*run)(struct rpc *rpc);
} operations[] = {
	{ "open-configuration", STEP_OPEN, open_configuration },
	{ "close-configuration", STEP_CLOSE, close_configuration },
	{ "load-configuration", STEP_LOAD, load_configuration },
	{ "edit-config", STEP_LOAD, edit_config },
	{ "commit-configuration", STEP_COMMIT, commit },
	{ "commit", STEP_COMMIT, commit },
	{ "get-config", STEP_GET, get_config },
	{ "get-configuration", STEP_GET, get_configuration },
	{ "lock", STEP_OTHER, lock_configuration },
	{ "lock-configuration", STEP_OTHER, lock_configuration },
	{ "unlock", STEP_OTHER, unlock_configuration },
	{ "unlock-configuration", STEP_OTHER, unlock_configuration },
	{ "discard-changes", STEP_OTHER, discard_changes },
	{ "validate", STEP_OTHER, validate },
	{ "close-session", STEP_OTHER, close_session },
	{ "request-end-session", STEP_OTHER, close_session },
	{ "kill-session", STEP_OTHER, kill_session },
};

static const struct operation *
find_operation(const char *name)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		if (strcmp(operations[i].name, name) == 0)
			return &operations[i];
	return NULL;
}

enum step
rpc_step(const char *name)
{
	const struct operation *operation = find_operation(name);

	if (operation)
		return operation->step;
	return show_step(name);
}

/* An answer that a fault asks for in place of the operation. */
static bool
answer_fault(struct rpc *rpc, enum step step)
{
	if (rpc->fault->kind != FAULT_ERROR && rpc->fault->kind != FAULT_FULL)
		return false;
	if (step == STEP_LOAD)
		fputs("<load-configuration-results>\n", rpc->out);
	if (rpc->fault->kind == FAULT_FULL) {
		put_full(rpc);
	} else {
		rpc_fail(rpc, rpc->fault->text, NULL);
		if (step == STEP_LOAD)
			fputs("<load-error-count>1</load-error-count>\n", rpc->out);
	}
	if (step == STEP_LOAD)
		fputs("</load-configuration-results>\n", rpc->out);
	return true;
}

void
rpc_execute(struct rpc *rpc)
{
	const char *name = (const char *)rpc->op->name;
	const struct operation *operation = find_operation(name);

	if (answer_fault(rpc, rpc_step(name)))
		return;
	if (operation)
		operation->run(rpc);
	else if (!show_execute(rpc))
		rpc_fail(rpc, "syntax error", name);
}
