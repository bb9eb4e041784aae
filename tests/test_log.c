/* SPDX-License-Identifier: BSD-3-Clause */
/* Which lines are made: the level for all, and the levels of single tags; and that none waits. */
#define _GNU_SOURCE /* posix_openpt and the like */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error.h"
#include "log.h"

/* What poll(2) says of a pipe before another writer fills it, and of a terminal with room for one
 * byte. */
int
poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	(void)timeout_ms;
	for (nfds_t i = 0; i < count; i++)
		fds[i].revents = POLLOUT;
	return (int)count;
}

static void
count_line(void *arg, enum log_level level, const char *tag, const char *line)
{
	++*(unsigned *)arg;
	assert_string_equal(line, "line 1");
}

/* How many of the four levels are logged for the tag. */
static unsigned
count_levels(const char *tag, enum log_level max_level)
{
	unsigned count = 0;

	log_init(max_level, count_line, &count);
	log_error(tag, "line %d", 1);
	log_warn(tag, "line %d", 1);
	log_info(tag, "line %d", 1);
	log_debug(tag, "line %d", 1);
	return count;
}

static void
test_tag_levels(void **state)
{
	(void)state;
	assert_int_equal(count_levels("health", LOG_LEVEL_WARN), 2);
	assert_int_equal(log_set_tag_level("health", LOG_LEVEL_DEBUG), 0);
	assert_int_equal(log_set_tag_level("ssh", LOG_LEVEL_ERROR), 0);
	assert_int_equal(count_levels("health", LOG_LEVEL_WARN), 4);
	assert_int_equal(count_levels("ssh", LOG_LEVEL_WARN), 1);
	assert_int_equal(count_levels("healthy", LOG_LEVEL_WARN), 2);
	assert_int_equal(log_set_tag_level("health", LOG_LEVEL_INFO), 0);
	assert_int_equal(count_levels("health", LOG_LEVEL_DEBUG), 3);
	assert_int_equal(log_set_tag_level("health", LOG_LEVEL_COUNT), 0);
	assert_int_equal(log_set_tag_level("health", LOG_LEVEL_COUNT), 0);
	assert_int_equal(count_levels("health", LOG_LEVEL_WARN), 2);
	assert_int_equal(count_levels("ssh", LOG_LEVEL_DEBUG), 1);
	assert_int_equal(log_set_tag_level("ssh", LOG_LEVEL_COUNT), 0);
	assert_int_equal(count_levels("ssh", LOG_LEVEL_DEBUG), 4);
}

static void
keep_line(void *arg, enum log_level level, const char *tag, const char *line)
{
	(void)level;
	(void)tag;
	snprintf(arg, 100, "%s", line);
}

static void
test_one_line(void **state)
{
	char kept[100];

	(void)state;
	log_init(LOG_LEVEL_INFO, keep_line, kept);
	log_info("router", "%s", "locked by:\n  luke\x1b[31m\x7f");
	assert_string_equal(kept, "locked by:   luke [31m ");
}

static void
test_too_many(void **state)
{
	char tag[40];

	(void)state;
	assert_int_equal(log_set_tag_level("", LOG_LEVEL_INFO), -EINVAL);
	memset(tag, 'x', 32);
	tag[32] = '\0';
	assert_int_equal(log_set_tag_level(tag, LOG_LEVEL_INFO), -EINVAL);
	for (int i = 0; i < 16; i++) {
		snprintf(tag, sizeof(tag), "t%d", i);
		assert_int_equal(log_set_tag_level(tag, LOG_LEVEL_ERROR), 0);
	}
	assert_int_equal(log_set_tag_level("one-more", LOG_LEVEL_ERROR), -ENOSPC);
	assert_int_equal(log_set_tag_level("t7", LOG_LEVEL_DEBUG), 0);
	assert_int_equal(count_levels("t7", LOG_LEVEL_ERROR), 4);
	for (int i = 0; i < 16; i++) {
		snprintf(tag, sizeof(tag), "t%d", i);
		assert_int_equal(log_set_tag_level(tag, LOG_LEVEL_COUNT), 0);
	}
	assert_int_equal(log_set_tag_level("one-more", LOG_LEVEL_ERROR), 0);
	assert_int_equal(log_set_tag_level("one-more", LOG_LEVEL_COUNT), 0);
}

static bool
is_tag(const char *tag, size_t size)
{
	for (const char *const *at = log_tags; *at; at++)
		if (strlen(*at) == size && strncmp(*at, tag, size) == 0)
			return true;
	return false;
}

