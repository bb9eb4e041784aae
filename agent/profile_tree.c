/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A validated libyang tree of the profile -> struct profile, and -> its canonical text.
 *
 * Owns the defaults that depend on other leaves (a name is the id, a list is named after the
 * element, the weight is 1 at epoch 0, the router may speak to us) in both directions: reading
 * fills them in, printing leaves them out. Together with the order of lists, which both sort, this
 * makes two profiles that say the same equal: one struct, one text, one profile-id.
 *
 * The tree was checked by libyang, so what cannot be is the end of the process, not an error.
 */
#include "profile_tree.h"

#include <libyang/libyang.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "prefix.h"

/* ---- tree -> struct ---- */

static const struct lyd_node *
child(const struct lyd_node *parent, const char *name)
{
	const struct lyd_node *node;

	LY_LIST_FOR (lyd_child(parent), node) {
		if (strcmp(LYD_NAME(node), name) == 0)
			return node;
	}
	return NULL;
}

/* NULL when the leaf is absent and has no default. */
static const char *
text_of(const struct lyd_node *parent, const char *name)
{
	const struct lyd_node *node = child(parent, name);

	return node ? lyd_get_value(node) : NULL;
}

static char *
copy_of(const struct lyd_node *parent, const char *name)
{
	const char *text = text_of(parent, name);

	return text ? xstrdup(text) : NULL;
}

