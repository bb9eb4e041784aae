/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libssh keeps sessions in a poll set of its own (ssh_event) and calls back from deep inside it, at
 * times even from a write. This loop puts every other descriptor into the same set, but only notes
 * there that one is ready; the functions are called after libssh has returned. So nothing is ever
 * removed from the set while libssh walks it, and no reply is written from inside a callback: both
 * were seen to corrupt data or memory.
 *
 * Timers are few (a dozen), so they are a list that is walked.
 */
#include "loop.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "error.h"

enum { MAX_SLEEP_MS = 60 * 1000 };

struct loop_fd {
	TAILQ_ENTRY(loop_fd) entry;
	struct loop *loop; /* borrowed */
	int fd;
	short events, ready;
	bool is_dead; /* removed, freed at the end of the turn */
	loop_fd_fn *fn;
	void *arg;
};

struct loop_timer {
	TAILQ_ENTRY(loop_timer) entry;
	struct loop *loop; /* borrowed */
	struct mtime at;
	loop_timer_fn *fn;
	void *arg;
};

struct loop {
	ssh_event event; /* owned */
	TAILQ_HEAD(loop_fd_list, loop_fd) fds;
	TAILQ_HEAD(loop_timer_list, loop_timer) timers;
	loop_timer_fn *turn;
	void *turn_arg;
	bool is_stopped;
};

struct loop *
loop_new(void)
{
	struct loop *loop = xcalloc(1, sizeof(*loop));

	loop->event = ssh_event_new();
	if (!loop->event)
		fatal("out of memory");
	TAILQ_INIT(&loop->fds);
	TAILQ_INIT(&loop->timers);
	return loop;
}

void
loop_free(struct loop *loop)
{
	struct loop_fd *fd;

	if (!loop)
		return;
	while ((fd = TAILQ_FIRST(&loop->fds))) {
		TAILQ_REMOVE(&loop->fds, fd, entry);
		if (!fd->is_dead)
			ssh_event_remove_fd(loop->event, fd->fd);
		free(fd);
	}
	ssh_event_free(loop->event);
	free(loop);
}

/* Inside libssh: only take note. */
static int
note_ready(socket_t fd, int revents, void *arg)
{
	struct loop_fd *handle = arg;

	(void)fd;
	handle->ready |= (short)revents;
	return 0;
}

struct loop_fd *
loop_fd_add(struct loop *loop, int fd, short events, loop_fd_fn *fn, void *arg)
{
	struct loop_fd *handle = xcalloc(1, sizeof(*handle));

	*handle =
	    (struct loop_fd){ .loop = loop, .fd = fd, .events = events, .fn = fn, .arg = arg };
	if (ssh_event_add_fd(loop->event, fd, events, note_ready, handle) != SSH_OK)
		fatal("cannot watch a descriptor");
	TAILQ_INSERT_TAIL(&loop->fds, handle, entry);
	return handle;
}

void
loop_fd_set_events(struct loop_fd *handle, short events)
{
	if (handle->events == events)
		return;
	handle->events = events;
	ssh_event_remove_fd(handle->loop->event, handle->fd);
	if (ssh_event_add_fd(handle->loop->event, handle->fd, events, note_ready, handle) != SSH_OK)
		fatal("cannot watch a descriptor");
}

void
loop_fd_remove(struct loop_fd *handle)
{
	if (!handle || handle->is_dead)
		return;
	ssh_event_remove_fd(handle->loop->event, handle->fd);
	handle->is_dead = true;
}

struct loop_timer *
loop_timer_new(struct loop *loop, loop_timer_fn *fn, void *arg)
{
	struct loop_timer *timer = xcalloc(1, sizeof(*timer));

	*timer = (struct loop_timer){ .loop = loop, .at = MTIME_NEVER, .fn = fn, .arg = arg };
	TAILQ_INSERT_TAIL(&loop->timers, timer, entry);
	return timer;
}

void
loop_timer_set(struct loop_timer *timer, int64_t delay_ms)
{
	timer->at = mtime_add_ms(mtime_now(), delay_ms);
}

void
loop_timer_stop(struct loop_timer *timer)
{
	timer->at = MTIME_NEVER;
}

void
loop_timer_free(struct loop_timer *timer)
{
	if (!timer)
		return;
	TAILQ_REMOVE(&timer->loop->timers, timer, entry);
	free(timer);
}

int
loop_session_add(struct loop *loop, ssh_session session)
{
	return ssh_event_add_session(loop->event, session) == SSH_OK ? 0 : -1;
}

void
loop_session_remove(struct loop *loop, ssh_session session)
{
	ssh_event_remove_session(loop->event, session);
}

void
loop_set_turn(struct loop *loop, loop_timer_fn *fn, void *arg)
{
	loop->turn = fn;
	loop->turn_arg = arg;
}

/* Milliseconds until the next timer, rounded up so that it is due when we wake. */
static int
sleep_ms(const struct loop *loop)
{
	struct mtime next = MTIME_NEVER, now = mtime_now();
	const struct loop_timer *timer;

	TAILQ_FOREACH (timer, &loop->timers, entry)
		next = mtime_min(next, timer->at);
	if (mtime_reached(now, next))
		return 0;
	if (mtime_is_never(next) || mtime_diff_ms(next, now) >= MAX_SLEEP_MS)
		return MAX_SLEEP_MS;
	return (int)((next.us - now.us + 999) / 1000);
}

static void
run_fds(struct loop *loop)
{
	struct loop_fd *fd, *next;

	/* A function may add handles (at the tail) and mark others dead, but never frees one. */
	TAILQ_FOREACH (fd, &loop->fds, entry) {
		short ready = fd->ready;

		fd->ready = 0;
		if (ready && !fd->is_dead)
			fd->fn(fd->arg, fd->fd, ready);
	}
	TAILQ_FOREACH_SAFE (fd, &loop->fds, entry, next) {
		if (!fd->is_dead)
			continue;
		TAILQ_REMOVE(&loop->fds, fd, entry);
		free(fd);
	}
}

/* One due timer at a time: its function may free any timer. */
static void
run_timers(struct loop *loop)
{
	struct mtime now = mtime_now();
	struct loop_timer *timer;

again:
	TAILQ_FOREACH (timer, &loop->timers, entry) {
		if (!mtime_reached(now, timer->at))
			continue;
		timer->at = MTIME_NEVER;
		timer->fn(timer->arg);
		goto again;
	}
}

void
loop_run(struct loop *loop)
{
	while (!loop->is_stopped) {
		ssh_event_dopoll(loop->event, sleep_ms(loop));
		run_fds(loop);
		run_timers(loop);
		if (loop->turn)
			loop->turn(loop->turn_arg);
	}
}

void
loop_stop(struct loop *loop)
{
	loop->is_stopped = true;
}
