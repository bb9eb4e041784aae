/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Answers that are worked out from layouts, lists and history, and change nothing.
 *
 * where: the units (or pieces of split ones) an address or prefix touches, with the owner by layout
 * and the owner by the router's lists, because after a failure these differ and that is what is
 * being asked. why: one of them, with the decisions that made it so (northbound_why.c).
 * diff: edits, written as text since there may be very many. plan is northbound_plan.c.
 *
 * Layouts and plans are borrowed from the agent and not kept.
 */
#include "northbound_query.h"

#include <errno.h>
#include <event2/buffer.h>
#include <libyang/libyang.h>
#include <stdlib.h>
#include <string.h>

#include "northbound_envelope.h"
#include "northbound_layout.h"
#include "northbound_put.h"
#include "northbound_why.h"

enum { WHERE_MOST = 1024 };

static bool
is_named(const struct lyd_node *node, const char *name)
{
	return node->schema && strcmp(node->schema->name, name) == 0;
}

const char *
northbound_input_text(const struct lyd_node *input, const char *name)
{
	const struct lyd_node *node;

	LY_LIST_FOR (lyd_child(input), node)
		if (is_named(node, name))
			return lyd_get_value(node);
	return NULL;
}

const char **
northbound_input_texts(const struct lyd_node *input, const char *name, size_t *ret_count)
{
	const char **texts = NULL;
	const struct lyd_node *node;
	size_t count = 0;

	LY_LIST_FOR (lyd_child(input), node) {
		if (!is_named(node, name))
			continue;
		texts = xreallocarray(texts, count + 1, sizeof(*texts));
		texts[count++] = lyd_get_value(node);
	}
	*ret_count = count;
	return texts;
}

const struct lyd_node *
northbound_input_entry(
    const struct lyd_node *input, const char *name, const struct lyd_node *previous)
{
	const struct lyd_node *node = previous ? previous->next : lyd_child(input);

	while (node && !is_named(node, name))
		node = node->next;
	return node;
}

#define put(parent, name, ...) northbound_put(parent, true, name, __VA_ARGS__)

struct lyd_node *
northbound_output_entry(
    struct lyd_node *parent, const char *list, const char *key1, const char *key2)
{
	struct lyd_node *node = NULL;

	if (lyd_new_list(parent, NULL, list, true, &node, key1, key2) != LY_SUCCESS)
		return NULL;
	return node;
}

static void
put_owner(
    struct lyd_node *parent, const char *name, const struct profile_group *group, uint8_t owner)
{
	if (owner < group->element_count)
		put(parent, name, "%s", group->elements[owner].id);
}

/* ---- where --------------------------------------------------------------------------------- */

struct where {
	struct northbound_query *query;
	struct prefix target;
	size_t matches, more;
	/* of the family being searched */
	size_t group;
	const struct layout *layout;
	bool is_owned;            /* the layout is ours to free */
	const uint8_t *effective; /* NULL: not read */
	uint8_t *standby;         /* owned */
};

static void
close_family(struct where *where)
{
	free(where->standby);
	if (where->is_owned)
		layout_free((struct layout *)where->layout);
	where->standby = NULL;
	where->layout = NULL;
}

/* 0 with where->layout NULL: there is nothing of this family. */
static int
open_family(struct where *where, size_t group, struct error *err)
{
	const struct northbound_operations *operations = where->query->operations;
	const struct status *status = operations->status(operations->arg);
	enum family family = where->target.address.family;
	int rc;

	where->group = group;
	where->layout = NULL;
	where->is_owned = false;
	if (!status->groups[group].family[family].present)
		return 0;
	rc = operations->layout(
	    operations->arg, group, family, NULL, 0, &where->layout, &where->is_owned, err);
	if (rc < 0 || !where->layout)
		return rc;
	where->effective = operations->effective(operations->arg, group, family);
	where->standby = xcalloc(layout_pieces(where->layout), 1);
	layout_standby_split(where->layout, where->standby, NULL);
	return 0;
}

