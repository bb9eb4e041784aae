/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The grammar of Junos' replies: in which element which child means what, and into which field its
 * text goes. Names are local names, because the namespaces carry the release. One name means
 * different things in different places (<name> is everywhere), so a rule holds only below its
 * parent; and what no rule knows is looked through outside of a payload (wrappers of routing
 * engines, results of a load) and passed over inside of one.
 *
 * Errors are known everywhere: Junos puts them into replies that look like a success.
 */
#include "junos_reply_internal.h"

#include <string.h>

#define FIELD(type, field) offsetof(struct type, field)

#define TRAFFIC_RULE(node, name, field) \
	{ \
		node, name, NODE_VALUE, VALUE_COUNT64, FIELD(junos_interface, field) \
	}
#define TRAFFIC_RULES(node, block) \
	TRAFFIC_RULE(node, "input-packets", block.input_packets), \
	    TRAFFIC_RULE(node, "output-packets", block.output_packets), \
	    TRAFFIC_RULE(node, "input-bytes", block.input_bytes), \
	    TRAFFIC_RULE(node, "output-bytes", block.output_bytes)

static const struct rule rules[] = {
	{ NODE_THROUGH, "rpc-reply", NODE_REPLY },
	{ NODE_THROUGH, "cli", NODE_CLI },
	{ NODE_THROUGH, "data", NODE_DATA },
	{ NODE_THROUGH, "ok", NODE_OK },
	{ NODE_THROUGH, "commit-success", NODE_OK },
	{ NODE_THROUGH, "load-success", NODE_OK },
	{ NODE_THROUGH, "output", NODE_OUTPUT },
	{ NODE_THROUGH, "hello", NODE_HELLO },
	{ NODE_THROUGH, "bgp-information", NODE_BGP },
	{ NODE_THROUGH, "bfd-session-information", NODE_BFD },
	{ NODE_THROUGH, "system-uptime-information", NODE_UPTIME },
	{ NODE_THROUGH, "route-information", NODE_ROUTES },
	{ NODE_THROUGH, "interface-information", NODE_INTERFACES },
	{ NODE_THROUGH, "firewall-information", NODE_FIREWALL },
	{ NODE_THROUGH, "configuration", NODE_CONFIGURATION },

	{ NODE_HELLO, "session-id", NODE_VALUE, VALUE_TEXT, FIELD(junos_reply, session_id) },
	{ NODE_HELLO, "capabilities", NODE_CAPABILITIES },
	{ NODE_CAPABILITIES, "capability", NODE_CAPABILITY },

	{ NODE_ERROR, "error-message", NODE_VALUE, VALUE_TEXT, FIELD(error_block, message) },
	{ NODE_ERROR, "message", NODE_VALUE, VALUE_TEXT, FIELD(error_block, message) },
	{ NODE_ERROR, "error-tag", NODE_VALUE, VALUE_TEXT, FIELD(error_block, tag) },
	{ NODE_ERROR, "error-severity", NODE_VALUE, VALUE_TEXT, FIELD(error_block, severity) },

	{ NODE_BGP, "output", NODE_OUTPUT },
	{ NODE_BGP, "group-count", NODE_SUMMARY_COUNT },
	{ NODE_BGP, "peer-count", NODE_SUMMARY_COUNT },
	{ NODE_BGP, "down-peer-count", NODE_SUMMARY_COUNT },
	{ NODE_BGP, "bgp-peer", NODE_PEER },
	{ NODE_PEER, "peer-address", NODE_VALUE, VALUE_TEXT, FIELD(junos_peer, address_text) },
	{ NODE_PEER, "peer-cfg-rti", NODE_VALUE, VALUE_TEXT, FIELD(junos_peer, instance) },
	{ NODE_PEER, "peer-state", NODE_VALUE, VALUE_TEXT, FIELD(junos_peer, state) },
	{ NODE_PEER, "elapsed-time", NODE_VALUE, VALUE_SECONDS, FIELD(junos_peer, elapsed_s) },
	{ NODE_PEER, "flap-count", NODE_VALUE, VALUE_COUNT32, FIELD(junos_peer, flap_count) },
	{ NODE_PEER, "last-error", NODE_VALUE, VALUE_TEXT, FIELD(junos_peer, last_error) },
	{ NODE_PEER, "bgp-bfd", NODE_PEER_BFD },
	{ NODE_PEER_BFD, "bfd-operational-state", NODE_VALUE, VALUE_TEXT, FIELD(junos_peer, bfd) },
	{ NODE_PEER_BFD, "bfd-configuration-state", NODE_BFD_CONFIGURED },
	{ NODE_PEER, "bgp-rib", NODE_RIB },
	{ NODE_RIB, "name", NODE_VALUE, VALUE_TEXT, FIELD(junos_rib, name) },
	{ NODE_RIB, "active-prefix-count", NODE_VALUE, VALUE_COUNT, FIELD(junos_rib, active) },
	{ NODE_RIB, "received-prefix-count", NODE_VALUE, VALUE_COUNT, FIELD(junos_rib, received) },
	{ NODE_RIB, "accepted-prefix-count", NODE_VALUE, VALUE_COUNT, FIELD(junos_rib, accepted) },

	{ NODE_BFD, "output", NODE_OUTPUT },
	{ NODE_BFD, "bfd-session", NODE_SESSION },
	{ NODE_SESSION, "session-neighbor", NODE_VALUE, VALUE_TEXT,
	    FIELD(junos_bfd, neighbor_text) },
	{ NODE_SESSION, "session-state", NODE_VALUE, VALUE_TEXT, FIELD(junos_bfd, state) },
	{ NODE_SESSION, "session-interface", NODE_VALUE, VALUE_TEXT, FIELD(junos_bfd, interface) },
	{ NODE_SESSION, "local-diagnostic", NODE_VALUE, VALUE_TEXT,
	    FIELD(junos_bfd, local_diagnostic) },
	{ NODE_SESSION, "remote-diagnostic", NODE_VALUE, VALUE_TEXT,
	    FIELD(junos_bfd, remote_diagnostic) },
	{ NODE_SESSION, "session-detection-time", NODE_VALUE, VALUE_USECONDS,
	    FIELD(junos_bfd, detection_time_us) },
	{ NODE_SESSION, "session-transmission-interval", NODE_VALUE, VALUE_USECONDS,
	    FIELD(junos_bfd, transmission_interval_us) },
	{ NODE_SESSION, "session-adaptive-multiplier", NODE_VALUE, VALUE_COUNT,
	    FIELD(junos_bfd, multiplier) },
	{ NODE_SESSION, "detection-multiplier", NODE_VALUE, VALUE_COUNT,
	    FIELD(junos_bfd, local_multiplier) },
	{ NODE_SESSION, "bfd-client", NODE_BFD_CLIENT },
	{ NODE_BFD_CLIENT, "client-reception-interval", NODE_VALUE, VALUE_LEAST_USECONDS,
	    FIELD(junos_bfd, client_reception_us) },

	{ NODE_UPTIME, "current-time", NODE_NOW },
	{ NODE_NOW, "date-time", NODE_VALUE, VALUE_SECONDS, FIELD(time_block, date) },
	{ NODE_UPTIME, "system-booted-time", NODE_TIME, VALUE_NONE, FIELD(junos_uptime, booted_s) },
	{ NODE_UPTIME, "protocols-started-time", NODE_TIME, VALUE_NONE,
	    FIELD(junos_uptime, protocols_started_s) },
	{ NODE_UPTIME, "last-configured-time", NODE_TIME, VALUE_NONE,
	    FIELD(junos_uptime, last_configured_s) },
	{ NODE_TIME, "date-time", NODE_VALUE, VALUE_SECONDS, FIELD(time_block, date) },
	{ NODE_TIME, "time-length", NODE_VALUE, VALUE_SECONDS, FIELD(time_block, length) },

	{ NODE_ROUTES, "output", NODE_OUTPUT },
	{ NODE_ROUTES, "route-table", NODE_TABLE },
	{ NODE_TABLE, "table-name", NODE_NAME },
	{ NODE_TABLE, "rt", NODE_DESTINATION },
	{ NODE_DESTINATION, "rt-destination", NODE_DESTINATION_TEXT },
	{ NODE_DESTINATION, "rt-prefix-length", NODE_DESTINATION_LENGTH },
	{ NODE_DESTINATION, "rt-entry", NODE_ENTRY },
	{ NODE_ENTRY, "active-tag", NODE_ACTIVE_TAG },
	{ NODE_ENTRY, "current-active", NODE_ACTIVE },
	{ NODE_ENTRY, "protocol-name", NODE_VALUE, VALUE_TEXT, FIELD(junos_route, protocol) },
	{ NODE_ENTRY, "nh-type", NODE_VALUE, VALUE_TEXT, FIELD(junos_route, nh_type) },
	{ NODE_ENTRY, "nh", NODE_NEXT_HOP },
	{ NODE_NEXT_HOP, "to", NODE_TO },
	{ NODE_NEXT_HOP, "via", NODE_VALUE, VALUE_TEXT, FIELD(junos_next_hop, via) },
	{ NODE_NEXT_HOP, "nh-local-interface", NODE_VALUE, VALUE_TEXT, FIELD(junos_next_hop, via) },

	{ NODE_INTERFACES, "output", NODE_OUTPUT },
	{ NODE_INTERFACES, "physical-interface", NODE_PHYSICAL },
	{ NODE_INTERFACES, "statistics-cleared", NODE_CLEARED },
	{ NODE_PHYSICAL, "statistics-cleared", NODE_CLEARED },
	{ NODE_INTERFACES, "logical-interface", NODE_LOGICAL },
	{ NODE_PHYSICAL, "logical-interface", NODE_LOGICAL },
	{ NODE_LOGICAL, "name", NODE_VALUE, VALUE_TEXT, FIELD(junos_interface, name) },
	{ NODE_LOGICAL, "statistics-cleared", NODE_CLEARED },
	{ NODE_LOGICAL, "traffic-statistics", NODE_TRAFFIC },
	{ NODE_LOGICAL, "transit-traffic-statistics", NODE_TRANSIT },
	TRAFFIC_RULES(NODE_TRAFFIC, traffic),
	TRAFFIC_RULES(NODE_TRANSIT, transit),

	{ NODE_FIREWALL, "output", NODE_OUTPUT },
	{ NODE_FIREWALL, "filter-information", NODE_FILTER },
	{ NODE_FILTER, "filter-name", NODE_NAME },
	{ NODE_FILTER, "counter", NODE_COUNTER },
	{ NODE_COUNTER, "counter-name", NODE_VALUE, VALUE_TEXT, FIELD(junos_counter, name) },
	{ NODE_COUNTER, "packet-count", NODE_VALUE, VALUE_COUNT64, FIELD(junos_counter, packets) },
	{ NODE_COUNTER, "byte-count", NODE_VALUE, VALUE_COUNT64, FIELD(junos_counter, bytes) },

	{ NODE_CONFIGURATION, "policy-options", NODE_POLICY },
	{ NODE_POLICY, "prefix-list", NODE_LIST },
	{ NODE_LIST, "name", NODE_VALUE, VALUE_TEXT, FIELD(prefix_list, name) },
	{ NODE_LIST, "prefix-list-item", NODE_ITEM },
	{ NODE_ITEM, "name", NODE_ITEM_NAME },
	{ NODE_CONFIGURATION, "routing-options", NODE_ROUTING },
	{ NODE_ROUTING, "static", NODE_STATIC },
	{ NODE_ROUTING, "rib", NODE_ROUTING_RIB },
	{ NODE_ROUTING_RIB, "name", NODE_VALUE, VALUE_TEXT, FIELD(route_block, rib) },
	{ NODE_ROUTING_RIB, "static", NODE_STATIC },
	{ NODE_STATIC, "route", NODE_ROUTE },
	{ NODE_ROUTE, "name", NODE_VALUE, VALUE_TEXT, FIELD(route_block, name) },
	{ NODE_ROUTE, "discard", NODE_DISCARD },
};

