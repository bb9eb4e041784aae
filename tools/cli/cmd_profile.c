/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf profile: changes of the element set and the pools in a profile's file, and what moves
 * between two profiles. No agent is needed, and none is told: a file is reviewed, given to every
 * router's agent, and only then are the new base lists committed.
 *
 * A change is loaded as an agent would load it before it is written, so that a file never becomes
 * wrong by it; what it moves is shown first. What no file knows, the health of the moment, is said
 * where it matters.
 */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "error.h"
#include "profile_edit.h"
#include "profile_file.h"
#include "profile_report.h"
#include "profile_yang.h"
#include "text_diff.h"

/* ---- words of the command line -------------------------------------------------------------- */

/* A number from least to most; -1: it is none. */
static long
parse_number(const char *text, long least, long most)
{
	char *end;
	long value;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	value = strtol(text, &end, 10);
	return *end || errno || value < least || value > most ? -1 : value;
}

static int
take_weight(const char *what, const char *text, int *ret_weight)
{
	*ret_weight = text ? (int)parse_number(text, 0, PROFILE_MAX_WEIGHT) : -1;
	if (!text || *ret_weight >= 0)
		return EXIT_DONE;
	return complain(
	    EXIT_USAGE, "%s %s: a number from 0 to %d is wanted", what, text, PROFILE_MAX_WEIGHT);
}

static int
take_newcomer(
    const struct arguments *arguments, const char *id, struct profile_newcomer *ret_newcomer)
{
	int code;

	*ret_newcomer = (struct profile_newcomer){ .id = id, .name = arguments->name };
	memcpy(ret_newcomer->peer, arguments->peer, sizeof(ret_newcomer->peer));
	ret_newcomer->nat = (struct newcomer_nat){ arguments->nat_pools.names,
		arguments->nat_pools.count, arguments->nat_kind, arguments->block_size,
		arguments->host_prefixes.names, arguments->host_prefixes.count };
	code = take_weight("--weight", arguments->weight, &ret_newcomer->weight);
	if (code == EXIT_DONE)
		code = take_weight(
		    "--failed-weight", arguments->failed_weight, &ret_newcomer->failed_weight);
	return code;
}

static int
take_pool(const struct arguments *arguments, struct prefix *ret_prefix, uint8_t *ret_length)
{
	const char *prefix = arguments->names[1], *length = arguments->names[2];
	int rc = strchr(prefix, '/') ? prefix_parse(prefix, ret_prefix) : -EINVAL;
	long number = parse_number(length, 1, 64);

	if (rc == -EDOM)
		return complain(EXIT_USAGE, "%s: host bits are set", prefix);
	if (rc < 0)
		return complain(EXIT_USAGE, "%s: is not a prefix like 10.0.0.0/16", prefix);
	if (number < 0)
		return complain(EXIT_USAGE, "%s: a unit's length is a number from 1 to 64", length);
	*ret_length = (uint8_t)number;
	return EXIT_DONE;
}

/* ---- a change ------------------------------------------------------------------------------- */

struct change {
	const struct arguments *arguments;
	struct profile_file file;
	struct ly_ctx *ctx;
	struct profile *before, *after;
	struct profile_edit edit;
	struct moves *moves;
};

static void
end_change(struct change *change)
{
	moves_free(change->moves);
	profile_edit_done(&change->edit);
	profile_free(change->before);
	profile_free(change->after);
	ly_ctx_destroy(change->ctx);
	profile_file_done(&change->file);
}

/* Exit code. */
static int
begin_change(struct change *change, const struct arguments *arguments)
{
	struct error err;
	int rc;

	*change = (struct change){ .arguments = arguments };
	rc = profile_file_read(arguments->names[0], &change->file, &err);
	if (rc == 0)
		rc = profile_yang_context(arguments->yang_dir, &change->ctx, &err);
	if (rc == 0)
		rc = profile_load_text(change->ctx, change->file.text, change->file.size,
		    arguments->names[0], &change->before, &err);
	return rc < 0 ? complain(EXIT_USAGE, "%s", err.text) : EXIT_DONE;
}

static void
print_change(const struct change *change)
{
	const struct profile_edit *edit = &change->edit;

	if (edit->epoch == PROFILE_EPOCH_NONE)
		printf(
		    "group %s, no new epoch: the element has no weight already\n", edit->group->id);
	else
		printf("group %s, new epoch %" PRIu32 "\n", edit->group->id, edit->epoch);
	profile_report_print(change->moves);
	if (edit->note)
		printf("note: %s\n", edit->note);
	puts("This is with all elements up. Whoever is out when it takes effect changes what\n"
	     "moves, and no file can tell: autofbf profile apply --dry-run.");
	if (edit->is_wired)
		puts("The router's interface towards the new element's outside belongs into the\n"
		     "group's outside-interface; add it by hand.");
	if (edit->retires)
		puts("If this element itself is out by then, its units stay where they are.");
}

