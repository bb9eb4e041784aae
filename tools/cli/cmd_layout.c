/* SPDX-License-Identifier: BSD-3-Clause */
/* autofbf layout: from a profile, without an agent, or what the agent has. One shape for both. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>

#include "client.h"
#include "error.h"
#include "layout_json.h"
#include "layout_live.h"
#include "profile_yang.h"

static int
print_offline(const struct arguments *arguments)
{
	struct profile *profile = NULL;
	struct error err;
	int rc = profile_load(arguments->profile, arguments->yang_dir, &profile, &err);

	if (rc < 0)
		return complain(EXIT_USAGE, "%s", err.text);
	rc = layout_offline(profile, arguments->name_count ? arguments->names[0] : NULL,
	    arguments->down, arguments->down_count, arguments->json, stdout, &err);
	profile_free(profile);
	if (rc < 0)
		return complain(rc == -ENOENT ? EXIT_USAGE : EXIT_REFUSED, "%s", err.text);
	return EXIT_DONE;
}

static struct lyd_node *
make_layout(struct client *client, const struct arguments *arguments)
{
	struct lyd_node *rpc = client_rpc(client, "layout");

	for (size_t i = 0; i < arguments->down_count; i++)
		if (!client_input(rpc, "down", arguments->down[i])) {
			client_drop(rpc);
			return NULL;
		}
	return rpc;
}

static int
use_layout(const struct arguments *arguments, const struct lyd_node *output)
{
	if (arguments->json)
		layout_live_print_json(output, stdout);
	else
		layout_live_print_text(output, stdout);
	return EXIT_DONE;
}

int
command_layout(const struct arguments *arguments)
{
	if (arguments->profile)
		return print_offline(arguments);
	return client_run(arguments, make_layout, CLIENT_LONG, use_layout);
}
