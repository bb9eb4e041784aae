/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates, discontinuities, sums and histograms: tables, and properties over random readings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "kpi.h"

static uint64_t seed;

static uint64_t
draw(uint64_t limit)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed >> 33) % limit;
}

static struct mtime
at_ms(int64_t ms)
{
	return (struct mtime){ ms * 1000 };
}

static void
feed(struct kpi_meter *meter, uint64_t packets, uint64_t octets, int64_t ms)
{
	const struct kpi_reading reading = { packets, octets };

	kpi_meter_feed(meter, &reading, at_ms(ms));
}

static void
test_rate_needs_two_readings(void **state)
{
	struct kpi_meter meter = { 0 };

	feed(&meter, 1000, 64000, 5000);
	assert_true(meter.has_reading);
	assert_false(meter.has_rate);
	assert_int_equal(meter.discontinuity.us, 0);
	feed(&meter, 3000, 192000, 7000);
	assert_true(meter.has_rate);
	assert_int_equal(meter.window_us, 2000000);
	assert_int_equal(meter.packets_s, 1000);
	assert_int_equal(meter.bits_s, 512000);
}

static void
test_discontinuities(void **state)
{
	struct kpi_meter meter = { 0 };

	feed(&meter, 1000, 64000, 1000);
	feed(&meter, 2000, 128000, 2000);
	feed(&meter, 500, 32000, 3000); /* reset */
	assert_false(meter.has_rate);
	assert_int_equal(meter.discontinuity.us, 3000000);
	feed(&meter, 600, 38400, 4000);
	assert_true(meter.has_rate);
	assert_int_equal(meter.packets_s, 100);
	feed(&meter, 700, 100, 5000); /* one of the two went back */
	assert_false(meter.has_rate);
	kpi_meter_lose(&meter);
	assert_false(meter.has_reading);
	feed(&meter, 10000, 10000, 6000); /* grown, but another life */
	assert_false(meter.has_rate);
	assert_int_equal(meter.discontinuity.us, 6000000);
}

static void
test_same_moment_replaces(void **state)
{
	struct kpi_meter meter = { 0 };

	feed(&meter, 1, 1, 1000);
	feed(&meter, 5, 5, 1000);
	assert_false(meter.has_rate);
	feed(&meter, 5, 5, 2000);
	assert_int_equal(meter.packets_s, 0);
}

/* Whatever the readings: counters that only grow have the exact rate, and a sum of meters has the
 * rate of the summed counters when all were read at the same times. */
static void
test_rates_are_exact(void **state)
{
	for (int round = 0; round < 2000; round++) {
		struct kpi_meter a = { 0 }, b = { 0 }, sum = { 0 };
		uint64_t x = draw(1000000), y = draw(1000000), dx, dy;
		int64_t now = 1 + (int64_t)draw(100000), step = 1 + (int64_t)draw(60000);

		feed(&a, x, x * 100, now);
		feed(&b, y, y * 100, now);
		dx = draw(100000000);
		dy = draw(100000000);
		feed(&a, x + dx, (x + dx) * 100, now + step);
		feed(&b, y + dy, (y + dy) * 100, now + step);
		kpi_meter_add(&sum, &a);
		kpi_meter_add(&sum, &b);
		assert_true(a.has_rate && b.has_rate && sum.has_rate);
		assert_true(llabs((long long)(a.packets_s * (uint64_t)step) -
		                  (long long)(dx * 1000)) <= step / 2 + 1);
		assert_int_equal(sum.reading.packets, x + y + dx + dy);
		assert_int_equal(sum.packets_s, a.packets_s + b.packets_s);
		assert_int_equal(sum.window_us, step * 1000);
	}
}

static void
test_sum_without_a_part_has_no_rate(void **state)
{
	struct kpi_meter a = { 0 }, b = { 0 }, sum = { 0 };

	feed(&a, 1, 1, 1000);
	feed(&a, 2, 2, 2000);
	feed(&b, 1, 1, 2000);
	kpi_meter_add(&sum, &a);
	assert_true(sum.has_rate);
	kpi_meter_add(&sum, &b);
	assert_false(sum.has_rate);
	assert_true(sum.has_reading);
}

/* Which part was never read, or has no rate yet, must not depend on who comes first. */
static void
test_sum_does_not_depend_on_order(void **state)
{
	struct kpi_meter read = { 0 }, never = { 0 }, sum = { 0 }, other = { 0 };

	feed(&read, 1, 1, 1000);
	feed(&read, 2, 2, 2000);
	kpi_meter_add(&sum, &never);
	kpi_meter_add(&sum, &read);
	kpi_meter_add(&other, &read);
	kpi_meter_add(&other, &never);
	assert_false(sum.has_rate || sum.has_reading);
	assert_false(other.has_rate || other.has_reading);
	assert_int_equal(sum.at.us, other.at.us);
	assert_int_equal(sum.packets_s, other.packets_s);
}

/* The value alone does not show that it began anew. */
static void
test_overtaken_restart(void **state)
{
	struct kpi_meter meter = { 0 };

	feed(&meter, 10, 1000, 1000);
	feed(&meter, 20, 2000, 2000);
	kpi_meter_restart(&meter);
	assert_int_equal(meter.packets_s, 10); /* of the window before */
	assert_true(meter.has_rate);
	feed(&meter, 500, 50000, 3000);
	assert_false(meter.has_rate);
	assert_int_equal(meter.discontinuity.us, 3000000);
	feed(&meter, 1500, 150000, 4000);
	assert_int_equal(meter.packets_s, 1000);
}

