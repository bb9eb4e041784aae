/* SPDX-License-Identifier: BSD-3-Clause */
/* The diary: ring, file, restart, torn lines, rotation. */
#include <errno.h>

#include "history.h"
#include "place_kit.h"

static int
make_place(void **state)
{
	return place_make(state, "events.jsonl", "events.jsonl.1");
}

static uint64_t
add(struct history *history, const char *text)
{
	struct history_record record = { .when_us = INT64_C(1796008062123456),
		.kind = "health",
		.subject = "fbf-02",
		.text = text };

	return history_add(history, &record);
}

static void
append_raw(const char *path, const char *text)
{
	FILE *file = fopen(path, "a");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static size_t
size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? 0 : (size_t)st.st_size;
}

static struct history *
open_at(const char *path, size_t keep)
{
	struct history *history = history_open(path, keep);

	assert_int_equal(history_failure(history), 0);
	return history;
}

static void
test_ring(void **state)
{
	struct history *history = open_at(NULL, 3);
	char text[16];

	(void)state;
	assert_int_equal(history_count(history), 0);
	assert_null(history_get(history, 0));
	for (int i = 1; i <= 5; i++) {
		snprintf(text, sizeof(text), "t%d", i);
		assert_int_equal(add(history, text), i);
	}
	assert_int_equal(history_count(history), 3);
	for (size_t i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "t%zu", i + 3);
		assert_int_equal(history_get(history, i)->id, i + 3);
		assert_string_equal(history_get(history, i)->text, text);
	}
	assert_null(history_get(history, 3));
	/* a record may be made of one that is about to go */
	history_add(history, history_get(history, 0));
	assert_string_equal(history_get(history, 2)->text, "t3");
	history_close(history);
	history_close(NULL);
}

static void
test_restart(void **state)
{
	struct place *place = *state;
	struct history *history = open_at(place->path, 10);
	struct history_record commit = { .when_us = 1,
		.kind = "commit",
		.subject = "192.0.2.1",
		.text = "a \"quoted\"\nline",
		.edits = 513,
		.first_event_us = 1000001,
		.open_sent_us = 2,
		.commit_sent_us = 3,
		.committed_us = 0,
		.read_back_us = 5 };
	const struct history_record *record;

	assert_int_equal(add(history, "first"), 1);
	assert_int_equal(history_add(history, &commit), 2);
	history_close(history);
	history = open_at(place->path, 10);
	assert_int_equal(history_count(history), 2);
	record = history_get(history, 0);
	assert_int_equal(record->when_us, INT64_C(1796008062123456));
	assert_string_equal(record->kind, "health");
	assert_string_equal(record->subject, "fbf-02");
	assert_int_equal(record->edits, 0);
	record = history_get(history, 1);
	assert_int_equal(record->id, 2);
	assert_string_equal(record->text, commit.text);
	assert_int_equal(record->edits, 513);
	assert_int_equal(record->first_event_us, 1000001);
	assert_int_equal(record->open_sent_us, 2);
	assert_int_equal(record->commit_sent_us, 3);
	assert_int_equal(record->committed_us, 0);
	assert_int_equal(record->read_back_us, 5);
	assert_int_equal(add(history, "third"), 3);
	history_close(history);
}

static void
assert_text(const char *have, const char *want)
{
	assert_int_equal(have == NULL, want == NULL);
	if (want)
		assert_string_equal(have, want);
}

/* A decision, and the commit that carries it, there and back. */
static void
test_decision(void **state)
{
	static const struct history_record decision = { .when_us = 1000000,
		.kind = "decision",
		.subject = "cgn",
		.text = "ipv4: 3 of 4 elements",
		.who = "eve \"x\"",
		.cause = "fbf-02 down",
		.group = "cgn",
		.family = "ipv4",
		.healthy = "fbf-01,fbf-03,fbf-04",
		.layout_before = "aa",
		.layout_after = "bb",
		.moved = 256 };
	static const struct history_record commit = { .when_us = 2000000,
		.kind = "commit",
		.subject = "",
		.text = "t",
		.plan = 1,
		.groups = "big,cgn" };
	struct place *place = *state;
	struct history *history = open_at(place->path, 10);
	const struct history_record *record;

	history_add(history, &decision);
	history_add(history, &commit);
	for (int turn = 0; turn < 2; turn++) { /* from memory, then from the file */
		record = history_get(history, 0);
		assert_text(record->who, decision.who);
		assert_text(record->cause, decision.cause);
		assert_text(record->group, "cgn");
		assert_text(record->family, "ipv4");
		assert_text(record->healthy, decision.healthy);
		assert_text(record->layout_before, "aa");
		assert_text(record->layout_after, "bb");
		assert_int_equal(record->moved, 256);
		assert_int_equal(record->plan, 0);
		record = history_get(history, 1);
		assert_int_equal(record->plan, 1);
		assert_text(record->groups, "big,cgn");
		assert_text(record->who, NULL);
		assert_text(record->healthy, NULL);
		assert_text(record->layout_after, NULL);
		history_close(history);
		history = open_at(place->path, 10);
	}
	history_close(history);
}

