/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What operators do with a profile, each as the lines of one new epoch: a weight that begins there,
 * a pool that begins or ends there, an element that loses its weight and stays as a tombstone. The
 * base layout is a fold over the epochs, so a change given this way moves as little as can be; the
 * same change made by editing old lines deals nearly everything out anew.
 *
 * The struct profile answers all questions about what there is; the text is only found and spliced
 * (json_edit.h), so that a file keeps the order and the looks its owner gave it.
 */
#include "profile_edit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "json_edit.h"
#include "profile_spot.h"

void
profile_edit_done(struct profile_edit *edit)
{
	free(edit->text);
	free(edit->note);
}

/* ---- what the profile says ------------------------------------------------------------------ */

static void
raise_epoch(uint32_t *last, uint32_t epoch)
{
	if (epoch != PROFILE_EPOCH_NONE && epoch > *last)
		*last = epoch;
}

uint32_t
profile_edit_last_epoch(const struct profile_group *group)
{
	uint32_t last = 0;

	for (size_t e = 0; e < group->element_count; e++)
		for (size_t w = 0; w < group->elements[e].weight_count; w++)
			raise_epoch(&last, group->elements[e].weights[w].epoch);
	for (size_t p = 0; p < group->pool_count; p++) {
		raise_epoch(&last, group->pools[p].since);
		raise_epoch(&last, group->pools[p].until);
	}
	return last;
}

static uint16_t
last_weight(const struct profile_element *element)
{
	return element->weights[element->weight_count - 1].weight;
}

static int
next_epoch(const struct profile_group *group, uint32_t *ret_epoch, struct error *err)
{
	uint32_t last = profile_edit_last_epoch(group);

	if (last >= PROFILE_EPOCH_NONE - 1)
		return error_set(err, -EINVAL,
		    "group %s: its epoch %" PRIu32 " is the last there can be", group->id, last);
	*ret_epoch = last + 1;
	return 0;
}

static int
find_group(const struct profile *profile, const char *name, const struct profile_group **ret_group,
    struct error *err)
{
	*ret_group = profile_find_group(profile, name);
	if (*ret_group)
		return 0;
	return error_set(err, -ENOENT, "no group '%s'; the first of %zu is %s", name,
	    profile->group_count, profile->groups[0].id);
}

/* One that is not a tombstone, its group, and the group's next epoch. */
static int
find_element(const struct profile *profile, const char *name,
    const struct profile_element **ret_element, struct profile_edit *edit, struct error *err)
{
	const struct profile_element *element = profile_find_element(profile, name, &edit->group);

	if (!element)
		return error_set(err, -ENOENT,
		    "no element '%s'; autofbf layout --profile FILE lists them", name);
	if (element->removed)
		return error_set(err, -EINVAL,
		    "element %s is removed already; what comes in its place is a new element with "
		    "another id",
		    name);
	*ret_element = element;
	return next_epoch(edit->group, &edit->epoch, err);
}

/* Ids and names share one name space, tombstones included. */
static int
check_free(const struct profile *profile, const char *name, struct error *err)
{
	const struct profile_element *element = profile_find_element(profile, name, NULL);

	if (!element && !profile_find_group(profile, name))
		return 0;
	return error_set(err, -EINVAL, "'%s' is taken%s, choose another", name,
	    element && element->removed ? " by a removed element, whose line has to stay" : "");
}

/* ---- pieces of text ------------------------------------------------------------------------- */

static void
put(struct profile_edit *edit, struct json_span object, const char *after, const char *name,
    const char *value)
{
	char *text = json_put(edit->text, object, after, name, value);

	free(edit->text);
	edit->text = text;
}

static void
append(struct profile_edit *edit, const char *list, const char *entry)
{
	char *text =
	    json_append(edit->text, profile_spot_list(edit->text, edit->group, list), entry);

	free(edit->text);
	edit->text = text;
}

