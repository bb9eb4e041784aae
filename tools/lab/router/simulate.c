/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Peers without a network. What matters to an observer is the order in which the daemons notice: a
 * silent peer is found by BFD, which takes BGP down; a session that BGP gives up takes its BFD
 * session along as AdminDown, which is no failure of its own; coming back, BGP is first.
 */
#include "simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"

enum { FIRST_AS = 65101 };

struct search {
	struct peer_table *table; /* borrowed */
	struct mtime now;
	size_t added;
	bool shares_port; /* peers to come are behind one interface */
	size_t port;      /* number of that interface */
};

static void
add_peer(struct search *search, const char *text, const char *instance)
{
	struct peer peer = { .local_as = 65000, .use_bfd = true };
	size_t count = peer_table_count(search->table);

	if (ip_parse(text, &peer.address) < 0 || peer_table_find(search->table, &peer.address))
		return;
	peer.as = FIRST_AS + (uint32_t)count;
	(void)snprintf(peer.instance, sizeof(peer.instance), "%s", instance);
	(void)snprintf(peer.group, sizeof(peer.group), "ELEMENTS");
	(void)snprintf(peer.interface, sizeof(peer.interface), "et-0/0/%zu.0",
	    search->shares_port ? search->port : count);
	(void)peer_table_add(search->table, &peer, search->now);
	search->added++;
}

static bool
names_a_peer(const xmlNode *node)
{
	return conf_is(node, "neighbor") || conf_is(node, "qualified-next-hop") ||
	       conf_is(node, "next-hop");
}

/* Any depth: <neighbor><name>, <next-hop>, <qualified-next-hop><name>. */
static void
search_below(struct search *search, const xmlNode *node, const char *instance)
{
	for (const xmlNode *child = conf_child(node, NULL); child; child = conf_next(child, NULL)) {
		char *text = NULL;

		if (!names_a_peer(child)) {
			search_below(search, child, instance);
			continue;
		}
		text =
		    conf_child(child, "name") ? conf_child_text(child, "name") : conf_text(child);
		add_peer(search, text, instance);
		free(text);
	}
}

size_t
simulate_peers_from(struct peer_table *table, const xmlDoc *configuration, struct mtime now)
{
	struct search search = { .table = table, .now = now };
	const xmlNode *root = conf_root(configuration);
	const xmlNode *instance = conf_child(conf_child(root, "routing-instances"), "instance");

	search_below(&search, conf_child(conf_child(root, "protocols"), "bgp"), "master");
	for (; instance; instance = conf_next(instance, "instance")) {
		char *name = conf_child_text(instance, "name");
		const xmlNode *bgp = conf_child(conf_child(instance, "protocols"), "bgp");

		search.shares_port = false;
		search_below(&search, bgp, name ? name : "master");
		/* A forwarding instance has no BGP of its own: its peers are in the main one. It
		 * sends to one side of an element: both families are behind one interface. */
		search.shares_port = true;
		search.port = peer_table_count(table);
		search_below(&search, conf_child(instance, "routing-options"), "master");
		free(name);
	}
	return search.added;
}

void
simulate_down(struct peer_table *table, const struct ip *address, enum peer_cause cause)
{
	const struct peer *peer = peer_table_find(table, address);
	struct mtime now = mtime_now();
	bool bfd_first = cause == PEER_CAUSE_BFD || cause == PEER_CAUSE_INTERFACE;

	if (!peer)
		return;
	if (bfd_first && peer->bfd == PEER_BFD_UP)
		(void)peer_set_bfd(table, address, PEER_BFD_DOWN, false, now);
	(void)peer_set_bgp(table, address, PEER_IDLE, cause, now);
	if (!bfd_first && peer->bfd == PEER_BFD_UP)
		(void)peer_set_bfd(table, address, PEER_BFD_ADMINDOWN, true, now);
}

void
simulate_default_route(struct peer_table *table, const struct ip *address, bool is_there)
{
	const struct peer *peer = peer_table_find(table, address);
	struct peer_rib rib = { .active = is_there, .received = is_there, .accepted = is_there };
	const char *table_name = address->family == FAMILY_IPV4 ? "inet.0" : "inet6.0";

	if (!peer)
		return;
	if (strcmp(peer->instance, "master") == 0)
		(void)snprintf(rib.name, sizeof(rib.name), "%s", table_name);
	else
		(void)snprintf(rib.name, sizeof(rib.name), "%.48s.%s", peer->instance, table_name);
	(void)peer_set_rib(table, address, &rib);
}

void
simulate_up(struct peer_table *table, const struct ip *address, bool use_bfd, struct mtime since)
{
	const struct peer *peer = peer_table_find(table, address);

	if (!peer)
		return;
	(void)peer_set_bgp(table, address, PEER_ESTABLISHED, PEER_CAUSE_UNKNOWN, since);
	simulate_default_route(table, address, true);
	if (use_bfd && peer->use_bfd)
		(void)peer_set_bfd(table, address, PEER_BFD_UP, false, since);
}
