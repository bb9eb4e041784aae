/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operations of a Junos NETCONF server: one element in, the inside of an <rpc-reply> out.
 * Payload is in release-dated namespaces, NETCONF's own elements carry the prefix nc.
 */
#ifndef LABROUTER_RPC_H
#define LABROUTER_RPC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <libxml/tree.h>

#include "faults.h"

struct labrouter;

struct rpc {
	struct labrouter *router;
	uint32_t session;
	const char *user;
	const xmlNode *op;         /* the operation's element */
	const struct fault *fault; /* FAULT_ERROR, _WARNING, _FULL change the answer */
	FILE *out;
	bool has_failed;        /* an error was written */
	bool ends_session;      /* out: close after the reply */
	uint32_t kills_session; /* out: 0 or the session to end */
};

enum step rpc_step(const char *operation);
void rpc_execute(struct rpc *rpc);

/* An rpc-error; any of tag, path, element may be NULL. message is escaped here. */
struct rpc_error {
	const char *type, *tag, *severity, *path, *message, *element;
};
void rpc_put_error(FILE *out, const struct rpc_error *error);
/* severity error, type protocol, tag operation-failed. */
void rpc_fail(struct rpc *rpc, const char *message, const char *element);
/* Text with &, <, > and quotes escaped. */
void rpc_put_text(FILE *out, const char *text);

/* show.c: operational state. False: not one of its operations. */
bool show_execute(struct rpc *rpc);
enum step show_step(const char *operation); /* STEP_OTHER: not one of them */
/* show_routes.c: get-route-information; inputs table, destination, exact,
 * active-path. */
void show_routes(struct rpc *rpc);
/* show_counters.c: get-interface-information (interface-name, terse, brief, statistics, detail,
 * extensive), get-firewall-information, get-firewall-filter-information (filtername, counter). */
void show_interfaces(struct rpc *rpc);
void show_firewall(struct rpc *rpc);
void show_firewall_filter(struct rpc *rpc);

#endif
