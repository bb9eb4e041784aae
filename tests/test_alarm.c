/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The alarm table in virtual time, a command a line:
 *   on TYPE KEY [age=MS]   the condition is there; evaluated     off TYPE KEY
 *   poll MS                so far are polls apart
 *   age TYPE KEY MS        it is there, and tells its age once more
 *   wait MS                evaluated at each deadline on the way, as the agent's timer does
 *   told WORDS|-           what was told since: major:KEY raised, -KEY cleared, KEY*2 two untold
 *   list WORDS|-           the alarms that stand                 ends MS|never    suppressed N
 * and a property over random conditions, with a printed seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "alarm.h"
#include "error.h"

enum { CONDITIONS_MOST = 16, TOLD_SIZE = 2000 };

struct present {
	enum alarm_type type;
	char key[32];
	int64_t age_us;
};

struct stage {
	const char *name, *line;
	struct alarms *alarms;
	struct mtime now;
	struct present present[CONDITIONS_MOST];
	size_t count;
	char told[TOLD_SIZE];
};

static const int64_t wall_start_us = 1700000000000000;

#define stage_fail(stage, ...) \
	do { \
		print_error("%s: '%s': ", (stage)->name, (stage)->line); \
		print_error(__VA_ARGS__); \
		print_error("\n"); \
		fail(); \
	} while (0)

static void
on_edge(void *arg, const struct alarm *alarm, bool is_raised, uint32_t untold)
{
	struct stage *stage = arg;
	size_t used = strlen(stage->told);

	used += (size_t)snprintf(stage->told + used, sizeof(stage->told) - used, "%s%s%s%s",
	    used ? " " : "", is_raised ? alarm_severity_names[alarm->severity] : "-",
	    is_raised ? ":" : "", alarm->key);
	if (untold)
		snprintf(stage->told + used, sizeof(stage->told) - used, "*%u", untold);
}

static void
evaluate(struct stage *stage, alarm_tell_fn *tell, void *arg)
{
	alarms_begin(stage->alarms, stage->now, wall_start_us + stage->now.us);
	for (size_t i = 0; i < stage->count; i++) {
		const struct present *present = &stage->present[i];
		struct alarm_condition condition = {
			.type = present->type, .group = present->key, .age_us = present->age_us
		};

		alarms_assert(stage->alarms, &condition, "seen %zu times", stage->count);
	}
	alarms_end(stage->alarms, tell, arg);
	for (size_t i = 0; i < stage->count; i++)
		stage->present[i].age_us = 0;
}

static void
run_to(struct stage *stage, struct mtime end, alarm_tell_fn *tell, void *arg)
{
	for (;;) {
		struct mtime next = alarms_deadline(stage->alarms);

		if (next.us > end.us)
			break;
		assert_true(next.us >= stage->now.us);
		stage->now = next;
		evaluate(stage, tell, arg);
		assert_true(alarms_deadline(stage->alarms).us > stage->now.us);
	}
	stage->now = end;
}

static enum alarm_type
type_of(struct stage *stage, const char *name)
{
	for (int type = 1; type < ALARM_TYPES; type++)
		if (strcmp(alarm_kind(type)->name, name) == 0)
			return type;
	stage_fail(stage, "no such type");
	return 0;
}

static size_t
find(struct stage *stage, enum alarm_type type, const char *key)
{
	size_t i = 0;

	while (i < stage->count &&
	       (stage->present[i].type != type || strcmp(stage->present[i].key, key) != 0))
		i++;
	return i;
}

static void
set_age(struct stage *stage, const char *name, const char *key, int64_t age_ms)
{
	size_t i = find(stage, type_of(stage, name), key);

	if (i == stage->count)
		stage_fail(stage, "it is not there");
	stage->present[i].age_us = age_ms * 1000;
	evaluate(stage, on_edge, stage);
}

static void
turn(struct stage *stage, bool on, const char *name, const char *key, int64_t age_ms)
{
	enum alarm_type type = type_of(stage, name);
	size_t i = find(stage, type, key);

	if (on == (i < stage->count) || stage->count == CONDITIONS_MOST)
		stage_fail(stage, "it is already");
	if (on) {
		stage->present[stage->count] =
		    (struct present){ .type = type, .age_us = age_ms * 1000 };
		snprintf(
		    stage->present[stage->count++].key, sizeof(stage->present->key), "%s", key);
	} else {
		stage->present[i] = stage->present[--stage->count];
	}
	evaluate(stage, on_edge, stage);
}

