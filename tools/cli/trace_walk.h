/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet and its answer through a router, judged from the router's configuration alone: each leg
 * enters at an interface, passes its filters, and ends at an element, at a discard, or past all
 * elements. From the profile come only names: which address is which element's, whose pools and
 * interfaces are whose.
 */
#ifndef AUTOFBF_CLI_TRACE_WALK_H
#define AUTOFBF_CLI_TRACE_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "prefix.h"
#include "profile.h"
#include "trace_config.h"
#include "trace_filter.h"
#include "trace_texts.h"

#define TRACE_NOBODY SIZE_MAX

/* A look-up that the walk would like the router to answer, or that it has answered. */
struct trace_lookup {
	char *table; /* owned */
	struct prefix destination;
};

struct trace_lookups {
	struct trace_lookup *lookups; /* owned */
	size_t count;
};

struct trace_input {
	const struct profile *profile;        /* borrowed, like the rest */
	const struct trace_config *config;    /* sorted */
	const struct trace_routes *routes;    /* the router's active routes, as far as known */
	const struct trace_lookups *answered; /* what routes holds everything for; NULL: for each
	                                       * table that is in it */
	const char *group;                    /* id or name; NULL: whichever has the address */
	struct ip source, destination;
};

enum trace_fate {
	TRACE_TO_ELEMENT,
	TRACE_DROPPED,
	TRACE_BYPASS,    /* by the main table: not through an element */
	TRACE_ELSEWHERE, /* to a next hop that is no element's */
	TRACE_UNKNOWN,   /* cannot be judged from the configuration */
	TRACE_FATES
};
extern const char *const trace_fate_names[TRACE_FATES];

struct trace_leg {
	enum side side;    /* of the router, and of the elements, that it comes from */
	bool is_answer;    /* of the packet DESTINATION -> SOURCE */
	size_t subscriber; /* whose: index in the walk's subscribers */
	struct trace_packet packet;
	const char *interface; /* borrowed; the first of those that act alike; NULL: none */
	size_t more_interfaces;
	const struct trace_binding *binding; /* borrowed; NULL: nothing is applied */
	struct trace_filtered filtered;
	bool is_nat;        /* to a pool's address; the pool's route steers, no filter */
	struct prefix pool; /* of a NAT leg */
	uint16_t first_port, last_port;  /* of a NAT leg; 0: only the element knows */
	char *table;                     /* owned or NULL; where the route was looked up */
	const struct trace_route *route; /* borrowed; NULL: none */
	bool route_is_live;              /* from the router's answer, not from its configuration */
	enum trace_fate fate;
	size_t group, element; /* indices; where fate is TRACE_TO_ELEMENT */
	char *end;             /* owned; how it ends, in words */
};

enum trace_why {
	TRACE_WHY_NONE, /* at no element */
	TRACE_WHY_BASE,
	TRACE_WHY_OVERRIDE,
	TRACE_WHY_FOREIGN, /* by a list or a prefix that is not the profile's */
};
extern const char *const trace_why_names[];

/* The end that is in a pool, or both. */
struct trace_subscriber {
	struct ip address;
	size_t group;
	struct prefix unit;
	enum trace_why why; /* of its inside leg, else of its outside leg */
	bool is_piece;      /* the item is smaller than the unit */
	size_t base;        /* element by the router's base lists, or TRACE_NOBODY */
	bool is_nat;
	struct trace_texts translation; /* what the element makes of the address */
};

struct trace {
	const struct profile *profile; /* borrowed */
	enum family family;
	struct trace_subscriber subscribers[2];
	size_t subscriber_count;
	struct trace_leg *legs; /* owned; in the order in which packet and answer take them */
	size_t leg_count;
	struct trace_texts faults; /* each is a reason for exit 4 */
	struct trace_texts notes;
	struct trace_texts assumed;  /* of all legs */
	struct trace_lookups wanted; /* what the router should be asked; then walk again */
};

/* 0; -ENOENT: no such group, or neither address is in a pool (of it); -EINVAL: two families, or two
 * groups have the address and input->group is NULL. trace_done afterwards, also after an error. */
int trace_walk(const struct trace_input *input, struct trace *ret_trace, struct error *err);
/* Has `ask` get what the walk wants to know into input->routes and input->answered, and walks
 * again, until it wants no more. What ask returns when that is not 0; -EAGAIN: the answers lead to
 * other questions again and again; else as trace_walk. */
typedef int trace_ask_fn(void *arg, const struct trace_lookups *wanted, struct error *err);
int trace_walk_asking(const struct trace_input *input, trace_ask_fn *ask, void *arg,
    struct trace *ret_trace, struct error *err);
void trace_done(struct trace *trace);
/* Both directions cross the same element, and nothing speaks against it. */
bool trace_is_good(const struct trace *trace);
/* Of the subscriber's legs that go to an element the first; NULL: none does. */
const struct trace_leg *trace_first_leg(const struct trace *trace, size_t subscriber);

void trace_lookups_add(
    struct trace_lookups *lookups, const char *table, const struct prefix *destination);
bool trace_lookups_have(
    const struct trace_lookups *lookups, const char *table, const struct prefix *destination);
void trace_lookups_done(struct trace_lookups *lookups);

#endif
