/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A non-blocking SSH server on libssh. The rules that make it sound were found by breaking it:
 * - libssh calls back from inside its own reads and writes, so a callback only queues bytes or sets
 * a flag, and sshd_turn does the work;
 * - every connection has a poll set of its own (ssh_event), because libssh also polls from inside a
 *   write, and an error of any session in the set makes that write fail;
 * - a connection is freed only after the peer has closed the channel (or two seconds), because
 *   freeing drops what libssh still buffers;
 * - TCP_NODELAY is set, else every small exchange costs 40 ms.
 *
 * Limits: connections, bytes waiting for a slow reader, authentication attempts and the time until
 * the subsystem is asked for. What the bytes mean is the business of netconf.c.
 */
#define _GNU_SOURCE /* accept4 */
#include "sshd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libssh/callbacks.h>
#include <libssh/server.h>

#include "address.h"
#include "log.h"
#include "mtime.h"

enum {
	MAX_OUT = 256 << 20,
	WRITE_STEP = 256 * 1024,
	MAX_ATTEMPTS = 6,
	LOGIN_MS = 30 * 1000,
	LINGER_MS = 2000,
	READS_MAX = 64, /* of 4 KiB, before others have their turn */
	USER_SIZE = 64
};

struct buffer {
	char *bytes; /* owned */
	size_t start, size, capacity;
};

struct sshd_channel {
	TAILQ_ENTRY(sshd_channel) entry;
	struct sshd *sshd;      /* borrowed */
	ssh_session session;    /* owned */
	ssh_event event;        /* owned: holds this session only */
	struct loop_fd *handle; /* NULL: disconnected */
	ssh_channel channel;    /* the session's */
	struct ssh_server_callbacks_struct server_callbacks;
	struct ssh_channel_callbacks_struct channel_callbacks;
	char user[USER_SIZE];
	void *owner; /* of the user of this file; NULL before the subsystem */
	struct buffer in, out;
	unsigned attempts;
	bool has_subsystem, is_authenticated;
	bool peer_closed; /* the client closed its channel or ended its input */
	bool is_closing, is_closed_here, is_cut;
	struct mtime deadline; /* of login, or of the peer's close */
};

struct sshd {
	struct loop *loop; /* borrowed */
	struct sshd_callbacks callbacks;
	char *password; /* owned; NULL: none */
	unsigned max_connections;
	ssh_key *keys; /* owned: who may come in */
	size_t key_count;
	ssh_bind bind; /* owned: carries the host key */
	int listen_fd;
	bool is_listening;
	struct loop_fd *listen_handle;
	struct loop_timer *timer; /* wakes the loop for deadlines */
	TAILQ_HEAD(sshd_channel_list, sshd_channel) channels;
	unsigned count;
};

/* ---- bytes ----------------------------------------------------------------------------------- */

static void
buffer_add(struct buffer *buffer, const void *data, size_t size)
{
	if (buffer->start > 0 && buffer->start == buffer->size)
		buffer->start = buffer->size = 0;
	if (buffer->size + size > buffer->capacity) {
		buffer->capacity = (buffer->size + size) * 2;
		buffer->bytes = xreallocarray(buffer->bytes, buffer->capacity, 1);
	}
	memcpy(buffer->bytes + buffer->size, data, size);
	buffer->size += size;
}

void
sshd_send(struct sshd_channel *channel, const char *data, size_t size)
{
	if (channel->is_closing || channel->is_cut)
		return;
	if (channel->out.size - channel->out.start + size > MAX_OUT) {
		log_warn("ssh", "a client does not read its replies: cut off");
		channel->is_cut = true;
		return;
	}
	buffer_add(&channel->out, data, size);
}

void
sshd_close(struct sshd_channel *channel)
{
	channel->is_closing = true;
}

void
sshd_cut(struct sshd_channel *channel)
{
	channel->is_cut = true;
}

