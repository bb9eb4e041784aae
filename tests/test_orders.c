/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many histories, one end: two agents at two routers live through different failures, told by BMP,
 * syslog and polls in different orders, with losses, repeats, late answers, refused commits and
 * restarts of the agent, under any policy: damping, revert by hand (an operator looks around now
 * and then), routes that a session must have, failure domains. Then the same things are true at
 * both, and after some quiet time both must have the same healthy sets and the same layout-ids,
 * whatever they went through. On the way nobody moves without a reason, and elements that nothing
 * happened to keep what is theirs.
 *
 * SEED=n repeats a run, ROUNDS=n changes its length; CHECK_LONG=1 or "long": 100,000 orders.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "guard.h"
#include "health.h"
#include "layout.h"
#include "layout_random.h"

enum { ELEMENTS = 8, UNITS = 64, QUEUE = 2048 };
enum {
	HISTORY_MS = 100000,
	FINAL_MS = 112000,
	SETTLED_MS = 122000,
	QUIET_MS = 300000,
	END_MS = 360000
};
enum { ENOUGH_ROUTES = 100, ROUTES_COME_MS = 8000, REVERT_EVERY_MS = 15000 };

static unsigned rounds = 5000;
static uint64_t round_number;

/* ---- a profile ------------------------------------------------------------------------------- */

static void
address_peer(struct profile_peer *peer, size_t e, enum family f, enum side s)
{
	char text[IP_TEXT_SIZE];

	snprintf(text, sizeof(text), f == FAMILY_IPV4 ? "192.168.%zu.%d" : "fd00::%zx:%d", e,
	    s == SIDE_INSIDE ? 2 : 6);
	assert_int_equal(ip_parse(text, &peer->address), 0);
	peer->instance = xstrdup("master");
}

/* Sentences are short enough for quiet time. */
static void
choose_policy(struct profile_group *group, struct random *random)
{
	bool has_domains = random_below(random, 3) == 0;
	uint32_t required = random_below(random, 3) ? 0 : ENOUGH_ROUTES;

	group->damping_flaps = (uint8_t)random_below(random, 4);
	group->damping_window_s = 30 + (uint32_t)random_below(random, 600);
	group->damping_initial_s = 5 + (uint32_t)random_below(random, 40);
	group->damping_maximum_s = 45 + (uint32_t)random_below(random, 45);
	group->revert = random_below(random, 3) ? REVERT_AUTOMATIC : REVERT_MANUAL;
	for (size_t e = 0; e < group->element_count; e++) {
		struct profile_element *element = &group->elements[e];
		if (has_domains && random_below(random, 4))
			element->failure_domain = xasprintf("host-%zu", random_below(random, 3));
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; s < SIDE_COUNT; s++)
				element->family[f].peer[s].required_routes = required;
	}
}

static struct profile *
make_profile(struct random *random)
{
	struct profile *profile = build_profile();
	struct profile_group *group = profile->groups;
	size_t count = 2 + random_below(random, ELEMENTS - 1);
	enum bfd_mode bfd = (enum bfd_mode)random_below(random, BFD_MODE_COUNT);
	unsigned style = (unsigned)random_below(random, 3);

	build_pool(profile, "10.0.0.0/20", 26, 0, PROFILE_EPOCH_NONE);
	build_pool(profile, "2001:db8::/48", 54, 0, PROFILE_EPOCH_NONE);
	for (size_t e = 0; e < count; e++) {
		char id[8];
		struct profile_element *element;
		snprintf(id, sizeof(id), "e%zu", e);
		element = build_element(profile, id);
		build_weight(element, 0, e ? random_weight(random, style) : 1);
		element->failed_weight = (uint16_t)random_below(random, 3);
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; s < SIDE_COUNT; s++) {
				address_peer(&element->family[f].peer[s], e, f, s);
				element->family[f].peer[s].bfd = bfd;
			}
		element->family[FAMILY_IPV6].present = random_below(random, 8) != 0 || e == 0;
	}
	profile->poll_interval_ms = 10000;
	group->hold_down_s = (uint32_t)random_below(random, 50);
	group->quorum_percent = (uint8_t)(random_below(random, 3) * 50);
	group->startup_wait_s = 30;
	group->mass_window_ms = 5000;
	group->mass_share_percent = random_below(random, 3) ? 50 : 100;
	group->scope = (enum failure_scope)random_below(random, SCOPE_COUNT);
	choose_policy(group, random);
	return profile;
}

