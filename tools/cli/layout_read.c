/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A layout's JSON, from a file that somebody may have cut, edited or made with another program.
 * Nothing is taken on trust: types, names, that units are apart, that owners are elements of the
 * family; and the layout-id is worked out again from the units, so that two equal ids are two equal
 * layouts. What older versions did not tell (profile-id, epoch, health) may be absent.
 */
#include "layout_read.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layout.h"

static const char *const role_names[READ_ROLES] = { "element", "base-element", "standby" };

enum { DEPTH_MOST = 16, NAME_MOST = 255, ID_MOST = 32 };

static struct json_object *
get(struct json_object *object, const char *key, enum json_type type)
{
	struct json_object *value = NULL;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, key, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

static const char *
get_text(struct json_object *object, const char *key)
{
	struct json_object *value = get(object, key, json_type_string);

	return value ? json_object_get_string(value) : NULL;
}

static bool
get_flag(struct json_object *object, const char *key)
{
	struct json_object *value = get(object, key, json_type_boolean);

	return value && json_object_get_boolean(value);
}

static int64_t
get_number(struct json_object *object, const char *key, int64_t absent)
{
	struct json_object *value = get(object, key, json_type_int);

	return value ? json_object_get_int64(value) : absent;
}

/* As the model has ids; they go to terminals. */
static bool
is_id(const char *text)
{
	static const char others[] = "._-";

	if (!text || !*text || strlen(text) > ID_MOST)
		return false;
	for (; *text; text++)
		if (!(*text >= 'a' && *text <= 'z') && !(*text >= 'A' && *text <= 'Z') &&
		    !(*text >= '0' && *text <= '9') && !strchr(others, *text))
			return false;
	return true;
}

/* SHA-256, as it is written everywhere. */
static bool
is_digest(const char *text)
{
	return text && strlen(text) == LAYOUT_ID_TEXT_SIZE - 1 &&
	       strspn(text, "0123456789abcdef") == LAYOUT_ID_TEXT_SIZE - 1;
}

/* "2026-11-30T11:15:47.000000Z"; 0: it is none. */
static int64_t
parse_time(const char *text)
{
	struct tm tm = { 0 };
	int us = 0, end = 0;

	if (!text ||
	    sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%6dZ%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
	        &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &us, &end) != 7 ||
	    text[end])
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	return (int64_t)timegm(&tm) * 1000000 + us;
}

