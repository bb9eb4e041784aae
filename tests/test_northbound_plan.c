/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RPC plan: every word of the question, other profiles, what the commit would cost, and what is
 * said when lists, names or profiles are not there.
 */
#define _GNU_SOURCE
#include "northbound_rig.h"

#define PLAN(text) RPC("<plan " OURS ">" text "</plan>")

/* The router's static lists, as the base of the profile. */
static void
commit_base(struct fake_agent *fake)
{
	const struct profile_group *group = &fake->profile->groups[0];

	for (size_t e = 0; e < group->element_count; e++)
		for (int f = 0; f < FAMILY_COUNT; f++) {
			struct prefix_list *list = listset_list(
			    &fake->static_lists, group->elements[e].family[f].base_list);

			for (size_t u = 0; u < layout_space_units(fake->space[f]); u++) {
				struct prefix unit = layout_space_unit(fake->space[f], u);

				if (layout_space_base(fake->space[f], u) == e)
					prefix_list_add(list, &unit);
			}
		}
	listset_sort(&fake->static_lists);
}

/* What a commit of the layout that stands has left behind. */
static void
commit_layout(struct fake_agent *fake)
{
	listset_done(&fake->have);
	for (int f = 0; f < FAMILY_COUNT; f++)
		plan_override(fake->layout[f], &fake->static_lists, &fake->have);
	listset_sort(&fake->have);
}

static void
take_out(struct fake_agent *fake, size_t element)
{
	fake->down[element] = true;
	fake_refresh(fake);
	commit_layout(fake);
}

static void
set_state(struct fake_agent *fake, size_t element, enum health_state state)
{
	for (int f = 0; f < FAMILY_COUNT; f++)
		fake->status->groups[0].elements[element].family[f].state = state;
}

/* The answer of ask has each of the texts, in both families where that makes sense. */
struct case_of {
	const char *name;
	void (*prepare)(struct fake_agent *fake); /* NULL: nothing */
	const char *question, *want, *also;       /* also: NULL or a second text */
};

static void
fail_02(struct fake_agent *fake)
{
	take_out(fake, 1);
}

static void
hold_02(struct fake_agent *fake)
{
	take_out(fake, 1);
	set_state(fake, 1, HEALTH_HOLD_DOWN);
}

static void
damp_02(struct fake_agent *fake)
{
	hold_02(fake);
	for (int f = 0; f < FAMILY_COUNT; f++)
		fake->status->groups[0].elements[1].family[f].damped_until_us =
		    FAKE_NOW_US + 60 * SECONDS_US;
}

static void
force_02(struct fake_agent *fake)
{
	take_out(fake, 1);
	set_state(fake, 1, HEALTH_UP);
	fake->status->groups[0].elements[1].forced = true;
	for (int f = 0; f < FAMILY_COUNT; f++)
		fake->status->groups[0].elements[1].family[f].serving = true;
}

/* No source speaks of its sessions: the last word stands. */
static void
force_and_lose_02(struct fake_agent *fake)
{
	force_02(fake);
	set_state(fake, 1, HEALTH_UNKNOWN);
}

static void
freeze_v4(struct fake_agent *fake)
{
	fake->status->groups[0].family[FAMILY_IPV4].freeze = FREEZE_OPERATOR;
}

static void
limit_capacity(struct fake_agent *fake)
{
	struct profile_group *group = &fake->profile->groups[0];

	free(group->capacity_label);
	group->capacity_label = xstrdup("Gbps");
	group->unit_load_milli = 100;
	for (size_t e = 0; e < group->element_count; e++)
		group->elements[e].capacity_milli = 60000;
}

static void
want_three(struct fake_agent *fake)
{
	struct profile_signal *signal = &fake->profile->groups[0].signal[FAMILY_IPV4];

	signal->min_alive = 4;
	signal->has_failed = true;
	prefix_parse("192.0.2.128/32", &signal->failed_route);
}

static void
use_nat(struct fake_agent *fake)
{
	fake->profile->groups[0].return_path[FAMILY_IPV4] = RETURN_NAT_ROUTES;
}

/* fbf-03 translates its own units by a rule, and nobody else's. */
static void
use_deterministic(struct fake_agent *fake)
{
	struct profile_element_family *family =
	    &fake->profile->groups[0].elements[2].family[FAMILY_IPV4];
	struct profile_nat_pool *pool = xcalloc(1, sizeof(*pool));

	use_nat(fake);
	pool->id = xstrdup("fixed");
	pool->kind = NAT_DETERMINISTIC;
	pool->block_size = 64;
	prefix_parse("203.0.113.0/24", &pool->prefix);
	pool->hosts = xcalloc(1024, sizeof(*pool->hosts));
	for (size_t u = 0; u < layout_space_units(fake->space[FAMILY_IPV4]); u++)
		if (layout_space_base(fake->space[FAMILY_IPV4], u) == 2)
			pool->hosts[pool->host_count++] =
			    layout_space_unit(fake->space[FAMILY_IPV4], u);
	family->nat_pools = pool;
	family->nat_pool_count = 1;
}