bool
junos_grammar_is_leaf(enum node node)
{
	return node >= NODE_ERROR;
}

/* Where payloads are looked for. */
static bool
is_open(enum node node)
{
	return node == NODE_MESSAGE || node == NODE_REPLY || node == NODE_THROUGH ||
	       node == NODE_DATA;
}

static const struct rule *
find_rule(enum node parent, const char *name)
{
	if (is_open(parent))
		parent = NODE_THROUGH;
	else if (parent == NODE_WARNING)
		parent = NODE_ERROR;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (rules[i].parent == parent && strcmp(rules[i].name, name) == 0)
			return &rules[i];
	}
	return NULL;
}

struct open_element
junos_grammar_classify(enum node parent, const char *name)
{
	struct open_element element = { .node = NODE_OTHER };

	if (parent == NODE_SKIPPED)
		return (struct open_element){ .node = NODE_SKIPPED };
	element.rule = find_rule(parent, name);
	if (element.rule)
		element.node = element.rule->node;
	else if (strcmp(name, "rpc-error") == 0 || strcmp(name, "error") == 0)
		element.node = NODE_ERROR;
	else if (strcmp(name, "warning") == 0)
		element.node = NODE_WARNING;
	else if (is_open(parent))
		element.node = NODE_THROUGH;
	return element;
}
