/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * labrouter: a stand-in for a Junos distribution router. This file makes the parts in the order in
 * which they need each other, runs the loop, and takes them apart again. What the router is:
 * router.h; its databases: database.c; NETCONF: sshd.c, netconf.c, rpc.c, show.c; peers: peers.c
 * with simulate.c or frr.c; who hears of it: bmp_out.c, syslog_out.c, journal.c; packets: plane.c,
 * forwarding.c; what can go wrong: commands.c, faults.c.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <libssh/libssh.h>
#include <libxml/parser.h>

#include "bmp_out.h"
#include "control.h"
#include "exports.h"
#include "frr.h"
#include "journal.h"
#include "learned.h"
#include "log.h"
#include "meters.h"
#include "netconf.h"
#include "options.h"
#include "plane.h"
#include "router.h"
#include "simulate.h"
#include "sshd.h"
#include "syslog_out.h"

enum { FRR_REFRESH_MS = 200 };

static void
on_turn(void *arg)
{
	struct labrouter *router = arg;

	sshd_turn(router->sshd);
	if (router->control)
		control_turn(router->control);
}

static void
on_signal(void *arg, int fd, short revents)
{
	struct labrouter *router = arg;
	struct signalfd_siginfo info;

	(void)revents;
	if (read(fd, &info, sizeof(info)) == sizeof(info))
		loop_stop(router->loop);
}

/* SIGTERM and SIGINT end the loop; a closed pipe is an error code. */
static int
watch_signals(struct labrouter *router)
{
	sigset_t set;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		fatal("signalfd: %s", strerror(errno));
	(void)loop_fd_add(router->loop, fd, POLLIN, on_signal, router);
	return fd;
}

static int
add_peers(struct labrouter *router, const struct options *options, struct error *err)
{
	struct mtime since = { mtime_now().us - (int64_t)options->peer_age_s * 1000000 };
	struct peer peer;
	int rc;

	router->peers_from_config = true;
	for (size_t i = 0; i < options->peer_count; i++) {
		bool is_beside = *options->peers[i] == '+';

		rc = peer_parse(options->peers[i] + is_beside, &peer, err);
		if (rc < 0)
			return rc;
		(void)peer_table_add(router->peers, &peer, since);
		router->peers_from_config &= is_beside;
	}
	if (router->peers_from_config)
		(void)simulate_peers_from(router->peers, database_static(router->database), since);
	for (size_t i = 0; i < peer_table_count(router->peers); i++) {
		struct ip address = peer_table_at(router->peers, i)->address;

		simulate_up(router->peers, &address, true, since);
	}
	return 0;
}

static int
start_telling(struct labrouter *router, const struct options *options, struct error *err)
{
	struct bmp_out_options bmp = { .station = options->bmp,
		.hostname = options->hostname,
		.habit = options->bmp_habit,
		.repeat_ms = options->bmp_repeat_ms,
		.retry_ms = options->bmp_retry_ms };
	struct syslog_out_options syslog = { .collector = options->syslog,
		.hostname = options->hostname,
		.format = options->syslog_format,
		.use_tcp = options->syslog_tcp };
	int rc = 0;

	/* Syslog first: a daemon's line was measured 10 ms ahead of its BMP message. */
	if (options->syslog)
		rc = syslog_out_new(router->peers, &syslog, &router->syslog, err);
	if (rc == 0 && options->bmp)
		rc = bmp_out_new(router->loop, router->peers, &bmp, &router->bmp, err);
	return rc;
}

static void
on_frr_timer(void *arg)
{
	struct labrouter *router = arg;

	labrouter_refresh_peers(router);
	loop_timer_set(router->frr_timer, FRR_REFRESH_MS);
}

static void
start_frr(struct labrouter *router, const char *directory)
{
	router->frr = frr_new(directory);
	router->export_timer = loop_timer_new(router->loop, labrouter_apply_exports, router);
	router->frr_timer = loop_timer_new(router->loop, on_frr_timer, router);
	labrouter_refresh_peers(router);
	loop_timer_set(router->frr_timer, FRR_REFRESH_MS);
}

