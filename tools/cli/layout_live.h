/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer of the RPC layout, printed as layout_json.h prints an offline one. */
#ifndef AUTOFBF_LAYOUT_LIVE_H
#define AUTOFBF_LAYOUT_LIVE_H

#include <stdio.h>

struct lyd_node;

void layout_live_print_json(const struct lyd_node *output, FILE *out);
void layout_live_print_text(const struct lyd_node *output, FILE *out);

#endif
