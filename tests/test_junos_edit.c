/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests: the exact words of each, and loads read back by libxml2 give the plan again. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <libxml/parser.h>
#include <libxml/tree.h>

#include "error.h"
#include "junos_edit.h"

#define RPC "<rpc xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"7\">"
#define ROUTES "<routing-options><static/><rib><name>inet6.0</name></rib></routing-options>"

static void
check_words(char *got, const char *want)
{
	assert_string_equal(got, want);
	free(got);
}

static void
test_words(void **state)
{
	(void)state;
	check_words(junos_rpc_open(7, "autofbf"),
	    RPC "<open-configuration><ephemeral-instance>autofbf</ephemeral-instance>"
	        "</open-configuration></rpc>");
	check_words(junos_rpc_open(7, "<a&\"b>"),
	    RPC "<open-configuration><ephemeral-instance>&lt;a&amp;&quot;b&gt;"
	        "</ephemeral-instance></open-configuration></rpc>");
	check_words(junos_rpc_commit(7, false), RPC "<commit-configuration/></rpc>");
	check_words(junos_rpc_commit(7, true),
	    RPC "<commit-configuration><synchronize/></commit-configuration></rpc>");
	check_words(junos_rpc_close(7), RPC "<close-configuration/></rpc>");
	check_words(junos_rpc_close_session(7), RPC "<close-session/></rpc>");
	check_words(junos_rpc_get_candidate(7),
	    RPC "<get-config><source><candidate/></source><filter type=\"subtree\"><configuration>"
	        "<policy-options/><routing-options/></configuration></filter></get-config></rpc>");
	check_words(junos_rpc_get_ephemeral(7, "x"),
	    RPC "<get-configuration database=\"ephemeral\" ephemeral-instance=\"x\"><configuration>"
	        "<policy-options><prefix-list/></policy-options>" ROUTES
	        "</configuration></get-configuration></rpc>");
	check_words(junos_rpc_get_static(7), RPC
	    "<get-configuration database=\"committed\"><configuration><policy-options>"
	    "<prefix-list/></policy-options>" ROUTES "</configuration></get-configuration></rpc>");
	check_words(junos_rpc_get_bgp_summary(7), RPC "<get-bgp-summary-information/></rpc>");
	check_words(junos_rpc_get_bgp_neighbor(7), RPC "<get-bgp-neighbor-information/></rpc>");
	check_words(junos_rpc_get_bfd(7),
	    RPC "<get-bfd-session-information><extensive/></get-bfd-session-information></rpc>");
	check_words(junos_rpc_get_uptime(7), RPC "<get-system-uptime-information/></rpc>");
}

/* What decides about packets, and nothing that is secret. */
static void
test_forwarding(void **state)
{
	static const char *const wanted[] = { "<firewall/>", "<prefix-list/>", "<unit><name/>",
		"<instance-type/>", "<rib-groups/>", "<running/>" };
	char *rpc = junos_rpc_get_forwarding(7);

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_non_null(strstr(rpc, wanted[i]));
	assert_null(strstr(rpc, "protocols"));
	assert_null(strstr(rpc, "<routing-options/>"));
	assert_null(strstr(rpc, "<interfaces/>"));
	free(rpc);
}

static void
test_shows(void **state)
{
	struct prefix pool;

	assert_int_equal(prefix_parse("203.0.113.0/26", &pool), 0);
	check_words(junos_rpc_get_route(7, "cgn-out.inet.0", &pool, true),
	    RPC "<get-route-information><table>cgn-out.inet.0</table><destination>203.0.113.0/26"
	        "</destination><exact/></get-route-information></rpc>");
	check_words(junos_rpc_get_route(7, "a<b", &pool, false),
	    RPC "<get-route-information><table>a&lt;b</table><destination>203.0.113.0/26"
	        "</destination></get-route-information></rpc>");
	check_words(junos_rpc_get_interface(7, "ae0.110"),
	    RPC "<get-interface-information><statistics/><detail/><interface-name>ae0.110"
	        "</interface-name></get-interface-information></rpc>");
	check_words(junos_rpc_get_filter(7, "cgn-inside-v4"),
	    RPC "<get-firewall-filter-information><filtername>cgn-inside-v4</filtername>"
	        "</get-firewall-filter-information></rpc>");
}

