/* SPDX-License-Identifier: BSD-3-Clause */
/* Junos' messages: each shape that was met in the field, in one piece and in all kinds of pieces.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "junos_reply.h"

static const char *const kind_names[] = {
	[JUNOS_REPLY_OTHER] = "other",
	[JUNOS_REPLY_HELLO] = "hello",
	[JUNOS_REPLY_EMPTY] = "empty",
	[JUNOS_REPLY_OK] = "ok",
	[JUNOS_REPLY_BGP_NEIGHBOR] = "bgp-neighbor",
	[JUNOS_REPLY_BGP_SUMMARY] = "bgp-summary",
	[JUNOS_REPLY_BFD] = "bfd",
	[JUNOS_REPLY_UPTIME] = "uptime",
	[JUNOS_REPLY_ROUTES] = "routes",
	[JUNOS_REPLY_INTERFACES] = "interfaces",
	[JUNOS_REPLY_FIREWALL] = "firewall",
	[JUNOS_REPLY_CONFIG] = "config",
	[JUNOS_REPLY_TEXT] = "text",
	[JUNOS_REPLY_ERROR] = "error",
};

/* ---- a reply as text --------------------------------------------------------------------- */

struct output {
	char text[16384];
	size_t size;
};

static void __attribute__((format(printf, 2, 3))) put(struct output *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	out->size +=
	    (size_t)vsnprintf(out->text + out->size, sizeof(out->text) - out->size, fmt, ap);
	va_end(ap);
	assert_true(out->size < sizeof(out->text));
}

static void
put_text(struct output *out, const char *name, const char *value)
{
	if (value)
		put(out, " %s=\"%s\"", name, value);
}

static void
put_number(struct output *out, const char *name, int64_t value)
{
	if (value != -1)
		put(out, " %s=%" PRId64, name, value);
}

static void
put_address(struct output *out, bool is_good, const struct ip *ip)
{
	char text[IP_TEXT_SIZE];

	put(out, " %s", is_good ? ip_format(ip, text) : "?");
}

static void
put_peer(struct output *out, const struct junos_peer *peer)
{
	put(out, "\npeer");
	put_address(out, peer->address_ok, &peer->address);
	put_text(out, "text", peer->address_text);
	put_text(out, "instance", peer->instance);
	put_text(out, "state", peer->state);
	put_number(out, "elapsed", peer->elapsed_s);
	put_text(out, peer->bfd_configured ? "bfd" : "idle-bfd", peer->bfd);
	if (peer->flap_count > 0)
		put(out, " flaps=%" PRIu32, peer->flap_count);
	put_text(out, "error", peer->last_error);
	for (size_t i = 0; i < peer->rib_count; i++) {
		put(out, "\n rib");
		put_text(out, "name", peer->ribs[i].name);
		put_number(out, "active", peer->ribs[i].active);
		put_number(out, "received", peer->ribs[i].received);
		put_number(out, "accepted", peer->ribs[i].accepted);
	}
	put_number(out, "v4", junos_peer_routes(peer, FAMILY_IPV4));
	put_number(out, "v6", junos_peer_routes(peer, FAMILY_IPV6));
}

static void
put_bfd(struct output *out, const struct junos_bfd *bfd)
{
	put(out, "\nbfd");
	put_address(out, bfd->neighbor_ok, &bfd->neighbor);
	put_text(out, "interface", bfd->interface);
	put_text(out, "state", bfd->state);
	put_text(out, "local", bfd->local_diagnostic);
	put_text(out, "remote", bfd->remote_diagnostic);
	put_number(out, "detection", bfd->detection_time_us);
	put_number(out, "interval", bfd->transmission_interval_us);
	put_number(out, "multiplier", bfd->multiplier);
	put_number(out, "configured", junos_bfd_configured(bfd));
}

static void
put_route(struct output *out, const struct junos_route *route)
{
	char text[PREFIX_TEXT_SIZE];

	put(out, "\nroute %s",
	    route->destination_ok ? prefix_format(&route->destination, text) : "?");
	put_text(out, "table", route->table);
	put_text(out, route->active ? "active" : "inactive", route->protocol);
	put_text(out, "type", route->nh_type);
	for (size_t i = 0; i < route->next_hop_count; i++) {
		put_address(out, route->next_hops[i].to_ok, &route->next_hops[i].to);
		put_text(out, "via", route->next_hops[i].via);
	}
}

static void
put_count(struct output *out, const char *name, uint64_t count)
{
	if (count != JUNOS_NO_COUNT)
		put(out, " %s=%" PRIu64, name, count);
}

static void
put_traffic(struct output *out, const char *name, const struct junos_traffic *traffic)
{
	put(out, "\n %s", name);
	put_count(out, "in", traffic->input_packets);
	put_count(out, "out", traffic->output_packets);
	put_count(out, "in-bytes", traffic->input_bytes);
	put_count(out, "out-bytes", traffic->output_bytes);
}

