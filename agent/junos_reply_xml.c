/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between the bytes of a session and the grammar of junos_reply.c stands libxml2, fed piece by
 * piece. What makes real sessions readable is here:
 *  - a frame may hold several documents and comments around them (a refused user gets two replies
 *    and then the hello). Everything is put inside one element of our own, so that XML's rule of a
 *    single root does not bite; the XML declaration, which may stand only in front, is dropped;
 *  - Junos sends what people typed. A description in Latin-1 or a control character in a banner
 *    would make each poll fail for ever, so bytes that XML forbids become "?" on the way in. All
 *    values that we use are ASCII.
 * Inside an element libxml2 refuses a document type by itself; there are no entities to expand.
 */
#include "junos_reply_xml.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>

static const char root_start[] = "<message>", root_end[] = "</message>";
static const char declaration[] = "<?xml";

enum { PIECE_SIZE = 8192 };

enum head { HEAD_MATCHING, HEAD_DECLARATION, HEAD_DONE };

struct junos_xml_attributes {
	const xmlChar **list; /* five pointers each: name, prefix, namespace, value, end of value */
	int count;
};

struct junos_xml {
	const struct junos_xml_handler *handler; /* borrowed */
	xmlParserCtxtPtr ctxt;                   /* owned */
	size_t depth;                            /* our own root included */
	bool failed;
	struct error err; /* why, when failed */
	/* the beginning of the message */
	enum head head;
	size_t matched; /* characters of the declaration's start seen so far */
	char previous;
	/* cleaning */
	uint8_t sequence[4]; /* a UTF-8 sequence that is not complete yet */
	size_t sequence_size;
	char piece[PIECE_SIZE];
	size_t piece_size;
};

/* ---- libxml2's callbacks ----------------------------------------------------------------- */

void
junos_xml_refuse(struct junos_xml *xml, const char *why)
{
	if (!xml->failed)
		error_set(&xml->err, -EBADMSG, "%s", why);
	xml->failed = true;
	xmlStopParser(xml->ctxt);
}

static void
on_start(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int ns_count,
    const xmlChar **ns, int attribute_count, int defaulted_count, const xmlChar **attributes)
{
	struct junos_xml *xml = arg;
	struct junos_xml_attributes list = { attributes, attribute_count };

	if (xml->failed)
		return;
	if (xml->depth > JUNOS_XML_MAX_DEPTH)
		junos_xml_refuse(xml, "elements are nested more than 64 deep");
	else if (xml->depth++ > 0)
		xml->handler->start(xml->handler->arg, (const char *)name, &list);
}

static void
on_end(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	struct junos_xml *xml = arg;

	if (!xml->failed && --xml->depth > 0)
		xml->handler->end(xml->handler->arg);
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool
is_blank_text(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (!is_blank(text[i]))
			return false;
	}
	return true;
}

static void
on_text(void *arg, const xmlChar *text, int size)
{
	struct junos_xml *xml = arg;

	if (xml->failed)
		return;
	if (xml->depth > 1)
		xml->handler->text(xml->handler->arg, (const char *)text, (size_t)size);
	else if (!is_blank_text((const char *)text, (size_t)size))
		junos_xml_refuse(xml, "there is text outside of every element");
}

/* Inside an element a document type is no XML; the parser's own words for that help nobody. */
static bool
is_at_doctype(const xmlParserInput *input)
{
	static const char doctype[] = "<!DOCTYPE";
	size_t size = sizeof(doctype) - 1;

	return input && (size_t)(input->end - input->cur) >= size &&
	       memcmp(input->cur, doctype, size) == 0;
}

/* Undeclared prefixes and the like are no fatal errors, and not uncommon. */
static void
on_error(void *arg, xmlErrorPtr error)
{
	struct junos_xml *xml = arg;
	const char *text = error->message ? error->message : "unknown error";

	if (error->level != XML_ERR_FATAL || xml->failed)
		return;
	xml->failed = true;
	if (is_at_doctype(xml->ctxt->input)) {
		error_set(&xml->err, -EBADMSG, "a document type declaration in line %d is refused",
		    error->line);
		return;
	}
	error_set(&xml->err, -EBADMSG, "bad XML in line %d: %.*s", error->line,
	    (int)strcspn(text, "\n"), text);
}

/* ---- cleaning ---------------------------------------------------------------------------- */

static void
flush_piece(struct junos_xml *xml)
{
	if (!xml->failed && xml->piece_size > 0)
		xmlParseChunk(xml->ctxt, xml->piece, (int)xml->piece_size, 0);
	xml->piece_size = 0;
}

static void
put_raw(struct junos_xml *xml, char c)
{
	xml->piece[xml->piece_size++] = c;
	if (xml->piece_size == sizeof(xml->piece))
		flush_piece(xml);
}

/* It was no declaration: what was held back is content. */
static void
end_head(struct junos_xml *xml)
{
	for (size_t i = 0; i < xml->matched; i++)
		put_raw(xml, declaration[i]);
	xml->head = HEAD_DONE;
}

/* Drops blanks and an XML declaration in front of everything else. */
static void
put(struct junos_xml *xml, char c)
{
	switch (xml->head) {
	case HEAD_MATCHING:
		if (xml->matched == sizeof(declaration) - 1 && is_blank(c)) {
			xml->head = HEAD_DECLARATION;
		} else if (c == declaration[xml->matched] && c != '\0') {
			xml->matched++;
		} else if (xml->matched > 0 || !is_blank(c)) {
			end_head(xml);
			put_raw(xml, c);
		}
		break;
	case HEAD_DECLARATION:
		if (c == '>' && xml->previous == '?')
			xml->head = HEAD_DONE;
		xml->previous = c;
		break;
	case HEAD_DONE:
		put_raw(xml, c);
		break;
	}
}

