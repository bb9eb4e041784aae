/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of commands, for the parser in main.c, and the options that they may take. */
#ifndef AUTOFBF_CLI_COMMANDS_H
#define AUTOFBF_CLI_COMMANDS_H

#include <stddef.h>

#include "cli.h"

enum option_id {
	OPTION_SOCKET = 256,
	OPTION_YANG_DIR,
	OPTION_JSON,
	OPTION_CHECK,
	OPTION_REASON,
	OPTION_YES,
	OPTION_PROFILE,
	OPTION_DOWN,
	OPTION_UP,
	OPTION_OFFLINE,
	OPTION_ONLINE,
	OPTION_FORMAT,
	OPTION_FORCE,
	OPTION_KIND,
	OPTION_GROUP,
	OPTION_SINCE,
	OPTION_DRY_RUN,
	OPTION_ALL,
	OPTION_INTERVAL,
	OPTION_CONFIGURATION,
	OPTION_EPHEMERAL,
	OPTION_ROUTES,
	OPTION_ID,
	OPTION_NAME,
	OPTION_WEIGHT,
	OPTION_FAILED_WEIGHT,
	OPTION_NAT_POOL,
	OPTION_NAT_KIND,
	OPTION_BLOCK_SIZE,
	OPTION_HOST_PREFIX,
	OPTION_PEER, /* and three more: by family, then by side */
	OPTION_PEER_LAST = OPTION_PEER + 3,
};

struct command {
	const char *words[2];
	int (*run)(const struct arguments *arguments);
	const char *usage;
	const char *summary; /* one line, for the list */
	const char *help;    /* more, for --help; NULL: the summary says it all */
	int options[16];
	size_t names_least, names_most;
};

extern const struct command commands[];
extern const size_t command_count;

#endif
