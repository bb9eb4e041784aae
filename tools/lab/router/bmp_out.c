/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sending half of BMP. Messages are put together in a small byte buffer, queued, and written
 * when the socket takes them; a station that reads nothing loses the session when a megabyte waits,
 * so that it learns the state anew. Peer header, Peer Up and Peer Down follow RFC 7854
 * sections 4.2, 4.9 and 4.10; what real routers make of the reason codes is in the tables below.
 *
 * It owns the connection and the queue; the truth is the peer table.
 */
#include "bmp_out.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "address.h"
#include "log.h"

enum {
	MAX_QUEUE = 1 << 20,
	ROUTE_MONITORING = 0,
	PEER_DOWN = 2,
	PEER_UP = 3,
	INITIATION = 4,
	PEER_HEADER = 42,
	BGP_PORT = 179,
	MESSAGE_SIZE = 512
};

struct message {
	uint8_t bytes[MESSAGE_SIZE];
	size_t size;
};

struct bmp_out {
	struct loop *loop;              /* borrowed */
	struct peer_table *table;       /* borrowed */
	struct bmp_out_options options; /* the texts are borrowed */
	struct sockaddr_storage station;
	socklen_t station_size;
	struct sockaddr_storage source;
	socklen_t source_size; /* 0: whatever the kernel takes */
	int fd;                /* -1: none */
	struct loop_fd *handle;
	bool is_connected, is_on, is_mute;
	uint64_t sessions;
	struct loop_timer *retry, *repeat; /* owned */
	uint8_t *queue;                    /* owned */
	size_t queued, capacity;
};

/* ---- messages -------------------------------------------------------------------------------- */

static void
put(struct message *message, const void *data, size_t size)
{
	if (message->size + size > sizeof(message->bytes))
		fatal("BMP message too long");
	memcpy(message->bytes + message->size, data, size);
	message->size += size;
}

static void
put_number(struct message *message, uint64_t value, size_t size)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> (8 * (size - 1 - i)));
	put(message, bytes, size);
}

/* Version, a length to be filled in, type. */
static void
begin(struct message *message, unsigned type)
{
	message->size = 0;
	put_number(message, 3, 1);
	put_number(message, 0, 4);
	put_number(message, type, 1);
}

static void
put_address(struct message *message, const struct ip *ip)
{
	static const uint8_t zero[12];

	if (ip->family == FAMILY_IPV4) { /* in the last four bytes */
		put(message, zero, sizeof(zero));
		put(message, ip->bytes, 4);
	} else {
		put(message, ip->bytes, 16);
	}
}

/* Type global instance, distinguisher 0; FRR's time stamp is stale, so nobody may rely on it. */
static void
put_peer(struct message *message, const struct peer *peer)
{
	int64_t us = wallclock_now_us();

	put_number(message, 0, 1);
	put_number(message, peer->address.family == FAMILY_IPV6 ? 0x80 : 0, 1);
	put_number(message, 0, 8);
	put_address(message, &peer->address);
	put_number(message, peer->as, 4);
	put_number(
	    message, peer->bgp == PEER_ESTABLISHED ? 0x0a000000 + (peer->as & 0xffff) : 0, 4);
	put_number(message, (uint64_t)(us / 1000000), 4);
	put_number(message, (uint64_t)(us % 1000000), 4);
}

/* A BGP header (RFC 4271 4.1) for a body of so many bytes. */
static void
put_bgp_header(struct message *message, size_t body, unsigned type)
{
	static const uint8_t marker[16] = { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
		255, 255, 255, 255, 255 };

	put(message, marker, sizeof(marker));
	put_number(message, 19 + body, 2);
	put_number(message, type, 1);
}

/* AS numbers of more than 16 bits are AS_TRANS there. */
static void
put_open(struct message *message, uint32_t as)
{
	put_bgp_header(message, 10, 1);
	put_number(message, 4, 1);
	put_number(message, as > UINT16_MAX ? 23456 : as, 2);
	put_number(message, 9, 2);
	put_number(message, 0x0a000000 + (as & 0xffff), 4);
	put_number(message, 0, 1);
}