/* fbf-01 gives out port blocks: 64 of 1008 ports to an address. */
static void
use_blocks(struct fake_agent *fake)
{
	struct profile_element_family *family =
	    &fake->profile->groups[0].elements[0].family[FAMILY_IPV4];
	struct profile_nat_pool *pool = xcalloc(1, sizeof(*pool));

	use_nat(fake);
	fake->profile->groups[0].blocks_per_host_milli[FAMILY_IPV4] = 1500;
	pool->id = xstrdup("blocks");
	pool->kind = NAT_PBA;
	pool->block_size = 1008;
	prefix_parse("203.0.112.0/23", &pool->prefix);
	family->nat_pools = pool;
	family->nat_pool_count = 1;
}

static void
forget_lists(struct fake_agent *fake)
{
	fake->answer = -EAGAIN;
}

static const struct case_of cases[] = {
	{ "nothing asked", NULL, PLAN(""), "<moved>0</moved>", "<adds>0</adds>" },
	{ "down", NULL, PLAN("<down>fbf-02</down>"), "<moved>256</moved>",
	    "<entries>256</entries><adds>256</adds><removes>0</removes>" },
	{ "offline", NULL, PLAN("<offline>fbf-02</offline>"), "<moved>256</moved>",
	    "<healthy>3</healthy>" },
	{ "down already", fail_02, PLAN("<down>fbf-02</down>"), "<moved>0</moved>",
	    "<entries>256</entries><adds>0</adds><removes>0</removes>" },
	{ "a second one", fail_02, PLAN("<down>fbf-03</down>"), "<healthy>2</healthy>",
	    "<entries>512</entries>" },
	{ "up", fail_02, PLAN("<up>fbf-02</up>"), "<moved>256</moved>",
	    "<entries>0</entries><adds>0</adds><removes>256</removes>" },
	{ "online, and not up", fail_02, PLAN("<online>fbf-02</online>"), "<moved>0</moved>",
	    "fbf-02 ipv4 is down: it stays out" },
	{ "up, and offline by an operator", force_02, PLAN("<up>fbf-02</up>"), "<moved>0</moved>",
	    "being up does not bring it back" },
	{ "online again", force_02, PLAN("<online>fbf-02</online>"), "<moved>256</moved>",
	    "<healthy>4</healthy>" },
	{ "online again, and unknown", force_and_lose_02, PLAN("<online>fbf-02</online>"),
	    "<moved>256</moved>", "<healthy>4</healthy>" },
	{ "hold-down waits while enough are left", hold_02, PLAN("<down>fbf-03</down>"),
	    "<healthy>2</healthy>", NULL },
	{ "hold-down ends below the quorum", hold_02,
	    PLAN("<down>fbf-03</down><down>fbf-04</down>"), "<healthy>2</healthy>",
	    "fbf-02 ipv4 is in hold-down and joins at once" },
	{ "damped, it does not", damp_02, PLAN("<down>fbf-03</down><down>fbf-04</down>"),
	    "<healthy>1</healthy>", NULL },
	{ "damped, unless nobody else is there", damp_02,
	    PLAN("<down>fbf-01</down><down>fbf-03</down><down>fbf-04</down>"),
	    "<healthy>1</healthy>", "joins at once" },
	{ "many at once", NULL, PLAN("<down>fbf-01</down><down>fbf-03</down><down>fbf-04</down>"),
	    "<healthy>1</healthy>", "takes it for a mass event" },
	{ "nobody left", NULL,
	    PLAN("<down>fbf-01</down><down>fbf-02</down><down>fbf-03</down><down>fbf-04</down>"),
	    "<healthy>0</healthy>", "<moved>0</moved>" },
	{ "nobody left, and what that means", NULL,
	    PLAN("<offline>fbf-01</offline><offline>fbf-02</offline><offline>fbf-03</offline>"
	         "<offline>fbf-04</offline>"),
	    "nobody healthy would be left", "--force" },
	{ "a weight", NULL, PLAN("<weight><element>fbf-02</element><weight>3</weight></weight>"),
	    "<moved>256</moved><minimum>256</minimum>", "<before>256.0</before><after>512.0<" },
	{ "a weight, and it fails", NULL,
	    PLAN("<down>fbf-02</down><weight><element>fbf-02</element><weight>3</weight></weight>"),
	    "<healthy>3</healthy>", "<after>0.0</after><gains>0.0</gains><losses>256.0<" },
	{ "two weights are one epoch", NULL,
	    PLAN("<weight><element>fbf-02</element><weight>0</weight></weight>"
	         "<weight><element>fbf-03</element><weight>0</weight></weight>"),
	    "<moved>512</moved><minimum>512</minimum>", "<healthy>4</healthy>" },
	{ "frozen", freeze_v4, PLAN("<down>fbf-02</down>"), "<frozen>true</frozen>",
	    "<frozen>false</frozen>" },
	{ "a group", NULL, PLAN("<group>cgn</group><down>fbf-02</down>"), "<moved>256</moved>",
	    NULL },
	{ "loads", limit_capacity, PLAN("<down>fbf-02</down>"),
	    "<label>Gbps</label><capacity>60.0</capacity><before>51.2</before><after>68.2</after>",
	    "fbf-01 would carry 68.2 of 60.0 Gbps: 114 % of its capacity" },
	{ "a signal route", want_three, PLAN("<down>fbf-02</down>"),
	    "3 healthy, min-alive is 4: the failed signal route 192.0.2.128/32 would be", NULL },
	{ "NAT", use_nat, PLAN("<down>fbf-02</down>"), "<return-path>nat-routes</return-path>",
	    "<return-path>filter</return-path>" },
	{ "NAT, and a rule that leaves out what comes", use_deterministic,
	    PLAN("<down>fbf-02</down>"),
	    "<untranslated>86</untranslated><untranslated-by><element>fbf-03</element>"
	    "<units>86</units><first>10.64.",
	    "86 units of cgn ipv4 would not be translated by fbf-03 (first 10.64." },
	{ "NAT, and a rule that need not cover more", use_deterministic,
	    PLAN("<down>fbf-03</down>"), "<untranslated>0</untranslated>", NULL },
	{ "port blocks", use_blocks, PLAN("<down>fbf-02</down>"),
	    "<port-blocks><element>fbf-01</element><available>32768</available>"
	    "<before>24576</before><after>32736</after></port-blocks>",
	    "fbf-01 would need 32736 of 32768 port blocks in ipv4: 100 %" },
	{ "lists not read", forget_lists, PLAN("<down>fbf-02</down>"),
	    "<healthy>3</healthy><return-path>", "<moved>256</moved>" },
	{ "unknown element", NULL, PLAN("<down>x</down>"), "unknown-name",
	    "there are: fbf-01, fbf-02, fbf-03, fbf-04" },
	{ "unknown weight", NULL, PLAN("<weight><element>x</element><weight>3</weight></weight>"),
	    "unknown-name", "there are: fbf-01" },
	{ "unknown group", NULL, PLAN("<group>x</group>"), "unknown-name", "there are: cgn" },
	{ "a weight twice", NULL,
	    PLAN("<weight><element>fbf-02</element><weight>3</weight></weight>"
	         "<weight><element>fbf-02</element><weight>4</weight></weight>"),
	    "rpc-error", NULL },
	{ "all weights 0", NULL,
	    PLAN("<weight><element>fbf-01</element><weight>0</weight></weight>"
	         "<weight><element>fbf-02</element><weight>0</weight></weight>"
	         "<weight><element>fbf-03</element><weight>0</weight></weight>"
	         "<weight><element>fbf-04</element><weight>0</weight></weight>"),
	    "bad-profile", "the profile with these weights" },
	{ "no profile", NULL, PLAN("<profile>{</profile>"), "bad-profile", "the profile" },
	{ "an empty profile", NULL, PLAN("<profile/>"), "bad-profile", NULL },
};

