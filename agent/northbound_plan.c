/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RPC plan, question by question: which profile, who would be healthy, which layout, which
 * lists, which load.
 *
 * A question has a profile of now and one of then, which is the same unless another one or weights
 * were given (northbound_plan_profile.c), and words that change today's health
 * (northbound_plan_health.c). Groups and elements of the two are the same when their ids are.
 *
 * Nothing is kept and nothing is changed. The lists of the commit are made as the agent makes its
 * own (plan_override, plan_make), so the counts are those of the commit if nothing else happens.
 */
#include "northbound_plan.h"

#include <errno.h>
#include <libyang/libyang.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "capacity.h"
#include "moves.h"
#include "nat_cover.h"
#include "nat_load.h"
#include "northbound_layout.h"
#include "northbound_plan_internal.h"
#include "northbound_put.h"

#define put(parent, name, ...) northbound_put(parent, true, name, __VA_ARGS__)

/* A leaf-list has a text once. */
void
northbound_plan_say(const struct question *question, const char *leaf, const char *fmt, ...)
{
	const struct lyd_node *node;
	char text[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	LY_LIST_FOR (lyd_child(question->query->output), node)
		if (strcmp(LYD_NAME(node), leaf) == 0 && strcmp(lyd_get_value(node), text) == 0)
			return;
	northbound_put_text(question->query->output, true, leaf, text);
}

/* What either profile has will do: one leaves, the other comes. */
static int
check_names(const struct question *question, const struct names *names, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < names->count && rc == 0; i++) {
		rc = northbound_check_elements(question->then, &names->names[i], 1, err);
		if (rc < 0 && question->then != question->now &&
		    northbound_check_elements(question->now, &names->names[i], 1, NULL) == 0)
			rc = 0;
	}
	return rc;
}

static const struct profile_group *
find_group(const struct profile *profile, const char *id)
{
	for (size_t g = 0; g < profile->group_count; g++)
		if (strcmp(profile->groups[g].id, id) == 0)
			return &profile->groups[g];
	return NULL;
}

static int
check_group(const struct question *question, const char *name, struct error *err)
{
	char known[400] = "";
	size_t used = 0;

	if (!name || profile_find_group(question->then, name) ||
	    profile_find_group(question->now, name))
		return 0;
	for (size_t g = 0; g < question->then->group_count && used < sizeof(known); g++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
		    used ? ", " : "", question->then->groups[g].id);
	return error_set(err, -ENOENT, "no group \"%.64s\"; there are: %s", name, known);
}

/* ---- layouts -------------------------------------------------------------------------------- */

static int
take_before(const struct question *question, struct outcome *outcome, struct error *err)
{
	const struct northbound_operations *operations = question->query->operations;
	size_t g = outcome->now ? (size_t)(outcome->now - question->now->groups) : 0;

	if (!outcome->now)
		return 0;
	outcome->status = &operations->status(operations->arg)->groups[g];
	if (!outcome->status->family[outcome->family].present)
		return 0;
	return operations->layout(operations->arg, g, outcome->family, NULL, 0, &outcome->before,
	    &outcome->owns_before, err);
}

static void
take_space(const struct question *question, struct outcome *outcome)
{
	if (question->then == question->now) {
		outcome->space = outcome->before ? layout_get_space(outcome->before) : NULL;
		return;
	}
	if (!outcome->then)
		return;
	outcome->own_space = layout_space_new(outcome->then, outcome->family);
	if (layout_space_units(outcome->own_space) > 0)
		outcome->space = outcome->own_space;
}

static void
make_after(const struct question *question, struct outcome *outcome)
{
	if (!outcome->space)
		return;
	northbound_plan_take_health(question, outcome);
	if (outcome->healthy_count > 0)
		outcome->made = layout_compute_split(outcome->space, outcome->healthy);
	outcome->after = outcome->made ? outcome->made : outcome->before;
}

static void
close_outcome(struct outcome *outcome)
{
	whatif_moves_done(&outcome->moves);
	layout_free(outcome->made);
	if (outcome->owns_before)
		layout_free((struct layout *)outcome->before);
	layout_space_free(outcome->own_space);
	free(outcome->members);
	free(outcome->healthy);
}

/* ---- the commit ----------------------------------------------------------------------------- */