static void
put_counters(struct output *out, const struct junos_reply *reply)
{
	put_text(out, "cleared", reply->cleared);
	for (size_t i = 0; i < reply->interface_count; i++) {
		put(out, "\ninterface");
		put_text(out, "name", reply->interfaces[i].name);
		put_traffic(out, "traffic", &reply->interfaces[i].traffic);
		put_traffic(out, "transit", &reply->interfaces[i].transit);
	}
	for (size_t i = 0; i < reply->counter_count; i++) {
		put(out, "\ncounter");
		put_text(out, "filter", reply->counters[i].filter);
		put_text(out, "name", reply->counters[i].name);
		put_count(out, "packets", reply->counters[i].packets);
		put_count(out, "bytes", reply->counters[i].bytes);
	}
}

static void
put_lists(struct output *out, const struct listset *set)
{
	char text[PREFIX_TEXT_SIZE];

	for (size_t i = 0; i < set->count; i++) {
		put(out, "\nlist %s:", set->lists[i].name);
		for (size_t k = 0; k < set->lists[i].count; k++)
			put(out, " %s", prefix_format(&set->lists[i].items[k], text));
	}
}

static void
put_reply(struct output *out, const struct junos_reply *reply)
{
	put(out, "%s", kind_names[reply->kind]);
	put_text(out, "id", reply->message_id);
	put(out, "%s%s%s", reply->ok ? " ok" : "", reply->base_1_0 ? " 1.0" : "",
	    reply->base_1_1 ? " 1.1" : "");
	put_text(out, "session", reply->session_id);
	put_text(out, "text", reply->text);
	put_number(out, "booted", reply->uptime.booted_s);
	put_number(out, "started", reply->uptime.protocols_started_s);
	put_number(out, "configured", reply->uptime.last_configured_s);
	put(out, "%s", reply->has_configuration ? " configuration" : "");
	if (reply->bad_items > 0)
		put(out, " bad=%zu", reply->bad_items);
	for (size_t i = 0; i < reply->error_count; i++) {
		put(out, "\n%s \"%s\"", reply->errors[i].warning ? "warning" : "error",
		    reply->errors[i].message);
		put_text(out, "tag", reply->errors[i].tag);
	}
	for (size_t i = 0; i < reply->peer_count; i++)
		put_peer(out, &reply->peers[i]);
	for (size_t i = 0; i < reply->bfd_count; i++)
		put_bfd(out, &reply->bfd[i]);
	for (size_t i = 0; i < reply->route_count; i++)
		put_route(out, &reply->routes[i]);
	put_counters(out, reply);
	put_lists(out, &reply->lists);
}

/* "bad" for a message that is refused. */
static void
describe(const char *data, size_t size, struct output *out)
{
	struct junos_reply *reply = NULL;
	struct error err = { "" };
	int rc = junos_reply_parse(data, size, &reply, &err);

	out->size = 0;
	if (rc == 0) {
		put_reply(out, reply);
	} else {
		assert_int_equal(rc, -EBADMSG);
		assert_null(reply);
		assert_true(err.text[0] != '\0');
		put(out, "bad");
	}
	junos_reply_free(reply);
}

/* ---- whole messages ---------------------------------------------------------------------- */

