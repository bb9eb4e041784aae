/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes and export policies of the lab router: which routes a configuration makes, when a
 * condition holds, what a policy makes of each route, and the route-maps that FRR is given.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>

#include <cmocka.h>

#include "error.h"

#include "../tools/lab/router/frr_export.h"
#include "../tools/lab/router/policy.h"
#include "../tools/lab/router/routes.h"

#define OPTIONS(inside) "<policy-options>" inside "</policy-options>"
#define STATIC(inside) "<routing-options><static>" inside "</static></routing-options>"
#define DISCARD(prefix) "<route><name>" prefix "</name><discard/></route>"
#define SIGNAL(prefix) "<route><name>" prefix "</name><discard/><no-readvertise/></route>"
#define POLICY(inside) "<policy-statement><name>P</name>" inside "</policy-statement>"
#define TERM(name, from, then) \
	"<term><name>" name "</name><from>" from "</from><then>" then "</then></term>"
#define EXPORT "<protocols><bgp><group><name>g</name><export>P</export></group></bgp></protocols>"
#define FILTER(prefix, how) "<route-filter><address>" prefix "</address>" how "</route-filter>"
#define LIST(items) "<prefix-list><name>L</name>" items "</prefix-list>"
#define ITEM(prefix) "<prefix-list-item><name>" prefix "</name></prefix-list-item>"
#define REST "P rest-v4 default\nP rest-v6 default\n"

static xmlDoc *
parse(const char *inside)
{
	char *text = xasprintf("<configuration>%s</configuration>", inside);
	xmlDoc *doc = xmlReadMemory(text, (int)strlen(text), NULL, NULL, XML_PARSE_NONET);

	assert_non_null(doc);
	free(text);
	return doc;
}

/* ---- routes ---------------------------------------------------------------------------------- */

static const struct route_case {
	const char *name, *input, *want;
} route_cases[] = {
	{ "nothing", "", "" },
	{ "kinds, sorted",
	    "<routing-options><static>" SIGNAL(
	        "192.0.2.9") "<route><name>10.0.0.0/8</name><reject/></route>"
	                     "<route><name>0.0.0.0/0</name><next-hop>192.0.2.1</next-hop></route>"
	                     "</static><aggregate><route><name>198.51.100.0/24</name></route>"
	                     "</aggregate></routing-options>",
	    "inet.0 0.0.0.0/0 next-hop\ninet.0 10.0.0.0/8 reject\n"
	    "inet.0 192.0.2.9/32 discard no-readvertise\ninet.0 198.51.100.0/24 aggregate\n" },
	{ "tables",
	    "<routing-options><rib><name>inet6.0</name><static>" DISCARD(
	        "2001:db8::1") "</static></rib></routing-options>"
	                       "<routing-instances><instance><name>x</name>" STATIC(
	                           DISCARD("0.0.0.0/0")) "</instance></routing-instances>",
	    "inet6.0 2001:db8::1/128 discard\nx.inet.0 0.0.0.0/0 discard\n" },
	{ "another family, no prefix, inactive",
	    STATIC(DISCARD("2001:db8::1") DISCARD("x") "<route inactive='inactive'>"
	                                               "<name>10.0.0.0/8</name><discard/></route>"),
	    "" },
};

static void
test_routes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(route_cases) / sizeof(*route_cases); i++) {
		xmlDoc *doc = parse(route_cases[i].input);
		struct route_table table = { 0 };
		char got[2048] = "", prefix[PREFIX_TEXT_SIZE];

		print_message("%s\n", route_cases[i].name);
		route_table_read(&table, xmlDocGetRootElement(doc), (struct mtime){ 1 });
		for (size_t k = 0; k < table.count; k++)
			(void)snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s %s %s%s\n",
			    table.routes[k].table, prefix_format(&table.routes[k].prefix, prefix),
			    route_kind_names[table.routes[k].kind],
			    table.routes[k].no_readvertise ? " no-readvertise" : "");
		assert_string_equal(got, route_cases[i].want);
		route_table_done(&table);
		xmlFreeDoc(doc);
	}
}

