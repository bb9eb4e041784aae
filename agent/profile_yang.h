/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profile's file (RFC 7951 JSON of yang/autofbf.yang) -> struct profile, and back as text.
 * Reads files, writes nothing, prints nothing: whatever goes wrong is one text in struct error,
 * "FILE:LINE: /group[cgn]/element[fbf-02]/...: what is wrong, what would be right".
 */
#ifndef AUTOFBF_PROFILE_YANG_H
#define AUTOFBF_PROFILE_YANG_H

#include <stddef.h>

#include "error.h"
#include "profile.h"

struct ly_ctx;

enum { PROFILE_YANG_DIR_SIZE = 4096 };

/* Where the YANG modules are when no option says so: $AUTOFBF_YANG_DIR; else the directory that was
 * compiled in, if it is there; else yang/ beside build/, for a program that is run from where it
 * was built. Never fails: a directory without modules is profile_yang_context's error. Returns buf.
 */
const char *profile_yang_dir(char buf[PROFILE_YANG_DIR_SIZE]);

/* A context with module autofbf from yang_dir (its imports are built into libyang). The caller
 * owns it: ly_ctx_destroy. Turns libyang's own output to standard error off, for good.
 * 0, or -ENOENT with the directory in err. */
int profile_yang_context(const char *yang_dir, struct ly_ctx **ret_ctx, struct error *err);

/* Loads, checks (YANG, then profile_check) and completes a profile: defaults filled in, arrays
 * sorted, id and print set. A relative key-file or known-hosts starts at the directory of path.
 * 0; -EINVAL: the profile is wrong; other -errno: it cannot be read. The caller frees it. */
int profile_load(
    const char *path, const char *yang_dir, struct profile **ret_profile, struct error *err);

/* The same from memory, with a context of profile_yang_context; name stands for the file in errors,
 * its directory included. */
int profile_load_text(const struct ly_ctx *ctx, const char *text, size_t size, const char *name,
    struct profile **ret_profile, struct error *err);

/* profile->print (and ->xml, the same), which both set, is the profile without defaults: everything
 * that says the same prints the same, whatever the order of its lines, and it loads back as itself.
 */

#endif
