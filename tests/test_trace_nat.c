/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Walks through a group that translates IPv4: profiles/cgn-dual-stack.json as router-config renders
 * it, with routes as the router would tell them; in each case one thing is as it should not be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../tools/cli/router_config.h"
#include "trace_kit.h"

static char *
render(const struct profile *profile)
{
	struct error err = { "" };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (router_config_print(profile, true, out, &err) < 0)
		fail_msg("%s", err.text);
	fclose(out);
	return text;
}

#define RT(prefix, entry) "<rt><rt-destination>" prefix "</rt-destination>" entry "</rt>"
#define BGP(address) \
	"<rt-entry><active-tag>*</active-tag><protocol-name>BGP</protocol-name><nh><to>" address \
	"</to></nh></rt-entry>"
#define IDLE(address) \
	"<rt-entry><active-tag> </active-tag><protocol-name>BGP</protocol-name><nh><to>" address \
	"</to></nh></rt-entry>"
#define SUPERNET \
	RT("203.0.113.0/24", "<rt-entry><active-tag>*</active-tag><protocol-name>Static" \
	                     "</protocol-name><nh-type>Discard</nh-type></rt-entry>")
#define TABLE(routes) \
	"<rpc-reply><route-information><route-table><table-name>inet.0</table-name>" routes \
	"</route-table></route-information></rpc-reply>"

#define POOL_1 RT("203.0.113.0/26", BGP("10.2.1.2"))
#define POOL_2 RT("203.0.113.64/26", BGP("10.2.2.2"))
#define POOL_3 RT("203.0.113.128/26", BGP("10.2.3.2"))
#define POOL_4A RT("203.0.113.192/27", BGP("10.2.4.2"))
#define POOL_4B RT("203.0.113.224/28", BGP("10.2.4.2"))
#define ALL TABLE(SUPERNET POOL_1 POOL_2 POOL_3 POOL_4A POOL_4B)

/* An outside filter for IPv4, as somebody might add it by hand. */
#define ON(interface, address, terms) \
	"<configuration><interfaces><interface><name>" interface "</name><unit><name>0</name>" \
	"<family><inet>" address \
	"<filter><input><filter-name>hand</filter-name></input></filter></inet>" \
	"</family></unit></interface></interfaces><policy-options><prefix-list><name>hand-list" \
	"</name><prefix-list-item><name>203.0.113.60/32</name></prefix-list-item></prefix-list>" \
	"<prefix-list><name>pools</name><prefix-list-item><name>203.0.113.0/24</name>" \
	"</prefix-list-item></prefix-list>" \
	"</policy-options><firewall><family><inet><filter><name>hand</name>" terms \
	"<term><name>rest</name><then><accept/></then></term>" \
	"</filter></inet></family></firewall></configuration>"
#define EO1 "<address><name>10.2.1.1/30</name></address>"
#define TERM(name, from, then) \
	"<term><name>" name "</name><from>" from "</from><then>" then "</then></term>"
#define TO_LIST(list) "<destination-prefix-list><name>" list "</name></destination-prefix-list>"
#define TO(prefix) "<destination-address><name>" prefix "</name></destination-address>"
#define ON_S0(then) ON("s0", "", TERM("t", TO_LIST("hand-list"), then))

