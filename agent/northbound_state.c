/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Structs to libyang trees: the container state, and records of the history.
 *
 * One function per node of the model, in the model's order, so that the two files can be read side
 * by side. The words of enumerations come from the name tables of the modules that own them.
 * What the model does not take is left out and logged (northbound_put.c),
 * because a reader's question must never end the daemon.
 *
 * A tree of everything would hold the event loop for as long as it is made and printed, half a
 * millisecond an element. So each piece of the stream is a small tree of its own below a scratch
 * container, printed and freed; the pieces follow in the model's order and are together
 * what the whole tree would print. Lists of units are northbound_layout.c's.
 */
#include "northbound_state.h"

#include <event2/buffer.h>
#include <libyang/libyang.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "log.h"
#include "mtime.h"
#include "northbound_envelope.h"
#include "northbound_kpi.h"
#include "northbound_put.h"

/* The state's own short forms. */
#define put(parent, name, ...) northbound_put(parent, false, name, __VA_ARGS__)

static void
put_bool(struct lyd_node *parent, const char *name, bool value)
{
	northbound_put(parent, false, name, "%s", value ? "true" : "false");
}

static void
put_time(struct lyd_node *parent, const char *name, int64_t us)
{
	northbound_put_time(parent, false, name, us);
}

static void
put_text(struct lyd_node *parent, const char *name, const char *text)
{
	northbound_put_text(parent, false, name, text);
}

static void
put_agent(struct lyd_node *state, const struct status *status)
{
	put_text(state, "hostname", status->hostname);
	put_text(state, "version", status->version);
	put_time(state, "now", status->now_us);
	put_time(state, "started", status->started_us);
	put(state, "severity", "%s", status_severity_names[status_severity(status)]);
	put(state, "mode", "%s", agent_mode_names[status->mode]);
	if (status->profile_id[0])
		put(state, "profile-id", "%s", status->profile_id);
	put(state, "algorithm", "%d", LAYOUT_ALGORITHM);
	put_text(state, "profile-path", status->profile_path);
	northbound_put_count(state, "poll-interval", status->poll_interval_ms);
}

static void
put_router(struct lyd_node *state, const struct status *status)
{
	struct lyd_node *router = northbound_add_inner(state, "router");
	const struct router_counters *counters = &status->counters;

	put_text(router, "address", status->router_address);
	put(router, "stage", "%s", router_stage_names[status->stage]);
	put_bool(router, "edit-session", status->edit_up);
	put_bool(router, "read-session", status->read_up);
	put_time(router, "session-since", status->session_since_us);
	put_bool(router, "lists-known", status->lists_known);
	put_text(router, "last-error", status->last_error);
	northbound_put_count(router, "commits", counters->commits);
	northbound_put_count(router, "refused", counters->refused);
	northbound_put_count(router, "load-errors", counters->load_errors);
	northbound_put_count(router, "warnings", counters->warnings);
	northbound_put_count(router, "reconnects", counters->reconnects);
	northbound_put_count(router, "polls", counters->polls);
	northbound_put_count(router, "poll-failures", counters->poll_failures);
	northbound_put_count(router, "audits", counters->audits);
}

static void
put_last_commit(struct lyd_node *state, const struct status_commit *last)
{
	struct lyd_node *node;

	if (last->history_id == 0)
		return;
	node = northbound_add_inner(state, "last-commit");
	northbound_put_count(node, "event-id", last->history_id);
	put(node, "outcome", "%s", router_outcome_names[last->outcome]);
	put_text(node, "cause", last->cause);
	northbound_put_count(node, "edits", last->edits);
	put_time(node, "first-event", last->first_event_us);
	put_time(node, "open-sent", last->times.open_sent);
	put_time(node, "commit-sent", last->times.commit_sent);
	put_time(node, "committed", last->times.committed);
	put_time(node, "read-back", last->times.read_back);
	put_time(node, "load-sent", last->times.load_sent);
}

static void
put_source(struct lyd_node *state, const struct status_source *source, enum event_source which)
{
	struct lyd_node *node = northbound_add_entry(state, "source", event_source_names[which]);

	put_bool(node, "enabled", source->enabled);
	put_bool(node, "connected", source->connected);
	put_time(node, "last-message", source->last_us);
	northbound_put_count(node, "messages", source->messages);
	northbound_put_count(node, "events", source->events);
	northbound_put_count(node, "errors", source->errors);
	northbound_put_count(node, "foreign", source->foreign);
}

