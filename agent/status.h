/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A picture of everything for readers: made by agent.c on change, read by northbound.c. Plain
 * values, deep copies, no pointers into live modules; the reader that holds it sees one moment.
 * Times are wall-clock microseconds (0: never), ages are computed by the reader from now_us.
 */
#ifndef AUTOFBF_STATUS_H
#define AUTOFBF_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alarm.h"
#include "capacity.h"
#include "event.h"
#include "guard.h"
#include "health.h"
#include "kpi.h"
#include "layout_id.h"
#include "nat_load.h"
#include "profile.h"
#include "router.h"
#include "tolerance.h"

struct status_peer {
	struct ip address;
	char *instance;
	enum verdict bgp, bfd;
	bool unprotected;
	enum event_cause cause;
	enum event_source source;
	int64_t since_us;
	int64_t established_us; /* when the session came up, by poll; 0: not known */
	uint32_t flaps;
	enum bfd_mode bfd_mode;
	int64_t routes; /* active routes by poll; -1: not known */
	bool lacks_routes;
	bool slow_bfd;                       /* negotiated slower than 1.5x configured */
	int64_t detection_us, configured_us; /* BFD detection time by poll; 0: not known */
};

/* When and over what counters were read; unavailable: why there is none, then nothing else holds.
 */
struct status_measurement {
	int64_t measured_us;
	uint32_t window_ms; /* 0: no rate yet */
	int64_t discontinuity_us;
	char *unavailable; /* NULL: there are figures */
};

struct status_rate {
	uint64_t packets, octets, packets_s, bits_s;
};

struct status_load { /* of an element's side: the router's interfaces towards it */
	struct status_measurement measurement;
	char **interfaces;
	size_t interface_count;
	struct status_rate sent, received;
};

struct status_steered { /* by the filter terms of an element, one family and direction */
	bool present;   /* packets of this direction are steered by a filter */
	struct status_measurement measurement;
	struct status_rate rate;
	uint64_t override_packets;
};

struct status_pool { /* a NAT pool's route in the outside table, by polls */
	char *id;
	struct prefix prefix;
	enum nat_kind kind;
	bool known; /* read since the outside session is up */
	bool active;
	bool is_discarded; /* there is a route without a next hop */
	bool has_via;      /* it leads elsewhere: */
	struct ip via;
	char *taken_by; /* the element that has it; NULL: none of the profile's */
	char *refusal;  /* why the last poll could not read it; NULL: it could */
};

struct status_element_family {
	bool present;
	enum health_state state;
	bool healthy;
	bool serving; /* healthy but for an operator's word */
	char *reason;
	int64_t since_us;
	int64_t hold_until_us;                /* 0: not in hold-down */
	int64_t damped_until_us;              /* 0: not damped */
	uint32_t downs;                       /* within the damping window */
	bool awaits_operator;                 /* revert manual */
	bool then_awaits;                     /* ... when the hold-down ends */
	double wanted_share, effective_share; /* base units, fractional after a split */
	uint32_t base_units;                  /* by profile */
	uint32_t wanted_units;                /* by the wanted layout */
	uint32_t effective_units;             /* by the lists read from the router, first match */
	uint32_t base_entries,
	    override_entries; /* lines in the router's lists, sentinels left out */
	struct status_steered steered[SIDE_COUNT];
	struct status_peer peer[SIDE_COUNT];
	struct nat_load blocks;    /* now, hosts: by the router's lists; .blocks 0: not judged */
	bool hosts_known;          /* the lists were read, and pool routes are the way back */
	struct status_pool *pools; /* none unless nat-routes */
	size_t pool_count;
};

struct status_element {
	char *id, *name;
	uint16_t weight, failed_weight;
	bool removed;
	bool forced;
	char *failure_domain; /* NULL: none */
	double capacity;      /* in the group's label; 0: not told */
	double load_base, load_now,
	    load_worst;                  /* by units: healthy, effective, worst single failure */
	char *forced_by, *forced_reason; /* NULL when not forced */
	int64_t forced_at_us;
	struct status_load load[SIDE_COUNT];
	struct status_element_family family[FAMILY_COUNT];
};