static const struct file_case {
	const char *file, *want;
} file_cases[] = {
	{ "hello.xml", "hello 1.0 session=\"4711\"" },
	{ "hello_refused.xml", "hello 1.0 1.1\n"
	                       "warning \"user \"ann\" does not have access privileges.\"\n"
	                       "error \"Restricted user session.\" tag=\"operation-failed\"" },
	{ "neighbors.xml",
	    "bgp-neighbor id=\"17\"\n"
	    "peer 192.0.2.1 text=\"192.0.2.1\" instance=\"cgn-in\" state=\"Established\" "
	    "bfd=\"up\" flaps=2 "
	    "error=\"Hold Timer Expired Error\"\n"
	    " rib name=\"cgn-in.inet.0\" active=2 received=3 accepted=3\n"
	    " rib name=\"inet.0\" active=0 received=0 v4=2\n"
	    "peer 2001:db8::1 text=\"2001:db8::1\" state=\"Established\" idle-bfd=\"down\"\n"
	    "peer 192.0.2.2 text=\"192.0.2.2\" state=\"Idle\" flaps=4294967295\n"
	    "peer ? text=\"fw3.example.net\" state=\"Connect\"" },
	{ "summary.xml", "bgp-summary id=\"5\"\n"
	                 "peer 192.0.2.1 text=\"192.0.2.1\" state=\"Established\" elapsed=8913\n"
	                 " rib name=\"inet.0\" active=1 received=1 accepted=1 v4=1\n"
	                 "peer 2001:db8::1 text=\"2001:db8::1\" state=\"Established\" elapsed=247\n"
	                 "peer 192.0.2.2 text=\"192.0.2.2\" state=\"Active\" elapsed=10763340" },
	{ "summary_no_peers.xml", "bgp-summary" },
	{ "bfd.xml",
	    "bfd\n"
	    "bfd 192.0.2.1 interface=\"ae0.100\" state=\"Up\" local=\"None\" remote=\"None\" "
	    "detection=900000 interval=300000 multiplier=3 configured=1000000\n"
	    "bfd fe80::1 state=\"Down\" local=\"CtlExpire\" remote=\"AdminDown\" detection=0 "
	    "interval=3000000" },
	{ "uptime.xml", "uptime booted=14234 started=14095 configured=14136" },
	{ "routes_brief.xml",
	    "routes id=\"21\"\n"
	    "route 203.0.113.0/26 table=\"cgn-out.inet.0\" active=\"BGP\" 192.0.2.5 "
	    "via=\"ae0.110\"\n"
	    "route 203.0.113.0/26 table=\"cgn-out.inet.0\" inactive=\"BGP\" 192.0.2.9 "
	    "via=\"ae0.120\"\n"
	    "route 203.0.112.0/22 table=\"cgn-out.inet.0\" active=\"Static\" type=\"Discard\"\n"
	    "route 2001:db8:f::/48 table=\"inet6.0\" active=\"BGP\" fe80::1 via=\"ae1.0\"" },
	{ "routes_detail.xml",
	    "routes\n"
	    "route 198.51.100.0/24 table=\"inet.0\" active=\"BGP\" type=\"Router\" 192.0.2.1 "
	    "via=\"ae10.0\" 192.0.2.3 via=\"xe-2/3/2.0\"\n"
	    "route 198.51.100.0/24 table=\"inet.0\" inactive=\"BGP\" type=\"Router\" 192.0.2.3 "
	    "via=\"xe-2/3/2.0\"\n"
	    "route ? table=\"inet.0\" inactive=\"BGP\"" },
	{ "routes_none.xml", "routes id=\"22\"" },
	{ "interface.xml",
	    "interfaces id=\"30\" cleared=\"2026-01-02 03:04:05 UTC\"\n"
	    "interface name=\"ae0.100\"\n"
	    " traffic in=29697034242 out=7188130 in-bytes=18446744073709551614 "
	    "out-bytes=917670462\n"
	    " transit in=29697034000 out=7188000 in-bytes=32313870891000 out-bytes=917670000" },
	{ "interfaces.xml", "interfaces cleared=\"Never\"\n"
	                    "interface name=\"ae0.110\"\n"
	                    " traffic in=12 out=13\n"
	                    " transit\n"
	                    "interface name=\"ae0.120\"\n"
	                    " traffic in=0 out=0 in-bytes=0 out-bytes=0\n"
	                    " transit" },
	{ "interface_absent.xml", "interfaces\nerror \"device ae9.1 not found\"" },
	{ "firewall.xml",
	    "firewall id=\"31\"\n"
	    "counter filter=\"INSIDE\" name=\"fbf-01-base\" packets=41 bytes=3444\n"
	    "counter filter=\"INSIDE\" name=\"fbf-01-ovr\" packets=0\n"
	    "counter filter=\"OUTSIDE-ae5.0-i\" name=\"unlisted\" packets=7 bytes=420" },
	{ "configuration.xml",
	    "config id=\"9\" configuration bad=2\n"
	    "list empty:\n"
	    "list fbf-01-base-v6: 2001:db8::/48\n"
	    "list fbf-02-base-v4: 10.0.0.0/26 10.0.0.64/26 10.0.1.0/26 192.0.2.255/32" },
	{ "static_routes.xml",
	    "config id=\"11\" configuration bad=1\n"
	    "list @signal-routes: 192.0.2.128/32 192.0.2.129/32 192.0.2.130/32 2001:db8::128/128\n"
	    "list a-ovr-v4: 10.0.0.0/26\n"
	    "list b:" },
	{ "load_error.xml",
	    "error id=\"6\"\n"
	    "error \"configuration database size limit exceeded\" tag=\"operation-failed\"\n"
	    "error \"statement creation failed\"" },
	{ "load_warning.xml", "ok id=\"7\" ok\nwarning \"statement not found\"" },
	{ "commit_error.xml", "error\n"
	                      "error \"Only unit 0 is valid for this encapsulation\"\n"
	                      "warning \"uncommitted changes will be discarded on exit\"" },
	{ "commit_ok.xml", "ok ok" },
	{ "ok.xml", "ok id=\"3\" ok" },
	{ "empty.xml", "empty id=\"2\"" },
	{ "denied.xml", "error\nerror \"permission denied\"" },
	{ "rpd_off.xml", "error\nerror \"the routing subsystem is not running\"" },
	{ "bgp_off.xml", "text text=\"BGP is not running\"" },
	{ "latin1.xml", "bgp-neighbor\npeer 192.0.2.1 text=\"192.0.2.1\" state=\"Idle\"" },
	{ "doctype.xml", "bad" },
	{ "other.xml", "other" },
};

static char *
read_file(const char *path, size_t *ret_size)
{
	FILE *f = fopen(path, "rb");
	char *bytes = malloc(1 << 20);

	assert_non_null(f);
	*ret_size = fread(bytes, 1, 1 << 20, f);
	fclose(f);
	return bytes;
}

