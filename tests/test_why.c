/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The story of an address, against owners that were written down while the decisions were made:
 * random healthy sets with a split table, then addresses all over the pool. The seed is printed;
 * SEED=n runs one again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layout_build.h"
#include "northbound_why.h"

enum { ELEMENTS = 5, DECISIONS_MOST = 24 };

struct bed {
	struct profile *profile;
	struct layout_space *space;
	struct history *history;
	char id[LAYOUT_ID_TEXT_SIZE]; /* of the layout that stands */
	struct layout *layouts[DECISIONS_MOST];
	uint64_t ids[DECISIONS_MOST];
	size_t count;
};

static struct profile *
make_profile(void)
{
	struct profile *profile = build_profile();
	struct profile_group *group;

	build_pool(profile, "10.64.0.0/20", 26, 0, PROFILE_EPOCH_NONE);
	build_equal(profile, ELEMENTS);
	group = &profile->groups[0];
	group->split_count[FAMILY_IPV4] = 1;
	group->split[FAMILY_IPV4] = xcalloc(1, sizeof(**group->split));
	group->split[FAMILY_IPV4][0] = (struct profile_split){ .survivors = 3, .bits = 2 };
	return profile;
}

static void
format_id(const struct layout *layout, char buf[LAYOUT_ID_TEXT_SIZE])
{
	struct layout_id id = layout_compute_id(layout);

	layout_id_format(&id, buf);
}

static void
start(struct bed *bed)
{
	bool all[ELEMENTS] = { true, true, true, true, true };
	struct layout *base;

	*bed = (struct bed){ .profile = make_profile() };
	bed->space = layout_space_new(&bed->profile->groups[0], FAMILY_IPV4);
	bed->history = history_open(NULL, 1000);
	base = layout_compute_split(bed->space, all);
	format_id(base, bed->id);
	layout_free(base);
}

static void
stop(struct bed *bed)
{
	for (size_t i = 0; i < bed->count; i++)
		layout_free(bed->layouts[i]);
	history_close(bed->history);
	layout_space_free(bed->space);
	profile_free(bed->profile);
}

/* set: a bit per element. */
static void
decide(struct bed *bed, unsigned set)
{
	char healthy[64] = "", before[LAYOUT_ID_TEXT_SIZE];
	struct history_record record = { .when_us = 1,
		.kind = "decision",
		.subject = "g",
		.text = "t",
		.cause = "c",
		.group = "g",
		.family = "ipv4",
		.healthy = healthy,
		.layout_before = before,
		.layout_after = bed->id };
	bool is_healthy[ELEMENTS];

	for (int e = 0; e < ELEMENTS; e++) {
		is_healthy[e] = set >> e & 1;
		if (is_healthy[e])
			snprintf(healthy + strlen(healthy), sizeof(healthy) - strlen(healthy),
			    "%s%s", *healthy ? "," : "", bed->profile->groups[0].elements[e].id);
	}
	strcpy(before, bed->id);
	bed->layouts[bed->count] = layout_compute_split(bed->space, is_healthy);
	format_id(bed->layouts[bed->count], bed->id);
	bed->ids[bed->count++] = history_add(bed->history, &record);
}

static void
add_record(struct bed *bed, const char *kind, const char *group, const char *family)
{
	struct history_record record = { .when_us = 1,
		.kind = kind,
		.subject = "",
		.text = "",
		.group = group,
		.family = family,
		.healthy = "",
		.layout_after = bed->id };

	history_add(bed->history, &record);
}

/* By walking all pieces, not by the search that is tested. */
static uint8_t
get_owner(const struct layout *layout, const struct ip *ip)
{
	for (size_t i = 0; i < layout_pieces(layout); i++) {
		struct layout_piece piece = layout_piece(layout, i);

		if (prefix_contains_ip(&piece.prefix, ip))
			return piece.owner;
	}
	return LAYOUT_NONE;
}

static void
check_story(const struct bed *bed, const struct ip *ip)
{
	uint8_t owner = layout_space_base(bed->space, layout_space_find(bed->space, ip));
	struct why_story story;
	size_t at = 0;

	northbound_why_tell(bed->space, bed->history, ip, &story);
	assert_null(story.untold);
	for (size_t i = 0; i < bed->count; i++) {
		uint8_t next = get_owner(bed->layouts[i], ip);

		if (next == owner)
			continue;
		assert_true(at < story.count);
		assert_int_equal(story.steps[at].decision->id, bed->ids[i]);
		assert_int_equal(story.steps[at].from, owner);
		assert_int_equal(story.steps[at].to, next);
		owner = next;
		at++;
	}
	assert_int_equal(at, story.count);
	northbound_why_done(&story);
}

