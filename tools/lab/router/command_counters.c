/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands about counters: looking at them, making up traffic, and what happens to counters on a
 * router: cleared by somebody, restarted with a filter, not there at all.
 */
#include "command_call.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "counters.h"
#include "meters.h"
#include "mtime.h"
#include "plane.h"

enum { PACKET_SIZE = 1000 };

static int
print_counters(struct call *call)
{
	struct term_counters *list = NULL;
	size_t count = 0;
	int rc;

	if (call->router->plane) /* there every term counts, also those without a name for it */
		return plane_print_counters(call->router->plane, call->out, call->err);
	rc = counters_terms(call->router, &list, &count, call->err);
	for (size_t i = 0; i < count; i++)
		fprintf(call->out, "%s %s %" PRIu64 " %" PRIu64 "\n", list[i].filter, list[i].name,
		    list[i].value.packets, list[i].value.bytes);
	counters_terms_free(list, count);
	return rc;
}

static int
clear(struct call *call)
{
	int rc = 0;

	if (call->count == 2 || call_is(call, 2, "interfaces"))
		rc = counters_clear_interfaces(call->router, call->err);
	if (rc == 0 && (call->count == 2 || call_is(call, 2, "terms")))
		rc = counters_clear_terms(call->router, call->err);
	return rc;
}

/* counters [clear [interfaces|terms] | on | off | restart-on-commit on|off] */
int
run_counters(struct call *call)
{
	struct labrouter *router = call->router;
	bool is_on = call_is(call, call->count - 1, "on");

	if (call->count == 1)
		return print_counters(call);
	if (call_is(call, 1, "clear") &&
	    (call->count == 2 || call_is(call, 2, "interfaces") || call_is(call, 2, "terms")))
		return clear(call);
	if (!is_on && !call_is(call, call->count - 1, "off"))
		return call_usage(call);
	if (call->count == 2)
		router->counters_are_off = !is_on;
	else if (call->count == 3 && call_is(call, 1, "restart-on-commit"))
		router->counters_restart = is_on;
	else
		return call_usage(call);
	return 0;
}

/* WORDS rate PPS | add PACKETS [size BYTES]; i: the first word after the name. */
static int
make_traffic(struct call *call, size_t i, enum meter_kind kind, const char *name)
{
	struct meters *meters = call->router->meters;
	uint64_t number, size = PACKET_SIZE;
	bool is_rate = call_is(call, i, "rate");

	if ((!is_rate && !call_is(call, i, "add")) ||
	    (call->count != i + 2 && (call->count != i + 4 || !call_is(call, i + 2, "size"))))
		return call_usage(call);
	if (call_number(call, i + 1, &number) < 0 ||
	    (call->count == i + 4 && call_number(call, i + 3, &size) < 0))
		return -EINVAL;
	if (is_rate)
		meters_set_rate(meters, kind, name, number, size, mtime_now());
	else
		meters_add(meters, kind, name, number, size, mtime_now());
	return 0;
}

/* traffic [in|out INTERFACE ... | term FILTER COUNTER ...] */
int
run_traffic(struct call *call)
{
	char *name;
	int rc;

	if (call->count == 1) {
		meters_print(call->router->meters, call->out, mtime_now());
		return 0;
	}
	if (call_is(call, 1, "in"))
		return make_traffic(call, 3, METER_IN, call_word(call, 2));
	if (call_is(call, 1, "out"))
		return make_traffic(call, 3, METER_OUT, call_word(call, 2));
	if (!call_is(call, 1, "term"))
		return call_usage(call);
	name = xasprintf("%s %s", call_word(call, 2), call_word(call, 3));
	rc = make_traffic(call, 4, METER_TERM, name);
	free(name);
	return rc;
}
