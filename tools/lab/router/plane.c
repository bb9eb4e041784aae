/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joins the forwarding plane to the loop. A change is only noted when it is committed; the timer
 * that takes it up fires in the next turn, when the reply to the commit has been written. Then the
 * filters are swapped one by one, with the plane's own deadlines in between.
 *
 * A configuration that the plane cannot compile leaves the old state in force, as a forwarding
 * daemon would; it is logged and counted.
 */
#include "plane.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>

#include "conf.h"
#include "forwarding.h"
#include "log.h"
#include "loop.h"
#include "router.h"

enum { HISTORY = 64, WHAT_SIZE = 64 };

struct plane {
	struct labrouter *router;      /* borrowed */
	struct forwarding *forwarding; /* owned */
	struct loop_timer *timer;      /* owned */
	struct loop_fd *handle;
	bool is_stale; /* a change was not submitted yet */
	struct plane_numbers numbers;
	struct {
		int64_t at_us;
		uint64_t commit;
		char what[WHAT_SIZE];
		size_t intervals;
		uint32_t took_us;
	} history[HISTORY];
};

static void
on_changed(void *arg, const struct forwarding_change *change)
{
	struct plane *plane = arg;
	size_t slot = plane->numbers.changes++ % HISTORY;

	plane->numbers.last_us = change->at_us;
	plane->history[slot].at_us = change->at_us;
	plane->history[slot].commit = change->commit;
	plane->history[slot].intervals = change->intervals;
	plane->history[slot].took_us = change->took_us;
	(void)snprintf(plane->history[slot].what, WHAT_SIZE, "%s", change->what);
	log_info("forwarding", "%s: in force, change %" PRIu64 ", %zu ranges, %u us", change->what,
	    change->commit, change->intervals, change->took_us);
}

static void
report(struct plane *plane, const struct error *err)
{
	plane->numbers.errors++;
	log_error("forwarding", "%s", err->text);
}

static void
submit(struct plane *plane, struct mtime now)
{
	const xmlDoc *merged = database_merged(plane->router->database);
	struct error err;

	plane->is_stale = false;
	if (forwarding_submit(
	        plane->forwarding, ++plane->numbers.submitted, conf_root(merged), now, &err) < 0)
		report(plane, &err);
}

static void
on_timer(void *arg)
{
	struct plane *plane = arg;
	struct mtime now = mtime_now(), next;
	struct error err;

	if (plane->is_stale)
		submit(plane, now);
	if (mtime_reached(now, forwarding_deadline(plane->forwarding)) &&
	    forwarding_tick(plane->forwarding, now, &err) < 0)
		report(plane, &err);
	next = forwarding_deadline(plane->forwarding);
	if (mtime_is_never(next)) {
		plane->numbers.forwarded = plane->numbers.submitted;
		return;
	}
	now = mtime_now();
	loop_timer_set(plane->timer, next.us > now.us ? mtime_diff_ms(next, now) + 1 : 0);
}

static void
on_links(void *arg, int fd, short revents)
{
	struct plane *plane = arg;

	(void)fd;
	(void)revents;
	forwarding_links_changed(plane->forwarding, mtime_now());
	loop_timer_set(plane->timer, 0);
}

void
plane_changed(struct plane *plane)
{
	plane->is_stale = true;
	loop_timer_set(plane->timer, 0);
}

int
plane_new(struct labrouter *router, uint32_t skew_ms, struct plane **ret_plane, struct error *err)
{
	struct plane *plane = xcalloc(1, sizeof(*plane));

	plane->router = router;
	plane->forwarding = forwarding_new(on_changed, plane, err);
	if (!plane->forwarding) {
		free(plane);
		return -1;
	}
	forwarding_set_skew(plane->forwarding, skew_ms);
	plane->timer = loop_timer_new(router->loop, on_timer, plane);
	plane->handle =
	    loop_fd_add(router->loop, forwarding_fd(plane->forwarding), POLLIN, on_links, plane);
	*ret_plane = plane;
	return 0;
}

void
plane_free(struct plane *plane)
{
	if (!plane)
		return;
	loop_fd_remove(plane->handle);
	loop_timer_free(plane->timer);
	forwarding_free(plane->forwarding);
	free(plane);
}

void
plane_get_numbers(const struct plane *plane, struct plane_numbers *ret_numbers)
{
	*ret_numbers = plane->numbers;
}

void
plane_print_changes(const struct plane *plane, FILE *out)
{
	uint64_t last = plane->numbers.changes;

	for (uint64_t i = last > HISTORY ? last - HISTORY : 0; i < last; i++)
		fprintf(out, "%" PRId64 " %" PRIu64 " %s %zu %u\n",
		    plane->history[i % HISTORY].at_us, plane->history[i % HISTORY].commit,
		    plane->history[i % HISTORY].what, plane->history[i % HISTORY].intervals,
		    plane->history[i % HISTORY].took_us);
}

int
plane_read_counters(struct plane *plane, struct forwarding_counter **ret_counters,
    size_t *ret_count, struct error *err)
{
	return forwarding_counters(plane->forwarding, ret_counters, ret_count, err);
}

int
plane_print_counters(struct plane *plane, FILE *out, struct error *err)
{
	struct forwarding_counter *counters;
	size_t count;
	int rc = forwarding_counters(plane->forwarding, &counters, &count, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s %s %" PRIu64 " %" PRIu64 "\n", counters[i].filter,
		    counters[i].name, counters[i].packets, counters[i].bytes);
	forwarding_counters_free(counters, count);
	return 0;
}
