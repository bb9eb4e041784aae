/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operational state in the shapes of Junos: BGP summary and neighbours, BFD sessions, uptime,
 * routing engine, software. The oddities are meant: a peer that is not Established has no "+port",
 * no RIBs and no BFD block, but an elapsed-time; the summary says `junos:format` only for
 * Established; the detail output has no age at all; without a BGP peer there is a line of text in
 * place of an element; while rpd is down every routing question is an error.
 *
 * It reads the peer table and the clocks of the router and changes nothing.
 */
#include "rpc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conf.h"
#include "mtime.h"
#include "router.h"

enum { TEXT_SIZE = 64 };

/* ---- times ----------------------------------------------------------------------------------- */

static int64_t
age_s(struct mtime since)
{
	int64_t ms = mtime_diff_ms(mtime_now(), since);

	return ms > 0 ? ms / 1000 : 0;
}

/* "4:07", "2:28:33", "1d 3:04:05" or "20w6d20h", as it pleases Junos. */
static const char *
format_elapsed(int64_t s, char buf[TEXT_SIZE])
{
	int64_t days = s / 86400, hours = s / 3600 % 24, minutes = s / 60 % 60, seconds = s % 60;

	if (days >= 7)
		(void)snprintf(buf, TEXT_SIZE, "%" PRId64 "w%" PRId64 "d%" PRId64 "h", days / 7,
		    days % 7, hours);
	else if (days > 0)
		(void)snprintf(buf, TEXT_SIZE, "%" PRId64 "d %" PRId64 ":%02" PRId64 ":%02" PRId64,
		    days, hours, minutes, seconds);
	else if (hours > 0)
		(void)snprintf(buf, TEXT_SIZE, "%" PRId64 ":%02" PRId64 ":%02" PRId64, hours,
		    minutes, seconds);
	else
		(void)snprintf(buf, TEXT_SIZE, "%" PRId64 ":%02" PRId64, minutes, seconds);
	return buf;
}

static const char *
format_date(int64_t us, char buf[TEXT_SIZE])
{
	time_t seconds = (time_t)(us / 1000000);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(buf, TEXT_SIZE, "%Y-%m-%d %H:%M:%S UTC", &tm);
	return buf;
}

/* ---- BGP ------------------------------------------------------------------------------------- */

static bool
is_up(const struct peer *peer)
{
	return peer->bgp == PEER_ESTABLISHED;
}

/* Does the request's <instance> or <exact-instance> (absent: all) cover the peer? */
static bool
is_asked_for(const struct rpc *rpc, const struct peer *peer)
{
	char *instance = conf_child_text(rpc->op, "instance");
	char *address = conf_child_text(rpc->op, "neighbor-address");
	char buf[IP_TEXT_SIZE];
	bool is_asked;

	if (!instance)
		instance = conf_child_text(rpc->op, "exact-instance");
	is_asked = (!instance || strcmp(instance, peer->instance) == 0) &&
	           (!address || strcmp(address, ip_format(&peer->address, buf)) == 0);
	free(instance);
	free(address);
	return is_asked;
}

static void
put_ribs(FILE *out, const struct peer *peer, const char *style)
{
	for (size_t i = 0; i < PEER_RIB_MAX && peer->ribs[i].name[0]; i++) {
		const struct peer_rib *rib = &peer->ribs[i];

		fprintf(out, "<bgp-rib junos:style=\"%s\">\n<name>%s</name>\n", style, rib->name);
		if (strcmp(style, "detail") == 0)
			fputs("<rib-bit>20001</rib-bit>\n<bgp-rib-state>BGP restart is "
			      "complete</bgp-rib-state>\n<send-state>in sync</send-state>\n",
			    out);
		fprintf(out,
		    "<active-prefix-count>%u</active-prefix-count>\n"
		    "<received-prefix-count>%u</received-prefix-count>\n"
		    "<accepted-prefix-count>%u</accepted-prefix-count>\n"
		    "<suppressed-prefix-count>0</suppressed-prefix-count>\n</bgp-rib>\n",
		    rib->active, rib->received, rib->accepted);
	}
}

