/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RPC router-read: a session waits for the router's words, the others go on; who asks may be
 * gone when they come.
 */
#include "northbound_rig.h"

#define READ(inside) RPC("<router-read " OURS ">" inside "</router-read>")
#define READ_STATIC READ("<what>static-configuration</what>")

/* Turns of the loop until so many questions have reached the agent. */
static void
await_asks(struct client *client, size_t count)
{
	struct mtime deadline = get_deadline();

	while (fake_count_asks(&client->fixture->agent) < count) {
		if (mtime_reached(mtime_now(), deadline))
			fail_msg("the agent is not asked");
		turn(client);
	}
}

static void
await_freed(struct client *client)
{
	struct mtime deadline = get_deadline();

	while (fake_count_asks(&client->fixture->agent) > 0) {
		if (mtime_reached(mtime_now(), deadline))
			fail_msg("a question is left behind");
		turn(client);
	}
}

/* The text of <reply> without its escapes; owned. */
static char *
copy_reply(const char *message)
{
	static const struct {
		const char *escape;
		char c;
	} escapes[] = { { "&lt;", '<' }, { "&gt;", '>' }, { "&amp;", '&' }, { "&quot;", '"' } };
	const char *p = strstr(message, "<reply ");
	char *text = xcalloc(strlen(message) + 1, 1), *at = text;

	assert_non_null(p);
	for (p = strchr(p, '>') + 1; strncmp(p, "</reply>", 8) != 0; at++) {
		size_t size = 1;

		assert_true(*p != '\0');
		*at = *p;
		for (size_t i = 0; *p == '&' && i < sizeof(escapes) / sizeof(escapes[0]); i++)
			if (strncmp(p, escapes[i].escape, strlen(escapes[i].escape)) == 0) {
				size = strlen(escapes[i].escape);
				*at = escapes[i].c;
				break;
			}
		p += size;
	}
	return text;
}

static void
test_others_go_on(void **state)
{
	struct fixture *fixture = *state;
	struct client first, second, third;
	char *reply;

	open_session(fixture, &first, "1.1");
	open_session(fixture, &second, "1.0");
	open_session(fixture, &third, "1.1");
	send_message(&first, READ_STATIC);
	await_asks(&first, 1);
	send_message(&second, READ("<what>route</what><table>cgn-out.inet.0</table>"
	                           "<destination>203.0.113.7/32</destination>"));
	await_asks(&second, 2);
	check_good(&third);
	assert_string_equal(fixture->agent.asks[1].table, "cgn-out.inet.0");
	assert_int_equal(fixture->agent.asks[1].question.kind, ROUTER_QUESTION_ROUTE);
	assert_int_equal(fixture->agent.asks[1].question.destination.length, 32);
	fake_answer(
	    &fixture->agent, 1, "<rpc-reply><a b=\"c\">&amp; \xc3\xa4</a></rpc-reply>", NULL);
	reply = copy_reply(next_message(&second));
	assert_string_equal(reply, "<rpc-reply><a b=\"c\">&amp; \xc3\xa4</a></rpc-reply>");
	free(reply);
	fake_answer(&fixture->agent, 0, "<rpc-reply/>", NULL);
	reply = copy_reply(next_message(&first));
	assert_string_equal(reply, "<rpc-reply/>");
	free(reply);
	await_freed(&first);
	check_good(&first);
	check_good(&second);
	close_client(&first);
	close_client(&second);
	close_client(&third);
}

/* Requests behind the question wait for its answer; nothing overtakes it. */
static void
test_order(void **state)
{
	struct fixture *fixture = *state;
	struct client client;

	open_session(fixture, &client, "1.1");
	send_message(&client, READ_STATIC);
	send_message(&client, RPC("<audit " OURS "/>"));
	await_asks(&client, 1);
	for (int i = 0; i < 5; i++)
		turn(&client);
	assert_null(strstr(fixture->agent.calls, "audit"));
	fake_answer(&fixture->agent, 0, "<rpc-reply/>", NULL);
	assert_non_null(strstr(next_message(&client), "</reply></rpc-reply>"));
	assert_non_null(strstr(next_message(&client), "<ok/>"));
	close_client(&client);
}

