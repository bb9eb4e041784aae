/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One session with the agent at a time: hello, create-subscription, then get after get.
 *
 * What is expected next is one word (enum stage), for the agent answers in order; notifications
 * come between. Every answer has a deadline, because a stopped agent accepts connections and says
 * nothing. Whatever does not fit ends the session: the next one begins from nothing, after a pause
 * that doubles, so a dead agent costs nothing and a restarted one is found within seconds.
 */
#include "link.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <libyang/libyang.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "framing.h"
#include "hello.h"
#include "profile_yang.h"

#define NETCONF_NS "urn:ietf:params:xml:ns:netconf:base:1.0"
#define NOTIFICATION_NS "urn:ietf:params:xml:ns:netconf:notification:1.0"
#define AUTOFBF_NS "urn:autofbf:yang:autofbf"

enum {
	MESSAGE_MOST = 64 << 20, /* bytes; the agent's own limit for an answer */
	ANSWER_SECONDS = 10,
	PAUSE_LEAST_MS = 200,
	PAUSE_MOST_MS = 10000,
};

enum stage { STAGE_PAUSE, STAGE_HELLO, STAGE_SUBSCRIBE, STAGE_GET, STAGE_IDLE };

struct link {
	struct event_base *base; /* borrowed */
	struct link_events events;
	struct sockaddr_un address;
	struct ly_ctx *ctx;         /* owned */
	struct bufferevent *stream; /* owned; NULL while there is no session */
	struct framing *framing;    /* owned; as stream */
	enum framing_version version;
	struct event *timer; /* owned; end of a pause, or of patience */
	enum stage stage;
	bool ask_again;
	int pause_ms;
	unsigned message_id;
};

static void
set_timer(struct link *link, int ms)
{
	const struct timeval delay = { ms / 1000, ms % 1000 * 1000 };

	evtimer_add(link->timer, &delay);
}

/* ---- the session's end and begin ----------------------------------------------------------- */

static void
drop(struct link *link)
{
	if (link->stream)
		bufferevent_free(link->stream);
	framing_free(link->framing);
	link->stream = NULL;
	link->framing = NULL;
	link->version = FRAMING_EOM;
	link->ask_again = false;
}

static void
fail(struct link *link, const char *reason)
{
	drop(link);
	link->stage = STAGE_PAUSE;
	set_timer(link, link->pause_ms);
	link->pause_ms = link->pause_ms < PAUSE_MOST_MS / 2 ? 2 * link->pause_ms : PAUSE_MOST_MS;
	link->events.on_down(link->events.arg, reason);
}

static void
send_text(struct link *link, const char *text)
{
	struct evbuffer *out = bufferevent_get_output(link->stream);
	char head[FRAMING_HEAD_SIZE];

	evbuffer_add(out, head, framing_head(link->version, strlen(text), head));
	evbuffer_add(out, text, strlen(text));
	evbuffer_add(out, framing_tail(link->version), strlen(framing_tail(link->version)));
}

static void
send_rpc(struct link *link, const char *operation, enum stage stage)
{
	char *text = xasprintf("<rpc xmlns=\"" NETCONF_NS "\" message-id=\"%u\">%s</rpc>",
	    ++link->message_id, operation);

	send_text(link, text);
	free(text);
	link->stage = stage;
	set_timer(link, ANSWER_SECONDS * 1000);
}

static void
ask(struct link *link)
{
	link->ask_again = false;
	send_rpc(link,
	    "<get><filter type=\"subtree\"><state xmlns=\"" AUTOFBF_NS "\"/></filter></get>",
	    STAGE_GET);
}

void
link_ask(struct link *link)
{
	if (link->stage == STAGE_IDLE)
		ask(link);
	else
		link->ask_again = true;
}

/* ---- answers ------------------------------------------------------------------------------- */