/* Length that a first byte announces; 0: it cannot be one. */
static size_t
sequence_length(uint8_t first)
{
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef)
		return 3;
	return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

/* A complete sequence is a character that XML 1.0 allows: not overlong, no surrogate, no U+FFFE. */
static bool
is_character(const uint8_t *s, size_t size)
{
	uint32_t c = s[0] & (0x7f >> size);

	for (size_t i = 1; i < size; i++)
		c = c << 6 | (s[i] & 0x3f);
	if (size == 3)
		return c >= 0x800 && (c < 0xd800 || c > 0xdfff) && c < 0xfffe;
	return size == 2 || (c >= 0x10000 && c <= 0x10ffff);
}

static void
end_sequence(struct junos_xml *xml, bool good)
{
	for (size_t i = 0; good && i < xml->sequence_size; i++)
		put(xml, (char)xml->sequence[i]);
	if (!good)
		put(xml, '?');
	xml->sequence_size = 0;
}

static void
clean(struct junos_xml *xml, uint8_t byte)
{
	if (xml->sequence_size > 0) {
		if ((byte & 0xc0) == 0x80) {
			xml->sequence[xml->sequence_size++] = byte;
			if (xml->sequence_size == sequence_length(xml->sequence[0]))
				end_sequence(xml, is_character(xml->sequence, xml->sequence_size));
			return;
		}
		end_sequence(xml, false);
	}
	if (sequence_length(byte) > 0)
		xml->sequence[xml->sequence_size++] = byte;
	else if (byte >= 0x80 || (byte < 0x20 && byte != '\t' && byte != '\r' && byte != '\n'))
		put(xml, '?');
	else
		put(xml, (char)byte);
}

/* Most of a message is plain ASCII behind its beginning and needs no looking at one by one. Takes
 * what it can, at most what fits the piece; how much that was. */
static size_t
put_plain(struct junos_xml *xml, const char *data, size_t size)
{
	size_t room = sizeof(xml->piece) - xml->piece_size, n = 0;

	if (xml->head != HEAD_DONE || xml->sequence_size > 0)
		return 0;
	while (n < size && n < room && ((data[n] >= ' ' && data[n] <= '~') || data[n] == '\n'))
		n++;
	memcpy(xml->piece + xml->piece_size, data, n);
	xml->piece_size += n;
	if (xml->piece_size == sizeof(xml->piece))
		flush_piece(xml);
	return n;
}

/* ---- the object -------------------------------------------------------------------------- */

struct junos_xml *
junos_xml_new(const struct junos_xml_handler *handler)
{
	struct junos_xml *xml = xcalloc(1, sizeof(*xml));
	xmlSAXHandler sax = {
		.initialized = XML_SAX2_MAGIC,
		.startElementNs = on_start,
		.endElementNs = on_end,
		.characters = on_text,
		.ignorableWhitespace = on_text,
		.cdataBlock = on_text,
		.serror = on_error,
	};

	xml->handler = handler;
	xml->ctxt = xmlCreatePushParserCtxt(&sax, xml, NULL, 0, NULL);
	if (!xml->ctxt)
		fatal("out of memory");
	xmlCtxtUseOptions(xml->ctxt, XML_PARSE_NONET);
	xmlParseChunk(xml->ctxt, root_start, sizeof(root_start) - 1, 0);
	return xml;
}

void
junos_xml_free(struct junos_xml *xml)
{
	if (!xml)
		return;
	xmlFreeParserCtxt(xml->ctxt);
	free(xml);
}

static int
report(const struct junos_xml *xml, struct error *err)
{
	return xml->failed ? error_set(err, -EBADMSG, "%s", xml->err.text) : 0;
}

int
junos_xml_feed(struct junos_xml *xml, const char *data, size_t size, struct error *err)
{
	for (size_t i = 0; i < size && !xml->failed;) {
		i += put_plain(xml, data + i, size - i);
		if (i < size)
			clean(xml, (uint8_t)data[i++]);
	}
	flush_piece(xml);
	return report(xml, err);
}

int
junos_xml_end(struct junos_xml *xml, struct error *err)
{
	if (xml->sequence_size > 0)
		end_sequence(xml, false);
	if (xml->head == HEAD_MATCHING)
		end_head(xml);
	flush_piece(xml);
	if (!xml->failed && xml->depth > 1)
		junos_xml_refuse(xml, "the message ends too early");
	if (!xml->failed)
		xmlParseChunk(xml->ctxt, root_end, sizeof(root_end) - 1, 1);
	if (!xml->failed &&
	    (xml->depth > 0 || !xml->ctxt->wellFormed || xml->head == HEAD_DECLARATION))
		junos_xml_refuse(xml, "the message ends too early");
	return report(xml, err);
}

const char *
junos_xml_attribute(
    const struct junos_xml_attributes *attributes, const char *name, char *buf, size_t size)
{
	for (int i = 0; i < attributes->count; i++) {
		const xmlChar **attribute = attributes->list + 5 * i;
		size_t n = (size_t)(attribute[4] - attribute[3]);

		if (strcmp((const char *)attribute[0], name) != 0)
			continue;
		n = n < size - 1 ? n : size - 1;
		memcpy(buf, attribute[3], n);
		buf[n] = '\0';
		return buf;
	}
	return NULL;
}
