/* SPDX-License-Identifier: BSD-3-Clause */
/* The state in the words of the model, layouts as they are streamed, and units in pieces. */
#define _GNU_SOURCE
#include "northbound_rig.h"

/* ---- state ---------------------------------------------------------------------------------- */

/* Its cause is what somebody else wrote. */
static void
add_alarm(struct status *status)
{
	status->alarms = xcalloc(1, sizeof(*status->alarms));
	status->alarms[status->alarm_count++] = (struct alarm){ .type = ALARM_TWO_WRITERS,
		.severity = ALARM_MAJOR,
		.since_us = FAKE_NOW_US,
		.key = xstrdup("fbf-01-ovr-v4"),
		.cause = xstrdup("a\001b <c>") };
	status->alarms_suppressed = 3;
	status->alarms_last_change_us = FAKE_NOW_US;
}

/* The answer fits the model: libyang takes it back, strictly. */
static void
test_state_is_valid(void **state)
{
	struct fixture *fixture = *state;
	struct lyd_node *tree = NULL;
	struct client client;
	const char *answer;
	char *data;

	fixture->agent.down[1] = true;
	fake_refresh(&fixture->agent);
	fake_add_commit(&fixture->agent);
	add_alarm(fixture->agent.status);
	open_session(fixture, &client, "1.1");
	answer = request(&client, RPC("<get><filter><state " OURS "/></filter></get>"));
	data = xstrdup(strstr(answer, "<data>") + strlen("<data>"));
	*strstr(data, "</data>") = '\0';
	if (lyd_parse_data_mem(fixture->ctx, data, LYD_XML, LYD_PARSE_ONLY | LYD_PARSE_STRICT, 0,
	        &tree) != LY_SUCCESS)
		fail_msg("%s", ly_errmsg(fixture->ctx));
	assert_non_null(strstr(data, "<effective-units>0</effective-units>"));
	assert_non_null(strstr(data, "<displaced>256</displaced>"));
	assert_non_null(strstr(data, "<severity>degraded</severity>"));
	assert_non_null(strstr(data, "<alarm><type>two-writers</type><key>fbf-01-ovr-v4</key>"
	                             "<severity>major</severity><since>2026-11-30T"));
	assert_non_null(strstr(data, "<cause>a?b &lt;c&gt;</cause><remedy>find who"));
	assert_non_null(strstr(data, "<alarms-suppressed>3</alarms-suppressed>"
	                             "<alarms-last-change>2026-11-30T"));
	lyd_free_all(tree);
	free(data);
	close_client(&client);
}

static void
set_policy(struct status *status)
{
	struct status_group *group = &status->groups[0];
	struct status_group_family *family = &group->family[FAMILY_IPV4];
	struct status_element *element = &group->elements[0];
	struct status_element_family *own = &element->family[FAMILY_IPV4];

	group->altered_by = xstrdup("alice");
	group->altered_reason = xstrdup("CHG-1");
	group->altered_at_us = FAKE_NOW_US;
	group->capacity_label = xstrdup("Gbps");
	family->min_alive = 2;
	family->has_failed_route = family->failed_wanted = family->failed_installed = true;
	family->signal_hold_until_us = FAKE_NOW_US + SECONDS_US;
	assert_int_equal(prefix_parse("192.0.2.128/32", &family->failed_route), 0);
	family->has_alter_route = family->alter_wanted = true;
	assert_int_equal(prefix_parse("192.0.2.129/32", &family->alter_route), 0);
	family->standby_same_domain = 12;
	element->failure_domain = xstrdup("host-1");
	element->capacity = 34;
	element->load_base = 28.7;
	element->load_now = 34.1;
	element->load_worst = 38.25;
	own->wanted_share = own->effective_share = 341.015625;
	own->damped_until_us = FAKE_NOW_US + SECONDS_US;
	own->downs = 3;
	own->awaits_operator = true;
	own->peer[0].routes = 12;
	own->peer[0].lacks_routes = own->peer[0].slow_bfd = true;
}

