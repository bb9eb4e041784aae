/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a change of the profile that is taken has to say: what it moves at once, what the operator
 * should do next, what it leaves behind.
 */
#include "agent_apply_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
	if (entry->kind != OPERATOR_OFFLINE)
		return profile_group_index(profile, entry->id) != SIZE_MAX;
	for (size_t g = 0; g < profile->group_count; g++)
		if (profile_element_index(&profile->groups[g], entry->id) != SIZE_MAX)
			return true;
	return false;
}

/* The running profile expects the route of this pool from this element. */
static bool
expects_pool(const struct profile *profile, const struct profile_group *group,
    const struct profile_element *element, enum family f, const struct prefix *pool)
{
	size_t g = profile_group_index(profile, group->id), e = SIZE_MAX;
	const struct profile_element_family *now;

	if (g != SIZE_MAX)
		e = profile_element_index(&profile->groups[g], element->id);
	if (e == SIZE_MAX || profile->groups[g].return_path[f] != RETURN_NAT_ROUTES)
		return false;
	now = &profile->groups[g].elements[e].family[f];
	for (size_t p = 0; p < now->nat_pool_count; p++)
		if (prefix_compare(&now->nat_pools[p].prefix, pool) == 0)
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

void
agent_add_notes(const struct profile_change *change, struct northbound_applied *applied)
{
	static const char *const orders[OPERATOR_KIND_COUNT] = { "offline", "freeze",
		"path alter" };
	const struct agent *agent = change->agent;
	bool is_base_new = false;

	for (size_t i = 0; i < change->moves->count; i++)
		is_base_new |= agent_changes_base(&change->moves->families[i]);
	if (is_base_new)
		add_note(applied, "when every router's agent runs this profile, commit the new "
		                  "base lists: autofbf router-config");
	for (size_t i = 0; i < agent->operators.count; i++)
		if (!has_target(change->next, &agent->operators.entries[i]))
			add_note(applied,
			    "%s of %s is kept, but nothing in this profile has that "
			    "id",
			    orders[agent->operators.entries[i].kind],
			    agent->operators.entries[i].id);
	if (change->next->log_syslog != agent->profile->log_syslog)
		add_note(applied, "another log target needs a restart of the agent");
	if (change->next->mode != agent->profile->mode)
		add_note(applied, "the mode is %s now", agent_mode_names[change->next->mode]);
	add_notes_on_pools(change, applied);
}
