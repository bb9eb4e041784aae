/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter conditions other than addresses -> nftables expressions. */
#ifndef LABROUTER_FILTER_MATCH_H
#define LABROUTER_FILTER_MATCH_H

#include <libxml/tree.h>

#include "error.h"
#include "prefix.h"

/* All conditions of a <from> that filter.c does not handle itself, joined; NULL text when there is
 * none. ret_match is owned by the caller. 0, or -ENOTSUP with err = the condition. */
int filter_match_read(const xmlNode *from, enum family family, char **ret_match, struct error *err);

#endif
