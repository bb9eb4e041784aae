/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Health of families whose answers come back by the routes of NAT pools: scripts in the language of
 * health_kit.h, a random history against a simple model, and that nobody else is touched.
 */
#include "health_kit.h"

#include <time.h>

/* One poll later, b's pools as they should be. */
#define POLL "wait 10000\n pool b * here\n pool c * here\n "
#define FALL "bmp a v4 out down\n owns a v4 no\n bmp a v4 out up\n "

static const struct {
	const char *name;
	const char *text;
} scripts[] = {
	{ "missing in two polls is a route on the move, in three it is gone",
	    "group 3 bfd=ignore nat=2\n calm\n" POLL "pool a 0 none\n" POLL "pool a 0 none\n"
	    "route a 0 missed\n route a 1 active\n set v4 abc\n changes 0\n" POLL
	    "pool a 0 none\n set v4 bc\n set v6 abc\n is a v4 down\n changes 1\n"
	    "why a v4 pool p0 203.0.113.0/28: no route outside" },
	{ "two bad polls, a good one: the count starts again",
	    "group 3 bfd=ignore nat=1\n calm\n pool a 0 none\n" POLL "pool a 0 none\n" POLL
	    "pool a 0 here\n" POLL "pool a 0 none\n" POLL "pool a 0 none\n set v4 abc\n" POLL
	    "pool a 0 none\n set v4 bc" },
	{ "a poll without an answer neither counts nor forgives",
	    "group 3 bfd=ignore nat=1\n calm\n pool a 0 none\n" POLL "pool a 0 none\n" POLL POLL
	    "set v4 abc\n pool a 0 none\n set v4 bc\n" POLL "is a v4 down" },
	{ "stolen by another element, which is named",
	    "group 3 bfd=ignore nat=1\n calm\n pool a 0 c\n" POLL "pool a 0 c\n"
	    "route a 0 missed by=c\n set v4 abc\n" POLL "pool a 0 c\n set v4 bc\n"
	    "why a v4 pool p0 203.0.113.0/28: its route leads to c (10.2.1.2)\n"
	    "route b 0 active\n route c 0 active" },
	{ "somebody else's, and a discard route",
	    "group 3 bfd=ignore nat=2\n calm\n pool a 0 else\n" POLL "pool a 0 else\n" POLL
	    "pool a 0 else\n why a v4 leads to 198.51.100.1\n pool a 1 discard\n pool a 0 here\n"
	    "is a v4 down\n why a v4 pool p1 203.0.113.16/28: its route has no next hop (discard)\n"
	    "route a 1 discarded" },
	{ "comes back with all of its routes, after hold-down counted from the last",
	    "group 3 bfd=ignore nat=2 hold=30 quorum=0\n calm\n"
	    "pool a * none\n" POLL "pool a * none\n" POLL "pool a * none\n owns a v4 no\n"
	    "is a v4 down\n" POLL "pool a 0 here\n is a v4 down\n why a v4 pool p1\n" POLL
	    "pool a 1 here\n is a v4 hold-down\n due a v4 30000\n wait 29999\n is a v4 hold-down\n"
	    "wait 1\n is a v4 up\n set v4 abc" },
	{ "in hold-down one miss is enough to go back",
	    "group 3 bfd=ignore nat=1 hold=30 quorum=0\n calm\n" FALL "pool a 0 here\n"
	    "is a v4 hold-down\n" POLL "pool a 0 none\n is a v4 down\n" POLL
	    "pool a 0 here\n is a v4 hold-down\n due a v4 30000" },
	{ "a new session's routes must be read first",
	    "group 3 bfd=ignore nat=1 hold=0 quorum=0\n calm\n" FALL "route a 0 unknown\n"
	    "wait 60000\n is a v4 down\n why a v4 pool p0 203.0.113.0/28: its route was not read\n"
	    "pool a 0 here ago=60001\n route a 0 unknown\n is a v4 down\n"
	    "pool a 0 here\n wait 0\n is a v4 up" },
	{ "while the session is down its routes are not counted",
	    "group 3 bfd=ignore nat=1\n calm\n bmp a v4 out down\n pool a 0 none\n" POLL
	    "pool a 0 none\n" POLL "pool a 0 none\n route a 0 unknown\n"
	    "bmp a v4 out up\n route a 0 unknown\n" POLL "pool a 0 here\n is a v4 up" },
	{ "BGP down acts at once, and is the reason",
	    "group 3 bfd=ignore nat=1\n calm\n pool a 0 none\n bmp a v4 out down hold-timer\n"
	    "set v4 bc\n why a v4 outside 10.0.1.2: bgp down" },
	{ "who still owns its units returns at once, but with its routes only",
	    "group 3 bfd=ignore nat=1 hold=30\n calm\n pool a 0 none\n" POLL "pool a 0 none\n" POLL
	    "pool a 0 none\n is a v4 down\n" POLL "pool a 0 none\n is a v4 down\n" POLL
	    "pool a 0 here\n is a v4 up" },
	{ "the failure is the family's",
	    "group 3 bfd=ignore nat=1 scope=auto\n calm\n pool a 0 none\n" POLL
	    "pool a 0 none\n" POLL "pool a 0 none\n set v4 bc\n set v6 abc" },
	{ "also where sessions take elements out whole",
	    "group 3 bfd=ignore nat=1 scope=element\n calm\n pool a 0 none\n" POLL
	    "pool a 0 none\n" POLL "pool a 0 none\n set v4 bc\n set v6 abc\n"
	    "bmp b v4 in down\n set v4 c\n set v6 ac\n is b v6 down-by-scope" },
	{ "it counts for damping",
	    "group 3 bfd=ignore nat=1 hold=10 quorum=0 flaps=1 damp=600,60,600\n calm\n"
	    "pool a 0 none\n" POLL "pool a 0 none\n" POLL "pool a 0 none\n owns a v4 no\n"
	    "downs a v4 1\n" POLL "pool a 0 here\n damped a v4 60000" },
	{ "at the start an owner waits for a poll, and is up whatever it says",
	    "group 3 bfd=ignore nat=1\n owns * * yes\n bmp * * * up\n is a v4 unknown\n"
	    "why a v4 waiting for its pool routes\n is a v6 up\n set v4 abc\n"
	    "pool a 0 none\n is a v4 up\n verdicts v4 no\n pool b 0 here\n pool c 0 here\n"
	    "verdicts v4 yes\n" POLL "pool a 0 none\n" POLL "pool a 0 none\n is a v4 down" },
	{ "at the start a newcomer needs its routes",
	    "group 3 bfd=ignore nat=1 quorum=0\n owns * * yes\n owns a v4 no\n bmp * * * up\n"
	    "poll * * * up age=9999\n pool * 0 here\n pool a 0 none\n is a v4 down\n" POLL
	    "pool a 0 here\n is a v4 hold-down" },
	{ "forced is out, and the routes are counted underneath",
	    "group 3 bfd=ignore nat=1\n calm\n forced a yes\n pool a 0 none\n" POLL
	    "pool a 0 none\n" POLL "pool a 0 none\n is a v4 down\n forced a no\n set v4 bc" },
	{ "a guard that looks every second does not make misses of one moment three",
	    "group 3 bfd=ignore nat=1\n calm\n pool a 0 none\n route a 0 missed\n wait 1000\n"
	    "pool a 0 none\n wait 1000\n pool a 0 none\n wait 1000\n pool a 0 none\n set v4 abc\n"
	    "wait 4500\n pool a 0 none\n set v4 abc\n wait 7400\n pool a 0 none\n set v4 abc\n"
	    "wait 100\n pool a 0 none\n set v4 bc" },
	{ "a router that refuses to tell says nothing, at a start either",
	    "group 3 bfd=ignore nat=2\n owns * * yes\n poll * * * up age=9999\n"
	    "pool b * here\n pool c * here\n verdicts v4 no\n pool a * refused\n route a 0 "
	    "refused\n"
	    "verdicts v4 yes\n is a v4 up\n set v4 abc\n" POLL "pool a * refused\n" POLL
	    "pool a * refused\n" POLL "pool a * refused\n set v4 abc\n"
	    "pool a * none\n" POLL "pool a * none\n" POLL "pool a * none\n set v4 bc" },
	{ "who was down for another reason comes back although its routes cannot be read",
	    "group 3 bfd=ignore nat=1 hold=30 quorum=0\n calm\n pool a 0 refused\n route a 0 "
	    "active\n"
	    "bmp a v4 out down\n owns a v4 no\n set v4 bc\n wait 60000\n bmp a v4 out up\n"
	    "why a v4 its route was not read yet\n pool a 0 refused\n is a v4 hold-down\n"
	    "wait 30000\n is a v4 up\n set v4 abc" },
	{ "who was down for its pool stays so: that is the last that is known",
	    "group 3 bfd=ignore nat=1 hold=30 quorum=0\n calm\n pool a 0 none\n" POLL
	    "pool a 0 none\n" POLL "pool a 0 none\n owns a v4 no\n wait 60000\n"
	    "pool a 0 refused\n is a v4 down\n why a v4 no route outside\n wait 60000\n"
	    "pool a 0 here\n is a v4 hold-down" },
	{ "damage to one side still explains more than a pool that is not read",
	    "group 3 bfd=ignore nat=1\n calm\n bmp a v4 in down\n bmp a v4 out down\n"
	    "bmp a v4 out up\n why a v4 inside" },
};