/* Megabytes to a client that reads slowly, cut between characters of two bytes. */
static void
test_long_answer(void **state)
{
	struct fixture *fixture = *state;
	size_t size = 3 << 20;
	char *text = xcalloc(size + 1, 1), *reply;
	struct client client, other;

	for (size_t i = 1; i + 1 < size; i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	text[0] = '<';
	text[size - 1] = '&';
	open_session(fixture, &client, "1.1");
	open_session(fixture, &other, "1.1");
	client.most = 20000;
	send_message(&client, READ("<what>ephemeral-configuration</what>"));
	await_asks(&client, 1);
	fake_answer(&fixture->agent, 0, text, NULL);
	check_good(&other);
	reply = copy_reply(next_message(&client));
	assert_string_equal(reply, text);
	await_freed(&client);
	free(reply);
	free(text);
	close_client(&client);
	close_client(&other);
}

static void
test_failure(void **state)
{
	struct fixture *fixture = *state;
	struct client client;
	const char *message;

	open_session(fixture, &client, "1.1");
	send_message(&client, READ_STATIC);
	await_asks(&client, 1);
	fake_answer(&fixture->agent, 0, NULL, "the router was lost: <no reply>");
	message = next_message(&client);
	assert_non_null(strstr(message, "operation-failed"));
	assert_non_null(strstr(message, "not-ready"));
	assert_non_null(strstr(message, "lost: &lt;no reply"));
	assert_non_null(strstr(message, "</rpc-error></rpc-reply>"));
	await_freed(&client);
	check_good(&client);
	fixture->agent.answer = -EAGAIN; /* not connected */
	message = request(&client, READ_STATIC);
	assert_non_null(strstr(message, "resource-denied"));
	assert_non_null(strstr(message, "not connected"));
	close_client(&client);
}

static void
test_client_gone(void **state)
{
	struct fixture *fixture = *state;
	struct client client, other;

	open_session(fixture, &other, "1.1");
	open_session(fixture, &client, "1.1");
	send_message(&client, READ_STATIC);
	await_asks(&client, 1);
	close_client(&client);
	check_good(&other);
	fake_answer(&fixture->agent, 0, "<rpc-reply/>", NULL);
	await_freed(&other);
	check_good(&other);
	open_session(fixture, &client, "1.1"); /* one that closes the server with a question open */
	send_message(&client, READ_STATIC);
	await_asks(&client, 1);
	northbound_free(fixture->northbound);
	assert_int_equal(fake_count_asks(&fixture->agent), 0);
	start(fixture);
	close_client(&client);
	close_client(&other);
}

static const char *const bad_inputs[] = {
	READ(""),
	READ("<what>everything</what>"),
	READ("<what>route</what><table>inet.0</table>"),
	READ("<what>route</what><destination>203.0.113.7/32</destination>"),
	READ("<what>route</what><table>a b</table><destination>203.0.113.7/32</destination>"),
	READ("<what>route</what><table>inet.0</table><destination>x</destination>"),
};

static void
test_bad_input(void **state)
{
	struct fixture *fixture = *state;
	struct client client;

	open_session(fixture, &client, "1.1");
	for (size_t i = 0; i < sizeof(bad_inputs) / sizeof(bad_inputs[0]); i++) {
		assert_non_null(strstr(request(&client, bad_inputs[i]), "<rpc-error>"));
		assert_int_equal(fake_count_asks(&fixture->agent), 0);
	}
	check_good(&client);
	close_client(&client);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_others_go_on),
		TEST(test_order),
		TEST(test_long_answer),
		TEST(test_failure),
		TEST(test_client_gone),
		TEST(test_bad_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