static void
put_audit(struct lyd_node *state, const struct status *status)
{
	struct lyd_node *audit = northbound_add_inner(state, "audit");

	put_time(audit, "last", status->audit_at_us);
	if (status->audit_at_us > 0)
		northbound_put_count(audit, "drift", status->audit_drift);
	northbound_put_count(audit, "interval", status->audit_interval_ms);
	for (size_t i = 0; i < status->two_writer_count; i++)
		put_text(audit, "two-writers", status->two_writers[i]);
	for (size_t i = 0; i < status->foreign_count; i++)
		put_text(audit, "foreign-list", status->foreign[i]);
}

void
northbound_state_put_alarm(struct lyd_node *parent, const struct alarm *alarm)
{
	char *remedy = alarm_remedy(alarm);

	put(parent, "severity", "%s", alarm_severity_names[alarm->severity]);
	put_time(parent, "since", alarm->since_us);
	put_text(parent, "cause", alarm->cause);
	put_text(parent, "remedy", remedy);
	put_text(parent, "group", alarm->group);
	put_text(parent, "element", alarm->element);
	put_text(parent, "family", alarm->family);
	free(remedy);
}

static void
put_alarm(struct lyd_node *state, const struct alarm *alarm)
{
	struct lyd_node *entry;

	if (lyd_new_list(state, NULL, "alarm", false, &entry, alarm_kind(alarm->type)->name,
	        alarm->key) == LY_SUCCESS)
		northbound_state_put_alarm(entry, alarm);
	else
		log_warn(
		    "northbound", "state: an alarm left out, the model refuses \"%s\"", alarm->key);
}

/* One of the two signal routes of a family. */
static struct lyd_node *
put_signal(struct lyd_node *family, const char *name, const struct prefix *route, bool is_wanted,
    const bool *is_installed)
{
	struct lyd_node *node = northbound_add_inner(family, name);
	char text[PREFIX_TEXT_SIZE];

	put(node, "route", "%s", prefix_format(route, text));
	put_bool(node, "wanted", is_wanted);
	if (is_installed)
		put_bool(node, "installed", *is_installed);
	return node;
}

static void
put_signals(
    struct lyd_node *node, const struct status *status, const struct status_group_family *family)
{
	bool is_known = status->lists_known;

	if (family->min_alive > 0)
		northbound_put_count(node, "min-alive", family->min_alive);
	if (family->has_failed_route) {
		struct lyd_node *route = put_signal(node, "failed-route", &family->failed_route,
		    family->failed_wanted, is_known ? &family->failed_installed : NULL);

		put_time(route, "hold-until", family->signal_hold_until_us);
	}
	if (family->has_alter_route)
		put_signal(node, "alter-route", &family->alter_route, family->alter_wanted,
		    is_known ? &family->alter_installed : NULL);
}

static void
put_group_family(struct lyd_node *group, const struct status *status,
    const struct status_group_family *family, enum family which)
{
	struct lyd_node *node = northbound_add_entry(group, "family", family_names[which]);
	char id[LAYOUT_ID_TEXT_SIZE];

	northbound_put_count(node, "units", family->units);
	northbound_put_count(node, "displaced", family->displaced);
	northbound_put_count(node, "misplaced", family->misplaced);
	northbound_put_count(node, "base-drift", family->base_drift);
	northbound_put_count(node, "pending-edits", family->pending_edits);
	put(node, "layout-id", "%s", layout_id_format(&family->layout_id, id));
	put(node, "base-layout-id", "%s", layout_id_format(&family->base_layout_id, id));
	put(node, "return-path", "%s", return_path_names[family->return_path]);
	put(node, "freeze", "%s", freeze_names[family->freeze]);
	put_text(node, "freeze-reason", family->freeze_reason);
	put_text(node, "nat-hold", family->nat_hold);
	northbound_put_count(node, "split-bits", family->split_bits);
	northbound_put_count(node, "pieces", family->pieces);
	northbound_put_count(node, "standby-same-domain", family->standby_same_domain);
	northbound_put_count(node, "alive", family->alive);
	northbound_kpi_put_group_family(node, family);
	put_signals(node, status, family);
}

