/* SPDX-License-Identifier: BSD-3-Clause */
/* The lab router's counters: made-up traffic, zeros, and the text of /proc/net/dev. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../tools/lab/router/meters.h"
#include "../tools/lab/router/netdev.h"

static const struct meter_value none = { 0 };

static struct mtime
at(int64_t ms)
{
	return (struct mtime){ ms * 1000 };
}

static void
assert_meter(const struct meters *meters, struct meter_value raw, int64_t ms, uint64_t packets,
    uint64_t bytes)
{
	struct meter_value value = meters_read(meters, METER_IN, "ei1.0", raw, at(ms));

	assert_int_equal(value.packets, packets);
	assert_int_equal(value.bytes, bytes);
}

static void
rates_add_up(void **state)
{
	struct meters *meters = meters_new();

	(void)state;
	assert_meter(meters, none, 0, 0, 0);
	meters_set_rate(meters, METER_IN, "ei1.0", 10, 100, at(1000));
	assert_meter(meters, none, 1000, 0, 0);
	assert_meter(meters, none, 1099, 0, 0);
	assert_meter(meters, none, 3500, 25, 2500);
	meters_set_rate(meters, METER_IN, "ei1.0", 1000, 10, at(3500));
	assert_meter(meters, none, 3600, 125, 3500);
	meters_set_rate(meters, METER_IN, "ei1.0", 0, 10, at(3600));
	meters_add(meters, METER_IN, "ei1.0", 5, 1, at(3700));
	assert_meter(meters, none, 999999, 130, 3505);
	assert_meter(meters, none, 0, 130, 3505); /* a clock that went back takes nothing away */
	assert_int_equal(meters_read(meters, METER_OUT, "ei1.0", none, at(4000)).packets, 0);
	meters_free(meters);
}

static void
zero_is_where_it_was_cleared(void **state)
{
	struct meters *meters = meters_new();
	struct meter_value raw = { 40, 4000 }, more = { 43, 4300 }, less = { 2, 200 };

	(void)state;
	assert_meter(meters, raw, 0, 40, 4000);
	meters_set_rate(meters, METER_IN, "ei1.0", 1, 1, at(0));
	assert_meter(meters, raw, 2000, 42, 4002);
	meters_clear(meters, METER_IN, "ei1.0", raw, at(2000));
	assert_meter(meters, raw, 2000, 0, 0);
	assert_meter(meters, more, 3000, 4, 301); /* made-up traffic goes on */
	assert_meter(meters, less, 2000, 0, 0);   /* the kernel's device is another one */
	meters_free(meters);
}

static void
devices_are_read(void **state)
{
	static const char text[] =
	    "Inter-|   Receive                                                |  Transmit\n"
	    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets "
	    "...\n"
	    "    lo:    5000      10    0    0    0     0          0         0     5000      10 0 "
	    "0 0\n"
	    "   ei1:  106140   1010    1    2    3     4          5         6    20014      1    "
	    "0\n"
	    "  c0.5:18446744073709551615 1 0 0 0 0 0 0 7 1 0\n"
	    "broken: 1 2 3\n";
	FILE *in = fmemopen((void *)(uintptr_t)text, sizeof(text) - 1, "r");
	struct netdev *devices;
	size_t count;

	(void)state;
	assert_non_null(in);
	devices = netdev_parse(in, &count);
	assert_int_equal(fclose(in), 0);
	assert_int_equal(count, 2);
	assert_string_equal(devices[0].name, "ei1");
	assert_int_equal(devices[0].in_packets, 1010);
	assert_int_equal(devices[0].in_bytes, 106140 - 1010 * 14);
	assert_int_equal(devices[0].out_packets, 1);
	assert_int_equal(devices[0].out_bytes, 20000);
	assert_string_equal(devices[1].name, "c0.5");
	assert_true(devices[1].in_bytes == UINT64_MAX - 14);
	assert_int_equal(devices[1].out_bytes, 0);
	free(devices);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_add_up),
		cmocka_unit_test(zero_is_where_it_was_cleared),
		cmocka_unit_test(devices_are_read),
	};

	return cmocka_run_group_tests_name("meters", tests, NULL, NULL);
}