static const char *
take_hello(struct link *link, const char *message, size_t size)
{
	struct hello hello;

	if (hello_read(message, size, &hello, NULL) != 1)
		return "its first message is no hello";
	send_text(link, "<hello xmlns=\"" NETCONF_NS "\"><capabilities>"
	                "<capability>urn:ietf:params:netconf:base:1.0</capability>"
	                "<capability>urn:ietf:params:netconf:base:1.1</capability>"
	                "</capabilities></hello>");
	if (hello.base_1_1) {
		link->version = FRAMING_CHUNKED;
		framing_set_version(link->framing, FRAMING_CHUNKED);
	}
	send_rpc(link, "<create-subscription xmlns=\"" NOTIFICATION_NS "\"/>", STAGE_SUBSCRIBE);
	return NULL;
}

static const char *
take_subscription(struct link *link, const char *message)
{
	if (!strstr(message, "<ok/>"))
		return "it refuses a subscription";
	ask(link);
	link->events.on_up(link->events.arg);
	return NULL;
}

static void
parse(struct link *link, const char *message, struct lyd_node *op, enum lyd_type type,
    struct lyd_node **ret_envelope, struct lyd_node **ret_op)
{
	struct ly_in *in;

	if (ly_in_new_memory(message, &in) != LY_SUCCESS)
		fatal("out of memory");
	(void)lyd_parse_op(link->ctx, op, in, LYD_XML, type, ret_envelope, ret_op);
	ly_in_free(in, 0);
}

static struct lyd_node *
find_state(struct lyd_node *tree)
{
	struct lyd_node *node;

	LY_LIST_FOR (tree, node)
		if (node->schema && strcmp(node->schema->name, "state") == 0)
			return node;
	return NULL;
}

/* Takes the container state out of the answer to get. */
static struct lyd_node *
cut_out_state(struct lyd_node *get)
{
	struct lyd_node *data = lyd_child(get), *state;
	struct lyd_node_any *any = (struct lyd_node_any *)data;

	if (!data || !data->schema || !(data->schema->nodetype & LYD_NODE_ANY) ||
	    any->value_type != LYD_ANYDATA_DATATREE)
		return NULL;
	state = find_state(any->value.tree);
	if (!state)
		return NULL;
	if (any->value.tree == state)
		any->value.tree = state->next;
	lyd_unlink_tree(state);
	return state;
}

static const char *
take_state(struct link *link, const char *message)
{
	const struct lys_module *module = ly_ctx_get_module_implemented(link->ctx, "ietf-netconf");
	struct lyd_node *get = NULL, *envelope = NULL, *state;

	if (lyd_new_inner(NULL, module, "get", false, &get) != LY_SUCCESS)
		fatal("ietf-netconf.yang has no rpc get");
	parse(link, message, get, LYD_TYPE_REPLY_NETCONF, &envelope, NULL);
	state = cut_out_state(get);
	lyd_free_all(envelope);
	lyd_free_all(get);
	if (!state)
		return "its state is not of our model; are both of the same version?";
	link->stage = STAGE_IDLE;
	link->pause_ms = PAUSE_LEAST_MS;
	evtimer_del(link->timer);
	if (link->ask_again)
		ask(link);
	link->events.on_state(link->events.arg, state);
	return NULL;
}

/* What a newer agent tells and our model does not know is left alone. */
static void
take_notification(struct link *link, const char *message)
{
	struct lyd_node *envelope = NULL, *notification = NULL;

	parse(link, message, NULL, LYD_TYPE_NOTIF_NETCONF, &envelope, &notification);
	if (notification)
		link->events.on_notification(link->events.arg, notification);
	lyd_free_all(notification);
	lyd_free_all(envelope);
}

static bool
is_notification(const char *message)
{
	static const char start[] = "<notification";

	return strncmp(message + strspn(message, " \t\r\n"), start, sizeof(start) - 1) == 0;
}

