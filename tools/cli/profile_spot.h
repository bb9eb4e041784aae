/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the text of a profile says what the profile has. */
#ifndef AUTOFBF_CLI_PROFILE_SPOT_H
#define AUTOFBF_CLI_PROFILE_SPOT_H

#include "json_edit.h"
#include "profile.h"

/* list: "element" or "pool". */
struct json_span profile_spot_list(
    const char *text, const struct profile_group *group, const char *list);
struct json_span profile_spot_element(
    const char *text, const struct profile_group *group, const char *id);
struct json_span profile_spot_pool(
    const char *text, const struct profile_group *group, const struct profile_pool *pool);
/* The last entry of an array; the array itself when it is empty. */
struct json_span profile_spot_last(const char *text, struct json_span array);

#endif
