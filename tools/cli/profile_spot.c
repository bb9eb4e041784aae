/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the struct profile back to its text: where a group's list, an element or a pool is written.
 * The profile was read from this text a moment ago, so what it has the text has too; anything else
 * is a fault of this program and ends it. Keys are compared by what they mean: an id may be written
 * with escapes, a prefix in another form than ours.
 */
#include "profile_spot.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

static void
expect(bool found, const char *what)
{
	if (!found)
		fatal("the profile's text has no %s, though the profile has", what);
}

static struct json_span
find_entry(const char *text, struct json_span array, const char *key, const char *wanted)
{
	struct json_span name, entry, value;
	size_t cursor = 0;
	bool found = false;

	while (!found && json_next(text, array, &cursor, &name, &entry)) {
		char *have =
		    json_member(text, entry, key, &value) ? json_string(text, value) : NULL;

		found = have && strcmp(have, wanted) == 0;
		free(have);
	}
	expect(found, wanted);
	return entry;
}

struct json_span
profile_spot_list(const char *text, const struct profile_group *group, const char *list)
{
	struct json_span profile, groups, array;

	expect(json_member(text, json_root(text), "profile", &profile), "profile");
	expect(json_member(text, profile, "group", &groups), "group");
	expect(json_member(text, find_entry(text, groups, "id", group->id), list, &array), list);
	return array;
}

struct json_span
profile_spot_element(const char *text, const struct profile_group *group, const char *id)
{
	return find_entry(text, profile_spot_list(text, group, "element"), "id", id);
}

struct json_span
profile_spot_last(const char *text, struct json_span array)
{
	struct json_span name, entry = array;
	size_t cursor = 0;

	while (json_next(text, array, &cursor, &name, &entry))
		;
	return entry;
}

struct json_span
profile_spot_pool(
    const char *text, const struct profile_group *group, const struct profile_pool *pool)
{
	struct json_span array = profile_spot_list(text, group, "pool"), name, entry, value;
	size_t cursor = 0;
	bool found = false;

	while (!found && json_next(text, array, &cursor, &name, &entry)) {
		char *have =
		    json_member(text, entry, "prefix", &value) ? json_string(text, value) : NULL;
		struct prefix prefix;

		found = have && prefix_parse(have, &prefix) == 0 &&
		        prefix_compare(&prefix, &pool->prefix) == 0 &&
		        json_member(text, entry, "unit-length", &value) &&
		        strtoul(text + value.start, NULL, 10) == pool->unit_length;
		free(have);
	}
	expect(found, "pool");
	return entry;
}
