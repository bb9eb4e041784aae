/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An agent of plain values for the tests of the northbound side: the profile of
 * profiles/four-dual-stack.json, real layouts of it, and a status picture that fits them. Elements
 * are named by index; what was asked of it is in `calls`.
 */
#ifndef AUTOFBF_TESTS_FAKE_AGENT_H
#define AUTOFBF_TESTS_FAKE_AGENT_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "layout.h"
#include "northbound_operations.h"
#include "plan.h"
#include "profile_yang.h"

/* 2026-11-30 03:07:42.5 UTC */
#define FAKE_NOW_US INT64_C(1796008062500000)
#define SECONDS_US INT64_C(1000000)

enum { FAKE_ASKS = 4 };

/* A question to the router; it is answered by fake_answer. */
struct fake_ask {
	struct fake_agent *agent; /* NULL: free */
	struct router_question question;
	char table[64];
	router_answered_fn *fn;
	void *arg;
	const char *text, *failure;
};

struct fake_agent {
	struct fake_ask asks[FAKE_ASKS];
	struct profile *profile;
	struct layout_space *space[FAMILY_COUNT];
	struct layout *base[FAMILY_COUNT], *layout[FAMILY_COUNT];
	bool down[8];
	uint8_t *effective[FAMILY_COUNT];
	struct status *status;
	struct history *history;
	struct listset have, want, static_lists; /* sorted */
	char calls[1024];
	unsigned reads;      /* of the picture */
	int answer;          /* of set_offline, set_freeze, audit, diff */
	const char *refusal; /* of check_profile; NULL: none */
};

static inline void
fake_note(struct fake_agent *fake, const char *what, const char *name, const char *who,
    const char *reason)
{
	size_t used = strlen(fake->calls);

	snprintf(fake->calls + used, sizeof(fake->calls) - used, "%s %s by %s: %s\n", what, name,
	    who, reason);
}

static inline const struct status *
fake_status(void *arg)
{
	struct fake_agent *fake = arg;

	fake->reads++;
	return fake->status;
}

static inline const struct profile *
fake_profile(void *arg)
{
	return ((struct fake_agent *)arg)->profile;
}

static inline struct history *
fake_history(void *arg)
{
	return ((struct fake_agent *)arg)->history;
}

static inline const uint8_t *
fake_effective(void *arg, size_t group, enum family family)
{
	return ((struct fake_agent *)arg)->effective[family];
}

/* By walking, not by the search that is tested. */
static inline uint8_t
fake_effective_at(void *arg, size_t group, enum family family, const struct ip *ip)
{
	const struct layout *layout = ((struct fake_agent *)arg)->layout[family];

	for (size_t i = 0; i < layout_pieces(layout); i++) {
		struct layout_piece piece = layout_piece(layout, i);

		if (prefix_contains_ip(&piece.prefix, ip))
			return piece.owner;
	}
	return LAYOUT_NONE;
}

static inline struct layout *
fake_compute(
    const struct fake_agent *fake, enum family family, const char *const *also_down, size_t count)
{
	const struct profile_group *group = &fake->profile->groups[0];
	bool healthy[8];

	for (size_t e = 0; e < group->element_count; e++) {
		healthy[e] = !fake->down[e];
		for (size_t i = 0; i < count; i++)
			if (strcmp(also_down[i], group->elements[e].id) == 0)
				healthy[e] = false;
	}
	return layout_compute_split(fake->space[family], healthy);
}

static inline int
fake_layout(void *arg, size_t group, enum family family, const char *const *down, size_t count,
    const struct layout **ret_layout, bool *ret_owned, struct error *err)
{
	struct fake_agent *fake = arg;

	*ret_owned = count > 0;
	*ret_layout = count > 0 ? fake_compute(fake, family, down, count) : fake->layout[family];
	return 0;
}

static inline int
fake_set_offline(void *arg, const char *const *names, size_t count, bool offline, const char *who,
    const char *reason, struct error *err)
{
	struct fake_agent *fake = arg;

	if (fake->answer < 0)
		return error_set(err, fake->answer, "refused: thaw first & <then> retry");
	for (size_t i = 0; i < count; i++)
		if (!profile_find_element(fake->profile, names[i], NULL))
			return error_set(
			    err, -ENOENT, "no element '%s'; there are: fbf-01, ...", names[i]);
	for (size_t i = 0; i < count; i++)
		fake_note(fake, offline ? "offline" : "online", names[i], who, reason);
	return 0;
}

static inline int
fake_set_freeze(void *arg, const char *group, bool freeze, const char *who, const char *reason,
    struct error *err)
{
	struct fake_agent *fake = arg;

	fake_note(fake, freeze ? "freeze" : "thaw", group ? group : "all", who, reason);
	return fake->answer;
}

