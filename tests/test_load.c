/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the agent makes of counters, in virtual time: a router that is made up sends packets at
 * given rates, is read round by round, and the alarm table says what was made of it. Four
 * dual-stack elements with 100 units of each family.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "agent_internal.h"
#include "agent_kpi_internal.h"
#include "alarm.h"

enum { ELEMENTS = 4, POLL_MS = 10000, UNITS = 100, PACKET = 1000, COUNTERS = 2 * ELEMENTS + 1 };

/* Counters and how fast they grow. */
struct flow {
	uint64_t packets, packets_s;
};

static struct {
	struct mtime now;
	bool is_down[ELEMENTS], is_failed, is_altered;
	struct flow sent[ELEMENTS][SIDE_COUNT], received[ELEMENTS][SIDE_COUNT];
	struct flow terms[ELEMENTS][FAMILY_COUNT][SIDE_COUNT][KPI_LAYERS];
	struct flow unlisted[FAMILY_COUNT];
	bool is_unread[ELEMENTS];
	unsigned rounds_asked;
	int64_t wall_lag_us; /* the clock of the wall was stepped back by */
} world;

static struct profile_element elements[ELEMENTS];
static struct profile_group group = {
	.id = (char *)"cgn", .elements = elements, .element_count = ELEMENTS
};
static struct profile profile = { .groups = &group, .group_count = 1, .poll_interval_ms = POLL_MS };
static char ids[ELEMENTS][8], names[ELEMENTS][SIDE_COUNT][8];
static double shares[FAMILY_COUNT][ELEMENTS];

/* ---- what the rest of the agent would do ----------------------------------------------------- */

struct mtime
mtime_now(void)
{
	return world.now;
}

int64_t
wallclock_now_us(void)
{
	return INT64_C(1700000000000000) + world.now.us - world.wall_lag_us;
}

bool
health_is_healthy(const struct health *health, size_t g, size_t e, enum family f)
{
	return !world.is_down[e];
}

bool
signal_routes_is_failed(const struct signal_routes *signals, size_t g, enum family f)
{
	return world.is_failed;
}

bool
signal_routes_is_altered(const struct signal_routes *signals, size_t g, enum family f)
{
	return world.is_altered;
}

const char *
agent_peer_interface(const struct agent *agent, size_t g, size_t e, enum family f, enum side s)
{
	return names[e][s];
}

void
router_count_now(struct router *router)
{
	world.rounds_asked++;
}

void
agent_alarm_soon(struct agent *agent)
{
}

void
agent_touch(struct agent *agent)
{
}

/* ---- the rig --------------------------------------------------------------------------------- */

struct rig {
	struct agent agent;
	struct agent_family family[1][FAMILY_COUNT];
	struct alarms *alarms;
};

static void
set(struct flow *flow, uint64_t packets_s)
{
	flow->packets_s = packets_s;
}

/* As much into each side, and all of it comes out of the other; half of it by the filters' terms
 * of each family. */
static void
carry(size_t e, uint64_t packets_s)
{
	for (enum side s = 0; s < SIDE_COUNT; s++) {
		set(&world.sent[e][s], packets_s);
		set(&world.received[e][s], packets_s);
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			set(&world.terms[e][f][s][KPI_BASE], packets_s / 2);
	}
}

static void
own(size_t e, double ipv4, double ipv6)
{
	shares[FAMILY_IPV4][e] = ipv4;
	shares[FAMILY_IPV6][e] = ipv6;
}

static void
begin(struct rig *rig)
{
	memset(&world, 0, sizeof(world));
	world.now.us = INT64_C(1000000000);
	*rig = (struct rig){ .alarms = alarms_new() };
	for (size_t e = 0; e < ELEMENTS; e++) {
		snprintf(ids[e], sizeof(ids[e]), "fbf-%zu", e + 1);
		for (enum side s = 0; s < SIDE_COUNT; s++)
			snprintf(names[e][s], sizeof(names[e][s]), "e%c%zu", "io"[s], e + 1);
		elements[e] = (struct profile_element){ .id = ids[e], .name = ids[e] };
		own(e, UNITS, UNITS);
		carry(e, 4000);
	}
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		rig->family[0][f] = (struct agent_family){
			.space = (struct layout_space *)&rig->family, /* there is one */
			.effective_share = shares[f],
		};
	rig->agent.profile = &profile;
	rig->agent.family = rig->family;
	rig->agent.lists_known = true;
	rig->agent.kpi = agent_kpi_new(&profile);
	agent_proof_begin(&rig->agent, world.now);
}

