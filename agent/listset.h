/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A set of named prefix-lists: what the router has, or what it should have. Lists are sorted by
 * name (bytes), items by prefix_compare and unique, once listset_sort has run.
 */
#ifndef AUTOFBF_LISTSET_H
#define AUTOFBF_LISTSET_H

#include <stdbool.h>
#include <stddef.h>

#include "prefix.h"

/* A list of this name stands for the static discard routes of the instance (signal routes), so that
 * they are compared, planned and read back as lists are. No router list can have this name. */
#define LISTSET_SIGNAL_ROUTES "@signal-routes"

struct prefix_list {
	char *name;           /* owned */
	struct prefix *items; /* owned */
	size_t count;
	size_t capacity;
};

struct listset {
	struct prefix_list *lists; /* owned */
	size_t count;
	size_t capacity;
};

/* A zeroed struct is an empty set. */
void listset_done(struct listset *set);
/* Finds or appends the list (linear in the unsorted tail; fine when names come grouped).
 * The pointer is valid until the next listset_list. */
struct prefix_list *listset_list(struct listset *set, const char *name);
void prefix_list_add(struct prefix_list *list, const struct prefix *item);
/* Sorts lists and items, drops duplicate items, joins lists of the same name. */
void listset_sort(struct listset *set);
/* In a sorted set; NULL when absent. */
const struct prefix_list *listset_find(const struct listset *set, const char *name);
bool prefix_list_has(const struct prefix_list *list, const struct prefix *item);
/* Some item of a sorted list contains the address. */
bool prefix_list_covers(const struct prefix_list *list, const struct ip *ip);
/* ret_copy must be zeroed or empty. */
void listset_copy(const struct listset *set, struct listset *ret_copy);
bool listset_equal(const struct listset *a, const struct listset *b);

#endif
