/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a change of the profile that is taken has to say: what it moves at once, what the operator
 * should do next, what it leaves behind.
 */
#include "agent_apply_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "whatif.h"

static void __attribute__((format(printf, 2, 3)))
add_note(struct northbound_applied *applied, const char *fmt, ...)
{
	char text[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	applied->notes =
	    xreallocarray(applied->notes, applied->note_count + 1, sizeof(*applied->notes));
	applied->notes[applied->note_count++] = xstrdup(text);
}

static bool
has_target(const struct profile *profile, const struct operator_entry *entry)
{
	size_t g = profile_group_index(profile, entry->id), e;

	if (entry->kind == OPERATOR_ALTER)
		return g != SIZE_MAX && agent_has_alter(&profile->groups[g]);
	if (entry->kind == OPERATOR_FREEZE)
		return g != SIZE_MAX;
	for (g = 0; g < profile->group_count; g++) {
		e = profile_element_index(&profile->groups[g], entry->id);
		if (e != SIZE_MAX)
			return !profile->groups[g].elements[e].removed;
	}
	return false;
}

/* The running profile expects the route of this pool from this element. */
static bool
expects_pool(const struct profile *profile, const struct profile_group *group,
    const struct profile_element *element, enum family f, const struct prefix *pool)
{
	size_t g = profile_group_index(profile, group->id);
	const struct profile_element *now = agent_find_element(profile, group->id, element->id);

	if (!now || profile->groups[g].return_path[f] != RETURN_NAT_ROUTES)
		return false;
	for (size_t p = 0; p < now->family[f].nat_pool_count; p++)
		if (prefix_compare(&now->family[f].nat_pools[p].prefix, pool) == 0)
			return true;
	return false;
}

static void
add_pool_notes(const struct profile_change *change, const struct profile_group *group,
    const struct profile_element *element, enum family f, struct northbound_applied *applied)
{
	for (size_t p = 0; p < element->family[f].nat_pool_count; p++) {
		const struct profile_nat_pool *pool = &element->family[f].nat_pools[p];
		char prefix[PREFIX_TEXT_SIZE];

		if (expects_pool(change->agent->profile, group, element, f, &pool->prefix))
			continue;
		add_note(applied,
		    "pool %s %s of %s is new: its absence takes nobody out until its route was "
		    "seen once; bring it up on %s, 'autofbf status %s' shows its route",
		    pool->id, prefix_format(&pool->prefix, prefix), element->id, element->id,
		    element->id);
	}
}

/* Of elements that serve: who comes, comes with all of its pools. */
static void
add_notes_on_pools(const struct profile_change *change, struct northbound_applied *applied)
{
	const struct profile *next = change->next;

	for (size_t g = 0; g < next->group_count; g++)
		for (size_t e = 0; e < next->groups[g].element_count; e++)
			for (enum family f = 0; f < FAMILY_COUNT; f++) {
				const struct profile_group *group = &next->groups[g];
				const struct profile_element *element = &group->elements[e];

				if (group->return_path[f] == RETURN_NAT_ROUTES &&
				    agent_is_up(change, group->id, element->id, f))
					add_pool_notes(change, group, element, f, applied);
			}
}

/* ---- what moves at once --------------------------------------------------------------------- */

/* The layout of the next profile for who is in the set now; NULL: it has no such family. Owned, as
 * is *ret_space, which it needs. */
static struct layout *
make_next(
    const struct profile_change *change, size_t g, enum family f, struct layout_space **ret_space)
{
	const struct agent *agent = change->agent;
	const struct profile_group *now = &agent->profile->groups[g], *next;
	size_t then = profile_group_index(change->next, now->id);
	bool healthy[PROFILE_MAX_ELEMENTS] = { false };

	*ret_space = NULL;
	if (then == SIZE_MAX || profile_unit_count(&change->next->groups[then], f) == 0)
		return NULL;
	next = &change->next->groups[then];
	for (size_t e = 0; e < next->element_count; e++) {
		size_t i = profile_element_index(now, next->elements[e].id);

		healthy[e] = i != SIZE_MAX && agent->family[g][f].healthy[i];
	}
	*ret_space = layout_space_new(next, f);
	return layout_compute_split(*ret_space, healthy);
}

/* "; out: fbf-02, fbf-03", of those that could carry units; "": nobody. */
static char *
name_who_is_out(const struct profile_group *group, const bool *healthy, enum family f)
{
	char *text = xstrdup("");

	for (size_t e = 0; e < group->element_count; e++) {
		const struct profile_element *element = &group->elements[e];
		char *longer;

		if (healthy[e] || !agent_may_carry(element, f))
			continue;
		longer = xasprintf("%s%s%s", text, *text ? ", " : "; out: ", element->id);
		free(text);
		text = longer;
	}
	return text;
}

/* The base tells what moves with everybody up; this is what the next commit moves. */
static void
add_note_on_family(const struct profile_change *change, size_t g, enum family f,
    struct northbound_applied *applied)
{
	const struct agent_family *family = &change->agent->family[g][f];
	const struct profile_group *group = &change->agent->profile->groups[g];
	struct layout_space *space;
	struct layout *next = make_next(change, g, f, &space);
	struct whatif_moves moves;
	char *out;

	if (next) {
		whatif_compare(family->layout, next, &moves);
		out = name_who_is_out(group, family->healthy, f);
		if (moves.moved > 0)
			add_note(applied, "%zu of %zu %s units of group %s move at once%s",
			    moves.moved, moves.units, family_names[f], group->id, out);
		free(out);
		whatif_moves_done(&moves);
	}
	layout_free(next);
	layout_space_free(space);
}

static void
add_notes_on_moves(const struct profile_change *change, struct northbound_applied *applied)
{
	const struct agent *agent = change->agent;

	if (!agent->lists_known || change->next->mode == MODE_MONITOR)
		return;
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			if (agent->family[g][f].layout &&
			    guard_freeze(agent->guard, g, f) == FREEZE_NOT)
				add_note_on_family(change, g, f, applied);
}

/* ---- all of them ---------------------------------------------------------------------------- */

void
agent_add_notes(const struct profile_change *change, struct northbound_applied *applied)
{
	static const char *const orders[OPERATOR_KIND_COUNT] = { "offline", "freeze",
		"path alter" };
	const struct agent *agent = change->agent;
	bool is_base_new = false;

	add_notes_on_moves(change, applied);
	for (size_t i = 0; i < change->moves->count; i++)
		is_base_new |= agent_changes_base(&change->moves->families[i]);
	if (is_base_new)
		add_note(applied, "when every router's agent runs this profile, commit the new "
		                  "base lists: autofbf router-config");
	for (size_t i = 0; i < agent->operators.count; i++)
		if (!has_target(change->next, &agent->operators.entries[i]))
			add_note(applied,
			    "%s of %s is kept, but nothing in this profile can follow it",
			    orders[agent->operators.entries[i].kind],
			    agent->operators.entries[i].id);
	if (change->next->log_syslog != agent->profile->log_syslog)
		add_note(applied, "another log target needs a restart of the agent");
	if (change->next->mode != agent->profile->mode)
		add_note(applied, "the mode is %s now", agent_mode_names[change->next->mode]);
	add_notes_on_pools(change, applied);
}
