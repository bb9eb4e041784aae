/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of the control socket's commands and the splitting of a line into words. The commands
 * are the only way to make the lab router misbehave, so that no test hook is needed anywhere else.
 * What they do: command_show.c (looking), command_peers.c, command_faults.c, command_routes.c,
 * command_counters.c, command_wait.c.
 */
#include "command_call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "loop.h"

int
call_usage(const struct call *call)
{
	return error_set(call->err, -EINVAL, "%s: wrong words; say `help`", call->words[0]);
}

const char *
call_word(const struct call *call, size_t index)
{
	return index < call->count ? call->words[index] : "";
}

bool
call_is(const struct call *call, size_t index, const char *text)
{
	return strcmp(call_word(call, index), text) == 0;
}

int
call_number(const struct call *call, size_t index, uint64_t *ret_number)
{
	const char *text = call_word(call, index);
	char *end;

	errno = 0;
	*ret_number = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-')
		return error_set(call->err, -EINVAL, "%s: '%s' is no number", call->words[0], text);
	return 0;
}

static int
run_help(struct call *call)
{
	commands_print(call->out);
	return 0;
}

static int
run_quit(struct call *call)
{
	loop_stop(call->router->loop);
	return 0;
}

static const struct command {
	const char *name, *words, *help;
	int (*run)(struct call *call); /* 0; -errno; 1: wait */
} commands[] = {
	{ "help", "", "this list", run_help },
	{ "status", "", "every number, one a line; `wait` waits for them", run_status },
	{ "sessions", "", "NETCONF sessions: id, user, state, open instance", run_sessions },
	{ "log", "", "last 512 requests: time in us, session, operation, outcome", run_log },
	{ "peers", "", "every peer with its BGP and BFD state", run_peers },
	{ "merged", "", "the configuration in force", run_merged },
	{ "candidate", "", "the static candidate", run_candidate },
	{ "ephemeral", "[INSTANCE]", "committed data of an instance (default: the first)",
	    run_ephemeral },
	{ "static", "[set|load FILE [user NAME]]",
	    "the static configuration; set: the operator's commit of another one; load: of what is "
	    "there with the file loaded into it, as by <load-configuration action=\"replace\">",
	    run_static },
	{ "peer",
	    "up|down|flap|bgp-up|bfd-up|bfd-down|bfd-adapt|bfd-clear|routes-lost|routes-back|"
	    "unmonitored ADDRESS...|all [cause CAUSE]",
	    "CAUSE: bfd (default), hold-timer, admin, notification, closed, interface, unknown; "
	    "bgp-up: without BFD; bfd-adapt: three times the interval, as after flaps, until "
	    "bfd-clear; routes-lost: Established without a route, until routes-back or the next "
	    "up; unmonitored: BMP Peer Down with reason 5",
	    run_peer },
	{ "rpd", "off|on [peers-down]",
	    "routing questions are errors, BMP closes; on: every peer is young", run_rpd },
	{ "reboot", "keep|empty [peers-down] [for MS] [host-key FILE] [source ADDR]",
	    "drop everybody; empty: ephemeral data is lost; for: nobody gets in for so long",
	    run_reboot },
	{ "lock", "on|off [INSTANCE [USER]]", "another user has the instance (or `static`) open",
	    run_lock },
	{ "pause", "STEP [before|after]",
	    "hold the next request of this step, not executed or executed", run_pause },
	{ "resume", "", "let what is paused go on", run_resume },
	{ "fault", "[clear | STEP KIND [number N] [text TEXT] [times N|always]]",
	    "STEP: hello open load commit close get show (with routes and counters) routes "
	    "counters "
	    "other any. KIND: pause-before pause-after "
	    "slow (number: ms) lost-before lost-after error (text) warning (text) full garbage dtd "
	    "big (number: MiB) half silent. Without words: what is armed",
	    run_fault },
	{ "drop", "[SESSION|all]", "cut NETCONF connections", run_drop },
	{ "bmp", "on|off|restart|mute|garbage", "the BMP session; mute: it stands, silent",
	    run_bmp },
	{ "syslog", "on|off|restart|line TEXT", "the syslog socket", run_syslog },
	{ "source", "ADDR", "BMP and syslog come from this address from now on", run_source },
	{ "routes", "", "static, aggregate and learned routes: table, prefix, kind, age",
	    run_routes },
	{ "route", "PEER PREFIX up [local-preference N] | route PEER PREFIX down",
	    "what a simulated peer announces; routes of a session that is down do not count. The "
	    "highest local preference (default 100) is active, then the lowest peer address",
	    run_route },
	{ "exported", "[POLICY]",
	    "what export policies make of routes now: policy, route (rest-v4, rest-v6: all "
	    "others), "
	    "accept, reject or default, what is set",
	    run_exported },
	{ "forwarding", "",
	    "last 64 changes of the forwarding plane: time in us, change, filter, ranges",
	    run_forwarding },
	{ "counters", "[clear [interfaces|terms] | off|on | restart-on-commit on|off]",
	    "packets and bytes of every counted filter term; off: a router without statistics; "
	    "restart-on-commit: counters of terms are 0 after each commit",
	    run_counters },
	{ "traffic",
	    "[in|out INTERFACE rate PPS|add N [size BYTES] | term FILTER COUNTER rate PPS|add N "
	    "[size BYTES]]",
	    "made-up packets, beside the real ones; size: 1000. Without words: what was made up",
	    run_traffic },
	{ "wait", "NAME [N|=N] [timeout MS]",
	    "until the number of `status` is at least N (default 1), or equal to N; default 10 s",
	    run_wait },
	{ "quit", "", "end, as SIGTERM does", run_quit },
};

void
commands_print(FILE *out)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		fprintf(out, "%s%s%s\n    %s\n", commands[i].name, *commands[i].words ? " " : "",
		    commands[i].words, commands[i].help);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Takes one word off *rest, unquoted in place; NULL at the end. */
static char *
next_word(char **rest)
{
	char *from = *rest + strspn(*rest, " \t"), *start = from, *to = from;
	bool is_quoted = false;

	if (!*from)
		return NULL;
	for (; *from && (is_quoted || !strchr(" \t", *from)); from++) {
		if (*from == '"') {
			is_quoted = !is_quoted;
			continue;
		}
		if (*from == '\\' && from[1])
			from++;
		*to++ = *from;
	}
	*rest = *from ? from + 1 : from;
	*to = '\0';
	return start;
}

enum command_result
command_run(
    struct labrouter *router, char *line, FILE *out, struct wait *ret_wait, struct error *err)
{
	struct call call = { .router = router, .out = out, .wait = ret_wait, .err = err };
	int rc;

	while (call.count < WORDS_MAX && (call.words[call.count] = next_word(&line)))
		call.count++;
	if (call.count == 0)
		return COMMAND_OK;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		if (strcmp(commands[i].name, call.words[0]) != 0)
			continue;
		rc = commands[i].run(&call);
		return rc > 0 ? COMMAND_WAITS : rc < 0 ? COMMAND_FAILED : COMMAND_OK;
	}
	error_set(err, -EINVAL, "unknown command '%s'; say `help`", call.words[0]);
	return COMMAND_FAILED;
}
