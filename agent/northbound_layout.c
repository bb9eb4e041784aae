/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RPC layout, from snapshot to text.
 *
 * The agent's layouts are only borrowed until the loop goes on, and the answer outlives that: a
 * client may read slowly. So the owners and standbys are copied (two bytes an entry; units, names
 * and base owners stay with the profile: northbound_finish_answers), and where units are
 * split also the entries' prefixes. The text is made bit by bit as the client takes it; what a
 * client sees is therefore one moment, however long it reads.
 *
 * A cursor (group, family, entry) says what comes next; each step writes what belongs to one
 * position. Nobody's units have no element, as in the model.
 */
#include "northbound_layout.h"

#include <errno.h>
#include <event2/buffer.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "northbound_envelope.h"
#include "northbound_stream.h"

enum { PIECE_SIZE = 64 * 1024 };

struct entry {
	struct prefix prefix;
	size_t unit;
};

struct member { /* what the picture says of an element */
	enum health_state state;
	bool healthy, forced;
};

struct family_snapshot {
	const struct layout_space *space;  /* borrowed; NULL: the group has no such family */
	size_t count;                      /* of entries: units, or pieces of split ones */
	struct entry *entries;             /* owned; NULL: entries are units */
	uint8_t *owner, *standby;          /* owned; per entry */
	struct layout_standby_part *parts; /* owned; of entries whose parts have several standbys */
	size_t part_count;
	double *share;          /* owned; per element, in units */
	struct member *members; /* owned; per element */
	unsigned split_bits;
	struct layout_id id;
	bool frozen;
};

struct layout_stream {
	struct northbound_stream stream;
	const struct profile *profile; /* borrowed */
	char *hostname;                /* owned */
	int64_t now_us;
	bool begun;                                     /* the head of it all is written */
	struct family_snapshot (*family)[FAMILY_COUNT]; /* owned; per group */
	size_t group;                                   /* the cursor */
	int at_family;
	size_t entry; /* 0: the head of this family was not written either */
	size_t part;  /* of the family; the next that belongs to an entry */
};

static void
list_elements(const struct profile *profile, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t g = 0; g < profile->group_count; g++)
		for (size_t e = 0; e < profile->groups[g].element_count && used < size; e++) {
			const struct profile_element *element = &profile->groups[g].elements[e];

			if (!element->removed)
				used += (size_t)snprintf(
				    buf + used, size - used, "%s%s", used ? ", " : "", element->id);
		}
}

int
northbound_check_elements(
    const struct profile *profile, const char *const *names, size_t count, struct error *err)
{
	char known[400];

	for (size_t i = 0; i < count; i++) {
		const struct profile_element *element =
		    profile_find_element(profile, names[i], NULL);

		if (element && !element->removed)
			continue;
		list_elements(profile, known, sizeof(known));
		return error_set(err, -ENOENT, "no element \"%.64s\"%s; there are: %s", names[i],
		    element ? " any more (removed)" : "", known);
	}
	return 0;
}

/* Somebody healthy is left when the named elements are down. */
static bool
has_survivor(const struct profile_group *group, const struct status_group *status,
    enum family family, const char *const *down, size_t down_count)
{
	for (size_t e = 0; e < status->element_count; e++)
		if (status->elements[e].family[family].present &&
		    status->elements[e].family[family].healthy &&
		    !profile_element_is_among(&group->elements[e], down, down_count))
			return true;
	return false;
}

/* Whole units are known to the space already. */
static void
copy_entries(const struct layout *layout, struct family_snapshot *snapshot)
{
	bool is_split = snapshot->count != layout_space_units(snapshot->space);

	if (is_split)
		snapshot->entries = xcalloc(snapshot->count, sizeof(*snapshot->entries));
	for (size_t i = 0; i < snapshot->count; i++) {
		struct layout_piece piece;

		if (!is_split) {
			snapshot->owner[i] = layout_unit_owner(layout, i);
			continue;
		}
		piece = layout_piece(layout, i);
		snapshot->owner[i] = piece.owner;
		snapshot->entries[i] = (struct entry){ piece.prefix, piece.unit };
	}
}

static void
copy_layout(const struct layout *layout, struct family_snapshot *snapshot)
{
	const struct layout_space *space = layout_get_space(layout);
	size_t elements = layout_space_group(space)->element_count;

	snapshot->space = space;
	snapshot->count = layout_pieces(layout);
	snapshot->split_bits = layout_get_bits(layout);
	snapshot->owner = xcalloc(snapshot->count, 1);
	snapshot->standby = xcalloc(snapshot->count, 1);
	snapshot->share = xcalloc(elements, sizeof(*snapshot->share));
	for (size_t e = 0; e < elements; e++)
		snapshot->share[e] = layout_share(layout, e);
	copy_entries(layout, snapshot);
	snapshot->part_count = layout_standby_split(layout, snapshot->standby, &snapshot->parts);
}

