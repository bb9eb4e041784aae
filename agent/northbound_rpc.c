/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations. The base operations (get, close-session, create-subscription) are a few lines each
 * and are read from the envelope; ours are parsed and validated by libyang and then looked up in
 * one table: name, who may, what to run. A handler adds to the output tree, writes text, or hands
 * back a stream; when it returns an error, its errno chooses the error-tag (RFC 6241
 * appendix A) and its text goes to the client.
 *
 * Promises: every request is answered with exactly one rpc-reply; nothing is run before the
 * caller's role was looked at and the whole input was found valid.
 */
#include "northbound_rpc.h"

#include <errno.h>
#include <event2/buffer.h>
#include <libyang/libyang.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "mtime.h"
#include "northbound_apply.h"
#include "northbound_events.h"
#include "northbound_layout.h"
#include "northbound_nat.h"
#include "northbound_plan.h"
#include "northbound_put.h"
#include "northbound_query.h"
#include "northbound_read.h"
#include "northbound_state.h"

#define ANSWER_TAIL "</rpc-reply>"

struct call {
	const struct lys_module *module;
	const struct northbound_operations *operations;
	const struct northbound_caller *caller;
	struct northbound_query query; /* input, output, text */
	struct northbound_answer *answer;
};

/* ---- our operations ------------------------------------------------------------------------ */

static const char *
get_reason(const struct call *call)
{
	const char *reason = northbound_input_text(call->query.input, "reason");

	return reason ? reason : "";
}

static bool
is_true(const struct call *call, const char *leaf)
{
	const char *text = northbound_input_text(call->query.input, leaf);

	return text && strcmp(text, "true") == 0;
}

static int
refuse_operation(struct error *err)
{
	return error_set(err, -EOPNOTSUPP, "this agent cannot do that");
}

static int
set_offline(struct call *call, bool offline, struct error *err)
{
	const struct northbound_operations *operations = call->operations;
	size_t count;
	const char **names = northbound_input_texts(call->query.input, "element", &count);
	int rc;

	if (!is_true(call, "force"))
		rc = operations->set_offline(operations->arg, names, count, offline,
		    call->caller->who, get_reason(call), err);
	else if (operations->set_offline_forced)
		rc = operations->set_offline_forced(
		    operations->arg, names, count, call->caller->who, get_reason(call), err);
	else
		rc = refuse_operation(err);
	free(names);
	return rc;
}

static int
run_element_offline(struct call *call, struct error *err)
{
	return set_offline(call, true, err);
}

static int
run_element_online(struct call *call, struct error *err)
{
	return set_offline(call, false, err);
}

static int
run_freeze(struct call *call, struct error *err)
{
	return call->operations->set_freeze(call->operations->arg,
	    northbound_input_text(call->query.input, "group"), true, call->caller->who,
	    get_reason(call), err);
}

static int
run_thaw(struct call *call, struct error *err)
{
	return call->operations->set_freeze(call->operations->arg,
	    northbound_input_text(call->query.input, "group"), false, call->caller->who,
	    get_reason(call), err);
}

static int
run_path_alter(struct call *call, struct error *err)
{
	if (!call->operations->set_alter)
		return refuse_operation(err);
	return call->operations->set_alter(call->operations->arg,
	    northbound_input_text(call->query.input, "group"), is_true(call, "on"),
	    call->caller->who, get_reason(call), err);
}

static int
check_tag(const char *tag, struct error *err)
{
	char known[256] = "";

	for (const char *const *at = log_tags; *at; at++) {
		size_t used = strlen(known);

		if (strcmp(*at, tag) == 0)
			return 0;
		snprintf(known + used, sizeof(known) - used, "%s%s", used ? ", " : "", *at);
	}
	return error_set(err, -ENOENT, "no tag \"%.31s\"; there are: %s", tag, known);
}

static int
run_log_level(struct call *call, struct error *err)
{
	int rc = check_tag(northbound_input_text(call->query.input, "tag"), err);

	if (rc < 0)
		return rc;
	if (!call->operations->set_log_level)
		return refuse_operation(err);
	return call->operations->set_log_level(call->operations->arg,
	    northbound_input_text(call->query.input, "tag"),
	    northbound_input_text(call->query.input, "level"), call->caller->who, err);
}

