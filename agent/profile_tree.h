/* SPDX-License-Identifier: BSD-3-Clause */
/* A validated libyang tree of the profile -> struct profile, and -> its canonical text. */
#ifndef AUTOFBF_PROFILE_TREE_H
#define AUTOFBF_PROFILE_TREE_H

#include "profile.h"

struct lyd_node;

/* A sorted profile without id and print; the caller frees it. Relative paths of files start at the
 * directory of file. root must hold default nodes (lyd_validate_all adds them). */
struct profile *profile_tree_read(const struct lyd_node *root, const char *file);

/* RFC 7951 JSON and XML, without defaults and without what can be derived; the caller frees them.
 * Expects a sorted tree and takes those nodes out of it. */
void profile_tree_print(struct lyd_node *root, char **ret_json, char **ret_xml);

#endif
