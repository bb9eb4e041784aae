/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Envelopes by libxml2. One message in, one operation out, as a document of its own that libyang
 * can read without ever seeing an envelope: its envelope parser frees a wild pointer when it meets
 * an action with text (libyang 2.1.30), so actions of the namespace yang:1 are refused here too.
 *
 * Promises: no entity is ever expanded (a document type is refused before parsing, and text is
 * UTF-8 whatever it says of itself, so it cannot hide in another encoding), depth is libxml2's 256,
 * prefixes are declared, nothing of a document outlives a call. The reply's head carries back the
 * request's attributes, as the standard wants it.
 *
 * It does not know what operations there are.
 */
#define _GNU_SOURCE /* memmem */
#include "northbound_envelope.h"

#include <errno.h>
#include <event2/buffer.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdlib.h>
#include <string.h>

#include "xml_escape.h"

#define YANG_1_NS "urn:ietf:params:xml:ns:yang:1"

/* libyang compares entries of one key each with each, libxml2 attributes of one element. */
enum {
	ELEMENTS_MOST = 4096, /* of a message; a group has 255 names */
	ATTRIBUTES_MOST = 256 /* of an element, and as many namespaces */
};

static int
refuse(struct netconf_error *error, const char *type, const char *tag)
{
	*error = (struct netconf_error){ .type = type, .tag = tag };
	return -EPROTO;
}

/* As libxml2 does, until there are too many: then parser->_private, the elements to come, is 0. */
static void
start_element(void *arg, const xmlChar *name, const xmlChar *prefix, const xmlChar *namespace,
    int namespace_count, const xmlChar **namespaces, int attribute_count, int default_count,
    const xmlChar **attributes)
{
	xmlParserCtxt *parser = arg;
	size_t *left = parser->_private;

	if (*left > 0)
		--*left;
	if (namespace_count > ATTRIBUTES_MOST || attribute_count > ATTRIBUTES_MOST)
		*left = 0;
	if (*left == 0)
		xmlStopParser(parser);
	else
		xmlSAX2StartElementNs(arg, name, prefix, namespace, namespace_count, namespaces,
		    attribute_count, default_count, attributes);
}

/* Stops a document with more elements than *left. */
static xmlParserCtxt *
new_parser(size_t *left)
{
	xmlParserCtxt *parser = xmlNewParserCtxt();

	if (parser) {
		parser->_private = left;
		parser->sax->startElementNs = start_element;
		return parser;
	}
	fatal("out of memory");
}

/* NULL: not well-formed, or more than XML with namespaces; *ret_is_crowd: or too much of it. */
static xmlDoc *
read_document(const char *message, size_t size, bool *ret_is_crowd)
{
	size_t left = ELEMENTS_MOST + 1;
	int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_COMPACT;
	xmlParserCtxt *parser;
	xmlDoc *doc = NULL;

	*ret_is_crowd = false;
	if (memmem(message, size, "<!DOCTYPE", 9))
		return NULL;
	parser = new_parser(&left);
	doc = xmlCtxtReadMemory(parser, message, (int)size, NULL, "UTF-8", options);
	*ret_is_crowd = left == 0;
	if (doc &&
	    (left == 0 || !parser->wellFormed || !parser->nsWellFormed || xmlGetIntSubset(doc))) {
		xmlFreeDoc(doc);
		doc = NULL;
	}
	xmlFreeParserCtxt(parser);
	return doc;
}

static bool
is_named(const xmlNode *node, const char *namespace, const char *name)
{
	return node && node->ns && node->ns->href &&
	       strcmp((const char *)node->ns->href, namespace) == 0 &&
	       (!name || strcmp((const char *)node->name, name) == 0);
}

static char *
take_text(xmlChar *text)
{
	char *copy = xstrdup(text ? (const char *)text : "");

	xmlFree(text);
	return copy;
}

static char *
print_element(xmlDoc *doc, xmlNode *node)
{
	xmlBuffer *buffer = xmlBufferCreate();
	char *text;

	if (!buffer || xmlNodeDump(buffer, doc, node, 0, 0) < 0)
		fatal("out of memory");
	text = xstrdup((const char *)xmlBufferContent(buffer));
	xmlBufferFree(buffer);
	return text;
}

/* "<rpc-reply xmlns=... message-id=...>", all attributes of the request included. */
static char *
make_head(xmlNode *rpc)
{
	xmlDoc *doc = xmlNewDoc(BAD_CAST "1.0");
	xmlNode *reply = xmlNewDocNode(doc, NULL, BAD_CAST "rpc-reply", NULL);
	char *text;

	xmlDocSetRootElement(doc, reply);
	xmlSetNs(reply, xmlNewNs(reply, BAD_CAST NETCONF_BASE_NS, NULL));
	if (rpc && rpc->properties)
		reply->properties = xmlCopyPropList(reply, rpc->properties);
	text = print_element(doc, reply);
	xmlFreeDoc(doc);
	text[strlen(text) - 2] = '>'; /* was "/>" */
	text[strlen(text) - 1] = '\0';
	return text;
}

