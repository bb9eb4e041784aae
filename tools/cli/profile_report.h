/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves between two profiles, for people and for scripts. */
#ifndef AUTOFBF_CLI_PROFILE_REPORT_H
#define AUTOFBF_CLI_PROFILE_REPORT_H

#include "moves.h"

struct json_object;

/* Tables on standard output. */
void profile_report_print(const struct moves *moves);
/* The caller's (json_object_put). */
struct json_object *profile_report_json(const struct moves *moves);
/* Why, when more moves than the minimum; else nothing. */
void profile_report_print_costly(const struct moves *moves);

#endif
