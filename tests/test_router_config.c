/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The router's static configuration: golden files, XML and commands that say the same (shown by a
 * converter of its own, which knows Junos' rules from a table), what must hold for any profile, and
 * a router that is in use, which takes a changed one as if it were its first. UPDATE_OK=1 renews
 * the golden files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_kit.h"
#include "disk_file.h"
#include "layout.h"
#include "profile_yang.h"

static const char *const profiles[] = { "tests/fixtures/router-config/small.json",
	"tests/fixtures/router-config/nat.json", "tests/fixtures/router-config/two-instances.json",
	"profiles/cgn-dual-stack.json", "profiles/minimal.json", "profiles/four-dual-stack.json",
	"profiles/eight-dual-stack.json", "profiles/weights-and-epochs.json",
	"profiles/mixed-big-small.json", "profiles/premium-beside-large.json",
	"profiles/v6-only.json", "profiles/sixteen-with-split-and-spare.json" };
enum { PROFILES = sizeof(profiles) / sizeof(profiles[0]) };

static struct profile *
load(const char *path)
{
	struct profile *profile = NULL;
	struct error err = { "" };

	if (profile_load(path, "yang", &profile, &err) < 0)
		fail_msg("%s", err.text);
	return profile;
}

/* Past the comment on how to load it. */
static const char *
skip_comment(const char *commands)
{
	while (*commands == '#')
		commands = strchr(commands, '\n') + 1;
	return commands;
}

static void
test_xml_is_set(void **state)
{
	(void)state;
	for (size_t i = 0; i < PROFILES; i++) {
		struct profile *profile = load(profiles[i]);
		char *xml = print_config(profile, true), *set = print_config(profile, false);
		xmlDoc *document = config_parse(xml);
		char *converted = config_commands(conf_root(document));

		assert_string_equal((const char *)conf_root(document)->ns->href,
		    "http://xml.juniper.net/xnm/1.1/xnm");
		assert_string_equal(converted, skip_comment(set));
		xmlFreeDoc(document);
		free(converted);
		free(set);
		free(xml);
		profile_free(profile);
	}
}

/* ---- golden ---- */

