/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * May this profile take the place of the one that runs? By the RPC profile-apply, and by SIGHUP,
 * which reads the profile's file again and knows no force.
 *
 * Order is everything here: all that may fail comes first (parse, refusals, new listeners, the
 * file), the swap comes last and cannot fail, so nothing is ever applied by halves.
 *
 * Refused without force is what costs more sessions than it must: a change in place, whose layout
 * is dealt out anew; units for an element that is not up, which would move twice; a retirement
 * while another element is out, because second choices are dealt anew on the new base; an element
 * whose lists the router does not have yet; a file that somebody has edited meanwhile. Refused
 * always: another ephemeral instance, where our lists would stay behind, and another base for
 * a family that is frozen, which would then move when the new base lists are committed.
 */
#include "agent_internal.h"

#include <errno.h>
#include <libyang/libyang.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "moves.h"
#include "profile_file.h"
#include "profile_yang.h"

struct change {
	struct agent *agent;
	struct profile *next; /* owned, until the swap */
	struct moves *moves;  /* owned */
	bool force;
};

/* ---- what moves ----------------------------------------------------------------------------- */

static bool
is_costly(const struct moves_family *moves)
{
	return moves->moved > moves->minimum + 1e-9; /* counts are sums of powers of two, exact */
}

static bool
changes_base(const struct moves_family *moves)
{
	return moves->moved > 0 || moves->fresh > 0 || moves->ended > 0;
}

static double
percent_of(double units, size_t of)
{
	return of ? 100 * units / (double)of : 0;
}

static int
refuse_costly(const struct change *change, struct error *err)
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

/* ---- who is up ------------------------------------------------------------------------------ */

static bool
is_up(const struct change *change, const char *group, const char *element, enum family f)
{
	const struct profile *profile = change->agent->profile;
	size_t g = profile_group_index(profile, group), e = SIZE_MAX;

	if (g != SIZE_MAX)
		e = profile_element_index(&profile->groups[g], element);
	return e != SIZE_MAX && health_is_healthy(change->agent->health, g, e, f);
}