static void
put_peer(struct lyd_node *family, const struct status_peer *peer, enum side side)
{
	struct lyd_node *node = northbound_add_entry(family, "peer", side_names[side]);
	char address[IP_TEXT_SIZE];

	put(node, "address", "%s", ip_format(&peer->address, address));
	put_text(node, "instance", peer->instance);
	put(node, "bgp", "%s", verdict_names[peer->bgp]);
	put(node, "bfd", "%s", verdict_names[peer->bfd]);
	put(node, "bfd-mode", "%s", bfd_mode_names[peer->bfd_mode]);
	put_bool(node, "unprotected", peer->unprotected);
	put_text(node, "cause", event_cause_names[peer->cause]);
	if (peer->since_us > 0)
		put(node, "source", "%s", event_source_names[peer->source]);
	put_time(node, "since", peer->since_us);
	put_time(node, "established-since", peer->established_us);
	northbound_put_count(node, "flaps", peer->flaps);
	if (peer->routes >= 0)
		northbound_put_count(node, "routes", (uint64_t)peer->routes);
	put_bool(node, "lacks-routes", peer->lacks_routes);
	put_bool(node, "slow-bfd", peer->slow_bfd);
	if (peer->detection_us > 0)
		northbound_put_count(node, "detection-time", (uint64_t)peer->detection_us);
	if (peer->configured_us > 0)
		northbound_put_count(
		    node, "configured-detection-time", (uint64_t)peer->configured_us);
}

static void
put_pool(struct lyd_node *family, const struct status_pool *pool)
{
	struct lyd_node *node = northbound_add_entry(family, "nat-pool", pool->id);
	char prefix[PREFIX_TEXT_SIZE], via[IP_TEXT_SIZE];

	put(node, "prefix", "%s", prefix_format(&pool->prefix, prefix));
	put(node, "kind", "%s", nat_kind_names[pool->kind]);
	if (pool->known)
		put_bool(node, "active", pool->active);
	if (pool->has_via)
		put(node, "via", "%s", ip_format(&pool->via, via));
	put_text(node, "taken-by", pool->taken_by);
	if (pool->is_discarded)
		put_bool(node, "discarded", true);
	put_text(node, "refusal", pool->refusal);
}

static void
put_blocks(struct lyd_node *node, const struct nat_load *load, bool is_known)
{
	put(node, "available", "%.0f", load->blocks);
	put(node, "base", "%.0f", load->base);
	if (is_known)
		put(node, "now", "%.0f", load->now);
	put(node, "worst", "%.0f", load->worst);
}

static void
put_element_family(struct lyd_node *element, const struct status *status,
    const struct status_element_family *family, enum family which)
{
	struct lyd_node *node = northbound_add_entry(element, "family", family_names[which]);

	put(node, "state", "%s", health_state_names[family->state]);
	put_bool(node, "healthy", family->healthy);
	put_text(node, "reason", family->reason);
	put_time(node, "since", family->since_us);
	put_time(node, "hold-until", family->hold_until_us);
	put_time(node, "damped-until", family->damped_until_us);
	northbound_put_count(node, "downs", family->downs);
	put_bool(node, "awaits-operator", family->awaits_operator);
	put_bool(node, "then-awaits-operator", family->then_awaits);
	northbound_put_share(node, false, "wanted-share", family->wanted_share);
	if (status->lists_known)
		northbound_put_share(node, false, "effective-share", family->effective_share);
	northbound_put_count(node, "base-units", family->base_units);
	northbound_put_count(node, "wanted-units", family->wanted_units);
	if (status->lists_known) {
		northbound_put_count(node, "effective-units", family->effective_units);
		northbound_put_count(node, "base-entries", family->base_entries);
		northbound_put_count(node, "override-entries", family->override_entries);
	}
	northbound_kpi_put_element_family(node, family);
	for (int side = 0; side < SIDE_COUNT; side++)
		put_peer(node, &family->peer[side], side);
	for (size_t i = 0; i < family->pool_count; i++)
		put_pool(node, &family->pools[i]);
	if (family->blocks.blocks > 0)
		put_blocks(northbound_add_inner(node, "port-blocks"), &family->blocks,
		    family->hosts_known);
	if (family->hosts_known && family->blocks.hosts < 0x1p64)
		put(node, "hosts", "%.0f", family->blocks.hosts);
}

static void
put_loads(struct lyd_node *node, const struct status *status, const struct status_element *element)
{
	put(node, "capacity", "%.3f", element->capacity);
	put(node, "load-base", "%.3f", element->load_base);
	if (status->lists_known)
		put(node, "load-now", "%.3f", element->load_now);
	put(node, "load-worst", "%.3f", element->load_worst);
}

