/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alarms as managers know them: which there are, under which index, and which have been told. What
 * is and what was told are kept apart, so that nothing is lost while nobody listened. No I/O.
 *
 * Alarms are nodes with the leaves of the model's grouping alarm; they are copied.
 */
#ifndef AUTOFBF_PUBLISH_ALARMS_H
#define AUTOFBF_PUBLISH_ALARMS_H

#include <stdbool.h>
#include <stdint.h>

#include "mtime.h"

struct lyd_node;

struct alarms;

struct alarms *alarms_new(void);
void alarms_free(struct alarms *alarms);
/* The agent told: to be told on at once. */
void alarms_raise(struct alarms *alarms, const struct lyd_node *alarm, struct mtime now);
void alarms_clear(struct alarms *alarms, const struct lyd_node *alarm, struct mtime now);
/* It may stand, and managers may know: told by somebody before us. */
void alarms_assume_told(struct alarms *alarms, const struct lyd_node *alarm);
/* All alarms of a state. A difference to what was told means that notifications were suppressed,
 * or were sent while we had no session (is_first): these are told on at once, the others when they
 * have stood for a minute. */
void alarms_sync(
    struct alarms *alarms, const struct lyd_node *state, bool is_first, struct mtime now);
/* From 1 on; 0: not known. */
uint32_t alarms_index(const struct alarms *alarms, const struct lyd_node *alarm);

/* Hands over what is to be told now. tell returns false when it could not; it is asked again.
 * cleared_us: 0 while the alarm stands. */
typedef bool alarms_tell_fn(
    void *arg, const struct lyd_node *alarm, uint32_t index, int64_t cleared_us);
void alarms_tell(struct alarms *alarms, struct mtime now, alarms_tell_fn *tell, void *arg);

#endif
