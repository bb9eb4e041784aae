/* SPDX-License-Identifier: BSD-3-Clause */
/* What the NETCONF server asks of the agent: the one table between northbound*.c and agent*.c. */
#ifndef AUTOFBF_NORTHBOUND_OPERATIONS_H
#define AUTOFBF_NORTHBOUND_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "history.h"
#include "layout.h"
#include "plan.h"
#include "router.h"
#include "status.h"

struct northbound_apply {
	const char *text; /* borrowed; RFC 7951 JSON */
	bool force, dry_run;
	const char *who, *reason; /* borrowed; reason may be "" */
};

struct northbound_applied {
	char profile_id[65];
	bool changed;
	char **notes; /* owned, and so are the texts */
	size_t note_count;
};

/* What northbound asks of the agent. All answers are values or borrowed until the loop goes on. */
struct northbound_operations {
	const struct status *(*status)(void *arg);
	const struct profile *(*profile)(void *arg);
	/* The space and the standing (down == NULL) or a hypothetical layout (healthy set = what is
	 * healthy now minus down). *ret_owned: the caller frees *ret_layout with layout_free. */
	int (*layout)(void *arg, size_t group, enum family family, const char *const *down,
	    size_t down_count, const struct layout **ret_layout, bool *ret_owned,
	    struct error *err);
	/* Effective owner of each unit by the router's lists; borrowed; NULL: not read yet. */
	const uint8_t *(*effective)(void *arg, size_t group, enum family family);
	/* Effective owner of one address, also inside a split unit; LAYOUT_NONE: nobody. Asked only
	 * when effective() is not NULL. NULL: the owner of its unit is taken. */
	uint8_t (*effective_at)(void *arg, size_t group, enum family family, const struct ip *ip);
	/* offline/online. -ENOENT: unknown name (err lists what exists); -EPERM: refused, with the
	 * remedy. All names or none. */
	int (*set_offline)(void *arg, const char *const *names, size_t count, bool offline,
	    const char *who, const char *reason, struct error *err);
	/* group NULL: all. */
	int (*set_freeze)(void *arg, const char *group, bool freeze, const char *who,
	    const char *reason, struct error *err);
	/* Alter-priority signal route; group NULL: all that have one. This and the next two may be
	 * NULL: operation not supported. */
	int (*set_alter)(void *arg, const char *group, bool on, const char *who, const char *reason,
	    struct error *err);
	/* offline although nobody healthy would be left. */
	int (*set_offline_forced)(void *arg, const char *const *names, size_t count,
	    const char *who, const char *reason, struct error *err);
	/* level: a name of log.h, or "default". */
	int (*set_log_level)(
	    void *arg, const char *tag, const char *level, const char *who, struct error *err);
	/* -EPERM with the remedy: apply_profile would refuse this profile without force. Reads
	 * only, no files either. */
	int (*check_profile)(void *arg, const struct profile *next, struct error *err);
	/* Run another profile. -EINVAL: it is wrong; -EPERM: refused, with the remedy; -EIO: its
	 * file cannot be written. Then nothing was changed. ret_applied is the caller's
	 * and written on success. May be NULL. */
	int (*apply_profile)(void *arg, const struct northbound_apply *request,
	    struct northbound_applied *ret_applied, struct error *err);
	int (*audit)(void *arg, const char *who, struct error *err);
	/* have -> want of the override lists; ret_plan borrows; valid until the loop goes on.
	 * -EAGAIN: not read yet. */
	int (*diff)(void *arg, struct plan *ret_plan, struct error *err);
	/* The router's lists as read, the static ones and those of our instance; borrowed. False:
	 * not read yet. */
	bool (*lists)(
	    void *arg, const struct listset **ret_static, const struct listset **ret_have);
	/* A question to the router itself (router.h). NULL: operation not supported; else all five
	 * are there. */
	struct router_ask *(*ask_router)(void *arg, const struct router_question *question,
	    router_answered_fn *fn, void *fn_arg, struct error *err);
	void (*ask_free)(struct router_ask *ask);
	const char *(*ask_text)(const struct router_ask *ask, size_t *ret_size);
	const char *(*ask_failure)(const struct router_ask *ask);
	int64_t (*ask_time)(const struct router_ask *ask);
	struct history *(*history)(void *arg);
	void *arg;
};

#endif
