/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line of the traffic probe: UDP round trips from many subscribers to a reflector, at a
 * fixed rate, and at the end what each subscriber lost and for how long. What is wrong on the
 * command line is told before anything is sent.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "probe.h"

enum { DEFAULT_PORT = 7007, MAX_RATE = 20000, MAX_VALUES = 8 };

_Noreturn static void
usage(int code)
{
	fputs(
	    "usage: probe reflect --listen ADDRESS... [--port N]\n"
	    "       probe send --to ADDRESS... (--pool PREFIX... --count N | --list FILE)\n"
	    "                  [--rate PACKETS/S] [--duration S] [--csv FILE] [--losses FILE] "
	    "[--port N]\n"
	    "Round trips from many subscribers. Ends after --duration or on SIGTERM, with "
	    "results.\n"
	    "  --to ADDRESS     the reflector, one address of each family\n"
	    "  --pool PREFIX    --count subscribers spread evenly over each of them\n"
	    "  --list FILE      subscribers, one address a line\n"
	    "  --rate N         packets per second over all subscribers (1..20000, default 2000)\n"
	    "  --duration S     seconds; default: until SIGTERM\n"
	    "  --csv FILE       subscriber,family,sent,received,lost,longest_gap_ms (default: "
	    "stdout)\n"
	    "  --losses FILE    one line for each lost packet: sent_at_us,subscriber,family\n",
	    code ? stderr : stdout);
	exit(code);
}

static double
parse_number(const char *option, const char *text, double low, double high)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= low && value <= high)) {
		fprintf(
		    stderr, "probe: %s %s: want a number from %g to %g\n", option, text, low, high);
		exit(2);
	}
	return value;
}

static struct ip
parse_address(const char *text)
{
	struct ip ip;

	if (ip_parse(text, &ip)) {
		fprintf(stderr, "probe: '%s' is not an address\n", text);
		exit(2);
	}
	return ip;
}

static struct prefix
parse_pool(const char *text)
{
	struct prefix prefix;

	if (prefix_parse(text, &prefix)) {
		fprintf(stderr, "probe: '%s' is not a prefix, or has host bits set\n", text);
		exit(2);
	}
	return prefix;
}

static const struct option longs[] = {
	{ "listen", required_argument, NULL, 'l' },
	{ "to", required_argument, NULL, 't' },
	{ "pool", required_argument, NULL, 'p' },
	{ "count", required_argument, NULL, 'n' },
	{ "list", required_argument, NULL, 'f' },
	{ "rate", required_argument, NULL, 'r' },
	{ "duration", required_argument, NULL, 'd' },
	{ "csv", required_argument, NULL, 'c' },
	{ "losses", required_argument, NULL, 'o' },
	{ "port", required_argument, NULL, 'P' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct arguments {
	struct ip listen[MAX_VALUES];
	size_t listen_count;
	struct prefix pools[MAX_VALUES];
	size_t pool_count;
	uint32_t count;
	const char *list, *csv, *losses;
};

static void
take_option(struct probe *probe, struct arguments *args, int letter)
{
	struct ip ip;

	switch (letter) {
	case 'l':
		if (args->listen_count < MAX_VALUES)
			args->listen[args->listen_count++] = parse_address(optarg);
		break;
	case 't':
		ip = parse_address(optarg);
		probe->servers[ip.family] = ip;
		probe->has_server[ip.family] = true;
		break;
	case 'p':
		if (args->pool_count < MAX_VALUES)
			args->pools[args->pool_count++] = parse_pool(optarg);
		break;
	case 'n':
		args->count = (uint32_t)parse_number("--count", optarg, 1, 1000000);
		break;
	case 'f':
		args->list = optarg;
		break;
	case 'r':
		probe->rate = (uint32_t)parse_number("--rate", optarg, 1, MAX_RATE);
		break;
	case 'd':
		probe->duration_us =
		    (int64_t)(1e6 * parse_number("--duration", optarg, 0.001, 86400));
		break;
	case 'c':
		args->csv = optarg;
		break;
	case 'o':
		args->losses = optarg;
		break;
	case 'P':
		probe->port = (uint16_t)parse_number("--port", optarg, 1, 65535);
		break;
	default:
		usage(letter == 'h' ? 0 : 2);
	}
}

static void
check(const struct probe *probe)
{
	if (!probe->subscriber_count)
		usage(2);
	for (size_t i = 0; i < probe->subscriber_count; i++)
		if (!probe->has_server[probe->subscribers[i].family])
			fatal("no --to address for %s subscribers",
			    family_names[probe->subscribers[i].family]);
}

static void
send_probes(struct probe *probe, const struct arguments *args)
{
	for (size_t i = 0; i < args->pool_count; i++)
		probe_add_pool(probe, &args->pools[i], args->count);
	if (args->list)
		probe_add_list(probe, args->list);
	check(probe);
	probe_mix_families(probe);
	fprintf(
	    stderr, "probe: %zu subscribers, %u packets/s\n", probe->subscriber_count, probe->rate);
	probe_send(probe);
	probe_write_csv(probe, args->csv);
	if (args->losses)
		probe_write_losses(probe, args->losses);
	probe_write_summary(probe);
	free(probe->packets);
	free(probe->subscribers);
}

int
main(int argc, char **argv)
{
	struct probe probe = { .port = DEFAULT_PORT, .rate = 2000 };
	struct arguments args = { .count = 64, .csv = "-" };
	int letter;

	while ((letter = getopt_long(argc, argv, "h", longs, NULL)) != -1)
		take_option(&probe, &args, letter);
	if (argc - optind != 1)
		usage(2);
	if (!strcmp(argv[optind], "reflect") && args.listen_count)
		probe_reflect(args.listen, args.listen_count, probe.port);
	else if (!strcmp(argv[optind], "send"))
		send_probes(&probe, &args);
	else
		usage(2);
	return 0;
}
