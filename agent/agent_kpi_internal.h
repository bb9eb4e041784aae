/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Key figures of a running agent: what it reads from the router's counters, and what it measures of
 * itself. agent_kpi.c owns the meters, agent_kpi_status.c shows them; agent_proof.c and
 * agent_load.c judge by them.
 */
#ifndef AUTOFBF_AGENT_KPI_INTERNAL_H
#define AUTOFBF_AGENT_KPI_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kpi.h"
#include "mtime.h"
#include "profile.h"

struct agent;
struct alarms;
struct router_count;
struct status;

/* An interface of the router towards an element. */
struct kpi_port {
	char *name;                      /* owned */
	struct kpi_meter sent, received; /* seen from the router */
	char *trouble;                   /* owned; why the last reading failed; NULL */
	const struct profile_element
	    *user;      /* borrowed; an element behind it; NULL: none is watched */
	bool is_shared; /* there are more: whose packets it counts nobody knows */
};

enum kpi_layer { KPI_OVERRIDE, KPI_BASE, KPI_LAYERS }; /* of the filter terms */
extern const char *const kpi_layer_names[KPI_LAYERS];  /* in the names of counters */

/* What load is measured by: the filter terms of one family, which the values of enum family name,
 * or the interfaces, which do not tell families apart. */
enum kpi_gauge { KPI_BY_INTERFACES = FAMILY_COUNT, KPI_GAUGES };

enum { KPI_IDLE_PACKETS_S = 100 }; /* BGP and BFD of an idle element, both sides */

/* Ways through an element: by the side that is sent into, and both together. */
enum { KPI_BOTH_WAYS = SIDE_COUNT, KPI_WAYS };

/* A commit took an element's last units, or gave it the first: has the traffic really moved? */
struct kpi_proof {
	bool is_open, is_return;
	bool is_signalled;  /* signal routes were wanted: traffic may have left the router */
	bool has_failed;    /* a reading after the commit says no */
	struct mtime since; /* of the commit */
	int64_t event_us;   /* wall clock of what caused it; 0: an operator's word */
	uint64_t own_s;     /* packets per second: sent to it before; of a return, its fair part */
	uint64_t others_s;  /* sent to the others before, */
	size_t others;      /* as many as had a rate */
};

struct kpi_element {
	struct kpi_meter terms[FAMILY_COUNT][SIDE_COUNT][KPI_LAYERS];
	double share[FAMILY_COUNT];         /* units that it owned when a commit was read last */
	struct mtime gained_at, drained_at; /* when it got more units, and lost the last one */
	unsigned silent_rounds[KPI_WAYS];
	struct kpi_proof proof[KPI_GAUGES];
};

/* A filter of router-config. */
struct kpi_filter {
	struct kpi_meter unlisted;
	bool was_read;
	char *trouble; /* owned; why its counters could not be read; NULL */
};

struct kpi_group {
	struct kpi_element *elements; /* owned */
	struct kpi_filter filters[FAMILY_COUNT][SIDE_COUNT];
	struct kpi_episode unlisted[FAMILY_COUNT];
	struct mtime away_since[FAMILY_COUNT]; /* MTIME_NEVER: at base */
	int64_t away_us[FAMILY_COUNT];         /* before that */
};

struct agent_kpi {
	const struct profile *profile; /* borrowed */
	struct kpi_group *groups;      /* owned */
	struct kpi_port *ports;        /* owned; those that are watched or were read */
	size_t port_count;
	struct mtime booted_at;    /* the router, as it said last; 0: it did not */
	struct mtime committed_at; /* the last commit that was read back */
	struct mtime look_at;      /* an extra round of counters; MTIME_NEVER */
	unsigned looks;            /* extra rounds asked for since the last commit */
	struct kpi_histogram reaction[KPI_STAGE_COUNT];
	uint64_t lines_added, lines_removed, repairs;
};