static const struct nat_case {
	const char *name;
	const char *routes, *by_hand; /* NULL: none */
	const char *source, *destination;
	const char *verdict, *says;
} cases[] = {
	{ "napt: some address of the pool", ALL, NULL, "10.64.0.5", "198.51.100.1", "same-element",
	    "source becomes one of 203.0.113.0/26 (pool public, napt): ask fbf-01 which" },
	{ "pba", ALL, NULL, "10.64.0.70", "198.51.100.1", "same-element",
	    "(pool blocks, pba): ask fbf-02 which" },
	{ "deterministic: address and ports", ALL, NULL, "10.64.0.130", "198.51.100.1",
	    "same-element", "source becomes 203.0.113.128, ports 33784-34035" },
	{ "two pools, two ways back", ALL, NULL, "10.64.0.200", "198.51.100.1", "same-element",
	    "198.51.100.1 -> 203.0.113.224/28" },
	{ "IPv6 of the same group is filtered", ALL, NULL, "2001:db8:64::5", "2001:db8:ff::1",
	    "same-element", "term fbf-01-base: destination in fbf-01-base-v6" },
	{ "the route is missing", TABLE(SUPERNET POOL_2), NULL, "10.64.0.5", "198.51.100.1",
	    "dropped", "the route 203.0.113.0/24 in table inet.0 discards it" },
	{ "missing, and no supernet", TABLE(POOL_2), NULL, "10.64.0.5", "198.51.100.1", "dropped",
	    "table inet.0 has no route for it" },
	{ "one of two is missing", TABLE(SUPERNET POOL_4A), NULL, "10.64.0.200", "198.51.100.1",
	    "dropped", "the route 203.0.113.0/24 in table inet.0 discards it" },
	{ "stolen", TABLE(RT("203.0.113.0/26", IDLE("10.2.1.2") BGP("10.2.3.2"))), NULL,
	    "10.64.0.5", "198.51.100.1", "different-elements",
	    "from the inside (c0.0) to fbf-01, but from the outside (eo1.0) to fbf-03" },
	{ "a part of it is stolen", TABLE(POOL_1 RT("203.0.113.32/28", BGP("10.2.3.2"))), NULL,
	    "10.64.0.5", "198.51.100.1", "fault",
	    "the route 203.0.113.32/28 inside the pool leads elsewhere" },
	{ "a part of it by the element itself",
	    TABLE(POOL_1 RT("203.0.113.32/28", BGP("10.2.1.2"))), NULL, "10.64.0.5", "198.51.100.1",
	    "same-element", "OK" },
	{ "shared between two", TABLE(RT("203.0.113.0/26", BGP("10.2.1.2") BGP("10.2.3.2"))), NULL,
	    "10.64.0.5", "198.51.100.1", "fault", "has 10.2.3.2 of fbf-03 as another next hop" },
	{ "to a stranger", TABLE(RT("203.0.113.0/26", BGP("192.0.2.1"))), NULL, "10.64.0.5",
	    "198.51.100.1", "elsewhere", "the next hop 192.0.2.1 is no element's address" },
	{ "into the inside of the element", TABLE(RT("203.0.113.0/26", BGP("10.1.1.2"))), NULL,
	    "10.64.0.5", "198.51.100.1", "fault", "10.1.1.2 is the inside address of fbf-01" },
	{ "the routes are not known", NULL, NULL, "10.64.0.5", "198.51.100.1", "unknown",
	    "the router's routes for the pool 203.0.113.0/26 in inet.0 are not known" },
	{ "a filter takes an address of the pool", ALL, ON_S0("<discard/>"), "10.64.0.5",
	    "198.51.100.1", "fault",
	    "term t of hand would catch addresses of the pool 203.0.113.0/26: 203.0.113.60/32" },
	{ "by a prefix of the term's own", ALL,
	    ON("s0", "", TERM("t", TO("203.0.113.60/32"), "<discard/>")), "10.64.0.5",
	    "198.51.100.1", "fault",
	    "term t of hand would catch addresses of the pool 203.0.113.0/26: 203.0.113.60/32" },
	{ "by either address", ALL,
	    ON("s0", "", TERM("t", "<address><name>203.0.113.8/29</name></address>", "<discard/>")),
	    "10.64.0.5", "198.51.100.1", "fault", "the pool 203.0.113.0/26: 203.0.113.8/29" },
	{ "by a list for either address", ALL,
	    ON("s0", "",
	        TERM("t", "<prefix-list><name>hand-list</name></prefix-list>", "<discard/>")),
	    "10.64.0.5", "198.51.100.1", "fault", "203.0.113.60/32 in hand-list" },
	{ "the one address of a hole in an exception", ALL,
	    ON("s0", "",
	        TERM("t",
	            TO_LIST(
	                "pools") "<destination-address><name>203.0.113.0/27</name><except/>"
	                         "</destination-address><destination-address><name>203.0.113.32/"
	                         "27</name>"
	                         "<except/></destination-address>" TO("203.0.113.31/32"),
	            "<discard/>")),
	    "10.64.0.5", "198.51.100.1", "fault", "the pool 203.0.113.0/26: 203.0.113.31/32" },
	{ "behind a hole that is let through", ALL,
	    ON("s0", "",
	        TERM("ok", TO("203.0.113.0/27"), "<accept/>")
	            TERM("t", TO_LIST("pools"), "<discard/>")),
	    "10.64.0.5", "198.51.100.1", "fault", "term t of hand would catch" },
	{ "it may be reached by all but a port", ALL,
	    ON("s0", "",
	        TERM("t",
	            TO_LIST("pools") "<protocol>tcp</protocol><destination-port>25"
	                             "</destination-port>",
	            "<discard/>")),
	    "10.64.0.5", "198.51.100.1", "same-element", "term t: not protocol tcp" },
	{ "of another source", ALL,
	    ON("s0", "",
	        TERM("t",
	            TO_LIST("pools") "<source-address><name>192.0.2.0/24</name>"
	                             "</source-address>",
	            "<discard/>")),
	    "10.64.0.5", "198.51.100.1", "same-element", "OK" },
	{ "of this source", ALL,
	    ON("s0", "",
	        TERM("t",
	            TO_LIST("hand-list") "<source-address><name>198.51.100.0/24</name>"
	                                 "</source-address>",
	            "<discard/>")),
	    "10.64.0.5", "198.51.100.1", "fault", "term t of hand would catch" },
	{ "an exception", ALL,
	    ON("s0", "",
	        TERM("t",
	            TO_LIST(
	                "hand-list") "<destination-address><name>203.0.113.60/32</name><except/>"
	                             "</destination-address>",
	            "<discard/>")),
	    "10.64.0.5", "198.51.100.1", "same-element", "OK" },
	{ "an earlier term lets it through", ALL,
	    ON("s0", "",
	        TERM("ok", TO_LIST("pools"), "<accept/>")
	            TERM("t", TO_LIST("hand-list"), "<discard/>")),
	    "10.64.0.5", "198.51.100.1", "same-element", "OK" },
	{ "what comes out is translated", ALL,
	    ON("eo1", EO1,
	        TERM(
	            "t", "<source-address><name>10.0.0.0/8</name></source-address>", "<discard/>")),
	    "10.64.0.5", "198.51.100.1", "same-element", "OK" },
	{ "and may be dropped for that", ALL,
	    ON("eo1", EO1,
	        TERM("t", "<source-address><name>203.0.113.0/24</name></source-address>",
	            "<discard/>")),
	    "10.64.0.5", "198.51.100.1", "fault",
	    "what comes out of fbf-01 at eo1.0 does not get on: term t of hand" },
	{ "show route detail: the length is beside it",
	    TABLE("<rt><rt-destination>203.0.113.0</rt-destination><rt-prefix-length>26"
	          "</rt-prefix-length>" BGP("10.2.1.2") "</rt>"),
	    NULL, "10.64.0.5", "198.51.100.1", "same-element", "inet.0 203.0.113.0/26, BGP" },
	{ "active, and not yet the last active one",
	    TABLE(RT("203.0.113.0/26", "<rt-entry><active-tag>+</active-tag><protocol-name>BGP"
	                               "</protocol-name><nh><to>10.2.1.2</to></nh></rt-entry>")),
	    NULL, "10.64.0.5", "198.51.100.1", "same-element", "BGP to 10.2.1.2 (active)" },
	{ "a filter lets it through", ALL, ON_S0("<accept/>"), "10.64.0.5", "198.51.100.1",
	    "same-element", "OK" },
	{ "a filter takes another pool's", ALL, ON_S0("<discard/>"), "10.64.0.70", "198.51.100.1",
	    "same-element", "OK" },
	{ "nobody can begin from outside", ALL, NULL, "198.51.100.1", "10.64.0.5", "bypass",
	    "reached only by answers to what it sent itself" },
	{ "subscribers among each other", ALL, NULL, "10.64.0.5", "10.64.0.70", "bypass",
	    "10.64.0.70 is reached only by answers" },
};