/* Lists of elements that then has no more are emptied. */
static void
want_no_more(const struct outcome *outcome, struct listset *want)
{
	for (size_t e = 0; outcome->now && e < outcome->now->element_count; e++) {
		const struct profile_element_family *lists =
		    &outcome->now->elements[e].family[outcome->family];

		if (lists->present)
			listset_list(want, lists->override_list);
	}
}

static size_t
count_entries(const struct outcome *outcome, const struct listset *want, const char *id)
{
	const struct profile_group *group = layout_space_group(layout_get_space(outcome->after));
	const struct prefix_list *list = NULL;

	for (size_t e = 0; e < group->element_count; e++)
		if (strcmp(group->elements[e].id, id) == 0 &&
		    group->elements[e].family[outcome->family].present)
			list = listset_find(
			    want, group->elements[e].family[outcome->family].override_list);
	return list ? list->count : 0;
}

static void
put_commit(const struct question *question, const struct outcome *outcome, struct lyd_node *family,
    struct listset *want)
{
	size_t entries = 0;
	struct plan plan;

	if (outcome->after)
		plan_override(outcome->after, question->static_lists, want);
	want_no_more(outcome, want);
	listset_sort(want);
	for (size_t i = 0; i < want->count; i++)
		entries += want->lists[i].count;
	plan_make(question->have, want, &plan);
	put(family, "entries", "%zu", entries);
	put(family, "adds", "%zu", plan.adds);
	put(family, "removes", "%zu", plan.removes);
	plan_done(&plan);
}

/* ---- translation ---------------------------------------------------------------------------- */

static void
put_gap(const struct question *question, const struct outcome *outcome,
    const struct profile_element *element, const struct nat_gap *gap, struct lyd_node *family)
{
	struct lyd_node *entry =
	    northbound_output_entry(family, "untranslated-by", element->id, NULL);
	char first[PREFIX_TEXT_SIZE];

	prefix_format(&gap->first, first);
	if (entry) {
		put(entry, "units", "%zu", gap->uncovered_units);
		put(entry, "first", "%s", first);
	}
	plan_warn(question,
	    "%zu units of %s %s would not be translated by %s (first %s): they are not in its "
	    "deterministic rules, and it has no other pool; autofbf nat plan shows what is missing",
	    gap->uncovered_units, outcome->then->id, family_names[outcome->family], element->id,
	    first);
}

static void
put_translation(
    const struct question *question, const struct outcome *outcome, struct lyd_node *family)
{
	const struct profile_group *group;
	struct nat_gap *gaps;

	if (!outcome->before || !outcome->after)
		return;
	group = layout_space_group(layout_get_space(outcome->after));
	if (group->return_path[outcome->family] != RETURN_NAT_ROUTES)
		return;
	gaps = xcalloc(group->element_count, sizeof(*gaps));
	put(family, "untranslated", "%zu", nat_cover_moved(outcome->before, outcome->after, gaps));
	for (size_t e = 0; e < group->element_count; e++)
		if (gaps[e].uncovered_units > 0)
			put_gap(question, outcome, &group->elements[e], &gaps[e], family);
	free(gaps);
}

static double
find_needed(const struct layout *before, const double *needed, const char *id)
{
	const struct profile_group *group =
	    before ? layout_space_group(layout_get_space(before)) : NULL;
	size_t e = group ? profile_element_index(group, id) : SIZE_MAX;

	return e == SIZE_MAX ? 0 : needed[e];
}

static void
put_blocks(const struct question *question, const struct outcome *outcome,
    const struct profile_element *element, double blocks, double before, double after,
    struct lyd_node *family)
{
	struct lyd_node *entry = northbound_output_entry(family, "port-blocks", element->id, NULL);

	if (entry) {
		put(entry, "available", "%.0f", blocks);
		put(entry, "before", "%.0f", before);
		put(entry, "after", "%.0f", after);
	}
	if (after > before && after * 100 > blocks * NAT_BLOCKS_FULL_PERCENT)
		plan_warn(question, "%s would need %.0f of %.0f port blocks in %s: %.0f %%",
		    element->id, after, blocks, family_names[outcome->family],
		    100 * after / blocks);
}

