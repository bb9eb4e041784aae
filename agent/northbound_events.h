/* SPDX-License-Identifier: BSD-3-Clause */
/* The RPC events: the history, filtered. */
#ifndef AUTOFBF_NORTHBOUND_EVENTS_H
#define AUTOFBF_NORTHBOUND_EVENTS_H

#include "northbound_query.h"

/* 0; -ENOENT: a name that is not known, err lists what exists. */
int northbound_query_events(struct northbound_query *query, struct error *err);

#endif