/* Of an agent as the case wants it, with the router's lists or before they are read. */
static const char *
pose(struct fixture *fixture, const struct case_of *it, bool has_lists, struct client *client)
{
	struct error err;

	fake_done(&fixture->agent);
	assert_true(fake_init(&fixture->agent, "profiles/four-dual-stack.json", "yang", &err));
	if (has_lists) {
		commit_base(&fixture->agent);
		commit_layout(&fixture->agent);
	}
	if (it->prepare)
		it->prepare(&fixture->agent);
	open_session(fixture, client, "1.1");
	return request(client, it->question);
}

static void
test_questions(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct client client;
		const char *answer = pose(*state, &cases[i], true, &client);

		if (!strstr(answer, cases[i].want) ||
		    (cases[i].also && !strstr(answer, cases[i].also)))
			fail_msg("%s: no %s, or no %s in %s", cases[i].name, cases[i].want,
			    cases[i].also ? cases[i].also : "-", answer);
		close_client(&client);
	}
}

static void
share_host(struct fake_agent *fake)
{
	struct profile_group *group = &fake->profile->groups[0];

	group->mass_share_percent = 40;
	for (size_t e = 2; e < 4; e++)
		group->elements[e].failure_domain = xstrdup("host-b");
}

/* What the guard does not take for a mass event, plan does not call one. */
static void
test_no_mass_event(void **state)
{
	static const struct case_of none[] = {
		{ "two of four, one of which is offline", force_02,
		    PLAN("<down>fbf-03</down><down>fbf-04</down>"), "<healthy>1</healthy>", NULL },
		{ "two of one failure domain", share_host,
		    PLAN("<down>fbf-03</down><down>fbf-04</down>"), "<healthy>2</healthy>", NULL },
	};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		struct client client;
		const char *answer = pose(*state, &none[i], false, &client);

		if (!strstr(answer, none[i].want) || strstr(answer, "mass event"))
			fail_msg(
			    "%s: no %s, or a mass event in %s", none[i].name, none[i].want, answer);
		close_client(&client);
	}
}