static void
end(struct rig *rig)
{
	agent_kpi_free(rig->agent.kpi);
	alarms_free(rig->alarms);
}

static void
pass(struct flow *flows, size_t count, int64_t ms)
{
	for (size_t i = 0; i < count; i++)
		flows[i].packets += flows[i].packets_s * (uint64_t)ms / 1000;
}

static void
let_pass(int64_t ms)
{
	world.now = mtime_add_ms(world.now, ms);
	pass(&world.sent[0][0], ELEMENTS * SIDE_COUNT, ms);
	pass(&world.received[0][0], ELEMENTS * SIDE_COUNT, ms);
	pass(&world.terms[0][0][0][0], ELEMENTS * FAMILY_COUNT * SIDE_COUNT * KPI_LAYERS, ms);
	pass(world.unlisted, FAMILY_COUNT, ms);
}

static void
read_interface(struct rig *rig, size_t e, enum side s, bool is_extra)
{
	const struct flow *in = &world.received[e][s], *out = &world.sent[e][s];
	struct junos_interface interface = { .name = names[e][s],
		.traffic = { in->packets, out->packets, in->packets * PACKET,
		    out->packets * PACKET },
		.transit = { JUNOS_NO_COUNT, JUNOS_NO_COUNT, JUNOS_NO_COUNT, JUNOS_NO_COUNT } };
	struct junos_reply reply = {
		.kind = JUNOS_REPLY_INTERFACES, .interfaces = &interface, .interface_count = 1
	};

	agent_kpi_take(&rig->agent, &(struct router_count){ .read_at = world.now,
	                                .interface = names[e][s],
	                                .reply = world.is_unread[e] ? NULL : &reply,
	                                .failure = world.is_unread[e] ? "no such device" : NULL,
	                                .is_extra = is_extra });
}

static void
put_counter(struct junos_reply *reply, char name[48], const char *filter, uint64_t packets)
{
	reply->counters[reply->counter_count++] =
	    (struct junos_counter){ filter, name, packets, packets * PACKET };
}

static void
read_filter(struct rig *rig, enum family f, enum side s, bool is_extra)
{
	struct junos_counter counters[COUNTERS];
	struct junos_reply reply = { .kind = JUNOS_REPLY_FIREWALL, .counters = counters };
	char *filter = agent_kpi_filter_name(&group, f, s), text[COUNTERS][48];

	for (size_t e = 0; e < ELEMENTS; e++)
		for (enum kpi_layer layer = 0; layer < KPI_LAYERS; layer++) {
			char *name = text[reply.counter_count];

			snprintf(name, sizeof(text[0]), "%s-%s", ids[e], kpi_layer_names[layer]);
			if (!world.is_unread[e])
				put_counter(
				    &reply, name, filter, world.terms[e][f][s][layer].packets);
		}
	snprintf(text[COUNTERS - 1], sizeof(text[0]), "cgn-subscribers");
	put_counter(
	    &reply, text[COUNTERS - 1], filter, s == SIDE_INSIDE ? world.unlisted[f].packets : 0);
	agent_kpi_take(
	    &rig->agent, &(struct router_count){ .read_at = world.now,
	                     .filter = filter,
	                     .reply = &reply,
	                     .is_extra = is_extra,
	                     .ends_round = f + 1 == FAMILY_COUNT && s + 1 == SIDE_COUNT });
	free(filter);
}

static void
ignore(void *arg, const struct alarm *alarm, bool is_raised, uint32_t untold)
{
}

static void
look(struct rig *rig)
{
	alarms_begin(rig->alarms, world.now, wallclock_now_us());
	agent_proof_assert(&rig->agent, rig->alarms);
	agent_load_assert(&rig->agent, rig->alarms);
	alarms_end(rig->alarms, ignore, NULL);
}

