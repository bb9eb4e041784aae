/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The router module against the lab router: connecting, polls and audits, and bad answers to them.
 * Only what can be believed is handed out, and each cause is told once.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "router_rig.h"

/* ---- reading ------------------------------------------------------------------------------- */

static const char *const bad_reads[] = { "garbage", "dtd", "half", "silent", "lost-before",
	"big number 65" };

static void
test_bad_reads(void **state)
{
	struct rig_box box;
	struct rig rig;
	size_t i, failures = 0;

	(void)state;
	rig_box_start(&box, "");
	rig_prepare(&rig, &box);
	rig.profile.router.reply_timeout_ms = 1000;
	rig_connect(&rig);
	rig_await(&rig, "L");
	while (rig_count(&rig, 'P') == 0)
		rig_await(&rig, "P");
	for (i = 0; i < sizeof(bad_reads) / sizeof(bad_reads[0]); i++) {
		char words[100];

		print_message("%s\n", bad_reads[i]);
		snprintf(words, sizeof(words), "fault show %s", bad_reads[i]);
		rig_ctl(&box, words);
		rig_call(&rig, router_poll_now);
		rig_await(&rig, "P");
		assert_int_equal(rig.null_replies, 4);
		assert_int_equal(router_get_counters(rig.router)->poll_failures, ++failures);
		rig_await(&rig, "rP");
		assert_int_equal(rig.null_replies, 0);
		rig_ctl(&box, "fault clear");
	}
	assert_int_equal(rig_count(&rig, 'e'), 0); /* the edit session never noticed */
	rig_finish(&rig);
}

/* A router that talks garbage for ever is told once, not at every attempt. */
static void
test_told_once(void **state)
{
	struct rig_box box;
	struct rig rig;

	(void)state;
	rig_begin(&rig, &box, "");
	rig_ctl(&box, "fault show garbage always");
	rig_call(&rig, router_poll_now);
	rig_await(&rig, "Pr");
	while (router_get_counters(rig.router)->reconnects < 3)
		rig_idle(&rig, 20);
	assert_int_equal(rig_count(&rig, 'r'), 1);
	assert_int_equal(rig_count(&rig, 'R'), 1);
	rig_ctl(&box, "fault clear");
	rig_await(&rig, "R");
	rig_finish(&rig);
}

static void
test_rpd_off(void **state)
{
	struct rig_box box;
	struct rig rig;

	(void)state;
	rig_begin(&rig, &box, "");
	rig_ctl(&box, "rpd off");
	rig_call(&rig, router_poll_now);
	rig_await(&rig, "P");
	assert_int_equal(rig.null_replies, 0);
	assert_true(rig.error_replies >= 2);
	assert_int_equal(rig_count(&rig, 'r'), 0);
	rig_finish(&rig);
}

static void
test_audit_sees_static_commit(void **state)
{
	struct rig_box box;
	struct rig rig;
	unsigned long opens;
	char words[200];

	(void)state;
	rig_begin(&rig, &box, "");
	rig_commit(&rig, 3);
	opens = rig_number(&box, "opens");
	rig_write(&box, "second.xml",
	    "<configuration><system><configuration-database><ephemeral><instance><name>autofbf</"
	    "name>"
	    "</instance></ephemeral></configuration-database></system>"
	    "<policy-options><prefix-list><name>b</name></prefix-list>"
	    "</policy-options></configuration>");
	snprintf(words, sizeof(words), "static set %s/second.xml user joe", box.dir);
	rig_ctl(&box, words);
	rig_call(&rig, router_audit_now);
	rig_await(&rig, "A");
	assert_null(listset_find(&rig.statics, "a-base-v4"));
	assert_true(rig_is_done(&rig));
	assert_int_equal(rig_number(&box, "opens"), opens); /* without opening */
	rig_finish(&rig);
}

