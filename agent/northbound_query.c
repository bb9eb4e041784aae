/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Answers that are worked out from layouts, lists and history, and change nothing.
 *
 * where: the units an address or prefix touches, with the owner by layout and the owner by the
 * router's lists, because after a failure these differ and that is what is being asked.
 * preview: two layouts and the units that differ. The healthy set is today's, with the named
 * elements taken out, or put back where their own health allows it; so it says what will happen,
 * not what might. events: records. diff: edits, written as text since there may be very many.
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
#include "northbound_state.h"

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

#define put(parent, name, ...) northbound_state_put(parent, true, name, __VA_ARGS__)

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
	const struct layout *layout;
	const uint8_t *effective; /* NULL: not read */
	uint8_t *standby;         /* NULL: none */
};

/* The caller frees it; NULL: this layout has none. */
static uint8_t *
make_standbys(const struct layout *layout)
{
	size_t units = layout_space_units(layout_get_space(layout));
	uint8_t *standby;

	if (layout_pieces(layout) != units)
		return NULL;
	standby = xcalloc(units, 1);
	layout_standby(layout, standby);
	return standby;
}

static void
put_match(struct where *where, size_t unit)
{
	const struct layout_space *space = layout_get_space(where->layout);
	const struct profile_group *group = layout_space_group(space);
	struct prefix prefix = layout_space_unit(space, unit);
	char text[PREFIX_TEXT_SIZE];
	struct lyd_node *match;

	match = add_entry(where->query->output, "match", group->id, prefix_format(&prefix, text));
	if (!match)
		return;
	put(match, "family", "%s", family_names[layout_space_family(space)]);
	put_owner(match, "element", group, layout_unit_owner(where->layout, unit));
	put_owner(match, "base-element", group, layout_space_base(space, unit));
	if (where->standby)
		put_owner(match, "standby", group, where->standby[unit]);
	if (where->effective)
		put_owner(match, "effective-element", group, where->effective[unit]);
	put(match, "lists-known", "%s", where->effective ? "true" : "false");
	where->matches++;
}

static void
search_units(struct where *where)
{
	const struct layout_space *space = layout_get_space(where->layout);
	size_t units = layout_space_units(space);
	size_t first = layout_space_find(space, &where->target.address);

	for (size_t u = first < units ? first : 0; u < units; u++) {
		struct prefix unit = layout_space_unit(space, u);

		if (prefix_overlaps(&unit, &where->target)) {
			if (where->matches < WHERE_MOST)
				put_match(where, u);
			else
				where->more++;
		} else if (first < units) {
			break; /* units are in order, these were all */
		}
	}
}

static int
search_family(struct where *where, size_t group, struct error *err)
{
	const struct northbound_operations *operations = where->query->operations;
	enum family family = where->target.address.family;
	bool is_owned = false;
	int rc;

	where->layout = NULL;
	rc = operations->layout(
	    operations->arg, group, family, NULL, 0, &where->layout, &is_owned, err);
	if (rc < 0 || !where->layout)
		return rc;
	where->effective = operations->effective(operations->arg, group, family);
	where->standby = make_standbys(where->layout);
	search_units(where);
	free(where->standby);
	if (is_owned)
		layout_free((struct layout *)where->layout);
	return 0;
}

int
northbound_query_where(struct northbound_query *query, struct error *err)
{
	const struct status *status = query->operations->status(query->operations->arg);
	const char *text = northbound_input_text(query->input, "target");
	struct where where = { .query = query };
	int rc = prefix_parse(text, &where.target);

	if (rc < 0) {
		query->app_tag = "bad-target";
		return error_set(err, rc, "\"%.64s\" is not an address or prefix%s", text,
		    rc == -EDOM ? ": it has bits behind its length" : "");
	}
	for (size_t g = 0; g < status->group_count && rc == 0; g++)
		if (status->groups[g].family[where.target.address.family].present)
			rc = search_family(&where, g, err);
	if (where.more > 0)
		put(query->output, "more", "%zu", where.more);
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
		                  own->state == HEALTH_UP;

		ret_healthy[e] = own->present && !element->removed &&
		                 (own->healthy || comes_back) &&
		                 !has_name(preview->offline, preview->offline_count, element);
		count += ret_healthy[e];
	}
	return count;
}

struct moves {
	uint32_t before, after, gains, losses;
};

static uint32_t
count_moves(const struct layout *have, const struct layout *want, struct moves *moves)
{
	size_t units = layout_space_units(layout_get_space(have));
	uint32_t moved = 0;

	for (size_t u = 0; u < units; u++) {
		uint8_t from = layout_unit_owner(have, u), to = layout_unit_owner(want, u);

		moves[from].before++;
		moves[to].after++;
		if (from == to)
			continue;
		moves[from].losses++;
		moves[to].gains++;
		moved++;
	}
	return moved;
}

static void
put_moves(struct lyd_node *family, const struct status_element *element, const struct moves *moves)
{
	struct lyd_node *entry = add_entry(family, "element", element->id, NULL);

	if (!entry)
		return;
	northbound_state_put_text(entry, true, "name", element->name);
	put(entry, "before", "%u", moves->before);
	put(entry, "after", "%u", moves->after);
	put(entry, "gains", "%u", moves->gains);
	put(entry, "losses", "%u", moves->losses);
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
	struct layout *want = count > 0 ? layout_compute(space, healthy, 0) : NULL;
	uint32_t moved = count_moves(have, want ? want : have, moves);

	if (entry) {
		put(entry, "units", "%zu", layout_space_units(space));
		put(entry, "moved", "%u", moved);
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

/* ---- events, diff -------------------------------------------------------------------------- */

int
northbound_query_events(struct northbound_query *query, struct error *err)
{
	const struct history *history = query->operations->history(query->operations->arg);
	uint64_t after = strtoull(northbound_input_text(query->input, "after"), NULL, 10);
	size_t last = strtoul(northbound_input_text(query->input, "last"), NULL, 10);
	size_t count = history_count(history);

	for (size_t i = count > last ? count - last : 0; i < count; i++) {
		const struct history_record *record = history_get(history, i);
		char id[24];
		struct lyd_node *entry;

		if (record->id <= after)
			continue;
		snprintf(id, sizeof(id), "%ju", (uintmax_t)record->id);
		entry = add_entry(query->output, "event", id, NULL);
		if (entry)
			northbound_state_put_record(entry, record, true);
	}
	return 0;
}

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
