/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf, the command line of the agent: one table of commands, one parser for all options.
 *
 * A command is one or two words; its table entry says which options it takes and how many names.
 * Options may stand anywhere. What a command does is in its own file; here is only what holds for
 * all of them: help, usage errors (exit 2, with the remedy), places of socket and model.
 */
#include "cli.h"

#include <ctype.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "profile_yang.h"

#define DEFAULT_SOCKET "/run/autofbf/autofbf.sock"

enum option_id {
	OPTION_SOCKET = 256,
	OPTION_YANG_DIR,
	OPTION_JSON,
	OPTION_CHECK,
	OPTION_REASON,
	OPTION_YES,
	OPTION_PROFILE,
	OPTION_DOWN,
	OPTION_UP,
	OPTION_OFFLINE,
	OPTION_ONLINE,
	OPTION_FORMAT,
	OPTION_FORCE,
	OPTION_KIND,
	OPTION_GROUP,
	OPTION_SINCE,
	OPTION_DRY_RUN,
	OPTION_ALL,
	OPTION_INTERVAL,
	OPTION_CONFIGURATION,
	OPTION_EPHEMERAL,
	OPTION_ROUTES,
	OPTION_ID,
	OPTION_NAME,
	OPTION_WEIGHT,
	OPTION_FAILED_WEIGHT,
	OPTION_NAT_POOL,
	OPTION_NAT_KIND,
	OPTION_BLOCK_SIZE,
	OPTION_HOST_PREFIX,
	OPTION_PEER, /* and three more: by family, then by side */
	OPTION_PEER_LAST = OPTION_PEER + 3,
};

static const struct option options[] = {
	{ "socket", required_argument, NULL, OPTION_SOCKET },
	{ "yang-dir", required_argument, NULL, OPTION_YANG_DIR },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, 'h' },
	{ "check", no_argument, NULL, OPTION_CHECK },
	{ "reason", required_argument, NULL, OPTION_REASON },
	{ "yes", no_argument, NULL, OPTION_YES },
	{ "profile", required_argument, NULL, OPTION_PROFILE },
	{ "down", required_argument, NULL, OPTION_DOWN },
	{ "up", required_argument, NULL, OPTION_UP },
	{ "offline", required_argument, NULL, OPTION_OFFLINE },
	{ "online", required_argument, NULL, OPTION_ONLINE },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "force", no_argument, NULL, OPTION_FORCE },
	{ "kind", required_argument, NULL, OPTION_KIND },
	{ "group", required_argument, NULL, OPTION_GROUP },
	{ "since", required_argument, NULL, OPTION_SINCE },
	{ "dry-run", no_argument, NULL, OPTION_DRY_RUN },
	{ "interval", required_argument, NULL, OPTION_INTERVAL },
	{ "all", no_argument, NULL, OPTION_ALL },
	{ "configuration", required_argument, NULL, OPTION_CONFIGURATION },
	{ "ephemeral", required_argument, NULL, OPTION_EPHEMERAL },
	{ "routes", required_argument, NULL, OPTION_ROUTES },
	{ "id", required_argument, NULL, OPTION_ID },
	{ "name", required_argument, NULL, OPTION_NAME },
	{ "weight", required_argument, NULL, OPTION_WEIGHT },
	{ "failed-weight", required_argument, NULL, OPTION_FAILED_WEIGHT },
	{ "nat-pool", required_argument, NULL, OPTION_NAT_POOL },
	{ "nat-kind", required_argument, NULL, OPTION_NAT_KIND },
	{ "block-size", required_argument, NULL, OPTION_BLOCK_SIZE },
	{ "host-prefix", required_argument, NULL, OPTION_HOST_PREFIX },
	{ "ipv4-inside", required_argument, NULL, OPTION_PEER },
	{ "ipv4-outside", required_argument, NULL, OPTION_PEER + 1 },
	{ "ipv6-inside", required_argument, NULL, OPTION_PEER + 2 },
	{ "ipv6-outside", required_argument, NULL, OPTION_PEER_LAST },
	{ "follow", no_argument, NULL, 'f' },
	{ "last", required_argument, NULL, 'n' },
	{ NULL, 0, NULL, 0 },
};