static void
put_notification(struct message *message, unsigned code, unsigned subcode)
{
	put_bgp_header(message, 2, 3);
	put_number(message, code, 1);
	put_number(message, subcode, 1);
}

/* reason, then what follows it: an FSM event code (2), a NOTIFICATION (1, 3) or nothing (4). */
static const struct reason {
	unsigned reason, code, subcode;
} reasons[2][PEER_CAUSE_COUNT] = {
	[BMP_LIKE_FRR] = {
		[PEER_CAUSE_UNKNOWN] = { 2, 0, 0 },
		[PEER_CAUSE_BFD] = { 2, 0, 0 },
		[PEER_CAUSE_HOLD_TIMER] = { 2, 0, 0 },
		[PEER_CAUSE_ADMIN] = { 2, 0, 0 },
		[PEER_CAUSE_NOTIFICATION] = { 3, 6, 2 },
		[PEER_CAUSE_CLOSED] = { 4, 0, 0 },
		[PEER_CAUSE_INTERFACE] = { 2, 18, 0 },
	},
	[BMP_LIKE_JUNOS] = {
		[PEER_CAUSE_UNKNOWN] = { 2, 0, 0 },
		[PEER_CAUSE_BFD] = { 1, 6, 9 },
		[PEER_CAUSE_HOLD_TIMER] = { 1, 4, 0 },
		[PEER_CAUSE_ADMIN] = { 1, 6, 2 },
		[PEER_CAUSE_NOTIFICATION] = { 3, 6, 2 },
		[PEER_CAUSE_CLOSED] = { 4, 0, 0 },
		[PEER_CAUSE_INTERFACE] = { 2, 18, 0 },
	},
};

static void
make_down(const struct bmp_out *out, const struct peer *peer, enum peer_cause cause,
    struct message *message)
{
	const struct reason *reason = &reasons[out->options.habit][cause];

	begin(message, PEER_DOWN);
	put_peer(message, peer);
	put_number(message, reason->reason, 1);
	if (reason->reason == 2)
		put_number(message, reason->code, 2);
	else if (reason->reason == 1 || reason->reason == 3)
		put_notification(message, reason->code, reason->subcode);
}

static void
make_up(const struct peer *peer, struct message *message)
{
	struct ip local = { .family = peer->address.family };

	local.bytes[0] = peer->address.family == FAMILY_IPV4 ? 192 : 0x20;
	begin(message, PEER_UP);
	put_peer(message, peer);
	put_address(message, &local);
	put_number(message, 51021, 2);
	put_number(message, BGP_PORT, 2);
	put_open(message, peer->local_as);
	put_open(message, peer->as);
}

/* An empty UPDATE (RFC 4724 section 2); for IPv6 an empty MP_UNREACH_NLRI. */
static void
make_end_of_rib(const struct peer *peer, struct message *message)
{
	static const uint8_t ipv4[] = { 0, 0, 0, 0 };
	static const uint8_t ipv6[] = { 0, 0, 0, 6, 0x80, 15, 3, 0, 2, 1 };
	bool is_ipv4 = peer->address.family == FAMILY_IPV4;

	begin(message, ROUTE_MONITORING);
	put_peer(message, peer);
	put_bgp_header(message, is_ipv4 ? sizeof(ipv4) : sizeof(ipv6), 2);
	put(message, is_ipv4 ? ipv4 : ipv6, is_ipv4 ? sizeof(ipv4) : sizeof(ipv6));
}

static void
put_tlv(struct message *message, unsigned type, const char *text)
{
	size_t size = strnlen(text, 128);

	put_number(message, type, 2);
	put_number(message, size, 2);
	put(message, text, size);
}

/* ---- the session ----------------------------------------------------------------------------- */