static void
put_summary_peer(FILE *out, const struct peer *peer, bool is_first)
{
	char address[IP_TEXT_SIZE], text[TEXT_SIZE];
	int64_t age = age_s(peer->since);

	fprintf(out, "<bgp-peer junos:style=\"terse\"%s>\n",
	    is_first
	        ? " heading=\"Peer                     AS      InPkt     OutPkt    OutQ   Flaps "
	          "Last Up/Dwn State|#Active/Received/Accepted/Damped...\""
	        : "");
	fprintf(out, "<peer-address>%s</peer-address>\n<peer-as>%u</peer-as>\n",
	    ip_format(&peer->address, address), peer->as);
	fprintf(out,
	    "<input-messages>%" PRId64 "</input-messages>\n"
	    "<output-messages>%" PRId64 "</output-messages>\n"
	    "<route-queue-count>0</route-queue-count>\n<flap-count>%u</flap-count>\n",
	    is_up(peer) ? age / 30 + 3 : 0, is_up(peer) ? age / 30 + 3 : 0, peer->flaps);
	fprintf(out, "<elapsed-time junos:seconds=\"%" PRId64 "\">%s</elapsed-time>\n", age,
	    format_elapsed(age, text));
	fprintf(out, "<peer-state%s>%s</peer-state>\n",
	    is_up(peer) ? " junos:format=\"Establ\"" : "", peer_bgp_names[peer->bgp]);
	if (is_up(peer))
		put_ribs(out, peer, "terse");
	fputs("</bgp-peer>\n", out);
}

/* The tables in total: one bgp-rib per table that a peer fills. */
static void
put_summary_ribs(FILE *out, const struct peer_table *peers)
{
	struct peer_rib totals[16] = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < peer_table_count(peers); i++) {
		const struct peer *peer = peer_table_at(peers, i);

		for (size_t j = 0; j < PEER_RIB_MAX && is_up(peer) && peer->ribs[j].name[0]; j++) {
			size_t k = 0;

			while (k < count && strcmp(totals[k].name, peer->ribs[j].name) != 0)
				k++;
			if (k == sizeof(totals) / sizeof(*totals))
				continue;
			if (k == count)
				memcpy(totals[count++].name, peer->ribs[j].name, PEER_NAME_SIZE);
			totals[k].active += peer->ribs[j].active;
			totals[k].received += peer->ribs[j].received;
			totals[k].accepted += peer->ribs[j].accepted;
		}
	}
	for (size_t k = 0; k < count; k++)
		fprintf(out,
		    "<bgp-rib junos:style=\"brief\">\n<name>%s</name>\n"
		    "<total-prefix-count>%u</total-prefix-count>\n"
		    "<received-prefix-count>%u</received-prefix-count>\n"
		    "<accepted-prefix-count>%u</accepted-prefix-count>\n"
		    "<active-prefix-count>%u</active-prefix-count>\n"
		    "<suppressed-prefix-count>0</suppressed-prefix-count>\n"
		    "<pending-prefix-count>0</pending-prefix-count>\n"
		    "<bgp-rib-state>BGP restart is complete</bgp-rib-state>\n</bgp-rib>\n",
		    totals[k].name, totals[k].received, totals[k].received, totals[k].accepted,
		    totals[k].active);
}

static void
put_payload_start(struct rpc *rpc, const char *name, const char *daemon, const char *attributes)
{
	fprintf(rpc->out, "<%s xmlns=\"http://xml.juniper.net/junos/%s/junos-%s\"%s>\n", name,
	    rpc->router->release, daemon, attributes);
}

static void
bgp_summary(struct rpc *rpc)
{
	const struct peer_table *peers = rpc->router->peers;
	size_t count = peer_table_count(peers), down = 0, shown = 0;

	for (size_t i = 0; i < count; i++)
		down += is_up(peer_table_at(peers, i)) ? 0 : 1;
	put_payload_start(rpc, "bgp-information", "routing", "");
	fprintf(rpc->out,
	    "<group-count>1</group-count>\n<peer-count>%zu</peer-count>\n"
	    "<down-peer-count>%zu</down-peer-count>\n",
	    count, down);
	put_summary_ribs(rpc->out, peers);
	for (size_t i = 0; i < count; i++)
		if (is_asked_for(rpc, peer_table_at(peers, i)))
			put_summary_peer(rpc->out, peer_table_at(peers, i), shown++ == 0);
	fputs("</bgp-information>\n", rpc->out);
}

