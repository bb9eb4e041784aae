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
	        "<policy-options/></configuration></filter></get-config></rpc>");
	check_words(junos_rpc_get_ephemeral(7, "x"),
	    RPC "<get-configuration database=\"ephemeral\" ephemeral-instance=\"x\"><configuration>"
	        "<policy-options><prefix-list/></policy-options></configuration>"
	        "</get-configuration></rpc>");
	check_words(junos_rpc_get_static(7),
	    RPC "<get-configuration database=\"committed\"><configuration><policy-options>"
	        "<prefix-list/></policy-options></configuration></get-configuration></rpc>");
	check_words(junos_rpc_get_bgp_summary(7), RPC "<get-bgp-summary-information/></rpc>");
	check_words(junos_rpc_get_bgp_neighbor(7), RPC "<get-bgp-neighbor-information/></rpc>");
	check_words(junos_rpc_get_bfd(7),
	    RPC "<get-bfd-session-information><extensive/></get-bfd-session-information></rpc>");
	check_words(junos_rpc_get_uptime(7), RPC "<get-system-uptime-information/></rpc>");
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

/* Walks the items of one load; returns the next edit that is expected. */
static const struct plan_edit *
check_items(xmlNode *lists, const struct plan_edit *edit)
{
	xmlNode *list, *item;

	for (list = lists->children; list; list = list->next) {
		size_t items = 0;

		for (item = list->children; item; item = item->next) {
			char prefix[PREFIX_TEXT_SIZE];

			if (strcmp((const char *)item->name, "prefix-list-item") != 0)
				continue;
			check_text(list, edit->list);
			check_text(item, prefix_format(&edit->item, prefix));
			assert_int_equal(xmlHasProp(item, BAD_CAST "delete") != NULL, edit->remove);
			edit++;
			items++;
		}
		assert_true(items > 0); /* never an empty list */
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
	edit = check_items(child(child(load, "configuration"), "policy-options"), edit);
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
			snprintf(names[i], sizeof(names[i]), "l%zu%s", i, odd[rand_r(seed) % 5]);
		}
		edits[i] = (struct plan_edit){ names[list],
			{ { FAMILY_IPV4, { 10, (uint8_t)(i >> 8), (uint8_t)i } }, 24 },
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
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_hello),
		cmocka_unit_test(test_load_words),
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