/* ---- a site: a router, what is true around it, and its agent --------------------------------- */

struct fact {
	bool bgp, bfd;
	struct mtime up_at;
};

enum action {
	ACT_FAIL, /* the world: cause in arg */
	ACT_REPAIR,
	ACT_FINAL, /* the world becomes what it will stay */
	ACT_SETTLE,
	ACT_TELL,   /* an event reaches the agent */
	ACT_REPEAT, /* FRR: Down again while it is down */
	ACT_BMP_LOSE,
	ACT_BMP_BACK,
	ACT_ASK,    /* the poll: question, */
	ACT_LOOK,   /* what the router saw, */
	ACT_ANSWER, /* and its answer */
	ACT_OPEN,   /* the transaction: plan taken */
	ACT_COMMIT,
	ACT_FORCE,
	ACT_REVERT,  /* the operator brings back who waits for that */
	ACT_RESTART, /* the agent */
};

enum how { HOW_BFD, HOW_HOLD_TIMER, HOW_SILENT, HOW_BFD_ONLY, HOW_COUNT };

struct act {
	struct mtime at;
	enum action action;
	size_t e;
	enum family f;
	enum side s;
	unsigned arg;
	struct event event;
};

struct site {
	struct random random;
	const struct profile *profile;
	const struct profile_group *group;
	struct layout_space *const *spaces;
	struct mtime start, now;
	struct act queue[QUEUE]; /* latest first */
	size_t queued;

	struct fact fact[ELEMENTS][FAMILY_COUNT][SIDE_COUNT];
	struct fact seen[ELEMENTS][FAMILY_COUNT][SIDE_COUNT]; /* by the poll under way */
	const struct fact (*final)[FAMILY_COUNT][SIDE_COUNT];
	const bool *final_forced;
	const bool *has_bfd;
	bool forced[ELEMENTS];
	bool touched[ELEMENTS];
	struct mtime restarted_at; /* the router */

	bool bmp, polling, poll_again, poll_fails, calm;
	struct mtime asked_at, look_asked;
	struct health *health;
	struct guard *guard;
	bool healthy[FAMILY_COUNT][ELEMENTS]; /* that wanted was computed from */
	uint8_t wanted[FAMILY_COUNT][UNITS], planned[FAMILY_COUNT][UNITS],
	    applied[FAMILY_COUNT][UNITS];
	bool has_wanted[FAMILY_COUNT], is_planned[FAMILY_COUNT];
	bool opening;
	bool owned_at_start[FAMILY_COUNT][ELEMENTS]; /* of the agent */
	size_t commits, changes;
};

static void
enqueue(struct site *site, struct act act, int64_t in_ms)
{
	size_t i = site->queued++;

	assert_true(site->queued < QUEUE);
	act.at = mtime_add_ms(site->now, in_ms);
	for (; i > 0 && site->queue[i - 1].at.us <= act.at.us; i--)
		site->queue[i] = site->queue[i - 1];
	site->queue[i] = act;
}

static int64_t
between(struct site *site, int64_t low, int64_t high)
{
	return low + (int64_t)random_below(&site->random, (size_t)(high - low + 1));
}

static bool
chance(struct site *site, size_t percent)
{
	return random_below(&site->random, 100) < percent;
}

static bool
serves(const struct site *site, size_t e, enum family f)
{
	return site->group->elements[e].family[f].present;
}

/* ---- the agent, as agent.c does it ----------------------------------------------------------- */

static void
count_change(void *arg, size_t g, size_t e, enum family f, enum health_state from,
    enum health_state to, const char *reason)
{
	((struct site *)arg)->changes++;
}

static void
read_owners(const struct layout *layout, uint8_t owners[UNITS])
{
	for (size_t u = 0; u < UNITS; u++)
		owners[u] = layout_unit_owner(layout, u);
}

static bool
owns(const struct site *site, size_t e, enum family f)
{
	return memchr(site->applied[f], (int)e, UNITS) != NULL;
}

