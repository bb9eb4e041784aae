/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The meters of a running agent. After each poll the router's counters come one by one: the
 * interfaces towards the elements (how much goes in and comes back) and the terms of the filters
 * (who was steered, and who is in no list). The interfaces are those of the BFD sessions, as the
 * router names them, unless the profile says others; filters and counters have the names that
 * router-config gives them.
 *
 * A reading that fails is a reason to show, never a zero. Both families of an element may share an
 * interface: it is read and counted once.
 */
#include "agent_kpi_internal.h"

#include <stdlib.h>
#include <string.h>

#include "agent_internal.h"

enum { ROUND_MS = 2000, BOOT_JITTER_MS = 2000 };
const char *const kpi_layer_names[KPI_LAYERS] = { "ovr", "base" };

/* ---- birth --------------------------------------------------------------------------------- */

/* Ports are sorted by name: alarms ask for each of them after every event. */
static size_t
find_place(const struct agent_kpi *kpi, const char *name)
{
	size_t low = 0, high = kpi->port_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(kpi->ports[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct kpi_port *
find_port(const struct agent_kpi *kpi, const char *name)
{
	size_t at = find_place(kpi, name);

	return at < kpi->port_count && strcmp(kpi->ports[at].name, name) == 0 ? &kpi->ports[at]
	                                                                      : NULL;
}

static struct kpi_port *
get_port(struct agent_kpi *kpi, const char *name)
{
	struct kpi_port *port = find_port(kpi, name);
	size_t at = find_place(kpi, name);

	if (port)
		return port;
	kpi->ports = xreallocarray(kpi->ports, kpi->port_count + 1, sizeof(*kpi->ports));
	port = &kpi->ports[at];
	memmove(port + 1, port, (kpi->port_count - at) * sizeof(*port));
	kpi->port_count++;
	*port = (struct kpi_port){ .name = xstrdup(name) };
	return port;
}

static void
open_groups(struct agent_kpi *kpi)
{
	kpi->groups = xcalloc(kpi->profile->group_count, sizeof(*kpi->groups));
	for (size_t g = 0; g < kpi->profile->group_count; g++) {
		size_t count = kpi->profile->groups[g].element_count;

		kpi->groups[g].elements = xcalloc(count, sizeof(struct kpi_element));
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			kpi->groups[g].away_since[f] = MTIME_NEVER;
	}
}

static void
free_groups(struct kpi_group *groups, const struct profile *profile)
{
	for (size_t g = 0; groups && g < profile->group_count; g++) {
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; s < SIDE_COUNT; s++)
				free(groups[g].filters[f][s].trouble);
		free(groups[g].elements);
	}
	free(groups);
}

static void
close_ports(struct agent_kpi *kpi)
{
	for (size_t i = 0; i < kpi->port_count; i++) {
		free(kpi->ports[i].name);
		free(kpi->ports[i].trouble);
	}
	free(kpi->ports);
	kpi->ports = NULL;
	kpi->port_count = 0;
	kpi->look_at = MTIME_NEVER;
}

struct agent_kpi *
agent_kpi_new(const struct profile *profile)
{
	struct agent_kpi *kpi = xcalloc(1, sizeof(*kpi));

	kpi->profile = profile;
	kpi->look_at = MTIME_NEVER;
	open_groups(kpi);
	return kpi;
}

void
agent_kpi_free(struct agent_kpi *kpi)
{
	if (!kpi)
		return;
	free_groups(kpi->groups, kpi->profile);
	close_ports(kpi);
	free(kpi);
}

void
agent_kpi_set_profile(struct agent_kpi *kpi, const struct profile *profile)
{
	const struct profile *was = kpi->profile;
	struct kpi_group *old = kpi->groups;

	close_ports(kpi);
	kpi->profile = profile;
	open_groups(kpi);
	for (size_t g = 0; g < profile->group_count; g++) {
		size_t i = profile_group_index(was, profile->groups[g].id);

		if (i == SIZE_MAX)
			continue;
		memcpy(kpi->groups[g].away_since, old[i].away_since, sizeof(old[i].away_since));
		memcpy(kpi->groups[g].away_us, old[i].away_us, sizeof(old[i].away_us));
	}
	free_groups(old, was);
}

/* ---- readings ------------------------------------------------------------------------------ */

static const char *
complaint_of(const struct router_count *count, enum junos_reply_kind wanted)
{
	const struct junos_reply *reply = count->reply;
	const struct junos_error *error = reply ? junos_reply_error(reply) : NULL;

	if (!reply)
		return count->failure;
	if (error)
		return error->message;
	if (reply->kind == wanted)
		return NULL;
	return reply->kind == JUNOS_REPLY_TEXT && reply->text ? reply->text
	                                                      : "another reply than expected";
}

static void
set_trouble(char **trouble, const char *text)
{
	free(*trouble);
	*trouble = text ? xstrdup(text) : NULL;
}

/* The router's own packets (BGP, BFD) are left out where it tells them apart. */
static const struct junos_traffic *
choose_traffic(const struct junos_interface *interface)
{
	return interface->transit.output_packets != JUNOS_NO_COUNT ? &interface->transit
	                                                           : &interface->traffic;
}

static bool
is_complete(const struct junos_traffic *traffic)
{
	return traffic->input_packets != JUNOS_NO_COUNT &&
	       traffic->output_packets != JUNOS_NO_COUNT &&
	       traffic->input_bytes != JUNOS_NO_COUNT && traffic->output_bytes != JUNOS_NO_COUNT;
}

static const char *
read_port(struct kpi_port *port, const struct router_count *count)
{
	const char *complaint = complaint_of(count, JUNOS_REPLY_INTERFACES);
	const struct junos_interface *interface = junos_find_interface(count->reply, port->name);
	const struct junos_traffic *traffic = interface ? choose_traffic(interface) : NULL;

	if (complaint)
		return complaint;
	if (!interface)
		return "the router has no such interface";
	if (!is_complete(traffic) && is_complete(&interface->traffic))
		traffic = &interface->traffic;
	if (!is_complete(traffic))
		return "the router tells no packets and bytes for it";
	kpi_meter_feed(&port->sent,
	    &(struct kpi_reading){ traffic->output_packets, traffic->output_bytes },
	    count->read_at);
	kpi_meter_feed(&port->received,
	    &(struct kpi_reading){ traffic->input_packets, traffic->input_bytes }, count->read_at);
	return NULL;
}

static void
take_port(struct agent_kpi *kpi, const struct router_count *count)
{
	struct kpi_port *port = get_port(kpi, count->interface);
	const char *complaint = read_port(port, count);

	set_trouble(&port->trouble, complaint);
	if (!complaint)
		return;
	kpi_meter_lose(&port->sent);
	kpi_meter_lose(&port->received);
}

static void
read_counter(struct kpi_meter *meter, const struct router_count *count, const char *name)
{
	const struct junos_counter *counter = junos_find_counter(count->reply, count->filter, name);

	if (counter && counter->packets != JUNOS_NO_COUNT && counter->bytes != JUNOS_NO_COUNT)
		kpi_meter_feed(meter, &(struct kpi_reading){ counter->packets, counter->bytes },
		    count->read_at);
	else
		kpi_meter_lose(meter);
}

/* The names are router-config's. */
static void
take_filter(
    struct agent *agent, const struct router_count *count, size_t g, enum family f, enum side s)
{
	const struct profile_group *group = &agent->profile->groups[g];
	struct kpi_group *kpi = &agent->kpi->groups[g];
	struct kpi_filter *filter = &kpi->filters[f][s];
	char *name = xasprintf("%s-subscribers", group->id);

	filter->was_read = true;
	set_trouble(&filter->trouble, complaint_of(count, JUNOS_REPLY_FIREWALL));
	read_counter(&filter->unlisted, count, name);
	free(name);
	if (filter->unlisted.has_rate &&
	    filter->unlisted.reading.packets > filter->unlisted.before.packets)
		agent_load_note_unlisted(agent, g, f, count->read_at);
	for (size_t e = 0; e < group->element_count; e++)
		for (enum kpi_layer layer = 0; layer < KPI_LAYERS; layer++) {
			name = xasprintf("%s-%s", group->elements[e].id, kpi_layer_names[layer]);
			read_counter(&kpi->elements[e].terms[f][s][layer], count, name);
			free(name);
		}
}

static void
take_filters(struct agent *agent, const struct router_count *count)
{
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; s < SIDE_COUNT; s++) {
				char *name =
				    agent_kpi_filter_name(&agent->profile->groups[g], f, s);

				if (strcmp(name, count->filter) == 0)
					take_filter(agent, count, g, f, s);
				free(name);
			}
}

void
agent_kpi_take(struct agent *agent, const struct router_count *count)
{
	if (count->interface)
		take_port(agent->kpi, count);
	else
		take_filters(agent, count);
	if (!count->ends_round)
		return;
	agent_proof_judge(agent, count->read_at);
	if (!count->is_extra)
		agent_load_judge(agent, count->read_at);
	agent_alarm_soon(agent);
	agent_touch(agent);
}

/* ---- restarts ------------------------------------------------------------------------------ */

void
agent_kpi_note_filters(struct agent_kpi *kpi)
{
	for (size_t g = 0; g < kpi->profile->group_count; g++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; s < SIDE_COUNT; s++) {
				struct kpi_group *group = &kpi->groups[g];

				kpi_meter_restart(&group->filters[f][s].unlisted);
				for (size_t e = 0; e < kpi->profile->groups[g].element_count; e++)
					for (enum kpi_layer l = 0; l < KPI_LAYERS; l++)
						kpi_meter_restart(
						    &group->elements[e].terms[f][s][l]);
			}
}

void
agent_kpi_note_boot(struct agent_kpi *kpi, struct mtime booted_at)
{
	bool is_new =
	    kpi->booted_at.us && mtime_diff_ms(booted_at, kpi->booted_at) > BOOT_JITTER_MS;

	if (!kpi->booted_at.us || is_new)
		kpi->booted_at = booted_at;
	if (!is_new)
		return;
	agent_kpi_note_filters(kpi);
	for (size_t i = 0; i < kpi->port_count; i++) {
		kpi_meter_restart(&kpi->ports[i].sent);
		kpi_meter_restart(&kpi->ports[i].received);
	}
}

/* ---- ports that elements share --------------------------------------------------------------- */

void
agent_kpi_forget_users(struct agent_kpi *kpi)
{
	for (size_t i = 0; i < kpi->port_count; i++) {
		kpi->ports[i].user = NULL;
		kpi->ports[i].is_shared = false;
	}
}

void
agent_kpi_note_user(
    struct agent_kpi *kpi, const char *interface, const struct profile_element *element)
{
	struct kpi_port *port = get_port(kpi, interface);

	port->is_shared |= port->user && port->user != element;
	port->user = element;
}

/* ---- what others ask for ------------------------------------------------------------------- */

const struct kpi_port *
agent_kpi_port(const struct agent *agent, size_t g, size_t e, enum family f, enum side s)
{
	const char *name = agent_peer_interface(agent, g, e, f, s);

	return name ? find_port(agent->kpi, name) : NULL;
}

void
agent_kpi_add_side(const struct agent *agent, size_t g, size_t e, enum side s,
    struct kpi_meter *sent, struct kpi_meter *received)
{
	const struct kpi_meter unknown = { 0 };
	const struct kpi_port *last = NULL;

	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		const struct kpi_port *port = agent_kpi_port(agent, g, e, f, s);

		if (!port || port == last)
			continue;
		kpi_meter_add(sent, port->is_shared ? &unknown : &port->sent);
		kpi_meter_add(received, port->is_shared ? &unknown : &port->received);
		last = port;
	}
}