/* Under another profile a host may take another number of blocks. */
static void
put_all_blocks(
    const struct question *question, const struct outcome *outcome, struct lyd_node *family)
{
	double before[PROFILE_MAX_ELEMENTS], after[PROFILE_MAX_ELEMENTS];

	if (!outcome->then || !outcome->after || !nat_load_is_told(outcome->then, outcome->family))
		return;
	nat_load_needed(outcome->after, after);
	if (outcome->before)
		nat_load_needed(outcome->before, before);
	for (size_t e = 0; e < outcome->then->element_count; e++) {
		const struct profile_element *element = &outcome->then->elements[e];
		double blocks = nat_load_blocks(outcome->then, e, outcome->family);

		if (blocks > 0)
			put_blocks(question, outcome, element, blocks,
			    find_needed(outcome->before, before, element->id),
			    find_needed(outcome->after, after, element->id), family);
	}
}

/* ---- the answer ----------------------------------------------------------------------------- */

static const struct moves_family *
find_moves(const struct question *question, const char *group, enum family family)
{
	for (size_t i = 0; question->moves && i < question->moves->count; i++)
		if (strcmp(question->moves->families[i].group, group) == 0 &&
		    question->moves->families[i].family == family)
			return &question->moves->families[i];
	return NULL;
}

static void
put_element(const struct question *question, const struct outcome *outcome,
    const struct listset *want, const struct whatif_element *element, struct lyd_node *family)
{
	struct lyd_node *entry = northbound_output_entry(family, "element", element->id, NULL);

	if (!entry)
		return;
	northbound_put_text(entry, true, "name", element->name);
	northbound_put_share(entry, true, "before", element->before);
	northbound_put_share(entry, true, "after", element->after);
	northbound_put_share(entry, true, "gains", element->gains);
	northbound_put_share(entry, true, "losses", element->losses);
	if (question->have && outcome->after)
		put(entry, "entries", "%zu", count_entries(outcome, want, element->id));
}

/* Tombstones that own nothing and never did are of no interest. */
static bool
is_worth_a_line(const struct outcome *outcome, const struct whatif_element *element)
{
	if (element->before > 0 || element->after > 0)
		return true;
	for (size_t e = 0; outcome->then && e < outcome->then->element_count; e++)
		if (strcmp(outcome->then->elements[e].id, element->id) == 0)
			return !outcome->then->elements[e].removed;
	return false;
}

static void
put_outcome(const struct question *question, const struct outcome *outcome)
{
	const struct profile_group *group = outcome->then ? outcome->then : outcome->now;
	const struct moves_family *base = find_moves(question, group->id, outcome->family);
	struct lyd_node *entry = northbound_output_entry(
	    question->query->output, "family", group->id, family_names[outcome->family]);
	struct listset want = { 0 };

	if (!entry)
		return;
	put(entry, "units", "%zu", outcome->moves.units);
	put(entry, "moved", "%zu", outcome->moves.moved);
	if (base)
		put(entry, "minimum", "%.0f", ceil(base->minimum));
	if (outcome->moves.fresh > 0)
		northbound_put_share(entry, true, "fresh", outcome->moves.fresh);
	if (outcome->moves.ended > 0)
		northbound_put_share(entry, true, "ended", outcome->moves.ended);
	put(entry, "frozen", "%s",
	    outcome->status && outcome->status->family[outcome->family].freeze != FREEZE_NOT
	        ? "true"
	        : "false");
	put(entry, "healthy", "%zu", outcome->healthy_count);
	if (question->have)
		put_commit(question, outcome, entry, &want);
	put(entry, "return-path", "%s", return_path_names[group->return_path[outcome->family]]);
	put_translation(question, outcome, entry);
	put_all_blocks(question, outcome, entry);
	for (size_t e = 0; e < outcome->moves.element_count; e++)
		if (is_worth_a_line(outcome, &outcome->moves.elements[e]))
			put_element(question, outcome, &want, &outcome->moves.elements[e], entry);
	listset_done(&want);
}

static int
answer_family(const struct question *question, struct outcome *outcome, struct error *err)
{
	int rc = take_before(question, outcome, err);

	if (rc < 0)
		return rc;
	take_space(question, outcome);
	make_after(question, outcome);
	if (!outcome->before && !outcome->after)
		return 0;
	whatif_compare(outcome->before, outcome->after, &outcome->moves);
	put_outcome(question, outcome);
	return 0;
}

/* ---- loads ---------------------------------------------------------------------------------- */

