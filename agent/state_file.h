/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the operator set and a restart must not forget: force-failed elements, freezes and altered
 * paths, with who, when and why. /var/lib/autofbf/state.json, written to a temporary file, fsync,
 * rename.
 */
#ifndef AUTOFBF_STATE_FILE_H
#define AUTOFBF_STATE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum operator_kind { OPERATOR_OFFLINE, OPERATOR_FREEZE, OPERATOR_ALTER, OPERATOR_KIND_COUNT };

struct operator_entry {
	enum operator_kind kind;
	char *id;        /* owned; element id, or group id */
	char *who;       /* owned; user name */
	char *reason;    /* owned; may be "" */
	int64_t when_us; /* wall clock */
};

struct operator_state {
	struct operator_entry *entries; /* owned */
	size_t count;
};

void operator_state_done(struct operator_state *state);
/* NULL: not set. */
const struct operator_entry *operator_state_find(
    const struct operator_state *state, enum operator_kind kind, const char *id);
void operator_state_set(struct operator_state *state, enum operator_kind kind, const char *id,
    const char *who, const char *reason, int64_t when_us);
void operator_state_clear(struct operator_state *state, enum operator_kind kind, const char *id);

/* A missing file is an empty state (0). -EBADMSG: not ours or broken; the file is left alone. */
int state_file_load(const char *path, struct operator_state *ret_state, struct error *err);
/* 0: a restart reads the new file. -errno: the old one stands. */
int state_file_save(const char *path, const struct operator_state *state, struct error *err);

/* What to do about a file of the state directory that cannot be written, by the errno; for the end
 * of a sentence that names the file. */
const char *state_file_remedy(int code);

#endif