static void
test_policy_state(void **state)
{
	static const char *const wants[] = {
		"<severity>critical</severity>",
		"<severity>critical</severity><capacity-label>Gbps</capacity-label>",
		"<operator-alter><by>alice</by><reason>CHG-1</reason><at>2026-11-30T",
		"<standby-same-domain>12</standby-same-domain><alive>4</alive><min-alive>2<",
		"<failed-route><route>192.0.2.128/32</route><wanted>true</wanted>"
		"<installed>true</installed><hold-until>2026-11-30T03:07:43.5",
		"<alter-route><route>192.0.2.129/32</route><wanted>true</wanted>"
		"<installed>false</installed></alter-route>",
		"<failure-domain>host-1</failure-domain><capacity>34.0</capacity><load-base>28.7<"
		"/load-base><load-now>34.1</load-now><load-worst>38.25</load-worst>",
		"<damped-until>2026-11-30T03:07:43.5",
		"<downs>3</downs><awaits-operator>true</awaits-operator>"
		"<then-awaits-operator>false</then-awaits-operator>"
		"<wanted-share>341.015625</wanted-share><effective-share>341.015625<",
		"<routes>12</routes><lacks-routes>true</lacks-routes><slow-bfd>true</slow-bfd>",
	};
	struct fixture *fixture = *state;
	struct client client;
	const char *answer;

	open_session(fixture, &client, "1.1");
	answer = request(&client, RPC("<get/>"));
	/* What is not there, or not known, is left out. */
	assert_null(strstr(answer, "<capacity"));
	assert_null(strstr(answer, "<failed-route"));
	assert_null(strstr(answer, "<routes>"));
	assert_null(strstr(answer, "<min-alive"));
	assert_null(strstr(answer, "<damped-until"));
	set_policy(fixture->agent.status);
	answer = request(&client, RPC("<get/>"));
	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++)
		if (!strstr(answer, wants[i]))
			fail_msg("no %s", wants[i]);
	/* A foreign base list that cuts finer than six digits can tell. */
	fixture->agent.status->groups[0].elements[0].family[FAMILY_IPV4].effective_share =
	    256 - 1.0 / 1024;
	answer = request(&client, RPC("<get/>"));
	assert_non_null(strstr(answer, "<effective-share>255.999023</effective-share>"));
	fixture->agent.status->groups[0].elements[0].family[FAMILY_IPV4].effective_share =
	    1.0 / (1 << 24);
	answer = request(&client, RPC("<get/>"));
	assert_non_null(strstr(answer, "<effective-share>0.000001</effective-share>"));
	fixture->agent.status->lists_known = false;
	answer = request(&client, RPC("<get/>"));
	assert_null(strstr(answer, "<installed>"));
	assert_null(strstr(answer, "<load-now>"));
	assert_null(strstr(answer, "<effective-share>"));
	close_client(&client);
}

