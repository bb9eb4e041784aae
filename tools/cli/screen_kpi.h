/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of `autofbf kpi`: load and reaction, by container state. */
#ifndef AUTOFBF_SCREEN_KPI_H
#define AUTOFBF_SCREEN_KPI_H

#include "screen.h"

/* All groups, one (with its sum and average), or one element of it. NULL: all. */
void screen_kpi(const struct screen *screen, const struct lyd_node *only_group,
    const struct lyd_node *only_element);

#endif
