/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All metrics, in the order of the model. Lines of one name stand together. A counter starts anew
 * with the agent, or with the router's own counter; Prometheus sees both as a reset.
 */
#include "metrics_internal.h"

#define GAUGE(name, rows, path, help) \
	{ \
		name, false, help, rows, path, METRIC_NUMBER \
	}
#define COUNTER(name, rows, path, help) \
	{ \
		name, true, help, rows, path, METRIC_NUMBER \
	}
#define FLAG(name, rows, path, word, help) \
	{ \
		name, false, help, rows, path, METRIC_TRUE, word \
	}
#define KIND(name, rows, path, kind, help) \
	{ \
		name, false, help, rows, path, kind \
	}

#define GF "group/family"
#define EF "group/element/family"
#define PEER "group/element/family/peer"
#define LOAD "group/element/load"
#define STEERED "group/element/family/steered"

const struct metric metrics[] = {
	{ "autofbf_agent_info", false, "The agent and its profile.", "", NULL, METRIC_ONE,
	    .leaves = "hostname version mode profile-id" },
	KIND("autofbf_agent_start_time_seconds", "", "started", METRIC_TIME,
	    "When the agent started."),
	FLAG("autofbf_degraded", "", "severity", "degraded", "The whole is degraded."),
	FLAG("autofbf_critical", "", "severity", "critical", "The whole is critical."),
	KIND("autofbf_poll_interval_seconds", "", "poll-interval", METRIC_MILLI,
	    "How often the agent polls the router."),

	{ "autofbf_router_session_up", false, "A NETCONF session with the router is up.", "router",
	    "edit-session", METRIC_TRUE, "true", "session", "edit" },
	{ "autofbf_router_session_up", false, "A NETCONF session with the router is up.", "router",
	    "read-session", METRIC_TRUE, "true", "session", "read" },
	FLAG("autofbf_router_lists_known", "router", "lists-known", "true",
	    "The router's lists were read at least once; a lost session changes nothing."),
	COUNTER("autofbf_router_commits_total", "router", "commits", "Acknowledged commits."),
	COUNTER("autofbf_router_refused_total", "router", "refused",
	    "Transactions that the router did not let begin."),
	COUNTER("autofbf_router_load_errors_total", "router", "load-errors",
	    "Transactions that ended with an error and changed nothing."),
	COUNTER("autofbf_router_warnings_total", "router", "warnings", "Warnings of the router."),
	COUNTER("autofbf_router_reconnects_total", "router", "reconnects", "Sessions made anew."),
	COUNTER("autofbf_router_polls_total", "router", "polls", "Polls of the router."),
	COUNTER("autofbf_router_poll_failures_total", "router", "poll-failures",
	    "Polls without a usable answer."),
	COUNTER("autofbf_router_audits_total", "router", "audits", "Readings of the lists."),

	FLAG("autofbf_source_enabled", "source", "enabled", "true", "The profile asks for it."),
	FLAG("autofbf_source_connected", "source", "connected", "true",
	    "bmp and poll: the session is up; syslog: a message came once."),
	KIND("autofbf_source_last_message_timestamp_seconds", "source", "last-message", METRIC_TIME,
	    "When something last came; poll: the last answer that gave verdicts."),
	COUNTER("autofbf_source_messages_total", "source", "messages", "Messages."),
	COUNTER("autofbf_source_events_total", "source", "events", "Events that they told."),
	COUNTER("autofbf_source_errors_total", "source", "errors",
	    "Messages without sense; polls that gave no verdict."),
	COUNTER("autofbf_source_foreign_total", "source", "foreign",
	    "Messages from senders that are not allowed."),

	KIND("autofbf_audit_last_timestamp_seconds", "audit", "last", METRIC_TIME,
	    "When the last audit was."),
	GAUGE(
	    "autofbf_audit_drift_edits", "audit", "drift", "Edits that the last audit asked for."),
	KIND("autofbf_audit_interval_seconds", "audit", "interval", METRIC_MILLI,
	    "How often the agent audits."),
	{ "autofbf_edits_total", true, "Lines written to the router.", "edits", "added",
	    METRIC_NUMBER, NULL, "action", "added" },
	{ "autofbf_edits_total", true, "Lines written to the router.", "edits", "removed",
	    METRIC_NUMBER, NULL, "action", "removed" },
	COUNTER("autofbf_repairs_total", "edits", "repairs",
	    "Commits that put back what somebody else had changed."),

	{ "autofbf_alarm", false, "An alarm that stands.", "alarm", NULL, METRIC_ONE,
	    .leaves = "severity group element family" },
	COUNTER("autofbf_alarms_suppressed_total", "", "alarms-suppressed",
	    "Notifications of alarms that were not sent."),

	{ "autofbf_group_info", false, "A group and its layout.", GF, NULL, METRIC_ONE,
	    .leaves = "layout-id base-layout-id return-path" },
	GAUGE("autofbf_group_failures_tolerated", "group", "failures-tolerated",
	    "Failures of whichever elements that leave enough of them, none above capacity."),
	GAUGE("autofbf_group_units", GF, "units", "Units of the pools."),
	GAUGE("autofbf_group_displaced_units", GF, "displaced",
	    "Units not with their base owner in the wanted layout."),
	GAUGE("autofbf_group_misplaced_units", GF, "misplaced",
	    "Units not with their wanted owner on the router."),
	GAUGE("autofbf_group_base_drift_units", GF, "base-drift",
	    "Units whose owner by the static base lists is not the profile's."),
	GAUGE("autofbf_group_pending_edits", GF, "pending-edits", "Lines from have to want."),
	{ "autofbf_group_thawed", false, "The layout may follow the healthy set.", GF, "freeze",
	    METRIC_TRUE, "no", .leaves = "freeze" },
	GAUGE("autofbf_group_pieces", GF, "pieces", "Entries that the layout needs."),
	GAUGE("autofbf_group_standby_same_domain_units", GF, "standby-same-domain",
	    "Units whose standby shares the owner's failure domain."),
	COUNTER("autofbf_group_displaced_seconds_total", GF, "displaced-seconds",
	    "Time during which units were away from their base owner."),
	COUNTER("autofbf_group_unlisted_packets_total", GF, "unlisted/packets",
	    "Packets of subscribers in no list, dropped."),
	COUNTER("autofbf_group_unlisted_bytes_total", GF, "unlisted/octets",
	    "Bytes of subscribers in no list, dropped."),
	GAUGE("autofbf_group_alive_elements", GF, "alive", "Elements in the healthy set."),
	GAUGE(
	    "autofbf_group_min_alive_elements", GF, "min-alive", "Fewer install the failed route."),
	{ "autofbf_signal_route_wanted", false, "A signal route is wanted.", GF,
	    "failed-route/wanted", METRIC_TRUE, "true", "route", "failed" },
	{ "autofbf_signal_route_wanted", false, "A signal route is wanted.", GF,
	    "alter-route/wanted", METRIC_TRUE, "true", "route", "alter" },
	{ "autofbf_signal_route_installed", false, "A signal route is installed.", GF,
	    "failed-route/installed", METRIC_TRUE, "true", "route", "failed" },
	{ "autofbf_signal_route_installed", false, "A signal route is installed.", GF,
	    "alter-route/installed", METRIC_TRUE, "true", "route", "alter" },

	{ "autofbf_element_info", false, "An element.", "group/element", NULL, METRIC_ONE,
	    .leaves = "name failure-domain removed" },
	GAUGE("autofbf_element_weight", "group/element", "weight", "Its weight."),
	KIND("autofbf_element_forced", "group/element", "forced", METRIC_THERE,
	    "An operator took it offline."),
	GAUGE("autofbf_element_capacity", "group/element", "capacity",
	    "What it can carry, in the group's capacity label."),
	GAUGE("autofbf_element_load_base", "group/element", "load-base",
	    "What it carries with everybody healthy."),
	GAUGE("autofbf_element_load_now", "group/element", "load-now",
	    "What it carries by the router's lists."),
	GAUGE("autofbf_element_load_worst", "group/element", "load-worst",
	    "What it carries after the worst failure of another one."),
	COUNTER("autofbf_element_sent_packets_total", LOAD, "sent/packets",
	    "Packets from the router to the element."),
	COUNTER("autofbf_element_sent_bytes_total", LOAD, "sent/octets",
	    "Bytes from the router to the element."),
	COUNTER("autofbf_element_received_packets_total", LOAD, "received/packets",
	    "Packets from the element to the router."),
	COUNTER("autofbf_element_received_bytes_total", LOAD, "received/octets",
	    "Bytes from the element to the router."),
	KIND("autofbf_element_measured_timestamp_seconds", LOAD, "measured", METRIC_TIME,
	    "When the router was asked for these counters."),

	FLAG("autofbf_element_healthy", EF, "healthy", "true", "A member of the healthy set."),
	{ "autofbf_element_state", false, "1 for the state that it is in.", EF, "state", METRIC_ONE,
	    .leaves = "state" },
	GAUGE("autofbf_element_downs", EF, "downs", "Failures within the damping window."),
	GAUGE("autofbf_element_base_units", EF, "base-units", "Units by the profile."),
	GAUGE("autofbf_element_wanted_units", EF, "wanted-share", "Units by the wanted layout."),
	GAUGE("autofbf_element_effective_units", EF, "effective-share",
	    "Units by the router's lists."),
	GAUGE("autofbf_element_base_entries", EF, "base-entries", "Lines of the base list."),
	GAUGE("autofbf_element_override_entries", EF, "override-entries",
	    "Lines of the override list."),
	KIND("autofbf_element_nat_pools", EF, "nat-pool", METRIC_COUNT, "NAT pools."),
	KIND("autofbf_element_nat_pools_active", EF, "nat-pool/active", METRIC_COUNT,
	    "NAT pools whose active route leads to the element."),
	GAUGE("autofbf_element_port_blocks", EF, "port-blocks/available",
	    "Port blocks of its pools of kind pba."),
	GAUGE("autofbf_element_port_blocks_base", EF, "port-blocks/base",
	    "Port blocks needed with everybody healthy."),
	GAUGE("autofbf_element_port_blocks_now", EF, "port-blocks/now",
	    "Port blocks needed by the router's lists."),
	GAUGE("autofbf_element_port_blocks_worst", EF, "port-blocks/worst",
	    "Port blocks needed after the worst failure of another one."),
	COUNTER("autofbf_steered_packets_total", STEERED, "packets",
	    "Packets that the filter terms of the element took."),
	COUNTER("autofbf_steered_bytes_total", STEERED, "octets", "Bytes of them."),
	COUNTER("autofbf_steered_override_packets_total", STEERED, "override-packets",
	    "Packets that the override term took."),

	KIND("autofbf_session_bgp_up", PEER, "bgp", METRIC_UP, "BGP is Established."),
	KIND("autofbf_session_bfd_up", PEER, "bfd", METRIC_UP, "BFD is up."),
	FLAG("autofbf_session_unprotected", PEER, "unprotected", "true",
	    "Established, BFD expected but never up."),
	COUNTER("autofbf_session_flaps_total", PEER, "flaps", "How often it went down."),
	GAUGE("autofbf_session_routes", PEER, "routes", "Active routes."),
	KIND("autofbf_session_detection_time_seconds", PEER, "detection-time", METRIC_MICRO,
	    "Negotiated BFD detection time."),
};

const size_t metric_count = sizeof(metrics) / sizeof(metrics[0]);
