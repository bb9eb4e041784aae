/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The router module against the lab router over real SSH: what the owner hears, what reaches the
 * router, and that in the end the truth is known, whatever is lost, late, refused or garbage.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "router_rig.h"

static void
check_one_commit(const char *option)
{
	struct rig_box box;
	struct rig rig;

	rig_begin(&rig, &box, option);
	assert_int_equal(rig.statics.count, 1);
	assert_int_equal(rig.have.count, 0);
	assert_int_equal(rig.null_replies + rig.error_replies, 0);
	assert_true(router_session_is_up(rig.router, true));
	assert_true(router_session_is_up(rig.router, false));
	assert_ptr_equal(router_connected_to(rig.router), &rig.addresses[0]);
	assert_int_equal(router_get_stage(rig.router), ROUTER_IDLE);

	rig_commit(&rig, 5);
	assert_int_equal(rig.edits, 5);
	assert_string_equal(rig.detail, "");
	assert_true(rig.times.open_sent > 0 && rig.times.open_sent <= rig.times.load_sent &&
	            rig.times.load_sent <= rig.times.commit_sent &&
	            rig.times.commit_sent <= rig.times.committed &&
	            rig.times.committed <= rig.times.read_back);
	rig_commit(&rig, 2); /* three deletes */
	assert_int_equal(rig.edits, 3);
	rig_commit(&rig, 0);
	assert_int_equal(rig_number(&box, "commits"), 3);
	assert_int_equal(rig_number(&box, "open-instances"), 0);
	assert_int_equal(router_get_counters(rig.router)->commits, 3);
	assert_int_equal(router_get_counters(rig.router)->warnings, 0);
	rig_finish(&rig);
}

static void
test_commits(void **state)
{
	(void)state;
	check_one_commit("");
	check_one_commit("--base-1.1");
}

/* The open is on the wire when router_submit returns: the loop is not needed for it. */
static void
test_open_leaves_at_once(void **state)
{
	struct rig_box box;
	struct rig rig;
	unsigned long opens;
	char words[64];

	(void)state;
	rig_begin(&rig, &box, "");
	opens = rig_number(&box, "opens");
	rig_want(&rig, "a-ovr-v4", 1);
	rig_call(&rig, router_submit);
	snprintf(words, sizeof(words), "wait opens %lu", opens + 1);
	rig_ctl(&box, words);
	rig_await(&rig, "c");
	rig_finish(&rig);
}

static void
test_nothing_to_do(void **state)
{
	struct rig_box box;
	struct rig rig;

	(void)state;
	rig_begin(&rig, &box, "");
	rig_call(&rig, router_submit);
	rig_await(&rig, "?c");
	assert_int_equal(rig.edits, 0);
	assert_int_equal(rig_number(&box, "commits"), 0);
	assert_int_equal(rig_number(&box, "open-instances"), 0);
	rig_finish(&rig);
}

/* They travel in one commit with the lists, and are read back; the router really has the routes. */
static void
test_signal_routes(void **state)
{
	static const char *const texts[] = { "192.0.2.128/32", "2001:db8::128/128" };
	struct rig_box box;
	struct rig rig;
	struct prefix route;

	(void)state;
	rig_begin(&rig, &box, "");
	rig_want(&rig, "a-ovr-v4", 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(prefix_parse(texts[i], &route), 0);
		prefix_list_add(listset_list(&rig.want, LISTSET_SIGNAL_ROUTES), &route);
	}
	listset_sort(&rig.want);
	rig_call(&rig, router_submit);
	rig_await(&rig, "c");
	assert_int_equal(rig.edits, 4);
	assert_true(listset_equal(&rig.have, &rig.want));
	assert_int_equal(rig_number(&box, "commits"), 1);
	assert_int_equal(rig_number(&box, "discard-routes"), 2);

	prefix_parse(texts[0], &route);
	rig_want(&rig, LISTSET_SIGNAL_ROUTES, 0);
	prefix_list_add(listset_list(&rig.want, LISTSET_SIGNAL_ROUTES), &route);
	rig_call(&rig, router_submit);
	rig_await(&rig, "c");
	assert_int_equal(rig.edits, 1);
	assert_int_equal(rig_number(&box, "discard-routes"), 1);
	assert_non_null(strstr(rig_ctl(&box, "routes"), "inet.0 192.0.2.128/32 discard"));
	rig_finish(&rig);
}