/* last-event and last-error of a peer, by what ended it. */
static const struct {
	const char *event, *error;
} last_words[PEER_CAUSE_COUNT] = {
	[PEER_CAUSE_UNKNOWN] = { "RecvKeepAlive", "None" },
	[PEER_CAUSE_BFD] = { "BfdDown", "Cease" },
	[PEER_CAUSE_HOLD_TIMER] = { "HoldTime", "Hold Timer Expired Error" },
	[PEER_CAUSE_ADMIN] = { "Stop", "Cease" },
	[PEER_CAUSE_NOTIFICATION] = { "RecvNotify", "Cease" },
	[PEER_CAUSE_CLOSED] = { "TransportError", "None" },
	[PEER_CAUSE_INTERFACE] = { "Stop", "None" },
};

static void
put_neighbor_head(FILE *out, const struct peer *peer)
{
	char address[IP_TEXT_SIZE];
	const char *local = peer->address.family == FAMILY_IPV4 ? "192.0.2.1" : "2001:db8::1";

	fprintf(out, "<bgp-peer junos:style=\"detail\">\n<peer-address>%s%s</peer-address>\n",
	    ip_format(&peer->address, address), is_up(peer) ? "+179" : "");
	fprintf(out,
	    "<peer-as>%u</peer-as>\n<local-address>%s%s</local-address>\n<local-as>%u</local-as>\n"
	    "<peer-group>%s</peer-group>\n<peer-cfg-rti>%s</peer-cfg-rti>\n"
	    "<peer-fwd-rti>%s</peer-fwd-rti>\n<peer-type>External</peer-type>\n"
	    "<peer-state>%s</peer-state>\n",
	    peer->as, local, is_up(peer) ? "+51021" : "", is_up(peer) ? peer->local_as : 0,
	    peer->group, peer->instance, peer->instance, peer_bgp_names[peer->bgp]);
	fprintf(out, "<peer-flags>%s</peer-flags>\n<last-state>%s</last-state>\n",
	    is_up(peer) ? "Sync" : "", is_up(peer) ? "OpenConfirm" : "Established");
	fprintf(out, "<last-event>%s</last-event>\n<last-error>%s</last-error>\n",
	    is_up(peer) ? "RecvKeepAlive" : last_words[peer->last_cause].event,
	    last_words[peer->last_cause].error);
}

static void
put_neighbor(FILE *out, const struct peer *peer)
{
	put_neighbor_head(out, peer);
	fprintf(out,
	    "<bgp-option-information>\n<bgp-options>HoldTime AddressFamily PeerAS Refresh%s"
	    "</bgp-options>\n<address-families>%s</address-families>\n<holdtime>9</holdtime>\n"
	    "<preference>170</preference>\n</bgp-option-information>\n",
	    peer->use_bfd ? " BfdEnabled" : "",
	    peer->address.family == FAMILY_IPV4 ? "inet-unicast" : "inet6-unicast");
	fprintf(out, "<flap-count>%u</flap-count>\n", peer->flaps);
	if (peer->flaps)
		fprintf(out, "<last-flap-event>%s</last-flap-event>\n",
		    last_words[peer->last_cause].event);
	if (is_up(peer)) {
		fputs("<peer-id>192.0.2.100</peer-id>\n<local-id>192.0.2.1</local-id>\n"
		      "<active-holdtime>9</active-holdtime>\n"
		      "<keepalive-interval>3</keepalive-interval>\n",
		    out);
		fprintf(out,
		    "<bgp-bfd>\n<bfd-configuration-state>%s</bfd-configuration-state>\n"
		    "<bfd-operational-state>%s</bfd-operational-state>\n</bgp-bfd>\n",
		    peer->use_bfd ? "enabled" : "disabled",
		    peer->bfd == PEER_BFD_UP ? "up" : "down");
		if (peer->interface[0])
			fprintf(out, "<local-interface-name>%s</local-interface-name>\n",
			    peer->interface);
		put_ribs(out, peer, "detail");
	}
	fputs("</bgp-peer>\n", out);
}

static void
bgp_neighbor(struct rpc *rpc)
{
	const struct peer_table *peers = rpc->router->peers;

	put_payload_start(rpc, "bgp-information", "routing", "");
	for (size_t i = 0; i < peer_table_count(peers); i++)
		if (is_asked_for(rpc, peer_table_at(peers, i)))
			put_neighbor(rpc->out, peer_table_at(peers, i));
	fputs("</bgp-information>\n", rpc->out);
}

/* ---- BFD ------------------------------------------------------------------------------------- */

