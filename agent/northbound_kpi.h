/* SPDX-License-Identifier: BSD-3-Clause */
/* The key figures of the picture in the words of yang/autofbf.yang; parts of container state. */
#ifndef AUTOFBF_NORTHBOUND_KPI_H
#define AUTOFBF_NORTHBOUND_KPI_H

#include "status.h"

struct lyd_node;

/* Each adds to its node: lists reaction and edits; displaced-seconds and unlisted; load;
 * steered. */
void northbound_kpi_put_agent(struct lyd_node *state, const struct status *status);
void northbound_kpi_put_group_family(
    struct lyd_node *family, const struct status_group_family *status);
void northbound_kpi_put_element(struct lyd_node *element, const struct status_element *status);
void northbound_kpi_put_element_family(
    struct lyd_node *family, const struct status_element_family *status);

#endif
