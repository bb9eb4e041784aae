/* SPDX-License-Identifier: BSD-3-Clause */
/* Address texts to sockets. Names are refused: resolving them could block. */
#include "address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "prefix.h"

static int
fill(const struct ip *ip, uint16_t port, struct sockaddr_storage *ret_address, socklen_t *ret_size)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ret_address;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret_address;

	memset(ret_address, 0, sizeof(*ret_address));
	if (ip->family == FAMILY_IPV4) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		memcpy(&in->sin_addr, ip->bytes, 4);
		*ret_size = sizeof(*in);
	} else {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		memcpy(&in6->sin6_addr, ip->bytes, 16);
		*ret_size = sizeof(*in6);
	}
	return 0;
}

int
address_parse(
    const char *text, struct sockaddr_storage *ret_address, socklen_t *ret_size, struct error *err)
{
	const char *colon = strrchr(text, ':');
	char host[IP_TEXT_SIZE + 2], *end;
	size_t size = colon ? (size_t)(colon - text) : 0;
	unsigned long port;
	struct ip ip;

	if (!colon || size >= sizeof(host))
		goto bad;
	memcpy(host, text, size);
	host[size] = '\0';
	if (host[0] == '[' && host[size - 1] == ']') {
		memmove(host, host + 1, size - 2);
		host[size - 2] = '\0';
	}
	port = strtoul(colon + 1, &end, 10);
	if (ip_parse(host, &ip) < 0 || end == colon + 1 || *end || port > UINT16_MAX)
		goto bad;
	return fill(&ip, (uint16_t)port, ret_address, ret_size);
bad:
	return error_set(
	    err, -EINVAL, "'%s' is no address and port; want 127.0.0.1:8300 or [::1]:8300", text);
}

static bool
can_bind(const struct sockaddr_storage *address, socklen_t size)
{
	int fd = socket(address->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool is_good = fd >= 0 && bind(fd, (const struct sockaddr *)address, size) == 0;

	if (fd >= 0)
		close(fd);
	return is_good;
}

int
address_parse_source(const char *text, const struct sockaddr_storage *to,
    struct sockaddr_storage *ret_address, socklen_t *ret_size, struct error *err)
{
	struct sockaddr_storage address;
	socklen_t size;
	struct ip ip;

	if (ip_parse(text, &ip) < 0)
		return error_set(err, -EINVAL, "'%s' is no address; want 127.0.0.2 or ::1", text);
	(void)fill(&ip, 0, &address, &size);
	if (address.ss_family != to->ss_family)
		return error_set(err, -EINVAL,
		    "%s cannot be the source: the other end's address is of another family", text);
	if (!can_bind(&address, size))
		return error_set(err, -EINVAL, "%s is no address of this machine", text);
	*ret_address = address;
	*ret_size = size;
	return 0;
}

int
address_listen(const char *text, struct error *err)
{
	struct sockaddr_storage address;
	socklen_t size;
	int fd, on = 1, rc = address_parse(text, &address, &size, err);

	if (rc < 0)
		return rc;
	fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return error_set(err, -errno, "socket: %s", strerror(errno));
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&address, size) == 0 && listen(fd, 16) == 0)
		return fd;
	rc = -errno;
	close(fd);
	return error_set(err, rc, "cannot listen on %s: %s", text, strerror(-rc));
}

uint16_t
address_port(int fd)
{
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &size) < 0)
		return 0;
	if (address.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
	return ntohs(((struct sockaddr_in *)&address)->sin_port);
}
