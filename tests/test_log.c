/* SPDX-License-Identifier: BSD-3-Clause */
/* Which lines are made: the level for all, and the levels of single tags. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "log.h"

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

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_tag_levels),
		cmocka_unit_test(test_too_many) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