/* A weight from the edit's epoch on. An element without weights has had 1 from epoch 0. */
static void
put_weight(struct profile_edit *edit, const char *id, unsigned weight)
{
	struct json_span element = profile_spot_element(edit->text, edit->group, id), list;
	char *line = xasprintf("{\"epoch\": %" PRIu32 ", \"weight\": %u}", edit->epoch, weight);
	char *text;

	if (json_member(edit->text, element, "weight", &list)) {
		text = json_append(edit->text, list, line);
		free(edit->text);
		edit->text = text;
	} else {
		text = xasprintf("[{\"epoch\": 0, \"weight\": 1}, %s]", line);
		put(edit, element, "id", "weight", text);
		free(text);
	}
	free(line);
}

static void
put_removed(struct profile_edit *edit, const char *id)
{
	put(edit, profile_spot_element(edit->text, edit->group, id), "weight", "removed", "true");
}

struct members {         /* names and values of an object, in turns */
	char *items[32]; /* owned */
	size_t count;    /* of pairs */
};

static void
add_member(struct members *members, const char *name, char *value)
{
	members->items[2 * members->count] = xstrdup(name);
	members->items[2 * members->count + 1] = value;
	members->count++;
}

/* Takes the members. */
static char *
end_members(struct members *members, const char *text, struct json_span like)
{
	char *object = json_object_like(text, like, members->items, members->count);

	for (size_t i = 0; i < 2 * members->count; i++)
		free(members->items[i]);
	return object;
}

static char *
format_number(unsigned number)
{
	return xasprintf("%u", number);
}

/* ---- elements ------------------------------------------------------------------------------- */

/* What the elements of the group that serve the family agree on. */
struct custom {
	const struct profile_peer *peer; /* borrowed or NULL: nobody serves the family */
	bool instance, bfd, routes;
};

static struct custom
find_custom(const struct profile_group *group, enum family family, enum side side)
{
	struct custom custom = { NULL, true, true, true };

	for (size_t e = 0; e < group->element_count; e++) {
		const struct profile_element_family *own = &group->elements[e].family[family];
		const struct profile_peer *peer = &own->peer[side];

		if (!own->present || group->elements[e].removed)
			continue;
		custom.peer = custom.peer ? custom.peer : peer;
		custom.instance &= strcmp(custom.peer->instance, peer->instance) == 0;
		custom.bfd &= custom.peer->bfd == peer->bfd;
		custom.routes &= custom.peer->required_routes == peer->required_routes;
	}
	return custom;
}

static void
note_mixed(
    struct profile_edit *edit, enum family family, enum side side, const struct custom *custom)
{
	if (edit->note || (custom->instance && custom->bfd && custom->routes))
		return;
	edit->note = xasprintf("%s/%s: the elements of group %s differ in%s%s%s; look whether the "
	                       "default is right for the new one",
	    family_names[family], side_names[side], edit->group->id,
	    custom->instance ? "" : " instance", custom->bfd ? "" : " bfd",
	    custom->routes ? "" : " required-routes");
}

static char *
format_side(struct profile_edit *edit, enum family family, enum side side, const char *address)
{
	struct members members = { .count = 0 };
	struct custom custom = find_custom(edit->group, family, side);
	const struct profile_peer *peer = custom.peer;

	add_member(&members, "peer", json_quote(address));
	if (peer && custom.instance && strcmp(peer->instance, "master") != 0)
		add_member(&members, "instance", json_quote(peer->instance));
	if (peer && custom.bfd && peer->bfd != BFD_IF_PRESENT)
		add_member(&members, "bfd", json_quote(bfd_mode_names[peer->bfd]));
	if (peer && custom.routes && peer->required_routes > 0)
		add_member(&members, "required-routes", format_number(peer->required_routes));
	note_mixed(edit, family, side, &custom);
	return end_members(&members, "{}", (struct json_span){ 0, 2 });
}

static char *
format_family(
    struct profile_edit *edit, enum family family, const struct profile_newcomer *newcomer)
{
	struct members members = { .count = 0 };
	char *pools = profile_edit_nat_format(&newcomer->nat, family);