static int
run_profile_apply(struct call *call, struct error *err)
{
	return northbound_apply(&call->query, call->caller->who, err);
}

static int
run_audit(struct call *call, struct error *err)
{
	return call->operations->audit(call->operations->arg, call->caller->who, err);
}

static int
run_layout(struct call *call, struct error *err)
{
	size_t count;
	const char **down = northbound_input_texts(call->query.input, "down", &count);
	int rc = northbound_layout_new(call->operations, down, count, &call->answer->stream, err);

	free(down);
	return rc;
}

static int
run_router_read(struct call *call, struct error *err)
{
	return northbound_read_new(
	    call->operations, call->query.input, &call->query.app_tag, &call->answer->stream, err);
}

static int
run_where(struct call *call, struct error *err)
{
	return northbound_nat_where(&call->query, err);
}

static int
run_why(struct call *call, struct error *err)
{
	return northbound_query_why(&call->query, err);
}

static int
run_plan(struct call *call, struct error *err)
{
	return northbound_query_plan(&call->query, err);
}

static int
run_events(struct call *call, struct error *err)
{
	return northbound_query_events(&call->query, err);
}

static int
run_diff(struct call *call, struct error *err)
{
	return northbound_query_diff(&call->query, err);
}

static const struct operation {
	const char *name;
	enum northbound_role needs;
	int (*run)(struct call *call, struct error *err);
} operations_table[] = {
	{ "element-offline", ROLE_OPERATE, run_element_offline },
	{ "element-online", ROLE_OPERATE, run_element_online },
	{ "freeze", ROLE_OPERATE, run_freeze },
	{ "thaw", ROLE_OPERATE, run_thaw },
	{ "path-alter", ROLE_OPERATE, run_path_alter },
	{ "log-level", ROLE_OPERATE, run_log_level },
	{ "audit", ROLE_OPERATE, run_audit },
	{ "profile-apply", ROLE_ADMINISTER, run_profile_apply },
	{ "layout", ROLE_READ, run_layout },
	{ "router-read", ROLE_READ, run_router_read },
	{ "where", ROLE_READ, run_where },
	{ "why", ROLE_READ, run_why },
	{ "plan", ROLE_READ, run_plan },
	{ "events", ROLE_READ, run_events },
	{ "diff", ROLE_READ, run_diff },
};

static const struct operation *
find_operation(const char *name)
{
	for (size_t i = 0; i < sizeof(operations_table) / sizeof(operations_table[0]); i++)
		if (strcmp(operations_table[i].name, name) == 0)
			return &operations_table[i];
	return NULL;
}

/* ---- errors -------------------------------------------------------------------------------- */

static void
write_failure(struct evbuffer *out, int rc, const char *app_tag, const struct error *err)
{
	struct netconf_error error = { "application", "operation-failed", app_tag };

	if (rc == -ENOENT || rc == -EINVAL || rc == -EDOM)
		error.tag = "invalid-value";
	if (rc == -EAGAIN)
		error.tag = "resource-denied";
	if (rc == -EOPNOTSUPP)
		error.tag = "operation-not-supported";
	if (!error.app_tag)
		error.app_tag = rc == -ENOENT     ? "unknown-name"
		                : rc == -EPERM    ? "refused"
		                : rc == -ENOTCONN ? "not-ready"
		                                  : NULL;
	netconf_error_write(out, &error, err->text[0] ? err->text : strerror(-rc), NULL);
}

/* The instance-identifier inside libyang's 'Data location "/autofbf:x", line number 1.'. */
static char *
copy_path(const char *location)
{
	const char *start = location ? strchr(location, '/') : NULL;
	const char *end = start ? strchr(start, '"') : NULL;

	return end ? xasprintf("%.*s", (int)(end - start), start) : NULL;
}

/* What libyang says about a payload; its last message and data path. */
static void
write_invalid(struct evbuffer *out, const struct ly_ctx *ctx)
{
	const struct ly_err_item *last = ly_err_last(ctx);
	struct netconf_error error = { "application", "invalid-value", NULL };
	char *path;
	const char *text = last && last->msg ? last->msg : "the operation is not valid";

	if (last && last->vecode == LYVE_DATA)
		error.tag = strstr(text, "Mandatory") || strstr(text, "Too few") ? "missing-element"
		                                                                 : "invalid-value";
	if (strstr(text, "not found"))
		error.tag = "unknown-element";
	path = last ? copy_path(last->path) : NULL;
	netconf_error_write(out, &error, text, path);
	free(path);
}