/*
 * Who is in the set: by health; but what is frozen holds whom it held, and that shows in who owns.
 */
static void
copy_members(const struct status_group *status, enum family family, const char *const *down,
    size_t down_count, struct family_snapshot *snapshot)
{
	const struct profile_group *group = layout_space_group(snapshot->space);
	bool is_held = snapshot->frozen && status->family[family].freeze != FREEZE_STARTUP;

	snapshot->members = xcalloc(status->element_count, sizeof(*snapshot->members));
	for (size_t e = 0; e < status->element_count; e++) {
		const struct status_element *element = &status->elements[e];
		const struct status_element_family *own = &element->family[family];

		snapshot->members[e] = (struct member){ .state = own->state,
			.healthy = is_held
			               ? snapshot->share[e] > 0
			               : own->healthy && !profile_element_is_among(
			                                     &group->elements[e], down, down_count),
			.forced = element->forced };
	}
}

static int
take_family(struct layout_stream *self, const struct northbound_operations *operations,
    size_t group, enum family family, const char *const *down, size_t down_count, struct error *err)
{
	const struct status_group *status = &operations->status(operations->arg)->groups[group];
	struct family_snapshot *snapshot = &self->family[group][family];
	const struct layout *layout = NULL;
	bool is_owned = false;
	int rc;

	if (!status->family[family].present)
		return 0;
	snapshot->frozen = status->family[family].freeze != FREEZE_NOT;
	if (down_count > 0 &&
	    !has_survivor(&self->profile->groups[group], status, family, down, down_count)) {
		snapshot->frozen = true; /* nobody left: the layout that stands */
		down_count = 0;
	}
	rc = operations->layout(operations->arg, group, family, down_count ? down : NULL,
	    down_count, &layout, &is_owned, err);
	if (rc < 0 || !layout)
		return rc;
	copy_layout(layout, snapshot);
	copy_members(status, family, down, down_count, snapshot);
	snapshot->id = is_owned ? layout_compute_id(layout) : status->family[family].layout_id;
	if (is_owned)
		layout_free((struct layout *)layout);
	return 0;
}

static void
free_layout(struct northbound_stream *stream)
{
	struct layout_stream *layout = (struct layout_stream *)stream;

	for (size_t g = 0; g < layout->profile->group_count; g++)
		for (int f = 0; f < FAMILY_COUNT; f++) {
			free(layout->family[g][f].entries);
			free(layout->family[g][f].owner);
			free(layout->family[g][f].standby);
			free(layout->family[g][f].parts);
			free(layout->family[g][f].share);
			free(layout->family[g][f].members);
		}
	free(layout->family);
	free(layout->hostname);
	free(layout);
}

static void
write_leaf(struct evbuffer *out, const char *name, const char *text)
{
	evbuffer_add_printf(out, "<%s>", name);
	netconf_text_write(out, text);
	evbuffer_add_printf(out, "</%s>", name);
}

static void
write_family_head(const struct family_snapshot *snapshot, int family, struct evbuffer *out)
{
	const struct profile_group *group = layout_space_group(snapshot->space);
	char id[LAYOUT_ID_TEXT_SIZE];

	evbuffer_add_printf(out,
	    "<family><family>%s</family><layout-id>%s</layout-id>"
	    "<frozen>%s</frozen><epoch>%" PRIu32 "</epoch><split-bits>%u</split-bits>",
	    family_names[family], layout_id_format(&snapshot->id, id),
	    snapshot->frozen ? "true" : "false", profile_last_epoch(group, family),
	    snapshot->split_bits);
	for (size_t e = 0; e < group->element_count; e++) {
		const struct member *member = &snapshot->members[e];

		if (!layout_space_has(snapshot->space, e))
			continue;
		evbuffer_add_printf(out, "<element>");
		write_leaf(out, "id", group->elements[e].id);
		write_leaf(out, "name", group->elements[e].name);
		evbuffer_add_printf(out,
		    "<configured>%zu</configured><effective>%.13g</effective><state>%s</state>"
		    "<healthy>%s</healthy><force-failed>%s</force-failed></element>",
		    layout_space_base_count(snapshot->space, e), snapshot->share[e],
		    health_state_names[member->state], member->healthy ? "true" : "false",
		    member->forced ? "true" : "false");
	}
}

static void
write_owner(
    struct evbuffer *out, const struct profile_group *group, const char *name, uint8_t owner)
{
	if (owner < group->element_count)
		evbuffer_add_printf(out, "<%s>%s</%s>", name, group->elements[owner].id, name);
}

/* Parts are in the order of their entries. */
static void
write_parts(struct layout_stream *layout, const struct family_snapshot *snapshot, size_t entry,
    struct evbuffer *out)
{
	const struct profile_group *group = layout_space_group(snapshot->space);
	char text[PREFIX_TEXT_SIZE];

