/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which leaf of the state (yang/autofbf.yang) is which object of snmp-mib/AUTOFBF-MIB.txt, in the
 * order of that file. tests/run/test_publish.py reads the file and finds what is missing here, or
 * has another type.
 */
#include "mib_internal.h"

static const struct mib_column agent_columns[] = {
	{ 1, MIB_REACHABLE, NULL },
	{ 2, MIB_AGE, NULL },
	{ 3, MIB_TAKEN, NULL },
	{ 4, MIB_TEXT, "hostname" },
	{ 5, MIB_TEXT, "version" },
	{ 6, MIB_TIME, "started" },
	{ 7, MIB_ENUM, "severity" },
	{ 8, MIB_ENUM, "mode" },
	{ 9, MIB_TEXT, "profile-id" },
	{ 10, MIB_GAUGE32, "algorithm" },
	{ 11, MIB_GAUGE32, "poll-interval" },
	{ 12, MIB_GAUGE32, "audit/interval" },
};

static const struct mib_column router_columns[] = {
	{ 1, MIB_ADDRESS_TYPE, "router/address" },
	{ 2, MIB_ADDRESS, "router/address" },
	{ 3, MIB_TEXT, "router/stage" },
	{ 4, MIB_TRUTH, "router/edit-session" },
	{ 5, MIB_TRUTH, "router/read-session" },
	{ 6, MIB_TIME, "router/session-since" },
	{ 7, MIB_TRUTH, "router/lists-known" },
	{ 8, MIB_TEXT, "router/last-error" },
	{ 9, MIB_COUNTER64, "router/commits" },
	{ 10, MIB_COUNTER64, "router/refused" },
	{ 11, MIB_COUNTER64, "router/load-errors" },
	{ 12, MIB_COUNTER64, "router/warnings" },
	{ 13, MIB_COUNTER64, "router/reconnects" },
	{ 14, MIB_COUNTER64, "router/polls" },
	{ 15, MIB_COUNTER64, "router/poll-failures" },
	{ 16, MIB_COUNTER64, "router/audits" },
	{ 17, MIB_TIME, "audit/last" },
	{ 18, MIB_GAUGE32, "audit/drift" },
	{ 19, MIB_TEXT, "audit/two-writers" },
	{ 20, MIB_TEXT, "audit/foreign-list" },
	{ 21, MIB_COUNTER64, "edits/added" },
	{ 22, MIB_COUNTER64, "edits/removed" },
	{ 23, MIB_COUNTER64, "edits/repairs" },
	{ 24, MIB_ENUM, "last-commit/outcome" },
	{ 25, MIB_TEXT, "last-commit/cause" },
	{ 26, MIB_GAUGE32, "last-commit/edits" },
	{ 27, MIB_TIME, "last-commit/first-event" },
	{ 28, MIB_TIME, "last-commit/committed" },
	{ 29, MIB_TIME, "last-commit/read-back" },
};

static const struct mib_column source_columns[] = {
	{ 2, MIB_TRUTH, "enabled" },
	{ 3, MIB_TRUTH, "connected" },
	{ 4, MIB_TIME, "last-message" },
	{ 5, MIB_COUNTER64, "messages" },
	{ 6, MIB_COUNTER64, "events" },
	{ 7, MIB_COUNTER64, "errors" },
	{ 8, MIB_COUNTER64, "foreign" },
};

static const struct mib_column group_columns[] = {
	{ 2, MIB_TEXT, "name" },
	{ 3, MIB_TEXT, "capacity-label" },
	{ 4, MIB_TEXT, "operator-freeze/by" },
	{ 5, MIB_TIME, "operator-freeze/at" },
	{ 6, MIB_TEXT, "operator-freeze/reason" },
	{ 7, MIB_TEXT, "operator-alter/by" },
	{ 8, MIB_TIME, "operator-alter/at" },
	{ 9, MIB_TEXT, "operator-alter/reason" },
	{ 10, MIB_GAUGE32, "failures-tolerated" },
	{ 11, MIB_ENUM, "failures-limit" },
};

