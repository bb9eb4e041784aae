/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The near end: packet n leaves at start + n / rate, from subscriber n modulo their number, and
 * answers are collected in between. One socket per family speaks for all subscribers of that
 * family: the source address travels with each packet.
 *
 * Never catches up by losing: when the machine was busy, what is due is sent late and counted as
 * late, because a burst may then be lost for reasons that have nothing to do with the network.
 */
#define _GNU_SOURCE /* in6_pktinfo, ppoll */
#include "probe.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "mtime.h"
#include "sockets.h"

enum { MAX_PACKETS = 50 * 1000 * 1000, BATCH = 64, LATE_US = 5000, DRAIN_MS = 500 };

#define MAGIC UINT32_C(0x41464250)

struct message {
	uint32_t magic;
	uint32_t run; /* tells this run's answers from an earlier one's */
	uint64_t number;
};

struct sender {
	struct probe *probe;
	int sockets[FAMILY_COUNT]; /* -1: family not used */
	uint32_t run;
};

static struct probe_packet *
next_packet(struct probe *probe)
{
	if (probe->count == probe->capacity) {
		probe->capacity = probe->capacity ? 2 * probe->capacity : 65536;
		probe->packets =
		    xreallocarray(probe->packets, probe->capacity, sizeof(*probe->packets));
	}
	probe->packets[probe->count] = (struct probe_packet){ .sent_us = PROBE_NOT_SENT };
	return &probe->packets[probe->count++];
}

/* Puts the subscriber's address into the control message. */
static void
set_source(struct msghdr *header, const struct ip *source)
{
	struct cmsghdr *control = CMSG_FIRSTHDR(header);
	struct in6_pktinfo v6 = { 0 };
	struct in_pktinfo v4 = { 0 };

	if (source->family == FAMILY_IPV4) {
		memcpy(&v4.ipi_spec_dst, source->bytes, 4);
		control->cmsg_level = IPPROTO_IP;
		control->cmsg_type = IP_PKTINFO;
		control->cmsg_len = CMSG_LEN(sizeof(v4));
		memcpy(CMSG_DATA(control), &v4, sizeof(v4));
	} else {
		memcpy(&v6.ipi6_addr, source->bytes, 16);
		control->cmsg_level = IPPROTO_IPV6;
		control->cmsg_type = IPV6_PKTINFO;
		control->cmsg_len = CMSG_LEN(sizeof(v6));
		memcpy(CMSG_DATA(control), &v6, sizeof(v6));
	}
	header->msg_controllen = control->cmsg_len;
}

static void
send_one(struct sender *sender)
{
	struct probe *probe = sender->probe;
	const struct ip *source = &probe->subscribers[probe->count % probe->subscriber_count];
	struct message message = { MAGIC, sender->run, probe->count };
	struct iovec part = { &message, sizeof(message) };
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct in6_pktinfo))] = { 0 };
	struct sockaddr_storage to;
	struct msghdr header = { .msg_name = &to,
		.msg_namelen = sockets_address(&probe->servers[source->family], probe->port, &to),
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control) };
	struct probe_packet *packet = next_packet(probe);
	int64_t now = mtime_now().us;

	set_source(&header, source);
	if (sendmsg(sender->sockets[source->family], &header, 0) == sizeof(message))
		packet->sent_us = now;
	else
		probe->send_errors++;
}

static void
note_overruns(struct probe *probe, enum family family, struct msghdr *header)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL)
			memcpy(&probe->overruns[family], CMSG_DATA(c), sizeof(uint32_t));
}

static void
receive_all(struct sender *sender, enum family family)
{
	struct probe *probe = sender->probe;
	for (;;) {
		struct message message;
		struct iovec part = { &message, sizeof(message) };
		_Alignas(struct cmsghdr) char control[64];
		struct msghdr header = { .msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control) };
		ssize_t size = recvmsg(sender->sockets[family], &header, MSG_DONTWAIT);

		if (size < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (size < 0)
			continue; /* an ICMP error of an earlier packet: that packet stays
			             unanswered */
		note_overruns(probe, family, &header);
		if (size == sizeof(message) && message.magic == MAGIC &&
		    message.run == sender->run && message.number < probe->count)
			probe->packets[message.number].is_answered = true;
		else
			probe->foreign++;
	}
}

/* Waits for answers or a signal, at most until the given time. True: a signal came. */
static bool
wait_for_answers(struct sender *sender, int signals, int64_t until_us)
{
	struct pollfd fds[FAMILY_COUNT + 1];
	int64_t left = until_us - mtime_now().us;
	struct timespec timeout = { .tv_sec = left > 0 ? left / 1000000 : 0,
		.tv_nsec = left > 0 ? left % 1000000 * 1000 : 0 };

	for (int family = 0; family < FAMILY_COUNT; family++)
		fds[family] = (struct pollfd){ .fd = sender->sockets[family], .events = POLLIN };
	fds[FAMILY_COUNT] = (struct pollfd){ .fd = signals, .events = POLLIN };
	if (ppoll(fds, FAMILY_COUNT + 1, &timeout, NULL) < 0 && errno != EINTR)
		fatal("poll: %s", strerror(errno));
	for (int family = 0; family < FAMILY_COUNT; family++)
		if (fds[family].revents)
			receive_all(sender, family);
	return fds[FAMILY_COUNT].revents & POLLIN;
}

/* Sends and receives until the time is over or a signal came. */
static void
run(struct sender *sender, int signals)
{
	struct probe *probe = sender->probe;
	int64_t start = mtime_now().us;
	bool is_over = false;

	probe->wall_offset_us = wallclock_now_us() - start;
	while (!is_over && probe->count < MAX_PACKETS) {
		int64_t due = start + (int64_t)(probe->count * 1000000 / probe->rate);
		int64_t now = mtime_now().us;

		if (probe->duration_us && due - start >= probe->duration_us)
			break;
		if (now < due) {
			is_over = wait_for_answers(sender, signals, due);
			continue;
		}
		probe->late += now - due > LATE_US;
		send_one(sender);
		if (probe->count % BATCH == 0) /* behind: do not let the receive buffer fill */
			is_over = wait_for_answers(sender, signals, now);
	}
}

void
probe_send(struct probe *probe)
{
	struct sender sender = {
		.probe = probe, .sockets = { -1, -1 }, .run = (uint32_t)wallclock_now_us()
	};
	int signals = sockets_open_signals();
	struct mtime end;

	for (int family = 0; family < FAMILY_COUNT; family++)
		if (probe->has_server[family])
			sender.sockets[family] = sockets_open(&(struct ip){ .family = family }, 0);
	run(&sender, signals);
	end = mtime_add_ms(mtime_now(), DRAIN_MS);
	while (!mtime_reached(mtime_now(), end))
		(void)wait_for_answers(&sender, -1, end.us); /* a second signal changes nothing */
	for (int family = 0; family < FAMILY_COUNT; family++)
		if (sender.sockets[family] >= 0)
			close(sender.sockets[family]);
	close(signals);
}
