/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control socket's commands. They are the only way to make the lab router misbehave, so that no
 * test hook is needed anywhere else. Each command is one small function over words; parsing sockets
 * and waiting is control.c.
 */
#include "commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bmp_out.h"
#include "conf.h"
#include "loop.h"
#include "mtime.h"
#include "netconf.h"
#include "plane.h"
#include "router.h"
#include "simulate.h"
#include "syslog_out.h"

enum { WORDS_MAX = 256, WAIT_MS = 10000 };

struct call {
	struct labrouter *router;
	char *words[WORDS_MAX]; /* words[0] is the command */
	size_t count;
	FILE *out;
	struct wait *wait;
	struct error *err;
};

static int
usage(const struct call *call)
{
	return error_set(call->err, -EINVAL, "%s: wrong words; say `help`", call->words[0]);
}

static const char *
word(const struct call *call, size_t index)
{
	return index < call->count ? call->words[index] : "";
}

static bool
is_word(const struct call *call, size_t index, const char *text)
{
	return strcmp(word(call, index), text) == 0;
}

static int
parse_number(const struct call *call, size_t index, uint64_t *ret_number)
{
	const char *text = word(call, index);
	char *end;

	errno = 0;
	*ret_number = strtoull(text, &end, 10);
	if (errno || end == text || *end || *text == '-')
		return error_set(call->err, -EINVAL, "%s: '%s' is no number", call->words[0], text);
	return 0;
}

/* ---- looking --------------------------------------------------------------------------------- */

static int
run_help(struct call *call)
{
	commands_print(call->out);
	return 0;
}

static int
run_status(struct call *call)
{
	struct labrouter_number numbers[LABROUTER_NUMBERS_MAX];
	size_t count = labrouter_numbers(call->router, numbers);

	for (size_t i = 0; i < count; i++)
		fprintf(call->out, "%s %" PRIu64 "\n", numbers[i].name, numbers[i].value);
	fprintf(call->out, "static-revision %016" PRIx64 "\n",
	    conf_hash(database_static(call->router->database)));
	fprintf(call->out, "candidate-revision %016" PRIx64 "\n",
	    conf_hash(database_candidate(call->router->database, 0)));
	return 0;
}

static int
run_sessions(struct call *call)
{
	netconf_print_sessions(call->router->netconf, call->out);
	return 0;
}

static int
run_log(struct call *call)
{
	netconf_print_log(call->router->netconf, call->out);
	return 0;
}

static int
run_peers(struct call *call)
{
	const struct peer_table *peers = call->router->peers;
	char address[IP_TEXT_SIZE];

	labrouter_refresh_peers(call->router);
	for (size_t i = 0; i < peer_table_count(peers); i++) {
		const struct peer *peer = peer_table_at(peers, i);
		const char *bfd = peer_bfd_names[peer->bfd];

		fprintf(call->out,
		    "%s %s bfd=%s age=%" PRId64 " flaps=%u cause=%s as=%u instance=%s\n",
		    ip_format(&peer->address, address), peer_bgp_names[peer->bgp],
		    bfd ? bfd : "none", mtime_diff_ms(mtime_now(), peer->since) / 1000, peer->flaps,
		    peer_cause_names[peer->last_cause], peer->as, peer->instance);
	}
	return 0;
}

static int
print_conf(struct call *call, const xmlDoc *doc)
{
	fputs("<configuration>\n", call->out);
	conf_print_children(call->out, conf_root(doc));
	fputs("</configuration>\n", call->out);
	return 0;
}

static int
run_merged(struct call *call)
{
	return print_conf(call, database_merged(call->router->database));
}

static int
run_candidate(struct call *call)
{
	return print_conf(call, database_candidate(call->router->database, 0));
}

static int
run_ephemeral(struct call *call)
{
	const char *first = database_instance_at(call->router->database, 0);
	const char *name = call->count > 1 ? word(call, 1) : first;
	const xmlDoc *doc = database_ephemeral(call->router->database, name);

	if (!doc)
		return error_set(call->err, -ENOENT, "ephemeral instance %s does not exist", name);
	return print_conf(call, doc);
}

/* `static` shows; `static set FILE [user NAME]` is the operator's commit. */
static int
run_static(struct call *call)
{
	const char *user = is_word(call, 3, "user") ? word(call, 4) : "operator";

	if (call->count == 1)
		return print_conf(call, database_static(call->router->database));
	if (!is_word(call, 1, "set") || call->count < 3)
		return usage(call);
	return labrouter_replace_static(call->router, word(call, 2), user, call->err);
}