static char *
read_fixture(const char *name, size_t *ret_size)
{
	char path[256];

	snprintf(path, sizeof(path), "tests/fixtures/junos_reply/%s", name);
	return read_file(path, ret_size);
}

static void
test_files(void **state)
{
	for (size_t i = 0; i < sizeof(file_cases) / sizeof(file_cases[0]); i++) {
		struct output out;
		size_t size;
		char *data = read_fixture(file_cases[i].file, &size);

		print_message("%s\n", file_cases[i].file);
		describe(data, size, &out);
		assert_string_equal(out.text, file_cases[i].want);
		free(data);
	}
}

static struct junos_reply *
parse_fixture(const char *name)
{
	struct junos_reply *reply = NULL;
	size_t size;
	char *data = read_fixture(name, &size);

	assert_int_equal(junos_reply_parse(data, size, &reply, NULL), 0);
	free(data);
	return reply;
}

/* The words for a person: what is wrong, and where. */
static const struct error_case {
	const char *input, *want;
} error_cases[] = {
	{ "<a>\n<!DOCTYPE b><c/></a>", "a document type declaration in line 2 is refused" },
	{ "<rpc-reply>\n<ok/>", "the message ends too early" },
	{ "<a>\n</b>", "bad XML in line 2: " },
	{ "hello", "there is text outside of every element" },
};

static void
test_error_texts(void **state)
{
	for (size_t i = 0; i < sizeof(error_cases) / sizeof(error_cases[0]); i++) {
		const char *input = error_cases[i].input;
		struct junos_reply *reply;
		struct error err = { "" };

		assert_int_equal(junos_reply_parse(input, strlen(input), &reply, &err), -EBADMSG);
		assert_non_null(strstr(err.text, error_cases[i].want));
	}
}

/* Of a bad message what stood before the bad place can still be looked at. */
static void
test_salvage(void **state)
{
	static const char input[] =
	    "<rpc-reply><rpc-error><error-message>e</error-message></rpc-error>"
	    "</rpc-reply><hello><capabilities><capability>urn:ietf:params:";
	struct junos_parser *parser = junos_parser_new();
	struct junos_reply *reply = NULL;
	struct output out = { .size = 0 };

	assert_int_equal(junos_parser_feed(parser, input, sizeof(input) - 1, NULL), 0);
	assert_int_equal(junos_parser_end(parser, &reply, NULL), -EBADMSG);
	assert_null(reply);
	reply = junos_parser_salvage(parser);
	put_reply(&out, reply);
	assert_string_equal(out.text, "hello\nerror \"e\"");
	junos_reply_free(reply);
	junos_parser_free(parser);
}

static const struct leads_case {
	const char *name, *hops[3], *vias[3], *want; /* "peer", an address, NULL */
	const char *interface;
} leads_cases[] = {
	{ "the peer", { "192.0.2.1" }, { NULL }, "peer", NULL },
	{ "another", { "192.0.2.2" }, { NULL }, "192.0.2.2", NULL },
	{ "no next hop", { NULL }, { NULL }, NULL, NULL },
	{ "one that has no address", { "?" }, { "lsi.1" }, NULL, NULL },
	{ "the peer and another", { "192.0.2.1", "192.0.2.2" }, { NULL }, "192.0.2.2", NULL },
	{ "the peer twice", { "192.0.2.1", "192.0.2.1" }, { NULL }, "peer", NULL },
	{ "link-local on its interface", { "fe80::1" }, { "ae0.1" }, "peer", "ae0.1" },
	{ "link-local elsewhere", { "fe80::1" }, { "ae0.2" }, "fe80::1", "ae0.1" },
	{ "link-local, and no interface is known", { "fe80::1" }, { "ae0.1" }, "fe80::1", NULL },
	{ "and the peer itself, too", { "192.0.2.1", "fe80::1" }, { NULL }, "fe80::1", NULL },
	{ "a global address on its interface", { "2001:db8::1" }, { "ae0.1" }, "2001:db8::1",
	    "ae0.1" },
};

static void
test_leads_to(void **state)
{
	struct ip peer;

	assert_int_equal(ip_parse("192.0.2.1", &peer), 0);
	for (size_t i = 0; i < sizeof(leads_cases) / sizeof(leads_cases[0]); i++) {
		const struct leads_case *c = &leads_cases[i];
		struct junos_next_hop hops[3] = { 0 };
		struct junos_route route = { .next_hops = hops };
		const struct ip *to;
		char text[IP_TEXT_SIZE];

		print_message("%s\n", c->name);
		for (size_t h = 0; h < 3 && c->hops[h]; h++, route.next_hop_count++) {
			hops[h].to_ok = ip_parse(c->hops[h], &hops[h].to) == 0;
			hops[h].via = (char *)(uintptr_t)c->vias[h];
		}
		to = junos_route_leads_to(&route, &peer, c->interface);
		assert_int_equal(!to, !c->want);
		if (to)
			assert_string_equal(to == &peer ? "peer" : ip_format(to, text), c->want);
		assert_int_equal(junos_route_is_ambiguous(&route, &peer, c->interface),
		    !c->interface && c->want && strcmp(c->want, "fe80::1") == 0);
	}
}

