/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes -> profile loader: no crash, no leak, an error text for whatever is refused; and what
 * is accepted prints as something that loads as itself, and holds what the layout, the signal
 * routes and the arithmetic of NAT rely on.
 */
#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nat.h"
#include "profile_yang.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_print(const struct ly_ctx *ctx, const struct profile *profile)
{
	struct profile *again = NULL;
	struct error err = { "" };

	if (profile_load_text(ctx, profile->print, strlen(profile->print), "print", &again, &err) <
	    0)
		fatal("the print does not load: %s", err.text);
	if (strcmp(again->print, profile->print) != 0 || strcmp(again->id, profile->id) != 0)
		fatal("the print of the print is another");
	profile_free(again);
}

/* What nobody checks again after loading. */
static void
check_policy(const struct profile_group *g)
{
	for (int f = 0; f < FAMILY_COUNT; f++) {
		const struct profile_signal *signal = &g->signal[f];
		unsigned longest = f == FAMILY_IPV4 ? 32 : 64, most = 0;

		for (size_t i = 0; i < g->split_count[f]; i++) {
			most = g->split[f][i].bits > most ? g->split[f][i].bits : most;
			if (i && g->split[f][i - 1].survivors >= g->split[f][i].survivors)
				fatal("a split table out of order");
		}
		for (size_t i = 0; i < g->pool_count; i++)
			if (g->pools[i].prefix.address.family == f &&
			    g->pools[i].unit_length + most > longest)
				fatal("pieces longer than /%u", longest);
		if (signal->has_failed && signal->failed_route.length != family_bits(f))
			fatal("a failed route that is no host");
		if (signal->has_alter && signal->alter_route.length != family_bits(f))
			fatal("an alter route that is no host");
	}
}

/* The first and the last host of every rule have a block, and that leads back. */
static void
check_rule(const struct profile_nat_pool *pool)
{
	for (size_t i = 0; i < 2 * pool->host_count; i++) {
		const struct prefix *rule = &pool->hosts[i / 2];
		struct ip host = i % 2 ? prefix_last(rule) : rule->address, back;
		struct nat_block block;

		if (nat_translate(pool, &host, &block) < 0) {
			if (nat_hosts(pool) < UINT64_MAX)
				fatal("a host without a block");
			continue;
		}
		if (!prefix_contains_ip(&pool->prefix, &block.address) ||
		    nat_host_of(pool, &block.address, block.last_port, &back) < 0 ||
		    ip_compare(&back, &host) != 0)
			fatal("a block of another host");
	}
}

static void
check_nat(const struct profile_group *g)
{
	for (size_t i = 0; i < g->element_count; i++) {
		for (int f = 0; f < FAMILY_COUNT; f++) {
			const struct profile_element *e = &g->elements[i];
			const struct profile_element_family *family = &e->family[f];

			if (!e->removed && family->present &&
			    (g->return_path[f] == RETURN_NAT_ROUTES) !=
			        (family->nat_pool_count > 0))
				fatal("pools and return path do not go together");
			for (size_t j = 0; !e->removed && j < family->nat_pool_count; j++)
				check_rule(&family->nat_pools[j]);
		}
	}
}

static void
check_accepted(const struct ly_ctx *ctx, const struct profile *profile)
{
	check_print(ctx, profile);
	for (size_t i = 0; i < profile->group_count; i++) {
		check_policy(&profile->groups[i]);
		check_nat(&profile->groups[i]);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ly_ctx *ctx; /* made once: 2 ms */
	struct profile *profile = NULL;
	struct error err = { "" };

	if (!ctx && profile_yang_context("yang", &ctx, &err) < 0)
		fatal("%s", err.text);
	if (profile_load_text(ctx, (const char *)data, size, "fuzz.json", &profile, &err) == 0)
		check_accepted(ctx, profile);
	else if (strncmp(err.text, "fuzz.json", 9) != 0)
		fatal("an error without the file: %s", err.text);
	profile_free(profile);
	return 0;
}