static void
expect(struct stage *stage, const char *what, const char *got, const char *wanted)
{
	if (strcmp(*got ? got : "-", wanted) != 0)
		stage_fail(stage, "%s %s", what, got);
}

static void
expect_list(struct stage *stage, const char *wanted)
{
	const struct alarm *alarm;
	size_t position = 0, count = 0;
	char text[500] = "";

	while ((alarm = alarms_next(stage->alarms, &position))) {
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "%s%s:%s", used ? " " : "",
		    alarm_severity_names[alarm->severity], alarm->key);
		count++;
	}
	assert_int_equal(alarms_count(stage->alarms), count);
	expect(stage, "list", text, wanted);
}

static void
expect_end(struct stage *stage, const char *wanted)
{
	struct mtime next = alarms_deadline(stage->alarms);
	char text[40] = "never";

	if (!mtime_is_never(next))
		snprintf(text, sizeof(text), "%jd", (intmax_t)mtime_diff_ms(next, stage->now));
	expect(stage, "ends", text, wanted);
}

static void
run_line(struct stage *stage, char *line)
{
	char word[16], a[32] = "", b[32] = "", c[32] = "", number[24];
	const char *rest;

	if (sscanf(line, "%15s %31s %31s %31s", word, a, b, c) < 2)
		stage_fail(stage, "two words at least");
	rest = strstr(line, a);
	if (strcmp(word, "on") == 0 || strcmp(word, "off") == 0) {
		turn(stage, word[1] == 'n', a, b, strncmp(c, "age=", 4) == 0 ? atol(c + 4) : 0);
	} else if (strcmp(word, "poll") == 0) {
		alarms_set_poll(stage->alarms, (uint32_t)atol(a));
	} else if (strcmp(word, "age") == 0) {
		set_age(stage, a, b, atol(c));
	} else if (strcmp(word, "wait") == 0) {
		run_to(stage, mtime_add_ms(stage->now, atol(a)), on_edge, stage);
	} else if (strcmp(word, "told") == 0) {
		expect(stage, "told", stage->told, rest);
		stage->told[0] = '\0';
	} else if (strcmp(word, "list") == 0) {
		expect_list(stage, rest);
	} else if (strcmp(word, "ends") == 0) {
		expect_end(stage, a);
	} else if (strcmp(word, "suppressed") == 0) {
		snprintf(
		    number, sizeof(number), "%ju", (uintmax_t)alarms_suppressed(stage->alarms));
		expect(stage, word, number, a);
	} else {
		stage_fail(stage, "no such command");
	}
}

static void
stage_begin(struct stage *stage, const char *name)
{
	*stage = (struct stage){ .name = name, .now = { 1000000 } };
	stage->alarms = alarms_new();
	evaluate(stage, on_edge, stage);
}

#define FLAP "off drift-repaired r\n on drift-repaired r\n"

