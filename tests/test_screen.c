/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The status screen against golden files: tests/fixtures/cli/NAME.in is a container state (RFC
 * 7951), or what makes it differ from another one, and NAME.ok what people see of it: the screen,
 * the lines of --check with their exit codes, and each element that is out. UPDATE_OK=1 writes the
 * .ok files anew; read them before committing.
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

#include "../tools/cli/screen.h"
#include "../tools/cli/screen_alarms.h"
#include "../tools/cli/screen_kpi.h"
#include "../tools/cli/tree.h"
#include "profile_yang.h"

#define FIXTURES "tests/fixtures/cli/"

static char *
read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return xstrdup("");
	if (getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = xstrdup("");
	}
	fclose(file);
	return text;
}

static void
render(FILE *out, const struct lyd_node *state)
{
	const struct lyd_node *group = NULL, *element = NULL;
	struct screen screen;

	screen_init(&screen, out, false, state);
	screen_status(&screen, NULL);
	fputs("---- check\n", out);
	fprintf(out, "%d\n", screen_check(&screen, NULL));
	while ((group = tree_next(state, "group", group)))
		fprintf(out, "%d\n", screen_check(&screen, group));
	while ((group = tree_next(state, "group", group)))
		while ((element = tree_next(group, "element", element)))
			if (screen_element_is_out(element)) {
				fputs("---- element\n", out);
				screen_element(&screen, group, element);
			}
}

/* Each group alone is no worse than it is. */
static void
render_groups(FILE *out, const struct lyd_node *state)
{
	const struct lyd_node *group = NULL;
	struct screen screen;

	screen_init(&screen, out, false, state);
	while ((group = tree_next(state, "group", group))) {
		screen_impact(&screen, group);
		fputs("---- group\n", out);
	}
	fputs("---- check\n", out);
	while ((group = tree_next(state, "group", group)))
		fprintf(out, "%d\n", screen_check(&screen, group));
}

static void
render_kpi(FILE *out, const struct lyd_node *state)
{
	struct screen screen;

	screen_init(&screen, out, false, state);
	screen_kpi(&screen, NULL, NULL);
	fputs("---- check\n", out);
}

static void
render_alarms(FILE *out, const struct lyd_node *state)
{
	const struct lyd_node *group = tree_child(state, "group");
	const struct lyd_node *first = tree_child(group, "element");
	struct screen screen;

	screen_init(&screen, out, false, state);
	screen_alarms(&screen, NULL, NULL);
	fputs("---- element\n", out);
	screen_alarms(&screen, group, first);
	fputs("---- brief\n", out);
	screen_alarms_brief(&screen, NULL);
	fputs("---- brief, group\n", out);
	screen_alarms_brief(&screen, group);
	fputs("---- check\n", out);
	screen_alarms_check(&screen, NULL, NULL);
	fprintf(out, "%d\n", screen_alarms_severity(&screen, NULL, NULL));
	screen_alarms_check(&screen, group, first);
	fprintf(out, "%d\n", screen_alarms_severity(&screen, group, first));
}

/* A screen fits a terminal, but for names that would look the same then (excess: columns); the line
 * of --check is for machines and may be longer. */
static void
check_width(const char *name, size_t excess, const char *text)
{
	const char *end = strstr(text, "---- check");

	for (const char *line = text; line < end; line = strchr(line, '\n') + 1) {
		if (strcspn(line, "\n") > SCREEN_WIDTH + excess)
			fail_msg("%s: too wide: %.*s", name, (int)strcspn(line, "\n"), line);
		if (*line && line[0] != '\n' && line[strcspn(line, "\n") - 1] == ' ')
			fail_msg(
			    "%s: blanks at the end: %.*s", name, (int)strcspn(line, "\n"), line);
	}
}

static struct lyd_node *
parse_state(struct ly_ctx *ctx, const char *name)
{
	char path[128], *input;
	struct lyd_node *state = NULL;

	snprintf(path, sizeof(path), FIXTURES "%s.in", name);
	input = read_file(path);
	if (lyd_parse_data_mem(
	        ctx, input, LYD_JSON, LYD_PARSE_ONLY | LYD_PARSE_STRICT, 0, &state) != LY_SUCCESS ||
	    !state)
		fail_msg("%s: %s", path, ly_errmsg(ctx));
	free(input);
	return state;
}

