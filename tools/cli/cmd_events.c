/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf events: the history, and with -f what comes after it.
 *
 * The past is filtered by the agent, what comes is filtered here by the same rules; for that the
 * names are looked up in the state once. To follow without a gap we subscribe first and ask for the
 * past second; what arrives in both is told apart by its id. JSON is one object a line, flushed at
 * once, for tools that read a pipe.
 */
#define _GNU_SOURCE /* timegm */
#include "cli.h"

#include <ctype.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client.h"
#include "error.h"
#include "profile.h"
#include "scope.h"
#include "tree.h"

/* What agents record, as the model lists them. */
static const char *const kinds[] = { "agent", "alarm", "capacity", "commit", "decision", "drift",
	"freeze", "health", "operator", "profile", "router", "signal" };

static const char *const commit_stages[] = { "first-event", "open-sent", "commit-sent", "committed",
	"read-back" };

/* ---- one event ----------------------------------------------------------------------------- */

static bool
is_number(const char *name)
{
	static const char *const numbers[] = { "id", "edits", "plan", "moved" };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (strcmp(name, numbers[i]) == 0)
			return true;
	return false;
}

static void
print_json(const struct lyd_node *event)
{
	struct json_object *object = json_object_new_object();
	const struct lyd_node *leaf;

	LY_LIST_FOR (lyd_child(event), leaf) {
		const char *name = leaf->schema->name, *value = tree_value(leaf);

		json_object_object_add(object, name,
		    is_number(name) ? json_object_new_int64((int64_t)tree_number(event, name))
		                    : json_object_new_string(value));
	}
	puts(json_object_to_json_string_ext(
	    object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

/* " (plan #12, sent +0.4 ms, committed +0.61 s, read back +0.74 s)" after what caused it. */
static void
print_stages(const struct lyd_node *event)
{
	static const char *const names[] = { NULL, "sent", NULL, "committed", "read back" };
	int64_t start = tree_time(event, "first-event");
	const char *separator = " (";
	char delay[AGE_TEXT_SIZE];

	if (start == 0)
		start = tree_time(event, "open-sent");
	if (tree_has(event, "plan")) {
		printf("%splan #%s", separator, tree_text(event, "plan"));
		separator = ", ";
	}
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
	if (arguments->json)
		print_json(event);
	else
		print_text(event);
}

/* ---- since --------------------------------------------------------------------------------- */

enum { TIME_TEXT_SIZE = 32 };

static void
format_time(time_t at, char buf[TIME_TEXT_SIZE])
{
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(buf, TIME_TEXT_SIZE, "%Y-%m-%dT%H:%M:%S.000000Z", &tm);
}

/* "90s", "15m", "2h", "3d" ago. */
static bool
read_age(const char *text, time_t now, time_t *ret_at)
{
	static const struct {
		char letter;
		long seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	char *end;
	long count = strtol(text, &end, 10);

	if (!isdigit((unsigned char)*text) || count > 100000 || !*end || end[1])
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (*end == units[i].letter) {
			*ret_at = now - count * units[i].seconds;
			return true;
		}
	return false;
}

/* "2026-11-30", "2026-11-30T03:04", "2026-11-30 03:04:11", "03:04", UTC; the last: of today, or of
 * yesterday when that is still to come. */
static bool
read_moment(const char *text, time_t now, time_t *ret_at)
{
	struct tm tm;
	int used = 0, fields;
	bool is_today = strchr(text, '-') == NULL;

	gmtime_r(&now, &tm);
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	if (!is_today) {
		if (sscanf(text, "%4d-%2d-%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &used) != 3)
			return false;
		tm.tm_year -= 1900;
		tm.tm_mon -= 1;
		text += used;
		text += *text == 'T' || *text == ' ';
	}
	if (*text) {
		fields = sscanf(
		    text, "%2d:%2d%n:%2d%n", &tm.tm_hour, &tm.tm_min, &used, &tm.tm_sec, &used);
		if (fields < 2 || (text[used] && strcmp(text + used, "Z") != 0))
			return false;
	}
	*ret_at = timegm(&tm);
	if (is_today && *ret_at > now)
		*ret_at -= 86400;
	return true;
}

static int
input_since(struct lyd_node *rpc, const char *text, struct error *err)
{
	time_t now = time(NULL), at;
	char value[TIME_TEXT_SIZE];

	if (strspn(text, "0123456789") == strlen(text) && *text) {
		uint64_t id = strtoull(text, NULL, 10);

		snprintf(value, sizeof(value), "%" PRIu64, id > 0 ? id - 1 : 0);
		client_input(rpc, "after", value);
		return 0;
	}
	if (read_age(text, now, &at) || read_moment(text, now, &at)) {
		format_time(at, value);
		if (client_input(rpc, "since", value))
			return 0;
	}
	return error_set(err, EXIT_USAGE,
	    "--since %s: an event's number, an age (90s, 15m, 2h, 3d) or a time in UTC "
	    "(2026-11-30T03:04, 03:04) is wanted",
	    text);
}

/* ---- the past ------------------------------------------------------------------------------ */

enum { LAST_MOST = 100000 }; /* as the model has it; more than an agent keeps */

static int
input_filters(struct lyd_node *rpc, const struct arguments *arguments, struct error *err)
{
	unsigned last = arguments->last > 0 ? arguments->last : arguments->since ? LAST_MOST : 0;
	char count[16];
	bool is_good = true;

	snprintf(count, sizeof(count), "%u", last);
	if (last > 0)
		client_input(rpc, "last", count);
	for (size_t i = 0; i < arguments->kinds.count; i++)
		is_good &= client_input(rpc, "kind", arguments->kinds.names[i]);
	if (arguments->name_count > 0)
		is_good &= client_input(rpc, "subject", arguments->names[0]);
	if (arguments->group)
		is_good &= client_input(rpc, "group", arguments->group);
	if (!is_good)
		return error_set(err, EXIT_USAGE,
		    "a name has at most 64 characters, a kind 32 and is named once");
	return arguments->since ? input_since(rpc, arguments->since, err) : 0;
}

/* Who says how much is wanted must not take what is there for all of it. */
static void
tell_cut(const struct arguments *arguments, const struct lyd_node *output)
{
	if ((arguments->since || arguments->last > 0) && tree_has(output, "kept-since"))
		complain(EXIT_DONE,
		    "the agent keeps nothing from before %.19sZ; its files events.jsonl and "
		    "events.jsonl.1 reach further back",
		    tree_text(output, "kept-since"));
}

/* Prints the past; *ret_last is the last id seen. */
static int
print_past(
    struct client *client, const struct arguments *arguments, uint64_t *ret_last, struct error *err)
{
	struct lyd_node *rpc = client_rpc(client, "events");
	const struct lyd_node *output, *event = NULL;
	int code = input_filters(rpc, arguments, err);

	if (code != 0) {
		client_drop(rpc);
		return code;
	}
	code = client_call(client, rpc, CLIENT_LONG, &output, err);
	if (code != 0)
		return code;
	while ((event = tree_next(output, "event", event))) {
		print_event(arguments, event);
		*ret_last = tree_number(event, "id");
	}
	tell_cut(arguments, output);
	return 0;
}

/* ---- what comes ---------------------------------------------------------------------------- */

struct live {
	const struct arguments *arguments;
	const char *subject;          /* id; NULL: any */
	const struct lyd_node *group; /* NULL: any */
};

static int
look_up(struct client *client, struct live *live, struct error *err)
{
	const struct arguments *arguments = live->arguments;
	const char *name = arguments->name_count > 0 ? arguments->names[0] : NULL;
	const struct lyd_node *state;
	struct scope scope;
	int code;

	if (!name && !arguments->group)
		return 0;
	code = client_get_state(client, &state, err);
	if (code != 0)
		return code;
	live->subject = name;
	if (name && scope_find(state, name, &scope))
		live->subject = tree_text(scope.element ? scope.element : scope.group, "id");
	if (arguments->group && scope_find(state, arguments->group, &scope))
		live->group = scope.group;
	return 0;
}

/* A commit without edits ended before there was a plan: it is about all groups whose edits wait. */
static bool
is_in_group(const struct lyd_node *group, const struct lyd_node *event)
{
	const char *subject = tree_text(event, "subject"), *id = tree_text(group, "id");

	if (tree_is(event, "kind", "commit"))
		return tree_number(event, "edits") == 0 ||
		       profile_id_is_among(id, tree_text(event, "groups"));
	return tree_is(event, "group", id) || strcmp(id, subject) == 0 ||
	       tree_entry(group, "element", "id", subject);
}

static bool
passes(const struct live *live, const struct lyd_node *event)
{
	const struct arguments *arguments = live->arguments;
	const char *subject = tree_text(event, "subject");
	bool has_kind = arguments->kinds.count == 0;

	for (size_t i = 0; i < arguments->kinds.count; i++)
		has_kind |= tree_is(event, "kind", arguments->kinds.names[i]);
	if (!has_kind || (live->subject && strcmp(live->subject, subject) != 0))
		return false;
	return !live->group || is_in_group(live->group, event);
}

static int
follow(struct client *client, const struct live *live, uint64_t last, struct error *err)
{
	struct lyd_node *event = NULL;
	int code;

	while ((code = client_next_event(client, &event, err)) == 0) {
		if (tree_number(event, "id") > last && passes(live, event))
			print_event(live->arguments, event);
		lyd_free_all(event);
		if (fflush(stdout) != 0)
			return 0; /* nobody reads any more */
	}
	return code;
}

static bool
is_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i], name) == 0)
			return true;
	return false;
}

/* A kind that nobody records would be answered with silence, as if nothing had happened. */
static int
check_kinds(const struct name_list *wanted, struct error *err)
{
	char list[128] = "";

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "",
		    kinds[i]);
	for (size_t i = 0; i < wanted->count; i++)
		if (!is_kind(wanted->names[i]))
			return error_set(
			    err, EXIT_USAGE, "no kind '%s'; there are: %s", wanted->names[i], list);
	return 0;
}

int
command_events(const struct arguments *arguments)
{
	struct live live = { .arguments = arguments };
	struct client *client = NULL;
	struct error err;
	uint64_t last = 0;
	int code = check_kinds(&arguments->kinds, &err);

	if (code == 0)
		code = client_open(arguments->socket, arguments->yang_dir, &client, &err);
	if (code == 0 && arguments->follow)
		code = client_subscribe(client, &err);
	if (code == 0 && arguments->follow)
		code = look_up(client, &live, &err);
	if (code == 0)
		code = print_past(client, arguments, &last, &err);
	if (code == 0 && arguments->follow) {
		fflush(stdout);
		code = follow(client, &live, last, &err);
	}
	if (code != 0)
		complain(code, "%s", err.text);
	client_close(client);
	return code;
}
