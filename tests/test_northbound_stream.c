/* SPDX-License-Identifier: BSD-3-Clause */
/* Long answers in pieces: what they are together, and who may go or change in the middle. */
#define _GNU_SOURCE
#include "northbound_rig.h"

#include <time.h>

/* All of the stream, and in how many steps. The caller frees it. */
static char *
print_state(const struct lys_module *module, const struct status *status, size_t *ret_steps)
{
	struct northbound_stream *stream = northbound_state_new(module, status);
	struct evbuffer *out = evbuffer_new();
	size_t count = 1;
	char *text;

	while (stream->write(stream, out))
		count++;
	stream->free(stream);
	text = xasprintf("%.*s", (int)evbuffer_get_length(out), evbuffer_pullup(out, -1));
	evbuffer_free(out);
	*ret_steps = count;
	return text;
}

/* Elements like the first one. */
static void
set_elements(struct fake_agent *agent, size_t count)
{
	struct status_group *group = &agent->status->groups[0];

	group->elements = xreallocarray(group->elements, count, sizeof(*group->elements));
	for (size_t e = group->element_count; e < count; e++) {
		struct status_element *element = &group->elements[e];

		*element = (struct status_element){ .id = xasprintf("more-%02zu", e),
			.name = xasprintf("name <%zu>", e),
			.weight = (uint16_t)(1 + e) };
		for (int f = 0; f < FAMILY_COUNT; f++)
			if (e % 3 != (size_t)f)
				fake_fill_element_family(agent, 0, f, &element->family[f]);
	}
	group->element_count = count;
}

/* A second group, that has nobody yet. */
static void
add_group(struct status *status)
{
	status->groups = xreallocarray(status->groups, 2, sizeof(*status->groups));
	status->groups[1] =
	    (struct status_group){ .id = xstrdup("empty"), .name = xstrdup("<nobody>") };
	status->group_count = 2;
}

static void
set_alarms(struct status *status, size_t count)
{
	status->alarms = xcalloc(count + 1, sizeof(*status->alarms));
	for (; status->alarm_count < count; status->alarm_count++)
		status->alarms[status->alarm_count] = (struct alarm){ .type = ALARM_TWO_WRITERS,
			.severity = ALARM_MAJOR,
			.since_us = FAKE_NOW_US,
			.key = xasprintf("list-%zu", status->alarm_count),
			.cause = xstrdup("a xmlns=\"urn:autofbf:yang:autofbf\" <c>") };
}

/* Whatever the sizes, the pieces are together what one tree prints: libyang takes the document
 * back, strictly, and prints the same bytes. */
static void
test_stream_is_the_tree(void **state)
{
	struct fixture *fixture = *state;
	const struct lys_module *module = ly_ctx_get_module_implemented(fixture->ctx, "autofbf");
	unsigned seed = (unsigned)time(NULL);

	print_message("seed %u\n", seed);
	srand(seed);
	for (int i = 0; i < 40; i++) {
		size_t elements = 4 + (size_t)rand() % 61, alarms = (size_t)rand() % 20, steps;
		struct lyd_node *tree = NULL;
		char *streamed, *whole = NULL;

		fake_refresh(&fixture->agent);
		set_elements(&fixture->agent, elements);
		set_alarms(fixture->agent.status, alarms);
		if (i % 2)
			add_group(fixture->agent.status);
		streamed = print_state(module, fixture->agent.status, &steps);
		assert_true(steps > elements);
		assert_int_equal(lyd_parse_data_mem(fixture->ctx, streamed, LYD_XML,
		                     LYD_PARSE_ONLY | LYD_PARSE_STRICT, 0, &tree),
		    LY_SUCCESS);
		assert_int_equal(
		    lyd_print_mem(&whole, tree, LYD_XML, LYD_PRINT_SHRINK), LY_SUCCESS);
		assert_string_equal(streamed, whole);
		assert_int_equal(count_text(streamed, "<group>"), 1 + i % 2);
		assert_int_equal(count_text(streamed, "<element>"), elements);
		assert_int_equal(count_text(streamed, "<alarm>"), alarms);
		lyd_free_all(tree);
		free(streamed);
		free(whole);
	}
}

static void
set_hostname(struct status *status, const char *hostname)
{
	free(status->hostname);
	status->hostname = xstrdup(hostname);
}

/* Asks, and is told some of it but not all. */
static void
ask_and_begin(struct client *client, const char *operation)
{
	struct mtime deadline = get_deadline();
	size_t before = client->read;
	const char *message;
	size_t size;

	send_message(client, operation);
	while (client->read == before) {
		assert_false(mtime_reached(mtime_now(), deadline));
		turn(client);
	}
	assert_int_equal(framing_next(client->framing, &message, &size), 0);
}

/* The picture is replaced, and asked for by another, while the first is still being told. */
static void
test_one_moment(void **state)
{
	struct fixture *fixture = *state;
	struct client slow, other;
	const char *answer;
	char *first;

	set_elements(&fixture->agent, 64);
	open_session(fixture, &slow, "1.1");
	open_session(fixture, &other, "1.0");
	ask_and_begin(&slow, RPC("<get/>"));
	northbound_finish_answers(fixture->northbound); /* the picture borrows no profile */
	fixture->agent.down[1] = true;
	fake_refresh(&fixture->agent);
	set_hostname(fixture->agent.status, "another");
	answer = request(&other, RPC("<get><filter><state " OURS "/></filter></get>"));
	assert_non_null(strstr(answer, "<hostname>another<"));
	assert_int_equal(count_text(answer, "<effective-units>0</effective-units>"), 2);
	first = xstrdup(next_message(&slow));
	assert_non_null(strstr(first, "<hostname>mx304-north<"));
	assert_null(strstr(first, "<effective-units>0</effective-units>"));
	assert_int_equal(count_text(first, "<id>more-"), 60);
	assert_int_equal(count_text(first, "</state></data></rpc-reply>"), 1);
	free(first);
	close_client(&slow);
	close_client(&other);
}

/* What borrows the profile is taken to its end before the profile goes. */
static void
test_finished_layout(void **state)
{
	struct fixture *fixture = *state;
	struct client client;

	open_session(fixture, &client, "1.1");
	ask_and_begin(&client, RPC("<layout " OURS "/>"));
	northbound_finish_answers(fixture->northbound);
	assert_int_equal(count_text(next_message(&client), "<unit>"), 2048);
	check_good(&client);
	close_client(&client);
}

/* A client that goes in the middle, and one that stays until the server does. */
static void
test_gone_in_the_middle(void **state)
{
	struct fixture *fixture = *state;
	struct client client, stays;

	set_elements(&fixture->agent, 64);
	open_session(fixture, &client, "1.1");
	ask_and_begin(&client, RPC("<get/>"));
	close_client(&client);
	fake_refresh(&fixture->agent); /* the last reader frees the picture */
	open_session(fixture, &client, "1.1");
	check_good(&client);
	set_elements(&fixture->agent, 64);
	open_session(fixture, &stays, "1.1");
	ask_and_begin(&stays, RPC("<get/>"));
	northbound_free(fixture->northbound);
	start(fixture);
	close_client(&stays);
	close_client(&client);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_stream_is_the_tree),
		TEST(test_one_moment),
		TEST(test_finished_layout),
		TEST(test_gone_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
