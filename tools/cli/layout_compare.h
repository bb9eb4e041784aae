/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two layouts that should be one: do they agree, which addresses differ, and why. A layout is a
 * function of profile, healthy set and rules, so what differs among these is the reason, and when
 * nothing does the difference is a defect.
 */
#ifndef AUTOFBF_CLI_LAYOUT_COMPARE_H
#define AUTOFBF_CLI_LAYOUT_COMPARE_H

#include "layout_read.h"

/* In the order in which they are told: the first explains the others. */
enum compare_kind {
	COMPARE_ALGORITHM,
	COMPARE_PROFILE, /* ... whose base layouts differ */
	COMPARE_MISSING, /* a group or family on one side only */
	COMPARE_HEALTH,
	COMPARE_FORCED,
	COMPARE_FROZEN,
	COMPARE_SETTINGS, /* other profiles, of the same base layouts */
	COMPARE_TIME,
	COMPARE_UNTOLD, /* a file does not say what it was made from */
	COMPARE_DEFECT, /* same inputs, different layouts */
	COMPARE_KIND_COUNT
};
extern const char *const compare_kind_names[COMPARE_KIND_COUNT];

struct compare_reason {
	enum compare_kind kind;
	const struct read_family *family; /* borrowed; NULL: of the whole layout */
	char *text;                       /* owned */
};

struct compare_range {
	struct ip first, last;
	const char *a, *b; /* borrowed ids; NULL: nobody */
};

struct compare_family {
	const struct read_family *a, *b; /* borrowed; NULL: only the other has it */
	bool agree;
	size_t units;                 /* a's, and b's where a has none */
	size_t differ;                /* those that have another owner, whole or in part */
	struct compare_range *ranges; /* owned; by address, neighbours joined */
	size_t range_count;
};

struct compare {
	const struct read_layout *a, *b; /* borrowed */
	char *names[2];                  /* owned; of a and b, distinct */
	bool agree;
	struct compare_family *families; /* owned; by group, then family */
	size_t count;
	struct compare_reason *reasons; /* owned; by kind. With agree: what parts them later */
	size_t reason_count;
};

/* Both layouts are borrowed for the life of the result. files: their names, to tell two of the same
 * hostname apart. */
struct compare *compare_layouts(
    const struct read_layout *a, const struct read_layout *b, const char *const files[2]);
void compare_free(struct compare *compare);

#endif
