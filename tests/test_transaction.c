/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The edit session's machine. First the table: every state with every input, whatever is not in it
 * changes nothing. Then the promises: every state that can be reached at all is walked, beside a
 * model of what the router has been told.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transaction.h"

#define T(name) TRANSACTION_##name

struct row {
	enum transaction_state from;
	enum transaction_input input;
	enum transaction_state to;
	enum transaction_action action;
};

/* With all flags clear but verify. */
static const struct row table[] = {
	{ T(OFFLINE), T(CONNECTED), T(READ_STATIC), T(SEND_STATIC) },

	{ T(READ_STATIC), T(GOOD), T(READ_OPENING), T(SEND_OPEN) },
	{ T(READ_STATIC), T(BAD), T(READ_STATIC), T(DROP) },
	{ T(READ_STATIC), T(MORE), T(READ_STATIC), T(DROP) },
	{ T(READ_STATIC), T(FULL), T(READ_STATIC), T(DROP) },
	{ T(READ_STATIC), T(DOUBTFUL), T(READ_STATIC), T(DROP) },
	{ T(READ_STATIC), T(LATE), T(READ_STATIC), T(DROP) },

	{ T(READ_OPENING), T(GOOD), T(READ_CANDIDATE), T(SEND_CANDIDATE) },
	{ T(READ_OPENING), T(BAD), T(READ_UNOPENED), T(SEND_UNOPENED) },
	{ T(READ_OPENING), T(MORE), T(READ_UNOPENED), T(SEND_UNOPENED) },
	{ T(READ_OPENING), T(FULL), T(READ_UNOPENED), T(SEND_UNOPENED) },
	{ T(READ_OPENING), T(DOUBTFUL), T(READ_UNOPENED), T(SEND_UNOPENED) },
	{ T(READ_OPENING), T(LATE), T(READ_OPENING), T(DROP) },

	{ T(READ_CANDIDATE), T(GOOD), T(READ_CLOSING), T(SEND_CLOSE) },
	{ T(READ_CANDIDATE), T(BAD), T(READ_CANDIDATE), T(DROP) },
	{ T(READ_CANDIDATE), T(MORE), T(READ_CANDIDATE), T(DROP) },
	{ T(READ_CANDIDATE), T(FULL), T(READ_CANDIDATE), T(DROP) },
	{ T(READ_CANDIDATE), T(DOUBTFUL), T(READ_CANDIDATE), T(DROP) },
	{ T(READ_CANDIDATE), T(LATE), T(READ_CANDIDATE), T(DROP) },

	{ T(READ_CLOSING), T(GOOD), T(REPORTING), T(DO_NOTHING) },
	{ T(READ_CLOSING), T(BAD), T(READ_CLOSING), T(DROP) },
	{ T(READ_CLOSING), T(MORE), T(READ_CLOSING), T(DROP) },
	{ T(READ_CLOSING), T(FULL), T(READ_CLOSING), T(DROP) },
	{ T(READ_CLOSING), T(DOUBTFUL), T(READ_CLOSING), T(DROP) },
	{ T(READ_CLOSING), T(LATE), T(READ_CLOSING), T(DROP) },

	{ T(READ_UNOPENED), T(GOOD), T(REPORTING), T(DO_NOTHING) },
	{ T(READ_UNOPENED), T(BAD), T(READ_WAITING), T(PAUSE) },
	{ T(READ_UNOPENED), T(MORE), T(READ_WAITING), T(PAUSE) },
	{ T(READ_UNOPENED), T(FULL), T(READ_WAITING), T(PAUSE) },
	{ T(READ_UNOPENED), T(DOUBTFUL), T(READ_WAITING), T(PAUSE) },
	{ T(READ_UNOPENED), T(LATE), T(READ_UNOPENED), T(DROP) },

	{ T(READ_WAITING), T(PAUSED), T(READ_OPENING), T(SEND_OPEN) },
	{ T(READ_WAITING), T(SUBMIT), T(READ_WAITING), T(HURRY) },
	{ T(READ_WAITING), T(RETRY), T(READ_WAITING), T(HURRY) },

	{ T(IDLE), T(SUBMIT), T(OPENING), T(SEND_OPEN) },
	{ T(IDLE), T(CONFIRM), T(READ_STATIC), T(SEND_STATIC) },

	{ T(OPENING), T(GOOD), T(PLANNING), T(ASK_PLAN) },
	{ T(OPENING), T(BAD), T(LOCKED), T(PAUSE) },
	{ T(OPENING), T(MORE), T(LOCKED), T(PAUSE) },
	{ T(OPENING), T(FULL), T(LOCKED), T(PAUSE) },
	{ T(OPENING), T(DOUBTFUL), T(LOCKED), T(PAUSE) },
	{ T(OPENING), T(LATE), T(OPENING), T(DROP) },

	{ T(PLANNING), T(PLAN), T(LOADING), T(SEND_LOAD) },
	{ T(PLANNING), T(NO_PLAN), T(CLOSING), T(SEND_CLOSE) },

	{ T(LOADING), T(MORE), T(LOADING), T(SEND_LOAD) },
	{ T(LOADING), T(GOOD), T(COMMITTING), T(SEND_COMMIT) },
	{ T(LOADING), T(BAD), T(CLOSING), T(SEND_CLOSE) },
	{ T(LOADING), T(FULL), T(CLOSING), T(SEND_CLOSE) },
	{ T(LOADING), T(DOUBTFUL), T(CLOSING), T(SEND_CLOSE) },
	{ T(LOADING), T(LATE), T(LOADING), T(DROP) },
	{ T(LOADING), T(NO_PLAN), T(CLOSING), T(SEND_CLOSE) },

	{ T(COMMITTING), T(GOOD), T(CLOSING), T(SEND_CLOSE) },
	{ T(COMMITTING), T(MORE), T(CLOSING), T(SEND_CLOSE) },
	{ T(COMMITTING), T(BAD), T(CLOSING), T(SEND_CLOSE) },
	{ T(COMMITTING), T(FULL), T(CLOSING), T(SEND_CLOSE) },
	{ T(COMMITTING), T(DOUBTFUL), T(CLOSING), T(SEND_CLOSE) },
	{ T(COMMITTING), T(LATE), T(COMMITTING), T(DROP_BOTH) },

	{ T(CLOSING), T(GOOD), T(VERIFYING), T(SEND_UNOPENED) },
	{ T(CLOSING), T(BAD), T(CLOSING), T(DROP) },
	{ T(CLOSING), T(MORE), T(CLOSING), T(DROP) },
	{ T(CLOSING), T(FULL), T(CLOSING), T(DROP) },
	{ T(CLOSING), T(DOUBTFUL), T(CLOSING), T(DROP) },
	{ T(CLOSING), T(LATE), T(CLOSING), T(DROP) },

	{ T(VERIFYING), T(GOOD), T(REPORTING), T(DO_NOTHING) },
	{ T(VERIFYING), T(BAD), T(READ_STATIC), T(SEND_STATIC) },
	{ T(VERIFYING), T(MORE), T(READ_STATIC), T(SEND_STATIC) },
	{ T(VERIFYING), T(FULL), T(READ_STATIC), T(SEND_STATIC) },
	{ T(VERIFYING), T(DOUBTFUL), T(READ_STATIC), T(SEND_STATIC) },
	{ T(VERIFYING), T(LATE), T(VERIFYING), T(DROP) },

	{ T(REPORTING), T(TOLD), T(IDLE), T(DO_NOTHING) },

	{ T(LOCKED), T(SUBMIT), T(LOCKED), T(HURRY) },
	{ T(LOCKED), T(PAUSED), T(IDLE), T(DO_NOTHING) },
	{ T(LOCKED), T(RETRY), T(IDLE), T(DO_NOTHING) },

	{ T(HELD), T(SUBMIT), T(OPENING), T(SEND_OPEN) },
	{ T(HELD), T(PAUSED), T(IDLE), T(DO_NOTHING) },
	{ T(HELD), T(RETRY), T(IDLE), T(DO_NOTHING) },
};