static int
start_netconf(struct labrouter *router, const struct options *options, struct error *err)
{
	struct sshd_options ssh = { .listen = options->listen,
		.authorized_keys = options->authorized_keys,
		.password = options->password,
		.max_connections = options->max_sessions };
	struct sshd_callbacks callbacks;
	int rc = netconf_new(router, options->base_1_1, options->transcript, &router->netconf, err);

	if (rc < 0)
		return rc;
	netconf_get_callbacks(router->netconf, &callbacks);
	return sshd_new(router->loop, &ssh, options->host_key, &callbacks, &router->sshd, err);
}

/* Everything but the loop. */
static int
start(struct labrouter *router, const struct options *options, struct error *err)
{
	struct database_change change = { .event = DATABASE_START };
	int rc = database_new(options->config, &router->database, err);

	if (rc == 0 && options->simulate)
		rc = add_peers(router, options, err);
	if (rc == 0)
		rc = start_telling(router, options, err);
	if (rc == 0 && options->source)
		rc = labrouter_set_source(router, options->source, err);
	if (rc == 0 && options->frr)
		start_frr(router, options->frr);
	if (rc == 0 && options->journal)
		rc = journal_new(options->journal, &router->journal, err);
	if (rc == 0 && options->forwarding)
		rc = plane_new(router, options->skew_ms, &router->plane, err);
	if (rc == 0)
		rc = start_netconf(router, options, err);
	if (rc == 0 && options->control)
		rc = control_new(router, options->control, &router->control, err);
	if (rc == 0)
		labrouter_changed(router, &change);
	return rc;
}

static void
stop(struct labrouter *router)
{
	control_free(router->control);
	sshd_free(router->sshd);
	netconf_free(router->netconf);
	plane_free(router->plane);
	journal_free(router->journal);
	syslog_out_free(router->syslog);
	bmp_out_free(router->bmp);
	loop_timer_free(router->frr_timer);
	loop_timer_free(router->export_timer);
	loop_timer_free(router->boot_timer);
	frr_free(router->frr);
	exports_free(router->exports);
	faults_free(router->faults);
	meters_free(router->meters);
	learned_free(router->learned);
	peer_table_free(router->peers);
	database_free(router->database);
	loop_free(router->loop);
}

static void
prepare(struct labrouter *router, const struct options *options)
{
	router->hostname = options->hostname;
	router->release = options->release;
	router->simulate = options->simulate;
	router->booted_us = router->rpd_started_us = router->configured_us =
	    wallclock_now_us() - (int64_t)options->peer_age_s * 1000000;
	(void)snprintf(router->configured_by, sizeof(router->configured_by), "root");
	router->loop = loop_new();
	router->faults = faults_new();
	router->exports = exports_new(&options->imports);
	router->peers = peer_table_new();
	router->learned = learned_new();
	router->meters = meters_new();
	router->boot_timer = loop_timer_new(router->loop, labrouter_booted, router);
	loop_set_turn(router->loop, on_turn, router);
}

int
main(int argc, char **argv)
{
	struct labrouter router = { 0 };
	struct options options;
	struct error err;
	int signals, rc;

	if (argc > 2 && strcmp(argv[1], "ctl") == 0)
		return control_send(argv[2], argv + 3, (size_t)argc - 3);
	options_parse(argc, argv, &options);
	log_init(options.verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO, NULL, NULL);
	ssh_init();
	xmlInitParser();
	prepare(&router, &options);
	signals = watch_signals(&router);
	rc = start(&router, &options, &err);
	if (rc < 0) {
		fprintf(stderr, "labrouter: %s\n", err.text);
	} else {
		printf("labrouter: ready on port %u\n", sshd_port(router.sshd));
		fflush(stdout);
		loop_run(router.loop);
	}
	stop(&router);
	close(signals);
	options_done(&options);
	xmlCleanupParser();
	ssh_finalize();
	return rc < 0 ? 1 : 0;
}
