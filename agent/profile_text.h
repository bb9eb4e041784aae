/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile's JSON text itself: lines, members given twice, and prefixes with host bits, which
 * libyang clears without a word. For text that libyang has parsed already: grammar is not checked
 * again, but no text makes this read past its end.
 *
 * Paths are short: "/group[cgn]/element[fbf-02]/weight[0]/weight"; an entry of a list is named by
 * its first key, of a split table by both. In a path asked for, a name without [key] stands for any
 * entry.
 */
#ifndef AUTOFBF_PROFILE_TEXT_H
#define AUTOFBF_PROFILE_TEXT_H

#include <stddef.h>

#include "error.h"

enum { PROFILE_TEXT_ENTRIES = 10000 }; /* pools of a group */

/* Line (from 1) where a list or an object has more entries than that; 0: none. For text from
 * anywhere, before it is parsed: libyang compares entries of one key each with each. */
unsigned profile_text_crowd(const char *text);

/* Members given twice, host bits: 0, or -EINVAL with err = "/path: what is wrong". */
int profile_text_check(const char *text, struct error *err);

/* Line (from 1) of the node, or of its nearest ancestor that the text has; 0: none. */
unsigned profile_text_line(const char *text, const char *path);

/* The full path of the node that matches path (see above) and, unless value is NULL, has that
 * scalar value; of several the first. NULL: none. The caller frees it. */
char *profile_text_find(const char *text, const char *path, const char *value, unsigned *ret_line);

#endif
