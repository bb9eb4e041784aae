/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One NETCONF session over SSH (RFC 6242) on a libevent loop, non-blocking in every step: TCP, key
 * exchange, host key, public key authentication, subsystem, hello, then whole messages both ways.
 * Each step has a timer, and so has silence in the middle of a message. It knows no Junos and no
 * lists: the same link serves sessions to any box. Not restartable: a lost link is freed, and a new
 * one is made by whoever wants one.
 */
#ifndef AUTOFBF_SSHLINK_H
#define AUTOFBF_SSHLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hostkey.h"
#include "prefix.h"

struct event_base;
struct sshlink;

/* Strings are borrowed until sshlink_free. */
struct sshlink_config {
	struct ip address; /* literal: resolving a name would block */
	uint16_t port;
	const char *user;
	const char *key_file; /* private key without passphrase; read anew for each link */
	struct hostkey_pins pins;
	const char *hello;        /* ours; chunked framing when it and the peer's offer base:1.1 */
	uint32_t step_timeout_ms; /* TCP, key exchange, authentication, hello, each */
	uint32_t silence_timeout_ms; /* half a message, and no byte more */
	size_t max_message;          /* of the peer's messages, in bytes */
};

/* All are called from the loop, never inside a call of this header. They may call sshlink_free. */
struct sshlink_callbacks {
	/* The hellos are exchanged. notice: what the peer said before its hello, "" when nothing.
	 */
	void (*on_up)(void *arg, const char *notice);
	/* One message; borrowed for the call, NUL-terminated. */
	void (*on_message)(void *arg, const char *message, size_t size);
	/* Last call: the link failed or was lost, at any stage. reason: what, where, remedy. */
	void (*on_down)(void *arg, const char *reason);
	void *arg;
};

/* Starts connecting. A failure comes by on_down. */
struct sshlink *sshlink_new(struct event_base *base, const struct sshlink_config *config,
    const struct sshlink_callbacks *callbacks);
/* The same peer by other strings, other limits of time: from now on these are borrowed. */
void sshlink_set_config(struct sshlink *link, const struct sshlink_config *config);
/* Closes at once; what was not written yet is lost. No callback follows. NULL is fine. */
void sshlink_free(struct sshlink *link);
bool sshlink_is_up(const struct sshlink *link);
/* Frames the message, and writes it in this call as far as the peer's window goes; the rest follows
 * by itself. Only when up; else nothing happens (on_down is on its way). */
void sshlink_send(struct sshlink *link, const char *message, size_t size);

#endif