/* A route keeps its age as long as it is there. */
static void
test_ages(void **state)
{
	static const char *const steps[] = { STATIC(DISCARD("10.0.0.0/8")),
		STATIC(DISCARD("10.0.0.0/8") DISCARD("11.0.0.0/8")), STATIC(DISCARD("11.0.0.0/8")),
		STATIC(DISCARD("10.0.0.0/8") DISCARD("11.0.0.0/8")) };
	static const int64_t want[][2] = { { 1, 0 }, { 1, 2 }, { 0, 2 }, { 4, 2 } };
	struct route_table table = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		xmlDoc *doc = parse(steps[i]);

		route_table_read(&table, xmlDocGetRootElement(doc), (struct mtime){ i + 1 });
		for (int k = 0; k < 2; k++) {
			struct prefix prefix;
			const struct route *route;

			assert_int_equal(prefix_parse(k ? "11.0.0.0/8" : "10.0.0.0/8", &prefix), 0);
			route = route_table_find(&table, "inet.0", &prefix);
			assert_int_equal(route ? route->since.us : 0, want[i][k]);
		}
		xmlFreeDoc(doc);
	}
	route_table_done(&table);
}

/* ---- policies -------------------------------------------------------------------------------- */

#define NEW_FORM(prefix, table) \
	"<condition><name>C</name><if-route-exists><address-family><inet><address>" prefix \
	"</address><table>" table "</table></inet></address-family></if-route-exists></condition>"
#define OLD_FORM(prefix) \
	"<condition><name>C</name><if-route-exists><name>" prefix \
	"</name><table>inet.0</table></if-route-exists></condition>"
#define BY_CONDITION POLICY(TERM("t", "<condition>C</condition>", "<accept/>"))
#define HELD "P rest-v4 accept term t\nP rest-v6 accept term t\n"

