/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands that move peers, the routing daemon and the whole box. Peers of a real FRR are not ours
 * to move: there the daemons are killed and links are cut instead.
 */
#include "command_call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bmp_out.h"
#include "mtime.h"
#include "simulate.h"

static int
parse_cause(struct call *call, const char *name, enum peer_cause *ret_cause)
{
	for (int i = 0; i < PEER_CAUSE_COUNT; i++)
		if (strcmp(peer_cause_names[i], name) == 0) {
			*ret_cause = (enum peer_cause)i;
			return 0;
		}
	return error_set(call->err, -EINVAL,
	    "cause '%s': want bfd, hold-timer, admin, notification, closed, interface or unknown",
	    name);
}

static void
move_peer(struct call *call, const struct ip *address, enum peer_cause cause)
{
	struct peer_table *peers = call->router->peers;
	struct mtime now = mtime_now();

	if (call_is(call, 1, "down") || call_is(call, 1, "flap"))
		simulate_down(peers, address, cause);
	if (call_is(call, 1, "up") || call_is(call, 1, "flap"))
		simulate_up(peers, address, true, now);
	if (call_is(call, 1, "bgp-up"))
		simulate_up(peers, address, false, now);
	if (call_is(call, 1, "bfd-up"))
		(void)peer_set_bfd(peers, address, PEER_BFD_UP, false, now);
	if (call_is(call, 1, "bfd-down"))
		(void)peer_set_bfd(peers, address, PEER_BFD_DOWN, false, now);
	if (call_is(call, 1, "bfd-adapt") || call_is(call, 1, "bfd-clear"))
		(void)peer_set_bfd_adapted(peers, address, call_is(call, 1, "bfd-adapt") ? 3 : 1);
	if (call_is(call, 1, "routes-lost") || call_is(call, 1, "routes-back"))
		simulate_default_route(peers, address, call_is(call, 1, "routes-back"));
	if (call_is(call, 1, "unmonitored") && call->router->bmp)
		bmp_out_stop_monitoring(call->router->bmp, peer_table_find(peers, address));
}

/* Addresses from words[2] on, up to "cause"; "all" is every peer. All are looked up first.
 * addresses has room for every peer and every word. */
static int
collect_peers(
    struct call *call, struct ip *addresses, size_t *ret_count, enum peer_cause *ret_cause)
{
	const struct peer_table *peers = call->router->peers;
	size_t i, count = 0;

	for (i = 2; i < call->count && !call_is(call, i, "cause"); i++) {
		if (call_is(call, i, "all")) {
			for (count = 0; count < peer_table_count(peers); count++)
				addresses[count] = peer_table_at(peers, count)->address;
			continue;
		}
		if (ip_parse(call_word(call, i), &addresses[count]) < 0 ||
		    !peer_table_find(peers, &addresses[count]))
			return error_set(
			    call->err, -ENOENT, "'%s' is no peer; say `peers`", call_word(call, i));
		count++;
	}
	*ret_count = count;
	if (i < call->count)
		return i + 2 == call->count ? parse_cause(call, call_word(call, i + 1), ret_cause)
		                            : call_usage(call);
	return i > 2 ? 0 : call_usage(call);
}

int
run_peer(struct call *call)
{
	static const char *const verbs[] = { "up", "down", "flap", "bgp-up", "bfd-up", "bfd-down",
		"bfd-adapt", "bfd-clear", "routes-lost", "routes-back", "unmonitored" };
	struct ip *addresses;
	enum peer_cause cause = PEER_CAUSE_BFD;
	bool is_known = false;
	size_t count = 0;
	int rc;

	if (!call->router->simulate)
		return error_set(call->err, -ENOTSUP, "the peers are FRR's, not ours to move");
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		is_known |= call_is(call, 1, verbs[i]);
	if (!is_known)
		return call_usage(call);
	addresses = xcalloc(peer_table_count(call->router->peers) + WORDS_MAX, sizeof(*addresses));
	rc = collect_peers(call, addresses, &count, &cause);
	for (size_t i = 0; rc == 0 && i < count; i++)
		move_peer(call, &addresses[i], cause);
	free(addresses);
	return rc;
}

int
run_rpd(struct call *call)
{
	if (!call_is(call, 1, "on") && !call_is(call, 1, "off"))
		return call_usage(call);
	labrouter_set_rpd(call->router, call_is(call, 1, "on"), call_is(call, 2, "peers-down"));
	return 0;
}

int
run_reboot(struct call *call)
{
	struct labrouter_reboot reboot = { .keep_ephemeral = call_is(call, 1, "keep") };
	uint64_t number;
	int rc = 0;

	if (!call_is(call, 1, "keep") && !call_is(call, 1, "empty"))
		return call_usage(call);
	for (size_t i = 2; rc == 0 && i < call->count; i++) {
		if (call_is(call, i, "peers-down")) {
			reboot.peers_down = true;
		} else if (call_is(call, i, "for")) {
			rc = call_number(call, ++i, &number);
			reboot.down_ms = (uint32_t)number;
		} else if (call_is(call, i, "host-key") && i + 1 < call->count) {
			reboot.host_key = call_word(call, ++i);
		} else if (call_is(call, i, "source") && i + 1 < call->count) {
			reboot.source = call_word(call, ++i);
		} else {
			rc = call_usage(call);
		}
	}
	return rc < 0 ? rc : labrouter_reboot(call->router, &reboot, call->err);
}
