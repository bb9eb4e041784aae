/* SPDX-License-Identifier: BSD-3-Clause */
/* libyang's last error -> "FILE:LINE: /group[cgn]/...: 0 is below 1". */
#ifndef AUTOFBF_PROFILE_FAULT_H
#define AUTOFBF_PROFILE_FAULT_H

#include "error.h"

struct ly_ctx;
struct lyd_node;

/* tree: what was parsed before a validation failed, or NULL. text: the whole profile. */
void profile_fault_describe(const struct ly_ctx *ctx, const struct lyd_node *tree, const char *text,
    const char *name, struct error *err);

#endif
