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

static const char *const layer_names[KPI_LAYERS] = { "ovr", "base" };

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
	for (size_t g = 0; groups && g < profile->group_count; g++)
		free(groups[g].elements);
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
	free(kpi->filter_trouble);
	kpi->ports = NULL;
	kpi->port_count = 0;
	kpi->filter_trouble = NULL;
	kpi->filters_read = false;
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
complaint_of(const struct junos_reply *reply, enum junos_reply_kind wanted)
{
	const struct junos_error *error = reply ? junos_reply_error(reply) : NULL;

	if (!reply)
		return "no usable reply";
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
read_port(struct kpi_port *port, struct mtime at, const struct junos_reply *reply)
{
	const char *complaint = complaint_of(reply, JUNOS_REPLY_INTERFACES);
	const struct junos_interface *interface = junos_find_interface(reply, port->name);
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
	    &(struct kpi_reading){ traffic->output_packets, traffic->output_bytes }, at);
	kpi_meter_feed(&port->received,
	    &(struct kpi_reading){ traffic->input_packets, traffic->input_bytes }, at);
	return NULL;
}

static void
take_port(struct agent_kpi *kpi, struct mtime at, const char *name, const struct junos_reply *reply)
{
	struct kpi_port *port = get_port(kpi, name);
	const char *complaint = read_port(port, at, reply);

	set_trouble(&port->trouble, complaint);
	if (!complaint)
		return;
	kpi_meter_lose(&port->sent);
	kpi_meter_lose(&port->received);
}

static void
read_counter(struct kpi_meter *meter, struct mtime at, const struct junos_reply *reply,
    const char *filter, const char *name)
{
	const struct junos_counter *counter = junos_find_counter(reply, filter, name);

	if (counter)
		kpi_meter_feed(
		    meter, &(struct kpi_reading){ counter->packets, counter->bytes }, at);
	else
		kpi_meter_lose(meter);
}

/* The names are router-config's. */
static void
take_filter(struct agent_kpi *kpi, struct mtime at, const struct junos_reply *reply, size_t g,
    enum family f, enum side s)
{
	const struct profile_group *group = &kpi->profile->groups[g];
	char *filter = xasprintf("%s-%s-%s", group->id, side_names[s], family_tags[f]);
	char *name = xasprintf("%s-subscribers", group->id);

	read_counter(&kpi->groups[g].unlisted[f][s], at, reply, filter, name);
	free(name);
	for (size_t e = 0; e < group->element_count; e++)
		for (enum kpi_layer layer = 0; layer < KPI_LAYERS; layer++) {
			name = xasprintf("%s-%s", group->elements[e].id, layer_names[layer]);
			read_counter(&kpi->groups[g].elements[e].terms[f][s][layer], at, reply,
			    filter, name);
			free(name);
		}
	free(filter);
}

static void
take_filters(struct agent_kpi *kpi, struct mtime at, const struct junos_reply *reply)
{
	const char *complaint = complaint_of(reply, JUNOS_REPLY_FIREWALL);

	kpi->filters_read = true;
	set_trouble(&kpi->filter_trouble, complaint);
	for (size_t g = 0; g < kpi->profile->group_count; g++)
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			for (enum side s = 0; s < SIDE_COUNT; s++)
				take_filter(kpi, at, complaint ? NULL : reply, g, f, s);
}

void
agent_kpi_take(
    struct agent *agent, struct mtime at, const char *interface, const struct junos_reply *reply)
{
	if (interface) {
		take_port(agent->kpi, at, interface, reply);
		return;
	}
	take_filters(agent->kpi, at, reply);
	agent_proof_judge(agent, at);
	agent_alarm_soon(agent);
	agent_touch(agent);
}

const struct kpi_port *
agent_kpi_port(const struct agent *agent, size_t g, size_t e, enum family f, enum side s)
{
	const char *name = agent_peer_interface(agent, g, e, f, s);

	return name ? find_port(agent->kpi, name) : NULL;
}

void
agent_kpi_sum(const struct agent *agent, size_t g, size_t e, struct kpi_meter *ret_sent,
    struct kpi_meter *ret_received)
{
	*ret_sent = *ret_received = (struct kpi_meter){ 0 };
	for (enum side s = 0; s < SIDE_COUNT; s++) {
		const struct kpi_port *last = NULL;

		for (enum family f = 0; f < FAMILY_COUNT; f++) {
			const struct kpi_port *port = agent_kpi_port(agent, g, e, f, s);

			if (!port || port == last)
				continue;
			kpi_meter_add(ret_sent, &port->sent);
			kpi_meter_add(ret_received, &port->received);
			last = port;
		}
	}
}

/* ---- of the agent itself ------------------------------------------------------------------- */

static void
note_stage(struct agent_kpi *kpi, enum kpi_stage stage, int64_t from_us, int64_t to_us)
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
	if (!last->first_event_us)
		return;
	note_stage(kpi, KPI_SENT, last->first_event_us, last->times.open_sent);
	note_stage(kpi, KPI_COMMITTED, last->times.open_sent, last->times.committed);
	note_stage(kpi, KPI_READ_BACK, last->times.committed, last->times.read_back);
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
