/* SPDX-License-Identifier: BSD-3-Clause */
/* What the NETCONF server answers: every operation, who may ask for it, events and their filters.
 */
#define _GNU_SOURCE
#include "northbound_rig.h"

/* ---- requests ------------------------------------------------------------------------------- */

static const struct {
	const char *name, *request, *want;
} requests[] = {
	{ "message-id comes back", RPC("<get/>"), "message-id=\"7\"" },
	{ "other attributes come back",
	    "<rpc xmlns=\"" BASE "\" message-id=\"1\" xmlns:u=\"urn:u\" u:a=\"&lt;b\"><get/></rpc>",
	    "u:a=\"&lt;b\"" },
	{ "a prefix", "<n:rpc xmlns:n=\"" BASE "\" message-id=\"1\"><n:get/></n:rpc>",
	    "<severity>ok</severity>" },
	{ "get: both", RPC("<get/>"), "<profile " },
	{ "get: profile only", RPC("<get><filter><profile " OURS "/></filter></get>"),
	    "</profile></data></rpc-reply>" },
	{ "get: state only", RPC("<get><filter type='subtree'><state " OURS "/></filter></get>"),
	    "<data><state " },
	{ "get: nothing", RPC("<get><filter/></get>"), "<data></data>" },
	{ "get: something else", RPC("<get><filter><x xmlns='u'/></filter></get>"),
	    "<data></data>" },
	{ "get: xpath", RPC("<get><filter type='xpath' select='/'/></get>"),
	    "operation-not-supported" },
	{ "where", RPC("<where " OURS "><target>10.64.0.70</target></where>"),
	    "<prefix>10.64.0.64/26</prefix>" },
	{ "where: a prefix", RPC("<where " OURS "><target>10.64.0.0/25</target></where>"),
	    "<prefix>10.64.0.64/26</prefix>" },
	{ "where: IPv6", RPC("<where " OURS "><target>2001:db8:64::1</target></where>"),
	    "<family>ipv6</family>" },
	{ "where: all of it", RPC("<where " OURS "><target>0.0.0.0/0</target></where>"),
	    "<prefix>10.64.255.192/26</prefix>" },
	{ "where: outside", RPC("<where " OURS "><target>192.0.2.1</target></where>"), "<ok/>" },
	{ "where: nonsense", RPC("<where " OURS "><target>x</target></where>"), "bad-target" },
	{ "where: host bits", RPC("<where " OURS "><target>10.64.0.1/26</target></where>"),
	    "bits behind its length" },
	{ "why", RPC("<why " OURS "><target>10.64.0.70</target></why>"),
	    "<unit>10.64.0.64/26</unit>" },
	{ "why: part of a unit", RPC("<why " OURS "><target>10.64.0.64/28</target></why>"),
	    "<unit>10.64.0.64/26</unit>" },
	{ "why: several units", RPC("<why " OURS "><target>10.64.0.0/25</target></why>"),
	    "more than one unit of group cgn" },
	{ "why: everything", RPC("<why " OURS "><target>0.0.0.0/0</target></why>"), "bad-target" },
	{ "why: outside", RPC("<why " OURS "><target>192.0.2.1</target></why>"), "<ok/>" },
	{ "why: behind the last unit", RPC("<why " OURS "><target>10.65.0.0</target></why>"),
	    "<ok/>" },
	{ "why: nonsense", RPC("<why " OURS "><target>x</target></why>"), "bad-target" },
	{ "path alter: on or off", RPC("<path-alter " OURS "/>"), "missing-element" },
	{ "log: no such level",
	    RPC("<log-level " OURS "><tag>health</tag><level>loud</level></log-level>"),
	    "invalid-value" },
	{ "log: no such tag",
	    RPC("<log-level " OURS "><tag>x</tag><level>info</level></log-level>"),
	    "there are: agent, alarm, bmp, capacity" },
	{ "events: unknown name", RPC("<events " OURS "><subject>fbf-99</subject></events>"),
	    "there are: cgn, fbf-01" },
	{ "events: an address", RPC("<events " OURS "><subject>192.0.2.7</subject></events>"),
	    "<ok/>" },
	{ "events: unknown group", RPC("<events " OURS "><group>x</group></events>"),
	    "there are: cgn" },
	{ "events: no such day",
	    RPC("<events " OURS "><since>2026-13-30T00:00:00.000000Z</since></events>"),
	    "no such day" },
	{ "plan", RPC("<plan " OURS "><offline>fbf-02</offline></plan>"), "<moved>256</moved>" },
	{ "plan: it is up already", RPC("<plan " OURS "><online>fbf-02</online></plan>"),
	    "<moved>0</moved>" },
	{ "plan: nobody left",
	    RPC("<plan " OURS "><offline>fbf-01</offline><offline>fbf-02</offline>"
	        "<offline>fbf-03</offline><offline>fbf-04</offline></plan>"),
	    "<healthy>0</healthy>" },
	{ "plan: unknown", RPC("<plan " OURS "><offline>x</offline></plan>"),
	    "there are: fbf-01, fbf-02, fbf-03, fbf-04" },
	{ "layout: unknown", RPC("<layout " OURS "><down>x</down></layout>"), "unknown-name" },
	{ "diff", RPC("<diff " OURS "/>"), "<adds " OURS ">0</adds>" },
	{ "events", RPC("<events " OURS "/>"), "<ok/>" },
	{ "audit", RPC("<audit " OURS "/>"), "<ok/>" },
	{ "offline: no name", RPC("<element-offline " OURS "/>"), "missing-element" },
	{ "offline: unknown",
	    RPC("<element-offline " OURS "><element>x</element></element-offline>"),
	    "unknown-name" },
	{ "a leaf that is not there", RPC("<freeze " OURS "><x/></freeze>"), "unknown-element" },
	{ "a value out of range", RPC("<events " OURS "><last>0</last></events>"),
	    "invalid-value" },
	{ "no such operation", RPC("<x " OURS "/>"), "operation-not-supported" },
	{ "an operation of nobody", RPC("<get xmlns='u'/>"), "operation-not-supported" },
	{ "a notification as request", RPC("<event " OURS "/>"), "operation-not-supported" },
	{ "an action", RPC("<action xmlns='urn:ietf:params:xml:ns:yang:1'>text</action>"),
	    "operation-not-supported" },
	{ "a DTD", "<!DOCTYPE x [<!ENTITY e \"e\">]>" RPC("<get/>"), "malformed-message" },
	{ "another encoding", "<?xml version=\"1.0\" encoding=\"UTF-16\"?>" RPC("<get/>"),
	    "mx304-north" },
	{ "two operations", RPC("<get/><get/>"), "malformed-message" },
	{ "no operation", RPC(""), "malformed-message" },
	{ "no message-id", "<rpc xmlns=\"" BASE "\"><get/></rpc>", "missing-attribute" },
	{ "not XML", "<rpc", "malformed-message" },
	{ "another document", "<hello xmlns=\"" BASE "\"/>", "malformed-message" },
	{ "an empty namespace",
	    "<rpc xmlns=\"" BASE "\" xmlns:q=\"\" q:a=\"b\" message-id=\"1\"><get/></rpc>",
	    "malformed-message" },
	{ "subscription with a filter",
	    RPC("<create-subscription xmlns='urn:ietf:params:xml:ns:netconf:notification:"
	        "1.0'><filter/></create-subscription>"),
	    "operation-not-supported" },
};

