/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MIB filled from a state that has everything: an expected tree by GET and GETNEXT, without a
 * daemon. What the file snmp-mib/AUTOFBF-MIB.txt says is held against it by
 * tests/run/test_publish.py.
 */
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
#include <time.h>

#include "../tools/publish/mib.h"
#include "../tools/publish/mib_internal.h"
#include "../tools/publish/node.h"
#include "error.h"
#include "profile_yang.h"

static const uint32_t objects[] = { MIB_OBJECTS };
enum { ROOT_SIZE = sizeof(objects) / sizeof(objects[0]) };

struct fixture {
	struct ly_ctx *ctx;
	struct lyd_node *state;
	struct mib *mib;
};

/* As the registry does: the second alarm of the state has index 9, others are not known. */
static uint32_t
give_index(void *arg, const struct lyd_node *alarm)
{
	return strcmp(node_text(alarm, "type"), "element-down") == 0 ? 9 : 0;
}

static int
setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct mib_source source = { .alarm_index = give_index };
	struct error err;

	assert_int_equal(profile_yang_context("yang", &fixture->ctx, &err), 0);
	if (lyd_parse_data_path(fixture->ctx, "tests/fixtures/publish/state.json", LYD_JSON,
	        LYD_PARSE_ONLY | LYD_PARSE_STRICT, 0, &fixture->state) != LY_SUCCESS)
		fail_msg("%s", ly_errmsg(fixture->ctx));
	source.state = fixture->state;
	source.taken_us = node_time(fixture->state, "now");
	fixture->mib = mib_new(&source);
	*state = fixture;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *fixture = *state;

	mib_free(fixture->mib);
	lyd_free_all(fixture->state);
	ly_ctx_destroy(fixture->ctx);
	free(fixture);
	return 0;
}

/* ---- an expected tree ----------------------------------------------------------------------- */

struct oid {
	uint32_t ids[MIB_OID_MOST];
	size_t size;
};

/* "7.1.3.'fbf-02'.1": under autofbfObjects; a name in quotes is its length and its bytes. */
static struct oid
read_oid(const char *text)
{
	struct oid oid = { .size = ROOT_SIZE };

	memcpy(oid.ids, objects, sizeof(objects));
	for (const char *p = text; *p; p += *p == '.') {
		const char *close;

		if (*p != '\'') {
			oid.ids[oid.size++] = (uint32_t)strtoul(p, (char **)&p, 10);
			continue;
		}
		close = strchr(p + 1, '\'');
		oid.ids[oid.size++] = (uint32_t)(close - p - 1);
		for (p++; p < close; p++)
			oid.ids[oid.size++] = (unsigned char)*p;
		p++;
	}
	return oid;
}

/* "i 5", "g 256", "c 9", "C 418", "age", or the octets: "text", for dates their bytes in hex. */
static void
print_value(const struct mib *mib, const struct mib_instance *instance, char *buf, size_t size)
{
	const char *octets = mib_octets(mib, instance);
	size_t used = 0;

	if (instance->type == MIB_TYPE_AGE) {
		snprintf(buf, size, "age");
	} else if (instance->type != MIB_TYPE_OCTETS) {
		snprintf(
		    buf, size, "%c %ju", "igcC"[instance->type], (uintmax_t)instance -> number);
	} else if (instance->number > 0 && (unsigned char)octets[0] < ' ') {
		for (size_t i = 0; i < instance->number; i++)
			used += (size_t)snprintf(
			    buf + used, size - used, "%02x", (unsigned char)octets[i]);
	} else {
		snprintf(buf, size, "\"%.*s\"", (int)instance->number, octets);
	}
}

#define DATE(hour, minute, second, tenth) "07ea0b1e" hour minute second tenth "2b0000"