/* Pools of an element whose answers come back by their routes. */
static void
test_pool_state(void **state)
{
	static const char *const wants[] = {
		"<return-path>nat-routes</return-path>",
		"<return-path>filter</return-path>",
		"<nat-pool><id>here</id><prefix>203.0.113.0/26</prefix><kind>pba</kind>"
		"<active>true</active></nat-pool>",
		"<nat-pool><id>taken</id><prefix>203.0.113.64/26</prefix><kind>napt</kind>"
		"<active>false</active><via>10.2.3.2</via><taken-by>fbf-03</taken-by></nat-pool>",
		"<nat-pool><id>unread</id><prefix>203.0.113.128/26</prefix>"
		"<kind>deterministic</kind></nat-pool>",
	};
	struct fixture *fixture = *state;
	struct status_group *group = &fixture->agent.status->groups[0];
	struct status_element_family *family = &group->elements[0].family[FAMILY_IPV4];
	struct client client;
	const char *answer;

	group->family[FAMILY_IPV4].return_path = RETURN_NAT_ROUTES;
	family->pool_count = 3;
	family->pools = xcalloc(3, sizeof(*family->pools));
	family->pools[0] = (struct status_pool){
		.id = xstrdup("here"), .kind = NAT_PBA, .known = true, .active = true
	};
	family->pools[1] = (struct status_pool){ .id = xstrdup("taken"),
		.known = true,
		.has_via = true,
		.taken_by = xstrdup("fbf-03") };
	family->pools[2] =
	    (struct status_pool){ .id = xstrdup("unread"), .kind = NAT_DETERMINISTIC };
	assert_int_equal(prefix_parse("203.0.113.0/26", &family->pools[0].prefix), 0);
	assert_int_equal(prefix_parse("203.0.113.64/26", &family->pools[1].prefix), 0);
	assert_int_equal(prefix_parse("203.0.113.128/26", &family->pools[2].prefix), 0);
	assert_int_equal(ip_parse("10.2.3.2", &family->pools[1].via), 0);
	open_session(fixture, &client, "1.1");
	answer = request(&client, RPC("<get/>"));
	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++)
		if (!strstr(answer, wants[i]))
			fail_msg("no %s", wants[i]);
	close_client(&client);
}

static void
write_state(const struct lys_module *module, const struct status *status)
{
	struct northbound_stream *stream = northbound_state_new(module, status);
	struct evbuffer *out = evbuffer_new();

	while (stream->write(stream, out))
		continue;
	stream->free(stream);
	evbuffer_free(out);
}

/* Every word of every name table is one that the model knows: else a leaf is left out, with a
 * warning, and warnings fail in tear_down. */
static void
test_words_are_in_the_model(void **state)
{
	struct fixture *fixture = *state;
	const struct lys_module *module = ly_ctx_get_module_implemented(fixture->ctx, "autofbf");

	for (int i = 0; i < 16; i++) {
		struct status *status = fake_make_status(&fixture->agent);
		struct status_element_family *family = &status->groups[0].elements[0].family[0];

		status->mode = i % MODE_COUNT;
		status->stage = i % ROUTER_STAGE_COUNT;
		status->last.history_id = 1;
		status->last.outcome = i % ROUTER_OUTCOME_COUNT;
		status->groups[0].family[0].freeze = i % FREEZE_COUNT;
		family->state = i % HEALTH_STATE_COUNT;
		family->peer[0].bgp = i % VERDICT_COUNT;
		family->peer[0].bfd_mode = i % BFD_MODE_COUNT;
		family->peer[0].cause = i % CAUSE_COUNT;
		family->peer[0].source = i % SOURCE_COUNT;
		free(family->reason);
		family->reason = xstrdup("a \x01 \xff\xfe & <b> \xc3\xa9");
		write_state(module, status);
		status_free(status);
	}
}

/* ---- layout --------------------------------------------------------------------------------- */

static void
check_layout(struct fixture *fixture, struct client *client, const char *operation)
{
	struct lyd_node *tree = NULL, *op = NULL;
	struct ly_in *in = NULL;
	const char *answer = request(client, operation);
	const char *start = strstr(answer, "<hostname");
	char *payload = xasprintf(
	    "<layout " OURS ">%.*s</layout>", (int)(strstr(start, "</rpc-reply>") - start), start);

	assert_int_equal(count_text(answer, "<unit>"), 2048);
	assert_int_equal(count_text(answer, "</group>"), 1);
	assert_int_equal(ly_in_new_memory(payload, &in), LY_SUCCESS);
	if (lyd_parse_op(fixture->ctx, NULL, in, LYD_XML, LYD_TYPE_REPLY_YANG, &tree, &op) !=
	    LY_SUCCESS)
		fail_msg("%s", ly_errmsg(fixture->ctx));
	lyd_free_all(tree);
	ly_in_free(in, 0);
	free(payload);
}