static void
put_order(
    struct lyd_node *parent, const char *name, const char *by, const char *reason, int64_t at_us)
{
	struct lyd_node *order = northbound_add_inner(parent, name);

	put_text(order, "by", by);
	put_text(order, "reason", reason);
	put_time(order, "at", at_us);
}

static void
put_element(
    struct lyd_node *group, const struct status *status, const struct status_element *element)
{
	struct lyd_node *node = northbound_add_entry(group, "element", element->id);

	put_text(node, "name", element->name);
	northbound_put_count(node, "weight", element->weight);
	northbound_put_count(node, "failed-weight", element->failed_weight);
	put_bool(node, "removed", element->removed);
	put_text(node, "failure-domain", element->failure_domain);
	if (element->capacity > 0)
		put_loads(node, status, element);
	if (element->forced)
		put_order(node, "forced", element->forced_by, element->forced_reason,
		    element->forced_at_us);
	northbound_kpi_put_element(node, element);
	for (int f = 0; f < FAMILY_COUNT; f++)
		if (element->family[f].present)
			put_element_family(node, status, &element->family[f], f);
}

static bool
has_capacities(const struct status_group *group)
{
	for (size_t e = 0; e < group->element_count; e++)
		if (group->elements[e].capacity > 0)
			return true;
	return false;
}

/* All of it but the elements. */
static void
put_group(struct lyd_node *node, const struct status *status, const struct status_group *group)
{
	put_text(node, "name", group->name);
	put(node, "severity", "%s", status_severity_names[status_group_severity(status, group)]);
	if (has_capacities(group))
		put_text(node, "capacity-label", group->capacity_label);
	if (group->tolerance_known) {
		northbound_put_count(node, "failures-tolerated", group->tolerance.failures);
		put_text(node, "failures-limit", tolerance_limit_names[group->tolerance.limit]);
	}
	if (group->frozen_by)
		put_order(node, "operator-freeze", group->frozen_by, group->frozen_reason,
		    group->frozen_at_us);
	if (group->altered_by)
		put_order(node, "operator-alter", group->altered_by, group->altered_reason,
		    group->altered_at_us);
	for (int f = 0; f < FAMILY_COUNT; f++)
		if (group->family[f].present)
			put_group_family(node, status, &group->family[f], f);
}

void
northbound_state_put_record(
    struct lyd_node *parent, const struct history_record *record, bool is_output)
{
	bool is_commit = record->open_sent_us > 0 || record->edits > 0;

	northbound_put_time(parent, is_output, "time", record->when_us);
	northbound_put_text(parent, is_output, "kind", record->kind);
	northbound_put_text(parent, is_output, "subject", record->subject);
	northbound_put_text(parent, is_output, "text", record->text);
	if (record->plan > 0)
		northbound_put(parent, is_output, "plan", "%ju", (uintmax_t)record->plan);
	northbound_put_text(parent, is_output, "who", record->who);
	northbound_put_text(parent, is_output, "cause", record->cause);
	northbound_put_text(parent, is_output, "group", record->group);
	northbound_put_text(parent, is_output, "groups", record->groups);
	northbound_put_text(parent, is_output, "family", record->family);
	northbound_put_text(parent, is_output, "healthy", record->healthy);
	northbound_put_text(parent, is_output, "layout-before", record->layout_before);
	northbound_put_text(parent, is_output, "layout-after", record->layout_after);
	if (record->layout_after)
		northbound_put(parent, is_output, "moved", "%u", record->moved);
	if (is_commit)
		northbound_put(parent, is_output, "edits", "%u", record->edits);
	northbound_put_time(parent, is_output, "first-event", record->first_event_us);
	northbound_put_time(parent, is_output, "open-sent", record->open_sent_us);
	northbound_put_time(parent, is_output, "commit-sent", record->commit_sent_us);
	northbound_put_time(parent, is_output, "committed", record->committed_us);
	northbound_put_time(parent, is_output, "read-back", record->read_back_us);
}

/* ---- the stream ----------------------------------------------------------------------------- */

enum { ALARMS_AT_ONCE = 8 };

enum part { PART_AGENT, PART_KPI, PART_ALARMS, PART_GROUPS, PART_END };

