/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes -> what trace reads: the static configuration, the ephemeral instance and routes, with
 * NUL bytes between them. No crash, no leak, an error text for whatever is refused; and whatever is
 * accepted can be walked and printed, the same each time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/cli/trace_report.h"
#include "profile_yang.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const profiles[] = { "tests/fixtures/trace/two.json",
	"profiles/cgn-dual-stack.json" };
enum { PROFILES = sizeof(profiles) / sizeof(profiles[0]) };

static const char *const pairs[][2] = { { "10.0.0.5", "203.0.113.9" }, { "10.0.0.5", "10.0.0.200" },
	{ "2001:db8:1:1::1", "2001:db8:1:3::1" }, { "10.64.0.130", "198.51.100.1" },
	{ "10.64.0.200", "10.64.0.5" } };

struct input {
	struct trace_config config;
	struct trace_routes routes;
};

/* Takes the part before the next NUL. */
static size_t
take(const char **text, const char *end, const char **ret_part)
{
	const char *stop = *text < end ? memchr(*text, '\0', (size_t)(end - *text)) : NULL;
	size_t size = stop ? (size_t)(stop - *text) : (size_t)(end - *text);

	*ret_part = *text;
	*text = stop ? stop + 1 : end;
	return size;
}

static void
must_say(int rc, const struct error *err)
{
	if (rc < 0 && strncmp(err->text, "fuzz", 4) != 0)
		fatal("an error without its place: '%s'", err->text);
}

static void
read_input(const char *text, size_t size, struct input *input)
{
	const char *end = text + size, *part;
	struct error err = { "" };

	size = take(&text, end, &part);
	must_say(trace_config_add(&input->config, part, size, false, "fuzz", &err), &err);
	size = take(&text, end, &part);
	must_say(trace_config_add(&input->config, part, size, true, "fuzz", &err), &err);
	size = take(&text, end, &part);
	must_say(trace_routes_add(&input->routes, part, size, "fuzz", &err), &err);
	trace_config_sort(&input->config);
}

static void
check_legs(const struct trace *trace)
{
	for (size_t i = 0; i < trace->leg_count; i++) {
		const struct trace_leg *leg = &trace->legs[i];

		if (!leg->end || leg->subscriber >= trace->subscriber_count)
			fatal("a leg without an end or a subscriber");
		if (leg->fate == TRACE_TO_ELEMENT &&
		    (leg->group >= trace->profile->group_count ||
		        leg->element >= trace->profile->groups[leg->group].element_count))
			fatal("a leg to an element that does not exist");
		if (leg->fate != TRACE_TO_ELEMENT && trace_is_good(trace))
			fatal("a leg that ends nowhere is good");
	}
}

static char *
walk(const struct profile *profile, const struct input *input, const char *const pair[2])
{
	struct trace_input ask = {
		.profile = profile, .config = &input->config, .routes = &input->routes
	};
	const struct trace_agent agent = { .state = NULL };
	struct error err = { "" };
	struct trace trace;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (ip_parse(pair[0], &ask.source) < 0 || ip_parse(pair[1], &ask.destination) < 0)
		fatal("%s, %s", pair[0], pair[1]);
	if (trace_walk(&ask, &trace, &err) == 0) {
		check_legs(&trace);
		trace_report_text(&trace, &agent, out);
	}
	trace_done(&trace);
	fclose(out);
	return text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct profile *loaded[PROFILES]; /* made once: milliseconds */
	struct input input = { .config.list_count = 0 };
	struct error err = { "" };

	for (size_t i = 0; i < PROFILES; i++)
		if (!loaded[i] && profile_load(profiles[i], "yang", &loaded[i], &err) < 0)
			fatal("%s", err.text);
	read_input((const char *)data, size, &input);
	for (size_t i = 0; i < PROFILES; i++)
		for (size_t j = 0; j < sizeof(pairs) / sizeof(pairs[0]); j++) {
			char *once = walk(loaded[i], &input, pairs[j]);
			char *again = j == 0 ? walk(loaded[i], &input, pairs[j]) : NULL;

			if (again && strcmp(once, again) != 0)
				fatal("two walks differ:\n%s\n%s", once, again);
			free(once);
			free(again);
		}
	trace_config_done(&input.config);
	trace_routes_done(&input.routes);
	return 0;
}
