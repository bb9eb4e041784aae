/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The outside of NETCONF messages (RFC 6241 sections 4 and 8.1), by libxml2: hello and rpc in,
 * reply heads and errors out. Message texts are hostile: a document type, an undeclared prefix, a
 * second operation or an action (which libyang's own envelope parser does not survive) is refused.
 */
#ifndef AUTOFBF_NORTHBOUND_ENVELOPE_H
#define AUTOFBF_NORTHBOUND_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

struct evbuffer;

#define NETCONF_BASE_NS "urn:ietf:params:xml:ns:netconf:base:1.0"
#define NETCONF_NOTIFICATION_NS "urn:ietf:params:xml:ns:netconf:notification:1.0"
#define AUTOFBF_NS "urn:autofbf:yang:autofbf"

/* An rpc-error (RFC 6241 section 4.3) without its text; strings are static or borrowed. */
struct netconf_error {
	const char *type;    /* "rpc", "protocol", "application" */
	const char *tag;     /* appendix A */
	const char *app_tag; /* NULL: none */
};

struct netconf_request {
	char *head;         /* owned; "<rpc-reply ...>" with the request's attributes */
	char *name;         /* owned; local name of the operation */
	char *namespace;    /* owned; its namespace, "" when it has none */
	char *payload;      /* owned; the operation as a document of its own */
	bool has_filter;    /* get: */
	bool wants_state;   /* the filter, or its absence, selects state */
	bool wants_profile; /* ... and profile */
	bool has_selector;  /* create-subscription: a filter, another stream, or a replay */
};

/* 0; -EPROTO with ret_error and err. ret_request->head is set even then when the rpc element could
 * be read. Free with netconf_request_done. */
int netconf_request_parse(const char *message, size_t size, struct netconf_request *ret_request,
    struct netconf_error *ret_error, struct error *err);
void netconf_request_done(struct netconf_request *request);

/* 0, or -EPROTO: not a hello, or no base version in common. */
int netconf_hello_parse(const char *message, size_t size, bool *ret_chunked, struct error *err);
void netconf_hello_write(struct evbuffer *out, uint32_t session_id, const char *revision);

void netconf_error_write(
    struct evbuffer *out, const struct netconf_error *error, const char *message, const char *path);
/* Text between tags or quotes; bytes that XML cannot carry become '?'. */
void netconf_text_write(struct evbuffer *out, const char *text);
/* Length of the UTF-8 sequence at text; 0: broken, or not a character of XML 1.0. */
size_t netconf_character_size(const char *text);

#endif
