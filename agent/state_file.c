/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operator's standing orders, in memory and on disk.
 *
 * {"autofbf-state": {"version": 1, "offline": [{"element", "who", "reason", "when"}],
 *                    "freeze": [{"group", "who", "reason", "when"}],
 *                    "alter": [{"group", "who", "reason", "when"}]}}
 * times as RFC 3339 text with microseconds, lists sorted by id. Forgetting an order would steer
 * traffic to an element that somebody took out on purpose, so the file is replaced as a whole and
 * only after it is on disk: written beside, fsync, rename, fsync of the directory. A file that is
 * not ours or is broken is never overwritten by loading it, and what it holds that this version
 * does not know makes it "not ours": better an operator who looks than an order that is dropped.
 */
#include "state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disk_file.h"
#include "mtime.h"

enum { VERSION = 1, FILE_MAX = 1 << 20 };

static const char root_name[] = "autofbf-state";

/* Per kind: the list in the file and the member that names whom it is about. */
static const struct kind {
	const char *list;
	const char *id;
} kinds[OPERATOR_KIND_COUNT] = {
	[OPERATOR_OFFLINE] = { "offline", "element" },
	[OPERATOR_FREEZE] = { "freeze", "group" },
	[OPERATOR_ALTER] = { "alter", "group" },
};

/* ---- in memory ---- */

static void
free_entry(struct operator_entry *entry)
{
	free(entry->id);
	free(entry->who);
	free(entry->reason);
}

void
operator_state_done(struct operator_state *state)
{
	for (size_t i = 0; i < state->count; i++)
		free_entry(&state->entries[i]);
	free(state->entries);
	*state = (struct operator_state){ 0 };
}

/* Index of the entry, or where it belongs: entries are sorted by (kind, id). */
static size_t
locate(const struct operator_state *state, enum operator_kind kind, const char *id, int *ret_order)
{
	size_t i;

	*ret_order = 1;
	for (i = 0; i < state->count; i++) {
		const struct operator_entry *e = &state->entries[i];

		*ret_order = e->kind != kind ? (int)e->kind - (int)kind : strcmp(e->id, id);
		if (*ret_order >= 0)
			break;
	}
	return i;
}

const struct operator_entry *
operator_state_find(const struct operator_state *state, enum operator_kind kind, const char *id)
{
	int order;
	size_t i = locate(state, kind, id, &order);

	return i < state->count && order == 0 ? &state->entries[i] : NULL;
}

void
operator_state_set(struct operator_state *state, enum operator_kind kind, const char *id,
    const char *who, const char *reason, int64_t when_us)
{
	struct operator_entry entry = { kind, xstrdup(id), xstrdup(who), xstrdup(reason), when_us };
	int order;
	size_t i = locate(state, kind, id, &order);

	if (i < state->count && order == 0) {
		free_entry(&state->entries[i]);
		state->entries[i] = entry;
		return;
	}
	state->entries = xreallocarray(state->entries, state->count + 1, sizeof(*state->entries));
	memmove(&state->entries[i + 1], &state->entries[i],
	    (state->count - i) * sizeof(*state->entries));
	state->entries[i] = entry;
	state->count++;
}

void
operator_state_clear(struct operator_state *state, enum operator_kind kind, const char *id)
{
	int order;
	size_t i = locate(state, kind, id, &order);

	if (i == state->count || order != 0)
		return;
	free_entry(&state->entries[i]);
	state->count--;
	memmove(&state->entries[i], &state->entries[i + 1],
	    (state->count - i) * sizeof(*state->entries));
}

/* ---- reading ---- */

static const char *
text_of(struct json_object *object, const char *name)
{
	struct json_object *member;

	if (!json_object_object_get_ex(object, name, &member) ||
	    !json_object_is_type(member, json_type_string))
		return NULL;
	return json_object_get_string(member);
}

static int
read_entry(struct json_object *object, enum operator_kind kind, struct operator_state *state)
{
	const char *id = text_of(object, kinds[kind].id), *who = text_of(object, "who");
	const char *reason = text_of(object, "reason"), *when = text_of(object, "when");
	int64_t when_us;

	if (!id || !*id || !who || !reason || !when || json_object_object_length(object) != 4 ||
	    wallclock_parse(when, &when_us) < 0 || operator_state_find(state, kind, id))
		return -EBADMSG;
	operator_state_set(state, kind, id, who, reason, when_us);
	return 0;
}

static int
read_list(struct json_object *list, enum operator_kind kind, struct operator_state *state)
{
	int rc = json_object_is_type(list, json_type_array) ? 0 : -EBADMSG;

	for (size_t i = 0; rc == 0 && i < json_object_array_length(list); i++) {
		struct json_object *entry = json_object_array_get_idx(list, i);

		rc = json_object_is_type(entry, json_type_object) ? read_entry(entry, kind, state)
		                                                  : -EBADMSG;
	}
	return rc;
}