static void
tell_ownership(struct site *site)
{
	for (size_t e = 0; e < site->group->element_count; e++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			health_set_owns(site->health, 0, e, f, owns(site, e, f), site->now);
}

static void
follow_family(struct site *site, enum family f)
{
	bool healthy[ELEMENTS] = { false };
	struct layout *layout;

	if (guard_freeze(site->guard, 0, f) != FREEZE_NOT)
		return;
	for (size_t e = 0; e < site->group->element_count; e++)
		healthy[e] = health_is_healthy(site->health, 0, e, f);
	if (site->has_wanted[f] && memcmp(healthy, site->healthy[f], sizeof(healthy)) == 0)
		return;
	memcpy(site->healthy[f], healthy, sizeof(healthy));
	layout = layout_compute(site->spaces[f], healthy, 0);
	read_owners(layout, site->wanted[f]);
	layout_free(layout);
	site->has_wanted[f] = true;
}

static bool
may_write(const struct site *site, enum family f)
{
	return site->has_wanted[f] && guard_freeze(site->guard, 0, f) == FREEZE_NOT &&
	       memcmp(site->wanted[f], site->applied[f], UNITS) != 0;
}

static void
reconsider(struct site *site)
{
	health_tick(site->health, site->now);
	guard_update(site->guard, site->health, site->now);
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		follow_family(site, f);
	if (!site->opening && (may_write(site, FAMILY_IPV4) || may_write(site, FAMILY_IPV6))) {
		site->opening = true;
		enqueue(site, (struct act){ .action = ACT_OPEN }, between(site, 0, 20));
	}
}

static void
start_agent(struct site *site)
{
	health_free(site->health);
	guard_free(site->guard);
	site->health = health_new(site->profile, site->now);
	site->guard = guard_new(site->profile, site->now);
	health_on_change(site->health, count_change, site);
	site->look_asked = MTIME_NEVER;
	memset(site->has_wanted, 0, sizeof(site->has_wanted));
	for (size_t e = 0; e < site->group->element_count; e++)
		health_set_forced(site->health, 0, e, site->forced[e], site->now);
	tell_ownership(site);
	for (size_t e = 0; e < site->group->element_count; e++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			site->owned_at_start[f][e] = owns(site, e, f);
}

static void
open_transaction(struct site *site)
{
	bool any = false;

	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		site->is_planned[f] = may_write(site, f);
		memcpy(site->planned[f], site->wanted[f], UNITS);
		any |= site->is_planned[f];
	}
	site->opening = any;
	if (any)
		enqueue(site, (struct act){ .action = ACT_COMMIT }, between(site, 50, 1500));
}

/* What is on its base owner stays there while nothing happens to that owner. */
static void
check_move(const struct site *site, enum family f, size_t u)
{
	uint8_t base = layout_space_base(site->spaces[f], u);

	if (base != LAYOUT_NONE && !site->touched[base] && site->planned[f][u] != base)
		fail_msg(
		    "round %llu: unit %zu of e%u moved", (unsigned long long)round_number, u, base);
}

static void
commit(struct site *site)
{
	site->opening = false;
	if (chance(site, site->calm ? 0 : 10))
		return; /* refused */
	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		if (!site->is_planned[f])
			continue;
		for (size_t u = 0; u < UNITS; u++)
			check_move(site, f, u);
		memcpy(site->applied[f], site->planned[f], UNITS);
	}
	site->commits++;
	tell_ownership(site);
}

/* ---- sources --------------------------------------------------------------------------------- */

static struct event
event_of(const struct site *site, enum event_source source, enum event_kind kind, size_t e,
    enum family f, enum side s)
{
	return (struct event){ .kind = kind,
		.source = source,
		.peer = site->group->elements[e].family[f].peer[s].address,
		.established_s = -1,
		.at = site->now };
}

static void
tell_later(struct site *site, enum event_source source, enum event_kind kind,
    enum event_cause cause, const struct act *act, int64_t in_ms)
{
	struct act told = { .action = ACT_TELL, .e = act->e, .f = act->f, .s = act->s };

	told.event = event_of(site, source, kind, act->e, act->f, act->s);
	told.event.cause = cause;
	enqueue(site, told, in_ms);
}

static void
tell_bgp(struct site *site, bool up, enum event_cause cause, const struct act *act)
{
	enum event_kind kind = up ? EVENT_BGP_UP : EVENT_BGP_DOWN;

	if (site->bmp && chance(site, 90))
		tell_later(
		    site, SOURCE_BMP, kind, chance(site, 50) ? cause : CAUSE_UNKNOWN, act, 10);
	if (chance(site, 70))
		tell_later(site, SOURCE_SYSLOG, kind, cause, act, between(site, 1, 40));
}

