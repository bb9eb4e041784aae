/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sockets, lines and waiting. A client that waits for a number is asked again once per turn of the
 * loop, so the answer comes with the very event that made it true and tests need no sleeping. A
 * client that sends no line feed, or reads nothing, hurts only itself: one short line buffer, and
 * an answer that is dropped with the connection.
 */
#define _GNU_SOURCE /* accept4 */
#include "control.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "commands.h"
#include "loop.h"
#include "memtext.h"
#include "mtime.h"
#include "router.h"

enum { LINE_MAX_SIZE = 16384, CLIENTS_MAX = 32 };

struct client {
	TAILQ_ENTRY(client) entry;
	struct control *control; /* borrowed */
	int fd;
	struct loop_fd *handle;
	char line[LINE_MAX_SIZE];
	size_t line_size;
	char *out; /* owned: not written yet */
	size_t out_start, out_size, out_capacity;
	bool is_waiting, is_over;
	struct wait wait;
	struct mtime deadline;
};

struct control {
	struct labrouter *router; /* borrowed */
	char *path;               /* owned */
	int fd;
	struct loop_fd *handle;
	struct loop_timer *timer; /* for the deadlines of waits */
	TAILQ_HEAD(client_list, client) clients;
	size_t count;
};

static void
free_client(struct client *client)
{
	TAILQ_REMOVE(&client->control->clients, client, entry);
	client->control->count--;
	loop_fd_remove(client->handle);
	close(client->fd);
	free(client->out);
	free(client);
}

/* ---- answers --------------------------------------------------------------------------------- */

static void
flush(struct client *client)
{
	while (client->out_start < client->out_size) {
		ssize_t n = send(client->fd, client->out + client->out_start,
		    client->out_size - client->out_start, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			client->is_over = true;
		if (n <= 0)
			break;
		client->out_start += (size_t)n;
	}
	loop_fd_set_events(
	    client->handle, client->out_start < client->out_size ? POLLIN | POLLOUT : POLLIN);
}

static void
queue_text(struct client *client, const char *text, size_t size)
{
	if (client->out_start == client->out_size)
		client->out_start = client->out_size = 0;
	if (client->out_size + size > client->out_capacity) {
		client->out_capacity = (client->out_size + size) * 2;
		client->out = xreallocarray(client->out, client->out_capacity, 1);
	}
	memcpy(client->out + client->out_size, text, size);
	client->out_size += size;
}

/* Data lines get a blank in front, so that the verdict can be told from them. */
static void
queue_data(struct client *client, const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end) {
		const char *feed = memchr(text, '\n', (size_t)(end - text));
		size_t line = feed ? (size_t)(feed - text) : (size_t)(end - text);

		queue_text(client, " ", 1);
		queue_text(client, text, line);
		queue_text(client, "\n", 1);
		text += line + (feed ? 1 : 0);
	}
}

static void
queue_verdict(struct client *client, const char *error)
{
	char *line = error ? xasprintf("error %s\n", error) : xstrdup("ok\n");

	for (char *feed = line; (feed = strchr(feed, '\n')) && feed[1];)
		*feed = ' ';
	queue_text(client, line, strlen(line));
	free(line);
}

/* ---- requests -------------------------------------------------------------------------------- */

static void
run_line(struct client *client, char *line)
{
	struct error err = { "" };
	char *data = NULL;
	size_t size;
	FILE *out = memtext_open(&data, &size);
	enum command_result result;

	result = command_run(client->control->router, line, out, &client->wait, &err);
	fclose(out);
	queue_data(client, data, size);
	free(data);
	if (result == COMMAND_WAITS) {
		client->is_waiting = true;
		client->deadline = mtime_add_ms(mtime_now(), client->wait.timeout_ms);
		return;
	}
	queue_verdict(client, result == COMMAND_FAILED ? err.text : NULL);
}

/* Runs the lines that are complete, up to one that waits. */
static void
run_lines(struct client *client)
{
	char *feed, line[LINE_MAX_SIZE];
	size_t size;

	while (!client->is_waiting && (feed = memchr(client->line, '\n', client->line_size))) {
		size = (size_t)(feed - client->line);
		memcpy(line, client->line, size);
		line[size] = '\0';
		client->line_size -= size + 1;
		memmove(client->line, feed + 1, client->line_size);
		run_line(client, line);
	}
	if (client->line_size == sizeof(client->line))
		client->is_over = true;
	flush(client);
}

static void
on_client(void *arg, int fd, short revents)
{
	struct client *client = arg;
	ssize_t n;

	if (revents & POLLOUT)
		flush(client);
	if (!(revents & (POLLIN | POLLHUP | POLLERR)))
		return;
	n = recv(fd, client->line + client->line_size, sizeof(client->line) - client->line_size, 0);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
		client->is_over = true; /* also ends a wait */
		return;
	}
	if (n > 0)
		client->line_size += (size_t)n;
	run_lines(client);
}

