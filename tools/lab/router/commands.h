/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words of the control socket: one line in, data lines and a verdict out. The table of commands
 * is the documentation, too: `help` prints it.
 */
#ifndef LABROUTER_COMMANDS_H
#define LABROUTER_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"

struct labrouter;

/* What `wait` waits for: a number of `status`. */
struct wait {
	char name[32];
	bool is_exact; /* equal to value; else at least value */
	uint64_t value;
	uint32_t timeout_ms;
};

enum command_result { COMMAND_OK, COMMAND_FAILED, COMMAND_WAITS };

/* Splits line in place (blanks; "..." keeps them, \" and \\ inside). FAILED: err says why; WAITS:
 * ret_wait says for what. Data for the client goes to out. */
enum command_result command_run(
    struct labrouter *router, char *line, FILE *out, struct wait *ret_wait, struct error *err);
bool wait_is_over(const struct labrouter *router, const struct wait *wait);
void commands_print(FILE *out);

#endif
