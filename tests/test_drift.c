/* SPDX-License-Identifier: BSD-3-Clause */
/* Drift: counted in a row, held back at the limit, forgotten when it stops or on request. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drift.h"

static struct plan
plan_of(const char *const *lines, size_t count)
{
	struct plan plan = { .edits = calloc(count ? count : 1, sizeof(*plan.edits)),
		.count = count };

	for (size_t i = 0; i < count; i++) {
		plan.edits[i].remove = lines[i][0] == '-';
		plan.edits[i].list = "a-ovr-v4";
		assert_int_equal(prefix_parse(lines[i] + 1, &plan.edits[i].item), 0);
		if (plan.edits[i].remove)
			plan.removes++;
		else
			plan.adds++;
	}
	return plan;
}

static void
count_list(void *arg, const char *list)
{
	assert_string_equal(list, "a-ovr-v4");
	++*(size_t *)arg;
}

static size_t
held_lists(const struct drift *drift)
{
	size_t count = 0;

	drift_each_list(drift, count_list, &count);
	return count;
}

static void
test_three_in_a_row_are_held(void **state)
{
	const char *const lines[] = { "+10.0.0.0/26", "-10.0.0.64/26" };
	struct drift *drift = drift_new();
	struct plan plan = plan_of(lines, 2);

	assert_int_equal(drift_note(drift, &plan), 0);
	assert_int_equal(drift_filter(drift, &plan), 0);
	assert_int_equal(drift_note(drift, &plan), 0);
	assert_int_equal(drift_note(drift, &plan), 2);
	assert_int_equal(held_lists(drift), 1);
	assert_int_equal(drift_filter(drift, &plan), 2);
	assert_int_equal(plan.count, 0);
	assert_int_equal(plan.adds, 0);
	assert_int_equal(plan.removes, 0);
	free(plan.edits);
	drift_free(drift);
}

static void
test_a_pause_starts_again(void **state)
{
	const char *const lines[] = { "+10.0.0.0/26", "+10.0.0.64/26" };
	struct drift *drift = drift_new();
	struct plan both = plan_of(lines, 2), second = plan_of(lines + 1, 1);

	drift_note(drift, &both);
	drift_note(drift, &second); /* the first item was quiet once */
	assert_int_equal(drift_note(drift, &both), 1);
	assert_int_equal(drift_filter(drift, &both), 1);
	assert_int_equal(both.count, 1);
	assert_int_equal(both.edits[0].item.address.bytes[3], 0);
	free(both.edits);
	free(second.edits);
	drift_free(drift);
}

static void
test_the_other_direction_is_another_edit(void **state)
{
	const char *const add[] = { "+10.0.0.0/26" }, *const remove[] = { "-10.0.0.0/26" };
	struct drift *drift = drift_new();
	struct plan adds = plan_of(add, 1), removes = plan_of(remove, 1);

	for (int i = 0; i < DRIFT_LIMIT; i++)
		drift_note(drift, &adds);
	assert_int_equal(drift_filter(drift, &removes), 0);
	assert_int_equal(removes.count, 1);
	drift_forget(drift);
	assert_int_equal(held_lists(drift), 0);
	assert_int_equal(drift_filter(drift, &adds), 0);
	free(adds.edits);
	free(removes.edits);
	drift_free(drift);
}

static void
test_our_own_repair_forgets_nothing(void **state)
{
	const char *const lines[] = { "+10.0.0.0/26", "-10.0.0.64/26" };
	struct drift *drift = drift_new();
	struct plan plan = plan_of(lines, 2), first = plan_of(lines, 1), none = { 0 };

	assert_int_equal(drift_note(drift, &plan), 0);
	assert_int_equal(drift_note_own(drift, &none), 0);
	assert_int_equal(drift_note(drift, &plan), 0);
	assert_int_equal(drift_note_own(drift, &first), 1); /* did not stick: that counts */
	assert_int_equal(drift_note(drift, &plan), 1);
	assert_int_equal(drift_filter(drift, &plan), 2);
	assert_int_equal(drift_note(drift, &none), 0);
	assert_int_equal(held_lists(drift), 0);
	free(plan.edits);
	free(first.edits);
	drift_free(drift);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three_in_a_row_are_held),
		cmocka_unit_test(test_a_pause_starts_again),
		cmocka_unit_test(test_the_other_direction_is_another_edit),
		cmocka_unit_test(test_our_own_repair_forgets_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
