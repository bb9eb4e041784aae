/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translates FRR's view of its peers into the peer table. Two questions per refresh: bgpd's
 * neighbours and bfdd's sessions. The table's setters decide what is a change; what this file adds
 * is a flap between two refreshes, seen by bgpd's count of dropped connections, which is told as
 * down and up, so that no edge is lost on those who log them.
 *
 * FRR says why a session ended in a sentence, and in the text of the last NOTIFICATION when it sent
 * one; the tables below turn both into a cause. Every peer is in the default instance: the lab has
 * no VRF, an instance is a label that the table keeps.
 */
#include "frr.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <json-c/json.h>

#include "frr_routes.h"
#include "peers.h"
#include "vty.h"

enum { TIMEOUT_MS = 200 };

struct memory { /* what the last refresh saw of a peer */
	struct ip address;
	int64_t dropped;
};

struct frr {
	struct vty *bgpd, *bfdd;
	struct vty *config;      /* bgpd again: questions do not work in its configuration mode */
	char *lines, *next_line; /* owned, NULL: nothing to configure; a place in it */
	struct memory *memories;
	size_t count;
};

static const struct {
	const char *text; /* beginning of lastNotificationReason or lastResetDueTo */
	enum peer_cause cause;
} causes[] = {
	{ "BFD down", PEER_CAUSE_BFD },
	{ "Cease/BFD Down", PEER_CAUSE_BFD },
	{ "Hold Timer Expired", PEER_CAUSE_HOLD_TIMER },
	{ "BGP Notification received", PEER_CAUSE_NOTIFICATION },
	{ "Admin. shutdown", PEER_CAUSE_ADMIN },
	{ "Cease/Administrative", PEER_CAUSE_ADMIN },
	{ "Peer closed the session", PEER_CAUSE_CLOSED },
	{ "Interface down", PEER_CAUSE_INTERFACE },
};

static const struct {
	const char *text;
	enum peer_bfd bfd;
} bfd_states[] = {
	{ "up", PEER_BFD_UP },
	{ "down", PEER_BFD_DOWN },
	{ "init", PEER_BFD_INIT },
	{ "shutdown", PEER_BFD_ADMINDOWN },
};

struct frr *
frr_new(const char *vty_dir)
{
	struct frr *frr = xcalloc(1, sizeof(*frr));
	char *bgpd = xasprintf("%s/bgpd.vty", vty_dir);
	char *bfdd = xasprintf("%s/bfdd.vty", vty_dir);

	frr->bgpd = vty_new(bgpd);
	frr->config = vty_new(bgpd);
	frr->bfdd = vty_new(bfdd);
	free(bgpd);
	free(bfdd);
	return frr;
}

static void
forget_lines(struct frr *frr)
{
	free(frr->lines);
	frr->lines = frr->next_line = NULL;
}

void
frr_free(struct frr *frr)
{
	if (!frr)
		return;
	vty_free(frr->bgpd);
	vty_free(frr->bfdd);
	vty_free(frr->config);
	forget_lines(frr);
	free(frr->memories);
	free(frr);
}

static const char *
text_of(json_object *object, const char *key)
{
	json_object *value;

	return json_object_object_get_ex(object, key, &value) ? json_object_get_string(value)
	                                                      : NULL;
}

static int64_t
number_of(json_object *object, const char *key)
{
	json_object *value;

	return json_object_object_get_ex(object, key, &value) ? json_object_get_int64(value) : 0;
}

static enum peer_bgp
bgp_state(json_object *peer)
{
	const char *text = text_of(peer, "bgpState");

	for (int i = 0; text && i < PEER_BGP_COUNT; i++)
		if (!strcasecmp(text, peer_bgp_names[i]))
			return (enum peer_bgp)i;
	return PEER_IDLE; /* Clearing, Deleted */
}

static enum peer_cause
cause_by_text(const char *text)
{
	for (size_t i = 0; text && i < sizeof(causes) / sizeof(causes[0]); i++)
		if (!strncmp(text, causes[i].text, strlen(causes[i].text)))
			return causes[i].cause;
	return PEER_CAUSE_UNKNOWN;
}

/* A NOTIFICATION that was received is the peer's reason, one that was sent tells ours. A retry may
 * have overwritten the sentence ("Waiting for NHT"): then a BFD session that is down is the best
 * that is known. */
static enum peer_cause
down_cause(const struct peer *peer, json_object *json)
{
	const char *reset = text_of(json, "lastResetDueTo");
	enum peer_cause cause = cause_by_text(reset);

	if (cause == PEER_CAUSE_UNKNOWN && reset && !strcmp(reset, "BGP Notification send"))
		cause = cause_by_text(text_of(json, "lastNotificationReason"));
	if (cause == PEER_CAUSE_UNKNOWN && peer->bfd == PEER_BFD_DOWN && !peer->bfd_was_admin)
		cause = PEER_CAUSE_BFD;
	return cause;
}

