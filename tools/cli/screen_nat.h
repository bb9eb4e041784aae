/* SPDX-License-Identifier: BSD-3-Clause */
/* What screens say about NAT pools, of families with return-path nat-routes. */
#ifndef AUTOFBF_SCREEN_NAT_H
#define AUTOFBF_SCREEN_NAT_H

#include <stddef.h>

#include "screen.h"

/* The group's family has it. */
bool screen_is_nat(const struct lyd_node *group, int family);
/* "2/2": active of expected pool routes of an element's family; "?/2": not all are known. */
enum { NAT_TEXT_SIZE = 16 };
const char *screen_nat_count(const struct lyd_node *family, char buf[NAT_TEXT_SIZE]);
/* One line for each pool of an element's family. */
void screen_nat_pools(const struct screen *screen, const struct lyd_node *family);
/* "leads here", "LEADS TO fbf-03 (10.2.3.2)", "HAS NO ROUTE", ...: where a pool's route leads. */
void screen_nat_describe(
    const struct lyd_node *family, const struct lyd_node *pool, char *buf, size_t size);
/* The router was asked for a pool's route, and it does not lead to the element. */
bool screen_nat_is_lost(const struct lyd_node *pool);
/* What is wrong with a pool's route, and who has it; false: nothing, or not known. */
bool screen_nat_trouble(const struct lyd_node *pool, char *buf, size_t size);

#endif
