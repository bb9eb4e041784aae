/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf events: the history, and with -f what comes after it.
 *
 * To follow without a gap we subscribe first and ask for the past second; what arrives in both is
 * told apart by its id. JSON is one object a line, flushed at once, for tools that read a pipe.
 */
#include "cli.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <libyang/libyang.h>
#include <stdio.h>
#include <string.h>

#include "client.h"
#include "error.h"
#include "tree.h"

static const char *const commit_stages[] = { "first-event", "open-sent", "commit-sent", "committed",
	"read-back" };

static void
print_json(const struct lyd_node *event)
{
	struct json_object *object = json_object_new_object();
	const struct lyd_node *leaf;

	LY_LIST_FOR (lyd_child(event), leaf) {
		const char *name = leaf->schema->name, *value = tree_value(leaf);
		bool is_number = strcmp(name, "id") == 0 || strcmp(name, "edits") == 0;

		json_object_object_add(object, name,
		    is_number ? json_object_new_int64((int64_t)tree_number(event, name))
		              : json_object_new_string(value));
	}
	puts(json_object_to_json_string_ext(
	    object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

/* " (sent +0.4 ms, committed +0.61 s, read back +0.74 s)" after what caused it. */
static void
print_stages(const struct lyd_node *event)
{
	static const char *const names[] = { NULL, "sent", NULL, "committed", "read back" };
	int64_t start = tree_time(event, "first-event");
	const char *separator = " (";
	char delay[AGE_TEXT_SIZE];

	if (start == 0)
		start = tree_time(event, "open-sent");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int64_t at = tree_time(event, commit_stages[i]);

		if (!names[i] || at == 0)
			continue;
		printf("%s%s %s", separator, names[i], delay_format(at - start, delay));
		separator = ", ";
	}
	if (*separator == ',')
		putchar(')');
}

static void
print_text(const struct lyd_node *event)
{
	const char *time = tree_text(event, "time"), *subject = tree_text(event, "subject");

	printf("#%-5s %.10s %.12s  %-8s %s%s%s", tree_text(event, "id"), time,
	    strlen(time) > 11 ? time + 11 : "", tree_text(event, "kind"), subject,
	    *subject ? ": " : "", tree_text(event, "text"));
	print_stages(event);
	putchar('\n');
}

static void
print_event(const struct arguments *arguments, const struct lyd_node *event)
{
	if (arguments->name_count > 0 && !tree_is(event, "subject", arguments->names[0]))
		return;
	if (arguments->json)
		print_json(event);
	else
		print_text(event);
}

/* Prints the past; *ret_last is the last id seen. */
static int
print_past(
    struct client *client, const struct arguments *arguments, uint64_t *ret_last, struct error *err)
{
	struct lyd_node *rpc = client_rpc(client, "events");
	const struct lyd_node *output, *event = NULL;
	char last[16];
	int code;

	/* A name is looked for in everything that is kept, and -n counts what is shown. */
	snprintf(last, sizeof(last), "%u", arguments->name_count > 0 ? 100000 : arguments->last);
	client_input(rpc, "last", last);
	code = client_call(client, rpc, CLIENT_LONG, &output, err);
	if (code != 0)
		return code;
	if (arguments->name_count > 0) {
		size_t matches = 0;

		while ((event = tree_next(output, "event", event)))
			matches += tree_is(event, "subject", arguments->names[0]);
		while (matches > arguments->last && (event = tree_next(output, "event", event)))
			matches -= tree_is(event, "subject", arguments->names[0]);
	}
	while ((event = tree_next(output, "event", event))) {
		print_event(arguments, event);
		*ret_last = tree_number(event, "id");
	}
	return 0;
}

static int
follow(struct client *client, const struct arguments *arguments, uint64_t last, struct error *err)
{
	struct lyd_node *event = NULL;
	int code;

	while ((code = client_next_event(client, &event, err)) == 0) {
		if (tree_number(event, "id") > last)
			print_event(arguments, event);
		lyd_free_all(event);
		if (fflush(stdout) != 0)
			return 0; /* nobody reads any more */
	}
	return code;
}

int
command_events(const struct arguments *arguments)
{
	struct client *client = NULL;
	struct error err;
	uint64_t last = 0;
	int code = client_open(arguments->socket, arguments->yang_dir, &client, &err);

	if (code == 0 && arguments->follow)
		code = client_subscribe(client, &err);
	if (code == 0)
		code = print_past(client, arguments, &last, &err);
	if (code == 0 && arguments->follow) {
		fflush(stdout);
		code = follow(client, arguments, last, &err);
	}
	if (code != 0)
		complain(code, "%s", err.text);
	client_close(client);
	return code;
}