static const struct mib_column group_family_columns[] = {
	{ 2, MIB_GAUGE32, "units" },
	{ 3, MIB_GAUGE32, "displaced" },
	{ 4, MIB_GAUGE32, "misplaced" },
	{ 5, MIB_GAUGE32, "base-drift" },
	{ 6, MIB_GAUGE32, "pending-edits" },
	{ 7, MIB_TEXT, "layout-id" },
	{ 8, MIB_TEXT, "base-layout-id" },
	{ 9, MIB_ENUM, "freeze" },
	{ 10, MIB_TEXT, "freeze-reason" },
	{ 11, MIB_GAUGE32, "split-bits" },
	{ 12, MIB_GAUGE32, "pieces" },
	{ 13, MIB_GAUGE32, "standby-same-domain" },
	{ 14, MIB_ENUM, "return-path" },
	{ 15, MIB_COUNTER64, "displaced-seconds" },
	{ 16, MIB_GAUGE32, "alive" },
	{ 17, MIB_GAUGE32, "min-alive" },
	{ 18, MIB_TIME, "unlisted/measured" },
	{ 19, MIB_GAUGE32, "unlisted/window" },
	{ 20, MIB_TIME, "unlisted/discontinuity" },
	{ 21, MIB_TEXT, "unlisted/unavailable" },
	{ 22, MIB_COUNTER64, "unlisted/packets" },
	{ 23, MIB_COUNTER64, "unlisted/octets" },
	{ 24, MIB_GAUGE64, "unlisted/packets-per-second" },
	{ 25, MIB_GAUGE64, "unlisted/bits-per-second" },
};

static const struct mib_column signal_columns[] = {
	{ 2, MIB_ADDRESS_TYPE, "route" },
	{ 3, MIB_ADDRESS, "route" },
	{ 4, MIB_PREFIX_LENGTH, "route" },
	{ 5, MIB_TRUTH, "wanted" },
	{ 6, MIB_TRUTH, "installed" },
	{ 7, MIB_TIME, "hold-until" },
};

static const struct mib_column element_columns[] = {
	{ 2, MIB_PARENT_KEY, "id" },
	{ 3, MIB_TEXT, "name" },
	{ 4, MIB_GAUGE32, "weight" },
	{ 5, MIB_GAUGE32, "failed-weight" },
	{ 6, MIB_TRUTH, "removed" },
	{ 7, MIB_TEXT, "failure-domain" },
	{ 8, MIB_GAUGE64, "capacity", 3 },
	{ 9, MIB_GAUGE64, "load-base", 3 },
	{ 10, MIB_GAUGE64, "load-now", 3 },
	{ 11, MIB_GAUGE64, "load-worst", 3 },
	{ 12, MIB_TEXT, "forced/by" },
	{ 13, MIB_TIME, "forced/at" },
	{ 14, MIB_TEXT, "forced/reason" },
};

static const struct mib_column element_family_columns[] = {
	{ 2, MIB_ENUM, "state" },
	{ 3, MIB_TRUTH, "healthy" },
	{ 4, MIB_TEXT, "reason" },
	{ 5, MIB_TIME, "since" },
	{ 6, MIB_TIME, "hold-until" },
	{ 7, MIB_TIME, "damped-until" },
	{ 8, MIB_GAUGE32, "downs" },
	{ 9, MIB_TRUTH, "awaits-operator" },
	{ 10, MIB_GAUGE32, "base-units" },
	{ 11, MIB_GAUGE32, "wanted-units" },
	{ 12, MIB_GAUGE32, "effective-units" },
	{ 13, MIB_GAUGE64, "wanted-share", 6 },
	{ 14, MIB_GAUGE64, "effective-share", 6 },
	{ 15, MIB_GAUGE32, "base-entries" },
	{ 16, MIB_GAUGE32, "override-entries" },
	{ 17, MIB_COUNT, "nat-pool" },
	{ 18, MIB_COUNT_TRUE, "nat-pool/active" },
};

static const struct mib_column load_columns[] = {
	{ 2, MIB_TEXT, "interface" },
	{ 3, MIB_TIME, "measured" },
	{ 4, MIB_GAUGE32, "window" },
	{ 5, MIB_TIME, "discontinuity" },
	{ 6, MIB_TEXT, "unavailable" },
	{ 7, MIB_COUNTER64, "sent/packets" },
	{ 8, MIB_COUNTER64, "sent/octets" },
	{ 9, MIB_GAUGE64, "sent/packets-per-second" },
	{ 10, MIB_GAUGE64, "sent/bits-per-second" },
	{ 11, MIB_COUNTER64, "received/packets" },
	{ 12, MIB_COUNTER64, "received/octets" },
	{ 13, MIB_GAUGE64, "received/packets-per-second" },
	{ 14, MIB_GAUGE64, "received/bits-per-second" },
};