/* ---- agent_kpi.c ---- */
struct agent_kpi *agent_kpi_new(const struct profile *profile);
void agent_kpi_free(struct agent_kpi *kpi);
/* Another profile: its meters begin anew, what the agent measured of itself goes on. The one before
 * must still be there. */
void agent_kpi_set_profile(struct agent_kpi *kpi, const struct profile *profile);
/* A reading of one interface, or of one filter. */
void agent_kpi_take(struct agent *agent, const struct router_count *count);
/* The filters were or may have been compiled anew: their counters may have restarted. */
void agent_kpi_note_filters(struct agent_kpi *kpi);
/* When the router says it was started. */
void agent_kpi_note_boot(struct agent_kpi *kpi, struct mtime booted_at);
/* A transaction ended as committed; agent->last says when. */
void agent_kpi_note_commit(struct agent *agent);
/* Nothing when a clock that was stepped back makes it negative, or from_us is 0. */
void agent_kpi_note_stage(
    struct agent_kpi *kpi, enum kpi_stage stage, int64_t from_us, int64_t to_us);
/* Layouts may have changed: time away from base. */
void agent_kpi_follow(struct agent *agent, struct mtime now);
/* The interface towards a peer; NULL: not named, or not read yet. */
const struct kpi_port *agent_kpi_port(
    const struct agent *agent, size_t g, size_t e, enum family f, enum side s);
/* Who is behind which interface is told anew: forget, then one call for each. */
void agent_kpi_forget_users(struct agent_kpi *kpi);
void agent_kpi_note_user(
    struct agent_kpi *kpi, const char *interface, const struct profile_element *element);
/* All that goes to an element on one side, or comes from it there; no rate when other elements use
 * the interface as well. */
void agent_kpi_add_side(const struct agent *agent, size_t g, size_t e, enum side s,
    struct kpi_meter *sent, struct kpi_meter *received);
/* What is sent to an element, by a gauge; with NAT routes the interfaces are the inside ones. */
void agent_kpi_gauge(
    const struct agent *agent, size_t g, size_t e, enum kpi_gauge gauge, struct kpi_meter *ret);
/* The filters of this side steer this family: with NAT routes nothing is steered on the way back.
 */
bool agent_kpi_is_steered(const struct profile_group *group, enum family f, enum side s);
/* The name that router-config gives to a filter; the caller frees it. */
char *agent_kpi_filter_name(const struct profile_group *group, enum family f, enum side s);
/* Older than this no rate is judged: the router is not read any more. */
int64_t agent_kpi_stale_ms(const struct agent *agent);

/* ---- agent_kpi_status.c ---- */
void agent_kpi_fill(
    const struct agent *agent, struct status *status, struct mtime now, int64_t wall_us);

/* ---- agent_proof.c ---- */
/* After the first reading, and after each commit was read back: who owns units, who has lost the
 * last one, who has units again. */
void agent_proof_begin(struct agent *agent, struct mtime now);
/* A round of counters is complete. */
void agent_proof_judge(struct agent *agent, struct mtime now);
/* When more counters are wanted; MTIME_NEVER. */
struct mtime agent_proof_deadline(const struct agent_kpi *kpi);
void agent_proof_tick(struct agent *agent, struct mtime now);
void agent_proof_assert(const struct agent *agent, struct alarms *alarms);

/* ---- agent_load.c ---- */
/* What is sent to the elements of a group that were read lately, and how many they are; their units
 * by the same gauge. All but one; SIZE_MAX: all. */
size_t agent_load_sum(const struct agent *agent, size_t g, size_t but, enum kpi_gauge gauge,
    struct mtime now, struct kpi_meter *ret_sent, double *ret_units);
double agent_load_units(const struct agent *agent, size_t g, size_t e, enum kpi_gauge gauge);
/* A round of counters that a poll asked for is complete. */
void agent_load_judge(struct agent *agent, struct mtime now);
void agent_load_assert(const struct agent *agent, struct alarms *alarms);
/* Packets of subscribers that are in no list were counted. */
void agent_load_note_unlisted(struct agent *agent, size_t g, enum family f, struct mtime at);

#endif