static void
dump_bmp(struct site *site)
{
	site->bmp = true;
	for (size_t e = 0; e < site->group->element_count; e++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; serves(site, e, f) && s < SIDE_COUNT; s++) {
				struct event event = event_of(site, SOURCE_BMP,
				    site->fact[e][f][s].bgp ? EVENT_BGP_UP : EVENT_BGP_DOWN, e, f,
				    s);
				health_feed(site->health, &event, site->now);
				reconsider(site);
			}
}

/* They come some time after the session. */
static int64_t
routes_of(const struct site *site, const struct fact *seen)
{
	bool are_here = mtime_diff_ms(site->asked_at, seen->up_at) >= ROUTES_COME_MS;

	return are_here ? ENOUGH_ROUTES : ENOUGH_ROUTES - 1;
}

static void
feed_answer(struct site *site, size_t e, enum family f, enum side s)
{
	const struct fact *seen = &site->seen[e][f][s];
	struct event event = event_of(site, SOURCE_POLL, EVENT_UNKNOWN, e, f, s);

	event.at = site->asked_at;
	if (site->has_bfd[e] && (seen->bgp || chance(site, 50)))
		event.kind = seen->bfd ? EVENT_BFD_UP : EVENT_BFD_DOWN;
	event.cause = CAUSE_BFD;
	health_feed(site->health, &event, site->now);
	event.kind = seen->bgp ? EVENT_BGP_UP : EVENT_BGP_DOWN;
	event.cause = CAUSE_UNKNOWN;
	event.established_s = mtime_diff_ms(site->asked_at, seen->up_at) / 1000;
	if (event.established_s < 0)
		event.established_s = 0;
	health_feed(site->health, &event, site->now);
	if (seen->bgp)
		health_set_routes(site->health, &event.peer, "master", routes_of(site, seen),
		    site->asked_at, site->now);
}

static void
answer_poll(struct site *site)
{
	bool ok = !site->poll_fails && (site->calm || !chance(site, 5));
	struct event lost = {
		.kind = EVENT_SOURCE_LOST, .source = SOURCE_POLL, .at = site->asked_at
	};

	for (size_t e = 0; ok && e < site->group->element_count; e++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; serves(site, e, f) && s < SIDE_COUNT; s++)
				feed_answer(site, e, f, s);
	if (!ok)
		health_feed(site->health, &lost, site->now);
	guard_polled(site->guard, site->health, ok, site->restarted_at, site->asked_at, site->now);
	site->polling = false;
	if (site->poll_again)
		enqueue(site, (struct act){ .action = ACT_ASK, .arg = 1 }, 0);
	site->poll_again = false;
}

static void
ask(struct site *site, const struct act *act)
{
	if (!act->arg)
		enqueue(site, *act, site->profile->poll_interval_ms);
	if (site->polling) {
		site->poll_again |= act->arg;
		return;
	}
	site->polling = true;
	site->asked_at = site->now;
	enqueue(site, (struct act){ .action = ACT_LOOK }, between(site, 1, 300));
}

/* ---- the world ------------------------------------------------------------------------------- */

static void
break_peer(struct site *site, const struct act *act)
{
	struct fact *fact = &site->fact[act->e][act->f][act->s];
	enum how how = (enum how)act->arg;
	static const enum event_cause causes[HOW_COUNT] = { CAUSE_BFD, CAUSE_HOLD_TIMER };

	site->touched[act->e] = true;
	if (site->has_bfd[act->e] && how != HOW_SILENT && fact->bfd) {
		fact->bfd = false;
		if (chance(site, 80))
			tell_later(site, SOURCE_SYSLOG, EVENT_BFD_DOWN,
			    how == HOW_HOLD_TIMER ? CAUSE_ADMIN : CAUSE_BFD, act,
			    between(site, 1, 40));
	}
	if (how == HOW_BFD_ONLY || !fact->bgp)
		return;
	fact->bgp = false;
	tell_bgp(site, false, causes[how], act);
	enqueue(site, (struct act){ .action = ACT_REPEAT, .e = act->e, .f = act->f, .s = act->s },
	    1000);
}

