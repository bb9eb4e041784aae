/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes of the element set and the pools as new epochs (layout specification, section 5): a
 * profile's text -> the text with the change in it. profile is what the text says. Nothing is
 * loaded or written here; that the result is a good profile is for the caller to find out.
 *
 * Every function returns 0, -ENOENT (no such group, element or pool), -EDOM (an argument makes no
 * sense) or -EINVAL (it cannot be done), with the remedy in err. Names may be ids or names.
 * profile_edit_done(ret_edit) after success.
 */
#ifndef AUTOFBF_CLI_PROFILE_EDIT_H
#define AUTOFBF_CLI_PROFILE_EDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "profile.h"
#include "profile_edit_nat.h"

struct profile_edit {
	char *text;                        /* owned; the whole profile */
	const struct profile_group *group; /* borrowed from the profile; the one that changes */
	uint32_t epoch; /* that the change has; PROFILE_EPOCH_NONE: it needs none */
	bool is_wired;  /* a new element, in a group that names outside interfaces */
	bool retires;   /* an element's weight becomes 0, and nothing else changes */
	char *note;     /* owned or NULL; what a person should look at */
};

/* What is given of an element; NULL and -1: nothing. */
struct profile_newcomer {
	const char *id, *name;
	int weight, failed_weight;
	const char *peer[FAMILY_COUNT][SIDE_COUNT];
	struct newcomer_nat nat; /* of add-element; replace copies the old one's */
};

/* Weight 1 when none is given. Instance, bfd and required-routes of a side are each what all
 * elements of the group have; where they differ, none is written and a note says so. */
int profile_edit_add_element(const struct profile *profile, const char *text, const char *group,
    const struct profile_newcomer *newcomer, struct profile_edit *ret_edit, struct error *err);
/* The line stays, as a tombstone. */
int profile_edit_remove_element(const struct profile *profile, const char *text, const char *name,
    struct profile_edit *ret_edit, struct error *err);
int profile_edit_reweight(const struct profile *profile, const char *text, const char *name,
    uint16_t weight, struct profile_edit *ret_edit, struct error *err);
/* Both in one epoch. The newcomer is a copy of the old one, but for what is given. */
int profile_edit_replace(const struct profile *profile, const char *text, const char *name,
    const struct profile_newcomer *newcomer, struct profile_edit *ret_edit, struct error *err);
int profile_edit_add_pool(const struct profile *profile, const char *text, const char *group,
    const struct prefix *prefix, uint8_t unit_length, struct profile_edit *ret_edit,
    struct error *err);
/* group NULL: whichever has it. */
int profile_edit_end_pool(const struct profile *profile, const char *text, const char *group,
    const struct prefix *prefix, uint8_t unit_length, struct profile_edit *ret_edit,
    struct error *err);
void profile_edit_done(struct profile_edit *edit);

/* The largest epoch that the group names, in both families. */
uint32_t profile_edit_last_epoch(const struct profile_group *group);

#endif