static inline int
fake_set_alter(
    void *arg, const char *group, bool on, const char *who, const char *reason, struct error *err)
{
	struct fake_agent *fake = arg;

	fake_note(fake, on ? "alter-on" : "alter-off", group ? group : "all", who, reason);
	return fake->answer;
}

static inline int
fake_set_offline_forced(void *arg, const char *const *names, size_t count, const char *who,
    const char *reason, struct error *err)
{
	struct fake_agent *fake = arg;

	for (size_t i = 0; i < count; i++)
		fake_note(fake, "force", names[i], who, reason);
	return fake->answer;
}

static inline int
fake_set_log_level(
    void *arg, const char *tag, const char *level, const char *who, struct error *err)
{
	struct fake_agent *fake = arg;

	fake_note(fake, "log", tag, who, level);
	return fake->answer;
}

static inline int
fake_apply(void *arg, const struct northbound_apply *request,
    struct northbound_applied *ret_applied, struct error *err)
{
	struct fake_agent *fake = arg;

	if (fake->answer < 0)
		return error_set(err, fake->answer, "refused: moves 83 %%");
	fake_note(fake,
	    request->force     ? "apply-force"
	    : request->dry_run ? "try"
	                       : "apply",
	    request->text, request->who, request->reason);
	*ret_applied = (struct northbound_applied){
		.changed = !request->dry_run, .notes = xcalloc(1, sizeof(char *)), .note_count = 1
	};
	memset(ret_applied->profile_id, 'a', 64);
	ret_applied->notes[0] = xstrdup("commit the new base lists");
	return 0;
}

static inline int
fake_audit(void *arg, const char *who, struct error *err)
{
	struct fake_agent *fake = arg;

	fake_note(fake, "audit", "-", who, "-");
	return fake->answer;
}

static inline int
fake_diff(void *arg, struct plan *ret_plan, struct error *err)
{
	struct fake_agent *fake = arg;

	if (fake->answer < 0)
		return error_set(err, fake->answer, "the router's lists were not read yet");
	plan_make(&fake->have, &fake->want, ret_plan);
	return 0;
}

static inline int
fake_check_profile(void *arg, const struct profile *next, struct error *err)
{
	struct fake_agent *fake = arg;

	return fake->refusal ? error_set(err, -EPERM, "%s", fake->refusal) : 0;
}

/* As diff: not read while it answers with an error. */
static inline bool
fake_lists(void *arg, const struct listset **ret_static, const struct listset **ret_have)
{
	struct fake_agent *fake = arg;

	*ret_static = &fake->static_lists;
	*ret_have = &fake->have;
	return fake->answer == 0;
}

static inline struct router_ask *
fake_ask_router(void *arg, const struct router_question *question, router_answered_fn *fn,
    void *fn_arg, struct error *err)
{
	struct fake_agent *fake = arg;
	size_t i = 0;

	if (fake->answer < 0) {
		error_set(err, fake->answer, "the router is not connected: no reason");
		return NULL;
	}
	while (fake->asks[i].agent)
		i++;
	fake->asks[i] = (struct fake_ask){ fake, *question, "", fn, fn_arg, NULL, NULL };
	if (question->table)
		snprintf(fake->asks[i].table, sizeof(fake->asks[i].table), "%s", question->table);
	return (struct router_ask *)&fake->asks[i];
}

static inline void
fake_ask_free(struct router_ask *ask)
{
	((struct fake_ask *)ask)->agent = NULL;
}

static inline const char *
fake_ask_text(const struct router_ask *ask, size_t *ret_size)
{
	const char *text = ((const struct fake_ask *)ask)->text;

	if (text)
		*ret_size = strlen(text);
	return text;
}

static inline const char *
fake_ask_failure(const struct router_ask *ask)
{
	return ((const struct fake_ask *)ask)->failure;
}

static inline int64_t
fake_ask_time(const struct router_ask *ask)
{
	return FAKE_NOW_US;
}

static inline size_t
fake_count_asks(const struct fake_agent *fake)
{
	size_t count = 0;

	for (size_t i = 0; i < FAKE_ASKS; i++)
		count += fake->asks[i].agent != NULL;
	return count;
}

/* Texts are borrowed. Nothing happens when whoever asked is gone. */
static inline void
fake_answer(struct fake_agent *fake, size_t i, const char *text, const char *failure)
{
	struct fake_ask *ask = &fake->asks[i];

	if (!ask->agent)
		return;
	ask->text = text;
	ask->failure = failure;
	ask->fn(ask->arg, (struct router_ask *)ask);
}

