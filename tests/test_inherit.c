/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Another profile under a running core. The property: a core that is handed from one copy of the
 * same profile to another, again and again in the middle of a random story, can at no moment be
 * told from one that never was: same answers, same views, same timers, and so the same future.
 * Then what differs where the profiles do: other indexes, new elements, other peers.
 *
 * SEED=n repeats a run, ROUNDS=n changes its length.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "health.h"
#include "layout_random.h"
#include "signal_route.h"

enum { ELEMENTS = 5, STEPS = 400, START_MS = 1000000, NAT_POOLS = 2 };

/* ---- profiles ------------------------------------------------------------------------------- */

static struct ip
address_of(size_t e, enum family f, enum side s)
{
	char text[IP_TEXT_SIZE];
	struct ip ip;

	snprintf(text, sizeof(text), f == FAMILY_IPV4 ? "192.168.%zu.%d" : "fd00::%zx:%d", e,
	    s == SIDE_INSIDE ? 2 : 6);
	assert_int_equal(ip_parse(text, &ip), 0);
	return ip;
}

static void
add_nat_pools(struct profile_element_family *family, size_t e)
{
	family->nat_pools = xcalloc(NAT_POOLS, sizeof(*family->nat_pools));
	family->nat_pool_count = NAT_POOLS;
	for (size_t p = 0; p < NAT_POOLS; p++) {
		char text[PREFIX_TEXT_SIZE];

		snprintf(text, sizeof(text), "203.0.%zu.%zu/26", e, p * 64);
		family->nat_pools[p].id = xasprintf("p%zu", p);
		assert_int_equal(prefix_parse(text, &family->nat_pools[p].prefix), 0);
	}
}

/* number names it and its peers. */
static struct profile_element *
add_element(struct profile *profile, size_t number, unsigned weight, enum bfd_mode bfd)
{
	char id[8];
	struct profile_element *element;

	snprintf(id, sizeof(id), "e%zu", number);
	element = build_element(profile, id);
	build_weight(element, 0, weight);
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		for (enum side s = 0; s < SIDE_COUNT; s++) {
			element->family[f].peer[s].address = address_of(number, f, s);
			element->family[f].peer[s].instance = xstrdup("master");
			element->family[f].peer[s].bfd = bfd;
		}
	return element;
}

static void
choose_policy(struct profile_group *group, struct random *random)
{
	group->hold_down_s = (uint32_t)random_below(random, 40);
	group->quorum_percent = (uint8_t)(random_below(random, 3) * 50);
	group->startup_wait_s = 20;
	group->mass_window_ms = 5000;
	group->mass_share_percent = 50;
	group->scope = (enum failure_scope)random_below(random, SCOPE_COUNT);
	group->damping_flaps = (uint8_t)random_below(random, 4);
	group->damping_window_s = 300;
	group->damping_initial_s = 30;
	group->damping_maximum_s = 90;
	group->revert = random_below(random, 3) ? REVERT_AUTOMATIC : REVERT_MANUAL;
	group->return_path[FAMILY_IPV4] =
	    random_below(random, 2) ? RETURN_NAT_ROUTES : RETURN_FILTER;
	group->revert_hold_s = 15;
	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		struct profile_signal *signal = &group->signal[f];

		signal->min_alive = (uint8_t)random_below(random, 4);
		signal->has_failed = signal->min_alive > 0;
		signal->has_alter = random_below(random, 2) == 0;
		assert_int_equal(
		    prefix_parse(f == FAMILY_IPV4 ? "192.0.2.128/32" : "2001:db8::dead/128",
		        &signal->failed_route),
		    0);
		assert_int_equal(
		    prefix_parse(f == FAMILY_IPV4 ? "192.0.2.129/32" : "2001:db8::beef/128",
		        &signal->alter_route),
		    0);
	}
}

/* The same for the same random. */
static struct profile *
make_profile(struct random random)
{
	struct profile *profile = build_profile();
	size_t count = 2 + random_below(&random, ELEMENTS - 1);

	profile->poll_interval_ms = 5000;
	choose_policy(profile->groups, &random);
	for (size_t e = 0; e < count; e++) {
		struct profile_element *element =
		    add_element(profile, e, (unsigned)random_below(&random, 3),
		        (enum bfd_mode)random_below(&random, BFD_MODE_COUNT));

		element->family[FAMILY_IPV6].present = random_below(&random, 6) != 0;
		element->family[FAMILY_IPV4].peer[SIDE_OUTSIDE].required_routes =
		    (uint32_t)random_below(&random, 2) * 10;
		if (random_below(&random, 3) == 0)
			element->failure_domain = xstrdup("host");
		add_nat_pools(&element->family[FAMILY_IPV4], e);
	}
	profile_sort(profile);
	return profile;
}

