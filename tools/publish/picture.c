/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A picture is made once per poll. The MIB is filled at once, because a walk wants it sorted; the
 * metrics only when somebody scrapes, and then once, however many scrape.
 */
#include "picture.h"

#include <libyang/libyang.h>
#include <stdlib.h>

#include "error.h"
#include "metrics.h"
#include "node.h"

struct picture *
picture_new(
    struct lyd_node *state, struct mtime received, mib_alarm_index_fn *alarm_index, void *arg)
{
	struct picture *picture = xcalloc(1, sizeof(*picture));
	struct mib_source source = { state, node_time(state, "now"), alarm_index, arg };

	picture->references = 1;
	picture->state = state;
	picture->taken_us = source.taken_us;
	picture->received = received;
	picture->mib = mib_new(&source);
	return picture;
}

struct picture *
picture_new_unreachable(const struct picture *last)
{
	struct picture *picture = xcalloc(1, sizeof(*picture));
	struct mib_source source = { .taken_us = last ? last->taken_us : 0 };

	picture->references = 1;
	picture->taken_us = source.taken_us;
	picture->received = last ? last->received : MTIME_NEVER;
	picture->mib = mib_new(&source);
	return picture;
}

struct picture *
picture_hold(struct picture *picture)
{
	picture->references++;
	return picture;
}

void
picture_drop(struct picture *picture)
{
	if (!picture || --picture->references > 0)
		return;
	lyd_free_all(picture->state);
	mib_free(picture->mib);
	free(picture->metrics);
	free(picture);
}

int64_t
picture_age_ms(const struct picture *picture, struct mtime now)
{
	return picture->taken_us > 0 ? mtime_diff_ms(now, picture->received) : 0;
}

const char *
picture_metrics(struct picture *picture, size_t *ret_size)
{
	if (!picture->metrics)
		picture->metrics = metrics_new(picture->state, &picture->metrics_size);
	*ret_size = picture->metrics_size;
	return picture->metrics;
}
