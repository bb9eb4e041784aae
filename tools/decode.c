/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf-decode: what the agent's decoders make of captured bytes, one JSON object a line. For
 * people who wonder why the agent did (or did not do) something, and for everybody who has a
 * capture of another release and wants to know whether it is understood.
 *
 * It owns only the way in (one file, whole) and the way out; every judgement is that of bmp.c,
 * syslogmsg.c and junos_reply.c, the same objects that the agent runs. How a NETCONF capture is
 * framed is found out: marks, chunks from the first byte or after a hello, or bare XML.
 * What cannot be decoded is said on standard error with its place, and the exit code is 1; what
 * could be decoded before and after it is printed all the same.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "bmp.h"
#include "error.h"
#include "event.h"
#include "framing.h"
#include "junos_reply.h"
#include "syslogmsg.h"

enum { EXIT_DONE = 0, EXIT_BAD = 1, EXIT_USAGE = 2 };
enum { MAX_INPUT = 512 << 20, READ_STEP = 1 << 16 };

static const char usage_text[] =
    "usage: autofbf-decode [-h] [-V] bmp|syslog|netconf FILE\n"
    "Print what the agent makes of captured bytes, one JSON object a line.\n"
    "\n"
    "  bmp      a BMP stream (RFC 7854): one object for each Peer Up and Peer Down\n"
    "  syslog   lines of a Junos router: one object for each line\n"
    "  netconf  messages of a Junos router, framed (RFC 6242, both versions) or bare XML:\n"
    "           one object for each BGP peer, BFD session, route, interface, filter counter,\n"
    "           error or other result\n"
    "  FILE     the capture; - reads standard input\n"
    "\n"
    "  -h, --help     this text\n"
    "  -V, --version  the version\n"
    "\n"
    "Exit code: 0 all was understood, 1 something was not or cannot be read, 2 wrong usage.\n";

struct input {
	const char *name;
	char *bytes; /* owned */
	size_t size;
};

/* ---- output ------------------------------------------------------------------------------ */

static void
put_text(struct json_object *object, const char *key, const char *value)
{
	if (value && *value != '\0')
		json_object_object_add(object, key, json_object_new_string(value));
}

static void
put_count(struct json_object *object, const char *key, int64_t value)
{
	if (value >= 0)
		json_object_object_add(object, key, json_object_new_int64(value));
}

static void
put_count64(struct json_object *object, const char *key, uint64_t value)
{
	if (value != JUNOS_NO_COUNT)
		json_object_object_add(object, key, json_object_new_uint64(value));
}

