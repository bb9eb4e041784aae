/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps over the XML of a router's answer. Only local names count, because Junos' namespaces carry
 * the release; a statement with the attribute inactive is not there, with everything below it.
 */
#ifndef AUTOFBF_CLI_TRACE_XML_H
#define AUTOFBF_CLI_TRACE_XML_H

#include <stdbool.h>
#include <stddef.h>

#include <libxml/tree.h>

#include "error.h"
#include "prefix.h"

/* Parses a document; what stands before the first "<" (a prompt, the command) is passed over. The
 * caller frees it (xmlFreeDoc). 0, or -EINVAL: no XML, a document type, or an <rpc-error>. */
int trace_xml_parse(
    const char *text, size_t size, const char *name, xmlDoc **ret_doc, struct error *err);

bool trace_xml_is(const xmlNode *node, const char *name);
/* The first child of that name (NULL: any element) and the next sibling; NULL: none. A NULL node
 * has no children. */
const xmlNode *trace_xml_child(const xmlNode *node, const char *name);
const xmlNode *trace_xml_next(const xmlNode *node, const char *name);
#define TRACE_XML_EACH(variable, parent, name) \
	for (const xmlNode *variable = trace_xml_child(parent, name); variable; \
	     variable = trace_xml_next(variable, name))
/* The first element of that name at or below the node, in document order; and the next after it. */
const xmlNode *trace_xml_find(const xmlNode *root, const xmlNode *previous, const char *name);

/* Text without the white space around it; the caller frees it. NULL: there is no such child. */
char *trace_xml_text(const xmlNode *node);
char *trace_xml_child_text(const xmlNode *node, const char *name);
/* The <name> of a statement; NULL when it has none or an empty one. The caller frees it. */
char *trace_xml_name(const xmlNode *node);

/* A prefix whose host bits may be set, as interfaces have them: they are dropped. A missing length
 * means a host. False: it is no prefix. */
bool trace_xml_prefix(const char *text, struct prefix *ret_prefix);

#endif
