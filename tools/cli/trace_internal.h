/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of a walk share: trace_walk.c the legs, trace_nat.c pools, trace_judge.c names and
 * the verdict. */
#ifndef AUTOFBF_CLI_TRACE_INTERNAL_H
#define AUTOFBF_CLI_TRACE_INTERNAL_H

#include "trace_walk.h"
#include "trace_xml.h"

struct walker {
	const struct trace_input *input;
	struct trace *trace;
};

/* What the element has in that family; NULL: nothing, or its peers and lists are free for a
 * successor, for it is removed. */
const struct profile_element_family *trace_family(
    const struct profile_element *element, enum family family);
/* The element with that address, on whichever side. False: nobody. */
bool trace_find_element(const struct profile *profile, const struct ip *address, size_t *ret_group,
    size_t *ret_element, enum side *ret_side);
/* Whose list it is; False: no element's of the group. */
bool trace_list_owner(const struct profile_group *group, enum family family, const char *list,
    size_t *ret_element, bool *ret_override);
/* The interface that faces the element; NULL: neither profile nor configuration tells. */
const char *trace_facing(
    const struct trace_input *input, size_t group, size_t element, enum side side);

/* The element that the route's next hop leads to when it is taken by a packet from that side: by
 * the address, or where that is link-local or none by the interface. False: nobody. */
bool trace_find_hop(const struct trace_input *input, const struct trace_route *route,
    enum side side, size_t *ret_group, size_t *ret_element, enum side *ret_side);

/* Fills the walk's subscribers, see trace_walk. */
int trace_find_subscribers(const struct walker *w, struct error *err);

/* Walks the leg on each interface where it may begin. from: the leg whose element it comes out of.
 */
void trace_walk_leg(const struct walker *w, const struct trace_leg *leg,
    const struct trace_leg *from, void (*follow)(const struct walker *w, struct trace_leg *leg));
/* Through the filters of leg->interface. */
void trace_follow_filters(const struct walker *w, struct trace_leg *leg);
/* Looks the destination up and ends the leg there. */
void trace_follow_table(const struct walker *w, struct trace_leg *leg, const char *table,
    const struct prefix *destination);
/* How the leg ends. Takes end. */
void trace_end(struct trace_leg *leg, enum trace_fate fate, char *end);

/* The way back to pool addresses. inside: the leg that brought the subscriber to its element; NULL:
 * it reaches none, and there is nothing to walk. */
void trace_walk_nat(const struct walker *w, const struct trace_leg *leg,
    const struct trace_leg *from, const struct trace_leg *inside);

/* Faults and notes from the legs. */
void trace_judge(const struct walker *w);

#endif