static void
read_round(struct rig *rig, int64_t ms, bool is_extra)
{
	let_pass(ms);
	for (size_t e = 0; e < ELEMENTS; e++)
		for (enum side s = 0; s < SIDE_COUNT; s++)
			read_interface(rig, e, s, is_extra);
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		for (enum side s = 0; s < SIDE_COUNT; s++)
			read_filter(rig, f, s, is_extra);
	look(rig);
}

static void
polls(struct rig *rig, size_t count)
{
	for (size_t i = 0; i < count; i++)
		read_round(rig, POLL_MS, false);
}

static void
commit(struct rig *rig)
{
	rig->agent.last.first_event_us = wallclock_now_us() - 500000;
	agent_kpi_note_filters(rig->agent.kpi);
	agent_proof_begin(&rig->agent, world.now);
}

static const struct alarm *
find(const struct rig *rig, enum alarm_type type, const char *key)
{
	const struct alarm *alarm;
	size_t position = 0;

	while ((alarm = alarms_next(rig->alarms, &position)))
		if (alarm->type == type && strcmp(alarm->key, key) == 0)
			return alarm;
	return NULL;
}

static void
expect_quiet(const struct rig *rig)
{
	size_t position = 0;
	const struct alarm *alarm = alarms_next(rig->alarms, &position);

	if (alarm)
		fail_msg("%s %s: %s", alarm_kind(alarm->type)->name, alarm->key, alarm->cause);
}

static void
expect_cause(const struct rig *rig, enum alarm_type type, const char *key, const char *words)
{
	const struct alarm *alarm = find(rig, type, key);

	if (!alarm)
		fail_msg("no alarm for %s that says %s", key, words);
	else if (!strstr(alarm->cause, words))
		fail_msg("%s: %s", key, alarm->cause);
}

static uint64_t
moves(const struct rig *rig)
{
	return rig->agent.kpi->reaction[KPI_TRAFFIC_MOVED].count;
}

/* One element's load and units go to the others; rest stays with it. */
static void
fail_over(struct rig *rig, size_t victim, uint64_t rest)
{
	for (size_t e = 0; e < ELEMENTS; e++) {
		own(e, UNITS * 4 / 3.0, UNITS * 4 / 3.0);
		carry(e, 4000 * 4 / 3);
	}
	own(victim, 0, 0);
	carry(victim, rest);
	commit(rig);
}

/* ---- load ------------------------------------------------------------------------------------ */

static void
test_shares_by_family(void **state)
{
	struct rig rig;

	begin(&rig);
	for (size_t e = 0; e < ELEMENTS; e++) /* a tenth is IPv6 */
		for (enum side s = 0; s < SIDE_COUNT; s++) {
			set(&world.terms[e][FAMILY_IPV4][s][KPI_BASE], 27000);
			set(&world.terms[e][FAMILY_IPV6][s][KPI_BASE], e == 3 ? 0 : 4000);
		}
	for (size_t e = 0; e < ELEMENTS; e++)
		own(e, UNITS, e == 3 ? 0 : UNITS * 4 / 3.0);
	commit(&rig);
	polls(&rig, 60);
	expect_quiet(&rig);
	set(&world.terms[0][FAMILY_IPV4][SIDE_INSIDE][KPI_BASE], 90000);
	polls(&rig, 40);
	expect_cause(&rig, ALARM_SHARE_OFF, "cgn/fbf-1/ipv4", "% of the steered packets, 25.0 %");
	assert_null(find(&rig, ALARM_SHARE_OFF, "cgn/fbf-1/ipv6"));
	end(&rig);
}

