/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to the router as text: Junos' own operations inside a NETCONF <rpc>.
 *
 * Owns the words and nothing else: which request comes when is the transaction's business, framing
 * is the link's, and answers are read by junos_reply.c. Loads are merges of XML with
 * delete="delete" on the items that go, because two independent clients proved this form on
 * ephemeral instances; override, replace and update are never sent.
 *
 * Promises: names are escaped, so that no name can add an element; a load never mentions a list
 * without an item, so it can neither create an empty list nor delete a whole one; parts of a plan
 * are complete messages of at most max_bytes (but always at least one edit, so that it advances).
 */
#include "junos_edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

#define RPC_OPEN "<rpc xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"%u\">"
#define RPC_CLOSE "</rpc>"
#define BASE_CAPABILITY "<capability>urn:ietf:params:netconf:base:"
#define PREFIX_LISTS \
	"<configuration><policy-options><prefix-list/></policy-options></configuration>"

#define LOAD_OPEN \
	"<load-configuration action=\"merge\" format=\"xml\"><configuration><policy-options>"
#define LIST_CLOSE "</prefix-list>"
#define LOAD_CLOSE "</policy-options></configuration></load-configuration>" RPC_CLOSE

struct text {
	char *bytes; /* owned */
	size_t size, capacity;
};

static void
add_bytes(struct text *text, const char *bytes, size_t size)
{
	if (text->size + size + 1 > text->capacity) {
		text->capacity = (text->capacity + size + 1) * 2;
		text->bytes = xreallocarray(text->bytes, text->capacity, 1);
	}
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	text->bytes[text->size] = '\0';
}

static void
add(struct text *text, const char *words)
{
	add_bytes(text, words, strlen(words));
}

static const char *
escape_char(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	default:
		return NULL;
	}
}

static void
add_escaped(struct text *text, const char *value)
{
	for (; *value; value++) {
		const char *escaped = escape_char(*value);

		if (escaped)
			add(text, escaped);
		else
			add_bytes(text, value, 1);
	}
}

static char *
escape(const char *value)
{
	struct text text = { 0 };

	add(&text, "");
	add_escaped(&text, value);
	return text.bytes;
}

static char *
make_rpc(uint32_t id, const char *operation)
{
	return xasprintf(RPC_OPEN "%s" RPC_CLOSE, id, operation);
}

/* An operation with one name in it, given as the text before and after. */
static char *
make_rpc_named(uint32_t id, const char *before, const char *name, const char *after)
{
	char *escaped = escape(name);
	char *rpc = xasprintf(RPC_OPEN "%s%s%s" RPC_CLOSE, id, before, escaped, after);

	free(escaped);
	return rpc;
}

char *
junos_rpc_hello(void)
{
	return xstrdup(
	    "<hello "
	    "xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><capabilities>" BASE_CAPABILITY
	    "1.0</capability>" BASE_CAPABILITY "1.1</capability>"
	    "</capabilities></hello>");
}

char *
junos_rpc_open(uint32_t id, const char *instance)
{
	return make_rpc_named(id, "<open-configuration><ephemeral-instance>", instance,
	    "</ephemeral-instance></open-configuration>");
}

char *
junos_rpc_commit(uint32_t id, bool synchronize)
{
	return make_rpc(id, synchronize
	                        ? "<commit-configuration><synchronize/></commit-configuration>"
	                        : "<commit-configuration/>");
}

char *
junos_rpc_close(uint32_t id)
{
	return make_rpc(id, "<close-configuration/>");
}

char *
junos_rpc_close_session(uint32_t id)
{
	return make_rpc(id, "<close-session/>");
}

char *
junos_rpc_get_candidate(uint32_t id)
{
	return make_rpc(id,
	    "<get-config><source><candidate/></source><filter type=\"subtree\">"
	    "<configuration><policy-options/></configuration></filter></get-config>");
}

char *
junos_rpc_get_ephemeral(uint32_t id, const char *instance)
{
	return make_rpc_named(id, "<get-configuration database=\"ephemeral\" ephemeral-instance=\"",
	    instance, "\">" PREFIX_LISTS "</get-configuration>");
}

char *
junos_rpc_get_static(uint32_t id)
{
	return make_rpc(
	    id, "<get-configuration database=\"committed\">" PREFIX_LISTS "</get-configuration>");
}

char *
junos_rpc_get_bgp_summary(uint32_t id)
{
	return make_rpc(id, "<get-bgp-summary-information/>");
}

char *
junos_rpc_get_bgp_neighbor(uint32_t id)
{
	return make_rpc(id, "<get-bgp-neighbor-information/>");
}

char *
junos_rpc_get_bfd(uint32_t id)
{
	return make_rpc(
	    id, "<get-bfd-session-information><extensive/></get-bfd-session-information>");
}

char *
junos_rpc_get_uptime(uint32_t id)
{
	return make_rpc(id, "<get-system-uptime-information/>");
}

static void
add_item(struct text *text, const struct plan_edit *edit)
{
	char prefix[PREFIX_TEXT_SIZE];

	add(text, edit->remove ? "<prefix-list-item delete=\"delete\"><name>"
	                       : "<prefix-list-item><name>");
	add(text, prefix_format(&edit->item, prefix));
	add(text, "</name></prefix-list-item>");
}

/* Appends one edit, opening its list unless it is the open one. */
static void
add_edit(struct text *text, const struct plan_edit *edit, const char *open_list)
{
	if (!open_list || strcmp(open_list, edit->list) != 0) {
		if (open_list)
			add(text, LIST_CLOSE);
		add(text, "<prefix-list><name>");
		add_escaped(text, edit->list);
		add(text, "</name>");
	}
	add_item(text, edit);
}

char *
junos_rpc_load(uint32_t id, const struct plan *plan, size_t *next, size_t max_bytes)
{
	const size_t tail = strlen(LIST_CLOSE LOAD_CLOSE);
	const char *open_list = NULL;
	struct text text = { 0 };
	char head[128];

	if (*next >= plan->count)
		return NULL;
	snprintf(head, sizeof(head), RPC_OPEN, id);
	add(&text, head);
	add(&text, LOAD_OPEN);
	for (; *next < plan->count; ++*next) {
		size_t before = text.size;

		add_edit(&text, &plan->edits[*next], open_list);
		if (open_list && text.size + tail > max_bytes) {
			text.size = before; /* it goes into the next part */
			break;
		}
		open_list = plan->edits[*next].list;
	}
	add(&text, LIST_CLOSE LOAD_CLOSE);
	return text.bytes;
}
