/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options by getopt_long, described once in a table that also prints the help. Everything that can
 * be said wrong is told here, with the remedy, before anything is started.
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

enum option_id {
	OPTION_CONFIG = 256,
	OPTION_LISTEN,
	OPTION_HOST_KEY,
	OPTION_AUTHORIZED_KEYS,
	OPTION_PASSWORD,
	OPTION_CONTROL,
	OPTION_JOURNAL,
	OPTION_TRANSCRIPT,
	OPTION_BASE_1_1,
	OPTION_SIMULATE,
	OPTION_PEER,
	OPTION_PEER_AGE,
	OPTION_FRR,
	OPTION_IMPORT,
	OPTION_FORWARDING,
	OPTION_SKEW,
	OPTION_BMP,
	OPTION_BMP_HABIT,
	OPTION_BMP_REPEAT,
	OPTION_BMP_RETRY,
	OPTION_SYSLOG,
	OPTION_SYSLOG_TCP,
	OPTION_SYSLOG_FORMAT,
	OPTION_SOURCE,
	OPTION_HOSTNAME,
	OPTION_RELEASE,
	OPTION_MAX_SESSIONS,
	OPTION_VERBOSE,
	OPTION_VERSION,
	OPTION_HELP
};

static const struct {
	enum option_id id;
	const char *name, *value, *help; /* value NULL: a switch */
} table[] = {
	{ OPTION_CONFIG, "config", "FILE",
	    "static configuration (autofbf router-config --format xml)" },
	{ OPTION_LISTEN, "listen", "ADDR:PORT",
	    "NETCONF over SSH (default 127.0.0.1:8300; port 0: any)" },
	{ OPTION_HOST_KEY, "host-key", "FILE", "private key of the router" },
	{ OPTION_AUTHORIZED_KEYS, "authorized-keys", "FILE",
	    "public keys that may come in, OpenSSH form" },
	{ OPTION_PASSWORD, "password", "TEXT", "also accept this password, from any user" },
	{ OPTION_CONTROL, "control", "SOCKET", "control socket; see `labrouter ctl SOCKET help`" },
	{ OPTION_JOURNAL, "journal", "DIR", "keep every merged configuration there" },
	{ OPTION_TRANSCRIPT, "transcript", "FILE", "append every request" },
	{ OPTION_BASE_1_1, "base-1.1", NULL, "offer NETCONF base:1.1 (chunked framing) too" },
	{ OPTION_SIMULATE, "simulate", NULL, "peers of our own, moved by the control socket" },
	{ OPTION_PEER, "peer", "ADDR[,KEY=VALUE..]",
	    "a simulated peer (default: every next hop of --config)" },
	{ OPTION_PEER_AGE, "peer-age", "SECONDS",
	    "age of the simulated sessions at start (default 3600)" },
	{ OPTION_FRR, "frr", "DIR", "peers from FRR's vty sockets in this directory" },
	{ OPTION_IMPORT, "import", "POLICY",
	    "an import policy that a session of FRR obeys; may be repeated" },
	{ OPTION_FORWARDING, "forwarding", NULL,
	    "program nftables and routes of this network namespace" },
	{ OPTION_SKEW, "skew", "MS", "pause before each filter of a commit (default 0)" },
	{ OPTION_BMP, "bmp", "ADDR:PORT", "send BMP to this station" },
	{ OPTION_BMP_HABIT, "bmp-habit", "frr|junos",
	    "reasons and repetitions of BMP (default frr)" },
	{ OPTION_BMP_REPEAT, "bmp-repeat", "MS",
	    "repeat Peer Downs so often, 0: never (default 1000)" },
	{ OPTION_BMP_RETRY, "bmp-retry", "MS", "pause between connection attempts (default 100)" },
	{ OPTION_SYSLOG, "syslog", "ADDR:PORT", "send syslog to this collector" },
	{ OPTION_SYSLOG_TCP, "syslog-tcp", NULL, "by TCP, one line a record" },
	{ OPTION_SYSLOG_FORMAT, "syslog-format", "NAME",
	    "bsd, dated, priority or structured (default bsd)" },
	{ OPTION_SOURCE, "source", "ADDR", "send BMP and syslog from this address" },
	{ OPTION_HOSTNAME, "hostname", "NAME", "name of the router (default lab-rt)" },
	{ OPTION_RELEASE, "release", "TEXT", "Junos release in namespaces (default 24.4R0)" },
	{ OPTION_MAX_SESSIONS, "max-sessions", "N", "SSH connections at a time (default 32)" },
	{ OPTION_VERBOSE, "verbose", NULL, "log every request" },
	{ OPTION_VERSION, "version", NULL, "print the version" },
	{ OPTION_HELP, "help", NULL, "print this" },
};