/* Range and digits were checked by libyang. */
static uint32_t
number_of(const struct lyd_node *parent, const char *name)
{
	const char *text = text_of(parent, name);

	return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

/* A decimal with three digits after the point, in thousandths; 0 when absent. libyang has checked
 * range and digits. */
static uint64_t
thousandths_of(const struct lyd_node *parent, const char *name)
{
	const struct lyd_node *node = child(parent, name);

	return node ? (uint64_t)((const struct lyd_node_term *)node)->value.dec64 : 0;
}

static bool
flag_of(const struct lyd_node *parent, const char *name)
{
	const char *text = text_of(parent, name);

	return text && strcmp(text, "true") == 0;
}

/* The index of an enum's name; our tables hold every name of the model. */
static unsigned
choice_of(const struct lyd_node *parent, const char *name, const char *const *names, unsigned count)
{
	const char *text = text_of(parent, name);

	for (unsigned i = 0; text && i < count; i++)
		if (strcmp(text, names[i]) == 0)
			return i;
	fatal("the YANG module has a value of %s that the program does not know", name);
}

static size_t
count_of(const struct lyd_node *parent, const char *name)
{
	const struct lyd_node *node;
	size_t n = 0;

	LY_LIST_FOR (lyd_child(parent), node) {
		n += strcmp(LYD_NAME(node), name) == 0;
	}
	return n;
}

/* The strings of a leaf-list. */
static char **
strings_of(const struct lyd_node *parent, const char *name, size_t *ret_count)
{
	const struct lyd_node *node;
	size_t n = 0;
	char **strings = xcalloc(count_of(parent, name), sizeof(*strings));

	LY_LIST_FOR (lyd_child(parent), node) {
		if (strcmp(LYD_NAME(node), name) == 0)
			strings[n++] = xstrdup(lyd_get_value(node));
	}
	*ret_count = n;
	return strings;
}

/* libyang has checked the text; an address with a zone or a form that inet_pton refuses is not
 * in the model's types, so this cannot fail. */
static struct ip
ip_of(const struct lyd_node *node)
{
	struct ip ip;

	if (!node || ip_parse(lyd_get_value(node), &ip) < 0)
		fatal("%s is not an address", node ? lyd_get_value(node) : "nothing");
	return ip;
}

static struct prefix
prefix_of(const struct lyd_node *node)
{
	struct prefix prefix;

	if (!node || prefix_parse(lyd_get_value(node), &prefix) < 0)
		fatal("%s is not a prefix", node ? lyd_get_value(node) : "nothing");
	return prefix;
}

/* A path in the profile starts at the profile's directory. */
static char *
path_of(const struct lyd_node *parent, const char *name, const char *file)
{
	const char *text = text_of(parent, name), *slash = strrchr(file, '/');

	if (!text)
		return NULL;
	if (text[0] == '/' || !slash)
		return xstrdup(text);
	return xasprintf("%.*s/%s", (int)(slash - file), file, text);
}

static void
fill_router(struct profile_router *router, const struct lyd_node *node, const char *file)
{
	const struct lyd_node *item;

	router->addresses = xcalloc(count_of(node, "address"), sizeof(*router->addresses));
	LY_LIST_FOR (lyd_child(node), item) {
		if (strcmp(LYD_NAME(item), "address") == 0)
			router->addresses[router->address_count++] = ip_of(item);
	}
	router->port = (uint16_t)number_of(node, "port");
	router->user = copy_of(node, "user");
	router->key_file = path_of(node, "key-file", file);
	router->known_hosts = path_of(node, "known-hosts", file);
	router->host_keys = strings_of(node, "host-key", &router->host_key_count);
	router->instance = copy_of(node, "instance");
	router->local_as = number_of(node, "local-as");
	router->synchronize = flag_of(node, "synchronize");
	router->connect_timeout_ms = number_of(node, "connect-timeout");
	router->reply_timeout_ms = number_of(node, "reply-timeout");
	router->commit_timeout_ms = number_of(node, "commit-timeout");
}

/* Who may speak when nobody is named: the router and this machine. */
static void
allow_router(struct profile_listener *listener, const struct profile_router *router)
{
	listener->allowed = xcalloc(router->address_count + 2, sizeof(*listener->allowed));
	for (size_t i = 0; i < router->address_count; i++)
		listener->allowed[i] = prefix_of_ip(&router->addresses[i]);
	listener->allowed_count = router->address_count + 2;
	(void)prefix_parse("127.0.0.0/8", &listener->allowed[router->address_count]); /* constant */
	(void)prefix_parse("::1/128", &listener->allowed[router->address_count + 1]); /* constant */
}

static void
fill_listener(struct profile_listener *listener, const struct lyd_node *node,
    const struct profile_router *router)
{
	const struct lyd_node *item;
	size_t count = count_of(node, "allowed-source");

	listener->enabled = flag_of(node, "enabled");
	listener->address = ip_of(child(node, "address"));
	listener->port = (uint16_t)number_of(node, "port");
	if (count == 0) {
		allow_router(listener, router);
		return;
	}
	listener->allowed = xcalloc(count, sizeof(*listener->allowed));
	LY_LIST_FOR (lyd_child(node), item) {
		if (strcmp(LYD_NAME(item), "allowed-source") == 0)
			listener->allowed[listener->allowed_count++] = prefix_of(item);
	}
	qsort(listener->allowed, count, sizeof(*listener->allowed), prefix_compare_void);
}

static void
fill_pool(struct profile_pool *pool, const struct lyd_node *node)
{
	pool->prefix = prefix_of(child(node, "prefix"));
	pool->unit_length = (uint8_t)number_of(node, "unit-length");
	pool->since = number_of(node, "since");
	pool->until = child(node, "until") ? number_of(node, "until") : PROFILE_EPOCH_NONE;
}

static struct prefix *
prefixes_of(const struct lyd_node *node, const char *name, size_t *ret_count)
{
	size_t count = count_of(node, name), n = 0;
	struct prefix *prefixes = count ? xcalloc(count, sizeof(*prefixes)) : NULL;
	const struct lyd_node *item;

	*ret_count = count;
	LY_LIST_FOR (lyd_child(node), item) {
		if (strcmp(LYD_NAME(item), name) == 0)
			prefixes[n++] = prefix_of(item);
	}
	return prefixes;
}

static void
fill_nat_pools(struct profile_element_family *family, const struct lyd_node *node)
{
	size_t count = count_of(node, "nat-pool");
	const struct lyd_node *item;

	family->nat_pools = count ? xcalloc(count, sizeof(*family->nat_pools)) : NULL;
	LY_LIST_FOR (lyd_child(node), item) {
		struct profile_nat_pool *pool;

		if (strcmp(LYD_NAME(item), "nat-pool") != 0)
			continue;
		pool = &family->nat_pools[family->nat_pool_count++];
		pool->id = copy_of(item, "id");
		pool->prefix = prefix_of(child(item, "prefix"));
		pool->kind = choice_of(item, "kind", nat_kind_names, NAT_KIND_COUNT);
		pool->block_size = (uint16_t)number_of(item, "block-size");
		pool->hosts = prefixes_of(item, "host-prefix", &pool->host_count);
	}
}

static void
fill_family(struct profile_element_family *family, const struct lyd_node *node, const char *id,
    enum family f)
{
	family->present = true;
	for (int s = 0; s < SIDE_COUNT; s++) {
		const struct lyd_node *side = child(node, side_names[s]);

		family->peer[s].address = ip_of(child(side, "peer"));
		family->peer[s].instance = copy_of(side, "instance");
		family->peer[s].bfd = choice_of(side, "bfd", bfd_mode_names, BFD_MODE_COUNT);
		family->peer[s].required_routes = number_of(side, "required-routes");
		family->peer[s].interface = copy_of(side, "interface");
	}
	fill_nat_pools(family, node);
	family->base_list = copy_of(node, "base-list");
	if (!family->base_list)
		family->base_list = xasprintf("%s-base-%s", id, family_tags[f]);
	family->override_list = copy_of(node, "override-list");
	if (!family->override_list)
		family->override_list = xasprintf("%s-ovr-%s", id, family_tags[f]);
}

static void
fill_weights(struct profile_element *element, const struct lyd_node *node)
{
	const struct lyd_node *item;
	size_t count = count_of(node, "weight"), last = 0, n = 0;

	element->weights = xcalloc(count ? count : 1, sizeof(*element->weights));
	element->weight_count = count ? count : 1;
	element->weights[0] = (struct profile_weight){ 0, 1 };
	LY_LIST_FOR (lyd_child(node), item) {
		if (strcmp(LYD_NAME(item), "weight") != 0)
			continue;
		element->weights[n].epoch = number_of(item, "epoch");
		element->weights[n].weight = (uint16_t)number_of(item, "weight");
		if (element->weights[n].epoch >= element->weights[last].epoch)
			last = n;
		n++;
	}
	element->failed_weight = child(node, "failed-weight")
	                             ? (uint16_t)number_of(node, "failed-weight")
	                             : element->weights[last].weight;
}

static void
fill_element(struct profile_element *element, const struct lyd_node *node)
{
	element->id = copy_of(node, "id");
	element->name = copy_of(node, "name");
	if (!element->name)
		element->name = xstrdup(element->id);
	fill_weights(element, node);
	element->removed = flag_of(node, "removed");
	element->failure_domain = copy_of(node, "failure-domain");
	element->capacity_milli = thousandths_of(node, "capacity");
	for (int f = 0; f < FAMILY_COUNT; f++)
		if (child(node, family_names[f]))
			fill_family(
			    &element->family[f], child(node, family_names[f]), element->id, f);
}

/* When an element leaves, and what brings it back. */
static void
fill_health_policy(struct profile_group *group, const struct lyd_node *node)
{
	const struct lyd_node *damping = child(node, "damping");

	group->hold_down_s = number_of(node, "hold-down");
	group->quorum_percent = (uint8_t)number_of(node, "quorum");
	group->startup_wait_s = number_of(node, "startup-wait");
	group->mass_window_ms = number_of(node, "mass-event-window");
	group->mass_share_percent = (uint8_t)number_of(node, "mass-event-share");
	group->scope = choice_of(node, "failure-scope", failure_scope_names, SCOPE_COUNT);
	group->damping_flaps = (uint8_t)number_of(damping, "flaps");
	group->damping_window_s = number_of(damping, "window");
	group->damping_initial_s = number_of(damping, "initial");
	group->damping_maximum_s = number_of(damping, "maximum");
	group->revert = choice_of(node, "revert", revert_names, REVERT_COUNT);
	group->bfd_detection_ms = number_of(node, "bfd-detection-time");
}

/* Room for every line in both families: a table is short. */
static void
fill_split(struct profile_group *group, const struct lyd_node *node)
{
	size_t count = count_of(node, "split");
	const struct lyd_node *item;

	group->entry_limit = number_of(node, "split-entry-limit");
	for (int f = 0; count && f < FAMILY_COUNT; f++)
		group->split[f] = xcalloc(count, sizeof(*group->split[f]));
	LY_LIST_FOR (lyd_child(node), item) {
		unsigned f;

		if (strcmp(LYD_NAME(item), "split") != 0)
			continue;
		f = choice_of(item, "family", family_names, FAMILY_COUNT);
		group->split[f][group->split_count[f]++] = (struct profile_split){
			.survivors = (uint8_t)number_of(item, "survivors"),
			.bits = (uint8_t)number_of(item, "bits"),
		};
	}
}

static void
fill_signal(struct profile_group *group, const struct lyd_node *node)
{
	group->revert_hold_s = number_of(node, "revert-hold");
	for (int f = 0; f < FAMILY_COUNT; f++) {
		const struct lyd_node *family = child(node, family_names[f]);
		const struct lyd_node *failed = child(family, "failed-route");
		const struct lyd_node *alter = child(family, "alter-route");
		struct profile_signal *signal = &group->signal[f];

		signal->min_alive = (uint8_t)number_of(family, "min-alive");
		signal->has_failed = failed;
		signal->has_alter = alter;
		if (failed)
			signal->failed_route = prefix_of(failed);
		if (alter)
			signal->alter_route = prefix_of(alter);
	}
}

static void
fill_nat(struct profile_group *group, const struct lyd_node *node)
{
	for (int f = 0; f < FAMILY_COUNT; f++) {
		const struct lyd_node *family = child(node, family_names[f]);

		group->return_path[f] =
		    choice_of(family, "return-path", return_path_names, RETURN_PATH_COUNT);
		group->blocks_per_host_milli[f] = thousandths_of(family, "blocks-per-host");
		group->supernets[f] = prefixes_of(family, "supernet", &group->supernet_count[f]);
	}
}

static void
fill_group(struct profile_group *group, const struct lyd_node *node)
{
	const struct lyd_node *item;

	group->id = copy_of(node, "id");
	group->name = copy_of(node, "name");
	if (!group->name)
		group->name = xstrdup(group->id);
	fill_health_policy(group, node);
	fill_split(group, node);
	fill_signal(group, child(node, "signal"));
	fill_nat(group, child(node, "nat"));
	group->capacity_label = copy_of(child(node, "capacity"), "label");
	group->unit_load_milli = thousandths_of(child(node, "capacity"), "unit-load");
	group->inside_interfaces =
	    strings_of(node, "inside-interface", &group->inside_interface_count);
	group->outside_interfaces =
	    strings_of(node, "outside-interface", &group->outside_interface_count);
	group->pools = xcalloc(count_of(node, "pool"), sizeof(*group->pools));
	group->elements = xcalloc(count_of(node, "element"), sizeof(*group->elements));
	LY_LIST_FOR (lyd_child(node), item) {
		if (strcmp(LYD_NAME(item), "pool") == 0)
			fill_pool(&group->pools[group->pool_count++], item);
		else if (strcmp(LYD_NAME(item), "element") == 0)
			fill_element(&group->elements[group->element_count++], item);
	}
}

struct profile *
profile_tree_read(const struct lyd_node *root, const char *file)
{
	static const char *const level_names[] = { "error", "warn", "info", "debug" };
	const struct lyd_node *item, *logging = child(root, "logging");
	struct profile *profile = xcalloc(1, sizeof(*profile));

	profile->mode = choice_of(root, "mode", agent_mode_names, MODE_COUNT);
	fill_router(&profile->router, child(root, "router"), file);
	fill_listener(&profile->bmp, child(root, "bmp"), &profile->router);
	fill_listener(&profile->syslog, child(root, "syslog"), &profile->router);
	profile->poll_interval_ms = number_of(root, "poll-interval");
	profile->audit_interval_ms = number_of(root, "audit-interval");
	for (int f = 0; f < FAMILY_COUNT; f++)
		profile->sentinel[f] = prefix_of(child(child(root, "sentinel"), family_names[f]));
	profile->log_level = (uint8_t)choice_of(logging, "level", level_names, 4);
	profile->log_syslog = strcmp(text_of(logging, "target"), "syslog") == 0;
	profile->groups = xcalloc(count_of(root, "group"), sizeof(*profile->groups));
	LY_LIST_FOR (lyd_child(root), item) {
		if (strcmp(LYD_NAME(item), "group") == 0)
			fill_group(&profile->groups[profile->group_count++], item);
	}
	profile_sort(profile);
	return profile;
}

/* ---- the canonical tree ---- */

static void
drop(const struct lyd_node *parent, const char *name)
{
	struct lyd_node *node, *next;

	LY_LIST_FOR_SAFE(lyd_child_no_keys(parent), next, node)
	{
		if (strcmp(LYD_NAME(node), name) == 0)
			lyd_free_tree(node);
	}
}

static void
drop_equal(const struct lyd_node *parent, const char *name, const char *derived)
{
	const char *text = text_of(parent, name);

	if (text && strcmp(text, derived) == 0)
		drop(parent, name);
}

static void
drop_derived_family(const struct lyd_node *family, const char *id, enum family f)
{
	char *base = xasprintf("%s-base-%s", id, family_tags[f]);
	char *override = xasprintf("%s-ovr-%s", id, family_tags[f]);

	drop_equal(family, "base-list", base);
	drop_equal(family, "override-list", override);
	free(base);
	free(override);
}

static void
drop_derived_element(const struct lyd_node *node)
{
	struct profile_element element = { 0 };
	struct profile_weight last;
	const char *id = text_of(node, "id");
	char *text;

	fill_weights(&element, node);
	last = element.weights[element.weight_count - 1];
	text = xasprintf("%u", last.weight);
	drop_equal(node, "name", id);
	drop_equal(node, "failed-weight", text);
	if (element.weight_count == 1 && last.epoch == 0 && last.weight == 1)
		drop(node, "weight");
	for (int f = 0; f < FAMILY_COUNT; f++)
		if (child(node, family_names[f]))
			drop_derived_family(child(node, family_names[f]), id, f);
	free(text);
	free(element.weights);
}

/* What the rest of the profile says already. The tree is sorted: the last weight is the last. */
static void
drop_derived(const struct lyd_node *root)
{
	const struct lyd_node *group, *node;

	LY_LIST_FOR (lyd_child(root), group) {
		if (strcmp(LYD_NAME(group), "group") != 0)
			continue;
		drop_equal(group, "name", text_of(group, "id"));
		LY_LIST_FOR (lyd_child(group), node) {
			if (strcmp(LYD_NAME(node), "element") == 0)
				drop_derived_element(node);
		}
	}
}

/* Leaves that are their default, and containers that are empty then. */
static void
drop_defaults(struct lyd_node *parent)
{
	struct lyd_node *node, *next;

	LY_LIST_FOR_SAFE(lyd_child_no_keys(parent), next, node)
	{
		drop_defaults(node);
		if ((node->schema->nodetype & LYS_LEAF)
		        ? lyd_is_default(node)
		        : lysc_is_np_cont(node->schema) && !lyd_child(node))
			lyd_free_tree(node);
	}
}

static char *
print(const struct lyd_node *root, LYD_FORMAT format, uint32_t options)
{
	char *text = NULL, *copy;

	if (lyd_print_mem(&text, root, format, options | LYD_PRINT_WD_EXPLICIT) != LY_SUCCESS ||
	    !text)
		fatal("libyang cannot print the profile that it has read");
	copy = xstrdup(text);
	free(text);
	return copy;
}

void
profile_tree_print(struct lyd_node *root, char **ret_json, char **ret_xml)
{
	drop_derived(root);
	drop_defaults(root);
	*ret_json = print(root, LYD_JSON, 0);
	*ret_xml = print(root, LYD_XML, LYD_PRINT_SHRINK);
}
