/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fills the tables of the MIB from one state of the agent, sorts the instances once, and searches.
 *
 * OIDs and octets are packed into two pools, because a thousand rows have ten thousand instances.
 * Pools move when they grow, so an instance knows its places in them, not addresses.
 */
#define _GNU_SOURCE /* qsort_r */
#include "mib.h"

#include <ctype.h>
#include <libyang/libyang.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "mib_internal.h"
#include "node.h"

static const uint32_t objects[] = { MIB_OBJECTS };
enum { OBJECTS_SIZE = sizeof(objects) / sizeof(objects[0]), ENTRY = 1 };

struct mib {
	struct mib_instance *instances; /* owned */
	size_t count, room;
	uint32_t *oids; /* owned pool */
	size_t oids_used, oids_room;
	char *octets; /* owned pool */
	size_t octets_used, octets_room;
};

struct oid {
	uint32_t ids[MIB_OID_MOST];
	size_t size;
};

struct filler {
	struct mib *mib;
	const struct mib_source *source;
	const struct mib_table *table;
};

static void *
grow(void *items, size_t *room, size_t needed, size_t size)
{
	if (needed <= *room)
		return items;
	*room = needed > 2 * *room ? needed + 1024 : 2 * *room;
	return xreallocarray(items, *room, size);
}

static void
add(struct mib *mib, const struct oid *oid, const struct mib_value *value)
{
	struct mib_instance *instance;

	mib->instances = grow(mib->instances, &mib->room, mib->count + 1, sizeof(*mib->instances));
	mib->oids =
	    grow(mib->oids, &mib->oids_room, mib->oids_used + oid->size, sizeof(*mib->oids));
	mib->octets = grow(mib->octets, &mib->octets_room, mib->octets_used + MIB_OCTETS_MOST, 1);
	instance = &mib->instances[mib->count++];
	*instance = (struct mib_instance){ .oid_at = mib->oids_used,
		.oid_size = oid->size,
		.type = value->type,
		.number = value->number,
		.octets_at = mib->octets_used };
	memcpy(mib->oids + mib->oids_used, oid->ids, oid->size * sizeof(oid->ids[0]));
	mib->oids_used += oid->size;
	if (value->type != MIB_TYPE_OCTETS)
		return;
	memcpy(mib->octets + mib->octets_used, value->octets, value->number);
	mib->octets_used += value->number;
}

