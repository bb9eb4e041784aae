/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How moves are shown: a sentence for each group and family, and below it who gives and who gets,
 * in units and in percent of all units of that family. Elements that have nothing and had nothing,
 * old tombstones for the most part, are left out.
 */
#include "profile_report.h"

#include <json-c/json.h>
#include <stdio.h>

#include "error.h"
#include "output.h"
#include "tree.h"

void
profile_report_print_costly(const struct moves *moves)
{
	if (moves->moved <= moves->minimum + 1e-9) /* counts are sums of powers of two, exact */
		return;
	puts("This is more than the minimum. Lines of old epochs were edited or taken out, or\n"
	     "several changes are taken in one step. The same change as one new epoch moves\n"
	     "the minimum: autofbf profile add-element, remove-element, reweight, replace,\n"
	     "add-pool, end-pool.");
}

static double
get_percent(const struct moves_family *family, double units)
{
	return family->after ? 100 * units / (double)family->after : 0;
}

static void
print_head(const struct moves_family *family)
{
	char buf[AMOUNT_TEXT_SIZE], other[AMOUNT_TEXT_SIZE];

	printf("%s %s: ", family->group, family_names[family->family]);
	if (family->moved > 0)
		printf("%s of %zu units move (%.2f %%), the minimum is %s",
		    amount_format(family->moved, buf), family->after,
		    get_percent(family, family->moved), amount_format(family->minimum, other));
	else
		fputs("nothing moves", stdout);
	if (family->fresh > 0)
		printf("; units that are new: %s", amount_format(family->fresh, buf));
	if (family->ended > 0)
		printf("; units that end: %s", amount_format(family->ended, buf));
	putchar('\n');
}

static bool
is_worth_a_line(const struct moves_element *element)
{
	return element->before > 0 || element->after > 0;
}

static void
print_elements(const struct moves_family *family)
{
	static const struct output_column columns[] = { { "element", false }, { "before", true },
		{ "after", true }, { "leave", true }, { "%", true }, { "come", true },
		{ "%", true } };
	struct libscols_table *table = output_table(columns, sizeof(columns) / sizeof(columns[0]));

	for (size_t e = 0; e < family->element_count; e++) {
		const struct moves_element *element = &family->elements[e];
		char text[4][AMOUNT_TEXT_SIZE], percent[2][16];

		if (!is_worth_a_line(element))
			continue;
		snprintf(
		    percent[0], sizeof(percent[0]), "%.2f", get_percent(family, element->leave));
		snprintf(
		    percent[1], sizeof(percent[1]), "%.2f", get_percent(family, element->come));
		output_row(table,
		    (const char *const[]){ element->id, amount_format(element->before, text[0]),
		        amount_format(element->after, text[1]),
		        amount_format(element->leave, text[2]), percent[0],
		        amount_format(element->come, text[3]), percent[1] });
	}
	output_table_end(table);
}

void
profile_report_print(const struct moves *moves)
{
	char buf[AMOUNT_TEXT_SIZE], other[AMOUNT_TEXT_SIZE];

	for (size_t i = 0; i < moves->count; i++) {
		const struct moves_family *family = &moves->families[i];

		print_head(family);
		if (family->moved > 0 || family->fresh > 0 || family->ended > 0) {
			print_elements(family);
			putchar('\n');
		}
	}
	if (moves->moved > 0)
		printf("In all %s units move, the minimum is %s.\n"
		       "Their sessions are lost: elements share no state.\n",
		    amount_format(moves->moved, buf), amount_format(moves->minimum, other));
	if (moves->ended > 0)
		printf("%s units end: no element carries their addresses any more.\n",
		    amount_format(moves->ended, buf));
}

/* Counts are whole unless unit lengths differ. */
static void
add_amount(struct json_object *object, const char *name, double amount)
{
	bool is_whole = amount == (double)(int64_t)amount;

	json_object_object_add(object, name,
	    is_whole ? json_object_new_int64((int64_t)amount) : json_object_new_double(amount));
}

static void
add_percent(struct json_object *object, double percent)
{
	char text[16];

	snprintf(text, sizeof(text), "%.2f", percent);
	json_object_object_add(object, "percent", json_object_new_double_s(percent, text));
}

static struct json_object *
make_elements(const struct moves_family *family)
{
	struct json_object *list = json_object_new_array();

	for (size_t e = 0; e < family->element_count; e++) {
		const struct moves_element *element = &family->elements[e];
		struct json_object *object;

		if (!is_worth_a_line(element))
			continue;
		object = json_object_new_object();
		json_object_object_add(object, "id", json_object_new_string(element->id));
		add_amount(object, "before", element->before);
		add_amount(object, "after", element->after);
		add_amount(object, "leave", element->leave);
		add_amount(object, "come", element->come);
		json_object_array_add(list, object);
	}
	return list;
}

struct json_object *
profile_report_json(const struct moves *moves)
{
	struct json_object *root = json_object_new_object(), *list = json_object_new_array();

	add_amount(root, "moved", moves->moved);
	add_amount(root, "minimum", moves->minimum);
	for (size_t i = 0; i < moves->count; i++) {
		const struct moves_family *family = &moves->families[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "group", json_object_new_string(family->group));
		json_object_object_add(
		    object, "family", json_object_new_string(family_names[family->family]));
		add_amount(object, "before", (double)family->before);
		add_amount(object, "after", (double)family->after);
		add_amount(object, "moved", family->moved);
		add_percent(object, get_percent(family, family->moved));
		add_amount(object, "minimum", family->minimum);
		add_amount(object, "new", family->fresh);
		add_amount(object, "ended", family->ended);
		json_object_object_add(object, "element", make_elements(family));
		json_object_array_add(list, object);
	}
	json_object_object_add(root, "families", list);
	return root;
}
