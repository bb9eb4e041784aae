/* SPDX-License-Identifier: BSD-3-Clause */
/* Replies and dumps are written with fprintf into memory; this is where that memory comes from. */
#include "memtext.h"

#include "error.h"

FILE *
memtext_open(char **text, size_t *size)
{
	FILE *out = open_memstream(text, size);

	if (!out)
		fatal("out of memory");
	return out;
}
