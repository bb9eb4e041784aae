/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `show route` in Junos' brief shape, of the routes that the configuration makes (routes.h) and
 * those that peers announce (learned.h). All routes to one destination are entries of one <rt>, the
 * active one first: the configuration's (preference 5, aggregates 130) go before BGP's (170). A
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
#include "learned.h"
#include "mtime.h"
#include "router.h"

/* What is asked for. */
struct question {
	char *table; /* owned; NULL: all */
	char *text;  /* owned; of the destination; NULL: all */
	struct prefix destination;
	bool is_exact, is_active_only;
};

/* A route of either kind; one of configured and learned is NULL. */
struct entry {
	const char *table;
	struct prefix prefix;
	const struct route *configured;
	const struct learned_route *learned;
	size_t rank; /* the order in which it was found */
	bool is_active, is_chosen;
};

/* ---- collecting ------------------------------------------------------------------------------ */

static int
compare_destinations(const struct entry *a, const struct entry *b)
{
	int order = strcmp(a->table, b->table);

	return order ? order : prefix_compare(&a->prefix, &b->prefix);
}

static int
compare(const void *a, const void *b)
{
	const struct entry *one = a, *two = b;
	int order = compare_destinations(one, two);

	return order ? order : one->rank < two->rank ? -1 : 1;
}

/* Sorted by table and prefix, the active one first. Borrows from routes and learned; owned by the
 * caller (free). */
static struct entry *
collect(const struct route_table *routes, const struct learned_route *learned, size_t learned_count,
    size_t *ret_count)
{
	size_t count = 0;
	struct entry *entries = xcalloc(routes->count + learned_count + 1, sizeof(*entries));

	for (size_t i = 0; i < routes->count; i++, count++)
		entries[count] = (struct entry){ .table = routes->routes[i].table,
			.prefix = routes->routes[i].prefix,
			.configured = &routes->routes[i],
			.rank = count };
	for (size_t i = 0; i < learned_count; i++, count++)
		entries[count] = (struct entry){ .table = learned[i].table,
			.prefix = learned[i].prefix,
			.learned = &learned[i],
			.rank = count };
	qsort(entries, count, sizeof(*entries), compare);
	for (size_t i = 0; i < count; i++)
		entries[i].is_active =
		    (i == 0 || compare_destinations(&entries[i - 1], &entries[i]) != 0) &&
		    (entries[i].configured || entries[i].learned->may_win);
	*ret_count = count;
	return entries;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void
put_head(FILE *out, const char *protocol, int preference, struct mtime since, bool is_active)
{
	int64_t age = mtime_diff_ms(mtime_now(), since) / 1000;

	fprintf(out, "<rt-entry>\n<active-tag>%s</active-tag>\n%s", is_active ? "*" : " ",
	    is_active ? "<current-active/>\n<last-active/>\n" : "");
	fprintf(out,
	    "<protocol-name>%s</protocol-name>\n<preference>%d</preference>\n"
	    "<age junos:seconds=\"%" PRId64 "\">%02" PRId64 ":%02" PRId64 ":%02" PRId64 "</age>\n",
	    protocol, preference, age, age / 3600, age / 60 % 60, age % 60);
}

static void
put_configured(FILE *out, const struct route *route, bool is_active)
{
	bool is_aggregate = route->kind == ROUTE_AGGREGATE;
	char address[IP_TEXT_SIZE];

	put_head(out, is_aggregate ? "Aggregate" : "Static", is_aggregate ? 130 : 5, route->since,
	    is_active);
	if (route->kind == ROUTE_NEXT_HOP)
		fprintf(out, "<nh>\n<selected-next-hop/>\n<to>%s</to>\n</nh>\n",
		    ip_format(&route->next_hop, address));
	else
		fprintf(out, "<nh-type>%s</nh-type>\n",
		    route->kind == ROUTE_DISCARD ? "Discard" : "Reject");
	fputs("</rt-entry>\n", out);
}

static void
put_learned(FILE *out, const struct learned_route *route, bool is_active)
{
	char address[IP_TEXT_SIZE];

	ip_format(&route->peer, address);
	put_head(out, "BGP", 170, route->since, is_active);
	fprintf(out,
	    "<local-preference>%u</local-preference>\n<learned-from>%s</learned-from>\n"
	    "<as-path>AS path: %u I\n</as-path>\n"
	    "<validation-state>unverified</validation-state>\n",
	    route->local_preference, address, route->from->as);
	fprintf(out, "<nh>\n<selected-next-hop/>\n<to>%s</to>\n", address);
	if (route->from->interface[0])
		fprintf(out, "<via>%s</via>\n", route->from->interface);
	fputs("</nh>\n</rt-entry>\n", out);
}

/* All entries of one destination; returns how many there are. */
static size_t
put_destination(FILE *out, const struct entry *entries, size_t count, bool is_active_only)
{
	size_t end = 0;
	char prefix[PREFIX_TEXT_SIZE];

	fprintf(out, "<rt junos:style=\"brief\">\n<rt-destination>%s</rt-destination>\n",
	    prefix_format(&entries[0].prefix, prefix));
	for (; end < count && prefix_compare(&entries[end].prefix, &entries[0].prefix) == 0;
	     end++) {
		if (is_active_only && !entries[end].is_active)
			continue;
		if (entries[end].configured)
			put_configured(out, entries[end].configured, entries[end].is_active);
		else
			put_learned(out, entries[end].learned, entries[end].is_active);
	}
	fputs("</rt>\n", out);
	return end;
}

/* ---- choosing -------------------------------------------------------------------------------- */

static const struct entry *
find_longest(const struct entry *entries, size_t count, const struct prefix *destination)
{
	const struct entry *best = NULL;

	for (size_t i = 0; i < count; i++)
		if (prefix_contains(&entries[i].prefix, destination) &&
		    (!best || entries[i].prefix.length > best->prefix.length))
			best = &entries[i];
	return best;
}

/* Marks what is selected; returns how many. */
static size_t
choose(struct entry *entries, size_t count, const struct question *question)
{
	const struct prefix *destination = &question->destination;
	const struct entry *longest;
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		entries[i].is_chosen =
		    !question->text ||
		    (question->is_exact ? prefix_compare(&entries[i].prefix, destination) == 0
		                        : prefix_contains(destination, &entries[i].prefix));
		found += entries[i].is_chosen;
	}
	longest =
	    question->is_exact || found > 0 ? NULL : find_longest(entries, count, destination);
	for (size_t i = 0; longest && i < count; i++)
		entries[i].is_chosen = prefix_compare(&entries[i].prefix, &longest->prefix) == 0;
	return longest ? 1 : found;
}