/* ---- inside libssh: take note, no more ------------------------------------------------------- */

static int
on_password(ssh_session session, const char *user, const char *password, void *arg)
{
	struct sshd_channel *channel = arg;

	(void)session;
	channel->attempts++;
	if (!channel->sshd->password || strcmp(password, channel->sshd->password) != 0)
		return SSH_AUTH_DENIED;
	(void)snprintf(channel->user, sizeof(channel->user), "%s", user);
	channel->is_authenticated = true;
	return SSH_AUTH_SUCCESS;
}

static int
on_public_key(
    ssh_session session, const char *user, struct ssh_key_struct *key, char state, void *arg)
{
	struct sshd_channel *channel = arg;
	const struct sshd *sshd = channel->sshd;

	(void)session;
	channel->attempts++;
	for (size_t i = 0; i < sshd->key_count; i++) {
		if (ssh_key_cmp(sshd->keys[i], key, SSH_KEY_CMP_PUBLIC) != 0)
			continue;
		if (state == SSH_PUBLICKEY_STATE_NONE)
			return SSH_AUTH_SUCCESS; /* a question: would this key do? */
		if (state != SSH_PUBLICKEY_STATE_VALID)
			return SSH_AUTH_DENIED;
		(void)snprintf(channel->user, sizeof(channel->user), "%s", user);
		channel->is_authenticated = true;
		return SSH_AUTH_SUCCESS;
	}
	return SSH_AUTH_DENIED;
}

static int
on_data(ssh_session session, ssh_channel ch, void *data, uint32_t size, int is_stderr, void *arg)
{
	struct sshd_channel *channel = arg;

	(void)session;
	(void)ch;
	if (!is_stderr && channel->has_subsystem)
		buffer_add(&channel->in, data, size);
	return (int)size;
}

static void
on_end(ssh_session session, ssh_channel ch, void *arg)
{
	struct sshd_channel *channel = arg;

	(void)session;
	(void)ch;
	channel->peer_closed = true;
}

static int
on_subsystem(ssh_session session, ssh_channel ch, const char *name, void *arg)
{
	struct sshd_channel *channel = arg;

	(void)session;
	(void)ch;
	if (strcmp(name, "netconf") != 0 || channel->has_subsystem)
		return SSH_ERROR;
	channel->has_subsystem = true;
	return SSH_OK;
}

static ssh_channel
on_channel(ssh_session session, void *arg)
{
	struct sshd_channel *channel = arg;

	if (channel->channel || !channel->is_authenticated)
		return NULL;
	channel->channel = ssh_channel_new(session);
	if (!channel->channel)
		return NULL;
	channel->channel_callbacks = (struct ssh_channel_callbacks_struct){ .userdata = channel,
		.channel_data_function = on_data,
		.channel_eof_function = on_end,
		.channel_close_function = on_end,
		.channel_subsystem_request_function = on_subsystem };
	ssh_callbacks_init(&channel->channel_callbacks);
	ssh_set_channel_callbacks(channel->channel, &channel->channel_callbacks);
	return channel->channel;
}

/* ---- connections ----------------------------------------------------------------------------- */

static void
free_channel(struct sshd_channel *channel)
{
	struct sshd *sshd = channel->sshd;

	TAILQ_REMOVE(&sshd->channels, channel, entry);
	sshd->count--;
	loop_fd_remove(channel->handle);
	ssh_event_remove_session(channel->event, channel->session);
	ssh_event_free(channel->event);
	ssh_silent_disconnect(channel->session);
	ssh_free(channel->session);
	free(channel->in.bytes);
	free(channel->out.bytes);
	free(channel);
}