/* ---- a core --------------------------------------------------------------------------------- */

struct core {
	struct profile *profile; /* owned */
	struct health *health;
	struct guard *guard;
	struct signal_routes *signals;
};

static struct core
open_core(struct profile *profile, struct mtime now)
{
	return (struct core){ profile, health_new(profile, now), guard_new(profile, now),
		signal_routes_new(profile) };
}

static void
close_core(struct core *core)
{
	health_free(core->health);
	guard_free(core->guard);
	signal_routes_free(core->signals);
	profile_free(core->profile);
}

static void
hand_over(struct core *core, struct profile *profile, struct mtime now)
{
	struct core next = open_core(profile, now);

	health_inherit(next.health, core->health);
	guard_inherit(next.guard, core->guard);
	signal_routes_inherit(next.signals, core->signals);
	close_core(core);
	*core = next;
}

/* ---- a story -------------------------------------------------------------------------------- */

static void
make_event(struct random *random, const struct core *core, struct mtime now, struct event *ret)
{
	size_t e = random_below(random, core->profile->groups[0].element_count);
	static const enum event_kind kinds[] = { EVENT_BGP_UP, EVENT_BGP_UP, EVENT_BGP_UP,
		EVENT_BGP_DOWN, EVENT_BFD_UP, EVENT_BFD_UP, EVENT_BFD_DOWN, EVENT_UNKNOWN,
		EVENT_SOURCE_LOST };

	*ret =
	    (struct event){ .kind = kinds[random_below(random, sizeof(kinds) / sizeof(kinds[0]))],
		    .source = (enum event_source)random_below(random, SOURCE_COUNT),
		    .cause = (enum event_cause)random_below(random, CAUSE_COUNT),
		    .peer = address_of(e, (enum family)random_below(random, FAMILY_COUNT),
		        (enum side)random_below(random, SIDE_COUNT)),
		    .established_s = (int64_t)random_below(random, 100) - 1,
		    .at = mtime_add_ms(now, -(int64_t)random_below(random, 500)) };
}

/* All sides of everybody, so that something serves. */
static bool
tell_all_up(const struct core *core, struct mtime now)
{
	const struct profile_group *group = &core->profile->groups[0];
	bool changed = false;

	for (size_t e = 0; e < group->element_count; e++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; s < SIDE_COUNT; s++) {
				struct event event = { .kind = EVENT_BGP_UP,
					.source = SOURCE_POLL,
					.peer = group->elements[e].family[f].peer[s].address,
					.established_s = 1000,
					.at = now };

				changed |= health_feed(core->health, &event, now);
				event.kind = EVENT_BFD_UP;
				changed |= health_feed(core->health, &event, now);
			}
	return changed;
}

static bool
tell_pools(const struct core *core, struct random *random, size_t e, struct mtime now)
{
	struct health_route routes[NAT_POOLS];

	if (core->profile->groups[0].return_path[FAMILY_IPV4] != RETURN_NAT_ROUTES)
		return false;
	for (size_t p = 0; p < NAT_POOLS; p++)
		routes[p] = (struct health_route){ .answered = random_below(random, 8) != 0,
			.present = random_below(random, 6) != 0,
			.to_known = random_below(random, 8) != 0,
			.to =
			    address_of(random_below(random, 6) ? e : random_below(random, ELEMENTS),
			        FAMILY_IPV4, SIDE_OUTSIDE) };
	return health_set_pools(core->health, 0, e, FAMILY_IPV4, routes, now, now);
}

static bool
follow_signals(const struct core *core, struct mtime now)
{
	bool changed = false;

	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		size_t alive = 0;

		for (size_t e = 0; e < core->profile->groups[0].element_count; e++)
			alive += health_is_healthy(core->health, 0, e, f);
		changed |= signal_routes_update(core->signals, 0, f, alive, now);
	}
	return changed;
}

