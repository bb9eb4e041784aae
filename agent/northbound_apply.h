/* SPDX-License-Identifier: BSD-3-Clause */
/* The RPC profile-apply: input to request, answer or refusal to output. */
#ifndef AUTOFBF_NORTHBOUND_APPLY_H
#define AUTOFBF_NORTHBOUND_APPLY_H

#include "northbound_query.h"

/* who: the caller. 0, or -errno with err and the query's app_tag. */
int northbound_apply(struct northbound_query *query, const char *who, struct error *err);

#endif