static const struct {
	const char *name, *text;
} scripts[] = {
	{ "a type without delays is raised and cleared at once",
	    "list -\n ends never\n on drift-repaired r\n told major:r\n list major:r\n ends never\n"
	    "off drift-repaired r\n told -r\n list -" },
	{ "what ends within raise-after is not told",
	    "on down-element-owns-units g/a\n ends 3000\n list -\n wait 2999\n list -\n"
	    "off down-element-owns-units g/a\n ends never\n wait 9000\n told -" },
	{ "what lasts for raise-after is",
	    "on down-element-owns-units g/a\n wait 2999\n told -\n wait 1\n told critical:g/a\n"
	    "ends never\n wait 99000\n told -\n list critical:g/a" },
	{ "raise-after counts from the last time it began",
	    "on down-element-owns-units a\n wait 2000\n off down-element-owns-units a\n"
	    "on down-element-owns-units a\n wait 2000\n told -\n wait 1000\n told critical:a" },
	{ "a worse severity when it lasts, told again",
	    "on commit-pending router\n wait 2000\n told major:router\n ends 3000\n wait 2999\n"
	    "list major:router\n wait 1\n told critical:router\n ends never\n"
	    "off commit-pending router\n told -router" },
	{ "blind: minor, then critical, and what came before is forgotten with the alarm",
	    "on agent-blind router\n wait 10000\n told minor:router\n wait 50000\n"
	    "told critical:router\n off agent-blind router\n told -router\n"
	    "on agent-blind router\n wait 10000\n told minor:router" },
	{ "clear-after: what comes back in time is the same alarm",
	    "on element-down a\n told major:a\n off element-down a\n ends 2000\n list major:a\n"
	    "wait 1999\n on element-down a\n wait 5000\n told -\n off element-down a\n"
	    "wait 2000\n told -a\n list -" },
	{ "what polls tell: not before two of them, when they are far apart",
	    "on silent-element a\n on capacity-near a\n told major:a major:a\n off silent-element "
	    "a\n"
	    "ends 20000\n poll 60000\n ends 120000\n off capacity-near a\n ends 20000\n"
	    "wait 20000\n told -a\n ends 100000\n poll 1000\n ends 0\n wait 1\n told -a" },
	{ "what polls tell: one bad figure is not told, however far apart they are",
	    "poll 10000\n on few-routes a\n wait 19999\n off few-routes a\n wait 9000\n told -\n"
	    "poll 60000\n on few-routes a\n ends 120000\n wait 60000\n off few-routes a\n told -\n"
	    "on few-routes a\n wait 119999\n told -\n wait 1\n told major:a\n"
	    "off few-routes a\n ends 120000\n poll 1000\n ends 20000" },
	{ "a condition that is older than the table",
	    "on forced-long a age=28799000\n list -\n ends 1000\n wait 1000\n told minor:a\n"
	    "on forced-long b age=28800000\n told minor:b\n list minor:a minor:b" },
	{ "what tells its age may have begun again between two looks",
	    "on commit-pending r age=1500\n ends 500\n age commit-pending r 100\n ends 1900\n"
	    "wait 1899\n told -\n wait 1\n told major:r\n age commit-pending r 100\n ends 3000\n"
	    "wait 3000\n told critical:r" },
	{ "by type and key: the same key in two types, two keys of a type",
	    "on two-writers x\n on drift-repaired x\n on two-writers a\n told major:x major:x "
	    "major:a\n"
	    "list major:x major:a major:x\n off two-writers x\n told -x\n list major:x major:a" },
	{ "a storm: ten are told, what is true by then after a minute",
	    "on drift-repaired r\n" FLAP FLAP FLAP FLAP "off drift-repaired r\n"
	    "told major:r -r major:r -r major:r -r major:r -r major:r -r\n suppressed 0\n"
	    "on drift-repaired r\n told -\n list major:r\n suppressed 1\n ends 60000\n" FLAP FLAP
	    "suppressed 5\n wait 59999\n told -\n wait 1\n told major:r*5\n ends never\n"
	    "wait 60000\n off drift-repaired r\n told -r" },
	{ "a storm that ends where it began has nothing to tell",
	    "on drift-repaired r\n" FLAP FLAP FLAP FLAP "off drift-repaired r\n wait 1000\n"
	    "told major:r -r major:r -r major:r -r major:r -r major:r -r\n"
	    "on drift-repaired r\n off drift-repaired r\n told -\n suppressed 2\n ends never\n"
	    "wait 70000\n told -\n on drift-repaired r\n told major:r*2" },
	{ "a storm of one key does not silence another",
	    "on drift-repaired r\n" FLAP FLAP FLAP FLAP FLAP FLAP
	    "on drift-repaired q\n off drift-repaired q\n told major:r -r major:r -r major:r -r "
	    "major:r -r major:r -r major:q -q" },
	{ "a step up is held back by the storm, too, and comes with it",
	    "on commit-pending r\n wait 2000\n off commit-pending r\n on commit-pending r\n"
	    "wait 2000\n off commit-pending r\n on commit-pending r\n wait 2000\n"
	    "off commit-pending r\n on commit-pending r\n wait 2000\n off commit-pending r\n"
	    "on commit-pending r\n wait 2000\n off commit-pending r\n"
	    "told major:r -r major:r -r major:r -r major:r -r major:r -r\n"
	    "on commit-pending r\n wait 6000\n list critical:r\n told -\n suppressed 2\n"
	    "wait 60000\n told critical:r*2" },
};

