/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands that make NETCONF, BMP and syslog go wrong: locks, pauses, faults of the next request,
 * cut connections, rubbish.
 */
#include "command_call.h"

#include <errno.h>
#include <string.h>

#include "bmp_out.h"
#include "netconf.h"
#include "syslog_out.h"

/* lock on [INSTANCE] [USER]; lock off [INSTANCE] */
int
run_lock(struct call *call)
{
	struct database *database = call->router->database;
	const char *instance =
	    call->count > 2 ? call_word(call, 2) : database_instance_at(database, 0);
	const char *user = call->count > 3 ? call_word(call, 3) : "other";

	if (!call_is(call, 1, "on") && !call_is(call, 1, "off"))
		return call_usage(call);
	if (database_lock_by_other(database, instance, call_is(call, 1, "on") ? user : NULL) < 0)
		return error_set(
		    call->err, -ENOENT, "ephemeral instance %s does not exist", instance);
	return 0;
}

int
run_pause(struct call *call)
{
	struct fault fault = { .kind = FAULT_PAUSE_BEFORE, .times = 1 };

	if (call->count < 2 || step_parse(call_word(call, 1), &fault.step) < 0 ||
	    (call->count > 2 && !call_is(call, 2, "before") && !call_is(call, 2, "after")))
		return call_usage(call);
	if (call_is(call, 2, "after"))
		fault.kind = FAULT_PAUSE_AFTER;
	faults_arm(call->router->faults, &fault);
	return 0;
}

int
run_resume(struct call *call)
{
	fprintf(call->out, "resumed %zu\n", netconf_resume(call->router->netconf));
	return 0;
}

/* [number N] [text TEXT] [times N | always] */
static int
parse_fault_options(struct call *call, size_t i, struct fault *fault)
{
	uint64_t number;
	int rc = 0;

	for (; rc == 0 && i < call->count; i++) {
		if (call_is(call, i, "always")) {
			fault->times = -1;
		} else if (call_is(call, i, "number")) {
			rc = call_number(call, ++i, &number);
			fault->number = (uint32_t)number;
		} else if (call_is(call, i, "times")) {
			rc = call_number(call, ++i, &number);
			fault->times = number > 0 ? (int)number : 1;
		} else if (call_is(call, i, "text") && i + 1 < call->count) {
			(void)snprintf(
			    fault->text, sizeof(fault->text), "%s", call_word(call, ++i));
		} else {
			rc = call_usage(call);
		}
	}
	return rc;
}

int
run_fault(struct call *call)
{
	struct fault fault = { .times = 1 };
	int rc;

	if (call->count == 1) {
		faults_print(call->router->faults, call->out);
		return 0;
	}
	if (call_is(call, 1, "clear")) {
		faults_clear(call->router->faults);
		return 0;
	}
	if (step_parse(call_word(call, 1), &fault.step) < 0)
		return error_set(call->err, -EINVAL,
		    "'%s' is no step: hello, open, load, commit, close, get, show, routes, "
		    "counters, other, any",
		    call_word(call, 1));
	if (fault_kind_parse(call_word(call, 2), &fault.kind) < 0)
		return error_set(
		    call->err, -EINVAL, "'%s' is no kind of fault; say `help`", call_word(call, 2));
	if (fault.kind == FAULT_ERROR || fault.kind == FAULT_WARNING)
		(void)snprintf(fault.text, sizeof(fault.text), "statement creation failed");
	if (fault.kind == FAULT_SLOW)
		fault.number = 1000;
	if (fault.kind == FAULT_BIG)
		fault.number = 80;
	rc = parse_fault_options(call, 3, &fault);
	if (rc == 0)
		faults_arm(call->router->faults, &fault);
	return rc;
}

int
run_drop(struct call *call)
{
	uint64_t session = 0;
	int rc = call->count > 1 && !call_is(call, 1, "all") ? call_number(call, 1, &session) : 0;

	if (rc == 0)
		fprintf(call->out, "dropped %zu\n",
		    netconf_cut(call->router->netconf, (uint32_t)session));
	return rc;
}

int
run_bmp(struct call *call)
{
	struct bmp_out *bmp = call->router->bmp;

	if (!bmp)
		return error_set(call->err, -ENOTSUP, "started without --bmp");
	if (call_is(call, 1, "on") || call_is(call, 1, "off"))
		bmp_out_set(bmp, call_is(call, 1, "on"));
	else if (call_is(call, 1, "restart"))
		bmp_out_restart(bmp);
	else if (call_is(call, 1, "mute"))
		bmp_out_mute(bmp);
	else if (call_is(call, 1, "garbage"))
		bmp_out_garbage(bmp);
	else
		return call_usage(call);
	return 0;
}

int
run_syslog(struct call *call)
{
	struct syslog_out *syslog = call->router->syslog;

	if (!syslog)
		return error_set(call->err, -ENOTSUP, "started without --syslog");
	if (call_is(call, 1, "on") || call_is(call, 1, "off"))
		syslog_out_set(syslog, call_is(call, 1, "on"));
	else if (call_is(call, 1, "restart"))
		syslog_out_restart(syslog);
	else if (call_is(call, 1, "line") && call->count == 3)
		syslog_out_line(syslog, call_word(call, 2));
	else
		return call_usage(call);
	return 0;
}

int
run_source(struct call *call)
{
	if (call->count != 2)
		return call_usage(call);
	return labrouter_set_source(call->router, call_word(call, 1), call->err);
}
