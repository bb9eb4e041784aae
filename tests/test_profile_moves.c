/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes of a profile as new epochs: random histories of twenty changes through the same functions
 * that autofbf profile calls. After each one the file loads, moves are counted a second time in
 * another way, they are the minimum, the base lists of router-config are the base layout, and a
 * router that has loaded all before is as one that has loaded this one only. Then
 * what edits of old lines cost, and that a changed text keeps its looks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <json-c/json.h>
#include <errno.h>
#include <libyang/libyang.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/cli/json_edit.h"
#include "../tools/cli/profile_edit.h"
#include "../tools/cli/text_diff.h"
#include "config_kit.h"
#include "layout_random.h"
#include "moves.h"
#include "profile_yang.h"

enum { HISTORIES = 40, ON_A_ROUTER = 5, CHANGES = 20 };

struct fixture {
	struct ly_ctx *ctx;
};

static int
set_up(void **state)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));
	struct error err;

	if (profile_yang_context("yang", &fixture->ctx, &err) < 0)
		fatal("%s", err.text);
	*state = fixture;
	return 0;
}

static int
tear_down(void **state)
{
	struct fixture *fixture = *state;

	ly_ctx_destroy(fixture->ctx);
	free(fixture);
	return 0;
}

static struct profile *
load(const struct fixture *fixture, const char *text)
{
	struct profile *profile = NULL;
	struct error err = { "" };

	if (profile_load_text(fixture->ctx, text, strlen(text), "profile.json", &profile, &err) < 0)
		fail_msg("%s\n%s", err.text, text);
	return profile;
}

/* ---- random histories ---- */

static char *
format_element(unsigned number, unsigned weight)
{
	return xasprintf("{\"id\": \"e%u\", \"weight\": [{\"epoch\": 0, \"weight\": %u}], "
	                 "\"ipv4\": {\"inside\": {\"peer\": \"10.1.%u.2\"}, "
	                 "\"outside\": {\"peer\": \"10.2.%u.2\"}}, "
	                 "\"ipv6\": {\"inside\": {\"peer\": \"fd00:1:%u::2\"}, "
	                 "\"outside\": {\"peer\": \"fd00:2:%u::2\"}}}",
	    number, weight, number, number, number, number);
}

static char *
make_text(struct random *random, unsigned elements)
{
	char *list = xstrdup(""), *text;

	for (unsigned e = 0; e < elements; e++) {
		char *element = format_element(e, 1 + (unsigned)random_below(random, 5));
		char *longer = xasprintf("%s%s%s", list, e ? ",\n  " : "", element);

		free(element);
		free(list);
		list = longer;
	}
	text =
	    xasprintf("{\"autofbf:profile\": {\n"
	              " \"router\": {\"address\": [\"198.51.100.1\"], \"known-hosts\": \"k\"},\n"
	              " \"group\": [{\"id\": \"g\",\n"
	              "  \"inside-interface\": [\"ae0.0\"], \"outside-interface\": [\"ae1.0\"],\n"
	              "  \"pool\": [{\"prefix\": \"10.64.0.0/%zu\", \"unit-length\": 26},\n"
	              "   {\"prefix\": \"2001:db8:64::/48\", \"unit-length\": %zu}],\n"
	              "  \"element\": [%s]}]}}\n",
	        17 + random_below(random, 4), 54 + random_below(random, 4), list);
	free(list);
	return text;
}

static const struct profile_element *
choose_element(struct random *random, const struct profile_group *group)
{
	size_t first = random_below(random, group->element_count);

	for (size_t i = 0; i < group->element_count; i++) {
		const struct profile_element *element =
		    &group->elements[(first + i) % group->element_count];

		if (!element->removed)
			return element;
	}
	return NULL;
}

static size_t
count_living(const struct profile_group *group)
{
	size_t count = 0;

	for (size_t e = 0; e < group->element_count; e++)
		count += !group->elements[e].removed &&
		         group->elements[e].weights[group->elements[e].weight_count - 1].weight > 0;
	return count;
}

