/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts computed here, without an agent, and printed. JSON: one object
 * {"algorithm","profile-id","groups":[{"id","name","families":[{"family","layout-id","frozen",
 * "epoch","split-bits","elements":[{"id","name","configured","effective","healthy"}],
 * "units":[{"prefix","element","base-element","standby"}]}]}]}; that of an agent (layout_live.h)
 * also says "hostname", "now" and, of elements, "state" and "force-failed". It comes
 * with groups and elements by id, units by address, then length; null: nobody. Removed elements are
 * left out. configured: units by the base; effective: units by this layout, a fraction after a
 * split.
 *
 * Under a split table a line of units is an entry of the router's lists: a unit, or a piece of one
 * that is split, and standby is whose the entry is when its element fails next. Where that layout
 * cuts the entry finer, to several elements, standby is that of its first address, and one more
 * member says all: "standby-parts":[{"prefix","standby"}], by address.
 */
#ifndef AUTOFBF_LAYOUT_JSON_H
#define AUTOFBF_LAYOUT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "layout.h"
#include "profile.h"

struct error;

struct layout_view {
	const struct profile_group *group; /* borrowed */
	enum family family;
	const struct layout *layout;        /* borrowed */
	bool frozen;                        /* nobody is healthy */
	bool healthy[PROFILE_MAX_ELEMENTS]; /* the set that it was made from */
};

/* The layouts of one group (id or name), or with NULL of a whole profile, with everybody healthy
 * but down (ids or names, of any group), split as the groups' tables say. 0; -ENOENT: no such group
 * or element, err lists what exists; -EIO: out did not take it. */
int layout_offline(const struct profile *profile, const char *group, const char *const *down,
    size_t down_count, bool json, FILE *out, struct error *err);

#endif
