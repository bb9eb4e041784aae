/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults that the control socket arms: what goes wrong with the next request of a kind. The newest
 * fault that fits a request is used; one that is armed "always" stays until it is cleared.
 */
#ifndef LABROUTER_FAULTS_H
#define LABROUTER_FAULTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"

/* What a request is for. */
enum step {
	STEP_HELLO,  /* the server's hello */
	STEP_OPEN,   /* open-configuration */
	STEP_LOAD,   /* load-configuration, edit-config */
	STEP_COMMIT, /* commit-configuration, commit */
	STEP_CLOSE,  /* close-configuration */
	STEP_GET,    /* get-config, get-configuration */
	STEP_SHOW,   /* operational state, as a fault the next two as well */
	STEP_ROUTES,
	STEP_COUNTERS, /* of interfaces and filters */
	STEP_OTHER,
	STEP_ANY, /* in a fault: every request, not hello */
	STEP_COUNT
};
extern const char *const step_names[STEP_COUNT];

enum fault_kind {
	FAULT_NONE,
	FAULT_PAUSE_BEFORE, /* the request waits, not executed, until resume */
	FAULT_PAUSE_AFTER,  /* executed; the reply waits */
	FAULT_SLOW,         /* number = milliseconds before it is executed */
	FAULT_LOST_BEFORE,  /* not executed, connection cut */
	FAULT_LOST_AFTER,   /* executed, connection cut instead of the reply */
	FAULT_ERROR,        /* not executed; rpc-error with text */
	FAULT_WARNING,      /* executed; a warning beside the result */
	FAULT_FULL,         /* not executed; "configuration database size limit exceeded" */
	FAULT_GARBAGE,      /* executed; the reply is no XML */
	FAULT_DTD,          /* executed; the reply has a document type with entities */
	FAULT_BIG,          /* executed; the reply goes on for number MiB */
	FAULT_HALF,         /* executed; half of the reply, then silence */
	FAULT_SILENT,       /* executed; no reply at all */
	FAULT_KIND_COUNT
};
extern const char *const fault_names[FAULT_KIND_COUNT];

struct fault {
	enum step step;
	enum fault_kind kind;
	int times; /* left; -1: always */
	uint32_t number;
	char text[256];
};

struct faults;

struct faults *faults_new(void);
void faults_free(struct faults *faults);
void faults_arm(struct faults *faults, const struct fault *fault);
/* The fault for a request; FAULT_NONE in ret_fault->kind when there is none. */
void faults_take(struct faults *faults, enum step step, struct fault *ret_fault);
void faults_clear(struct faults *faults);
void faults_print(const struct faults *faults, FILE *out);
int step_parse(const char *name, enum step *ret_step);
int fault_kind_parse(const char *name, enum fault_kind *ret_kind);

#endif
