/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What operators may ask: offline and online, freeze and thaw, audit, and the questions that need
 * more than the status picture. Each request is checked as a whole first and written to the state
 * file second; only then it takes effect, so that a restart never forgets what was answered "done".
 */
#include "agent_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

static const struct profile *
get_profile(void *arg)
{
	return ((struct agent *)arg)->profile;
}

static struct history *
get_history(void *arg)
{
	return ((struct agent *)arg)->history;
}

static const uint8_t *
get_effective(void *arg, size_t group, enum family family)
{
	struct agent *agent = arg;

	return agent->lists_known ? agent->family[group][family].effective : NULL;
}

static uint8_t
get_effective_at(void *arg, size_t group, enum family family, const struct ip *ip)
{
	struct agent *agent = arg;

	return plan_owner_at(
	    agent->family[group][family].space, &agent->static_lists, &agent->have, ip);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void
list_elements(const struct profile *profile, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t g = 0; g < profile->group_count; g++)
		for (size_t e = 0; e < profile->groups[g].element_count && used < size; e++)
			if (!profile->groups[g].elements[e].removed)
				used += (size_t)snprintf(text + used, size - used, "%s%s",
				    used ? ", " : "", profile->groups[g].elements[e].id);
}

static int
find_element(const struct profile *profile, const char *name, size_t *ret_group,
    size_t *ret_element, struct error *err)
{
	const struct profile_group *group;
	const struct profile_element *element = profile_find_element(profile, name, &group);
	char known[300];

	if (element && !element->removed) {
		*ret_group = (size_t)(group - profile->groups);
		*ret_element = (size_t)(element - group->elements);
		return 0;
	}
	list_elements(profile, known, sizeof(known));
	return error_set(err, -ENOENT, "no element '%s'%s; there are: %s", name,
	    element ? " any more (removed)" : "", known);
}

static int
find_group(const struct profile *profile, const char *name, size_t *ret_group, struct error *err)
{
	const struct profile_group *group = profile_find_group(profile, name);
	char known[300];
	size_t used = 0;

	if (group) {
		*ret_group = (size_t)(group - profile->groups);
		return 0;
	}
	known[0] = '\0';
	for (size_t g = 0; g < profile->group_count && used < sizeof(known); g++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
		    used ? ", " : "", profile->groups[g].id);
	return error_set(err, -ENOENT, "no group '%s'; there are: %s", name, known);
}

/* ---- offline and online --------------------------------------------------------------------- */

struct element_ref {
	size_t group, element;
};

static bool
is_named(const struct element_ref *refs, size_t count, size_t group, size_t element)
{
	for (size_t i = 0; i < count; i++)
		if (refs[i].group == group && refs[i].element == element)
			return true;
	return false;
}

static int
refuse_last(struct agent *agent, const struct element_ref *refs, size_t count, size_t g,
    enum family f, struct error *err)
{
	const struct profile_group *group = &agent->profile->groups[g];
	size_t now = 0, then = 0;

	for (size_t e = 0; e < group->element_count; e++) {
		bool healthy = health_is_healthy(agent->health, g, e, f);
		now += healthy;
		then += healthy && !is_named(refs, count, g, e);
	}
	if (now == 0 || then > 0)
		return 0;
	return error_set(err, -EPERM,
	    "refused: nobody healthy would be left for %s in group %s; bring another element back "
	    "first (--force: the layout freezes as it is, and the router goes on sending to this "
	    "element)",
	    family_names[f], group->id);
}

static int
refuse_frozen(struct agent *agent, size_t g, enum family f, struct error *err)
{
	if (guard_freeze(agent->guard, g, f) == FREEZE_NOT)
		return 0;
	return error_set(err, -EPERM, "refused: %s of group %s is frozen (%s)", family_names[f],
	    agent->profile->groups[g].id, guard_reason(agent->guard, g, f));
}

static int
check_offline(struct agent *agent, const struct element_ref *refs, size_t count, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++)
		for (enum family f = 0; f < FAMILY_COUNT && rc == 0; f++) {
			if (!agent->family[refs[i].group][f].space)
				continue;
			rc = refuse_frozen(agent, refs[i].group, f, err);
			if (rc == 0)
				rc = refuse_last(agent, refs, count, refs[i].group, f, err);
		}
	return rc;
}