int
mib_compare(const uint32_t *a, size_t a_size, const uint32_t *b, size_t b_size)
{
	size_t shorter = a_size < b_size ? a_size : b_size;

	for (size_t i = 0; i < shorter; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return a_size < b_size ? -1 : a_size > b_size;
}

const uint32_t *
mib_oid(const struct mib *mib, const struct mib_instance *instance)
{
	return mib->oids + instance->oid_at;
}

const char *
mib_octets(const struct mib *mib, const struct mib_instance *instance)
{
	return mib->octets + instance->octets_at;
}

static int
compare_to(
    const struct mib *mib, const struct mib_instance *instance, const uint32_t *oid, size_t size)
{
	return mib_compare(mib_oid(mib, instance), instance->oid_size, oid, size);
}

static int
compare_instances(const void *a, const void *b, void *mib)
{
	const struct mib_instance *other = b;

	return compare_to(mib, a, mib_oid(mib, other), other->oid_size);
}

/* ---- indexes ------------------------------------------------------------------------------- */

static void
append(struct oid *oid, uint32_t id)
{
	if (oid->size < MIB_OID_MOST)
		oid->ids[oid->size] = id;
	oid->size++;
}

/* A list's key: an enumeration by its place, a number, or a text with its length before it. */
static void
append_key(struct oid *oid, const struct lyd_node *key)
{
	const char *text = node_value(key);
	uint32_t place = mib_enum_place(key);

	if (place > 0) {
		append(oid, place);
	} else if (isdigit((unsigned char)text[0]) &&
	           ((const struct lyd_node_term *)key)->value.realtype->basetype !=
	               LY_TYPE_STRING) {
		append(oid, (uint32_t)strtoul(text, NULL, 10));
	} else {
		append(oid, (uint32_t)strlen(text));
		for (; *text; text++)
			append(oid, (unsigned char)*text);
	}
}

/* False: the row has no index. */
static bool
append_index(struct oid *oid, const struct filler *filler, const struct lyd_node *row)
{
	char name[32];
	size_t size;

	for (const char *p = filler->table->index; *p; p += size + (p[size] == ' ')) {
		const struct lyd_node *list;
		uint32_t number = 0;

		size = strcspn(p, " ");
		memcpy(name, p, size);
		name[size] = '\0';
		if (name[0] == '#')
			number = filler->source->alarm_index(filler->source->arg, row);
		else if (isdigit((unsigned char)name[0]))
			number = (uint32_t)strtoul(name, NULL, 10);
		list = number ? NULL : node_ancestor(row, name);
		if (number)
			append(oid, number);
		else if (list && lyd_child(list))
			append_key(oid, lyd_child(list));
		else
			return false;
	}
	return oid->size <= MIB_OID_MOST;
}

/* ---- filling ------------------------------------------------------------------------------- */

static void
start_oid(struct oid *oid, const struct mib_table *table, const struct mib_column *column)
{
	memcpy(oid->ids, objects, sizeof(objects));
	oid->size = OBJECTS_SIZE;
	append(oid, table->arc);
	if (table->index)
		append(oid, ENTRY);
	append(oid, column->id);
}

static void
add_row(void *arg, const struct lyd_node *row)
{
	const struct filler *filler = arg;
	const struct mib_table *table = filler->table;

	for (size_t c = 0; c < table->column_count; c++) {
		struct mib_value value;
		struct oid oid;

		start_oid(&oid, table, &table->columns[c]);
		if (!table->index)
			append(&oid, 0);
		else if (!append_index(&oid, filler, row))
			return;
		if (mib_value_read(&table->columns[c], row, filler->source, &value))
			add(filler->mib, &oid, &value);
	}
}

/* What is left when the agent is not reached: that, and how old the last picture is. */
static void
add_unreachable(struct filler *filler)
{
	for (size_t c = 0; c < filler->table->column_count; c++) {
		const struct mib_column *column = &filler->table->columns[c];
		struct mib_value value;
		struct oid oid;

		if (column->path)
			continue;
		start_oid(&oid, filler->table, column);
		append(&oid, 0);
		if (mib_value_read(column, NULL, filler->source, &value))
			add(filler->mib, &oid, &value);
	}
}

struct mib *
mib_new(const struct mib_source *source)
{
	struct mib *mib = xcalloc(1, sizeof(*mib));

	for (size_t t = 0; t < mib_table_count; t++) {
		struct filler filler = { mib, source, &mib_tables[t] };

		if (source->state)
			node_each(source->state, mib_tables[t].rows, add_row, &filler);
		else
			add_unreachable(&filler);
	}
	if (mib->count > 0)
		qsort_r(
		    mib->instances, mib->count, sizeof(*mib->instances), compare_instances, mib);
	return mib;
}

void
mib_free(struct mib *mib)
{
	if (!mib)
		return;
	free(mib->instances);
	free(mib->oids);
	free(mib->octets);
	free(mib);
}

/* ---- notifications ------------------------------------------------------------------------- */

static void
add_alarm_column(struct mib *mib, const struct mib_table *table, uint32_t id,
    const struct lyd_node *alarm, uint32_t index)
{
	const struct mib_column *column = table->columns;
	struct mib_value value;
	struct oid oid;

	while (column->id != id)
		column++;
	start_oid(&oid, table, column);
	append(&oid, index);
	if (mib_value_read(column, alarm, NULL, &value))
		add(mib, &oid, &value);
}

static void
add_scalar(struct mib *mib, uint32_t arc, uint32_t id, const struct mib_value *value)
{
	struct oid oid;

	start_oid(&oid, &(struct mib_table){ .arc = arc }, &(struct mib_column){ .id = id });
	append(&oid, 0);
	add(mib, &oid, value);
}

struct mib *
mib_new_notification(enum mib_notification which, const struct lyd_node *alarm, uint32_t index,
    const char *hostname, int64_t cleared_us)
{
	static const uint32_t raised[] = { 2, 3, 4, 5, 6, 7, 8, 9, 10, 0 };
	static const uint32_t cleared[] = { 2, 3, 4, 5, 6, 8, 9, 10, 0 };
	const struct mib_table *table = &mib_tables[mib_table_count - 1];
	struct mib *mib = xcalloc(1, sizeof(*mib));
	struct mib_value value;

	for (const uint32_t *id = which == MIB_ALARM_RAISED ? raised : cleared; *id; id++)
		add_alarm_column(mib, table, *id, alarm, index);
	mib_value_set_text(&value, hostname);
	add_scalar(mib, MIB_ARC_AGENT, MIB_AGENT_HOSTNAME, &value);
	if (which == MIB_ALARM_CLEARED) {
		mib_value_set_time(&value, cleared_us);
		add_scalar(mib, MIB_ARC_ALARMS, MIB_ALARMS_CLEARED_AT, &value);
	}
	return mib;
}

/* ---- searching ----------------------------------------------------------------------------- */

size_t
mib_count(const struct mib *mib)
{
	return mib->count;
}

const struct mib_instance *
mib_at(const struct mib *mib, size_t i)
{
	return &mib->instances[i];
}

/* Place of the first instance that is not before oid. */
static size_t
find_place(const struct mib *mib, const uint32_t *oid, size_t size)
{
	size_t low = 0, high = mib->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_to(mib, &mib->instances[middle], oid, size) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
is_at(const struct mib *mib, size_t place, const uint32_t *oid, size_t size)
{
	return place < mib->count && compare_to(mib, &mib->instances[place], oid, size) == 0;
}

const struct mib_instance *
mib_get(const struct mib *mib, const uint32_t *oid, size_t size)
{
	size_t place = find_place(mib, oid, size);

	return is_at(mib, place, oid, size) ? &mib->instances[place] : NULL;
}

const struct mib_instance *
mib_next(const struct mib *mib, const uint32_t *oid, size_t size, bool inclusive)
{
	size_t place = find_place(mib, oid, size);

	if (!inclusive && is_at(mib, place, oid, size))
		place++;
	return place < mib->count ? &mib->instances[place] : NULL;
}

bool
mib_has_object(const uint32_t *oid, size_t size)
{
	for (size_t t = 0; t < mib_table_count; t++)
		for (size_t c = 0; c < mib_tables[t].column_count; c++) {
			struct oid object;

			start_oid(&object, &mib_tables[t], &mib_tables[t].columns[c]);
			if (size >= object.size &&
			    mib_compare(object.ids, object.size, oid, object.size) == 0)
				return true;
		}
	return false;
}