	for (; layout->part < snapshot->part_count && snapshot->parts[layout->part].piece == entry;
	     layout->part++) {
		const struct layout_standby_part *part = &snapshot->parts[layout->part];

		evbuffer_add_printf(
		    out, "<standby-part><prefix>%s</prefix>", prefix_format(&part->prefix, text));
		write_owner(out, group, "standby", part->standby);
		evbuffer_add_printf(out, "</standby-part>");
	}
}

static void
write_entry(struct layout_stream *layout, const struct family_snapshot *snapshot, size_t at,
    struct evbuffer *out)
{
	const struct profile_group *group = layout_space_group(snapshot->space);
	struct entry entry = snapshot->entries
	                         ? snapshot->entries[at]
	                         : (struct entry){ layout_space_unit(snapshot->space, at), at };
	char text[PREFIX_TEXT_SIZE];

	evbuffer_add_printf(out, "<unit><prefix>%s</prefix>", prefix_format(&entry.prefix, text));
	write_owner(out, group, "element", snapshot->owner[at]);
	write_owner(out, group, "base-element", layout_space_base(snapshot->space, entry.unit));
	write_owner(out, group, "standby", snapshot->standby[at]);
	write_parts(layout, snapshot, at, out);
	evbuffer_add_printf(out, "</unit>");
}

/* One family from the cursor on; true when it is complete. */
static bool
write_family(struct layout_stream *layout, struct evbuffer *out)
{
	const struct family_snapshot *snapshot = &layout->family[layout->group][layout->at_family];

	if (!snapshot->space)
		return true;
	if (layout->entry == 0)
		write_family_head(snapshot, layout->at_family, out);
	do { /* at least one, so that the head is written once */
		if (layout->entry < snapshot->count)
			write_entry(layout, snapshot, layout->entry++, out);
	} while (layout->entry < snapshot->count && evbuffer_get_length(out) < PIECE_SIZE);
	if (layout->entry < snapshot->count)
		return false;
	evbuffer_add_printf(out, "</family>");
	return true;
}

static void
write_head(const struct layout_stream *layout, struct evbuffer *out)
{
	char time[WALLCLOCK_TEXT_SIZE];

	evbuffer_add_printf(out, "<hostname xmlns=\"" AUTOFBF_NS "\">");
	netconf_text_write(out, layout->hostname);
	evbuffer_add_printf(out,
	    "</hostname><now xmlns=\"" AUTOFBF_NS "\">%s</now><algorithm xmlns=\"" AUTOFBF_NS
	    "\">%d</algorithm><profile-id xmlns=\"" AUTOFBF_NS "\">%s</profile-id>",
	    wallclock_format(layout->now_us, time), LAYOUT_ALGORITHM, layout->profile->id);
}

static void
write_group_head(const struct profile_group *group, struct evbuffer *out)
{
	evbuffer_add_printf(out, "<group xmlns=\"" AUTOFBF_NS "\">");
	write_leaf(out, "id", group->id);
	write_leaf(out, "name", group->name);
}

static bool
write_layout(struct northbound_stream *stream, struct evbuffer *out)
{
	struct layout_stream *layout = (struct layout_stream *)stream;
	const struct profile *profile = layout->profile;

	if (!layout->begun)
		write_head(layout, out);
	layout->begun = true;
	while (layout->group < profile->group_count && evbuffer_get_length(out) < PIECE_SIZE) {
		if (layout->at_family == 0 && layout->entry == 0)
			write_group_head(&profile->groups[layout->group], out);
		if (!write_family(layout, out))
			return true;
		layout->entry = layout->part = 0;
		if (++layout->at_family < FAMILY_COUNT)
			continue;
		evbuffer_add_printf(out, "</group>");
		layout->at_family = 0;
		layout->group++;
	}
	return layout->group < profile->group_count;
}

int
northbound_layout_new(const struct northbound_operations *operations, const char *const *down,
    size_t down_count, struct northbound_stream **ret_stream, struct error *err)
{
	const struct profile *profile = operations->profile(operations->arg);
	struct layout_stream *self;
	int rc = northbound_check_elements(profile, down, down_count, err);

	if (rc < 0)
		return rc;
	self = xcalloc(1, sizeof(*self));
	self->stream = (struct northbound_stream){
		.write = write_layout, .free = free_layout, .borrows_profile = true
	};
	self->profile = profile;
	self->hostname = xstrdup(operations->status(operations->arg)->hostname);
	self->now_us = operations->status(operations->arg)->now_us;
	self->family = xcalloc(profile->group_count, sizeof(*self->family));
	for (size_t g = 0; g < profile->group_count; g++)
		for (int f = 0; f < FAMILY_COUNT && rc == 0; f++)
			rc = take_family(self, operations, g, f, down, down_count, err);
	if (rc < 0) {
		free_layout(&self->stream);
		return rc;
	}
	*ret_stream = &self->stream;
	return 0;
}
