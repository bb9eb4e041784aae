/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output: one place that knows how libyang prints JSON and how libsmartcols is asked for a
 * table. Tables are never cut to the width of a terminal, since a cut address is a wrong one.
 */
#include "output.h"

#include <json-c/json.h>
#include <libsmartcols/libsmartcols.h>
#include <libyang/libyang.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "error.h"

void
output_json(const struct lyd_node *node, bool with_siblings)
{
	char *text = NULL;
	uint32_t options = with_siblings ? LYD_PRINT_WITHSIBLINGS : 0;

	if (node && lyd_print_mem(&text, node, LYD_JSON, options) == LY_SUCCESS && text)
		fputs(text, stdout);
	else
		fputs("{}\n", stdout);
	free(text);
}

void
output_json_number(struct json_object *object, const char *name, double number)
{
	char text[320]; /* the largest double has 309 digits */

	snprintf(text, sizeof(text), "%.0f", number);
	json_object_object_add(object, name, json_object_new_double_s(number, text));
}

void
output_done(bool json, const char *fmt, ...)
{
	va_list args;

	if (json) {
		puts("{\"result\":\"done\"}");
		return;
	}
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

struct libscols_table *
output_table(const struct output_column *columns, size_t count)
{
	struct libscols_table *table = scols_new_table();

	if (!table)
		fatal("out of memory");
	scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
	for (size_t i = 0; i < count; i++)
		if (!scols_table_new_column(
		        table, columns[i].name, 0, columns[i].right ? SCOLS_FL_RIGHT : 0))
			fatal("out of memory");
	return table;
}

void
output_row(struct libscols_table *table, const char *const *cells)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	size_t count = scols_table_get_ncols(table);

	for (size_t i = 0; line && i < count; i++)
		scols_line_set_data(line, i, cells[i]);
}

void
output_table_end(struct libscols_table *table)
{
	scols_print_table(table);
	scols_unref_table(table);
}
