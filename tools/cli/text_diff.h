/* SPDX-License-Identifier: BSD-3-Clause */
/* The difference of two texts, as patch(1) reads it. */
#ifndef AUTOFBF_CLI_TEXT_DIFF_H
#define AUTOFBF_CLI_TEXT_DIFF_H

#include <stdio.h>

/* Unified, three lines of context; nothing when the texts are the same. */
void text_diff_print(const char *name, const char *before, const char *after, FILE *out);

#endif
