/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf compare: the layouts of two routers side by side. Routers and agents never talk to each
 * other; a person carries two files, or a script pipes one. No agent is needed here.
 */
#include "cli.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout_compare.h"
#include "layout_read.h"
#include "output.h"
#include "screen.h"
#include "text_read.h"

enum { RANGES_SHOWN = 20, TAG_WIDTH = 7 };

static int
load(const char *path, struct read_layout **ret_layout, struct error *err)
{
	char *text = NULL;
	size_t size = 0;
	int rc = text_read(path, &text, &size, err);

	if (rc == 0)
		rc = layout_read(text, size, text_read_name(path), ret_layout, err);
	free(text);
	return rc;
}

/* ---- for people ----------------------------------------------------------------------------- */

/* One bit less, host bits cleared. */
static struct prefix
shorten(const struct prefix *prefix)
{
	struct prefix shorter = *prefix;

	shorter.length--;
	shorter.address.bytes[shorter.length / 8] &= (uint8_t)(0xff00 >> shorter.length % 8);
	return shorter;
}

/* "10.0.0.0/25", or "10.0.0.0 - 10.0.0.191" when it is no prefix. */
static void
format_range(const struct compare_range *range, char *buf, size_t size)
{
	char first[PREFIX_TEXT_SIZE], last[IP_TEXT_SIZE];
	struct prefix prefix = prefix_of_ip(&range->first);
	struct ip end;

	/* The longest prefix that still holds the last address, if it begins and ends with the
	 * range. */
	while (prefix.length > 0 && !prefix_contains_ip(&prefix, &range->last))
		prefix = shorten(&prefix);
	end = prefix_last(&prefix);
	if (ip_compare(&prefix.address, &range->first) == 0 &&
	    ip_compare(&end, &range->last) == 0) {
		snprintf(buf, size, "%s", prefix_format(&prefix, first));
		return;
	}
	snprintf(
	    buf, size, "%s - %s", ip_format(&range->first, first), ip_format(&range->last, last));
}

static size_t
count_shown(const struct arguments *arguments, const struct compare_family *family)
{
	bool is_all = arguments->all || family->range_count <= RANGES_SHOWN;

	return is_all ? family->range_count : RANGES_SHOWN;
}

static void
print_ranges(const struct arguments *arguments, const struct compare *compare,
    const struct compare_family *family)
{
	const struct output_column columns[] = { { "UNITS", false }, { compare->names[0], false },
		{ compare->names[1], false } };
	struct libscols_table *table = output_table(columns, 3);
	size_t shown = count_shown(arguments, family);

	for (size_t i = 0; i < shown; i++) {
		const struct compare_range *range = &family->ranges[i];
		char text[2 * PREFIX_TEXT_SIZE];

		format_range(range, text, sizeof(text));
		output_row(table, (const char *const[]){ text, range->a ? range->a : "nobody",
		                      range->b ? range->b : "nobody" });
	}
	output_table_end(table);
	if (shown < family->range_count)
		printf("and %zu ranges more: --all\n", family->range_count - shown);
}

static void
print_family(const struct arguments *arguments, const struct compare *compare,
    const struct compare_family *family)
{
	const struct read_family *a = family->a, *b = family->b, *it = a ? a : b;

	printf("%s %s: ", it->group, family_names[it->family]);
	if (!a || !b)
		printf("only on %s, %zu units\n", compare->names[a ? 0 : 1], it->unit_count);
	else if (!family->agree)
		printf("%zu of %zu units differ, layout-id %.8s on %s, %.8s on %s\n",
		    family->differ, family->units, a->layout_id, compare->names[0], b->layout_id,
		    compare->names[1]);
	else if (strcmp(a->layout_id, b->layout_id) == 0)
		printf("agree, layout-id %.8s\n", a->layout_id);
	else
		printf("agree, though units are cut differently (layout-id %.8s, %.8s)\n",
		    a->layout_id, b->layout_id);
	if (a && b && !family->agree)
		print_ranges(arguments, compare, family);
}