static inline struct northbound_operations
fake_operations(struct fake_agent *fake)
{
	return (struct northbound_operations){
		.status = fake_status,
		.profile = fake_profile,
		.layout = fake_layout,
		.effective = fake_effective,
		.effective_at = fake_effective_at,
		.set_offline = fake_set_offline,
		.set_freeze = fake_set_freeze,
		.set_alter = fake_set_alter,
		.set_offline_forced = fake_set_offline_forced,
		.set_log_level = fake_set_log_level,
		.apply_profile = fake_apply,
		.audit = fake_audit,
		.diff = fake_diff,
		.lists = fake_lists,
		.check_profile = fake_check_profile,
		.history = fake_history,
		.ask_router = fake_ask_router,
		.ask_free = fake_ask_free,
		.ask_text = fake_ask_text,
		.ask_failure = fake_ask_failure,
		.ask_time = fake_ask_time,
		.arg = fake,
	};
}

static inline void
fake_fill_element_family(
    const struct fake_agent *fake, size_t e, enum family f, struct status_element_family *ret)
{
	const struct profile_element_family *from = &fake->profile->groups[0].elements[e].family[f];

	ret->present = true;
	ret->state = fake->down[e] ? HEALTH_DOWN : HEALTH_UP;
	ret->healthy = ret->serving = !fake->down[e];
	ret->reason = xstrdup(fake->down[e] ? "bmp: bgp-down" : "all sides up");
	ret->since_us = FAKE_NOW_US - (fake->down[e] ? 211 : 41 * 86400) * SECONDS_US;
	ret->base_units = (uint32_t)layout_space_base_count(fake->space[f], e);
	ret->wanted_share = ret->effective_share = layout_share(fake->layout[f], e);
	ret->wanted_units = ret->effective_units = (uint32_t)ret->wanted_share;
	ret->base_entries = ret->base_units;
	for (int s = 0; s < SIDE_COUNT; s++) {
		struct status_peer *peer = &ret->peer[s];

		peer->address = from->peer[s].address;
		peer->instance = xstrdup(from->peer[s].instance);
		peer->bgp = peer->bfd = fake->down[e] ? VERDICT_DOWN : VERDICT_UP;
		peer->cause = fake->down[e] ? CAUSE_BFD : CAUSE_UNKNOWN;
		peer->since_us = ret->since_us;
		peer->established_us = fake->down[e] ? 0 : ret->since_us;
		peer->flaps = fake->down[e];
		peer->detection_us = 300000;
		peer->routes = -1;
	}
}

static inline void
fake_fill_group(const struct fake_agent *fake, struct status_group *ret)
{
	const struct profile_group *group = &fake->profile->groups[0];

	ret->id = xstrdup(group->id);
	ret->name = xstrdup(group->name);
	for (int f = 0; f < FAMILY_COUNT; f++) {
		struct status_group_family *family = &ret->family[f];

		family->present = true;
		family->units = (uint32_t)layout_space_units(fake->space[f]);
		family->layout_id = layout_compute_id(fake->layout[f]);
		family->base_layout_id = layout_compute_id(fake->base[f]);
		for (uint32_t u = 0; u < family->units; u++)
			family->displaced += layout_unit_owner(fake->layout[f], u) !=
			                     layout_space_base(fake->space[f], u);
		family->pieces = (uint32_t)layout_pieces(fake->layout[f]);
		family->split_bits = (uint8_t)layout_get_bits(fake->layout[f]);
		for (size_t e = 0; e < group->element_count; e++)
			family->alive += !fake->down[e];
		ret->tolerance_known = true;
		ret->tolerance = (struct tolerance){ family->alive - 1, TOLERANCE_NOBODY };
	}
	ret->element_count = group->element_count;
	ret->elements = xcalloc(group->element_count, sizeof(*ret->elements));
	for (size_t e = 0; e < group->element_count; e++) {
		struct status_element *element = &ret->elements[e];

		element->id = xstrdup(group->elements[e].id);
		element->name = xstrdup(group->elements[e].name);
		element->weight = element->failed_weight = 1;
		for (int f = 0; f < FAMILY_COUNT; f++)
			fake_fill_element_family(fake, e, f, &element->family[f]);
	}
}

static inline struct status *
fake_make_status(const struct fake_agent *fake)
{
	struct status *status = xcalloc(1, sizeof(*status));

	status->hostname = xstrdup("mx304-north");
	status->version = xstrdup("1.0-test");
	status->now_us = FAKE_NOW_US;
	status->started_us = FAKE_NOW_US - 41 * 86400 * SECONDS_US;
	memcpy(status->profile_id, fake->profile->id, sizeof(status->profile_id));
	status->profile_path = xstrdup("/etc/autofbf/profile.json");
	status->router_address = xstrdup("127.0.0.1");
	status->stage = ROUTER_IDLE;
	status->edit_up = status->read_up = status->lists_known = true;
	status->session_since_us = status->started_us;
	status->last_error = xstrdup("");
	status->counters.commits = 7;
	for (int s = 0; s < SOURCE_COUNT; s++) {
		status->source[s].enabled = status->source[s].connected = true;
		status->source[s].last_us = FAKE_NOW_US - 2 * SECONDS_US;
		status->source[s].messages = 12345;
	}
	status->audit_at_us = FAKE_NOW_US - 38 * SECONDS_US;
	status->poll_interval_ms = 10000;
	status->audit_interval_ms = 300000;
	status->group_count = 1;
	status->groups = xcalloc(1, sizeof(*status->groups));
	fake_fill_group(fake, &status->groups[0]);
	return status;
}