/* Who retries has to know that it is for the router. */
static void
test_audit_without_router(void **state)
{
	struct fixture *fixture = *state;
	struct client client;

	open_session(fixture, &client, "1.1");
	fixture->agent.answer = -ENOTCONN;
	assert_non_null(strstr(request(&client, RPC("<audit " OURS "/>")),
	    "<error-app-tag>not-ready</error-app-tag>"));
	close_client(&client);
}

static void
test_requests(void **state)
{
	static const char *const versions[] = { "1.0", "1.1" };
	struct client client;

	for (size_t v = 0; v < 2; v++) {
		open_session(*state, &client, versions[v]);
		for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
			const char *answer = request(&client, requests[i].request);

			if (!strstr(answer, requests[i].want))
				fail_msg(
				    "%s: no %s in %s", requests[i].name, requests[i].want, answer);
		}
		close_client(&client);
	}
}

static char *
repeat(const char *head, const char *format, unsigned count, const char *tail)
{
	char *text = xcalloc(strlen(head) + count * (strlen(format) + 16) + strlen(tail) + 1, 1);
	char *p = text + sprintf(text, "%s", head);

	for (unsigned i = 0; i < count; i++) {
		p += sprintf(p, "%s", format);
		p += sprintf(p, "%05u=\"1\"%s", i, *format == '<' ? "/>" : "");
	}
	strcpy(p, tail);
	return text;
}