static void
repair_peer(struct site *site, const struct act *act)
{
	struct fact *fact = &site->fact[act->e][act->f][act->s];
	struct act again = *act;

	site->touched[act->e] = true;
	if (site->has_bfd[act->e] && !fact->bfd && act->arg == 0 && chance(site, 50)) {
		again.arg = 1; /* BFD comes 3.9 s after BGP, or first */
		enqueue(site, again, 3900);
	} else if (site->has_bfd[act->e] && !fact->bfd) {
		fact->bfd = true;
		if (chance(site, 70))
			tell_later(site, SOURCE_SYSLOG, EVENT_BFD_UP, CAUSE_UNKNOWN, act,
			    between(site, 1, 40));
	}
	if (fact->bgp)
		return;
	fact->bgp = true;
	fact->up_at = site->now;
	tell_bgp(site, true, CAUSE_UNKNOWN, act);
	if (chance(site, 20)) { /* Up, Down, Up */
		again.action = ACT_FAIL;
		again.arg = HOW_SILENT;
		enqueue(site, again, 1);
		again.action = ACT_REPAIR;
		again.arg = 0;
		enqueue(site, again, 1001);
	}
}

/* One element, one family or one side of it, within a quarter of a second. */
static void
plan_trouble(struct site *site, enum action action, int64_t at_ms)
{
	size_t e = random_below(&site->random, site->group->element_count);
	size_t only_f = random_below(&site->random, 4), only_s = random_below(&site->random, 4);
	unsigned how = action == ACT_FAIL ? (unsigned)random_below(&site->random, HOW_COUNT) : 0;

	for (enum family f = 0; f < FAMILY_COUNT; f++)
		for (enum side s = 0; serves(site, e, f) && s < SIDE_COUNT; s++) {
			struct act act = { .action = action, .e = e, .f = f, .s = s, .arg = how };
			if ((only_f < 2 && f != only_f) || (only_s < 2 && s != only_s))
				continue;
			enqueue(site, act, at_ms + between(site, 0, 250));
		}
}

static void
plan_history(struct site *site)
{
	size_t troubles = random_below(&site->random, 14);

	for (size_t i = 0; i < troubles; i++)
		plan_trouble(
		    site, chance(site, 60) ? ACT_FAIL : ACT_REPAIR, between(site, 0, HISTORY_MS));
	for (size_t i = random_below(&site->random, 4); i > 0; i--) {
		struct act act = { .action = ACT_FORCE,
			.e = random_below(&site->random, site->group->element_count) };
		enqueue(site, act, between(site, 0, HISTORY_MS));
	}
	if (chance(site, 30))
		enqueue(site, (struct act){ .action = ACT_BMP_LOSE }, between(site, 0, HISTORY_MS));
	if (chance(site, 30))
		enqueue(site, (struct act){ .action = ACT_RESTART }, between(site, 0, HISTORY_MS));
	if (chance(site, 30)) {
		size_t e = random_below(&site->random, site->group->element_count);
		struct act act = { .action = ACT_TELL };
		act.event = event_of(site, SOURCE_BMP, EVENT_UNKNOWN, e, 0, SIDE_INSIDE);
		enqueue(site, act, between(site, 0, HISTORY_MS));
	}
	enqueue(site, (struct act){ .action = ACT_FINAL }, FINAL_MS);
	enqueue(site, (struct act){ .action = ACT_SETTLE }, SETTLED_MS);
}

static void
force(struct site *site, size_t e, bool forced)
{
	site->touched[e] = true;
	site->forced[e] = forced;
	health_set_forced(site->health, 0, e, forced, site->now);
}

static void
finish(struct site *site)
{
	for (size_t e = 0; e < site->group->element_count; e++) {
		if (site->forced[e] != site->final_forced[e])
			force(site, e, site->final_forced[e]);
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; serves(site, e, f) && s < SIDE_COUNT; s++) {
				bool up = site->final[e][f][s].bgp;
				struct act act = { .action = up ? ACT_REPAIR : ACT_FAIL,
					.e = e,
					.f = f,
					.s = s,
					.arg = up ? 0 : (unsigned)random_below(&site->random, 3) };
				if (site->fact[e][f][s].bgp != up ||
				    site->fact[e][f][s].bfd != site->final[e][f][s].bfd)
					enqueue(site, act, between(site, 0, 2000));
			}
	}
}

/* Whatever is under way still, from here on nothing changes, and only polls can tell. */
static void
settle(struct site *site)
{
	for (size_t i = 0, kept = 0, all = site->queued; i < all; i++) {
		enum action action = site->queue[i].action;
		site->queued = kept + 1;
		if (action == ACT_FAIL || action == ACT_REPAIR)
			site->queued = kept;
		else
			site->queue[kept++] = site->queue[i];
	}
	for (size_t e = 0; e < site->group->element_count; e++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; serves(site, e, f) && s < SIDE_COUNT; s++) {
				struct fact *fact = &site->fact[e][f][s];
				if (!fact->bgp && site->final[e][f][s].bgp)
					fact->up_at = site->now;
				fact->bgp = site->final[e][f][s].bgp;
				fact->bfd = site->final[e][f][s].bfd;
			}
	site->calm = true;
	site->bmp = true;
}

