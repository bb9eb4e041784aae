/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Junos filters as the lab compiles them: what a term becomes, what is refused, and that a change
 * of prefix-lists leaves everything but the maps alone.
 */
#include <errno.h>
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

#include "../tools/lab/router/filter.h"
#include "../tools/lab/router/nftext.h"

/* One filter F at interface c0, family inet, around the terms of a case. */
#define BEFORE \
	"<configuration xmlns='http://xml.juniper.net/xnm/1.1/xnm'>" \
	"<interfaces><interface><name>c0</name><unit><name>0</name><family><inet><filter><input>" \
	"<filter-name>F</filter-name></input></filter></inet></family></unit></interface>" \
	"</interfaces><policy-options>" \
	"<prefix-list><name>A</name><prefix-list-item><name>10.0.0.0/26</name></prefix-list-item>" \
	"<prefix-list-item><name>2001:db8::/64</name></prefix-list-item></prefix-list>" \
	"<prefix-list><name>B</name><prefix-list-item><name>10.0.0.0/24</name></prefix-list-item>" \
	"</prefix-list><prefix-list><name>EMPTY</name></prefix-list>" \
	"<prefix-list><name>SIX</name><prefix-list-item><name>2001:db8::/64</name>" \
	"</prefix-list-item></prefix-list></policy-options>" \
	"<routing-instances><instance><name>x-in</name></instance></routing-instances>" \
	"<firewall><family><inet><filter><name>F</name>"
#define AFTER "</filter></inet></family></firewall></configuration>"

#define TERM(from, then) "<term><name>t</name><from>" from "</from><then>" then "</then></term>"
#define SOURCE(list) "<source-prefix-list><name>" list "</name></source-prefix-list>"
#define DESTINATION(list) "<destination-prefix-list><name>" list "</name></destination-prefix-list>"
#define TO_X \
	"<routing-instance><routing-instance-name>x-in</routing-instance-name></routing-instance>"