/* Takes the object. */
static void
print_object(struct json_object *object)
{
	puts(json_object_to_json_string_ext(
	    object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

static struct json_object *
new_reply(const char *kind)
{
	struct json_object *object = json_object_new_object();

	put_text(object, "reply", kind);
	return object;
}

static void
print_event(const struct event *event)
{
	struct json_object *object = json_object_new_object();
	bool is_about_peer = event->kind <= EVENT_UNKNOWN;
	char peer[IP_TEXT_SIZE];

	put_text(object, "source", event_source_names[event->source]);
	put_text(object, "kind", event_kind_names[is_about_peer ? event->kind : EVENT_IGNORED]);
	if (is_about_peer) {
		put_text(object, "peer", ip_format(&event->peer, peer));
		put_text(object, "instance", event->instance);
		put_text(object, "cause", event_cause_names[event->cause]);
	}
	print_object(object);
}

static int __attribute__((format(printf, 2, 3)))
complain(const struct input *input, const char *fmt, ...)
{
	char text[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fflush(stdout); /* in order, when both go to one place */
	fprintf(stderr, "autofbf-decode: %s: %s\n", input->name, text);
	return EXIT_BAD;
}

/* ---- BMP and syslog ---------------------------------------------------------------------- */

static int
decode_bmp(const struct input *input)
{
	const uint8_t *bytes = (const uint8_t *)input->bytes;
	size_t at = 0;
	struct event event;
	int rc;

	while ((rc = bmp_decode(bytes + at, input->size - at, &event)) > 0) {
		at += (size_t)rc;
		if (event.kind != EVENT_IGNORED)
			print_event(&event);
	}
	if (rc < 0)
		return complain(input, "byte %zu: this is no BMP version 3 message", at);
	if (at < input->size)
		return complain(input, "byte %zu: the last message is cut", at);
	return EXIT_DONE;
}

static int
decode_syslog(const struct input *input)
{
	const char *line = input->bytes, *end = input->bytes + input->size;

	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		struct event event;

		syslogmsg_decode(line, (size_t)((next ? next : end) - line), &event);
		print_event(&event);
		line = next ? next + 1 : end;
	}
	return EXIT_DONE;
}

/* ---- NETCONF ----------------------------------------------------------------------------- */

static struct json_object *
new_ribs(const struct junos_peer *peer)
{
	struct json_object *ribs = json_object_new_object();

	for (size_t i = 0; i < peer->rib_count; i++) {
		struct json_object *counts = json_object_new_object();

		put_count(counts, "active", peer->ribs[i].active);
		put_count(counts, "received", peer->ribs[i].received);
		put_count(counts, "accepted", peer->ribs[i].accepted);
		json_object_object_add(ribs, peer->ribs[i].name ? peer->ribs[i].name : "", counts);
	}
	return ribs;
}

static void
print_peer(const char *kind, const struct junos_peer *peer)
{
	struct json_object *object = new_reply(kind);
	char text[IP_TEXT_SIZE];

	put_text(object, "peer",
	    peer->address_ok ? ip_format(&peer->address, text) : peer->address_text);
	put_text(object, "instance", peer->instance);
	put_text(object, "state", peer->state);
	put_count(object, "elapsed", peer->elapsed_s);
	put_text(object, "bfd", peer->bfd);
	if (peer->rib_count > 0)
		json_object_object_add(object, "ribs", new_ribs(peer));
	print_object(object);
}

static void
print_session(const struct junos_bfd *bfd)
{
	struct json_object *object = new_reply("bfd");
	char text[IP_TEXT_SIZE];

	put_text(object, "peer",
	    bfd->neighbor_ok ? ip_format(&bfd->neighbor, text) : bfd->neighbor_text);
	put_text(object, "interface", bfd->interface);
	put_text(object, "state", bfd->state);
	put_text(object, "local-diagnostic", bfd->local_diagnostic);
	print_object(object);
}

static void
print_route(const struct junos_route *route)
{
	struct json_object *object = new_reply("route"), *hops = json_object_new_array();
	char text[PREFIX_TEXT_SIZE];

	put_text(object, "table", route->table);
	if (route->destination_ok)
		put_text(object, "destination", prefix_format(&route->destination, text));
	json_object_object_add(object, "active", json_object_new_boolean(route->active));
	put_text(object, "protocol", route->protocol);
	put_text(object, "type", route->nh_type);
	for (size_t i = 0; i < route->next_hop_count; i++) {
		struct json_object *hop = json_object_new_object();

		if (route->next_hops[i].to_ok)
			put_text(hop, "to", ip_format(&route->next_hops[i].to, text));
		put_text(hop, "via", route->next_hops[i].via);
		json_object_array_add(hops, hop);
	}
	json_object_object_add(object, "next-hops", hops);
	print_object(object);
}

static struct json_object *
new_traffic(const struct junos_traffic *traffic)
{
	struct json_object *object = json_object_new_object();

	put_count64(object, "input-packets", traffic->input_packets);
	put_count64(object, "output-packets", traffic->output_packets);
	put_count64(object, "input-bytes", traffic->input_bytes);
	put_count64(object, "output-bytes", traffic->output_bytes);
	return object;
}

static void
print_interface(const struct junos_interface *interface, const char *cleared)
{
	struct json_object *object = new_reply("interface");

	put_text(object, "name", interface->name);
	put_text(object, "cleared", cleared);
	json_object_object_add(object, "traffic", new_traffic(&interface->traffic));
	json_object_object_add(object, "transit", new_traffic(&interface->transit));
	print_object(object);
}

static void
print_counter(const struct junos_counter *counter)
{
	struct json_object *object = new_reply("counter");

	put_text(object, "filter", counter->filter);
	put_text(object, "name", counter->name);
	put_count64(object, "packets", counter->packets);
	put_count64(object, "bytes", counter->bytes);
	print_object(object);
}

static void
print_error(const struct junos_error *error)
{
	struct json_object *object = new_reply("error");

	put_text(object, "severity", error->warning ? "warning" : "error");
	put_text(object, "message", error->message);
	print_object(object);
}

static void
print_text(const char *text)
{
	struct json_object *object = new_reply("text");

	put_text(object, "text", text);
	print_object(object);
}

/* A reply whose content has no lines of its own: what to call it; NULL: its lines say enough. */
static const char *
plain_kind(const struct junos_reply *reply)
{
	bool has_lines = reply->error_count > 0 || reply->peer_count > 0 || reply->bfd_count > 0 ||
	                 reply->route_count > 0 || reply->interface_count > 0 ||
	                 reply->counter_count > 0 || reply->text;

	if (reply->kind == JUNOS_REPLY_HELLO)
		return "hello";
	if (reply->ok)
		return "ok";
	if (has_lines)
		return NULL;
	switch (reply->kind) {
	case JUNOS_REPLY_EMPTY:
	case JUNOS_REPLY_BGP_NEIGHBOR:
	case JUNOS_REPLY_BGP_SUMMARY:
	case JUNOS_REPLY_BFD:
	case JUNOS_REPLY_ROUTES:
	case JUNOS_REPLY_INTERFACES:
	case JUNOS_REPLY_FIREWALL:
		return "empty";
	default:
		return "other";
	}
}

static void
print_reply(const struct junos_reply *reply)
{
	const char *peer_kind =
	    reply->kind == JUNOS_REPLY_BGP_SUMMARY ? "bgp-summary" : "bgp-neighbor";
	const char *kind = plain_kind(reply);

	for (size_t i = 0; i < reply->error_count; i++)
		print_error(&reply->errors[i]);
	for (size_t i = 0; i < reply->peer_count; i++)
		print_peer(peer_kind, &reply->peers[i]);
	for (size_t i = 0; i < reply->bfd_count; i++)
		print_session(&reply->bfd[i]);
	for (size_t i = 0; i < reply->route_count; i++)
		print_route(&reply->routes[i]);
	for (size_t i = 0; i < reply->interface_count; i++)
		print_interface(&reply->interfaces[i], reply->cleared);
	for (size_t i = 0; i < reply->counter_count; i++)
		print_counter(&reply->counters[i]);
	if (reply->text)
		print_text(reply->text);
	if (kind)
		print_object(new_reply(kind));
}

static const char *
skip_blanks(const char *p, const char *end)
{
	while (p < end && strchr(" \t\r\n", *p) && *p != '\0')
		p++;
	return p;
}

static bool
has_prefix(const char *p, const char *end, const char *prefix)
{
	return (size_t)(end - p) >= strlen(prefix) && memcmp(p, prefix, strlen(prefix)) == 0;
}

/* There is more than blanks and comments: a comment at the end of a session is no message. */
static bool
has_content(const char *p, const char *end)
{
	for (;;) {
		p = skip_blanks(p, end);
		if (!has_prefix(p, end, "<!--"))
			return p < end;
		p += 4;
		while (p < end && !has_prefix(p, end, "-->"))
			p++;
		p = end - p >= 3 ? p + 3 : end;
	}
}

/* Of a bad message, too, what came before the bad place is shown: a capture is often cut. */
static int
decode_message(const struct input *input, size_t number, const char *message, size_t size)
{
	struct junos_parser *parser;
	struct junos_reply *reply;
	struct error err;
	int rc;

	if (!has_content(message, message + size))
		return EXIT_DONE;
	parser = junos_parser_new();
	rc = junos_parser_feed(parser, message, size, &err);
	if (rc == 0)
		rc = junos_parser_end(parser, &reply, &err);
	if (rc < 0)
		reply = junos_parser_salvage(parser);
	if (rc == 0 || reply->kind != JUNOS_REPLY_OTHER)
		print_reply(reply);
	junos_reply_free(reply);
	junos_parser_free(parser);
	return rc < 0 ? complain(input, "message %zu: %s", number, err.text) : EXIT_DONE;
}

/* A chunk header, "\n#4\n", stands here. */
static bool
is_chunk_head(const char *p, const char *end)
{
	p = skip_blanks(p, end);
	if (end - p < 3 || p[0] != '#' || p[1] < '1' || p[1] > '9')
		return false;
	for (p++; p < end && *p >= '0' && *p <= '9'; p++)
		;
	return p < end && *p == '\n';
}

/* End of the first mark, or NULL. */
static const char *
find_mark(const char *p, const char *end)
{
	static const char mark[] = "]]>]]>";

	for (; (p = memchr(p, mark[0], (size_t)(end - p))) != NULL; p++) {
		if (has_prefix(p, end, mark))
			return p + sizeof(mark) - 1;
	}
	return NULL;
}

static int
decode_chunks(const struct input *input, struct framing *framing, size_t number, const char *p,
    const char *end)
{
	const char *message;
	size_t size;
	int rc, status = EXIT_DONE;

	framing_set_version(framing, FRAMING_CHUNKED);
	framing_feed(framing, p, (size_t)(end - p));
	while ((rc = framing_next(framing, &message, &size)) == 1)
		status |= decode_message(input, number++, message, size);
	if (rc < 0)
		return complain(
		    input, "message %zu: bad chunk framing (RFC 6242 section 4.2)", number);
	if (framing_is_partial(framing))
		return complain(input, "message %zu is cut", number);
	return status;
}

/* Message by message while they end in marks; what follows decides how to go on. */
static int
decode_netconf(const struct input *input)
{
	const char *p = input->bytes, *end = input->bytes + input->size, *next, *message;
	struct framing *framing = framing_new(MAX_INPUT);
	size_t number = 1, size;
	int status = EXIT_DONE;

	while (!is_chunk_head(p, end) && (next = find_mark(p, end)) != NULL) {
		framing_feed(framing, p, (size_t)(next - p));
		if (framing_next(framing, &message, &size) == 1)
			status |= decode_message(input, number++, message, size);
		p = next;
	}
	if (is_chunk_head(p, end))
		status |= decode_chunks(input, framing, number, p, end);
	else
		status |= decode_message(input, number, p, (size_t)(end - p));
	framing_free(framing);
	return status;
}

/* ---- the program ------------------------------------------------------------------------- */

static const struct decoder {
	const char *name;
	int (*decode)(const struct input *input);
} decoders[] = {
	{ "bmp", decode_bmp },
	{ "syslog", decode_syslog },
	{ "netconf", decode_netconf },
};

static int
read_stream(FILE *stream, struct input *input)
{
	size_t capacity = 0, n;

	do {
		if (capacity - input->size < READ_STEP) {
			capacity = 2 * capacity + READ_STEP;
			input->bytes = xreallocarray(input->bytes, capacity, 1);
		}
		n = fread(input->bytes + input->size, 1, READ_STEP, stream);
		input->size += n;
	} while (n > 0 && input->size <= MAX_INPUT);
	if (ferror(stream))
		return complain(input, "cannot read: %s", strerror(errno));
	if (input->size > MAX_INPUT)
		return complain(input, "bigger than %d MiB; cut it into pieces", MAX_INPUT >> 20);
	return EXIT_DONE;
}

static int
read_input(const char *path, struct input *input)
{
	FILE *stream;
	int rc;

	input->name = path;
	if (strcmp(path, "-") == 0) {
		input->name = "standard input";
		return read_stream(stdin, input);
	}
	stream = fopen(path, "rb");
	if (!stream)
		return complain(input, "cannot open: %s", strerror(errno));
	rc = read_stream(stream, input);
	fclose(stream);
	return rc;
}

static int
run(const struct decoder *decoder, const char *path)
{
	struct input input = { 0 };
	int status = read_input(path, &input);

	if (status == EXIT_DONE)
		status = decoder->decode(&input);
	free(input.bytes);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "autofbf-decode: cannot write: %s\n", strerror(errno));
		return EXIT_BAD;
	}
	return status;
}

static int
refuse_usage(const char *why, const char *what)
{
	fprintf(stderr, "autofbf-decode: %s%s\n%s", why, what,
	    "usage: autofbf-decode [-h] [-V] bmp|syslog|netconf FILE\n");
	return EXIT_USAGE;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};

	for (int c; (c = getopt_long(argc, argv, "hV", options, NULL)) != -1;) {
		if (c == 'h')
			return fputs(usage_text, stdout) == EOF ? EXIT_BAD : EXIT_DONE;
		if (c == 'V')
			return puts("autofbf-decode " AUTOFBF_VERSION) == EOF ? EXIT_BAD
			                                                      : EXIT_DONE;
		return refuse_usage("see --help", "");
	}
	if (argc - optind != 2)
		return refuse_usage("a kind and a file are needed", "");
	for (size_t i = 0; i < sizeof(decoders) / sizeof(decoders[0]); i++) {
		if (strcmp(argv[optind], decoders[i].name) == 0)
			return run(&decoders[i], argv[optind + 1]);
	}
	return refuse_usage("bmp, syslog or netconf is needed, not ", argv[optind]);
}
