/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message of the router: in one piece and in pieces (of a size that follows from its length) it
 * must be the same reply, and what a reply promises must hold.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "junos_reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct junos_reply *
parse_pieces(const char *data, size_t size, size_t piece)
{
	struct junos_parser *parser = junos_parser_new();
	struct junos_reply *reply = NULL;
	struct error err;
	int rc = 0;

	for (size_t at = 0; at < size && rc == 0; at += piece)
		rc = junos_parser_feed(
		    parser, data + at, piece < size - at ? piece : size - at, &err);
	if (rc == 0)
		(void)junos_parser_end(parser, &reply, &err); /* then there is no reply */
	junos_parser_free(parser);
	return reply;
}

/* What borrows a name borrows one of this reply. */
static bool
has_name(const struct junos_reply *reply, const char *name)
{
	for (size_t i = 0; i < reply->name_count; i++) {
		if (reply->names[i] == name)
			return true;
	}
	return false;
}

static void
check(const struct junos_reply *reply)
{
	for (size_t i = 0; i < reply->error_count; i++) {
		if (!reply->errors[i].message)
			abort();
	}
	for (size_t i = 0; i < reply->peer_count; i++) {
		if (reply->peers[i].address_ok && !reply->peers[i].address_text)
			abort();
	}
	for (size_t i = 0; i < reply->route_count; i++) {
		if (reply->routes[i].destination_ok && reply->routes[i].destination.length > 128)
			abort();
		if (reply->routes[i].table && !has_name(reply, reply->routes[i].table))
			abort();
	}
	for (size_t i = 0; i < reply->counter_count; i++) {
		if (reply->counters[i].filter && !has_name(reply, reply->counters[i].filter))
			abort();
	}
	for (size_t i = 0; i + 1 < reply->lists.count; i++) {
		if (strcmp(reply->lists.lists[i].name, reply->lists.lists[i + 1].name) >= 0)
			abort();
	}
	if (reply->kind == JUNOS_REPLY_ERROR && !junos_reply_error(reply))
		abort();
	if (reply->kind == JUNOS_REPLY_OK && junos_reply_error(reply))
		abort();
}

static bool
is_same(const struct junos_reply *a, const struct junos_reply *b)
{
	return a->kind == b->kind && a->error_count == b->error_count &&
	       a->peer_count == b->peer_count && a->bfd_count == b->bfd_count &&
	       a->route_count == b->route_count && a->interface_count == b->interface_count &&
	       a->counter_count == b->counter_count && a->bad_items == b->bad_items &&
	       a->ok == b->ok && listset_equal(&a->lists, &b->lists) && !a->text == !b->text &&
	       (!a->text || strcmp(a->text, b->text) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct junos_reply *whole = NULL, *pieces;
	struct error err = { "" };

	if (junos_reply_parse((const char *)data, size, &whole, &err) == 0)
		check(whole);
	else if (err.text[0] == '\0')
		abort();
	pieces = parse_pieces((const char *)data, size, 1 + size % 64);
	if (!whole != !pieces || (whole && !is_same(whole, pieces)))
		abort();
	junos_reply_free(whole);
	junos_reply_free(pieces);
	return 0;
}