struct status_group_family {
	bool present;
	enum return_path return_path;
	uint32_t units;
	uint32_t displaced;     /* units not on their base owner, wanted */
	uint32_t misplaced;     /* units whose effective owner is not the wanted one */
	uint32_t base_drift;    /* units whose owner by the static base is not the profile's */
	uint32_t pending_edits; /* have -> want */
	struct layout_id layout_id, base_layout_id;
	enum freeze freeze;
	char *freeze_reason; /* NULL when not frozen */
	char *nat_hold;      /* why NAT pool routes are not believed; NULL: they are */
	uint8_t split_bits;  /* of the layout that stands */
	uint32_t pieces;     /* entries the layout needs (units, or children of split units) */
	uint32_t standby_same_domain; /* units whose standby shares the owner's failure-domain */
	uint64_t displaced_s; /* time during which units were away from base, since the start */
	struct status_measurement unlisted_measurement;
	struct status_rate unlisted; /* subscribers that are in no list: dropped */
	uint32_t alive;              /* healthy elements */
	uint8_t min_alive;           /* 0: no failed route */
	bool has_failed_route, has_alter_route;
	struct prefix failed_route, alter_route;
	bool failed_wanted, failed_installed, alter_wanted, alter_installed;
	int64_t signal_hold_until_us; /* revert-hold; 0: not holding */
};

struct status_group {
	char *id, *name;
	char *frozen_by, *frozen_reason;   /* operator's freeze; NULL */
	char *altered_by, *altered_reason; /* operator's alter-priority; NULL */
	int64_t altered_at_us;
	char *capacity_label;
	bool tolerance_known; /* the start is over */
	struct tolerance tolerance;
	int64_t frozen_at_us;
	struct status_group_family family[FAMILY_COUNT];
	struct status_element *elements;
	size_t element_count;
};

struct status_commit {       /* the last transaction */
	uint64_t history_id; /* 0: none yet */
	enum router_outcome outcome;
	char *cause; /* "fbf-02 down: bmp bgp-down" */
	uint32_t edits;
	int64_t first_event_us; /* 0: no event (audit, operator) */
	struct router_times times;
};

struct status_source {
	bool enabled, connected;
	int64_t last_us;
	uint64_t messages, events, errors, foreign;
};

struct status {
	char *hostname, *version;
	int64_t now_us, started_us;
	enum agent_mode mode;
	char profile_id[65];
	char *profile_path;
	char *router_address; /* "" when not connected */
	enum router_stage stage;
	bool edit_up, read_up;
	int64_t session_since_us;
	bool lists_known; /* the router's lists were read since the sessions came up */
	char *last_error; /* "" when none */
	struct router_counters counters;
	struct status_commit last;
	struct kpi_histogram reaction[KPI_STAGE_COUNT];
	uint64_t lines_added, lines_removed, repairs;
	struct status_source source[SOURCE_COUNT];
	int64_t audit_at_us;  /* last audit, 0: none */
	uint32_t audit_drift; /* edits the last audit asked for */
	char **two_writers;   /* lists whose repair was stopped */
	size_t two_writer_count;
	char **foreign; /* lists in the instance that are not ours */
	size_t foreign_count;
	struct alarm *alarms; /* that are raised, by (type, key) */
	size_t alarm_count;
	uint64_t alarms_suppressed;    /* changes that were not told in time */
	int64_t alarms_last_change_us; /* 0: none since the start */
	uint32_t poll_interval_ms, audit_interval_ms;
	struct status_group *groups;
	size_t group_count;
	unsigned holders; /* besides the one who made it */
};

/* One more reader of the same picture, who gives it back with status_free; also while the agent
 * makes another. */
struct status *status_hold(const struct status *status);
/* The last one frees it. status_free(NULL) is fine. */
void status_free(struct status *status);
/* "ok"; "degraded": somebody is out and others carry it, no source has a verdict on somebody, a
 * pool route is lost, a signal route is not as wanted or a failed one installed, an operator or the
 * start froze it, or the read session is down; "critical": a critical alarm, and at once what
 * becomes one: frozen by a guard, nobody left, router not reached, an effective owner is not
 * healthy (unless it is up and an operator took it out), somebody over the capacity, or fewer than
 * min-alive left. 0, 1, 2, as `autofbf status --check` exits. */
enum status_severity { STATUS_OK, STATUS_DEGRADED, STATUS_CRITICAL };
extern const char *const status_severity_names[];
enum status_severity status_severity(const struct status *status);
/* Of one group of it; what is wrong with the agent as a whole counts. */
enum status_severity status_group_severity(
    const struct status *status, const struct status_group *group);

#endif
