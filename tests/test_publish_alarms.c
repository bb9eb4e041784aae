/* SPDX-License-Identifier: BSD-3-Clause */
/* What managers are told of alarms, whoever restarts when, and whatever the agent suppresses. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/publish/alarms.h"
#include "../tools/publish/node.h"
#include "error.h"
#include "profile_yang.h"

struct fixture {
	struct ly_ctx *ctx;
	struct alarms *alarms;
	struct mtime now;
	bool master; /* somebody takes what is told */
	char told[400];
};

static int
setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct error err;

	assert_int_equal(profile_yang_context("yang", &fixture->ctx, &err), 0);
	fixture->alarms = alarms_new();
	fixture->master = true;
	*state = fixture;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *fixture = *state;

	alarms_free(fixture->alarms);
	ly_ctx_destroy(fixture->ctx);
	free(fixture);
	return 0;
}

/* A state with one alarm for each letter: its type and key are that letter. */
static struct lyd_node *
make_state(const struct fixture *fixture, const char *letters)
{
	const struct lys_module *module = ly_ctx_get_module_implemented(fixture->ctx, "autofbf");
	struct lyd_node *state, *entry;

	assert_int_equal(lyd_new_inner(NULL, module, "state", false, &state), LY_SUCCESS);
	lyd_new_term(state, NULL, "now", "2026-11-30T03:00:00.000000Z", false, NULL);
	for (; *letters; letters++) {
		char name[2] = { *letters, '\0' };

		assert_int_equal(
		    lyd_new_list(state, NULL, "alarm", false, &entry, name, name), LY_SUCCESS);
	}
	return state;
}

static bool
take(void *arg, const struct lyd_node *alarm, uint32_t index, int64_t cleared_us)
{
	struct fixture *fixture = arg;
	size_t used = strlen(fixture->told);

	if (!fixture->master)
		return false;
	snprintf(fixture->told + used, sizeof(fixture->told) - used, "%s%s%u ",
	    cleared_us ? "-" : "+", node_text(alarm, "type"), index);
	return true;
}

/* A step of time, and what was told at its end since the last look. */
static void
expect_told(struct fixture *fixture, int64_t ms, const char *wanted)
{
	fixture->now = mtime_add_ms(fixture->now, ms);
	fixture->told[0] = '\0';
	alarms_tell(fixture->alarms, fixture->now, take, fixture);
	assert_string_equal(fixture->told, wanted);
}

static void
sync(struct fixture *fixture, const char *letters, bool is_first)
{
	struct lyd_node *state = make_state(fixture, letters);

	alarms_sync(fixture->alarms, state, is_first, fixture->now);
	lyd_free_all(state);
}

static void
notify(struct fixture *fixture, const char *letter, bool is_raised)
{
	struct lyd_node *state = make_state(fixture, letter);
	const struct lyd_node *alarm = node_find(state, "alarm");

	if (is_raised)
		alarms_raise(fixture->alarms, alarm, fixture->now);
	else
		alarms_clear(fixture->alarms, alarm, fixture->now);
	lyd_free_all(state);
}

static void
test_raised_and_cleared(void **state)
{
	struct fixture *fixture = *state;

	notify(fixture, "a", true);
	expect_told(fixture, 0, "+a1 ");
	sync(fixture, "a", false);
	expect_told(fixture, 0, "");
	notify(fixture, "a", false);
	expect_told(fixture, 0, "-a1 ");
	expect_told(fixture, 100000, "");
	notify(fixture, "a", true);
	expect_told(fixture, 0, "+a2 "); /* another alarm, another index */
}

/* Raised while we had no session: told with the first state. */
static void
test_missed_notifications(void **state)
{
	struct fixture *fixture = *state;

	sync(fixture, "ab", true);
	expect_told(fixture, 0, "+a1 +b2 ");
	sync(fixture, "bc", true);
	expect_told(fixture, 0, "-a1 +c3 ");
}

/* Suppressed by the agent: told when it has stood, or is gone, for a minute. */
static void
test_suppressed(void **state)
{
	struct fixture *fixture = *state;

	sync(fixture, "", true);
	sync(fixture, "a", false);
	expect_told(fixture, 59999, "");
	sync(fixture, "a", false);
	expect_told(fixture, 1, "+a1 ");
	sync(fixture, "", false);
	expect_told(fixture, 59999, "");
	expect_told(fixture, 1, "-a1 ");
}

/* Came and went unseen: nothing to tell, nothing left behind. */
static void
test_short_one(void **state)
{
	struct fixture *fixture = *state;
	struct lyd_node *tree = make_state(fixture, "a");

	sync(fixture, "a", false);
	sync(fixture, "", false);
	expect_told(fixture, 100000, "");
	assert_int_equal(alarms_index(fixture->alarms, node_find(tree, "alarm")), 0);
	lyd_free_all(tree);
}

static void
test_no_master(void **state)
{
	struct fixture *fixture = *state;

	notify(fixture, "a", true);
	expect_told(fixture, 0, "+a1 ");
	fixture->master = false;
	notify(fixture, "a", false);
	notify(fixture, "b", true);
	notify(fixture, "c", true);
	expect_told(fixture, 0, "");
	notify(fixture, "c", false);
	expect_told(fixture, 1000, "");
	fixture->master = true;
	expect_told(fixture, 1000, "-a1 +b2 ");
	expect_told(fixture, 1000, "");
}

/* A worse severity is raised again; a clear of what nobody knows is nothing. */
static void
test_raised_again(void **state)
{
	struct fixture *fixture = *state;

	notify(fixture, "a", true);
	expect_told(fixture, 0, "+a1 ");
	notify(fixture, "a", true);
	expect_told(fixture, 0, "+a1 ");
	notify(fixture, "z", false);
	expect_told(fixture, 0, "");
}

/* Told before our start, or not: the first state decides. */
static void
test_assumed(void **state)
{
	struct fixture *fixture = *state;
	struct lyd_node *tree = make_state(fixture, "u");
	const struct lyd_node *alarm = node_find(tree, "alarm");

	alarms_assume_told(fixture->alarms, alarm);
	expect_told(fixture, 100000, "");
	sync(fixture, "", true);
	expect_told(fixture, 0, "-u1 ");
	alarms_assume_told(fixture->alarms, alarm);
	alarms_raise(fixture->alarms, alarm, fixture->now);
	expect_told(fixture, 0, "+u2 ");
	lyd_free_all(tree);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_raised_and_cleared, setup, teardown),
		cmocka_unit_test_setup_teardown(test_missed_notifications, setup, teardown),
		cmocka_unit_test_setup_teardown(test_suppressed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_short_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_master, setup, teardown),
		cmocka_unit_test_setup_teardown(test_raised_again, setup, teardown),
		cmocka_unit_test_setup_teardown(test_assumed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
