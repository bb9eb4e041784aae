/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of reading a configuration share: trace_read.c the document, lists, interfaces and
 * routing, trace_read_filter.c the filters. */
#ifndef AUTOFBF_CLI_TRACE_READ_H
#define AUTOFBF_CLI_TRACE_READ_H

#include "trace_config.h"
#include "trace_xml.h"

struct reading {
	struct trace_config *config;
	bool ephemeral;
	size_t known_filters, known_bindings; /* of earlier documents: only these are met again */
};

extern const char *const trace_junos_families[FAMILY_COUNT]; /* "inet", "inet6" */

/* [edit firewall] */
void trace_read_firewall(const struct reading *reading, const xmlNode *firewall);

#endif
