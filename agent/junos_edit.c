/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to the router as text: Junos' own operations inside a NETCONF <rpc>.
 *
 * Owns the words and nothing else: which request comes when is the transaction's business, framing
 * is the link's, and answers are read by junos_reply.c. Loads are merges of XML with
 * delete="delete" on the items that go, because two independent clients proved this form on
 * ephemeral instances; override, replace and update are never sent. Edits of the list
 * LISTSET_SIGNAL_ROUTES are static discard routes of inet.0 and inet6.0; all others are items of
 * prefix-lists.
 *
 * Promises: names are escaped, so that no name can add an element; a load never mentions a list
 * without an item, so it can neither create an empty list nor delete a whole one (and no route but
 * those of the plan); parts of a plan
 * are complete messages of at most max_bytes (but always at least one edit, so that it advances).
 */
#include "junos_edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "xml_escape.h"

#define RPC_OPEN "<rpc xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\" message-id=\"%u\">"
#define RPC_CLOSE "</rpc>"
#define BASE_CAPABILITY "<capability>urn:ietf:params:netconf:base:"
/* Prefix-lists and the static routes of inet.0 and inet6.0, and no more of a big configuration. */
#define LISTS_AND_ROUTES \
	"<configuration><policy-options><prefix-list/></policy-options><routing-options><static/>" \
	"<rib><name>inet6.0</name></rib></routing-options></configuration>"

/* Routing options that hold keys (BMP stations, protocols of instances) are left out. */
#define ROUTES \
	"<routing-options>" GROUPS "<static/><rib/><rib-groups/><interface-routes/>" \
	"</routing-options>"
/* What they add is not in the answer; that they add something has to be known. */
#define GROUPS "<apply-groups/>"

#define LOAD_OPEN "<load-configuration action=\"merge\" format=\"xml\"><configuration>"
#define LIST_CLOSE "</prefix-list>"
#define LOAD_CLOSE "</configuration></load-configuration>" RPC_CLOSE

/* Where in the configuration an edit belongs. */
enum place { PLACE_NONE, PLACE_LISTS, PLACE_IPV4_ROUTES, PLACE_IPV6_ROUTES };

static const struct place_words {
	const char *open, *close; /* of a place of lists: the last list is closed with it */
} places[] = {
	[PLACE_NONE] = { "", "" },
	[PLACE_LISTS] = { "<policy-options>", LIST_CLOSE "</policy-options>" },
	[PLACE_IPV4_ROUTES] = { "<routing-options><static>", "</static></routing-options>" },
	[PLACE_IPV6_ROUTES] = { "<routing-options><rib><name>inet6.0</name><static>",
	    "</static></rib></routing-options>" },
};

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

static void
add_escaped(struct text *text, const char *value)
{
	for (; *value; value++) {
		const char *escaped = xml_escape(*value);

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
	    "<configuration><policy-options/><routing-options/></configuration></filter>"
	    "</get-config>");
}

char *
junos_rpc_get_ephemeral(uint32_t id, const char *instance)
{
	return make_rpc_named(id, "<get-configuration database=\"ephemeral\" ephemeral-instance=\"",
	    instance, "\">" LISTS_AND_ROUTES "</get-configuration>");
}

char *
junos_rpc_get_static(uint32_t id)
{
	return make_rpc(id,
	    "<get-configuration database=\"committed\">" LISTS_AND_ROUTES "</get-configuration>");
}

