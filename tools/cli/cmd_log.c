/* SPDX-License-Identifier: BSD-3-Clause */
/* autofbf log: more, or less, of one part of the agent's log while it runs. */
#include "cli.h"

#include <string.h>

#include "client.h"
#include "log.h"
#include "output.h"

static struct lyd_node *
make_log(struct client *client, const struct arguments *arguments)
{
	struct lyd_node *rpc = client_rpc(client, "log-level");

	if (client_input(rpc, "tag", arguments->names[0]) &&
	    client_input(rpc, "level", arguments->names[1]))
		return rpc;
	client_drop(rpc);
	return NULL;
}

static int
use_log(const struct arguments *arguments, const struct lyd_node *output)
{
	output_done(arguments->json, "done, until the agent ends");
	return EXIT_DONE;
}

static bool
is_level(const char *name)
{
	for (int i = 0; i < LOG_LEVEL_COUNT; i++)
		if (strcmp(log_level_names[i], name) == 0)
			return true;
	return strcmp(name, "default") == 0;
}

int
command_log(const struct arguments *arguments)
{
	if (!is_level(arguments->names[1]))
		return complain(EXIT_USAGE,
		    "no level '%s'; there are: error, warn, info, debug, and default (as the "
		    "other tags)",
		    arguments->names[1]);
	return client_run(arguments, make_log, CLIENT_SHORT, use_log);
}
