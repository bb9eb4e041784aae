/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the parts of the MIB share: the tables that say which leaf of the state is which object, and
 * the translation of one value.
 */
#ifndef AUTOFBF_PUBLISH_MIB_INTERNAL_H
#define AUTOFBF_PUBLISH_MIB_INTERNAL_H

#include "mib.h"

/* How a leaf becomes a value. An absent leaf is no instance, but for the ones with "or none". */
enum mib_kind {
	MIB_TEXT,         /* a leaf; a leaf-list is joined by ", " */
	MIB_TEXT_OR_NONE, /* absent: empty */
	MIB_PARENT_KEY,   /* the leaf of the enclosing list's entry */
	MIB_ENUM,         /* its place in the model, from 1 on */
	MIB_ENUM_OR_NONE, /* absent: 0 */
	MIB_TRUTH,
	MIB_TIME, /* utc-time to DateAndTime */
	MIB_GAUGE32,
	MIB_GAUGE64, /* decimals: digits after the point become part of the number */
	MIB_COUNTER32,
	MIB_COUNTER64,
	MIB_ADDRESS_TYPE, /* of an address or prefix */
	MIB_ADDRESS,
	MIB_PREFIX_LENGTH,
	MIB_COUNT,      /* of entries */
	MIB_COUNT_TRUE, /* of entries that are true; none when no entry is known */
	MIB_REACHABLE,  /* the picture itself */
	MIB_AGE,
	MIB_TAKEN,
};

struct mib_column {
	uint32_t id;
	enum mib_kind kind;
	const char *path; /* relative to the row */
	unsigned decimals;
};

/* A table, or a group of scalars when index is NULL. */
struct mib_table {
	uint32_t arc;     /* under autofbfObjects */
	const char *rows; /* path of its rows in the state */
	/* Lists whose keys are the index, innermost last, separated by blanks; a number stands for
	 * itself, and "#" for the index that the registry of alarms gives. */
	const char *index;
	const struct mib_column *columns;
	size_t column_count;
};

enum { MIB_ARC_AGENT = 1, MIB_ARC_ALARMS = 15, MIB_ARC_ALARM_TABLE = 16 };
enum { MIB_AGENT_HOSTNAME = 4, MIB_ALARMS_CLEARED_AT = 4 };

extern const struct mib_table mib_tables[];
extern const size_t mib_table_count;

struct mib_value {
	enum mib_type type;
	uint64_t number; /* of octets: how many */
	char octets[MIB_OCTETS_MOST];
};

/* False: no instance. */
bool mib_value_read(const struct mib_column *column, const struct lyd_node *row,
    const struct mib_source *source, struct mib_value *ret_value);
void mib_value_set_time(struct mib_value *value, int64_t us);
void mib_value_set_text(struct mib_value *value, const char *text);
/* Place of an enumeration's value in the model, from 1 on; 0: the leaf is no enumeration. */
uint32_t mib_enum_place(const struct lyd_node *leaf);

#endif
