/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The other end of an SSH link for tests: a libssh server in a child process, one connection, that
 * follows a short script. Blocking and simple on purpose: it shares no code with the link but the
 * framing.
 */
#ifndef AUTOFBF_TESTS_SSH_PEER_H
#define AUTOFBF_TESTS_SSH_PEER_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <libssh/callbacks.h>
#include <libssh/libssh.h>
#include <libssh/server.h>

#include "framing.h"

/* The message form of a server is the simplest one, and marked as old in libssh. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum ssh_peer_manner {
	PEER_SERVES,
	PEER_NEVER_ACCEPTS,
	PEER_CLOSES_TCP, /* after accept */
	PEER_TALKS_HTTP, /* no SSH server at all */
	PEER_REFUSES_USER,
	PEER_WANTS_PASSWORDS,
	PEER_STALLS_IN_AUTH, /* never answers an authentication request */
	PEER_HAS_NO_SUBSYSTEM,
	PEER_SAYS_NOTHING,    /* no hello */
	PEER_SAYS_AND_CLOSES, /* hello text, then the end */
};

struct ssh_peer {
	enum ssh_peer_manner manner;
	const char *hello; /* raw bytes, frame included */
	bool chunked;      /* how it frames after the hello */
	const char *host_key_file, *user_key_file;
};

struct ssh_peer_process {
	pid_t pid;
	uint16_t port;
	int listener;
};

static inline void
peer_write(ssh_channel channel, const char *bytes, size_t size)
{
	while (size > 0) {
		int n = ssh_channel_write(channel, bytes, (uint32_t)size);

		if (n <= 0)
			_exit(0);
		bytes += n;
		size -= (size_t)n;
	}
}

static inline void
peer_send(const struct ssh_peer *peer, ssh_channel channel, const char *message, size_t size)
{
	enum framing_version version = peer->chunked ? FRAMING_CHUNKED : FRAMING_EOM;
	char head[FRAMING_HEAD_SIZE];

	peer_write(channel, head, framing_head(version, size, head));
	peer_write(channel, message, size);
	peer_write(channel, framing_tail(version), strlen(framing_tail(version)));
}

/* What a message of the test asks of the peer; anything else is sent back as it came. */
static inline void
peer_answer(const struct ssh_peer *peer, ssh_session session, ssh_channel channel,
    const char *message, size_t size)
{
	if (strncmp(message, "<raw>", 5) == 0) { /* these bytes, without a frame */
		peer_write(channel, message + 5, size - 5);
	} else if (strncmp(message, "<big>", 5) == 0) {
		size_t wanted = strtoul(message + 5, NULL, 10);
		char *big = calloc(wanted + 1, 1);

		memset(big, 'x', wanted);
		peer_send(peer, channel, big, wanted);
		free(big);
	} else if (strcmp(message, "<blanks>") == 0) { /* as Junos: a line feed after the mark */
		peer_send(peer, channel, "<a/>", 4);
		peer_write(channel, "\n\n", 2);
	} else if (strcmp(message, "<bye>") == 0) {
		ssh_channel_send_eof(channel);
		ssh_channel_close(channel);
		ssh_disconnect(session);
		_exit(0);
	} else {
		peer_send(peer, channel, message, size);
	}
}

static inline void
peer_echo(const struct ssh_peer *peer, ssh_session session, ssh_channel channel)
{
	struct framing *framing = framing_new(64 << 20);
	const char *message;
	char bytes[32768];
	bool greeted = false;
	size_t size;
	int n;

	while ((n = ssh_channel_read(channel, bytes, sizeof(bytes), 0)) > 0) {
		framing_feed(framing, bytes, (size_t)n);
		while (framing_next(framing, &message, &size) == 1) {
			if (greeted) {
				peer_answer(peer, session, channel, message, size);
				continue;
			}
			greeted = true; /* the client's hello */
			framing_set_version(framing, peer->chunked ? FRAMING_CHUNKED : FRAMING_EOM);
		}
	}
	_exit(0);
}