/* Somebody emptied the instance: only an open proves it. */
static void
test_audit_confirms_empty(void **state)
{
	struct rig_box box;
	struct rig rig, other;
	unsigned long opens;

	(void)state;
	rig_begin(&rig, &box, "");
	rig_commit(&rig, 3);
	rig_prepare(&other, &box);
	rig_connect(&other);
	rig_await(&other, "L");
	rig_commit(&other, 0);
	rig_end(&other);
	opens = rig_number(&box, "opens");
	rig_call(&rig, router_audit_now);
	rig_await(&rig, "A");
	assert_int_equal(rig_number(&box, "opens"), opens + 1);
	assert_false(rig_is_done(&rig));
	rig_call(&rig, router_audit_now); /* now it is expected */
	rig_await(&rig, "A");
	assert_int_equal(rig_number(&box, "opens"), opens + 1);
	rig_commit(&rig, 3);
	rig_finish(&rig);
}

/* ---- what is watched ------------------------------------------------------------------------ */

static const char routes_xml[] =
    "<configuration><system><configuration-database><ephemeral><instance><name>autofbf</name>"
    "</instance></ephemeral></configuration-database></system><routing-options><static><route>"
    "<name>203.0.113.0/26</name><discard/></route></static></routing-options></configuration>";

/* Routes come with the poll, counters after it. */
static void
test_watch(void **state)
{
	struct router_route routes[] = { { .table = "inet.0" }, { .table = "inet.0" },
		{ .table = "cgn-out.inet.0" } };
	const char *const interfaces[] = { "ae0.100", "ae0.110" };
	const char *const filters[] = { "cgn-inside-v4", "cgn-inside-v6" };
	const struct router_watch watch = { routes, 3, interfaces, 2, filters, 2 };
	struct rig_box box;
	struct rig rig;
	char words[200];

	(void)state;
	assert_int_equal(prefix_parse("203.0.113.0/26", &routes[0].destination), 0);
	assert_int_equal(prefix_parse("203.0.113.0/27", &routes[1].destination), 0);
	assert_int_equal(prefix_parse("203.0.113.0/26", &routes[2].destination), 0);
	rig_begin(&rig, &box, "");
	rig_write(&box, "second.xml", routes_xml);
	snprintf(words, sizeof(words), "static set %s/second.xml", box.dir);
	rig_ctl(&box, words);
	router_set_watch(rig.router, &watch);
	rig.fault_after_poll = "fault any error text busy times 4";
	rig_call(&rig, router_poll_now);
	rig_await(&rig, "PIIFF");
	assert_int_equal(rig.routes_found, 1); /* exactly the prefix, and in the table */
	assert_int_equal(rig.counter_errors, 4);
	assert_int_equal(rig.counter_failures, 0);
	assert_int_equal(rig.null_replies + rig.error_replies, 0);
	assert_int_equal(router_get_counters(rig.router)->poll_failures, 0);
	assert_int_equal(rig_count(&rig, 'r'), 0);
	rig_finish(&rig);
}

/* Whatever ends a session while a counter is asked costs one session. Its kind is spared after
 * that, with the reason in its place; the poll and the other kind go on. */
