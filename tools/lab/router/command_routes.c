/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands about routes: those there are, and what simulated peers announce. A route is announced
 * until it is withdrawn; while the peer's session is down it does not count, as on any router. A
 * second peer that announces the same prefix with a higher local preference steals it.
 */
#include "command_call.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "exports.h"
#include "learned.h"
#include "mtime.h"

static int64_t
age_s(struct mtime since)
{
	return mtime_diff_ms(mtime_now(), since) / 1000;
}

static void
print_configured(FILE *out, const struct route_table *table)
{
	char prefix[PREFIX_TEXT_SIZE];

	for (size_t i = 0; i < table->count; i++) {
		const struct route *route = &table->routes[i];

		fprintf(out, "%s %s %s age=%" PRId64 "%s\n", route->table,
		    prefix_format(&route->prefix, prefix), route_kind_names[route->kind],
		    age_s(route->since), route->no_readvertise ? " no-readvertise" : "");
	}
}

static void
print_learned(FILE *out, const struct learned_route *routes, size_t count)
{
	char prefix[PREFIX_TEXT_SIZE], peer[IP_TEXT_SIZE];

	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s %s bgp age=%" PRId64 " from=%s local-preference=%u\n",
		    routes[i].table, prefix_format(&routes[i].prefix, prefix),
		    age_s(routes[i].since), ip_format(&routes[i].peer, peer),
		    routes[i].local_preference);
}

int
run_routes(struct call *call)
{
	struct labrouter *router = call->router;
	struct learned_route *learned;
	size_t count;
	int rc = labrouter_refresh_routes(router, call->err);

	if (rc < 0)
		return rc;
	print_configured(call->out, exports_routes(router->exports));
	learned = learned_list(router->learned, router->peers, &count);
	print_learned(call->out, learned, count);
	free(learned);
	return 0;
}

/* route PEER PREFIX up [local-preference N] | route PEER PREFIX down */
int
run_route(struct call *call)
{
	struct learned_route route = {
		.local_preference = LEARNED_LOCAL_PREFERENCE, .may_win = true, .since = mtime_now()
	};
	uint64_t preference = route.local_preference;
	bool is_up = call_is(call, 3, "up"), has_preference = call_is(call, 4, "local-preference");

	if (!call->router->simulate)
		return error_set(call->err, -ENOTSUP, "the routes are FRR's, not ours to move");
	if ((!is_up && !call_is(call, 3, "down")) ||
	    call->count != (size_t)(is_up && has_preference ? 6 : 4))
		return call_usage(call);
	if (ip_parse(call_word(call, 1), &route.peer) < 0 ||
	    !peer_table_find(call->router->peers, &route.peer))
		return error_set(
		    call->err, -ENOENT, "'%s' is no peer; say `peers`", call_word(call, 1));
	if (prefix_parse(call_word(call, 2), &route.prefix) < 0)
		return error_set(call->err, -EINVAL, "'%s' is no prefix", call_word(call, 2));
	if (has_preference && call_number(call, 5, &preference) < 0)
		return -EINVAL;
	route.local_preference = preference > UINT32_MAX ? UINT32_MAX : (uint32_t)preference;
	if (is_up)
		learned_announce(call->router->learned, &route);
	else if (learned_withdraw(call->router->learned, &route.peer, &route.prefix) < 0)
		return error_set(call->err, -ENOENT, "%s does not announce %s", call_word(call, 1),
		    call_word(call, 2));
	return 0;
}
