/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Host key check. A pin is either the fingerprint that ssh-keygen -l prints or a public key line;
 * of a line only the base64 part counts, so comments and options do no harm. known_hosts is left to
 * libssh, which knows hashed names, markers and ports. Nothing is ever learned or written: a new
 * key is an operator's decision, and the refusal says what to add.
 */
#include "hostkey.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
hostkey_prepare(ssh_session session, const struct hostkey_pins *pins)
{
	const char *file = pins->known_hosts ? pins->known_hosts : "/dev/null";
	int rc = ssh_options_set(session, SSH_OPTIONS_KNOWNHOSTS, file);

	rc |= ssh_options_set(session, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null");
	return rc ? -EINVAL : 0;
}

/* OpenSSH pads base64 with '=' in key lines and leaves it out of fingerprints. */
static bool
is_same_base64(const char *a, size_t a_size, const char *b)
{
	size_t b_size = strlen(b);

	while (a_size > 0 && a[a_size - 1] == '=')
		a_size--;
	while (b_size > 0 && b[b_size - 1] == '=')
		b_size--;
	return a_size == b_size && memcmp(a, b, a_size) == 0;
}

/* Is any word of the line this text? */
static bool
has_word(const char *line, const char *text)
{
	size_t size;

	for (; *line; line += size) {
		line += strspn(line, " \t\r\n");
		size = strcspn(line, " \t\r\n");
		if (size > 0 && is_same_base64(line, size, text))
			return true;
	}
	return false;
}

static bool
is_listed(const struct hostkey_pins *pins, const char *fingerprint, const char *base64)
{
	size_t i;

	for (i = 0; i < pins->key_count; i++)
		if (has_word(pins->keys[i], fingerprint) || has_word(pins->keys[i], base64))
			return true;
	return false;
}

static int
refuse(const struct hostkey_pins *pins, const char *type, const char *fingerprint,
    enum ssh_known_hosts_e known, struct error *err)
{
	if (pins->key_count == 0 && !pins->known_hosts)
		return error_set(err, -EACCES,
		    "no host key is configured: the peer shows %s %s; compare it with the console "
		    "and add it as host-key",
		    type, fingerprint);
	if (pins->known_hosts && access(pins->known_hosts, R_OK) < 0)
		return error_set(err, -EACCES,
		    "the peer's host key %s %s is not listed, and known-hosts file %s cannot be "
		    "read: %s",
		    type, fingerprint, pins->known_hosts, strerror(errno));
	return error_set(err, -EACCES,
	    "the peer's host key %s %s is not among the accepted ones%s: another box, or a new "
	    "key; "
	    "after a check on the console add it as host-key",
	    type, fingerprint,
	    known == SSH_KNOWN_HOSTS_CHANGED ? " (known-hosts has a different one)" : "");
}

static int
check_key(ssh_session session, ssh_key key, const struct hostkey_pins *pins, struct error *err)
{
	enum ssh_known_hosts_e known = SSH_KNOWN_HOSTS_UNKNOWN;
	char *base64 = NULL, *fingerprint = NULL;
	unsigned char *hash = NULL;
	size_t hash_size;
	int rc = -EIO;

	if (ssh_get_publickey_hash(key, SSH_PUBLICKEY_HASH_SHA256, &hash, &hash_size) == 0)
		fingerprint = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, hash_size);
	if (!fingerprint || ssh_pki_export_pubkey_base64(key, &base64) != SSH_OK) {
		error_set(err, rc, "the peer's host key cannot be printed");
		goto out;
	}
	if (pins->known_hosts)
		known = ssh_session_is_known_server(session);
	if (known == SSH_KNOWN_HOSTS_OK || is_listed(pins, fingerprint, base64))
		rc = 0;
	else
		rc = refuse(pins, ssh_key_type_to_char(ssh_key_type(key)), fingerprint, known, err);
out:
	ssh_clean_pubkey_hash(&hash);
	ssh_string_free_char(fingerprint);
	ssh_string_free_char(base64);
	return rc;
}

int
hostkey_check(ssh_session session, const struct hostkey_pins *pins, struct error *err)
{
	ssh_key key = NULL;
	int rc;

	if (ssh_get_server_publickey(session, &key) != SSH_OK)
		return error_set(err, -EIO, "the peer showed no host key");
	rc = check_key(session, key, pins, err);
	ssh_key_free(key);
	return rc;
}
