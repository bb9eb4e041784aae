/* SPDX-License-Identifier: BSD-3-Clause */
/* A stream into memory that is always there (no memory ends the process). */
#ifndef LABROUTER_MEMTEXT_H
#define LABROUTER_MEMTEXT_H

#include <stddef.h>
#include <stdio.h>

/* As open_memstream(3): *text (free) and *size are valid after fclose. */
FILE *memtext_open(char **text, size_t *size);

#endif
