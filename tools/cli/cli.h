/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line: what was asked for, and the commands. Each command returns an exit code. */
#ifndef AUTOFBF_CLI_H
#define AUTOFBF_CLI_H

#include <stdbool.h>
#include <stddef.h>

enum exit_code {
	EXIT_DONE,
	EXIT_REFUSED, /* refused or failed */
	EXIT_USAGE,   /* usage, an unknown name, or a profile that is wrong */
	EXIT_NO_AGENT,
	EXIT_DIFFERS, /* a comparison or check found a difference */
	EXIT_CHECK,   /* --check has an answer: + 0 to 2, which main takes for the code */
};

/* Names of one option, split at commas. */
struct name_list {
	const char **names; /* owned array */
	size_t count;
	char *text; /* owned; where the names lie; NULL: in argv */
};

/* All strings are borrowed from argv or the environment. */
struct arguments {
	const char *socket, *yang_dir;
	bool json;
	bool colour; /* standard output is a terminal, and NO_COLOR is not set */
	bool check, yes, follow, force, dry_run, all;
	const char *configuration, *ephemeral, *routes; /* files of trace */
	const char *reason, *profile, *format, *group, *since;
	struct name_list down, up, offline, online, kinds;
	struct name_list weights;                       /* of plan: ELEMENT=N */
	unsigned last;                                  /* -n; 0: not given */
	unsigned interval;                              /* --interval, seconds; 0: once */
	const char *id, *name, *weight, *failed_weight; /* of an element, as given */
	const char *peer[2][2];                         /* enum family, enum side */
	struct name_list nat_pools, host_prefixes;      /* of a new element */
	const char *nat_kind, *block_size;
	const char *const *names; /* what is left after the command */
	size_t name_count;
};

int command_status(const struct arguments *arguments);
int command_element_offline(const struct arguments *arguments);
int command_element_online(const struct arguments *arguments);
int command_layout(const struct arguments *arguments);
int command_plan(const struct arguments *arguments);
int command_compare(const struct arguments *arguments);
int command_diff(const struct arguments *arguments);
int command_audit_now(const struct arguments *arguments);
int command_freeze(const struct arguments *arguments);
int command_thaw(const struct arguments *arguments);
int command_path_alter(const struct arguments *arguments);
int command_where(const struct arguments *arguments);
int command_trace(const struct arguments *arguments);
int command_why(const struct arguments *arguments);
int command_log(const struct arguments *arguments);
int command_nat(const struct arguments *arguments);
int command_nat_plan(const struct arguments *arguments);
int command_alarms(const struct arguments *arguments);
int command_events(const struct arguments *arguments);
int command_kpi(const struct arguments *arguments);
int command_sessions(const struct arguments *arguments);
int command_router_config(const struct arguments *arguments);
int command_profile_add_element(const struct arguments *arguments);
int command_profile_remove_element(const struct arguments *arguments);
int command_profile_reweight(const struct arguments *arguments);
int command_profile_replace(const struct arguments *arguments);
int command_profile_add_pool(const struct arguments *arguments);
int command_profile_end_pool(const struct arguments *arguments);
int command_profile_apply(const struct arguments *arguments);
int command_profile_diff(const struct arguments *arguments);
int command_version(const struct arguments *arguments);

/* EXIT_USAGE with a complaint: there is no --yes, and nobody who could be asked. or_else: what may
 * be said in its place; NULL: nothing. */
int refuse_unasked(const struct arguments *arguments, const char *or_else);
bool ask_to_go_on(void);
/* "autofbf: ..." on standard error; returns code. */
int complain(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
