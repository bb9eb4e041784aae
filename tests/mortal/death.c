/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kill -9 between two steps of `profile apply`, where nobody outside could aim: linked into an
 * agent that is otherwise that of every day, these take the place of the C library's functions by
 * which the profile's file is replaced. AUTOFBF_DIE_AT names the moment: create (nothing is on the
 * disk), rename (the new text lies beside the old file), renamed (it is the file, and the agent
 * still runs the old profile). Other files are as they always were.
 */
#define _GNU_SOURCE /* mkostemps */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
die_at(const char *moment, const char *path)
{
	const char *chosen = getenv("AUTOFBF_DIE_AT");

	if (chosen && strcmp(chosen, moment) == 0 && strstr(path, "/profile.json"))
		(void)kill(getpid(), SIGKILL);
}

int
mkostemp(char *template, int flags)
{
	die_at("create", template);
	return mkostemps(template, 0, flags);
}

int
rename(const char *from, const char *to)
{
	int rc;

	die_at("rename", to);
	rc = renameat(AT_FDCWD, from, AT_FDCWD, to);
	die_at("renamed", to);
	return rc;
}
