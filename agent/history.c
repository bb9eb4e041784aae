/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The diary: the last records in memory for readers, all of them on disk for people, one JSON
 * object a line, in order of their ids.
 *
 * Disk use is bounded: at 4 MiB the file becomes events.jsonl.1, the one before is gone. A kill or
 * a full disk may leave a torn line; the next record then begins on a new line, and readers skip
 * what is no record. Ids go on after a restart, from the largest that can be read. Losing a line on
 * a bad disk must never stop the agent, so neither history_open nor history_add has an error: the
 * record is in memory in any case, and the file is tried again with the next one. When a full file
 * cannot be renamed, nothing more is written rather than without end. Before each record it is made
 * sure that the open file is the one that people find at the path: it may have been deleted, moved
 * or cut.
 */
#include "history.h"

#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mtime.h"

/* A file that comes late is not read as a whole: records are written between two failovers. */
enum { ROTATE_AT = 4 << 20, READ_AT_START = 2 * ROTATE_AT, READ_LATE = 64 << 10 };

/* The strings of a record and their names in the file. The first ones are always there, the others
 * may be NULL. */
static const struct text_field {
	const char *name;
	size_t offset;
} texts[] = {
	{ "kind", offsetof(struct history_record, kind) },
	{ "subject", offsetof(struct history_record, subject) },
	{ "text", offsetof(struct history_record, text) },
	{ "who", offsetof(struct history_record, who) },
	{ "cause", offsetof(struct history_record, cause) },
	{ "group", offsetof(struct history_record, group) },
	{ "family", offsetof(struct history_record, family) },
	{ "healthy", offsetof(struct history_record, healthy) },
	{ "layout-before", offsetof(struct history_record, layout_before) },
	{ "layout-after", offsetof(struct history_record, layout_after) },
	{ "groups", offsetof(struct history_record, groups) },
};
enum { TEXTS = sizeof(texts) / sizeof(texts[0]), TEXTS_ALWAYS = 3 };

struct entry {
	struct history_record record; /* its strings are those below */
	char *text[TEXTS];            /* owned; as in the table */
};

struct history {
	char *path; /* owned; NULL: memory only */
	int fd;     /* -1: no file */
	dev_t device;
	ino_t inode;        /* of the file */
	size_t size;        /* of the file */
	bool torn;          /* the file does not end with a newline */
	struct entry *ring; /* owned; keep entries */
	size_t keep;
	size_t first; /* index of the oldest */
	size_t count;
	uint64_t last_id;
	bool is_fragment; /* files have, or may have, records that were not read */
	int failure;      /* why the last record is not in the file, an errno; 0: it is */
};

/* ---- the ring ---- */

static const char *
get_text(const struct history_record *record, size_t field)
{
	const char *text;

	memcpy(&text, (const char *)record + texts[field].offset, sizeof(text));
	return text;
}

static void
set_text(struct history_record *record, size_t field, const char *text)
{
	memcpy((char *)record + texts[field].offset, &text, sizeof(text));
}

static void
free_entry(struct entry *entry)
{
	for (size_t i = 0; i < TEXTS; i++)
		free(entry->text[i]);
}

/* Copies first: the record's strings may be those of the entry that has to go. */
static void
remember(struct history *history, const struct history_record *record)
{
	struct entry entry = { .record = *record };

	for (size_t i = 0; i < TEXTS; i++) {
		const char *text = get_text(record, i);

		if (!text && i < TEXTS_ALWAYS)
			text = "";
		entry.text[i] = text ? xstrdup(text) : NULL;
		set_text(&entry.record, i, entry.text[i]);
	}
	if (history->count == history->keep) {
		free_entry(&history->ring[history->first]);
		history->first = (history->first + 1) % history->keep;
		history->count--;
	}
	history->ring[(history->first + history->count++) % history->keep] = entry;
}

size_t
history_count(const struct history *history)
{
	return history->count;
}

const struct history_record *
history_get(const struct history *history, size_t index)
{
	if (index >= history->count)
		return NULL;
	return &history->ring[(history->first + index) % history->keep].record;
}

/* ---- one line ---- */

/* The stage times and their names in the file. */
static const struct stage {
	const char *name;
	size_t offset;
} stages[] = {
	{ "first-event", offsetof(struct history_record, first_event_us) },
	{ "open-sent", offsetof(struct history_record, open_sent_us) },
	{ "commit-sent", offsetof(struct history_record, commit_sent_us) },
	{ "committed", offsetof(struct history_record, committed_us) },
	{ "read-back", offsetof(struct history_record, read_back_us) },
};
enum { STAGES = sizeof(stages) / sizeof(stages[0]) };

