/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent: everything joined. main.c makes one and runs the loop. */
#ifndef AUTOFBF_AGENT_H
#define AUTOFBF_AGENT_H

#include "error.h"
#include "profile.h"

struct event_base;
struct agent;

struct agent_options {
	const char *profile_path; /* borrowed; for status only */
	const char *socket_path;  /* borrowed */
	const char *state_dir;    /* borrowed */
	const char *yang_dir;     /* borrowed */
};

/* Starts listeners, sessions and the northbound socket. profile is borrowed for the agent's life.
 * 0, or -errno with err; then nothing is left running. */
int agent_new(struct event_base *base, const struct profile *profile,
    const struct agent_options *options, struct agent **ret_agent, struct error *err);
/* Closes sessions and sockets; nothing is changed on the router (fail static). */
void agent_free(struct agent *agent);

#endif