char *
junos_rpc_get_forwarding(uint32_t id)
{
	return make_rpc(id,
	    "<get-config><source><running/></source><filter type=\"subtree\"><configuration>" GROUPS
	    "<firewall/><policy-options>" GROUPS
	    "<prefix-list/></policy-options><interfaces>" GROUPS "<interface><name/>" GROUPS
	    "<unit><name/>" GROUPS "<family>" GROUPS "<inet/><inet6/>"
	    "</family></unit></interface></interfaces><routing-instances>" GROUPS
	    "<instance><name/><instance-type/><interface/>" GROUPS ROUTES
	    "</instance></routing-instances>" ROUTES "</configuration></filter></get-config>");
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

char *
junos_rpc_get_route(uint32_t id, const char *table, const struct prefix *destination, bool exact)
{
	char text[PREFIX_TEXT_SIZE], *name = escape(table);
	char *rpc = xasprintf(RPC_OPEN "<get-route-information><table>%s</table><destination>%s"
	                               "</destination>%s</get-route-information>" RPC_CLOSE,
	    id, name, prefix_format(destination, text), exact ? "<exact/>" : "");

	free(name);
	return rpc;
}

char *
junos_rpc_get_interface(uint32_t id, const char *name)
{
	return make_rpc_named(id,
	    "<get-interface-information><statistics/><detail/><interface-name>", name,
	    "</interface-name></get-interface-information>");
}

char *
junos_rpc_get_filter(uint32_t id, const char *name)
{
	return make_rpc_named(id, "<get-firewall-filter-information><filtername>", name,
	    "</filtername></get-firewall-filter-information>");
}

static enum place
place_of(const struct plan_edit *edit)
{
	if (strcmp(edit->list, LISTSET_SIGNAL_ROUTES) != 0)
		return PLACE_LISTS;
	return edit->item.address.family == FAMILY_IPV4 ? PLACE_IPV4_ROUTES : PLACE_IPV6_ROUTES;
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

/* It must neither forward nor be told to anybody: policies only ask whether it exists. */
static void
add_route(struct text *text, const struct plan_edit *edit)
{
	char prefix[PREFIX_TEXT_SIZE];

	add(text, edit->remove ? "<route delete=\"delete\"><name>" : "<route><name>");
	add(text, prefix_format(&edit->item, prefix));
	add(text, edit->remove ? "</name></route>"
	                       : "</name><discard/><no-install/><no-readvertise/></route>");
}

/* Opens the edit's place and list unless the edit before it, which may be NULL, left them open. */
static void
go_to(struct text *text, const struct plan_edit *edit, const struct plan_edit *before)
{
	enum place place = place_of(edit), open = before ? place_of(before) : PLACE_NONE;

	if (place != open) {
		add(text, places[open].close);
		add(text, places[place].open);
	} else if (place != PLACE_LISTS || strcmp(before->list, edit->list) == 0) {
		return;
	} else {
		add(text, LIST_CLOSE);
	}
	if (place == PLACE_LISTS) {
		add(text, "<prefix-list><name>");
		add_escaped(text, edit->list);
		add(text, "</name>");
	}
}

static void
add_edit(struct text *text, const struct plan_edit *edit, const struct plan_edit *before)
{
	go_to(text, edit, before);
	if (place_of(edit) == PLACE_LISTS)
		add_item(text, edit);
	else
		add_route(text, edit);
}

/* With what closes it, the text is as long as this. */
static size_t
closed_size(const struct text *text, const struct plan_edit *last)
{
	return text->size + strlen(places[place_of(last)].close) + strlen(LOAD_CLOSE);
}

char *
junos_rpc_load(uint32_t id, const struct plan *plan, size_t *next, size_t max_bytes)
{
	const struct plan_edit *last = NULL;
	struct text text = { 0 };
	char head[128];

	if (*next >= plan->count)
		return NULL;
	snprintf(head, sizeof(head), RPC_OPEN, id);
	add(&text, head);
	add(&text, LOAD_OPEN);
	for (; *next < plan->count; ++*next) {
		const struct plan_edit *edit = &plan->edits[*next];
		size_t before = text.size;

		add_edit(&text, edit, last);
		if (last && closed_size(&text, edit) > max_bytes) {
			text.size = before; /* it goes into the next part */
			break;
		}
		last = edit;
	}
	add(&text, places[place_of(last)].close);
	add(&text, LOAD_CLOSE);
	return text.bytes;
}