/* Bytes may come or go: let libssh work, which calls the functions above. */
static void
on_ready(void *arg, int fd, short revents)
{
	struct sshd_channel *channel = arg;
	int unread = 0;

	(void)revents;
	for (int i = 0; i < READS_MAX; i++) {
		(void)ssh_event_dopoll(channel->event, 0);
		if (!ssh_is_connected(channel->session) || ioctl(fd, FIONREAD, &unread) < 0 ||
		    unread == 0)
			break;
	}
	if (!ssh_is_connected(channel->session)) { /* libssh may have closed fd */
		loop_fd_remove(channel->handle);
		channel->handle = NULL;
	}
}

static void
set_callbacks(struct sshd_channel *channel)
{
	channel->server_callbacks = (struct ssh_server_callbacks_struct){ .userdata = channel,
		.auth_password_function = on_password,
		.auth_pubkey_function = on_public_key,
		.channel_open_request_session_function = on_channel };
	ssh_callbacks_init(&channel->server_callbacks);
	ssh_set_server_callbacks(channel->session, &channel->server_callbacks);
	ssh_set_auth_methods(channel->session,
	    SSH_AUTH_METHOD_PUBLICKEY | (channel->sshd->password ? SSH_AUTH_METHOD_PASSWORD : 0));
}

static void
start_connection(struct sshd *sshd, int fd)
{
	struct sshd_channel *channel = xcalloc(1, sizeof(*channel));

	channel->sshd = sshd;
	channel->session = ssh_new();
	channel->event = ssh_event_new();
	channel->deadline = mtime_add_ms(mtime_now(), LOGIN_MS);
	TAILQ_INSERT_TAIL(&sshd->channels, channel, entry);
	sshd->count++;
	if (!channel->session || !channel->event)
		fatal("out of memory");
	if (ssh_bind_accept_fd(sshd->bind, channel->session, fd) != SSH_OK) {
		log_warn("ssh", "cannot take a connection: %s", ssh_get_error(sshd->bind));
		if (ssh_get_fd(channel->session) != fd)
			close(fd);
		free_channel(channel);
		return;
	}
	set_callbacks(channel);
	ssh_set_blocking(channel->session, 0);
	(void)ssh_handle_key_exchange(channel->session); /* goes on in the loop */
	ssh_event_add_session(channel->event, channel->session);
	channel->handle = loop_fd_add(sshd->loop, fd, POLLIN | POLLOUT, on_ready, channel);
}