/* One step, the same for the same random; what the calls answered. */
static unsigned
step(const struct core *core, struct random random, struct mtime now)
{
	size_t e = random_below(&random, core->profile->groups[0].element_count);
	enum family f = (enum family)random_below(&random, FAMILY_COUNT);
	struct event event;

	switch (random_below(&random, 16)) {
	case 0:
		return tell_all_up(core, now);
	case 1:
		return health_set_owns(core->health, 0, e, f, random_below(&random, 4) != 0, now);
	case 2:
		return health_set_forced(core->health, 0, e, random_below(&random, 3) == 0, now);
	case 3:
		return health_set_routes(core->health,
		    &core->profile->groups[0].elements[e].family[f].peer[SIDE_OUTSIDE].address,
		    "master", (int64_t)random_below(&random, 20) - 1, now, now);
	case 4:
		return health_revert(core->health, 0, e, now);
	case 5:
		return guard_polled(core->guard, core->health, random_below(&random, 5) != 0,
		    mtime_add_ms(now, -(int64_t)random_below(&random, 400000)),
		    mtime_add_ms(now, -50), now);
	case 6:
		return guard_operator(core->guard, core->health,
		    random_below(&random, 2) ? SIZE_MAX : 0, random_below(&random, 3) == 0, now);
	case 7:
		return signal_routes_alter(core->signals, 0, random_below(&random, 2) == 0);
	case 8:
		return follow_signals(core, now);
	case 9:
		return tell_pools(core, &random, e, now);
	case 10:
	case 11:
		return health_tick(core->health, now) |
		       guard_update(core->guard, core->health, now) << 1 |
		       signal_routes_tick(core->signals, now) << 2;
	default:
		make_event(&random, core, now, &event);
		return health_feed(core->health, &event, now);
	}
}

/* ---- the same ------------------------------------------------------------------------------- */

static void
assert_same_peer(const struct health_peer_view *a, const struct health_peer_view *b)
{
	assert_int_equal(a->bgp, b->bgp);
	assert_int_equal(a->bfd, b->bfd);
	assert_int_equal(a->unprotected, b->unprotected);
	assert_int_equal(a->cause, b->cause);
	assert_int_equal(a->source, b->source);
	assert_int_equal(a->since.us, b->since.us);
	assert_int_equal(a->established_s, b->established_s);
	assert_int_equal(a->flaps, b->flaps);
	assert_int_equal(a->routes, b->routes);
	assert_int_equal(a->lacks_routes, b->lacks_routes);
}

static void
assert_same_view(const struct health_view *a, const struct health_view *b)
{
	assert_string_equal(a->reason, b->reason);
	assert_int_equal(a->state, b->state);
	assert_int_equal(a->healthy, b->healthy);
	assert_int_equal(a->forced, b->forced);
	assert_int_equal(a->owns, b->owns);
	assert_int_equal(a->since.us, b->since.us);
	assert_int_equal(a->hold_until.us, b->hold_until.us);
	assert_int_equal(a->damped_until.us, b->damped_until.us);
	assert_int_equal(a->downs, b->downs);
	assert_int_equal(a->awaits_operator, b->awaits_operator);
	assert_int_equal(a->failed_session, b->failed_session);
	assert_int_equal(a->by_pools, b->by_pools);
	assert_int_equal(a->misses_pools, b->misses_pools);
	assert_int_equal(a->has_pools, b->has_pools);
	for (enum side s = 0; s < SIDE_COUNT; s++)
		assert_same_peer(&a->peer[s], &b->peer[s]);
}

static void
assert_same_pools(const struct core *a, const struct core *b, size_t e)
{
	if (a->profile->groups[0].return_path[FAMILY_IPV4] != RETURN_NAT_ROUTES)
		return;
	for (size_t p = 0; p < NAT_POOLS; p++) {
		struct health_pool_view one, other;

		health_pool_view(a->health, 0, e, FAMILY_IPV4, p, &one);
		health_pool_view(b->health, 0, e, FAMILY_IPV4, p, &other);
		assert_int_equal(one.known, other.known);
		assert_int_equal(one.active, other.active);
		assert_int_equal(one.missed, other.missed);
		assert_string_equal(
		    one.taken_by ? one.taken_by : "", other.taken_by ? other.taken_by : "");
	}
}

