/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes -> profile loader: no crash, no leak, an error text for whatever is refused; and what
 * is accepted prints as something that loads as itself.
 */
#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile_yang.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_print(const struct ly_ctx *ctx, const struct profile *profile)
{
	struct profile *again = NULL;
	struct error err = { "" };

	if (profile_load_text(ctx, profile->print, strlen(profile->print), "print", &again, &err) <
	    0)
		fatal("the print does not load: %s", err.text);
	if (strcmp(again->print, profile->print) != 0 || strcmp(again->id, profile->id) != 0)
		fatal("the print of the print is another");
	profile_free(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ly_ctx *ctx; /* made once: 2 ms */
	struct profile *profile = NULL;
	struct error err = { "" };

	if (!ctx && profile_yang_context("yang", &ctx, &err) < 0)
		fatal("%s", err.text);
	if (profile_load_text(ctx, (const char *)data, size, "fuzz.json", &profile, &err) == 0)
		check_print(ctx, profile);
	else if (strncmp(err.text, "fuzz.json", 9) != 0)
		fatal("an error without the file: %s", err.text);
	profile_free(profile);
	return 0;
}
