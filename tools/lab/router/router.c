/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a change sets off. A commit is journalled before it is answered, so that no reader of the
 * journal can miss a state that a client already knows of; syslog is told at once; the forwarding
 * plane gets it after the reply is on its way, as on a router, where <ok/> does not wait for it.
 * Reboot, switchover and the end of rpd are here too, because they touch everything: sessions,
 * databases, peers, BMP, clocks.
 */
#include "router.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bmp_out.h"
#include "counters.h"
#include "exports.h"
#include "frr.h"
#include "frr_export.h"
#include "journal.h"
#include "log.h"
#include "netconf.h"
#include "plane.h"
#include "simulate.h"
#include "sshd.h"
#include "syslog_out.h"

enum { EXPORT_RETRY_MS = 1100 }; /* a vty rests for a second after a failure */

static void
write_journal(struct labrouter *router, const struct database_change *change)
{
	struct error err;

	if (router->journal && journal_write(router->journal, change, router->database,
	                           exports_announcements(router->exports), &err) < 0)
		log_error("journal", "%s", err.text);
}

static void
renew_exports(struct labrouter *router)
{
	router->exports_stale = router->frr;
	if (router->export_timer)
		loop_timer_set(router->export_timer, 0);
}

void
labrouter_changed(struct labrouter *router, const struct database_change *change)
{
	struct error err;

	if (change->event == DATABASE_STATIC_COMMIT) {
		router->configured_us = wallclock_now_us();
		(void)snprintf(
		    router->configured_by, sizeof(router->configured_by), "%s", change->user);
	}
	if (exports_update(
	        router->exports, conf_root(database_merged(router->database)), mtime_now())) {
		log_info("rpd", "export policies: another result");
		renew_exports(router);
	}
	write_journal(router, change);
	log_info("mgd", "%s: instance %s, %zu edits", database_event_names[change->event],
	    change->instance ? change->instance : "-", change->edits);
	if (router->syslog &&
	    (change->event == DATABASE_COMMIT || change->event == DATABASE_STATIC_COMMIT))
		syslog_out_committed(router->syslog, change);
	if (router->plane)
		plane_changed(router->plane);
	if (change->event == DATABASE_REBOOT && counters_clear_interfaces(router, &err) < 0)
		log_warn("pfe", "%s", err.text);
	if ((change->event == DATABASE_REBOOT || router->counters_restart) &&
	    counters_clear_terms(router, &err) < 0)
		log_warn("pfe", "%s", err.text);
}

void
labrouter_refresh_peers(struct labrouter *router)
{
	struct error err;
	bool was_off = router->rpd_is_off;

	if (!router->frr || router->rpd_is_forced_off)
		return;
	router->rpd_is_off = frr_refresh(router->frr, router->peers, &err) < 0;
	if (router->rpd_is_off && !was_off)
		log_warn("rpd", "%s", err.text);
	if (was_off && !router->rpd_is_off) {
		router->rpd_started_us = wallclock_now_us();
		renew_exports(router); /* a new bgpd has none of them */
	}
}

int
labrouter_refresh_routes(struct labrouter *router, struct error *err)
{
	return router->frr ? frr_routes(router->frr, router->learned, err) : 0;
}

/* Gives bgpd the export policies, a line a turn, so that nobody waits for it. */
void
labrouter_apply_exports(void *arg)
{
	struct labrouter *router = arg;
	struct error err;
	int rc;

	if (router->exports_stale) {
		char *lines = frr_export_commands(exports_announcements(router->exports));

		frr_configure(router->frr, lines);
		router->exports_stale = false;
		free(lines);
	}
	rc = frr_configure_step(router->frr, &err);
	if (rc < 0)
		log_warn("rpd", "export policies: %s", err.text);
	if (rc < 0 && rc != -EINVAL) /* what was refused once is refused again */
		router->exports_stale = true;
	if (rc > 0 || router->exports_stale)
		loop_timer_set(router->export_timer, rc > 0 ? 0 : EXPORT_RETRY_MS);
}

int
labrouter_set_source(struct labrouter *router, const char *address, struct error *err)
{
	int rc = 0;

	if (router->bmp)
		rc = bmp_out_set_source(router->bmp, address, err);
	if (rc == 0 && router->syslog)
		rc = syslog_out_set_source(router->syslog, address, err);
	return rc;
}

/* Peers of a router that begins anew: nobody hears of it, the sessions to tell it on are closed. */
static void
restart_peers(struct labrouter *router, bool stay_down)
{
	struct mtime now = mtime_now();

	for (size_t i = 0; i < peer_table_count(router->peers); i++) {
		struct ip address = peer_table_at(router->peers, i)->address;

		simulate_down(router->peers, &address, PEER_CAUSE_UNKNOWN);
		if (!stay_down)
			simulate_up(router->peers, &address, true, now);
	}
}

static void
set_telling(struct labrouter *router, bool is_on)
{
	if (router->bmp)
		bmp_out_set(router->bmp, is_on);
	if (router->syslog)
		syslog_out_set(router->syslog, is_on);
}