	for (int side = 0; side < SIDE_COUNT; side++)
		add_member(&members, side_names[side],
		    format_side(edit, family, (enum side)side, newcomer->peer[family][side]));
	if (pools)
		add_member(&members, "nat-pool", pools);
	return end_members(&members, "{}", (struct json_span){ 0, 2 });
}

static char *
format_element(struct profile_edit *edit, const struct profile_newcomer *newcomer)
{
	struct json_span last =
	    profile_spot_last(edit->text, profile_spot_list(edit->text, edit->group, "element"));
	struct members members = { .count = 0 };
	int weight = newcomer->weight >= 0 ? newcomer->weight : 1;

	add_member(&members, "id", json_quote(newcomer->id));
	if (newcomer->name)
		add_member(&members, "name", json_quote(newcomer->name));
	add_member(&members, "weight",
	    xasprintf("[{\"epoch\": %" PRIu32 ", \"weight\": %d}]", edit->epoch, weight));
	if (newcomer->failed_weight >= 0)
		add_member(
		    &members, "failed-weight", format_number((unsigned)newcomer->failed_weight));
	for (int f = 0; f < FAMILY_COUNT; f++)
		if (newcomer->peer[f][SIDE_INSIDE])
			add_member(&members, family_names[f],
			    format_family(edit, (enum family)f, newcomer));
	return end_members(&members, edit->text, last);
}

static int
check_newcomer(
    const struct profile *profile, const struct profile_newcomer *newcomer, struct error *err)
{
	bool serves[FAMILY_COUNT] = { newcomer->peer[FAMILY_IPV4][SIDE_OUTSIDE],
		newcomer->peer[FAMILY_IPV6][SIDE_OUTSIDE] };
	struct ip ip;
	int rc = check_free(profile, newcomer->id, err);

	if (rc == 0 && newcomer->name && strcmp(newcomer->name, newcomer->id) != 0)
		rc = check_free(profile, newcomer->name, err);
	for (int f = 0; f < FAMILY_COUNT; f++)
		for (int s = 0; s < SIDE_COUNT; s++) {
			const char *address = newcomer->peer[f][s];

			if (rc == 0 && address &&
			    (ip_parse(address, &ip) < 0 || ip.family != (enum family)f))
				rc = error_set(err, -EINVAL, "--%s-%s %s: is not an %s address",
				    family_names[f], side_names[s], address,
				    f == FAMILY_IPV4 ? "IPv4" : "IPv6");
		}
	return rc ? rc : profile_edit_nat_check(&newcomer->nat, serves, err);
}

int
profile_edit_add_element(const struct profile *profile, const char *text, const char *group,
    const struct profile_newcomer *newcomer, struct profile_edit *ret_edit, struct error *err)
{
	struct profile_edit edit = { .text = NULL };
	char *entry;
	int rc = find_group(profile, group, &edit.group, err);

	if (rc == 0)
		rc = check_newcomer(profile, newcomer, err);
	if (rc == 0)
		rc = next_epoch(edit.group, &edit.epoch, err);
	if (rc < 0)
		return rc;
	edit.text = xstrdup(text);
	entry = format_element(&edit, newcomer);
	append(&edit, "element", entry);
	free(entry);
	edit.is_wired = edit.group->outside_interface_count > 0;
	*ret_edit = edit;
	return 0;
}

int
profile_edit_remove_element(const struct profile *profile, const char *text, const char *name,
    struct profile_edit *ret_edit, struct error *err)
{
	struct profile_edit edit = { .text = NULL };
	const struct profile_element *element = NULL;
	int rc = find_element(profile, name, &element, &edit, err);

	if (rc < 0)
		return rc;
	edit.text = xstrdup(text);
	edit.retires = last_weight(element) > 0;
	if (edit.retires)
		put_weight(&edit, element->id, 0);
	else
		edit.epoch = PROFILE_EPOCH_NONE; /* its weight is 0 already */
	put_removed(&edit, element->id);
	*ret_edit = edit;
	return 0;
}

