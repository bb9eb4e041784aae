/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles made by hand, for tests that need no file. Included after cmocka.h, by one test each. */
#ifndef AUTOFBF_TESTS_PROFILE_BUILD_H
#define AUTOFBF_TESTS_PROFILE_BUILD_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "profile.h"

static struct prefix
prefix(const char *text)
{
	struct prefix prefix;

	if (prefix_parse(text, &prefix) < 0)
		fail_msg("%s", text);
	return prefix;
}

static struct ip
ip(const char *text)
{
	struct ip ip;

	if (ip_parse(text, &ip) < 0)
		fail_msg("%s", text);
	return ip;
}

static void
add_pool(struct profile_group *g, const char *text, unsigned unit, uint32_t since, uint32_t until)
{
	g->pools = xreallocarray(g->pools, g->pool_count + 1, sizeof(*g->pools));
	g->pools[g->pool_count++] =
	    (struct profile_pool){ prefix(text), (uint8_t)unit, since, until };
}

static void
add_weight(struct profile_element *e, uint32_t epoch, uint16_t weight)
{
	e->weights = xreallocarray(e->weights, e->weight_count + 1, sizeof(*e->weights));
	e->weights[e->weight_count++] = (struct profile_weight){ epoch, weight };
	e->failed_weight = weight;
}

static void
add_family(struct profile_element *e, enum family f, unsigned number)
{
	char text[IP_TEXT_SIZE];

	e->family[f].present = true;
	for (int s = 0; s < SIDE_COUNT; s++) {
		snprintf(text, sizeof(text), f == FAMILY_IPV4 ? "172.%d.%u.%u" : "fd00:%d:%x::%x",
		    16 + s, number / 250, 2 + number % 250);
		e->family[f].peer[s].address = ip(text);
		e->family[f].peer[s].instance = xstrdup("master");
	}
	e->family[f].base_list = xasprintf("%s-base-%s", e->id, family_tags[f]);
	e->family[f].override_list = xasprintf("%s-ovr-%s", e->id, family_tags[f]);
}

static struct profile_element *
add_element(struct profile_group *g, const char *id, unsigned number)
{
	struct profile_element *e;

	g->elements = xreallocarray(g->elements, g->element_count + 1, sizeof(*g->elements));
	e = &g->elements[g->element_count++];
	*e = (struct profile_element){ .id = xstrdup(id), .name = xstrdup(id) };
	add_weight(e, 0, 1);
	add_family(e, FAMILY_IPV4, number);
	return e;
}

static inline struct profile_nat_pool *
add_nat_pool(struct profile_element *e, enum family family, const char *id, const char *text)
{
	struct profile_element_family *f = &e->family[family];
	struct profile_nat_pool *pool;

	f->nat_pools = xreallocarray(f->nat_pools, f->nat_pool_count + 1, sizeof(*f->nat_pools));
	pool = &f->nat_pools[f->nat_pool_count++];
	*pool = (struct profile_nat_pool){ .id = xstrdup(id), .block_size = 256 };
	pool->prefix = prefix(text);
	return pool;
}

static inline void
add_host(struct profile_nat_pool *pool, const char *text)
{
	pool->kind = NAT_DETERMINISTIC;
	pool->hosts = xreallocarray(pool->hosts, pool->host_count + 1, sizeof(*pool->hosts));
	pool->hosts[pool->host_count++] = prefix(text);
}

static struct profile_group *
add_group(struct profile *p, const char *id)
{
	struct profile_group *g;

	p->groups = xreallocarray(p->groups, p->group_count + 1, sizeof(*p->groups));
	g = &p->groups[p->group_count++];
	*g = (struct profile_group){ .id = xstrdup(id), .name = xstrdup(id) };
	return g;
}

/* One group "g" with elements a and b over 10.0.0.0/16 in 1024 units. */
static struct profile *
make_profile(void)
{
	struct profile *p = xcalloc(1, sizeof(*p));
	struct profile_group *g = add_group(p, "g");

	p->sentinel[FAMILY_IPV4] = prefix("192.0.2.255/32");
	p->sentinel[FAMILY_IPV6] = prefix("2001:db8:dead::/128");
	add_pool(g, "10.0.0.0/16", 26, 0, PROFILE_EPOCH_NONE);
	add_element(g, "a", 1);
	add_element(g, "b", 2);
	return p;
}

static inline void
replace(char **text, const char *by)
{
	free(*text);
	*text = xstrdup(by);
}

/* profile_check refuses it with a text that begins with want and has other in it (NULL: any), with
 * or without a place for the text; want NULL: it is content. */
static inline void
assert_verdict(struct profile *p, const char *name, const char *want, const char *other)
{
	struct error err = { "" };
	int rc;

	profile_sort(p);
	rc = profile_check(p, &err);
	if (rc != (want ? -EINVAL : 0) || (want && strncmp(err.text, want, strlen(want)) != 0) ||
	    (other && !strstr(err.text, other)))
		fail_msg("%s: %d, %s", name, rc, err.text);
	assert_int_equal(profile_check(p, NULL), rc);
}

#endif