static void
on_connection(void *arg, int listen_fd, short revents)
{
	struct sshd *sshd = arg;
	int fd, on = 1;

	(void)revents;
	while ((fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		if (!sshd->is_listening || sshd->count >= sshd->max_connections) {
			close(fd);
			continue;
		}
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		start_connection(sshd, fd);
	}
}

static void
write_out(struct sshd_channel *channel)
{
	struct buffer *out = &channel->out;

	while (out->start < out->size) {
		size_t step = out->size - out->start;
		int rc = ssh_channel_write(channel->channel, out->bytes + out->start,
		    (uint32_t)(step < WRITE_STEP ? step : WRITE_STEP));

		if (rc == SSH_ERROR)
			channel->is_cut = true;
		if (rc <= 0)
			break;
		out->start += (size_t)rc;
	}
}

/* All is sent: end our side, then wait for the peer's close. */
static void
close_here(struct sshd_channel *channel)
{
	ssh_channel_request_send_exit_status(channel->channel, 0);
	ssh_channel_send_eof(channel->channel);
	ssh_channel_close(channel->channel);
	channel->is_closed_here = true;
	channel->deadline = mtime_add_ms(mtime_now(), LINGER_MS);
}

static void
hand_in(struct sshd_channel *channel)
{
	struct sshd *sshd = channel->sshd;
	struct buffer in = channel->in;

	if (channel->has_subsystem && !channel->owner) {
		channel->deadline = MTIME_NEVER;
		channel->owner =
		    sshd->callbacks.on_open(sshd->callbacks.arg, channel, channel->user);
	}
	if (in.size == 0)
		return;
	channel->in = (struct buffer){ 0 };
	if (!channel->is_closing)
		sshd->callbacks.on_data(channel->owner, in.bytes, in.size);
	free(in.bytes);
}

static bool
is_over(const struct sshd_channel *channel, struct mtime now)
{
	if (channel->is_cut || !ssh_is_connected(channel->session) ||
	    channel->attempts > MAX_ATTEMPTS || mtime_reached(now, channel->deadline))
		return true;
	return channel->peer_closed && (channel->is_closed_here || !channel->owner);
}

static void
turn_channel(struct sshd_channel *channel, struct mtime now)
{
	struct sshd *sshd = channel->sshd;

	if (!channel->is_cut) /* also what came with the end: it was sent before */
		hand_in(channel);
	if (!channel->is_cut && channel->channel && !channel->is_closed_here) {
		write_out(channel);
		if (channel->peer_closed)
			channel->is_closing = true;
		if (channel->is_closing && channel->out.start == channel->out.size)
			close_here(channel);
	}
	if (!is_over(channel, now)) {
		loop_fd_set_events(channel->handle,
		    ssh_get_poll_flags(channel->session) & SSH_WRITE_PENDING ? POLLIN | POLLOUT
		                                                             : POLLIN);
		return;
	}
	if (channel->owner)
		sshd->callbacks.on_close(channel->owner);
	free_channel(channel);
}

static struct mtime
next_deadline(const struct sshd *sshd)
{
	struct mtime next = MTIME_NEVER;
	const struct sshd_channel *channel;

	TAILQ_FOREACH (channel, &sshd->channels, entry)
		next = mtime_min(next, channel->deadline);
	return next;
}

/* Something came in, or the session was ended by another, after the channel's turn. */
static bool
has_work(const struct sshd_channel *channel)
{
	bool can_close = channel->is_closing && !channel->is_closed_here &&
	                 channel->out.start == channel->out.size;

	return channel->is_cut || channel->in.size > 0 || can_close ||
	       (channel->has_subsystem && !channel->owner) ||
	       (channel->peer_closed && !channel->is_closing);
}

/* Serving one channel can give work to others whose turn is over (libssh calls back from inside its
 * writes, kill-session), and their sockets will not tell of it: they need another turn at once. */
static struct mtime
next_turn(const struct sshd *sshd, struct mtime now)
{
	const struct sshd_channel *channel;

	TAILQ_FOREACH (channel, &sshd->channels, entry)
		if (has_work(channel))
			return now;
	return next_deadline(sshd);
}

void
sshd_turn(struct sshd *sshd)
{
	struct sshd_channel *channel, *following;
	struct mtime now = mtime_now(), next;

	TAILQ_FOREACH_SAFE (channel, &sshd->channels, entry, following)
		turn_channel(channel, now);
	next = next_turn(sshd, now);
	if (!mtime_is_never(next))
		loop_timer_set(sshd->timer, next.us > now.us ? mtime_diff_ms(next, now) + 1 : 0);
}

void
sshd_drop_all(struct sshd *sshd)
{
	struct sshd_channel *channel;

	TAILQ_FOREACH (channel, &sshd->channels, entry)
		channel->is_cut = true;
}

void
sshd_set_listening(struct sshd *sshd, bool is_on)
{
	sshd->is_listening = is_on;
}

/* ---- start and end --------------------------------------------------------------------------- */

int
sshd_set_host_key(struct sshd *sshd, const char *path, struct error *err)
{
	ssh_bind fresh = ssh_bind_new();
	ssh_key key = NULL;
	bool no_config = false;

	if (!fresh)
		fatal("out of memory");
	if (ssh_pki_import_privkey_file(path, NULL, NULL, NULL, &key) != SSH_OK ||
	    ssh_bind_options_set(fresh, SSH_BIND_OPTIONS_PROCESS_CONFIG, &no_config) != SSH_OK ||
	    ssh_bind_options_set(fresh, SSH_BIND_OPTIONS_IMPORT_KEY, key) != SSH_OK) {
		ssh_key_free(key);
		ssh_bind_free(fresh);
		return error_set(err, -EINVAL,
		    "host key %s: cannot be read as a private key; make one with "
		    "ssh-keygen -t ed25519 -N '' -f %s",
		    path, path);
	}
	ssh_bind_free(sshd->bind);
	sshd->bind = fresh;
	return 0;
}

static int
add_key(struct sshd *sshd, char *line)
{
	char *rest = line, *type = strsep(&rest, " \t"), *data = strsep(&rest, " \t\r\n");
	ssh_key key = NULL;

	if (!data ||
	    ssh_pki_import_pubkey_base64(data, ssh_key_type_from_name(type), &key) != SSH_OK)
		return -EINVAL;
	sshd->keys = xreallocarray(sshd->keys, sshd->key_count + 1, sizeof(ssh_key));
	sshd->keys[sshd->key_count++] = key;
	return 0;
}

static int
read_keys(struct sshd *sshd, const char *path, struct error *err)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t capacity = 0;
	unsigned number = 0;
	int rc = 0;

	if (!file)
		return error_set(err, -errno, "authorized keys %s: %s", path, strerror(errno));
	while (rc == 0 && getline(&line, &capacity, file) > 0) {
		number++;
		if (*line != '#' && *line != '\n' && add_key(sshd, line) < 0)
			rc = error_set(err, -EINVAL,
			    "%s:%u: not a public key (TYPE BASE64 COMMENT)", path, number);
	}
	free(line);
	fclose(file);
	return rc;
}

