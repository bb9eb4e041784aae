/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside health: what is known of one BGP peer and its BFD session (health_peer.c), what that says
 * about one element and family, a member (health_member.c, with its NAT pools: health_pool.c), and
 * for how long a member that is well again stays out (health_wait.c). The machine is in health.c.
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
	struct mtime edge_at; /* BGP went down, or came up again, while a source vouched; INT64_MIN:
	                         neither yet */
	struct mtime up_since; /* BGP: came up then, or was up by then at the latest */

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
	int64_t routes; /* active, of this session, at the last poll; -1: not told */
};

void health_peer_init(struct health_peer *peer, const struct profile_peer *config, enum side side);
/* The event is about this peer's address: is it about its routing instance, too? */
bool health_peer_is_meant(const struct health_peer *peer, const struct event *event);
/* Takes BGP_UP, BGP_DOWN, BFD_UP, BFD_DOWN and UNKNOWN. True: an Up -> Down edge, a failure. */
bool health_peer_hear(struct health_peer *peer, const struct event *event, uint32_t poll_ms);
/* What a poll that was asked at that time counted. */
void health_peer_count_routes(struct health_peer *peer, int64_t routes, struct mtime asked_at);
/* The source's voucher ends; the last word stays. */
void health_peer_forget(struct health_peer *peer, enum event_source source);

bool health_peer_is_vouched(const struct health_peer *peer);
/* As if it never had a BFD session. */
void health_peer_forget_bfd(struct health_peer *peer);
/* It is a fact that traffic must leave. */
bool health_peer_is_failed(const struct health_peer *peer);
/* Good enough to join: BGP up, and BFD where it is expected. */
bool health_peer_is_ready(const struct health_peer *peer);
bool health_peer_is_unprotected(const struct health_peer *peer);
/* Established, and told to have fewer active routes than the profile requires. */
bool health_peer_lacks_routes(const struct health_peer *peer);
/* The youngest thing that had to come up; INT64_MIN when nothing is known. */
struct mtime health_peer_youngest(const struct health_peer *peer);
/* Failure scope `auto`: does this failure speak for the element, or for the family alone? */
bool health_peer_blames_element(const struct health_peer *peer, const struct event *event);
/* "inside 10.0.0.2: bgp down, hold-timer (bmp)": why the peer is not ready. */
void health_peer_explain(const struct health_peer *peer, char *text, size_t size);

struct health_pool {
	const struct profile_nat_pool *config; /* borrowed */
	bool known;                            /* since the outside session is up */
	struct health_route route;             /* at the last poll that had an answer */
	char refusal[128];                     /* of the last poll; "": it was read, or not asked */
	const char *taken_by;                  /* borrowed from the profile; NULL: nobody we know */
	uint32_t missed;                       /* polls in a row, about an interval apart */
	struct mtime missed_at;                /* the last that counted was asked then */
	bool is_new;                           /* came under way, and was never here yet */
	struct mtime returned_at;              /* was missing before; INT64_MIN: never */
};

struct health_member {
	size_t group, element;
	enum family family;
	const struct profile_group *config; /* borrowed */
	struct health_member *sibling;      /* borrowed; the other family, NULL: not served */
	uint32_t weight;
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
	struct mtime *falls;        /* owned; ring of the last times it fell out of service */
	size_t fall_count, fall_capacity;
	uint32_t sentence_s; /* damping: so long out when it is well again; 0: it has not flapped */
	uint32_t sentence_before_s; /* the last fall */
	struct mtime parole_until;  /* back early, for it owns its units: only as long as it does */
	bool awaits;                /* revert manual: ready, and nobody said that it may come */
	bool approved;              /* the operator said so */
	char reason[160];
	struct health_peer peer[SIDE_COUNT];
	struct health_pool *pools; /* owned; none unless nat-routes */
	size_t pool_count;
	bool pools_doubted; /* by the guard: no route decides anything */
};

/* group, element, family and sibling are set already; group_config is borrowed. */
void health_member_init(
    struct health_member *m, const struct profile_group *group_config, struct mtime now);
