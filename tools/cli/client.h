/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A conversation with the agent: NETCONF over its UNIX socket, by libnetconf2. Every step has a
 * deadline, so that a hung agent costs three seconds; where the router is asked they begin when the
 * agent itself would have given up.
 */
#ifndef AUTOFBF_CLIENT_H
#define AUTOFBF_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "profile.h"
#include "profile_file.h"

struct client;
struct lyd_node;

/* Long: answers as large as a layout. Router: the agent has to ask the router first. */
enum client_patience { CLIENT_SHORT, CLIENT_LONG, CLIENT_ROUTER };

/* 0, or an exit code (enum exit_code) with err. */
int client_open(
    const char *socket_path, const char *yang_dir, struct client **ret_client, struct error *err);
void client_close(struct client *client);
/* For calls with CLIENT_ROUTER: the agent answers them after so long at most. */
void client_await_router(struct client *client, uint64_t ms);

/* Container state. Valid until client_close. */
int client_get_state(struct client *client, const struct lyd_node **ret_state, struct error *err);
/* What the agent runs; the caller frees it. */
int client_get_profile(struct client *client, struct profile **ret_profile, struct error *err);
/* An RPC of our module to add input to; client_call takes it. */
struct lyd_node *client_rpc(struct client *client, const char *name);
/* One input leaf. False: the model refuses the value. */
bool client_input(struct lyd_node *rpc, const char *leaf, const char *value);
/* The text of a profile. EXIT_USAGE with err: more than an agent takes, or no text. */
int client_input_profile(struct lyd_node *rpc, const struct profile_file *file, struct error *err);
/* Instead of client_call. */
void client_drop(struct lyd_node *rpc);
/* Opens, calls, complains and closes; for commands that need one call. use gets the output before
 * the connection is closed and returns the exit code; NULL: nothing to use. */
struct arguments;
int client_run(const struct arguments *arguments,
    struct lyd_node *(*make)(struct client *client, const struct arguments *arguments),
    enum client_patience patience,
    int (*use)(const struct arguments *arguments, const struct lyd_node *output));
/* The same for commands that show the state; show returns the exit code. */
int client_show(const struct arguments *arguments,
    int (*show)(const struct arguments *arguments, const struct lyd_node *state));
/* ret_output (may be NULL): the RPC's node with the output below it. Valid until client_close. */
int client_call(struct client *client, struct lyd_node *rpc, enum client_patience patience,
    const struct lyd_node **ret_output, struct error *err);
int client_subscribe(struct client *client, struct error *err);
/* Waits for ever. The event belongs to the caller (lyd_free_all). */
int client_next_event(struct client *client, struct lyd_node **ret_event, struct error *err);

#endif