/* Options that every command takes. */
static const int common_options[] = { OPTION_SOCKET, OPTION_YANG_DIR, OPTION_JSON, 'h', 0 };

struct command {
	const char *words[2];
	int (*run)(const struct arguments *arguments);
	const char *usage;
	const char *summary; /* one line, for the list */
	const char *help;    /* more, for --help; NULL: the summary says it all */
	int options[16];
	size_t names_least, names_most;
};

static const struct command commands[] = {
	{ { "status" }, command_status, "[GROUP|ELEMENT] [--check]",
	    "who carries what, what happened last, what to do next",
	    "--check prints one line and exits 0 (ok), 1 (degraded) or 2 (critical), for\n"
	    "monitoring; with GROUP of that group alone. Without it the exit code is 0 also when "
	    "degraded.\n"
	    "--json prints the container state of the YANG model (RFC 7951).",
	    { OPTION_CHECK }, 0, 1 },
	{ { "element", "offline" }, command_element_offline,
	    "NAME... [--reason TEXT] [--yes] [--force]",
	    "force-fail elements: their units move to the others",
	    "This is the predecessor's `force-failed add`. It survives a restart of the\n"
	    "agent. On a terminal it shows what will move, and asks; scripts give --yes.\n"
	    "Sessions of the units that move are lost: elements share no state.\n"
	    "Refused when nobody would be left, and while the group is frozen.\n"
	    "--force does it also when nobody healthy is left. Then nothing moves: the layout\n"
	    "that stands freezes, and the router goes on sending to the elements it sends to\n"
	    "now, these included, until one is back. What takes the traffic away then is the\n"
	    "failed signal route, if the profile has one.",
	    { OPTION_REASON, OPTION_YES, OPTION_FORCE }, 1, 1024 },
	{ { "element", "online" }, command_element_online, "NAME... [--reason TEXT] [--yes]",
	    "end element offline: what is up takes its units back",
	    "This is the predecessor's `force-failed del`. It also brings back an element that\n"
	    "is ready and awaits you (revert manual).",
	    { OPTION_REASON, OPTION_YES }, 1, 1024 },
	{ { "layout" }, command_layout, "[GROUP] [--profile FILE] [--down E[,E...]]",
	    "which element owns which unit",
	    "With --profile it is computed here from the file, without an agent; else it is\n"
	    "what the agent has. --down: as if these elements were down as well.\n"
	    "The tables count; --json has every unit, or the pieces of one that is split, with\n"
	    "its element, base and standby. With GROUP: of that group alone.",
	    { OPTION_PROFILE, OPTION_DOWN }, 0, 1 },
	{ { "plan" }, command_plan,
	    "[GROUP] [--profile FILE] [--down E[,E...]] [--up E[,E...]]\n"
	    "  [--offline E[,E...]] [--online E[,E...]] [--weight E=N]...",
	    "what would move, and what it would cost, if ...",
	    "Nothing is changed. --down: elements fail. --up: they are back, hold-down over.\n"
	    "--offline, --online: as `element offline` and `element online` do. --weight:\n"
	    "another weight, from a new epoch on. --profile: another profile is applied. Without\n"
	    "any: what would move by itself, for one when a freeze ends. Sessions of the units\n"
	    "that move are lost: elements share no state. Names that nobody has: exit 2.",
	    { OPTION_PROFILE, OPTION_DOWN, OPTION_UP, OPTION_OFFLINE, OPTION_ONLINE,
	        OPTION_WEIGHT },
	    0, 1 },
	{ { "compare" }, command_compare, "A.json B.json [--all]",
	    "whether two routers agree, and why not",
	    "A and B: what `autofbf layout --json` printed on each, taken at the same moment; -\n"
	    "for one of them: standard input. No agent is asked. Exit 0 when every unit has the\n"
	    "same element on both; else 4, with the reasons, the likeliest first, and the units\n"
	    "that differ, as ranges: the first 20 of each family, or --all.",
	    { OPTION_ALL }, 2, 2 },
	{ { "diff" }, command_diff, "", "the router's override lists against the wanted ones",
	    "Lines that have to be added (+) and removed (-). Exit 4 when there are any.", { 0 }, 0,
	    0 },
	{ { "audit", "now" }, command_audit_now, "", "read the router's lists now, compare, repair",
	    "Also the word to try again after the router's database was full, and to repair\n"
	    "lists whose repair was stopped because two write them.",
	    { 0 }, 0, 0 },
	{ { "freeze" }, command_freeze, "[GROUP] --reason TEXT",
	    "let the layout stand as it is, whatever happens",
	    "Without GROUP: all groups. Survives a restart of the agent.", { OPTION_REASON }, 0,
	    1 },
	{ { "thaw" }, command_thaw, "[GROUP] [--reason TEXT]",
	    "end a freeze, an operator's or a guard's", "Without GROUP: all groups.",
	    { OPTION_REASON }, 0, 1 },
	{ { "path", "alter" }, command_path_alter, "on|off [GROUP] --reason TEXT [--yes]",
	    "draw the traffic to the other path: the alter signal route",
	    "Installs (on) or withdraws (off) the static discard route that the profile names\n"
	    "as alter-route; the router's export policies that look at it do the rest. Without\n"
	    "GROUP: all groups that have one. Survives a restart of the agent and a reboot of\n"
	    "the router. on wants a reason. On a terminal it asks; scripts give --yes.",
	    { OPTION_REASON, OPTION_YES }, 1, 2 },
	{ { "where" }, command_where, "ADDRESS[:PORT]|PREFIX", "which element carries an address",
	    "A unit that is split is shown by its pieces. An address of a NAT pool leads back\n"
	    "to its element and, where the NAT is deterministic, to the inside host.\n"
	    "IPv6: [ADDRESS]:PORT.",
	    { 0 }, 1, 1 },
	{ { "trace" }, command_trace,
	    "SRC DST [GROUP]\n"
	    "  [--configuration FILE --profile FILE [--ephemeral FILE] [--routes FILE]]",
	    "a packet and its answer through the router's filters",
	    "Judged from the router's own configuration as it reads it back now, static and\n"
	    "ephemeral together: which term and list, which table, which element, in both\n"
	    "directions. Exit 4 unless both cross the same living element. With subscribers\n"
	    "at both ends there are four legs. GROUP: where several groups have the address.\n"
	    "--configuration: of a file (show configuration | display xml), no agent is asked;\n"
	    "--ephemeral: show ephemeral-configuration; --routes: show route; all in XML.",
	    { OPTION_PROFILE, OPTION_CONFIGURATION, OPTION_EPHEMERAL, OPTION_ROUTES }, 2, 3 },
	{ { "why" }, command_why, "ADDRESS|PREFIX",
	    "who carries an address, and by which decisions",
	    "The story is worked out again from the decisions in the history, oldest first. A\n"
	    "prefix stands for its first address and lies inside one unit.",
	    { 0 }, 1, 1 },
	{ { "events" }, command_events,
	    "[NAME] [--kind K[,K...]] [--group G] [--since TIME|ID] [-n N] [-f]",
	    "what was seen and decided, and why",
	    "NAME: only those about this element, group or address. --kind: health, decision,\n"
	    "commit, alarm, freeze, operator, ... --group: about a group or its elements. --since: "
	    "an\n"
	    "event's number, an age (90s, 15m, 2h, 3d) or a time in UTC (2026-11-30T03:04,\n"
	    "03:04). -n: the last N of them (default 50). -f goes on until the agent ends or\n"
	    "you do. --json: one object a line.",
	    { 'f', 'n', OPTION_KIND, OPTION_GROUP, OPTION_SINCE }, 0, 1 },
	{ { "kpi" }, command_kpi, "[GROUP|ELEMENT] [--interval SECONDS]",
	    "load of the elements by the router's counters, and reaction times",
	    "What the router sends into each element, inside (from subscribers) and outside\n"
	    "(from the Internet), and how much of it comes back out on the other side; units\n"
	    "carried, and their share against the share of the load. --interval shows it again\n"
	    "every so many seconds until interrupted.",
	    { OPTION_INTERVAL }, 0, 1 },
	{ { "alarms" }, command_alarms, "[GROUP|ELEMENT] [--check]",
	    "what is wrong now, since when, and what to do",
	    "The worst first. With GROUP or ELEMENT: of that alone, and what is about none.\n"
	    "--check prints one line and exits 0 (none), 1 (minor or major) or 2 (critical).\n"
	    "autofbf(1) lists all types with their thresholds; events --kind alarm is the past.",
	    { OPTION_CHECK }, 0, 1 },
	{ { "sessions" }, command_sessions, "[GROUP|ELEMENT]",
	    "the router's sessions, the sources, and every BGP and BFD peer", NULL, { 0 }, 0, 1 },
	{ { "log" }, command_log, "TAG LEVEL|default",
	    "the level of one tag of the agent's log, until it ends",
	    "TAG is the word before the colon in each line of the log. LEVEL: error, warn,\n"
	    "info or debug; default: as all other tags again.",
	    { 0 }, 2, 2 },
	{ { "router-config" }, command_router_config, "--profile FILE --format xml|set",
	    "the static configuration that the profile needs on the router", NULL,
	    { OPTION_PROFILE, OPTION_FORMAT }, 0, 0 },
	{ { "profile", "add-element" }, command_profile_add_element,
	    "FILE --group G --id ID [--name N] [--weight W] [--failed-weight F]\n"
	    "  [--ipv4-inside A --ipv4-outside A] [--ipv6-inside A --ipv6-outside A]\n"
	    "  [--nat-pool ID=PREFIX[,...] [--nat-kind K] [--block-size N] [--host-prefix "
	    "P[,...]]]\n"
	    "  [--dry-run] [--yes]",
	    "a new element, in a new epoch of the profile's group",
	    "Writes the file; no agent is asked or told. First it shows what moves, and asks;\n"
	    "scripts give --yes. --dry-run shows the change of the file and writes nothing.\n"
	    "The weight is 1 by default. Routing instance, bfd and required-routes are those\n"
	    "that all other elements of the group have. Where return packets follow NAT routes\n"
	    "it needs --nat-pool; kind, block size and hosts (deterministic) are for all of them.",
	    { OPTION_GROUP, OPTION_ID, OPTION_NAME, OPTION_WEIGHT, OPTION_FAILED_WEIGHT,
	        OPTION_PEER, OPTION_PEER + 1, OPTION_PEER + 2, OPTION_PEER_LAST, OPTION_NAT_POOL,
	        OPTION_NAT_KIND, OPTION_BLOCK_SIZE, OPTION_HOST_PREFIX, OPTION_DRY_RUN,
	        OPTION_YES },
	    1, 1 },
	{ { "profile", "remove-element" }, command_profile_remove_element,
	    "FILE ID [--dry-run] [--yes]", "an element leaves for good, in a new epoch",
	    "Its line stays in the file as a tombstone: the layout before depends on it.",
	    { OPTION_DRY_RUN, OPTION_YES }, 2, 2 },
	{ { "profile", "reweight" }, command_profile_reweight, "FILE ID W [--dry-run] [--yes]",
	    "another weight for an element, from a new epoch on", NULL,
	    { OPTION_DRY_RUN, OPTION_YES }, 3, 3 },
	{ { "profile", "replace" }, command_profile_replace,
	    "FILE OLD NEW [--name N] [--weight W] [--failed-weight F]\n"
	    "  [--ipv4-inside A] [--ipv4-outside A] [--ipv6-inside A] [--ipv6-outside A]\n"
	    "  [--dry-run] [--yes]",
	    "a new element in the place of another, in one epoch",
	    "What is not given the new one has from the old one, addresses and weight\n"
	    "included. Only the old one's units move.",
	    { OPTION_NAME, OPTION_WEIGHT, OPTION_FAILED_WEIGHT, OPTION_PEER, OPTION_PEER + 1,
	        OPTION_PEER + 2, OPTION_PEER_LAST, OPTION_DRY_RUN, OPTION_YES },
	    3, 3 },
	{ { "profile", "add-pool" }, command_profile_add_pool,
	    "FILE PREFIX UNIT-LENGTH --group G [--dry-run] [--yes]",
	    "a new pool of subscribers, from a new epoch on", NULL,
	    { OPTION_GROUP, OPTION_DRY_RUN, OPTION_YES }, 3, 3 },
	{ { "profile", "end-pool" }, command_profile_end_pool,
	    "FILE PREFIX UNIT-LENGTH [--group G] [--dry-run] [--yes]",
	    "a pool ends with a new epoch",
	    "Its line stays in the file. --group: where several groups have that pool.",
	    { OPTION_GROUP, OPTION_DRY_RUN, OPTION_YES }, 3, 3 },
	{ { "profile", "apply" }, command_profile_apply,
	    "FILE [--reason TEXT] [--dry-run] [--yes] [--force]",
	    "the agent runs another profile, without a restart",
	    "Shows what moves, asks, and has the agent check it, keep it in its own file and run\n"
	    "it: health, operators' orders and sessions stay. Refused without --force: more moves\n"
	    "than the minimum, units for an element that is not up, a retirement while another\n"
	    "element of the group is out, lists that the router does not have yet, an agent's\n"
	    "file that was edited meanwhile.",
	    { OPTION_REASON, OPTION_DRY_RUN, OPTION_YES, OPTION_FORCE }, 1, 1 },
	{ { "profile", "diff" }, command_profile_diff, "FILE [OTHER]",
	    "what moves between the base layouts of two profiles",
	    "From OTHER, by default what the agent runs now, to FILE: units that get another\n"
	    "element, and the least that could be. Exit 4 when a unit loses its element.",
	    { 0 }, 1, 2 },
	{ { "version" }, command_version, "", "the version of this program", NULL, { 0 }, 0, 0 },
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

int
complain(int code, const char *fmt, ...)
{
	va_list args;

	fputs("autofbf: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	return code;
}

static char *
get_name(const struct command *command, char buf[64])
{
	snprintf(buf, 64, "%s%s%s", command->words[0], command->words[1] ? " " : "",
	    command->words[1] ? command->words[1] : "");
	return buf;
}

static void
print_help(FILE *out)
{
	char name[64];

	fputs("usage: autofbf [--socket PATH] COMMAND [ARGUMENT...] [--json] [--help]\n\n", out);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-22s %s\n", get_name(&commands[i], name), commands[i].summary);
	fputs("\nexit codes: 0 done, 1 refused or failed, 2 usage or profile, 3 no agent,\n"
	      "4 a difference was found; status --check and\n"
	      "alarms --check: 0 ok, 1 degraded, 2 critical\n"
	      "more: autofbf COMMAND --help, autofbf(1)\n",
	    out);
}

static void
print_command_help(const struct command *command)
{
	char name[64];

	printf("usage: autofbf %s%s%s [--json]\n\n", get_name(command, name),
	    *command->usage ? " " : "", command->usage);
	printf("%c%s.\n", toupper((unsigned char)command->summary[0]), command->summary + 1);
	if (command->help)
		printf("%s\n", command->help);
	fputs("\n--socket PATH   the agent's socket, " DEFAULT_SOCKET " by default\n"
	      "--yang-dir DIR  where autofbf.yang is; also AUTOFBF_YANG_DIR in the environment\n",
	    stdout);
}

static bool
takes_option(const struct command *command, int option)
{
	for (const int *common = common_options; *common; common++)
		if (*common == option)
			return true;
	for (size_t i = 0; i < sizeof(command->options) / sizeof(command->options[0]); i++)
		if (command->options[i] == option)
			return true;
	return false;
}

static const struct command *
find_command(int count, char *const *words, int *ret_used)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		int used = commands[i].words[1] ? 2 : 1;

		if (count < used || strcmp(words[0], commands[i].words[0]) != 0 ||
		    (used == 2 && strcmp(words[1], commands[i].words[1]) != 0))
			continue;
		*ret_used = used;
		return &commands[i];
	}
	return NULL;
}

