/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The story of one address: its owners as the decisions of the history made them. Pure: a space and
 * a history in, steps out.
 */
#ifndef AUTOFBF_NORTHBOUND_WHY_H
#define AUTOFBF_NORTHBOUND_WHY_H

#include <stddef.h>
#include <stdint.h>

#include "history.h"
#include "layout.h"

struct why_step {
	const struct history_record *decision; /* borrowed from the history */
	const struct history_record *commit;   /* that carried it; NULL: none did, or not yet */
	uint8_t from, to; /* elements; LAYOUT_NONE: nobody, or from is not known */
};

struct why_story {
	struct why_step *steps; /* owned; oldest first */
	size_t count;
	const char *untold; /* static; why it does not reach further back; NULL: it begins at the
	                       base layout */
};

/* Every decision about the space's group and family by which the owner of ip changed. Valid until
 * something is added to the history. */
void northbound_why_tell(const struct layout_space *space, const struct history *history,
    const struct ip *ip, struct why_story *ret_story);
void northbound_why_done(struct why_story *story);

/* The first piece that ends at or after ip: the one that contains it, if any does; layout_pieces()
 * when there is none. */
size_t northbound_why_find(const struct layout *layout, const struct ip *ip);

#endif