/* Lines of the version before, and lines whose new members make no sense. */
static void
test_old_lines(void **state)
{
	struct place *place = *state;
	const struct history_record *record;
	struct history *history;

	append_raw(place->path,
	    "{\"id\":1,\"when\":\"2026-11-30T03:07:42Z\",\"kind\":\"k\",\"text\":\"t\"}\n"
	    "{\"id\":2,\"when\":\"2026-11-30T03:07:42Z\",\"kind\":\"decision\",\"text\":\"t\","
	    "\"healthy\":7,\"who\":null,\"moved\":\"x\",\"plan\":[]}\n");
	history = open_at(place->path, 10);
	assert_int_equal(history_count(history), 2);
	record = history_get(history, 0);
	assert_string_equal(record->subject, "");
	assert_null(record->who);
	assert_null(record->group);
	record = history_get(history, 1);
	assert_null(record->healthy);
	assert_null(record->who);
	assert_int_equal(record->moved, 0);
	assert_int_equal(record->plan, 0);
	history_close(history);
}

/* What a kill in the middle of a write, or a person with an editor, may leave behind. */
static void
test_torn(void **state)
{
	static const char *const tails[] = {
		"{\"id\":9,\"when\":\"2026-11-30T03:0",
		"garbage",
		"\n\n[]\n{}\n{\"id\":0}\n\"x",
		"{\"id\":\"7\",\"when\":\"2026-11-30T03:07:42Z\",\"kind\":\"k\",\"text\":\"t\"}",
		"{\"id\":1,\"when\":\"2026-11-30T03:07:42Z\",\"kind\":\"k\",\"text\":\"again\"}\n",
	};
	struct place *place = *state;

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		struct history *history;

		(void)unlink(place->path);
		history = open_at(place->path, 10);
		add(history, "one");
		add(history, "two");
		history_close(history);
		append_raw(place->path, tails[i]);
		history = open_at(place->path, 10);
		assert_int_equal(history_count(history), 2);
		assert_int_equal(add(history, "three"), 3);
		history_close(history);
		history = open_at(place->path, 10);
		assert_int_equal(history_count(history), 3);
		assert_string_equal(history_get(history, 2)->text, "three");
		history_close(history);
	}
}

/* A last line that is whole but for its newline counts. */
static void
test_unfinished_newline(void **state)
{
	struct place *place = *state;
	struct history *history;

	append_raw(place->path,
	    "{\"id\":41,\"when\":\"2026-11-30T03:07:42Z\",\"kind\":\"k\",\"text\":\"t\"}");
	history = open_at(place->path, 10);
	assert_int_equal(history_count(history), 1);
	assert_int_equal(add(history, "next"), 42);
	history_close(history);
	history = open_at(place->path, 10);
	assert_int_equal(history_count(history), 2);
	history_close(history);
}

static void
test_rotation(void **state)
{
	struct place *place = *state;
	struct history *history = open_at(place->path, 4);
	char *text = xcalloc(1, 100001);
	uint64_t id = 0;

	memset(text, 'x', 100000);
	for (int i = 0; i < 100; i++) {
		id = add(history, text);
		assert_true(size_of(place->path) <= 4 << 20);
	}
	assert_true(size_of(place->beside) > 3 << 20);
	assert_int_equal(history_failure(history), 0);
	assert_true(size_of(place->beside) <= 4 << 20);
	history_close(history);
	history = open_at(place->path, 4);
	assert_int_equal(history_count(history), 4);
	assert_int_equal(history_get(history, 3)->id, id);
	assert_int_equal(add(history, "next"), id + 1);
	history_close(history);

	/* the newest file is gone: ids go on from the older one */
	assert_int_equal(unlink(place->path), 0);
	history = open_at(place->path, 4);
	assert_true(add(history, "next") > 40);
	history_close(history);
	free(text);
}

/* When a full file cannot be moved away, the disk is left alone and memory goes on. */
static void
test_rotation_impossible(void **state)
{
	struct place *place = *state;
	struct history *history = open_at(place->path, 4);
	char *text = xcalloc(1, 1000001);

	memset(text, 'x', 1000000);
	assert_int_equal(mkdir(place->beside, 0700), 0);
	for (int i = 1; i <= 9; i++)
		assert_int_equal(add(history, text), i);
	assert_true(size_of(place->path) <= 4 << 20);
	assert_int_equal(history_failure(history), EISDIR);
	assert_int_equal(history_get(history, 3)->id, 9);
	assert_int_equal(rmdir(place->beside), 0);
	add(history, text);
	assert_true(size_of(place->beside) > 3 << 20);
	assert_int_equal(history_failure(history), 0);
	history_close(history);
	free(text);
}

