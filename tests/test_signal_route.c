/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signal routes in virtual time. One command a line; every answer is asked for:
 *   alive GROUP FAMILY N changed|same      wait S      tick changed|same
 *   alter GROUP|all on|off changed|same    adopt ROUTES
 *   want ROUTES|-    failed GROUP FAMILY yes|no    altered GROUP FAMILY yes|no
 *   until GROUP FAMILY S|never             next S|never
 * The two groups share the failed route of IPv4; group 1's alter route is that route, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "error.h"
#include "layout_random.h"
#include "signal_route.h"

#define SHARED "192.0.2.128/32"
#define ALTER "192.0.2.129/32"
#define FAILED6 "2001:db8::dead/128"
#define OFF6 "2001:db8::beef/128" /* min-alive 0 */

enum { HOLD_S = 300, GROUPS = 2, ROUTES_SIZE = 256 };

struct stage {
	const char *name;
	const char *line;
	struct profile_group groups[GROUPS];
	struct profile profile;
	struct signal_routes *signals;
	struct mtime now;
};

#define stage_fail(stage, ...) \
	do { \
		print_error("%s: '%s': ", (stage)->name, (stage)->line); \
		print_error(__VA_ARGS__); \
		print_error("\n"); \
		fail(); \
	} while (0)

static struct prefix
route_of(const char *text)
{
	struct prefix route;

	assert_int_equal(prefix_parse(text, &route), 0);
	return route;
}

