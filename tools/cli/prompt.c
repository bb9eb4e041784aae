/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asking before something moves. Only a person at a terminal can be asked; everybody else says
 * --yes, so that a pipe cannot take an element down by accident.
 */
#include "cli.h"

#include <stdio.h>
#include <unistd.h>

bool
has_terminal(const struct arguments *arguments)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !arguments->json;
}

bool
ask_to_go_on(void)
{
	char answer[16] = "";

	fputs("Go on? [y/N] ", stdout);
	fflush(stdout);
	return fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}