static int
change_pool(struct random *random, const struct profile *profile, const char *text, unsigned number,
    bool add, struct profile_edit *ret_edit, struct error *err)
{
	const struct profile_group *group = &profile->groups[0];
	const struct profile_pool *pool = &group->pools[random_below(random, group->pool_count)];
	char name[PREFIX_TEXT_SIZE];
	struct prefix prefix;

	if (!add)
		return profile_edit_end_pool(
		    profile, text, "g", &pool->prefix, pool->unit_length, ret_edit, err);
	snprintf(name, sizeof(name),
	    random_below(random, 2) ? "10.%u.0.0/%zu" : "2001:db8:%u::/%zu", 100 + number,
	    (size_t)24);
	if (strchr(name, ':'))
		snprintf(name, sizeof(name), "2001:db8:%u::/%zu", 100 + number,
		    50 + random_below(random, 6));
	assert_int_equal(prefix_parse(name, &prefix), 0);
	return profile_edit_add_pool(profile, text, "g", &prefix,
	    (uint8_t)(prefix.length + 1 + random_below(random, 5)), ret_edit, err);
}

static int
change_element(struct random *random, const struct profile *profile, const char *text,
    unsigned number, unsigned kind, struct profile_edit *ret_edit, struct error *err)
{
	const struct profile_group *group = &profile->groups[0];
	const struct profile_element *element = choose_element(random, group);
	struct profile_newcomer newcomer = { .weight = -1, .failed_weight = -1 };
	char id[16], peer[4][IP_TEXT_SIZE];
	int rc;

	snprintf(id, sizeof(id), "n%u", number);
	newcomer.id = id;
	for (int i = 0; i < 4; i++) {
		snprintf(peer[i], sizeof(peer[i]), i < 2 ? "10.%d.%u.3" : "fd00:%d:%u::3",
		    1 + i % 2, number);
		newcomer.peer[i / 2][i % 2] = peer[i];
	}
	if (kind == 0) {
		newcomer.weight = (int)random_below(random, 6);
		rc = profile_edit_add_element(profile, text, "g", &newcomer, ret_edit, err);
	} else if (kind == 1 && count_living(group) > 1) {
		rc = profile_edit_remove_element(profile, text, element->id, ret_edit, err);
	} else if (kind == 2) {
		rc = profile_edit_reweight(profile, text, element->id,
		    (uint16_t)(random_below(random, 6) + (count_living(group) < 2)), ret_edit, err);
	} else {
		newcomer.weight = 1 + (int)random_below(random, 5);
		rc = profile_edit_replace(profile, text, element->id, &newcomer, ret_edit, err);
	}
	return rc;
}

/* The next text of a history, or NULL when the change is refused, as a weight that is there already
 * is. What is not refused makes a profile that loads. */
static char *
change(struct random *random, const struct fixture *fixture, const struct profile *profile,
    const char *text, unsigned number, bool *ret_retires)
{
	unsigned kind = (unsigned)random_below(random, 6);
	struct profile_edit edit = { .text = NULL };
	struct error err = { "" };
	char *next;
	int rc = kind < 4 ? change_element(random, profile, text, number, kind, &edit, &err)
	                  : change_pool(random, profile, text, number, kind == 4, &edit, &err);

	if (rc < 0)
		return NULL;
	if (edit.epoch != PROFILE_EPOCH_NONE)
		assert_int_equal(edit.epoch, profile_edit_last_epoch(&profile->groups[0]) + 1);
	profile_free(load(fixture, edit.text)); /* or it fails here */
	next = xstrdup(edit.text);
	*ret_retires = edit.retires;
	profile_edit_done(&edit);
	return next;
}

/* Units of both, by looking each one up, that have another owner. */
static size_t
count_again(const struct layout_space *from, const struct layout_space *to)
{
	size_t moved = 0;

	for (size_t unit = 0; unit < layout_space_units(to); unit++) {
		struct prefix prefix = layout_space_unit(to, unit), other;
		size_t old = layout_space_find(from, &prefix.address);

		if (old == SIZE_MAX)
			continue;
		other = layout_space_unit(from, old);
		assert_int_equal(prefix_compare(&prefix, &other), 0);
		moved += strcmp(layout_space_group(from)->elements[layout_space_base(from, old)].id,
		             layout_space_group(to)->elements[layout_space_base(to, unit)].id) != 0;
	}
	return moved;
}