enum { TABLE_SIZE = sizeof(table) / sizeof(*table) };

static void
print_help(void)
{
	printf("usage: labrouter --config FILE --host-key FILE --authorized-keys FILE [OPTION...]\n"
	       "       labrouter ctl SOCKET WORD...\n"
	       "A stand-in for a Junos router: NETCONF, ephemeral database, BMP, syslog.\n\n");
	for (size_t i = 0; i < TABLE_SIZE; i++) {
		char left[64];

		(void)snprintf(left, sizeof(left), "--%s%s%s", table[i].name,
		    table[i].value ? " " : "", table[i].value ? table[i].value : "");
		printf("  %-28s %s\n", left, table[i].help);
	}
}

_Noreturn static void
refuse(const char *option, const char *value, const char *want)
{
	fprintf(stderr, "labrouter: --%s %s: want %s\n", option, value, want);
	exit(2);
}

static uint32_t
parse_number(const char *option, const char *text)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || value > 86400000UL)
		refuse(option, text, "a number up to 86400000");
	return (uint32_t)value;
}

static enum syslog_format
parse_format(const char *text)
{
	for (int i = 0; i < SYSLOG_FORMAT_COUNT; i++)
		if (strcmp(syslog_format_names[i], text) == 0)
			return (enum syslog_format)i;
	refuse("syslog-format", text, "bsd, dated, priority or structured");
}

static enum bmp_habit
parse_habit(const char *text)
{
	if (strcmp(text, "frr") != 0 && strcmp(text, "junos") != 0)
		refuse("bmp-habit", text, "frr or junos");
	return strcmp(text, "junos") == 0 ? BMP_LIKE_JUNOS : BMP_LIKE_FRR;
}

/* Where an option that is a text, a switch or a number goes; one of the three. */
struct target {
	const char **text;
	bool *flag;
	uint32_t *number;
};

static struct target
find_target(struct options *o, enum option_id id)
{
	switch (id) {
	case OPTION_CONFIG:
		return (struct target){ .text = &o->config };
	case OPTION_LISTEN:
		return (struct target){ .text = &o->listen };
	case OPTION_HOST_KEY:
		return (struct target){ .text = &o->host_key };
	case OPTION_AUTHORIZED_KEYS:
		return (struct target){ .text = &o->authorized_keys };
	case OPTION_PASSWORD:
		return (struct target){ .text = &o->password };
	case OPTION_CONTROL:
		return (struct target){ .text = &o->control };
	case OPTION_JOURNAL:
		return (struct target){ .text = &o->journal };
	case OPTION_TRANSCRIPT:
		return (struct target){ .text = &o->transcript };
	case OPTION_FRR:
		return (struct target){ .text = &o->frr };
	case OPTION_BMP:
		return (struct target){ .text = &o->bmp };
	case OPTION_SYSLOG:
		return (struct target){ .text = &o->syslog };
	case OPTION_SOURCE:
		return (struct target){ .text = &o->source };
	case OPTION_HOSTNAME:
		return (struct target){ .text = &o->hostname };
	case OPTION_RELEASE:
		return (struct target){ .text = &o->release };
	case OPTION_BASE_1_1:
		return (struct target){ .flag = &o->base_1_1 };
	case OPTION_SIMULATE:
		return (struct target){ .flag = &o->simulate };
	case OPTION_FORWARDING:
		return (struct target){ .flag = &o->forwarding };
	case OPTION_SYSLOG_TCP:
		return (struct target){ .flag = &o->syslog_tcp };
	case OPTION_VERBOSE:
		return (struct target){ .flag = &o->verbose };
	case OPTION_PEER_AGE:
		return (struct target){ .number = &o->peer_age_s };
	case OPTION_SKEW:
		return (struct target){ .number = &o->skew_ms };
	case OPTION_BMP_REPEAT:
		return (struct target){ .number = &o->bmp_repeat_ms };
	case OPTION_BMP_RETRY:
		return (struct target){ .number = &o->bmp_retry_ms };
	case OPTION_MAX_SESSIONS:
		return (struct target){ .number = &o->max_sessions };
	default:
		return (struct target){ 0 };
	}
}