static void
test_scripts(void **state)
{
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		char *text = xstrdup(scripts[i].text), *save = NULL;
		struct stage stage;

		stage_begin(&stage, scripts[i].name);
		for (char *line = strtok_r(text, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save)) {
			stage.line = line;
			run_line(&stage, line);
		}
		alarms_free(stage.alarms);
		free(text);
	}
}

/* ---- what readers get ------------------------------------------------------------------------ */

static void
keep_copy(void *arg, const struct alarm *alarm, bool is_raised, uint32_t untold)
{
	if (is_raised)
		alarm_copy(alarm, arg);
}

static void
test_fields(void **state)
{
	const struct alarm_condition element = { .type = ALARM_UNPROTECTED_SESSION,
		.group = "cgn",
		.element = "fbf-01",
		.family = "ipv6",
		.age_us = 60000000 };
	const struct alarm_condition list = { .type = ALARM_TWO_WRITERS, .name = "fbf-01-ovr-v4" };
	struct alarms *alarms = alarms_new();
	struct alarm got = { 0 };
	char *remedy;

	assert_int_equal(alarms_last_change(alarms), 0);
	alarms_begin(alarms, (struct mtime){ 5 }, wall_start_us);
	alarms_assert(alarms, &element, "BFD %s on the %s side", "missing", "inside");
	alarms_end(alarms, keep_copy, &got);
	assert_string_equal(got.key, "cgn/fbf-01/ipv6");
	assert_string_equal(got.group, "cgn");
	assert_string_equal(got.element, "fbf-01");
	assert_string_equal(got.family, "ipv6");
	assert_string_equal(got.cause, "BFD missing on the inside side");
	assert_int_equal(got.since_us, wall_start_us - 60000000);
	assert_int_equal(got.severity, ALARM_MINOR);
	assert_int_equal(alarms_last_change(alarms), wall_start_us);
	remedy = alarm_remedy(&got);
	assert_string_equal(remedy, "autofbf sessions fbf-01; configure BFD on the element, or bfd "
	                            "ignore in the profile");
	free(remedy);
	alarm_done(&got);

	alarms_begin(alarms, (struct mtime){ 6 }, wall_start_us + 1);
	alarms_assert(alarms, &element, "another cause");
	alarms_assert(alarms, &list, "edited by %d", 2);
	alarms_end(alarms, keep_copy, &got);
	assert_string_equal(got.key, "fbf-01-ovr-v4");
	assert_null(got.group);
	alarm_done(&got);
	assert_string_equal(alarms_next(alarms, &(size_t){ 1 })->cause, "another cause");
	assert_int_equal(alarms_next(alarms, &(size_t){ 1 })->since_us, wall_start_us - 60000000);
	alarms_free(alarms);
}

/* Two pools of one element and family are two things. */
static void
test_pools(void **state)
{
	struct alarm_condition pool = { .type = ALARM_NAT_POOL_MISSING,
		.group = "cgn",
		.element = "fbf-04",
		.family = "ipv4",
		.name = "first" };
	struct alarms *alarms = alarms_new();
	struct alarm got = { 0 };

	alarms_begin(alarms, (struct mtime){ 5 }, wall_start_us);
	alarms_assert(alarms, &pool, "one");
	alarms_end(alarms, keep_copy, &got);
	assert_string_equal(got.key, "cgn/fbf-04/ipv4/first");
	alarm_done(&got);
	alarms_begin(alarms, (struct mtime){ 6 }, wall_start_us);
	alarms_assert(alarms, &pool, "one");
	pool.name = "second";
	alarms_assert(alarms, &pool, "two");
	alarms_end(alarms, keep_copy, &got);
	assert_string_equal(got.key, "cgn/fbf-04/ipv4/second");
	assert_int_equal(alarms_count(alarms), 2);
	alarm_done(&got);
	alarms_free(alarms);
}

static void
ignore_edge(void *arg, const struct alarm *alarm, bool is_raised, uint32_t untold)
{
	++*(size_t *)arg;
}

