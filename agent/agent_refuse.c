/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a change of the profile is refused for.
 *
 * Refused without force is what costs more sessions than it must: a change in place, whose layout
 * is dealt out anew; units for an element that is not up, which would move twice; a retirement
 * while another element is out, because second choices are dealt anew on the new base; an element
 * whose lists the router does not have yet. Refused always: another ephemeral instance, where our
 * lists would stay behind; other lists or another base for a family that is frozen, which would
 * then move when the new base lists are committed; other lists where nobody is left, because
 * those of now would be emptied (but the whole family may go, nobody carries it); and another
 * override list for an element that may carry units, as long as no filter can read it.
 */
#include "agent_apply_internal.h"

#include <errno.h>
#include <string.h>

/* ---- what moves ----------------------------------------------------------------------------- */

static bool
is_costly(const struct moves_family *moves)
{
	return moves->moved > moves->minimum + 1e-9; /* counts are sums of powers of two, exact */
}

bool
agent_changes_base(const struct moves_family *moves)
{
	return moves->moved > 0 || moves->fresh > 0 || moves->ended > 0;
}

static double
percent_of(double units, size_t of)
{
	return of ? 100 * units / (double)of : 0;
}

static int
refuse_costly(const struct profile_change *change, struct error *err)
{
	for (size_t i = 0; i < change->moves->count; i++) {
		const struct moves_family *moves = &change->moves->families[i];

		if (is_costly(moves))
			return error_set(err, -EPERM,
			    "refused: moves %.0f %% of group %s %s, the least is %.0f %%; give the "
			    "change a new epoch (autofbf profile reweight and its kind), one after "
			    "the other if there are several, or --force",
			    percent_of(moves->moved, moves->after), moves->group,
			    family_names[moves->family], percent_of(moves->minimum, moves->after));
	}
	return 0;
}

const struct profile_element *
agent_find_element(const struct profile *profile, const char *group, const char *element)
{
	size_t g = profile_group_index(profile, group), e = SIZE_MAX;

	if (g != SIZE_MAX)
		e = profile_element_index(&profile->groups[g], element);
	return e == SIZE_MAX ? NULL : &profile->groups[g].elements[e];
}

/* ---- who is up ------------------------------------------------------------------------------ */

bool
agent_is_up(
    const struct profile_change *change, const char *group, const char *element, enum family f)
{
	const struct profile *profile = change->agent->profile;
	size_t g = profile_group_index(profile, group), e = SIZE_MAX;

	if (g != SIZE_MAX)
		e = profile_element_index(&profile->groups[g], element);
	return e != SIZE_MAX && health_is_healthy(change->agent->health, g, e, f);
}

static int
refuse_not_up(const struct profile_change *change, struct error *err)
{
	for (size_t i = 0; i < change->moves->count; i++) {
		const struct moves_family *moves = &change->moves->families[i];

		for (size_t e = 0; e < moves->element_count; e++)
			if (moves->elements[e].come > 0 &&
			    !agent_is_up(
			        change, moves->group, moves->elements[e].id, moves->family))
				return error_set(err, -EPERM,
				    "refused: %s would get %.13g %s units of others and is not up, "
				    "so they would move twice; a new element comes with --weight 0 "
				    "and gets its weight (autofbf profile reweight) when it is up, "
				    "or --force",
				    moves->elements[e].id, moves->elements[e].come,
				    family_names[moves->family]);
	}
	return 0;
}

bool
agent_may_carry(const struct profile_element *element, enum family f)
{
	return element->family[f].present && !element->removed &&
	       health_weight(element, f) + element->failed_weight > 0;
}

/* Carries units now, or would if somebody failed, and will not in the next profile. */
static bool
retires(
    const struct profile_change *change, const struct profile_group *group, size_t e, enum family f)
{
	const struct profile_element *now = &group->elements[e];
	const struct profile_element *then = agent_find_element(change->next, group->id, now->id);
	bool is_spare = health_weight(now, f) == 0;

	return agent_may_carry(now, f) &&
	       !(then && (is_spare ? agent_may_carry(then, f) : health_weight(then, f) > 0));
}

/* Somebody but this one who could carry units is out; SIZE_MAX: nobody. */
static size_t
find_other_out(const struct profile_change *change, size_t g, size_t retiring, enum family f)
{
	const struct profile_group *group = &change->agent->profile->groups[g];

	for (size_t e = 0; e < group->element_count; e++) {
		const struct profile_element *element = &group->elements[e];

		if (e != retiring && agent_may_carry(element, f) &&
		    !health_is_healthy(change->agent->health, g, e, f))
			return e;
	}
	return SIZE_MAX;
}