static void
test_bad_counters(void **state)
{
	static const struct {
		const char *fault, *reason;
		uint32_t timeout_ms;
	} rows[] = { { "silent", "no reply in 500 ms", 500 }, { "half", "500 ms", 500 },
		{ "garbage", "cannot be read", 5000 }, { "big number 65", "a message over", 5000 },
		{ "lost-before", "", 5000 } };
	static const char *const interfaces[] = { "ae0.100" }, *const filters[] = { "f", "g" };
	const struct router_watch watch = { .interfaces = interfaces,
		.interface_count = 1,
		.filters = filters,
		.filter_count = 2 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rig_box box;
		struct rig rig;
		char words[100];

		print_message("%s\n", rows[i].fault);
		rig_box_start(&box, "");
		rig_prepare(&rig, &box);
		rig.profile.router.reply_timeout_ms = rows[i].timeout_ms;
		rig_connect(&rig);
		rig_await(&rig, "L");
		while (rig_count(&rig, 'P') == 0)
			rig_await(&rig, "P");
		router_set_watch(rig.router, &watch);
		rig_call(&rig, router_poll_now);
		rig_await(&rig, "PIFF");
		snprintf(words, sizeof(words), "fault any %s", rows[i].fault);
		rig.fault_after_interface = words;
		rig_call(&rig, router_poll_now);
		rig_await(&rig, "PIrPFF");
		assert_int_equal(rig.counter_failures, 2);
		if (!strstr(rig.failure, rows[i].reason))
			fail_msg("%s", rig.failure);
		for (size_t poll = 0; poll < 3; poll++) {
			rig_call(&rig, router_poll_now);
			rig_await(&rig, "PIFF");
		}
		assert_int_equal(rig.counter_failures, 8);
		assert_int_equal(rig_count(&rig, 'r'), 1);
		assert_int_equal(rig.null_replies, 0);
		rig_finish(&rig);
	}
}

/* For ever would be a lie when the router has been mended. */
static void
test_bad_counters_are_tried_again(void **state)
{
	static const char *const filters[] = { "f" };
	const struct router_watch watch = { .filters = filters, .filter_count = 1 };
	struct rig_box box;
	struct rig rig;

	(void)state;
	rig_begin(&rig, &box, "");
	router_set_watch(rig.router, &watch);
	rig.fault_after_poll = "fault any garbage";
	rig_call(&rig, router_poll_now);
	rig_await(&rig, "PrPF");
	for (size_t poll = 0; poll < 29; poll++) {
		rig_call(&rig, router_poll_now);
		rig_await(&rig, "PF");
	}
	assert_int_equal(rig.counter_failures, 29);
	rig_call(&rig, router_poll_now);
	rig_await(&rig, "PF");
	assert_int_equal(rig.counter_failures, 29);
	rig_finish(&rig);
}

/* ---- questions of others --------------------------------------------------------------------- */

static void
test_questions(void **state)
{
	struct rig_box box;
	struct rig rig;
	char words[200];

	(void)state;
	rig_begin(&rig, &box, "");
	rig_write(&box, "second.xml", routes_xml);
	snprintf(words, sizeof(words), "static set %s/second.xml", box.dir);
	rig_ctl(&box, words);
	rig_ask(&rig, ROUTER_QUESTION_STATIC, NULL, NULL);
	rig_await(&rig, "a");
	assert_non_null(strstr(rig.answer, "<name>203.0.113.0/26</name>"));
	assert_null(strstr(rig.answer, "configuration-database")); /* not asked for */
	rig_ask(&rig, ROUTER_QUESTION_ROUTE, "inet.0", "203.0.113.7");
	rig_await(&rig, "a");
	assert_non_null(strstr(rig.answer, "<rt-destination>203.0.113.0/26</rt-destination>"));
	rig_commit(&rig, 2);
	rig_ask(&rig, ROUTER_QUESTION_INSTANCE, NULL, NULL);
	rig_await(&rig, "a");
	assert_non_null(strstr(rig.answer, "a-ovr-v4"));
	assert_int_equal(rig_count(&rig, 'r'), 0);
	rig_finish(&rig);
}

