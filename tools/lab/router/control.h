/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The control socket (UNIX, stream, mode 0600) and its client. A request is a line of words
 * (commands.h). The answer is any number of lines that begin with a blank, then one that says "ok"
 * or "error TEXT". Several requests may follow each other on a connection.
 */
#ifndef LABROUTER_CONTROL_H
#define LABROUTER_CONTROL_H

#include "error.h"

struct control;
struct labrouter;

/* A socket that nobody listens on any more is replaced. 0, or -errno with err. */
int control_new(
    struct labrouter *router, const char *path, struct control **ret_control, struct error *err);
void control_free(struct control *control); /* removes the socket; NULL is fine */
/* Once per turn of the loop: answers those whose wait is over. */
void control_turn(struct control *control);

/* The client: sends words, prints the data, returns an exit code (0 ok, 1 error or no router). */
int control_send(const char *path, char *const *words, size_t count);

#endif