static double
sum_units(const struct outcome outcomes[FAMILY_COUNT], const char *id, bool is_after)
{
	double units = 0;

	for (enum family f = 0; f < FAMILY_COUNT; f++)
		for (size_t e = 0; e < outcomes[f].moves.element_count; e++) {
			const struct whatif_element *element = &outcomes[f].moves.elements[e];

			if (strcmp(element->id, id) == 0)
				units += is_after ? element->after : element->before;
		}
	return units;
}

static void
put_load(const struct question *question, const struct outcome outcomes[FAMILY_COUNT], size_t e)
{
	const struct profile_group *now = outcomes[0].now, *then = outcomes[0].then;
	const struct profile_element *element = &then->elements[e];
	double capacity = capacity_of(element);
	double after = capacity_load_of(then, sum_units(outcomes, element->id, true));
	double before = capacity_load_of(now ? now : then, sum_units(outcomes, element->id, false));
	struct lyd_node *entry;

	if (capacity <= 0)
		return;
	entry = northbound_output_entry(question->query->output, "load", then->id, element->id);
	if (!entry)
		return;
	northbound_put_text(entry, true, "label", then->capacity_label);
	put(entry, "capacity", "%.3f", capacity);
	put(entry, "before", "%.3f", before);
	put(entry, "after", "%.3f", after);
	if (after > capacity)
		plan_warn(question, "%s would carry %.1f of %.1f %s: %.0f %% of its capacity",
		    element->id, after, capacity, then->capacity_label, 100 * after / capacity);
}

static int
answer_group(const struct question *question, const char *id, struct error *err)
{
	struct outcome outcomes[FAMILY_COUNT] = { 0 };
	const struct profile_group *then = find_group(question->then, id);
	int rc = 0;

	for (enum family f = 0; f < FAMILY_COUNT && rc == 0; f++) {
		outcomes[f].now = find_group(question->now, id);
		outcomes[f].then = then;
		outcomes[f].family = f;
		rc = answer_family(question, &outcomes[f], err);
	}
	for (size_t e = 0; rc == 0 && then && e < then->element_count; e++)
		put_load(question, outcomes, e);
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		close_outcome(&outcomes[f]);
	return rc;
}

/* ---- the question --------------------------------------------------------------------------- */

static bool
is_asked(const struct profile_group *group, const char *name)
{
	return !name || strcmp(group->id, name) == 0 || strcmp(group->name, name) == 0;
}

/* What the agent would say to this profile. */
static void
warn_refusal(const struct question *question)
{
	const struct northbound_operations *operations = question->query->operations;
	struct error err = { "" };

	if (question->other &&
	    operations->check_profile(operations->arg, question->other, &err) < 0)
		plan_warn(question, "profile apply is %s", err.text);
}

static int
answer(const struct question *question, const char *name, struct error *err)
{
	const struct profile *now = question->now, *then = question->then;
	int rc = 0;

	for (size_t g = 0; g < then->group_count && rc == 0; g++)
		if (is_asked(&then->groups[g], name))
			rc = answer_group(question, then->groups[g].id, err);
	for (size_t g = 0; g < now->group_count && rc == 0; g++)
		if (!find_group(then, now->groups[g].id) && is_asked(&now->groups[g], name))
			rc = answer_group(question, now->groups[g].id, err);
	if (rc == 0)
		warn_refusal(question);
	return rc;
}

static void
read_lists(struct question *question)
{
	const struct northbound_operations *operations = question->query->operations;

	if (!operations->lists(operations->arg, &question->static_lists, &question->have))
		question->have = NULL;
}

int
northbound_query_plan(struct northbound_query *query, struct error *err)
{
	const char *group = northbound_input_text(query->input, "group");
	struct question question = { .query = query };
	struct names *const lists[] = { &question.down, &question.up, &question.offline,
		&question.online };
	static const char *const leaves[] = { "down", "up", "offline", "online" };
	int rc;

	question.now = question.then = query->operations->profile(query->operations->arg);
	rc = northbound_plan_take_profile(&question, err);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && rc == 0; i++) {
		lists[i]->names = northbound_input_texts(query->input, leaves[i], &lists[i]->count);
		rc = check_names(&question, lists[i], err);
	}
	if (rc == 0)
		rc = check_group(&question, group, err);
	if (rc == 0) {
		read_lists(&question);
		rc = answer(&question, group, err);
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		free(lists[i]->names);
	moves_free(question.moves);
	profile_free(question.other);
	return rc;
}