static void
test_hello(void **state)
{
	char *hello = junos_rpc_hello();

	(void)state;
	assert_non_null(strstr(hello, ">urn:ietf:params:netconf:base:1.0<"));
	assert_non_null(strstr(hello, ">urn:ietf:params:netconf:base:1.1<"));
	free(hello);
}

static struct prefix
make_prefix(const char *text)
{
	struct prefix prefix;

	assert_int_equal(prefix_parse(text, &prefix), 0);
	return prefix;
}

static void
test_load_words(void **state)
{
	struct plan_edit edits[] = {
		{ "a-ovr-v4", make_prefix("10.0.0.0/26"), false },
		{ "a-ovr-v4", make_prefix("10.0.1.0/26"), true },
		{ "b-ovr-v6", make_prefix("2001:db8:1::/56"), true },
	};
	struct plan plan = { .edits = edits, .count = 3 };
	size_t next = 0;

	(void)state;
	check_words(junos_rpc_load(7, &plan, &next, JUNOS_LOAD_MAX_BYTES), RPC
	    "<load-configuration action=\"merge\" format=\"xml\"><configuration><policy-options>"
	    "<prefix-list><name>a-ovr-v4</name>"
	    "<prefix-list-item><name>10.0.0.0/26</name></prefix-list-item>"
	    "<prefix-list-item delete=\"delete\"><name>10.0.1.0/26</name></prefix-list-item>"
	    "</prefix-list>"
	    "<prefix-list><name>b-ovr-v6</name>"
	    "<prefix-list-item delete=\"delete\"><name>2001:db8:1::/56</name></prefix-list-item>"
	    "</prefix-list></policy-options></configuration></load-configuration></rpc>");
	assert_int_equal(next, 3);
	assert_null(junos_rpc_load(7, &plan, &next, JUNOS_LOAD_MAX_BYTES));
}

static void
test_route_words(void **state)
{
	struct plan_edit edits[] = {
		{ "0-ovr-v4", make_prefix("10.0.0.0/26"), false },
		{ LISTSET_SIGNAL_ROUTES, make_prefix("192.0.2.128"), false },
		{ LISTSET_SIGNAL_ROUTES, make_prefix("192.0.2.129"), true },
		{ LISTSET_SIGNAL_ROUTES, make_prefix("2001:db8::1"), false },
		{ "a-ovr-v6", make_prefix("2001:db8:1::/56"), true },
	};
	struct plan plan = { .edits = edits, .count = 5 };
	size_t next = 0;

	(void)state;
	check_words(junos_rpc_load(7, &plan, &next, JUNOS_LOAD_MAX_BYTES), RPC
	    "<load-configuration action=\"merge\" format=\"xml\"><configuration><policy-options>"
	    "<prefix-list><name>0-ovr-v4</name>"
	    "<prefix-list-item><name>10.0.0.0/26</name></prefix-list-item>"
	    "</prefix-list></policy-options>"
	    "<routing-options><static><route><name>192.0.2.128/32</name><discard/><no-install/>"
	    "<no-readvertise/></route>"
	    "<route delete=\"delete\"><name>192.0.2.129/32</name></route>"
	    "</static></routing-options>"
	    "<routing-options><rib><name>inet6.0</name><static><route><name>2001:db8::1/128</name>"
	    "<discard/><no-install/><no-readvertise/></route></static></rib></routing-options>"
	    "<policy-options><prefix-list><name>a-ovr-v6</name>"
	    "<prefix-list-item delete=\"delete\"><name>2001:db8:1::/56</name></prefix-list-item>"
	    "</prefix-list></policy-options></configuration></load-configuration></rpc>");
	assert_int_equal(next, 5);
}

static xmlNode *
child(xmlNode *node, const char *name)
{
	for (node = node->children; node; node = node->next)
		if (node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0)
			return node;
	fail_msg("no <%s>", name);
	return NULL;
}

static void
check_text(xmlNode *node, const char *want)
{
	xmlChar *text = xmlNodeGetContent(child(node, "name"));

	assert_string_equal((const char *)text, want);
	xmlFree(text);
}