static void
print_text(const struct arguments *arguments, const struct compare *compare)
{
	const struct screen screen = { .out = stdout };

	for (size_t i = 0; i < compare->reason_count; i++) {
		const char *tag = compare->agree ? "note" : i ? "" : "why";
		const char *text = compare->reasons[i].text;

		if (i == 0 ||
		    strcmp(compare->reasons[i - 1].text, text) != 0) /* of both families */
			screen_wrap(&screen, tag, TAG_WIDTH, "%s", text);
	}
	for (size_t i = 0; i < compare->count; i++)
		print_family(arguments, compare, &compare->families[i]);
}

/* ---- for programs --------------------------------------------------------------------------- */

static void
add_text(struct json_object *object, const char *name, const char *text)
{
	json_object_object_add(object, name, text ? json_object_new_string(text) : NULL);
}

static struct json_object *
make_reason(const struct compare_reason *reason)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "kind", compare_kind_names[reason->kind]);
	if (reason->family) {
		add_text(object, "group", reason->family->group);
		add_text(object, "family", family_names[reason->family->family]);
	}
	add_text(object, "text", reason->text);
	return object;
}

static struct json_object *
make_ranges(const struct arguments *arguments, const struct compare_family *family)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < count_shown(arguments, family); i++) {
		const struct compare_range *range = &family->ranges[i];
		struct json_object *object = json_object_new_object();
		char text[IP_TEXT_SIZE];

		add_text(object, "first", ip_format(&range->first, text));
		add_text(object, "last", ip_format(&range->last, text));
		add_text(object, "a", range->a);
		add_text(object, "b", range->b);
		json_object_array_add(list, object);
	}
	return list;
}

static struct json_object *
make_family(const struct arguments *arguments, const struct compare_family *family)
{
	const struct read_family *it = family->a ? family->a : family->b;
	struct json_object *object = json_object_new_object();

	add_text(object, "group", it->group);
	add_text(object, "family", family_names[it->family]);
	json_object_object_add(object, "agree", json_object_new_boolean(family->agree));
	add_text(object, "a-layout-id", family->a ? family->a->layout_id : NULL);
	add_text(object, "b-layout-id", family->b ? family->b->layout_id : NULL);
	json_object_object_add(object, "units", json_object_new_int64((int64_t)family->units));
	json_object_object_add(object, "differ", json_object_new_int64((int64_t)family->differ));
	json_object_object_add(
	    object, "range-count", json_object_new_int64((int64_t)family->range_count));
	json_object_object_add(object, "ranges", make_ranges(arguments, family));
	return object;
}

static void
print_json(const struct arguments *arguments, const struct compare *compare)
{
	struct json_object *root = json_object_new_object();
	struct json_object *reasons = json_object_new_array(), *families = json_object_new_array();

	json_object_object_add(root, "agree", json_object_new_boolean(compare->agree));
	add_text(root, "a", compare->names[0]);
	add_text(root, "b", compare->names[1]);
	for (size_t i = 0; i < compare->reason_count; i++)
		json_object_array_add(reasons, make_reason(&compare->reasons[i]));
	for (size_t i = 0; i < compare->count; i++)
		json_object_array_add(families, make_family(arguments, &compare->families[i]));
	json_object_object_add(root, "reasons", reasons);
	json_object_object_add(root, "families", families);
	puts(json_object_to_json_string_ext(
	    root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
}

/* ---- the command ---------------------------------------------------------------------------- */

int
command_compare(const struct arguments *arguments)
{
	struct read_layout *layouts[2] = { NULL, NULL };
	struct compare *compare;
	struct error err;
	int rc = 0, code = EXIT_USAGE;

	if (strcmp(arguments->names[0], "-") == 0 && strcmp(arguments->names[1], "-") == 0)
		return complain(EXIT_USAGE, "standard input can be one of the two, not both");
	for (int i = 0; i < 2 && rc == 0; i++)
		rc = load(arguments->names[i], &layouts[i], &err);
	if (rc == 0) {
		compare = compare_layouts(layouts[0], layouts[1], arguments->names);
		if (arguments->json)
			print_json(arguments, compare);
		else
			print_text(arguments, compare);
		code = compare->agree ? EXIT_DONE : EXIT_DIFFERS;
		compare_free(compare);
	} else {
		complain(EXIT_USAGE, "%s", err.text);
	}
	read_layout_free(layouts[0]);
	read_layout_free(layouts[1]);
	return code;
}
