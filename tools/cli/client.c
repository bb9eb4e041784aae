/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The transport under the commands. The library on this side is not the one that serves
 * (libnetconf2 against our own server), so that two implementations keep each other honest.
 *
 * libnetconf2 waits up to a minute for a hello and twenty seconds inside a message, and has no way
 * to be told otherwise. Hence our own socket: before each exchange we wait for the first byte
 * ourselves, and a POSIX timer shuts the socket down when the exchange takes too long; to the
 * library that is the end of the file. The timer's handler gets the descriptor with the signal, so
 * there is no global.
 *
 * Exit codes: whatever the transport cannot do means that there is no agent (3); an rpc-error is a
 * refusal (1), or usage (2) when a name is not known.
 */
#define _GNU_SOURCE /* struct ucred */
#include "client.h"

#include <errno.h>
#include <limits.h>
#include <libyang/libyang.h>
#include <nc_client.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "profile_yang.h"

enum { SHORT_SECONDS = 3, LONG_SECONDS = 20, TREES_MOST = 128 };

struct client {
	char *path; /* owned */
	struct ly_ctx *ctx;
	struct nc_session *session;
	int fd;
	timer_t timer;
	bool has_timer;
	int router_ms;                      /* so long the agent itself waits for the router */
	struct lyd_node *trees[TREES_MOST]; /* owned answers */
	size_t tree_count;
};

/* ---- deadlines ----------------------------------------------------------------------------- */

static void
on_deadline(int signo, siginfo_t *info, void *context)
{
	shutdown(info->si_value.sival_int, SHUT_RDWR); /* async-signal-safe */
}

static void
make_timer(struct client *client)
{
	struct sigaction action = { .sa_sigaction = on_deadline,
		.sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGALRM,
		.sigev_value.sival_int = client->fd };

	sigemptyset(&action.sa_mask);
	client->has_timer = sigaction(SIGALRM, &action, NULL) == 0 &&
	                    timer_create(CLOCK_MONOTONIC, &event, &client->timer) == 0;
}

static void
set_deadline(const struct client *client, int seconds)
{
	struct itimerspec spec = { .it_value.tv_sec = seconds };

	if (client->has_timer)
		timer_settime(client->timer, 0, &spec, NULL);
}

static bool
wait_readable(const struct client *client, int milliseconds)
{
	struct pollfd poll_fd = { .fd = client->fd, .events = POLLIN };
	int rc;

	do
		rc = poll(&poll_fd, 1, milliseconds);
	while (rc < 0 && errno == EINTR);
	return rc > 0;
}

/* ---- connect ------------------------------------------------------------------------------- */

static int
report_no_agent(const struct client *client, struct error *err)
{
	return error_set(err, EXIT_NO_AGENT,
	    "no agent at %s: %s; is autofbfd running (systemctl status autofbf)? another place: "
	    "--socket PATH",
	    client->path, strerror(errno));
}

static int
report_hung(const struct client *client, struct error *err)
{
	return error_set(err, EXIT_NO_AGENT,
	    "the agent at %s does not answer: it hangs, or is being stopped; see its log "
	    "(journalctl -u autofbf)",
	    client->path);
}

/* Refused before a byte: the agent knows us by our user and groups. */
static int
report_turned_away(const struct client *client, struct error *err)
{
	return error_set(err, EXIT_NO_AGENT,
	    "the agent at %s turned us away: this needs root, or membership of group autofbf (to "
	    "operate) or autofbf-read (to read); or it has too many clients (64, 48 of them to "
	    "read), and its log says whose",
	    client->path);
}

static int
connect_socket(struct client *client, struct error *err)
{
	const struct timeval patience = { SHORT_SECONDS, 0 };
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(client->path) >= sizeof(address.sun_path))
		return error_set(err, EXIT_USAGE, "%s: too long for a socket's path", client->path);
	strcpy(address.sun_path, client->path);
	client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (client->fd < 0)
		return report_no_agent(client, err);
	/* A full queue of a hung agent blocks connect(2) as long as a send may take. */
	(void)setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(client->fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return errno == EAGAIN ? report_hung(client, err) : report_no_agent(client, err);
	return 0;
}

