/* SPDX-License-Identifier: BSD-3-Clause */
/* The RPC where and NAT: public addresses of every kind of pool, with and without a port, inside
 * hosts, elements that carry other people's hosts, rules that leave a host out, and targets that
 * are none. */
#define _GNU_SOURCE
#include "northbound_rig.h"

#include "nat.h"
#include "northbound_nat.h"

/* ---- targets ---- */

static void
test_parse(void **state)
{
	static const struct {
		const char *text;
		const char *want; /* NULL: refused */
		unsigned port;
		const char *why; /* in the error */
	} cases[] = {
		{ "192.0.2.1", "192.0.2.1/32", 0, NULL },
		{ "192.0.2.0/24", "192.0.2.0/24", 0, NULL },
		{ "192.0.2.1/32", "192.0.2.1/32", 0, NULL },
		{ "192.0.2.1:1", "192.0.2.1/32", 1, NULL },
		{ "192.0.2.1:65535", "192.0.2.1/32", 65535, NULL },
		{ "2001:db8::1", "2001:db8::1/128", 0, NULL },
		{ "2001:db8::1:80", "2001:db8::1:80/128", 0, NULL },
		{ "::ffff:192.0.2.1", "::ffff:192.0.2.1/128", 0, NULL },
		{ "[2001:db8::1]:80", "2001:db8::1/128", 80, NULL },
		{ "192.0.2.1:0", NULL, 0, "\"0\" is no port" },
		{ "192.0.2.1:65536", NULL, 0, "is no port, 1 to 65535" },
		{ "192.0.2.1:000080", NULL, 0, "is no port" },
		{ "192.0.2.1:4294967297", NULL, 0, "is no port" },
		{ "192.0.2.1:", NULL, 0, "\"\" is no port" },
		{ "192.0.2.1:+80", NULL, 0, "is no port" },
		{ "192.0.2.1: 80", NULL, 0, "is no port" },
		{ "192.0.2.1:80x", NULL, 0, "is no port" },
		{ "192.0.2.0/24:80", NULL, 0, "a port goes with an address" },
		{ "[2001:db8::1]:99999", NULL, 0, "is no port" },
		{ "[2001:db8::/64]:80", NULL, 0, "a port goes with an address" },
		{ "[192.0.2.1]:80", NULL, 0, "a port goes with an address" },
		{ "[2001:db8::1]", NULL, 0, "is not an address" },
		{ "[2001:db8::1]80", NULL, 0, "is not an address" },
		{ "[2001:db8::1", NULL, 0, "is not an address" },
		{ "[]:80", NULL, 0, "is not an address" },
		{ ":80", NULL, 0, "is not an address" },
		{ ":", NULL, 0, "is not an address" },
		{ "host:80", NULL, 0, "is not an address" },
		{ "192.0.2.1/24", NULL, 0, "bits behind its length" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nat_target target = { .port = 7 };
		struct error err = { "" };
		char text[PREFIX_TEXT_SIZE];
		int rc = northbound_nat_parse(cases[i].text, &target, &err);

		if (rc != (cases[i].want ? 0 : -EINVAL) ||
		    (cases[i].why && !strstr(err.text, cases[i].why)))
			fail_msg("%s: %d, %s", cases[i].text, rc, err.text);
		assert_int_equal(target.port, cases[i].want ? cases[i].port : 7);
		if (cases[i].want)
			assert_string_equal(prefix_format(&target.prefix, text), cases[i].want);
	}
}

/* ---- answers ---- */

struct question {
	const char *target;
	const char *want;  /* in the answer */
	const char *never; /* not in it, or NULL */
};

#define NAT(element, pool) \
	"<nat " OURS "><group>cgn</group><element>" element \
	"</element><family>ipv4</family><pool>" pool "</pool>"

static void
ask(struct fixture *fixture, const struct question *questions, size_t count)
{
	struct client client;

	open_session(fixture, &client, "1.1");
	for (size_t i = 0; i < count; i++) {
		char *text = xasprintf(
		    RPC("<where " OURS "><target>%s</target></where>"), questions[i].target);
		const char *answer = request(&client, text);

		if (!strstr(answer, questions[i].want))
			fail_msg("%s: no %s in %s", questions[i].target, questions[i].want, answer);
		if (questions[i].never && strstr(answer, questions[i].never))
			fail_msg("%s: %s in %s", questions[i].target, questions[i].never, answer);
		free(text);
	}
	close_client(&client);
}

/* An address of the first unit whose base owner is the element. */
static struct ip
host_of(const struct fixture *fixture, size_t element, enum family family)
{
	const struct layout_space *space = fixture->agent.space[family];
	size_t unit = 0;

	while (layout_space_base(space, unit) != element)
		unit++;
	return layout_space_unit(space, unit).address;
}

static void
ask_one(struct fixture *fixture, const struct ip *target, const char *want, const char *never)
{
	char text[IP_TEXT_SIZE];
	struct question question = { ip_format(target, text), want, never };

	ask(fixture, &question, 1);
}

static void
test_public(void **state)
{
	static const struct question questions[] = {
		{ "203.0.113.7",
		    NAT("fbf-01", "public") "<prefix>203.0.113.0/26</prefix><kind>napt</kind>"
		                            "<inside>false</inside><note>addresses and ports are "
		                            "given on demand: ask fbf-01</note></nat>",
		    "<match" },
		{ "203.0.113.7:5000", NAT("fbf-01", "public"), "<host>" },
		{ "203.0.113.64:1", NAT("fbf-02", "blocks"), "<host>" },
		{ "203.0.113.64", "the log of fbf-02 says which", "<host>" },
		{ "203.0.113.230", NAT("fbf-04", "second"), "first" },
		/* 256 hosts on an address, 252 ports each */
		{ "203.0.113.130", NAT("fbf-03", "fixed"), "<host>" },
		{ "203.0.113.130", "<first-host>10.64.2.0</first-host><last-host>10.64.2.255<",
		    NULL },
		{ "203.0.113.130:1024", "<host>10.64.2.0</host>", "<first-host>" },
		{ "203.0.113.130:1275", "<host>10.64.2.0</host>", NULL },
		{ "203.0.113.130:1276", "<host>10.64.2.1</host>", NULL },
		{ "203.0.113.130:65535", "<host>10.64.2.255</host>", NULL },
		{ "203.0.113.130:1023", "no host has port 1023", "<host>" },
		{ "203.0.113.128/28", NAT("fbf-03", "fixed"), "<note>" },
		{ "203.0.113.0/24", NAT("fbf-01", "public"), "<note>" },
		{ "203.0.113.0/24", NAT("fbf-04", "second"), "<match" },
		{ "203.0.113.192/26", NAT("fbf-04", "first"), "fbf-03" },
		{ "203.0.113.240/28", "<ok/>", "<nat" },
		{ "198.51.100.1", "<ok/>", "<nat" },
		{ "198.51.100.1:80", "198.51.100.1 is in no NAT pool", "<nat" },
		{ "10.64.0.1:80", "10.64.0.1 is in no NAT pool: ask for it without a port",
		    "<match" },
		{ "[2001:db8:64::1]:80", "2001:db8:64::1 is in no NAT pool", "<match" },
		{ "203.0.113.130:0", "bad-target", NULL },
	};

	ask(*state, questions, sizeof(questions) / sizeof(questions[0]));
}

/* Who carries the host now is told apart from what the rule says. */
static void
test_carrier(void **state)
{
	struct fixture *fixture = *state;
	struct nat_block block;
	struct ip own = host_of(fixture, 2, FAMILY_IPV4), other = host_of(fixture, 0, FAMILY_IPV4);
	const struct profile_nat_pool *pool =
	    &fixture->agent.profile->groups[0].elements[2].family[FAMILY_IPV4].nat_pools[0];
	char address[IP_TEXT_SIZE], *target, *want;
	struct question question = { NULL, NULL, NULL };

	assert_int_equal(nat_translate(pool, &own, &block), 0);
	target = xasprintf("%s:%u", ip_format(&block.address, address), block.first_port);
	want = xasprintf("<host>%s</host></nat>", ip_format(&own, address));
	question = (struct question){ target, want, "<note>" };
	ask(fixture, &question, 1);
	free(want);
	free(target);

	assert_int_equal(nat_translate(pool, &other, &block), 0);
	target = xasprintf("%s:%u", ip_format(&block.address, address), block.last_port);
	want = xasprintf("<note>fbf-01 carries %s now: the answer is for when fbf-03 carries it<",
	    ip_format(&other, address));
	question = (struct question){ target, want, NULL };
	ask(fixture, &question, 1);
	free(want);
	free(target);
}

static void
test_inside(void **state)
{
	struct fixture *fixture = *state;
	struct ip napt = host_of(fixture, 0, FAMILY_IPV4), pba = host_of(fixture, 1, FAMILY_IPV4);
	struct ip fixed = host_of(fixture, 2, FAMILY_IPV4), two = host_of(fixture, 3, FAMILY_IPV4);
	struct ip v6 = host_of(fixture, 2, FAMILY_IPV6);
	const struct profile_nat_pool *pool =
	    &fixture->agent.profile->groups[0].elements[2].family[FAMILY_IPV4].nat_pools[0];
	struct nat_block block;
	char address[IP_TEXT_SIZE], *want;

	ask_one(fixture, &napt, NAT("fbf-01", "public"), "<public>");
	ask_one(fixture, &napt, "<inside>true</inside><note>addresses", NULL);
	ask_one(fixture, &pba, NAT("fbf-02", "blocks"), "<public>");
	ask_one(fixture, &two, NAT("fbf-04", "second"), "<public>");
	ask_one(fixture, &two, NAT("fbf-04", "first"), "<public>");
	ask_one(fixture, &v6, "<match", "<nat");
	assert_int_equal(nat_translate(pool, &fixed, &block), 0);
	want = xasprintf("<inside>true</inside><public>%s</public><first-port>%u</first-port>"
	                 "<last-port>%u</last-port></nat>",
	    ip_format(&block.address, address), block.first_port, block.last_port);
	ask_one(fixture, &fixed, want, "<note>");
	free(want);

	/* fbf-03 is lost: its hosts get what the others have */
	fixture->agent.down[2] = true;
	fake_refresh(&fixture->agent);
	ask_one(fixture, &fixed, "<inside>true</inside>", "<public>");
	/* the lists have not been read yet: the layout is asked */
	free(fixture->agent.effective[FAMILY_IPV4]);
	fixture->agent.effective[FAMILY_IPV4] = NULL;
	ask_one(fixture, &fixed, "<inside>true</inside>", "<public>");
}

/* The rule has the element's own units only; fbf-03 has to carry all. */
static void
test_uncovered(void **state)
{
	struct fixture *fixture = *state;
	struct profile_element_family *family =
	    &fixture->agent.profile->groups[0].elements[2].family[FAMILY_IPV4];
	struct ip host = host_of(fixture, 0, FAMILY_IPV4);

	family->nat_pools[0].hosts[0].length = 32; /* the first host alone */
	fixture->agent.down[0] = fixture->agent.down[1] = fixture->agent.down[3] = true;
	fake_refresh(&fixture->agent);
	host.bytes[3] |= 5;
	ask_one(fixture, &host,
	    NAT("fbf-03", "fixed") "<prefix>203.0.113.128/26</prefix><kind>deterministic</kind>"
	                           "<inside>true</inside><note>the host is not covered by the rule "
	                           "of fbf-03: not translated</note></nat>",
	    "<public>");
	family->nat_pools = xreallocarray(family->nat_pools, 2, sizeof(*family->nat_pools));
	family->nat_pools[1] = (struct profile_nat_pool){ .id = xstrdup("over"), .kind = NAT_PBA };
	assert_int_equal(prefix_parse("198.51.100.0/28", &family->nat_pools[1].prefix), 0);
	family->nat_pool_count = 2;
	ask_one(
	    fixture, &host, "not covered by the rule of fbf-03: another pool is used</note>", NULL);
	ask_one(fixture, &host, NAT("fbf-03", "over"), "not translated");
}

static int
set_up_nat(void **state)
{
	return set_up_with(state, "profiles/cgn-dual-stack.json");
}

#define NAT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_nat, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		NAT_TEST(test_public),
		NAT_TEST(test_carrier),
		NAT_TEST(test_inside),
		NAT_TEST(test_uncovered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