/* Memory goes on, and why there is no file is told as it is. */
static void
test_bad_path(void **state)
{
	struct place *place = *state;
	struct history *history = history_open("/nowhere/events.jsonl", 4);

	assert_int_equal(history_failure(history), ENOENT);
	assert_int_equal(add(history, "in memory"), 1);
	assert_int_equal(history_failure(history), ENOENT);
	assert_string_equal(history_get(history, 0)->text, "in memory");
	assert_true(history_is_fragment(history));
	history_close(history);
	assert_int_equal(symlink("elsewhere", place->path), 0);
	history = history_open(place->path, 4);
	assert_int_equal(history_failure(history), ELOOP);
	assert_int_equal(unlink(place->path), 0);
	assert_int_equal(mkfifo(place->path, 0600), 0);
	assert_int_equal(add(history, "in memory"), 1);
	assert_int_equal(history_failure(history), EINVAL);
	history_close(history);
}

/* A file that cannot be used at the start is written as soon as it can, under newer ids. */
static void
test_late_file(void **state)
{
	struct place *place = *state;
	struct history *history = open_at(place->path, 4);
	char *aside = xasprintf("%s.aside", place->path);

	for (int i = 1; i <= 7; i++)
		assert_int_equal(add(history, "before"), i);
	history_close(history);
	append_raw(place->path, "torn");
	assert_int_equal(rename(place->path, aside), 0);
	assert_int_equal(mkdir(place->path, 0700), 0);
	history = history_open(place->path, 4);
	assert_int_equal(history_failure(history), EISDIR);
	assert_int_equal(add(history, "in memory"), 1);
	assert_int_equal(rmdir(place->path), 0);
	assert_int_equal(rename(aside, place->path), 0);
	assert_int_equal(add(history, "on disk"), 8);
	assert_int_equal(history_failure(history), 0);
	assert_int_equal(history_count(history), 2);
	assert_true(history_is_fragment(history));
	history_close(history);
	history = open_at(place->path, 4);
	assert_false(history_is_fragment(history));
	assert_int_equal(history_get(history, 3)->id, 8);
	assert_string_equal(history_get(history, 3)->text, "on disk");
	history_close(history);
	free(aside);
}

/* What people do to the file under a running agent: the next record is where they look for it. */
static void
test_file_taken_away(void **state)
{
	struct place *place = *state;
	struct history *history = open_at(place->path, 4);

	assert_int_equal(add(history, "first"), 1);
	assert_int_equal(unlink(place->path), 0);
	assert_int_equal(add(history, "after a deletion"), 2);
	assert_true(size_of(place->path) > 0);
	assert_int_equal(rename(place->path, place->beside), 0);
	assert_int_equal(add(history, "after a move"), 3);
	assert_true(size_of(place->path) > 0);
	assert_int_equal(truncate(place->path, 0), 0);
	assert_int_equal(add(history, "after a cut"), 4);
	assert_false(history_is_fragment(history));
	assert_int_equal(history_failure(history), 0);
	history_close(history);
	history = open_at(place->path, 4);
	assert_int_equal(history_count(history), 2);
	assert_int_equal(history_get(history, 0)->id, 2);
	assert_int_equal(history_get(history, 1)->id, 4);
	history_close(history);
}

/* Its records are not read, and that is known. */
static void
test_file_put_there(void **state)
{
	struct place *place = *state;
	struct history *history = open_at(place->path, 4);

	assert_int_equal(add(history, "first"), 1);
	assert_int_equal(unlink(place->path), 0);
	append_raw(place->path,
	    "{\"id\":9,\"when\":\"2026-11-30T03:07:42.500000Z\",\"kind\":\"health\","
	    "\"subject\":\"\",\"text\":\"from a copy\"}\n");
	assert_int_equal(add(history, "after it"), 10);
	assert_true(history_is_fragment(history));
	history_close(history);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring),
		AT_A_PLACE(test_restart),
		AT_A_PLACE(test_decision),
		AT_A_PLACE(test_old_lines),
		AT_A_PLACE(test_torn),
		AT_A_PLACE(test_unfinished_newline),
		AT_A_PLACE(test_rotation),
		AT_A_PLACE(test_rotation_impossible),
		AT_A_PLACE(test_bad_path),
		AT_A_PLACE(test_late_file),
		AT_A_PLACE(test_file_taken_away),
		AT_A_PLACE(test_file_put_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