/* A burst makes at most two commits: the leading edge, and what came while it ran. */
static void
test_burst(void **state)
{
	struct rig_box box;
	struct rig rig;
	int i;

	(void)state;
	rig_begin(&rig, &box, "");
	for (i = 1; i <= 10; i++) {
		rig_want(&rig, "a-ovr-v4", (size_t)i);
		rig_call(&rig, router_submit);
		if (i == 5)
			rig_await(&rig, "?");
	}
	rig_await(&rig, "c?c");
	rig_idle(&rig, 50);
	assert_true(rig_is_done(&rig));
	assert_int_equal(rig_number(&box, "commits"), 2);
	rig_finish(&rig);
}

static void
test_many_edits_in_parts(void **state)
{
	struct rig_box box;
	struct rig rig;
	unsigned long loads;

	(void)state;
	rig_begin(&rig, &box, "");
	loads = rig_number(&box, "loads");
	rig_commit(&rig, 70000);
	assert_int_equal(rig.edits, 70000);
	assert_int_equal(rig_number(&box, "loads") - loads, 2);
	assert_int_equal(rig_number(&box, "commits"), 1);
	rig_finish(&rig);
}

/* ---- refused ------------------------------------------------------------------------------- */

static void
test_locked(void **state)
{
	struct rig_box box;
	struct rig rig;

	(void)state;
	rig_begin(&rig, &box, "");
	rig_ctl(&box, "lock on autofbf");
	rig_want(&rig, "a-ovr-v4", 3);
	rig_call(&rig, router_submit);
	rig_await(&rig, "x");
	assert_non_null(strstr(rig.detail, "cannot be opened: "));
	assert_int_equal(router_get_stage(rig.router), ROUTER_BACKING_OFF);
	while (router_get_counters(rig.router)->refused < 3)
		rig_idle(&rig, 20);
	assert_int_equal(rig_count(&rig, 'x'), 1);
	assert_int_equal(rig_count(&rig, '?'), 0); /* no plan without the lock */
	rig_ctl(&box, "lock off autofbf");
	rig_await(&rig, "?c");
	assert_true(rig_is_done(&rig));
	rig_finish(&rig);
}

static void
test_load_refused(void **state)
{
	struct rig_box box;
	struct rig rig;

	(void)state;
	rig_begin(&rig, &box, "");
	rig_ctl(&box, "fault load error text 'no such thing'");
	rig_want(&rig, "a-ovr-v4", 3);
	rig_call(&rig, router_submit);
	rig_await(&rig, "?f");
	assert_non_null(strstr(rig.detail, "the load was refused: no such thing"));
	assert_int_equal(router_get_stage(rig.router), ROUTER_BACKING_OFF);
	rig_idle(&rig, 300);
	assert_int_equal(rig_count(&rig, '?'), 1); /* waits for another wish */
	assert_int_equal(rig_number(&box, "open-instances"), 0);
	rig_commit(&rig, 2);
	assert_int_equal(rig_number(&box, "commits"), 1);
	assert_int_equal(router_get_counters(rig.router)->load_errors, 1);
	rig_finish(&rig);
}

static void
test_database_full(void **state)
{
	struct rig_box box;
	struct rig rig;

	(void)state;
	rig_begin(&rig, &box, "");
	rig_ctl(&box, "fault load full");
	rig_want(&rig, "a-ovr-v4", 3);
	rig_call(&rig, router_submit);
	rig_await(&rig, "?d");
	assert_int_equal(router_get_stage(rig.router), ROUTER_BACKING_OFF);
	rig_call(&rig, router_submit);
	rig_idle(&rig, 100);
	assert_int_equal(rig_count(&rig, '?'), 1);
	rig_call(&rig, router_retry);
	rig_await(&rig, "?c");
	assert_true(rig_is_done(&rig));
	rig_finish(&rig);
}

static void
test_commit_refused(void **state)
{
	struct rig_box box;
	struct rig rig;

	(void)state;
	rig_begin(&rig, &box, "");
	rig_ctl(&box, "fault commit error text 'no commit today'");
	rig_want(&rig, "a-ovr-v4", 3);
	rig_call(&rig, router_submit);
	rig_await(&rig, "?Lf");
	assert_non_null(strstr(rig.detail, "the commit was refused: no commit today"));
	assert_int_equal(rig.have.count, 0);
	rig_finish(&rig);
}

