/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The protocol that FRR's own shell speaks to a daemon: a command and a zero byte there; text,
 * three zero bytes and a status byte back. A connection begins without privileges and wants
 * `enable` once. vtysh itself would cost 25 ms of start-up for every question.
 *
 * Waits, but never for long: the caller's loop stands still meanwhile.
 */
#include "vty.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { REST_MS = 1000, TRAILER = 4, ANSWER_MAX = 16 << 20 };

struct vty {
	char *path;
	int fd; /* -1: not connected */
	struct mtime retry_at;
};

struct answer {
	char *text;
	size_t size, capacity;
};

struct vty *
vty_new(const char *path)
{
	struct vty *vty = xcalloc(1, sizeof(*vty));

	vty->path = xstrdup(path);
	vty->fd = -1;
	return vty;
}

static void
hang_up(struct vty *vty)
{
	if (vty->fd >= 0)
		close(vty->fd);
	vty->fd = -1;
}

void
vty_free(struct vty *vty)
{
	if (!vty)
		return;
	hang_up(vty);
	free(vty->path);
	free(vty);
}

static int
wait_until(const struct vty *vty, struct mtime deadline)
{
	struct pollfd pfd = { .fd = vty->fd, .events = POLLIN };
	int64_t left = mtime_diff_ms(deadline, mtime_now());
	int ready = left > 0 ? poll(&pfd, 1, (int)left + 1) : 0;

	if (ready < 0)
		return errno == EINTR ? 0 : -errno;
	return ready == 0 ? -ETIMEDOUT : 0;
}

static bool
is_complete(const struct answer *answer)
{
	return answer->size >= TRAILER &&
	       !memcmp(answer->text + answer->size - TRAILER, "\0\0\0", TRAILER - 1);
}

static int
read_some(const struct vty *vty, struct answer *answer)
{
	ssize_t size;

	if (answer->capacity - answer->size < 4096) {
		answer->capacity = answer->capacity ? 2 * answer->capacity : 65536;
		answer->text = xreallocarray(answer->text, answer->capacity, 1);
	}
	size = recv(
	    vty->fd, answer->text + answer->size, answer->capacity - answer->size, MSG_DONTWAIT);
	if (size > 0)
		answer->size += (size_t)size;
	if (size == 0)
		return -ECONNRESET;
	if (answer->size > ANSWER_MAX)
		return -EMSGSIZE;
	return size < 0 && errno != EAGAIN && errno != EINTR ? -errno : 0;
}

static int
exchange(const struct vty *vty, const char *command, struct mtime deadline, struct answer *answer)
{
	size_t size = strlen(command) + 1;
	ssize_t sent = send(vty->fd, command, size, MSG_NOSIGNAL | MSG_DONTWAIT);
	int rc = sent == (ssize_t)size ? 0 : sent < 0 ? -errno : -EIO;

	answer->size = 0;
	while (!rc && !is_complete(answer)) {
		rc = wait_until(vty, deadline);
		if (!rc)
			rc = read_some(vty, answer);
	}
	return rc;
}

static int
dial(struct vty *vty, struct mtime deadline, struct answer *answer)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(vty->path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, vty->path, strlen(vty->path));
	vty->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (vty->fd < 0 || connect(vty->fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return exchange(vty, "enable", deadline, answer);
}

int
vty_ask(struct vty *vty, const char *command, int timeout_ms, char **ret_text, struct error *err)
{
	struct mtime now = mtime_now(), deadline = mtime_add_ms(now, timeout_ms);
	struct answer answer = { 0 };
	int rc = 0;

	if (!mtime_reached(now, vty->retry_at))
		return error_set(err, -EAGAIN, "%s: did not answer a moment ago", vty->path);
	if (vty->fd < 0)
		rc = dial(vty, deadline, &answer);
	if (!rc)
		rc = exchange(vty, command, deadline, &answer);
	if (rc) {
		hang_up(vty);
		free(answer.text);
		vty->retry_at = mtime_add_ms(mtime_now(), REST_MS);
		return error_set(err, rc, "%s: %s", vty->path, strerror(-rc));
	}
	answer.text[answer.size - TRAILER] = '\0';
	*ret_text = answer.text;
	return 0;
}
