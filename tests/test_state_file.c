/* SPDX-License-Identifier: BSD-3-Clause */
/* The operator's standing orders: in memory, there and back through the file, and broken files. */
#include <errno.h>

#include "disk_file.h"
#include "place_kit.h"
#include "state_file.h"

/* A disk that fails at will: what fsync(2) says of a file, and of a directory. 0: it is well. */
static int file_error, directory_error;

int
fsync(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	errno = S_ISDIR(st.st_mode) ? directory_error : file_error;
	return errno ? -1 : 0;
}

static int
make_place(void **state)
{
	return place_make(state, "state.json", "state.json.new");
}

static void
write_text(const char *path, const char *text, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static char *
read_text(const char *path)
{
	char *text = NULL;
	size_t size;

	assert_int_equal(disk_file_read(path, 1 << 16, &text, &size, NULL), 0);
	return text;
}

static void
assert_same(const struct operator_state *a, const struct operator_state *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		assert_int_equal(a->entries[i].kind, b->entries[i].kind);
		assert_string_equal(a->entries[i].id, b->entries[i].id);
		assert_string_equal(a->entries[i].who, b->entries[i].who);
		assert_string_equal(a->entries[i].reason, b->entries[i].reason);
		assert_int_equal(a->entries[i].when_us, b->entries[i].when_us);
	}
}

static void
test_memory(void **state)
{
	struct operator_state s = { 0 };

	(void)state;
	assert_null(operator_state_find(&s, OPERATOR_OFFLINE, "a"));
	operator_state_clear(&s, OPERATOR_OFFLINE, "a");
	operator_state_set(&s, OPERATOR_OFFLINE, "b", "eve", "disk", 5);
	operator_state_set(&s, OPERATOR_FREEZE, "b", "bob", "", 6);
	operator_state_set(&s, OPERATOR_OFFLINE, "a", "eve", "", 7);
	operator_state_set(&s, OPERATOR_OFFLINE, "b", "ann", "fan", 8);
	assert_int_equal(s.count, 3);
	assert_string_equal(operator_state_find(&s, OPERATOR_OFFLINE, "b")->who, "ann");
	assert_string_equal(operator_state_find(&s, OPERATOR_FREEZE, "b")->who, "bob");
	assert_null(operator_state_find(&s, OPERATOR_FREEZE, "a"));
	operator_state_clear(&s, OPERATOR_OFFLINE, "b");
	assert_null(operator_state_find(&s, OPERATOR_OFFLINE, "b"));
	assert_non_null(operator_state_find(&s, OPERATOR_OFFLINE, "a"));
	assert_non_null(operator_state_find(&s, OPERATOR_FREEZE, "b"));
	operator_state_done(&s);
	assert_int_equal(s.count, 0);
	assert_null(operator_state_find(&s, OPERATOR_FREEZE, "b"));
}

static void
test_there_and_back(void **state)
{
	struct place *place = *state;
	struct operator_state s = { 0 }, back = { 0 };
	struct error err = { "" };
	char *first, *second;

	operator_state_set(&s, OPERATOR_OFFLINE, "fbf-02", "eve \"the\" <x>&", "line\nbreak \\ \t",
	    INT64_C(1796008062123456));
	operator_state_set(&s, OPERATOR_FREEZE, "cgn", "root", "", INT64_C(1796008062000000));
	operator_state_set(&s, OPERATOR_ALTER, "cgn", "eve", "CHG-1", INT64_C(1796008062000001));
	operator_state_set(&s, OPERATOR_OFFLINE, "fbf-01", "r\xc3\xb6t", "", 0);
	assert_int_equal(state_file_save(place->path, &s, &err), 0);
	assert_int_equal(state_file_load(place->path, &back, &err), 0);
	assert_same(&s, &back);
	first = read_text(place->path);
	assert_int_equal(state_file_save(place->path, &back, &err), 0);
	second = read_text(place->path);
	assert_string_equal(first, second);
	free(first);
	free(second);
	operator_state_done(&back);
	operator_state_done(&s);

	assert_int_equal(state_file_save(place->path, &s, &err), 0);
	assert_int_equal(state_file_load(place->path, &back, &err), 0);
	assert_int_equal(back.count, 0);
	operator_state_done(&back);
}