static void
assert_same_family(const struct core *a, const struct core *b, enum family f)
{
	for (size_t e = 0; e < a->profile->groups[0].element_count; e++) {
		struct health_view one, other;

		health_view(a->health, 0, e, f, &one);
		health_view(b->health, 0, e, f, &other);
		assert_same_view(&one, &other);
		assert_int_equal(
		    health_has_verdict(a->health, 0, e, f), health_has_verdict(b->health, 0, e, f));
	}
	assert_string_equal(guard_reason(a->guard, 0, f), guard_reason(b->guard, 0, f));
	assert_string_equal(guard_hold_reason(a->guard, 0, f), guard_hold_reason(b->guard, 0, f));
	assert_int_equal(guard_freeze(a->guard, 0, f), guard_freeze(b->guard, 0, f));
	assert_int_equal(guard_is_confirmed(a->guard, 0, f), guard_is_confirmed(b->guard, 0, f));
	assert_int_equal(
	    signal_routes_is_failed(a->signals, 0, f), signal_routes_is_failed(b->signals, 0, f));
	assert_int_equal(
	    signal_routes_is_altered(a->signals, 0, f), signal_routes_is_altered(b->signals, 0, f));
	assert_int_equal(signal_routes_hold_until(a->signals, 0, f).us,
	    signal_routes_hold_until(b->signals, 0, f).us);
}

static void
assert_same_core(const struct core *a, const struct core *b)
{
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		assert_same_family(a, b, f);
	for (size_t e = 0; e < a->profile->groups[0].element_count; e++)
		assert_same_pools(a, b, e);
	assert_int_equal(health_deadline(a->health).us, health_deadline(b->health).us);
	assert_int_equal(guard_deadline(a->guard).us, guard_deadline(b->guard).us);
	assert_int_equal(guard_look_at(a->guard).us, guard_look_at(b->guard).us);
	assert_int_equal(
	    signal_routes_deadline(a->signals).us, signal_routes_deadline(b->signals).us);
}

static void
test_same_profile(void **state)
{
	struct random random = random_begin("inherit");
	const char *text = getenv("ROUNDS");
	unsigned rounds = text ? (unsigned)atoi(text) : 300;

	for (unsigned round = 0; round < rounds; round++) {
		struct random seed = { random_next(&random) };
		struct mtime now = { START_MS * INT64_C(1000) };
		struct core still = open_core(make_profile(seed), now);
		struct core moving = open_core(make_profile(seed), now);

		for (int i = 0; i < STEPS; i++) {
			struct random choice = { random_next(&random) };

			now = mtime_add_ms(now, (int64_t)random_below(&random, 3)
			                            ? (int64_t)random_below(&random, 900)
			                            : (int64_t)random_below(&random, 20000));
			if (random_below(&random, 3) == 0)
				hand_over(&moving, make_profile(seed), now);
			assert_int_equal(step(&still, choice, now), step(&moving, choice, now));
			assert_same_core(&still, &moving);
		}
		close_core(&still);
		close_core(&moving);
	}
}

/* ---- another profile ------------------------------------------------------------------------ */

/* Elements first to last - 1, each of weight 1, BFD where there is some. */
static struct profile *
make_plain(size_t first, size_t last)
{
	struct profile *profile = build_profile();
	struct profile_group *group = profile->groups;

	profile->poll_interval_ms = 5000;
	group->hold_down_s = 30;
	group->startup_wait_s = 10;
	group->mass_window_ms = 5000;
	group->mass_share_percent = 50;
	group->damping_window_s = 600;
	for (size_t e = first; e < last; e++)
		add_element(profile, e, 1, BFD_IF_PRESENT);
	profile_sort(profile);
	return profile;
}

static void
say(const struct core *core, enum event_kind kind, const struct ip *peer, struct mtime now)
{
	struct event event = {
		.kind = kind, .source = SOURCE_BMP, .peer = *peer, .established_s = -1, .at = now
	};

	health_feed(core->health, &event, now);
}

