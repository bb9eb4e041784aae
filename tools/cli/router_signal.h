/* SPDX-License-Identifier: BSD-3-Clause */
/* The reading end of signal routes: conditions and export policies. router_config.c tells the
 * shape. */
#ifndef AUTOFBF_ROUTER_SIGNAL_H
#define AUTOFBF_ROUTER_SIGNAL_H

#include "config_writer.h"
#include "profile.h"

/* [edit policy-options]: condition and policy-statement of every family that has a signal route;
 * nothing when no group has one. */
void signal_write_policies(struct config_writer *w, const struct profile *profile);

#endif