static void
remove_nodes(struct lyd_node *state, const char *xpath)
{
	struct ly_set *nodes = NULL;

	assert_int_equal(lyd_find_xpath(state, xpath, &nodes), LY_SUCCESS);
	if (nodes->count == 0)
		fail_msg("%s: nothing to remove", xpath);
	for (uint32_t i = 0; i < nodes->count; i++)
		lyd_free_tree(nodes->dnodes[i]);
	ly_set_free(nodes, NULL);
}

struct screen_case {
	const char *name;
	const char
	    *base; /* NAME.in tells only what differs from this one; NULL: NAME.in is whole */
	const char *gone; /* XPath: what the base has and NAME has not; NULL: nothing */
	void (*draw)(FILE *out, const struct lyd_node *state); /* NULL: render */
	size_t excess;                                         /* columns beyond the terminal's */
};

static struct lyd_node *
read_state(struct ly_ctx *ctx, const struct screen_case *screen)
{
	struct lyd_node *state, *difference;

	if (!screen->base)
		return parse_state(ctx, screen->name);
	state = parse_state(ctx, screen->base);
	if (screen->gone)
		remove_nodes(state, screen->gone);
	difference = parse_state(ctx, screen->name);
	assert_int_equal(lyd_merge_siblings(&state, difference, LYD_MERGE_DESTRUCT), LY_SUCCESS);
	return state;
}

static void
check_screen(struct ly_ctx *ctx, const struct screen_case *screen)
{
	char ok_path[128], *want, *have = NULL;
	struct lyd_node *state = read_state(ctx, screen);
	size_t size;
	FILE *out;

	snprintf(ok_path, sizeof(ok_path), FIXTURES "%s.ok", screen->name);
	out = open_memstream(&have, &size);
	(screen->draw ? screen->draw : render)(out, state);
	fclose(out);
	if (getenv("UPDATE_OK")) {
		out = fopen(ok_path, "w");
		assert_non_null(out);
		fputs(have, out);
		fclose(out);
	}
	want = read_file(ok_path);
	check_width(screen->name, screen->excess, have);
	if (strcmp(have, want) != 0)
		fail_msg("%s: differs; it is now:\n%s", ok_path, have);
	lyd_free_all(state);
	free(want);
	free(have);
}

#define LIMITS "/autofbf:state/group/*[starts-with(local-name(), 'failures-')]"
#define LAST_COMMIT "/autofbf:state/last-commit"
#define UNITS_OF_ONE "//element[id='fbf-02']/family/*[starts-with(local-name(), 'effective-')]"