/* Active routes by family: which RIBs count. */
static const struct routes_case {
	const char *name;
	struct junos_rib ribs[3];
	int64_t want[FAMILY_COUNT];
} routes_cases[] = {
	{ "nothing told", { { NULL, -1, -1, -1 } }, { -1, -1 } },
	{ "main table", { { (char *)"inet.0", 5, 6, 6 } }, { 5, -1 } },
	{ "none active", { { (char *)"inet6.0", 0, 6, 6 } }, { -1, 0 } },
	{ "an instance's and both families'",
	    { { (char *)"cgn-in.inet.0", 2, 2, 2 }, { (char *)"inet.0", 3, 3, 3 },
	        { (char *)"cgn-in.inet6.0", 7, 7, 7 } },
	    { 5, 7 } },
	{ "a count that is absent",
	    { { (char *)"a.inet.0", -1, 2, 2 }, { (char *)"inet.0", 3, 3, 3 } }, { 3, -1 } },
	{ "other tables",
	    { { (char *)"inet.2", 1, 1, 1 }, { (char *)"ainet.0", 1, 1, 1 },
	        { (char *)"bgp.l3vpn.0", 1, 1, 1 } },
	    { -1, -1 } },
};

static void
test_peer_routes(void **state)
{
	for (size_t i = 0; i < sizeof(routes_cases) / sizeof(routes_cases[0]); i++) {
		const struct routes_case *c = &routes_cases[i];
		struct junos_rib ribs[3];
		struct junos_peer peer = { .ribs = ribs, .rib_count = 3 };

		memcpy(ribs, c->ribs, sizeof(ribs));
		print_message("%s\n", c->name);
		assert_int_equal(junos_peer_routes(&peer, FAMILY_IPV4), c->want[FAMILY_IPV4]);
		assert_int_equal(junos_peer_routes(&peer, FAMILY_IPV6), c->want[FAMILY_IPV6]);
	}
}