/* A reader must not be able to keep the agent busy: time would go with the square of the names. */
static void
test_crowds(void **state)
{
	static const char head[] = "<rpc xmlns=\"" BASE "\" message-id=\"7\"";
	static const char get[] = "><get><filter/></get></rpc>";
	static const char many[] = "<error-tag>too-big</error-tag>";
	static const struct {
		const char *format, *head, *tail, *want;
		unsigned count;
	} cases[] = {
		{ "<down a", "><plan " OURS ">", "</plan></rpc>", many, 5000 },
		{ " a", "", get, "<data></data>", 200 },
		{ " a", "", get, many, 300 },
		{ " xmlns:a", "", get, "<data></data>", 200 },
		{ " xmlns:a", "", get, many, 300 },
	};
	struct client client;

	open_session(*state, &client, "1.1");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *start = xasprintf("%s%s", head, cases[i].head);
		char *text = repeat(start, cases[i].format, cases[i].count, cases[i].tail);
		const char *answer = request(&client, text);

		if (!strstr(answer, cases[i].want))
			fail_msg("%s: no %s in %.300s", cases[i].format, cases[i].want, answer);
		free(text);
		free(start);
	}
	close_client(&client);
}

static void
test_operations_reach_the_agent(void **state)
{
	struct fixture *fixture = *state;
	struct client client;

	open_session(fixture, &client, "1.1");
	request(
	    &client, RPC("<element-offline " OURS "><element>fbf-01</element>"
	                 "<element>fbf-02</element><reason>a &amp; b</reason></element-offline>"));
	request(
	    &client, RPC("<element-online " OURS "><element>fbf-02</element></element-online>"));
	request(&client, RPC("<freeze " OURS "><group>cgn</group><reason>r</reason></freeze>"));
	request(&client, RPC("<thaw " OURS "/>"));
	request(&client, RPC("<audit " OURS "/>"));
	request(&client, RPC("<path-alter " OURS "><on>true</on><group>cgn</group>"
	                     "<reason>r</reason></path-alter>"));
	request(&client, RPC("<path-alter " OURS "><on>false</on></path-alter>"));
	request(&client, RPC("<element-offline " OURS "><element>fbf-01</element>"
	                     "<force>true</force></element-offline>"));
	request(&client, RPC("<element-offline " OURS "><element>fbf-01</element>"
	                     "<force>false</force></element-offline>"));
	request(&client, RPC("<log-level " OURS "><tag>ssh</tag><level>debug</level></log-level>"));
	/* The caller is whoever runs the test: leave its name out of the comparison. */
	for (char *by = fixture->agent.calls; (by = strstr(by, " by "));) {
		char *end = strchr(by, ':');

		memmove(by, end, strlen(end) + 1);
	}
	assert_string_equal(fixture->agent.calls, "offline fbf-01: a & b\noffline fbf-02: a & b\n"
	                                          "online fbf-02: \nfreeze cgn: r\nthaw all: \n"
	                                          "audit -: -\nalter-on cgn: r\n"
	                                          "alter-off all: \nforce fbf-01: \n"
	                                          "offline fbf-01: \nlog ssh: debug\n");
	fixture->agent.answer = -EPERM;
	assert_non_null(strstr(request(&client, RPC("<element-offline " OURS "><element>fbf-01"
	                                            "</element></element-offline>")),
	    "<error-app-tag>refused</error-app-tag><error-message xml:lang=\"en\">refused: thaw "
	    "first &amp; &lt;then&gt; retry"));
	fixture->agent.answer = -EAGAIN;
	assert_non_null(strstr(request(&client, RPC("<diff " OURS "/>")), "not-ready"));
	close_client(&client);
}