static struct memory *
remember(struct frr *frr, const struct ip *address)
{
	for (size_t i = 0; i < frr->count; i++)
		if (!ip_compare(&frr->memories[i].address, address))
			return &frr->memories[i];
	frr->memories = xreallocarray(frr->memories, frr->count + 1, sizeof(*frr->memories));
	frr->memories[frr->count] = (struct memory){ .address = *address, .dropped = -1 };
	return &frr->memories[frr->count++];
}

/* bgpd knows a peer that the static configuration did not name. */
static void
add_unknown(struct peer_table *table, const struct ip *address, json_object *json, struct mtime now)
{
	struct peer peer = { .address = *address,
		.instance = "master",
		.group = "ELEMENTS",
		.as = (uint32_t)number_of(json, "remoteAs"),
		.local_as = (uint32_t)number_of(json, "localAs"),
		.use_bfd = json_object_object_get_ex(json, "peerBfdInfo", NULL) };

	if (!peer_table_find(table, address))
		(void)peer_table_add(table, &peer, now);
}

static void
set_rib(struct peer_table *table, const struct peer *peer, bool is_v6, json_object *info)
{
	bool is_main = !strcmp(peer->instance, "master");
	struct ip address = peer->address;
	struct peer_rib rib = { 0 };

	if (snprintf(rib.name, sizeof(rib.name), "%s%s%s", is_main ? "" : peer->instance,
	        is_main ? "" : ".", is_v6 ? "inet6.0" : "inet.0") >= (int)sizeof(rib.name))
		return;
	rib.accepted = (uint32_t)number_of(info, "acceptedPrefixCounter");
	rib.active = rib.received = rib.accepted;
	(void)peer_set_rib(table, &address, &rib); /* the peer is there */
}

static void
set_ribs(struct peer_table *table, const struct ip *address, json_object *json)
{
	const struct peer *peer = peer_table_find(table, address);
	json_object *families, *info;

	if (!json_object_object_get_ex(json, "addressFamilyInfo", &families))
		return;
	if (json_object_object_get_ex(families, "ipv4Unicast", &info))
		set_rib(table, peer, false, info);
	if (json_object_object_get_ex(families, "ipv6Unicast", &info))
		set_rib(table, peer, true, info);
}

static void
take_neighbor(struct frr *frr, struct peer_table *table, const char *text, json_object *json,
    struct mtime now)
{
	enum peer_bgp bgp = bgp_state(json);
	const char *age = bgp == PEER_ESTABLISHED ? "bgpTimerUpMsec" : "lastResetTimerMsecs";
	struct mtime since = mtime_add_ms(now, -number_of(json, age));
	int64_t dropped = number_of(json, "connectionsDropped");
	enum peer_cause cause;
	struct memory *memory;
	struct ip address;

	if (ip_parse(text, &address))
		return;
	add_unknown(table, &address, json, now);
	cause = down_cause(peer_table_find(table, &address), json);
	memory = remember(frr, &address);
	if (bgp == PEER_ESTABLISHED && memory->dropped >= 0 && dropped > memory->dropped)
		(void)peer_set_bgp(table, &address, PEER_IDLE, cause, since);
	memory->dropped = dropped;
	(void)peer_set_bgp(table, &address, bgp, cause, since);
	if (bgp == PEER_ESTABLISHED)
		set_ribs(table, &address, json);
}

static bool
is_admin_down(json_object *session)
{
	const char *local = text_of(session, "diagnostic");
	const char *remote = text_of(session, "remote-diagnostic");

	return (local && strstr(local, "administratively")) ||
	       (remote && strstr(remote, "administratively"));
}

static void
take_session(struct peer_table *table, json_object *session, struct mtime now)
{
	const char *status = text_of(session, "status");
	const char *peer = text_of(session, "peer");
	const char *device = text_of(session, "interface");
	int64_t age_s = number_of(session, "uptime");
	struct ip address;

	if (!peer || !status || ip_parse(peer, &address))
		return;
	for (size_t i = 0; i < sizeof(bfd_states) / sizeof(bfd_states[0]); i++)
		if (!strcmp(bfd_states[i].text, status))
			(void)peer_set_bfd(table, &address, bfd_states[i].bfd,
			    is_admin_down(session), mtime_add_ms(now, -1000 * age_s));
	if (device)
		(void)peer_set_interface(table, &address, device);
	(void)peer_set_bfd_timers(table, &address,
	    (uint32_t)number_of(session, "transmit-interval") * 1000,
	    (uint32_t)number_of(session, "detect-multiplier"));
}

