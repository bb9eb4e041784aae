/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is this the box that we mean? The server's host key against what the operator pinned: a list of
 * SHA256 fingerprints or public key lines (each routing engine has a key of its own), and a
 * known_hosts file. Without any pin every key is refused.
 */
#ifndef AUTOFBF_HOSTKEY_H
#define AUTOFBF_HOSTKEY_H

#include <stddef.h>

#include <libssh/libssh.h>

#include "error.h"

struct hostkey_pins {
	const char *const *keys; /* borrowed; "SHA256:..." or "ssh-ed25519 AAAA... comment" */
	size_t key_count;
	const char
	    *known_hosts; /* borrowed; OpenSSH file, or NULL. Its entries count for the address
	                   * (as "[ADDRESS]:PORT" when the port is not 22), plain or hashed. */
};

/* Before connecting: makes libssh read this known_hosts file and no other. */
int hostkey_prepare(ssh_session session, const struct hostkey_pins *pins);
/* After key exchange. 0; -EACCES with the fingerprint and the remedy; -EIO: no key. */
int hostkey_check(ssh_session session, const struct hostkey_pins *pins, struct error *err);

#endif