static void
put_table(FILE *out, struct entry *entries, size_t count, const struct question *question)
{
	size_t active = 0, destinations = 0, next = 0;

	if (choose(entries, count, question) == 0)
		return;
	for (size_t i = 0; i < count; i++) {
		active += entries[i].is_active;
		destinations += i == 0 || compare_destinations(&entries[i - 1], &entries[i]) != 0;
	}
	fprintf(out,
	    "<route-table>\n<table-name>%s</table-name>\n"
	    "<destination-count>%zu</destination-count>\n"
	    "<total-route-count>%zu</total-route-count>\n"
	    "<active-route-count>%zu</active-route-count>\n"
	    "<holddown-route-count>0</holddown-route-count>\n"
	    "<hidden-route-count>0</hidden-route-count>\n",
	    entries->table, destinations, count, active);
	while (next < count)
		if (entries[next].is_chosen)
			next += put_destination(
			    out, &entries[next], count - next, question->is_active_only);
		else
			next++;
	fputs("</route-table>\n", out);
}

static size_t
table_end(const struct entry *entries, size_t count)
{
	size_t end = 0;

	while (end < count && strcmp(entries[end].table, entries[0].table) == 0)
		end++;
	return end;
}

static void
put_tables(struct rpc *rpc, const struct question *question)
{
	size_t learned_count, count, size;
	struct learned_route *learned =
	    learned_list(rpc->router->learned, rpc->router->peers, &learned_count);
	struct entry *entries =
	    collect(exports_routes(rpc->router->exports), learned, learned_count, &count);

	fprintf(rpc->out,
	    "<route-information xmlns=\"http://xml.juniper.net/junos/%s/junos-routing\">\n",
	    rpc->router->release);
	for (size_t i = 0; i < count; i += size) {
		size = table_end(&entries[i], count - i);
		if (!question->table || strcmp(question->table, entries[i].table) == 0)
			put_table(rpc->out, &entries[i], size, question);
	}
	fputs("</route-information>\n", rpc->out);
	free(entries);
	free(learned);
}

void
show_routes(struct rpc *rpc)
{
	struct question question = { .table = conf_child_text(rpc->op, "table"),
		.text = conf_child_text(rpc->op, "destination"),
		.is_exact = conf_child(rpc->op, "exact") != NULL,
		.is_active_only = conf_child(rpc->op, "active-path") != NULL };
	struct error err;

	if (question.text && prefix_parse(question.text, &question.destination) < 0)
		rpc_fail(rpc, "invalid ip address or hostname", question.text);
	else if (labrouter_refresh_routes(rpc->router, &err) < 0)
		rpc_fail(rpc, "the routing subsystem is not running", NULL);
	else
		put_tables(rpc, &question);
	free(question.table);
	free(question.text);
}