static void
test_screens(void **state)
{
	static const struct screen_case screens[] = {
		{ "ok" },
		{ "degraded" },
		{ "away" },
		{ "crowd", .excess = 4 },
		{ "nat", "degraded", LIMITS },
		{ "lost", "degraded", LIMITS " | " LAST_COMMIT },
		{ "busy", "degraded", LIMITS },
		{ "frozen", "degraded", LIMITS },
		{ "split", "degraded" },
		{ "stuck", "ok", LIMITS },
		{ "policy", "ok", LIMITS },
		{ "unpolled", "ok", LIMITS },
		{ "risk", "ok" },
		{ "blind", "ok" },
		{ "waits", "ok" },
		{ "monitor", "ok" },
		{ "silent", "ok" },
		{ "unread", "ok" },
		{ "cutoff", "ok" },
		{ "healing", "ok" },
		{ "leaving", "ok" },
		{ "full", "ok" },
		{ "spare", "ok" },
		{ "unseen", "ok" },
		{ "half", "ok" },
		{ "two", "ok", .draw = render_groups },
		{ "kpi", .draw = render_kpi },
		{ "kpi-names", "kpi", UNITS_OF_ONE, render_kpi },
		{ "alarms", "degraded", LIMITS, render_alarms },
	};
	struct ly_ctx *ctx;
	struct error err;

	if (profile_yang_context("yang", &ctx, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++)
		check_screen(ctx, &screens[i]);
	ly_ctx_destroy(ctx);
}

static void
test_names(void **unused)
{
	static const struct {
		const char *name;
		int width;
		const char *want;
	} cases[] = { { "fbf-01", 6, "fbf-01" }, { "fbf-001", 6, "fb~001" },
		{ "firewall-frankfurt-02", 9, "fire~t-02" }, { "pare-feu-séoul-1", 9, "pare~ul-1" },
		{ "é-feu-séoul", 5, "é~ul" }, { "aéb-séoul", 6, "a~oul" },
		{ "aab-fééé", 6, "aa~é" } };
	char buf[NAME_TEXT_SIZE];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(screen_name(cases[i].name, cases[i].width, buf), cases[i].want);
}

/* A state with one group of two elements. */
static struct lyd_node *
make_pair(struct ly_ctx *ctx, const char *one, const char *other)
{
	struct lyd_node *state = NULL;

	assert_int_equal(
	    LY_SUCCESS, lyd_new_path(NULL, ctx, "/autofbf:state/group[id='g']/element[id='1']/name",
	                    one, 0, &state));
	assert_int_equal(
	    LY_SUCCESS, lyd_new_path(state, ctx,
	                    "/autofbf:state/group[id='g']/element[id='2']/name", other, 0, NULL));
	return state;
}

static void
test_name_widths(void **unused)
{
	static const struct {
		const char *one, *other;
		int room, want;
	} cases[] = {
		{ "a", "b", 20, 1 },                    /* no wider than the names */
		{ "firewall-01", "firewall-02", 8, 8 }, /* they differ at the end */
		{ "firewall-01", "firewall-02", 0, 6 }, /* never narrower */
		{ "srx-1-rack-12.north", "srx-2-rack-12.north", 8,
		    11 },                                     /* they differ in the middle */
		{ "same-long-name", "same-long-name", 8, 8 }, /* no width tells them apart */
	};
	struct lyd_node *state;
	struct ly_ctx *ctx;
	struct error err;

	if (profile_yang_context("yang", &ctx, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		state = make_pair(ctx, cases[i].one, cases[i].other);
		assert_int_equal(
		    screen_name_width(tree_child(state, "group"), cases[i].room), cases[i].want);
		lyd_free_all(state);
	}
	ly_ctx_destroy(ctx);
}

static void
test_missing_severity(void **unused)
{
	char *line = NULL;
	struct lyd_node *state;
	struct screen screen;
	struct ly_ctx *ctx;
	struct error err;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (profile_yang_context("yang", &ctx, &err) < 0)
		fail_msg("%s", err.text);
	state = parse_state(ctx, "ok");
	remove_nodes(state, "/autofbf:state/group/severity");
	screen_init(&screen, out, false, state);
	assert_int_equal(screen_check(&screen, tree_child(state, "group")), 2);
	fclose(out);
	assert_int_equal(strncmp(line, "CRITICAL", 8), 0);
	free(line);
	lyd_free_all(state);
	ly_ctx_destroy(ctx);
}

static void
test_ages(void **state)
{
	static const struct {
		int64_t s;
		const char *want;
	} cases[] = { { -5, "0s" }, { 0, "0s" }, { 59, "59s" }, { 60, "1m00s" }, { 211, "3m31s" },
		{ 3599, "59m59s" }, { 3600, "1h00m" }, { 172799, "47h59m" }, { 172800, "2d" },
		{ 41 * 86400, "41d" } };
	char buf[AGE_TEXT_SIZE];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(age_format(cases[i].s * 1000000, buf), cases[i].want);
	assert_string_equal(countdown_format(12700000, buf), "0:13");
	assert_string_equal(countdown_format(725000000, buf), "12:05");
	assert_string_equal(countdown_format(-1, buf), "0:00");
	assert_string_equal(delay_format(400, buf), "+0.4 ms");
	assert_string_equal(delay_format(610000, buf), "+0.61 s");
	assert_string_equal(delay_format(12000000, buf), "+12 s");
	assert_string_equal(clock_format(1796008062540000, buf), "03:07:42.5");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_screens),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_name_widths),
		cmocka_unit_test(test_missing_severity),
		cmocka_unit_test(test_ages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
