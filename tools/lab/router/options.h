/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of labrouter. */
#ifndef LABROUTER_OPTIONS_H
#define LABROUTER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bmp_out.h"
#include "policy.h"
#include "syslog_out.h"

struct options {
	const char *config, *listen, *host_key, *authorized_keys, *password;
	const char *control, *journal, *transcript;
	const char *hostname, *release;
	const char *bmp, *syslog, *source, *frr;
	enum bmp_habit bmp_habit;
	uint32_t bmp_repeat_ms, bmp_retry_ms;
	enum syslog_format syslog_format;
	bool syslog_tcp;
	bool base_1_1, simulate, forwarding, verbose;
	uint32_t skew_ms, max_sessions, peer_age_s;
	char **peers; /* owned array of borrowed texts */
	size_t peer_count;
	struct policy_names imports; /* owned array of borrowed texts */
};

/* Ends the process for --help, --version (0) and for what is wrong (2, said on standard error). */
void options_parse(int argc, char **argv, struct options *ret_options);
void options_done(struct options *options);

#endif