static const struct {
	const char *oid, *value; /* NULL: there is no such instance */
} expected[] = {
	{ "1.1.0", "i 1" },
	{ "1.2.0", "age" },
	{ "1.3.0", DATE("03", "07", "2a", "01") },
	{ "1.4.0", "\"north\"" },
	{ "1.7.0", "i 2" },
	{ "1.8.0", "i 2" },
	{ "1.10.0", "g 1" },
	{ "2.1.0", "i 2" },
	{ "2.4.0", "i 1" },
	{ "2.5.0", "i 2" },
	{ "2.9.0", "C 418" },
	{ "2.14.0", "C 18446744073709551615" },
	{ "2.19.0", "\"fbf-01-ovr-v4, fbf-01-ovr-v6\"" },
	{ "2.24.0", "i 4" },
	{ "3.1.3.1", "i 2" },
	{ "3.1.3.2", NULL },
	{ "3.1.3.3", "i 1" },
	{ "3.1.4.3", NULL }, /* nothing has come from there */
	{ "4.1.2.'cgn'", "\"CGN west\"" },
	{ "5.1.3.'cgn'.1", "g 512" },
	{ "5.1.3.'cgn'.2", "g 0" },
	{ "5.1.7.'cgn'.2", NULL },
	{ "5.1.9.'cgn'.1", "i 3" },
	{ "5.1.14.'cgn'.1", "i 2" },
	{ "5.1.21.'cgn'.2", "\"the filter has no such counter\"" },
	{ "5.1.22.'cgn'.1", "C 77" },
	{ "5.1.22.'cgn'.2", NULL }, /* absent with a reason, not zero */
	{ "6.1.2.'cgn'.1.1", "i 1" },
	{ "6.1.3.'cgn'.1.2", "\"\xc6\x33\x64\x07\"" },
	{ "6.1.4.'cgn'.1.1", "g 24" },
	{ "6.1.6.'cgn'.1.1", "i 2" },
	{ "6.1.6.'cgn'.1.2", NULL },
	{ "7.1.2.'fbf-02'", "\"cgn\"" },
	{ "7.1.8.'fbf-02'", "C 80500" },
	{ "7.1.10.'fbf-02'", "C 5000000000125" },
	{ "8.1.2.'fbf-02'.1", "i 4" },
	{ "8.1.12.'fbf-02'.1", "g 0" },
	{ "8.1.13.'fbf-02'.1", "C 341500000" },
	{ "8.1.14.'fbf-02'.1", "C 15625" },
	{ "8.1.17.'fbf-02'.1", "g 2" },
	{ "8.1.18.'fbf-02'.1", "g 1" },
	{ "9.1.2.'fbf-02'.2", "\"ae1.0, ae2.0\"" },
	{ "9.1.10.'fbf-02'.2", "C 71200000000" },
	{ "9.1.6.'fbf-02'.1", "\"no interface leads there\"" },
	{ "9.1.7.'fbf-02'.1", NULL },
	{ "10.1.10.'fbf-02'.1.1", "C 4" },
	{ "11.1.5.'fbf-02'.1.1", "i 3" },
	{ "11.1.6.'fbf-02'.1.1", "i 1" },
	{ "11.1.13.'fbf-02'.1.1", "c 9" },
	{ "12.1.6.'fbf-02'.1.'p1'", "i 1" },
	{ "12.1.7.'fbf-02'.1.'p1'", NULL },
	{ "12.1.5.'fbf-02'.1.'p2'", "i 3" },
	{ "13.1.2.4", "C 3" },
	{ "14.1.2.4.1000000", "C 1" },
	{ "14.1.2.4.2500000", "C 3" },
	{ "15.1.0", "g 2" },
	{ "15.2.0", "C 12" },
	{ "16.1.2.9", "\"element-down\"" },
	{ "16.1.4.9", "i 2" },
	{ "16.1.10.9", "i 2" },
	{ "16.1.1.9", NULL }, /* an index is not-accessible */
	{ "17.1.0", NULL },
};

static void
test_expected_tree(void **state)
{
	const struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		struct oid oid = read_oid(expected[i].oid);
		const struct mib_instance *instance = mib_get(fixture->mib, oid.ids, oid.size);
		char value[600] = "";

		if (instance)
			print_value(fixture->mib, instance, value, sizeof(value));
		if (expected[i].value ? strcmp(value, expected[i].value) != 0 : instance != NULL)
			fail_msg("%s: \"%s\", expected \"%s\"", expected[i].oid, value,
			    expected[i].value ? expected[i].value : "nothing");
	}
}