/* ---- running --------------------------------------------------------------------------------- */

static void
perform(struct site *site, struct act *act)
{
	switch (act->action) {
	case ACT_FAIL:
		break_peer(site, act);
		break;
	case ACT_REPAIR:
		repair_peer(site, act);
		break;
	case ACT_FINAL:
		finish(site);
		break;
	case ACT_SETTLE:
		settle(site);
		break;
	case ACT_TELL:
		act->event.at = site->now;
		health_feed(site->health, &act->event, site->now);
		if (chance(site, 10))
			health_feed(site->health, &act->event, site->now);
		break;
	case ACT_REPEAT:
		if (site->fact[act->e][act->f][act->s].bgp || site->calm)
			break;
		tell_later(site, SOURCE_BMP, EVENT_BGP_DOWN, CAUSE_UNKNOWN, act, 0);
		enqueue(site, *act, 5000);
		break;
	case ACT_BMP_LOSE:
		site->bmp = false;
		health_feed(site->health,
		    &(struct event){ .kind = EVENT_SOURCE_LOST, .at = site->now }, site->now);
		enqueue(site, (struct act){ .action = ACT_BMP_BACK }, between(site, 700, 20000));
		break;
	case ACT_BMP_BACK:
		dump_bmp(site);
		break;
	case ACT_ASK:
		ask(site, act);
		break;
	case ACT_LOOK:
		memcpy(site->seen, site->fact, sizeof(site->seen));
		enqueue(site, (struct act){ .action = ACT_ANSWER }, between(site, 1, 300));
		break;
	case ACT_ANSWER:
		answer_poll(site);
		break;
	case ACT_OPEN:
		open_transaction(site);
		break;
	case ACT_COMMIT:
		commit(site);
		break;
	case ACT_FORCE:
		force(site, act->e, !site->forced[act->e]);
		break;
	case ACT_REVERT:
		for (size_t e = 0; e < site->group->element_count; e++)
			health_revert(site->health, 0, e, site->now);
		enqueue(site, *act, REVERT_EVERY_MS);
		break;
	case ACT_RESTART:
		start_agent(site);
		dump_bmp(site);
		break;
	}
}

/* A commit that an agent sent before it was killed may give units to somebody of whom its successor
 * has not heard yet; nothing is written until it has. */
static bool
is_settling_in(const struct site *site, size_t e, enum family f)
{
	return guard_freeze(site->guard, 0, f) == FREEZE_STARTUP && !site->owned_at_start[f][e];
}