/* NULL, or what is wrong with it. */
static const char *
take_message(struct link *link, const char *message, size_t size)
{
	if (link->stage != STAGE_HELLO && is_notification(message)) {
		take_notification(link, message);
		return NULL;
	}
	switch (link->stage) {
	case STAGE_HELLO:
		return take_hello(link, message, size);
	case STAGE_SUBSCRIBE:
		return take_subscription(link, message);
	case STAGE_GET:
		return take_state(link, message);
	case STAGE_PAUSE:
	case STAGE_IDLE:
		break;
	}
	return "it answers what was not asked";
}

static void
on_readable(struct bufferevent *stream, void *arg)
{
	struct link *link = arg;
	struct evbuffer *in = bufferevent_get_input(stream);
	struct evbuffer_iovec piece;
	const char *message, *fault = NULL;
	size_t size;
	int rc;

	while (evbuffer_peek(in, -1, NULL, &piece, 1) > 0 && piece.iov_len > 0) {
		framing_feed(link->framing, piece.iov_base, piece.iov_len);
		evbuffer_drain(in, piece.iov_len);
	}
	while (!fault && (rc = framing_next(link->framing, &message, &size)) != 0)
		fault = rc < 0 ? "bad framing" : take_message(link, message, size);
	if (fault)
		fail(link, fault);
}

static void
on_broken(struct bufferevent *stream, short what, void *arg)
{
	struct link *link = arg;

	fail(link, link->stage == STAGE_HELLO
	               ? "it turned us away: run as autofbf-publish, or in group autofbf-read"
	               : "the session ended");
}

/* ---- connect ------------------------------------------------------------------------------- */

static void
start(struct link *link)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&link->address, sizeof(link->address)) < 0) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		fail(link, strerror(error));
		return;
	}
	link->framing = framing_new(MESSAGE_MOST);
	link->stream = bufferevent_socket_new(link->base, fd, BEV_OPT_CLOSE_ON_FREE);
	if (!link->stream)
		fatal("out of memory");
	bufferevent_setcb(link->stream, on_readable, NULL, on_broken, link);
	bufferevent_enable(link->stream, EV_READ | EV_WRITE);
	link->stage = STAGE_HELLO;
	set_timer(link, ANSWER_SECONDS * 1000);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct link *link = arg;

	if (link->stage == STAGE_PAUSE)
		start(link);
	else
		fail(link, "it does not answer");
}

static int
load_modules(struct link *link, const char *yang_dir, struct error *err)
{
	int rc = profile_yang_context(yang_dir, &link->ctx, err);

	if (rc == 0 && (!ly_ctx_load_module(link->ctx, "ietf-netconf", NULL, NULL) ||
	                   !ly_ctx_load_module(link->ctx, "notifications", NULL, NULL)))
		rc = error_set(err, -ENOENT,
		    "%s: must hold ietf-netconf.yang and notifications.yang too: %s", yang_dir,
		    ly_errmsg(link->ctx));
	return rc;
}

int
link_new(struct event_base *base, const char *path, const char *yang_dir,
    const struct link_events *events, struct link **ret_link, struct error *err)
{
	struct link *link;
	int rc;

	if (strlen(path) >= sizeof(link->address.sun_path))
		return error_set(err, -ENAMETOOLONG, "%s: too long for a socket's path", path);
	link = xcalloc(1, sizeof(*link));
	link->base = base;
	link->events = *events;
	link->address.sun_family = AF_UNIX;
	strcpy(link->address.sun_path, path);
	link->pause_ms = PAUSE_LEAST_MS;
	link->timer = evtimer_new(base, on_timer, link);
	rc = load_modules(link, yang_dir, err);
	if (rc < 0) {
		link_free(link);
		return rc;
	}
	set_timer(link, 0);
	*ret_link = link;
	return 0;
}

const struct ly_ctx *
link_context(const struct link *link)
{
	return link->ctx;
}

void
link_free(struct link *link)
{
	if (!link)
		return;
	drop(link);
	event_free(link->timer);
	ly_ctx_destroy(link->ctx);
	free(link);
}
