/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands that look: numbers, sessions, requests, peers, configurations, the forwarding plane; and
 * the one that replaces the static configuration, because `static` shows it too.
 */
#include "command_call.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "conf.h"
#include "exports.h"
#include "mtime.h"
#include "netconf.h"
#include "plane.h"

int
run_status(struct call *call)
{
	struct labrouter_number numbers[LABROUTER_NUMBERS_MAX];
	size_t count = labrouter_numbers(call->router, numbers);

	for (size_t i = 0; i < count; i++)
		fprintf(call->out, "%s %" PRIu64 "\n", numbers[i].name, numbers[i].value);
	fprintf(call->out, "static-revision %016" PRIx64 "\n",
	    database_static_revision(call->router->database));
	fprintf(call->out, "candidate-revision %016" PRIx64 "\n",
	    database_candidate_revision(call->router->database));
	return 0;
}

int
run_sessions(struct call *call)
{
	netconf_print_sessions(call->router->netconf, call->out);
	return 0;
}

int
run_log(struct call *call)
{
	netconf_print_log(call->router->netconf, call->out);
	return 0;
}

int
run_peers(struct call *call)
{
	const struct peer_table *peers = call->router->peers;
	char address[IP_TEXT_SIZE];

	labrouter_refresh_peers(call->router);
	for (size_t i = 0; i < peer_table_count(peers); i++) {
		const struct peer *peer = peer_table_at(peers, i);
		const char *bfd = peer_bfd_names[peer->bfd];

		fprintf(call->out,
		    "%s %s bfd=%s age=%" PRId64 " flaps=%u cause=%s as=%u instance=%s\n",
		    ip_format(&peer->address, address), peer_bgp_names[peer->bgp],
		    bfd ? bfd : "none", mtime_diff_ms(mtime_now(), peer->since) / 1000, peer->flaps,
		    peer_cause_names[peer->last_cause], peer->as, peer->instance);
	}
	return 0;
}

static int
print_conf(struct call *call, const xmlDoc *doc)
{
	fputs("<configuration>\n", call->out);
	conf_print_children(call->out, conf_root(doc));
	fputs("</configuration>\n", call->out);
	return 0;
}

int
run_merged(struct call *call)
{
	return print_conf(call, database_merged(call->router->database));
}

int
run_candidate(struct call *call)
{
	return print_conf(call, database_candidate(call->router->database, 0));
}

int
run_ephemeral(struct call *call)
{
	const char *first = database_instance_at(call->router->database, 0);
	const char *name = call->count > 1 ? call_word(call, 1) : first;
	const xmlDoc *doc = database_ephemeral(call->router->database, name);

	if (!doc)
		return error_set(call->err, -ENOENT, "ephemeral instance %s does not exist", name);
	return print_conf(call, doc);
}

/* `static` shows; `static set|load FILE [user NAME]` is the operator's commit. */
int
run_static(struct call *call)
{
	const char *user = call_is(call, 3, "user") ? call_word(call, 4) : "operator";

	if (call->count == 1)
		return print_conf(call, database_static(call->router->database));
	if ((!call_is(call, 1, "set") && !call_is(call, 1, "load")) || call->count < 3)
		return call_usage(call);
	return labrouter_replace_static(
	    call->router, call_word(call, 2), call_is(call, 1, "load"), user, call->err);
}

/* exported [POLICY] */
int
run_exported(struct call *call)
{
	const struct announcements *all = exports_announcements(call->router->exports);

	for (size_t i = 0; i < all->count; i++)
		if (call->count == 1 || strcmp(all->list[i].policy, call_word(call, 1)) == 0)
			announcement_print(call->out, &all->list[i]);
	return 0;
}

int
run_forwarding(struct call *call)
{
	if (!call->router->plane)
		return error_set(call->err, -ENOTSUP, "started without --forwarding");
	plane_print_changes(call->router->plane, call->out);
	return 0;
}
