/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For how long a member that is well again stays out: hold-down, damping, the sibling family, the
 * operator's word. Owns the memory of falls and the sentence that follows from it; health.c's
 * machine asks for times and changes the state.
 *
 * Damping: so many falls out of service within a window earn a sentence, counted from the moment
 * when all sides are up again; each further fall doubles it up to a maximum, until the member has
 * served for one window without a fall. A fall is a failure that took a steady member out: not an
 * operator's word, not a session that comes back as Up, Down, Up, not the second event of one
 * failure, not pool routes that the guard does not believe to be lost. Like hold-down, all of this
 * only delays a change of the healthy set; and like hold-down it takes nothing from a member that
 * still owns its units, which is then on parole: if the commit that was under way takes them after
 * all, it is out for the rest of its sentence.
 */
#include "health_internal.h"

static struct mtime
later(struct mtime a, struct mtime b)
{
	return a.us > b.us ? a : b;
}

/* ---- damping --------------------------------------------------------------------------------- */

uint32_t
health_member_downs(const struct health_member *m, struct mtime now)
{
	struct mtime start = mtime_add_ms(now, -(int64_t)m->config->damping_window_s * 1000);
	uint32_t downs = 0;

	for (size_t i = 0; i < m->fall_count && i < m->fall_capacity; i++)
		downs += m->falls[i].us > start.us;
	return downs;
}

void
health_member_note_fall(struct health_member *m, struct mtime now)
{
	const struct profile_group *config = m->config;
	struct mtime start = mtime_add_ms(now, -(int64_t)config->damping_window_s * 1000);
	uint64_t sentence_s = 0;

	m->falls[m->fall_count++ % m->fall_capacity] = now;
	m->sentence_before_s = m->sentence_s;
	if (config->damping_flaps == 0)
		return;
	if (m->sentence_s > 0 && m->serving_since.us > start.us)
		sentence_s = 2 * (uint64_t)m->sentence_s;
	else if (health_member_downs(m, now) >= config->damping_flaps)
		sentence_s = config->damping_initial_s;
	if (sentence_s > config->damping_maximum_s)
		sentence_s = config->damping_maximum_s;
	m->sentence_s = (uint32_t)sentence_s;
}

/* The ring may have lost an older one to it, which is not missed. */
void
health_member_forget_fall(struct health_member *m, struct mtime at)
{
	struct mtime *last;

	if (m->fall_count == 0)
		return;
	last = &m->falls[(m->fall_count - 1) % m->fall_capacity];
	if (last->us != at.us)
		return;
	last->us = INT64_MIN;
	m->fall_count--;
	m->sentence_s = m->sentence_before_s;
}

struct mtime
health_member_damped_until(const struct health_member *m)
{
	if (m->sentence_s == 0)
		return (struct mtime){ INT64_MIN };
	return mtime_add_ms(health_member_youngest(m), (int64_t)m->sentence_s * 1000);
}

/* ---- joining --------------------------------------------------------------------------------- */

static struct mtime
ready_at(const struct health_member *m)
{
	struct mtime hold_until =
	    mtime_add_ms(health_member_youngest(m), (int64_t)m->config->hold_down_s * 1000);

	return later(hold_until, health_member_damped_until(m));
}

/* Both families of an element come back in one commit, if the second is ready soon enough. */
struct mtime
health_member_join_at(const struct health_member *m)
{
	struct mtime mine = ready_at(m), theirs;

	if (m->owns)
		return mtime_min(mine, mtime_add_ms(m->failed_at, HEALTH_UNMOVED_MS));
	if (!m->sibling || m->sibling->state != HEALTH_HOLD_DOWN)
		return mine;
	theirs = ready_at(m->sibling);
	if (theirs.us <= mtime_add_ms(mine, HEALTH_SIBLING_WAIT_MS).us && theirs.us > mine.us)
		return theirs;
	return mine;
}

struct mtime
health_member_settled_at(const struct health_member *m)
{
	return mtime_add_ms(m->since, HEALTH_SETTLE_MS);
}

/*
 * Who comes back with its units still there moves nobody. Neither does a spare that was always
 * well: without this an agent's restart would leave every spare waiting for the operator.
 */
bool
health_member_needs_operator(const struct health_member *m)
{
	bool was_well = m->failed_at.us == INT64_MIN;

	return m->config->revert == REVERT_MANUAL && !m->approved && !m->owns &&
	       !(was_well && m->weight == 0);
}
