/* SPDX-License-Identifier: BSD-3-Clause */
/* What the agent knows beside what the router's configuration shows: health, orders, standbys. */
#ifndef AUTOFBF_CLI_TRACE_AGENT_H
#define AUTOFBF_CLI_TRACE_AGENT_H

#include "trace_walk.h"

struct lyd_node;

struct trace_agent {
	const struct lyd_node *state;    /* borrowed; NULL: no agent was asked */
	const struct lyd_node *match[2]; /* borrowed or NULL; its answer for each subscriber */
	const char *asked;               /* borrowed or NULL; when the router was read */
};

/* A fault for each element on the way that is down, a note where the agent has another opinion of
 * who carries the subscriber. */
void trace_agent_judge(struct trace *trace, const struct trace_agent *agent);
/* "DOWN since 03:04:11.9 (bgp down)", "offline since 03:04:11.9 by admin: power", "hold-down since
 * ..."; NULL when it is up, or nobody knows. The caller frees it. */
char *trace_agent_describe(
    const struct trace *trace, const struct trace_agent *agent, size_t group, size_t element);

/* Why a subscriber is at an override: "base-drift" (the profile's base is there, the router's base
 * list elsewhere), "displaced" (the base's element is out), "forced" (an operator took it offline),
 * "rebalanced" (it is up, the shares are kept even), "override" when nobody knows. "base" and
 * "foreign" of others, "none" of who is at no element. */
const char *trace_agent_cause(
    const struct trace *trace, const struct trace_agent *agent, size_t subscriber);

#endif
