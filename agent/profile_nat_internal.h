/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of the NAT checks (profile_nat.c, profile_nat_*.c) and by nobody else. All
 * checks: 0, or -EINVAL with err. */
#ifndef AUTOFBF_PROFILE_NAT_INTERNAL_H
#define AUTOFBF_PROFILE_NAT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "profile.h"

/* A pool and where it stands. All borrowed. */
struct nat_site {
	const struct profile_group *group;
	const struct profile_element *element;
	enum family family;
	const struct profile_nat_pool *pool;
};

/* The subscriber pools that a group has now, in order; they are disjoint (profile_check.c). */
struct nat_space {
	const struct prefix **pools; /* owned; borrowed prefixes */
	size_t count;
};

enum { NAT_PATH_SIZE = 160 }; /* three identifiers of at most 32, and the words between them */

extern const char *const nat_family_words[FAMILY_COUNT]; /* "IPv4", "IPv6" */

/* "/group[G]/element[E]/ipv4/nat-pool[P]"; returns buf. */
const char *nat_site_path(const struct nat_site *site, char buf[NAT_PATH_SIZE]);
/* Has the family and is no tombstone. */
bool nat_serves(const struct profile_element *element, enum family family);

/* One pool by itself. */
int nat_pool_check(const struct profile *profile, const struct nat_site *site, struct error *err);
/* Rules of one element and family; sites are its pools. */
int nat_rules_check(const struct nat_site *sites, size_t count, struct error *err);

/* spaces has an entry for each group of the profile. */
struct nat_space *nat_spaces_new(const struct profile *profile);
void nat_spaces_free(struct nat_space *spaces, const struct profile *profile);
/* A subscriber pool that overlaps the prefix, or NULL. */
const struct prefix *nat_space_find(const struct nat_space *space, const struct prefix *prefix);
/* The same, of the site's group and of those that share the instance of its outside session, whose
 * subscribers the prefix may be; sets *ret_group when it finds one. */
const struct prefix *nat_subscribers_find(const struct profile *profile,
    const struct nat_space *spaces, const struct nat_site *site, const struct prefix *prefix,
    const struct profile_group **ret_group);
/* All pools of a family against each other, peers and subscribers. Orders the sites. */
int nat_clashes_check(const struct profile *profile, const struct nat_space *spaces,
    struct nat_site *sites, size_t count, struct error *err);

#endif