/* Whoever asks may go away at any time; the router may, too. */
static void
test_questions_die(void **state)
{
	struct router_ask *asks[ROUTER_ASKS_MOST];
	struct rig_box box;
	struct rig rig;
	size_t i;

	(void)state;
	rig_begin(&rig, &box, "");
	for (i = 0; i < ROUTER_ASKS_MOST; i++)
		asks[i] = rig_ask(&rig, ROUTER_QUESTION_STATIC, NULL, NULL);
	assert_null(rig_ask(&rig, ROUTER_QUESTION_STATIC, NULL, NULL));
	assert_non_null(strstr(rig.detail, "4 questions"));
	router_ask_free(asks[0]); /* sent */
	router_ask_free(asks[2]); /* waiting */
	rig_await(&rig, "aa");
	rig_ctl(&box, "fault get lost-before");
	for (i = 0; i < 2; i++)
		rig_ask(&rig, ROUTER_QUESTION_STATIC, NULL, NULL);
	rig_await(&rig, "nnr");
	assert_non_null(strstr(rig.answer, "the router was lost"));
	assert_null(rig_ask(&rig, ROUTER_QUESTION_STATIC, NULL, NULL));
	assert_non_null(strstr(rig.detail, "not connected"));
	rig_await(&rig, "RP");
	rig_ask(&rig, ROUTER_QUESTION_INSTANCE, NULL, NULL);
	rig_await(&rig, "a");
	assert_int_equal(rig_count(&rig, 'r'), 1);
	rig_finish(&rig);
}

/* Each reply of a poll comes in time, and all of them take longer than somebody should wait. */
static void
test_question_overdue(void **state)
{
	struct rig_box box;
	struct rig rig;

	(void)state;
	rig_box_start(&box, "");
	rig_prepare(&rig, &box);
	rig.profile.router.reply_timeout_ms = 1200;
	rig_connect(&rig);
	rig_await(&rig, "L");
	while (rig_count(&rig, 'P') == 0)
		rig_await(&rig, "P");
	rig_ctl(&box, "fault show slow number 800 always");
	router_poll_now(rig.router);
	rig_ask(&rig, ROUTER_QUESTION_STATIC, NULL, NULL);
	rig_await(&rig, "n");
	assert_non_null(strstr(rig.answer, "the router has not answered within 2.4 s"));
	rig_ctl(&box, "fault clear");
	rig_await(&rig, "P");
	rig_ask(&rig, ROUTER_QUESTION_INSTANCE, NULL, NULL);
	rig_await(&rig, "a");
	assert_int_equal(rig_count(&rig, 'r'), 0);
	rig_finish(&rig);
}

/* Filters of 17 MiB. */
static void
write_big_configuration(struct rig_box *box)
{
	char *line = malloc((1 << 20) + 1), path[128];
	FILE *file;

	memset(line, 'x', 1 << 20);
	line[1 << 20] = '\0';
	snprintf(path, sizeof(path), "%s/big.xml", box->dir);
	file = fopen(path, "w");
	fputs("<configuration><system><configuration-database><ephemeral><instance>"
	      "<name>autofbf</name></instance></ephemeral></configuration-database></system>"
	      "<firewall>",
	    file);
	for (int i = 0; i < 17; i++)
		fprintf(
		    file, "<filter><name>%d</name><description>%s</description></filter>", i, line);
	fputs("</firewall></configuration>", file);
	fclose(file);
	free(line);
}

static void
test_big_answer(void **state)
{
	struct rig_box box;
	struct rig rig;
	char words[200];

	(void)state;
	rig_begin(&rig, &box, "");
	write_big_configuration(&box);
	snprintf(words, sizeof(words), "static set %s/big.xml", box.dir);
	rig_ctl(&box, words);
	rig_ask(&rig, ROUTER_QUESTION_STATIC, NULL, NULL);
	rig_await(&rig, "n");
	assert_non_null(strstr(rig.answer, "16777216 are the limit"));
	assert_int_equal(rig_count(&rig, 'r'), 0);
	rig_finish(&rig);
}

/* The last owner of a question need not be alive when the router goes. */
static void
test_questions_outlive(void **state)
{
	struct router_ask *ask;
	struct rig_box box;
	struct rig rig;

	(void)state;
	rig_begin(&rig, &box, "");
	ask = rig_ask(&rig, ROUTER_QUESTION_STATIC, NULL, NULL);
	assert_non_null(ask);
	router_free(rig.router);
	assert_int_equal(rig_count(&rig, 'n'), 1);
	assert_non_null(strstr(rig.answer, "closes the session"));
	rig.router = NULL;
	rig_finish(&rig);
}

