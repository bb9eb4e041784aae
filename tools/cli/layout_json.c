/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `autofbf layout --profile FILE`: the layout of a file, with any elements taken as down, on any
 * machine. It is the same code that the agent runs, so what it prints is what the router would get.
 *
 * JSON is written out entry by entry. A million units as a tree of json-c objects would cost some
 * hundred megabytes; only the texts that need escaping go through json-c, once each.
 */
#include "layout_json.h"

#include <errno.h>
#include <inttypes.h>
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
		fprintf(out, ",\"configured\":%zu,\"effective\":%.13g,\"healthy\":%s}",
		    layout_space_base_count(space, e), layout_share(view->layout, e),
		    view->healthy[e] ? "true" : "false");
		separator = ",";
	}
	fputc(']', out);
}

struct standbys {
	uint8_t *of_piece;                 /* owned */
	struct layout_standby_part *parts; /* owned; in the order of pieces */
	size_t count, next;
};

/* Where the parts of an entry go to several next; nothing for most entries. */
static void
print_parts(struct standbys *standbys, size_t piece, char *const *ids, FILE *out)
{
	const char *separator = ",\"standby-parts\":[", *end = "";

	for (; standbys->next < standbys->count; standbys->next++) {
		const struct layout_standby_part *part = &standbys->parts[standbys->next];
		char prefix[PREFIX_TEXT_SIZE];

		if (part->piece != piece)
			break;
		fprintf(out, "%s{\"prefix\":\"%s\",\"standby\":%s}", separator,
		    prefix_format(&part->prefix, prefix), ids[part->standby]);
		separator = ",";
		end = "]";
	}
	fputs(end, out);
}

static void
print_pieces(const struct layout *layout, struct standbys *standbys, char *const *ids, FILE *out)
{
	const struct layout_space *space = layout_get_space(layout);
	size_t pieces = layout_pieces(layout);

	for (size_t i = 0; i < pieces; i++) {
		struct layout_piece piece = layout_piece(layout, i);
		char prefix[PREFIX_TEXT_SIZE];

		fprintf(out,
		    "%s\n{\"prefix\":\"%s\",\"element\":%s,\"base-element\":%s,\"standby\":%s",
		    i ? "," : "", prefix_format(&piece.prefix, prefix), ids[piece.owner],
		    ids[layout_space_base(space, piece.unit)], ids[standbys->of_piece[i]]);
		print_parts(standbys, i, ids, out);
		fputc('}', out);
	}
}

static void
print_units(const struct layout_view *view, FILE *out)
{
	struct standbys standbys = { .of_piece = xcalloc(layout_pieces(view->layout), 1) };
	char *ids[LAYOUT_NONE + 1] = { 0 };

	for (size_t e = 0; e < view->group->element_count; e++)
		ids[e] = quote(view->group->elements[e].id);
	ids[LAYOUT_NONE] = xstrdup("null");
	standbys.count = layout_standby_split(view->layout, standbys.of_piece, &standbys.parts);
	fputs("\"units\":[", out);
	print_pieces(view->layout, &standbys, ids, out);
	fputc(']', out);
	for (size_t e = 0; e <= LAYOUT_NONE; e++)
		free(ids[e]);
	free(standbys.of_piece);
	free(standbys.parts);
}

static void
print_family(const struct layout_view *view, FILE *out)
{
	struct layout_id id = layout_compute_id(view->layout);
	char text[LAYOUT_ID_TEXT_SIZE];

	fprintf(out,
	    "{\"family\":\"%s\",\"layout-id\":\"%s\",\"frozen\":%s,\"epoch\":%" PRIu32
	    ",\"split-bits\":%u,",
	    family_names[view->family], layout_id_format(&id, text),
	    view->frozen ? "true" : "false", profile_last_epoch(view->group, view->family),
	    layout_get_bits(view->layout));
	print_elements(view, out);
	fputc(',', out);
	print_units(view, out);
	fputc('}', out);
}

