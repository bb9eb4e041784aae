/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf profile apply: the agent runs another profile, without a restart.
 *
 * The file is loaded here first, with the messages of every other profile command, and what moves
 * is shown against what the agent runs at this moment. Whether it may be is the agent's to say: it
 * knows who is up and what the router has. The file goes to the agent as it is, letter for letter,
 * because that is what the agent keeps.
 */
#include "cli.h"

#include <json-c/json.h>
#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "error.h"
#include "output.h"
#include "profile_file.h"
#include "profile_report.h"
#include "profile_yang.h"
#include "tree.h"

struct apply {
	const struct arguments *arguments;
	struct profile_file file;
	struct ly_ctx *ctx;
	struct client *client;
	struct profile *running, *next;
	struct moves *moves;
};

static void
end(struct apply *apply)
{
	moves_free(apply->moves);
	profile_free(apply->running);
	profile_free(apply->next);
	client_close(apply->client);
	ly_ctx_destroy(apply->ctx);
	profile_file_done(&apply->file);
}

static int
load_next(struct apply *apply, struct error *err)
{
	const char *path = apply->arguments->names[0];
	int rc = profile_file_read(path, &apply->file, err);

	if (rc == 0)
		rc = profile_yang_context(apply->arguments->yang_dir, &apply->ctx, err);
	if (rc == 0)
		rc = profile_load_text(
		    apply->ctx, apply->file.text, apply->file.size, path, &apply->next, err);
	return rc < 0 ? EXIT_USAGE : EXIT_DONE;
}

static int
load_running(struct apply *apply, struct error *err)
{
	const struct arguments *arguments = apply->arguments;
	int code = client_open(arguments->socket, arguments->yang_dir, &apply->client, err);

	return code == EXIT_DONE ? client_get_profile(apply->client, &apply->running, err) : code;
}

static int
call(struct apply *apply, bool is_dry_run, const struct lyd_node **ret_output, struct error *err)
{
	const struct arguments *arguments = apply->arguments;
	struct lyd_node *rpc = client_rpc(apply->client, "profile-apply");
	int code = client_input_profile(rpc, &apply->file, err);

	if (code == EXIT_DONE && client_input(rpc, "force", arguments->force ? "true" : "false") &&
	    client_input(rpc, "dry-run", is_dry_run ? "true" : "false") &&
	    (!arguments->reason || client_input(rpc, "reason", arguments->reason)))
		return client_call(apply->client, rpc, CLIENT_LONG, ret_output, err);
	client_drop(rpc);
	if (code != EXIT_DONE)
		return code;
	return error_set(err, EXIT_USAGE, "a reason has 256 characters at most");
}

static const char *
get_result(const struct apply *apply, const struct lyd_node *output)
{
	if (!tree_flag(output, "changed"))
		return "runs already";
	return apply->arguments->dry_run ? "not applied" : "done";
}

static void
print_notes(const struct lyd_node *output)
{
	const struct lyd_node *note = NULL;

	while ((note = tree_next(output, "note", note)))
		printf("note: %s\n", lyd_get_value(note));
}

static void
print_answer(const struct apply *apply, const struct lyd_node *output)
{
	if (!tree_flag(output, "changed"))
		puts("The agent runs this profile already.");
	else if (apply->arguments->dry_run)
		puts("The agent would take it. Nothing was changed.");
	else
		printf("The agent runs profile %.8s.\n", tree_text(output, "profile-id"));
}

static void
print_json(const struct apply *apply, const struct lyd_node *output)
{
	struct json_object *root = json_object_new_object(), *notes = json_object_new_array();
	const struct lyd_node *note = NULL;

	while ((note = tree_next(output, "note", note)))
		json_object_array_add(notes, json_object_new_string(lyd_get_value(note)));
	json_object_object_add(root, "result", json_object_new_string(get_result(apply, output)));
	json_object_object_add(
	    root, "profile-id", json_object_new_string(tree_text(output, "profile-id")));
	json_object_object_add(root, "note", notes);
	json_object_object_add(root, "moves", profile_report_json(apply->moves));
	puts(json_object_to_json_string_ext(
	    root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
}

static void
print_moves(const struct apply *apply)
{
	printf("from the agent's profile to %s\n", apply->arguments->names[0]);
	profile_report_print(apply->moves);
	profile_report_print_costly(apply->moves);
	puts("This is with all elements up; autofbf plan --profile knows who is out.");
}

/* The agent's notes come before the question: it knows what moves with those who are up now. */
static int
ask(struct apply *apply, struct error *err)
{
	const struct lyd_node *output = NULL;
	int code = call(apply, true, &output, err);

	if (code != EXIT_DONE)
		return code;
	print_notes(output);
	return ask_to_go_on()
	           ? EXIT_DONE
	           : error_set(err, EXIT_REFUSED, "not done, the agent runs what it ran");
}

static int
run(struct apply *apply, struct error *err)
{
	const struct arguments *arguments = apply->arguments;
	const struct lyd_node *output = NULL;
	bool asks;
	int code = load_next(apply, err);

	if (code == EXIT_DONE)
		code = load_running(apply, err);
	if (code != EXIT_DONE)
		return code;
	apply->moves = moves_compute(apply->running, apply->next);
	if (!arguments->json)
		print_moves(apply);
	asks = !arguments->yes && !arguments->dry_run;
	if (asks)
		code = ask(apply, err);
	if (code == EXIT_DONE)
		code = call(apply, arguments->dry_run, &output, err);
	if (code != EXIT_DONE)
		return code;
	if (arguments->json) {
		print_json(apply, output);
		return EXIT_DONE;
	}
	if (!asks)
		print_notes(output);
	print_answer(apply, output);
	return EXIT_DONE;
}

int
command_profile_apply(const struct arguments *arguments)
{
	struct apply apply = { .arguments = arguments };
	struct error err = { "" };
	int code;

	if (!arguments->dry_run &&
	    refuse_unasked(arguments, "--dry-run to change nothing") != EXIT_DONE)
		return EXIT_USAGE;
	code = run(&apply, &err);
	if (code != EXIT_DONE)
		complain(code, "%s", err.text);
	end(&apply);
	return code;
}