/* ---- peers ----------------------------------------------------------------------------------- */

static int
parse_cause(struct call *call, const char *name, enum peer_cause *ret_cause)
{
	for (int i = 0; i < PEER_CAUSE_COUNT; i++)
		if (strcmp(peer_cause_names[i], name) == 0) {
			*ret_cause = (enum peer_cause)i;
			return 0;
		}
	return error_set(call->err, -EINVAL,
	    "cause '%s': want bfd, hold-timer, admin, notification, closed, interface or unknown",
	    name);
}

static void
move_peer(struct call *call, const struct ip *address, enum peer_cause cause)
{
	struct peer_table *peers = call->router->peers;
	struct mtime now = mtime_now();

	if (is_word(call, 1, "down") || is_word(call, 1, "flap"))
		simulate_down(peers, address, cause);
	if (is_word(call, 1, "up") || is_word(call, 1, "flap"))
		simulate_up(peers, address, true, now);
	if (is_word(call, 1, "bgp-up"))
		simulate_up(peers, address, false, now);
	if (is_word(call, 1, "bfd-up"))
		(void)peer_set_bfd(peers, address, PEER_BFD_UP, false, now);
	if (is_word(call, 1, "bfd-down"))
		(void)peer_set_bfd(peers, address, PEER_BFD_DOWN, false, now);
	if (is_word(call, 1, "unmonitored") && call->router->bmp)
		bmp_out_stop_monitoring(call->router->bmp, peer_table_find(peers, address));
}

/* Addresses from words[2] on, up to "cause"; "all" is every peer. All are looked up first.
 * addresses has room for every peer and every word. */
static int
collect_peers(
    struct call *call, struct ip *addresses, size_t *ret_count, enum peer_cause *ret_cause)
{
	const struct peer_table *peers = call->router->peers;
	size_t i, count = 0;

	for (i = 2; i < call->count && !is_word(call, i, "cause"); i++) {
		if (is_word(call, i, "all")) {
			for (count = 0; count < peer_table_count(peers); count++)
				addresses[count] = peer_table_at(peers, count)->address;
			continue;
		}
		if (ip_parse(word(call, i), &addresses[count]) < 0 ||
		    !peer_table_find(peers, &addresses[count]))
			return error_set(
			    call->err, -ENOENT, "'%s' is no peer; say `peers`", word(call, i));
		count++;
	}
	*ret_count = count;
	if (i < call->count)
		return i + 2 == call->count ? parse_cause(call, word(call, i + 1), ret_cause)
		                            : usage(call);
	return i > 2 ? 0 : usage(call);
}

static int
run_peer(struct call *call)
{
	static const char *const verbs[] = { "up", "down", "flap", "bgp-up", "bfd-up", "bfd-down",
		"unmonitored" };
	struct ip *addresses;
	enum peer_cause cause = PEER_CAUSE_BFD;
	bool is_known = false;
	size_t count = 0;
	int rc;

	if (!call->router->simulate)
		return error_set(call->err, -ENOTSUP, "the peers are FRR's, not ours to move");
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		is_known |= is_word(call, 1, verbs[i]);
	if (!is_known)
		return usage(call);
	addresses = xcalloc(peer_table_count(call->router->peers) + WORDS_MAX, sizeof(*addresses));
	rc = collect_peers(call, addresses, &count, &cause);
	for (size_t i = 0; rc == 0 && i < count; i++)
		move_peer(call, &addresses[i], cause);
	free(addresses);
	return rc;
}

static int
run_rpd(struct call *call)
{
	if (!is_word(call, 1, "on") && !is_word(call, 1, "off"))
		return usage(call);
	labrouter_set_rpd(call->router, is_word(call, 1, "on"));
	return 0;
}

static int
run_reboot(struct call *call)
{
	struct labrouter_reboot reboot = { .keep_ephemeral = is_word(call, 1, "keep") };
	uint64_t number;
	int rc = 0;

	if (!is_word(call, 1, "keep") && !is_word(call, 1, "empty"))
		return usage(call);
	for (size_t i = 2; rc == 0 && i < call->count; i++) {
		if (is_word(call, i, "peers-down")) {
			reboot.peers_down = true;
		} else if (is_word(call, i, "for")) {
			rc = parse_number(call, ++i, &number);
			reboot.down_ms = (uint32_t)number;
		} else if (is_word(call, i, "host-key") && i + 1 < call->count) {
			reboot.host_key = word(call, ++i);
		} else {
			rc = usage(call);
		}
	}
	return rc < 0 ? rc : labrouter_reboot(call->router, &reboot, call->err);
}

