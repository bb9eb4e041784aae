/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Junos configurations as XML trees: load, merge, edit, select, print.
 *
 * A tree here has one root <configuration>, no namespaces, no comments, no blank text and no
 * attributes but inactive="inactive". Without a schema, an element with a <name> child is an entry
 * of a list keyed by it, a few names are lists of values (import, next-hop, ...), everything else
 * occurs once.
 */
#ifndef LABROUTER_CONF_H
#define LABROUTER_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <libxml/tree.h>

#include "error.h"

/* What mgd would say about an edit: errors and warnings beside the result. All owned. */
struct conf_problem {
	bool is_warning;
	char *path;    /* "[edit policy-options prefix-list fbf-01-ovr-v4]" */
	char *message; /* "statement not found" */
	char *element; /* bad-element; NULL: none */
};

struct conf_problems {
	struct conf_problem *list; /* owned */
	size_t count;
	size_t errors; /* those that are no warnings */
};

void conf_problem_add(struct conf_problems *problems, bool is_warning, const char *path,
    const char *message, const char *element);
void conf_problems_done(struct conf_problems *problems);

enum conf_action { CONF_MERGE, CONF_REPLACE, CONF_OVERRIDE };

xmlDoc *conf_new(void);
xmlDoc *conf_copy(const xmlDoc *doc);
/* A file with a <configuration>, alone or inside an <rpc-reply>, without what it deletes. */
int conf_load_file(const char *path, xmlDoc **ret_doc, struct error *err);
xmlNode *conf_root(const xmlDoc *doc);

/* Applies a <configuration> with its delete="delete", replace="replace" and operation=".."
 * attributes. Good parts are applied even when others are refused (Junos), each with a problem.
 * is_ephemeral: also refuse what the ephemeral database does not take. Returns the number of
 * statements added, changed or removed. */
size_t conf_edit(xmlDoc *into, const xmlNode *configuration, enum conf_action action,
    bool is_ephemeral, struct conf_problems *problems);
/* The same with the <configuration> in a file, action CONF_REPLACE, static. 0; -EINVAL with err: it
 * cannot be read or has an error in it, and a part of it may be in `into`. */
int conf_edit_file(xmlDoc *into, const char *path, size_t *ret_changes, struct error *err);
/* Per statement: lists become unions, a leaf of `over` wins. */
void conf_merge(xmlDoc *into, const xmlDoc *over);

/* First element child with this local name (NULL name: any); NULL when there is none. */
xmlNode *conf_child(const xmlNode *node, const char *name);
xmlNode *conf_next(const xmlNode *node, const char *name); /* next sibling like that */
/* Trimmed text of a leaf; "" when node is NULL or empty. Owned (free). */
char *conf_text(const xmlNode *node);
/* Text of the child leaf; NULL when there is no such child. Owned. */
char *conf_child_text(const xmlNode *node, const char *name);
bool conf_is(const xmlNode *node, const char *name); /* element with this local name */

/* The part of data (an element) that a subtree filter (RFC 6241 section 6; an element of the same
 * name, or NULL for all of it) selects, as a new detached node; NULL: nothing. */
xmlNode *conf_select(const xmlNode *data, const xmlNode *filter);
/* Writes node's children, indented. */
void conf_print_children(FILE *out, const xmlNode *node);
/* FNV-1a of the printed tree: tells whether two trees are the same. */
uint64_t conf_hash(const xmlDoc *doc);
/* Writes the document to path by way of a temporary file. 0 or -errno. */
int conf_save(const xmlDoc *doc, const char *path);

/* "set ..." and "delete ..." lines for the statements an agent needs: prefix-lists and static
 * routes. Returns a <configuration> to edit with; bad lines become problems. */
xmlDoc *conf_parse_set(const char *text, struct conf_problems *problems);

#endif