static void
test_missing(void **state)
{
	struct place *place = *state;
	struct operator_state s;
	struct error err = { "" };

	assert_int_equal(state_file_load(place->path, &s, &err), 0);
	assert_int_equal(s.count, 0);
}

#define ENTRY \
	"{\"element\": \"a\", \"who\": \"w\", \"reason\": \"\", \"when\": " \
	"\"2026-11-30T03:07:42Z\"}"

static void
test_broken(void **state)
{
	static const struct {
		const char *name;
		const char *text;
		int want;
	} cases[] = {
		{ "good", "{\"autofbf-state\":{\"version\":1,\"offline\":[" ENTRY "]}}", 0 },
		{ "alter",
		    "{\"autofbf-state\":{\"version\":1,\"alter\":[{\"group\":\"cgn\",\"who\":"
		    "\"w\",\"reason\":\"r\",\"when\":\"2026-11-30T03:07:42Z\"}]}}",
		    0 },
		{ "alter of an element",
		    "{\"autofbf-state\":{\"version\":1,\"alter\":[" ENTRY "]}}", -EBADMSG },
		{ "nothing set", "{\"autofbf-state\":{\"version\":1}}\n", 0 },
		{ "empty", "", -EBADMSG },
		{ "cut off", "{\"autofbf-state\":{\"version\":1,\"offline\":[", -EBADMSG },
		{ "more after it", "{\"autofbf-state\":{\"version\":1}}x", -EBADMSG },
		{ "not JSON", "root:x:0:0", -EBADMSG },
		{ "an array", "[]", -EBADMSG },
		{ "null", "null", -EBADMSG },
		{ "another file", "{\"autofbf:profile\":{}}", -EBADMSG },
		{ "no version", "{\"autofbf-state\":{}}", -EBADMSG },
		{ "other version", "{\"autofbf-state\":{\"version\":2}}", -EBADMSG },
		{ "version as text", "{\"autofbf-state\":{\"version\":\"1\"}}", -EBADMSG },
		{ "unknown list", "{\"autofbf-state\":{\"version\":1,\"x\":[]}}", -EBADMSG },
		{ "list is none", "{\"autofbf-state\":{\"version\":1,\"freeze\":{}}}", -EBADMSG },
		{ "entry is none", "{\"autofbf-state\":{\"version\":1,\"offline\":[1]}}",
		    -EBADMSG },
		{ "twice", "{\"autofbf-state\":{\"version\":1,\"offline\":[" ENTRY "," ENTRY "]}}",
		    -EBADMSG },
		{ "wrong list", "{\"autofbf-state\":{\"version\":1,\"freeze\":[" ENTRY "]}}",
		    -EBADMSG },
		{ "no reason",
		    "{\"autofbf-state\":{\"version\":1,\"offline\":[{\"element\":\"a\",\"who\":"
		    "\"w\","
		    "\"when\":\"2026-11-30T03:07:42Z\"}]}}",
		    -EBADMSG },
		{ "unknown member",
		    "{\"autofbf-state\":{\"version\":1,\"offline\":[{\"element\":\"a\",\"who\":"
		    "\"w\","
		    "\"reason\":\"\",\"when\":\"2026-11-30T03:07:42Z\",\"until\":\"noon\"}]}}",
		    -EBADMSG },
		{ "bad time",
		    "{\"autofbf-state\":{\"version\":1,\"offline\":[{\"element\":\"a\",\"who\":"
		    "\"w\","
		    "\"reason\":\"\",\"when\":\"yesterday\"}]}}",
		    -EBADMSG },
	};
	struct place *place = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct operator_state s = { 0 };
		struct error err = { "" };
		char *after;

		write_text(place->path, cases[i].text, strlen(cases[i].text));
		if (state_file_load(place->path, &s, &err) != cases[i].want)
			fail_msg("%s: %s", cases[i].name, err.text);
		if (cases[i].want)
			assert_non_null(strstr(err.text, place->path));
		operator_state_done(&s);
		after = read_text(place->path);
		assert_string_equal(after, cases[i].text);
		free(after);
	}
}