/* The words after a first word that exists: "element" has "offline" and "online". */
static int
refuse_command(int count, char *const *words)
{
	const char *separator = "";
	char list[256] = "";
	size_t used = 0;

	if (count == 0) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(words[0], commands[i].words[0]) != 0)
			continue;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s %s", separator,
		    words[0], commands[i].words[1]);
		separator = " | ";
	}
	if (used > 0)
		return complain(EXIT_USAGE, "usage: autofbf %s", list);
	return complain(EXIT_USAGE, "no command '%s'; autofbf --help lists them", words[0]);
}

static void
add_name(struct name_list *list, const char *name)
{
	list->names = xreallocarray(list->names, list->count + 1, sizeof(*list->names));
	list->names[list->count++] = name;
}

/* Splits at commas; the names lie in list->text. A second list takes the place of the first. An
 * exit code: an empty name is a slip of the fingers, and answering something else would mislead. */
static int
split_list(const char *text, struct name_list *list)
{
	char *rest, *name;

	free(list->text);
	list->text = rest = xstrdup(text);
	list->count = 0;
	while ((name = strsep(&rest, ",")) != NULL) {
		if (!*name)
			return complain(EXIT_USAGE,
			    "'%s' has an empty name in it; the form is "
			    "NAME[,NAME...]",
			    text);
		add_name(list, name);
	}
	return EXIT_DONE;
}