static void
load_profile(struct setting *setting, const char *profile)
{
	struct error err = { "" };

	if (profile_load(profile, "yang", &setting->profile, &err) < 0)
		fail_msg("%s", err.text);
}

static void
begin_loaded(struct setting *setting, const char *routes, const char *by_hand)
{
	struct error err = { "" };
	char *text = render(setting->profile);

	add(setting, text, false);
	if (by_hand)
		add(setting, by_hand, true);
	if (routes &&
	    trace_routes_add(&setting->routes, routes, strlen(routes), "routes", &err) < 0)
		fail_msg("%s", err.text);
	free(text);
}

static void
begin(struct setting *setting, const char *routes, const char *by_hand)
{
	load_profile(setting, "profiles/cgn-dual-stack.json");
	begin_loaded(setting, routes, by_hand);
}

static void
expect_walk(const struct setting *setting, const char *name, const char *verdict, const char *says)
{
	char *flat = flatten(setting->output);

	if (strcmp(trace_verdict(&setting->trace), verdict) != 0 || !strstr(flat, says))
		fail_msg("%s: %s, wanted %s and '%s':\n%s", name, trace_verdict(&setting->trace),
		    verdict, says, setting->output);
	assert_int_equal(trace_is_good(&setting->trace), strcmp(verdict, "same-element") == 0);
	free(flat);
}