static void
test_nul_and_size(void **state)
{
	static const char with_nul[] = "{\"autofbf-state\":{\"version\":1}}\0{}";
	struct place *place = *state;
	struct operator_state s = { 0 };
	struct error err = { "" };

	write_text(place->path, with_nul, sizeof(with_nul) - 1);
	assert_int_equal(state_file_load(place->path, &s, &err), -EBADMSG);
	assert_int_equal(truncate(place->path, 2 << 20), 0);
	assert_int_equal(state_file_load(place->path, &s, &err), -EBADMSG);
	assert_int_equal(unlink(place->path), 0);
	assert_int_equal(mkfifo(place->path, 0600), 0);
	assert_int_equal(state_file_load(place->path, &s, &err), -EBADMSG);
}

/* Whatever goes wrong while writing, the old file stands. */
static void
test_old_file_stands(void **state)
{
	struct place *place = *state;
	struct operator_state s = { 0 };
	struct error err = { "" };
	char *before, *after;

	operator_state_set(&s, OPERATOR_FREEZE, "cgn", "root", "why", 1000000);
	assert_int_equal(state_file_save(place->path, &s, &err), 0);
	before = read_text(place->path);
	assert_int_equal(mkdir(place->beside, 0700), 0); /* in the way of the new file */
	operator_state_clear(&s, OPERATOR_FREEZE, "cgn");
	assert_int_equal(state_file_save(place->path, &s, &err), -EISDIR);
	assert_non_null(strstr(err.text, place->path));
	after = read_text(place->path);
	assert_string_equal(before, after);
	assert_int_equal(rmdir(place->beside), 0);
	assert_int_equal(state_file_save(place->path, &s, &err), 0);
	assert_int_equal(access(place->beside, F_OK), -1);
	assert_int_equal(state_file_save("/nowhere/at/all/state.json", &s, &err), -ENOENT);
	operator_state_done(&s);
	free(before);
	free(after);
}

/* The words for the operator whose order is refused, by what the disk says. */
static void
test_refusal(void **state)
{
	static const struct {
		int code;
		const char *want;
	} cases[] = {
		{ ENOSPC,
		    "No space left on device; nothing was changed; make room in its directory "
		    "(events.jsonl.1 there may go)" },
		{ EROFS, "Read-only file system; nothing was changed; let the agent's user write "
		         "there" },
		{ EIO, "Input/output error; nothing was changed; look at what is there" },
	};
	struct place *place = *state;
	struct operator_state s = { 0 };
	struct error err;
	char *want;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		file_error = cases[i].code;
		assert_int_equal(state_file_save(place->path, &s, &err), -cases[i].code);
		want = xasprintf("%s: cannot be written: %s", place->path, cases[i].want);
		assert_string_equal(err.text, want);
		free(want);
		assert_int_equal(access(place->path, F_OK), -1);
	}
	file_error = 0;
}

/* The new file has its name, so a restart obeys it: so must the agent that runs. */
static void
test_directory_is_not_synced(void **state)
{
	struct place *place = *state;
	struct operator_state s = { 0 }, back;
	struct error err = { "" };

	assert_int_equal(state_file_save(place->path, &s, &err), 0);
	operator_state_set(&s, OPERATOR_OFFLINE, "fbf-02", "root", "why", 1000000);
	directory_error = EIO;
	assert_int_equal(state_file_save(place->path, &s, &err), 0);
	directory_error = 0;
	assert_int_equal(state_file_load(place->path, &back, &err), 0);
	assert_same(&s, &back);
	operator_state_done(&s);
	operator_state_done(&back);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		AT_A_PLACE(test_there_and_back),
		AT_A_PLACE(test_missing),
		AT_A_PLACE(test_broken),
		AT_A_PLACE(test_nul_and_size),
		AT_A_PLACE(test_old_file_stands),
		AT_A_PLACE(test_refusal),
		AT_A_PLACE(test_directory_is_not_synced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