/* ---- properties ----------------------------------------------------------------------------- */

static bool
is_table_column(const struct mib_table *table, const struct mib_column *column, const uint32_t *oid)
{
	return oid[ROOT_SIZE] == table->arc &&
	       (table->index ? oid[ROOT_SIZE + 1] == 1 && oid[ROOT_SIZE + 2] == column->id
	                     : oid[ROOT_SIZE + 1] == column->id && oid[ROOT_SIZE + 2] == 0);
}

/* The fixture has everything; so a column without an instance has a wrong path or type. */
static void
test_every_column(void **state)
{
	const struct fixture *fixture = *state;

	for (size_t t = 0; t < mib_table_count; t++)
		for (size_t c = 0; c < mib_tables[t].column_count; c++) {
			const struct mib_column *column = &mib_tables[t].columns[c];
			size_t found = 0;

			for (size_t i = 0; i < mib_count(fixture->mib); i++)
				found += is_table_column(&mib_tables[t], column,
				    mib_oid(fixture->mib, mib_at(fixture->mib, i)));
			if (found == 0)
				fail_msg("%s: %s has no instance", mib_tables[t].rows,
				    column->path ? column->path : "?");
		}
}

/* GETNEXT from the root meets every instance once, in strictly ascending order; GET finds each. */
static void
test_walk(void **state)
{
	const struct fixture *fixture = *state;
	const uint32_t *oid = objects;
	size_t size = ROOT_SIZE, count = 0;
	const struct mib_instance *next;

	while ((next = mib_next(fixture->mib, oid, size, false))) {
		const uint32_t *after = mib_oid(fixture->mib, next);

		assert_true(mib_compare(oid, size, after, next->oid_size) < 0);
		assert_ptr_equal(mib_get(fixture->mib, after, next->oid_size), next);
		assert_ptr_equal(mib_next(fixture->mib, after, next->oid_size, true), next);
		assert_true(mib_has_object(after, next->oid_size));
		oid = after;
		size = next->oid_size;
		count++;
	}
	assert_int_equal(count, mib_count(fixture->mib));
	assert_true(count > 150);
}

/* Any OID: the same answer as a search from the start. */
static void
test_any_oid(void **state)
{
	const struct fixture *fixture = *state;
	unsigned seed = (unsigned)time(NULL);

	print_message("seed %u\n", seed);
	for (int round = 0; round < 20000; round++) {
		const struct mib_instance *near =
		    mib_at(fixture->mib, (size_t)rand_r(&seed) % mib_count(fixture->mib));
		const struct mib_instance *found, *first = NULL;
		struct oid oid = { .size = (size_t)rand_r(&seed) % (near->oid_size + 2) };
		bool inclusive = rand_r(&seed) % 2;

		memcpy(oid.ids, mib_oid(fixture->mib, near), near->oid_size * sizeof(uint32_t));
		if (oid.size > 0 && rand_r(&seed) % 2)
			oid.ids[oid.size - 1] += (uint32_t)(rand_r(&seed) % 3) - 1;
		found = mib_next(fixture->mib, oid.ids, oid.size, inclusive);
		for (size_t i = 0; !first && i < mib_count(fixture->mib); i++) {
			const struct mib_instance *at = mib_at(fixture->mib, i);
			int order =
			    mib_compare(mib_oid(fixture->mib, at), at->oid_size, oid.ids, oid.size);

			if (order > 0 || (order == 0 && inclusive))
				first = at;
		}
		assert_ptr_equal(found, first);
	}
}

static void
test_unreachable(void **state)
{
	const struct mib_source never = { 0 }, once = { .taken_us = 1 };
	struct mib *mib = mib_new(&never);
	char value[64];

	assert_int_equal(mib_count(mib), 1);
	print_value(mib, mib_at(mib, 0), value, sizeof(value));
	assert_string_equal(value, "i 2");
	mib_free(mib);
	mib = mib_new(&once);
	assert_int_equal(mib_count(mib), 3);
	mib_free(mib);
}