enum { DATAGRAM_SIZE = 1300 };

static int
make_syslogd(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* The next line without its head; "": there is none. */
static const char *
next_line(int fd, char text[DATAGRAM_SIZE])
{
	ssize_t size = recv(fd, text, DATAGRAM_SIZE - 1, 0);
	const char *end;

	if (size < 0)
		return "";
	text[size] = '\0';
	end = strstr(text, "]: ");
	assert_non_null(end);
	return end + 3;
}

/* A full socket takes no line; the next that it takes comes with how many were lost. A daemon that
 * begins anew is found again. */
static void
test_syslog_daemon(void **state)
{
	char path[] = "/tmp/test_log_XXXXXX", text[DATAGRAM_SIZE], want[80];
	unsigned sent = 5000, taken = 0;
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	unlink(path);
	fd = make_syslogd(path);
	log_init(LOG_LEVEL_INFO, NULL, NULL);
	assert_int_equal(log_to_syslog(path, "autofbfd"), 0);
	for (unsigned i = 0; i < sent; i++)
		log_info("health", "line %u", i);
	for (const char *line; *(line = next_line(fd, text)); taken++) {
		snprintf(want, sizeof(want), "health: line %u", taken);
		assert_string_equal(line, want);
	}
	assert_in_range(taken, 1, sent - 1);
	log_info("health", "after");
	snprintf(
	    want, sizeof(want), "agent: the syslog socket did not take %u lines", sent - taken);
	assert_string_equal(next_line(fd, text), want);
	assert_string_equal(next_line(fd, text), "health: after");
	close(fd);
	log_info("health", "nobody is there");
	unlink(path);
	fd = make_syslogd(path);
	log_info("health", "again");
	assert_string_equal(next_line(fd, text), "agent: the syslog socket did not take 1 line");
	assert_string_equal(next_line(fd, text), "health: again");
	assert_string_equal(next_line(fd, text), "");
	close(fd);
	unlink(path);
	log_init(LOG_LEVEL_INFO, NULL, NULL);
}

/* Nobody is there at the start: no line goes anywhere until somebody is. */
static void
test_syslog_daemon_comes_later(void **state)
{
	char path[] = "/tmp/test_log_XXXXXX", text[DATAGRAM_SIZE];
	int fd = mkstemp(path);

	(void)state;
	close(fd);
	unlink(path);
	log_init(LOG_LEVEL_INFO, NULL, NULL);
	assert_int_equal(log_to_syslog(path, "autofbfd"), -ENOENT);
	log_info("health", "nobody is there");
	fd = make_syslogd(path);
	log_info("health", "now");
	assert_string_equal(next_line(fd, text), "agent: the syslog socket did not take 1 line");
	assert_string_equal(next_line(fd, text), "health: now");
	close(fd);
	unlink(path);
	log_init(LOG_LEVEL_INFO, NULL, NULL);
}

/* As read(2) until there is nothing; the caller frees it. */
static char *
read_what_is_there(int fd)
{
	enum { MOST = 4 << 20 };
	char *text = calloc(MOST, 1);
	size_t size = 0;
	ssize_t n;

	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	while (size < MOST - 1 && (n = read(fd, text + size, MOST - 1 - size)) > 0)
		size += (size_t)n;
	return text;
}

/* Each line is whole, and they are those that were logged first; how many. */
static unsigned
check_lines(char *text)
{
	unsigned count = 0;
	char want[40], *rest;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		snprintf(want, sizeof(want), " info  health: line %u", count++);
		assert_string_equal(line + strcspn(line, " "), want);
	}
	return count;
}

enum { LINES = 20000, FAR_TOO_LONG_S = 60 };

/* What a log line costs when nobody reads standard error: nothing but the line. ends[1] is written
 * to, and both are closed. */
static void
check_unread_stderr(int ends[2])
{
	int kept = dup(STDERR_FILENO);
	unsigned taken;
	char want[80], *text;

	assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
	log_init(LOG_LEVEL_INFO, NULL, NULL);
	alarm(FAR_TOO_LONG_S); /* ends a test that waits for its reader */
	for (unsigned i = 0; i < LINES; i++)
		log_info("health", "line %u", i);
	alarm(0);
	text = read_what_is_there(ends[0]);
	taken = check_lines(text);
	free(text);
	log_info("health", "after");
	assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
	log_init(LOG_LEVEL_INFO, NULL, NULL);
	assert_in_range(taken, 1, LINES - 1);
	text = read_what_is_there(ends[0]);
	snprintf(want, sizeof(want), " warn  agent: standard error did not take %u lines\n",
	    LINES - taken);
	assert_non_null(strstr(text, want));
	assert_non_null(strstr(text, " info  health: after\n"));
	free(text);
	close(kept);
	close(ends[0]);
	close(ends[1]);
}