static void
test_warning(void **state)
{
	struct rig_box box;
	struct rig rig;

	(void)state;
	rig_begin(&rig, &box, "");
	rig_ctl(&box, "fault load warning text 'statement not found'");
	rig_commit(&rig, 3);
	assert_non_null(strstr(rig.detail, "warning: statement not found"));
	rig_await(&rig, "A");
	assert_int_equal(router_get_counters(rig.router)->warnings, 1);
	rig_finish(&rig);
}

/* ---- lost ---------------------------------------------------------------------------------- */

struct loss {
	const char *name, *fault;
	const char *heard;
	bool applied;
	bool read_too; /* the read session is begun anew as well */
};

static const struct loss losses[] = {
	{ "open lost", "open lost-after", "leEL", false, false },
	{ "open silent", "open silent", "leEL", false, false },
	{ "open garbage", "open garbage", "leEL", false, false },
	{ "open with DTD", "open dtd", "leEL", false, false },
	{ "load lost, not applied", "load lost-before", "?leEL", false, false },
	{ "load lost", "load lost-after", "?leEL", false, false },
	{ "half a load reply", "load half", "?leEL", false, false },
	{ "commit lost, not applied", "commit lost-before", "?eELu", false, false },
	{ "commit lost, applied", "commit lost-after", "?eELu", true, false },
	{ "commit silent, applied", "commit silent", "?eELu", true, true },
	{ "commit garbage, applied", "commit garbage", "?eELu", true, false },
	{ "close lost", "close lost-after", "?eELc", true, false },
	{ "close silent", "close silent", "?eELc", true, false },
	{ "close refused", "close error", "?eELc", true, false },
	{ "verify lost", "get lost-after", "?eELc", true, false },
	{ "verify garbage", "get garbage", "?eELc", true, false },
	{ "verify refused: opened", "get error", "?Lc", true, false },
};

static void
check_loss(struct rig *rig, const struct loss *loss, size_t items)
{
	size_t reads = rig_count(rig, 'r');
	char words[100];

	snprintf(words, sizeof(words), "fault %s", loss->fault);
	rig_ctl(rig->box, words);
	rig_want(rig, "a-ovr-v4", items);
	rig_call(rig, router_submit);
	print_message("%s\n", loss->name);
	rig_await(rig, loss->heard);
	assert_int_equal(rig_is_done(rig), loss->applied);
	assert_int_equal(rig_count(rig, 'r') > reads, loss->read_too);
	if (!loss->applied)
		rig_commit(rig, items);
	assert_int_equal(rig_number(rig->box, "open-instances"), 0);
}

static void
test_losses(void **state)
{
	struct rig_box box;
	struct rig rig;
	size_t i;

	(void)state;
	rig_box_start(&box, "");
	rig_prepare(&rig, &box);
	rig.profile.router.reply_timeout_ms = 300;
	rig.profile.router.commit_timeout_ms = 300;
	rig_connect(&rig);
	rig_await(&rig, "L");
	for (i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		check_loss(&rig, &losses[i], i + 1);
	rig_finish(&rig);
}

/* The commit waits in the router, and the reply is late: what is read before the lock is free is
 * not believed. */
static void
test_commit_late(void **state)
{
	struct rig_box box;
	struct rig rig;

	(void)state;
	rig_box_start(&box, "");
	rig_prepare(&rig, &box);
	rig.profile.router.commit_timeout_ms = 200;
	rig_connect(&rig);
	rig_await(&rig, "L");
	rig_commit(&rig, 1);
	rig_ctl(&box, "fault commit slow number 600");
	rig_want(&rig, "a-ovr-v4", 4);
	rig_call(&rig, router_submit);
	rig_await(&rig, "eELu");
	if (!rig_is_done(&rig))
		rig_commit(&rig, 4);
	assert_int_equal(rig_number(&box, "open-instances"), 0);
	rig_finish(&rig);
}

/* With an argument: only the tests that match this pattern. */
int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commits),
		cmocka_unit_test(test_open_leaves_at_once),
		cmocka_unit_test(test_nothing_to_do),
		cmocka_unit_test(test_signal_routes),
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_many_edits_in_parts),
		cmocka_unit_test(test_locked),
		cmocka_unit_test(test_load_refused),
		cmocka_unit_test(test_database_full),
		cmocka_unit_test(test_commit_refused),
		cmocka_unit_test(test_warning),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_commit_late),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