/* The operation, with every namespace it needs declared on it. */
static char *
copy_payload(xmlNode *operation)
{
	xmlDoc *doc = xmlNewDoc(BAD_CAST "1.0");
	xmlNode *copy = doc ? xmlDocCopyNode(operation, doc, 1) : NULL;
	char *text;

	if (!copy)
		fatal("out of memory");
	xmlDocSetRootElement(doc, copy);
	text = print_element(doc, copy);
	xmlFreeDoc(doc);
	return text;
}

static void
read_get_filter(xmlNode *get, struct netconf_request *request)
{
	xmlNode *filter = xmlFirstElementChild(get);

	request->wants_state = request->wants_profile = !filter;
	if (!filter)
		return;
	request->has_filter = true;
	for (xmlNode *node = xmlFirstElementChild(filter); node;
	     node = xmlNextElementSibling(node)) {
		if (node->ns && !is_named(node, AUTOFBF_NS, NULL) &&
		    !is_named(node, NETCONF_BASE_NS, NULL))
			continue;
		request->wants_state |= strcmp((const char *)node->name, "state") == 0;
		request->wants_profile |= strcmp((const char *)node->name, "profile") == 0;
	}
}

/* RFC 6241 section 6 is what we select by; XPath is a capability that we do not have. */
static bool
has_xpath_filter(xmlNode *get)
{
	xmlNode *filter = xmlFirstElementChild(get);
	xmlChar *type = filter ? xmlGetProp(filter, BAD_CAST "type") : NULL;
	bool is_xpath = type && strcmp((const char *)type, "subtree") != 0;

	xmlFree(type);
	return is_xpath;
}

static bool
has_selector(xmlNode *subscription)
{
	for (xmlNode *node = xmlFirstElementChild(subscription); node;
	     node = xmlNextElementSibling(node)) {
		char *text = take_text(xmlNodeGetContent(node));
		bool is_ours =
		    strcmp((const char *)node->name, "stream") == 0 && strcmp(text, "NETCONF") == 0;

		free(text);
		if (!is_ours)
			return true;
	}
	return false;
}

static int
read_operation(xmlNode *operation, struct netconf_request *request, struct netconf_error *error,
    struct error *err)
{
	if (is_named(operation, YANG_1_NS, NULL)) {
		error_set(err, 0, "there are no actions, every operation is an rpc of its own");
		return refuse(error, "protocol", "operation-not-supported");
	}
	request->name = xstrdup((const char *)operation->name);
	request->namespace =
	    xstrdup(operation->ns && operation->ns->href ? (const char *)operation->ns->href : "");
	if (is_named(operation, NETCONF_BASE_NS, "get")) {
		if (has_xpath_filter(operation)) {
			error_set(err, 0, "only subtree filters are supported");
			return refuse(error, "protocol", "operation-not-supported");
		}
		read_get_filter(operation, request);
	}
	if (is_named(operation, NETCONF_NOTIFICATION_NS, "create-subscription"))
		request->has_selector = has_selector(operation);
	request->payload = copy_payload(operation);
	return 0;
}

static int
read_rpc(
    xmlNode *rpc, struct netconf_request *request, struct netconf_error *error, struct error *err)
{
	xmlNode *operation = xmlFirstElementChild(rpc);

	if (!is_named(rpc, NETCONF_BASE_NS, "rpc")) {
		error_set(err, 0, "not an rpc of %s", NETCONF_BASE_NS);
		return refuse(error, "rpc", "malformed-message");
	}
	request->head = make_head(rpc);
	if (!xmlHasProp(rpc, BAD_CAST "message-id")) {
		error_set(err, 0, "the rpc has no message-id");
		return refuse(error, "rpc", "missing-attribute");
	}
	if (!operation || xmlNextElementSibling(operation)) {
		error_set(err, 0, "an rpc has one operation, this one has %s",
		    operation ? "several" : "none");
		return refuse(error, "rpc", "malformed-message");
	}
	return read_operation(operation, request, error, err);
}

int
netconf_request_parse(const char *message, size_t size, struct netconf_request *ret_request,
    struct netconf_error *ret_error, struct error *err)
{
	bool is_crowd;
	xmlDoc *doc = read_document(message, size, &is_crowd);
	int rc;

	*ret_request = (struct netconf_request){ 0 };
	if (is_crowd) {
		error_set(err, 0, "more than %d elements, or %d attributes of one", ELEMENTS_MOST,
		    ATTRIBUTES_MOST);
		return refuse(ret_error, "rpc", "too-big");
	}
	if (!doc) {
		error_set(err, 0, "not well-formed XML with namespaces, or with a document type");
		return refuse(ret_error, "rpc", "malformed-message");
	}
	rc = read_rpc(xmlDocGetRootElement(doc), ret_request, ret_error, err);
	xmlFreeDoc(doc);
	return rc;
}

