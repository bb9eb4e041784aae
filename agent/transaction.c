/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of the edit session. One function per state would scatter it; here each state is a case
 * that names the inputs it expects, and everything else is either common to all states (the session
 * comes or goes, a wish, a late reply) or has no meaning there and does nothing.
 *
 * An outcome is kept from the moment it is known until the read-back after it: a lost session or an
 * "empty" that must be confirmed in between only delays the telling. What is not known yet when the
 * commit's reply is lost becomes "unknown", told after the reconnect with the truth beside it; as
 * long as the instance is locked then, our own commit may still be queued in there, so nothing that
 * is read without the lock is believed.
 */
#include "transaction.h"

const char *const transaction_state_names[TRANSACTION_STATE_COUNT] = { "offline",
	"reading static lists", "opening to read", "reading candidate", "closing after read",
	"reading without opening", "waiting to open", "idle", "opening", "planning", "loading",
	"committing", "closing", "verifying", "reporting", "locked", "held" };

static struct transaction_step
go(struct transaction *t, enum transaction_state state, enum transaction_action action)
{
	t->state = state;
	return (struct transaction_step){ .action = action };
}

static struct transaction_step
stay(enum transaction_action action)
{
	return (struct transaction_step){ .action = action };
}

/* What is next when nothing is under way. */
static struct transaction_step
start(struct transaction *t)
{
	if (t->wish && !t->full) {
		t->wish = false;
		return go(t, TRANSACTION_OPENING, TRANSACTION_SEND_OPEN);
	}
	if (t->confirm)
		return go(t, TRANSACTION_READ_STATIC, TRANSACTION_SEND_STATIC);
	return go(t, TRANSACTION_IDLE, TRANSACTION_DO_NOTHING);
}

static void
note_outcome(struct transaction *t, enum router_outcome outcome)
{
	t->has_outcome = true;
	t->outcome = outcome;
}

/* Takes the outcome out, to be told. Failures are tried again, each in its own way. */
static void
tell_outcome(struct transaction *t, struct transaction_step *step)
{
	if (!t->has_outcome)
		return;
	t->has_outcome = false;
	step->done = true;
	step->outcome = t->outcome;
	if (t->outcome == ROUTER_LOAD_FAILED)
		t->wish = t->hold = true;
	if (t->outcome == ROUTER_DATABASE_FULL)
		t->wish = t->full = true;
}

static struct transaction_step
report(struct transaction *t, bool lists)
{
	struct transaction_step step = go(t, TRANSACTION_REPORTING, TRANSACTION_DO_NOTHING);

	step.lists = lists;
	if (lists)
		t->confirm = false;
	tell_outcome(t, &step);
	return step;
}

static struct transaction_step
close_with(struct transaction *t, enum router_outcome outcome, bool verify)
{
	note_outcome(t, outcome);
	t->verify = verify;
	return go(t, TRANSACTION_CLOSING, TRANSACTION_SEND_CLOSE);
}

static struct transaction_step
lose(struct transaction *t)
{
	struct transaction_step step = { .action = TRANSACTION_DO_NOTHING };

	switch (t->state) {
	case TRANSACTION_OPENING:
	case TRANSACTION_PLANNING:
	case TRANSACTION_LOADING:
		note_outcome(t, ROUTER_LOST);
		tell_outcome(t, &step);
		break;
	case TRANSACTION_COMMITTING:
		note_outcome(t, ROUTER_OUTCOME_UNKNOWN);
		break;
	case TRANSACTION_CLOSING:
		if (!t->verify)
			tell_outcome(t, &step);
		break;
	default:
		break;
	}
	t->state = TRANSACTION_OFFLINE;
	t->hold = t->refused = false;
	return step;
}

/* The lock is another's, or there is no such instance: told once for a row of refusals. */
static struct transaction_step
refuse(struct transaction *t, enum transaction_state state)
{
	struct transaction_step step = go(t, state, TRANSACTION_PAUSE);

	step.done = !t->refused;
	step.outcome = ROUTER_REFUSED;
	t->refused = true;
	return step;
}

static struct transaction_step
wish(struct transaction *t)
{
	t->wish = true;
	t->hold = false;
	switch (t->state) {
	case TRANSACTION_IDLE:
	case TRANSACTION_HELD:
		return start(t);
	case TRANSACTION_LOCKED:
	case TRANSACTION_READ_WAITING:
		return stay(TRANSACTION_HURRY);
	default:
		return stay(TRANSACTION_DO_NOTHING);
	}
}

static struct transaction_step
retry(struct transaction *t)
{
	t->full = t->hold = false;
	switch (t->state) {
	case TRANSACTION_IDLE:
	case TRANSACTION_HELD:
	case TRANSACTION_LOCKED:
		return start(t);
	case TRANSACTION_READ_WAITING:
		return stay(TRANSACTION_HURRY);
	default:
		return stay(TRANSACTION_DO_NOTHING);
	}
}

static struct transaction_step
confirm(struct transaction *t)
{
	t->confirm = true;
	return t->state == TRANSACTION_IDLE ? start(t) : stay(TRANSACTION_DO_NOTHING);
}

/* A pause is over, or the owner has been told. */
static struct transaction_step
resume(struct transaction *t, enum transaction_input input)
{
	if (input == TRANSACTION_TOLD && t->state == TRANSACTION_REPORTING) {
		if (!t->hold)
			return start(t);
		t->hold = false;
		return go(t, TRANSACTION_HELD, TRANSACTION_HOLD);
	}
	if (input != TRANSACTION_PAUSED)
		return stay(TRANSACTION_DO_NOTHING);
	if (t->state == TRANSACTION_READ_WAITING)
		return go(t, TRANSACTION_READ_OPENING, TRANSACTION_SEND_OPEN);
	if (t->state == TRANSACTION_LOCKED || t->state == TRANSACTION_HELD)
		return start(t);
	return stay(TRANSACTION_DO_NOTHING);
}

