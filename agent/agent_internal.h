/* SPDX-License-Identifier: BSD-3-Clause */
/* What agent.c shares with its parts (agent_poll.c, agent_status.c, agent_operate.c). */
#ifndef AUTOFBF_AGENT_INTERNAL_H
#define AUTOFBF_AGENT_INTERNAL_H

#include "agent.h"
#include "alarm.h"
#include "capacity.h"
#include "drift.h"
#include "guard.h"
#include "health.h"
#include "history.h"
#include "layout.h"
#include "listset.h"
#include "northbound.h"
#include "plan.h"
#include "router.h"
#include "signal_route.h"
#include "sources.h"
#include "state_file.h"
#include "status.h"

struct agent_kpi;
struct event;

/* What was polled is old after so many intervals without an answer. */
enum { AGENT_STALE_POLLS = 3 };

/* How soon a session's BFD notices a death; microseconds, 0: not known. */
struct agent_detection {
	int64_t negotiated_us, configured_us;
};

/* One (group, family): what we want and what the router does. */
struct agent_family {
	struct layout_space *space; /* owned; NULL: the group has no pool of this family */
	struct layout_id base_id;   /* of the layout with all in their places */
	struct layout *layout;      /* owned; the layout that stands */
	struct layout_id layout_id; /* its, once asked for: agent_layout_id */
	bool has_layout_id;
	struct layout *before;       /* owned; until the decision is recorded; while the profile
	                                changes, of the old one's space */
	bool failed_said;            /* the failed route's wish, as last recorded */
	enum freeze freeze_said;     /* as last recorded */
	bool hold_said;              /* guard_hold_reason, too */
	bool undecided;              /* a new layout that is not recorded yet */
	bool grounded;               /* the layout was made when the lists were known */
	bool *healthy;               /* owned; the set it was computed from */
	uint8_t *effective;          /* owned; per unit, from the router's lists */
	double *effective_share;     /* owned; per element, base units, from the lists */
	struct nat_load *nat_loads;  /* owned; per element, of the layout; NULL: not counted yet */
	struct nat_count *nat_count; /* owned; by the router's lists; NULL: not counted yet */
	uint8_t *static_owner;       /* owned; per unit, from the static lists alone */
	uint32_t base_drift;         /* units whose static owner is not the profile's */
	struct agent_detection (*detection)[SIDE_COUNT]; /* owned; per element */
	char *(*interface)[SIDE_COUNT]; /* owned; per element, of the BFD session; NULL: not seen */
};

/* A change of health that is not recorded yet. */
struct agent_change {
	int64_t when_us;
	const char *element; /* borrowed from the profile */
	char *text;          /* owned */
};

enum capacity_said { CAPACITY_FINE, CAPACITY_AT_RISK, CAPACITY_EXCEEDED };

struct agent {
	struct profile *profile; /* owned */
	struct agent_options options;
	struct event_base *base; /* borrowed */
	struct health *health;
	struct guard *guard;
	struct router *router;
	struct sources *sources;
	struct northbound *northbound;
	struct history *history;
	int history_failure; /* as last said */
	struct operator_state operators;
	char *state_path; /* owned */
	int state_lock;   /* owned; of the state's directory; -1: not taken, or not to be had */
	struct drift *drift;
	struct signal_routes *signals;
	struct agent_kpi *kpi;     /* owned */
	struct event *timer;       /* the core's deadlines */
	struct alarms *alarms;     /* owned */
	struct event *alarm_timer; /* the next look for alarms */
	struct mtime look_asked;   /* the guard's look that was passed on to the router */

	struct agent_family (*family)[FAMILY_COUNT]; /* owned; per group */
	enum capacity_said **capacity_said;          /* owned; per group and element */
	struct capacity_load **loads; /* owned; per group and element, of the layouts that stand;
	                                 NULL: not computed yet */