/* Whichever was never read: the others are judged as before. */
static void
test_unread_element(void **state)
{
	for (size_t unread = 0; unread < ELEMENTS; unread++) {
		size_t victim = unread == 1 ? 2 : 1;
		struct rig rig;

		begin(&rig);
		world.is_unread[unread] = true;
		polls(&rig, 40);
		expect_quiet(&rig);
		fail_over(&rig, victim, 0);
		polls(&rig, 2);
		assert_int_equal(moves(&rig), 1);
		carry(victim, 4000);
		polls(&rig, 10);
		assert_non_null(find(
		    &rig, ALARM_DRAINED_STILL_CARRYING, victim == 1 ? "cgn/fbf-2" : "cgn/fbf-3"));
		end(&rig);
	}
}

/* The rounds stop, then an element dies: the last rates tell nothing of that. */
static void
test_stale_rates(void **state)
{
	struct rig rig;

	begin(&rig);
	polls(&rig, 5);
	fail_over(&rig, 1, 0);
	for (int i = 0; i < 40; i++) {
		let_pass(POLL_MS);
		look(&rig);
		expect_quiet(&rig);
	}
	carry(1, 4000);
	polls(&rig, 10); /* read again */
	expect_cause(&rig, ALARM_DRAINED_STILL_CARRYING, "cgn/fbf-2", "it owns no units");
	for (int i = 0; i < 20; i++) {
		let_pass(POLL_MS);
		look(&rig);
	}
	expect_quiet(&rig); /* nobody knows */
	end(&rig);
}

/* ---- proofs ---------------------------------------------------------------------------------- */

static void
test_traffic_that_left(void **state)
{
	struct rig rig;

	for (int i = 0; i < 2; i++) {
		begin(&rig);
		polls(&rig, 3);
		world.is_failed = i == 0;
		world.is_altered = i == 1;
		fail_over(&rig, 1, 0);
		for (size_t e = 0; e < ELEMENTS; e++)
			carry(e, 0);
		polls(&rig, 2);
		assert_int_equal(moves(&rig), 1);
		expect_quiet(&rig);
		end(&rig);
	}
	begin(&rig);
	polls(&rig, 3);
	fail_over(&rig, 1, 0);
	for (size_t e = 0; e < ELEMENTS; e++)
		carry(e, e == 1 ? 0 : 4000);
	polls(&rig, 2);
	expect_cause(&rig, ALARM_TRAFFIC_NOT_MOVED, "cgn/fbf-2", "the others do not get");
	polls(&rig, 40); /* by now their load has other reasons */
	assert_null(find(&rig, ALARM_TRAFFIC_NOT_MOVED, "cgn/fbf-2"));
	end(&rig);
}

static void
test_one_family(void **state)
{
	struct rig rig;

	begin(&rig);
	polls(&rig, 3);
	own(2, UNITS, 0);
	commit(&rig);
	polls(&rig, 2);
	expect_cause(&rig, ALARM_TRAFFIC_NOT_MOVED, "cgn/fbf-3/ipv6", "4000 packets a second are");
	for (size_t e = 0; e < ELEMENTS; e++)
		for (enum side s = 0; s < SIDE_COUNT; s++)
			set(&world.terms[e][FAMILY_IPV6][s][KPI_OVERRIDE], e == 2 ? 0 : 700);
	for (enum side s = 0; s < SIDE_COUNT; s++)
		set(&world.terms[2][FAMILY_IPV6][s][KPI_BASE], 0);
	polls(&rig, 2);
	expect_quiet(&rig);
	assert_int_equal(moves(&rig), 1);
	own(2, UNITS, UNITS); /* back, and nothing follows */
	commit(&rig);
	polls(&rig, 2);
	expect_cause(&rig, ALARM_TRAFFIC_NOT_MOVED, "cgn/fbf-3/ipv6", "it has units again, and 0");
	carry(2, 4000);
	polls(&rig, 1);
	expect_quiet(&rig);
	assert_int_equal(moves(&rig), 1); /* a return is no failover */
	end(&rig);
}

static void
test_clock_stepped_back(void **state)
{
	struct rig rig;

	begin(&rig);
	polls(&rig, 3);
	fail_over(&rig, 1, 0);
	world.wall_lag_us = INT64_C(3600000000);
	polls(&rig, 2);
	expect_quiet(&rig);
	assert_int_equal(moves(&rig), 0);
	end(&rig);
}