/* An order that would be forgotten by a restart is refused, whoever gives it: a sick element that
 * came back by itself is worse than an operator who is told at once what to do. */
static int
save(struct agent *agent, struct operator_state *next, struct error *err)
{
	int rc = state_file_save(agent->state_path, next, err);

	if (rc < 0) {
		operator_state_done(next);
		return -EIO; /* whatever the disk said: -ENOENT is an unknown name here */
	}
	operator_state_done(&agent->operators);
	agent->operators = *next;
	return 0;
}

static void
copy_operators(const struct operator_state *from, struct operator_state *ret_copy)
{
	*ret_copy = (struct operator_state){ 0 };
	for (size_t i = 0; i < from->count; i++)
		operator_state_set(ret_copy, from->entries[i].kind, from->entries[i].id,
		    from->entries[i].who, from->entries[i].reason, from->entries[i].when_us);
}

static const char *
element_id(const struct agent *agent, const struct element_ref *ref)
{
	return agent->profile->groups[ref->group].elements[ref->element].id;
}

static int
save_offline(struct agent *agent, const struct element_ref *refs, size_t count, bool offline,
    const char *who, const char *reason, struct error *err)
{
	struct operator_state next;

	copy_operators(&agent->operators, &next);
	for (size_t i = 0; i < count; i++)
		if (offline)
			operator_state_set(&next, OPERATOR_OFFLINE, element_id(agent, &refs[i]),
			    who, reason, wallclock_now_us());
		else
			operator_state_clear(&next, OPERATOR_OFFLINE, element_id(agent, &refs[i]));
	return save(agent, &next, err);
}

static int
change_offline(struct agent *agent, const char *const *names, size_t count, bool offline,
    bool force, const char *who, const char *reason, struct error *err)
{
	struct element_ref *refs = xcalloc(count, sizeof(*refs));
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++)
		rc = find_element(agent->profile, names[i], &refs[i].group, &refs[i].element, err);
	if (rc == 0 && offline && !force)
		rc = check_offline(agent, refs, count, err);
	if (rc == 0)
		rc = save_offline(agent, refs, count, offline, who, reason, err);
	if (rc < 0)
		goto out;
	agent->event_us = wallclock_now_us();
	agent->who = who;
	for (size_t i = 0; i < count; i++) {
		agent_record(agent, "operator", element_id(agent, &refs[i]), "%s by %s%s%s",
		    offline ? "offline" : "online", who, *reason ? ": " : "", reason);
		health_set_forced(
		    agent->health, refs[i].group, refs[i].element, offline, mtime_now());
		if (!offline)
			(void)health_revert(/* nothing to do unless it waits for this */
			    agent->health, refs[i].group, refs[i].element, mtime_now());
	}
	agent_reconsider(agent, offline ? "operator: offline" : "operator: online");
	agent->who = NULL;
	agent->event_us = 0;
out:
	free(refs);
	return rc;
}

static int
set_offline(void *arg, const char *const *names, size_t count, bool offline, const char *who,
    const char *reason, struct error *err)
{
	return change_offline(arg, names, count, offline, false, who, reason, err);
}

static int
set_offline_forced(void *arg, const char *const *names, size_t count, const char *who,
    const char *reason, struct error *err)
{
	return change_offline(arg, names, count, true, true, who, reason, err);
}

/* ---- freeze and thaw ------------------------------------------------------------------------ */

/* The groups of a request: one by name, or all. */
static int
find_range(const struct profile *profile, const char *name, size_t *ret_first, size_t *ret_end,
    struct error *err)
{
	int rc;

	*ret_first = 0;
	*ret_end = profile->group_count;
	if (!name)
		return 0;
	rc = find_group(profile, name, ret_first, err);
	if (rc == 0)
		*ret_end = *ret_first + 1;
	return rc;
}

bool
agent_has_alter(const struct profile_group *group)
{
	return group->signal[FAMILY_IPV4].has_alter || group->signal[FAMILY_IPV6].has_alter;
}

/* An order for all groups passes by those that could not obey; taking one back never does. */
static bool
takes_order(const struct agent *agent, enum operator_kind kind, size_t g, bool on)
{
	return kind != OPERATOR_ALTER || !on || agent_has_alter(&agent->profile->groups[g]);
}