static const char *
local_diagnostic(const struct peer *peer)
{
	if (peer->bfd == PEER_BFD_UP)
		return "None";
	if (peer->bfd_was_admin)
		return "AdminDown";
	return peer->last_cause == PEER_CAUSE_UNKNOWN ? "None" : "CtlExpire";
}

static void
put_bfd(FILE *out, const struct peer *peer, size_t number)
{
	bool up = peer->bfd == PEER_BFD_UP;
	double configured = peer->bfd_interval_us / 1e6;
	double interval = configured * peer->bfd_adapted;
	char address[IP_TEXT_SIZE];

	fprintf(out,
	    "<bfd-session>\n<session-neighbor>%s</session-neighbor>\n"
	    "<session-state>%s</session-state>\n<session-interface>%s</session-interface>\n",
	    ip_format(&peer->address, address), peer_bfd_names[peer->bfd], peer->interface);
	fprintf(out,
	    "<session-detection-time>%.3f</session-detection-time>\n"
	    "<session-transmission-interval>%.3f</session-transmission-interval>\n"
	    "<session-adaptive-multiplier>%u</session-adaptive-multiplier>\n",
	    up ? interval * peer->bfd_multiplier : 0.0, up ? interval : 1.0, peer->bfd_multiplier);
	fprintf(out,
	    "<bfd-client>\n<client-name>BGP</client-name>\n"
	    "<client-transmission-interval>%.3f</client-transmission-interval>\n"
	    "<client-reception-interval>%.3f</client-reception-interval>\n</bfd-client>\n",
	    configured, configured);
	fprintf(out,
	    "<local-diagnostic>%s</local-diagnostic>\n<remote-diagnostic>None</remote-diagnostic>\n"
	    "<session-version>1</session-version>\n<remote-state>%s</remote-state>\n"
	    "<session-type>Single hop BFD</session-type>\n",
	    local_diagnostic(peer), up ? "Up" : "Down");
	fprintf(out,
	    "<minimum-asynchronous-interval>%.3f</minimum-asynchronous-interval>\n"
	    "<adaptive-reception-interval>%.3f</adaptive-reception-interval>\n"
	    "<minimum-reception-interval>%.3f</minimum-reception-interval>\n"
	    "<detection-multiplier>%u</detection-multiplier>\n",
	    configured, interval, interval, peer->bfd_multiplier);
	fprintf(out,
	    "<local-discriminator>%zu</local-discriminator>\n"
	    "<remote-discriminator>%zu</remote-discriminator>\n"
	    "<no-refresh>no-refresh</no-refresh>\n"
	    "<no-refresh> Session ID: 0x%zx</no-refresh>\n</bfd-session>\n",
	    number + 16, up ? number + 4096 : 0, number + 1);
}

static void
bfd_sessions(struct rpc *rpc)
{
	const struct peer_table *peers = rpc->router->peers;
	char *wanted = conf_child_text(rpc->op, "neighbor");
	char address[IP_TEXT_SIZE];
	size_t count = 0;

	put_payload_start(rpc, "bfd-session-information", "bfd", " junos:style=\"extensive\"");
	for (size_t i = 0; i < peer_table_count(peers); i++) {
		const struct peer *peer = peer_table_at(peers, i);

		if (peer->bfd == PEER_BFD_NONE ||
		    (wanted && strcmp(wanted, ip_format(&peer->address, address)) != 0))
			continue;
		put_bfd(rpc->out, peer, i);
		count++;
	}
	free(wanted);
	fprintf(rpc->out,
	    "<sessions>%zu</sessions>\n<clients>%zu</clients>\n</bfd-session-information>\n", count,
	    count);
}

/* ---- the box --------------------------------------------------------------------------------- */

static void
put_date(FILE *out, int64_t us)
{
	char buf[TEXT_SIZE];

	fprintf(out, "<date-time junos:seconds=\"%" PRId64 "\">%s</date-time>\n", us / 1000000,
	    format_date(us, buf));
}

static void
put_age(FILE *out, const char *name, int64_t us, const char *user)
{
	char buf[TEXT_SIZE];
	int64_t age = (wallclock_now_us() - us) / 1000000;

	age = age < 0 ? 0 : age;
	fprintf(out, "<%s>\n", name);
	put_date(out, us);
	fprintf(out, "<time-length junos:seconds=\"%" PRId64 "\">%s</time-length>\n", age,
	    format_elapsed(age, buf));
	if (user)
		fprintf(out, "<user>%s</user>\n", user);
	fprintf(out, "</%s>\n", name);
}