static void
on_connection(void *arg, int listen_fd, short revents)
{
	struct control *control = arg;
	struct client *client;
	int fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)revents;
	if (fd < 0)
		return;
	if (control->count >= CLIENTS_MAX) {
		close(fd);
		return;
	}
	client = xcalloc(1, sizeof(*client));
	client->control = control;
	client->fd = fd;
	client->handle = loop_fd_add(control->router->loop, fd, POLLIN, on_client, client);
	TAILQ_INSERT_TAIL(&control->clients, client, entry);
	control->count++;
}

static void
end_wait(struct client *client, const char *error)
{
	client->is_waiting = false;
	queue_verdict(client, error);
	run_lines(client);
}

void
control_turn(struct control *control)
{
	struct mtime now = mtime_now(), next = MTIME_NEVER;
	struct client *client, *following;

	TAILQ_FOREACH_SAFE (client, &control->clients, entry, following) {
		if (client->is_waiting && wait_is_over(control->router, &client->wait))
			end_wait(client, NULL);
		else if (client->is_waiting && mtime_reached(now, client->deadline))
			end_wait(client, "timed out");
		if (client->is_over)
			free_client(client);
		else if (client->is_waiting)
			next = mtime_min(next, client->deadline);
	}
	if (!mtime_is_never(next))
		loop_timer_set(control->timer, mtime_diff_ms(next, now) + 1);
}

/* A deadline came: control_turn, which follows, looks for it. */
static void
on_timer(void *arg)
{
	(void)arg;
}

/* ---- start and end --------------------------------------------------------------------------- */

static int
fill_address(const char *path, struct sockaddr_un *ret_address, struct error *err)
{
	*ret_address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(ret_address->sun_path))
		return error_set(err, -ENAMETOOLONG, "control socket %s: name is too long", path);
	memcpy(ret_address->sun_path, path, strlen(path));
	return 0;
}

/* Somebody answers there. */
static bool
is_alive(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool alive =
	    fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0;

	if (fd >= 0)
		close(fd);
	return alive;
}

static int
bind_socket(struct control *control, const struct sockaddr_un *address, struct error *err)
{
	mode_t old;
	int rc;

	if (is_alive(address))
		return error_set(err, -EADDRINUSE,
		    "control socket %s: another labrouter listens there", control->path);
	(void)unlink(control->path);
	control->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	old = umask(0077);
	rc = control->fd < 0 ||
	             bind(control->fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ||
	             listen(control->fd, 16) < 0
	         ? -errno
	         : 0;
	umask(old);
	return rc < 0 ? error_set(err, rc, "control socket %s: %s", control->path, strerror(-rc))
	              : 0;
}

int
control_new(
    struct labrouter *router, const char *path, struct control **ret_control, struct error *err)
{
	struct control *control = xcalloc(1, sizeof(*control));
	struct sockaddr_un address;
	int rc = fill_address(path, &address, err);

	control->router = router;
	control->path = xstrdup(path);
	control->fd = -1;
	TAILQ_INIT(&control->clients);
	control->timer = loop_timer_new(router->loop, on_timer, NULL);
	if (rc == 0)
		rc = bind_socket(control, &address, err);
	if (rc < 0) {
		if (control->fd >= 0)
			close(control->fd);
		loop_timer_free(control->timer);
		free(control->path);
		free(control);
		return rc;
	}
	control->handle = loop_fd_add(router->loop, control->fd, POLLIN, on_connection, control);
	*ret_control = control;
	return 0;
}

void
control_free(struct control *control)
{
	struct client *client;

	if (!control)
		return;
	while ((client = TAILQ_FIRST(&control->clients)))
		free_client(client);
	loop_fd_remove(control->handle);
	close(control->fd);
	(void)unlink(control->path);
	loop_timer_free(control->timer);
	free(control->path);
	free(control);
}

/* ---- client ---------------------------------------------------------------------------------- */

static void
put_word(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text == '\n' ? ' ' : *text, out);
	}
	fputc('"', out);
}

static int
print_answer(FILE *in)
{
	char *line = NULL;
	size_t capacity = 0;
	int code = -1;

	while (code < 0 && getline(&line, &capacity, in) > 0) {
		if (line[0] == ' ')
			fputs(line + 1, stdout);
		else if (strcmp(line, "ok\n") == 0)
			code = 0;
		else
			code = 1;
		if (code == 1)
			fprintf(stderr, "labrouter: %s", line);
	}
	free(line);
	if (code < 0)
		fputs("labrouter: the router ended before it answered\n", stderr);
	return code == 0 ? 0 : 1;
}

int
control_send(const char *path, char *const *words, size_t count)
{
	struct sockaddr_un address;
	struct error err;
	int fd = -1, code;
	FILE *stream;

	if (fill_address(path, &address, &err) < 0) {
		fprintf(stderr, "labrouter: %s\n", err.text);
		return 1;
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		fprintf(stderr, "labrouter: no router at %s: %s\n", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return 1;
	}
	stream = fdopen(fd, "r+");
	if (!stream)
		fatal("out of memory");
	for (size_t i = 0; i < count; i++) {
		put_word(stream, words[i]);
		fputc(i + 1 < count ? ' ' : '\n', stream);
	}
	fflush(stream);
	code = print_answer(stream);
	fclose(stream);
	return code;
}
