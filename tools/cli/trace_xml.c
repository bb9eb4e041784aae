/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libxml2's tree, a step at a time. The text comes from a router or out of a file that somebody
 * saved, so nothing about it is believed: no network, no document type and hence no entities, and
 * libxml2's own limits of depth (256) and of a single text (10 MB) stay on.
 */
#include "trace_xml.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>

static const char *
local_name(const xmlNode *node)
{
	const char *colon = strrchr((const char *)node->name, ':'); /* a prefix nobody declared */

	return colon ? colon + 1 : (const char *)node->name;
}

static bool
is_inactive(const xmlNode *node)
{
	for (const xmlAttr *attribute = node->properties; attribute; attribute = attribute->next)
		if (strcmp((const char *)attribute->name, "inactive") == 0)
			return true;
	return false;
}

bool
trace_xml_is(const xmlNode *node, const char *name)
{
	return node && node->type == XML_ELEMENT_NODE && !is_inactive(node) &&
	       (!name || strcmp(local_name(node), name) == 0);
}

static const xmlNode *
search(const xmlNode *node, const char *name)
{
	while (node && !trace_xml_is(node, name))
		node = node->next;
	return node;
}

const xmlNode *
trace_xml_child(const xmlNode *node, const char *name)
{
	return node ? search(node->children, name) : NULL;
}

const xmlNode *
trace_xml_next(const xmlNode *node, const char *name)
{
	return search(node->next, name);
}

/* The next node in document order, inside root. */
static const xmlNode *
step(const xmlNode *root, const xmlNode *node)
{
	if (node->type == XML_ELEMENT_NODE && node->children)
		return node->children;
	while (node != root && !node->next)
		node = node->parent;
	return node == root ? NULL : node->next;
}

const xmlNode *
trace_xml_find(const xmlNode *root, const xmlNode *previous, const char *name)
{
	const xmlNode *node = previous ? step(root, previous) : root;

	while (node && !trace_xml_is(node, name))
		node = step(root, node);
	return node;
}

char *
trace_xml_text(const xmlNode *node)
{
	xmlChar *raw = xmlNodeGetContent((xmlNode *)node); /* reads only */
	const char *start = raw ? (const char *)raw : "";
	size_t size;
	char *text;

	while (isspace((unsigned char)*start))
		start++;
	text = xstrdup(start);
	for (size = strlen(text); size > 0 && isspace((unsigned char)text[size - 1]); size--)
		text[size - 1] = '\0';
	xmlFree(raw);
	return text;
}

char *
trace_xml_child_text(const xmlNode *node, const char *name)
{
	const xmlNode *child = trace_xml_child(node, name);

	return child ? trace_xml_text(child) : NULL;
}

char *
trace_xml_name(const xmlNode *node)
{
	char *name = trace_xml_child_text(node, "name");

	if (name && *name)
		return name;
	free(name);
	return NULL;
}

bool
trace_xml_prefix(const char *text, struct prefix *ret_prefix)
{
	char copy[PREFIX_TEXT_SIZE + 4], *slash;
	struct prefix whole = { .length = 0 };
	unsigned long length;

	if (strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	slash = strchr(copy, '/');
	if (slash)
		*slash = '\0';
	if (ip_parse(copy, &whole.address) < 0)
		return false;
	length = family_bits(whole.address.family);
	if (slash && (!isdigit((unsigned char)slash[1]) || strlen(slash + 1) > 3))
		return false;
	if (slash && strtoul(slash + 1, NULL, 10) > length)
		return false;
	if (slash)
		length = strtoul(slash + 1, NULL, 10);
	for (size_t bit = length; bit < family_bits(whole.address.family); bit++)
		whole.address.bytes[bit / 8] &= (uint8_t) ~(0x80u >> bit % 8);
	whole.length = (uint8_t)length;
	*ret_prefix = whole;
	return true;
}

static int
refuse_error(const xmlNode *error, const char *name, struct error *err)
{
	char *text = trace_xml_child_text(error, "error-message");
	int rc = error_set(
	    err, -EINVAL, "%s: the router answered: %.200s", name, text ? text : "an error");

	error_flatten(err);
	free(text);
	return rc;
}

static int
refuse_xml(const char *name, struct error *err)
{
	const xmlError *last = xmlGetLastError();
	int line = last ? last->line : 0;
	int rc = error_set(err, -EINVAL, "%s:%d: not XML: %.200s", name, line,
	    last && last->message ? last->message : "empty");

	error_flatten(err);
	return rc;
}

/* An error that is only a warning has its own severity; Junos sends these with good answers. */
static const xmlNode *
find_error(const xmlNode *root)
{
	const xmlNode *error = NULL;

	while ((error = trace_xml_find(root, error, "rpc-error"))) {
		char *severity = trace_xml_child_text(error, "error-severity");
		bool is_warning = severity && strcmp(severity, "warning") == 0;

		free(severity);
		if (!is_warning)
			return error;
	}
	return NULL;
}

int
trace_xml_parse(
    const char *text, size_t size, const char *name, xmlDoc **ret_doc, struct error *err)
{
	const char *start = size > 0 ? memchr(text, '<', size) : NULL;
	size_t skipped = start ? (size_t)(start - text) : 0;
	const xmlNode *error;
	xmlDoc *doc = NULL;
	int rc = 0;

	if (!start || size > INT_MAX)
		return error_set(err, -EINVAL, "%s: %s", name,
		    start ? "larger than 2 GB"
		          : "no XML is in it; show configuration | "
		            "display xml is wanted");
	xmlResetLastError();
	doc = xmlReadMemory(start, (int)(size - skipped), NULL, NULL,
	    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOBLANKS);
	if (!doc || !xmlDocGetRootElement(doc))
		rc = refuse_xml(name, err);
	else if (doc->intSubset)
		rc = error_set(err, -EINVAL, "%s: has a document type; a router sends none", name);
	else if ((error = find_error(xmlDocGetRootElement(doc))))
		rc = refuse_error(error, name, err);
	if (rc < 0) {
		xmlFreeDoc(doc);
		return rc;
	}
	*ret_doc = doc;
	return 0;
}
