/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbfd: options, profile, signals, loop. Stays in the foreground; a service manager keeps it.
 * Exit codes: 0 done, 1 failed, 2 usage or profile.
 */
#include <errno.h>
#include <event2/event.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "log.h"
#include "profile_yang.h"

enum { EXIT_USAGE = 2 };

struct options {
	struct agent_options agent;
	bool only_check;
};

static void
print_usage(FILE *out)
{
	fputs("usage: autofbfd [-n] [-d] [-f PROFILE] [--socket PATH] [--state-dir DIR] "
	      "[--yang-dir DIR]\n"
	      "Keeps filter-based forwarding right on a distribution router.\n\n"
	      "  -f, --profile PROFILE  the profile (default /etc/autofbf/profile.json)\n"
	      "  -n, --check            check the profile, print it without defaults, and end\n"
	      "  -d, --debug            log everything\n"
	      "      --socket PATH      NETCONF for local clients (default "
	      "/run/autofbf/autofbf.sock)\n"
	      "      --state-dir DIR    what a restart must not forget (default /var/lib/autofbf)\n"
	      "      --yang-dir DIR     our YANG modules (default " AUTOFBF_YANG_DIR ",\n"
	      "                         or $AUTOFBF_YANG_DIR)\n"
	      "  -V, --version          print the version and end\n"
	      "  -h, --help             this text\n\n"
	      "Exit codes: 0 done, 1 failed, 2 usage or profile.\n",
	    out);
}

static int
usage_error(void)
{
	fputs("Try 'autofbfd --help'.\n", stderr);
	return EXIT_USAGE;
}

/* -1: go on; else the exit code. */
static int
parse_options(int argc, char **argv, struct options *ret)
{
	enum { OPTION_SOCKET = 256, OPTION_STATE_DIR, OPTION_YANG_DIR };
	static const struct option longs[] = { { "profile", required_argument, NULL, 'f' },
		{ "check", no_argument, NULL, 'n' }, { "debug", no_argument, NULL, 'd' },
		{ "socket", required_argument, NULL, OPTION_SOCKET },
		{ "state-dir", required_argument, NULL, OPTION_STATE_DIR },
		{ "yang-dir", required_argument, NULL, OPTION_YANG_DIR },
		{ "version", no_argument, NULL, 'V' }, { "help", no_argument, NULL, 'h' }, { 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "f:ndVh", longs, NULL)) != -1)
		switch (c) {
		case 'f':
			ret->agent.profile_path = optarg;
			break;
		case 'n':
			ret->only_check = true;
			break;
		case 'd':
			ret->agent.debug = true;
			break;
		case OPTION_SOCKET:
			ret->agent.socket_path = optarg;
			break;
		case OPTION_STATE_DIR:
			ret->agent.state_dir = optarg;
			break;
		case OPTION_YANG_DIR:
			ret->agent.yang_dir = optarg;
			break;
		case 'V':
			puts("autofbfd " AUTOFBF_VERSION);
			return 0;
		case 'h':
			print_usage(stdout);
			return 0;
		default:
			return usage_error();
		}
	if (optind == argc)
		return -1;
	fprintf(stderr, "autofbfd: unexpected argument '%s'\n", argv[optind]);
	return usage_error();
}

static void
on_signal(evutil_socket_t fd, short what, void *arg)
{
	event_base_loopbreak(arg);
}

static void
on_hangup(evutil_socket_t fd, short what, void *arg)
{
	struct agent *const *agent = arg;

	agent_reload(*agent);
}

/* The profile is given away. */
static int
run(struct profile *profile, const struct agent_options *options, struct error *err)
{
	struct event_base *base = event_base_new();
	struct event *term = evsignal_new(base, SIGTERM, on_signal, base);
	struct event *interrupt = evsignal_new(base, SIGINT, on_signal, base);
	struct agent *agent = NULL;
	struct event *hangup = evsignal_new(base, SIGHUP, on_hangup, &agent);
	int rc;

	signal(SIGPIPE, SIG_IGN);
	evsignal_add(term, NULL);
	evsignal_add(interrupt, NULL);
	evsignal_add(hangup, NULL);
	rc = agent_new(base, profile, options, &agent, err);
	if (rc == 0) {
		event_base_dispatch(base);
		log_info("agent", "ends on a signal; the router keeps what it has");
	}
	agent_free(agent);
	event_free(term);
	event_free(interrupt);
	event_free(hangup);
	event_base_free(base);
	return rc;
}

/* Without a syslog daemon the router needs its agent as much as with one. */
static void
start_log(const struct profile *profile, bool debug)
{
	int rc = 0;

	log_init(debug ? LOG_LEVEL_DEBUG : profile->log_level, NULL, NULL);
	if (profile->log_syslog)
		rc = log_to_syslog("/dev/log", "autofbfd");
	if (rc < 0)
		fprintf(stderr,
		    "autofbfd: warning: /dev/log: %s; log lines are lost until a syslog daemon "
		    "runs\n",
		    strerror(-rc));
}

static int
print_profile(const struct profile *profile, struct error *err)
{
	if (fputs(profile->print, stdout) < 0 || fflush(stdout) != 0)
		return error_set(err, -errno, "standard output: %s", strerror(errno));
	return 0;
}

int
main(int argc, char **argv)
{
	struct options options = { .agent = { .profile_path = "/etc/autofbf/profile.json",
		                       .socket_path = "/run/autofbf/autofbf.sock",
		                       .state_dir = "/var/lib/autofbf" } };
	char yang_dir[PROFILE_YANG_DIR_SIZE];
	struct profile *profile = NULL;
	struct error err = { "" };
	int rc = parse_options(argc, argv, &options);

	if (rc >= 0)
		return rc;
	if (!options.agent.yang_dir)
		options.agent.yang_dir = profile_yang_dir(yang_dir);
	if (profile_load(options.agent.profile_path, options.agent.yang_dir, &profile, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return EXIT_USAGE;
	}
	if (options.only_check)
		rc = print_profile(profile, &err);
	else {
		start_log(profile, options.agent.debug);
		rc = run(profile, &options.agent, &err);
		profile = NULL;
	}
	if (rc < 0)
		fprintf(stderr, "autofbfd: %s\n", err.text);
	profile_free(profile);
	return rc < 0 ? 1 : 0;
}