/* ---- connecting ---------------------------------------------------------------------------- */

static void
test_connect_while_locked(void **state)
{
	struct rig_box box;
	struct rig rig, second;

	(void)state;
	rig_begin(&rig, &box, "");
	rig_ctl(&box, "lock on autofbf");
	rig_prepare(&second, &box);
	rig_connect(&second);
	rig_await(&second, "E");
	rig_idle(&second, 400);
	assert_int_equal(rig_count(&second, 'x'), 1);
	assert_int_equal(rig_count(&second, 'L'), 0); /* empty proves nothing */
	assert_int_equal(router_get_stage(second.router), ROUTER_BACKING_OFF);
	rig_ctl(&box, "lock off autofbf");
	rig_await(&second, "L");
	rig_end(&second);

	rig_commit(&rig, 2);
	rig_ctl(&box, "lock on autofbf");
	rig_prepare(&second, &box);
	rig_connect(&second);
	rig_await(&second, "L"); /* not empty: believed without the lock */
	assert_int_equal(second.have.count, 1);
	rig_end(&second);
	rig_finish(&rig);
}

static void
test_reboot(void **state)
{
	struct rig_box box;
	struct rig rig;

	(void)state;
	rig_begin(&rig, &box, "");
	rig_commit(&rig, 3);
	rig_ctl(&box, "reboot empty for 500");
	rig_await(&rig, "L");
	assert_int_equal(rig.have.count, 0);
	assert_true(rig_count(&rig, 'e') >= 1);
	rig_commit(&rig, 3);
	rig_finish(&rig);
}

static void
test_second_address(void **state)
{
	struct rig_box box;
	struct rig rig;

	(void)state;
	rig_box_start(&box, "");
	rig_prepare(&rig, &box);
	rig.addresses[1] = rig.addresses[0];
	assert_int_equal(ip_parse("127.0.0.2", &rig.addresses[0]), 0);
	rig.profile.router.address_count = 2;
	rig_connect(&rig);
	rig_await(&rig, "eEL");
	assert_ptr_equal(router_connected_to(rig.router), &rig.addresses[1]);
	rig_finish(&rig);
}

static void
test_wrong_host_key(void **state)
{
	struct rig_box box;
	struct rig rig;

	(void)state;
	rig_box_start(&box, "");
	rig_prepare(&rig, &box);
	rig.keys[0] = (char *)(uintptr_t) "SHA256:AAAA";
	rig_connect(&rig);
	rig_await(&rig, "e");
	rig_idle(&rig, 1000); /* several attempts */
	assert_int_equal(rig_count(&rig, 'e'), 1);
	assert_int_equal(rig_count(&rig, 'r'), 1);
	assert_non_null(strstr(rig.down_reason, "not among the accepted ones"));
	assert_non_null(strstr(router_last_error(rig.router), "not among the accepted ones"));
	assert_null(router_connected_to(rig.router));
	rig_finish(&rig);
}

/* With an argument: only the tests that match this pattern. */
int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_reads),
		cmocka_unit_test(test_told_once),
		cmocka_unit_test(test_rpd_off),
		cmocka_unit_test(test_audit_sees_static_commit),
		cmocka_unit_test(test_audit_confirms_empty),
		cmocka_unit_test(test_questions),
		cmocka_unit_test(test_questions_die),
		cmocka_unit_test(test_questions_outlive),
		cmocka_unit_test(test_question_overdue),
		cmocka_unit_test(test_big_answer),
		cmocka_unit_test(test_watch),
		cmocka_unit_test(test_bad_counters),
		cmocka_unit_test(test_bad_counters_are_tried_again),
		cmocka_unit_test(test_connect_while_locked),
		cmocka_unit_test(test_reboot),
		cmocka_unit_test(test_second_address),
		cmocka_unit_test(test_wrong_host_key),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