static struct row
expect(enum transaction_state from, enum transaction_input input)
{
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].from == from && table[i].input == input)
			return table[i];
	return (struct row){ from, input, input == T(LOST) ? T(OFFLINE) : from, T(DO_NOTHING) };
}

static void
test_table(void **state)
{
	enum transaction_state from;
	enum transaction_input input;

	(void)state;
	for (from = 0; from < T(STATE_COUNT); from++)
		for (input = 0; input < T(INPUT_COUNT); input++) {
			struct transaction t = { .state = from, .verify = true };
			struct row want = expect(from, input);
			struct transaction_step got = transaction_feed(&t, input);

			if (t.state != want.to || got.action != want.action)
				fail_msg("%s, input %d: got %s, action %d",
				    transaction_state_names[from], input,
				    transaction_state_names[t.state], got.action);
		}
}

/* ---- outcomes ------------------------------------------------------------------------------ */

struct story {
	const char *name;
	const char *inputs; /* one letter each, see input_of */
	const char *want;   /* what was told: L lists, c r f d l u outcomes */
	enum transaction_state end;
};

static enum transaction_input
input_of(char c)
{
	static const char letters[] = "^xgmb#?~pnsCRz!";

	return (enum transaction_input)(strchr(letters, c) - letters);
}

/* ^ connected, x lost, g good, m more, b bad, # full, ? doubtful, ~ late, p plan, n no plan,
 * s submit, C confirm, R retry, z pause over; ! (told) is fed by itself. */
