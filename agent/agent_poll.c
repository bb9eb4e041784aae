/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One complete look at the router, turned into events: Junos' words in, verdicts out.
 *
 * What counts as what (facts about Junos): a peer that is listed and not Established is down; "BGP
 * is not running" in <output> is a fact, all peers are down; "the routing subsystem is not running"
 * and every other error is no verdict at all; a peer that is not listed has no verdict either. Ages
 * of the box, of rpd and of the last static commit come with the same look, for the guard and for
 * the re-reading of the static base.
 */
#define _GNU_SOURCE /* strcasestr */
#include "agent_internal.h"
#include "agent_kpi_internal.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "log.h"

enum { CONFIGURED_JITTER_US = 2500000 };

struct look {
	struct agent *agent;
	struct mtime asked_at;
	const struct junos_reply *summary, *neighbors, *bfd;
	bool interfaces_changed;
};

static bool
is_usable(const struct junos_reply *reply, enum junos_reply_kind kind)
{
	return reply && reply->kind == kind && !junos_reply_error(reply);
}

static bool
says_no_bgp(const struct junos_reply *reply)
{
	return reply && reply->kind == JUNOS_REPLY_TEXT && reply->text &&
	       strcasestr(reply->text, "BGP is not running");
}

static bool
matches(const struct junos_peer *peer, const struct profile_peer *wanted)
{
	return peer->address_ok && ip_compare(&peer->address, &wanted->address) == 0 &&
	       (!peer->instance || strcmp(peer->instance, wanted->instance) == 0);
}

static const struct junos_peer *
find_peer(const struct junos_reply *reply, const struct profile_peer *wanted)
{
	for (size_t i = 0; reply && i < reply->peer_count; i++)
		if (matches(&reply->peers[i], wanted))
			return &reply->peers[i];
	return NULL;
}

static void
feed(struct look *look, const struct profile_peer *peer, enum event_kind kind,
    enum event_cause cause, int64_t established_s)
{
	struct event event = { .kind = kind,
		.source = SOURCE_POLL,
		.cause = cause,
		.peer = peer->address,
		.established_s = established_s,
		.at = look->asked_at };

	snprintf(event.instance, sizeof(event.instance), "%s", peer->instance);
	health_feed(look->agent->health, &event, mtime_now());
}

static void
feed_bgp(struct look *look, const struct profile_peer *peer)
{
	const struct junos_peer *seen = find_peer(look->summary, peer);
	const char *state;

	if (!seen)
		seen = find_peer(look->neighbors, peer);
	state = seen ? seen->state : NULL;
	if (says_no_bgp(look->summary))
		feed(look, peer, EVENT_BGP_DOWN, CAUSE_UNKNOWN, -1);
	else if (!state)
		feed(look, peer, EVENT_UNKNOWN, CAUSE_UNKNOWN, -1);
	else if (strcmp(state, "Established") == 0)
		feed(look, peer, EVENT_BGP_UP, CAUSE_UNKNOWN, seen->elapsed_s);
	else
		feed(look, peer, EVENT_BGP_DOWN, CAUSE_UNKNOWN, -1);
	health_set_routes(look->agent->health, &peer->address, peer->instance,
	    seen ? junos_peer_routes(seen, peer->address.family) : -1, look->asked_at, mtime_now());
}

/* The same address may appear on several interfaces: the session that is up speaks for the peer. */
static const struct junos_bfd *
find_bfd(const struct junos_reply *reply, const struct ip *address)
{
	const struct junos_bfd *found = NULL;

	for (size_t i = 0; reply && i < reply->bfd_count; i++) {
		const struct junos_bfd *bfd = &reply->bfd[i];
		if (!bfd->neighbor_ok || ip_compare(&bfd->neighbor, address) != 0 || !bfd->state)
			continue;
		if (!found || strcmp(bfd->state, "Up") == 0)
			found = bfd;
	}
	return found;
}

/* Returns the session; NULL: there is none, or nothing was said. */
static const struct junos_bfd *
feed_bfd(struct look *look, const struct profile_peer *peer)
{
	const struct junos_bfd *bfd = find_bfd(look->bfd, &peer->address);

	if (!look->bfd)
		return NULL;
	if (!bfd) { /* no session: BFD does not count for this peer */
		feed(look, peer, EVENT_UNKNOWN, CAUSE_BFD, -1);
		return NULL;
	}
	if (strcmp(bfd->state, "Up") == 0)
		feed(look, peer, EVENT_BFD_UP, CAUSE_UNKNOWN, -1);
	else if (strcmp(bfd->state, "AdminDown") == 0)
		feed(look, peer, EVENT_BFD_DOWN, CAUSE_ADMIN, -1);
	else if (strcmp(bfd->state, "Down") == 0)
		feed(look, peer, EVENT_BFD_DOWN, CAUSE_BFD, -1);
	return bfd;
}

static struct agent_detection
detection_of(const struct junos_bfd *bfd)
{
	struct agent_detection detection = { 0 };

	if (bfd && bfd->detection_time_us > 0)
		detection.negotiated_us = bfd->detection_time_us;
	if (bfd && junos_bfd_configured(bfd) > 0)
		detection.configured_us = junos_bfd_configured(bfd);
	return detection;
}