static void
test_age_of_a_rate(void **state)
{
	struct kpi_meter meter = { 0 };

	feed(&meter, 1, 1, 1000);
	assert_false(kpi_meter_is_fresh(&meter, at_ms(1000), 5000)); /* no rate */
	assert_false(kpi_meter_is_after(&meter, at_ms(0)));
	feed(&meter, 2, 2, 3000);
	assert_true(kpi_meter_is_fresh(&meter, at_ms(8000), 5000));
	assert_false(kpi_meter_is_fresh(&meter, at_ms(8001), 5000));
	assert_true(kpi_meter_is_after(&meter, at_ms(1000)));
	assert_false(kpi_meter_is_after(&meter, at_ms(1001)));
}

static void
test_episodes(void **state)
{
	struct kpi_episode episode = { 0 };

	assert_int_equal(kpi_episode_lasts(&episode, at_ms(1000), 60000), 0);
	kpi_episode_feed(&episode, at_ms(10000), 60000);
	assert_int_equal(kpi_episode_lasts(&episode, at_ms(70000), 60000), 0); /* seen once */
	kpi_episode_feed(&episode, at_ms(40000), 60000);
	kpi_episode_feed(&episode, at_ms(90000), 60000);
	assert_int_equal(kpi_episode_lasts(&episode, at_ms(100000), 60000), 80000000);
	assert_int_equal(kpi_episode_lasts(&episode, at_ms(150000), 60000), 80000000);
	assert_int_equal(kpi_episode_lasts(&episode, at_ms(150001), 60000), 0); /* over */
	kpi_episode_feed(&episode, at_ms(200000), 60000);
	assert_int_equal(kpi_episode_lasts(&episode, at_ms(200000), 60000), 0); /* another one */
}

static void
test_histogram(void **state)
{
	struct kpi_histogram histogram = { 0 };
	uint64_t total = 0, maximum = 0;

	for (int i = 0; i < 10000; i++) {
		uint64_t us = draw(60000000), in_buckets = 0;

		kpi_histogram_add(&histogram, us);
		total += us;
		maximum = us > maximum ? us : maximum;
		for (size_t b = 0; b < KPI_BUCKETS; b++)
			in_buckets += histogram.buckets[b];
		assert_true(in_buckets <= histogram.count);
	}
	assert_int_equal(histogram.count, 10000);
	assert_int_equal(histogram.sum_us, total);
	assert_int_equal(histogram.maximum_us, maximum);
}

static void
test_bounds_belong_to_their_bucket(void **state)
{
	for (size_t b = 0; b < KPI_BUCKETS; b++) {
		struct kpi_histogram histogram = { 0 };

		kpi_histogram_add(&histogram, kpi_bucket_us[b]);
		assert_int_equal(histogram.buckets[b], 1);
		kpi_histogram_add(&histogram, kpi_bucket_us[b] + 1);
		assert_int_equal(histogram.buckets[b], 1);
		assert_true(b == 0 || kpi_bucket_us[b] > kpi_bucket_us[b - 1]);
	}
}

static struct kpi_meter
flowing(uint64_t packets_s)
{
	return (struct kpi_meter){ .has_reading = true, .has_rate = true, .packets_s = packets_s };
}

static void
test_judgements(void **state)
{
	static const struct {
		uint64_t sent, received;
		bool is_silent;
	} rows[] = { { 1000, 0, false }, { 1001, 0, true }, { 2000, 99, true },
		{ 2000, 100, false }, { 0, 0, false } };
	struct kpi_meter none = { 0 }, all = flowing(40000), part = flowing(13000), few;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kpi_meter sent = flowing(rows[i].sent), back = flowing(rows[i].received);

		assert_int_equal(kpi_is_silent(&sent, &back), rows[i].is_silent);
		assert_false(kpi_is_silent(&sent, &none));
	}
	assert_false(kpi_share_is_off(&part, &all, 256, 1024, 30));
	part = flowing(13001);
	assert_true(kpi_share_is_off(&part, &all, 256, 1024, 30));
	part = flowing(6999);
	assert_true(kpi_share_is_off(&part, &all, 256, 1024, 30));
	assert_false(kpi_share_is_off(&part, &all, 0, 1024, 30));
	assert_false(kpi_share_is_off(&none, &all, 256, 1024, 30));
	for (uint64_t packets_s = 19999; packets_s <= 20000; packets_s++) {
		part = few = flowing(packets_s);
		assert_int_equal(kpi_share_is_off(&part, &few, 256, 1024, 30), packets_s == 20000);
	}
	part = flowing(400);
	assert_false(kpi_carries_more(&part, &all, 1));
	part = flowing(401);
	assert_true(kpi_carries_more(&part, &all, 1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate_needs_two_readings),
		cmocka_unit_test(test_discontinuities),
		cmocka_unit_test(test_same_moment_replaces),
		cmocka_unit_test(test_rates_are_exact),
		cmocka_unit_test(test_sum_without_a_part_has_no_rate),
		cmocka_unit_test(test_sum_does_not_depend_on_order),
		cmocka_unit_test(test_overtaken_restart),
		cmocka_unit_test(test_age_of_a_rate),
		cmocka_unit_test(test_episodes),
		cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_bounds_belong_to_their_bucket),
		cmocka_unit_test(test_judgements),
	};

	seed = (uint64_t)time(NULL);
	if (getenv("SEED"))
		seed = strtoull(getenv("SEED"), NULL, 10);
	printf("seed %ju\n", (uintmax_t)seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
