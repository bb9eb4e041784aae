/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * snmp-mib/AUTOFBF-MIB.txt filled with one picture of the agent: an immutable array of instances,
 * sorted by OID. GET is a search in it, GETNEXT a search and one step, so order and completeness
 * of a walk are those of the array. Knows no SNMP library.
 *
 * OIDs are arrays of sub-identifiers, complete from iso on.
 */
#ifndef AUTOFBF_PUBLISH_MIB_H
#define AUTOFBF_PUBLISH_MIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lyd_node;

/* Where the module hangs: the one place on this side, as in the MODULE-IDENTITY. */
#define MIB_ROOT 1, 3, 6, 1, 4, 1, 8072, 9999, 9999, 4664
#define MIB_OBJECTS MIB_ROOT, 1
#define MIB_NOTIFICATIONS MIB_ROOT, 0

enum mib_notification { MIB_ALARM_RAISED = 1, MIB_ALARM_CLEARED = 2 };

enum mib_type {
	MIB_TYPE_INTEGER,
	MIB_TYPE_UNSIGNED, /* Gauge32, Unsigned32 */
	MIB_TYPE_COUNTER32,
	MIB_TYPE_COUNTER64,
	MIB_TYPE_OCTETS,
	MIB_TYPE_AGE /* autofbfAgentDataAge: a Gauge32 that the server of the answer fills in */
};

enum { MIB_OCTETS_MOST = 255, MIB_OID_MOST = 128 };

struct mib_instance {
	size_t oid_at, oid_size; /* see mib_oid */
	enum mib_type type;
	uint64_t number;  /* of octets: how many */
	size_t octets_at; /* see mib_octets */
};

struct mib;

/* Index of an alarm, a node of the list alarm, in autofbfAlarmTable; 0: leave it out. */
typedef uint32_t mib_alarm_index_fn(void *arg, const struct lyd_node *alarm);

struct mib_source {
	const struct lyd_node *state; /* borrowed during the call; NULL: the agent is not reached */
	int64_t taken_us;             /* by the agent's clock; 0: there never was a picture */
	mib_alarm_index_fn *alarm_index;
	void *arg;
};

struct mib *mib_new(const struct mib_source *source);
/* The varbinds of a notification, in the order of its OBJECTS. alarm: leaves as those of the list
 * alarm; cleared_us: only for MIB_ALARM_CLEARED. */
struct mib *mib_new_notification(enum mib_notification which, const struct lyd_node *alarm,
    uint32_t index, const char *hostname, int64_t cleared_us);
void mib_free(struct mib *mib);

size_t mib_count(const struct mib *mib);
const struct mib_instance *mib_at(const struct mib *mib, size_t i);
const uint32_t *mib_oid(const struct mib *mib, const struct mib_instance *instance);
const char *mib_octets(const struct mib *mib, const struct mib_instance *instance);
/* NULL: there is no such instance. */
const struct mib_instance *mib_get(const struct mib *mib, const uint32_t *oid, size_t size);
/* The first instance after oid, or at it when inclusive; NULL: there is none. */
const struct mib_instance *mib_next(
    const struct mib *mib, const uint32_t *oid, size_t size, bool inclusive);
/* The module has an object at or above oid, with an instance or not. */
bool mib_has_object(const uint32_t *oid, size_t size);

int mib_compare(const uint32_t *a, size_t a_size, const uint32_t *b, size_t b_size);

#endif