/* ---- notifications -------------------------------------------------------------------------- */

static void
check_varbinds(const struct mib *mib, const char *const (*wanted)[2], size_t count)
{
	assert_int_equal(mib_count(mib), count);
	for (size_t i = 0; i < count; i++) {
		const struct mib_instance *instance = mib_at(mib, i);
		struct oid oid = read_oid(wanted[i][0]);
		char value[600];

		print_value(mib, instance, value, sizeof(value));
		assert_int_equal(
		    mib_compare(mib_oid(mib, instance), instance->oid_size, oid.ids, oid.size), 0);
		assert_string_equal(value, wanted[i][1]);
	}
}

static void
test_notifications(void **state)
{
	static const char *const raised[][2] = { { "16.1.2.9", "\"element-down\"" },
		{ "16.1.3.9", "\"cgn/fbf-02\"" }, { "16.1.4.9", "i 2" },
		{ "16.1.5.9", DATE("03", "04", "0b", "09") }, { "16.1.6.9", "\"BFD 4/4\"" },
		{ "16.1.7.9", "\"autofbf events fbf-02\"" }, { "16.1.8.9", "\"cgn\"" },
		{ "16.1.9.9", "\"fbf-02\"" }, { "16.1.10.9", "i 2" }, { "1.4.0", "\"north\"" } };
	static const char *const cleared[][2] = { { "16.1.2.7", "\"agent-blind\"" },
		{ "16.1.3.7", "\"router\"" }, { "16.1.4.7", "i 3" },
		{ "16.1.5.7", DATE("03", "05", "00", "00") }, { "16.1.6.7", "\"\"" },
		{ "16.1.8.7", "\"\"" }, { "16.1.9.7", "\"\"" }, { "16.1.10.7", "i 0" },
		{ "1.4.0", "\"north\"" }, { "15.4.0", DATE("03", "06", "00", "05") } };
	const struct fixture *fixture = *state;
	const struct lyd_node *first = node_find(fixture->state, "alarm");
	struct mib *mib = mib_new_notification(MIB_ALARM_RAISED, first, 9, "north", 0);

	check_varbinds(mib, raised, sizeof(raised) / sizeof(raised[0]));
	mib_free(mib);
	mib = mib_new_notification(MIB_ALARM_CLEARED, first->next, 7, "north", 1796007960500000);
	check_varbinds(mib, cleared, sizeof(cleared) / sizeof(cleared[0]));
	mib_free(mib);
}

/* ---- values at their limits ----------------------------------------------------------------- */

static void
test_long_text(void **state)
{
	struct mib_value value;
	char text[400];

	memset(text, 'x', sizeof(text));
	memcpy(text + 253, "\xe2\x82\xac", 3); /* a character over the limit is left out whole */
	text[sizeof(text) - 1] = '\0';
	mib_value_set_text(&value, text);
	assert_int_equal(value.number, 253);
	text[252] = '\0';
	mib_value_set_text(&value, text);
	assert_int_equal(value.number, 252);
}

static void
test_gauge_stays_at_its_limit(void **state)
{
	const struct fixture *fixture = *state;
	const struct mib_column clamped = { 1, MIB_GAUGE32, "router/polls" };
	const struct mib_column wrapped = { 1, MIB_COUNTER32, "router/polls" };
	struct mib_value value;

	assert_true(mib_value_read(&clamped, fixture->state, NULL, &value));
	assert_int_equal(value.number, UINT32_MAX);
	assert_true(mib_value_read(&wrapped, fixture->state, NULL, &value));
	assert_int_equal(value.number, UINT32_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expected_tree),
		cmocka_unit_test(test_every_column),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_any_oid),
		cmocka_unit_test(test_unreachable),
		cmocka_unit_test(test_notifications),
		cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_gauge_stays_at_its_limit),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
