/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `show route` in Junos' brief shape, of the routes that the configuration makes (routes.h). A
 * destination without `exact` selects all routes below it or, when there is none, the longest one
 * that covers it. A table in which nothing was found is left out, so that an unknown destination
 * is answered with an empty <route-information/>.
 */
#include "rpc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "exports.h"
#include "mtime.h"
#include "router.h"

/* What is asked for. */
struct question {
	char *table; /* owned; NULL: all */
	char *text;  /* owned; of the destination; NULL: all */
	struct prefix destination;
	bool is_exact;
};

static size_t
table_end(const struct route_table *routes, size_t first)
{
	size_t end = first;

	while (end < routes->count &&
	       strcmp(routes->routes[end].table, routes->routes[first].table) == 0)
		end++;
	return end;
}

static const struct route *
find_longest(const struct route *routes, size_t count, const struct prefix *destination)
{
	const struct route *best = NULL;

	for (size_t i = 0; i < count; i++)
		if (prefix_contains(&routes[i].prefix, destination) &&
		    (!best || routes[i].prefix.length > best->prefix.length))
			best = &routes[i];
	return best;
}

static void
put_next_hop(FILE *out, const struct route *route)
{
	char address[IP_TEXT_SIZE];

	if (route->kind != ROUTE_NEXT_HOP) {
		fprintf(out, "<nh-type>%s</nh-type>\n",
		    route->kind == ROUTE_DISCARD ? "Discard" : "Reject");
		return;
	}
	fprintf(out, "<nh>\n<selected-next-hop/>\n<to>%s</to>\n</nh>\n",
	    ip_format(&route->next_hop, address));
}

static void
put_route(FILE *out, const struct route *route)
{
	int64_t age = mtime_diff_ms(mtime_now(), route->since) / 1000;
	bool is_aggregate = route->kind == ROUTE_AGGREGATE;
	char prefix[PREFIX_TEXT_SIZE];

	fprintf(out,
	    "<rt junos:style=\"brief\">\n<rt-destination>%s</rt-destination>\n<rt-entry>\n"
	    "<active-tag>*</active-tag>\n<current-active/>\n<last-active/>\n"
	    "<protocol-name>%s</protocol-name>\n<preference>%d</preference>\n"
	    "<age junos:seconds=\"%" PRId64 "\">%02" PRId64 ":%02" PRId64 ":%02" PRId64 "</age>\n",
	    prefix_format(&route->prefix, prefix), is_aggregate ? "Aggregate" : "Static",
	    is_aggregate ? 130 : 5, age, age / 3600, age / 60 % 60, age % 60);
	put_next_hop(out, route);
	fputs("</rt-entry>\n</rt>\n", out);
}

/* Marks what is selected; returns how many. */
static size_t
choose(const struct route *routes, size_t count, const struct question *question, bool *chosen)
{
	const struct prefix *destination = &question->destination;
	const struct route *longest;
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		chosen[i] =
		    !question->text ||
		    (question->is_exact ? prefix_compare(&routes[i].prefix, destination) == 0
		                        : prefix_contains(destination, &routes[i].prefix));
		found += chosen[i];
	}
	longest = question->is_exact || found > 0 ? NULL : find_longest(routes, count, destination);
	if (longest)
		chosen[longest - routes] = true;
	return longest ? 1 : found;
}

static void
put_table(FILE *out, const struct route *routes, size_t count, const struct question *question)
{
	bool *chosen = xcalloc(count, sizeof(*chosen));

	if (choose(routes, count, question, chosen) > 0) {
		fprintf(out,
		    "<route-table>\n<table-name>%s</table-name>\n"
		    "<destination-count>%zu</destination-count>\n"
		    "<total-route-count>%zu</total-route-count>\n"
		    "<active-route-count>%zu</active-route-count>\n"
		    "<holddown-route-count>0</holddown-route-count>\n"
		    "<hidden-route-count>0</hidden-route-count>\n",
		    routes->table, count, count, count);
		for (size_t i = 0; i < count; i++)
			if (chosen[i])
				put_route(out, &routes[i]);
		fputs("</route-table>\n", out);
	}
	free(chosen);
}

void
show_routes(struct rpc *rpc)
{
	const struct route_table *routes = exports_routes(rpc->router->exports);
	struct question question = { .table = conf_child_text(rpc->op, "table"),
		.text = conf_child_text(rpc->op, "destination"),
		.is_exact = conf_child(rpc->op, "exact") != NULL };
	size_t end;

	if (question.text && prefix_parse(question.text, &question.destination) < 0) {
		rpc_fail(rpc, "invalid ip address or hostname", question.text);
		goto out;
	}
	fprintf(rpc->out,
	    "<route-information xmlns=\"http://xml.juniper.net/junos/%s/junos-routing\">\n",
	    rpc->router->release);
	for (size_t i = 0; i < routes->count; i = end) {
		end = table_end(routes, i);
		if (!question.table || strcmp(question.table, routes->routes[i].table) == 0)
			put_table(rpc->out, &routes->routes[i], end - i, &question);
	}
	fputs("</route-information>\n", rpc->out);
out:
	free(question.table);
	free(question.text);
}