/* A share is missed by less than a unit; in a retirement by little more at times, since nobody but
 * the one that retires gives units away (rule 4e). */
static void
check_exact(const struct moves_family *family, bool retires)
{
	uint64_t sum = 0;

	for (size_t e = 0; e < family->element_count; e++)
		sum += family->elements[e].weight;
	for (size_t e = 0; e < family->element_count; e++) {
		const struct moves_element *element = &family->elements[e];
		double share = (double)family->after * element->weight / (double)sum;

		assert_true(element->after - share < 1 + retires);
		assert_true(share - element->after < 1 + retires);
		assert_true(element->leave == 0 || element->come == 0);
		assert_true(element->kept + element->come <= element->after);
	}
}

static void
check_moves(const struct profile *from, const struct profile *to, const char *text, bool retires)
{
	struct moves *moves = moves_compute(from, to);

	for (size_t i = 0; i < moves->count; i++) {
		const struct moves_family *family = &moves->families[i];
		struct layout_space *old = layout_space_new(&from->groups[0], family->family);
		struct layout_space *new = layout_space_new(&to->groups[0], family->family);

		if (family->moved != family->minimum)
			fail_msg("%g moves, minimum %g\n%s", family->moved, family->minimum, text);
		assert_true(family->moved == (double)count_again(old, new));
		if (family->after > 0)
			check_exact(family, retires);
		layout_space_free(old);
		layout_space_free(new);
	}
	assert_true(moves->moved == moves->minimum);
	moves_free(moves);
}

/* Each line of a base list is a unit of its element; the sentinels are no units. */
static size_t
check_line(const struct profile_group *group, struct layout_space *const *spaces, const char *line)
{
	char list[64], text[PREFIX_TEXT_SIZE], id[32];
	struct prefix prefix, unit;
	size_t found;

	if (sscanf(line, "set policy-options prefix-list %63s %49s", list, text) != 2 ||
	    !strstr(list, "-base-v") || prefix_parse(text, &prefix) < 0)
		return 0;
	found = layout_space_find(spaces[prefix.address.family], &prefix.address);
	if (found == SIZE_MAX)
		return 0;
	unit = layout_space_unit(spaces[prefix.address.family], found);
	assert_int_equal(prefix_compare(&unit, &prefix), 0);
	snprintf(id, sizeof(id), "%.*s", (int)(strstr(list, "-base-v") - list), list);
	assert_string_equal(
	    group->elements[layout_space_base(spaces[prefix.address.family], found)].id, id);
	return 1;
}

static void
check_lists(const struct profile *profile)
{
	const struct profile_group *group = &profile->groups[0];
	struct layout_space *spaces[] = { layout_space_new(group, FAMILY_IPV4),
		layout_space_new(group, FAMILY_IPV6) };
	size_t lines = 0;
	char *text = print_config(profile, false), *rest, *line;

	for (rest = text; (line = strsep(&rest, "\n"));)
		lines += check_line(group, spaces, line);
	assert_int_equal(lines, layout_space_units(spaces[0]) + layout_space_units(spaces[1]));
	free(text);
	layout_space_free(spaces[0]);
	layout_space_free(spaces[1]);
}

static void
drop_pools(struct json_object *group, enum family f)
{
	struct json_object *kept = json_object_new_array();
	struct json_object *pools = json_object_object_get(group, "pool");

	for (size_t i = 0; i < json_object_array_length(pools); i++) {
		struct json_object *pool = json_object_array_get_idx(pools, i);
		const char *prefix = json_object_get_string(json_object_object_get(pool, "prefix"));

		if (!strchr(prefix, ':') != (f == FAMILY_IPV4))
			json_object_array_add(kept, json_object_get(pool));
	}
	json_object_object_add(group, "pool", kept);
}

/* The text of a profile without one of its families. The caller frees it. */
static char *
drop_family(const char *text, enum family f)
{
	struct json_object *root = json_tokener_parse(text);
	struct json_object *groups =
	    json_object_object_get(json_object_object_get(root, "autofbf:profile"), "group");
	struct json_object *group = json_object_array_get_idx(groups, 0);
	struct json_object *elements = json_object_object_get(group, "element");
	char *dropped;

	for (size_t i = 0; i < json_object_array_length(elements); i++)
		json_object_object_del(json_object_array_get_idx(elements, i), family_names[f]);
	drop_pools(group, f);
	dropped = xstrdup(json_object_to_json_string(root));
	json_object_put(root);
	return dropped;
}

