/* SPDX-License-Identifier: BSD-3-Clause */
/* One packet through the filters of one interface: which term decides, and what else would have. */
#ifndef AUTOFBF_CLI_TRACE_FILTER_H
#define AUTOFBF_CLI_TRACE_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "prefix.h"
#include "trace_config.h"
#include "trace_texts.h"

struct trace_packet {
	struct ip source, destination; /* of one family */
};

/* All pointers are borrowed from the configuration. */
struct trace_hit {
	const struct trace_filter *filter;
	const struct trace_term *term; /* NULL: no term matches, the filter's end discards */
	enum trace_field field;        /* by which address; of what has an item only */
	const char *list;              /* NULL: the term has the prefix itself, or no address */
	bool has_item, ephemeral;
	struct prefix item;
};

struct trace_filtered {
	struct trace_hit hit;
	struct trace_hit *others; /* owned; later terms that would send it elsewhere, in order */
	size_t other_count;
	struct trace_texts assumed; /* terms passed over for conditions that are no addresses */
	struct trace_texts doubts;
};

/* The terms of all filters of the binding, one after the other. A term with conditions beyond
 * addresses is taken for one that an ordinary packet does not match, and told in assumed.
 * trace_filtered_done(ret_filtered) afterwards. */
void trace_filter_walk(const struct trace_config *config, const struct trace_binding *binding,
    const struct trace_packet *packet, struct trace_filtered *ret_filtered);
void trace_filtered_done(struct trace_filtered *filtered);

#endif