void health_member_done(struct health_member *m);
/* A side has failed, or a pool. */
bool health_member_is_failed(const struct health_member *m);
/* Both sides are vouched for. */
bool health_member_is_known(const struct health_member *m);
/* Both sides are good enough: sessions up, and the routes that it needs to take units. A member
 * that owns its units need not take them, so it needs no routes. */
bool health_member_is_fit(const struct health_member *m);
/* It carries traffic, as far as we know; the operator's word apart. */
bool health_member_is_serving(const struct health_member *m);
bool health_member_is_healthy(const struct health_member *m);
/* Nothing was ever said, and who owns what was not read: an owner cannot be told from a newcomer.
 * Or its pool routes were not. */
bool health_member_is_unread(const struct health_member *m);
/* The youngest thing that hold-down must wait for; INT64_MIN when there is none. */
struct mtime health_member_youngest(const struct health_member *m);
/* One peer's words for why it is not up; returns text. */
const char *health_member_explain(const struct health_member *m, char *text, size_t size);
void health_member_view(
    const struct health_member *m, struct mtime now, struct health_view *ret_view);

/* ---- health_pool.c ---- */

void health_pool_init(struct health_member *m, const struct profile_element_family *config);
/* The outside session ended: nothing is known of routes. */
void health_pool_forget(struct health_member *m);
/* What a poll that was asked at that time has read; taken_by: whose next hop it is, or NULL. True:
 * the picture of the pool changed. */
bool health_pool_hear(struct health_member *m, size_t index, const struct health_route *route,
    const char *taken_by, struct mtime asked_at, uint32_t poll_ms);
/* It is a fact that traffic must leave. */
bool health_pool_is_failed(const struct health_member *m);
/* No poll has told yet, not even that the router refuses to. */
bool health_pool_is_unread(const struct health_member *m);
/* The last answer for some pool that can fail was that its route is not here. */
bool health_pool_is_missed(const struct health_member *m);
/* All routes are here, or nothing is known of them because the router refuses to tell. */
bool health_pool_is_here(const struct health_member *m);
/* So it is, or routes are doubted. */
bool health_pool_is_fit(const struct health_member *m);
/* The last return of a route; INT64_MIN: none was away. */
struct mtime health_pool_youngest(const struct health_member *m);
/* "pool p1 203.0.113.0/26: its route leads to fbf-03 (192.0.2.9)". */
void health_pool_explain(const struct health_member *m, char *text, size_t size);
void health_pool_look(
    const struct health_member *m, size_t index, struct health_pool_view *ret_view);

/* ---- health_wait.c ---- */

/* A failure took it out of service; the operator's word and the second event of one failure do not
 * come here. */
void health_member_note_fall(struct health_member *m, struct mtime now);
/* The last fall was none, if it was at that time. */
void health_member_forget_fall(struct health_member *m, struct mtime at);
/* Falls within the damping window, as far as they are remembered. */
uint32_t health_member_downs(const struct health_member *m, struct mtime now);
/* End of damping if nothing else falls; INT64_MIN: not damped. */
struct mtime health_member_damped_until(const struct health_member *m);
/* When a member in hold-down may join; the operator apart. */
struct mtime health_member_join_at(const struct health_member *m);
/* When hold-down may begin for a member that is out by scope. */
struct mtime health_member_settled_at(const struct health_member *m);
/* Revert manual: it may not join without the operator's word. */
bool health_member_needs_operator(const struct health_member *m);

/* ---- health_table.c ---- */

struct health_slot { /* sorted by address */
	struct ip address;
	struct health_member *member; /* borrowed */
	enum side side;
};

struct health {
	const struct profile *profile; /* borrowed */
	struct health_member *members; /* owned; all groups, FAMILY_COUNT for each element */
	size_t member_count;
	size_t *first;             /* owned; index of each group's first member */
	struct health_slot *slots; /* owned */
	size_t slot_count;
	bool changed;     /* since the start of this call */
	struct mtime now; /* of the last call */
	health_change_fn *on_change;
	void *on_change_arg;
};

/* Members of one element are neighbours, in the order of families. */
struct health_member *health_find_member(
    const struct health *health, size_t group, size_t element, enum family family);
/* NULL: no peer of the profile has this address. */
const struct health_slot *health_find_slot(const struct health *health, const struct ip *address);

#endif
