/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the control commands share: a call, its words, the functions of the table. */
#ifndef LABROUTER_COMMAND_CALL_H
#define LABROUTER_COMMAND_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "commands.h"
#include "error.h"
#include "router.h"

enum { WORDS_MAX = 256 };

struct call {
	struct labrouter *router;
	char *words[WORDS_MAX]; /* words[0] is the command */
	size_t count;
	FILE *out;
	struct wait *wait;
	struct error *err;
};

/* commands.c */
int call_usage(const struct call *call);                      /* "wrong words" */
const char *call_word(const struct call *call, size_t index); /* "" past the end */
bool call_is(const struct call *call, size_t index, const char *text);
int call_number(const struct call *call, size_t index, uint64_t *ret_number);

/* The commands: 0, -errno with err, or 1: wait. */
int run_status(struct call *call);
int run_sessions(struct call *call);
int run_log(struct call *call);
int run_peers(struct call *call);
int run_merged(struct call *call);
int run_candidate(struct call *call);
int run_ephemeral(struct call *call);
int run_static(struct call *call);
int run_peer(struct call *call);
int run_rpd(struct call *call);
int run_reboot(struct call *call);
int run_lock(struct call *call);
int run_pause(struct call *call);
int run_resume(struct call *call);
int run_fault(struct call *call);
int run_drop(struct call *call);
int run_bmp(struct call *call);
int run_syslog(struct call *call);
int run_exported(struct call *call);
int run_routes(struct call *call);
int run_route(struct call *call);
int run_source(struct call *call);
int run_forwarding(struct call *call);
int run_counters(struct call *call);
int run_traffic(struct call *call);
int run_wait(struct call *call);

#endif