static bool
has_session(json_object *sessions, const struct ip *address)
{
	for (size_t i = 0; i < json_object_array_length(sessions); i++) {
		const char *peer = text_of(json_object_array_get_idx(sessions, i), "peer");
		struct ip other;

		if (peer && !ip_parse(peer, &other) && !ip_compare(&other, address))
			return true;
	}
	return false;
}

/* A session that bfdd does not know any more has no state, and did not fail. */
static void
forget_sessions(struct peer_table *table, json_object *sessions, struct mtime now)
{
	for (size_t i = 0; i < peer_table_count(table); i++) {
		struct ip address = peer_table_at(table, i)->address;

		if (!has_session(sessions, &address))
			(void)peer_set_bfd(table, &address, PEER_BFD_NONE, true, now);
	}
}

static json_object *
ask(struct vty *vty, const char *command, enum json_type type, struct error *err)
{
	json_object *json;
	char *text;

	if (vty_ask(vty, command, TIMEOUT_MS, &text, err) < 0)
		return NULL;
	json = json_tokener_parse(text);
	free(text);
	if (json && json_object_is_type(json, type))
		return json;
	json_object_put(json);
	(void)error_set(err, -EBADMSG, "FRR: the answer to '%s' is not what it was", command);
	return NULL;
}

static void
take_neighbors(struct frr *frr, struct peer_table *table, json_object *neighbors, struct mtime now)
{
	struct json_object_iterator at = json_object_iter_begin(neighbors);
	struct json_object_iterator end = json_object_iter_end(neighbors);

	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
		take_neighbor(frr, table, json_object_iter_peek_name(&at),
		    json_object_iter_peek_value(&at), now);
}

/* A session that is not configured any more carries nothing. */
static void
forget_neighbors(struct peer_table *table, json_object *neighbors, struct mtime now)
{
	for (size_t i = 0; i < peer_table_count(table); i++) {
		struct ip address = peer_table_at(table, i)->address;
		char buf[IP_TEXT_SIZE];

		if (!json_object_object_get_ex(neighbors, ip_format(&address, buf), NULL))
			(void)peer_set_bgp(table, &address, PEER_IDLE, PEER_CAUSE_ADMIN, now);
	}
}

int
frr_refresh(struct frr *frr, struct peer_table *table, struct error *err)
{
	json_object *neighbors = ask(frr->bgpd, "show bgp neighbors json", json_type_object, err);
	json_object *sessions;
	struct mtime now = mtime_now();
	struct error ignored; /* a silent bfdd: what was known stays */

	if (!neighbors)
		return -ENOTCONN;
	sessions = ask(frr->bfdd, "show bfd peers json", json_type_array, &ignored);
	if (sessions) {
		for (size_t i = 0; i < json_object_array_length(sessions); i++)
			take_session(table, json_object_array_get_idx(sessions, i), now);
		forget_sessions(table, sessions, now);
	}
	take_neighbors(frr, table, neighbors, now);
	forget_neighbors(table, neighbors, now);
	json_object_put(sessions);
	json_object_put(neighbors);
	return 0;
}

int
frr_routes(struct frr *frr, struct learned *learned, struct error *err)
{
	static const char *const questions[] = { "show bgp ipv4 unicast json",
		"show bgp ipv6 unicast json" };
	struct frr_routes routes = { 0 };
	struct mtime now = mtime_now();
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(questions) / sizeof(*questions); i++) {
		json_object *answer = ask(frr->bgpd, questions[i], json_type_object, err);

		if (answer)
			frr_routes_add(&routes, answer, now);
		else
			rc = -ENOTCONN;
		json_object_put(answer);
	}
	if (rc == 0)
		learned_replace(learned, routes.list, routes.count);
	frr_routes_done(&routes);
	return rc;
}

/* ---- configuration --------------------------------------------------------------------------- */

/* Earlier lines may have been left half done: "end" leaves every mode. */
void
frr_configure(struct frr *frr, const char *lines)
{
	forget_lines(frr);
	frr->lines = xasprintf("end\nconfigure terminal\n%send", lines);
	frr->next_line = frr->lines;
}

bool
frr_is_configuring(const struct frr *frr)
{
	return frr->lines;
}

static bool
may_fail(const char *line)
{
	return strncmp(line, "no ", 3) == 0 || strcmp(line, "end") == 0;
}

/* A command that was taken is answered with nothing, another with "% ...". */
int
frr_configure_step(struct frr *frr, struct error *err)
{
	const char *line = strsep(&frr->next_line, "\n");
	char *text = NULL;
	int rc;

	if (!line)
		return 0;
	rc = vty_ask(frr->config, line, TIMEOUT_MS, &text, err);
	if (rc == 0 && strchr(text, '%') && !may_fail(line))
		rc = error_set(err, -EINVAL, "FRR: '%s': %.200s", line, text);
	free(text);
	if (rc < 0 || !frr->next_line)
		forget_lines(frr);
	return rc < 0 ? rc : frr->lines != NULL;
}
