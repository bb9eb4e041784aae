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
#include "northbound_stream.h"

enum { PIECE_SIZE = 64 * 1024 };

struct read_stream {
	struct northbound_stream stream;
	const struct northbound_operations *operations; /* borrowed */
	struct router_ask *ask;                         /* owned */
	bool has_head;
	size_t done; /* bytes of the router's text */
};

static void
on_answer(void *arg, struct router_ask *ask)
{
	struct read_stream *read = arg;

	read->stream.is_waiting = false;
	if (read->stream.on_ready)
		read->stream.on_ready(read->stream.arg);
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

static void
write_failure(struct read_stream *read, struct evbuffer *out)
{
	const struct netconf_error error = { "application", "operation-failed", "not-ready" };

	netconf_error_write(out, &error, read->operations->ask_failure(read->ask), NULL);
}

static bool
write_read(struct northbound_stream *stream, struct evbuffer *out)
{
	struct read_stream *read = (struct read_stream *)stream;
	size_t size = 0, piece;
	const char *text = read->operations->ask_text(read->ask, &size);
	char time[WALLCLOCK_TEXT_SIZE];

	if (!text) {
		write_failure(read, out);
		return false;
	}
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

static void
free_read(struct northbound_stream *stream)
{
	struct read_stream *read = (struct read_stream *)stream;

	read->operations->ask_free(read->ask);
	free(read);
}

int
northbound_read_new(const struct northbound_operations *operations, const struct lyd_node *input,
    const char **ret_app_tag, struct northbound_stream **ret_stream, struct error *err)
{
	struct read_stream *read;
	struct router_question question;
	int rc = read_question(input, &question, err);

	if (rc < 0)
		return rc;
	if (!operations->ask_router)
		return error_set(err, -EOPNOTSUPP, "this agent cannot do that");
	read = xcalloc(1, sizeof(*read));
	read->stream = (struct northbound_stream){
		.write = write_read, .free = free_read, .is_waiting = true
	};
	read->operations = operations;
	read->ask = operations->ask_router(operations->arg, &question, on_answer, read, err);
	if (!read->ask) {
		free(read);
		*ret_app_tag = "not-ready";
		return -EAGAIN;
	}
	*ret_stream = &read->stream;
	return 0;
}