static const struct mib_column steered_columns[] = {
	{ 2, MIB_TIME, "measured" },
	{ 3, MIB_GAUGE32, "window" },
	{ 4, MIB_TIME, "discontinuity" },
	{ 5, MIB_TEXT, "unavailable" },
	{ 6, MIB_COUNTER64, "packets" },
	{ 7, MIB_COUNTER64, "octets" },
	{ 8, MIB_GAUGE64, "packets-per-second" },
	{ 9, MIB_GAUGE64, "bits-per-second" },
	{ 10, MIB_COUNTER64, "override-packets" },
};

static const struct mib_column session_columns[] = {
	{ 2, MIB_ADDRESS_TYPE, "address" },
	{ 3, MIB_ADDRESS, "address" },
	{ 4, MIB_TEXT, "instance" },
	{ 5, MIB_ENUM, "bgp" },
	{ 6, MIB_ENUM, "bfd" },
	{ 7, MIB_ENUM, "bfd-mode" },
	{ 8, MIB_TRUTH, "unprotected" },
	{ 9, MIB_TEXT, "cause" },
	{ 10, MIB_TEXT, "source" },
	{ 11, MIB_TIME, "since" },
	{ 12, MIB_TIME, "established-since" },
	{ 13, MIB_COUNTER32, "flaps" },
	{ 14, MIB_GAUGE64, "routes" },
	{ 15, MIB_TRUTH, "lacks-routes" },
	{ 16, MIB_TRUTH, "slow-bfd" },
	{ 17, MIB_GAUGE32, "detection-time" },
};

static const struct mib_column nat_pool_columns[] = {
	{ 2, MIB_ADDRESS_TYPE, "prefix" },
	{ 3, MIB_ADDRESS, "prefix" },
	{ 4, MIB_PREFIX_LENGTH, "prefix" },
	{ 5, MIB_ENUM, "kind" },
	{ 6, MIB_TRUTH, "active" },
	{ 7, MIB_ADDRESS_TYPE, "via" },
	{ 8, MIB_ADDRESS, "via" },
	{ 9, MIB_TEXT, "taken-by" },
};

static const struct mib_column reaction_columns[] = {
	{ 2, MIB_COUNTER64, "count" },
	{ 3, MIB_COUNTER64, "sum" },
	{ 4, MIB_GAUGE64, "maximum" },
};

static const struct mib_column reaction_bucket_columns[] = {
	{ 2, MIB_COUNTER64, "count" },
};

static const struct mib_column alarms_columns[] = {
	{ 1, MIB_COUNT, "alarm" },
	{ 2, MIB_COUNTER64, "alarms-suppressed" },
	{ 3, MIB_TIME, "alarms-last-change" },
};

static const struct mib_column alarm_columns[] = {
	{ 2, MIB_TEXT, "type" },
	{ 3, MIB_TEXT, "key" },
	{ 4, MIB_ENUM, "severity" },
	{ 5, MIB_TIME, "since" },
	{ 6, MIB_TEXT_OR_NONE, "cause" },
	{ 7, MIB_TEXT_OR_NONE, "remedy" },
	{ 8, MIB_TEXT_OR_NONE, "group" },
	{ 9, MIB_TEXT_OR_NONE, "element" },
	{ 10, MIB_ENUM_OR_NONE, "family" },
};

#define COLUMNS(name) name##_columns, sizeof(name##_columns) / sizeof(name##_columns[0])

const struct mib_table mib_tables[] = {
	{ 1, "", NULL, COLUMNS(agent) },
	{ 2, "", NULL, COLUMNS(router) },
	{ 3, "source", "source", COLUMNS(source) },
	{ 4, "group", "group", COLUMNS(group) },
	{ 5, "group/family", "group family", COLUMNS(group_family) },
	{ 6, "group/family/failed-route", "group family 1", COLUMNS(signal) },
	{ 6, "group/family/alter-route", "group family 2", COLUMNS(signal) },
	{ 7, "group/element", "element", COLUMNS(element) },
	{ 8, "group/element/family", "element family", COLUMNS(element_family) },
	{ 9, "group/element/load", "element load", COLUMNS(load) },
	{ 10, "group/element/family/steered", "element family steered", COLUMNS(steered) },
	{ 11, "group/element/family/peer", "element family peer", COLUMNS(session) },
	{ 12, "group/element/family/nat-pool", "element family nat-pool", COLUMNS(nat_pool) },
	{ 13, "reaction", "reaction", COLUMNS(reaction) },
	{ 14, "reaction/bucket", "reaction bucket", COLUMNS(reaction_bucket) },
	{ 15, "", NULL, COLUMNS(alarms) },
	{ 16, "alarm", "#", COLUMNS(alarm) },
};

const size_t mib_table_count = sizeof(mib_tables) / sizeof(mib_tables[0]);