static const struct {
	const char *name, *terms;
	const char *want;     /* part of the text; NULL: refused */
	const char *unwanted; /* not part of the text */
	int code;             /* of the refusal */
	const char *why;      /* part of its text */
} cases[] = {
	{ "a list becomes a map to the term's number", TERM(SOURCE("A"), TO_X),
	    "elements = {\n10.0.0.0-10.0.0.63 : 1 }", "2001:", 0, NULL },
	{ "the mark of the instance", TERM(SOURCE("A"), TO_X),
	    "counter name f7_t0 meta mark set 1234 accept", NULL, 0, NULL },
	{ "instance as plain text", TERM(SOURCE("A"), "<routing-instance>x-in</routing-instance>"),
	    "meta mark set 1234 accept", NULL, 0, NULL },
	{ "first term wins", TERM(SOURCE("A"), TO_X) TERM(SOURCE("B"), "<discard/>"),
	    "elements = {\n10.0.0.0-10.0.0.63 : 1,\n10.0.0.64-10.0.0.255 : 2 }", NULL, 0, NULL },
	{ "first term wins, the other way round",
	    TERM(SOURCE("B"), TO_X) TERM(SOURCE("A"), "<discard/>"),
	    "elements = {\n10.0.0.0-10.0.0.255 : 1 }", ": 2", 0, NULL },
	{ "destination lists look at the destination", TERM(DESTINATION("A"), TO_X),
	    "meta mark set ip daddr map @", NULL, 0, NULL },
	{ "an empty list matches nothing", TERM(SOURCE("EMPTY"), TO_X),
	    "{ type ipv4_addr : mark; flags interval;}", "elements", 0, NULL },
	{ "an unknown list matches nothing", TERM(SOURCE("NONE"), TO_X),
	    "{ type ipv4_addr : mark; flags interval;}", "elements", 0, NULL },
	{ "a list of the other family matches nothing", TERM(SOURCE("SIX"), TO_X),
	    "{ type ipv4_addr : mark; flags interval;}", "elements", 0, NULL },
	{ "an empty from matches everything", TERM("", "<accept/>"), "f7_# goto f7_t0\n", NULL, 0,
	    NULL },
	{ "no action accepts", TERM(SOURCE("A"), "<count>c</count>"),
	    "counter name f7_t0 meta mark set 0 accept", NULL, 0, NULL },
	{ "the end of a filter drops", TERM(SOURCE("A"), TO_X), "counter name f7_end drop", NULL, 0,
	    NULL },
	{ "a list with except",
	    TERM("<source-prefix-list><name>B</name></source-prefix-list>"
	         "<source-prefix-list><name>A</name><except/></source-prefix-list>",
	        TO_X),
	    "elements = {\n10.0.0.64-10.0.0.255 : 1 }", NULL, 0, NULL },
	{ "protocol and ports are a rule of their own",
	    TERM("<protocol>udp</protocol><destination-port>3784-3785</destination-port>"
	         "<destination-port>bgp</destination-port>",
	        "<accept/>"),
	    "f7_# meta l4proto { 17 } th dport { 3784-3785, 179 } goto f7_t0", NULL, 0, NULL },
	{ "an address and a protocol are a rule of their own",
	    TERM(SOURCE("A") "<protocol>tcp</protocol>", TO_X),
	    "f7_# ip saddr { 10.0.0.0-10.0.0.63 } meta l4proto { 6 } goto f7_t0", "map", 0, NULL },
	{ "both addresses are a rule of their own", TERM(SOURCE("A") DESTINATION("B"), TO_X),
	    "f7_# ip saddr { 10.0.0.0-10.0.0.63 } ip daddr { 10.0.0.0-10.0.0.255 } goto f7_t0",
	    NULL, 0, NULL },
	{ "a rule that can match nothing is left out", TERM(SOURCE("EMPTY") DESTINATION("B"), TO_X),
	    "f7_end drop", "goto f7_t0", 0, NULL },
	{ "either address is two rules",
	    TERM("<prefix-list><name>A</name></prefix-list>", "<discard/>"),
	    "f7_# ip saddr { 10.0.0.0-10.0.0.63 } goto f7_t0\nadd rule inet labrouter f7_# ip "
	    "daddr "
	    "{ 10.0.0.0-10.0.0.63 } goto f7_t0",
	    NULL, 0, NULL },
	{ "next term goes on", TERM(SOURCE("A"), "<count>c</count><next>term</next>"), "jump f7_t0",
	    "goto f7_t0", 0, NULL },
	{ "a rule between two maps keeps its place",
	    TERM(SOURCE("A"), TO_X) TERM("<protocol>6</protocol>", "<accept/>")
	        TERM(SOURCE("B"), "<discard/>"),
	    "@f7_m0#\nadd rule inet labrouter f7_# meta mark vmap { 1 : goto f7_t0 }\n"
	    "add rule inet labrouter f7_# meta l4proto { 6 } goto f7_t1\n"
	    "add rule inet labrouter f7_# meta mark set ip saddr map @f7_m1#",
	    NULL, 0, NULL },
	{ "one rule leads to a generation, which goes as a whole", TERM(SOURCE("A"), TO_X),
	    "flush chain inet labrouter f7\nadd rule inet labrouter f7 goto f7_#\n"
	    "flush chain inet labrouter f7_#\ndelete chain inet labrouter f7_#\n"
	    "delete map inet labrouter f7_m0#\n",
	    NULL, 0, NULL },
	{ "an inactive term is not there",
	    "<term inactive='inactive'><name>t</name><then><accept/></then></term>", "f7_end drop",
	    "f7_t0", 0, NULL },
	{ "an unknown condition is refused", TERM("<ttl-except>1</ttl-except>", "<accept/>"), NULL,
	    NULL, -ENOTSUP, "filter F term t: condition ttl-except" },
	{ "an unknown protocol is refused", TERM("<protocol>warp</protocol>", "<accept/>"), NULL,
	    NULL, -ENOTSUP, "warp" },
	{ "an unknown action is refused", TERM(SOURCE("A"), "<policer>p</policer>"), NULL, NULL,
	    -ENOTSUP, "action policer" },
	{ "an unknown instance is refused",
	    TERM(SOURCE("A"), "<routing-instance>nowhere</routing-instance>"), NULL, NULL, -EINVAL,
	    "routing-instance nowhere is not defined" },
};

