/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `autofbf layout --profile FILE`: the layout of a file, with any elements taken as down, on any
 * machine. It is the same code that the agent runs, so what it prints is what the router would get.
 *
 * JSON is written out unit by unit. A million units as a tree of json-c objects would cost some
 * hundred megabytes; only the texts that need escaping go through json-c, once each.
 */
#include "layout_json.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

/* A JSON string with its quotes. Owned by the caller. */
static char *
quote(const char *text)
{
	struct json_object *value = json_object_new_string(text);
	char *quoted = xstrdup(json_object_to_json_string_ext(
	    value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));

	json_object_put(value);
	return quoted;
}

static void
print_pair(FILE *out, const char *name, const char *text)
{
	char *quoted = quote(text);

	fprintf(out, "\"%s\":%s", name, quoted);
	free(quoted);
}

static void
print_elements(const struct layout_view *view, FILE *out)
{
	const struct layout_space *space = layout_get_space(view->layout);
	const char *separator = "";

	fputs("\"elements\":[", out);
	for (size_t e = 0; e < view->group->element_count; e++) {
		if (!layout_space_has(space, e))
			continue;
		fprintf(out, "%s{", separator);
		print_pair(out, "id", view->group->elements[e].id);
		fputc(',', out);
		print_pair(out, "name", view->group->elements[e].name);
		fprintf(out, ",\"configured\":%zu,\"effective\":%zu}",
		    layout_space_base_count(space, e), layout_owned(view->layout, e));
		separator = ",";
	}
	fputc(']', out);
}

static void
print_units(const struct layout_view *view, FILE *out)
{
	const struct layout_space *space = layout_get_space(view->layout);
	size_t pieces = layout_pieces(view->layout);
	uint8_t *standby = xcalloc(pieces, 1);
	char *ids[LAYOUT_NONE + 1] = { 0 };

	for (size_t e = 0; e < view->group->element_count; e++)
		ids[e] = quote(view->group->elements[e].id);
	ids[LAYOUT_NONE] = xstrdup("null");
	layout_standby(view->layout, standby);
	fputs("\"units\":[", out);
	for (size_t i = 0; i < pieces; i++) {
		struct layout_piece piece = layout_piece(view->layout, i);
		char prefix[PREFIX_TEXT_SIZE];

		fprintf(out,
		    "%s\n{\"prefix\":\"%s\",\"element\":%s,\"base-element\":%s,\"standby\":%s}",
		    i ? "," : "", prefix_format(&piece.prefix, prefix), ids[piece.owner],
		    ids[layout_space_base(space, piece.unit)], ids[standby[i]]);
	}
	fputc(']', out);
	for (size_t e = 0; e <= LAYOUT_NONE; e++)
		free(ids[e]);
	free(standby);
}

static void
print_family(const struct layout_view *view, FILE *out)
{
	struct layout_id id = layout_compute_id(view->layout);
	char text[LAYOUT_ID_TEXT_SIZE];

	fprintf(out, "{\"family\":\"%s\",\"layout-id\":\"%s\",\"frozen\":%s,",
	    family_names[view->family], layout_id_format(&id, text),
	    view->frozen ? "true" : "false");
	print_elements(view, out);
	fputc(',', out);
	print_units(view, out);
	fputc('}', out);
}

void
layout_print_json(const struct layout_view *views, size_t count, FILE *out)
{
	fputs("{\"groups\":[", out);
	for (size_t i = 0; i < count; i++) {
		bool begins = i == 0 || views[i - 1].group != views[i].group;
		bool ends = i + 1 == count || views[i + 1].group != views[i].group;

		fputs(i ? "," : "", out);
		if (begins) {
			fputc('{', out);
			print_pair(out, "id", views[i].group->id);
			fputc(',', out);
			print_pair(out, "name", views[i].group->name);
			fputs(",\"families\":[", out);
		}
		print_family(&views[i], out);
		fputs(ends ? "]}" : "", out);
	}
	fputs("]}\n", out);
}

static size_t
count_moved(const struct layout *layout)
{
	const struct layout_space *space = layout_get_space(layout);
	size_t moved = 0;

	for (size_t unit = 0; unit < layout_space_units(space); unit++)
		moved += layout_unit_owner(layout, unit) != layout_space_base(space, unit);
	return moved;
}

/* Two blanks, and the text in a column of so many characters (UTF-8). */
static void
print_padded(const char *text, size_t width, FILE *out)
{
	size_t length = 0;

	for (const char *p = text; *p; p++)
		length += (*p & 0xc0) != 0x80;
	fprintf(out, "  %s%*s", text, (int)(length < width ? width - length : 0), "");
}