/* In the end the router has nothing to do with a family any more, and then again. */
static void
check_dropped_families(const struct fixture *fixture, struct config_router *router,
    const struct profile *profile, const char *text)
{
	for (enum family f = 0; f < FAMILY_COUNT; f++) {
		char *dropped = drop_family(text, f);
		struct profile *less = load(fixture, dropped);

		config_router_reduce(router, less);
		config_router_load(router, profile);
		profile_free(less);
		free(dropped);
	}
}

static void
run_history(struct random *random, const struct fixture *fixture, bool on_a_router)
{
	char *text = make_text(random, 2 + (unsigned)random_below(random, 7)), *next;
	struct profile *profile = load(fixture, text), *after;
	struct config_router router;
	unsigned done = 0;

	config_router_init(&router);
	config_router_load(&router, profile);
	for (unsigned number = 1; done < CHANGES && number < 200; number++) {
		bool retires = false;

		next = change(random, fixture, profile, text, number, &retires);
		if (!next)
			continue;
		after = load(fixture, next);
		check_moves(profile, after, next, retires);
		check_lists(after);
		if (on_a_router)
			config_router_load(&router, after);
		profile_free(profile);
		free(text);
		profile = after;
		text = next;
		done++;
	}
	assert_int_equal(done, CHANGES);
	if (on_a_router)
		check_dropped_families(fixture, &router, profile, text);
	config_router_done(&router);
	profile_free(profile);
	free(text);
}

static void
test_histories(void **state)
{
	struct random random = random_begin("histories");

	for (int i = 0; i < HISTORIES; i++)
		run_history(&random, *state, i < ON_A_ROUTER);
}

/* ---- what edits of other kinds cost ---- */

#define HEAD \
	"{\"autofbf:profile\": {\"router\": {\"address\": [\"198.51.100.1\"], \"known-hosts\": " \
	"\"k\"}, \"group\": ["
#define GROUP(id, pool, elements) \
	"{\"id\": \"" id "\", \"pool\": [" pool "], \"element\": [" elements "]}"
#define POOL(prefix, length) "{\"prefix\": \"" prefix "\", \"unit-length\": " length "}"
#define ELEMENT(id, number, more) \
	"{\"id\": \"" id "\", " more "\"ipv4\": {\"inside\": {\"peer\": \"10.1." number \
	".2\"}, \"outside\": {\"peer\": \"10.2." number ".2\"}}}"
#define TAIL "]}}"
#define A ELEMENT("a", "1", "")
#define B ELEMENT("b", "2", "")
#define C ELEMENT("c", "3", "")
#define WIDE POOL("10.0.0.0/20", "26")

