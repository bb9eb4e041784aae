/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of armed faults. It only says what shall go wrong; session.c and rpc.c make it so.
 */
#include "faults.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

const char *const step_names[STEP_COUNT] = { "hello", "open", "load", "commit", "close", "get",
	"show", "routes", "counters", "other", "any" };
const char *const fault_names[FAULT_KIND_COUNT] = { "none", "pause-before", "pause-after", "slow",
	"lost-before", "lost-after", "error", "warning", "full", "garbage", "dtd", "big", "half",
	"silent" };

struct armed {
	TAILQ_ENTRY(armed) entry;
	struct fault fault;
};

struct faults {
	TAILQ_HEAD(armed_list, armed) list; /* newest first */
};

struct faults *
faults_new(void)
{
	struct faults *faults = xcalloc(1, sizeof(*faults));

	TAILQ_INIT(&faults->list);
	return faults;
}

void
faults_clear(struct faults *faults)
{
	struct armed *armed;

	while ((armed = TAILQ_FIRST(&faults->list))) {
		TAILQ_REMOVE(&faults->list, armed, entry);
		free(armed);
	}
}

void
faults_free(struct faults *faults)
{
	if (!faults)
		return;
	faults_clear(faults);
	free(faults);
}

void
faults_arm(struct faults *faults, const struct fault *fault)
{
	struct armed *armed = xcalloc(1, sizeof(*armed));

	armed->fault = *fault;
	TAILQ_INSERT_HEAD(&faults->list, armed, entry);
}

static bool
fits(const struct fault *fault, enum step step)
{
	bool is_shown = step == STEP_ROUTES || step == STEP_COUNTERS;

	return fault->step == step || (fault->step == STEP_SHOW && is_shown) ||
	       (fault->step == STEP_ANY && step != STEP_HELLO);
}

void
faults_take(struct faults *faults, enum step step, struct fault *ret_fault)
{
	struct armed *armed;

	*ret_fault = (struct fault){ .kind = FAULT_NONE };
	TAILQ_FOREACH (armed, &faults->list, entry) {
		if (!fits(&armed->fault, step))
			continue;
		*ret_fault = armed->fault;
		if (armed->fault.times > 0 && --armed->fault.times == 0) {
			TAILQ_REMOVE(&faults->list, armed, entry);
			free(armed);
		}
		return;
	}
}

void
faults_print(const struct faults *faults, FILE *out)
{
	const struct armed *armed;

	TAILQ_FOREACH (armed, &faults->list, entry) {
		const struct fault *fault = &armed->fault;

		fprintf(out, "%s %s", step_names[fault->step], fault_names[fault->kind]);
		if (fault->number)
			fprintf(out, " %u", fault->number);
		if (*fault->text)
			fprintf(out, " \"%s\"", fault->text);
		if (fault->times < 0)
			fputs(" always\n", out);
		else
			fprintf(out, " times %d\n", fault->times);
	}
}

int
step_parse(const char *name, enum step *ret_step)
{
	for (int i = 0; i < STEP_COUNT; i++)
		if (strcmp(step_names[i], name) == 0) {
			*ret_step = (enum step)i;
			return 0;
		}
	return -EINVAL;
}

int
fault_kind_parse(const char *name, enum fault_kind *ret_kind)
{
	for (int i = FAULT_NONE + 1; i < FAULT_KIND_COUNT; i++)
		if (strcmp(fault_names[i], name) == 0) {
			*ret_kind = (enum fault_kind)i;
			return 0;
		}
	return -EINVAL;
}
