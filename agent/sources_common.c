/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is the same for every source: who may speak, how it is counted, and how a socket is bound.
 * A listener without a list of allowed sources takes what comes from the router's addresses and
 * from this machine.
 */
#include "sources_internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RECEIVE_BUFFER = 1 << 20 };

void
source_init(struct source *source, enum event_source which, const struct profile *profile,
    source_event_fn *fn, void *arg)
{
	*source = (struct source){
		.which = which,
		.profile = profile,
		.listener = which == SOURCE_BMP ? &profile->bmp : &profile->syslog,
		.fn = fn,
		.arg = arg,
		.counters = { .last = MTIME_NEVER, .word_at = mtime_now() },
	};
}

/* ---- who may speak ----------------------------------------------------------------------- */

/* IPv4 in IPv6 (RFC 4291 2.5.5.2), as a socket bound to "::" sees it, is IPv4. */
static struct ip
ip_of_sockaddr(const struct sockaddr *address)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct ip ip = { .family = FAMILY_IPV4 };
	const uint8_t *bytes;

	if (address->sa_family == AF_INET) {
		memcpy(ip.bytes, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
		return ip;
	}
	bytes = ((const struct sockaddr_in6 *)(const void *)address)->sin6_addr.s6_addr;
	if (memcmp(bytes, mapped, sizeof(mapped)) == 0) {
		memcpy(ip.bytes, bytes + 12, 4);
		return ip;
	}
	ip.family = FAMILY_IPV6;
	memcpy(ip.bytes, bytes, 16);
	return ip;
}

static bool
is_loopback(const struct ip *ip)
{
	static const uint8_t one[16] = { [15] = 1 };

	return ip->family == FAMILY_IPV4 ? ip->bytes[0] == 127 : memcmp(ip->bytes, one, 16) == 0;
}

bool
source_allows(const struct source *source, const struct ip *ip)
{
	const struct profile_router *router = &source->profile->router;

	for (size_t i = 0; i < source->listener->allowed_count; i++) {
		if (prefix_contains_ip(&source->listener->allowed[i], ip))
			return true;
	}
	if (source->listener->allowed_count > 0)
		return false;
	for (size_t i = 0; i < router->address_count; i++) {
		if (ip_compare(&router->addresses[i], ip) == 0)
			return true;
	}
	return is_loopback(ip);
}

bool
source_accepts(struct source *source, const struct sockaddr *address, struct mtime now,
    char from[IP_TEXT_SIZE])
{
	struct ip ip = ip_of_sockaddr(address);

	ip_format(&ip, from);
	if (source_allows(source, &ip))
		return true;
	source->counters.foreign++;
	complain(&source->foreign, now, event_source_names[source->which],
	    "%s may not speak here and is not heard; allow it in /%s/allowed-source if it should "
	    "be",
	    from, event_source_names[source->which]);
	return false;
}

/* ---- counters ---------------------------------------------------------------------------- */

void
source_deliver(struct source *source, struct event *event, struct mtime now)
{
	source->counters.messages++;
	source->counters.last = now;
	if (event->kind == EVENT_IGNORED)
		return;
	source->counters.events++;
	if (event->kind != EVENT_COMMITTED)
		source->counters.word_at = now;
	event->at = now;
	source->fn(source->arg, event);
}

/* ---- sockets ----------------------------------------------------------------------------- */

static socklen_t
fill_sockaddr(const struct profile_listener *listener, struct sockaddr_storage *ret_address)
{
	*ret_address = (struct sockaddr_storage){ 0 };
	if (listener->address.family == FAMILY_IPV4) {
		struct sockaddr_in *sin = (struct sockaddr_in *)ret_address;

		sin->sin_family = AF_INET;
		sin->sin_port = htons(listener->port);
		memcpy(&sin->sin_addr, listener->address.bytes, 4);
		return sizeof(*sin);
	}
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)ret_address;

	sin6->sin6_family = AF_INET6;
	sin6->sin6_port = htons(listener->port);
	memcpy(&sin6->sin6_addr, listener->address.bytes, 16);
	return sizeof(*sin6);
}

void
source_share_port(int fd, bool shared)
{
	int value = shared;

	/* If it cannot be done the bind fails, and says so. */
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &value, sizeof(value));
}

/* A listener that stands, and may be replaced, is in the way. */
static bool
is_ours(const struct source *source, int type)
{
	const struct profile *standing = source->standing;

	return standing && (profile_listeners_clash(source->listener, &standing->syslog) ||
	                       (type == SOCK_STREAM &&
	                           profile_listeners_clash(source->listener, &standing->bmp)));
}

/* A port is shared only where it must be: what else has it is another program, and an error. */
static bool
try_bind(const struct source *source, int type, int fd, const struct sockaddr_storage *address,
    socklen_t size)
{
	if (bind(fd, (const struct sockaddr *)address, size) == 0)
		return true;
	if (errno != EADDRINUSE || !is_ours(source, type))
		return false;
	source_share_port(fd, true);
	return bind(fd, (const struct sockaddr *)address, size) == 0;
}

int
source_bind(const struct source *source, int type, struct error *err)
{
	const char *name = event_source_names[source->which];
	struct sockaddr_storage address;
	socklen_t size = fill_sockaddr(source->listener, &address);
	int on = 1, room = RECEIVE_BUFFER, rc;
	char text[IP_TEXT_SIZE];
	int fd = socket(address.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd >= 0 && type == SOCK_STREAM)
		(void)setsockopt(
		    fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)); /* a faster restart */
	if (fd >= 0 && type == SOCK_DGRAM)
		(void)setsockopt(
		    fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)); /* as far as allowed */
	if (fd >= 0 && try_bind(source, type, fd, &address, size))
		return fd;
	rc = -errno;
	if (fd >= 0)
		close(fd);
	return error_set(err, rc,
	    "%s listener: cannot bind %s %s port %u: %s; choose another /%s/address or /%s/port, "
	    "or stop "
	    "the program that has it",
	    name, type == SOCK_STREAM ? "TCP" : "UDP", ip_format(&source->listener->address, text),
	    source->listener->port, strerror(-rc), name, name);
}
