/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One kernel table per routing instance and family: `ip rule fwmark M lookup M`, the static routes
 * with rising metrics (the first next hop that lives wins), and an unreachable default below them
 * all. The kernel removes routes when their link or address goes away and does not bring them back;
 * a netlink socket tells of links and addresses, and then every route is put in again.
 *
 * All of ours carries one routing protocol number, so that an earlier router's leftovers can be
 * told from everything else.
 */
#include "policy_routing.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "iproute.h"
#include "memtext.h"

enum { FIRST_MARK = 1001, PROTOCOL = 77, METRIC = 10, FLOOR_METRIC = 9999 };

struct instance {
	char *name;
	char *have[FAMILY_COUNT],
	    *want[FAMILY_COUNT]; /* batches of "route replace"; have NULL: none */
};

struct policy_routing {
	struct instance *instances;
	size_t count;
	bool links_changed;
	int fd;
};

static int
watch_links(void)
{
	struct sockaddr_nl local = { .nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd >= 0 && bind(fd, (struct sockaddr *)&local, sizeof(local)) < 0) {
		int code = -errno;

		close(fd);
		return code;
	}
	return fd < 0 ? -errno : fd;
}

struct policy_routing *
policy_routing_new(struct error *err)
{
	struct policy_routing *routing = xcalloc(1, sizeof(*routing));
	char *clean = xasprintf(
	    "rule flush protocol %d\nroute flush table all protocol %d\n", PROTOCOL, PROTOCOL);
	int rc = 0;

	routing->fd = watch_links();
	if (routing->fd < 0)
		rc = error_set(err, routing->fd, "netlink socket: %s", strerror(-routing->fd));
	for (int family = 0; family < FAMILY_COUNT && !rc; family++)
		rc = iproute_batch(family, clean, true, err);
	free(clean);
	if (!rc)
		return routing;
	policy_routing_free(routing);
	return NULL;
}

void
policy_routing_free(struct policy_routing *routing)
{
	if (!routing)
		return;
	for (size_t i = 0; i < routing->count; i++) {
		for (int family = 0; family < FAMILY_COUNT; family++) {
			free(routing->instances[i].have[family]);
			free(routing->instances[i].want[family]);
		}
		free(routing->instances[i].name);
	}
	free(routing->instances);
	if (routing->fd >= 0)
		close(routing->fd);
	free(routing);
}

static struct instance *
find_instance(const struct policy_routing *routing, const char *name)
{
	for (size_t i = 0; i < routing->count; i++)
		if (!strcmp(routing->instances[i].name, name))
			return &routing->instances[i];
	return NULL;
}

static uint32_t
mark_of(const struct policy_routing *routing, const struct instance *instance)
{
	return FIRST_MARK + (uint32_t)(instance - routing->instances);
}

void
policy_routing_learn(struct policy_routing *routing, const struct filter_config *config)
{
	for (size_t i = 0; i < config->instance_count; i++) {
		const char *name = config->instances[i].name;

		if (find_instance(routing, name))
			continue;
		routing->instances = xreallocarray(
		    routing->instances, routing->count + 1, sizeof(*routing->instances));
		routing->instances[routing->count++] = (struct instance){ .name = xstrdup(name) };
	}
}

uint32_t
policy_routing_mark(const struct policy_routing *routing, const char *name)
{
	const struct instance *instance = find_instance(routing, name);

	return instance ? mark_of(routing, instance) : 0;
}

static void
write_route(FILE *out, const struct filter_route *route, uint32_t table)
{
	char prefix[PREFIX_TEXT_SIZE], hop[IP_TEXT_SIZE];

	prefix_format(&route->prefix, prefix);
	if (route->has_next_hop)
		fprintf(out, "route replace %s via %s table %u metric %u protocol %d\n", prefix,
		    ip_format(&route->next_hop, hop), table, METRIC + route->rank, PROTOCOL);
	else
		fprintf(out, "route replace unreachable %s table %u metric %d protocol %d\n",
		    prefix, table, FLOOR_METRIC - 1, PROTOCOL);
}

static char *
make_batch(const struct filter_instance *instance, enum family family, uint32_t table)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = memtext_open(&text, &size);

	fprintf(out, "route replace unreachable default table %u metric %d protocol %d\n", table,
	    FLOOR_METRIC, PROTOCOL);
	for (size_t i = 0; instance && i < instance->route_count; i++)
		if (instance->routes[i].prefix.address.family == family)
			write_route(out, &instance->routes[i], table);
	if (fclose(out))
		fatal("out of memory");
	return text;
}

void
policy_routing_want(struct policy_routing *routing, const struct filter_config *config)
{
	for (size_t i = 0; i < routing->count; i++) {
		struct instance *instance = &routing->instances[i];
		const struct filter_instance *found = NULL;

		for (size_t k = 0; k < config->instance_count; k++)
			if (!strcmp(config->instances[k].name, instance->name))
				found = &config->instances[k];
		for (int family = 0; family < FAMILY_COUNT; family++) {
			free(instance->want[family]);
			instance->want[family] =
			    make_batch(found, family, mark_of(routing, instance));
		}
	}
}

static bool
differs(const struct instance *instance, enum family family)
{
	return instance->want[family] &&
	       (!instance->have[family] || strcmp(instance->have[family], instance->want[family]));
}

bool
policy_routing_is_pending(const struct policy_routing *routing)
{
	if (routing->links_changed && routing->count)
		return true;
	for (size_t i = 0; i < routing->count; i++)
		for (int family = 0; family < FAMILY_COUNT; family++)
			if (differs(&routing->instances[i], family))
				return true;
	return false;
}

/* The rule once, an empty table when the routes are others than before, then the routes. */
static void
write_instance(FILE *out, const struct policy_routing *routing, const struct instance *instance,
    enum family family)
{
	uint32_t mark = mark_of(routing, instance);

	if (!instance->have[family])
		fprintf(out, "rule add pref %u fwmark %u lookup %u protocol %d\n", mark, mark, mark,
		    PROTOCOL);
	else if (differs(instance, family))
		fprintf(out, "route flush table %u\n", mark);
	fputs(instance->want[family], out);
}

static int
apply_family(struct policy_routing *routing, enum family family, struct error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = memtext_open(&text, &size);
	int rc = 0;

	for (size_t i = 0; i < routing->count; i++)
		if (routing->instances[i].want[family] &&
		    (routing->links_changed || differs(&routing->instances[i], family)))
			write_instance(out, routing, &routing->instances[i], family);
	if (fclose(out))
		fatal("out of memory");
	if (size)
		rc = iproute_batch(family, text, routing->links_changed, err);
	free(text);
	for (size_t i = 0; i < routing->count && !rc; i++) {
		struct instance *instance = &routing->instances[i];

		free(instance->have[family]);
		instance->have[family] =
		    instance->want[family] ? xstrdup(instance->want[family]) : NULL;
	}
	return rc;
}

int
policy_routing_apply(struct policy_routing *routing, struct error *err)
{
	for (int family = 0; family < FAMILY_COUNT; family++) {
		int rc = apply_family(routing, family, err);

		if (rc)
			return rc;
	}
	routing->links_changed = false;
	return 0;
}

int
policy_routing_fd(const struct policy_routing *routing)
{
	return routing->fd;
}

void
policy_routing_links_changed(struct policy_routing *routing)
{
	char buffer[8192];

	while (recv(routing->fd, buffer, sizeof(buffer), 0) > 0)
		continue;
	routing->links_changed = true;
}
