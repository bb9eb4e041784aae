/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who would be healthy: today's health, changed by the words of the question.
 *
 * What fails and what an operator takes out is out, whatever else is said of it. What is called
 * online comes if its own health lets it; what is taken as up comes unless an operator took it out.
 * Elements and families that the agent does not know yet are taken as up, and that is said. What a
 * failure brings back by the quorum is whatif.c's; what the guard and the signal routes would do
 * beside it is told in notes.
 */
#include "northbound_plan_internal.h"

#include <string.h>

#include "error.h"
#include "guard.h"

static bool
has_name(const struct names *names, const char *id, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->names[i], id) == 0 || strcmp(names->names[i], name) == 0)
			return true;
	return false;
}

static bool
has_element(const struct names *names, const struct profile_element *element)
{
	return has_name(names, element->id, element->name);
}

static const struct status_element *
find_status(const struct outcome *outcome, const char *id)
{
	for (size_t e = 0; outcome->status && e < outcome->status->element_count; e++)
		if (strcmp(outcome->status->elements[e].id, id) == 0)
			return &outcome->status->elements[e];
	return NULL;
}

static enum whatif_member
judge_by_health(const struct question *question, const struct status_element *element,
    const struct status_element_family *own)
{
	const struct status *status =
	    question->query->operations->status(question->query->operations->arg);
	bool is_called = has_name(&question->online, element->id, element->name);

	if (own->healthy || (is_called && (own->serving || own->awaits_operator)))
		return WHATIF_IN;
	if (own->state != HEALTH_HOLD_DOWN)
		return WHATIF_OUT;
	return own->damped_until_us > status->now_us ? WHATIF_DAMPED : WHATIF_WAITS;
}

static enum whatif_member
judge(const struct question *question, const struct outcome *outcome,
    const struct profile_element *element)
{
	const struct status_element *known = find_status(outcome, element->id);
	const struct status_element_family *own = known ? &known->family[outcome->family] : NULL;
	enum whatif_member member;

	if (has_element(&question->down, element) || has_element(&question->offline, element))
		return WHATIF_OUT;
	if (known && known->forced && !has_element(&question->online, element)) {
		if (has_element(&question->up, element))
			plan_note(question,
			    "%s was taken offline by an operator: being up does not bring it back, "
			    "online does",
			    element->id);
		return WHATIF_OUT;
	}
	if (has_element(&question->up, element))
		return WHATIF_IN;
	if (!own || !own->present) {
		plan_note(question, "%s is new: taken as up", element->id);
		return WHATIF_IN;
	}
	member = judge_by_health(question, known, own);
	if (has_element(&question->online, element) && member != WHATIF_IN)
		plan_note(question,
		    "%s %s is %s: it stays out until its sessions and its hold-down "
		    "allow",
		    element->id, family_names[outcome->family], health_state_names[own->state]);
	return member;
}

static void
note_joins(const struct question *question, const struct outcome *outcome)
{
	for (size_t e = 0; e < outcome->then->element_count; e++)
		if (outcome->healthy[e] && outcome->members[e] != WHATIF_IN)
			plan_note(question,
			    "%s %s is in hold-down and joins at once: too few are left",
			    outcome->then->elements[e].id, family_names[outcome->family]);
}

/* Several that fail at once, as the guard counts them: who is out already is no loss. */
static void
note_mass_event(const struct question *question, const struct outcome *outcome)
{
	bool lost[PROFILE_MAX_ELEMENTS] = { false };
	struct guard_tally tally;

	for (size_t e = 0; e < outcome->then->element_count; e++) {
		const struct profile_element *element = &outcome->then->elements[e];
		const struct status_element *known = find_status(outcome, element->id);

		lost[e] = known && known->family[outcome->family].healthy &&
		          has_element(&question->down, element);
	}
	tally = guard_tally(outcome->then, outcome->family, lost);
	if (guard_is_mass_event(outcome->then, &tally))
		plan_note(question,
		    "%s %s: if they fail together, the guard takes it for a mass event and "
		    "looks again before anything moves",
		    outcome->then->id, family_names[outcome->family]);
}

static void
note_signal(const struct question *question, const struct outcome *outcome)
{
	const struct profile_signal *signal = &outcome->then->signal[outcome->family];
	const struct status_group_family *now =
	    outcome->status ? &outcome->status->family[outcome->family] : NULL;
	char route[PREFIX_TEXT_SIZE];

	if (signal->has_failed && outcome->healthy_count < signal->min_alive &&
	    !(now && now->failed_wanted))
		plan_note(question,
		    "%s %s: %zu healthy, min-alive is %u: the failed signal route %s "
		    "would be installed",
		    outcome->then->id, family_names[outcome->family], outcome->healthy_count,
		    signal->min_alive, prefix_format(&signal->failed_route, route));
}

static void
warn_nobody(const struct question *question, const struct outcome *outcome)
{
	if (outcome->healthy_count == 0)
		plan_warn(question,
		    "%s %s: nobody healthy would be left. Nothing moves then: the layout that "
		    "stands freezes, and the router goes on sending to the elements it sends to "
		    "now; element offline wants --force for that",
		    outcome->then->id, family_names[outcome->family]);
}

void
northbound_plan_take_health(const struct question *question, struct outcome *outcome)
{
	size_t count = outcome->then->element_count;

	outcome->members = xcalloc(count, sizeof(*outcome->members));
	outcome->healthy = xcalloc(count, sizeof(*outcome->healthy));
	for (size_t e = 0; e < count; e++)
		if (layout_space_has(outcome->space, e))
			outcome->members[e] = judge(question, outcome, &outcome->then->elements[e]);
	outcome->healthy_count = whatif_healthy(outcome->space, outcome->members, outcome->healthy);
	note_joins(question, outcome);
	note_mass_event(question, outcome);
	note_signal(question, outcome);
	warn_nobody(question, outcome);
}