static void
add_terms(const struct agent *agent, size_t g, size_t e, enum family f, struct kpi_meter *sum)
{
	const struct kpi_element *element = &agent->kpi->groups[g].elements[e];

	for (enum side s = 0; s < SIDE_COUNT; s++)
		for (enum kpi_layer layer = 0; layer < KPI_LAYERS; layer++)
			if (agent_kpi_is_steered(&agent->profile->groups[g], f, s))
				kpi_meter_add(sum, &element->terms[f][s][layer]);
}

/* Then whoever sends to the pools goes on sending to this element, whoever has its units. */
static bool
returns_by_routes(const struct agent *agent, size_t g)
{
	for (enum family f = 0; f < FAMILY_COUNT; f++)
		if (agent->family[g][f].space &&
		    agent->profile->groups[g].return_path[f] == RETURN_NAT_ROUTES)
			return true;
	return false;
}

void
agent_kpi_gauge(
    const struct agent *agent, size_t g, size_t e, enum kpi_gauge gauge, struct kpi_meter *ret)
{
	struct kpi_meter received = { 0 };

	*ret = (struct kpi_meter){ 0 };
	if (gauge < KPI_BY_INTERFACES)
		add_terms(agent, g, e, (enum family)gauge, ret);
	else
		for (enum side s = 0; s < SIDE_COUNT; s++)
			if (s == SIDE_INSIDE || !returns_by_routes(agent, g))
				agent_kpi_add_side(agent, g, e, s, ret, &received);
}

