/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The log sink: standard error by default (in service a stream to the journal), a datagram socket
 * to the local syslog daemon, any function in tests. stdio and syslog(3) are not used because they
 * may block, and a log line must never delay a failover: what a socket, pipe or terminal does not
 * take at once is dropped, and the next line that it takes is preceded by how many were lost.
 *
 * A tag may have a level of its own, set while the program runs: a few of them in a small table
 * that is searched only when the table is not empty, so that a line that is not made costs next to
 * nothing.
 */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "mtime.h"

const char *const log_level_names[LOG_LEVEL_COUNT] = { "error", "warn", "info", "debug" };

const char *const log_tags[] = { "agent", "alarm", "bmp", "capacity", "commit", "decision", "drift",
	"freeze", "health", "northbound", "operator", "poll", "profile", "router", "signal", "ssh",
	"syslog", NULL };

/* A tag is shorter than TAG_SIZE, so that a line with its head fits into TEXT_SIZE. */
enum { TAG_LEVELS_MOST = 16, TAG_SIZE = 32, LINE_SIZE = 1024, TEXT_SIZE = LINE_SIZE + 176 };

struct tag_level {
	char tag[TAG_SIZE];
	enum log_level level;
};

/* The one global: the sink. */
static struct {
	enum log_level max_level;
	struct tag_level tags[TAG_LEVELS_MOST];
	size_t tag_count;
	log_sink_fn *fn; /* NULL: standard error */
	void *arg;       /* borrowed */
	int stderr_fd;   /* standard error opened anew, non-blocking; -1: not possible */
	int fd;          /* syslog socket, when fn is send_datagram */
	struct sockaddr_un address;
	char ident[32];
	uint64_t dropped; /* since the last line that was taken */
} sink = { .max_level = LOG_LEVEL_INFO, .stderr_fd = -1, .fd = -1 };

typedef bool give_fn(enum log_level level, const char *tag, const char *line);

/* taker: what the lines go to, for the one that tells of the loss. */
static void
pass_on(give_fn *give, const char *taker, enum log_level level, const char *tag, const char *line)
{
	char loss[80];

	if (sink.dropped > 0) {
		snprintf(loss, sizeof(loss), "%s did not take %" PRIu64 " line%s", taker,
		    sink.dropped, sink.dropped == 1 ? "" : "s");
		if (give(LOG_LEVEL_WARN, "agent", loss))
			sink.dropped = 0;
	}
	if (sink.dropped > 0 || !give(level, tag, line))
		sink.dropped++;
}

/* ---- standard error ---- */

/* The mode of the descriptor is not ours to change: it may be shared with whoever started us. But a
 * pipe or terminal can be opened once more, with a mode of its own. (A file cannot: it would be
 * written from its start.) */
static void
open_stderr(void)
{
	struct stat st;

	if (sink.stderr_fd >= 0)
		close(sink.stderr_fd);
	sink.stderr_fd = -1;
	if (fstat(STDERR_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || isatty(STDERR_FILENO)))
		sink.stderr_fd =
		    open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* A pipe is of another user, or there is no /proc: to ask for room first is nearly as good. Another
 * writer may take it, and a terminal's may be too little. */
static bool
try_write(const char *text, size_t size)
{
	struct pollfd room = { .fd = STDERR_FILENO, .events = POLLOUT };
	ssize_t n;

	if (sink.stderr_fd >= 0)
		return write(sink.stderr_fd, text, size) == (ssize_t)size;
	n = send(STDERR_FILENO, text, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0 && errno == ENOTSOCK && poll(&room, 1, 0) == 1 && (room.revents & POLLOUT))
		n = write(STDERR_FILENO, text, size);
	return n == (ssize_t)size;
}

static bool
give_to_stderr(enum log_level level, const char *tag, const char *line)
{
	char when[WALLCLOCK_TEXT_SIZE], text[TEXT_SIZE];
	int n = snprintf(text, sizeof(text), "%s %-5s %.*s: %s\n",
	    wallclock_format(wallclock_now_us(), when), log_level_names[level], TAG_SIZE - 1, tag,
	    line);

	return try_write(text, (size_t)n);
}

static void
write_stderr(enum log_level level, const char *tag, const char *line)
{
	pass_on(give_to_stderr, "standard error", level, tag, line);
}

/* ---- the syslog daemon ---- */

static int
connect_syslog(void)
{
	if (sink.fd < 0)
		sink.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sink.fd < 0)
		return -errno;
	return connect(sink.fd, (struct sockaddr *)&sink.address, sizeof(sink.address)) < 0 ? -errno
	                                                                                    : 0;
}