static void
test_journal_does_not_read(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	check_unread_stderr(ends);
}

static void
test_pipe_is_not_read(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	check_unread_stderr(ends);
}

static void
test_terminal_stands_still(void **state)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), kept = dup(STDERR_FILENO), user;

	(void)state;
	assert_int_equal(grantpt(terminal), 0);
	assert_int_equal(unlockpt(terminal), 0);
	user = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	assert_int_equal(dup2(user, STDERR_FILENO), STDERR_FILENO);
	log_init(LOG_LEVEL_INFO, NULL, NULL);
	alarm(FAR_TOO_LONG_S);
	for (unsigned i = 0; i < LINES; i++)
		log_info("health", "line %u", i);
	alarm(0);
	assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
	log_init(LOG_LEVEL_INFO, NULL, NULL);
	close(kept);
	close(user);
	close(terminal);
}

/* A file is not opened anew: what others wrote to it would be written over. */
static void
test_file_goes_on(void **state)
{
	char path[] = "/tmp/test_log_XXXXXX", text[200] = "";
	int fd = mkstemp(path), kept = dup(STDERR_FILENO);

	(void)state;
	assert_int_equal(write(fd, "first\n", 6), 6);
	assert_int_equal(dup2(fd, STDERR_FILENO), STDERR_FILENO);
	log_init(LOG_LEVEL_INFO, NULL, NULL);
	log_info("health", "line");
	assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
	log_init(LOG_LEVEL_INFO, NULL, NULL);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	assert_memory_equal(text, "first\n", 6);
	assert_non_null(strstr(text, " info  health: line\n"));
	close(kept);
	close(fd);
	unlink(path);
}

/* A process that cannot go on ends, so that it is started again, read or not. */
static void
test_fatal_is_not_read(void **state)
{
	int ends[2], status;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		close(ends[0]);
		assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
		while (write(ends[1], "x", 1) == 1)
			;
		assert_int_equal(fcntl(ends[1], F_SETFL, 0), 0);
		dup2(ends[1], STDERR_FILENO);
		fatal("out of memory");
	}
	alarm(FAR_TOO_LONG_S);
	assert_int_equal(waitpid(child, &status, 0), child);
	alarm(0);
	assert_true(WIFSIGNALED(status));
	close(ends[0]);
	close(ends[1]);
}

/* Text between the quotes that follow each call; what is no literal is left out. */
static void
check_calls(const char *path, const char *text, const char *call)
{
	for (const char *at = text; (at = strstr(at, call)); at++) {
		const char *tag = at + strlen(call);

		tag += strspn(tag, " \t\n");
		if (*tag == '"' && !is_tag(tag + 1, strcspn(tag + 1, "\"")))
			fail_msg("%s: not in log_tags: %.*s", path, (int)strcspn(tag + 1, "\""),
			    tag + 1);
	}
}

/* Whatever the agent logs or records can be named by an operator. */
static void
test_tags_are_complete(void **state)
{
	static const char *const calls[] = { "log_error(", "log_warn(", "log_info(", "log_debug(",
		"agent_record(agent,", ".kind =" };
	glob_t files;

	(void)state;
	assert_int_equal(glob("agent/*.c", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		FILE *file = fopen(files.gl_pathv[i], "r");
		char *text = NULL;
		size_t size = 0;

		assert_non_null(file);
		assert_true(getdelim(&text, &size, '\0', file) > 0);
		for (size_t c = 0; c < sizeof(calls) / sizeof(calls[0]); c++)
			check_calls(files.gl_pathv[i], text, calls[c]);
		free(text);
		fclose(file);
	}
	globfree(&files);
	for (size_t i = 0; log_tags[i + 1]; i++)
		assert_true(strcmp(log_tags[i], log_tags[i + 1]) < 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_tag_levels),
		cmocka_unit_test(test_one_line), cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_syslog_daemon),
		cmocka_unit_test(test_syslog_daemon_comes_later),
		cmocka_unit_test(test_journal_does_not_read),
		cmocka_unit_test(test_pipe_is_not_read),
		cmocka_unit_test(test_terminal_stands_still), cmocka_unit_test(test_file_goes_on),
		cmocka_unit_test(test_fatal_is_not_read),
		cmocka_unit_test(test_tags_are_complete) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