static void
disconnect(struct bmp_out *out)
{
	loop_fd_remove(out->handle);
	out->handle = NULL;
	if (out->fd >= 0)
		close(out->fd);
	out->fd = -1;
	out->is_connected = false;
	out->queued = 0;
	loop_timer_stop(out->repeat);
	if (out->is_on)
		loop_timer_set(out->retry, out->options.retry_ms);
}

static void
flush(struct bmp_out *out)
{
	ssize_t n = send(out->fd, out->queue, out->queued, MSG_NOSIGNAL);

	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		disconnect(out);
		return;
	}
	if (n > 0) {
		out->queued -= (size_t)n;
		memmove(out->queue, out->queue + n, out->queued);
	}
	loop_fd_set_events(out->handle, out->queued ? POLLIN | POLLOUT : POLLIN);
}

static void
queue_bytes(struct bmp_out *out, const void *data, size_t size)
{
	if (out->queued + size > MAX_QUEUE) {
		log_warn("bmp", "station does not read: session closed");
		disconnect(out);
		return;
	}
	if (out->queued + size > out->capacity) {
		out->capacity = (out->queued + size) * 2;
		out->queue = xreallocarray(out->queue, out->capacity, 1);
	}
	memcpy(out->queue + out->queued, data, size);
	out->queued += size;
}

static void
queue_message(struct bmp_out *out, struct message *message)
{
	for (size_t i = 0; i < 4; i++)
		message->bytes[1 + i] = (uint8_t)(message->size >> (8 * (3 - i)));
	if (!out->is_mute)
		queue_bytes(out, message->bytes, message->size);
}

static void
queue_state(struct bmp_out *out, const struct peer *peer)
{
	struct message message;

	if (peer->bgp != PEER_ESTABLISHED) {
		make_down(out, peer, peer->last_cause, &message);
		queue_message(out, &message);
		return;
	}
	make_up(peer, &message);
	queue_message(out, &message);
	make_end_of_rib(peer, &message);
	if (out->is_connected)
		queue_message(out, &message);
}

/* A new session begins with who we are and the state of every peer. */
static void
introduce(struct bmp_out *out)
{
	struct message message;

	out->is_connected = true;
	out->sessions++;
	log_info("bmp", "session with %s is up", out->options.station);
	begin(&message, INITIATION);
	put_tlv(&message, 1, "autofbf labrouter");
	put_tlv(&message, 2, out->options.hostname);
	queue_message(out, &message);
	for (size_t i = 0; i < peer_table_count(out->table) && out->is_connected; i++)
		queue_state(out, peer_table_at(out->table, i));
	if (out->options.repeat_ms)
		loop_timer_set(out->repeat, out->options.repeat_ms);
}

static void
on_socket(void *arg, int fd, short revents)
{
	struct bmp_out *out = arg;
	char scrap[512];
	int error = 0;
	socklen_t size = sizeof(error);

	if (!out->is_connected) {
		if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 || error ||
		    (revents & POLLHUP)) {
			disconnect(out);
			return;
		}
		introduce(out);
	}
	if (revents & (POLLIN | POLLHUP | POLLERR)) { /* a station says nothing but goodbye */
		ssize_t n = recv(fd, scrap, sizeof(scrap), 0);

		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
			log_info("bmp", "session with %s ended", out->options.station);
			disconnect(out);
			return;
		}
	}
	if (out->fd >= 0)
		flush(out);
}