/* Servers and scanners go on sending to its pool, and nobody steers that. */
static void
test_pool_of_a_drained_element(void **state)
{
	struct rig rig;

	begin(&rig);
	group.return_path[FAMILY_IPV4] = RETURN_NAT_ROUTES;
	polls(&rig, 3);
	fail_over(&rig, 1, 0);
	set(&world.sent[1][SIDE_OUTSIDE], 2000);
	polls(&rig, 20);
	expect_quiet(&rig);
	assert_int_equal(moves(&rig), 1);
	set(&world.sent[1][SIDE_INSIDE], 2000);
	polls(&rig, 10);
	expect_cause(&rig, ALARM_DRAINED_STILL_CARRYING, "cgn/fbf-2", "2000 packets a second");
	group.return_path[FAMILY_IPV4] = RETURN_FILTER;
	end(&rig);
}

/* The others' packets go through the same VLAN: only the filters know the elements apart. */
static void
test_shared_interface(void **state)
{
	struct rig rig;

	begin(&rig);
	for (size_t e = 0; e < 3; e++)
		for (enum side s = 0; s < SIDE_COUNT; s++)
			agent_kpi_note_user(rig.agent.kpi, names[e == 1 ? 2 : e][s], &elements[e]);
	memcpy(names[1], names[2], sizeof(names[1]));
	polls(&rig, 3);
	fail_over(&rig, 1, 0);
	for (enum side s = 0; s < SIDE_COUNT; s++) { /* the same counters under both names */
		world.sent[1][s] = world.sent[2][s];
		world.received[1][s] = world.received[2][s];
	}
	polls(&rig, 20);
	expect_quiet(&rig);
	assert_int_equal(moves(&rig), FAMILY_COUNT);
	for (enum side s = 0; s < SIDE_COUNT; s++) {
		set(&world.received[1][s], 0);
		set(&world.received[2][s], 0);
	}
	polls(&rig, 5);
	expect_quiet(&rig);
	agent_kpi_forget_users(rig.agent.kpi);
	polls(&rig, 3);
	assert_non_null(find(&rig, ALARM_SILENT_ELEMENT, "cgn/fbf-3"));
	end(&rig);
}

/* ---- silence --------------------------------------------------------------------------------- */

static void
test_one_direction(void **state)
{
	struct rig rig;

	begin(&rig);
	polls(&rig, 4);
	set(&world.received[2][SIDE_INSIDE], 0); /* what comes from the Internet is dropped */
	polls(&rig, 1);
	expect_quiet(&rig);
	for (int i = 0; i < 5; i++)
		read_round(&rig, 100, true);
	expect_quiet(&rig); /* not two polls */
	polls(&rig, 1);
	expect_cause(&rig, ALARM_SILENT_ELEMENT, "cgn/fbf-3",
	    "4000 packets a second are sent into its outside, 0 come out of its inside");
	carry(2, 600); /* too little in each direction, enough in both */
	polls(&rig, 5);
	expect_quiet(&rig);
	for (enum side s = 0; s < SIDE_COUNT; s++)
		set(&world.received[2][s], 0);
	polls(&rig, 2);
	expect_cause(
	    &rig, ALARM_SILENT_ELEMENT, "cgn/fbf-3", "1200 packets a second are sent into it, 0");
	end(&rig);
}

static void
test_scanned_element(void **state)
{
	struct rig rig;

	begin(&rig);
	carry(2, 100);
	set(&world.sent[2][SIDE_OUTSIDE], 4000); /* and nobody has asked for it */
	polls(&rig, 10);
	assert_null(find(&rig, ALARM_SILENT_ELEMENT, "cgn/fbf-3"));
	carry(2, 0);
	set(&world.sent[2][SIDE_OUTSIDE], 4000); /* the others' subscribers are at lunch */
	polls(&rig, 10);
	assert_null(find(&rig, ALARM_SILENT_ELEMENT, "cgn/fbf-3"));
	set(&world.sent[2][SIDE_INSIDE], 4000); /* what they ask for does not come any more */
	polls(&rig, 3);
	expect_cause(&rig, ALARM_SILENT_ELEMENT, "cgn/fbf-3", "into its inside");
	set(&world.received[2][SIDE_OUTSIDE], 4000);
	polls(&rig, 3);
	expect_cause(&rig, ALARM_SILENT_ELEMENT, "cgn/fbf-3", "into its outside");
	own(2, 0, 0);
	polls(&rig, 3);
	assert_null(find(&rig, ALARM_SILENT_ELEMENT, "cgn/fbf-3"));
	end(&rig);
}