static void
add_text(struct json_object *object, const char *name, const char *text)
{
	json_object_object_add(object, name, json_object_new_string(text));
}

static void
add_time(struct json_object *object, const char *name, int64_t us)
{
	char text[WALLCLOCK_TEXT_SIZE];

	add_text(object, name, wallclock_format(us, text));
}

static void
add_number(struct json_object *object, const char *name, uint64_t value)
{
	if (value)
		json_object_object_add(object, name, json_object_new_uint64(value));
}

/* With its newline; the caller frees it. */
static char *
format_line(const struct history_record *record)
{
	struct json_object *object = json_object_new_object();
	char *line;

	json_object_object_add(object, "id", json_object_new_uint64(record->id));
	add_time(object, "when", record->when_us);
	for (size_t i = 0; i < TEXTS; i++) {
		const char *text = get_text(record, i);

		if (text || i < TEXTS_ALWAYS)
			add_text(object, texts[i].name, text ? text : "");
	}
	add_number(object, "plan", record->plan);
	add_number(object, "moved", record->moved);
	add_number(object, "edits", record->edits);
	for (size_t i = 0; i < STAGES; i++) {
		int64_t us;

		memcpy(&us, (const char *)record + stages[i].offset, sizeof(us));
		if (us)
			add_time(object, stages[i].name, us);
	}
	line = xasprintf("%s\n", json_object_to_json_string_ext(object,
	                             JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
	return line;
}

static const char *
text_of(struct json_object *object, const char *name)
{
	struct json_object *member;

	if (!json_object_object_get_ex(object, name, &member) ||
	    !json_object_is_type(member, json_type_string))
		return NULL;
	return json_object_get_string(member);
}

static uint64_t
number_of(struct json_object *object, const char *name)
{
	struct json_object *member;

	if (!json_object_object_get_ex(object, name, &member) ||
	    !json_object_is_type(member, json_type_int))
		return 0;
	return json_object_get_uint64(member);
}

/* The strings are borrowed from object. */
static bool
read_record(struct json_object *object, struct history_record *record)
{
	const char *when = text_of(object, "when");

	*record = (struct history_record){
		.id = number_of(object, "id"),
		.plan = number_of(object, "plan"),
		.moved = (uint32_t)number_of(object, "moved"),
		.edits = (uint32_t)number_of(object, "edits"),
	};
	for (size_t i = 0; i < TEXTS; i++)
		set_text(record, i, text_of(object, texts[i].name));
	if (!record->id || record->id == UINT64_MAX || !record->kind || !record->text || !when ||
	    wallclock_parse(when, &record->when_us) < 0)
		return false;
	for (size_t i = 0; i < STAGES; i++) {
		const char *text = text_of(object, stages[i].name);
		int64_t us = 0;

		if (text && wallclock_parse(text, &us) == 0)
			memcpy((char *)record + stages[i].offset, &us, sizeof(us));
	}
	return true;
}

/* A line that is no record, or not newer than the one before, is skipped. */
static void
read_line(struct history *history, const char *line, bool only_id)
{
	struct json_object *object = json_tokener_parse(line);
	struct history_record record;

	if (json_object_is_type(object, json_type_object) && read_record(object, &record) &&
	    record.id > history->last_id) {
		history->last_id = record.id;
		if (!only_id)
			remember(history, &record);
	}
	json_object_put(object);
}

/* ---- the file ---- */

/* Reads the end of a file, at most limit bytes; the caller frees it. */
static char *
read_tail(int fd, size_t limit, size_t *ret_size)
{
	char *text = xcalloc(limit + 1, 1);
	off_t end = lseek(fd, 0, SEEK_END);
	size_t size = 0;

	if (end > (off_t)limit)
		(void)lseek(fd, end - (off_t)limit, SEEK_SET); /* else a torn line is skipped */
	else
		(void)lseek(fd, 0, SEEK_SET); /* a failure shows as no text */
	while (size < limit) {
		ssize_t n = read(fd, text + size, limit - size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		size += (size_t)n;
	}
	*ret_size = size;
	return text;
}

/* A NUL inside ends its line, which then is no record. */
static void
read_lines(struct history *history, int fd, size_t limit, bool only_ids)
{
	size_t size;
	char *text = read_tail(fd, limit, &size), *line = text, *end;

	while ((end = memchr(line, '\n', (size_t)(text + size - line)))) {
		*end = '\0';
		read_line(history, line, only_ids);
		line = end + 1;
	}
	if (line < text + size) {
		read_line(history, line, only_ids);
		history->torn = true;
	}
	free(text);
}

/* On failure there is no open file. */
static int
open_file(struct history *history)
{
	int flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = open(history->path, flags, 0640);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		(void)close(fd); /* nothing was written */
		return -EINVAL;
	}
	history->fd = fd;
	history->device = st.st_dev;
	history->inode = st.st_ino;
	history->size = (size_t)st.st_size;
	history->torn = false;
	return 0;
}

static void
close_file(struct history *history)
{
	if (history->fd >= 0)
		(void)close(history->fd); /* a diary: what the disk has lost is lost */
	history->fd = -1;
}

/* Is the open file still the one at the path? */
static bool
is_in_place(const struct history *history, struct stat *ret_st)
{
	return history->fd >= 0 && lstat(history->path, ret_st) == 0 &&
	       ret_st->st_dev == history->device && ret_st->st_ino == history->inode;
}

/* Ids go on from those of a file that could not be read at the start, or was put there since. */
static int
reach_file(struct history *history)
{
	uint64_t last_id = history->last_id;
	struct stat st;
	int rc;

	if (is_in_place(history, &st)) {
		history->size = (size_t)st.st_size;
		history->torn = history->torn && st.st_size > 0;
		return 0;
	}
	close_file(history);
	rc = open_file(history);
	if (rc == 0)
		read_lines(history, history->fd, READ_LATE, true);
	history->is_fragment |= history->last_id > last_id;
	return rc;
}

static void
read_older(struct history *history)
{
	char *older = xasprintf("%s.1", history->path);
	int fd = open(older, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0) {
		read_lines(history, fd, READ_AT_START, false);
		(void)close(fd); /* only read from */
	}
	free(older);
}

/* Makes room; on failure there is none. */
static int
rotate(struct history *history)
{
	char *older = xasprintf("%s.1", history->path);
	int rc = rename(history->path, older) < 0 ? -errno : 0;

	free(older);
	if (rc < 0)
		return rc;
	close_file(history);
	return open_file(history);
}

static int
append(struct history *history, const char *line)
{
	char *text = xasprintf("%s%s", history->torn ? "\n" : "", line);
	size_t length = strlen(text);
	ssize_t n = write(history->fd, text, length);
	int rc = n < 0 ? -errno : (size_t)n < length ? -ENOSPC : 0;

	if (n > 0)
		history->torn = (size_t)n < length;
	free(text);
	return rc;
}

static int
write_record(struct history *history, const struct history_record *record)
{
	char *line = format_line(record);
	size_t length = strlen(line);
	int rc = length < ROTATE_AT ? 0 : -EFBIG;

	if (rc == 0 && history->size + length >= ROTATE_AT)
		rc = rotate(history);
	if (rc == 0)
		rc = append(history, line);
	free(line);
	return rc;
}

struct history *
history_open(const char *path, size_t keep)
{
	struct history *history = xcalloc(1, sizeof(*history));

	history->fd = -1;
	history->keep = keep ? keep : 1;
	history->ring = xcalloc(history->keep, sizeof(*history->ring));
	if (!path)
		return history;
	history->path = xstrdup(path);
	read_older(history);
	history->failure = -open_file(history);
	history->is_fragment = history->failure != 0;
	if (history->fd >= 0)
		read_lines(history, history->fd, READ_AT_START, false);
	return history;
}

void
history_close(struct history *history)
{
	if (!history)
		return;
	close_file(history);
	for (size_t i = 0; i < history->count; i++)
		free_entry(&history->ring[(history->first + i) % history->keep]);
	free(history->ring);
	free(history->path);
	free(history);
}

uint64_t
history_add(struct history *history, const struct history_record *record)
{
	struct history_record copy = *record;
	int rc = history->path ? reach_file(history) : 0;

	copy.id = ++history->last_id;
	remember(history, &copy);
	if (history->path && rc == 0)
		rc = write_record(history, &copy);
	history->failure = -rc;
	return copy.id;
}

bool
history_is_fragment(const struct history *history)
{
	return history->is_fragment;
}

int
history_failure(const struct history *history)
{
	return history->failure;
}