static void
on_retry(void *arg)
{
	struct bmp_out *out = arg;

	out->fd = socket(out->station.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (out->fd < 0)
		fatal("socket: %s", strerror(errno));
	if (out->source_size > 0 &&
	    bind(out->fd, (struct sockaddr *)&out->source, out->source_size) < 0)
		log_warn("bmp", "cannot use the source address: %s", strerror(errno));
	if (connect(out->fd, (struct sockaddr *)&out->station, out->station_size) < 0 &&
	    errno != EINPROGRESS) {
		disconnect(out);
		return;
	}
	out->handle = loop_fd_add(out->loop, out->fd, POLLOUT, on_socket, out);
}

static void
on_repeat(void *arg)
{
	struct bmp_out *out = arg;

	for (size_t i = 0; i < peer_table_count(out->table) && out->is_connected; i++)
		if (peer_table_at(out->table, i)->bgp != PEER_ESTABLISHED)
			queue_state(out, peer_table_at(out->table, i));
	if (!out->is_connected)
		return;
	flush(out);
	if (out->is_connected)
		loop_timer_set(out->repeat, out->options.repeat_ms);
}

static void
on_change(void *arg, const struct peer *before, const struct peer *now)
{
	struct bmp_out *out = arg;
	bool was_up = before && before->bgp == PEER_ESTABLISHED,
	     is_up = now->bgp == PEER_ESTABLISHED;

	if (!out->is_connected || (before && was_up == is_up))
		return;
	if (is_up && out->options.habit == BMP_LIKE_FRR) { /* one more Down just before the Up */
		struct peer down = *now;

		down.bgp = PEER_IDLE;
		queue_state(out, &down);
	}
	if (out->is_connected)
		queue_state(out, now);
	if (out->is_connected)
		flush(out);
}

/* ---- from outside ---------------------------------------------------------------------------- */

void
bmp_out_set(struct bmp_out *out, bool is_on)
{
	out->is_on = is_on;
	out->is_mute = false;
	loop_timer_stop(out->retry);
	if (out->fd >= 0 || is_on)
		disconnect(out);
	if (is_on)
		loop_timer_set(out->retry, 0);
}

void
bmp_out_mute(struct bmp_out *out)
{
	out->is_mute = true;
}

void
bmp_out_restart(struct bmp_out *out)
{
	out->is_mute = false;
	if (out->fd >= 0)
		disconnect(out);
}

int
bmp_out_set_source(struct bmp_out *out, const char *address, struct error *err)
{
	int rc = address_parse_source(address, &out->station, &out->source, &out->source_size, err);

	if (rc == 0)
		bmp_out_restart(out);
	return rc;
}

void
bmp_out_stop_monitoring(struct bmp_out *out, const struct peer *peer)
{
	struct message message;

	if (!out->is_connected)
		return;
	begin(&message, PEER_DOWN);
	put_peer(&message, peer);
	put_number(&message, 5, 1);
	queue_message(out, &message);
	if (out->is_connected)
		flush(out);
}

void
bmp_out_garbage(struct bmp_out *out)
{
	static const char bytes[] = "GET / HTTP/1.1\r\nHost: not-bmp\r\n\r\n";

	if (!out->is_connected)
		return;
	queue_bytes(out, bytes, sizeof(bytes) - 1);
	if (out->is_connected)
		flush(out);
}

bool
bmp_out_is_connected(const struct bmp_out *out)
{
	return out->is_connected;
}

uint64_t
bmp_out_sessions(const struct bmp_out *out)
{
	return out->sessions;
}

int
bmp_out_new(struct loop *loop, struct peer_table *table, const struct bmp_out_options *options,
    struct bmp_out **ret_out, struct error *err)
{
	struct bmp_out *out = xcalloc(1, sizeof(*out));
	int rc = address_parse(options->station, &out->station, &out->station_size, err);

	if (rc < 0) {
		free(out);
		return rc;
	}
	out->loop = loop;
	out->table = table;
	out->options = *options;
	out->fd = -1;
	out->is_on = true;
	out->retry = loop_timer_new(loop, on_retry, out);
	out->repeat = loop_timer_new(loop, on_repeat, out);
	peer_table_observe(table, on_change, out);
	loop_timer_set(out->retry, 0);
	*ret_out = out;
	return 0;
}

void
bmp_out_free(struct bmp_out *out)
{
	if (!out)
		return;
	out->is_on = false;
	disconnect(out);
	loop_timer_free(out->retry);
	loop_timer_free(out->repeat);
	free(out->queue);
	free(out);
}
