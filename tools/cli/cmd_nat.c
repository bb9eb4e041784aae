/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf nat: the pools as they are, of a running agent; autofbf nat plan: what they have to be,
 * of a profile, the agent's own unless a file is named.
 */
#include "cli.h"

#include "client.h"
#include "error.h"
#include "nat_plan.h"
#include "nat_view.h"
#include "profile_yang.h"
#include "scope.h"

static int
refuse_no_nat(const struct arguments *arguments, const struct profile *profile)
{
	const struct profile_element *element =
	    arguments->name_count > 0 ? profile_find_element(profile, arguments->names[0], NULL)
	                              : NULL;

	if (element && element->removed)
		return complain(EXIT_USAGE, "element %s is removed: it translates nobody any more",
		    element->id);
	return complain(EXIT_USAGE, "%s has no group with return-path nat-routes",
	    arguments->name_count > 0 ? arguments->names[0] : "the profile");
}

static int
show(const struct arguments *arguments, const struct profile *profile, const struct lyd_node *state)
{
	struct scope scope = { NULL, NULL };

	if (arguments->name_count > 0 && !scope_find(state, arguments->names[0], &scope))
		return scope_complain(state, arguments->names[0]);
	return nat_view_print(profile, state, &scope, arguments->json)
	           ? EXIT_DONE
	           : refuse_no_nat(arguments, profile);
}

int
command_nat(const struct arguments *arguments)
{
	const struct lyd_node *state = NULL;
	struct profile *profile = NULL;
	struct client *client = NULL;
	struct error err;
	int code = client_open(arguments->socket, arguments->yang_dir, &client, &err);

	if (code == EXIT_DONE)
		code = client_get_profile(client, &profile, &err);
	if (code == EXIT_DONE)
		code = client_get_state(client, &state, &err);
	if (code == EXIT_DONE)
		code = show(arguments, profile, state);
	else
		complain(code, "%s", err.text);
	profile_free(profile);
	client_close(client);
	return code;
}

/* ---- plan ----------------------------------------------------------------------------------- */

static int
load(const struct arguments *arguments, struct profile **ret_profile, struct error *err)
{
	struct client *client = NULL;
	int code;

	if (arguments->profile)
		return profile_load(arguments->profile, arguments->yang_dir, ret_profile, err) < 0
		           ? EXIT_USAGE
		           : EXIT_DONE;
	code = client_open(arguments->socket, arguments->yang_dir, &client, err);
	if (code == EXIT_DONE)
		code = client_get_profile(client, ret_profile, err);
	client_close(client);
	return code;
}

static int
show_plan(const struct arguments *arguments, const struct profile *profile)
{
	const struct profile_group *group = NULL;
	const struct profile_element *element = NULL;

	if (arguments->name_count > 0) {
		group = profile_find_group(profile, arguments->names[0]);
		if (!group)
			element = profile_find_element(profile, arguments->names[0], &group);
		if (!group)
			return complain(EXIT_USAGE, "the profile has no group or element '%s'",
			    arguments->names[0]);
	}
	return nat_plan_print(
	           profile, group ? group->id : NULL, element ? element->id : NULL, arguments->json)
	           ? EXIT_DONE
	           : refuse_no_nat(arguments, profile);
}

int
command_nat_plan(const struct arguments *arguments)
{
	struct profile *profile = NULL;
	struct error err;
	int code = load(arguments, &profile, &err);

	code = code == EXIT_DONE ? show_plan(arguments, profile) : complain(code, "%s", err.text);
	profile_free(profile);
	return code;
}