static const struct story stories[] = {
	{ "connect", "^gggg", "L", T(IDLE) },
	{ "one commit",
	    "^gggg"
	    "sgpgggg",
	    "LLc", T(IDLE) },
	{ "three loads",
	    "^gggg"
	    "sgpmmgggg",
	    "LLc", T(IDLE) },
	{ "nothing left to do",
	    "^gggg"
	    "sgng",
	    "Lc", T(IDLE) },
	{ "wish before the first connect",
	    "s^gggg"
	    "gpgggg",
	    "LLc", T(IDLE) },
	{ "two wishes in a burst",
	    "^gggg"
	    "sgpssg"
	    "ggg"
	    "gpgggg",
	    "LLcLc", T(IDLE) },
	{ "locked twice, told once",
	    "^gggg"
	    "sbzbzgpgggg",
	    "LrLc", T(IDLE) },
	{ "locked again is told again",
	    "^gggg"
	    "sbzgpgggg"
	    "sbzgpgggg",
	    "LrLcrLc", T(IDLE) },
	{ "lock, then lost, then back",
	    "^gggg"
	    "sbx^gggg"
	    "gpgggg",
	    "LrLLc", T(IDLE) },
	{ "load refused",
	    "^gggg"
	    "sgpbg",
	    "Lf", T(HELD) },
	{ "load refused, 30 s later",
	    "^gggg"
	    "sgpbgz"
	    "gpgggg",
	    "LfLc", T(IDLE) },
	{ "load refused, new wish",
	    "^gggg"
	    "sgpbgs"
	    "gpgggg",
	    "LfLc", T(IDLE) },
	{ "second load refused",
	    "^gggg"
	    "sgpmbg",
	    "Lf", T(HELD) },
	{ "database full",
	    "^gggg"
	    "sgp#gsszs",
	    "Ld", T(IDLE) },
	{ "database full, operator",
	    "^gggg"
	    "sgp#gsR"
	    "gpgggg",
	    "LdLc", T(IDLE) },
	{ "database full, reconnect",
	    "^gggg"
	    "sgp#gx^gggg",
	    "LdL", T(IDLE) },
	{ "commit refused is read back",
	    "^gggg"
	    "sgpgbgg",
	    "LLf", T(HELD) },
	{ "lost while opening",
	    "^gggg"
	    "sx",
	    "Ll", T(OFFLINE) },
	{ "lost while loading",
	    "^gggg"
	    "sgpx",
	    "Ll", T(OFFLINE) },
	{ "lost in the commit",
	    "^gggg"
	    "sgpgx",
	    "L", T(OFFLINE) },
	{ "lost in the commit, back",
	    "^gggg"
	    "sgpgx^gggg",
	    "LLu", T(IDLE) },
	{ "lost in the commit, twice",
	    "^gggg"
	    "sgpgx^gx^gggg",
	    "LLu", T(IDLE) },
	{ "lost in the commit, locked on return",
	    "^gggg"
	    "sgpgx^gbgzbzggg",
	    "LrLu", T(IDLE) },
	{ "commit late",
	    "^gggg"
	    "sgpg~x^gggg",
	    "LLu", T(IDLE) },
	{ "lost after the commit",
	    "^gggg"
	    "sgpggx^gggg",
	    "LLc", T(IDLE) },
	{ "lost before the verify",
	    "^gggg"
	    "sgpgggx^gggg",
	    "LLc", T(IDLE) },
	{ "lost after a refused load",
	    "^gggg"
	    "sgpbx",
	    "Lf", T(OFFLINE) },
	{ "verify empty: opened",
	    "^gggg"
	    "sgpggg?gggg",
	    "LLc", T(IDLE) },
	{ "verify refused: opened",
	    "^gggg"
	    "sgpgggbgggg",
	    "LLc", T(IDLE) },
	{ "connect while locked", "^gbg", "L", T(IDLE) },
	{ "connect while locked, empty", "^gb?", "r", T(READ_WAITING) },
	{ "... until the lock is gone", "^gb?zb?zggg", "rL", T(IDLE) },
	{ "confirm",
	    "^gggg"
	    "Cgggg",
	    "LL", T(IDLE) },
	{ "confirm waits for a transaction",
	    "^gggg"
	    "sCgng"
	    "gggg",
	    "LcL", T(IDLE) },
	{ "verify serves a confirm",
	    "^gggg"
	    "sCgpgggg",
	    "LLc", T(IDLE) },
	{ "retry when idle",
	    "^gggg"
	    "R",
	    "L", T(IDLE) },
};