static void
take_special(struct options *options, enum option_id id)
{
	switch (id) {
	case OPTION_PEER:
		options->peers =
		    xreallocarray(options->peers, options->peer_count + 1, sizeof(*options->peers));
		options->peers[options->peer_count++] = optarg;
		break;
	case OPTION_IMPORT:
		options->imports.list = xreallocarray(options->imports.list,
		    options->imports.count + 1, sizeof(*options->imports.list));
		options->imports.list[options->imports.count++] = optarg;
		break;
	case OPTION_BMP_HABIT:
		options->bmp_habit = parse_habit(optarg);
		break;
	case OPTION_SYSLOG_FORMAT:
		options->syslog_format = parse_format(optarg);
		break;
	case OPTION_VERSION:
		puts("labrouter " AUTOFBF_VERSION);
		exit(0);
	case OPTION_HELP:
		print_help();
		exit(0);
	default:
		fputs("Try `labrouter --help`.\n", stderr);
		exit(2);
	}
}

static void
take_option(struct options *options, int index, int id)
{
	struct target target = find_target(options, (enum option_id)id);

	if (target.text)
		*target.text = optarg;
	else if (target.flag)
		*target.flag = true;
	else if (target.number)
		*target.number = parse_number(table[index].name, optarg);
	else
		take_special(options, (enum option_id)id);
}

static void
check(const struct options *options)
{
	const char *problem = NULL;

	if (!options->config)
		problem = "--config FILE is missing (autofbf router-config --format xml makes one)";
	else if (!options->host_key)
		problem =
		    "--host-key FILE is missing (ssh-keygen -t ed25519 -N '' -f FILE makes one)";
	else if (!options->authorized_keys && !options->password)
		problem = "nobody could log in: want --authorized-keys FILE or --password TEXT";
	else if (options->simulate && options->frr)
		problem = "--simulate and --frr exclude each other";
	else if (options->peer_count && !options->simulate)
		problem = "--peer goes with --simulate";
	if (!problem)
		return;
	fprintf(stderr, "labrouter: %s\n", problem);
	exit(2);
}

void
options_parse(int argc, char **argv, struct options *ret_options)
{
	struct option longs[TABLE_SIZE + 1] = { 0 };
	int id, index = 0;

	*ret_options = (struct options){ .listen = "127.0.0.1:8300",
		.hostname = "lab-rt",
		.release = "24.4R0",
		.bmp_repeat_ms = 1000,
		.bmp_retry_ms = 100,
		.max_sessions = 32,
		.peer_age_s = 3600 };
	for (size_t i = 0; i < TABLE_SIZE; i++)
		longs[i] = (struct option){ table[i].name,
			table[i].value ? required_argument : no_argument, NULL, (int)table[i].id };
	while ((id = getopt_long(argc, argv, "", longs, &index)) != -1)
		take_option(ret_options, index, id);
	if (optind < argc) {
		fprintf(stderr, "labrouter: unexpected word '%s'\n", argv[optind]);
		exit(2);
	}
	check(ret_options);
}

void
options_done(struct options *options)
{
	free(options->peers);
	free(options->imports.list);
}