static uint32_t
mark_of(void *arg, const char *name)
{
	(void)arg;
	return strcmp(name, "x-in") ? 0 : 1234;
}

/* All text of the first filter, with '#' for the generation; NULL and *ret_code when refused. */
static char *
compile(const char *xml, int *ret_code, struct error *err)
{
	xmlDoc *doc = xmlReadDoc((const xmlChar *)xml, NULL, NULL, 0);
	struct filter_config config;
	struct nftext text;
	char *all = NULL;

	assert_non_null(doc);
	*ret_code = filter_config_read(xmlDocGetRootElement(doc), &config, err);
	if (!*ret_code) {
		assert_int_equal(config.filter_count, 1);
		*ret_code = nftext_make(&config.filters[0], 7, mark_of, NULL, &text, err);
	}
	if (!*ret_code) {
		all = xasprintf("%s%s%s%s", text.terms, text.program, text.enter, text.drop);
		nftext_done(&text);
		for (char *c = all; *c; c++)
			*c = *c == NFTEXT_GENERATION ? '#' : *c;
	}
	filter_config_done(&config);
	xmlFreeDoc(doc);
	return all;
}

static void
test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *xml = xasprintf("%s%s%s", BEFORE, cases[i].terms, AFTER);
		struct error err = { 0 };
		int code;
		char *got = compile(xml, &code, &err);

		if (code != cases[i].code)
			fail_msg("%s: code %d, want %d: %s", cases[i].name, code, cases[i].code,
			    err.text);
		if (cases[i].why && !strstr(err.text, cases[i].why))
			fail_msg(
			    "%s: '%s' does not say '%s'", cases[i].name, err.text, cases[i].why);
		if (cases[i].want && !strstr(got, cases[i].want))
			fail_msg("%s: want '%s' in:\n%s", cases[i].name, cases[i].want, got);
		if (cases[i].unwanted && strstr(got, cases[i].unwanted))
			fail_msg(
			    "%s: do not want '%s' in:\n%s", cases[i].name, cases[i].unwanted, got);
		free(got);
		free(xml);
	}
}

static void
test_missing_filter(void **state)
{
	struct error err = { 0 };
	int code;
	char *got =
	    compile("<configuration><interfaces><interface><name>c0</name><unit><name>0</name>"
	            "<family><inet><filter><input><filter-name>G</filter-name></input></filter>"
	            "</inet></family></unit></interface></interfaces></configuration>",
	        &code, &err);

	(void)state;
	assert_null(got);
	assert_int_equal(code, -EINVAL);
	assert_non_null(strstr(err.text, "filter G is applied to an interface but not defined"));
}

static void
test_instances(void **state)
{
	xmlDoc *doc = xmlReadDoc(
	    (const xmlChar
	            *)"<configuration><routing-instances><instance><name>i</name><routing-options>"
	              "<static><route><name>0.0.0.0/1</name><next-hop>10.1.1.2</next-hop></route>"
	              "<route><name>0.0.0.0/0</name><discard/></route></static>"
	              "<rib><name>i.inet6.0</name><static><route><name>::/0</name>"
	              "<next-hop>fd00::2</next-hop><qualified-next-hop><name>fd00::3</name>"
	              "</qualified-next-hop></route></static></rib></routing-options></instance>"
	              "</routing-instances></configuration>",
	    NULL, NULL, 0);
	struct filter_config config;
	struct error err;

	(void)state;
	assert_int_equal(filter_config_read(xmlDocGetRootElement(doc), &config, &err), 0);
	assert_int_equal(config.instance_count, 1);
	assert_int_equal(config.instances[0].route_count, 4);
	assert_true(config.instances[0].routes[0].has_next_hop);
	assert_false(config.instances[0].routes[1].has_next_hop);
	assert_int_equal(config.instances[0].routes[2].prefix.address.family, FAMILY_IPV6);
	assert_int_equal(config.instances[0].routes[3].rank, 1);
	filter_config_done(&config);
	xmlFreeDoc(doc);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases),
		cmocka_unit_test(test_missing_filter), cmocka_unit_test(test_instances) };
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	xmlCleanupParser();
	return failed;
}
