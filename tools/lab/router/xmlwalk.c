/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A few steps over libxml2's tree, as the forwarding plane needs them. Junos' payload namespaces
 * carry the release, so only local names count. A statement with inactive="inactive" is in the
 * configuration but not in force: the walk does not see it, with everything below.
 */
#include "xmlwalk.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

static bool
is_inactive(const xmlNode *node)
{
	for (const xmlAttr *attr = node->properties; attr; attr = attr->next)
		if (!strcmp((const char *)attr->name, "inactive"))
			return true;
	return false;
}

bool
xmlwalk_is(const xmlNode *node, const char *name)
{
	return node && node->type == XML_ELEMENT_NODE &&
	       (!name || !strcmp((const char *)node->name, name));
}

static const xmlNode *
search_from(const xmlNode *node, const char *name)
{
	for (; node; node = node->next)
		if (xmlwalk_is(node, name) && !is_inactive(node))
			return node;
	return NULL;
}

const xmlNode *
xmlwalk_child(const xmlNode *node, const char *name)
{
	return node ? search_from(node->children, name) : NULL;
}

const xmlNode *
xmlwalk_next(const xmlNode *node, const char *name)
{
	return node ? search_from(node->next, name) : NULL;
}

const xmlNode *
xmlwalk_path(const xmlNode *node, const char *path)
{
	char *copy = xstrdup(path), *rest = copy, *name;

	while (node && (name = strsep(&rest, "/")))
		node = xmlwalk_child(node, name);
	free(copy);
	return node;
}

char *
xmlwalk_text(const xmlNode *node)
{
	xmlChar *raw = xmlNodeGetContent((xmlNode *)node); /* reads only */
	const char *start = raw ? (const char *)raw : "";
	char *text;
	size_t length;

	while (isspace((unsigned char)*start))
		start++;
	text = xstrdup(start);
	for (length = strlen(text); length && isspace((unsigned char)text[length - 1]);)
		text[--length] = '\0';
	xmlFree(raw);
	return text;
}

char *
xmlwalk_child_text(const xmlNode *node, const char *name)
{
	const xmlNode *child = xmlwalk_child(node, name);

	return child ? xmlwalk_text(child) : NULL;
}
