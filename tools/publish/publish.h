/* SPDX-License-Identifier: BSD-3-Clause */
/* autofbf-publish as one object: main.c makes it, runs the loop, and frees it. */
#ifndef AUTOFBF_PUBLISH_PUBLISH_H
#define AUTOFBF_PUBLISH_PUBLISH_H

#include <stdbool.h>

#include "error.h"

struct event_base;

struct publish_options {
	const char *socket_path;
	const char *yang_dir;
	const char *agentx_socket; /* NULL: no SNMP */
	const char *http;          /* ADDRESS:PORT or unix:PATH; NULL: no HTTP */
	unsigned interval_s;
};

struct publish;

/* 0, or -errno with err: something to listen on, or the modules, are not there. An absent agent or
 * master agent is no error. */
int publish_new(struct event_base *base, const struct publish_options *options,
    struct publish **ret_publish, struct error *err);
void publish_free(struct publish *publish);

#endif
