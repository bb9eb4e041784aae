/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The three ways to go on translating a displaced host deterministically differ in how much an
 * element's rule covers (all subscribers; base alone, with an overflow pool; base and what it is
 * the standby of). Here are the ranges for the latter two, as the fewest prefixes that are exactly
 * these hosts: neighbours that make up a shorter prefix are one.
 */
#include "nat_plan.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "layout.h"
#include "nat_load.h"
#include "nat_rules.h"
#include "output.h"
#include "screen.h"

enum { TAG_WIDTH = 10 };

struct ranges {
	struct prefix *items; /* owned; in ascending order */
	size_t count;
	double hosts;
};

struct needs { /* of an element */
	struct ranges base, standby;
	struct ranges lacks; /* of both, what deterministic rules leave out */
	bool has_rules, has_others;
};

/* The two are the halves of the prefix that is one bit shorter. */
static bool
are_halves(const struct prefix *first, const struct prefix *second)
{
	struct prefix both = *first, half;

	if (first->length == 0 || first->length != second->length)
		return false;
	both.length--;
	if (!prefix_contains(&both, second))
		return false;
	half = prefix_child(&both, first->length, 1);
	return prefix_compare(&half, second) == 0;
}

/* Ascending and disjoint, so only the last ones can grow. */
static void
add_range(struct ranges *ranges, const struct prefix *prefix)
{
	ranges->hosts += nat_load_hosts(prefix);
	ranges->items = xreallocarray(ranges->items, ranges->count + 1, sizeof(*ranges->items));
	ranges->items[ranges->count++] = *prefix;
	while (ranges->count > 1 &&
	       are_halves(&ranges->items[ranges->count - 2], &ranges->items[ranges->count - 1])) {
		ranges->count--;
		ranges->items[ranges->count - 1].length--;
	}
}

/* ---- what an element needs ------------------------------------------------------------------ */

struct whole { /* the layout with all healthy */
	const struct profile_group *group;
	enum family family;
	struct layout_space *space;
	struct layout *layout;
	uint8_t *standby; /* by piece */
	struct layout_standby_part *parts;
	size_t part_count;
};

static void
open_whole(struct whole *whole, const struct profile_group *group, enum family family)
{
	bool healthy[PROFILE_MAX_ELEMENTS];

	*whole = (struct whole){ .group = group, .family = family };
	whole->space = layout_space_new(group, family);
	for (size_t e = 0; e < group->element_count; e++)
		healthy[e] = layout_space_has(whole->space, e);
	whole->layout = layout_compute_split(whole->space, healthy);
	whole->standby = xcalloc(layout_pieces(whole->layout), 1);
	whole->part_count = layout_standby_split(whole->layout, whole->standby, &whole->parts);
}

static void
close_whole(struct whole *whole)
{
	free(whole->parts);
	free(whole->standby);
	layout_free(whole->layout);
	layout_space_free(whole->space);
}

static void
add_gap(void *arg, const struct prefix *gap)
{
	add_range(arg, gap);
}

static void
take(struct needs *needs, struct ranges *ranges, struct nat_rules *rules,
    const struct prefix *prefix)
{
	add_range(ranges, prefix);
	if (needs->has_rules)
		nat_rules_gaps(rules, prefix, add_gap, &needs->lacks);
}

/* A piece whose parts have several successors is told by its parts. */
static void
take_standby(const struct whole *whole, size_t element, size_t piece, size_t *part,
    struct needs *needs, struct nat_rules *rules)
{
	struct prefix prefix = layout_piece(whole->layout, piece).prefix;
	bool has_parts = false;

	for (; *part < whole->part_count && whole->parts[*part].piece == piece; ++*part) {
		has_parts = true;
		if (whole->parts[*part].standby == element)
			take(needs, &needs->standby, rules, &whole->parts[*part].prefix);
	}
	if (!has_parts && whole->standby[piece] == element)
		take(needs, &needs->standby, rules, &prefix);
}

static void
find_needs(const struct whole *whole, size_t element, struct needs *needs)
{
	struct nat_rules rules;
	size_t part = 0;

	*needs = (struct needs){ .has_rules = false };
	nat_rules_open(&rules, &whole->group->elements[element].family[whole->family]);
	needs->has_rules = rules.count > 0;
	needs->has_others = rules.has_others;
	for (size_t i = 0; i < layout_pieces(whole->layout); i++) {
		struct layout_piece piece = layout_piece(whole->layout, i);

		if (piece.owner == element)
			take(needs, &needs->base, &rules, &piece.prefix);
		take_standby(whole, element, i, &part, needs, &rules);
	}
	nat_rules_done(&rules);
}

static void
drop_needs(struct needs *needs)
{
	free(needs->base.items);
	free(needs->standby.items);
	free(needs->lacks.items);
}

/* ---- on the screen -------------------------------------------------------------------------- */

static void
print_ranges(const char *tag, const struct ranges *ranges)
{
	const struct screen screen = { .out = stdout };
	char *text = xcalloc(ranges->count + 1, PREFIX_TEXT_SIZE + 1);
	size_t used = 0;

	for (size_t i = 0; i < ranges->count; i++) {
		char prefix[PREFIX_TEXT_SIZE];

		used +=
		    (size_t)sprintf(text + used, " %s", prefix_format(&ranges->items[i], prefix));
	}
	screen_wrap(&screen, tag, TAG_WIDTH, "%.0f hosts in %zu prefixes%s%s", ranges->hosts,
	    ranges->count, ranges->count > 0 ? ":" : "", text);
	free(text);
}