static void
print_table(const struct layout_view *view, FILE *out)
{
	const struct layout_space *space = layout_get_space(view->layout);
	struct layout_id id = layout_compute_id(view->layout);
	char text[LAYOUT_ID_TEXT_SIZE];

	fprintf(out, "group %s, %s: layout %.8s, %zu units, %zu moved%s\n", view->group->name,
	    family_names[view->family], layout_id_format(&id, text), layout_space_units(space),
	    view->frozen ? 0 : count_moved(view->layout),
	    view->frozen ? ", frozen: nobody is healthy" : "");
	fprintf(out, "  %-32s %10s %10s %10s\n", "ELEMENT", "CONFIGURED", "EFFECTIVE", "CHANGE");
	for (size_t e = 0; e < view->group->element_count; e++) {
		size_t configured = layout_space_base_count(space, e);
		size_t effective = layout_owned(view->layout, e);

		if (!layout_space_has(space, e))
			continue;
		print_padded(view->group->elements[e].name, 32, out);
		fprintf(out,
		    configured == effective ? " %10zu %10zu %10ld\n" : " %10zu %10zu %+10ld\n",
		    configured, effective, (long)effective - (long)configured);
	}
}

void
layout_print_text(const struct layout_view *views, size_t count, FILE *out)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc('\n', out);
		print_table(&views[i], out);
	}
}

/* "no element 'x' in this profile; there are fw-1, fw-2" */
static int
refuse_name(const struct profile *profile, const char *name, struct error *err)
{
	char *list = xstrdup("");

	for (size_t g = 0; g < profile->group_count; g++)
		for (size_t e = 0; e < profile->groups[g].element_count; e++) {
			const struct profile_element *element = &profile->groups[g].elements[e];
			bool named = strcmp(element->id, element->name) != 0;
			char *longer;

			if (element->removed)
				continue;
			longer = xasprintf("%s%s%s%s%s%s", list, *list ? ", " : "", element->id,
			    named ? " (" : "", named ? element->name : "", named ? ")" : "");
			free(list);
			list = longer;
		}
	error_set(err, -ENOENT, "no element '%s' in this profile; there are %s", name, list);
	free(list);
	return -ENOENT;
}

static bool
is_named(const struct profile_element *element, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(element->id, names[i]) == 0 || strcmp(element->name, names[i]) == 0)
			return true;
	return false;
}

static int
check_names(
    const struct profile *profile, const char *const *names, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct profile_group *group;
		const struct profile_element *element =
		    profile_find_element(profile, names[i], &group);

		if (!element || element->removed)
			return refuse_name(profile, names[i], err);
	}
	return 0;
}

/* The view of one group and family. The space and the layout are the caller's to free. */
static struct layout_view
make_view(const struct layout_space *space, const char *const *down, size_t down_count)
{
	const struct profile_group *group = layout_space_group(space);
	struct layout_view view = {
		.group = group, .family = layout_space_family(space), .frozen = true
	};
	bool healthy[PROFILE_MAX_ELEMENTS];

	for (size_t e = 0; e < group->element_count; e++) {
		healthy[e] = !is_named(&group->elements[e], down, down_count);
		if (healthy[e] && layout_space_has(space, e))
			view.frozen = false;
	}
	view.layout = layout_compute(space, healthy, 0);
	return view;
}

int
layout_offline(const struct profile *profile, const char *const *down, size_t down_count, bool json,
    FILE *out, struct error *err)
{
	size_t room = profile->group_count * FAMILY_COUNT, count = 0;
	struct layout_space **spaces;
	struct layout_view *views;
	int rc = check_names(profile, down, down_count, err);

	if (rc < 0)
		return rc;
	spaces = xcalloc(room, sizeof(struct layout_space *));
	views = xcalloc(room, sizeof(*views));
	for (size_t i = 0; i < room; i++) {
		spaces[i] = layout_space_new(
		    &profile->groups[i / FAMILY_COUNT], (enum family)(i % FAMILY_COUNT));
		if (layout_space_units(spaces[i]) > 0)
			views[count++] = make_view(spaces[i], down, down_count);
	}
	if (json)
		layout_print_json(views, count, out);
	else
		layout_print_text(views, count, out);
	for (size_t i = 0; i < count; i++)
		layout_free((struct layout *)views[i].layout);
	for (size_t i = 0; i < room; i++)
		layout_space_free(spaces[i]);
	free(spaces);
	free(views);
	if (fflush(out) || ferror(out))
		return error_set(err, -EIO, "the output could not be written; is the disk full?");
	return 0;
}