/* ---- NETCONF --------------------------------------------------------------------------------- */

/* lock on [INSTANCE] [USER]; lock off [INSTANCE] */
static int
run_lock(struct call *call)
{
	struct database *database = call->router->database;
	const char *instance = call->count > 2 ? word(call, 2) : database_instance_at(database, 0);
	const char *user = call->count > 3 ? word(call, 3) : "other";

	if (!is_word(call, 1, "on") && !is_word(call, 1, "off"))
		return usage(call);
	if (database_lock_by_other(database, instance, is_word(call, 1, "on") ? user : NULL) < 0)
		return error_set(
		    call->err, -ENOENT, "ephemeral instance %s does not exist", instance);
	return 0;
}

static int
run_pause(struct call *call)
{
	struct fault fault = { .kind = FAULT_PAUSE_BEFORE, .times = 1 };

	if (call->count < 2 || step_parse(word(call, 1), &fault.step) < 0 ||
	    (call->count > 2 && !is_word(call, 2, "before") && !is_word(call, 2, "after")))
		return usage(call);
	if (is_word(call, 2, "after"))
		fault.kind = FAULT_PAUSE_AFTER;
	faults_arm(call->router->faults, &fault);
	return 0;
}

static int
run_resume(struct call *call)
{
	fprintf(call->out, "resumed %zu\n", netconf_resume(call->router->netconf));
	return 0;
}

/* [number N] [text TEXT] [times N | always] */
static int
parse_fault_options(struct call *call, size_t i, struct fault *fault)
{
	uint64_t number;
	int rc = 0;

	for (; rc == 0 && i < call->count; i++) {
		if (is_word(call, i, "always")) {
			fault->times = -1;
		} else if (is_word(call, i, "number")) {
			rc = parse_number(call, ++i, &number);
			fault->number = (uint32_t)number;
		} else if (is_word(call, i, "times")) {
			rc = parse_number(call, ++i, &number);
			fault->times = number > 0 ? (int)number : 1;
		} else if (is_word(call, i, "text") && i + 1 < call->count) {
			(void)snprintf(fault->text, sizeof(fault->text), "%s", word(call, ++i));
		} else {
			rc = usage(call);
		}
	}
	return rc;
}

static int
run_fault(struct call *call)
{
	struct fault fault = { .times = 1 };
	int rc;

	if (call->count == 1) {
		faults_print(call->router->faults, call->out);
		return 0;
	}
	if (is_word(call, 1, "clear")) {
		faults_clear(call->router->faults);
		return 0;
	}
	if (step_parse(word(call, 1), &fault.step) < 0)
		return error_set(call->err, -EINVAL,
		    "'%s' is no step: hello, open, load, commit, close, get, show, other, any",
		    word(call, 1));
	if (fault_kind_parse(word(call, 2), &fault.kind) < 0)
		return error_set(
		    call->err, -EINVAL, "'%s' is no kind of fault; say `help`", word(call, 2));
	if (fault.kind == FAULT_ERROR || fault.kind == FAULT_WARNING)
		(void)snprintf(fault.text, sizeof(fault.text), "statement creation failed");
	if (fault.kind == FAULT_SLOW)
		fault.number = 1000;
	if (fault.kind == FAULT_BIG)
		fault.number = 80;
	rc = parse_fault_options(call, 3, &fault);
	if (rc == 0)
		faults_arm(call->router->faults, &fault);
	return rc;
}

static int
run_drop(struct call *call)
{
	uint64_t session = 0;
	int rc = call->count > 1 && !is_word(call, 1, "all") ? parse_number(call, 1, &session) : 0;

	if (rc == 0)
		fprintf(call->out, "dropped %zu\n",
		    netconf_cut(call->router->netconf, (uint32_t)session));
	return rc;
}

/* ---- events ---------------------------------------------------------------------------------- */

static int
run_bmp(struct call *call)
{
	struct bmp_out *bmp = call->router->bmp;

	if (!bmp)
		return error_set(call->err, -ENOTSUP, "started without --bmp");
	if (is_word(call, 1, "on") || is_word(call, 1, "off"))
		bmp_out_set(bmp, is_word(call, 1, "on"));
	else if (is_word(call, 1, "restart"))
		bmp_out_restart(bmp);
	else if (is_word(call, 1, "garbage"))
		bmp_out_garbage(bmp);
	else
		return usage(call);
	return 0;
}

