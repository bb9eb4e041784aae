/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf trace: a packet and its answer, judged from the router's own configuration.
 *
 * The configuration comes through the agent (RPC router-read), which asks the router now, or out of
 * files that somebody saved. When the router can be asked the walk is made again and again: each
 * notes which routes matter to it, and the next one has the router's answers about them, until
 * nothing is left to ask. The agent's own opinion is laid beside the result, and never enters it.
 */
#include "cli.h"

#include <errno.h>
#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "profile_yang.h"
#include "text_read.h"
#include "trace_report.h"
#include "tree.h"

/* All that a walk needs, and owns. */
struct job {
	const struct arguments *arguments;
	struct client *client; /* NULL: from files */
	struct profile *profile;
	struct trace_config config;
	struct trace_routes routes;
	struct trace_lookups answered;
	struct trace_agent agent;
	struct trace_input input;
	struct trace trace;
};

/* ---- from files ---------------------------------------------------------------------------- */

enum document { STATIC, EPHEMERAL, ROUTES };

static int
add_file(struct job *job, enum document document, const char *path, struct error *err)
{
	const char *name = text_read_name(path);
	char *text = NULL;
	size_t size = 0;
	int rc = text_read(path, &text, &size, err);

	if (rc == 0)
		rc = document == ROUTES ? trace_routes_add(&job->routes, text, size, name, err)
		                        : trace_config_add(&job->config, text, size,
		                              document == EPHEMERAL, name, err);
	free(text);
	return rc < 0 ? EXIT_USAGE : 0;
}

static int
prepare_files(struct job *job, struct error *err)
{
	const struct arguments *arguments = job->arguments;
	int code = 0;

	if (!arguments->profile || !arguments->configuration)
		return error_set(err, EXIT_USAGE,
		    "without an agent both are needed: --profile FILE --configuration FILE");
	if (profile_load(arguments->profile, arguments->yang_dir, &job->profile, err) < 0)
		code = EXIT_USAGE;
	if (code == 0)
		code = add_file(job, STATIC, arguments->configuration, err);
	if (code == 0 && arguments->ephemeral)
		code = add_file(job, EPHEMERAL, arguments->ephemeral, err);
	if (code == 0 && arguments->routes)
		code = add_file(job, ROUTES, arguments->routes, err);
	return code;
}

/* ---- through the agent --------------------------------------------------------------------- */

/* table, destination: of routes only. *ret_reply lives until client_close. */
static int
read_router(struct job *job, const char *what, const char *table, const char *destination,
    const char **ret_reply, struct error *err)
{
	struct lyd_node *rpc = client_rpc(job->client, "router-read");
	const struct lyd_node *output = NULL;
	bool is_good = client_input(rpc, "what", what);
	int code;

	if (table)
		is_good = is_good && client_input(rpc, "table", table) &&
		          client_input(rpc, "destination", destination);
	if (!is_good) {
		client_drop(rpc);
		return table ? error_set(err, EXIT_REFUSED,
		                   "the model has no look-up of %s in table %s", destination, table)
		             : error_set(err, EXIT_REFUSED, "the model has no reading of %s", what);
	}
	code = client_call(job->client, rpc, CLIENT_ROUTER, &output, err);
	if (code == 0)
		*ret_reply = tree_text(output, "reply");
	if (code == 0 && !job->agent.asked)
		job->agent.asked = tree_text(output, "asked");
	return code;
}

static int
add_reply(struct job *job, const char *what, bool ephemeral, struct error *err)
{
	const char *reply = NULL;
	int code = read_router(job, what, NULL, NULL, &reply, err);

	if (code == 0 &&
	    trace_config_add(&job->config, reply, strlen(reply), ephemeral, what, err) < 0)
		code = EXIT_REFUSED;
	return code;
}

static int
load_profile(struct job *job, struct error *err)
{
	int code = client_get_profile(job->client, &job->profile, err);

	if (code == 0)
		client_await_router(job->client, profile_answer_ms(&job->profile->router));
	return code;
}

static int
prepare_live(struct job *job, struct error *err)
{
	const struct arguments *arguments = job->arguments;
	int code;

	if (arguments->profile || arguments->ephemeral || arguments->routes)
		return error_set(err, EXIT_USAGE,
		    "--profile, --ephemeral and --routes go with --configuration FILE");
	code = client_open(arguments->socket, arguments->yang_dir, &job->client, err);
	if (code == 0)
		code = load_profile(job, err);
	if (code == 0)
		code = add_reply(job, "static-configuration", false, err);
	if (code == 0)
		code = add_reply(job, "ephemeral-configuration", true, err);
	return code;
}

