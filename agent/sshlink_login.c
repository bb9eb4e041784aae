/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a TCP connect to a NETCONF channel that waits for the peer's hello, one state at a time.
 *
 * The socket is made here and not by libssh, so that a refused connect is told in the kernel's
 * words, TCP has a timer of its own and the kernel probes a silent peer (keepalive): an idle link
 * notices a dead router by itself. Order matters: the host key is checked before anything of ours
 * is shown, and ssh_userauth_none comes first, or RSA keys may be refused before the peer has told
 * which signatures it takes. User and system configuration files of ssh are not ours: not read.
 */
#include "sshlink_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

enum { PROBE_AFTER_S = 10, PROBE_EVERY_S = 5, PROBES = 3 };

/* ---- connect ------------------------------------------------------------------------------- */

static void
set_socket_options(int fd)
{
	const int on = 1, after = PROBE_AFTER_S, every = PROBE_EVERY_S, probes = PROBES;

	/* Best effort: without them the session is slower to start and to be found dead. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &after, sizeof(after));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &every, sizeof(every));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

static socklen_t
make_address(const struct sshlink_config *config, struct sockaddr_storage *ret_address)
{
	struct sockaddr_in *in = (struct sockaddr_in *)ret_address;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ret_address;

	memset(ret_address, 0, sizeof(*ret_address));
	if (config->address.family == FAMILY_IPV4) {
		in->sin_family = AF_INET;
		in->sin_port = htons(config->port);
		memcpy(&in->sin_addr, config->address.bytes, sizeof(in->sin_addr));
		return sizeof(*in);
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(config->port);
	memcpy(&in6->sin6_addr, config->address.bytes, sizeof(in6->sin6_addr));
	return sizeof(*in6);
}

void
sshlink_start_tcp(struct sshlink *link)
{
	struct sockaddr_storage address;
	socklen_t size = make_address(&link->config, &address);

	sshlink_set_state(link, LINK_TCP);
	link->fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (link->fd < 0) {
		sshlink_fail(link, "no socket: %s", strerror(errno));
		return;
	}
	set_socket_options(link->fd);
	if (connect(link->fd, (struct sockaddr *)&address, size) < 0 && errno != EINPROGRESS) {
		sshlink_fail(link, "TCP connect failed: %s", strerror(errno));
		return;
	}
	link->readable = event_new(link->base, link->fd, EV_READ | EV_PERSIST, sshlink_on_io, link);
	link->writable = event_new(link->base, link->fd, EV_WRITE, sshlink_on_io, link);
	event_add(link->writable, NULL);
}

static int
set_ssh_options(struct sshlink *link)
{
	const int no = 0;
	const unsigned port = link->config.port;
	char host[IP_TEXT_SIZE];
	ssh_session session = link->session;
	int rc;

	rc = ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &no);
	rc |= ssh_options_set(session, SSH_OPTIONS_HOST, ip_format(&link->config.address, host));
	rc |= ssh_options_set(session, SSH_OPTIONS_PORT, &port);
	rc |= ssh_options_set(session, SSH_OPTIONS_USER, link->config.user);
	rc |= ssh_options_set(session, SSH_OPTIONS_FD, &link->fd);
	rc |= hostkey_prepare(session, &link->config.pins);
	ssh_set_blocking(session, 0);
	return rc;
}

static enum progress
start_ssh(struct sshlink *link)
{
	int error = 0;
	socklen_t size = sizeof(error);

	if (getsockopt(link->fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 || error != 0)
		return sshlink_fail(
		    link, "TCP connect failed: %s", strerror(error ? error : errno));
	link->session = ssh_new();
	if (!link->session)
		fatal("out of memory");
	if (set_ssh_options(link) != 0)
		return sshlink_fail_ssh(link, "options refused");
	event_add(link->readable, NULL);
	return sshlink_set_state(link, LINK_KEY_EXCHANGE);
}

/* ---- authenticate -------------------------------------------------------------------------- */

static enum progress
exchange_keys(struct sshlink *link)
{
	const char *key_file = link->config.key_file;
	struct error err;
	int rc = ssh_connect(link->session);

	if (rc == SSH_AGAIN)
		return AGAIN;
	if (rc != SSH_OK)
		return sshlink_fail_ssh(link, "the connection was closed");
	if (hostkey_check(link->session, &link->config.pins, &err) < 0)
		return sshlink_fail(link, "%s", err.text);
	if (ssh_pki_import_privkey_file(key_file, NULL, NULL, NULL, &link->key) != SSH_OK)
		return sshlink_fail(link,
		    "key file %s: no private key that this user can read; it must be one as "
		    "ssh-keygen makes it, without a passphrase",
		    key_file);
	return sshlink_set_state(link, LINK_ASK_METHODS);
}

static enum progress
ask_methods(struct sshlink *link)
{
	int rc = ssh_userauth_none(link->session, NULL);

	switch (rc) {
	case SSH_AUTH_AGAIN:
		return AGAIN;
	case SSH_AUTH_SUCCESS:
		return sshlink_set_state(link, LINK_CHANNEL);
	case SSH_AUTH_DENIED:
	case SSH_AUTH_PARTIAL:
		if (!(ssh_userauth_list(link->session, NULL) & SSH_AUTH_METHOD_PUBLICKEY))
			return sshlink_fail(
			    link, "the peer takes no public keys for user %s", link->config.user);
		return sshlink_set_state(link, LINK_AUTHENTICATE);
	default:
		return sshlink_fail_ssh(link, "the connection was closed");
	}
}

static enum progress
authenticate(struct sshlink *link)
{
	int rc = ssh_userauth_publickey(link->session, NULL, link->key);

	switch (rc) {
	case SSH_AUTH_AGAIN:
		return AGAIN;
	case SSH_AUTH_SUCCESS:
		return sshlink_set_state(link, LINK_CHANNEL);
	case SSH_AUTH_DENIED:
		return sshlink_fail(link,
		    "user %s is refused: install the public half of %s for this user on the peer",
		    link->config.user, link->config.key_file);
	case SSH_AUTH_PARTIAL:
		return sshlink_fail(
		    link, "the peer wants more than a public key from user %s", link->config.user);
	default:
		return sshlink_fail_ssh(link, "the connection was closed");
	}
}

static enum progress
open_channel(struct sshlink *link)
{
	int rc;

	if (!link->channel)
		link->channel = ssh_channel_new(link->session);
	if (!link->channel)
		return sshlink_fail_ssh(link, "no channel");
	rc = ssh_channel_open_session(link->channel);
	if (rc == SSH_AGAIN)
		return AGAIN;
	if (rc != SSH_OK)
		return sshlink_fail_ssh(link, "the peer opens no channel");
	return sshlink_set_state(link, LINK_SUBSYSTEM);
}

static enum progress
request_subsystem(struct sshlink *link)
{
	int rc = ssh_channel_request_subsystem(link->channel, "netconf");

	if (rc == SSH_AGAIN)
		return AGAIN;
	if (rc != SSH_OK)
		return sshlink_fail(link,
		    "the peer has no subsystem netconf on this port: switch NETCONF over SSH on "
		    "there, or correct the port");
	sshlink_set_state(link, LINK_HELLO);
	sshlink_put_message(link, link->config.hello, strlen(link->config.hello));
	return GO_ON;
}

enum progress
sshlink_login_step(struct sshlink *link)
{
	switch (link->state) {
	case LINK_TCP:
		return start_ssh(link);
	case LINK_KEY_EXCHANGE:
		return exchange_keys(link);
	case LINK_ASK_METHODS:
		return ask_methods(link);
	case LINK_AUTHENTICATE:
		return authenticate(link);
	case LINK_CHANNEL:
		return open_channel(link);
	case LINK_SUBSYSTEM:
		return request_subsystem(link);
	default:
		return AGAIN;
	}
}
