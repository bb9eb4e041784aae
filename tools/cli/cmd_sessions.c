/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf sessions: everything that is connected to something. The router's two NETCONF sessions,
 * the sources, and each BGP and BFD peer with who told us and how fast it would notice a death.
 */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>

#include "client.h"
#include "output.h"
#include "scope.h"
#include "screen.h"
#include "screen_nat.h"
#include "tree.h"

static const char *
format_age(const struct screen *screen, const struct lyd_node *node, const char *leaf,
    char buf[AGE_TEXT_SIZE])
{
	int64_t at = tree_time(node, leaf);

	return at > 0 ? age_format(screen->now - at, buf) : "-";
}

static void
print_router(const struct screen *screen)
{
	const struct lyd_node *router = tree_child(screen->state, "router");
	char age[AGE_TEXT_SIZE];

	printf("router %s: edit session %s, read session %s, for %s; %s\n",
	    tree_has(router, "address") ? tree_text(router, "address") : "-",
	    tree_flag(router, "edit-session") ? "up" : "DOWN",
	    tree_flag(router, "read-session") ? "up" : "DOWN",
	    format_age(screen, router, "session-since", age), tree_text(router, "stage"));
	printf("       commits %s, refused %s, load errors %s, warnings %s, reconnects %s,\n"
	       "       polls %s, failed %s, audits %s\n",
	    tree_text(router, "commits"), tree_text(router, "refused"),
	    tree_text(router, "load-errors"), tree_text(router, "warnings"),
	    tree_text(router, "reconnects"), tree_text(router, "polls"),
	    tree_text(router, "poll-failures"), tree_text(router, "audits"));
	if (tree_has(router, "last-error"))
		printf("       last error: %s\n", tree_text(router, "last-error"));
}

static void
print_sources(const struct screen *screen)
{
	static const struct output_column columns[] = { { "SOURCE", false }, { "STATE", false },
		{ "LAST", true }, { "MESSAGES", true }, { "EVENTS", true }, { "ERRORS", true },
		{ "FOREIGN", true } };
	struct libscols_table *table = output_table(columns, 7);
	const struct lyd_node *source = NULL;

	while ((source = tree_next(screen->state, "source", source))) {
		char age[AGE_TEXT_SIZE];
		const char *cells[] = { tree_text(source, "name"),
			!tree_flag(source, "enabled")    ? "off"
			: tree_flag(source, "connected") ? "ok"
			                                 : "silent",
			format_age(screen, source, "last-message", age),
			tree_text(source, "messages"), tree_text(source, "events"),
			tree_text(source, "errors"), tree_text(source, "foreign") };

		output_row(table, cells);
	}
	output_table_end(table);
}

/* "900/300ms SLOW": negotiated and configured, if the router tells. */
static void
write_detection(const struct lyd_node *peer, char *buf, size_t size)
{
	char configured[24] = "";

	if (tree_has(peer, "configured-detection-time"))
		snprintf(configured, sizeof(configured), "/%" PRIu64,
		    tree_number(peer, "configured-detection-time") / 1000);
	snprintf(buf, size, "%" PRIu64 "%sms%s", tree_number(peer, "detection-time") / 1000,
	    configured, tree_flag(peer, "slow-bfd") ? " SLOW" : "");
}

static void
add_peer(const struct screen *screen, struct libscols_table *table, const struct lyd_node *element,
    const struct lyd_node *peer)
{
	bool is_up = tree_is(peer, "bgp", "up") && tree_has(peer, "established-since");
	char age[AGE_TEXT_SIZE], detection[64] = "-", routes[40] = "-";

	if (tree_has(peer, "detection-time"))
		write_detection(peer, detection, sizeof(detection));
	if (tree_has(peer, "routes"))
		snprintf(routes, sizeof(routes), "%" PRIu64 "%s", tree_number(peer, "routes"),
		    tree_flag(peer, "lacks-routes") ? " FEW" : "");
	const char *cells[] = { tree_text(element, "name"), tree_text(peer, "side"),
		tree_text(peer, "address"), tree_text(peer, "instance"), tree_text(peer, "bgp"),
		format_age(screen, peer, is_up ? "established-since" : "since", age),
		tree_text(peer, "bfd"), detection, routes, tree_text(peer, "flaps"),
		tree_has(peer, "cause") ? tree_text(peer, "cause") : "-",
		tree_has(peer, "source") ? tree_text(peer, "source") : "-" };
	output_row(table, cells);
}

static void
print_peers(const struct screen *screen, const struct scope *scope)
{
	static const struct output_column columns[] = { { "ELEMENT", false }, { "SIDE", false },
		{ "PEER", false }, { "INSTANCE", false }, { "BGP", false }, { "FOR", true },
		{ "BFD", false }, { "DETECTS", true }, { "ROUTES", true }, { "FLAPS", true },
		{ "CAUSE", false }, { "SOURCE", false } };
	struct libscols_table *table = output_table(columns, 12);
	const struct lyd_node *group = NULL, *element = NULL, *family = NULL, *peer = NULL;

	while ((group = tree_next(screen->state, "group", group)))
		while ((element = tree_next(group, "element", element))) {
			if (!scope_has_group(scope, group) || !scope_has_element(scope, element))
				continue;
			while ((family = tree_next(element, "family", family)))
				while ((peer = tree_next(family, "peer", peer)))
					add_peer(screen, table, element, peer);
		}
	output_table_end(table);
}

/* Nothing where no element has any. */
static void
print_pools(const struct screen *screen, const struct scope *scope)
{
	static const struct output_column columns[] = { { "ELEMENT", false }, { "POOL", false },
		{ "PREFIX", false }, { "KIND", false }, { "ROUTE", false } };
	struct libscols_table *table = NULL;
	const struct lyd_node *group = NULL, *element = NULL, *family = NULL, *pool = NULL;
	char route[192];

	while ((group = tree_next(screen->state, "group", group)))
		while ((element = tree_next(group, "element", element))) {
			if (!scope_has_group(scope, group) || !scope_has_element(scope, element))
				continue;
			while ((family = tree_next(element, "family", family)))
				while ((pool = tree_next(family, "nat-pool", pool))) {
					const char *cells[] = { tree_text(element, "name"),
						tree_text(pool, "id"), tree_text(pool, "prefix"),
						tree_text(pool, "kind"), route };

					screen_nat_describe(family, pool, route, sizeof(route));
					if (!table)
						table = output_table(columns, 5);
					output_row(table, cells);
				}
		}
	if (!table)
		return;
	putchar('\n');
	output_table_end(table);
}

/* The parts of the state that sessions are made of. */
static bool
is_about_sessions(const struct lyd_node *node, const struct scope *scope)
{
	static const char *const names[] = { "now", "router", "source", "group", NULL };

	return scope_is_named(node, names);
}

static int
show(const struct arguments *arguments, const struct lyd_node *state)
{
	struct scope scope = { NULL, NULL };
	struct screen screen;

	if (arguments->name_count > 0 && !scope_find(state, arguments->names[0], &scope))
		return scope_complain(state, arguments->names[0]);
	if (arguments->json) {
		scope_print_json_part(state, &scope, is_about_sessions);
		return EXIT_DONE;
	}
	screen_init(&screen, stdout, arguments->colour, state);
	print_router(&screen);
	putchar('\n');
	print_sources(&screen);
	putchar('\n');
	print_peers(&screen, &scope);
	print_pools(&screen, &scope);
	return EXIT_DONE;
}

int
command_sessions(const struct arguments *arguments)
{
	return client_show(arguments, show);
}
