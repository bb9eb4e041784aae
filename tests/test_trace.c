/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packet's walk through hand-made configurations: tests/fixtures/trace/two.xml with one thing
 * changed in each case, as an operator's hand would change it.
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

#include "trace_kit.h"

/* ---- one thing changed --------------------------------------------------------------------- */

#define ITEM(list, item) \
	"<configuration><policy-options><prefix-list><name>" list "</name><prefix-list-item>" \
	"<name>" item "</name></prefix-list-item></prefix-list></policy-options></configuration>"

static const struct walk_case {
	const char *name;
	const char *from, *to; /* NULL: nothing changed */
	const char *ephemeral; /* NULL: empty */
	const char *source, *destination;
	const char *verdict;
	const char *says; /* somewhere on the screen, line breaks apart */
} cases[] = {
	{ "healthy, the subscriber begins", NULL, NULL, NULL, "10.0.0.5", "203.0.113.9",
	    "same-element", "both directions cross a" },
	{ "healthy, the Internet begins", NULL, NULL, NULL, "203.0.113.9", "10.0.0.130",
	    "same-element", "both directions cross b" },
	{ "IPv6", NULL, NULL, NULL, "2001:db8:1:3::5", "2001:db8:ff::1", "same-element",
	    "2001:db8:1:3::/64" },
	{ "subscriber to subscriber", NULL, NULL, NULL, "10.0.0.5", "10.0.0.130", "same-element",
	    "10.0.0.5 -> 10.0.0.130, at outside interface xe-0/0/2.0" },
	{ "what the first element does is assumed", NULL, NULL, NULL, "10.0.0.5", "10.0.0.130",
	    "same-element", "a sends it out on its outside; with routes for subscribers" },
	{ "the core's interface alone is walked for the Internet", NULL, NULL, NULL, "10.0.0.5",
	    "203.0.113.9", "same-element", "at outside interface xe-0/0/1.0 filter" },
	{ "override: a piece", NULL, NULL, ITEM("b-ovr-v4", "10.0.0.0/27"), "10.0.0.5",
	    "203.0.113.9", "same-element",
	    "the base is a a piece of the unit 10.0.0.0/26, which is split" },
	{ "override: the other half stays", NULL, NULL, ITEM("b-ovr-v4", "10.0.0.0/27"),
	    "10.0.0.40", "203.0.113.9", "same-element", "this is its base" },
	{ "override is told as ephemeral", NULL, NULL, ITEM("b-ovr-v4", "10.0.0.0/26"), "10.0.0.5",
	    "203.0.113.9", "same-element", "b-ovr-v4 10.0.0.0/26 (ephemeral)" },
	{ "a union: an ephemeral item in a base list", NULL, NULL, ITEM("b-base-v4", "10.0.0.0/26"),
	    "10.0.0.5", "203.0.113.9", "same-element",
	    "in two lists: a-base-v4 decides, for term a-base comes first; also in b-base-v4 "
	    "(10.0.0.0/26)" },
	{ "in no list: the floor discards and counts",
	    "<prefix-list-item><name>10.0.0.0/26</name></prefix-list-item>", "", NULL, "10.0.0.5",
	    "203.0.113.9", "dropped", "term floor discards it, counter unlisted" },
	{ "an inactive item is not there", "<prefix-list-item><name>10.0.0.0/26</name>",
	    "<prefix-list-item inactive=\"inactive\"><name>10.0.0.0/26</name>", NULL, "10.0.0.5",
	    "203.0.113.9", "dropped", "term floor discards it" },
	{ "no floor and in no list: bypass", "<name>10.0.0.0/2", "<name>10.1.0.0/2", NULL,
	    "10.0.0.5", "203.0.113.9", "bypass",
	    "term rest accepts: by the main table, NOT through an element" },
	{ "a list with the sentinel alone",
	    "<prefix-list-item><name>10.0.0.128/26</name></prefix-list-item>\n      "
	    "<prefix-list-item><name>10.0.0.192/26</name></prefix-list-item>",
	    "<prefix-list-item><name>192.0.2.255/32</name></prefix-list-item>", NULL, "10.0.0.130",
	    "203.0.113.9", "dropped", "the list b-base-v4 holds no subscriber" },
	{ "a list that is not defined", "<prefix-list><name>b-base-v4", "<prefix-list><name>c",
	    NULL, "10.0.0.130", "203.0.113.9", "dropped", "the list b-base-v4 is not defined" },
	{ "an exception of the operator", NULL, NULL, NULL, "10.0.0.5", "192.0.2.53", "bypass",
	    "term dns accepts" },
	{ "the outside list differs", "<destination-prefix-list><name>a-base-v4",
	    "<destination-prefix-list><name>x", NULL, "10.0.0.5", "203.0.113.9", "dropped",
	    "the answer at xe-0/0/1.0: term floor discards" },
	{ "the outside table leads to another element", "<next-hop>172.17.0.2</next-hop>",
	    "<next-hop>172.17.0.6</next-hop>", NULL, "10.0.0.5", "203.0.113.9",
	    "different-elements",
	    "from the inside (xe-0/0/0.100) to a, but from the outside (xe-0/0/1.0) to b" },
	{ "a list of one element sends to another", "<next-hop>172.17.0.2</next-hop>",
	    "<next-hop>172.17.0.6</next-hop>", NULL, "203.0.113.9", "10.0.0.5",
	    "different-elements", "a list of a, and sends to b" },
	{ "the wrong side of an element", "<next-hop>172.16.0.2</next-hop>",
	    "<next-hop>172.17.0.2</next-hop>", NULL, "10.0.0.5", "203.0.113.9", "fault",
	    "172.17.0.2 is the outside address of a, but the packet comes from the inside" },
	{ "a next hop that is nobody's", "<next-hop>172.16.0.2</next-hop>",
	    "<next-hop>172.16.0.9</next-hop>", NULL, "10.0.0.5", "203.0.113.9", "elsewhere",
	    "the next hop 172.16.0.9 is no element's address" },
	{ "two next hops", "<next-hop>172.16.0.2</next-hop>",
	    "<next-hop>172.16.0.2</next-hop><next-hop>172.16.0.6</next-hop>", NULL, "10.0.0.5",
	    "203.0.113.9", "fault", "has 172.16.0.6 of b as another next hop" },
	{ "a discard in the table", "<next-hop>172.16.0.2</next-hop>", "<discard/>", NULL,
	    "10.0.0.5", "203.0.113.9", "dropped",
	    "the route 0.0.0.0/0 in table a-in.inet.0 "
	    "discards it" },
	{ "a table without a route", "<name>0.0.0.0/0</name>", "<name>192.0.0.0/24</name>", NULL,
	    "10.0.0.5", "203.0.113.9", "dropped", "table a-in.inet.0 has no route for it" },
	{ "an instance that is not defined", "<instance><name>a-in<", "<instance><name>x<", NULL,
	    "10.0.0.5", "203.0.113.9", "dropped", "the routing instance a-in is not defined" },
	{ "no filter inside",
	    "<filter><input><filter-name>inside-v4</filter-name></input></filter>", "", NULL,
	    "10.0.0.5", "203.0.113.9", "bypass",
	    "the packet at xe-0/0/0.100: xe-0/0/0.100 applies no filter" },
	{ "a filter that is not defined", "<filter><name>inside-v4", "<filter><name>x", NULL,
	    "10.0.0.5", "203.0.113.9", "unknown",
	    "xe-0/0/0.100 applies the filter inside-v4, which is not defined" },
	{ "a list of filters", "<input><filter-name>inside-v4</filter-name></input>",
	    "<input-list>inside-v6</input-list><input-list>inside-v4</input-list>", NULL,
	    "10.0.0.5", "203.0.113.9", "same-element", "inside-v6, which is not defined" },
	{ "a filter without an end", "<term><name>rest</name><then><accept/></then></term>", "",
	    NULL, "10.0.0.5", "203.0.113.9", "fault",
	    "comes out of a at xe-0/0/2.0 does not get on" },
	{ "the inside filter where elements come out",
	    "<name>xe-0/0/4</name><unit><name>0</name><family>\n      <inet>",
	    "<name>xe-0/0/4</name><unit><name>0</name><family>\n      <inet><filter><input>"
	    "<filter-name>inside-v4</filter-name></input></filter>",
	    NULL, "10.0.0.130", "10.0.0.5", "fault",
	    "what comes out of a at xe-0/0/4.0 does not get on: term b-base of inside-v4" },
	{ "an output filter in front of the element",
	    "<name>xe-0/0/4</name><unit><name>0</name><family>\n      <inet>",
	    "<name>xe-0/0/4</name><unit><name>0</name><family>\n      <inet><filter>"
	    "<output-list>outside-v6</output-list><output>outside-v4</output></filter>",
	    NULL, "10.0.0.5", "10.0.0.130", "fault",
	    "what goes to a at xe-0/0/4.0 does not get on: term b-base of outside-v4" },
	{ "an output filter that lets it through",
	    "<name>xe-0/0/4</name><unit><name>0</name><family>\n      <inet>",
	    "<name>xe-0/0/4</name><unit><name>0</name><family>\n      <inet><filter>"
	    "<output>outside-v4</output></filter>",
	    NULL, "10.0.0.5", "203.0.113.9", "same-element", "OK" },
	{ "a condition that is no address is an assumption", "<term><name>a-base</name><from>",
	    "<term><name>a-base</name><from><protocol>tcp</protocol><protocol>udp</protocol>", NULL,
	    "10.0.0.5", "203.0.113.9", "dropped", "term a-base: not protocol tcp or udp" },
	{ "a statement that is not known, beside a known one", "<count>a-base</count>",
	    "<decapsulate/><count>a-base</count>", NULL, "10.0.0.5", "203.0.113.9", "same-element",
	    "term a-base: then decapsulate, passed over" },
	{ "a statement that is not known, alone", "<then><accept/></then></term>\n      </filter>",
	    "<then><decapsulate/></then></term></filter>", NULL, "203.0.113.9", "10.0.0.5", "fault",
	    "does not get on: term rest" },
	{ "no end, and in no list", "<term><name>rest</name><then><accept/></then></term>", "",
	    "<configuration><firewall><family><inet><filter><name>inside-v4</name><term><name>floor"
	    "</name><then><next>term</next></then></term><term><name>a-base</name><then><next>term"
	    "</next></then></term></filter></inet></family></firewall></configuration>",
	    "10.0.0.5", "203.0.113.9", "dropped", "no term matches, the filter's end discards it" },
	{ "except: the longest entry decides",
	    "<source-prefix-list><name>a-base-v4</name></source-prefix-list>",
	    "<source-prefix-list><name>a-base-v4</name></source-prefix-list><source-address>"
	    "<name>10.0.0.0/28</name><except/></source-address>",
	    NULL, "10.0.0.5", "203.0.113.9", "dropped", "term floor" },
	{ "except: beside it", "<source-prefix-list><name>a-base-v4</name></source-prefix-list>",
	    "<source-prefix-list><name>a-base-v4</name></source-prefix-list><source-address>"
	    "<name>10.0.0.0/28</name><except/></source-address>",
	    NULL, "10.0.0.20", "203.0.113.9", "same-element", "a-base-v4 10.0.0.0/26" },
	{ "next-ip",
	    "<routing-instance><routing-instance-name>a-in</routing-instance-name>"
	    "</routing-instance>",
	    "<next-ip><address>172.16.0.2/32</address></next-ip>", NULL, "10.0.0.5", "203.0.113.9",
	    "same-element", "both directions cross a" },
	{ "routing-instance as text",
	    "<routing-instance><routing-instance-name>a-in</routing-instance-name>"
	    "</routing-instance>",
	    "<routing-instance>\na-in\n</routing-instance>", NULL, "10.0.0.5", "203.0.113.9",
	    "same-element", "both directions cross a" },
	{ "next term",
	    "<count>a-base</count><routing-instance><routing-instance-name>a-in"
	    "</routing-instance-name></routing-instance>",
	    "<next>term</next>", NULL, "10.0.0.5", "203.0.113.9", "dropped", "term floor" },
	{ "the term of an ephemeral filter replaces the static one's action", NULL, NULL,
	    "<configuration><firewall><family><inet><filter><name>inside-v4</"
	    "name><term><name>a-base"
	    "</name><then><discard/></then></term></filter></inet></family></firewall>"
	    "</configuration>",
	    "10.0.0.5", "203.0.113.9", "dropped", "term a-base discards it" },
	{ "groups that only the router can expand", "<policy-options>",
	    "<policy-options><apply-groups>LISTS</apply-groups>", NULL, "10.0.0.5", "203.0.113.9",
	    "same-element", "apply-groups LISTS in policy-options" },
};