static void
free_list(struct name_list *list)
{
	free(list->names);
	free(list->text);
}

static int
take_number(const char *option, const char *text, unsigned *ret_number)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || value < 1 || value > 100000)
		return complain(
		    EXIT_USAGE, "%s %s: a number from 1 to 100000 is wanted", option, text);
	*ret_number = (unsigned)value;
	return EXIT_DONE;
}

/* What is said of an element of a profile. */
static void
take_element_option(struct arguments *arguments, int option, const char *value)
{
	switch (option) {
	case OPTION_ID:
		arguments->id = value;
		break;
	case OPTION_NAME:
		arguments->name = value;
		break;
	case OPTION_WEIGHT:
		arguments->weight = value;
		add_name(&arguments->weights, value);
		break;
	case OPTION_FAILED_WEIGHT:
		arguments->failed_weight = value;
		break;
	case OPTION_NAT_KIND:
		arguments->nat_kind = value;
		break;
	case OPTION_BLOCK_SIZE:
		arguments->block_size = value;
		break;
	default:
		if (option >= OPTION_PEER && option <= OPTION_PEER_LAST)
			arguments->peer[(option - OPTION_PEER) / 2][(option - OPTION_PEER) % 2] =
			    value;
		break;
	}
}

static int
take_option(struct arguments *arguments, int option, const char *value)
{
	switch (option) {
	case OPTION_SOCKET:
		arguments->socket = value;
		break;
	case OPTION_YANG_DIR:
		arguments->yang_dir = value;
		break;
	case OPTION_JSON:
		arguments->json = true;
		break;
	case OPTION_CHECK:
		arguments->check = true;
		break;
	case OPTION_REASON:
		arguments->reason = value;
		break;
	case OPTION_YES:
		arguments->yes = true;
		break;
	case OPTION_PROFILE:
		arguments->profile = value;
		break;
	case OPTION_DOWN:
		return split_list(value, &arguments->down);
	case OPTION_UP:
		return split_list(value, &arguments->up);
	case OPTION_OFFLINE:
		return split_list(value, &arguments->offline);
	case OPTION_ONLINE:
		return split_list(value, &arguments->online);
	case OPTION_NAT_POOL:
		return split_list(value, &arguments->nat_pools);
	case OPTION_HOST_PREFIX:
		return split_list(value, &arguments->host_prefixes);
	case OPTION_FORCE:
		arguments->force = true;
		break;
	case OPTION_KIND:
		return split_list(value, &arguments->kinds);
	case OPTION_GROUP:
		arguments->group = value;
		break;
	case OPTION_SINCE:
		arguments->since = value;
		break;
	case OPTION_DRY_RUN:
		arguments->dry_run = true;
		break;
	case OPTION_ALL:
		arguments->all = true;
		break;
	case OPTION_CONFIGURATION:
		arguments->configuration = value;
		break;
	case OPTION_EPHEMERAL:
		arguments->ephemeral = value;
		break;
	case OPTION_ROUTES:
		arguments->routes = value;
		break;
	case OPTION_FORMAT:
		arguments->format = value;
		break;
	case 'f':
		arguments->follow = true;
		break;
	case 'n':
		return take_number("-n", value, &arguments->last);
	case OPTION_INTERVAL:
		return take_number("--interval", value, &arguments->interval);
	default:
		take_element_option(arguments, option, value);
		break;
	}
	return EXIT_DONE;
}

