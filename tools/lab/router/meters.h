/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the counters of interfaces and filter terms show: traffic that the control socket makes up
 * (a rate from some moment on), plus what the kernel counted where there are real packets, less
 * what there was when somebody cleared the counter. No clock inside.
 */
#ifndef LABROUTER_METERS_H
#define LABROUTER_METERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "mtime.h"

enum meter_kind { METER_IN, METER_OUT, METER_TERM, METER_KIND_COUNT };
extern const char *const meter_kind_names[METER_KIND_COUNT]; /* "in", "out", "term" */

struct meter_value {
	uint64_t packets, bytes;
};

struct meters;

struct meters *meters_new(void);
void meters_free(struct meters *meters);

/* name: an interface ("ei1.0"), or filter and counter with a blank between. From now on so many
 * packets a second of so many bytes are added to what there is. */
void meters_set_rate(struct meters *meters, enum meter_kind kind, const char *name, uint64_t pps,
    uint64_t size, struct mtime now);
/* Adds packets of so many bytes at once. */
void meters_add(struct meters *meters, enum meter_kind kind, const char *name, uint64_t packets,
    uint64_t size, struct mtime now);
/* raw: what the kernel counted; {0}: no kernel here. */
struct meter_value meters_read(const struct meters *meters, enum meter_kind kind, const char *name,
    struct meter_value raw, struct mtime now);
/* Makes meters_read give 0 for that raw value. */
void meters_clear(struct meters *meters, enum meter_kind kind, const char *name,
    struct meter_value raw, struct mtime now);
void meters_print(const struct meters *meters, FILE *out, struct mtime now);

#endif