static void
begin(struct stage *stage)
{
	struct profile_signal none = { 0 };

	stage->profile = (struct profile){ .groups = stage->groups, .group_count = GROUPS };
	for (size_t g = 0; g < GROUPS; g++)
		stage->groups[g] =
		    (struct profile_group){ .revert_hold_s = HOLD_S, .signal = { none, none } };
	stage->groups[0].signal[FAMILY_IPV4] = (struct profile_signal){
		.min_alive = 2,
		.has_failed = true,
		.has_alter = true,
		.failed_route = route_of(SHARED),
		.alter_route = route_of(ALTER),
	};
	stage->groups[1].signal[FAMILY_IPV4] = (struct profile_signal){
		.min_alive = 1,
		.has_failed = true,
		.has_alter = true,
		.failed_route = route_of(SHARED),
		.alter_route = route_of(SHARED),
	};
	stage->groups[0].signal[FAMILY_IPV6] = (struct profile_signal){
		.min_alive = 2, .has_failed = true, .failed_route = route_of(FAILED6)
	};
	stage->groups[1].signal[FAMILY_IPV6] =
	    (struct profile_signal){ .has_failed = true, .failed_route = route_of(OFF6) };
	stage->now = (struct mtime){ 7000000000 };
	stage->signals = signal_routes_new(&stage->profile);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	const char *text;
} scripts[] = {
	{ "nothing is wanted, and the list says so",
	    "want -\nnext never\nfailed 0 v4 no\naltered 0 v4 no\nuntil 0 v4 never\ntick same" },
	{ "fewer than min-alive: at once",
	    "alive 0 v4 2 same\nwant -\nalive 0 v4 1 changed\nwant " SHARED
	    "\nfailed 0 v4 yes\nfailed 0 v6 no\nfailed 1 v4 no\nalive 0 v4 0 same\nnext never" },
	{ "enough again: withdrawn after revert-hold",
	    "alive 0 v6 1 changed\nwait 50\nalive 0 v6 2 same\nuntil 0 v6 300\nnext 300\n"
	    "wait 299\ntick same\nalive 0 v6 3 same\nuntil 0 v6 1\nwant " FAILED6
	    "\nwait 1\ntick changed\nwant -\nfailed 0 v6 no\nuntil 0 v6 never\nnext never" },
	{ "the hold may end in an update, too",
	    "alive 0 v6 1 changed\nalive 0 v6 2 same\nwait 300\nalive 0 v6 2 changed\nwant -" },
	{ "a flap restarts the hold",
	    "alive 0 v6 1 changed\nalive 0 v6 2 same\nwait 200\nalive 0 v6 1 same\n"
	    "until 0 v6 never\nnext never\nwait 500\ntick same\nwant " FAILED6
	    "\nalive 0 v6 2 same\nuntil 0 v6 300\nwait 299\ntick same\nwait 1\ntick changed" },
	{ "a shared route stays while anybody wants it",
	    "alive 0 v4 1 changed\nalive 1 v4 0 changed\nwant " SHARED "\nalive 0 v4 2 same\n"
	    "wait 300\ntick changed\nfailed 0 v4 no\nwant " SHARED "\nalive 1 v4 1 same\n"
	    "wait 300\ntick changed\nwant -" },
	{ "the operator's alter: its own route",
	    "alter 0 on changed\nalter 0 on same\nwant " ALTER "\naltered 0 v4 yes\n"
	    "altered 0 v6 no\naltered 1 v4 no\nalive 0 v4 1 changed\nwant " SHARED " " ALTER "\n"
	    "alter 0 off changed\nwant " SHARED "\nalter 0 off same" },
	{ "alter may equal the failed route: either keeps it",
	    "alter 1 on changed\nwant " SHARED "\nfailed 1 v4 no\nalive 1 v4 0 changed\n"
	    "alive 1 v4 1 same\nalter 1 off changed\nwant " SHARED "\nwait 300\ntick changed\n"
	    "want -\nalive 1 v4 0 changed\nalter 1 on changed\nalive 1 v4 1 same\nwait 300\n"
	    "tick changed\nfailed 1 v4 no\nwant " SHARED "\nalter 1 off changed\nwant -" },
	{ "all groups at once",
	    "alter all on changed\nwant " SHARED " " ALTER "\naltered 1 v4 yes\n"
	    "altered 1 v6 no\nalter all on same\nalter 0 off changed\nwant " SHARED "\n"
	    "alter all off changed\nwant -\nalter all off same" },
	{ "after a restart: found on the router, kept until there is a verdict and for revert-hold",
	    "adopt " FAILED6 "\nwant " FAILED6 "\nfailed 0 v6 yes\nfailed 0 v4 no\nnext never\n"
	    "wait 1000\ntick same\nwant " FAILED6 "\nalive 0 v6 2 same\nuntil 0 v6 300\n"
	    "wait 300\ntick changed\nwant -" },
	{ "after a restart, and still too few",
	    "adopt " FAILED6 "\nalive 0 v6 1 same\nwait 1000\ntick same\nwant " FAILED6 },
	{ "found and shared: each group says for itself",
	    "adopt " SHARED "\nfailed 0 v4 yes\nfailed 1 v4 yes\nalive 0 v4 4 same\nwait 100\n"
	    "alive 1 v4 4 same\nwait 200\ntick changed\nwant " SHARED "\nwait 100\ntick changed\n"
	    "want -" },
	{ "found, but the operator's alter explains it",
	    "alter 1 on changed\nadopt " SHARED "\nfailed 0 v4 no\nfailed 1 v4 no\nwant " SHARED
	    "\nalter 1 off changed\nwant -" },
	{ "found, and nobody's: not adopted", "adopt 192.0.2.77/32 " ALTER "\nwant -" },
	{ "min-alive 0 is off: what is found goes",
	    "adopt " OFF6
	    "\nfailed 1 v6 no\nwant -\nalive 1 v6 0 same\nfailed 1 v6 no\nwant -\nnext never" },
};

static const char *
format_want(struct stage *stage, char text[ROUTES_SIZE])
{
	struct listset want = { 0 };
	const struct prefix_list *list;
	char route[PREFIX_TEXT_SIZE];

	signal_routes_want(stage->signals, &want);
	listset_sort(&want);
	list = listset_find(&want, LISTSET_SIGNAL_ROUTES);
	text[0] = '\0';
	for (size_t i = 0; list && i < list->count; i++) {
		if (i)
			strcat(text, " ");
		strcat(text, prefix_format(&list->items[i], route));
	}
	if (list && !list->count)
		strcpy(text, "-");
	listset_done(&want);
	return text;
}

static void
adopt(struct stage *stage, char *routes)
{
	struct listset have = { 0 };
	char *word;

	while ((word = strsep(&routes, " "))) {
		struct prefix route = route_of(word);
		prefix_list_add(listset_list(&have, LISTSET_SIGNAL_ROUTES), &route);
	}
	listset_sort(&have);
	signal_routes_adopt(stage->signals, &have, stage->now);
	listset_done(&have);
}

