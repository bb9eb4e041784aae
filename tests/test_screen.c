/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The status screen against golden files: tests/fixtures/cli/NAME.in is a container state (RFC
 * 7951), NAME.ok what people see of it: the screen, the lines of --check with their exit codes,
 * and each element that is out. UPDATE_OK=1 writes the .ok files anew; read them before committing.
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
	fprintf(out, "%d\n", screen_alarms_check(&screen, NULL, NULL));
	fprintf(out, "%d\n", screen_alarms_check(&screen, group, first));
}

/* A screen fits a terminal, but for names that would look the same then; the line of --check is for
 * machines and may be longer. */
static void
check_width(const char *name, const char *text)
{
	const char *end = strstr(text, "---- check");
	size_t width = strcmp(name, "crowd") == 0 ? SCREEN_WIDTH + 4 : SCREEN_WIDTH;

	for (const char *line = text; line < end; line = strchr(line, '\n') + 1) {
		if (strcspn(line, "\n") > width)
			fail_msg("%s: too wide: %.*s", name, (int)strcspn(line, "\n"), line);
		if (*line && line[0] != '\n' && line[strcspn(line, "\n") - 1] == ' ')
			fail_msg(
			    "%s: blanks at the end: %.*s", name, (int)strcspn(line, "\n"), line);
	}
}

static void
check_screen(
    struct ly_ctx *ctx, const char *name, void (*draw)(FILE *out, const struct lyd_node *state))
{
	char path[128], ok_path[128], *input, *want, *have = NULL;
	struct lyd_node *state = NULL;
	size_t size;
	FILE *out;

	snprintf(path, sizeof(path), FIXTURES "%s.in", name);
	snprintf(ok_path, sizeof(ok_path), FIXTURES "%s.ok", name);
	input = read_file(path);
	if (lyd_parse_data_mem(
	        ctx, input, LYD_JSON, LYD_PARSE_ONLY | LYD_PARSE_STRICT, 0, &state) != LY_SUCCESS ||
	    !state)
		fail_msg("%s: %s", path, ly_errmsg(ctx));
	out = open_memstream(&have, &size);
	draw(out, state);
	fclose(out);
	if (getenv("UPDATE_OK")) {
		out = fopen(ok_path, "w");
		assert_non_null(out);
		fputs(have, out);
		fclose(out);
	}
	want = read_file(ok_path);
	check_width(name, have);
	if (strcmp(have, want) != 0)
		fail_msg("%s: differs; it is now:\n%s", ok_path, have);
	lyd_free_all(state);
	free(input);
	free(want);
	free(have);
}

static void
test_screens(void **state)
{
	static const char *const names[] = { "ok", "degraded", "nat", "lost", "busy", "frozen",
		"away", "stuck", "risk", "policy", "split", "blind", "waits", "monitor", "silent",
		"unread", "cutoff", "healing", "crowd", "leaving", "unpolled", "untold", "full",
		"spare", "unseen" };
	struct ly_ctx *ctx;
	struct error err;

	if (profile_yang_context("yang", &ctx, &err) < 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_screen(ctx, names[i], render);
	check_screen(ctx, "two", render_groups);
	check_screen(ctx, "kpi", render_kpi);
	check_screen(ctx, "kpi-names", render_kpi);
	check_screen(ctx, "alarms", render_alarms);
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
		cmocka_unit_test(test_ages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