	struct listset static_lists, have; /* the router's truth, once lists_known */
	struct listset committed_lists;    /* static_lists without others' items in the instance */
	struct listset want;               /* override lists of the families that may be written */
	char *refused; /* owned; why the profile's file was not taken; NULL: it is what runs */
	struct listset retired; /* what only earlier profiles named and the router may have:
	                           lists without items, and signal routes */
	char *pool_refusal;     /* owned; why a NAT pool's route could not be read by the last poll;
	                           NULL: all were */
	size_t foreign_routes;  /* static routes in the instance that are not ours */
	bool lists_known;
	bool submitted; /* a transaction was asked for and has not ended */
	struct mtime submitted_at;
	enum router_outcome outcome; /* of the last transaction, also of one that had no edits */
	bool held;                   /* a load failed: wait for another wish, or for the operator */
	bool wish_changed;           /* since the last plan was handed out */
	size_t planned_edits;
	bool ordered;      /* the wish changed by an operator's word, since the last agent_decide */
	uint64_t decision; /* history id of the newest decision; 0: none since the start */

	struct agent_change *changes; /* owned */
	size_t change_count;
	char change[200];       /* the health change that speaks for the next decision; "": none */
	char *cause;            /* owned; of the wish that no plan carries yet */
	int64_t first_event_us; /* wall clock; 0: not caused by an event */
	struct {
		char *cause; /* owned; NULL: a repair */
		int64_t first_event_us;
		uint64_t decision;
		size_t adds, removes;
		char *groups; /* owned; as in the history */
	} planned;            /* the same of the plan that was handed out, until it is committed */
	const char *who;      /* borrowed; the operator whose word is being handled; NULL */
	int64_t event_us;     /* wall clock of the event being handled; 0: none */

	int64_t configured_us;      /* monotonic time of the last static commit as told by poll; 0:
	                               unknown */
	int64_t polled_us;          /* wall clock of the last usable poll */
	struct mtime polled_at;     /* the same; the start before the first */
	struct mtime first_poll_at; /* usable, of this router; MTIME_NEVER: none yet */
	struct mtime sighted_at;    /* polls are answered without a gap since then */
	uint64_t blind_polls;       /* that gave no verdict */
	bool was_blind; /* a poll failed, or its session was lost, after the last answer */
	int64_t audit_at_us;
	uint32_t audit_drift;
	int64_t session_since_us, started_us;
	struct status_commit last;

	struct status *status; /* owned; NULL: must be made anew */
};

/* agent.c */
/* Health, guard or lists changed: follow, or show why not. cause may be NULL. */
void agent_reconsider(struct agent *agent, const char *cause);
/* The timer ends then; MTIME_NEVER: it is stopped. */
void agent_arm(struct event *timer, struct mtime at);
void agent_touch(struct agent *agent); /* the status picture is stale */
/* have -> want; only_writable: leave frozen families out. The plan borrows *ret_want. */
void agent_diff(
    struct agent *agent, bool only_writable, struct listset *ret_want, struct plan *ret_plan);

size_t agent_count_pending(struct agent *agent); /* edits of families that may be written */
/* Who owns what, by the lists that were read last; health is told. */
void agent_take_ownership(struct agent *agent);

/* Listeners for that profile, beside those that stand (sources_new). */
int agent_open_sources(struct agent *agent, const struct profile *profile,
    struct sources **ret_sources, struct error *err);

/* agent_profile.c */
/* Families, health, guard and signal routes of the profile, which becomes the agent's. */
void agent_open_core(struct agent *agent, struct profile *profile);
void agent_close_core(struct agent *agent);
/* From now on everything runs under this profile, which becomes the agent's; its listeners (see
 * sources_new) too. cause: for the records. Cannot fail. */
void agent_swap_profile(
    struct agent *agent, struct profile *profile, struct sources *sources, const char *cause);
/* Named by the profile. */
bool agent_uses_list(const struct agent *agent, const char *name);
/* So it is, or still to be taken off the router. */
bool agent_is_our_list(const struct agent *agent, const char *name);
bool agent_is_our_route(const struct agent *agent, const struct prefix *route);
/* The router was read: what it does not have any more need not be taken off. */
void agent_forget_retired(struct agent *agent);

/* agent_apply.c */
/* northbound_operations.check_profile and .apply_profile */
int agent_check_profile(void *arg, const struct profile *next, struct error *err);
int agent_apply_profile(void *arg, const struct northbound_apply *request,
    struct northbound_applied *ret_applied, struct error *err);

/* agent_record.c */
/* Log, history and notification in one. */
uint64_t agent_record(struct agent *agent, const char *kind, const char *subject, const char *fmt,
    ...) __attribute__((format(printf, 4, 5)));