static void
test_random(void **state)
{
	const char *given = getenv("SEED");
	unsigned seed = given ? (unsigned)strtoul(given, NULL, 10) : (unsigned)time(NULL);
	struct ip ip = { .family = FAMILY_IPV4, .bytes = { 10, 64 } };

	(void)state;
	print_message("SEED=%u\n", seed);
	srandom(seed);
	for (int turn = 0; turn < 20; turn++) {
		struct bed bed;

		start(&bed);
		for (int i = 0; i < DECISIONS_MOST; i++) {
			decide(&bed, 1 + (unsigned)random() % 31);
			add_record(&bed, "decision", "other", "ipv4");
			add_record(&bed, "decision", "g", "ipv6");
			add_record(&bed, "health", "g", "ipv4");
		}
		for (int i = 0; i < 50; i++) {
			ip.bytes[2] = (uint8_t)(random() % 16);
			ip.bytes[3] = (uint8_t)random();
			check_story(&bed, &ip);
		}
		stop(&bed);
	}
}

/* Where it cannot know, it says so. */
static void
test_untold(void **state)
{
	struct ip ip = { .family = FAMILY_IPV4, .bytes = { 10, 64, 0, 1 } };
	struct why_story story;
	struct bed bed;

	(void)state;
	start(&bed);
	northbound_why_tell(bed.space, bed.history, &ip, &story);
	assert_int_equal(story.count, 0);
	assert_null(story.untold);
	add_record(&bed, "decision", "g", "ipv4"); /* another profile gave everybody's layout so */
	for (int e = 0; e < ELEMENTS; e++)
		decide(&bed, 1u << e);
	northbound_why_tell(bed.space, bed.history, &ip, &story);
	assert_non_null(strstr(story.untold, "another profile"));
	assert_true(story.count >= ELEMENTS - 1);
	for (size_t i = 1; i < story.count; i++)
		assert_int_equal(story.steps[i].from, story.steps[i - 1].to);
	northbound_why_done(&story);
	stop(&bed);

	start(&bed);
	bed.id[0] = bed.id[0] == 'a' ? 'b' : 'a'; /* what was before is not in the history */
	decide(&bed, 1);
	decide(&bed, 2);
	northbound_why_tell(bed.space, bed.history, &ip, &story);
	assert_non_null(strstr(story.untold, "no longer in the history"));
	assert_true(story.count > 0);
	assert_int_equal(story.steps[story.count - 1].to, 1);
	northbound_why_done(&story);
	stop(&bed);
}

/* The commit that carried a decision is the first good one that says so. */
static void
test_commit(void **state)
{
	struct history_record commit = {
		.when_us = 1, .kind = "commit", .subject = "", .text = ""
	};
	struct ip ip = { .family = FAMILY_IPV4, .bytes = { 10, 64, 0, 1 } };
	struct why_story story;
	struct bed bed;
	uint8_t base;
	uint64_t good;

	(void)state;
	start(&bed);
	base = layout_space_base(bed.space, layout_space_find(bed.space, &ip));
	decide(&bed, 31u & ~(1u << base));
	commit.plan = bed.ids[0] - 1; /* an older decision's */
	commit.committed_us = 7;
	history_add(bed.history, &commit);
	commit.plan = bed.ids[0]; /* failed */
	commit.committed_us = 0;
	history_add(bed.history, &commit);
	northbound_why_tell(bed.space, bed.history, &ip, &story);
	assert_int_equal(story.count, 1);
	assert_null(story.steps[0].commit);
	northbound_why_done(&story);
	commit.committed_us = 9;
	good = history_add(bed.history, &commit);
	history_add(bed.history, &commit);
	northbound_why_tell(bed.space, bed.history, &ip, &story);
	assert_int_equal(story.steps[0].commit->id, good);
	northbound_why_done(&story);
	stop(&bed);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random),
		cmocka_unit_test(test_untold), cmocka_unit_test(test_commit) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