static void
want_time(struct stage *stage, struct mtime t, const char *wanted)
{
	char text[32] = "never";

	if (!mtime_is_never(t))
		snprintf(
		    text, sizeof(text), "%lld", (long long)mtime_diff_ms(t, stage->now) / 1000);
	if (strcmp(text, wanted) != 0)
		stage_fail(stage, "it is %s", text);
}

static void
want_word(struct stage *stage, bool is_true, const char *yes, const char *wanted)
{
	if (is_true != (strcmp(yes, wanted) == 0))
		stage_fail(stage, "it is not");
}

static bool
ask_family(struct stage *stage, const char *line)
{
	char verb[16], tag[4], word[16], last[16] = "";
	enum family family;
	size_t group;

	if (sscanf(line, "%15s %zu %3s %15s %15s", verb, &group, tag, word, last) < 4)
		return false;
	family = strcmp(tag, "v6") == 0 ? FAMILY_IPV6 : FAMILY_IPV4;
	if (strcmp(verb, "alive") == 0)
		want_word(stage,
		    signal_routes_update(
		        stage->signals, group, family, strtoul(word, NULL, 10), stage->now),
		    "changed", last);
	else if (strcmp(verb, "failed") == 0)
		want_word(
		    stage, signal_routes_is_failed(stage->signals, group, family), "yes", word);
	else if (strcmp(verb, "altered") == 0)
		want_word(
		    stage, signal_routes_is_altered(stage->signals, group, family), "yes", word);
	else if (strcmp(verb, "until") == 0)
		want_time(stage, signal_routes_hold_until(stage->signals, group, family), word);
	else
		return false;
	return true;
}

static void
run_line(struct stage *stage, char *line)
{
	char text[ROUTES_SIZE], who[8], on[8], answer[16];
	long seconds;

	stage->line = line;
	if (ask_family(stage, line))
		return;
	if (sscanf(line, "alter %7s %7s %15s", who, on, answer) == 3) {
		size_t group = who[0] == 'a' ? SIZE_MAX : strtoul(who, NULL, 10);
		want_word(stage, signal_routes_alter(stage->signals, group, strcmp(on, "on") == 0),
		    "changed", answer);
	} else if (sscanf(line, "wait %ld", &seconds) == 1) {
		stage->now = mtime_add_ms(stage->now, seconds * 1000);
	} else if (sscanf(line, "tick %15s", answer) == 1) {
		want_word(stage, signal_routes_tick(stage->signals, stage->now), "changed", answer);
	} else if (sscanf(line, "next %15s", answer) == 1) {
		want_time(stage, signal_routes_deadline(stage->signals), answer);
	} else if (strncmp(line, "adopt ", 6) == 0) {
		adopt(stage, line + 6);
	} else if (strncmp(line, "want ", 5) == 0) {
		if (strcmp(format_want(stage, text), line + 5) != 0)
			stage_fail(stage, "it is '%s'", text);
	} else {
		stage_fail(stage, "no command");
	}
}

static void
test_scripts(void **state)
{
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		struct stage stage = { .name = scripts[i].name };
		char *copy = xstrdup(scripts[i].text), *rest = copy, *line;
		begin(&stage);
		while ((line = strsep(&rest, "\n")))
			run_line(&stage, line);
		signal_routes_free(stage.signals);
		free(copy);
	}
	signal_routes_free(NULL);
}

/* ---- what the profile names ------------------------------------------------------------------ */

static void
test_ours(void **state)
{
	static const struct {
		const char *route;
		bool is_ours;
	} table[] = { { SHARED, true }, { ALTER, true }, { FAILED6, true }, { OFF6, true },
		{ "192.0.2.130/32", false }, { "192.0.2.128/31", false } };
	struct stage stage = { .name = "ours" };

	begin(&stage);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct prefix route = route_of(table[i].route);
		assert_int_equal(signal_routes_is_ours(&stage.profile, &route), table[i].is_ours);
	}
	signal_routes_free(stage.signals);
}