static void
test_cases(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct setting setting = { .output = NULL };

		begin(&setting, cases[i].routes, cases[i].by_hand);
		walk(&setting, cases[i].source, cases[i].destination);
		expect_walk(&setting, cases[i].name, cases[i].verdict, cases[i].says);
		done(&setting);
	}
}

#define TABLE6(routes) \
	"<rpc-reply><route-information><route-table><table-name>INET.inet6.0</table-name>" routes \
	    RT("2001:db8:a:1::/64", \
	        BGP("fd00:4:1::2")) "</route-table></route-information></rpc-reply>"
#define ON_LINK(interface) "<nh><to>fe80::5</to><via>" interface "</via></nh>"
#define POOL6(prefix, hops) \
	RT(prefix, "<rt-entry><active-tag>*</active-tag><protocol-name>BGP</protocol-name>" hops \
	           "</rt-entry>")

/* The interface says whose a link-local next hop is, as it does to the agent. */
static void
test_link_local(void **state)
{
	static const struct {
		const char *routes, *verdict, *says;
	} tests[] = {
		{ TABLE6(POOL6("2001:db8:9:1::/64", ON_LINK("ae2.10"))), "same-element",
		    "c, on ae2.10" },
		{ TABLE6(POOL6("2001:db8:9:1::/64", ON_LINK("ae2.11"))), "elsewhere",
		    "it leaves by ae2.11" },
		{ TABLE6(POOL6("2001:db8:9:1::/64", ON_LINK("ae2.10"))
		          POOL6("2001:db8:9:1:1::/80", ON_LINK("ae2.10"))),
		    "same-element", "OK" },
		{ TABLE6(POOL6("2001:db8:9:1::/64", ON_LINK("ae2.10"))
		          POOL6("2001:db8:9:1:1::/80", ON_LINK("ae2.12"))),
		    "fault", "2001:db8:9:1:1::/80 inside the pool leads elsewhere" },
		{ TABLE6(POOL6("2001:db8:9:1::/64", ON_LINK("ae2.10") ON_LINK("ae2.12"))), "fault",
		    "has fe80::5 of d as another next hop" },
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct setting setting = { .output = NULL };

		load_profile(&setting, "tests/fixtures/trace/link-local.json");
		begin_loaded(&setting, tests[i].routes, NULL);
		walk(&setting, "fd08::5", "2001:db8:ffff::1");
		expect_walk(&setting, tests[i].says, tests[i].verdict, tests[i].says);
		done(&setting);
	}
}

/* The rule covers other hosts: a profile like this is refused, but an element may have one. */
static void
test_host_outside_the_rule(void **state)
{
	struct setting setting = { .output = NULL };

	begin(&setting, ALL, NULL);
	assert_int_equal(prefix_parse("10.99.0.0/18",
	                     &setting.profile->groups[0].elements[2].family[0].nat_pools->hosts[0]),
	    0);
	walk(&setting, "10.64.0.130", "198.51.100.1");
	expect_walk(&setting, "not covered", "fault",
	    "no pool of fbf-03 translates the address: the element drops it");
	done(&setting);
}

/* Without answers the walk says what the router has to be asked: the pool, a host of it, and the
 * table that the filter leads to. */
static void
test_wanted(void **state)
{
	struct setting setting = { .output = NULL };
	const struct trace_lookups *wanted = &setting.trace.wanted;
	static const char *const lookups[][2] = { { "fbf-01-in.inet.0", "198.51.100.1/32" },
		{ "inet.0", "203.0.113.0/26" }, { "inet.0", "203.0.113.0/32" } };
	struct prefix prefix;

	begin(&setting, NULL, NULL);
	walk(&setting, "10.64.0.5", "198.51.100.1");
	assert_int_equal(wanted->count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(prefix_parse(lookups[i][1], &prefix), 0);
		assert_true(trace_lookups_have(wanted, lookups[i][0], &prefix));
	}
	done(&setting);
}