static const struct {
	const char *name, *from, *to;
	double moved, minimum, fresh, ended;
} costs[] = {
	{ "the same", HEAD GROUP("g", WIDE, A "," B) TAIL, HEAD GROUP("g", WIDE, A "," B) TAIL, 0,
	    0, 0, 0 },
	{ "lines in another order", HEAD GROUP("g", WIDE, A "," B) TAIL,
	    HEAD GROUP("g", WIDE, B "," A) TAIL, 0, 0, 0, 0 },
	{ "another name", HEAD GROUP("g", WIDE, A "," B) TAIL,
	    HEAD GROUP("g", WIDE, A "," ELEMENT("b", "2", "\"name\": \"x\", ")) TAIL, 0, 0, 0, 0 },
	/* 64 units a b a b ...; as 21 or 22 each a b c a b c ...: much more than c's share */
	{ "an element by an edit in place", HEAD GROUP("g", WIDE, A "," B) TAIL,
	    HEAD GROUP("g", WIDE, A "," B "," C) TAIL, 42, 21, 0, 0 },
	/* the 64th unit goes to the newcomer, whose id is first: one move more than there need be
	 */
	{ "an element that comes first", HEAD GROUP("g", WIDE, A "," B) TAIL,
	    HEAD GROUP("g", WIDE, A "," B "," ELEMENT("0", "3", "")) TAIL, 44, 21, 0, 0 },
	{ "another id", HEAD GROUP("g", WIDE, A "," B) TAIL, HEAD GROUP("g", WIDE, A "," C) TAIL,
	    32, 32, 0, 0 },
	/* every unit becomes two, for a and for b: one of them moves */
	{ "units of half the size", HEAD GROUP("g", POOL("10.0.0.0/20", "26"), A "," B) TAIL,
	    HEAD GROUP("g", POOL("10.0.0.0/20", "27"), A "," B) TAIL, 64, 0, 0, 0 },
	{ "units of twice the size", HEAD GROUP("g", POOL("10.0.0.0/20", "27"), A "," B) TAIL,
	    HEAD GROUP("g", POOL("10.0.0.0/20", "26"), A "," B) TAIL, 32, 0, 0, 0 },
	{ "half of the pool", HEAD GROUP("g", POOL("10.0.0.0/20", "26"), A "," B) TAIL,
	    HEAD GROUP("g", POOL("10.0.0.0/21", "26"), A "," B) TAIL, 0, 0, 0, 32 },
	{ "twice the pool", HEAD GROUP("g", POOL("10.0.0.0/21", "26"), A "," B) TAIL,
	    HEAD GROUP("g", POOL("10.0.0.0/20", "26"), A "," B) TAIL, 0, 0, 32, 0 },
	{ "another group", HEAD GROUP("g", WIDE, A "," B) TAIL, HEAD GROUP("h", WIDE, A "," B) TAIL,
	    0, 0, 64, 64 },
};

static void
test_costs(void **state)
{
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
		struct profile *from = load(*state, costs[i].from);
		struct profile *to = load(*state, costs[i].to);
		struct moves *moves = moves_compute(from, to);
		double fresh = 0;

		for (size_t f = 0; f < moves->count; f++)
			fresh += moves->families[f].fresh;
		if (moves->moved != costs[i].moved || moves->minimum != costs[i].minimum ||
		    fresh != costs[i].fresh || moves->ended != costs[i].ended)
			fail_msg("%s: moved %g, minimum %g, new %g, ended %g", costs[i].name,
			    moves->moved, moves->minimum, fresh, moves->ended);
		moves_free(moves);
		profile_free(from);
		profile_free(to);
	}
}

/* ---- refusals ---- */

static void
test_refusals(void **state)
{
	struct profile *profile = load(*state,
	    HEAD GROUP("g", WIDE,
	        A "," B "," ELEMENT("old", "9",
	            "\"weight\": [{\"epoch\": 4294967294, \"weight\": 0}], \"removed\": true, "))
	        TAIL);
	struct profile_newcomer taken = { "old", NULL, -1, -1,
		{ { "10.1.7.2", "10.2.7.2" }, { NULL, NULL } } };
	struct profile_newcomer alien = { "new", NULL, -1, -1,
		{ { "fd00::1", "10.2.7.2" }, { NULL, NULL } } };
	struct profile_edit edit;
	struct error err;

	assert_int_equal(
	    profile_edit_add_element(profile, "", "nobody", &taken, &edit, &err), -ENOENT);
	assert_int_equal(profile_edit_add_element(profile, "", "g", &taken, &edit, &err), -EINVAL);
	assert_non_null(strstr(err.text, "removed element"));
	assert_int_equal(profile_edit_add_element(profile, "", "g", &alien, &edit, &err), -EINVAL);
	assert_non_null(strstr(err.text, "--ipv4-inside fd00::1"));
	assert_int_equal(profile_edit_remove_element(profile, "", "old", &edit, &err), -EINVAL);
	assert_non_null(strstr(err.text, "removed already"));
	assert_int_equal(profile_edit_reweight(profile, "", "a", 2, &edit, &err), -EINVAL);
	assert_non_null(strstr(err.text, "is the last there can be"));
	profile_free(profile);
}

/* ---- texts ---- */

