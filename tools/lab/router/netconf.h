/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * NETCONF sessions over the SSH channels: hello, framing, requests in order, replies, and the
 * faults that the control socket armed.
 */
#ifndef LABROUTER_NETCONF_H
#define LABROUTER_NETCONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"
#include "faults.h"

struct labrouter;
struct netconf;
struct sshd_callbacks;

/* transcript: every request is appended to this file; NULL: none. base_1_1: offer chunked framing.
 */
int netconf_new(struct labrouter *router, bool base_1_1, const char *transcript,
    struct netconf **ret_netconf, struct error *err);
void netconf_free(struct netconf *netconf);
/* What sshd needs to hand its channels to us. */
void netconf_get_callbacks(struct netconf *netconf, struct sshd_callbacks *ret_callbacks);

/* Sessions that have said hello. */
size_t netconf_session_count(const struct netconf *netconf);
/* Sessions whose request waits in a pause at this step; STEP_ANY: any. */
size_t netconf_paused_count(const struct netconf *netconf, enum step step);
/* Lets every paused request go on. Returns how many there were. */
size_t netconf_resume(struct netconf *netconf);
/* Cuts the session with that number; 0: all. Returns how many. */
size_t netconf_cut(struct netconf *netconf, uint32_t session);
/* Writes one line per session, and one per recent request (oldest first). */
void netconf_print_sessions(const struct netconf *netconf, FILE *out);
void netconf_print_log(const struct netconf *netconf, FILE *out);
uint64_t netconf_request_count(const struct netconf *netconf);

#endif