/* Every member has to be known: see the essay. */
static int
read_root(struct json_object *root, struct operator_state *state)
{
	struct json_object *version;
	int rc = 0;

	if (!json_object_object_get_ex(root, "version", &version) ||
	    !json_object_is_type(version, json_type_int) ||
	    json_object_get_int64(version) != VERSION)
		return -EBADMSG;
	json_object_object_foreach(root, name, member)
	{
		int kind = 0;

		if (rc || strcmp(name, "version") == 0)
			continue;
		while (kind < OPERATOR_KIND_COUNT && strcmp(name, kinds[kind].list) != 0)
			kind++;
		rc = kind < OPERATOR_KIND_COUNT ? read_list(member, kind, state) : -EBADMSG;
	}
	return rc;
}

static int
read_document(struct json_object *document, struct operator_state *state)
{
	struct json_object *root;

	if (!json_object_is_type(document, json_type_object) ||
	    json_object_object_length(document) != 1 ||
	    !json_object_object_get_ex(document, root_name, &root) ||
	    !json_object_is_type(root, json_type_object))
		return -EBADMSG;
	return read_root(root, state);
}

static int
parse_text(const char *text, size_t size, struct operator_state *ret_state)
{
	struct json_tokener *tokener = json_tokener_new();
	struct operator_state state = { 0 };
	struct json_object *document;
	int rc = -EBADMSG;

	if (!tokener)
		fatal("out of memory");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	document = json_tokener_parse_ex(tokener, text, (int)size + 1); /* with the NUL: the end */
	if (json_tokener_get_error(tokener) == json_tokener_success && strlen(text) == size)
		rc = read_document(document, &state);
	if (rc == 0)
		*ret_state = state;
	else
		operator_state_done(&state);
	json_object_put(document);
	json_tokener_free(tokener);
	return rc;
}

int
state_file_load(const char *path, struct operator_state *ret_state, struct error *err)
{
	char *text = NULL;
	size_t size = 0;
	int rc = disk_file_read(path, FILE_MAX, &text, &size, NULL);

	if (rc == -ENOENT) {
		*ret_state = (struct operator_state){ 0 };
		return 0;
	}
	if (rc == 0)
		rc = parse_text(text, size, ret_state);
	free(text);
	if (rc == -EBADMSG || rc == -EINVAL || rc == -EFBIG)
		return error_set(err, -EBADMSG,
		    "%s: is no state file of this version or is broken; look at it, then move it "
		    "away to start without offline elements, freezes and altered paths",
		    path);
	if (rc < 0)
		return error_set(err, rc, "%s: cannot be read: %s", path, strerror(-rc));
	return 0;
}

/* ---- writing ---- */

static void
add_text(struct json_object *object, const char *name, const char *text)
{
	json_object_object_add(object, name, json_object_new_string(text));
}

static struct json_object *
make_list(const struct operator_state *state, enum operator_kind kind)
{
	struct json_object *list = json_object_new_array(), *object;
	char when[WALLCLOCK_TEXT_SIZE];

	for (size_t i = 0; i < state->count; i++) {
		const struct operator_entry *e = &state->entries[i];

		if (e->kind != kind)
			continue;
		object = json_object_new_object();
		add_text(object, kinds[kind].id, e->id);
		add_text(object, "who", e->who);
		add_text(object, "reason", e->reason);
		add_text(object, "when", wallclock_format(e->when_us, when));
		json_object_array_add(list, object);
	}
	return list;
}

/* The caller frees it. */
static char *
make_text(const struct operator_state *state)
{
	struct json_object *document = json_object_new_object(), *root = json_object_new_object();
	char *text;

	json_object_object_add(document, root_name, root);
	json_object_object_add(root, "version", json_object_new_int(VERSION));
	for (int kind = 0; kind < OPERATOR_KIND_COUNT; kind++)
		json_object_object_add(root, kinds[kind].list, make_list(state, kind));
	text = xasprintf("%s\n", json_object_to_json_string_ext(document,
	                             JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(document);
	return text;
}

/* A new file with the text, on disk. */
static int
write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640);
	int rc;

	if (fd < 0)
		return -errno;
	rc = disk_file_fill(fd, text);
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	return rc;
}

int
state_file_save(const char *path, const struct operator_state *state, struct error *err)
{
	char *text = make_text(state), *beside = xasprintf("%s.new", path);
	int rc = write_file(beside, text);

	if (rc == 0 && rename(beside, path) < 0)
		rc = -errno;
	if (rc < 0)
		(void)unlink(beside); /* may not even exist */
	else
		(void)disk_file_sync_name(
		    path); /* the new file is what a restart reads either way */
	free(beside);
	free(text);
	if (rc < 0)
		return error_set(err, rc, "%s: cannot be written: %s; nothing was changed; %s",
		    path, strerror(-rc), state_file_remedy(-rc));
	return 0;
}

const char *
state_file_remedy(int code)
{
	switch (code) {
	case ENOSPC:
	case EDQUOT:
		return "make room in its directory (events.jsonl.1 there may go)";
	case ENOENT:
		return "make its directory, or name another with --state-dir";
	case EACCES:
	case EPERM:
	case EROFS:
		return "let the agent's user write there";
	default:
		return "look at what is there";
	}
}