static void
test_takeover_is_no_silence(void **state)
{
	struct rig rig;

	begin(&rig);
	own(3, 0, 0);
	carry(3, 0);
	commit(&rig);
	polls(&rig, 3);
	fail_over(&rig, 1, 0);
	for (enum side s = 0; s < SIDE_COUNT; s++)
		set(&world.received[3][s], 0); /* flows that it does not know */
	polls(&rig, 2);
	expect_quiet(&rig);
	carry(3, 5333);
	polls(&rig, 3);
	expect_quiet(&rig);
	for (enum side s = 0; s < SIDE_COUNT; s++)
		set(&world.received[3][s], 0);
	polls(&rig, 2);
	assert_non_null(find(&rig, ALARM_SILENT_ELEMENT, "cgn/fbf-4"));
	end(&rig);
}

/* ---- subscribers in no list ------------------------------------------------------------------ */

static void
test_unlisted(void **state)
{
	struct rig rig;

	begin(&rig);
	polls(&rig, 3);
	world.unlisted[FAMILY_IPV4].packets++; /* once */
	polls(&rig, 20);
	expect_quiet(&rig);
	for (int i = 0; i < 4; i++) { /* and now every 30 s */
		world.unlisted[FAMILY_IPV4].packets++;
		polls(&rig, 1);
		if (i < 2)
			expect_quiet(&rig);
		polls(&rig, 2);
	}
	expect_cause(&rig, ALARM_UNLISTED_SUBSCRIBERS, "cgn/ipv4", "that no list names");
	polls(&rig, 10);
	expect_quiet(&rig);
	end(&rig);
}

/* ---- counters that begin anew ---------------------------------------------------------------- */

static void
test_restarts_that_do_not_show(void **state)
{
	struct rig rig;
	struct kpi_meter *term, *port;

	begin(&rig);
	polls(&rig, 3);
	term = &rig.agent.kpi->groups[0].elements[0].terms[FAMILY_IPV4][SIDE_INSIDE][KPI_BASE];
	port = &rig.agent.kpi->ports[0].sent;
	assert_true(term->has_rate && term->discontinuity.us == 0);
	commit(&rig);
	polls(&rig, 1);
	assert_false(term->has_rate);
	assert_int_equal(term->discontinuity.us, world.now.us);
	assert_true(port->has_rate); /* no filter's business */
	polls(&rig, 1);
	assert_int_equal(term->packets_s, 2000);
	agent_kpi_note_boot(rig.agent.kpi, (struct mtime){ 900000000 });
	polls(&rig, 1);
	assert_true(term->has_rate && port->has_rate); /* told for the first time */
	agent_kpi_note_boot(rig.agent.kpi, (struct mtime){ 901000000 }); /* in whole seconds */
	polls(&rig, 1);
	assert_true(term->has_rate && port->has_rate);
	agent_kpi_note_boot(rig.agent.kpi, world.now);
	polls(&rig, 1);
	assert_false(term->has_rate || port->has_rate);
	end(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares_by_family),
		cmocka_unit_test(test_unread_element),
		cmocka_unit_test(test_stale_rates),
		cmocka_unit_test(test_traffic_that_left),
		cmocka_unit_test(test_one_family),
		cmocka_unit_test(test_clock_stepped_back),
		cmocka_unit_test(test_pool_of_a_drained_element),
		cmocka_unit_test(test_shared_interface),
		cmocka_unit_test(test_one_direction),
		cmocka_unit_test(test_scanned_element),
		cmocka_unit_test(test_takeover_is_no_silence),
		cmocka_unit_test(test_unlisted),
		cmocka_unit_test(test_restarts_that_do_not_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
