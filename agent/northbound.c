/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The UNIX socket of the NETCONF server: binding it, letting peers in, keeping the list of
 * sessions.
 *
 * A socket file that nobody listens on is left from a crash and is replaced; one that answers
 * belongs to a running agent and is left alone. (Two that start at the same moment are told apart
 * by the lock of their state directory, dir_lock.h.) Peers are judged before a byte is read: those
 * who may not even read are dropped at once and cost nothing. There is room for so many sessions;
 * the last places are kept for those who may do more, so that clients that only read, and sit
 * there, do not lock the operator out. When file descriptors run out, accepting pauses for a second
 * in place of spinning.
 *
 * What a session says is northbound_session.c, what a request means is northbound_rpc.c.
 */
#define _GNU_SOURCE /* accept4 */
#include "northbound.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "complaint.h"
#include "log.h"
#include "northbound_peer.h"
#include "northbound_session.h"
#include "profile_yang.h"

enum { BACKLOG = 16 };

/* With so many sessions nobody of that role is let in any more. */
static const size_t sessions_most[] = {
	[ROLE_READ] = 48,
	[ROLE_OPERATE] = 60,
	[ROLE_ADMINISTER] = 64,
};

struct entry {
	struct northbound_session *session; /* owned */
	LIST_ENTRY(entry) next;
};

struct northbound {
	struct northbound_operations operations;
	struct northbound_accounts accounts;
	struct event_base *base; /* borrowed */
	struct ly_ctx *ctx;      /* owned */
	const struct lys_module *module;
	char *path; /* owned */
	int fd;
	struct event *accepting, *pause; /* owned */
	LIST_HEAD(entry_list, entry) entries;
	size_t count;
	uint32_t last_id;
	bool is_bound;
	struct complaint crowd, descriptors;
};

static void
forget_session(void *arg, struct northbound_session *session)
{
	struct northbound *northbound = arg;
	struct entry *entry;

	for (entry = LIST_FIRST(&northbound->entries); entry; entry = LIST_NEXT(entry, next))
		if (entry->session == session)
			break;
	if (!entry)
		return;
	LIST_REMOVE(entry, next);
	northbound->count--;
	northbound_session_free(entry->session);
	free(entry);
}

static size_t
count_sessions_of(const struct northbound *northbound, const char *who)
{
	const struct entry *entry;
	size_t count = 0;

	for (entry = LIST_FIRST(&northbound->entries); entry; entry = LIST_NEXT(entry, next))
		count += strcmp(northbound_session_who(entry->session), who) == 0;
	return count;
}

/* Whose sessions are the first to look at; there is at least one. */
static const char *
find_busiest_user(const struct northbound *northbound, size_t *ret_count)
{
	const struct entry *entry;
	const char *busiest = "";

	*ret_count = 0;
	for (entry = LIST_FIRST(&northbound->entries); entry; entry = LIST_NEXT(entry, next)) {
		const char *who = northbound_session_who(entry->session);
		size_t count = count_sessions_of(northbound, who);

		if (count > *ret_count) {
			*ret_count = count;
			busiest = who;
		}
	}
	return busiest;
}

/* Who may not look is no crowd: he is told nothing, and the log only when somebody asks why. */
static bool
lets_in(struct northbound *northbound, enum northbound_role role, const char *who)
{
	const char *busiest;
	size_t held;

	if (role == ROLE_NONE) {
		log_debug("northbound",
		    "%s turned away: neither root nor in group autofbf or autofbf-read", who);
		return false;
	}
	if (northbound->count < sessions_most[role])
		return true;
	busiest = find_busiest_user(northbound, &held);
	complain(&northbound->crowd, mtime_now(), "northbound",
	    "%s turned away: there are %zu clients, %zu of them of %s; end some of those", who,
	    northbound->count, held, busiest);
	return false;
}

static void
add_session(struct northbound *northbound, int fd)
{
	struct northbound_session_options options = {
		.base = northbound->base,
		.module = northbound->module,
		.operations = &northbound->operations,
		.on_end = forget_session,
		.arg = northbound,
	};
	char *who;
	enum northbound_role role = northbound_peer_role(&northbound->accounts, fd, &who);
	struct entry *entry;

	if (!lets_in(northbound, role, who)) {
		free(who);
		close(fd);
		return;
	}
	entry = xcalloc(1, sizeof(*entry));
	entry->session = northbound_session_new(&options, fd, ++northbound->last_id, role, who);
	LIST_INSERT_HEAD(&northbound->entries, entry, next);
	northbound->count++;
}