static void
tell(struct transaction *t, struct transaction_step step, char *told)
{
	static const char letters[] = "crfdlu";
	size_t n = strlen(told);

	if (step.lists)
		told[n++] = 'L';
	if (step.done)
		told[n++] = letters[step.outcome];
	told[n] = '\0';
	if (t->state == T(REPORTING))
		tell(t, transaction_feed(t, T(TOLD)), told);
}

static void
test_stories(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		struct transaction t = { 0 };
		const char *p;
		char told[32] = "";

		for (p = stories[i].inputs; *p; p++)
			tell(&t, transaction_feed(&t, input_of(*p)), told);
		if (strcmp(told, stories[i].want) != 0 || t.state != stories[i].end)
			fail_msg("%s: told \"%s\", ends %s", stories[i].name, told,
			    transaction_state_names[t.state]);
	}
}

/* ---- promises ------------------------------------------------------------------------------ */

enum { TOLD_NONE = ROUTER_OUTCOME_COUNT };

/* What the router was told on this session, and what is owed to the owner. */
struct model {
	struct transaction t;
	bool connected, waiting, opened, for_edit, loaded, answered, committed, begun;
};

struct walk {
	struct model *seen;
	size_t count, capacity;
};

static bool
is_possible(const struct model *m, enum transaction_input input)
{
	switch (input) {
	case T(CONNECTED):
		return !m->connected;
	case T(LOST):
		return m->connected;
	case T(MORE):
		return m->t.state == T(LOADING);
	case T(DOUBTFUL):
		return m->t.state == T(READ_UNOPENED) || m->t.state == T(VERIFYING);
	case T(GOOD):
	case T(BAD):
	case T(FULL):
	case T(LATE):
		return m->waiting;
	case T(PLAN):
		return m->t.state == T(PLANNING);
	case T(NO_PLAN):
		return m->t.state == T(PLANNING) || m->t.state == T(LOADING);
	case T(TOLD):
		return m->t.state == T(REPORTING);
	default:
		return true;
	}
}