static const char *
get_option_name(int option)
{
	for (const struct option *known = options; known->name; known++)
		if (known->val == option)
			return known->name;
	return "?";
}

struct parsed {
	int seen[64]; /* option ids, to be checked against the command */
	size_t count;
	bool help;
};

static int
parse_options(int argc, char **argv, struct arguments *arguments, struct parsed *parsed)
{
	int option, code = EXIT_DONE;

	while (
	    code == EXIT_DONE && (option = getopt_long(argc, argv, "hfn:", options, NULL)) != -1) {
		if (option == '?')
			return complain(EXIT_USAGE, "autofbf --help lists the commands, autofbf "
			                            "COMMAND --help their options");
		parsed->help |= option == 'h';
		if (parsed->count < sizeof(parsed->seen) / sizeof(parsed->seen[0]))
			parsed->seen[parsed->count++] = option;
		code = take_option(arguments, option, optarg);
	}
	return code;
}

static int
check_usage(const struct command *command, const struct parsed *parsed, size_t names)
{
	char name[64];

	get_name(command, name);
	for (size_t i = 0; i < parsed->count; i++)
		if (!takes_option(command, parsed->seen[i]))
			return complain(EXIT_USAGE, "%s does not take --%s; usage: autofbf %s %s",
			    name, get_option_name(parsed->seen[i]), name, command->usage);
	if (names < command->names_least || names > command->names_most)
		return complain(EXIT_USAGE, "usage: autofbf %s %s", name, command->usage);
	return EXIT_DONE;
}