/* The next profile has neither these subscribers nor anybody for them. */
static bool
is_given_up(const struct profile_change *change, const struct profile_group *group, enum family f)
{
	size_t g = profile_group_index(change->next, group->id);

	return g == SIZE_MAX || profile_unit_count(&change->next->groups[g], f) == 0;
}

static int
refuse_retirement(
    const struct profile_change *change, size_t g, size_t e, enum family f, struct error *err)
{
	const struct profile_group *group = &change->agent->profile->groups[g];
	size_t other = find_other_out(change, g, e, f);
	struct health_view view;

	if (other == SIZE_MAX || !change->agent->family[g][f].space ||
	    is_given_up(change, group, f))
		return 0;
	health_view(change->agent->health, g, other, f, &view);
	return error_set(err, -EPERM,
	    "refused: %s would retire from group %s %s while %s is out (%s): a third of all units "
	    "may move then, not only its own, because second choices are dealt anew; bring %s back "
	    "first, or --force",
	    group->elements[e].id, group->id, family_names[f], group->elements[other].id,
	    view.forced ? "offline" : health_state_names[view.state], group->elements[other].id);
}

static int
refuse_retirements(const struct profile_change *change, struct error *err)
{
	const struct profile *profile = change->agent->profile;
	int rc = 0;

	for (size_t g = 0; g < profile->group_count; g++)
		for (size_t e = 0; e < profile->groups[g].element_count; e++)
			for (enum family f = 0; f < FAMILY_COUNT && rc == 0; f++)
				if (retires(change, &profile->groups[g], e, f))
					rc = refuse_retirement(change, g, e, f, err);
	return rc;
}

/* ---- lists ---------------------------------------------------------------------------------- */