/* A daemon that began anew, or only now, has another socket at the same path. */
static bool
try_send(const char *text, size_t size)
{
	if (send(sink.fd, text, size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
		return true;
	if (errno == EAGAIN || errno == ENOBUFS)
		return false;
	return connect_syslog() == 0 && send(sink.fd, text, size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}

static bool
give_to_syslog(enum log_level level, const char *tag, const char *line)
{
	static const int severities[LOG_LEVEL_COUNT] = { 3, 4, 6, 7 }; /* RFC 5424, table 2 */
	enum { FACILITY_DAEMON = 3 };
	char text[TEXT_SIZE];
	int n = snprintf(text, sizeof(text), "<%d>%s[%d]: %.*s: %s",
	    FACILITY_DAEMON * 8 + severities[level], sink.ident, (int)getpid(), TAG_SIZE - 1, tag,
	    line);

	return try_send(text, (size_t)n);
}

static void
send_datagram(void *arg, enum log_level level, const char *tag, const char *line)
{
	(void)arg;
	pass_on(give_to_syslog, "the syslog socket", level, tag, line);
}

/* ---- what is logged ---- */

void
log_init(enum log_level max_level, log_sink_fn *fn, void *arg)
{
	sink.max_level = max_level;
	sink.fn = fn;
	sink.arg = arg;
	open_stderr();
}

void
log_set_level(enum log_level max_level)
{
	sink.max_level = max_level;
}

int
log_to_syslog(const char *path, const char *ident)
{
	sink.address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(sink.address.sun_path, sizeof(sink.address.sun_path), "%s", path);
	snprintf(sink.ident, sizeof(sink.ident), "%s", ident);
	sink.fn = send_datagram;
	return connect_syslog();
}

static struct tag_level *
find_tag(const char *tag)
{
	for (size_t i = 0; i < sink.tag_count; i++)
		if (strcmp(sink.tags[i].tag, tag) == 0)
			return &sink.tags[i];
	return NULL;
}

int
log_set_tag_level(const char *tag, enum log_level level)
{
	struct tag_level *entry = find_tag(tag);

	if (!*tag || strlen(tag) >= TAG_SIZE)
		return -EINVAL;
	if (level >= LOG_LEVEL_COUNT) {
		if (entry)
			*entry = sink.tags[--sink.tag_count];
		return 0;
	}
	if (!entry) {
		if (sink.tag_count == TAG_LEVELS_MOST)
			return -ENOSPC;
		entry = &sink.tags[sink.tag_count++];
		strcpy(entry->tag, tag);
	}
	entry->level = level;
	return 0;
}

static bool
is_wanted(enum log_level level, const char *tag)
{
	const struct tag_level *entry = sink.tag_count > 0 ? find_tag(tag) : NULL;

	return level <= (entry ? entry->level : sink.max_level);
}

static void
emit(enum log_level level, const char *tag, const char *fmt, va_list args)
{
	char line[LINE_SIZE];

	vsnprintf(line, sizeof(line), fmt, args);
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' '; /* what a router or an operator said stays one line */
	if (sink.fn)
		sink.fn(sink.arg, level, tag, line);
	else
		write_stderr(level, tag, line);
}

#define LOG_FUNCTION(name, level) \
	void name(const char *tag, const char *fmt, ...) \
	{ \
		va_list args; \
		if (!is_wanted((level), tag)) \
			return; \
		va_start(args, fmt); \
		emit((level), tag, fmt, args); \
		va_end(args); \
	}

/* clang-format off */
LOG_FUNCTION(log_error, LOG_LEVEL_ERROR)
LOG_FUNCTION(log_warn, LOG_LEVEL_WARN)
LOG_FUNCTION(log_info, LOG_LEVEL_INFO)
LOG_FUNCTION(log_debug, LOG_LEVEL_DEBUG)
/* clang-format on */
