/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the journal that an independent checker reads: what the router's filters would be made of
 * after every commit. Each file is written under another name and renamed, so nobody ever sees half
 * of one. It interprets nothing.
 */
#include "journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "memtext.h"
#include "mtime.h"

struct journal {
	char *path;  /* owned */
	FILE *index; /* owned */
	uint64_t seq;
	uint64_t static_seq;  /* the entry whose static file holds */
	uint64_t static_hash; /* of that file */
};

/* Entries that an earlier run left. */
static uint64_t
count_lines(const char *path)
{
	FILE *file = fopen(path, "re");
	uint64_t lines = 0;
	int c;

	if (!file)
		return 0;
	while ((c = fgetc(file)) != EOF)
		lines += c == '\n';
	fclose(file);
	return lines;
}

int
journal_new(const char *path, struct journal **ret_journal, struct error *err)
{
	struct journal *journal;
	char *index;
	int rc = 0;

	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return error_set(err, -errno, "journal %s: %s", path, strerror(errno));
	journal = xcalloc(1, sizeof(*journal));
	journal->path = xstrdup(path);
	index = xasprintf("%s/index.jsonl", path);
	journal->seq = count_lines(index);
	journal->index = fopen(index, "ae");
	if (!journal->index)
		rc = error_set(err, -errno, "journal %s: %s", index, strerror(errno));
	free(index);
	if (rc < 0) {
		journal_free(journal);
		return rc;
	}
	*ret_journal = journal;
	return 0;
}

void
journal_free(struct journal *journal)
{
	if (!journal)
		return;
	if (journal->index)
		fclose(journal->index);
	free(journal->path);
	free(journal);
}

static int
save(const struct journal *journal, uint64_t seq, const char *suffix, const xmlDoc *doc,
    struct error *err)
{
	char *path = xasprintf("%s/%06" PRIu64 "%s", journal->path, seq, suffix);
	int rc = conf_save(doc, path);

	if (rc < 0)
		error_set(err, rc, "journal %s: %s", path, strerror(-rc));
	free(path);
	return rc;
}

/* Takes over text. */
static void
add_text(json_object *line, const char *key, char *text)
{
	json_object_object_add(line, key, json_object_new_string(text));
	free(text);
}

static json_object *
make_exported(const struct announcements *exported)
{
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < exported->count; i++) {
		char *text = NULL;
		size_t size;
		FILE *out = memtext_open(&text, &size);

		announcement_print(out, &exported->list[i]);
		fclose(out);
		json_object_array_add(
		    array, json_object_new_string_len(text, (int)strcspn(text, "\n")));
		free(text);
	}
	return array;
}

static int
write_line(struct journal *journal, const struct database_change *change,
    const struct announcements *exported, struct error *err)
{
	json_object *line = json_object_new_object();

	json_object_object_add(line, "seq", json_object_new_uint64(journal->seq));
	json_object_object_add(line, "time_us", json_object_new_int64(wallclock_now_us()));
	json_object_object_add(
	    line, "event", json_object_new_string(database_event_names[change->event]));
	json_object_object_add(line, "session", json_object_new_uint64(change->session));
	json_object_object_add(
	    line, "instance", change->instance ? json_object_new_string(change->instance) : NULL);
	json_object_object_add(line, "edits", json_object_new_uint64(change->edits));
	add_text(line, "merged", xasprintf("%06" PRIu64 ".xml", journal->seq));
	add_text(line, "static", xasprintf("%06" PRIu64 ".static.xml", journal->static_seq));
	add_text(line, "static_hash", xasprintf("%016" PRIx64, journal->static_hash));
	json_object_object_add(line, "exported", make_exported(exported));
	fprintf(
	    journal->index, "%s\n", json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN));
	json_object_put(line);
	return fflush(journal->index) == 0 ? 0
	                                   : error_set(err, -errno, "journal: %s", strerror(errno));
}

int
journal_write(struct journal *journal, const struct database_change *change,
    struct database *database, const struct announcements *exported, struct error *err)
{
	const xmlDoc *static_doc = database_static(database);
	uint64_t hash = database_static_revision(database);
	int rc;

	journal->seq++;
	if (journal->static_seq == 0 || hash != journal->static_hash) {
		rc = save(journal, journal->seq, ".static.xml", static_doc, err);
		if (rc < 0)
			return rc;
		journal->static_seq = journal->seq;
		journal->static_hash = hash;
	}
	rc = save(journal, journal->seq, ".xml", database_merged(database), err);
	return rc < 0 ? rc : write_line(journal, change, exported, err);
}
