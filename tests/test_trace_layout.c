/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two judges: for random profiles, healthy sets and addresses the walk through what router-config
 * renders, with the planner's override lists in the ephemeral instance, ends at the element that
 * the planner says; also when somebody has put strange items into the lists. They share no code but
 * prefixes. SEED=n repeats a run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/cli/router_config.h"
#include "../tools/cli/trace_walk.h"
#include "layout_build.h"
#include "layout_random.h"
#include "plan.h"
#include "plan_kit.h"

enum { ROUNDS = 60, ADDRESSES = 40 };

/* A removed element's addresses are its successor's. */
static size_t
find_owner(const struct profile_group *group, size_t element)
{
	for (size_t e = element; e < group->element_count; e++)
		if (!group->elements[e].removed)
			return e;
	return element;
}

/* What the layout's own tests do without: peers, sentinels, interfaces, a router. */
static void
complete(struct profile *profile)
{
	struct profile_group *group = &profile->groups[0];
	char text[IP_TEXT_SIZE];

	profile->router.instance = xstrdup("autofbf");
	assert_int_equal(prefix_parse("192.0.2.255/32", &profile->sentinel[FAMILY_IPV4]), 0);
	assert_int_equal(prefix_parse("2001:db8:dead::/128", &profile->sentinel[FAMILY_IPV6]), 0);
	group->inside_interfaces = xcalloc(1, sizeof(char *));
	group->inside_interfaces[group->inside_interface_count++] = xstrdup("ge-0/0/0.0");
	group->outside_interfaces = xcalloc(1, sizeof(char *));
	group->outside_interfaces[group->outside_interface_count++] = xstrdup("ge-0/0/1.0");
	for (size_t e = 0; e < group->element_count; e++)
		for (int f = 0; f < FAMILY_COUNT; f++)
			for (int s = 0; s < SIDE_COUNT; s++) {
				struct profile_peer *peer = &group->elements[e].family[f].peer[s];

				snprintf(text, sizeof(text),
				    f == FAMILY_IPV4 ? "172.%d.0.%zu" : "fd00:%d::%zu", 16 + s,
				    find_owner(group, e) + 1);
				assert_int_equal(ip_parse(text, &peer->address), 0);
				peer->instance = xstrdup("master");
			}
}

/* Takes a unit out of the rendered text and out of the lists that the planner is shown. A unit that
 * is a whole pool stays: its prefix is in the list of subscribers too. */
static void
take_out(const struct prefix *unit, char *text, struct listset *static_lists)
{
	char prefix[PREFIX_TEXT_SIZE], *item, *hit;

	item = xasprintf("<name>%s</name>", prefix_format(unit, prefix));
	hit = strstr(text, item);
	if (hit && !strstr(hit + 1, item)) {
		memset(hit, ' ', strlen(item));
		for (size_t i = 0; i < static_lists->count; i++) {
			struct prefix_list *list = &static_lists->lists[i];
			size_t kept = 0;

			for (size_t j = 0; j < list->count; j++)
				if (prefix_compare(&list->items[j], unit) != 0)
					list->items[kept++] = list->items[j];
			list->count = kept;
		}
	}
	free(item);
}

/* holes: so many units that the base lists lack. */
static void
add_static(struct random *random, const struct profile *profile, const struct layout_space *space,
    int holes, struct listset *static_lists, struct trace_config *config)
{
	struct error err = { "" };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (router_config_print(profile, true, out, &err) < 0)
		fail_msg("%s", err.text);
	fclose(out);
	for (int i = 0; i < holes && layout_space_units(space) > 0; i++) {
		struct prefix unit =
		    layout_space_unit(space, random_below(random, layout_space_units(space)));

		take_out(&unit, text, static_lists);
	}
	if (trace_config_add(config, text, size, false, "static", &err) < 0)
		fail_msg("%s", err.text);
	free(text);
}

static void
add_ephemeral(const struct listset *set, struct trace_config *config)
{
	struct error err = { "" };
	char *text = NULL, prefix[PREFIX_TEXT_SIZE];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("<rpc-reply><data><configuration><policy-options>", out);
	for (size_t i = 0; i < set->count; i++) {
		fprintf(out, "<prefix-list><name>%s</name>", set->lists[i].name);
		for (size_t j = 0; j < set->lists[i].count; j++)
			fprintf(out, "<prefix-list-item><name>%s</name></prefix-list-item>",
			    prefix_format(&set->lists[i].items[j], prefix));
		fputs("</prefix-list>", out);
	}
	fputs("</policy-options></configuration></data></rpc-reply>", out);
	fclose(out);
	if (trace_config_add(config, text, size, true, "ephemeral", &err) < 0)
		fail_msg("%s", err.text);
	free(text);
}

/* The router has no term for a removed element, and what is in its lists does nothing. */
static void
drop_removed(const struct profile_group *group, enum family family, struct listset *set)
{
	for (size_t e = 0; e < group->element_count; e++)
		for (size_t i = 0; group->elements[e].removed && i < set->count; i++)
			if (strcmp(set->lists[i].name,
			        group->elements[e].family[family].base_list) == 0 ||
			    strcmp(set->lists[i].name,
			        group->elements[e].family[family].override_list) == 0)
				set->lists[i].count = 0;
}