static bool
waits_for_reply(const struct transaction *t)
{
	switch (t->state) {
	case TRANSACTION_OFFLINE:
	case TRANSACTION_READ_WAITING:
	case TRANSACTION_IDLE:
	case TRANSACTION_PLANNING:
	case TRANSACTION_REPORTING:
	case TRANSACTION_LOCKED:
	case TRANSACTION_HELD:
		return false;
	default:
		return true;
	}
}

static struct transaction_step
read_back(struct transaction *t, enum transaction_input input)
{
	bool good = input == TRANSACTION_GOOD;

	switch (t->state) {
	case TRANSACTION_READ_STATIC:
		if (good)
			return go(t, TRANSACTION_READ_OPENING, TRANSACTION_SEND_OPEN);
		break;
	case TRANSACTION_READ_OPENING:
		if (good) {
			t->refused = false;
			return go(t, TRANSACTION_READ_CANDIDATE, TRANSACTION_SEND_CANDIDATE);
		}
		if (t->has_outcome && t->outcome == ROUTER_OUTCOME_UNKNOWN)
			return refuse(t, TRANSACTION_READ_WAITING);
		return go(t, TRANSACTION_READ_UNOPENED, TRANSACTION_SEND_UNOPENED);
	case TRANSACTION_READ_CANDIDATE:
		if (good)
			return go(t, TRANSACTION_READ_CLOSING, TRANSACTION_SEND_CLOSE);
		break;
	case TRANSACTION_READ_CLOSING:
		if (good)
			return report(t, true);
		break;
	case TRANSACTION_READ_UNOPENED:
		if (good)
			return report(t, true);
		return refuse(t, TRANSACTION_READ_WAITING);
	default:
		break;
	}
	return stay(TRANSACTION_DROP); /* no truth to be had: begin anew */
}

static struct transaction_step
edit(struct transaction *t, enum transaction_input input)
{
	bool good = input == TRANSACTION_GOOD;
	enum router_outcome failure =
	    input == TRANSACTION_FULL ? ROUTER_DATABASE_FULL : ROUTER_LOAD_FAILED;

	switch (t->state) {
	case TRANSACTION_OPENING:
		if (!good) {
			t->wish = true;
			return refuse(t, TRANSACTION_LOCKED);
		}
		t->refused = false;
		return go(t, TRANSACTION_PLANNING, TRANSACTION_ASK_PLAN);
	case TRANSACTION_LOADING:
		if (input == TRANSACTION_MORE)
			return stay(TRANSACTION_SEND_LOAD);
		if (good)
			return go(t, TRANSACTION_COMMITTING, TRANSACTION_SEND_COMMIT);
		return close_with(t, failure, false);
	case TRANSACTION_COMMITTING:
		return close_with(t, good ? ROUTER_COMMITTED : failure, true);
	case TRANSACTION_CLOSING:
		if (!good)
			return stay(TRANSACTION_DROP); /* dropping closes it for certain */
		if (!t->verify)
			return report(t, false);
		return go(t, TRANSACTION_VERIFYING, TRANSACTION_SEND_UNOPENED);
	case TRANSACTION_VERIFYING:
		if (good)
			return report(t, true);
		return go(t, TRANSACTION_READ_STATIC, TRANSACTION_SEND_STATIC);
	default:
		return read_back(t, input);
	}
}

static struct transaction_step
take_reply(struct transaction *t, enum transaction_input input)
{
	if (!waits_for_reply(t))
		return stay(TRANSACTION_DO_NOTHING);
	if (input == TRANSACTION_LATE)
		return stay(
		    t->state == TRANSACTION_COMMITTING ? TRANSACTION_DROP_BOTH : TRANSACTION_DROP);
	return edit(t, input);
}

static struct transaction_step
take_plan(struct transaction *t, enum transaction_input input)
{
	if (t->state != TRANSACTION_PLANNING &&
	    !(t->state == TRANSACTION_LOADING && input == TRANSACTION_NO_PLAN))
		return stay(TRANSACTION_DO_NOTHING);
	if (input == TRANSACTION_PLAN)
		return go(t, TRANSACTION_LOADING, TRANSACTION_SEND_LOAD);
	return close_with(t, ROUTER_COMMITTED, false);
}

struct transaction_step
transaction_feed(struct transaction *transaction, enum transaction_input input)
{
	switch (input) {
	case TRANSACTION_CONNECTED:
		if (transaction->state == TRANSACTION_OFFLINE)
			return go(transaction, TRANSACTION_READ_STATIC, TRANSACTION_SEND_STATIC);
		break;
	case TRANSACTION_LOST:
		return lose(transaction);
	case TRANSACTION_GOOD:
	case TRANSACTION_MORE:
	case TRANSACTION_BAD:
	case TRANSACTION_FULL:
	case TRANSACTION_DOUBTFUL:
	case TRANSACTION_LATE:
		return take_reply(transaction, input);
	case TRANSACTION_PLAN:
	case TRANSACTION_NO_PLAN:
		return take_plan(transaction, input);
	case TRANSACTION_SUBMIT:
		return wish(transaction);
	case TRANSACTION_CONFIRM:
		return confirm(transaction);
	case TRANSACTION_RETRY:
		return retry(transaction);
	case TRANSACTION_PAUSED:
	case TRANSACTION_TOLD:
		return resume(transaction, input);
	case TRANSACTION_INPUT_COUNT:
		break;
	}
	return stay(TRANSACTION_DO_NOTHING);
}