static void
write_error(struct evbuffer *out, const char *type, const char *tag, const char *text)
{
	struct netconf_error error = { type, tag, NULL };

	netconf_error_write(out, &error, text, NULL);
}

/* ---- parse, validate, run ------------------------------------------------------------------ */

static struct lyd_node *
parse_operation(const struct ly_ctx *ctx, const char *payload, struct lyd_node **ret_tree)
{
	struct lyd_node *op = NULL;
	struct ly_in *in = NULL;

	ly_err_clean((struct ly_ctx *)ctx, NULL);
	if (ly_in_new_memory(payload, &in) != LY_SUCCESS)
		return NULL;
	if (lyd_parse_op(ctx, NULL, in, LYD_XML, LYD_TYPE_RPC_YANG, ret_tree, &op) != LY_SUCCESS ||
	    (op && lyd_validate_op(op, NULL, LYD_TYPE_RPC_YANG, NULL) != LY_SUCCESS))
		op = NULL;
	ly_in_free(in, 0);
	return op;
}

static void
write_tree(struct evbuffer *out, const struct lyd_node *first)
{
	char *text = NULL;

	if (first &&
	    lyd_print_mem(&text, first, LYD_XML, LYD_PRINT_SHRINK | LYD_PRINT_WITHSIBLINGS) ==
	        LY_SUCCESS &&
	    text)
		evbuffer_add(out, text, strlen(text));
	free(text);
}

static void
run_operation(struct call *call, const struct operation *operation, const struct lyd_node *op,
    struct evbuffer *out)
{
	struct evbuffer *text = evbuffer_new();
	struct lyd_node *output = NULL;
	struct error err = { "" };
	int rc;

	if (!text || lyd_dup_single(op, NULL, 0, &output) != LY_SUCCESS)
		fatal("out of memory");
	call->query.operations = call->operations;
	call->query.input = op;
	call->query.output = output;
	call->query.text = text;
	rc = operation->run(call, &err);
	if (rc < 0) {
		write_failure(out, rc, call->query.app_tag, &err);
	} else {
		if (lyd_child(output))
			write_tree(text, lyd_child(output));
		else if (evbuffer_get_length(text) == 0 && !call->answer->stream)
			evbuffer_add_printf(text, "<ok/>"); /* RFC 7950 section 7.14.4 */
		evbuffer_add_buffer(out, text);
	}
	lyd_free_all(output);
	evbuffer_free(text);
}

static void
answer_ours(struct call *call, const struct netconf_request *request, struct evbuffer *out)
{
	const struct ly_ctx *ctx = call->module->ctx;
	const struct operation *operation = find_operation(request->name);
	struct lyd_node *tree = NULL, *op;

	if (!operation) {
		write_error(out, "protocol", "operation-not-supported", "no such operation");
		return;
	}
	if (call->caller->role < operation->needs) {
		write_error(out, "protocol", "access-denied",
		    operation->needs == ROLE_ADMINISTER
		        ? "this needs root or the agent's own user"
		        : "this needs root or a member of group autofbf");
		return;
	}
	op = parse_operation(ctx, request->payload, &tree);
	if (op)
		run_operation(call, operation, op, out);
	else
		write_invalid(out, ctx);
	lyd_free_all(tree);
}

/* ---- base operations ----------------------------------------------------------------------- */

static void
write_profile(struct call *call, struct evbuffer *out)
{
	const struct profile *profile = call->operations->profile(call->operations->arg);

	if (profile->xml)
		evbuffer_add(out, profile->xml, strlen(profile->xml));
}

static void
answer_get(struct call *call, const struct netconf_request *request, struct evbuffer *out)
{
	evbuffer_add_printf(out, "<data>");
	if (request->wants_profile)
		write_profile(call, out);
	if (request->wants_state) {
		call->answer->stream = northbound_state_new(
		    call->module, call->operations->status(call->operations->arg));
		call->answer->tail = "</data>" ANSWER_TAIL;
	} else {
		evbuffer_add_printf(out, "</data>");
	}
}

