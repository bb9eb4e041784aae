/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The status screen: container state as a person reads it at three in the morning. 80 columns;
 * impact first, the next action last. Writes to any FILE, so that tests compare it.
 */
#ifndef AUTOFBF_SCREEN_H
#define AUTOFBF_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tree.h"

struct screen {
	FILE *out;
	bool colour;
	const struct lyd_node *state; /* borrowed */
	int64_t now;                  /* us, of the picture */
};

enum { SCREEN_WIDTH = 80, SCREEN_FAMILIES = 2 };
extern const char *const screen_family_names[SCREEN_FAMILIES]; /* "ipv4", "ipv6" */
extern const char *const screen_family_tags[SCREEN_FAMILIES];  /* "v4", "v6" */

void screen_init(struct screen *screen, FILE *out, bool colour, const struct lyd_node *state);
/* Everything, or one group (NULL: all). */
void screen_status(const struct screen *screen, const struct lyd_node *only_group);
/* One element: families, peers, units. */
void screen_element(
    const struct screen *screen, const struct lyd_node *group, const struct lyd_node *element);
/* 0 ok, 1 degraded, 2 critical; of one group (NULL: all). */
int screen_severity(const struct screen *screen, const struct lyd_node *only_group);
/* One line for monitoring; returns the severity. */
int screen_check(const struct screen *screen, const struct lyd_node *only_group);

/* ---- parts
 * --------------------------------------------------------------------------------------- */

/* Who carries what: the lines at the top. */
void screen_impact(const struct screen *screen, const struct lyd_node *only_group);
/* Router, last commit, frozen and forced, and what to do next: the lines at the bottom. */
void screen_footer(const struct screen *screen, const struct lyd_node *only_group);
/* ... of which the last: what happens by itself, and what needs a person. */
void screen_next(const struct screen *screen, const struct lyd_node *only_group);

/* Elements that carry on without a verdict, and what of it stands in the line of --check; both
 * print nothing when there are none. */
void screen_blind(const struct screen *screen, const struct lyd_node *group);
void screen_blind_check(const struct screen *screen, const struct lyd_node *group);
/* Those that no source vouches for; not told while the start waits for them. */
unsigned screen_count_blind(const struct lyd_node *group);
/* What they need of a person; false: there are none. */
enum { BLIND_TEXT_SIZE = 512 };
bool screen_blind_task(const struct lyd_node *group, char buf[BLIND_TEXT_SIZE]);

/* What the policy adds; each prints nothing when there is nothing to say. */
void screen_risk(const struct screen *screen, const struct lyd_node *group);
void screen_notes(const struct screen *screen, const struct lyd_node *group);
/* The line of a group that has signal routes. */
void screen_signal(const struct screen *screen, const struct lyd_node *group, bool is_first);
bool screen_has_signal(const struct lyd_node *group);
bool screen_is_overloaded(const struct lyd_node *group);
/* "survivors at 112 % of capacity (fbf-01 38.2 of 34 Gbps)"; false: not near it. */
enum { LOAD_TEXT_SIZE = 192 };
bool screen_describe_capacity(const struct lyd_node *group, char buf[LOAD_TEXT_SIZE]);
/* A failed route is installed; in which families. */
bool screen_has_failed_route(const struct lyd_node *group, const char **ret_families);
/* Fewer than min-alive are left, and it is not. */
bool screen_lacks_failed_route(const struct lyd_node *group);
/* The alter route is wanted, and not there yet. */
bool screen_lacks_alter_route(const struct lyd_node *group);

/* "tag      text", words wrapped under the text. tag NULL: it has been printed already. */
void screen_wrap(const struct screen *screen, const char *tag, int tag_width, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The entry of list family; NULL: not served. */
const struct lyd_node *screen_family(const struct lyd_node *parent, int family);
/* Columns that the names of a group's elements take when there is room for so many: more, if names
 * would look the same else. */
int screen_name_width(const struct lyd_node *group, int room);
/* The name, without its middle when it is longer than width; returns buf. */
enum { NAME_TEXT_SIZE = 64 * 4 + 1 };
const char *screen_name(const char *name, int width, char buf[NAME_TEXT_SIZE]);
/* Units that an element carries by the router's lists, with the parts of split ones. */
double screen_effective(const struct lyd_node *family);
/* Which families share the freeze of this one: "v4+v6" for the first of two that do, "" for the
 * second and when it is not frozen. */
const char *screen_freeze_families(const struct lyd_node *group, int family);
/* The router's ephemeral database took no more: nothing is tried again before `audit now`. */
bool screen_is_full(const struct screen *screen);
/* Why nothing is moved in any group, whatever happens; NULL: the agent could. */
const char *screen_obstacle(const struct screen *screen);
/* Sums a leaf over the families into "256+256" (one number when there is one family). */
enum { PAIR_TEXT_SIZE = 48 };
const char *screen_pair(const struct lyd_node *parent, const char *leaf, char buf[PAIR_TEXT_SIZE]);
const char *screen_pair_format(const uint64_t counts[SCREEN_FAMILIES],
    const bool present[SCREEN_FAMILIES], char buf[PAIR_TEXT_SIZE]);
/* "up", "DOWN", "hold 0:13", "damped 0:47", "awaits you", "OFFLINE", "v6 DOWN" ...; *ret_since:
 * when it became so. */
enum { STATE_TEXT_SIZE = 16 + AGE_TEXT_SIZE }; /* a word, its family and a countdown */
const char *screen_element_state(const struct screen *screen, const struct lyd_node *element,
    char buf[STATE_TEXT_SIZE], int64_t *ret_since);
/* Out of the healthy set in a family it serves, and not removed. */
bool screen_element_is_out(const struct lyd_node *element);
/* How a peer looks: + up, B BFD expired, x BGP down, a admin, r up without its routes, ! up without
 * BFD, s up with a slow BFD, ? unknown. */
char screen_peer_mark(const struct lyd_node *peer);

#endif