static void
on_connect(evutil_socket_t fd, short what, void *arg)
{
	const struct timeval second = { 1, 0 };
	struct northbound *northbound = arg;
	int peer = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (peer >= 0) {
		add_session(northbound, peer);
	} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
		complain(&northbound->descriptors, mtime_now(), "northbound",
		    "no client can be let in, tried every second: %s", strerror(errno));
		event_del(northbound->accepting);
		evtimer_add(northbound->pause, &second);
	}
}

static void
on_pause_over(evutil_socket_t fd, short what, void *arg)
{
	event_add(((struct northbound *)arg)->accepting, NULL);
}

/* Does somebody listen there? */
static bool
is_alive(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool alive =
	    fd >= 0 && (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
	                   errno == EAGAIN);

	if (fd >= 0)
		close(fd);
	return alive;
}

static bool
is_socket(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

static int
bind_socket(struct northbound *northbound, struct error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *path = northbound->path;

	if (strlen(path) >= sizeof(address.sun_path))
		return error_set(err, -ENAMETOOLONG, "%s: a socket path has at most %zu characters",
		    path, sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	if (is_alive(&address))
		return error_set(err, -EADDRINUSE,
		    "%s: another agent listens there; stop it, or use --socket", path);
	if (is_socket(path) && unlink(path) < 0)
		return error_set(
		    err, -errno, "%s: cannot replace the stale socket: %s", path, strerror(errno));
	northbound->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (northbound->fd < 0 ||
	    bind(northbound->fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return error_set(err, -errno, "%s: %s; does the directory exist and is it ours?",
		    path, strerror(errno));
	northbound->is_bound = true;
	if (chmod(path, 0666) < 0 || listen(northbound->fd, BACKLOG) < 0)
		return error_set(err, -errno, "%s: %s", path, strerror(errno));
	return 0;
}

static void
start_accepting(struct northbound *northbound)
{
	northbound->pause = evtimer_new(northbound->base, on_pause_over, northbound);
	northbound->accepting = event_new(
	    northbound->base, northbound->fd, EV_READ | EV_PERSIST, on_connect, northbound);
	if (!northbound->pause || !northbound->accepting ||
	    event_add(northbound->accepting, NULL) < 0)
		fatal("out of memory");
}

int
northbound_new(struct event_base *base, const char *path, const char *yang_dir,
    const struct northbound_operations *operations, struct northbound **ret_northbound,
    struct error *err)
{
	struct northbound *northbound = xcalloc(1, sizeof(*northbound));
	int rc;

	northbound->operations = *operations;
	northbound->base = base;
	northbound->path = xstrdup(path);
	northbound->fd = -1;
	LIST_INIT(&northbound->entries);
	northbound_accounts_load(&northbound->accounts);
	rc = profile_yang_context(yang_dir, &northbound->ctx, err);
	if (rc == 0)
		rc = bind_socket(northbound, err);
	if (rc < 0) {
		northbound_free(northbound);
		return rc;
	}
	northbound->module = ly_ctx_get_module_implemented(northbound->ctx, "autofbf");
	start_accepting(northbound);
	*ret_northbound = northbound;
	return 0;
}

void
northbound_free(struct northbound *northbound)
{
	if (!northbound)
		return;
	while (!LIST_EMPTY(&northbound->entries))
		forget_session(northbound, LIST_FIRST(&northbound->entries)->session);
	if (northbound->accepting)
		event_free(northbound->accepting);
	if (northbound->pause)
		event_free(northbound->pause);
	if (northbound->fd >= 0)
		close(northbound->fd);
	if (northbound->is_bound)
		unlink(northbound->path);
	ly_ctx_destroy(northbound->ctx);
	free(northbound->path);
	free(northbound);
}

static void
send_to_all(struct northbound *northbound, struct evbuffer *text)
{
	struct entry *entry;

	for (entry = LIST_FIRST(&northbound->entries); entry; entry = LIST_NEXT(entry, next))
		northbound_session_notify(entry->session, text);
}

void
northbound_finish_answers(struct northbound *northbound)
{
	struct entry *entry;

	for (entry = LIST_FIRST(&northbound->entries); entry; entry = LIST_NEXT(entry, next))
		northbound_session_finish(entry->session);
}

void
northbound_notify(struct northbound *northbound, const struct history_record *record)
{
	struct evbuffer *text = evbuffer_new();

	if (!LIST_EMPTY(&northbound->entries)) {
		northbound_rpc_notification(northbound->module, record, text);
		send_to_all(northbound, text);
	}
	evbuffer_free(text);
}

void
northbound_notify_alarm(
    struct northbound *northbound, const struct alarm *alarm, int64_t cleared_us)
{
	struct evbuffer *text = evbuffer_new();

	if (!LIST_EMPTY(&northbound->entries)) {
		northbound_rpc_alarm(northbound->module, alarm, cleared_us, text);
		send_to_all(northbound, text);
	}
	evbuffer_free(text);
}
