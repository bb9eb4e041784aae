/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pools belong to an element and family together: which of them a host gets is the element's
 * business. So hosts stand on the first line of several, and the sums are right. What an element
 * carries now is what the router's lists say; the worst single failure is worked out here from who
 * is healthy, as the agent does it for capacities.
 */
#include "nat_view.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "layout.h"
#include "nat.h"
#include "nat_load.h"
#include "output.h"
#include "screen.h"
#include "screen_nat.h"
#include "tree.h"

enum { NUMBER_TEXT_SIZE = 24 };

/* One element and family with pools. */
struct place {
	const struct profile_group *group;
	const struct profile_element *element;
	const struct profile_element_family *family;
	const struct lyd_node *state; /* the family's */
	double hosts, worst;
	bool is_known; /* hosts: the router's lists were read, and they are not too many */
};

struct sums {
	double addresses, blocks, hosts;
	unsigned pools, active;
	bool is_known;
};

typedef void show_fn(void *arg, const struct place *place);

/* ---- hosts ---------------------------------------------------------------------------------- */

/* Of each element, also after the worst single failure of another one that is healthy now. */
static void
find_loads(const struct layout_space *space, const struct lyd_node *group, struct nat_load *ret)
{
	const struct profile_group *config = layout_space_group(space);
	const char *family = family_names[layout_space_family(space)];
	bool healthy[PROFILE_MAX_ELEMENTS];

	for (size_t e = 0; e < config->element_count; e++) {
		const struct lyd_node *element =
		    tree_entry(group, "element", "id", config->elements[e].id);

		healthy[e] = tree_flag(tree_entry(element, "family", "family", family), "healthy");
	}
	nat_load_compute(space, healthy, ret);
}

/* ---- the walk ------------------------------------------------------------------------------- */

static bool
walk_family(const struct profile_group *group, enum family family, const struct lyd_node *state,
    const struct scope *scope, show_fn *show, void *arg)
{
	struct layout_space *space = layout_space_new(group, family);
	struct nat_load loads[PROFILE_MAX_ELEMENTS];
	bool has_any = false;

	find_loads(space, state, loads);
	for (size_t e = 0; e < group->element_count; e++) {
		struct place place = { group, &group->elements[e],
			&group->elements[e].family[family], NULL, 0, loads[e].hosts_worst, false };
		const struct lyd_node *element =
		    tree_entry(state, "element", "id", place.element->id);

		if (place.element->removed || place.family->nat_pool_count == 0 || !element ||
		    !scope_has_element(scope, element))
			continue;
		place.state = screen_family(element, (int)family);
		place.is_known = tree_has(place.state, "hosts");
		place.hosts = tree_amount(place.state, "hosts");
		show(arg, &place);
		has_any = true;
	}
	layout_space_free(space);
	return has_any;
}

static bool
walk(const struct profile *profile, const struct lyd_node *state, const struct scope *scope,
    show_fn *show, void *arg)
{
	bool has_any = false;

	for (size_t g = 0; g < profile->group_count; g++) {
		const struct profile_group *group = &profile->groups[g];
		const struct lyd_node *node = tree_entry(state, "group", "id", group->id);

		if (!node || !scope_has_group(scope, node))
			continue;
		for (enum family f = 0; f < FAMILY_COUNT; f++)
			if (group->return_path[f] == RETURN_NAT_ROUTES)
				has_any |= walk_family(group, f, node, scope, show, arg);
	}
	return has_any;
}

/* ---- the table ------------------------------------------------------------------------------ */

struct table {
	struct libscols_table *rows;
	struct sums sums;
};

/* napt has none; "many" is more than fits. */
static const char *
format_count(uint64_t count, bool has, char buf[NUMBER_TEXT_SIZE])
{
	if (!has)
		snprintf(buf, NUMBER_TEXT_SIZE, "-");
	else if (count == UINT64_MAX)
		snprintf(buf, NUMBER_TEXT_SIZE, "many");
	else
		snprintf(buf, NUMBER_TEXT_SIZE, "%" PRIu64, count);
	return buf;
}

static const char *
format_hosts(double hosts, bool has, char buf[NUMBER_TEXT_SIZE])
{
	snprintf(buf, NUMBER_TEXT_SIZE, has ? "%.0f" : "-", hosts);
	return buf;
}

static void
show_pool(struct table *table, const struct place *place, size_t index)
{
	const struct profile_nat_pool *pool = &place->family->nat_pools[index];
	const struct lyd_node *state = tree_entry(place->state, "nat-pool", "id", pool->id);
	char addresses[NUMBER_TEXT_SIZE], blocks[NUMBER_TEXT_SIZE], hosts[NUMBER_TEXT_SIZE];
	char worst[NUMBER_TEXT_SIZE], prefix[PREFIX_TEXT_SIZE], route[192];
	bool has_blocks = pool->kind != NAT_NAPT, is_first = index == 0;

	table->sums.pools++;
	table->sums.active += tree_flag(state, "active");
	table->sums.addresses += (double)nat_addresses(&pool->prefix);
	table->sums.blocks += has_blocks ? (double)nat_blocks(pool) : 0;
	screen_nat_describe(place->state, state, route, sizeof(route));
	output_row(
	    table->rows, (const char *const[]){ is_first ? place->group->id : "",
	                     is_first ? place->element->id : "", pool->id,
	                     nat_kind_names[pool->kind], prefix_format(&pool->prefix, prefix),
	                     format_count(nat_addresses(&pool->prefix), true, addresses),
	                     format_count(nat_blocks(pool), has_blocks, blocks), route,
	                     is_first ? format_hosts(place->hosts, place->is_known, hosts) : "",
	                     is_first ? format_hosts(place->worst, true, worst) : "" });
}

