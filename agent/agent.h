/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent: everything joined. main.c makes one and runs the loop. */
#ifndef AUTOFBF_AGENT_H
#define AUTOFBF_AGENT_H

#include <stdbool.h>

#include "error.h"
#include "profile.h"

struct event_base;
struct agent;

struct agent_options {
	const char *profile_path; /* borrowed; also read and written when the profile changes */
	const char *socket_path;  /* borrowed */
	const char *state_dir;    /* borrowed */
	const char *yang_dir;     /* borrowed */
	bool debug;               /* log everything, whatever the profile says */
};

/* Starts listeners, sessions and the northbound socket. profile is the agent's from now on, also
 * after a failure. 0, or -errno with err; then nothing is left running. */
int agent_new(struct event_base *base, struct profile *profile, const struct agent_options *options,
    struct agent **ret_agent, struct error *err);
/* Reads the profile's file again and runs what it says now, or goes on as before; either is
 * recorded. */
void agent_reload(struct agent *agent);
/* Closes sessions and sockets; nothing is changed on the router (fail static). */
void agent_free(struct agent *agent);

#endif
