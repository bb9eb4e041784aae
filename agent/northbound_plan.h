/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RPC plan: what would move, and what it would cost, if elements failed or returned, had
 * another weight, or if another profile were applied. Reads only; the answer is worked out at once.
 */
#ifndef AUTOFBF_NORTHBOUND_PLAN_H
#define AUTOFBF_NORTHBOUND_PLAN_H

#include "northbound_query.h"

/* 0; -ENOENT: unknown name; -EINVAL with app_tag bad-profile: the profile, or the weights in it,
 * are wrong; err says where. */
int northbound_query_plan(struct northbound_query *query, struct error *err);

#endif