/* Layouts, effective owners and the picture anew, after a change of `down`. */
static inline void
fake_refresh(struct fake_agent *fake)
{
	for (int f = 0; f < FAMILY_COUNT; f++) {
		size_t units = layout_space_units(fake->space[f]);

		layout_free(fake->layout[f]);
		fake->layout[f] = fake_compute(fake, f, NULL, 0);
		free(fake->effective[f]);
		fake->effective[f] = xcalloc(units, 1);
		for (size_t u = 0; u < units; u++)
			fake->effective[f][u] = layout_unit_owner(fake->layout[f], u);
	}
	status_free(fake->status);
	fake->status = fake_make_status(fake);
}

/* Element 1 is down, decided so, and IPv4 is cut by two bits when three are left. */
static inline void
fake_fail_and_split(struct fake_agent *fake)
{
	struct profile_group *group = &fake->profile->groups[0];
	char before[LAYOUT_ID_TEXT_SIZE], after[LAYOUT_ID_TEXT_SIZE];
	struct history_record record = { .when_us = FAKE_NOW_US,
		.kind = "decision",
		.subject = group->id,
		.text = "t",
		.cause = "fbf-02 down",
		.group = group->id,
		.family = "ipv4",
		.healthy = "fbf-01,fbf-03,fbf-04",
		.layout_before = before,
		.layout_after = after,
		.moved = 256 };
	struct layout_id id = layout_compute_id(fake->base[FAMILY_IPV4]);

	layout_id_format(&id, before);
	group->split_count[FAMILY_IPV4] = 1;
	group->split[FAMILY_IPV4] = xcalloc(1, sizeof(**group->split));
	group->split[FAMILY_IPV4][0] = (struct profile_split){ .survivors = 3, .bits = 2 };
	fake->down[1] = true;
	fake_refresh(fake);
	id = layout_compute_id(fake->layout[FAMILY_IPV4]);
	layout_id_format(&id, after);
	history_add(fake->history, &record);
}

/* The last commit: what a failure of element 1 looks like. */
static inline void
fake_add_commit(struct fake_agent *fake)
{
	const int64_t event = FAKE_NOW_US - 211 * SECONDS_US;
	struct history_record record = { .when_us = event + 740000,
		.kind = "commit",
		.subject = "fbf-02",
		.text = "fbf-02 down: 512 edits",
		.first_event_us = event,
		.open_sent_us = event + 400,
		.commit_sent_us = event + 210000,
		.committed_us = event + 610000,
		.read_back_us = event + 740000,
		.edits = 512 };
	struct status_commit *last = &fake->status->last;

	last->history_id = history_add(fake->history, &record);
	last->outcome = ROUTER_COMMITTED;
	last->cause = xstrdup("fbf-02 down: bmp bgp-down");
	last->edits = 512;
	last->first_event_us = event;
	last->times = (struct router_times){ event + 400, event + 800, event + 210000,
		event + 610000, event + 740000 };
}

/* False with err: the profile could not be read. */
static inline bool
fake_init(struct fake_agent *fake, const char *profile, const char *yang_dir, struct error *err)
{
	*fake = (struct fake_agent){ 0 };
	if (profile_load(profile, yang_dir, &fake->profile, err) < 0)
		return false;
	fake->history = history_open(NULL, 100);
	for (int f = 0; f < FAMILY_COUNT; f++) {
		fake->space[f] = layout_space_new(&fake->profile->groups[0], f);
		fake->base[f] = fake_compute(fake, f, NULL, 0);
	}
	fake_refresh(fake);
	return true;
}

static inline void
fake_done(struct fake_agent *fake)
{
	for (int f = 0; f < FAMILY_COUNT; f++) {
		layout_free(fake->layout[f]);
		layout_free(fake->base[f]);
		layout_space_free(fake->space[f]);
		free(fake->effective[f]);
	}
	status_free(fake->status);
	history_close(fake->history);
	listset_done(&fake->have);
	listset_done(&fake->want);
	listset_done(&fake->static_lists);
	profile_free(fake->profile);
}

#endif
