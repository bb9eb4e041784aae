/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The JSON of `autofbf layout --json` (layout_json.h) read back, live or offline, from this version
 * or one that told less. Lists may come in any order; here they are sorted, units by address.
 */
#ifndef AUTOFBF_CLI_LAYOUT_READ_H
#define AUTOFBF_CLI_LAYOUT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "layout_id.h"
#include "prefix.h"

enum { READ_NOBODY = UINT16_MAX };

struct read_element {
	char *id;    /* owned */
	char *state; /* owned; "" when it is not told */
	bool tells_health, healthy, forced;
};

/* Of a unit: who has it, by the base, and when its owner fails next. */
enum read_role { READ_OWNER, READ_BASE, READ_STANDBY, READ_ROLES };

struct read_unit {
	struct prefix prefix;
	uint16_t element[READ_ROLES]; /* index in elements, or READ_NOBODY */
};

struct read_family {
	char *group; /* owned; id */
	enum family family;
	char layout_id[LAYOUT_ID_TEXT_SIZE];
	bool frozen;
	int64_t epoch;                 /* -1: not told */
	struct read_element *elements; /* owned; by id */
	size_t element_count;
	struct read_unit *units; /* owned; by prefix, disjoint */
	size_t unit_count;
};

struct read_layout {
	char *name;       /* owned; hostname, else that of the file; free of control characters */
	int64_t now_us;   /* 0: not told */
	int algorithm;    /* 0: not told */
	char *profile_id; /* owned; "" when it is not told */
	struct read_family *families; /* owned; by group, then family */
	size_t count;
};

/* 0; -EINVAL: this is no such JSON, contradicts itself, or its units do not make the layout-id that
 * it names. name is the file's, for err and when there is no hostname. */
int layout_read(const char *text, size_t size, const char *name, struct read_layout **ret_layout,
    struct error *err);
void read_layout_free(struct read_layout *layout);

#endif
