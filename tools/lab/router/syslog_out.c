/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The words are those of real routers: rpd's neighbour line with its event, bfdd's chain of two
 * lines (state change with diagnostics, then the trap), mgd's commit lines. A BFD session that goes
 * because BGP went first says AdminDown and "Received Upstream Destroy Session".
 *
 * TCP is connected on first use and again after it broke; while it connects, lines are dropped and
 * counted, as a router's own queue would overflow.
 */
#include "syslog_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "address.h"
#include "log.h"
#include "mtime.h"

enum { LINE_SIZE = 1024, FACILITY_DAEMON = 3, FACILITY_LOCAL7 = 23, WARNING = 4, NOTICE = 5 };

const char *const syslog_format_names[SYSLOG_FORMAT_COUNT] = { "bsd", "dated", "priority",
	"structured" };

struct syslog_out {
	struct syslog_out_options options; /* the texts are borrowed */
	struct sockaddr_storage collector;
	socklen_t collector_size;
	struct sockaddr_storage source;
	socklen_t source_size; /* 0: whatever the kernel takes */
	int fd;                /* -1: none */
	bool is_on;
	uint64_t sent, dropped;
};

/* Who says what, before the text. data: SD parameters, "" for none. */
struct line {
	const char *daemon, *tag, *data;
	unsigned facility, severity, pid;
};

static void
format_time(const struct syslog_out *out, char *buf, size_t size)
{
	int64_t us = wallclock_now_us();
	time_t seconds = (time_t)(us / 1000000);
	unsigned ms = (unsigned)(us / 1000 % 1000);
	struct tm tm;
	size_t used;

	gmtime_r(&seconds, &tm);
	if (out->options.format == SYSLOG_STRUCTURED)
		used = strftime(buf, size, "%Y-%m-%dT%H:%M:%S", &tm);
	else
		used = strftime(buf, size, "%b %e %H:%M:%S", &tm);
	if (out->options.format == SYSLOG_DATED)
		(void)snprintf(buf + used, size - used, ".%03u %d ", ms, tm.tm_year + 1900);
	else if (out->options.format == SYSLOG_STRUCTURED)
		(void)snprintf(buf + used, size - used, ".%03uZ", ms);
	else /* Junos writes two blanks before the name */
		(void)snprintf(buf + used, size - used, " ");
}

