/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer of the RPC layout, printed as layout_json.h prints an offline one. */
#ifndef AUTOFBF_LAYOUT_LIVE_H
#define AUTOFBF_LAYOUT_LIVE_H

#include <stdio.h>

struct lyd_node;

/* The group of this id or name, NULL when there is none. */
const struct lyd_node *layout_live_find(const struct lyd_node *output, const char *name);
/* only: this group alone; NULL: all. */
void layout_live_print_json(const struct lyd_node *output, const struct lyd_node *only, FILE *out);
void layout_live_print_text(const struct lyd_node *output, const struct lyd_node *only, FILE *out);

#endif