/* Everybody up and owning, then e fails. */
static struct core
begin(struct profile *profile, size_t down, struct mtime now)
{
	struct core core = open_core(profile, now);
	size_t count = profile->groups[0].element_count;
	struct ip peer =
	    profile->groups[0].elements[down].family[FAMILY_IPV4].peer[SIDE_INSIDE].address;

	for (size_t e = 0; e < count; e++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			health_set_owns(core.health, 0, e, f, true, now);
	tell_all_up(&core, now);
	guard_polled(core.guard, core.health, true, (struct mtime){ INT64_MIN / 2 }, now, now);
	assert_int_equal(guard_freeze(core.guard, 0, FAMILY_IPV4), FREEZE_NOT);
	say(&core, EVENT_BGP_DOWN, &peer, now);
	guard_update(core.guard, core.health, now);
	return core;
}

static enum health_state
state_of(const struct core *core, const char *id, enum family f)
{
	struct health_view view;

	health_view(core->health, 0, find_element(core->profile->groups, id), f, &view);
	return view.state;
}

/* Elements come and go before others: everybody is found again by id. */
static void
test_other_indexes(void **state)
{
	struct mtime now = { START_MS * INT64_C(1000) };
	struct core core = begin(make_plain(1, 4), 1, now);
	struct ip outside = address_of(3, FAMILY_IPV4, SIDE_OUTSIDE);

	assert_int_equal(state_of(&core, "e2", FAMILY_IPV4), HEALTH_DOWN);
	hand_over(&core, make_plain(0, 4), now);
	health_tick(core.health, now);
	guard_update(core.guard, core.health, now);
	assert_int_equal(state_of(&core, "e0", FAMILY_IPV4), HEALTH_UNKNOWN);
	assert_int_equal(state_of(&core, "e1", FAMILY_IPV4), HEALTH_UP);
	assert_int_equal(state_of(&core, "e2", FAMILY_IPV4), HEALTH_DOWN);
	assert_int_equal(state_of(&core, "e3", FAMILY_IPV6), HEALTH_UP);
	/* who is new is no loss, and no start of the whole family */
	assert_int_equal(guard_freeze(core.guard, 0, FAMILY_IPV4), FREEZE_NOT);
	hand_over(&core, make_plain(2, 4), now);
	health_tick(core.health, now);
	assert_int_equal(state_of(&core, "e2", FAMILY_IPV4), HEALTH_DOWN);
	assert_int_equal(state_of(&core, "e3", FAMILY_IPV4), HEALTH_UP);
	/* and their peers are theirs */
	say(&core, EVENT_BGP_DOWN, &outside, now);
	assert_int_equal(state_of(&core, "e3", FAMILY_IPV4), HEALTH_DOWN);
	close_core(&core);
}

/* A peer with another address: unknown, still serving; the new address speaks, the old one not. */
static void
test_other_peer(void **state)
{
	struct mtime now = { START_MS * INT64_C(1000) };
	struct core core = begin(make_plain(0, 3), 0, now);
	struct profile *next = make_plain(0, 3);
	struct ip old = address_of(2, FAMILY_IPV4, SIDE_INSIDE),
	          new = address_of(9, FAMILY_IPV4, SIDE_INSIDE);

	next->groups[0].elements[2].family[FAMILY_IPV4].peer[SIDE_INSIDE].address = new;
	hand_over(&core, next, now);
	health_tick(core.health, now);
	assert_int_equal(state_of(&core, "e2", FAMILY_IPV4), HEALTH_UNKNOWN);
	assert_true(health_is_healthy(core.health, 0, 2, FAMILY_IPV4));
	assert_int_equal(state_of(&core, "e2", FAMILY_IPV6), HEALTH_UP);
	say(&core, EVENT_BGP_DOWN, &old, now);
	assert_true(health_is_healthy(core.health, 0, 2, FAMILY_IPV4));
	say(&core, EVENT_BGP_UP, &new, now);
	assert_int_equal(state_of(&core, "e2", FAMILY_IPV4), HEALTH_UP);
	say(&core, EVENT_BGP_DOWN, &new, now);
	assert_int_equal(state_of(&core, "e2", FAMILY_IPV4), HEALTH_DOWN);
	close_core(&core);
}

/* Both peers others: another element under an old name, which must wait like a new one. */
static void
test_other_box(void **state)
{
	struct mtime now = { START_MS * INT64_C(1000) };
	struct core core = begin(make_plain(0, 3), 2, now);
	struct profile *next = make_plain(0, 3);

	for (enum side s = 0; s < SIDE_COUNT; s++)
		next->groups[0].elements[2].family[FAMILY_IPV4].peer[s].address =
		    address_of(9, FAMILY_IPV4, s);
	hand_over(&core, next, now);
	health_tick(core.health, now);
	assert_int_equal(state_of(&core, "e2", FAMILY_IPV4), HEALTH_UNKNOWN);
	assert_false(health_has_verdict(core.health, 0, 2, FAMILY_IPV4));
	close_core(&core);
}

/* BFD is not looked at any more: a failure that only BFD told is none any more. */
static void
test_bfd_ignored(void **state)
{
	struct mtime now = { START_MS * INT64_C(1000) };
	struct core core = begin(make_plain(0, 3), 0, now);
	struct profile *next = make_plain(0, 3);
	struct ip peer = address_of(2, FAMILY_IPV4, SIDE_OUTSIDE);

	say(&core, EVENT_BFD_DOWN, &peer, now);
	assert_int_equal(state_of(&core, "e2", FAMILY_IPV4), HEALTH_DOWN);
	for (enum side s = 0; s < SIDE_COUNT; s++)
		next->groups[0].elements[2].family[FAMILY_IPV4].peer[s].bfd = BFD_IGNORE;
	hand_over(&core, next, now);
	health_tick(core.health, now);
	assert_int_not_equal(state_of(&core, "e2", FAMILY_IPV4), HEALTH_DOWN);
	close_core(&core);
}

/* Hold-down counts from the old beginning, with the new length. */
static void
test_other_timer(void **state)
{
	struct mtime now = { START_MS * INT64_C(1000) };
	struct core core = begin(make_plain(0, 3), 2, now);
	struct ip peer = address_of(2, FAMILY_IPV4, SIDE_INSIDE);
	struct profile *next = make_plain(0, 3);
	struct health_view view;

	health_set_owns(core.health, 0, 2, FAMILY_IPV4, false, now);
	now = mtime_add_ms(now, 3000);
	say(&core, EVENT_BGP_UP, &peer, now);
	say(&core, EVENT_BFD_UP, &peer, now);
	assert_int_equal(state_of(&core, "e2", FAMILY_IPV4), HEALTH_HOLD_DOWN);
	next->groups[0].hold_down_s = 8;
	hand_over(&core, next, mtime_add_ms(now, 5000));
	health_view(core.health, 0, 2, FAMILY_IPV4, &view);
	assert_int_equal(view.hold_until.us, mtime_add_ms(now, 8000).us);
	health_tick(core.health, mtime_add_ms(now, 7999));
	assert_int_equal(state_of(&core, "e2", FAMILY_IPV4), HEALTH_HOLD_DOWN);
	health_tick(core.health, mtime_add_ms(now, 8000));
	assert_int_equal(state_of(&core, "e2", FAMILY_IPV4), HEALTH_UP);
	close_core(&core);
}

/* One poll: which of e2's two pools is there. */
static void
poll_pools(const struct core *core, bool first, bool second, struct mtime now)
{
	const bool here[NAT_POOLS] = { first, second };
	struct health_route routes[NAT_POOLS];

	for (size_t p = 0; p < NAT_POOLS; p++)
		routes[p] = (struct health_route){ .answered = true,
			.present = here[p],
			.to_known = true,
			.to = address_of(2, FAMILY_IPV4, SIDE_OUTSIDE) };
	health_set_pools(core->health, 0, 2, FAMILY_IPV4, routes, now, now);
}

static struct profile *
make_nat(bool has_pools)
{
	struct profile *profile = make_plain(0, 3);

	profile->groups[0].return_path[FAMILY_IPV4] = has_pools ? RETURN_NAT_ROUTES : RETURN_FILTER;
	if (has_pools)
		add_nat_pools(&profile->groups[0].elements[2].family[FAMILY_IPV4], 2);
	return profile;
}

/* Pools that come to an element in service take it out when they were seen, and not before. */
static void
test_new_pools(void **state)
{
	struct mtime now = { START_MS * INT64_C(1000) };
	struct core core = begin(make_nat(false), 0, now);

	hand_over(&core, make_nat(true), now);
	for (int poll = 0; poll < 2 * HEALTH_POOL_POLLS + 2; poll++) {
		now = mtime_add_ms(now, 5000);
		poll_pools(&core, true, false, now);
		if (poll == HEALTH_POOL_POLLS) /* another profile again: it is new still */
			hand_over(&core, make_nat(true), now);
	}
	assert_int_equal(state_of(&core, "e2", FAMILY_IPV4), HEALTH_UP);
	now = mtime_add_ms(now, 5000);
	poll_pools(&core, true, true, now);
	for (int poll = 0; poll <= HEALTH_POOL_POLLS; poll++) {
		assert_int_equal(state_of(&core, "e2", FAMILY_IPV4), HEALTH_UP);
		now = mtime_add_ms(now, 5000);
		poll_pools(&core, true, false, now);
	}
	assert_int_equal(state_of(&core, "e2", FAMILY_IPV4), HEALTH_DOWN);
	close_core(&core);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_profile),
		cmocka_unit_test(test_other_indexes),
		cmocka_unit_test(test_other_peer),
		cmocka_unit_test(test_other_box),
		cmocka_unit_test(test_bfd_ignored),
		cmocka_unit_test(test_other_timer),
		cmocka_unit_test(test_new_pools),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