static void
show_place(void *arg, const struct place *place)
{
	struct table *table = arg;

	for (size_t i = 0; i < place->family->nat_pool_count; i++)
		show_pool(table, place, i);
	table->sums.hosts += place->hosts;
	table->sums.is_known &= place->is_known;
}

static void
show_sums(struct table *table)
{
	char addresses[NUMBER_TEXT_SIZE], blocks[NUMBER_TEXT_SIZE], hosts[NUMBER_TEXT_SIZE];
	char routes[64];

	snprintf(
	    routes, sizeof(routes), "%u of %u lead here", table->sums.active, table->sums.pools);
	output_row(
	    table->rows, (const char *const[]){ "sum", "", "", "", "",
	                     format_hosts(table->sums.addresses, true, addresses),
	                     format_hosts(table->sums.blocks, true, blocks), routes,
	                     format_hosts(table->sums.hosts, table->sums.is_known, hosts), "" });
}

/* Where port blocks are judged: a line below the table. */
static void
show_blocks(void *arg, const struct place *place)
{
	const struct lyd_node *blocks = tree_child(place->state, "port-blocks");
	double available = tree_amount(blocks, "available");

	(void)arg;
	if (available > 0 && tree_has(blocks, "now"))
		printf("%s needs %s of %s port blocks now (%.0f %%), %s (%.0f %%) after the worst "
		       "failure\n",
		    place->element->id, tree_text(blocks, "now"), tree_text(blocks, "available"),
		    100 * tree_amount(blocks, "now") / available, tree_text(blocks, "worst"),
		    100 * tree_amount(blocks, "worst") / available);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void
add_text(struct json_object *object, const char *name, const char *text)
{
	json_object_object_add(object, name, json_object_new_string(text));
}

static struct json_object *
make_pool(const struct place *place, const struct profile_nat_pool *pool)
{
	const struct lyd_node *state = tree_entry(place->state, "nat-pool", "id", pool->id);
	struct json_object *object = json_object_new_object();
	char prefix[PREFIX_TEXT_SIZE];

	add_text(object, "id", pool->id);
	add_text(object, "kind", nat_kind_names[pool->kind]);
	add_text(object, "prefix", prefix_format(&pool->prefix, prefix));
	output_json_number(object, "addresses", (double)nat_addresses(&pool->prefix));
	if (pool->kind != NAT_NAPT)
		output_json_number(object, "port-blocks", (double)nat_blocks(pool));
	if (pool->kind == NAT_DETERMINISTIC)
		output_json_number(object, "rule-hosts", (double)nat_hosts(pool));
	if (tree_has(state, "active"))
		json_object_object_add(
		    object, "active", json_object_new_boolean(tree_flag(state, "active")));
	if (tree_has(state, "via"))
		add_text(object, "via", tree_text(state, "via"));
	if (tree_has(state, "discarded"))
		json_object_object_add(object, "discarded", json_object_new_boolean(true));
	if (tree_has(state, "refusal"))
		add_text(object, "refusal", tree_text(state, "refusal"));
	if (tree_has(state, "taken-by"))
		add_text(object, "taken-by", tree_text(state, "taken-by"));
	return object;
}

static struct json_object *
make_blocks(const struct lyd_node *blocks)
{
	static const char *const names[] = { "available", "base", "now", "worst" };
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (tree_has(blocks, names[i]))
			output_json_number(object, names[i], tree_amount(blocks, names[i]));
	return object;
}

static void
add_place(void *arg, const struct place *place)
{
	struct json_object *object = json_object_new_object(), *pools = json_object_new_array();
	const struct lyd_node *blocks = tree_child(place->state, "port-blocks");

	add_text(object, "group", place->group->id);
	add_text(object, "element", place->element->id);
	add_text(object, "family", tree_text(place->state, "family"));
	if (place->is_known)
		output_json_number(object, "hosts", place->hosts);
	output_json_number(object, "hosts-worst", place->worst);
	if (blocks)
		json_object_object_add(object, "port-blocks", make_blocks(blocks));
	for (size_t i = 0; i < place->family->nat_pool_count; i++)
		json_object_array_add(pools, make_pool(place, &place->family->nat_pools[i]));
	json_object_object_add(object, "pools", pools);
	json_object_array_add(arg, object);
}

static bool
print_json(const struct profile *profile, const struct lyd_node *state, const struct scope *scope)
{
	struct json_object *root = json_object_new_object(), *places = json_object_new_array();
	bool has_any = walk(profile, state, scope, add_place, places);

	json_object_object_add(root, "nat", places);
	if (has_any)
		puts(json_object_to_json_string_ext(
		    root, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
	return has_any;
}

/* ---- both ----------------------------------------------------------------------------------- */

bool
nat_view_print(const struct profile *profile, const struct lyd_node *state,
    const struct scope *scope, bool json)
{
	static const struct output_column columns[] = { { "GROUP", false }, { "ELEMENT", false },
		{ "POOL", false }, { "KIND", false }, { "PREFIX", false }, { "ADDRESSES", true },
		{ "BLOCKS", true }, { "ROUTE", false }, { "HOSTS", true }, { "WORST", true } };
	struct table table = { .sums = { .is_known = true } };

	if (json)
		return print_json(profile, state, scope);
	table.rows = output_table(columns, sizeof(columns) / sizeof(columns[0]));
	if (!walk(profile, state, scope, show_place, &table)) {
		output_table_end(table.rows);
		return false;
	}
	show_sums(&table);
	output_table_end(table.rows);
	walk(profile, state, scope, show_blocks, NULL);
	return true;
}
