/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drift: what an audit found changed although the wish had not. An edit that has to be repeated
 * three times in a row means that somebody else writes the same lists ("two writers"): it is then
 * left alone until the operator asks for an audit. DESIGN decision 9.
 */
#ifndef AUTOFBF_DRIFT_H
#define AUTOFBF_DRIFT_H

#include <stddef.h>

#include "plan.h"

enum { DRIFT_LIMIT = 3 };

struct drift;

struct drift *drift_new(void);
void drift_free(struct drift *drift);
/* The repairs that this audit asks for. An edit of the last audit that is missing here is
 * forgotten. Returns the number of edits that have just reached DRIFT_LIMIT. */
size_t drift_note(struct drift *drift, const struct plan *plan);
/* The same for the look after our own commit: what it does not ask for was repaired just now, which
 * says nothing about the next audit, so nothing is forgotten. */
size_t drift_note_own(struct drift *drift, const struct plan *plan);
/* Takes the edits that are left alone out of the plan; returns how many. */
size_t drift_filter(const struct drift *drift, struct plan *plan);
/* The operator says try again. */
void drift_forget(struct drift *drift);
/* Lists with edits that are left alone: calls fn once per list, in order of names. */
void drift_each_list(const struct drift *drift, void (*fn)(void *arg, const char *list), void *arg);

#endif
