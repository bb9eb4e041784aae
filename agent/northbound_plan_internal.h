/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the RPC plan share (northbound_plan.c, northbound_plan_*.c). */
#ifndef AUTOFBF_NORTHBOUND_PLAN_INTERNAL_H
#define AUTOFBF_NORTHBOUND_PLAN_INTERNAL_H

#include "northbound_query.h"
#include "whatif.h"

struct names {
	const char **names; /* owned array */
	size_t count;
};

struct question {
	struct northbound_query *query;
	const struct profile *now, *then;
	struct profile *other; /* owned; then, when it is not now */
	struct moves *moves;   /* owned; between the base layouts of now and then; NULL: the same */
	struct names down, up, offline, online;
	const struct listset *static_lists, *have; /* borrowed; NULL: not read */
};

/* One group and family of the answer. */
struct outcome {
	const struct profile_group *now, *then; /* NULL: the profile has no such group */
	const struct status_group *status;      /* NULL with now */
	enum family family;
	const struct layout *before;
	bool owns_before;
	struct layout_space *own_space; /* owned; of then, when the profiles differ */
	const struct layout_space *space;
	struct layout *made;         /* owned; NULL: there is nothing to make it from */
	const struct layout *after;  /* made, or before when nobody is left */
	enum whatif_member *members; /* owned; by elements of then */
	bool *healthy;               /* owned; the same */
	size_t healthy_count;
	struct whatif_moves moves;
};

/* northbound_plan.c */
/* A text of leaf-list warning or note; each once. */
void northbound_plan_say(const struct question *question, const char *leaf, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#define plan_warn(question, ...) northbound_plan_say(question, "warning", __VA_ARGS__)
#define plan_note(question, ...) northbound_plan_say(question, "note", __VA_ARGS__)

/* northbound_plan_profile.c */
/* The profile of then, when the question has one; else it is that of now. 0, or -errno with err. */
int northbound_plan_take_profile(struct question *question, struct error *err);

/* northbound_plan_health.c */
/* Fills members and healthy of an outcome that has a space, and notes what is worth knowing. */
void northbound_plan_take_health(const struct question *question, struct outcome *outcome);

#endif