static void
test_bounded(void **state)
{
	struct alarms *alarms = alarms_new();
	size_t told = 0;
	char name[24];

	for (int round = 0; round < 2; round++) {
		alarms_begin(alarms, mtime_from_ms(round * ALARM_TOLD_WINDOW_MS), wall_start_us);
		for (int i = 0; i < ALARMS_MOST + 5; i++) {
			struct alarm_condition condition = { .type = ALARM_TWO_WRITERS,
				.name = name };
			snprintf(name, sizeof(name), "%d-%d", round, i);
			alarms_assert(alarms, &condition, "x");
		}
		alarms_end(alarms, ignore_edge, &told);
	}
	/* The second round finds the table full of the first; that is cleared and, a minute after,
	 * forgotten. */
	assert_int_equal(alarms_left_out(alarms), 5 + ALARMS_MOST + 5);
	assert_int_equal(told, 2 * ALARMS_MOST);
	assert_int_equal(alarms_count(alarms), 0);
	alarms_begin(alarms, mtime_from_ms(2 * ALARM_TOLD_WINDOW_MS), wall_start_us);
	alarms_end(alarms, ignore_edge, &told);
	alarms_begin(alarms, mtime_from_ms(2 * ALARM_TOLD_WINDOW_MS), wall_start_us);
	for (int i = 0; i < ALARMS_MOST; i++) {
		struct alarm_condition condition = { .type = ALARM_TWO_WRITERS, .name = name };
		snprintf(name, sizeof(name), "%d", i);
		alarms_assert(alarms, &condition, "x");
	}
	alarms_end(alarms, ignore_edge, &told);
	assert_int_equal(alarms_count(alarms), ALARMS_MOST);
	alarms_free(alarms);
}

static void
test_kinds(void **state)
{
	for (int type = 1; type < ALARM_TYPES; type++) {
		const struct alarm_kind *kind = alarm_kind(type);

		assert_non_null(kind->name);
		assert_true(kind->severity >= ALARM_MINOR && kind->severity <= ALARM_CRITICAL);
		assert_true(!kind->worse || (kind->worse > kind->severity &&
		                                kind->worse_after_ms > kind->raise_after_ms));
		assert_true(kind->meaning[strlen(kind->meaning) - 1] == '.');
		assert_non_null(strstr(kind->remedy, "autofbf "));
		for (int other = 1; other < type; other++)
			assert_string_not_equal(kind->name, alarm_kind(other)->name);
	}
}

/* ---- the manual ------------------------------------------------------------------------------ */

static void
write_delay(uint32_t ms, char *buf, size_t size)
{
	uint32_t seconds = ms / 1000;

	if (seconds == 0)
		snprintf(buf, size, "%s", "");
	else if (seconds % 3600 == 0)
		snprintf(buf, size, " after %u h", seconds / 3600);
	else if (seconds % 60 == 0)
		snprintf(buf, size, " after %u min", seconds / 60);
	else
		snprintf(buf, size, " after %u s", seconds);
}

/* Where the words of text follow each other, however the lines are broken; NULL: nowhere. */
static const char *
find_words(const char *page, const char *text)
{
	for (const char *start = page; *start; start++) {
		const char *at = start, *word = text;

		while (*word && (*at == *word || (*word == ' ' && *at == '\n')))
			at++, word++;
		if (!*word)
			return at;
	}
	return NULL;
}

/* Type, severity and thresholds are told, then what it means, then what to do. */
static void
test_manual_is_complete(void **state)
{
	FILE *file = fopen("tools/man/autofbf.1", "r");
	char *page = NULL, after[32], worse[64] = "", cleared[64] = "", line[200];
	size_t size = 0;

	assert_non_null(file);
	assert_true(getdelim(&page, &size, '\0', file) > 0);
	fclose(file);
	for (int type = 1; type < ALARM_TYPES; type++) {
		const struct alarm_kind *kind = alarm_kind(type);
		const char *at = page;

		write_delay(kind->worse_after_ms, after, sizeof(after));
		snprintf(worse, sizeof(worse), " , %s%s", alarm_severity_names[kind->worse], after);
		write_delay(kind->clear_after_ms, after, sizeof(after));
		snprintf(cleared, sizeof(cleared), " , cleared%s", after);
		write_delay(kind->raise_after_ms, after, sizeof(after));
		snprintf(line, sizeof(line), ".It Sy %s Pq %s%s%s%s\n", kind->name,
		    alarm_severity_names[kind->severity], after, kind->worse ? worse : "",
		    kind->clear_after_ms ? cleared : "");
		if (!(at = find_words(at, line)) || !(at = find_words(at, kind->meaning)) ||
		    !find_words(at, kind->remedy))
			fail_msg("the manual does not tell about %s", line);
	}
	free(page);
}