/* One <prefix-list>, or one <static>, whose routes have no list with a name. */
static const struct plan_edit *
check_items(xmlNode *list, const char *tag, const struct plan_edit *edit)
{
	const struct plan_edit *first = edit;
	xmlNode *item;

	for (item = list->children; item; item = item->next) {
		char prefix[PREFIX_TEXT_SIZE];

		if (strcmp((const char *)item->name, tag) != 0)
			continue;
		check_text(item, prefix_format(&edit->item, prefix));
		assert_int_equal(xmlHasProp(item, BAD_CAST "delete") != NULL, edit->remove);
		edit++;
	}
	assert_true(edit > first); /* never an empty list */
	return edit;
}

static const struct plan_edit *
check_routes(xmlNode *options, const struct plan_edit *edit)
{
	bool is_ipv4 = edit->item.address.family == FAMILY_IPV4;
	xmlNode *holder = is_ipv4 ? options : child(options, "rib");
	const struct plan_edit *after;

	if (!is_ipv4)
		check_text(holder, "inet6.0");
	after = check_items(child(holder, "static"), "route", edit);
	for (; edit < after; edit++) {
		assert_string_equal(edit->list, LISTSET_SIGNAL_ROUTES);
		assert_int_equal(edit->item.address.family == FAMILY_IPV4, is_ipv4);
	}
	return after;
}

/* Walks what one load holds; returns the next edit that is expected. */
static const struct plan_edit *
check_places(xmlNode *configuration, const struct plan_edit *edit)
{
	for (xmlNode *place = configuration->children; place; place = place->next) {
		if (strcmp((const char *)place->name, "routing-options") == 0) {
			edit = check_routes(place, edit);
			continue;
		}
		assert_string_equal((const char *)place->name, "policy-options");
		for (xmlNode *list = place->children; list; list = list->next) {
			check_text(list, edit->list);
			edit = check_items(list, "prefix-list-item", edit);
		}
	}
	return edit;
}

static const struct plan_edit *
check_part(const char *part, const struct plan_edit *edit)
{
	xmlDoc *doc = xmlReadMemory(part, (int)strlen(part), NULL, NULL, XML_PARSE_NONET);
	xmlNode *load;

	assert_non_null(doc);
	load = child(xmlDocGetRootElement(doc), "load-configuration");
	edit = check_places(child(load, "configuration"), edit);
	xmlFreeDoc(doc);
	return edit;
}

enum { EDITS = 500 };

static void
make_random_plan(struct plan_edit *edits, char names[][16], unsigned *seed)
{
	static const char *const odd[] = { "", "<", "&amp;", "]]>", "\"" };
	size_t i, list = 0;

	for (i = 0; i < EDITS; i++) {
		if (i == 0 || rand_r(seed) % 20 == 0) {
			list = i;
			if (rand_r(seed) % 4 == 0)
				strcpy(names[i], LISTSET_SIGNAL_ROUTES);
			else
				snprintf(
				    names[i], sizeof(names[i]), "l%zu%s", i, odd[rand_r(seed) % 5]);
		}
		edits[i] = (struct plan_edit){ names[list],
			{ { rand_r(seed) % 4 == 0 ? FAMILY_IPV6 : FAMILY_IPV4,
			      { 10, (uint8_t)(i >> 8), (uint8_t)i } },
			    24 },
			rand_r(seed) % 2 };
	}
}

static void
test_parts(void **state)
{
	static const size_t limits[] = { 1, 300, 500, 1000, 10000, JUNOS_LOAD_MAX_BYTES };
	const char *seed_text = getenv("SEED");
	unsigned seed = seed_text ? (unsigned)strtoul(seed_text, NULL, 0) : (unsigned)time(NULL);
	struct plan_edit *edits = xcalloc(EDITS, sizeof(*edits));
	char(*names)[16] = xcalloc(EDITS, sizeof(*names));
	struct plan plan = { .edits = edits, .count = EDITS };
	size_t i;

	(void)state;
	print_message("SEED=%u\n", seed);
	make_random_plan(edits, names, &seed);
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		const struct plan_edit *edit = edits;
		size_t next = 0;
		char *part;

		while ((part = junos_rpc_load(7, &plan, &next, limits[i]))) {
			const struct plan_edit *after = check_part(part, edit);

			assert_true(after - edit == 1 || strlen(part) <= limits[i]);
			assert_ptr_equal(after, edits + next);
			edit = after;
			free(part);
		}
		assert_int_equal(next, EDITS);
	}
	free(edits);
	free(names);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shows),
		cmocka_unit_test(test_forwarding),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_hello),
		cmocka_unit_test(test_load_words),
		cmocka_unit_test(test_route_words),
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
