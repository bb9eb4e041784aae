/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Between a question that the router answers some time later and a session that must not be woken
 * in the middle of something else: the answer is only noted, and the session told, which goes on in
 * its own turn. The router's text stays where it is and is escaped piece by piece as the client
 * takes it, so a reply of megabytes costs no second copy and no long turn of the loop.
 */
#include "northbound_read.h"

#include <errno.h>
#include <event2/buffer.h>
#include <stdlib.h>
#include <string.h>

#include "mtime.h"
#include "northbound_envelope.h"
#include "northbound_query.h"

enum { PIECE_SIZE = 64 * 1024 };

struct northbound_read {
	const struct northbound_operations *operations; /* borrowed */
	struct router_ask *ask;                         /* owned */
	bool is_ready;
	void (*fn)(void *arg);
	void *arg;
	bool has_head;
	size_t done; /* bytes of the router's text */
};

static void
on_answer(void *arg, struct router_ask *ask)
{
	struct northbound_read *read = arg;

	read->is_ready = true;
	if (read->fn)
		read->fn(read->arg);
}

static int
read_question(const struct lyd_node *input, struct router_question *ret_question, struct error *err)
{
	const char *what = northbound_input_text(input, "what");
	const char *destination = northbound_input_text(input, "destination");

	*ret_question = (struct router_question){ .table = northbound_input_text(input, "table") };
	ret_question->kind = strcmp(what, "static-configuration") == 0 ? ROUTER_QUESTION_STATIC
	                     : strcmp(what, "route") == 0              ? ROUTER_QUESTION_ROUTE
	                                                               : ROUTER_QUESTION_INSTANCE;
	if (ret_question->kind != ROUTER_QUESTION_ROUTE)
		return 0;
	if (!destination || !ret_question->table)
		return error_set(err, -EINVAL, "a route needs both table and destination");
	if (prefix_parse(destination, &ret_question->destination) < 0)
		return error_set(
		    err, -EINVAL, "destination %.64s has bits behind its length", destination);
	return 0;
}

int
northbound_read_new(const struct northbound_operations *operations, const struct lyd_node *input,
    const char **ret_app_tag, struct northbound_read **ret_read, struct error *err)
{
	struct northbound_read *read;
	struct router_question question;
	int rc = read_question(input, &question, err);

	if (rc < 0)
		return rc;
	if (!operations->ask_router)
		return error_set(err, -EOPNOTSUPP, "this agent cannot do that");
	read = xcalloc(1, sizeof(*read));
	read->operations = operations;
	read->ask = operations->ask_router(operations->arg, &question, on_answer, read, err);
	if (!read->ask) {
		free(read);
		*ret_app_tag = "not-ready";
		return -EAGAIN;
	}
	*ret_read = read;
	return 0;
}

void
northbound_read_free(struct northbound_read *read)
{
	if (!read)
		return;
	read->operations->ask_free(read->ask);
	free(read);
}

void
northbound_read_on_ready(struct northbound_read *read, void (*fn)(void *arg), void *arg)
{
	read->fn = fn;
	read->arg = arg;
}

bool
northbound_read_is_ready(const struct northbound_read *read)
{
	return read->is_ready;
}

const char *
northbound_read_failure(const struct northbound_read *read)
{
	size_t size;

	if (read->operations->ask_text(read->ask, &size))
		return NULL;
	return read->operations->ask_failure(read->ask);
}

/* A piece ends in front of a character, never inside one. */
static size_t
cut_piece(const char *text, size_t size)
{
	size_t end = size < PIECE_SIZE ? size : PIECE_SIZE;

	while (end < size && end > 1 && (text[end] & 0xc0) == 0x80)
		end--;
	return end;
}

static void
write_piece(struct evbuffer *out, const char *text, size_t size)
{
	char *piece = xcalloc(size + 1, 1);

	memcpy(piece, text, size);
	netconf_text_write(out, piece);
	free(piece);
}

bool
northbound_read_write(struct northbound_read *read, struct evbuffer *out)
{
	char time[WALLCLOCK_TEXT_SIZE];
	const char *text;
	size_t size = 0, piece;

	text = read->operations->ask_text(read->ask, &size);
	if (!read->has_head)
		evbuffer_add_printf(out,
		    "<asked xmlns=\"" AUTOFBF_NS "\">%s</asked><reply xmlns=\"" AUTOFBF_NS "\">",
		    wallclock_format(read->operations->ask_time(read->ask), time));
	read->has_head = true;
	piece = cut_piece(text + read->done, size - read->done);
	write_piece(out, text + read->done, piece);
	read->done += piece;
	if (read->done < size)
		return true;
	evbuffer_add_printf(out, "</reply>");
	return false;
}