static void
test_profile_apply(void **state)
{
	struct fixture *fixture = *state;
	struct client client;
	const char *answer;

	open_session(fixture, &client, "1.1");
	answer = request(&client, RPC("<profile-apply " OURS "><profile>{ &quot;a&quot; }</profile>"
	                              "<reason>r</reason></profile-apply>"));
	assert_non_null(strstr(answer, ">aaaaaaaa"));
	assert_non_null(strstr(answer, ">true</changed>"));
	assert_non_null(strstr(answer, ">commit the new base lists</note>"));
	request(&client,
	    RPC("<profile-apply " OURS "><profile>x</profile><force>true</force></profile-apply>"));
	answer =
	    request(&client, RPC("<profile-apply " OURS
	                         "><profile>x</profile><dry-run>true</dry-run></profile-apply>"));
	assert_non_null(strstr(answer, ">false</changed>"));
	assert_non_null(strstr(fixture->agent.calls, "apply { \"a\" } by "));
	assert_non_null(strstr(fixture->agent.calls, ": r\napply-force x by "));
	assert_non_null(strstr(fixture->agent.calls, "\ntry x by "));
	assert_non_null(
	    strstr(request(&client, RPC("<profile-apply " OURS "/>")), "missing-element"));
	fixture->agent.answer = -EINVAL;
	answer =
	    request(&client, RPC("<profile-apply " OURS "><profile>x</profile></profile-apply>"));
	assert_non_null(strstr(answer, "<error-app-tag>bad-profile</error-app-tag>"));
	fixture->agent.answer = -EPERM;
	answer =
	    request(&client, RPC("<profile-apply " OURS "><profile>x</profile></profile-apply>"));
	assert_non_null(strstr(answer, "<error-app-tag>refused</error-app-tag>"));
	close_client(&client);
}

static void
test_diff(void **state)
{
	struct fixture *fixture = *state;
	struct prefix a, b;
	struct client client;

	assert_int_equal(prefix_parse("10.64.0.0/26", &a), 0);
	assert_int_equal(prefix_parse("10.64.0.64/26", &b), 0);
	prefix_list_add(listset_list(&fixture->agent.want, "l-ovr-v4"), &a);
	prefix_list_add(listset_list(&fixture->agent.have, "l-ovr-v4"), &b);
	open_session(fixture, &client, "1.1");
	assert_non_null(strstr(request(&client, RPC("<diff " OURS "/>")),
	    "<list>l-ovr-v4</list><prefix>10.64.0.0/26</prefix><action>add</action></edit>"
	    "<edit " OURS "><list>l-ovr-v4</list><prefix>10.64.0.64/26</prefix>"
	    "<action>remove</action></edit></rpc-reply>"));
	close_client(&client);
}

/* What a reader may ask and an operator may do, without needing accounts on this machine. */
static void
test_roles(void **state)
{
	static const struct {
		enum northbound_role role;
		const char *request;
		bool allowed;
	} cases[] = {
		{ ROLE_READ, RPC("<get/>"), true },
		{ ROLE_READ, RPC("<diff " OURS "/>"), true },
		{ ROLE_READ, RPC("<audit " OURS "/>"), false },
		{ ROLE_READ, RPC("<thaw " OURS "/>"), false },
		{ ROLE_READ,
		    RPC("<element-online " OURS "><element>fbf-01</element></element-online>"),
		    false },
		{ ROLE_READ, RPC("<path-alter " OURS "><on>true</on></path-alter>"), false },
		{ ROLE_READ,
		    RPC("<log-level " OURS "><tag>ssh</tag><level>debug</level></log-level>"),
		    false },
		{ ROLE_READ, RPC("<why " OURS "><target>10.64.0.1</target></why>"), true },
		{ ROLE_OPERATE, RPC("<thaw " OURS "/>"), true },
		{ ROLE_OPERATE, RPC("<profile-apply " OURS "><profile>x</profile></profile-apply>"),
		    false },
		{ ROLE_ADMINISTER,
		    RPC("<profile-apply " OURS "><profile>x</profile></profile-apply>"), true },
		{ ROLE_ADMINISTER, RPC("<thaw " OURS "/>"), true },
	};
	struct fixture *fixture = *state;
	struct northbound_operations operations = fake_operations(&fixture->agent);
	const struct lys_module *module = ly_ctx_get_module_implemented(fixture->ctx, "autofbf");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct northbound_caller caller = { cases[i].role, "alice" };
		struct evbuffer *out = evbuffer_new();
		struct northbound_answer answer;

		northbound_rpc_answer(module, &operations, &caller, cases[i].request,
		    strlen(cases[i].request), out, &answer);
		evbuffer_add(out, "", 1);
		assert_int_equal(
		    !strstr((char *)evbuffer_pullup(out, -1), "access-denied"), cases[i].allowed);
		if (answer.stream)
			answer.stream->free(answer.stream);
		evbuffer_free(out);
	}
}

