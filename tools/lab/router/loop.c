/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plain poll(2) loop. Descriptors are few (sessions, sockets), so the poll set is made anew in
 * each turn; timers are fewer, so they are a list that is walked. A handle that is removed while
 * the functions run is only marked, and freed at the end of the turn.
 *
 * libssh's own loop (ssh_event) is not used for this: with several sessions in one poll set, the
 * broken connection of one client made a write to another one fail.
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
	TAILQ_HEAD(loop_fd_list, loop_fd) fds;
	TAILQ_HEAD(loop_timer_list, loop_timer) timers;
	loop_timer_fn *turn;
	void *turn_arg;
	struct pollfd *polled; /* owned: the set of this turn */
	size_t fd_count;
	bool is_stopped;
};

struct loop *
loop_new(void)
{
	struct loop *loop = xcalloc(1, sizeof(*loop));

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
		free(fd);
	}
	free(loop->polled);
	free(loop);
}

struct loop_fd *
loop_fd_add(struct loop *loop, int fd, short events, loop_fd_fn *fn, void *arg)
{
	struct loop_fd *handle = xcalloc(1, sizeof(*handle));

	*handle =
	    (struct loop_fd){ .loop = loop, .fd = fd, .events = events, .fn = fn, .arg = arg };
	loop->fd_count++;
	TAILQ_INSERT_TAIL(&loop->fds, handle, entry);
	return handle;
}

void
loop_fd_set_events(struct loop_fd *handle, short events)
{
	handle->events = events;
}

void
loop_fd_remove(struct loop_fd *handle)
{
	if (handle)
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

/* Waits, and notes what is ready. A descriptor that was closed in the meantime is not ours any
 * more. */
static void
poll_fds(struct loop *loop)
{
	struct loop_fd *fd;
	size_t i = 0;

	loop->polled = xreallocarray(loop->polled, loop->fd_count + 1, sizeof(*loop->polled));
	TAILQ_FOREACH (fd, &loop->fds, entry)
		loop->polled[i++] =
		    (struct pollfd){ .fd = fd->is_dead ? -1 : fd->fd, .events = fd->events };
	if (poll(loop->polled, i, sleep_ms(loop)) <= 0)
		return;
	i = 0;
	TAILQ_FOREACH (fd, &loop->fds, entry)
		fd->ready = loop->polled[i++].revents;
}

static void
run_fds(struct loop *loop)
{
	struct loop_fd *fd, *next;

	/* A function may add handles (at the tail, not ready) and mark others dead. */
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
		loop->fd_count--;
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
		poll_fds(loop);
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
