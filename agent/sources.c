/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The listeners together: which of them the profile wants, started in order, and torn down as one.
 * The meaning of bytes is in bmp.c and syslogmsg.c; how they arrive is in sources_bmp.c,
 * sources_syslog.c and sources_tcp.c. Whatever arrives becomes an event with its time of arrival
 * and goes up through one callback; nothing here knows what an element is.
 */
#include "sources.h"

#include <stdlib.h>

#include "sources_bmp.h"
#include "sources_internal.h"
#include "sources_syslog.h"

struct sources {
	struct source bmp, syslog;
	struct tcp_server bmp_server, syslog_server;
	struct datagram_server syslog_datagrams;
};

static int
start(struct sources *sources, struct event_base *base, const struct profile *profile,
    struct error *err)
{
	int rc = 0;

	if (profile->bmp.enabled)
		rc = tcp_server_start(
		    &sources->bmp_server, base, &sources->bmp, &source_bmp_handler, err);
	if (rc == 0 && profile->syslog.enabled)
		rc = tcp_server_start(
		    &sources->syslog_server, base, &sources->syslog, &source_syslog_handler, err);
	if (rc == 0 && profile->syslog.enabled)
		rc = datagram_server_start(&sources->syslog_datagrams, base, &sources->syslog, err);
	return rc;
}

int
sources_new(struct event_base *base, const struct profile *profile, source_event_fn *fn, void *arg,
    struct sources **ret_sources, struct error *err)
{
	struct sources *sources = xcalloc(1, sizeof(*sources));
	int rc;

	source_init(&sources->bmp, SOURCE_BMP, profile, fn, arg);
	source_init(&sources->syslog, SOURCE_SYSLOG, profile, fn, arg);
	rc = start(sources, base, profile, err);
	if (rc < 0) {
		sources_free(sources);
		return rc;
	}
	*ret_sources = sources;
	return 0;
}

void
sources_free(struct sources *sources)
{
	if (!sources)
		return;
	tcp_server_stop(&sources->bmp_server);
	tcp_server_stop(&sources->syslog_server);
	datagram_server_stop(&sources->syslog_datagrams);
	free(sources);
}

const struct source_counters *
sources_get_counters(const struct sources *sources, enum event_source which)
{
	return which == SOURCE_BMP ? &sources->bmp.counters : &sources->syslog.counters;
}
