/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a session writes: the greeting with Junos' comments and capabilities, replies, refusals, and
 * replies that are broken on purpose. base:1.0 only, unless the router was told to offer 1.1; the
 * prefix nc on every element of NETCONF's own.
 */
#include "netconf_session.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "memtext.h"
#include "rpc.h"

static void
send_message(struct session *session, const char *text, size_t size)
{
	char head[FRAMING_HEAD_SIZE];
	size_t head_size = framing_head(session->version, size, head);
	const char *tail = framing_tail(session->version);

	sshd_send(session->channel, head, head_size);
	sshd_send(session->channel, text, size);
	sshd_send(session->channel, tail, strlen(tail));
	if (session->version == FRAMING_EOM) /* Junos ends the line after the mark */
		sshd_send(session->channel, "\n", 1);
}

static void
send_hello(struct session *session)
{
#define URN "urn:ietf:params:netconf:"
#define URN_XML "urn:ietf:params:xml:ns:"
	static const char *const capabilities[] = { URN "base:1.0", URN "capability:candidate:1.0",
		URN "capability:confirmed-commit:1.0", URN "capability:validate:1.0",
		URN "capability:url:1.0?scheme=http,ftp,file",
		URN_XML "netconf:base:1.0?module=ietf-netconf&amp;revision=2011-06-01",
		URN_XML "netconf:capability:candidate:1.0",
		URN_XML "netconf:capability:validate:1.0", URN_XML "yang:ietf-netconf-monitoring",
		"http://xml.juniper.net/netconf/junos/1.0",
		"http://xml.juniper.net/dmi/system/1.0" };
#undef URN
#undef URN_XML
	char *text = NULL;
	size_t size;
	FILE *out = memtext_open(&text, &size);

	fprintf(out, "<nc:hello xmlns:nc=\"%s\">\n  <nc:capabilities>\n", NETCONF_BASE_URI);
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(*capabilities); i++)
		fprintf(out, "    <nc:capability>%s</nc:capability>\n", capabilities[i]);
	if (session->netconf->base_1_1)
		fputs("    <nc:capability>urn:ietf:params:netconf:base:1.1</nc:capability>\n", out);
	fprintf(out, "  </nc:capabilities>\n  <nc:session-id>%u</nc:session-id>\n</nc:hello>\n",
	    session->id);
	fclose(out);
	send_message(session, text, size);
	free(text);
}

/* A reply that is no reply. True: nothing more to send. */
static bool
send_broken(struct session *session, const struct fault *fault, const char *text, size_t size)
{
	char block[1024];

	switch (fault->kind) {
	case FAULT_GARBAGE:
		send_message(session, "<nc:rpc-reply><<&\x01 not xml", 26);
		return true;
	case FAULT_HALF:
		sshd_send(session->channel, text, size / 2);
		return true;
	case FAULT_SILENT:
		return true;
	case FAULT_BIG:
		memset(block, 'x', sizeof(block));
		sshd_send(session->channel, "<nc:rpc-reply><output>", 22);
		for (size_t i = 0; i < (size_t)fault->number * 1024; i++)
			sshd_send(session->channel, block, sizeof(block));
		return true;
	default:
		return false;
	}
}

void
reply_send_greeting(struct session *session, const struct fault *fault)
{
	char *comment = xasprintf("<!-- No zombies were killed during the creation of this user "
	                          "interface -->\n<!-- user %s, class j-super-user -->\n",
	    session->user);

	sshd_send(session->channel, comment, strlen(comment));
	free(comment);
	if (!send_broken(session, fault, "<nc:hello xmlns:nc=\"urn:iet", 26))
		send_hello(session);
}

void
reply_send(struct session *session, const struct request *request)
{
	static const char dtd[] = "<!DOCTYPE nc:rpc-reply [ <!ENTITY a \"aaaaaaaaaa\"> "
	                          "<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"> ]>\n";
	char *text;

	if (send_broken(session, &request->fault, request->reply, request->reply_size))
		return;
	if (request->fault.kind != FAULT_DTD) {
		send_message(session, request->reply, request->reply_size);
		return;
	}
	text = xasprintf("%s%s", dtd, request->reply);
	send_message(session, text, strlen(text));
	free(text);
}

void
reply_put_attributes(FILE *out, const xmlNode *rpc)
{
	for (const xmlAttr *attribute = rpc->properties; attribute; attribute = attribute->next) {
		xmlChar *value = xmlNodeListGetString(rpc->doc, attribute->children, 1);

		if (!attribute->ns) {
			fprintf(out, " %s=\"", (const char *)attribute->name);
			rpc_put_text(out, value ? (const char *)value : "");
			fputc('"', out);
		}
		xmlFree(value);
	}
}

void
reply_refuse(struct session *session, const xmlNode *rpc, const char *tag, const char *message)
{
	struct rpc_error error = { "rpc", tag, "error", NULL, message, NULL };
	char *text = NULL;
	size_t size;
	FILE *out = memtext_open(&text, &size);

	fprintf(out, "<nc:rpc-reply xmlns:nc=\"%s\"", NETCONF_BASE_URI);
	if (rpc)
		reply_put_attributes(out, rpc);
	fputs(">\n", out);
	rpc_put_error(out, &error);
	fputs("</nc:rpc-reply>\n", out);
	fclose(out);
	send_message(session, text, size);
	free(text);
}
