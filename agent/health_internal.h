/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside health: what is known of one BGP peer and its BFD session (health_peer.c), and what that
 * says about one element and family, a member (health_member.c). The machine is in health.c.
 */
#ifndef AUTOFBF_HEALTH_INTERNAL_H
#define AUTOFBF_HEALTH_INTERNAL_H

#include "health.h"

struct health_peer {
	const struct profile_peer *config; /* borrowed; NULL: the family is not served */
	enum side side;

	enum verdict bgp;           /* the last word of any source */
	struct mtime bgp_at;        /* when it was said; a poll: when it was asked */
	enum event_source source;   /* who said it */
	bool vouches[SOURCE_COUNT]; /* who has a verdict at this moment */
	struct mtime syslog_until;  /* end of SOURCE_SYSLOG's voucher */
	bool bmp_said_down;         /* BMP's last word on this peer, while its session stands */
	struct mtime up_since;      /* BGP: came up then, or was up by then at the latest */

	enum verdict bfd;
	struct mtime bfd_at;
	enum event_source bfd_source;
	struct mtime bfd_up_since; /* seen coming up after a down; MTIME_NEVER: not seen */
	bool bfd_seen;             /* there is a session */
	bool bfd_proved;           /* it was up once: it can tell a failure */
	bool bfd_failed;           /* Up -> Down edge, and not up again */
	bool bfd_lapsed;           /* was up when its BGP session ended */

	enum event_cause cause; /* of the last BGP down */
	struct mtime since;     /* of the last change of either verdict */
	int64_t established_s;
	uint32_t flaps;
};

void health_peer_init(struct health_peer *peer, const struct profile_peer *config, enum side side);
/* The event is about this peer's address: is it about its routing instance, too? */
bool health_peer_is_meant(const struct health_peer *peer, const struct event *event);
/* Takes BGP_UP, BGP_DOWN, BFD_UP, BFD_DOWN and UNKNOWN. True: an Up -> Down edge, a failure. */
bool health_peer_hear(struct health_peer *peer, const struct event *event, uint32_t poll_ms);
/* The source's voucher ends; the last word stays. */
void health_peer_forget(struct health_peer *peer, enum event_source source);

bool health_peer_is_vouched(const struct health_peer *peer);
/* It is a fact that traffic must leave. */
bool health_peer_is_failed(const struct health_peer *peer);
/* Good enough to join: BGP up, and BFD where it is expected. */
bool health_peer_is_ready(const struct health_peer *peer);
bool health_peer_is_unprotected(const struct health_peer *peer);
/* The youngest thing that had to come up; INT64_MIN when nothing is known. */
struct mtime health_peer_youngest(const struct health_peer *peer);
/* Failure scope `auto`: does this failure speak for the element, or for the family alone? */
bool health_peer_blames_element(const struct health_peer *peer, const struct event *event);
/* "inside 10.0.0.2: bgp down, hold-timer (bmp)": why the peer is not ready. */
void health_peer_explain(const struct health_peer *peer, char *text, size_t size);

struct health_member {
	size_t group, element;
	enum family family;
	bool present; /* serves the family and is no tombstone */
	bool forced;
	bool owns;
	bool owns_known; /* the router's lists were read */
	bool has_verdict;
	bool healthy; /* up; while unknown: was up before */
	bool widened; /* this failure took the sibling along, or may not */
	enum health_state state;
	struct mtime since;
	struct mtime serving_since; /* INT64_MIN: always, or not yet */
	struct mtime failed_at;     /* last failure seen, INT64_MIN: none */
	struct mtime fell_at;       /* last failure that took it out of service, INT64_MIN: none */
	char reason[160];
	struct health_peer peer[SIDE_COUNT];
};

/* group, element and family are set already. */
void health_member_init(
    struct health_member *m, const struct profile_element *element, struct mtime now);
/* A side has failed. */
bool health_member_is_failed(const struct health_member *m);
/* Both sides are vouched for. */
bool health_member_is_known(const struct health_member *m);
/* Both sides are good enough to join. */
bool health_member_is_ready(const struct health_member *m);
/* It carries traffic, as far as we know; the operator's word apart. */
bool health_member_is_serving(const struct health_member *m);
bool health_member_is_healthy(const struct health_member *m);
/* Nothing was ever said, and who owns what was not read: an owner cannot be told from a newcomer.
 */
bool health_member_is_unread(const struct health_member *m);
/* The youngest thing that hold-down must wait for; INT64_MIN when there is none. */
struct mtime health_member_youngest(const struct health_member *m);
/* One peer's words for why it is not up; returns text. */
const char *health_member_explain(const struct health_member *m, char *text, size_t size);
/* All but hold_until. */
void health_member_view(const struct health_member *m, struct health_view *ret_view);

#endif