/* An agent without them says so, and is not asked. */
static void
test_missing_operations(void **state)
{
	static const char *const cases[] = {
		RPC("<path-alter " OURS "><on>true</on></path-alter>"),
		RPC("<log-level " OURS "><tag>ssh</tag><level>debug</level></log-level>"),
		RPC("<profile-apply " OURS "><profile>x</profile></profile-apply>"),
		RPC("<element-offline " OURS "><element>fbf-01</element><force>true</force>"
		    "</element-offline>"),
	};
	struct fixture *fixture = *state;
	struct northbound_operations operations = fake_operations(&fixture->agent);
	const struct lys_module *module = ly_ctx_get_module_implemented(fixture->ctx, "autofbf");
	struct northbound_caller caller = { ROLE_ADMINISTER, "alice" };

	operations.set_alter = NULL;
	operations.set_log_level = NULL;
	operations.apply_profile = NULL;
	operations.set_offline_forced = NULL;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct evbuffer *out = evbuffer_new();
		struct northbound_answer answer;

		northbound_rpc_answer(
		    module, &operations, &caller, cases[i], strlen(cases[i]), out, &answer);
		evbuffer_add(out, "", 1);
		assert_non_null(
		    strstr((char *)evbuffer_pullup(out, -1), "operation-not-supported"));
		evbuffer_free(out);
	}
	assert_string_equal(fixture->agent.calls, "");
}

/* ---- events --------------------------------------------------------------------------------- */

static void
add_event(struct fixture *fixture, struct history_record record)
{
	record.when_us = FAKE_NOW_US + (int64_t)history_count(fixture->agent.history) * SECONDS_US;
	record.text = "t";
	history_add(fixture->agent.history, &record);
}

static void
add_health(struct fixture *fixture)
{
	add_event(fixture, (struct history_record){ .kind = "health", .subject = "fbf-02" });
}

static void
test_event_filters(void **state)
{
	static const struct history_record records[] = {
		/* ids from 1 */
		{ .kind = "health", .subject = "fbf-02" },
		{ .kind = "decision", .subject = "cgn", .group = "cgn" },
		{ .kind = "router", .subject = "192.0.2.1" },
		{ .kind = "health", .subject = "fbf-03" },
		{ .kind = "commit", .subject = "", .groups = "big,cgn", .edits = 1 },
		{ .kind = "freeze", .subject = "cgn" },
		{ .kind = "commit", .subject = "", .groups = "cgn-2,big", .edits = 1 },
		{ .kind = "commit", .subject = "" },
		{ .kind = "commit", .subject = "", .edits = 12 }, /* no group names these lists */
	};
	static const struct {
		const char *filter, *want;
	} cases[] = {
		{ "", "1 2 3 4 5 6 7 8 9 " },
		{ "<last>2</last>", "8 9 " },
		{ "<after>4</after>", "5 6 7 8 9 " },
		{ "<kind>health</kind>", "1 4 " },
		{ "<kind>health</kind><last>1</last>", "4 " },
		{ "<kind>health</kind><kind>router</kind>", "1 3 4 " },
		{ "<subject>fbf-02</subject>", "1 " },
		{ "<subject>192.0.2.1</subject>", "3 " },
		{ "<subject>cgn</subject>", "2 6 " },
		{ "<group>cgn</group>", "1 2 4 5 6 8 " },
		{ "<group>cgn</group><kind>commit</kind>", "5 8 " },
		{ "<group>cgn</group><after>1</after><last>2</last>", "6 8 " },
		{ "<since>2026-11-30T03:07:45.500000Z</since>", "4 5 6 7 8 9 " },
		{ "<since>2026-11-30T03:07:45.500001Z</since><kind>health</kind>", "" },
		{ "<kind>none</kind>", "" },
	};
	struct fixture *fixture = *state;
	struct client client;

	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		add_event(fixture, records[i]);
	open_session(fixture, &client, "1.1");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = xasprintf(RPC("<events " OURS ">%s</events>"), cases[i].filter);
		const char *at = request(&client, text);
		char ids[64] = "";

		while ((at = strstr(at, "<id>"))) {
			at += strlen("<id>");
			snprintf(ids + strlen(ids), sizeof(ids) - strlen(ids), "%.*s ",
			    (int)strcspn(at, "<"), at);
		}
		if (strcmp(ids, cases[i].want) != 0)
			fail_msg("%s: %s, not %s", cases[i].filter, ids, cases[i].want);
		free(text);
	}
	close_client(&client);
}

