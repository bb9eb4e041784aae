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
#include "tree.h"

/* NULL: all groups. */
static const char *
get_group(const struct arguments *arguments)
{
	return arguments->name_count > 0 ? arguments->names[0] : NULL;
}

static int
print_offline(const struct arguments *arguments)
{
	struct profile *profile = NULL;
	struct error err;
	int rc = profile_load(arguments->profile, arguments->yang_dir, &profile, &err);

	if (rc < 0)
		return complain(EXIT_USAGE, "%s", err.text);
	rc = layout_offline(profile, get_group(arguments), arguments->down.names,
	    arguments->down.count, arguments->json, stdout, &err);
	profile_free(profile);
	if (rc < 0)
		return complain(rc == -ENOENT ? EXIT_USAGE : EXIT_REFUSED, "%s", err.text);
	return EXIT_DONE;
}

static struct lyd_node *
make_layout(struct client *client, const struct arguments *arguments)
{
	struct lyd_node *rpc = client_rpc(client, "layout");

	for (size_t i = 0; i < arguments->down.count; i++)
		if (!client_input(rpc, "down", arguments->down.names[i])) {
			client_drop(rpc);
			return NULL;
		}
	return rpc;
}

static int
refuse_group(const struct lyd_node *output, const char *name)
{
	const struct lyd_node *group = NULL;
	char known[512] = "";
	size_t used = 0;

	while (used < sizeof(known) && (group = tree_next(output, "group", group)))
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
		    used ? ", " : "", tree_text(group, "id"));
	return complain(EXIT_USAGE, "no group '%s'; there are %s", name, known);
}

static int
use_layout(const struct arguments *arguments, const struct lyd_node *output)
{
	const char *name = get_group(arguments);
	const struct lyd_node *only = name ? layout_live_find(output, name) : NULL;

	if (name && !only)
		return refuse_group(output, name);
	if (arguments->json)
		layout_live_print_json(output, only, stdout);
	else
		layout_live_print_text(output, only, stdout);
	return EXIT_DONE;
}

int
command_layout(const struct arguments *arguments)
{
	if (arguments->profile)
		return print_offline(arguments);
	return client_run(arguments, make_layout, CLIENT_LONG, use_layout);
}