void
netconf_request_done(struct netconf_request *request)
{
	free(request->head);
	free(request->name);
	free(request->namespace);
	free(request->payload);
	*request = (struct netconf_request){ 0 };
}

static void
read_capabilities(xmlNode *list, bool *ret_base_10, bool *ret_base_11)
{
	for (xmlNode *node = xmlFirstElementChild(list); node; node = xmlNextElementSibling(node)) {
		char *text = take_text(xmlNodeGetContent(node));
		char *start = text + strspn(text, " \t\r\n");

		start[strcspn(start, " \t\r\n")] = '\0';
		*ret_base_10 |= strcmp(start, "urn:ietf:params:netconf:base:1.0") == 0;
		*ret_base_11 |= strcmp(start, "urn:ietf:params:netconf:base:1.1") == 0;
		free(text);
	}
}

int
netconf_hello_parse(const char *message, size_t size, bool *ret_chunked, struct error *err)
{
	bool is_crowd;
	xmlDoc *doc = read_document(message, size, &is_crowd);
	xmlNode *hello = doc ? xmlDocGetRootElement(doc) : NULL;
	bool base_10 = false, base_11 = false;

	if (!is_named(hello, NETCONF_BASE_NS, "hello")) {
		xmlFreeDoc(doc);
		return error_set(err, -EPROTO, "the first message is not a hello");
	}
	for (xmlNode *node = xmlFirstElementChild(hello); node; node = xmlNextElementSibling(node))
		if (is_named(node, NETCONF_BASE_NS, "capabilities"))
			read_capabilities(node, &base_10, &base_11);
	xmlFreeDoc(doc);
	if (!base_10 && !base_11)
		return error_set(err, -EPROTO, "the hello offers neither base:1.0 nor base:1.1");
	*ret_chunked = base_11;
	return 0;
}

void
netconf_hello_write(struct evbuffer *out, uint32_t session_id, const char *revision)
{
	evbuffer_add_printf(out,
	    "<hello xmlns=\"" NETCONF_BASE_NS "\"><capabilities>"
	    "<capability>urn:ietf:params:netconf:base:1.0</capability>"
	    "<capability>urn:ietf:params:netconf:base:1.1</capability>"
	    "<capability>urn:ietf:params:netconf:capability:notification:1.0</capability>"
	    "<capability>urn:ietf:params:netconf:capability:interleave:1.0</capability>"
	    "<capability>" AUTOFBF_NS "?module=autofbf&amp;revision=%s</capability>"
	    "</capabilities><session-id>%u</session-id></hello>",
	    revision, session_id);
}

void
netconf_error_write(
    struct evbuffer *out, const struct netconf_error *error, const char *message, const char *path)
{
	evbuffer_add_printf(out,
	    "<rpc-error><error-type>%s</error-type><error-tag>%s</error-tag>"
	    "<error-severity>error</error-severity>",
	    error->type, error->tag);
	if (error->app_tag)
		evbuffer_add_printf(out, "<error-app-tag>%s</error-app-tag>", error->app_tag);
	if (path) {
		evbuffer_add_printf(out, "<error-path xmlns:autofbf=\"" AUTOFBF_NS "\">");
		netconf_text_write(out, path);
		evbuffer_add_printf(out, "</error-path>");
	}
	evbuffer_add_printf(out, "<error-message xml:lang=\"en\">");
	netconf_text_write(out, message);
	evbuffer_add_printf(out, "</error-message>");
	if (strcmp(error->tag, "missing-attribute") == 0)
		evbuffer_add_printf(out, "<error-info><bad-attribute>message-id</bad-attribute>"
		                         "<bad-element>rpc</bad-element></error-info>");
	evbuffer_add_printf(out, "</rpc-error>");
}

/* XML 1.0 section 2.2: no surrogates, no U+FFFE and U+FFFF, and of the controls only three. */
static bool
is_xml_sequence(const unsigned char *p)
{
	switch (p[0]) {
	case 0xe0:
		return p[1] >= 0xa0;
	case 0xed:
		return p[1] < 0xa0;
	case 0xef:
		return p[1] != 0xbf || p[2] < 0xbe;
	case 0xf0:
		return p[1] >= 0x90;
	case 0xf4:
		return p[1] < 0x90;
	default:
		return true;
	}
}

size_t
netconf_character_size(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t size = *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;

	if (*p < 0x80)
		return (*p >= 0x20 && *p != 0x7f) || *p == '\t' || *p == '\n' || *p == '\r';
	if (*p < 0xc2 || *p > 0xf4)
		return 0;
	for (size_t i = 1; i < size; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return is_xml_sequence(p) ? size : 0;
}

void
netconf_text_write(struct evbuffer *out, const char *text)
{
	while (*text) {
		size_t size = netconf_character_size(text);
		const char *escape = xml_escape(*text);

		if (size == 0)
			evbuffer_add(out, "?", 1);
		else if (escape)
			evbuffer_add(out, escape, strlen(escape));
		else
			evbuffer_add(out, text, size);
		text += size ? size : 1;
	}
}
