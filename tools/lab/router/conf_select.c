/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading a configuration tree: navigation by local name, subtree filters, text. Filters are those
 * of RFC 6241 section 6 without attributes: a leaf with text must match, an empty element selects,
 * an element with children goes on inside. An entry keeps its <name>, as Junos prints it.
 */
#include "conf.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memtext.h"

static xmlNode *
first_element(xmlNode *node, const char *name)
{
	for (; node; node = node->next)
		if (node->type == XML_ELEMENT_NODE &&
		    (!name || strcmp((const char *)node->name, name) == 0))
			return node;
	return NULL;
}

bool
conf_is(const xmlNode *node, const char *name)
{
	return node && node->type == XML_ELEMENT_NODE &&
	       strcmp((const char *)node->name, name) == 0;
}

xmlNode *
conf_child(const xmlNode *node, const char *name)
{
	return node ? first_element(node->children, name) : NULL;
}

xmlNode *
conf_next(const xmlNode *node, const char *name)
{
	return first_element(node->next, name);
}

char *
conf_text(const xmlNode *node)
{
	xmlChar *all = node ? xmlNodeGetContent(node) : NULL;
	const char *start = all ? (const char *)all : "";
	size_t size;
	char *text;

	while (isspace((unsigned char)*start))
		start++;
	size = strlen(start);
	while (size > 0 && isspace((unsigned char)start[size - 1]))
		size--;
	text = xcalloc(size + 1, 1);
	memcpy(text, start, size);
	xmlFree(all);
	return text;
}

char *
conf_child_text(const xmlNode *node, const char *name)
{
	const xmlNode *child = conf_child(node, name);

	return child ? conf_text(child) : NULL;
}

/* A filter leaf with text in it. */
static bool
is_content_match(const xmlNode *filter)
{
	char *text;
	bool has_text;

	if (conf_child(filter, NULL))
		return false;
	text = conf_text(filter);
	has_text = *text;
	free(text);
	return has_text;
}

static bool
has_equal_leaf(const xmlNode *data, const xmlNode *want)
{
	const char *name = (const char *)want->name;
	char *text = conf_text(want);
	bool found = false;

	for (xmlNode *leaf = conf_child(data, name); leaf && !found; leaf = conf_next(leaf, name)) {
		char *have = conf_text(leaf);

		found = strcmp(have, text) == 0;
		free(have);
	}
	free(text);
	return found;
}

static bool
matches_content(const xmlNode *data, const xmlNode *filter)
{
	for (xmlNode *want = conf_child(filter, NULL); want; want = conf_next(want, NULL))
		if (is_content_match(want) && !has_equal_leaf(data, want))
			return false;
	return true;
}

static bool
selects_all(const xmlNode *filter)
{
	for (xmlNode *want = conf_child(filter, NULL); want; want = conf_next(want, NULL))
		if (!is_content_match(want))
			return false;
	return true;
}

static xmlNode *
copy_node(const xmlNode *node, int depth)
{
	xmlNode *copy = xmlCopyNode((xmlNode *)node, depth);

	if (!copy)
		fatal("out of memory");
	return copy;
}

/* Is child chosen by one of filter's children? Its selected copy goes below into. */
static void
select_child(xmlNode *into, const xmlNode *child, const xmlNode *filter)
{
	for (xmlNode *want = conf_child(filter, (const char *)child->name); want;
	     want = conf_next(want, (const char *)child->name)) {
		xmlNode *part =
		    is_content_match(want) ? copy_node(child, 1) : conf_select(child, want);

		if (part) {
			xmlAddChild(into, part);
			return;
		}
	}
}

xmlNode *
conf_select(const xmlNode *data, const xmlNode *filter)
{
	xmlNode *into, *name;
	size_t chosen = 0;

	if (!filter || !conf_child(filter, NULL))
		return copy_node(data, 1);
	if (!matches_content(data, filter))
		return NULL;
	if (selects_all(filter))
		return copy_node(data, 1);
	into = copy_node(data, 2); /* with attributes, without children */
	name = conf_child(data, "name");
	if (name && !conf_child(filter, "name"))
		xmlAddChild(into, copy_node(name, 1));
	for (xmlNode *child = conf_child(data, NULL); child; child = conf_next(child, NULL)) {
		const xmlNode *before = into->last;

		select_child(into, child, filter);
		chosen += into->last != before ? 1 : 0;
	}
	if (chosen == 0) {
		xmlFreeNode(into);
		return NULL;
	}
	return into;
}

void
conf_print_children(FILE *out, const xmlNode *node)
{
	for (xmlNode *child = conf_child(node, NULL); child; child = conf_next(child, NULL)) {
		xmlBuffer *buf = xmlBufferCreate();

		if (xmlNodeDump(buf, child->doc, child, 0, 1) < 0)
			fatal("out of memory");
		fwrite(xmlBufferContent(buf), 1, (size_t)xmlBufferLength(buf), out);
		fputc('\n', out);
		xmlBufferFree(buf);
	}
}

uint64_t
conf_hash(const xmlDoc *doc)
{
	uint64_t hash = 14695981039346656037u;
	char *text = NULL;
	size_t size;
	FILE *out = memtext_open(&text, &size);

	conf_print_children(out, conf_root(doc));
	fclose(out);
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
	free(text);
	return hash;
}

int
conf_save(const xmlDoc *doc, const char *path)
{
	char *temporary = xasprintf("%s.tmp", path);
	FILE *out = fopen(temporary, "w");
	int rc = 0;

	if (!out) {
		rc = -errno;
		goto out;
	}
	fputs("<configuration>\n", out);
	conf_print_children(out, conf_root(doc));
	fputs("</configuration>\n", out);
	if (ferror(out) | fclose(out))
		rc = -EIO;
	else if (rename(temporary, path) < 0)
		rc = -errno;
	if (rc < 0)
		unlink(temporary);
out:
	free(temporary);
	return rc;
}