static void
system_uptime(struct rpc *rpc)
{
	const struct labrouter *router = rpc->router;
	FILE *out = rpc->out;

	fprintf(out,
	    "<system-uptime-information xmlns=\"http://xml.juniper.net/junos/%s/junos\">\n",
	    router->release);
	fputs("<current-time>\n", out);
	put_date(out, wallclock_now_us());
	fputs("</current-time>\n<time-source> NTP CLOCK </time-source>\n", out);
	put_age(out, "system-booted-time", router->booted_us, NULL);
	if (!router->rpd_is_off)
		put_age(out, "protocols-started-time", router->rpd_started_us, NULL);
	put_age(out, "last-configured-time", router->configured_us, router->configured_by);
	fputs("</system-uptime-information>\n", out);
}

static void
route_engine(struct rpc *rpc)
{
	char buf[TEXT_SIZE];
	int64_t up = (wallclock_now_us() - rpc->router->booted_us) / 1000000;

	put_payload_start(rpc, "route-engine-information", "chassis", "");
	fprintf(rpc->out,
	    "<route-engine>\n<slot>0</slot>\n<mastership-state>master</mastership-state>\n"
	    "<status>OK</status>\n<model>labrouter</model>\n"
	    "<start-time junos:seconds=\"%" PRId64 "\">%s</start-time>\n",
	    rpc->router->booted_us / 1000000, format_date(rpc->router->booted_us, buf));
	fprintf(rpc->out, "<up-time junos:seconds=\"%" PRId64 "\">%s</up-time>\n", up,
	    format_elapsed(up, buf));
	fputs("<last-reboot-reason>Router rebooted after a normal shutdown.</last-reboot-reason>\n"
	      "</route-engine>\n</route-engine-information>\n",
	    rpc->out);
}

static void
software(struct rpc *rpc)
{
	fprintf(rpc->out,
	    "<software-information>\n<host-name>%s</host-name>\n"
	    "<product-model>labrouter</product-model>\n<product-name>labrouter</product-name>\n"
	    "<junos-version>%s</junos-version>\n<package-information>\n<name>os-kernel</name>\n"
	    "<comment>autofbf labrouter " AUTOFBF_VERSION "</comment>\n</package-information>\n"
	    "</software-information>\n",
	    rpc->router->hostname, rpc->router->release);
}

static const struct show {
	const char *name;
	enum step step;
	bool needs_rpd, needs_bgp;
	void (*run)(struct rpc *rpc);
} shows[] = {
	{ "get-bgp-summary-information", STEP_SHOW, true, true, bgp_summary },
	{ "get-bgp-neighbor-information", STEP_SHOW, true, true, bgp_neighbor },
	{ "get-bfd-session-information", STEP_SHOW, true, false, bfd_sessions },
	{ "get-system-uptime-information", STEP_SHOW, false, false, system_uptime },
	{ "get-route-engine-information", STEP_SHOW, false, false, route_engine },
	{ "get-software-information", STEP_SHOW, false, false, software },
	{ "get-route-information", STEP_ROUTES, true, false, show_routes },
	{ "get-interface-information", STEP_COUNTERS, false, false, show_interfaces },
	{ "get-firewall-information", STEP_COUNTERS, false, false, show_firewall },
	{ "get-firewall-filter-information", STEP_COUNTERS, false, false, show_firewall_filter },
};

static const struct show *
find_show(const char *name)
{
	for (size_t i = 0; i < sizeof(shows) / sizeof(*shows); i++)
		if (strcmp(shows[i].name, name) == 0)
			return &shows[i];
	return NULL;
}

enum step
show_step(const char *name)
{
	const struct show *show = find_show(name);

	return show ? show->step : STEP_OTHER;
}

bool
show_execute(struct rpc *rpc)
{
	const struct show *show = find_show((const char *)rpc->op->name);

	if (!show)
		return false;
	if (show->needs_rpd) {
		labrouter_refresh_peers(rpc->router);
		if (rpc->router->rpd_is_off) {
			rpc_fail(rpc, "the routing subsystem is not running", NULL);
			return true;
		}
		if (show->needs_bgp && peer_table_count(rpc->router->peers) == 0) {
			fputs("<output>BGP is not running</output>\n", rpc->out);
			return true;
		}
	}
	show->run(rpc);
	return true;
}