struct state_stream {
	struct northbound_stream stream;
	const struct lys_module *module; /* borrowed */
	struct status *status;           /* held */
	enum part part;                  /* what comes next, and where in it */
	size_t alarm, group, element;
	bool in_group; /* the head of this group is written */
};

/* Without the namespace, which container state has said already. */
static void
write_node(struct evbuffer *out, const struct lyd_node *node)
{
	static const char namespace[] = " xmlns=\"" AUTOFBF_NS "\"";
	char *text = NULL, *at = NULL;

	if (lyd_print_mem(&text, node, LYD_XML, LYD_PRINT_SHRINK) == LY_SUCCESS && text)
		at = strstr(text, namespace);
	if (at) {
		evbuffer_add(out, text, (size_t)(at - text));
		at += sizeof(namespace) - 1;
		evbuffer_add(out, at, strlen(at));
	}
	free(text);
}

static void
write_nodes(struct evbuffer *out, const struct lyd_node *first)
{
	for (const struct lyd_node *node = first; node; node = node->next)
		write_node(out, node);
}

static void
write_agent(struct state_stream *self, struct lyd_node *state, struct evbuffer *out)
{
	const struct status *status = self->status;

	put_agent(state, status);
	put_router(state, status);
	put_last_commit(state, &status->last);
	for (int s = 0; s < SOURCE_COUNT; s++)
		put_source(state, &status->source[s], s);
	put_audit(state, status);
	evbuffer_add_printf(out, "<state xmlns=\"" AUTOFBF_NS "\">");
	write_nodes(out, lyd_child(state));
	self->part = PART_KPI;
}

static void
write_kpi(struct state_stream *self, struct lyd_node *state, struct evbuffer *out)
{
	northbound_kpi_put_agent(state, self->status);
	write_nodes(out, lyd_child(state));
	self->part = PART_ALARMS;
}

static void
write_alarms(struct state_stream *self, struct lyd_node *state, struct evbuffer *out)
{
	const struct status *status = self->status;

	for (int i = 0; i < ALARMS_AT_ONCE && self->alarm < status->alarm_count; i++)
		put_alarm(state, &status->alarms[self->alarm++]);
	if (self->alarm == status->alarm_count) {
		northbound_put_count(state, "alarms-suppressed", status->alarms_suppressed);
		put_time(state, "alarms-last-change", status->alarms_last_change_us);
		self->part = status->group_count > 0 ? PART_GROUPS : PART_END;
	}
	write_nodes(out, lyd_child(state));
}

/* The head of a group, or its next element. */
static void
write_group(struct state_stream *self, struct lyd_node *state, struct evbuffer *out)
{
	const struct status_group *group = &self->status->groups[self->group];
	struct lyd_node *node = northbound_add_entry(state, "group", group->id);

	if (!self->in_group) {
		put_group(node, self->status, group);
		evbuffer_add_printf(out, "<group>");
		write_nodes(out, lyd_child(node));
		self->in_group = true;
	} else {
		put_element(node, self->status, &group->elements[self->element++]);
		write_nodes(out, lyd_child_no_keys(node));
	}
	if (self->element < group->element_count)
		return;
	evbuffer_add_printf(out, "</group>");
	self->element = 0;
	self->in_group = false;
	if (++self->group == self->status->group_count)
		self->part = PART_END;
}

static bool
write_state(struct northbound_stream *stream, struct evbuffer *out)
{
	static void (*const writers[])(struct state_stream *, struct lyd_node *,
	    struct evbuffer *) = { write_agent, write_kpi, write_alarms, write_group };
	struct state_stream *self = (struct state_stream *)stream;
	struct lyd_node *state;

	if (lyd_new_inner(NULL, self->module, "state", false, &state) != LY_SUCCESS)
		fatal("yang/autofbf.yang has no container state");
	writers[self->part](self, state, out);
	lyd_free_all(state);
	if (self->part != PART_END)
		return true;
	evbuffer_add_printf(out, "</state>");
	return false;
}

static void
free_state(struct northbound_stream *stream)
{
	struct state_stream *self = (struct state_stream *)stream;

	status_free(self->status);
	free(self);
}

struct northbound_stream *
northbound_state_new(const struct lys_module *module, const struct status *status)
{
	struct state_stream *self = xcalloc(1, sizeof(*self));

	self->stream = (struct northbound_stream){ .write = write_state, .free = free_state };
	self->module = module;
	self->status = status_hold(status);
	return &self->stream;
}
