/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of metrics, see metrics_table.c, and what its columns mean. */
#ifndef AUTOFBF_PUBLISH_METRICS_INTERNAL_H
#define AUTOFBF_PUBLISH_METRICS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

/* How the leaf becomes the sample's value. Without the leaf there is no sample, but for THERE. */
enum metric_kind {
	METRIC_NUMBER,
	METRIC_ONE,   /* 1, for labels; without a leaf: for every row */
	METRIC_THERE, /* 1 or 0: the node is there */
	METRIC_COUNT, /* of nodes; of leaves only those that are true */
	METRIC_TRUE,  /* 1 or 0: the leaf is word */
	METRIC_UP,    /* a verdict; unknown: no sample */
	METRIC_TIME,  /* utc-time: seconds since 1970 */
	METRIC_MILLI, /* to seconds */
	METRIC_MICRO,
};

struct metric {
	const char *name;
	bool is_counter;
	const char *help;
	const char *rows; /* path from the state */
	const char *path; /* of the leaf, from the row; NULL: none */
	enum metric_kind kind;
	const char *word;  /* METRIC_TRUE */
	const char *label; /* NULL: none; with a constant value */
	const char *label_value;
	const char *leaves; /* leaves that are labels, separated by blanks; NULL: none */
};

extern const struct metric metrics[];
extern const size_t metric_count;

#endif
