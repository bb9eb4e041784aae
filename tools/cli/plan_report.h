/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer of the RPC plan, as people read it. 80 columns. */
#ifndef AUTOFBF_CLI_PLAN_REPORT_H
#define AUTOFBF_CLI_PLAN_REPORT_H

struct lyd_node;

/* One family: a sentence, and who gives and gets what. */
void plan_report_family(const struct lyd_node *family);
/* Loads against capacity, warnings and notes. */
void plan_report_cost(const struct lyd_node *plan);
/* All of it. */
void plan_report(const struct lyd_node *plan);

#endif