/* A router that answers out of its tables, question by question, as a real one does. */
struct answers {
	struct trace_routes *routes;
	struct trace_lookups *answered;
};

static const struct {
	const char *table, *prefix, *hop;
} live[] = {
	{ "fbf-01-in.inet.0", "0.0.0.0/0", "10.1.1.2" },
	{ "inet.0", "203.0.113.0/26", "10.2.1.2" },
	{ "inet.0", "203.0.113.64/26", "10.2.2.2" },
};

static int
answer(void *arg, const struct trace_lookups *wanted, struct error *err)
{
	struct answers *answers = arg;

	for (size_t i = 0; i < wanted->count; i++) {
		const struct trace_lookup *lookup = &wanted->lookups[i];

		for (size_t r = 0; r < sizeof(live) / sizeof(live[0]); r++) {
			struct trace_route *route;
			struct prefix prefix;

			assert_int_equal(prefix_parse(live[r].prefix, &prefix), 0);
			if (strcmp(live[r].table, lookup->table) != 0 ||
			    !prefix_contains(&prefix, &lookup->destination))
				continue;
			route = trace_routes_new(answers->routes, live[r].table);
			route->prefix = prefix;
			assert_int_equal(ip_parse(live[r].hop, &route->next_hop), 0);
		}
		trace_lookups_add(answers->answered, lookup->table, &lookup->destination);
	}
	trace_routes_sort(answers->routes);
	return 0;
}

/* hop: of the static routes to fbf-01, which are not what is active. */
static void
expect_asked(const char *hop)
{
	struct setting setting = { .output = NULL };
	struct trace_lookups answered = { NULL, 0 };
	struct answers answers = { &setting.routes, &answered };
	struct trace_input input = {
		.config = &setting.config, .routes = &setting.routes, .answered = &answered
	};
	struct error err = { "" };
	char *text;

	if (profile_load("profiles/cgn-dual-stack.json", "yang", &setting.profile, &err) < 0)
		fail_msg("%s", err.text);
	input.profile = setting.profile;
	text = edit(render(setting.profile), "<next-hop>10.1.1.2</next-hop>", hop);
	add(&setting, text, false);
	trace_config_sort(&setting.config);
	assert_int_equal(ip_parse("10.64.0.5", &input.source), 0);
	assert_int_equal(ip_parse("198.51.100.1", &input.destination), 0);
	if (trace_walk_asking(&input, answer, &answers, &setting.trace, &err) != 0)
		fail_msg("%s", err.text);
	if (!trace_is_good(&setting.trace))
		fail_msg("%s: %s", hop, setting.trace.faults.lines[0]);
	assert_int_equal(setting.trace.wanted.count, 0);
	free(text);
	trace_lookups_done(&answered);
	done(&setting);
}

/* What the first answers lead to is asked too: the configuration names no route, or another
 * element's, whose pool is in the same table. */
static void
test_asked_to_the_end(void **state)
{
	expect_asked("");
	expect_asked("<next-hop>10.1.2.2</next-hop>");
}

static void
test_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} tests[] = {
		{ "", "routes: no XML is in it" },
		{ "show route\n{master}\n", "routes: no XML is in it" },
		{ "<route-information>", "routes:1: not XML" },
		{ "<configuration/>", "there is no <route-information> in it" },
		{ "<!DOCTYPE a [<!ENTITY b \"c\">]><route-information>&b;</route-information>",
		    "routes: has a document type" },
		{ "<rpc-reply><rpc-error><error-severity>error</error-severity><error-message>\n"
		  "permission denied\n</error-message></rpc-error></rpc-reply>",
		    "routes: the router answered: permission denied" },
	};

	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		struct trace_routes routes = { 0 };
		struct error err = { "" };

		assert_int_equal(
		    trace_routes_add(&routes, tests[i].text, strlen(tests[i].text), "routes", &err),
		    -EINVAL);
		if (strncmp(err.text, "routes:", 7) != 0 || !strstr(err.text, tests[i].says))
			fail_msg("'%s' instead of '%s'", err.text, tests[i].says);
		trace_routes_done(&routes);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_link_local),
		cmocka_unit_test(test_host_outside_the_rule),
		cmocka_unit_test(test_wanted),
		cmocka_unit_test(test_asked_to_the_end),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