static const struct policy_case {
	const char *name, *input, *want;
} policy_cases[] = {
	{ "nobody's policy", OPTIONS(POLICY(TERM("t", "", "<accept/>"))), "" },
	{ "an export", EXPORT OPTIONS(POLICY("<then><reject/></then>")),
	    "P rest-v4 reject\nP rest-v6 reject\n" },
	{ "an export of a neighbor in an instance",
	    "<routing-instances><instance><name>x</name><protocols><bgp><group><name>g</name>"
	    "<neighbor><name>10.0.0.1</name><export>P</export></neighbor></group></bgp>"
	    "</protocols></instance></routing-instances>" OPTIONS(POLICY("")),
	    REST },
	{ "a condition that holds",
	    STATIC(SIGNAL("192.0.2.9")) OPTIONS(NEW_FORM("192.0.2.9/32", "inet.0") BY_CONDITION),
	    HELD },
	{ "the old form", STATIC(SIGNAL("192.0.2.9")) OPTIONS(OLD_FORM("192.0.2.9") BY_CONDITION),
	    HELD },
	{ "in IPv6",
	    "<routing-options><rib><name>inet6.0</name><static>" SIGNAL(
	        "2001:db8::9") "</static></rib></routing-options>" OPTIONS(NEW_FORM("2001:db8::9/"
	                                                                            "128",
	        "inet6.0") BY_CONDITION),
	    HELD },
	{ "no such route", OPTIONS(NEW_FORM("192.0.2.9/32", "inet.0") BY_CONDITION), REST },
	{ "another length",
	    STATIC(SIGNAL("192.0.2.8/31")) OPTIONS(NEW_FORM("192.0.2.8/32", "inet.0") BY_CONDITION),
	    REST },
	{ "another table",
	    STATIC(SIGNAL("192.0.2.9")) OPTIONS(NEW_FORM("192.0.2.9/32", "x.inet.0") BY_CONDITION),
	    REST },
	{ "a condition that is not there", STATIC(SIGNAL("192.0.2.9")) OPTIONS(BY_CONDITION),
	    REST },
	{ "an inactive condition",
	    STATIC(SIGNAL("192.0.2.9"))
	        OPTIONS("<condition "
	                "inactive='inactive'><name>C</name><if-route-exists><name>192.0.2.9</name>"
	                "</if-route-exists></condition>" BY_CONDITION),
	    REST },
	{ "filters: exact, orlonger, longer, upto",
	    EXPORT OPTIONS(POLICY(TERM("a", FILTER("10.0.0.0/8", "<exact/>"), "<accept/>") TERM("b",
	        FILTER("10.0.0.0/8", "<longer/>") FILTER("11.0.0.0/8", "<orlonger/>"), "<reject/>")
	            TERM("c", FILTER("12.0.0.0/8", "<upto>/9</upto>"), "<accept/>") TERM("d",
	                FILTER("10.1.0.0/16", "") FILTER("12.0.0.0/9", "")
	                    FILTER("12.0.0.0/10", ""),
	                "<accept/>"))),
	    "P 10.0.0.0/8 accept term a\nP 10.1.0.0/16 reject term b\n"
	    "P 11.0.0.0/8 reject term b\nP 12.0.0.0/8 accept term c\n"
	    "P 12.0.0.0/9 accept term c\nP 12.0.0.0/10 accept term d\n" REST },
	{ "lists",
	    EXPORT OPTIONS(LIST(ITEM("10.0.0.0/8") ITEM("2001:db8::/32")) POLICY(
	        TERM("a", "<prefix-list><name>L</name></prefix-list><family>inet</family>",
	            "<accept/>") TERM("b",
	            "<prefix-list-filter><list_name>L</list_name><orlonger/></prefix-list-filter>",
	            "<reject/>"))),
	    "P 10.0.0.0/8 accept term a\nP 2001:db8::/32 reject term b\n" REST },
	{ "signal routes are never announced, others are",
	    EXPORT STATIC(SIGNAL("192.0.2.9") DISCARD("10.0.0.0/8")) OPTIONS(
	        POLICY(TERM("t", "<protocol>static</protocol><rib>inet.0</rib>", "<accept/>"))),
	    "P 10.0.0.0/8 accept term t\nP rest-v4 accept term t\nP rest-v6 default\n" },
	{ "a static route does not fit another protocol",
	    EXPORT STATIC(DISCARD("10.0.0.0/8")) OPTIONS(POLICY(
	        TERM("t", "<protocol>bgp</protocol><protocol>aggregate</protocol>", "<accept/>"))),
	    "P 10.0.0.0/8 default\nP rest-v4 accept term t\nP rest-v6 accept term t\n" },
	{ "actions add up until a term decides",
	    EXPORT OPTIONS(POLICY(TERM("a", "",
	        "<as-path-prepend>\"65000  65000\"</as-path-prepend>"
	        "<metric><metric>7</metric></metric>") TERM("b", "",
	        "<as-path-prepend>65001</as-path-prepend><local-preference>0</local-preference>"
	        "<community><add/><community-name>c</community-name></community><accept/>")
	            TERM("c", "", "<reject/>"))),
	    "P rest-v4 accept term b as-path-prepend \"65000 65000 65001\" metric 7 "
	    "local-preference 0 "
	    "community c\n"
	    "P rest-v6 accept term b as-path-prepend \"65000 65000 65001\" metric 7 "
	    "local-preference 0 "
	    "community c\n" },
	{ "next policy",
	    EXPORT OPTIONS(POLICY(TERM("a", "", "<next>policy</next>") TERM("b", "", "<reject/>"))),
	    REST },
	{ "an import policy that was asked for, and one that was not",
	    OPTIONS("<policy-statement><name>IMPORT</name>" TERM(
	        "pools", FILTER("203.0.113.0/26", "<exact/>"), "<accept/>") TERM("rest", "",
	        "<reject/>") "</policy-statement><policy-statement><name>OTHER</name>" TERM("rest",
	        "", "<reject/>") "</policy-statement>"),
	    "IMPORT 203.0.113.0/26 accept term pools\nIMPORT rest-v4 reject term rest\n"
	    "IMPORT rest-v6 reject term rest\n" },
	{ "what is not known never fits",
	    EXPORT OPTIONS(POLICY(TERM("a", "<neighbor>10.0.0.1</neighbor>", "<accept/>"))), REST },
};

