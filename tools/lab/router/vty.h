/* SPDX-License-Identifier: BSD-3-Clause */
/* A client of an FRR daemon's vty unix socket: commands in, text out. */
#ifndef LABROUTER_VTY_H
#define LABROUTER_VTY_H

#include "error.h"
#include "mtime.h"

struct vty;

/* path is copied; connects on first use. */
struct vty *vty_new(const char *path);
void vty_free(struct vty *vty); /* NULL is fine */

/* Runs one command and waits up to timeout_ms for the whole answer (owned by the caller, free).
 * 0; -errno with err: the daemon does not answer, the next ask connects anew. After a failure no
 * attempt is made for a second (-EAGAIN), so that a stopped daemon does not stop its asker. */
int vty_ask(
    struct vty *vty, const char *command, int timeout_ms, char **ret_text, struct error *err);

#endif