/* A profile without signal routes has no such list: nothing there is ours to remove. */
static void
test_no_routes(void **state)
{
	struct profile_group group = { .revert_hold_s = HOLD_S };
	struct profile profile = { .groups = &group, .group_count = 1 };
	struct signal_routes *signals = signal_routes_new(&profile);
	struct listset want = { 0 };

	assert_false(signal_routes_update(signals, 0, FAMILY_IPV4, 0, (struct mtime){ 0 }));
	assert_false(signal_routes_alter(signals, SIZE_MAX, true));
	signal_routes_want(signals, &want);
	assert_int_equal(want.count, 0);
	listset_done(&want);
	signal_routes_free(signals);
}

/* ---- property: the route is there iff it was needed less than revert-hold ago -------------------
 */

struct memory { /* of one group and family: all that the rule speaks of */
	size_t alive;
	bool ever_few;
	struct mtime well_since; /* while it is well */
	bool altered;
};

static bool
should_be_failed(const struct stage *stage, const struct memory *memory, size_t g, enum family f)
{
	const struct profile_signal *signal = &stage->groups[g].signal[f];

	if (!signal->has_failed || signal->min_alive == 0)
		return false;
	return memory->alive < signal->min_alive ||
	       (memory->ever_few && mtime_diff_ms(stage->now, memory->well_since) < HOLD_S * 1000);
}

static void
check_routes(struct stage *stage, struct memory (*memory)[FAMILY_COUNT])
{
	struct listset want = { 0 }, should = { 0 };

	listset_list(&should, LISTSET_SIGNAL_ROUTES);
	for (size_t g = 0; g < GROUPS; g++)
		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			const struct profile_signal *signal = &stage->groups[g].signal[f];
			bool failed = should_be_failed(stage, &memory[g][f], g, f);
			assert_int_equal(signal_routes_is_failed(stage->signals, g, f), failed);
			if (failed)
				prefix_list_add(&should.lists[0], &signal->failed_route);
			if (signal->has_alter && memory[g][f].altered)
				prefix_list_add(&should.lists[0], &signal->alter_route);
		}
	signal_routes_want(stage->signals, &want);
	listset_sort(&want);
	listset_sort(&should);
	assert_true(listset_equal(&want, &should));
	listset_done(&want);
	listset_done(&should);
}

static void
change_alive(struct stage *stage, struct memory *memory, size_t g, enum family f, size_t alive)
{
	uint8_t min = stage->groups[g].signal[f].min_alive;

	if (memory->alive < min && alive >= min)
		memory->well_since = stage->now;
	memory->ever_few |= alive < min;
	memory->alive = alive;
	signal_routes_update(stage->signals, g, f, alive, stage->now);
}

static void
step_random(struct stage *stage, struct random *random, struct memory (*memory)[FAMILY_COUNT])
{
	size_t g = random_below(random, GROUPS);
	enum family f = (enum family)random_below(random, FAMILY_COUNT);
	struct mtime next = signal_routes_deadline(stage->signals);
	struct mtime then = mtime_add_ms(stage->now, (int64_t)random_below(random, 150000));

	if (next.us <= then.us) { /* timers fire when they are due */
		stage->now = next;
		assert_true(signal_routes_tick(stage->signals, stage->now));
		return;
	}
	stage->now = then;
	if (random_below(random, 8) == 0) {
		bool on = random_below(random, 2);
		memory[g][FAMILY_IPV4].altered = memory[g][FAMILY_IPV6].altered = on;
		signal_routes_alter(stage->signals, g, on);
	} else {
		change_alive(stage, &memory[g][f], g, f, random_below(random, 5));
	}
}

static void
test_random(void **state)
{
	struct random random = random_begin("signal routes");

	for (unsigned round = 0; round < 300; round++) {
		struct memory memory[GROUPS][FAMILY_COUNT] = { 0 };
		struct stage stage = { .name = "random" };
		begin(&stage);
		for (size_t g = 0; g < GROUPS; g++)
			for (enum family f = 0; f < FAMILY_COUNT; f++)
				change_alive(&stage, &memory[g][f], g, f, 4);
		for (unsigned i = 0; i < 200; i++) {
			step_random(&stage, &random, memory);
			check_routes(&stage, memory);
		}
		signal_routes_free(stage.signals);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scripts),
		cmocka_unit_test(test_ours),
		cmocka_unit_test(test_no_routes),
		cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