static void
test_layout(void **state)
{
	static const size_t most[] = { 0, 997 };
	struct fixture *fixture = *state;
	struct client client;

	for (int i = 0; i < 4; i++) {
		open_session(fixture, &client, i % 2 ? "1.0" : "1.1");
		client.most = most[i / 2];
		check_layout(fixture, &client, RPC("<layout " OURS "/>"));
		assert_non_null(strstr(request(&client, RPC("<layout " OURS "><down>fbf-02</down>"
		                                            "</layout>")),
		    "<configured>256</configured><effective>0</effective><state>up</state>"
		    "<healthy>false</healthy><force-failed>false</force-failed>"));
		check_good(&client);
		close_client(&client);
	}
}

static void
test_split_layout(void **state)
{
	struct fixture *fixture = *state;
	const struct layout *layout;
	struct client client;
	const char *answer;
	size_t pieces;

	fake_fail_and_split(&fixture->agent);
	layout = fixture->agent.layout[FAMILY_IPV4];
	pieces = layout_pieces(layout);
	assert_true(pieces > 1024);
	open_session(fixture, &client, "1.1");
	client.most = 997;
	answer = request(&client, RPC("<layout " OURS "/>"));
	assert_int_equal(count_text(answer, "<unit>"), pieces + 1024);
	assert_non_null(strstr(answer, "<split-bits>2</split-bits>"));
	for (size_t i = 0; i < pieces; i++) {
		struct layout_piece piece = layout_piece(layout, i);
		char prefix[PREFIX_TEXT_SIZE], *want;

		want = xasprintf("<unit><prefix>%s</prefix><element>%s</element>",
		    prefix_format(&piece.prefix, prefix),
		    fixture->agent.profile->groups[0].elements[piece.owner].id);
		if (!strstr(answer, want))
			fail_msg("no %s", want);
		free(want);
	}
	close_client(&client);
}

/* The part stands inside the entry that it belongs to. */
static void
check_part(const char *answer, const struct layout *layout, const struct layout_standby_part *part)
{
	struct prefix entry = layout_piece(layout, part->piece).prefix;
	char text[PREFIX_TEXT_SIZE], *want;
	const char *at, *found;

	want = xasprintf("<unit><prefix>%s</prefix>", prefix_format(&entry, text));
	at = strstr(answer, want);
	assert_non_null(at);
	free(want);
	want = xasprintf(
	    "<standby-part><prefix>%s</prefix><standby>", prefix_format(&part->prefix, text));
	found = strstr(answer, want);
	assert_non_null(found);
	assert_true(found > at && found < strstr(at, "</unit>"));
	free(want);
}

/* Everybody is healthy and units are whole, but the next failure will cut some of them. */
static void
test_split_standby(void **state)
{
	struct fixture *fixture = *state;
	struct layout_standby_part *parts = NULL;
	const struct layout *layout;
	struct client client;
	const char *answer;
	uint8_t *standby;
	size_t count;

	fake_fail_and_split(&fixture->agent);
	fixture->agent.down[1] = false;
	fake_refresh(&fixture->agent);
	layout = fixture->agent.layout[FAMILY_IPV4];
	standby = xcalloc(layout_pieces(layout), 1);
	count = layout_standby_split(layout, standby, &parts);
	assert_true(count > 0);
	open_session(fixture, &client, "1.1");
	answer = request(&client, RPC("<layout " OURS "/>"));
	assert_int_equal(count_text(answer, "<standby-part>"), count);
	check_part(answer, layout, &parts[0]);
	check_part(answer, layout, &parts[count - 1]);
	free(parts);
	free(standby);
	close_client(&client);
}