static int
save_groups(struct agent *agent, enum operator_kind kind, size_t first, size_t end, bool on,
    const char *who, const char *reason, struct error *err)
{
	struct operator_state next;

	copy_operators(&agent->operators, &next);
	for (size_t g = first; g < end; g++)
		if (!takes_order(agent, kind, g, on))
			continue;
		else if (on)
			operator_state_set(&next, kind, agent->profile->groups[g].id, who, reason,
			    wallclock_now_us());
		else
			operator_state_clear(&next, kind, agent->profile->groups[g].id);
	return save(agent, &next, err);
}

static void
record_groups(struct agent *agent, enum operator_kind kind, size_t first, size_t end, bool on,
    const char *who, const char *reason)
{
	static const char *const words[OPERATOR_KIND_COUNT][2] = {
		[OPERATOR_FREEZE] = { "thaw", "freeze" },
		[OPERATOR_ALTER] = { "path alter off", "path alter on" },
	};

	agent->who = who;
	for (size_t g = first; g < end; g++)
		if (takes_order(agent, kind, g, on))
			agent_record(agent, "operator", agent->profile->groups[g].id,
			    "%s by %s%s%s", words[kind][on], who, *reason ? ": " : "", reason);
}

static int
set_freeze(void *arg, const char *name, bool freeze, const char *who, const char *reason,
    struct error *err)
{
	struct agent *agent = arg;
	size_t first, end;
	int rc = find_range(agent->profile, name, &first, &end, err);

	if (rc == 0)
		rc = save_groups(agent, OPERATOR_FREEZE, first, end, freeze, who, reason, err);
	if (rc < 0)
		return rc;
	record_groups(agent, OPERATOR_FREEZE, first, end, freeze, who, reason);
	for (size_t g = first; g < end; g++)
		guard_operator(agent->guard, agent->health, g, freeze, mtime_now());
	agent_reconsider(agent, freeze ? "operator: freeze" : "operator: thaw");
	agent->who = NULL;
	return 0;
}

/* ---- alter-priority ------------------------------------------------------------------------- */

/* An order that stands can be taken back, also when the profile has lost the route meanwhile. */
static bool
may_alter(const struct agent *agent, size_t g, bool on)
{
	const struct profile_group *group = &agent->profile->groups[g];

	return agent_has_alter(group) ||
	       (!on && operator_state_find(&agent->operators, OPERATOR_ALTER, group->id));
}

static int
set_alter(
    void *arg, const char *name, bool on, const char *who, const char *reason, struct error *err)
{
	struct agent *agent = arg;
	size_t first, end, found = 0;
	int rc = find_range(agent->profile, name, &first, &end, err);

	for (size_t g = first; rc == 0 && g < end; g++)
		found += may_alter(agent, g, on);
	if (rc == 0 && found == 0)
		rc = error_set(err, -EPERM, "refused: %s%s has %s alter-route in the profile",
		    name ? "group " : "no group", name ? name : "", name ? "no" : "an");
	if (rc == 0)
		rc = save_groups(agent, OPERATOR_ALTER, first, end, on, who, reason, err);
	if (rc < 0)
		return rc;
	agent->event_us = wallclock_now_us();
	record_groups(agent, OPERATOR_ALTER, first, end, on, who, reason);
	for (size_t g = first; g < end; g++)
		agent->ordered |= signal_routes_alter(agent->signals, g, on);
	agent_reconsider(agent, on ? "operator: path alter on" : "operator: path alter off");
	agent->who = NULL;
	agent->event_us = 0;
	return 0;
}

static int
set_log_level(void *arg, const char *tag, const char *level, const char *who, struct error *err)
{
	struct agent *agent = arg;
	int rc;

	for (int l = 0; l < LOG_LEVEL_COUNT; l++)
		if (strcmp(log_level_names[l], level) == 0) {
			rc = log_set_tag_level(tag, l);
			if (rc < 0)
				return error_set(err, rc,
				    "too many tags have a level of their own; "
				    "set one to 'default' first");
			agent_record(agent, "operator", "", "log %s %s by %s", tag, level, who);
			return 0;
		}
	if (strcmp(level, "default") != 0)
		return error_set(err, -EINVAL,
		    "no log level '%s'; there are: error, warn, info, "
		    "debug, default",
		    level);
	(void)log_set_tag_level(tag, LOG_LEVEL_COUNT); /* taking one away never fails */
	agent_record(agent, "operator", "", "log %s default by %s", tag, who);
	return 0;
}

