/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf-publish: options, signals, loop. Stays in the foreground; a service manager keeps it.
 * Exit codes: 0 done, 1 failed, 2 usage.
 */
#include <errno.h>
#include <event2/event.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "log.h"
#include "profile_yang.h"
#include "publish.h"

enum { EXIT_USAGE = 2, INTERVAL_MOST = 3600 };

struct options {
	struct publish_options publish;
	bool debug;
	bool no_snmp;
};

static void
print_usage(FILE *out)
{
	fputs("usage: autofbf-publish [-d] [--socket PATH] [--agentx SOCKET | --no-snmp]\n"
	      "                       [--http ADDRESS:PORT | unix:PATH] [--interval SECONDS]\n"
	      "Publishes what the agent knows: SNMP (AgentX) and HTTP.\n\n"
	      "      --socket PATH      the agent's socket (default /run/autofbf/autofbf.sock)\n"
	      "      --agentx SOCKET    the SNMP master agent's (default /run/agentx/master)\n"
	      "      --no-snmp          no SNMP\n"
	      "      --http WHERE       also answer HTTP: /metrics, /healthz, /status.json;\n"
	      "                         a loopback address and port, or unix:PATH\n"
	      "      --interval N       ask the agent every N seconds (default 5)\n"
	      "      --yang-dir DIR     our YANG modules (default " AUTOFBF_YANG_DIR ",\n"
	      "                         or $AUTOFBF_YANG_DIR)\n"
	      "  -d, --debug            log everything\n"
	      "  -V, --version          print the version and end\n"
	      "  -h, --help             this text\n\n"
	      "Exit codes: 0 done, 1 failed, 2 usage.\n",
	    out);
}

static int usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static int
usage_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputs("Try 'autofbf-publish --help'.\n", stderr);
	return EXIT_USAGE;
}

static bool
read_interval(const char *text, unsigned *ret_seconds)
{
	char *end;
	unsigned long seconds = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end || seconds < 1 || seconds > INTERVAL_MOST)
		return false;
	*ret_seconds = (unsigned)seconds;
	return true;
}

/* -1: go on; else the exit code. */
static int
parse_options(int argc, char **argv, struct options *ret)
{
	enum {
		OPTION_SOCKET = 256,
		OPTION_AGENTX,
		OPTION_NO_SNMP,
		OPTION_HTTP,
		OPTION_INTERVAL,
		OPTION_YANG_DIR
	};
	static const struct option longs[] = { { "socket", required_argument, NULL, OPTION_SOCKET },
		{ "agentx", required_argument, NULL, OPTION_AGENTX },
		{ "no-snmp", no_argument, NULL, OPTION_NO_SNMP },
		{ "http", required_argument, NULL, OPTION_HTTP },
		{ "interval", required_argument, NULL, OPTION_INTERVAL },
		{ "yang-dir", required_argument, NULL, OPTION_YANG_DIR },
		{ "debug", no_argument, NULL, 'd' }, { "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' }, { 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "dVh", longs, NULL)) != -1)
		switch (c) {
		case OPTION_SOCKET:
			ret->publish.socket_path = optarg;
			break;
		case OPTION_AGENTX:
			ret->publish.agentx_socket = optarg;
			break;
		case OPTION_NO_SNMP:
			ret->no_snmp = true;
			break;
		case OPTION_HTTP:
			ret->publish.http = optarg;
			break;
		case OPTION_INTERVAL:
			if (!read_interval(optarg, &ret->publish.interval_s))
				return usage_error(
				    "autofbf-publish: --interval %s: give 1 to 3600 seconds\n",
				    optarg);
			break;
		case OPTION_YANG_DIR:
			ret->publish.yang_dir = optarg;
			break;
		case 'd':
			ret->debug = true;
			break;
		case 'V':
			puts("autofbf-publish " AUTOFBF_VERSION);
			return 0;
		case 'h':
			print_usage(stdout);
			return 0;
		default:
			return usage_error("%s", "");
		}
	if (optind < argc)
		return usage_error("autofbf-publish: unexpected argument '%s'\n", argv[optind]);
	return -1;
}

static void
on_signal(evutil_socket_t fd, short what, void *arg)
{
	event_base_loopbreak(arg);
}

static int
run(const struct publish_options *options, struct error *err)
{
	struct event_base *base = event_base_new();
	struct event *term = evsignal_new(base, SIGTERM, on_signal, base);
	struct event *interrupt = evsignal_new(base, SIGINT, on_signal, base);
	struct publish *publish = NULL;
	int rc;

	signal(SIGPIPE, SIG_IGN);
	evsignal_add(term, NULL);
	evsignal_add(interrupt, NULL);
	rc = publish_new(base, options, &publish, err);
	if (rc == 0)
		event_base_dispatch(base);
	publish_free(publish);
	event_free(term);
	event_free(interrupt);
	event_base_free(base);
	return rc;
}

int
main(int argc, char **argv)
{
	struct options options = { .publish = { .socket_path = "/run/autofbf/autofbf.sock",
		                       .agentx_socket = "/run/agentx/master",
		                       .interval_s = 5 } };
	char yang_dir[PROFILE_YANG_DIR_SIZE];
	struct error err = { "" };
	int rc = parse_options(argc, argv, &options);

	if (rc >= 0)
		return rc;
	if (options.no_snmp)
		options.publish.agentx_socket = NULL;
	if (!options.publish.agentx_socket && !options.publish.http)
		return usage_error(
		    "autofbf-publish: --no-snmp leaves nothing to do: give --http\n");
	if (!options.publish.yang_dir)
		options.publish.yang_dir = profile_yang_dir(yang_dir);
	log_init(options.debug ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO, NULL, NULL);
	rc = run(&options.publish, &err);
	if (rc < 0)
		fprintf(stderr, "autofbf-publish: %s\n", err.text);
	return rc < 0 ? 1 : 0;
}
