/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profile that may take the place of the one that runs, as agent_apply.c, agent_refuse.c and
 * agent_apply_note.c share it.
 */
#ifndef AUTOFBF_AGENT_APPLY_INTERNAL_H
#define AUTOFBF_AGENT_APPLY_INTERNAL_H

#include "agent_internal.h"

#include "moves.h"

struct profile_change {
	struct agent *agent;  /* borrowed; it runs the other one */
	struct profile *next; /* owned, until the swap */
	struct moves *moves;  /* owned */
	bool force;
};

/* 0, or -EPERM with the reason and the remedy. */
int agent_refuse(const struct profile_change *change, struct error *err);
/* By ids; NULL: there is none in that profile. */
const struct profile_element *agent_find_element(
    const struct profile *profile, const char *group, const char *element);
/* In the set of the running profile. */
bool agent_is_up(
    const struct profile_change *change, const char *group, const char *element, enum family f);
/* It has units, or gets some when others fail. */
bool agent_may_carry(const struct profile_element *element, enum family f);
/* Other base lists will have to be committed. */
bool agent_changes_base(const struct moves_family *moves);
/* Appends. */
void agent_add_notes(const struct profile_change *change, struct northbound_applied *applied);

#endif
