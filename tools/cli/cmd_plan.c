/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf plan: the question to the agent, and its answer. The agent alone knows health, the layout
 * that stands and the router's lists; what a file alone can say is in autofbf profile diff and
 * autofbf layout --profile, which need no agent.
 */
#include "cli.h"

#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "error.h"
#include "output.h"
#include "profile.h"
#include "plan_report.h"
#include "profile_file.h"

static bool
input_names(struct lyd_node *rpc, const char *leaf, const struct name_list *list)
{
	bool is_good = true;

	for (size_t i = 0; i < list->count; i++)
		is_good &= client_input(rpc, leaf, list->names[i]);
	return is_good;
}

static size_t
name_length(const char *text)
{
	const char *equals = strrchr(text, '=');

	return equals ? (size_t)(equals - text) : strlen(text);
}

/* A name that is in both lists, or twice in one: a question that contradicts itself. */
static int
refuse_both(
    const struct name_list *a, const struct name_list *b, const char *words, struct error *err)
{
	for (size_t i = 0; i < a->count; i++)
		for (size_t j = a == b ? i + 1 : 0; j < b->count; j++) {
			size_t length = name_length(a->names[i]);

			if (length == name_length(b->names[j]) &&
			    strncmp(a->names[i], b->names[j], length) == 0)
				return error_set(
				    err, EXIT_USAGE, "%.*s: %s", (int)length, a->names[i], words);
		}
	return EXIT_DONE;
}

static int
check(const struct arguments *arguments, struct error *err)
{
	int code =
	    refuse_both(&arguments->down, &arguments->up, "either --down or --up, not both", err);

	if (code == EXIT_DONE)
		code = refuse_both(&arguments->offline, &arguments->online,
		    "either --offline or --online, not both", err);
	if (code == EXIT_DONE)
		code = refuse_both(
		    &arguments->weights, &arguments->weights, "one --weight for each element", err);
	return code;
}

/* ELEMENT=N */
static int
input_weight(struct lyd_node *rpc, const char *text, struct error *err)
{
	const char *equals = strrchr(text, '=');
	char *name = equals ? xasprintf("%.*s", (int)(equals - text), text) : NULL;
	struct lyd_node *entry = NULL;
	bool is_good = name && *name &&
	               lyd_new_list(rpc, NULL, "weight", 0, &entry, name) == LY_SUCCESS &&
	               client_input(entry, "weight", equals + 1);

	free(name);
	return is_good ? EXIT_DONE
	               : error_set(err, EXIT_USAGE,
	                     "--weight %s: the form is ELEMENT=N, N from 0 to %d", text,
	                     PROFILE_MAX_WEIGHT);
}

static int
input_profile(struct lyd_node *rpc, const char *path, struct error *err)
{
	struct profile_file file;
	int code = profile_file_read(path, &file, err) < 0 ? EXIT_USAGE : EXIT_DONE;

	if (code == EXIT_DONE)
		code = client_input_profile(rpc, &file, err);
	profile_file_done(&file);
	return code;
}

static int
fill(struct lyd_node *rpc, const struct arguments *arguments, struct error *err)
{
	int code = check(arguments, err);
	bool is_good =
	    arguments->name_count == 0 || client_input(rpc, "group", arguments->names[0]);

	is_good &= input_names(rpc, "down", &arguments->down);
	is_good &= input_names(rpc, "up", &arguments->up);
	is_good &= input_names(rpc, "offline", &arguments->offline);
	is_good &= input_names(rpc, "online", &arguments->online);
	if (code == EXIT_DONE && !is_good)
		code = error_set(err, EXIT_USAGE, "a name has 64 characters at most");
	for (size_t i = 0; i < arguments->weights.count && code == EXIT_DONE; i++)
		code = input_weight(rpc, arguments->weights.names[i], err);
	if (code == EXIT_DONE && arguments->profile)
		code = input_profile(rpc, arguments->profile, err);
	return code;
}

static void
print(const struct arguments *arguments, const struct lyd_node *plan)
{
	if (arguments->json)
		output_json(lyd_child(plan), true);
	else
		plan_report(plan);
}

int
command_plan(const struct arguments *arguments)
{
	const struct lyd_node *plan;
	struct client *client = NULL;
	struct lyd_node *rpc;
	struct error err;
	int code = client_open(arguments->socket, arguments->yang_dir, &client, &err);

	if (code == EXIT_DONE) {
		rpc = client_rpc(client, "plan");
		code = fill(rpc, arguments, &err);
		if (code == EXIT_DONE)
			code = client_call(client, rpc, CLIENT_LONG, &plan, &err);
		else
			client_drop(rpc);
	}
	if (code == EXIT_DONE)
		print(arguments, plan);
	else
		complain(code, "%s", err.text);
	client_close(client);
	return code;
}
