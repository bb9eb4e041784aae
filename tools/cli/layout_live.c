/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A live layout as JSON or as tables. JSON is written out while the tree is walked, entry by entry:
 * a second tree of JSON objects would double what a layout of a million units costs. What is absent
 * in the answer (nobody) is null here.
 */
#include "layout_live.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

static void
print_text(FILE *out, const char *name, const char *text)
{
	struct json_object *value = json_object_new_string(text);

	fprintf(out, "\"%s\":%s", name,
	    json_object_to_json_string_ext(
	        value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(value);
}

static void
print_owner(FILE *out, const char *name, const struct lyd_node *unit)
{
	const char *owner = tree_text(unit, name);

	if (*owner)
		fprintf(out, ",\"%s\":\"%s\"", name, owner);
	else
		fprintf(out, ",\"%s\":null", name);
}

static void
print_elements(FILE *out, const struct lyd_node *family)
{
	const struct lyd_node *element = NULL;
	const char *separator = "";

	while ((element = tree_next(family, "element", element))) {
		fprintf(out, "%s{", separator);
		print_text(out, "id", tree_text(element, "id"));
		fputc(',', out);
		print_text(out, "name", tree_text(element, "name"));
		fprintf(out,
		    ",\"configured\":%s,\"effective\":%.13g,\"healthy\":%s,\"state\":\"%s\","
		    "\"force-failed\":%s}",
		    tree_text(element, "configured"), tree_amount(element, "effective"),
		    tree_flag(element, "healthy") ? "true" : "false", tree_text(element, "state"),
		    tree_flag(element, "force-failed") ? "true" : "false");
		separator = ",";
	}
}

/* Where the parts of a unit go to several next. */
static void
print_parts(FILE *out, const struct lyd_node *unit)
{
	const struct lyd_node *part = NULL;
	const char *separator = "";

	if (!tree_has(unit, "standby-part"))
		return;
	fputs(",\"standby-parts\":[", out);
	while ((part = tree_next(unit, "standby-part", part))) {
		fprintf(out, "%s{\"prefix\":\"%s\"", separator, tree_text(part, "prefix"));
		print_owner(out, "standby", part);
		fputc('}', out);
		separator = ",";
	}
	fputc(']', out);
}

static void
print_units(FILE *out, const struct lyd_node *family)
{
	const struct lyd_node *unit = NULL;
	const char *separator = "";

	while ((unit = tree_next(family, "unit", unit))) {
		fprintf(out, "%s\n{\"prefix\":\"%s\"", separator, tree_text(unit, "prefix"));
		print_owner(out, "element", unit);
		print_owner(out, "base-element", unit);
		print_owner(out, "standby", unit);
		print_parts(out, unit);
		fputc('}', out);
		separator = ",";
	}
}

static void
print_families(FILE *out, const struct lyd_node *group)
{
	const struct lyd_node *family = NULL;
	const char *separator = "";

	while ((family = tree_next(group, "family", family))) {
		fprintf(out,
		    "%s{\"family\":\"%s\",\"layout-id\":\"%s\",\"frozen\":%s,\"epoch\":%ju,"
		    "\"split-bits\":%ju",
		    separator, tree_text(family, "family"), tree_text(family, "layout-id"),
		    tree_flag(family, "frozen") ? "true" : "false",
		    (uintmax_t)tree_number(family, "epoch"),
		    (uintmax_t)tree_number(family, "split-bits"));
		fputs(",\"elements\":[", out);
		print_elements(out, family);
		fputs("],\"units\":[", out);
		print_units(out, family);
		fputs("]}", out);
		separator = ",";
	}
}

const struct lyd_node *
layout_live_find(const struct lyd_node *output, const char *name)
{
	const struct lyd_node *group = NULL;

	while ((group = tree_next(output, "group", group)))
		if (tree_is(group, "id", name) || tree_is(group, "name", name))
			return group;
	return NULL;
}

void
layout_live_print_json(const struct lyd_node *output, const struct lyd_node *only, FILE *out)
{
	const struct lyd_node *group = NULL;
	const char *separator = "";

	fputc('{', out);
	print_text(out, "hostname", tree_text(output, "hostname"));
	fprintf(out, ",\"now\":\"%s\",\"algorithm\":%ju,\"profile-id\":\"%s\",\"groups\":[",
	    tree_text(output, "now"), (uintmax_t)tree_number(output, "algorithm"),
	    tree_text(output, "profile-id"));
	while ((group = tree_next(output, "group", group))) {
		if (only && group != only)
			continue;
		fprintf(out, "%s{", separator);
		print_text(out, "id", tree_text(group, "id"));
		fputc(',', out);
		print_text(out, "name", tree_text(group, "name"));
		fputs(",\"families\":[", out);
		print_families(out, group);
		fputs("]}", out);
		separator = ",";
	}
	fputs("]}\n", out);
}

static size_t
count_moved(const struct lyd_node *family, size_t *ret_pieces)
{
	const struct lyd_node *unit = NULL;
	size_t moved = 0;

	*ret_pieces = 0;
	while ((unit = tree_next(family, "unit", unit))) {
		++*ret_pieces;
		moved += strcmp(tree_text(unit, "element"), tree_text(unit, "base-element")) != 0;
	}
	return moved;
}

static void
print_table(FILE *out, const struct lyd_node *group, const struct lyd_node *family)
{
	const struct lyd_node *element = NULL;
	size_t pieces, moved = count_moved(family, &pieces);
	bool is_split = tree_number(family, "split-bits") > 0;
	char have[AMOUNT_TEXT_SIZE], change[AMOUNT_TEXT_SIZE + 1];

	fprintf(out, "group %s, %s: layout %.8s, %zu %s, %zu moved%s\n", tree_text(group, "name"),
	    tree_text(family, "family"), tree_text(family, "layout-id"), pieces,
	    is_split ? "pieces (some units are split)" : "units", moved,
	    tree_flag(family, "frozen") ? ", frozen" : "");
	fprintf(out, "  %-32s %10s %10s %10s\n", "ELEMENT", "CONFIGURED", "EFFECTIVE", "CHANGE");
	while ((element = tree_next(family, "element", element))) {
		double configured = tree_amount(element, "configured");
		double effective = tree_amount(element, "effective");

		amount_format(effective - configured, change + 1);
		change[0] = '+';
		fprintf(out, "  %-32s %10.0f %10s %10s\n", tree_text(element, "name"), configured,
		    amount_format(effective, have), effective <= configured ? change + 1 : change);
	}
}

void
layout_live_print_text(const struct lyd_node *output, const struct lyd_node *only, FILE *out)
{
	const struct lyd_node *group = NULL, *family = NULL;
	const char *separator = "";

	while ((group = tree_next(output, "group", group)))
		while ((!only || group == only) && (family = tree_next(group, "family", family))) {
			fputs(separator, out);
			print_table(out, group, family);
			separator = "\n";
		}
}