static uint8_t
get_effective(const struct where *where, const struct layout_piece *piece)
{
	const struct northbound_operations *operations = where->query->operations;

	if (!where->effective)
		return LAYOUT_NONE;
	if (!operations->effective_at)
		return where->effective[piece->unit];
	return operations->effective_at(
	    operations->arg, where->group, piece->prefix.address.family, &piece->prefix.address);
}

/* What where and why have in common. */
static void
put_owners(const struct where *where, struct lyd_node *match, size_t index)
{
	const struct layout_space *space = layout_get_space(where->layout);
	const struct profile_group *group = layout_space_group(space);
	struct layout_piece piece = layout_piece(where->layout, index);

	put(match, "family", "%s", family_names[layout_space_family(space)]);
	put_owner(match, "element", group, piece.owner);
	put_owner(match, "base-element", group, layout_space_base(space, piece.unit));
	put_owner(match, "standby", group, where->standby[index]);
	put_owner(match, "effective-element", group, get_effective(where, &piece));
	put(match, "lists-known", "%s", where->effective ? "true" : "false");
}

static void
put_match(struct where *where, size_t index)
{
	const struct layout_space *space = layout_get_space(where->layout);
	struct layout_piece piece = layout_piece(where->layout, index);
	struct prefix unit = layout_space_unit(space, piece.unit);
	char text[PREFIX_TEXT_SIZE];
	struct lyd_node *match;

	match = northbound_output_entry(where->query->output, "match",
	    layout_space_group(space)->id, prefix_format(&piece.prefix, text));
	if (!match)
		return;
	if (prefix_compare(&unit, &piece.prefix) != 0)
		put(match, "unit", "%s", prefix_format(&unit, text));
	put_owners(where, match, index);
	where->matches++;
}

static void
search_pieces(struct where *where)
{
	size_t pieces = layout_pieces(where->layout);

	for (size_t i = northbound_why_find(where->layout, &where->target.address); i < pieces;
	     i++) {
		struct prefix piece = layout_piece(where->layout, i).prefix;

		if (!prefix_overlaps(&piece, &where->target))
			break; /* pieces are in order, these were all */
		if (where->matches < WHERE_MOST)
			put_match(where, i);
		else
			where->more++;
	}
}

int
northbound_query_where(
    struct northbound_query *query, const struct prefix *target, struct error *err)
{
	const struct profile *profile = query->operations->profile(query->operations->arg);
	struct where where = { .query = query, .target = *target };
	int rc = 0;

	for (size_t g = 0; g < profile->group_count && rc == 0; g++) {
		rc = open_family(&where, g, err);
		if (rc == 0 && where.layout)
			search_pieces(&where);
		close_family(&where);
	}
	if (where.more > 0)
		put(query->output, "more", "%zu", where.more);
	return rc;
}

/* ---- why ----------------------------------------------------------------------------------- */

static void
put_step(struct lyd_node *match, const struct profile_group *group, const struct why_step *step)
{
	struct lyd_node *node;
	char id[24];

	snprintf(id, sizeof(id), "%ju", (uintmax_t)step->decision->id);
	node = northbound_output_entry(match, "decision", id, NULL);
	if (!node)
		return;
	northbound_put_time(node, true, "time", step->decision->when_us);
	northbound_put_text(node, true, "cause", step->decision->cause);
	northbound_put_text(node, true, "who", step->decision->who);
	put_owner(node, "from", group, step->from);
	put_owner(node, "to", group, step->to);
	if (!step->commit)
		return;
	put(node, "commit", "%ju", (uintmax_t)step->commit->id);
	northbound_put_time(node, true, "committed", step->commit->committed_us);
}

static void
put_story(const struct where *where, struct lyd_node *match)
{
	const struct northbound_operations *operations = where->query->operations;
	const struct layout_space *space = layout_get_space(where->layout);
	struct why_story story;

	northbound_why_tell(
	    space, operations->history(operations->arg), &where->target.address, &story);
	northbound_put_text(match, true, "untold", story.untold);
	for (size_t i = 0; i < story.count; i++)
		put_step(match, layout_space_group(space), &story.steps[i]);
	northbound_why_done(&story);
}

