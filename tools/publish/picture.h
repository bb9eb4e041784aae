/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One moment of the agent, immutable and counted: whoever answers from it holds it until he is
 * done, and a newer one never changes an older one under a walk.
 */
#ifndef AUTOFBF_PUBLISH_PICTURE_H
#define AUTOFBF_PUBLISH_PICTURE_H

#include <stddef.h>

#include "mib.h"
#include "mtime.h"

struct lyd_node;

struct picture {
	unsigned references;
	struct lyd_node *state; /* owned; NULL: the agent is not reached */
	struct mib *mib;        /* owned */
	int64_t taken_us;       /* by the agent's clock; 0: there never was a state */
	struct mtime received;
	char *metrics; /* owned; made when first asked for, see picture_metrics */
	size_t metrics_size;
};

/* With one reference. Takes state. alarm_index: see mib.h. */
struct picture *picture_new(
    struct lyd_node *state, struct mtime received, mib_alarm_index_fn *alarm_index, void *arg);
/* After last, when the agent has been away for too long; last NULL: it never was there. */
struct picture *picture_new_unreachable(const struct picture *last);
struct picture *picture_hold(struct picture *picture);
void picture_drop(struct picture *picture); /* NULL is fine */
/* Milliseconds; 0 when there never was a state. */
int64_t picture_age_ms(const struct picture *picture, struct mtime now);
/* Prometheus text of the state, without what depends on the moment of asking; "" when the agent is
 * not reached. */
const char *picture_metrics(struct picture *picture, size_t *ret_size);

#endif
