/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting for a number of `status`: any of them, at least or exactly a value. control.c asks
 * wait_is_over once per turn of the loop.
 */
#include "command_call.h"

#include <errno.h>
#include <string.h>

enum { WAIT_MS = 10000 };

bool
wait_is_over(const struct labrouter *router, const struct wait *wait)
{
	struct labrouter_number numbers[LABROUTER_NUMBERS_MAX];
	size_t count = labrouter_numbers(router, numbers);

	for (size_t i = 0; i < count; i++)
		if (strcmp(numbers[i].name, wait->name) == 0)
			return wait->is_exact ? numbers[i].value == wait->value
			                      : numbers[i].value >= wait->value;
	return false;
}

static bool
is_number_name(const struct labrouter *router, const char *name)
{
	struct wait any = { .value = 0 };

	(void)snprintf(any.name, sizeof(any.name), "%s", name);
	return wait_is_over(router, &any);
}

/* wait NAME [N | =N] [timeout MS] */
int
run_wait(struct call *call)
{
	struct wait *wait = call->wait;
	uint64_t number = WAIT_MS;
	size_t next = 2;
	int rc = 0;

	*wait = (struct wait){ .value = 1 };
	(void)snprintf(wait->name, sizeof(wait->name), "%s", call_word(call, 1));
	if (!is_number_name(call->router, wait->name))
		return error_set(call->err, -EINVAL, "'%s' is no number of `status`", wait->name);
	if (call->count > 2 && !call_is(call, 2, "timeout")) {
		wait->is_exact = *call_word(call, 2) == '=';
		if (wait->is_exact)
			call->words[2]++;
		rc = call_number(call, 2, &wait->value);
		next = 3;
	}
	if (rc == 0 && call->count > next)
		rc = call_is(call, next, "timeout") ? call_number(call, next + 1, &number)
		                                    : call_usage(call);
	wait->timeout_ms = (uint32_t)number;
	return rc < 0 ? rc : 1;
}