static void
put_why(const struct where *where, size_t index)
{
	const struct northbound_operations *operations = where->query->operations;
	const struct status *status = operations->status(operations->arg);
	const struct layout_space *space = layout_get_space(where->layout);
	struct layout_piece piece = layout_piece(where->layout, index);
	struct prefix unit = layout_space_unit(space, piece.unit);
	enum freeze freeze = status->groups[where->group].family[layout_space_family(space)].freeze;
	char text[PREFIX_TEXT_SIZE];
	struct lyd_node *match = northbound_output_entry(
	    where->query->output, "match", layout_space_group(space)->id, NULL);

	if (!match)
		return;
	put(match, "unit", "%s", prefix_format(&unit, text));
	if (prefix_compare(&unit, &piece.prefix) != 0)
		put(match, "piece", "%s", prefix_format(&piece.prefix, text));
	put_owners(where, match, index);
	put(match, "freeze", "%s", freeze_names[freeze]);
	put_story(where, match);
}

/* The target is inside one unit of the family, or outside all of them. */
static int
explain_target(struct where *where, struct error *err)
{
	const struct layout_space *space = layout_get_space(where->layout);
	size_t at = northbound_why_find(where->layout, &where->target.address);
	struct prefix unit;
	char text[PREFIX_TEXT_SIZE];

	if (at == layout_pieces(where->layout))
		return 0;
	unit = layout_space_unit(space, layout_piece(where->layout, at).unit);
	if (prefix_contains(&unit, &where->target)) {
		put_why(where, at);
		return 0;
	}
	if (!prefix_overlaps(&unit, &where->target))
		return 0;
	where->query->app_tag = "bad-target";
	prefix_format(&where->target, text);
	return error_set(err, -EINVAL,
	    "%s is more than one unit of group %s: ask for an address, or for one of those that "
	    "`autofbf where %s` lists",
	    text, layout_space_group(space)->id, text);
}

static int
read_target(struct northbound_query *query, struct prefix *ret_target, struct error *err)
{
	const char *text = northbound_input_text(query->input, "target");
	int rc = prefix_parse(text, ret_target);

	if (rc == 0)
		return 0;
	query->app_tag = "bad-target";
	return error_set(err, rc, "\"%.64s\" is not an address or prefix%s", text,
	    rc == -EDOM ? ": it has bits behind its length" : "");
}

int
northbound_query_why(struct northbound_query *query, struct error *err)
{
	const struct profile *profile = query->operations->profile(query->operations->arg);
	struct where where = { .query = query };
	int rc = read_target(query, &where.target, err);

	for (size_t g = 0; g < profile->group_count && rc == 0; g++) {
		rc = open_family(&where, g, err);
		if (rc == 0 && where.layout)
			rc = explain_target(&where, err);
		close_family(&where);
	}
	return rc;
}

/* ---- diff ---------------------------------------------------------------------------------- */

int
northbound_query_diff(struct northbound_query *query, struct error *err)
{
	struct plan plan;
	int rc = query->operations->diff(query->operations->arg, &plan, err);

	if (rc < 0) {
		query->app_tag = "not-ready";
		return rc;
	}
	evbuffer_add_printf(query->text,
	    "<adds xmlns=\"" AUTOFBF_NS "\">%zu</adds><removes xmlns=\"" AUTOFBF_NS
	    "\">%zu</removes>",
	    plan.adds, plan.removes);
	for (size_t i = 0; i < plan.count; i++) {
		char prefix[PREFIX_TEXT_SIZE];

		evbuffer_add_printf(query->text,
		    "<edit xmlns=\"" AUTOFBF_NS "\"><list>%s</list><prefix>%s</prefix>"
		    "<action>%s</action></edit>",
		    plan.edits[i].list, prefix_format(&plan.edits[i].item, prefix),
		    plan.edits[i].remove ? "remove" : "add");
	}
	plan_done(&plan);
	return 0;
}