/* ---- property -------------------------------------------------------------------------------- */

enum { RUNS = 300, STEPS = 200, KEYS = 6 };

static const enum alarm_type random_types[KEYS] = { ALARM_COMMIT_PENDING, ALARM_ELEMENT_DOWN,
	ALARM_DRIFT_REPAIRED, ALARM_AGENT_BLIND, ALARM_DOWN_ELEMENT_OWNS_UNITS,
	ALARM_DRIFT_REPAIRED };

struct teller {
	struct stage *stage;
	enum alarm_severity said[KEYS];
	int64_t told_us[KEYS][ALARM_TOLD_MOST]; /* the last ten */
	size_t told[KEYS];
};

/* Never the same twice, and never eleven within a minute. */
static void
check_edge(void *arg, const struct alarm *alarm, bool is_raised, uint32_t untold)
{
	struct teller *teller = arg;
	size_t key = (size_t)atoi(alarm->key);
	int64_t *slot = &teller->told_us[key][teller->told[key] % ALARM_TOLD_MOST];
	enum alarm_severity severity = is_raised ? alarm->severity : ALARM_CLEARED;

	assert_int_not_equal(teller->said[key], severity);
	if (teller->told[key] >= ALARM_TOLD_MOST)
		assert_true(teller->stage->now.us - *slot >= ALARM_TOLD_WINDOW_MS * 1000LL);
	*slot = teller->stage->now.us;
	teller->told[key]++;
	teller->said[key] = severity;
}

static void
flip(struct stage *stage, size_t key)
{
	char text[8];

	snprintf(text, sizeof(text), "%zu", key);
	for (size_t i = 0; i < stage->count; i++)
		if (strcmp(stage->present[i].key, text) == 0) {
			stage->present[i] = stage->present[--stage->count];
			return;
		}
	stage->present[stage->count] = (struct present){ .type = random_types[key] };
	snprintf(stage->present[stage->count++].key, sizeof(text), "%s", text);
}

/* After all delays the table, and what was told last, is what is asserted, at its worst. */
static void
check_settled(struct stage *stage, const struct teller *teller)
{
	assert_int_equal(alarms_count(stage->alarms), stage->count);
	for (size_t key = 0; key < KEYS; key++) {
		const struct alarm_kind *kind = alarm_kind(random_types[key]);
		enum alarm_severity wanted = ALARM_CLEARED;

		for (size_t i = 0; i < stage->count; i++)
			if (atoi(stage->present[i].key) == (int)key)
				wanted = kind->worse ? kind->worse : kind->severity;
		assert_int_equal(teller->said[key], wanted);
	}
}

static void
test_random(void **state)
{
	unsigned seed = (unsigned)time(NULL);

	print_message("seed %u\n", seed);
	srandom(seed);
	for (int run = 0; run < RUNS; run++) {
		struct stage stage;
		struct teller teller = { .stage = &stage };
		long pace = random() % 2 ? 500 : 5000;

		stage_begin(&stage, "random");
		for (int step = 0; step < STEPS; step++) {
			flip(&stage, (size_t)random() % KEYS);
			evaluate(&stage, check_edge, &teller);
			run_to(
			    &stage, mtime_add_ms(stage.now, random() % pace), check_edge, &teller);
		}
		run_to(&stage, mtime_add_ms(stage.now, 2 * 60000), check_edge, &teller);
		check_settled(&stage, &teller);
		assert_true(mtime_is_never(alarms_deadline(stage.alarms)));
		alarms_free(stage.alarms);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scripts),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_pools),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_manual_is_complete),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