/* UDP stays unconnected: a connected socket would lose a line to the error of the one before. */
static void
open_socket(struct syslog_out *out)
{
	int type = out->options.use_tcp ? SOCK_STREAM : SOCK_DGRAM;

	out->fd = socket(out->collector.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (out->fd >= 0 && out->source_size > 0 &&
	    bind(out->fd, (struct sockaddr *)&out->source, out->source_size) < 0)
		log_warn("syslog", "cannot use the source address: %s", strerror(errno));
	if (out->fd >= 0 && out->options.use_tcp &&
	    connect(out->fd, (struct sockaddr *)&out->collector, out->collector_size) < 0 &&
	    errno != EINPROGRESS)
		syslog_out_restart(out);
}

static ssize_t
send_record(struct syslog_out *out, const char *text, size_t size)
{
	if (out->fd < 0)
		return -1;
	if (out->options.use_tcp)
		return send(out->fd, text, size, MSG_NOSIGNAL);
	return sendto(out->fd, text, size, MSG_NOSIGNAL, (struct sockaddr *)&out->collector,
	    out->collector_size);
}

static void
transmit(struct syslog_out *out, const char *text, size_t size)
{
	ssize_t n;

	if (out->fd < 0)
		open_socket(out);
	n = send_record(out, text, size);
	if (n == (ssize_t)size) {
		out->sent++;
		return;
	}
	out->dropped++;
	/* Half a record on a stream, or a dead connection: begin anew. */
	if (out->options.use_tcp && (n >= 0 || errno != EAGAIN))
		syslog_out_restart(out);
}

static void
send_line(struct syslog_out *out, const struct line *line, const char *text)
{
	unsigned priority = line->facility * 8 + line->severity;
	const char *host = out->options.hostname;
	char time_text[64], record[LINE_SIZE];
	int size;

	if (!out->is_on)
		return;
	format_time(out, time_text, sizeof(time_text));
	if (out->options.format == SYSLOG_STRUCTURED)
		size = snprintf(record, sizeof(record), "<%u>1 %s %s %s %u %s %s%s%s %s", priority,
		    time_text, host, line->daemon, line->pid, line->tag,
		    *line->data ? "[junos@2636.1.1.1.2.142 " : "-", line->data,
		    *line->data ? "]" : "", text);
	else if (out->options.format == SYSLOG_PRIORITY)
		size = snprintf(record, sizeof(record), "<%u>%s %s %s[%u]: %%%s-%u-%s: %s",
		    priority, time_text, host, line->daemon, line->pid,
		    line->facility == FACILITY_DAEMON ? "DAEMON" : "INTERACT", line->severity,
		    line->tag, text);
	else
		size = snprintf(record, sizeof(record), "<%u>%s %s %s[%u]: %s: %s", priority,
		    time_text, host, line->daemon, line->pid, line->tag, text);
	if (size >= (int)sizeof(record) - 1)
		size = sizeof(record) - 2;
	if (out->options.use_tcp)
		record[size++] = '\n';
	transmit(out, record, (size_t)size);
}

/* ---- BFD ------------------------------------------------------------------------------------- */

static void
tell_bfd_state(struct syslog_out *out, const struct peer *peer, unsigned discriminator)
{
	char address[IP_TEXT_SIZE], text[LINE_SIZE / 2];
	struct line line = { "bfdd", "BFDD_STATE_UP_TO_DOWN", "", FACILITY_DAEMON, WARNING, 7549 };

	(void)snprintf(text, sizeof(text),
	    "BFD Session %s (IFL %u) state Up -> Down LD/RD(%u/%u) Up time:00:01:00 Local diag: %s "
	    "Remote diag: None Reason: %s.",
	    ip_format(&peer->address, address), discriminator + 300, discriminator,
	    discriminator + 4096, peer->bfd_was_admin ? "AdminDown" : "CtlExpire",
	    peer->bfd_was_admin ? "Received Upstream Destroy Session" : "Detect Timer Expiry");
	send_line(out, &line, text);
}

/* The trap comes for "down" and for "admin down" (Junos System Log Messages Reference). */
static void
tell_bfd_trap(struct syslog_out *out, const struct peer *peer, unsigned discriminator)
{
	bool up = peer->bfd == PEER_BFD_UP;
	const char *state = up ? "up" : peer->bfd_was_admin ? "admin down" : "down";
	char address[IP_TEXT_SIZE], text[LINE_SIZE / 2], data[LINE_SIZE / 4];
	struct line line = { "bfdd", up ? "BFDD_TRAP_SHOP_STATE_UP" : "BFDD_TRAP_SHOP_STATE_DOWN",
		data, FACILITY_DAEMON, up ? NOTICE : WARNING, 7549 };

	ip_format(&peer->address, address);
	(void)snprintf(data, sizeof(data),
	    "session-id=\"%u\" state=\"%s\" pip-interface=\"%s\" remote-peer=\"%s\"", discriminator,
	    state, peer->interface, address);
	(void)snprintf(text, sizeof(text),
	    "local discriminator: %u, new state: %s, interface: %s, peer addr: %s", discriminator,
	    state, peer->interface, address);
	send_line(out, &line, text);
}

static void
tell_bfd(struct syslog_out *out, const struct peer *before, const struct peer *now)
{
	bool was_up = before->bfd == PEER_BFD_UP, up = now->bfd == PEER_BFD_UP;
	unsigned discriminator =
	    16 + now->address.bytes[now->address.family == FAMILY_IPV4 ? 2 : 5];

	if (was_up == up)
		return;
	if (was_up)
		tell_bfd_state(out, now, discriminator);
	tell_bfd_trap(out, now, discriminator);
}

/* ---- BGP ------------------------------------------------------------------------------------- */

static const char *const down_events[PEER_CAUSE_COUNT] = { "Stop", "BfdDown", "HoldTime", "Stop",
	"RecvNotify", "TransportError", "Stop" };

static void
tell_bgp(struct syslog_out *out, const struct peer *before, const struct peer *now)
{
	bool up = now->bgp == PEER_ESTABLISHED;
	const char *from = up ? "OpenConfirm" : peer_bgp_names[before->bgp];
	const char *event = up ? "RecvKeepAlive" : down_events[now->last_cause];
	char address[IP_TEXT_SIZE], text[LINE_SIZE / 2], data[LINE_SIZE / 4];
	struct line line = { "rpd", "RPD_BGP_NEIGHBOR_STATE_CHANGED", data, FACILITY_DAEMON,
		WARNING, 7538 };

	if ((before->bgp == PEER_ESTABLISHED) == up)
		return;
	ip_format(&now->address, address);
	(void)snprintf(data, sizeof(data),
	    "peer-name=\"%s\" old-state=\"%s\" new-state=\"%s\" event-type=\"%s\"", address, from,
	    peer_bgp_names[now->bgp], event);
	(void)snprintf(text, sizeof(text),
	    "BGP peer %s (External AS %u) changed state from %s to %s (event %s) (instance %s)",
	    address, now->as, from, peer_bgp_names[now->bgp], event, now->instance);
	send_line(out, &line, text);
}

static void
on_change(void *arg, const struct peer *before, const struct peer *now)
{
	struct syslog_out *out = arg;

	if (!before)
		return;
	if (before->bfd != now->bfd)
		tell_bfd(out, before, now);
	if (before->bgp != now->bgp)
		tell_bgp(out, before, now);
}

/* ---- from outside ---------------------------------------------------------------------------- */

void
syslog_out_committed(struct syslog_out *out, const struct database_change *change)
{
	struct line line = { "mgd", "UI_COMMIT_COMPLETED", "", FACILITY_LOCAL7, NOTICE, 7729 };
	char text[LINE_SIZE / 2];

	if (!change->instance) {
		send_line(out, &line, "commit complete");
		return;
	}
	line.tag = "UI_EPHEMERAL_COMMIT";
	(void)snprintf(text, sizeof(text),
	    "User '%s' has requested commit on '%s' ephemeral database",
	    change->user ? change->user : "root", change->instance);
	send_line(out, &line, text);
	line.tag = "UI_EPHEMERAL_COMMIT_COMPLETED";
	(void)snprintf(
	    text, sizeof(text), "commit complete on '%s' ephemeral database", change->instance);
	send_line(out, &line, text);
}

void
syslog_out_line(struct syslog_out *out, const char *text)
{
	struct line line = { "test", "TEST_LINE", "", FACILITY_DAEMON, NOTICE, 1 };

	send_line(out, &line, text);
}

void
syslog_out_set(struct syslog_out *out, bool is_on)
{
	out->is_on = is_on;
}

void
syslog_out_restart(struct syslog_out *out)
{
	if (out->fd >= 0)
		close(out->fd);
	out->fd = -1;
}

int
syslog_out_set_source(struct syslog_out *out, const char *address, struct error *err)
{
	int rc =
	    address_parse_source(address, &out->collector, &out->source, &out->source_size, err);

	if (rc == 0)
		syslog_out_restart(out);
	return rc;
}

uint64_t
syslog_out_sent(const struct syslog_out *out)
{
	return out->sent;
}

uint64_t
syslog_out_dropped(const struct syslog_out *out)
{
	return out->dropped;
}

int
syslog_out_new(struct peer_table *table, const struct syslog_out_options *options,
    struct syslog_out **ret_out, struct error *err)
{
	struct syslog_out *out = xcalloc(1, sizeof(*out));
	int rc = address_parse(options->collector, &out->collector, &out->collector_size, err);

	if (rc < 0) {
		free(out);
		return rc;
	}
	out->options = *options;
	out->fd = -1;
	out->is_on = true;
	if (options->use_tcp)
		open_socket(out);
	peer_table_observe(table, on_change, out);
	*ret_out = out;
	return 0;
}

void
syslog_out_free(struct syslog_out *out)
{
	if (!out)
		return;
	syslog_out_restart(out);
	free(out);
}
