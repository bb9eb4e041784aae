/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bgpd lists for each prefix all paths that it has. The peer of a path is its "peerId" ("(unspec)"
 * for a network statement of its own), "bestpath" marks the one in use, and a path that is not
 * "valid" has an unreachable next hop: Junos would hide it. Local preference is left out by bgpd
 * where it is the default, which it always is on an external session without a policy.
 */
#include "frr_routes.h"

#include <stdlib.h>

#include "error.h"

static const char *
text_of(json_object *object, const char *key)
{
	json_object *value;

	return json_object_object_get_ex(object, key, &value) ? json_object_get_string(value)
	                                                      : NULL;
}

static bool
is_set(json_object *object, const char *key)
{
	json_object *value;

	return json_object_object_get_ex(object, key, &value) && json_object_get_boolean(value);
}

static void
add_path(
    struct frr_routes *routes, const struct prefix *prefix, json_object *path, struct mtime now)
{
	struct learned_route route = { .prefix = *prefix,
		.local_preference = LEARNED_LOCAL_PREFERENCE,
		.may_win = is_set(path, "bestpath"),
		.since = now };
	const char *peer = text_of(path, "peerId");
	json_object *preference;

	if (!is_set(path, "valid") || !peer || ip_parse(peer, &route.peer) < 0)
		return;
	if (json_object_object_get_ex(path, "locPrf", &preference))
		route.local_preference = (uint32_t)json_object_get_int64(preference);
	routes->list = xreallocarray(routes->list, routes->count + 1, sizeof(*routes->list));
	routes->list[routes->count++] = route;
}

void
frr_routes_add(struct frr_routes *routes, json_object *answer, struct mtime now)
{
	json_object *table;

	if (!json_object_object_get_ex(answer, "routes", &table) ||
	    !json_object_is_type(table, json_type_object))
		return;
	json_object_object_foreach(table, text, paths)
	{
		struct prefix prefix;

		if (prefix_parse(text, &prefix) < 0 || !json_object_is_type(paths, json_type_array))
			continue;
		for (size_t i = 0; i < json_object_array_length(paths); i++)
			add_path(routes, &prefix, json_object_array_get_idx(paths, i), now);
	}
}

void
frr_routes_done(struct frr_routes *routes)
{
	free(routes->list);
	*routes = (struct frr_routes){ 0 };
}
