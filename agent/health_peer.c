/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One BGP peer as three sources tell it. Owns the last word on BGP and BFD, who vouches for it now,
 * and since when the session is up; leaves to health.c what that means for an element.
 *
 * The last word wins, but a poll's word is as old as its question, so an answer never overrules
 * what happened after it was asked. When a source falls silent its word stays (unknown = the last
 * known verdict); only the voucher goes. BMP and the poll tell everything again when they come
 * back; syslog does not, so its voucher ends by itself. Only edges are failures: FRR repeats Peer
 * Down once a second for a peer that is down, and BFD that never was up has lost nothing.
 *
 * BFD belongs to a BGP session: when that ends, "up" is not known any more (Junos deletes the
 * session with "AdminDown", which is no failure). A BFD down that arrives after the BGP down of the
 * same failure still counts, because it says more: the path died, not the protocol.
 */
#include "health_internal.h"

#include <stdio.h>
#include <string.h>

enum { AGE_JITTER_US = 2 * 1000 * 1000 }; /* ages are whole seconds, and the answer took a while */
enum { AGE_MAX_S = INT32_MAX };           /* whatever a router prints */

void
health_peer_init(struct health_peer *peer, const struct profile_peer *config, enum side side)
{
	*peer = (struct health_peer){ .config = config,
		.side = side,
		.bgp_at = { INT64_MIN },
		.bfd_at = { INT64_MIN },
		.edge_at = { INT64_MIN },
		.up_since = { INT64_MIN },
		.bfd_up_since = MTIME_NEVER,
		.syslog_until = MTIME_NEVER,
		.since = MTIME_NEVER,
		.established_s = -1,
		.routes = -1 };
}

/*
 * Polls name the instance. BMP gives a route distinguisher, which only the master instance is known
 * to lack; syslog sometimes gives a number for a name. What cannot be compared is believed.
 */
bool
health_peer_is_meant(const struct health_peer *peer, const struct event *event)
{
	const char *wanted = peer->config->instance;
	const char *told = event->instance;

	if (told[0] == '\0' || !wanted)
		return true;
	if (event->source == SOURCE_BMP)
		return strcmp(wanted, "master") != 0;
	if (event->source == SOURCE_SYSLOG && told[0] >= '0' && told[0] <= '9')
		return true;
	return strcmp(wanted, told) == 0;
}

static bool
is_stale(const struct event *event, struct mtime said_at, enum event_source said_by)
{
	if (event->source != SOURCE_POLL)
		return false;
	return event->at.us < said_at.us || (event->at.us == said_at.us && said_by != SOURCE_POLL);
}

static struct mtime
later(struct mtime a, struct mtime b)
{
	return a.us > b.us ? a : b;
}

/* An age can prove that the session is older than we thought, or that we missed a flap. */
static void
hear_age(struct health_peer *peer, const struct event *event)
{
	struct mtime born;

	if (event->established_s < 0 || event->source != SOURCE_POLL)
		return;
	peer->established_s = event->established_s < AGE_MAX_S ? event->established_s : AGE_MAX_S;
	born = mtime_add_ms(event->at, -peer->established_s * 1000);
	if (born.us > peer->up_since.us + AGE_JITTER_US)
		peer->flaps++;
	else if (born.us >= peer->up_since.us)
		return;
	peer->up_since = born;
}

static void
hear_bgp_up(struct health_peer *peer, const struct event *event)
{
	if (peer->bgp != VERDICT_UP) {
		peer->bgp = VERDICT_UP;
		peer->since = event->at;
		peer->up_since = event->at;
		peer->established_s = -1;
	}
	hear_age(peer, event);
}

static bool
hear_bgp_down(struct health_peer *peer, const struct event *event)
{
	bool edge = peer->bgp == VERDICT_UP;

	if (peer->bgp == VERDICT_DOWN) {
		if (peer->cause == CAUSE_UNKNOWN)
			peer->cause = event->cause;
		return false;
	}
	peer->bgp = VERDICT_DOWN;
	peer->since = event->at;
	peer->cause = event->cause;
	peer->established_s = -1;
	peer->routes = -1;
	if (edge)
		peer->flaps++;
	if (peer->bfd == VERDICT_UP) {
		peer->bfd = VERDICT_UNKNOWN;
		peer->bfd_lapsed = true;
	}
	return edge;
}