/* The end of a boot (boot_timer). */
void
labrouter_booted(void *arg)
{
	struct labrouter *router = arg;

	router->is_booting = false;
	if (router->simulate)
		restart_peers(router, router->boot_peers_down);
	sshd_set_listening(router->sshd, true);
	set_telling(router, true);
	log_info("router", "booted");
}

int
labrouter_reboot(struct labrouter *router, const struct labrouter_reboot *reboot, struct error *err)
{
	struct database_change change = { .event = DATABASE_REBOOT };
	int rc = 0;

	if (reboot->host_key)
		rc = sshd_set_host_key(router->sshd, reboot->host_key, err);
	if (rc == 0 && reboot->source)
		rc = labrouter_set_source(router, reboot->source, err);
	if (rc < 0)
		return rc;
	set_telling(router, false);
	sshd_set_listening(router->sshd, false);
	(void)netconf_cut(router->netconf, 0);
	sshd_drop_all(router->sshd);
	database_reboot(router->database, reboot->keep_ephemeral);
	if (router->simulate)
		restart_peers(router, true);
	router->booted_us = router->rpd_started_us = wallclock_now_us();
	router->rpd_is_off = router->rpd_is_forced_off = false;
	router->reboots++;
	router->is_booting = true;
	router->boot_peers_down = reboot->peers_down;
	labrouter_changed(router, &change);
	loop_timer_set(router->boot_timer, reboot->down_ms);
	return 0;
}

void
labrouter_set_rpd(struct labrouter *router, bool is_on, bool peers_down)
{
	if (router->rpd_is_forced_off == !is_on)
		return;
	router->rpd_is_off = router->rpd_is_forced_off = !is_on;
	if (router->bmp)
		bmp_out_set(router->bmp, is_on);
	if (router->simulate) {
		if (router->syslog)
			syslog_out_set(router->syslog, false);
		restart_peers(router, !is_on || peers_down);
		if (router->syslog)
			syslog_out_set(router->syslog, true);
	}
	if (is_on)
		router->rpd_started_us = wallclock_now_us();
}

int
labrouter_replace_static(
    struct labrouter *router, const char *path, bool is_load, const char *user, struct error *err)
{
	struct database_change change = { .event = DATABASE_STATIC_COMMIT };
	int rc = is_load ? database_load_static(router->database, path, &change, err)
	                 : database_replace_static(router->database, path, err);

	if (rc < 0)
		return rc;
	change.user = user;
	if (router->simulate && router->peers_from_config)
		(void)simulate_peers_from(
		    router->peers, database_static(router->database), mtime_now());
	labrouter_changed(router, &change);
	return 0;
}

size_t
labrouter_numbers(
    const struct labrouter *router, struct labrouter_number ret_numbers[LABROUTER_NUMBERS_MAX])
{
	const struct database_counters *counters = database_get_counters(router->database);
	struct plane_numbers plane = { 0 };
	size_t up = 0, count = 0;

	if (router->plane)
		plane_get_numbers(router->plane, &plane);
	for (size_t i = 0; i < peer_table_count(router->peers); i++)
		up += peer_table_at(router->peers, i)->bgp == PEER_ESTABLISHED ? 1 : 0;
	const struct labrouter_number numbers[] = {
		{ "commits", counters->commits },
		{ "static-commits", counters->static_commits },
		{ "opens", counters->opens },
		{ "refused-opens", counters->refused_opens },
		{ "loads", counters->loads },
		{ "static-loads", counters->static_loads },
		{ "requests", netconf_request_count(router->netconf) },
		{ "sessions", netconf_session_count(router->netconf) },
		{ "paused", netconf_paused_count(router->netconf, STEP_ANY) },
		{ "open-instances", database_open_count(router->database) },
		{ "peers", peer_table_count(router->peers) },
		{ "peers-up", up },
		{ "reboots", router->reboots },
		{ "booting", router->is_booting },
		{ "rpd-off", router->rpd_is_off },
		{ "bmp-connected", router->bmp ? bmp_out_is_connected(router->bmp) : 0 },
		{ "bmp-sessions", router->bmp ? bmp_out_sessions(router->bmp) : 0 },
		{ "syslog-sent", router->syslog ? syslog_out_sent(router->syslog) : 0 },
		{ "syslog-dropped", router->syslog ? syslog_out_dropped(router->syslog) : 0 },
		{ "discard-routes", exports_discard_count(router->exports) },
		{ "exported-changes", exports_changes(router->exports) },
		{ "exports-pending",
		    router->exports_stale || (router->frr && frr_is_configuring(router->frr)) },
		{ "submitted", plane.submitted },
		{ "forwarded", plane.forwarded },
		{ "forwarded-us", (uint64_t)plane.last_us },
		{ "forwarding-changes", plane.changes },
		{ "forwarding-errors", plane.errors },
	};

	_Static_assert(sizeof(numbers) / sizeof(*numbers) <= LABROUTER_NUMBERS_MAX, "room for all");
	for (count = 0; count < sizeof(numbers) / sizeof(*numbers); count++)
		ret_numbers[count] = numbers[count];
	return count;
}