static int
refuse_not_up(const struct change *change, struct error *err)
{
	for (size_t i = 0; i < change->moves->count; i++) {
		const struct moves_family *moves = &change->moves->families[i];

		for (size_t e = 0; e < moves->element_count; e++)
			if (moves->elements[e].come > 0 &&
			    !is_up(change, moves->group, moves->elements[e].id, moves->family))
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

/* Has weight now and none in the next profile. */
static bool
retires(const struct change *change, const struct profile_group *group, size_t e, enum family f)
{
	const struct profile *next = change->next;
	size_t g = profile_group_index(next, group->id), i = SIZE_MAX;

	if (health_weight(&group->elements[e], f) == 0)
		return false;
	if (g != SIZE_MAX)
		i = profile_element_index(&next->groups[g], group->elements[e].id);
	return i == SIZE_MAX || health_weight(&next->groups[g].elements[i], f) == 0;
}

/* Somebody but this one who could carry units is out; SIZE_MAX: nobody. */
static size_t
find_other_out(const struct change *change, size_t g, size_t retiring, enum family f)
{
	const struct profile_group *group = &change->agent->profile->groups[g];

	for (size_t e = 0; e < group->element_count; e++) {
		const struct profile_element *element = &group->elements[e];

		if (e == retiring || element->removed || !element->family[f].present ||
		    health_weight(element, f) + element->failed_weight == 0)
			continue;
		if (!health_is_healthy(change->agent->health, g, e, f))
			return e;
	}
	return SIZE_MAX;
}

static int
refuse_retirement(const struct change *change, size_t g, size_t e, enum family f, struct error *err)
{
	const struct profile_group *group = &change->agent->profile->groups[g];
	size_t other = find_other_out(change, g, e, f);
	struct health_view view;

	if (other == SIZE_MAX || !change->agent->family[g][f].space)
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
refuse_retirements(const struct change *change, struct error *err)
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
	size_t g = profile_group_index(other, group->id);

	for (size_t e = 0; e < group->element_count; e++) {
		const struct profile_element_family *names = &group->elements[e].family[f], *then;
		size_t i = g == SIZE_MAX
		               ? SIZE_MAX
		               : profile_element_index(&other->groups[g], group->elements[e].id);

		if (i == SIZE_MAX)
			return true;
		then = &other->groups[g].elements[i].family[f];
		if (!is_same_name(names->base_list, then->base_list) ||
		    !is_same_name(names->override_list, then->override_list))
			return true;
	}
	return false;
}

static int
refuse_frozen_family(const struct change *change, size_t g, enum family f, struct error *err)
{
	const struct agent *agent = change->agent;
	const struct profile_group *group = &agent->profile->groups[g];
	enum freeze freeze = guard_freeze(agent->guard, g, f);
	bool is_changed = changes_lists(group, change->next, f);

	if (!agent->family[g][f].space || freeze == FREEZE_NOT || freeze == FREEZE_NOBODY)
		return 0;
	for (size_t i = 0; i < change->moves->count && !is_changed; i++) {
		const struct moves_family *moves = &change->moves->families[i];

		is_changed = moves->family == f && strcmp(moves->group, group->id) == 0 &&
		             changes_base(moves);
	}
	if (!is_changed)
		return 0;
	return error_set(err, -EPERM,
	    "refused: %s of group %s is frozen (%s) and could not follow, and the new base lists "
	    "would move it; wait, or 'autofbf thaw %s' first",
	    family_names[f], group->id, guard_reason(agent->guard, g, f), group->id);
}

static int
refuse_frozen(const struct change *change, struct error *err)
{
	int rc = 0;

	for (size_t g = 0; g < change->agent->profile->group_count; g++)
		for (enum family f = 0; f < FAMILY_COUNT && rc == 0; f++)
			rc = refuse_frozen_family(change, g, f, err);
	return rc;
}

static int
refuse_instance(const struct change *change, struct error *err)
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
gets_units(const struct change *change, const struct profile_group *group,
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

/* An override is no use as long as no filter looks at its list: the base would still steer. */
static int
refuse_unknown_list(const struct change *change, const struct profile_group *group,
    const struct profile_element *element, enum family f, struct error *err)
{
	const struct agent *agent = change->agent;
	const char *list = element->family[f].override_list;

	if (!list || element->removed || health_weight(element, f) == 0 ||
	    listset_find(&agent->static_lists, list))
		return 0;
	if (agent_is_our_list(agent, list) && !gets_units(change, group, element, f))
		return 0;
	return error_set(err, -EPERM,
	    "refused: the router has no prefix-list %s for %s yet; commit what 'autofbf "
	    "router-config' says for it with weight 0 first, or --force",
	    list, element->id);
}

static int
refuse_unknown_lists(const struct change *change, struct error *err)
{
	const struct profile *next = change->next;
	int rc = 0;

	if (!change->agent->lists_known)
		return 0;
	for (size_t g = 0; g < next->group_count; g++)
		for (size_t e = 0; e < next->groups[g].element_count; e++)
			for (enum family f = 0; f < FAMILY_COUNT && rc == 0; f++)
				rc = refuse_unknown_list(
				    change, &next->groups[g], &next->groups[g].elements[e], f, err);
	return rc;
}

static int
check(const struct change *change, struct error *err)
{
	int rc = refuse_instance(change, err);

	if (rc == 0)
		rc = refuse_frozen(change, err);
	if (rc < 0 || change->force)
		return rc;
	rc = refuse_costly(change, err);
	if (rc == 0)
		rc = refuse_retirements(change, err);
	if (rc == 0)
		rc = refuse_unknown_lists(change, err);
	if (rc == 0)
		rc = refuse_not_up(change, err);
	return rc;
}

/* ---- the file ------------------------------------------------------------------------------- */

/* What is on the disk is what runs, or what shall run: *ret_is_next. */
static int
check_file(const struct change *change, const struct ly_ctx *ctx, const struct profile_file *file,
    bool *ret_is_next, struct error *err)
{
	struct profile *disk = NULL;
	const char *path = change->agent->options.profile_path;
	bool is_known;

	if (profile_load_text(ctx, file->text, file->size, path, &disk, NULL) < 0)
		disk = NULL; /* broken: so it is not what runs */
	*ret_is_next = disk && strcmp(disk->id, change->next->id) == 0;
	is_known = *ret_is_next || (disk && strcmp(disk->id, change->agent->profile->id) == 0);
	profile_free(disk);
	if (is_known || change->force)
		return 0;
	return error_set(err, -EPERM,
	    "refused: %s was edited since the agent read it, and would be overwritten; take the "
	    "edit into your file, or put back what runs, or --force",
	    path);
}

static int
write_file(const struct change *change, const struct ly_ctx *ctx,
    const struct northbound_apply *request, struct error *err)
{
	struct profile_file file;
	bool is_next = false;
	int rc = profile_file_read(change->agent->options.profile_path, &file, err);

	if (rc < 0)
		rc = -EIO;
	if (rc == 0)
		rc = check_file(change, ctx, &file, &is_next, err);
	if (rc == 0 && !is_next && !request->dry_run &&
	    profile_file_write(&file, request->text, err) < 0)
		rc = -EIO;
	profile_file_done(&file);
	return rc;
}

/* ---- the change ----------------------------------------------------------------------------- */

static void
end_change(struct change *change)
{
	moves_free(change->moves);
	profile_free(change->next);
}

static void
record_change(const struct change *change, const char *who, const char *reason)
{
	agent_record(change->agent, "profile", "", "%.8s -> %.8s by %s%s%s",
	    change->agent->profile->id, change->next->id, who, *reason ? ": " : "", reason);
}

static void
take_effect(struct change *change, struct sources *sources, const char *who, const char *reason)
{
	struct agent *agent = change->agent;
	struct profile *next = change->next;

	agent->who = who;
	record_change(change, who, reason);
	change->next = NULL;
	agent_swap_profile(agent, next, sources, "another profile");
	agent->who = NULL;
}

static bool
is_running(const struct change *change)
{
	return strcmp(change->next->id, change->agent->profile->id) == 0;
}

/* NULL: the file says what runs. */
static void
note_refusal(struct agent *agent, const char *why)
{
	free(agent->refused);
	agent->refused = why ? xstrdup(why) : NULL;
	agent_alarm_soon(agent);
}

/* ---- the RPC -------------------------------------------------------------------------------- */

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
add_pool_notes(const struct change *change, const struct profile_group *group,
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
add_notes_on_pools(const struct change *change, struct northbound_applied *applied)
{
	const struct profile *next = change->next;

	for (size_t g = 0; g < next->group_count; g++)
		for (size_t e = 0; e < next->groups[g].element_count; e++)
			for (enum family f = 0; f < FAMILY_COUNT; f++) {
				const struct profile_group *group = &next->groups[g];
				const struct profile_element *element = &group->elements[e];

				if (group->return_path[f] == RETURN_NAT_ROUTES &&
				    is_up(change, group->id, element->id, f))
					add_pool_notes(change, group, element, f, applied);
			}
}

static void
add_notes(const struct change *change, struct northbound_applied *applied)
{
	static const char *const orders[OPERATOR_KIND_COUNT] = { "offline", "freeze",
		"path alter" };
	const struct agent *agent = change->agent;
	bool is_base_new = false;

	for (size_t i = 0; i < change->moves->count; i++)
		is_base_new |= changes_base(&change->moves->families[i]);
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

static int
apply(struct change *change, const struct ly_ctx *ctx, const struct northbound_apply *request,
    struct northbound_applied *ret_applied, struct error *err)
{
	struct northbound_applied applied = { .changed = !is_running(change) };
	struct sources *sources = NULL;
	int rc = 0;

	memcpy(applied.profile_id, change->next->id, sizeof(applied.profile_id));
	if (!applied.changed) { /* and a restart would run it, too */
		*ret_applied = applied;
		return write_file(change, ctx, request, err);
	}
	rc = check(change, err);
	if (rc == 0)
		rc = agent_open_sources(change->agent, change->next, &sources, err);
	if (rc == 0)
		rc = write_file(change, ctx, request, err);
	if (rc < 0 || request->dry_run)
		sources_free(sources);
	if (rc < 0)
		return rc;
	add_notes(change, &applied);
	if (!request->dry_run)
		take_effect(change, sources, request->who, request->reason);
	*ret_applied = applied;
	return 0;
}

int
agent_apply_profile(void *arg, const struct northbound_apply *request,
    struct northbound_applied *ret_applied, struct error *err)
{
	struct change change = { .agent = arg, .force = request->force };
	const struct agent_options *options = &change.agent->options;
	struct ly_ctx *ctx = NULL;
	int rc = profile_yang_context(options->yang_dir, &ctx, err);

	if (rc == 0)
		rc = profile_load_text(ctx, request->text, strlen(request->text),
		    options->profile_path, &change.next, err);
	if (rc == 0) {
		change.moves = moves_compute(change.agent->profile, change.next);
		rc = apply(&change, ctx, request, ret_applied, err);
	}
	if (rc == 0 && !request->dry_run)
		note_refusal(change.agent, NULL);
	ly_ctx_destroy(ctx);
	end_change(&change);
	return rc;
}

int
agent_check_profile(void *arg, const struct profile *next, struct error *err)
{
	struct change change = { .agent = arg, .next = (struct profile *)next }; /* borrowed here */
	int rc = 0;

	change.moves = moves_compute(change.agent->profile, next);
	if (!is_running(&change))
		rc = check(&change, err);
	moves_free(change.moves);
	return rc;
}

/* ---- SIGHUP --------------------------------------------------------------------------------- */

static int
reload(struct change *change, struct error *err)
{
	struct sources *sources = NULL;
	int rc;

	if (is_running(change)) {
		log_info("profile", "reloaded: it runs already");
		return 0;
	}
	rc = check(change, err);
	if (rc == 0)
		rc = agent_open_sources(change->agent, change->next, &sources, err);
	if (rc == 0)
		take_effect(change, sources, "reload", "");
	return rc;
}

void
agent_reload(struct agent *agent)
{
	struct change change = { .agent = agent };
	struct error err = { "" };
	int rc =
	    profile_load(agent->options.profile_path, agent->options.yang_dir, &change.next, &err);

	if (rc == 0) {
		change.moves = moves_compute(agent->profile, change.next);
		rc = reload(&change, &err);
	}
	note_refusal(agent, rc < 0 ? err.text : NULL);
	if (rc < 0) {
		log_error("profile", "not reloaded, the old one runs on: %s", err.text);
		agent_record(
		    agent, "profile", "", "not reloaded, the old one runs on: %s", err.text);
	}
	end_change(&change);
}
