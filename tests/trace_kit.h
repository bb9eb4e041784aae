/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of walks share: a configuration as text, changed in one place, walked and printed.
 * Include after cmocka.h. */
#ifndef AUTOFBF_TESTS_TRACE_KIT_H
#define AUTOFBF_TESTS_TRACE_KIT_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/cli/trace_report.h"
#include "profile_yang.h"

struct setting {
	struct profile *profile;
	struct trace_config config;
	struct trace_routes routes;
	struct trace trace;
	char *output; /* owned; the walk as text */
};

static inline char *
load(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = xcalloc(1, 1 << 20);

	if (!in)
		fail_msg("%s: %s", path, strerror(errno));
	text[fread(text, 1, (1 << 20) - 1, in)] = '\0';
	fclose(in);
	return text;
}

/* Every `from` becomes `to`; one must be there. */
static inline char *
edit(char *text, const char *from, const char *to)
{
	char *out = NULL, *hit;
	size_t size;
	FILE *stream = open_memstream(&out, &size);
	const char *rest = text;

	if (!strstr(text, from))
		fail_msg("'%s' is not in the configuration", from);
	while ((hit = strstr(rest, from))) {
		fprintf(stream, "%.*s%s", (int)(hit - rest), rest, to);
		rest = hit + strlen(from);
	}
	fputs(rest, stream);
	assert_int_equal(fclose(stream), 0);
	free(text);
	return out;
}

static inline void
add(struct setting *setting, const char *text, bool ephemeral)
{
	struct error err = { "" };

	if (trace_config_add(
	        &setting->config, text, strlen(text), ephemeral, "configuration", &err) < 0)
		fail_msg("%s", err.text);
}

static inline void
walk(struct setting *setting, const char *source, const char *destination)
{
	struct trace_input input = {
		.profile = setting->profile, .config = &setting->config, .routes = &setting->routes
	};
	const struct trace_agent agent = { .state = NULL };
	struct error err = { "" };
	size_t size;
	FILE *out = open_memstream(&setting->output, &size);

	assert_int_equal(ip_parse(source, &input.source), 0);
	assert_int_equal(ip_parse(destination, &input.destination), 0);
	trace_config_sort(&setting->config);
	if (trace_walk(&input, &setting->trace, &err) < 0)
		fail_msg("%s", err.text);
	trace_report_text(&setting->trace, &agent, out);
	fclose(out);
}

static inline void
done(struct setting *setting)
{
	trace_done(&setting->trace);
	trace_config_done(&setting->config);
	trace_routes_done(&setting->routes);
	profile_free(setting->profile);
	free(setting->output);
}

/* Line breaks and the spaces of wrapped lines do not matter. */
static inline char *
flatten(const char *text)
{
	char *out = xcalloc(strlen(text) + 1, 1), *end = out;

	for (; *text; text++)
		if (*text != ' ' && *text != '\n')
			*end++ = *text;
		else if (end > out && end[-1] != ' ')
			*end++ = ' ';
	return out;
}

#endif
