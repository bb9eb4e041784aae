/* SPDX-License-Identifier: BSD-3-Clause */
/* Alarms as a person reads them: the table, the lines in the status screen, one line to check. */
#ifndef AUTOFBF_SCREEN_ALARMS_H
#define AUTOFBF_SCREEN_ALARMS_H

#include "screen.h"

/* Worst first, the oldest first among equals, with cause and remedy; of a group or an element
 * (NULL: all). An alarm that is about no group is always shown. */
void screen_alarms(
    const struct screen *screen, const struct lyd_node *group, const struct lyd_node *element);
/* 0 none, 1 minor or major, 2 critical. */
int screen_alarms_severity(
    const struct screen *screen, const struct lyd_node *group, const struct lyd_node *element);
/* One line for monitoring: counts and the worst. */
void screen_alarms_check(
    const struct screen *screen, const struct lyd_node *group, const struct lyd_node *element);
/* The worst three, for the bottom of the status screen; nothing when there are none. */
void screen_alarms_brief(const struct screen *screen, const struct lyd_node *group);

/* The alarm is about the group or the element (NULL: any), or about none. */
bool screen_has_alarm(
    const struct lyd_node *alarm, const struct lyd_node *group, const struct lyd_node *element);

#endif