static int
run_syslog(struct call *call)
{
	struct syslog_out *syslog = call->router->syslog;

	if (!syslog)
		return error_set(call->err, -ENOTSUP, "started without --syslog");
	if (is_word(call, 1, "on") || is_word(call, 1, "off"))
		syslog_out_set(syslog, is_word(call, 1, "on"));
	else if (is_word(call, 1, "restart"))
		syslog_out_restart(syslog);
	else if (is_word(call, 1, "line") && call->count == 3)
		syslog_out_line(syslog, word(call, 2));
	else
		return usage(call);
	return 0;
}

static int
run_forwarding(struct call *call)
{
	if (!call->router->plane)
		return error_set(call->err, -ENOTSUP, "started without --forwarding");
	plane_print_changes(call->router->plane, call->out);
	return 0;
}

static int
run_counters(struct call *call)
{
	if (!call->router->plane)
		return error_set(call->err, -ENOTSUP, "started without --forwarding");
	return plane_print_counters(call->router->plane, call->out, call->err);
}

/* ---- waiting --------------------------------------------------------------------------------- */

bool
wait_is_over(const struct labrouter *router, const struct wait *wait)
{
	struct labrouter_number numbers[LABROUTER_NUMBERS_MAX];
	size_t count = labrouter_numbers(router, numbers);

	for (size_t i = 0; i < count; i++)
		if (strcmp(numbers[i].name, wait->name) == 0)
			return wait->is_exact ? numbers[i].value == wait->value
			                      : numbers[i].value >= wait->value;
	return false;
}

static bool
is_number_name(const struct labrouter *router, const char *name)
{
	struct wait any = { .value = 0 };

	(void)snprintf(any.name, sizeof(any.name), "%s", name);
	return wait_is_over(router, &any);
}

/* wait NAME [N | =N] [timeout MS] */
static int
run_wait(struct call *call)
{
	struct wait *wait = call->wait;
	uint64_t number = WAIT_MS;
	size_t next = 2;
	int rc = 0;

	*wait = (struct wait){ .value = 1 };
	(void)snprintf(wait->name, sizeof(wait->name), "%s", word(call, 1));
	if (!is_number_name(call->router, wait->name))
		return error_set(call->err, -EINVAL, "'%s' is no number of `status`", wait->name);
	if (call->count > 2 && !is_word(call, 2, "timeout")) {
		wait->is_exact = *word(call, 2) == '=';
		if (wait->is_exact)
			call->words[2]++;
		rc = parse_number(call, 2, &wait->value);
		next = 3;
	}
	if (rc == 0 && call->count > next)
		rc = is_word(call, next, "timeout") ? parse_number(call, next + 1, &number)
		                                    : usage(call);
	wait->timeout_ms = (uint32_t)number;
	return rc < 0 ? rc : 1;
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
	{ "static", "[set FILE [user NAME]]",
	    "the static configuration; set: the operator's commit", run_static },
	{ "peer", "up|down|flap|bgp-up|bfd-up|bfd-down|unmonitored ADDRESS...|all [cause CAUSE]",
	    "CAUSE: bfd (default), hold-timer, admin, notification, closed, interface, unknown; "
	    "bgp-up: without BFD; unmonitored: BMP Peer Down with reason 5",
	    run_peer },
	{ "rpd", "off|on", "routing questions are errors, BMP closes; on: every peer is young",
	    run_rpd },
	{ "reboot", "keep|empty [peers-down] [for MS] [host-key FILE]",
	    "drop everybody; empty: ephemeral data is lost; for: nobody gets in for so long",
	    run_reboot },
	{ "lock", "on|off [INSTANCE [USER]]", "another user has the instance (or `static`) open",
	    run_lock },
	{ "pause", "STEP [before|after]",
	    "hold the next request of this step, not executed or executed", run_pause },
	{ "resume", "", "let what is paused go on", run_resume },
	{ "fault", "[clear | STEP KIND [number N] [text TEXT] [times N|always]]",
	    "STEP: hello open load commit close get show other any. KIND: pause-before pause-after "
	    "slow (number: ms) lost-before lost-after error (text) warning (text) full garbage dtd "
	    "big (number: MiB) half silent. Without words: what is armed",
	    run_fault },
	{ "drop", "[SESSION|all]", "cut NETCONF connections", run_drop },
	{ "bmp", "on|off|restart|garbage", "the BMP session", run_bmp },
	{ "syslog", "on|off|restart|line TEXT", "the syslog socket", run_syslog },
	{ "forwarding", "",
	    "last 64 changes of the forwarding plane: time in us, change, filter, ranges",
	    run_forwarding },
	{ "counters", "", "packets and bytes of every counted filter term", run_counters },
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
