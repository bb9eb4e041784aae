/* SPDX-License-Identifier: BSD-3-Clause */
/* One order for trees that say the same. */
#ifndef AUTOFBF_TREE_SORT_H
#define AUTOFBF_TREE_SORT_H

struct lyd_node;

/* Sorts every list below parent that is not ordered by the user: prefixes by address, numbers by
 * value, the rest by bytes. */
void tree_sort(struct lyd_node *parent);

#endif