bool
agent_kpi_is_steered(const struct profile_group *group, enum family f, enum side s)
{
	return s == SIDE_INSIDE || group->return_path[f] == RETURN_FILTER;
}

char *
agent_kpi_filter_name(const struct profile_group *group, enum family f, enum side s)
{
	return xasprintf("%s-%s-%s", group->id, side_names[s], family_tags[f]);
}

int64_t
agent_kpi_stale_ms(const struct agent *agent)
{
	return (int64_t)agent->profile->poll_interval_ms * AGENT_STALE_POLLS + ROUND_MS;
}

/* ---- of the agent itself ------------------------------------------------------------------- */

void
agent_kpi_note_stage(struct agent_kpi *kpi, enum kpi_stage stage, int64_t from_us, int64_t to_us)
{
	if (from_us > 0 && to_us >= from_us)
		kpi_histogram_add(&kpi->reaction[stage], (uint64_t)(to_us - from_us));
}

void
agent_kpi_note_commit(struct agent *agent)
{
	struct agent_kpi *kpi = agent->kpi;
	const struct status_commit *last = &agent->last;

	kpi->lines_added += agent->planned.adds;
	kpi->lines_removed += agent->planned.removes;
	kpi->repairs += !agent->planned.cause;
	agent_kpi_note_filters(kpi);
	if (!last->first_event_us)
		return;
	agent_kpi_note_stage(kpi, KPI_SENT, last->first_event_us, last->times.open_sent);
	agent_kpi_note_stage(kpi, KPI_COMMITTED, last->times.open_sent, last->times.committed);
	agent_kpi_note_stage(kpi, KPI_READ_BACK, last->times.committed, last->times.read_back);
}

/* Somebody who has base units is not in the set that the layout was made from. */
static bool
is_away(const struct agent_family *family)
{
	const struct profile_group *group;

	if (!family->space || !family->layout || !family->healthy)
		return false;
	group = layout_space_group(family->space);
	for (size_t e = 0; e < group->element_count; e++)
		if (!family->healthy[e] && layout_space_base_count(family->space, e) > 0)
			return true;
	return false;
}

void
agent_kpi_follow(struct agent *agent, struct mtime now)
{
	for (size_t g = 0; g < agent->profile->group_count; g++)
		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			struct kpi_group *group = &agent->kpi->groups[g];
			bool was_away = !mtime_is_never(group->away_since[f]);
			bool away = is_away(&agent->family[g][f]);

			if (away && !was_away)
				group->away_since[f] = now;
			if (was_away && !away) {
				group->away_us[f] += now.us - group->away_since[f].us;
				group->away_since[f] = MTIME_NEVER;
			}
		}
}
