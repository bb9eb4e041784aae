/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts together what exists (devices of the kernel, or the interfaces that simulated peers and the
 * configuration name; filter terms of the configuration) with what was counted there. Clearing goes
 * through the same lists with the raw values, which become the new zero: the kernel's own counters
 * are left alone, other programs look at them.
 */
#include "counters.h"

#include <stdlib.h>
#include <string.h>

#include "conf.h"
#include "forwarding.h"
#include "mtime.h"
#include "netdev.h"
#include "plane.h"
#include "router.h"
#include "xmlwalk.h"

/* ---- interfaces ------------------------------------------------------------------------------ */

struct interfaces {
	struct interface_counters *list; /* owned */
	size_t count;
};

static struct interface_counters *
add_interface(struct interfaces *all, const char *name)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->list[i].name, name) == 0)
			return &all->list[i];
	all->list = xreallocarray(all->list, all->count + 1, sizeof(*all->list));
	all->list[all->count] = (struct interface_counters){ .name = xstrdup(name) };
	return &all->list[all->count++];
}

static int
add_devices(struct interfaces *all, struct error *err)
{
	struct netdev *devices;
	size_t count;
	int rc = netdev_read(&devices, &count, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < count; i++) {
		char *name =
		    xasprintf("%s%s", devices[i].name, strchr(devices[i].name, '.') ? "" : ".0");
		struct interface_counters *interface = add_interface(all, name);

		interface->in = (struct meter_value){ devices[i].in_packets, devices[i].in_bytes };
		interface->out =
		    (struct meter_value){ devices[i].out_packets, devices[i].out_bytes };
		free(name);
	}
	free(devices);
	return 0;
}

static void
add_configured(struct interfaces *all, const xmlNode *configuration)
{
	XMLWALK_FOREACH(interface, xmlwalk_child(configuration, "interfaces"), "interface")
	XMLWALK_FOREACH(unit, interface, "unit")
	{
		char *name = xmlwalk_child_text(interface, "name");
		char *number = xmlwalk_child_text(unit, "name");
		char *full = xasprintf("%s.%s", name ? name : "", number ? number : "");

		(void)add_interface(all, full);
		free(full);
		free(number);
		free(name);
	}
}

static int
compare_interfaces(const void *a, const void *b)
{
	const struct interface_counters *one = a, *two = b;

	return strcmp(one->name, two->name);
}

/* As the kernel has them, or zero. */
static int
collect_interfaces(struct labrouter *router, struct interfaces *all, struct error *err)
{
	int rc = 0;

	if (router->plane) {
		rc = add_devices(all, err);
	} else {
		add_configured(all, conf_root(database_merged(router->database)));
		for (size_t i = 0; i < peer_table_count(router->peers); i++)
			if (peer_table_at(router->peers, i)->interface[0])
				(void)add_interface(
				    all, peer_table_at(router->peers, i)->interface);
	}
	if (all->count > 0)
		qsort(all->list, all->count, sizeof(*all->list), compare_interfaces);
	return rc;
}

int
counters_interfaces(struct labrouter *router, struct interface_counters **ret_list,
    size_t *ret_count, struct error *err)
{
	struct interfaces all = { 0 };
	struct mtime now = mtime_now();
	int rc = collect_interfaces(router, &all, err);

	for (size_t i = 0; i < all.count; i++) {
		struct interface_counters *one = &all.list[i];

		one->in = meters_read(router->meters, METER_IN, one->name, one->in, now);
		one->out = meters_read(router->meters, METER_OUT, one->name, one->out, now);
	}
	*ret_list = all.list;
	*ret_count = all.count;
	return rc;
}

void
counters_interfaces_free(struct interface_counters *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(list[i].name);
	free(list);
}

int
counters_clear_interfaces(struct labrouter *router, struct error *err)
{
	struct interfaces all = { 0 };
	struct mtime now = mtime_now();
	int rc = collect_interfaces(router, &all, err);

	for (size_t i = 0; i < all.count; i++) {
		struct interface_counters *one = &all.list[i];

		meters_clear(router->meters, METER_IN, one->name, one->in, now);
		meters_clear(router->meters, METER_OUT, one->name, one->out, now);
	}
	counters_interfaces_free(all.list, all.count);
	router->statistics_cleared_us = wallclock_now_us();
	return rc;
}

/* ---- filter terms ---------------------------------------------------------------------------- */

struct terms {
	struct term_counters *list; /* owned */
	size_t count;
};

static struct term_counters *
find_term(const struct terms *all, const char *filter, const char *name)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->list[i].filter, filter) == 0 &&
		    strcmp(all->list[i].name, name) == 0)
			return &all->list[i];
	return NULL;
}

static void
add_filter(struct terms *all, const xmlNode *filter)
{
	char *filter_name = xmlwalk_child_text(filter, "name");

	XMLWALK_FOREACH(term, filter, "term")
	{
		char *name = xmlwalk_child_text(xmlwalk_child(term, "then"), "count");

		if (name && filter_name && !find_term(all, filter_name, name)) {
			all->list = xreallocarray(all->list, all->count + 1, sizeof(*all->list));
			all->list[all->count++] =
			    (struct term_counters){ .filter = xstrdup(filter_name),
				    .name = xstrdup(name) };
		}
		free(name);
	}
	free(filter_name);
}

static int
add_kernel_values(const struct terms *all, struct plane *plane, struct error *err)
{
	struct forwarding_counter *counters;
	size_t count;
	int rc = plane_read_counters(plane, &counters, &count, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < count; i++) {
		struct term_counters *term = find_term(all, counters[i].filter, counters[i].name);

		if (term) {
			term->value.packets += counters[i].packets;
			term->value.bytes += counters[i].bytes;
		}
	}
	forwarding_counters_free(counters, count);
	return 0;
}

static int
collect_terms(struct labrouter *router, struct terms *all, struct error *err)
{
	const xmlNode *configuration = conf_root(database_merged(router->database));
	const xmlNode *families = xmlwalk_path(configuration, "firewall/family");

	XMLWALK_FOREACH(filter, xmlwalk_child(families, "inet"), "filter")
	add_filter(all, filter);
	XMLWALK_FOREACH(filter, xmlwalk_child(families, "inet6"), "filter")
	add_filter(all, filter);
	return router->plane ? add_kernel_values(all, router->plane, err) : 0;
}

static char *
meter_name(const struct term_counters *term)
{
	return xasprintf("%s %s", term->filter, term->name);
}

int
counters_terms(
    struct labrouter *router, struct term_counters **ret_list, size_t *ret_count, struct error *err)
{
	struct terms all = { 0 };
	struct mtime now = mtime_now();
	int rc = collect_terms(router, &all, err);

	for (size_t i = 0; i < all.count; i++) {
		char *name = meter_name(&all.list[i]);

		all.list[i].value =
		    meters_read(router->meters, METER_TERM, name, all.list[i].value, now);
		free(name);
	}
	*ret_list = all.list;
	*ret_count = all.count;
	return rc;
}

void
counters_terms_free(struct term_counters *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(list[i].filter);
		free(list[i].name);
	}
	free(list);
}

int
counters_clear_terms(struct labrouter *router, struct error *err)
{
	struct terms all = { 0 };
	struct mtime now = mtime_now();
	int rc = collect_terms(router, &all, err);

	for (size_t i = 0; i < all.count; i++) {
		char *name = meter_name(&all.list[i]);

		meters_clear(router->meters, METER_TERM, name, all.list[i].value, now);
		free(name);
	}
	counters_terms_free(all.list, all.count);
	return rc;
}