static const struct text_case {
	const char *name, *input, *want;
} text_cases[] = {
	{ "nothing", "", "other" },
	{ "comments only", "<!-- session end -->\n<!-- x -->", "other" },
	{ "cut", "<rpc-reply><ok/>", "bad" },
	{ "cut declaration", "<?xml version='1.0'", "bad" },
	{ "cut in the first word", "<?xm", "bad" },
	{ "mismatch", "<rpc-reply><ok></rpc-reply>", "bad" },
	{ "our own root closed", "<ok/></message><message>", "bad" },
	{ "words", "Connection refused", "bad" },
	{ "words behind", "<rpc-reply/> trailing", "bad" },
	{ "unknown entity", "<rpc-reply><output>&evil;</output></rpc-reply>", "bad" },
	{ "blanks and declaration", " \n<?xml version='1.0' encoding='UTF-8'?>\n<rpc-reply/>",
	    "empty" },
	{ "not a declaration", "<?xmlish?><rpc-reply/>", "empty" },
	{ "undeclared prefixes", "<nc:rpc-reply a:message-id='1'><nc:ok/></nc:rpc-reply>",
	    "ok id=\"1\" ok" },
	{ "predefined entities",
	    "<rpc-reply><output>&lt;a&gt; &amp; &#x41;<![CDATA[<b>]]></output></rpc-reply>",
	    "text text=\"<a> & A<b>\"" },
	{ "two outputs", "<rpc-reply><output>a</output><x><output> b\n</output></x></rpc-reply>",
	    "text text=\"a\nb\"" },
	{ "command-line decoration", "<rpc-reply><cli><banner>{master}</banner></cli></rpc-reply>",
	    "empty" },
	{ "bare words in a reply", "<rpc-reply>done</rpc-reply>", "other" },
	{ "get-config of nothing", "<rpc-reply><data/></rpc-reply>", "config configuration" },
	{ "data elsewhere", "<rpc-reply><x><data/></x></rpc-reply>", "other" },
	{ "static routes without a configuration",
	    "<data><routing-options><static><route><name>192.0.2.1</name><discard/></route>"
	    "</static></routing-options></data>",
	    "other" },
	{ "a rib named too late",
	    "<configuration><routing-options><rib><static><route><name>2001:db8::1</name><discard/>"
	    "</route></static><name>inet6.0</name></rib></routing-options></configuration>",
	    "config configuration" },
	{ "two ribs and a route without a name",
	    "<configuration><routing-options><rib><name>inet.2</name></rib><static><route><discard/"
	    ">"
	    "</route><route><name>192.0.2.1</name></route></static></routing-options>"
	    "</configuration>",
	    "config configuration" },
	{ "empty configuration", "<configuration>\n</configuration>", "config configuration" },
	{ "error beside a configuration",
	    "<rpc-reply><data><configuration><rpc-error><error-message>e</error-message></"
	    "rpc-error>"
	    "</configuration></data></rpc-reply>",
	    "config configuration\nerror \"e\"" },
	{ "error with message in a configuration",
	    "<configuration><error><message>e</message></error></configuration>",
	    "config configuration\nerror \"e\"" },
	{ "error beside peers",
	    "<bgp-information><bgp-peer><x><rpc-error><error-message>e</error-message></"
	    "rpc-error></x>"
	    "<peer-state>Idle</peer-state></bgp-peer></bgp-information>",
	    "bgp-neighbor\nerror \"e\"\npeer ? state=\"Idle\"" },
	{ "error inside an error",
	    "<rpc-error><error-info><error><message>i</message></error></error-info>"
	    "<error-message>e</error-message></rpc-error>",
	    "error\nerror \"e\"" },
	{ "error without message", "<rpc-error><error-tag>lock-denied</error-tag></rpc-error>",
	    "error\nerror \"lock-denied\" tag=\"lock-denied\"" },
	{ "error of text", "<rpc-reply><error>syntax error</error></rpc-reply>",
	    "error\nerror \"syntax error\"" },
	{ "error of nothing", "<rpc-reply><error/></rpc-reply>", "error\nerror \"no message\"" },
	{ "error and ok", "<rpc-reply><ok/><rpc-error/></rpc-reply>",
	    "error ok\nerror \"no message\"" },
	{ "warning only", "<rpc-reply><warning><message>w</message></warning></rpc-reply>",
	    "other\nwarning \"w\"" },
	{ "wrapped twice",
	    "<rpc-reply><multi-routing-engine-results><multi-routing-engine-item><re-name>re0</"
	    "re-name><a>"
	    "<bgp-information/></a></multi-routing-engine-item></multi-routing-engine-results></"
	    "rpc-reply>",
	    "bgp-neighbor" },
	{ "BGP off inside",
	    "<bgp-information><output>BGP is not running</output></bgp-information>",
	    "bgp-neighbor text=\"BGP is not running\"" },
	{ "summary by elapsed time",
	    "<bgp-information><bgp-peer><elapsed-time seconds='7'/></bgp-peer></bgp-information>",
	    "bgp-summary\npeer ? elapsed=7" },
	{ "elapsed time without seconds",
	    "<bgp-information><bgp-peer><elapsed-time>1w2d</elapsed-time></bgp-peer></"
	    "bgp-information>",
	    "bgp-neighbor\npeer ?" },
	{ "numbers that are none",
	    "<bgp-information><bgp-peer><bgp-rib><name>x</name><active-prefix-count>-1</"
	    "active-prefix-count>"
	    "<received-prefix-count>7x</received-prefix-count><accepted-prefix-count/></bgp-rib></"
	    "bgp-peer>"
	    "</bgp-information>",
	    "bgp-neighbor\npeer ?\n rib name=\"x\"" },
	{ "times that are none",
	    "<bfd-session-information><bfd-session><session-detection-time>soon</"
	    "session-detection-time>"
	    "<session-transmission-interval>1.0000019</session-transmission-interval></bfd-session>"
	    "</bfd-session-information>",
	    "bfd\nbfd ? interval=1000001" },
	{ "BFD block without configuration state",
	    "<bgp-information><bgp-peer><bgp-bfd><bfd-operational-state>up</"
	    "bfd-operational-state></bgp-bfd>"
	    "</bgp-peer></bgp-information>",
	    "bgp-neighbor\npeer ? bfd=\"up\"" },
	{ "bytes that are no UTF-8",
	    "<rpc-reply><output>\xff\xc3[\xed\xa0\x80\xf4\x90\x80\x80\xc3\xa9</output></rpc-reply>",
	    "text text=\"??[??\xc3\xa9\"" },
};

static void
test_texts(void **state)
{
	for (size_t i = 0; i < sizeof(text_cases) / sizeof(text_cases[0]); i++) {
		struct output out;

		print_message("%s\n", text_cases[i].name);
		describe(text_cases[i].input, strlen(text_cases[i].input), &out);
		assert_string_equal(out.text, text_cases[i].want);
	}
}

/* ---- pieces and damage ------------------------------------------------------------------- */

static unsigned
seed_random(void)
{
	const char *text = getenv("SEED");
	unsigned seed = text ? (unsigned)strtoul(text, NULL, 10) : (unsigned)time(NULL);

	print_message("SEED=%u\n", seed);
	srand(seed);
	return seed;
}

static void
describe_pieces(const char *data, size_t size, size_t max_piece, struct output *out)
{
	struct junos_parser *parser = junos_parser_new();
	struct junos_reply *reply = NULL;
	int rc = 0;

	for (size_t at = 0; at < size && rc == 0;) {
		size_t n = 1 + (size_t)rand() % max_piece;

		n = n < size - at ? n : size - at;
		rc = junos_parser_feed(parser, data + at, n, NULL);
		at += n;
	}
	if (rc == 0)
		rc = junos_parser_end(parser, &reply, NULL);
	out->size = 0;
	if (rc == 0)
		put_reply(out, reply);
	else
		put(out, "bad");
	junos_reply_free(reply);
	junos_parser_free(parser);
}