static const struct {
	const char *name, *text, *want;
} puts_table[] = {
	/* puts x: 1 behind a */
	{ "in a line", "{\"a\": 0, \"b\": 2}", "{\"a\": 0, \"x\": 1, \"b\": 2}" },
	{ "lines of their own", "{\n\t\"a\": 0,\n\t\"b\": 2\n}",
	    "{\n\t\"a\": 0,\n\t\"x\": 1,\n\t\"b\": 2\n}" },
	{ "it is there", "{\"a\": 0, \"x\": {\"y\": [1, \"}\"]}}", "{\"a\": 0, \"x\": 1}" },
	{ "with a module's name", "{\"m:a\": 0, \"m:x\": 2}", "{\"m:a\": 0, \"m:x\": 1}" },
	{ "escapes", "{\"\\u0061\": \"\\\\\\\"\", \"b\": 2}",
	    "{\"\\u0061\": \"\\\\\\\"\", \"x\": 1, \"b\": 2}" },
	{ "at the end", "{ \"b\": [] }", "{ \"b\": [], \"x\": 1 }" },
	{ "empty", "{}", "{\"x\": 1}" },
};

static void
test_put(void **state)
{
	for (size_t i = 0; i < sizeof(puts_table) / sizeof(puts_table[0]); i++) {
		const char *text = puts_table[i].text;
		char *have = json_put(text, json_root(text), "a", "x", "1");

		if (strcmp(have, puts_table[i].want) != 0)
			fail_msg("%s: %s", puts_table[i].name, have);
		free(have);
	}
}

static const struct {
	const char *text, *want;
} drops[] = { { "{\"a\": 0, \"b\": 1}", "{\"b\": 1}" }, { "{\"b\": 1, \"a\": 0}", "{\"b\": 1}" },
	{ "{\"a\": 0}", "{}" }, { "{\n \"b\": 1,\n \"a\": 0\n}", "{\n \"b\": 1\n}" },
	{ "{\n \"a\": {},\n \"b\": 1\n}", "{\n \"b\": 1\n}" }, { "{\"b\": 1}", "{\"b\": 1}" } };

static const struct {
	const char *text, *want;
} appends[] = { { "[1, 2]", "[1, 2, 3]" }, { "[]", "[3]" },
	{ "[\n  1,\n  2\n]", "[\n  1,\n  2,\n  3\n]" },
	{ "[{\"a\": \"]\"},\n {}]", "[{\"a\": \"]\"},\n {},\n 3]" } };

static void
test_drop_and_append(void **state)
{
	for (size_t i = 0; i < sizeof(drops) / sizeof(drops[0]); i++) {
		char *have = json_drop(drops[i].text, json_root(drops[i].text), "a");

		assert_string_equal(have, drops[i].want);
		free(have);
	}
	for (size_t i = 0; i < sizeof(appends) / sizeof(appends[0]); i++) {
		char *have = json_append(appends[i].text, json_root(appends[i].text), "3");

		assert_string_equal(have, appends[i].want);
		free(have);
	}
}

/* No text makes a walk go past its end; sanitizers see to it. */
static void
test_broken_texts(void **state)
{
	static const char whole[] = "{\"a\": [{\"b\": \"\\\"\"}, 1, [true]], \"c\": {}}";

	for (size_t length = 0; length < sizeof(whole); length++) {
		char *text = xasprintf("%.*s", (int)length, whole);
		struct json_span value;

		free(json_put(text, json_root(text), "a", "x", "1"));
		free(json_drop(text, json_root(text), "c"));
		if (json_member(text, json_root(text), "a", &value))
			free(json_append(text, value, "2"));
		free(text);
	}
}

static void
test_diff(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	text_diff_print("f", "1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n6\n", out);
	text_diff_print("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12",
	    "1\nx\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\ny", out);
	fclose(out);
	assert_string_equal(text,
	    "--- f\n+++ f\n@@ -1,4 +1,5 @@\n 1\n+x\n 2\n 3\n 4\n"
	    "@@ -9,4 +10,4 @@\n 9\n 10\n 11\n-12\n\\ No newline at end of file\n"
	    "+y\n\\ No newline at end of file\n");
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histories),
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_put),
		cmocka_unit_test(test_drop_and_append),
		cmocka_unit_test(test_broken_texts),
		cmocka_unit_test(test_diff),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