static void
check_untouched(const struct site *site)
{
	for (size_t e = 0; e < site->group->element_count; e++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			if (!site->touched[e] && serves(site, e, f) && owns(site, e, f) &&
			    !is_settling_in(site, e, f) &&
			    !health_is_healthy(site->health, 0, e, f))
				fail_msg("round %llu: nothing happened to e%zu, but it left",
				    (unsigned long long)round_number, e);
}

static void
run_until(struct site *site, int64_t end_ms)
{
	struct mtime end = mtime_add_ms(site->start, end_ms);

	for (size_t steps = 0;; steps++) {
		struct mtime look = guard_look_at(site->guard);
		struct mtime next =
		    mtime_min(health_deadline(site->health), guard_deadline(site->guard));
		bool wants_look = look.us != site->look_asked.us;
		if (wants_look)
			next = mtime_min(next, look);
		if (site->queued)
			next = mtime_min(next, site->queue[site->queued - 1].at);
		if (next.us > end.us)
			break;
		if (steps > 100000)
			fail_msg("round %llu: a timer that is due does not go away",
			    (unsigned long long)round_number);
		if (next.us > site->now.us)
			site->now = next;
		if (wants_look && mtime_reached(site->now, look)) {
			site->look_asked = look;
			enqueue(site, (struct act){ .action = ACT_ASK, .arg = 1 }, 0);
		}
		if (site->queued && mtime_reached(site->now, site->queue[site->queued - 1].at)) {
			struct act act = site->queue[--site->queued];
			perform(site, &act);
		}
		reconsider(site);
		check_untouched(site);
	}
	site->now = end;
}

static void
begin_site(struct site *site, const struct profile *profile, struct layout_space *const *spaces,
    const bool *has_bfd, uint64_t seed)
{
	site->random.state = seed | 1;
	site->profile = profile;
	site->group = profile->groups;
	site->spaces = spaces;
	site->has_bfd = has_bfd;
	site->start = site->now = (struct mtime){ 5000000000000 };
	site->restarted_at = mtime_add_ms(site->now, -864000000);
	for (size_t e = 0; e < ELEMENTS; e++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; s < SIDE_COUNT; s++)
				site->fact[e][f][s] = (struct fact){ true, has_bfd[e],
					mtime_add_ms(site->now, -3600000) };
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		for (size_t u = 0; u < UNITS; u++)
			site->applied[f][u] = layout_space_base(spaces[f], u);
	start_agent(site);
	enqueue(site, (struct act){ .action = ACT_BMP_BACK }, between(site, 0, 3000));
	enqueue(site, (struct act){ .action = ACT_ASK }, between(site, 0, 3000));
	enqueue(site, (struct act){ .action = ACT_REVERT }, between(site, 0, REVERT_EVERY_MS));
}

static void
end_site(struct site *site)
{
	health_free(site->health);
	guard_free(site->guard);
}

/* ---- what must be true in the end ------------------------------------------------------------ */

static bool
should_be_healthy(const struct site *site, size_t e, enum family f)
{
	return serves(site, e, f) && !site->forced[e] && site->fact[e][f][0].bgp &&
	       site->fact[e][f][1].bgp;
}

static void
check_end(const struct site *site, const char *when)
{
	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		bool healthy[ELEMENTS] = { false }, any = false;
		uint8_t owners[UNITS];
		enum freeze freeze = guard_freeze(site->guard, 0, f);
		struct layout *layout;

		for (size_t e = 0; e < site->group->element_count; e++) {
			struct health_view view;
			health_view(site->health, 0, e, f, &view);
			healthy[e] = should_be_healthy(site, e, f);
			any |= healthy[e];
			if (view.healthy != healthy[e])
				fail_msg("round %llu, %s: e%zu %s is %s (%s)",
				    (unsigned long long)round_number, when, e, family_tags[f],
				    health_state_names[view.state], view.reason);
		}
		if (freeze != (any ? FREEZE_NOT : FREEZE_NOBODY))
			fail_msg("round %llu, %s: %s is frozen, %s: %s",
			    (unsigned long long)round_number, when, family_tags[f],
			    freeze_names[freeze], guard_reason(site->guard, 0, f));
		layout = layout_compute(site->spaces[f], healthy, 0);
		read_owners(layout, owners);
		layout_free(layout);
		if (any && memcmp(owners, site->applied[f], UNITS) != 0)
			fail_msg("round %llu, %s: the router has another layout",
			    (unsigned long long)round_number, when);
	}
}

static struct layout_id
id_of(const struct site *site, enum family f)
{
	bool healthy[ELEMENTS] = { false };
	struct layout *layout;
	struct layout_id id;

	for (size_t e = 0; e < site->group->element_count; e++)
		healthy[e] = health_is_healthy(site->health, 0, e, f);
	layout = layout_compute(site->spaces[f], healthy, 0);
	id = layout_compute_id(layout);
	layout_free(layout);
	return id;
}

static void
choose_end(struct random *random, struct fact (*final)[FAMILY_COUNT][SIDE_COUNT], bool *forced,
    const bool *has_bfd)
{
	for (size_t e = 0; e < ELEMENTS; e++) {
		bool is_well = random_below(random, 100) < 70;
		forced[e] = random_below(random, 100) < 10;
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; s < SIDE_COUNT; s++) {
				final[e][f][s].bgp = is_well || random_below(random, 2);
				final[e][f][s].bfd = final[e][f][s].bgp && has_bfd[e];
			}
	}
}

static void
run_quietly(struct site *site)
{
	size_t commits, changes;

	run_until(site, QUIET_MS);
	check_end(site, "after quiet time");
	commits = site->commits;
	changes = site->changes;
	run_until(site, END_MS);
	if (site->commits != commits || site->changes != changes)
		fail_msg("round %llu: something moved, nothing happened",
		    (unsigned long long)round_number);
	if (chance(site, 75))
		return;
	start_agent(site);
	dump_bmp(site);
	run_until(site, END_MS + 100000);
	check_end(site, "after a restart of the agent");
	if (site->commits != commits)
		fail_msg("round %llu: a restart of the agent moved somebody",
		    (unsigned long long)round_number);
}