static void
print_rules(const struct needs *needs)
{
	if (!needs->has_rules)
		return;
	if (needs->lacks.count == 0)
		printf("%-*scover all of these\n", TAG_WIDTH, "  rules");
	else
		print_ranges("  LACKS", &needs->lacks);
	if (needs->lacks.count > 0)
		printf("%-*s%s\n", TAG_WIDTH, "",
		    needs->has_others ? "which its other pools translate"
		                      : "which nobody would translate: add them to the rule, or a "
		                        "pool of kind pba");
}

static void
print_blocks(const struct nat_load *load)
{
	double worst = 100 * load->worst / (load->blocks > 0 ? load->blocks : 1);

	if (load->blocks > 0)
		printf(
		    "%-*s%.0f port blocks, of which base takes %.0f (%.0f %%), the worst failure "
		    "%.0f (%.0f %%)%s\n",
		    TAG_WIDTH, "  blocks", load->blocks, load->base,
		    100 * load->base / load->blocks, load->worst, worst,
		    worst > NAT_BLOCKS_FULL_PERCENT ? ": TOO FEW" : "");
}

static void
print_element(
    const struct profile_element *element, const struct needs *needs, const struct nat_load *load)
{
	puts(element->id);
	print_ranges("  base", &needs->base);
	print_ranges("  standby", &needs->standby);
	print_rules(needs);
	print_blocks(load);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void
add_ranges(struct json_object *object, const char *name, const struct ranges *ranges)
{
	struct json_object *inner = json_object_new_object(), *list = json_object_new_array();
	char text[PREFIX_TEXT_SIZE];

	for (size_t i = 0; i < ranges->count; i++)
		json_object_array_add(
		    list, json_object_new_string(prefix_format(&ranges->items[i], text)));
	output_json_number(inner, "hosts", ranges->hosts);
	json_object_object_add(inner, "prefixes", list);
	json_object_object_add(object, name, inner);
}

static struct json_object *
make_blocks(const struct nat_load *load)
{
	struct json_object *object = json_object_new_object();

	output_json_number(object, "available", load->blocks);
	output_json_number(object, "base", load->base);
	output_json_number(object, "worst", load->worst);
	return object;
}

static struct json_object *
make_element(
    const struct profile_element *element, const struct needs *needs, const struct nat_load *load)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "id", json_object_new_string(element->id));
	add_ranges(object, "base", &needs->base);
	add_ranges(object, "standby", &needs->standby);
	if (needs->has_rules)
		add_ranges(object, "lacks", &needs->lacks);
	if (load->blocks > 0)
		json_object_object_add(object, "port-blocks", make_blocks(load));
	return object;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* elements: where they go as JSON; NULL: to the screen. */
static void
show_elements(const struct whole *whole, const char *only_element, struct json_object *elements)
{
	const struct profile_group *group = whole->group;
	struct nat_load loads[PROFILE_MAX_ELEMENTS];
	bool healthy[PROFILE_MAX_ELEMENTS];

	for (size_t e = 0; e < group->element_count; e++)
		healthy[e] = layout_space_has(whole->space, e);
	nat_load_compute(whole->space, healthy, loads);
	for (size_t e = 0; e < group->element_count; e++) {
		const struct profile_element *element = &group->elements[e];
		struct needs needs;

		if (!healthy[e] || (only_element && strcmp(element->id, only_element) != 0))
			continue;
		find_needs(whole, e, &needs);
		if (elements)
			json_object_array_add(elements, make_element(element, &needs, &loads[e]));
		else
			print_element(element, &needs, &loads[e]);
		drop_needs(&needs);
	}
}

static void
show_family(const struct profile_group *group, enum family family, const char *only_element,
    struct json_object *families)
{
	struct json_object *object = NULL, *elements = NULL;
	struct whole whole;

	if (families) {
		object = json_object_new_object();
		elements = json_object_new_array();
		json_object_object_add(object, "group", json_object_new_string(group->id));
		json_object_object_add(
		    object, "family", json_object_new_string(family_names[family]));
		json_object_object_add(object, "elements", elements);
		json_object_array_add(families, object);
	} else {
		printf("%s %s\n", group->id, family_names[family]);
	}
	open_whole(&whole, group, family);
	show_elements(&whole, only_element, elements);
	close_whole(&whole);
}

/* Somebody that was asked for carries subscribers of the family. */
static bool
has_part(const struct profile_group *group, enum family family, const char *only_element)
{
	if (group->return_path[family] != RETURN_NAT_ROUTES)
		return false;
	for (size_t e = 0; only_element && e < group->element_count; e++)
		if (strcmp(group->elements[e].id, only_element) == 0)
			return group->elements[e].family[family].present &&
			       !group->elements[e].removed;
	return true;
}

bool
nat_plan_print(
    const struct profile *profile, const char *only_group, const char *only_element, bool json)
{
	struct json_object *root = json_object_new_object(), *families = json_object_new_array();
	bool has_any = false;

	json_object_object_add(root, "families", families);
	for (size_t g = 0; g < profile->group_count; g++) {
		const struct profile_group *group = &profile->groups[g];

		if (only_group && strcmp(group->id, only_group) != 0)
			continue;
		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			if (!has_part(group, f, only_element))
				continue;
			has_any = true;
			show_family(group, f, only_element, json ? families : NULL);
		}
	}
	if (json && has_any)
		puts(json_object_to_json_string_ext(
		    root, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
	return has_any;
}
