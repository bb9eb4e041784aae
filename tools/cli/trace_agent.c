/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent's opinion, laid beside the walk. It never changes where a packet goes: that the router
 * alone decides. But only the agent knows that an element is dead, and why a subscriber is not with
 * its base.
 */
#include "trace_agent.h"

#include <string.h>

#include "tree.h"

static const struct lyd_node *
find_element(
    const struct trace *trace, const struct trace_agent *agent, size_t group, size_t element)
{
	const struct profile_group *g = &trace->profile->groups[group];

	return tree_entry(tree_entry(agent->state, "group", "id", g->id), "element", "id",
	    g->elements[element].id);
}

static const struct lyd_node *
find_family(
    const struct trace *trace, const struct trace_agent *agent, size_t group, size_t element)
{
	return tree_entry(find_element(trace, agent, group, element), "family", "family",
	    family_names[trace->family]);
}

char *
trace_agent_describe(
    const struct trace *trace, const struct trace_agent *agent, size_t group, size_t element)
{
	const struct lyd_node *node = find_element(trace, agent, group, element);
	const struct lyd_node *forced = tree_child(node, "forced");
	const struct lyd_node *family = find_family(trace, agent, group, element);
	char clock[CLOCK_TEXT_SIZE];

	if (forced)
		return xasprintf("offline since %s by %s%s%s",
		    clock_format(tree_time(forced, "at"), clock), tree_text(forced, "by"),
		    tree_has(forced, "reason") ? ": " : "", tree_text(forced, "reason"));
	if (!family || tree_is(family, "state", "up"))
		return NULL;
	return xasprintf("%s since %s (%s)",
	    tree_is(family, "state", "down") ? "DOWN" : tree_text(family, "state"),
	    clock_format(tree_time(family, "since"), clock), tree_text(family, "reason"));
}

/* By the profile it is at home: it is the router's base list that says otherwise. */
static bool
is_at_base(const struct trace *trace, const struct trace_agent *agent, size_t subscriber)
{
	const struct trace_leg *leg = trace_first_leg(trace, subscriber);

	return leg && leg->group == trace->subscribers[subscriber].group &&
	       tree_is(agent->match[subscriber], "base-element",
	           trace->profile->groups[leg->group].elements[leg->element].id);
}

const char *
trace_agent_cause(const struct trace *trace, const struct trace_agent *agent, size_t subscriber)
{
	const struct trace_subscriber *s = &trace->subscribers[subscriber];
	const struct lyd_node *family;

	if (s->why != TRACE_WHY_OVERRIDE || s->base == TRACE_NOBODY || !agent->state)
		return trace_why_names[s->why];
	if (is_at_base(trace, agent, subscriber))
		return "base-drift";
	if (tree_child(find_element(trace, agent, s->group, s->base), "forced"))
		return "forced";
	family = find_family(trace, agent, s->group, s->base);
	return tree_is(family, "state", "up") ? "rebalanced" : "displaced";
}

static void
judge_leg(struct trace *trace, const struct trace_agent *agent, const struct trace_leg *leg)
{
	const struct lyd_node *family = find_family(trace, agent, leg->group, leg->element);
	const char *id = trace->profile->groups[leg->group].elements[leg->element].id;
	char clock[CLOCK_TEXT_SIZE];

	if (tree_is(family, "state", "down"))
		trace_texts_add(&trace->faults,
		    "%s is down since %s (%s): what is sent to it is lost", id,
		    clock_format(tree_time(family, "since"), clock), tree_text(family, "reason"));
	else if (tree_is(family, "state", "unknown"))
		trace_texts_add(&trace->notes, "the agent does not know whether %s is up", id);
}

static void
compare(struct trace *trace, const struct lyd_node *match, size_t subscriber)
{
	const struct trace_leg *leg = trace_first_leg(trace, subscriber);
	const char *id =
	    leg ? trace->profile->groups[leg->group].elements[leg->element].id : "nobody";
	char text[IP_TEXT_SIZE];

	ip_format(&trace->subscribers[subscriber].address, text);
	if (tree_has(match, "effective-element") && !tree_is(match, "effective-element", id))
		trace_texts_add(&trace->notes,
		    "%s: the agent has read lists that lead to %s; it has not seen the change yet",
		    text, tree_text(match, "effective-element"));
	if (tree_has(match, "element") && !tree_is(match, "element", id))
		trace_texts_add(&trace->notes,
		    "%s: the agent wants it at %s; see autofbf diff, autofbf why", text,
		    tree_text(match, "element"));
}

void
trace_agent_judge(struct trace *trace, const struct trace_agent *agent)
{
	for (size_t i = 0; agent->state && i < trace->leg_count; i++)
		if (trace->legs[i].fate == TRACE_TO_ELEMENT)
			judge_leg(trace, agent, &trace->legs[i]);
	for (size_t i = 0; i < trace->subscriber_count; i++)
		if (agent->match[i])
			compare(trace, agent->match[i], i);
}