static void
compare_golden(const char *path, const char *got)
{
	FILE *file = fopen(path, getenv("UPDATE_OK") ? "w+" : "r");
	char *want = xcalloc(1, 1 << 20);

	assert_non_null(file);
	if (getenv("UPDATE_OK")) {
		fputs(got, file);
		rewind(file);
	}
	want[fread(want, 1, (1 << 20) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(got, want);
	free(want);
}

static void
test_golden(void **state)
{
	static const char *const names[] = { "small", "nat" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *path = xasprintf("tests/fixtures/router-config/%s.json", names[i]);
		char *xml_path = xasprintf("tests/fixtures/router-config/%s.xml", names[i]);
		char *set_path = xasprintf("tests/fixtures/router-config/%s.set", names[i]);
		struct profile *profile = load(path);
		char *xml = print_config(profile, true), *set = print_config(profile, false);

		compare_golden(xml_path, xml);
		compare_golden(set_path, set);
		free(set);
		free(xml);
		profile_free(profile);
		free(set_path);
		free(xml_path);
		free(path);
	}
}

/* ---- what must hold for any profile ---- */

/* Number of lines that begin so. */
static size_t
count_lines(const char *text, const char *start)
{
	size_t count = 0;

	while (text && *text) {
		count += strncmp(text, start, strlen(start)) == 0;
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return count;
}

static void
check_element(const char *set, const struct layout_space *space, size_t index)
{
	const struct profile_element *e = &layout_space_group(space)->elements[index];
	const struct profile_element_family *family = &e->family[layout_space_family(space)];
	size_t base = layout_space_base_count(space, index);
	char *base_list = xasprintf("set policy-options prefix-list %s ", family->base_list);
	char *override = xasprintf("set policy-options prefix-list %s ", family->override_list);

	if (e->removed) {
		assert_int_equal(count_lines(set, base_list), 0);
		assert_int_equal(count_lines(set, override), 0);
	} else {
		assert_int_equal(count_lines(set, base_list), base ? base : 1);
		assert_int_equal(count_lines(set, override), 1);
	}
	free(override);
	free(base_list);
}

/* Every list that a term names exists, and every unit is in exactly its owner's base list. */
static void
test_lists(void **state)
{
	(void)state;
	for (size_t i = 0; i < PROFILES; i++) {
		struct profile *profile = load(profiles[i]);
		char *set = print_config(profile, false);

		for (size_t g = 0; g < profile->group_count; g++) {
			const struct profile_group *group = &profile->groups[g];

			for (int f = 0; f < FAMILY_COUNT; f++) {
				struct layout_space *space = layout_space_new(group, f);

				for (size_t j = 0; j < group->element_count; j++)
					if (group->elements[j].family[f].present)
						check_element(set, space, j);
				layout_space_free(space);
			}
		}
		free(set);
		profile_free(profile);
	}
}

/* Word number n (from 0) of a line, or NULL. The caller frees it. */
static char *
word(const char *line, size_t n)
{
	size_t length;

	for (; n; n--) {
		line += strcspn(line, " \n");
		if (*line != ' ')
			return NULL;
		line++;
	}
	length = strcspn(line, " \n");
	return xasprintf("%.*s", (int)length, line);
}

/* A word that follows `used` at a distance must be defined: a line holds it between two texts. */
struct reference {
	enum { ALWAYS, WITH_INTERFACES, WITH_SIGNALS, WITH_IPV4, WITH_IPV6 } when;
	const char *used;
	size_t distance;
	const char *before;
	const char *after;
};

static void
expect_definitions(const char *set, const struct reference *reference)
{
	size_t seen = 0;

	for (const char *line = set; *line; line = strchr(line, '\n') + 1) {
		const char *end = strchr(line, '\n'), *at = strstr(line, reference->used);
		char *name, *definition;

		if (!at || at > end || *line == '#')
			continue;
		name = word(at + 1, reference->distance);
		definition = xasprintf("%s%s%s", reference->before, name, reference->after);
		if (!strstr(set, definition))
			fail_msg("%.*s: %s is not defined", (int)(end - line), line, name);
		seen++;
		free(definition);
		free(name);
	}
	assert_true(seen > 0);
}

/* Every name that is used is defined: lists, forwarding instances, rib-groups, policies, filters.
 */
static void
test_references(void **state)
{
	static const struct reference references[] = {
		{ ALWAYS, " source-prefix-list ", 1, "set policy-options prefix-list ", " " },
		{ ALWAYS, " destination-prefix-list ", 1, "set policy-options prefix-list ", " " },
		{ ALWAYS, " then routing-instance ", 2, "set routing-instances ",
		    " instance-type forwarding" },
		{ ALWAYS, " import-policy ", 1, "set policy-options policy-statement ", " term " },
		{ WITH_IPV4, " rib-group inet ", 2, "set routing-options rib-groups ",
		    " import-rib " },
		{ WITH_IPV6, " rib-group inet6 ", 2, "set routing-options rib-groups ",
		    " import-rib " },
		{ WITH_INTERFACES, " filter input ", 2, " filter ", " term " },
		{ WITH_SIGNALS, " from condition ", 2, "set policy-options condition ",
		    " if-route-exists " },
		{ WITH_SIGNALS, " from prefix-list ", 2, "set policy-options prefix-list ", " " },
	};
	enum { REFERENCES = sizeof(references) / sizeof(references[0]) };

	(void)state;
	for (size_t i = 0; i < PROFILES; i++) {
		struct profile *profile = load(profiles[i]);
		char *set = print_config(profile, false);
		const struct profile_group *g = &profile->groups[0];
		bool there[] = { true, g->inside_interface_count > 0,
			g->signal[FAMILY_IPV4].has_failed || g->signal[FAMILY_IPV6].has_failed,
			profile_unit_count(g, FAMILY_IPV4) > 0,
			profile_unit_count(g, FAMILY_IPV6) > 0 };

		for (size_t j = 0; j < REFERENCES; j++)
			if (there[references[j].when])
				expect_definitions(set, &references[j]);
		free(set);
		profile_free(profile);
	}
}

/* Position of the first line that begins so. */
static size_t
position(const char *set, const char *start)
{
	const char *at = strstr(set, start);

	if (!at)
		fail_msg("%s is missing", start);
	return at ? (size_t)(at - set) : 0;
}

/* First match wins: local before everything, overrides before bases, the drop after both. */
static void
test_term_order(void **state)
{
	static const char *const terms[] = { "neighbour-discovery", "local", "fbf-01-ovr",
		"fbf-02-ovr", "fbf-03-ovr", "fbf-04-ovr", "fbf-01-base", "fbf-02-base",
		"fbf-03-base", "fbf-04-base", "subscribers", "rest" };
	static const char *const filters[] = { "inet filter cgn-inside-v4",
		"inet filter cgn-outside-v4", "inet6 filter cgn-inside-v6",
		"inet6 filter cgn-outside-v6" };
	struct profile *profile = load("profiles/four-dual-stack.json");
	char *set = print_config(profile, false);

	(void)state;
	for (size_t f = 0; f < 4; f++) {
		size_t last = 0;

		for (size_t t = f < 2; t < sizeof(terms) / sizeof(terms[0]); t++) {
			char *start =
			    xasprintf("set firewall family %s term %s ", filters[f], terms[t]);
			size_t at = position(set, start);

			assert_true(at > last);
			last = at;
			free(start);
		}
	}
	free(set);
	profile_free(profile);
}

struct line_count {
	const char *start;
	size_t count;
};

static void
check_counts(const char *path, const struct line_count *lines, size_t count)
{
	struct profile *profile = load(path);
	char *set = print_config(profile, false);

	for (size_t i = 0; i < count; i++)
		if (count_lines(set, lines[i].start) != lines[i].count)
			fail_msg("%s: %zu times", lines[i].start, count_lines(set, lines[i].start));
	free(set);
	profile_free(profile);
}

/* IPv4 comes back by the routes of NAT pools, IPv6 by the filter: nothing of IPv4 is outside but
 * the routes, each session believes one element about its own pools, and IPv6 is as ever. */
static void
test_nat_routes(void **state)
{
	static const struct line_count lines[] = {
		{ "set firewall family inet filter cgn-inside-v4 term ", 4 * 2 * 3 + 2 + 3 + 1 },
		{ "set firewall family inet filter cgn-outside-v4", 0 },
		{ "set firewall family inet6 filter cgn-outside-v6 term fbf-02-base ", 3 },
		{ "set interfaces s0 unit 0 family inet ", 0 },
		{ "set interfaces s0 unit 0 family inet6 filter input cgn-outside-v6", 1 },
		{ "set interfaces c0 unit 0 family inet filter input cgn-inside-v4", 1 },
		{ "set routing-options rib-groups autofbf-master-v4 import-rib ", 1 + 4 },
		{ "set routing-options rib-groups autofbf-master-v6 import-rib ", 1 + 8 },
		{ "set routing-instances fbf-01-out routing-options static ", 0 },
		{ "set routing-instances fbf-01-out routing-options rib ", 3 },
		{ "set routing-instances fbf-01-in routing-options static ", 3 },
		{ "set routing-options static route 203.0.113.0/24 discard", 1 },
		{ "set policy-options policy-statement fbf-03-import-v4 term pools from "
		  "route-filter 203.0.113.128/26 exact",
		    1 },
		{ "set policy-options policy-statement fbf-04-import-v4 term pools from ", 2 },
		{ "set policy-options policy-statement fbf-04-import-v4 term rest then reject", 1 },
		{ "set policy-options policy-statement fbf-04-import-v6 ", 0 },
		{ "# not applied; toward fbf-03: set protocols bgp group NAME neighbor 10.2.3.2 "
		  "import fbf-03-import-v4",
		    1 },
	};

	(void)state;
	check_counts("profiles/cgn-dual-stack.json", lines, sizeof(lines) / sizeof(lines[0]));
}

/* Group a has a pool in X and one in Y, and b's pool in Y is around that in X: a supernet's discard
 * route is where the pools under it are. The last element has left `mine`. The last peer has left
 * OLD, whose interface-routes still name the rib-group. */
static void
test_instances(void **state)
{
#define ROUTE(instance, route) "routing-instances " instance " routing-options static route " route
	static const struct line_count lines[] = {
		{ "set " ROUTE("X", "203.0.113.0/25 discard"), 1 },
		{ "set " ROUTE("X", "198.51.100.0/25"), 0 },
		{ "set " ROUTE("Y", "203.0.113.0/25"), 0 },
		{ "set " ROUTE("Y", "198.51.100.0/25 discard"), 1 },
		{ "delete " ROUTE("X", ""), 2 },
		{ "delete " ROUTE("Y", ""), 2 },
		{ "delete " ROUTE("mine", "203.0.113.0/25\n"), 1 },
		{ "delete " ROUTE("mine", "198.51.100.0/25\n"), 1 },
		{ "set routing-instances mine ", 0 },
		{ "set routing-options rib-groups autofbf-OLD-v4 import-rib ", 1 },
		{ "set routing-options rib-groups autofbf-OLD-v4 import-rib OLD.inet.0", 1 },
		{ "set routing-instances OLD ", 0 },
		{ "set routing-instances b2-", 0 },
		{ "delete routing-instances b2-in\n", 1 },
		{ "delete routing-instances b2-out\n", 1 },
		{ "delete policy-options prefix-list b2-base-v4\n", 1 },
		{ "delete policy-options prefix-list b2-ovr-v4\n", 1 },
		{ "delete policy-options policy-statement b2-import-v4\n", 1 },
		{ "delete policy-options prefix-list autofbf-local-v4", 0 },
	};
#undef ROUTE

	(void)state;
	check_counts("tests/fixtures/router-config/two-instances.json", lines,
	    sizeof(lines) / sizeof(lines[0]));
}

/* ---- on a router that is in use ---- */

/* A profile of a text in which something is changed. */
static struct profile *
load_changed(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	struct ly_ctx *ctx = NULL;
	struct profile *profile = NULL;
	struct error err = { "" };
	char *changed;

	assert_non_null(at);
	changed = xasprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	if (profile_yang_context("yang", &ctx, &err) < 0 ||
	    profile_load_text(ctx, changed, strlen(changed), "text", &profile, &err) < 0)
		fail_msg("%s -> %s: %s", from, to, err.text);
	ly_ctx_destroy(ctx);
	free(changed);
	return profile;
}

static char *
read_text(const char *path)
{
	char *text = NULL;
	size_t size;

	assert_int_equal(disk_file_read(path, 1 << 16, &text, &size, NULL), 0);
	return text;
}

/* What an epoch does not say; these are in test_profile_moves.c. */
static void
test_reload(void **state)
{
	static const struct {
		const char *path, *from, *to;
	} cases[] = {
		{ "profiles/cgn-dual-stack.json", "10.1.2.2", "10.1.2.9" },
		{ "profiles/cgn-dual-stack.json", "fd00:2:3::2", "fd00:2:3::9" },
		{ "profiles/cgn-dual-stack.json", "10.64.0.0/18\", \"unit",
		    "10.64.0.0/19\", \"unit" },
		{ "profiles/cgn-dual-stack.json", "203.0.113.0/26", "203.0.113.248/29" },
		{ "profiles/cgn-dual-stack.json", "\"prefix\": \"203.0.113.64/26\"",
		    "\"prefix\": \"203.0.113.96/27\"" },
		{ "profiles/cgn-dual-stack.json", "\"id\": \"fbf-04\",",
		    "\"id\": \"fbf-04\", \"removed\": true, \"weight\": [{\"epoch\": 0, "
		    "\"weight\": 1}, {\"epoch\": 1, \"weight\": 0}]," },
		{ "profiles/eight-dual-stack.json", "\"id\": \"fbf-08\"",
		    "\"removed\": true, \"weight\": [{\"epoch\": 0, \"weight\": 1}, "
		    "{\"epoch\": 1, \"weight\": 0}], \"id\": \"fbf-08\"" },
		/* the removed element's list is a living one's now */
		{ "tests/fixtures/router-config/two-instances.json", "\"instance\": \"OLD\"}",
		    "\"instance\": \"OLD\"}, \"base-list\": \"b1-base-v4\"" },
		{ "tests/fixtures/router-config/nat.json", "\"failed-route\"",
		    "\"alter-route\": \"192.0.2.9/32\", \"failed-route\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = read_text(cases[i].path);
		struct profile *before = load(cases[i].path);
		struct profile *after = load_changed(text, cases[i].from, cases[i].to);
		struct config_router router;

		config_router_init(&router);
		config_router_load(&router, before);
		config_router_load(&router, before);
		config_router_load(&router, after);
		config_router_load(&router, before);
		config_router_done(&router);
		profile_free(after);
		profile_free(before);
		free(text);
	}
}

/* XML has no "--" in comments, and names of sessions are in comments. */
static void
test_hyphens(void **state)
{
	char *text = read_text("tests/fixtures/router-config/two-instances.json");
	struct profile *profile =
	    load_changed(text, "\"instance\": \"X\"", "\"instance\": \"X--1\"");
	char *xml = print_config(profile, true), *set = print_config(profile, false);

	(void)state;
	xmlFreeDoc(config_parse(xml));
	assert_non_null(strstr(xml, "set routing-instances X- -1 protocols bgp"));
	assert_non_null(strstr(xml, "<name>X--1</name>"));
	assert_non_null(strstr(set, "set routing-instances X--1 protocols bgp"));
	free(set);
	free(xml);
	profile_free(profile);
	free(text);
}

/* ---- what cannot be rendered ---- */

static const char plain[] =
    "{\"autofbf:profile\":{\"router\":{\"address\":[\"::1\"],\"host-key\":[\"k\"]},"
    "\"group\":["
    "{\"id\":\"g\",\"inside-interface\":[\"c0.0\"],\"outside-interface\":[\"s0.0\"],"
    "\"pool\":[{"
    "\"prefix\":\"10.9.0.0/24\",\"unit-length\":30}],\"element\":[{\"id\":\"e\",\"ipv4\":{"
    "\"inside\":{\"peer\":\"10.1.1.2\"},\"outside\":{\"peer\":\"10.2.1.2\"},"
    "\"base-list\":\"LIST\"}}]}]}}";

static void
test_refusals(void **state)
{
	static const struct {
		const char *from;
		const char *to;
		const char *want; /* NULL: none */
	} cases[] = {
		{ "s0.0", "s0.1", NULL },
		{ "LIST", "g-subscribers-v4", "the prefix-list name g-subscribers-v4 is needed" },
		{ "LIST", "autofbf-local-v6", "the prefix-list name autofbf-local-v6 is needed" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *profile = load_changed(plain, cases[i].from, cases[i].to);
		struct error err = { "" };
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		int rc = router_config_print(profile, false, out, &err);

		assert_int_equal(fclose(out), 0);
		assert_int_equal(rc, cases[i].want ? -EINVAL : 0);
		if (cases[i].want) {
			assert_int_equal(
			    strncmp(err.text, cases[i].want, strlen(cases[i].want)), 0);
			assert_int_equal(size, 0);
		}
		free(text);
		profile_free(profile);
	}
}

static void
test_full_disk(void **state)
{
	struct profile *profile = load(profiles[0]);
	struct error err = { "" };
	FILE *out = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(out);
	assert_int_equal(router_config_print(profile, true, out, &err), -EIO);
	fclose(out);
	profile_free(profile);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xml_is_set),
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_references),
		cmocka_unit_test(test_term_order),
		cmocka_unit_test(test_nat_routes),
		cmocka_unit_test(test_instances),
		cmocka_unit_test(test_reload),
		cmocka_unit_test(test_hyphens),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