/* What the reply means for the model, before the machine sees it. */
static void
note_input(struct model *m, enum transaction_input input)
{
	enum transaction_state s = m->t.state;
	bool good = input == T(GOOD);

	if (input == T(CONNECTED))
		m->connected = true;
	if (input == T(LOST))
		m->connected = m->waiting = m->opened = m->loaded = m->answered = false;
	if (s == T(LOADING) && input == T(NO_PLAN)) /* instead of what the reply says */
		m->waiting = m->answered = false;
	if (input > T(DOUBTFUL) || input < T(GOOD))
		return;
	m->waiting = false;
	if (good && (s == T(OPENING) || s == T(READ_OPENING)))
		m->opened = true;
	if (s == T(LOADING))
		m->answered = good;
	if (good && (s == T(CLOSING) || s == T(READ_CLOSING)))
		m->opened = m->loaded = m->answered = false;
}

static void
check_action(struct model *m, enum transaction_action action)
{
	if (action >= T(SEND_STATIC) && action <= T(SEND_CLOSE)) {
		assert_true(m->connected);
		assert_false(m->waiting); /* one request at a time */
		m->waiting = true;
	}
	switch (action) {
	case T(SEND_OPEN):
		assert_false(m->opened);
		m->committed = false;
		m->for_edit = m->t.state == T(OPENING);
		if (m->for_edit)
			m->begun = true;
		break;
	case T(SEND_LOAD):
		assert_true(m->opened && m->for_edit && !m->committed);
		m->loaded = true;
		m->answered = false;
		break;
	case T(SEND_COMMIT):
		assert_true(m->opened && m->loaded && m->answered && !m->committed);
		m->committed = true;
		break;
	case T(SEND_CANDIDATE):
	case T(SEND_CLOSE):
		assert_true(m->opened);
		break;
	case T(SEND_UNOPENED):
	case T(SEND_STATIC):
		assert_false(m->opened);
		break;
	default:
		break;
	}
}

static void
check_rest(struct model *m, const struct transaction_step *step)
{
	if (step->done && step->outcome != ROUTER_REFUSED) {
		assert_true(m->begun);
		m->begun = false;
		assert_true(step->outcome != ROUTER_LOST || !m->committed);
		assert_true(step->outcome != ROUTER_OUTCOME_UNKNOWN || step->lists);
	}
	switch (m->t.state) {
	case T(IDLE):
	case T(HELD):
		assert_false(m->opened); /* the lock is never kept */
		assert_false(m->begun);  /* every transaction ended in an outcome */
		break;
	case T(LOCKED):
	case T(READ_WAITING):
		assert_false(m->opened);
		break;
	default:
		break;
	}
	if (m->t.state == T(IDLE))
		assert_true(!m->t.confirm && (!m->t.wish || m->t.full)); /* nothing forgotten */
}

static void
visit(struct walk *walk, const struct model *m)
{
	size_t i;

	for (i = 0; i < walk->count; i++)
		if (memcmp(&walk->seen[i], m, sizeof(*m)) == 0)
			return;
	if (walk->count == walk->capacity) {
		walk->capacity = walk->capacity ? walk->capacity * 2 : 1024;
		walk->seen = realloc(walk->seen, walk->capacity * sizeof(*walk->seen));
		assert_non_null(walk->seen);
	}
	walk->seen[walk->count++] = *m;
}

static void
test_promises(void **state)
{
	struct walk walk = { 0 };
	struct model first;
	size_t i;

	(void)state;
	memset(&first, 0, sizeof(first));
	visit(&walk, &first);
	for (i = 0; i < walk.count; i++) {
		enum transaction_input input;

		for (input = 0; input < T(INPUT_COUNT); input++) {
			struct transaction_step step;
			struct model m;

			memcpy(&m, &walk.seen[i], sizeof(m)); /* padding too */
			if (!is_possible(&m, input))
				continue;
			note_input(&m, input);
			step = transaction_feed(&m.t, input);
			check_action(&m, step.action);
			check_rest(&m, &step);
			visit(&walk, &m);
		}
	}
	print_message("%zu situations\n", walk.count);
	assert_true(walk.count > 200);
	free(walk.seen);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_stories),
		cmocka_unit_test(test_promises),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