int
profile_edit_reweight(const struct profile *profile, const char *text, const char *name,
    uint16_t weight, struct profile_edit *ret_edit, struct error *err)
{
	struct profile_edit edit = { .text = NULL };
	const struct profile_element *element = NULL;
	int rc = find_element(profile, name, &element, &edit, err);

	if (rc == 0 && last_weight(element) == weight)
		rc = error_set(
		    err, -EINVAL, "element %s: its weight is %u already", element->id, weight);
	if (rc < 0)
		return rc;
	edit.text = xstrdup(text);
	edit.retires = weight == 0;
	put_weight(&edit, element->id, weight);
	*ret_edit = edit;
	return 0;
}

/* ---- one element in another's place --------------------------------------------------------- */

/* Within an entry that stands alone. Takes value. */
static void
put_own(char **entry, const char *after, const char *name, char *value)
{
	char *text = json_put(*entry, json_root(*entry), after, name, value);

	free(*entry);
	free(value);
	*entry = text;
}

static void
drop_own(char **entry, const char *name)
{
	char *text = json_drop(*entry, json_root(*entry), name);

	free(*entry);
	*entry = text;
}

static void
put_own_family(struct profile_edit *edit, char **entry, enum family family,
    const struct profile_newcomer *newcomer)
{
	const char *const *peer = newcomer->peer[family];
	struct json_span object, side;
	char *value, *text;

	if (!json_member(*entry, json_root(*entry), family_names[family], &object)) {
		if (peer[SIDE_INSIDE])
			put_own(entry, NULL, family_names[family],
			    format_family(edit, family, newcomer));
		return;
	}
	for (int s = 0; s < SIDE_COUNT; s++) {
		if (!peer[s] ||
		    !json_member(*entry, json_root(*entry), family_names[family], &object) ||
		    !json_member(*entry, object, side_names[s], &side))
			continue;
		value = json_quote(peer[s]);
		text = json_put(*entry, side, NULL, "peer", value);
		free(value);
		free(*entry);
		*entry = text;
	}
}

static char *
format_successor(struct profile_edit *edit, const struct profile_element *old,
    const struct profile_newcomer *newcomer)
{
	struct json_span span = profile_spot_element(edit->text, edit->group, old->id);
	char *entry = xasprintf("%.*s", (int)(span.end - span.start), edit->text + span.start);
	unsigned weight = newcomer->weight >= 0 ? (unsigned)newcomer->weight : last_weight(old);

	put_own(&entry, NULL, "id", json_quote(newcomer->id));
	drop_own(&entry, "name");
	drop_own(&entry, "removed");
	if (newcomer->name)
		put_own(&entry, "id", "name", json_quote(newcomer->name));
	put_own(&entry, "id", "weight",
	    xasprintf("[{\"epoch\": %" PRIu32 ", \"weight\": %u}]", edit->epoch, weight));
	if (newcomer->failed_weight >= 0)
		put_own(&entry, "weight", "failed-weight",
		    format_number((unsigned)newcomer->failed_weight));
	for (int f = 0; f < FAMILY_COUNT; f++)
		put_own_family(edit, &entry, (enum family)f, newcomer);
	return entry;
}

int
profile_edit_replace(const struct profile *profile, const char *text, const char *name,
    const struct profile_newcomer *newcomer, struct profile_edit *ret_edit, struct error *err)
{
	struct profile_edit edit = { .text = NULL };
	const struct profile_element *old = NULL;
	char *entry;
	int rc = find_element(profile, name, &old, &edit, err);

	if (rc == 0)
		rc = check_newcomer(profile, newcomer, err);
	if (rc < 0)
		return rc;
	edit.text = xstrdup(text);
	entry = format_successor(&edit, old, newcomer);
	if (last_weight(old) > 0)
		put_weight(&edit, old->id, 0);
	put_removed(&edit, old->id);
	append(&edit, "element", entry);
	free(entry);
	*ret_edit = edit;
	return 0;
}

/* ---- pools ---------------------------------------------------------------------------------- */