static void
answer_subscription(struct call *call, const struct netconf_request *request, struct evbuffer *out)
{
	if (request->has_selector) {
		write_error(out, "protocol", "operation-not-supported",
		    "only stream NETCONF, without filter and replay; older events: RPC events");
		return;
	}
	call->answer->subscribe = true;
	evbuffer_add_printf(out, "<ok/>");
}

static void
answer_request(struct call *call, const struct netconf_request *request, struct evbuffer *out)
{
	bool is_base = strcmp(request->namespace, NETCONF_BASE_NS) == 0;
	bool is_notification = strcmp(request->namespace, NETCONF_NOTIFICATION_NS) == 0;

	if (strcmp(request->namespace, AUTOFBF_NS) == 0) {
		answer_ours(call, request, out);
	} else if (is_base && strcmp(request->name, "get") == 0) {
		answer_get(call, request, out);
	} else if (is_base && strcmp(request->name, "close-session") == 0) {
		call->answer->close = true;
		evbuffer_add_printf(out, "<ok/>");
	} else if (is_notification && strcmp(request->name, "create-subscription") == 0) {
		answer_subscription(call, request, out);
	} else {
		write_error(out, "protocol", "operation-not-supported",
		    "there are get, close-session, create-subscription and the RPCs of module "
		    "autofbf");
	}
}

void
northbound_rpc_answer(const struct lys_module *module,
    const struct northbound_operations *operations, const struct northbound_caller *caller,
    const char *message, size_t size, struct evbuffer *out, struct northbound_answer *ret_answer)
{
	struct call call = {
		.module = module, .operations = operations, .caller = caller, .answer = ret_answer
	};
	struct netconf_request request;
	struct netconf_error error;
	struct error err = { "" };
	int rc;

	*ret_answer = (struct northbound_answer){ .tail = ANSWER_TAIL };
	rc = netconf_request_parse(message, size, &request, &error, &err);
	evbuffer_add_printf(
	    out, "%s", request.head ? request.head : "<rpc-reply xmlns=\"" NETCONF_BASE_NS "\">");
	if (rc < 0)
		netconf_error_write(out, &error, err.text, NULL);
	else
		answer_request(&call, &request, out);
	if (!ret_answer->stream)
		evbuffer_add_printf(out, ANSWER_TAIL);
	netconf_request_done(&request);
}

static struct lyd_node *
new_notification(const struct lys_module *module, const char *name)
{
	struct lyd_node *node;

	if (lyd_new_inner(NULL, module, name, false, &node) != LY_SUCCESS)
		fatal("yang/autofbf.yang has no notification %s", name);
	return node;
}

/* Writes and frees it. */
static void
write_notification(struct lyd_node *node, int64_t at_us, struct evbuffer *out)
{
	char time[WALLCLOCK_TEXT_SIZE];

	evbuffer_add_printf(out,
	    "<notification xmlns=\"" NETCONF_NOTIFICATION_NS "\"><eventTime>%s</eventTime>",
	    wallclock_format(at_us, time));
	write_tree(out, node);
	evbuffer_add_printf(out, "</notification>");
	lyd_free_all(node);
}

void
northbound_rpc_notification(
    const struct lys_module *module, const struct history_record *record, struct evbuffer *out)
{
	struct lyd_node *event = new_notification(module, "event");

	northbound_put(event, false, "id", "%ju", (uintmax_t)record->id);
	northbound_state_put_record(event, record, false);
	write_notification(event, record->when_us, out);
}

void
northbound_rpc_alarm(const struct lys_module *module, const struct alarm *alarm, int64_t cleared_us,
    struct evbuffer *out)
{
	struct lyd_node *node =
	    new_notification(module, cleared_us ? "alarm-cleared" : "alarm-raised");

	northbound_put_text(node, false, "type", alarm_kind(alarm->type)->name);
	northbound_put_text(node, false, "key", alarm->key);
	northbound_state_put_alarm(node, alarm);
	northbound_put_time(node, false, "cleared", cleared_us);
	write_notification(node, cleared_us ? cleared_us : wallclock_now_us(), out);
}
