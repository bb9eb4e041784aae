/* SPDX-License-Identifier: BSD-3-Clause */
/* Who may have the lock of a directory, who is named for it, and where there is none to be had. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

#include "dir_lock.h"
#include "place_kit.h"

static int
make_place(void **state)
{
	return place_make(state, "lock", "target");
}

/* The lock, which can be had. */
static int
take(const struct place *place)
{
	struct error err = { "" };
	int fd = -1;

	assert_int_equal(dir_lock_take(place->directory, "--there", &fd, &err), 0);
	assert_string_equal(err.text, "");
	assert_true(fd >= 0);
	return fd;
}

/* It is had by somebody else: this process, which the error names. */
static void
check_refused(const struct place *place)
{
	struct error err = { "" };
	char want[200];
	int fd = -1;

	snprintf(want, sizeof(want),
	    "%s: process %d, most likely another agent, has locked it; stop it, or use --there",
	    place->path, (int)getpid());
	assert_int_equal(dir_lock_take(place->directory, "--there", &fd, &err), -EWOULDBLOCK);
	assert_int_equal(fd, -1);
	assert_string_equal(err.text, want);
}

static void
test_one_at_a_time(void **state)
{
	const struct place *place = *state;
	int fd = take(place);

	check_refused(place);
	close(fd);
	close(take(place));
}

static void
test_shared_holder(void **state)
{
	const struct place *place = *state;
	int fd;

	close(take(place));
	fd = open(place->path, O_RDONLY);
	assert_int_equal(flock(fd, LOCK_SH), 0);
	check_refused(place);
	close(fd);
}

/* A file can be locked by all who may read it: a directory by most, this file by its owner. */
static void
test_other_users(void **state)
{
	const struct place *place = *state;
	int fd = open(place->directory, O_RDONLY);
	mode_t mask = umask(0);
	struct stat st;

	assert_int_equal(flock(fd, LOCK_EX), 0);
	close(take(place));
	umask(mask);
	assert_int_equal(stat(place->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	close(fd);
}

static void
check_without(const struct place *place, const char *why)
{
	struct error err = { "" };
	char want[200];
	int fd = 99;

	snprintf(want, sizeof(want),
	    "%s: cannot be locked: %s; nothing keeps a second agent out of here", place->path, why);
	assert_int_equal(dir_lock_take(place->directory, "--there", &fd, &err), 0);
	assert_int_equal(fd, -1);
	assert_string_equal(err.text, want);
}

static void
test_link(void **state)
{
	const struct place *place = *state;

	assert_int_equal(symlink("target", place->path), 0);
	check_without(place, strerror(ELOOP));
	assert_int_equal(access(place->beside, F_OK), -1);
}

static void
test_no_file(void **state)
{
	const struct place *place = *state;

	assert_int_equal(mkdir(place->path, 0700), 0);
	check_without(place, strerror(EISDIR));
}

/* As on a read-only disk: nothing can be written, but the file is there. */
static void
test_cannot_write(void **state)
{
	const struct place *place = *state;
	uid_t user = geteuid();

	close(take(place));
	assert_int_equal(chmod(place->path, 0400), 0);
	assert_int_equal(chmod(place->directory, 0500), 0);
	if (user == 0) { /* root may write everywhere */
		assert_int_equal(chown(place->path, 65534, (gid_t)-1), 0);
		assert_int_equal(chown(place->directory, 65534, (gid_t)-1), 0);
		assert_int_equal(seteuid(65534), 0);
	}
	close(take(place));
	assert_int_equal(seteuid(user), 0);
	assert_int_equal(chmod(place->directory, 0700), 0);
}

static void
test_no_directory(void **state)
{
	struct error err;
	int fd = -1;

	(void)state;
	assert_int_equal(dir_lock_take("/nowhere", "--there", &fd, &err), -ENOENT);
	assert_string_equal(err.text,
	    "/nowhere: cannot be opened: No such file or directory; make it, or use --there");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		AT_A_PLACE(test_one_at_a_time),
		AT_A_PLACE(test_shared_holder),
		AT_A_PLACE(test_other_users),
		AT_A_PLACE(test_link),
		AT_A_PLACE(test_no_file),
		AT_A_PLACE(test_cannot_write),
		cmocka_unit_test(test_no_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
