/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RPC layout: a snapshot of owners (two bytes a unit, more where units are split), written out
 * as XML bit by bit, so that neither a tree of a hundred thousand nodes is built nor the loop held
 * for its size.
 */
#ifndef AUTOFBF_NORTHBOUND_LAYOUT_H
#define AUTOFBF_NORTHBOUND_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "northbound_operations.h"

struct northbound_stream;

/* down: ids or names that are taken as down as well. 0; -ENOENT: unknown name, err lists what
 * exists; or the operation's error. The stream borrows the profile and its spaces. */
int northbound_layout_new(const struct northbound_operations *operations, const char *const *down,
    size_t down_count, struct northbound_stream **ret_stream, struct error *err);

/* -ENOENT with err = what exists, when one of the names is no element's id or name. */
int northbound_check_elements(
    const struct profile *profile, const char *const *names, size_t count, struct error *err);

#endif
