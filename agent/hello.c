/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the first message of a NETCONF peer. Junos greets with comments, and tells a user without
 * rights so in complete error replies, all before <hello> and without a frame of their own; a box
 * whose NETCONF is off sends a line of plain text and closes. So the hello is looked for in the
 * text, what stands before it is kept as words for the operator, and only the hello itself is read
 * as XML. Elements are matched by local name; prefixes differ between releases.
 *
 * Leaves to others: which framing follows (both sides must have offered base:1.1), and whether a
 * notice is worth ending the session for.
 */
#define _GNU_SOURCE /* memmem */
#include "hello.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/tree.h>

struct words { /* text under construction: blanks become one space, what does not fit is dropped */
	char *buf;
	size_t size, used;
	bool gap;
};

static bool
is_blank(char c)
{
	return (unsigned char)c <= ' ' || c == 0x7f;
}

static void
add_char(struct words *words, char c)
{
	if (is_blank(c)) {
		words->gap = words->used > 0;
		return;
	}
	if (words->gap && words->used + 2 < words->size)
		words->buf[words->used++] = ' ';
	words->gap = false;
	if (words->used + 1 < words->size)
		words->buf[words->used++] = c;
	words->buf[words->used] = '\0';
}

static const char *
find(const char *from, const char *end, const char *what)
{
	return from < end ? memmem(from, (size_t)(end - from), what, strlen(what)) : NULL;
}

/* End of the comment or tag at p, which is a '<'. */
static const char *
skip_markup(const char *p, const char *end)
{
	bool is_comment = end - p >= 4 && memcmp(p, "<!--", 4) == 0;
	const char *close = find(p, end, is_comment ? "-->" : ">");

	return close ? close + (is_comment ? 3 : 1) : end;
}

static void
add_plain(struct words *words, const char *p, const char *end)
{
	while (p < end) {
		if (*p == '<') {
			p = skip_markup(p, end);
			add_char(words, ' ');
		} else {
			add_char(words, *p++);
		}
	}
}

/* The error messages in the text, or when there are none all of it without markup. */
static void
read_notice(const char *p, const char *end, char notice[HELLO_NOTICE_SIZE])
{
	static const char tag[] = "error-message>";
	struct words words = { .buf = notice, .size = HELLO_NOTICE_SIZE };
	const char *message, *close;

	notice[0] = '\0';
	if (!find(p, end, tag)) {
		add_plain(&words, p, end);
		return;
	}
	while ((message = find(p, end, tag))) {
		message += strlen(tag);
		close = find(message, end, "</");
		if (!close)
			close = end;
		words.gap = false;
		if (words.used > 0) {
			add_char(&words, ';');
			add_char(&words, ' ');
		}
		add_plain(&words, message, close);
		p = find(close, end, ">"); /* behind the closing tag, which has the same name */
		if (!p)
			break;
	}
}

static bool
ends_name(char c)
{
	return is_blank(c) || c == '>' || c == '/';
}

/* The '<' of the first <hello> or <prefix:hello> outside comments. */
static const char *
find_hello(const char *p, const char *end)
{
	while (p < end && (p = memchr(p, '<', (size_t)(end - p)))) {
		const char *name = p + 1, *colon = name;

		while (colon < end && !ends_name(*colon) && *colon != ':')
			colon++;
		if (colon < end && *colon == ':')
			name = colon + 1;
		if (end - name > 5 && memcmp(name, "hello", 5) == 0 && ends_name(name[5]))
			return p;
		p = skip_markup(p, end);
	}
	return NULL;
}

static const xmlNode *
find_child(const xmlNode *node, const char *name)
{
	for (node = node ? node->children : NULL; node; node = node->next)
		if (node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0)
			break;
	return node;
}

static void
read_text(const xmlNode *node, char *buf, size_t size)
{
	struct words words = { .buf = buf, .size = size };
	xmlChar *text = xmlNodeGetContent(node);

	buf[0] = '\0';
	for (const char *p = (const char *)text; p && *p; p++)
		add_char(&words, *p);
	xmlFree(text);
}

static void
read_capabilities(const xmlNode *capabilities, struct hello *hello)
{
	const xmlNode *node;
	char text[64];

	for (node = capabilities ? capabilities->children : NULL; node; node = node->next) {
		if (node->type != XML_ELEMENT_NODE ||
		    strcmp((const char *)node->name, "capability") != 0)
			continue;
		read_text(node, text, sizeof(text));
		hello->base_1_0 |= strcmp(text, "urn:ietf:params:netconf:base:1.0") == 0;
		hello->base_1_1 |= strcmp(text, "urn:ietf:params:netconf:base:1.1") == 0;
	}
}

static int
read_xml(const char *xml, size_t size, struct hello *hello, struct error *err)
{
	xmlDoc *doc = xmlReadMemory(
	    xml, (int)size, NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL, *id;

	if (!root) {
		xmlFreeDoc(doc);
		return error_set(err, -EBADMSG, "the peer's hello is no well-formed XML");
	}
	read_capabilities(find_child(root, "capabilities"), hello);
	id = find_child(root, "session-id");
	if (id)
		read_text(id, hello->session_id, sizeof(hello->session_id));
	xmlFreeDoc(doc);
	if (!hello->base_1_0 && !hello->base_1_1)
		return error_set(err, -EBADMSG,
		    "the peer's hello offers neither base:1.0 nor base:1.1: no NETCONF server?");
	return 1;
}

int
hello_read(const char *message, size_t size, struct hello *ret_hello, struct error *err)
{
	const char *end = message + size, *start = find_hello(message, end);
	struct hello hello = { 0 };
	int rc;

	read_notice(message, start ? start : end, hello.notice);
	if (find(message, end, "<!DOCTYPE"))
		return error_set(err, -EBADMSG, "the peer's hello has a document type: refused");
	rc = start ? read_xml(start, (size_t)(end - start), &hello, err) : 0;
	if (rc >= 0)
		*ret_hello = hello;
	return rc;
}