static void
test_scripts(void **state)
{
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		struct kit kit = { .script = scripts[i].name };
		kit_run(&kit, scripts[i].text);
	}
}

/* ---- a model ----------------------------------------------------------------------------------
 */

enum { ELEMENTS = 4, POOLS = 2, POLLS = 400 };

static void
poll_randomly(struct kit *kit, uint32_t (*missed)[POOLS])
{
	static const char *const words[] = { "here", "here", "here", "none", "else", "c" };

	for (size_t e = 0; e < ELEMENTS; e++) {
		struct health_route routes[POOLS];

		for (size_t p = 0; p < POOLS; p++) {
			const char *word = words[rand() % 6];
			bool is_here = strcmp(word, "here") == 0 || (e == 2 && *word == 'c');

			routes[p] = kit_route(kit, e, word);
			routes[p].answered = rand() % 8 > 0;
			if (routes[p].answered)
				missed[e][p] = is_here ? 0 : missed[e][p] + 1;
		}
		health_set_pools(kit->health, 0, e, FAMILY_IPV4, routes, kit->now, kit->now);
	}
}

/* All sessions stay up and nobody loses its units: out after the third miss of any pool, back when
 * the last poll of each found it. */
static void
test_model(void **state)
{
	unsigned seed = (unsigned)time(NULL);
	uint32_t missed[ELEMENTS][POOLS] = { 0 };
	bool up[ELEMENTS] = { true, true, true, true };
	char words[] = "group 4 bfd=ignore nat=2 quorum=0", calm[] = "calm";
	struct kit kit = { .script = "model" };

	print_message("SEED=%u\n", seed);
	srand(seed);
	kit_line(&kit, words);
	kit_line(&kit, calm);
	for (size_t poll = 0; poll < POLLS; poll++) {
		kit_wait(&kit, 10000);
		poll_randomly(&kit, missed);
		for (size_t e = 0; e < ELEMENTS; e++) {
			if (missed[e][0] > HEALTH_POOL_POLLS || missed[e][1] > HEALTH_POOL_POLLS)
				up[e] = false;
			else if (missed[e][0] == 0 && missed[e][1] == 0)
				up[e] = true;
			assert_int_equal(health_is_healthy(kit.health, 0, e, FAMILY_IPV4), up[e]);
			assert_true(health_is_healthy(kit.health, 0, e, FAMILY_IPV6));
		}
	}
	health_free(kit.health);
	kit_profile_done(&kit.profile);
}

/* Without nat-routes a pool's route is nobody's business, whatever is said about it. */
static void
test_filter_is_untouched(void **state)
{
	char words[] = "group 4 bfd=ignore", calm[] = "calm";
	struct kit kit = { .script = "filter" };
	struct health_route none = { .answered = true };

	kit_line(&kit, words);
	kit_line(&kit, calm);
	for (size_t poll = 0; poll < 10; poll++)
		for (size_t e = 0; e < ELEMENTS; e++) {
			kit_wait(&kit, 1000);
			assert_false(health_set_pools(
			    kit.health, 0, e, FAMILY_IPV4, &none, kit.now, kit.now));
			assert_true(health_is_healthy(kit.health, 0, e, FAMILY_IPV4));
		}
	assert_int_equal(kit.changes, 0);
	health_free(kit.health);
	kit_profile_done(&kit.profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scripts),
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_filter_is_untouched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
