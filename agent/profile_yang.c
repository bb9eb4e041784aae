/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads a profile: file -> text -> libyang tree -> struct profile -> checks -> canonical print.
 *
 * Four hands share the work. libyang knows types, ranges and defaults; profile_text.c reads what
 * libyang hides (host bits, members given twice) and knows the lines; profile_tree.c makes the
 * struct and the print; profile_check.c and, with the layout, nat_cover.c check what YANG cannot
 * say. This file owns the order of these steps, the file, and the promise that a profile is either
 * complete or an error text with the place in it. Nothing reaches standard error, and the network
 * is never asked.
 */
#include "profile_yang.h"

#include <errno.h>
#include <libyang/libyang.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layout_id.h"
#include "nat_cover.h"
#include "profile_fault.h"
#include "profile_file.h"
#include "profile_text.h"
#include "profile_tree.h"
#include "tree_sort.h"

/* Program is .../build/VARIANT/NAME: the modules of that checkout, if they are there. */
static bool
find_built_dir(char *buf)
{
	ssize_t length = readlink("/proc/self/exe", buf, PROFILE_YANG_DIR_SIZE - sizeof("yang"));
	char *slash;

	if (length < 0)
		return false;
	buf[length] = '\0';
	for (int up = 0; up < 3; up++) {
		slash = strrchr(buf, '/');
		if (!slash)
			return false;
		*slash = '\0';
	}
	strcat(buf, "/yang");
	return access(buf, R_OK) == 0;
}

const char *
profile_yang_dir(char buf[PROFILE_YANG_DIR_SIZE])
{
	const char *given = getenv("AUTOFBF_YANG_DIR");

	if (given && *given)
		snprintf(buf, PROFILE_YANG_DIR_SIZE, "%s", given);
	else if (access(AUTOFBF_YANG_DIR, R_OK) == 0 || !find_built_dir(buf))
		snprintf(buf, PROFILE_YANG_DIR_SIZE, "%s", AUTOFBF_YANG_DIR);
	return buf;
}

int
profile_yang_context(const char *yang_dir, struct ly_ctx **ret_ctx, struct error *err)
{
	struct ly_ctx *ctx = NULL;
	const char *why;

	ly_log_options(LY_LOSTORE_LAST);
	if (ly_ctx_new(yang_dir, LY_CTX_DISABLE_SEARCHDIR_CWD, &ctx) != LY_SUCCESS)
		return error_set(err, -ENOENT,
		    "%s: cannot be used as the directory of YANG modules, it must hold "
		    "autofbf.yang",
		    yang_dir);
	if (!ly_ctx_load_module(ctx, "autofbf", NULL, NULL)) {
		why = ly_errmsg(ctx);
		error_set(err, -ENOENT, "%s/autofbf.yang: cannot be loaded: %s", yang_dir,
		    why ? why : "unknown error");
		ly_ctx_destroy(ctx);
		return -ENOENT;
	}
	*ret_ctx = ctx;
	return 0;
}

/* ---- the steps ---- */

/* text ends with a NUL. On success *ret_tree is a valid tree whose root is `profile`. */
static int
parse(const struct ly_ctx *ctx, const char *text, const char *name, struct lyd_node **ret_tree,
    struct error *err)
{
	struct lyd_node *tree = NULL;
	unsigned crowd = profile_text_crowd(text);
	LY_ERR rc;

	if (crowd)
		return error_set(err, -EINVAL,
		    "%s:%u: more than %d entries in one list, no profile has as many", name, crowd,
		    PROFILE_TEXT_ENTRIES);
	rc = lyd_parse_data_mem(ctx, text, LYD_JSON, LYD_PARSE_STRICT | LYD_PARSE_ONLY, 0, &tree);
	if (rc == LY_SUCCESS && !tree)
		return error_set(err, -EINVAL,
		    "%s: holds no profile, it must be {\"autofbf:profile\": {...}}", name);
	if (rc == LY_SUCCESS)
		rc = lyd_validate_all(
		    &tree, ctx, LYD_VALIDATE_PRESENT | LYD_VALIDATE_NO_STATE, NULL);
	if (rc != LY_SUCCESS) {
		profile_fault_describe(ctx, tree, text, name, err);
		lyd_free_all(tree);
		return -EINVAL;
	}
	*ret_tree = tree;
	return 0;
}

/* Puts the file and, where it can be found, the line before a text that begins with a path. */
static void
add_place(const char *text, const char *name, struct error *err)
{
	struct error inner = *err;
	const char *end = strstr(inner.text, ": "); /* a colon alone may be part of an address */
	size_t length = end ? (size_t)(end - inner.text) : 0;
	char *path = xcalloc(length + 1, 1);
	unsigned line;

	memcpy(path, inner.text, length);
	line = profile_text_line(text, path);
	if (line)
		error_set(err, 0, "%s:%u: %.400s", name, line, inner.text);
	else
		error_set(err, 0, "%s: %.400s", name, inner.text);
	free(path);
}

static int
build(const char *text, const char *name, struct lyd_node *root, struct profile **ret_profile,
    struct error *err)
{
	struct profile *profile;
	struct layout_hash *hash;
	struct layout_id id;
	int rc = profile_text_check(text, err);

	if (rc < 0) {
		add_place(text, name, err);
		return rc;
	}
	tree_sort(root);
	profile = profile_tree_read(root, name);
	rc = profile_check(profile, err);
	if (rc == 0)
		rc = nat_cover_check(profile, err);
	if (rc < 0) {
		add_place(text, name, err);
		profile_free(profile);
		return rc;
	}
	profile_tree_print(root, &profile->print, &profile->xml);
	hash = layout_hash_new();
	layout_hash_add(hash, profile->print, strlen(profile->print));
	id = layout_hash_end(hash);
	layout_id_format(&id, profile->id);
	*ret_profile = profile;
	return 0;
}

int
profile_load_text(const struct ly_ctx *ctx, const char *text, size_t size, const char *name,
    struct profile **ret_profile, struct error *err)
{
	struct lyd_node *tree = NULL;
	char *copy = NULL;
	struct error local = { "" };
	int rc = 0;

	err = err ? err : &local;
	copy = xcalloc(size + 1, 1); /* libyang wants a NUL at the end */
	if (size)
		memcpy(copy, text, size);
	if (strspn(copy, " \t\r\n") == size)
		rc = error_set(err, -EINVAL, "%s: is empty", name);
	else if (strlen(copy) != size)
		rc = error_set(err, -EINVAL, "%s: is not JSON, it contains a NUL byte", name);
	if (rc == 0)
		rc = parse(ctx, copy, name, &tree, err);
	if (rc == 0)
		rc = build(copy, name, tree, ret_profile, err);
	lyd_free_all(tree);
	free(copy);
	return rc;
}

int
profile_load(
    const char *path, const char *yang_dir, struct profile **ret_profile, struct error *err)
{
	struct ly_ctx *ctx = NULL;
	struct profile_file file;
	int rc = profile_file_read(path, &file, err);

	if (rc == 0)
		rc = profile_yang_context(yang_dir, &ctx, err);
	if (rc == 0)
		rc = profile_load_text(ctx, file.text, file.size, path, ret_profile, err);
	ly_ctx_destroy(ctx);
	profile_file_done(&file);
	return rc;
}
