/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NETCONF server on the UNIX socket (RFC 6241, base:1.0 and 1.1, RFC 5277 notifications): reads
 * from a status picture, hands operations to agent.c. Envelope by libxml2, payload by libyang. Peers
 * are known by SO_PEERCRED and SO_PEERGROUPS. A bad, slow or silent peer disturbs nobody else.
 */
#ifndef AUTOFBF_NORTHBOUND_H
#define AUTOFBF_NORTHBOUND_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "history.h"
#include "layout.h"
#include "plan.h"
#include "status.h"

struct event_base;
struct northbound;

/* What northbound asks of the agent. All answers are values or borrowed until the loop goes on. */
struct northbound_operations {
	const struct status *(*status)(void *arg);
	const struct profile *(*profile)(void *arg);
	/* The space and the standing (down == NULL) or a hypothetical layout (healthy set = what is
	 * healthy now minus down). *ret_owned: the caller frees *ret_layout with layout_free. */
	int (*layout)(void *arg, size_t group, enum family family, const char *const *down,
	    size_t down_count, const struct layout **ret_layout, bool *ret_owned, struct error *err);
	/* Effective owner of each unit by the router's lists; borrowed; NULL: not read yet. */
	const uint8_t *(*effective)(void *arg, size_t group, enum family family);
	/* offline/online. -ENOENT: unknown name (err lists what exists); -EPERM: refused, with the
	 * remedy. All names or none. */
	int (*set_offline)(void *arg, const char *const *names, size_t count, bool offline,
	    const char *who, const char *reason, struct error *err);
	/* group NULL: all. */
	int (*set_freeze)(void *arg, const char *group, bool freeze, const char *who,
	    const char *reason, struct error *err);
	int (*audit)(void *arg, const char *who, struct error *err);
	/* have -> want of the override lists; ret_plan borrows; valid until the loop goes on. -EAGAIN:
	 * not read yet. */
	int (*diff)(void *arg, struct plan *ret_plan, struct error *err);
	struct history *(*history)(void *arg);
	void *arg;
};

/* Binds path (0666). A socket nobody listens on is replaced; a live one is -EADDRINUSE. yang_dir
 * holds our module. 0, or -errno with err. */
int northbound_new(struct event_base *base, const char *path, const char *yang_dir,
    const struct northbound_operations *operations, struct northbound **ret_northbound,
    struct error *err);
void northbound_free(struct northbound *northbound); /* unlinks the socket */
/* A record was added: to subscribers as a notification. */
void northbound_notify(struct northbound *northbound, const struct history_record *record);

#endif