/*
 * BMP's own Down after its own Down is no news, even when another source has said Up in between:
 * FRR repeats Downs, one of them right before each Peer Up, and sources overtake each other.
 */
static bool
is_repeated_down(struct health_peer *peer, const struct event *event)
{
	bool was_down = peer->bmp_said_down;

	if (event->source != SOURCE_BMP)
		return false;
	peer->bmp_said_down = event->kind == EVENT_BGP_DOWN;
	return was_down && peer->bmp_said_down;
}

static bool
hear_bgp(struct health_peer *peer, const struct event *event, uint32_t poll_ms)
{
	bool was_vouched = health_peer_is_vouched(peer), edge = false;
	enum verdict was = peer->bgp;

	peer->vouches[event->source] = true;
	if (is_repeated_down(peer, event))
		return false;
	if (event->source == SOURCE_SYSLOG)
		peer->syslog_until =
		    mtime_add_ms(event->at, (int64_t)poll_ms * HEALTH_SYSLOG_POLLS);
	if (is_stale(event, peer->bgp_at, peer->source))
		return false;
	peer->bgp_at = later(peer->bgp_at, event->at);
	peer->source = event->source;
	if (event->kind == EVENT_BGP_DOWN)
		edge = hear_bgp_down(peer, event);
	else
		hear_bgp_up(peer, event);
	if (was_vouched && was != VERDICT_UNKNOWN && was != peer->bgp)
		peer->edge_at = event->at;
	return edge;
}

static void
hear_bfd_up(struct health_peer *peer, const struct event *event)
{
	if (peer->bfd == VERDICT_DOWN)
		peer->bfd_up_since = event->at;
	if (peer->bfd != VERDICT_UP)
		peer->since = event->at;
	peer->bfd = VERDICT_UP;
	peer->bfd_seen = true;
	peer->bfd_proved = true;
	peer->bfd_failed = false;
	peer->bfd_lapsed = false;
}

static bool
hear_bfd_down(struct health_peer *peer, const struct event *event)
{
	bool edge = peer->bfd == VERDICT_UP || (peer->bfd_lapsed && event->source != SOURCE_POLL);

	if (peer->bfd != VERDICT_DOWN)
		peer->since = event->at;
	peer->bfd = VERDICT_DOWN;
	peer->bfd_seen = true;
	peer->bfd_lapsed = false;
	peer->bfd_up_since = MTIME_NEVER;
	if (edge)
		peer->bfd_failed = true;
	return edge;
}

/* No session, or one that an administrator took down. Without BGP up that is only natural. */
static void
hear_bfd_absent(struct health_peer *peer)
{
	if (peer->bgp != VERDICT_UP)
		return;
	peer->bfd = VERDICT_UNKNOWN;
	peer->bfd_up_since = MTIME_NEVER;
	peer->bfd_seen = peer->bfd_proved = peer->bfd_failed = peer->bfd_lapsed = false;
}

static bool
hear_bfd(struct health_peer *peer, const struct event *event)
{
	bool is_admin = event->kind == EVENT_BFD_DOWN && event->cause == CAUSE_ADMIN;

	if (peer->config->bfd == BFD_IGNORE || is_stale(event, peer->bfd_at, peer->bfd_source))
		return false;
	if (is_admin && event->source != SOURCE_POLL)
		return false; /* no failure, and often only the consequence of one */
	peer->bfd_at = later(peer->bfd_at, event->at);
	peer->bfd_source = event->source;
	if (is_admin || event->kind == EVENT_UNKNOWN)
		hear_bfd_absent(peer);
	else if (event->kind == EVENT_BFD_UP)
		hear_bfd_up(peer, event);
	else
		return hear_bfd_down(peer, event);
	return false;
}

bool
health_peer_hear(struct health_peer *peer, const struct event *event, uint32_t poll_ms)
{
	switch (event->kind) {
	case EVENT_BGP_UP:
	case EVENT_BGP_DOWN:
		return hear_bgp(peer, event, poll_ms);
	case EVENT_BFD_UP:
	case EVENT_BFD_DOWN:
		return hear_bfd(peer, event);
	case EVENT_UNKNOWN:
		if (event->cause == CAUSE_BFD)
			return hear_bfd(peer, event);
		health_peer_forget(peer, event->source);
		return false;
	default:
		return false;
	}
}