static void
test_pieces(void **state)
{
	seed_random();
	for (size_t i = 0; i < sizeof(file_cases) / sizeof(file_cases[0]); i++) {
		size_t size;
		char *data = read_fixture(file_cases[i].file, &size);

		for (size_t max = 1; max < 4000; max = max * 3 + 1) {
			struct output out;

			describe_pieces(data, size, max, &out);
			assert_string_equal(out.text, file_cases[i].want);
		}
		free(data);
	}
}

/* A message that is cut inside of its elements is bad, wherever it is cut. */
static void
test_cut(void **state)
{
	static const char input[] =
	    "<rpc-reply><data><configuration><policy-options><prefix-list><name>a</name>"
	    "<prefix-list-item><name>10.0.0.0/26</name></prefix-list-item></prefix-list>"
	    "</policy-options></configuration></data></rpc-reply>";

	for (size_t n = 1; n < sizeof(input) - 1; n++) {
		struct output out;

		describe(input, n, &out);
		assert_string_equal(out.text, "bad");
	}
}

static void
test_damage(void **state)
{
	seed_random();
	for (int round = 0; round < 3000; round++) {
		size_t size;
		char *data = read_fixture(
		    file_cases[(size_t)rand() % (sizeof(file_cases) / sizeof(file_cases[0]))].file,
		    &size);
		struct output out;

		for (int i = rand() % 4; i >= 0; i--)
			data[(size_t)rand() % size] = "<>/&\" \xc3\0a"[rand() % 9];
		describe(data, size, &out);
		free(data);
	}
}

/* ---- limits ------------------------------------------------------------------------------ */

struct buffer {
	char *bytes;
	size_t size;
};

static void
append(struct buffer *buffer, const char *text, size_t times)
{
	size_t n = strlen(text);

	buffer->bytes = realloc(buffer->bytes, buffer->size + n * times + 1);
	for (size_t i = 0; i < times; i++, buffer->size += n)
		memcpy(buffer->bytes + buffer->size, text, n);
	buffer->bytes[buffer->size] = '\0';
}

static int
parse_buffer(struct buffer *buffer, struct junos_reply **ret_reply)
{
	struct error err = { "" };
	int rc = junos_reply_parse(buffer->bytes, buffer->size, ret_reply, &err);

	free(buffer->bytes);
	*buffer = (struct buffer){ NULL, 0 };
	return rc;
}

static void
test_depth(void **state)
{
	for (size_t depth = 63; depth <= 66; depth++) {
		struct buffer buffer = { NULL, 0 };
		struct junos_reply *reply = NULL;

		append(&buffer, "<a>", depth);
		append(&buffer, "</a>", depth);
		assert_int_equal(parse_buffer(&buffer, &reply), depth <= 64 ? 0 : -EBADMSG);
		junos_reply_free(reply);
	}
}

/* Words for people are cut, a name is not: it would be another name. */
static void
test_long_values(void **state)
{
	struct buffer buffer = { NULL, 0 };
	struct junos_reply *reply = NULL;

	append(&buffer, "<rpc-reply><output>", 1);
	append(&buffer, "x", 100000);
	append(&buffer, "</output></rpc-reply>", 1);
	assert_int_equal(parse_buffer(&buffer, &reply), 0);
	assert_int_equal(strlen(reply->text), 65536);
	junos_reply_free(reply);
	append(&buffer, "<configuration><policy-options><prefix-list><name>", 1);
	append(&buffer, "x", 100000);
	append(&buffer, "</name></prefix-list></policy-options></configuration>", 1);
	assert_int_equal(parse_buffer(&buffer, &reply), -EBADMSG);
}

/* A crowd of warnings must not hide the error behind them. */
static void
test_many_errors(void **state)
{
	struct buffer buffer = { NULL, 0 };
	struct junos_reply *reply = NULL;

	append(&buffer, "<rpc-reply>", 1);
	append(&buffer, "<warning><message>w</message></warning>", 300);
	append(&buffer,
	    "<error><message>first</message></error><error><message>second</message></error>", 1);
	append(&buffer, "</rpc-reply>", 1);
	assert_int_equal(parse_buffer(&buffer, &reply), 0);
	assert_int_equal(reply->error_count, 256);
	assert_int_equal(reply->kind, JUNOS_REPLY_ERROR);
	assert_string_equal(junos_reply_error(reply)->message, "first");
	junos_reply_free(reply);
}

static void
test_many_peers(void **state)
{
	struct buffer buffer = { NULL, 0 };
	struct junos_reply *reply = NULL;

	append(&buffer, "<bgp-information>", 1);
	append(&buffer, "<bgp-peer/>", 140000);
	append(&buffer, "</bgp-information>", 1);
	assert_int_equal(parse_buffer(&buffer, &reply), -EBADMSG);
	append(&buffer, "<bgp-information><bgp-peer>", 1);
	append(&buffer, "<bgp-rib/>", 140000);
	append(&buffer, "</bgp-peer></bgp-information>", 1);
	assert_int_equal(parse_buffer(&buffer, &reply), -EBADMSG);
	append(&buffer, "<bfd-session-information>", 1);
	append(&buffer, "<bfd-session/>", 140000);
	append(&buffer, "</bfd-session-information>", 1);
	assert_int_equal(parse_buffer(&buffer, &reply), -EBADMSG);
}

