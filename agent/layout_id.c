/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SHA-256 of text, by libcrypto. Here and nowhere else, so that the layout itself needs no library.
 * The digest is the name under which two routers compare what they forward: it has to be one that
 * anybody can compute with sha256sum(1) from the printed layout, and it is.
 * libcrypto fails only when memory runs out or when the algorithm is disabled on this machine; in
 * both cases there is nothing to fall back to and the process ends.
 */
#include "layout_id.h"

#include <openssl/evp.h>
#include <stdlib.h>

#include "error.h"

struct layout_hash {
	EVP_MD_CTX *context; /* owned */
};

struct layout_hash *
layout_hash_new(void)
{
	struct layout_hash *hash = xcalloc(1, sizeof(*hash));

	hash->context = EVP_MD_CTX_new();
	if (!hash->context || !EVP_DigestInit_ex(hash->context, EVP_sha256(), NULL))
		fatal("SHA-256 is not available from libcrypto");
	return hash;
}

void
layout_hash_add(struct layout_hash *hash, const void *data, size_t size)
{
	if (!EVP_DigestUpdate(hash->context, data, size))
		fatal("SHA-256 failed in libcrypto");
}

struct layout_id
layout_hash_end(struct layout_hash *hash)
{
	struct layout_id id;

	if (!EVP_DigestFinal_ex(hash->context, id.bytes, NULL))
		fatal("SHA-256 failed in libcrypto");
	EVP_MD_CTX_free(hash->context);
	free(hash);
	return id;
}

const char *
layout_id_format(const struct layout_id *id, char buf[LAYOUT_ID_TEXT_SIZE])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < sizeof(id->bytes); i++) {
		buf[2 * i] = digits[id->bytes[i] >> 4];
		buf[2 * i + 1] = digits[id->bytes[i] & 0xf];
	}
	buf[2 * sizeof(id->bytes)] = '\0';
	return buf;
}