static bool
is_same_name(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Some element of the group, in the one profile, has other lists in the other or is not there. */
static bool
changes_lists(const struct profile_group *group, const struct profile *other, enum family f)
{
	for (size_t e = 0; e < group->element_count; e++) {
		const struct profile_element_family *names = &group->elements[e].family[f];
		const struct profile_element *then =
		    agent_find_element(other, group->id, group->elements[e].id);

		if (!then || !is_same_name(names->base_list, then->family[f].base_list) ||
		    !is_same_name(names->override_list, then->family[f].override_list))
			return true;
	}
	return false;
}

/* Another base is how to get out of it; but what was written stays, until somebody is up. */
static int
refuse_lists_of_nobody(const struct profile_group *group, enum family f, struct error *err)
{
	return error_set(err, -EPERM,
	    "refused: nobody of group %s %s is left, so the router goes on by the lists that it "
	    "has, and this profile names others: theirs would be emptied; keep the lines of the "
	    "elements and the names of their lists until one is up, or leave all of %s out of the "
	    "group, with its pools, if it is given up",
	    group->id, family_names[f], family_names[f]);
}

static int
refuse_frozen_family(
    const struct profile_change *change, size_t g, enum family f, struct error *err)
{
	const struct agent *agent = change->agent;
	const struct profile_group *group = &agent->profile->groups[g];
	enum freeze freeze = guard_freeze(agent->guard, g, f);
	bool is_changed = changes_lists(group, change->next, f);

	if (!agent->family[g][f].space || freeze == FREEZE_NOT)
		return 0;
	if (freeze == FREEZE_NOBODY)
		return is_changed && !is_given_up(change, group, f)
		           ? refuse_lists_of_nobody(group, f, err)
		           : 0;
	for (size_t i = 0; i < change->moves->count && !is_changed; i++) {
		const struct moves_family *moves = &change->moves->families[i];

		is_changed = moves->family == f && strcmp(moves->group, group->id) == 0 &&
		             agent_changes_base(moves);
	}
	if (!is_changed)
		return 0;
	return error_set(err, -EPERM,
	    "refused: %s of group %s is frozen (%s) and could not follow, and the new base lists "
	    "would move it; wait, or 'autofbf thaw %s' first",
	    family_names[f], group->id, guard_reason(agent->guard, g, f), group->id);
}

static int
refuse_frozen(const struct profile_change *change, struct error *err)
{
	int rc = 0;

	for (size_t g = 0; g < change->agent->profile->group_count; g++)
		for (enum family f = 0; f < FAMILY_COUNT && rc == 0; f++)
			rc = refuse_frozen_family(change, g, f, err);
	return rc;
}

static int
refuse_instance(const struct profile_change *change, struct error *err)
{
	const char *now = change->agent->profile->router.instance;
	const char *next = change->next->router.instance;

	if (strcmp(now, next) == 0)
		return 0;
	return error_set(err, -EPERM,
	    "refused: /router/instance: our lists in ephemeral instance %s would stay behind and "
	    "go on steering; stop the agent, delete that instance's configuration, then start it "
	    "with instance %s",
	    now, next);
}

static bool
gets_units(const struct profile_change *change, const struct profile_group *group,
    const struct profile_element *element, enum family f)
{
	for (size_t i = 0; i < change->moves->count; i++) {
		const struct moves_family *moves = &change->moves->families[i];

		for (size_t e = 0; e < moves->element_count; e++)
			if (moves->family == f && strcmp(moves->group, group->id) == 0 &&
			    strcmp(moves->elements[e].id, element->id) == 0)
				return moves->elements[e].come > 0;
	}
	return false;
}

/* The list may be written under the running profile as it is: another one makes it no worse. */
static bool
is_used_already(const struct profile_change *change, const struct profile_group *group,
    const struct profile_element *element, enum family f)
{
	const struct profile_element *now =
	    agent_find_element(change->agent->profile, group->id, element->id);

	return now && agent_may_carry(now, f) &&
	       is_same_name(now->family[f].override_list, element->family[f].override_list) &&
	       !gets_units(change, group, element, f);
}

/*
 * What is overridden now goes to the new list in one commit, and whatever fails later goes there.
 * A filter that reads only the old one would send it to the dead; one that reads only the new one,
 * before this profile runs, as well. So a term has to read both first.
 */
static int
refuse_renamed_list(const struct profile_change *change, const struct profile_group *group,
    const struct profile_element *element, enum family f, struct error *err)
{
	const struct profile_element *now =
	    agent_find_element(change->agent->profile, group->id, element->id);
	const char *list = element->family[f].override_list;
	bool is_taken;

	if (!now || !agent_may_carry(now, f) || !agent_may_carry(element, f) ||
	    is_same_name(now->family[f].override_list, list))
		return 0;
	is_taken = agent_uses_list(change->agent, list);
	if (!is_taken && listset_find(&change->agent->static_lists, list))
		return 0;
	return error_set(err, -EPERM,
	    "refused: override-list of %s %s: %s; before apply, and before router-config, a term "
	    "of each filter has to read the old list and the new one, by hand: 'set firewall "
	    "family %s filter %s-inside-%s term %s-ovr from source-prefix-list %s' and so on, see "
	    "autofbf(1), CHANGING A PROFILE",
	    element->id, family_names[f],
	    is_taken ? "the running profile uses that list, choose another name"
	             : "the router has no such list, so no filter reads it",
	    f == FAMILY_IPV4 ? "inet" : "inet6", group->id, family_tags[f], element->id, list);
}

/* An override is no use as long as no filter looks at its list: the base would still steer. */
static int
refuse_unknown_list(const struct profile_change *change, const struct profile_group *group,
    const struct profile_element *element, enum family f, struct error *err)
{
	const struct agent *agent = change->agent;
	const char *list = element->family[f].override_list;

	if (!agent_may_carry(element, f) || listset_find(&agent->static_lists, list) ||
	    is_used_already(change, group, element, f))
		return 0;
	return error_set(err, -EPERM,
	    "refused: the router has no prefix-list %s for %s yet; commit what 'autofbf "
	    "router-config' says for it with weight 0 first%s, or --force",
	    list, element->id, element->failed_weight > 0 ? ", without failed-weight" : "");
}

static int
refuse_lists(const struct profile_change *change,
    int (*refuse)(const struct profile_change *change, const struct profile_group *group,
        const struct profile_element *element, enum family f, struct error *err),
    struct error *err)
{
	const struct profile *next = change->next;
	int rc = 0;

	if (!change->agent->lists_known)
		return 0;
	for (size_t g = 0; g < next->group_count; g++)
		for (size_t e = 0; e < next->groups[g].element_count; e++)
			for (enum family f = 0; f < FAMILY_COUNT && rc == 0; f++)
				rc = refuse(
				    change, &next->groups[g], &next->groups[g].elements[e], f, err);
	return rc;
}

int
agent_refuse(const struct profile_change *change, struct error *err)
{
	int rc = refuse_instance(change, err);

	if (rc == 0)
		rc = refuse_frozen(change, err);
	if (rc == 0)
		rc = refuse_lists(change, refuse_renamed_list, err);
	if (rc < 0 || change->force)
		return rc;
	rc = refuse_costly(change, err);
	if (rc == 0)
		rc = refuse_retirements(change, err);
	if (rc == 0)
		rc = refuse_lists(change, refuse_unknown_list, err);
	if (rc == 0)
		rc = refuse_not_up(change, err);
	return rc;
}
