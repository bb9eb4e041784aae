/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The listeners together: which of them the profile wants, started in order, and torn down as one.
 * For another profile a second set is made beside the first: it binds what differs, which may fail,
 * and takes over what does not, sessions and all, which may not. Nothing of the first is stopped
 * before all of the second is bound, so there is nothing to restore when that fails; where the new
 * listener's address takes in the old one's (127.0.0.1 and 0.0.0.0), or BMP and syslog exchange
 * their ports, both share the port for that moment.
 * The meaning of bytes is in bmp.c and syslogmsg.c; how they arrive is in sources_bmp.c,
 * sources_syslog.c and sources_tcp.c. Whatever arrives becomes an event with its time of arrival
 * and goes up through one callback; nothing here knows what an element is.
 */
#include "sources.h"

#include <event2/listener.h>
#include <stdlib.h>

#include "sources_bmp.h"
#include "sources_internal.h"
#include "sources_syslog.h"

struct sources {
	struct source bmp, syslog;
	struct tcp_server *bmp_server,
	    *syslog_server;                       /* owned; NULL: not wanted, or not yet ours */
	struct datagram_server *syslog_datagrams; /* owned; likewise */
};

static int
start_tcp(struct event_base *base, struct source *source, const struct tcp_handler *handler,
    struct tcp_server **ret_server, struct error *err)
{
	struct tcp_server *server = xcalloc(1, sizeof(*server));
	int rc = tcp_server_start(server, base, source, handler, err);

	if (rc == 0)
		*ret_server = server;
	else
		free(server);
	return rc;
}

static int
start_datagrams(struct event_base *base, struct source *source, struct datagram_server **ret_server,
    struct error *err)
{
	struct datagram_server *server = xcalloc(1, sizeof(*server));
	int rc = datagram_server_start(server, base, source, err);

	if (rc == 0)
		*ret_server = server;
	else
		free(server);
	return rc;
}

static bool
is_same(const struct profile_listener *a, const struct profile_listener *b)
{
	return a->enabled == b->enabled && a->port == b->port &&
	       ip_compare(&a->address, &b->address) == 0;
}

/* It has a listener to start, and nobody has it already. */
static bool
is_wanted(const struct source *source, const struct source *standing)
{
	return source->listener->enabled &&
	       (!standing || !is_same(source->listener, standing->listener));
}

static void
share_tcp(const struct tcp_server *server, bool shared)
{
	if (server)
		source_share_port(evconnlistener_get_fd(server->listener), shared);
}

/* The ports of those listeners that the other set does not have. */
static void
share_ports(const struct sources *sources, const struct sources *other, bool shared)
{
	if (!is_same(sources->bmp.listener, other->bmp.listener))
		share_tcp(sources->bmp_server, shared);
	if (is_same(sources->syslog.listener, other->syslog.listener))
		return;
	share_tcp(sources->syslog_server, shared);
	if (sources->syslog_datagrams)
		source_share_port(sources->syslog_datagrams->fd, shared);
}

static int
start(struct sources *sources, struct event_base *base, const struct sources *standing,
    struct error *err)
{
	bool is_syslog = is_wanted(&sources->syslog, standing ? &standing->syslog : NULL);
	int rc = 0;

	if (is_wanted(&sources->bmp, standing ? &standing->bmp : NULL))
		rc = start_tcp(base, &sources->bmp, &source_bmp_handler, &sources->bmp_server, err);
	if (rc == 0 && is_syslog)
		rc = start_tcp(
		    base, &sources->syslog, &source_syslog_handler, &sources->syslog_server, err);
	if (rc == 0 && is_syslog)
		rc = start_datagrams(base, &sources->syslog, &sources->syslog_datagrams, err);
	return rc;
}

static int
start_beside(struct sources *sources, struct event_base *base, const struct sources *standing,
    struct error *err)
{
	int rc;

	sources->bmp.standing = sources->syslog.standing = standing->bmp.profile;
	share_ports(standing, sources, true);
	rc = start(sources, base, standing, err);
	share_ports(standing, sources, false);
	share_ports(sources, standing, false);
	sources->bmp.standing = sources->syslog.standing = NULL;
	return rc;
}

int
sources_new(struct event_base *base, const struct profile *profile, const struct sources *standing,
    source_event_fn *fn, void *arg, struct sources **ret_sources, struct error *err)
{
	struct sources *sources = xcalloc(1, sizeof(*sources));
	int rc;

	source_init(&sources->bmp, SOURCE_BMP, profile, fn, arg);
	source_init(&sources->syslog, SOURCE_SYSLOG, profile, fn, arg);
	rc =
	    standing ? start_beside(sources, base, standing, err) : start(sources, base, NULL, err);
	if (rc < 0) {
		sources_free(sources);
		return rc;
	}
	*ret_sources = sources;
	return 0;
}

static void
take_tcp(struct tcp_server **server, struct tcp_server **from, struct source *source)
{
	if (!*from)
		return;
	*server = *from;
	*from = NULL;
	(*server)->source = source;
	tcp_server_review(*server, mtime_now());
}

/* The old sessions are gone with their listener. */
static void
tell_lost(struct source *source)
{
	struct event event = {
		.kind = EVENT_SOURCE_LOST,
		.source = source->which,
		.established_s = -1,
		.at = mtime_now(),
	};

	source->counters.connected = false;
	source->fn(source->arg, &event);
}

static void
take_counters(struct source *source, const struct source *from)
{
	const struct mtime listens_since = source->counters.word_at;

	source->counters = from->counters;
	if (!is_same(source->listener, from->listener))
		source->counters.word_at = listens_since;
	source->foreign = from->foreign;
	source->garbage = from->garbage;
	source->crowd = from->crowd;
}

void
sources_inherit(struct sources *sources, struct sources *from)
{
	take_counters(&sources->bmp, &from->bmp);
	take_counters(&sources->syslog, &from->syslog);
	if (is_same(sources->bmp.listener, from->bmp.listener))
		take_tcp(&sources->bmp_server, &from->bmp_server, &sources->bmp);
	else if (sources->bmp.counters.connected)
		tell_lost(&sources->bmp);
	if (!is_same(sources->syslog.listener, from->syslog.listener)) {
		if (sources->syslog_datagrams && from->syslog_datagrams)
			datagram_server_empty(from->syslog_datagrams, &sources->syslog);
		return;
	}
	take_tcp(&sources->syslog_server, &from->syslog_server, &sources->syslog);
	sources->syslog_datagrams = from->syslog_datagrams;
	from->syslog_datagrams = NULL;
	if (sources->syslog_datagrams)
		sources->syslog_datagrams->source = &sources->syslog;
}

void
sources_free(struct sources *sources)
{
	if (!sources)
		return;
	if (sources->bmp_server)
		tcp_server_stop(sources->bmp_server);
	if (sources->syslog_server)
		tcp_server_stop(sources->syslog_server);
	if (sources->syslog_datagrams)
		datagram_server_stop(sources->syslog_datagrams);
	free(sources->bmp_server);
	free(sources->syslog_server);
	free(sources->syslog_datagrams);
	free(sources);
}

const struct source_counters *
sources_get_counters(const struct sources *sources, enum event_source which)
{
	return which == SOURCE_BMP ? &sources->bmp.counters : &sources->syslog.counters;
}
