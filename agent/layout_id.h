/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-256 over text, for layout-id and profile-id. The one file of the base that links libcrypto.
 */
#ifndef AUTOFBF_LAYOUT_ID_H
#define AUTOFBF_LAYOUT_ID_H

#include <stddef.h>
#include <stdint.h>

struct layout_id {
	uint8_t bytes[32];
};

enum { LAYOUT_ID_TEXT_SIZE = 65, LAYOUT_ID_SHORT_SIZE = 9 };

struct layout_hash; /* a running hash */
struct layout_hash *layout_hash_new(void);
void layout_hash_add(struct layout_hash *hash, const void *data, size_t size);
/* Ends and frees the hash. */
struct layout_id layout_hash_end(struct layout_hash *hash);

/* 64 hexadecimal digits; returns buf. */
const char *layout_id_format(const struct layout_id *id, char buf[LAYOUT_ID_TEXT_SIZE]);

#endif