/* Records that are no longer kept are not silently missing. */
static void
test_event_limits(void **state)
{
	static const struct {
		const char *filter;
		bool is_cut;
	} cases[] = {
		{ "", false }, /* 50 are enough, and there are more */
		{ "<last>100</last>", false },
		{ "<last>101</last>", true },
		{ "<last>100000</last><kind>none</kind>", true },
		{ "<last>101</last><after>5</after>", false },
		{ "<last>101</last><after>4</after>", true },
		{ "<last>101</last><since>2026-11-30T03:07:00.000000Z</since>", true },
		{ "<last>101</last><since>2026-11-30T03:08:00.000000Z</since>", false },
	};
	struct fixture *fixture = *state;
	struct client client;

	open_session(fixture, &client, "1.1");
	for (int i = 0; i < 100; i++)
		add_health(fixture);
	assert_null(strstr(
	    request(&client, RPC("<events " OURS "><last>101</last></events>")), "<kept-since>"));
	for (int i = 0; i < 5; i++)
		add_health(fixture);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = xasprintf(RPC("<events " OURS ">%s</events>"), cases[i].filter);
		bool is_cut = strstr(request(&client, text), "2026-11-30T03:07:47.500000Z</kept-");

		if (is_cut != cases[i].is_cut)
			fail_msg("%s", cases[i].filter);
		free(text);
	}
	close_client(&client);
}

/* What a diary that cannot be read holds is not known: the first record, too, may be cut off. */
static void
test_events_without_diary(void **state)
{
	struct fixture *fixture = *state;
	struct client client;

	history_close(fixture->agent.history);
	fixture->agent.history = history_open("/nowhere/events.jsonl", 100);
	add_health(fixture);
	open_session(fixture, &client, "1.1");
	assert_non_null(strstr(request(&client, RPC("<events " OURS "/>")), "</kept-since>"));
	assert_null(strstr(
	    request(&client, RPC("<events " OURS "><after>1</after></events>")), "</kept-since>"));
	close_client(&client);
}

/* Every member of a record comes out, and fits the model. */
static void
test_decision_record(void **state)
{
	static const char id[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	struct history_record record = { .when_us = FAKE_NOW_US,
		.kind = "decision",
		.subject = "cgn",
		.text = "t",
		.who = "alice",
		.cause = "c",
		.group = "cgn",
		.family = "ipv4",
		.healthy = "fbf-01,fbf-02",
		.layout_before = id,
		.layout_after = id,
		.moved = 256 };
	struct fixture *fixture = *state;
	struct client client;

	history_add(fixture->agent.history, &record);
	open_session(fixture, &client, "1.1");
	assert_non_null(strstr(request(&client, RPC("<events " OURS "/>")),
	    "<who>alice</who><cause>c</cause><group>cgn</group><family>ipv4</family>"
	    "<healthy>fbf-01,fbf-02</healthy><layout-before>0123456789abcdef"));
	assert_non_null(
	    strstr(request(&client, RPC("<events " OURS "/>")), "<moved>256</moved></event>"));
	close_client(&client);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_requests),
		TEST(test_audit_without_router),
		TEST(test_crowds),
		TEST(test_operations_reach_the_agent),
		TEST(test_profile_apply),
		TEST(test_diff),
		TEST(test_roles),
		TEST(test_missing_operations),
		TEST(test_event_filters),
		TEST(test_event_limits),
		TEST(test_events_without_diary),
		TEST(test_decision_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