static int
ask_routes(void *arg, const struct trace_lookups *wanted, struct error *err)
{
	struct job *job = arg;
	int code = 0;

	for (size_t i = 0; code == 0 && i < wanted->count; i++) {
		const struct trace_lookup *lookup = &wanted->lookups[i];
		char text[PREFIX_TEXT_SIZE];
		const char *reply = NULL;

		prefix_format(&lookup->destination, text);
		code = read_router(job, "route", lookup->table, text, &reply, err);
		if (code == 0 &&
		    trace_routes_add(&job->routes, reply, strlen(reply), lookup->table, err) < 0)
			code = EXIT_REFUSED;
		trace_lookups_add(&job->answered, lookup->table, &lookup->destination);
	}
	return code;
}

/* What the agent thinks of each subscriber. */
static int
ask_opinion(struct job *job, struct error *err)
{
	int code = client_get_state(job->client, &job->agent.state, err);

	for (size_t i = 0; code == 0 && i < job->trace.subscriber_count; i++) {
		const struct trace_subscriber *subscriber = &job->trace.subscribers[i];
		struct lyd_node *rpc = client_rpc(job->client, "where");
		const struct lyd_node *output = NULL;
		char text[IP_TEXT_SIZE];

		(void)client_input(rpc, "target", ip_format(&subscriber->address, text));
		code = client_call(job->client, rpc, CLIENT_SHORT, &output, err);
		job->agent.match[i] = tree_entry(
		    output, "match", "group", job->profile->groups[subscriber->group].id);
	}
	return code;
}

/* Without its opinion the walk is as good; only health and standbys are missing. */
static void
ask_agent(struct job *job)
{
	struct error err = { "" };

	if (ask_opinion(job, &err) != 0)
		trace_texts_add(
		    &job->trace.notes, "what the agent thinks is not known: %.300s", err.text);
}

/* ---- the walk ------------------------------------------------------------------------------ */

static int
walk(struct job *job, struct error *err)
{
	int code = job->client ? trace_walk_asking(&job->input, ask_routes, job, &job->trace, err)
	                       : trace_walk(&job->input, &job->trace, err);

	return code == -EAGAIN ? EXIT_REFUSED : code < 0 ? EXIT_USAGE : code;
}

static int
take_addresses(struct job *job, struct error *err)
{
	const char *const *names = job->arguments->names;
	struct ip *const addresses[] = { &job->input.source, &job->input.destination };

	for (int i = 0; i < 2; i++)
		if (ip_parse(names[i], addresses[i]) < 0)
			return error_set(err, EXIT_USAGE, "'%.64s' is no address", names[i]);
	job->input.group = job->arguments->name_count > 2 ? names[2] : NULL;
	return 0;
}

static int
run(struct job *job, struct error *err)
{
	int code = take_addresses(job, err);

	if (code == 0)
		code = job->arguments->configuration ? prepare_files(job, err)
		                                     : prepare_live(job, err);
	if (code != 0)
		return code;
	trace_config_sort(&job->config);
	job->input.profile = job->profile;
	job->input.config = &job->config;
	job->input.routes = &job->routes;
	job->input.answered = job->client ? &job->answered : NULL;
	code = walk(job, err);
	if (code == 0 && job->client)
		ask_agent(job);
	return code;
}

static void
job_done(struct job *job)
{
	trace_done(&job->trace);
	trace_lookups_done(&job->answered);
	trace_routes_done(&job->routes);
	trace_config_done(&job->config);
	profile_free(job->profile);
	client_close(job->client);
}

int
command_trace(const struct arguments *arguments)
{
	struct job job = { .arguments = arguments };
	struct error err = { "" };
	int code = run(&job, &err);

	if (code != 0) {
		complain(code, "%s", err.text);
	} else {
		trace_agent_judge(&job.trace, &job.agent);
		if (arguments->json)
			trace_report_json(&job.trace, &job.agent, stdout);
		else
			trace_report_text(&job.trace, &job.agent, stdout);
		code = trace_is_good(&job.trace) ? EXIT_DONE : EXIT_DIFFERS;
	}
	job_done(&job);
	return code;
}