static int
start_listening(struct sshd *sshd, const char *where, struct error *err)
{
	sshd->listen_fd = address_listen(where, err);
	if (sshd->listen_fd < 0)
		return sshd->listen_fd;
	sshd->is_listening = true;
	sshd->listen_handle = loop_fd_add(sshd->loop, sshd->listen_fd, POLLIN, on_connection, sshd);
	return 0;
}

/* A deadline came: the turn that follows every timer does the work. */
static void
on_timer(void *arg)
{
	(void)arg;
}

int
sshd_new(struct loop *loop, const struct sshd_options *options, const char *host_key,
    const struct sshd_callbacks *callbacks, struct sshd **ret_sshd, struct error *err)
{
	struct sshd *sshd = xcalloc(1, sizeof(*sshd));
	int rc;

	sshd->loop = loop;
	sshd->callbacks = *callbacks;
	sshd->password = options->password ? xstrdup(options->password) : NULL;
	sshd->max_connections = options->max_connections;
	sshd->listen_fd = -1;
	sshd->timer = loop_timer_new(loop, on_timer, NULL);
	TAILQ_INIT(&sshd->channels);
	rc = sshd_set_host_key(sshd, host_key, err);
	if (rc == 0 && options->authorized_keys)
		rc = read_keys(sshd, options->authorized_keys, err);
	if (rc == 0)
		rc = start_listening(sshd, options->listen, err);
	if (rc < 0) {
		sshd_free(sshd);
		return rc;
	}
	*ret_sshd = sshd;
	return 0;
}

void
sshd_free(struct sshd *sshd)
{
	struct sshd_channel *channel;

	if (!sshd)
		return;
	while ((channel = TAILQ_FIRST(&sshd->channels)))
		free_channel(channel);
	loop_fd_remove(sshd->listen_handle);
	if (sshd->listen_fd >= 0)
		close(sshd->listen_fd);
	for (size_t i = 0; i < sshd->key_count; i++)
		ssh_key_free(sshd->keys[i]);
	free(sshd->keys);
	ssh_bind_free(sshd->bind);
	loop_timer_free(sshd->timer);
	free(sshd->password);
	free(sshd);
}

uint16_t
sshd_port(const struct sshd *sshd)
{
	return address_port(sshd->listen_fd);
}
