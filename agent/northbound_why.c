/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaying decisions. A decision names the healthy set it was made from, and a layout is a pure
 * function of profile and healthy set, so the owner of an address at any time can be worked out
 * again; nothing about single prefixes is ever stored.
 *
 * It goes backwards from the newest decision and stops where it can no longer be sure: a layout-id
 * that differs from the recorded one means that the profile was another one then. Sets that were
 * seen before are remembered, and only so many different ones are computed, for the event loop
 * waits meanwhile. What lies before the oldest decision is the base layout, when that decision says
 * so; else it is not known, and the story says why.
 */
#include "northbound_why.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Different healthy sets that are computed at most: some tens of milliseconds for 64k units. */
enum { SETS_MOST = 32 };

static const char other_profile[] = "older decisions were made with another profile";

struct known_set {
	const char *healthy; /* borrowed */
	const char *id;      /* borrowed; layout-after of the record it was checked against */
	uint8_t owner;
};

struct replay {
	const struct layout_space *space;
	const struct history *history;
	const struct ip *ip;
	struct known_set sets[SETS_MOST];
	size_t set_count;
};

size_t
northbound_why_find(const struct layout *layout, const struct ip *ip)
{
	size_t low = 0, high = layout_pieces(layout);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct prefix prefix = layout_piece(layout, middle).prefix;
		struct ip last = prefix_last(&prefix);

		if (ip_compare(&last, ip) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint8_t
find_owner(const struct layout *layout, const struct ip *ip)
{
	size_t at = northbound_why_find(layout, ip);
	struct layout_piece piece;

	if (at == layout_pieces(layout))
		return LAYOUT_NONE;
	piece = layout_piece(layout, at);
	return prefix_contains_ip(&piece.prefix, ip) ? piece.owner : LAYOUT_NONE;
}

/* False: it names an element that is not there. */
static bool
read_set(const struct profile_group *group, const char *text, bool *ret_healthy)
{
	while (*text) {
		size_t size = strcspn(text, ","), e = 0;

		while (e < group->element_count && (strlen(group->elements[e].id) != size ||
		                                       strncmp(group->elements[e].id, text, size)))
			e++;
		if (e == group->element_count)
			return false;
		ret_healthy[e] = true;
		text += size + (text[size] == ',');
	}
	return true;
}

static bool
has_id(const struct layout *layout, const char *text)
{
	struct layout_id id = layout_compute_id(layout);
	char own[LAYOUT_ID_TEXT_SIZE];

	return strcmp(layout_id_format(&id, own), text) == 0;
}

/* False: this profile does not give the layout that the record names. */
static bool
compute_owner(const struct replay *replay, const struct history_record *record, uint8_t *ret_owner)
{
	const struct profile_group *group = layout_space_group(replay->space);
	bool *healthy = xcalloc(group->element_count, sizeof(*healthy)), is_same = false;
	struct layout *layout;

	if (read_set(group, record->healthy, healthy)) {
		layout = layout_compute_split(replay->space, healthy);
		is_same = has_id(layout, record->layout_after);
		if (is_same)
			*ret_owner = find_owner(layout, replay->ip);
		layout_free(layout);
	}
	free(healthy);
	return is_same;
}

/* NULL with the owner; else why it cannot be told. */
static const char *
replay_record(struct replay *replay, const struct history_record *record, uint8_t *ret_owner)
{
	for (size_t i = 0; i < replay->set_count; i++)
		if (strcmp(replay->sets[i].healthy, record->healthy) == 0 &&
		    strcmp(replay->sets[i].id, record->layout_after) == 0) {
			*ret_owner = replay->sets[i].owner;
			return NULL;
		}
	if (replay->set_count == SETS_MOST)
		return "only the newest decisions are worked out again";
	if (!compute_owner(replay, record, ret_owner))
		return other_profile;
	replay->sets[replay->set_count++] =
	    (struct known_set){ record->healthy, record->layout_after, *ret_owner };
	return NULL;
}

static bool
is_about(const struct history_record *record, const struct layout_space *space)
{
	return strcmp(record->kind, "decision") == 0 && record->group && record->family &&
	       record->healthy && record->layout_after &&
	       strcmp(record->group, layout_space_group(space)->id) == 0 &&
	       strcmp(record->family, family_names[layout_space_family(space)]) == 0;
}

/* The newest steps first: decision and to are filled in. */
static void
collect(struct replay *replay, struct why_story *story)
{
	for (size_t i = history_count(replay->history); i-- > 0 && !story->untold;) {
		const struct history_record *record = history_get(replay->history, i);
		struct why_step step = { .decision = record, .from = LAYOUT_NONE };

		if (!is_about(record, replay->space))
			continue;
		story->untold = replay_record(replay, record, &step.to);
		if (story->untold)
			break;
		story->steps = xreallocarray(story->steps, story->count + 1, sizeof(*story->steps));
		story->steps[story->count++] = step;
	}
}

static uint8_t
get_base(const struct replay *replay)
{
	size_t unit = layout_space_find(replay->space, replay->ip);

	return unit < layout_space_units(replay->space) ? layout_space_base(replay->space, unit)
	                                                : LAYOUT_NONE;
}

/* The layout with everybody healthy, or no layout at all: before it was the base. */
static bool
begins_at_base(const struct replay *replay, const struct history_record *record)
{
	const struct profile_group *group = layout_space_group(replay->space);
	bool *healthy, is_base;
	struct layout *layout;

	if (!record->layout_before || !*record->layout_before)
		return true;
	healthy = xcalloc(group->element_count, sizeof(*healthy));
	for (size_t e = 0; e < group->element_count; e++)
		healthy[e] = true;
	layout = layout_compute(replay->space, healthy, 0);
	is_base = has_id(layout, record->layout_before);
	layout_free(layout);
	free(healthy);
	return is_base;
}

static const struct history_record *
find_commit(const struct history *history, const struct history_record *decision)
{
	for (size_t i = 0; i < history_count(history); i++) {
		const struct history_record *record = history_get(history, i);

		if (record->id > decision->id && record->plan >= decision->id &&
		    strcmp(record->kind, "commit") == 0 && record->committed_us > 0)
			return record;
	}
	return NULL;
}

static void
reverse(struct why_story *story)
{
	for (size_t i = 0; i + 1 < story->count - i; i++) {
		struct why_step step = story->steps[i];

		story->steps[i] = story->steps[story->count - 1 - i];
		story->steps[story->count - 1 - i] = step;
	}
}

/* Fills in from, and leaves out where nothing changed. With which decision another profile ended
 * is worth telling, although nobody knows any more what that one had said. */
static void
keep_changes(const struct replay *replay, struct why_story *story)
{
	uint8_t owner = get_base(replay);
	size_t kept = 0;

	for (size_t i = 0; i < story->count; i++) {
		struct why_step step = story->steps[i];
		bool is_known = i > 0 || !story->untold;

		if (step.to == owner && (is_known || story->untold != other_profile))
			continue;
		step.from = is_known ? owner : LAYOUT_NONE;
		step.commit = find_commit(replay->history, step.decision);
		owner = step.to;
		story->steps[kept++] = step;
	}
	story->count = kept;
}

void
northbound_why_tell(const struct layout_space *space, const struct history *history,
    const struct ip *ip, struct why_story *ret_story)
{
	struct replay replay = { .space = space, .history = history, .ip = ip };

	*ret_story = (struct why_story){ 0 };
	collect(&replay, ret_story);
	if (ret_story->count == 0)
		return;
	reverse(ret_story);
	if (!ret_story->untold && !begins_at_base(&replay, ret_story->steps[0].decision))
		ret_story->untold = "older decisions are no longer in the history";
	keep_changes(&replay, ret_story);
}

void
northbound_why_done(struct why_story *story)
{
	free(story->steps);
	*story = (struct why_story){ 0 };
}