static struct json_object *
make_answer(const struct change *change)
{
	const struct profile_edit *edit = &change->edit;
	struct json_object *root = json_object_new_object();
	char *diff = NULL;
	size_t size;
	FILE *out;

	json_object_object_add(root, "result",
	    json_object_new_string(change->arguments->dry_run ? "not written" : "done"));
	json_object_object_add(root, "group", json_object_new_string(edit->group->id));
	if (edit->epoch != PROFILE_EPOCH_NONE)
		json_object_object_add(root, "epoch", json_object_new_int64(edit->epoch));
	if (edit->note)
		json_object_object_add(root, "note", json_object_new_string(edit->note));
	json_object_object_add(root, "profile-id", json_object_new_string(change->after->id));
	json_object_object_add(root, "moves", profile_report_json(change->moves));
	out = change->arguments->dry_run ? open_memstream(&diff, &size) : NULL;
	if (out) {
		text_diff_print(change->arguments->names[0], change->file.text, edit->text, out);
		fclose(out);
		json_object_object_add(root, "diff", json_object_new_string(diff));
	}
	free(diff);
	return root;
}

static void
print_json(struct json_object *root)
{
	puts(json_object_to_json_string_ext(
	    root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
}

static int
write_change(struct change *change)
{
	const struct arguments *arguments = change->arguments;
	struct error err;

	if (refuse_unasked(arguments, "--dry-run to write nothing") != EXIT_DONE)
		return EXIT_USAGE;
	if (!arguments->yes && !ask_to_go_on())
		return complain(EXIT_REFUSED, "not done, %s is as it was", arguments->names[0]);
	if (profile_file_write(&change->file, change->edit.text, &err) < 0)
		return complain(EXIT_REFUSED, "%s", err.text);
	if (!arguments->json)
		printf("%s is written. Nothing has moved yet.\n"
		       "First every router's agent runs it:\n"
		       "    autofbf profile apply %s\n"
		       "Then the new base lists are committed on every router:\n"
		       "    autofbf router-config --profile %s --format set\n",
		    arguments->names[0], arguments->names[0], arguments->names[0]);
	return EXIT_DONE;
}

/* After the edit, which ended with rc. Exit code. */
static int
finish_change(struct change *change, int rc, struct error *err)
{
	const struct arguments *arguments = change->arguments;
	int code = EXIT_DONE;

	if (rc < 0)
		return complain(
		    rc == -ENOENT || rc == -EDOM ? EXIT_USAGE : EXIT_REFUSED, "%s", err->text);
	rc = profile_load_text(change->ctx, change->edit.text, strlen(change->edit.text),
	    arguments->names[0], &change->after, err);
	if (rc < 0)
		return complain(
		    EXIT_REFUSED, "nothing was written, the result would be wrong: %s", err->text);
	change->moves = moves_compute(change->before, change->after);
	if (!arguments->json)
		print_change(change);
	if (arguments->dry_run && !arguments->json)
		text_diff_print(arguments->names[0], change->file.text, change->edit.text, stdout);
	if (!arguments->dry_run)
		code = write_change(change);
	if (arguments->json && code == EXIT_DONE)
		print_json(make_answer(change));
	return code;
}

int
command_profile_add_element(const struct arguments *arguments)
{
	struct profile_newcomer newcomer;
	struct change change;
	struct error err;
	int code = take_newcomer(arguments, arguments->id, &newcomer);

	if (code != EXIT_DONE)
		return code;
	if (!arguments->group || !arguments->id)
		return complain(EXIT_USAGE, "--group says where the element comes, --id its id");
	for (int f = 0; f < FAMILY_COUNT; f++)
		if (!newcomer.peer[f][SIDE_INSIDE] != !newcomer.peer[f][SIDE_OUTSIDE])
			return complain(EXIT_USAGE, "--%s-inside and --%s-outside go together",
			    family_names[f], family_names[f]);
	code = begin_change(&change, arguments);
	if (code == EXIT_DONE)
		code = finish_change(&change,
		    profile_edit_add_element(change.before, change.file.text, arguments->group,
		        &newcomer, &change.edit, &err),
		    &err);
	end_change(&change);
	return code;
}

int
command_profile_remove_element(const struct arguments *arguments)
{
	struct change change;
	struct error err;
	int code = begin_change(&change, arguments);

	if (code == EXIT_DONE)
		code = finish_change(&change,
		    profile_edit_remove_element(
		        change.before, change.file.text, arguments->names[1], &change.edit, &err),
		    &err);
	end_change(&change);
	return code;
}

int
command_profile_reweight(const struct arguments *arguments)
{
	struct change change;
	struct error err;
	int weight, code = take_weight("weight", arguments->names[2], &weight);

	if (code != EXIT_DONE)
		return code;
	code = begin_change(&change, arguments);
	if (code == EXIT_DONE)
		code = finish_change(&change,
		    profile_edit_reweight(change.before, change.file.text, arguments->names[1],
		        (uint16_t)weight, &change.edit, &err),
		    &err);
	end_change(&change);
	return code;
}

int
command_profile_replace(const struct arguments *arguments)
{
	struct profile_newcomer newcomer;
	struct change change;
	struct error err;
	int code = take_newcomer(arguments, arguments->names[2], &newcomer);

	if (code != EXIT_DONE)
		return code;
	code = begin_change(&change, arguments);
	if (code == EXIT_DONE)
		code = finish_change(&change,
		    profile_edit_replace(change.before, change.file.text, arguments->names[1],
		        &newcomer, &change.edit, &err),
		    &err);
	end_change(&change);
	return code;
}

int
command_profile_add_pool(const struct arguments *arguments)
{
	struct prefix prefix;
	struct change change;
	struct error err;
	uint8_t length;
	int code = take_pool(arguments, &prefix, &length);

	if (code != EXIT_DONE)
		return code;
	if (!arguments->group)
		return complain(EXIT_USAGE, "--group says whose pool it is");
	code = begin_change(&change, arguments);
	if (code == EXIT_DONE)
		code = finish_change(&change,
		    profile_edit_add_pool(change.before, change.file.text, arguments->group,
		        &prefix, length, &change.edit, &err),
		    &err);
	end_change(&change);
	return code;
}

int
command_profile_end_pool(const struct arguments *arguments)
{
	struct prefix prefix;
	struct change change;
	struct error err;
	uint8_t length;
	int code = take_pool(arguments, &prefix, &length);

	if (code != EXIT_DONE)
		return code;
	code = begin_change(&change, arguments);
	if (code == EXIT_DONE)
		code = finish_change(&change,
		    profile_edit_end_pool(change.before, change.file.text, arguments->group,
		        &prefix, length, &change.edit, &err),
		    &err);
	end_change(&change);
	return code;
}

/* ---- two profiles --------------------------------------------------------------------------- */

/* What the agent runs now. Exit code. */
static int
load_live(const struct arguments *arguments, struct profile **ret_profile, struct error *err)
{
	struct client *client = NULL;
	int code = client_open(arguments->socket, arguments->yang_dir, &client, err);

	if (code == 0)
		code = client_get_profile(client, ret_profile, err);
	else if (code == EXIT_NO_AGENT)
		complain(code, "without another file, FILE is compared with what the agent runs");
	client_close(client);
	return code;
}

static int
load_reference(const struct arguments *arguments, struct profile **ret_profile, struct error *err)
{
	if (arguments->name_count < 2)
		return load_live(arguments, ret_profile, err);
	return profile_load(arguments->names[1], arguments->yang_dir, ret_profile, err) < 0
	           ? EXIT_USAGE
	           : EXIT_DONE;
}

static void
print_diff(const struct arguments *arguments, const struct moves *moves)
{
	const char *from = arguments->name_count > 1 ? arguments->names[1] : "the agent's profile";
	struct json_object *root;

	if (!arguments->json) {
		printf("from %s to %s\n", from, arguments->names[0]);
		profile_report_print(moves);
		profile_report_print_costly(moves);
		return;
	}
	root = profile_report_json(moves);
	json_object_object_add(root, "from", json_object_new_string(from));
	json_object_object_add(root, "to", json_object_new_string(arguments->names[0]));
	print_json(root);
}

int
command_profile_diff(const struct arguments *arguments)
{
	struct profile *from = NULL, *to = NULL;
	struct moves *moves;
	struct error err;
	int code = EXIT_DONE;

	if (profile_load(arguments->names[0], arguments->yang_dir, &to, &err) < 0)
		code = EXIT_USAGE;
	if (code == EXIT_DONE)
		code = load_reference(arguments, &from, &err);
	if (code == EXIT_DONE) {
		moves = moves_compute(from, to);
		print_diff(arguments, moves);
		code = moves->moved > 0 || moves->ended > 0 ? EXIT_DIFFERS : EXIT_DONE;
		moves_free(moves);
	} else {
		complain(code, "%s", err.text);
	}
	profile_free(from);
	profile_free(to);
	return code;
}