static struct ip
random_address(struct random *random, const struct layout_space *space)
{
	struct prefix unit =
	    layout_space_unit(space, random_below(random, layout_space_units(space)));
	struct ip ip = unit.address;

	for (unsigned bit = unit.length; bit < family_bits(ip.family); bit++)
		if (random_below(random, 2))
			ip.bytes[bit / 8] |= (uint8_t)(0x80u >> bit % 8);
	return ip;
}

struct judges {
	const struct layout_space *space;
	const struct listset *static_lists, *ephemeral_lists;
	struct trace_input input;
	size_t owned, nobody;
};

static void
compare_leg(const struct trace *trace, enum side side, uint8_t wanted, const char *text)
{
	size_t seen = 0;

	for (size_t i = 0; i < trace->leg_count; i++) {
		const struct trace_leg *leg = &trace->legs[i];

		if (leg->side != side)
			continue;
		seen++;
		if (wanted == LAYOUT_NONE && leg->fate != TRACE_DROPPED)
			fail_msg("%s, %s: '%s', but the plan has nobody", text, side_names[side],
			    leg->end);
		if (wanted != LAYOUT_NONE &&
		    (leg->fate != TRACE_TO_ELEMENT || leg->element != wanted))
			fail_msg("%s, %s: '%s', but the plan has %s", text, side_names[side],
			    leg->end, trace->profile->groups[0].elements[wanted].id);
	}
	assert_int_equal(seen, 1);
}

static void
compare(struct judges *judges, const struct ip *ip)
{
	uint8_t owner =
	    plan_owner_at(judges->space, judges->static_lists, judges->ephemeral_lists, ip);
	char text[IP_TEXT_SIZE];
	struct error err = { "" };
	struct trace trace;

	judges->input.source = *ip;
	assert_int_equal(ip_parse(ip->family == FAMILY_IPV4 ? "198.51.100.1" : "2001:4860::1",
	                     &judges->input.destination),
	    0);
	if (trace_walk(&judges->input, &trace, &err) < 0)
		fail_msg("%s", err.text);
	compare_leg(&trace, SIDE_INSIDE, owner, ip_format(ip, text));
	compare_leg(&trace, SIDE_OUTSIDE, owner, text);
	assert_int_equal(trace_is_good(&trace), owner != LAYOUT_NONE);
	judges->owned += owner != LAYOUT_NONE;
	judges->nobody += owner == LAYOUT_NONE;
	trace_done(&trace);
}

/* One family of one profile. strange: more items than the planner wants. */
static void
run_family(struct random *random, const struct profile *profile, enum family family, bool strange,
    struct judges *judges)
{
	const struct profile_group *group = &profile->groups[0];
	struct layout_space *space = layout_space_new(group, family);
	struct listset static_lists = { 0 }, ephemeral = { 0 };
	bool *healthy = xcalloc(group->element_count, sizeof(*healthy));
	struct trace_config config = { 0 };
	struct layout *layout;

	random_healthy(random, space, healthy);
	layout = layout_compute_split(space, healthy);
	add_base_lists(random, space, 0, &static_lists);
	listset_sort(&static_lists);
	plan_override(layout, &static_lists, &ephemeral);
	if (strange) {
		add_random_lists(random, space, true, &ephemeral);
		add_random_lists(random, space, false, &ephemeral);
	}
	drop_removed(group, family, &ephemeral);
	listset_sort(&ephemeral);
	add_static(random, profile, space, strange ? 40 : 0, &static_lists, &config);
	add_ephemeral(&ephemeral, &config);
	trace_config_sort(&config);
	judges->space = space;
	judges->static_lists = &static_lists;
	judges->ephemeral_lists = &ephemeral;
	judges->input = (struct trace_input){ .profile = profile, .config = &config };
	for (size_t i = 0; layout_space_units(space) > 0 && i < ADDRESSES; i++) {
		struct ip ip = random_address(random, space);

		compare(judges, &ip);
	}
	trace_config_done(&config);
	listset_done(&static_lists);
	listset_done(&ephemeral);
	layout_free(layout);
	layout_space_free(space);
	free(healthy);
}

static void
test_judges_agree(void **state)
{
	struct random random = random_begin("trace_layout");
	struct judges judges = { .owned = 0 };

	for (int i = 0; i < ROUNDS; i++) {
		struct profile *profile = random_profile(&random, 8, 256);

		random_split(&random, profile, 3);
		complete(profile);
		for (int f = 0; f < FAMILY_COUNT; f++)
			run_family(&random, profile, (enum family)f, i % 3 == 2, &judges);
		profile_free(profile);
	}
	print_message(
	    "# %zu addresses of an element, %zu of nobody\n", judges.owned, judges.nobody);
	assert_true(judges.owned > ROUNDS * ADDRESSES);
	assert_true(judges.nobody > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judges_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