static void
test_split_where(void **state)
{
	struct fixture *fixture = *state;
	const struct layout *layout;
	struct client client;
	size_t found = 0;

	fake_fail_and_split(&fixture->agent);
	layout = fixture->agent.layout[FAMILY_IPV4];
	open_session(fixture, &client, "1.1");
	for (size_t i = 0; i < layout_pieces(layout); i++) {
		struct layout_piece piece = layout_piece(layout, i);
		struct prefix unit = layout_space_unit(fixture->agent.space[0], piece.unit);
		char unit_text[PREFIX_TEXT_SIZE], piece_text[PREFIX_TEXT_SIZE], *text, *want;
		const char *answer;

		if (piece.prefix.length == unit.length || prefix_compare(&piece.prefix, &unit) == 0)
			continue;
		found++;
		prefix_format(&unit, unit_text);
		prefix_format(&piece.prefix, piece_text);
		text = xasprintf(RPC("<where " OURS "><target>%s</target></where>"), unit_text);
		assert_int_equal(count_text(request(&client, text), "<match "), 4);
		free(text);
		text = xasprintf(RPC("<why " OURS "><target>%s</target></why>"), piece_text);
		want = xasprintf("<piece>%s</piece>", piece_text);
		answer = request(&client, text);
		assert_non_null(strstr(answer, want));
		free(want);
		want = xasprintf("<effective-element>%s</effective-element>",
		    fixture->agent.profile->groups[0].elements[piece.owner].id);
		assert_non_null(strstr(answer, want));
		/* Only displaced units are split, and one decision displaced them. */
		assert_non_null(strstr(answer, "<cause>fbf-02 down</cause><from>fbf-02</from>"));
		free(text);
		free(want);
	}
	assert_true(found >= 4);
	close_client(&client);
}

/* From pieces to whole units, to pieces of others, and to nobody. */
static void
test_split_plan(void **state)
{
	struct fixture *fixture = *state;
	struct client client;
	const char *answer;

	fake_fail_and_split(&fixture->agent);
	open_session(fixture, &client, "1.1");
	for (int f = 0; f < FAMILY_COUNT; f++)
		fixture->agent.status->groups[0].elements[1].family[f].awaits_operator = true;
	answer = request(&client, RPC("<plan " OURS "><online>fbf-02</online></plan>"));
	assert_int_equal(count_text(answer, "<moved>256</moved>"), 2);
	assert_int_equal(count_text(answer, "<name>fbf-02</name><before>0.0</before><after>256.0<"
	                                    "/after><gains>256.0</gains><losses>0.0</losses>"),
	    2);
	/* Everybody keeps its own units and gives back a third of the others. */
	assert_non_null(strstr(answer, "<before>341.25</before><after>256.0</after>"
	                               "<gains>0.0</gains><losses>85.25</losses>"));
	answer = request(&client, RPC("<plan " OURS "><offline>fbf-01</offline></plan>"));
	assert_non_null(strstr(answer, "<name>fbf-01</name><before>341.25</before><after>0.0<"
	                               "/after><gains>0.0</gains><losses>341.25</losses>"));
	assert_non_null(strstr(answer, "<before>341.25</before><after>512.0</after>"));
	answer = request(&client, RPC("<plan " OURS "><offline>fbf-02</offline></plan>"));
	assert_int_equal(count_text(answer, "<moved>0</moved>"), 2);
	close_client(&client);
}

/* Nobody left: the layout that stands, and frozen. */
static void
test_layout_nobody(void **state)
{
	struct client client;
	const char *answer;

	open_session(*state, &client, "1.1");
	answer = request(&client,
	    RPC("<layout " OURS "><down>fbf-01</down><down>fbf-02</down><down>fbf-03</down>"
	        "<down>fbf-04</down></layout>"));
	assert_int_equal(count_text(answer, "<frozen>true</frozen>"), 2);
	assert_int_equal(count_text(answer, "<effective>256</effective>"), 8);
	close_client(&client);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_state_is_valid),
		TEST(test_policy_state),
		TEST(test_pool_state),
		TEST(test_words_are_in_the_model),
		TEST(test_layout),
		TEST(test_split_layout),
		TEST(test_split_standby),
		TEST(test_split_where),
		TEST(test_split_plan),
		TEST(test_layout_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
