/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Key figures for the picture that readers get. What could not be read is explained, in the words
 * of the router where it said something; a sum is there only when all its parts are.
 */
#include "agent_kpi_internal.h"

#include <stdlib.h>
#include <string.h>

#include "agent_internal.h"

struct reading_clock {
	struct mtime now;
	int64_t wall_us;
};

static int64_t
to_wall(const struct reading_clock *clock, struct mtime t)
{
	return t.us ? clock->wall_us - (clock->now.us - t.us) : 0;
}

static void
fill_measurement(const struct kpi_meter *meter, const struct reading_clock *clock,
    struct status_measurement *ret)
{
	ret->measured_us = to_wall(clock, meter->at);
	ret->window_ms = meter->has_rate ? (uint32_t)(meter->window_us / 1000) : 0;
	ret->discontinuity_us = to_wall(clock, meter->discontinuity);
}

static struct status_rate
rate_of(const struct kpi_meter *meter)
{
	return (struct status_rate){ meter->reading.packets, meter->reading.octets,
		meter->packets_s, meter->bits_s };
}

static char *
explain_port(const struct agent *agent, size_t g, size_t e, enum family f, enum side s)
{
	const char *name = agent_peer_interface(agent, g, e, f, s);
	const struct kpi_port *port = agent_kpi_port(agent, g, e, f, s);
	char address[IP_TEXT_SIZE];

	if (!name)
		return xasprintf("the router does not name an interface towards %s: give "
		                 "interface in the profile",
		    ip_format(
		        &agent->profile->groups[g].elements[e].family[f].peer[s].address, address));
	if (port && port->is_shared)
		return xasprintf("%s: other elements use it as well, so nobody knows whose packets "
		                 "it counts; only an interface of its own tells",
		    name);
	if (port && port->trouble)
		return xasprintf("%s: %s", name, port->trouble);
	if (!port || !port->sent.has_reading)
		return xasprintf("%s: not read yet", name);
	return NULL;
}

static void
add_load(const struct kpi_port *port, struct status_load *ret, struct kpi_meter *sent,
    struct kpi_meter *received)
{
	ret->interfaces =
	    xreallocarray(ret->interfaces, ret->interface_count + 1, sizeof(*ret->interfaces));
	ret->interfaces[ret->interface_count++] = xstrdup(port->name);
	kpi_meter_add(sent, &port->sent);
	kpi_meter_add(received, &port->received);
}

static void
fill_load(const struct agent *agent, size_t g, size_t e, enum side s, struct status_load *ret,
    const struct reading_clock *clock)
{
	struct kpi_meter sent = { 0 }, received = { 0 };
	const struct kpi_port *last = NULL;

	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		const struct kpi_port *port = agent_kpi_port(agent, g, e, f, s);

		if (!agent->profile->groups[g].elements[e].family[f].present)
			continue;
		ret->measurement.unavailable = explain_port(agent, g, e, f, s);
		if (ret->measurement.unavailable)
			return;
		if (port != last)
			add_load(port, ret, &sent, &received);
		last = port;
	}
	fill_measurement(&sent, clock, &ret->measurement);
	ret->sent = rate_of(&sent);
	ret->received = rate_of(&received);
}

/* The counter is ID-SUFFIX in the group's filter. */
static char *
explain_counter(const struct agent_kpi *kpi, const struct kpi_meter *meter, size_t g, enum family f,
    enum side s, const char *id, const char *suffix)
{
	const struct kpi_filter *filter = &kpi->groups[g].filters[f][s];
	char *name, *text;

	if (meter->has_reading)
		return NULL;
	if (!filter->was_read)
		return xstrdup("not read yet");
	name = agent_kpi_filter_name(&kpi->profile->groups[g], f, s);
	text = filter->trouble
	           ? xasprintf("filter %s: %s", name, filter->trouble)
	           : xasprintf("the router has no counter %s-%s in filter %s: router-config has "
	                       "it",
	                 id, suffix, name);
	free(name);
	return text;
}

static void
fill_steered(const struct agent_kpi *kpi, size_t g, size_t e, enum family f, enum side s,
    struct status_steered *ret, const struct reading_clock *clock)
{
	const struct kpi_meter *terms = kpi->groups[g].elements[e].terms[f][s];
	struct kpi_meter sum = { 0 };

	ret->present = agent_kpi_is_steered(&kpi->profile->groups[g], f, s);
	if (!ret->present)
		return;
	for (enum kpi_layer layer = 0; layer < KPI_LAYERS; layer++) {
		kpi_meter_add(&sum, &terms[layer]);
		ret->measurement.unavailable = explain_counter(kpi, &terms[layer], g, f, s,
		    kpi->profile->groups[g].elements[e].id, kpi_layer_names[layer]);
		if (ret->measurement.unavailable)
			return;
	}
	fill_measurement(&sum, clock, &ret->measurement);
	ret->rate = rate_of(&sum);
	ret->override_packets = terms[KPI_OVERRIDE].reading.packets;
}

static void
fill_unlisted(const struct agent_kpi *kpi, size_t g, enum family f, struct status_group_family *ret,
    const struct reading_clock *clock)
{
	const struct profile_group *group = &kpi->profile->groups[g];
	struct kpi_meter sum = { 0 };

	for (enum side s = 0; s < SIDE_COUNT; s++) {
		const struct kpi_meter *meter = &kpi->groups[g].filters[f][s].unlisted;

		if (!agent_kpi_is_steered(group, f, s))
			continue;
		kpi_meter_add(&sum, meter);
		ret->unlisted_measurement.unavailable =
		    explain_counter(kpi, meter, g, f, s, group->id, "subscribers");
		if (ret->unlisted_measurement.unavailable)
			return;
	}
	fill_measurement(&sum, clock, &ret->unlisted_measurement);
	ret->unlisted = rate_of(&sum);
}

static void
fill_group_family(const struct agent_kpi *kpi, size_t g, enum family f,
    struct status_group_family *ret, const struct reading_clock *clock)
{
	const struct kpi_group *group = &kpi->groups[g];
	int64_t away_us = group->away_us[f];

	if (!mtime_is_never(group->away_since[f]))
		away_us += clock->now.us - group->away_since[f].us;
	ret->displaced_s = (uint64_t)away_us / 1000000;
	fill_unlisted(kpi, g, f, ret, clock);
}

void
agent_kpi_fill(const struct agent *agent, struct status *status, struct mtime now, int64_t wall_us)
{
	const struct agent_kpi *kpi = agent->kpi;
	const struct reading_clock clock = { now, wall_us };

	memcpy(status->reaction, kpi->reaction, sizeof(status->reaction));
	status->lines_added = kpi->lines_added;
	status->lines_removed = kpi->lines_removed;
	status->repairs = kpi->repairs;
	for (size_t g = 0; g < status->group_count; g++) {
		struct status_group *group = &status->groups[g];

		for (enum family f = 0; f < FAMILY_COUNT; f++)
			if (group->family[f].present)
				fill_group_family(kpi, g, f, &group->family[f], &clock);
		for (size_t e = 0; e < group->element_count; e++)
			for (enum side s = 0; s < SIDE_COUNT; s++) {
				struct status_element *element = &group->elements[e];

				fill_load(agent, g, e, s, &element->load[s], &clock);
				for (enum family f = 0; f < FAMILY_COUNT; f++)
					if (element->family[f].present)
						fill_steered(kpi, g, e, f, s,
						    &element->family[f].steered[s], &clock);
			}
	}
}
