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

#include "commands.h"
#include "error.h"
#include "profile_yang.h"

#define DEFAULT_SOCKET "/run/autofbf/autofbf.sock"

static const struct option options[] = {
	{ "socket", required_argument, NULL, OPTION_SOCKET },
	{ "yang-dir", required_argument, NULL, OPTION_YANG_DIR },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
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

/* first_word NULL: all. How many there are. */
static size_t
print_commands(FILE *out, const char *first_word)
{
	size_t count = 0;
	char name[64];

	for (size_t i = 0; i < command_count; i++) {
		if (first_word && strcmp(commands[i].words[0], first_word) != 0)
			continue;
		fprintf(out, "  %-22s %s\n", get_name(&commands[i], name), commands[i].summary);
		count++;
	}
	return count;
}

static void
print_help(FILE *out)
{
	fputs("usage: autofbf [--socket PATH] COMMAND [ARGUMENT...] [--json] [--help]\n"
	      "       autofbf --version [--json]\n\n",
	    out);
	print_commands(out, NULL);
	fputs("\nexit codes: 0 done, 1 refused or failed, 2 usage or profile, 3 no agent,\n"
	      "4 a difference was found; status --check and alarms --check: 0 ok, 1 degraded,\n"
	      "2 critical, 3 not known: any error\n"
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
	for (size_t i = 0; i < command_count; i++) {
		int used = commands[i].words[1] ? 2 : 1;

		if (count < used || strcmp(words[0], commands[i].words[0]) != 0 ||
		    (used == 2 && strcmp(words[1], commands[i].words[1]) != 0))
			continue;
		*ret_used = used;
		return &commands[i];
	}
	return NULL;
}

static bool
has_commands(const char *first_word)
{
	for (size_t i = 0; i < command_count; i++)
		if (strcmp(commands[i].words[0], first_word) == 0)
			return true;
	return false;
}

/* Of a first word that exists its commands are listed: "element" has "offline" and "online". */
static int
refuse_command(int count, char *const *words)
{
	if (count == 0) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (!has_commands(words[0]))
		return complain(EXIT_USAGE, "no command '%s'; autofbf --help lists them", words[0]);
	complain(EXIT_USAGE, "no command '%s%s%s'; there are:", words[0], count > 1 ? " " : "",
	    count > 1 ? words[1] : "");
	print_commands(stderr, words[0]);
	return EXIT_USAGE;
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
	bool help, version;
};

static int
parse_options(int argc, char **argv, struct arguments *arguments, struct parsed *parsed)
{
	int option, code = EXIT_DONE;

	while (
	    code == EXIT_DONE && (option = getopt_long(argc, argv, "hVfn:", options, NULL)) != -1) {
		if (option == '?')
			return complain(EXIT_USAGE, "autofbf --help lists the commands, autofbf "
			                            "COMMAND --help their options");
		parsed->help |= option == 'h';
		parsed->version |= option == 'V';
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
	if (!command && parsed.version && optind == argc)
		return command_version(arguments);
	if (!command && parsed.help && argc - optind == 1 &&
	    print_commands(stdout, argv[optind]) > 0)
		return EXIT_DONE;
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

/* For a command line that was not understood as far as that; getopt has moved its words. */
static bool
wants_check(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--check") == 0)
			return true;
	return false;
}

/* Monitoring reads 0 as ok, 1 as warning, 2 as critical and 3 as unknown: a slip of the fingers or
 * an agent that does not answer must not read as a state of the network. */
static int
get_check_code(int code)
{
	if (code >= EXIT_CHECK)
		return code - EXIT_CHECK;
	return code == EXIT_DONE ? 0 : 3;
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
	};
	bool is_check;
	int code;

	signal(SIGPIPE, SIG_IGN); /* an agent that goes away is an error code, not our end */
	code = run_command(argc, argv, &arguments);
	is_check = arguments.check || (code == EXIT_USAGE && wants_check(argc, argv));
	free_list(&arguments.down);
	free_list(&arguments.up);
	free_list(&arguments.offline);
	free_list(&arguments.online);
	free_list(&arguments.kinds);
	free_list(&arguments.weights);
	free_list(&arguments.nat_pools);
	free_list(&arguments.host_prefixes);
	if (fflush(stdout) != 0 && (code == EXIT_DONE || is_check))
		code = EXIT_REFUSED;
	return is_check ? get_check_code(code) : code;
}