static bool
is_at_end(const struct client *client)
{
	char byte;

	return recv(client->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static int
start_session(struct client *client, struct error *err)
{
	if (!wait_readable(client, SHORT_SECONDS * 1000))
		return report_hung(client, err);
	if (is_at_end(client))
		return report_turned_away(client, err);
	set_deadline(client, SHORT_SECONDS);
	client->session = nc_connect_inout(client->fd, client->fd, client->ctx);
	set_deadline(client, 0);
	if (!client->session)
		return error_set(err, EXIT_NO_AGENT,
		    "%s: what answers there is no NETCONF server, or stopped halfway",
		    client->path);
	return 0;
}

static int
load_modules(struct client *client, const char *yang_dir, struct error *err)
{
	if (profile_yang_context(yang_dir, &client->ctx, err) < 0)
		return EXIT_USAGE;
	if (!ly_ctx_load_module(client->ctx, "ietf-netconf", NULL, NULL) ||
	    !ly_ctx_load_module(client->ctx, "notifications", NULL, NULL))
		return error_set(err, EXIT_USAGE,
		    "%s: must hold ietf-netconf.yang and notifications.yang too: %s", yang_dir,
		    ly_errmsg(client->ctx));
	return 0;
}

static void
keep_quiet(const struct nc_session *session, NC_VERB_LEVEL level, const char *message)
{
}

int
client_open(
    const char *socket_path, const char *yang_dir, struct client **ret_client, struct error *err)
{
	struct client *client = xcalloc(1, sizeof(*client));
	int code;

	client->path = xstrdup(socket_path);
	client->fd = -1;
	nc_client_init();
	nc_set_print_clb_session(keep_quiet);
	nc_client_set_schema_searchpath(yang_dir);
	code = connect_socket(client, err);
	if (code == 0)
		code = load_modules(client, yang_dir, err);
	if (code == 0) {
		make_timer(client);
		code = start_session(client, err);
	}
	if (code != 0) {
		client_close(client);
		return code;
	}
	*ret_client = client;
	return 0;
}

void
client_await_router(struct client *client, uint64_t ms)
{
	client->router_ms = (int)(ms < INT_MAX / 2 ? ms : INT_MAX / 2);
}

void
client_close(struct client *client)
{
	if (!client)
		return;
	for (size_t i = 0; i < client->tree_count; i++)
		lyd_free_all(client->trees[i]);
	set_deadline(client, 1);
	nc_session_free(client->session, NULL);
	if (client->has_timer)
		timer_delete(client->timer);
	if (client->fd >= 0)
		close(client->fd);
	ly_ctx_destroy(client->ctx);
	nc_client_destroy();
	free(client->path);
	free(client);
}

/* ---- exchange ------------------------------------------------------------------------------ */

static const char *
find_text(const struct lyd_node *parent, const char *name)
{
	const struct lyd_node *node;

	LY_LIST_FOR (lyd_child(parent), node) {
		const char *own = node->schema ? node->schema->name
		                               : ((const struct lyd_node_opaq *)node)->name.name;

		if (strcmp(own, name) == 0)
			return lyd_get_value(node);
	}
	return NULL;
}

/* The first rpc-error of a reply; NULL: it has none. */
static const struct lyd_node *
find_error(const struct lyd_node *envelope)
{
	const struct lyd_node *node;

	LY_LIST_FOR (lyd_child(envelope), node)
		if (!node->schema &&
		    strcmp(((const struct lyd_node_opaq *)node)->name.name, "rpc-error") == 0)
			return node;
	return NULL;
}

static int
report_refusal(const struct lyd_node *refusal, struct error *err)
{
	const char *message = find_text(refusal, "error-message");
	const char *app_tag = find_text(refusal, "error-app-tag");
	bool is_usage = app_tag && (strcmp(app_tag, "unknown-name") == 0 ||
	                               strcmp(app_tag, "bad-target") == 0 ||
	                               strcmp(app_tag, "bad-profile") == 0);

	return error_set(err, is_usage ? EXIT_USAGE : EXIT_REFUSED, "%s",
	    message ? message : "the agent refused, without saying why");
}

static struct lyd_node *
keep_tree(struct client *client, struct lyd_node *tree)
{
	if (tree && client->tree_count == TREES_MOST)
		fatal("more than %d answers are kept", TREES_MOST);
	if (tree)
		client->trees[client->tree_count++] = tree;
	return tree;
}

static int
receive(struct client *client, struct nc_rpc *rpc, uint64_t id, enum client_patience patience,
    struct lyd_node **ret_answer, struct error *err)
{
	struct lyd_node *envelope = NULL, *answer = NULL;
	NC_MSG_TYPE type;
	int code = 0;

	do {
		if (!wait_readable(client,
		        1000 * SHORT_SECONDS + (patience == CLIENT_ROUTER ? client->router_ms : 0)))
			return report_hung(client, err);
		set_deadline(client, patience == CLIENT_SHORT ? SHORT_SECONDS : LONG_SECONDS);
		type = nc_recv_reply(
		    client->session, rpc, id, SHORT_SECONDS * 1000, &envelope, &answer);
		set_deadline(client, 0);
	} while (type == NC_MSG_NOTIF);
	if (type != NC_MSG_REPLY)
		code = report_hung(client, err);
	else if (find_error(envelope))
		code = report_refusal(find_error(envelope), err);
	lyd_free_all(envelope);
	keep_tree(client, answer);
	if (code == 0)
		*ret_answer = answer;
	return code;
}

/* Takes the rpc. */
static int
exchange(struct client *client, struct nc_rpc *rpc, enum client_patience patience,
    struct lyd_node **ret_answer, struct error *err)
{
	uint64_t id;
	NC_MSG_TYPE type = NC_MSG_ERROR;
	int code;

	*ret_answer = NULL;
	if (rpc) {
		set_deadline(client, SHORT_SECONDS);
		type = nc_send_rpc(client->session, rpc, SHORT_SECONDS * 1000, &id);
		set_deadline(client, 0);
	}
	if (type == NC_MSG_RPC)
		code = receive(client, rpc, id, patience, ret_answer, err);
	else
		code = report_hung(client, err);
	nc_rpc_free(rpc);
	return code;
}

struct lyd_node *
client_rpc(struct client *client, const char *name)
{
	const struct lys_module *module = ly_ctx_get_module_implemented(client->ctx, "autofbf");
	struct lyd_node *rpc;

	if (lyd_new_inner(NULL, module, name, false, &rpc) != LY_SUCCESS)
		fatal("autofbf.yang has no rpc %s; is --yang-dir of another version?", name);
	return rpc;
}

bool
client_input(struct lyd_node *rpc, const char *leaf, const char *value)
{
	return lyd_new_term(rpc, NULL, leaf, value, false, NULL) == LY_SUCCESS;
}

int
client_input_profile(struct lyd_node *rpc, const struct profile_file *file, struct error *err)
{
	if (file->size > PROFILE_FILE_SENT_MOST)
		return error_set(err, EXIT_USAGE,
		    "%s: has %zu bytes, and an agent takes %d from a client: leave out "
		    "indentation, or replace the agent's own file and reload it (systemctl reload "
		    "autofbf)",
		    file->path, file->size, PROFILE_FILE_SENT_MOST);
	if (!client_input(rpc, "profile", file->text))
		return error_set(err, EXIT_USAGE, "%s: this is no text", file->path);
	return EXIT_DONE;
}

void
client_drop(struct lyd_node *rpc)
{
	lyd_free_all(rpc);
}

int
client_call(struct client *client, struct lyd_node *rpc, enum client_patience patience,
    const struct lyd_node **ret_output, struct error *err)
{
	struct lyd_node *answer;
	int code =
	    exchange(client, nc_rpc_act_generic(rpc, NC_PARAMTYPE_FREE), patience, &answer, err);

	if (code == 0 && ret_output)
		*ret_output = answer;
	return code;
}

static const struct lyd_node *
find_container(const struct lyd_node *answer, const char *name)
{
	const struct lyd_node *data = lyd_child(answer), *node;
	const struct lyd_node_any *any = (const struct lyd_node_any *)data;

	if (!data || !data->schema || !(data->schema->nodetype & LYD_NODE_ANY) ||
	    any->value_type != LYD_ANYDATA_DATATREE)
		return NULL;
	LY_LIST_FOR (any->value.tree, node)
		if (node->schema && strcmp(node->schema->name, name) == 0)
			return node;
	return NULL;
}

/* A container at the top of our module, by get. */
static int
get_container(struct client *client, const char *name, const struct lyd_node **ret_container,
    struct error *err)
{
	char *filter = xasprintf("<%s xmlns=\"urn:autofbf:yang:autofbf\"/>", name);
	struct lyd_node *answer;
	int code = exchange(client, nc_rpc_get(filter, NC_WD_UNKNOWN, NC_PARAMTYPE_CONST),
	    CLIENT_SHORT, &answer, err);

	free(filter);
	if (code != 0)
		return code;
	*ret_container = find_container(answer, name);
	if (!*ret_container)
		return error_set(err, EXIT_REFUSED,
		    "the agent's answer has no %s that this program's autofbf.yang knows; are "
		    "both of the same version?",
		    name);
	return 0;
}

int
client_get_state(struct client *client, const struct lyd_node **ret_state, struct error *err)
{
	return get_container(client, "state", ret_state, err);
}

int
client_get_profile(struct client *client, struct profile **ret_profile, struct error *err)
{
	const struct lyd_node *profile = NULL;
	char *text = NULL;
	int code = get_container(client, "profile", &profile, err);

	if (code == 0 && lyd_print_mem(&text, profile, LYD_JSON, 0) != LY_SUCCESS)
		fatal("the agent's profile cannot be printed: %s", ly_errmsg(client->ctx));
	if (code == 0 && profile_load_text(client->ctx, text, strlen(text), "the agent's profile",
	                     ret_profile, err) < 0)
		code = EXIT_REFUSED;
	free(text);
	return code;
}

int
client_subscribe(struct client *client, struct error *err)
{
	struct lyd_node *answer;

	return exchange(client, nc_rpc_subscribe(NULL, NULL, NULL, NULL, NC_PARAMTYPE_CONST),
	    CLIENT_SHORT, &answer, err);
}

int
client_next_event(struct client *client, struct lyd_node **ret_event, struct error *err)
{
	struct lyd_node *envelope = NULL;
	NC_MSG_TYPE type;

	do {
		type = nc_recv_notif(client->session, 0, &envelope, ret_event);
		if (type == NC_MSG_WOULDBLOCK)
			wait_readable(client, -1);
		lyd_free_all(envelope);
		envelope = NULL;
	} while (type == NC_MSG_WOULDBLOCK);
	if (type != NC_MSG_NOTIF)
		return error_set(err, EXIT_NO_AGENT, "the agent at %s is gone", client->path);
	return 0;
}

int
client_run(const struct arguments *arguments,
    struct lyd_node *(*make)(struct client *client, const struct arguments *arguments),
    enum client_patience patience,
    int (*use)(const struct arguments *arguments, const struct lyd_node *output))
{
	const struct lyd_node *output = NULL;
	struct client *client = NULL;
	struct lyd_node *rpc;
	struct error err;
	int code = client_open(arguments->socket, arguments->yang_dir, &client, &err);

	if (code == 0) {
		rpc = make(client, arguments);
		code = rpc ? client_call(client, rpc, patience, &output, &err)
		           : error_set(&err, EXIT_USAGE, "%s",
		                 ly_errmsg(client->ctx) ? ly_errmsg(client->ctx) : "bad argument");
	}
	if (code != 0)
		complain(code, "%s", err.text);
	else if (use)
		code = use(arguments, output);
	client_close(client);
	return code;
}

int
client_show(const struct arguments *arguments,
    int (*show)(const struct arguments *arguments, const struct lyd_node *state))
{
	struct client *client = NULL;
	const struct lyd_node *state = NULL;
	struct error err;
	int code = client_open(arguments->socket, arguments->yang_dir, &client, &err);

	if (code == 0)
		code = client_get_state(client, &state, &err);
	if (code == 0)
		code = show(arguments, state);
	else
		complain(code, "%s", err.text);
	client_close(client);
	return code;
}