static const struct profile_pool *
find_pool(const struct profile_group *group, const struct prefix *prefix, uint8_t unit_length)
{
	for (size_t p = 0; p < group->pool_count; p++)
		if (prefix_compare(&group->pools[p].prefix, prefix) == 0 &&
		    group->pools[p].unit_length == unit_length)
			return &group->pools[p];
	return NULL;
}

int
profile_edit_add_pool(const struct profile *profile, const char *text, const char *group,
    const struct prefix *prefix, uint8_t unit_length, struct profile_edit *ret_edit,
    struct error *err)
{
	struct profile_edit edit = { .text = NULL };
	struct members members = { .count = 0 };
	const struct profile_pool *same;
	char name[PREFIX_TEXT_SIZE], *entry;
	int rc = find_group(profile, group, &edit.group, err);

	if (rc == 0)
		rc = next_epoch(edit.group, &edit.epoch, err);
	if (rc < 0)
		return rc;
	prefix_format(prefix, name);
	same = find_pool(edit.group, prefix, unit_length);
	if (same)
		return error_set(err, -EINVAL,
		    same->until == PROFILE_EPOCH_NONE
		        ? "group %s has pool %s with this unit-length already"
		        : "group %s had pool %s with this unit-length, and its line has to stay; "
		          "give it as two halves, or with another unit-length",
		    edit.group->id, name);
	edit.text = xstrdup(text);
	add_member(&members, "prefix", json_quote(name));
	add_member(&members, "unit-length", format_number(unit_length));
	add_member(&members, "since", format_number(edit.epoch));
	entry = end_members(&members, edit.text,
	    profile_spot_last(edit.text, profile_spot_list(edit.text, edit.group, "pool")));
	append(&edit, "pool", entry);
	free(entry);
	*ret_edit = edit;
	return 0;
}

/* Two groups may have the same pool: then a group must be named. */
static int
find_open_pool(const struct profile *profile, const struct prefix *prefix, uint8_t unit_length,
    const struct profile_group **ret_group, struct error *err)
{
	const struct profile_group *found = NULL;
	char name[PREFIX_TEXT_SIZE];

	prefix_format(prefix, name);
	for (size_t g = 0; g < profile->group_count; g++) {
		const struct profile_group *group = &profile->groups[g];

		if (!find_pool(group, prefix, unit_length))
			continue;
		if (found)
			return error_set(err, -EINVAL,
			    "groups %s and %s both have pool %s, say which: --group", found->id,
			    group->id, name);
		found = group;
	}
	if (!found)
		return error_set(err, -ENOENT,
		    "no group has pool %s with unit-length %u; a pool is ended as it was written",
		    name, unit_length);
	*ret_group = found;
	return 0;
}

int
profile_edit_end_pool(const struct profile *profile, const char *text, const char *group,
    const struct prefix *prefix, uint8_t unit_length, struct profile_edit *ret_edit,
    struct error *err)
{
	struct profile_edit edit = { .text = NULL };
	const struct profile_pool *pool;
	char name[PREFIX_TEXT_SIZE], *value;
	int rc = group ? find_group(profile, group, &edit.group, err)
	               : find_open_pool(profile, prefix, unit_length, &edit.group, err);

	if (rc == 0)
		rc = next_epoch(edit.group, &edit.epoch, err);
	if (rc < 0)
		return rc;
	prefix_format(prefix, name);
	pool = find_pool(edit.group, prefix, unit_length);
	if (!pool)
		return error_set(err, -ENOENT, "group %s has no pool %s with unit-length %u",
		    edit.group->id, name, unit_length);
	if (pool->until != PROFILE_EPOCH_NONE)
		return error_set(err, -EINVAL, "group %s: pool %s has ended at epoch %" PRIu32,
		    edit.group->id, name, pool->until);
	edit.text = xstrdup(text);
	value = format_number(edit.epoch);
	put(&edit, profile_spot_pool(edit.text, edit.group, pool), NULL, "until", value);
	free(value);
	*ret_edit = edit;
	return 0;
}