/* An answer that is older than the session's last change speaks of another session. */
void
health_peer_count_routes(struct health_peer *peer, int64_t routes, struct mtime asked_at)
{
	if (peer->bgp == VERDICT_UP && asked_at.us >= peer->bgp_at.us)
		peer->routes = routes;
}

void
health_peer_forget(struct health_peer *peer, enum event_source source)
{
	peer->vouches[source] = false;
	if (source == SOURCE_BMP)
		peer->bmp_said_down = false;
}

void
health_peer_forget_bfd(struct health_peer *peer)
{
	peer->bfd = VERDICT_UNKNOWN;
	peer->bfd_at = (struct mtime){ INT64_MIN };
	peer->bfd_up_since = MTIME_NEVER;
	peer->bfd_seen = peer->bfd_proved = peer->bfd_failed = peer->bfd_lapsed = false;
}

bool
health_peer_is_vouched(const struct health_peer *peer)
{
	for (size_t i = 0; i < SOURCE_COUNT; i++)
		if (peer->vouches[i])
			return true;
	return false;
}

bool
health_peer_is_failed(const struct health_peer *peer)
{
	return peer->bfd_failed || (health_peer_is_vouched(peer) && peer->bgp == VERDICT_DOWN);
}

static bool
expects_bfd(const struct health_peer *peer)
{
	return peer->config->bfd == BFD_REQUIRED ||
	       (peer->config->bfd == BFD_IF_PRESENT && peer->bfd_seen);
}

bool
health_peer_is_ready(const struct health_peer *peer)
{
	return health_peer_is_vouched(peer) && peer->bgp == VERDICT_UP &&
	       (!expects_bfd(peer) || peer->bfd == VERDICT_UP);
}

bool
health_peer_is_unprotected(const struct health_peer *peer)
{
	return peer->bgp == VERDICT_UP && expects_bfd(peer) && peer->bfd != VERDICT_UP &&
	       !peer->bfd_failed;
}

bool
health_peer_lacks_routes(const struct health_peer *peer)
{
	return peer->bgp == VERDICT_UP && peer->routes >= 0 &&
	       (uint64_t)peer->routes < peer->config->required_routes;
}

struct mtime
health_peer_youngest(const struct health_peer *peer)
{
	if (mtime_is_never(peer->bfd_up_since))
		return peer->up_since;
	return later(peer->up_since, peer->bfd_up_since);
}

bool
health_peer_blames_element(const struct health_peer *peer, const struct event *event)
{
	if (event->kind == EVENT_BFD_DOWN)
		return true;
	switch (event->cause) {
	case CAUSE_HOLD_TIMER:
	case CAUSE_ADMIN:
	case CAUSE_NOTIFICATION_SENT:
	case CAUSE_NOTIFICATION_RECEIVED:
		return false;
	case CAUSE_BFD:
		return true;
	default: /* FRR's BMP never tells the cause */
		return peer->config->bfd == BFD_REQUIRED || peer->bfd_proved;
	}
}

void
health_peer_explain(const struct health_peer *peer, char *text, size_t size)
{
	char address[IP_TEXT_SIZE];
	const char *cause = event_cause_names[peer->cause];

	ip_format(&peer->config->address, address);
	if (!health_peer_is_vouched(peer) && !peer->bfd_failed)
		snprintf(
		    text, size, "%s %s: no source has a verdict", side_names[peer->side], address);
	else if (peer->bgp == VERDICT_DOWN)
		snprintf(text, size, "%s %s: bgp down%s%s (%s)", side_names[peer->side], address,
		    cause ? ", " : "", cause ? cause : "", event_source_names[peer->source]);
	else if (peer->bfd_failed)
		snprintf(text, size, "%s %s: bfd down (%s)", side_names[peer->side], address,
		    event_source_names[peer->bfd_source]);
	else if (health_peer_is_ready(peer) && health_peer_lacks_routes(peer))
		snprintf(text, size, "%s %s: %lld active routes, %u required",
		    side_names[peer->side], address, (long long)peer->routes,
		    (unsigned)peer->config->required_routes);
	else
		snprintf(text, size, "%s %s: bfd is not up", side_names[peer->side], address);
}
