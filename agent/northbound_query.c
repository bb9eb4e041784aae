/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Answers that are worked out from layouts, lists and history, and change nothing.
 *
 * where: the units (or pieces of split ones) an address or prefix touches, with the owner by layout
 * and the owner by the router's lists, because after a failure these differ and that is what is
 * being asked. why: one of them, with the decisions that made it so (northbound_why.c).
 * preview: two layouts and the units that differ. The healthy set is today's, with the named
 * elements taken out, or put back where their own health allows it; so it says what will happen,
 * not what might. diff: edits, written as text since there may be very many.
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
is_leaf(const struct lyd_node *node, const char *name)
{
	return node->schema && strcmp(node->schema->name, name) == 0;
}

const char *
northbound_input_text(const struct lyd_node *input, const char *name)
{
	const struct lyd_node *node;

	LY_LIST_FOR (lyd_child(input), node)
		if (is_leaf(node, name))
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
		if (!is_leaf(node, name))
			continue;
		texts = xreallocarray(texts, count + 1, sizeof(*texts));
		texts[count++] = lyd_get_value(node);
	}
	*ret_count = count;
	return texts;
}

#define put(parent, name, ...) northbound_put(parent, true, name, __VA_ARGS__)

static struct lyd_node *
add_entry(struct lyd_node *parent, const char *list, const char *key1, const char *key2)
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

	match = add_entry(where->query->output, "match", layout_space_group(space)->id,
	    prefix_format(&piece.prefix, text));
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
northbound_query_where(struct northbound_query *query, struct error *err)
{
	const struct profile *profile = query->operations->profile(query->operations->arg);
	struct where where = { .query = query };
	int rc = read_target(query, &where.target, err);

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
	node = add_entry(match, "decision", id, NULL);
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
	struct lyd_node *match =
	    add_entry(where->query->output, "match", layout_space_group(space)->id, NULL);

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

/* ---- preview ------------------------------------------------------------------------------- */

struct preview {
	struct northbound_query *query;
	const char **offline, **online; /* owned arrays */
	size_t offline_count, online_count;
};

static bool
has_name(const char **names, size_t count, const struct status_element *element)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], element->id) == 0 || strcmp(names[i], element->name) == 0)
			return true;
	return false;
}

static size_t
make_healthy_set(const struct preview *preview, const struct status_group *group,
    enum family family, bool *ret_healthy)
{
	size_t count = 0;

	for (size_t e = 0; e < group->element_count; e++) {
		const struct status_element *element = &group->elements[e];
		const struct status_element_family *own = &element->family[family];
		bool comes_back = has_name(preview->online, preview->online_count, element) &&
		                  (own->state == HEALTH_UP || own->awaits_operator);

		ret_healthy[e] = own->present && !element->removed &&
		                 (own->healthy || comes_back) &&
		                 !has_name(preview->offline, preview->offline_count, element);
		count += ret_healthy[e];
	}
	return count;
}

struct moves {
	double before, after, gains, losses; /* units */
};

/* Both layouts are of one space, so their pieces are units or nested in one another. Returns the
 * units some part of which moves. */
static size_t
count_moves(const struct layout *have, const struct layout *want, struct moves *moves)
{
	const struct layout_space *space = layout_get_space(have);
	size_t h = 0, w = 0, moved = 0, last_moved = SIZE_MAX;

	while (h < layout_pieces(have)) {
		struct layout_piece from = layout_piece(have, h), to = layout_piece(want, w);
		bool is_finer = to.prefix.length > from.prefix.length;
		struct prefix part = is_finer ? to.prefix : from.prefix;
		struct ip end = prefix_last(&part), from_end = prefix_last(&from.prefix);
		struct ip to_end = prefix_last(&to.prefix);
		double share =
		    1.0 / (1 << (part.length - layout_space_unit(space, from.unit).length));

		moves[from.owner].before += share;
		moves[to.owner].after += share;
		if (from.owner != to.owner) {
			moves[from.owner].losses += share;
			moves[to.owner].gains += share;
			moved += last_moved != from.unit;
			last_moved = from.unit;
		}
		h += ip_compare(&end, &from_end) == 0;
		w += ip_compare(&end, &to_end) == 0;
	}
	return moved;
}

static void
put_moves(struct lyd_node *family, const struct status_element *element, const struct moves *moves)
{
	struct lyd_node *entry = add_entry(family, "element", element->id, NULL);

	if (!entry)
		return;
	northbound_put_text(entry, true, "name", element->name);
	put(entry, "before", "%.13g", moves->before);
	put(entry, "after", "%.13g", moves->after);
	put(entry, "gains", "%.13g", moves->gains);
	put(entry, "losses", "%.13g", moves->losses);
}

static void
put_preview(const struct preview *preview, const struct status_group *group, enum family family,
    const struct layout *have)
{
	const struct layout_space *space = layout_get_space(have);
	struct lyd_node *entry =
	    add_entry(preview->query->output, "family", group->id, family_names[family]);
	bool *healthy = xcalloc(group->element_count, sizeof(*healthy));
	struct moves *moves = xcalloc(LAYOUT_NONE + 1, sizeof(*moves));
	size_t count = make_healthy_set(preview, group, family, healthy);
	struct layout *want = count > 0 ? layout_compute_split(space, healthy) : NULL;
	size_t moved = count_moves(have, want ? want : have, moves);

	if (entry) {
		put(entry, "units", "%zu", layout_space_units(space));
		put(entry, "moved", "%zu", moved);
		put(entry, "frozen", "%s",
		    group->family[family].freeze != FREEZE_NOT ? "true" : "false");
		put(entry, "healthy", "%zu", count);
		for (size_t e = 0; e < group->element_count; e++)
			if (group->elements[e].family[family].present)
				put_moves(entry, &group->elements[e], &moves[e]);
	}
	layout_free(want);
	free(moves);
	free(healthy);
}

static int
preview_family(const struct preview *preview, size_t group, enum family family, struct error *err)
{
	const struct northbound_operations *operations = preview->query->operations;
	const struct status *status = operations->status(operations->arg);
	const struct layout *have = NULL;
	bool is_owned = false;
	int rc;

	if (!status->groups[group].family[family].present)
		return 0;
	rc = operations->layout(operations->arg, group, family, NULL, 0, &have, &is_owned, err);
	if (rc < 0 || !have)
		return rc;
	put_preview(preview, &status->groups[group], family, have);
	if (is_owned)
		layout_free((struct layout *)have);
	return 0;
}

int
northbound_query_preview(struct northbound_query *query, struct error *err)
{
	const struct profile *profile = query->operations->profile(query->operations->arg);
	struct preview preview = { .query = query };
	int rc;

	preview.offline = northbound_input_texts(query->input, "offline", &preview.offline_count);
	preview.online = northbound_input_texts(query->input, "online", &preview.online_count);
	rc = northbound_check_elements(profile, preview.offline, preview.offline_count, err);
	if (rc == 0)
		rc = northbound_check_elements(profile, preview.online, preview.online_count, err);
	for (size_t g = 0; g < profile->group_count; g++)
		for (int f = 0; f < FAMILY_COUNT && rc == 0; f++)
			rc = preview_family(&preview, g, f, err);
	free(preview.offline);
	free(preview.online);
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
