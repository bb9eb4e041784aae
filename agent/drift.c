/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts how often the same repair was needed in a row. The table of the last audit is merged with
 * the plan of this one: both are sorted by (list, item), so one walk does it. What an audit does
 * not ask for again is forgotten; what was asked for DRIFT_LIMIT times is held back from further
 * plans, so that two writers never fight with a commit every audit. Right after our own repair
 * nothing is forgotten: the other writer has not had a turn yet.
 */
#include "drift.h"

#include <stdlib.h>
#include <string.h>

#include "error.h"

struct drift_item {
	char *list; /* owned */
	struct prefix item;
	bool remove;
	unsigned times; /* audits in a row */
};

struct drift {
	struct drift_item *items; /* owned; sorted by (list, item) */
	size_t count;
};

struct drift *
drift_new(void)
{
	return xcalloc(1, sizeof(struct drift));
}

static void
free_items(struct drift_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(items[i].list);
	free(items);
}

void
drift_free(struct drift *drift)
{
	if (!drift)
		return;
	free_items(drift->items, drift->count);
	free(drift);
}

static int
compare(const struct drift_item *item, const struct plan_edit *edit)
{
	int order = strcmp(item->list, edit->list);

	if (order == 0)
		order = prefix_compare(&item->item, &edit->item);
	return order ? order : (int)item->remove - (int)edit->remove;
}

static const struct drift_item *
find(const struct drift *drift, const struct plan_edit *edit)
{
	size_t low = 0, high = drift->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(&drift->items[middle], edit);
		if (order == 0)
			return &drift->items[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The walk of both; forget: what the plan lacks was quiet once. */
static size_t
merge_plan(struct drift *drift, const struct plan *plan, bool forget)
{
	struct drift_item *items = xcalloc(drift->count + plan->count, sizeof(*items));
	size_t count = 0, reached = 0, i = 0, j = 0;

	while (i < drift->count || j < plan->count) {
		struct drift_item *old = i < drift->count ? &drift->items[i] : NULL;
		const struct plan_edit *edit = j < plan->count ? &plan->edits[j] : NULL;
		int order = !old ? 1 : !edit ? -1 : compare(old, edit);

		if (order < 0 && !forget) {
			items[count] = *old;
			items[count++].list = xstrdup(old->list);
		} else if (order >= 0) {
			items[count] = (struct drift_item){ .list = xstrdup(edit->list),
				.item = edit->item,
				.remove = edit->remove,
				.times = order == 0 ? old->times + 1 : 1 };
			reached += items[count++].times == DRIFT_LIMIT;
		}
		i += order <= 0;
		j += order >= 0;
	}
	free_items(drift->items, drift->count);
	drift->items = items;
	drift->count = count;
	return reached;
}

size_t
drift_note(struct drift *drift, const struct plan *plan)
{
	return merge_plan(drift, plan, true);
}

size_t
drift_note_own(struct drift *drift, const struct plan *plan)
{
	return merge_plan(drift, plan, false);
}

static bool
is_left_alone(const struct drift *drift, const struct plan_edit *edit)
{
	const struct drift_item *item = find(drift, edit);

	return item && item->times >= DRIFT_LIMIT;
}

size_t
drift_filter(const struct drift *drift, struct plan *plan)
{
	size_t kept = 0, held = 0;

	for (size_t i = 0; i < plan->count; i++) {
		struct plan_edit edit = plan->edits[i];
		if (is_left_alone(drift, &edit)) {
			held++;
			if (edit.remove)
				plan->removes--;
			else
				plan->adds--;
		} else {
			plan->edits[kept++] = edit;
		}
	}
	plan->count = kept;
	return held;
}

void
drift_forget(struct drift *drift)
{
	free_items(drift->items, drift->count);
	drift->items = NULL;
	drift->count = 0;
}

void
drift_each_list(const struct drift *drift, void (*fn)(void *arg, const char *list), void *arg)
{
	const char *last = "";

	for (size_t i = 0; i < drift->count; i++) {
		const struct drift_item *item = &drift->items[i];
		if (item->times < DRIFT_LIMIT || strcmp(item->list, last) == 0)
			continue;
		last = item->list;
		fn(arg, last);
	}
}
