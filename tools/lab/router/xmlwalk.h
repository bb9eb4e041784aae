/* SPDX-License-Identifier: BSD-3-Clause */
/* Walking a Junos configuration tree: local names only, inactive statements skipped. */
#ifndef LABROUTER_XMLWALK_H
#define LABROUTER_XMLWALK_H

#include <stdbool.h>
#include <stddef.h>

#include <libxml/tree.h>

/* First child, and next sibling, element of that local name (NULL name: any). node may be NULL. */
const xmlNode *xmlwalk_child(const xmlNode *node, const char *name);
const xmlNode *xmlwalk_next(const xmlNode *node, const char *name);
/* Down a path of local names: xmlwalk_path(n, "family/inet/filter"). NULL when absent. */
const xmlNode *xmlwalk_path(const xmlNode *node, const char *path);
bool xmlwalk_is(const xmlNode *node, const char *name);
/* Trimmed text of the element itself, "" when it has none; owned by the caller (free). */
char *xmlwalk_text(const xmlNode *node);
/* Text of the child of that name; NULL when there is no such child. */
char *xmlwalk_child_text(const xmlNode *node, const char *name);

#define XMLWALK_FOREACH(child, node, name) \
	for (const xmlNode *child = xmlwalk_child(node, name); child; \
	     child = xmlwalk_next(child, name))

#endif
