/* SPDX-License-Identifier: BSD-3-Clause */
/* A whole file as text. */
#ifndef AUTOFBF_CLI_TEXT_READ_H
#define AUTOFBF_CLI_TEXT_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

/* Also of a pipe; "-" is standard input. ret_text ends with a NUL, which ret_size does not count;
 * the caller frees it. 0, or -errno: it cannot be read, or has more than 1 GiB. */
int text_read(const char *path, char **ret_text, size_t *ret_size, struct error *err);
/* For errors: the path, or "standard input". */
const char *text_read_name(const char *path);

#endif
