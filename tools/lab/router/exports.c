/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes and announcements after the last commit. Both follow from the merged configuration alone,
 * so a reboot, a switchover and an operator's commit need no code of their own here. Counting the
 * changes lets a test wait for an effect.
 */
#include "exports.h"

#include <stdlib.h>

#include "error.h"

struct exports {
	struct route_table routes;
	struct announcements announcements;
	struct policy_names imports;
	uint64_t changes;
};

struct exports *
exports_new(const struct policy_names *imports)
{
	struct exports *exports = xcalloc(1, sizeof(*exports));

	exports->imports = *imports;
	return exports;
}

void
exports_free(struct exports *exports)
{
	if (!exports)
		return;
	route_table_done(&exports->routes);
	announcements_done(&exports->announcements);
	free(exports);
}

bool
exports_update(struct exports *exports, const xmlNode *configuration, struct mtime now)
{
	struct announcements fresh = { 0 };
	bool is_changed;

	route_table_read(&exports->routes, configuration, now);
	policy_evaluate(configuration, &exports->routes, &exports->imports, &fresh);
	is_changed = !announcements_equal(&exports->announcements, &fresh);
	exports->changes += is_changed;
	announcements_done(&exports->announcements);
	exports->announcements = fresh;
	return is_changed;
}

const struct route_table *
exports_routes(const struct exports *exports)
{
	return &exports->routes;
}

const struct announcements *
exports_announcements(const struct exports *exports)
{
	return &exports->announcements;
}

uint64_t
exports_changes(const struct exports *exports)
{
	return exports->changes;
}

size_t
exports_discard_count(const struct exports *exports)
{
	size_t count = 0;

	for (size_t i = 0; i < exports->routes.count; i++) {
		const struct route *route = &exports->routes.routes[i];

		count += route->kind == ROUTE_DISCARD && route_is_main(route);
	}
	return count;
}
