/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tagged log lines: log_info("health", "element %s: up -> down, reason: %s", ...).
 * The sink never blocks: standard error or datagrams to /dev/log; what neither takes at once is
 * dropped and counted. This sink is the one global of the program. The core (ranks 1-3) does not
 * log; it hands reasons up.
 */
#ifndef AUTOFBF_LOG_H
#define AUTOFBF_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
	LOG_LEVEL_COUNT
};

extern const char *const log_level_names[LOG_LEVEL_COUNT]; /* "error" .. "debug" */

/* All tags in use, sorted, NULL at the end: kinds of records, sources, and parts of the agent. A
 * test reads the sources to keep it complete. */
extern const char *const log_tags[];

/* A sink takes one finished line without newline; tests install their own. */
typedef void log_sink_fn(void *arg, enum log_level level, const char *tag, const char *line);

/* Lines above max_level are not made, but for tags that have a level of their own. sink NULL:
 * standard error, as it is now, with a time stamp. */
void log_init(enum log_level max_level, log_sink_fn *sink, void *arg);
/* Another max_level; the sink stays. */
void log_set_level(enum log_level max_level);
/* From now on send to the local syslog daemon (RFC 3164 datagrams to path, "/dev/log"), also after
 * it began anew; what it does not take at once is lost, which a later line says. 0, or -errno when
 * nobody is there yet: the daemon is looked for again with each line. */
int log_to_syslog(const char *path, const char *ident);
/* One tag's own level, at run time, above or below max_level; level LOG_LEVEL_COUNT: as all others
 * again. log_init leaves it. 0; -EINVAL: no tag, or one of more than 31 bytes; -ENOSPC: 16 tags
 * have a level already. */
int log_set_tag_level(const char *tag, enum log_level level);

void log_error(const char *tag, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_warn(const char *tag, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_info(const char *tag, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_debug(const char *tag, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