static const struct many_case {
	const char *before, *many, *after;
} many_cases[] = {
	{ "<route-information><route-table><rt>", "<rt-entry/>",
	    "</rt></route-table></route-information>" },
	{ "<route-information><route-table><rt><rt-entry>", "<nh/>",
	    "</rt-entry></rt></route-table></route-information>" },
	{ "<route-information>", "<route-table><table-name/></route-table>",
	    "</route-information>" },
	{ "<interface-information>", "<logical-interface/>", "</interface-information>" },
	{ "<firewall-information><filter-information>", "<counter/>",
	    "</filter-information></firewall-information>" },
};

static void
test_many_entries(void **state)
{
	for (size_t i = 0; i < sizeof(many_cases) / sizeof(many_cases[0]); i++) {
		struct buffer buffer = { NULL, 0 };
		struct junos_reply *reply = NULL;

		append(&buffer, many_cases[i].before, 1);
		append(&buffer, many_cases[i].many, 140000);
		append(&buffer, many_cases[i].after, 1);
		assert_int_equal(parse_buffer(&buffer, &reply), -EBADMSG);
	}
}

/* What the agent asks of them. */
static void
test_find(void **state)
{
	struct prefix pool, other;
	struct junos_reply *routes = parse_fixture("routes_brief.xml");
	struct junos_reply *interfaces = parse_fixture("interfaces.xml");
	struct junos_reply *firewall = parse_fixture("firewall.xml");
	const struct junos_route *route;

	assert_int_equal(prefix_parse("203.0.113.0/26", &pool), 0);
	assert_int_equal(prefix_parse("203.0.113.0/27", &other), 0);
	route = junos_find_route(routes, &pool);
	assert_non_null(route);
	assert_true(route->active);
	assert_string_equal(route->next_hops[0].via, "ae0.110");
	assert_null(junos_find_route(routes, &other));
	assert_null(junos_find_route(NULL, &pool));
	assert_int_equal(junos_find_interface(interfaces, "ae0.110")->traffic.output_packets, 13);
	assert_null(junos_find_interface(interfaces, "ae0.11"));
	assert_int_equal(junos_find_counter(firewall, "INSIDE", "fbf-01-base")->bytes, 3444);
	assert_null(junos_find_counter(firewall, "OUTSIDE-ae5.0-i", "fbf-01-base"));
	junos_reply_free(routes);
	junos_reply_free(interfaces);
	junos_reply_free(firewall);
}

static void
test_big_list(void **state)
{
	struct buffer buffer = { NULL, 0 };
	struct junos_reply *reply = NULL;

	append(&buffer, "<configuration><policy-options><prefix-list><name>big</name>", 1);
	for (unsigned i = 0; i < 85325; i++) {
		char item[96];

		snprintf(item, sizeof(item),
		    "<prefix-list-item><name>10.%u.%u.%u/32</name></prefix-list-item>\n", i >> 16,
		    i >> 8 & 255, i & 255);
		if (i % 1024 == 0)
			buffer.bytes = realloc(buffer.bytes, buffer.size + 1024 * sizeof(item) + 1);
		memcpy(buffer.bytes + buffer.size, item, strlen(item));
		buffer.size += strlen(item);
	}
	append(&buffer, "</prefix-list></policy-options></configuration>", 1);
	assert_int_equal(parse_buffer(&buffer, &reply), 0);
	assert_int_equal(reply->lists.count, 1);
	assert_int_equal(reply->lists.lists[0].count, 85325);
	junos_reply_free(reply);
}

/* Messages of real routers, where they are at hand: each can be read. */
static void
test_captures(void **state)
{
	glob_t files;

	if (glob("../shared/junos-samples/*/*.xml", 0, NULL, &files) != 0)
		return;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct junos_reply *reply = NULL;
		size_t size;
		char *data = read_file(files.gl_pathv[i], &size);
		char *mark;

		data[size] = '\0';
		mark = strstr(data, "]]>]]>");
		if (mark)
			size = (size_t)(mark - data);
		print_message("%s\n", files.gl_pathv[i]);
		assert_int_equal(junos_reply_parse(data, size, &reply, NULL), 0);
		assert_int_equal(strstr(data, "rpc-error>") || strstr(data, "xnm:error>"),
		    junos_reply_error(reply) != NULL);
		junos_reply_free(reply);
		free(data);
	}
	globfree(&files);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_error_texts),
		cmocka_unit_test(test_salvage),
		cmocka_unit_test(test_peer_routes),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_long_values),
		cmocka_unit_test(test_many_errors),
		cmocka_unit_test(test_many_peers),
		cmocka_unit_test(test_many_entries),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_leads_to),
		cmocka_unit_test(test_big_list),
		cmocka_unit_test(test_captures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
