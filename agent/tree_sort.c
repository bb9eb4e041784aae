/* SPDX-License-Identifier: BSD-3-Clause */
#include "tree_sort.h"

#include <libyang/libyang.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "prefix.h"

static LY_DATA_TYPE
type_of(const struct lysc_node *schema)
{
	return schema->nodetype == LYS_LEAFLIST
	           ? ((const struct lysc_node_leaflist *)schema)->type->basetype
	           : ((const struct lysc_node_leaf *)schema)->type->basetype;
}

/* By type, not by look: ids may look like numbers or addresses, and a mixed order would be none. */
static int
compare_values(const struct lyd_node *a, const struct lyd_node *b)
{
	const char *x = lyd_get_value(a), *y = lyd_get_value(b);
	struct prefix p, q;

	if (type_of(a->schema) == LY_TYPE_UNION && prefix_parse(x, &p) == 0 &&
	    prefix_parse(y, &q) == 0)
		return prefix_compare(&p, &q);
	if (type_of(a->schema) != LY_TYPE_STRING && strlen(x) != strlen(y))
		return strlen(x) < strlen(y) ? -1 : 1;
	return strcmp(x, y);
}

/* Two entries of one list or leaf-list. libyang keeps the keys first, in the model's order. */
static int
compare_entries(const void *a, const void *b)
{
	const struct lyd_node *p = *(struct lyd_node *const *)a, *q = *(struct lyd_node *const *)b;
	int order;

	if (p->schema->nodetype == LYS_LEAFLIST)
		return compare_values(p, q);
	p = lyd_child(p);
	q = lyd_child(q);
	for (; p && q && lysc_is_key(p->schema); p = p->next, q = q->next) {
		order = compare_values(p, q);
		if (order)
			return order;
	}
	return 0;
}

/* Entries of one list stand together; first is the first of them. Returns the first after them. */
static struct lyd_node *
sort_entries(struct lyd_node *parent, struct lyd_node *first)
{
	struct lyd_node *node, **entries;
	size_t n = 0;

	for (node = first; node && node->schema == first->schema; node = node->next)
		n++;
	entries = xcalloc(n, sizeof(*entries));
	n = 0;
	for (node = first; node && node->schema == first->schema; node = node->next)
		entries[n++] = node;
	qsort(entries, n, sizeof(*entries), compare_entries);
	for (size_t i = 0; i < n; i++)
		lyd_unlink_tree(entries[i]);
	for (size_t i = 0; i < n; i++)
		if (lyd_insert_child(parent, entries[i]) != LY_SUCCESS)
			fatal("libyang does not take back its own node %s", LYD_NAME(entries[i]));
	free(entries);
	return node;
}

void
tree_sort(struct lyd_node *parent)
{
	struct lyd_node *node = lyd_child_no_keys(parent);

	while (node) {
		bool listed = node->schema->nodetype & (LYS_LIST | LYS_LEAFLIST);

		node = listed && !lysc_is_userordered(node->schema) ? sort_entries(parent, node)
		                                                    : node->next;
	}
	LY_LIST_FOR (lyd_child_no_keys(parent), node) {
		tree_sort(node);
	}
}