struct setting {
	struct profile *profile;
	struct layout_space *spaces[FAMILY_COUNT];
	bool has_bfd[ELEMENTS];
};

static void
begin_setting(struct setting *setting, struct random *random)
{
	enum bfd_mode mode;

	setting->profile = make_profile(random);
	mode = setting->profile->groups[0].elements[0].family[0].peer[0].bfd;
	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		setting->spaces[f] = layout_space_new(setting->profile->groups, f);
		assert_int_equal(layout_space_units(setting->spaces[f]), UNITS);
	}
	for (size_t e = 0; e < ELEMENTS; e++)
		setting->has_bfd[e] = mode == BFD_REQUIRED || random_below(random, 2);
}

static void
end_setting(struct setting *setting)
{
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		layout_space_free(setting->spaces[f]);
	profile_free(setting->profile);
}

static void
test_orders(void **state)
{
	struct random random = random_begin("orders");
	static struct site sites[2];

	for (round_number = 0; round_number < rounds; round_number++) {
		struct fact final[ELEMENTS][FAMILY_COUNT][SIDE_COUNT];
		bool forced[ELEMENTS];
		struct setting setting;
		begin_setting(&setting, &random);
		choose_end(&random, final, forced, setting.has_bfd);
		for (size_t i = 0; i < 2; i++) {
			struct site *site = &sites[i];
			memset(site, 0, sizeof(*site));
			begin_site(site, setting.profile, setting.spaces, setting.has_bfd,
			    random_next(&random));
			site->final = (const struct fact(*)[FAMILY_COUNT][SIDE_COUNT]) final;
			site->final_forced = forced;
			plan_history(site);
			run_quietly(site);
		}
		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			struct layout_id a = id_of(&sites[0], f), b = id_of(&sites[1], f);
			assert_memory_equal(a.bytes, b.bytes, sizeof(a.bytes));
		}
		end_site(&sites[0]);
		end_site(&sites[1]);
		end_setting(&setting);
	}
}

/* ---- boot storms ----------------------------------------------------------------------------- */

/* Every session ends and comes back young, in any order, within startup-wait of the first. */
static void
plan_storm(struct site *site, int64_t down_ms)
{
	for (size_t e = 0; e < site->group->element_count; e++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; serves(site, e, f) && s < SIDE_COUNT; s++) {
				struct act act = { .action = ACT_REPAIR, .e = e, .f = f, .s = s };
				site->fact[e][f][s].bgp = site->fact[e][f][s].bfd = false;
				enqueue(site, act, down_ms + between(site, 100, 20000));
			}
}

/*
 * The router restarts: BMP and polls stop, then both come back and find every session down; the
 * agent may start at the same time. The elements own their units, so nothing may be committed.
 */
static void
test_boot_storms(void **state)
{
	struct random random = random_begin("boot storms");
	static struct site site;

	for (round_number = 0; round_number < rounds / 10 + 1; round_number++) {
		struct setting setting;
		int64_t down_ms;
		begin_setting(&setting, &random);
		memset(&site, 0, sizeof(site));
		begin_site(
		    &site, setting.profile, setting.spaces, setting.has_bfd, random_next(&random));
		site.calm = true;
		run_until(&site, 20000);
		memset(site.touched, true, sizeof(site.touched));
		down_ms = between(&site, 1000, 90000);
		health_feed(site.health,
		    &(struct event){ .kind = EVENT_SOURCE_LOST, .at = site.now }, site.now);
		site.bmp = false;
		site.poll_fails = true;
		site.restarted_at = mtime_add_ms(site.now, between(&site, 0, down_ms));
		plan_storm(&site, down_ms);
		run_until(&site, 20000 + down_ms);
		site.poll_fails = false;
		if (chance(&site, 30))
			start_agent(&site);
		dump_bmp(&site);
		run_until(&site, 20000 + down_ms + 200000);
		check_end(&site, "after a boot");
		if (site.commits)
			fail_msg(
			    "round %llu: a boot moved somebody", (unsigned long long)round_number);
		end_site(&site);
		end_setting(&setting);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_boot_storms),
	};

	if (getenv("CHECK_LONG") || (argc > 1 && strcmp(argv[1], "long") == 0))
		rounds = 100000;
	if (getenv("ROUNDS"))
		rounds = (unsigned)strtoul(getenv("ROUNDS"), NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