/* The answer is what the model says. */
static void
test_valid(void **state)
{
	struct fixture *fixture = *state;
	struct client client;

	commit_base(&fixture->agent);
	commit_layout(&fixture->agent);
	limit_capacity(&fixture->agent);
	open_session(fixture, &client, "1.1");
	for (size_t i = 0; i < 3; i++) {
		static const char *const questions[] = { PLAN(""), PLAN("<down>fbf-02</down>"),
			PLAN("<weight><element>fbf-02</element><weight>3</weight></weight>") };
		struct lyd_node *tree = NULL, *op = NULL;
		struct ly_in *in = NULL;
		const char *answer = request(&client, questions[i]);
		const char *start = strstr(answer, "<family");
		char *payload;

		assert_non_null(start);
		payload = xasprintf("<plan " OURS ">%.*s</plan>",
		    (int)(strstr(start, "</rpc-reply>") - start), start);
		assert_int_equal(ly_in_new_memory(payload, &in), LY_SUCCESS);
		if (lyd_parse_op(fixture->ctx, NULL, in, LYD_XML, LYD_TYPE_REPLY_YANG, &tree,
		        &op) != LY_SUCCESS)
			fail_msg("%s: %s", ly_errmsg(fixture->ctx), payload);
		lyd_free_all(tree);
		ly_in_free(in, 0);
		free(payload);
	}
	close_client(&client);
}

/* ---- other profiles ------------------------------------------------------------------------- */

/* The profile that runs, with one text in it replaced, as the question. */
static const char *
ask(struct fixture *fixture, struct client *client, const char *from, const char *to)
{
	const char *print = fixture->agent.profile->print, *at = strstr(print, from);
	char *text, *question;
	const char *answer;

	assert_non_null(at);
	text = xasprintf("%.*s%s%s", (int)(at - print), print, to, at + strlen(from));
	question = xasprintf(RPC("<plan " OURS "><profile>%s</profile></plan>"), text);
	answer = request(client, question);
	free(question);
	free(text);
	return answer;
}

static void
test_other_profile(void **state)
{
	struct fixture *fixture = *state;
	struct client client;
	const char *answer;

	commit_base(&fixture->agent);
	commit_layout(&fixture->agent);
	open_session(fixture, &client, "1.1");
	/* Renamed: nobody moves. */
	answer =
	    ask(fixture, &client, "\"id\": \"fbf-02\"", "\"id\": \"fbf-02\",\"name\": \"Two\"");
	assert_int_equal(count_text(answer, "<moved>0</moved><minimum>0</minimum>"), 2);
	assert_non_null(strstr(answer, "<name>Two</name>"));
	/* Units of half the size, of IPv4: the same addresses are dealt anew. */
	fixture->agent.refusal = "refused: moves too much, or --force";
	answer = ask(fixture, &client, "\"unit-length\": 26", "\"unit-length\": 27");
	assert_non_null(strstr(answer, "<units>2048</units>"));
	assert_non_null(strstr(answer, "profile apply is refused: moves too much"));
	fixture->agent.refusal = NULL;
	/* A pool ends, another one begins. */
	answer = ask(fixture, &client, "10.64.0.0/16", "10.64.0.0/17");
	assert_non_null(strstr(answer, "<ended>512.0</ended>"));
	/* Another group: the one goes, the other comes, and nobody knows its elements' health. */
	answer = ask(fixture, &client, "\"id\": \"cgn\"", "\"id\": \"other\"");
	assert_int_equal(count_text(answer, "<fresh>1024.0</fresh>"), 2);
	assert_int_equal(count_text(answer, "<ended>1024.0</ended>"), 2);
	assert_int_equal(count_text(answer, "fbf-01 is new: taken as up"), 1);
	close_client(&client);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_questions),
		TEST(test_no_mass_event),
		TEST(test_valid),
		TEST(test_other_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
