/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A list of alarms, each with two bits: it is, and managers were told so. They differ from a change
 * until a trap could be handed to the master agent, so a restart of the master or of the agent
 * delays traps and loses none; an alarm that came and went meanwhile leaves nothing to tell.
 *
 * The agent suppresses notifications of an alarm that flaps. What it then ends with would never be
 * told; hence a difference that a state shows is told when it has stood for a minute.
 */
#include "alarms.h"

#include <libyang/libyang.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "error.h"
#include "node.h"

enum { SETTLE_MS = 60000 };

struct alarm {
	TAILQ_ENTRY(alarm) entry;
	struct lyd_node *node; /* owned copy */
	uint32_t index;
	bool is, told, seen;
	struct mtime due;   /* when to tell a difference */
	int64_t cleared_us; /* wall clock; 0 while it stands */
};

struct alarms {
	TAILQ_HEAD(alarm_list, alarm) list; /* owned */
	uint32_t last_index;
};

struct alarms *
alarms_new(void)
{
	struct alarms *alarms = xcalloc(1, sizeof(*alarms));

	TAILQ_INIT(&alarms->list);
	return alarms;
}

static void
forget(struct alarms *alarms, struct alarm *alarm)
{
	TAILQ_REMOVE(&alarms->list, alarm, entry);
	lyd_free_all(alarm->node);
	free(alarm);
}

void
alarms_free(struct alarms *alarms)
{
	if (!alarms)
		return;
	while (!TAILQ_EMPTY(&alarms->list))
		forget(alarms, TAILQ_FIRST(&alarms->list));
	free(alarms);
}

static bool
has_same(const struct lyd_node *a, const struct lyd_node *b, const char *leaf)
{
	const char *p = node_text(a, leaf), *q = node_text(b, leaf);

	return p && q && strcmp(p, q) == 0;
}

static struct alarm *
find(const struct alarms *alarms, const struct lyd_node *node)
{
	struct alarm *alarm;

	TAILQ_FOREACH (alarm, &alarms->list, entry)
		if (has_same(alarm->node, node, "type") && has_same(alarm->node, node, "key"))
			return alarm;
	return NULL;
}

static void
copy_node(struct alarm *alarm, const struct lyd_node *node)
{
	struct lyd_node *copy = NULL;

	if (lyd_dup_single(node, NULL, LYD_DUP_RECURSIVE, &copy) != LY_SUCCESS)
		fatal("out of memory");
	lyd_free_all(alarm->node);
	alarm->node = copy;
}

static struct alarm *
get(struct alarms *alarms, const struct lyd_node *node)
{
	struct alarm *alarm = find(alarms, node);

	if (!alarm) {
		alarm = xcalloc(1, sizeof(*alarm));
		if (++alarms->last_index == 0)
			alarms->last_index = 1;
		alarm->index = alarms->last_index;
		TAILQ_INSERT_TAIL(&alarms->list, alarm, entry);
	}
	copy_node(alarm, node);
	alarm->cleared_us = 0;
	return alarm;
}

void
alarms_raise(struct alarms *alarms, const struct lyd_node *node, struct mtime now)
{
	struct alarm *alarm = get(alarms, node);

	alarm->is = true;
	alarm->told = false;
	alarm->due = now;
}

void
alarms_assume_told(struct alarms *alarms, const struct lyd_node *node)
{
	struct alarm *alarm = get(alarms, node);

	alarm->is = alarm->told = true;
}

void
alarms_clear(struct alarms *alarms, const struct lyd_node *node, struct mtime now)
{
	struct alarm *alarm = find(alarms, node);

	if (!alarm)
		return;
	alarm->is = false;
	alarm->due = now;
	alarm->cleared_us = node_time(node, "cleared");
	if (alarm->cleared_us == 0)
		alarm->cleared_us = wallclock_now_us();
}

struct sync {
	struct alarms *alarms;
	struct mtime due;
};

static void
sync_one(void *arg, const struct lyd_node *node)
{
	const struct sync *sync = arg;
	struct alarm *alarm = get(sync->alarms, node);

	if (!alarm->is)
		alarm->due = sync->due;
	alarm->is = alarm->seen = true;
}

void
alarms_sync(struct alarms *alarms, const struct lyd_node *state, bool is_first, struct mtime now)
{
	struct sync sync = { alarms, is_first ? now : mtime_add_ms(now, SETTLE_MS) };
	struct alarm *alarm;

	TAILQ_FOREACH (alarm, &alarms->list, entry)
		alarm->seen = false;
	node_each(state, "alarm", sync_one, &sync);
	TAILQ_FOREACH (alarm, &alarms->list, entry) {
		if (alarm->seen || !alarm->is)
			continue;
		alarm->is = false;
		alarm->due = sync.due;
		alarm->cleared_us = node_time(state, "now");
	}
}

uint32_t
alarms_index(const struct alarms *alarms, const struct lyd_node *node)
{
	const struct alarm *alarm = find(alarms, node);

	return alarm ? alarm->index : 0;
}

void
alarms_tell(struct alarms *alarms, struct mtime now, alarms_tell_fn *tell, void *arg)
{
	struct alarm *alarm = TAILQ_FIRST(&alarms->list), *next;

	for (; alarm; alarm = next) {
		next = TAILQ_NEXT(alarm, entry);
		if (alarm->is != alarm->told && mtime_reached(now, alarm->due) &&
		    tell(arg, alarm->node, alarm->index, alarm->cleared_us))
			alarm->told = alarm->is;
		if (!alarm->is && !alarm->told)
			forget(alarms, alarm);
	}
}
