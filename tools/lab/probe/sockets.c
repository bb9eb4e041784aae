/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * UDP sockets as the probe needs them: any address of the machine's prefixes, a large buffer, and
 * the kernel's count of packets that found it full, so that the probe's own losses are known.
 */
#define _GNU_SOURCE /* IP_FREEBIND and friends */
#include "sockets.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/signalfd.h>

#include "error.h"

enum { BUFFER_BYTES = 4 << 20 };

socklen_t
sockets_address(const struct ip *ip, uint16_t port, struct sockaddr_storage *ret_address)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret_address;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret_address;

	memset(ret_address, 0, sizeof(*ret_address));
	if (ip->family == FAMILY_IPV4) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		memcpy(&v4->sin_addr, ip->bytes, 4);
		return sizeof(*v4);
	}
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(port);
	memcpy(&v6->sin6_addr, ip->bytes, 16);
	return sizeof(*v6);
}

static void
set_option(int fd, int level, int name, int value)
{
	if (setsockopt(fd, level, name, &value, sizeof(value)) < 0)
		fatal("socket option %d/%d: %s", level, name, strerror(errno));
}

int
sockets_open(const struct ip *local, uint16_t port)
{
	bool is_v6 = local->family == FAMILY_IPV6;
	struct sockaddr_storage address;
	socklen_t size = sockets_address(local, port, &address);
	int fd = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	char text[IP_TEXT_SIZE];

	if (fd < 0)
		fatal("socket: %s", strerror(errno));
	if (is_v6)
		set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
	set_option(fd, is_v6 ? IPPROTO_IPV6 : IPPROTO_IP, is_v6 ? IPV6_FREEBIND : IP_FREEBIND, 1);
	set_option(fd, SOL_SOCKET, SO_RXQ_OVFL, 1);
	/* Root may go beyond the system's limit; a smaller buffer shows up as overruns. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &(int){ BUFFER_BYTES }, sizeof(int)) < 0)
		set_option(fd, SOL_SOCKET, SO_RCVBUF, BUFFER_BYTES);
	if (bind(fd, (struct sockaddr *)&address, size) < 0)
		fatal("bind %s port %u: %s", ip_format(local, text), port, strerror(errno));
	return fd;
}

int
sockets_open_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		fatal("signals: %s", strerror(errno));
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		fatal("signals: %s", strerror(errno));
	return fd;
}
