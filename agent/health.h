/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Health of every element and family: events and a clock in, a healthy set out. DESIGN: table of
 * health states, decisions 10, 11 and 13. No guard here: guard.c decides whether a change of the
 * healthy set may be acted on.
 *
 * Leaving is urgent, joining is not: a failure changes the state inside health_feed, an element
 * joins (hold-down over, quorum) only inside health_tick, when all events of one read were heard.
 *
 * Damping is hold-down for an element that flaps: so many falls out of service within the window,
 * and it stays out longer, counted from when its sides are all up, doubling with each further fall
 * until it has served for one window. Quorum does not cut it short; that nobody is left does, and
 * so does owning units still (on parole: when a commit under way takes them, it is out after all).
 * A restarted agent has forgotten it.
 *
 * Elements are named by (group index, element index) of the profile.
 */
#ifndef AUTOFBF_HEALTH_H
#define AUTOFBF_HEALTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "mtime.h"
#include "profile.h"

/* How long a family whose hold-down is over waits for its sibling, so that both come in one commit.
 */
enum { HEALTH_SIBLING_WAIT_MS = 5000 };
/* How long an element taken out by scope is given to fail by itself before hold-down may begin, and
 * how long a second event may still widen a failure to the whole element: the sessions of a dead
 * element end within 0.9 s of each other (BFD 300 ms x 3). */
enum { HEALTH_SETTLE_MS = 1000 };
/* A family taken out by scope whose units nobody has moved after so long (a guard, a router that
 * refuses) and whose sides are up is in use, and says so. */
enum { HEALTH_UNMOVED_MS = 10000 };
/* A family that serves for less than this and fails takes nobody along: sessions come back as Up,
 * Down, Up within a second (FRR after a failure that BFD told). */
enum { HEALTH_STEADY_MS = 2000 };
/* Syslog has no resynchronisation: a line vouches for a verdict for so many poll intervals only.
 * After that the verdict stays as the last known one. */
enum { HEALTH_SYSLOG_POLLS = 3 };
/* So many polls in a row may miss the route of a NAT pool: a route on the move is no failure. Only
 * polls that are about one poll interval apart count, a guard looks every second. */
enum { HEALTH_POOL_POLLS = 2 };

enum health_state {
	HEALTH_UNKNOWN,
	HEALTH_DOWN,
	HEALTH_DOWN_BY_SCOPE,
	HEALTH_HOLD_DOWN, /* also while damped, and while revert manual waits for the operator */
	HEALTH_UP,
	HEALTH_STATE_COUNT
};
extern const char *const health_state_names[HEALTH_STATE_COUNT]; /* "unknown", "down", ... */

enum verdict { VERDICT_UNKNOWN, VERDICT_DOWN, VERDICT_UP, VERDICT_COUNT };
extern const char *const verdict_names[VERDICT_COUNT];

struct health;

/* profile is borrowed. */
struct health *health_new(const struct profile *profile, struct mtime now);
void health_free(struct health *health);
/* Another profile: health, which was just made, takes over what from knows of the same elements, by
 * ids; what was heard of a peer is kept where address and instance are the same. Nothing is told to
 * health_on_change's function; health_tick comes next. from is left as it is. */
void health_inherit(struct health *health, const struct health *from);

/* Every call returns true when some healthy set or some state changed. */

/* EVENT_UNKNOWN with CAUSE_BFD: the source was asked and sees no BFD session for the peer (counts
 * only while its BGP is up). Events of unknown peers, and of known ones in another instance, are
 * left alone. event->at must be set. */
bool health_feed(struct health *health, const struct event *event, struct mtime now);
/* Timers: hold-down, waiting for the sibling family, quorum. */
bool health_tick(struct health *health, struct mtime now);
/* When health_tick must run next, perhaps at once; MTIME_NEVER when there is no timer. */
struct mtime health_deadline(const struct health *health);
/* What the router's lists say: does the element own at least one unit of the family there? Called
 * after every read-back and every commit, for every element. Before the first call nobody that is
 * up gets out of "unknown": only with it an owner can be told from one that must wait. */
bool health_set_owns(struct health *health, size_t group, size_t element, enum family family,
    bool owns, struct mtime now);
/* Operator's soft offline, both families. */
bool health_set_forced(
    struct health *health, size_t group, size_t element, bool forced, struct mtime now);
/* Active routes that the peer's session had at a poll (sum over the family's RIBs); instance as the
 * poll names it. Fewer than required-routes keep an element from taking units, and nothing else:
 * one that serves stays, one that still owns its units returns. Not told is no objection. */
bool health_set_routes(struct health *health, const struct ip *peer, const char *instance,
    int64_t routes, struct mtime asked_at, struct mtime now);
/* The active route for exactly the prefix of a NAT pool, as a poll read it from the outside table.
 */