static char *
copy_name(const char *hostname, const char *file)
{
	char *name = xasprintf("%.*s", NAME_MOST, hostname && *hostname ? hostname : file);

	for (char *p = name; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return name;
}

/* ---- elements ------------------------------------------------------------------------------- */

static int
compare_elements(const void *a, const void *b)
{
	const struct read_element *x = a, *y = b;

	return strcmp(x->id, y->id);
}

static int
read_element(struct json_object *object, struct read_element *element, struct error *err)
{
	const char *id = get_text(object, "id"), *state = get_text(object, "state");

	if (!is_id(id))
		return error_set(err, -EINVAL, "an element without a proper id");
	*element = (struct read_element){ .id = xstrdup(id),
		.state = xstrdup(is_id(state) ? state : ""),
		.tells_health = get(object, "healthy", json_type_boolean) != NULL,
		.healthy = get_flag(object, "healthy"),
		.forced = get_flag(object, "force-failed") };
	return 0;
}

static int
read_elements(struct json_object *object, struct read_family *family, struct error *err)
{
	struct json_object *list = get(object, "elements", json_type_array);
	size_t count = list ? json_object_array_length(list) : 0;

	if (!list || count >= READ_NOBODY)
		return error_set(err, -EINVAL, "no list \"elements\", or one that is too long");
	family->elements = xcalloc(count + 1, sizeof(*family->elements));
	for (size_t i = 0; i < count; i++) {
		int rc =
		    read_element(json_object_array_get_idx(list, i), &family->elements[i], err);

		if (rc < 0)
			return rc;
		family->element_count++;
	}
	qsort(family->elements, count, sizeof(*family->elements), compare_elements);
	for (size_t i = 1; i < count; i++)
		if (strcmp(family->elements[i - 1].id, family->elements[i].id) == 0)
			return error_set(
			    err, -EINVAL, "element %s is there twice", family->elements[i].id);
	return 0;
}

/* ---- units ---------------------------------------------------------------------------------- */

static int
compare_units(const void *a, const void *b)
{
	const struct read_unit *x = a, *y = b;

	return prefix_compare(&x->prefix, &y->prefix);
}

static int
find_element(const struct read_family *family, struct json_object *object, const char *member,
    uint16_t *ret_element)
{
	const char *id = get_text(object, member);
	const struct read_element key = { .id = (char *)id }, *found;

	*ret_element = READ_NOBODY;
	if (!id) /* null: nobody */
		return json_object_object_get_ex(object, member, NULL) &&
		               !json_object_object_get(object, member)
		           ? 0
		           : -EINVAL;
	found = bsearch(
	    &key, family->elements, family->element_count, sizeof(*found), compare_elements);
	if (!found)
		return -ENOENT;
	*ret_element = (uint16_t)(found - family->elements);
	return 0;
}

static int
read_unit(const struct read_family *family, struct json_object *object, struct read_unit *unit,
    struct error *err)
{
	const char *text = get_text(object, "prefix");
	int rc;

	if (!text || prefix_parse(text, &unit->prefix) < 0 ||
	    unit->prefix.address.family != family->family)
		return error_set(err, -EINVAL, "a unit without a proper prefix (\"%.50s\")",
		    text && strspn(text, "0123456789abcdef.:/") == strlen(text) ? text : "?");
	for (int role = 0; role < READ_ROLES; role++) {
		rc = find_element(family, object, role_names[role], &unit->element[role]);
		if (rc == -ENOENT)
			return error_set(err, -EINVAL, "unit %s: its %s is not in the list", text,
			    role_names[role]);
		if (rc < 0)
			return error_set(err, rc, "unit %s says no %s", text, role_names[role]);
	}
	return 0;
}

static int
read_units(struct json_object *object, struct read_family *family, struct error *err)
{
	struct json_object *list = get(object, "units", json_type_array);
	char text[PREFIX_TEXT_SIZE];

	if (!list)
		return error_set(err, -EINVAL, "no list \"units\"");
	family->unit_count = json_object_array_length(list);
	family->units = xcalloc(family->unit_count + 1, sizeof(*family->units));
	for (size_t i = 0; i < family->unit_count; i++) {
		int rc =
		    read_unit(family, json_object_array_get_idx(list, i), &family->units[i], err);

		if (rc < 0)
			return rc;
	}
	qsort(family->units, family->unit_count, sizeof(*family->units), compare_units);
	for (size_t i = 1; i < family->unit_count; i++)
		if (prefix_overlaps(&family->units[i - 1].prefix, &family->units[i].prefix))
			return error_set(err, -EINVAL, "unit %s is there twice",
			    prefix_format(&family->units[i].prefix, text));
	return 0;
}

/* As layout_compute_id does. */
static struct layout_id
compute_id(const struct read_family *family)
{
	struct layout_hash *hash = layout_hash_new();
	char line[PREFIX_TEXT_SIZE + ID_MOST + 32], prefix[PREFIX_TEXT_SIZE];
	int size = snprintf(line, sizeof(line), "autofbf-layout %d\n", LAYOUT_ALGORITHM);

	layout_hash_add(hash, line, (size_t)size);
	for (size_t i = 0; i < family->unit_count; i++) {
		const struct read_unit *unit = &family->units[i];

		if (unit->element[READ_OWNER] == READ_NOBODY)
			continue;
		size = snprintf(line, sizeof(line), "%s %s\n", prefix_format(&unit->prefix, prefix),
		    family->elements[unit->element[READ_OWNER]].id);
		layout_hash_add(hash, line, (size_t)size);
	}
	return layout_hash_end(hash);
}

static int
check_id(const struct read_family *family, int algorithm, struct error *err)
{
	struct layout_id id;
	char text[LAYOUT_ID_TEXT_SIZE];

	if (algorithm != 0 && algorithm != LAYOUT_ALGORITHM)
		return 0; /* by other rules */
	id = compute_id(family);
	layout_id_format(&id, text);
	if (strcmp(text, family->layout_id) == 0)
		return 0;
	return error_set(err, -EINVAL,
	    "its units make layout-id %.8s, but it names %.8s: somebody changed the file", text,
	    family->layout_id);
}

/* ---- families and groups -------------------------------------------------------------------- */

static bool
find_family(const char *text, enum family *ret_family)
{
	for (enum family f = 0; text && f < FAMILY_COUNT; f++)
		if (strcmp(text, family_names[f]) == 0) {
			*ret_family = f;
			return true;
		}
	return false;
}

static int
read_family(struct json_object *object, struct read_family *family, struct error *err)
{
	const char *id = get_text(object, "layout-id");
	int rc;

	if (!find_family(get_text(object, "family"), &family->family))
		return error_set(err, -EINVAL, "a family that is neither ipv4 nor ipv6");
	if (!is_digest(id))
		return error_set(err, -EINVAL, "%s has no layout-id", family_names[family->family]);
	strcpy(family->layout_id, id);
	family->frozen = get_flag(object, "frozen");
	family->epoch = get_number(object, "epoch", -1);
	rc = read_elements(object, family, err);
	return rc < 0 ? rc : read_units(object, family, err);
}

static struct read_family *
add_family(struct read_layout *layout, const char *group)
{
	layout->families =
	    xreallocarray(layout->families, layout->count + 1, sizeof(*layout->families));
	layout->families[layout->count] = (struct read_family){ .group = xstrdup(group) };
	return &layout->families[layout->count++];
}

static int
read_group(struct json_object *object, struct read_layout *layout, struct error *err)
{
	const char *id = get_text(object, "id");
	struct json_object *list = get(object, "families", json_type_array);
	struct error why = { "" };
	int rc = 0;

	if (!is_id(id))
		return error_set(err, -EINVAL, "a group without a proper id");
	if (!list)
		return error_set(err, -EINVAL, "group %s has no list \"families\"", id);
	for (size_t i = 0; i < json_object_array_length(list) && rc == 0; i++) {
		struct read_family *family = add_family(layout, id);

		rc = read_family(json_object_array_get_idx(list, i), family, &why);
		if (rc == 0)
			rc = check_id(family, layout->algorithm, &why);
		if (rc < 0)
			error_set(err, rc, "group %s, %s: %s", id, family_names[family->family],
			    why.text);
	}
	return rc;
}

static int
compare_families(const void *a, const void *b)
{
	const struct read_family *x = a, *y = b;
	int order = strcmp(x->group, y->group);

	return order ? order : (int)x->family - (int)y->family;
}

static int
read_root(struct json_object *root, const char *name, struct read_layout *layout, struct error *err)
{
	struct json_object *groups = get(root, "groups", json_type_array);
	const char *profile_id = get_text(root, "profile-id");
	int64_t algorithm = get_number(root, "algorithm", 0);
	int rc = 0;

	layout->name = copy_name(get_text(root, "hostname"), name);
	layout->profile_id = xstrdup(is_digest(profile_id) ? profile_id : "");
	layout->now_us = parse_time(get_text(root, "now"));
	layout->algorithm = algorithm > 0 && algorithm <= INT_MAX ? (int)algorithm : 0;
	if (!groups)
		return error_set(err, -EINVAL,
		    "no list \"groups\": this is not what autofbf layout --json prints");
	for (size_t i = 0; i < json_object_array_length(groups) && rc == 0; i++)
		rc = read_group(json_object_array_get_idx(groups, i), layout, err);
	if (rc < 0)
		return rc;
	if (layout->count > 0)
		qsort(layout->families, layout->count, sizeof(*layout->families), compare_families);
	for (size_t i = 1; i < layout->count; i++)
		if (compare_families(&layout->families[i - 1], &layout->families[i]) == 0)
			return error_set(err, -EINVAL, "group %s has %s twice",
			    layout->families[i].group, family_names[layout->families[i].family]);
	return 0;
}

/* NULL with err. */
static struct json_object *
parse(const char *text, size_t size, struct error *err)
{
	struct json_tokener *tokener = json_tokener_new_ex(DEPTH_MOST);
	struct json_object *root = NULL;
	enum json_tokener_error error;

	if (!tokener)
		fatal("out of memory");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	if (size < INT_MAX) /* the NUL ends a number */
		root = json_tokener_parse_ex(tokener, text, (int)size + 1);
	error = json_tokener_get_error(tokener);
	if (error != json_tokener_success || !root) {
		error_set(err, -EINVAL, "is not JSON: %s",
		    error != json_tokener_success ? json_tokener_error_desc(error) : "it is empty");
		json_object_put(root);
		root = NULL;
	}
	json_tokener_free(tokener);
	return root;
}

int
layout_read(const char *text, size_t size, const char *name, struct read_layout **ret_layout,
    struct error *err)
{
	struct error why = { "" };
	struct json_object *root = parse(text, size, &why);
	struct read_layout *layout;
	int rc;

	if (!root)
		return error_set(err, -EINVAL, "%s: %s", name, why.text);
	layout = xcalloc(1, sizeof(*layout));
	rc = read_root(root, name, layout, &why);
	json_object_put(root);
	if (rc < 0) {
		read_layout_free(layout);
		return error_set(err, rc, "%s: %s", name, why.text);
	}
	*ret_layout = layout;
	return 0;
}

void
read_layout_free(struct read_layout *layout)
{
	if (!layout)
		return;
	for (size_t i = 0; i < layout->count; i++) {
		struct read_family *family = &layout->families[i];

		for (size_t e = 0; e < family->element_count; e++) {
			free(family->elements[e].id);
			free(family->elements[e].state);
		}
		free(family->elements);
		free(family->units);
		free(family->group);
	}
	free(layout->families);
	free(layout->profile_id);
	free(layout->name);
	free(layout);
}
