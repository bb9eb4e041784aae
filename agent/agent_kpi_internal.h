/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Key figures of a running agent: what it reads from the router's counters, and what it measures of
 * itself. agent_kpi.c owns the meters and shows them; agent_proof.c judges by them.
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
struct junos_reply;
struct status;

/* An interface of the router towards an element. */
struct kpi_port {
	char *name;                      /* owned */
	struct kpi_meter sent, received; /* seen from the router */
	char *trouble;                   /* owned; why the last reading failed; NULL */
};

enum kpi_layer { KPI_OVERRIDE, KPI_BASE, KPI_LAYERS }; /* of the filter terms */

/* An element lost its last units by a commit: has its traffic really gone elsewhere? */
struct kpi_proof {
	bool is_open, has_failed; /* failed: a reading after the commit says no */
	struct mtime since;       /* of the commit */
	int64_t event_us;         /* wall clock of what caused it; 0: an operator's word */
	uint64_t own_s, others_s; /* packets per second sent before: to it, to the others */
};

struct kpi_element {
	struct kpi_meter terms[FAMILY_COUNT][SIDE_COUNT][KPI_LAYERS];
	bool carried; /* owned units when somebody looked last */
	unsigned silent_rounds;
	struct kpi_proof proof;
};

struct kpi_group {
	struct kpi_element *elements; /* owned */
	struct kpi_meter unlisted[FAMILY_COUNT][SIDE_COUNT];
	struct mtime away_since[FAMILY_COUNT]; /* MTIME_NEVER: at base */
	int64_t away_us[FAMILY_COUNT];         /* before that */
};

struct agent_kpi {
	const struct profile *profile; /* borrowed */
	struct kpi_group *groups;      /* owned */
	struct kpi_port *ports;        /* owned; those that were read */
	size_t port_count;
	char *filter_trouble; /* owned; why the filters' counters could not be read; NULL */
	bool filters_read;
	struct mtime look_at; /* an extra round of counters; MTIME_NEVER */
	unsigned looks;       /* extra rounds asked for since the last commit */
	struct kpi_histogram reaction[KPI_STAGE_COUNT];
	uint64_t lines_added, lines_removed, repairs;
};

/* ---- agent_kpi.c ---- */
struct agent_kpi *agent_kpi_new(const struct profile *profile);
void agent_kpi_free(struct agent_kpi *kpi);
/* Another profile: its meters begin anew, what the agent measured of itself goes on. The one before
 * must still be there. */
void agent_kpi_set_profile(struct agent_kpi *kpi, const struct profile *profile);
/* A reading of one interface, or of the filters (NULL, which ends a round). */
void agent_kpi_take(
    struct agent *agent, struct mtime at, const char *interface, const struct junos_reply *reply);
/* A transaction ended as committed; agent->last says when. */
void agent_kpi_note_commit(struct agent *agent);
/* Layouts may have changed: time away from base. */
void agent_kpi_follow(struct agent *agent, struct mtime now);
/* The interface towards a peer; NULL: not named, or not read yet. */
const struct kpi_port *agent_kpi_port(
    const struct agent *agent, size_t g, size_t e, enum family f, enum side s);
/* All that goes to an element, or comes from it, over both sides and without counting an interface
 * twice. */
void agent_kpi_sum(const struct agent *agent, size_t g, size_t e, struct kpi_meter *ret_sent,
    struct kpi_meter *ret_received);

/* ---- agent_kpi_status.c ---- */
void agent_kpi_fill(
    const struct agent *agent, struct status *status, struct mtime now, int64_t wall_us);

/* ---- agent_proof.c ---- */
/* After the first reading, and after each commit was read back: who owns units, who has lost the
 * last one. */
void agent_proof_begin(struct agent *agent, struct mtime now);
/* A round of counters is complete. */
void agent_proof_judge(struct agent *agent, struct mtime now);
/* When more counters are wanted; MTIME_NEVER. */
struct mtime agent_proof_deadline(const struct agent_kpi *kpi);
void agent_proof_tick(struct agent *agent, struct mtime now);
/* What the counters say is wrong. */
void agent_proof_assert(const struct agent *agent, struct alarms *alarms);

#endif