static int
run_command(int argc, char **argv, struct arguments *arguments)
{
	struct parsed parsed = { .count = 0 };
	const struct command *command;
	int used = 0, code = parse_options(argc, argv, arguments, &parsed);

	if (code != EXIT_DONE)
		return code;
	command = find_command(argc - optind, argv + optind, &used);
	if (!command && parsed.help && optind == argc) {
		print_help(stdout);
		return EXIT_DONE;
	}
	if (!command)
		return refuse_command(argc - optind, argv + optind);
	if (parsed.help) {
		print_command_help(command);
		return EXIT_DONE;
	}
	arguments->names = (const char *const *)argv + optind + used;
	arguments->name_count = (size_t)(argc - optind - used);
	code = check_usage(command, &parsed, arguments->name_count);
	return code == EXIT_DONE ? command->run(arguments) : code;
}

int
main(int argc, char **argv)
{
	char yang_dir[PROFILE_YANG_DIR_SIZE];
	const char *no_color = getenv("NO_COLOR");
	struct arguments arguments = {
		.socket = DEFAULT_SOCKET,
		.yang_dir = profile_yang_dir(yang_dir),
		.colour = isatty(STDOUT_FILENO) && !(no_color && *no_color),
		.last = 50,
	};
	int code;

	signal(SIGPIPE, SIG_IGN); /* an agent that goes away is an error code, not our end */
	code = run_command(argc, argv, &arguments);
	free_list(&arguments.down);
	free_list(&arguments.up);
	free_list(&arguments.offline);
	free_list(&arguments.online);
	free_list(&arguments.kinds);
	free_list(&arguments.weights);
	free_list(&arguments.nat_pools);
	free_list(&arguments.host_prefixes);
	if (fflush(stdout) != 0 && code == EXIT_DONE)
		code = EXIT_REFUSED;
	return code;
}
