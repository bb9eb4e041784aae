/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers on standard output: JSON as the model prints it, and plain tables. */
#ifndef AUTOFBF_OUTPUT_H
#define AUTOFBF_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;
struct lyd_node;
struct libscols_table;

/* RFC 7951, with a line feed. with_siblings: all that stand beside the node as well. */
void output_json(const struct lyd_node *node, bool with_siblings);
/* A whole number as a member, also one that no integer type holds. */
void output_json_number(struct json_object *object, const char *name, double number);
/* {"result":"done"} or nothing, for commands whose answer is that they were done. */
void output_done(bool json, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct output_column {
	const char *name;
	bool right;
};
/* A table with a heading; cut at nothing, coloured never. */
struct libscols_table *output_table(const struct output_column *columns, size_t count);
/* cells has as many texts as there are columns; they are copied. */
void output_row(struct libscols_table *table, const char *const *cells);
/* Prints and frees it. */
void output_table_end(struct libscols_table *table);

#endif