uint64_t agent_record_full(struct agent *agent, struct history_record *record);
/* The same with another level of the log line. */
uint64_t agent_record_warning(struct agent *agent, struct history_record *record);
/* A health_change_fn: arg is the agent. */
void agent_note_change(void *arg, size_t g, size_t e, enum family f, enum health_state from,
    enum health_state to, const char *reason);
void agent_record_changes(struct agent *agent);
/* before: freezes per group and family, as they were. */
void agent_record_freezes(struct agent *agent);
/* Which groups a plan that is handed out is about, for the record of its commit. */
void agent_note_groups(struct agent *agent, const struct plan *plan);
void agent_record_commit(struct agent *agent, enum router_outcome outcome,
    const struct router_times *times, size_t edits, const char *detail);

/* agent_decide.c */
/* Some family is frozen: then no failed route is withdrawn either, a revert-hold goes on. */
bool agent_is_frozen(const struct agent *agent);
/* Layouts and signal routes follow health where no guard holds them. True: the wish changed. */
bool agent_decide(struct agent *agent);
/* Loads of the group's elements with the layouts that stand, one entry per element, until they
 * change; NULL: no capacity is told. */
const struct capacity_load *agent_find_loads(const struct agent *agent, size_t g);
/* By who is well now, whatever a guard holds. False: not known yet. */
bool agent_find_tolerance(const struct agent *agent, size_t g, struct tolerance *ret_tolerance);
/* What agent_decide changed, as records; after the router was told, because layout-ids cost time.
 */
void agent_record_decisions(struct agent *agent, const char *cause);
/* Of the layout that stands; hashed once for each. */
struct layout_id agent_layout_id(struct agent_family *family);

/* agent_poll.c */
void agent_take_poll(struct agent *agent, const struct router_poll *poll);
/* What the profile says is configured goes before what the router says. */
struct agent_detection agent_detection(
    const struct agent *agent, size_t g, size_t e, enum family f, enum side s);
bool agent_detection_is_slow(const struct agent_detection *detection);

/* agent_nat.c */
/* What a poll says about NAT pools into health; after its verdicts on sessions. */
void agent_take_pools(struct agent *agent, const struct router_poll *poll);
/* Nothing for families whose answers are steered by a filter. */
void agent_fill_pools(const struct agent *agent, size_t g, size_t e, enum family f,
    struct status_element_family *ret);
void agent_assert_pools(
    const struct agent *agent, struct alarms *alarms, size_t g, size_t e, enum family f);
/* Port blocks of all elements, where the profile limits them. */
void agent_fill_blocks(
    const struct agent *agent, size_t g, enum family f, struct status_group *ret);
void agent_assert_blocks(
    const struct agent *agent, struct alarms *alarms, size_t g, size_t e, enum family f);

/* agent_watch.c */
/* Junos' name of the unicast table of a routing instance; owned by the caller. */
char *agent_name_table(const char *instance, enum family family);
/* Tells the router what to read; after router_new, and when the profile or an interface changed. */
void agent_set_watch(struct agent *agent);
/* The interface that leads to the peer; NULL: neither told nor seen yet. */
const char *agent_peer_interface(
    const struct agent *agent, size_t g, size_t e, enum family f, enum side s);
/* The peer's BFD session runs on this one (NULL: not told). True: it is news. */
bool agent_note_interface(
    struct agent *agent, size_t g, size_t e, enum family f, enum side s, const char *name);

/* agent_status.c */
const struct status *agent_get_status(void *arg);

/* A static route of this prefix is in the router's instance. */
bool agent_has_route(const struct agent *agent, const struct prefix *route);

/* agent_alarm.c */
void agent_alarm_open(struct agent *agent);
void agent_alarm_close(struct agent *agent);
/* Something changed: look for alarms when the loop comes around, after what is urgent. */
void agent_alarm_soon(struct agent *agent);

/* agent_condition.c: contributors of agent_alarm.c */
void agent_assert_router(const struct agent *agent, struct alarms *alarms);
void agent_assert_groups(const struct agent *agent, struct alarms *alarms);

/* agent_operate.c */
extern const struct northbound_operations agent_operations; /* arg is NULL: copy and set it */
/* Whether "path alter" can do something in the group. */
bool agent_has_alter(const struct profile_group *group);
/* Force-failed and freezes of the state file into health and guard. */
void agent_apply_operators(struct agent *agent);

#endif