/* Views of one group stand side by side. */
static void
print_json(const struct profile *profile, const struct layout_view *views, size_t count, FILE *out)
{
	fprintf(out, "{\"algorithm\":%d,", LAYOUT_ALGORITHM);
	if (*profile->id)
		fprintf(out, "\"profile-id\":\"%s\",", profile->id);
	fputs("\"groups\":[", out);
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

/* Entries that are not with their base owner. */
static size_t
count_moved(const struct layout *layout)
{
	const struct layout_space *space = layout_get_space(layout);
	size_t pieces = layout_pieces(layout), moved = 0;

	for (size_t i = 0; i < pieces; i++) {
		struct layout_piece piece = layout_piece(layout, i);

		moved += piece.owner != layout_space_base(space, piece.unit);
	}
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
print_row(const struct layout_view *view, size_t element, FILE *out)
{
	size_t configured = layout_space_base_count(layout_get_space(view->layout), element);
	double effective = layout_share(view->layout, element);
	double change = effective - (double)configured;

	print_padded(view->group->elements[element].name, 32, out);
	fprintf(out, change == 0 ? " %10zu %10.10g %10.10g\n" : " %10zu %10.10g %+10.10g\n",
	    configured, effective, change);
}

static void
print_table(const struct layout_view *view, FILE *out)
{
	const struct layout_space *space = layout_get_space(view->layout);
	struct layout_id id = layout_compute_id(view->layout);
	bool is_split = layout_pieces(view->layout) != layout_space_units(space);
	char text[LAYOUT_ID_TEXT_SIZE];

	fprintf(out, "group %s, %s: layout %.8s, %zu %s, %zu moved%s\n", view->group->name,
	    family_names[view->family], layout_id_format(&id, text), layout_pieces(view->layout),
	    is_split ? "pieces (some units are split)" : "units",
	    view->frozen ? 0 : count_moved(view->layout),
	    view->frozen ? ", frozen: nobody is healthy" : "");
	fprintf(out, "  %-32s %10s %10s %10s\n", "ELEMENT", "CONFIGURED", "EFFECTIVE", "CHANGE");
	for (size_t e = 0; e < view->group->element_count; e++)
		if (layout_space_has(space, e))
			print_row(view, e, out);
}

/* A table for each view: elements with their units, and how many units moved. */
static void
print_text(const struct layout_view *views, size_t count, FILE *out)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc('\n', out);
		print_table(&views[i], out);
	}
}

/* "fw-1, fw-2 (Two)": one more id, with its name where that is another. */
static void
add_known(char **list, const char *id, const char *name)
{
	bool named = strcmp(id, name) != 0;

	xappendf(list, "%s%s%s%s%s", **list ? ", " : "", id, named ? " (" : "", named ? name : "",
	    named ? ")" : "");
}

/* "no element 'x' in this profile; there are fw-1, fw-2" */
static int
refuse_name(const struct profile *profile, const char *name, struct error *err)
{
	char *list = xstrdup("");

	for (size_t g = 0; g < profile->group_count; g++)
		for (size_t e = 0; e < profile->groups[g].element_count; e++) {
			const struct profile_element *element = &profile->groups[g].elements[e];

			if (!element->removed)
				add_known(&list, element->id, element->name);
		}
	error_set(err, -ENOENT, "no element '%s' in this profile; there are %s", name, list);
	free(list);
	return -ENOENT;
}

/* "no group 'x' in this profile; there are cgn, premium (Premium) */
static int
refuse_group(const struct profile *profile, const char *name, struct error *err)
{
	char *list = xstrdup("");

	for (size_t g = 0; g < profile->group_count; g++)
		add_known(&list, profile->groups[g].id, profile->groups[g].name);
	error_set(err, -ENOENT, "no group '%s' in this profile; there are %s", name, list);
	free(list);
	return -ENOENT;
}

static int
check_names(const struct profile *profile, const char *group_name, const char *const *names,
    size_t count, struct error *err)
{
	if (group_name && !profile_find_group(profile, group_name))
		return refuse_group(profile, group_name, err);
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

	for (size_t e = 0; e < group->element_count; e++) {
		view.healthy[e] = !profile_element_is_among(&group->elements[e], down, down_count);
		if (view.healthy[e] && layout_space_has(space, e))
			view.frozen = false;
	}
	view.layout = layout_compute_split(space, view.healthy);
	return view;
}

/* The spaces of a profile, or of one of its groups; families without units are left out. */
static size_t
make_spaces(
    const struct profile *profile, const struct profile_group *only, struct layout_space **spaces)
{
	size_t count = 0;

	for (size_t i = 0; i < profile->group_count * FAMILY_COUNT; i++) {
		const struct profile_group *group = &profile->groups[i / FAMILY_COUNT];

		if (only && group != only)
			continue;
		spaces[count] = layout_space_new(group, (enum family)(i % FAMILY_COUNT));
		if (layout_space_units(spaces[count]) > 0)
			count++;
		else
			layout_space_free(spaces[count]);
	}
	return count;
}

int
layout_offline(const struct profile *profile, const char *group, const char *const *down,
    size_t down_count, bool json, FILE *out, struct error *err)
{
	size_t room = profile->group_count * FAMILY_COUNT, count;
	struct layout_space **spaces;
	struct layout_view *views;
	int rc = check_names(profile, group, down, down_count, err);

	if (rc < 0)
		return rc;
	spaces = xcalloc(room, sizeof(struct layout_space *));
	views = xcalloc(room, sizeof(*views));
	count = make_spaces(profile, group ? profile_find_group(profile, group) : NULL, spaces);
	for (size_t i = 0; i < count; i++)
		views[i] = make_view(spaces[i], down, down_count);
	if (json)
		print_json(profile, views, count, out);
	else
		print_text(views, count, out);
	for (size_t i = 0; i < count; i++) {
		layout_free((struct layout *)views[i].layout);
		layout_space_free(spaces[i]);
	}
	free(spaces);
	free(views);
	if ((fflush(out) || ferror(out)) && errno != EPIPE) /* a reader that has seen enough */
		return error_set(err, -EIO, "the output could not be written; is the disk full?");
	return 0;
}
