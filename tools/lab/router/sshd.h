/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SSH side of the lab router: listener, keys, authentication, the "netconf" subsystem; bytes in
 * and out. One channel per connection. Everything is called from the loop, nothing from inside
 * libssh.
 */
#ifndef LABROUTER_SSHD_H
#define LABROUTER_SSHD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "loop.h"

struct sshd;
struct sshd_channel;

struct sshd_options {
	const char *listen;          /* "127.0.0.1:8300", "[::1]:8300"; port 0: any free one */
	const char *authorized_keys; /* OpenSSH format; NULL: no key is accepted */
	const char *password;        /* NULL: no password is accepted */
	unsigned max_connections;
};

struct sshd_callbacks {
	/* A client asked for the subsystem. Returns the owner of the channel, given back below. */
	void *(*on_open)(void *arg, struct sshd_channel *channel, const char *user);
	void (*on_data)(void *owner, const char *data, size_t size);
	/* The connection is gone; the channel is no longer valid after the call. */
	void (*on_close)(void *owner);
	void *arg;
};

/* host_key: path of a private key in OpenSSH or PEM form. 0, or -errno with err. */
int sshd_new(struct loop *loop, const struct sshd_options *options, const char *host_key,
    const struct sshd_callbacks *callbacks, struct sshd **ret_sshd, struct error *err);
void sshd_free(struct sshd *sshd); /* drops everybody, without on_close */
uint16_t sshd_port(const struct sshd *sshd);

/* Once per turn of the loop: hands out what came, writes what waits, buries the dead. */
void sshd_turn(struct sshd *sshd);
/* Connections from now on see another host key (the other routing engine). */
int sshd_set_host_key(struct sshd *sshd, const char *path, struct error *err);
/* Off: nobody gets in until on; connections are reset at once. */
void sshd_set_listening(struct sshd *sshd, bool is_on);
/* Cuts every connection (on_close is called in the next turn). */
void sshd_drop_all(struct sshd *sshd);

void sshd_send(struct sshd_channel *channel, const char *data, size_t size);
void sshd_close(struct sshd_channel *channel); /* after all was sent; exit status 0 */
void sshd_cut(struct sshd_channel *channel);   /* at once */

#endif
