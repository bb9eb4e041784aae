/* SPDX-License-Identifier: BSD-3-Clause */
/* ip(8) in batch mode: rules and routes change rarely, so a child process is good enough. */
#ifndef LABROUTER_IPROUTE_H
#define LABROUTER_IPROUTE_H

#include <stdbool.h>

#include "error.h"
#include "prefix.h"

/* Runs every line of commands (without "ip") for the family, going on after failed lines. What ip
 * complains about is logged at debug level when quiet, else as a warning. 0, or -errno when ip
 * could not be run. Takes some milliseconds. */
int iproute_batch(enum family family, const char *commands, bool quiet, struct error *err);

#endif