void
agent_apply_operators(struct agent *agent)
{
	for (size_t i = 0; i < agent->operators.count; i++) {
		const struct operator_entry *entry = &agent->operators.entries[i];
		size_t g = 0, e = 0;

		if (entry->kind == OPERATOR_FREEZE &&
		    find_group(agent->profile, entry->id, &g, NULL) == 0)
			guard_operator(agent->guard, agent->health, g, true, mtime_now());
		if (entry->kind == OPERATOR_ALTER &&
		    find_group(agent->profile, entry->id, &g, NULL) == 0)
			signal_routes_alter(agent->signals, g, true);
		if (entry->kind == OPERATOR_OFFLINE &&
		    find_element(agent->profile, entry->id, &g, &e, NULL) == 0)
			health_set_forced(agent->health, g, e, true, mtime_now());
	}
}

/* ---- questions ------------------------------------------------------------------------------ */

static int
audit(void *arg, const char *who, struct error *err)
{
	struct agent *agent = arg;

	if (!router_session_is_up(agent->router, false))
		return error_set(err, -ENOTCONN, "the router is not connected: %s",
		    router_last_error(agent->router));
	agent_record(agent, "operator", "", "audit by %s", who);
	drift_forget(agent->drift);
	agent->held = false;
	router_retry(agent->router);
	router_audit_now(agent->router);
	return 0;
}

static int
diff(void *arg, struct plan *ret_plan, struct error *err)
{
	struct agent *agent = arg;

	if (!agent->lists_known)
		return error_set(err, -EAGAIN, "the router's lists were not read yet: %s",
		    router_last_error(agent->router));
	listset_done(&agent->want);
	agent_diff(agent, false, &agent->want, ret_plan);
	return 0;
}

static bool
lists(void *arg, const struct listset **ret_static, const struct listset **ret_have)
{
	struct agent *agent = arg;

	*ret_static = &agent->static_lists;
	*ret_have = &agent->have;
	return agent->lists_known;
}

static int
layout(void *arg, size_t g, enum family f, const char *const *down, size_t down_count,
    const struct layout **ret_layout, bool *ret_owned, struct error *err)
{
	struct agent *agent = arg;
	const struct profile_group *group = &agent->profile->groups[g];
	struct agent_family *family = &agent->family[g][f];
	bool *healthy;
	int rc = 0;

	*ret_owned = false;
	*ret_layout = family->layout;
	if (!family->space || (family->layout && down_count == 0))
		return 0;
	healthy = xcalloc(group->element_count, sizeof(*healthy));
	for (size_t e = 0; e < group->element_count; e++)
		healthy[e] = health_is_healthy(agent->health, g, e, f);
	for (size_t i = 0; i < down_count && rc == 0; i++) {
		size_t of_group, e;
		rc = find_element(agent->profile, down[i], &of_group, &e, err);
		if (rc == 0 && of_group == g)
			healthy[e] = false;
	}
	if (rc == 0) {
		*ret_layout = layout_compute_split(family->space, healthy);
		*ret_owned = true;
	}
	free(healthy);
	return rc;
}

static struct router_ask *
ask_router(void *arg, const struct router_question *question, router_answered_fn *fn, void *fn_arg,
    struct error *err)
{
	struct agent *agent = arg;

	return router_ask_new(agent->router, question, fn, fn_arg, err);
}

const struct northbound_operations agent_operations = {
	.status = agent_get_status,
	.profile = get_profile,
	.layout = layout,
	.effective = get_effective,
	.effective_at = get_effective_at,
	.set_offline = set_offline,
	.set_offline_forced = set_offline_forced,
	.set_freeze = set_freeze,
	.set_alter = set_alter,
	.set_log_level = set_log_level,
	.check_profile = agent_check_profile,
	.apply_profile = agent_apply_profile,
	.audit = audit,
	.diff = diff,
	.lists = lists,
	.ask_router = ask_router,
	.ask_free = router_ask_free,
	.ask_text = router_ask_text,
	.ask_failure = router_ask_failure,
	.ask_time = router_ask_time,
	.history = get_history,
};
