/* SPDX-License-Identifier: BSD-3-Clause */
/* The metrics of a state that has everything: each has a sample, and the samples are right. */
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

#include "../tools/publish/metrics.h"
#include "../tools/publish/metrics_internal.h"
#include "error.h"
#include "profile_yang.h"

struct fixture {
	struct ly_ctx *ctx;
	struct lyd_node *state;
	char *text;
};

static int
setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct error err;
	size_t size;

	assert_int_equal(profile_yang_context("yang", &fixture->ctx, &err), 0);
	if (lyd_parse_data_path(fixture->ctx, "tests/fixtures/publish/state.json", LYD_JSON,
	        LYD_PARSE_ONLY | LYD_PARSE_STRICT, 0, &fixture->state) != LY_SUCCESS)
		fail_msg("%s", ly_errmsg(fixture->ctx));
	fixture->text = metrics_new(fixture->state, &size);
	assert_int_equal(strlen(fixture->text), size);
	*state = fixture;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *fixture = *state;

	free(fixture->text);
	lyd_free_all(fixture->state);
	ly_ctx_destroy(fixture->ctx);
	free(fixture);
	return 0;
}

static bool
has_line(const char *text, const char *line)
{
	char *with_ends = xasprintf("\n%s\n", line);
	bool found = strstr(text, with_ends);

	free(with_ends);
	return found;
}

/* No sample means a wrong path; the table's lines of one name must stand together. */
static void
test_every_metric(void **state)
{
	const struct fixture *fixture = *state;

	for (size_t m = 0; m < metric_count; m++) {
		char *type = xasprintf("# TYPE %s %s\n%s", metrics[m].name,
		    metrics[m].is_counter ? "counter" : "gauge", metrics[m].name);
		const char *first = strstr(fixture->text, type);

		if (!first)
			fail_msg("%s has no sample", metrics[m].name);
		assert_null(strstr(first + 1, type));
		free(type);
	}
}

static void
test_samples(void **state)
{
	static const char *const wanted[] = {
		"autofbf_agent_start_time_seconds 1795910400.000000",
		"autofbf_degraded 1",
		"autofbf_critical 0",
		"autofbf_router_session_up{session=\"edit\"} 1",
		"autofbf_router_session_up{session=\"read\"} 0",
		"autofbf_edits_total{action=\"removed\"} 900",
		"autofbf_alarm{type=\"element-down\",key=\"cgn/fbf-02\",severity=\"major\","
		"group=\"cgn\",element=\"fbf-02\",family=\"ipv6\"} 1",
		"autofbf_alarm{type=\"agent-blind\",key=\"router\",severity=\"critical\"} 1",
		"autofbf_group_thawed{group=\"cgn\",family=\"ipv4\",freeze=\"nobody-left\"} 0",
		"autofbf_group_unlisted_packets_total{group=\"cgn\",family=\"ipv4\"} 77",
		"autofbf_signal_route_wanted{group=\"cgn\",family=\"ipv4\",route=\"failed\"} 1",
		"autofbf_signal_route_wanted{group=\"cgn\",family=\"ipv4\",route=\"alter\"} 0",
		"autofbf_element_forced{group=\"cgn\",element=\"fbf-02\"} 1",
		"autofbf_element_effective_units{group=\"cgn\",element=\"fbf-02\",family=\"ipv4\"} "
		"0.015625",
		"autofbf_element_nat_pools{group=\"cgn\",element=\"fbf-02\",family=\"ipv4\"} 2",
		"autofbf_element_nat_pools_active{group=\"cgn\",element=\"fbf-02\",family=\"ipv4\"}"
		" "
		"1",
		"autofbf_element_received_bytes_total{group=\"cgn\",element=\"fbf-02\","
		"side=\"outside\"} 6",
		"autofbf_session_bgp_up{group=\"cgn\",element=\"fbf-02\",family=\"ipv4\","
		"side=\"inside\"} 1",
		"autofbf_session_detection_time_seconds{group=\"cgn\",element=\"fbf-02\","
		"family=\"ipv4\",side=\"inside\"} 0.900000",
		"autofbf_reaction_seconds_bucket{stage=\"traffic-moved\",le=\"2.5\"} 3",
		"autofbf_reaction_seconds_bucket{stage=\"traffic-moved\",le=\"+Inf\"} 3",
		"autofbf_reaction_seconds_sum{stage=\"traffic-moved\"} 5.700000",
	};
	const struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!has_line(fixture->text, wanted[i]))
			fail_msg("missing: %s\nin:\n%s", wanted[i], fixture->text);
}

/* Absent is absent, and no prefix is a label. */
static void
test_absent(void **state)
{
	static const char *const unwanted[] = {
		"unlisted_packets_total{group=\"cgn\",family=\"ipv6\"",
		"sent_packets_total{group=\"cgn\",element=\"fbf-02\",side=\"inside\"",
		"session_bfd_up{group=\"cgn\",element=\"fbf-02\",family=\"ipv4\",side=\"inside\"",
		"signal_route_installed{group=\"cgn\",family=\"ipv4\",route=\"alter\"",
		"203.0.113",
		"192.0.2",
	};
	const struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(unwanted) / sizeof(unwanted[0]); i++)
		assert_null(strstr(fixture->text, unwanted[i]));
}

static void
test_escapes(void **state)
{
	const struct fixture *fixture = *state;
	const struct lys_module *module = ly_ctx_get_module_implemented(fixture->ctx, "autofbf");
	struct lyd_node *tree, *entry;
	size_t size;
	char *text;

	lyd_new_inner(NULL, module, "state", false, &tree);
	lyd_new_list(tree, NULL, "alarm", false, &entry, "t", "a\"b\\c\nd");
	text = metrics_new(tree, &size);
	assert_non_null(strstr(text, "key=\"a\\\"b\\\\c\\nd\"} 1\n"));
	free(text);
	lyd_free_all(tree);
	text = metrics_new(NULL, &size);
	assert_int_equal(size, 0);
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_metric),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_escapes),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
