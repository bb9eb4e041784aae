/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lab router's loop: poll(2), timers, and a function that runs once in every turn. Every
 * function given here may add and remove descriptors and timers, itself included.
 */
#ifndef LABROUTER_LOOP_H
#define LABROUTER_LOOP_H

#include <stdint.h>

#include "mtime.h"

struct loop;
struct loop_fd;
struct loop_timer;

/* revents as poll(2) gives them. */
typedef void loop_fd_fn(void *arg, int fd, short revents);
typedef void loop_timer_fn(void *arg);

struct loop *loop_new(void);
void loop_free(struct loop *loop);

/* events: POLLIN, POLLOUT. The descriptor stays the caller's: remove before closing it. */
struct loop_fd *loop_fd_add(struct loop *loop, int fd, short events, loop_fd_fn *fn, void *arg);
void loop_fd_set_events(struct loop_fd *handle, short events);
void loop_fd_remove(struct loop_fd *handle); /* NULL is fine */

/* A timer that is not armed; it fires once per loop_timer_set. */
struct loop_timer *loop_timer_new(struct loop *loop, loop_timer_fn *fn, void *arg);
void loop_timer_set(struct loop_timer *timer, int64_t delay_ms); /* from now */
void loop_timer_stop(struct loop_timer *timer);
void loop_timer_free(struct loop_timer *timer); /* NULL is fine */

/* fn runs once in every turn, after descriptors and timers: for work that libssh's callbacks
 * queued. */
void loop_set_turn(struct loop *loop, loop_timer_fn *fn, void *arg);
/* Runs until loop_stop. */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);

#endif