static inline void
peer_authenticate(const struct ssh_peer *peer, ssh_message message)
{
	ssh_key wanted = NULL;
	bool is_key = ssh_message_subtype(message) == SSH_AUTH_METHOD_PUBLICKEY;

	if (peer->manner == PEER_STALLS_IN_AUTH)
		pause();
	ssh_message_auth_set_methods(message, peer->manner == PEER_WANTS_PASSWORDS
	                                          ? SSH_AUTH_METHOD_PASSWORD
	                                          : SSH_AUTH_METHOD_PUBLICKEY);
	ssh_pki_import_pubkey_file(peer->user_key_file, &wanted);
	if (is_key && peer->manner != PEER_REFUSES_USER && wanted &&
	    ssh_key_cmp(ssh_message_auth_pubkey(message), wanted, SSH_KEY_CMP_PUBLIC) == 0) {
		if (ssh_message_auth_publickey_state(message) == SSH_PUBLICKEY_STATE_VALID)
			ssh_message_auth_reply_success(message, 0);
		else
			ssh_message_auth_reply_pk_ok_simple(message);
	} else {
		ssh_message_reply_default(message);
	}
	ssh_key_free(wanted);
}

/* Answers requests until the subsystem is asked for. */
static inline ssh_channel
peer_serve_login(const struct ssh_peer *peer, ssh_session session)
{
	ssh_channel channel = NULL;
	ssh_message message;

	while ((message = ssh_message_get(session))) {
		int type = ssh_message_type(message);
		bool done = false;

		if (type == SSH_REQUEST_AUTH) {
			peer_authenticate(peer, message);
		} else if (type == SSH_REQUEST_CHANNEL_OPEN) {
			channel = ssh_message_channel_request_open_reply_accept(message);
		} else if (type == SSH_REQUEST_CHANNEL && peer->manner != PEER_HAS_NO_SUBSYSTEM) {
			ssh_message_channel_request_reply_success(message);
			done = true;
		} else {
			ssh_message_reply_default(message);
		}
		ssh_message_free(message);
		if (done)
			return channel;
	}
	_exit(0);
}

static inline void
peer_run(const struct ssh_peer *peer, int listener)
{
	ssh_bind bind = ssh_bind_new();
	ssh_session session = ssh_new();
	ssh_channel channel;
	int fd = accept(listener, NULL, NULL), no = 0;

	if (peer->manner == PEER_CLOSES_TCP)
		_exit(0);
	if (peer->manner == PEER_TALKS_HTTP) {
		if (write(fd, "HTTP/1.0 400 Bad Request\r\n\r\n", 28) < 0)
			_exit(1);
		_exit(0);
	}
	ssh_bind_options_set(bind, SSH_BIND_OPTIONS_PROCESS_CONFIG, &no);
	ssh_bind_options_set(bind, SSH_BIND_OPTIONS_HOSTKEY, peer->host_key_file);
	if (ssh_bind_accept_fd(bind, session, fd) != SSH_OK ||
	    ssh_handle_key_exchange(session) != SSH_OK)
		_exit(0);
	channel = peer_serve_login(peer, session);
	if (peer->manner == PEER_SAYS_NOTHING)
		pause();
	peer_write(channel, peer->hello, strlen(peer->hello));
	if (peer->manner == PEER_SAYS_AND_CLOSES) {
		ssh_channel_send_eof(channel);
		ssh_channel_close(channel);
		pause(); /* leaving with unread bytes would reset the connection */
	}
	peer_echo(peer, session, channel);
}

static inline struct ssh_peer_process
peer_start(const struct ssh_peer *peer)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct ssh_peer_process process;
	socklen_t size = sizeof(address);

	process.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(process.listener, (struct sockaddr *)&address, size) < 0 ||
	    listen(process.listener, 1) < 0 ||
	    getsockname(process.listener, (struct sockaddr *)&address, &size) < 0)
		abort();
	process.port = ntohs(address.sin_port);
	process.pid = -1;
	if (peer->manner == PEER_NEVER_ACCEPTS)
		return process;
	process.pid = fork();
	if (process.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* nothing is left behind when a test fails */
		peer_run(peer, process.listener);
	}
	return process;
}

static inline void
peer_stop(struct ssh_peer_process *process)
{
	close(process->listener);
	if (process->pid <= 0)
		return;
	kill(process->pid, SIGKILL);
	waitpid(process->pid, NULL, 0);
}

#endif
