/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The far end: every packet goes back to where it came from, unread. A packet that cannot be sent
 * is lost, as on a network, and the sender counts it.
 */
#define _GNU_SOURCE /* recvmmsg, sendmmsg */
#include "probe.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "sockets.h"

enum { BATCH = 64 };

/* Sends back what is there, to where it came from. */
static void
reflect_some(int fd)
{
	static char data[BATCH][512];
	struct sockaddr_storage from[BATCH];
	struct iovec parts[BATCH];
	struct mmsghdr messages[BATCH];
	int count;

	for (int i = 0; i < BATCH; i++) {
		parts[i] = (struct iovec){ data[i], sizeof(data[i]) };
		messages[i] = (struct mmsghdr){ .msg_hdr = { .msg_name = &from[i],
			                            .msg_namelen = sizeof(from[i]),
			                            .msg_iov = &parts[i],
			                            .msg_iovlen = 1 } };
	}
	count = recvmmsg(fd, messages, BATCH, MSG_DONTWAIT, NULL);
	for (int i = 0; i < count; i++)
		parts[i].iov_len = messages[i].msg_len;
	for (int sent = 0; sent < count;) {
		int done = sendmmsg(fd, messages + sent, (unsigned)(count - sent), 0);

		sent += done > 0 ? done : 1; /* one that cannot be sent is lost, as on a network */
	}
}

void
probe_reflect(const struct ip *listen, size_t count, uint16_t port)
{
	struct pollfd *fds = xcalloc(count + 1, sizeof(*fds));

	for (size_t i = 0; i < count; i++)
		fds[i] = (struct pollfd){ .fd = sockets_open(&listen[i], port), .events = POLLIN };
	fds[count] = (struct pollfd){ .fd = sockets_open_signals(), .events = POLLIN };
	printf("probe: reflecting port %u\n", port);
	fflush(stdout);
	while (!(fds[count].revents & POLLIN)) {
		if (poll(fds, count + 1, -1) < 0 && errno != EINTR)
			fatal("poll: %s", strerror(errno));
		for (size_t i = 0; i < count; i++)
			if (fds[i].revents)
				reflect_some(fds[i].fd);
	}
	free(fds);
}
