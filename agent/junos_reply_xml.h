/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes of XML in, elements out: libxml2's push parser with the limits that a router's messages
 * get. Part of junos_reply. Several documents in a row, comments around them and one XML
 * declaration in front are taken as one message. Bytes that no XML may hold (Latin-1 in a
 * description, control characters in a banner) are read as "?". No DTD, no entities but the five,
 * no network.
 */
#ifndef AUTOFBF_JUNOS_REPLY_XML_H
#define AUTOFBF_JUNOS_REPLY_XML_H

#include <stddef.h>

#include "error.h"

enum { JUNOS_XML_MAX_DEPTH = 64 };

struct junos_xml;
struct junos_xml_attributes; /* of one element, valid during the call */

/* name: local name. Text comes in pieces. The document is depth 0; the first element has depth 1.
 */
struct junos_xml_handler {
	void (*start)(void *arg, const char *name, const struct junos_xml_attributes *attributes);
	void (*text)(void *arg, const char *text, size_t size);
	void (*end)(void *arg);
	void *arg;
};

/* handler is borrowed. */
struct junos_xml *junos_xml_new(const struct junos_xml_handler *handler);
void junos_xml_free(struct junos_xml *xml);
/* 0, or -EBADMSG with err; final. */
int junos_xml_feed(struct junos_xml *xml, const char *data, size_t size, struct error *err);
int junos_xml_end(struct junos_xml *xml, struct error *err);
/* From inside a handler: the message is bad, no more calls. why: as in error.h. */
void junos_xml_refuse(struct junos_xml *xml, const char *why);
/* Value by local name, cut to size; returns NULL when there is no such attribute, else buf. */
const char *junos_xml_attribute(
    const struct junos_xml_attributes *attributes, const char *name, char *buf, size_t size);

#endif