struct agent_detection
agent_detection(const struct agent *agent, size_t g, size_t e, enum family f, enum side s)
{
	struct agent_detection detection = agent->family[g][f].detection[e][s];

	if (agent->profile->groups[g].bfd_detection_ms > 0)
		detection.configured_us =
		    (int64_t)agent->profile->groups[g].bfd_detection_ms * 1000;
	return detection;
}

bool
agent_detection_is_slow(const struct agent_detection *detection)
{
	return detection->configured_us > 0 &&
	       detection->negotiated_us > detection->configured_us * 3 / 2;
}

static void
feed_element(struct look *look, size_t g, size_t e, enum family f)
{
	struct agent *agent = look->agent;
	const struct profile_element *element = &agent->profile->groups[g].elements[e];

	for (enum side s = 0; s < SIDE_COUNT; s++) {
		const struct junos_bfd *bfd;

		feed_bgp(look, &element->family[f].peer[s]);
		bfd = feed_bfd(look, &element->family[f].peer[s]);
		agent->family[g][f].detection[e][s] = detection_of(bfd);
		look->interfaces_changed |=
		    agent_note_interface(agent, g, e, f, s, bfd ? bfd->interface : NULL);
	}
}

static void
feed_everybody(struct look *look)
{
	const struct profile *profile = look->agent->profile;

	for (size_t g = 0; g < profile->group_count; g++)
		for (size_t e = 0; e < profile->groups[g].element_count; e++)
			for (enum family f = 0; f < FAMILY_COUNT; f++) {
				const struct profile_element *element =
				    &profile->groups[g].elements[e];

				if (element->family[f].present && !element->removed &&
				    look->agent->family[g][f].space)
					feed_element(look, g, e, f);
			}
}

static struct mtime
restarted_at(const struct junos_uptime *uptime, struct mtime asked_at)
{
	int64_t age = -1;

	if (uptime->booted_s >= 0)
		age = uptime->booted_s;
	if (uptime->protocols_started_s >= 0 && (age < 0 || uptime->protocols_started_s < age))
		age = uptime->protocols_started_s;
	if (age < 0)
		return (struct mtime){ INT64_MIN / 2 }; /* not told: long ago */
	return mtime_add_ms(asked_at, -age * 1000);
}

static void
check_static_commit(struct agent *agent, int64_t configured_s)
{
	int64_t at; /* monotonic: a step of our clock is no commit, and hides none */

	if (configured_s < 0)
		return;
	at = mtime_now().us - configured_s * 1000000;
	if (agent->configured_us && at > agent->configured_us + CONFIGURED_JITTER_US) {
		router_audit_now(agent->router);
		agent_kpi_note_filters(agent->kpi);
	}
	if (!agent->configured_us || at > agent->configured_us + CONFIGURED_JITTER_US)
		agent->configured_us = at;
}

/* What happened while the router did not answer, its other words may have been lost, too. */
static void
note_sight(struct agent *agent, struct mtime now)
{
	int64_t gap_ms = mtime_diff_ms(now, agent->polled_at);

	if (agent->was_blind || gap_ms > 2 * (int64_t)agent->profile->poll_interval_ms)
		agent->sighted_at = now;
	agent->was_blind = false;
	agent->polled_at = now;
	agent->first_poll_at = mtime_min(agent->first_poll_at, now);
}

void
agent_take_poll(struct agent *agent, const struct router_poll *poll)
{
	struct mtime asked_at = poll->asked_at;
	const struct junos_reply *summary = poll->summary, *uptime = poll->uptime;
	struct look look = { .agent = agent, .asked_at = asked_at };
	struct event lost = { .kind = EVENT_SOURCE_LOST, .source = SOURCE_POLL, .at = asked_at };
	bool bgp_ok = is_usable(summary, JUNOS_REPLY_BGP_SUMMARY) || says_no_bgp(summary);
	bool uptime_ok = is_usable(uptime, JUNOS_REPLY_UPTIME);

	if (bgp_ok) {
		look.summary = summary;
		if (is_usable(poll->neighbors, JUNOS_REPLY_BGP_NEIGHBOR))
			look.neighbors = poll->neighbors;
		look.bfd = is_usable(poll->bfd, JUNOS_REPLY_BFD) ? poll->bfd : NULL;
		feed_everybody(&look);
		agent_take_pools(agent, poll);
		if (look.interfaces_changed)
			agent_set_watch(agent);
		agent->polled_us = wallclock_now_us();
		note_sight(agent, mtime_now());
	} else {
		log_debug("poll", "no verdict: %s",
		    summary && junos_reply_error(summary) ? junos_reply_error(summary)->message
		                                          : "no usable reply");
		agent->was_blind = true;
		agent->blind_polls++;
		health_feed(agent->health, &lost, mtime_now());
	}
	if (uptime_ok)
		check_static_commit(agent, uptime->uptime.last_configured_s);
	if (uptime_ok && uptime->uptime.booted_s >= 0)
		agent_kpi_note_boot(
		    agent->kpi, mtime_add_ms(asked_at, -uptime->uptime.booted_s * 1000));
	guard_polled(agent->guard, agent->health, bgp_ok && uptime_ok,
	    uptime_ok ? restarted_at(&uptime->uptime, asked_at) : (struct mtime){ INT64_MIN / 2 },
	    asked_at, mtime_now());
	agent_reconsider(agent, "poll");
}