struct health_route {
	bool answered;       /* false: the poll says nothing about this pool */
	const char *refusal; /* not answered: the router's error, or why its answer is none;
	                        borrowed for the call; NULL: it was not asked */
	bool present;
	bool to_known; /* false: it has no next hop (discard) */
	struct ip to;  /* next hop; of several one that is not the element's, if there is one */
};

/* A family with return-path nat-routes: where the element's pools lead, one route for each in the
 * order of the profile, after every poll. Missing or elsewhere in more than HEALTH_POOL_POLLS polls
 * in a row, the family fails; it joins with all pools only. A pool that came by health_inherit
 * fails nothing before it was here once. One whose route the router refuses to tell keeps what was
 * known of it; where nothing was, it is no objection. */
bool health_set_pools(struct health *health, size_t group, size_t element, enum family family,
    const struct health_route *routes, struct mtime asked_at, struct mtime now);
/* The guard's word: a family's pool routes are doubted, and all goes on as if it had none. With the
 * end of it, what more than HEALTH_POOL_POLLS polls have missed by then fails. */
bool health_doubt_pools(struct health *health, size_t group, size_t element, enum family family,
    bool doubt, struct mtime now);
/* Revert manual: the operator brings a ready element back; its other family follows without another
 * word when it is in hold-down still. False when it does not wait for that. */
bool health_revert(struct health *health, size_t group, size_t element, struct mtime now);

/* In the healthy set? Unknown without an earlier verdict: healthy iff it owns units on the router.
 */
bool health_is_healthy(
    const struct health *health, size_t group, size_t element, enum family family);
/* Has had a verdict; true for elements that are removed, forced or without the family. */
bool health_has_verdict(
    const struct health *health, size_t group, size_t element, enum family family);
/* Every element of the family that is not removed and not forced has had a verdict. */
bool health_has_verdicts(const struct health *health, size_t group, enum family family);
/* Weight at the last epoch; 0 for a removed element and for one without the family. */
uint32_t health_weight(const struct profile_element *element, enum family family);

struct health_peer_view {
	enum verdict bgp;         /* VERDICT_UNKNOWN: no source vouches for it now */
	enum verdict bfd;         /* VERDICT_UNKNOWN also when there is no BFD session */
	bool unprotected;         /* Established, BFD expected but never up */
	enum event_cause cause;   /* of the last down */
	enum event_source source; /* that gave the last verdict */
	struct mtime since;       /* of the last change; MTIME_NEVER: none yet */
	struct mtime edge_at; /* BGP went down, or came up again, while a source vouched; INT64_MIN:
	                         neither yet */
	int64_t established_s; /* age of the BGP session at the last poll; -1 */
	uint32_t flaps;        /* Up -> Down edges seen */
	int64_t routes;        /* active routes at the last poll; -1: not told */
	bool lacks_routes;     /* Established with fewer than required-routes */
};

struct health_view {
	enum health_state state;
	bool healthy;
	bool serving; /* healthy but for an operator's word */
	bool forced;
	bool owns;
	struct mtime since;        /* of the last state change */
	struct mtime hold_until;   /* HEALTH_HOLD_DOWN: when it ends; else MTIME_NEVER */
	struct mtime damped_until; /* out at least until then; MTIME_NEVER: not damped */
	uint32_t downs;       /* falls out of service within the damping window, at the last call */
	bool awaits_operator; /* revert manual: ready, `autofbf element online` brings it back */
	bool then_awaits;     /* ... will be so when its hold-down ends, as things stand */
	bool failed_session;  /* of either side: nothing can be said by its pool routes */
	bool by_pools;        /* down, and only for its pool routes: no session has failed; or it
	                         would be, and they are doubted */
	bool misses_pools;    /* the last poll missed the route of a pool */
	bool has_pools;       /* all of its pool routes are here, or it needs none */
	const char *reason;   /* why it is in this state; valid until the next call */
	struct health_peer_view peer[SIDE_COUNT];
};
void health_view(const struct health *health, size_t group, size_t element, enum family family,
    struct health_view *ret_view);

struct health_pool_view {
	bool known;           /* read since the outside session is up */
	bool active;          /* leads to this element */
	uint32_t missed;      /* polls in a row that found it missing or elsewhere */
	bool is_new;          /* of a later profile and never active yet: cannot fail the element */
	bool is_discarded;    /* there is a route, without a next hop */
	bool has_via;         /* leads to another next hop: */
	struct ip via;        /* ... this one */
	const char *taken_by; /* the element that has it; NULL: not one of the profile's */
	const char *refusal;  /* why the last poll could not read it; valid until the next call;
	                         NULL: it could, or did not ask */
};
/* pool: index in the profile, of a family with nat-routes and an element that is not removed. */
void health_pool_view(const struct health *health, size_t group, size_t element, enum family family,
    size_t pool, struct health_pool_view *ret_view);

/* Called for every state change, in order: for logs and history. */
typedef void health_change_fn(void *arg, size_t group, size_t element, enum family family,
    enum health_state from, enum health_state to, const char *reason);
void health_on_change(struct health *health, health_change_fn *fn, void *arg);

#endif