static void
evaluate(const char *input, struct announcements *ret_result)
{
	xmlDoc *doc = parse(input);
	struct route_table table = { 0 };
	char name[] = "IMPORT", *names[] = { name };
	const struct policy_names imports = { names, 1 };

	route_table_read(&table, xmlDocGetRootElement(doc), (struct mtime){ 1 });
	policy_evaluate(xmlDocGetRootElement(doc), &table, &imports, ret_result);
	route_table_done(&table);
	xmlFreeDoc(doc);
}

static void
test_policies(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(policy_cases) / sizeof(*policy_cases); i++) {
		struct announcements got = { 0 }, again = { 0 };
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		print_message("%s\n", policy_cases[i].name);
		evaluate(policy_cases[i].input, &got);
		evaluate(policy_cases[i].input, &again);
		for (size_t k = 0; k < got.count; k++)
			announcement_print(out, &got.list[k]);
		fclose(out);
		assert_string_equal(text, policy_cases[i].want);
		assert_true(announcements_equal(&got, &again));
		free(text);
		announcements_done(&got);
		announcements_done(&again);
	}
}

/* What `autofbf router-config` prints for signal routes, before and after one is there. */
static void
test_signal(void **state)
{
#define SHAPE \
	OPTIONS(LIST(ITEM("10.0.0.0/16") ITEM("10.1.0.0/16")) NEW_FORM("192.0.2.9/32", "inet.0") \
	        POLICY(TERM("failed", \
	            "<condition>C</condition><prefix-list><name>L</name></prefix-list>", \
	            "<as-path-prepend>65000 65000</as-path-prepend><accept/>") \
	                TERM("normal", "<prefix-list><name>L</name></prefix-list>", "<accept/>")))
	struct announcements before = { 0 }, after = { 0 };
	char *text;

	(void)state;
	evaluate(SHAPE, &before);
	evaluate(SHAPE STATIC(SIGNAL("192.0.2.9/32")), &after);
	assert_false(announcements_equal(&before, &after));
	text = frr_export_commands(&before);
	assert_string_equal(text, "bgp route-map delay-timer 1\nno route-map P\n"
	                          "no ip prefix-list P-10\nno ipv6 prefix-list P-10\n"
	                          "ip prefix-list P-10 permit 10.0.0.0/16\n"
	                          "ip prefix-list P-10 permit 10.1.0.0/16\n"
	                          "route-map P permit 10\nmatch ip address prefix-list P-10\n"
	                          "no ip prefix-list P-20\nno ipv6 prefix-list P-20\n"
	                          "ip prefix-list P-20 permit 0.0.0.0/0 le 32\n"
	                          "route-map P permit 20\nmatch ip address prefix-list P-20\n"
	                          "no ip prefix-list P-30\nno ipv6 prefix-list P-30\n"
	                          "ipv6 prefix-list P-30 permit ::/0 le 128\n"
	                          "route-map P permit 30\nmatch ipv6 address prefix-list P-30\n");
	free(text);
	text = frr_export_commands(&after);
	assert_non_null(strstr(text, "route-map P permit 10\nmatch ip address prefix-list P-10\n"
	                             "set as-path prepend 65000 65000\n"));
	free(text);
	announcements_done(&before);
	announcements_done(&after);
}

static void
test_reject(void **state)
{
	struct announcements got = { 0 };
	char *text;

	(void)state;
	evaluate(EXPORT OPTIONS(POLICY(TERM("t", "<family>inet</family>",
	             "<metric>5</metric><local-preference>6</local-preference><accept/>")
	                 TERM("u", "", "<as-path-prepend>1</as-path-prepend><reject/>"))),
	    &got);
	text = frr_export_commands(&got);
	assert_non_null(strstr(text, "route-map P permit 10\nmatch ip address prefix-list P-10\n"
	                             "set metric 5\nset local-preference 6\n"));
	assert_non_null(strstr(text, "route-map P deny 20\nmatch ipv6 address prefix-list P-20\n"));
	assert_null(strstr(text, "as-path"));
	free(text);
	announcements_done(&got);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_routes),
		cmocka_unit_test(test_ages),
		cmocka_unit_test(test_policies),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_reject),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
