/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asking before something moves. Only a person at a terminal can be asked; everybody else,
 * and who wants JSON and nothing else on standard output, says --yes, so that a pipe cannot take an
 * element down by accident.
 */
#include "cli.h"

#include <stdio.h>
#include <unistd.h>

int
refuse_unasked(const struct arguments *arguments, const char *or_else)
{
	bool has_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);

	if (arguments->yes || (has_terminal && !arguments->json))
		return EXIT_DONE;
	return complain(EXIT_USAGE, "%s: say --yes%s%s",
	    arguments->json ? "--json asks nothing, for its answer is for programs"
	                    : "there is no terminal to ask on",
	    or_else ? ", or " : "", or_else ? or_else : "");
}

bool
ask_to_go_on(void)
{
	char answer[16] = "";

	fputs("Go on? [y/N] ", stdout);
	fflush(stdout);
	return fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}
