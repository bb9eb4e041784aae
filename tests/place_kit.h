/* SPDX-License-Identifier: BSD-3-Clause */
/* A directory of a test's own, for a file and what may stand beside it. */
#ifndef AUTOFBF_TESTS_PLACE_KIT_H
#define AUTOFBF_TESTS_PLACE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "error.h"

struct place {
	char directory[64];
	char path[96], beside[96];
};

static inline int
place_make(void **state, const char *name, const char *beside)
{
	struct place *place = xcalloc(1, sizeof(*place));

	strcpy(place->directory, "/tmp/autofbf-test-XXXXXX");
	if (!mkdtemp(place->directory))
		return -1;
	snprintf(place->path, sizeof(place->path), "%s/%s", place->directory, name);
	snprintf(place->beside, sizeof(place->beside), "%s/%s", place->directory, beside);
	*state = place;
	return 0;
}

/* Fails when there is anything else in the directory. */
static inline int
place_remove(void **state)
{
	struct place *place = *state;

	(void)chmod(place->directory, 0700);
	(void)remove(place->path);
	(void)remove(place->beside);
	if (rmdir(place->directory) < 0)
		return -1;
	free(place);
	return 0;
}

/* The test makes its own: make_place calls place_make. */
#define AT_A_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, place_remove)

#endif
