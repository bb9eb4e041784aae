/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent's state in the text format of Prometheus (version 0.0.4): prefix autofbf_, base units,
 * labels group, element, family, side, pool, source, stage, and type and key of alarms; never
 * prefixes. What is absent in the state has no sample.
 */
#ifndef AUTOFBF_PUBLISH_METRICS_H
#define AUTOFBF_PUBLISH_METRICS_H

#include <stddef.h>

struct lyd_node;

/* The text, which the caller frees. state NULL: empty. */
char *metrics_new(const struct lyd_node *state, size_t *ret_size);

#endif