static void
run_case(const struct walk_case *c)
{
	struct setting setting = { .output = NULL };
	char *text = load("tests/fixtures/trace/two.xml"), *flat;
	struct error err;

	if (c->from)
		text = edit(text, c->from, c->to);
	if (profile_load("tests/fixtures/trace/two.json", "yang", &setting.profile, &err) < 0)
		fail_msg("%s", err.text);
	add(&setting, text, false);
	add(&setting, c->ephemeral ? c->ephemeral : "<rpc-reply><data/></rpc-reply>", true);
	walk(&setting, c->source, c->destination);
	flat = flatten(setting.output);
	if (strcmp(trace_verdict(&setting.trace), c->verdict) != 0 || !strstr(flat, c->says))
		fail_msg("%s: %s, wanted %s and '%s':\n%s", c->name, trace_verdict(&setting.trace),
		    c->verdict, c->says, setting.output);
	assert_int_equal(trace_is_good(&setting.trace), strcmp(c->verdict, "same-element") == 0);
	free(flat);
	free(text);
	done(&setting);
}

/* What profile replace makes: the dead element's line stays, with what its successor has now. */
static void
test_tombstone(void **state)
{
	static const char *const peers = "{\"id\": \"a\", \"ipv4\": {",
	                         *const buried =
	                             "{\"id\": \"0\", \"removed\": true, \"failed-weight\": 0, "
	                             "\"weight\": [{\"epoch\": 0, \"weight\": 0}], \"ipv4\": {"
	                             "\"base-list\": \"a-base-v4\", \"override-list\": "
	                             "\"a-ovr-v4\", \"inside\": {\"peer\": \"172.16.0.2\"}, "
	                             "\"outside\": {\"peer\": \"172.17.0.2\"}}},\n";
	struct setting setting = { .output = NULL };
	char *profile = load("tests/fixtures/trace/two.json"), *text, *both;
	struct ly_ctx *ctx = NULL;
	struct error err = { "" };

	both = xasprintf("%s%s", buried, peers);
	profile = edit(profile, peers, both);
	text = load("tests/fixtures/trace/two.xml");
	if (profile_yang_context("yang", &ctx, &err) < 0 ||
	    profile_load_text(ctx, profile, strlen(profile), "two.json", &setting.profile, &err) <
	        0)
		fail_msg("%s", err.text);
	assert_true(setting.profile->groups[0].elements[0].removed);
	add(&setting, text, false);
	walk(&setting, "10.0.0.5", "203.0.113.9");
	if (!trace_is_good(&setting.trace) || !strstr(setting.output, "both directions cross a") ||
	    !strstr(setting.output, "this is its base"))
		fail_msg("%s", setting.output);
	assert_int_equal(setting.trace.subscribers[0].base, 1);
	ly_ctx_destroy(ctx);
	free(both);
	free(text);
	free(profile);
	done(&setting);
}

static void
test_cases(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		run_case(&cases[i]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_tombstone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
