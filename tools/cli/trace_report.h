/* SPDX-License-Identifier: BSD-3-Clause */
/* A walk on the screen, and as JSON. */
#ifndef AUTOFBF_CLI_TRACE_REPORT_H
#define AUTOFBF_CLI_TRACE_REPORT_H

#include <stdio.h>

#include "trace_agent.h"
#include "trace_walk.h"

/* 80 columns; the verdict first. */
void trace_report_text(const struct trace *trace, const struct trace_agent *agent, FILE *out);
/* One object; its members are told in autofbf(1). */
void trace_report_json(const struct trace *trace, const struct trace_agent *agent, FILE *out);
/* "same-element", "different-elements", or how the first leg that reaches none ends; "fault" when
 * the way is right and something else is not. */
const char *trace_verdict(const struct trace *trace);

#endif
